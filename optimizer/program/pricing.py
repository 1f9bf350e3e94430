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

from optimizer.program.bounds import INFINITE, Market, union_of
from optimizer.program.build import build, minimize
from optimizer.program.model import MICROS, Model, Terms
from optimizer.program.paths import cheapest_paths
from optimizer.program.problem import Placement, Problem, UnitTerm
from optimizer.program.solver import Watch, solve_relaxation
from optimizer.program.timeline import HOURS, hourly_cost_on, occupies

NOISE_MICROS, NOISE_SHARE = 100.0, 1e-10  # how far sums of floats may lie above the truth, generously
UNPRICED = -1.0  # a day on which the relaxation has no work in the pool, and so no price

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
        """The problem with these columns only."""
        placements = tuple(
            p if p.id in self.hourly else replace(p, hourly_cost=None)
            for p in problem.placements
            if p.id in self.placements
        )
        terms = tuple(t for t in problem.unit_terms if t.id in self.terms)
        return replace(problem, placements=placements, unit_terms=terms)


def relax(problem: Problem, penalty: int | None, seconds: float, threads: int, watch: Watch) -> Relaxed | None:
    """Prices of the linear relaxation, in which budgets may be exceeded; None when it has no plan or time ran out.

    `penalty`: micros for leaving out a work, where that is allowed for the sake of prices.
    """
    model = build(problem if penalty is None else replace(problem, optional_tasks=True), may_exceed=True)
    if penalty is not None:
        left_out: Terms = [(column, -penalty / MICROS) for column in model.keep.values()]
        minimize(model, left_out + list(model.lp.objective.items()))
    value = solve_relaxation(model.lp, seconds, threads, watch)
    if value is None:
        return None
    value += (penalty or 0) / MICROS * len(model.keep)
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
            days = prices.setdefault(pool, {}).setdefault(hour, [UNPRICED] * model.problem.horizon)
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


def filled(problem: Problem, relaxed: Relaxed) -> Relaxed:
    """The prices with a pool's one price on the days on which the relaxation has no work in it.

    Without that, work that the relaxation does not hold yet would look free on those days.
    """
    market = Market.of(charged(problem, relaxed))
    prices = {}
    for pool, hours in relaxed.prices.items():
        priced = [any(days[day] >= 0 for days in hours.values()) for day in range(problem.horizon)]
        base = _uniform(market, pool, hours)
        none = [0.0] * problem.horizon
        prices[pool] = {
            hour: [
                new if known else old
                for old, new, known in zip(base.get(hour, none), hours.get(hour, none), priced, strict=True)
            ]
            for hour in sorted({*base, *hours})
        }
    return replace(relaxed, prices=prices)


def _uniform(market: Market, pool: int, like: Lambda) -> Lambda:
    """The one price of a pool on every day with work, spread over the hours of the day if it has windows."""
    days = [0.0] * market.problem.horizon
    hours = range(HOURS) if len(like) > 1 or 0 not in like else range(1)
    for start, end in union_of({(p.start, p.end) for p in market.placements.get(pool, []) if not p.spot}):
        rate = market.rates[pool]
        days[start:end] = [rate / len(hours) if rate < INFINITE else 0.0] * (end - start)
    return {hour: list(days) for hour in hours}


def bound_of(problem: Problem, relaxed: Relaxed) -> Bound:
    """The bound that the prices of a relaxation prove for the whole problem, and the gains of its columns."""
    money = charged(problem, relaxed)
    market = Market.of(money)
    prices = {
        pool: {hour: [max(0.0, micros) for micros in days] for hour, days in hours.items()}
        for pool, hours in relaxed.prices.items()
    }
    losses, earning = _lower_to_valid(prices, market)
    values, by_hour = {}, set()
    for placement in money.placements:
        values[placement.id], cheaper = _value(market, placement, prices.get(placement.pool))
        if cheaper:
            by_hour.add(placement.id)
    least, gains = cheapest_paths(money, values)
    for sunk in problem.sunk:
        if sunk.pool in prices:
            least -= sunk.count * sum(sum(days[sunk.start : sunk.end]) for days in prices[sunk.pool].values())
    least -= relaxed.whole * (problem.budget or 0)
    least -= sum(factor * (problem.monthly_budget or 0) for factor in relaxed.by_month.values())
    if least < INFINITE:
        least -= NOISE_MICROS + NOISE_SHARE * abs(least)
    return Bound(least, gains, losses, earning, frozenset(by_hour))


def _lower_to_valid(prices: dict[int, Lambda], market: Market) -> tuple[dict[int, float], frozenset[int]]:
    """Lower prices until no term earns; what each term loses then, and the terms that earned before."""
    losses: dict[int, float] = {}
    earning: set[int] = set()
    for pool, hours in prices.items():
        sums = _prefix(hours)
        for term in sorted(market.terms[pool], key=lambda t: t.objective - _worth(sums, t)):
            worth = _worth(sums, term)
            if worth > term.objective + 0.01:
                earning.add(term.id)
                _cap(hours, term, term.objective)
                sums = _prefix(hours)
        losses.update({term.id: term.objective - _worth(sums, term) for term in market.terms[pool]})
    return losses, frozenset(earning)


def _prefix(hours: Lambda) -> list[float]:
    """Worth of one unit on all days before each day, over all hours."""
    return list(accumulate(map(sum, zip(*hours.values(), strict=True)), initial=0.0))


def _worth(sums: list[float], term: UnitTerm) -> float:
    last = len(sums) - 1
    return sums[min(term.end, last)] - sums[min(max(term.usable_from, 0), last)]


def _cap(hours: Lambda, term: UnitTerm, most: float) -> None:
    """Cut the dearest days of the term down to one height, so that together they are worth `most`."""
    first, last = max(term.usable_from, 0), term.end
    totals = [sum(day) for day in zip(*(days[first:last] for days in hours.values()), strict=True)]
    height = _height(sorted(totals), most)
    for days in hours.values():
        days[first:last] = [
            micros * height / total if total > height else micros
            for micros, total in zip(days[first:last], totals, strict=True)
        ]


def _height(totals: list[float], most: float) -> float:
    """The height at which totals, in rising order, must be cut to add up to `most`."""
    left = most
    for index, total in enumerate(totals):
        if total * (len(totals) - index) >= left:
            return left / (len(totals) - index)
        left -= total
    return totals[-1] if totals else 0.0


def _value(market: Market, placement: Placement, hours: Lambda | None) -> tuple[float, bool]:
    """What a placement costs at least at these prices, and whether some day of it is cheaper by the hour.

    Where its pool has no prices by day, one price for every day.
    """
    if hours is None or placement.spot or placement.pool in market.covered:
        return market.lower_bound(placement), False
    busy = [days for hour, days in hours.items() if occupies(placement, hour)]
    weights = market.problem.day_weights
    total, cheaper = 0.0, False
    for day in range(placement.start, placement.end):
        worth = sum(days[day] for days in busy)
        cost = hourly_cost_on(placement, day)
        if cost is not None:
            by_hour = max(0.0, cost * (weights[day] if weights else 1.0) - 1)
            if by_hour < worth:
                worth, cheaper = by_hour, True
        total += worth
    return placement.objective + placement.nodes * total, cheaper
