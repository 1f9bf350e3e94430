"""Why nothing fits, and the smallest change that would."""

from collections.abc import Sequence

import numpy as np

from optimizer.domain.fit import Fit, Hardware, Misfit
from optimizer.domain.model import Training
from optimizer.sizing.layouts import Columns
from optimizer.sizing.memory import Memory

PARTS = ("weights", "gradients", "optimizer", "activations", "logits", "temporary")


def misfits_of(
    training: Training, machines: Sequence[Hardware], nodes: int, columns: Columns, memory: Memory
) -> list[Fit | Misfit]:
    """Why nothing fits on machines alike: the part that breaks the smallest of the layouts on so many nodes."""
    places = np.flatnonzero(columns.nodes == nodes)
    if len(places) == 0:
        en, zh = "another number of GPUs", "换一种 GPU 数量"
        return [_misfit(hardware, nodes, "layout", None, en, zh) for hardware in machines]
    least = int(places[np.argmin(memory.total[places])])
    needed = float(memory.total[least])
    breaks = max(PARTS, key=lambda part: float(getattr(memory, part)[least]))
    en, zh = f"cards with at least {needed:.0f} GiB, or more GPUs", f"每卡至少 {needed:.0f} GiB 显存，或更多 GPU"
    made: dict[str, Misfit] = {}
    for hardware in machines:
        if hardware.gpu_model not in made:
            made[hardware.gpu_model] = _misfit(hardware, nodes, breaks, needed, en, zh)
    return [made[hardware.gpu_model] for hardware in machines]


def no_rate(training: Training, hardware: Hardware, nodes: int) -> Misfit:
    """The card has no rate on record for the run's precision, so no speed can be stated."""
    return _misfit(
        hardware, nodes, "precision", None,
        f"another precision: no {training.precision} rate of {hardware.gpu_model} is on record",
        f"换一种精度：{hardware.gpu_model} 没有 {training.precision} 算力记录",
    )  # fmt: skip


def _misfit(hardware: Hardware, nodes: int, breaks: str, needed: float | None, en: str, zh: str) -> Misfit:
    return Misfit(
        gpu_model=hardware.gpu_model,
        gpus_per_node=hardware.gpus,
        nodes=nodes,
        breaks=breaks,
        needed_gib=needed,
        usable_gib=hardware.memory_usable_gib,
        smallest_change_en=en,
        smallest_change_zh=zh,
    )
