"""Every layout that is searched, as columns: one entry a layout, all columns of the same length."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from math import ceil
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from optimizer.domain.model import Training
from optimizer.domain.plan import Layout

Column = NDArray[np.float64]
RECOMPUTE: tuple[Literal["none"], Literal["selective"], Literal["full"]] = ("none", "selective", "full")
MICRO_BATCHES = (1, 2, 4, 8, 16, 32, 64)
PIPELINES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32)
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

    def __len__(self) -> int:
        return len(self.zero)

    def take(self, indices: Sequence[int] | NDArray[np.intp]) -> "Columns":
        """The layouts at these places."""
        return Columns(*(getattr(self, field.name)[indices] for field in fields(self)))

    def at(self, index: int) -> Layout:
        """One entry as the plan's record."""
        return Layout.model_construct(
            zero=int(self.zero[index]),
            tp=int(self.tp[index]),
            pp=int(self.pp[index]),
            dp=int(self.dp[index]),
            ep=int(self.ep[index]),
            micro_batch=int(self.micro_batch[index]),
            accumulation=int(self.accumulation[index]),
            checkpointing=RECOMPUTE[int(self.recompute[index])],
            offload="optimizer" if self.offload[index] else "none",
            sequence_parallel=bool(self.sequence_parallel[index]),
        )


def columns_of(layout: Layout, training: Training) -> Columns:
    """One layout as columns of length one."""
    values = (
        layout.zero, layout.tp, layout.pp, layout.dp, layout.ep, 1, layout.micro_batch, layout.accumulation,
        RECOMPUTE.index(layout.checkpointing), layout.offload == "optimizer", layout.sequence_parallel,
        batch_sequences(training), 1,
    )  # fmt: skip
    return Columns(*(np.array([float(value)]) for value in values))


def batch_sequences(training: Training) -> int:
    """Sequences of one optimizer step: the file's global batch, else the documented default; at least one."""
    tokens = training.global_batch_tokens or DEFAULT_BATCH_TOKENS[training.method]
    return max(1, tokens // training.sequence_length)


@lru_cache(maxsize=4096)
def searched(training: Training, gpus: int, nodes: int) -> Columns:
    """All layouts of a run on `nodes` nodes of `gpus` GPUs, within the bounds below; may be empty.

    Tensor parallelism stays inside a node and divides the heads; pipelines divide the GPUs and have at most one
    stage a layer and use ZeRO 0 or 1; experts are spread over data-parallel ranks; micro-batches are powers of two.
    What the training fixes is kept as it is.
    """
    rows = list(_rows(training, gpus, nodes))
    table = np.array(rows, dtype=np.float64).reshape(len(rows), len(fields(Columns)))
    return Columns(*(np.ascontiguousarray(table[:, column]) for column in range(table.shape[1])))


def _rows(training: Training, gpus: int, nodes: int) -> Iterator[tuple[Any, ...]]:
    sequences = batch_sequences(training)
    for tp, pp, dp in _splits(training, gpus, nodes):
        for zero in _zeros(training, pp, dp):
            for ep in _expert_splits(training, dp):
                for recompute in _recomputes(training):
                    for offload in _offloads(training):
                        for micro in _micro_batches(training, sequences, dp):
                            accumulation = ceil(sequences / (dp * micro))
                            yield (
                                zero, tp, pp, dp, ep, 1, micro, accumulation, recompute, offload, tp > 1, sequences, 1,
                            )  # fmt: skip


def _splits(training: Training, gpus: int, nodes: int) -> Iterator[tuple[int, int, int]]:
    world, shape = gpus * nodes, training.shape
    for tp in (1, 2, 4, 8, 16) if training.tp is None else (training.tp,):
        if tp > gpus or gpus % tp or shape.heads % tp or (training.tp is None and training.quant_bits and tp > 1):
            continue
        for pp in PIPELINES if training.pp is None else (training.pp,):
            if pp > shape.layers or (world // tp) % pp or (training.pp is None and training.quant_bits and pp > 1):
                continue
            yield tp, pp, world // tp // pp


def _zeros(training: Training, pp: int, dp: int) -> tuple[int, ...]:
    if training.zero is not None:
        return (training.zero,)
    if dp == 1:
        return (0,)
    return (0, 1) if pp > 1 else (0, 1, 2, 3)


def _expert_splits(training: Training, dp: int) -> tuple[int, ...]:
    if training.ep is not None:
        return (training.ep,) if dp % training.ep == 0 else ()
    experts = training.shape.experts
    return tuple(ep for ep in (1, 2, 4, 8, 16, 32, 64) if dp % ep == 0 and (ep == 1 or (experts and experts % ep == 0)))


def _recomputes(training: Training) -> tuple[int, ...]:
    return (0, 1, 2) if training.checkpointing is None else (RECOMPUTE.index(training.checkpointing),)


def _offloads(training: Training) -> tuple[int, ...]:
    return {"none": (0,), "optimizer": (1,), "auto": (0, 1)}[training.offload]


def _micro_batches(training: Training, sequences: int, dp: int) -> tuple[int, ...]:
    if training.micro_batch is not None:
        return (training.micro_batch,)
    most = max(1, ceil(sequences / dp))
    return tuple(size for size in MICRO_BATCHES if size <= most)
