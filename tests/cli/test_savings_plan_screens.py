"""A plan with a savings plan on every screen and in every file that is made of a plan, in both languages."""

import json
from collections.abc import Callable
from datetime import date
from functools import cache
from pathlib import Path

import pytest

from optimizer.app.running import from_running
from optimizer.catalog import load_catalog
from optimizer.cli._main import run
from optimizer.domain.offer import Term
from optimizer.domain.plan import Plan
from optimizer.domain.workload import WorkloadFile
from optimizer.planning.workload_file import parse_workload
from optimizer.reports.html import render_html
from optimizer.reports.workbook import write_workbook
from optimizer.review.promises import plan_endings
from tests.planning.commitment_cases import planned, workload

RUNNING = "start: 2027-12-01\nhorizon_months: 12\nprofile: off\nworkloads:\n"


@cache
def shared() -> Plan:
    """Two shifts of 12 hours in two regions under one plan of 2 USD an hour: 52,560 USD."""
    day = workload("day", 7e9, window='{from: "08:00", hours: 12}')
    plan, _ = planned(day, workload("night", 7e9, window='{from: "20:00", hours: 12}', regions="[westus2]"))
    return plan


@pytest.fixture
def plan_path(tmp_path: Path) -> Path:
    path = tmp_path / "plan.json"
    path.write_text(shared().model_dump_json(by_alias=True), encoding="utf-8")
    return path


Said = Callable[..., str]


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    def say(*arguments: str) -> str:
        code = run(list(arguments))
        printed = capsys.readouterr()
        assert code in (0, None), printed.err
        return printed.out

    return say


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ("under savings plans", "2.00 USD", "any region", "savings plan 3 years", "52,560.00")),
        ("zh", ("节省计划支付", "任一地域", "节省计划 3 年", "承诺每小时", "52,560.00")),
    ],
)
def test_the_page_names_commitment_rates_and_what_is_covered(language: str, words: tuple[str, ...]) -> None:
    page = render_html(shared(), language)  # type: ignore[arg-type]
    assert [word for word in words if word not in page] == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_workbook_is_written(language: str) -> None:
    assert len(write_workbook(shared(), language)) > 1000  # type: ignore[arg-type]


def test_the_plan_verifies_and_compares_with_itself(plan_path: Path, said: Said) -> None:
    assert "the plan holds" in said("verify", str(plan_path))
    assert "any" in said("compare", str(plan_path), str(plan_path))


def test_the_contract_has_the_commitment_beside_the_rate(plan_path: Path, said: Said) -> None:
    text = said("contract", str(plan_path))
    assert "2 USD/hour" in text
    assert "Due for every hour of the term, used or not" in text
    assert "52,560.00 USD" in text
    assert "用否皆付" in said("contract", str(plan_path), "--lang", "zh")


@pytest.mark.parametrize("tool", ["skypilot", "dstack", "terraform"])
def test_it_is_exported(plan_path: Path, said: Said, tool: str) -> None:
    more = ["--workload", "day"] if tool != "terraform" else []
    assert "savings_plan_3y" in said("export", "--format", tool, str(plan_path), *more)


def test_quotes_ask_for_the_rates(plan_path: Path, said: Said) -> None:
    text = plan_path.read_text(encoding="utf-8")
    plan_path.write_text(text.replace('"observed":"2026-11-30"', '"observed":"2026-01-30"'), encoding="utf-8")
    assert "eastus2,Standard_NC24ads_A100_v4,savings_plan_3y,,hour,USD" in said(
        "quotes", "template", "--plan", str(plan_path)
    )


def test_its_end_is_among_what_ends_in_a_review() -> None:
    assert [(one.what, one.day) for one in plan_endings(shared())] == [
        ("azure (savings_plan_3y) x 1", date(2029, 12, 1))
    ]


def test_a_new_plan_finds_paid_for_what_the_running_plan_covers(plan_path: Path) -> None:
    file = parse_workload(RUNNING + workload("day", 7e9), "made.yaml")
    carried = from_running(file, plan_path, load_catalog().rates(date(2027, 11, 30), {}))
    assert isinstance(carried, WorkloadFile)
    held = [(one.offer, one.count, one.ends, one.held_as) for one in carried.commitments]
    machine = "Standard_NC24ads_A100_v4"
    assert held == [
        (f"azure/eastus2/{machine}", 1, date(2029, 12, 1), Term.RESERVED_3Y),
        (f"azure/westus2/{machine}", 1, date(2029, 12, 1), Term.RESERVED_3Y),
    ]


def test_the_file_says_what_is_covered(plan_path: Path) -> None:
    data = json.loads(plan_path.read_text(encoding="utf-8"))
    assert {row["covered"] for row in data["usage"]} == {1}
    assert [line["kind"] for line in data["purchases"] if line["cost"] != "0"] == ["commitment"]
