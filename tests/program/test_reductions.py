"""Every reduction keeps the optimum and the preferred plan; every bound stays below them. Brute force is the judge."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from optimizer.program import solve
from optimizer.program.board import Board
from optimizer.program.bounds import Market, by_rising_bound, first_plan, without_hopeless
from optimizer.program.build import build
from optimizer.program.check import Choice, violations
from optimizer.program.columns import UNIFORM, Holder, within_reach
from optimizer.program.fixing import reduction_of
from optimizer.program.pricing import bound_of
from optimizer.program.problem import Limits, Problem
from optimizer.program.reduce import reduce, tolerance, without_dominated_terms, without_idle_terms
from optimizer.program.solver import Watch
from tests.program.instances import CENTRES, random_problem
from tests.program.oracle import Best, best_plan

ROUND = len(CENTRES)
SEEDS = range(40 * ROUND, 43 * ROUND)


@cache
def judged(seed: int) -> Best:
    """Brute force on the problem of a seed, once."""
    return best_plan(random_problem(seed)[0], with_ties=True)


def hopeless_left_out(problem: Problem) -> Problem:
    """Placements whose bound exceeds the first plan, as `reduce` leaves them out."""
    market = Market.of(problem)
    by_task = by_rising_bound(market)
    found = first_plan(market, by_task)
    if found is None:
        return problem
    return without_hopeless(problem, by_task, found[1] + tolerance(found[1]))


def out_of_reach_left_out(problem: Problem) -> Problem:
    """Columns whose gain at day prices exceeds the best plan, as the engine leaves them out."""
    best = best_plan(problem).cost
    if best is None:
        return problem
    holder = Holder(problem, lambda: 60.0, 2, Watch())
    return within_reach(holder.hold(None, None), best + tolerance(best)).problem


def relaxed_out(problem: Problem) -> Problem:
    """Columns that the factors of the whole program's relaxation show to be too dear, as the engine leaves them out."""
    best = best_plan(problem).cost
    if best is None:
        return problem
    reduction = reduction_of(build(problem), 60.0, 2, Watch())
    assert reduction is not None
    assert reduction.bound <= best
    return reduction.within(problem, best + tolerance(best))


def merely_reduced(problem: Problem) -> Problem:
    """All steps that need no solver; a budget that was taken out is put back."""
    reduced = reduce(problem, Limits())
    return replace(reduced.problem, budget=reduced.budget or reduced.problem.budget)


STEPS: dict[str, Callable[[Problem], Problem]] = {
    "idle terms": without_idle_terms,
    "dominated terms": without_dominated_terms,
    "hopeless placements": hopeless_left_out,
    "columns out of reach": out_of_reach_left_out,
    "columns too dear in the relaxation": relaxed_out,
    "all without a solver": merely_reduced,
}


@pytest.mark.parametrize("name", STEPS)
def test_a_reduction_keeps_the_optimum_and_every_tie(name: str) -> None:
    dropped: Counter[str] = Counter()
    for seed in SEEDS:
        problem, _ = random_problem(seed)
        smaller = STEPS[name](problem)
        assert best_plan(smaller, with_ties=True) == judged(seed), seed
        dropped["placements"] += len(problem.placements) - len(smaller.placements)
        dropped["terms"] += len(problem.unit_terms) - len(smaller.unit_terms)
    assert sum(dropped.values()) >= 10, f"the step did next to nothing: {dropped}"


def test_bounds_stay_below_the_optimum_and_come_near() -> None:
    near = 0
    for seed in SEEDS:
        problem, _ = random_problem(seed)
        best = judged(seed).cost
        if best is None:
            continue
        held = Holder(problem, lambda: 60.0, 2, Watch()).hold(None, None)
        assert bound_of(Board.of(problem), UNIFORM).value <= best, seed
        assert held.bound.value <= best, seed
        near += held.bound.value >= 0.9 * best
    assert near >= len(SEEDS) // 2


def test_a_known_plan_is_used_only_where_it_is_valid() -> None:
    used = 0
    for seed in SEEDS[:ROUND]:
        problem, _ = random_problem(seed)
        solution = solve(problem, Limits(tie_seconds=0.0))
        if solution.cost is None:
            continue
        known = Choice(solution.placements, solution.units, solution.spend, solution.services)
        reduced = reduce(problem, Limits(), known)
        assert reduced.cost == solution.cost
        assert solve(problem, known=known).placements == solve(problem).placements
        nobody = replace(known, services=())
        assert solve(problem, known=nobody).cost == solution.cost
        used += 1
    assert used >= ROUND // 2


def test_terms_of_a_known_plan_stay() -> None:
    stayed = 0
    for seed in SEEDS:
        problem, _ = random_problem(seed)
        for term in problem.unit_terms:
            kept = without_dominated_terms(problem, Choice((), ((term.id, 1),), (), ()))
            assert term in kept.unit_terms
            stayed += term not in without_dominated_terms(problem).unit_terms
    assert stayed >= 5


def test_the_first_plan_is_valid_and_not_cheaper_than_the_optimum() -> None:
    found = 0
    for seed in SEEDS:
        problem, _ = random_problem(seed)
        market = Market.of(problem)
        plan = first_plan(market, by_rising_bound(market))
        if plan is None:
            continue
        best = judged(seed).cost
        assert best is not None
        assert plan[1] >= best
        assert violations(problem, plan[0]) == []
        found += 1
    assert found >= len(SEEDS) // 3
