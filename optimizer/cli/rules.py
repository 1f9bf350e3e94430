"""`optimize rules`: The documents' rules: id, figures, documents, severity per profile."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from optimizer.cli._common import console, emit, emit_json, output_options
from optimizer.domain.text import Text

if TYPE_CHECKING:
    from rich.table import Table

    from optimizer.domain.text import Language
    from optimizer.domain.workload import ProfileName

#: How to read the table.
LEGEND = Text(
    en="Severity under the profiles documents, strict, floor, off. Figures: strict / documented floor (who states it; "
    "ours: no document). `rules: {ram-total: {ratio: 1.5, severity: warn}}` in a workload file changes one.",
    zh="级别依次为 documents、strict、floor、off 四种配置下的取值。数值：严格值 / 文档底线（出处；ours 表示文档未写）。"
    "在任务文件中写 `rules: {ram-total: {ratio: 1.5, severity: warn}}` 可更改。",
)
PROFILE_NAMES = ("documents", "strict", "floor", "off")


@click.command()
@click.option("--profile", type=click.Choice(PROFILE_NAMES), help="Only what this profile holds (default: all four).")
@output_options
def command(profile: "ProfileName | None", as_json: bool, out: Path | None, lang: "Language") -> int:
    """The documents' rules: id, figures, documents, severity per profile.

    \b
    Examples:
      optimize rules
      optimize rules --profile floor --lang zh
      optimize rules --json --out rules.json
    """
    from optimizer.rules.listing import listing

    if as_json:
        emit_json(listing(profile or "documents", lang), out)
        return 0
    terminal = console()
    with terminal.capture() as captured:
        for table in (_rules_table(profile, lang), _statements_table(lang)):
            terminal.print(table)
    lines = [line.rstrip() for line in captured.get().splitlines()]
    emit("\n".join([*lines, "", LEGEND.say(lang)]), out)
    return 0


def _rules_table(profile: "ProfileName | None", lang: "Language") -> "Table":
    from optimizer.rules import GROUPS, RULES
    from optimizer.rules.listing import PROFILES, documents, figures

    english = lang == "en"
    table = _table(*(("id", "figures", "documents", "severity") if english else ("编号", "数值", "文档", "级别")))
    shown, group = (profile,) if profile is not None else PROFILES, None
    for rule in RULES:
        if rule.group != group:
            group = rule.group
            table.add_row(f"{group}  {GROUPS[group].say(lang)}", "", "", "")
        words = f"{rule.title.say(lang)}\n{figures(rule) if rule.parameters else rule.formula}"
        severities = " ".join(rule.severity[name].value for name in shown)
        table.add_row(f"  {rule.id}", words, documents(rule), severities)
    return table


def _statements_table(lang: "Language") -> "Table":
    from optimizer.rules.listing import documents
    from optimizer.rules.statements import STATEMENTS

    english = lang == "en"
    table = _table(*(("id", "statement", "documents", "shows") if english else ("编号", "说法", "文档", "见于")))
    for statement in STATEMENTS:
        words = f"{statement.text.say(lang)} [{statement.figure}]"
        table.add_row(f"  {statement.id}", words, documents(statement), statement.shows.say(lang))
    return table


def _table(*columns: str) -> "Table":
    from rich.table import Table

    table = Table(box=None, header_style="", pad_edge=False, padding=(0, 2, 0, 0))
    for name in columns:
        table.add_column(name, overflow="fold", no_wrap=name in (columns[0], columns[2]))
    return table
