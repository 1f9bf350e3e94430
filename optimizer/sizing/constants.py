"""The fitted constants, read once from `constants.json` (each with meaning, unit, rows and spread there)."""

import json
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

CONSTANTS_FILE = Path(__file__).with_name("constants.json")


@dataclass(frozen=True, slots=True)
class Constants:
    """Values of `constants.json` by name; meanings and units stand in that file."""

    gemm_share_volta: float
    gemm_share_other: float
    older_libraries: float
    watts_per_tflops: float
    width_bytes: float
    flash1_share: float
    flash1_share_hopper: float
    flash2_share: float
    flash2_share_hopper: float
    flash3_share_hopper: float
    elementwise_bytes: float
    launch_seconds: float
    logit_bytes: float
    dequantize_bytes: float
    nvlink_share: float
    pcie_share: float
    rdma_share: float
    deepspeed_gather_share: float
    ethernet_share: float
    overlap_share: float
    offload_share: float
    hop_seconds: float
    step_fixed_seconds: float
    activation_hidden_extra: float
    logit_memory_bytes: float
    update_bytes: float
    context_gib: float
    collective_buffer_gib: float
    fragmentation: float


@cache
def document() -> dict[str, Any]:
    """The whole data file."""
    content: dict[str, Any] = json.loads(CONSTANTS_FILE.read_text(encoding="utf-8"))
    return content


@cache
def constants() -> Constants:
    """The values in use."""
    table = document()["constants"]
    return Constants(**{field.name: float(table[field.name]["value"]) for field in fields(Constants)})
