"""The plan on a terminal: what to sign first, then what runs, what it costs, and why it is believed.

Looks the same in a pipe; colour only repeats what words say. Widths are counted in cells: a Chinese character
takes two.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from optimizer.domain.plan import Plan
from optimizer.domain.text import Language, Text
from optimizer.reports import say_doubts, say_grounds, say_habits, say_money, say_work, texts, texts_habits
from optimizer.reports.numbers import clean
from optimizer.reports.voice import Voice, voice_of

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

MOST_ALTERNATIVES = 3
WIDEST = 120
#: Columns kept free where a terminal with a Chinese font may show "×" two columns wide.
AMBIGUOUS_MARGIN = 4
STRONG, QUIET, GOOD, CAUTION, BAD = "bold", "dim", "green", "yellow", "bold red"


def render_plan(plan: Plan, language: Language, console: "Console", sensitivity: str | None = None) -> None:
    """Print a plan or, when there is none, what would give one. `sensitivity` is one line, shown as it is."""
    if plan.status == "infeasible":
        render_infeasible(plan, language, console)
        return
    voice = voice_of(plan, language)
    _decision(voice, console, clean(sensitivity or ""))
    _purchases(voice, console)
    _runs(voice, console)
    _alternatives(voice, console)
    _list(voice, console, texts_habits.HABITS_TITLE, say_habits.habits(voice))
    _rules(voice, console)
    _confirm(voice, console)
    _list(voice, console, texts.RISKS, say_doubts.locks(voice))
    _grounds(voice, console)


def render_infeasible(plan: Plan, language: Language, console: "Console") -> None:
    """Print the least changes that give a plan, what fits by priority, and what each filter removed."""
    voice = voice_of(plan, language)
    _print(console, voice.say(texts.NO_PLAN), BAD)
    if plan.interrupted:
        _print(console, f"! {voice.say(texts.INTERRUPTED)}", CAUTION)
    _relaxations(voice, console)
    if plan.assignments:
        _title(console, voice.say(texts.BEST_SUBSET))
        _print(console, say_money.headline(voice))
        _purchases(voice, console)
        _runs(voice, console)
    _removals(voice, console)
    _grounds(voice, console)


# --- sections --------------------------------------------------------------------------------------------


def _decision(voice: Voice, console: "Console", sensitivity: str) -> None:
    """What to do, how sure that is, what it saves, and what would change it first."""
    _print(console, say_money.headline(voice), STRONG)
    _print(console, say_money.proof(voice), GOOD if voice.plan.status == "optimal" else CAUTION)
    _print(console, say_money.saving(voice))
    _print(console, sensitivity)
    for caution in say_money.cautions(voice):
        _print(console, f"! {caution}", CAUTION)


def _purchases(voice: Voice, console: "Console") -> None:
    """Every line as a product with its cost, the total and what it means."""
    cost = voice.plan.cost
    if cost is None:
        return
    _title(console, voice.say(texts.WHAT_TO_TAKE))
    for line in voice.facts.shown:
        _priced(console, say_money.product(voice, line), voice.numbers.money(line.cost))
        _under(console, say_money.provenance(voice, line), QUIET)
    _priced(console, say_money.total_label(voice), voice.numbers.money(cost.total), STRONG)
    for said in say_money.rates_of_total(voice):
        _under(console, said)
    _under(console, say_money.rounding(voice), QUIET)
    _pairs(console, _shares(voice))
    _list(voice, console, texts.SUNK, say_work.sunk(voice))


def _shares(voice: Voice) -> list[tuple[str, str]]:
    """Cost by team (when there is more than one), by term, and the highest cash month."""
    cost, numbers = voice.plan.cost, voice.numbers
    if cost is None:
        return []
    rows = []
    if len(voice.facts.teams) > 1:
        teams = [
            f"{clean(team) or voice.say(texts.NO_TEAM)} {numbers.money(share)}"
            for team, share in voice.facts.teams.items()
        ]
        rows.append((voice.say(texts.BY_TEAM), voice.join(teams)))
    shares = {term: share for term, share in cost.by_term.items() if share}
    if len(shares) > 1:
        terms = {**texts.KINDS, **texts.TERMS}
        dearest = sorted(shares.items(), key=lambda item: -item[1])
        said = [f"{voice.name(terms, term)} {numbers.money(share)}" for term, share in dearest]
        rows.append((voice.say(texts.BY_TERM), voice.join(said)))
    highest = voice.facts.highest_month
    if highest and len(voice.plan.cash_flow) > 1:
        date, amount = highest
        said_month = voice.say(texts.IN_MONTH_FROM, amount=numbers.money(amount), date=numbers.day(date))
        rows.append((voice.say(texts.HIGHEST_MONTH), said_month))
    return rows


def _runs(voice: Voice, console: "Console") -> None:
    if not voice.facts.stretches:
        return
    _title(console, voice.say(texts.WHAT_RUNS))
    for stretch in voice.facts.stretches:
        team = stretch.assignment.team
        name = clean(stretch.assignment.workload)
        _print(console, name + voice.aside(voice.say(texts.TEAM, team=clean(team))) if team else name)
        _pairs(console, say_work.rows(voice, stretch))


def _alternatives(voice: Voice, console: "Console") -> None:
    rows = []
    for other in voice.plan.alternatives[:MOST_ALTERNATIVES]:
        title = say_doubts.alternative(voice, other)
        finish = voice.facts.date_of(other.finish_day) if other.finish_day is not None else None
        extra = voice.numbers.amount(other.extra)
        rows.append((title, voice.numbers.amount(other.cost), extra, voice.numbers.day(finish)))
    heads = [voice.say(head, currency=voice.plan.currency) for head in texts.ALTERNATIVE_HEADS]
    _table(voice, console, texts.ALTERNATIVES, heads, rows)


def _rules(voice: Voice, console: "Console") -> None:
    """What binding rules cost, what lies below the strictest figure, and warnings."""
    priced = [say_doubts.rule_price(voice, price) for price in voice.plan.rule_prices]
    below = voice.join(clean(rule) for rule in voice.plan.rules_below_strict)
    if below:
        priced.append(voice.say(texts.BELOW_STRICT, rules=below))
    _list(voice, console, texts.BINDING_RULES, priced)
    _list(voice, console, texts.WARNINGS, say_doubts.warnings(voice), CAUTION)
    _list(voice, console, texts.DOCUMENTS_SAY, say_doubts.advice(voice))


def _confirm(voice: Voice, console: "Console") -> None:
    _title(console, voice.say(texts.TO_CONFIRM))
    groups = say_doubts.unknowns(voice)
    for offer, facts in groups:
        _print(console, offer)
        _bullets(console, facts)
    if not groups:
        _bullets(console, [voice.say(texts.NOTHING_TO_CONFIRM)])
    _list(voice, console, texts.QUOTES, say_doubts.quotes(voice))


def _grounds(voice: Voice, console: "Console") -> None:
    """Assumptions, sources and notes: the last block of every screen."""
    _title(console, voice.say(texts.ASSUMPTIONS))
    _pairs(console, say_grounds.assumptions(voice))
    _title(console, voice.say(texts.SOURCES))
    _pairs(console, say_grounds.sources(voice))
    _list(voice, console, texts.NOTES, map(voice.phrase, voice.plan.notes))


def _relaxations(voice: Voice, console: "Console") -> None:
    rows = [
        (
            voice.name(texts.DIRECTIONS, least.direction),
            voice.described(voice.either(least.change_en, least.change_zh)),
            voice.numbers.amount(least.cost),
        )
        for least in voice.plan.relaxations
    ]
    heads = [voice.say(head, currency=voice.plan.currency) for head in texts.RELAXATION_HEADS]
    if rows:
        _table(voice, console, texts.RELAXATIONS, heads, rows, figures=1)
    else:
        _list(voice, console, texts.RELAXATIONS, [voice.say(texts.NO_RELAXATION)])


def _removals(voice: Voice, console: "Console") -> None:
    rows = [(voice.phrase(step.filter), f"{step.removed:,}", f"{step.left:,}") for step in voice.plan.removals]
    heads = [voice.say(head) for head in texts.REMOVED_HEADS]
    _table(voice, console, texts.REMOVED_TITLE, heads, rows, figures=2)


# --- building blocks -------------------------------------------------------------------------------------


def _show(console: "Console", block: "RenderableType") -> None:
    from rich.console import Group

    console.print(Group(block), width=min(console.width, WIDEST))


def _print(console: "Console", said: str, style: str = "") -> None:
    from optimizer.domain.wrapping import Styled

    if said:
        _show(console, Styled(said, style=style))


def _title(console: "Console", title: str) -> None:
    console.print()
    _print(console, title, STRONG)


def _list(voice: Voice, console: "Console", title: Text, entries: Iterable[str], style: str = "") -> None:
    """A titled list; nothing at all when it is empty."""
    kept = [entry for entry in entries if entry]
    if kept:
        _title(console, voice.say(title))
        _bullets(console, kept, style)


def _bullets(console: "Console", entries: Iterable[str], style: str = "") -> None:
    """A list, each entry wrapped under its own text."""
    from rich.table import Table

    from optimizer.domain.wrapping import Styled

    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for entry in entries:
        grid.add_row(Styled("-", style=QUIET), Styled(entry, style=style))
    _show(console, grid)


def _pairs(console: "Console", rows: Iterable[tuple[str, str]]) -> None:
    """Labels and statements; a label that repeats is shown once, empty statements not at all."""
    from rich.table import Table

    from optimizer.domain.wrapping import Styled

    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    previous = ""
    for label, said in rows:
        if said:
            grid.add_row(Styled(f"  {label}" if label != previous else "", style=QUIET), Styled(said))
            previous = label
    if grid.row_count:
        _show(console, grid)


def _priced(console: "Console", said: str, money: str, style: str = "") -> None:
    """Text on the left, money on the right."""
    from rich.padding import Padding
    from rich.table import Table

    from optimizer.domain.wrapping import Styled

    grid = Table.grid(padding=(0, 2), expand=True)
    grid.add_column(overflow="fold", ratio=1)
    grid.add_column(no_wrap=True, justify="right")
    grid.add_row(Styled(said, style=style), Styled(money, style=style))
    _show(console, Padding(grid, (0, AMBIGUOUS_MARGIN, 0, 0)))


def _under(console: "Console", said: str, style: str = "") -> None:
    """A line that belongs to the one above, its indent kept when it wraps."""
    from rich.padding import Padding

    from optimizer.domain.wrapping import Styled

    if said:
        _show(console, Padding(Styled(said, style=style), (0, 0, 0, 2)))


def _table(
    voice: Voice,
    console: "Console",
    title: Text,
    heads: list[str],
    rows: Iterable[tuple[str, ...]],
    figures: int = 3,
) -> None:
    """A titled table whose last `figures` columns are right-aligned and never wrapped; nothing when empty."""
    from rich.table import Table

    from optimizer.domain.wrapping import Styled

    kept = list(rows)
    if not kept:
        return
    _title(console, voice.say(title))
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style=QUIET)
    for position, head in enumerate(heads):
        is_figure = position >= len(heads) - figures
        table.add_column(Styled(head), justify="right" if is_figure else "left", no_wrap=is_figure, overflow="fold")
    for row in kept:
        table.add_row(*(Styled(cell) for cell in row))
    _show(console, table)
