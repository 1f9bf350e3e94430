"""The constraint families of the integer program, one function each: its inequality first, with its units."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from optimizer.program.model import EQ, GE, LE, MICROS, HourlyNodes, Model, Terms, merged
from optimizer.program.money import cash_terms
from optimizer.program.problem import Chain, Problem, QuotaLimit, UnitTerm
from optimizer.program.timeline import Slot, Stretch, occupies, peak_hours, spread

Term = tuple[Any, float]


def each_task_is_placed_once(model: Model) -> None:
    """sum of z over the placements of a task = 1; with optional tasks = k[work], all tasks of a work or none."""
    for task in model.problem.tasks:
        terms: Terms = [(model.z[placement.id], 1) for placement in model.by_task[task.id]]
        if model.problem.optional_tasks:
            if task.work not in model.keep:
                model.keep[task.work] = model.integer(f"k{task.work:07d}", 1)
            model.add([*terms, (model.keep[task.work], -1)], EQ, 0, "place", task.id)
        else:
            model.add(terms, EQ, 1, "place", task.id)


def works_by_priority(problem: Problem) -> dict[int, list[int]]:
    """Priority -> works, the highest priority first."""
    found: dict[int, list[int]] = {}
    for task in sorted(problem.tasks, key=lambda task: -task.priority):
        works = found.setdefault(task.priority, [])
        if task.work not in works:
            works.append(task.work)
    return found


def keep_at_least(model: Model, least: Mapping[int, int]) -> None:
    """sum of k over the works of a priority >= least[priority], in works."""
    for priority, works in works_by_priority(model.problem).items():
        if least.get(priority):
            model.add([(model.keep[work], 1) for work in works], GE, least[priority], "kept")


def hourly_nodes_belong_to_chosen_work(model: Model) -> None:
    """size y + size v <= sum of nodes z over the members, nodes a day in each slot.

    The row is left out for the dearest price of a slot where everything is sold by the hour and nodes may mix: more
    such nodes than its members need would serve other members dearer than their own price does. That holds while cost
    is minimized and no cap on the rented rate tells them apart.
    """
    for nodes in model.hourly:
        if not (nodes.dearest and not nodes.covered and model.problem.max_hourly is None):
            _belong(model, nodes)


def dearest_nodes_belong_too(model: Model) -> None:
    """The rows left out above: needed as soon as something else than cost is minimized."""
    for nodes in model.hourly:
        if nodes.dearest and not nodes.covered and model.problem.max_hourly is None:
            _belong(model, nodes)


def _belong(model: Model, nodes: HourlyNodes) -> None:
    terms: Terms = [(column, nodes.size) for column in nodes.all_columns()]
    terms += [(model.z[member.id], -member.nodes) for member in nodes.members]
    model.add(terms, LE, 0, "hourly", nodes.slot.pool, nodes.slot.start, nodes.cost, nodes.members[0].id)


def work_is_served(model: Model) -> None:
    """nodes z - size (y + v) <= x + sunk, in nodes at each hour; parts of a machine count g / G of a node."""
    gpus = {pool.id: pool.gpus for pool in model.problem.pools}
    hourly: dict[Slot, list[HourlyNodes]] = defaultdict(list)
    for nodes in model.hourly:
        hourly[nodes.slot].append(nodes)
    for pool, slots in model.time.slots.items():
        bought = ((unit.usable_from, unit.end, unit) for unit in model.terms_by_pool[pool])
        active = spread([slot.start for slot in slots], bought)
        for slot in slots:
            units = active[slot.start]
            for hour in peak_hours(slot.placements):
                _serve_slot(model, slot, hour, hourly[slot], units, gpus[pool])
            if any(placement.gpus_per_node < gpus[pool] for placement in slot.placements):
                _parts_fit_shareable_units(model, slot, units, gpus[pool])


def _serve_slot(
    model: Model, slot: Slot, hour: int, hourly: list[HourlyNodes], units: list[UnitTerm], gpus: int
) -> None:
    parts = any(placement.gpus_per_node < gpus for placement in slot.placements)
    scale = gpus if parts else 1  # in GPUs where machines are shared, else in nodes
    terms: Terms = []
    for placement in slot.placements:
        if occupies(placement, hour):
            size = placement.nodes * (placement.gpus_per_node if parts else 1)
            terms.append((model.z[placement.id], size))
    for nodes in hourly:
        if nodes.busy(hour):
            terms += [(column, -scale * nodes.size) for column in nodes.all_columns()]
    terms += [(model.x[term.id], -scale) for term in units]
    right = scale * _sunk_count(model.problem, slot, shareable_only=False)
    model.add(terms, LE, right, "serve", slot.pool, slot.start, slot.end, scale, hour)


def _parts_fit_shareable_units(model: Model, slot: Slot, units: list[UnitTerm], gpus: int) -> None:
    """sum of g z over parts of machines <= G (x + sunk) over shareable units, in GPUs at each hour.

    The sizes g divide each other and G, so parts within this sum can be packed onto whole units.
    """
    parts = [placement for placement in slot.placements if placement.gpus_per_node < gpus]
    right = gpus * _sunk_count(model.problem, slot, shareable_only=True)
    shareable: Terms = [(model.x[term.id], -gpus) for term in units if term.shareable]
    for hour in peak_hours(parts):
        terms: Terms = [(model.z[p.id], p.gpus_per_node) for p in parts if occupies(p, hour)]
        model.add(terms + shareable, LE, right, "parts", slot.pool, slot.start, slot.end, gpus, hour)


def _sunk_count(problem: Problem, slot: Slot, *, shareable_only: bool) -> int:
    return sum(
        sunk.count
        for sunk in problem.sunk
        if sunk.pool == slot.pool
        and sunk.start <= slot.start
        and slot.end <= sunk.end
        and (sunk.shareable or not shareable_only)
    )


def groups_have_stock(model: Model) -> None:
    """sum of x over the terms of a group <= max_count, in units bought over the horizon."""
    groups: dict[int, list[UnitTerm]] = defaultdict(list)
    for term in model.problem.unit_terms:
        if term.group is not None and term.max_count is not None and term.id in model.x:
            groups[term.group].append(term)
    for group in groups.values():
        limit = min(term.max_count for term in group if term.max_count is not None)
        model.add([(model.x[term.id], 1) for term in group], LE, limit, "stock")


def asked_units_are_bought(model: Model) -> None:
    """sum of x over the terms asked for >= 1, and each x <= sum of nodes z in its reach, in units: none stands idle."""
    asked = model.problem.asked_terms
    if asked is None:
        return
    terms = [term for term in model.problem.unit_terms if term.id in asked and term.id in model.x]
    model.add([(model.x[term.id], 1) for term in terms], GE, 1, "asked")
    for term in terms:
        nodes: Terms = [(model.z[p.id], -p.nodes) for p in model.by_pool[term.pool] if term.reaches(p)]
        model.add([(model.x[term.id], 1), *nodes], LE, 0, "asked_in_use", term.id)


def steady_work_moves_rarely(model: Model) -> None:
    """m[i] = sum over options of max(0, z[i, option] - z[i-1, option]) and sum of m <= max_moves, in moves."""
    for chain in model.problem.chains:
        tasks = [task for task in model.problem.tasks if task.chain == chain.id]
        total: Terms = []
        for index, (before, after) in enumerate(pairwise(tasks), start=1):
            parts = _arrivals(model, chain, index, before.id, after.id)
            model.moves[chain.id, index] = model.number(f"m{chain.id:05d}_{index:05d}", 1)
            model.add(
                [*((part, 1) for part in parts), (model.moves[chain.id, index], -1)], LE, 0, "move", chain.id, index
            )
            total.append((model.moves[chain.id, index], 1))
        if total:
            model.add(total, LE, chain.max_moves, "moves")


def _arrivals(model: Model, chain: Chain, index: int, before: int, after: int) -> list[Any]:
    """One column an option: 1 when the work arrives there at task `index` of the chain."""
    old: dict[int, Terms] = defaultdict(list)
    new: dict[int, Terms] = defaultdict(list)
    for placement in model.by_task[before]:
        old[placement.option].append((model.z[placement.id], -1))
    for placement in model.by_task[after]:
        new[placement.option].append((model.z[placement.id], 1))
    parts = []
    for option, terms in sorted(new.items()):
        part = model.number(f"a{chain.id:05d}_{index:05d}_{option:07d}", 1)
        model.arrivals[chain.id, index, before, after, option] = part
        model.add([*terms, *old[option], (part, -1)], LE, 0, "arrive")
        parts.append(part)
    return parts


def shared_lines_are_paid(model: Model) -> None:
    """s[line, days] >= sum of z over a task's placements that name the line and run on those days."""
    for line in model.problem.shared:
        users = [placement for placement in model.problem.placements if line.id in placement.shared]
        days = {day for placement in users for day in (placement.start, placement.end)}
        if model.problem.monthly_budget is not None:
            days.update(model.problem.month_starts)
        for start, end in pairwise(sorted(days)):
            active: dict[int, Terms] = defaultdict(list)
            for placement in users:
                if placement.start <= start and end <= placement.end:
                    active[placement.task].append((model.z[placement.id], 1))
            if active:
                column = model.number(f"s{line.id:05d}_{start:05d}", 1)
                model.shared[line.id, start, end] = column
                for terms in active.values():
                    model.add([*terms, (column, -1)], LE, 0, "share")


def quotas_hold(model: Model) -> None:
    """On every day: sum of weight x nodes of the kind <= limit - sunk, in the quota's own measure (GPUs or nodes).

    Sunk units that exceed a limit by themselves leave room for nothing else; they are no choice, and break no rule.
    """
    for quota in model.problem.quotas:
        weights = dict(quota.weights)
        days = model.time.common_days(weights)
        terms = spread(days, _quota_terms(model, quota, weights))
        sunk = spread(days, _quota_sunk(model.problem, quota, weights))
        for day in days:
            left = max(0, quota.limit - sum(sunk[day]))
            if terms[day]:
                model.add(terms[day], LE, left, "quota", quota.id, day)


def _quota_terms(model: Model, quota: QuotaLimit, weights: Mapping[int, int]) -> Iterable[Stretch[Term]]:
    for pool, weight in weights.items():
        if quota.kind in ("any", "term"):
            for unit in model.terms_by_pool[pool]:
                yield unit.usable_from, unit.end, (model.x[unit.id], weight)
        if quota.kind in ("any", "spot"):
            for placement in model.by_pool[pool]:
                if placement.spot:
                    yield placement.start, placement.end, (model.z[placement.id], weight * placement.nodes)
        if quota.kind in ("any", "hourly"):
            for nodes in model.hourly_by_pool[pool]:
                for column in nodes.all_columns():
                    yield nodes.slot.start, nodes.slot.end, (column, weight * nodes.size)


def _quota_sunk(problem: Problem, quota: QuotaLimit, weights: Mapping[int, int]) -> Iterable[Stretch[int]]:
    if quota.counts_sunk and quota.kind in ("any", "term"):
        for sunk in problem.sunk:
            if sunk.pool in weights:
                yield sunk.start, sunk.end, weights[sunk.pool] * sunk.count


def rented_rate_is_capped(model: Model) -> None:
    """At every hour of every day: sum of cash rates of rented units, hourly, spot and committed money <= max_hourly."""
    cap = model.problem.max_hourly
    if cap is None:
        return
    days = set(model.time.common_days(pool.id for pool in model.problem.pools))
    days.update(plan.start for plan in model.problem.spend_terms)
    for hour in peak_hours(model.problem.placements):
        terms = spread(sorted(days), _rate_terms(model, hour))
        for day in sorted(days):
            rates: Terms = [(column, rate / MICROS) for column, rate in terms[day] if rate]
            if rates:
                model.add(rates, LE, cap / MICROS, "rate", day, hour)


def _rate_terms(model: Model, hour: int) -> Iterable[Stretch[Term]]:
    for unit in model.problem.unit_terms:
        if unit.id in model.x:
            yield unit.usable_from, unit.end, (model.x[unit.id], unit.rate_micros_per_hour)
    for p in model.problem.placements:
        if p.spot and occupies(p, hour):
            yield p.start, p.end, (model.z[p.id], p.nodes * p.rate_micros_per_hour)
    for nodes in model.hourly:
        if nodes.busy(hour):
            yield nodes.slot.start, nodes.slot.end, (nodes.column, nodes.size * nodes.rate_micros_per_hour)
    for plan in model.problem.spend_terms:
        yield plan.start, plan.end, (model.spend[plan.id], plan.capped_micros_per_hour)


def site_has_power(model: Model) -> None:
    """On every day: sum of watts of units bought and sunk <= site power, in kW."""
    limit = model.problem.site_power_watts
    if limit is None:
        return
    days = model.time.common_days(model.time.points)
    bought = spread(days, _power_terms(model))
    sunk = spread(days, ((s.start, s.end, s.count * s.power_watts) for s in model.problem.sunk))
    for day in days:
        left = limit - sum(sunk[day])
        if bought[day] or left < 0:
            model.add([(column, watts / 1000) for column, watts in bought[day]], LE, left / 1000, "power", day)


def _power_terms(model: Model) -> Iterable[Stretch[Term]]:
    for unit in model.problem.unit_terms:
        if unit.power_watts and unit.id in model.x:
            yield unit.usable_from, unit.end, (model.x[unit.id], unit.power_watts)


def committed_money_covers(model: Model) -> None:
    """At every hour: sum of plan rate x covered nodes <= step x q, in steps.

    Rates and step are whole micros, so money beyond the steps is at least 1 / step of one: with steps of a thousandth
    of the currency far more than a solver's tolerance.
    """
    for plan in model.problem.spend_terms:
        rates = dict(plan.rates)
        covered = [nodes for nodes in model.hourly if plan.id in nodes.covered]
        days = sorted({nodes.slot.start for nodes in covered})
        active = spread(days, ((nodes.slot.start, nodes.slot.end, nodes) for nodes in covered))
        for day in days:
            for hour in peak_hours(member for nodes in active[day] for member in nodes.members):
                terms: Terms = [
                    (nodes.covered[plan.id], nodes.size * rates[nodes.slot.pool] / plan.step_micros_per_hour)
                    for nodes in active[day]
                    if nodes.busy(hour)
                ]
                terms.append((model.spend[plan.id], -1))
                model.add(terms, LE, 0, "commit", plan.id, day, hour)


def cash_stays_in_budget(model: Model) -> None:
    """sum of cash <= budget over the plan and <= monthly budget in each cash month, undiscounted, in currency."""
    problem = model.problem
    if problem.budget is None and problem.monthly_budget is None:
        return
    by_month = cash_terms(model)
    if problem.monthly_budget is not None:
        for month in sorted(by_month):
            terms = _currency(by_month[month]) + _excess(model, month)
            model.add(terms, LE, problem.monthly_budget / MICROS, "month", month)
    if problem.budget is not None:
        everything = _currency(merged([entry for terms in by_month.values() for entry in terms]))
        model.add(everything + _excess(model, None), LE, problem.budget / MICROS, "budget")


def _excess(model: Model, month: int | None) -> Terms:
    """A column for cash beyond the budget (of a month, or None of the plan), where a plan may exceed it."""
    if model.problem.excess_price is None:
        return []
    name = "o" if month is None else f"o{month:05d}"
    model.excess[month] = model.number(name, None)
    return [(model.excess[month], -1)]


def _currency(terms: Terms) -> Terms:
    return [(column, micros / MICROS) for column, micros in terms]
