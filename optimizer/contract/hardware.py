"""The lines on GPUs and their host: identity, memory, processors, host memory."""

from dataclasses import replace

from optimizer.contract.bought import Bought
from optimizer.contract.line import (
    HARDWARE,
    asked,
    demanded,
    document_line,
    doubted,
    figure,
    known,
    on_host,
    proof,
    said,
)
from optimizer.contract.spec import Item, Section
from optimizer.contract.tools import DIMMS, LSCPU, MEM_TOTAL, NUMA, STREAM, VENDOR_NAMES_TOOL, tools_of
from optimizer.domain.gpu import Gpu
from optimizer.domain.text import Text
from optimizer.domain.units import MIB_PER_GIB, NOMINAL_MEMORY_TOLERANCE
from optimizer.rules.evidence import Evidence

#: What drivers of different versions keep for themselves where the card's reported size is on record (ours).
REPORTED_TOLERANCE = 0.01
GPU_TITLE = Text("GPU", "GPU")
HOST_TITLE = Text("Host: CPU and memory", "主机：CPU 与内存")


def gpu_section(bought: Bought) -> Section:
    """Model, number, form, full memory on whole cards, links of the cards are in the network's section."""
    items = [
        _model(bought),
        _count(bought),
        _form(bought),
        _no_substitution(),
        _memory(bought),
        _whole_cards(bought),
        _bandwidth(bought),
        _capability(bought),
        _gpu_ecc(bought),
        _annex(bought),
    ]
    return Section(GPU_TITLE, tuple(item for item in items if item is not None))


def _model(bought: Bought) -> Item:
    machine, gpu = bought.machine, bought.gpu
    name = f"{gpu.vendor} {gpu.model}" if gpu is not None else machine.gpu_model
    status, source = known(bought, "gpu_model")
    return Item(
        id="gpu_model",
        title=Text("GPU model", "GPU 型号"),
        clause=Text("Every GPU is of this model.", "每张 GPU 均为该型号。"),
        value=said(name),
        relation="text",
        status=status,
        source=source,
        mandatory=True,
        remedies=HARDWARE,
        acceptance=proof(
            tools_of(gpu).identity,
            Text("one row a card with model, UUID and serial number", "每卡一行：型号、UUID、序列号"),
            Text(f"{machine.gpu_count} rows, each of this model", f"{machine.gpu_count} 行，型号均一致"),
        ),
    )


def _count(bought: Bought) -> Item:
    status, source = known(bought, "gpu_count")
    return Item(
        id="gpu_model.count",
        title=Text("GPUs in each machine", "每台 GPU 数"),
        clause=Text(
            f"Each of the {bought.machines} machines holds this many.", f"共 {bought.machines} 台，每台均为此数。"
        ),
        value=bought.machine.gpu_count,
        unit="GPU",
        relation="exactly",
        status=status,
        source=source,
        mandatory=True,
        remedies=HARDWARE,
    )


def _form(bought: Bought) -> Item:
    gpu = bought.gpu
    clause = Text("Form factor (SXM, OAM or PCIe board).", "形态（SXM、OAM 或 PCIe 板卡）。")
    title = Text("Form factor", "形态")
    if gpu is None or gpu.form_factor is None:
        return asked("gpu_model.form_factor", title, clause, relation="fill", mandatory=True, remedies=HARDWARE)
    source = data_sheet_source(gpu)
    value = said(gpu.form_factor)
    more = {"value": value, "relation": "text", "status": "stated", "mandatory": True, "remedies": HARDWARE}
    return asked("gpu_model.form_factor", title, clause, source, **more)


def data_sheet_source(gpu: Gpu) -> Text:
    """The first source of a data sheet and how many more the catalog's GPU table names."""
    first, *more = [part.strip() for part in gpu.source.split(" ; ")]
    if not more:
        return said(f"{first}, {gpu.observed}")
    return Text(
        f"{first}, {gpu.observed} ({len(more)} further sources in the catalog's GPU table)",
        f"{first}，{gpu.observed}（目录 GPU 表另有 {len(more)} 个来源）",
    )


def _no_substitution() -> Item:
    return asked(
        "gpu_model.no_substitution",
        Text("No substitution", "不得替换"),
        Text(
            "No other model, memory size, form factor or export variant is delivered or put in during the term without "
            "the buyer's consent in writing; all cards of one job are alike.",
            "未经买方书面同意，交付时与租期内均不得换用其他型号、显存容量、形态或出口版本；同一作业的各卡一致。",
        ),
        demanded(*document_line("no-shrink").sources),
        mandatory=True,
        remedies=HARDWARE,
    )


def least_memory_mib(bought: Bought) -> tuple[int, Text]:
    """The least MiB that a card must report, and what the figure allows for."""
    gpu = bought.gpu
    if gpu is not None and gpu.memory_reported_mib is not None:
        share = Text(
            "1 % below the size on record, for driver versions (ours)", "较记录值低 1%，计驱动版本差异（本方设定）"
        )
        return int(gpu.memory_reported_mib * (1 - REPORTED_TOLERANCE)), share
    usable = gpu.usable_memory_gib if gpu is not None else bought.machine.gpu_memory_usable_gib
    share = Text(
        "4 % below the size as sold, ECC set aside on GDDR cards (ours)",
        "较标称低 4%，GDDR 卡另扣 ECC 占用（本方设定）",
    )
    return int(usable * MIB_PER_GIB * (1 - NOMINAL_MEMORY_TOLERANCE)), share


def _memory(bought: Bought) -> Item:
    status, source = known(bought, "gpu_memory_gib")
    least, margin = least_memory_mib(bought)
    return Item(
        id="gpu_memory",
        title=Text("GPU memory", "显存"),
        clause=Text("Memory of each GPU, in full, as the card is sold.", "每卡显存，足额（按标称）。"),
        value=bought.machine.gpu_memory_gib,
        unit="GB",
        relation="at_least",
        status=status,
        source=source,
        mandatory=True,
        remedies=HARDWARE,
        acceptance=proof(
            tools_of(bought.gpu).memory,
            Text("MiB of each card", "每卡 MiB"),
            Text(f"≥ {least:,} MiB on every card", f"每卡 ≥ {least:,} MiB"),
            margin,
        ),
    )


def _whole_cards(bought: Bought) -> Item:
    line = document_line("no-shrink")
    tools = tools_of(bought.gpu)
    shows = line.threshold if tools.whole and bought.gpu is not None and bought.gpu.vendor == "NVIDIA" else None
    return asked(
        "gpu_memory.whole_cards",
        Text("Whole physical cards", "整张物理卡"),
        Text(
            "Whole physical cards for the buyer alone: no vGPU, MIG, partition, memory cap or time slicing; tested at "
            "hand-over and each month.",
            "整张物理卡由买方独占：无 vGPU、MIG、切分、显存限额或分时共享；交付时与每月各测一次。",
        ),
        demanded(*line.sources),
        mandatory=True,
        remedies=HARDWARE,
        acceptance=proof(
            tools.whole,
            line.reads if shows is not None and line.reads is not None else VENDOR_NAMES_TOOL,
            shows or Text("all cards whole and unpartitioned", "各卡完整、未切分"),
        ),
    )


def _from_data_sheet(bought: Bought, line: Item, value: float | None) -> Item:
    """The line with the data sheet as its source, where the figure is the card's own and not the seller's."""
    if bought.gpu is None or line.status == "to_confirm" or line.value != value:
        return line
    return replace(line, source=data_sheet_source(bought.gpu))


def _bandwidth(bought: Bought) -> Item:
    line = figure(
        bought,
        "hbm",
        bought.machine.memory_bandwidth_gbyte_per_s,
        "memory_bandwidth_gbyte_per_s",
        id="gpu_memory.bandwidth",
        title=Text("Memory bandwidth", "显存带宽"),
        clause=Text("Memory bandwidth of each GPU by its data sheet.", "每卡显存带宽（数据手册值）。"),
        unit="GB/s",
        relation="at_least",
    )
    return _from_data_sheet(bought, line, bought.gpu.memory_bandwidth_gbyte_per_s if bought.gpu is not None else None)


def _capability(bought: Bought) -> Item | None:
    capability = bought.machine.compute_capability
    if bought.gpu is None or bought.gpu.vendor != "NVIDIA":
        return None
    shown = f"≥ {capability}" if capability is not None else "≥ 8.0"
    line = figure(
        bought,
        "compute-capability",
        capability,
        "compute_capability",
        id="gpu_model.compute_capability",
        title=Text("Compute capability", "CUDA 计算能力"),
        clause=Text("CUDA compute capability of each GPU.", "每卡 CUDA 计算能力。"),
        relation="at_least",
        acceptance=proof(tools_of(bought.gpu).capability, Text("capability of each card", "每卡计算能力"), said(shown)),
    )
    return _from_data_sheet(bought, line, bought.gpu.compute_capability)


def _gpu_ecc(bought: Bought) -> Item:
    return asked(
        "gpu_memory.health",
        Text("Health of GPU memory", "显存健康"),
        Text(
            "ECC of GPU memory is on where the card has it; no uncorrectable error, no row remapping pending or "
            "failed, at hand-over and at each re-test.",
            "支持 ECC 的显卡开启显存 ECC；交付与复测时无不可纠正错误，无待处理或失败的行重映射。",
        ),
        remedies=HARDWARE,
        acceptance=proof(
            tools_of(bought.gpu).ecc,
            Text("ECC mode, uncorrectable errors, remapped rows", "ECC 模式、不可纠正错误、重映射行"),
            Text("uncorrectable 0; remapping pending no, failure no", "不可纠正 0；重映射待处理否、失败否"),
        ),
    )


def _annex(bought: Bought) -> Item:
    return asked(
        "gpu_model.annex",
        Text("Serial numbers", "序列号"),
        Text(
            "UUID and serial number of every GPU are listed in the annex at hand-over; a changed number is a "
            "substitution.",
            "交付时每卡 UUID 与序列号列入附件；编号变化视为替换。",
        ),
        mandatory=True,
        remedies=HARDWARE,
        acceptance=proof(
            tools_of(bought.gpu).identity,
            Text("UUID and serial of each card", "每卡 UUID 与序列号"),
            Text("equal to the annex", "与附件一致"),
        ),
    )


# --- host ---------------------------------------------------------------------------------------------------------


def host_section(bought: Bought) -> Section:
    """Processors, PCIe lanes, host memory."""
    items = (_cores(bought), _cpu_class(bought), _lanes(bought), _ram(bought), _ram_type(bought), _ecc(bought))
    return Section(HOST_TITLE, (*items, _numa(bought)))


def _cores(bought: Bought) -> Item:
    evidence = bought.evidence
    exact = evidence is not None and evidence.cores_low == evidence.cores_high
    cores = evidence.cores_low if evidence is not None and exact else None
    least = bought.required("cpu-cores")
    value = cores if cores is not None else _more_than(least)
    line = figure(
        bought,
        "cpu-cores",
        value,
        "cores",
        status=None if bought.machine.cores is not None else ("derived" if cores is not None else "to_confirm"),
        id="cpu",
        title=Text("CPU cores", "CPU 核数"),
        clause=Text(
            "Physical cores of each machine for the buyer alone; the CPU model stands in the next line.",
            "每台独占的物理核数；CPU 型号见下一条。",
        ),
        unit="core",
        relation="at_least",
        mandatory=True,
        remedies=HARDWARE,
        acceptance=proof(
            LSCPU,
            Text("sockets × cores per socket", "路数 × 每路核数"),
            Text("≥ the cores of the line", "≥ 条款核数"),
        ),
    )
    return doubted(bought, line, "cpu-cores")


def _more_than(cores: float | None) -> int | None:
    """The rule asks for more cores than GPUs: the next whole number."""
    return None if cores is None else int(cores) + 1


def _cpu_class(bought: Bought) -> Item:
    name = bought.machine.cpu
    line = figure(
        bought,
        None,
        said(name) if name else None,
        "cpu",
        id="cpu.class",
        title=Text("CPU model and class", "CPU 型号与级别"),
        clause=Text(
            "Model of the CPU: a server part, no low-power mobile part (35 W and below).",
            "CPU 型号：服务器级，非低功耗移动版（35 W 及以下）。",
        ),
        relation="text",
        remedies=HARDWARE,
        acceptance=proof(LSCPU, Text("model name", "型号"), host_report=False),
    )
    return doubted(bought, line, "cpu-class")


def _lanes(bought: Bought) -> Item:
    machine = bought.machine
    lanes = machine.pcie_lanes if bought.is_owned or machine.bare_metal else None
    line = figure(
        bought,
        "pcie-lanes",
        lanes,
        "pcie_lanes",
        id="cpu.pcie_lanes",
        title=Text("PCIe lanes", "PCIe 通道"),
        clause=Text(
            "CPU lanes of each machine; every GPU is linked at x16 of its own generation, NVMe and NICs have further "
            "lanes.",
            "每台 CPU 通道数；每卡以其代际的 x16 连接，NVMe 与网卡另有通道。",
        ),
        unit="lane",
        relation="at_least",
        remedies=HARDWARE,
        acceptance=proof(
            tools_of(bought.gpu).link_width,
            Text("width and generation of each GPU's link, under load", "带负载时每卡链路宽度与代际"),
            Text("x16 on every GPU", "每卡 x16"),
            host_report=on_host(bought),
        ),
    )
    return doubted(bought, line, "pcie-lanes")


def _ram(bought: Bought) -> Item:
    line = figure(
        bought,
        "ram-total",
        bought.machine.ram_gib,
        "ram_gib",
        id="memory",
        title=Text("Host memory", "内存"),
        clause=Text("Memory of each machine for the buyer alone.", "每台独占的内存容量。"),
        unit="GiB",
        relation="at_least",
        mandatory=True,
        remedies=HARDWARE,
    )
    if not isinstance(line.value, int | float):
        return line
    least = int(line.value * MIB_PER_GIB * MIB_PER_GIB * (1 - NOMINAL_MEMORY_TOLERANCE))
    margin = Text("4 % that kernel and firmware keep (ours)", "内核与固件占用计 4%（本方设定）")
    shown = said(f"≥ {least:,} kB")
    return replace(line, acceptance=proof(MEM_TOTAL, Text("MemTotal in kB", "MemTotal（kB）"), shown, margin))


def _ram_type(bought: Bought) -> Item:
    line = figure(
        bought,
        None,
        bought.machine.ram_mts,
        "ram_mts",
        id="memory.type",
        title=Text("Memory type, rate, channels", "内存类型、速率、通道"),
        clause=Text(
            "Type and rate of the DIMMs (MT/s), all channels of every socket filled; STREAM Triad reaches 80 % of "
            "channels × rate × 8 bytes.",
            "内存条类型与速率（MT/s），每路各通道插满；STREAM Triad 达到 通道数 × 速率 × 8 字节 的 80%。",
        ),
        unit="MT/s",
        relation="at_least",
        remedies=HARDWARE,
        acceptance=proof(
            f"{DIMMS}; {STREAM}",
            Text("type, speed, slots filled; Triad MB/s", "类型、速率、插满的插槽；Triad MB/s"),
            Text("as the line states; Triad ≥ 80 % of the product", "与条款一致；Triad ≥ 乘积的 80%"),
            Text("20 % for STREAM on real memory (ours)", "STREAM 实测计 20%（本方设定）"),
            host_report=on_host(bought),
        ),
    )
    return doubted(bought, line, "ram-bandwidth")


def _ecc(bought: Bought) -> Item:
    evidence = bought.evidence
    line = asked(
        "memory.ecc",
        Text("ECC memory", "ECC 内存"),
        Text("All host memory is ECC memory, and ECC is on.", "内存全部为 ECC 内存并已启用。"),
        demanded("ecc: D4"),
        value=said("ECC"),
        relation="text",
        mandatory=True,
        remedies=HARDWARE,
        acceptance=proof(
            f"{DIMMS} | grep 'Error Correction Type'",
            Text("error correction type", "纠错类型"),
            Text("Multi-bit ECC (Single-bit ECC is accepted)", "Multi-bit ECC（Single-bit ECC 亦可）"),
            host_report=on_host(bought),
        ),
    )
    if evidence is not None and evidence.ecc is not None:
        line = _ecc_known(bought, line, evidence)
    return doubted(bought, line, "ecc")


def _ecc_known(bought: Bought, line: Item, evidence: Evidence) -> Item:
    """The line where ECC is stated or derived; a machine that is stated to have none is bought as it is."""
    is_stated = bought.machine.ecc is not None and not bought.machine.facts.get("ecc", "").startswith("derived")
    _, source = known(bought, "ecc")
    how = Text(f"{evidence.ecc_how.en}; {source.en}", f"{evidence.ecc_how.zh}；{source.zh}")
    line = replace(line, status="stated" if is_stated else "derived", source=source if is_stated else how)
    if evidence.ecc:
        return line
    clause = Text(
        "Host memory has no ECC: long runs may not reproduce (D4).", "内存无 ECC：长训结果可能无法复现（D4）。"
    )
    return replace(line, clause=clause, value=Text("no ECC", "无 ECC"), mandatory=False, acceptance=None, remedies=())


def _numa(bought: Bought) -> Item:
    line = document_line("numa-topology")
    links = tools_of(bought.gpu).links
    return asked(
        "memory.numa",
        Text("NUMA topology", "NUMA 拓扑"),
        line.clause,
        demanded(*line.sources),
        remedies=("pro_rata", "termination"),
        acceptance=proof(
            f"{NUMA}; {links}" if links else NUMA,
            line.reads or VENDOR_NAMES_TOOL,
            line.threshold or VENDOR_NAMES_TOOL,
            host_report=False,
        ),
    )
