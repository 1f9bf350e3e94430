"""From a machine of the catalog to the figures that sizing works with, links resolved to achievable classes."""

from dataclasses import dataclass

from optimizer.domain.fit import Hardware
from optimizer.domain.gpu import Gpu
from optimizer.domain.offer import IntraLink, Machine, Rdma
from optimizer.sizing.constants import Constants, constants

#: One direction of 16 lanes, GB/s, by generation (PCI-SIG rates less 128b/130b coding; stas00/ml-engineering network).
PCIE_X16_GBYTE_PER_S = {3: 15.75, 4: 31.5, 5: 63.0, 6: 121.0}
SLOWEST_PCIE_GENERATION = 3
#: What a cloud machine has between nodes when nothing is stated: 10 Gbit/s Ethernet (ours, the slower class).
UNSTATED_NETWORK_GBIT_PER_S = 10.0
NVLINK_CLASS = {IntraLink.NVSWITCH, IntraLink.NVLINK, IntraLink.XGMI, IntraLink.HCCS}
#: Boards where each of eight GPUs has a link of its own to every other, no switch: a GPU's rate is that of seven links
#: (AMD CDNA 3 white paper, 2023: 7 x 128 GB/s on MI300X; Huawei, Atlas 800T A2: 7 x 56 GB/s, both directions).
MESH_CLASS = {IntraLink.XGMI, IntraLink.HCCS}
MESH_LINKS = 7
RDMA_CLASS = {Rdma.INFINIBAND, Rdma.ROCE, Rdma.EFA, Rdma.ERDMA, Rdma.UNSPECIFIED}


def hardware_of(machine: Machine, gpu: Gpu, share: float = 1.0, gpus: int | None = None) -> Hardware:
    """What sizing needs of `gpus` of a machine's GPUs (default: all) with `share` of its host.

    The usable memory is the smaller of the offer's and the driver's figure; link rates are one direction.
    """
    used = machine.gpu_count if gpus is None else gpus
    share = share if gpus is None else min(share, gpus / machine.gpu_count)
    link = machine.intra_link or _board_link(gpu)
    usable = machine.gpu_memory_usable_gib
    if machine.gpu_fraction is None:
        usable = min(usable, gpu.usable_memory_gib)
    return Hardware(
        gpu_model=machine.gpu_model,
        gpus=used,
        memory_usable_gib=usable,
        memory_bandwidth_gbyte_per_s=machine.memory_bandwidth_gbyte_per_s or gpu.memory_bandwidth_gbyte_per_s,
        fp32_tflops=gpu.fp32_tflops,
        tf32_tflops=gpu.tf32_tflops,
        bf16_tflops=gpu.bf16_tflops,
        fp16_tflops=gpu.fp16_tflops,
        fp8_tflops=gpu.fp8_tflops,
        architecture=gpu.architecture,
        compute_capability=machine.compute_capability or gpu.compute_capability,
        intra_link=link.value if link is not None else None,
        intra_gbyte_per_s=_intra_rate(link, machine, gpu),
        network_gbit_per_s=_times(machine.network_gbit_per_s, share),
        rdma=machine.rdma.value if machine.rdma is not None else None,
        cores=_times(machine.cores, share),
        ram_gib=_times(machine.ram_gib, share),
        pcie_gbyte_per_s=_pcie_rate(machine, gpu),
        storage_gbyte_per_s=_times(machine.local_nvme_gbyte_per_s, share),
        ram_gbyte_per_s=None,
        tdp_watts=gpu.tdp_watts,
    )


@dataclass(frozen=True, slots=True)
class Links:
    """Achievable rates, GB/s one direction: per GPU inside the node (groups of two apart), per node outside."""

    pair_gbyte_per_s: float
    node_gbyte_per_s: float
    network_gbyte_per_s: float
    pcie_gbyte_per_s: float
    node_class: str
    network_class: str
    assumptions: tuple[str, ...]
    network_assumptions: tuple[str, ...]


def links_of(hardware: Hardware, fitted: Constants | None = None) -> Links:
    """Resolve stated links to achievable rates; what is unknown takes the slower class and says so.

    On a mesh, two GPUs have the one link between them, and n of the eight n - 1 links each.
    """
    fitted = fitted or constants()
    assumptions: list[str] = []
    pcie = hardware.pcie_gbyte_per_s
    if pcie is None:
        pcie = PCIE_X16_GBYTE_PER_S[SLOWEST_PCIE_GENERATION]
        assumptions.append("PCIe 3.0 x16 to the host (not stated)")
    over_pcie = pcie * fitted.pcie_share
    nvlink = (hardware.intra_gbyte_per_s or 0.0) * fitted.nvlink_share
    if hardware.gpus > 1 and (hardware.intra_link is None or (hardware.intra_link != IntraLink.PCIE and not nvlink)):
        assumptions.append("GPUs reach each other over PCIe (link or its rate not stated)")
    if hardware.intra_link in MESH_CLASS and nvlink:
        one_link = nvlink / MESH_LINKS
        pair, node, kind = one_link, one_link * min(max(hardware.gpus - 1, 1), MESH_LINKS), "nvlink"
    elif hardware.intra_link in NVLINK_CLASS and nvlink:
        pair, node, kind = nvlink, nvlink, "nvlink"
    elif hardware.intra_link == IntraLink.NVLINK_PAIRS and nvlink:
        pair, node, kind = nvlink, over_pcie, "nvlink_pairs"
    else:
        pair, node, kind = over_pcie, over_pcie, "pcie"
    network, network_class, unstated = _network(hardware, fitted)
    return Links(pair, node, network, pcie * fitted.offload_share, kind, network_class, tuple(assumptions), unstated)


def _network(hardware: Hardware, fitted: Constants) -> tuple[float, str, tuple[str, ...]]:
    rate, notes = hardware.network_gbit_per_s, []
    if rate is None:
        rate = UNSTATED_NETWORK_GBIT_PER_S
        notes.append(f"{rate:g} Gbit/s Ethernet between nodes (rate not stated)")
    if hardware.rdma is None:
        notes.append("no RDMA between nodes (not stated)")
    has_rdma = hardware.rdma in RDMA_CLASS
    share = fitted.rdma_share if has_rdma else fitted.ethernet_share
    return rate / 8 * share, "rdma" if has_rdma else "ethernet", tuple(notes)


def _board_link(gpu: Gpu) -> IntraLink | None:
    """SXM boards carry their links: the link of the board where the offer is silent."""
    if not gpu.is_sxm_board or gpu.nvlink_gbyte_per_s is None:
        return None
    return {"AMD": IntraLink.XGMI, "Huawei": IntraLink.HCCS}.get(gpu.vendor, IntraLink.NVLINK)


def _intra_rate(link: IntraLink | None, machine: Machine, gpu: Gpu) -> float | None:
    """GB/s of one GPU in one direction: as the offer states, else from the data sheet (which counts both)."""
    if link is None:
        return None
    if machine.intra_link is not None and machine.intra_link_gbyte_per_s is not None:
        return machine.intra_link_gbyte_per_s
    if link is IntraLink.PCIE:
        return _pcie_rate(machine, gpu)
    return gpu.nvlink_gbyte_per_s / 2 if gpu.nvlink_gbyte_per_s is not None else None


def _pcie_rate(machine: Machine, gpu: Gpu) -> float | None:
    generations = [value for value in (machine.pcie_generation, gpu.pcie_generation) if value is not None]
    full = PCIE_X16_GBYTE_PER_S.get(min(generations)) if generations else None
    lanes = machine.pcie_width_measured or min(gpu.pcie_lanes or 16, 16)
    return full * lanes / 16 if full is not None else None


def _times(value: float | None, share: float) -> float | None:
    return value * share if value is not None else None
