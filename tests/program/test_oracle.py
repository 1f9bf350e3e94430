"""The program agrees with brute force on random small problems, in cost, feasibility and the whole tie order."""

from collections import Counter

import pytest

from optimizer.program import solve
from optimizer.program.check import Choice, objective_of
from optimizer.program.problem import Limits, Problem, Solution
from tests.program.features import undiscounted, without
from tests.program.instances import FEATURES, random_problem
from tests.program.oracle import best_plan, tie_key

MUST_BIND = FEATURES[:12]
DEFAULT_SEEDS = range(204)
ALL_SEEDS = range(1_360)


def assert_agrees(problem: Problem, solution: Solution) -> None:
    """The solver's answer is brute force's: status, cost to the micro, and the place in the tie order."""
    best = best_plan(problem, with_ties=True)
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


@pytest.mark.parametrize("first", range(0, len(DEFAULT_SEEDS), 17))
def test_agrees_with_brute_force(first: int) -> None:
    for seed in DEFAULT_SEEDS[first : first + 17]:
        problem, _ = random_problem(seed)
        assert_agrees(problem, solve(problem, Limits(threads=1)))


@pytest.mark.slow
def test_agrees_with_brute_force_on_1360_problems_in_which_every_feature_binds() -> None:
    binding: Counter[str] = Counter()
    for seed in ALL_SEEDS:
        problem, features = random_problem(seed)
        solution = solve(problem, Limits(threads=1))
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
