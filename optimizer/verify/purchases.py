"""Every line of cost: does it name a price that the offer has, at the plan's rate and tax, for the days it says?"""

from decimal import Decimal

from optimizer.domain.money import Rates
from optimizer.domain.offer import Offer, Price, Term
from optimizer.domain.plan import Purchase
from optimizer.domain.text import Text
from optimizer.verify import texts
from optimizer.verify.calendar import rent_end
from optimizer.verify.check import Checks, filled
from optimizer.verify.commitments import commitment_line
from optimizer.verify.context import Context, pool_of
from optimizer.verify.lines import (
    Recount,
    hourly_line,
    owned_line,
    rent_line,
    shared_data_line,
    single_payment,
    stored_line,
)
from optimizer.verify.prices import price_of, rates_of, tax_factor, term_length, upfront_share
from optimizer.verify.renewals import is_renewed_month
from optimizer.verify.services import RATE_TOLERANCE, check_service_price
from optimizer.verify.units import may_buy_of

#: The term that a line beside the machines carries: `owned` where it belongs to the user's own machines.
TERMS_BESIDE: dict[str, tuple[Term | None, ...]] = {
    "storage": (None,),
    "egress": (None,),
    "move": (None,),
    **dict.fromkeys(("network", "energy", "colocation", "maintenance", "staff"), (Term.OWNED,)),
}
#: Lines beside the machines at a seller's price; the others are the user's own figures.
LIST_KINDS = ("storage", "egress")


def name_of(index: int, line: Purchase) -> str:
    """A line's name in check ids."""
    return f"{index}:{line.kind}"


def check_lines(context: Context, checks: Checks) -> dict[int, Recount]:
    """Check every line by itself; the recounts by index, but for running costs (recounted from the machines)."""
    rates, recounts = rates_of(context.plan), {}
    for index, line in enumerate(context.plan.purchases):
        where = name_of(index, line)
        _check_dates(context, line, where, checks)
        _check_rate(context, line, rates, where, checks)
        unknown = sorted(set(line.workloads) - set(context.works))
        checks.equal(f"line.workloads[{where}]", [], unknown)
        if line.kind not in ("machine", "commitment"):
            _check_beside(context, line, where, checks)
        if line.kind not in ("machine", "commitment", *LIST_KINDS):
            checks.equal(f"line.observed[{where}]", None, line.observed)
        recount = _recount(context, line, where, checks) if _check_positive(line, where, checks) else None
        if recount is not None:
            recounts[index] = recount
            _check_recount(line, recount, where, checks)
    return recounts


def _check_beside(context: Context, line: Purchase, where: str, checks: Checks) -> None:
    """Price kind and tax of a line beside the machines: the user's own figures are taken as they are."""
    if line.kind in LIST_KINDS:
        check_service_price(context, line, where, checks)
        return
    checks.equal(f"line.price_kind[{where}]", "quote", line.price_kind)
    checks.equal(f"line.tax_factor[{where}]", Decimal(1), line.tax_factor)


def _recount(context: Context, line: Purchase, where: str, checks: Checks) -> Recount | None:
    if line.kind == "machine":
        is_owned = line.term is Term.OWNED
        return _owned(context, line, where, checks) if is_owned else _rented(context, line, where, checks)
    if line.kind == "commitment":
        return commitment_line(context, line, where, checks)
    if line.kind == "storage":
        return shared_data_line(line) if line.note.startswith("shared data set ") else stored_line(context, line)
    if line.kind in ("egress", "move", "network"):
        return single_payment(line)
    checks.equal(f"line.residual[{where}]", Decimal(0), line.residual)
    return None


def _check_dates(context: Context, line: Purchase, where: str, checks: Checks) -> None:
    checks.equal(f"line.start[{where}]", context.date(line.start_day), line.start)
    checks.equal(f"line.end[{where}]", context.date(line.end_day), line.end)
    ordered = 0 <= line.start_day < line.end_day and line.start_day < context.plan.horizon_days
    checks.add(f"line.days[{where}]", ordered, texts.STARTS_INSIDE, (line.start_day, line.end_day))


def _check_rate(context: Context, line: Purchase, rates: Rates, where: str, checks: Checks) -> None:
    known = {context.plan.currency, "USD", *rates.by_currency}
    if not checks.add(f"line.currency[{where}]", line.price_currency in known, sorted(known), line.price_currency):
        return
    expected = rates.factor(line.price_currency, context.plan.currency)
    ok = abs(expected - line.fx_rate) <= RATE_TOLERANCE * expected
    checks.add(f"line.fx_rate[{where}]", ok, expected, line.fx_rate)


def _check_positive(line: Purchase, where: str, checks: Checks) -> bool:
    ok = line.count > 0 and line.quantity > 0 and line.end_day > line.start_day
    has_term = line.kind in ("machine", "commitment")
    ok = ok and (line.term is not None if has_term else line.term in TERMS_BESIDE[line.kind])
    return checks.add(f"line.count[{where}]", ok, texts.COUNTS_EXPECTED, _counts(line))


def _counts(line: Purchase) -> Text:
    term = line.term or texts.NO_TERM
    return filled(texts.COUNTS, count=line.count, quantity=line.quantity, term=term)


def _rented(context: Context, line: Purchase, where: str, checks: Checks) -> Recount | None:
    offer = context.offers.get(pool_of(line))
    checks.add(f"line.offer[{where}]", offer is not None, texts.OFFER_OF_PLAN, pool_of(line))
    if offer is None:
        return None
    price = price_of(offer, line)
    stated = f"{line.unit_price} {line.price_currency} ({line.price_kind})"
    checks.add(f"line.unit_price[{where}]", price is not None, _prices(offer, line), stated)
    if price is None:
        return None
    _check_price(context, line, price, where, checks)
    checks.equal(f"line.term[{where}]", line.term, price.term)
    if price.term.is_hourly:
        return hourly_line(line, price)
    if price.term.is_savings_plan:
        return Recount(line.quantity, "hour", ())  # a commitment pays for it
    _check_term(context, line, price, where, checks)
    length = term_length(price, line.end_day - line.start_day)
    total = price.amount * length + (price.upfront_amount or 0)
    return rent_line(context, line, price, length, upfront_share(price, total))


def _prices(offer: Offer, line: Purchase) -> list[str] | Text:
    rows = (p for p in offer.prices if p.term is line.term and p.is_plannable)
    return [f"{p.amount} {p.currency} ({p.kind.value})" for p in rows] or filled(texts.NO_PRICE, term=line.term)


def _check_price(context: Context, line: Purchase, price: Price, where: str, checks: Checks) -> None:
    factor = tax_factor(price.tax_included, context.file.tax)
    ok = abs(factor - line.tax_factor) <= RATE_TOLERANCE
    checks.add(f"line.tax_factor[{where}]", ok, factor, line.tax_factor)
    checks.equal(f"line.observed[{where}]", price.observed, line.observed)
    day = context.plan.as_of
    valid = (price.valid_from or day) <= day <= (price.valid_to or day)
    checks.add(f"line.price_valid[{where}]", valid, f"{price.valid_from or ''}..{price.valid_to or ''}", day)


def _check_term(context: Context, line: Purchase, price: Price, where: str, checks: Checks) -> None:
    last = price.valid_to or line.start
    checks.add(f"line.start_valid[{where}]", line.start <= last, filled(texts.UNTIL, day=price.valid_to), line.start)
    if price.term is Term.CAPACITY_BLOCK:
        lengths = price.block_lengths_days
        checks.add(
            f"line.block[{where}]", line.end_day - line.start_day in lengths, lengths, line.end_day - line.start_day
        )
    else:
        end = rent_end(context.plan.start, line.start_day, price.term)
        ok = line.end_day == end or is_renewed_month(context.plan, line)
        checks.add(f"line.term_end[{where}]", ok, end, line.end_day)


def _owned(context: Context, line: Purchase, where: str, checks: Checks) -> Recount | None:
    machine = may_buy_of(context, line.instance_type)
    checks.add(f"line.may_buy[{where}]", machine is not None, texts.MAY_BUY, line.instance_type)
    if machine is None:
        return None
    offer = context.offers.get(pool_of(line))
    price = price_of(offer, line) if offer is not None else None
    if machine.price:
        checks.add(f"line.offer[{where}]", price is not None, texts.PRICE_IN_OFFER, pool_of(line))
    checks.equal(f"line.observed[{where}]", price.observed if price else None, line.observed)
    checks.equal(f"line.unit_price[{where}]", machine.price, line.unit_price)
    checks.equal(f"line.price_currency[{where}]", machine.currency or context.file.currency, line.price_currency)
    checks.equal(f"line.tax_factor[{where}]", Decimal(1), line.tax_factor)
    checks.equal(f"line.term_end[{where}]", context.plan.horizon_days, line.end_day)
    usable = line.start_day + machine.lead_time_days
    before = filled(texts.USABLE_BEFORE, day=line.end_day)
    checks.add(f"line.lead_time[{where}]", usable < line.end_day, before, usable)
    return owned_line(context, line, dict(machine.residual_by_month))


def _check_recount(line: Purchase, recount: Recount, where: str, checks: Checks) -> None:
    ok = abs(recount.quantity - line.quantity) <= RATE_TOLERANCE * recount.quantity
    checks.add(f"line.quantity[{where}]", ok, recount.quantity, line.quantity)
    checks.equal(f"line.unit[{where}]", recount.unit, line.unit)
    checks.micros(f"line.residual[{where}]", recount.residual, line.residual)
    checks.micros(f"line.cost[{where}]", recount.cost, line.cost)


def check_owned_counts(context: Context, checks: Checks) -> None:
    """No more machines bought than the file allows, over all purchase days."""
    for machine in context.file.owned.may_buy:
        lines = (p for p in context.plan.purchases if p.kind == "machine" and p.term is Term.OWNED)
        bought = sum(line.count for line in lines if may_buy_of(context, line.instance_type) is machine)
        checks.at_most(f"limits.may_buy[{machine.name or machine.server}]", machine.max, bought)
