"""Group B: the host around the GPU (rules.md B)."""

from typing import Final

from optimizer.domain.finding import Severity
from optimizer.domain.text import Text
from optimizer.domain.units import NOMINAL_MEMORY_TOLERANCE
from optimizer.rules.context import Context
from optimizer.rules.evidence import FROM_LANES, MEASURED
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
    passed,
    severities,
    unknown,
)

HARD, ADVICE, NOTE = Severity.HARD, Severity.ADVICE, Severity.NOTE
#: Words in a CPU's name that mark a low-power mobile part (Intel U/Y series, N series; AMD U series).
MOBILE_MARKS: Final = ("atom", "celeron n", "mobile", "ultra-low")


def _enough_cores(cores: float, needed: float, or_equal: float) -> bool:
    return cores >= needed if or_equal else cores > needed


def _cpu_cores(context: Context, figures: Figures) -> Verdict:
    evidence, gpus = context.evidence, context.gpus_used_per_node
    needed, or_equal = gpus * figures["cores_per_gpu"], figures["or_equal"]
    values: dict[str, Value] = {"gpus": gpus, "how": evidence.cores_how, "sign": "≥" if or_equal else ">"}
    values["need"] = needed
    if evidence.cores_low is None or evidence.cores_high is None:
        return unknown(values)
    low, high = evidence.cores_low * context.share, evidence.cores_high * context.share
    values["cores"] = low if low == high else f"{low:g}–{high:g}"
    if _enough_cores(low, needed, or_equal):
        return passed(values)
    return unknown(values) if _enough_cores(high, needed, or_equal) else failed(values)


def _cpu_class(context: Context, figures: Figures) -> Verdict:
    machine, evidence = context.machine, context.evidence
    values: dict[str, Value] = {"cpu": machine.cpu or evidence.cpu_how, "need": figures["tdp_watts"]}
    if machine.cpu_tdp_watts is not None:
        values |= {"tdp": machine.cpu_tdp_watts, "cpu": machine.cpu or "CPU"}
        return decided(machine.cpu_tdp_watts > figures["tdp_watts"], values)
    if machine.cpu is not None and any(mark in machine.cpu.lower() for mark in MOBILE_MARKS):
        return failed(values)
    if evidence.server_cpu or (machine.vcpus or 0) > figures["max_mobile_threads"]:
        return Verdict(PASS, values, "derived")
    return unknown(values)


def _pcie_lanes(context: Context, figures: Figures) -> Verdict:
    """Evidence in order: measured width per GPU, the platform's lanes, unknown."""
    evidence, gpus = context.evidence, context.machine.gpu_count
    each = figures["lanes_per_gpu"]
    values: dict[str, Value] = {"gpus": gpus, "need": each, "lanes": evidence.pcie_lanes}
    if evidence.pcie_width is not None:
        values |= {"found": f"x{evidence.pcie_width}", "how": MEASURED}
        return Verdict(PASS if evidence.pcie_width >= each else FAIL, values, "width")
    if evidence.pcie_lanes is None:
        return unknown(values)
    left = evidence.pcie_lanes - each * gpus
    values |= {"left": left, "found": evidence.pcie_lanes, "how": FROM_LANES, "total": each * gpus}
    if left >= 0:
        return passed(values)
    if evidence.behind_switches:  # these may give x16 to each GPU from fewer CPU lanes: only a measurement tells
        return Verdict(UNKNOWN, values, "switched")
    return Verdict(FAIL, values, "width or lanes" if evidence.pcie_lanes == each else "fail")


def _reaches_nominally(size_gib: float, nominal_gib: float) -> bool:
    """Host memory is sold in binary sizes: only the 4 % tolerance, no decimal reading (rules.md, ours)."""
    return size_gib >= nominal_gib * (1 - NOMINAL_MEMORY_TOLERANCE)


def _reaches(ram_gib: float, ratio: float, total_gib: float) -> bool:
    """A ratio above 1 is reached nominally (within 4 %); a ratio of 1 or less asks for strictly more, as D4 does."""
    return _reaches_nominally(ram_gib, ratio * total_gib) if ratio > 1 else ram_gib > ratio * total_gib


def _mark(reached: bool) -> str:
    return "✓" if reached else "✗"


def _ram_total(context: Context, figures: Figures) -> Verdict:
    ram, total = context.machine.ram_gib, context.evidence.memory_nominal_gib * context.gpus_used_per_node
    ratio = figures["ratio"]
    values: dict[str, Value] = {"total": total, "ratio": ratio, "need": ratio * total}
    if ram is None:
        return unknown(values)
    ram *= context.share
    values |= {"ram": ram, "times": ram / total}
    values |= {"d1": _mark(_reaches(ram, 2.0, total)), "d0": _mark(_reaches(ram, 1.5, total))}
    values["d4"] = _mark(_reaches(ram, 1.0, total))
    return decided(_reaches(ram, ratio, total), values)


def _ram_oversize(context: Context, figures: Figures) -> Verdict:
    ram, total = context.machine.ram_gib, context.machine.gpu_count * context.evidence.memory_nominal_gib
    if ram is None:
        return NOT_APPLICABLE
    values: dict[str, Value] = {"times": ram / total, "need": figures["ratio"]}
    return decided(ram <= figures["ratio"] * total, values)


def _ram_bandwidth(context: Context, figures: Figures) -> Verdict:
    found, need = context.machine.ram_mts, figures["mts"]
    if found is None:
        return unknown({"need": need})
    return decided(found >= need, {"found": found, "need": need})


def _ecc(context: Context, figures: Figures) -> Verdict:
    evidence = context.evidence
    if evidence.ecc is None:
        return unknown({"how": evidence.ecc_how})
    return decided(evidence.ecc, {"how": evidence.ecc_how, "found": "ECC" if evidence.ecc else "no ECC"})


def _power_cooling(context: Context, figures: Figures) -> Verdict:
    if not context.owned:
        return NOT_APPLICABLE
    values: dict[str, Value] = {"limit": context.site_power_kw, "nodes": context.nodes, "pue": context.pue}
    if context.load_kw is None or context.site_power_kw is None:
        return unknown(values)
    load_kw = context.nodes * context.load_kw * context.pue
    return decided(load_kw <= context.site_power_kw, values | {"load": load_kw})


RULES: tuple[Rule, ...] = (
    Rule(
        id="cpu-cores",
        group="B",
        scope="configuration",
        title=Text(en="More physical cores than GPUs", zh="CPU 物理核多于 GPU"),
        sources=(
            Source("D4", "CPU 总核心数 ＞ GPU 总数量"),
            Source("D1", "CPU核心数至少要和GPU数量匹配"),
        ),
        severity=severities(HARD),
        machine_only=True,
        formula="physical cores > cores_per_gpu × GPUs; with or_equal ≥; cores = vCPU/2 only on hyper-threaded x86",
        parameters=(
            Parameter("cores_per_gpu", 1.0, 1.0, "cores", {"D4": 1.0, "D1": 1.0}),
            Parameter("or_equal", 0.0, 1.0, "", {"D4": 0.0, "D1": 1.0}, {0.0: ">", 1.0: "≥"}),
        ),
        check=_cpu_cores,
        measured="{cores} cores",
        required="{sign} {need}",
        messages={
            "pass": Text(en="{cores} cores ({how}) for {gpus} GPUs.", zh="{cores} 个物理核（{how}）配 {gpus} 张 GPU。"),
            "fail": Text(
                en="{cores} cores ({how}) for {gpus} GPUs; asked: {sign} {need}. GPUs would wait for the CPU.",
                zh="{cores} 个物理核（{how}）配 {gpus} 张 GPU；要求 {sign} {need}。GPU 会等 CPU。",
            ),
            "unknown": Text(
                en="Cores: {cores} ({how}) for {gpus} GPUs; asked: {sign} {need}.",
                zh="物理核：{cores}（{how}），配 {gpus} 张 GPU；要求 {sign} {need}。",
            ),
        },
        confirm=Text(
            en="Ask the provider for the CPU and its cores; `lscpu | grep -E 'Model name|Core|Socket'` proves it.",
            zh="请厂商说明 CPU 型号与物理核数；用 `lscpu | grep -E 'Model name|Core|Socket'` 核实。",
        ),
        passing=(
            Example(machine={"gpu_count": 4, "cores": 5.0}, context={"gpus_used_per_node": 4}),
            Example(machine={"gpu_count": 8, "cores": None, "vcpus": 96.0}, context={"gpus_used_per_node": 8}),
        ),
        failing=(
            Example(machine={"gpu_count": 4, "cores": 4.0}, context={"gpus_used_per_node": 4}),
            Example(machine={"gpu_count": 8, "cores": None, "vcpus": 16.0}, context={"gpus_used_per_node": 8}),
        ),
    ),
    Rule(
        id="cpu-class",
        group="B",
        scope="configuration",
        title=Text(en="No low-power mobile CPU", zh="不用低功耗移动版 CPU"),
        sources=(
            Source("D0", "TDP≤35W"),
            Source("D0", "提速近3倍"),
            Source("D1", "多核高主频"),
            Source("D4", "拉高核心主频"),
        ),
        severity=severities(HARD),
        machine_only=True,
        formula="CPU TDP > tdp_watts; server platforms pass by derivation",
        parameters=(
            Parameter("tdp_watts", 35.0, 35.0, "W", {"D0": 35.0}),
            Parameter("max_mobile_threads", 24.0, 24.0, "threads", {"ours": 24.0}),
        ),
        check=_cpu_class,
        measured="{cpu}",
        required="> {need} W",
        messages={
            "pass": Text(en="{cpu} with {tdp} W is no mobile part.", zh="{cpu}，{tdp} W，不是移动版。"),
            "derived": Text(en="{cpu}: a server platform is no mobile part.", zh="{cpu}：服务器平台，不是移动版。"),
            "fail": Text(
                en="{cpu} is a low-power part ({need} W or less): it cannot feed the GPU, whose use stays below 40 %.",
                zh="{cpu} 是低功耗型号（{need} W 及以下）：喂不饱 GPU，利用率会低于 40%。",
            ),
            "unknown": Text(
                en="The CPU is not known ({cpu}); one of {need} W or less cannot feed the GPU.",
                zh="CPU 未知（{cpu}）；{need} W 及以下的型号喂不饱 GPU。",
            ),
        },
        confirm=Text(
            en="Ask the host for the CPU model; `lscpu | grep 'Model name'` proves it.",
            zh="请主机方说明 CPU 型号；用 `lscpu | grep 'Model name'` 核实。",
        ),
        passing=(
            Example(machine={"cpu": "Xeon Platinum 8480+", "cpu_tdp_watts": 350.0}),
            Example(machine={"provider": "aws", "cpu": None}, about="big clouds run server platforms"),
        ),
        failing=(Example(machine={"cpu": "Core i7-1265U", "cpu_tdp_watts": 15.0}),),
    ),
    Rule(
        id="pcie-lanes",
        group="B",
        scope="configuration",
        title=Text(en="Sixteen PCIe lanes a GPU", zh="每张 GPU 独占 16 条 PCIe 通道"),
        sources=(Source("D4", "PCIe 通道 ≥ GPU 数量 × 16"),),
        severity=severities(HARD),
        machine_only=True,
        formula="measured link width per GPU ≥ lanes_per_gpu; else CPU lanes ≥ lanes_per_gpu × GPUs; else unknown",
        parameters=(Parameter("lanes_per_gpu", 16.0, 16.0, "lanes", {"D4": 16.0}),),
        check=_pcie_lanes,
        measured="{found} ({how})",
        required="≥ {need} × {gpus} GPUs",
        messages={
            "width": Text(
                en="Measured link width {found} per GPU; asked: x{need}.",
                zh="实测每卡链路宽度 {found}；要求 x{need}。",
            ),
            "pass": Text(
                en="{lanes} CPU lanes for {gpus} GPUs leave {left} for NVMe and network cards.",
                zh="CPU 通道 {lanes} 条供 {gpus} 张 GPU，余 {left} 条给 NVMe 与网卡。",
            ),
            "fail": Text(
                en="{lanes} CPU lanes for {gpus} GPUs; {total} are needed, else cards run slower and collectives wait.",
                zh="CPU 通道 {lanes} 条供 {gpus} 张 GPU；需要 {total} 条，否则显卡降速、通信变慢。",
            ),
            "width or lanes": Text(
                en="{lanes} CPU lanes for {gpus} GPUs; {total} are needed. If {lanes} is the link of each GPU, "
                "`pcie_lanes` is to say the lanes of all CPUs together.",
                zh="CPU 通道 {lanes} 条供 {gpus} 张 GPU；需要 {total} 条。若 {lanes} 是每卡链路宽度，"
                "`pcie_lanes` 应填全部 CPU 的通道总数。",
            ),
            "unknown": Text(
                en="Neither link width nor CPU lanes are known for {gpus} GPUs; asked: x{need} each.",
                zh="{gpus} 张 GPU 的链路宽度与 CPU 通道均未知；要求每卡 x{need}。",
            ),
            "switched": Text(
                en="{lanes} CPU lanes for {gpus} GPUs behind switches: only the measured width tells; asked: x{need}.",
                zh="CPU 通道 {lanes} 条，{gpus} 张 GPU 经交换芯片连接：只有实测宽度能说明；要求 x{need}。",
            ),
        },
        confirm=Text(
            en="Ask the provider for the link width of each GPU; under load, "
            "`nvidia-smi --query-gpu=pcie.link.width.current,pcie.link.gen.current --format=csv` proves it.",
            zh="请厂商说明每卡链路宽度；带负载运行 "
            "`nvidia-smi --query-gpu=pcie.link.width.current,pcie.link.gen.current --format=csv` 核实。",
        ),
        passing=(
            Example(machine={"pcie_width_measured": 16}),
            Example(
                gpu="A100-PCIE-80GB", machine={"gpu_count": 8, "pcie_lanes": 128}, context={"gpus_used_per_node": 8}
            ),
        ),
        failing=(
            Example(gpu="A10", machine={"pcie_width_measured": 8, "pcie_lanes": 128}, about="measured before lanes"),
            Example(
                gpu="A100-PCIE-80GB", machine={"gpu_count": 8, "pcie_lanes": 96}, context={"gpus_used_per_node": 8}
            ),
        ),
    ),
    Rule(
        id="ram-total",
        group="B",
        scope="configuration",
        title=Text(en="Host memory against the sum of GPU memory", zh="主机内存与显存总和之比"),
        sources=(
            Source("D1", "显存总和的2倍以上"),
            Source("D0", "显存×1.5"),
            Source("D4", "内存总容量 ＞ 所有 GPU 显存总和"),
        ),
        severity=severities(HARD),
        machine_only=True,
        formula="host memory ≥ ratio × sum of nominal GPU memory (within 4 %); a ratio of 1 asks for strictly more",
        parameters=(Parameter("ratio", 2.0, 1.0, "×", {"D1": 2.0, "D0": 1.5, "D4": 1.0}),),
        check=_ram_total,
        measured="{ram} GiB ({times}×)",
        required="{ratio}× {total} GB",
        messages={
            "pass": Text(
                en="{ram} GiB are {times} times the {total} GB of GPU memory: D1 2× {d1}, D0 1.5× {d0}, D4 >1× {d4}.",
                zh="内存 {ram} GiB，为显存总和 {total} GB 的 {times} 倍：D1 2× {d1}，D0 1.5× {d0}，D4 >1× {d4}。",
            ),
            "fail": Text(
                en="{ram} GiB are {times} times the {total} GB of GPU memory, asked: {ratio} times "
                "(D1 2× {d1}, D0 1.5× {d0}, D4 >1× {d4}).",
                zh="内存 {ram} GiB，为显存总和 {total} GB 的 {times} 倍，要求 {ratio} 倍"
                "（D1 2× {d1}，D0 1.5× {d0}，D4 >1× {d4}）。",
            ),
            "unknown": Text(
                en="Host memory is not stated; {ratio} times {total} GB of GPU memory are {need} GiB.",
                zh="未标明主机内存；显存总和 {total} GB 的 {ratio} 倍为 {need} GiB。",
            ),
        },
        confirm=Text(
            en="Ask the provider for the host memory of this machine; `free -g` proves it.",
            zh="请厂商写明该机型内存；用 `free -g` 核实。",
        ),
        passing=(
            Example(
                gpu="V100-SXM2-32GB", machine={"gpu_count": 4, "ram_gib": 256.0}, context={"gpus_used_per_node": 4}
            ),
        ),
        failing=(
            Example(
                gpu="V100-SXM2-32GB", machine={"gpu_count": 4, "ram_gib": 160.0}, context={"gpus_used_per_node": 4}
            ),
        ),
    ),
    Rule(
        id="ram-oversize",
        group="B",
        scope="note",
        title=Text(en="More host memory is not safer", zh="内存不是越大越安全"),
        sources=(Source("D0", "内存不是越大越安全"),),
        severity=severities(NOTE),
        formula="host memory ≤ ratio × sum of GPU memory (the ratio is ours)",
        parameters=(Parameter("ratio", 4.0, 4.0, "×", {"ours": 4.0}),),
        check=_ram_oversize,
        measured="{times}×",
        required="≤ {need}×",
        messages={
            "pass": Text(en="Host memory is {times} times GPU memory.", zh="内存为显存的 {times} 倍。"),
            "fail": Text(
                en="Host memory is {times} times GPU memory; beyond what the rules ask more is not safer (D0).",
                zh="内存为显存的 {times} 倍；超过规则要求后，更大并不更安全（D0）。",
            ),
        },
        passing=(Example(machine={"ram_gib": 256.0}),),
        failing=(Example(machine={"ram_gib": 1024.0}, about="12.8 times 80 GB"),),
    ),
    Rule(
        id="ram-bandwidth",
        group="B",
        scope="configuration",
        title=Text(en="Fast host memory", zh="内存带宽"),
        sources=(Source("D0", "快41%"),),
        severity=severities(ADVICE),
        formula="memory rate ≥ mts: DDR5-6000 loads weights 41 % faster than DDR4-3200",
        parameters=(Parameter("mts", 6000.0, 3200.0, "MT/s", {"D0": 6000.0}),),
        check=_ram_bandwidth,
        measured="{found} MT/s",
        required="≥ {need} MT/s",
        messages={
            "pass": Text(en="Host memory runs at {found} MT/s.", zh="内存速率 {found} MT/s。"),
            "fail": Text(
                en="Host memory runs at {found} MT/s; at 6,000 MT/s weights load up to 41 % faster (D0).",
                zh="内存速率 {found} MT/s；到 6,000 MT/s 时权重加载最多快 41%（D0）。",
            ),
            "unknown": Text(
                en="The rate of host memory is not stated (asked: {need} MT/s).",
                zh="未标明内存速率（要求 {need} MT/s）。",
            ),
        },
        passing=(Example(machine={"ram_mts": 6000.0}),),
        failing=(Example(machine={"ram_mts": 3200.0}),),
    ),
    Rule(
        id="ecc",
        group="B",
        scope="configuration",
        title=Text(en="ECC host memory", zh="ECC 纠错内存"),
        sources=(Source("D4", "企业级必选 ECC 纠错内存"),),
        severity=severities(HARD),
        machine_only=True,
        formula="host memory has ECC; server platforms derive a pass, marketplaces are unknown unless they state it",
        check=_ecc,
        measured="{found}",
        required="ECC",
        messages={
            "pass": Text(en="ECC memory ({how}).", zh="ECC 内存（{how}）。"),
            "fail": Text(
                en="No ECC ({how}): bit errors make long runs drift and irreproducible.",
                zh="没有 ECC（{how}）：比特错误会使长时间训练精度漂移、无法复现。",
            ),
            "unknown": Text(en="ECC is not known ({how}).", zh="是否 ECC 未知（{how}）。"),
        },
        confirm=Text(
            en="Ask the host whether its memory has ECC; `sudo dmidecode -t memory | grep 'Error Correction Type'` "
            "proves it.",
            zh="请主机方说明内存是否 ECC；用 `sudo dmidecode -t memory | grep 'Error Correction Type'` 核实。",
        ),
        passing=(Example(machine={"ecc": True}), Example(machine={"provider": "alibaba", "ecc": None, "cpu": None})),
        failing=(Example(machine={"ecc": False}),),
    ),
    Rule(
        id="power-cooling",
        group="B",
        scope="fleet",
        title=Text(en="Power and cooling of the site", zh="机房电力与散热"),
        sources=(Source("D1", "单张旗舰卡功耗能达到几百瓦"),),
        severity=severities(HARD),
        formula="nodes × full load (kW) × PUE ≤ site power; PUE 1 where the limit is the rack's",
        check=_power_cooling,
        measured="{load} kW",
        required="≤ {limit} kW",
        messages={
            "pass": Text(
                en="{nodes} machines draw {load} kW at full load of {limit} kW (PUE {pue}).",
                zh="{nodes} 台满载 {load} kW，机房上限 {limit} kW（PUE {pue}）。",
            ),
            "fail": Text(
                en="{nodes} machines draw {load} kW at full load, the site gives {limit} kW (PUE {pue}): "
                "clocks drop and machines fail.",
                zh="{nodes} 台满载 {load} kW，机房只有 {limit} kW（PUE {pue}）：会降频甚至宕机。",
            ),
            "unknown": Text(
                en="Load or site power is not given for {nodes} machines (site: {limit} kW).",
                zh="{nodes} 台的满载功率或机房电力未给出（机房：{limit} kW）。",
            ),
        },
        confirm=Text(
            en="Give `owned.site_power_kw` and the machine's `load_kw`; the site's operator confirms both, "
            "`nvidia-smi --query-gpu=power.draw,clocks_throttle_reasons.active --format=csv` under load proves it.",
            zh="填写 `owned.site_power_kw` 与该机 `load_kw`；由机房方确认，带负载运行 "
            "`nvidia-smi --query-gpu=power.draw,clocks_throttle_reasons.active --format=csv` 核实。",
        ),
        passing=(Example(context={"owned": True, "load_kw": 5.6, "site_power_kw": 12.0, "pue": 1.3}),),
        failing=(
            Example(context={"owned": True, "load_kw": 10.2, "site_power_kw": 12.0, "pue": 1.3}, about="13.26 kW"),
        ),
    ),
)
