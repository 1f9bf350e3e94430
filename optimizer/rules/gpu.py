"""Group A, second half: speed, precision, number and kind of GPUs (rules.md A)."""

from typing import Final

from optimizer.domain.finding import Severity
from optimizer.domain.gpu import Gpu
from optimizer.domain.text import Text
from optimizer.rules.context import Context
from optimizer.rules.evidence import counts_as
from optimizer.rules.memory import MIDDLE_CLASSES
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

HARD, WARN, ADVICE, NOTE = Severity.HARD, Severity.WARN, Severity.ADVICE, Severity.NOTE
CUDA_VENDOR: Final = "NVIDIA"
CAPABILITY_COMMAND: Final = Text(
    en="Ask the provider which GPU it is; `nvidia-smi --query-gpu=compute_cap --format=csv` proves it.",
    zh="请厂商说明 GPU 型号；用 `nvidia-smi --query-gpu=compute_cap --format=csv` 核实。",
)


def _native_rate(gpu: Gpu, precision: str) -> float | None:
    """Dense TFLOPS that the GPU has natively at a precision; None when its data sheet states none."""
    rates = {"bf16": gpu.bf16_tflops, "fp16": gpu.fp16_tflops, "fp8": gpu.fp8_tflops, "fp32": gpu.fp32_tflops}
    return rates[precision]


def _capability_needed(context: Context, figures: Figures) -> float:
    """The rule's figure, or more where the precision has no tensor cores below it."""
    if context.shape is None:
        return figures["min_capability"]
    by_precision = {"bf16": figures["bf16_capability"], "fp8": figures["fp8_capability"]}
    return max(figures["min_capability"], by_precision.get(context.work.precision, 0.0))


def _compute_capability(context: Context, figures: Figures) -> Verdict:
    gpu, precision = context.gpu, context.work.precision
    values: dict[str, Value] = {"gpu": gpu.model, "precision": precision}
    if gpu.vendor != CUDA_VENDOR:
        values["rate"] = _native_rate(gpu, precision)
        return Verdict(PASS if values["rate"] is not None else UNKNOWN, values, "native")
    need = _capability_needed(context, figures)
    found = gpu.compute_capability if gpu.compute_capability is not None else context.machine.compute_capability
    values |= {"capability": found, "need": need}
    if found is None:
        return unknown(values)
    return decided(found >= need, values)


def _hbm(context: Context, figures: Figures) -> Verdict:
    binds = context.fit is not None and context.fit.binds == "memory_bandwidth"
    if context.size_class is None or (context.size_class == "7B" and not binds):
        return NOT_APPLICABLE
    found = context.gpu.memory_bandwidth_gbyte_per_s or context.machine.memory_bandwidth_gbyte_per_s
    kind = context.gpu.memory_type or context.machine.memory_type
    values: dict[str, Value] = {"gpu": context.gpu.model, "rate": found, "need": figures["gbyte_per_s"], "kind": kind}
    if found is None:
        return unknown(values)
    return decided(found >= figures["gbyte_per_s"], values)


def _gpu_count(context: Context, figures: Figures) -> Verdict:
    size, method, gpus = context.size_class, context.work.method, context.gpus
    values: dict[str, Value] = {"gpus": gpus, "size": size, **figures}
    if size == "7B" and method != "pretrain":
        say = "one" if gpus <= figures["small"] else "many"
        at_most = None if context.trains_all else ADVICE
        return Verdict(PASS if gpus <= figures["small"] else FAIL, {**values, "need": "1"}, say, at_most)
    if size in MIDDLE_CLASSES and context.trains_all:
        return _middle_count(context, figures, values)
    if size == "pooled" and method == "pretrain":
        values["need"] = _range(figures, "cluster")
        return Verdict(PASS if figures["cluster_min"] <= gpus else FAIL, values, "cluster")
    return NOT_APPLICABLE


def _middle_count(context: Context, figures: Figures, values: dict[str, Value]) -> Verdict:
    """13B-70B: 4-8 cards; from-scratch pretraining from 10 billion overlaps with tens to a hundred; both shown."""
    gpus = context.gpus
    fits = figures["middle_min"] <= gpus <= figures["middle_max"]
    values["need"] = _range(figures, "middle")
    if context.work.method != "pretrain":
        return Verdict(PASS if fits else FAIL, values, "middle")
    values["need"] = f"{_range(figures, 'middle')} / {_range(figures, 'cluster')}"
    fits = fits or figures["cluster_min"] <= gpus <= figures["cluster_max"]
    return Verdict(PASS if fits else FAIL, values, "overlap")


def _range(figures: Figures, name: str) -> str:
    return f"{figures[f'{name}_min']:g}–{figures[f'{name}_max']:g}"


def _mid_tier_card(context: Context, figures: Figures) -> Verdict:
    if context.shape is not None:
        return NOT_APPLICABLE
    nominal = context.evidence.memory_nominal_gib
    values: dict[str, Value] = {"gpu": context.gpu.model, "memory": nominal, "need": figures["flagship_gib"]}
    is_flagship = counts_as(nominal, figures["flagship_gib"]) and context.is_cheapest is not True
    return decided(not is_flagship, values)


def _weak_card(context: Context, figures: Figures) -> Verdict:
    if context.run_hours is None:
        return NOT_APPLICABLE
    days = context.run_hours / context.work.hours_per_day
    values: dict[str, Value] = {"gpu": context.gpu.model, "days": days, "need": figures["days"]}
    deadline = context.work.deadline_days
    if days > figures["days"]:
        return failed(values)
    if deadline is not None and days > deadline * (1 - figures["slack"]):
        return Verdict(FAIL, {**values, "deadline": deadline}, "slack")
    return passed(values)


RULES: tuple[Rule, ...] = (
    Rule(
        id="compute-capability",
        group="A",
        scope="configuration",
        title=Text(en="CUDA compute capability for today's frameworks", zh="满足主流框架的 CUDA 计算能力"),
        sources=(Source("D0", "算力≥8.0"), Source("D0", "第三代Tensor Core")),
        severity=severities(HARD),
        formula="compute capability ≥ max(min_capability, that of the precision); other vendors: native rate stated",
        parameters=(
            Parameter("min_capability", 8.0, 7.0, "", {"D0": 8.0, "ours": 7.0}),
            Parameter("bf16_capability", 8.0, 8.0, "", {"D0": 8.0}),
            Parameter("fp8_capability", 8.9, 8.9, "", {"ours": 8.9}),
        ),
        check=_compute_capability,
        measured="{capability}",
        required="≥ {need}",
        messages={
            "pass": Text(
                en="{gpu} has compute capability {capability}, {precision} asks for {need}.",
                zh="{gpu} 计算能力 {capability}，{precision} 要求 {need}。",
            ),
            "fail": Text(
                en="{gpu} has compute capability {capability}, {precision} asks for {need}.",
                zh="{gpu} 计算能力 {capability}，{precision} 要求 {need}。",
            ),
            "unknown": Text(
                en="The compute capability of {gpu} is not known; {precision} asks for {need}.",
                zh="{gpu} 的计算能力未知；{precision} 要求 {need}。",
            ),
            "native": Text(
                en="{gpu} has no CUDA; its own {precision} rate is {rate} TFLOPS.",
                zh="{gpu} 不是 CUDA 卡；其原生 {precision} 算力 {rate} TFLOPS。",
            ),
        },
        confirm=CAPABILITY_COMMAND,
        passing=(
            Example(context={"shape": "7B"}),
            Example(gpu="MI300X", context={"shape": "7B"}, about="not CUDA: judged by its bf16 rate"),
        ),
        failing=(
            Example(gpu="V100-SXM2-32GB", work={"precision": "fp16"}, context={"shape": "7B"}),
            Example(gpu="A100-SXM4-80GB", work={"precision": "fp8"}, context={"shape": "7B"}),
        ),
    ),
    Rule(
        id="hbm",
        group="A",
        scope="configuration",
        title=Text(en="Memory bandwidth of HBM class", zh="HBM 级显存带宽"),
        sources=(Source("D0", "带宽超1.5TB/s"), Source("D1", "忽略显存带宽")),
        severity=severities(WARN),
        formula="13B class and up, or where memory binds: bandwidth ≥ gbyte_per_s, whatever the memory is called",
        parameters=(Parameter("gbyte_per_s", 1500.0, 1500.0, "GB/s", {"D0": 1500.0}),),
        check=_hbm,
        measured="{rate} GB/s",
        required="≥ {need} GB/s",
        messages={
            "pass": Text(
                en="{gpu} reads its {kind} at {rate} GB/s (asked: {need}).",
                zh="{gpu} 的 {kind} 带宽 {rate} GB/s（要求 {need}）。",
            ),
            "fail": Text(
                en="{gpu} reads its {kind} at {rate} GB/s, below {need}: where memory binds it starves.",
                zh="{gpu} 的 {kind} 带宽 {rate} GB/s，低于 {need}：受显存带宽限制时会“饥饿”。",
            ),
            "unknown": Text(
                en="The memory bandwidth of {gpu} is not known (asked: {need} GB/s).",
                zh="{gpu} 的显存带宽未知（要求 {need} GB/s）。",
            ),
        },
        confirm=CAPABILITY_COMMAND,
        passing=(
            Example(gpu="A100-SXM4-40GB", context={"shape": "13B"}, about="HBM2 at 1,555 GB/s passes"),
            Example(gpu="RTXPRO6000-SE", context={"shape": "13B"}, about="GDDR7 at 1,597 GB/s passes"),
        ),
        failing=(Example(gpu="A10", context={"shape": "13B"}),),
    ),
    Rule(
        id="gpu-count",
        group="A",
        scope="configuration",
        title=Text(en="Number of cards for the stage and size", zh="训练阶段与规模对应的卡数"),
        sources=(Source("D1", "单卡就能搞定"), Source("D1", "4-8张卡并行"), Source("D1", "几十上百张卡")),
        severity=severities(WARN),
        formula="7B fine-tuning: small; 13B to 70B, all parameters: middle_min to middle_max; "
        "pretraining from 10 billion: cluster_min to cluster_max; overlaps are shown",
        parameters=(
            Parameter("small", 1.0, 1.0, "GPUs", {"D1": 1.0}),
            Parameter("middle_min", 4.0, 4.0, "GPUs", {"D1": 4.0}),
            Parameter("middle_max", 8.0, 8.0, "GPUs", {"D1": 8.0}),
            Parameter("cluster_min", 20.0, 20.0, "GPUs", {"D1": 20.0}),
            Parameter("cluster_max", 100.0, 100.0, "GPUs", {"D1": 100.0}),
        ),
        check=_gpu_count,
        measured="{gpus}",
        required="{need}",
        messages={
            "one": Text(en="One card does for the {size} class.", zh="{size} 级单卡即可。"),
            "many": Text(
                en="{gpus} GPUs: D1 says that fine-tuning in the {size} class needs one card and no cluster.",
                zh="用了 {gpus} 张卡：D1 认为 {size} 级微调单卡即可，无需集群。",
            ),
            "middle": Text(
                en="{gpus} GPUs; D1 asks for {need} in parallel for the {size} class.",
                zh="用了 {gpus} 张卡；D1 对 {size} 级要求 {need} 张并行。",
            ),
            "overlap": Text(
                en="{gpus} GPUs; for pretraining in the {size} class D1 names both 4 to 8 cards and, from 10 billion "
                "parameters from scratch, tens to about a hundred ({need}).",
                zh="用了 {gpus} 张卡；{size} 级预训练 D1 既说 4–8 张，又说百亿级全量预训练要几十上百张（{need}）。",
            ),
            "cluster": Text(
                en="{gpus} GPUs; pretraining in the {size} class takes tens to about a hundred cards ({need}), with "
                "cluster network, storage and power checked.",
                zh="用了 {gpus} 张卡；{size} 级预训练需几十上百张（{need}），并核查集群网络、存储与电力。",
            ),
        },
        passing=(
            Example(work={"method": "lora"}, context={"shape": "7B"}),
            Example(
                machine={"gpu_count": 8}, work={"method": "full"}, context={"shape": "13B", "gpus_used_per_node": 8}
            ),
            Example(
                machine={"gpu_count": 8},
                work={"method": "pretrain"},
                context={"shape": "70B", "gpus_used_per_node": 8, "nodes": 4},
                about="32 GPUs fall in the second of two ranges",
            ),
        ),
        failing=(
            Example(
                machine={"gpu_count": 2}, work={"method": "lora"}, context={"shape": "7B", "gpus_used_per_node": 2}
            ),
            Example(work={"method": "full"}, context={"shape": "13B"}),
        ),
    ),
    Rule(
        id="mid-tier-card",
        group="A",
        scope="configuration",
        title=Text(en="Mid-range cards for small models and images", zh="小模型与图像任务用中端卡"),
        sources=(Source("D4", "小模型微调、图像分类"),),
        severity=severities(ADVICE),
        formula="work without a language model: memory per GPU < flagship_gib, unless it is the cheapest",
        parameters=(Parameter("flagship_gib", 80.0, 80.0, "GB nominal", {"D4": 80.0}),),
        check=_mid_tier_card,
        measured="{memory} GB",
        required="< {need} GB",
        messages={
            "pass": Text(en="{gpu} does for this work.", zh="{gpu} 足以胜任。"),
            "fail": Text(
                en="{gpu} has {memory} GB; a mid-range card does for work without a language model.",
                zh="{gpu} 显存 {memory} GB；非大模型任务用中端卡即可。",
            ),
        },
        passing=(Example(gpu="A10", work={"gpu_hours": {"gpu": "A10", "hours": 10}}),),
        failing=(Example(work={"gpu_hours": {"gpu": "A100-SXM4-80GB", "hours": 10}}),),
    ),
    Rule(
        id="weak-card",
        group="A",
        scope="note",
        title=Text(en="The run ends within the business window", zh="训练赶得上业务窗口"),
        sources=(Source("D1", "要跑半个月"),),
        severity=severities(NOTE),
        formula="run hours ÷ hours per day ≤ days, and ≤ deadline × (1 − slack)",
        parameters=(
            Parameter("days", 15.0, 15.0, "days", {"D1": 15.0}),
            Parameter("slack", 0.1, 0.1, "of the deadline", {"ours": 0.1}),
        ),
        check=_weak_card,
        measured="{days} days",
        required="≤ {need} days",
        messages={
            "pass": Text(en="The run takes {days} days.", zh="训练需 {days} 天。"),
            "fail": Text(
                en="The run takes {days} days on {gpu}, more than half a month: the business window may close.",
                zh="在 {gpu} 上要跑 {days} 天，超过半个月：可能错过业务窗口期。",
            ),
            "slack": Text(
                en="The run takes {days} of the {deadline} days to the deadline: little is left for a restart.",
                zh="训练需 {days} 天，离截止只有 {deadline} 天：重跑的余地很小。",
            ),
        },
        passing=(Example(context={"run_hours": 100.0}),),
        failing=(
            Example(context={"run_hours": 400.0}, about="16.7 days at 24 h"),
            Example(work={"deadline_days": 10}, context={"run_hours": 230.0}, about="9.6 of 10 days"),
        ),
    ),
)
