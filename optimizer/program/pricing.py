"""A lower bound on every plan from prices of units, and what each column adds to it.

Prices. lambda[pool, day, hour] >= 0 is what a unit is worth in that hour of that day; nu >= 0 what a micro of cash is
charged on top of itself, by month and over the plan. They are valid when no unit term earns more than it costs:
sum of lambda over its days and hours <= objective + nu x cash.

Bound (proof). Charge every placement for the units that it uses and pay every term for the units that it brings, at
lambda; charge cash at nu and give nu x budget back. In a valid plan units used never exceed those bought and sunk, and
cash never a budget, so this adds nothing above the plan's cost but lambda x sunk + nu x budgets. With valid prices no
term earns; so any plan costs at least
    sum over tasks of the least value of a placement - lambda x sunk - nu x budgets,
where the value of a placement is its own objective and charged cash plus, for each node and day, the smallest of the
hourly price, its part of the machine times lambda over its hours, and what a savings plan costs at least (bounds.py;
spot: nothing). That parts fit only on units that may be shared narrows the plans and is left aside. For steady work
the least value is that of a path through its tasks with at most max_moves changes of option at their cost. Quotas,
caps, power, stock and shared lines only narrow the plans or add to them.

Gain of a column. A plan that uses a placement costs at least the bound plus what the least value of its task (the least
path through it) rises when it must be used; one that buys a unit term at least the bound plus what the term loses.
A column whose gain exceeds U + tolerance - bound is in no plan of at most U + tolerance.

Prices come from the factors (duals) of the serving rows of a linear relaxation, shared evenly among the days of a slot
and lowered where a term would earn; days and pools outside the relaxation get what work would pay there, or one price
for every day, from their cheapest term.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from optimizer.program.board import Array, Board, Hours, Kind, PoolBoard, share_of
from optimizer.program.bounds import INFINITE
from optimizer.program.budgets import exceeding
from optimizer.program.build import build, minimize
from optimizer.program.model import MICROS, Model, Terms
from optimizer.program.paths import cheapest_paths
from optimizer.program.problem import Problem
from optimizer.program.solver import Watch, solve_relaxation
from optimizer.program.timeline import HOURS

NOISE_MICROS, NOISE_SHARE = (
    100.0,
    1e-9,
)  # how far sums of floats may lie above the truth: a thousandth of what is proven
EARNING_MICROS = 0.01  # a term that earns no more than this is no reason to lower prices
UNPRICED = -1.0  # a day on which the relaxation has no work in the pool, and so no price

Lambda = dict[int, Array]
"""Hour of the day -> micros of one unit on each day of the horizon."""


@dataclass(frozen=True, slots=True)
class Relaxed:
    """A linear relaxation: its value in micros, factors of serving rows as prices by pool, and factors on cash.

    `tasks`: what each task is worth to it in micros (the factor of its row).
    """

    value: float
    prices: Mapping[int, Lambda]
    by_month: Mapping[int, float]
    whole: float
    tasks: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Bound:
    """A lower bound on every plan in micros, and the gains of placements and of unit terms that were priced by day.

    `earning`: unit terms that cost less than what they were worth before prices were lowered. `by_hour`: placements
    that are cheaper by the hour than from units on some day.
    """

    value: float
    placements: Mapping[int, float]
    terms: Mapping[int, float]
    earning: frozenset[int]
    by_hour: frozenset[int]


@dataclass(frozen=True, slots=True)
class Columns:
    """Ids of the placements and unit terms that a relaxation holds, and of the placements served by the hour in it."""

    placements: frozenset[int]
    terms: frozenset[int]
    hourly: frozenset[int]

    def __or__(self, other: "Columns") -> "Columns":
        """Both together."""
        return Columns(self.placements | other.placements, self.terms | other.terms, self.hourly | other.hourly)

    def of(self, problem: Problem) -> Problem:
        """The problem with these columns only; what is asked of terms is left aside, as they may not be among them."""
        placements = tuple(
            p if p.id in self.hourly else replace(p, hourly_cost=None)
            for p in problem.placements
            if p.id in self.placements
        )
        terms = tuple(t for t in problem.unit_terms if t.id in self.terms)
        return replace(problem, placements=placements, unit_terms=terms, asked_terms=None)


def relax(
    problem: Problem, penalty: int | None, seconds: float, threads: int, watch: Watch, *, quick: bool = False
) -> Relaxed | None:
    """Prices of the linear relaxation, in which budgets may be exceeded; None when it has no plan or time ran out.

    `penalty`: micros for leaving out a work, where that is allowed for the sake of prices. `quick`: by simplex, whose
    factors bound worse.
    """
    problem = exceeding(problem)
    model = build(problem if penalty is None else replace(problem, optional_tasks=True))
    if penalty is not None:
        left_out: Terms = [(column, -penalty / MICROS) for column in model.keep.values()]
        minimize(model, left_out + list(model.lp.objective.items()))
    value = solve_relaxation(model.lp, seconds, threads, watch, vertex=quick)
    if value is None:
        return None
    value += (penalty or 0) / MICROS * len(model.keep)
    months = {key[1]: max(0.0, -float(row.pi or 0.0)) for key, row in model.named.items() if key[0] == "month"}
    budget = model.named.get(("budget",))
    whole = 0.0 if budget is None else max(0.0, -float(budget.pi or 0.0))
    tasks = {key[1]: max(0.0, float(row.pi or 0.0)) * MICROS for key, row in model.named.items() if key[0] == "place"}
    return Relaxed(value * MICROS, _row_prices(model), months, whole, tasks)


def _row_prices(model: Model) -> dict[int, Lambda]:
    """Factors of serving rows by pool, hour and day, of whole machines; a row in GPUs counts `scale` of them a unit."""
    prices: dict[int, Lambda] = {}
    for key, row in model.named.items():
        if key[0] == "serve":
            _, pool, start, end, scale, hour = key
            days = prices.setdefault(pool, {}).setdefault(hour, np.full(model.problem.horizon, UNPRICED))
            days[start:end] = max(0.0, -float(row.pi or 0.0)) * scale * MICROS / (end - start)
    return prices


@dataclass(slots=True)
class Charged:
    """A problem's columns with every cash payment charged its factor on top of the objective, in micros."""

    board: Board
    relaxed: Relaxed
    objective: Array = field(init=False)
    term_objective: Array = field(init=False)
    weights: Array = field(init=False)

    def __post_init__(self) -> None:
        """Charge placements, unit terms and each day of service by the hour."""
        board, whole, by_month = self.board, self.relaxed.whole, self.relaxed.by_month
        self.objective = board.objective + board.cash.charged(board.objective.size, whole, by_month)
        self.term_objective = board.term_objective + board.term_cash.charged(board.term_objective.size, whole, by_month)
        months = np.full(int(board.month_of_day.max(initial=0)) + 1, whole)
        for month, factor in by_month.items():
            if month < months.size:
                months[month] += factor
        self.weights = board.weights + months[board.month_of_day]


def filled(board: Board, relaxed: Relaxed) -> Relaxed:
    """The prices with what work would pay on days and in pools of which the relaxation has no price.

    Without that, work that the relaxation does not hold yet would look free on those days, or as cheap as the longest
    term allows. What work would pay is enough to keep it where it is; where a term would earn at such prices it is
    lowered like any other, and the pool is called for.
    """
    money = Charged(board, relaxed)
    worth = np.array([relaxed.tasks.get(p.task, 0.0) for p in board.problem.placements])
    prices: dict[int, Lambda] = {}
    for pool, mine in board.pools.items():
        hours = relaxed.prices.get(pool, {})
        if not mine.kinds or (mine.has_sunk and not hours):
            continue
        offered = _offered(money, mine, worth - money.objective)
        prices[pool] = _overlaid(offered, hours, board.problem.horizon)
    return replace(relaxed, prices=prices)


def _overlaid(offered: Lambda, hours: Lambda, horizon: int) -> Lambda:
    """The relaxation's prices where it has any on a day, else the offered ones."""
    if not hours:
        return offered
    priced = np.any([days >= 0 for days in hours.values()], axis=0)
    none = np.zeros(horizon)
    return {
        hour: np.where(priced, np.maximum(hours.get(hour, none), 0.0), offered.get(hour, none))
        for hour in sorted({*offered, *hours})
    }


def _offered(money: Charged, mine: PoolBoard, worth: Array) -> Lambda:
    """The most that any work pays for a unit of a pool on each day: its worth in micros, spread over its unit-days.

    On a day of some hours it is spread over the first hours of windows that it holds.
    """
    board = money.board
    hours = {hour: np.zeros(board.problem.horizon) for hour in mine.keys}
    for window, (ordered, begins, days) in mine.stretches.items():
        busy = [hours[hour] for hour in mine.keys if _holds(window, hour)]
        days_used = board.end[ordered] - board.start[ordered]
        unit_days = np.maximum(board.nodes[ordered], 1) * board.parts[ordered] * days_used
        most = np.maximum.reduceat(worth[ordered] / (unit_days * len(busy)), begins)
        for (start, end), least in zip(days, most, strict=True):
            for prices in busy if least > 0 else ():
                np.maximum(prices[start:end], least, out=prices[start:end])
    return hours


def _holds(window: Hours, hour: int) -> bool:
    return window is None or (hour - window[0]) % HOURS < window[1]


def blended(old: Relaxed, new: Relaxed) -> Relaxed:
    """Prices halfway between two: those of a relaxation with few columns swing, and the middle bounds better.

    Any prices bound, once they are lowered to valid ones; a pool that only one of them prices keeps that price.
    """
    prices = {pool: _halfway(old.prices.get(pool), hours) for pool, hours in new.prices.items()}
    months = {*old.by_month, *new.by_month}
    by_month = {month: (old.by_month.get(month, 0.0) + new.by_month.get(month, 0.0)) / 2 for month in months}
    return replace(new, prices={**old.prices, **prices}, by_month=by_month, whole=(old.whole + new.whole) / 2)


def _halfway(old: Lambda | None, new: Lambda) -> Lambda:
    if old is None or old.keys() != new.keys():
        return new
    return {hour: (np.maximum(old[hour], 0.0) + np.maximum(days, 0.0)) / 2 for hour, days in new.items()}


def bound_of(board: Board, relaxed: Relaxed) -> Bound:
    """The bound that the prices of a relaxation prove for the whole problem, and the gains of its columns."""
    problem = board.problem
    money = Charged(board, relaxed)
    prices = {
        pool: {hour: np.maximum(micros, 0.0) for hour, micros in hours.items()}
        for pool, hours in relaxed.prices.items()
        if pool in board.pools
    }
    losses, earning = _lower_to_valid(prices, money)
    values, cheaper = money.objective.copy(), np.zeros(money.objective.size, dtype=bool)
    for pool, mine in board.pools.items():
        _add_service(money, mine, prices.get(pool), values, cheaper)
    least, gains = cheapest_paths(problem, values)
    for sunk in problem.sunk:
        if sunk.pool in prices:
            least -= sunk.count * sum(float(days[sunk.start : sunk.end].sum()) for days in prices[sunk.pool].values())
    least -= relaxed.whole * (problem.budget or 0)
    least -= sum(factor * (problem.monthly_budget or 0) for factor in relaxed.by_month.values())
    if least < INFINITE:
        least -= NOISE_MICROS + NOISE_SHARE * abs(least)
    ids = [placement.id for placement in problem.placements]
    by_hour = frozenset(identity for identity, is_cheaper in zip(ids, cheaper.tolist(), strict=True) if is_cheaper)
    return Bound(least, dict(zip(ids, gains.tolist(), strict=True)), losses, earning, by_hour)


def _add_service(money: Charged, mine: PoolBoard, hours: Lambda | None, values: Array, cheaper: Array) -> None:
    """Add what each placement of a pool pays at least for service: each node and day at the unit's price or the hour's.

    Where the pool has no prices by day: one price for every day, that of its cheapest term, for the part it takes.
    """
    board = money.board
    flat = 0.0 if hours is not None else board.cheapest_unit_day(mine, money.term_objective)
    for kind, positions in mine.kinds.items():
        if hours is None:
            worth = np.full(board.problem.horizon, flat * share_of(kind, mine.gpus) if flat else 0.0)
        else:
            unit = sum(
                (days for hour, days in hours.items() if _holds(kind.hours, hour)), np.zeros(board.problem.horizon)
            )
            worth = unit * (kind.gpus_per_node / mine.gpus)
        served, is_cheaper = _served(money, kind, worth, positions, mine.covered)
        values[positions] += board.nodes[positions] * served
        cheaper[positions] = is_cheaper & (hours is not None)


def _served(
    money: Charged, kind: Kind, worth: Array, positions: Array, covered: float = INFINITE
) -> tuple[Array, Array]:
    """Micros of one node on all days of each placement, and whether some day of it is cheaper by the hour.

    `covered`: what an hour costs at least under a savings plan, which pays for nodes by the hour.
    """
    start, end = money.board.start[positions], money.board.end[positions]
    if kind.hourly_cost is None:
        if np.isinf(worth).any():
            return np.full(positions.size, INFINITE), np.zeros(positions.size, dtype=bool)
        before = np.concatenate(([0.0], np.cumsum(worth)))
        return before[end] - before[start], np.zeros(positions.size, dtype=bool)
    under_plan = covered * (HOURS if kind.hours is None else kind.hours[1])
    by_hour = (np.maximum(cost * money.weights - 1, 0.0) for cost in kind.hourly_cost)
    regular, last = (np.minimum(price, under_plan) for price in by_hour)
    before = np.concatenate(([0.0], np.cumsum(np.minimum(worth, regular))))
    days_cheaper = np.concatenate(([0], np.cumsum(regular < worth)))
    final = end - 1
    micros = before[final] - before[start] + np.minimum(worth, last)[final]
    return micros, (days_cheaper[final] > days_cheaper[start]) | (last < worth)[final]


def _lower_to_valid(prices: dict[int, Lambda], money: Charged) -> tuple[dict[int, float], frozenset[int]]:
    """Lower prices until no term earns; what each term loses then, and the terms that earned before."""
    board, terms = money.board, money.board.problem.unit_terms
    losses: dict[int, float] = {}
    earning: set[int] = set()
    for pool, hours in prices.items():
        mine = board.pools[pool].terms
        objective, sums = money.term_objective[mine], _prefix(hours)
        losing = objective - (sums[board.term_end[mine]] - sums[board.term_start[mine]])
        for index in np.argsort(losing, kind="stable"):
            if losing[index] >= -EARNING_MICROS:
                break
            position = mine[index]
            first, last = int(board.term_start[position]), int(board.term_end[position])
            if sums[last] - sums[first] > objective[index] + EARNING_MICROS:
                earning.add(terms[position].id)
                _cap(hours, first, last, float(objective[index]))
                sums = _prefix(hours)
        losing = objective - (sums[board.term_end[mine]] - sums[board.term_start[mine]])
        losses.update(zip((terms[position].id for position in mine), losing.tolist(), strict=True))
    return losses, frozenset(earning)


def _prefix(hours: Lambda) -> Array:
    """Worth of one unit on all days before each day, over all hours."""
    return np.concatenate(([0.0], np.cumsum(sum(hours.values()))))


def _cap(hours: Lambda, first: int, last: int, most: float) -> None:
    """Cut the dearest days [first, last) down to one height, so that together they are worth `most`."""
    totals = sum(days[first:last] for days in hours.values())
    height = _height(np.sort(totals), most)
    scale = np.ones(last - first)
    np.divide(height, totals, out=scale, where=totals > height)
    for days in hours.values():
        days[first:last] *= scale


def _height(totals: Array, most: float) -> float:
    """The height at which totals, in rising order, must be cut to add up to `most`."""
    if not totals.size:
        return 0.0
    left = max(most, 0.0) - np.concatenate(([0.0], np.cumsum(totals)[:-1]))
    heights = left / np.arange(totals.size, 0, -1)
    fits = np.flatnonzero(totals >= heights)
    return max(0.0, float(heights[fits[0]])) if fits.size else float(totals[-1])
