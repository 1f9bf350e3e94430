"""Make a problem smaller without changing its optimum or its ties. Each step says what it drops, when, and why it may.

Steps work on whole problems and return problems, so that each can be tested against brute force by itself.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from optimizer.program.bounds import (
    Market,
    by_rising_bound,
    days_within,
    first_plan,
    least_of_all,
    union_of,
    without_hopeless,
)
from optimizer.program.check import Choice, objective_of, violations
from optimizer.program.problem import Limits, Placement, Problem, SpendTerm, UnitTerm


def tolerance(cost: int) -> int:
    """Micros by which a proven plan may lie above its bound: the larger of 0.01 and 10**-6 of the cost."""
    return max(10_000, cost // 1_000_000)


@dataclass(frozen=True, slots=True)
class Reduced:
    """A smaller problem of the same optimum, and a first valid plan with its cost in micros where one was found.

    `bound`: what every plan costs at least, in micros. `start`: a plan that keeps every rule but budgets.

    `budget`: a whole budget that was taken out because it bounds the same sum as the objective.
    """

    problem: Problem
    plan: Choice | None = None
    cost: int | None = None
    budget: int | None = None
    bound: int = 0
    start: Choice | None = None


def needs_stages(problem: Problem, limits: Limits) -> bool:
    """Whether something comes before cost: the most work, or the earliest finish."""
    return problem.optional_tasks or limits.objective == "time"


def reduce(problem: Problem, limits: Limits, known: Choice | None = None) -> Reduced:
    """Apply every step; what remains has the same optimum and the same preferred plan.

    `known`: a plan found before, used when it is valid and cheaper than the first plan found here.
    Bounds on cost say nothing about plans that are chosen for their work or finish first: then only the steps that
    compare like with like apply, and bounds follow once those questions are answered.
    """
    problem = without_idle_terms(problem)
    if needs_stages(problem, limits):
        return Reduced(problem)
    budget = problem.budget if is_cash_the_objective(problem) else None
    if budget is not None:
        problem = replace(problem, budget=None)
    market = Market.of(problem)
    by_task = by_rising_bound(market)
    bound = least_of_all(by_task)
    found = _cheaper(first_plan(market, by_task), problem, known)
    if found is None:
        free = replace(market, problem=replace(problem, budget=None, monthly_budget=None))
        start = first_plan(free, by_task)
        return Reduced(problem, budget=budget, bound=bound, start=start and start[0])
    plan, cost = found
    problem = without_idle_terms(without_hopeless(problem, by_task, cost + tolerance(cost)))
    return Reduced(problem, plan, cost, budget, bound, plan)


def _cheaper(found: tuple[Choice, int] | None, problem: Problem, known: Choice | None) -> tuple[Choice, int] | None:
    """The cheaper of a plan and one known from before, if that keeps every rule."""
    if known is None or violations(problem, known):
        return found
    cost = objective_of(problem, known)
    return (known, cost) if found is None or cost < found[1] else found


def is_cash_the_objective(problem: Problem) -> bool:
    """Whether every plan's cash is its objective to the micro: no discount, no residual.

    Then a whole budget says nothing but that the least cost must not exceed it: the row is not needed in the program,
    and without it units need not be declared whole.
    """
    lines: list[Placement | UnitTerm | SpendTerm] = [*problem.placements, *problem.unit_terms, *problem.spend_terms]
    return (
        all(weight == 1.0 for weight in problem.day_weights)
        and all(line.objective == sum(micros for _, micros in line.cash) for line in lines)
        and all(cost == chain.move_cost for chain in problem.chains for cost in chain.move_objective)
        and all(cost == line.cost_per_day for line in problem.shared for cost in line.objective_per_day)
    )


def without_idle_terms(problem: Problem) -> Problem:
    """Drop unit terms on whose days no placement of their pool needs units, then pools with nothing in them.

    Proof: such units serve nothing; without them a valid plan stays valid (every limit bounds their number from
    above), costs no more, and has no more unit-days.
    """
    work: dict[int, set[tuple[int, int]]] = defaultdict(set)
    for placement in problem.placements:
        if not placement.spot:
            work[placement.pool].add((placement.start, placement.end))
    stretches = {pool: union_of(days) for pool, days in work.items()}
    terms = tuple(term for term in problem.unit_terms if days_within(stretches.get(term.pool, ()), term))
    return with_used_pools(replace(problem, unit_terms=terms))


def with_used_pools(problem: Problem) -> Problem:
    """Drop pools that no placement, unit term or sunk unit names: nothing refers to them but weights and rates."""
    used = {p.pool for p in problem.placements} | {t.pool for t in problem.unit_terms} | {s.pool for s in problem.sunk}
    return replace(problem, pools=tuple(pool for pool in problem.pools if pool.id in used))


def without_dominated_terms(problem: Problem, plan: Choice | None = None) -> Problem:
    """Drop a unit term where another of its pool serves the same days of work for no more, in no more unit-days.

    Terms that `plan` buys stay, so that the plan remains one of the problem.

    B dominates A when B is usable on every day with work on which A is, and B's objective, cash (whole and, with a
    monthly budget, of each month), unit-days, and rank in the tie order (term, then start) are not larger; B is
    shareable if A is, and asked for if A is; neither belongs to a group; and, where a quota, cap or site power counts
    units, B stands only on days on which A stands, at no higher rate or power.
    Proof: replace every unit of A in a valid plan by one of B. Work is served as before; each limit counts at most
    what it counted; cost and ties are not worse.
    """
    days = _days_of_work(problem)
    by_pool: dict[int, list[UnitTerm]] = defaultdict(list)
    for term in problem.unit_terms:
        by_pool[term.pool].append(term)
    strict = _limits_count_units(problem)
    kept = {term for term, _ in plan.units} if plan else set[int]()
    for pool, terms in by_pool.items():
        kept.update(term.id for term in _undominated(problem, terms, days[pool], strict=strict))
    return replace(problem, unit_terms=tuple(term for term in problem.unit_terms if term.id in kept))


def _limits_count_units(problem: Problem) -> bool:
    counted = any(quota.kind in ("any", "term") for quota in problem.quotas)
    return counted or problem.max_hourly is not None or problem.site_power_watts is not None


def _days_of_work(problem: Problem) -> dict[int, list[int]]:
    """Pool -> the days, in order, on which some placement may need units."""
    days: dict[int, set[int]] = defaultdict(set)
    for pool, start, end in {(p.pool, p.start, p.end) for p in problem.placements if not p.spot}:
        days[pool].update(range(start, end))
    return defaultdict(list, {pool: sorted(found) for pool, found in days.items()})


def _undominated(problem: Problem, terms: list[UnitTerm], days: list[int], *, strict: bool) -> Iterable[UnitTerm]:
    """The terms that no other dominates; of equals the first in the tie order stays."""
    reach = {t.id: (bisect_left(days, t.usable_from), bisect_left(days, t.end)) for t in terms}
    kept: list[UnitTerm] = []
    for term in sorted(terms, key=lambda t: (t.objective, t.end - t.usable_from, t.lexical, t.purchase_day, t.id)):
        if not any(_covers(reach, other, term) and _not_worse(problem, other, term, strict=strict) for other in kept):
            kept.append(term)
    return kept


def _covers(reach: dict[int, tuple[int, int]], better: UnitTerm, worse: UnitTerm) -> bool:
    (first, last), (other_first, other_last) = reach[better.id], reach[worse.id]
    return first <= other_first and other_last <= last


def _not_worse(problem: Problem, better: UnitTerm, worse: UnitTerm, *, strict: bool) -> bool:
    """Whether one unit of `better` can stand for one of `worse` in every rule of money, limits and ties."""
    if better.group is not None or worse.group is not None or (worse.shareable and not better.shareable):
        return False
    if better.max_count is not None or worse.max_count is not None:
        return False
    asked = problem.asked_terms or frozenset()
    if worse.id in asked and better.id not in asked:
        return False
    if better.objective > worse.objective or _tie_rank(better) > _tie_rank(worse):
        return False
    if better.end - better.usable_from > worse.end - worse.usable_from:
        return False
    if not _cash_not_more(problem, better, worse):
        return False
    return not strict or (
        worse.usable_from <= better.usable_from
        and better.end <= worse.end
        and better.rate_micros_per_hour <= worse.rate_micros_per_hour
        and better.power_watts <= worse.power_watts
    )


def _tie_rank(term: UnitTerm) -> tuple[int, int]:
    return term.lexical, term.purchase_day


def _cash_not_more(problem: Problem, better: UnitTerm, worse: UnitTerm) -> bool:
    if problem.budget is not None and sum(m for _, m in better.cash) > sum(m for _, m in worse.cash):
        return False
    if problem.monthly_budget is None:
        return True
    paid: dict[int, int] = defaultdict(int)
    for month, micros in worse.cash:
        paid[month] += micros
    for month, micros in better.cash:
        paid[month] -= micros
    return all(left >= 0 for left in paid.values())
