"""Plans worked out by hand hold; the same plans under a changed question do not, and the right check says so."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from optimizer.domain.plan import Plan, RulePrice
from optimizer.verify import Check, verify_plan
from tests.verify import parts
from tests.verify.damage import altered, leaves, replaced
from tests.verify.plans import ALL_PLANS, STORES


def failed(plan: Plan) -> list[Check]:
    return [check for check in verify_plan(plan, STORES) if not check.ok]


@pytest.mark.parametrize("make", ALL_PLANS, ids=lambda make: make.__name__)
def test_plans_made_by_hand_hold(make: Callable[[], Plan]) -> None:
    assert failed(make()) == []


def asked_otherwise(make: Callable[[], Plan], work: dict[str, Any] | None = None, **file: Any) -> Plan:
    """The same plan for a file with other fields (of its first workload, of the file)."""
    plan = make()
    works = list(plan.inputs["workloads"])
    works[0] = {**works[0], **(work or {})}
    return plan.model_copy(update={"inputs": {**plan.inputs, "workloads": works, **file}})


HOURLY, MONTH, OWNED, YEAR, SPOT, _ = ALL_PLANS
CASES: list[tuple[Callable[[], Plan], dict[str, Any], dict[str, Any], str]] = [
    # What a workload may use.
    (HOURLY, {"countries": ["US"]}, {}, "limits.countries[trial@0]"),
    (HOURLY, {"providers": ["aws", "ali*"]}, {}, "limits.providers[trial@0]"),
    (HOURLY, {"regions": ["cn-*"]}, {}, "limits.regions[trial@0]"),
    (HOURLY, {"gpus": {"allow": ["H100*"]}}, {}, "limits.gpus_allowed[trial@0]"),
    (HOURLY, {"gpus": {"deny": ["A100*"]}}, {}, "limits.gpus_denied[trial@0]"),
    (HOURLY, {"min_gpus": 4}, {}, "limits.min_gpus[trial@0]"),
    (MONTH, {"max_nodes": 1}, {}, "limits.max_nodes[chat@0]"),
    (SPOT, {"interruptible": False}, {}, "limits.interruptible[sweep@0]"),
    (OWNED, {"exclusive": True}, {}, "packing.share_allowed[half@0]"),
    # When it may run.
    (HOURLY, {"deadline_days": 13}, {}, "calendar.deadline[trial@0]"),
    (HOURLY, {"starts_day": 1}, {}, "calendar.start[trial@0]"),
    (HOURLY, {"hours_per_day": 12}, {}, "work.days[trial@0]"),
    (HOURLY, {"hours_per_day": 9}, {}, "work.hours_in_day[trial@0]"),
    (HOURLY, {"repeats": {"times": 2}}, {}, "work.placed_once[trial]"),
    (MONTH, {"max_moves": 0}, {}, "work.moves[chat]"),
    (SPOT, {"window": {"from": "10:00", "hours": 10}}, {}, "work.start_hour[sweep@0]"),
    (SPOT, {"repeats": {"every_months": 2, "times": 2}}, {}, "calendar.start[sweep#1@31]"),
    # How much work there is.
    (HOURLY, {"gpu_hours": {"gpu": parts.GPU, "hours": 290}}, {}, "work.run_hours[trial@0]"),
    (HOURLY, {"gpu_hours": {"gpu": "H100-SXM5-80GB", "hours": 280}}, {}, "work.run_hours[trial@0]"),
    (MONTH, {"tokens_per_month": 3.7e9}, {}, "work.hours_per_day[chat@0]"),
    (SPOT, {"spot": {"lost_hours": 1.0}}, {}, "work.run_hours[sweep@0]"),
    # What must lie somewhere.
    (HOURLY, {"dataset_gb": 10}, {}, "storage.incomplete"),
    (SPOT, {"dataset_gb": 400}, {}, "storage.size[shared:corpus:vast:eu@0]"),
    (SPOT, {"checkpoints_kept": 3}, {}, "storage.size[hot:sweep:vast:eu@0]"),
    (SPOT, {"egress_gb": 11}, {}, "storage.size[egress:sweep:vast:eu@3]"),
    (SPOT, {"cold_storage_gb": 731}, {}, "storage.size[cold:sweep:vast:eu@0]"),
    # Money and power.
    (HOURLY, {}, {"budget": 8019.19}, "limits.budget"),
    (MONTH, {}, {"monthly_budget": 9351.31}, "limits.monthly_budget"),
    (MONTH, {}, {"max_hourly": 18}, "limits.max_hourly"),
    (MONTH, {"move_cost": 501}, {}, "needs.moves"),
    (MONTH, {}, {"tax": {"rate": 0.13}}, "line.tax_factor[1:machine]"),
    (MONTH, {}, {"currency": "USD"}, "plan.currency"),
    (HOURLY, {}, {"horizon_months": 2}, "plan.horizon_months"),
    (HOURLY, {}, {"start": "2026-12-02"}, "plan.start"),
    (YEAR, {}, {"after_horizon": "stop"}, "plan.after_horizon"),
    (YEAR, {}, {"discount_rate": 0.11}, "totals.present_value"),
    (YEAR, {}, {"discount_rate": 0.0}, "totals.present_value"),
    # Quotas.
    (HOURLY, {}, {"quotas": [{"provider": "tencent", "max_gpus": 1}]}, "limits.quota_gpus[0:tencent/*/any]"),
    (SPOT, {}, {"quotas": [{"term": "spot", "max_nodes": 1}]}, "limits.quota_nodes[0:*/*/spot]"),
]


@pytest.mark.parametrize(("make", "work", "file", "check_id"), CASES, ids=[case[3] for case in CASES])
def test_another_question_has_another_answer(
    make: Callable[[], Plan], work: dict[str, Any], file: dict[str, Any], check_id: str
) -> None:
    assert check_id in [check.id for check in failed(asked_otherwise(make, work, **file))]


def owned_site(**changes: Any) -> Plan:
    """The bought machine's plan with other figures of the site or of the purchase."""
    plan = OWNED()
    site = dict(plan.inputs["owned"])
    purchase = {name: value for name, value in changes.items() if name not in site}
    site |= {name: value for name, value in changes.items() if name in site}
    site["may_buy"] = [{**site["may_buy"][0], **purchase}]
    return plan.model_copy(update={"inputs": {**plan.inputs, "owned": site}})


@pytest.mark.parametrize(
    ("changes", "check_id"),
    [
        # Two boxes of 6 kW x 1.25 are there from day 10: 15 kW.
        ({"site_power_kw": 14.9}, "limits.site_power"),
        ({"electricity_per_kwh": 0.9}, "needs.running_lines"),
        ({"pue": 1.2}, "needs.running_lines"),
        ({"price": 110000}, "line.unit_price[0:machine]"),
        ({"currency": "USD"}, "line.price_currency[0:machine]"),
        ({"lead_time_days": 11}, "needs.running_lines"),
        ({"residual_by_month": {"0": 1.0, "12": 0.8}}, "line.residual[0:machine]"),
        ({"idle_kw": 3}, "needs.running_lines"),
        ({"load_kw": 7}, "needs.running_lines"),
        ({"staff_per_month": 0}, "needs.running_lines"),
        ({"network_per_node": 0}, "needs.networks"),
    ],
)
def test_owned_machines_cost_what_the_file_says(changes: dict[str, Any], check_id: str) -> None:
    assert check_id in [check.id for check in failed(owned_site(**changes))]


def test_a_machine_that_may_not_be_shared_takes_whole_nodes_only() -> None:
    there = {**OWNED().inputs["owned"]["already"][0], "shareable": False}
    assert failed(owned_site(shareable=False)) == []  # the half box runs on the machine that is there
    assert "packing.units[owned/on-prem/box:owned]" in [check.id for check in failed(owned_site(already=[there]))]


def test_more_machines_than_may_be_bought() -> None:
    plan = OWNED()
    site = {**plan.inputs["owned"], "may_buy": [{**plan.inputs["owned"]["may_buy"][0], "max": 1}]}
    line = plan.purchases[0].model_copy(update={"count": 2})
    changed = plan.model_copy(
        update={"inputs": {**plan.inputs, "owned": site}, "purchases": (line, *plan.purchases[1:])}
    )
    assert "limits.may_buy[box]" in [check.id for check in failed(changed)]


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_nothing_is_raised_for_any_mixture_of_damage(data: st.DataObject) -> None:
    plan = data.draw(st.sampled_from(ALL_PLANS))().model_dump(mode="json", by_alias=True)
    places = list(leaves(plan))
    for _ in range(data.draw(st.integers(1, 6))):
        path, value = data.draw(st.sampled_from(places))
        others = [*altered(value), 0, -1, 10**6, "", None]
        plan = replaced(plan, path, data.draw(st.sampled_from(others)))
    with suppress(ValidationError):  # refused on reading, or answered check by check
        assert verify_plan(Plan.model_validate(plan), STORES)


def test_nothing_is_raised_for_nonsense() -> None:
    plan = HOURLY()
    assert failed(plan.model_copy(update={"inputs": {}}))[0].id == "plan.inputs"
    assert failed(plan.model_copy(update={"horizon_months": 10**6}))[0].id == "plan.inputs"
    for days in ({"end_day": 10**9}, {"start_day": -1}, {"count": 10**9}):
        broken = plan.purchases[0].model_copy(update=days)
        assert "_countable" in failed(plan.model_copy(update={"purchases": (broken,)}))[-1].id


def test_an_infeasible_plan_claims_nothing() -> None:
    plan = HOURLY()
    empty = {"assignments": (), "purchases": (), "usage": (), "cash_flow": (), "offers": (), "quotas": ()}
    none = plan.model_copy(update={"status": "infeasible", "cost": None, **empty})
    assert failed(none) == []
    assert "plan.empty" in [check.id for check in failed(none.model_copy(update={"purchases": plan.purchases}))]
    assert "plan.status" in [check.id for check in failed(none.model_copy(update={"status": "optimal"}))]


def test_a_rule_is_priced_once_at_each_figure() -> None:
    # Half of the total saved is a share of 1: saving ÷ (total − saving).
    plan = HOURLY()
    assert plan.cost is not None
    half = plan.cost.total / 2
    rows = [
        RulePrice(rule="ram-total", against=figure, saving=half, fraction=1.0, plan="") for figure in ("1.5×", "1×")
    ]
    assert failed(plan.model_copy(update={"rule_prices": tuple(rows)})) == []
    twice = failed(plan.model_copy(update={"rule_prices": (rows[0], rows[0])}))
    assert [check.id for check in twice] == ["totals.rule_prices"]
