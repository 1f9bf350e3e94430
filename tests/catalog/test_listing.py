"""The list of found prices: the cheapest first, whatever the limit, and counts of all of them."""

from collections.abc import Iterator
from datetime import date

import pytest

from optimizer.catalog import Catalog
from optimizer.catalog.filters import OfferFilter, search_one_by_one
from optimizer.catalog.gpu_spec import parse_gpu_specs
from optimizer.catalog.listing import cheapest
from optimizer.domain.offer import Offer, Term
from tests.catalog.builders import machine, price

AS_OF = date(2026, 11, 30)


@pytest.mark.parametrize("limit", [1, 7, 30])
def test_a_limit_takes_the_first_of_all(catalog: Catalog, limit: int) -> None:
    wanted = OfferFilter(gpus=parse_gpu_specs("A100,H100:8"))
    rates = catalog.rates(AS_OF, {})
    every = cheapest(search_one_by_one(catalog, wanted)[0], rates, "USD", AS_OF)
    some = cheapest(search_one_by_one(catalog, wanted)[0], rates, "USD", AS_OF, limit=limit)
    assert some.rows == every.rows[:limit]
    assert (some.prices, some.machines, some.old, some.undated) == (
        len(every.rows),
        every.machines,
        every.old,
        every.undated,
    )
    known = [row.price_per_gpu_hour for row in every.rows if row.price_per_gpu_hour is not None]
    assert known == sorted(known)
    assert all(row.price_per_gpu_hour is None for row in every.rows[len(known) :])


def test_counts(catalog: Catalog) -> None:
    prices = (price("4"), price("3", Term.SPOT, observed=date(2026, 9, 30)), price("2", Term.DAY, observed=None))
    offers = [
        Offer(provider="p", region=region, machine=machine("x", "T4", 1), prices=prices if region == "a" else ())
        for region in ("a", "b")
    ]
    found = cheapest(offers, catalog.rates(AS_OF, {}), "USD", AS_OF)
    # The machine in b has no price: one line more, the last, of no age.
    assert (found.prices, found.machines, found.old, found.undated) == (4, 2, 1, 1)
    assert [row.term for row in found.rows] == ["day", "spot", "on_demand", None]
    assert [row.freshness for row in found.rows] == ["undated", "old", "recent", None]


def test_offers_are_taken_one_by_one(catalog: Catalog) -> None:
    taken: list[str] = []

    def offers() -> Iterator[Offer]:
        for name in ("x", "y", "z"):
            taken.append(name)
            yield Offer(provider="p", region="r", machine=machine(name, "T4", 1), prices=(price("1"),))

    found = cheapest(offers(), catalog.rates(AS_OF, {}), "USD", AS_OF, limit=1)
    assert taken == ["x", "y", "z"]
    assert [row.instance_type for row in found.rows] == ["x"]
