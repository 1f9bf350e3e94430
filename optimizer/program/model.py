"""The integer program's columns, and the record that holds them beside the rows.

Notation (docs/program.md): z placement chosen, x units bought, y nodes served by the hour, v nodes covered by a savings
plan, k work kept, m moves, s shared line paid, q steps of a savings plan. Money enters the solver in the currency
(micros / 10**6); every figure that leaves is recomputed from the integers (check.py).
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulp

from optimizer.program.problem import Placement, Problem, SpendTerm, UnitTerm
from optimizer.program.timeline import HOURS, Slot, Timeline, hourly_cost_on, occupies

MICROS = 1_000_000
LE, EQ, GE = pulp.LpConstraintLE, pulp.LpConstraintEQ, pulp.LpConstraintGE

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
    excess: dict[int | None, Any] = field(default_factory=dict)
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
        row = pulp.LpConstraint(expression(terms), sense, f"{key[0]}_{self.rows:07d}", right)
        self.lp.addConstraint(row)
        self.named[key] = row


def expression(terms: Terms) -> Any:
    """The sum of coefficient x column."""
    found = pulp.LpAffineExpression(terms)
    return found if len(found) == len(terms) else pulp.LpAffineExpression(merged(terms))


def merged(terms: Terms) -> Terms:
    """One entry a column: PuLP keeps only the last of two."""
    total: dict[Any, float] = {}
    for column, coefficient in terms:
        total[column] = total.get(column, 0) + coefficient
    return list(total.items())


def whole_pools(problem: Problem) -> frozenset[int]:
    """Pools whose units and hourly nodes need not be declared whole numbers.

    Proof: with placements fixed, such a pool's rows are its serving rows (in order of slot and hour) and bounds of
    hourly nodes. A unit term covers consecutive rows, a price consecutive hours of one slot (no window wraps): the
    matrix has consecutive ones in each column, so it is totally unimodular and every vertex is whole. That fails
    where another row counts them: a budget, quota, cap, site power, stock of several terms, terms asked for, savings
    plan, parts of machines, or clusters that may not mix.
    """
    if problem.budget is not None or problem.monthly_budget is not None or problem.max_hourly is not None:
        return frozenset()
    gpus = {pool.id: pool.gpus for pool in problem.pools}
    bound = {pool.id for pool in problem.pools if not pool.mixable}
    bound |= {pool for quota in problem.quotas for pool, _ in quota.weights}
    bound |= {pool for plan in problem.spend_terms for pool, _ in plan.rates}
    limited, asked = problem.site_power_watts is not None, problem.asked_terms or frozenset()
    bound |= {t.pool for t in problem.unit_terms if t.group is not None or (limited and t.power_watts) or t.id in asked}
    for placement in problem.placements:
        wraps = placement.hours is not None and sum(placement.hours) > HOURS
        if wraps or placement.gpus_per_node < gpus[placement.pool]:
            bound.add(placement.pool)
    return frozenset(gpus) - bound


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
        if term.reaches(placement):
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
    top = max((key[0] for key in groups), default=0)
    dearest = [key for key in groups if key[0] == top]
    alone = sold and mixable and len(dearest) == 1 and len({key[1] for key in groups}) == 1
    for key, members in groups.items():
        cost, hours, rate = key[:3]
        size = 1 if mixable else members[0].nodes
        yield HourlyNodes(slot, cost, hours, rate, size, tuple(members), dearest=alone and key == dearest[0])


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
    """q[savings plan] in 0..most: steps of committed money an hour; beyond what covers every node they never help."""
    for plan in model.problem.spend_terms:
        most = 0
        for pool, rate in plan.rates:
            covered: dict[Slot, int] = defaultdict(int)
            for nodes in model.hourly_by_pool[pool]:
                if plan.id in nodes.covered:
                    covered[nodes.slot] += nodes.size * nodes.column.upBound
            most += rate * max(covered.values(), default=0)
        model.spend[plan.id] = model.integer(f"q{plan.id:07d}", -(-most // plan.step_micros_per_hour))
