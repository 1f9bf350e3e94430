"""How far a prediction may be off, from the residuals of measured runs of its kind."""

from functools import cache

from optimizer.domain.model import Training
from optimizer.sizing.constants import document

DEFAULT_CONFIDENCE = 0.9


@cache
def _residuals() -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = document()["residuals"]
    return found


def kind_of_case(training: Training, gpus: int, nodes: int) -> str:
    """The kind whose residuals apply: one GPU, one node, several nodes."""
    if nodes > 1:
        return "cluster"
    return "node" if gpus > 1 else "single"


def range_of(training: Training, gpus: int, nodes: int, confidence: float | None = None) -> tuple[float, float]:
    """Factors on the prediction: a share `confidence` of measured runs reached the low end, the high end mirrors it."""
    ends = _residuals()[kind_of_case(training, gpus, nodes)]
    return float(ends["low"]), float(ends["high"])
