"""The plan against the bill: what was promised and is not there, what is there and was not promised."""

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from decimal import Decimal

from optimizer.domain.money import from_micros
from optimizer.domain.offer import Term
from optimizer.domain.plan import Plan, Purchase
from optimizer.domain.text import Text
from optimizer.domain.workload import TaxSpec
from optimizer.review.bill import ZERO, Bill
from optimizer.review.commitments import Ending
from optimizer.review.finding import ReviewFinding, filled, hours, money, percent
from optimizer.review.forecast import Budget
from optimizer.review.groups import GpuRow
from optimizer.review.machines import name_key
from optimizer.review.terms import term_name

NOT_BILLED = Text(
    "The plan has {count} x {offer} ({term}) from {start} to {end}; the bill shows none of it.",
    "方案含 {count} 台 {offer}（{term}），{start} 至 {end}；账单中没有。",
)
NOT_PLANNED = Text(
    "{offer} ran {hours} hours for {amount}; the plan does not have it.",
    "{offer} 用了 {hours} 小时，计 {amount}；方案中没有。",
)
CASH = Text(
    "From {first} to {last} the plan pays its sellers {planned} ({tax}); the bill says {billed} in all, {gpu} of it "
    "for GPU machines.",
    "{first} 至 {last}（含）方案应付供应商 {planned}（{tax}）；账单合计 {billed}，其中 GPU 机器 {gpu}。",
)
TAX_AS_PUBLISHED = Text("tax as published", "税按公布口径")
WITH_TAX = Text("with {rate} tax", "含 {rate} 税")
WITHOUT_TAX = Text("without tax; {gross} with {rate} tax", "不含税；含 {rate} 税为 {gross}")
AS_BILLED = Text(
    "the bill's amounts are as it states them, with tax or without: compare with the figure that is like them",
    "账单金额按账单所列，含税或不含税：请与口径相同的数字比较",
)
NOT_COUNTED = Text(
    "The plan's lines cannot be counted again (see optimize verify): its cash is not compared with the bill.",
    "方案各行无法重新核算（见 optimize verify）：未将其现金与账单比较。",
)
OUTSIDE = Text(
    "The plan runs from {start} to {end}, outside this period: machines, prices, cash and budget are not compared.",
    "方案期为 {start} 至 {end}，不含本期：机器、价格、现金与预算均未与其比较。",
)


def plan_end(plan: Plan) -> date:
    """The first day after the plan's horizon."""
    from optimizer.planning.calendar import add_months

    return add_months(plan.start, plan.horizon_months)


def covers(plan: Plan, bill: Bill) -> bool:
    """Whether any day of the period lies in the plan's horizon."""
    return plan.start < bill.end and plan_end(plan) > bill.start


def outside_findings(bill: Bill, plan: Plan | None) -> Iterator[ReviewFinding]:
    """A plan of another time is said to be one."""
    if plan is not None and not covers(plan, bill):
        text = filled(OUTSIDE, start=plan.start.isoformat(), end=plan_end(plan).isoformat())
        yield ReviewFinding("plan-outside", "warning", text)


def plan_endings(plan: Plan | None) -> list[Ending]:
    """Rents of the plan, and commitments sunk in it, with their last day."""
    if plan is None:
        return []
    from optimizer.planning.calendar import date_of

    rents = [
        _ending(_offer_name(item), item.term, item.end, item.count)
        for item in plan.purchases
        if item.term is not None and (item.kind == "commitment" or (item.kind == "machine" and item.term.buys_units))
    ]
    sunk = [_ending(item.name, item.term, date_of(plan.start, item.to_day)) for item in plan.sunk]
    return [*rents, *sunk]


def _ending(name: str, term: Term, day: date, count: int | None = None) -> Ending:
    times = "" if count is None else f" x {count}"
    words = term_name(term)
    return Ending(f"{name} ({term}){times}", day, Text(f"{name} ({words.en}){times}", f"{name}（{words.zh}）{times}"))


def plan_budget(plan: Plan | None, amount: Decimal | None, currency: str, bill: Bill) -> Budget:
    """The budget over the plan's horizon; without a plan, over the period of the bill."""
    if plan is None:
        return Budget(amount, currency, bill.start, bill.end)
    stated = plan.inputs.get("budget")
    if amount is None and stated is not None and plan.currency == currency:
        amount = Decimal(str(stated))
    return Budget(amount, currency, plan.start, plan_end(plan))


def promise_findings(bill: Bill, plan: Plan | None, rows: Iterable[GpuRow]) -> Iterator[ReviewFinding]:
    """Machines planned for this period and not billed, billed and not planned, and cash beside cash."""
    if plan is None:
        return
    rows = tuple(rows)
    billed = {
        (row.machine.provider, name_key(row.machine.instance_type)) for row in rows if row.billed or row.effective
    }
    planned = [item for item in plan.purchases if _is_rent(item) and item.start < bill.end and item.end > bill.start]
    for item in planned:
        if (item.provider, name_key(item.instance_type or "")) not in billed:
            values = {
                "count": item.count,
                "offer": _offer_name(item),
                "start": item.start.isoformat(),
                "end": item.end.isoformat(),
            }
            name = term_name(item.term)
            text = Text(NOT_BILLED.en.format(term=name.en, **values), NOT_BILLED.zh.format(term=name.zh, **values))
            yield ReviewFinding("planned-not-billed", "warning", text, f"{_offer_name(item)}/{item.term}")
    yield from _unplanned(planned, rows)
    yield from _cash(bill, plan, rows)


def _is_rent(item: Purchase) -> bool:
    return item.kind == "machine" and item.provider != "owned"


def _offer_name(item: Purchase) -> str:
    return item.provider if item.kind == "commitment" else f"{item.provider}/{item.region}/{item.instance_type}"


def _unplanned(planned: Iterable[Purchase], rows: Iterable[GpuRow]) -> Iterator[ReviewFinding]:
    known = {(item.provider, name_key(item.instance_type or "")) for item in planned}
    for row in rows:
        key = (row.machine.provider, name_key(row.machine.instance_type))
        if key in known or not row.machine_hours:
            continue
        name = f"{row.machine.provider}/{row.region}/{row.machine.instance_type}"
        amount = money(row.billed if row.effective is None else row.effective, row.currency)
        text = filled(NOT_PLANNED, offer=name, hours=hours(row.machine_hours), amount=amount)
        yield ReviewFinding("billed-not-planned", "warning", text, name)


def _cash(bill: Bill, plan: Plan, rows: Iterable[GpuRow]) -> Iterator[ReviewFinding]:
    """What the plan pays sellers on the days of the period that it has, in the plan's currency."""
    from optimizer.verify import seller_payments

    total = next((total for total in bill.totals if total.currency == plan.currency), None)
    if total is None:
        return
    payments = seller_payments(plan)
    if payments is None:
        yield ReviewFinding("plan-cash", "warning", NOT_COUNTED, plan.currency)
        return
    first, end = max(bill.start, plan.start), min(bill.end, plan_end(plan))
    days = range((first - plan.start).days, (end - plan.start).days)
    planned = from_micros(sum(payment.micros for payment in payments if payment.day in days))
    values = {
        "first": first.isoformat(),
        "last": (end - timedelta(1)).isoformat(),
        "planned": money(planned, plan.currency),
        "billed": money(total.billed, plan.currency),
        "gpu": money(sum((row.billed for row in rows if row.currency == plan.currency), ZERO), plan.currency),
    }
    tax = _tax_words(plan, planned)
    text = Text(CASH.en.format(tax=tax.en, **values), CASH.zh.format(tax=tax.zh, **values))
    yield ReviewFinding("plan-cash", "note", text, plan.currency, details=(AS_BILLED,))


def _tax_words(plan: Plan, planned: Decimal) -> Text:
    """Whether the plan's amounts are with tax, and what they are with it (docs/adr/0004-accounting.md)."""
    tax = TaxSpec.model_validate(plan.inputs.get("tax") or {})
    if not tax.rate:
        return TAX_AS_PUBLISHED
    rate = percent(Decimal(str(tax.rate)), Decimal(1))
    if not tax.recoverable:
        return filled(WITH_TAX, rate=rate)
    return filled(WITHOUT_TAX, rate=rate, gross=money(planned * (1 + Decimal(str(tax.rate))), plan.currency))
