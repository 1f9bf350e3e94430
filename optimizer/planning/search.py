"""The cheapest plan of a case under a policy: candidates that can be optimal, the program, its solution.

Two stages keep the program small without giving up the proof. First an upper bound: the candidates served alone,
or, where limits couple them, a program over the most promising ones. Then every admitted candidate whose lower bound
(optimizer.planning.bounds) does not exceed it. Rules are asked only of candidates that could still matter.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from time import monotonic

from optimizer.domain.money import to_micros
from optimizer.domain.progress import among_few, tell_search
from optimizer.planning.assembly import Assembly, assemble, standing_payments
from optimizer.planning.bounds import INFINITE, Bounder, Bounds, all_bounds
from optimizer.planning.candidates import Candidate
from optimizer.planning.carried import carried
from optimizer.planning.case import Case
from optimizer.planning.commitments import SavingsPlan, plans_of
from optimizer.planning.plan_worth import least_beyond_floors
from optimizer.program.problem import Limits, Objective, Problem, Solution
from optimizer.rules import Policy

#: How many candidates (by upper and by lower bound) a workload sends into the first programs where limits couple them.
FIRST_STAGES = (1, 4)
#: So many candidates left by a first program are solved at once, without another one.
FEW_CANDIDATES = 150
FIRST_STAGE_SHARE = 0.15
#: Of the time, for a program without the savings plans that may be in the best plan.
WITHOUT_PLANS_SHARE = 0.35
LEAST_SECONDS = 0.5
TIE_TOLERANCE_MICROS = 10_000
TIE_TOLERANCE = 1e-6

Accepts = Callable[[Candidate], bool]


@dataclass(frozen=True)
class Outcome:
    """A solved case: the solution, or why there is none."""

    assembly: Assembly | None
    solution: Solution | None
    empty_works: tuple[int, ...] = ()

    @property
    def has_plan(self) -> bool:
        """Whether there is a plan."""
        return self.solution is not None and self.solution.cost is not None

    @property
    def cost_micros(self) -> int:
        """The plan's cost as minimized (discounted where a rate is given)."""
        if self.solution is None or self.solution.cost is None:
            raise ValueError("no plan")
        return self.solution.cost


NO_PLAN = Outcome(None, None)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C while planning; `outcome` is the best plan so far, if any, with a bound that holds for the whole case."""

    def __init__(self, outcome: Outcome | None) -> None:
        super().__init__("interrupted")
        self.outcome = outcome


def with_bound(outcome: Outcome, bound: int) -> Outcome:
    """An outcome with a plan, and another lower bound of its cost in micros."""
    if outcome.solution is None:
        raise ValueError("no plan")
    return replace(outcome, solution=replace(outcome.solution, bound=min(bound, outcome.cost_micros)))


class Search:
    """Solves one case as often as asked, under different policies and restrictions; bounds are computed once.

    `has_all_work`: whether every plan does all the work, so that the cost of one bounds that of the best.
    """

    has_all_work = True

    def __init__(self, case: Case) -> None:
        self.case = case
        self.bounder = Bounder(case)
        self._first_found: Outcome | None = None
        #: The savings plans that the program at hand offers; none in those that look for a first plan.
        self._plans: tuple[SavingsPlan, ...] = ()
        self._standing = case.horizon.objective(standing_payments(case))
        self.bounds = [all_bounds(case, index, self.bounder) for index in range(len(case.file.workloads))]

    def cheapest(
        self,
        policy: Policy,
        accepts: Accepts | None = None,
        *,
        seconds: float,
        tie_seconds: float = 5.0,
        objective: Objective = "cost",
    ) -> Outcome:
        """The cheapest plan over the admitted candidates that `accepts` lets through, within `seconds` of wall time.

        Raises:
            Interrupted: Ctrl-C, with the best plan so far.
        """
        self._first_found, self._plans = None, ()
        tell_search()
        try:
            return self._cheapest(policy, accepts, seconds, tie_seconds, objective)
        except KeyboardInterrupt as stop:
            raise Interrupted(self._best_so_far(stop)) from None

    def _cheapest(
        self, policy: Policy, accepts: Accepts | None, seconds: float, tie_seconds: float, objective: Objective
    ) -> Outcome:
        until = monotonic() + seconds
        admitted = Admission(self.case, policy, accepts)
        empty = tuple(
            index
            for index, bounds in enumerate(self.bounds)
            if self.case.tasks_of_work(index) and not any(map(admitted.allows, bounds))
        )
        if empty:
            return Outcome(None, None, empty)
        chosen, first = self._narrowed(admitted, policy, seconds)
        plans = self._savings_plans(admitted, chosen, first)
        if plans and objective == "cost" and self.has_all_work:
            chosen, first = self._without_plans(admitted, policy, chosen, first, seconds)
            plans = self._savings_plans(admitted, chosen, first)
        self._plans = plans
        left = max(LEAST_SECONDS, until - monotonic())
        return self._solve(policy, chosen, Limits(left, tie_seconds, objective), first)

    def _solve(
        self, policy: Policy, chosen: Iterable[Candidate], limits: Limits, first: Outcome | None = None
    ) -> Outcome:
        """Solve over these candidates, from the plan of an earlier program on."""
        from optimizer.program import solve

        assembly = assemble(self.case, policy, chosen, self._plans)
        known = None
        if first is not None and first.assembly is not None and first.solution is not None:
            known = carried(first.solution, first.assembly, assembly)
        outcome = Outcome(assembly, solve(self._problem_of(assembly), limits, known=known))
        if outcome.solution is not None and outcome.solution.status == "interrupted":
            raise Interrupted(outcome)
        return outcome

    def _problem_of(self, assembly: Assembly) -> Problem:
        """What the program is asked about some candidates."""
        return assembly.problem

    def _narrowed(
        self, admitted: "Admission", policy: Policy, seconds: float
    ) -> tuple[list[Candidate], Outcome | None]:
        """The candidates that a plan no dearer than one at hand can use, and that plan if a program found it."""
        alone = self._alone(admitted)
        if alone is not None:
            return self._survivors(admitted, alone), None
        upper, chosen = INFINITE, list[Candidate]()
        for count in FIRST_STAGES:
            found = self._first_stage(admitted, policy, count, seconds)
            if found.has_plan and found.cost_micros < upper:
                upper, self._first_found = float(found.cost_micros), found
            chosen = self._survivors(admitted, upper)
            if len(chosen) <= FEW_CANDIDATES:
                break
        return chosen, self._first_found

    # savings plans

    def _upper(self, admitted: "Admission", first: Outcome | None) -> float:
        """Micros of a plan at hand: that of an earlier program, or every workload served alone."""
        if first is not None and first.has_plan:
            return float(first.cost_micros)
        alone = self._alone(admitted)
        return INFINITE if alone is None else alone

    def _without_plans(
        self,
        admitted: "Admission",
        policy: Policy,
        chosen: list[Candidate],
        first: Outcome | None,
        seconds: float,
    ) -> tuple[list[Candidate], Outcome | None]:
        """What is left after a program without savings plans, which may show that they are not worth having."""
        found = self._solve_early(policy, chosen, seconds * WITHOUT_PLANS_SHARE)
        if not found.has_plan:
            return chosen, first
        self._first_found = found
        return self._survivors(admitted, float(found.cost_micros)), found

    def _savings_plans(
        self, admitted: "Admission", chosen: list[Candidate], first: Outcome | None
    ) -> tuple[SavingsPlan, ...]:
        """The savings plans that a plan no dearer than one at hand can use over these candidates."""
        plans = plans_of({c.supply.key: c.supply for c in chosen if c.supply.covered_at}.values())
        if not plans:
            return ()
        floors, slack = self._room(admitted, self._upper(admitted, first))
        wanted = {candidate.index for candidate in chosen}
        uses = [
            (bounds, floor)
            for work_bounds, floor in zip(self.bounds, floors, strict=True)
            for bounds in work_bounds
            if bounds.candidate.index in wanted
        ]
        return tuple(plan for plan in plans if least_beyond_floors(self.bounder, plan, uses) <= slack)

    def _best_so_far(self, stop: KeyboardInterrupt) -> Outcome | None:
        """The cheaper of the first stages' plan and the program's own, with the higher of the bounds that hold."""
        last = stop.outcome if isinstance(stop, Interrupted) else None
        known = [outcome for outcome in (last, self._first_found) if outcome is not None and outcome.has_plan]
        if not known:
            return None
        bound = 0 if last is None or last.solution is None else last.solution.bound or 0
        return with_bound(min(known, key=lambda outcome: outcome.cost_micros), max(bound, self.floor_micros()))

    def within(self, policy: Policy, upper: float, accepts: Accepts | None = None) -> list[Candidate]:
        """The admitted configurations that a plan of at most so many micros can use."""
        return self._survivors(Admission(self.case, policy, accepts), upper)

    def floor_micros(self) -> int:
        """What every plan of the case costs at least, rules and limits left aside."""
        tasks = [task for work in self.bounds for task in zip(*(bounds.by_task for bounds in work), strict=True)]
        return int(self._standing + sum(min((low for low in task if low is not None), default=0.0) for task in tasks))

    # bounds of the whole plan

    def _alone(self, admitted: "Admission") -> float | None:
        """Micros of the plan that serves every workload alone; None where limits may couple them."""
        firsts = [
            next((bounds for bounds in work_bounds if bounds.upper < INFINITE and admitted.allows(bounds)), None)
            for work_bounds in self.bounds
            if work_bounds
        ]
        alone = self._standing + sum(INFINITE if bounds is None else bounds.upper for bounds in firsts)
        if not self._is_coupled():
            return alone
        budget = self.case.file.budget
        if not self._only_budget_couples() or budget is None or alone == INFINITE:
            return None
        return alone if alone <= to_micros(budget) or self._is_cash_the_cost() else None

    def _is_cash_the_cost(self) -> bool:
        """Whether every plan's cash is its cost: then no plan keeps the budget if the cheapest one does not."""
        file = self.case.file
        return file.discount_rate == 0 and not file.owned.may_buy and file.after_horizon == "stop"

    def _first_stage(self, admitted: "Admission", policy: Policy, count: int, seconds: float) -> Outcome:
        """What the program makes of a few promising candidates of each workload."""
        chosen = [
            bounds.candidate for work_bounds in self.bounds for bounds in self._promising(work_bounds, admitted, count)
        ]
        return self._solve_early(policy, chosen, seconds * FIRST_STAGE_SHARE)

    def _solve_early(self, policy: Policy, chosen: Iterable[Candidate], seconds: float) -> Outcome:
        """A program whose bound says nothing of the whole; Ctrl-C keeps its plan only."""
        try:
            with among_few():
                return self._solve(policy, chosen, Limits(seconds, 0.0), self._first_found)
        except Interrupted as stop:
            self._first_found = stop.outcome if stop.outcome and stop.outcome.has_plan else self._first_found
            raise KeyboardInterrupt from None

    def _promising(self, work_bounds: list[Bounds], admitted: "Admission", most: int) -> list[Bounds]:
        """The candidates of least upper bound, and of least lower bound, of one workload."""
        found: dict[int, Bounds] = {}
        for ordered in (work_bounds, sorted(work_bounds, key=lambda bounds: bounds.lower)):
            count = 0
            for bounds in ordered:
                if count == most:
                    break
                if admitted.allows(bounds):
                    found[bounds.candidate.index] = bounds
                    count += 1
        return list(found.values())

    def _is_coupled(self) -> bool:
        return self.case.file.budget is not None or not self._only_budget_couples()

    def _only_budget_couples(self) -> bool:
        file = self.case.file
        return not (
            file.monthly_budget is not None
            or file.max_hourly is not None
            or file.quotas
            or file.owned.site_power_kw is not None
        )

    def _room(self, admitted: "Admission", upper: float) -> tuple[list[list[float]], float]:
        """The floors of each workload's tasks, and how far a plan worth having lies above their sum at most."""
        floors = [_floor(work_bounds, admitted) for work_bounds in self.bounds]
        least = self._standing + sum(sum(floor) for floor in floors)
        return floors, upper * (1 + TIE_TOLERANCE) + TIE_TOLERANCE_MICROS - least

    def _survivors(self, admitted: "Admission", upper: float) -> list[Candidate]:
        floors, slack = self._room(admitted, upper)
        chosen: list[Candidate] = []
        for work_bounds, floor, work in zip(self.bounds, floors, self.case.file.workloads, strict=True):
            # Each repetition of a job is free to run elsewhere; steady work only as far as it may move.
            per_task = not work.is_steady or work.max_moves > 0
            chosen.extend(
                bounds.candidate
                for bounds in work_bounds
                if _excess(bounds, floor, per_task=per_task) <= slack and admitted.allows(bounds)
            )
        return chosen


def _floor(work_bounds: list[Bounds], admitted: "Admission") -> list[float]:
    """The smallest lower bound of each task of one workload over the admitted candidates.

    They are asked in the order of their bounds, so that few need the rules' judgement.
    """
    tasks = range(len(work_bounds[0].by_task)) if work_bounds else ()
    return [_least(work_bounds, task, admitted) for task in tasks]


def _least(work_bounds: list[Bounds], task: int, admitted: "Admission") -> float:
    known = [(value, index) for index, bounds in enumerate(work_bounds) if (value := bounds.by_task[task]) is not None]
    for value, index in sorted(known):
        if admitted.allows(work_bounds[index]):
            return value
    return 0.0


def _excess(bounds: Bounds, floor: list[float], *, per_task: bool) -> float:
    """How much a candidate costs at least beyond the floors of the tasks it runs: any one of them, or all."""
    extras = [value - low for value, low in zip(bounds.by_task, floor, strict=True) if value is not None]
    if len(extras) < len(floor) and not per_task and bounds.candidate is not None:
        return min(extras, default=INFINITE)
    return min(extras, default=INFINITE) if per_task else sum(extras)


class Admission:
    """Whether a candidate may be used, asked of the rules only when needed."""

    def __init__(self, case: Case, policy: Policy, accepts: Accepts | None) -> None:
        self.case = case
        self.policy = policy
        self.accepts = accepts
        self._known: dict[int, bool] = {}

    def allows(self, bounds: Bounds) -> bool:
        """Whether the candidate is admitted and no admitted one on fewer nodes makes it needless."""
        known = self._known.get(bounds.candidate.index)
        if known is None:
            known = self._admitted(bounds) and not any(self._replaces(other, bounds) for other in bounds.better)
            self._known[bounds.candidate.index] = known
        return known

    def _admitted(self, bounds: Bounds) -> bool:
        if self.accepts is not None and not self.accepts(bounds.candidate):
            return False
        return self.case.admits(bounds.candidate, self.policy)

    def _replaces(self, one: Bounds, other: Bounds) -> bool:
        """Whether `one` is admitted with no more to confirm and nothing more below the strict figures."""
        if not self._admitted(one):
            return False
        mine, theirs = self.case.judge(one.candidate, self.policy), self.case.judge(other.candidate, self.policy)
        return mine.unknowns <= theirs.unknowns and mine.below_strict <= theirs.below_strict


def complete_only(accepts: Accepts | None = None) -> Accepts:
    """Only candidates whose every required line has a price."""
    return lambda candidate: not candidate.storage.missing and (accepts is None or accepts(candidate))


def with_deadline(case: Case, last_day: int) -> Case:
    """The same case with every job ending by a day (exclusive); for the frontier of cost against time."""
    tasks = tuple(task if task.month is not None else replace(task, end=min(task.end, last_day)) for task in case.tasks)
    return replace(case, tasks=tasks)
