"""Age marks a price by default and excludes it only when asked; an undated one is never taken for young."""

from datetime import date, timedelta
from decimal import Decimal

import pytest

from optimizer.app.quotes import quotes_needed
from optimizer.catalog import Catalog, load_catalog
from optimizer.domain.offer import Availability, Offer, Price, PriceKind, PriceUnit, Term
from optimizer.errors import InputError
from optimizer.planning.case import PlanOptions
from optimizer.planning.pipeline import Planner
from optimizer.planning.relaxing import relaxations
from optimizer.planning.supply import is_plannable
from optimizer.planning.workload_file import parse_workload
from optimizer.reports.facts import Facts
from optimizer.reports.phrases import in_chinese

AS_OF = date(2026, 11, 30)
OLD, YOUNG = AS_OF - timedelta(days=61), AS_OF - timedelta(days=60)
WORK = """
start: 2026-12-01
profile: off
name: w
model: {preset: llama-2-7b}
method: lora
sequence_length: 1024
global_batch_tokens: 65536
tokens: 3e7
egress_gb: 0
checkpoint_gb: 0
"""


class Small(Catalog):
    """One machine of the shipped catalog in regions with prices of a test's own: (amount, day)."""

    def __init__(self, *prices: tuple[str, date | None]) -> None:
        whole = load_catalog()
        self.__dict__.update(whole.__dict__)
        machine = next(offer for offer in whole.offers() if offer.instance_type == "a2-ultragpu-1g")
        self._small = tuple(
            machine.model_copy(update={"region": f"r-{number}", "prices": (a_price(amount, day),)})
            for number, (amount, day) in enumerate(prices)
        )

    def offers(self) -> tuple[Offer, ...]:
        """The offers of the test."""
        return self._small


def a_price(amount: str, day: date | None, kind: PriceKind = PriceKind.LIST) -> Price:
    return Price(
        term=Term.ON_DEMAND,
        amount=Decimal(amount),
        unit=PriceUnit.HOUR,
        currency="USD",
        kind=kind,
        observed=day,
        source="made for this test",
    )


def planner(catalog: Catalog, **options: object) -> Planner:
    made = PlanOptions(as_of=AS_OF, extras=False, **options)  # type: ignore[arg-type]
    return Planner(parse_workload(WORK, "w.yaml"), catalog, made)


@pytest.mark.parametrize(
    ("day", "kind", "passes"),
    [
        (YOUNG, PriceKind.LIST, True),
        (OLD, PriceKind.LIST, False),
        (None, PriceKind.LIST, False),
        (OLD, PriceKind.QUOTE, True),  # a quote has dates of its own
    ],
)
def test_what_is_left_out_when_asked(day: date | None, kind: PriceKind, passes: bool) -> None:
    asked = a_price("1", day, kind)
    assert is_plannable(asked, AS_OF, market=False)
    assert is_plannable(asked, AS_OF, market=False, oldest=YOUNG) is passes


@pytest.mark.parametrize("day", [OLD, None])
def test_the_cheapest_price_wins_until_age_excludes_it(day: date | None) -> None:
    catalog = Small(("1", day), ("2", YOUNG))
    cheapest, _ = planner(catalog).plan()
    assert [used.region for used in cheapest.assignments] == ["r-0"]
    assert [need.offer.region for need in quotes_needed(cheapest)] == ["r-0"]
    young, _ = planner(catalog, exclude_old=True).plan()
    assert [used.region for used in young.assignments] == ["r-1"]
    assert young.options == {"exclude_old": True}
    assert [entry.filter for entry in young.removals] == [
        "no price seen in the last 60 days (--exclude-old; undated ones as well)"
    ]


def test_the_limit_moves_the_marks() -> None:
    catalog = Small(("1", YOUNG))
    default, _ = planner(catalog).plan()
    assert Facts(default).older_than(60) == []
    assert quotes_needed(default) == []
    strict, _ = planner(catalog, max_age_days=59).plan()
    assert len(Facts(strict).older_than(59)) == 1
    (needed,) = quotes_needed(strict)
    assert [reason.value for reason in needed.reasons] == ["old"]


def test_without_a_plan_the_old_prices_are_named_as_a_way_out() -> None:
    asked = planner(Small(("1", OLD), ("2", None)), exclude_old=True)
    assert not asked.plan()[1].has_plan
    (way,) = relaxations(asked)
    assert way.direction == "age"
    assert "r-0" in way.change_en


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("providers", ("lamda",), "--provider: found 'lamda', expected a provider .* Did you mean lambda"),
        ("regions", ("us-eat-1",), "--region: found 'us-eat-1'.* Did you mean us-east-1"),
    ],
)
def test_names_on_the_command_line_must_exist(option: str, value: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        planner(load_catalog(), **{option: value})


@pytest.mark.parametrize(
    ("stock", "notes"),
    [
        (Availability.NONE, ("gcp/r-0/a2-ultragpu-1g: sold out when the provider was asked (undated)",)),
        (Availability.IN_STOCK, ()),
        (Availability.UNKNOWN, ()),
    ],
)
def test_a_price_is_no_capacity(stock: Availability, notes: tuple[str, ...]) -> None:
    catalog = Small(("1", YOUNG))
    machine = catalog.offers()[0].machine.model_copy(update={"observed": None})
    told = catalog.offers()[0].model_copy(update={"availability": stock, "machine": machine})
    catalog._small = (told,)
    plan, _ = planner(catalog).plan()
    assert plan.notes == notes
    assert all(in_chinese(note).endswith("无货（无日期）") for note in plan.notes)
