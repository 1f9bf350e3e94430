"""The program of several futures against brute force over every commitment and every future's own best choice."""

import random
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import pytest

from optimizer.explain.scenarios import extensive
from optimizer.program import solve
from optimizer.program.problem import Limits, Placement, Pool, Problem, Task, UnitTerm

DAYS = 4
UNIT = 1_000_000
CASES = 60


@dataclass(frozen=True)
class Futures:
    """A problem that holds every future's work, which future each task belongs to, and the weights."""

    problem: Problem
    of_task: tuple[int, ...]
    weights: tuple[Fraction, ...]


def random_futures(seed: int) -> Futures:
    """Two or three futures of one or two jobs on two pools with a few rents; prices are whole currency units."""
    dice = random.Random(seed)
    count = dice.randint(2, 3)
    tenths = [dice.randint(1, 4) for _ in range(count - 1)]
    weights = tuple(Fraction(part, 10) for part in (*tenths, 10 - sum(tenths)))
    tasks: list[Task] = []
    of_task: list[int] = []
    placements: list[Placement] = []
    for scenario in range(count):
        for _ in range(dice.randint(1, 2)):
            tasks.append(Task(len(tasks), len(tasks)))
            of_task.append(scenario)
            for option in range(dice.randint(1, 2)):
                placements.append(random_placement(dice, len(placements), tasks[-1].id, option))
    terms = tuple(random_term(dice, number) for number in range(dice.randint(2, 4)))
    problem = Problem(
        horizon=DAYS,
        month_starts=(0, 2, DAYS),
        pools=(Pool(0, 4, 0), Pool(1, 4, 1)),
        tasks=tuple(tasks),
        placements=tuple(placements),
        unit_terms=terms,
    )
    return Futures(problem, tuple(of_task), weights)


def random_placement(dice: random.Random, number: int, task: int, option: int) -> Placement:
    start = dice.randint(0, DAYS - 1)
    end = dice.randint(start + 1, DAYS)
    hourly = (dice.randint(4, 12) * UNIT, dice.randint(2, 8) * UNIT)
    fixed = dice.randint(0, 3) * UNIT
    return Placement(
        id=number,
        task=task,
        option=option,
        pool=dice.randint(0, 1),
        nodes=dice.randint(1, 2),
        gpus_per_node=4,
        start=start,
        end=end,
        hours=None,
        hourly_cost=hourly,
        cost=fixed,
        objective=fixed,
        lexical=number,
        finish=end,
    )


def random_term(dice: random.Random, number: int) -> UnitTerm:
    start = dice.randint(0, DAYS - 2)
    end = dice.randint(start + 1, DAYS)
    cost = dice.randint(3, 8) * (end - start) * UNIT
    return UnitTerm(number, dice.randint(0, 1), start, start, end, cost, cost, ((0, cost),), lexical=number)


def brute_force(futures: Futures) -> Fraction:
    """Least over every count of units of: their cost, and the weighed sum of each future's cheapest way under them."""
    problem = futures.problem
    best: Fraction | None = None
    for counts in product(range(5), repeat=len(problem.unit_terms)):
        total = Fraction(sum(term.cost * n for term, n in zip(problem.unit_terms, counts, strict=True)))
        for scenario, weight in enumerate(futures.weights):
            total += weight * cheapest_future(futures, scenario, counts)
        best = total if best is None else min(best, total)
    assert best is not None
    return best


def cheapest_future(futures: Futures, scenario: int, counts: tuple[int, ...]) -> int:
    """One future's cheapest choice of placements, nodes by the hour where units are missing."""
    problem = futures.problem
    choices = [
        [p for p in problem.placements if p.task == task.id]
        for task in problem.tasks
        if futures.of_task[task.id] == scenario
    ]
    return min(
        sum(p.objective for p in chosen) + sum(hourly_cost(problem, chosen, counts, day) for day in range(DAYS))
        for chosen in product(*choices)
    )


def hourly_cost(problem: Problem, chosen: tuple[Placement, ...], counts: tuple[int, ...], day: int) -> int:
    """Nodes beyond the units of that day, the cheapest ones by the hour."""
    total = 0
    for pool in problem.pools:
        units = sum(
            n
            for term, n in zip(problem.unit_terms, counts, strict=True)
            if term.pool == pool.id and term.usable_from <= day < term.end
        )
        nodes = sorted(
            (p.hourly_cost[1] if day == p.end - 1 else p.hourly_cost[0])
            for p in chosen
            if p.pool == pool.id and p.start <= day < p.end and p.hourly_cost is not None
            for _ in range(p.nodes)
        )
        total += sum(nodes[: max(0, len(nodes) - units)])
    return total


@pytest.mark.parametrize("seed", range(CASES))
def test_least_expected_cost_is_that_of_brute_force(seed: int) -> None:
    futures = random_futures(seed)
    scenario = {p.id: futures.of_task[p.task] for p in futures.problem.placements}
    problem = extensive(futures.problem, scenario.__getitem__, futures.weights)
    assert solve(problem, Limits(30, 0.0)).cost == brute_force(futures)


def test_some_of_these_cases_commit_and_some_do_not() -> None:
    committing = 0
    for seed in range(20):
        futures = random_futures(seed)
        scenario = {p.id: futures.of_task[p.task] for p in futures.problem.placements}
        solution = solve(extensive(futures.problem, scenario.__getitem__, futures.weights), Limits(30, 0.0))
        committing += bool(solution.units)
    assert 3 <= committing <= 17
