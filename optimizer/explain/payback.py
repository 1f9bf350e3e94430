"""When a bought machine has paid for itself against a rented one.

payback months = price / (rent a month - own running cost a month), month = 365/12 days; no residual value, no
interest. Own running cost: colocation by kW, maintenance as a share of the price, staff, and energy
(idle kW x 24 h + (load - idle) kW x hours) x PUE x tariff (docs/adr/0004-accounting.md).
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from optimizer.domain.units import DAYS_PER_YEAR, HOURS_PER_DAY, MONTHS_PER_YEAR
from optimizer.domain.workload import MayBuy, OwnedSpec
from optimizer.planning.owned import exact

DAYS_PER_MONTH = Fraction(DAYS_PER_YEAR, MONTHS_PER_YEAR)


@dataclass(frozen=True, slots=True)
class Payback:
    """One bought machine against rent at so many hours a day; `months` is `None` where owning never pays."""

    server: str
    hours_per_day: int
    rent_per_month: Fraction
    own_per_month: Fraction
    price: Fraction
    months: Fraction | None


def own_per_month(record: MayBuy, site: OwnedSpec, rate: Decimal, hours_per_day: Fraction) -> Fraction:
    """Running cost of one machine in one month, in the report currency."""
    monthly = (
        exact(record.load_kw) * exact(record.colocation_per_kw_month)
        + exact(record.price) * exact(record.maintenance_fraction_year) / MONTHS_PER_YEAR
        + exact(record.staff_per_month)
    )
    idle_kwh = exact(record.idle_kw) * HOURS_PER_DAY
    running_kwh = (exact(record.load_kw) - exact(record.idle_kw)) * hours_per_day
    energy = (idle_kwh + running_kwh) * DAYS_PER_MONTH * exact(site.pue) * exact(site.electricity_per_kwh)
    return monthly * exact(rate) + energy


def payback_months(price: Fraction, rent_per_month: Fraction, own_cost_per_month: Fraction) -> Fraction | None:
    """Months after which the price is saved; `None` where rent costs no more than running one's own."""
    saved = rent_per_month - own_cost_per_month
    return price / saved if saved > 0 else None


def rent_that_pays_back(price: Fraction, hours: Fraction) -> Fraction:
    """The hourly rent at which a machine pays for itself within so many hours of use, running cost left out."""
    return price / hours
