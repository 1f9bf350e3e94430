"""The bill's GPU hours by offer, provider, account, team and workload."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from optimizer.review.bill import ZERO, Bill, Cell
from optimizer.review.machines import BilledMachine
from optimizer.review.tags import TagKeys, parse_tags


@dataclass(slots=True)
class GpuRow:
    """One machine type in one place and currency: hours run, money in cash and accrual.

    Hours and accrual are `None` when no line says them; `hours_missing` lines are without hours when only some are.
    """

    machine: BilledMachine
    region: str
    currency: str
    machine_hours: Decimal | None = None
    gpu_hours: Decimal | None = None
    billed: Decimal = ZERO
    effective: Decimal | None = None
    list: Decimal | None = None
    lines: int = 0
    hours_missing: int = 0

    def add(self, cell: Cell) -> None:
        """Count one cell in."""
        self.lines += cell.lines
        self.billed += cell.billed
        self.effective = _plus(self.effective, cell.effective)
        if cell.list is not None:
            self.list = (self.list or ZERO) + cell.list
        if cell.is_run:
            self.hours_missing += cell.lines_without_hours
        self.machine_hours = _plus(self.machine_hours, cell.machine_hours)
        self.gpu_hours = _plus(self.gpu_hours, cell.gpu_hours)


@dataclass(slots=True)
class GroupRow:
    """GPU money and hours of one value of a dimension; `name` `None` stands for lines that do not say."""

    name: str | None
    currency: str
    gpu_hours: Decimal | None = None
    machine_hours: Decimal | None = None
    billed: Decimal = ZERO
    effective: Decimal | None = None

    def add(self, cell: Cell) -> None:
        """Count one cell in."""
        self.billed += cell.billed
        self.effective = _plus(self.effective, cell.effective)
        self.gpu_hours = _plus(self.gpu_hours, cell.gpu_hours)
        self.machine_hours = _plus(self.machine_hours, cell.machine_hours)


def _plus(first: Decimal | None, second: Decimal | None) -> Decimal | None:
    if first is None or second is None:
        return first if second is None else second
    return first + second


def gpu_rows(bill: Bill) -> tuple[GpuRow, ...]:
    """One row for each machine type, region and currency, in the order of provider, region and type."""
    rows: dict[tuple[BilledMachine, str, str], GpuRow] = {}
    for cell in bill.cells:
        key = (cell.machine, cell.region, cell.currency)
        rows.setdefault(key, GpuRow(*key)).add(cell)
    return tuple(sorted(rows.values(), key=_gpu_order))


def _gpu_order(row: GpuRow) -> tuple[object, ...]:
    machine = row.machine
    return (machine.provider, row.region, machine.instance_type, machine.per_gpu, machine.idle, row.currency)


def by_dimension(bill: Bill, keys: TagKeys) -> dict[str, tuple[GroupRow, ...]]:
    """GPU money and hours by provider, account, team, workload, term, GPU and tag; largest first.

    A line counts for each of its tags: rows of tags do not add up.
    """
    dimensions: dict[str, Callable[[Cell], str | None]] = {
        "provider": lambda cell: cell.machine.provider,
        "account": lambda cell: cell.sub_account or cell.account or None,
        "team": lambda cell: keys.team_of(cell.tags),
        "workload": lambda cell: keys.workload_of(cell.tags),
        "term": lambda cell: cell.term,
        "gpu": lambda cell: cell.machine.gpu_model,
    }
    grouped = {name: _grouped((cell, (of(cell),)) for cell in bill.cells) for name, of in dimensions.items()}
    return {**grouped, "tag": _grouped((cell, _tags(cell)) for cell in bill.cells)}


def _tags(cell: Cell) -> tuple[str, ...]:
    return tuple(f"{key}={value}" for key, value in parse_tags(cell.tags).items())


def _grouped(cells: Iterable[tuple[Cell, Sequence[str | None]]]) -> tuple[GroupRow, ...]:
    rows: dict[tuple[str | None, str], GroupRow] = {}
    for cell, names in cells:
        for name in names:
            rows.setdefault((name, cell.currency), GroupRow(name, cell.currency)).add(cell)
    return tuple(sorted(rows.values(), key=lambda row: (row.currency, -(row.effective or row.billed), row.name or "")))
