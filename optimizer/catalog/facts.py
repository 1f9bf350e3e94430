"""Records of the fact tables, and how their rows are read. Every row names its source and the day it was seen."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase
from typing import TypeVar

from optimizer.domain.gpu import Gpu
from optimizer.domain.model import ModelShape
from optimizer.domain.offer import Machine, Offer
from optimizer.domain.service import ServiceQuote

Row = dict[str, str]
_FIRST_TIER = re.compile(r"\bfirst (?P<size>\d+(?:\.\d+)?) (?P<unit>GB|TB|PB)\b")
_GB_OF = {"GB": 1.0, "TB": 1_000.0, "PB": 1_000_000.0}
Sold = TypeVar("Sold", "StorageProduct", "EgressPrice")


@dataclass(frozen=True, slots=True)
class RegionFact:
    """Where a provider's region lies. `None` is unknown (one price for all regions, or not stated)."""

    provider: str
    region: str
    canonical_region: str | None
    country: str | None
    jurisdiction: str | None
    source: str
    observed: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class StorageProduct:
    """One storage product of a provider. `tier`: hot-nvme, hot-ssd, shared-fs, cold-hdd or cold-object.

    `price_per_gb_month` is for one GB (10**9), or one GiB when `per_gib`. `throughput_gbyte_per_s` is the stated
    rate of one volume, or of each TiB of capacity when `throughput_per_tib`; `None` is not stated. `quote` is the
    user's own price that the row stands for.
    """

    provider: str
    region: str
    product: str
    tier: str
    price_per_gb_month: Decimal
    per_gib: bool
    throughput_gbyte_per_s: float | None
    throughput_per_tib: bool
    iops: float | None
    min_size_gb: float
    currency: str
    observed: str
    source: str
    note: str
    quote: ServiceQuote | None = None


def first_tier_gb(product: str) -> float | None:
    """Up to how many GB a price holds, by the name of a first tier ("Network volume, first 1 TB"); None for others."""
    found = _FIRST_TIER.search(product)
    return None if found is None else float(found["size"]) * _GB_OF[found["unit"]]


@dataclass(frozen=True, slots=True)
class EgressPrice:
    """The first paid tier of traffic to the internet, without any free allowance; 0 where it is stated free."""

    provider: str
    region: str
    price_per_gb: Decimal
    per_gib: bool
    currency: str
    observed: str
    source: str
    note: str
    quote: ServiceQuote | None = None


@dataclass(frozen=True, slots=True)
class ReferencePrice:
    """What a server was offered or sold for at some time: a level, never today's price."""

    amount: Decimal
    currency: str
    published: str
    confidence: str
    source: str
    note: str


@dataclass(frozen=True, slots=True)
class Server:
    """An owned server type: its hardware (provider "owned", region "on-prem"), power and reference prices."""

    name: str
    machine: Machine
    power_kw: float | None
    idle_kw: float | None
    prices: tuple[ReferencePrice, ...]

    @property
    def offer(self) -> Offer:
        """The server as an offer without a price: what owning it costs comes from the user."""
        return Offer(provider="owned", region="on-prem", machine=self.machine)


@dataclass(frozen=True, slots=True)
class Link:
    """How a machine's GPUs reach each other: GB/s of one GPU in one direction, and its source."""

    kind: str
    gbyte_per_s: float | None
    source: str


def number(text: str) -> float | None:
    """A number or unknown."""
    return float(text) if text else None


def whole(text: str) -> int | None:
    """A whole number or unknown."""
    return int(float(text)) if text else None


def flag(text: str) -> bool | None:
    """Yes, no or unknown."""
    return {"yes": True, "no": False}.get(text)


def read_gpu(row: Row) -> Gpu:
    """One row of facts/gpus.csv."""
    return Gpu(
        model=row["model"],
        vendor=row["vendor"],
        architecture=row["architecture"],
        release_year=whole(row["release_year"]),
        memory_gib=float(row["memory_gib"]),
        memory_reported_mib=number(row["memory_reported_mib"]),
        memory_type=row["memory_type"] or None,
        memory_bandwidth_gbyte_per_s=number(row["memory_bandwidth_gbyte_per_s"]),
        fp32_tflops=number(row["fp32_tflops"]),
        tf32_tflops=number(row["tf32_tflops"]),
        bf16_tflops=number(row["bf16_tflops"]),
        fp16_tflops=number(row["fp16_tflops"]),
        fp8_tflops=number(row["fp8_tflops"]),
        fp4_tflops=number(row["fp4_tflops"]),
        compute_capability=number(row["compute_capability"]),
        nvlink_gbyte_per_s=number(row["nvlink_gbyte_per_s"]),
        pcie_generation=whole(row["pcie_generation"]),
        pcie_lanes=whole(row["pcie_lanes"]),
        tdp_watts=number(row["tdp_watts"]),
        ecc=flag(row["ecc"]),
        form_factor=row["form_factor"] or None,
        source=row["source"],
        observed=row["observed"],
        notes=row["note"],
    )


def read_model(row: Row) -> ModelShape:
    """One row of facts/models.csv; `params_*` are exact counts there."""
    return ModelShape(
        name=row["name"],
        params_total=float(row["params_total"]),
        params_active=float(row["params_active"]),
        layers=int(row["layers"]),
        hidden_size=int(row["hidden_size"]),
        ffn_size=int(row["ffn_size"] or 0),
        heads=int(row["heads"]),
        kv_heads=int(row["kv_heads"]),
        head_dim=int(row["head_dim"]),
        vocab_size=int(row["vocab_size"]),
        tied_embeddings=row["tied_embeddings"] == "yes",
        gated=row["gated"] == "yes",
        experts=int(row["experts"] or 0),
        active_experts=int(row["active_experts"] or 0),
        moe_ffn_size=int(row["moe_ffn_size"] or 0),
        shared_expert_ffn_size=int(row["shared_expert_ffn_size"] or 0),
        dense_layers=int(row["dense_layers"] or 0),
        attention=row["attention"],  # type: ignore[arg-type]
        source=row["source"],
    )


def read_region(row: Row) -> RegionFact:
    """One row of facts/regions.csv."""
    return RegionFact(
        row["provider"],
        row["region"],
        row["canonical_region"] or None,
        row["country"] or None,
        row["jurisdiction"] or None,
        row["source"],
        row["observed"],
        row["note"],
    )


def read_storage(row: Row) -> StorageProduct:
    """One usable row of facts/storage.csv."""
    return StorageProduct(
        provider=row["provider"],
        region=row["regions"],
        product=row["product"],
        tier=row["tier"],
        price_per_gb_month=Decimal(row["price_per_gb_month"]),
        per_gib=row["per_gib"] == "yes",
        throughput_gbyte_per_s=number(row["throughput_gbyte_per_s"]),
        throughput_per_tib=row["throughput_per_tib"] == "yes",
        iops=number(row["iops"]),
        min_size_gb=float(row["min_size_gb"] or 0),
        currency=row["currency"],
        observed=row["observed"],
        source=row["source"],
        note=row["note"],
    )


def read_egress(row: Row) -> EgressPrice:
    """One usable row of facts/transfer.csv."""
    return EgressPrice(
        provider=row["provider"],
        region=row["regions"],
        price_per_gb=Decimal(row["price_per_gb"]),
        per_gib=row["per_gib"] == "yes",
        currency=row["currency"],
        observed=row["observed"],
        source=row["source"],
        note=row["note"],
    )


def covers(patterns: str, names: tuple[str, ...]) -> bool:
    """Whether one of the shell patterns (separated by ";") matches one of the names."""
    return any(fnmatchcase(name, pattern) for pattern in patterns.split(";") for name in names)


def by_provider(rows: Iterable[Sold]) -> dict[str, list[Sold]]:
    """Rows of each provider, in their order."""
    found: dict[str, list[Sold]] = {}
    for row in rows:
        found.setdefault(row.provider, []).append(row)
    return found
