"""The exact check catches every kind of damage to a plan; what it passes, brute force passes too."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from optimizer.errors import InternalError
from optimizer.program import engine, solve
from optimizer.program.check import Choice, cash_of, objective_of, violations
from optimizer.program.problem import Limits, Problem, QuotaLimit, Service, SpendTerm
from tests.program.instances import random_problem
from tests.program.test_rows import RENT, SMALL, TWO_NODES, UNIT

# Two nodes on days 0-3: one rented on days 0-2 (9), the rest by the hour: 5 on days 0-2, then 2 x 4: 9 + 15 + 8 = 32.
PLAN = Choice(
    placements=(0,),
    units=((0, 1),),
    spend=(),
    services=(Service(0, 0, 3, from_units=1, hourly=1), Service(0, 3, 4, from_units=0, hourly=2)),
)


def test_a_valid_plan_passes_and_is_counted_by_hand() -> None:
    assert violations(SMALL, PLAN) == []
    assert objective_of(SMALL, PLAN) == 32 * UNIT
    # Month 0: rent 9 and days 0-1 by the hour 10; month 1: 5 on day 2 and 8 on day 3.
    assert cash_of(SMALL, PLAN) == {0: 19 * UNIT, 1: 13 * UNIT}


DAMAGE: dict[str, tuple[Problem, Choice, str]] = {
    "no placement": (SMALL, replace(PLAN, placements=(), services=()), "task 0 is placed 0 times"),
    "placed twice": (SMALL, replace(PLAN, placements=(0, 1)), "task 0 is placed 2 times"),
    "no service": (SMALL, replace(PLAN, services=PLAN.services[:1]), "not served as it must be on day 3"),
    "service twice": (SMALL, replace(PLAN, services=(*PLAN.services, PLAN.services[0])), "served twice on day 0"),
    "service outside": (
        SMALL,
        replace(PLAN, services=(*PLAN.services, Service(0, 4, 5, 0, 2))),
        "served on day 4 outside its days",
    ),
    "too few nodes": (
        SMALL,
        replace(PLAN, services=(Service(0, 0, 3, 1, 0), PLAN.services[1])),
        "not served as it must",
    ),
    "negative nodes": (SMALL, replace(PLAN, services=(Service(0, 0, 3, 3, -1), PLAN.services[1])), "not served as it"),
    "no unit": (SMALL, replace(PLAN, units=()), "pool 0 is short of units on day 0"),
    "not sold by the hour": (
        replace(SMALL, placements=(replace(TWO_NODES, hourly_cost=None), SMALL.placements[1])),
        PLAN,
        "not served as it must be",
    ),
    "mixed cluster": (
        replace(SMALL, pools=(replace(SMALL.pools[0], mixable=False), SMALL.pools[1])),
        PLAN,
        "not served as it must be on day 0",
    ),
    "no stock": (replace(SMALL, unit_terms=(replace(RENT, group=1, max_count=0),)), PLAN, "has only 0 units"),
    "quota": (replace(SMALL, quotas=(QuotaLimit(0, "term", ((0, 8),), 7),)), PLAN, "quota 0 is exceeded on day 0"),
    "quota of hours": (replace(SMALL, quotas=(QuotaLimit(0, "hourly", ((0, 1),), 1),)), PLAN, "exceeded on day 3"),
    "rate": (replace(SMALL, max_hourly=UNIT), PLAN, "rented rate is 2000000 micros an hour on day 3"),
    "power": (
        replace(SMALL, unit_terms=(replace(RENT, power_watts=900),), site_power_watts=899),
        PLAN,
        "the site needs 900 W on day 0",
    ),
    "budget": (replace(SMALL, budget=32 * UNIT - 1), PLAN, "exceeds the budget"),
    "monthly budget": (replace(SMALL, monthly_budget=19 * UNIT - 1), PLAN, "in month 0 exceeds the monthly budget"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_found_and_named(name: str) -> None:
    problem, choice, words = DAMAGE[name]
    assert words in "; ".join(violations(problem, choice))


def test_limits_that_are_just_met_pass() -> None:
    problem = replace(
        SMALL,
        budget=32 * UNIT,
        monthly_budget=19 * UNIT,
        max_hourly=2 * UNIT,
        quotas=(QuotaLimit(0, "term", ((0, 8),), 8), QuotaLimit(1, "hourly", ((0, 1),), 2)),
    )
    assert violations(problem, PLAN) == []


def test_covered_nodes_stay_within_the_committed_money() -> None:
    plan = SpendTerm(0, 0, 4, UNIT, ((0, UNIT // 2),), 8 * UNIT, 8 * UNIT, ((0, 8 * UNIT),))
    problem = replace(SMALL, spend_terms=(plan,))
    covered = Service(0, 0, 4, from_units=0, hourly=0, covered=2, covered_by=((0, 2),))
    choice = Choice((0,), (), ((0, 1),), (covered,))
    assert violations(problem, choice) == []  # 2 nodes at 0.5 an hour: the 1 an hour of one step
    assert "covers more than it commits" in violations(problem, replace(choice, spend=()))[0]
    unnamed = replace(choice, services=(replace(covered, covered_by=()),))
    assert "covered by other plans than it says" in violations(problem, unnamed)[0]


def test_a_solver_answer_that_breaks_a_rule_is_a_defect_not_a_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = random_problem(2)[0]
    real: Callable[..., Choice] = engine.choice_of
    monkeypatch.setattr(engine, "choice_of", lambda model, *rest: replace(real(model, *rest), services=()))
    with pytest.raises(InternalError, match="breaks its own rules"):
        solve(problem, Limits(tie_seconds=0.0))
