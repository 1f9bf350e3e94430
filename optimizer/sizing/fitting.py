"""Which layouts fit: the one test that the search, fixed layouts and the changes share."""

import numpy as np
from numpy.typing import NDArray

from optimizer.domain.fit import ROOMY_SHARE
from optimizer.sizing.layouts import Columns
from optimizer.sizing.memory import Memory

#: Share of the host's memory that off-loaded states may take (ours): the system and the loader need the rest.
HOST_SHARE = 0.9


def fitting(memory: Memory, usable_gib: float, ram_gib: float | None, gpus: int) -> NDArray[np.bool_]:
    """Layouts that fit the GPU and, when something is off-loaded, the node's memory (unknown: assumed to)."""
    on_gpu: NDArray[np.bool_] = memory.total <= usable_gib
    return on_gpu if ram_gib is None else on_gpu & (memory.host * gpus <= ram_gib * HOST_SHARE)


def roomy(columns: Columns, memory: Memory, usable_gib: float, fits: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Of the layouts that fit those with room to spare; on a number of nodes where there is none, the leanest."""
    nodes = columns.nodes.astype(int)
    least_gib = np.full(int(nodes.max(initial=0)) + 1, np.inf)
    np.minimum.at(least_gib, nodes[fits], memory.total[fits])
    spared: NDArray[np.bool_] = fits & (memory.total <= np.maximum(usable_gib * ROOMY_SHARE, least_gib[nodes]))
    return spared
