"""Dates and day numbers counted again, apart from the planner's calendar.

Day 0 is the plan's start; intervals are half-open. A term of k months ends on the same date k months later, clamped to
the month's end and always counted from its first day (design, section 3).
"""

from calendar import monthrange
from datetime import date, timedelta
from functools import lru_cache

from optimizer.domain.offer import Term


def months_later(day: date, months: int) -> date:
    """31 January + 1 month is 28 or 29 February; + 2 months is 31 March again.

    Raises:
        ValueError: the result lies beyond the calendar's last year.
    """
    month_count = day.month + months
    year = day.year + (month_count - 1) // 12
    month = (month_count - 1) % 12 + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def date_of(start: date, day: int) -> date:
    """The date of a day number.

    Raises:
        OverflowError: beyond the calendar's last year.
    """
    return start + timedelta(days=day)


@lru_cache(maxsize=64)
def month_starts(start: date, months: int) -> tuple[int, ...]:
    """Day numbers on which cash months 0..months begin (the last entry ends the last month)."""
    return tuple((months_later(start, month) - start).days for month in range(months + 1))


def month_of(start: date, day: int) -> int:
    """The cash month, counted from `start` without end, in which a day falls."""
    month = day // 31
    while (months_later(start, month + 1) - start).days <= day:
        month += 1
    return month


def rent_end(start: date, first_day: int, term: Term) -> int | None:
    """The day on which a rent from `first_day` ends; `None` for terms without a fixed length."""
    if term.days is not None:
        return first_day + term.days
    if term.months is None:
        return None
    return (months_later(date_of(start, first_day), term.months) - start).days


def months_inside(start: date, first_day: int, end_day: int) -> tuple[tuple[int, int, int, int], ...]:
    """The cash months that [first_day, end_day) touches: (month, first day in it, end in it, the month's length)."""
    parts = []
    month = month_of(start, first_day)
    while first_day < end_day:
        begin, end = (months_later(start, month) - start).days, (months_later(start, month + 1) - start).days
        stop = min(end, end_day)
        parts.append((month, first_day, stop, end - begin))
        first_day, month = stop, month + 1
    return tuple(parts)
