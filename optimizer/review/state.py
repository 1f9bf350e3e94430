"""What earlier reviews found, so that the next one can say what changed.

One JSON file in the user's data directory (or where `--state` says) holds one record for each period that was
reviewed. Records carry no time of day: the same bill reviewed twice leaves the same bytes.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from optimizer.errors import InputError, Problem
from optimizer.review.bill import Bill
from optimizer.review.finding import ReviewFinding
from optimizer.review.prices import PriceRow

SCHEMA_VERSION = 1
FILE_NAME = "reviews.json"
NANO = Decimal("1e-9")


@dataclass(frozen=True)
class Record:
    """One reviewed period: totals, price of a machine hour (or month of rent) by subject, savings by finding."""

    start: date
    end: date
    digest: str
    billed: Mapping[str, Decimal] = field(default_factory=dict)
    effective: Mapping[str, Decimal] = field(default_factory=dict)
    prices: Mapping[str, Decimal] = field(default_factory=dict)
    findings: Mapping[str, Decimal | None] = field(default_factory=dict)


def state_path() -> Path:
    """Where reviews are remembered unless the user names a file."""
    from platformdirs import user_data_path

    return user_data_path("optimize", appauthor=False) / FILE_NAME


def identity(bill: Bill) -> str:
    """Whose bill this is: providers, accounts, clock. Reviews of other accounts are not compared with it."""
    owners = sorted({f"{owner.provider}/{owner.account}" for owner in bill.owners})
    return hashlib.sha256("\n".join([bill.zone, bill.by, *owners]).encode()).hexdigest()[:16]


def record_of(bill: Bill, prices: Iterable[PriceRow], findings: Iterable[ReviewFinding]) -> Record:
    """What is remembered of a review."""
    billed = {total.currency: total.billed for total in bill.totals}
    effective = {total.currency: total.effective for total in bill.totals}
    paid = {row.rate_key: row.paid_rate.quantize(NANO) for row in prices if row.paid_rate is not None}
    found = {finding_key(item): item.saving for item in findings}
    content = json.dumps([billed, effective, paid, found, bill.lines, bill.unread_count], default=str, sort_keys=True)
    return Record(bill.start, bill.end, hashlib.sha256(content.encode()).hexdigest(), billed, effective, paid, found)


def finding_key(item: ReviewFinding) -> str:
    """The stable name of a finding between runs."""
    return f"{item.id} {item.subject} {item.currency or ''}".strip()


def load_records(path: Path, whose: str) -> list[Record]:
    """Records of one owner, oldest first; none when nothing was reviewed yet.

    Raises:
        InputError: the file is there and is not ours.
    """
    if not path.exists():
        return []
    return sorted((_record(item) for item in _content(path).get(whose, [])), key=lambda item: (item.start, item.end))


def _content(path: Path) -> dict[str, list[dict[str, Any]]]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["schema_version"] != SCHEMA_VERSION:
            raise KeyError("schema_version")
        reviews: dict[str, list[dict[str, Any]]] = data["reviews"]
        for items in reviews.values():
            for item in items:
                _record(item)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, InvalidOperation) as error:
        problem = Problem(str(path), "", "a file that is no memory of reviews", "our own file, or none")
        raise InputError(problem) from error
    return reviews


def _record(item: dict[str, Any]) -> Record:
    def amounts(name: str) -> dict[str, Decimal]:
        return {key: Decimal(value) for key, value in item[name].items()}

    return Record(
        date.fromisoformat(item["start"]),
        date.fromisoformat(item["end"]),
        item["digest"],
        amounts("billed"),
        amounts("effective"),
        amounts("prices"),
        {key: None if value is None else Decimal(value) for key, value in item["findings"].items()},
    )


def with_record(path: Path, whose: str, record: Record) -> bytes:
    """The file's content after this review: its record replaces the one of the same period."""
    reviews = _content(path) if path.exists() else {}
    kept = [item for item in reviews.get(whose, []) if (item["start"], item["end"]) != _period(record)]
    reviews[whose] = sorted([*kept, _written(record)], key=lambda item: (item["start"], item["end"]))
    data = {"schema_version": SCHEMA_VERSION, "reviews": dict(sorted(reviews.items()))}
    return (json.dumps(data, indent=1, ensure_ascii=False, sort_keys=True) + "\n").encode()


def _period(record: Record) -> tuple[str, str]:
    return record.start.isoformat(), record.end.isoformat()


def _written(record: Record) -> dict[str, Any]:
    start, end = _period(record)
    return {
        "start": start,
        "end": end,
        "digest": record.digest,
        "billed": _texts(record.billed),
        "effective": _texts(record.effective),
        "prices": _texts(record.prices),
        "findings": {key: None if value is None else str(value) for key, value in record.findings.items()},
    }


def _texts(amounts: Mapping[str, Decimal]) -> dict[str, str]:
    return {key: str(value) for key, value in amounts.items()}
