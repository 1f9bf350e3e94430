"""Page one: what is signed, what it costs when, for whom, what is bound, and what must be confirmed."""

from collections.abc import Iterable
from decimal import Decimal

from optimizer.domain.plan import CashMonth
from optimizer.reports import charts, say_doubts, say_money, texts, texts_page
from optimizer.reports.html.blocks import Picture, Section, Table, heads_of
from optimizer.reports.html.drawing import drawing
from optimizer.reports.lines import Line
from optimizer.reports.numbers import UNKNOWN, clean
from optimizer.reports.voice import Voice


def sections(voice: Voice) -> Iterable[Section]:
    """The sections of page one."""
    say = voice.say
    if voice.plan.status == "infeasible":
        yield Section("relaxations", say(texts.RELAXATIONS), tables=(_relaxations(voice),))
        yield Section("removals", say(texts.REMOVED_TITLE), tables=(_removals(voice),))
    rates = [said.removeprefix("= ") for said in say_money.rates_of_total(voice)]
    averages = voice.sentence([*rates, say_money.rounding(voice)])
    yield Section("fleet", say(texts_page.FLEET), tables=(_fleet(voice),), note=averages)
    yield Section("cost", say(texts_page.COST_BY_MONTH), pictures=_cost_by_month(voice))
    yield Section("teams", say(texts_page.TEAMS), tables=(_teams(voice),))
    yield from _before_signing(voice)
    yield Section("cash", say(texts_page.CASH_FLOW), pictures=_cash(voice), tables=(_cash_table(voice),))


def _before_signing(voice: Voice) -> Iterable[Section]:
    """What is bound, what must be confirmed, which prices must be asked for."""
    say = voice.say
    if voice.plan.status == "infeasible":
        return
    yield Section("risks", say(texts.RISKS), entries=tuple(say_doubts.locks(voice)))
    nothing = () if voice.plan.unknowns else (say(texts.NOTHING_TO_CONFIRM),)
    yield Section("confirm", say(texts.TO_CONFIRM), tables=(_unknowns(voice),), entries=nothing)
    asked = tuple(say_doubts.quotes(voice))
    yield Section("quotes", say(texts.QUOTES), entries=(*asked, say(texts.QUOTE_COMMAND)) if asked else ())


def _fleet(voice: Voice) -> Table:
    """Machines, then running cost, then the total over both."""
    say, cost = voice.say, voice.plan.cost
    labels = (
        texts_page.CALCULATION,
        texts_page.WHERE,
        texts_page.HOW,
        texts_page.TERM_FROM,
        texts_page.UNTIL,
        texts_page.WORKLOAD,
    )
    heads = heads_of(
        *(say(label) for label in labels), say(texts_page.COST, currency=voice.plan.currency), numbers=(3, 4, 6)
    )
    if cost is None:
        return Table(say(texts_page.FLEET), heads, ())
    total = (say_money.total_label(voice), voice.numbers.amount(cost.total))
    return Table(say(texts_page.FLEET), heads, tuple(_line(voice, line) for line in voice.facts.shown), total)


def _line(voice: Voice, line: Line) -> tuple[str, ...]:
    bought = line.purchase
    return (
        voice.sentence([say_money.product(voice, line), say_money.parts(voice, line)]),
        say_money.place(voice, bought),
        say_money.label(voice, bought) if bought.kind in ("machine", "commitment") else "",
        voice.numbers.day(line.start),
        voice.numbers.day(line.end),
        voice.join(clean(work) for work in bought.workloads),
        voice.numbers.amount(line.cost),
    )


def _cost_by_month(voice: Voice) -> tuple[Picture, ...]:
    accrued = voice.facts.accrued
    if voice.facts.busy_months < 2 or not accrued:
        return ()
    names = {**texts.KINDS, **texts.TERMS}
    labels = _month_labels(voice.plan.cash_flow)
    shown = [(voice.name(names, key), values) for key, values in accrued.items()]
    amount = voice.numbers.amount
    values = "; ".join(f"{name} {amount(Decimal(str(sum(values))))}" for name, values in shown)
    title = voice.say(texts_page.COST_BY_MONTH)
    alt = charts.Alt("cost-chart", title, voice.say(texts_page.CHART_VALUES, label=voice.plan.currency, values=values))
    svg = charts.stacked_bars(labels, [values for _, values in shown], alt)
    legend = tuple((number, name) for number, (name, _) in enumerate(shown))
    return (drawing(title, svg, f"{voice.plan.currency}. {voice.say(texts_page.COST_BY_MONTH_NOTE)}", legend),)


def _month_labels(months: Iterable[CashMonth]) -> list[str]:
    """Calendar months by their names; months that begin on another day by that day."""
    starts = [month.start for month in months]
    are_calendar = all(start.day == 1 for start in starts)
    return [start.isoformat()[:7] if are_calendar else start.isoformat() for start in starts]


def _cash(voice: Voice) -> tuple[Picture, ...]:
    months = voice.plan.cash_flow
    if voice.facts.busy_months < 2:
        return ()
    labels = _month_labels(months)
    values = "; ".join(
        f"{label} {voice.numbers.amount(month.amount)}" for label, month in zip(labels, months, strict=True)
    )
    title = voice.say(texts_page.CASH_FLOW)
    alt = charts.Alt("cash-chart", title, voice.say(texts_page.CHART_VALUES, label=voice.plan.currency, values=values))
    budget = voice.facts.budget
    svg = charts.cash_bars(labels, [float(m.amount) for m in months], None if budget is None else float(budget), alt)
    dashed = voice.say(texts_page.CASH_BUDGET_NOTE) if budget is not None else ""
    return (drawing(title, svg, f"{voice.plan.currency}. {voice.say(texts_page.CASH_NOTE)}{dashed}"),)


def _cash_table(voice: Voice) -> Table:
    say, currency = voice.say, voice.plan.currency
    heads = heads_of(
        say(texts_page.MONTH),
        say(texts_page.AMOUNT, currency=currency),
        say(texts_page.RUNNING_TOTAL, currency=currency),
        numbers=(1, 2),
    )
    rows, running = [], Decimal(0)
    for month in voice.plan.cash_flow:
        running += month.amount
        rows.append((voice.numbers.day(month.start), voice.numbers.amount(month.amount), voice.numbers.amount(running)))
    return Table(say(texts_page.CASH_FLOW), heads, tuple(rows))


def _teams(voice: Voice) -> Table:
    say, cost = voice.say, voice.plan.cost
    heads = heads_of(
        say(texts_page.TEAM),
        say(texts_page.COST, currency=voice.plan.currency),
        say(texts_page.SHARE),
        numbers=(1, 2),
    )
    if cost is None:
        return Table(say(texts_page.TEAMS), heads, ())
    rows = [
        (clean(team) or say(texts.NO_TEAM), voice.numbers.amount(share), _share(voice, share, cost.total))
        for team, share in voice.facts.teams.items()
    ]
    total = (say(texts_page.TOTAL), voice.numbers.amount(cost.total), "")
    return Table(say(texts_page.TEAMS), heads, tuple(rows), total)


def _share(voice: Voice, part: Decimal, total: Decimal) -> str:
    return voice.numbers.percent(float(part / total)) if total else UNKNOWN


def _unknowns(voice: Voice) -> Table:
    say = voice.say
    labels = (texts_page.RULE, texts_page.WHAT, texts_page.OFFER, texts_page.WHOM)
    rows = tuple(say_doubts.offers_by_fact(voice))
    return Table(say(texts.TO_CONFIRM), heads_of(*(say(label) for label in labels)), rows)


def _relaxations(voice: Voice) -> Table:
    heads = heads_of(*(voice.say(h, currency=voice.plan.currency) for h in texts.RELAXATION_HEADS), numbers=(2,))
    rows = [
        (
            voice.name(texts.DIRECTIONS, least.direction),
            voice.described(voice.either(least.change_en, least.change_zh)),
            voice.numbers.amount(least.cost),
        )
        for least in voice.plan.relaxations
    ]
    return Table(voice.say(texts.RELAXATIONS), heads, tuple(rows))


def _removals(voice: Voice) -> Table:
    heads = heads_of(*(voice.say(head) for head in texts.REMOVED_HEADS), numbers=(1, 2))
    rows = [(voice.phrase(step.filter), f"{step.removed:,}", f"{step.left:,}") for step in voice.plan.removals]
    return Table(voice.say(texts.REMOVED_TITLE), heads, tuple(rows))
