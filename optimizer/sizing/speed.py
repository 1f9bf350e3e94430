"""Time of one optimizer step, for all layouts on all machines at once: machines are rows, layouts are columns.

Only sums, products, quotients and comparisons are used, so a layout judged alone gives the same bits as in a crowd.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from optimizer.domain.fit import Hardware
from optimizer.domain.model import Training
from optimizer.sizing.constants import Constants, constants
from optimizer.sizing.costs import Costs
from optimizer.sizing.hardware import links_of
from optimizer.sizing.layouts import Columns
from optimizer.sizing.memory import Shards, shards_of
from optimizer.sizing.software import Software, assumed_software

Grid = NDArray[np.float64]
#: Host memory of a two-socket server with eight DDR4-3200 channels a socket, GB/s, where the rate is not stated.
HOST_RAM_GBYTE_PER_S = 300.0
#: Share of the memory bandwidth that streaming kernels reach (BabelStream on A100 and H100: 0.87 to 0.92).
STREAMING_SHARE = 0.9
#: Tensor TFLOPS for each watt of the board where its power is not stated (H100: 989 / 700).
USUAL_TFLOPS_PER_WATT = 1.4
#: Bytes that a 16-bit AdamW step reads and writes for each parameter: gradient, weight, master, two moments.
OPTIMIZER_TRAFFIC_FACTOR = 2.0
#: Tensor core generations that behave alike; every other maker's is "other".
GENERATION = {
    "Pascal": "volta", "Volta": "volta", "Turing": "volta", "Ampere": "ampere", "Ada Lovelace": "ampere",
    "Hopper": "hopper", "Blackwell": "hopper", "Blackwell Ultra": "hopper",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Machines:
    """Speed figures of machines, each a column of shape (machines, 1); rates in FLOP/s and byte/s."""

    gpus: Grid
    matrix: Grid
    scores: Grid
    memory: Grid
    pair: Grid
    node: Grid
    network: Grid
    pcie: Grid
    host_ram: Grid


@dataclass(frozen=True, slots=True)
class Step:
    """Seconds of one optimizer step by what they are spent on, shape (machines, layouts), and its total."""

    matrix: Grid
    scores: Grid
    memory: Grid
    intra_node: Grid
    inter_node: Grid
    bubble: Grid
    fixed: Grid
    total: Grid

    def parts(self) -> dict[str, Grid]:
        """The parts by name, without the total."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "total"}


def peak_tflops(hardware: Hardware, precision: str) -> float | None:
    """The data sheet's rate for a precision; fp32 is the plain rate (frameworks leave TF32 off); unknown is None."""
    rates = {
        "fp32": hardware.fp32_tflops,
        "fp16": hardware.fp16_tflops,
        "bf16": hardware.bf16_tflops,
        "fp8": hardware.fp8_tflops,
    }
    return rates[precision]


def machines_of(
    training: Training,
    hardwares: Sequence[Hardware],
    fitted: Constants | None = None,
    software: Software | None = None,
) -> Machines:
    """Speed figures of machines for one run; every machine must have a rate for the run's precision."""
    fitted = fitted or constants()
    software = software or assumed_software(training)
    links = [links_of(hardware, fitted) for hardware in hardwares]
    matrix = [_matrix_rate(training, hardware, software, fitted) for hardware in hardwares]
    scores = [_score_rate(training, hardware, software, fitted) for hardware in hardwares]
    memory = [(hardware.memory_bandwidth_gbyte_per_s or 0.0) * STREAMING_SHARE for hardware in hardwares]
    ram = [hardware.ram_gbyte_per_s or HOST_RAM_GBYTE_PER_S for hardware in hardwares]
    return Machines(
        gpus=_column([hardware.gpus for hardware in hardwares]),
        matrix=_column(matrix) * 1e12,
        scores=_column(scores) * 1e12,
        memory=_column(memory) * 1e9,
        pair=_column([link.pair_gbyte_per_s for link in links]) * 1e9,
        node=_column([link.node_gbyte_per_s for link in links]) * 1e9,
        network=_column([link.network_gbyte_per_s for link in links]) * 1e9,
        pcie=_column([link.pcie_gbyte_per_s for link in links]) * 1e9,
        host_ram=_column(ram) * 1e9 * fitted.offload_share,
    )


def step_of(costs: Costs, layouts: Columns, machines: Machines, fitted: Constants | None = None) -> Step:
    """Seconds of one step: (micro-batches + stages - 1) x the slowest stage, then what cannot hide behind it."""
    fitted = fitted or constants()
    rounds, shards = layouts.accumulation, shards_of(costs, layouts)
    matrix, scores, memory, launch = _micro_batch(costs, layouts, shards, machines, fitted)
    intra, inter = _inside(costs, layouts, machines)
    busy = matrix + scores + memory
    waiting = np.sqrt(busy * busy + launch * launch) - busy
    stage = busy + waiting + intra + inter
    exposed_intra, exposed_inter = _data_parallel(costs, layouts, shards, machines, busy * rounds, fitted)
    parts = (
        matrix * rounds,
        scores * rounds,
        memory * rounds + _update_seconds(costs, layouts, shards, machines),
        intra * rounds + exposed_intra,
        inter * rounds + exposed_inter,
        stage * (layouts.pp - 1.0) / layouts.interleave,
        waiting * rounds + fitted.step_fixed_seconds,
    )
    total = parts[0] + parts[1] + parts[2] + parts[3] + parts[4] + parts[5] + parts[6]
    return Step(*parts, total=total)


def _micro_batch(
    costs: Costs, layouts: Columns, shards: Shards, machines: Machines, fitted: Constants
) -> tuple[Grid, Grid, Grid, Grid]:
    """Seconds of one micro-batch through one stage: matrix products, attention scores, memory traffic, launches.

    Stages hold whole layers; the output layer is spread over them (frameworks give its stage fewer layers).
    """
    tokens = layouts.micro_batch * costs.sequence / layouts.context
    layers = np.ceil(costs.layers / layouts.pp)
    again = np.where(layouts.recompute == 2, 1.0, 0.0)
    linear = layers * costs.layer_linear_flops * (costs.linear_passes + again)
    dense = linear + costs.head_flops * costs.head_passes / layouts.pp
    matrix = _products(dense * tokens / layouts.tp, tokens, costs.hidden / layouts.tp, machines, fitted)
    routed = layers * costs.expert_flops * (costs.linear_passes + again) * tokens / layouts.tp
    expert_tp = np.where(layouts.ep > 1, 1.0, layouts.tp)
    for_each = tokens * layouts.ep * expert_tp / layouts.tp * costs.expert_share
    matrix = matrix + _products(routed, for_each, costs.expert_width / expert_tp, machines, fitted)
    score_passes = costs.score_passes + np.where(layouts.recompute > 0, 1.0, 0.0)
    scores = layers * costs.layer_score_flops * score_passes * tokens / layouts.tp / machines.scores
    traffic = _traffic(costs, layouts, shards, fitted)
    launch = layers * costs.launch_seconds * (3.0 + again) / 3.0 + np.zeros_like(machines.matrix)
    return matrix, scores, traffic / machines.memory, launch


def _products(flops: Grid, tokens: Grid, width: Grid, machines: Machines, fitted: Constants) -> Grid:
    """Seconds of matrix products: at the reachable share of the peak, plus operand traffic that does not hide.

    A product of (tokens x k) by (k x width) moves 1/tokens + 1/width + 1/k bytes for each FLOP in 16 bit, when every
    operand passes memory once; narrow matrices pass it more often.
    """
    bytes_per_flop = 1.0 / tokens + fitted.width_bytes / width
    return flops / machines.matrix + flops * bytes_per_flop / machines.memory


def _traffic(costs: Costs, layouts: Columns, shards: Shards, fitted: Constants) -> Grid:
    """Bytes of one micro-batch that only pass through memory: elementwise kernels, plain scores, logits, gradients, and
    quantized weights. Gradients are written, or read, added and written when batches accumulate.
    """
    tokens = layouts.micro_batch * costs.sequence / layouts.context
    layers = np.ceil(costs.layers / layouts.pp)
    again = np.where(layouts.recompute == 2, 1.0, 0.0)
    once_more = 1.0 + np.where(layouts.recompute > 0, 1.0 / 3.0, 0.0)
    split = np.where(layouts.sequence_parallel > 0, layouts.tp, 1.0 + 0.5 * (layouts.tp - 1.0))
    elementwise = layers * tokens * once_more * (costs.elementwise_bytes / split + costs.score_bytes / layouts.tp)
    logits = tokens * costs.logit_traffic_bytes / (layouts.tp * layouts.pp)
    weights = layers * shards.one_layer
    accumulated = np.where(layouts.accumulation > 1, 3.0, 1.0) * shards.trained * costs.gradient_bytes
    return elementwise + logits + accumulated + costs.quantized * weights * fitted.dequantize_bytes * (2.0 + again)


def _inside(costs: Costs, layouts: Columns, machines: Machines) -> tuple[Grid, Grid]:
    """Seconds of communication inside one micro-batch: tensor, context and expert parallel, pipeline sends.

    Tensor parallelism does two all-reduces a layer forward and two backward (arXiv 1909.08053, section 3); an
    all-reduce moves 2 (n - 1) / n of its bytes. Experts move each token out and back (arXiv 2101.03961, section 2.2).
    """
    tokens = layouts.micro_batch * costs.sequence / layouts.context
    layers = np.ceil(costs.layers / layouts.pp)
    again = np.where(layouts.recompute == 2, 1.0, 0.0)
    message = tokens * costs.boundary_bytes
    tp_rate = np.where(layouts.tp <= 2, machines.pair, machines.node)
    tensor = layers * (4.0 + 2.0 * again) * 2.0 * (layouts.tp - 1.0) / layouts.tp * message / tp_rate
    context = layers * (8.0 + 4.0 * again) * message * (layouts.context - 1.0) / layouts.context / machines.node
    experts = layers * tokens * costs.expert_traffic_bytes * (2.0 + again) * (layouts.ep - 1.0) / layouts.ep
    experts = experts / layouts.tp
    crossing = np.maximum(1.0 - machines.gpus / layouts.ep, 0.0)
    per_gpu_network = machines.network / machines.gpus
    sends = np.where(layouts.pp > 1, 2.0 * message / layouts.tp, 0.0)
    sends_cross = np.where(layouts.tp * layouts.dp >= machines.gpus, 1.0, 0.0)
    intra = tensor + context + experts * (1.0 - crossing) / machines.node + sends * (1.0 - sends_cross) / machines.node
    return intra, (experts * crossing + sends * sends_cross) / per_gpu_network


def _data_parallel(
    costs: Costs, layouts: Columns, shards: Shards, machines: Machines, compute: Grid, fitted: Constants
) -> tuple[Grid, Grid]:
    """Seconds of gradient and weight exchange that the computation does not hide, inside and between nodes.

    ZeRO 0 and 1 move the gradients twice a step, ZeRO 2 reduces them every micro-batch and gathers once, ZeRO 3
    gathers the weights twice and reduces once every micro-batch (arXiv 1910.02054, section 7). Each of the
    collectives of a layer passes every node once.
    """
    ranks, rounds = layouts.dp * layouts.context, layouts.accumulation
    gradient = shards.trained * costs.value_bytes
    weights = (shards.dense_layers + shards.expert_layers) * costs.weight_bytes + shards.ends * costs.end_weight_bytes
    sharded = (2.0 * weights + shards.trained * costs.reduce_bytes) * rounds
    moved = np.where(layouts.zero >= 3, sharded, np.where(layouts.zero == 2, gradient * (1.0 + rounds), 2.0 * gradient))
    spanned = np.minimum(layouts.nodes, np.ceil(ranks * layouts.tp / machines.gpus))
    inside = np.minimum(ranks, np.maximum(machines.gpus / layouts.tp, 1.0))
    node_rate = np.where(machines.gpus <= 2, machines.pair, machines.node)
    intra = moved * (inside - 1.0) / inside / node_rate
    network = machines.network * np.where(layouts.zero >= 3, costs.gather_share, 1.0)
    inter = moved * layouts.tp * (spanned - 1.0) / spanned / network
    slower = np.maximum(intra, inter)
    exposed = np.maximum(slower - fitted.overlap_share * compute, (1.0 - fitted.overlap_share) * slower)
    collectives = np.where(layouts.zero >= 3, 3.0 * rounds, 2.0) * np.ceil(costs.layers / layouts.pp)
    hops = collectives * (spanned - 1.0) * fitted.hop_seconds
    between = np.where(inter > intra, 1.0, 0.0)
    return exposed * (1.0 - between), exposed * between + hops


def _update_seconds(costs: Costs, layouts: Columns, shards: Shards, machines: Machines) -> Grid:
    """The update: states stream through GPU memory, or over PCIe and through host memory when off-loaded."""
    trained = shards.spread(shards.trained_dense, shards.trained_experts, layouts.zero >= 1)
    touched = costs.optimizer_bytes + costs.gradient_bytes
    on_gpu = trained * touched * OPTIMIZER_TRAFFIC_FACTOR / machines.memory
    over_link = trained * (costs.gradient_bytes + costs.value_bytes) / machines.pcie
    in_host = trained * touched * OPTIMIZER_TRAFFIC_FACTOR * machines.gpus / machines.host_ram
    layers = shards.spread(shards.dense_layers, shards.expert_layers, layouts.zero >= 3)
    streamed = np.where(
        layouts.offload == 2, 2.0 * layouts.accumulation * layers * costs.weight_bytes / machines.pcie, 0.0
    )
    return np.where(layouts.offload > 0, over_link + in_host, on_gpu) + streamed


def _matrix_rate(training: Training, hardware: Hardware, software: Software, fitted: Constants) -> float:
    """TFLOPS of large matrix products: limited by the tensor cores, and by what the board's power feeds."""
    peak = peak_tflops(hardware, training.precision) or 0.0
    watts = hardware.tdp_watts or peak / USUAL_TFLOPS_PER_WATT
    rate = 1.0 / (1.0 / (peak * gemm_share(hardware, fitted)) + power_of(training.precision, fitted) / watts)
    return rate * (fitted.older_libraries if software.libraries == "before_2023" else 1.0)


def power_of(precision: str, fitted: Constants) -> float:
    """Watts for each TFLOPS; an 8-bit product costs half of a 16-bit one, a 32-bit one twice."""
    return fitted.watts_per_tflops * {"fp8": 0.5, "fp32": 2.0}.get(precision, 1.0)


def _score_rate(training: Training, hardware: Hardware, software: Software, fitted: Constants) -> float:
    """Fused attention runs in 16 bit also under fp8; without it scores are ordinary matrix products."""
    precision = "bf16" if training.precision == "fp8" else training.precision
    peak = peak_tflops(hardware, precision) or 0.0
    if not training.flash_attention or training.precision == "fp32":
        return peak * gemm_share(hardware, fitted)
    is_recent = GENERATION.get(hardware.architecture) == "hopper"
    if software.attention == "flash1":
        return peak * (fitted.flash1_share_hopper if is_recent else fitted.flash1_share)
    if software.attention == "flash3" and is_recent:
        return peak * fitted.flash3_share_hopper
    return peak * (fitted.flash2_share_hopper if is_recent else fitted.flash2_share)


def gemm_share(hardware: Hardware, fitted: Constants) -> float:
    """Share of the peak that large matrix products reach where power allows, by tensor core generation."""
    shares = {"volta": fitted.gemm_share_volta, "other": fitted.gemm_share_other}
    return shares.get(GENERATION.get(hardware.architecture, "other"), 1.0)


def _column(values: Sequence[float]) -> Grid:
    return np.array(values, dtype=np.float64).reshape(-1, 1)
