"""Budgets that may be exceeded: where to begin when no plan that keeps them is known, and whether there is one."""

from dataclasses import replace

from optimizer.program.problem import Problem

EXCESS_MICROS = 1_000  # cash beyond budgets that every plan has: less may be the noise of floats
EXCESS_PRICE = 10  # micros that a plan pays for each micro beyond a budget, where it may


def exceeding(problem: Problem) -> Problem:
    """The problem with budgets that a plan may exceed at a price.

    Its plans are those of the problem, at the same cost, and more: its bounds hold for the problem, and its best plan
    is the problem's where it exceeds nothing.
    """
    return problem if problem.excess_price is not None else replace(problem, excess_price=EXCESS_PRICE)


def least_excess(problem: Problem) -> Problem:
    """The problem of exceeding the budgets by as little as possible, whatever it costs.

    Its cost is the cash beyond the budgets: above 0 for every plan means that no plan keeps them.
    """
    return replace(
        problem,
        placements=tuple(replace(placement, objective=0) for placement in problem.placements),
        unit_terms=tuple(replace(term, objective=0) for term in problem.unit_terms),
        spend_terms=tuple(replace(plan, objective=0) for plan in problem.spend_terms),
        chains=tuple(replace(chain, move_objective=(0,) * len(chain.move_objective)) for chain in problem.chains),
        shared=tuple(replace(line, objective_per_day=(0,) * len(line.objective_per_day)) for line in problem.shared),
        day_weights=(0.0,) * problem.horizon,
        excess_price=1,
    )
