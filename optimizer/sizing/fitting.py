"""Which layouts fit: the one test that the search, fixed layouts and the changes share."""

import numpy as np
from numpy.typing import NDArray

from optimizer.sizing.memory import Memory

#: Share of the host's memory that off-loaded states may take (ours): the system and the loader need the rest.
HOST_SHARE = 0.9


def fitting(memory: Memory, usable_gib: float, ram_gib: float | None, gpus: int) -> NDArray[np.bool_]:
    """Layouts that fit the GPU and, when something is off-loaded, the node's memory (unknown: assumed to)."""
    on_gpu: NDArray[np.bool_] = memory.total <= usable_gib
    return on_gpu if ram_gib is None else on_gpu & (memory.host * gpus <= ram_gib * HOST_SHARE)
