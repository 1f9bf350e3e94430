"""Turning the chosen entries of the columns into `Fit` records, many at once."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from optimizer.domain.fit import Bound, Fit, Hardware, Misfit
from optimizer.domain.model import Training
from optimizer.sizing.costs import costs_of
from optimizer.sizing.demand import checkpoint_gb, input_demand, input_limit
from optimizer.sizing.hardware import links_of
from optimizer.sizing.intervals import range_of
from optimizer.sizing.layouts import Columns, batch_sequences
from optimizer.sizing.memory import Memory
from optimizer.sizing.speed import Step, peak_tflops

BOUNDS: tuple[Bound, ...] = ("compute", "memory_bandwidth", "intra_node", "inter_node")


class Recorder:
    """Makes records of the layouts chosen for machines with the same number of GPUs.

    `columns` and `memory` hold all layouts, `machines` are the rows; every machine has a rate for the run.
    """

    def __init__(
        self,
        training: Training,
        machines: Sequence[Hardware],
        columns: Columns,
        memory: Memory,
        confidence: float | None,
    ) -> None:
        self.training, self.machines, self.columns, self.memory = training, machines, columns, memory
        self._confidence = confidence
        self._checkpoint_gb = checkpoint_gb(training, costs_of(training))
        links = [links_of(hardware) for hardware in machines]
        self._notes = [assumed_of(training) + link.assumptions for link in links]
        self._cluster_notes = [notes + link.network_assumptions for notes, link in zip(self._notes, links, strict=True)]
        peaks = [(peak_tflops(hardware, training.precision) or 0.0) * 1e12 * hardware.gpus for hardware in machines]
        self._flops_share = costs_of(training).model_flops / np.array(peaks)

    def fits(self, step: Step, rows: NDArray[np.intp], layouts: NDArray[np.intp], nodes: NDArray[np.int_]) -> list[Fit]:
        """One record for each entry of `step`: the machine's row, the layout's place, the number of nodes."""
        parts = {**step.parts(), "total": step.total}
        names = tuple(parts)
        rates = batch_sequences(self.training) * self.training.sequence_length / step.total
        mfus = self._flops_share[rows] * rates / nodes
        seconds = np.stack(list(parts.values()), axis=-1)
        places, which = np.unique(layouts, return_inverse=True)
        entries = list(zip(self.columns.records(places), self.memory.entries(places), strict=True))
        shared = {count: self._shared(count) for count in set(nodes.tolist())}
        figures = (rows, nodes, which, rates, mfus, _binding(parts), seconds)
        gpus, found = self.machines[0].gpus, []
        for row, count, at, rate, mfu, bound, spent in zip(*(figure.tolist() for figure in figures), strict=True):
            hardware, (layout, memory), common = self.machines[row], entries[at], shared[count]
            found.append(Fit(
                hardware.gpu_model, gpus, count, layout, memory.parts, hardware.memory_usable_gib,
                memory.host_gib * gpus, rate, (rate * common.low, rate * common.high), mfu, BOUNDS[bound],
                dict(zip(names, spent, strict=True)), rate * common.gbyte_per_s, rate * common.reads_per_s,
                rate * common.cores + gpus, self._checkpoint_gb, common.notes[row], memory.detail,
            ))  # fmt: skip
        return found

    def _shared(self, nodes: int) -> "_Shared":
        low, high = range_of(self.training, self.machines[0].gpus, nodes, self._confidence)
        demand = input_demand(self.training, 1.0, nodes)
        notes = self._cluster_notes if nodes > 1 else self._notes
        return _Shared(low, high, demand.gbyte_per_s, demand.reads_per_s, demand.cores, notes)


@dataclass(frozen=True, slots=True)
class _Shared:
    """What all records of one node count share: the interval's ends and the host's demand for each token a second."""

    low: float
    high: float
    gbyte_per_s: float
    reads_per_s: float
    cores: float
    notes: list[tuple[str, ...]]


def assumed_of(training: Training) -> tuple[str, ...]:
    """What was assumed of the run itself."""
    notes = []
    if training.shape.source.startswith("assumed"):
        notes.append(training.shape.source)
    if training.global_batch_tokens is None:
        tokens = batch_sequences(training) * training.sequence_length
        notes.append(f"global batch of {tokens:,} tokens (not stated)")
    return tuple(notes)


def fed(answer: Fit | Misfit, hardware: Hardware) -> Fit | Misfit:
    """The answer as the host can feed it: when cores or disks cannot keep up, they set the speed and bind."""
    if isinstance(answer, Misfit):
        return answer
    if hardware.cores is None and hardware.storage_gbyte_per_s is None:
        return answer
    share = input_limit(answer, hardware)
    if share >= 1.0:
        return answer
    low, high = answer.interval
    return replace(
        answer,
        tokens_per_second=answer.tokens_per_second * share,
        interval=(low * share, high * share),
        mfu=answer.mfu * share,
        binds="input",
        step_seconds={**answer.step_seconds, "total": answer.step_seconds["total"] / share},
    )


def _binding(parts: dict[str, NDArray[np.float64]]) -> NDArray[np.intp]:
    """What most of each step is spent on, as places of `BOUNDS`."""
    shares = (parts["matrix"] + parts["scores"], parts["memory"], parts["intra_node"], parts["inter_node"])
    found: NDArray[np.intp] = np.argmax(np.stack(shares), axis=0)
    return found
