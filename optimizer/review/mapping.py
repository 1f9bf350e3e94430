"""Bill formats as data: which column of an export is which field of a bill line.

A mapping file (YAML or JSON, docs/review.md) is the only place that knows a provider's column names. Names are
compared without case, spaces and punctuation, so `lineItem/UsageType`, `line_item_usage_type` and
`LineItem UsageType` are one column.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from optimizer.errors import InputError, Problem
from optimizer.files import read_text

MAPPING_DIRECTORY = Path(__file__).parent / "mappings"

TEXT_FIELDS = (
    "provider",
    "service",
    "account",
    "sub_account",
    "region",
    "resource",
    "instance_type",
    "usage_type",
    "sku",
    "description",
    "sku_details",
    "component",
    "unit",
    "pricing_unit",
    "currency",
    "category",
    "charge_class",
    "frequency",
    "pricing_category",
    "commitment",
    "commitment_type",
    "commitment_status",
    "reservation",
    "reservation_status",
    "invoice",
    "tags",
)
NUMBER_FIELDS = (
    "billed",
    "effective",
    "contracted",
    "list",
    "quantity",
    "pricing_quantity",
    "list_unit_price",
    "unused_quantity",
    "unused_rate",
)
TIME_FIELDS = ("billing_start", "billing_end", "charge_start", "charge_end", "commitment_end")
FIELDS = (*TEXT_FIELDS, *NUMBER_FIELDS, *TIME_FIELDS)

_NOT_LETTERS_OR_DIGITS = re.compile(r"[^0-9a-z\u3400-\u9fff]")


def column_key(name: str) -> str:
    """A column name without case, spaces and punctuation: the form in which names are compared."""
    return _NOT_LETTERS_OR_DIGITS.sub("", name.strip().lstrip("\ufeff").casefold())


class Take(BaseModel):
    """Where one field comes from. Exactly one of `first`, `constant`, `sum`, `by`, `prefix`.

    `first`: the first of these columns that has a value; `sum`: signed columns; `by` and `cases`: another take for
    each value of a column; `prefix`: all columns whose name starts so, as `key=value;` text. `values` translates the
    text found, `otherwise` stands for everything not named (a take for `by`, a text for `values` and `first`).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    first: tuple[str, ...] = ()
    constant: str | None = None
    sum: tuple[str, ...] = ()
    by: str | None = None
    cases: dict[str, "Take"] = {}
    prefix: str | None = None
    values: dict[str, str] = {}
    otherwise: "Take | None" = None

    @model_validator(mode="before")
    @classmethod
    def _short_forms(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"first": (value,)}
        return {"first": tuple(value)} if isinstance(value, list) else value

    @model_validator(mode="after")
    def _one_source(self) -> "Take":
        given = [bool(self.first), self.constant is not None, bool(self.sum), self.by is not None]
        if sum([*given, self.prefix is not None]) != 1:
            raise ValueError("give exactly one of first, constant, sum, by, prefix")
        return self

    def columns(self) -> Iterable[str]:
        """Every column name that the take reads."""
        yield from self.first
        yield from (name.lstrip("-") for name in self.sum)
        if self.by is not None:
            yield self.by
        for case in (*self.cases.values(), *([self.otherwise] if self.otherwise else ())):
            yield from case.columns()


class BillMapping(BaseModel):
    """One bill format: how it is recognized, its zone, and the source of each field.

    `detect`: column names that all stand in the header. `zone`: of times without an offset. `end`: whether the end of
    a charge period is exclusive or names its last second. `period`: length of a charge without an end.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    title: str = ""
    source: str
    observed: str
    zone: str = "UTC"
    detect: tuple[str, ...]
    end: Literal["exclusive", "last_second"] = "exclusive"
    period: Literal["hour", "day", "month"] = "hour"
    columns: dict[str, Take]

    @model_validator(mode="before")
    @classmethod
    def _usage_by_default(cls, value: Any) -> Any:
        """A format without a category has lines of usage alone."""
        if isinstance(value, dict) and isinstance(value.get("columns"), dict):
            return {**value, "columns": {"category": {"constant": "usage"}, **value["columns"]}}
        return value

    @model_validator(mode="after")
    def _knows_its_fields(self) -> "BillMapping":
        unknown = sorted(set(self.columns) - set(FIELDS))
        if unknown:
            raise ValueError(f"unknown fields: {', '.join(unknown)}; known are {', '.join(FIELDS)}")
        missing = [name for name in ("billed", "currency", "charge_start") if name not in self.columns]
        if missing:
            raise ValueError(f"fields without a source: {', '.join(missing)}")
        return self

    def fits(self, header: Iterable[str]) -> bool:
        """Whether a file with this header is of this format."""
        keys = {column_key(name) for name in header}
        return all(column_key(name) in keys for name in self.detect)


@dataclass(frozen=True, slots=True)
class Detected:
    """The format of one header: its mapping and, for FOCUS, the version that the columns show."""

    mapping: BillMapping
    version: str


def load_mapping(path: Path) -> BillMapping:
    """Read one mapping file (YAML; JSON is YAML).

    Raises:
        InputError: not readable, not YAML, or fields that do not exist.
    """
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    from optimizer.planning.yaml_core import dotted, parse

    document = parse(read_text(path, "a mapping file"), str(path))
    if not isinstance(document.data, dict):
        raise InputError(Problem(str(path), "", "no names with values", "a mapping file: name, source, columns", 1))
    try:
        mapping = BillMapping.model_validate(document.data)
        ZoneInfo(mapping.zone)
    except ValidationError as error:
        raise InputError(
            Problem(
                str(path),
                dotted(problem["loc"]),
                str(problem.get("input"))[:80],
                problem["msg"].removeprefix("Value error, "),
                document.line(problem["loc"]),
            )
            for problem in error.errors()
        ) from error
    except (ZoneInfoNotFoundError, ValueError) as error:
        problem_ = Problem(
            str(path), "zone", mapping.zone, "a zone name such as Asia/Shanghai", document.line(("zone",))
        )
        raise InputError(problem_) from error
    return mapping


def built_in_mappings() -> tuple[BillMapping, ...]:
    """The formats that ship with the product, most specific header first."""
    mappings = [load_mapping(path) for path in sorted(MAPPING_DIRECTORY.glob("*.yaml"))]
    return tuple(sorted(mappings, key=lambda mapping: (-len(mapping.detect), mapping.name)))


def detect(header: Iterable[str], mappings: Iterable[BillMapping]) -> Detected | None:
    """The first mapping whose columns all stand in the header."""
    names = tuple(header)
    mapping = next((mapping for mapping in mappings if mapping.fits(names)), None)
    if mapping is None:
        return None
    return Detected(mapping, focus_version(names) if mapping.name == "focus" else "")


#: Columns that only this and later versions have, newest first (FOCUS specification changelog, versions 1.0 to 1.4).
_FOCUS_MARKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("1.3", ("ServiceProviderName", "HostProviderName", "ContractApplied")),
    ("1.2", ("PricingCurrency", "InvoiceId", "BillingAccountType", "SubAccountType", "PricingCurrencyEffectiveCost")),
    (
        "1.1",
        ("SkuPriceDetails", "SkuMeter", "ServiceSubcategory", "CapacityReservationId", "CommitmentDiscountQuantity"),
    ),
    ("1.0", ("ContractedCost", "RegionId", "ConsumedQuantity", "ChargeClass")),
    ("0.5", ("AmortizedCost", "ChargeType")),  # before the preview, which kept other columns of 0.5
    ("1.0-preview", ("UsageQuantity", "Region", "ChargeSubcategory", "ChargeFrequency")),
)


def focus_version(header: Iterable[str]) -> str:
    """The version that a FOCUS header shows; 1.4 dropped ProviderName and PublisherName."""
    keys = {column_key(name) for name in header}
    for version, marks in _FOCUS_MARKS:
        if any(column_key(mark) in keys for mark in marks):
            if version == "1.3" and not keys & {"providername", "publishername"}:
                return "1.4"
            return version
    return "1.0"


def suggest(header: Iterable[str], mappings: Iterable[BillMapping]) -> Mapping[str, list[str]]:
    """For each format the columns that are missing, nearest format first (for the error message)."""
    keys = {column_key(name) for name in header}
    missing = {mapping.name: [name for name in mapping.detect if column_key(name) not in keys] for mapping in mappings}
    return dict(sorted(missing.items(), key=lambda item: len(item[1])))
