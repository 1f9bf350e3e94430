"""What the user's own machines must cost while they are there: colocation, maintenance, staff and energy.

Each amount is rounded once per unit and cash month, running energy once per workload, node and month, and paid on the
first day of it (docs/adr/0004-accounting.md). kW x hours x PUE x tariff; the tariff and PUE are the file's.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from optimizer.domain.offer import Term
from optimizer.domain.plan import Assignment, Purchase, Sunk
from optimizer.domain.units import HOURS_PER_DAY, MONTHS_PER_YEAR
from optimizer.domain.workload import MayBuy, OwnedAlready
from optimizer.verify.calendar import months_inside
from optimizer.verify.context import OWNED, Context, pool_of
from optimizer.verify.lines import Payment
from optimizer.verify.units import already_of, may_buy_of, users
from optimizer.verify.usage import hours_on

RUNNING_KINDS = ("colocation", "maintenance", "staff", "energy")


@dataclass(frozen=True, slots=True)
class OwnedUnits:
    """Machines of one name, there in [start, end), with the record that says what they cost to run.

    `ordered` is the day of purchase (or the first day there); `rate` is the report currency for one unit of the
    record's `currency`.
    """

    pool: str
    start: int
    end: int
    count: int
    record: MayBuy | OwnedAlready
    currency: str
    rate: Fraction
    ordered: int


@dataclass(frozen=True, slots=True)
class RunningLine:
    """A line that must stand in the plan: quantity x unit price over [start, end), and its payments."""

    kind: str
    pool: str
    count: int
    start: int
    end: int
    quantity: Fraction
    unit: str
    unit_price: Decimal
    currency: str
    payments: tuple[Payment, ...]
    workloads: tuple[str, ...]

    @property
    def micros(self) -> int:
        """Its cost."""
        return sum(payment.micros for payment in self.payments)


def owned_units(context: Context) -> tuple[OwnedUnits, ...]:
    """Bought machines from their usable day and machines already there, with the file's record of each."""
    bought = (_bought(context, line) for line in context.plan.purchases if line.kind == "machine")
    there = (_already(context, sunk) for sunk in context.plan.sunk if sunk.term is Term.OWNED)
    return tuple(units for units in (*bought, *there) if units is not None)


def _bought(context: Context, line: Purchase) -> OwnedUnits | None:
    record = may_buy_of(context, line.instance_type) if line.term is Term.OWNED else None
    if record is None:
        return None
    usable, currency = line.start_day + record.lead_time_days, record.currency or context.file.currency
    return OwnedUnits(
        pool_of(line), usable, line.end_day, line.count, record, currency, exact(line.fx_rate), line.start_day
    )


def _already(context: Context, sunk: Sunk) -> OwnedUnits | None:
    record, currency = already_of(context, sunk.name), context.file.currency
    if record is None:
        return None
    return OwnedUnits(sunk.pool, sunk.from_day, sunk.to_day, sunk.count, record, currency, Fraction(1), sunk.from_day)


def exact(value: float | Decimal | None) -> Fraction:
    """A stated number exactly as written; unknown counts as nothing (its line is then listed as incomplete)."""
    return Fraction(0) if value is None else Fraction(str(value))


def running_lines(context: Context, units: Iterable[OwnedUnits]) -> tuple[RunningLine, ...]:
    """Every line of running cost that the owned machines and the work on them must have."""
    units = tuple(units)
    lines = [line for owned in units for line in _standing(context, owned)]
    lines += [line for a in context.plan.assignments for line in _working(context, a, units)]
    return tuple(line for line in lines if line.micros)


def _standing(context: Context, owned: OwnedUnits) -> Iterator[RunningLine]:
    record = owned.record
    yield _monthly(context, owned, "colocation", exact(record.load_kw), "kW-month", record.colocation_per_kw_month)
    yield _monthly(context, owned, "staff", Fraction(1), "month", record.staff_per_month)
    if isinstance(record, MayBuy):
        a_year = record.price * Decimal(str(record.maintenance_fraction_year))
        yield _monthly(context, owned, "maintenance", Fraction(1, MONTHS_PER_YEAR), "year", a_year)
    else:
        yield _monthly(context, owned, "maintenance", Fraction(1), "month", record.maintenance_per_month)
    yield _idle(context, owned)


def _monthly(
    context: Context, owned: OwnedUnits, kind: str, amount: Fraction, unit: str, unit_price: Decimal
) -> RunningLine:
    """`amount` units a month, in each cash month for the share of its days."""
    payments, quantity = [], Fraction(0)
    for _, first, end, length in months_inside(context.plan.start, owned.start, owned.end):
        part = amount * Fraction(end - first, length)
        quantity += part
        payments.append(Payment(first, _micros(part * exact(unit_price) * owned.rate) * owned.count))
    where = (kind, owned.pool, owned.count, owned.start, owned.end)
    works = users(context, owned.pool, owned.ordered, owned.end)
    return RunningLine(*where, quantity * owned.count, unit, unit_price, owned.currency, tuple(payments), works)


def _idle(context: Context, owned: OwnedUnits) -> RunningLine:
    site, payments, quantity = context.file.owned, [], Fraction(0)
    price = site.electricity_per_kwh or Decimal(0)
    for _, first, end, _ in months_inside(context.plan.start, owned.start, owned.end):
        kwh = exact(owned.record.idle_kw) * HOURS_PER_DAY * (end - first) * exact(site.pue)
        quantity += kwh
        payments.append(Payment(first, _micros(kwh * exact(price)) * owned.count))
    where = ("energy", owned.pool, owned.count, owned.start, owned.end)
    works = users(context, owned.pool, owned.ordered, owned.end)
    return RunningLine(*where, quantity * owned.count, "kWh", price, context.file.currency, tuple(payments), works)


def _micros(amount: Fraction) -> int:
    return round(amount * 10**6)


def running_record(context: Context, units: Iterable[OwnedUnits], a: Assignment) -> MayBuy | OwnedAlready | None:
    """The record that states the power of the machines an assignment runs on: the purchase's, else the machine's."""
    there = next((owned.record for owned in units if owned.pool == pool_of(a)), None)
    return may_buy_of(context, a.instance_type) or there


def _working(context: Context, a: Assignment, units: Iterable[OwnedUnits]) -> Iterator[RunningLine]:
    """Energy above idle of an assignment on owned machines, a line for each cash month."""
    offer, record, site = context.offer_of(a), running_record(context, units, a), context.file.owned
    if a.provider != OWNED or offer is None or record is None:
        return
    share = Fraction(a.gpus_used_per_node, offer.machine.gpu_count)
    extra_kw = (exact(record.load_kw) - exact(record.idle_kw)) * share
    price = site.electricity_per_kwh or Decimal(0)
    for _, first, end, _ in months_inside(context.plan.start, a.from_day, a.to_day):
        hours = sum((Fraction(hours_on(context, a, day)) for day in range(first, end)), Fraction(0))
        kwh = extra_kw * hours * exact(site.pue)
        payment = Payment(first, _micros(kwh * exact(price)) * a.nodes)
        where = ("energy", pool_of(a), 1, first, end)
        yield RunningLine(*where, kwh * a.nodes, "kWh", price, context.file.currency, (payment,), (a.workload,))
