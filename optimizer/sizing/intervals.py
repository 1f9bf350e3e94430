"""How far a prediction may be off, from the residuals of measured runs of its kind."""

from functools import cache

from optimizer.domain.model import Training
from optimizer.sizing.constants import document

DEFAULT_CONFIDENCE = 0.9


def kind_of_case(training: Training, gpus: int, nodes: int) -> str:
    """The kind whose residuals apply: adapters, one GPU, one node, several nodes."""
    if training.method in ("lora", "qlora"):
        return "adapters"
    if nodes > 1:
        return "cluster"
    return "node" if gpus > 1 else "single"


def range_of(training: Training, gpus: int, nodes: int, confidence: float | None = None) -> tuple[float, float]:
    """Factors on the prediction: a share `confidence` of measured runs reached the low end, and did not pass the high.

    Between the stored shares it is linear; beyond the last one the last holds.
    """
    return _range(kind_of_case(training, gpus, nodes), DEFAULT_CONFIDENCE if confidence is None else confidence)


@cache
def _range(kind: str, confidence: float) -> tuple[float, float]:
    table = document()["residuals"][kind]
    levels = [float(level) for level in table["confidence"]]
    wanted = min(max(confidence, levels[0]), levels[-1])
    place = next(index for index, level in enumerate(levels) if level >= wanted)
    if place == 0:
        return float(table["low"][0]), float(table["high"][0])
    share = (wanted - levels[place - 1]) / (levels[place] - levels[place - 1])
    low, high = (table[end][place - 1] + share * (table[end][place] - table[end][place - 1]) for end in ("low", "high"))
    return float(low), float(high)
