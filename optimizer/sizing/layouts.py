"""Every layout that is searched, as columns: one entry a layout, all columns of the same length."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from optimizer.domain.model import Training
from optimizer.domain.plan import Layout

Column = NDArray[np.float64]
RECOMPUTE: tuple[Literal["none"], Literal["selective"], Literal["full"]] = ("none", "selective", "full")
MICRO_BATCHES = (1, 2, 4, 8, 16, 32, 64)
PIPELINES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16)
#: Columns that make the plan's record, in the order of `_layout`.
LAYOUT_COLUMNS = (
    "zero", "tp", "pp", "dp", "ep", "micro_batch", "accumulation", "recompute", "offload", "sequence_parallel",
)  # fmt: skip
#: Where the file leaves the global batch open (ours): tokens of one optimizer step.
DEFAULT_BATCH_TOKENS = {"pretrain": 2**21, "full": 2**19, "lora": 2**17, "qlora": 2**17}


@dataclass(frozen=True, slots=True)
class Columns:
    """Layouts as float columns; `recompute` is 0 none, 1 selective, 2 full, the flags are 0 or 1.

    `offload` is 1 for optimizer states, 2 for weights as well. `context` splits each sequence over so many GPUs,
    `interleave` is the number of model chunks a pipeline stage holds; the search leaves both at 1 (measured runs).
    """

    zero: Column
    tp: Column
    pp: Column
    dp: Column
    ep: Column
    context: Column
    micro_batch: Column
    accumulation: Column
    recompute: Column
    offload: Column
    sequence_parallel: Column
    sequences: Column
    interleave: Column
    nodes: Column

    def __len__(self) -> int:
        return len(self.zero)

    def take(self, indices: Sequence[int] | NDArray[np.intp]) -> "Columns":
        """The layouts at these places."""
        return Columns(*(getattr(self, field.name)[indices] for field in fields(self)))

    def records(self, indices: Sequence[int] | NDArray[np.intp]) -> list[Layout]:
        """The layouts at these places as the plan's records."""
        values = (getattr(self, name)[indices].astype(int).tolist() for name in LAYOUT_COLUMNS)
        return [_layout(*row) for row in zip(*values, strict=True)]


@lru_cache(maxsize=4096)
def _layout(
    zero: int, tp: int, pp: int, dp: int, ep: int, micro_batch: int, accumulation: int, recompute: int, offload: int,
    sequence_parallel: int,
) -> Layout:  # fmt: skip
    return Layout(
        zero=zero,
        tp=tp,
        pp=pp,
        dp=dp,
        ep=ep,
        micro_batch=micro_batch,
        accumulation=accumulation,
        checkpointing=RECOMPUTE[recompute],
        offload="optimizer" if offload else "none",
        sequence_parallel=bool(sequence_parallel),
    )


def columns_of(layout: Layout, training: Training, nodes: int) -> Columns:
    """One layout as columns of length one."""
    values = (
        layout.zero, layout.tp, layout.pp, layout.dp, layout.ep, 1, layout.micro_batch, layout.accumulation,
        RECOMPUTE.index(layout.checkpointing), layout.offload == "optimizer", layout.sequence_parallel,
        batch_sequences(training), 1, nodes,
    )  # fmt: skip
    return Columns(*(np.array([float(value)]) for value in values))


def batch_sequences(training: Training) -> int:
    """Sequences of one optimizer step: the file's global batch, else the documented default; at least one."""
    tokens = training.global_batch_tokens or DEFAULT_BATCH_TOKENS[training.method]
    return max(1, tokens // training.sequence_length)


@lru_cache(maxsize=512)
def searched(training: Training, gpus: int, node_counts: tuple[int, ...]) -> Columns:
    """All layouts of a run on each count of nodes of `gpus` GPUs, within the bounds below; may be empty.

    Tensor parallelism stays inside a node, divides the heads, and is not tried on quantized weights. Pipelines divide
    the GPUs, have at most one stage a layer, use ZeRO 1, and are tried for pretraining, else where the file asks for
    any (the usual tools of fine-tuning have none). Experts are spread over data-parallel ranks; micro-batches are
    powers of two. ZeRO 1 does all that ZeRO 0 does with less memory, so 0 is tried on one rank only. What the training
    fixes is kept. Rows are ordered by nodes, then frames (a split with its ZeRO stage), recomputation, micro-batch.
    """
    frames = [frame for nodes in node_counts for frame in _frames(training, gpus, nodes)]
    recomputes, micros = _recomputes(training), _micro_batches(training)
    table = np.array(frames, dtype=np.float64).reshape(len(frames), 7)
    inner = len(recomputes) * len(micros)
    nodes, zero, tp, pp, dp, ep, offload = (np.repeat(table[:, column], inner) for column in range(7))
    recompute = np.tile(np.repeat(np.array(recomputes, dtype=np.float64), len(micros)), len(frames))
    micro = np.tile(np.array(micros, dtype=np.float64), len(recomputes) * len(frames))
    sequences = np.full(len(micro), float(batch_sequences(training)))
    one = np.ones(len(micro))
    return Columns(
        zero=zero, tp=tp, pp=pp, dp=dp, ep=ep, context=one, micro_batch=micro,
        accumulation=np.ceil(sequences / (dp * micro)), recompute=recompute, offload=offload,
        sequence_parallel=np.where(tp > 1, 1.0, 0.0), sequences=sequences, interleave=one, nodes=nodes,
    )  # fmt: skip


def inner_shape(training: Training) -> tuple[int, int]:
    """How `searched` orders the rows of one frame: (recomputations, micro-batches)."""
    return len(_recomputes(training)), len(_micro_batches(training))


def _frames(training: Training, gpus: int, nodes: int) -> Iterator[tuple[int, ...]]:
    for tp, pp, dp in _splits(training, gpus, nodes):
        for zero in _zeros(training, pp, dp):
            for ep in _expert_splits(training, dp):
                for offload in _offloads(training):
                    yield nodes, zero, tp, pp, dp, ep, offload


def _splits(training: Training, gpus: int, nodes: int) -> Iterator[tuple[int, int, int]]:
    world, shape = gpus * nodes, training.shape
    is_whole, has_pipelines = training.quant_bits is not None, training.method == "pretrain" or training.pipelines
    for tp in (1, 2, 4, 8, 16) if training.tp is None else (training.tp,):
        if tp > gpus or gpus % tp or shape.heads % tp or (training.tp is None and is_whole and tp > 1):
            continue
        for pp in PIPELINES if training.pp is None else (training.pp,):
            if pp > shape.layers or (world // tp) % pp or (training.pp is None and pp > 1 and not has_pipelines):
                continue
            yield tp, pp, world // tp // pp


def _zeros(training: Training, pp: int, dp: int) -> tuple[int, ...]:
    if training.zero is not None:
        return (training.zero,)
    if dp == 1:
        return (0,)
    return (1,) if pp > 1 else (1, 2, 3)


def _expert_splits(training: Training, dp: int) -> tuple[int, ...]:
    if training.ep is not None:
        return (training.ep,) if dp % training.ep == 0 else ()
    experts = training.shape.experts
    return tuple(ep for ep in (1, 2, 4, 8, 16, 32, 64) if dp % ep == 0 and (ep == 1 or (experts and experts % ep == 0)))


def _recomputes(training: Training) -> tuple[int, ...]:
    return (0, 1, 2) if training.checkpointing is None else (RECOMPUTE.index(training.checkpointing),)


def _offloads(training: Training) -> tuple[int, ...]:
    return {"none": (0,), "optimizer": (1,), "auto": (0, 1)}[training.offload]


def _micro_batches(training: Training) -> tuple[int, ...]:
    if training.micro_batch is not None:
        return (training.micro_batch,)
    sequences = batch_sequences(training)
    return tuple(size for size in MICRO_BATCHES if size == 1 or size <= sequences)
