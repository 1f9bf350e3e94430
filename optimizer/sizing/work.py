"""What one optimizer step of a layout has to do, before any speed: FLOPs, bytes and waits by what serves them."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from optimizer.sizing.constants import Constants, constants
from optimizer.sizing.costs import DISPATCH_PASSES, DISPATCH_PASSES_ALONE, Costs
from optimizer.sizing.layouts import Column, Columns
from optimizer.sizing.memory import Shards, shards_of

#: Bytes that a 16-bit AdamW step reads and writes for each parameter: gradient, weight, master, two moments.
OPTIMIZER_TRAFFIC_FACTOR = 2.0


@dataclass(frozen=True, slots=True)
class Work:
    """Amounts of one GPU, one entry a layout. Up to `network_bytes` they are those of one micro-batch in one stage.

    `pair`, `node` and `network` bytes pass the link of two GPUs, the links inside a node, and the GPU's share of the
    node's network; `exchange` bytes are data-parallel and pass the whole node's network, once a step; `update` bytes
    are the optimizer's, once a step.
    """

    matrix_flops: Column
    operand_bytes: Column
    score_flops: Column
    traffic_bytes: Column
    launch_seconds: Column
    pair_bytes: Column
    node_bytes: Column
    network_bytes: Column
    rounds: Column
    waiting_stages: Column
    exchange_pair_bytes: Column
    exchange_node_bytes: Column
    exchange_network_bytes: Column
    hop_seconds: Column
    update_memory_bytes: Column
    update_pcie_bytes: Column
    update_host_bytes: Column

    def take(self, indices: Sequence[int] | NDArray[np.intp]) -> "Work":
        """The entries at these places."""
        return Work(*(getattr(self, field.name)[indices] for field in fields(self)))


@dataclass(frozen=True, slots=True)
class _Stage:
    """What the parts below share: tokens of a micro-batch on one GPU, layers of a stage, forward passes run again."""

    tokens: Column
    layers: Column
    again: Column


def work_of(costs: Costs, layouts: Columns, gpus: float | Column, fitted: Constants | None = None) -> Work:
    """Amounts of all layouts on nodes of `gpus` GPUs.

    Stages hold whole layers; the output layer is spread over them (frameworks give its stage fewer layers).
    """
    fitted = fitted or constants()
    shards = shards_of(costs, layouts)
    stage = _Stage(
        tokens=layouts.micro_batch * costs.sequence / layouts.context,
        layers=np.ceil(costs.layers / layouts.pp),
        again=np.where(layouts.recompute == 2, 1.0, 0.0),
    )
    return Work(
        *_matrix(costs, layouts, stage, fitted),
        _scores(costs, layouts, stage),
        _traffic(costs, layouts, stage, shards, fitted),
        stage.layers * costs.launch_seconds * (3.0 + stage.again) / 3.0,
        *_inside(costs, layouts, stage, gpus),
        layouts.accumulation,
        (layouts.pp - 1.0) / layouts.interleave,
        *_exchange(costs, layouts, stage, shards, gpus, fitted),
        *_update(costs, layouts, shards, gpus),
    )


def _matrix(costs: Costs, layouts: Columns, stage: _Stage, fitted: Constants) -> tuple[Column, Column]:
    """FLOPs of matrix products, and bytes of their operands that do not hide.

    A product of (tokens x k) by (k x width) moves 1/tokens + 1/width + 1/k bytes for each FLOP in 16 bit, when every
    operand passes memory once; narrow matrices pass it more often.
    """
    passes = costs.linear_passes + stage.again
    head = costs.head_flops * costs.head_passes / layouts.pp
    dense = (stage.layers * costs.layer_linear_flops * passes + head) * stage.tokens / layouts.tp
    routed = stage.layers * costs.expert_flops * passes * stage.tokens / layouts.tp
    expert_tp = np.where(layouts.ep > 1, 1.0, layouts.tp)
    for_each = stage.tokens * layouts.ep * expert_tp / layouts.tp * costs.expert_share
    dense_bytes = dense * (1.0 / stage.tokens + fitted.width_bytes * layouts.tp / costs.hidden)
    routed_bytes = routed * (1.0 / for_each + fitted.width_bytes * expert_tp / costs.expert_width)
    return dense + routed, dense_bytes + routed_bytes


def _scores(costs: Costs, layouts: Columns, stage: _Stage) -> Column:
    """FLOPs of attention scores; both kinds of recomputation compute them again."""
    passes = costs.score_passes + np.where(layouts.recompute > 0, 1.0, 0.0)
    return stage.layers * costs.layer_score_flops * passes * stage.tokens / layouts.tp


def _traffic(costs: Costs, layouts: Columns, stage: _Stage, shards: Shards, fitted: Constants) -> Column:
    """Bytes that only pass through memory: elementwise kernels, plain scores, tokens sorted for their experts, logits,
    gradients, and quantized weights.

    Gradients are written, or read, added and written when batches accumulate.
    """
    once_more = 1.0 + np.where(layouts.recompute > 0, 1.0 / 3.0, 0.0)
    split = np.where(layouts.sequence_parallel > 0, layouts.tp, 1.0 + 0.5 * (layouts.tp - 1.0))
    dispatched = costs.dispatch_bytes * np.where(layouts.ep > 1, DISPATCH_PASSES, DISPATCH_PASSES_ALONE)
    layer_bytes = costs.elementwise_bytes / split + (costs.score_bytes + dispatched) / layouts.tp
    elementwise = stage.layers * stage.tokens * once_more * layer_bytes
    logits = stage.tokens * costs.logit_traffic_bytes / (layouts.tp * layouts.pp)
    accumulated = np.where(layouts.accumulation > 1, 3.0, 1.0) * shards.trained * costs.gradient_bytes
    expanded = costs.quantized * stage.layers * shards.one_layer * fitted.dequantize_bytes * (2.0 + stage.again)
    return elementwise + logits + accumulated + expanded


def _inside(costs: Costs, layouts: Columns, stage: _Stage, gpus: float | Column) -> tuple[Column, Column, Column]:
    """Bytes inside one micro-batch: tensor, context and expert parallel, pipeline sends.

    Tensor parallelism does two all-reduces a layer forward and two backward (arXiv 1909.08053, section 3); an
    all-reduce moves 2 (n - 1) / n of its bytes. Where the pieces of n GPUs travel in a ring beside the products, one
    of them waits: the last to leave (arXiv 2402.15627, section 3.2). Experts move each token out and back
    (arXiv 2101.03961, section 2.2).
    """
    message = stage.tokens * costs.boundary_bytes
    waiting = np.where(costs.overlaps_tensor > 0, 1.0 / layouts.tp, 1.0)
    tensor = stage.layers * (4.0 + 2.0 * stage.again) * 2.0 * (layouts.tp - 1.0) / layouts.tp * message * waiting
    context = stage.layers * (8.0 + 4.0 * stage.again) * message * (layouts.context - 1.0) / layouts.context
    expert_bytes = costs.expert_traffic_bytes * (2.0 + stage.again) * (layouts.ep - 1.0) / layouts.ep
    experts = stage.layers * stage.tokens * expert_bytes / layouts.tp
    crossing = np.maximum(1.0 - gpus / layouts.ep, 0.0)
    sends = np.where(layouts.pp > 1, 2.0 * message / layouts.tp, 0.0)
    sends_cross = np.where(layouts.tp * layouts.dp >= gpus, 1.0, 0.0)
    is_pair = np.where(layouts.tp <= 2, 1.0, 0.0)
    in_node = tensor * (1.0 - is_pair) + context + experts * (1.0 - crossing) + sends * (1.0 - sends_cross)
    return tensor * is_pair, in_node, experts * crossing + sends * sends_cross


def _exchange(
    costs: Costs, layouts: Columns, stage: _Stage, shards: Shards, gpus: float | Column, fitted: Constants
) -> tuple[Column, Column, Column, Column]:
    """Bytes of the gradient and weight exchange of a step over pair, node and network, and seconds of its hops.

    ZeRO 0 and 1 move the gradients twice a step, ZeRO 2 reduces them every micro-batch and gathers once, ZeRO 3
    gathers the weights twice and reduces once every micro-batch (arXiv 1910.02054, section 7). Each of the
    collectives of a layer passes every node once.
    """
    ranks, rounds, is_gathered = layouts.dp * layouts.context, layouts.accumulation, layouts.zero >= 3
    gradient = shards.trained * costs.value_bytes
    weights = (shards.dense_layers + shards.expert_layers) * costs.weight_bytes + shards.ends * costs.end_weight_bytes
    sharded = (2.0 * weights + shards.trained * costs.reduce_bytes) * rounds
    moved = np.where(is_gathered, sharded, np.where(layouts.zero == 2, gradient * (1.0 + rounds), 2.0 * gradient))
    spanned = np.minimum(layouts.nodes, np.ceil(ranks * layouts.tp / gpus))
    inside = np.minimum(ranks, np.maximum(gpus / layouts.tp, 1.0))
    in_node = moved * (inside - 1.0) / inside
    is_pair = np.where(np.asarray(gpus) <= 2, 1.0, 0.0)
    between = moved * layouts.tp * (spanned - 1.0) / spanned / np.where(is_gathered, costs.gather_share, 1.0)
    collectives = np.where(is_gathered, 3.0 * rounds, 2.0) * stage.layers
    return in_node * is_pair, in_node * (1.0 - is_pair), between, collectives * (spanned - 1.0) * fitted.hop_seconds


def _update(costs: Costs, layouts: Columns, shards: Shards, gpus: float | Column) -> tuple[Column, Column, Column]:
    """Bytes of the update in GPU memory, over PCIe and in host memory: states stream there when off-loaded."""
    trained = shards.spread(shards.trained_dense, shards.trained_experts, layouts.zero >= 1)
    touched = trained * (costs.optimizer_bytes + costs.gradient_bytes) * OPTIMIZER_TRAFFIC_FACTOR
    away = np.where(layouts.offload > 0, 1.0, 0.0)
    layers = shards.spread(shards.dense_layers, shards.expert_layers, layouts.zero >= 3)
    streamed = np.where(layouts.offload == 2, 2.0 * layouts.accumulation * layers * costs.weight_bytes, 0.0)
    over_link = trained * (costs.gradient_bytes + costs.value_bytes) * away + streamed
    return touched * (1.0 - away), over_link, touched * gpus * away
