"""Savings plans in the program against brute force: every placement, unit, split and amount of committed money."""

from collections.abc import Iterator
from itertools import product
from random import Random

import pytest

from optimizer.program import engine, solve
from optimizer.program.board import Board
from optimizer.program.bounds import Market, by_rising_bound, least_of_all
from optimizer.program.build import build
from optimizer.program.columns import UNIFORM
from optimizer.program.extract import choice_of
from optimizer.program.pricing import bound_of, filled, relax
from optimizer.program.problem import Limits, Placement, Pool, Problem, SpendTerm, Task, UnitTerm
from optimizer.program.solver import Watch, solve_lp

DAYS = 3
STEP = 1_000
SEEDS = 36
#: Hours that tell windows of (0, 8) and (6, 12) apart: one, both, the other, none.
HOURS = (0, 6, 12, 20)
#: The most money an hour of each plan that some hour needs, and the cost by the hour that goes with it.
Costs = dict[tuple[int, ...], int]


def random_problem(seed: int) -> Problem:
    """Two pools, two or three tasks of few days, a rent or two, and one or two plans over some days and pools."""
    dice = Random(seed)
    tasks = tuple(Task(number, work=number) for number in range(dice.choice((2, 2, 3))))
    placements: list[Placement] = []
    for task in tasks:
        for option in range(dice.choice((1, 2))):
            days, pool = dice.randint(1, DAYS), dice.randint(0, 1)
            hours = dice.choice((None, None, (0, 8), (6, 12)))
            price = dice.randint(2_000_000, 9_000_000) * (hours[1] if hours else 24) // 24
            for start in sorted({0, DAYS - days}):
                placements.append(
                    Placement(
                        id=len(placements),
                        task=task.id,
                        option=option,
                        pool=pool,
                        nodes=dice.choice((1, 1, 2)),
                        gpus_per_node=1,
                        start=start,
                        end=start + days,
                        hours=hours,
                        hourly_cost=(price, dice.choice((price, price // 2))),
                        objective=(fixed := dice.randint(0, 500_000)),
                        cost=fixed,
                        cash=((0, fixed),),
                        lexical=len(placements),
                    )
                )
    rents = tuple(
        UnitTerm(number, dice.randint(0, 1), start, start, end, price, price, ((0, price),), lexical=number)
        for number in range(dice.choice((0, 1, 2)))
        for start, end in [sorted(dice.sample(range(DAYS + 1), 2))]
        for price in [dice.randint(1_000_000, 6_000_000) * (end - start)]
    )
    return Problem(
        horizon=DAYS,
        month_starts=(0, DAYS),
        pools=(Pool(0, 1, 0), Pool(1, 1, 0)),
        tasks=tasks,
        placements=tuple(placements),
        unit_terms=rents,
        spend_terms=tuple(_plan(dice, number) for number in range(dice.choice((1, 1, 2)))),
    )


def _plan(dice: Random, number: int) -> SpendTerm:
    """A plan over at least two days; its rates are not whole numbers of steps."""
    start = dice.randint(0, 1)
    end = dice.randint(start + 2, DAYS + 1)
    price = STEP * 24 * (end - start)
    rates = tuple((pool, dice.randint(50_000, 330_000)) for pool in dice.choice(((0,), (1,), (0, 1), (0, 1))))
    return SpendTerm(number, start, end, STEP, rates, price, price, ((0, price),), lexical=number)


def brute_force(problem: Problem) -> int:
    """The least cost over everything, from the definition alone."""
    by_task = [[p for p in problem.placements if p.task == task.id] for task in problem.tasks]
    most = sum(max(p.nodes for p in mine) for mine in by_task)
    return min(
        _cost(problem, chosen, counts)
        for chosen in product(*by_task)
        for counts in product(range(most + 1), repeat=len(problem.unit_terms))
    )


def _cost(problem: Problem, chosen: tuple[Placement, ...], counts: tuple[int, ...]) -> int:
    known: Costs = {(0,) * len(problem.spend_terms): 0}
    for day in range(DAYS):
        splits = list(_splits(problem, chosen, counts, day))
        joined: Costs = {}
        for (money, cost), (needs, more) in product(known.items(), splits):
            key = tuple(map(max, money, needs))
            joined[key] = min(joined.get(key, 10**18), cost + more)
        known = joined
    plans = problem.spend_terms
    spent = [
        cost + sum(-(-need // STEP) * plan.objective for need, plan in zip(money, plans, strict=True))
        for money, cost in known.items()
    ]
    units = sum(term.objective * count for term, count in zip(problem.unit_terms, counts, strict=True))
    return min(spent, default=10**18) + units + sum(p.objective for p in chosen)


def _splits(
    problem: Problem, chosen: tuple[Placement, ...], counts: tuple[int, ...], day: int
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Every way to serve one day: money an hour that each plan must have, and the cost by the hour."""
    running = [p for p in chosen if p.start <= day < p.end]
    ways = len(problem.spend_terms) + 2  # a node is on a unit, by the hour, or under a plan
    for served in product(*(range(ways) for p in running for _ in range(p.nodes))):
        nodes = list(zip((p for p in running for _ in range(p.nodes)), served, strict=True))
        if all(_units_suffice(problem, nodes, counts, day, hour) for hour in HOURS):
            needs = [_need(plan, nodes, day, number + 2) for number, plan in enumerate(problem.spend_terms)]
            if None not in needs:
                by_hour = sum((p.hourly_cost or (0, 0))[day == p.end - 1] for p, way in nodes if way == 1)
                yield tuple(need or 0 for need in needs), by_hour


def _units_suffice(
    problem: Problem, nodes: list[tuple[Placement, int]], counts: tuple[int, ...], day: int, hour: int
) -> bool:
    for pool in problem.pools:
        there = sum(
            count
            for term, count in zip(problem.unit_terms, counts, strict=True)
            if term.pool == pool.id and term.usable_from <= day < term.end
        )
        if sum(1 for p, way in nodes if way == 0 and p.pool == pool.id and _busy(p, hour)) > there:
            return False
    return True


def _need(plan: SpendTerm, nodes: list[tuple[Placement, int]], day: int, way: int) -> int | None:
    """Money an hour that covered nodes take at the busiest hour; None where the plan cannot cover one of them."""
    mine = [p for p, chosen in nodes if chosen == way]
    rates = dict(plan.rates)
    if mine and (not plan.start <= day < plan.end or any(p.pool not in rates for p in mine)):
        return None
    return max(sum(rates[p.pool] for p in mine if _busy(p, hour)) for hour in HOURS)


def _busy(placement: Placement, hour: int) -> bool:
    return placement.hours is None or (hour - placement.hours[0]) % 24 < placement.hours[1]


def is_the_same(cost: int | None, least: int) -> bool:
    """Whether a cost is the least one, as near as a plan is proven (0.01)."""
    return cost is not None and 0 <= cost - least <= 10_000


@pytest.mark.parametrize("seed", range(SEEDS))
def test_the_least_cost_is_that_of_brute_force_and_no_bound_exceeds_it(seed: int) -> None:
    problem = random_problem(seed)
    least = brute_force(problem)
    solution = solve(problem, Limits(seconds=30.0, tie_seconds=1.0))
    assert solution.status == "optimal"
    assert is_the_same(solution.cost, least)
    assert least_of_all(by_rising_bound(Market.of(problem))) <= least
    board = Board.of(problem)
    relaxed = relax(problem, None, 30.0, 1, Watch())
    assert relaxed is not None
    for prices in (UNIFORM, relaxed, filled(board, relaxed)):
        assert bound_of(board, prices).value <= least


@pytest.mark.parametrize("seed", range(0, SEEDS, 4))
def test_choosing_columns_first_finds_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = random_problem(seed)
    monkeypatch.setattr(engine, "FEW_RECORDS", 0)
    assert is_the_same(solve(problem, Limits(seconds=30.0, tie_seconds=0.0)).cost, brute_force(problem))


def test_plans_are_used_in_these_problems() -> None:
    used = [bool(solve(random_problem(seed), Limits(tie_seconds=0.0)).spend) for seed in range(SEEDS)]
    assert used.count(True) > SEEDS // 5
    assert used.count(False) > SEEDS // 5


def test_a_rate_just_above_a_step_takes_the_next_one() -> None:
    # 247.001 steps of money: 248 are needed; a step costs 24,000 a day, the node by the hour 7,000,000.
    placement = Placement(0, 0, 0, 0, 1, 1, 0, 1, None, (7_000_000, 7_000_000))
    plan = SpendTerm(0, 0, 1, STEP, ((0, 247_001),), 24_000, 24_000, ((0, 24_000),))
    problem = Problem(1, (0, 1), (Pool(0, 1, 0),), (Task(0, 0),), (placement,), spend_terms=(plan,))
    solution = solve(problem)
    assert solution.cost == 248 * 24_000
    assert solution.spend == ((0, 248),)


def test_steps_are_counted_anew_from_what_is_covered() -> None:
    placement = Placement(0, 0, 0, 0, 1, 1, 0, 1, None, (7_000_000, 7_000_000))
    plan = SpendTerm(0, 0, 1, STEP, ((0, 247_001),), 24_000, 24_000, ((0, 24_000),))
    problem = Problem(1, (0, 1), (Pool(0, 1, 0),), (Task(0, 0),), (placement,), spend_terms=(plan,))
    model = build(problem)
    assert solve_lp(model.lp, 10.0, 1, Watch()).status == "optimal"
    model.spend[0].varValue = 300
    assert choice_of(model).spend == ((0, 248),)
