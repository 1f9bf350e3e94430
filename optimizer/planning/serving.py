"""Which units serve which nodes on which days: from the program's counts to terms by name."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from optimizer.domain.offer import Term
from optimizer.domain.plan import ServedBy, Usage
from optimizer.domain.units import HOURS_PER_DAY
from optimizer.planning.assembly import Assembly, Placed
from optimizer.program.problem import Service, Solution


@dataclass(frozen=True, slots=True)
class UnitBlock:
    """`count` units of a pool on one term in [start, end)."""

    pool: int
    term: Term
    start: int
    end: int
    count: int
    shareable: bool


@dataclass
class _Unit:
    """One machine on one day: free GPUs in each hour."""

    term: Term
    free: list[int]
    shareable: bool


def unit_blocks(assembly: Assembly, solution: Solution) -> tuple[UnitBlock, ...]:
    """All units that stand there, sunk ones first (they are used first), then bought ones in order."""
    blocks = []
    for sunk in assembly.problem.sunk:
        term = assembly.sunk_terms[sunk.id]
        blocks.append(UnitBlock(sunk.pool, term, sunk.start, sunk.end, sunk.count, sunk.shareable))
    unit_terms = {unit.id: unit for unit in assembly.problem.unit_terms}
    for identity, count in solution.units:
        unit = unit_terms[identity]
        rent = assembly.bought[identity].rent
        term = Term.OWNED if rent is None else rent.term
        blocks.append(UnitBlock(unit.pool, term, unit.usable_from, unit.end, count, unit.shareable))
    return tuple(blocks)


def served_days(assembly: Assembly, solution: Solution) -> dict[int, list[tuple[int, dict[Term, int]]]]:
    """For each chosen placement its days, and on each day the nodes served by each term."""
    blocks = unit_blocks(assembly, solution)
    by_pool_day: dict[tuple[int, int], list[Service]] = defaultdict(list)
    placements = {placement.id: placement for placement in assembly.problem.placements}
    real = assembly.real_placements(solution.placements)
    for service in solution.services:
        for day in range(service.start, service.end) if service.placement in real else ():
            by_pool_day[placements[service.placement].pool, day].append(service)
    result: dict[int, list[tuple[int, dict[Term, int]]]] = defaultdict(list)
    for (pool, day), services in sorted(by_pool_day.items()):
        for placement_id, nodes in _day(assembly, blocks, pool, day, services).items():
            result[placement_id].append((day, nodes))
    for placement_id in real:
        placed = assembly.placed[placement_id]
        if placed.candidate.is_spot:
            result[placement_id] = [
                (day, {Term.SPOT: placed.candidate.nodes}) for day in range(placed.start, placed.end)
            ]
    return result


def _day(
    assembly: Assembly, blocks: tuple[UnitBlock, ...], pool: int, day: int, services: list[Service]
) -> dict[int, dict[Term, int]]:
    """Pack one pool's nodes on one day onto its units, large shares first."""
    gpus = assembly.problem.pools[pool].gpus
    units = [
        _Unit(block.term, [gpus] * HOURS_PER_DAY, block.shareable)
        for block in blocks
        if block.pool == pool and block.start <= day < block.end
        for _ in range(block.count)
    ]
    placements = {placement.id: placement for placement in assembly.problem.placements}
    found: dict[int, dict[Term, int]] = {}
    for service in sorted(services, key=lambda item: (-placements[item.placement].gpus_per_node, item.placement)):
        placement = placements[service.placement]
        nodes: dict[Term, int] = defaultdict(int)
        for _ in range(service.from_units):
            nodes[_take(units, placement.gpus_per_node, gpus, _hours(placement.hours))] += 1
        if service.hourly:
            nodes[Term.ON_DEMAND] += service.hourly
        for plan, count in service.covered_by:
            nodes[assembly.committed[plan].plan.term] += count
        found[service.placement] = dict(nodes)
    return found


def _hours(window: tuple[int, int] | None) -> list[int]:
    if window is None:
        return list(range(HOURS_PER_DAY))
    first, count = window
    return [(first + hour) % HOURS_PER_DAY for hour in range(count)]


def _take(units: list[_Unit], share: int, gpus: int, hours: list[int]) -> Term:
    """Take `share` GPUs in some hours of the first unit that has them.

    With windows, a machine for the whole day may not exist although every hour has room (a job may change node
    between days and hours); then the term with the most room in those hours is named.
    """
    fitting = [unit for unit in units if share == gpus or unit.shareable]
    unit = next((unit for unit in fitting if all(unit.free[hour] >= share for hour in hours)), None)
    if unit is None:
        unit = max(fitting, key=lambda unit: sum(unit.free[hour] for hour in hours))
    for hour in hours:
        unit.free[hour] -= share
    return unit.term


def served_by(days: list[tuple[int, dict[Term, int]]]) -> tuple[ServedBy, ...]:
    """Stretches of days with the same terms."""
    return tuple(
        ServedBy(term=term, nodes=nodes, from_day=first, to_day=last)
        for first, last, terms in _stretches(days)
        for term, nodes in sorted(terms.items())
    )


def _stretches(days: list[tuple[int, dict[Term, int]]]) -> Iterator[tuple[int, int, dict[Term, int]]]:
    first, terms = days[0]
    last = first
    for day, more in days[1:]:
        if more != terms:
            yield first, last + 1, terms
            first, terms = day, more
        last = day
    yield first, last + 1, terms


def usage_rows(
    assembly: Assembly, placed: Placed, days: list[tuple[int, dict[Term, int]]], name: str
) -> tuple[Usage, ...]:
    """Usage by stretches of days; a shorter last day has its own row."""
    run = placed.run
    window = None
    work = assembly.case.work(placed.candidate.work)
    if work.window is not None:
        window = (int(work.window.from_[:2]), work.window.hours)
    rows = []
    shorter = run.last_hours != run.hours
    for first, last, terms in _stretches(days):
        ends_work = shorter and last == placed.end
        parts = [(first, last, run.hours)]
        if ends_work:
            parts = [(first, last - 1, run.hours), (last - 1, last, run.last_hours)]
        for start, end, hours in parts:
            if start < end:
                rows.append(
                    Usage(
                        workload=name,
                        repetition=placed.task.repetition,
                        pool=placed.candidate.supply.key,
                        from_day=start,
                        to_day=end,
                        from_units=sum(n for t, n in terms.items() if t.buys_units),
                        hourly=terms.get(Term.ON_DEMAND, 0),
                        spot=terms.get(Term.SPOT, 0),
                        covered=sum(n for t, n in terms.items() if t.is_savings_plan),
                        hours=hours,
                        window=window,
                        gpus_per_node=placed.candidate.gpus_per_node,
                    )
                )
    return tuple(rows)
