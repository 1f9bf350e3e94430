"""One thing written in many ways. What each wording says is read by hand from the words themselves."""

from datetime import date
from typing import Any

import pytest

from optimizer.contract.answers import judge
from optimizer.contract.meaning import amount_first, is_free, span_of, tax_included, without_tax_words
from optimizer.contract.spec import Item
from optimizer.domain.text import Text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("含税", True),
        ("含 13% 增值税", True),
        ("含13%的增值税，专票", True),
        ("价税合计", True),
        ("含税，不含运费", True),
        ("including 13% VAT", True),
        ("VAT included", True),
        ("不含税", False),
        ("未含税", False),
        ("不含 13% 增值税", False),
        ("税费另计", False),
        ("excluding tax", False),
        ("plus 13 % VAT", False),
        ("VAT not included", False),
        ("13%专票", None),
        ("不含税，含13%税价另报", None),
        ("含运费", None),
        ("", None),
    ],
)
def test_tax(text: str, expected: bool | None) -> None:
    assert tax_included(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("763880元（含税）", "763880元"),
        ("含税 763,880 元", "763,880 元"),
        ("763880 CNY (incl. VAT)", "763880 CNY"),
        ("763880 元/月，不含13%增值税", "763880 元/月"),
        ("763880 元", "763880 元"),
    ],
)
def test_the_amount_without_words_of_tax(text: str, expected: str) -> None:
    assert without_tax_words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("￥92/小时", "92 CNY/小时"),
        ("人民币 763,880 元", "763,880 元"),
        ("RMB 76.388 万元", "76.388 万元"),
        ("CNY 763880", "763880 CNY"),
        ("$5/GB", "5 USD/GB"),
        ("USD 92 元", "USD 92 元"),
        ("92 元/小时", "92 元/小时"),
    ],
)
def test_a_currency_before_its_amount(text: str, expected: str) -> None:
    assert amount_first(text) == expected


@pytest.mark.parametrize("text", ["免费", "free", "0", "0元", "0 元/GB", "¥0.00", "0 USD", "no charge"])
def test_free(text: str) -> None:
    assert is_free(text)


@pytest.mark.parametrize("text", ["0.8元", "10元", "免费 100 GB", "0%", "free for a year", ""])
def test_not_free(text: str) -> None:
    assert not is_free(text)


END = date(2028, 1, 31)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The line names the day after the last: 31 January 2028. So the last day is the 30th.
        ("2027-01-31 / 2028-01-31", True),
        ("2027-01-31 至 2028-01-31", True),
        ("2027/1/31-2028/1/31", True),
        ("2027年1月31日至2028年1月30日", True),
        ("自2027年1月31日起至2028年1月30日止", True),
        ("from 2027-01-31 to 2028-01-30 (inclusive)", True),
        ("2027-01-31 至 2028-01-30（不含）", False),
        ("2027-01-31 至 2028-01-29", False),
        ("2027年1月31日至2028年1月31日（不含）", True),
    ],
)
def test_the_last_day(text: str, expected: bool) -> None:
    span = span_of(text)
    assert span is not None
    assert span.first == date(2027, 1, 31)
    assert span.lasts_until(END) is expected


@pytest.mark.parametrize(
    "text", ["2027-02-30 至 2028-01-31", "2027-01-31 至 2028-01-31，视库存而定", "一年", "2027-01-31"]
)
def test_no_span(text: str) -> None:
    assert span_of(text) is None


MET, SHORT, SILENT = ("met", "none"), ("not_met", "worse"), ("silent", "silent")
WITH_TAX = Text("tax included", "含税")


def item(name: str, value: Any, **more: Any) -> Item:
    said = value if not isinstance(value, str) else Text(value, value)
    return Item(id=name, title=Text("", ""), clause=Text("", ""), source=Text("", ""), value=said, **more)


DATES = item("rent.dates", "2027-01-31 / 2028-01-31", relation="text", status="derived")
DELIVERY = item("rent.dates", "2027-01-31", relation="text", status="derived")
TAX = item("rent.tax", WITH_TAX, relation="text", status="stated")
RENT = item("rent", 763_880, unit="CNY", basis=WITH_TAX, relation="at_most", status="derived")
WORDS = item("rent.words", "人民币柒拾陆万叁仟捌佰捌拾元整", basis=WITH_TAX, relation="text", status="derived")
EGRESS = item("network.egress", 0, unit="CNY/GB", basis=WITH_TAX, relation="at_most", status="stated")
CARD = item("gpu_memory", 96, unit="GB", relation="at_least", status="stated")
ASKED = item("gpu_memory", 96, unit="GB", relation="at_least", status="to_confirm")


@pytest.mark.parametrize(
    ("line", "given", "expected"),
    [
        (DATES, "2027-01-31 至 2028-01-31", MET),
        (DATES, "2027年1月31日至2028年1月30日", MET),
        (DATES, "2027-02-01 至 2028-01-31", SHORT),
        (DATES, "2027-01-31 至 2028-01-31，视库存而定", SHORT),
        (DELIVERY, "2027年1月31日", MET),
        (DELIVERY, "2027-01-15 前", MET),
        (DELIVERY, "2027-02-01", SHORT),
        (TAX, "含 13% 增值税", MET),
        (TAX, "13%专票，不含税", SHORT),
        (RENT, "763880元（含税）", MET),
        (RENT, "763,880.01 元，含税", SHORT),
        (RENT, "人民币763,880元（含13%增值税）", MET),
        (RENT, "USD 763,880", SILENT),
        (RENT, "676000 元（不含税）", SILENT),
        (WORDS, "人民币柒拾陆万叁仟捌佰捌拾元整", MET),
        (WORDS, "人民币柒拾陆万叁仟捌佰捌拾元整（不含税）", SILENT),
        (EGRESS, "免费", MET),
        (EGRESS, "0元", MET),
        (EGRESS, "0.5 CNY/GB", SHORT),
        # 768 GB are eight cards of 96 GB: no card of that model has them.
        (CARD, "768GB", SILENT),
        (CARD, "96GiB", MET),
        (CARD, "103 GB", ("met", "better")),
        (ASKED, "192 GB", ("met", "better")),
    ],
)
def test_verdicts(line: Item, given: str, expected: tuple[str, str]) -> None:
    assert judge(line, given, {}.get)[:2] == expected


def test_the_last_day_that_counts_is_said() -> None:
    assert judge(DATES, "2027-01-31 至 2028-01-30", {}.get)[2].zh == "按含终止日当日理解"
