"""Group D: links between GPUs and between machines (rules.md D)."""

from typing import Final

from optimizer.domain.finding import Severity
from optimizer.domain.text import Text
from optimizer.rules.context import Context
from optimizer.rules.rule import (
    FAIL,
    NOT_APPLICABLE,
    PASS,
    UNKNOWN,
    Example,
    Figures,
    Parameter,
    Rule,
    Source,
    Value,
    Verdict,
    decided,
    failed,
    severities,
    unknown,
)

HARD, WARN, ADVICE, NOTE = Severity.HARD, Severity.WARN, Severity.ADVICE, Severity.NOTE
#: Two bridged cards reach each other; from the third on they do not.
PAIR: Final = 2
#: What bounds a run; in English the code word of a plan file.
BOUNDS: Final = {
    bound.en: bound
    for bound in (
        Text("compute", "算力"),
        Text("memory_bandwidth", "显存带宽"),
        Text("intra_node", "节点内互联"),
        Text("inter_node", "节点间网络"),
        Text("input", "数据读取"),
    )
}


def _nvlink(context: Context, figures: Figures) -> Verdict:
    if context.gpus_used_per_node < 2 or context.shape is None:
        return NOT_APPLICABLE
    evidence, parameters = context.evidence, context.parameters or 0.0
    asked = context.trains_all and parameters >= figures["from_billion"] * 1e9
    at_most = None if asked else ADVICE
    link = context.machine.intra_link
    values: dict[str, Value] = {"gpus": context.gpus_used_per_node, "how": evidence.link_how}
    values["link"] = link.value if link is not None else None
    if evidence.mesh is None:
        return Verdict(UNKNOWN, values, at_most=at_most)
    if evidence.mesh == "pairs" and context.gpus_used_per_node > PAIR:
        return Verdict(FAIL, values, "pairs", at_most)
    return Verdict(FAIL if evidence.mesh == "none" else PASS, values, at_most=at_most)


def _interconnect_class(context: Context, figures: Figures) -> Verdict:
    if context.gpus < 2:
        return NOT_APPLICABLE
    evidence, network = context.evidence, context.machine.network_gbit_per_s
    link = context.machine.intra_link
    values: dict[str, Value] = {"network": network, "need": figures["gbit_per_s"], "rdma": evidence.rdma_kind}
    values["link"] = link.value if link is not None else None
    is_pair = evidence.mesh == "pairs" and context.gpus_used_per_node == PAIR
    if (evidence.mesh == "mesh" or is_pair) and context.gpus_used_per_node > 1:
        return Verdict(PASS, values, "link")
    if evidence.rdma == "rdma" and network is not None and network >= figures["gbit_per_s"]:
        return Verdict(PASS, values, "network")
    has_no_link = evidence.mesh in ("none", "pairs") or context.gpus_used_per_node == 1
    has_no_network = evidence.rdma in ("none", "tcpx") or (network is not None and network < figures["gbit_per_s"])
    return failed(values) if has_no_link and has_no_network else unknown(values)


def _rdma(context: Context, figures: Figures) -> Verdict:
    if context.nodes < 2:
        return NOT_APPLICABLE
    evidence = context.evidence
    values: dict[str, Value] = {"nodes": context.nodes, "how": evidence.rdma_how}
    values["kind"] = evidence.rdma_kind.value if evidence.rdma_kind is not None else None
    if evidence.rdma is None:
        return Verdict(UNKNOWN, values, "efa") if evidence.rdma_kind is not None else unknown(values)
    if evidence.rdma == "tcpx":
        return Verdict(FAIL, values, "tcpx")
    return decided(evidence.rdma == "rdma", values)


def _io_impact(context: Context, figures: Figures) -> Verdict:
    if context.fit is None:
        return NOT_APPLICABLE
    values: dict[str, Value] = {"binds": BOUNDS[context.fit.binds]}
    return decided(context.fit.binds != "input", values)


RULES: tuple[Rule, ...] = (
    Rule(
        id="nvlink",
        group="D",
        scope="configuration",
        title=Text(en="NVLink-class link between the GPUs of a node", zh="节点内 NVLink 级互联"),
        sources=(Source("D4", "优先支持 NVLink 高速互联"), Source("D0", "双卡40GB+NVLink互联")),
        severity=severities(HARD, floor=WARN),
        formula="several GPUs of a node, all parameters trained, from 13B: NVLink, NVSwitch, xGMI or HCCS among all of "
        "them (stricter than its sources, which advise and prefer it); bridged pairs count for two GPUs",
        parameters=(Parameter("from_billion", 10.0, 10.0, "10⁹ parameters", {"D0": 10.0}),),
        check=_nvlink,
        measured="{link}",
        required="NVLink class",
        messages={
            "pass": Text(en="{gpus} GPUs are linked by {link} ({how}).", zh="{gpus} 张 GPU 经 {link} 互联（{how}）。"),
            "fail": Text(
                en="{gpus} GPUs reach each other over {link} only; D4 prefers and D0 advises NVLink "
                "(held harder here than they say).",
                zh="{gpus} 张 GPU 只经 {link} 相连；D4 优先、D0 建议 NVLink（此处比原文更严）。",
            ),
            "pairs": Text(
                en="{gpus} GPUs, but bridges join them in pairs only ({link}): that is not a mesh.",
                zh="{gpus} 张 GPU 只是两两桥接（{link}），不是全互联。",
            ),
            "unknown": Text(
                en="How the {gpus} GPUs of a node reach each other is not stated.",
                zh="节点内 {gpus} 张 GPU 如何互联未标明。",
            ),
        },
        confirm=Text(
            en="Ask the provider how the GPUs of one machine are linked; `nvidia-smi topo -m` proves it (NV# entries).",
            zh="请厂商说明单机 GPU 互联方式；用 `nvidia-smi topo -m` 核实（看 NV# 项）。",
        ),
        passing=(
            Example(
                machine={"gpu_count": 8, "intra_link": "nvswitch"},
                work={"method": "full"},
                context={"shape": "70B", "gpus_used_per_node": 8},
            ),
            Example(
                machine={"gpu_count": 2},
                work={"method": "full"},
                context={"shape": "13B", "gpus_used_per_node": 2},
                about="derived from the SXM board",
            ),
        ),
        failing=(
            Example(
                gpu="A100-PCIE-80GB",
                machine={"gpu_count": 4, "intra_link": "nvlink_pairs"},
                work={"method": "full"},
                context={"shape": "13B", "gpus_used_per_node": 4},
            ),
            Example(
                gpu="A10",
                machine={"gpu_count": 4, "intra_link": "pcie"},
                work={"method": "full"},
                context={"shape": "13B", "gpus_used_per_node": 4},
            ),
        ),
    ),
    Rule(
        id="interconnect-class",
        group="D",
        scope="configuration",
        title=Text(en="NVLink or InfiniBand HDR class", zh="NVLink 或 InfiniBand HDR 级互联"),
        sources=(Source("D0", "NVLink或InfiniBand HDR级互联"), Source("D0", "吃掉30%算力")),
        severity=severities(WARN),
        formula="NVLink-class mesh, or RDMA with a node total ≥ gbit_per_s; the quoted 100 ns is no threshold "
        "(published HDR latency is 0.6 µs)",
        parameters=(Parameter("gbit_per_s", 200.0, 200.0, "Gb/s", {"D0": 200.0}),),
        check=_interconnect_class,
        measured="{link}, {rdma} {network} Gb/s",
        required="NVLink class or RDMA ≥ {need} Gb/s",
        messages={
            "link": Text(en="GPUs are linked in NVLink class ({link}).", zh="GPU 为 NVLink 级互联（{link}）。"),
            "network": Text(
                en="The node's {rdma} gives {network} Gb/s (HDR class from {need}).",
                zh="节点 {rdma} 共 {network} Gb/s（HDR 级为 {need} 起）。",
            ),
            "fail": Text(
                en="Neither NVLink class ({link}) nor HDR class ({rdma}, {network} of {need} Gb/s): "
                "collectives eat up to 30 % on 8 GPUs (D0).",
                zh="既无 NVLink 级互联（{link}），也不到 HDR 级（{rdma}，{network}/{need} Gb/s）："
                "8 卡时集合通信最多吃掉 30% 算力（D0）。",
            ),
            "unknown": Text(
                en="Link {link} and network {rdma} {network} Gb/s do not settle whether it is NVLink or HDR class.",
                zh="互联 {link}、网络 {rdma} {network} Gb/s，不足以判定是否 NVLink 或 HDR 级。",
            ),
        },
        confirm=Text(
            en="Ask the provider for link and network of a node; `nvidia-smi topo -m` and `ibstat` prove them.",
            zh="请厂商说明节点互联与网络；用 `nvidia-smi topo -m` 与 `ibstat` 核实。",
        ),
        passing=(
            Example(machine={"gpu_count": 8, "intra_link": "nvswitch"}, context={"gpus_used_per_node": 8}),
            Example(
                gpu="L40S",
                machine={"intra_link": "pcie", "rdma": "infiniband", "network_gbit_per_s": 200.0},
                context={"nodes": 2},
            ),
        ),
        failing=(
            Example(
                gpu="L40S",
                machine={"gpu_count": 8, "intra_link": "pcie", "rdma": "none", "network_gbit_per_s": 100.0},
                context={"gpus_used_per_node": 8},
            ),
        ),
    ),
    Rule(
        id="rdma",
        group="D",
        scope="configuration",
        title=Text(en="RDMA between nodes", zh="节点间 RDMA"),
        sources=(Source("D1", "多卡集群一定要用RDMA高速网络"), Source("D1", "30%-40%")),
        severity=severities(HARD, floor=WARN),
        formula="from two nodes: EFA, InfiniBand, RoCE or eRDMA; GPUDirect-TCPX is no RDMA; "
        "blank is none only where the provider's list is closed",
        check=_rdma,
        measured="{kind}",
        required="RDMA",
        messages={
            "pass": Text(en="{nodes} nodes over {kind} ({how}).", zh="{nodes} 个节点走 {kind}（{how}）。"),
            "fail": Text(
                en="{nodes} nodes over plain Ethernet ({how}): utilization 30-40 %, RDMA gives over 80 % (D1).",
                zh="{nodes} 个节点走普通以太网（{how}）：算力利用率只有 30–40%，RDMA 可到 80% 以上（D1）。",
            ),
            "tcpx": Text(
                en="{nodes} nodes over {kind}: GPUDirect over TCP is faster than plain Ethernet but no RDMA "
                "(Ethernet 30-40 %, RDMA over 80 %, D1).",
                zh="{nodes} 个节点走 {kind}：GPUDirect-TCPX 比普通以太网快，但不是 RDMA"
                "（以太网 30–40%，RDMA 80% 以上，D1）。",
            ),
            "efa": Text(
                en="{nodes} nodes over {kind}, but GPUDirect RDMA is not proven on this family.",
                zh="{nodes} 个节点走 {kind}，但该系列未证实支持 GPUDirect RDMA。",
            ),
            "unknown": Text(
                en="Whether {nodes} nodes have RDMA is not stated.", zh="{nodes} 个节点间是否有 RDMA 未标明。"
            ),
        },
        confirm=Text(
            en="Ask the provider for the RDMA kind and rate between nodes; `ibv_devinfo` and "
            "`all_reduce_perf -b 8 -e 1G -f 2 -g 8` over two nodes prove it.",
            zh="请厂商说明节点间 RDMA 种类与速率；用 `ibv_devinfo` 与两节点 "
            "`all_reduce_perf -b 8 -e 1G -f 2 -g 8` 核实。",
        ),
        passing=(
            Example(machine={"rdma": "efa", "instance_type": "p5.48xlarge"}, context={"nodes": 2}),
            Example(
                machine={"provider": "azure", "instance_type": "Standard_ND96isr_H100_v5"},
                context={"nodes": 2},
                about="the r in the size's name",
            ),
        ),
        failing=(
            Example(machine={"rdma": "gpudirect_tcpx"}, context={"nodes": 2}),
            Example(
                machine={"provider": "gcp", "instance_type": "a2-ultragpu-8g"},
                context={"nodes": 2},
                about="closed list: A2 has no RDMA",
            ),
        ),
    ),
    Rule(
        id="io-impact",
        group="D",
        scope="note",
        title=Text(en="I/O is behind most interruptions", zh="训练中断多来自 I/O"),
        sources=(Source("D0", "训练中断80%来自I/O瓶颈"),),
        severity=severities(NOTE),
        formula="the layout is not bound by input",
        check=_io_impact,
        measured="{binds}",
        required="not input",
        messages={
            "pass": Text(en="The run is bound by {binds}, not by input.", zh="瓶颈为 {binds}，不是数据输入。"),
            "fail": Text(
                en="The run is bound by input: 80 % of interruptions come from I/O, and speed halves (D0).",
                zh="瓶颈在数据输入：训练中断 80% 来自 I/O，速度会掉一半（D0）。",
            ),
        },
        passing=(Example(context={"fit": {}}),),
        failing=(Example(context={"fit": {"binds": "input"}}),),
    ),
)
