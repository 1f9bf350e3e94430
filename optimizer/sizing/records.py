"""Turning the chosen entries of the columns into `Fit` records, many at once."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from optimizer.domain.fit import Bound, Fit, Hardware, Misfit
from optimizer.domain.model import Training
from optimizer.domain.plan import Layout
from optimizer.sizing.costs import costs_of
from optimizer.sizing.demand import checkpoint_gb, input_demand, input_limit
from optimizer.sizing.hardware import links_of
from optimizer.sizing.intervals import range_of
from optimizer.sizing.layouts import Columns, batch_sequences
from optimizer.sizing.memory import Entry, Memory
from optimizer.sizing.speed import Step, peak_tflops

BOUNDS: tuple[Bound, ...] = ("compute", "memory_bandwidth", "intra_node", "inter_node")


class Recorder:
    """Makes records of the layouts chosen for machines alike; what they share is worked out once.

    `columns` and `memory` hold the layouts worth timing, `machines` are the rows of the step.
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
        self._places: dict[int, tuple[Layout, Entry]] = {}

    def fits(self, step: Step, at: NDArray[np.intp], counts: tuple[int, ...]) -> list[list[Fit | Misfit]]:
        """For each node count the record of each machine with the layout at its place.

        `at` has shape (counts, machines), `step` has a row for each machine.
        """
        rows = np.arange(len(self.machines))
        parts = {name: part[rows, at] for name, part in {**step.parts(), "total": step.total}.items()}
        rates = batch_sequences(self.training) * self.training.sequence_length / parts["total"]
        mfus = self._flops_share * rates / np.array(counts).reshape(-1, 1)
        figures = (at, rates, mfus, _binding(parts), np.stack(list(parts.values()), axis=-1))
        names = tuple(parts)
        return [
            self._at_count(nodes, names, *row)
            for nodes, *row in zip(counts, *(figure.tolist() for figure in figures), strict=True)
        ]

    def _at_count(
        self,
        nodes: int,
        names: tuple[str, ...],
        at: list[int],
        rates: list[float],
        mfus: list[float],
        binds: list[int],
        seconds: list[list[float]],
    ) -> list[Fit | Misfit]:
        gpus = self.machines[0].gpus
        low, high = range_of(self.training, gpus, nodes, self._confidence)
        per_rate = input_demand(self.training, 1.0, nodes)
        found: list[Fit | Misfit] = []
        notes_of = self._cluster_notes if nodes > 1 else self._notes
        for hardware, notes, place, rate, mfu, bound, spent in zip(
            self.machines,
            notes_of,
            at,
            rates,
            mfus,
            binds,
            seconds,
            strict=True,
        ):
            layout, memory = self._places.get(place) or self._place(place)
            fit = Fit(
                hardware.gpu_model, gpus, nodes, layout, memory.parts, hardware.memory_usable_gib,
                memory.host_gib * gpus, rate, (rate * low, rate * high), mfu, BOUNDS[bound],
                dict(zip(names, spent, strict=True)), rate * per_rate.gbyte_per_s, rate * per_rate.reads_per_s,
                rate * per_rate.cores + gpus, self._checkpoint_gb, notes, memory.detail,
            )  # fmt: skip
            found.append(fit)
        return found

    def _place(self, at: int) -> tuple[Layout, Entry]:
        known = self._places[at] = (self.columns.at(at), self.memory.at(at))
        return known


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
