"""What was rented and for how long: a rent costs its price for each whole month, however many days the month has.

A charge of a rent covers its period for each of its machines, whether they ran or not. Parts of a month count by the
days of that month, so that the daily lines of a calendar month add up to one month.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

from optimizer.domain.units import HOURS_PER_DAY, MONTHS_PER_YEAR
from optimizer.review.levels import SLACK
from optimizer.review.machines import BilledMachine

_NOON, _DAY, _SECOND = timedelta(hours=12), timedelta(days=1), timedelta(seconds=1)
_Key = tuple[BilledMachine, str, str, str, date]


@dataclass(frozen=True, slots=True)
class Rented:
    """Machine months and machine days that a rent was billed for, of charges that begin in one calendar month."""

    machine: BilledMachine
    region: str
    currency: str
    term: str
    month: date
    months: Fraction
    days: Fraction


@dataclass
class RentBook:
    """Collects charges of rents and adds up what they cover."""

    _months: dict[_Key, Fraction] = field(default_factory=dict)
    _days: dict[_Key, Fraction] = field(default_factory=dict)

    def add(
        self,
        machine: BilledMachine,
        place: tuple[str, str, str],
        period: tuple[datetime, datetime],
        ran: Iterable[tuple[Decimal, int]],
    ) -> None:
        """Charges of one period: (hours of one resource, resources); `place` is region, currency and term."""
        start, end = period
        hours = _days_between(start, end) * HOURS_PER_DAY
        key = (machine, *place, start.date().replace(day=1))
        machines = sum(count * machines_of(counted, hours) for counted, count in ran)
        self._months[key] = self._months.get(key, Fraction(0)) + machines * months_between(start, end)
        self._days[key] = self._days.get(key, Fraction(0)) + machines * hours / HOURS_PER_DAY

    def rented(self) -> tuple[Rented, ...]:
        """What each rent covers, in the order met."""
        return tuple(Rented(*key, months, self._days[key]) for key, months in self._months.items())


def machines_of(counted: Decimal, period_hours: Fraction) -> int:
    """Machines of a resource with so many hours in a charge period: one, unless they are more than it has."""
    most = period_hours * Fraction(SLACK)
    return max(1, -int(-Fraction(counted) // most)) if most > 0 else 1


def months_between(start: datetime, end: datetime) -> Fraction:
    """Months of rent in [start, end): whole months from date to date, and the rest by the days of its months.

    Days begin at the nearest midnight, since charges end a second before it or begin within the day of the order.
    Shorter periods than a day are parts of their month.
    """
    first, last = (start + _NOON).date(), (end + _NOON).date()
    if end - start < _DAY:
        return _days_between(start, end) / _days_in(start.date())
    whole, rest = _whole_months(first, last)
    return whole + sum((Fraction(1, _days_in(rest + timedelta(day))) for day in range((last - rest).days)), Fraction(0))


def _whole_months(first: date, last: date) -> tuple[int, date]:
    """Whole months from the first day, and the day on which the rest begins.

    28 February to 31 March is a month of a rent that began on a 31st: it counts from either end.
    """
    from optimizer.planning.calendar import add_months

    months = (last.year - first.year) * MONTHS_PER_YEAR + last.month - first.month
    if months and add_months(last, -months) == first:
        return months, last
    if add_months(first, months) > last:
        months -= 1
    return months, add_months(first, months)


def _days_between(start: datetime, end: datetime) -> Fraction:
    return Fraction((end - start) // _SECOND, _DAY // _SECOND)


def _days_in(day: date) -> int:
    following = (day.replace(day=28) + timedelta(days=4)).replace(day=1)
    return (following - timedelta(days=1)).day
