"""What each column of the integer program costs: undiscounted by cash month, and discounted over the plan."""

from collections import defaultdict
from itertools import pairwise

from optimizer.program.model import Model, Terms
from optimizer.program.problem import Problem


def cash_terms(model: Model) -> dict[int, Terms]:
    """Undiscounted micros of each column in each cash month."""
    problem = model.problem
    by_month: dict[int, Terms] = defaultdict(list)
    entries = [(model.z[p.id], p.cash) for p in problem.placements]
    entries += [(model.x[t.id], t.cash) for t in problem.unit_terms if t.id in model.x]
    entries += [(model.spend[s.id], s.cash) for s in problem.spend_terms]
    for column, cash in entries:
        for month, micros in cash:
            by_month[month].append((column, micros))
    for nodes in model.hourly:
        for month, days in days_by_month(problem, nodes.slot.start, nodes.slot.end):
            by_month[month].append((nodes.column, days * nodes.size * nodes.cost))
    for chain in problem.chains:
        for (owner, index), column in model.moves.items():
            if owner == chain.id and chain.move_cost:
                by_month[chain.move_month[index]].append((column, chain.move_cost))
    costs = {line.id: line.cost_per_day for line in problem.shared}
    for (line, start, end), column in model.shared.items():
        for month, days in days_by_month(problem, start, end):
            by_month[month].append((column, days * costs[line]))
    return by_month


def days_by_month(problem: Problem, start: int, end: int) -> list[tuple[int, int]]:
    """(cash month, days of [start, end) in it)."""
    found = []
    for month, (first, last) in enumerate(pairwise(problem.month_starts)):
        days = min(end, last) - max(start, first)
        if days > 0:
            found.append((month, days))
    return found


def objective_terms(model: Model) -> Terms:
    """Discounted micros of each column over the plan."""
    problem = model.problem
    terms: Terms = [(model.z[p.id], p.objective) for p in problem.placements if p.objective]
    terms += [(model.x[t.id], t.objective) for t in problem.unit_terms if t.id in model.x]
    terms += [(model.spend[s.id], s.objective) for s in problem.spend_terms]
    for nodes in model.hourly:
        terms.append((nodes.column, nodes.size * weighed(problem, nodes.cost, nodes.slot.start, nodes.slot.end)))
    for chain in problem.chains:
        for (owner, index), column in model.moves.items():
            if owner == chain.id and chain.move_cost:
                terms.append((column, chain.move_objective[index]))
    weights = {line.id: line.objective_per_day for line in problem.shared}
    for (line, start, end), column in model.shared.items():
        terms.append((column, sum(weights[line][start:end])))
    return terms


def weighed(problem: Problem, cost: int, start: int, end: int) -> int:
    """Micros a day on each of the days [start, end), each rounded after its discount weight."""
    if not problem.day_weights:
        return cost * (end - start)
    return sum(round(cost * weight) for weight in problem.day_weights[start:end])
