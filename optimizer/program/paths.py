"""The cheapest choice of placements when each has a value of its own: one a job, a path through steady work.

A path takes one placement a task; each change of option costs the move and counts against max_moves. Its least cost,
also the least through a given placement, comes from a table over (task, option, moves so far), forwards and backwards.
"""

from collections import defaultdict
from typing import Any

import numpy as np

from optimizer.program.bounds import INFINITE
from optimizer.program.problem import Chain, Problem

Array = Any
"""A numpy array."""


def cheapest_paths(problem: Problem, values: Array) -> tuple[float, Array]:
    """Least sum of values over all tasks, and what each placement adds to it when it must be used.

    Values and gains stand in the order of the problem's placements.
    """
    by_task: dict[int, list[int]] = defaultdict(list)
    for position, placement in enumerate(problem.placements):
        by_task[placement.task].append(position)
    total, gains = 0.0, np.zeros(len(problem.placements))
    for task in problem.tasks:
        if task.chain is None:
            mine = values[by_task[task.id]]
            least = float(mine.min()) if mine.size else INFINITE
            total += least
            gains[by_task[task.id]] = mine - least if least < INFINITE else 0.0
    for chain in problem.chains:
        tasks = [by_task[task.id] for task in problem.tasks if task.chain == chain.id]
        if tasks:
            total += _through(problem, chain, tasks, values, gains)
    return total, gains


def _through(problem: Problem, chain: Chain, tasks: list[list[int]], values: Array, gains: Array) -> float:
    """The least path's cost; each placement's gain is that of the least path through it."""
    names = sorted({problem.placements[position].option for positions in tasks for position in positions})
    column = {option: index for index, option in enumerate(names)}
    places = [
        np.array([column[problem.placements[p].option] for p in positions], dtype=np.int64) for positions in tasks
    ]
    cheapest = np.full((len(tasks), len(names)), INFINITE)
    for index, positions in enumerate(tasks):
        np.minimum.at(cheapest[index], places[index], values[positions])
    costs = [chain.move_objective[i] if chain.move_cost else 0 for i in range(len(tasks))]
    moves = min(chain.max_moves, len(tasks) - 1)
    into = _tables(cheapest, costs, moves)
    onward = _tables(cheapest[::-1], [0, *costs[:0:-1]], moves)[::-1]
    least = float(into[-1].min()) if names else INFINITE
    for index, positions in enumerate(tasks):
        path = (into[index] + onward[index][:, ::-1]).min(axis=1)[places[index]] if positions else np.zeros(0)
        own = cheapest[index][places[index]]  # counted in both halves of the path
        known = path < INFINITE
        through = np.full(len(positions), INFINITE)
        through[known] = path[known] - 2 * own[known] + values[positions][known]
        gains[positions] = through - least if least < INFINITE else 0.0
    return least


def _tables(cheapest: Array, costs: list[int], moves: int) -> list[Array]:
    """For each task the least cost of a path up to it, by its option there and the moves allowed so far.

    One task further a path stays on its option, or comes from the cheapest other one with one move more.
    """
    table = np.repeat(cheapest[0][:, None], moves + 1, axis=1)
    tables = [table]
    for index in range(1, len(cheapest)):
        moved = table.min(axis=0, initial=INFINITE) + costs[index]
        arrive = np.concatenate(([INFINITE], moved[:-1]))
        table = cheapest[index][:, None] + np.minimum(table, arrive[None, :])
        tables.append(table)
    return tables
