"""Why an offer is not in a plan, on offers whose prices and memory are those of the catalog's sources."""

from decimal import Decimal

import pytest
from support import RUNPOD, STEADY, planner

from optimizer.app.why import Explained
from optimizer.catalog import load_catalog
from optimizer.domain.offer import Term
from optimizer.errors import InputError
from optimizer.explain.matching import target_of
from optimizer.explain.why import Answer, why

A10_60 = "alibaba/cn-beijing/ecs.gn7i-c16g1.4xlarge"
A10_30 = "alibaba/cn-beijing/ecs.gn7i-c8g1.2xlarge"
GT4 = "tencent/mainland/GT4.8XLARGE192"
GN10X = "tencent/mainland-low/GN10X.18XLARGE320"
LORA_7B = """
currency: CNY
model: {preset: llama-2-7b}
method: lora
sequence_length: 1024
global_batch_tokens: 65536
tokens: 5.0e7
deadline_days: 14
"""
FULL_13B = "currency: CNY\nmodel: {preset: llama-2-13b}\nmethod: full\ntokens: 1.0e8\nmax_nodes: 1\n"
A10_HOURS = "currency: CNY\nprofile: off\ngpu_hours: {gpu: A10, hours: 100}\nmax_nodes: 1\n"
TWO_WEEKS = (
    "currency: CNY\nprofile: off\ngpu_hours: {gpu: A100-SXM4-40GB, hours: 280}\nhours_per_day: 10\n"
    "deadline_days: 14\nmax_nodes: 1\n"
)


def asked(text: str, what: str, *offers: str) -> Answer:
    return why(planner(text, *offers, every_region=True), what)


def test_the_rule_it_fails_with_its_numbers() -> None:
    # RAM twice the card's 24 GB: 48 GB asked, 30 GiB there.
    answer = asked(LORA_7B, A10_30, A10_30, A10_60)
    assert answer.verdict == "rule"
    assert [rule.id for rule in answer.rules] == ["ram-total"]
    assert "30" in answer.rules[0].measured
    assert answer.rules[0].source


def test_it_is_in_the_plan() -> None:
    assert asked(LORA_7B, "A10", A10_60).verdict == "in_plan"
    assert asked(LORA_7B, "hourly", A10_60).verdict == "in_plan"


def test_the_extra_cost_of_a_term() -> None:
    # Two weeks at ten hours: 140 h x 57.28 = 8,019.20 by the hour; the month costs 27,496: 19,476.80 more.
    answer = asked(TWO_WEEKS, "month", GT4)
    assert (answer.verdict, answer.total, answer.extra_cost) == ("dearer", Decimal(27496), Decimal("19476.8"))
    assert "month" in answer.plan


def test_a_term_that_nobody_sells() -> None:
    assert asked(TWO_WEEKS, "week", GT4).verdict == "not_sold"


def test_a_term_that_is_sold_under_another_name() -> None:
    # aws publishes p4d.24xlarge for one year and three years reserved; nobody's list has a price a year.
    key = next(
        offer.key for offer in load_catalog().offers() if offer.provider == "aws" and offer.price(Term.RESERVED_1Y)
    )
    asking = planner(LORA_7B, A10_60, key, every_region=True)
    answer = why(asking, "year")
    plan, _ = asking.plan()
    explained = Explained(answer, plan, asking)
    assert answer.verdict == "not_sold"
    assert "As long and sold: reserved_1y" in explained.lines("en")[0]
    assert "reserved_3y" not in explained.lines("en")[0]
    assert "reserved_1y" in explained.lines("zh")[0]


def test_the_extra_cost_of_another_machine() -> None:
    # 100 hours of the same card at 10.0934 instead of 9.5326 CNY an hour: 56.08 more.
    answer = asked(A10_HOURS, "ecs.gn7i-c16g1.4xlarge", A10_30, A10_60)
    assert (answer.verdict, answer.total, answer.extra_cost) == ("dearer", Decimal("1009.34"), Decimal("56.08"))


def test_the_part_of_memory_that_does_not_fit() -> None:
    # 13.0e9 parameters in bf16 with AdamW are far beyond one 24 GB card.
    answer = asked(FULL_13B, A10_60, A10_60, "tencent/mainland/GT4.41XLARGE948")
    assert answer.verdict == "no_fit"
    assert answer.cause is not None
    assert answer.cause.misfit is not None
    assert (answer.cause.misfit.misfit.needed_gib or 0) > answer.cause.misfit.misfit.usable_gib


def test_the_filter_that_takes_it_out() -> None:
    answer = asked(LORA_7B + "countries: [US]\n", A10_60, A10_60, "gcp/us-central1/a2-highgpu-1g")
    assert answer.verdict == "filtered"
    assert answer.cause is not None
    assert "countries US" in answer.cause.filter


def test_spot_needs_work_that_may_be_interrupted() -> None:
    assert asked(LORA_7B, "spot", A10_60, "gcp/us-central1/a2-highgpu-1g").verdict == "not_interruptible"


def test_too_slow_for_its_days() -> None:
    # 280 GPU-hours on 2 GPUs are 140 h; in 13 days of 10 h there are 130. On 8 GPUs it would be 35 h.
    text = TWO_WEEKS.replace("deadline_days: 14", "deadline_days: 13")
    other = "tencent/mainland/GT4.41XLARGE948"
    answer = asked(text, GT4, GT4, other)
    assert answer.verdict == "too_slow"


def test_over_the_budget_with_what_it_would_cost() -> None:
    answer = asked(TWO_WEEKS + "budget: 9000\n", "month", GT4)
    assert (answer.verdict, answer.extra_cost) == ("over_budget", Decimal("19476.8"))


def test_same_cost_and_the_level_that_decided() -> None:
    # The same machine at the same price in two regions: only the name's order is left.
    second = "alibaba/cn-shanghai/ecs.gn7i-c16g1.4xlarge"
    answer = asked(A10_HOURS, second, A10_60, second)
    assert (answer.verdict, answer.tie_level) == ("same_cost", "lexical")


def test_names_that_mean_nothing_are_refused_with_the_nearest() -> None:
    catalog = planner(LORA_7B, A10_60).catalog
    with pytest.raises(InputError, match="A10"):
        target_of("A11", catalog)
    with pytest.raises(InputError, match=r"alibaba/cn-beijing"):
        target_of("alibaba/cn-beijing/ecs.gn7i-c16g1.4xlarg", catalog)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("year", "term"),
        ("包月", "term"),
        ("alibaba", "provider"),
        ("alibaba/*/ecs.gn7i*", "offer"),
        ("ecs.gn7i-c16g1.4xlarge", "instance_type"),
        ("A10", "gpu"),
        ("A10:1", "gpu"),
    ],
)
def test_what_a_name_means(text: str, kind: str) -> None:
    assert target_of(text, planner(LORA_7B, A10_60).catalog).kind == kind


def test_a_pattern_means_every_instance_type_and_every_gpu_of_that_name() -> None:
    # `gh200-1x` is an instance type of one seller; another's `gpu_1x_gh200` carries the same GPU under another name.
    target = target_of("GH200*", load_catalog())
    named = {
        (offer.provider, offer.machine.instance_type)
        for offer in load_catalog().select(lambda sale: True)
        if target.names(offer.key, offer.provider, offer.machine)
    }
    assert {("coreweave", "gh200-1x"), ("lambda", "gpu_1x_gh200")} <= named


def test_a_term_is_asked_of_one_workload_at_a_time() -> None:
    # Two jobs of 280 h on one machine each, 36,727.60 by the hour; one of them by the month is 37,800: 1,072.40 more.
    job = "gpu_hours: {gpu: V100-SXM2-32GB, hours: 2240}, deadline_days: 12, max_nodes: 1, exclusive: true"
    text = f"currency: CNY\nprofile: off\nworkloads:\n  - {{name: a, {job}}}\n  - {{name: b, {job}}}\n"
    answer = asked(text, "month", GN10X)
    assert (answer.verdict, answer.total, answer.extra_cost) == ("dearer", Decimal("74527.6"), Decimal("1072.4"))


@pytest.mark.parametrize("what", ["owned", "hgx-h100-8", "owned/*"])
def test_a_machine_that_stands_later_is_used_with_others_before_it(what: str) -> None:
    # The price is a constant of every plan that buys the one server: the best of them is the same at any price, and at
    # a price of 1 it is the plan itself. At 100,000 it costs 99,999 more than then.
    cheap, _ = planner(STEADY.replace("PRICE", "1"), RUNPOD).plan()
    assert cheap.cost is not None
    assert {a.provider for a in cheap.assignments} == {"runpod", "owned"}
    answer = asked(STEADY.replace("PRICE", "100000"), what, RUNPOD)
    assert (answer.verdict, answer.total) == ("dearer", cheap.cost.total + 99_999)
    assert answer.is_proven
    assert "runpod" in answer.plan
    assert "owned" in answer.plan


def test_limits_on_money_stay_what_they_are_while_it_is_made_to_be_used() -> None:
    # A whole budget of the price alone leaves nothing for the rest: only money stands against it.
    answer = asked("budget: 100000\n" + STEADY.replace("PRICE", "100000"), "owned", RUNPOD)
    assert answer.verdict == "over_budget"
    # A month's limit below the price, which is paid at once: it would cost what it costs without the limit.
    tight = asked("monthly_budget: 90000\n" + STEADY.replace("PRICE", "100000"), "owned", RUNPOD)
    # A budget (and a month's) that suffices changes nothing.
    free = asked(STEADY.replace("PRICE", "100000"), "owned", RUNPOD)
    wide = asked("budget: 200000\nmonthly_budget: 150000\n" + STEADY.replace("PRICE", "100000"), "owned", RUNPOD)
    assert (wide.verdict, wide.total) == ("dearer", free.total)
    assert (tight.verdict, tight.total) == ("over_budget", free.total)


ALREADY = """
currency: CNY
profile: off
gpu_hours: {gpu: A10, hours: 100}
max_nodes: 1
owned:
  electricity_per_kwh: 1
  already:
    - {name: Lab-1, gpu: A10, gpus: 1, count: 1, load_kw: 2, idle_kw: 0}
"""


def test_an_own_machine_goes_by_the_name_that_the_file_gives_it() -> None:
    answer = asked(ALREADY, "lab-1", A10_30)
    # 100 h x 2 kW x 1 CNY = 200 CNY of energy against 953.26 for the rent.
    assert (answer.verdict, answer.target.kind, answer.total) == ("in_plan", "machine", Decimal(200))
    dear = asked(ALREADY.replace("electricity_per_kwh: 1", "electricity_per_kwh: 10"), "Lab-*", A10_30)
    # At 10 CNY a kWh it is 2,000: 1,046.74 more than 100 h x 9.5326.
    assert (dear.verdict, dear.total, dear.extra_cost) == ("dearer", Decimal(2000), Decimal("1046.74"))


def test_a_near_name_of_an_own_machine_is_suggested() -> None:
    with pytest.raises(InputError, match="Lab-1"):
        asked(ALREADY, "lab1", A10_30)


def test_where_both_plans_lack_prices_neither_total_is_more_than_a_floor() -> None:
    # Nobody states what storage and egress cost at autodl and omniyq. The month of omniyq's machine is 25,000 CNY.
    text = LORA_7B.replace("currency: CNY", "currency: CNY\nprofile: off") + "dataset_gb: 100\n"
    one = planner(text, "autodl/cn/RTX PRO 6000 x1", "omniyq/cn/baremetal 8x A100", every_region=True)
    answer, (plan, _) = why(one, "omniyq/*"), one.plan()
    assert answer.verdict == "incomplete_both"
    assert answer.total == Decimal(25000)
    assert plan.cost is not None
    assert answer.extra_cost == 25000 - plan.cost.total
    verdict, left_out, of_plan, *_ = Explained(answer, plan, one).lines("en")
    assert "costs at least 25,000.00 CNY" in verdict
    assert "storage on omniyq/cn/baremetal 8x A100" in left_out
    assert "storage on autodl/cn/RTX PRO 6000 x1" in of_plan
