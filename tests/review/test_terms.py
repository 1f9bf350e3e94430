"""Hours that belonged on another term or offer: levels, best mixes and the program against plain enumeration."""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from optimizer.domain.offer import Offer, PriceUnit, Term
from optimizer.review.finding import CENT
from optimizer.review.levels import LevelBook, levels_between
from optimizer.review.machines import BilledMachine
from optimizer.review.offers import PriceBook
from optimizer.review.resolve import Choice, resolve
from optimizer.review.terms import best_mix
from tests.review.bills import P4D, bill_of, found, hours_of, machine, offer, priced, review_of

Writer = Callable[..., Path]

MACHINE = BilledMachine("aws", "p4d.24xlarge", "A100-SXM4-40GB", Decimal(8))
START = datetime(2026, 11, 1)  # noqa: DTZ001 - the bill's own clock


def _levels(*runs: tuple[int, str, int], length: int = 1, has_id: bool = True) -> list[Decimal]:
    """Levels of (hour of the first day, hours used, resources)."""
    book = LevelBook()
    for hour, used, count in runs:
        start = START + timedelta(hours=hour)
        period = (start, start + timedelta(hours=length))
        book.add(MACHINE, ("us-east-1", "USD"), period, [(Decimal(used), count, has_id)])
    return levels_between(book.levels())


def test_levels_by_hand() -> None:
    """Hour 0: two machines whole, one half; hour 1: one whole. The first ran 2 h, the second 1, the third 0.5."""
    assert _levels((0, "1", 2), (0, "0.5", 1), (1, "1", 1)) == [2, 1, Decimal("0.5")]


def test_a_daily_line_of_sixty_hours_is_two_and_a_half_machines() -> None:
    """60 hours in a day without a resource id: two machines for 24 hours and one for 12."""
    assert _levels((0, "60", 1), length=24, has_id=False) == [24, 24, 12]


def test_levels_of_months_add_up_level_by_level() -> None:
    """October: 10 and 4 hours; November: 6 hours on one machine. The first machine ran 16 hours, the second 4."""
    book = LevelBook()
    for month, used in ((10, "10"), (10, "4"), (11, "6")):
        start = datetime(2026, month, 5)  # noqa: DTZ001
        book.add(MACHINE, ("r", "USD"), (start, start + timedelta(hours=10)), [(Decimal(used), 1, True)])
    assert levels_between(book.levels()) == [16, 4]
    assert levels_between(book.levels(), [date(2026, 10, 1)]) == [10, 4]


runs = st.lists(
    st.tuples(st.integers(0, 5), st.integers(1, 4).map(lambda quarter: Decimal(quarter) / 4)), min_size=1, max_size=12
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(runs=runs, hourly=st.integers(1, 9), rent=st.integers(1, 30))
def test_the_best_mix_is_the_best_of_all_mixes(runs: list[tuple[int, Decimal]], hourly: int, rent: int) -> None:
    """Every number of rented machines is tried; in each hour the rented ones serve the longest runs."""
    level_hours = _levels(*((hour, str(used), 1) for hour, used in runs))
    mix = best_mix(level_hours, Decimal(hourly), Decimal(rent))
    by_hour = {hour: sorted((used for at, used in runs if at == hour), reverse=True) for hour, _ in runs}
    costs = [
        units * rent + sum(sum(left[units:], Decimal(0)) for left in by_hour.values()) * hourly
        for units in range(len(runs) + 1)
    ]
    assert mix.after == min(costs)
    assert mix.before == costs[0]
    assert costs[mix.units] == mix.after


def _choices(*prices: tuple[int | None, int | None]) -> list[Choice]:
    offered = []
    for number, (by_hour, by_month) in enumerate(prices):
        rows = [priced(Term.ON_DEMAND, str(by_hour))] if by_hour else []
        rows += [priced(Term.MONTH, str(by_month), PriceUnit.MONTH)] if by_month else []
        item = offer(machine(f"p{number}", f"box-{number}"), "r", *rows)
        book = PriceBook([item])
        offered.append(Choice(item, book.quoted(item, Term.ON_DEMAND, "USD"), book.quoted(item, Term.MONTH, "USD")))
    return offered


@settings(max_examples=8, deadline=None)
@given(
    used=st.lists(st.integers(1, 12), min_size=1, max_size=4),
    prices=st.lists(st.tuples(st.none() | st.integers(1, 5), st.none() | st.integers(5, 30)), min_size=1, max_size=3),
)
def test_the_program_finds_the_enumerated_optimum(used: list[int], prices: list[tuple[int | None, int | None]]) -> None:
    """Each machine takes one offer and one term: all combinations are enumerated."""
    ways = [lambda hours, p=by_hour: hours * p for by_hour, _ in prices if by_hour]
    ways += [lambda hours, p=by_month: p for _, by_month in prices if by_month]
    best = resolve([Decimal(hours) for hours in used], _choices(*prices), 8)
    if not ways:
        assert best is None
        return
    costs = (
        sum(way(hours) for way, hours in zip(chosen, used, strict=True)) for chosen in product(ways, repeat=len(used))
    )
    assert best is not None
    assert best.cost == min(costs)
    assert best.bound <= best.cost < best.bound + CENT  # bounds are rounded down, by less than anyone is told


def _month_of_use(days_of_second: int) -> list[dict[str, str]]:
    """November: one machine all day long every day, a second one for some days."""
    rows = [line for day in range(1, 31) for line in hours_of("i-1", day, 0, 24)]
    for line in rows:
        if line["ChargePeriodEnd"] == "2026-11-31T00:00:00Z":
            line["ChargePeriodEnd"] = "2026-12-01T00:00:00Z"
    return rows + [line for day in range(1, days_of_second + 1) for line in hours_of("i-2", day, 0, 24)]


def _offers(*others: Offer) -> tuple[Offer, ...]:
    own = offer(
        P4D,
        "us-east-1",
        priced(Term.ON_DEMAND, "32.7726"),
        priced(Term.MONTH, "14000", PriceUnit.MONTH),
        priced(Term.RESERVED_1Y, "19.22"),
    )
    return (own, *others)


def test_a_month_of_use_belongs_on_a_month(focus: Writer) -> None:
    """By hand: 720 h x 32.7726 = 23,596.272 against 14,000; 240 h x 32.7726 = 7,865.424 stay by the hour."""
    review = review_of(bill_of(focus(_month_of_use(10)), offers=_offers()), _offers())
    (finding,) = found(review, "by-the-month")
    assert finding.saving == Decimal("9596.272")
    assert "1 of 2 p4d.24xlarge" in finding.text.en
    # 14,000 / 32.7726 = 427.19 hours.
    assert "427.19 hours" in finding.text.en
    # Before 960 h x 32.7726 = 31,461.696; after 14,000 + 7,865.424 = 21,865.424.
    assert "31,461.70 USD" in finding.proof.en
    assert "bound 21,865.42 USD" in finding.proof.en


def test_a_long_term_is_said_under_its_condition(focus: Writer) -> None:
    """19.22 an hour for a year is 19.22 x 8,760 / 12 = 14,030.60 a month, and for 30 of 365 days 13,838.40."""
    review = review_of(bill_of(focus(_month_of_use(0)), offers=_offers()), _offers())
    (finding,) = found(review, "by-long-term")
    assert finding.text.en.startswith("If the months to come are like this one")
    assert finding.saving == Decimal("23596.272") - Decimal("13838.4")


def test_the_mix_goes_over_all_equal_offers(focus: Writer) -> None:
    """Another provider sells the same machine at 20 an hour and 12,500 a month: 12,500 + 240 x 20 = 17,300."""
    other = offer(
        machine("other", "a100x8"), "us-1", priced(Term.ON_DEMAND, "20"), priced(Term.MONTH, "12500", PriceUnit.MONTH)
    )
    offers = _offers(other)
    (finding,) = found(review_of(bill_of(focus(_month_of_use(10)), offers=offers), offers), "better-mix")
    assert finding.saving == Decimal("31461.696") - 17300
    assert "1 x other/us-1/a100x8 by the month at 12,500.00 USD" in finding.text.en
    assert "240 h of other/us-1/a100x8 by the hour at 20.0000 USD" in finding.text.en
    assert "bound 17,300.00 USD, gap 0.00 USD" in finding.proof.en


@pytest.mark.parametrize(
    "worse",
    [
        {"vcpus": 32.0},
        {"ram_gib": 512.0},
        {"vcpus": None},
        {"ram_gib": None},
    ],
)
def test_a_weaker_or_unknown_host_is_no_equal(focus: Writer, worse: dict[str, float | None]) -> None:
    other = offer(machine("other", "a100x8", **worse), "us-1", priced(Term.ON_DEMAND, "1"))
    offers = _offers(other)
    review = review_of(bill_of(focus(hours_of("i-1", 2, 0, 3)), offers=offers), offers)
    assert found(review, "cheaper-offer") == []


def test_another_gpu_memory_or_count_is_no_equal(focus: Writer) -> None:
    offers = _offers(
        offer(machine("other", "a100-80", "A100-SXM4-80GB"), "us-1", priced(Term.ON_DEMAND, "1")),
        offer(machine("other", "a100x4", count=4), "us-1", priced(Term.ON_DEMAND, "1")),
    )
    review = review_of(bill_of(focus(hours_of("i-1", 2, 0, 3)), offers=offers), offers)
    assert found(review, "cheaper-offer") == []


def test_another_country_is_shown_but_not_counted(focus: Writer) -> None:
    far = offer(machine("other", "a100x8"), "cn-1", priced(Term.ON_DEMAND, "5"), country="CN")
    near = offer(machine("near", "a100x8"), "us-2", priced(Term.ON_DEMAND, "30"))
    offers = _offers(far, near)
    review = review_of(bill_of(focus(hours_of("i-1", 2, 0, 10)), offers=offers), offers)
    (finding,) = found(review, "cheaper-offer")
    # (32.7726 - 30) x 10 hours.
    assert finding.saving == Decimal("27.726")
    assert any("other/cn-1/a100x8" in line.en for line in finding.details)


def test_a_price_without_a_row_is_no_price(focus: Writer) -> None:
    """skypilot issue 4657: sold as a block only; no on-demand price is not a price of 0."""
    unsold = offer(machine("other", "a100x8"), "us-1", priced(Term.CAPACITY_BLOCK, "1"))
    offers = _offers(unsold)
    review = review_of(bill_of(focus(hours_of("i-1", 2, 0, 3)), offers=offers), offers)
    assert found(review, "cheaper-offer") == []
