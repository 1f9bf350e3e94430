"""Among plans of the same cost, the preferred one: each level of the tie order solved with the earlier ones fixed.

Levels: fewest rules below their strict figure, fewest unknowns, fewest unit-days on new purchases (a step of a savings
plan counts as a unit), fewest node-days,
fewest providers, more mature generations (release year weighed by node-days), then the first placement of each task in
order, the first terms, the earliest starts, and last the least cost among what is left.

Several tasks are settled by one solve: with R placements left of a task, its place r < R weighs the product of the R of
the later tasks, as a digit in a number. Two such numbers compare as their digits do, the first task first.
"""

import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from optimizer.program.build import minimize
from optimizer.program.check import Choice, objective_of, violations
from optimizer.program.extract import choice_of
from optimizer.program.model import LE, MICROS, Model, Terms
from optimizer.program.money import objective_terms
from optimizer.program.problem import Limits, Placement, Problem
from optimizer.program.rows import dearest_nodes_belong_too
from optimizer.program.solver import solve_lp

PLACEMENT = "placement"
LARGEST_NUMBER = 10**5  # of digits: far from where a solver's tolerance of 10**-6 a column could matter


@dataclass(frozen=True, slots=True)
class Level:
    """One tie level: its name and what each placement, unit and step of a savings plan adds to it, in whole numbers."""

    name: str
    placements: dict[int, int] = field(default_factory=dict)
    units: dict[int, int] = field(default_factory=dict)
    spend: dict[int, int] = field(default_factory=dict)

    def value(self, choice: Choice) -> int:
        """What a plan has at this level."""
        placed = sum(self.placements.get(placement, 0) for placement in choice.placements)
        committed = sum(self.spend.get(plan, 0) * steps for plan, steps in choice.spend)
        return placed + committed + sum(self.units.get(term, 0) * count for term, count in choice.units)

    def least(self, problem: Problem) -> int:
        """What no plan can be below: each task at its least, nothing bought."""
        if problem.optional_tasks or not self.placements:
            return 0
        by_task: dict[int, int] = {}
        for placement in problem.placements:
            weight = self.placements.get(placement.id, 0)
            by_task[placement.task] = min(by_task.get(placement.task, weight), weight)
        return sum(by_task.values())

    def terms(self, model: Model) -> Terms:
        """The level as sum of coefficient x column."""
        placed: Terms = [(model.z[placement], weight) for placement, weight in self.placements.items() if weight]
        committed: Terms = [(model.spend[plan], weight) for plan, weight in self.spend.items() if weight]
        bought: Terms = [(model.x[term], weight) for term, weight in self.units.items() if weight and term in model.x]
        return placed + committed + bought


def settle(model: Model, choice: Choice, cutoff: float, limits: Limits) -> tuple[Choice, str]:
    """The preferred plan of at most `cutoff` micros, and the last level settled ("all" when every one is)."""
    settling = Settling(model, choice, cutoff, time.monotonic() + limits.tie_seconds, limits.threads)
    model.demand_whole()
    dearest_nodes_belong_too(model)
    model.add(_cost_terms(model), LE, cutoff / MICROS, "cutoff")
    for level in _levels(model.problem):
        if not settling.settle(level):
            return settling.choice, settling.settled
        if level.name == "node_days" and not settling.settle_providers():
            return settling.choice, settling.settled
    if settling.choice is not choice and not settling.improve(_cost_terms(model)):
        return settling.choice, settling.settled
    return settling.choice, "all"


@dataclass(slots=True)
class Settling:
    """The plan on its way through the levels: `settled` names the last one that is proven."""

    model: Model
    choice: Choice
    cutoff: float
    until: float
    threads: int
    settled: str = ""

    def settle(self, level: Level) -> bool:
        """Bring the plan to the least value of a level and keep it there; False when time ran out before the proof.

        A plan that has the least value that any plan can have needs no solve.
        """
        terms = level.terms(self.model)
        if level.value(self.choice) > level.least(self.model.problem) and not self.improve(terms):
            return False
        if level.name == PLACEMENT:
            self._fix(level)
        self._hold(terms if level.name != PLACEMENT else [], level.value(self.choice), level.name)
        return True

    def _fix(self, level: Level) -> None:
        """Hold the tasks of a level where they are: no two placements of a task are equal there."""
        chosen = set(self.choice.placements)
        for placement in level.placements:
            column = self.model.z[placement]
            column.lowBound = column.upBound = int(placement in chosen)

    def settle_providers(self) -> bool:
        """w[provider] >= z of each placement there and >= x / its most of each purchase: sum of w is least."""
        terms = _provider_columns(self.model)
        if len(_providers(self.model.problem, self.choice)) > 1 and not self.improve(terms):
            return False
        self._hold(terms, len(_providers(self.model.problem, self.choice)), "providers")
        return True

    def improve(self, terms: Terms) -> bool:
        """Take the plan that is least in `terms` under every row so far, exactly checked; whether that is proven."""
        seconds = self.until - time.monotonic()
        if seconds <= 0:
            return False
        minimize(self.model, terms)
        outcome = solve_lp(self.model.lp, seconds, self.threads, presolve=False)
        if outcome.status not in ("optimal", "feasible"):
            return False
        found = choice_of(self.model)
        if violations(self.model.problem, found) or objective_of(self.model.problem, found) > self.cutoff:
            return False
        self.choice = found
        return outcome.status == "optimal"

    def _hold(self, terms: Terms, value: int, name: str) -> None:
        self.settled = name
        if terms:
            self.model.add(terms, LE, value, "tie")


def _cost_terms(model: Model) -> Terms:
    return [(column, micros / MICROS) for column, micros in objective_terms(model)]


def _levels(problem: Problem) -> Iterator[Level]:
    generation = {pool.id: pool.generation for pool in problem.pools}
    placements, terms, plans = problem.placements, problem.unit_terms, problem.spend_terms
    node_days = {p.id: p.nodes * (p.end - p.start) for p in placements}
    yield Level("below_strict", {p.id: p.below_strict for p in placements})
    yield Level("unknowns", {p.id: p.unknowns for p in placements})
    unit_days = {t.id: t.end - t.usable_from for t in terms}
    yield Level("unit_days", units=unit_days, spend={s.id: s.end - s.start for s in plans})
    yield Level("node_days", node_days)
    yield Level("generation", {p.id: node_days[p.id] * generation[p.pool] for p in placements})
    for digits in _digits(problem):
        yield Level(PLACEMENT, digits)
    yield Level("term", units={t.id: t.lexical for t in terms}, spend={s.id: s.lexical for s in plans})
    yield Level("start", units={t.id: t.purchase_day for t in terms}, spend={s.id: s.start for s in plans})


def _digits(problem: Problem) -> Iterator[dict[int, int]]:
    """For as many tasks in order as fit into one number, each placement's digit times its weight."""
    by_task: dict[int, list[Placement]] = defaultdict(list)
    for placement in problem.placements:
        by_task[placement.task].append(placement)
    digits: dict[int, int] = {}
    weight = 1
    for task in problem.tasks:
        ordered = sorted(by_task[task.id], key=lambda p: p.lexical)
        if weight * len(ordered) > LARGEST_NUMBER:
            yield digits
            digits, weight = {}, 1
        digits = {key: value * max(1, len(ordered)) for key, value in digits.items()}
        digits.update({p.id: place for place, p in enumerate(ordered)})
        weight *= max(1, len(ordered))
    yield digits


def _provider_columns(model: Model) -> Terms:
    """One yes-or-no column a provider; none where all work and purchases are with one."""
    provider = {pool.id: pool.provider for pool in model.problem.pools}
    if len(set(provider.values())) <= 1:
        return []
    used = {key: model.integer(f"w{key:07d}", 1) for key in sorted(set(provider.values()))}
    for placement in model.problem.placements:
        model.add([(model.z[placement.id], 1), (used[provider[placement.pool]], -1)], LE, 0, "provider")
    for term in model.problem.unit_terms:
        if term.id in model.x:
            column = model.x[term.id]
            model.add([(column, 1), (used[provider[term.pool]], -column.upBound)], LE, 0, "provider")
    return [(column, 1) for column in used.values()]


def _providers(problem: Problem, choice: Choice) -> set[int]:
    """The providers that a plan uses or buys from."""
    provider = {pool.id: pool.provider for pool in problem.pools}
    placed, bought = set(choice.placements), {term for term, _ in choice.units}
    used = {provider[p.pool] for p in problem.placements if p.id in placed}
    return used | {provider[t.pool] for t in problem.unit_terms if t.id in bought}
