"""Dates and day numbers. Days count from the plan's start; intervals are half-open."""

from calendar import monthrange
from datetime import date, timedelta

from optimizer.domain.units import MONTHS_PER_YEAR


def add_months(day: date, months: int) -> date:
    """The same date `months` later, clamped to the month's end; always counted from `day` (31 Jan + 1 = 28 Feb)."""
    index = day.year * MONTHS_PER_YEAR + day.month - 1 + months
    year, month = divmod(index, MONTHS_PER_YEAR)
    last = monthrange(year, month + 1)[1]
    return date(year, month + 1, min(day.day, last))


def day_number(start: date, day: date) -> int:
    """Days from the plan's start."""
    return (day - start).days


def date_of(start: date, day: int) -> date:
    """The date of a day number."""
    return start + timedelta(days=day)


def month_start_days(start: date, months: int) -> tuple[int, ...]:
    """Day numbers of the cash months' starts, plus the end of the last: months + 1 entries."""
    return tuple(day_number(start, add_months(start, month)) for month in range(months + 1))


def months_covering(start: date, days: int) -> int:
    """The fewest whole months from `start` that hold `days` days."""
    months = 1
    while day_number(start, add_months(start, months)) < days:
        months += 1
    return months


def term_end(start: date, first_day: int, months: int | None, days: int | None) -> int:
    """The first day after a term that begins on `first_day` and lasts calendar months, or days."""
    if months is not None:
        return day_number(start, add_months(date_of(start, first_day), months))
    if days is not None:
        return first_day + days
    raise ValueError("a term needs a length in months or days")
