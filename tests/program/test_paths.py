"""The cheapest path through steady work, and the cheapest through each placement, against every path."""

from itertools import pairwise, product
from random import Random

import numpy as np
import pytest

from optimizer.program.paths import cheapest_paths
from optimizer.program.problem import Chain, Placement, Pool, Problem, Task


def random_work(dice: Random) -> tuple[Problem, dict[int, float]]:
    """Steady work of 1-5 months with 1-3 options, some of them not in every month or twice in one."""
    months, moves = dice.randint(1, 5), dice.randint(0, 3)
    objective = tuple(dice.randint(0, 5) for _ in range(months))
    chain = Chain(0, moves, dice.choice((0, 1)), objective, tuple(range(months)))
    placements = []
    for month in range(months):
        for option in dice.sample(range(3), dice.randint(1, 3)):
            placements += [(month, option)] * dice.choice((1, 1, 2))
    made = tuple(
        Placement(i, month, option, 0, 1, 1, month, month + 1, None, None)
        for i, (month, option) in enumerate(placements)
    )
    tasks = tuple(Task(month, 0, 0) for month in range(months))
    problem = Problem(months, (0, months), (Pool(0, 1, 0),), tasks, made, chains=(chain,))
    return problem, {p.id: float(dice.randint(0, 9)) for p in made}


def every_path(problem: Problem, values: dict[int, float]) -> dict[tuple[int, ...], float]:
    """Placements of a path -> its cost, for every path within the moves allowed."""
    chain = problem.chains[0]
    found = {}
    for path in product(*([p for p in problem.placements if p.task == task.id] for task in problem.tasks)):
        moved = [index for index, (a, b) in enumerate(pairwise(path), start=1) if a.option != b.option]
        if len(moved) <= chain.max_moves:
            cost = sum(values[p.id] for p in path)
            cost += sum(chain.move_objective[index] for index in moved) if chain.move_cost else 0
            found[tuple(p.id for p in path)] = cost
    return found


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_least_cost_and_gains_are_those_of_every_path(first: int) -> None:
    for seed in range(first, first + 100):
        problem, values = random_work(Random(seed))
        paths = every_path(problem, values)
        least, gains = cheapest_paths(problem, np.array([values[p.id] for p in problem.placements]))
        if not paths:
            assert least == float("inf")
            continue
        assert least == min(paths.values())
        for placement, gain in zip(problem.placements, gains, strict=True):
            through = [cost for path, cost in paths.items() if placement.id in path]
            assert gain == (min(through) - least if through else float("inf"))
