"""Plain tables for the terminal: nothing wraps inside a cell; columns that do not fit are left out and named."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from optimizer.cli._common import window_width
from optimizer.domain.text import Language, Text

_GAP = 2
#: So much of a name that may be shortened stays where even leaving out columns does not make room.
_LEAST_OF_NAME = 8
_NARROW = Text(
    "Left out for width: {columns} (a wider window or --json shows them).",
    "因宽度省略：{columns}（加宽窗口或用 --json 可见）。",
)
_SHORTENED = Text(
    "Names that end in … are shortened; a wider window or --json shows them whole.",
    "以 … 结尾的名称为缩写；加宽窗口或用 --json 可见全名。",
)


@dataclass(frozen=True, slots=True)
class Column:
    """Title with its unit, over several lines where it has line breaks.

    `rank` says which columns go first when the window is narrow (0 never goes); names of a column with `least` may be
    shortened to so many cells before another column goes. Figures are never shortened.
    """

    title: str
    is_number: bool = False
    rank: int = 0
    least: int | None = None


def render(columns: Sequence[Column], rows: Sequence[Sequence[str]], lang: Language) -> list[str]:
    """The lines of a table. A pipe gets every column; a terminal, or COLUMNS, sets the width."""
    width = window_width()
    flat = [replace(column, title=_flat(column.title)) for column in columns]
    widths = _widths(flat, rows)
    if width is None or _total(widths) <= width:
        return _lines(flat, rows, widths)
    widths = _widths(columns, rows)
    kept, shown = _fitting(columns, widths, width)
    lines = _lines([columns[i] for i in kept], [[row[i] for i in kept] for row in rows], [shown[i] for i in kept])
    left_out = ", ".join(column.title for i, column in enumerate(flat) if i not in kept)
    notes = [
        _SHORTENED.say(lang) if any(shown[i] < widths[i] for i in kept) else "",
        _NARROW.say(lang, columns=left_out) if left_out else "",
    ]
    return [*lines, *filter(None, notes)]


def _flat(title: str) -> str:
    """A title on one line."""
    return title.replace("/\n", "/").replace("\n", " ")


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[int]:
    from rich.cells import cell_len

    titles = [max(map(cell_len, column.title.split("\n"))) for column in columns]
    return [max(title, *(cell_len(row[i]) for row in rows), 0) for i, title in enumerate(titles)]


def _total(widths: Iterable[int]) -> int:
    return sum(cells + _GAP for cells in widths) - _GAP


def _fitting(columns: Sequence[Column], widths: Sequence[int], width: int) -> tuple[list[int], list[int]]:
    """Which columns are shown, and the width of every column."""
    kept = list(range(len(columns)))
    least = [min(column.least or cells, cells) for column, cells in zip(columns, widths, strict=True)]
    while _total(least[i] for i in kept) > width:
        candidates = [i for i in kept if columns[i].rank]
        if not candidates:
            least = [min(_LEAST_OF_NAME, least[i]) if columns[i].least else least[i] for i in range(len(columns))]
            break
        kept.remove(max(candidates, key=lambda i: columns[i].rank))
    shown = list(widths)
    for i in kept:
        excess = _total(shown[j] for j in kept) - width
        shown[i] -= max(0, min(excess, shown[i] - least[i]))
    return kept, shown


def _lines(columns: Sequence[Column], rows: Sequence[Sequence[str]], widths: Sequence[int]) -> list[str]:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, _GAP, 0, 0))
    for column, cells in zip(columns, widths, strict=True):
        table.add_column(
            column.title,
            justify="right" if column.is_number else "left",
            no_wrap=True,
            overflow="ellipsis",
            width=cells,
        )
    for row in rows:
        table.add_row(*row)
    terminal = Console(width=sum(widths) + _GAP * len(widths), highlight=False, markup=False)
    with terminal.capture() as captured:
        terminal.print(table)
    return [line.rstrip() for line in captured.get().splitlines()]
