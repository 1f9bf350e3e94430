"""`optimize compare`: two plan files side by side."""

from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import click

from optimizer.cli._common import emit, emit_json, output_options, window_width
from optimizer.domain.text import Language

if TYPE_CHECKING:
    from optimizer.app.compare import Compared

WIDTH = 118


@click.command()
@click.argument("first", metavar="A.json", type=click.Path(path_type=Path))
@click.argument("second", metavar="B.json", type=click.Path(path_type=Path))
@output_options
def command(first: Path, second: Path, as_json: bool, out: Path | None, lang: Language) -> None:
    """Show what two plans cost, where they run and what differs between their inputs.

    \b
    Examples:
      optimize compare before.json after.json
      optimize compare before.json after.json --lang zh
    """
    from optimizer.app.compare import compare_files

    found = compare_files(first, second)
    if as_json:
        emit_json(found.to_json(), out)
    else:
        emit(_text(found, lang, (window_width() if out is None else None) or WIDTH), out)


def _text(found: "Compared", language: Language, width: int) -> str:
    from optimizer.app.compare import title_of
    from optimizer.domain.breaking import wrapped

    paragraphs = [title_of(found, language), found.conversion(language), found.verdict(language)]
    paragraphs += found.cautions(language)
    lines = [line for said in paragraphs if said for line in wrapped(said, width)]
    for title, rows in found.tables(language):
        lines += ["", title, *_table(found.heads(language), rows, width)]
    for title, entries in found.notes(language):
        lines += ["", *wrapped(title, width)]
        lines += [line for entry in entries for line in wrapped(f"- {entry}", width)]
    return "\n".join(lines)


def _table(heads: list[str], rows: list[tuple[str, ...]], width: int) -> list[str]:
    """Names on the left, broken where they are long; amounts on the right, always whole."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from optimizer.domain.wrapping import Styled

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for position, head in enumerate(heads):
        table.add_column(Text(head), justify="right" if position else "left", no_wrap=position > 0)
    for row in rows:
        table.add_row(*map(Styled, row))
    console = Console(file=StringIO(), width=width, highlight=False, color_system=None)
    with console.capture() as captured:
        console.print(table)
    return [line.rstrip() for line in captured.get().splitlines()]
