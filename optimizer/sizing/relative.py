"""Relative speed of GPUs for work that is given in GPU hours."""

from optimizer.domain.fit import Hardware
from optimizer.sizing.constants import constants
from optimizer.sizing.speed import gemm_share, peak_tflops


def gpu_hours_speed(from_hardware: Hardware, to_hardware: Hardware, precision: str) -> float | None:
    """Work done in an hour of `to` over that of `from`; `None` when a rate is unknown.

    The smaller of the ratios of achievable compute and of memory bandwidth: which of the two binds is not known.
    """
    if from_hardware.gpu_model == to_hardware.gpu_model:
        return 1.0
    peaks = (peak_tflops(from_hardware, precision), peak_tflops(to_hardware, precision))
    bandwidths = (from_hardware.memory_bandwidth_gbyte_per_s, to_hardware.memory_bandwidth_gbyte_per_s)
    if not all(peaks) or not all(bandwidths):
        return None
    fitted = constants()
    compute = (
        (peaks[1] or 0.0) * gemm_share(to_hardware, fitted) / ((peaks[0] or 1.0) * gemm_share(from_hardware, fitted))
    )
    return min(compute, (bandwidths[1] or 0.0) / (bandwidths[0] or 1.0))
