"""Why an offer, term, provider or GPU is not in a plan: what it fails, or what using it would cost."""

from dataclasses import dataclass, replace
from decimal import Decimal

from optimizer.domain.finding import Finding
from optimizer.domain.plan import Plan
from optimizer.explain.causes import Cause, Causes, counted
from optimizer.explain.matching import Target, target_of
from optimizer.explain.replan import Forced, chosen, forced, terms_of, tolerance_micros, without_money_limits
from optimizer.explain.ties import lost_on
from optimizer.planning.extras import describe
from optimizer.planning.pipeline import Planner
from optimizer.planning.plan_file import plan_of
from optimizer.planning.search import Outcome


@dataclass(frozen=True)
class Answer:
    """What became of a target.

    `verdict`: in_plan, dearer, same_cost, incomplete (cheaper or not, but a required price is unknown),
    incomplete_both (of the plan as well), over_budget, or the kind of the nearest cause
    (optimizer.explain.causes.ORDER), or no_plan (fits alone, but no whole plan uses it).
    `total` and `extra_cost` belong to the best plan that uses it and count known prices: where `missing` (lines of that
    plan without a price) or `plan_missing` (of the plan itself) is not empty they are no more than that. `tie_level`
    says where it lost at the same cost; `is_proven`: there is no cheaper plan that uses it.
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
    is_proven: bool = True
    conditional: tuple[str, ...] = ()
    matched: int = 0
    counts: dict[str, int] | None = None
    plan_total_today: Decimal | None = None


def why(planner: Planner, text: str) -> Answer:
    """The answer for one target; `planner` keeps every region (PlanOptions.every_region).

    Raises:
        InputError: the text names nothing.
        NoPlanInTime: the plan itself could not be found again in time.
    """
    every = Causes(planner)
    target = target_of(text, planner.catalog, every.standing())
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
    best = forced(planner, target, outcome, planner.options.seconds)
    if best is not None:
        return _priced(planner, base, plan, outcome, best)
    if has_money_limits(planner) and causes and causes[0].kind == "usable":
        best = forced(without_money_limits(planner), target, outcome, planner.options.seconds)
        if best is not None:
            return replace(_priced(planner, base, plan, outcome, best), verdict="over_budget", tie_level="")
    return _excluded(base, causes)


def has_money_limits(planner: Planner) -> bool:
    """Whether the file limits cash at all."""
    file = planner.file
    return not (file.budget is None and file.monthly_budget is None and file.max_hourly is None)


def _is_used(outcome: Outcome, target: Target) -> bool:
    if target.kind == "term":
        return target.term in terms_of(outcome)
    return any(target.means(candidate.supply) for candidate in chosen(outcome))


def _priced(planner: Planner, base: Answer, plan: Plan, outcome: Outcome, best: Forced) -> Answer:
    """What the best plan that uses it costs beyond the plan, or on which level it lost at the same cost."""
    other = _written(planner, best.outcome)
    if plan.cost is None or other.cost is None:
        raise ValueError("a plan without a cost")
    verdict = _verdict(plan, outcome, other, best.outcome)
    return replace(
        base,
        verdict=verdict,
        total=other.cost.total,
        extra_cost=other.cost.total - plan.cost.total,
        plan=describe(best.outcome),
        tie_level=lost_on(outcome, best.outcome) if verdict == "same_cost" else "",
        missing=other.incomplete,
        plan_missing=plan.incomplete,
        is_proven=best.is_proven,
        conditional=tuple(dict.fromkeys(unknown.rule for unknown in other.unknowns)),
    )


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
