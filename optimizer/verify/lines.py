"""One line of cost counted again: what it costs and when it is paid, from its own fields and the offer it names.

Rounding points are those of docs/adr/0004-accounting.md, the meaning of `count`, `quantity` and `unit` those of
docs/adr/0050-plan-lines.md. All amounts are integers of 10**-6 of the report currency.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

from optimizer.domain.money import to_micros
from optimizer.domain.offer import Price, Term
from optimizer.domain.plan import Purchase
from optimizer.domain.units import DAYS_PER_YEAR, MONTHS_PER_YEAR
from optimizer.verify.calendar import date_of, months_inside, months_later
from optimizer.verify.context import Context

#: The average month of storage prices and of an owned machine's age.
DAYS_PER_MONTH = Fraction(DAYS_PER_YEAR, MONTHS_PER_YEAR)
UNIT_OF_OWNED = "unit"


@dataclass(frozen=True, slots=True)
class Payment:
    """Micros that leave on a day."""

    day: int
    micros: int


@dataclass(frozen=True, slots=True)
class Recount:
    """A line's quantity and unit, its payments, and the value (not cash) taken off at the horizon's end."""

    quantity: Decimal
    unit: str
    payments: tuple[Payment, ...]
    residual: int = 0

    @property
    def cost(self) -> int:
        """Payments less residual."""
        return sum(payment.micros for payment in self.payments) - self.residual


def factor(line: Purchase) -> Decimal:
    """Report currency for one unit of the price's currency, tax made alike."""
    return line.fx_rate * line.tax_factor


def hourly_line(line: Purchase, price: Price) -> Recount:
    """Service by the hour: every node and day is rounded once and paid on the day."""
    days = line.end_day - line.start_day
    hours_a_day = line.quantity / (line.count * days)
    node_day = to_micros(price.per_hour() * factor(line) * hours_a_day)
    payments = tuple(Payment(day, node_day * line.count) for day in range(line.start_day, line.end_day))
    return Recount(line.quantity, "hour", payments)


def rent_line(context: Context, line: Purchase, price: Price, length: Decimal, upfront: Decimal) -> Recount:
    """A rent: `length` of the price's units a term, `upfront` of the total on the first day, the rest monthly."""
    exact = price.amount * length + (price.upfront_amount or 0)
    total = to_micros(exact * factor(line))
    unit_payments = _instalments(context, line, total, upfront, line.term.months if line.term else None)
    if context.plan.after_horizon == "continue" and line.end_day > context.plan.horizon_days:
        unit_payments = _scaled_inside(context, line, unit_payments)
    payments = tuple(Payment(p.day, p.micros * line.count) for p in unit_payments)
    return Recount(length * line.count, price.unit.value, payments)


def _instalments(context: Context, line: Purchase, total: int, upfront: Decimal, months: int | None) -> list[Payment]:
    if months is None or months == 1:
        return [Payment(line.start_day, total)]
    first = round(Fraction(total) * Fraction(upfront))
    rest = total - first
    each = round(Fraction(rest, months))
    begin = date_of(context.plan.start, line.start_day)
    days = [(months_later(begin, month) - context.plan.start).days for month in range(months)]
    amounts = [each] * (months - 1) + [rest - each * (months - 1)]
    paid = [Payment(line.start_day, first), *(Payment(d, a) for d, a in zip(days, amounts, strict=True))]
    return [payment for payment in paid if payment.micros]


def _scaled_inside(context: Context, line: Purchase, payments: Sequence[Payment]) -> list[Payment]:
    """Only the days inside the horizon count: round(total x days inside / days), on the payments inside."""
    inside_days = context.plan.horizon_days - line.start_day
    total = sum(payment.micros for payment in payments)
    counted = round(Fraction(total * inside_days, line.end_day - line.start_day))
    inside = [payment for payment in payments if payment.day < context.plan.horizon_days]
    paid = sum(payment.micros for payment in inside)
    scaled = [Payment(p.day, round(Fraction(p.micros * counted, paid))) for p in inside]
    drift = counted - sum(payment.micros for payment in scaled)
    return [*scaled[:-1], Payment(scaled[-1].day, scaled[-1].micros + drift)]


def owned_line(context: Context, line: Purchase, residual_by_month: dict[int, float]) -> Recount:
    """A purchase: price on the purchase day, residual value at the horizon's end."""
    price = line.unit_price * factor(line)
    age = Fraction(context.plan.horizon_days - line.start_day) / DAYS_PER_MONTH
    kept = residual_fraction(residual_by_month, age)
    residual = round(Fraction(price) * 10**6 * kept) * line.count
    return Recount(
        Decimal(line.count), UNIT_OF_OWNED, (Payment(line.start_day, to_micros(price) * line.count),), residual
    )


def residual_fraction(rows: dict[int, float], age_months: Fraction) -> Fraction:
    """The share of its price that a machine keeps: linear between rows, constant after the last, 1 at age 0."""
    points = sorted(({0: 1.0} | rows).items())
    for (left, before), (right, after) in pairwise(points):
        if left <= age_months <= right:
            share = (age_months - left) / (right - left)
            return Fraction(str(before)) + share * (Fraction(str(after)) - Fraction(str(before)))
    return Fraction(str(points[-1][1]))


def stored_line(context: Context, line: Purchase) -> Recount:
    """Storage for GB-months: rounded once in all, paid on the first day in each cash month, the last takes the rest."""
    total = to_micros(line.quantity * line.unit_price * factor(line))
    parts = months_inside(context.plan.start, line.start_day, line.end_day)
    days = line.end_day - line.start_day
    payments = [Payment(first, round(Fraction(total * (end - first), days))) for _, first, end, _ in parts[:-1]]
    left = total - sum(payment.micros for payment in payments)
    return Recount(line.quantity, line.unit, (*payments, Payment(parts[-1][1], left)))


def shared_data_line(line: Purchase) -> Recount:
    """A shared data set: a day of it is rounded once and paid on the day."""
    days = line.end_day - line.start_day
    daily = round(Fraction(line.quantity) * Fraction(line.unit_price) * Fraction(factor(line)) * 10**6 / days)
    return Recount(line.quantity, line.unit, tuple(Payment(d, daily) for d in range(line.start_day, line.end_day)))


def single_payment(line: Purchase) -> Recount:
    """Quantity times price, rounded once, paid on the first day (egress, a move, the network of a machine)."""
    return Recount(
        line.quantity, line.unit, (Payment(line.start_day, to_micros(line.quantity * line.unit_price * factor(line))),)
    )


def cash_by_month(payments: Iterable[Payment], starts: Sequence[int]) -> dict[int, int]:
    """Payments summed by cash month; `starts` are month starts that reach beyond the last payment."""
    cash: dict[int, int] = {}
    month = 0
    for payment in sorted(payments, key=lambda p: p.day):
        while starts[month + 1] <= payment.day:
            month += 1
        cash[month] = cash.get(month, 0) + payment.micros
    return cash


def is_rent(line: Purchase) -> bool:
    """Whether a line is a rent of units for a term."""
    return line.kind == "machine" and line.term is not None and line.term.buys_units and line.term is not Term.OWNED
