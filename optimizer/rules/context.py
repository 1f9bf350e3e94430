"""What a rule looks at: one workload on one configuration, with the facts that planning knows of it."""

from dataclasses import dataclass
from typing import Literal

from optimizer.domain.fit import Fit
from optimizer.domain.gpu import Gpu
from optimizer.domain.model import ModelShape, SizeClass, size_class
from optimizer.domain.offer import Machine, Term
from optimizer.domain.workload import Work
from optimizer.rules.evidence import Evidence, evidence_of


@dataclass(frozen=True, slots=True)
class HotStorage:
    """Where the hot data of one workload lies.

    `kind`: the machine's own NVMe, a volume of the provider, or nothing found. `rate_gbyte_per_s` and `iops` are
    as stated for the store, `None` when nobody states them. `capacity_gb` is what the job sees on one node; `None`
    for a volume means that it is bought to size. `shared`: one store that all nodes read. `medium` is stated only
    where it is known ("hdd" never serves hot data).
    """

    kind: Literal["local_nvme", "volume", "none"]
    product: str = ""
    rate_gbyte_per_s: float | None = None
    iops: float | None = None
    capacity_gb: float | None = None
    shared: bool = False
    medium: Literal["nvme", "ssd", "hdd", "object"] | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """One workload on `nodes` machines, `gpus_used_per_node` GPUs of each; `None` is unknown.

    A job that takes g of a machine's G GPUs is judged on g/G of its memory, cores and NVMe (design, section 3).
    `shape` and `fit` are absent for work given as GPU hours without a model. `is_cheapest` says that the proven
    cheapest plan chose this configuration: cost then asked for it.
    """

    work: Work
    machine: Machine
    gpu: Gpu
    gpus_used_per_node: int
    nodes: int = 1
    shape: ModelShape | None = None
    fit: Fit | None = None
    run_hours: float | None = None
    storage: HotStorage | None = None
    term: Term | None = None
    site_power_kw: float | None = None
    pue: float = 1.0
    load_kw: float | None = None
    owned: bool = False
    is_cheapest: bool | None = None

    @property
    def evidence(self) -> Evidence:
        """What is known of the machine, with how it is known (computed once a machine)."""
        return evidence_of(self.machine, self.gpu)

    @property
    def share(self) -> float:
        """Share of each machine that the work takes."""
        return self.gpus_used_per_node / self.machine.gpu_count

    @property
    def gpus(self) -> int:
        """GPUs of the whole job."""
        return self.nodes * self.gpus_used_per_node

    @property
    def parameters(self) -> float | None:
        """Total parameters: the count that memory rules use, for mixtures of experts too."""
        return self.shape.params_total if self.shape is not None else None

    @property
    def size_class(self) -> SizeClass | None:
        """The documents' class of the model (7B, 13B, 34B, 70B, pooled)."""
        return size_class(self.shape.params_total) if self.shape is not None else None

    @property
    def trains_all(self) -> bool:
        """Whether every parameter is trained (full fine-tuning or pretraining)."""
        return self.work.method in ("full", "pretrain")

    @property
    def hot_need_gb(self) -> float:
        """GB that lie hot: the hot part of the data set and the checkpoints kept (D0; computed)."""
        work = self.work
        checkpoint = work.checkpoint_gb
        if checkpoint == "auto":
            checkpoint = self.fit.checkpoint_gb if self.fit is not None else 0.0
        return work.dataset_gb * work.hot_fraction + checkpoint * work.checkpoints_kept
