"""What sizing answers: the fastest layout that fits, or what breaks and the smallest change that would mend it."""

from dataclasses import dataclass, field
from typing import Literal

from optimizer.domain.plan import Layout

#: Share of a GPU's memory above which a layout is tight (ours): three in ten of the published peaks lay more than 6 %
#: over the prediction (docs/accuracy.md), so fuller layouts run out too often (docs/adr/0024).
ROOMY_SHARE = 0.94

Bound = Literal["compute", "memory_bandwidth", "intra_node", "inter_node", "input"]


@dataclass(frozen=True, slots=True)
class Hardware:
    """One node as sizing sees it: GPU figures, links and host. Rates per GPU unless named otherwise.

    Link rates are one direction, GB/s. `None` is unknown: sizing then assumes the slower documented class and
    names the assumption in `Fit.assumptions`.
    """

    gpu_model: str
    gpus: int
    memory_usable_gib: float
    memory_bandwidth_gbyte_per_s: float | None
    fp32_tflops: float | None
    tf32_tflops: float | None
    bf16_tflops: float | None
    fp16_tflops: float | None
    fp8_tflops: float | None
    architecture: str
    compute_capability: float | None
    intra_link: str | None
    intra_gbyte_per_s: float | None
    network_gbit_per_s: float | None
    rdma: str | None
    cores: float | None
    ram_gib: float | None
    pcie_gbyte_per_s: float | None
    storage_gbyte_per_s: float | None = None
    ram_gbyte_per_s: float | None = None
    tdp_watts: float | None = None


@dataclass(frozen=True, slots=True)
class Fit:
    """The fastest layout found that fits on `nodes` x `gpus_per_node` GPUs.

    `memory_gib` per GPU by part: weights, gradients, optimizer, activations, logits, other, total (and finer
    parts under `detail`). `tokens_per_second` of the whole job; `interval` its low and high end at the stated
    confidence; `mfu` a fraction of the peak that `precision` has (6 N-type FLOPs, no recomputation counted).
    """

    gpu_model: str
    gpus_per_node: int
    nodes: int
    layout: Layout
    memory_gib: dict[str, float]
    usable_gib: float
    host_memory_gib: float
    tokens_per_second: float
    interval: tuple[float, float]
    mfu: float
    binds: Bound
    step_seconds: dict[str, float] = field(default_factory=dict)
    storage_demand_gbyte_per_s: float = 0.0
    storage_demand_iops: float = 0.0
    cores_demand: float = 0.0
    checkpoint_gb: float = 0.0
    assumptions: tuple[str, ...] = ()
    detail: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Misfit:
    """Why nothing fits: the part of memory (or fact) that breaks it and the smallest change that would fit."""

    gpu_model: str
    gpus_per_node: int
    nodes: int
    breaks: str
    needed_gib: float | None
    usable_gib: float
    smallest_change_en: str
    smallest_change_zh: str
