"""What comes before cost: how much optional work can be kept, by priority, and the earliest last finish.

Both narrow the problem that is then solved for cost: first the number of works kept of each priority, from the highest
down, then the day on which the last work is done.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from optimizer.program.build import build, minimize
from optimizer.program.problem import Limits, Problem, SolveStatus
from optimizer.program.reduce import without_idle_terms
from optimizer.program.rows import keep_at_least, works_by_priority
from optimizer.program.solver import Watch, solve_lp


@dataclass(slots=True)
class Stage:
    """The problem that is left to be solved for cost; `status` is set when there is nothing to solve.

    `kept_at_least`: works that must be kept of each priority. `proven`: whether the narrowing itself was proven.
    """

    problem: Problem
    kept_at_least: dict[int, int] = field(default_factory=dict)
    proven: bool = True
    status: SolveStatus | None = None


Left = Callable[[], float]


def first_stages(problem: Problem, limits: Limits, left: Left, watch: Watch) -> Stage:
    """Narrow the problem as its objective asks."""
    stage = Stage(problem)
    if problem.optional_tasks:
        stage = _most_work(stage, limits, left, watch)
    if limits.objective == "time" and stage.status is None:
        stage = _earliest(stage, limits, left, watch)
    return stage


def _most_work(stage: Stage, limits: Limits, left: Left, watch: Watch) -> Stage:
    """Keep every work if that is possible; else, from the highest priority down, as many as possible."""
    everything = replace(stage.problem, optional_tasks=False)
    if _possible(everything, limits, left, watch) is True:
        return Stage(everything)
    model = build(stage.problem)
    kept: dict[int, int] = {}
    for priority, works in works_by_priority(stage.problem).items():
        minimize(model, [(model.keep[work], -1) for work in works])
        outcome = solve_lp(model.lp, left(), limits.threads, watch)
        if outcome.status not in ("optimal", "feasible"):
            return replace(stage, kept_at_least=kept, proven=False)
        stage.proven = stage.proven and outcome.status == "optimal"
        kept[priority] = sum(round(model.keep[work].varValue or 0) for work in works)
        keep_at_least(model, {priority: kept[priority]})
    return replace(stage, kept_at_least=kept)


def _possible(problem: Problem, limits: Limits, left: Left, watch: Watch) -> bool | None:
    """Whether any plan exists; None when time ran out."""
    model = build(without_idle_terms(problem))
    outcome = solve_lp(model.lp, left(), limits.threads, watch, first=True)
    if outcome.status in ("optimal", "feasible"):
        return True
    return False if outcome.status == "infeasible" else None


def _earliest(stage: Stage, limits: Limits, left: Left, watch: Watch) -> Stage:
    """The least last finish for which a plan exists, by halving the finishes that placements offer."""
    days = _finishes(stage.problem)
    if not days:
        return replace(stage, status="infeasible")
    low, high, proven = 0, len(days), stage.proven  # a plan exists at index `high`, or none at all when it is len(days)
    probe = 0  # without a limit that binds, the first finish is possible
    while low < high:
        answer = _possible_by(stage, days[probe], limits, left, watch)
        if answer is True:
            high = probe
        else:
            low, proven = probe + 1, proven and answer is False
        probe = (low + high) // 2
    if high == len(days):
        return replace(stage, status="infeasible" if proven else "no_plan_in_time")
    return replace(stage, problem=_finishing_by(stage.problem, days[high]), proven=proven)


def _possible_by(stage: Stage, day: int, limits: Limits, left: Left, watch: Watch) -> bool | None:
    problem = _finishing_by(stage.problem, day)
    model = build(without_idle_terms(problem), stage.kept_at_least)
    outcome = solve_lp(model.lp, left(), limits.threads, watch, first=True)
    if outcome.status in ("optimal", "feasible"):
        return True
    return False if outcome.status == "infeasible" else None


def _finishes(problem: Problem) -> list[int]:
    """The finishes that can be the last one: from the latest of the tasks' earliest on."""
    first: dict[int, int] = {}
    for placement in problem.placements:
        first[placement.task] = min(first.get(placement.task, placement.finish), placement.finish)
    if not problem.optional_tasks and len(first) < len(problem.tasks):
        return []
    least = max(first.values(), default=0) if not problem.optional_tasks else min(first.values(), default=0)
    return sorted({p.finish for p in problem.placements if p.finish >= least} | {least})


def _finishing_by(problem: Problem, day: int) -> Problem:
    return replace(problem, placements=tuple(p for p in problem.placements if p.finish <= day))
