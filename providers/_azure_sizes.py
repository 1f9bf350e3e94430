"""What an Azure size name says about its GPUs; the APIs name no GPU model.

Source of every row: the size pages under https://learn.microsoft.com/en-us/azure/virtual-machines/sizes/gpu-accelerated
(read 2026-11-30 through copies). The API's `GPUs` capability is checked against them where both exist: it once said
12 for ND96isr_H100_v5 (Azure/azure-cli#31176) and says 1 for every share of an A10.
"""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from optimizer.domain.offer import Machine, Rdma
from optimizer.domain.units import MIB_PER_GIB
from providers._kit.contract import FetchContext, Unreadable
from providers._kit.machines import build_machine, positive

if TYPE_CHECKING:
    from providers._azure_skus import Sku

_BYTES_PER_MIB = MIB_PER_GIB**2
_BYTES_PER_GB = 10**9
_PREFIX = "Standard_"
_SIZE = re.compile(r"^N[CDGPV]+\d+")
_VCPUS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class _Series:
    """GPU and its count by vCPUs of one series; `vcpus_per_card` marks a series that sells shares of a card."""

    model: str
    gpus_by_vcpus: dict[int, int]
    vcpus_per_card: int | None = None


_EIGHT = {96: 8}
_SERIES: dict[str, _Series] = {
    "NC#s_v3": _Series("V100-PCIE-16GB", {6: 1, 12: 2, 24: 4}),
    "NC#rs_v3": _Series("V100-PCIE-16GB", {24: 4}),
    "NC#as_T4_v3": _Series("T4", {4: 1, 8: 1, 16: 1, 64: 4}),
    "NC#ads_A100_v4": _Series("A100-PCIE-80GB", {24: 1, 48: 2, 96: 4}),
    "NC#ads_A10_v4": _Series("A10", {8: 1, 16: 1, 32: 2}),
    "NC#ads_H100_v5": _Series("H100-NVL-94GB", {40: 1, 80: 2}),
    "NC#adis_H100_v5": _Series("H100-NVL-94GB", {80: 2}),
    "NCC#ads_H100_v5": _Series("H100-NVL-94GB", {40: 1}),
    "ND#s_v2": _Series("V100-SXM2-32GB", {40: 8}),
    "ND#rs_v2": _Series("V100-SXM2-32GB", {40: 8}),
    "ND#asr_v4": _Series("A100-SXM4-40GB", _EIGHT),
    "ND#asr_A100_v4": _Series("A100-SXM4-40GB", _EIGHT),
    "ND#ams_A100_v4": _Series("A100-SXM4-80GB", _EIGHT),
    "ND#amsr_A100_v4": _Series("A100-SXM4-80GB", _EIGHT),
    "ND#is_H100_v5": _Series("H100-SXM5-80GB", _EIGHT),
    "ND#isf_H100_v5": _Series("H100-SXM5-80GB", _EIGHT),
    "ND#isr_H100_v5": _Series("H100-SXM5-80GB", _EIGHT),
    "ND#isrf_H100_v5": _Series("H100-SXM5-80GB", _EIGHT),
    "ND#is_flex_H100_v5": _Series("H100-SXM5-80GB", _EIGHT),
    "ND#is_noIB_H100_v5": _Series("H100-SXM5-80GB", _EIGHT),
    "ND#isr_H200_v5": _Series("H200-SXM5-141GB", _EIGHT),
    "ND#is_MI300X_v5": _Series("MI300X", _EIGHT),
    "ND#isr_MI300X_v5": _Series("MI300X", _EIGHT),
    "ND#isr_NDR_GB200_v6": _Series("GB200-186GB", {128: 4}),
    "ND#isrf_NDR_GB200_v6": _Series("GB200-186GB", {128: 4}),
    "NV#ads_A10_v5": _Series("A10", {36: 1, 72: 2}, vcpus_per_card=36),
    "NV#adms_A10_v5": _Series("A10", {36: 1}),
}


def is_gpu_size(name: str) -> bool:
    """Whether a size belongs to the N family."""
    return name.startswith(_PREFIX) and _SIZE.match(name.removeprefix(_PREFIX)) is not None


def build(context: FetchContext, name: str, sku: "Sku | None", source: str) -> Machine:
    """The machine behind a size name, with what the SKU tells when there is one.

    Raises:
        Unreadable: the series is not in the table, or its count of GPUs is not known.
    """
    size = name.removeprefix(_PREFIX)
    pattern = _VCPUS.sub("#", size, count=1)
    found = _VCPUS.search(size)
    series = _SERIES.get(pattern)
    if series is None or found is None:
        raise Unreadable(f"series {pattern} is not in our table: GPU model and share unknown", quarantined=True)
    vcpus = int(found.group())
    gpus, fraction = _gpus(series, pattern, vcpus)
    return build_machine(
        context,
        "azure",
        name,
        gpu_label=pattern,
        known_as=series.model,
        gpu_count=gpus,
        gpu_fraction=fraction,
        source=source,
        **_hardware(sku, vcpus, gpus, fraction),
    )


def _gpus(series: _Series, pattern: str, vcpus: int) -> tuple[int, float | None]:
    if vcpus in series.gpus_by_vcpus:
        return series.gpus_by_vcpus[vcpus], None
    if series.vcpus_per_card and vcpus < series.vcpus_per_card:
        return 1, vcpus / series.vcpus_per_card
    raise Unreadable(f"{pattern} with {vcpus} vCPUs is not on the size page: GPUs unknown", quarantined=True)


def _hardware(sku: "Sku | None", vcpus: int, gpus: int, fraction: float | None) -> dict[str, Any]:
    facts = {"gpu_count": "derived: size page", "vcpus": "derived: size name"}
    if sku is None:
        return {"vcpus": vcpus, "facts": facts}
    told = sku.number("GPUs")
    if told is not None and fraction is None and told != gpus:
        facts["gpu_count"] = f"derived: size page; the API says {told:g}"
    nvme_mib = sku.number("NvmeDiskSizeInMiB")
    return {
        "vcpus": positive(sku.number("vCPUs")) or vcpus,
        "ram_gib": positive(sku.number("MemoryGB")),
        "local_nvme_gb": nvme_mib * _BYTES_PER_MIB / _BYTES_PER_GB if nvme_mib else None,
        "rdma": Rdma.INFINIBAND if sku.says("RdmaEnabled") == "True" else None,
        "facts": {"gpu_count": facts["gpu_count"]},
    }
