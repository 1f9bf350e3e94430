"""Offer prices as integer costs in the report currency, by the accounting rules of docs/adr/0004-accounting.md."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from optimizer.domain.money import Rates, to_micros
from optimizer.domain.offer import Price, PriceUnit, Term
from optimizer.domain.units import DAYS_PER_YEAR, HOURS_PER_DAY
from optimizer.domain.workload import TaxSpec, WorkloadFile
from optimizer.planning.calendar import month_start_days, term_end

LONGEST_TERM_MONTHS = 61
#: A hair of float noise must not buy another hour.
HAIR_HOURS = 1e-7


@dataclass(frozen=True, slots=True)
class Payment:
    """Money that leaves on a day: micros of the report currency."""

    day: int
    micros: int


@dataclass(frozen=True)
class Horizon:
    """The plan's calendar and how money on its days is weighed."""

    file: WorkloadFile
    months: int
    month_starts: tuple[int, ...]
    cash_month_starts: tuple[int, ...]

    @classmethod
    def of(cls, file: WorkloadFile, months: int) -> "Horizon":
        """The horizon of a file: whole months from its start."""
        starts = month_start_days(file.start, months + LONGEST_TERM_MONTHS)
        return cls(file, months, starts[: months + 1], starts)

    @property
    def days(self) -> int:
        """Days of the whole horizon."""
        return self.month_starts[-1]

    @property
    def continues(self) -> bool:
        """Whether rents that outlive the horizon count only for their days inside."""
        return self.file.after_horizon == "continue"

    def month_of(self, day: int) -> int:
        """The cash month of a day; months go on beyond the horizon, where instalments may still fall."""
        return bisect_right(self.cash_month_starts, day) - 1

    def weight(self, day: int) -> float:
        """Discount factor of a payment on a day: (1 + r) ** (-day / 365)."""
        rate = self.file.discount_rate
        return 1.0 if rate == 0 else float((1.0 + rate) ** (-day / DAYS_PER_YEAR))

    def objective(self, payments: Iterable[Payment]) -> int:
        """The payments' sum, each discounted and rounded once."""
        if self.file.discount_rate == 0:
            return sum(payment.micros for payment in payments)
        return sum(round(payment.micros * self.weight(payment.day)) for payment in payments)

    def cash(self, payments: Iterable[Payment]) -> tuple[tuple[int, int], ...]:
        """Cash by month, in month order."""
        by_month: dict[int, int] = {}
        for payment in payments:
            month = self.month_of(payment.day)
            by_month[month] = by_month.get(month, 0) + payment.micros
        return tuple(sorted(by_month.items()))


class RatedPrice(NamedTuple):
    """A price row and what multiplies it: report currency = amount x tax_factor x fx_rate."""

    price: Price
    fx_rate: Decimal
    tax_factor: Decimal
    tax_assumed: bool

    @property
    def factor(self) -> Decimal:
        """Rate times tax."""
        return self.fx_rate * self.tax_factor

    def hour(self) -> Decimal:
        """One hour of the machine in the report currency, unrounded."""
        return self.price.per_hour() * self.factor

    def node_day(self, hours: float) -> int:
        """Micros of one node on one day of `hours` hours of use, rounded up to the billing unit."""
        return to_micros(self.hour() * billed_hours(hours, self.price))

    def term_total(self, block_days: int | None = None) -> int:
        """Micros of one unit for the whole term (a block: of this length); upfront included."""
        return to_micros((self.price.term_total(block_days) + (self.price.upfront_amount or 0)) * self.factor)


def billed_hours(hours: float, price: Price) -> Decimal:
    """A day's hours rounded up to a multiple of the billing unit, at least the minimum, at most 24."""
    if price.billing_unit_hours == 1 and price.minimum_hours == 0:
        return Decimal(min(HOURS_PER_DAY, ceil(hours - HAIR_HOURS)))
    unit = Fraction(price.billing_unit_hours).limit_denominator(3600)
    steps = ceil(Fraction(hours) / unit - Fraction(HAIR_HOURS))
    billed = max(steps * unit, Fraction(price.minimum_hours).limit_denominator(3600))
    billed = min(billed, Fraction(HOURS_PER_DAY))
    return Decimal(billed.numerator) / Decimal(billed.denominator)


UNTOUCHED = Decimal(1)


def tax_factor(tax_included: bool | None, tax: TaxSpec) -> Decimal:
    """What makes all prices alike: with tax where it is lost, without it where it comes back (ADR 0004).

    A price that does not say (`None`) is taken as the file says.
    """
    included = tax.included if tax_included is None else tax_included
    if tax.recoverable != included:
        return UNTOUCHED
    rate = 1 + Decimal(str(tax.rate))
    return 1 / rate if included else rate


class Rating:
    """What multiplies the prices of one plan, worked out once for each currency and statement about tax."""

    def __init__(self, rates: Rates, currency: str, tax: TaxSpec) -> None:
        self._rates = rates
        self._currency = currency
        self._tax = tax
        self._known: dict[tuple[str, bool | None], tuple[Decimal, Decimal, bool]] = {}

    def rated(self, price: Price) -> RatedPrice:
        """A price with its rate and tax factor. Raises KeyError for a currency without a rate."""
        said = price.currency, price.tax_included
        known = self._known.get(said)
        if known is None:
            known = self._known[said] = self._factors(*said)
        return RatedPrice(price, *known)

    def _factors(self, currency: str, tax_included: bool | None) -> tuple[Decimal, Decimal, bool]:
        is_assumed = tax_included is None and self._tax.rate != 0
        return self._rates.factor(currency, self._currency), tax_factor(tax_included, self._tax), is_assumed


def upfront_fraction(price: Price) -> Decimal:
    """The share of a term's total that is due on its first day (ADR 0004 says what is assumed)."""
    if price.upfront_share is not None:
        return price.upfront_share
    if price.upfront_amount is not None and price.upfront_amount > 0:
        return price.upfront_amount / (price.term_total() + price.upfront_amount)
    return Decimal(1) if price.unit in (PriceUnit.YEAR, PriceUnit.TERM) else Decimal(0)


def rent_end(horizon: Horizon, price: Price, start: int, block_days: int | None = None) -> int:
    """The first day after one term that begins on day `start`."""
    days = block_days if price.term is Term.CAPACITY_BLOCK else price.term.days
    return term_end(horizon.file.start, start, price.term.months, days)


def rent_payments(horizon: Horizon, rated_price: RatedPrice, start: int, end: int) -> tuple[Payment, ...]:
    """The payments of one unit for one term [start, end): upfront, then equal instalments on monthly dates."""
    total = rated_price.term_total(end - start)
    months = rated_price.price.term.months
    if months is None or months == 1:
        payments = [Payment(start, total)]
    else:
        payments = _instalments(horizon, total, upfront_fraction(rated_price.price), start, months)
    if horizon.continues and end > horizon.days:
        return _inside_only(horizon, payments, start, end)
    return tuple(payments)


def _instalments(horizon: Horizon, total: int, share: Decimal, start: int, months: int) -> list[Payment]:
    upfront = to_micros(Decimal(total) * share / 1_000_000)
    rest = total - upfront
    each = round(Fraction(rest, months))
    amounts = [each] * (months - 1) + [rest - each * (months - 1)]
    dates = [term_end(horizon.file.start, start, month, None) if month else start for month in range(months)]
    payments = [Payment(day, amount) for day, amount in zip(dates, amounts, strict=True) if amount]
    return [Payment(start, upfront), *payments] if upfront else payments


def _inside_only(horizon: Horizon, payments: list[Payment], start: int, end: int) -> tuple[Payment, ...]:
    """Scale to the days inside: the sum is round(total x inside / length), spread over the payments inside."""
    total = sum(payment.micros for payment in payments)
    target = round(Fraction(total * (horizon.days - start), end - start))
    inside = [payment for payment in payments if payment.day < horizon.days]
    paid = sum(payment.micros for payment in inside)
    scaled = [Payment(payment.day, round(Fraction(payment.micros * target, paid))) for payment in inside]
    drift = target - sum(payment.micros for payment in scaled)
    last = scaled[-1]
    return (*scaled[:-1], Payment(last.day, last.micros + drift))
