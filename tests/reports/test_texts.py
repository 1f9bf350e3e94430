"""English and Chinese say the same: same placeholders, nothing left out, code words all named."""

import re
import string
from pathlib import Path
from types import ModuleType

import pytest

from optimizer.domain.finding import Severity, VerdictKind
from optimizer.domain.offer import PriceKind, Term
from optimizer.domain.plan import PurchaseKind
from optimizer.domain.text import Text
from optimizer.reports import cancelling, numbers, texts, texts_page


def _texts() -> dict[str, Text]:
    """Every text of the room by its name."""
    found: dict[str, Text] = {}
    for module in (texts, texts_page, numbers, cancelling):
        for name, value in vars(module).items():
            _collect(f"{module.__name__}.{name}", value, found)
    return found


def _collect(name: str, value: object, found: dict[str, Text]) -> None:
    if isinstance(value, Text):
        found[name] = value
    elif isinstance(value, dict):
        for key, inner in value.items():
            _collect(f"{name}.{key}", inner, found)
    elif isinstance(value, tuple):
        for position, inner in enumerate(value):
            _collect(f"{name}.{position}", inner, found)


TEXTS = _texts()


def test_there_are_texts_to_check() -> None:
    assert len(TEXTS) > 150


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_both_languages_have_the_same_placeholders(name: str) -> None:
    def fields(sentence: str) -> set[str]:
        return {field for _, field, _, _ in string.Formatter().parse(sentence) if field is not None}

    text = TEXTS[name]
    assert text.en
    assert text.zh
    assert fields(text.en) == fields(text.zh)


def test_chinese_is_chinese() -> None:
    # Names that are the same in both languages.
    same = {"GB", "logits", "{count} × {name}", "{rate} {currency}/{price_currency}"}
    foreign = {name for name, text in TEXTS.items() if text.zh == text.en and text.en not in same}
    assert foreign == set()


@pytest.mark.parametrize("names", [texts.TERMS, texts.TAKEN], ids=["terms", "taken"])
def test_every_term_has_a_name(names: dict[str, Text]) -> None:
    missing = set(Term) - set(names)
    assert missing <= {Term.OWNED}  # a bought machine is not "taken"


def test_every_code_word_of_a_plan_has_a_name() -> None:
    assert set(texts.KINDS) == set(PurchaseKind.__args__)
    assert set(texts.PRICE_KINDS) == set(PriceKind)
    assert set(texts.VERDICTS) == set(VerdictKind)
    assert set(texts.SEVERITIES) == set(Severity)


def test_refund_rules_carry_source_and_both_languages() -> None:
    for known in cancelling.EARLY_ENDS:
        assert known.rule.en
        assert known.rule.zh != known.rule.en
        assert any(char.isdigit() for char in known.source.rsplit(",", 1)[1])  # a year or date
    assert cancelling.early_end("autodl", Term.YEAR) is None


@pytest.mark.parametrize("module", [texts, texts_page], ids=["texts", "texts_page"])
def test_no_text_is_left_over(module: ModuleType) -> None:
    short = module.__name__.rsplit(".", 1)[1]
    sources = "".join(path.read_text(encoding="utf-8") for path in Path(texts.__file__).parent.rglob("*.py"))
    names = [name for name, value in vars(module).items() if name.isupper() and not isinstance(value, type)]
    assert len(names) > 50
    assert [name for name in names if not re.search(rf"\b{short}\.{name}\b", sources)] == []
