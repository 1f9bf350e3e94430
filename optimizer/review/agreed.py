"""The contract against the bill: prices and machines that were agreed, read from `optimize contract --format json`."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path

from optimizer.domain.text import Text
from optimizer.errors import InputError, Problem
from optimizer.review.bill import Bill
from optimizer.review.finding import ReviewFinding, filled, price
from optimizer.review.groups import GpuRow
from optimizer.review.machines import name_key
from optimizer.review.prices import TOLERANCE, PriceRow

NOT_BILLED = Text(
    "The contract promises {count} x {offer} from {start} to {end}; the bill shows none of it.",
    "合同约定 {count} 台 {offer}，{start} 至 {end}；账单中没有。",
)
ABOVE = Text(
    "{offer} cost {paid} an hour; the contract says {agreed}.",
    "{offer} 每小时 {paid}；合同约定 {agreed}。",
)
NOT_IN_A_BILL = Text(
    "{count} promises of the contract cannot be seen in a bill ({items}): run their acceptance commands.",
    "合同有 {count} 项承诺无法从账单看出（{items}）：请执行各自的验收命令。",
)


@dataclass(frozen=True, slots=True)
class Agreed:
    """One stretch of an agreed price: machines of one offer in [start, end) at `unit_price` for `unit`."""

    provider: str
    region: str
    instance_type: str
    count: int
    unit: str
    unit_price: Decimal
    currency: str
    start: date
    end: date

    @property
    def offer(self) -> str:
        """Provider, region and type."""
        return f"{self.provider}/{self.region}/{self.instance_type}"


@dataclass(frozen=True, slots=True)
class Contract:
    """The part of a contract that a bill can be held against, and the ids of the rest."""

    agreed: tuple[Agreed, ...]
    unseen: tuple[str, ...]


def read_contract(path: Path) -> Contract:
    """Read a contract specification in JSON.

    Raises:
        InputError: not readable, or not of the contract's form.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        agreed = [
            Agreed(
                part["provider"],
                part["region"],
                part["instance_type"],
                int(row["count"]),
                row["unit"],
                Decimal(str(row["unit_price"])),
                row["currency"],
                date.fromisoformat(row["start"]),
                date.fromisoformat(row["end"]),
            )
            for part in data["purchases"]
            for row in part["schedule"]
        ]
        unseen = dict.fromkeys(item["id"] for item in data["items"] if item["mandatory"] and item["acceptance"])
    except (OSError, ValueError, KeyError, TypeError, InvalidOperation) as error:
        expected = "the JSON of optimize contract --format json"
        found = f"no {error}" if isinstance(error, KeyError) else getattr(error, "strerror", None) or str(error)[:120]
        raise InputError(Problem(str(path), "", found, expected)) from error
    return Contract(tuple(agreed), tuple(unseen))


def contract_findings(
    bill: Bill, contract: Contract | None, rows: Iterable[GpuRow], prices: Iterable[PriceRow]
) -> Iterator[ReviewFinding]:
    """What was agreed for this period and is not billed, is billed for more, or cannot be seen in a bill."""
    if contract is None:
        return
    billed = {
        (row.machine.provider, name_key(row.machine.instance_type)) for row in rows if row.billed or row.effective
    }
    paid = {(row.machine.provider, name_key(row.machine.instance_type), row.currency): row for row in prices}
    for item in contract.agreed:
        key = (item.provider, name_key(item.instance_type))
        if item.start >= bill.end or item.end <= bill.start:
            continue
        if key not in billed:
            values = {"start": item.start.isoformat(), "end": item.end.isoformat()}
            text = filled(NOT_BILLED, count=item.count, offer=item.offer, **values)
            yield ReviewFinding("agreed-not-billed", "warning", text, item.offer)
        yield from _above(item, paid.get((*key, item.currency)))
    if contract.unseen:
        text = filled(NOT_IN_A_BILL, count=len(contract.unseen), items=", ".join(contract.unseen))
        yield ReviewFinding("agreed-not-visible", "note", text)


def _above(item: Agreed, row: PriceRow | None) -> Iterator[ReviewFinding]:
    """Hourly prices compare as they stand; rents for a month and longer are not put on an hour."""
    if row is None or row.paid is None or item.unit != "hour" or row.term != "on_demand":
        return
    if row.paid > item.unit_price * (1 + TOLERANCE):
        values = {"paid": price(row.paid, row.currency), "agreed": price(item.unit_price, item.currency)}
        saving = (row.paid - item.unit_price) * row.hours
        text = filled(ABOVE, offer=item.offer, **values)
        yield ReviewFinding("above-contract", "saving", text, row.subject, saving, row.currency)
