"""The integer program: from numbers and ids to the provably cheapest plan. Only this package knows a solver."""

from collections.abc import Callable

from optimizer.program.problem import Limits, Problem, Solution

Progress = Callable[[float, int | None, int | None], None]


def solve(problem: Problem, limits: Limits = Limits(), on_progress: Progress | None = None) -> Solution:
    """The plan of least cost, with its proven bound, checked in whole numbers against every rule of the problem.

    `on_progress(seconds, cost so far, bound)` in micros. Raises InternalError when the solver contradicts itself.
    """
    from optimizer.program.engine import run

    return run(problem, limits)
