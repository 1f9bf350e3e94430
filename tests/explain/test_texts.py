"""Every sentence in both languages with the same placeholders."""

from collections.abc import Iterator
from string import Formatter

import pytest

from optimizer.domain.text import Text
from optimizer.explain import texts
from optimizer.explain.causes import ORDER
from optimizer.explain.ties import LEVELS


def every() -> Iterator[tuple[str, Text]]:
    for name, value in vars(texts).items():
        if isinstance(value, Text):
            yield name, value
        elif isinstance(value, dict):
            yield from ((f"{name}.{key}", text) for key, text in value.items() if isinstance(text, Text))
        elif isinstance(value, tuple):
            yield from ((name, text) for text in value if isinstance(text, Text))


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize(("name", "text"), list(every()))
def test_both_languages_say_the_same_things(name: str, text: Text) -> None:
    assert text.en
    assert text.zh
    assert places(text.en) == places(text.zh), name


def test_every_verdict_and_level_has_words() -> None:
    assert {*ORDER} - {"usable"} <= set(texts.VERDICTS)
    assert {*LEVELS, "lexical"} == set(texts.LEVELS)
