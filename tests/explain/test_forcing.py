"""Plans made to use something are compared like with like: every price known first, then those that lack one.

Prices of an hour (USD, as the catalog has them from the sellers' pages): lambda 1 GH200 2.29, runpod 1 H100 2.69, vast
2 H100 3.74; vast states no price of storage or egress.
"""

from decimal import Decimal

import pytest
from support import plan, planner

from optimizer.app.why import Explained
from optimizer.domain.text import Language
from optimizer.errors import NoPlanInTime
from optimizer.explain.forcing import Asking, Forced, Question, ask, forced
from optimizer.explain.matching import target_of
from optimizer.explain.replan import without_money_limits
from optimizer.explain.using import HeldSearch
from optimizer.explain.why import Answer, _Asked, why
from optimizer.planning.search import complete_only

GH200, H100, VAST = "lambda/global/gpu_1x_gh200", "runpod/global/1x_H100-SXM_community", "vast/US/2x-H100_SXM"
TUNING = (
    "model: {preset: llama-2-7b}, method: lora, lora: {rank: 16, targets: all}, sequence_length: 1024, "
    "global_batch_tokens: 65536, tokens: 2.0e8, deadline_days: 14, dataset_gb: 5"
)
ONE = f"currency: USD\nworkloads:\n  - {{name: a, {TUNING}}}\n"
TWO = f"{ONE}  - {{name: b, exclusive: true, {TUNING.replace('2.0e8', '6.0e8')}}}\n"


def alone(text: str, *offers: str) -> Decimal:
    found = plan(text, *offers)
    assert found.cost is not None
    total: Decimal = found.cost.total
    return total


def test_a_complete_plan_over_the_budget_comes_before_one_that_lacks_a_price() -> None:
    one = planner(f"budget: 10\n{ONE}", GH200, H100, VAST, every_region=True)
    answer = why(one, "H100")
    # 3.9 h are billed as 4: 4 x 2.69 = 10.76 USD, and a few cents for 5 GB; 2 h x 3.74 = 7.48 without storage.
    complete = alone(ONE, H100)
    assert Decimal("10.76") < complete < Decimal("10.80")
    assert (answer.verdict, answer.total, answer.missing) == ("over_budget", complete, ())
    assert answer.over == (("budget", complete - 10),)
    assert answer.extra_cost == complete - alone(ONE, GH200)
    assert answer.unpriced is not None
    assert answer.unpriced.total == Decimal("7.48")
    assert answer.unpriced.missing == (f"a: egress on {VAST}", f"a: storage on {VAST}")
    assert answer.is_proven
    said: list[tuple[Language, str]] = [("en", "over your budget"), ("zh", "超出预算")]
    for language, words in said:
        verdict, beside, *_ = Explained(answer, one.plan()[0], one).lines(language)
        assert words in verdict
        assert "7.48" in beside


def test_within_the_budget_the_complete_plan_alone_is_told() -> None:
    answer = why(planner(f"budget: 11\n{ONE}", GH200, H100, VAST, every_region=True), "H100")
    assert (answer.verdict, answer.total, answer.unpriced) == ("dearer", alone(ONE, H100), None)


def test_only_the_use_that_is_asked_for_may_lack_a_price() -> None:
    answer = why(planner(TWO, GH200, VAST, every_region=True), "vast")
    # Each workload held to vast in turn, the other one where every line has a price; both on vast would be cheaper.
    held = [alone(TWO.replace(f"name: {name}", f"name: {name}, providers: [vast]"), GH200, VAST) for name in ("a", "b")]
    one_each = [
        alone(
            TWO.replace("name: a", "name: a, providers: [vast]").replace("name: b", "name: b, providers: [lambda]"),
            GH200,
            VAST,
        ),
        alone(
            TWO.replace("name: b", "name: b, providers: [vast]").replace("name: a", "name: a, providers: [lambda]"),
            GH200,
            VAST,
        ),
    ]
    assert min(held) < min(one_each)
    assert (answer.verdict, answer.total) == ("incomplete", min(one_each))
    assert len({line.split(":")[0] for line in answer.missing}) == 1


def test_the_cheapest_of_several_workloads_is_the_least_of_each_held_alone() -> None:
    answer = why(planner(TWO, GH200, H100, every_region=True), "H100")
    held = [
        alone(TWO.replace(f"name: {name}", f'name: {name}, gpus: {{allow: ["H100*"]}}'), GH200, H100)
        for name in ("a", "b")
    ]
    assert (answer.verdict, answer.total, answer.gap) == ("dearer", min(held), Decimal(0))


def test_a_month_over_its_budget_says_by_how_much() -> None:
    answer = why(planner(f"monthly_budget: 10\n{ONE}", GH200, H100, every_region=True), "H100")
    assert (answer.verdict, answer.over) == ("over_budget", (("monthly_budget", alone(ONE, H100) - 10),))


def test_a_plan_found_without_the_limits_that_keeps_them_is_not_called_over_them() -> None:
    one = planner(f"budget: 100\n{ONE}", GH200, H100, every_region=True)
    found, outcome = one.plan()
    base = Answer(target_of("GH200", one.catalog), "")
    asked = _Asked(one, base, found, outcome, is_usable=True)
    asked.is_open = True
    answer = asked._over(Forced(outcome, outcome.cost_micros))
    assert (answer.verdict, answer.over, answer.is_open) == ("same_cost", (), False)


def test_what_the_clock_leaves_open_is_told_as_the_share_that_it_may_be_cheaper() -> None:
    _, outcome = planner(ONE, GH200).plan()
    found = Forced(outcome, outcome.cost_micros * 3 // 4)
    assert not found.is_proven
    assert float(found.gap) == pytest.approx(0.25, abs=1e-6)
    answer = Answer(target_of("GH200", planner(ONE, GH200).catalog), "dearer", gap=found.gap, total=Decimal(1))
    told = Explained(answer, planner(ONE, GH200).plan()[0], planner(ONE, GH200)).lines("en")
    assert any("up to 25% cheaper" in line for line in told)


def test_nothing_is_claimed_where_there_is_no_time() -> None:
    one = planner(ONE, GH200, H100)
    asking = Asking(one, target_of("H100", one.catalog), one.plan()[1])
    with pytest.raises(NoPlanInTime, match="H100"):
        forced(asking, 0.0)


def test_a_question_whose_least_cost_is_above_a_plan_at_hand_needs_no_solve() -> None:
    one = planner(ONE, GH200, H100)
    _, cheap = one.plan()
    dear = Question(0, HeldSearch(one.search), complete_only(lambda candidate: candidate.supply.key == H100))
    answer = ask(one, dear, 10.0, cheap, None, 0.0)
    assert answer is not None
    assert (answer.has_plan, answer.assembly, answer.empty_works) == (False, None, (0,))


def test_the_limits_of_the_file_stay_what_they_were() -> None:
    one = planner(f"budget: 10\n{ONE}", GH200, H100)
    assert without_money_limits(one).file.budget is None
    assert one.file.budget == 10
