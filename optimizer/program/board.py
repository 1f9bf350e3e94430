"""A problem's columns as arrays, by pool, so that many of them can be priced at once."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from optimizer.program.bounds import INFINITE, covered_hours
from optimizer.program.problem import Placement, Problem, UnitTerm
from optimizer.program.timeline import HOURS, peak_hours

Array = Any
"""A numpy array."""

Hours = tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Kind:
    """Placements of one pool that cost alike on each day: their window, price by the hour and GPUs of a node."""

    hours: Hours
    hourly_cost: tuple[int, int] | None
    gpus_per_node: int


@dataclass(slots=True)
class PoolBoard:
    """One pool: positions of its placements (but spot) by kind and of its unit terms; `keys` are its peak hours.

    `stretches`: for each window, the positions of its placements with the same days one after the other, where each
    group begins, and the groups' days. `covered`: least micros of a node-hour under a savings plan, infinite without.
    """

    gpus: int
    keys: tuple[int, ...]
    kinds: dict[Kind, Array]
    terms: Array
    stretches: dict[Hours, tuple[Array, Array, list[tuple[int, int]]]]
    has_sunk: bool
    covered: float


@dataclass(slots=True)
class Cash:
    """Payments of columns: whose position, which month, how many micros."""

    owner: Array
    month: Array
    micros: Array

    @classmethod
    def of(cls, columns: Iterable[Placement | UnitTerm]) -> "Cash":
        """All payments of some columns in order."""
        entries = [(i, month, micros) for i, column in enumerate(columns) for month, micros in column.cash]
        owner, month, micros = zip(*entries, strict=True) if entries else ((), (), ())
        return cls(np.array(owner, dtype=np.int64), np.array(month, dtype=np.int64), np.array(micros, dtype=float))

    def charged(self, count: int, whole: float, by_month: Mapping[int, float]) -> Array:
        """What each column's payments are charged, in micros."""
        if not self.owner.size:
            return np.zeros(count)
        factors = np.full(int(self.month.max()) + 1, whole)
        for month, factor in by_month.items():
            if month < factors.size:
                factors[month] += factor
        return np.bincount(self.owner, self.micros * factors[self.month], count)


@dataclass(slots=True)
class Board:
    """The arrays: days clamped to the horizon, money in micros as floats; positions are those of the problem.

    `parts`: the part of a machine that a node of each placement takes.
    """

    problem: Problem
    start: Array
    end: Array
    nodes: Array
    parts: Array
    objective: Array
    cash: Cash
    term_start: Array
    term_end: Array
    term_objective: Array
    term_cash: Cash
    pools: dict[int, PoolBoard]
    weights: Array
    month_of_day: Array

    @classmethod
    def of(cls, problem: Problem) -> "Board":
        """Read a problem once."""
        placements, terms, horizon = problem.placements, problem.unit_terms, problem.horizon
        gpus = {pool.id: pool.gpus for pool in problem.pools}
        return cls(
            problem=problem,
            start=_whole(p.start for p in placements),
            end=_whole(p.end for p in placements),
            nodes=_whole(p.nodes for p in placements),
            parts=np.array([p.gpus_per_node / gpus[p.pool] for p in placements]),
            objective=np.array([float(p.objective) for p in placements]),
            cash=Cash.of(placements),
            term_start=_whole(min(max(t.usable_from, 0), horizon) for t in terms),
            term_end=_whole(min(max(t.end, 0), horizon) for t in terms),
            term_objective=np.array([float(t.objective) for t in terms]),
            term_cash=Cash.of(terms),
            pools=_pools(problem),
            weights=np.array(problem.day_weights or (1.0,) * horizon),
            month_of_day=np.searchsorted(np.array(problem.month_starts[1:]), np.arange(horizon), side="right"),
        )

    def has_work(self, board: PoolBoard) -> Array:
        """Whether the pool may have work on each day."""
        work = np.zeros(self.problem.horizon + 1)
        for positions in board.kinds.values():
            np.add.at(work, self.start[positions], 1)
            np.add.at(work, self.end[positions], -1)
        return np.cumsum(work)[:-1] > 0

    def cheapest_unit_day(self, board: PoolBoard, term_objective: Array) -> float:
        """Least objective of a term of the pool per day on which it can serve work; infinite when none can."""
        if board.has_sunk:
            return 0.0
        before = np.concatenate(([0], np.cumsum(self.has_work(board))))
        days = before[self.term_end[board.terms]] - before[self.term_start[board.terms]]
        can = days > 0
        return float((term_objective[board.terms][can] / days[can]).min()) if can.any() else INFINITE


def share_of(kind: Kind, gpus: int) -> float:
    """The part of a unit's day that one node of this kind takes at least."""
    share = kind.gpus_per_node / gpus
    return share if kind.hours is None else share * kind.hours[1] / HOURS


def _whole(values: Iterable[int]) -> Array:
    return np.fromiter(values, dtype=np.int64)


def _pools(problem: Problem) -> dict[int, PoolBoard]:
    gpus = {pool.id: pool.gpus for pool in problem.pools}
    sunk = {unit.pool for unit in problem.sunk}
    covered = covered_hours(problem)
    placed: dict[int, list[int]] = defaultdict(list)
    terms: dict[int, list[int]] = defaultdict(list)
    for position, placement in enumerate(problem.placements):
        if not placement.spot:
            placed[placement.pool].append(position)
    for position, term in enumerate(problem.unit_terms):
        terms[term.pool].append(position)
    boards = {}
    for pool in sorted({*placed, *terms}):
        mine = [problem.placements[position] for position in placed[pool]]
        boards[pool] = PoolBoard(
            gpus=gpus[pool],
            keys=peak_hours(mine),
            kinds=_kinds(problem, placed[pool]),
            terms=_whole(terms[pool]),
            stretches=_stretches(problem, placed[pool]),
            has_sunk=pool in sunk,
            covered=covered.get(pool, INFINITE),
        )
    return boards


def _kinds(problem: Problem, positions: list[int]) -> dict[Kind, Array]:
    found: dict[Kind, list[int]] = defaultdict(list)
    for position in positions:
        p = problem.placements[position]
        found[Kind(p.hours, p.hourly_cost, p.gpus_per_node)].append(position)
    return {kind: _whole(mine) for kind, mine in found.items()}


def _stretches(problem: Problem, positions: list[int]) -> dict[Hours, tuple[Array, Array, list[tuple[int, int]]]]:
    found: dict[Hours, dict[tuple[int, int], list[int]]] = defaultdict(lambda: defaultdict(list))
    for position in positions:
        p = problem.placements[position]
        found[p.hours][p.start, p.end].append(position)
    stretches = {}
    for hours, by_days in found.items():
        sizes = [0, *(len(mine) for mine in by_days.values())][:-1]
        ordered = _whole(position for mine in by_days.values() for position in mine)
        stretches[hours] = (ordered, np.cumsum(sizes), list(by_days))
    return stretches
