"""The smallest changes that would make a run fit: to the run itself, to the cards, to their number."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from optimizer.domain.fit import Hardware, Misfit
from optimizer.domain.model import Training
from optimizer.domain.text import Language, Text
from optimizer.domain.units import gib_to_gb
from optimizer.sizing.costs import costs_of
from optimizer.sizing.fitting import fitting
from optimizer.sizing.layouts import searched
from optimizer.sizing.memory import memory_of
from optimizer.sizing.misfit import LAYOUT, PRECISION

#: Memory sizes that cards are sold with, GiB.
CARD_SIZES_GIB = (24, 32, 40, 48, 64, 80, 96, 141, 180, 192, 256, 288)
#: A larger card is named when it needs at most this many times the cards.
MORE_CARDS = 1.5
MOST_GPUS = 512
#: How many changes to the run are named; shorter sequences than this are not proposed.
RUN_CHANGES, SHORTEST = 2, 512
RECOMPUTE = Text("full recomputation of activations", "激活全部重算")
MICRO_BATCH = Text("micro-batch 1", "微批次设为 1")
FUSED = Text("fused cross-entropy (the logits are never whole)", "融合交叉熵（logits 不整块存放）")
OFFLOAD = Text(
    "optimizer off-load to the host ({host:,.0f} GB of its memory)", "优化器卸载到主机内存（占 {host:,.0f} GB）"
)
EIGHT_BIT = Text("8-bit AdamW", "8 位 AdamW")
PURE = Text("pure bf16 with Adafactor or SGD (no fp32 copies)", "纯 bf16 配 Adafactor 或 SGD（不留 fp32 副本）")
QLORA = Text("4-bit QLoRA", "4 位 QLoRA")
LORA = Text("LoRA instead of full training", "改用 LoRA 而非全参数训练")
SEQUENCE = Text("sequence length {sequence}", "序列长度降到 {sequence}")
LARGER_ONE = Text("1 x {size} GB card", "1 张 {size} GB 显卡")
LARGER = Text("{count} x {size} GB cards", "{count} 张 {size} GB 显卡")
MORE = Text("{count} of this card", "同型号 {count} 张")
JOINED = Text("; or ", "；或")
NOTHING = Text("no change to the run or the cards that we know", "未找到可行的改法")


def with_changes(training: Training, hardware: Hardware, misfit: Misfit) -> Misfit:
    """The same misfit with the smallest changes that would mend it, each tried against the memory model."""
    if misfit.breaks in (LAYOUT, PRECISION):
        return misfit
    found = _changes(training, hardware, misfit.nodes)
    return replace(misfit, smallest_change_en=_joined(found, "en"), smallest_change_zh=_joined(found, "zh"))


def _joined(found: list[tuple[Text, dict[str, float]]], language: Language) -> str:
    said = [text.say(language, **values) for text, values in found]
    return JOINED.say(language).join(said) if said else NOTHING.say(language)


def _changes(training: Training, hardware: Hardware, nodes: int) -> list[tuple[Text, dict[str, float]]]:
    """Changes to the run from the least that is given up, then to the hardware."""
    found: list[tuple[Text, dict[str, float]]] = []
    for text, changed in _runs(training):
        host_gib = _host_gib(changed, hardware, nodes) if len(found) < RUN_CHANGES else None
        if host_gib is not None and all(text is not known for known, _ in found):
            found.append((text, {"host": gib_to_gb(host_gib), "sequence": changed.sequence_length}))
    larger = _larger_cards(training, hardware, nodes)
    if larger is not None:
        text = LARGER_ONE if larger[0] == 1 else LARGER
        found.append((text, {"count": larger[0], "size": larger[1]}))
    count = _cards_needed(training, hardware.memory_usable_gib, hardware.gpus * nodes)
    if count is not None:
        found.append((MORE, {"count": count}))
    return found


def _runs(training: Training) -> Iterator[tuple[Text, Training]]:
    is_full = training.method not in ("lora", "qlora")
    sequence = training.sequence_length // 2
    tried: tuple[tuple[bool, Text, dict[str, Any]], ...] = (
        (training.checkpointing not in (None, "full"), RECOMPUTE, {"checkpointing": "full"}),
        ((training.micro_batch or 1) > 1, MICRO_BATCH, {"micro_batch": 1}),
        (not training.fused_cross_entropy, FUSED, {"fused_cross_entropy": True}),
        (is_full and training.master_weights, PURE, {"optimizer": "adafactor", "master_weights": False}),
        (is_full and training.offload == "none", OFFLOAD, {"offload": "optimizer"}),
        (is_full and training.optimizer == "adamw", EIGHT_BIT, {"optimizer": "adamw-8bit"}),
        (sequence >= SHORTEST, SEQUENCE, {"sequence_length": sequence}),
        (sequence // 2 >= SHORTEST, SEQUENCE, {"sequence_length": sequence // 2}),
        (training.method == "full", LORA, {"method": "lora"}),
        (training.method != "qlora", QLORA, {"method": "qlora", "quant_bits": 4}),
    )
    for applies, text, fields in tried:
        if applies:
            yield text, replace(training, **fields)


def _host_gib(training: Training, hardware: Hardware, nodes: int) -> float | None:
    """Host memory that the first fitting layout takes on a node; `None` when none fits."""
    columns = searched(training, hardware.gpus, (nodes,))
    memory = memory_of(costs_of(training), columns)
    fits = fitting(memory, hardware.memory_usable_gib, hardware.ram_gib, hardware.gpus)
    return float(memory.host[fits].min()) * hardware.gpus if fits.any() else None


def _larger_cards(training: Training, hardware: Hardware, nodes: int) -> tuple[int, int] | None:
    """(cards, GB of each): the smallest size sold of which at most half as many again would do."""
    present = hardware.gpus * nodes
    for size in CARD_SIZES_GIB:
        if size > hardware.memory_usable_gib * 1.05:
            count = _cards_needed(training, float(size), present - 1, most=int(present * MORE_CARDS))
            if count is not None:
                return count, size
    return None


def _cards_needed(training: Training, usable_gib: float, above: int, most: int = MOST_GPUS) -> int | None:
    """The least number of cards above `above` that holds the run: one node up to eight, then nodes of eight."""
    counts = [*range(max(1, above + 1), 9), *range(8 * (max(above, 8) // 8 + 1), MOST_GPUS + 1, 8)]
    for count in counts:
        if count > most:
            return None
        columns = searched(training, min(count, 8), (max(1, count // 8),))
        needed = memory_of(costs_of(training), columns).total
        if bool(np.any(needed <= usable_gib)):
            return int(count)
    return None
