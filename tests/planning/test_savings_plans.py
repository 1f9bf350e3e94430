"""Savings plans are sold and not planned on; a long plan says so, a short one has no use for them."""

from datetime import date
from pathlib import Path

import pytest

from optimizer.app.plan import plan_workload
from optimizer.planning.case import PlanOptions
from optimizer.reports.phrases import in_chinese

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(("example", "is_told"), [("steady-year", True), ("lora-7b", False)])
def test_a_plan_of_a_year_names_the_savings_plans_left_aside(example: str, is_told: bool) -> None:
    plan = plan_workload(EXAMPLES / f"{example}.yaml", PlanOptions(as_of=date(2026, 11, 30), extras=False))
    told = [note for note in plan.notes if "savings-plan prices are not planned on" in note]
    assert [note.startswith("azure: ") for note in told] == [True] * is_told
    assert all("节省计划" in in_chinese(note) for note in told)
