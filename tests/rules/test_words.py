"""Explanations, advice and contract lines: said where their trigger holds, and only there."""

from typing import Any

import pytest

from optimizer.domain.text import Text
from optimizer.rules import HotStorage, Policy, judge
from optimizer.rules.advice import ADVICE, PlanFacts, Rival, plan_advice
from optimizer.rules.contract_lines import CONTRACT_LINES, least_cuda
from optimizer.rules.examples import build
from optimizer.rules.explanations import EXPLANATIONS, explanations
from optimizer.rules.figures import figure_in_chinese
from optimizer.rules.rule import Example
from optimizer.rules.statements import STATEMENTS
from tests.rules.test_examples import placeholders


def _said(example: Example) -> set[str]:
    context = build(example)
    return {said.id for said in explanations(context, judge(context, Policy()))}


#: Healthy: 8 cores a GPU, ECC, memory well used.
HEALTHY: dict[str, Any] = {"shape": "34B", "fit": {"total": 75.0, "usable": 80.0}}


def test_a_healthy_machine_gets_no_explanation() -> None:
    assert _said(Example(context=HEALTHY)) == set()


@pytest.mark.parametrize(
    ("explanation", "example"),
    [
        ("gpu-oom-big-card", Example(context=HEALTHY | {"fit": {"total": 40.0, "usable": 80.0}})),
        ("host-oom-loading", Example(machine={"ram_gib": 64.0}, context=HEALTHY)),  # less than 80 GB of GPU memory
        ("host-oom-loading", Example(context=HEALTHY | {"fit": {"total": 75.0, "usable": 80.0, "host": 300.0}})),
        ("low-utilization", Example(context=HEALTHY | {"fit": {"total": 75.0, "usable": 80.0, "cores": 40.0}})),
        ("not-reproducible", Example(machine={"ecc": False}, context=HEALTHY)),
        ("not-reproducible", Example(machine={"ecc": None, "provider": "vast"}, context=HEALTHY)),
        ("part-of-its-worth", Example(machine={"ecc": False, "ram_gib": 90.0}, context=HEALTHY)),
        ("mem-bandwidth", Example(context={"shape": "34B", "fit": {"total": 75.0, "binds": "memory_bandwidth"}})),
        ("faq-13b", Example(context=HEALTHY | {"shape": "13B"})),  # checkpointing on one card
        (
            "loss-at-half-rate",
            Example(machine={"gpu_count": 8, "cores": 8.0}, context=HEALTHY | {"gpus_used_per_node": 8}),
        ),
        ("throttling", Example(context=HEALTHY | {"owned": True, "load_kw": 20.0, "site_power_kw": 10.0})),
    ],
)
def test_explanations_appear_with_their_trigger(explanation: str, example: Example) -> None:
    assert explanation in _said(example)


@pytest.mark.parametrize("explanation", EXPLANATIONS, ids=[one.id for one in EXPLANATIONS])
def test_explanations_speak_both_languages(explanation: Any) -> None:
    assert placeholders(explanation.text.en) == placeholders(explanation.text.zh)


# --- advice beside a plan ----------------------------------------------------------------------------------------


def _advised(**facts: Any) -> dict[str, str]:
    return {said.id: said.say("en") for said in plan_advice(PlanFacts(gpu="A100-SXM4-80GB", **facts))}


def test_unknown_facts_give_no_advice() -> None:
    assert _advised() == {}


@pytest.mark.parametrize(
    ("facts", "reached"),
    [
        # D0: two weeks and more, over 10 hours a day, and firm needs.
        ({"days": 14, "hours_per_day": 11, "firm_io": True}, True),
        ({"days": 13, "hours_per_day": 11, "firm_io": True}, False),
        ({"days": 14, "hours_per_day": 10, "firm_io": True}, False),
        ({"days": 14, "hours_per_day": 11}, False),
        ({"steady_months": 6, "hours_per_day": 12, "firm_io": True}, True),
    ],
)
def test_the_documents_break_even_is_a_trigger(facts: dict[str, Any], reached: bool) -> None:
    advised = _advised(**facts)
    assert ("break-even" in advised) is reached
    if reached:
        assert "trigger, not the break-even" in advised["break-even"]
        assert "unknown months" in advised["break-even"]


@pytest.mark.parametrize(("days", "given"), [(20, False), (30, True), (90, True), (120, False)])
def test_one_to_three_months_are_short_rents(days: float, given: bool) -> None:
    assert ("short-rent" in _advised(days=days)) is given


@pytest.mark.parametrize(
    ("months", "known", "given"), [(12, False, True), (12, True, False), (11, False, False), (12, None, False)]
)
def test_yearly_prices_are_asked_for_where_none_is_published(months: int, known: bool | None, given: bool) -> None:
    assert ("year-rent" in _advised(steady_months=months, year_price_known=known)) is given


def test_generations_are_compared_with_numbers() -> None:
    dearer = Rival("B200-SXM-180GB", 1.25, "12,500 USD")
    assert "25 % more" in _advised(newer=dearer)["mature-generation"]
    assert "mature A100-SXM4-80GB is the cheaper" in _advised(newer=dearer)["mature-generation"]
    older = Rival("V100-SXM2-32GB", 1.5, "15,000 USD")
    assert "50 % more" in _advised(mature=older)["mature-generation"]
    assert "A100-SXM4-80GB is cheaper for this work" in _advised(mature=older)["mature-generation"]


def test_the_fastest_plan_is_shown_where_it_is_faster() -> None:
    rival = Rival("H100-SXM5-80GB", 1.4, "14,000 USD", days=3.0)
    assert "in 3 days instead of 7" in _advised(days=7.0, fastest=rival)["compute-priority"]
    assert "compute-priority" not in _advised(days=3.0, fastest=rival)


def test_the_saving_stands_beside_what_the_document_claims() -> None:
    assert _advised(saving=0.42)["saving"].startswith("42 % less")


@pytest.mark.parametrize("advice", ADVICE, ids=[one.id for one in ADVICE])
def test_advice_speaks_both_languages(advice: Any) -> None:
    assert placeholders(advice.text.en) == placeholders(advice.text.zh)


# --- statements and contract lines -------------------------------------------------------------------------------


def test_statements_and_contract_lines_speak_both_languages() -> None:
    texts: list[Text | None] = [text for one in STATEMENTS for text in (one.text, one.shows)]
    texts += [text for line in CONTRACT_LINES for text in (line.clause, line.reads, line.threshold)]
    for text in texts:
        assert text is None or (text.en and text.zh)


def test_a_command_says_what_it_reads_and_what_it_must_show() -> None:
    for line in CONTRACT_LINES:
        assert (line.command is None) == (line.reads is None) == (line.threshold is None)


@pytest.mark.parametrize(
    ("capability", "cuda"),
    [
        (8.0, "11.8"),  # the framework's own floor (PyTorch 2.1)
        (8.9, "11.8"),
        (9.0, "11.8"),
        (10.0, "12.8"),  # Blackwell data center: CUDA 12.8
        (10.3, "12.9"),  # B300: CUDA 12.9
        (12.0, "12.8"),  # RTX Blackwell: CUDA 12.8
        (None, None),
    ],
)
def test_least_cuda_by_gpu(capability: float | None, cuda: str | None) -> None:
    assert least_cuda(capability) == cuda


def test_our_own_words_are_chinese_in_chinese() -> None:
    """What bounds a run and how a quoted volume is called are words of ours, not names of a product."""
    quoted = HotStorage(kind="volume", product="quoted storage")
    context = build(Example(context={"fit": {"binds": "memory_bandwidth"}, "storage": quoted}))
    found = {finding.id: finding for finding in judge(context, Policy())}
    assert found["io-impact"].message_zh == "瓶颈为 显存带宽，不是数据输入。"
    assert found["nvme-hot"].message_zh.startswith("按报价的存储 未标明速率；")
    assert found["nvme-hot"].message_en.startswith("quoted storage states no rate;")
    assert figure_in_chinese(found["nvme-hot"].measured) == "按报价的存储, 未知 GB/s"
