"""The main job, top to bottom: a case, the cheapest plan under the profile, its check, and what stands beside it."""

from collections.abc import Callable, Iterator
from itertools import combinations
from time import monotonic

from optimizer.catalog import Catalog
from optimizer.domain.plan import Caution, Plan
from optimizer.domain.workload import WorkloadFile
from optimizer.errors import InputError, NoPlanInTime, Problem
from optimizer.planning.build import build_case
from optimizer.planning.candidates import Candidate
from optimizer.planning.case import Case, PlanOptions
from optimizer.planning.earliest import earliest, has_jobs
from optimizer.planning.plan_file import infeasible_plan, plan_of
from optimizer.planning.search import Accepts, Interrupted, Outcome, Search, complete_only, with_bound
from optimizer.planning.tax_bases import HIGHEST_RATE, may_mix, tax_caution
from optimizer.planning.workload_file import lines_of
from optimizer.rules import RULES, OverrideError, Policy, Rule

MAX_RELAXED_RULES = 3
Progress = Callable[[str], None]


class Planner:
    """One file on one catalog: plans it, and re-plans it for questions about the plan."""

    def __init__(self, file: WorkloadFile, catalog: Catalog, options: PlanOptions, source: str = "workload") -> None:
        self.file = file
        self.catalog = catalog
        self.options = options
        self.source = source
        with lines_of(source):
            self.policy = policy_of(file, source)
            self.case: Case = build_case(file, catalog, options, source)
        self.search = Search(self.case)
        self._deadline = monotonic() + options.seconds
        self.is_earliest_proven = True

    @property
    def seconds_left(self) -> float:
        """Seconds of the time allowance that are left."""
        return max(0.0, self._deadline - monotonic())

    def plan(self) -> tuple[Plan, Outcome]:
        """The plan without extras, or an infeasible one.

        Raises:
            NoPlanInTime: the time limit passed before any plan was found.
            Interrupted: Ctrl-C; `plan_so_far` writes the best plan until then.
        """
        return self._written(*self.decide())

    def plan_so_far(self, stop: Interrupted) -> Plan | None:
        """The best plan when Ctrl-C came, marked as interrupted; None where there was none."""
        if stop.outcome is None or stop.outcome.assembly is None:
            return None
        plan, _ = self._written(stop.outcome, stop.outcome.assembly.policy)
        return plan.model_copy(update={"interrupted": True})

    def _written(self, outcome: Outcome, policy: Policy) -> tuple[Plan, Outcome]:
        if not outcome.has_plan or outcome.assembly is None or outcome.solution is None:
            if outcome.solution is not None and outcome.solution.status == "no_plan_in_time":
                raise NoPlanInTime(
                    f"no plan found within {self.options.seconds:g} s; whether there is one is open. "
                    "Allow more with --time-limit, or a larger budget."
                )
            return infeasible_plan(self.case, policy, self.catalog, outcome.empty_works), outcome
        self.policy = policy
        plan = plan_of(outcome.assembly, outcome.solution, self.catalog)
        plan = plan.model_copy(update={"cautions": tuple(self._cautions(outcome, policy))})
        return plan if self.is_earliest_proven else plan.model_copy(update={"status": "feasible"}), outcome

    def _cautions(self, outcome: Outcome, policy: Policy) -> Iterator[Caution]:
        """What makes the answer doubtful: quotes that nothing can use, and prices with and without tax that compete."""
        yield from self.case.cautions
        if not may_mix(self.case):
            return
        upper = outcome.cost_micros * (1 + HIGHEST_RATE)
        accepts = complete_only() if is_complete(outcome) else None
        near = self.search.within(policy, upper, accepts)
        said = tax_caution(self.case, [*configurations(outcome), *near], upper)
        if said is not None:
            yield said

    def decide(self) -> tuple[Outcome, Policy]:
        """The best outcome and the policy it holds under; with `objective: time` the one that ends first.

        From then on the planner's own case ends by that day, so that what stands beside the plan does so too.
        """
        outcome, policy = self._least_cost()
        if self.options.objective == "time" and outcome.has_plan and has_jobs(self.case):
            outcome = self._earliest(outcome, policy)
        return outcome, policy

    def _earliest(self, cheapest: Outcome, policy: Policy) -> Outcome:
        accepts = complete_only() if is_complete(cheapest) else None

        def solve(search: Search, ties: bool) -> Outcome:
            return search.cheapest(policy, accepts, seconds=self.seconds_left, tie_seconds=5.0 if ties else 0.0)

        try:
            found = earliest(self.search, cheapest, solve, lambda: self.seconds_left)
        except Interrupted:
            self.is_earliest_proven = False
            raise
        self.search, self.case, self.is_earliest_proven = found.search, found.search.case, found.is_proven
        return found.outcome

    def _least_cost(self) -> tuple[Outcome, Policy]:
        """The cheapest outcome and its policy: strict first, then the fewest rules at their floor."""
        outcome = self.cheapest(self.policy)
        if outcome.has_plan or self.file.profile != "documents" or not self._fails_by_rules(outcome):
            return outcome, self.policy
        names = self._relaxable()
        if not names or not self._has_plan(self.policy.relax(names)):  # rules relaxed together admit what fewer do
            return outcome, self.policy
        for count in range(1, MAX_RELAXED_RULES + 1):
            found = self._relaxed(names, count)
            if found is not None:
                return found
        return outcome, self.policy

    def _has_plan(self, policy: Policy) -> bool:
        return self.cheapest(policy, tie_seconds=0.0).has_plan

    def cheapest(
        self, policy: Policy, accepts: Accepts | None = None, *, tie_seconds: float = 5.0, seconds: float | None = None
    ) -> Outcome:
        """The cheapest plan; complete lines first, incomplete candidates only where nothing complete will do."""
        limit = self.seconds_left if seconds is None else seconds
        outcome = self.search.cheapest(policy, complete_only(accepts), seconds=limit, tie_seconds=tie_seconds)
        if outcome.has_plan or (outcome.solution is not None and outcome.solution.status != "infeasible"):
            return outcome
        return self.search.cheapest(policy, accepts, seconds=limit, tie_seconds=tie_seconds)

    def _fails_by_rules(self, outcome: Outcome) -> bool:
        return bool(outcome.empty_works) or outcome.solution is None or outcome.solution.status == "infeasible"

    def _relaxed(self, rules: tuple[str, ...], count: int) -> tuple[Outcome, Policy] | None:
        """The cheapest plan with `count` of the rules moved to their documented floor, if any such set gives a plan."""
        best: tuple[Outcome, Policy] | None = None
        for names in combinations(rules, count):
            if self.seconds_left <= 0:
                break
            policy = self.policy.relax(names)
            try:
                outcome = self.cheapest(policy)
            except Interrupted as stop:
                raise self._interrupted_among([stop.outcome, None if best is None else best[0]]) from None
            if outcome.has_plan and (best is None or outcome.cost_micros < best[0].cost_micros):
                best = outcome, policy
        return best

    def _interrupted_among(self, outcomes: list[Outcome | None]) -> Interrupted:
        """The cheapest of plans under different policies: only the floor of all of them bounds it."""
        known = [outcome for outcome in outcomes if outcome is not None]
        if not known:
            return Interrupted(None)
        cheapest = min(known, key=lambda outcome: outcome.cost_micros)
        return Interrupted(with_bound(cheapest, self.search.floor_micros()))

    def _relaxable(self) -> tuple[str, ...]:
        """Rules that fail somewhere and have a floor below their strict figure."""
        failing: set[str] = set()
        floors = self.policy.relax(rule.id for rule in floor_rules())
        for candidates in self.case.candidates:
            for candidate in candidates:
                strict = self.case.judge(candidate, self.policy).fails
                if strict and not self.case.judge(candidate, floors).fails:
                    failing |= strict
        return tuple(rule.id for rule in floor_rules() if rule.id in failing)


def is_complete(outcome: Outcome) -> bool:
    """Whether every required line of a plan has a price."""
    if outcome.assembly is None or outcome.solution is None:
        return False
    return not any(candidate.storage.missing for candidate in configurations(outcome))


def configurations(outcome: Outcome) -> list[Candidate]:
    """The configurations of a plan, each once; none where there is no plan."""
    if outcome.assembly is None or outcome.solution is None:
        return []
    placed = outcome.assembly.placed
    real = outcome.assembly.real_placements(outcome.solution.placements)
    chosen = {placed[identity].candidate.index: placed[identity].candidate for identity in real}
    return list(chosen.values())


def floor_rules() -> tuple[Rule, ...]:
    """Hard rules whose documented floor asks for less than the strict figure, in the registry's order."""
    return tuple(
        rule
        for rule in RULES
        if rule.floor_figures() != rule.strict_figures() or rule.severity["floor"] is not rule.severity["documents"]
    )


def policy_of(file: WorkloadFile, source: str) -> Policy:
    """The file's profile and overrides.

    Raises:
        InputError: an override names no rule or no figure of it.
    """
    try:
        return Policy.of(file.profile, file.rules)
    except OverrideError as error:
        raise InputError(
            Problem(source, item.field, item.found, item.expected, item.line, item.suggestion)
            for item in error.problems
        ) from error
