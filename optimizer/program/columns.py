"""Which columns the integer program needs: pools and terms are added to a relaxation until prices call for no other."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from optimizer.program.bounds import Market, by_rising_bound
from optimizer.program.pricing import Bound, Relaxed, bound_of, relax, restricted
from optimizer.program.problem import Problem
from optimizer.program.reduce import Reduced, without_idle_terms
from optimizer.program.solver import Watch

ROUNDS = 40
FEW_POOLS = 4
SETTLED = 1e-7  # the bound is as good as the relaxation when it is this share of it away


@dataclass(frozen=True, slots=True)
class Held:
    """The problem left, the pools that the relaxation held, its prices, and the bound that they prove."""

    problem: Problem
    pools: frozenset[int]
    relaxed: Relaxed
    bound: Bound


@dataclass(slots=True)
class Holder:
    """Chooses pools and terms for one problem; `left` says how many seconds there are."""

    reduced: Reduced
    most: int | None
    left: Callable[[], float]
    threads: int
    watch: Watch

    def hold(self) -> Held | None:
        """Add pools and terms until no other lowers the relaxation, or time is short.

        None when there is no relaxation to speak of: no plan, or no time for the first.
        """
        problem = self.reduced.problem
        pools, terms = self._pools(), self._terms()
        best: Held | None = None
        for _ in range(ROUNDS):
            relaxed = relax(restricted(problem, pools, terms), {}, self.left(), self.threads, self.watch)
            if relaxed is None:
                everything = {placement.pool for placement in problem.placements}
                if best is not None or (terms is None and everything <= pools):
                    return best
                pools, terms = self._more(pools), None
                continue
            bound = bound_of(problem, relaxed)
            if best is None or bound.value > best.bound.value:
                best = Held(problem, frozenset(pools), relaxed, bound)
            missing_pools = {p.pool for p in problem.placements if p.id in bound.best} - pools
            missing_terms = set() if terms is None else bound.earning - terms
            near = relaxed.value - bound.value <= SETTLED * relaxed.value
            if near or not (missing_pools or missing_terms):
                break
            pools = pools | missing_pools
            terms = None if terms is None else terms | missing_terms | self._cheapest(missing_pools)
            if self.most is not None:
                problem = _without_gains(problem, bound, self.most)
        return best

    def _pools(self) -> set[int]:
        """The pools of the first plan, and each task's pool of least bound."""
        problem = self.reduced.problem
        placed = set(self.reduced.plan.placements) if self.reduced.plan else set()
        by_task = by_rising_bound(Market.of(problem))
        chosen = {bounded[0][1].pool for bounded in by_task.values() if bounded}
        return chosen | {p.pool for p in problem.placements if p.id in placed}

    def _terms(self) -> set[int] | None:
        """The terms of the first plan and the cheapest of each pool; every term where there is no plan yet."""
        if self.reduced.plan is None:
            return None
        pools = {p.pool for p in self.reduced.problem.placements}
        return {term for term, _ in self.reduced.plan.units} | self._cheapest(pools)

    def _cheapest(self, pools: set[int]) -> set[int]:
        """Of each kind of term of these pools the one of least cost a day that it can work."""
        best: dict[tuple[int, int], tuple[float, int]] = {}
        for term in self.reduced.problem.unit_terms:
            if term.pool in pools:
                days = max(1, min(term.end, self.reduced.problem.horizon) - term.usable_from)
                entry = (term.objective / days, term.id)
                key = (term.pool, term.lexical)
                best[key] = min(best.get(key, entry), entry)
        return {term for _, term in best.values()}

    def _more(self, pools: set[int]) -> set[int]:
        """Without any plan there are no prices: take twice as many pools, those of least bound first."""
        by_task = by_rising_bound(Market.of(self.reduced.problem))
        ranked = sorted((bound, p.pool) for bounded in by_task.values() for bound, p in bounded)
        order = list(dict.fromkeys(pool for _, pool in ranked if pool not in pools))
        return pools | set(order[: max(FEW_POOLS, len(pools))])


def within_reach(held: Held, most: int) -> Held:
    """The problem without columns that no plan of at most `most` micros uses.

    Every placement left out takes days of work from its pool, on which terms no longer earn; so bounds of the others
    rise, and the step is repeated until nothing falls out. The bound then holds for plans of at most `most` alone.
    """
    while True:
        problem = _without_gains(held.problem, held.bound, most)
        if len(problem.placements) == len(held.problem.placements):
            return replace(held, problem=problem)
        held = Held(problem, held.pools, held.relaxed, bound_of(problem, held.relaxed))


def _without_gains(problem: Problem, bound: Bound, most: int) -> Problem:
    room = most - bound.value
    placements = tuple(p for p in problem.placements if bound.placements[p.id] <= room)
    terms = tuple(t for t in problem.unit_terms if bound.terms.get(t.id, 0.0) <= room)
    return without_idle_terms(replace(problem, placements=placements, unit_terms=terms))
