"""The report's page: title, decision, key figures, and its sections in reading order."""

from dataclasses import dataclass
from typing import Any

from optimizer.domain.money import places_of
from optimizer.reports import say_money, texts, texts_page
from optimizer.reports.html import engineers, finance
from optimizer.reports.html.blocks import Section, kept
from optimizer.reports.numbers import UNKNOWN
from optimizer.reports.voice import Voice


@dataclass(frozen=True, slots=True)
class Page:
    """All that the template lays out."""

    language: str
    style: str
    title: str
    skip: str
    contents: str
    for_engineers: str
    footer: str
    headline: str
    decision: tuple[tuple[str, str], ...]
    figures: tuple[tuple[str, str], ...]
    finance: tuple[Section, ...]
    engineers: tuple[Section, ...]


def page_of(voice: Voice, style: str, breakeven: dict[str, Any] | None, sensitivity: dict[str, Any] | None) -> Page:
    """The page of a plan, or of the search for one where there is none."""
    cost = voice.plan.cost
    total = voice.numbers.money(cost.total if cost else None)
    is_plan = voice.plan.status != "infeasible"
    return Page(
        language="zh-CN" if voice.language == "zh" else "en",
        style=style,
        title=voice.say(texts_page.TITLE, total=total) if is_plan else voice.say(texts.NO_PLAN),
        skip=voice.say(texts_page.SKIP),
        contents=voice.say(texts_page.CONTENTS),
        for_engineers=voice.say(texts_page.FOR_ENGINEERS),
        footer=voice.say(texts_page.FOOTER),
        headline=say_money.headline(voice) if is_plan else voice.say(texts.NO_PLAN),
        decision=_decision(voice, sensitivity) if is_plan else (),
        figures=_figures(voice) if is_plan else (),
        finance=kept(finance.sections(voice)),
        engineers=kept(engineers.sections(voice, breakeven, sensitivity)),
    )


def _decision(voice: Voice, sensitivity: dict[str, Any] | None) -> tuple[tuple[str, str], ...]:
    """The decision's paragraphs, each with its CSS class; of the sensitivity what changes the answer first."""
    proven = "good" if voice.plan.status == "optimal" else "caution"
    said = [(say_money.proof(voice), proven), (say_money.saving(voice), "")]
    said += [(first, "") for first in list(engineers.ranges_told(voice, sensitivity))[:1]]
    said += [(caution, "caution") for caution in say_money.cautions(voice)]
    return tuple((sentence, kind) for sentence, kind in said if sentence)


def _figures(voice: Voice) -> tuple[tuple[str, str], ...]:
    """The key figures of the decision."""
    plan, facts, numbers = voice.plan, voice.facts, voice.numbers
    cost, highest, baseline = plan.cost, facts.highest_month, plan.baseline
    saved = baseline.saving if baseline else None
    gap = UNKNOWN
    if cost is not None:
        share = numbers.percent(float(cost.gap / cost.bound)) if cost.bound > 0 else UNKNOWN
        is_proven = plan.status == "optimal"
        gap = voice.say(texts_page.GAP_ZERO) if is_proven else voice.say(texts_page.GAP, percent=share)
    rows = (
        (texts_page.TOTAL, numbers.money(cost.total if cost else None)),
        (texts_page.AVERAGE, numbers.money(facts.per_month)),
        (texts_page.HIGHEST, numbers.money(highest[1] if highest else None)),
        (texts_page.FINISH, numbers.day(facts.finish)),
        (texts_page.SAVED, voice.say(texts_page.UNKNOWN) if saved is None else _signed(voice, saved)),
        (texts_page.STATUS, gap),
    )
    return tuple((voice.say(label), said) for label, said in rows)


def _signed(voice: Voice, saved: Any) -> str:
    """A saving as what it does to the bill: less is negative; what rounds to nothing is the same."""
    if round(saved, places_of(voice.plan.currency)) == 0:
        return voice.say(texts_page.NO_DIFFERENCE)
    return f"{'−' if saved >= 0 else '+'}{voice.numbers.money(abs(saved))}"
