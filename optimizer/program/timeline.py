"""Days and hours on which nothing changes, merged: the program has one row a slot instead of one a day.

Merging days (proof). Cut the days of a pool at every start and end of its placements, unit terms and sunk units, before
a last day that costs another amount by the hour, and at month starts when a monthly budget counts. Inside a slot all
days then have the same placements, units and prices; only the discount weight differs. Let y_d be the hourly nodes of
an optimal plan on the days of one slot and d* the day on which their undiscounted cost is least. Using y_{d*} on every
day keeps each rule of a day, costs no more cash in the slot's months and no more in the objective, because weights are
not negative. So an optimal plan exists that is constant in each slot.

Merging hours (proof). In a pool the nodes in use grow only at the first hour of a window; so their maximum over the
day is reached at one of those first hours (or at any hour when there are no windows).
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from optimizer.program.problem import Placement, Problem

HOURS = 24


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    """Days [start, end) of one pool on which its placements, units and prices stay the same.

    Each is itself only: a dictionary finds it without looking into its placements.
    """

    pool: int
    start: int
    end: int
    placements: tuple[Placement, ...]


def occupies(placement: Placement, hour: int) -> bool:
    """Whether the placement holds its nodes at this hour of its days; windows wrap past midnight."""
    if placement.hours is None:
        return True
    first, count = placement.hours
    return (hour - first) % HOURS < count


def peak_hours(placements: Iterable[Placement]) -> tuple[int, ...]:
    """The hours at which the nodes in use can be highest: the first hour of each window, else hour 0."""
    firsts = {placement.hours[0] for placement in placements if placement.hours is not None}
    return tuple(sorted(firsts)) or (0,)


def hourly_cost_on(placement: Placement, day: int) -> int | None:
    """Micros of one node by the hour on that day of the placement; None when not sold by the hour."""
    if placement.hourly_cost is None:
        return None
    return placement.hourly_cost[1] if day == placement.end - 1 else placement.hourly_cost[0]


def _cuts_of(placement: Placement) -> tuple[int, ...]:
    differs = placement.hourly_cost is not None and placement.hourly_cost[0] != placement.hourly_cost[1]
    return (placement.start, placement.end - 1, placement.end) if differs else (placement.start, placement.end)


@dataclass(frozen=True, slots=True)
class Timeline:
    """`points`: the cut days of each pool in order; `slots`: its slots with work that needs units or hourly nodes."""

    horizon: int
    points: dict[int, tuple[int, ...]]
    slots: dict[int, tuple[Slot, ...]]

    def common_days(self, pools: Iterable[int]) -> tuple[int, ...]:
        """The first day of each stretch on which nothing changes in any of these pools."""
        days = {day for pool in pools for day in self.points.get(pool, ())}
        return tuple(sorted(day for day in days if 0 <= day < self.horizon))


def _points_by_pool(problem: Problem) -> dict[int, tuple[int, ...]]:
    cuts: dict[int, set[int]] = defaultdict(set)
    for placement in problem.placements:
        cuts[placement.pool].update(_cuts_of(placement))
    for term in problem.unit_terms:
        cuts[term.pool].update((term.usable_from, term.end))
    for sunk in problem.sunk:
        cuts[sunk.pool].update((sunk.start, sunk.end))
    for spend in problem.spend_terms:
        for pool, _ in spend.rates:
            cuts[pool].update((spend.start, spend.end))
    if problem.monthly_budget is not None:
        for days in cuts.values():
            days.update(problem.month_starts)
    return {pool: tuple(sorted(days)) for pool, days in cuts.items()}


def timeline(problem: Problem) -> Timeline:
    """Cut the days of every pool where something changes; only slots with a placement in them are kept."""
    points = _points_by_pool(problem)
    running: dict[int, dict[int, list[Placement]]] = defaultdict(lambda: defaultdict(list))
    for placement in problem.placements:
        if not placement.spot:
            days = points[placement.pool]
            for index in range(bisect_left(days, placement.start), bisect_left(days, placement.end)):
                running[placement.pool][index].append(placement)
    slots = {
        pool: tuple(
            Slot(pool, points[pool][index], points[pool][index + 1], tuple(active))
            for index, active in sorted(by_index.items())
        )
        for pool, by_index in sorted(running.items())
    }
    return Timeline(problem.horizon, points, slots)


Item = TypeVar("Item")
Stretch = tuple[int, int, Item]
"""First day, end, and what is there on these days."""


def spread(days: Sequence[int], stretches: Iterable[Stretch[Item]]) -> dict[int, list[Item]]:
    """Day -> what is there, for each of the given days, which are in order."""
    found: dict[int, list[Item]] = {day: [] for day in days}
    for start, end, item in stretches:
        for index in range(bisect_left(days, start), bisect_left(days, end)):
            found[days[index]].append(item)
    return found
