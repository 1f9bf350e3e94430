"""Three habits of buying on a few named offers, against prices of their sources."""

from decimal import Decimal

from support import planner

from optimizer.app.plan import check
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
