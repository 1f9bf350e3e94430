"""The fastest layout that fits: one machine, one fixed layout, or the whole catalog at once."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from optimizer.domain.fit import Bound, Fit, Hardware, Misfit
from optimizer.domain.model import Training
from optimizer.domain.plan import Layout
from optimizer.sizing.costs import Costs, costs_of
from optimizer.sizing.demand import checkpoint_gb, input_demand
from optimizer.sizing.hardware import links_of
from optimizer.sizing.intervals import range_of
from optimizer.sizing.layouts import Columns, batch_sequences, columns_of, searched
from optimizer.sizing.memory import Memory, memory_of
from optimizer.sizing.misfit import misfit_of, no_rate
from optimizer.sizing.speed import Step, machines_of, peak_tflops, step_of

#: Two layouts within this share of each other's time count as equally fast; the simpler one, listed first, wins.
EQUAL_SPEED = 1e-9


def best_fit(training: Training, hardware: Hardware, nodes: int, *, confidence: float | None = None) -> Fit | Misfit:
    """The fastest layout that fits on `nodes` machines, or why none does.

    `confidence` is the share of measured runs that reach the low end of the interval (default 0.9).
    """
    return fits_over(training, [hardware], [nodes], confidence=confidence)[0][0]


def explain_layout(
    training: Training, hardware: Hardware, nodes: int, layout: Layout, *, confidence: float | None = None
) -> Fit | Misfit:
    """Judge one fixed layout; for the layout that `best_fit` chose it gives the same figures to the last bit."""
    if _unknown_rate(training, hardware):
        return no_rate(training, hardware, nodes)
    costs, columns = costs_of(training), columns_of(layout, training)
    memory = memory_of(costs, columns)
    if memory.total[0] > hardware.memory_usable_gib:
        return misfit_of(training, hardware, nodes, columns, memory)
    step = step_of(costs, columns, machines_of(training, [hardware]), nodes)
    return _fit(training, hardware, nodes, _Judged(costs, columns, memory, step), 0, 0, confidence)


def fits_over(
    training: Training,
    hardwares: Sequence[Hardware],
    node_counts: Sequence[int],
    *,
    confidence: float | None = None,
) -> list[list[Fit | Misfit]]:
    """`best_fit` of one run for every machine (outer list) and node count (inner list); equal machines share."""
    distinct = list(dict.fromkeys(hardwares))
    answers: dict[tuple[Hardware, int], Fit | Misfit] = {}
    by_gpus: dict[int, list[Hardware]] = defaultdict(list)
    for hardware in distinct:
        if _unknown_rate(training, hardware):
            answers.update({(hardware, nodes): no_rate(training, hardware, nodes) for nodes in node_counts})
        else:
            by_gpus[hardware.gpus].append(hardware)
    for gpus, group in by_gpus.items():
        for nodes in node_counts:
            columns = searched(training, gpus, nodes)
            found = _judge_group(training, group, nodes, columns, confidence)
            answers.update({(hardware, nodes): fit for hardware, fit in zip(group, found, strict=True)})
    return [[answers[hardware, nodes] for nodes in node_counts] for hardware in hardwares]


@dataclass(frozen=True, slots=True)
class _Judged:
    """Layouts with their memory and, for a row of machines, their times."""

    costs: Costs
    columns: Columns
    memory: Memory
    step: Step


def _judge_group(
    training: Training, group: list[Hardware], nodes: int, columns: Columns, confidence: float | None
) -> list[Fit | Misfit]:
    """The answer for each machine of a group with the same number of GPUs."""
    if len(columns) == 0:
        return [misfit_of(training, hardware, nodes, None, None) for hardware in group]
    costs = costs_of(training)
    memory = memory_of(costs, columns)
    usable = np.array([hardware.memory_usable_gib for hardware in group]).reshape(-1, 1)
    fits = memory.total <= usable
    kept = np.flatnonzero(fits.any(axis=0))
    least = int(np.argmin(memory.total))
    if len(kept) == 0:
        return [misfit_of(training, hardware, nodes, columns.take([least]), memory.take([least])) for hardware in group]
    columns_kept, memory_kept = columns.take(kept), memory.take(kept)
    step = step_of(costs, columns_kept, machines_of(training, group), nodes)
    judged = _Judged(costs, columns_kept, memory_kept, step)
    times = np.where(fits[:, kept], step.total, np.inf)
    chosen = np.argmax(times <= times.min(axis=1, keepdims=True) * (1 + EQUAL_SPEED), axis=1)
    return [
        _fit(training, hardware, nodes, judged, row, int(chosen[row]), confidence)
        if fits[row, kept].any()
        else misfit_of(training, hardware, nodes, columns.take([least]), memory.take([least]))
        for row, hardware in enumerate(group)
    ]


def _fit(
    training: Training, hardware: Hardware, nodes: int, judged: _Judged, row: int, at: int, confidence: float | None
) -> Fit:
    columns, memory, costs = judged.columns, judged.memory, judged.costs
    seconds = {name: float(part[row, at]) for name, part in judged.step.parts().items()}
    total = float(judged.step.total[row, at])
    rate = batch_sequences(training) * training.sequence_length / total
    links = links_of(hardware)
    world = hardware.gpus * nodes
    peak = (peak_tflops(hardware, training.precision) or 0.0) * 1e12
    low, high = range_of(training, hardware.gpus, nodes, confidence)
    demand = input_demand(training, rate, nodes)
    return Fit(
        gpu_model=hardware.gpu_model,
        gpus_per_node=hardware.gpus,
        nodes=nodes,
        layout=columns.at(at),
        memory_gib=memory.parts(at),
        usable_gib=hardware.memory_usable_gib,
        host_memory_gib=float(memory.host[at]) * hardware.gpus,
        tokens_per_second=rate,
        interval=(rate * low, rate * high),
        mfu=costs.model_flops * rate / (peak * world),
        binds=_binds(seconds),
        step_seconds={**seconds, "total": total},
        storage_demand_gbyte_per_s=demand.gbyte_per_s,
        storage_demand_iops=demand.reads_per_s,
        cores_demand=demand.cores + hardware.gpus,
        checkpoint_gb=checkpoint_gb(training, costs),
        assumptions=(*_assumed(training), *links.assumptions),
        detail=memory.detail(at),
    )


def _unknown_rate(training: Training, hardware: Hardware) -> bool:
    return peak_tflops(hardware, training.precision) is None or hardware.memory_bandwidth_gbyte_per_s is None


def _binds(seconds: dict[str, float]) -> Bound:
    """What most of the step is spent on."""
    shares: dict[Bound, float] = {
        "compute": seconds["matrix"] + seconds["scores"],
        "memory_bandwidth": seconds["memory"],
        "intra_node": seconds["intra_node"],
        "inter_node": seconds["inter_node"],
    }
    return max(shares, key=lambda bound: shares[bound])


def _assumed(training: Training) -> tuple[str, ...]:
    notes = []
    if training.shape.source.startswith("assumed"):
        notes.append(training.shape.source)
    if training.global_batch_tokens is None:
        tokens = batch_sequences(training) * training.sequence_length
        notes.append(f"global batch of {tokens:,} tokens (not stated)")
    return tuple(notes)
