"""Lines that are paid again and again read as one; what binds for itself, and the workbook, keep every line."""

import io
from datetime import date
from decimal import Decimal

import openpyxl
import pytest

from optimizer.domain.offer import Term
from optimizer.domain.plan import Plan, Purchase
from optimizer.domain.text import Language
from optimizer.reports.facts import Facts
from optimizer.reports.html import render_html
from optimizer.reports.lines import lines_of
from optimizer.reports.workbook import write_workbook
from tests.reports import factory, parts
from tests.reports.test_terminal import flat, screen

#: Days of December 2026 to November 2027.
MONTHS = (31, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30)


def monthly_energy() -> tuple[Purchase, ...]:
    """100 kWh a day at 0.75 CNY: 3,100 kWh and 2,325 CNY in 31 days, 2,100 CNY in February."""
    lines, first = [], 0
    for days in MONTHS:
        quantity, cost = Decimal(100) * days, Decimal(75) * days
        line = parts.machine(1, str(quantity), "0.75", str(cost), (first, first + days), kind="energy", unit="kWh")
        owned = {"provider": "owned", "region": "site", "instance_type": "hgx-h100-8", "term": Term.OWNED}
        lines.append(line.model_copy(update={**owned, "note": "running", "source": "workload file, owned"}))
        first += days
    return tuple(lines)


@pytest.fixture
def year() -> Plan:
    """The fleet with its energy told month by month: 365 days x 75 CNY = 27,375 CNY for 36,500 kWh."""
    plan = factory.fleet()
    others = tuple(bought for bought in plan.purchases if bought.kind != "energy")
    return plan.model_copy(update={"purchases": (*others, *monthly_energy())})


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "energy (running) × 36,500 kWh × 0.75 CNY"),
        ("zh", "电费（运行） × 36,500 千瓦时 × 0.75 CNY"),
    ],
)
def test_energy_of_a_year_is_one_line_on_the_screen(year: Plan, language: Language, said: str) -> None:
    shown = flat(screen(year, language))
    assert shown.count(said[:12]) == 1
    assert said in shown
    assert "27,375.00 CNY" in shown
    months = {"en": "in 12 months, each 2,100.00 to 2,325.00 CNY", "zh": "分 12 个月，每月 2,100.00 至 2,325.00 CNY"}
    assert months[language] in shown
    page = flat(render_html(year, language))
    assert said in page
    assert months[language] in page


def test_the_workbook_keeps_every_line_for_its_sums(year: Plan) -> None:
    book = openpyxl.load_workbook(io.BytesIO(write_workbook(year, "en")))
    kinds = [row[2].value for sheet in book for row in sheet.iter_rows() if len(row) > 15]
    assert kinds.count("energy") == len(MONTHS)


def test_a_repeated_job_pays_several_times_on_one_line() -> None:
    # Three runs of 4 h at 21.52: 86.08 each, 258.24 in all.
    runs = [
        parts.machine(1, "4", "21.52", "86.08", (start, start + 1), term=Term.ON_DEMAND, unit="hour")
        for start in (5, 95, 187)
    ]
    plan = factory.rented().model_copy(update={"purchases": tuple(runs)})
    (line,) = Facts(plan).shown
    assert (line.parts, line.quantity, line.cost, line.is_monthly) == (3, 12, Decimal("258.24"), False)
    assert (line.start, line.end) == (parts.day(5), parts.day(188))
    assert "· 3 times 86.08 CNY ·" in flat(screen(plan))
    assert "· 3 次，每次 86.08 CNY ·" in flat(screen(plan, "zh"))


def test_parts_that_follow_each_other_count_as_one_time() -> None:
    # Two runs of two days each; the days of one run are lines of their own: 2 x (60 + 40) = 200.
    runs = [
        parts.machine(1, hours, "1", hours, (start, start + 1), term=Term.ON_DEMAND, unit="hour")
        for start, hours in ((5, "60"), (6, "40"), (95, "60"), (96, "40"))
    ]
    plan = factory.rented().model_copy(update={"purchases": tuple(runs)})
    (line,) = Facts(plan).shown
    assert (line.parts, line.cost, line.each) == (2, 200, (100, 100))


def test_rents_by_term_and_bought_machines_stay_apart() -> None:
    months = [
        parts.machine(1, "1", "100", "100", (start, start + 31), term=Term.MONTH, unit="month") for start in (0, 90)
    ]
    bought = [
        parts.machine(1, "1", "100", "100", (day, 365), term=Term.OWNED, unit="unit", instance_type="hgx-h100-8")
        for day in (0, 90)
    ]
    plan = factory.rented().model_copy(update={"purchases": (*months, *bought)})
    assert len(Facts(plan).shown) == 4


def test_other_prices_teams_and_places_stay_apart() -> None:
    first, *rest = monthly_energy()
    changes = ({"unit_price": Decimal(1)}, {"workloads": ("other",)}, {"region": "site-2"}, {"note": "idle"})
    changed = [line.model_copy(update=change) for line, change in zip(rest, changes, strict=False)]
    plan = factory.rented().model_copy(update={"purchases": (first, *changed)})
    assert len(Facts(plan).shown) == len(changes) + 1
    assert sum(line.cost for line in Facts(plan).shown) == sum(line.cost for line in plan.purchases)


def test_dates_of_a_joined_line_cover_all_its_parts(year: Plan) -> None:
    (energy,) = [line for line in Facts(year).shown if line.purchase.kind == "energy"]
    assert (energy.start, energy.end, energy.end_day) == (date(2026, 12, 1), date(2027, 12, 1), 365)


def test_a_cost_below_half_a_cent_multiplies_out() -> None:
    # 0.02654 GB-months x 0.07 = 0.0018578, which is 0.001858 to the micro; 0 GB-months would not give it.
    bought = parts.machine(
        1, "0.026542", "0.07", "0.001858", (0, 1), kind="storage", instance_type=None, term=None, unit="GB-month"
    )
    (line,) = lines_of([bought])
    assert line.factors == (1, Decimal("0.02654"))
