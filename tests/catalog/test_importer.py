"""The importer on rows of a test's own: terms before columns, kinds, marks, counts, nothing lost."""

from decimal import Decimal
from typing import Any

import pytest

from optimizer.catalog import Catalog
from optimizer.domain.offer import Mark, Price, PriceKind, PriceUnit, Term
from tests.catalog.builders import machine, price


def raw(file: str = "vultr.csv", **cells: str) -> Any:
    from catalog_import.raw import RawRow

    empty = dict.fromkeys(
        ["provider", "instance_type", "region", "price_per_hour", "price_per_month", "price_per_year", "upfront"], ""
    )
    stated = {"currency": "USD", "source": "a test", "derived": "no", "observed": "2026-09-05", "term": "on_demand"}
    return RawRow(file, 2, {**empty, **stated, **cells})


def built(**cells: str) -> Price | None:
    from catalog_import.prices import Decisions, build_price

    row = raw(**cells)
    return build_price(row, machine("x", "T4", 1), Decisions().of(row), "")


@pytest.mark.parametrize(
    ("cells", "amount", "unit", "total"),
    [
        # F30: 6 rows keep month price / 730 in the hour column, 56 keep the month price in its own.
        ({"term": "month", "price_per_hour": "10"}, "10", PriceUnit.HOUR, "7300"),
        ({"term": "month", "price_per_month": "7300"}, "7300", PriceUnit.MONTH, "7300"),
        # A reserved row's month is the payment under the contract; an hour is the rate over the whole term.
        ({"term": "reserved_3y", "price_per_month": "100"}, "100", PriceUnit.MONTH, "3600"),
        ({"term": "reserved_1y", "price_per_year": "2280000"}, "2280000", PriceUnit.YEAR, "2280000"),
        ({"term": "reserved_1y", "price_per_hour": "2"}, "2", PriceUnit.HOUR, "17520"),
    ],
)
def test_the_term_is_read_before_the_column(cells: dict[str, str], amount: str, unit: PriceUnit, total: str) -> None:
    found = built(**cells)
    assert found is not None
    assert (found.amount, found.unit) == (Decimal(amount), unit)
    assert found.term_total() == Decimal(total)


def test_an_hourly_term_never_takes_a_month_price() -> None:
    assert built(term="on_demand", price_per_month="7300") is None


@pytest.mark.parametrize("amount", ["0", "0.0", ""])
def test_zero_and_blank_are_no_price(amount: str) -> None:
    assert built(price_per_hour=amount) is None


@pytest.mark.parametrize(("upfront", "share"), [("0", 0), ("3482.1", 1), ("", None)])
def test_what_is_due_on_the_first_day(upfront: str, share: int | None) -> None:
    """0: nothing due at purchase; RunPod: the whole term at once (3 x 730 h x 1.59); blank: not stated."""
    found = built(term="reserved_3m", price_per_hour="1.59", upfront=upfront)
    assert found is not None
    assert found.upfront_share == share
    assert found.upfront_amount is None


@pytest.mark.parametrize(
    ("text", "day"), [("2026-08", "2026-08-01"), ("2025", "2025-01-01"), ("2026-09-05", "2026-09-05")]
)
def test_a_month_is_its_first_day(text: str, day: str) -> None:
    from catalog_import.raw import first_day

    found = first_day(text)
    assert found is not None
    assert found.isoformat() == day


def test_two_prices_of_one_key() -> None:
    """The newer stands, the older is superseded; two of one day contradict each other."""
    from datetime import date

    from catalog_import.offers import _one_a_key

    old, new = price("2", observed=date(2026, 1, 1)), price("3", observed=date(2026, 2, 1))
    undated = price("1", observed=None)
    assert [(p.amount, p.marks) for p in _one_a_key([old, undated, new])] == [
        (Decimal(1), (Mark.SUPERSEDED,)),
        (Decimal(2), (Mark.SUPERSEDED,)),
        (Decimal(3), ()),
    ]
    twice = _one_a_key([new, price("4", observed=date(2026, 2, 1))])
    assert all(p.marks == (Mark.CONFLICT,) for p in twice)
    kinds = _one_a_key([new, price("9", observed=old.observed, kind=PriceKind.MARKET_QUOTE)])
    assert all(p.is_plannable for p in kinds)


def test_decisions_name_rules_that_still_apply(catalog: Catalog) -> None:
    """Every rule of the decision table left a trace in the catalog: in a note, or in a reason of a refusal."""
    from catalog_import.raw import table

    notes = {price.note for offer in catalog.offers() for price in offer.prices}
    notes |= {row.reason for row in catalog.rejected}
    for rule in table("price_decisions.csv"):
        assert any(rule["reason"] in note for note in notes), rule


@pytest.mark.parametrize("name", ["gpu_by_instance.csv", "cpu_by_instance.csv", "aws_network.csv"])
def test_hand_kept_hardware_tables_apply(catalog: Catalog, name: str) -> None:
    """Each row of a hand-kept table fits a type of the catalog (Seeweb is in quarantine as a whole)."""
    from catalog_import.raw import matches, table

    types = {(o.provider, o.instance_type) for o in catalog.offers()}
    for row in table(name):
        provider = row.get("provider", "aws")
        fits = any(known == provider and matches(text, row["instance_type"]) for known, text in types)
        assert fits or provider == "seeweb", row


def test_terms_of_the_raw_files_are_all_known() -> None:
    assert {"reserved_3m", "reserved_6m", "reserved_2y", "reserved_5y", "savings_plan_1y", "week"} <= set(Term)
