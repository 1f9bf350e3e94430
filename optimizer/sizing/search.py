"""The fastest layout that fits: one machine, one fixed layout, or the whole catalog at once."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from optimizer.domain.fit import Fit, Hardware, Misfit
from optimizer.domain.model import Training
from optimizer.domain.plan import Layout
from optimizer.sizing.changes import with_changes
from optimizer.sizing.costs import costs_of
from optimizer.sizing.fitting import fitting, roomy
from optimizer.sizing.layouts import Columns, columns_of, inner_shape, searched
from optimizer.sizing.memory import memory_of
from optimizer.sizing.misfit import Reasons, no_rate
from optimizer.sizing.records import Recorder, fed
from optimizer.sizing.speed import Machines, machines_of, peak_tflops, step_of, timed
from optimizer.sizing.work import Work, work_of

#: Two layouts within this share of each other's time count as equally fast; the simpler one, listed first, wins.
EQUAL_SPEED = 1e-9
#: A layout with memory to spare is chosen as long as it keeps this share of the fastest one's speed (ours, adr/0024).
LEAST_SPEED_WITH_ROOM = 2 / 3
#: Layouts of machines that are timed together: so many still lie in a core's cache.
BLOCK_ENTRIES = 16_000


def best_fit(training: Training, hardware: Hardware, nodes: int, *, confidence: float | None = None) -> Fit | Misfit:
    """The layout to run on `nodes` machines: the fastest, or one with memory to spare near it; or why none fits.

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
        return with_changes(training, hardware, Reasons(columns, memory).misfit(hardware, nodes))
    first = np.array([0])
    step = step_of(costs, columns, machines_of(training, [hardware]).flat(first))
    recorder = Recorder(training, [hardware], columns, memory, confidence)
    return fed(recorder.fits(step, first, first, np.array([nodes]))[0], hardware)


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
    answers: dict[Key, list[Fit | Misfit]] = {}
    for key, hardware in zip(keys, hardwares, strict=True):
        if _unknown_rate(training, hardware):
            answers[key] = [no_rate(training, hardware, nodes) for nodes in counts]
        else:
            by_gpus[hardware.gpus].setdefault(key, hardware)
    for group in by_gpus.values():
        answers.update(zip(group, _judge_group(training, list(group.values()), counts, confidence), strict=True))
    order = [counts.index(nodes) for nodes in node_counts]
    return [_in_order(answers[key], order, hardware) for key, hardware in zip(keys, hardwares, strict=True)]


def _in_order(answers: list[Fit | Misfit], order: list[int], hardware: Hardware) -> list[Fit | Misfit]:
    return [fed(answers[place], hardware) for place in order]


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
    costs, columns = costs_of(training), searched(training, group[0].gpus, counts)
    memory = memory_of(costs, columns)
    answers: list[dict[int, Fit | Misfit]] = [{} for _ in group]
    alike: dict[tuple[float, float | None], list[int]] = defaultdict(list)
    for row, hardware in enumerate(group):
        alike[hardware.memory_usable_gib, _host_gib(training, hardware)].append(row)
    searches: list[_Search] = []
    reasons, frames = Reasons(columns, memory), Frames.of(training, columns)
    for (usable_gib, ram_gib), rows in alike.items():
        fits = fitting(memory, usable_gib, ram_gib, group[0].gpus)
        spared = roomy(columns, memory, usable_gib, fits)
        worth = np.flatnonzero(frames.worth_timing(fits, spared))
        found = np.unique(columns.nodes[worth])
        starts = np.searchsorted(columns.nodes[worth], found)
        searches += [_Search(row, worth, spared[worth], found.astype(int), starts) for row in rows]
        for nodes in set(counts).difference(found.astype(int).tolist()):
            for row in rows:
                answers[row][nodes] = reasons.misfit(group[row], nodes)
    recorder = Recorder(training, group, columns, memory, confidence)
    work, machines = work_of(costs, columns, float(group[0].gpus)), machines_of(training, group)
    for block in _blocks(searches):
        for chosen, fit in _fastest_of(block, work, machines, recorder):
            answers[chosen][fit.nodes] = fit
    return [[answer[nodes] for nodes in counts] for answer in answers]


@dataclass(frozen=True, slots=True)
class _Search:
    """The layouts worth timing on one machine: its row, their places, and where each node count begins among them.

    `roomy` says which leave memory to spare.
    """

    row: int
    layouts: NDArray[np.intp]
    roomy: NDArray[np.bool_]
    nodes: NDArray[np.int_]
    starts: NDArray[np.intp]


def _blocks(searches: Sequence[_Search]) -> Iterator[list[_Search]]:
    """Searches that are timed together: as many as lie in a core's cache, at least one."""
    block: list[_Search] = []
    entries = 0
    for search in searches:
        if block and entries + len(search.layouts) > BLOCK_ENTRIES:
            yield block
            block, entries = [], 0
        if len(search.layouts):
            block.append(search)
            entries += len(search.layouts)
    if block:
        yield block


def _fastest_of(
    block: Sequence[_Search], work: Work, machines: Machines, recorder: Recorder
) -> Iterator[tuple[int, Fit]]:
    """The row of each machine with the layout to run at each node count where one fits."""
    lengths = [len(search.layouts) for search in block]
    layouts = np.concatenate([search.layouts for search in block])
    rows = np.repeat([search.row for search in block], lengths)
    step = timed(work.take(layouts), machines.flat(rows))
    offsets = np.cumsum([0, *lengths[:-1]])
    starts = np.concatenate([search.starts + offset for search, offset in zip(block, offsets, strict=True)])
    fastest = _with_room(step.total, np.concatenate([search.roomy for search in block]), starts)
    nodes = np.concatenate([search.nodes for search in block])
    return zip(
        rows[fastest].tolist(), recorder.fits(step.take(fastest), rows[fastest], layouts[fastest], nodes), strict=True
    )


def _with_room(times: NDArray[np.float64], roomy: NDArray[np.bool_], starts: NDArray[np.intp]) -> NDArray[np.intp]:
    """For each run of entries its fastest, or the fastest with memory to spare where that keeps enough of the speed."""
    fastest, spared = _fastest(times, starts), _fastest(np.where(roomy, times, np.inf), starts)
    chosen: NDArray[np.intp] = np.where(times[spared] * LEAST_SPEED_WITH_ROOM <= times[fastest], spared, fastest)
    return chosen


def _fastest(times: NDArray[np.float64], starts: NDArray[np.intp]) -> NDArray[np.intp]:
    """For each run of entries that begins at one of `starts` the first place that is as fast as any."""
    lengths = np.diff([*starts.tolist(), len(times)])
    least = np.minimum.reduceat(times, starts) * (1 + EQUAL_SPEED)
    places = np.where(times <= np.repeat(least, lengths), np.arange(len(times)), len(times))
    first: NDArray[np.intp] = np.minimum.reduceat(places, starts)
    return first


@dataclass(frozen=True, slots=True)
class Frames:
    """Layouts as (splits, recomputations, micro-batches): slots of a step, and which splits have pipelines."""

    slots: NDArray[np.float64]
    pipelined: NDArray[np.bool_]

    @classmethod
    def of(cls, training: Training, columns: Columns) -> "Frames":
        """The layouts of one search in this order."""
        shape = (-1, *inner_shape(training))
        slots = (columns.accumulation * columns.micro_batch).reshape(shape)
        return cls(slots, (columns.pp > 1).reshape(shape)[..., 0])

    def worth_timing(self, fits: NDArray[np.bool_], spared: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which layouts may be the fastest of those that fit, or of those with memory to spare; flat."""
        fits, spared = fits.reshape(self.slots.shape), spared.reshape(self.slots.shape)
        kept = _undominated(self.slots, self.pipelined, fits)
        differ = (fits != spared).any(axis=(1, 2))
        if differ.any():
            kept[differ] |= _undominated(self.slots[differ], self.pipelined[differ], spared[differ])
        return kept.reshape(-1)


def _undominated(
    slots: NDArray[np.float64], pipelined: NDArray[np.bool_], fits: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which layouts that fit no other of the same split outdoes.

    Less recomputation at the same micro-batch is at least as fast. Without a pipeline so is a larger micro-batch that
    fits and needs no more slots in all: the same products in fewer, larger pieces, and no more to move.
    """
    slots = np.where(fits, slots, np.inf)
    kept = np.zeros(slots.shape, dtype=bool)
    fewest = np.full(slots.shape[:2], np.inf)
    for micro in range(slots.shape[2] - 1, -1, -1):
        mine = slots[..., micro]
        least = np.minimum.accumulate(mine, axis=1)
        simpler = np.concatenate([np.full((len(mine), 1), np.inf), least[:, :-1]], axis=1)
        larger = np.where(pipelined, np.inf, fewest)
        kept[..., micro] = mine < np.minimum(simpler, larger)
        fewest = np.minimum(fewest, least)
    return kept


def _unknown_rate(training: Training, hardware: Hardware) -> bool:
    return peak_tflops(hardware, training.precision) is None or hardware.memory_bandwidth_gbyte_per_s is None
