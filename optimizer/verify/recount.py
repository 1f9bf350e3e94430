"""`verify_plan`: every claim of a plan recounted from the plan file alone, without the program that found it."""

from collections.abc import Callable

from pydantic import ValidationError

from optimizer.domain.plan import Plan
from optimizer.domain.text import Text
from optimizer.verify import texts
from optimizer.verify.capacity import check_max_hourly, check_quotas, check_site_power
from optimizer.verify.check import Check, Checks, filled
from optimizer.verify.commitments import check_coverage
from optimizer.verify.context import Context, VerifyFacts, build_context
from optimizer.verify.frame import check_frame, check_nothing_planned, check_rates, is_countable
from optimizer.verify.judging import check_rules
from optimizer.verify.limits import check_budgets, check_filters
from optimizer.verify.lines import cash_by_month
from optimizer.verify.needs import check_hourly, check_kinds, check_moves, check_networks, check_owned_costs
from optimizer.verify.owned import owned_units
from optimizer.verify.packing import check_packing, check_service
from optimizer.verify.purchases import check_lines, check_owned_counts
from optimizer.verify.sizing import check_sizing
from optimizer.verify.storage import check_storage
from optimizer.verify.totals import cash_months, check_comparisons, check_totals
from optimizer.verify.units import check_sunk, check_sunk_use, check_users
from optimizer.verify.usage import check_usage
from optimizer.verify.work import check_work

Section = Callable[[Context, Checks], None]


#: Checks that need no figure of another section.
SECTIONS: tuple[Section, ...] = (
    check_rates,
    check_work,
    check_filters,
    check_sizing,
    check_rules,
    check_sunk,
    check_sunk_use,
    check_users,
    check_service,
    check_packing,
    check_usage,
    check_kinds,
    check_owned_counts,
    check_hourly,
    check_moves,
    check_networks,
    check_storage,
    check_quotas,
    check_max_hourly,
    check_coverage,
)


def verify_plan(plan: Plan, facts: VerifyFacts | None = None) -> tuple[Check, ...]:
    """Recount a plan; the plan holds when every check is ok.

    The bound is taken as the solver stated it; docs/adr/0050-plan-lines.md lists what else cannot be recounted.
    A plan so damaged that a part cannot be computed gets a failed check that says so; nothing is raised.
    """
    checks = Checks()
    try:
        context = build_context(plan, facts or VerifyFacts())
    except (ValueError, OverflowError) as error:
        checks.add("plan.inputs", False, texts.INPUTS, _unreadable(error))
        return checks.as_tuple()
    _guarded(check_frame, context, checks)
    if plan.cost is None:
        _guarded(check_nothing_planned, context, checks)
        return checks.as_tuple()
    if not is_countable(context, checks):
        return checks.as_tuple()
    for section in SECTIONS:
        _guarded(section, context, checks)
    _guarded(check_money, context, checks)
    return checks.as_tuple()


def _guarded(section: Section, context: Context, checks: Checks) -> None:
    """A damaged figure may make a section impossible to compute: that is a failed check, not a crash."""
    try:
        section(context, checks)
    except (ArithmeticError, LookupError, ValueError, TypeError) as error:
        name = section.__name__.removeprefix("check_")
        checks.add(f"{name}.computable", False, texts.COMPUTABLE, _fault(error))


def _unreadable(error: Exception) -> Text:
    if not isinstance(error, ValidationError):
        return texts.BEYOND_CALENDAR
    names = sorted({".".join(map(str, slip["loc"])) for slip in error.errors()})
    return filled(texts.INVALID_FIELDS, count=len(names), names=names)


def _fault(error: Exception) -> Text:
    """Our own errors say what is wrong in both languages; of Python's the name that is missing, or its kind."""
    said = error.args[0] if error.args else None
    if isinstance(said, Text):
        return said
    if isinstance(error, KeyError):
        return filled(texts.NO_ENTRY, name=said)
    return filled(texts.NOT_COMPUTABLE, error=type(error).__name__)


def check_money(context: Context, checks: Checks) -> None:
    """All lines, then everything that is summed from them: cash, budgets, totals, savings."""
    cost = context.plan.cost
    if cost is None:
        return
    recounts = check_lines(context, checks)
    owned = owned_units(context)
    check_site_power(context, owned, checks)
    payments = [payment for recount in recounts.values() for payment in recount.payments]
    payments.extend(check_owned_costs(context, owned, checks))
    cash = cash_by_month(payments, cash_months(context))
    check_budgets(context, cash, checks)
    check_totals(context, cost, payments, cash, checks)
    check_comparisons(context, cost, checks)
