"""What each feature of a problem is without it, to see whether it binds (changes the optimum of brute force)."""

from collections.abc import Callable
from dataclasses import replace

from optimizer.program.problem import Placement, Problem


def without(problem: Problem, feature: str) -> Problem:
    """The same problem with one feature taken out."""
    return REMOVALS[feature](problem)


def _no_moves(problem: Problem) -> Problem:
    return replace(problem, chains=tuple(replace(chain, max_moves=99, move_cost=0) for chain in problem.chains))


def _no_waiting(problem: Problem) -> Problem:
    first: dict[tuple[int, int], int] = {}
    for p in problem.placements:
        first[p.task, p.option] = min(first.get((p.task, p.option), p.start), p.start)
    return _keep(problem, lambda p: p.start == first[p.task, p.option])


def _no_windows(problem: Problem) -> Problem:
    return replace(problem, placements=tuple(replace(p, hours=None) for p in problem.placements))


def _no_sharing(problem: Problem) -> Problem:
    gpus = {pool.id: pool.gpus for pool in problem.pools}
    return replace(problem, placements=tuple(replace(p, gpus_per_node=gpus[p.pool]) for p in problem.placements))


def _no_spot(problem: Problem) -> Problem:
    return _keep(problem, lambda p: not p.spot)


def _no_residual(problem: Problem) -> Problem:
    """Without residual and discount an objective is what is paid."""
    paid = tuple(
        replace(t, objective=sum(micros for _, micros in t.cash)) if t.group == 9 else t for t in problem.unit_terms
    )
    return replace(problem, unit_terms=paid)


def _no_horizon_end(problem: Problem) -> Problem:
    """A term that outlives the horizon counts for its days inside only."""
    terms = []
    for t in problem.unit_terms:
        inside, length = problem.horizon - t.usable_from, t.end - t.usable_from
        if t.end <= problem.horizon:
            terms.append(t)
        else:
            cash = tuple((month, micros * inside // length) for month, micros in t.cash)
            terms.append(
                replace(t, objective=t.objective * inside // length, cost=t.cost * inside // length, cash=cash)
            )
    return replace(problem, unit_terms=tuple(terms))


def _keep(problem: Problem, wanted: Callable[[Placement], bool]) -> Problem:
    return replace(problem, placements=tuple(p for p in problem.placements if wanted(p)))


def undiscounted(problem: Problem) -> Problem:
    """Every payment at its face value (residuals are part of an owned machine's cost)."""
    return replace(
        problem,
        day_weights=(),
        placements=tuple(replace(p, objective=p.cost) for p in problem.placements),
        unit_terms=tuple(replace(t, objective=t.cost) for t in problem.unit_terms),
        chains=tuple(replace(c, move_objective=(c.move_cost,) * len(c.move_objective)) for c in problem.chains),
        shared=tuple(replace(s, objective_per_day=(s.cost_per_day,) * problem.horizon) for s in problem.shared),
    )


REMOVALS = {
    "budget": lambda problem: replace(problem, budget=None),
    "monthly budget": lambda problem: replace(problem, monthly_budget=None),
    "quota": lambda problem: replace(problem, quotas=()),
    "move": _no_moves,
    "waiting": _no_waiting,
    "window": _no_windows,
    "shareable": _no_sharing,
    "spot": _no_spot,
    "owned residual": _no_residual,
    "horizon end": _no_horizon_end,
    "sunk": lambda problem: replace(problem, sunk=()),
    "site power": lambda problem: replace(problem, site_power_watts=None),
    "max hourly": lambda problem: replace(problem, max_hourly=None),
    "shared line": lambda problem: replace(problem, shared=()),
    "whole clusters": lambda problem: replace(
        problem, pools=tuple(replace(pool, mixable=True) for pool in problem.pools)
    ),
    "stock": lambda problem: replace(
        problem,
        unit_terms=tuple(replace(t, max_count=None, group=None) if t.group == 0 else t for t in problem.unit_terms),
    ),
}
