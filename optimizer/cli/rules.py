"""`optimize rules`: The documents' rules: id, figures, documents, severity per profile."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from optimizer.cli._common import console, emit, emit_json, output_options
from optimizer.domain.text import Text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from optimizer.domain.text import Language
    from optimizer.domain.workload import ProfileName
    from optimizer.rules.rule import Parameter, Rule
    from optimizer.rules.statements import Statement

#: How to read the list.
LEGEND = Text(
    en="Figures: strict / documented floor (who states it; ours: no document). In a workload file "
    "`rules: {ram-total: {ratio: 1.5, severity: warn}}` changes one.",
    zh="数值：严格值 / 文档底线（出处；“本产品”表示文档未写）。在任务文件中写 "
    "`rules: {ram-total: {ratio: 1.5, severity: warn}}` 可更改。",
)
PROFILE_NAMES = ("documents", "strict", "floor", "off")
IN_EVERY_PROFILE = Text("{severity} in every profile", "各档均为{severity}")
IN_PROFILES = Text("{severity} in {profiles}", "{profiles}：{severity}")
STATEMENTS_TITLE = Text("What the documents say beside the rules", "规则之外，文档还说")
SHOWS = Text("seen in {place}", "见于{place}")
WIDEST = 110


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
    from rich.console import Group

    terminal = console()
    with terminal.capture() as captured:
        for block in _blocks(profile, lang):
            terminal.print(Group(block), width=min(terminal.width, WIDEST))
    lines = [line.rstrip() for line in captured.get().splitlines()]
    emit("\n".join(lines), out)
    return 0


def _blocks(profile: "ProfileName | None", lang: "Language") -> "Iterator[RenderableType]":
    """The legend, then each group with its rules, then the statements, each as a heading with lines under it."""
    from optimizer.rules import GROUPS, RULES
    from optimizer.rules.statements import STATEMENTS

    yield _plain(LEGEND.say(lang))
    group = None
    for rule in RULES:
        if rule.group != group:
            group = rule.group
            yield from ("", _plain(f"{group}  {GROUPS[group].say(lang)}", "bold"))
        yield from _rule(rule, profile, lang)
    yield from ("", _plain(STATEMENTS_TITLE.say(lang), "bold"))
    for statement in STATEMENTS:
        yield from _statement(statement, lang)


def _rule(rule: "Rule", profile: "ProfileName | None", lang: "Language") -> "Iterator[RenderableType]":
    from optimizer.rules.listing import documents, formula

    yield from ("", _plain(f"{rule.id}  {rule.title.say(lang)}"))
    yield _under(f"{severities(rule, profile, lang)} · {documents(rule)}")
    yield _figures(rule.parameters, lang) if rule.parameters else _under(formula(rule, lang))


def _statement(statement: "Statement", lang: "Language") -> "Iterator[RenderableType]":
    from optimizer.rules.listing import documents

    shows = SHOWS.say(lang, place=statement.shows.say(lang))
    figure = [statement.figure] if statement.figure.strip("–- ") else []
    yield from ("", _plain(" · ".join((statement.id, *figure, documents(statement), shows))))
    yield _under(statement.text.say(lang))


def severities(rule: "Rule", profile: "ProfileName | None", lang: "Language") -> str:
    """How hard a rule is, and in which profiles: "hard in documents, strict, floor; note in off"."""
    from optimizer.reports.texts import SEVERITIES
    from optimizer.rules.listing import PROFILES

    named = {name: SEVERITIES[rule.severity[name].value].say(lang) for name in PROFILES}
    if profile is not None:
        return named[profile]
    if len(set(named.values())) == 1:
        return IN_EVERY_PROFILE.say(lang, severity=named["documents"])
    holders: dict[str, list[str]] = {}
    for name, severity in named.items():
        holders.setdefault(severity, []).append(name)
    said = [IN_PROFILES.say(lang, severity=severity, profiles=", ".join(names)) for severity, names in holders.items()]
    return ("; " if lang == "en" else "；").join(said)


def _figures(parameters: "tuple[Parameter, ...]", lang: "Language") -> "RenderableType":
    """Each figure on its own line: name, then strict / floor with unit and documents."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text as Styled

    from optimizer.rules.listing import figure

    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for parameter in parameters:
        name, _, value = figure(parameter, lang).partition(" ")
        grid.add_row(Styled(name), Styled(value))
    return Padding(grid, (0, 0, 0, 2))


def _plain(said: str, style: str = "") -> "RenderableType":
    from optimizer.domain.wrapping import Styled

    return Styled(said, style=style)


def _under(said: str) -> "RenderableType":
    from rich.padding import Padding

    return Padding(_plain(said), (0, 0, 0, 2))
