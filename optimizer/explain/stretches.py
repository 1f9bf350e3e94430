"""Stretches of factors between which an answer's own cost does not step, so that looking at their ends is enough.

Hours are billed in whole units (mostly hours) and work takes whole days, so the cost of an answer is a staircase over
the amount of work: flat up to an edge where the last unit is full, then higher. Along a flat stretch another answer can
only come closer to its cheap end, since less work never costs more; see docs/adr/0102. Where hours are billed by the
second, or there are too many edges, factors of a grid take the place of edges, and what lies between them is not known.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor

from optimizer.domain.workload import Work
from optimizer.planning.candidates import Candidate
from optimizer.planning.case import Case
from optimizer.planning.demand import steady_hours_per_day
from optimizer.planning.runs import hours_limit

#: Factors of a grid: narrow near today's value, where a change matters most.
GRID = (1.01, 1.02, 1.05, 1.1, 1.25, 1.5, 2.0)
#: The farthest that any input is moved.
WIDEST = GRID[-1]
#: Edges on one side of today's value that are looked at one by one; beyond them the grid goes on.
NEAREST_EDGES = 12
#: A billing unit below this makes cost a slope rather than a staircase.
LEAST_UNIT_HOURS = 0.25
#: Beyond an edge by so little that no reading of the hours matters, and more than what is forgiven as noise.
HAIR_HOURS = 1e-6


@dataclass(frozen=True, slots=True)
class Stretch:
    """Factors from `near` today's value to `far` from it, both on the same side of 1; `is_flat`: without an edge."""

    near: float
    far: float
    is_flat: bool = False

    @property
    def ratio(self) -> float:
        """How far apart its ends are, above 1."""
        return max(self.near / self.far, self.far / self.near)

    @property
    def inverse(self) -> "Stretch":
        """The same of the inverse factor: half the speed is twice the hours."""
        return Stretch(1 / self.near, 1 / self.far, self.is_flat)


@dataclass(frozen=True, slots=True)
class Edge:
    """Factors of the amount of work: at `full` the last unit is full, at `past` another one is begun."""

    full: float
    past: float


def on_a_grid(factors: Iterable[float], start: float = 1.0) -> list[Stretch]:
    """The stretches from one factor to the next, from `start` on."""
    return [Stretch(near, far) for near, far in pairwise([start, *factors])]


def grid_to(most: float) -> list[float]:
    """The grid's factors up to `most`, which ends it."""
    return [*(factor for factor in GRID if factor < most), most]


def more_work(edges: list[Edge]) -> list[Stretch]:
    """From today's amount of work to twice as much."""
    above = [edge for edge in edges if edge.past > 1]
    found, start = [], 1.0
    for edge in above[:NEAREST_EDGES]:
        if edge.full > start:
            found.append(Stretch(start, edge.full, is_flat=True))
        start = edge.past
    if edges and len(above) <= NEAREST_EDGES:
        return [*found, Stretch(start, WIDEST, is_flat=True)]
    return [*found, *on_a_grid((factor for factor in GRID if factor > start), start)]


def less_work(edges: list[Edge]) -> list[Stretch]:
    """From today's amount of work to half of it."""
    below = [edge for edge in reversed(edges) if edge.past <= 1]
    found, start = [], 1.0
    for edge in below[:NEAREST_EDGES]:
        if edge.past < start:
            found.append(Stretch(start, edge.past, is_flat=True))
        start = edge.full
    if edges and len(below) <= NEAREST_EDGES:
        return [*found, Stretch(start, 1 / WIDEST, is_flat=True)]
    return [*found, *on_a_grid((1 / factor for factor in GRID if 1 / factor < start), start)]


def edges_of(case: Case, moved: Iterable[Candidate]) -> list[Edge]:
    """The edges of an answer's cost between half and twice the work of these candidates; none where it is a slope."""
    candidates = {candidate.index: candidate for candidate in moved}.values()
    if any(_is_slope(candidate) for candidate in candidates):
        return []
    points = sorted(edge for candidate in candidates for edge in _edges(case, candidate))
    found: list[Edge] = []
    for full, past in points:
        if 1 / WIDEST < full < WIDEST and (not found or full > found[-1].past):
            found.append(Edge(full, past))
    return found


def _is_slope(candidate: Candidate) -> bool:
    """Whether its cost moves with every minute: energy of owned machines, and hours billed by the second."""
    supply = candidate.supply
    rates = [supply.spot] if candidate.is_spot else [supply.hourly]
    fine = any(rate is not None and rate.price.billing_unit_hours < LEAST_UNIT_HOURS for rate in rates)
    return supply.is_owned or fine


def _edges(case: Case, candidate: Candidate) -> Iterator[tuple[float, float]]:
    work = case.work(candidate.work)
    rate = candidate.supply.spot if candidate.is_spot else candidate.supply.hourly
    unit = 24.0 if rate is None else rate.price.billing_unit_hours
    limit = hours_limit(work)
    if candidate.run_hours is not None:
        yield from _scaled(_full_hours(candidate.run_hours, limit, unit), candidate.run_hours)
        return
    if candidate.tokens_per_second is None:
        return
    for task in case.tasks_of_work(candidate.work):
        if task.tokens_per_month is not None:
            daily = steady_hours_per_day(task.tokens_per_month, candidate.tokens_per_second)
            yield from _scaled((k * unit for k in range(1, floor(limit / unit) + 1)), daily)
            yield from _scaled([limit], daily)


def _full_hours(hours: float, limit: float, unit: float) -> Iterator[float]:
    """Hours of a job at which its last day's last unit is full, or the day, from half to twice its hours."""
    for day in range(floor(hours / WIDEST / limit), ceil(hours * WIDEST / limit) + 1):
        for count in range(1, floor(limit / unit) + 1):
            yield day * limit + count * unit
        yield (day + 1) * limit


def _scaled(points: Iterable[float], hours: float) -> Iterator[tuple[float, float]]:
    yield from ((point / hours, (point + HAIR_HOURS) / hours) for point in points)


def whole_hours(works: Iterable[Work], least: float, most: float) -> list[float]:
    """Factors at which some workload's hours a day are whole, and both ends."""
    given = {work.hours_per_day for work in works}
    factors = {count / hours for hours in given for count in range(1, 25) if least < count / hours < most}
    return sorted(factors | {least, most})
