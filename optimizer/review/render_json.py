"""The review for programs: fixed keys (design, section 7), amounts as exact decimal text, unknown as null."""

from dataclasses import asdict
from decimal import Decimal
from typing import Any

from optimizer.domain.text import Language
from optimizer.review.bill import Bill, Totals
from optimizer.review.finding import ReviewFinding
from optimizer.review.groups import GpuRow, GroupRow
from optimizer.review.offers import Quoted
from optimizer.review.prices import PriceRow
from optimizer.review.review import Review
from optimizer.review.tables import period_name


def as_json(review: Review, language: Language) -> dict[str, Any]:
    """`{totals, gpu, other, unread, findings, ...}`."""
    bill = review.bill
    return {
        "schema_version": 1,
        "period": {
            "name": period_name(review),
            "start": bill.start.isoformat(),
            "end": bill.end.isoformat(),
            "through": bill.through.isoformat(),
            "zone": bill.zone,
            "by": bill.by,
        },
        "sources": list(bill.sources),
        "lines": bill.lines,
        "totals": [_total(total, bill.other[total.currency]) for total in bill.totals],
        "gpu": [_gpu(row) for row in review.gpu],
        "other": [
            {"currency": total.currency, "billed": plain(bill.other[total.currency]), "effective": _other(bill, total)}
            for total in bill.totals
        ],
        "unread": bill.unread_count,
        "unread_lines": [asdict(item) for item in bill.unread],
        "findings": [_finding(item, language) for item in review.findings],
        "savings": [
            {"currency": currency, "largest_by_machine": plain(amount)}
            for currency, amount in review.largest_savings.items()
        ],
        "prices": [_price(row) for row in review.prices],
        "by": {name: [_group(row) for row in rows] for name, rows in review.dimensions.items()},
        "owners": [_amounts(asdict(row)) for row in bill.owners],
        "commitments": [{**_amounts(asdict(row)), "share": plain(row.share)} for row in review.commitments],
        "duplicates": [_amounts(asdict(row)) for row in bill.duplicates],
        "corrections": [_amounts(asdict(row)) for row in bill.corrections],
        "forecast": [_amounts(asdict(row)) for row in review.forecasts],
        "changes": [text.say(language) for text in review.changes],
    }


def plain(amount: Decimal | None) -> str | None:
    """An exact amount without exponent and without zeros beyond the second place."""
    if amount is None:
        return None
    text = f"{amount:f}"
    if "." not in text:
        return f"{text}.00"
    whole, places = text.split(".")
    return f"{whole}.{places.rstrip('0').ljust(2, '0')}"


def _other(bill: Bill, total: Totals) -> str | None:
    return None if total.known("effective") is None else plain(bill.other_effective[total.currency])


def _total(total: Totals, other: Decimal) -> dict[str, Any]:
    unknown = [name for name in ("effective", "contracted", "list") if total.known(name) is None]
    return {
        **_amounts(asdict(total)),
        **{key: None for name in unknown for key in (name, f"{name}_stated")},
        "by_category": {name: plain(amount) for name, amount in sorted(total.by_category.items())},
        "gpu": plain(total.billed - other),
        "other": plain(other),
    }


def _gpu(row: GpuRow) -> dict[str, Any]:
    machine = row.machine
    return {
        "provider": machine.provider,
        "region": row.region or None,
        "instance_type": machine.instance_type,
        "gpu_model": machine.gpu_model,
        "gpus_per_machine": plain(machine.gpus),
        "gpu_hours": plain(row.gpu_hours),
        "machine_hours": plain(row.machine_hours),
        "billed": plain(row.billed),
        "effective": plain(row.effective),
        "list": plain(row.list),
        "currency": row.currency,
        "lines": row.lines,
        "lines_without_hours": row.hours_missing,
        "per_gpu": machine.per_gpu,
        "idle": machine.idle,
    }


def _finding(item: ReviewFinding, language: Language) -> dict[str, Any]:
    return {
        "id": item.id,
        "kind": item.kind,
        "subject": item.subject,
        "saving": plain(item.saving),
        "currency": item.currency,
        "text": item.text.say(language),
        "details": [text.say(language) for text in item.first()],
        "proof": item.proof.say(language) if item.proof else None,
    }


def _price(row: PriceRow) -> dict[str, Any]:
    return {
        "subject": row.subject,
        "gpu_model": row.machine.gpu_model,
        "term": row.term,
        "currency": row.currency,
        "machine_hours": plain(row.hours),
        "paid_per_machine_hour": plain(row.paid),
        "paid_per_gpu_hour": plain(row.per_gpu_hour),
        **{name: _quoted(getattr(row, name)) for name in ("list", "quote", "plan", "cheapest", "cheapest_anywhere")},
    }


def _quoted(item: Quoted | None) -> dict[str, Any] | None:
    if item is None:
        return None
    return {
        "offer": item.where,
        "per_machine_hour": plain(item.amount),
        "published": {"amount": plain(item.price.amount), "currency": item.price.currency, "unit": item.price.unit},
        "observed": item.price.observed,
        "source": item.price.source,
        "rate": item.rate_note or None,
    }


def _group(row: GroupRow) -> dict[str, Any]:
    return _amounts(asdict(row))


def _amounts(values: dict[str, Any]) -> dict[str, Any]:
    return {name: plain(value) if isinstance(value, Decimal) else value for name, value in values.items()}
