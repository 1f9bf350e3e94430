"""Beside each line of a plan: what sort of price it is where it is no list price, and its age where it is old."""

from datetime import timedelta
from typing import Any

import pytest

from optimizer.domain.plan import Plan
from optimizer.reports.say_money import provenance
from optimizer.reports.voice import voice_of
from tests.reports import factory


def marks(plan: Plan, **facts: Any) -> list[str]:
    """What stands after the workload of the plan's first machine line."""
    (first, *others) = plan.purchases
    changed = plan.model_copy(update={"purchases": (first.model_copy(update=facts), *others)})
    voice = voice_of(changed, "en")
    (line, *_) = [line for line in voice.facts.lines if line.purchase.kind == "machine"]
    return provenance(voice, line).split(" · ")[4:]


@pytest.mark.parametrize(
    ("kind", "days", "expected"),
    [
        ("list", 60, []),
        ("list", 61, ["price 61 days old"]),
        ("list", None, ["price undated"]),
        ("quote", 0, ["your quote"]),
        ("quote", 90, ["your quote"]),  # a quote has dates of its own
        ("street", 1, ["street rent"]),
        ("market_quote", None, ["market quote", "price undated"]),
    ],
)
def test_marks(kind: str, days: int | None, expected: list[str]) -> None:
    plan = factory.job()
    observed = None if days is None else plan.as_of - timedelta(days=days)
    assert marks(plan, price_kind=kind, observed=observed) == expected


def test_the_limit_is_the_plans_own() -> None:
    plan = factory.job().model_copy(update={"options": {"max_age_days": 5}})
    assert marks(plan, price_kind="list", observed=plan.as_of - timedelta(days=6)) == ["price 6 days old"]
