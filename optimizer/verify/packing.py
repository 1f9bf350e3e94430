"""Do the machines suffice? On every day and hour the nodes in use fit on the units that are there.

The schedule is rebuilt from `served_by`: on each stretch of days and at each hour at which a window opens, whole nodes
and shares (powers of two) are put on units one by one, the largest first. Sizes divide each other, so first-fit finds a
packing whenever one exists.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from optimizer.domain.plan import Assignment, ServedBy
from optimizer.domain.text import Text
from optimizer.domain.units import HOURS_PER_DAY
from optimizer.verify import texts
from optimizer.verify.check import Checks, filled
from optimizer.verify.context import Context, label, pool_of
from optimizer.verify.units import Units, all_units

ANY_TERM = "units"


@dataclass(frozen=True, slots=True)
class Load:
    """Nodes of one assignment on units of one term on [start, end), in `hours` of (first hour, count) of the day."""

    pool: str
    term: str
    start: int
    end: int
    hours: tuple[int, int] | None
    nodes: int
    gpus_per_node: int

    def runs_at(self, hour: int) -> bool:
        """Whether it occupies its nodes at this hour; windows wrap past midnight."""
        return self.hours is None or (hour - self.hours[0]) % HOURS_PER_DAY < self.hours[1]


def check_packing(context: Context, checks: Checks) -> None:
    """Every stretch of days and hours of every pool has room for what runs on its units."""
    units, loads = all_units(context), tuple(_loads(context))
    for assignment in context.plan.assignments:
        _check_share(context, assignment, checks)
    for pool in sorted({load.pool for load in loads}):
        offer = context.offers.get(pool)
        if offer is None:
            continue
        mine = [load for load in loads if load.pool == pool]
        by_term = all(load.hours is None for load in mine)
        for term in sorted({load.term for load in mine}) if by_term else [ANY_TERM]:
            there = [u for u in units if u.pool == pool and term in (u.term.value, ANY_TERM)]
            used = [load for load in mine if term in (load.term, ANY_TERM)]
            crowded = first_crowded(offer.machine.gpu_count, there, used)
            where = f"{pool}:{term}"
            checks.add(f"packing.units[{where}]", crowded is None, texts.ROOM, crowded or texts.ROOM)


def _loads(context: Context) -> Iterable[Load]:
    for assignment in context.plan.assignments:
        for part in assignment.served_by:
            if part.term.buys_units and part.nodes > 0:
                hours = window_of(context, assignment)
                yield Load(
                    pool_of(assignment),
                    part.term.value,
                    part.from_day,
                    part.to_day,
                    hours,
                    part.nodes,
                    assignment.gpus_used_per_node,
                )


def window_of(context: Context, assignment: Assignment) -> tuple[int, int] | None:
    """(first hour, hours) in which an assignment holds its nodes; `None` is the whole day."""
    work = context.works.get(assignment.workload)
    if work is None or work.window is None:
        return None
    return int(work.window.from_[:2]), work.window.hours


def _check_share(context: Context, a: Assignment, checks: Checks) -> None:
    offer, work, where = context.offer_of(a), context.works.get(a.workload), label(a)
    if offer is None or work is None:
        return
    whole, used = offer.machine.gpu_count, a.gpus_used_per_node
    checks.equal(f"packing.gpus_per_node[{where}]", whole, a.gpus_per_node)
    if used == whole:
        return
    divides = 0 < used < whole and whole % used == 0 and used & (used - 1) == 0
    checks.add(f"packing.share[{where}]", divides, filled(texts.POWER_OF_TWO, count=whole), used)
    alone = a.nodes == 1 and not work.exclusive and not a.spot and all(s.term.buys_units for s in a.served_by)
    checks.add(f"packing.share_allowed[{where}]", alone, texts.MAY_SHARE, filled(texts.NODES, count=a.nodes))


def first_crowded(gpus: int, units: Sequence[Units], loads: Sequence[Load]) -> Text | None:
    """The first day and hour on which the loads do not fit on the units; `None` when they always do."""
    rows: list[Units | Load] = [*units, *loads]
    days = sorted({day for row in rows for day in (row.start, row.end)})
    hours = sorted({0, *(load.hours[0] for load in loads if load.hours)})
    for day in days:
        there = [unit for unit in units if unit.start <= day < unit.end]
        running = [load for load in loads if load.start <= day < load.end]
        for hour in hours if running else ():
            wanted = [load for load in running if load.runs_at(hour)]
            if pack(gpus, there, wanted) is None:
                nodes, count = sum(load.nodes for load in wanted), sum(unit.count for unit in there)
                return filled(texts.CROWDED, day=day, hour=hour, nodes=nodes, units=count)
    return None


def pack(gpus: int, units: Sequence[Units], loads: Sequence[Load]) -> list[int] | None:
    """Free GPUs left on each shareable unit after everything is placed; `None` when something finds no place.

    Whole nodes take units that may not be shared first. Sizes are powers of two that divide `gpus` (or `gpus`).
    """
    unshared = sum(unit.count for unit in units if not unit.shareable)
    free = [gpus] * sum(unit.count for unit in units if unit.shareable)
    sizes = sorted((load.gpus_per_node for load in loads for _ in range(load.nodes)), reverse=True)
    for size in sizes:
        if size == gpus and unshared > 0:
            unshared -= 1
            continue
        place = next((index for index, left in enumerate(free) if left >= size), None)
        if place is None:
            return None
        free[place] -= size
    return free


def check_service(context: Context, checks: Checks) -> None:
    """`served_by` covers every node of every day of its assignment, and only on terms that its mode allows."""
    for a in context.plan.assignments:
        where = label(a)
        served = [(day, sum(part.nodes for part in _on(a.served_by, day))) for day in change_days(a)]
        checks.equal(f"packing.served_by[{where}]", [(day, a.nodes) for day, _ in served], served)
        inside = all(a.from_day <= s.from_day < s.to_day <= a.to_day and s.nodes >= 0 for s in a.served_by)
        checks.add(f"packing.served_days[{where}]", inside, (a.from_day, a.to_day), _days(a.served_by))
        spot_terms = {part.term.value == "spot" for part in a.served_by if part.nodes}
        checks.equal(f"packing.spot_is_a_mode[{where}]", {a.spot}, spot_terms)


def change_days(a: Assignment) -> list[int]:
    """The days of an assignment on which its service may change, its first day included."""
    days = {a.from_day, *(part.from_day for part in a.served_by), *(part.to_day for part in a.served_by)}
    return sorted(day for day in days if a.from_day <= day < a.to_day)


def _on(parts: Iterable[ServedBy], day: int) -> list[ServedBy]:
    return [part for part in parts if part.from_day <= day < part.to_day]


def _days(parts: Iterable[ServedBy]) -> list[tuple[int, int]]:
    return [(part.from_day, part.to_day) for part in parts]


def nodes_on(a: Assignment, day: int) -> tuple[int, int, int, int]:
    """Nodes served on one day (from units, by the hour, as spot, under a savings plan)."""
    units = hourly = spot = covered = 0
    for part in _on(a.served_by, day):
        if part.term.value == "spot":
            spot += part.nodes
        elif part.term.is_hourly:
            hourly += part.nodes
        elif part.term.is_savings_plan:
            covered += part.nodes
        else:
            units += part.nodes
    return units, hourly, spot, covered
