"""Which units are there on which days: bought ones from the plan's machine lines, sunk ones from its inputs."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from optimizer.domain.offer import Term
from optimizer.domain.plan import Purchase, Sunk
from optimizer.domain.workload import MayBuy, OwnedAlready
from optimizer.verify.check import Checks
from optimizer.verify.context import OWNED, OWNED_REGION, Context, pool_of


@dataclass(frozen=True, slots=True)
class Units:
    """`count` units of a pool on a term, usable in [start, end); `shareable` by several works at once."""

    pool: str
    term: Term
    start: int
    end: int
    count: int
    shareable: bool
    is_sunk: bool = False


def all_units(context: Context) -> tuple[Units, ...]:
    """Bought and sunk units of every pool; an owned machine is usable after its lead time."""
    lines = context.plan.purchases
    bought = (_bought(context, line, line.term) for line in lines if line.term is not None and is_unit_line(line))
    return (*bought, *(_sunk(context, sunk) for sunk in context.plan.sunk))


def is_unit_line(line: Purchase) -> bool:
    """Whether a line buys units for a time (not service by the hour, not a running cost)."""
    return line.kind == "machine" and line.term is not None and line.term.buys_units and line.instance_type is not None


def may_buy_of(context: Context, instance_type: str | None) -> MayBuy | None:
    """The purchase that the file allows under this name."""
    return next((m for m in context.file.owned.may_buy if instance_type in (m.name, m.server)), None)


def already_of(context: Context, name: str) -> OwnedAlready | None:
    """The machine that the user already has under this name."""
    return next((m for m in context.file.owned.already if name == m.name), None)


def _bought(context: Context, line: Purchase, term: Term) -> Units:
    machine = may_buy_of(context, line.instance_type) if term is Term.OWNED else None
    lead = machine.lead_time_days if machine else 0
    shareable = machine.shareable if machine else True
    return Units(pool_of(line), term, line.start_day + lead, line.end_day, line.count, shareable)


def _sunk(context: Context, sunk: Sunk) -> Units:
    machine = already_of(context, sunk.name) if sunk.term is Term.OWNED else None
    return Units(
        sunk.pool, sunk.term, sunk.from_day, sunk.to_day, sunk.count, machine.shareable if machine else True, True
    )


def users(context: Context, pool: str, start: int, end: int) -> tuple[str, ...]:
    """Workloads that units of a pool serve on some day of [start, end), in the file's order."""
    served = {
        a.workload
        for a in context.plan.assignments
        for part in a.served_by
        if pool_of(a) == pool and part.term.buys_units and part.nodes > 0
        if max(start, part.from_day) < min(end, part.to_day)
    }
    return tuple(name for name in context.works if name in served)


def check_users(context: Context, checks: Checks) -> None:
    """Lines of units name the workloads that units of their pool serve on their days."""
    for index, line in enumerate(context.plan.purchases):
        if is_unit_line(line) or line.kind == "network":
            expected = users(context, pool_of(line), line.start_day, line.end_day)
            checks.equal(f"line.users[{index}:{line.kind}]", expected, line.workloads)


def check_sunk(context: Context, checks: Checks) -> None:
    """The plan's sunk units are those of the file: no more, no longer, under the same names, pools and terms."""
    expected = sorted(_expected_sunk(context))
    found = sorted((s.name, s.term.value, s.count, s.from_day, s.to_day) for s in context.plan.sunk)
    checks.equal("units.sunk", expected, found)
    for sunk in context.plan.sunk:
        machine = already_of(context, sunk.name) if sunk.term is Term.OWNED else None
        where = f"units.sunk_pool[{sunk.name}]"
        if machine is not None:
            names = [f"{OWNED}/{OWNED_REGION}/{name}" for name in (machine.server, machine.name) if name]
            checks.add(where, sunk.pool in names, names, sunk.pool)
        else:
            checks.equal(where, sunk.name.removesuffix(f" {sunk.term.value}"), sunk.pool)


def check_sunk_use(context: Context, checks: Checks) -> None:
    """Sunk units are used first: the unit-days on which they work, from the nodes served by units of their pool."""
    for sunk in context.plan.sunk:
        offer = context.offers.get(sunk.pool)
        used = 0
        for day in range(max(0, sunk.from_day), min(sunk.to_day, context.plan.horizon_days)) if offer else ():
            used += min(sunk.count, ceil(_machines_on(context, sunk.pool, day)))
        checks.equal(f"units.sunk_used[{sunk.name}]", used, sunk.used_unit_days)


def _machines_on(context: Context, pool: str, day: int) -> Fraction:
    machines = Fraction(0)
    for a in context.plan.assignments:
        if pool_of(a) == pool:
            nodes = sum(s.nodes for s in a.served_by if s.from_day <= day < s.to_day and s.term.buys_units)
            machines += Fraction(nodes * a.gpus_used_per_node, a.gpus_per_node)
    return machines


def _expected_sunk(context: Context) -> Iterator[tuple[str, str, int, int, int]]:
    horizon, start = context.plan.horizon_days, context.plan.start
    for machine in context.file.owned.already:
        begin = (machine.available_from - start).days if machine.available_from else 0
        if begin < horizon:
            yield (machine.name, Term.OWNED.value, machine.count, max(0, begin), horizon)
    for rent in context.file.commitments:
        begin = max(0, (rent.starts - start).days) if rent.starts else 0
        end = min(horizon, (rent.ends - start).days)
        if begin < end:
            term = rent.held_as.value
            yield (f"{rent.offer} {term}", term, rent.count, begin, end)
