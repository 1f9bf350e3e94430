"""Savings plans in planning: when one pays, what it covers and costs, by hand and against brute force."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from functools import cache
from itertools import product
from math import ceil
from random import Random

import pytest

from optimizer.catalog import Catalog
from optimizer.domain.offer import Term
from optimizer.domain.plan import Plan
from optimizer.planning.calendar import month_start_days
from optimizer.reports.phrases import in_chinese
from tests.planning.commitment_cases import Prices, commitments, failures, planned, workload

D = Decimal
THREE_YEARS = Term.SAVINGS_PLAN_3Y


def total(plan: Plan) -> Decimal:
    assert plan.cost is not None
    assert plan.status == "optimal"
    return plan.cost.total


def billed(plan: Plan) -> int:
    """Hours a day that service by the hour bills for the plan's only configuration."""
    return ceil(plan.assignments[0].hours_per_day)


def test_36_months_of_steady_work_are_cheapest_under_a_three_year_plan() -> None:
    plan, _ = planned(workload("chat", 10e9))
    # By the hour: 1,096 days x 16 h x 4 USD = 70,144. Committed: 2 USD x 3 x 8,760 h = 52,560, a month 1,460.
    assert billed(plan) == 16
    assert total(plan) == D(52560)
    [line] = commitments(plan)
    assert (line.provider, line.term, line.unit_price, line.quantity) == ("azure", THREE_YEARS, D(2), D(26280))
    assert (line.start, line.end) == (date(2026, 12, 1), date(2029, 12, 1))
    assert plan.cost is not None
    assert plan.cost.by_term == {"savings_plan_3y": D(52560)}
    assert plan.cost.by_month == (D(1460),) * 36
    assert {(used.covered, used.hourly, used.from_units) for used in plan.usage} == {(1, 0, 0)}
    assert [part.term for part in plan.assignments[0].served_by] == [THREE_YEARS]


def test_six_months_of_the_same_work_are_cheapest_by_the_hour() -> None:
    plan, _ = planned(workload("chat", 10e9), months=6)
    # 182 days x 16 h x 4 USD; one year committed would be 3.2 x 8,760 = 28,032.
    assert total(plan) == D(182 * 16 * 4)
    assert commitments(plan) == []
    assert all("covered" not in used.model_dump() for used in plan.usage)


@pytest.mark.parametrize(("tokens", "hours", "cost"), [(10e9, 16, 23360), (15e9, 24, 28032)])
def test_a_year_is_committed_only_where_its_hours_are_used(tokens: float, hours: int, cost: int) -> None:
    # 365 days x 16 h x 4 USD = 23,360 and x 24 h = 35,040; committed: 3.2 USD x 8,760 h = 28,032.
    plan, _ = planned(workload("chat", tokens), months=12)
    assert billed(plan) == hours
    assert total(plan) == D(cost)


@cache
def two_shifts() -> tuple[Plan, Catalog]:
    """A day shift of 12 hours and a night shift of 12 hours, in two regions."""
    day = workload("day", 7e9, window='{from: "08:00", hours: 12}')
    night = workload("night", 7e9, window='{from: "20:00", hours: 12}', regions="[westus2]")
    return planned(day, night)


def test_two_workloads_in_two_regions_share_one_commitment() -> None:
    plan, _ = two_shifts()
    # Committed: the dearer rate, 2 USD x 26,280 h. Each alone by the hour: 1,096 x 11 h x 4 USD = 48,224.
    assert total(plan) == D(52560)
    [line] = commitments(plan)
    assert line.unit_price == D(2)
    assert line.workloads == ("day", "night")
    assert plan.cost is not None
    # By covered money, 2.0 to 1.9 for the same hours: 52,560 x 20/39 and x 19/39, the last micro to the first.
    assert plan.cost.by_team == {"day": D("26953.846154"), "night": D("25606.153846")}


def test_money_moves_from_one_machine_to_another_as_work_does() -> None:
    # Two nodes are held from the third year on: one commitment covers one of them in each year.
    first = workload("first", [15e9] * 24 + [1e9] * 12)
    second = workload("second", [1e9] * 24 + [15e9] * 12, regions="[westus2]")
    plan, _ = planned(first, second)
    # Beside 2 x 26,280 = 52,560 each pays 2 h by the hour where it is small: 365 and 731 days x 2 h x 4 USD.
    assert total(plan) == D(52560 + 365 * 2 * 4 + 731 * 2 * 4)
    assert [line.unit_price for line in commitments(plan)] == [D(2)]


def test_a_rate_between_steps_commits_the_next_thousandth() -> None:
    prices = {"eastus2": {Term.ON_DEMAND: "4", THREE_YEARS: "2.0003"}}
    plan, _ = planned(workload("chat", 10e9), prices=prices)
    assert commitments(plan)[0].unit_price == D("2.001")
    assert total(plan) == D("2.001") * 26280


def test_amounts_are_converted_step_by_step() -> None:
    plan, _ = planned(workload("chat", 10e9), more="currency: CNY\nfx: {USDCNY: 7.1}\n")
    # A step of a thousandth is 26.28 USD x 7.1 = 186.588 CNY, and there are 2,000.
    assert total(plan) == D("186.588") * 2000


def test_a_plan_that_outlives_the_horizon_counts_in_full_or_for_its_days() -> None:
    # 20 months are 609 days of the plan's 1,096: a step costs 26.28 x 609 / 1,096 = 14.602664, 2,000 of them.
    plan, _ = planned(workload("chat", 10e9), months=20, more="after_horizon: continue\n")
    assert total(plan) == D("14.602664") * 2000
    # Counted in full, 52,560 exceed service by the hour: 609 x 16 h x 4 USD = 38,976.
    plan, _ = planned(workload("chat", 10e9), months=20)
    assert total(plan) == D(38976)


def test_plans_of_other_providers_are_left_out_and_named() -> None:
    plan, _ = planned(workload("chat", 10e9), provider="aws")
    assert commitments(plan) == []
    assert plan.notes == ("aws: 4 savings-plan prices are not planned on; ask for a commitment's price",)
    assert "节省计划" in in_chinese(plan.notes[0])
    plan, _ = planned(workload("chat", 10e9))
    assert plan.notes == ()


def test_a_reservation_for_less_is_preferred() -> None:
    prices = {"eastus2": {Term.ON_DEMAND: "4", THREE_YEARS: "2", Term.RESERVED_3Y: "50000"}}
    plan, _ = planned(workload("chat", 10e9), prices=prices)
    assert total(plan) == D(50000)


@pytest.mark.parametrize(("limit", "status"), [(0, "infeasible"), (1, "optimal")])
def test_covered_machines_count_under_a_quota_of_hourly_ones(limit: int, status: str) -> None:
    quotas = f"quotas: [{{provider: azure, term: hourly, max_nodes: {limit}}}]\n"
    plan, _ = planned(workload("chat", 10e9), more=quotas)
    assert plan.status == status
    assert [used.peak for used in plan.quotas] == [1] * (status == "optimal")


def test_committed_money_counts_against_the_hourly_rate_and_its_payments_against_the_budget() -> None:
    # By the hour the rate is 4 USD; committed it is 2.
    plan, _ = planned(workload("chat", 10e9), more="max_hourly: 2\n")
    assert total(plan) == D(52560)
    plan, _ = planned(workload("chat", 10e9), more="monthly_budget: 1460\n")
    assert total(plan) == D(52560)
    # A month of 31 days by the hour is 1,984: a cent less a month is too little for both.
    plan, _ = planned(workload("chat", 10e9), more="monthly_budget: 1459.99\n")
    assert plan.status == "infeasible"


TAMPERED = {
    "less money": ({"unit_price": D("1.999")}, "commitment.money[azure,savings_plan_3y,USD]"),
    "half the cost": ({"cost": D(26280)}, "line.cost["),
    "another end": ({"end_day": 1095, "end": date(2029, 11, 30)}, "line.term_end["),
    "another provider": ({"provider": "aws"}, "line.term["),
    "one workload": ({"workloads": ("day",)}, "line.users["),
    "no steps": ({"unit_price": D("2.0005")}, "line.unit_price["),
    "a region": ({"region": "eastus2"}, "line.commitment["),
}


@pytest.mark.parametrize(("change", "caught"), TAMPERED.values(), ids=TAMPERED)
def test_verify_catches_a_tampered_commitment(change: dict[str, object], caught: str) -> None:
    plan, catalog = two_shifts()
    lines = tuple(p.model_copy(update=change) if p.kind == "commitment" else p for p in plan.purchases)
    failed = failures(plan.model_copy(update={"purchases": lines}), catalog)
    assert any(one.startswith(caught) for one in failed), failed


def test_verify_catches_a_missing_commitment_and_a_missing_rate() -> None:
    plan, catalog = two_shifts()
    lines = tuple(p for p in plan.purchases if p.kind != "commitment")
    failed = failures(plan.model_copy(update={"purchases": lines}), catalog)
    assert "commitment.money[azure,savings_plan_3y,USD]" in failed
    sold = tuple(
        offer.model_copy(update={"prices": tuple(p for p in offer.prices if p.term is Term.ON_DEMAND)})
        for offer in plan.offers
    )
    failed = failures(plan.model_copy(update={"offers": sold}), catalog)
    assert "commitment.rates[day@0]" in failed


# --- brute force over whole plans ---------------------------------------------------------------------------------

Bought = tuple[Term, int, Decimal]
"""Term, first month, money an hour."""


def oracle(plan: Plan, prices: Prices, months: int, *, continues: bool, most: int) -> Decimal:
    """The least cost over up to `most` commitments from any month, each month's nodes covered in the best way."""
    starts = month_start_days(date(2026, 12, 1), months + 40)
    works = sorted({a.workload for a in plan.assignments})
    place = {a.workload: a.region for a in plan.assignments}
    hours = {
        (a.workload, month): ceil(a.hours_per_day - 1e-7)
        for a in plan.assignments
        for month in range(months)
        if a.from_day <= starts[month] < a.to_day
    }
    terms = (Term.SAVINGS_PLAN_1Y, THREE_YEARS)
    choices: list[Bought] = []
    for term in terms:
        rates = [D(prices[place[work]][term]) for work in works]
        amounts = {*rates, sum(rates, D(0))}
        choices += [(term, start, amount) for start in range(months) for amount in sorted(amounts)]
    least = D(10**9)
    for bought in _up_to(choices, most):
        cost = sum((_price(one, starts, months, continues=continues) for one in bought), D(0))
        if cost < least:
            for month in range(months):
                cost += _month(bought, month, works, place, hours, prices) * (starts[month + 1] - starts[month])
            least = min(least, cost)
    return least


def _up_to(choices: list[Bought], most: int) -> Iterator[tuple[Bought, ...]]:
    yield ()
    yield from ((one,) for one in choices)
    if most == 2:
        yield from ((one, other) for one, other in product(choices, repeat=2) if one <= other)


def _price(bought: Bought, starts: tuple[int, ...], months: int, *, continues: bool) -> Decimal:
    term, first, amount = bought
    length = 12 if term is Term.SAVINGS_PLAN_1Y else 36
    whole = amount * 730 * length
    if not continues or first + length <= months:
        return whole
    return whole * (starts[months] - starts[first]) / (starts[first + length] - starts[first])


def _month(
    bought: tuple[Bought, ...],
    month: int,
    works: list[str],
    place: dict[str, str],
    hours: dict[tuple[str, int], int],
    prices: Prices,
) -> Decimal:
    """Least cost by the hour of a day of a month, over who is covered by what."""
    running = [one for one in bought if one[1] <= month < one[1] + (12 if one[0] is Term.SAVINGS_PLAN_1Y else 36)]
    best = None
    for ways in product(range(len(running) + 1), repeat=len(works)):
        fits = all(
            sum(D(prices[place[w]][one[0]]) for w, way in zip(works, ways, strict=True) if way == number + 1) <= one[2]
            for number, one in enumerate(running)
        )
        cost = sum(
            (
                D(prices[place[w]][Term.ON_DEMAND]) * hours[w, month]
                for w, way in zip(works, ways, strict=True)
                if not way
            ),
            D(0),
        )
        best = cost if fits and (best is None or cost < best) else best
    return best if best is not None else D(10**9)


#: Of these instances service by the hour alone is cheapest.
BY_THE_HOUR = (4, 5, 6)


@pytest.mark.parametrize("seed", range(12))
def test_the_plan_costs_what_enumeration_finds(seed: int) -> None:
    dice = Random(seed)
    months, continues = dice.randint(10, 15), seed % 2 == 1
    prices = {
        region: {
            Term.ON_DEMAND: "4",
            Term.SAVINGS_PLAN_1Y: f"{dice.randint(220, 340) / 100}",
            THREE_YEARS: f"{dice.randint(120, 220) / 100}",
        }
        for region in ("eastus2", "westus2")
    }
    works = [
        workload(name, [dice.choice((1e9, 6e9, 12e9, 15e9)) for _ in range(months)], regions=f"[{region}]")
        for name, region in (("a", "eastus2"), ("b", "westus2"))[: 1 if continues else 2]
    ]
    plan, _ = planned(*works, months=months, prices=prices, more="after_horizon: continue\n" if continues else "")
    expected = oracle(plan, prices, months, continues=continues, most=2)
    assert abs(total(plan) - expected) <= D("0.02")
    assert bool(commitments(plan)) == (seed not in BY_THE_HOUR)
