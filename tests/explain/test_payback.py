"""Published arithmetic on owning: a server of 255,237 USD against five cloud rates, 10, 16 and 24 hours a day.

Source of the inputs: HGX H100 8-GPU at 255,237 USD (2025-01-31), 10.2 kW, colocation 184.06 USD per kW and month
(CBRE H2 2024), electricity 0.0929 USD/kWh x PUE 1.54, maintenance 5 % of the price a year, nothing else; a month of
365/12 days. Worked by hand for 10 h a day:
  colocation 10.2 x 184.06 = 1,877.41; maintenance 255,237 x 0.05 / 12 = 1,063.49;
  energy 10.2 x 1.54 x 0.0929 x 304.17 h = 443.87; together 3,384.77 a month.
  63.296 x 304.17 = 19,252.53 a month in the cloud; 255,237 / (19,252.53 - 3,384.77) = 16.09 months.
"""

from decimal import Decimal
from fractions import Fraction

import pytest

from optimizer.domain.workload import MayBuy, OwnedSpec
from optimizer.explain.payback import DAYS_PER_MONTH, own_per_month, payback_months, rent_that_pays_back

SERVER = MayBuy(
    server="hgx-h100-8",
    price=Decimal(255237),
    load_kw=10.2,
    idle_kw=0,
    colocation_per_kw_month=Decimal("184.06"),
    maintenance_fraction_year=0.05,
)
SITE = OwnedSpec(electricity_per_kwh=Decimal("0.0929"), pue=1.54)


def months(rate: str, hours: int) -> float:
    own = own_per_month(SERVER, SITE, Decimal(1), Fraction(hours))
    found = payback_months(Fraction(255237), Fraction(rate) * hours * DAYS_PER_MONTH, own)
    assert found is not None
    return round(float(found), 1)


@pytest.mark.parametrize(
    ("rate", "by_hours"),
    [
        ("63.296", {10: 16.1, 16: 9.4, 24: 6.0}),
        ("31.46", {10: 41.3, 16: 21.9, 24: 13.5}),
        ("32.00", {10: 40.2, 16: 21.4, 24: 13.2}),
        ("20.00", {10: 94.6, 16: 42.0, 24: 24.1}),
        ("16.00", {10: 172.2, 16: 61.7, 24: 33.3}),
    ],
)
def test_payback_of_the_published_rates(rate: str, by_hours: dict[int, float]) -> None:
    assert {hours: months(rate, hours) for hours in by_hours} == by_hours


@pytest.mark.parametrize(("hours", "own"), [(10, 3385), (16, 3651), (24, 4006)])
def test_own_running_cost_a_month(hours: int, own: int) -> None:
    assert round(own_per_month(SERVER, SITE, Decimal(1), Fraction(hours))) == own


def test_the_documents_140_hours_would_need_a_rent_of_1823_an_hour() -> None:
    assert round(rent_that_pays_back(Fraction(255237), Fraction(14 * 10))) == 1823


def test_a_rent_below_the_own_running_cost_never_pays_back() -> None:
    assert payback_months(Fraction(255237), Fraction(3384), Fraction(3385)) is None
    assert payback_months(Fraction(255237), Fraction(3385), Fraction(3385)) is None


def test_idle_power_counts_the_whole_day_and_amounts_are_converted() -> None:
    # idle 2 kW x 24 h + (10.2 - 2) kW x 10 h = 130 kWh a day, x 365/12 x 1.54 x 0.0929 = 565.71 a month.
    record = SERVER.model_copy(update={"idle_kw": 2.0})
    assert float(own_per_month(record, SITE, Decimal(1), Fraction(10))) == pytest.approx(
        1877.412 + 1063.4875 + 565.71, abs=0.01
    )
    # At 7 to 1 only what stands in the record's currency grows: the tariff is in the report's.
    assert float(own_per_month(SERVER, SITE, Decimal(7), Fraction(0))) == pytest.approx(7 * (1877.412 + 1063.4875))
