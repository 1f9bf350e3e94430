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
#: Of a layer's 34 s b h bytes, 10 are not divided by tensor parallelism alone (arXiv 2205.05198, section 4.2.1).
UNDIVIDED_SHARE = 10.0 / 34.0


MAIN_PARTS = ("weights", "gradients", "optimizer", "activations", "logits")
OTHER_PARTS = ("temporary", "buffers", "fragmentation")


@dataclass(frozen=True, slots=True)
class Memory:
    """GiB for each GPU of the fullest pipeline stage, one entry a layout.

    `temporary` are gathered weights and the update's copies; `buffers` the device context and collective buffers;
    `reserved` all that passes the allocator; `host` is GiB of host memory for each GPU.
    """

    weights: Column
    gradients: Column
    optimizer: Column
    activations: Column
    logits: Column
    temporary: Column
    buffers: Column
    fragmentation: Column
    reserved: Column
    total: Column
    host: Column

    def entries(self, indices: Sequence[int] | NDArray[np.intp]) -> list["Entry"]:
        """The entries at these places as plain figures; `other` is temporaries, buffers and fragmentation."""
        chosen = {field.name: getattr(self, field.name)[indices] for field in fields(self)}
        chosen["other"] = chosen["temporary"] + chosen["buffers"] + chosen["fragmentation"]
        names = (*MAIN_PARTS, "other", "total")
        parts = zip(*(chosen[name].tolist() for name in names), strict=True)
        details = zip(*(chosen[name].tolist() for name in OTHER_PARTS), strict=True)
        return [
            Entry(dict(zip(names, part, strict=True)), dict(zip(OTHER_PARTS, detail, strict=True)), host)
            for part, detail, host in zip(parts, details, chosen["host"].tolist(), strict=True)
        ]


@dataclass(frozen=True, slots=True)
class Entry:
    """Memory of one layout: the machine-readable parts with their total, the finer parts of `other`, GiB of host."""

    parts: dict[str, float]
    detail: dict[str, float]
    host_gib: float


@dataclass(frozen=True, slots=True)
class Shards:
    """Parameters that one GPU of the fullest stage holds or trains, one entry a layout.

    `dense` counts both ends and all that is not a routed expert; the ranks are those that hold copies of either kind.
    """

    dense_layers: Column
    expert_layers: Column
    ends: Column
    one_layer: Column
    trained_dense: Column
    trained_experts: Column
    dense_ranks: Column
    expert_ranks: Column

    @property
    def trained(self) -> Column:
        """Trained parameters before ZeRO."""
        return self.trained_dense + self.trained_experts

    def spread(self, dense: Column, experts: Column, sharded: NDArray[np.bool_]) -> Column:
        """Amounts of the dense and the expert part, each divided by its copies where ZeRO shards it."""
        return dense / np.where(sharded, self.dense_ranks, 1.0) + experts / np.where(sharded, self.expert_ranks, 1.0)


def shards_of(costs: Costs, layouts: Columns) -> Shards:
    """How many parameters fall on one GPU before ZeRO: tensor, expert and pipeline splits; uneven stages round up.

    Expert parallelism spreads whole experts over the GPUs of a stage, tensor-parallel ones included.
    """
    stage_layers = np.ceil(costs.layers / layouts.pp)
    has_groups = layouts.ep > 1
    one_expert_layer = costs.expert_parameters / np.where(has_groups, layouts.ep, layouts.tp)
    ends = costs.end_parameters / layouts.tp * np.where(layouts.pp > 1, 0.5, 1.0)
    dense = stage_layers * costs.dense_parameters / layouts.tp
    experts = stage_layers * one_expert_layer
    ranks = layouts.dp * layouts.context
    return Shards(
        dense_layers=dense,
        expert_layers=experts,
        ends=ends,
        one_layer=costs.dense_parameters / layouts.tp + one_expert_layer,
        trained_dense=(dense + ends) * costs.trained_share,
        trained_experts=experts * costs.trained_share,
        dense_ranks=ranks,
        expert_ranks=np.where(has_groups, np.maximum(ranks * layouts.tp / layouts.ep, 1.0), ranks),
    )


def memory_of(costs: Costs, layouts: Columns, fitted: Constants | None = None) -> Memory:
    """Memory by part.

    ZeRO shards optimizer states from stage 1, gradients from 2, weights from 3 (arXiv 1910.02054, section 5). A 1F1B
    pipeline keeps as many micro-batches in flight on its first stage as it has stages (arXiv 2104.04473, section 2.2).
    The update copies gradients to fp32 when activations are gone: the larger of the two counts. Fully sharded runs
    update in pieces.
    """
    fitted = fitted or constants()
    shards = shards_of(costs, layouts)
    held = np.where(layouts.offload == 2, 0.0, 1.0)
    weights = _weights(costs, layouts, shards)
    trained = (shards.trained_dense, shards.trained_experts)
    gradients = shards.spread(*trained, layouts.zero >= 2) * costs.gradient_bytes
    states = shards.spread(*trained, layouts.zero >= 1)
    on_gpu = np.where(layouts.offload == 0, states * costs.optimizer_bytes, 0.0)
    activations, logits = _activations(costs, layouts)
    update = np.where((layouts.offload == 0) & (layouts.zero < 3), states * costs.update_bytes, 0.0)
    temporary = _gathered(costs, layouts, shards) + np.maximum(update - activations - logits, 0.0)
    allocated = (weights + gradients) * held + on_gpu + activations + logits + temporary
    fragmentation = allocated * fitted.fragmentation
    several = np.where(layouts.dp * layouts.tp * layouts.pp * layouts.context > 1, 1.0, 0.0)
    buffers = (fitted.context_gib + fitted.collective_buffer_gib * several) * BYTES_PER_GIB
    host = np.where(layouts.offload > 0, states * costs.optimizer_bytes, 0.0) + (weights + gradients) * (1.0 - held)
    parts = (weights * held, gradients * held, on_gpu, activations, logits, temporary, buffers, fragmentation)
    sums = (allocated + fragmentation, allocated + fragmentation + buffers, host)
    return Memory(*(part / BYTES_PER_GIB for part in (*parts, *sums)))


def _weights(costs: Costs, layouts: Columns, shards: Shards) -> Column:
    dense = shards.dense_layers * costs.weight_bytes + shards.ends * costs.end_weight_bytes
    return shards.spread(dense, shards.expert_layers * costs.weight_bytes, layouts.zero >= 3)


def _gathered(costs: Costs, layouts: Columns, shards: Shards) -> Column:
    """Whole layers and both ends that a fully sharded run holds while it computes them."""
    whole = (GATHERED_LAYERS * shards.one_layer + shards.ends) * costs.value_bytes
    return np.where((layouts.zero >= 3) & (shards.dense_ranks > 1), whole, 0.0)


def _activations(costs: Costs, layouts: Columns) -> tuple[Column, Column]:
    """Stored activations and logits in bytes on the fullest stage.

    Logits live when the backward pass starts, one layer's working set after they are freed: only the larger counts.
    """
    tokens = layouts.micro_batch * costs.sequence / layouts.context
    has_sequence_split = layouts.sequence_parallel > 0
    divided = 1.0 / layouts.tp
    split = np.where(has_sequence_split, divided, UNDIVIDED_SHARE + (1.0 - UNDIVIDED_SHARE) * divided)
    kept = np.where(
        layouts.recompute == 2,
        costs.boundary_bytes * np.where(has_sequence_split, divided, 1.0),
        np.where(layouts.recompute == 1, costs.selective_bytes, costs.stored_bytes) * split,
    )
    one_batch = tokens * kept * np.ceil(costs.layers / layouts.pp)
    first = one_batch * np.minimum(layouts.pp, layouts.accumulation)
    logits = tokens * costs.logit_bytes * divided
    working = tokens * costs.working_bytes * split
    is_last = (one_batch + np.maximum(logits, working) >= first + working) | (layouts.pp == 1)
    kept_logits = np.where(is_last, logits, 0.0)
    stored = np.where(is_last, one_batch, first)
    return stored + np.maximum(working - kept_logits, 0.0), kept_logits
