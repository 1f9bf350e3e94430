"""The smallest budget that works, and cost against time: for each last finish the least cost, by re-solving.

Frontier. The cheapest plan of all has some last finish f. No cheaper plan ends earlier, so the next point is the
cheapest plan that ends at least one day before f; and so on until none is left. Every point is proven by its own
solve and no point is left out: between two of them there is nothing cheaper (epsilon-constraint method, Haimes et al.
1971). Plans with every price known come first; only where no such plan ends early enough do others follow, each with
what it lacks, since what is known of their cost is the least that they can cost. Budgets are left aside, so that points
above one are seen; monthly and hourly limits, quotas and rules hold.
Smallest budget. Budgets count undiscounted cash without residual values, so it is the least cost of the file without
discount and residuals.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from time import monotonic

from optimizer.domain.money import from_micros
from optimizer.domain.plan import FrontierPoint
from optimizer.errors import NoPlanInTime
from optimizer.explain.changes import with_file, with_supplies
from optimizer.explain.replan import in_time, is_proven, missing_lines, placements_of, tolerance_micros
from optimizer.planning.case import Case
from optimizer.planning.extras import describe
from optimizer.planning.pipeline import Planner
from optimizer.planning.search import Accepts, Outcome, Search, complete_only, with_deadline
from optimizer.planning.supply import Supply


@dataclass(frozen=True)
class Frontier:
    """The points, the latest finish first; `is_complete` is false where the time allowance ended the search."""

    points: tuple[FrontierPoint, ...]
    is_complete: bool


def smallest_budget(planner: Planner) -> Decimal | None:
    """The least budget under which there is a plan with a price for every line; `None` where no budget helps.

    Raises:
        NoPlanInTime: the solve ran out of time, so that the figure would not be the smallest.
    """
    case = _without_budget(planner)
    case = _without_residuals(with_file(case, case.file.model_copy(update={"discount_rate": 0.0})))
    search, seconds = Search(case), planner.options.seconds
    outcome = in_time(search.cheapest(planner.policy, complete_only(), seconds=seconds, tie_seconds=0.0))
    if not outcome.has_plan:
        return None
    if not is_proven(outcome):
        raise NoPlanInTime("the smallest budget was not proven within the time limit")
    return from_micros(outcome.cost_micros)


def frontier(planner: Planner, seconds: float) -> Frontier:
    """Cost against last finish; empty for steady work alone, whose last day is the horizon's."""
    case = _without_budget(planner)
    if all(work.is_steady for work in case.file.workloads):
        return Frontier((), is_complete=True)
    until = monotonic() + seconds
    points: list[Step] = []
    for accepts in (complete_only(), None):
        last = points[-1][1] if points else case.horizon.days
        found, is_complete = _steps(planner, case, last, accepts, until)
        points += found
        if not is_complete:
            break
    return Frontier(tuple(_points(planner, points)), is_complete)


Step = tuple[Outcome, int]
"""A plan, and the day on which its last job ends."""


def _steps(planner: Planner, case: Case, last: int, accepts: Accepts | None, until: float) -> tuple[list[Step], bool]:
    """Every step that ends before day `last`, and whether the time sufficed to see that there is no more."""
    steps: list[Step] = []
    while monotonic() < until:
        search, seconds = Search(with_deadline(case, last)), max(0.5, until - monotonic())
        try:
            outcome = in_time(search.cheapest(planner.policy, accepts, seconds=seconds, tie_seconds=0.0))
        except NoPlanInTime:
            break
        if not outcome.has_plan:
            return steps, True
        if not is_proven(outcome):
            break
        if steps and outcome.cost_micros - steps[-1][0].cost_micros <= tolerance_micros(outcome.cost_micros):
            steps.pop()
        last = last_finish(outcome, case)
        steps.append((outcome, last))
    return steps, False


def last_finish(outcome: Outcome, case: Case) -> int:
    """The day number on which the last job ends (steady work ends with the horizon and does not count)."""
    steady = {index for index, work in enumerate(case.file.workloads) if work.is_steady}
    placements = placements_of(outcome)
    return max(one.finish for one in placements if _work_of(outcome, one.id) not in steady) - 1


def _work_of(outcome: Outcome, placement: int) -> int:
    if outcome.assembly is None:
        raise ValueError("no plan")
    return outcome.assembly.placed[placement].candidate.work


def _points(planner: Planner, found: list[Step]) -> Iterator[FrontierPoint]:
    budget = planner.file.budget
    for outcome, finish in found:
        cost, missing = from_micros(outcome.cost_micros), missing_lines(outcome)
        within = None if budget is None or (missing and cost <= budget) else cost <= budget
        yield FrontierPoint(
            finish_day=finish, cost=cost, description=describe(outcome), within_budget=within, missing=missing
        )


def _without_budget(planner: Planner) -> Case:
    return with_file(planner.case, planner.file.model_copy(update={"budget": None}))


def _without_residuals(case: Case) -> Case:
    """Bought machines keep no value: what counts is cash."""

    def worthless(supply: Supply) -> Supply:
        nothing = {"residual_by_month": {0: 0.0}}
        return supply._replace(purchases=tuple(one.model_copy(update=nothing) for one in supply.purchases))

    return with_supplies(case, lambda supply: worthless(supply) if supply.purchases else supply)
