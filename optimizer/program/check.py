"""Exact checks of a plan in whole numbers, independent of the solver: every rule of the problem, and the cost.

Nothing here reads a solver value; it takes the integers of the plan and the problem alone.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from optimizer.program.problem import Placement, Problem, QuotaLimit, Service, UnitTerm
from optimizer.program.timeline import HOURS, hourly_cost_on, occupies


@dataclass(frozen=True, slots=True)
class Choice:
    """The integers of a plan: chosen placements, (unit term, count), (savings plan, steps), and who serves what."""

    placements: tuple[int, ...]
    units: tuple[tuple[int, int], ...]
    spend: tuple[tuple[int, int], ...]
    services: tuple[Service, ...]


@dataclass(slots=True)
class Ledger:
    """A choice with its records looked up."""

    problem: Problem
    choice: Choice
    placements: dict[int, Placement]
    units: list[tuple[UnitTerm, int]]

    @classmethod
    def of(cls, problem: Problem, choice: Choice) -> "Ledger":
        """Look up every record that the choice names."""
        wanted, terms = set(choice.placements), {term.id: term for term in problem.unit_terms}
        placements = {p.id: p for p in problem.placements if p.id in wanted}
        return cls(problem, choice, placements, [(terms[term], count) for term, count in choice.units])


def objective_of(problem: Problem, choice: Choice) -> int:
    """Discounted micros of the plan, with the price of cash beyond budgets where a plan may exceed them."""
    ledger = Ledger.of(problem, choice)
    spend = {plan.id: plan for plan in problem.spend_terms}
    total = sum(p.objective for p in ledger.placements.values())
    total += sum(term.objective * count for term, count in ledger.units)
    total += sum(spend[plan].objective * steps for plan, steps in choice.spend)
    weights = problem.day_weights or (1.0,) * problem.horizon
    for service in choice.services:
        for day in range(service.start, service.end) if service.hourly else ():
            cost = hourly_cost_on(ledger.placements[service.placement], day)
            total += service.hourly * round((cost or 0) * weights[day])
    for line in problem.shared:
        total += sum(line.objective_per_day[day] for day in _shared_days(ledger, line.id))
    chains = {chain.id: chain for chain in problem.chains}
    total += sum(chains[chain].move_objective[index] for chain, index in _moves(ledger) if chains[chain].move_cost)
    return total + (problem.excess_price or 0) * _excess(problem, choice)


def _excess(problem: Problem, choice: Choice) -> int:
    """Micros of cash beyond the budgets, where a plan may exceed them at a price."""
    if problem.excess_price is None:
        return 0
    cash, beyond = cash_of(problem, choice), 0
    if problem.budget is not None:
        beyond += max(0, sum(cash.values()) - problem.budget)
    if problem.monthly_budget is not None:
        beyond += sum(max(0, micros - problem.monthly_budget) for micros in cash.values())
    return beyond


def cash_of(problem: Problem, choice: Choice) -> dict[int, int]:
    """Undiscounted micros that leave in each cash month."""
    ledger = Ledger.of(problem, choice)
    spend = {plan.id: plan for plan in problem.spend_terms}
    cash: dict[int, int] = defaultdict(int)
    lines = [(p.cash, 1) for p in ledger.placements.values()]
    lines += [(term.cash, count) for term, count in ledger.units]
    lines += [(spend[plan].cash, steps) for plan, steps in choice.spend]
    for payments, count in lines:
        for month, micros in payments:
            cash[month] += micros * count
    months = [month for month, (first, last) in enumerate(pairwise(problem.month_starts)) for _ in range(first, last)]
    for service in choice.services:
        for day in range(service.start, service.end) if service.hourly else ():
            cash[months[day]] += service.hourly * (hourly_cost_on(ledger.placements[service.placement], day) or 0)
    for line in problem.shared:
        for day in _shared_days(ledger, line.id):
            cash[months[day]] += line.cost_per_day
    for chain in problem.chains:
        for owner, index in _moves(ledger):
            if owner == chain.id and chain.move_cost:
                cash[chain.move_month[index]] += chain.move_cost
    return dict(cash)


def violations(problem: Problem, choice: Choice) -> list[str]:
    """Every rule of the problem that the plan breaks, in words; empty for a valid plan."""
    ledger = Ledger.of(problem, choice)
    unserved = [*_placed(ledger), *_services(ledger)]
    return unserved or [
        *_capacity(ledger),
        *_stock(ledger),
        *_asked(ledger),
        *_chains(ledger),
        *_quotas(ledger),
        *_rates(ledger),
        *_power(ledger),
        *_covered(ledger),
        *_budgets(ledger),
    ]


def _shared_days(ledger: Ledger, line: int) -> set[int]:
    users = [p for p in ledger.placements.values() if line in p.shared]
    return {day for placement in users for day in range(placement.start, placement.end)}


def _moves(ledger: Ledger) -> list[tuple[int, int]]:
    """(chain, index of the task in it) of every change of option between consecutive tasks."""
    options = {p.task: p.option for p in ledger.placements.values()}
    found = []
    for chain in ledger.problem.chains:
        tasks = [task.id for task in ledger.problem.tasks if task.chain == chain.id]
        for index, (before, after) in enumerate(pairwise(tasks), start=1):
            if after in options and options.get(before) != options[after]:
                found.append((chain.id, index))
    return found


def _placed(ledger: Ledger) -> Iterable[str]:
    count: dict[int, int] = defaultdict(int)
    for placement in ledger.placements.values():
        count[placement.task] += 1
    kept: dict[int, set[int]] = defaultdict(set)
    for task in ledger.problem.tasks:
        kept[task.work].add(count[task.id])
        if count[task.id] > 1 or (count[task.id] == 0 and not ledger.problem.optional_tasks):
            yield f"task {task.id} is placed {count[task.id]} times"
    yield from (f"work {work} is placed in part" for work, counts in kept.items() if len(counts) > 1)


def _services(ledger: Ledger) -> Iterable[str]:
    """Each day of each placement (but spot) is served once, in full, and as its pool allows."""
    mixable = {pool.id: pool.mixable for pool in ledger.problem.pools}
    served: dict[tuple[int, int], Service] = {}
    for service in ledger.choice.services:
        for day in range(service.start, service.end):
            if (service.placement, day) in served:
                yield f"placement {service.placement} is served twice on day {day}"
            served[service.placement, day] = service
    for placement in ledger.placements.values():
        days = range(placement.start, placement.end)
        for day in () if placement.spot else days:
            found = served.pop((placement.id, day), None)
            if found is None or not _serves(found, placement, mixable[placement.pool]):
                yield f"placement {placement.id} is not served as it must be on day {day}"
    yield from (f"placement {placement} is served on day {day} outside its days" for placement, day in served)


def _serves(service: Service, placement: Placement, mixable: bool) -> bool:
    bought = service.hourly + service.covered
    if min(service.from_units, service.hourly, service.covered) < 0:
        return False
    if service.from_units + bought != placement.nodes or (bought and placement.hourly_cost is None):
        return False
    return mixable or bought in (0, placement.nodes)


def _running(ledger: Ledger) -> dict[tuple[int, int], list[tuple[Placement, Service]]]:
    """(pool, day) -> what is served there."""
    found: dict[tuple[int, int], list[tuple[Placement, Service]]] = defaultdict(list)
    for service in ledger.choice.services:
        placement = ledger.placements[service.placement]
        for day in range(service.start, service.end):
            found[placement.pool, day].append((placement, service))
    return found


def _capacity(ledger: Ledger) -> Iterable[str]:
    gpus = {pool.id: pool.gpus for pool in ledger.problem.pools}
    for (pool, day), running in sorted(_running(ledger).items(), key=lambda item: item[0]):
        units = _units_on(ledger, pool, day, shareable_only=False) * gpus[pool]
        shareable = _units_on(ledger, pool, day, shareable_only=True) * gpus[pool]
        windows = any(placement.hours is not None for placement, _ in running)
        for hour in range(HOURS if windows else 1):
            whole = parts = 0
            for placement, service in running:
                if occupies(placement, hour):
                    size = service.from_units * placement.gpus_per_node
                    whole, parts = (
                        (whole, parts + size) if placement.gpus_per_node < gpus[pool] else (whole + size, parts)
                    )
            if whole + parts > units or parts > shareable:
                yield f"pool {pool} is short of units on day {day} at hour {hour}"
                break


def _units_on(ledger: Ledger, pool: int, day: int, *, shareable_only: bool) -> int:
    bought = sum(
        count
        for term, count in ledger.units
        if term.pool == pool and term.usable_from <= day < term.end and (term.shareable or not shareable_only)
    )
    return bought + sum(
        sunk.count
        for sunk in ledger.problem.sunk
        if sunk.pool == pool and sunk.start <= day < sunk.end and (sunk.shareable or not shareable_only)
    )


def _stock(ledger: Ledger) -> Iterable[str]:
    used: dict[int, int] = defaultdict(int)
    for term, count in ledger.units:
        key = -1 - term.id if term.group is None else term.group
        used[key] += count
        if term.max_count is not None and used[key] > term.max_count:
            yield f"group {term.group} of unit term {term.id} has only {term.max_count} units"


def _asked(ledger: Ledger) -> Iterable[str]:
    """At least one unit of the terms asked for is bought, and of each no more than it could serve."""
    asked = ledger.problem.asked_terms
    if asked is None:
        return
    bought = [(term, count) for term, count in ledger.units if term.id in asked and count]
    if not bought:
        yield "no unit of the terms asked for is bought"
    for term, count in bought:
        if count > sum(p.nodes for p in ledger.placements.values() if term.reaches(p)):
            yield f"units of term {term.id} are bought that no work can use"


def _chains(ledger: Ledger) -> Iterable[str]:
    moves: dict[int, int] = defaultdict(int)
    for owner, _ in _moves(ledger):
        moves[owner] += 1
    for chain in ledger.problem.chains:
        if moves[chain.id] > chain.max_moves:
            yield f"chain {chain.id} moves {moves[chain.id]} times"


def _quotas(ledger: Ledger) -> Iterable[str]:
    for quota in ledger.problem.quotas:
        weights = dict(quota.weights)
        new = _use_by_day(ledger.problem, weights, _counted(ledger, quota.kind))
        sunk = _use_by_day(ledger.problem, weights, _counted_sunk(ledger.problem, quota))
        over = [day for day, amount in sorted(new.items()) if amount > max(0, quota.limit - sunk[day])]
        if over:
            yield f"quota {quota.id} is exceeded on day {over[0]}"


Counted = Iterable[tuple[int, int, int, int]]
"""(first day, end, pool, nodes)."""


def _use_by_day(problem: Problem, weights: dict[int, int], counted: Counted) -> dict[int, int]:
    use: dict[int, int] = defaultdict(int)
    for start, end, pool, nodes in counted:
        for day in range(max(start, 0), min(end, problem.horizon)) if pool in weights else ():
            use[day] += nodes * weights[pool]
    return use


def _counted_sunk(problem: Problem, quota: QuotaLimit) -> Counted:
    """The sunk units that take up room under a quota."""
    if quota.counts_sunk and quota.kind in ("any", "term"):
        yield from ((sunk.start, sunk.end, sunk.pool, sunk.count) for sunk in problem.sunk)


def _counted(ledger: Ledger, kind: str) -> Counted:
    """Everything chosen that a quota of this kind counts."""
    placements = ledger.placements
    if kind in ("any", "term"):
        yield from ((term.usable_from, term.end, term.pool, count) for term, count in ledger.units)
    if kind in ("any", "spot"):
        yield from ((p.start, p.end, p.pool, p.nodes) for p in placements.values() if p.spot)
    if kind in ("any", "hourly"):
        for service in ledger.choice.services:
            pool = placements[service.placement].pool
            yield service.start, service.end, pool, service.hourly + service.covered


def _rates(ledger: Ledger) -> Iterable[str]:
    cap = ledger.problem.max_hourly
    if cap is None:
        return
    spend = {plan.id: plan for plan in ledger.problem.spend_terms}
    all_day: dict[int, int] = defaultdict(int)
    by_hour: dict[tuple[int, int], int] = defaultdict(int)
    stretches = [(t.usable_from, t.end, t.rate_micros_per_hour * count, None) for t, count in ledger.units]
    stretches += [
        (spend[s].start, spend[s].end, spend[s].capped_micros_per_hour * n, None) for s, n in ledger.choice.spend
    ]
    placed = [(p, p.start, p.end, p.nodes) for p in ledger.placements.values() if p.spot]
    placed += [(ledger.placements[s.placement], s.start, s.end, s.hourly) for s in ledger.choice.services]
    for start, end, rate, _ in stretches:
        for day in range(max(start, 0), min(end, ledger.problem.horizon)):
            all_day[day] += rate
    for placement, start, end, nodes in placed:
        for day in range(start, end):
            for hour in (hour for hour in range(HOURS) if occupies(placement, hour)):
                by_hour[day, hour] += nodes * placement.rate_micros_per_hour
    for day in range(ledger.problem.horizon):
        highest = all_day[day] + max(by_hour.get((day, hour), 0) for hour in range(HOURS))
        if highest > cap:
            yield f"the rented rate is {highest} micros an hour on day {day}"
            return


def _power(ledger: Ledger) -> Iterable[str]:
    limit = ledger.problem.site_power_watts
    if limit is None:
        return
    watts: dict[int, int] = defaultdict(int)
    stretches = [(term.usable_from, term.end, term.power_watts * count) for term, count in ledger.units]
    stretches += [(sunk.start, sunk.end, sunk.power_watts * sunk.count) for sunk in ledger.problem.sunk]
    for start, end, load in stretches:
        for day in range(max(start, 0), min(end, ledger.problem.horizon)):
            watts[day] += load
    over = [day for day, load in sorted(watts.items()) if load > limit]
    if over:
        yield f"the site needs {watts[over[0]]} W on day {over[0]}"


def steps_of(problem: Problem, services: Iterable[Service]) -> tuple[tuple[int, int], ...]:
    """(savings plan, steps): the fewest steps that pay for what the services cover, at the hour of most money."""
    plans, placements = {plan.id: plan for plan in problem.spend_terms}, {p.id: p for p in problem.placements}
    loads: dict[int, list[tuple[int, int, Placement, int]]] = defaultdict(list)
    for service in services:
        placement = placements[service.placement]
        for plan, nodes in service.covered_by:
            rate = dict(plans[plan].rates)[placement.pool]
            loads[plan].append((service.start, service.end, placement, nodes * rate))
    return tuple(
        (plan, steps)
        for plan, mine in sorted(loads.items())
        if (steps := -(-_most_money(mine) // plans[plan].step_micros_per_hour))
    )


def _most_money(loads: list[tuple[int, int, Placement, int]]) -> int:
    """The most micros an hour of loads (first day, end, whose, micros an hour) on any day and hour."""
    hours = sorted({0, *(placement.hours[0] for _, _, placement, _ in loads if placement.hours is not None)})
    return max(
        sum(m for start, end, placement, m in loads if start <= day < end and occupies(placement, hour))
        for day in {start for start, _, _, _ in loads}
        for hour in hours
    )


def _covered(ledger: Ledger) -> Iterable[str]:
    """Covered nodes at their plan rates stay within the committed money at every hour."""
    steps, plans = dict(ledger.choice.spend), {plan.id: plan for plan in ledger.problem.spend_terms}
    used: dict[tuple[int, int, int], int] = defaultdict(int)
    for service in ledger.choice.services:
        if service.covered != sum(nodes for _, nodes in service.covered_by):
            yield f"placement {service.placement} is covered by other plans than it says"
        placement = ledger.placements[service.placement]
        for plan, nodes in service.covered_by:
            rate = dict(plans[plan].rates).get(placement.pool)
            if rate is None or service.start < plans[plan].start or service.end > plans[plan].end:
                yield f"savings plan {plan} does not cover placement {placement.id}"
            for day in range(service.start, service.end):
                for hour in (hour for hour in range(HOURS) if occupies(placement, hour)):
                    used[plan, day, hour] += nodes * (rate or 0)
    for (plan, day, _), money in sorted(used.items()):
        if money > steps.get(plan, 0) * plans[plan].step_micros_per_hour:
            yield f"savings plan {plan} covers more than it commits on day {day}"
            return


def _budgets(ledger: Ledger) -> Iterable[str]:
    problem = ledger.problem
    if problem.excess_price is not None:
        return
    cash = cash_of(problem, ledger.choice)
    if problem.budget is not None and sum(cash.values()) > problem.budget:
        yield f"cash of {sum(cash.values())} micros exceeds the budget"
    if problem.monthly_budget is not None:
        for month, micros in sorted(cash.items()):
            if micros > problem.monthly_budget:
                yield f"cash of {micros} micros in month {month} exceeds the monthly budget"
