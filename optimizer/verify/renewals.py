"""Months that renew an earlier one, counted again: they end on the date of the first month's first day."""

from itertools import pairwise

from optimizer.domain.offer import Term
from optimizer.domain.plan import Plan, Purchase
from optimizer.verify.calendar import date_of, months_later


def is_renewed_month(plan: Plan, line: Purchase) -> bool:
    """Whether a line is the last of a row of months counted from one first day, each bought at least as often."""
    if line.term is not Term.MONTH:
        return False
    alike = [other for other in plan.purchases if _seller(other) == _seller(line)]
    bought: dict[tuple[int, int], int] = {}
    for other in alike:
        span = (other.start_day, other.end_day)
        bought[span] = bought.get(span, 0) + other.count
    last = (line.start_day, line.end_day)
    rows = (_row(plan, first, last) for first in {other.start_day for other in alike if other.start_day < last[0]})
    return any(row and all(bought.get(span, 0) >= bought[last] for span in row) for row in rows)


def _row(plan: Plan, first: int, last: tuple[int, int]) -> list[tuple[int, int]]:
    """The months counted from day `first` up to `last`; none where `last` is not one of them."""
    begin, days = date_of(plan.start, first), [first]
    while days[-1] < last[1]:
        days.append((months_later(begin, len(days)) - plan.start).days)
    row = list(pairwise(days))
    return row if row[-1] == last else []


def _seller(line: Purchase) -> tuple[object, ...]:
    return line.kind, line.provider, line.region, line.instance_type, line.term, line.unit_price, line.price_currency
