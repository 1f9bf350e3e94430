"""Prices with and without tax that compete are told where the file states no rate; otherwise all is quiet."""

from datetime import date
from decimal import Decimal

import pytest

from optimizer.catalog import Catalog, load_catalog
from optimizer.domain.offer import Offer, Price, PriceKind, PriceUnit, Term
from optimizer.domain.plan import Plan
from optimizer.domain.text import Language
from optimizer.planning.case import PlanOptions
from optimizer.planning.pipeline import Planner
from optimizer.planning.workload_file import parse_workload
from optimizer.reports.say_money import cautions
from optimizer.reports.voice import voice_of

WORK = """
start: 2026-12-01
currency: CNY
profile: off
name: w
model: {preset: llama-2-7b}
method: lora
sequence_length: 1024
global_batch_tokens: 65536
tokens: 3e7
egress_gb: 0
checkpoint_gb: 0
max_nodes: 1
"""


class Sellers(Catalog):
    """One machine at sellers of a test's own: (name, CNY an hour, whether that includes tax)."""

    def __init__(self, *sellers: tuple[str, str, bool | None]) -> None:
        whole = load_catalog()
        self.__dict__.update(whole.__dict__)
        machine = next(offer for offer in whole.offers() if offer.instance_type == "a2-ultragpu-1g")
        self._sold = tuple(
            machine.model_copy(update={"provider": name, "prices": (an_hour(amount, tax),)})
            for name, amount, tax in sellers
        )

    def offers(self) -> tuple[Offer, ...]:
        """The offers of the test."""
        return self._sold


def an_hour(amount: str, tax: bool | None) -> Price:
    return Price(
        term=Term.ON_DEMAND,
        amount=Decimal(amount),
        unit=PriceUnit.HOUR,
        currency="CNY",
        tax_included=tax,
        kind=PriceKind.QUOTE,
        observed=date(2026, 11, 30),
        source="made for this test",
    )


def planned(*sellers: tuple[str, str, bool | None], more: str = "") -> Plan:
    options = PlanOptions(as_of=date(2026, 11, 30), extras=False)
    plan, _ = Planner(parse_workload(WORK + more, "w.yaml"), Sellers(*sellers), options).plan()
    return plan


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            "en",
            "The file states no tax rate, so prices with and without tax are compared as listed. Without tax: cheap "
            "a2-ultragpu-1g (on demand); with tax: dear a2-ultragpu-1g (on demand). Write the rate, as "
            "`tax: {rate: 0.13}` (with `recoverable: true` where tax comes back), and plan again: the answer may be "
            "another one.",
        ),
        (
            "zh",
            "文件未写税率，含税价与不含税价按所列直接比较。不含税：cheap a2-ultragpu-1g（按量）；含税：dear "
            "a2-ultragpu-1g（按量）。请写明税率，如 `tax: {rate: 0.13}`（可抵扣时加 `recoverable: true`），"
            "再规划一次：结论可能改变。",
        ),
    ],
)
def test_mixed_bases_stand_on_the_first_lines(language: Language, said: str) -> None:
    # 50 without tax is 56.50 with 13 % on top, which is more than 55 with tax.
    plan = planned(("cheap", "50", False), ("dear", "55", True))
    assert plan.assignments[0].provider == "cheap"
    assert said in cautions(voice_of(plan, language))
    assert (
        planned(("cheap", "50", False), ("dear", "55", True), more="tax: {rate: 0.13}\n").assignments[0].provider
        == "dear"
    )


def test_a_price_that_does_not_say_competes_as_the_file_takes_it() -> None:
    sellers = ("cheap", "50", False), ("dear", "55", None)
    (caution,) = planned(*sellers).cautions
    assert "with tax or not stated: dear" in caution.text_en
    assert "`included: false` where prices that do not say are without" in caution.text_en
    assert "含税或未注明：dear" in caution.text_zh
    assert planned(*sellers, more="tax: {included: false}\n").cautions == ()


@pytest.mark.parametrize(
    ("sellers", "more"),
    [
        ((("a", "50", True), ("b", "55", True)), ""),
        ((("a", "50", None), ("b", "55", None)), ""),
        ((("a", "50", True), ("b", "55", None)), ""),  # what does not say is taken as with tax
        ((("a", "50", False), ("b", "55", True)), "tax: {rate: 0.06}\n"),
        # 50 without tax is 63.50 at 27 %, the highest rate anywhere: 64 is never cheaper.
        ((("a", "50", False), ("b", "64", True)), ""),
    ],
)
def test_nothing_is_said_where_tax_changes_nothing(
    sellers: tuple[tuple[str, str, bool | None], ...], more: str
) -> None:
    plan = planned(*sellers, more=more)
    assert plan.cautions == ()
    assert "cautions" not in plan.model_dump()


def test_more_sellers_than_are_named_are_counted() -> None:
    sellers = [(f"with-{number}", f"5{number}", True) for number in range(1, 5)]
    (caution,) = planned(("without", "50", False), *sellers).cautions
    assert "with-1 a2-ultragpu-1g (on demand), with-2 a2-ultragpu-1g (on demand), 2 more." in caution.text_en
    assert "另 2 项。" in caution.text_zh
