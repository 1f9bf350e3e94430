"""The contract against the bill: prices and machines that were agreed, read from `optimize contract --format json`."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from optimizer.domain.text import Text
from optimizer.errors import InputError, Problem
from optimizer.review.bill import Bill
from optimizer.review.finding import ReviewFinding, filled, money, price
from optimizer.review.groups import GpuRow
from optimizer.review.machines import name_key
from optimizer.review.prices import A_MONTH, AN_HOUR, TOLERANCE, PriceRow

#: Units of agreed prices that a bill has too.
_UNITS = {"hour": AN_HOUR, "month": A_MONTH}

NOT_BILLED = Text(
    "The contract promises {count} x {offer} from {start} to {end}; the bill shows none of it.",
    "合同约定 {count} 台 {offer}，{start} 至 {end}；账单中没有。",
)
ABOVE = Text(
    "{offer} cost {paid} {unit}; the contract says {agreed}.",
    "{offer} {unit} {paid}；合同约定 {agreed}。",
)
NOT_IN_A_BILL = Text(
    "{count} promises of the contract cannot be seen in a bill ({items}): run their acceptance commands.",
    "合同有 {count} 项承诺无法从账单看出（{items}）：请执行各自的验收命令。",
)


@dataclass(frozen=True, slots=True)
class Agreed:
    """One stretch of an agreed price: machines of one offer in [start, end) at `unit_price` for `unit`.

    `gpu_model` as the contract writes it, and `gpus` of one machine; `None` where the contract does not say.
    """

    provider: str
    region: str
    instance_type: str
    count: int
    unit: str
    unit_price: Decimal
    currency: str
    start: date
    end: date
    gpu_model: str | None = None
    gpus: Decimal | None = None

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
                *_gpus(data["items"], part.get("id")),
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


def _gpus(items: Iterable[dict[str, Any]], purchase: str | None) -> tuple[str | None, Decimal | None]:
    """The GPU model and number of GPUs that the items of a purchase require."""
    values = {item["id"]: item.get("value") for item in items if item.get("purchase") == purchase}
    model, count = values.get("gpu_model"), values.get("gpu_model.count")
    return model or None, Decimal(str(count)) if count else None


def contract_findings(
    bill: Bill, contract: Contract | None, rows: Iterable[GpuRow], prices: Iterable[PriceRow]
) -> Iterator[ReviewFinding]:
    """What was agreed for this period and is not billed, is billed for more, or cannot be seen in a bill."""
    if contract is None:
        return
    billed = {
        (row.machine.provider, name_key(row.machine.instance_type)) for row in rows if row.billed or row.effective
    }
    prices = tuple(prices)
    for item in contract.agreed:
        key = (item.provider, name_key(item.instance_type))
        if item.start >= bill.end or item.end <= bill.start:
            continue
        if key not in billed:
            values = {"start": item.start.isoformat(), "end": item.end.isoformat()}
            text = filled(NOT_BILLED, count=item.count, offer=item.offer, **values)
            yield ReviewFinding("agreed-not-billed", "warning", text, item.offer)
        for row in prices:
            if (row.machine.provider, name_key(row.machine.instance_type), row.currency) == (*key, item.currency):
                yield from _above(item, row)
    if contract.unseen:
        text = filled(NOT_IN_A_BILL, count=len(contract.unseen), items=", ".join(contract.unseen))
        yield ReviewFinding("agreed-not-visible", "note", text)


def _above(item: Agreed, row: PriceRow) -> Iterator[ReviewFinding]:
    """Prices of an hour compare with hours, prices of a month with months of rent."""
    paid, bought = row.paid_rate, row.steps or row.hours
    unit, shown = (AN_HOUR, price) if row.step is None else (row.step, money)
    if paid is None or row.term in ("spot", "committed") or unit is not _UNITS.get(item.unit):
        return
    if paid > item.unit_price * (1 + TOLERANCE):
        values = {
            "offer": item.offer,
            "paid": shown(paid, row.currency),
            "agreed": shown(item.unit_price, row.currency),
        }
        text = Text(ABOVE.en.format(unit=unit.en, **values), ABOVE.zh.format(unit=unit.zh, **values))
        saving = (paid - item.unit_price) * bought
        yield ReviewFinding("above-contract", "saving", text, row.subject, saving, row.currency)
