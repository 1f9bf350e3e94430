"""Group G and the advice beside a plan: sentences that appear where their trigger holds, and only there."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from optimizer.domain.finding import Finding, VerdictKind
from optimizer.domain.text import Language, Text
from optimizer.rules.context import Context
from optimizer.rules.rule import Source, Values, filled

#: A card of this size or more counts as big where memory runs out all the same (ours; D0 says "high memory").
BIG_CARD_GIB = 40.0
#: Memory is amply computed where at most this share of it is needed (ours).
AMPLE_SHARE = 0.8
#: Cards at which D4 tells of loss that falls at half the rate.
MANY_GPUS = 8
#: Watts of one card that D1 calls hundreds; with many of them power and heat matter.
HOT_CARD_WATTS = 300.0

HOST_RULES = frozenset({"cpu-cores", "cpu-class", "pcie-lanes", "ram-total", "ecc", "nvme-hot", "storage-rate"})


class Said(NamedTuple):
    """One explanation that applies, with its numbers."""

    id: str
    text: Text
    values: Values
    source: str

    def say(self, language: Language) -> str:
        """The sentence in one language."""
        return filled(self.text.en if language == "en" else self.text.zh, self.values, language)


Kinds = dict[str, VerdictKind]


@dataclass(frozen=True, slots=True)
class Explanation:
    """A sentence and its trigger: the numbers it speaks of, or None where it does not apply."""

    id: str
    sources: tuple[Source, ...]
    text: Text
    trigger: Callable[[Context, Kinds], Values | None]


def explanations(context: Context, findings: tuple[Finding, ...]) -> tuple[Said, ...]:
    """What to say of one configuration, from its findings (of any profile)."""
    kinds = {finding.id: finding.verdict for finding in findings}
    said = ((entry, entry.trigger(context, kinds)) for entry in EXPLANATIONS)
    return tuple(
        Said(entry.id, entry.text, values, "; ".join(map(str, entry.sources)))
        for entry, values in said
        if values is not None
    )


def _fails(kinds: Kinds, *rule_ids: str) -> bool:
    return any(kinds.get(rule_id) is VerdictKind.FAIL for rule_id in rule_ids)


def _gpu_oom(context: Context, kinds: Kinds) -> Values | None:
    if context.fit is None or context.evidence.memory_nominal_gib < BIG_CARD_GIB:
        return None
    total, usable = context.fit.memory_gib["total"], context.fit.usable_gib
    return {"total": total, "usable": usable} if total <= AMPLE_SHARE * usable else None


def _host_oom(context: Context, kinds: Kinds) -> Values | None:
    ram = context.machine.ram_gib
    if ram is None:
        return None
    ram *= context.share
    total = context.evidence.memory_nominal_gib * context.gpus_used_per_node
    needed = context.fit.host_memory_gib if context.fit is not None else 0.0
    return {"ram": ram, "total": total, "needed": needed} if ram <= total or ram < needed else None


def _low_utilization(context: Context, kinds: Kinds) -> Values | None:
    low, demand = context.evidence.cores_low, context.fit.cores_demand if context.fit is not None else 0.0
    cores = low * context.share if low is not None else None
    too_few = cores is not None and cores < demand
    return {"cores": cores, "demand": demand} if too_few or _fails(kinds, "cpu-class") else None


def _loss_halved(context: Context, kinds: Kinds) -> Values | None:
    applies = context.gpus_used_per_node >= MANY_GPUS and _fails(kinds, "cpu-cores", "pcie-lanes")
    return {"gpus": context.gpus_used_per_node} if applies else None


def _irreproducible(context: Context, kinds: Kinds) -> Values | None:
    return {} if kinds.get("ecc") in (VerdictKind.FAIL, VerdictKind.UNKNOWN) else None


def _part_of_its_worth(context: Context, kinds: Kinds) -> Values | None:
    failing = sorted(rule_id for rule_id in HOST_RULES if _fails(kinds, rule_id))
    return {"rules": ", ".join(failing), "count": len(failing)} if len(failing) > 1 else None


def _throttling(context: Context, kinds: Kinds) -> Values | None:
    watts, gpus = context.gpu.tdp_watts, context.gpus
    hot = watts is not None and watts >= HOT_CARD_WATTS and gpus >= MANY_GPUS
    applies = hot or kinds.get("power-cooling") in (VerdictKind.FAIL, VerdictKind.UNKNOWN)
    kw = watts * gpus / 1_000 if watts is not None else None
    return {"gpus": gpus, "watts": watts, "kw": kw} if applies else None


def _bandwidth_binds(context: Context, kinds: Kinds) -> Values | None:
    binds = context.fit is not None and context.fit.binds == "memory_bandwidth"
    return {"gpu": context.gpu.model, "rate": context.gpu.memory_bandwidth_gbyte_per_s} if binds else None


def _checkpointing_quoted(context: Context, kinds: Kinds) -> Values | None:
    if context.size_class != "13B" or context.fit is None or context.fit.layout is None:
        return None
    applies = context.fit.layout.checkpointing != "none" and context.gpus < 4
    return {"gpus": context.gpus} if applies else None


EXPLANATIONS: tuple[Explanation, ...] = (
    Explanation(
        "gpu-oom-big-card",
        (Source("D0", "为什么我买了高显存GPU，训练还是频繁OOM"),),
        Text(
            en="{total} of {usable} GiB are computed. Should the GPU run out of memory all the same, look for anomaly "
            "detection left on, missing gradient accumulation, or augmentation on the CPU that builds huge tensors; "
            "watch `nvidia-smi dmon -s puvm -c 10`.",
            zh="计算需要 {total}/{usable} GiB。若显存仍然 OOM，请查：调试模式（异常检测）未关、未设梯度累积、"
            "CPU 端数据增强生成超大张量；用 `nvidia-smi dmon -s puvm -c 10` 观察。",
        ),
        _gpu_oom,
    ),
    Explanation(
        "host-oom-loading",
        (Source("D4", "加载数据集直接内存 OOM 程序闪退"),),
        Text(
            en="Host memory ({ram} GiB) against {total} GB of GPU memory and {needed} GiB computed: a crash while "
            "loading is the host running out of memory, not the GPU.",
            zh="内存 {ram} GiB，显存 {total} GB，计算需要内存 {needed} GiB：加载时闪退是内存 OOM，不是显存 OOM。",
        ),
        _host_oom,
    ),
    Explanation(
        "low-utilization",
        (Source("D0", "GPU利用率常年卡在40%以下"),),
        Text(
            en="{cores} cores against {demand} that the data pipeline asks for: with a weak CPU GPU use stays below "
            "40 %.",
            zh="物理核 {cores}，数据流水线需要 {demand}：CPU 太弱，GPU 利用率会卡在 40% 以下。",
        ),
        _low_utilization,
    ),
    Explanation(
        "loss-at-half-rate",
        (Source("D4", "loss 下降速度却只有理论值一半"),),
        Text(
            en="On {gpus} GPUs training loss falls at half the expected rate where cores or PCIe lanes are short.",
            zh="{gpus} 卡时若 CPU 核心或 PCIe 通道不足，loss 下降只有应有速度的一半。",
        ),
        _loss_halved,
    ),
    Explanation(
        "not-reproducible",
        (Source("D4", "反复复现不出实验结果"),),
        Text(
            en="Without ECC memory results may drift and not reproduce; ask before a long run.",
            zh="没有 ECC 内存，精度可能漂移、结果无法复现；长训前请先确认。",
        ),
        _irreproducible,
    ),
    Explanation(
        "part-of-its-worth",
        (Source("D4", "发挥不出 30% 性能"),),
        Text(
            en="{count} rules of the host fail ({rules}): such machines give as little as 30 % of their worth.",
            zh="主机有 {count} 条规则不满足（{rules}）：这样的机器发挥不出 30% 的性能。",
        ),
        _part_of_its_worth,
    ),
    Explanation(
        "throttling",
        (Source("D1", "GPU频繁降频，甚至宕机"),),
        Text(
            en="{gpus} cards of {watts} W draw {kw} kW without their hosts: short power or cooling drops clocks and "
            "stops machines.",
            zh="{gpus} 张 {watts} W 的卡不计主机即 {kw} kW：电力或散热不足会降频甚至宕机。",
        ),
        _throttling,
    ),
    Explanation(
        "mem-bandwidth",
        (Source("D1", "显存带宽的差距会被无限放大"),),
        Text(
            en="Memory bandwidth binds on {gpu} ({rate} GB/s): a card of equal size and higher bandwidth is faster. "
            "D1 says that large batches magnify this; larger batches in fact become bound by compute.",
            zh="{gpu}（{rate} GB/s）受显存带宽限制：同显存、更高带宽的卡更快。"
            "D1 说大批次会放大差距；实际上批次越大越受算力限制。",
        ),
        _bandwidth_binds,
    ),
    Explanation(
        "faq-13b",
        (Source("D0", "推荐四卡起步并配NVMe缓存层"),),
        Text(
            en="D0 asks for four cards once gradient checkpointing is on; checkpointing saves memory, so {gpus} do.",
            zh="D0 说开启 gradient checkpointing 要四卡起步；它其实节省显存，故 {gpus} 张即可。",
        ),
        _checkpointing_quoted,
    ),
)

#: Said once, in the documentation: what the documents speak of and this product does not.
INFERENCE_SCOPE = Text(
    en="The documents also speak of inference; this product plans training only.",
    zh="文档也谈推理；本产品只规划训练。",
)
