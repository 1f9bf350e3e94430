"""From solver values to the integers of a plan: who runs where, what is bought, and what serves whom each day."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from optimizer.program.check import Choice, cash_of, steps_of
from optimizer.program.model import MICROS, HourlyNodes, Model
from optimizer.program.problem import Placement, Service

Value = Callable[[Any], int]
WHOLE = 1e-5


def rounded(column: Any) -> int:
    """The whole number nearest to a column's value."""
    return round(column.varValue or 0)


def all_whole(model: Model) -> bool:
    """Whether every unit and hourly node count of the solver is a whole number."""
    columns = [*model.x.values(), *(nodes.column for nodes in model.hourly)]
    return all(abs((column.varValue or 0) - rounded(column)) < WHOLE for column in columns)


def fix_placements(model: Model) -> None:
    """Hold the placements as they are and demand whole counts."""
    for column in model.z.values():
        column.lowBound = column.upBound = rounded(column)
    model.demand_whole()


def free_placements(model: Model) -> None:
    """Let the placements go again."""
    for column in model.z.values():
        column.lowBound, column.upBound = 0, 1


def choice_of(model: Model, value: Value = rounded) -> Choice:
    """The plan that the column values describe; hourly nodes go to the placements of their price in task order."""
    chosen = {p.id: p for p in model.problem.placements if value(model.z[p.id])}
    units = ((term, value(column)) for term, column in model.x.items())
    services = _services(model, chosen, value)
    return Choice(
        placements=tuple(sorted(chosen)),
        units=tuple(sorted((term, count) for term, count in units if count)),
        spend=steps_of(model.problem, services) if model.spend else (),
        services=services,
    )


def _services(model: Model, chosen: dict[int, Placement], value: Value) -> tuple[Service, ...]:
    hourly: dict[tuple[int, int], list[HourlyNodes]] = defaultdict(list)
    for nodes in model.hourly:
        hourly[nodes.slot.pool, nodes.slot.start].append(nodes)
    by_placement: dict[int, list[Service]] = defaultdict(list)
    for pool, slots in model.time.slots.items():
        for slot in slots:
            bought: dict[int, dict[int | None, int]] = defaultdict(dict)
            for nodes in hourly[pool, slot.start]:
                _give(nodes, chosen, value, bought)
            for placement in slot.placements:
                if placement.id in chosen:
                    by_placement[placement.id].append(_service(placement, slot.start, slot.end, bought[placement.id]))
    return tuple(service for key in sorted(by_placement) for service in _joined(by_placement[key]))


def _give(
    nodes: HourlyNodes, chosen: dict[int, Placement], value: Value, bought: dict[int, dict[int | None, int]]
) -> None:
    """Deal the hourly and covered nodes of one price to its chosen placements, in order, up to their nodes."""
    left = {member.id: member.nodes for member in nodes.members if member.id in chosen}
    columns: list[tuple[int | None, Any]] = [(None, nodes.column), *sorted(nodes.covered.items())]
    for plan, column in columns:
        count = value(column) * nodes.size
        for placement in left:
            taken = min(count, left[placement])
            if taken:
                bought[placement][plan] = taken
                left[placement] -= taken
                count -= taken


def _service(placement: Placement, start: int, end: int, bought: dict[int | None, int]) -> Service:
    covered_by = tuple((plan, count) for plan, count in bought.items() if plan is not None)
    return Service(
        placement=placement.id,
        start=start,
        end=end,
        from_units=placement.nodes - sum(bought.values()),
        hourly=bought.get(None, 0),
        covered=sum(count for _, count in covered_by),
        covered_by=covered_by,
    )


def _joined(services: list[Service]) -> list[Service]:
    """Neighbouring days that are served alike become one record."""
    joined: list[Service] = []
    for service in services:
        last = joined[-1] if joined else None
        if last and last.end == service.start and _how(last) == _how(service):
            joined[-1] = Service(
                service.placement,
                last.start,
                service.end,
                service.from_units,
                service.hourly,
                service.covered,
                service.covered_by,
            )
        else:
            joined.append(service)
    return joined


def _how(service: Service) -> tuple[object, ...]:
    return service.from_units, service.hourly, service.covered_by


def start_from(model: Model, choice: Choice) -> None:
    """Give every column its value in a known plan, as the solver's first one; a plan that does not fit is ignored."""
    placed, units, spend = set(choice.placements), dict(choice.units), dict(choice.spend)
    if not set(units) <= set(model.x) or not placed <= set(model.z):
        return
    for key, column in model.z.items():
        column.varValue = int(key in placed)
    for key, column in model.x.items():
        column.varValue = units.get(key, 0)
    for key, column in model.spend.items():
        column.varValue = spend.get(key, 0)
    _start_hourly(model, choice)
    _start_others(model, placed)
    cash = cash_of(model.problem, choice)
    for month, column in model.excess.items():
        spent, limit = sum(cash.values()), model.problem.budget
        if month is not None:
            spent, limit = cash.get(month, 0), model.problem.monthly_budget
        column.varValue = max(0, spent - (limit or 0)) / MICROS


def _start_hourly(model: Model, choice: Choice) -> None:
    by_placement: dict[int, list[Service]] = defaultdict(list)
    for service in choice.services:
        by_placement[service.placement].append(service)
    for nodes in model.hourly:
        day = nodes.slot.start
        active = [s for member in nodes.members for s in by_placement[member.id] if s.start <= day < s.end]
        nodes.column.varValue = sum(service.hourly for service in active) // nodes.size
        for plan, column in nodes.covered.items():
            column.varValue = sum(dict(service.covered_by).get(plan, 0) for service in active) // nodes.size


def _start_others(model: Model, placed: set[int]) -> None:
    """Kept work, moves and arrivals, shared lines follow from the placements."""
    chosen = {p.task: p for p in model.problem.placements if p.id in placed}
    works = {task.work for task in model.problem.tasks if task.id in chosen}
    for work, column in model.keep.items():
        column.varValue = int(work in works)
    for (_, _, before, after, option), column in model.arrivals.items():
        old, new = chosen.get(before), chosen.get(after)
        column.varValue = int(new is not None and new.option == option and (old is None or old.option != option))
    arrived: dict[tuple[int, int], int] = defaultdict(int)
    for key, column in model.arrivals.items():
        arrived[key[:2]] += column.varValue
    for move, column in model.moves.items():
        column.varValue = arrived[move]
    for (line, start, end), column in model.shared.items():
        users = (p for p in chosen.values() if line in p.shared)
        column.varValue = int(any(p.start <= start and end <= p.end for p in users))
