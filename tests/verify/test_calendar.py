"""Dates against the calendar on the wall (2027 is no leap year, 2028 is)."""

from datetime import date

import pytest

from optimizer.domain.offer import Term
from optimizer.verify.calendar import month_of, month_starts, months_inside, months_later, rent_end

# Counted on a calendar by hand.
LATER = [
    (date(2027, 1, 31), 1, date(2027, 2, 28)),
    (date(2028, 1, 31), 1, date(2028, 2, 29)),
    (date(2027, 1, 31), 2, date(2027, 3, 31)),
    (date(2026, 12, 1), 1, date(2027, 1, 1)),
    (date(2026, 12, 31), 14, date(2028, 2, 29)),
    (date(2026, 11, 30), 3, date(2027, 2, 28)),
    (date(2028, 2, 29), 12, date(2029, 2, 28)),
    (date(2027, 5, 15), 0, date(2027, 5, 15)),
]


@pytest.mark.parametrize(("day", "months", "expected"), LATER)
def test_same_date_so_many_months_later(day: date, months: int, expected: date) -> None:
    assert months_later(day, months) == expected


def test_cash_months_count_from_the_start_and_clamp_each_by_itself() -> None:
    # 31 Jan, 28 Feb, 31 Mar, 30 Apr: 28, 31, 30 days.
    assert month_starts(date(2027, 1, 31), 3) == (0, 28, 59, 89)


def test_a_day_belongs_to_the_month_that_has_begun() -> None:
    start = date(2027, 1, 31)
    assert [month_of(start, day) for day in (0, 27, 28, 58, 59, 364, 365)] == [0, 0, 1, 1, 2, 11, 12]


def test_a_stretch_is_cut_at_the_months() -> None:
    # 20 December to 5 February: 12 of 31, 31 of 31, 4 of 28 days.
    start = date(2026, 12, 1)
    assert months_inside(start, 19, 66) == ((0, 19, 31, 31), (1, 31, 62, 31), (2, 62, 66, 28))
    assert months_inside(start, 5, 5) == ()


@pytest.mark.parametrize(
    ("term", "first", "end"),
    [
        (Term.DAY, 3, 4),
        (Term.WEEK, 3, 10),
        (Term.MONTH, 0, 28),  # 31 January to 28 February
        (Term.MONTH, 1, 29),  # 1 February to 1 March
        (Term.RESERVED_3M, 0, 89),
        (Term.YEAR, 0, 365),
        (Term.RESERVED_3Y, 0, 365 + 366 + 365),  # through 29 February 2028
    ],
)
def test_rents_end_on_the_calendar(term: Term, first: int, end: int) -> None:
    assert rent_end(date(2027, 1, 31), first, term) == end


def test_twelve_months_in_a_row_are_a_year() -> None:
    start, day = date(2026, 12, 1), 0
    for _ in range(12):
        day = rent_end(start, day, Term.MONTH) or 0
    assert day == rent_end(start, 0, Term.YEAR) == 365
