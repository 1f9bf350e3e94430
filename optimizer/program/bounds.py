"""What each placement costs at least in any plan, and a first plan that serves every task by itself.

Lower bound (proof). In any plan a node-day of a placement is served by the hour at its own price, by a sunk unit, or by
a bought unit. A unit of term t serves at most 24 GPU-hours a GPU on each of its days, and no day without work in its
pool: so one whole unit-day of service costs at least r = min over terms of objective / (days of the term on which its
pool may have work), and a part (g of G GPUs, h of 24 hours) at least g/G x h/24 of r. Adding this up over the days of
all placements of a plan counts each purchase at most once: the sum of their bounds is at most the plan's cost.
Moves, shared lines and savings plans are bounded by 0; where a savings plan may cover a node, so is its service.

Removal (proof). Let b(c) be the bound of placement c, m(t) the least bound of task t, M = sum of m(t), and U the cost
of some valid plan. A plan that uses c costs at least M - m(t) + b(c). If that exceeds U + tolerance, c is in no plan
within the tolerance of the optimum, and leaving it out changes neither the optimum nor any tie.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from math import floor

from optimizer.program.check import Choice, objective_of, violations
from optimizer.program.problem import Placement, Problem, Service, UnitTerm
from optimizer.program.timeline import HOURS

INFINITE = float("inf")


@dataclass(slots=True)
class Market:
    """A problem's records by pool, for bounds. `covered`: pools in which a savings plan may cover nodes."""

    problem: Problem
    placements: dict[int, list[Placement]]
    terms: dict[int, list[UnitTerm]]
    rates: dict[int, float]
    gpus: dict[int, int]
    covered: frozenset[int]

    @classmethod
    def of(cls, problem: Problem) -> "Market":
        """Sort the records by pool and find each pool's cheapest unit-day."""
        placements: dict[int, list[Placement]] = defaultdict(list)
        terms: dict[int, list[UnitTerm]] = defaultdict(list)
        for placement in problem.placements:
            placements[placement.pool].append(placement)
        for term in problem.unit_terms:
            terms[term.pool].append(term)
        free = {sunk.pool for sunk in problem.sunk}
        covered = frozenset(pool for plan in problem.spend_terms for pool, _ in plan.rates)
        rates = {
            pool: 0.0 if pool in free else _cheapest_unit_day(placed, terms[pool])
            for pool, placed in placements.items()
        }
        gpus = {pool.id: pool.gpus for pool in problem.pools}
        return cls(problem, placements, terms, rates, gpus, covered)

    def lower_bound(self, placement: Placement) -> float:
        """Micros (objective) that the placement costs at least in any plan."""
        if placement.spot or placement.pool in self.covered:
            return placement.objective
        share = placement.gpus_per_node / self.gpus[placement.pool]
        if placement.hours is not None:
            share *= placement.hours[1] / HOURS
        unit_day = self.rates[placement.pool] * share
        days = placement.end - placement.start
        if placement.hourly_cost is None:
            served = days * unit_day
        else:
            least = min(self.problem.day_weights[placement.start : placement.end], default=1.0)
            regular, last = (max(0.0, cost * least - 1) for cost in placement.hourly_cost)
            served = (days - 1) * min(unit_day, regular) + min(unit_day, last)
        return placement.objective + placement.nodes * served


def _cheapest_unit_day(placements: list[Placement], terms: list[UnitTerm]) -> float:
    """Least objective of a term per day on which it can serve work of the pool; infinite when none can."""
    stretches = _union((p.start, p.end) for p in placements if not p.spot)
    best = INFINITE
    for term in terms:
        days = sum(max(0, min(end, term.end) - max(start, term.usable_from)) for start, end in stretches)
        if days:
            best = min(best, term.objective / days)
    return best


def _union(stretches: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Disjoint stretches that cover the same days."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(set(stretches)):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


@dataclass(frozen=True, slots=True)
class Alone:
    """A placement served by itself: cost (objective micros), units it buys and who serves it."""

    cost: int
    placement: Placement
    units: tuple[tuple[int, int], ...] = ()
    services: tuple[Service, ...] = ()


def serve_alone(market: Market, placement: Placement) -> Alone | None:
    """The cheapest way to serve one placement with units of its own or by the hour, all its nodes alike.

    A shortest path over its days: each day is bought by the hour, or a term carries to its end.
    """
    if placement.spot:
        return Alone(placement.objective, placement)
    whole = placement.gpus_per_node == market.gpus[placement.pool]
    terms = [t for t in market.terms[placement.pool] if whole or t.shareable]
    terms = [t for t in terms if t.usable_from < placement.end and placement.start < t.end]
    days = _stops(placement, terms)
    path = _cheapest_path(market.problem, placement, terms, days)
    if path is None:
        return None
    cost, steps = path
    units = tuple((term.id, placement.nodes) for _, _, term in steps if term is not None)
    services = tuple(
        Service(placement.id, start, end, placement.nodes if term else 0, 0 if term else placement.nodes)
        for start, end, term in steps
    )
    return Alone(placement.objective + placement.nodes * cost, placement, units, services)


def _stops(placement: Placement, terms: list[UnitTerm]) -> list[int]:
    """The days of the placement on which another way of service may begin."""
    days = {placement.start, placement.end, placement.end - 1}
    for term in terms:
        days.update((term.usable_from, term.end))
    return sorted(day for day in days if placement.start <= day <= placement.end)


Step = tuple[int, int, UnitTerm | None]


def _cheapest_path(
    problem: Problem, placement: Placement, terms: list[UnitTerm], days: list[int]
) -> tuple[int, list[Step]] | None:
    """Least micros of one node from the first of `days` to the last, and the steps that lead there."""
    best: dict[int, tuple[int, list[Step]]] = {days[0]: (0, [])}
    for day, after in pairwise(days):
        if day not in best:
            continue
        cost, steps = best[day]
        found: list[tuple[int, int, UnitTerm | None]] = [
            (min(term.end, placement.end), term.objective, term) for term in terms if term.usable_from <= day < term.end
        ]
        if placement.hourly_cost is not None:
            found.append((after, _by_hour(problem, placement, day, after), None))
        for end, price, term in found:
            if end not in best or cost + price < best[end][0]:
                best[end] = (cost + price, [*steps, (day, end, term)])
    return best.get(days[-1])


def _by_hour(problem: Problem, placement: Placement, start: int, end: int) -> int:
    """Discounted micros of one node by the hour on [start, end)."""
    regular, last = placement.hourly_cost or (0, 0)
    prices = ((day, last if day == placement.end - 1 else regular) for day in range(start, end))
    if not problem.day_weights:
        return sum(price for _, price in prices)
    return sum(round(price * problem.day_weights[day]) for day, price in prices)


def cheapest_alone(market: Market, by_task: dict[int, list[tuple[float, Placement]]]) -> list[Alone] | None:
    """Each task's cheapest placement served alone, trying placements by rising bound; None when a task has none."""
    found = []
    for bounded in by_task.values():
        best: Alone | None = None
        for bound, placement in bounded:
            if best is not None and bound >= best.cost:
                break
            alone = serve_alone(market, placement)
            if alone is not None and (best is None or alone.cost < best.cost):
                best = alone
        if best is None:
            return None
        found.append(best)
    return found


def joined(parts: list[Alone]) -> Choice:
    """One plan of tasks that are served each by itself."""
    units: dict[int, int] = defaultdict(int)
    for part in parts:
        for term, count in part.units:
            units[term] += count
    return Choice(
        placements=tuple(sorted(part.placement.id for part in parts)),
        units=tuple(sorted(units.items())),
        spend=(),
        services=tuple(service for part in parts for service in part.services),
    )


def by_rising_bound(market: Market) -> dict[int, list[tuple[float, Placement]]]:
    """Task -> its placements with their lower bounds, cheapest first, without those that nothing can serve."""
    by_task: dict[int, list[tuple[float, Placement]]] = {task.id: [] for task in market.problem.tasks}
    for placements in market.placements.values():
        for placement in placements:
            bound = market.lower_bound(placement)
            if bound < INFINITE:
                by_task[placement.task].append((bound, placement))
    for bounded in by_task.values():
        bounded.sort(key=lambda entry: (entry[0], entry[1].lexical, entry[1].id))
    return by_task


def first_plan(market: Market, by_task: dict[int, list[tuple[float, Placement]]]) -> tuple[Choice, int] | None:
    """A valid plan and its cost in micros, each task by itself; None where that breaks a rule of the problem."""
    parts = cheapest_alone(market, by_task)
    if parts is None:
        return None
    choice = joined(parts)
    if violations(market.problem, choice):
        return None
    return choice, objective_of(market.problem, choice)


def without_hopeless(problem: Problem, by_task: dict[int, list[tuple[float, Placement]]], most: int) -> Problem:
    """The problem without placements that no plan of at most `most` micros can use (proof above)."""
    least = {task: bounded[0][0] for task, bounded in by_task.items() if bounded}
    room = most - floor(sum(least.values()))
    kept = {p.id for task, bounded in by_task.items() for bound, p in bounded if bound - least[task] <= room}
    return replace(problem, placements=tuple(p for p in problem.placements if p.id in kept))
