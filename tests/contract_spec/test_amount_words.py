"""Amounts in capital numerals against the regulation's own examples, and read back by an independent reader."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimizer.contract.amount_words import yuan_in_words

#: 《正确填写票据和结算凭证的基本规定》 (银发〔1997〕393号, annex 1), items 4.1 to 4.4; of two allowed forms one.
OFFICIAL = {
    "1409.50": "人民币壹仟肆佰零玖元伍角",
    "6007.14": "人民币陆仟零柒元壹角肆分",
    "1680.32": "人民币壹仟陆佰捌拾元零叁角贰分",
    "107000.53": "人民币壹拾万零柒仟元伍角叁分",
    "16409.02": "人民币壹万陆仟肆佰零玖元零贰分",
    "325.04": "人民币叁佰贰拾伍元零肆分",
}
#: By the same rules, by hand.
BY_HAND = {
    "10500.05": "人民币壹万零伍佰元零伍分",
    "0": "人民币零元整",
    "0.05": "人民币伍分",
    "0.50": "人民币伍角",
    "1": "人民币壹元整",
    "10": "人民币壹拾元整",
    "100000000": "人民币壹亿元整",
    "100000001": "人民币壹亿零壹元整",
    "10010000": "人民币壹仟零壹万元整",
    "1000010000": "人民币壹拾亿零壹万元整",
    "20000000000000": "人民币贰拾万亿元整",
}


def without_optional_zero(words: str) -> str:
    """Item 4.3 allows "元零伍角" and "元伍角" where the last digit of the yuan is 0: both read alike."""
    return words.replace("元零", "元") if "角" in words else words


@pytest.mark.parametrize(("amount", "words"), OFFICIAL.items())
def test_the_regulations_examples(amount: str, words: str) -> None:
    assert without_optional_zero(yuan_in_words(Decimal(amount))) == without_optional_zero(words)


@pytest.mark.parametrize(("amount", "words"), BY_HAND.items())
def test_by_hand(amount: str, words: str) -> None:
    assert yuan_in_words(Decimal(amount)) == words


def test_half_a_fen_is_rounded_up() -> None:
    assert yuan_in_words(Decimal("0.005")) == "人民币壹分"
    assert yuan_in_words(Decimal("9351.3249")) == "人民币玖仟叁佰伍拾壹元叁角贰分"


@pytest.mark.parametrize("amount", ["-1", "NaN", "Infinity", "10000000000000000"])
def test_what_has_no_words(amount: str) -> None:
    with pytest.raises(ValueError, match="words"):
        yuan_in_words(Decimal(amount))


VALUES = {digit: value for value, digit in enumerate("零壹贰叁肆伍陆柒捌玖")}
PLACES = {"拾": 10, "佰": 100, "仟": 1000}


def read_whole(words: str) -> int:
    """A reader of its own: sections by 亿 and 万, digits by their places."""
    for mark, size in (("亿", 10**8), ("万", 10**4)):
        if mark in words:
            head, _, tail = words.rpartition(mark)
            return read_whole(head) * size + (read_whole(tail) if tail else 0)
    total, digit = 0, 0
    for char in words:
        if char in PLACES:
            total, digit = total + digit * PLACES[char], 0
        else:
            digit = VALUES[char]
    return total + digit


@given(st.integers(min_value=0, max_value=10**18 - 1))
def test_words_read_back(fen: int) -> None:
    words = yuan_in_words(Decimal(fen) / 100).removeprefix("人民币")
    head, yuan, tail = words.rpartition("元")
    cents = 0
    for char, size in (("角", 10), ("分", 1)):
        if char in tail or (not yuan and char in words):
            place = words.index(char)
            cents += VALUES[words[place - 1]] * size
    assert (read_whole(head) if yuan else 0) * 100 + cents == fen
    assert "零零" not in words
    assert "零元" not in words or fen == 0
    assert words.endswith("整") == (fen % 100 == 0)
