"""`optimize catalog list`: Machines, GPUs, terms and age of the prices of each provider."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from optimizer.cli._common import emit_json, emit_words, output_options
from optimizer.domain.term_words import TERMS
from optimizer.domain.text import Language, Text

if TYPE_CHECKING:
    from optimizer.catalog import Catalog

_COLUMNS: tuple[tuple[str, Text, bool, int], ...] = (
    ("provider", Text("provider", "供应商"), False, 0),
    ("machines", Text("machines", "机器"), True, 0),
    ("prices", Text("prices", "价格"), True, 0),
    ("plannable", Text("plannable", "可用于方案"), True, 0),
    ("gpus", Text("GPU models", "GPU 型号"), True, 2),
    ("terms", Text("terms", "租期"), False, 3),
    ("oldest", Text("oldest price", "最旧价格"), False, 0),
    ("newest", Text("newest price", "最新价格"), False, 1),
    ("undated", Text("undated", "无日期"), True, 0),
)
_SUMS = Text(
    "{prices:,} prices of {machines:,} machines ({unpriced:,} of them without a known price) at {providers:,} "
    "providers. A machine is one instance type in one region. "
    "Of the sources' rows {rejected:,} were rejected and {quarantined:,} are in quarantine (a fact is missing).",
    "{providers:,} 家供应商的 {machines:,} 种机器共 {prices:,} 个价格，其中 {unpriced:,} 种机器没有已知价格。"
    "一种机器指一个地域的一个机型。来源各行中拒收 {rejected:,} 行，隔离 {quarantined:,} 行（缺少事实）。",
)


@click.command()
@click.option("--catalog", "directory", type=click.Path(path_type=Path), help="Use this catalog alone.")
@output_options
def command(directory: Path | None, as_json: bool, out: Path | None, lang: Language) -> int:
    """Machines, GPUs, terms and age of the prices of each provider.

    \b
    Examples:
      optimize catalog list
      optimize catalog list --json
    """
    from optimizer.catalog import load_catalog
    from optimizer.catalog.summary import summarize

    catalog = load_catalog(directory)
    if as_json:
        emit_json(summarize(catalog), out)
    else:
        emit_words(_table(catalog, lang), out)
    return 0


def _table(catalog: "Catalog", lang: Language) -> str:
    from optimizer.catalog.summary import summarize
    from optimizer.cli._tables import Column, render

    summary: dict[str, Any] = summarize(catalog)
    titles = [Column(title.say(lang), is_number, rank) for _, title, is_number, rank in _COLUMNS]
    rows = []
    for name, entry in summary["providers"].items():
        cells = {
            **entry,
            "provider": name,
            "gpus": len(entry["gpus"]),
            "terms": ", ".join(TERMS[term].say(lang) for term in entry["terms"]),
        }
        rows.append([_cell(cells[key]) for key, *_ in _COLUMNS])
    sums = _SUMS.say(
        lang,
        machines=summary["machines"],
        prices=summary["prices"],
        unpriced=summary["rows"] - summary["prices"],
        providers=len(summary["providers"]),
        rejected=summary["rejected"],
        quarantined=summary["quarantined"],
    )
    return "\n".join([*render(titles, rows, lang), "", sums])


def _cell(value: Any) -> str:
    """A cell of the table: unknown is "-", a number has separators."""
    if value in (None, ""):
        return "-"
    return f"{value:,}" if isinstance(value, int) else str(value)
