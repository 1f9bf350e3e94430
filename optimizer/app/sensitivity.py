"""How far each input may go before the answer changes, in figures and words, beside the plan."""

from collections.abc import Iterator
from math import ceil, floor, log
from typing import Any

from optimizer.domain.plan import AskedInput, InputRange, Plan
from optimizer.domain.text import LANGUAGES, Language, Text
from optimizer.explain import texts
from optimizer.explain.sensitivity import NO_PLAN, Sensitivity
from optimizer.planning.pipeline import Planner
from optimizer.planning.search import Outcome
from optimizer.reports.numbers import UNITS, UNKNOWN, Numbers, clean
from optimizer.reports.texts import TERMS
from optimizer.reports.voice import Voice, voice_of

SECONDS = 30.0


def with_sensitivity(planner: Planner, plan: Plan, outcome: Outcome, seconds: float = SECONDS) -> Plan:
    """The plan with the range of each input, and the inputs that are left open when the seconds are over."""
    if not outcome.has_plan:
        return plan
    found = Sensitivity(planner, outcome, seconds).ranges()
    known = tuple(one for one in found if isinstance(one, InputRange))
    left = tuple(one for one in found if not isinstance(one, InputRange))
    return plan.model_copy(update={"sensitivity": known, "sensitivity_open": left})


def sensitivity_lines(plan: Plan) -> dict[str, Any] | None:
    """What the report shows: one line an input in both languages, the first to change the answer on top."""
    if not (plan.sensitivity or plan.sensitivity_open):
        return None
    said = {language: [first_change(plan, language), *_ranges(plan, language)] for language in LANGUAGES}
    return {"lines": [dict(zip(LANGUAGES, pair, strict=True)) for pair in zip(*said.values(), strict=True)]}


def first_change(plan: Plan, language: Language) -> str:
    """The input that changes the answer with the least move, of those whose range is known, and which are open."""
    voice = voice_of(plan, language)
    sentences = [_first_change(plan, voice)] if plan.sensitivity else []
    if plan.sensitivity_open:
        names = voice.join(_name(one, voice) for one in plan.sensitivity_open)
        sentences.append(texts.RANGES_OPEN.say(language, inputs=names))
    return voice.sentences(sentences)


def _first_change(plan: Plan, voice: Voice) -> str:
    language = voice.language
    moves = [(abs(log(factor)), one, factor, beyond) for one in plan.sensitivity for factor, beyond in _ends(one)]
    is_tried = any(one.widest_gap is not None for one in plan.sensitivity)
    if not moves:
        return (texts.NOTHING_CHANGES_TRIED if is_tried else texts.NOTHING_CHANGES).say(language)
    _, one, factor, beyond = min(moves, key=lambda move: (move[0], move[1].input))
    return (texts.FIRST_CHANGE_TRIED if is_tried else texts.FIRST_CHANGE).say(
        language,
        input=_name(one, voice),
        value=_value(one, language),
        side=voice.say(texts.BELOW if factor < 1 else texts.ABOVE),
        factor=_percent(factor),
        plan=_answer(beyond, voice),
    )


def _ends(one: InputRange) -> Iterator[tuple[float, str]]:
    """The ends at which the answer changes, each with the answer beyond."""
    ends = ((one.lower, one.lower_plan), (one.upper, one.upper_plan))
    yield from ((factor, beyond) for factor, beyond in ends if factor is not None)


def _ranges(plan: Plan, language: Language) -> Iterator[str]:
    voice = voice_of(plan, language)
    numbers = voice.numbers
    for one in plan.sensitivity:
        said = texts.RANGE.say(
            language,
            input=_name(one, voice),
            value=_value(one, language),
            lower=_end(one.lower, one.searched[0], numbers),
            upper=_end(one.upper, one.searched[1], numbers),
        )
        said += _tried(one, language)
        if any(True for _ in _ends(one)):
            said += texts.RANGE_THEN.say(
                language, below=_answer(one.lower_plan, voice), above=_answer(one.upper_plan, voice)
            )
        yield said


def _tried(one: InputRange, language: Language) -> str:
    """How closely a range was looked at, where that is not all along."""
    if one.widest_gap is None:
        return ""
    if one.kind == "hours":
        return texts.RANGE_WHOLE_HOURS.say(language)
    return texts.RANGE_TRIED.say(language, gap=f"{ceil(round((one.widest_gap - 1) * 1000, 3)) / 10:g}%")


def _name(one: AskedInput, voice: Voice) -> str:
    """What is moved; a price by its offer and the name of its term, an amount of work by what it is stated in."""
    if one.kind == "tokens":
        return voice.say(texts.AMOUNTS[one.input])
    offer, _, term = one.input.rpartition(" ")
    is_price = bool(offer) and term in TERMS
    said = f"{clean(offer)} {voice.name(TERMS, term)}" if is_price else clean(one.input)
    return texts.INPUTS[one.kind].say(voice.language, name=said)


def _value(one: AskedInput, language: Language) -> str:
    if not one.value:
        return ""
    value = clean(one.value)
    amount, _, unit = value.rpartition("/")
    if unit in UNITS:
        value = f"{amount}/{UNITS[unit][0].say(language).removeprefix('个')}"
    return Text(" ({value})", "（{value}）").say(language, value=value)


def _end(factor: float | None, searched: float, numbers: Numbers) -> str:
    """How far the answer stays, or how far it was looked."""
    if factor is not None:
        return _percent(factor)
    return texts.AT_LEAST_TO.say(numbers.language, percent=numbers.percent(searched))


def _percent(factor: float) -> str:
    """A factor as a percentage with one decimal, rounded towards today's value."""
    tenths = round(factor * 1000, 6)
    return f"{(floor(tenths) if factor > 1 else ceil(tenths)) / 10:g}%"


def _answer(description: str, voice: Voice) -> str:
    if description == NO_PLAN:
        return voice.say(texts.NO_ANSWER)
    return voice.described(description) if description else voice.say(texts.SAME_ANSWER) or UNKNOWN
