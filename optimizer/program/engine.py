"""Solve a problem in this process: build, solve, settle ties, check exactly."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import floor

from optimizer.errors import InternalError
from optimizer.program.check import Choice, objective_of, violations
from optimizer.program.extract import choice_of
from optimizer.program.model import MICROS, Model, build
from optimizer.program.problem import Limits, Problem, Solution, SolveStatus
from optimizer.program.reduce import reduce, tolerance
from optimizer.program.solver import Outcome, Watch, solve_lp
from optimizer.program.ties import settle

Progress = Callable[[float, int | None, int | None], None]


@dataclass(slots=True)
class Clock:
    """Wall seconds since the solve began, and how many are left of the allowance."""

    began: float
    seconds: float

    def passed(self) -> float:
        """Seconds since the solve began."""
        return time.monotonic() - self.began

    def left(self) -> float:
        """Seconds left of the allowance, never below zero."""
        return max(0.0, self.seconds - self.passed())


def run(problem: Problem, limits: Limits, watch: Watch | None = None) -> Solution:
    """The cheapest plan, checked; see `optimizer.program.solve`."""
    clock = Clock(time.monotonic(), limits.seconds)
    reduced = reduce(problem)
    model = build(reduced.problem)
    outcome = solve_lp(model.lp, clock.left(), limits.threads, watch)
    if outcome.status in ("infeasible", "none"):
        status: SolveStatus = "infeasible" if outcome.status == "infeasible" else "no_plan_in_time"
        return Solution(status, bound=_micros(outcome), seconds=clock.passed())
    choice = checked(model)
    cost = objective_of(problem, choice)
    bound = min(cost, _micros(outcome) or 0)
    settled = ""
    if cost - bound <= tolerance(cost):
        choice, settled = settle(model, choice, bound + tolerance(cost), limits)
        cost = objective_of(problem, choice)
    return solution(choice, cost, min(bound, cost), settled, clock)


def solution(choice: Choice, cost: int, bound: int, settled: str, clock: Clock) -> Solution:
    """The answer as a record; proven when cost and bound are within the tolerance."""
    return Solution(
        status="optimal" if cost - bound <= tolerance(cost) else "feasible",
        cost=cost,
        bound=bound,
        placements=choice.placements,
        units=choice.units,
        spend=choice.spend,
        services=choice.services,
        ties_settled=settled,
        seconds=clock.passed(),
    )


def checked(model: Model) -> Choice:
    """The plan in the solver's columns, after an exact check of every rule."""
    choice = choice_of(model)
    broken = violations(model.problem, choice)
    if broken:
        raise InternalError("the solver's plan breaks its own rules: " + "; ".join(broken[:5]))
    return choice


def _micros(outcome: Outcome) -> int | None:
    return None if outcome.bound is None else floor(outcome.bound * MICROS)
