"""The cheapest plan in which steady work runs on the user's own machines in at least one month, in one solve.

An own machine is paid as a whole, so a plan uses it as soon as anything runs on it (ADR 0100); other machines may
serve before it stands.

"At least one of these placements" is said in the program's own terms, as cash of two kinds of months of its own
beyond all others. Let the work have N tasks, each placed exactly once, and no month's cash exceed M. Each of its
placements elsewhere pays M // (N - 1) in one such month: N of them exceed M, N - 1 do not. Every placement asked for
pays the same in a month of its task, so that a limit on the whole cash sees the same N shares in every plan and is
raised by them.
"""

from collections.abc import Callable
from dataclasses import replace

from optimizer.planning.assembly import Assembly
from optimizer.planning.bounds import Bounds
from optimizer.planning.candidates import Candidate
from optimizer.planning.case import Case
from optimizer.planning.search import Search, Admission
from optimizer.program.problem import Placement, Problem, SpendTerm, UnitTerm

#: The ceiling on a month's cash where the file gives none, in plans of the first one's cost: it binds nothing else.
CEILING_PLANS = 100


class UsingSearch(Search):
    """Searches a case for plans in which one workload has at least one placement of a candidate asked for."""

    def __init__(self, case: Case, work: int, wanted: Callable[[Candidate], bool], plan_micros: int) -> None:
        super().__init__(case)
        self.work = work
        self.wanted = wanted
        self.ceiling = max(plan_micros, 10**6) * CEILING_PLANS

    def _alone(self, admitted: Admission) -> float | None:
        """What each workload costs alone may use none of them, so it bounds nothing."""
        return None

    def _promising(self, work_bounds: list[Bounds], admitted: Admission, most: int) -> list[Bounds]:
        wanted = [bounds for bounds in work_bounds if self._is_asked_for(bounds.candidate)]
        found = [*super()._promising(work_bounds, admitted, most), *super()._promising(wanted, admitted, most)]
        return list({bounds.candidate.index: bounds for bounds in found}.values())

    def _problem_of(self, assembly: Assembly) -> Problem:
        mine = {identity: one.candidate for identity, one in assembly.placed.items() if one.candidate.work == self.work}
        wanted = {identity for identity, candidate in mine.items() if self._is_asked_for(candidate)}
        return with_one_of(assembly.problem, wanted, set(mine), self.ceiling)

    def _is_asked_for(self, candidate: Candidate) -> bool:
        return candidate.work == self.work and self.wanted(candidate)


def with_one_of(problem: Problem, wanted: set[int], among: set[int], ceiling: int) -> Problem:
    """The problem whose plans choose at least one of the `wanted` placements.

    `among` are all placements of the same tasks; `ceiling` micros of a month's cash bind nothing by themselves.
    """
    tasks = {placement.task for placement in problem.placements if placement.id in among}
    if len(tasks) < 2:
        kept = tuple(p for p in problem.placements if p.id in wanted or p.id not in among)
        return replace(problem, placements=kept)
    most = ceiling if problem.monthly_budget is None else problem.monthly_budget
    share = most // (len(tasks) - 1)
    beyond = 1 + max([len(problem.month_starts), *_months(problem)])

    def paying(placement: Placement) -> Placement:
        if placement.id not in among:
            return placement
        month = beyond + 1 + placement.task if placement.id in wanted else beyond
        return replace(placement, cash=(*placement.cash, (month, share)))

    return replace(
        problem,
        placements=tuple(map(paying, problem.placements)),
        monthly_budget=most,
        budget=None if problem.budget is None else problem.budget + share * len(tasks),
    )


def _months(problem: Problem) -> list[int]:
    lines: list[Placement | UnitTerm | SpendTerm] = [*problem.placements, *problem.unit_terms, *problem.spend_terms]
    return [month for line in lines for month, _ in line.cash]
