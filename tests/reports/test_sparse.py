"""Plans with next to nothing in them: every output says what is unknown instead of failing or inventing."""

from decimal import Decimal

import pytest

from optimizer.domain.plan import Cost, Plan
from optimizer.domain.text import Language
from optimizer.reports.html import render_html
from optimizer.reports.workbook import write_workbook
from tests.reports import factory, parts
from tests.reports.test_terminal import flat, screen

ZERO = Cost(total=Decimal(0), bound=Decimal(0), gap=Decimal(0), by_month=(), by_team={}, by_term={})


@pytest.fixture(params=["optimal", "feasible", "infeasible"])
def bare(request: pytest.FixtureRequest) -> Plan:
    """A plan of which only the frame is known."""
    cost = None if request.param == "infeasible" else ZERO
    return parts.plan(status=request.param, cost=cost, catalog=None, inputs={}, versions={})


def test_a_bare_plan_renders_everywhere(bare: Plan, language: Language) -> None:
    assert screen(bare, language)
    assert render_html(bare, language).startswith("<!doctype html>")
    assert write_workbook(bare, language).startswith(b"PK")


def test_what_is_not_in_the_file_is_not_invented(bare: Plan) -> None:
    shown = flat(screen(bare))
    assert "not stated in the plan file" in shown  # tax
    assert "Catalog" not in shown
    assert "Budget" not in shown
    if bare.status != "infeasible":
        assert "Saving against the naive plan: unknown (no naive plan was computed)" in shown


def test_unknown_memory_and_speed_are_words(language: Language) -> None:
    plan = factory.rented()
    used = plan.assignments[0].model_copy(
        update={"memory_gib_per_gpu": {}, "tokens_per_second": None, "interval": None, "layout": None, "rules": ()}
    )
    shown = flat(screen(plan.model_copy(update={"assignments": (used,)}), language))
    assert {"en": "not computed; 22.3 GiB there per GPU", "zh": "未计算；每卡可用 22.3 GiB"}[language] in shown
    assert "0 tokens" not in shown
    assert "per million tokens" not in shown


def test_a_budget_in_another_currency_is_not_subtracted() -> None:
    plan = factory.rented()
    other = plan.model_copy(update={"inputs": {**plan.inputs, "currency": "USD"}})
    shown = flat(screen(other))
    assert "Budget 40,000.00 USD" in shown
    assert "left" not in shown
