"""A machine of one's own is ordered its lead time before it serves; nobody can use it sooner."""

import json
from decimal import Decimal
from fractions import Fraction
from xml.etree import ElementTree as ET

import pytest
from support import plan, planner

from optimizer.app.breakeven import BreakEven, true_percent
from optimizer.app.breakeven_picture import picture_of
from optimizer.domain.text import Language
from optimizer.explain.breakeven import breakeven, lead_times_of, resale_of

RENTED = "runpod/global/8x_H100-SXM_community"
LEAD_DAYS = 45
FILE = """
currency: USD
profile: off
gpu_hours: {gpu: H100-SXM5-80GB, hours: GPU_HOURS}
hours_per_day: 10
max_nodes: 1
deadline_days: 17
owned:
  electricity_per_kwh: 0.1
  may_buy:
    - server: hgx-h100-8
      price: 73000
      lead_time_days: LEAD
      max: 1
      residual_by_month: {0: 1.0, 12: 0.5}
      load_kw: 10
      idle_kw: 10
"""


def text(lead: int, price: int = 73000, days: int = 17) -> str:
    whole = FILE.replace("LEAD", str(lead)).replace("GPU_HOURS", str(8 * 10 * days))
    return whole.replace("price: 73000", f"price: {price}")


def owned_usd(lead: int, days: int) -> Decimal:
    found = breakeven(planner(text(lead), RENTED))
    (way,) = [way for way in found.ways if way.name == "owned"]
    return Decimal(way.cost(Fraction(10), days, found.calendar) or 0) / 10**6


@pytest.mark.parametrize(("lead", "days"), [(0, 1), (LEAD_DAYS, 1), (LEAD_DAYS, 17), (LEAD_DAYS, 320)])
def test_its_value_falls_from_the_order_on(lead: int, days: int) -> None:
    # Half of 73,000 is lost in 365 days: 100 USD a day since the order. 10 kW x 24 h x 0.1 USD are 24 USD a day of use.
    assert owned_usd(lead, days) == 100 * (lead + days) + 24 * days


def test_the_plan_that_orders_it_in_time_costs_the_same() -> None:
    # Ordered on day 0, it stands on day 45 and works until day 62, the end of January: 17 days of ten hours.
    waiting = text(LEAD_DAYS).replace("deadline_days: 17", f"deadline_days: 17\nstarts_day: {LEAD_DAYS}")
    held = plan(f"horizon_months: 2\n{waiting}", "nobody/*")
    assert held.cost is not None
    assert held.purchases[0].start_day == 0
    assert held.cost.total == owned_usd(LEAD_DAYS, 17) == 62 * 100 + 17 * 24


def test_no_plan_uses_it_before_it_stands() -> None:
    assert plan(f"horizon_months: 2\n{text(LEAD_DAYS)}", "nobody/*").cost is None


def test_a_day_is_not_won_by_a_machine_that_was_ordered_weeks_before() -> None:
    # A day of 24 h by the hour is 8 x 2.69 x 24 = 516.48 USD. Without a lead time a machine of 200,000 costs
    # 200,000 x 0.5 / 365 + 24 = 297.97 for it, with 45 days 200,000 x 0.5 x 46 / 365 + 24 = 12,626.74.
    won = {}
    for lead in (0, LEAD_DAYS):
        found = breakeven(planner(text(lead, price=200_000), RENTED))
        point = next(point for point in found.points if (point.hours_per_day, point.span.days) == (24, 1))
        won[lead] = point.cheapest
        assert point.costs["on_demand"] == 516_480_000
    assert won == {0: "owned", LEAD_DAYS: "on_demand"}


@pytest.mark.parametrize(
    ("language", "axes", "columns"),
    [("en", ("Hours a day", "Days in a row"), ("1d", "60mo")), ("zh", ("每天小时数", "连续天数"), ("1天", "60个月"))],
)
def test_every_line_of_the_picture_stays_inside_and_its_axes_are_named(
    language: Language, axes: tuple[str, str], columns: tuple[str, str]
) -> None:
    one = planner(text(LEAD_DAYS), RENTED)
    found = BreakEven(breakeven(one), one)
    root = ET.fromstring(picture_of(found, language))  # noqa: S314 - our own drawing
    lines = ["".join(element.itertext()) for element in root if element.tag.endswith("text")]
    # 720 px less the margins; a sans-serif letter of 11 px is at most 0.6 em wide on average, a Chinese one 1 em.
    assert all(sum(11.0 if char > "\u2e7f" else 6.4 for char in line) <= 720 - 2 * 5 for line in lines)
    told = [found.sentences(language)[0], *found.ordered_before(language)]
    assert all(sentence.replace(" ", "") in "".join(lines).replace(" ", "") for sentence in told)
    assert all(any(axis in line for line in lines) for axis in axes)
    labels = {"".join(element.itertext()) for element in root.iter() if element.tag.endswith("text")}
    assert set(columns) <= labels
    assert ("mo" in "".join(labels - set(lines))) is (language == "en")


@pytest.mark.parametrize(("language", "words"), [("en", "ordered 45 days before"), ("zh", "之前 45 天")])
def test_the_lead_time_stands_on_screen_in_json_and_in_the_picture(language: Language, words: str) -> None:
    one = planner(text(LEAD_DAYS), RENTED)
    found = BreakEven(breakeven(one), one)
    assert any(words in line for line in found.lines(language))
    assert words in picture_of(found, language)
    told = json.loads(json.dumps(found.to_json(), default=str))
    assert told["lead_time_days"] == {"hgx-h100-8": LEAD_DAYS}
    assert any(words in line for line in told["messages"][language])


def test_a_machine_that_stands_at_once_needs_no_word() -> None:
    one = planner(text(0), RENTED)
    found = BreakEven(breakeven(one), one)
    assert lead_times_of(found.surface) == {"hgx-h100-8": 0}
    assert not any("ordered" in line for line in found.lines("en"))


def test_the_share_it_must_bring_is_that_of_its_age() -> None:
    found = resale_of(breakeven(planner(text(LEAD_DAYS, price=20_000), RENTED)))
    assert found is not None
    assert found.share == 1 - Fraction(LEAD_DAYS + found.days, 730)


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (Fraction(9992, 10000), "99.92%"),
        (Fraction(999999, 1000000), "99.9999%"),
        (Fraction(1), "100%"),
        (Fraction(0), "0%"),
        (Fraction(7, 10), "70%"),
        (Fraction(96219, 100000), "96.2%"),
        (Fraction(1, 5000), "0.02%"),
    ],
)
def test_a_share_is_printed_with_enough_digits_to_be_true(share: Fraction, said: str) -> None:
    assert true_percent(share) == said
