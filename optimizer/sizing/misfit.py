"""Why nothing fits: the part that breaks it, cheap enough for a whole catalog."""

from functools import cache

import numpy as np

from optimizer.domain.fit import Hardware, Misfit
from optimizer.domain.model import Training
from optimizer.domain.text import Text
from optimizer.sizing.layouts import Columns
from optimizer.sizing.memory import Memory

PARTS = ("weights", "gradients", "optimizer", "activations", "logits", "temporary")
#: `Misfit.breaks` beside the parts of memory: no layout divides the GPUs; the card has no rate for the precision.
LAYOUT, PRECISION = "layout", "precision"
NO_LAYOUT = Text("another number of GPUs, or a layout left to us", "换一种 GPU 数量，或把并行方式交给本工具选择")
NEEDS = Text(
    "cards with at least {needed:,.1f} GiB usable, or more GPUs", "每卡可用显存至少 {needed:,.1f} GiB，或更多 GPU"
)
NO_RATE = Text(
    "another precision: no {precision} rate of {gpu} is on record", "换一种精度：{gpu} 没有 {precision} 算力记录"
)


class Reasons:
    """Why nothing fits on machines with the same number of GPUs, whatever their memory; each node count once."""

    def __init__(self, columns: Columns, memory: Memory) -> None:
        self._columns, self._memory = columns, memory
        self._known: dict[int, tuple[str, float | None, str, str]] = {}

    def misfit(self, hardware: Hardware, nodes: int) -> Misfit:
        """The part that breaks the smallest of the layouts on so many nodes."""
        reason = self._known.get(nodes) or self._known.setdefault(nodes, self._reason(nodes))
        return _misfit(hardware, nodes, *reason)

    def _reason(self, nodes: int) -> tuple[str, float | None, str, str]:
        places = np.flatnonzero(self._columns.nodes == nodes)
        if len(places) == 0:
            return LAYOUT, None, NO_LAYOUT.en, NO_LAYOUT.zh
        least = int(places[np.argmin(self._memory.total[places])])
        needed = float(self._memory.total[least])
        breaks = max(PARTS, key=lambda part: float(getattr(self._memory, part)[least]))
        return breaks, needed, NEEDS.say("en", needed=needed), NEEDS.say("zh", needed=needed)


def no_rate(training: Training, hardware: Hardware, nodes: int) -> Misfit:
    """The card has no rate on record for the run's precision, so no speed can be stated."""
    return _misfit(hardware, nodes, PRECISION, None, *_no_rate(training.precision, hardware.gpu_model))


@cache
def _no_rate(precision: str, gpu: str) -> tuple[str, str]:
    values = {"precision": precision, "gpu": gpu}
    return NO_RATE.say("en", **values), NO_RATE.say("zh", **values)


def _misfit(hardware: Hardware, nodes: int, breaks: str, needed: float | None, en: str, zh: str) -> Misfit:
    return Misfit(hardware.gpu_model, hardware.gpus, nodes, breaks, needed, hardware.memory_usable_gib, en, zh)
