"""Why nothing fits: the part that breaks it, cheap enough for a whole catalog."""

from collections.abc import Sequence

import numpy as np

from optimizer.domain.fit import Fit, Hardware, Misfit
from optimizer.domain.model import Training
from optimizer.domain.text import Text
from optimizer.sizing.layouts import Columns
from optimizer.sizing.memory import Memory

PARTS = ("weights", "gradients", "optimizer", "activations", "logits", "temporary")
#: `Misfit.breaks` beside the parts of memory: no layout divides the GPUs; the card has no rate for the precision.
LAYOUT, PRECISION = "layout", "precision"
NO_LAYOUT = Text("another number of GPUs, or a layout left to us", "换一种 GPU 数量，或把并行方式交给本工具选择")
NEEDS = Text(
    "cards with at least {needed:.1f} GiB usable, or more GPUs", "每卡可用显存至少 {needed:.1f} GiB，或更多 GPU"
)
NO_RATE = Text(
    "another precision: no {precision} rate of {gpu} is on record", "换一种精度：{gpu} 没有 {precision} 算力记录"
)


def misfits_of(
    training: Training, machines: Sequence[Hardware], nodes: int, columns: Columns, memory: Memory
) -> list[Fit | Misfit]:
    """Why nothing fits on machines alike: the part that breaks the smallest of the layouts on so many nodes."""
    places = np.flatnonzero(columns.nodes == nodes)
    if len(places) == 0:
        return [_misfit(hardware, nodes, LAYOUT, None, NO_LAYOUT.en, NO_LAYOUT.zh) for hardware in machines]
    least = int(places[np.argmin(memory.total[places])])
    needed = float(memory.total[least])
    breaks = max(PARTS, key=lambda part: float(getattr(memory, part)[least]))
    texts = [NEEDS.say("en", needed=needed), NEEDS.say("zh", needed=needed)]
    made: dict[str, Misfit] = {}
    for hardware in machines:
        if hardware.gpu_model not in made:
            made[hardware.gpu_model] = _misfit(hardware, nodes, breaks, needed, *texts)
    return [made[hardware.gpu_model] for hardware in machines]


def no_rate(training: Training, hardware: Hardware, nodes: int) -> Misfit:
    """The card has no rate on record for the run's precision, so no speed can be stated."""
    values = {"precision": training.precision, "gpu": hardware.gpu_model}
    return _misfit(hardware, nodes, PRECISION, None, NO_RATE.say("en", **values), NO_RATE.say("zh", **values))


def _misfit(hardware: Hardware, nodes: int, breaks: str, needed: float | None, en: str, zh: str) -> Misfit:
    return Misfit(hardware.gpu_model, hardware.gpus, nodes, breaks, needed, hardware.memory_usable_gib, en, zh)
