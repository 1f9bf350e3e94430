"""Breaking text into lines of a terminal: at blanks, and between Chinese characters, which stand without blanks.

Widths are cells: a Chinese character takes two. A line never begins with a closing mark nor ends with an opening one.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from rich.cells import cell_len

_OPENING = "（《「『【〔“‘([{`"
_CLOSING = "，。、；：？！）》」』】〕”’…)]},.;:!?%"
_WIDE_CELLS = 2
#: Blanks at which nobody looks for the rest on another line: "2 × name", "0.07 USD", "80.0 GiB".
_GLUE = re.compile(r" (?=·)|(?<=\d) (?=×)|(?<=×) |(?<=\d) (?=(?:[A-Z]{3}|GiB|GB|GPU|kW|W|h)\b|%|小时|天|个|块)")
_BULLET = re.compile(r" *(?:[-!·] )?")


def wrapped(text: str, width: int) -> list[str]:
    """The lines of a text that may be `width` cells wide; indent and bullet of the text hang over the later lines.

    A piece without a place to break that is wider than a line is folded.
    """
    lines = []
    for paragraph in text.split("\n"):
        lead = _BULLET.match(paragraph)
        hang = lead.end() if lead else 0
        hang = hang if hang < width // 2 else 0
        first, *rest = _broken(paragraph[hang:], width - hang)
        lines += [paragraph[:hang] + first, *(" " * hang + line for line in rest)]
    return lines


def _broken(text: str, width: int) -> list[str]:
    """One paragraph in lines, without its indent."""
    edges = [0, *breaks(text, width), len(text)]
    return [text[start:end].rstrip() for start, end in pairwise(edges)]


def breaks(text: str, width: int) -> list[int]:
    """Where the lines of one paragraph begin, other than the first."""
    starts: list[int] = []
    start, end = 0, 0
    for piece in pieces(text):
        if end > start and cell_len(text[start:end]) + cell_len(piece.rstrip()) > width:
            starts.append(end)
            start = end
        end += len(piece)
        while cell_len(text[start:end].rstrip()) > width:
            start += len(_head(text[start:end], width))
            starts.append(start)
    return starts


def _head(piece: str, width: int) -> str:
    """What fits into a line of a piece that does not: up to its last blank there, else as many characters."""
    end = len(piece)
    while end > 1 and cell_len(piece[:end]) > width:
        end -= 1
    return piece[: piece.rfind(" ", 1, end) + 1 or end]


def pieces(text: str) -> Iterator[str]:
    """What must stay together, each with the blanks after it."""
    start, glued = 0, {blank.end() for blank in _GLUE.finditer(text)}
    for position in range(1, len(text)):
        if position not in glued and _may_break(text[position - 1], text[position]):
            yield text[start:position]
            start = position
    yield text[start:]


def _may_break(before: str, after: str) -> bool:
    if before == " " or after == " ":
        return before == " " and after != " "
    if before in _OPENING or after in _CLOSING:
        return False
    return _WIDE_CELLS in (cell_len(before), cell_len(after))
