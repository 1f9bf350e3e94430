"""Which columns the integer program needs: a relaxation of few columns grows until prices call for no other."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace

from optimizer.program.bounds import INFINITE
from optimizer.program.pricing import Bound, Columns, Relaxed, bound_of, filled, relax
from optimizer.program.problem import Problem
from optimizer.program.reduce import Reduced, without_idle_terms
from optimizer.program.solver import Watch

ROUNDS = 60
BEST_OF_TASK = 3
PENALTY = 10
SETTLED = 1e-7  # the bound is as good as the relaxation when it is this share of it away
UNIFORM = Relaxed(0.0, {}, {}, 0.0)  # no prices by day: one for every day of a pool


@dataclass(frozen=True, slots=True)
class Held:
    """The problem left, the columns that the relaxation called for, the prices that prove the best bound, and it."""

    problem: Problem
    columns: Columns
    relaxed: Relaxed
    bound: Bound

    def chosen(self) -> Problem:
        """The problem left with the columns called for alone; work in it may be served by the hour everywhere."""
        return replace(self.columns, hourly=self.columns.placements).of(self.problem)


@dataclass(slots=True)
class Holder:
    """Chooses columns for one problem.

    `most`: what a plan may cost to be of interest, in micros, None while none is known; `left` says how many seconds
    there are.
    """

    reduced: Reduced
    most: int | None
    left: Callable[[], float]
    threads: int
    watch: Watch

    def hold(self) -> Held:
        """Add columns until no other lowers the relaxation, or time is short.

        Without a known plan every work may be left out at a price, which no sensible plan pays.
        """
        problem = self.reduced.problem
        bound = bound_of(problem, UNIFORM)
        if bound.value == INFINITE:
            return Held(problem, self._first(), UNIFORM, bound)
        columns = self._first() | _called_for(problem, bound)
        penalty = None if self.reduced.plan else PENALTY * max(int(bound.value), 1)
        best = Held(problem, columns, UNIFORM, bound)
        for _ in range(ROUNDS):
            if self.left() <= 0:
                break
            relaxed = relax(columns.of(problem), penalty, self.left(), self.threads, self.watch)
            if relaxed is None:
                return best
            more = columns
            for prices in (filled(problem, relaxed), relaxed):
                bound = bound_of(problem, prices)
                if bound.value > best.bound.value:
                    best = Held(problem, columns, prices, bound)
                more = columns | _called_for(problem, bound)
                if more != columns:
                    break
            if more == columns or relaxed.value - best.bound.value <= SETTLED * relaxed.value:
                break
            columns = more
            problem = _without_gains(problem, best.bound, self.most)
        return replace(best, columns=columns)

    def _first(self) -> Columns:
        """The columns of the plan that is known, which keep the relaxation feasible."""
        plan = self.reduced.plan
        if plan is None:
            return Columns(frozenset(), frozenset(), frozenset())
        return Columns(
            placements=frozenset(plan.placements),
            terms=frozenset(term for term, _ in plan.units),
            hourly=frozenset(service.placement for service in plan.services if service.hourly),
        )


def _called_for(problem: Problem, bound: Bound) -> Columns:
    """The columns that prices call for: each task's placements of least gain, terms that earn, service by the hour."""
    by_task: dict[int, list[tuple[float, int]]] = defaultdict(list)
    pool_of = {}
    for placement in problem.placements:
        by_task[placement.task].append((bound.placements[placement.id], placement.id))
        pool_of[placement.id] = placement.pool
    chosen = {key for found in by_task.values() for _, key in sorted(found)[:BEST_OF_TASK]}
    terms = _cheapest(problem, {pool_of[key] for key in chosen})
    return Columns(frozenset(chosen), frozenset(bound.earning | terms), frozenset(bound.by_hour & chosen))


def _cheapest(problem: Problem, pools: set[int]) -> set[int]:
    """Of each kind of term of these pools the one of least cost a day that it can work."""
    best: dict[tuple[int, int], tuple[float, int]] = {}
    for term in problem.unit_terms:
        if term.pool in pools:
            days = max(1, min(term.end, problem.horizon) - term.usable_from)
            entry = (term.objective / days, term.id)
            key = (term.pool, term.lexical)
            best[key] = min(best.get(key, entry), entry)
    return {term for _, term in best.values()}


def within_reach(held: Held, most: int) -> Held:
    """The problem without columns that no plan of at most `most` micros uses.

    Every placement left out takes days of work from its pool, on which terms no longer earn; so bounds of the others
    rise, and the step is repeated until nothing falls out. The bound then holds for plans of at most `most` alone.
    """
    while True:
        problem = _without_gains(held.problem, held.bound, most)
        if len(problem.placements) == len(held.problem.placements):
            return replace(held, problem=problem)
        held = Held(problem, held.columns, held.relaxed, bound_of(problem, held.relaxed))


def _without_gains(problem: Problem, bound: Bound, most: int | None) -> Problem:
    if most is None:
        return problem
    room = most - bound.value
    placements = tuple(p for p in problem.placements if bound.placements[p.id] <= room)
    terms = tuple(t for t in problem.unit_terms if bound.terms.get(t.id, 0.0) <= room)
    return without_idle_terms(replace(problem, placements=placements, unit_terms=terms))
