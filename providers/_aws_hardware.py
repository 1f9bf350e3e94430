"""EC2 instance types as machines: what `DescribeInstanceTypes` tells (names as in botocore's service model)."""

import re
from typing import Any

from optimizer.domain.offer import Machine, Rdma
from optimizer.domain.units import mib_to_gib
from providers._kit.contract import FetchContext, Unreadable
from providers._kit.machines import build_machine, positive
from providers._kit.reading import PascalWire, read_row

_SOURCE = "ec2:DescribeInstanceTypes"
_MANY_CARDS = re.compile(r"^(\d+)x (\d+(?:\.\d+)?) Gigabit$")
_ONE_FIGURE = re.compile(r"^(\d+(?:\.\d+)?) Gigabit$")


class _Size(PascalWire):
    size_in_mi_b: float


class _Gpu(PascalWire):
    name: str
    count: int
    memory_info: _Size
    logical_gpu_count: int | None = None
    gpu_partition_size: float | None = None


class _Gpus(PascalWire):
    gpus: list[_Gpu]


class _Cpus(PascalWire):
    default_v_cpus: int
    default_cores: int | None = None


class _Storage(PascalWire):
    total_size_in_g_b: float
    nvme_support: str | None = None


class _Card(PascalWire):
    baseline_bandwidth_in_gbps: float | None = None


class _Network(PascalWire):
    network_performance: str
    network_cards: tuple[_Card, ...] = ()
    efa_supported: bool | None = None


class InstanceType(PascalWire):
    """One GPU instance type."""

    instance_type: str
    bare_metal: bool | None = None
    supported_usage_classes: tuple[str, ...] = ()
    v_cpu_info: _Cpus
    memory_info: _Size
    instance_storage_info: _Storage | None = None
    network_info: _Network
    gpu_info: _Gpus

    def is_sold_as(self, usage_class: str) -> bool:
        """Whether the type exists in a usage class: `on-demand`, `spot` or `capacity-block`."""
        return usage_class in self.supported_usage_classes


def read_instance_type(raw: Any) -> InstanceType:
    """One row of the answer.

    Raises:
        Unreadable: a field is not as documented.
    """
    return read_row(InstanceType, raw)


def machine_of(context: FetchContext, kind: InstanceType) -> Machine:
    """The machine of an instance type.

    Raises:
        Unreadable: several GPU models, several shares of a card, or a GPU that we cannot name.
    """
    if len(kind.gpu_info.gpus) != 1:
        raise Unreadable(f"found {len(kind.gpu_info.gpus)} GPU models in one machine, expected one")
    gpu = kind.gpu_info.gpus[0]
    count, fraction = _count(gpu)
    storage = kind.instance_storage_info
    return build_machine(
        context,
        "aws",
        kind.instance_type,
        gpu_label=gpu.name,
        gpu_count=count,
        gpu_fraction=fraction,
        memory_gib=mib_to_gib(gpu.memory_info.size_in_mi_b),
        source=_SOURCE,
        vcpus=positive(kind.v_cpu_info.default_v_cpus),
        cores=positive(kind.v_cpu_info.default_cores),
        ram_gib=positive(mib_to_gib(kind.memory_info.size_in_mi_b)),
        local_nvme_gb=storage.total_size_in_g_b if storage else 0.0,
        network_gbit_per_s=network_gbit_per_s(kind.network_info),
        rdma={True: Rdma.EFA, False: Rdma.NONE, None: None}[kind.network_info.efa_supported],
        bare_metal=kind.bare_metal,
    )


def network_gbit_per_s(network: _Network) -> float | None:
    """The documented bandwidth of the machine.

    The sum over network cards is an upper bound only (g6e.48xlarge: four cards at 400 are 400 in all), and "Up to"
    names a burst, for which the base of the single card stands.
    """
    documented = documented_gbit_per_s(network.network_performance)
    if documented is not None:
        return documented
    return network.network_cards[0].baseline_bandwidth_in_gbps if len(network.network_cards) == 1 else None


def documented_gbit_per_s(text: str) -> float | None:
    """ "400 Gigabit" and "4x 100 Gigabit" as 400; `None` for "Up to 10 Gigabit" and other words."""
    if found := _MANY_CARDS.match(text):
        return float(found.group(1)) * float(found.group(2))
    found = _ONE_FIGURE.match(text)
    return float(found.group(1)) if found else None


def _count(gpu: _Gpu) -> tuple[int, float | None]:
    """Whole GPUs, or the share of one: `Count` is 0 for shares, logical GPUs times their size is right for both."""
    if gpu.logical_gpu_count is None or gpu.gpu_partition_size is None:
        return gpu.count, None
    if gpu.gpu_partition_size == 1:
        return gpu.logical_gpu_count, None
    if gpu.logical_gpu_count != 1:
        raise Unreadable(f"{gpu.logical_gpu_count} shares of {gpu.gpu_partition_size:g} card: no whole GPU in them")
    return 1, gpu.gpu_partition_size
