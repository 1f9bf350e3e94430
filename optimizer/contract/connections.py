"""The lines on networks and storage."""

from dataclasses import replace

from optimizer.contract.bought import Bought
from optimizer.contract.line import HARDWARE, asked, demanded, doubted, figure, proof, said
from optimizer.contract.spec import Acceptance, Item, Remedy, Section
from optimizer.contract.tax import basis_of, words_of
from optimizer.contract.tools import (
    DISKS,
    FIO_RATE,
    FIO_SMALL,
    IPERF,
    NIC,
    RDMA_DEVICES,
    RDMA_RATE,
    VENDOR_NAMES_TOOL,
    tools_of,
)
from optimizer.domain.offer import IntraLink, Rdma
from optimizer.domain.text import Text
from optimizer.domain.units import gbit_to_gbyte
from optimizer.rules.rule import Source

#: Share of the line rate that a plain bandwidth test must reach (ours).
LINE_RATE_SHARE = 0.9
#: Share of the links' rate in one direction that all-reduce inside one machine must reach (ours).
INTRA_SHARE = 0.7
#: Share of the network's rate that all-reduce over several machines must reach: D1's use of a cluster on RDMA.
RDMA_SHARE = 0.8
#: The rate of a store for hot data that is not local NVMe, GB/s (rule nvme-hot).
HOT_RATE_GBYTE_PER_S = 0.55
USE_OF_RDMA = Source("D1", "换成RDMA网络，能提升到80%以上")
SHORT: tuple[Remedy, ...] = ("pro_rata", "termination")

LINKS: dict[IntraLink, Text] = {
    IntraLink.NVSWITCH: Text("NVLink through NVSwitch, every pair", "NVLink（NVSwitch 全互联）"),
    IntraLink.NVLINK: Text("NVLink", "NVLink"),
    IntraLink.NVLINK_PAIRS: Text("NVLink bridges, pairs", "NVLink 桥（成对）"),
    IntraLink.XGMI: Text("xGMI", "xGMI"),
    IntraLink.HCCS: Text("HCCS", "HCCS"),
    IntraLink.PCIE: Text("PCIe, no NVLink-class link", "PCIe（无 NVLink 级互联）"),
}
RDMA_KINDS: dict[Rdma, str] = {
    Rdma.INFINIBAND: "InfiniBand",
    Rdma.ROCE: "RoCE v2",
    Rdma.EFA: "EFA",
    Rdma.ERDMA: "eRDMA",
    Rdma.GPUDIRECT_TCPX: "GPUDirect-TCPX",
}


def network_section(bought: Bought) -> Section:
    """NIC rate, RDMA, fabric, links inside the machine, traffic out."""
    items = [_nic(bought)]
    if bought.machines > 1:
        items += [_rdma(bought), _fabric(bought), _oversubscription()]
    if bought.machine.gpu_count > 1:
        items.append(_links(bought))
    if not bought.is_owned:
        items.append(_egress(bought))
    return Section(Text("Network", "网络"), tuple(items))


def _nic(bought: Bought) -> Item:
    rate = bought.machine.network_gbit_per_s
    shown = f"≥ {rate * LINE_RATE_SHARE:g} Gbit/s" if rate is not None else None
    with_rdma = bought.machines > 1 and bought.machine.rdma is not Rdma.NONE
    command = f"{RDMA_DEVICES}; {RDMA_RATE}" if with_rdma else f"{NIC}; {IPERF}"
    return figure(
        bought,
        None,
        rate,
        "network_gbit_per_s",
        id="network",
        title=Text("Network of a machine", "每台网络"),
        clause=Text(
            "Rate of each machine's network, sum of its NICs; the vendor names NIC model, number and ports.",
            "每台网络速率（各网卡之和）；厂商写明网卡型号、数量与端口。",
        ),
        unit="Gbit/s",
        relation="at_least",
        mandatory=True,
        remedies=HARDWARE,
        acceptance=proof(
            command,
            Text("link rate; measured Gbit/s, sum of all ports", "链路速率；实测 Gbit/s，各端口之和"),
            said(shown) if shown else Text("≥ 90 % of the line", "≥ 条款的 90%"),
            Text("10 % for protocol overhead (ours)", "协议开销计 10%（本方设定）"),
        ),
    )


def _rdma(bought: Bought) -> Item:
    kind = bought.machine.rdma
    named = RDMA_KINDS.get(kind) if kind is not None else None
    none = kind is Rdma.NONE
    value = Text("none", "无") if none else (said(named) if named else None)
    spans = bought.nodes_of_a_job > 1
    line = figure(
        bought,
        None,
        value,
        "rdma",
        id="network.rdma",
        title=Text("RDMA", "RDMA"),
        clause=Text(
            "Remote memory access between all machines, of the kind named, with GPUDirect.",
            "全部机器之间为所列种类的 RDMA，支持 GPUDirect。",
        ),
        relation="text",
        mandatory=spans and not none,
        remedies=() if none else HARDWARE,
        acceptance=None if none else _across(bought),
    )
    return doubted(bought, line, "rdma")


def _across(bought: Bought) -> Acceptance:
    """All-reduce over all machines of the largest job against the network's rate; D1 asks for 80 % on RDMA."""
    rate = bought.machine.network_gbit_per_s
    command = tools_of(bought.gpu).collectives.format(gpus=bought.machine.gpu_count)
    nodes = max(2, bought.nodes_of_a_job)
    shown = Text("≥ 80 % of the network's rate in GB/s", "≥ 网络速率（GB/s）的 80%")
    if rate is not None:
        shown = said(f"≥ {gbit_to_gbyte(rate) * RDMA_SHARE:g} GB/s")
    reads = Text(
        f"bus bandwidth (busbw) at the largest size, one rank a machine over {nodes} machines",
        f"最大消息的总线带宽（busbw），{nodes} 台同时",
    )
    return proof(
        f"mpirun -np {nodes} -N 1 {command}" if command else "",
        reads if command else VENDOR_NAMES_TOOL,
        shown,
        Text("20 % below the line rate (D1: over 80 %)", "较线速低 20%（D1：80% 以上）"),
    )


def _fabric(bought: Bought) -> Item:
    return asked(
        "network.fabric",
        Text("One fabric", "同一网络"),
        Text(
            f"All {bought.machines} machines stand in one fabric and one room, reachable from each other without a "
            "router; later machines join the same fabric.",
            f"全部 {bought.machines} 台位于同一机房、同一网络，互访不经路由；后续扩容接入同一网络。",
        ),
        demanded(USE_OF_RDMA),
        mandatory=bought.nodes_of_a_job > 1,
        remedies=SHORT,
    )


def _oversubscription() -> Item:
    return asked(
        "network.oversubscription",
        Text("Oversubscription", "收敛比"),
        Text("Ratio of oversubscription of the fabric, written as 1:1 or otherwise.", "网络收敛比，写明 1:1 或其他。"),
        relation="fill",
        remedies=SHORT,
    )


def _links(bought: Bought) -> Item:
    machine = bought.machine
    kind = LINKS[machine.intra_link] if machine.intra_link is not None else None
    line = figure(
        bought,
        None,
        kind,
        "intra_link",
        id="network.intra_link",
        title=Text("Links between the GPUs of a machine", "机内卡间互联"),
        clause=Text("Every GPU reaches the others over this link.", "机内各卡以此互联。"),
        relation="text",
        mandatory=machine.intra_link not in (None, IntraLink.PCIE),
        remedies=HARDWARE,
        acceptance=_inside(bought),
    )
    return doubted(bought, line, "nvlink", "interconnect-class")


def _inside(bought: Bought) -> Acceptance:
    """The matrix of links, and all-reduce inside one machine against the links' rate in one direction."""
    pairs_only = bought.machine.intra_link in (None, IntraLink.PCIE, IntraLink.NVLINK_PAIRS)
    rate = None if pairs_only else bought.machine.intra_link_gbyte_per_s
    tools = tools_of(bought.gpu)
    command = tools.collectives.format(gpus=bought.machine.gpu_count)
    shown = Text("the named link for every pair", "任意两卡为所列互联")
    if rate is not None:
        least = f"{rate * INTRA_SHARE:g}"
        shown = Text(
            f"the named link for every pair; busbw ≥ {least} GB/s", f"任意两卡为所列互联；busbw ≥ {least} GB/s"
        )
    return proof(
        "; ".join(part for part in (tools.links, command) if part),
        Text("matrix of links; bus bandwidth (busbw) at the largest size", "互联矩阵；最大消息的总线带宽（busbw）"),
        shown,
        Text("30 % below one direction's rate (ours)", "较单向速率低 30%（本方设定）")
        if rate is not None
        else said("-"),
    )


def _egress(bought: Bought) -> Item:
    lines = [line for line in bought.beside if line.kind == "egress"]
    clause = Text(
        "Traffic into and out of the room: bandwidth, addresses, price of each GB out; nothing else is charged.",
        "出入机房流量：带宽、IP、每 GB 出网价格；此外不另收费。",
    )
    title = Text("Traffic out and addresses", "出网流量与 IP")
    if not lines:
        return asked("network.egress", title, clause, relation="fill")
    line = lines[0]
    quote = next((quote for quote in bought.services if quote.source == line.source), None)
    day = line.observed.isoformat() if line.observed is not None else ""
    return asked(
        "network.egress",
        title,
        clause,
        said(f"{line.source} {day}".strip()),
        value=line.unit_price,
        unit=f"{line.price_currency}/{line.unit}",
        basis=words_of(basis_of(quote, bought.tax)),
        relation="at_most",
        status="stated",
    )


# --- storage ------------------------------------------------------------------------------------------------------


def storage_section(bought: Bought) -> Section:
    """Hot tier with its rates, shared and cold tiers."""
    items = [_hot(bought), _rate(bought), _small_files(bought)]
    if not bought.is_owned:
        items.append(_cold(bought))
    return Section(Text("Storage", "存储"), tuple(items))


def _hot(bought: Bought) -> Item:
    machine = bought.machine
    needed = bought.required("nvme-capacity")
    local = machine.local_nvme_gb or None
    volume = _volume(bought)
    value = local if local is not None else needed
    line = figure(
        bought,
        "nvme-capacity",
        value,
        "local_nvme_gb",
        status=None if local is not None else "derived",
        id="storage",
        title=Text("Hot storage", "热存储"),
        clause=Text(
            "Capacity for training data, temporary weights and checkpoints on NVMe; no SATA, no hard disk.",
            "训练数据、临时权重与检查点所用 NVMe 容量；不得以 SATA 盘或机械盘代替。",
        ),
        unit="GB",
        relation="at_least",
        mandatory=True,
        remedies=HARDWARE,
        acceptance=proof(
            DISKS,
            Text("size, ROTA and transport of each device", "每盘容量、ROTA 与接口"),
            Text("ROTA 0; sizes sum to the line", "ROTA 为 0；容量之和不小于条款"),
        ),
    )
    if local is None and volume is not None and line.status == "derived":
        line = replace(line, source=Text(f"need of the plan; {volume.en}", f"方案所需；{volume.zh}"))
    elif local is None and line.status == "derived":
        line = replace(line, source=Text("need of the plan (rule nvme-capacity)", "方案所需（规则 nvme-capacity）"))
    return doubted(bought, line, "nvme-hot", "nvme-capacity")


def _volume(bought: Bought) -> Text | None:
    """The volume that the plan buys beside the machine, with its source."""
    lines = [line for line in bought.beside if line.kind == "storage"]
    if not lines:
        return None
    first = lines[0]
    name = first.note or "volume"
    day = f", {first.observed.isoformat()}" if first.observed is not None else ""
    return said(f"{name}; {first.source}{day}")


def _rate(bought: Bought) -> Item:
    demand = bought.required("storage-rate")
    least = max(demand or 0.0, HOT_RATE_GBYTE_PER_S)
    local = bought.machine.local_nvme_gbyte_per_s
    line = figure(
        bought,
        "storage-rate",
        max(local, least) if local is not None else least,
        "local_nvme_gbyte_per_s",
        status=None if local is not None else "to_confirm",
        id="storage.rate",
        title=Text("Rate of hot storage", "热存储速率"),
        clause=Text(
            "Random reads of 256 KiB of each machine while all machines read; 2 GB/s a machine are advised.",
            "全部机器同时读取时，每台 256 KiB 随机读速率；建议每台 2 GB/s。",
        ),
        unit="GB/s",
        relation="at_least",
        remedies=SHORT,
        acceptance=proof(
            FIO_RATE,
            Text("read bandwidth over 120 s on the tier's own directory", "在该存储目录上 120 秒读带宽"),
            said(f"≥ {least:g} GB/s"),
        ),
    )
    return doubted(bought, line, "storage-rate", "nvme-hot")


def _small_files(bought: Bought) -> Item:
    demand = bought.required("small-file-io")
    line = figure(
        bought,
        "small-file-io",
        demand,
        "local_nvme_gb",
        status="to_confirm",
        id="storage.iops",
        title=Text("Small files", "小文件"),
        clause=Text("Random reads of 4 KiB a second of each machine.", "每台 4 KiB 随机读 IOPS。"),
        unit="IOPS",
        relation="at_least",
        remedies=SHORT,
        acceptance=proof(
            FIO_SMALL,
            Text("IOPS over 120 s", "120 秒 IOPS"),
            said(f"≥ {demand:,.0f} IOPS") if demand else Text("the figure of the line", "条款数值"),
        ),
    )
    return doubted(bought, line, "small-file-io")


def _cold(bought: Bought) -> Item:
    line = asked(
        "storage.cold",
        Text("Shared and cold storage", "共享与冷存储"),
        Text(
            "Shared store for all machines, and the tier for raw data, old checkpoints and logs: kind, capacity, rate, "
            "price.",
            "全部机器共用的存储，以及原始数据、旧检查点与日志所在层：种类、容量、速率、价格。",
        ),
        relation="fill",
    )
    return doubted(bought, line, "shared-fs", "cold-tier")
