"""Why nothing fits, and the smallest change that would."""

from optimizer.domain.fit import Hardware, Misfit
from optimizer.domain.model import Training
from optimizer.sizing.layouts import Columns
from optimizer.sizing.memory import Memory

PARTS = ("weights", "gradients", "optimizer", "activations", "logits", "temporary")


def misfit_of(
    training: Training, hardware: Hardware, nodes: int, columns: Columns | None, memory: Memory | None
) -> Misfit:
    """The part that breaks the smallest layout (`columns` and `memory` of length one; `None`: no layout exists)."""
    if columns is None or memory is None:
        return _misfit(hardware, nodes, "layout", None, "another number of GPUs", "换一种 GPU 数量")
    needed = float(memory.total[0])
    breaks = max(PARTS, key=lambda part: float(getattr(memory, part)[0]))
    return _misfit(
        hardware, nodes, breaks, needed,
        f"cards with at least {needed:.0f} GiB, or more GPUs", f"每卡至少 {needed:.0f} GiB 显存，或更多 GPU",
    )  # fmt: skip


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
