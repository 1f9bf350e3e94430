"""A month of 0 tokens: nothing runs in it, and what runs before and after it is still one chain of moves."""

from decimal import Decimal
from functools import cache
from itertools import pairwise, product
from math import ceil

import pytest

from optimizer.app.plan import check
from optimizer.catalog import load_catalog
from optimizer.domain.offer import Offer
from optimizer.domain.plan import Plan
from optimizer.errors import InputError
from optimizer.planning.case import PlanOptions
from optimizer.planning.pipeline import Planner
from optimizer.planning.workload_file import parse_workload
from optimizer.reports.phrases import in_chinese
from optimizer.verify import verify_plan
from tests.planning.test_price_age import AS_OF, YOUNG, Small, a_price

#: Days of the months from 31 January 2027, clamped to each month's end: to 28 February, 31 March, 30 April, 31 May.
DAYS = (28, 31, 30, 31)
PRICES = {"a2-ultragpu-1g": "5.00", "a2-ultragpu-8g": "32.00"}
FEW, MANY = 1e8, 3e10  # an hour a day of one A100, and more than one of them can do


class TwoSizes(Small):
    """One A100 and eight of them in one place, at prices of this test."""

    def __init__(self) -> None:
        super().__init__()
        named = {offer.instance_type: offer for offer in load_catalog().offers() if offer.instance_type in PRICES}
        self._small: tuple[Offer, ...] = tuple(
            named[name].model_copy(update={"region": "r", "prices": (a_price(amount, YOUNG),)})
            for name, amount in PRICES.items()
        )


@cache
def two_sizes() -> TwoSizes:
    return TwoSizes()


def planned(tokens: list[float], max_moves: int, more: str = "") -> Plan:
    file = parse_workload(
        "start: 2027-01-31\nhorizon_months: 4\nprofile: off\nname: lm\nmodel: {preset: llama-2-7b}\nmethod: lora\n"
        f"sequence_length: 1024\nglobal_batch_tokens: 65536\negress_gb: 0\ncheckpoint_gb: 0\nmax_moves: {max_moves}\n"
        f"tokens_per_month: {tokens}\n{more}",
        "w.yaml",
    )
    plan, _ = Planner(file, two_sizes(), PlanOptions(as_of=AS_OF, extras=False), "w.yaml").plan()
    check(plan, two_sizes())  # the independent recount
    return plan


@cache
def speeds() -> dict[str, float]:
    """Tokens a second of the two sizes, as sizing predicts them (its own tests hold them to published runs)."""
    found = [planned([tokens] * 4, 0).assignments[0] for tokens in (FEW, MANY)]
    return {one.instance_type: one.tokens_per_second or 0.0 for one in found}


def least(tokens: list[float], max_moves: int, move_cost: int = 0) -> Decimal:
    """The cheapest way by trying every machine in every month with work: whole hours a day, at most 24."""
    speed, best = speeds(), Decimal("Infinity")
    months = [month for month, amount in enumerate(tokens) if amount]
    for way in product(PRICES, repeat=len(months)):
        moves = sum(before != after for before, after in pairwise(way))
        hours = [tokens[m] * 12 / 365 / 3600 / speed[name] for m, name in zip(months, way, strict=True)]
        if moves > max_moves or max(hours) > 24:
            continue
        costs = [
            DAYS[month] * ceil(used) * Decimal(PRICES[name])
            for month, used, name in zip(months, hours, way, strict=True)
        ]
        best = min(best, sum(costs, Decimal(moves * move_cost)))
    return best


@pytest.mark.parametrize("max_moves", [0, 1, 3])
@pytest.mark.parametrize(
    "tokens",
    [
        [FEW, 0, MANY, FEW],  # the gap between two sizes
        [FEW, 0, FEW, FEW],  # on one and the same machine
        [0, FEW, MANY, MANY],
        [MANY, FEW, FEW, 0],
        [FEW, 0, 0, MANY],
        [0, 0, MANY, 0],
    ],
)
def test_cheapest_over_months_with_gaps(tokens: list[float], max_moves: int) -> None:
    plan = planned(tokens, max_moves)
    assert plan.cost is not None
    assert plan.cost.total == least(tokens, max_moves)
    starts = [sum(DAYS[:month]) for month in range(5)]
    empty = {day for month in range(4) if not tokens[month] for day in range(starts[month], starts[month + 1])}
    assert not any(set(range(a.from_day, a.to_day)) & empty for a in plan.assignments)
    assert not any(set(range(row.from_day, row.to_day)) & empty for row in plan.usage)


def test_a_move_across_the_gap_costs_what_a_move_costs() -> None:
    plan = planned([FEW, 0, MANY, MANY], 1, "move_cost: 7\n")
    assert plan.cost is not None
    assert plan.cost.total == least([FEW, 0, MANY, MANY], 1, move_cost=7)
    assert [(line.start_day, line.cost) for line in plan.purchases if line.kind == "move"] == [(28 + 31, Decimal(7))]


@pytest.mark.parametrize(
    ("change", "failing"),
    [
        ({"to_day": 40}, "work.months_covered[lm]"),  # into the empty month
        ({"to_day": 20}, "work.months_covered[lm]"),
    ],
)
def test_the_recount_sees_days_in_an_empty_month(change: dict[str, int], failing: str) -> None:
    plan = planned([FEW, 0, MANY, MANY], 1)
    first, *rest = plan.assignments
    damaged = plan.model_copy(update={"assignments": (first.model_copy(update=change), *rest)})
    assert failing in {one.id for one in verify_plan(damaged) if not one.ok}


def test_the_recount_counts_moves_across_the_gap() -> None:
    plan = planned([FEW, 0, MANY, MANY], 1)
    inputs = {**plan.inputs, "workloads": [{**plan.inputs["workloads"][0], "max_moves": 0}]}
    assert "work.moves[lm]" in {one.id for one in verify_plan(plan.model_copy(update={"inputs": inputs})) if not one.ok}


def test_the_plan_says_what_it_leaves_out() -> None:
    (note,) = planned([FEW, 0, MANY, 0], 1).notes
    assert note == "lm: no tokens in month 2, 4: nothing runs and nothing is kept in storage there"
    assert in_chinese(note) == "lm：第 2, 4 月无 token：当月不运行，也不保留存储"


@pytest.mark.parametrize(
    ("tokens", "starts_day", "field", "words"),
    [
        ([0, 0, 0, 0], 0, "tokens_per_month", "tokens_per_month with tokens in one month at least"),
        ([1e8, 0, 0, 0], 28, "starts_day", "a day before 28"),
        (1e8, 120, "starts_day", "a day before 120"),
    ],
)
def test_no_month_with_work_is_an_error_of_the_file(tokens: object, starts_day: int, field: str, words: str) -> None:
    with pytest.raises(InputError) as raised:
        planned(tokens, 0, f"starts_day: {starts_day}\n")  # type: ignore[arg-type]
    (problem,) = raised.value.problems
    assert (problem.field, words in str(problem)) == (field, True)
