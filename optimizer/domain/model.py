"""The shape of a model to train, and the training run that sizing judges."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class ModelShape:
    """A transformer's architecture. Counts are exact parameters, not billions.

    `ffn_size` is the width of one up-projection of a dense layer; `gated` says whether there are two of them
    (SwiGLU). For mixtures of experts `moe_ffn_size` is one routed expert's width, `dense_layers` the number of
    layers with a dense FFN. `attention` "mla" is multi-head latent attention (DeepSeek).
    """

    name: str
    params_total: float
    params_active: float
    layers: int
    hidden_size: int
    ffn_size: int
    heads: int
    kv_heads: int
    head_dim: int
    vocab_size: int
    tied_embeddings: bool
    gated: bool = True
    experts: int = 0
    active_experts: int = 0
    moe_ffn_size: int = 0
    shared_expert_ffn_size: int = 0
    dense_layers: int = 0
    attention: Literal["mha", "gqa", "mqa", "mla"] = "mha"
    source: str = ""

    @property
    def is_moe(self) -> bool:
        """Whether it is a mixture of experts."""
        return self.experts > 0


SizeClass = Literal["7B", "13B", "34B", "70B", "pooled"]
#: Upper bounds in parameters (rules.md, size classes; the pooled class starts at 100 billion).
_CLASS_LIMITS: tuple[tuple[float, SizeClass], ...] = ((10e9, "7B"), (25e9, "13B"), (50e9, "34B"), (100e9, "70B"))


def size_class(parameters: float) -> SizeClass:
    """The documents' size class of a parameter count (rules.md: 7B up to 10, 13B 10-25, 34B 25-50, 70B 50-100)."""
    return next((name for limit, name in _CLASS_LIMITS if parameters < limit), "pooled")


@dataclass(frozen=True, slots=True)
class Training:
    """One training run as sizing sees it: all choices of the workload file, autos still open (`None`)."""

    shape: ModelShape
    method: Literal["pretrain", "full", "lora", "qlora"]
    precision: Literal["fp32", "fp16", "bf16", "fp8"] = "bf16"
    master_weights: bool = True
    optimizer: Literal["adamw", "adamw-8bit", "adafactor", "sgd", "lion"] = "adamw"
    offload: Literal["none", "optimizer", "auto"] = "none"
    flash_attention: bool = True
    fused_cross_entropy: bool = False
    sequence_length: int = 4096
    global_batch_tokens: int | None = None
    micro_batch: int | None = None
    checkpointing: Literal["none", "selective", "full"] | None = None
    zero: int | None = None
    tp: int | None = None
    pp: int | None = None
    pipelines: bool = False
    ep: int | None = None
    lora_rank: int = 16
    lora_targets: Literal["all", "attention", "qv"] = "all"
    quant_bits: int | None = None
    files: int | None = None
    mean_file_kb: float | None = None
