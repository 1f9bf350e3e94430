"""A lower bound on every plan from prices of units, and what each column adds to it.

Prices. lambda[pool, day, hour] >= 0 is what a unit is worth in that hour of that day; nu >= 0 what a micro of cash is
charged on top of itself, by month and over the plan. They are valid when no unit term earns more than it costs:
sum of lambda over its days and hours <= objective + nu x cash.

Bound (proof). Charge every placement for the units that it uses and pay every term for the units that it brings, at
lambda; charge cash at nu and give nu x budget back. In a valid plan units used never exceed those bought and sunk, and
cash never a budget, so this adds nothing above the plan's cost but lambda x sunk + nu x budgets. With valid prices no
term earns; so any plan costs at least
    sum over tasks of the least value of a placement - lambda x sunk - nu x budgets,
where the value of a placement is its own objective and charged cash plus, for each node and day, the smaller of the
hourly price and lambda over its hours (spot, and nodes that a savings plan may cover: nothing). For steady work the
least value is that of a path through its tasks with at most max_moves changes of option at their cost. Quotas, caps,
power, stock and shared lines only narrow the plans or add to them.

Gain of a column. A plan that uses a placement costs at least the bound plus what the least value of its task (the least
path through it) rises when it must be used; one that buys a unit term at least the bound plus what the term loses.
A column whose gain exceeds U + tolerance - bound is in no plan of at most U + tolerance.

Prices come from the factors (duals) of the serving rows of a linear relaxation, shared evenly among the days of a slot
and lowered where a term would earn; pools outside the relaxation get one price for every day, from their cheapest term.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from optimizer.program.bounds import Market
from optimizer.program.model import MICROS, Model, build
from optimizer.program.paths import cheapest_paths
from optimizer.program.problem import Placement, Problem, UnitTerm
from optimizer.program.solver import Watch, solve_relaxation
from optimizer.program.timeline import hourly_cost_on, occupies

Lambda = dict[int, list[float]]
"""Hour of the day -> micros of one unit on each day of the horizon."""


@dataclass(frozen=True, slots=True)
class Relaxed:
    """A linear relaxation: its value in micros, factors of serving rows as prices by pool, and factors on cash."""

    value: float
    prices: Mapping[int, Lambda]
    by_month: Mapping[int, float]
    whole: float


@dataclass(frozen=True, slots=True)
class Bound:
    """A lower bound on every plan in micros, and the gains of placements and of unit terms that were priced by day.

    `best`: the placements of least value, one a task.
    """

    value: float
    placements: Mapping[int, float]
    terms: Mapping[int, float]
    best: frozenset[int]
    earning: frozenset[int]


def restricted(problem: Problem, pools: set[int], terms: set[int] | None = None) -> Problem:
    """The problem with the work and purchases of these pools only, and of those only these terms if given."""
    placements = tuple(p for p in problem.placements if p.pool in pools)
    kept = tuple(t for t in problem.unit_terms if t.pool in pools and (terms is None or t.id in terms))
    return replace(problem, placements=placements, unit_terms=kept)


def relax(problem: Problem, kept: Mapping[int, int], seconds: float, threads: int, watch: Watch) -> Relaxed | None:
    """Prices of the linear relaxation; None when it has no plan or time ran out."""
    model = build(problem, kept)
    value = solve_relaxation(model.lp, seconds, threads, watch)
    if value is None:
        return None
    months = {key[1]: max(0.0, -float(row.pi or 0.0)) for key, row in model.named.items() if key[0] == "month"}
    budget = model.named.get(("budget",))
    whole = 0.0 if budget is None else max(0.0, -float(budget.pi or 0.0))
    return Relaxed(value * MICROS, _row_prices(model), months, whole)


def _row_prices(model: Model) -> dict[int, Lambda]:
    """Factors of serving rows by pool, hour and day; pools with parts of machines are left out."""
    prices: dict[int, Lambda] = {}
    shared = {key[1] for key in model.named if key[0] == "parts"}
    for key, row in model.named.items():
        if key[0] == "serve" and key[1] not in shared:
            _, pool, start, end, _, hour = key
            days = prices.setdefault(pool, {}).setdefault(hour, [0.0] * model.problem.horizon)
            days[start:end] = [max(0.0, -float(row.pi or 0.0)) * MICROS / (end - start)] * (end - start)
    return prices


def charged(problem: Problem, relaxed: Relaxed) -> Problem:
    """The problem with every cash payment charged its factor on top of the objective."""
    if not relaxed.whole and not any(relaxed.by_month.values()):
        return problem

    def extra(cash: tuple[tuple[int, int], ...]) -> int:
        return int(sum(micros * (relaxed.whole + relaxed.by_month.get(month, 0.0)) for month, micros in cash))

    weights = list(problem.day_weights or (1.0,) * problem.horizon)
    for month, (first, last) in enumerate(pairwise(problem.month_starts)):
        for day in range(first, min(last, problem.horizon)):
            weights[day] += relaxed.whole + relaxed.by_month.get(month, 0.0)
    return replace(
        problem,
        placements=tuple(replace(p, objective=p.objective + extra(p.cash)) for p in problem.placements),
        unit_terms=tuple(replace(t, objective=t.objective + extra(t.cash)) for t in problem.unit_terms),
        day_weights=tuple(weights),
    )


def bound_of(problem: Problem, relaxed: Relaxed) -> Bound:
    """The bound that the prices of a relaxation prove for the whole problem, and the gains of its columns."""
    money = charged(problem, relaxed)
    market = Market.of(money)
    prices = {pool: {hour: list(days) for hour, days in hours.items()} for pool, hours in relaxed.prices.items()}
    losses, earning = _lower_to_valid(prices, market)
    values = {p.id: _value(market, p, prices.get(p.pool)) for p in money.placements}
    least, gains, best = cheapest_paths(money, values)
    for sunk in problem.sunk:
        if sunk.pool in prices:
            least -= sunk.count * sum(sum(days[sunk.start : sunk.end]) for days in prices[sunk.pool].values())
    least -= relaxed.whole * (problem.budget or 0)
    least -= sum(factor * (problem.monthly_budget or 0) for factor in relaxed.by_month.values())
    return Bound(least, gains, losses, best, earning)


def _lower_to_valid(prices: dict[int, Lambda], market: Market) -> tuple[dict[int, float], frozenset[int]]:
    """Lower prices until no term earns; what each term loses then, and the terms that earned before."""
    losses: dict[int, float] = {}
    earning: set[int] = set()
    for pool, hours in prices.items():
        sums = _prefix(hours)
        for term in sorted(market.terms[pool], key=lambda t: t.objective - _worth(sums, t)):
            worth = _worth(sums, term)
            if worth > term.objective + 0.5:
                earning.add(term.id)
                _scale(hours, term, term.objective / worth)
                sums = _prefix(hours)
        losses.update({term.id: term.objective - _worth(sums, term) for term in market.terms[pool]})
    return losses, frozenset(earning)


def _prefix(hours: Lambda) -> list[float]:
    """Worth of one unit on all days before each day, over all hours."""
    return list(accumulate(map(sum, zip(*hours.values(), strict=True)), initial=0.0))


def _worth(sums: list[float], term: UnitTerm) -> float:
    last = len(sums) - 1
    return sums[min(term.end, last)] - sums[min(max(term.usable_from, 0), last)]


def _scale(hours: Lambda, term: UnitTerm, factor: float) -> None:
    for days in hours.values():
        days[term.usable_from : term.end] = [micros * factor for micros in days[term.usable_from : term.end]]


def _value(market: Market, placement: Placement, hours: Lambda | None) -> float:
    """What a placement costs at least at these prices; with one price for every day where its pool has none by day."""
    if hours is None or placement.spot or placement.pool in market.covered:
        return market.lower_bound(placement)
    busy = [days for hour, days in hours.items() if occupies(placement, hour)]
    weights = market.problem.day_weights
    total = 0.0
    for day in range(placement.start, placement.end):
        worth = sum(days[day] for days in busy)
        by_hour = hourly_cost_on(placement, day)
        if by_hour is not None:
            worth = min(worth, max(0.0, by_hour * (weights[day] if weights else 1.0) - 1))
        total += worth
    return placement.objective + placement.nodes * total
