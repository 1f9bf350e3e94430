"""`optimize catalog import`: Take in a price file of another tool, or a list kept by hand."""

from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from optimizer.cli._common import emit_json, emit_words, output_options
from optimizer.domain.text import Language, Text

if TYPE_CHECKING:
    from optimizer.app.importing import Imported

_DONE = Text(
    "{provider}: {prices} prices in catalog {generation}; {rejected} rows rejected ({quarantined} kept for review).",
    "{provider}：{prices} 条价格已并入目录第 {generation} 版，拒收 {rejected} 行（其中 {quarantined} 行待核实）。",
)
_OLDER = Text("{count} prices are older than those at hand and were left out.", "{count} 条价格旧于现有价格，未采用。")
_UNDATED = Text(
    "The prices are undated and will be flagged; give --observed DATE if you know the day.",
    "这些价格没有日期，将一直带标记；如知道日期请给出 --observed。",
)
_REASON = Text("  {count} x {reason}", "  {count} 行：{reason}")
_MOST_REASONS = 10


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--format", "format_name", required=True, help="skypilot, gpuhunt, ec2instances or pricelist.")
@click.option("--provider", help="Whose prices they are, if the file's name does not say.")
@click.option("--observed", type=click.DateTime(["%Y-%m-%d"]), help="Day of the prices (YYYY-MM-DD).")
@click.option("--source", help="What to name as the source of the prices.")
@output_options
def command(
    file: Path,
    format_name: str,
    provider: str | None,
    observed: datetime | None,
    source: str | None,
    as_json: bool,
    out: Path | None,
    lang: Language,
) -> int:
    """Take in a price file of another tool, or a list kept by hand.

    \b
    Examples:
      optimize catalog import ~/.sky/catalogs/v8/lambda/vms.csv --format skypilot --observed 2026-11-01
      optimize catalog import coreweave.csv --format pricelist --provider coreweave
    """
    from optimizer.app.importing import import_file

    day = observed.date() if observed else None
    imported = import_file(file, format_name, provider=provider, observed=day, source=source)
    if as_json:
        emit_json(_as_data(imported), out)
    else:
        emit_words("\n".join(_as_lines(imported, day, lang)), out)
    return 0


def _as_lines(imported: "Imported", day: date | None, lang: Language) -> list[str]:
    lines = [
        _DONE.say(
            lang,
            provider=imported.provider,
            prices=imported.prices,
            generation=imported.generation,
            rejected=imported.rejected,
            quarantined=imported.quarantined,
        )
    ]
    reasons = list(imported.reasons.items())[:_MOST_REASONS]
    lines += [_REASON.say(lang, count=count, reason=reason) for reason, count in reasons]
    if imported.older:
        lines.append(_OLDER.say(lang, count=imported.older))
    return [*lines, _UNDATED.say(lang)] if day is None else lines


def _as_data(imported: "Imported") -> dict[str, Any]:
    return {
        "provider": imported.provider,
        "generation": imported.generation,
        "prices": imported.prices,
        "older": imported.older,
        "rejected": imported.rejected,
        "quarantined": imported.quarantined,
        "reasons": imported.reasons,
        "examples": [{"row": row.row, "reason": row.reason} for row in imported.examples],
    }
