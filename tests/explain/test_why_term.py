"""The best plan that uses a term is the best of the whole portfolio: work may share a unit, or be there in part.

Prices of tencent's GN10X.18XLARGE320 (8 V100) are those of the catalog: an hour 131.17, a month 37,800 CNY.
"""

from decimal import Decimal

from support import plan, planner

from optimizer.app.why import Explained
from optimizer.explain.why import Answer, why

GN10X = "tencent/mainland-low/GN10X.18XLARGE320"
HEAD = "currency: CNY\nprofile: off\n"


def job(name: str, hours: int, more: str) -> str:
    work = f"gpu_hours: {{gpu: V100-SXM2-32GB, hours: {8 * hours}}}"
    return f"  - {{name: {name}, {work}, {more}}}\n"


def asked(text: str, what: str) -> Answer:
    return why(planner(text, GN10X, every_region=True), what)


def test_one_unit_serves_two_jobs_one_after_the_other() -> None:
    # Twice 140 h x 131.17 = 36,727.60 by the hour. The month of December holds both jobs: 37,800, 1,072.40 more.
    jobs = job("a", 140, "deadline_days: 12, max_nodes: 1") + job(
        "b", 140, "starts_day: 14, deadline_days: 12, max_nodes: 1"
    )
    answer = asked(f"{HEAD}workloads:\n{jobs}", "month")
    assert (answer.verdict, answer.total, answer.extra_cost) == ("dearer", Decimal(37800), Decimal("1072.4"))
    assert answer.is_proven


def test_one_unit_of_a_cluster_is_a_use() -> None:
    # 280 h of machine in 7 days (168 h) take two machines for 140 h each. One by the month, the other by the hour:
    # 37,800 + 140 x 131.17 = 56,163.80, against 36,727.60 for both by the hour.
    text = f"{HEAD}workloads:\n{job('a', 280, 'deadline_days: 7, max_nodes: 2')}"
    answer = asked(text, "month")
    assert (answer.verdict, answer.total, answer.extra_cost) == ("dearer", Decimal("56163.8"), Decimal("19436.2"))
    assert answer.is_proven


def test_it_costs_what_the_same_unit_costs_as_a_commitment() -> None:
    # What is committed from the first day is had for nothing more: the rest of the plan, and 37,800 for the month.
    jobs = job("a", 200, "deadline_days: 12, max_nodes: 2") + job(
        "b", 90, "starts_day: 20, deadline_days: 10, max_nodes: 1"
    )
    text = f"{HEAD}workloads:\n{jobs}"
    answer = asked(text, "month")
    held = f"{{offer: {GN10X}, term: month, count: 1, starts: 2026-12-01, ends: 2027-01-01}}"
    committed = plan(f"{text}commitments: [{held}]\n", GN10X)
    assert committed.cost is not None
    assert answer.total == committed.cost.total + 37_800


def test_an_own_machine_is_used_as_soon_as_one_repetition_runs_there() -> None:
    # It stands from day 31 on: the first of three repetitions pays 40 h x 131.17 = 5,246.80, the others nothing but the
    # price of 100,000: 105,246.80. All three by the hour are 15,740.40, which is 89,506.40 less.
    box = "{server: box, gpu: V100-SXM2-32GB, gpus: 8, price: 100000, load_kw: 6, lead_time_days: 31, max: 1}"
    text = f"{HEAD}horizon_months: 4\nowned: {{electricity_per_kwh: 0, may_buy: [{box}]}}\nworkloads:\n" + job(
        "a", 40, "deadline_days: 12, max_nodes: 1, repeats: {every_months: 1, times: 3}"
    )
    answer = asked(text, "owned")
    assert (answer.verdict, answer.total, answer.extra_cost) == ("dearer", Decimal("105246.8"), Decimal("89506.4"))
    assert answer.is_proven


def test_where_a_workload_is_held_as_a_whole_the_answer_says_so() -> None:
    # 300 h x 131.17 = 39,351 by the hour, so the month of 37,800 is the plan. To be had by the hour the
    # whole job is: 1,551 more, although a plan could have a machine by the hour on one day of it.
    text = f"{HEAD}workloads:\n{job('a', 300, 'deadline_days: 14, max_nodes: 1')}"
    one = planner(text, GN10X, every_region=True)
    answer = why(one, "on_demand")
    assert (answer.verdict, answer.extra_cost, answer.holds_whole_work) == ("dearer", Decimal(1551), True)
    told = Explained(answer, one.plan()[0], one)
    assert any("from its first day to its last" in line for line in told.lines("en"))
    assert any("自始至终" in line for line in told.lines("zh"))
    assert told.to_json()["holds_whole_workload"]
