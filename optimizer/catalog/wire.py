"""How machines and prices stand in the snapshot files: one CSV row each, an empty cell is unknown.

Reading trusts the file (its checksum was compared before) and builds records without validating them again:
validation happens where a snapshot is written. Measured on 5,000 prices: 12 ms against 30 ms validated and 42 ms
with `model_construct`.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any, TypeVar

from pydantic import BaseModel

from optimizer.domain.offer import (
    Availability,
    IntraLink,
    Machine,
    Mark,
    Offer,
    Price,
    PriceKind,
    PriceUnit,
    Rdma,
    Term,
)

MACHINE_COLUMNS: tuple[str, ...] = (
    "instance_type",
    "region",
    *(name for name in Machine.model_fields if name not in ("provider", "instance_type")),
)
PRICE_COLUMNS: tuple[str, ...] = (
    "region",
    "instance_type",
    "term",
    "amount",
    "unit",
    "currency",
    "upfront_amount",
    "upfront_share",
    "tax_included",
    "kind",
    "billing_unit_hours",
    "minimum_hours",
    "block_lengths_days",
    "interruptions_per_hour",
    "observed",
    "valid_from",
    "valid_to",
    "marks",
    "availability",
    "source",
    "note",
)
REGION, INSTANCE_TYPE, TERM, AMOUNT, UNIT, CURRENCY = range(6)
KIND, OBSERVED, MARKS, AVAILABILITY, SOURCE, NOTE = 9, 14, 17, 18, 19, 20

Record = TypeVar("Record", bound=BaseModel)
Cell = Callable[[str], Any]

_TERMS = {term.value: term for term in Term}
_UNITS = {unit.value: unit for unit in PriceUnit}
_KINDS = {kind.value: kind for kind in PriceKind}
_MARKS = {mark.value: mark for mark in Mark}
_DATES: dict[str, date] = {}
_set = object.__setattr__


def assemble(model: type[Record], values: dict[str, Any], fields: set[str]) -> Record:
    """A frozen record from values that are known to be valid; `values` becomes its own."""
    record = model.__new__(model)
    _set(record, "__dict__", values)
    _set(record, "__pydantic_fields_set__", fields)
    _set(record, "__pydantic_extra__", None)
    _set(record, "__pydantic_private__", None)
    return record


def day(text: str) -> date:
    """An ISO date; equal texts give the same object."""
    known = _DATES.get(text)
    if known is None:
        known = _DATES[text] = date.fromisoformat(text)
    return known


def _flag(text: str) -> bool:
    return text == "yes"


def _facts(text: str) -> dict[str, str]:
    return dict(part.split("=", 1) for part in text.split("|"))


_MACHINE_CELLS: dict[str, Cell] = {
    "gpu_count": int,
    "intra_link": IntraLink,
    "rdma": Rdma,
    "ecc": _flag,
    "bare_metal": _flag,
    "elastic": _flag,
    "pcie_generation": int,
    "pcie_lanes": int,
    "pcie_width_measured": int,
    "facts": _facts,
    "observed": day,
}
_TEXTS = {"region", "instance_type", "gpu_model", "gpu_label", "memory_type", "cpu", "source", "note"}
_MACHINE_DEFAULTS: dict[str, Any] = {
    name: None if field.is_required() else field.get_default() for name, field in Machine.model_fields.items()
}
_MACHINE_FIELDS = set(_MACHINE_DEFAULTS)
#: Name and reader of each column; a text stands as it is.
_MACHINE_READERS: tuple[tuple[str, Cell | None], ...] = tuple(
    (name, None if name in _TEXTS else _MACHINE_CELLS.get(name, float)) for name in MACHINE_COLUMNS
)


def read_machine(provider: str, row: list[str]) -> Machine:
    """The machine of one row of machines.csv."""
    values = {**_MACHINE_DEFAULTS, "provider": provider, "facts": {}}
    for (name, cell), text in zip(_MACHINE_READERS, row, strict=True):
        if text:
            values[name] = text if cell is None else cell(text)
    values.pop("region", None)  # where it is sold is no fact of the machine
    return assemble(Machine, values, _MACHINE_FIELDS)


_PRICE_DEFAULTS: dict[str, Any] = {
    name: None if field.is_required() else field.get_default() for name, field in Price.model_fields.items()
}
_PRICE_FIELDS = set(_PRICE_DEFAULTS)


def _blocks(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


def _marks(text: str) -> tuple[Mark, ...]:
    return tuple(_MARKS[mark] for mark in text.split())


#: Columns that are empty in most rows, with their readers.
_RARE_CELLS: tuple[tuple[int, str, Cell], ...] = tuple(
    (PRICE_COLUMNS.index(name), name, cell)
    for name, cell in (
        ("upfront_amount", Decimal),
        ("upfront_share", Decimal),
        ("tax_included", _flag),
        ("kind", _KINDS.__getitem__),
        ("billing_unit_hours", float),
        ("minimum_hours", float),
        ("block_lengths_days", _blocks),
        ("interruptions_per_hour", float),
        ("valid_from", day),
        ("valid_to", day),
        ("marks", _marks),
    )
)


def read_price(row: list[str]) -> Price:
    """The price of one row of prices.csv; the row must have an amount."""
    values = {
        **_PRICE_DEFAULTS,
        "term": _TERMS[row[TERM]],
        "amount": Decimal(row[AMOUNT]),
        "unit": _UNITS[row[UNIT]],
        "currency": row[CURRENCY],
        "source": row[SOURCE],
        "note": row[NOTE],
    }
    if row[OBSERVED]:
        values["observed"] = day(row[OBSERVED])
    for column, name, cell in _RARE_CELLS:
        if row[column]:
            values[name] = cell(row[column])
    return assemble(Price, values, _PRICE_FIELDS)


def write_machine(machine: Machine, region: str = "") -> list[str]:
    """The row of machines.csv; `region` is empty unless this variant is sold in one region only."""
    values: dict[str, Any] = {**machine.__dict__, "region": region}
    return [_text(values[name]) for name in MACHINE_COLUMNS]


def write_prices(offer: Offer) -> list[list[str]]:
    """The rows of prices.csv for one offer; default values are left empty.

    An offer without a price gets one row without an amount: known there, price not known.
    """
    place = {"region": offer.region, "instance_type": offer.instance_type}
    stock = "" if offer.availability is Availability.UNKNOWN else offer.availability.value
    prices: list[dict[str, Any]] = [dict(price.__dict__) for price in offer.prices] or [{}]
    return [_price_row({**price, **place, "availability": stock}) for price in prices]


def _price_row(values: dict[str, Any]) -> list[str]:
    for name, default in (("kind", PriceKind.LIST), ("billing_unit_hours", 1.0), ("minimum_hours", 0.0)):
        if values.get(name) == default:
            values[name] = None
    return [_text(values.get(name)) for name in PRICE_COLUMNS]


def _text(value: Any) -> str:
    if type(value) is str:  # most cells
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, Mapping):
        return "|".join(f"{name}={how}" for name, how in sorted(value.items()))
    if isinstance(value, Iterable) and not isinstance(value, str):
        return " ".join(_text(part) for part in value)
    text = str(value)
    return " ".join(text.splitlines()) if "\n" in text or "\r" in text else text
