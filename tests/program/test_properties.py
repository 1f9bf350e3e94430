"""With a fixed horizon: more money, one more offer, one more start, a later deadline never cost more; a harder rule
never costs less.
"""

import random
from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from optimizer.program import solve
from optimizer.program.check import Choice, objective_of, violations
from optimizer.program.problem import Placement, Pool, Problem, UnitTerm
from tests.program.instances import UNIT, random_problem

SEEDS = st.integers(min_value=100_000, max_value=1_000_000)
QUICK = settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


def best(problem: Problem) -> float:
    """The least cost in micros, infinite without a plan; the plan is checked on the way."""
    solution = solve(problem)
    if solution.cost is None:
        assert solution.status == "infeasible"
        return float("inf")
    assert solution.status == "optimal"
    choice = Choice(solution.placements, solution.units, solution.spend, solution.services)
    assert violations(problem, choice) == []
    assert objective_of(problem, choice) == solution.cost
    return solution.cost


@QUICK
@given(seed=SEEDS, budget=st.integers(5, 40), more=st.integers(1, 20))
def test_a_larger_budget_never_costs_more(seed: int, budget: int, more: int) -> None:
    problem = random_problem(seed)[0]
    small, large = (replace(problem, budget=money * UNIT) for money in (budget, budget + more))
    assert best(large) <= best(small)


@QUICK
@given(seed=SEEDS, budget=st.integers(5, 30), more=st.integers(1, 20))
def test_a_larger_monthly_budget_never_costs_more(seed: int, budget: int, more: int) -> None:
    problem = random_problem(seed)[0]
    small, large = (replace(problem, monthly_budget=money * UNIT) for money in (budget, budget + more))
    assert best(large) <= best(small)


@QUICK
@given(seed=SEEDS)
def test_one_more_offer_never_costs_more(seed: int) -> None:
    problem = random_problem(seed)[0]
    assert best(with_an_offer(problem, random.Random(seed))) <= best(problem)


def with_an_offer(problem: Problem, dice: random.Random) -> Problem:
    """The problem with one more pool, on which every task may run, and one term of it."""
    pool = Pool(99, gpus=4, provider=9, generation=2024)
    price = dice.randint(2, 9) * UNIT
    days = {task.id: next(p for p in problem.placements if p.task == task.id) for task in problem.tasks}
    placements = tuple(
        Placement(
            id=1_000 + number,
            task=task,
            option=99,
            pool=99,
            nodes=1,
            gpus_per_node=4,
            start=like.start,
            end=like.end,
            hours=None,
            hourly_cost=(price, price),
            finish=like.end,
        )
        for number, (task, like) in enumerate(days.items())
    )
    start = dice.randrange(problem.horizon)
    rent = dice.randint(3, 12) * UNIT
    term = UnitTerm(99, 99, start, start, start + 3, rent, rent, ((problem.month_of(start), rent),))
    return replace(
        problem,
        pools=(*problem.pools, pool),
        placements=(*problem.placements, *placements),
        unit_terms=(*problem.unit_terms, term),
    )


@QUICK
@given(seed=SEEDS)
def test_one_more_start_never_costs_more(seed: int) -> None:
    problem = random_problem(seed)[0]
    assert best(with_later_starts(problem)) <= best(problem)


def with_later_starts(problem: Problem) -> Problem:
    """The problem in which every job may also start one day later, where the horizon allows."""
    steady = {task.id for task in problem.tasks if task.chain is not None}
    later = tuple(
        replace(p, id=p.id + 1_000, start=p.start + 1, end=p.end + 1, finish=p.finish + 1)
        for p in problem.placements
        if p.task not in steady and p.end < problem.horizon
    )
    return replace(problem, placements=(*problem.placements, *later))


@QUICK
@given(seed=SEEDS, last=st.integers(2, 5))
def test_a_later_deadline_never_costs_more(seed: int, last: int) -> None:
    problem = random_problem(seed)[0]
    assert best(finishing_by(problem, last + 1)) <= best(finishing_by(problem, last))


def finishing_by(problem: Problem, day: int) -> Problem:
    """The problem in which every job must be done by a day."""
    steady = {task.id for task in problem.tasks if task.chain is not None}
    return replace(problem, placements=tuple(p for p in problem.placements if p.task in steady or p.finish <= day))


@QUICK
@given(seed=SEEDS, share=st.floats(0.1, 0.9))
def test_a_harder_rule_never_costs_less(seed: int, share: float) -> None:
    # A rule takes configurations away: an option of a task with all its starts.
    problem = random_problem(seed)[0]
    dice = random.Random(seed)
    fails = {key for key in sorted({(p.task, p.option) for p in problem.placements}) if dice.random() < share}
    harder = tuple(p for p in problem.placements if (p.task, p.option) not in fails)
    assert best(replace(problem, placements=harder)) >= best(problem)


@QUICK
@given(seed=SEEDS)
def test_the_same_problem_has_the_same_plan(seed: int) -> None:
    problem = random_problem(seed)[0]
    first, second = solve(problem), solve(problem)
    assert replace(first, seconds=0.0) == replace(second, seconds=0.0)
