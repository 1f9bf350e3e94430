"""How a fact of a machine is known, in the order that the rules ask: stated or measured, derived, unknown.

Every table here is data with its source; a field that no table reaches stays unknown (`None`). Facts of a machine
are worked out once and kept, since planning judges the same machine for many workloads and node counts.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from optimizer.domain.gpu import Gpu
from optimizer.domain.offer import IntraLink, Machine, Rdma
from optimizer.domain.text import Text
from optimizer.domain.units import BYTES_PER_GB, BYTES_PER_GIB, NOMINAL_MEMORY_TOLERANCE

#: Providers whose hosts belong to others or differ from host to host: ECC and CPU are not known beforehand.
MARKETPLACES: Final = frozenset(
    {"akash", "autodl", "compshare", "gongji", "hyperbolic", "market", "matpool", "mithril", "szaicpp", "vast"}
)
#: A word in the instance name that marks a community host of a provider that also has its own (RunPod's tiers).
COMMUNITY_MARK: Final = "community"
#: Clouds that run server platforms only (Xeon, EPYC, Arm server CPUs, registered ECC memory).
BIG_CLOUDS: Final = frozenset(
    {"alibaba", "aws", "azure", "baidu", "ctyun", "gcp", "huawei", "oci", "tencent", "volcengine"}
)
#: Words in a CPU's name that mark a server part; all of these take ECC memory (vendors' data sheets).
SERVER_CPUS: Final = ("xeon", "epyc", "grace", "graviton", "ampere", "kunpeng", "yitian", "axion", "hygon",
                      "threadripper pro")  # fmt: skip
#: Server CPUs of the Arm family: one thread a core, so a vCPU is a core.
ARM_CPUS: Final = ("grace", "graviton", "ampere", "kunpeng", "yitian", "axion", "neoverse", "arm")
#: x86 CPUs that run two threads a core, so that a cloud's vCPU is half a core.
HYPERTHREADED_CPUS: Final = ("xeon", "epyc", "hygon", "threadripper")
#: More threads than this are not found on any CPU of 35 W or less (mobile parts end at 24 threads; ours).
MAX_MOBILE_THREADS: Final = 24

#: Closed lists: where the provider says which machines have RDMA, a machine outside the list has none.
#: Azure: the letter r among a size's features says RDMA (learn.microsoft.com, VM size naming).
_AZURE_FEATURES: Final = re.compile(r"Standard_N[A-Z]+\d+(?:-\d+)?([a-z]+)")
#: AWS: GPU sizes without EFA (moto 5.2.5 and karpenter-provider-aws 2026-08-21, instance type tables).
_AWS_WITHOUT_EFA: Final = re.compile(
    r"(p2|p3|g2|g3s?|g4ad|g5g|g6f|gr6f)\..*|(g4dn|g5|g6|g6e|g7|g7e|gr6)\.(xlarge|2xlarge|4xlarge)"
)
#: GCP: A2, G2 and G4 have no GPUDirect (cloud.google.com, GPU network bandwidth; rules.md rdma).
_GCP_WITHOUT_RDMA: Final = re.compile(r"(a2|g2|g4)-.*")
#: EFA without proven GPUDirect RDMA: treated as a fast TCP-like network until shown (docs/catalog.md, F19).
_EFA_WITHOUT_GPUDIRECT: Final = re.compile(r"(g4dn|g5|g6|g6e|gr6|p3dn)\..*")

#: How the catalog marks a number of cores that is only the lower end (threads a core not stated).
AT_LEAST: Final = "derived: at least"
MESH_LINKS: Final = frozenset({IntraLink.NVSWITCH, IntraLink.NVLINK, IntraLink.XGMI, IntraLink.HCCS})
RDMA_KINDS: Final = frozenset({Rdma.EFA, Rdma.INFINIBAND, Rdma.ROCE, Rdma.ERDMA})

STATED: Final = Text(en="stated", zh="标明")
MEASURED: Final = Text(en="measured", zh="实测")
UNKNOWN: Final = Text(en="unknown", zh="未知")
FROM_BOARD: Final = Text(en="derived from the SXM board", zh="由 SXM 整板推得")
FROM_THREADS: Final = Text(en="derived, vCPU/2 on hyper-threaded x86", zh="推得：超线程 x86 取 vCPU/2")
FROM_ARM: Final = Text(en="derived, one vCPU a core on Arm", zh="推得：Arm 一个 vCPU 即一核")
FROM_VCPUS: Final = Text(en="between vCPU/2 and vCPU, CPU not named", zh="介于 vCPU/2 与 vCPU 之间，CPU 未标明")
FROM_PLATFORM: Final = Text(en="derived from the server platform", zh="由服务器平台推得")
FROM_LIST: Final = Text(en="derived from the provider's closed list", zh="由厂商的封闭清单推得")
FROM_MARKETPLACE: Final = Text(en="unknown: hosts of this marketplace differ", zh="未知：该平台各主机不一")
FROM_LANES: Final = Text(en="CPU lanes of the platform", zh="平台的 CPU 通道数")
#: All of these, for those who tell a figure in another language.
TEXTS: Final = (
    *(STATED, MEASURED, UNKNOWN, FROM_BOARD, FROM_THREADS, FROM_ARM),
    *(FROM_VCPUS, FROM_PLATFORM, FROM_LIST, FROM_MARKETPLACE, FROM_LANES),
)

Mesh = Literal["mesh", "pairs", "none"]
RdmaClass = Literal["rdma", "tcpx", "none"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Facts of one machine and how each is known; figures are of the whole machine.

    Cores lie between `cores_low` and `cores_high` (equal when known). `memory_nominal_gib` is one GPU's memory as
    the card is sold. `mesh` tells whether all GPUs of the machine reach each other over NVLink-class links.
    """

    memory_nominal_gib: float
    cores_low: float | None
    cores_high: float | None
    cores_how: Text
    server_cpu: bool | None
    cpu_how: Text
    ecc: bool | None
    ecc_how: Text
    pcie_width: int | None
    pcie_lanes: int | None
    behind_switches: bool
    mesh: Mesh | None
    link_how: Text
    rdma: RdmaClass | None
    rdma_kind: Rdma | None
    rdma_how: Text


#: Machines remembered at once; a catalog has some thousands.
_MAX_KNOWN: Final = 20_000
_known: dict[int, tuple[Machine, Gpu, Evidence]] = {}


def evidence_of(machine: Machine, gpu: Gpu) -> Evidence:
    """The facts of a machine, worked out on first asking and kept for this very object."""
    found = _known.get(id(machine))
    if found is not None and found[0] is machine and found[1] is gpu:
        return found[2]
    evidence = _work_out(machine, gpu)
    if len(_known) >= _MAX_KNOWN:
        _known.clear()
    _known[id(machine)] = (machine, gpu, evidence)
    return evidence


def counts_as(size_gib: float, nominal_gib: float) -> bool:
    """Whether a memory size reaches a nominal one, read as sold: within 4 %, or the nominal figure in decimal GB.

    31 GiB of a "32 GB" machine counts as 32 (rules.md, tolerance ours). A driver's 22,888 MiB are 24.0 * 10**9 bytes
    and count as a 24 GB card: 22,888 * 2**20 = 23,999,807,488 bytes, so the decimal reading allows 0.1 %.
    """
    if size_gib >= nominal_gib * (1 - NOMINAL_MEMORY_TOLERANCE):
        return True
    return size_gib * BYTES_PER_GIB >= nominal_gib * BYTES_PER_GB * 0.999


def is_marketplace(machine: Machine) -> bool:
    """Whether the host belongs to someone else than the provider, so that its parts vary."""
    return machine.provider in MARKETPLACES or COMMUNITY_MARK in machine.instance_type


def _work_out(machine: Machine, gpu: Gpu) -> Evidence:
    low, high, cores_how = _cores(machine)
    server_cpu, cpu_how = _server_cpu(machine, gpu)
    ecc, ecc_how = _ecc(machine, server_cpu, cpu_how)
    mesh, link_how = _mesh(machine, gpu)
    rdma, rdma_kind, rdma_how = _rdma(machine)
    return Evidence(
        memory_nominal_gib=_nominal_memory(machine, gpu),
        cores_low=low,
        cores_high=high,
        cores_how=cores_how,
        server_cpu=server_cpu,
        cpu_how=cpu_how,
        ecc=ecc,
        ecc_how=ecc_how,
        pcie_width=machine.pcie_width_measured,
        pcie_lanes=machine.pcie_lanes,
        behind_switches=gpu.is_sxm_board,
        mesh=mesh,
        link_how=link_how,
        rdma=rdma,
        rdma_kind=rdma_kind,
        rdma_how=rdma_how,
    )


def _nominal_memory(machine: Machine, gpu: Gpu) -> float:
    """The size the card is sold by; the machine's own figure where it is not that card's."""
    return gpu.memory_gib if counts_as(machine.gpu_memory_gib, gpu.memory_gib) else machine.gpu_memory_gib


def _names(words: tuple[str, ...], cpu: str | None) -> bool:
    return cpu is not None and any(word in cpu.lower() for word in words)


def _cores(machine: Machine) -> tuple[float | None, float | None, Text]:
    """Physical cores: stated, else from vCPUs by the CPU's kind, else the two ends of what vCPUs can mean."""
    if machine.cores is not None:
        fact = machine.facts.get("cores", "")
        if fact.startswith(AT_LEAST):
            return machine.cores, max(machine.cores, machine.vcpus or machine.cores), FROM_VCPUS
        return machine.cores, machine.cores, FROM_THREADS if fact.startswith("derived") else STATED
    if machine.vcpus is None:
        return None, None, UNKNOWN
    if _names(ARM_CPUS, machine.cpu):
        return machine.vcpus, machine.vcpus, FROM_ARM
    if _names(HYPERTHREADED_CPUS, machine.cpu):
        return machine.vcpus / 2, machine.vcpus / 2, FROM_THREADS
    return machine.vcpus / 2, machine.vcpus, FROM_VCPUS


def _server_cpu(machine: Machine, gpu: Gpu) -> tuple[bool | None, Text]:
    """Whether the host is a server platform; never derived for a marketplace's hosts unless the CPU is named."""
    if _names(SERVER_CPUS, machine.cpu):
        return True, STATED
    if machine.cpu is not None:
        return False, STATED
    if is_marketplace(machine):
        return None, FROM_MARKETPLACE
    if machine.provider in BIG_CLOUDS or gpu.is_sxm_board:
        return True, FROM_PLATFORM
    return None, UNKNOWN


def _ecc(machine: Machine, server_cpu: bool | None, cpu_how: Text) -> tuple[bool | None, Text]:
    """ECC: stated, else by platform; a marketplace's host stays unknown unless it states ECC itself."""
    derived = machine.facts.get("ecc", "").startswith("derived")
    if machine.ecc is not None and not (derived and is_marketplace(machine)):
        return machine.ecc, FROM_PLATFORM if derived else STATED
    if is_marketplace(machine):
        return None, FROM_MARKETPLACE
    return (True, FROM_PLATFORM) if server_cpu else (None, UNKNOWN if cpu_how is STATED else cpu_how)


def _mesh(machine: Machine, gpu: Gpu) -> tuple[Mesh | None, Text]:
    """NVLink class: stated, else from an SXM board with links; pairs joined by bridges are not a mesh."""
    how = FROM_BOARD if machine.facts.get("intra_link", "").startswith("derived") else STATED
    if machine.intra_link in MESH_LINKS:
        return "mesh", how
    if machine.intra_link is IntraLink.NVLINK_PAIRS:
        return "pairs", how
    if machine.intra_link is IntraLink.PCIE:
        return "none", STATED
    if gpu.is_sxm_board and gpu.nvlink_gbyte_per_s is not None:
        return "mesh", FROM_BOARD
    return None, UNKNOWN


def _rdma(machine: Machine) -> tuple[RdmaClass | None, Rdma | None, Text]:
    """RDMA: stated kind; "none" only where the provider's list is closed; EFA of G families stays unknown."""
    kind, name = machine.rdma, machine.instance_type
    if kind is Rdma.EFA and _EFA_WITHOUT_GPUDIRECT.fullmatch(name):
        return None, kind, UNKNOWN
    if kind in RDMA_KINDS:
        return "rdma", kind, STATED
    if kind is Rdma.GPUDIRECT_TCPX:
        return "tcpx", kind, STATED
    if kind is Rdma.NONE:
        return "none", kind, STATED
    if kind is Rdma.UNSPECIFIED:
        return "rdma", kind, STATED
    return _rdma_by_list(machine.provider, name)


def _rdma_by_list(provider: str, name: str) -> tuple[RdmaClass | None, Rdma | None, Text]:
    if provider == "azure":
        features = _AZURE_FEATURES.match(name)
        if features is not None:
            has = "r" in features.group(1)
            return ("rdma", Rdma.INFINIBAND, FROM_LIST) if has else ("none", Rdma.NONE, FROM_LIST)
    closed = {"aws": _AWS_WITHOUT_EFA, "gcp": _GCP_WITHOUT_RDMA}.get(provider)
    if closed is not None and closed.fullmatch(name):
        return "none", Rdma.NONE, FROM_LIST
    return None, None, UNKNOWN
