"""The review on a terminal and as Markdown."""

from dataclasses import replace
from typing import TYPE_CHECKING

from optimizer.domain.text import Language, Text
from optimizer.review.finding import NAMES
from optimizer.review.review import Review
from optimizer.review.tables import HEADINGS, TITLE, Table, clean, headline, period_name, shown, tables

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

#: Tables that a terminal shows; the rest is in the reports.
TERMINAL_TABLES = ("totals", "gpu", "prices", "commitments", "team", "workload", "forecast")
#: What of wide tables fits 80 columns; columns in brackets are written as one path.
NARROW: dict[str, tuple[str | tuple[str, ...], ...]] = {
    "totals": ("currency", "billed", "gpu_billed", "other", "effective"),
    "gpu": (("provider", "region", "type"), "gpu", "gpu_hours", "effective", "currency"),
    "prices": (("region", "type"), "term", "paid_gpu", "list_gpu", "quote_gpu", "plan_gpu", "cheapest_gpu", "currency"),
    "forecast": ("currency", "budget", "spent", "expected", "end"),
    "commitments": ("commitment", "used", "unused", "share", "ends", "currency"),
}
MOST_ROWS = 12
#: Heads break into lines of the column's width, but of no fewer cells.
LEAST_HEAD = 12
MORE = Text(
    "... and {count} more rows: --report, --xlsx or --json have all.",
    "……另有 {count} 行，见 --report、--xlsx 或 --json。",
)
#: Details of a finding that a terminal shows; of lines that could not be read more, since each is to be looked at.
MOST_DETAILS = 2
MOST_UNREAD = 10
_STYLES = {"saving": "green", "warning": "yellow", "note": "dim"}
_SIGNS = {"saving": "+", "warning": "!", "note": "-"}


def print_review(review: Review, language: Language, console: "Console") -> None:
    """Print the summary: totals, findings, GPU machines, prices, who used them."""
    from optimizer.domain.wrapping import Flowing as Line

    _show(console, Line(TITLE.say(language, period=period_name(review)), style="bold"))
    for sentence in headline(review, language):
        _show(console, Line(sentence))
    by_key = {table.key: table for table in tables(review, language)}
    if "totals" in by_key:
        _print_table(by_key["totals"], language, console)
    _print_changes(review, language, console)
    _print_findings(review, language, console)
    for key in TERMINAL_TABLES[1:]:
        if key in by_key:
            _print_table(by_key[key], language, console)


def _print_changes(review: Review, language: Language, console: "Console") -> None:
    from rich.padding import Padding

    from optimizer.domain.wrapping import Flowing as Line

    if review.changes:
        console.print()
        _show(console, Line(HEADINGS["changes"].say(language), style="bold"))
        for text in review.changes:
            _show(console, Padding(Line(clean(text.say(language))), (0, 0, 0, 2)))


def _print_findings(review: Review, language: Language, console: "Console") -> None:
    from rich.padding import Padding

    from optimizer.domain.wrapping import Flowing as Line

    if not review.findings:
        return
    console.print()
    _show(console, Line(HEADINGS["findings"].say(language), style="bold"))
    colon = "：" if language == "zh" else ": "
    for item in review.findings:
        amount = f" [{item.saving:,.2f} {item.currency}]" if item.saving is not None else ""
        line = Line(f"{_SIGNS[item.kind]} ", style=_STYLES[item.kind])
        line.append(f"{NAMES[item.id].say(language)}{amount}{colon}", style="bold")
        line.append(clean(item.text.say(language)), style="")
        _show(console, Padding(line, (0, 0, 0, 2)))
        most = MOST_UNREAD if item.id == "unread" else MOST_DETAILS
        for text in [*([item.proof] if item.proof else []), *item.first(most)]:
            _show(console, Padding(Line(clean(text.say(language)), style="dim"), (0, 0, 0, 6)))


def _print_table(table: Table, language: Language, console: "Console") -> None:
    from rich import box
    from rich.cells import cell_len
    from rich.table import Table as RichTable

    from optimizer.domain.breaking import wrapped
    from optimizer.domain.wrapping import Flowing as Line

    table = narrowed(table)
    console.print()
    made = RichTable(title=table.title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    made.padding = (0, 1, 0, 0)
    for place, column in enumerate(table.columns):
        is_text = column.kind in ("text", "date")
        longest = max((cell_len(shown(row[place], column.kind)) for row in table.rows[:MOST_ROWS]), default=0)
        head = "\n".join(wrapped(column.label, max(longest, LEAST_HEAD)))
        made.add_column(head, justify="left" if is_text else "right", overflow="fold", no_wrap=not is_text)
    for row in table.rows[:MOST_ROWS]:
        cells = (shown(value, column.kind) for value, column in zip(row, table.columns, strict=True))
        made.add_row(*(Line(cell) for cell in cells))
    console.print(made)
    if table.note:
        _show(console, Line(table.note, style="dim"))
    if len(table.rows) > MOST_ROWS:
        _show(console, Line(MORE.say(language, count=len(table.rows) - MOST_ROWS), style="dim"))


def _show(console: "Console", block: "RenderableType") -> None:
    """Print a block that breaks its own lines (a bare text would be joined with others, and broken by rich)."""
    from rich.console import Group

    console.print(Group(block))


def narrowed(table: Table) -> Table:
    """The part of a table that a terminal shows."""
    wanted = NARROW.get(table.key)
    if wanted is None:
        return table
    places = {column.key: place for place, column in enumerate(table.columns)}
    groups = [tuple(places[name] for name in ((item,) if isinstance(item, str) else item)) for item in wanted]
    # A column that says nothing in any row only takes room.
    groups = [group for group in groups if any(row[place] is not None for row in table.rows for place in group)]
    columns = tuple(table.columns[group[-1]] for group in groups)
    rows = tuple(
        tuple(
            row[group[0]] if len(group) == 1 else "/".join(str(row[place] or "-") for place in group)
            for group in groups
        )
        for row in table.rows
    )
    return replace(table, columns=columns, rows=rows)


def as_markdown(review: Review, language: Language) -> str:
    """The whole review as Markdown."""
    parts = [f"# {TITLE.say(language, period=period_name(review))}", *headline(review, language)]
    if review.changes:
        said = "\n".join(f"- {_escaped(text.say(language))}" for text in review.changes)
        parts += [f"## {HEADINGS['changes'].say(language)}", said]
    for table in tables(review, language):
        parts += [f"## {table.title}", *([table.note] if table.note else []), _markdown_table(table)]
    return "\n\n".join(parts) + "\n"


def _markdown_table(table: Table) -> str:
    heads = " | ".join(_escaped(column.label) for column in table.columns)
    rules = " | ".join("---" if column.kind in ("text", "date") else "---:" for column in table.columns)
    rows = (
        " | ".join(_escaped(shown(value, column.kind)) for value, column in zip(row, table.columns, strict=True))
        for row in table.rows
    )
    return "\n".join(f"| {line} |" for line in (heads, rules, *rows))


def _escaped(text: str) -> str:
    """Text that cannot break a table or become markup of its own."""
    cleaned = clean(text).replace("\\", "\\\\").replace("|", "\\|")
    return cleaned.replace("<", "&lt;").replace(">", "&gt;").replace("`", "\\`").replace("[", "\\[").replace("]", "\\]")
