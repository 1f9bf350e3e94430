"""Where an answer changes, against ratios of published prices."""

from decimal import Decimal

import pytest
from support import planner

from optimizer.domain.plan import InputRange
from optimizer.explain.sensitivity import Sensitivity, towards_one

GN10X = "tencent/mainland-low/GN10X.18XLARGE320"  # 131.17 CNY an hour, 37,800 a month
#: 280 hours of the machine: 36,727.60 by the hour, so the month is 1.0292 x as much.
JOB = "currency: CNY\nprofile: off\ngpu_hours: {gpu: V100-SXM2-32GB, hours: 2240}\ndeadline_days: 31\nmax_nodes: 1\n"


def ranges(text: str, *offers: str) -> dict[str, InputRange]:
    asked = planner(text, *offers)
    _, outcome = asked.plan()
    return {one.kind: one for one in Sensitivity(asked, outcome, 60).ranges() if isinstance(one, InputRange)}


def test_the_hourly_price_may_rise_until_the_month_is_cheaper() -> None:
    one = ranges(JOB, GN10X)["price"]
    assert one.value == "131.17 CNY/hour"
    assert one.lower is None
    assert one.upper is not None
    # 37,800 / 36,727.60 = 1.029199: to four places, the last factor at which the hours are still cheaper.
    assert one.upper == 1.0291
    assert "month" in one.upper_plan


def test_the_amount_of_work_may_rise_until_the_month_is_cheaper() -> None:
    one = ranges(JOB, GN10X)["tokens"]
    assert one.upper is not None
    # From 289 billed hours on (288.2 is the ratio of the prices), that is above 288 of 280 hours: 1.02857. Hours are
    # billed whole, so cost is no straight line, and the end is known to one per cent.
    assert 1.0285 / 1.01 <= one.upper <= 1.0285
    assert one.lower is None


def test_slower_is_more_hours() -> None:
    one = ranges(JOB, GN10X)["speed"]
    assert one.lower is not None
    # 280 / 288 = 0.97222: slower than that, another hour is billed.
    assert 0.9723 <= one.lower <= 0.9723 * 1.01
    assert one.upper is None


def test_a_deadline_that_work_outgrows_is_no_plan() -> None:
    # 280 h in 12 days of 24 h (288 h): beyond 1.0286 x there is no plan at all.
    one = ranges(JOB.replace("deadline_days: 31", "deadline_days: 12"), GN10X)["tokens"]
    assert one.upper is not None
    assert one.upper_plan in ("-", "1 × tencent/mainland-low/GN10X.18XLARGE320 (8 × V100-SXM2-32GB), month")


@pytest.mark.parametrize("rate", [0.5, 2.0])
def test_the_exchange_rate_touches_foreign_prices_only(rate: float) -> None:
    # Prices in CNY, report in USD: everything scales alike, so nothing changes.
    one = ranges(JOB.replace("currency: CNY", "currency: USD"), GN10X)["exchange_rate"]
    assert one.input == "USD/CNY"
    assert rate in one.searched
    assert one.lower is None
    assert one.upper is None


def test_the_end_that_is_told_keeps_the_answer_and_the_next_step_does_not() -> None:
    # 131.17 x 1.0291 x 280 = 37,796.37 < 37,800 < 131.17 x 1.0292 x 280 = 37,800.05.
    factor = Decimal(str(ranges(JOB, GN10X)["price"].upper))
    assert factor * Decimal("131.17") * 280 < 37_800 < (factor + Decimal("0.0001")) * Decimal("131.17") * 280


@pytest.mark.parametrize(
    ("factor", "told"), [(1.02119999, 1.0211), (1.0212, 1.0212), (0.97222, 0.9723), (0.9723, 0.9723), (1.00001, 1.0)]
)
def test_factors_are_rounded_towards_today(factor: float, told: float) -> None:
    assert towards_one(factor) == told


OWN = """
owned:
  electricity_per_kwh: 0
  may_buy:
  - {{server: box, gpu: V100-SXM2-32GB, gpus: 8, price: {price}, load_kw: 1, residual_by_month: {residual}}}
"""


@pytest.mark.parametrize(("price", "residual"), [(30000, "{0: 0}"), (60000, "{0: 0.5}")])
def test_the_price_of_an_own_machine_may_rise_until_renting_is_cheaper(price: int, residual: str) -> None:
    # Bought for 30,000 with nothing left at the end, or for 60,000 with half left: 30,000 either way.
    # 280 hours by the hour cost 36,727.60, 1.224253 times as much; a lower price never changes the answer.
    one = ranges(JOB + OWN.format(price=price, residual=residual), GN10X)["purchase"]
    assert one.value == f"{price} CNY"
    assert one.lower is None
    assert one.upper == 1.2242
    assert "on_demand" in one.upper_plan


def test_a_plan_that_buys_nothing_rests_on_no_purchase_price() -> None:
    assert "purchase" not in ranges(JOB + OWN.format(price=90000, residual="{0: 0}"), GN10X)
