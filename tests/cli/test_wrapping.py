"""Lines of a terminal: nothing wider than it, nothing lost, Chinese marks where a reader expects them."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimizer.domain.breaking import wrapped

LATIN = ("12", "USD", "1 × p4d", "storage", "a-very-long-name")
CHINESE = ("个月", "（不含）", "热数据：", "报价，", "方案", "机器、")
TEXTS = st.lists(st.sampled_from(LATIN + CHINESE), min_size=1, max_size=30).map(
    lambda words: "".join(f"{word} " if word in LATIN else word for word in words).strip()
)


def cells(text: str) -> int:
    """Cells by Unicode's East Asian Width (UAX 11): wide and fullwidth take two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


@given(TEXTS, st.integers(20, 60))
def test_no_line_is_wider_and_nothing_is_lost(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert max(map(cells, lines)) <= width
    assert "".join("".join(lines).split()) == "".join(text.split())


@given(TEXTS, st.integers(20, 60))
def test_a_line_never_begins_with_a_closing_mark(text: str, width: int) -> None:
    # Requirements for Chinese text layout (W3C clreq), section 3.1.3: prohibition rules for line start.
    assert not any(line.startswith(("，", "、", "：", "）")) for line in wrapped(text, width)[1:])


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        # 四 takes two cells: 10 cells hold five of them.
        ("一二三四五六七", 10, ["一二三四五", "六七"]),
        # The comma would begin the second line, so 五 goes with it.
        ("一二三四五，六", 10, ["一二三四", "五，六"]),
        # Numbers stay with their unit, counts with what they count.
        ("it costs 21.52 USD", 15, ["it costs", "21.52 USD"]),
        ("rent 2 × p4d.24xlarge", 20, ["rent", "2 × p4d.24xlarge"]),
        ("- one two three", 9, ["- one two", "  three"]),
        ("  storage × 7,973.4 GB-months × 0.07 USD", 31, ["  storage × 7,973.4 GB-months", "  × 0.07 USD"]),
        ("", 10, [""]),
    ],
)
def test_breaks_are_where_a_reader_expects_them(text: str, width: int, lines: list[str]) -> None:
    assert wrapped(text, width) == lines
