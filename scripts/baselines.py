"""What others predict for the same runs: their published formulas, written anew, nothing fitted.

llm-analysis (cli99/llm-analysis, README and paper arXiv 2205.05198 for its activation formula), DeepSpeed's memory
estimators (deepspeed.readthedocs.io, memory), and two rules of thumb.
"""

from collections.abc import Callable

from predict_runs import Case

from optimizer.domain.units import BYTES_PER_GIB
from optimizer.sizing.costs import adapter_parameters
from optimizer.sizing.speed import peak_tflops

#: The efficiency that its examples pass; the default of 1 means the data sheet's peak.
LLM_ANALYSIS_EFFICIENCY = 0.5
RULE_OF_THUMB_MFU = 0.4
TERA = 1e12
Baseline = Callable[[Case], float | None]


def _shape_counts(case: Case) -> tuple[float, float, int, int, int, int]:
    shape = case.training.shape
    return (
        shape.params_total,
        shape.params_active,
        shape.layers,
        shape.hidden_size,
        shape.vocab_size,
        case.training.sequence_length,
    )


def _peak(case: Case) -> float:
    return (peak_tflops(case.hardware, case.training.precision) or 0.0) * TERA


def _split(case: Case) -> tuple[float, float, float, float]:
    """(ZeRO stage, tensor, pipeline, data-parallel ranks) of the run."""
    zero, tp, pp, dp = case.layout[:4]
    return zero, tp, pp, dp


def llm_analysis_speed(case: Case) -> float | None:
    """Forward and backward FLOPs over the peak at efficiency 0.5: 2 N + 4 L h s a token forward, twice that backward.

    Full recomputation runs the forward pass again, selective the attention part.
    """
    _, active, layers, hidden, _, sequence = _shape_counts(case)
    attention = 4.0 * layers * hidden * sequence
    forward = 2 * active + attention
    again = {"none": 0.0, "half": forward / 2, "selective": attention, "full": forward}[case.run.checkpointing]
    return _peak(case) * LLM_ANALYSIS_EFFICIENCY / (3 * forward + again)


def six_n_speed(case: Case) -> float | None:
    """6 N FLOPs a token at 40 % of the peak."""
    return _peak(case) * RULE_OF_THUMB_MFU / (6 * case.training.shape.params_active)


def llm_analysis_memory(case: Case) -> float | None:
    """Weights, gradients and AdamW states by ZeRO stage (2 + 2 + 12 bytes), activations of s b h (34 + 5 a s / h).

    Flash attention takes the quadratic term away; full recomputation keeps 2 s b h a layer. No logits.
    """
    total, _, layers, hidden, _, sequence = _shape_counts(case)
    zero, tp, pp, dp = _split(case)
    share = total / (tp * pp)
    is_adapter = case.training.method in ("lora", "qlora")
    trained = adapter_parameters(case.training) / (tp * pp) if is_adapter else share
    width = (case.training.quant_bits or 16) / 8
    states = share * width / (dp if zero >= 3 else 1)
    states += trained * 2 / (dp if zero >= 2 else 1) + trained * 12 / (dp if zero >= 1 else 1)
    per_layer = {"none": 34.0, "half": 34.0, "selective": 34.0, "full": 2.0}[case.run.checkpointing]
    micro = case.layout[6]
    activations = per_layer * sequence * micro * hidden * layers / (tp * pp) * min(pp, case.layout[7])
    return (states + activations) / BYTES_PER_GIB


def deepspeed_memory(case: Case) -> float | None:
    """DeepSpeed's ZeRO estimators: states only, and the largest layer gathered at stage 3; full training alone."""
    if case.training.method in ("lora", "qlora"):
        return None
    total, _, _, hidden, vocabulary, _ = _shape_counts(case)
    zero, _, _, _ = _split(case)
    gpus = max(1, case.run.gpus)
    largest = max(vocabulary, 4 * hidden) * hidden
    if zero >= 3:
        return (18 * total / gpus + 4 * largest) / BYTES_PER_GIB
    return (4 * total + 16 * total / gpus if zero >= 1 else 18 * total) / BYTES_PER_GIB


def eighteen_bytes_memory(case: Case) -> float | None:
    """18 bytes for each trained parameter and 2 for each frozen one, spread over all GPUs."""
    total = case.training.shape.params_total
    if case.training.method in ("lora", "qlora"):
        frozen = total * (case.training.quant_bits or 16) / 8
        return (frozen + 18 * adapter_parameters(case.training)) / max(1, case.run.gpus) / BYTES_PER_GIB
    return 18 * total / max(1, case.run.gpus) / BYTES_PER_GIB


SPEED_BASELINES: dict[str, Baseline] = {
    "llm-analysis (efficiency 0.5)": llm_analysis_speed,
    "6 N at 40 % MFU": six_n_speed,
}
MEMORY_BASELINES: dict[str, Baseline] = {
    "llm-analysis": llm_analysis_memory,
    "DeepSpeed estimate": deepspeed_memory,
    "18 bytes a parameter": eighteen_bytes_memory,
}
