"""The plan's own header against its inputs: currency, dates, profile, rates, and the offers that travel with it."""

from optimizer.domain.plan import Assignment, ServedBy, Sunk, Usage
from optimizer.verify import texts
from optimizer.verify.check import Checks, filled
from optimizer.verify.context import Context, pool_of


def check_frame(context: Context, checks: Checks) -> None:
    """The plan's own header repeats its inputs: currency, start, horizon, profile; no offer twice, none marked."""
    plan, file = context.plan, context.file
    for name in ("currency", "start", "after_horizon", "profile"):
        checks.equal(f"plan.{name}", getattr(file, name), getattr(plan, name))
    checks.equal("plan.horizon_days", context.months[-1], plan.horizon_days)
    if file.horizon_months is not None:
        checks.equal("plan.horizon_months", file.horizon_months, plan.horizon_months)
    keys = [offer.key for offer in plan.offers]
    checks.equal("plan.offers_once", sorted(set(keys)), sorted(keys))
    used = {pool_of(row) for row in (*plan.assignments, *(p for p in plan.purchases if p.kind == "machine"))}
    checks.equal("plan.offers_present", sorted({*used, *(sunk.pool for sunk in plan.sunk)} - set(keys)), [])
    sellers = [offer.key for offer in plan.offers if offer.provider != offer.machine.provider]
    checks.equal("plan.machines_of_provider", [], sellers)
    whole = [offer.key for offer in plan.offers if offer.machine.gpu_fraction is not None]
    checks.equal("plan.whole_cards", [], whole)


#: The longest horizon (120 months) and the longest rent (60 months) in days, and more machines than any plan has.
LAST_DAY = 181 * 31
MOST_MACHINES = 100_000


def is_countable(context: Context, checks: Checks) -> bool:
    """Whether days and counts are small enough to be recounted day by day; a damaged file may hold anything."""
    plan = context.plan
    parts = [part for a in plan.assignments for part in a.served_by]
    rows: list[Assignment | Usage | Sunk | ServedBy] = [*plan.assignments, *plan.usage, *plan.sunk, *parts]
    spans = [(row.from_day, row.to_day) for row in rows]
    spans += [(line.start_day, line.end_day) for line in plan.purchases]
    counts = [a.nodes for a in plan.assignments] + [part.nodes for part in parts]
    counts += [line.count for line in plan.purchases] + [sunk.count for sunk in plan.sunk]
    days = [day for span in spans for day in span]
    outside = [day for day in days if not 0 <= day <= LAST_DAY]
    beyond = [count for count in counts if not 0 <= count <= MOST_MACHINES]
    checks.equal("plan.days_countable", [], outside)
    checks.equal("plan.counts_countable", [], beyond)
    return not outside and not beyond


def check_rates(context: Context, checks: Checks) -> None:
    """One rate a currency: the file's own where it gives one, else a row not after the plan's date."""
    names = [used.currency for used in context.plan.fx]
    checks.equal("fx.once", sorted(set(names)), sorted(names))
    for used in context.plan.fx:
        own = context.file.fx.get(f"USD{used.currency}")
        if own is not None:
            checks.equal(f"fx.rate[{used.currency}]", own.normalize(), used.units_per_usd.normalize())
        else:
            dated = used.day is None or used.day <= context.plan.as_of
            checks.add(f"fx.day[{used.currency}]", dated, filled(texts.NOT_AFTER, day=context.plan.as_of), used.day)


def check_nothing_planned(context: Context, checks: Checks) -> None:
    """An infeasible plan claims nothing."""
    plan = context.plan
    checks.equal("plan.status", "infeasible", plan.status)
    rows = (*plan.assignments, *plan.purchases, *plan.usage, *plan.cash_flow)
    checks.equal("plan.empty", 0, len(rows))
