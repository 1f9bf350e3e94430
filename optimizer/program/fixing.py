"""Which columns no plan below a given cost uses, from the factors (duals) of the whole program's linear relaxation.

Bound (proof, weak duality). Give each row a factor of its sign: y <= 0 for <=, y >= 0 for >=, any for =. For every x
that keeps the rows, c x >= y b + sum over columns of d x with d = c - y A, and d x is at least d times the lower bound
of the column where d > 0, and d times its upper bound where d < 0. So any factors prove a bound; those of the
relaxation prove the best. Factors of a wrong sign are taken as 0, and the sums of floats are lowered by their noise.

Gain (proof). In the same sum a column at 1 instead of 0 adds d > 0: a plan that uses it costs at least bound + d. When
that exceeds what a plan of interest may cost, the column is in no such plan, whichever tie order decides among them.
"""

from dataclasses import dataclass, replace
from math import floor, fsum
from typing import Any

from optimizer.program.model import EQ, GE, MICROS, Model
from optimizer.program.problem import Problem
from optimizer.program.reduce import without_idle_terms
from optimizer.program.solver import Watch, solve_relaxation

NOISE_SHARE = 1e-13  # of the sums of absolute values of what is added up: far above the rounding of floats


@dataclass(frozen=True, slots=True)
class Reduction:
    """A bound in micros on every plan of a program, and what each placement and unit term adds to it when used."""

    bound: int
    placements: dict[int, float]
    terms: dict[int, float]

    def within(self, problem: Problem, most: float) -> Problem:
        """The problem without what no plan of at most `most` micros uses."""
        room = most - self.bound
        placements = tuple(p for p in problem.placements if self.placements[p.id] <= room)
        terms = tuple(t for t in problem.unit_terms if self.terms.get(t.id, 0.0) <= room)
        return without_idle_terms(replace(problem, placements=placements, unit_terms=terms))


def reduction_of(model: Model, seconds: float, threads: int, watch: Watch) -> Reduction | None:
    """Solve the relaxation of a program and read its factors; None when it has no plan or time ran out."""
    if solve_relaxation(model.lp, seconds, threads, watch, vertex=True) is None:
        return None
    _keep_to_price(model)
    reduced = _reduced_costs(model.lp)
    bound = _bound(model.lp, reduced)
    if bound is None:
        return None
    gains = {column: max(0.0, cost) * MICROS for column, (cost, _) in reduced.items()}
    return Reduction(
        floor(bound * MICROS) - 1,
        {key: gains.get(column, 0.0) for key, column in model.z.items()},
        {key: gains.get(column, 0.0) for key, column in model.x.items()},
    )


def _keep_to_price(model: Model) -> None:
    """Factors of budgets that may be exceeded: no higher than the price, so that the excess adds nothing below 0."""
    for key, row in model.named.items():
        if key[0] in ("month", "budget") and model.problem.excess_price is not None:
            row.pi = max(float(row.pi or 0.0), -float(model.problem.excess_price))


def _factor(row: Any) -> float:
    """A row's factor, of the sign that its sense allows."""
    factor = float(row.pi or 0.0)
    if row.sense == EQ:
        return factor
    return max(0.0, factor) if row.sense == GE else min(0.0, factor)


def _reduced_costs(lp: Any) -> dict[Any, tuple[float, float]]:
    """d = c - y A of each column, and the sum of the absolute values of its parts."""
    parts: dict[Any, list[float]] = {column: [] for column in lp.variables()}
    for column, value in lp.objective.items():
        parts[column].append(value)
    for row in lp.constraints():
        factor = _factor(row)
        if factor:
            for column, value in row.items():
                parts[column].append(-factor * value)
    return {column: (fsum(mine), fsum(map(abs, mine))) for column, mine in parts.items()}


def _bound(lp: Any, reduced: dict[Any, tuple[float, float]]) -> float | None:
    """y b + the least that columns within their bounds add, below the truth in spite of floats; None if unbounded."""
    parts = [_factor(row) * -row.constant for row in lp.constraints()]
    noise = fsum(map(abs, parts))
    for column, (cost, size) in reduced.items():
        if column.upBound is None:
            if cost < 0:
                return None
            continue
        parts.append(cost * (column.lowBound if cost > 0 else column.upBound))
        noise += size * column.upBound
    return fsum(parts) - NOISE_SHARE * noise
