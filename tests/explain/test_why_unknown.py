"""What nobody states is told as not known: a card's speed in a precision, the price of a machine."""

import pytest
from support import planner

from optimizer.app.why import Explained
from optimizer.explain import texts
from optimizer.explain.causes import MISFITS, ORDER
from optimizer.explain.why import Answer, why
from optimizer.sizing.misfit import LAYOUT, PARTS, PRECISION

A10 = "alibaba/cn-beijing/ecs.gn7i-c16g1.4xlarge"
T4 = "alibaba/ap-northeast-1/ecs.gn6i-c4g1.xlarge"
LORA = """
currency: CNY
model: {preset: llama-2-7b}
method: lora
sequence_length: 1024
global_batch_tokens: 65536
tokens: 5.0e7
deadline_days: 14
"""


def told(what: str, *offers: str) -> tuple[Answer, str, str]:
    """The answer, and its first lines in English and in Chinese."""
    one = planner(LORA, A10, *offers, every_region=True)
    answer = why(one, what)
    explained = Explained(answer, one.plan()[0], one)
    return answer, explained.lines("en")[0], explained.lines("zh")[0]


def test_a_card_without_a_rate_in_the_precision_is_told_so() -> None:
    # NVIDIA's datasheet of the T4 (Turing) states FP16 and INT8 and no BF16, in which a run computes unless it says so.
    answer, english, chinese = told("T4", T4)
    assert answer.verdict == "precision_unknown"
    assert "no bf16 rate of T4 is on record" in english
    assert "T4 没有 bf16 算力记录" in chinese
    assert "GiB" not in english + chinese


def test_a_machine_whose_price_nobody_states_is_not_called_unsold() -> None:
    # catalogs/offers/huawei/prices.csv names the machine and has no amount (docs/catalog.md: its price is not known).
    answer, english, chinese = told("huawei", "huawei/otc-eu/pi2.2xlarge.4")
    assert (answer.verdict, answer.counts) == ("price_unknown", {"price_unknown": 1})
    assert "not known" in english
    assert "sold" not in english
    assert "未知" in chinese
    assert "出售" not in chinese


def test_a_term_without_a_price_is_not_called_unsold() -> None:
    answer, english, chinese = told("week")
    assert answer.verdict == "not_sold"
    assert "whether it is sold so is not known" in english
    assert "未知" in chinese


@pytest.mark.parametrize("breaks", [*PARTS, LAYOUT, PRECISION])
def test_all_that_may_not_fit_has_words(breaks: str) -> None:
    assert (breaks in texts.BREAKS) != (breaks in MISFITS)


@pytest.mark.parametrize("kind", [kind for kind in ORDER if kind != "usable"])
def test_every_cause_has_a_sentence_and_a_name(kind: str) -> None:
    assert kind in texts.VERDICTS
    assert kind in texts.CAUSES
