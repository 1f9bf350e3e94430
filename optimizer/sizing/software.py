"""Which generation of training software a prediction assumes; published runs of other years set their own."""

from dataclasses import dataclass
from typing import Literal

from optimizer.domain.model import Training


@dataclass(frozen=True, slots=True)
class Software:
    """Generation of fused attention, and whether elementwise kernels are fused (compiled, Megatron) or eager.

    flash1 is FlashAttention of 2022 and its Triton form, flash2 that of July 2023 (arXiv 2307.08691), flash3 and later
    are written for Hopper and Blackwell (arXiv 2407.08608). Overlapped kernels are fused, and exchange tensor-parallel
    pieces in a ring beside the products that need or make them (Transformer Engine; Megatron's tp-comm-overlap).
    `libraries` is the generation of the matrix libraries, `sharding` what gathers fully sharded weights: FSDP layer by
    layer, DeepSpeed tensor by tensor.
    """

    attention: Literal["flash1", "flash2", "flash3"] = "flash2"
    kernels: Literal["eager", "fused", "overlapped"] = "eager"
    libraries: Literal["before_2023", "current"] = "current"
    sharding: Literal["fsdp", "deepspeed"] = "fsdp"


def assumed_software(training: Training) -> Software:
    """What we assume of a run to come: fused kernels for pretraining, eager ones for fine-tuning."""
    return Software("flash2", "fused" if training.method == "pretrain" else "eager")
