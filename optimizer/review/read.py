"""Reading bills: from files, or from a table of an engine the user has, to a `Bill`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from typing import Any

from optimizer.errors import InputError, Problem
from optimizer.review.bill import (
    ZERO,
    Bill,
    Cell,
    CommitmentRow,
    Correction,
    Duplicates,
    Owner,
    ReservationRow,
    Spending,
    Totals,
)
from optimizer.review.engine import DuckDbEngine, Engine
from optimizer.review.files import Unread, bad_files_as_errors, describe, keep_lines, open_sources
from optimizer.review.levels import LevelBook, Levels
from optimizer.review.machines import MachineFinder, provider_id
from optimizer.review.mapping import BillMapping, built_in_mappings, detect
from optimizer.review.normalize import RENT_TERMS, Source, lines_sql
from optimizer.review.queries import DESCRIPTOR, Counts, MachineRow, Period, Queries
from optimizer.review.rents import RentBook, Rented
from optimizer.review.unread import Locate, line_numbers, nowhere, said

_MONTHS_PER_YEAR = 12
_NANO = Decimal("1e-9")


@dataclass(frozen=True)
class Scope:
    """What of the bills is under review, and on which clock.

    `month`: the lines of one month; `start` and `end`: the charges in [start, end); nothing: everything. `zone`: a
    clock that the user names. A month goes by the billing period, unless a clock is named: then by the charge.
    """

    month: date | None = None
    zone: str | None = None
    start: date | None = None
    end: date | None = None

    @property
    def by(self) -> str:
        """Whether lines are chosen by their billing period ("bill") or by their charge ("charge")."""
        return "charge" if self.zone is not None or self.start is not None else "bill"

    @property
    def period(self) -> Period:
        """The stretch of the clock."""
        start, end = self.start, self.end
        if self.month is not None:
            start, end = self.month.replace(day=1), next_month(self.month)
        return Period(_midnight(start), _midnight(end), self.by)


def _midnight(day: date | None) -> datetime | None:
    return None if day is None else datetime(day.year, day.month, day.day)  # noqa: DTZ001 - the review's own clock


def next_month(day: date) -> date:
    """The first day of the month after a day's."""
    return date(day.year + day.month // _MONTHS_PER_YEAR, day.month % _MONTHS_PER_YEAR + 1, 1)


def read_bill(
    patterns: Iterable[str], finder: MachineFinder, scope: Scope | None = None, mappings: Sequence[BillMapping] = ()
) -> Bill:
    """Read bill files (names, globs, folders) with DuckDB; the user's mappings are tried before the shipped ones.

    Raises:
        InputError: every file that is missing, cut, of unknown format or damaged; or a month that no line is in.
    """
    scope = scope or Scope()
    with DuckDbEngine() as engine:
        opened = open_sources(engine, patterns, [*mappings, *built_in_mappings()])
        kept = keep_lines(engine, opened, scope.zone or opened.sources[0].mapping.zone)
        with bad_files_as_errors([label for source in opened.sources for label in source.files]):
            queries = Queries(engine, kept.lines, scope.period, kept.examples)
            return collect(queries, opened.sources, finder, scope, kept.rejected, partial(line_numbers, opened))


def read_table(
    engine: Engine, table: str, finder: MachineFinder, scope: Scope | None = None, mappings: Sequence[BillMapping] = ()
) -> Bill:
    """Read a table of bill lines where it lies, on any engine.

    Raises:
        InputError: the table's columns are of no known format, or no line is in the month.
    """
    columns = engine.columns(table)
    names = [column.name for column in columns]
    found = detect(names, [*mappings, *built_in_mappings()])
    if found is None:
        raise InputError(Problem(table, "", "columns of no known bill format", "a known format or --mapping"))
    source = Source(table, table, columns, found.mapping, found.version, files=(table,))
    scope = scope or Scope()
    queries = Queries(engine, lines_sql([source], scope.zone), scope.period)
    return collect(queries, [source], finder, scope)


def collect(
    queries: Queries,
    sources: Sequence[Source],
    finder: MachineFinder,
    scope: Scope,
    rejected: Sequence[Unread] = (),
    locate: Locate = nowhere,
) -> Bill:
    """Ask all questions about the lines and keep the answers.

    `locate` finds the lines of what cannot be read.
    """
    zones = tuple(dict.fromkeys(source.mapping.zone for source in sources))
    zone = scope.zone or zones[0]
    course = list(queries.course())
    unread, reasons = _unread(queries, rejected, locate)
    if not course and unread:
        raise InputError(_none_readable(sources, unread, sum(reasons.values())))
    spans = _spans(course, scope, sources)
    totals, judged = _totals(queries, finder)
    kinds = queries.use(judged)
    levels, rents = _demand(queries, kinds, finder)
    cells = _cells(queries, kinds, finder)
    gpu_billed, gpu_effective = _sums(cells)
    return Bill(
        sources=tuple(describe(sources)),
        zone=zone,
        start=spans.start,
        end=spans.end,
        through=spans.through,
        by=scope.by,
        totals=tuple(totals[currency] for currency in sorted(totals)),
        cells=cells,
        levels=levels,
        rents=rents,
        other={currency: totals[currency].billed - gpu_billed.get(currency, ZERO) for currency in sorted(totals)},
        other_effective={
            currency: totals[currency].effective - gpu_effective.get(currency, ZERO) for currency in sorted(totals)
        },
        owners=_owners(course, scope.period),
        commitments=tuple(_commitment(row) for row in sorted(queries.commitments(), key=lambda row: row[:7])),
        reservations=tuple(_reservation(row) for row in sorted(queries.reservations(), key=lambda row: row[:4])),
        corrections=tuple(Correction(row[0], row[1], _day(row[2]), *row[3:]) for row in queries.corrections()),
        correction_totals={row[0]: (row[1], row[2]) for row in queries.correction_totals()},
        duplicates=tuple(Duplicates(*row) for row in sorted(queries.duplicates())),
        spending=_spending(course, scope.period),
        unread=unread,
        unread_count=sum(reasons.values()),
        unread_reasons=reasons,
        months=spans.months,
        mixed_zones=zones if len(zones) > 1 and scope.zone is None else (),
    )


def _commitment(row: tuple[Any, ...]) -> CommitmentRow:
    values = (*row[:4], bool(row[4]), row[5], provider_id(row[6]), *row[7:])
    return CommitmentRow(*values)


def _reservation(row: tuple[Any, ...]) -> ReservationRow:
    values = (*row[:3], provider_id(row[3]), *row[4:])
    return ReservationRow(*values)


@dataclass(frozen=True)
class _Spans:
    start: date
    end: date
    through: datetime
    months: tuple[date, ...]


def _spans(course: Sequence[tuple[Any, ...]], scope: Scope, sources: Sequence[Source]) -> _Spans:
    """The period under review, and the months that the bills have."""
    rows = [row[:2] + row[8:11] for row in course]
    months = tuple(sorted({_day(row[1]).replace(day=1) for row in rows}))
    period = scope.period
    inside = [row for row in rows if _overlaps(row, period)]
    if not inside:
        raise InputError(_nothing(sources, scope, months))
    if period.start is not None and period.end is not None:
        start, end = period.start.date(), period.end.date()
    else:
        start = min(_day(row[1]) for row in inside)
        end = max(_day(row[2]) if row[2] is not None else next_month(_day(row[1])) for row in inside)
    last = datetime(end.year, end.month, end.day)  # noqa: DTZ001 - the review's own clock
    return _Spans(start, end, min(max(row[4] for row in inside), last), months)


def _overlaps(row: tuple[Any, ...], period: Period) -> bool:
    """Whether lines billed or charged as (source, billing start, billing end, first and last charge) are inside."""
    return period.holds(row[1] if period.by == "bill" else row[3])


def _nothing(sources: Sequence[Source], scope: Scope, months: Sequence[date]) -> Problem:
    label = sources[0].label if sources else ""
    have = ", ".join(f"{month:%Y-%m}" for month in months) or "none"
    if scope.month is not None:
        return Problem(label, "--month", f"{scope.month:%Y-%m}", f"a month of the bill: {have}")
    if scope.start is not None:
        return Problem(label, "--from, --to", f"{scope.start} to {scope.end}", f"days of the bill's months: {have}")
    return Problem(label, "", "no line that can be read", "at least one line of a bill")


def _day(moment: datetime | date) -> date:
    return moment.date() if isinstance(moment, datetime) else moment


_SUMS = (
    *("billed", "effective", "effective_stated", "contracted", "contracted_stated", "list", "list_stated"),
    *("effective_unknown", "contracted_unknown", "list_unknown", "contracted_doubtful", "committed_as_standard"),
)


def _totals(
    queries: Queries, finder: MachineFinder
) -> tuple[dict[str, Totals], dict[tuple[str, ...], MachineRow | None]]:
    totals: dict[str, Totals] = {}
    judged: dict[tuple[str, ...], MachineRow | None] = {}
    for row in queries.descriptors():
        descriptor = row[: len(DESCRIPTOR)]
        currency, category, _, lines, *sums = row[len(DESCRIPTOR) :]
        total = totals.setdefault(currency, Totals(currency))
        total.lines += lines
        for name, value in zip(_SUMS, sums, strict=True):
            setattr(total, name, getattr(total, name) + (value or 0))
        total.by_category[category] = total.by_category.get(category, ZERO) + sums[0]
        if descriptor not in judged:
            judged[descriptor] = finder.judge(descriptor)
    return totals, judged


def _cells(queries: Queries, kinds: Sequence[MachineRow], finder: MachineFinder) -> tuple[Cell, ...]:
    if not kinds:
        return ()
    cells: dict[tuple[object, ...], list[Cell]] = {}
    for row in queries.machines():
        cell = _cell(row, kinds[row[0]], finder)
        cells.setdefault(_cell_order(cell), []).append(cell)
    return tuple(_added(cells[key]) for key in sorted(cells))


def _cell(row: tuple[Any, ...], kind: MachineRow, finder: MachineFinder) -> Cell:
    """One row of the query; its hours are the quantity times the kind's factor."""
    *money, counted, without = row[11:]
    hours = ZERO if kind.counts is Counts.NOTHING and kind.has_hours else None
    missing = row[11] if not kind.has_hours else 0
    if kind.counts is not Counts.NOTHING:
        hours, missing = (None if counted is None else hours_of(counted, kind.factor)), without
    values = (finder.machines[kind.machine], *row[1:10], _day(row[10]), *money, hours, missing)
    return Cell(*values)


def hours_of(quantity: Decimal, factor: Decimal) -> Decimal:
    """Hours of a quantity, exact to 10**-9 (factors such as 1/3600 are not finite decimals)."""
    return (quantity * factor).quantize(_NANO)


def _added(cells: Sequence[Cell]) -> Cell:
    """Cells that differ only in how their lines count, as one."""
    first = cells[0]
    if len(cells) == 1:
        return first
    return replace(
        first,
        lines=sum(cell.lines for cell in cells),
        billed=sum((cell.billed for cell in cells), ZERO),
        effective=_known_sum(cell.effective for cell in cells),
        list=_known_sum(cell.list for cell in cells),
        hours=_known_sum(cell.hours for cell in cells),
        lines_without_hours=sum(cell.lines_without_hours for cell in cells),
    )


def _known_sum(values: Iterable[Decimal | None]) -> Decimal | None:
    known = [value for value in values if value is not None]
    return sum(known, ZERO) if known else None


def _cell_order(cell: Cell) -> tuple[object, ...]:
    machine = cell.machine
    return (
        *(machine.provider, machine.instance_type, machine.per_gpu, machine.idle, cell.region, cell.account),
        *(cell.sub_account, cell.tags, cell.term, cell.currency, cell.category, cell.commitment_status),
        *(cell.reservation_status, cell.month),
    )


def _demand(
    queries: Queries, kinds: Sequence[MachineRow], finder: MachineFinder
) -> tuple[tuple[Levels, ...], tuple[Rented, ...]]:
    """What ran by the hour at the same time, and what was rented for how long."""
    periods: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
    for row in queries.demand() if kinds else ():
        periods.setdefault(row[:6], []).append(row[6:])
    levels, rents = LevelBook(), RentBook()
    for (number, region, currency, term, start, end), ran in periods.items():
        kind = kinds[number]
        machine = finder.machines[kind.machine]
        runs = [(hours_of(counted, kind.factor), count, bool(has_id)) for counted, count, has_id in ran]
        if term in RENT_TERMS:
            rents.add(machine, (region, currency, term), (start, end), (run[:2] for run in runs))
        elif not machine.idle:
            levels.add(machine, (region, currency), (start, end), runs)
    return levels.levels(), rents.rented()


def _sums(cells: Iterable[Cell]) -> tuple[dict[str, Decimal], dict[str, Decimal]]:
    billed: dict[str, Decimal] = {}
    effective: dict[str, Decimal] = {}
    for cell in cells:
        billed[cell.currency] = billed.get(cell.currency, ZERO) + cell.billed
        effective[cell.currency] = effective.get(cell.currency, ZERO) + (cell.effective or ZERO)
    return billed, effective


def _inside(course: Iterable[tuple[Any, ...]], period: Period) -> Iterator[tuple[Any, ...]]:
    return (row for row in course if period.holds(row[1] if period.by == "bill" else row[9]))


def _spending(course: Iterable[tuple[Any, ...]], period: Period) -> tuple[Spending, ...]:
    days: dict[tuple[date, str, bool], list[Decimal]] = {}
    for row in _inside(course, period):
        sums = days.setdefault((_day(row[6]), row[5], bool(row[7])), [ZERO, ZERO])
        sums[0] += row[12]
        sums[1] += row[13] or ZERO
    return tuple(Spending(*key, *sums) for key, sums in sorted(days.items()))


def _owners(course: Iterable[tuple[Any, ...]], period: Period) -> tuple[Owner, ...]:
    owners: dict[tuple[str, str, str, str], list[Any]] = {}
    for row in _inside(course, period):
        sums = owners.setdefault((provider_id(row[2]), *row[3:6]), [0, ZERO, ZERO])
        sums[0] += row[11]
        sums[1] += row[12]
        sums[2] += row[13] or ZERO
    return tuple(Owner(*key, *sums) for key, sums in sorted(owners.items()))


def _unread(queries: Queries, rejected: Sequence[Unread], locate: Locate) -> tuple[tuple[Unread, ...], dict[str, int]]:
    counted = queries.unread()
    examples = queries.unread_examples() if counted else []
    places = locate([(row[1], row[-1]) for row in examples])
    found = [
        Unread(row[1], place.line, row[0], said(*row[2:6]), place.row)
        for row, place in zip(examples, places, strict=True)
    ]
    listed = sorted([*rejected, *found], key=lambda item: (item.file, item.line or item.row or 0, item.reason))
    reasons = Counter(item.reason for item in rejected)
    for reason, _, count in counted:
        reasons[reason] += count
    return tuple(listed), dict(sorted(reasons.items()))


def _none_readable(sources: Sequence[Source], unread: Sequence[Unread], count: int) -> Problem:
    first = unread[0]
    problem = f"lines: {count}, none of which can be read; the first: {first.reason}: {first.text}"
    return Problem(first.file or sources[0].label, "", problem, "lines of a bill", first.line)
