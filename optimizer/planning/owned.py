"""What owned machines cost: price and residual, monthly running cost, idle and running energy (ADR 0004)."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from optimizer.domain.money import Rates, to_micros
from optimizer.domain.units import DAYS_PER_YEAR, HOURS_PER_DAY, MONTHS_PER_YEAR
from optimizer.domain.workload import MayBuy, OwnedAlready, OwnedSpec
from optimizer.planning.costing import Horizon, Payment
from optimizer.planning.runs import month_stretches

DAYS_PER_MONTH = Fraction(DAYS_PER_YEAR, MONTHS_PER_YEAR)


@dataclass(frozen=True, slots=True)
class RunningLine:
    """One running cost of one unit in one cash month (or part of it)."""

    kind: str
    first_day: int
    last_day: int
    quantity: Fraction
    unit: str
    unit_price: Decimal
    currency: str
    fx_rate: Decimal
    micros: int


def exact(value: float | Decimal | None) -> Fraction:
    """A stated number exactly as written; unknown counts as nothing (the caller lists it as incomplete)."""
    return Fraction(0) if value is None else Fraction(str(value))


def residual_share(residual_by_month: dict[int, float], age_days: int) -> Fraction:
    """Share of the price left at an age: linear between the rows, 1.0 at age 0 unless a row says otherwise."""
    rows = {0: Fraction(1), **{month: exact(share) for month, share in residual_by_month.items()}}
    months = sorted(rows)
    age = Fraction(age_days) / DAYS_PER_MONTH
    position = bisect_right(months, age) - 1
    if position >= len(months) - 1:
        return rows[months[-1]]
    low, high = months[position], months[position + 1]
    return rows[low] + (rows[high] - rows[low]) * (age - low) / (high - low)


def purchase_currency(record: MayBuy, currency: str) -> str:
    """The currency of a purchase's amounts: its own, else the file's."""
    return record.currency or currency


def price_micros(record: MayBuy, rate: Decimal) -> int:
    """The price of one unit in report-currency micros."""
    return to_micros(record.price * rate)


def residual_micros(record: MayBuy, rate: Decimal, age_days: int) -> int:
    """The value left in one unit at an age, in report-currency micros."""
    return round(exact(record.price) * exact(rate) * residual_share(record.residual_by_month, age_days) * 10**6)


def running_lines(
    record: MayBuy | OwnedAlready, site: OwnedSpec, rate: Decimal, currency: str, start: int, end: int, horizon: Horizon
) -> Iterator[RunningLine]:
    """Colocation, maintenance, staff and idle energy of one unit that is there in [start, end)."""
    own_currency = purchase_currency(record, currency) if isinstance(record, MayBuy) else currency
    monthly = _monthly_amounts(record)
    for first, last in month_stretches(start, end, horizon):
        month = horizon.month_of(first)
        length = horizon.cash_month_starts[month + 1] - horizon.cash_month_starts[month]
        share = Fraction(last - first, length)
        for kind, (quantity, unit, unit_price) in monthly.items():
            micros = round(quantity * exact(unit_price) * exact(rate) * share * 10**6)
            if micros:
                yield RunningLine(kind, first, last, quantity * share, unit, unit_price, own_currency, rate, micros)
        idle_kwh = exact(record.idle_kw) * HOURS_PER_DAY * (last - first) * exact(site.pue)
        tariff = site.electricity_per_kwh or Decimal(0)
        micros = round(idle_kwh * exact(tariff) * 10**6)
        if micros:
            yield RunningLine("energy", first, last, idle_kwh, "kWh", tariff, currency, Decimal(1), micros)


def _monthly_amounts(record: MayBuy | OwnedAlready) -> dict[str, tuple[Fraction, str, Decimal]]:
    amounts = {
        "colocation": (exact(record.load_kw), "kW-month", record.colocation_per_kw_month),
        "staff": (Fraction(1), "month", record.staff_per_month),
    }
    if isinstance(record, MayBuy):
        a_year = record.price * Decimal(str(record.maintenance_fraction_year))
        amounts["maintenance"] = (Fraction(1, MONTHS_PER_YEAR), "year", a_year)
    else:
        amounts["maintenance"] = (Fraction(1), "month", record.maintenance_per_month)
    return amounts


def running_energy(
    record: MayBuy | OwnedAlready, site: OwnedSpec, share: Fraction, hours: Fraction
) -> tuple[Fraction, Decimal, int]:
    """kWh (with PUE), tariff and micros of running a share of one unit for some hours above idle."""
    kwh = (exact(record.load_kw) - exact(record.idle_kw)) * share * hours * exact(site.pue)
    tariff = site.electricity_per_kwh or Decimal(0)
    return kwh, tariff, round(kwh * exact(tariff) * 10**6)


def purchase_payments(record: MayBuy, rates: Rates, currency: str, day: int) -> tuple[Payment, ...]:
    """Price and network of one unit, on the purchase day."""
    rate = rates.factor(purchase_currency(record, currency), currency)
    return (Payment(day, price_micros(record, rate) + to_micros(record.network_per_node * rate)),)
