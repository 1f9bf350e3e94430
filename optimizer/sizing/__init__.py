"""Does a training run fit, how fast is it, and how sure is that: memory and speed from a few fitted constants.

Everything here is pure: records in, records out; no catalog, no files but `constants.json`.
"""

from optimizer.sizing.calibration import Calibration, calibrate
from optimizer.sizing.hardware import hardware_of
from optimizer.sizing.relative import gpu_hours_speed
from optimizer.sizing.search import best_fit, explain_layout, fits_over
from optimizer.sizing.shape import shape_from_spec
from optimizer.sizing.training import training_of

__all__ = [
    "Calibration",
    "best_fit",
    "calibrate",
    "explain_layout",
    "fits_over",
    "gpu_hours_speed",
    "hardware_of",
    "shape_from_spec",
    "training_of",
]
