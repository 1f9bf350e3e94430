"""Several futures on one machine with a published price of the hour and of the month."""

from pathlib import Path

import pytest
from support import planner

from optimizer.cli._error_words import told
from optimizer.errors import InputError
from optimizer.explain.scenario_file import ScenarioFile, read_scenarios
from optimizer.explain.scenarios import Hedge, NoHedge, hedge
from optimizer.planning.workload_file import parse_workload

GN10X = "tencent/mainland-low/GN10X.18XLARGE320"  # 131.17 CNY an hour, 37,800 a month
#: 250 hours of the machine; 1.28 x as much is 320 hours.
JOB = (
    "currency: CNY\nprofile: off\ngpu_hours: {gpu: V100-SXM2-32GB, hours: 2000}\ndeadline_days: 31\nmax_nodes: 1\n"
    "start: 2026-12-01\n"
)
MICROS = 10**6


def answer(base: str, growth: str) -> Hedge:
    found = hedge(
        planner(JOB.replace("start: 2026-12-01\n", ""), GN10X),
        ScenarioFile.model_validate(
            {
                "scenarios": [
                    {"name": "base", "weight": float(base)},
                    {"name": "growth", "weight": float(growth), "demand": 1.28},
                ]
            }
        ),
        30,
    )
    assert isinstance(found, Hedge)
    return found


def test_even_odds_stay_by_the_hour() -> None:
    # 250 h x 131.17 = 32,792.50; 320 h x 131.17 = 41,974.40; half of each is 37,383.45, below 37,800 for the month.
    found = answer("0.5", "0.5")
    assert found.commit == ()
    assert found.expected == 37_383_450_000
    # Knowing growth now one would take the month: 0.5 x (41,974.40 - 37,800) = 2,087.20.
    assert found.cost_of_not_knowing == 2_087_200_000
    assert (found.worst.name, found.worst.cost) == ("growth", 41_974_400_000)


def test_likely_growth_commits_to_the_month() -> None:
    # 0.4 x 32,792.50 + 0.6 x 41,974.40 = 38,301.64 by the hour, above 37,800.
    found = answer("0.4", "0.6")
    assert [(bought.rent.term.value, count) for bought, count in found.commit if bought.rent] == [("month", 1)]
    assert found.expected == 37_800 * MICROS
    assert found.by_the_hour == 38_301_640_000
    # Knowing base now one would stay by the hour: 0.4 x (37,800 - 32,792.50) = 2,003.
    assert found.cost_of_not_knowing == 2_003 * MICROS


def test_a_future_without_any_plan_is_named() -> None:
    found = hedge(
        planner(JOB.replace("start: 2026-12-01\n", ""), GN10X),
        ScenarioFile.model_validate(
            {"scenarios": [{"name": "base", "weight": 0.5}, {"name": "gone", "weight": 0.5, "failing": ["tencent"]}]}
        ),
        30,
    )
    assert found == NoHedge(("gone",))


def test_dearer_hours_leave_the_month_alone() -> None:
    # Hours at 1.2 x: 250 x 157.404 = 39,351 > 37,800, so the month is taken when that is sure.
    found = hedge(
        planner(JOB.replace("start: 2026-12-01\n", ""), GN10X),
        ScenarioFile.model_validate({"scenarios": [{"name": "dear", "weight": 1, "price": 1.2}]}),
        30,
    )
    assert isinstance(found, Hedge)
    assert (found.expected, found.by_the_hour) == (37_800 * MICROS, 39_351 * MICROS)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("scenarios: [{name: a, weight: 0.5}, {name: b, weight: 0.4}]", "sum to 1; they sum to 0.9"),
        ("scenarios: [{name: a, weight: 0.5}, {name: a, weight: 0.5}]", "scenario names that differ"),
        ("scenarios: [{name: a, weight: 1, demand: {other: 2}}]", "other"),
        (
            "scenarios: [{name: a, weight: 1, speed: 0}]",
            "speed: found 0, expected a value above 0, or a group of fields",
        ),
        ("scenarios: []", "at least 1"),
        ("scenarios: [{name: a, weight: '1'}]", "without quotes"),
        ("scenarios: [{name: a, weigth: 1}]", "weigth"),
    ],
)
def test_a_wrong_file_is_refused_with_the_reason(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "futures.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        read_scenarios(path, parse_workload(JOB, "w.yaml"))


def test_limits_that_are_not_held_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "futures.yaml"
    path.write_text("scenarios: [{name: a, weight: 1}]", encoding="utf-8")
    with pytest.raises(InputError, match="monthly_budget"):
        read_scenarios(path, parse_workload(JOB + "monthly_budget: 5\n", "w.yaml"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("scenarios: [{name: a}]", "scenarios.0.weight：缺少此必填字段"),
        ("scenarios: [{name: a, weight: 1, price2: 3}]", "scenarios.0.price2：读到 未知字段，应为 已知字段"),
        ("scenarios: []", "scenarios：读到 []，应为 至少 1 项"),
        ("scenarios: [{name: a, weight: 2}]", "读到 互相矛盾的值，应为 各权重之和为 1；现为 2"),
        ("scenarios: [{name: a, weight: 1, speed: 0}]", "scenarios.0.speed：读到 0，应为 大于 0，或一组字段"),
    ],
)
def test_the_reason_is_told_in_chinese(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "futures.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read_scenarios(path, parse_workload(JOB, "w.yaml"))
    (problem,) = raised.value.problems
    assert told(problem).endswith(said)
