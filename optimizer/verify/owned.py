"""What the user's own machines must cost while they are there: colocation, maintenance, staff and energy.

Each amount is rounded once per unit and cash month, running energy once per workload, node and month
(docs/adr/0004-accounting.md). kW x hours x PUE x tariff; the tariff and PUE are the file's.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from optimizer.domain.offer import Term
from optimizer.domain.plan import Assignment, Purchase, Sunk
from optimizer.domain.units import HOURS_PER_DAY, MONTHS_PER_YEAR
from optimizer.domain.workload import MayBuy, OwnedAlready
from optimizer.verify.calendar import months_inside
from optimizer.verify.context import OWNED, Context, pool_of
from optimizer.verify.units import already_of, may_buy_of
from optimizer.verify.usage import hours_on

RUNNING_KINDS = ("colocation", "maintenance", "staff", "energy")


@dataclass(frozen=True, slots=True)
class OwnedUnits:
    """Machines of one name, there in [start, end), with the record that says what they cost to run."""

    pool: str
    start: int
    end: int
    count: int
    record: MayBuy | OwnedAlready
    rate: Fraction

    def monthly(self) -> dict[str, Fraction]:
        """Report currency a unit and whole month, by kind; what the file leaves out costs nothing."""
        record = self.record
        colocation = exact(record.load_kw) * exact(record.colocation_per_kw_month)
        if isinstance(record, MayBuy):
            upkeep = exact(record.price) * exact(record.maintenance_fraction_year) / MONTHS_PER_YEAR
        else:
            upkeep = exact(record.maintenance_per_month)
        amounts = {"colocation": colocation, "maintenance": upkeep, "staff": exact(record.staff_per_month)}
        return {kind: amount * self.rate for kind, amount in amounts.items()}


def owned_units(context: Context) -> tuple[OwnedUnits, ...]:
    """Bought machines from their usable day and machines already there, with the file's record of each."""
    bought = (_bought(context, line) for line in context.plan.purchases if line.kind == "machine")
    there = (_already(context, sunk) for sunk in context.plan.sunk if sunk.term is Term.OWNED)
    return tuple(units for units in (*bought, *there) if units is not None)


def _bought(context: Context, line: Purchase) -> OwnedUnits | None:
    record = may_buy_of(context, line.instance_type) if line.term is Term.OWNED else None
    if record is None:
        return None
    usable = line.start_day + record.lead_time_days
    return OwnedUnits(pool_of(line), usable, line.end_day, line.count, record, exact(line.fx_rate))


def _already(context: Context, sunk: Sunk) -> OwnedUnits | None:
    record = already_of(context, sunk.name)
    if record is None:
        return None
    return OwnedUnits(sunk.pool, sunk.from_day, sunk.to_day, sunk.count, record, Fraction(1))


def exact(value: object) -> Fraction:
    """A stated number exactly as written; unknown counts as nothing (its line is then listed as incomplete)."""
    return Fraction(0) if value is None else Fraction(str(value))


def running_costs(context: Context, units: tuple[OwnedUnits, ...]) -> dict[tuple[str, str, int], int]:
    """Micros by (kind, pool, day of payment) that the owned units must cost."""
    ledger: dict[tuple[str, str, int], int] = {}
    for kind, pool, day, micros in _amounts(context, units):
        ledger[kind, pool, day] = ledger.get((kind, pool, day), 0) + micros
    return {key: micros for key, micros in ledger.items() if micros}


def _amounts(context: Context, units: tuple[OwnedUnits, ...]) -> Iterator[tuple[str, str, int, int]]:
    tariff = energy_price(context)
    for owned in units:
        for _, first, end, length in months_inside(context.plan.start, owned.start, owned.end):
            share = Fraction(end - first, length)
            for kind, amount in owned.monthly().items():
                yield kind, owned.pool, first, round(amount * share * 10**6) * owned.count
            idle_kwh = exact(owned.record.idle_kw) * HOURS_PER_DAY * (end - first)
            yield "energy", owned.pool, first, round(idle_kwh * tariff * 10**6) * owned.count
    for assignment in context.plan.assignments:
        yield from _running_energy(context, assignment, units, tariff)


def energy_price(context: Context) -> Fraction:
    """The file's tariff times PUE, in the report currency a kWh at the machine."""
    owned = context.file.owned
    return exact(owned.electricity_per_kwh) * exact(owned.pue)


def running_record(context: Context, units: Iterable[OwnedUnits], a: Assignment) -> MayBuy | OwnedAlready | None:
    """The record that states the power of the machines an assignment runs on: the purchase's, else the machine's."""
    there = next((owned.record for owned in units if owned.pool == pool_of(a)), None)
    return may_buy_of(context, a.instance_type) or there


def _running_energy(
    context: Context, a: Assignment, units: tuple[OwnedUnits, ...], tariff: Fraction
) -> Iterator[tuple[str, str, int, int]]:
    offer = context.offer_of(a)
    record = running_record(context, units, a)
    if a.provider != OWNED or offer is None or record is None:
        return
    share = Fraction(a.gpus_used_per_node, offer.machine.gpu_count)
    extra_kw = (exact(record.load_kw) - exact(record.idle_kw)) * share
    for part in a.served_by:
        if part.term is not Term.OWNED:
            continue
        for _, first, end, _ in months_inside(context.plan.start, part.from_day, part.to_day):
            hours = sum((Fraction(hours_on(context, a, day)) for day in range(first, end)), Fraction(0))
            yield "energy", pool_of(a), first, round(extra_kw * hours * tariff * 10**6) * part.nodes
