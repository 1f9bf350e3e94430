"""The specification and the comparison as JSON values: money is decimal text, figures are numbers, a blank is null."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from optimizer.contract.answers import Comparison, JudgedLine
from optimizer.contract.spec import Acceptance, ContractSpec, Item, Part, Value
from optimizer.contract.tax import WORDS
from optimizer.domain.text import Language, Text


def contract_json(spec: ContractSpec, language: Language) -> dict[str, Any]:
    """`{plan_id, purchases, items}` in one language; a vendor fills `vendor` and each item's `answer`."""
    return {
        "plan_id": spec.plan_id,
        "catalog_sha256": spec.catalog_sha256,
        "as_of": spec.as_of.isoformat(),
        "language": language,
        "vendor": "",
        "purchases": [_part(part, language) for part in spec.parts],
        "items": [_item(purchase, item, language) for purchase, item in spec.lines()],
    }


def comparison_json(spec: ContractSpec, comparisons: Sequence[Comparison], language: Language) -> dict[str, Any]:
    """`{plan_id, ok, vendors: [{vendor, ok, met, not_met, silent, items}]}`."""
    items = {(purchase, item.id): item for purchase, item in spec.lines()}
    return {
        "plan_id": spec.plan_id,
        "ok": all(comparison.ok for comparison in comparisons),
        "vendors": [
            {
                "vendor": comparison.vendor,
                "ok": comparison.ok,
                "met": comparison.count("met"),
                "not_met": comparison.count("not_met"),
                "silent": comparison.count("silent"),
                "items": [_judged(line, items[(line.purchase, line.id)], language) for line in comparison.lines],
            }
            for comparison in comparisons
        ],
    }


def _part(part: Part, language: Language) -> dict[str, Any]:
    return {
        "id": part.id,
        "kind": part.kind,
        "provider": part.provider,
        "region": part.region,
        "instance_type": part.instance_type,
        "machines": part.machines,
        "schedule": [
            {
                "term": row.term.say(language),
                "count": row.count,
                "quantity": row.quantity,
                "unit": row.unit,
                "unit_price": row.unit_price,
                "upfront": row.upfront,
                "currency": row.currency,
                "amount": row.amount,
                "start": row.start,
                "end": row.end,
                "source": row.source,
                "observed": row.observed,
                "tax_included": row.basis.included if row.basis.stated else None,
                "tax_factor": row.tax_factor,
                "basis": WORDS[row.amount_basis].say(language),
            }
            for row in part.schedule
        ],
    }


def _item(purchase: str | None, item: Item, language: Language) -> dict[str, Any]:
    return {
        "id": item.id,
        "purchase": purchase,
        "number": item.number,
        "title": item.title.say(language),
        "clause": item.clause.say(language),
        "value": _value(item.value, language),
        "unit": item.unit,
        "basis": item.basis.say(language) if item.basis is not None else None,
        "relation": item.relation,
        "source": item.source.say(language),
        "status": item.status,
        "mandatory": item.mandatory,
        "acceptance": _acceptance(item.acceptance, language),
        "remedies": list(item.remedies),
        "confirm": item.confirm.say(language) if item.confirm is not None else None,
        "answer": None,
        "note": "",
    }


def _acceptance(test: Acceptance | None, language: Language) -> dict[str, Any] | None:
    if test is None:
        return None
    return {
        "command": test.command,
        "reads": test.reads.say(language),
        "threshold": test.threshold.say(language),
        "margin": test.margin.say(language),
        "host_report": test.host_report,
    }


def _value(value: Value, language: Language) -> Any:
    if isinstance(value, Text):
        return value.say(language)
    return str(value) if isinstance(value, Decimal) else value


def _judged(line: JudgedLine, item: Item, language: Language) -> dict[str, Any]:
    return {
        "purchase": line.purchase,
        "id": line.id,
        "number": line.number,
        "mandatory": line.mandatory,
        "required": _value(item.value, language),
        "unit": item.unit,
        "relation": item.relation,
        "answer": line.answer,
        "verdict": line.verdict,
        "deviation": line.deviation,
        "reason": line.reason.say(language),
    }
