"""Break-even on Tencent's published prices: hour and month of one machine each (rules.md, case 13)."""

import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from support import plan, planner

from optimizer.app.breakeven import MOST_CHANGES, BreakEven
from optimizer.explain import texts
from optimizer.explain.breakeven import Crossing, Surface, breakeven
from optimizer.explain.ways import ORDER

GT4 = "tencent/mainland/GT4.8XLARGE192"
GN10X = "tencent/mainland-low/GN10X.18XLARGE320"
GN8 = "tencent/mainland-low/GN8.14XLARGE448"
OFFERS = [
    # offer, GPU, GPUs of a machine, price of an hour, price of a month (CNY)
    (GT4, "A100-SXM4-40GB", 2, "57.28", "27496"),
    (GN10X, "V100-SXM2-32GB", 8, "131.17", "37800"),
    (GN8, "P40", 8, "98.82", "28800"),
]


def job(gpu: str, gpu_hours: float, per_day: float = 24, days: int = 31) -> str:
    return (
        f"currency: CNY\nprofile: off\ngpu_hours: {{gpu: {gpu}, hours: {gpu_hours}}}\nhours_per_day: {per_day}\n"
        f"deadline_days: {days}\nmax_nodes: 1\n"
    )


def surface(offer: str, gpu: str, gpus: int) -> Surface:
    return breakeven(planner(job(gpu, 100 * gpus), offer))


def cost_at(found: Surface, hours: int, days: int) -> dict[str, Any]:
    point = next(p for p in found.points if p.hours_per_day == hours and p.span.days == days)
    return {name: None if cost is None else Decimal(cost) / 10**6 for name, cost in point.costs.items()}


@pytest.mark.parametrize(("offer", "gpu", "gpus", "hour", "month"), OFFERS)
def test_the_month_takes_over_at_the_ratio_of_the_two_prices(
    offer: str, gpu: str, gpus: int, hour: str, month: str
) -> None:
    found = surface(offer, gpu, gpus)
    # December has 31 days: month / hour hours in all, spread over 31 days.
    assert Crossing("on_demand", "month", Fraction(month) / Fraction(hour) / 31, 31, "hours") in found.crossings


@pytest.mark.parametrize(("offer", "gpu", "gpus", "hour", "month"), OFFERS)
def test_the_documents_point_is_won_by_the_hour(offer: str, gpu: str, gpus: int, hour: str, month: str) -> None:
    found = surface(offer, gpu, gpus)
    # 14 days x 10 h = 140 h, less than the 288 to 480 h from which the month is cheaper.
    assert found.document.cheapest == "on_demand"
    assert cost_at(found, 10, 14) == {"on_demand": 140 * Decimal(hour), "month": Decimal(month)}


def test_two_months_need_two_rents_and_32_days_as_well() -> None:
    found = surface(GT4, "A100-SXM4-40GB", 2)
    # 31 + 31 days from 1 December.
    assert cost_at(found, 24, 62)["month"] == 2 * 27496
    assert cost_at(found, 24, 90)["month"] == 3 * 27496


@pytest.mark.parametrize(("hours", "days"), [(10, 14), (24, 21), (9, 31), (16, 31), (24, 31)])
def test_points_cost_what_the_planner_finds(hours: int, days: int) -> None:
    for offer, gpu, gpus, _, _ in OFFERS:
        found = cost_at(surface(offer, gpu, gpus), hours, days)
        planned = plan(job(gpu, hours * days * gpus, hours, days), offer)
        assert planned.cost is not None
        assert planned.cost.total == min(cost for cost in found.values() if cost is not None)


def test_a_slower_configuration_does_the_same_work_in_more_hours_and_stops_at_24() -> None:
    found = surface(GT4, "A100-SXM4-40GB", 2)
    by_hour = next(way for way in found.ways if way.name == "on_demand")
    half_as_fast = replace(by_hour, ratio=Fraction(2), node_days={})
    # 12 h of the reference are its 24 h; 13 h would be 26.
    assert half_as_fast.cost(Fraction(12), 1, found.calendar) == 24 * 57_280_000
    assert half_as_fast.cost(Fraction(13), 1, found.calendar) is None


def test_every_name_has_its_place_and_words() -> None:
    from optimizer.explain.texts import NAMES

    assert set(ORDER) == set(NAMES)


def test_every_change_is_told_also_those_on_few_days() -> None:
    found = surface(GT4, "A100-SXM4-40GB", 2)
    # The month of 27,496 is cheaper than hours at 57.28 from 480.03 h on: on 21 days (504 h), on 31, 62, ... days.
    told = BreakEven(found, planner(job("A100-SXM4-40GB", 200), GT4)).lines("en")
    listed = told[told.index(texts.CROSSINGS_TITLE.en) + 1 :]
    assert any("on 21 days" in line and "480 h in all" in line for line in listed)
    ranges = [re.match(r"  - on ([\d,]+)(?:–([\d,]+))? day", line) for line in listed]
    spans = [[int((end or match[1]).replace(",", "")) for end in match.groups()] for match in ranges if match]
    for crossing in found.crossings:
        assert crossing.along == "days" or any(first <= crossing.days <= last for first, last in spans)
    assert sum(line.startswith("  - at 10 h a day: ") for line in listed) <= 1


def test_where_one_way_is_always_cheapest_the_list_says_so() -> None:
    hourly = breakeven(planner(job("A10", 100), "alibaba/cn-beijing/ecs.gn7i-c16g1.4xlarge"))
    only = replace(hourly, crossings=())
    for language, said in (("en", "nowhere"), ("zh", "无：")):
        last = BreakEven(only, planner(job("A10", 100), "alibaba/cn-beijing/ecs.gn7i-c16g1.4xlarge")).lines(language)[
            -1
        ]
        assert said in last


def test_what_is_left_out_is_counted() -> None:
    found = surface(GT4, "A100-SXM4-40GB", 2)
    change = replace(found.crossings[0], along="days")
    many = replace(found, crossings=(change,) * (MOST_CHANGES + 3))
    assert "(3 more; " in BreakEven(many, planner(job("A100-SXM4-40GB", 200), GT4)).lines("en")[-1]
