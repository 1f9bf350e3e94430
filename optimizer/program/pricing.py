"""Prices from the linear relaxation, and what pools and purchases outside it could bring at these prices.

Weak duality (proof). Let P be the pools that the program holds and (pi, rho, mu, nu) dual values of its linear
relaxation: pi of "each task is placed once", rho of arrivals, mu of moves, nu of cash limits, all other <= rows with
non-negative factors. For a pool outside P, a lower bound of what its placements cost in any plan (bounds.py), with
every cash payment charged 1 + nu, less pi of their tasks, bounds its part of the Lagrangian from below; rows that
count it (quotas, caps, power, shared lines) can only add to that. For steady work the arrival factors of an option
that is new to the program may be chosen freely in [0, mu of the move], so a stretch of months costs at least its sum
plus mu of the move into it. So the relaxation over all pools is at least that over P plus, for each other pool, the
least such sum (0 or below); and a plan that uses a placement outside costs at least that bound plus the least sum of
a stretch through it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from optimizer.program.bounds import INFINITE, Market
from optimizer.program.model import MICROS, Model, build
from optimizer.program.problem import Problem
from optimizer.program.reduce import without_dominated_terms, without_idle_terms
from optimizer.program.solver import Watch, solve_relaxation


@dataclass(frozen=True, slots=True)
class Prices:
    """Dual values of a relaxation: micros a task is worth, micros a move costs, and factors on cash.

    `value` of the relaxation in micros. `by_month` and `whole` are what a micro of cash costs on top of itself.
    `placements`, `terms`: reduced costs in micros, what the relaxation loses at least when one of them is used.
    """

    value: float
    tasks: Mapping[int, float]
    moves: Mapping[tuple[int, int], float]
    by_month: Mapping[int, float]
    whole: float
    placements: Mapping[int, float]
    terms: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Offered:
    """What one pool outside the program could bring.

    `least` micros (0 or below) to the relaxation; `gains`: micros that a plan costs more at least when it uses that
    placement.
    """

    pool: int
    least: float
    gains: Mapping[int, float]

    @property
    def used(self) -> float:
        """Micros that a plan costs more at least when it uses the pool at all."""
        return min(self.gains.values(), default=INFINITE)


def restricted(problem: Problem, pools: set[int]) -> Problem:
    """The problem with the work and purchases of these pools only."""
    placements = tuple(p for p in problem.placements if p.pool in pools)
    terms = tuple(t for t in problem.unit_terms if t.pool in pools)
    return replace(problem, placements=placements, unit_terms=terms)


def relax(problem: Problem, kept: Mapping[int, int], seconds: float, threads: int, watch: Watch) -> Prices | None:
    """Prices of the linear relaxation; None when it has no plan or time ran out."""
    model = build(without_dominated_terms(without_idle_terms(problem)), kept)
    value = solve_relaxation(model.lp, seconds, threads, watch)
    return None if value is None else _prices(model, value)


def _prices(model: Model, value: float) -> Prices:
    def dual(*key: object) -> float:
        row = model.named.get(key)
        return 0.0 if row is None else float(row.pi or 0.0)

    months = {key[1]: max(0.0, -dual(*key)) for key in model.named if key[0] == "month"}
    return Prices(
        value=value * MICROS,
        tasks={task.id: dual("place", task.id) * MICROS for task in model.problem.tasks},
        moves={key: -dual("move", *key) * MICROS for key in model.moves},
        by_month=months,
        whole=max(0.0, -dual("budget")),
        placements={key: float(column.dj or 0.0) * MICROS for key, column in model.z.items()},
        terms={key: float(column.dj or 0.0) * MICROS for key, column in model.x.items()},
    )


def priced(problem: Problem, prices: Prices) -> Problem:
    """The problem with every cash payment charged its factor on top of the objective."""
    if not prices.whole and not any(prices.by_month.values()):
        return problem

    def extra(cash: tuple[tuple[int, int], ...]) -> int:
        return int(sum(micros * (prices.whole + prices.by_month.get(month, 0.0)) for month, micros in cash))

    factors = [0.0] * problem.horizon
    for month, (first, last) in enumerate(pairwise(problem.month_starts)):
        for day in range(first, min(last, problem.horizon)):
            factors[day] = prices.whole + prices.by_month.get(month, 0.0)
    weights = problem.day_weights or (1.0,) * problem.horizon
    return replace(
        problem,
        placements=tuple(replace(p, objective=p.objective + extra(p.cash)) for p in problem.placements),
        unit_terms=tuple(replace(t, objective=t.objective + extra(t.cash)) for t in problem.unit_terms),
        day_weights=tuple(weight + factor for weight, factor in zip(weights, factors, strict=False)),
    )


def offered(problem: Problem, prices: Prices, pools: Iterable[int]) -> list[Offered]:
    """What each of these pools could bring at these prices."""
    market = Market.of(priced(problem, prices))
    chain_of = {task.id: task.chain for task in problem.tasks}
    order = _positions(problem)
    found = []
    for pool in pools:
        jobs: dict[int, dict[int, float]] = defaultdict(dict)
        steady: dict[tuple[int, int], dict[int, list[tuple[float, int]]]] = defaultdict(lambda: defaultdict(list))
        for placement in market.placements.get(pool, []):
            gain = market.lower_bound(placement) - prices.tasks[placement.task]
            chain = chain_of[placement.task]
            if chain is None:
                jobs[placement.task][placement.id] = gain
            else:
                steady[chain, placement.option][order[placement.task]].append((gain, placement.id))
        found.append(_offered(pool, jobs, steady, prices))
    return found


def _offered(
    pool: int,
    jobs: Mapping[int, dict[int, float]],
    steady: Mapping[tuple[int, int], Mapping[int, list[tuple[float, int]]]],
    prices: Prices,
) -> Offered:
    least, gains = 0.0, {}
    for by_placement in jobs.values():
        least += min(0.0, *by_placement.values())
        gains.update(by_placement)
    for (chain, _), entries in steady.items():
        best = {index: min(entries[index])[0] for index in entries}
        moves = {index: prices.moves.get((chain, index), 0.0) for index in entries}
        several, through = stretches(best, moves)
        least += several
        for index, alternatives in entries.items():
            gains.update({key: through[index] + gain - best[index] for gain, key in alternatives})
    return Offered(pool, least, gains)


def stretches(gains: Mapping[int, float], moves: Mapping[int, float]) -> tuple[float, dict[int, float]]:
    """Least sum of any number of stretches of consecutive tasks, each with the move into it (none into task 0).

    And for each task the least sum of one stretch through it.
    """
    order = sorted(gains)
    into: dict[int, float] = {}
    onward: dict[int, float] = {}
    outside = 0.0
    inside = INFINITE
    for index in order:
        arrive = 0.0 if index == 0 else moves[index]
        into[index] = min(arrive, into[index - 1] + gains[index - 1]) if index - 1 in into else arrive
        carried = inside if index - 1 in gains else INFINITE
        outside = min(outside, inside)
        inside = gains[index] + min(outside + arrive, carried)
    for index in reversed(order):
        onward[index] = min(0.0, gains[index + 1] + onward[index + 1]) if index + 1 in onward else 0.0
    through = {index: into[index] + gains[index] + onward[index] for index in order}
    return min(outside, inside), through


def _positions(problem: Problem) -> dict[int, int]:
    """Task of steady work -> its place in its chain."""
    seen: dict[int, int] = defaultdict(int)
    places = {}
    for task in problem.tasks:
        if task.chain is not None:
            places[task.id] = seen[task.chain]
            seen[task.chain] += 1
    return places
