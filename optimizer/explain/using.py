"""The cheapest plan in which steady work runs on the user's own machines in at least one month, in one solve.

An own machine is paid as a whole, so a plan uses it as soon as anything runs on it (ADR 0100); other machines may
serve before it stands.

"At least one of these placements" is said in the program's own terms, as cash of two kinds of months of its own
beyond all others. Let the work have N tasks, each placed exactly once, and no month's cash exceed M. Each of its
placements elsewhere pays M // (N - 1) in one such month: N of them exceed M, N - 1 do not. Every placement asked for
pays the same in a month of its task, so that a limit on the whole cash sees the same N shares in every plan and is
raised by them.
"""

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import replace
from typing import Self

from optimizer.domain.progress import among_few
from optimizer.explain.buying import OwnTask, is_bought_only, least_with
from optimizer.explain.replan import chosen
from optimizer.planning.assembly import Assembly
from optimizer.planning.bounds import INFINITE, Bounds
from optimizer.planning.candidates import Candidate
from optimizer.planning.search import (
    FEW_CANDIDATES,
    FIRST_STAGE_SHARE,
    FIRST_STAGES,
    TIE_TOLERANCE,
    TIE_TOLERANCE_MICROS,
    Accepts,
    Admission,
    Outcome,
    Search,
)
from optimizer.program.problem import Limits, Placement, Problem, Solution, SpendTerm, UnitTerm
from optimizer.rules import Policy

#: The ceiling on a month's cash where the file gives none, in plans of the first one's cost: it binds nothing else.
CEILING_PLANS = 100
#: With more candidates for each second that is left no program is begun: portfolio.yaml has 1,240, which take 3 to 4 s
#: to be written down and are as open after 20 more.
CANDIDATES_PER_SECOND = 25
#: The least cost of what no plan can do.
NEVER_MICROS = 2**62


class HeldSearch(Search):
    """Searches a case for plans no dearer than one at hand, if there is one; the case's bounds are another search's."""

    def __init__(self, search: Search) -> None:
        vars(self).update(vars(search))
        self.upper = INFINITE
        self.start: Outcome | None = None

    def up_to(self, best: Outcome | None, start: Outcome | None) -> Self:
        """The search for plans that cost at most what `best` does, from `start`, a plan of the same question."""
        found = copy(self)
        found.upper = INFINITE if best is None else float(best.cost_micros)
        found.start = start
        return found

    def least_micros(self, policy: Policy, accepts: Accepts) -> int:
        """What every plan of such candidates costs at least: the least of each task, limits left aside."""
        admitted = Admission(self.case, policy, accepts)
        return int(self._standing + sum(sum(floor_of(bounds, admitted)) for bounds in self.bounds))

    def _narrowed(self, admitted: Admission, policy: Policy, seconds: float) -> tuple[list[Candidate], Outcome | None]:
        if self.upper == INFINITE:
            return super()._narrowed(admitted, policy, seconds)
        kept, upper = self._survivors(admitted, self.upper), self.upper
        if len(kept) > FEW_CANDIDATES and not self._unserved(kept):
            found = self._first_stage(admitted, policy, FIRST_STAGES[-1], seconds)
            if found.has_plan and found.cost_micros < upper:
                return self._survivors(admitted, float(found.cost_micros)), found
        return kept, self.start

    def _first_stage(self, admitted: Admission, policy: Policy, count: int, seconds: float) -> Outcome:
        """From the plan at hand on, among its configurations and some promising ones."""
        if self.start is None:
            return super()._first_stage(admitted, policy, count, seconds)
        promising = (bounds for mine in self.bounds for bounds in self._promising(mine, admitted, count))
        near = {c.index: c for c in (*chosen(self.start), *(bounds.candidate for bounds in promising))}
        with among_few():
            return self._solve(policy, near.values(), Limits(seconds * FIRST_STAGE_SHARE, 0.0), self.start)

    def _solve(
        self, policy: Policy, candidates: Iterable[Candidate], limits: Limits, first: Outcome | None = None
    ) -> Outcome:
        """A workload that no candidate is left for needs no solve: no plan is as cheap as the one at hand.

        A program with no chance in the time that is left is not begun either; that stays open.
        """
        kept = list(candidates)
        if empty := self._unserved(kept):
            return Outcome(None, None, empty)
        if len(kept) > max(FEW_CANDIDATES, CANDIDATES_PER_SECOND * limits.seconds):
            return Outcome(None, Solution("no_plan_in_time"))
        return super()._solve(policy, kept, limits, first)

    def _unserved(self, kept: list[Candidate]) -> tuple[int, ...]:
        served = {candidate.work for candidate in kept}
        works = range(len(self.case.file.workloads))
        return tuple(work for work in works if work not in served and self.case.tasks_of_work(work))


class OwnSearch(HeldSearch):
    """Searches a case for plans in which one workload runs on machines asked for, which may have to be bought.

    `holds`: in all its tasks, else in one of them at least.
    """

    def __init__(self, search: Search, work: int, wanted: Callable[[Candidate], bool], *, holds: bool = True) -> None:
        super().__init__(search)
        self.work = work
        self.wanted = wanted
        self.holds = holds

    def least_micros(self, policy: Policy, accepts: Accepts) -> int:
        """With the whole price of a machine, where it can only be bought."""
        least = super().least_micros(policy, accepts)
        extra = self._extra(Admission(self.case, policy, accepts))
        return NEVER_MICROS if extra == INFINITE else least + int(extra)

    def _survivors(self, admitted: Admission, upper: float) -> list[Candidate]:
        """Every plan pays for the machines asked for, beyond the least of its tasks; theirs is not counted twice."""
        extra = self._extra(admitted)
        least = self._standing + sum(sum(floor_of(bounds, admitted)) for bounds in self.bounds) + extra
        if least > upper + max(TIE_TOLERANCE_MICROS, upper * TIE_TOLERANCE):
            return []
        kept = {candidate.index for candidate in super()._survivors(admitted, upper - extra)}
        return [
            candidate
            for candidate in super()._survivors(admitted, upper)
            if candidate.index in kept or candidate.supply.purchases or self._is_asked_for(candidate)
        ]

    def _extra(self, admitted: Admission) -> float:
        """Micros that every plan with them costs at least beyond the sum of all tasks' least."""
        mine = [b for b in self.bounds[self.work] if self._is_asked_for(b.candidate) and admitted.allows(b)]
        supplies = {bounds.candidate.supply.key: bounds.candidate.supply for bounds in mine}.values()
        if not mine or not all(map(is_bought_only, supplies)):
            return 0.0
        ends = [task.end for task in self.case.tasks_of_work(self.work)]
        tasks = [task for work in range(len(self.bounds)) for task in self._own_tasks(work, admitted)]
        least = least_with(self.case, supplies, min(ends) if self.holds else max(ends), tasks)
        return INFINITE if least is None else max(0.0, least - sum(task.least for task in tasks))

    def _own_tasks(self, work: int, admitted: Admission) -> list[OwnTask]:
        mine = self.bounds[work]
        bought = [bounds for bounds in mine if bounds.candidate.supply.purchases and admitted.allows(bounds)]
        floor, tasks = floor_of(mine, admitted), self.case.tasks_of_work(work)
        return [
            OwnTask(task.end, low, any(bounds.by_task[place] is not None for bounds in bought))
            for place, (task, low) in enumerate(zip(tasks, floor, strict=False))
        ]

    def _is_asked_for(self, candidate: Candidate) -> bool:
        return candidate.work == self.work and self.wanted(candidate)


class UsingSearch(OwnSearch):
    """Searches a case for plans in which one workload has at least one placement of a candidate asked for."""

    def __init__(self, search: Search, work: int, wanted: Callable[[Candidate], bool], plan: Outcome) -> None:
        super().__init__(search, work, wanted, holds=False)
        self.ceiling = max(plan.cost_micros, 10**6) * CEILING_PLANS

    def _alone(self, admitted: Admission) -> float | None:
        """What each workload costs alone may use none of them, so it bounds nothing."""
        return None

    def _promising(self, work_bounds: list[Bounds], admitted: Admission, most: int) -> list[Bounds]:
        wanted = [bounds for bounds in work_bounds if self._is_asked_for(bounds.candidate)]
        found = [*super()._promising(work_bounds, admitted, most), *super()._promising(wanted, admitted, most)]
        return list({bounds.candidate.index: bounds for bounds in found}.values())

    def _unserved(self, kept: list[Candidate]) -> tuple[int, ...]:
        return super()._unserved(kept) if any(map(self._is_asked_for, kept)) else (self.work,)

    def _problem_of(self, assembly: Assembly) -> Problem:
        mine = {identity: one.candidate for identity, one in assembly.placed.items() if one.candidate.work == self.work}
        wanted = {identity for identity, candidate in mine.items() if self._is_asked_for(candidate)}
        return with_one_of(assembly.problem, wanted, set(mine), self.ceiling)


def floor_of(work_bounds: list[Bounds], admitted: Admission) -> list[float]:
    """Micros that each task of a workload costs at least on any admitted candidate; few are asked of the rules."""
    tasks = range(len(work_bounds[0].by_task)) if work_bounds else ()
    return [_least(work_bounds, task, admitted) for task in tasks]


def _least(work_bounds: list[Bounds], task: int, admitted: Admission) -> float:
    known = [(value, place) for place, bounds in enumerate(work_bounds) if (value := bounds.by_task[task]) is not None]
    return next((value for value, place in sorted(known) if admitted.allows(work_bounds[place])), 0.0)


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
