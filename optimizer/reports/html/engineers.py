"""The rest of the report: what runs, what else was possible, rules, use of machines, prices, proof."""

from collections.abc import Iterable, Mapping
from typing import Any

from optimizer.domain.plan import Assignment
from optimizer.reports import (
    charts,
    say_doubts,
    say_grounds,
    say_habits,
    say_money,
    say_work,
    texts,
    texts_habits,
    texts_page,
)
from optimizer.reports.facts import Stretch
from optimizer.reports.html import surface
from optimizer.reports.html.blocks import Card, Picture, Section, Table, heads_of
from optimizer.reports.html.drawing import drawing
from optimizer.reports.numbers import UNKNOWN, clean
from optimizer.reports.voice import Voice


def sections(voice: Voice, breakeven: dict[str, Any] | None, sensitivity: dict[str, Any] | None) -> Iterable[Section]:
    """The sections for engineers, in reading order."""
    say, plan = voice.say, voice.plan
    stretches = enumerate(voice.facts.stretches)
    yield Section("work", say(texts.WHAT_RUNS), cards=tuple(_work(voice, number, run) for number, run in stretches))
    yield Section("alternatives", say(texts.ALTERNATIVES), tables=(_alternatives(voice),))
    yield Section("habits", say(texts_habits.HABITS_TITLE), entries=tuple(say_habits.habits(voice)))
    yield Section("rule-prices", say(texts.BINDING_RULES), entries=tuple(_rule_prices(voice)))
    yield Section("warnings", say(texts.WARNINGS), entries=tuple(say_doubts.warnings(voice)))
    yield Section("advice", say(texts.DOCUMENTS_SAY), entries=tuple(say_doubts.advice(voice)))
    if breakeven:
        yield surface.section(voice, breakeven)
    yield Section("sensitivity", say(texts.SENSITIVITY), entries=tuple(ranges_told(voice, sensitivity)))
    yield Section("rules", say(texts_page.RULES), tables=tuple(_rules(voice)))
    yield Section("use", say(texts_page.USE), tables=(_usage(voice), _quotas(voice)), entries=tuple(_sunk(voice)))
    if plan.removals and plan.status != "infeasible":
        yield Section("removals", say(texts.REMOVED_TITLE), tables=(_removals(voice),))
    yield Section("prices", say(texts_page.PRICES_USED), tables=(_prices(voice),))
    yield Section("assumptions", say(texts.ASSUMPTIONS), pairs=tuple(say_grounds.assumptions(voice)))
    proof = [(say(texts_page.PROOF), say_money.proof(voice)), *say_grounds.sources(voice)]
    yield Section("sources", f"{say(texts_page.PROOF)} · {say(texts.SOURCES)}", pairs=tuple(proof))
    yield Section("notes", say(texts.NOTES), entries=tuple(map(voice.phrase, plan.notes)))


def _work(voice: Voice, number: int, stretch: Stretch) -> Card:
    used = stretch.assignment
    team = voice.aside(voice.say(texts.TEAM, team=clean(used.team))) if used.team else ""
    pictures = (_memory(voice, number, used),) if used.memory_gib_per_gpu.get("total") else ()
    return Card(clean(used.workload) + team, tuple(say_work.rows(voice, stretch)), pictures)


def _memory(voice: Voice, number: int, used: Assignment) -> Picture:
    parts = {name: size for name, size in used.memory_gib_per_gpu.items() if name in texts.PARTS and name != "total"}
    names = [voice.name(texts.PARTS, name) for name in parts]
    title = f"{voice.say(texts.MEMORY)}: {clean(used.workload)}"
    values = "; ".join(f"{name} {voice.numbers.gib(size)}" for name, size in zip(names, parts.values(), strict=True))
    alt = charts.Alt(f"memory-{number}", title, f"{say_work.memory(voice, used)}. {values}")
    svg = charts.memory_bar(list(parts.values()), used.usable_gib, alt)
    legend = tuple(
        (position, f"{name} {voice.numbers.gib(size)}")
        for position, (name, size) in enumerate(zip(names, parts.values(), strict=True))
    )
    return drawing(title, svg, f"GiB. {voice.say(texts_page.MEMORY_NOTE)}", legend)


def _alternatives(voice: Voice) -> Table:
    heads = heads_of(*(voice.say(h, currency=voice.plan.currency) for h in texts.ALTERNATIVE_HEADS), numbers=(1, 2, 3))
    rows = [
        (
            say_doubts.alternative(voice, other),
            voice.numbers.amount(other.cost),
            voice.numbers.amount(other.extra),
            voice.numbers.day(None if other.finish_day is None else voice.facts.date_of(other.finish_day)),
        )
        for other in voice.plan.alternatives
    ]
    return Table(voice.say(texts.ALTERNATIVES), heads, tuple(rows))


def _rule_prices(voice: Voice) -> Iterable[str]:
    for priced in voice.plan.rule_prices:
        yield say_doubts.rule_price(voice, priced)
    below = voice.join(clean(rule) for rule in voice.plan.rules_below_strict)
    if below:
        yield voice.say(texts.BELOW_STRICT, rules=below)


def _rules(voice: Voice) -> Iterable[Table]:
    """One table of verdicts for each configuration that runs."""
    labels = (
        texts_page.RULE,
        texts_page.VERDICT,
        texts_page.SEVERITY,
        texts_page.MEASURED,
        texts_page.REQUIRED,
        texts_page.DOCUMENT,
        texts_page.MESSAGE,
    )
    heads = heads_of(*(voice.say(label) for label in labels))
    for stretch in voice.facts.stretches:
        used = stretch.assignment
        rows = tuple(
            (
                clean(finding.id),
                voice.name(texts.VERDICTS, finding.verdict),
                voice.name(texts.SEVERITIES, finding.severity),
                voice.figure(finding.measured),
                voice.figure(finding.required),
                clean(finding.source),
                voice.either(finding.message_en, finding.message_zh),
            )
            for finding in used.rules
        )
        yield Table(f"{clean(used.workload)}: {clean(used.instance_type)}", heads, rows)


def _usage(voice: Voice) -> Table:
    labels = (
        texts_page.WORKLOAD,
        texts_page.POOL,
        texts_page.WHEN,
        texts_page.FROM_UNITS,
        texts_page.HOURLY,
        texts_page.ON_SPOT,
        *([texts_page.COVERED] if any(used.covered for used in voice.plan.usage) else []),
        texts_page.HOURS,
    )
    date_of, numbers = voice.facts.date_of, voice.numbers
    has_covered = texts_page.COVERED in labels
    rows = tuple(
        (
            clean(used.workload),
            clean(used.pool),
            f"{numbers.day(date_of(used.from_day))} / {numbers.day(date_of(used.to_day))}",
            str(used.from_units),
            str(used.hourly),
            str(used.spot),
            *([str(used.covered)] if has_covered else []),
            numbers.hours(used.hours),
        )
        for used in voice.plan.usage
    )
    return Table(
        voice.say(texts_page.USE),
        heads_of(*(voice.say(label) for label in labels), numbers=tuple(range(3, len(labels)))),
        rows,
    )


def _sunk(voice: Voice) -> Iterable[str]:
    for said in say_work.sunk(voice):
        yield f"{voice.say(texts.SUNK)}: {said}"


def _quotas(voice: Voice) -> Table:
    heads = heads_of(voice.say(texts_page.QUOTA), voice.say(texts_page.PEAK), numbers=(1,))
    rows = tuple((_quota(voice, used.quota), str(used.peak)) for used in voice.plan.quotas)
    return Table(voice.say(texts.QUOTAS), heads, rows)


def _quota(voice: Voice, quota: Mapping[str, Any]) -> str:
    """What a quota limits and to how many; parts that mean everything are left out."""
    names = {part: str(quota.get(part) or "*") for part in texts_page.QUOTA_PARTS}
    what = [
        voice.say(texts_page.QUOTA_PARTS[part], name=clean(name)) for part, name in names.items() if name != "*"
    ] or [voice.say(texts_page.QUOTA_OF_ALL)]
    term = quota.get("term")
    if term in texts_page.QUOTA_TERMS:
        what.append(voice.say(texts_page.QUOTA_TERMS[term]))
    gpus, nodes = quota.get("max_gpus"), quota.get("max_nodes")
    limits = [voice.numbers.count(count, unit) for count, unit in ((gpus, "gpu"), (nodes, "node")) if count is not None]
    return voice.say(texts_page.QUOTA_IS, what=voice.join(what), limit=voice.join(limits))


def _removals(voice: Voice) -> Table:
    heads = heads_of(*(voice.say(head) for head in texts.REMOVED_HEADS), numbers=(1, 2))
    rows = tuple((voice.phrase(step.filter), f"{step.removed:,}", f"{step.left:,}") for step in voice.plan.removals)
    return Table(voice.say(texts.REMOVED_TITLE), heads, rows)


def _prices(voice: Voice) -> Table:
    """Every price that the total rests on, with kind, date and source."""
    labels = (texts_page.ITEM, texts_page.PRICE, texts_page.KIND, texts_page.SEEN, texts_page.SOURCE)
    rows = []
    for line in voice.facts.lines:
        bought = line.purchase
        kind = voice.name(texts.KINDS, bought.kind)
        term = voice.name(texts.TERMS, bought.term) if bought.kind in ("machine", "commitment") else kind
        price = voice.numbers.unit_price(bought.unit_price, bought.price_currency)
        rows.append(
            (
                f"{clean(line.name)} ({term})",
                f"{price} / {voice.numbers.unit(bought.unit)}",
                voice.name(texts.PRICE_KINDS, bought.price_kind),
                voice.numbers.day(bought.observed) if bought.observed else voice.say(texts_page.NOT_DATED),
                clean(voice.phrase(bought.source)),
            )
        )
    unique = tuple(dict.fromkeys(rows))
    return Table(voice.say(texts_page.PRICES_USED), heads_of(*(voice.say(x) for x in labels), numbers=(1,)), unique)


def ranges_told(voice: Voice, sensitivity: dict[str, Any] | None) -> Iterable[str]:
    """Lines of the sensitivity answer: its own sentences where it has them."""
    for line in (sensitivity or {}).get("lines", ()):
        yield voice.either(str(line.get("en", UNKNOWN)), str(line.get("zh", "")))
