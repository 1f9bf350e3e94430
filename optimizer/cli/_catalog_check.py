"""`optimize catalog check`: Whether the catalog contradicts itself; errors end with exit code 6."""

from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from optimizer.cli._common import emit, emit_json, output_options
from optimizer.domain.text import Language, Text
from optimizer.errors import EXIT_CHECK_FAILED, EXIT_OK

if TYPE_CHECKING:
    from optimizer.catalog.check import CheckFinding

_LINE = Text(
    "{level} {code} {row}: found {found}, expected {expected}", "{level} {code} {row}：实际 {found}，应为 {expected}"
)
_SUMS = Text(
    "{rows} rows checked: {errors} errors, {warnings} warnings, {explained} explained exceptions.",
    "已检查 {rows} 行：{errors} 个错误，{warnings} 个警告，{explained} 个有解释的例外。",
)
_LEVELS = {
    "error": Text("error", "错误"),
    "warn": Text("warning", "警告"),
    "explained": Text("explained", "已解释"),
}


@click.command()
@click.option("--catalog", "directory", type=click.Path(path_type=Path), help="Check this catalog alone.")
@click.option("--as-of", "as_of", type=click.DateTime(["%Y-%m-%d"]), help="Rates of this day (default: today).")
@click.option("--explained", "show_explained", is_flag=True, help="Show the explained exceptions as well.")
@output_options
def command(
    directory: Path | None,
    as_of: datetime | None,
    show_explained: bool,
    as_json: bool,
    out: Path | None,
    lang: Language,
) -> int:
    """Whether the catalog contradicts itself.

    Checks files and rows, one price a key, the level of prices, sizes of one series, terms against hours, memory,
    GPU names, regions and marks. Exit code 6 when there is an error.

    \b
    Examples:
      optimize catalog check
      optimize catalog check --explained --json
    """
    from optimizer.catalog import load_catalog
    from optimizer.catalog.check import check_catalog

    catalog = load_catalog(directory)
    on = as_of.date() if as_of else date.today()  # noqa: DTZ011 - the user's own calendar day
    findings = check_catalog(catalog, on)
    errors = sum(finding.level.value == "error" for finding in findings)
    if as_json:
        emit_json({"ok": errors == 0, "findings": [_record(finding, lang) for finding in findings]}, out)
    else:
        rows = 0 if any(finding.code in ("file", "row") for finding in findings) else len(catalog.offers())
        emit(_report(findings, rows, show_explained, lang), out)
    return EXIT_CHECK_FAILED if errors else EXIT_OK


def _record(finding: "CheckFinding", lang: Language) -> dict[str, str]:
    return {
        "code": finding.code,
        "level": finding.level.value,
        "row": finding.row,
        "found": finding.found,
        "expected": finding.expected.say(lang),
        "reason": finding.reason,
    }


def _report(findings: Sequence["CheckFinding"], rows: int, show_explained: bool, lang: Language) -> str:
    lines = []
    for finding in findings:
        if finding.level.value == "explained" and not show_explained:
            continue
        level = _LEVELS[finding.level.value].say(lang)
        record = {**_record(finding, lang), "level": level}
        lines.append(_LINE.say(lang, **record) + (f" ({finding.reason})" if finding.reason else ""))
    counts = {level: sum(finding.level.value == level for finding in findings) for level in _LEVELS}
    sums = _SUMS.say(lang, rows=rows, errors=counts["error"], warnings=counts["warn"], explained=counts["explained"])
    return "\n".join([*lines, sums])
