"""From a price row to micros of the report currency: rate, tax factor, billed hours (docs/adr/0004-accounting.md)."""

from decimal import Decimal
from fractions import Fraction
from math import ceil

from optimizer.domain.money import Rate, Rates
from optimizer.domain.offer import Offer, Price, PriceUnit
from optimizer.domain.plan import Plan, Purchase
from optimizer.domain.units import HOURS_PER_DAY, HOURS_PER_MONTH, HOURS_PER_YEAR, MONTHS_PER_YEAR
from optimizer.domain.workload import TaxSpec
from optimizer.verify import texts
from optimizer.verify.check import filled

#: Hours of float noise that do not buy another billing unit.
BILLING_NOISE = Fraction(1, 10**6)


def rates_of(plan: Plan) -> Rates:
    """The plan's own rates."""
    return Rates({used.currency: Rate(used.currency, used.units_per_usd, used.day, used.source) for used in plan.fx})


def tax_factor(tax_included: bool | None, tax: TaxSpec) -> Decimal:
    """With tax where it is lost, without it where it comes back; unknown is as `tax.included` says."""
    included = tax.included if tax_included is None else tax_included
    with_tax = Decimal(1) + Decimal(str(tax.rate))
    if included == (not tax.recoverable):
        return Decimal(1)
    return Decimal(1) / with_tax if included else with_tax


def billed_hours(hours: float, price: Price) -> Decimal:
    """A day's hours as billed: whole billing units, at least the minimum, at most a day."""
    unit = Fraction(str(price.billing_unit_hours)).limit_denominator(3600)
    units = ceil(Fraction(hours) / unit - BILLING_NOISE)
    billed = min(max(units * unit, Fraction(str(price.minimum_hours)).limit_denominator(3600)), Fraction(HOURS_PER_DAY))
    return Decimal(billed.numerator) / Decimal(billed.denominator)


def price_of(offer: Offer, line: Purchase) -> Price | None:
    """The offer's plannable price row that a line names by term, amount (an hour's where hourly), currency and kind."""
    rows = (p for p in offer.prices if p.term is line.term and p.is_plannable)
    stated = (line.unit_price, line.price_currency, line.price_kind)
    return next((p for p in rows if (unit_price(p), p.currency, p.kind.value) == stated), None)


def unit_price(price: Price) -> Decimal:
    """What a line quotes of a price: its amount, for service by the hour that of an hour."""
    return price.amount if price.term.buys_units else price.per_hour()


def term_length(price: Price, days: int) -> Decimal:
    """How many of its own units one term of this price holds: 12 months of a month price, 1 of a price per term."""
    if price.unit is PriceUnit.TERM:
        return Decimal(1)
    if price.term.months is not None:
        return _months_in_unit(price.unit, price.term.months)
    return Decimal(days) * HOURS_PER_DAY / _HOURS[price.unit]


def _months_in_unit(unit: PriceUnit, months: int) -> Decimal:
    if unit is PriceUnit.MONTH:
        return Decimal(months)
    if unit is PriceUnit.YEAR:
        return Decimal(months) / MONTHS_PER_YEAR
    if unit is PriceUnit.HOUR:
        in_year = months >= MONTHS_PER_YEAR
        return Decimal(months * HOURS_PER_YEAR) / MONTHS_PER_YEAR if in_year else Decimal(months * HOURS_PER_MONTH)
    raise ValueError(filled(texts.NO_LENGTH, unit=unit))


_HOURS = {
    PriceUnit.HOUR: 1,
    PriceUnit.DAY: HOURS_PER_DAY,
    PriceUnit.WEEK: 7 * HOURS_PER_DAY,
    PriceUnit.MONTH: HOURS_PER_MONTH,
    PriceUnit.YEAR: HOURS_PER_YEAR,
}


def upfront_share(price: Price, total: Decimal) -> Decimal:
    """The share of a term's total due on its first day; unknown: none of monthly and hourly prices, all of others."""
    if price.upfront_share is not None:
        return price.upfront_share
    if price.upfront_amount:
        return price.upfront_amount / total
    return Decimal(1) if price.unit in (PriceUnit.YEAR, PriceUnit.TERM) else Decimal(0)
