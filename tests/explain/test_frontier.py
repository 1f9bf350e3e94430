"""Cost against time on one card by the hour: every point worked by hand."""

from decimal import Decimal

from support import planner

from optimizer.explain.frontier import frontier, smallest_budget

A10 = "alibaba/cn-beijing/ecs.gn7i-c16g1.4xlarge"  # 10.0934 CNY an hour, one A10
#: 100 GPU-hours. 1 node: 4 x 24 + 4 h, day 4. 2 nodes: 50 h each, day 2. 3 nodes: 24 h and 9.33 h, billed 34 h each,
#: day 1. So 1 and 2 nodes cost 100 h, 3 nodes 102 h.
JOB = "currency: CNY\nprofile: off\ngpu_hours: {gpu: A10, hours: 100}\ndeadline_days: 20\nmax_nodes: 3\n"
HOUR = Decimal("10.0934")


def test_every_step_of_cost_against_the_last_finish() -> None:
    found = frontier(planner(JOB, A10), 60)
    assert found.is_complete
    assert [(point.finish_day, point.cost) for point in found.points] == [(2, 100 * HOUR), (1, 102 * HOUR)]


def test_points_above_the_budget_are_marked() -> None:
    found = frontier(planner(JOB + "budget: 1020\n", A10), 60)
    # 100 h = 1,009.34 lie within 1,020, 102 h = 1,029.53 do not.
    assert [point.within_budget for point in found.points] == [True, False]


def test_the_smallest_budget_is_the_least_cost_whatever_the_budget_says() -> None:
    assert smallest_budget(planner(JOB, A10)) == 100 * HOUR
    assert smallest_budget(planner(JOB + "budget: 1\n", A10)) == 100 * HOUR


def test_no_budget_helps_where_days_are_missing() -> None:
    assert smallest_budget(planner(JOB.replace("deadline_days: 20", "deadline_days: 1"), A10)) is None


def test_steady_work_has_no_earlier_finish() -> None:
    steady = (
        "horizon_months: 2\nmodel: {preset: llama-2-7b}\nmethod: lora\nsequence_length: 1024\ntokens_per_month: 1.0e8\n"
    )
    found = frontier(planner("currency: CNY\n" + steady, A10), 60)
    assert found.points == ()
    assert found.is_complete


def test_a_plan_without_a_price_never_takes_the_place_of_one_with_every_price() -> None:
    # The A40 has every price; the A100 is quicker and its hours cost less, but its storage and egress have no price.
    job = (
        "currency: CNY\nprofile: off\nmodel: {preset: llama-2-7b}\nmethod: lora\nsequence_length: 1024\n"
        "tokens: 2e9\nmax_nodes: 1\nbudget: 300\n"
    )
    found = frontier(planner(job, "runpod/global/1x_A40_secure", "matpool/cn/A100 40GB PCIe x1"), 60)
    assert found.is_complete
    priced, floor = found.points
    assert (priced.missing, floor.missing) == ((), ("storage", "egress"))
    assert "A40" in priced.description
    assert floor.finish_day < priced.finish_day
    assert floor.cost < 300 < priced.cost
    assert (priced.within_budget, floor.within_budget) == (False, None)
