"""A plan found over some candidates, carried over to a program over others of the same case."""

from dataclasses import replace

from optimizer.planning.assembly import Assembly, Bought
from optimizer.program.check import Choice
from optimizer.program.problem import Solution

Run = tuple[int, int, int]
"""Index of the candidate (-1: machines that stand there), of the task, and the first day."""


def carried(solution: Solution, old: Assembly, new: Assembly) -> Choice | None:
    """The solution in the numbers of another assembly; None where that one lacks a part of it.

    Whether it keeps every rule there is checked by the program before it is used. A first program has no savings plans.
    """
    runs, terms = _runs(new), {_purchase(bought): key for key, bought in new.bought.items()}
    placements = {key: runs.get(run) for run, key in _runs(old).items()}
    units = [(terms.get(_purchase(old.bought[key])), count) for key, count in solution.units]
    if solution.spend or solution.cost is None or any(placements[key] is None for key in solution.placements):
        return None
    return Choice(
        placements=tuple(sorted(number for key in solution.placements if (number := placements[key]) is not None)),
        units=tuple(sorted((term, count) for term, count in units if term is not None)),
        spend=(),
        services=tuple(
            replace(service, placement=number)
            for service in solution.services
            if (number := placements[service.placement]) is not None
        ),
    )


def _runs(assembly: Assembly) -> dict[Run, int]:
    return {(p.option, p.task, p.start): p.id for p in assembly.problem.placements}


def _purchase(bought: Bought) -> tuple[str, int, int, int]:
    """What is bought where for which days; rents and purchases are the case's own records."""
    return bought.supply.key, id(bought.rent or bought.purchase), bought.start, bought.end
