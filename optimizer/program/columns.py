"""Which columns the integer program needs: a relaxation of few columns grows until prices call for no other."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from optimizer.program.board import Board
from optimizer.program.bounds import INFINITE
from optimizer.program.check import Choice
from optimizer.program.pricing import Bound, Columns, Relaxed, blended, bound_of, filled, relax
from optimizer.program.problem import Placement, Problem
from optimizer.program.reduce import without_idle_terms
from optimizer.program.solver import Watch

ROUNDS = 60
BEST_OF_TASK = 1
PENALTY = 10
INSIDE_PLACEMENTS = 3_000  # beyond, and by month's budgets, the few rounds before a plan is sought go by simplex
SOUND = 0.98  # of the best bound: prices that prove less say too little to be mixed with
WORTH = 0.02  # of the room for plans of interest: a round that raises the bound by less was not worth it
PATIENCE = 12  # such rounds in a row, while the bound is below the relaxation; above it two
SENSIBLE_ROOM = 0.05  # of the relaxation, while no plan is known
MOST_MICROS = 10**15
NO_COLUMNS = Columns(frozenset(), frozenset(), frozenset())
UNIFORM = Relaxed(0.0, {}, {}, 0.0, {})  # no prices by day: one for every day of a pool


@dataclass(frozen=True, slots=True)
class Held:
    """The problem left, the columns that the relaxation called for, the prices that prove the best bound, and it."""

    problem: Problem
    columns: Columns
    relaxed: Relaxed
    bound: Bound

    def promising(self, count: int, plan: Choice | None) -> Problem:
        """The problem left with the best few configurations of each job and steady work, and those of a plan.

        The best are those of least gain; terms are those called for. Work may be served by the hour everywhere.
        """
        known = frozenset() if plan is None else frozenset(plan.placements)
        best = _best_options(self.problem, self.bound.placements, count)
        placements = tuple(p for p in self.problem.placements if p.id in known or _option(p) in best[p.task])
        bought = frozenset() if plan is None else frozenset(term for term, _ in plan.units)
        called = self.columns.terms | bought | (self.problem.asked_terms or frozenset())
        terms = tuple(t for t in self.problem.unit_terms if t.id in called)
        return without_idle_terms(replace(self.problem, placements=placements, unit_terms=terms))


@dataclass(slots=True)
class Holder:
    """Chooses columns for one problem; `left` says how many seconds there are."""

    problem: Problem
    left: Callable[[], float]
    threads: int
    watch: Watch
    best: Held | None = None
    columns: Columns = NO_COLUMNS
    middle: Relaxed = UNIFORM
    middle_bound: float = -INFINITE
    board: Board = field(init=False)

    def __post_init__(self) -> None:
        """Read the problem's columns into arrays."""
        self.board = Board.of(self.problem)

    def hold(self, plan: Choice | None, most: int | None, rounds: int = ROUNDS) -> Held:
        """Add columns until the bound is as good as the relaxation, as far as that matters, or time is short.

        `plan`: a valid plan; without one every work may be left out at a price that no sensible plan pays. `most`:
        what a plan may cost to be of interest, in micros. Called again, it goes on from where it was.
        """
        best = self._begun(plan)
        penalty = None if plan else PENALTY * max(int(min(best.bound.value, MOST_MICROS)), 1)
        stalled = 0
        for _ in range(rounds):
            if self.left() <= 0 or best.bound.value == INFINITE:
                break
            best = self._without_gains(best, most)
            chosen = self.columns.of(self.problem)
            is_dear = len(chosen.placements) > INSIDE_PLACEMENTS or self.problem.monthly_budget is not None
            quick = rounds < ROUNDS and is_dear
            relaxed = relax(chosen, penalty, self.left(), self.threads, self.watch, quick=quick)
            if relaxed is None:
                break
            before = best.bound.value
            best, more = self._priced(relaxed, best)
            stalled = 0 if best.bound.value - before > WORTH * _room(relaxed, most) else stalled + 1
            if more == self.columns or stalled >= (PATIENCE if best.bound.value < relaxed.value else 2):
                break
            self.columns = more
        self.best = replace(best, problem=self.problem, columns=self.columns)
        return self.best

    def _without_gains(self, best: Held, most: int | None) -> Held:
        """Leave out what the best bound shows to be too dear; its prices bound what is left no worse."""
        smaller = _without_gains(self.problem, best.bound, most)
        if len(smaller.placements) == len(self.problem.placements):
            return best
        self.problem, self.board = smaller, Board.of(smaller)
        bound = bound_of(self.board, best.relaxed)
        return Held(smaller, self.columns, best.relaxed, bound) if bound.value > best.bound.value else best

    def _begun(self, plan: Choice | None) -> Held:
        """The best so far, at first from one price for every day; a plan's columns keep the relaxation feasible."""
        if self.best is None:
            bound = bound_of(self.board, UNIFORM)
            self.best = Held(self.problem, self.columns, UNIFORM, bound)
            self.columns = _called_for(self.problem, bound)
        if plan is not None:
            self.columns = self.columns | _columns_of(plan)
        return self.best

    def _priced(self, relaxed: Relaxed, best: Held) -> tuple[Held, Columns]:
        """The better of the bounds, and the columns with those that prices call for.

        Filled prices halfway to the best by day so far bound best, if these are sound; where they call for nothing
        new, those of this relaxation alone and at last its bare ones show what it lacks.
        """
        known = filled(self.board, relaxed)
        is_sound = self.middle_bound > SOUND * best.bound.value
        halfway = [blended(self.middle, known)] if is_sound else []
        for prices in (*halfway, known, relaxed):
            bound = bound_of(self.board, prices)
            if bound.value > self.middle_bound:
                self.middle, self.middle_bound = prices, bound.value
            if bound.value > best.bound.value:
                best = Held(self.problem, self.columns, prices, bound)
            more = self.columns | _called_for(self.problem, bound)
            if more != self.columns:
                return best, more
        return best, self.columns


Option = tuple[int, int]
"""An option and its first day."""


def _option(placement: Placement) -> Option:
    return placement.option, placement.start


def _best_options(problem: Problem, gains: Mapping[int, float], count: int) -> dict[int, set[Option]]:
    """Task -> the options of least gain; steady work has the same ones in every month."""
    chain = {task.id: task.chain for task in problem.tasks}
    least: dict[tuple[str, int], dict[Option, float]] = defaultdict(dict)
    options: dict[int, dict[Option, tuple[tuple[str, int], Option]]] = defaultdict(dict)
    for p in problem.placements:
        steady = chain[p.task]
        owner, option = (("job", p.task), _option(p)) if steady is None else (("steady", steady), (p.option, 0))
        least[owner][option] = min(least[owner].get(option, INFINITE), gains[p.id])
        options[p.task][_option(p)] = owner, option
    best = {owner: set(sorted(mine, key=mine.__getitem__)[:count]) for owner, mine in least.items()}
    return {
        task: {option for option, (owner, name) in mine.items() if name in best[owner]}
        for task, mine in options.items()
    }


def _room(relaxed: Relaxed, most: int | None) -> float:
    """Micros by which plans of interest may lie above the relaxation."""
    return SENSIBLE_ROOM * relaxed.value if most is None else max(0.0, most - relaxed.value)


def _columns_of(plan: Choice) -> Columns:
    return Columns(
        placements=frozenset(plan.placements),
        terms=frozenset(term for term, _ in plan.units),
        hourly=frozenset(service.placement for service in plan.services if service.hourly),
    )


def _called_for(problem: Problem, bound: Bound) -> Columns:
    """The columns that prices call for: each task's placements of least gain, terms that earn, service by the hour."""
    by_task: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for placement in problem.placements:
        by_task[placement.task].append((bound.placements[placement.id], placement.pool))
    pools = {pool for found in by_task.values() for _, pool in sorted(found)[:BEST_OF_TASK]}
    chosen = {p.id for p in problem.placements if p.pool in pools}
    terms = _cheapest(problem, pools)
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
        held = Held(problem, held.columns, held.relaxed, bound_of(Board.of(problem), held.relaxed))


def _without_gains(problem: Problem, bound: Bound, most: int | None) -> Problem:
    if most is None:
        return problem
    room = most - bound.value
    placements = tuple(p for p in problem.placements if bound.placements[p.id] <= room)
    terms = tuple(t for t in problem.unit_terms if bound.terms.get(t.id, 0.0) <= room)
    return without_idle_terms(replace(problem, placements=placements, unit_terms=terms))
