"""A bill as the review knows it: exact sums of its lines, by everything that a finding asks for.

Money is `Decimal` of the bill's currency and never added across currencies. `None` is unknown. Cash is `billed`,
accrual is `effective`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from typing import Any

from optimizer.review.files import Unread
from optimizer.review.levels import Levels
from optimizer.review.machines import BilledMachine
from optimizer.review.rents import Rented

ZERO = Decimal(0)
#: Terms on which an hour is paid when it runs.
HOURLY_TERMS = ("on_demand", "spot")


@dataclass(slots=True)
class Totals:
    """All lines of one currency.

    `effective`, `contracted` and `list` leave out payments for commitments that cover later charges (they would be
    counted twice); `*_stated` are the bare sums of the bill's columns, for the tie-out. The `*_unknown` counts are
    lines without the amount; `contracted_doubtful` lines with a contracted cost of nothing beside a list cost.
    """

    currency: str
    lines: int = 0
    billed: Decimal = ZERO
    effective: Decimal = ZERO
    contracted: Decimal = ZERO
    list: Decimal = ZERO
    effective_stated: Decimal = ZERO
    contracted_stated: Decimal = ZERO
    list_stated: Decimal = ZERO
    effective_unknown: int = 0
    contracted_unknown: int = 0
    list_unknown: int = 0
    contracted_doubtful: int = 0
    committed_as_standard: int = 0
    by_category: dict[str, Decimal] = field(default_factory=dict)

    def known(self, name: str) -> Decimal | None:
        """`effective`, `contracted` or `list`; `None` when no line has it."""
        amount: Decimal = getattr(self, name)
        return None if getattr(self, f"{name}_unknown") == self.lines else amount


@dataclass(frozen=True, slots=True)
class Cell:
    """One machine's money and hours in one place, for one owner, on one term, in one month of use."""

    machine: BilledMachine
    region: str
    account: str
    sub_account: str
    tags: str
    term: str
    currency: str
    category: str
    commitment_status: str
    reservation_status: str
    month: date
    lines: int
    billed: Decimal
    effective: Decimal | None
    list: Decimal | None
    hours: Decimal | None
    lines_without_hours: int

    @property
    def is_run(self) -> bool:
        """Whether its hours are hours that a machine ran (not a fee, not an unused reservation)."""
        unused = "unused" in (self.commitment_status, self.reservation_status)
        return self.category == "usage" and not unused and not self.machine.idle

    @property
    def machine_hours(self) -> Decimal | None:
        """Hours of whole machines; for lines per GPU their GPU hours over the machine's GPUs."""
        if not self.is_run or self.hours is None:
            return None
        if not self.machine.per_gpu:
            return self.hours
        return self.hours / self.machine.gpus if self.machine.gpus else None

    @property
    def gpu_hours(self) -> Decimal | None:
        """Machine hours times GPUs; unknown where the number of GPUs is."""
        if not self.is_run or self.hours is None:
            return None
        if self.machine.per_gpu:
            return self.hours
        return self.hours * self.machine.gpus if self.machine.gpus is not None else None


@dataclass(frozen=True, slots=True)
class CommitmentRow:
    """One commitment's lines of one status and category."""

    id: str
    type: str
    status: str
    category: str
    is_payment: bool
    currency: str
    provider: str
    lines: int
    billed: Decimal
    effective: Decimal | None
    effective_stated: Decimal | None
    quantity: Decimal | None
    start: datetime
    end: datetime
    ends: datetime | None


@dataclass(frozen=True, slots=True)
class ReservationRow:
    """One capacity reservation's lines of one status."""

    id: str
    status: str
    currency: str
    provider: str
    lines: int
    billed: Decimal
    effective: Decimal | None
    quantity: Decimal | None


@dataclass(frozen=True, slots=True)
class Owner:
    """Money of one account; without a sub-account it is shared."""

    provider: str
    account: str
    sub_account: str
    currency: str
    lines: int
    billed: Decimal
    effective: Decimal | None


@dataclass(frozen=True, slots=True)
class Correction:
    """A late correction of a closed period, on one resource."""

    resource: str
    service: str
    month: date
    currency: str
    lines: int
    billed: Decimal
    effective: Decimal | None


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Lines of one currency that stand in the bill more than once."""

    currency: str
    groups: int
    lines: int
    billed: Decimal
    effective: Decimal | None


@dataclass(frozen=True, slots=True)
class Spending:
    """What one day cost in one currency; `one_time` charges do not repeat."""

    day: date
    currency: str
    one_time: bool
    billed: Decimal
    effective: Decimal | None


def _are_rounded(cells: Iterable[Cell]) -> bool:
    sums = [(cell.billed, cell.effective or ZERO, cell.lines) for cell in cells]
    whole = all(_is_whole(effective) for _, effective, _ in sums)
    near = all(abs(effective - billed) * 2 <= lines for billed, effective, lines in sums)
    return whole and near and not all(_is_whole(billed) for billed, _, _ in sums)


def _is_whole(amount: Decimal) -> bool:
    return amount == amount.to_integral_value()


@dataclass(frozen=True)
class Bill:
    """Everything that is known of the bills under review.

    [start, end) is the period under review on the clock of `zone`; `through` the end of the last charge inside it.
    `by` says whether lines were chosen by their billing period ("bill") or by their charge period ("charge").
    `unread` lists the first lines that could not be read; `unread_reasons` counts all of them.
    """

    sources: tuple[dict[str, Any], ...]
    zone: str
    start: date
    end: date
    through: datetime
    by: str
    totals: tuple[Totals, ...]
    cells: tuple[Cell, ...]
    levels: tuple[Levels, ...]
    other: dict[str, Decimal]
    other_effective: dict[str, Decimal]
    owners: tuple[Owner, ...]
    commitments: tuple[CommitmentRow, ...]
    reservations: tuple[ReservationRow, ...]
    corrections: tuple[Correction, ...]
    correction_totals: dict[str, tuple[int, Decimal]]
    duplicates: tuple[Duplicates, ...]
    spending: tuple[Spending, ...]
    unread: tuple[Unread, ...]
    unread_count: int
    unread_reasons: dict[str, int]
    months: tuple[date, ...]
    mixed_zones: tuple[str, ...] = ()
    rents: tuple[Rented, ...] = ()

    @property
    def lines(self) -> int:
        """Lines that were read and are under review."""
        return sum(total.lines for total in self.totals)

    @cached_property
    def rounded(self) -> frozenset[tuple[str, str]]:
        """(provider, currency) whose effective costs are whole numbers though what was billed is not.

        A real export has them (FOCUS sample data 2024, its AWS lines): hours at 1.624 with an effective cost of 2.
        """
        cells: dict[tuple[str, str], list[Cell]] = {}
        for cell in self.cells:
            if cell.is_run and cell.term in HOURLY_TERMS and cell.effective is not None:
                cells.setdefault((cell.machine.provider, cell.currency), []).append(cell)
        return frozenset(key for key, found in cells.items() if _are_rounded(found))

    def hourly_cost(self, cell: Cell) -> Decimal | None:
        """What the cell's hours cost in accrual; by the hour and without a commitment that is what was billed."""
        if cell.term in HOURLY_TERMS and (cell.machine.provider, cell.currency) in self.rounded:
            return cell.billed
        return cell.effective

    @property
    def currencies(self) -> tuple[str, ...]:
        """Currencies of the bill, in order."""
        return tuple(total.currency for total in self.totals)
