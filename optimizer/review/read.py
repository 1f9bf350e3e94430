"""Reading bills: from files, or from a table of an engine the user has, to a `Bill`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from optimizer.errors import InputError, Problem
from optimizer.review.bill import (
    ZERO,
    Bill,
    Cell,
    CommitmentRow,
    Correction,
    Demand,
    Duplicates,
    Owner,
    ReservationRow,
    Spending,
    Totals,
)
from optimizer.review.engine import DuckDbEngine, Engine
from optimizer.review.files import Unread, bad_files_as_errors, describe, open_sources
from optimizer.review.machines import MachineFinder, provider_id
from optimizer.review.mapping import BillMapping, built_in_mappings, detect
from optimizer.review.normalize import Source
from optimizer.review.queries import DESCRIPTOR, Counts, MachineRow, Period, Queries

_MONTHS_PER_YEAR = 12
_NANO = Decimal("1e-9")


@dataclass(frozen=True)
class Scope:
    """What of the bills is under review: a month (`None`: everything) and, when the user names one, a clock."""

    month: date | None = None
    zone: str | None = None


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
    with DuckDbEngine() as engine:
        sources, rejected = open_sources(engine, patterns, [*mappings, *built_in_mappings()])
        with bad_files_as_errors([label for source in sources for label in source.files]):
            return collect(engine, sources, finder, scope or Scope(), rejected)


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
    return collect(engine, [source], finder, scope or Scope(), [])


def collect(
    engine: Engine, sources: Sequence[Source], finder: MachineFinder, scope: Scope, rejected: Sequence[Unread]
) -> Bill:
    """Ask all questions and keep the answers."""
    zones = tuple(dict.fromkeys(source.mapping.zone for source in sources))
    zone = scope.zone or zones[0]
    period = _period(scope)
    queries = Queries(engine, sources, period, zone)
    spans = _spans(queries, scope, sources)
    totals, judged = _totals(queries, finder)
    kinds = queries.use(judged)
    cells = _cells(queries, kinds, finder)
    gpu_billed, gpu_effective = _sums(cells)
    unread, unread_count = _unread(queries, rejected)
    return Bill(
        sources=tuple(describe(sources)),
        zone=zone,
        start=spans.start,
        end=spans.end,
        through=spans.through,
        by=period.by,
        totals=tuple(totals[currency] for currency in sorted(totals)),
        cells=cells,
        demand=_demand(queries, kinds, finder),
        other={currency: totals[currency].billed - gpu_billed.get(currency, ZERO) for currency in sorted(totals)},
        other_effective={
            currency: totals[currency].effective - gpu_effective.get(currency, ZERO) for currency in sorted(totals)
        },
        owners=tuple(Owner(provider_id(row[0]), *row[1:]) for row in queries.owners()),
        commitments=tuple(_commitment(row) for row in sorted(queries.commitments(), key=lambda row: row[:7])),
        reservations=tuple(_reservation(row) for row in sorted(queries.reservations(), key=lambda row: row[:4])),
        corrections=tuple(Correction(row[0], row[1], _day(row[2]), *row[3:]) for row in queries.corrections()),
        correction_totals={row[0]: (row[1], row[2]) for row in queries.correction_totals()},
        duplicates=tuple(Duplicates(*row) for row in sorted(queries.duplicates())),
        spending=_spending(queries),
        unread=unread,
        unread_count=unread_count,
        months=spans.months,
        mixed_zones=zones if len(zones) > 1 and scope.zone is None else (),
    )


def _commitment(row: tuple[Any, ...]) -> CommitmentRow:
    values = (*row[:4], bool(row[4]), row[5], provider_id(row[6]), *row[7:])
    return CommitmentRow(*values)


def _reservation(row: tuple[Any, ...]) -> ReservationRow:
    values = (*row[:3], provider_id(row[3]), *row[4:])
    return ReservationRow(*values)


def _period(scope: Scope) -> Period:
    by = "charge" if scope.zone is not None else "bill"
    if scope.month is None:
        return Period(by=by)
    start = datetime(scope.month.year, scope.month.month, 1)  # noqa: DTZ001 - the bill's own clock
    end = next_month(scope.month)
    return Period(start, datetime(end.year, end.month, 1), by)  # noqa: DTZ001


@dataclass(frozen=True)
class _Spans:
    start: date
    end: date
    through: datetime
    months: tuple[date, ...]


def _spans(queries: Queries, scope: Scope, sources: Sequence[Source]) -> _Spans:
    """The period under review, and the months that the bills have."""
    rows = queries.spans()
    months = tuple(sorted({_day(row[1]).replace(day=1) for row in rows}))
    inside = [row for row in rows if scope.month is None or scope.zone is not None or _in_month(row[1], scope.month)]
    if scope.month is not None and scope.zone is not None:
        inside = [row for row in inside if _day(row[3]) < next_month(scope.month) and _day(row[4]) >= scope.month]
    if not inside:
        return _empty(sources, scope, months)
    if scope.month is not None:
        start, end = scope.month.replace(day=1), next_month(scope.month)
    else:
        start = min(_day(row[1]) for row in inside)
        end = max(_day(row[2]) if row[2] is not None else next_month(_day(row[1])) for row in inside)
    last = datetime(end.year, end.month, end.day)  # noqa: DTZ001
    return _Spans(start, end, min(max(row[4] for row in inside), last), months)


def _in_month(moment: datetime, month: date) -> bool:
    return (moment.year, moment.month) == (month.year, month.month)


def _empty(sources: Sequence[Source], scope: Scope, months: Sequence[date]) -> _Spans:
    label = sources[0].label if sources else ""
    if scope.month is None:
        raise InputError(Problem(label, "", "no line that can be read", "at least one line of a bill"))
    have = ", ".join(f"{month:%Y-%m}" for month in months) or "none"
    raise InputError(Problem(label, "--month", f"{scope.month:%Y-%m}", f"a month of the bill: {have}"))


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


def _demand(queries: Queries, kinds: Sequence[MachineRow], finder: MachineFinder) -> tuple[Demand, ...]:
    if not kinds:
        return ()
    found = []
    for number, region, currency, term, start, end, counted, resources, has_id in queries.demand():
        kind = kinds[number]
        hours = hours_of(counted, kind.factor)
        machine = finder.machines[kind.machine]
        found.append(Demand(machine, region, currency, term, start, end, hours, resources, bool(has_id)))
    return tuple(sorted(found, key=_demand_order))


def _demand_order(item: Demand) -> tuple[object, ...]:
    machine = item.machine
    return (
        *(machine.provider, machine.instance_type, machine.per_gpu, machine.idle, item.region, item.currency),
        *(item.term, item.start, item.end, item.hours, item.has_id),
    )


def _sums(cells: Iterable[Cell]) -> tuple[dict[str, Decimal], dict[str, Decimal]]:
    billed: dict[str, Decimal] = {}
    effective: dict[str, Decimal] = {}
    for cell in cells:
        billed[cell.currency] = billed.get(cell.currency, ZERO) + cell.billed
        effective[cell.currency] = effective.get(cell.currency, ZERO) + (cell.effective or ZERO)
    return billed, effective


def _spending(queries: Queries) -> tuple[Spending, ...]:
    days: dict[tuple[date, str, bool], list[Decimal]] = {}
    for hour, currency, _category, one_time, billed, effective in queries.hourly():
        sums = days.setdefault((_day(hour), currency, bool(one_time)), [ZERO, ZERO])
        sums[0] += billed
        sums[1] += effective or ZERO
    return tuple(Spending(*key, *sums) for key, sums in sorted(days.items()))


def _unread(queries: Queries, rejected: Sequence[Unread]) -> tuple[tuple[Unread, ...], int]:
    counted = queries.unread()
    listed = list(rejected)
    if counted:
        for reason, file, resource, description, currency in queries.unread_examples():
            text = " ".join(part for part in (resource, description, currency) if part)
            listed.append(Unread(file, None, reason, text[:120]))
    return tuple(listed), len(rejected) + sum(row[2] for row in counted)
