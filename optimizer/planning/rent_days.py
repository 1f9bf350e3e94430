"""The days of rents that can matter; months that are renewed end on the first day's date, also after a shorter month.

A month from 31 January ends on 28 February; renewed it ends on 31 March, always counted from the first day
(docs/adr/0004). A month bought anew on 28 February would end on 28 March. Where that differs, a row of months is one
rent of the program that costs as many months, paid one by one. Other rents may follow on a row; a month that follows on
one belongs to it, as the longer row ends no sooner.
"""

from calendar import monthrange
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache, partial
from itertools import count

from optimizer.domain.offer import Term
from optimizer.domain.units import MONTHS_PER_YEAR
from optimizer.planning.calendar import add_months, date_of, day_number, term_end
from optimizer.planning.costing import Horizon, rent_end
from optimizer.planning.supply import RentOption
from optimizer.planning.thinning import Ends, candidate_starts

#: The last date that every month has.
LAST_COMMON_DATE = 28


Days = tuple[int, ...]
"""First day of a rent, the days on which it is renewed, and its end."""


@dataclass(frozen=True, slots=True)
class RentDays:
    """The rents of one pool whose work lies in [first, last).

    `both_ways`: whether shifting a rent can matter beyond its own workload's days (optimizer.planning.thinning).
    """

    horizon: Horizon
    rents: tuple[RentOption, ...]
    first: int
    last: int
    both_ways: bool

    def every_day(self) -> Iterator[tuple[RentOption, Days]]:
        """Rents from every day."""
        yield from self._from(tuple(range(self.last)), ())

    def that_matter(self, borders: set[int], extra: Iterable[int]) -> Iterator[tuple[RentOption, Days]]:
        """Rents from borders of work, from `extra` days, and in whole terms after or before them."""
        more = [*extra, *(self._starts_of_rows(borders) if self.both_ways else ())]
        ends = tuple(map(self._ends, self.rents))
        starts = candidate_starts(borders, ends, self.first, self.last, both_ways=self.both_ways, extra=more)
        others = tuple(self._ends(rent) for rent in self.rents if rent.term is not Term.MONTH)
        ends_of_rows = {row[-1] for row in self._rows(starts)}
        yield from self._from(starts, candidate_starts(ends_of_rows, others, 0, self.last, both_ways=False))

    def _from(self, starts: tuple[int, ...], after_rows: tuple[int, ...]) -> Iterator[tuple[RentOption, Days]]:
        every = tuple(sorted({*starts, *after_rows}))
        for rent in self.rents:
            is_month = rent.term is Term.MONTH
            ends = self._ends(rent)
            yield from ((rent, (start, ends(start))) for start in (starts if is_month else every))
            yield from ((rent, row) for row in (self._rows(starts) if is_month else ()))

    @property
    def _has_months(self) -> bool:
        return any(rent.term is Term.MONTH for rent in self.rents)

    def _rows(self, starts: tuple[int, ...]) -> Iterator[Days]:
        for start in starts if self._has_months else ():
            yield from rows_of_months(self.horizon.file.start, start, self.last)

    def _starts_of_rows(self, borders: set[int]) -> Iterator[int]:
        for border in sorted(borders) if self._has_months else ():
            yield from (day for day in starts_of_rows(self.horizon.file.start, border) if day >= self.first)

    def _ends(self, rent: RentOption) -> Ends:
        return partial(_end, self.horizon, rent)


def _end(horizon: Horizon, rent: RentOption, start: int) -> int:
    return rent_end(horizon, rent.rated.price, start, rent.block_days)


def ends_in_a_row(horizon: Horizon, rent: RentOption, start: int) -> Iterator[int]:
    """The ends of one rent after the other from `start`, without end; months are renewed."""
    end = start
    for number in count(1):
        if rent.term is Term.MONTH:
            end = term_end(horizon.file.start, start, number, None)
        else:
            end = rent_end(horizon, rent.rated.price, end, rent.block_days)
        yield end


def rows_of_months(start_date: date, start: int, last: int) -> Iterator[Days]:
    """Each row of months from `start` that ends later than as many months bought one by one: its start, the days on
    which it is renewed, and its end. The last month of a row begins before `last`.
    """
    if date_of(start_date, start).day <= LAST_COMMON_DATE:
        return
    days, alone = [start], start
    for number in count(1):
        if days[-1] >= last:
            return
        days.append(term_end(start_date, start, number, None))
        alone = term_end(start_date, alone, 1, None)
        if days[-1] != alone:
            yield tuple(days)


@lru_cache(maxsize=4096)
def starts_of_rows(start_date: date, end: int) -> tuple[int, ...]:
    """Days from which a row of two months or more ends on day `end`, where months one by one would not."""
    last = date_of(start_date, end)
    found: list[int] = []
    for number in count(2):
        year, month = divmod(last.year * MONTHS_PER_YEAR + last.month - 1 - number, MONTHS_PER_YEAR)
        length = monthrange(year, month + 1)[1]
        if date(year, month + 1, length) < start_date:
            return tuple(found)
        days = (date(year, month + 1, day) for day in range(LAST_COMMON_DATE + 1, length + 1))
        found += [day_number(start_date, day) for day in days if day >= start_date and add_months(day, number) == last]
    raise AssertionError
