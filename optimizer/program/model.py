"""The integer program itself: columns, one function a constraint family, and the list of calls that builds it.

Notation (docs/program.md): z placement chosen, x units bought, y nodes served by the hour, v nodes covered by a savings
plan, k work kept, m moves, s shared line paid. Money enters the solver in the currency (micros / 10**6); every figure
that leaves is recomputed from the integers (check.py).
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pulp

from optimizer.program.problem import Chain, Placement, Problem, QuotaLimit, SpendTerm, UnitTerm
from optimizer.program.timeline import HOURS, Slot, Timeline, hourly_cost_on, occupies, peak_hours, timeline

MICROS = 1_000_000

Terms = list[tuple[Any, float]]


@dataclass(slots=True)
class HourlyNodes:
    """Nodes served by the hour in one slot at one price: `size` x `column` nodes, each day of the slot.

    `members` are the placements that may be served this way. Where a cluster may not be mixed, there is one record a
    placement, `size` is its nodes and the column is yes or no. `covered`: the column for each savings plan.
    """

    slot: Slot
    cost: int
    hours: tuple[int, int] | None
    rate_micros_per_hour: int
    size: int
    members: tuple[Placement, ...]
    dearest: bool = False
    column: Any = None
    covered: dict[int, Any] = field(default_factory=dict)

    def busy(self, hour: int) -> bool:
        """Whether these nodes run at that hour of the day."""
        return occupies(self.members[0], hour)

    def all_columns(self) -> list[Any]:
        """The hourly column and those of the savings plans."""
        return [self.column, *self.covered.values()]


@dataclass(slots=True)
class Model:
    """The program as PuLP objects, with the columns by the ids of the problem."""

    problem: Problem
    time: Timeline
    lp: Any
    whole_pools: frozenset[int] = frozenset()
    z: dict[int, Any] = field(default_factory=dict)
    x: dict[int, Any] = field(default_factory=dict)
    spend: dict[int, Any] = field(default_factory=dict)
    keep: dict[int, Any] = field(default_factory=dict)
    moves: dict[tuple[int, int], Any] = field(default_factory=dict)
    arrivals: dict[tuple[int, int, int, int, int], Any] = field(default_factory=dict)
    shared: dict[tuple[int, int, int], Any] = field(default_factory=dict)
    hourly: list[HourlyNodes] = field(default_factory=list)
    by_task: dict[int, list[Placement]] = field(default_factory=lambda: defaultdict(list))
    by_pool: dict[int, list[Placement]] = field(default_factory=lambda: defaultdict(list))
    terms_by_pool: dict[int, list[UnitTerm]] = field(default_factory=lambda: defaultdict(list))
    hourly_by_pool: dict[int, list[HourlyNodes]] = field(default_factory=lambda: defaultdict(list))
    named: dict[tuple[Any, ...], Any] = field(default_factory=dict)
    rows: int = 0

    def integer(self, name: str, upper: float | None) -> Any:
        """A column of whole numbers >= 0."""
        return self.lp.add_variable(name, 0, upper, pulp.LpInteger)

    def count(self, pool: int, name: str, upper: float | None) -> Any:
        """Units or nodes of a pool: whole by themselves once placements are, in pools of which that is proven."""
        return self.number(name, upper) if pool in self.whole_pools else self.integer(name, upper)

    def demand_whole(self) -> None:
        """Make every count a whole number: needed as soon as rows beyond the program's own bind them."""
        for column in [*self.x.values(), *(nodes.column for nodes in self.hourly)]:
            column.cat = pulp.LpInteger

    def number(self, name: str, upper: float | None) -> Any:
        """A column that is whole by itself once the integer columns are."""
        return self.lp.add_variable(name, 0, upper, pulp.LpContinuous)

    def add(self, terms: Terms, sense: int, right: float, *key: Any) -> None:
        """One row: sum of coefficient x column, sense, right-hand side; `key` is its family and what it is about."""
        self.rows += 1
        row = pulp.LpConstraint(pulp.LpAffineExpression(_merged(terms)), sense, f"{key[0]}_{self.rows:07d}", right)
        self.lp.addConstraint(row)
        self.named[key] = row


def _merged(terms: Terms) -> Terms:
    """One entry a column: PuLP keeps only the last of two."""
    total: dict[Any, float] = {}
    for column, coefficient in terms:
        total[column] = total.get(column, 0) + coefficient
    return list(total.items())


LE, EQ, GE = pulp.LpConstraintLE, pulp.LpConstraintEQ, pulp.LpConstraintGE


def whole_pools(problem: Problem) -> frozenset[int]:
    """Pools whose units and hourly nodes need not be declared whole numbers.

    Proof: with placements fixed, such a pool's rows are its serving rows (in order of slot and hour) and bounds of
    hourly nodes. A unit term covers consecutive rows, a price consecutive hours of one slot (no window wraps): the
    matrix has consecutive ones in each column, so it is totally unimodular and every vertex is whole. That fails
    where another row counts them: a budget, quota, cap, site power, stock of several terms, savings plan, parts of
    machines, or clusters that may not mix.
    """
    if problem.budget is not None or problem.monthly_budget is not None or problem.max_hourly is not None:
        return frozenset()
    gpus = {pool.id: pool.gpus for pool in problem.pools}
    bound = {pool.id for pool in problem.pools if not pool.mixable}
    bound |= {pool for quota in problem.quotas for pool, _ in quota.weights}
    bound |= {pool for plan in problem.spend_terms for pool, _ in plan.rates}
    limited = problem.site_power_watts is not None
    bound |= {t.pool for t in problem.unit_terms if t.group is not None or (limited and t.power_watts)}
    for placement in problem.placements:
        wraps = placement.hours is not None and sum(placement.hours) > HOURS
        if wraps or placement.gpus_per_node < gpus[placement.pool]:
            bound.add(placement.pool)
    return frozenset(gpus) - bound


# --- columns -------------------------------------------------------------------------------------------------------


def add_placements(model: Model) -> None:
    """z[placement] in {0, 1}."""
    for placement in model.problem.placements:
        model.z[placement.id] = model.integer(f"z{placement.id:07d}", 1)
        model.by_task[placement.task].append(placement)
        model.by_pool[placement.pool].append(placement)


def add_units(model: Model) -> None:
    """x[term] in 0..peak: buying more units than the work in reach of the term can use never helps, as nothing is
    paid back for them."""
    for term in model.problem.unit_terms:
        peak = _peak_nodes(model, term)
        upper = peak if term.max_count is None else min(peak, term.max_count)
        if upper:
            model.x[term.id] = model.count(term.pool, f"x{term.id:07d}", upper)
            model.terms_by_pool[term.pool].append(term)


def _peak_nodes(model: Model, term: UnitTerm) -> int:
    """Most nodes that work in reach of the term can hold: per task its largest placement."""
    most: dict[int, int] = {}
    for placement in model.by_pool[term.pool]:
        reaches = placement.start < term.end and term.usable_from < placement.end and not placement.spot
        if reaches:
            most[placement.task] = max(most.get(placement.task, 0), placement.nodes)
    return sum(most.values())


def add_hourly(model: Model) -> None:
    """y[slot, price] nodes a day, and v[savings plan, slot, price] nodes a day covered by a plan."""
    mixable = {pool.id: pool.mixable for pool in model.problem.pools}
    plans = defaultdict(list)
    for spend in model.problem.spend_terms:
        for pool, _ in spend.rates:
            plans[pool].append(spend)
    for pool, slots in model.time.slots.items():
        for slot in slots:
            for nodes in _hourly_of_slot(slot, mixable[pool]):
                _name_columns(model, nodes, plans[pool])


def _hourly_of_slot(slot: Slot, mixable: bool) -> Iterable[HourlyNodes]:
    groups: dict[tuple[Any, ...], list[Placement]] = defaultdict(list)
    for placement in slot.placements:
        cost = hourly_cost_on(placement, slot.start)
        if cost is not None:
            key = (cost, placement.hours, placement.rate_micros_per_hour)
            groups[key if mixable else (*key, placement.id)].append(placement)
    sold = sum(len(members) for members in groups.values()) == len(slot.placements)
    dearest = max(groups, default=None) if sold and mixable and len({hours for _, hours, *_ in groups}) == 1 else None
    for key, members in groups.items():
        cost, hours, rate = key[:3]
        size = 1 if mixable else members[0].nodes
        yield HourlyNodes(slot, cost, hours, rate, size, tuple(members), dearest=key == dearest)


def _name_columns(model: Model, nodes: HourlyNodes, plans: Sequence[SpendTerm]) -> None:
    number = len(model.hourly)
    most: dict[int, int] = {}
    for member in nodes.members:
        most[member.task] = max(most.get(member.task, 0), member.nodes // nodes.size)
    upper = sum(most.values())
    nodes.column = model.count(nodes.slot.pool, f"y{number:07d}", upper)
    for plan in plans:
        if plan.start <= nodes.slot.start and nodes.slot.end <= plan.end:
            nodes.covered[plan.id] = model.integer(f"v{number:07d}_{plan.id:05d}", upper)
    model.hourly.append(nodes)
    model.hourly_by_pool[nodes.slot.pool].append(nodes)


def add_spend_steps(model: Model) -> None:
    """q[savings plan] steps of committed money an hour."""
    for plan in model.problem.spend_terms:
        model.spend[plan.id] = model.integer(f"q{plan.id:07d}", None)


# --- constraint families -------------------------------------------------------------------------------------------


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
    such nodes than its members need would serve other members dearer than their own price does.
    """
    for nodes in model.hourly:
        if nodes.dearest and not nodes.covered:
            continue
        terms: Terms = [(column, nodes.size) for column in nodes.all_columns()]
        terms += [(model.z[member.id], -member.nodes) for member in nodes.members]
        model.add(terms, LE, 0, "hourly")


def work_is_served(model: Model) -> None:
    """nodes z - size (y + v) <= x + sunk, in nodes at each hour; parts of a machine count g / G of a node."""
    gpus = {pool.id: pool.gpus for pool in model.problem.pools}
    hourly: dict[Slot, list[HourlyNodes]] = defaultdict(list)
    for nodes in model.hourly:
        hourly[nodes.slot].append(nodes)
    for pool, slots in model.time.slots.items():
        for slot in slots:
            for hour in peak_hours(slot.placements):
                _serve_slot(model, slot, hour, hourly[slot], gpus[pool])
            if any(placement.gpus_per_node < gpus[pool] for placement in slot.placements):
                _parts_fit_shareable_units(model, slot, gpus[pool])


def _serve_slot(model: Model, slot: Slot, hour: int, hourly: list[HourlyNodes], gpus: int) -> None:
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
    terms += [(model.x[term.id], -scale) for term in _active_terms(model, slot)]
    right = scale * _sunk_count(model.problem, slot, shareable_only=False)
    model.add(terms, LE, right, "serve", slot.pool, slot.start, slot.end, scale, hour)


def _parts_fit_shareable_units(model: Model, slot: Slot, gpus: int) -> None:
    """sum of g z over parts of machines <= G (x + sunk) over shareable units, in GPUs at each hour.

    The sizes g divide each other and G, so parts within this sum can be packed onto whole units.
    """
    parts = [placement for placement in slot.placements if placement.gpus_per_node < gpus]
    right = gpus * _sunk_count(model.problem, slot, shareable_only=True)
    units: Terms = [(model.x[term.id], -gpus) for term in _active_terms(model, slot) if term.shareable]
    for hour in peak_hours(parts):
        terms: Terms = [(model.z[p.id], p.gpus_per_node) for p in parts if occupies(p, hour)]
        model.add(terms + units, LE, right, "parts", slot.pool, slot.start, slot.end, gpus, hour)


def _active_terms(model: Model, slot: Slot) -> list[UnitTerm]:
    return [t for t in model.terms_by_pool[slot.pool] if t.usable_from <= slot.start and slot.end <= t.end]


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
    """On every day: sum of weight x nodes of the kind <= limit, in the quota's own measure (GPUs or nodes)."""
    for quota in model.problem.quotas:
        weights = dict(quota.weights)
        for day in model.time.common_days(weights):
            terms = _quota_terms(model, quota, weights, day)
            left = quota.limit - _quota_sunk(model.problem, quota, weights, day)
            if terms or left < 0:
                model.add(terms, LE, left, "quota")


def _quota_terms(model: Model, quota: QuotaLimit, weights: dict[int, int], day: int) -> Terms:
    terms: Terms = []
    for pool, weight in weights.items():
        if quota.kind in ("any", "term"):
            terms += [(model.x[t.id], weight) for t in model.terms_by_pool[pool] if t.usable_from <= day < t.end]
        if quota.kind in ("any", "spot"):
            spot = (p for p in model.by_pool[pool] if p.spot and p.start <= day < p.end)
            terms += [(model.z[p.id], weight * p.nodes) for p in spot]
        if quota.kind in ("any", "hourly"):
            for nodes in model.hourly_by_pool[pool]:
                if nodes.slot.start <= day < nodes.slot.end:
                    terms += [(column, weight * nodes.size) for column in nodes.all_columns()]
    return terms


def _quota_sunk(problem: Problem, quota: QuotaLimit, weights: dict[int, int], day: int) -> int:
    if not quota.counts_sunk or quota.kind not in ("any", "term"):
        return 0
    return sum(weights.get(s.pool, 0) * s.count for s in problem.sunk if s.start <= day < s.end)


def rented_rate_is_capped(model: Model) -> None:
    """At every hour of every day: sum of cash rates of rented units, hourly, spot and committed money <= max_hourly."""
    cap = model.problem.max_hourly
    if cap is None:
        return
    pools = [pool.id for pool in model.problem.pools]
    days = set(model.time.common_days(pools)).union(plan.start for plan in model.problem.spend_terms)
    for day in sorted(days):
        for hour in peak_hours(model.problem.placements):
            terms = _rate_terms(model, day, hour)
            if terms:
                model.add([(column, rate / MICROS) for column, rate in terms], LE, cap / MICROS, "rate")


def _rate_terms(model: Model, day: int, hour: int) -> Terms:
    terms: Terms = []
    for unit in model.problem.unit_terms:
        if unit.id in model.x and unit.usable_from <= day < unit.end:
            terms.append((model.x[unit.id], unit.rate_micros_per_hour))
    for placement in model.problem.placements:
        if placement.spot and placement.start <= day < placement.end and occupies(placement, hour):
            terms.append((model.z[placement.id], placement.nodes * placement.rate_micros_per_hour))
    for nodes in model.hourly:
        if nodes.slot.start <= day < nodes.slot.end and nodes.busy(hour):
            terms.append((nodes.column, nodes.size * nodes.rate_micros_per_hour))
    for plan in model.problem.spend_terms:
        if plan.start <= day < plan.end:
            terms.append((model.spend[plan.id], plan.step_micros_per_hour))
    return [(column, rate) for column, rate in terms if rate]


def site_has_power(model: Model) -> None:
    """On every day: sum of watts of units bought and sunk <= site power, in kW."""
    limit = model.problem.site_power_watts
    if limit is None:
        return
    for day in model.time.common_days(model.time.points):
        terms: Terms = [
            (model.x[unit.id], unit.power_watts / 1000)
            for unit in model.problem.unit_terms
            if unit.power_watts and unit.id in model.x and unit.usable_from <= day < unit.end
        ]
        sunk = sum(s.count * s.power_watts for s in model.problem.sunk if s.start <= day < s.end)
        if terms or sunk > limit:
            model.add(terms, LE, (limit - sunk) / 1000, "power")


def committed_money_covers(model: Model) -> None:
    """At every hour: sum of plan rate x covered nodes <= step x q, in currency an hour."""
    for plan in model.problem.spend_terms:
        rates = dict(plan.rates)
        covered = [nodes for nodes in model.hourly if plan.id in nodes.covered]
        for day in sorted({nodes.slot.start for nodes in covered}):
            active = [nodes for nodes in covered if nodes.slot.start <= day < nodes.slot.end]
            for hour in peak_hours(member for nodes in active for member in nodes.members):
                terms: Terms = [
                    (nodes.covered[plan.id], nodes.size * rates[nodes.slot.pool] / MICROS)
                    for nodes in active
                    if nodes.busy(hour)
                ]
                terms.append((model.spend[plan.id], -plan.step_micros_per_hour / MICROS))
                model.add(terms, LE, 0, "commit")


def cash_stays_in_budget(model: Model) -> None:
    """sum of cash <= budget over the plan and <= monthly budget in each cash month, undiscounted, in currency."""
    problem = model.problem
    if problem.budget is None and problem.monthly_budget is None:
        return
    by_month = cash_terms(model)
    if problem.monthly_budget is not None:
        for month in sorted(by_month):
            model.add(_currency(by_month[month]), LE, problem.monthly_budget / MICROS, "month", month)
    if problem.budget is not None:
        everything = [entry for terms in by_month.values() for entry in terms]
        model.add(_currency(_merged(everything)), LE, problem.budget / MICROS, "budget")


def _currency(terms: Terms) -> Terms:
    return [(column, micros / MICROS) for column, micros in terms]


# --- money ---------------------------------------------------------------------------------------------------------


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


# --- the whole program ---------------------------------------------------------------------------------------------

COLUMNS: tuple[Callable[[Model], None], ...] = (add_placements, add_units, add_hourly, add_spend_steps)

FAMILIES: tuple[Callable[[Model], None], ...] = (
    each_task_is_placed_once,
    hourly_nodes_belong_to_chosen_work,
    work_is_served,
    groups_have_stock,
    steady_work_moves_rarely,
    shared_lines_are_paid,
    quotas_hold,
    rented_rate_is_capped,
    site_has_power,
    committed_money_covers,
    cash_stays_in_budget,
)


def build(problem: Problem, kept_at_least: Mapping[int, int] | None = None) -> Model:
    """The program of a problem, with its cost as objective; `kept_at_least`: works to keep of each priority."""
    model = Model(problem, timeline(problem), pulp.LpProblem("plan", pulp.LpMinimize), whole_pools(problem))
    for step in (*COLUMNS, *FAMILIES):
        step(model)
    keep_at_least(model, kept_at_least or {})
    minimize(model, [(column, micros / MICROS) for column, micros in objective_terms(model)])
    return model


def minimize(model: Model, terms: Terms) -> None:
    """Set the objective: sum of coefficient x column."""
    model.lp.objective = None
    model.lp.setObjective(pulp.LpAffineExpression(_merged(terms)))
