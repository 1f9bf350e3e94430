"""The whole integer program: the list of calls that builds it."""

from collections.abc import Callable, Mapping

import pulp

from optimizer.program.model import (
    MICROS,
    Model,
    Terms,
    add_hourly,
    add_placements,
    add_spend_steps,
    add_units,
    expression,
    whole_pools,
)
from optimizer.program.money import objective_terms
from optimizer.program.problem import Problem
from optimizer.program.rows import (
    asked_units_are_bought,
    cash_stays_in_budget,
    committed_money_covers,
    each_task_is_placed_once,
    groups_have_stock,
    hourly_nodes_belong_to_chosen_work,
    keep_at_least,
    quotas_hold,
    rented_rate_is_capped,
    shared_lines_are_paid,
    site_has_power,
    steady_work_moves_rarely,
    work_is_served,
)
from optimizer.program.timeline import timeline

COLUMNS: tuple[Callable[[Model], None], ...] = (add_placements, add_units, add_hourly, add_spend_steps)

FAMILIES: tuple[Callable[[Model], None], ...] = (
    each_task_is_placed_once,
    hourly_nodes_belong_to_chosen_work,
    work_is_served,
    groups_have_stock,
    asked_units_are_bought,
    steady_work_moves_rarely,
    shared_lines_are_paid,
    quotas_hold,
    rented_rate_is_capped,
    site_has_power,
    committed_money_covers,
    cash_stays_in_budget,
)


def build(problem: Problem, kept_at_least: Mapping[int, int] | None = None) -> Model:
    """The program of a problem, with its cost as objective; `kept_at_least`: works to keep of each priority."""
    model = Model(problem, timeline(problem), pulp.LpProblem("plan", pulp.LpMinimize), whole_pools(problem))
    for step in (*COLUMNS, *FAMILIES):
        step(model)
    keep_at_least(model, kept_at_least or {})
    excess: Terms = [(column, problem.excess_price or 0) for column in model.excess.values()]
    minimize(model, excess + [(column, micros / MICROS) for column, micros in objective_terms(model)])
    return model


def minimize(model: Model, terms: Terms) -> None:
    """Set the objective: sum of coefficient x column."""
    model.lp.objective = None
    model.lp.setObjective(expression(terms))
