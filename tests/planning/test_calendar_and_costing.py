"""Calendar and accounting facts, worked by hand (docs/adr/0004-accounting.md)."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from optimizer.domain.money import Rate, Rates, to_micros
from optimizer.domain.offer import Price, PriceUnit, Term
from optimizer.domain.workload import MayBuy, OwnedSpec, TaxSpec
from optimizer.planning.calendar import add_months, month_start_days, term_end
from optimizer.planning.costing import Horizon, Payment, Rating, billed_hours, rent_end, rent_payments
from optimizer.planning.demand import days_needed, last_day_hours, spot_factor, steady_hours_per_day
from optimizer.planning.owned import residual_micros, running_lines
from optimizer.planning.thinning import candidate_starts
from optimizer.planning.workload_file import parse_workload

RATES = Rates({"CNY": Rate("CNY", Decimal("7"), date(2026, 11, 30), "test")})


def horizon(start: str = "2026-12-01", months: int = 12, **more: Any) -> Horizon:
    lines = "".join(f"{key}: {value}\n" for key, value in more.items())
    work = "tokens_per_month: 1e9" if more.get("after_horizon") == "continue" else "tokens: 1e9"
    text = f"start: {start}\nhorizon_months: {months}\nmodel: {{preset: x}}\n{work}\n{lines}"
    return Horizon.of(parse_workload(text, "w"), months)


def price(term: Term, amount: str, unit: PriceUnit, **more: Any) -> Price:
    return Price(term=term, amount=Decimal(amount), unit=unit, currency="USD", source="test", **more)


def in_usd(row: Price, **tax: Any) -> Any:
    return Rating(RATES, "USD", TaxSpec(**tax)).rated(row)


def test_a_month_from_31_january_ends_on_the_last_of_february_and_counts_from_the_start() -> None:
    assert add_months(date(2027, 1, 31), 1) == date(2027, 2, 28)
    assert add_months(date(2027, 1, 31), 2) == date(2027, 3, 31)
    assert month_start_days(date(2027, 1, 31), 3) == (0, 28, 59, 89)


def test_twelve_monthly_rents_make_a_year() -> None:
    start = date(2026, 12, 1)
    day = 0
    for _ in range(12):
        day = term_end(start, day, 1, None)
    assert day == term_end(start, 0, 12, None) == 365


def test_a_week_is_not_a_month() -> None:
    start = date(2026, 12, 1)
    assert term_end(start, 0, None, 7) == 7
    assert term_end(start, 0, None, 28) == 28 != term_end(start, 0, 1, None) == 31


# 140 h at 10 h a day: 14 days, the last full. 141 h: 15 days, one hour on the last.
@pytest.mark.parametrize(
    ("run_hours", "limit", "days", "last"),
    [(140, 10, 14, 10), (141, 10, 15, 1), (5, 24, 1, 5), (24.0000000001, 24, 1, 24.0000000001), (48.5, 24, 3, 0.5)],
)
def test_days_and_the_last_days_hours(run_hours: float, limit: float, days: int, last: float) -> None:
    assert days_needed(run_hours, limit) == days
    assert last_day_hours(run_hours, limit) == pytest.approx(last)


def test_steady_hours() -> None:
    # 8e9 a month x 12/365 = 263,013,698.63 a day; at 10,000 tokens/s that is 26,301.37 s = 7.30594 h.
    assert steady_hours_per_day(8e9, 10_000) == pytest.approx(7.30594, abs=1e-5)


def test_spot_factor() -> None:
    # 4 nodes x 0.02 an hour x (0.5 + 0.25) h = 6 % longer.
    assert spot_factor(4, 0.02, 0.5, 0.25) == pytest.approx(1.06)


@pytest.mark.parametrize(
    ("hours", "unit", "minimum", "billed"),
    [
        (7.306, 1.0, 0.0, "8"),
        (8.0, 1.0, 0.0, "8"),
        (8.00000001, 1.0, 0.0, "8"),
        (7.3, 0.25, 0.0, "7.5"),
        (0.2, 1.0, 3.0, "3"),
        (23.9, 1.0, 0.0, "24"),
        (23.9, 24.0, 0.0, "24"),
    ],
)
def test_billed_hours(hours: float, unit: float, minimum: float, billed: str) -> None:
    row = price(Term.ON_DEMAND, "1", PriceUnit.HOUR, billing_unit_hours=unit, minimum_hours=minimum)
    assert billed_hours(hours, row) == Decimal(billed)


def test_hourly_node_days_are_rounded_once() -> None:
    # 0.333333 USD x 7 h = 2.333331; x 3 nodes is 3 x the rounded node-day.
    row = in_usd(price(Term.ON_DEMAND, "0.333333", PriceUnit.HOUR))
    assert row.node_day(6.5) == 2_333_331


def test_published_hours_of_longer_terms() -> None:
    # A month is 730 hours, a year 8,760 (design section 3).
    assert price(Term.MONTH, "10", PriceUnit.HOUR).term_total() == 7_300
    assert price(Term.RESERVED_1Y, "10", PriceUnit.HOUR).term_total() == 87_600
    assert price(Term.RESERVED_3Y, "10", PriceUnit.HOUR).term_total() == 262_800
    assert price(Term.RESERVED_6M, "10", PriceUnit.HOUR).term_total() == 43_800
    assert price(Term.RESERVED_1Y, "1000", PriceUnit.MONTH).term_total() == 12_000
    assert price(Term.CAPACITY_BLOCK, "10", PriceUnit.HOUR, block_lengths_days=(1, 14)).term_total(14) == 3_360


def test_instalments_of_a_year_with_a_third_upfront() -> None:
    # 1,200 in all: 400 on day 0, 800 over 12 months = 66.666667 each, the last takes 66.666663.
    row = in_usd(price(Term.YEAR, "1200", PriceUnit.YEAR, upfront_share=Decimal(1) / 3))
    calendar = horizon()
    paid = rent_payments(calendar, row, 0, rent_end(calendar, row.price, 0))
    assert paid[0] == Payment(0, 400_000_000)
    assert paid[1] == Payment(0, 66_666_667)
    assert [payment.day for payment in paid[1:4]] == [0, 31, 62]
    assert sum(payment.micros for payment in paid) == 1_200_000_000
    assert paid[-1].micros == 800_000_000 - 11 * 66_666_667


def test_a_rent_that_outlives_the_horizon_under_both_rules() -> None:
    # A year bought for a horizon of six months (182 days from 1 December): 3,650 in full, or 3,650 x 182 / 365.
    row = in_usd(price(Term.YEAR, "3650", PriceUnit.YEAR))
    stopping, going_on = horizon(months=6), horizon(months=6, after_horizon="continue")
    assert stopping.days == going_on.days == 182
    assert sum(p.micros for p in rent_payments(stopping, row, 0, 365)) == 3_650_000_000
    assert sum(p.micros for p in rent_payments(going_on, row, 0, 365)) == 1_820_000_000


def test_cash_months_go_on_after_the_horizon() -> None:
    calendar = horizon(months=1)
    assert calendar.cash([Payment(0, 5), Payment(30, 7), Payment(31, 11)]) == ((0, 12), (1, 11))


def test_discounting_weighs_by_days_of_a_year() -> None:
    # 10 % a year: a payment on day 365 weighs 1/1.1 = 0.909091.
    assert horizon(discount_rate=0.1).objective([Payment(365, 1_000_000)]) == 909_091


@pytest.mark.parametrize(
    ("included", "recoverable", "factor"),
    [(True, False, "1"), (False, False, "1.06"), (False, True, "1"), (True, True, str(1 / Decimal("1.06")))],
)
def test_tax_makes_prices_alike(included: bool, recoverable: bool, factor: str) -> None:
    row = price(Term.ON_DEMAND, "1", PriceUnit.HOUR, tax_included=included)
    assert in_usd(row, rate=0.06, recoverable=recoverable).tax_factor == Decimal(factor)


def test_currencies_convert_through_the_dollar() -> None:
    row = Price(term=Term.ON_DEMAND, amount=Decimal("57.28"), unit=PriceUnit.HOUR, currency="CNY", source="test")
    assert to_micros(Rating(RATES, "USD", TaxSpec()).rated(row).hour()) == 8_182_857  # 57.28 / 7


def owned(**more: Any) -> MayBuy:
    return MayBuy(server="x", price=Decimal(1200), load_kw=10, **more)


def test_residual_value_is_linear_between_rows_and_constant_after_the_last() -> None:
    record = owned(residual_by_month={0: 1.0, 12: 0.7, 36: 0.1})
    assert residual_micros(record, Decimal(1), 0) == 1_200_000_000
    assert residual_micros(record, Decimal(1), 365) == 840_000_000
    # 24 months: half way between 0.7 and 0.1.
    assert residual_micros(record, Decimal(1), 730) == 480_000_000
    assert residual_micros(record, Decimal(1), 5 * 365) == 120_000_000


def test_running_cost_of_an_owned_machine_in_one_month() -> None:
    # December has 31 days: colocation 10 kW x 30 = 300; maintenance 1,200 x 0.1 / 12 = 10; idle 2 kW x 24 h x 31 d
    # x PUE 1.5 x 0.1 = 223.2. From day 16 on half of the month (15 of 31 days) is left.
    record = owned(colocation_per_kw_month=Decimal(30), maintenance_fraction_year=0.1, idle_kw=2)
    site = OwnedSpec(electricity_per_kwh=Decimal("0.1"), pue=1.5)
    calendar = horizon(months=1)
    whole = {line.kind: line.micros for line in running_lines(record, site, Decimal(1), "USD", 0, 31, calendar)}
    assert whole == {"colocation": 300_000_000, "maintenance": 10_000_000, "energy": 223_200_000}
    rest = {line.kind: line.micros for line in running_lines(record, site, Decimal(1), "USD", 16, 31, calendar)}
    assert rest["energy"] == 108_000_000
    assert rest["colocation"] == round(300_000_000 * 15 / 31)


def test_maintenance_is_counted_in_years_at_its_price_a_year() -> None:
    """5 % of 1,200 is 60 a year; a month is a twelfth of one, so 12 months are one year at 60 USD."""
    record = owned(maintenance_fraction_year=0.05)
    lines = list(running_lines(record, OwnedSpec(), Decimal(1), "USD", 0, 365, horizon()))
    assert {(line.kind, line.unit, line.unit_price) for line in lines} == {("maintenance", "year", Decimal(60))}
    assert sum(line.quantity for line in lines) == 1
    assert sum(line.micros for line in lines) == 60_000_000


def test_starts_that_can_matter_for_months_from_one_border() -> None:
    calendar = horizon()
    month = price(Term.MONTH, "1", PriceUnit.MONTH)

    def ends(day: int) -> int:
        return rent_end(calendar, month, day)

    # 90 days of work from day 0: months start on 0, 31 and 62 (1 December, 1 January, 1 February).
    assert candidate_starts({0, 89, 90}, (ends,), 0, 90, both_ways=False) == (0, 31, 62, 89)
    # Ending on day 90 (1 March) backwards: 1 February = 62, 1 January = 31, 1 December = 0; on day 89 (28 February):
    # 28 January = 58 and 28 December = 27.
    found = candidate_starts({0, 89, 90}, (ends,), 0, 90, both_ways=True)
    assert {0, 27, 31, 58, 62, 89} <= set(found)
