"""Solve a problem in this process: reduce, build, solve, check exactly, settle ties, and report on the way."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import floor

from optimizer.errors import InternalError
from optimizer.program.check import Choice, objective_of, violations
from optimizer.program.extract import choice_of
from optimizer.program.model import MICROS, Model, build
from optimizer.program.problem import Limits, Problem, Solution
from optimizer.program.reduce import Reduced, needs_stages, reduce, tolerance
from optimizer.program.solver import Outcome, Watch, solve_lp
from optimizer.program.stages import Stage, first_stages
from optimizer.program.ties import settle

BUDGET_MARGIN_MICROS = 20


@dataclass(slots=True)
class Report:
    """Where news of a solve go: plans with cost and bound in micros as they are found, and the bound in between."""

    plan: Callable[[Choice, int, int | None], None] = lambda choice, cost, bound: None
    bound: Callable[[int | None, int | None], None] = lambda cost, bound: None
    settling: Callable[[], None] = lambda: None
    watch: Watch = field(default_factory=Watch)


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


def run(reduced: Reduced, limits: Limits, report: Report | None = None) -> Solution:
    """The preferred plan of a problem that is reduced already, checked; see `optimizer.program.solve`."""
    report = report or Report()
    clock = Clock(time.monotonic(), limits.seconds)
    stage = Stage(reduced.problem)
    if needs_stages(reduced.problem, limits):
        stage = first_stages(reduced.problem, limits, clock.left, report.watch)
        if stage.status is not None:
            return Solution(stage.status, seconds=clock.passed())
        reduced = reduce(stage.problem, limits)
    return _solve(reduced, stage, limits, clock, report)


def _solve(reduced: Reduced, stage: Stage, limits: Limits, clock: Clock, report: Report) -> Solution:
    model = build(reduced.problem, stage.kept_at_least)
    _listen(model, report)
    outcome = solve_lp(model.lp, clock.left(), limits.threads, report.watch)
    if outcome.status == "infeasible":
        return Solution("infeasible", seconds=clock.passed())
    if outcome.status == "none":
        return _without_solver_plan(reduced, outcome, clock)
    model, choice = _checked(model, stage, limits, clock)
    cost = objective_of(model.problem, choice)
    bound = min(cost, _micros(outcome) or 0)
    report.plan(choice, cost, bound)
    settled = ""
    if cost - bound <= tolerance(cost):
        report.settling()
        choice, settled = settle(model, choice, bound + tolerance(cost), limits)
    return _solution(model.problem, choice, bound, settled, clock, proven=stage.proven)


def _without_solver_plan(reduced: Reduced, outcome: Outcome, clock: Clock) -> Solution:
    """The solver found nothing in time: the first plan, if there was one."""
    bound = _micros(outcome)
    if reduced.plan is None:
        return Solution("no_plan_in_time", bound=bound, seconds=clock.passed())
    return _solution(reduced.problem, reduced.plan, bound or 0, "", clock, proven=True)


def _solution(problem: Problem, choice: Choice, bound: int, settled: str, clock: Clock, *, proven: bool) -> Solution:
    """The answer as a record; proven when cost and bound are within the tolerance and so were the stages before."""
    cost = objective_of(problem, choice)
    bound = min(bound, cost)
    return Solution(
        status="optimal" if proven and cost - bound <= tolerance(cost) else "feasible",
        cost=cost,
        bound=bound,
        placements=choice.placements,
        units=choice.units,
        spend=choice.spend,
        services=choice.services,
        ties_settled=settled,
        seconds=clock.passed(),
    )


def _checked(model: Model, stage: Stage, limits: Limits, clock: Clock) -> tuple[Model, Choice]:
    """The plan in the solver's columns, after an exact check of every rule.

    A solver keeps a budget to about 10**-6 of the currency only: a plan that passes it by less is solved again with
    budgets lower by a few micros. Any other breach is a defect.
    """
    choice = choice_of(model)
    broken = violations(model.problem, choice)
    if broken and all("budget" in words for words in broken):
        tight = build(_with_lower_budgets(model.problem), stage.kept_at_least)
        solve_lp(tight.lp, clock.left() + 1.0, limits.threads)
        choice, model = choice_of(tight), tight
        broken = violations(model.problem, choice)
    if broken:
        raise InternalError("the solver's plan breaks its own rules: " + "; ".join(broken[:5]))
    return model, choice


def _with_lower_budgets(problem: Problem) -> Problem:
    def lower(budget: int | None) -> int | None:
        return None if budget is None else budget - BUDGET_MARGIN_MICROS

    return replace(problem, budget=lower(problem.budget), monthly_budget=lower(problem.monthly_budget))


def _listen(model: Model, report: Report) -> None:
    """Pass on the solver's plans, each checked exactly, and its bounds."""

    def better(values: list[float], _: float, bound: float) -> None:
        choice = choice_of(model, lambda column: round(values[column.index]))
        if not violations(model.problem, choice):
            report.plan(choice, objective_of(model.problem, choice), _scaled(bound))

    report.watch.on_incumbent = better
    report.watch.on_bound = lambda cost, bound: report.bound(_scaled(cost), _scaled(bound))


def _scaled(value: float) -> int | None:
    """Currency to micros; None for infinite."""
    return floor(value * MICROS) if abs(value) < 1e18 else None


def _micros(outcome: Outcome) -> int | None:
    return None if outcome.bound is None else _scaled(outcome.bound)
