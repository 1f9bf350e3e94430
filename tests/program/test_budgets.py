"""Tight monthly budgets: the quick check is right, plans are found past those that exceed, and excess has its price."""

import random
from dataclasses import replace

import pytest

from optimizer.program import engine, solve
from optimizer.program.budgets import exceeding, least_excess
from optimizer.program.check import Choice, cash_of
from optimizer.program.problem import Limits, Placement, Pool, Problem, Task, UnitTerm
from optimizer.program.reduce import Reduced
from optimizer.program.solver import Outcome, solve_lp
from optimizer.program.tightness import are_too_tight
from tests.program.instances import UNIT, random_problem
from tests.program.oracle import best_plan
from tests.program.test_oracle import assert_agrees


def tightened(seed: int) -> Problem | None:
    """A random problem whose dearest month of the best plan is more than a month may cost."""
    dice = random.Random(seed)
    problem = replace(random_problem(seed)[0], budget=None, monthly_budget=None, optional_tasks=False)
    found = solve(problem)
    if found.cost is None:
        return None
    cash = cash_of(problem, Choice(found.placements, found.units, found.spend, found.services))
    dearest = max(cash.values(), default=0)
    return replace(problem, monthly_budget=round(dearest * dice.uniform(0.5, 0.99)) // UNIT * UNIT)


def test_budgets_called_too_tight_have_no_plan_and_many_are_found_so() -> None:
    tight = impossible = 0
    for seed in range(5000, 5060):
        problem = tightened(seed)
        if problem is None:
            continue
        has_plan = best_plan(problem).cost is not None
        impossible += not has_plan
        if are_too_tight(problem):
            tight += 1
            assert not has_plan, seed
    assert impossible >= 10
    assert tight >= impossible / 3


@pytest.mark.parametrize("cycle", range(3))
def test_tight_months_agree_with_brute_force_when_columns_come_in_by_price(
    cycle: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "FEW_RECORDS", 0)
    for seed in range(6000 + cycle * 12, 6012 + cycle * 12):
        problem = tightened(seed)
        if problem is not None:
            assert_agrees(problem, solve(problem))


def test_the_plan_over_budget_pays_the_price_of_its_excess() -> None:
    """Three days by the hour cost 30; the month may cost 25: 30 + 10 x 5 = 80. A rent of 5 days costs 40: 40 + 10 x 15.

    The least excess is 5, whatever it costs.
    """
    day = 10 * UNIT
    problem = Problem(
        horizon=5,
        month_starts=(0, 5),
        pools=(Pool(0, gpus=1, provider=0),),
        tasks=(Task(0, work=0),),
        placements=(
            Placement(
                id=0, task=0, option=0, pool=0, nodes=1, gpus_per_node=1, start=0, end=3, hours=None,
                hourly_cost=(day, day),
            ),
        ),
        unit_terms=(UnitTerm(0, 0, 0, 0, 5, 4 * day, 4 * day, ((0, 4 * day),)),),
        monthly_budget=25 * UNIT,
    )  # fmt: skip
    assert solve(problem).status == "infeasible"
    assert are_too_tight(problem)
    assert solve(exceeding(problem)).cost == 80 * UNIT
    assert solve(least_excess(problem)).cost == 5 * UNIT
    assert solve(exceeding(replace(problem, monthly_budget=30 * UNIT))).cost == 30 * UNIT


def test_time_that_runs_out_while_counts_are_rounded_is_no_plan_and_no_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock may end the second solve, which makes counts whole: its columns are then no plan at all."""
    calls: list[str] = []

    def ended(lp: object, *_: object, **__: object) -> Outcome:
        calls.append("solve")
        if len(calls) == 1:
            return solve_lp(lp, 10.0, 1)
        for column in lp.variables():  # type: ignore[attr-defined]
            column.varValue = 0.0
        return Outcome("none", None)

    monkeypatch.setattr(engine, "all_whole", lambda model: False)
    monkeypatch.setattr(engine, "solve_lp", ended)
    found = engine.run(Reduced(one_rented_job()), Limits(tie_seconds=0.0))  # without a first plan
    assert (found.status, found.cost, len(calls)) == ("no_plan_in_time", None, 2)


def one_rented_job() -> Problem:
    """A job of three days, and a rent of four days that serves it."""
    return Problem(
        horizon=4,
        month_starts=(0, 4),
        pools=(Pool(0, gpus=1, provider=0),),
        tasks=(Task(0, work=0),),
        placements=(
            Placement(
                id=0, task=0, option=0, pool=0, nodes=1, gpus_per_node=1, start=0, end=3, hours=None, hourly_cost=None
            ),
        ),
        unit_terms=(UnitTerm(0, 0, 0, 0, 4, 9 * UNIT, 9 * UNIT, ((0, 9 * UNIT),)),),
    )


@pytest.mark.parametrize("below", [1, 2, 19, 21])
def test_a_budget_a_few_micros_below_the_need_has_no_plan(below: int) -> None:
    """One job of 58.634139 by the hour, and no other way: solvers keep rows to a millionth of the currency only."""
    price = 58_634_139
    problem = Problem(
        horizon=1,
        month_starts=(0, 1),
        pools=(Pool(0, gpus=1, provider=0),),
        tasks=(Task(0, work=0),),
        placements=(
            Placement(
                id=0, task=0, option=0, pool=0, nodes=1, gpus_per_node=1, start=0, end=1, hours=None,
                hourly_cost=(price, price),
            ),
        ),
        day_weights=(0.9,),  # cash is not the cost, so that the budget stays a row
        budget=price - below,
    )  # fmt: skip
    assert solve(problem).status == "infeasible"
    assert solve(replace(problem, budget=price)).placements == (0,)
