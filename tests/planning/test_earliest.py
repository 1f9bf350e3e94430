"""`--objective time` when its time is over: the plan at hand, which says that an earlier end was not settled."""

import pytest

from optimizer.app.plan import check
from optimizer.planning.pipeline import Planner
from optimizer.reports.say_money import proof
from optimizer.reports.voice import voice_of
from tests.cases.support import planner

LORA = "currency: CNY\nmodel: {preset: llama-2-7b}\nmethod: lora\ntokens: 2.0e9\nsequence_length: 1024\n"


def test_a_plan_whose_earliest_end_is_not_settled_verifies_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = planner(LORA, "runpod/global/*", objective="time")
    seconds = iter([60.0])
    monkeypatch.setattr(Planner, "seconds_left", property(lambda _: next(seconds, 0.0)))
    plan, _ = asked.plan()
    assert not asked.is_earliest_proven
    assert plan.status == "feasible"
    check(plan, asked.catalog)
    assert "whether a plan can end earlier was not settled" in proof(voice_of(plan, "en"))


def test_a_settled_one_is_proven() -> None:
    asked = planner(LORA, "runpod/global/*", objective="time")
    plan, _ = asked.plan()
    assert plan.status == "optimal"
    check(plan, asked.catalog)
    assert "No plan within the limits ends earlier" in proof(voice_of(plan, "en"))
