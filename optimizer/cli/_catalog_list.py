"""`optimize catalog list`: Rows, GPUs, terms and age of the prices of each provider."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from optimizer.cli._common import console, emit, emit_json, output_options
from optimizer.domain.text import Language, Text

if TYPE_CHECKING:
    from optimizer.catalog import Catalog

_COLUMNS: tuple[tuple[str, Text, bool], ...] = (
    ("provider", Text("provider", "供应商"), False),
    ("rows", Text("rows", "行数"), True),
    ("plannable", Text("plannable", "可用于方案"), True),
    ("gpus", Text("GPU models", "GPU 型号"), True),
    ("terms", Text("terms", "租期"), False),
    ("oldest", Text("oldest price", "最旧价格"), False),
    ("newest", Text("newest price", "最新价格"), False),
    ("undated", Text("undated", "无日期"), True),
)
_SUMS = Text(
    "{rows} rows of {providers} providers; {rejected} rows rejected, {quarantined} in quarantine (a fact is missing).",
    "{providers} 家供应商共 {rows} 行；拒收 {rejected} 行，隔离 {quarantined} 行（缺少事实）。",
)


@click.command()
@click.option("--catalog", "directory", type=click.Path(path_type=Path), help="Use this catalog alone.")
@output_options
def command(directory: Path | None, as_json: bool, out: Path | None, lang: Language) -> int:
    """Rows, GPUs, terms and age of the prices of each provider."""
    from optimizer.catalog import load_catalog

    catalog = load_catalog(directory)
    if as_json:
        emit_json(catalog.summary(), out)
    else:
        emit(_table(catalog, lang), out)
    return 0


def _table(catalog: "Catalog", lang: Language) -> str:
    from rich.table import Table

    summary: dict[str, Any] = catalog.summary()
    table = Table(box=None, header_style="bold", pad_edge=False)
    for _, title, is_number in _COLUMNS:
        table.add_column(title.say(lang), justify="right" if is_number else "left", overflow="fold")
    for name, entry in summary["providers"].items():
        cells = {**entry, "provider": name, "gpus": len(entry["gpus"]), "terms": " ".join(entry["terms"])}
        table.add_row(*("-" if cells[key] is None else str(cells[key]) for key, _, _ in _COLUMNS))
    terminal = console()
    with terminal.capture() as captured:
        terminal.print(table)
    sums = _SUMS.say(
        lang,
        rows=summary["rows"],
        providers=len(summary["providers"]),
        rejected=summary["rejected"],
        quarantined=summary["quarantined"],
    )
    return "\n".join([*(line.rstrip() for line in captured.get().splitlines()), "", sums])
