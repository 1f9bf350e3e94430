"""The integer program: from numbers and ids to the provably cheapest plan. Only this package knows a solver."""

from collections.abc import Callable

from optimizer.domain.progress import tell_costs
from optimizer.program.check import Choice
from optimizer.program.problem import Limits, Problem, Solution

Progress = Callable[[float, int | None, int | None], None]

_DEFAULT_LIMITS = Limits()


def solve(
    problem: Problem,
    limits: Limits = _DEFAULT_LIMITS,
    on_progress: Progress | None = None,
    known: Choice | None = None,
) -> Solution:
    """The plan of least cost, with its proven bound, checked in whole numbers against every rule of the problem.

    `limits.objective` "time" asks for the earliest last finish first; `problem.optional_tasks` for the most work by
    priority first; then cost, then the tie order (docs/program.md). `known`: a plan of the problem to begin from, used
    only when an exact check finds it valid. `on_progress(seconds, cost so far, bound)` in
    micros. Limits are wall time: after `limits.seconds` the best plan so far is returned with its true gap (status
    "feasible"), after Ctrl-C with status "interrupted". Raises InternalError when the solver contradicts itself.
    Whoever watches (optimizer.domain.progress) hears the same.
    """
    from optimizer.program.supervise import supervise

    is_for_cost = limits.objective == "cost" and not problem.optional_tasks

    def heard(seconds: float, cost: int | None, bound: int | None) -> None:
        if is_for_cost:
            tell_costs(cost, bound)
        if on_progress is not None:
            on_progress(seconds, cost, bound)

    solution = supervise(problem, limits, heard, known)
    if is_for_cost:
        tell_costs(solution.cost, solution.bound)
    return solution
