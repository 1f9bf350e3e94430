"""From solver values to the integers of a plan: who runs where, what is bought, and what serves whom each day."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from optimizer.program.check import Choice
from optimizer.program.model import HourlyNodes, Model
from optimizer.program.problem import Placement, Service

Value = Callable[[Any], int]


def rounded(column: Any) -> int:
    """The whole number nearest to a column's value."""
    return round(column.varValue or 0)


def choice_of(model: Model, value: Value = rounded) -> Choice:
    """The plan that the column values describe; hourly nodes go to the placements of their price in task order."""
    chosen = {p.id: p for p in model.problem.placements if value(model.z[p.id])}
    units = ((term, value(column)) for term, column in model.x.items())
    spend = ((plan, value(column)) for plan, column in model.spend.items())
    return Choice(
        placements=tuple(sorted(chosen)),
        units=tuple(sorted((term, count) for term, count in units if count)),
        spend=tuple(sorted((plan, steps) for plan, steps in spend if steps)),
        services=_services(model, chosen, value),
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
