"""The cheapest choice of placements when each has a value of its own: one a job, a path through steady work.

A path takes one placement a task; each change of option costs the move and counts against max_moves. Its least cost,
also the least through a given placement, comes from a table over (task, option, moves so far), forwards and backwards.
"""

from collections import defaultdict
from collections.abc import Mapping

from optimizer.program.bounds import INFINITE
from optimizer.program.problem import Chain, Placement, Problem

Row = dict[int, list[float]]
"""Option -> least cost by moves used."""


def cheapest_paths(problem: Problem, values: Mapping[int, float]) -> tuple[float, dict[int, float]]:
    """Least sum of values over all tasks, and what each placement adds to it when it must be used."""
    by_task: dict[int, list[Placement]] = defaultdict(list)
    for placement in problem.placements:
        by_task[placement.task].append(placement)
    total = 0.0
    gains: dict[int, float] = {}
    for task in problem.tasks:
        if task.chain is None:
            least = min((values[p.id] for p in by_task[task.id]), default=INFINITE)
            total += least
            gains.update({p.id: values[p.id] - least for p in by_task[task.id]})
    for chain in problem.chains:
        tasks = [by_task[task.id] for task in problem.tasks if task.chain == chain.id]
        least, through = _through(chain, tasks, values)
        total += least
        gains.update({key: cost - least for key, cost in through.items()})
    return total, gains


def _through(chain: Chain, tasks: list[list[Placement]], values: Mapping[int, float]) -> tuple[float, dict[int, float]]:
    """The least path's cost, and for each placement that of the least path through it."""
    if not tasks:
        return 0.0, {}
    moves = min(chain.max_moves, len(tasks) - 1)
    cheapest = [_cheapest_of_options(placements, values) for placements in tasks]
    costs = [chain.move_objective[i] if chain.move_cost else 0 for i in range(len(tasks))]
    into = [_start(cheapest[0], moves)]
    for index in range(1, len(tasks)):
        into.append(_step(into[-1], cheapest[index], costs[index], moves))
    onward = [_start(cheapest[-1], moves)]
    for index in range(len(tasks) - 2, -1, -1):
        onward.append(_step(onward[-1], cheapest[index], costs[index + 1], moves))
    onward.reverse()
    through = {}
    for index, placements in enumerate(tasks):
        for p in placements:
            path = _joined(into[index].get(p.option), onward[index].get(p.option))
            own = cheapest[index][p.option]  # counted in both halves of the path
            through[p.id] = path - 2 * own + values[p.id] if path < INFINITE else INFINITE
    return min((min(costs) for costs in into[-1].values()), default=INFINITE), through


def _cheapest_of_options(placements: list[Placement], values: Mapping[int, float]) -> dict[int, float]:
    least: dict[int, float] = {}
    for placement in placements:
        least[placement.option] = min(least.get(placement.option, INFINITE), values[placement.id])
    return least


def _start(cheapest: Mapping[int, float], moves: int) -> Row:
    return {option: [value] + [value] * moves for option, value in cheapest.items()}


def _step(before: Row, cheapest: Mapping[int, float], move: float, moves: int) -> Row:
    """One task further: stay on the option, or come from the cheapest other one with one move more."""
    any_option = [min((costs[used] for costs in before.values()), default=INFINITE) for used in range(moves + 1)]
    row = {}
    for option, value in cheapest.items():
        stay = before.get(option)
        row[option] = [
            value
            + min(
                INFINITE if stay is None else stay[used],
                any_option[used - 1] + move if used else INFINITE,
            )
            for used in range(moves + 1)
        ]
    return row


def _joined(into: list[float] | None, onward: list[float] | None) -> float:
    """Least cost of a path into and one onward from a placement, with the moves of both within the limit."""
    if into is None or onward is None:
        return INFINITE
    return min(before + after for before, after in zip(into, reversed(onward), strict=True))
