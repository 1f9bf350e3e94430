"""GPU memory of a run by part, for all layouts at once."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from optimizer.domain.units import BYTES_PER_GIB
from optimizer.sizing.constants import Constants, constants
from optimizer.sizing.costs import Costs
from optimizer.sizing.layouts import Column, Columns

#: Layers whose gathered weights a fully sharded run holds at once: the one that computes and the one fetched ahead.
GATHERED_LAYERS = 2.0


@dataclass(frozen=True, slots=True)
class Memory:
    """GiB for each GPU of the fullest pipeline stage, one entry a layout; `host` GiB on the node for each GPU."""

    weights: Column
    gradients: Column
    optimizer: Column
    activations: Column
    logits: Column
    gathered: Column
    buffers: Column
    fragmentation: Column
    allocated: Column
    total: Column
    host: Column

    def take(self, indices: Sequence[int] | NDArray[np.intp]) -> "Memory":
        """The entries at these places."""
        return Memory(*(getattr(self, field.name)[indices] for field in fields(self)))

    def parts(self, index: int) -> dict[str, float]:
        """The fixed keys of the machine-readable output; `other` is gathered weights, buffers and fragmentation."""
        named = {
            name: float(getattr(self, name)[index])
            for name in ("weights", "gradients", "optimizer", "activations", "logits")
        }
        other = float(self.gathered[index] + self.buffers[index] + self.fragmentation[index])
        return {**named, "other": other, "total": float(self.total[index])}

    def detail(self, index: int) -> dict[str, float]:
        """The finer parts of `other`."""
        return {name: float(getattr(self, name)[index]) for name in ("gathered", "buffers", "fragmentation")}


@dataclass(frozen=True, slots=True)
class Shards:
    """Parameters that one GPU of the fullest stage holds or trains, one entry a layout."""

    layer_parameters: Column
    end_parameters: Column
    trained: Column
    one_layer: Column


def shards_of(costs: Costs, layouts: Columns) -> Shards:
    """How many parameters fall on one GPU before ZeRO: tensor, expert and pipeline splits; uneven stages round up."""
    stage_layers = np.ceil(costs.layers / layouts.pp)
    one_layer = costs.dense_parameters / layouts.tp + costs.expert_parameters / (layouts.tp * layouts.ep)
    both_ends = np.where(layouts.pp > 1, 0.5, 1.0)
    ends = costs.end_parameters / layouts.tp * both_ends
    layer_parameters = stage_layers * one_layer
    return Shards(layer_parameters, ends, (layer_parameters + ends) * costs.trained_share, one_layer)


def memory_of(costs: Costs, layouts: Columns, fitted: Constants | None = None) -> Memory:
    """Memory by part.

    ZeRO shards optimizer states from stage 1, gradients from 2, weights from 3 (arXiv 1910.02054, section 5). A 1F1B
    pipeline keeps as many micro-batches in flight on its first stage as it has stages (arXiv 2104.04473, section 2.2).
    """
    fitted = fitted or constants()
    shards = shards_of(costs, layouts)
    ranks = layouts.dp * layouts.context
    weights = (
        shards.layer_parameters * costs.weight_bytes + shards.end_parameters * costs.end_weight_bytes
    ) / np.where(layouts.zero >= 3, ranks, 1.0)
    gradients = shards.trained * costs.gradient_bytes / np.where(layouts.zero >= 2, ranks, 1.0)
    states = shards.trained * costs.optimizer_bytes / np.where(layouts.zero >= 1, ranks, 1.0)
    activations, logits = _activations(costs, layouts)
    gathered = (
        np.where(layouts.zero >= 3, 1.0, 0.0)
        * np.where(ranks > 1, 1.0, 0.0)
        * (GATHERED_LAYERS * shards.one_layer * costs.value_bytes + shards.end_parameters * costs.value_bytes)
    )
    on_gpu = states * (1.0 - layouts.offload)
    allocated = weights + gradients + on_gpu + activations + logits + gathered
    fragmentation = allocated * fitted.fragmentation
    several = np.where(layouts.dp * layouts.tp * layouts.pp * layouts.context > 1, 1.0, 0.0)
    buffers = (fitted.context_gib + fitted.collective_buffer_gib * several) * BYTES_PER_GIB
    total = allocated + fragmentation + buffers
    host = states * layouts.offload
    parts = (weights, gradients, on_gpu, activations, logits, gathered, buffers, fragmentation, allocated, total, host)
    return Memory(*(part / BYTES_PER_GIB for part in parts))


def _activations(costs: Costs, layouts: Columns) -> tuple[Column, Column]:
    """Stored activations and logits in bytes on the fullest stage.

    Logits live when the backward pass starts, one layer's working set after they are freed: only the larger counts.
    """
    tokens = layouts.micro_batch * costs.sequence / layouts.context
    split = np.where(layouts.sequence_parallel > 0, layouts.tp, 1.0 + 0.5 * (layouts.tp - 1.0))
    kept = np.where(
        layouts.recompute == 2,
        costs.boundary_bytes / np.where(layouts.sequence_parallel > 0, layouts.tp, 1.0),
        np.where(layouts.recompute == 1, costs.selective_bytes, costs.stored_bytes) / split,
    )
    stage_layers = np.ceil(costs.layers / layouts.pp)
    one_batch = tokens * kept * stage_layers
    first = one_batch * np.minimum(layouts.pp, layouts.accumulation)
    logits = tokens * costs.logit_bytes / layouts.tp
    working = tokens * costs.working_bytes / split
    last_stage = one_batch + np.maximum(logits, working)
    is_last = (last_stage >= first + working) | (layouts.pp == 1)
    kept_logits = np.where(is_last, logits, 0.0)
    stored = np.where(is_last, one_batch, first)
    return stored + np.maximum(working - kept_logits, 0.0), kept_logits
