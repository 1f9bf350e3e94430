"""Plain tables for the terminal: nothing wraps inside a cell; columns that do not fit are left out and named."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from optimizer.cli._common import console
from optimizer.domain.text import Language, Text

_GAP = 2
_NARROW = Text(
    "Left out for width: {columns} (a wider window or --json shows them).",
    "因宽度省略：{columns}（加宽窗口或用 --json 可见）。",
)


@dataclass(frozen=True, slots=True)
class Column:
    """Title with its unit; `rank` says which columns go first when the window is narrow (0 never goes)."""

    title: str
    is_number: bool = False
    rank: int = 0


def render(columns: Sequence[Column], rows: Sequence[Sequence[str]], lang: Language) -> list[str]:
    """The lines of a table. A pipe gets every column; a terminal, or COLUMNS, sets the width."""
    from rich.cells import cell_len

    widths = [max(cell_len(column.title), *(cell_len(row[i]) for row in rows), 0) for i, column in enumerate(columns)]
    kept = _fitting(columns, widths, _width())
    lines = _lines([columns[i] for i in kept], [[row[i] for i in kept] for row in rows], [widths[i] for i in kept])
    left_out = ", ".join(column.title for i, column in enumerate(columns) if i not in kept)
    return [*lines, _NARROW.say(lang, columns=left_out)] if left_out else lines


def _width() -> int | None:
    is_given = "COLUMNS" in os.environ
    return console().width if is_given or sys.stdout.isatty() else None


def _fitting(columns: Sequence[Column], widths: Sequence[int], width: int | None) -> list[int]:
    kept = list(range(len(columns)))
    while width is not None and sum(widths[i] + _GAP for i in kept) - _GAP > width:
        candidates = [i for i in kept if columns[i].rank]
        if not candidates:
            break
        kept.remove(max(candidates, key=lambda i: columns[i].rank))
    return kept


def _lines(columns: Sequence[Column], rows: Sequence[Sequence[str]], widths: Sequence[int]) -> list[str]:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, _GAP, 0, 0))
    for column in columns:
        table.add_column(column.title, justify="right" if column.is_number else "left", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    terminal = Console(width=sum(widths) + _GAP * len(widths), highlight=False, markup=False)
    with terminal.capture() as captured:
        terminal.print(table)
    return [line.rstrip() for line in captured.get().splitlines()]
