"""The fastest layout that fits: one machine, one fixed layout, or the whole catalog at once."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import fields
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from optimizer.domain.fit import Fit, Hardware, Misfit
from optimizer.domain.model import Training
from optimizer.domain.plan import Layout
from optimizer.sizing.changes import with_changes
from optimizer.sizing.costs import costs_of
from optimizer.sizing.fitting import fitting
from optimizer.sizing.layouts import Columns, columns_of, inner_shape, searched
from optimizer.sizing.memory import Memory, memory_of
from optimizer.sizing.misfit import misfits_of, no_rate
from optimizer.sizing.records import Recorder, fed
from optimizer.sizing.speed import Grid, machines_of, peak_tflops, step_of

#: Two layouts within this share of each other's time count as equally fast; the simpler one, listed first, wins.
EQUAL_SPEED = 1e-9
#: Entries of one grid (machines x layouts) that still lie in a core's cache.
GRID_ENTRIES = 30_000


def best_fit(training: Training, hardware: Hardware, nodes: int, *, confidence: float | None = None) -> Fit | Misfit:
    """The fastest layout that fits on `nodes` machines, or why none does.

    `confidence` is the share of measured runs that reach the low end of the interval (default 0.9).
    """
    answer = fits_over(training, [hardware], [nodes], confidence=confidence)[0][0]
    return answer if isinstance(answer, Fit) else with_changes(training, hardware, answer)


def explain_layout(
    training: Training, hardware: Hardware, nodes: int, layout: Layout, *, confidence: float | None = None
) -> Fit | Misfit:
    """Judge one fixed layout; for the layout that `best_fit` chose it gives the same figures to the last bit."""
    if _unknown_rate(training, hardware):
        return no_rate(training, hardware, nodes)
    costs, columns = costs_of(training), columns_of(layout, training, nodes)
    memory = memory_of(costs, columns)
    if not fitting(memory, hardware.memory_usable_gib, _host_gib(training, hardware), hardware.gpus)[0]:
        misfit = misfits_of(training, [hardware], nodes, columns, memory)[0]
        return misfit if isinstance(misfit, Fit) else with_changes(training, hardware, misfit)
    step = step_of(costs, columns, machines_of(training, [hardware]))
    recorder = Recorder(training, [hardware], columns, memory, confidence)
    return fed(recorder.fits(step, np.array([[0]]), (nodes,))[0][0], hardware)


def fits_over(
    training: Training,
    hardwares: Sequence[Hardware],
    node_counts: Sequence[int],
    *,
    confidence: float | None = None,
) -> list[list[Fit | Misfit]]:
    """`best_fit` of one run for every machine (outer list) and node count (inner list); equal machines share.

    Misfits name what breaks and the memory needed, not the changes that `best_fit` tries one by one.
    """
    counts = tuple(sorted(set(node_counts)))
    keys = [(*_SPEED_KEY(hardware), _host_gib(training, hardware)) for hardware in hardwares]
    by_gpus: dict[int, dict[Key, Hardware]] = defaultdict(dict)
    for key, hardware in zip(keys, hardwares, strict=True):
        by_gpus[hardware.gpus].setdefault(key, hardware)
    answers: dict[Key, list[Fit | Misfit]] = {}
    for group in by_gpus.values():
        answers.update(zip(group, _judge_group(training, list(group.values()), counts, confidence), strict=True))
    order = [counts.index(nodes) for nodes in node_counts]
    return [
        [fed(answers[key][place], hardware) for place in order] for key, hardware in zip(keys, hardwares, strict=True)
    ]


Key = tuple[object, ...]
#: What of a machine changes its fit; cores and disks are looked at last, so that equal machines are judged once.
_SPEED_KEY = attrgetter(
    *(field.name for field in fields(Hardware) if field.name not in ("cores", "ram_gib", "storage_gbyte_per_s"))
)


def _host_gib(training: Training, hardware: Hardware) -> float | None:
    """Host memory where it matters: for states that may be off-loaded."""
    return hardware.ram_gib if training.offload != "none" else None


def _judge_group(
    training: Training, group: list[Hardware], counts: tuple[int, ...], confidence: float | None
) -> list[list[Fit | Misfit]]:
    """The answers of machines with the same number of GPUs, one for each node count."""
    columns = searched(training, group[0].gpus, counts)
    memory = memory_of(costs_of(training), columns)
    answers: list[list[Fit | Misfit]] = [[] for _ in group]
    alike: dict[tuple[float, float | None], list[int]] = defaultdict(list)
    for place, hardware in enumerate(group):
        if _unknown_rate(training, hardware):
            answers[place] = [no_rate(training, hardware, nodes) for nodes in counts]
        else:
            alike[hardware.memory_usable_gib, _host_gib(training, hardware)].append(place)
    for (usable_gib, ram_gib), places in alike.items():
        worth = _worth_timing(training, columns, fitting(memory, usable_gib, ram_gib, group[0].gpus))
        worth_columns, worth_memory = columns.take(worth), memory.take(worth)
        at_once = max(1, GRID_ENTRIES // max(1, len(worth)))
        for block in (places[first : first + at_once] for first in range(0, len(places), at_once)):
            machines = [group[place] for place in block]
            recorder = Recorder(training, machines, worth_columns, worth_memory, confidence)
            for place, answer in zip(block, _judge_alike(recorder, counts, columns, memory), strict=True):
                answers[place] = answer
    return answers


def _judge_alike(
    recorder: Recorder, counts: tuple[int, ...], columns: Columns, memory: Memory
) -> list[list[Fit | Misfit]]:
    """The answers of machines that also have the same memory, one for each node count."""
    training, machines, at_nodes = recorder.training, recorder.machines, recorder.columns.nodes
    fitting = np.unique(at_nodes).astype(int).tolist()
    by_nodes: dict[int, list[Fit | Misfit]] = {
        nodes: misfits_of(training, machines, nodes, columns, memory) for nodes in counts if nodes not in fitting
    }
    if fitting:
        step = step_of(costs_of(training), recorder.columns, machines_of(training, machines))
        fastest = _fastest(step.total, np.searchsorted(at_nodes, fitting))
        by_nodes.update(zip(fitting, recorder.fits(step, fastest, tuple(fitting)), strict=True))
    return [[by_nodes[nodes][row] for nodes in counts] for row in range(len(machines))]


def _fastest(times: Grid, starts: NDArray[np.intp]) -> NDArray[np.intp]:
    """For each run of columns that begins at one of `starts`, and each row, the first place that is as fast as any.

    Shape (runs, rows).
    """
    lengths = np.diff([*starts.tolist(), times.shape[1]])
    least = np.minimum.reduceat(times, starts, axis=1) * (1 + EQUAL_SPEED)
    places = np.where(times <= np.repeat(least, lengths, axis=1), np.arange(times.shape[1]), times.shape[1])
    first: NDArray[np.intp] = np.minimum.reduceat(places, starts, axis=1).T
    return first


def _worth_timing(training: Training, columns: Columns, fits: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Places of the layouts that may be the fastest: those that fit, without smaller micro-batches where larger win.

    Without a pipeline a larger micro-batch that fits and needs no more slots in all is at least as fast: the same
    products in fewer, larger pieces, and no more to move.
    """
    recomputes, micros = inner_shape(training)
    shape = (-1, recomputes, micros)
    slots = (columns.accumulation * columns.micro_batch).reshape(shape)
    kept = fits.reshape(shape).copy()
    has_pipeline = (columns.pp > 1).reshape(shape)[..., 0]
    fewest = np.full(kept.shape[:2], np.inf)
    for micro in range(micros - 1, -1, -1):
        usable = kept[..., micro]
        kept[..., micro] = usable & ((slots[..., micro] < fewest) | has_pipeline)
        fewest = np.where(usable, np.minimum(fewest, slots[..., micro]), fewest)
    return np.flatnonzero(kept.reshape(-1))


def _unknown_rate(training: Training, hardware: Hardware) -> bool:
    return peak_tflops(hardware, training.precision) is None or hardware.memory_bandwidth_gbyte_per_s is None
