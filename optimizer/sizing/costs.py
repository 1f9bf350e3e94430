"""What one training run costs for each token and parameter, before any layout: FLOPs, bytes, counts."""

from dataclasses import dataclass
from functools import lru_cache

from optimizer.domain.model import ModelShape, Training
from optimizer.sizing.constants import Constants, constants
from optimizer.sizing.shape import parameters_of
from optimizer.sizing.software import Software, assumed_software

PRECISION_BYTES = {"fp32": 4.0, "fp16": 2.0, "bf16": 2.0, "fp8": 2.0}
#: QLoRA (arXiv 2305.14314, section 3): double quantization adds 0.127 bit a parameter to 4-bit NormalFloat.
QUANTIZATION_OVERHEAD_BITS = 0.127
#: Backward does the input's and the weight's gradient, each as much as the forward pass (Kaplan 2020, section 2.1).
BACKWARD_FULL = 2.0
#: With frozen weights only the input's gradient is left.
BACKWARD_FROZEN = 1.0
#: FlashAttention-2 (arXiv 2307.08691, section 3.1): the backward pass does five matrix products to the forward's two.
FLASH_BACKWARD = 2.5
#: Bytes an optimizer keeps for each trained parameter beside the fp32 master copy: (in fp32, in pure 16 bit).
OPTIMIZER_STATE_BYTES = {
    "adamw": (8.0, 4.0),
    "adamw-8bit": (2.06, 2.06),  # Dettmers 2021 (arXiv 2110.02861): two 8-bit states and one fp32 scale a block
    "adafactor": (0.02, 0.02),  # Shazeer 2018 (arXiv 1804.04235): one row and one column for each matrix
    "sgd": (0.0, 0.0),
    "lion": (4.0, 2.0),  # Chen 2023 (arXiv 2302.06675): one momentum
}
MASTER_BYTES = 4.0
#: Compiled or hand-fused elementwise kernels pass memory less often (torchtune's steps from eager to compiled).
FUSED_TRAFFIC = 0.6
#: ... and are a third as many.
FUSED_LAUNCHES = 0.33
#: FP8 training casts every input and gradient of a matrix product: read in 16 bit for its scale, read again, written as
#: it is and transposed (scaling by the current tensor, as torchao and Transformer Engine do).
FP8_CAST_BYTES = 6.0
#: ... while the output layer stays in 16 bit, at half the rate.
FP8_HEAD_SLOWER = 2.0
#: Plain attention keeps scores, their softmax and the dropout mask: 5 a s bytes in 16 bit (arXiv 2205.05198, eq. 2).
PLAIN_SCORE_VALUES = 2.5
#: A token's copy for an expert passes memory when it is written in the sender's order, when the receiver sorts it by
#: expert (read, written), when it returns to the order of arrival (read, written) and when the copies are summed; the
#: gradients go the same way (token dispatcher of Megatron-Core, arXiv 2504.14960).
DISPATCH_PASSES = 12.0
#: ... and without an exchange nobody has to sort twice: written and summed, forward and backward.
DISPATCH_PASSES_ALONE = 4.0
#: Adapters add a cast, a dropout, two narrow products and a sum beside each matrix product.
ADAPTER_KERNELS = 1.5


@dataclass(frozen=True, slots=True)
class Costs:
    """Per-token and per-parameter figures of one training run. Layer figures are means over the layers."""

    layers: int
    hidden: int
    sequence: float
    value_bytes: float
    layer_linear_flops: float
    layer_score_flops: float
    head_flops: float
    linear_passes: float
    score_passes: float
    head_passes: float
    elementwise_bytes: float
    launch_seconds: float
    expert_flops: float
    expert_share: float
    expert_width: float
    score_bytes: float
    dense_parameters: float
    expert_parameters: float
    end_parameters: float
    trained_share: float
    trained_parameters: float
    weight_bytes: float
    end_weight_bytes: float
    gradient_bytes: float
    reduce_bytes: float
    gather_share: float
    optimizer_bytes: float
    update_bytes: float
    stored_bytes: float
    selective_bytes: float
    boundary_bytes: float
    working_bytes: float
    logit_bytes: float
    logit_traffic_bytes: float
    expert_traffic_bytes: float
    dispatch_bytes: float
    overlaps_tensor: float
    quantized: float
    model_flops: float


@lru_cache(maxsize=2048)
def costs_of(training: Training, fitted: Constants | None = None, software: Software | None = None) -> Costs:
    """Count FLOPs, bytes and parameters of a run.

    A linear layer does 2 FLOPs a parameter and token; causal attention 2 s a d a layer (half of 4 s a d);
    stored activations are the inputs that each operation's gradient needs (Korthikanti 2022, arXiv 2205.05198,
    section 4, with the FFN's width and gating as they are).
    """
    fitted, software = fitted or constants(), software or assumed_software(training)
    shape, counts = training.shape, parameters_of(training.shape)
    adapters = training.method in ("lora", "qlora")
    value = PRECISION_BYTES[training.precision]
    dense = counts.attention + counts.dense_ffn
    trained = adapter_parameters(training) if adapters else shape.params_total
    score = (2.0 if training.flash_attention else 4.0) * training.sequence_length * (shape.heads * shape.head_dim)
    fused = software.kernels != "eager"
    elementwise, launch = _kernels(training, fitted, is_fused=fused)
    gates = 2.0 if shape.gated else 1.0
    activations = _activation_bytes(training, value, fitted, is_fused=fused)
    return Costs(
        layers=shape.layers,
        hidden=shape.hidden_size,
        sequence=float(training.sequence_length),
        value_bytes=value,
        layer_linear_flops=2.0 * dense,
        layer_score_flops=score,
        head_flops=2.0 * counts.embedding * (FP8_HEAD_SLOWER if training.precision == "fp8" else 1.0),
        linear_passes=1.0 + (BACKWARD_FROZEN if adapters else BACKWARD_FULL),
        score_passes=1.0 + (FLASH_BACKWARD if training.flash_attention else BACKWARD_FULL),
        head_passes=1.0 + (BACKWARD_FROZEN if adapters else BACKWARD_FULL),
        elementwise_bytes=elementwise * (2.0 * shape.hidden_size + gates * _ffn_width(shape)) * value / 2.0
        + _cast_bytes(training, is_fused=fused),
        launch_seconds=launch,
        expert_flops=2.0 * counts.active_experts,
        expert_share=shape.active_experts / shape.experts if shape.is_moe else 1.0,
        expert_width=float(shape.moe_ffn_size or shape.hidden_size),
        score_bytes=0.0 if training.flash_attention else 10.0 * value * shape.heads * training.sequence_length,
        dense_parameters=dense,
        expert_parameters=counts.routed_experts,
        end_parameters=counts.embedding + counts.head,
        trained_share=trained / shape.params_total,
        trained_parameters=trained,
        weight_bytes=_weight_bytes(training),
        end_weight_bytes=value,
        gradient_bytes=value if not adapters else 4.0,
        gather_share=fitted.deepspeed_gather_share if software.sharding == "deepspeed" else 1.0,
        reduce_bytes=4.0 if training.master_weights else value,
        optimizer_bytes=optimizer_bytes(training),
        update_bytes=fitted.update_bytes if training.master_weights and value == 2.0 and not adapters else 0.0,
        stored_bytes=activations[0],
        selective_bytes=activations[1],
        boundary_bytes=shape.hidden_size * value,
        working_bytes=activations[0] + value * (2.0 * _ffn_width(shape) + 2.0 * shape.hidden_size),
        logit_bytes=(0.1 if training.fused_cross_entropy else fitted.logit_memory_bytes) * shape.vocab_size,
        logit_traffic_bytes=fitted.logit_bytes * shape.vocab_size * (0.5 if training.fused_cross_entropy else 1.0),
        expert_traffic_bytes=2.0 * shape.active_experts * shape.hidden_size * value if shape.is_moe else 0.0,
        dispatch_bytes=_dispatched(shape) * value,
        overlaps_tensor=1.0 if software.kernels == "overlapped" else 0.0,
        quantized=0.0 if training.quant_bits is None else 1.0,
        model_flops=model_flops(training),
    )


def _kernels(training: Training, fitted: Constants, *, is_fused: bool) -> tuple[float, float]:
    """Bytes that the elementwise kernels of a layer move for each value, and the seconds of their launches."""
    more = ADAPTER_KERNELS if training.method in ("lora", "qlora") else 1.0
    moved = fitted.elementwise_bytes * (FUSED_TRAFFIC if is_fused else 1.0) * more
    return moved, fitted.launch_seconds * (FUSED_LAUNCHES if is_fused else 1.0) * more


def adapter_parameters(training: Training) -> float:
    """Trained parameters of LoRA: rank x (inputs + outputs) of each adapted matrix (arXiv 2106.09685, section 4)."""
    shape = training.shape
    queries, keys = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    hidden = shape.hidden_size
    ends = {"qv": (hidden + queries) + (hidden + keys)}
    ends["attention"] = ends["qv"] + (hidden + keys) + (queries + hidden)
    ffn = (shape.moe_ffn_size * shape.experts or shape.ffn_size) if shape.is_moe else shape.ffn_size
    ends["all"] = ends["attention"] + (3 if shape.gated else 2) * (hidden + ffn)
    return float(training.lora_rank * shape.layers * ends[training.lora_targets])


def optimizer_bytes(training: Training) -> float:
    """Bytes of optimizer state and fp32 master copy for each trained parameter.

    Mixed precision AdamW is 4 + 8 (ZeRO, arXiv 1910.02054, section 3.1); adapters are trained in fp32 without
    a further copy.
    """
    in_fp32, in_16_bit = OPTIMIZER_STATE_BYTES[training.optimizer]
    if training.precision == "fp32" or training.method in ("lora", "qlora"):
        return in_fp32
    return MASTER_BYTES + in_fp32 if training.master_weights else in_16_bit


def model_flops(training: Training) -> float:
    """FLOPs a token as PaLM counts them for MFU: 6 N + 12 L a d s (arXiv 2204.02311, appendix B).

    Frozen weights need no gradient of their own, so adapters count 4 N.
    """
    shape = training.shape
    attention = 12.0 * shape.layers * shape.heads * shape.head_dim * training.sequence_length
    passes = 2.0 * (1.0 + (BACKWARD_FROZEN if training.method in ("lora", "qlora") else BACKWARD_FULL))
    return passes * shape.params_active + attention


def _cast_bytes(training: Training, *, is_fused: bool) -> float:
    """Traffic of FP8 casts a token and layer: inputs forward, gradients of outputs backward."""
    if training.precision != "fp8":
        return 0.0
    shape, ffn = training.shape, _ffn_width(training.shape)
    queries, keys = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    inputs = 2.0 * shape.hidden_size + queries + ffn
    outputs = queries + 2.0 * keys + 2.0 * shape.hidden_size + (2.0 if shape.gated else 1.0) * ffn
    return FP8_CAST_BYTES * (FUSED_TRAFFIC if is_fused else 1.0) * (inputs + outputs)


def _weight_bytes(training: Training) -> float:
    if training.quant_bits == 4:
        return (4 + QUANTIZATION_OVERHEAD_BITS) / 8
    if training.quant_bits == 8:
        return 1.0
    return PRECISION_BYTES[training.precision]


def _ffn_width(shape: ModelShape) -> float:
    """Width of one up-projection that a token sees, mean over layers."""
    if not shape.is_moe:
        return float(shape.ffn_size)
    moe_layers = shape.layers - shape.dense_layers
    expert = shape.active_experts * (shape.moe_ffn_size or shape.ffn_size) + shape.shared_expert_ffn_size
    return (moe_layers * expert + shape.dense_layers * shape.ffn_size) / shape.layers


def _dispatched(shape: ModelShape) -> float:
    """Values that a token's copies for its experts hold, mean over layers."""
    if not shape.is_moe:
        return 0.0
    return shape.active_experts * shape.hidden_size * (shape.layers - shape.dense_layers) / shape.layers


def _activation_bytes(training: Training, value: float, fitted: Constants, *, is_fused: bool) -> tuple[float, float]:
    """Bytes a token and layer that the backward pass needs: everything, and matrix products only (selective).

    Fused kernels recompute activations and norms from the products around them.
    """
    shape = training.shape
    hidden, ffn = float(shape.hidden_size), _ffn_width(shape)
    queries, keys = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    gates = 2.0 if shape.gated else 1.0
    products = value * (2.0 * queries + 2.0 * keys + 2.0 * hidden + gates * ffn)
    recomputable = value * (2.0 * hidden + gates * ffn) + fitted.activation_hidden_extra * hidden
    if is_fused:
        recomputable = value * ffn
    if shape.is_moe:
        recomputable += value * 2.0 * shape.active_experts * hidden
    if not training.flash_attention:
        recomputable += PLAIN_SCORE_VALUES * value * shape.heads * training.sequence_length
    return products + recomputable, products
