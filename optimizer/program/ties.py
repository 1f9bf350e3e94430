"""Among plans of the same cost, the preferred one: each level of the tie order solved with the earlier ones fixed.

Levels: fewest rules below their strict figure, fewest unknowns, fewest unit-days on new purchases, fewest node-days,
fewest providers, more mature generations (release year weighed by node-days), then the first placement of each task in
order, the first terms, the earliest starts, and last the least cost among what is left.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from optimizer.program.check import Choice, objective_of, violations
from optimizer.program.extract import choice_of
from optimizer.program.model import LE, MICROS, Model, Terms, minimize, objective_terms
from optimizer.program.problem import Limits
from optimizer.program.solver import solve_lp


@dataclass(frozen=True, slots=True)
class Level:
    """One tie level: its name and what it minimizes, in whole numbers."""

    name: str
    terms: Terms


def settle(model: Model, choice: Choice, cutoff: int, limits: Limits) -> tuple[Choice, str]:
    """The preferred plan of at most `cutoff` micros, and the last level settled ("all" when every one is)."""
    until = time.monotonic() + limits.tie_seconds
    cost = [(column, micros / MICROS) for column, micros in objective_terms(model)]
    model.add(cost, LE, cutoff / MICROS, "cutoff")
    best, settled = choice, ""
    for level in _levels(model):
        if not level.terms:
            settled = level.name
            continue
        left = until - time.monotonic()
        if left <= 0:
            return best, settled
        minimize(model, level.terms)
        outcome = solve_lp(model.lp, left, limits.threads)
        if outcome.status not in ("optimal", "feasible"):
            return best, settled
        found = choice_of(model)
        if violations(model.problem, found) or objective_of(model.problem, found) > cutoff:
            return best, settled
        best = found
        if outcome.status != "optimal":
            return best, settled
        settled = level.name
        if level.name != "cost":
            model.add(level.terms, LE, _value(level.terms), "tie")
    return best, "all"


def _value(terms: Terms) -> int:
    return round(sum(coefficient * round(column.varValue or 0) for column, coefficient in terms))


def _levels(model: Model) -> Iterator[Level]:
    problem = model.problem
    generation = {pool.id: pool.generation for pool in problem.pools}
    z, x = model.z, model.x
    terms = [term for term in problem.unit_terms if term.id in x]
    placements = problem.placements
    yield Level("below_strict", [(z[p.id], p.below_strict) for p in placements if p.below_strict])
    yield Level("unknowns", [(z[p.id], p.unknowns) for p in placements if p.unknowns])
    yield Level("unit_days", [(x[t.id], t.end - t.usable_from) for t in terms])
    yield Level("node_days", [(z[p.id], p.nodes * (p.end - p.start)) for p in placements])
    yield Level("providers", _providers(model))
    yield Level("generation", [(z[p.id], p.nodes * (p.end - p.start) * generation[p.pool]) for p in placements])
    for task in problem.tasks:
        yield Level("placement", [(z[p.id], p.lexical) for p in model.by_task[task.id]])
    yield Level("term", [(x[t.id], t.lexical) for t in terms])
    yield Level("start", [(x[t.id], t.purchase_day) for t in terms])
    yield Level("cost", [(column, micros / MICROS) for column, micros in objective_terms(model)])


def _providers(model: Model) -> Terms:
    """w[provider] >= z of each placement and >= x / upper of each purchase there: providers used."""
    provider = {pool.id: pool.provider for pool in model.problem.pools}
    used: dict[int, Any] = {key: model.integer(f"w{key:07d}", 1) for key in sorted(set(provider.values()))}
    for placement in model.problem.placements:
        model.add([(model.z[placement.id], 1), (used[provider[placement.pool]], -1)], LE, 0, "provider")
    for term in model.problem.unit_terms:
        if term.id in model.x:
            column = model.x[term.id]
            model.add([(column, 1), (used[provider[term.pool]], -column.upBound)], LE, 0, "provider")
    return [(column, 1) for column in used.values()]
