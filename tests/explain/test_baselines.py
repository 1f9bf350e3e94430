"""Three habits of buying on a few named offers, against prices of their sources."""

from decimal import Decimal

import pytest
from support import planner

from optimizer.app.habits import with_habits
from optimizer.app.plan import check
from optimizer.domain.plan import HabitBaseline
from optimizer.explain.baselines import HabitPlan, baselines

A10_60 = "alibaba/cn-beijing/ecs.gn7i-c16g1.4xlarge"  # 10.0934 CNY an hour
A10_30 = "alibaba/cn-beijing/ecs.gn7i-c8g1.2xlarge"  # 9.5326 CNY an hour, memory below the rule
JOB = "currency: CNY\ngpu_hours: {gpu: A10, hours: 100}\nmax_nodes: 1\n"


def habits(text: str, *offers: str) -> dict[str, HabitPlan]:
    asked = planner(text, *offers)
    _, outcome = asked.plan()
    found = {one.habit: one for one in baselines(asked, outcome)}
    for one in found.values():
        if one.plan is not None:
            check(one.plan, asked.catalog)
    return found


def test_the_cheapest_hour_breaks_a_rule_and_says_which() -> None:
    found = habits(JOB, A10_30, A10_60)["cheapest_hour"]
    assert found.plan is not None
    assert found.plan.cost is not None
    # 100 hours x 9.5326; 30 GiB of memory are less than twice the card's 24 GB.
    machines = sum(line.cost for line in found.plan.purchases if line.kind == "machine")
    assert machines == Decimal("953.26")
    assert "ram-total" in found.broken


def test_a_price_list_sorted_by_price_gives_the_same_here() -> None:
    found = habits(JOB, A10_30, A10_60)
    assert found["catalog_tool"].plan == found["cheapest_hour"].plan


def test_nobody_sells_a_card_of_80_gb_here() -> None:
    assert habits(JOB, A10_30, A10_60)["naive"].plan is None


def test_habits_pay_by_the_hour_even_where_the_month_is_cheaper() -> None:
    # 300 h x 131.17 = 39,351 by the hour; the plan takes the month for 37,800.
    job = (
        "currency: CNY\nprofile: off\ngpu_hours: {gpu: V100-SXM2-32GB, hours: 2400}\ndeadline_days: 31\nmax_nodes: 1\n"
    )
    found = habits(job, "tencent/mainland-low/GN10X.18XLARGE320")["cheapest_hour"]
    assert found.plan is not None
    assert found.plan.cost is not None
    assert found.plan.cost.total == Decimal(39351)


V100 = "tencent/mainland-low/GN10X.18XLARGE320"
V100_JOB = (
    "currency: CNY\nprofile: off\ngpu_hours: {gpu: V100-SXM2-32GB, hours: 2400}\ndeadline_days: 31\nmax_nodes: 1\n"
)


def beside(text: str, *offers: str) -> dict[str, HabitBaseline]:
    asked = planner(text, *offers)
    plan, outcome = asked.plan()
    told = with_habits(asked, plan, outcome, check)
    check(told, asked.catalog)
    return {one.kind: one for one in told.baselines}


def test_a_habit_within_the_rules_stands_beside_the_plan_with_its_saving() -> None:
    found = beside(V100_JOB, V100)
    assert list(found) == ["cheapest_hour", "catalog_tool"]
    for habit in found.values():
        # 300 h x 131.17 = 39,351 by the hour; the plan pays 37,800 for the month: 1,551 less, 3.94 % of 39,351.
        assert (habit.status, habit.cost, habit.saving) == ("verified", Decimal(39351), Decimal(1551))
        assert habit.saving_fraction == pytest.approx(0.0394145, abs=1e-6)
        assert V100 in habit.description


def test_a_habit_that_breaks_a_rule_says_so_and_saves_nothing() -> None:
    habit = beside(JOB, A10_30, A10_60)["cheapest_hour"]
    assert A10_30 in habit.description
    assert "ram-total" in habit.broken
    assert habit.cost is not None
    assert (habit.saving, habit.saving_fraction) == (None, None)


MODEL_JOB = """currency: CNY
model: {preset: llama-2-7b}
method: lora
lora: {rank: 16, targets: all}
precision: bf16
sequence_length: 1024
global_batch_tokens: 65536
tokens: 2.0e8
deadline_days: 14
dataset_gb: 5
"""


def test_a_habit_whose_storage_has_no_price_saves_nothing() -> None:
    # RunPod states prices of storage and traffic, AutoDL none for either.
    found = beside(MODEL_JOB, "runpod/global/1x_A40_secure", "autodl/cn/RTX 3090 x1")
    habit = found["cheapest_hour"]
    assert "autodl" in habit.description
    assert habit.missing == ("storage", "egress")
    assert (habit.broken, habit.saving) == ((), None)
    assert found["catalog_tool"].saving == 0, "a 3090 has half of an A40's memory, so the price list gives the plan"


@pytest.mark.parametrize(("is_proven", "status"), [(False, "late"), (True, "no_plan")])
def test_what_the_clock_cut_short_is_not_called_impossible(
    is_proven: bool, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = planner(JOB, A10_60)
    plan, outcome = asked.plan()
    nothing = [HabitPlan("cheapest_hour", None, is_proven=is_proven)]
    monkeypatch.setattr("optimizer.app.habits.baselines", lambda *_: iter(nothing))
    (told,) = with_habits(asked, plan, outcome, check).baselines
    assert (told.status, told.cost) == (status, None)
