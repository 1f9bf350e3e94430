"""Pipelines for fine-tuning: searched where the file asks, told where they would be clearly cheaper."""

from datetime import date
from decimal import Decimal
from pathlib import Path

from optimizer.app.plan import plan_workload
from optimizer.domain.plan import Plan
from optimizer.planning.case import PlanOptions

SFT_13B_CN = Path(__file__).parents[2] / "examples" / "sft-13b-cn.yaml"


def planned(*overrides: str, extras: bool) -> Plan:
    return plan_workload(SFT_13B_CN, PlanOptions(as_of=date(2026, 11, 30), extras=extras), overrides=overrides)


def total(plan: Plan) -> Decimal:
    assert plan.cost is not None
    return plan.cost.total


def depth(plan: Plan) -> int:
    layout = plan.assignments[0].layout
    assert layout is not None
    return layout.pp


def test_a_plan_tells_what_pipelines_would_save_and_the_file_can_ask_for_them() -> None:
    usual = planned(extras=True)
    asked = planned("layout={pp: any}", extras=False)
    told = [other for other in usual.alternatives if "layout: {pp: any}" in other.title_en]
    assert (depth(usual), depth(asked) > 1) == (1, True)
    assert [other.cost for other in told] == [total(asked)]
    assert total(asked) < total(usual)


def test_a_fixed_depth_is_one_of_any() -> None:
    asked, fixed = planned("layout={pp: any}", extras=False), planned("layout={tp: 1, pp: 4}", extras=False)
    assert depth(fixed) == 4
    assert total(asked) <= total(fixed)
