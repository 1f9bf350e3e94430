"""Sentences on what habits of buying would pay for the same work."""

from collections.abc import Iterator
from decimal import Decimal

from optimizer.domain.plan import HabitBaseline
from optimizer.reports import texts, texts_habits
from optimizer.reports.numbers import clean
from optimizer.reports.say_money import SAME_FRACTION
from optimizer.reports.voice import Voice


def habits(voice: Voice) -> Iterator[str]:
    """One sentence a habit: its pick, what that costs, and the saving or why none is stated."""
    for habit in voice.plan.baselines:
        name = voice.name(texts_habits.HABITS, habit.kind)
        if habit.cost is None:
            verdict = voice.name(texts_habits.STATES, habit.status)
            yield voice.say(texts_habits.HABIT_ALONE, habit=name, verdict=verdict)
            continue
        text = texts_habits.HABIT_AT_LEAST if habit.missing else texts_habits.HABIT
        yield voice.say(
            text,
            habit=name,
            description=voice.described(habit.description),
            cost=voice.numbers.money(habit.cost),
            verdict=voice.sentence(_verdict(voice, habit)),
        )


def _verdict(voice: Voice, habit: HabitBaseline) -> Iterator[str]:
    if habit.broken:
        yield voice.say(texts_habits.BREAKS, rules=voice.join(clean(rule) for rule in habit.broken))
    if habit.missing:
        what = voice.join(voice.name(texts.UNPRICED, item) for item in habit.missing)
        yield voice.say(texts_habits.UNPRICED, what=what)
    elif voice.plan.incomplete and not habit.broken:
        yield voice.say(texts_habits.PLAN_UNPRICED)
    if habit.saving is not None and habit.cost:
        yield _saving(voice, habit.saving, habit.cost)


def _saving(voice: Voice, saving: Decimal, cost: Decimal) -> str:
    fraction = float(saving / cost)
    if abs(fraction) < SAME_FRACTION:
        return voice.say(texts_habits.SAME)
    return voice.say(
        texts_habits.CHEAPER if saving > 0 else texts_habits.DEARER,
        difference=voice.numbers.money(abs(saving)),
        percent=voice.numbers.percent(abs(fraction)),
    )
