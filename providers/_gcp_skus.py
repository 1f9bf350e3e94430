"""Google's billing SKUs as parts of a machine: cores, memory, GPUs and local SSD, by region and way to pay.

Reference: Cloud Billing Catalog API v1, `services/6F81-5844-456A/skus`; names on the wire as in google-cloud-billing
1.21.0, descriptions as read 2026-11-30. The description decides before `usageType`: spot slices of the B200 and
reservations in calendar mode carry `OnDemand`.
"""

import re
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from providers._kit.contract import Unreadable
from providers._kit.reading import CamelWire, read_row

_NANOS = Decimal(10) ** -9


class Mode(StrEnum):
    """The ways to pay that SKUs exist for and that we price."""

    ON_DEMAND = "on demand"
    SPOT = "spot"
    COMMIT_1Y = "1-year commitment"
    COMMIT_3Y = "3-year commitment"
    CALENDAR = "calendar mode"


class Part(StrEnum):
    """What a machine is charged for besides GPUs."""

    CORE = "core"
    RAM = "ram"
    LOCAL_SSD = "local-ssd"


#: Accelerator type to the name in SKU descriptions.
_GPU_TEXTS = {
    "nvidia-tesla-a100": r"nvidia tesla a100 gpu",
    "nvidia-a100-80gb": r"nvidia tesla a100 80gb gpu",
    "nvidia-h100-80gb": r"nvidia h100 80gb gpu",
    "nvidia-h100-mega-80gb": r"nvidia h100 (?:80gb (?:plus|mega)|mega 80gb) gpu",
    "nvidia-h200-141gb": r"h200 141gb gpu",
    "nvidia-b200": r"a4 nvidia b200 \(1 gpu slice\)",
    "nvidia-l4": r"nvidia l4 gpu",
    "nvidia-rtx-pro-6000": r"rtx 6000 96gb",
    **{f"nvidia-tesla-{card}": rf"nvidia tesla {card} gpu" for card in ("t4", "p4", "p100", "v100")},
}
_START = r"^(?:commitment v1: |spot preemptible |reserved )?"
_GPUS = {name: re.compile(_START + text) for name, text in _GPU_TEXTS.items()}
_CORE = re.compile(_START + r"(\w+)(?: predefined)? (?:instance core|cpu)\b")
_RAM = re.compile(_START + r"(\w+)(?: predefined)? (?:instance ram|ram)\b")
_LOCAL_SSD = re.compile(_START + r"(?:ssd backed local storage|local ssd)\b")
_SKIPPED = ("sole tenancy", "custom", "premium", "suspended", "dollar based", "dws", "defined duration", "flex start")
#: Usage unit by the last word of a part; GPUs and cores are charged by the hour.
_UNITS = {Part.RAM.value: "GiBy.h", Part.LOCAL_SSD.value: "GiBy.mo"}
_HOUR = "h"


class _UnitPrice(CamelWire):
    currency_code: str
    units: int = 0
    nanos: int = 0

    @property
    def amount(self) -> Decimal:
        """Whole units plus billionths."""
        return self.units + self.nanos * _NANOS


class _Rate(CamelWire):
    start_usage_amount: Decimal = Decimal(0)
    unit_price: _UnitPrice


class _Expression(CamelWire):
    usage_unit: str
    tiered_rates: list[_Rate]


class _Pricing(CamelWire):
    pricing_expression: _Expression
    effective_time: datetime | None = None


class _Category(CamelWire):
    usage_type: str


class _Sku(CamelWire):
    sku_id: str
    description: str
    category: _Category
    service_regions: list[str]
    pricing_info: list[_Pricing]


@dataclass(frozen=True, slots=True)
class PartPrice:
    """The price of one unit of a part; `unit` is hour, GiB-hour or GiB-month."""

    amount: Decimal
    currency: str
    sku_id: str
    since: date | None


PartKey = tuple[str, Mode, str]


@dataclass
class PriceParts:
    """Prices by (region, mode, part); a part with two prices is known to be in conflict and never used."""

    prices: dict[PartKey, PartPrice] = field(default_factory=dict)
    conflicts: set[PartKey] = field(default_factory=set)

    def add(self, raw: Any) -> None:
        """Take in one SKU, if it is a part of a GPU machine.

        Raises:
            Unreadable: the SKU is not in its documented shape, or has no positive price.
        """
        text = " ".join(str(raw.get("description", "")).lower().split())
        part = part_of(text)
        if part is None:
            return
        sku = read_row(_Sku, raw)
        mode = mode_of(text, sku.category.usage_type)
        if mode is None:
            return
        price = _price(sku, part)
        for region in sku.service_regions:
            key = (region, mode, part)
            known = self.prices.setdefault(key, price)
            if known.amount != price.amount:
                self.conflicts.add(key)

    def find(self, region: str, mode: Mode, part: str) -> PartPrice:
        """The price of one part.

        Raises:
            Unreadable: there is none, or there are two: the whole machine has no price then.
        """
        key = (region, mode, part)
        if key in self.conflicts:
            raise Unreadable(f"two {mode.value} prices for {part}")
        if key not in self.prices:
            raise Unreadable(f"no {mode.value} price for {part}")
        return self.prices[key]

    def sells(self, region: str, mode: Mode, part: str) -> bool:
        """Whether the part has any price in this mode."""
        return (region, mode, part) in self.prices


def part_of(text: str) -> str | None:
    """The part that a description (lower case) prices: an accelerator type, `<family> core`, `<family> ram`, SSD."""
    for accelerator, pattern in _GPUS.items():
        if pattern.match(text):
            return accelerator
    if _LOCAL_SSD.match(text):
        return Part.LOCAL_SSD.value
    for part, pattern in ((Part.CORE, _CORE), (Part.RAM, _RAM)):
        found = pattern.match(text)
        if found:
            return f"{found.group(1)} {part.value}"
    return None


def mode_of(text: str, usage_type: str) -> Mode | None:
    """The way to pay of a description (lower case); `None` for those that are not ordinary machines."""
    if any(word in text for word in _SKIPPED):
        return None
    if text.startswith("commitment v1:"):
        return Mode.COMMIT_1Y if "1 year" in text else Mode.COMMIT_3Y if "3 year" in text else None
    if "calendar mode" in text:
        return Mode.CALENDAR
    if "preemptible" in text or "spot" in text:
        return Mode.SPOT
    return Mode.ON_DEMAND if usage_type == "OnDemand" and not text.startswith("reserved") else None


def _price(sku: _Sku, part: str) -> PartPrice:
    if not sku.pricing_info:
        raise Unreadable(f"{sku.description}: no pricingInfo")
    newest = sku.pricing_info[-1]
    expression = newest.pricing_expression
    expected = _UNITS.get(part.rpartition(" ")[2], _HOUR)
    if expression.usage_unit != expected:
        raise Unreadable(f"{sku.description}: usageUnit: found {expression.usage_unit!r}, expected {expected!r}")
    if len(expression.tiered_rates) != 1:
        raise Unreadable(f"{sku.description}: found {len(expression.tiered_rates)} price tiers, expected one")
    price = expression.tiered_rates[0].unit_price
    if price.amount <= 0:
        raise Unreadable(f"{sku.description}: found price {price.amount}, expected a positive one (preview?)")
    since = newest.effective_time.date() if newest.effective_time else None
    return PartPrice(price.amount, price.currency_code, sku.sku_id, since)
