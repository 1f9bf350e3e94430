"""Group A, first half: GPU memory against the model (rules.md A)."""

from typing import Final

from optimizer.domain.finding import Severity
from optimizer.domain.text import Text
from optimizer.rules.context import Context
from optimizer.rules.evidence import counts_as
from optimizer.rules.rule import (
    FAIL,
    NOT_APPLICABLE,
    PASS,
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
)

HARD, WARN, ADVICE = Severity.HARD, Severity.WARN, Severity.ADVICE
#: Classes for which D1 calls 32-48 GB right (13B-70B).
MIDDLE_CLASSES: Final = ("13B", "34B", "70B")
MEMORY_COMMAND: Final = Text(
    en="Ask the provider for the GPU's model and memory in writing; "
    "`nvidia-smi --query-gpu=name,memory.total --format=csv` proves it.",
    zh="请厂商书面写明 GPU 型号与显存；用 `nvidia-smi --query-gpu=name,memory.total --format=csv` 核实。",
)


def _vram_fit(context: Context, figures: Figures) -> Verdict:
    if context.shape is None:
        return NOT_APPLICABLE
    if context.fit is None:
        return Verdict(FAIL, {"gpu": context.gpu.model, "total": None, "usable": None}, "unfit")
    total, usable = context.fit.memory_gib["total"], context.fit.usable_gib
    values: dict[str, Value] = {"gpu": context.gpu.model, "total": total, "usable": usable}
    return decided(total <= usable, values)


def _vram_floor(context: Context, figures: Figures) -> Verdict:
    size, nominal = context.size_class, context.evidence.memory_nominal_gib
    if size is None:
        return NOT_APPLICABLE
    values: dict[str, Value] = {"gpu": context.gpu.model, "size": size, "memory": nominal, "gpus": context.gpus}
    if size == "pooled":
        values["need"] = figures["pool_gpus"]
        return Verdict(PASS if context.gpus >= figures["pool_gpus"] else FAIL, values, "pool")
    need = figures["gib_7b"] if size == "7B" else figures["gib_13b"]
    values["need"] = need
    return decided(counts_as(nominal, need), values)


def _vram_floor_full(context: Context, figures: Figures) -> Verdict:
    parameters = context.parameters
    if parameters is None or not context.trains_all or parameters < figures["from_billion"] * 1e9:
        return NOT_APPLICABLE
    nominal = context.evidence.memory_nominal_gib
    values: dict[str, Value] = {"gpu": context.gpu.model, "memory": nominal, "need": figures["gib"]}
    values["billion"] = parameters / 1e9
    return decided(counts_as(nominal, figures["gib"]), values)


def _tier(nominal_gib: float, figures: Figures) -> int:
    """0 below entry, 1 entry, 2 advanced, 3 flagship (D1's three tiers by memory)."""
    floors = (figures["entry_gib"], figures["advanced_gib"], figures["flagship_gib"])
    return sum(counts_as(nominal_gib, floor) for floor in floors)


def _asks_flagship(context: Context, figures: Figures) -> bool:
    """Whether fit, floor or cost asked for the flagship, so that it is no waste."""
    needed = context.fit.memory_gib["total"] if context.fit is not None else 0.0
    by_floor = context.trains_all and (context.parameters or 0) >= figures["from_billion"] * 1e9
    return by_floor or needed > figures["advanced_top_gib"] or context.is_cheapest is True


def _size_tier(context: Context, figures: Figures) -> Verdict:
    size, parameters = context.size_class, context.parameters
    if size is None or parameters is None:
        return NOT_APPLICABLE
    from_scratch = context.work.method == "pretrain" and parameters >= figures["scratch_billion"] * 1e9
    wanted = 3 if from_scratch or size == "pooled" else 2 if size in MIDDLE_CLASSES else 1
    nominal = context.evidence.memory_nominal_gib
    tier = _tier(nominal, figures)
    need = (0.0, figures["entry_gib"], figures["advanced_gib"], figures["flagship_gib"])[wanted]
    values: dict[str, Value] = {"gpu": context.gpu.model, "size": size, "memory": nominal, "need": need}
    if tier < wanted:
        return failed(values)
    if tier == 3 > wanted and not _asks_flagship(context, figures):
        return Verdict(FAIL, values, "waste")
    return passed(values)


def _gpu_homogeneous(context: Context, figures: Figures) -> Verdict:
    machine, gpu = context.machine, context.gpu
    values: dict[str, Value] = {"gpu": gpu.model, "other": machine.gpu_model, "memory": machine.gpu_memory_gib}
    values["card"] = gpu.memory_gib
    # A label may be the driver's figure: it must count as the card's size, and the card's as the label's.
    same_size = counts_as(machine.gpu_memory_gib, gpu.memory_gib) and counts_as(gpu.memory_gib, machine.gpu_memory_gib)
    return decided(machine.gpu_model == gpu.model and same_size, values)


RULES: tuple[Rule, ...] = (
    Rule(
        id="vram-fit",
        group="A",
        scope="configuration",
        title=Text(en="The work fits in GPU memory", zh="任务装得进显存"),
        sources=(Source("D0", "权重+梯度+优化器状态+激活值缓存"), Source("D4", "极度依赖大显存")),
        severity={"documents": HARD, "strict": HARD, "floor": HARD, "off": HARD},
        physical=True,
        formula="weights + gradients + optimizer states + activations + logits + buffers ≤ usable memory per GPU",
        check=_vram_fit,
        measured="{total} GiB",
        required="≤ {usable} GiB",
        messages={
            "pass": Text(
                en="{total} of {usable} GiB usable on each {gpu} are needed.",
                zh="每张 {gpu} 可用 {usable} GiB，需要 {total} GiB。",
            ),
            "fail": Text(
                en="{total} GiB are needed, {gpu} has {usable} GiB usable.",
                zh="需要 {total} GiB，{gpu} 可用显存只有 {usable} GiB。",
            ),
            "unfit": Text(
                en="No layout was shown to fit on {gpu}; whether it fits may never stay unknown.",
                zh="没有任何切分方案证明能装进 {gpu}；能否装下不允许未知。",
            ),
        },
        confirm=MEMORY_COMMAND,
        passing=(Example(context={"shape": "7B", "fit": {"total": 60.0, "usable": 79.0}}),),
        failing=(
            Example(context={"shape": "7B", "fit": {"total": 90.0, "usable": 79.0}}),
            Example(context={"shape": "7B"}, about="nothing known of the fit"),
        ),
    ),
    Rule(
        id="vram-floor",
        group="A",
        scope="configuration",
        title=Text(en="Least GPU memory for the model's size", zh="模型规模对应的最低显存"),
        sources=(
            Source("D0", "起步24GB显存"),
            Source("D0", "13B模型需40GB以上显存"),
            Source("D0", "多卡显存池化"),
            Source("D1", "显存16G-24G"),
            Source("D1", "显存32G-48G"),
        ),
        severity=severities(HARD),
        formula="nominal memory per GPU ≥ gib_7b (7B) or gib_13b (13B to 70B); from 100 billion: GPUs ≥ pool_gpus",
        parameters=(
            Parameter("gib_7b", 24.0, 16.0, "GB nominal", {"D0": 24.0, "D1": 16.0}),
            Parameter("gib_13b", 40.0, 32.0, "GB nominal", {"D0": 40.0, "D1": 32.0}),
            Parameter("pool_gpus", 2.0, 2.0, "GPUs", {"D0": 2.0}),
        ),
        check=_vram_floor,
        measured="{memory} GB × {gpus}",
        required="≥ {need}",
        messages={
            "pass": Text(
                en="{gpu} with {memory} GB reaches the {need} GB asked for the {size} class.",
                zh="{gpu} 显存 {memory} GB，达到 {size} 级要求的 {need} GB。",
            ),
            "fail": Text(
                en="{gpu} has {memory} GB, the {size} class asks for {need} GB.",
                zh="{gpu} 显存 {memory} GB，{size} 级要求 {need} GB。",
            ),
            "pool": Text(
                en="From 100 billion parameters several GPUs must pool their memory: {gpus} used, at least {need}.",
                zh="千亿参数必须多卡显存池化：用了 {gpus} 张，至少 {need} 张。",
            ),
        },
        confirm=MEMORY_COMMAND,
        passing=(
            Example(gpu="A10", context={"shape": "7B"}, about="24 GB for 7B"),
            Example(gpu="A100-SXM4-40GB", context={"shape": "13B"}, about="40 GB for 13B"),
            Example(context={"shape": "175B", "gpus_used_per_node": 8}, machine={"gpu_count": 8}),
        ),
        failing=(
            Example(gpu="T4", context={"shape": "7B"}, about="16 GB for 7B"),
            Example(gpu="V100-SXM2-32GB", context={"shape": "13B"}, about="32 GB for 13B"),
            Example(context={"shape": "175B"}, about="one card for 175B"),
        ),
    ),
    Rule(
        id="vram-floor-full",
        group="A",
        scope="configuration",
        title=Text(en="80 GB class cards for full-parameter training", zh="全参数训练用 80 GB 级显卡"),
        sources=(
            Source("D4", "80GB、96GB 等高显存"),
            Source("D0", "双卡40GB+NVLink"),
            Source("D1", "普通企业盲目追旗舰卡"),
        ),
        severity=severities(HARD, floor=WARN),
        formula="full or pretrain from 7 billion: nominal memory per GPU ≥ gib",
        parameters=(
            Parameter("gib", 80.0, 32.0, "GB nominal", {"D4": 80.0, "D0": 40.0, "D1": 32.0}),
            # llama-2-7b has 6.738 billion: what rounds to 7 counts as 7B.
            Parameter("from_billion", 6.5, 6.5, "10⁹ parameters", {"ours": 6.5}),
        ),
        check=_vram_floor_full,
        measured="{memory} GB",
        required="≥ {need} GB",
        messages={
            "pass": Text(
                en="{gpu} with {memory} GB reaches {need} GB for training all {billion} billion parameters "
                "(D4 asks for 80, D0 for 40, D1 calls 32 to 48 right and 80 waste).",
                zh="{gpu} 显存 {memory} GB，达到全参数训练 {billion}×10⁹ 参数所需的 {need} GB"
                "（D4 要 80，D0 要 40，D1 认为 32–48 合适、80 浪费）。",
            ),
            "fail": Text(
                en="{gpu} has {memory} GB, training all {billion} billion parameters asks for {need} GB "
                "(D4 asks for 80, D0 for 40, D1 calls 32 to 48 right and 80 waste).",
                zh="{gpu} 显存 {memory} GB，全参数训练 {billion}×10⁹ 参数要求 {need} GB"
                "（D4 要 80，D0 要 40，D1 认为 32–48 合适、80 浪费）。",
            ),
        },
        confirm=MEMORY_COMMAND,
        passing=(Example(work={"method": "full"}, context={"shape": "7B"}),),
        failing=(Example(gpu="A100-SXM4-40GB", work={"method": "full"}, context={"shape": "13B"}),),
    ),
    Rule(
        id="size-tier",
        group="A",
        scope="configuration",
        title=Text(en="The card's tier suits the model's size", zh="显卡档位与模型规模相称"),
        sources=(
            Source("D1", "显存16G-24G"),
            Source("D1", "显存32G-48G"),
            Source("D1", "显存80G以上"),
        ),
        severity=severities(ADVICE),
        formula="7B class: entry; 13B to 70B: advanced; pretraining from 10 billion: flagship; "
        "a flagship that neither fit, floor nor cost asked for is waste",
        parameters=(
            Parameter("entry_gib", 16.0, 16.0, "GB nominal", {"D1": 16.0}),
            Parameter("advanced_gib", 32.0, 32.0, "GB nominal", {"D1": 32.0}),
            Parameter("advanced_top_gib", 48.0, 48.0, "GB nominal", {"D1": 48.0}),
            Parameter("flagship_gib", 80.0, 80.0, "GB nominal", {"D1": 80.0}),
            Parameter("scratch_billion", 10.0, 10.0, "10⁹ parameters", {"D1": 10.0}),
            Parameter("from_billion", 6.5, 6.5, "10⁹ parameters", {"ours": 6.5}),
        ),
        check=_size_tier,
        measured="{memory} GB",
        required="≥ {need} GB",
        messages={
            "pass": Text(
                en="{gpu} with {memory} GB suits the {size} class ({need} GB and up).",
                zh="{gpu} 显存 {memory} GB，与 {size} 级相称（{need} GB 起）。",
            ),
            "fail": Text(
                en="{gpu} with {memory} GB is below the tier that D1 advises for the {size} class ({need} GB and up).",
                zh="{gpu} 显存 {memory} GB，低于 D1 对 {size} 级建议的档位（{need} GB 起）。",
            ),
            "waste": Text(
                en="{gpu} with {memory} GB is a flagship; the {size} class is served from {need} GB, "
                "and neither fit nor floor asks for more: D1 calls this waste unless it is the cheapest.",
                zh="{gpu} 显存 {memory} GB 属旗舰卡；{size} 级从 {need} GB 起即可，"
                "容量与底线都没有要求更多：除非它最便宜，D1 称之为浪费。",
            ),
        },
        passing=(
            Example(gpu="A10", work={"method": "lora"}, context={"shape": "7B"}),
            Example(work={"method": "full"}, context={"shape": "70B"}, about="the floor asks for 80 GB"),
        ),
        failing=(
            Example(work={"method": "lora"}, context={"shape": "7B"}, about="80 GB for a 7B LoRA"),
            Example(gpu="A10", work={"method": "lora"}, context={"shape": "13B"}),
        ),
    ),
    Rule(
        id="gpu-homogeneous",
        group="A",
        scope="configuration",
        title=Text(en="One GPU model, memory size and form factor a job", zh="一个任务只用同一型号、显存与形态的 GPU"),
        sources=(Source("D1", "GPU的兼容性"),),
        severity={"documents": HARD, "strict": HARD, "floor": HARD, "off": HARD},
        physical=True,
        machine_only=True,
        formula="every GPU of the job has one canonical model, and its memory is that model's",
        check=_gpu_homogeneous,
        measured="{other}, {memory} GB",
        required="{gpu}, {card} GB",
        messages={
            "pass": Text(en="All GPUs are {gpu}.", zh="所有 GPU 均为 {gpu}。"),
            "fail": Text(
                en="The machine lists {other} with {memory} GB, the job is sized for {gpu} with {card} GB.",
                zh="机器标为 {other}（{memory} GB），任务按 {gpu}（{card} GB）计算。",
            ),
        },
        confirm=MEMORY_COMMAND,
        passing=(Example(),),
        failing=(
            Example(machine={"gpu_memory_gib": 40.0}, about="an 80 GB name on a 40 GB card"),
            Example(machine={"gpu_model": "A100-PCIE-80GB"}, about="another form factor"),
        ),
    ),
)
