"""The program agrees with brute force on random small problems: cost, feasibility and the whole tie order."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from optimizer.program import engine, solve
from optimizer.program.check import Choice, objective_of
from optimizer.program.problem import Limits, Objective, Problem, Solution
from tests.program.features import undiscounted, without
from tests.program.instances import CENTRES, FEATURES, UNIT, random_problem
from tests.program.oracle import best_plan, tie_key

MUST_BIND = FEATURES[:12]
ROUND = len(CENTRES)
ALL_ROUNDS = 72


def assert_agrees(problem: Problem, solution: Solution, objective: Objective = "cost") -> None:
    """The solver's answer is brute force's: status, cost to the micro, and the place in the tie order."""
    best = best_plan(problem, with_ties=True, objective=objective)
    if best.cost is None:
        assert solution.status == "infeasible"
        return
    assert (solution.status, solution.cost) == ("optimal", best.cost)
    assert solution.ties_settled == "all"
    assert solution.bound is not None
    assert 0 <= best.cost - solution.bound <= 10_000 + best.cost // 1_000_000
    placements = {placement.id: placement for placement in problem.placements}
    terms = {term.id: term for term in problem.unit_terms}
    chosen = tuple(placements[key] for key in solution.placements)
    assert tie_key(problem, chosen, tuple((terms[key], count) for key, count in solution.units)) == best.ties


@pytest.mark.parametrize("cycle", range(10))
def test_agrees_with_brute_force(cycle: int) -> None:
    for seed in range(cycle * ROUND, (cycle + 1) * ROUND):
        problem, _ = random_problem(seed)
        assert_agrees(problem, solve(problem))


@pytest.mark.parametrize("cycle", range(11, 14))
def test_agrees_with_brute_force_when_columns_come_in_by_price(cycle: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "FEW_RECORDS", 0)
    for seed in range(cycle * ROUND, (cycle + 1) * ROUND):
        problem, _ = random_problem(seed)
        assert_agrees(problem, solve(problem))


@pytest.mark.parametrize("cycle", range(20, 22))
def test_earliest_finish_agrees_with_brute_force(cycle: int) -> None:
    for seed in range(cycle * ROUND, (cycle + 1) * ROUND):
        problem, _ = random_problem(seed)
        assert_agrees(problem, solve(problem, Limits(objective="time")), "time")


@pytest.mark.parametrize("cycle", range(30, 32))
def test_most_work_by_priority_agrees_with_brute_force(cycle: int) -> None:
    left_out = 0
    for seed in range(cycle * ROUND, (cycle + 1) * ROUND):
        dice = random.Random(seed)
        problem = with_priorities(random_problem(seed)[0], dice)
        solution = solve(problem, Limits(objective="priority"))
        assert_agrees(problem, solution, "priority")
        left_out += len(solution.placements) < len(problem.tasks)
    assert left_out > 0


@pytest.mark.parametrize("few_records", [0, engine.FEW_RECORDS])
def test_terms_asked_for_agree_with_brute_force(few_records: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "FEW_RECORDS", few_records)
    dearer = never = 0
    for seed in range(40 * ROUND, 42 * ROUND):
        problem = random_problem(seed)[0]
        terms = sorted(term.id for term in problem.unit_terms)
        asked = replace(problem, asked_terms=frozenset(random.Random(seed).sample(terms, min(len(terms), 2))))
        solution = solve(asked)
        assert_agrees(asked, solution)
        free = best_plan(problem).cost
        dearer += free is not None and solution.cost is not None and solution.cost > free
        never += solution.cost is None
    assert dearer > 0
    assert never > 0


def with_priorities(problem: Problem, dice: random.Random) -> Problem:
    """The problem with optional work of two priorities and a budget that may not do for all of it."""
    priority = {work: dice.randint(1, 2) for work in sorted({task.work for task in problem.tasks})}
    return replace(
        problem,
        optional_tasks=True,
        tasks=tuple(replace(task, priority=priority[task.work]) for task in problem.tasks),
        budget=dice.choice((problem.budget, dice.randint(3, 30) * UNIT)),
    )


@pytest.mark.slow
def test_agrees_with_brute_force_on_1512_problems_in_which_every_feature_binds() -> None:
    binding: Counter[str] = Counter()
    for seed in range(ALL_ROUNDS * ROUND):
        problem, features = random_problem(seed)
        solution = solve(problem)
        assert_agrees(problem, solution)
        binding.update(feature for feature in features if binds(problem, solution, feature))
    print("problems in which each feature binds:", dict(sorted(binding.items())))
    assert {feature: binding[feature] for feature in MUST_BIND if binding[feature] < 50} == {}


def binds(problem: Problem, solution: Solution, feature: str) -> bool:
    """Whether taking the feature out changes the optimum; discounting binds when it changes the choice of plan."""
    if feature != "discount":
        return best_plan(without(problem, feature)).cost != solution.cost
    if solution.cost is None:
        return False
    face = undiscounted(problem)
    choice = Choice(solution.placements, solution.units, solution.spend, solution.services)
    return objective_of(face, choice) != best_plan(face).cost
