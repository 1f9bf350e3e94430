"""Which columns the integer program needs: pools added until prices say that no other helps, then reduced costs."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from optimizer.program.bounds import Market, by_rising_bound
from optimizer.program.pricing import Offered, Prices, offered, relax, restricted
from optimizer.program.problem import Problem
from optimizer.program.reduce import without_idle_terms
from optimizer.program.solver import Watch

ROUNDS = 12
FEW_POOLS = 4


@dataclass(frozen=True, slots=True)
class Held:
    """The pools that the program holds, the relaxation's prices and its bound over all pools, in micros.

    `outside` says what each pool left out could bring.
    """

    pools: frozenset[int]
    prices: Prices
    bound: float
    outside: tuple[Offered, ...]

    def wanted(self, most: int) -> set[int]:
        """The pools left out that a plan of at most `most` micros might use."""
        return {offer.pool for offer in self.outside if self.bound + offer.used <= most}


def promising(problem: Problem) -> set[int]:
    """Each task's pool of least bound, and every pool that shares an option with one of them."""
    by_task = by_rising_bound(Market.of(problem))
    chosen = {bounded[0][1].pool for bounded in by_task.values() if bounded}
    return _with_option_mates(problem, chosen)


def _with_option_mates(problem: Problem, chosen: set[int]) -> set[int]:
    """Pools that share options of steady work are priced together only when they are all in."""
    steady = {task.id for task in problem.tasks if task.chain is not None}
    mates: dict[int, set[int]] = defaultdict(set)
    for placement in problem.placements:
        if placement.task in steady:
            mates[placement.option].add(placement.pool)
    for pools in mates.values():
        if len(pools) > 1:
            chosen = chosen | pools
    return chosen


def hold(
    problem: Problem, start: set[int], kept: Mapping[int, int], left: Callable[[], float], threads: int, watch: Watch
) -> Held | None:
    """Add pools to the relaxation until no other lowers it; None when it has no plan or time ran out."""
    everything = {placement.pool for placement in problem.placements}
    pools = start & everything
    for _ in range(ROUNDS):
        prices = relax(restricted(problem, pools), kept, left(), threads, watch)
        if prices is None and pools == everything:
            return None
        if prices is None:
            pools = _more(problem, pools, everything)
            continue
        outside = tuple(offered(problem, prices, sorted(everything - pools)))
        helpful = sorted((offer for offer in outside if offer.least < -1.0), key=lambda offer: offer.least)
        if not helpful:
            return Held(frozenset(pools), prices, prices.value, outside)
        last = prices, outside
        pools = pools | {offer.pool for offer in helpful[: max(FEW_POOLS, len(pools))]}
    prices, outside = last
    return Held(frozenset(everything), prices, prices.value + sum(offer.least for offer in outside), ())


def _more(problem: Problem, pools: set[int], everything: set[int]) -> set[int]:
    """Without any plan there are no prices: take twice as many pools, those of least bound first."""
    ranked = sorted(
        (bound, placement.pool)
        for bounded in by_rising_bound(Market.of(problem)).values()
        for bound, placement in bounded
    )
    order = list(dict.fromkeys(pool for _, pool in ranked if pool not in pools))
    return pools | set(order[: max(FEW_POOLS, len(pools))]) if order else set(everything)


def within_reach(problem: Problem, held: Held, most: int) -> Problem:
    """The problem without columns that no plan of at most `most` micros uses.

    Proof: a column at 0 in the relaxation with reduced cost d raises its value by at least d when it is 1 or more;
    outside the pools held, `gains` are such costs (pricing.py). Every placement left out takes days of work from its
    pool, on which terms no longer earn: bounds of the others rise, so the step is repeated until nothing falls out.
    """
    room = most - held.bound
    costs = held.prices
    placements = tuple(p for p in problem.placements if costs.placements.get(p.id, 0.0) <= room)
    terms = tuple(t for t in problem.unit_terms if costs.terms.get(t.id, 0.0) <= room)
    problem = replace(problem, placements=placements, unit_terms=terms)
    while True:
        gains = _gains(problem, held)
        left = tuple(p for p in problem.placements if gains.get(p.id, 0.0) <= room)
        if len(left) == len(problem.placements):
            return problem
        problem = without_idle_terms(replace(problem, placements=left))


def _gains(problem: Problem, held: Held) -> dict[int, float]:
    outside = {p.pool for p in problem.placements} - held.pools
    return {key: gain for offer in offered(problem, held.prices, sorted(outside)) for key, gain in offer.gains.items()}
