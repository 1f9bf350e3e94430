"""The contract specification as data: every renderer and the comparison of answers read these records only."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Literal

from optimizer.domain.text import Text

Status = Literal["stated", "derived", "to_confirm"]
#: How an answer is held against the line: a figure, a text, a clause to agree to, or a blank for the vendor to fill.
Relation = Literal["exactly", "at_least", "at_most", "text", "agree", "fill"]
Remedy = Literal["pro_rata", "replacement", "termination"]
Kind = Literal["rent", "order", "purchase"]
#: Money is a Decimal, a technical figure an int or a float, words are a Text; None is a blank.
Value = Text | Decimal | float | int | None

#: The items without which no contract for machines is written (D1: all of them in black and white).
NINE_ITEMS: tuple[str, ...] = (
    "gpu_model",
    "gpu_memory",
    "cpu",
    "memory",
    "network",
    "storage",
    "rent",
    "scaling",
    "response_time",
)


@dataclass(frozen=True, slots=True)
class TaxBasis:
    """Whether money includes value-added tax, and whether its source says so; if not, it is what the plan assumes."""

    included: bool
    stated: bool


@dataclass(frozen=True, slots=True)
class Acceptance:
    """How a line is proven: `command` prints what `reads` says, `threshold` is what it must show.

    `margin` says what the threshold allows for and whose figure that is. `host_report`: a virtual machine cannot prove
    it, the vendor runs the command on the host and signs the output.
    """

    command: str
    reads: Text
    threshold: Text
    margin: Text
    host_report: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One line of the contract. `mandatory` is the ★; `confirm` is the question where a fact is not stated.

    `basis` says of money whether tax is in it.
    """

    id: str
    title: Text
    clause: Text
    value: Value = None
    unit: str = ""
    basis: Text | None = None
    relation: Relation = "agree"
    status: Status = "to_confirm"
    source: Text
    mandatory: bool = False
    acceptance: Acceptance | None = None
    remedies: tuple[Remedy, ...] = ()
    confirm: Text | None = None
    number: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Numbered lines under one heading."""

    title: Text
    items: tuple[Item, ...]
    number: str = ""


@dataclass(frozen=True, slots=True)
class ScheduleRow:
    """One stretch of the price: `quantity` of `unit` at `unit_price`, for `count` machines, in [start, end).

    `basis` is that of `unit_price` and `upfront`; `amount` is (quantity x unit_price + upfront) x `tax_factor`.
    """

    term: Text
    count: int
    quantity: Decimal
    unit: str
    unit_price: Decimal
    upfront: Decimal
    currency: str
    amount: Decimal
    start: date
    end: date
    source: str
    observed: date | None
    basis: TaxBasis
    tax_factor: Decimal = Decimal(1)

    @property
    def amount_basis(self) -> TaxBasis:
        """The basis of `amount`: a factor has brought a price without tax to one with tax."""
        return self.basis if self.tax_factor == 1 else replace(self.basis, included=True)


@dataclass(frozen=True, slots=True)
class Part:
    """One purchase of machines: P1, P2, ... with its kind, its lines and its price schedule."""

    id: str
    kind: Kind
    provider: str
    region: str
    instance_type: str
    machines: int
    sections: tuple[Section, ...]
    schedule: tuple[ScheduleRow, ...]

    @property
    def items(self) -> tuple[Item, ...]:
        """All lines in order."""
        return tuple(item for section in self.sections for item in section.items)


@dataclass(frozen=True, slots=True)
class ContractSpec:
    """The whole document: parts, then clauses that all negotiated parts share (`common`, empty for orders alone)."""

    plan_id: str
    catalog_sha256: str | None
    as_of: date
    parts: tuple[Part, ...]
    common: tuple[Section, ...]

    def lines(self) -> Iterator[tuple[str | None, Item]]:
        """Every line with its purchase; common clauses have none."""
        for part in self.parts:
            for item in part.items:
                yield part.id, item
        for section in self.common:
            for item in section.items:
                yield None, item

    @property
    def is_signed(self) -> bool:
        """Whether anything here is negotiated, so that parties sign it."""
        return any(part.kind != "order" for part in self.parts)


def numbered(sections: tuple[Section, ...], first: int, prefix: str = "") -> tuple[Section, ...]:
    """Sections and lines with their clause numbers: "1", "1.1", or "P1-1", "P1-1.1" with a prefix."""
    result = []
    for place, section in enumerate(sections, start=first):
        number = f"{prefix}{place}"
        items = tuple(replace(item, number=f"{number}.{line}") for line, item in enumerate(section.items, start=1))
        result.append(Section(section.title, items, number))
    return tuple(result)


def missing_items(part: Part) -> tuple[str, ...]:
    """Those of the nine items that a part lacks."""
    present = {item.id for item in part.items}
    return tuple(name for name in NINE_ITEMS if name not in present)
