"""`optimize compare`: two plan files side by side."""

from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import click

from optimizer.cli._common import emit, emit_json, output_options
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
        emit(_text(found, lang), out)


def _text(found: "Compared", language: Language) -> str:
    from rich.console import Console

    from optimizer.app.compare import title_of

    console = Console(file=StringIO(), width=WIDTH, highlight=False, color_system=None)
    console.print(title_of(found, language), markup=False)
    if found.rate is not None:
        console.print(found.conversion(language), markup=False)
    console.print(found.verdict(language), markup=False)
    for title, rows in found.tables(language):
        console.print(f"\n{title}", markup=False)
        console.print(_table(found.heads(language), rows))
    for title, entries in found.notes(language):
        console.print(f"\n{title}", markup=False)
        for entry in entries:
            console.print(f"- {entry}", markup=False)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())  # type: ignore[attr-defined]


def _table(heads: list[str], rows: list[tuple[str, ...]]) -> object:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for position, head in enumerate(heads):
        table.add_column(Text(head), justify="right" if position else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    return table
