"""`optimize catalog check`: Whether the catalog contradicts itself; errors end with exit code 6."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from optimizer.cli._common import emit_json, emit_words, output_options
from optimizer.domain.text import Language, Text
from optimizer.errors import EXIT_CHECK_FAILED, EXIT_OK

if TYPE_CHECKING:
    from optimizer.catalog import Catalog
    from optimizer.catalog.check_ages import Ages
    from optimizer.catalog.findings import CheckFinding

_LINE = Text(
    "{level} {code} {row}: found {found}, expected {expected}", "{level} {code} {row}：实际 {found}，应为 {expected}"
)
_SUMS = Text(
    "{prices} prices of {machines} machines checked: {errors} errors, {warnings} warnings, {explained} explained.",
    "已检查 {machines} 种机器的 {prices} 个价格：{errors} 个错误，{warnings} 个警告，{explained} 个有解释的例外。",
)
_AGES = Text(
    "Of {prices} prices that may be planned on {old} are older than {days} days on {day} and {undated} undated "
    "(--ages shows them by provider).",
    "可用于方案的 {prices} 个价格中，截至 {day} 有 {old} 个超过 {days} 天，{undated} 个无日期（--ages 按供应商列出）。",
)
_LEVELS = {
    "error": Text("error", "错误"),
    "warn": Text("warning", "警告"),
    "note": Text("note", "提示"),
    "explained": Text("explained", "已解释"),
}


@click.command()
@click.option("--catalog", "directory", type=click.Path(path_type=Path), help="Check this catalog alone.")
@click.option(
    "--as-of",
    type=click.DateTime(["%Y-%m-%d"]),
    envvar="OPTIMIZE_AS_OF",
    help="Rates and ages of this day (default: today).",
)
@click.option("--explained", is_flag=True, help="Show the explained exceptions as well.")
@click.option(
    "--max-age", type=click.IntRange(0), default=60, show_default=True, help="Days; older prices are counted."
)
@click.option("--ages", is_flag=True, help="Show old and undated prices by provider.")
@click.option("--exclude-old", is_flag=True, help="Compare no price older than --max-age, and no undated one.")
@output_options
def command(as_json: bool, out: Path | None, lang: Language, **given: Any) -> int:
    """Whether the catalog contradicts itself.

    Checks files and rows, one price a key, the level of prices, sizes of one series, terms against hours, hardware
    against the GPU table, sources against each other, GPU names, regions, marks and ages. Exit code 6 when there is an
    error; old and undated prices are notes.

    \b
    Examples:
      optimize catalog check
      optimize catalog check --explained --json
      optimize catalog check --max-age 90 --ages
    """
    from optimizer.catalog import load_catalog

    catalog = load_catalog(given["directory"])
    on = given["as_of"].date() if given["as_of"] else date.today()  # noqa: DTZ011 - the user's own calendar day
    checked = _checked(catalog, on, given["max_age"], exclude_old=given["exclude_old"])
    if as_json:
        emit_json(checked.record(lang), out)
    else:
        emit_words("\n".join(checked.lines(lang, given)), out)
    return EXIT_CHECK_FAILED if checked.count("error") else EXIT_OK


@dataclass(frozen=True, slots=True)
class _Checked:
    """What a check found; `ages` is None where rows could not be read."""

    findings: "tuple[CheckFinding, ...]"
    ages: "Ages | None"
    machines: int
    prices: int
    on: date

    def count(self, level: str) -> int:
        """How many findings of a level."""
        return sum(finding.level.value == level for finding in self.findings)

    def notes(self) -> "tuple[CheckFinding, ...]":
        """Old and undated prices by provider."""
        return tuple(self.ages.findings()) if self.ages else ()

    def record(self, lang: Language) -> dict[str, Any]:
        """The keys of `--json`."""
        counts = {"machines": self.machines, "prices": self.prices}
        shown = [_record(finding, lang) for finding in (*self.findings, *self.notes())]
        return {"ok": not self.count("error"), **counts, "findings": shown}

    def lines(self, lang: Language, given: dict[str, Any]) -> "Iterator[str]":
        """Findings, then the sums."""
        for finding in (*self.findings, *(self.notes() if given["ages"] else ())):
            if given["explained"] or finding.level.value != "explained":
                yield _line(finding, lang)
        counts = {"errors": self.count("error"), "warnings": self.count("warn"), "explained": self.count("explained")}
        yield _SUMS.say(lang, machines=self.machines, prices=self.prices, **counts)
        if self.ages:
            of = {name: sum(getattr(self.ages, name).values()) for name in ("prices", "old", "undated")}
            yield _AGES.say(lang, day=self.on, days=given["max_age"], **of)


def _checked(catalog: "Catalog", on: date, max_age_days: int, *, exclude_old: bool) -> _Checked:
    from optimizer.catalog.check import check_catalog
    from optimizer.catalog.check_ages import check_ages

    findings = check_catalog(catalog, on, oldest=on - timedelta(days=max_age_days) if exclude_old else None)
    if any(finding.code in ("file", "row") for finding in findings):
        return _Checked(findings, None, 0, 0, on)
    return _Checked(findings, check_ages(catalog, on, max_age_days), catalog.table.sales, catalog.table.prices, on)


def _record(finding: "CheckFinding", lang: Language) -> dict[str, str]:
    return {
        "code": finding.code,
        "level": finding.level.value,
        "severity": finding.level.value,
        "row": finding.row,
        "found": finding.found_in(lang),
        "expected": finding.expected.say(lang),
        "reason": finding.reason,
    }


def _line(finding: "CheckFinding", lang: Language) -> str:
    said = _LINE.say(lang, **{**_record(finding, lang), "level": _LEVELS[finding.level.value].say(lang)})
    return said + (f" ({finding.reason})" if finding.reason else "")
