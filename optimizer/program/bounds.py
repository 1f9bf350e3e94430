"""What each placement costs at least in any plan, and a first plan that serves every task by itself.

Lower bound (proof). In any plan a node-day of a placement is served by the hour at its own price, by a sunk unit, or by
a bought unit. A unit of term t serves at most 24 GPU-hours a GPU on each of its days, and no day without work in its
pool: so one whole unit-day of service costs at least r = min over terms of objective / (days of the term on which its
pool may have work), and a part (g of G GPUs, h of 24 hours) at least g/G x h/24 of r. Adding this up over the days of
all placements of a plan counts each purchase at most once: the sum of their bounds is at most the plan's cost.
Moves and shared lines are bounded by 0. Money committed in a savings plan covers at most its amount in each hour of the
days of the plan on which it has work, so a covered node-hour costs at least its rate x objective of a step / (step x
those hours); a covered node takes every hour of its placement's day or window. Adding this up counts each step once.

Removal (proof). Let b(c) be the bound of placement c, m(t) the least bound of task t, M = sum of m(t), and U the cost
of some valid plan. A plan that uses c costs at least M - m(t) + b(c). If that exceeds U + tolerance, c is in no plan
within the tolerance of the optimum, and leaving it out changes neither the optimum nor any tie.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import floor

from optimizer.program.check import Choice, objective_of, violations
from optimizer.program.problem import Placement, Problem, Service, UnitTerm
from optimizer.program.timeline import HOURS

INFINITE = float("inf")


@dataclass(slots=True)
class Market:
    """A problem's records by pool, for bounds. `covered`: least micros of a node-hour under a savings plan by pool."""

    problem: Problem
    placements: dict[int, list[Placement]]
    terms: dict[int, list[UnitTerm]]
    rates: dict[int, float]
    gpus: dict[int, int]
    covered: dict[int, float]

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
        rates = {
            pool: 0.0 if pool in free else _cheapest_unit_day(placed, terms[pool])
            for pool, placed in placements.items()
        }
        gpus = {pool.id: pool.gpus for pool in problem.pools}
        return cls(problem, placements, terms, rates, gpus, covered_hours(problem))

    def lower_bound(self, placement: Placement) -> float:
        """Micros (objective) that the placement costs at least in any plan."""
        if placement.spot:
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
            covered = self.covered.get(placement.pool, INFINITE) * hours_of(placement)
            regular, last = (min(covered, max(0.0, cost * least - 1)) for cost in placement.hourly_cost)
            served = (days - 1) * min(unit_day, regular) + min(unit_day, last)
        return placement.objective + placement.nodes * served


def _cheapest_unit_day(placements: list[Placement], terms: list[UnitTerm]) -> float:
    """Least objective of a term per day on which it can serve work of the pool; infinite when none can."""
    stretches = union_of({(p.start, p.end) for p in placements if not p.spot})
    best = INFINITE
    for term in terms:
        days = days_within(stretches, term)
        if days:
            best = min(best, term.objective / days)
    return best


def hours_of(placement: Placement) -> int:
    """Hours of each of its days for which a placement holds its nodes."""
    return HOURS if placement.hours is None else placement.hours[1]


def covered_hours(problem: Problem) -> dict[int, float]:
    """Pool -> least micros (objective) of one node for one hour under any savings plan (proof above)."""
    least: dict[int, float] = {}
    for plan in problem.spend_terms:
        pools = dict(plan.rates)
        work = union_of({(p.start, p.end) for p in problem.placements if p.pool in pools and not p.spot})
        days = sum(max(0, min(end, plan.end) - max(start, plan.start)) for start, end in work)
        for pool, rate in plan.rates if days else ():
            micros = plan.objective * rate / (plan.step_micros_per_hour * HOURS * days)
            least[pool] = min(least.get(pool, INFINITE), micros)
    return least


Stretches = Sequence[tuple[int, int]]


def union_of(stretches: Iterable[tuple[int, int]]) -> Stretches:
    """Disjoint stretches in order that cover the same days."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(stretches):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def days_within(stretches: Stretches, term: UnitTerm) -> int:
    """How many days of the stretches the term covers."""
    return sum(max(0, min(end, term.end) - max(start, term.usable_from)) for start, end in stretches)


@dataclass(frozen=True, slots=True)
class Alone:
    """A run of placements served by itself: cost (objective micros), units it buys and who serves it."""

    cost: int
    placements: tuple[Placement, ...]
    units: tuple[tuple[int, int], ...] = ()
    services: tuple[Service, ...] = ()


def serve_alone(market: Market, run: tuple[Placement, ...]) -> Alone | None:
    """The cheapest way to serve one run with units of its own or by the hour, all its nodes alike.

    A run is one placement, or the placements of steady work on one option, on days without a gap. A shortest path over
    the days: each day is bought by the hour, or a term carries to its end.
    """
    fixed = sum(placement.objective for placement in run)
    if run[0].spot:
        return Alone(fixed, run)
    whole = run[0].gpus_per_node == market.gpus[run[0].pool]
    start, end = run[0].start, run[-1].end
    terms = [t for t in market.terms[run[0].pool] if t.usable_from < end and start < t.end and (whole or t.shareable)]
    path = _cheapest_path(market.problem, run, terms)
    if path is None:
        return None
    cost, steps = path
    units = tuple((term.id, run[0].nodes) for _, _, term in steps if term is not None)
    return Alone(fixed + run[0].nodes * cost, run, units, tuple(_services(run, steps)))


def _services(run: tuple[Placement, ...], steps: list["Step"]) -> Iterable[Service]:
    for placement in run:
        for start, end, term in steps:
            first, last = max(start, placement.start), min(end, placement.end)
            if first < last:
                nodes = placement.nodes
                yield Service(placement.id, first, last, nodes if term else 0, 0 if term else nodes)


Step = tuple[int, int, UnitTerm | None]


def _cheapest_path(
    problem: Problem, run: tuple[Placement, ...], terms: list[UnitTerm]
) -> tuple[int, list[Step]] | None:
    """Least micros of one node from the first day of the run to its end, and the steps that lead there."""
    first, last = run[0].start, run[-1].end
    stops = {day for placement in run for day in (placement.start, placement.end - 1, placement.end)}
    stops.update(day for term in terms for day in (term.usable_from, term.end))
    days = sorted(day for day in stops if first <= day <= last)
    best: dict[int, tuple[int, Step | None]] = {first: (0, None)}
    for day, after in pairwise(days):
        if day not in best:
            continue
        ways: list[tuple[int, int, UnitTerm | None]] = [
            (min(term.end, last), term.objective, term) for term in terms if term.usable_from <= day < term.end
        ]
        by_hour = _by_hour(problem, run, day, after)
        if by_hour is not None:
            ways.append((after, by_hour, None))
        for end, price, term in ways:
            if end not in best or best[day][0] + price < best[end][0]:
                best[end] = (best[day][0] + price, (day, end, term))
    return (best[last][0], _steps(best, last)) if last in best else None


def _steps(best: dict[int, tuple[int, Step | None]], last: int) -> list[Step]:
    """The steps that lead to the last day, in order."""
    steps: list[Step] = []
    step = best[last][1]
    while step is not None:
        steps.append(step)
        step = best[step[0]][1]
    return steps[::-1]


def _by_hour(problem: Problem, run: tuple[Placement, ...], start: int, end: int) -> int | None:
    """Discounted micros of one node by the hour on [start, end), days of one placement; None when not sold so."""
    placement = next(placement for placement in run if placement.start <= start < placement.end)
    if placement.hourly_cost is None:
        return None
    regular, last = placement.hourly_cost
    prices = ((day, last if day == placement.end - 1 else regular) for day in range(start, end))
    if not problem.day_weights:
        return sum(price for _, price in prices)
    return sum(round(price * problem.day_weights[day]) for day, price in prices)


Bounded = list[tuple[float, Placement]]


def by_rising_bound(market: Market) -> dict[int, Bounded]:
    """Task -> its placements with their lower bounds, cheapest first, without those that nothing can serve."""
    by_task: dict[int, Bounded] = {task.id: [] for task in market.problem.tasks}
    for placements in market.placements.values():
        for placement in placements:
            bound = market.lower_bound(placement)
            if bound < INFINITE:
                by_task[placement.task].append((bound, placement))
    for bounded in by_task.values():
        bounded.sort(key=lambda entry: (entry[0], entry[1].lexical, entry[1].id))
    return by_task


def first_plan(market: Market, by_task: dict[int, Bounded]) -> tuple[Choice, int] | None:
    """A valid plan and its cost in micros: each job, and each steady work on one option, served by itself.

    None where that breaks a rule of the problem.
    """
    parts = []
    for runs in _runs(market.problem, by_task):
        best = _cheapest_alone(market, runs)
        if best is None:
            return None
        parts.append(best)
    choice = joined(parts)
    if violations(market.problem, choice):
        return None
    return choice, objective_of(market.problem, choice)


Runs = list[tuple[float, tuple[Placement, ...]]]


def _runs(problem: Problem, by_task: dict[int, Bounded]) -> Iterable[Runs]:
    """For each job its placements, for each steady work its options, with bounds, cheapest first."""
    chains: dict[int, list[int]] = defaultdict(list)
    for task in problem.tasks:
        if task.chain is None:
            yield [(bound, (placement,)) for bound, placement in by_task[task.id]]
        else:
            chains[task.chain].append(task.id)
    for tasks in chains.values():
        yield _options(tasks, by_task)


def _options(tasks: list[int], by_task: dict[int, Bounded]) -> Runs:
    """The options that serve every task of a chain with equal nodes on days without a gap, by rising sum of bounds."""
    found: dict[int, dict[int, tuple[float, Placement]]] = defaultdict(dict)
    for task in tasks:
        for bound, placement in by_task[task]:
            found[placement.option].setdefault(task, (bound, placement))
    runs = []
    for by_option in found.values():
        if len(by_option) == len(tasks):
            run = tuple(by_option[task][1] for task in tasks)
            if all(before.end == after.start and before.nodes == after.nodes for before, after in pairwise(run)):
                runs.append((sum(bound for bound, _ in by_option.values()), run))
    return sorted(runs, key=lambda entry: (entry[0], entry[1][0].lexical, entry[1][0].id))


def _cheapest_alone(market: Market, runs: Runs) -> Alone | None:
    """The cheapest run served alone, trying runs by rising bound."""
    best: Alone | None = None
    for bound, run in runs:
        if best is not None and bound >= best.cost:
            break
        alone = serve_alone(market, run)
        if alone is not None and (best is None or alone.cost < best.cost):
            best = alone
    return best


def joined(parts: list[Alone]) -> Choice:
    """One plan of runs that are served each by itself."""
    units: dict[int, int] = defaultdict(int)
    for part in parts:
        for term, count in part.units:
            units[term] += count
    return Choice(
        placements=tuple(sorted(placement.id for part in parts for placement in part.placements)),
        units=tuple(sorted(units.items())),
        spend=(),
        services=tuple(service for part in parts for service in part.services),
    )


def least_of_all(by_task: dict[int, Bounded]) -> int:
    """Micros that every plan costs at least: the sum of the least bounds of the tasks that can be served."""
    return floor(sum(bounded[0][0] for bounded in by_task.values() if bounded))


def without_hopeless(problem: Problem, by_task: dict[int, Bounded], most: int) -> Problem:
    """The problem without placements that no plan of at most `most` micros can use (proof above)."""
    least = {task: bounded[0][0] for task, bounded in by_task.items() if bounded}
    room = most - least_of_all(by_task)
    kept = {p.id for task, bounded in by_task.items() for bound, p in bounded if bound - least[task] <= room}
    return replace(problem, placements=tuple(p for p in problem.placements if p.id in kept))
