"""The lines on software, power, data, and those of machines that become the buyer's."""

from optimizer.contract.bought import Bought
from optimizer.contract.line import HARDWARE, asked, demanded, document_line, doubted, from_documents, proof, said
from optimizer.contract.spec import Item, Remedy, Section
from optimizer.contract.tools import VENDOR_NAMES_TOOL, tools_of
from optimizer.domain.text import Text
from optimizer.rules.contract_lines import least_cuda
from optimizer.rules.rule import Source

#: Hours of load over which clocks must hold, and those that may be asked for (issue of the buyer; ours).
SUSTAINED_HOURS = "24–72"
EFFICIENCY_PERCENT = 80
SHORT: tuple[Remedy, ...] = ("pro_rata", "termination")


def software_section(bought: Bought) -> Section:
    """System, CUDA or the maker's stack, driver, and a training step that runs."""
    items = (_stack(bought), _driver(bought), _diagnostics(bought), _training_step(bought))
    return Section(Text("Software", "软件"), tuple(item for item in items if item is not None))


def _is_nvidia(bought: Bought) -> bool:
    return bought.gpu is not None and bought.gpu.vendor == "NVIDIA"


def _stack(bought: Bought) -> Item:
    if _is_nvidia(bought):
        cuda = least_cuda(bought.machine.compute_capability)
        value = said(f"Ubuntu 22.04 LTS; CUDA ≥ {cuda}; cuDNN ≥ 8.6") if cuda is not None else None
        line = document_line("software-stack")
        threshold = Text(f"22.04; CUDA ≥ {cuda}; cuDNN ≥ 8.6", f"22.04；CUDA ≥ {cuda}；cuDNN ≥ 8.6")
        return asked(
            "software_stack",
            Text("Software stack", "软件栈"),
            line.clause,
            demanded(*line.sources),
            value=value,
            relation="text" if value is not None else "fill",
            remedies=("termination",),
            acceptance=proof(line.command or "", line.reads or VENDOR_NAMES_TOOL, threshold),
        )
    clause = Text(
        "System, driver, the maker's toolkit and framework versions are named here and fit each other.",
        "写明系统、驱动、厂商工具包与框架版本，并互相匹配。",
    )
    return asked("software_stack", Text("Software stack", "软件栈"), clause, relation="fill", remedies=("termination",))


def _driver(bought: Bought) -> Item:
    if _is_nvidia(bought):
        title = Text("Driver match", "驱动匹配")
        return from_documents("driver_match", "driver-match", title, remedies=("termination",))
    line = document_line("driver-match")
    return asked(
        "driver_match",
        Text("Driver match", "驱动匹配"),
        Text("Driver, toolkit and framework fit each other.", "驱动、工具包与框架互相匹配。"),
        demanded(*line.sources),
        remedies=("termination",),
        acceptance=proof(tools_of(bought.gpu).driver, VENDOR_NAMES_TOOL),
    )


def _diagnostics(bought: Bought) -> Item | None:
    if not _is_nvidia(bought):
        return None
    return from_documents("diagnostics", "diagnostics", Text("Diagnostics shown", "交付诊断"))


def _training_step(bought: Bought) -> Item:
    expected = _expected_speed(bought)
    return asked(
        "training_step",
        Text("Training step", "训练步"),
        Text(
            "The buyer's own training step runs on one GPU, on one machine and on all machines; scaling efficiency is "
            f"the rate on all GPUs ÷ (GPUs × rate on one, or on the fewest that hold the model).{expected.en}",
            "以买方训练步在单卡、单机与全部机器上运行；"
            f"扩展效率 = 全部 GPU 速率 ÷（GPU 数 × 单卡速率，或可容纳模型的最少卡数）。{expected.zh}",
        ),
        demanded(Source("D1", "换成RDMA网络，能提升到80%以上"), Source("D0", "GPU利用率常年卡在40%以下")),
        value=EFFICIENCY_PERCENT,
        unit="%",
        relation="at_least",
        remedies=SHORT,
        acceptance=proof(
            _utilization(bought),
            Text("tokens a second of each run; GPU use over 30 minutes", "各次运行的 token/秒；30 分钟内 GPU 利用率"),
            Text(
                "efficiency ≥ 80 % over GPUs and over machines; GPU use never below 40 % for reasons of CPU or I/O",
                "多卡与多机效率均 ≥ 80%；GPU 利用率不因 CPU 或 I/O 低于 40%",
            ),
            Text("none: figures of D1 and D0", "无：D1、D0 所列数值"),
        ),
    )


def _expected_speed(bought: Bought) -> Text:
    """What the plan expects, told for information: no vendor warrants it."""
    speeds = [found for found in bought.assignments if found.tokens_per_second is not None and found.interval]
    if not speeds:
        return Text("", "")
    first = speeds[0]
    low, high = first.interval or (0.0, 0.0)
    return Text(
        f" For information: the plan expects {low:,.0f} to {high:,.0f} tokens/s for {first.workload} on {first.nodes} "
        "machines.",
        f"供参考：方案预计 {first.workload} 在 {first.nodes} 台上为 {low:,.0f}–{high:,.0f} token/秒。",
    )


def _utilization(bought: Bought) -> str:
    if _is_nvidia(bought):
        return "torchrun --nproc-per-node N train.py; nvidia-smi dmon -s puvm -d 5"
    return "torchrun --nproc-per-node N train.py"


def power_section(bought: Bought) -> Section:
    """Power and cooling at full load with evidence, and clocks that hold."""
    items = [_draw(bought) if bought.is_owned else _site_power(bought), _clocks(bought)]
    if not bought.is_owned:
        items.append(_site_evidence())
    return Section(Text("Power and cooling", "电力与散热"), tuple(items))


def _site_power(bought: Bought) -> Item:
    """The load that the vendor's site must carry: the machines' own, else that of the GPUs alone."""
    machine = bought.machine
    watts = bought.gpu.tdp_watts if bought.gpu is not None else None
    load_kw: float | None = None
    source = Text("not stated", "未标明")
    if machine.power_watts is not None:
        load_kw = machine.power_watts * bought.machines / 1_000
        source = said(machine.source or "-")
    elif watts is not None:
        load_kw = watts * machine.gpu_count * bought.machines / 1_000
        source = Text("GPUs alone by their data sheet, without hosts", "仅 GPU 按数据手册合计，不含主机")
    main = asked(
        "power_cooling",
        Text("Power and cooling", "电力与散热"),
        Text(
            "The site carries at least this load for all machines of this part at once, with cooling for it.",
            "机房可同时承载本部分全部机器不低于此值的负载并提供相应散热。",
        ),
        source,
        value=load_kw,
        unit="kW",
        relation="at_least" if load_kw is not None else "fill",
        status="derived" if load_kw is not None else "to_confirm",
        mandatory=True,
        remedies=HARDWARE,
    )
    return doubted(bought, main, "power-cooling")


def _draw(bought: Bought) -> Item:
    """What machines that stand at the buyer's may draw."""
    watts = bought.machine.power_watts
    main = asked(
        "power_cooling",
        Text("Power draw and cooling", "功耗与散热要求"),
        Text(
            "All machines of this part together draw at most this at full load; feeds, plugs, airflow and inlet "
            "temperature are named.",
            "本部分全部机器满载总功耗不超过此值；写明供电路数、插头、风量与进风温度要求。",
        ),
        said(bought.machine.source or "-") if watts is not None else Text("not stated", "未标明"),
        value=watts * bought.machines / 1_000 if watts is not None else None,
        unit="kW",
        relation="at_most" if watts is not None else "fill",
        status="stated" if watts is not None else "to_confirm",
        mandatory=True,
        remedies=HARDWARE,
    )
    return doubted(bought, main, "power-cooling")


def _clocks(bought: Bought) -> Item:
    line = document_line("power-cooling")
    return asked(
        "power_cooling.clocks",
        Text("Clocks under sustained load", "持续负载频率"),
        Text(
            f"All GPUs hold their clocks over {SUSTAINED_HOURS} hours of full load, without thermal or power "
            "throttling.",
            f"全部 GPU 满载 {SUSTAINED_HOURS} 小时频率稳定，无过热或供电降频。",
        ),
        demanded(*line.sources),
        mandatory=True,
        remedies=SHORT,
        acceptance=proof(
            tools_of(bought.gpu).clocks,
            Text("clock, draw, temperature, throttle reasons every 5 s", "每 5 秒的频率、功耗、温度与降频原因"),
            Text("no thermal or power-brake throttling", "无过热或供电降频"),
            Text("power cap of the data sheet is no fault", "数据手册功耗上限不计为故障"),
        ),
    )


def _site_evidence() -> Item:
    return asked(
        "power_cooling.evidence",
        Text("Evidence of the site", "机房证明"),
        Text(
            "Feed and rack power, redundancy, inlet temperature; papers of the room are shown to the buyer.",
            "市电与机柜功率、冗余、进风温度；机房证明文件供买方查验。",
        ),
        demanded(*document_line("power-cooling").sources),
        relation="fill",
    )


# --- machines that become the buyer's --------------------------------------------------------------------------------

_OWNED: tuple[tuple[str, Text, Text, bool, bool], ...] = (
    (
        "new_parts",
        Text("New parts", "全新部件"),
        Text(
            "All parts are new, original and unused; none is refurbished or was used for mining.",
            "全部部件为全新原装未使用；无翻新、无矿卡。",
        ),
        True,
        False,
    ),
    (
        "serials",
        Text("Serial numbers", "序列号"),
        Text(
            "Serials of machines, GPUs, CPUs, DIMMs and disks are listed and can be checked with the makers.",
            "整机、GPU、CPU、内存、硬盘序列号列表交付，可向原厂查验。",
        ),
        True,
        False,
    ),
    (
        "warranty",
        Text("Warranty", "质保"),
        Text("Years, by whom, on site or by return, which parts.", "年限、责任方、上门或寄修、覆盖部件。"),
        True,
        True,
    ),
    (
        "delivery",
        Text("Delivery", "交付"),
        Text(
            "Place, day, penalty for each day late; risk passes on acceptance.",
            "地点、日期、逾期违约金；风险自验收转移。",
        ),
        True,
        True,
    ),
    (
        "installation",
        Text("Installation", "安装"),
        Text("Racking, cabling, firmware, burn-in by the vendor.", "上架、布线、固件、烤机由卖方完成。"),
        False,
        False,
    ),
    (
        "spares",
        Text("Spare parts", "备件"),
        Text("Parts kept ready, and years in which they can be had.", "常备备件清单与供应年限。"),
        False,
        True,
    ),
    (
        "declarations",
        Text("Declarations", "声明"),
        Text(
            "Customs, origin and export papers; the goods may be sold to and used by the buyer where they will stand.",
            "报关、原产地与出口管制文件；货物可合法售予买方并在使用地使用。",
        ),
        True,
        False,
    ),
    (
        "title",
        Text("Title", "所有权"),
        Text(
            "Title passes on payment, free of liens and claims of others.", "付款后所有权转移，无抵押、无第三方权利。"
        ),
        True,
        False,
    ),
)


def ownership_section() -> Section:
    """New parts, serials, warranty, delivery, installation, spares, declarations, title."""
    items = tuple(
        asked(f"goods.{name}", title, clause, mandatory=mandatory, relation="fill" if blank else "agree")
        for name, title, clause, mandatory, blank in _OWNED
    )
    return Section(Text("Goods", "货物"), items)
