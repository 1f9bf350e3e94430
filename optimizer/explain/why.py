"""Why an offer, term, provider or GPU is not in a plan: what it fails, or what using it would cost."""

from dataclasses import dataclass, replace
from decimal import Decimal
from time import monotonic

from optimizer.domain.finding import Finding
from optimizer.domain.offer import Term
from optimizer.domain.plan import Plan
from optimizer.errors import NoPlanInTime
from optimizer.explain.causes import Cause, Causes, counted
from optimizer.explain.forcing import Asking, Forced, forced
from optimizer.explain.matching import Target, target_of
from optimizer.explain.replan import chosen, terms_of, tolerance_micros, without_money_limits
from optimizer.explain.ties import lost_on
from optimizer.planning.extras import describe
from optimizer.planning.pipeline import Planner
from optimizer.planning.plan_file import plan_of
from optimizer.planning.search import Outcome


@dataclass(frozen=True)
class Unpriced:
    """A plan that uses the target and lacks a price: `total` is no more than what it costs at least."""

    total: Decimal
    missing: tuple[str, ...]
    plan: str


@dataclass(frozen=True)
class Answer:
    """What became of a target.

    `verdict`: in_plan, dearer, same_cost, incomplete (cheaper or not, but a required price is unknown),
    incomplete_both (of the plan as well), over_budget, or the kind of the nearest cause
    (optimizer.explain.causes.ORDER), or no_plan (fits alone, but no whole plan uses it).
    `total` and `extra_cost` belong to the best plan that uses it and count known prices: where `missing` (lines of that
    plan without a price) or `plan_missing` (of the plan itself) is not empty they are no more than that. A plan whose
    every line has a price is told before one that lacks some; `unpriced` stands beside one over the budget. `over`: by
    how much it is above each limit on cash of the file. `tie_level` says where it lost at the same cost; `gap`: the
    share of its cost by which a plan that uses it may be cheaper (0: proven that none is). `is_open`: the clock left
    open whether a plan that uses it keeps the limits on cash, or has every price, which this one does not.
    `holds_whole_work`: a workload that could use it in part is held to it from its first day to its last.
    """

    target: Target
    verdict: str
    cause: Cause | None = None
    rules: tuple[Finding, ...] = ()
    total: Decimal | None = None
    extra_cost: Decimal | None = None
    plan: str = ""
    tie_level: str = ""
    missing: tuple[str, ...] = ()
    plan_missing: tuple[str, ...] = ()
    over: tuple[tuple[str, Decimal], ...] = ()
    unpriced: Unpriced | None = None
    gap: Decimal = Decimal(0)
    is_open: bool = False
    holds_whole_work: bool = False
    conditional: tuple[str, ...] = ()
    matched: int = 0
    counts: dict[str, int] | None = None
    plan_total_today: Decimal | None = None

    @property
    def is_proven(self) -> bool:
        """Whether no cheaper plan that uses it exists, nor one of the kind told first."""
        return not self.gap and not self.is_open


def why(planner: Planner, text: str) -> Answer:
    """The answer for one target; `planner` keeps every region (PlanOptions.every_region).

    Raises:
        InputError: the text names nothing.
        NoPlanInTime: the plan itself could not be found again in time.
    """
    every = Causes(planner)
    target = target_of(text, planner.catalog, every.standing(), planner.case.offers)
    plan, outcome = planner.plan()
    causes = every.of_target(target)
    base = Answer(
        target,
        "",
        matched=len(causes),
        counts=counted(causes),
        plan_total_today=None if plan.cost is None else plan.cost.total,
    )
    if outcome.has_plan and _is_used(outcome, target):
        return replace(
            base, verdict="in_plan", total=base.plan_total_today, extra_cost=Decimal(0), plan=describe(outcome)
        )
    if not outcome.has_plan:
        return _excluded(base, causes)
    is_usable = bool(causes) and causes[0].kind == "usable"
    return _Asked(planner, base, plan, outcome, is_usable).answer() or _excluded(base, causes)


class _Asked:
    """The plans that use a target, asked for one after the other within the time of one re-plan."""

    def __init__(self, planner: Planner, base: Answer, plan: Plan, outcome: Outcome, is_usable: bool) -> None:
        self.planner, self.base, self.plan, self.outcome = planner, base, plan, outcome
        self.until = monotonic() + planner.options.seconds
        is_limited = is_usable and has_money_limits(planner)
        self.free = without_money_limits(planner) if is_limited else None
        self.is_open = False

    def answer(self) -> Answer | None:
        """Complete plans first, with the file's limits on money and then without; then plans that lack a price.

        Where the planner's own plan lacks prices there is no complete one within the limits.

        Raises:
            NoPlanInTime: no plan was found, and the clock left open whether there is one.
        """
        is_complete = not self.plan.incomplete
        within = self._best(self.planner, needs_prices=True, share=0.5) if is_complete else None
        if within is not None:
            return self._priced(within)
        over = self._best(self.free, needs_prices=True, share=0.8) if is_complete else None
        told = None if over is None else self._over(over)
        if told is not None and told.verdict != "over_budget":
            return told
        partly = self._best(self.planner, needs_prices=False, share=0.8)
        if told is not None:
            return replace(told, unpriced=None if partly is None else self._unpriced(partly))
        if partly is not None:
            return self._priced(partly)
        last = self._best(self.free, needs_prices=False, share=1.0)
        if last is None and self.is_open:
            what = self.base.target.text
            raise NoPlanInTime(f"no plan that uses {what} was found in time, nor is there proof that none does")
        return None if last is None else self._over(last)

    def _best(self, planner: Planner | None, *, needs_prices: bool, share: float) -> Forced | None:
        """The best plan within a share of the time that is left; None where there is none, or none in time."""
        if planner is None:
            return None
        seconds = (self.until - monotonic()) * share
        floor = self._floor_micros(planner, needs_prices)
        asking = Asking(planner, self.base.target, self.outcome, needs_prices, floor)
        try:
            return forced(asking, seconds)
        except NoPlanInTime:
            self.is_open = True
            return None

    def _floor_micros(self, planner: Planner, needs_prices: bool) -> int:
        """What the plan's own proof says of every plan of the same kind under the same limits."""
        solution, is_alike = self.outcome.solution, needs_prices or bool(self.plan.incomplete)
        is_cheapest = planner is self.planner and planner.options.objective == "cost"
        return solution.bound or 0 if solution is not None and is_alike and is_cheapest else 0

    def _priced(self, best: Forced) -> Answer:
        """What the best plan that uses it costs beyond the plan, or on which level it lost at the same cost."""
        other = _written(self.planner, best.outcome)
        if self.plan.cost is None or other.cost is None:
            raise ValueError("a plan without a cost")
        verdict = _verdict(self.plan, self.outcome, other, best.outcome)
        return replace(
            self.base,
            verdict=verdict,
            total=other.cost.total,
            extra_cost=other.cost.total - self.plan.cost.total,
            plan=describe(best.outcome),
            tie_level=lost_on(self.outcome, best.outcome) if verdict == "same_cost" else "",
            missing=other.incomplete,
            plan_missing=self.plan.incomplete,
            gap=Decimal(0) if best.is_proven else best.gap,
            is_open=self.is_open,
            holds_whole_work=Asking(self.planner, self.base.target, self.outcome).holds_whole_work,
            conditional=tuple(dict.fromkeys(unknown.rule for unknown in other.unknowns)),
        )

    def _over(self, best: Forced) -> Answer:
        """The best plan without limits on money, with what it is above them; one that keeps them is the best within."""
        over = overruns(self.planner, _written(self.planner, best.outcome))
        if not over and self.planner.file.max_hourly is None:
            answer = self._priced(best)
            return replace(answer, is_open=self.is_open and bool(answer.missing))
        return replace(self._priced(best), verdict="over_budget", tie_level="", over=over)

    def _unpriced(self, best: Forced) -> Unpriced | None:
        """What stands beside a complete plan; None where it is complete as well."""
        other = _written(self.planner, best.outcome)
        if other.cost is None or not other.incomplete:
            return None
        return Unpriced(other.cost.total, other.incomplete, describe(best.outcome))


def overruns(planner: Planner, plan: Plan) -> tuple[tuple[str, Decimal], ...]:
    """By how much a plan's cash is above the file's budget and its most in one month above the monthly budget."""
    amounts = [month.amount for month in plan.cash_flow]
    limits = (
        ("budget", sum(amounts, Decimal(0)), planner.file.budget),
        ("monthly_budget", max(amounts, default=Decimal(0)), planner.file.monthly_budget),
    )
    return tuple((name, paid - limit) for name, paid, limit in limits if limit is not None and paid > limit)


def has_money_limits(planner: Planner) -> bool:
    """Whether the file limits cash at all."""
    file = planner.file
    return not (file.budget is None and file.monthly_budget is None and file.max_hourly is None)


def _is_used(outcome: Outcome, target: Target) -> bool:
    if target.kind == "term":
        by_the_hour = outcome.solution is not None and any(service.hourly for service in outcome.solution.services)
        return target.term in terms_of(outcome) and (target.term is not Term.ON_DEMAND or by_the_hour)
    return any(target.means(candidate.supply) for candidate in chosen(outcome))


def _verdict(plan: Plan, outcome: Outcome, other: Plan, best: Outcome) -> str:
    """What two totals say of each other; totals that lack a price are not compared."""
    if other.incomplete:
        return "incomplete_both" if plan.incomplete else "incomplete"
    is_same = best.cost_micros - outcome.cost_micros <= tolerance_micros(outcome.cost_micros)
    return "same_cost" if is_same and not plan.incomplete else "dearer"


def _written(planner: Planner, outcome: Outcome) -> Plan:
    if outcome.assembly is None or outcome.solution is None:
        raise ValueError("no plan")
    return plan_of(outcome.assembly, outcome.solution, planner.catalog)


def _excluded(base: Answer, causes: list[Cause]) -> Answer:
    if not causes:
        return replace(base, verdict="not_sold")
    nearest = causes[0]
    verdict = "no_plan" if nearest.kind == "usable" else nearest.kind
    return replace(base, verdict=verdict, cause=nearest, rules=nearest.findings)
