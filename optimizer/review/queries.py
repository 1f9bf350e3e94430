"""The review's questions to the lines of a bill, in SQL that runs on any engine (docs/adr/0080-one-sql-dialect.md).

Each returns plain rows. Sums are exact decimals; grouping keys are texts that are never NULL. `LINES` stands for the
normalized lines of the period under review.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import IntEnum
from typing import Any

from optimizer.domain.units import HOURS_PER_MONTH, HOURS_PER_YEAR
from optimizer.review.engine import Engine, literal
from optimizer.review.normalize import AMOUNT, RENT_TERMS

#: What names a machine in a bill; one combination is a descriptor and is judged once, in Python.
DESCRIPTOR = (
    "provider",
    "service",
    "instance_type",
    "usage_type",
    "sku",
    "description",
    "sku_details",
    "component",
    "unit",
    "pricing_unit",
)
#: What makes two lines the same line (faults.md B73): everything that a reader could tell them apart by.
IDENTITY = (
    *("provider", "service", "account", "sub_account", "region", "resource", "instance_type", "usage_type", "sku"),
    *("description", "component", "currency", "category", "charge_class", "commitment", "commitment_status"),
    *("reservation", "reservation_status", "invoice", "tags", "billing_start", "charge_start", "charge_end"),
    *("billed", "effective_stated", "list_stated", "quantity", "pricing_quantity"),
)
LIKENESS = ("resource", "charge_start", "sku", "description", "category", "billed", "quantity")
LISTED = 50


@dataclass(frozen=True, slots=True)
class Period:
    """Which lines are under review: a half-open stretch of one of the two clocks of a bill.

    `by` "bill": lines whose billing period starts inside (ties to invoices); "charge": lines charged inside.
    """

    start: datetime | None = None
    end: datetime | None = None
    by: str = "bill"

    def holds(self, moment: datetime) -> bool:
        """Whether a billing start or a charge lies inside."""
        return (self.start is None or moment >= self.start) and (self.end is None or moment < self.end)

    def where(self) -> str:
        """The condition on readable lines."""
        column = "billing_start" if self.by == "bill" else "charge_start"
        conditions = ["unread = ''"]
        if self.start is not None:
            conditions.append(f"{column} >= CAST({literal(_stamp(self.start))} AS TIMESTAMP)")
        if self.end is not None:
            conditions.append(f"{column} < CAST({literal(_stamp(self.end))} AS TIMESTAMP)")
        return " AND ".join(conditions)


def _stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S")


class Counts(IntEnum):
    """Which number of a line, times the row's factor, is its hours."""

    NOTHING = 0
    QUANTITY = 1
    PRICING_QUANTITY = 2
    MONTHS = 3
    YEARS = 4


@dataclass(frozen=True, slots=True)
class MachineRow:
    """How one descriptor counts: the number of its machine, and how its hours are told.

    `factor`: hours of one unit of the quantity that `counts` names (`MONTHS`, `YEARS`: 1; machines that the quantity
    stands for times the charge period). `counts` NOTHING with `has_hours`: a part of the machine whose hours another
    line carries.
    """

    descriptor: tuple[str, ...]
    machine: int
    counts: Counts = Counts.NOTHING
    factor: Decimal = Decimal(0)
    has_hours: bool = False

    @property
    def verdict(self) -> tuple[int, Counts, Decimal, bool]:
        """What two descriptors must share to count alike."""
        return self.machine, self.counts, self.factor, self.has_hours


class Queries:
    """All questions to one SELECT of normalized lines over one period."""

    def __init__(self, engine: Engine, all_lines: str, period: Period, examples: str | None = None) -> None:
        """`examples`: the SELECT to ask for unreadable lines with their evidence, where it is another."""
        self.engine = engine
        self._examples = examples or all_lines
        self._judged: Mapping[tuple[str, ...], MachineRow | None] = {}
        self._key: tuple[str, ...] = DESCRIPTOR
        self._kinds: list[MachineRow] = []
        self.all_lines = all_lines
        self.lines = f"SELECT * FROM ({self.all_lines}) AS every_line WHERE {period.where()}"

    def _rows(self, sql: str) -> Iterator[tuple[Any, ...]]:
        return self.engine.rows(sql)

    def course(self) -> Iterator[tuple[Any, ...]]:
        """The course of all readable lines, also of those outside the period.

        (source number, billing start, provider, account, sub_account, currency, day, paid once, billing end, first
        charge, last charge end, lines, billed, effective); no sub-account means shared
        """
        once = "CASE WHEN is_payment = 1 OR frequency = 'one-time' THEN 1 ELSE 0 END"
        owner = "provider, account, sub_account, currency"
        keys = f"source_number, billing_start, {owner}, DATE_TRUNC('day', charge_start), {once}"
        return self._rows(
            f"SELECT {keys}, MAX(billing_end), MIN(charge_start), MAX(charge_end), COUNT(*), SUM(billed), "
            f"SUM(effective) FROM ({self.all_lines}) AS every_line WHERE unread = '' GROUP BY {keys}"
        )

    def unread(self) -> list[tuple[Any, ...]]:
        """(reason, file, lines) of lines whose values cannot be read."""
        return list(
            self._rows(
                f"SELECT unread, file, COUNT(*) FROM ({self.all_lines}) AS every_line WHERE unread <> '' "
                "GROUP BY unread, file ORDER BY unread, file"
            )
        )

    def unread_examples(self) -> list[tuple[Any, ...]]:
        """(reason, file, value, resource, description, currency, evidence) of the first unreadable lines."""
        return list(
            self._rows(
                "SELECT unread, file, unread_value, resource, description, currency, evidence "
                f"FROM ({self._examples}) AS every_line WHERE unread <> '' "
                f"ORDER BY file, unread, unread_value, resource, description, evidence LIMIT {LISTED}"
            )
        )

    def descriptors(self) -> Iterator[tuple[Any, ...]]:
        """(descriptor..., currency, category, is_payment, lines, sums of money, counts of unknown amounts).

        The sums over these rows are the totals of the bill.
        """
        keys = ", ".join(DESCRIPTOR)
        return self._rows(
            f"SELECT {keys}, currency, category, is_payment, COUNT(*), SUM(billed), SUM(effective), "
            "SUM(effective_stated), SUM(contracted), SUM(contracted_stated), SUM(list), SUM(list_stated), "
            "COUNT(*) - COUNT(effective_stated), COUNT(*) - COUNT(contracted_stated), COUNT(*) - COUNT(list_stated), "
            "SUM(CASE WHEN (contracted IS NULL OR contracted = 0) AND list > 0 AND effective > 0 THEN 1 ELSE 0 END), "
            "SUM(CASE WHEN commitment <> '' AND pricing_category = 'standard' AND category = 'usage' "
            "THEN 1 ELSE 0 END) "
            f"FROM ({self.lines}) AS lines GROUP BY {keys}, currency, category, is_payment"
        )

    def use(self, judged: Mapping[tuple[str, ...], MachineRow | None]) -> list[MachineRow]:
        """Take the verdicts on all descriptors; returns the kinds that `machines` and `demand` number."""
        self._judged = judged
        self._key = separating_key(judged)
        self._kinds = kinds_of(judged)
        return self._kinds

    def machines(self) -> Iterator[tuple[Any, ...]]:
        """Money and quantities of the machines by everything that the report groups by.

        (kind: place in the list that `use` returned, region, account, sub_account, tags, term, currency, category,
        commitment_status, reservation_status, charge month, lines, billed, effective, list, quantity, lines without
        quantity)
        """
        keys = (
            "kind, region, account, sub_account, tags, term, currency, category, commitment_status, "
            "reservation_status, DATE_TRUNC('month', charge_start)"
        )
        return self._rows(
            f"SELECT {keys}, COUNT(*), SUM(billed), SUM(effective), SUM(list), SUM(counted), "
            f"COUNT(*) - COUNT(counted) FROM ({self._machine_lines()}) AS machine_lines GROUP BY {keys}"
        )

    def demand(self) -> Iterator[tuple[Any, ...]]:
        """How many resources of a machine, paid by the hour or rented, had which quantity in each charge period.

        (kind, region, currency, term, charge start, charge end, quantity of one resource, resources, has ids)
        """
        keys = "kind, region, currency, term, charge_start, charge_end"
        terms = ", ".join(map(literal, ("on_demand", *RENT_TERMS)))
        one = (
            f"SELECT {keys}, SUM(counted) AS counted, CASE WHEN resource = '' THEN 0 ELSE 1 END AS has_id "
            f"FROM ({self._machine_lines()}) AS machine_lines WHERE counted > 0 AND category = 'usage' "
            f"AND term IN ({terms}) AND commitment_status <> 'unused' AND reservation_status <> 'unused' "
            f"GROUP BY {keys}, resource"
        )
        return self._rows(
            f"SELECT {keys}, counted, COUNT(*), has_id FROM ({one}) AS resources GROUP BY {keys}, counted, has_id"
        )

    def _machine_lines(self) -> str:
        on = " AND ".join(f"lines.{name} = machines.m_{name}" for name in self._key)
        names = ", ".join(["kind", "counts", *(f"m_{name}" for name in self._key)])
        values = ", ".join(_machine_values(self._kinds, self._judged, self._key))
        return (
            f"SELECT lines.*, kind, {_counted_sql(self._kinds)} AS counted FROM ({self.lines}) AS lines "
            f"JOIN (VALUES {values}) AS machines ({names}) ON {on}"
        )

    def commitments(self) -> Iterator[tuple[Any, ...]]:
        """(commitment, type, status, category, is_payment, currency, provider, lines, billed, effective,
        effective stated, quantity, first start, last end, stated end).
        """
        keys = "commitment, commitment_type, commitment_status, category, is_payment, currency, provider"
        return self._rows(
            f"SELECT {keys}, COUNT(*), SUM(billed), SUM(effective), SUM(effective_stated), SUM(quantity), "
            "MIN(charge_start), MAX(charge_end), MAX(commitment_end) "
            f"FROM ({self.lines}) AS lines WHERE commitment <> '' GROUP BY {keys}"
        )

    def reservations(self) -> Iterator[tuple[Any, ...]]:
        """(capacity reservation, status, currency, provider, lines, billed, effective, quantity)."""
        keys = "reservation, reservation_status, currency, provider"
        return self._rows(
            f"SELECT {keys}, COUNT(*), SUM(billed), SUM(effective), SUM(quantity) FROM ({self.lines}) AS lines "
            f"WHERE reservation <> '' GROUP BY {keys}"
        )

    def corrections(self) -> Iterator[tuple[Any, ...]]:
        """(resource, service, charge month, currency, lines, billed, effective) of corrections, largest first."""
        keys = "resource, service, DATE_TRUNC('month', charge_start), currency"
        return self._rows(
            f"SELECT {keys}, COUNT(*), SUM(billed), SUM(effective) FROM ({self.lines}) AS lines "
            "WHERE charge_class = 'correction' AND charge_start < billing_start "
            f"GROUP BY {keys} ORDER BY ABS(SUM(billed)) DESC, resource LIMIT {LISTED}"
        )

    def correction_totals(self) -> Iterator[tuple[Any, ...]]:
        """(currency, lines, billed, effective) of all corrections of closed periods."""
        return self._rows(
            f"SELECT currency, COUNT(*), SUM(billed), SUM(effective) FROM ({self.lines}) AS lines "
            "WHERE charge_class = 'correction' AND charge_start < billing_start GROUP BY currency"
        )

    def duplicates(self) -> Iterator[tuple[Any, ...]]:
        """(currency, groups, lines too many, billed too much, effective too much) of lines that stand there twice."""
        # Lines that are equal in everything are equal in these: most bills are done after one cheap look.
        mark = self.engine.hash_of(LIKENESS)
        lines, distinct = next(
            iter(self._rows(f"SELECT COUNT(*), COUNT(DISTINCT {mark}) FROM ({self.lines}) AS lines"))
        )
        if lines == distinct:
            return iter(())
        keys = ", ".join(IDENTITY)
        marked = f"SELECT {keys}, {mark} AS mark FROM ({self.lines}) AS lines"
        twice = f"SELECT mark FROM ({marked}) AS marked GROUP BY mark HAVING COUNT(*) > 1"
        return self._rows(
            "SELECT currency, COUNT(*), SUM(copies - 1), SUM((copies - 1) * billed), "
            "SUM((copies - 1) * effective_stated) FROM ("
            f"SELECT {keys}, COUNT(*) AS copies FROM ({marked}) AS marked WHERE mark IN ({twice}) "
            f"GROUP BY {keys} HAVING COUNT(*) > 1) AS doubled GROUP BY currency"
        )


def kinds_of(judged: Mapping[tuple[str, ...], MachineRow | None]) -> list[MachineRow]:
    """One row for each way of counting, in the order met."""
    return list({row.verdict: row for row in judged.values() if row is not None}.values())


def separating_key(judged: Mapping[tuple[str, ...], MachineRow | None]) -> tuple[str, ...]:
    """The fewest descriptor columns that still tell apart what is judged differently, so that the join stays cheap."""
    key = list(range(len(DESCRIPTOR)))
    for index in sorted(key, key=lambda place: len({descriptor[place] for descriptor in judged})):
        shorter = [place for place in key if place != index]
        if shorter and _separates(shorter, judged):
            key = shorter
    return tuple(DESCRIPTOR[place] for place in key)


def _separates(places: Sequence[int], judged: Mapping[tuple[str, ...], MachineRow | None]) -> bool:
    seen: dict[tuple[str, ...], object] = {}
    for descriptor, row in judged.items():
        short = tuple(descriptor[place] for place in places)
        verdict = None if row is None else row.verdict
        if seen.setdefault(short, verdict) != verdict:
            return False
    return True


_PERIOD_HOURS = "CAST((EXTRACT(EPOCH FROM charge_end) - EXTRACT(EPOCH FROM charge_start)) / 3600 AS DECIMAL(12, 6))"


def _periods_sql(hours: int) -> str:
    """Hours of a quantity in months or years of so many hours: each stands for its charge period.

    Where the period holds several and the quantity as many, it counts them: three months paid at once are one machine.
    """
    quantity = "CAST(COALESCE(quantity, pricing_quantity, 1) AS DECIMAL(16, 6))"
    held = f"ROUND({_PERIOD_HOURS} / {hours})"
    whole = f"{quantity} * {_PERIOD_HOURS}"
    one_of_them = f"CAST({whole} / {held} AS {AMOUNT})"
    return f"CASE WHEN {held} > 1 AND {quantity} >= {held} THEN {one_of_them} ELSE CAST({whole} AS {AMOUNT}) END"


#: The number that hours are counted from, for each way of counting; a line without it has unknown hours.
_COUNTED = {
    Counts.QUANTITY: "quantity",
    Counts.PRICING_QUANTITY: "pricing_quantity",
    Counts.MONTHS: _periods_sql(HOURS_PER_MONTH),
    Counts.YEARS: _periods_sql(HOURS_PER_YEAR),
}


def _counted_sql(kinds: Sequence[MachineRow]) -> str:
    used = sorted({kind.counts for kind in kinds} & set(_COUNTED))
    if len({kind.counts for kind in kinds}) == 1 and used:
        return _COUNTED[used[0]]
    cases = " ".join(f"WHEN {int(counts)} THEN CAST({_COUNTED[counts]} AS {AMOUNT})" for counts in used)
    return f"CASE counts {cases} END" if cases else f"CAST(NULL AS {AMOUNT})"


def _machine_values(
    kinds: Sequence[MachineRow], judged: Mapping[tuple[str, ...], MachineRow | None], key: Sequence[str]
) -> list[str]:
    """One literal row for each machine descriptor, cut down to the key."""
    places = {kind.verdict: place for place, kind in enumerate(kinds)}
    rows = {}
    for descriptor, row in judged.items():
        if row is not None:
            short = tuple(descriptor[DESCRIPTOR.index(name)] for name in key)
            rows[short] = f"({places[row.verdict]}, {int(row.counts)}, {', '.join(map(literal, short))})"
    return list(rows.values())
