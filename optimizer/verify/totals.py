"""Do the sums hold? Total, months, teams, terms, cash flow, present value, gap, savings: all from the lines."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from optimizer.domain.money import from_micros, to_micros
from optimizer.domain.plan import Cost, Plan, Purchase
from optimizer.domain.units import DAYS_PER_YEAR
from optimizer.rules import RULES_BY_ID
from optimizer.verify import texts
from optimizer.verify.calendar import month_starts
from optimizer.verify.check import Checks, filled
from optimizer.verify.commitments import covered_money
from optimizer.verify.context import Context, pool_of
from optimizer.verify.lines import Payment

#: design, section 3: a plan counts as proven within max(0.01, 10**-6 x cost) of its bound.
PROVEN_ABSOLUTE = Decimal("0.01")
PROVEN_RELATIVE = Decimal("0.000001")
#: The name in cost by team of work without a team.
NO_TEAM = "-"
#: Longest rent (five years) in cash months beyond the horizon.
MONTHS_BEYOND = 61


def cash_months(context: Context) -> tuple[int, ...]:
    """Starts of the cash months, beyond the horizon as far as a rent may be paid."""
    return month_starts(context.plan.start, context.plan.horizon_months + MONTHS_BEYOND)


def check_totals(
    context: Context, cost: Cost, payments: Sequence[Payment], cash: Mapping[int, int], checks: Checks
) -> None:
    """Every sum of the plan against its lines."""
    plan = context.plan
    total = sum(to_micros(line.cost) for line in plan.purchases)
    checks.micros("totals.total", total, cost.total)
    checks.equal("totals.by_term", _by_term(plan), _clean(cost.by_term))
    checks.equal("totals.by_team", by_team(context), _clean(cost.by_team))
    _check_cash(context, cost, cash, checks)
    _check_value(context, cost, payments, checks)
    _check_gap(plan, cost, checks)


def _by_term(plan: Plan) -> dict[str, Decimal]:
    sums: dict[str, int] = {}
    for line in plan.purchases:
        has_term = line.kind in ("machine", "commitment")
        name = line.term.value if has_term and line.term is not None else line.kind
        sums[name] = sums.get(name, 0) + to_micros(line.cost)
    return _clean({name: from_micros(micros) for name, micros in sums.items()})


def by_team(context: Context) -> dict[str, Decimal]:
    """Each line over its workloads by node-days on its pool, equally without any; the rest to the first in order.

    A commitment is split by the money that covers each workload.
    """
    teams = {name: work.team or NO_TEAM for name, work in context.works.items()}
    sums: dict[str, int] = {}
    for line in context.plan.purchases:
        names = line.workloads or tuple(teams)
        part = covered_money if line.kind == "commitment" else node_days
        weights = [part(context, line, name) if len(names) > 1 else Fraction(1) for name in names]
        weights = weights if sum(weights) else [Fraction(1)] * len(names)
        micros = to_micros(line.cost)
        shares = [int(micros * weight / sum(weights)) for weight in weights]
        shares[0] += micros - sum(shares)
        for name, share in zip(names, shares, strict=True):
            sums[teams[name]] = sums.get(teams[name], 0) + share
    return _clean({team: from_micros(micros) for team, micros in sums.items()})


def node_days(context: Context, line: Purchase, name: str) -> Fraction:
    """Machine-days that a workload takes of a line's pool on the line's days, not counting service by the hour."""
    total = Fraction(0)
    for a in context.plan.assignments:
        if a.workload == name and pool_of(a) == pool_of(line) and line.workloads:
            share = Fraction(a.gpus_used_per_node, a.gpus_per_node)
            for part in a.served_by:
                days = min(part.to_day, line.end_day) - max(part.from_day, line.start_day)
                if part.term.buys_units and days > 0:
                    total += share * part.nodes * days
    return total


def _clean(amounts: Mapping[str, Decimal]) -> dict[str, Decimal]:
    return {name: amount.normalize() for name, amount in sorted(amounts.items()) if amount}


def _check_cash(context: Context, cost: Cost, cash: Mapping[int, int], checks: Checks) -> None:
    starts = cash_months(context)
    last = max([context.plan.horizon_months - 1, *(month for month, micros in cash.items() if micros)])
    expected = [from_micros(cash.get(month, 0)).normalize() for month in range(last + 1)]
    checks.equal("totals.by_month", _texts(expected), _texts(cost.by_month))
    flow = [(row.month, row.start, row.amount.normalize()) for row in context.plan.cash_flow]
    wanted = [(month, context.date(starts[month]), amount) for month, amount in enumerate(expected)]
    checks.equal("totals.cash_flow", wanted, flow)


def _texts(amounts: Iterable[Decimal]) -> list[str]:
    return [format(amount.normalize(), "f") for amount in amounts]


def _check_value(context: Context, cost: Cost, payments: Sequence[Payment], checks: Checks) -> None:
    rate = context.file.discount_rate
    if rate == 0:
        ok = cost.present_value in (None, cost.total)
        checks.add("totals.present_value", ok, texts.NO_RATE, cost.present_value)
        return
    value = present_value(context, payments)
    # Each payment is rounded once in the planner's sum.
    slack = Decimal(len(payments) + 1) / 10**6
    found = cost.present_value
    ok = found is not None and abs(found - value) <= slack
    checks.add("totals.present_value", ok, value.quantize(Decimal("0.000001")), found)


def present_value(context: Context, payments: Sequence[Payment]) -> Decimal:
    """Payments and residual values, each weighed with (1 + r) ** (-day / 365)."""
    growth = 1.0 + context.file.discount_rate
    value = sum(payment.micros * growth ** (-payment.day / DAYS_PER_YEAR) for payment in payments)
    residual = sum((line.residual for line in context.plan.purchases), Decimal(0))
    last = context.plan.horizon_days - 1
    return Decimal(value) / 10**6 - residual * Decimal(growth ** (-last / DAYS_PER_YEAR))


def _check_gap(plan: Plan, cost: Cost, checks: Checks) -> None:
    minimized = cost.total if cost.present_value is None else cost.present_value
    distance = minimized - cost.bound
    proven = distance <= max(PROVEN_ABSOLUTE, PROVEN_RELATIVE * minimized)
    checks.equal("totals.gap", Decimal(0) if proven else distance.normalize(), cost.gap.normalize())
    most = filled(texts.BOUND_AT_MOST, cost=minimized)
    checks.add("totals.bound_below_cost", distance >= -PROVEN_ABSOLUTE, most, cost.bound)
    expected = "optimal" if proven else "feasible"
    # Where time comes first, the least cost may be proven and the earliest end not.
    is_open = plan.options.get("objective") == "time" and plan.status == "feasible"
    checks.add("totals.status", is_open or plan.status == expected, expected, plan.status)


def check_comparisons(context: Context, cost: Cost, checks: Checks) -> None:
    """Savings and extras are differences of costs."""
    for index, other in enumerate(context.plan.alternatives):
        checks.equal(f"totals.alternative[{index}]", (other.cost - cost.total).normalize(), other.extra.normalize())
    _check_rule_prices(context, cost, checks)
    _check_habits(context, cost, checks)
    baseline = context.plan.baseline
    if baseline is None:
        return
    saving = None if baseline.cost is None else baseline.cost - cost.total
    checks.equal("totals.baseline_saving", saving, baseline.saving)
    share = float(saving / baseline.cost) if saving is not None and baseline.cost else None
    checks.close("totals.baseline_fraction", share, baseline.saving_fraction, 1e-6)


def _check_habits(context: Context, cost: Cost, checks: Checks) -> None:
    """Savings against habits of buying: only where neither total lacks a price and the habit breaks no rule."""
    for habit in context.plan.baselines:
        is_alike = habit.status == "verified" and not (habit.missing or habit.broken or context.plan.incomplete)
        saving = habit.cost - cost.total if is_alike and habit.cost is not None else None
        checks.equal(f"totals.habit_saving[{habit.kind}]", saving, habit.saving)
        share = float(saving / habit.cost) if saving is not None and habit.cost else None
        checks.close(f"totals.habit_fraction[{habit.kind}]", share, habit.saving_fraction, 1e-6)


def _check_rule_prices(context: Context, cost: Cost, checks: Checks) -> None:
    """The saving of the best plan without a rule, or at a looser figure, as a share of its cost; each once, by id."""
    priced = [(row.rule, row.against) for row in context.plan.rule_prices]
    known = sorted({(rule, against) for rule, against in priced if rule in RULES_BY_ID})
    checks.equal("totals.rule_prices", known, sorted(priced))
    for row in context.plan.rule_prices:
        other = cost.total - row.saving
        share = float(row.saving / other) if other > 0 else None
        checks.close(f"totals.rule_fraction[{row.rule}]", share, row.fraction, 1e-9)
