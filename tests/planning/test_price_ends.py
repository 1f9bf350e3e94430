"""Prices that end while the plan goes on: told as a risk, and as the way out where they leave no plan."""

from datetime import date
from pathlib import Path

import pytest

from optimizer.catalog import load_catalog
from optimizer.domain.plan import Plan
from optimizer.domain.text import Language
from optimizer.planning.case import PlanOptions
from optimizer.planning.pipeline import Planner
from optimizer.planning.relaxing import relaxations
from optimizer.planning.workload_file import parse_workload
from optimizer.reports.say_doubts import locks
from optimizer.reports.voice import voice_of

WORK = """
start: 2027-02-15
currency: CNY
horizon_months: 2
profile: off
name: w
model: {preset: qwen2.5-7b}
method: lora
sequence_length: 1024
tokens_per_month: 1.0e9
checkpoint_gb: 0
egress_gb: 1
max_nodes: 1
providers: [me]
quotes: quotes.csv
"""
HEAD = "provider,region,instance_type,term,price,price_unit,currency,valid_to,gpu_model,gpu_count,vcpus,ram_gib\n"
MACHINE = "H20-96GB,1,24,200"


def planner(folder: Path, *lines: str) -> Planner:
    (folder / "quotes.csv").write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    options = PlanOptions(as_of=date(2026, 11, 30), extras=False)
    source = folder / "w.yaml"
    return Planner(parse_workload(WORK, str(source)), load_catalog(), options, str(source))


def planned(folder: Path, *lines: str) -> Plan:
    return planner(folder, *lines).plan()[0]


@pytest.mark.parametrize(
    ("language", "machine", "traffic"),
    [
        (
            "en",
            "h20 (on demand): the price is stated until 2027-02-20 and used until 2027-04-14; ask what it is "
            "afterwards",
            "me (egress): the price is stated until 2027-03-01 and used until 2027-04-14; ask what it is afterwards",
        ),
        (
            "zh",
            "h20（按量）：价格只标明至 2027-02-20，方案用到 2027-04-14；请询问此后的价格",
            "me（出网流量）：价格只标明至 2027-03-01，方案用到 2027-04-14；请询问此后的价格",
        ),
    ],
)
def test_a_price_used_after_its_last_day_is_a_risk(
    language: Language, machine: str, traffic: str, tmp_path: Path
) -> None:
    plan = planned(
        tmp_path,
        f"me,cn,h20,on_demand,8,hour,CNY,2027-02-20,{MACHINE}",
        "me,*,egress,,0.5,gb,CNY,2027-03-01,,,,",
    )
    assert locks(voice_of(plan, language)) == [machine, traffic]


def test_a_price_that_lasts_is_none(tmp_path: Path) -> None:
    # Two months from 15 February end on 14 April, the last day of the price.
    plan = planned(tmp_path, f"me,cn,h20,on_demand,8,hour,CNY,2027-04-14,{MACHINE}", "me,*,egress,,0,gb,CNY,,,,,")
    assert locks(voice_of(plan, "en")) == ["none: everything is paid by the hour used"]


def test_where_the_ends_of_prices_leave_no_plan_that_is_said(tmp_path: Path) -> None:
    # A rent may begin until its price's last day: 15 February may, 15 March may not.
    asked = planner(tmp_path, f"me,cn,h20,month,5000,month,CNY,2027-02-20,{MACHINE}", "me,*,egress,,0,gb,CNY,,,,,")
    assert asked.plan()[0].status == "infeasible"
    (way,) = [way for way in relaxations(asked) if way.direction == "validity"]
    # Two rents of 5,000.
    assert way.cost == 10000
    assert way.change_en.startswith("quotes that hold to the plan's end (the first ends on 2027-02-20): 1 × me/cn/h20")
    assert way.change_zh.startswith("报价延至期末（最早 2027-02-20 到期）：1 × me/cn/h20")
