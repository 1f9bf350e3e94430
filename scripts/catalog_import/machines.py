"""Hardware of one raw row as a `Machine`: stated facts, and derived ones with their evidence in `facts`."""

from collections.abc import Callable
from pathlib import Path

from catalog_import.gpus import is_vgpu
from catalog_import.raw import RawRow, first_day, matches, records, table
from optimizer.domain.gpu import Gpu
from optimizer.domain.offer import IntraLink, Machine, Rdma

_BIG_CLOUDS = {"aws", "azure", "gcp", "oci", "alibaba", "tencent", "huawei", "volcengine", "baidu", "ctyun"}
_SERVER_CLOUDS = {
    "coreweave",
    "crusoe",
    "digitalocean",
    "hotaisle",
    "hyperstack",
    "jarvislabs",
    "lambda",
    "nebius",
    "neysa",
    "verda",
    "vultr",
    "qubrid",
}
_COMMUNITY = ("*_community",)
_MARKETPLACES = {
    "vast",
    "akash",
    "autodl",
    "compshare",
    "cudo",
    "gongji",
    "hyperbolic",
    "jygpu",
    "matpool",
    "yotta",
}
#: From this count, cards made for chassis cooling sit in a server platform.
_CHASSIS_CARDS = 4
_ARM = (
    ("aws", "g5g.*"),
    ("aws", "p6e-*"),
    ("azure", "*GB200*"),
    ("oci", "*.GB*"),
    ("coreweave", "g[bh]200*"),
    ("lambda", "*gh200"),
)
#: Azure ND A100 v4 gives 96 cores of two EPYC 7V12 (learn.microsoft.com nda100-v4-series).
_ONE_THREAD = (("azure", "Standard_ND96*A100_v4"), ("azure", "Standard_ND96asr_v4"))
_TWO_THREADS = {"aws", "gcp", "alibaba", "tencent", "oci", "huawei", "ctyun"}
_EFA_WITHOUT_RDMA = ("g4dn.*", "g5.*", "g6.*", "g6e.*", "gr6.*", "p3dn.*")
_BARE_METAL = (
    ("aws", "*.metal"),
    ("alibaba", "ecs.ebm*"),
    ("alibaba", "ecs.scc*"),
    ("oci", "BM.*"),
    ("vultr", "vbm-*"),
    ("volcengine", "ecs.ebm*"),
    ("omniyq", "baremetal *"),
    ("jygpu", "baremetal *"),
    ("gongji", "baremetal *"),
    ("cnix", "BMG*"),
    ("qubrid", "bm-*"),
    ("tencent", "HCC*"),
)
_VIRTUAL = {"aws", "azure", "gcp", "oci", "alibaba", "tencent", "huawei"}
_RDMA = {
    "infiniband": Rdma.INFINIBAND,
    "roce": Rdma.ROCE,
    "efa": Rdma.EFA,
    "erdma": Rdma.ERDMA,
    "gpudirect-tcpx": Rdma.GPUDIRECT_TCPX,
    "gpudirect-tcpxo": Rdma.GPUDIRECT_TCPX,
    "unspecified": Rdma.UNSPECIFIED,
}
#: GB/s of one PCIe lane in one direction (github stas00/ml-engineering network/README.md, 2026-08-22).
_PCIE_LANE_GBYTE_PER_S = {3: 0.985, 4: 1.97, 5: 3.94, 6: 7.56}
_BLOCK_LINKS = {IntraLink.NVLINK, IntraLink.NVSWITCH, IntraLink.XGMI, IntraLink.HCCS}


class MachineBuilder:
    """Builds machines from raw rows with the fact tables beside them."""

    def __init__(self, raw: Path) -> None:
        self._nodes = {
            row["name"].split(" ", 1)[-1]: row
            for row in records(raw / "interconnect.csv")
            if row["category"] == "cloud-node" and row["confirmed"] == "yes"
        }
        self._measured = {row["instance_type"]: row for row in records(raw / "offers" / "aws_gpu_pcie_measured.csv")}
        self._cpus = table("cpu_by_instance.csv")
        self._aws_network = {row["instance_type"]: row["network_gbit_per_s"] for row in table("aws_network.csv")}

    def build(self, row: RawRow, gpu: Gpu, count: float, how: str) -> Machine:
        """The machine of a row; `count` may be a share of one card, `how` says how the GPU was settled."""
        facts: dict[str, str] = {"gpu_model": how} if how else {}
        share = _share(row, gpu, count, facts)
        nominal, usable = _memory(row, gpu, share)
        machine = Machine(
            provider=row.provider,
            instance_type=row.instance_type,
            gpu_model=gpu.model,
            gpu_label=row["gpu_model"],
            gpu_count=1 if share is not None else int(count),
            gpu_fraction=share if share is not None and share < 1 else None,
            gpu_memory_gib=nominal,
            gpu_memory_usable_gib=usable,
            memory_type=gpu.memory_type,
            memory_bandwidth_gbyte_per_s=gpu.memory_bandwidth_gbyte_per_s,
            compute_capability=gpu.compute_capability,
            vcpus=_positive(row["vcpus"]),
            ram_gib=_positive(row["ram_gib"]),
            local_nvme_gb=float(row["local_nvme_gb"]) if row["local_nvme_gb"] else None,
            observed=first_day(row["observed"]),
            source=_hardware_source(row["source"]),
        )
        steps: tuple[Callable[[RawRow, Gpu, Machine, dict[str, str]], dict[str, object]], ...] = (
            self._width,
            self._cpu,
            _cores,
            _platform,
            self._network,
            _link,
        )
        for step in steps:
            machine = machine.model_copy(update=step(row, gpu, machine, facts))
        return Machine.model_validate({**machine.__dict__, "facts": facts})

    def _width(self, row: RawRow, gpu: Gpu, machine: Machine, facts: dict[str, str]) -> dict[str, object]:
        measured = self._measured.get(row.instance_type) if row.provider == "aws" else None
        if measured is None:
            return {}
        facts["pcie_width_measured"] = f"measured {measured['ran_at']}: {measured['source']}"
        return {"pcie_width_measured": int(measured["pcie_link_width_current"].rstrip("x"))}

    def _cpu(self, row: RawRow, gpu: Gpu, machine: Machine, facts: dict[str, str]) -> dict[str, object]:
        """The host's CPU where a source or the type's name tells it, and the PCIe generation of its platform."""
        found = next(
            (
                known
                for known in self._cpus
                if known["provider"] == row.provider and matches(row.instance_type, known["instance_type"])
            ),
            None,
        )
        if found is None:
            return {}
        facts["cpu"] = found["source"]
        facts["pcie_generation"] = f"derived: platform of {found['cpu']}"
        return {"cpu": found["cpu"], "pcie_generation": int(found["pcie_generation"])}

    def _network(self, row: RawRow, gpu: Gpu, machine: Machine, facts: dict[str, str]) -> dict[str, object]:
        network, rdma = _positive(row["network_gbps"]), _RDMA.get(row["rdma"])
        if row.provider == "aws" and row.instance_type in self._aws_network:
            network = _positive(self._aws_network[row.instance_type])
            facts["network_gbit_per_s"] = (
                "baseline, not burst (F17): aws/karpenter-provider-aws zz_generated.bandwidth.go"
                if network
                else "unknown: the source's field is faulty for this type (F18)"
            )
        if network is None and (node := self._node(row)):
            network = float(node["node_total_gbps"])
            facts["network_gbit_per_s"] = f"stated for the node type (F21, F22): {node['source']}"
        return {"network_gbit_per_s": network, "rdma": _rdma(row, rdma, facts)}

    def _node(self, row: RawRow) -> dict[str, str] | None:
        names = {
            "Standard_ND96isr_MI300X_v5": "ND96isr_MI300X_v5",
            "Standard_ND128isr_NDR_GB200_v6": "ND128isr_NDR_GB200_v6",
            "a3-ultragpu-8g": "A3 Ultra",
            "a4-highgpu-8g": "A4",
        }
        return self._nodes.get(names.get(row.instance_type, ""))


def _positive(text: str) -> float | None:
    value = float(text) if text else 0.0
    return value or None


def _share(row: RawRow, gpu: Gpu, count: float, facts: dict[str, str]) -> float | None:
    """Which share of a card the machine has; 1 is a whole card behind a virtual GPU; `None` are whole cards."""
    if is_vgpu(row["gpu_model"]):
        facts["gpu_fraction"] = "derived: memory of the slice / memory of the card (F29)"
        return min(1.0, round(float(row["gpu_memory_gib_each"]) / gpu.memory_gib, 6))
    return count if count < 1 else None


def _memory(row: RawRow, gpu: Gpu, share: float | None) -> tuple[float, float]:
    """Nominal and usable memory: usable is the smallest of offer, GPU table and driver (F15, F36)."""
    stated = _positive(row["gpu_memory_gib_each"])
    if share is not None:
        size = stated or gpu.memory_gib * share
        return size, min(size, gpu.usable_memory_gib)  # a whole card as a vGPU has what the driver leaves of it
    usable = min(gpu.usable_memory_gib, gpu.memory_gib)
    return gpu.memory_gib, min(usable, stated) if stated else usable


def _hardware_source(source: str) -> str:
    return source.split("| hw:", 1)[1].strip() if "| hw:" in source else source


def _is(row: RawRow, patterns: tuple[tuple[str, str], ...]) -> bool:
    return any(row.provider == provider and matches(row.instance_type, pattern) for provider, pattern in patterns)


def _cores(row: RawRow, gpu: Gpu, machine: Machine, facts: dict[str, str]) -> dict[str, object]:
    """Physical cores: vCPU / 2 where two threads share a core; elsewhere only where half is enough to judge by."""
    vcpus = machine.vcpus
    if vcpus is None:
        return {}
    if _is(row, _ARM) or _is(row, _ONE_THREAD):
        facts["cores"] = "derived: one thread a core"
        return {"cores": vcpus}
    if row.provider in _TWO_THREADS:
        facts["cores"] = "derived: vCPU / 2 (two threads a core)"
        return {"cores": vcpus / 2}
    if vcpus / 2 > machine.gpu_count:
        facts["cores"] = "derived: at least vCPU / 2 (threads a core not stated)"
        return {"cores": vcpus / 2}
    facts["cores"] = "unknown: threads a core not stated"
    return {}


def _platform(row: RawRow, gpu: Gpu, machine: Machine, facts: dict[str, str]) -> dict[str, object]:
    """ECC of the host memory and bare metal or virtual, by provider and name."""
    values: dict[str, object] = {}
    is_community = any(matches(row.instance_type, pattern) for pattern in _COMMUNITY)
    is_data_centre_card = (gpu.memory_type or "HBM").startswith("HBM") and machine.gpu_count >= _CHASSIS_CARDS
    if row.provider in _MARKETPLACES or is_community:
        facts["ecc"] = "unknown: hosts of a marketplace"
    elif row.provider in _BIG_CLOUDS | _SERVER_CLOUDS:
        facts["ecc"] = "derived: server platform of a cloud with its own data centres"
        values["ecc"] = True
    elif gpu.is_sxm_board or is_data_centre_card:
        facts["ecc"] = "derived: such boards and chassis exist in server platforms only"
        values["ecc"] = True
    if _is(row, _BARE_METAL):
        facts["bare_metal"] = "derived: name of the type"
        values["bare_metal"] = True
    elif row.provider in _VIRTUAL:
        facts["bare_metal"] = "derived: the provider's other types are virtual machines"
        values["bare_metal"] = False
    return values


def _rdma(row: RawRow, stated: Rdma | None, facts: dict[str, str]) -> Rdma | None:
    """RDMA kind: a blank is `NONE` only where the provider's list of RDMA types is closed (rules.md, rdma)."""
    if row.provider == "aws" and stated is Rdma.EFA and any(matches(row.instance_type, p) for p in _EFA_WITHOUT_RDMA):
        facts["rdma"] = "unknown: EFA is there, GPUDirect RDMA is not to be assumed on this family (F19)"
        return None
    if stated is not None:
        return stated
    closed = {
        "aws": "outside the list of EFA types",
        "azure": "the size has no r",
        "gcp": "A2, G2 and G4 have no RDMA",
    }.get(row.provider)
    if closed is None or (row.provider == "gcp" and row.instance_type.startswith("a3")):
        return None
    facts["rdma"] = f"derived: {closed}"
    return Rdma.NONE


def _link(row: RawRow, gpu: Gpu, machine: Machine, facts: dict[str, str]) -> dict[str, object]:
    """Link between the GPUs of the machine and its rate per GPU in one direction, GB/s."""
    if machine.gpu_count < 2:
        return {}
    stated = IntraLink(row["interconnect_intra"]) if row["interconnect_intra"] else None
    link = _corrected_link(stated, gpu, machine, facts)
    if link is None:
        return {}
    if link is IntraLink.PCIE:
        return {"intra_link": link, "intra_link_gbyte_per_s": _pcie_rate(gpu, machine, facts)}
    per_gpu = gpu.nvlink_gbyte_per_s / 2 if gpu.nvlink_gbyte_per_s else None
    return {"intra_link": link, "intra_link_gbyte_per_s": per_gpu}


def _corrected_link(stated: IntraLink | None, gpu: Gpu, machine: Machine, facts: dict[str, str]) -> IntraLink | None:
    is_card = "PCIE" in (gpu.form_factor or "").upper()
    if stated is IntraLink.NVLINK and is_card:
        facts["intra_link"] = "NVLink bridges join pairs of PCIe cards, not all of them (F20)"
        return IntraLink.NVLINK_PAIRS
    if stated is IntraLink.NVSWITCH and gpu.architecture == "Volta" and machine.gpu_count <= 8:
        facts["intra_link"] = "NVLink mesh: 8 x V100 boards have no switch"
        return IntraLink.NVLINK
    if stated is not None or not gpu.is_sxm_board:
        return stated
    facts["intra_link"] = "derived: the GPUs sit on a board that links them"
    if gpu.vendor == "AMD":
        return IntraLink.XGMI
    if gpu.vendor == "Huawei":
        return IntraLink.HCCS
    switched = gpu.architecture not in ("Pascal", "Volta") and machine.gpu_count == 8
    return IntraLink.NVSWITCH if switched else IntraLink.NVLINK


def _pcie_rate(gpu: Gpu, machine: Machine, facts: dict[str, str]) -> float | None:
    lane = _PCIE_LANE_GBYTE_PER_S.get(gpu.pcie_generation or 0)
    if lane is None:
        return None
    lanes = machine.pcie_width_measured or gpu.pcie_lanes or 16
    facts["intra_link_gbyte_per_s"] = f"derived: at most PCIe {gpu.pcie_generation} x{lanes} of the card"
    return round(lane * lanes, 3)
