"""Price of one raw row, with the marks and kinds that the decision table and the audit give it."""

import re
from dataclasses import dataclass
from decimal import Decimal

from catalog_import.raw import RawRow, first_day, matches, table
from optimizer.domain.offer import Machine, Mark, Price, PriceKind, PriceUnit, Term

_MONTH_TERMS = {
    Term.MONTH,
    Term.YEAR,
    Term.RESERVED_3M,
    Term.RESERVED_6M,
    Term.RESERVED_1Y,
    Term.RESERVED_2Y,
    Term.RESERVED_3Y,
    Term.RESERVED_5Y,
}
#: AWS sells capacity blocks of 1 to 14 days, then whole weeks up to 182 days (docs.aws.amazon.com capacity-blocks-how).
AWS_BLOCK_DAYS = (*range(1, 15), *range(21, 183, 7))
#: Google's calendar mode takes 1 to 90 days (docs.cloud.google.com, calendar mode reservation).
GCP_BLOCK_DAYS = tuple(range(1, 91))
_CAPACITY_BLOCK_VALID_TO = "2025-01-01"


@dataclass(frozen=True, slots=True)
class Decision:
    """What the decision table says of one row; `status` rejected takes it out of the catalog."""

    marks: tuple[Mark, ...]
    kind: PriceKind | None
    status: str
    reasons: tuple[str, ...]


class Decisions:
    """The hand-kept table price_decisions.csv; every rule that matches a row applies."""

    def __init__(self) -> None:
        self.rules = table("price_decisions.csv")

    def of(self, row: RawRow) -> Decision:
        """The marks, kind and status of a row with their reasons."""
        rules = [rule for rule in self.rules if _applies(rule, row)]
        kinds = [PriceKind(rule["kind"]) for rule in rules if rule["kind"]]
        return Decision(
            marks=tuple(dict.fromkeys(Mark(rule["mark"]) for rule in rules if rule["mark"])),
            kind=kinds[0] if kinds else None,
            status=next((rule["status"] for rule in rules if rule["status"]), ""),
            reasons=tuple(
                f"{rule['reason']} ({rule['finding']})" if rule["finding"] else rule["reason"] for rule in rules
            ),
        )


def _applies(rule: dict[str, str], row: RawRow) -> bool:
    if rule["file"] != row.file:
        return False
    asked = {"provider": row.provider, "instance_type": row.instance_type, "region": row.region, "term": row["term"]}
    if not all(matches(text, rule[name]) for name, text in asked.items()):
        return False
    return rule["contains"] == "*" or rule["contains"] in f"{row['derived']} {row['source']}"


def amount_of(row: RawRow) -> tuple[Decimal, PriceUnit] | None:
    """The amount and what it buys. The term is read first: a month's rent is never an hour's price (F30)."""
    term = Term(row["term"])
    columns = [("price_per_hour", PriceUnit.HOUR)]
    if term in _MONTH_TERMS:
        columns = [("price_per_month", PriceUnit.MONTH), ("price_per_year", PriceUnit.YEAR), *columns]
    for column, unit in columns:
        if row[column] and (amount := Decimal(row[column])) > 0:
            return amount, unit
    return None


def build_price(row: RawRow, machine: Machine, decision: Decision, note: str) -> Price | None:
    """The price of a row; `None` where it has none. The row must have a currency."""
    found = amount_of(row)
    if found is None:
        return None
    amount, unit = found
    term = Term(row["term"])
    marks = list(decision.marks)
    if machine.gpu_fraction is not None or "gpu_fraction" in machine.facts:
        marks.append(Mark.FRACTIONAL)
    is_block = term is Term.CAPACITY_BLOCK
    blocks = (AWS_BLOCK_DAYS if row.provider == "aws" else GCP_BLOCK_DAYS) if is_block else ()
    return Price(
        term=term,
        amount=amount,
        unit=unit,
        currency=row["currency"],
        upfront_share=_upfront_share(row, term),
        tax_included=True if "includes 6 % tax" in row["derived"] else None,
        kind=decision.kind or (PriceKind.SPOT if term is Term.SPOT else PriceKind.LIST),
        block_lengths_days=blocks,
        observed=first_day(row["observed"]),
        valid_to=first_day(_CAPACITY_BLOCK_VALID_TO) if Mark.EXPIRED in marks else None,
        source=_price_source(row["source"]),
        note=note,
        marks=tuple(dict.fromkeys(marks)),
    )


def _upfront_share(row: RawRow, term: Term) -> Decimal | None:
    """How much of the total is due on the first day: 0 and "whole term" are stated, a blank is unknown."""
    if term is Term.CAPACITY_BLOCK:
        return Decimal(1)
    if not row["upfront"]:
        return None
    return Decimal(0) if Decimal(row["upfront"]) == 0 else Decimal(1)


def _price_source(source: str) -> str:
    return source.split("| hw:", 1)[0].strip()


class Notes:
    """The hand-kept table price_notes.csv: what a source says of a price, in our words."""

    def __init__(self) -> None:
        self._patterns = [(re.compile(row["pattern"]), row["note"]) for row in table("price_notes.csv")]

    def of(self, row: RawRow, decision: Decision) -> str:
        """The reasons of the decision, then what the source says of the price."""
        said = [found.expand(note) for pattern, note in self._patterns if (found := pattern.search(row["derived"]))]
        if 0 < len(row["observed"]) < len("2026-01-01"):
            said.append("only the month of observation is known")
        return "; ".join([*decision.reasons, *said])
