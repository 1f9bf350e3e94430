"""Each constraint family on a problem small enough to write its rows by hand (docs/program.md)."""

from dataclasses import replace

import pulp

from optimizer.program.build import build
from optimizer.program.model import Model
from optimizer.program.problem import (
    Chain,
    Placement,
    Pool,
    Problem,
    QuotaLimit,
    SharedLine,
    SpendTerm,
    SunkUnits,
    Task,
    UnitTerm,
)

UNIT = 1_000_000

POOLS = (Pool(0, gpus=8, provider=0), Pool(1, gpus=8, provider=1))
# Two nodes of pool 0 on days 0-3 at 5 (last day 4) a node by the hour, or one node of pool 1 on days 0-1.
TWO_NODES = Placement(
    id=0,
    task=0,
    option=0,
    pool=0,
    nodes=2,
    gpus_per_node=8,
    start=0,
    end=4,
    hours=None,
    hourly_cost=(5 * UNIT, 4 * UNIT),
    rate_micros_per_hour=UNIT,
    finish=4,
)
ONE_NODE = replace(TWO_NODES, id=1, option=1, pool=1, nodes=1, end=2, hourly_cost=None, finish=2)
RENT = UnitTerm(
    id=0, pool=0, purchase_day=0, usable_from=0, end=3, cost=9 * UNIT, objective=9 * UNIT, cash=((0, 9 * UNIT),)
)
OTHER_RENT = replace(RENT, id=1, pool=1, end=2)
SMALL = Problem(
    horizon=4,
    month_starts=(0, 2, 4),
    pools=POOLS,
    tasks=(Task(0, work=0),),
    placements=(TWO_NODES, ONE_NODE),
    unit_terms=(RENT, OTHER_RENT),
)


def rows(problem: Problem, family: str) -> list[str]:
    """The rows of a family as text, with zeros taken out of the names: `+2 z0 -1 x0 <= 0`."""
    return [text(row) for row in constraints(build(problem), family)]


def constraints(model: Model, family: str) -> list[pulp.LpConstraint]:
    """The PuLP rows of a family in order."""
    return [row for row in model.lp.constraints() if row.name.startswith(f"{family}_")]


def text(row: pulp.LpConstraint) -> str:
    """One row, coefficients in the order in which they were given."""
    terms = " ".join(f"{value:+g} {short(column.name)}" for column, value in row.items())
    sense = {pulp.LpConstraintLE: "<=", pulp.LpConstraintEQ: "=", pulp.LpConstraintGE: ">="}[row.sense]
    return f"{terms} {sense} {-row.constant + 0:g}"


def short(name: str) -> str:
    """`z0000003` is `z3`; `a00000_00001_0000002` is `a0.1.2`."""
    letter, numbers = name[0], name[1:].split("_")
    return letter + ".".join(str(int(number)) for number in numbers)


def test_each_task_is_placed_once() -> None:
    assert rows(SMALL, "place") == ["+1 z0 +1 z1 = 1"]


def test_optional_work_is_placed_whole_or_not_at_all() -> None:
    assert rows(replace(SMALL, optional_tasks=True), "place") == ["+1 z0 +1 z1 -1 k0 = 0"]


def test_work_is_served_from_units_or_by_the_hour_in_each_slot() -> None:
    # Pool 0 changes where the rent ends (3) and before the cheaper last day (3): slots [0,3) and [3,4).
    # Pool 1: the other rent and the placement end together: one slot [0,2), not sold by the hour.
    assert rows(SMALL, "serve") == [
        "+2 z0 -1 y0 -1 x0 <= 0",
        "+2 z0 -1 y1 <= 0",
        "+1 z1 -1 x1 <= 0",
    ]


def test_sunk_units_serve_for_nothing() -> None:
    problem = replace(SMALL, sunk=(SunkUnits(0, pool=0, start=0, end=4, count=1),))
    assert rows(problem, "serve")[:2] == ["+2 z0 -1 y0 -1 x0 <= 1", "+2 z0 -1 y1 <= 1"]


def test_hourly_nodes_belong_to_chosen_work() -> None:
    # A second job of one node at 3 a day shares pool 0: two prices; the dearer one needs no row of its own.
    cheap = replace(TWO_NODES, id=2, task=1, option=2, nodes=1, hourly_cost=(3 * UNIT, 3 * UNIT))
    problem = replace(SMALL, tasks=(*SMALL.tasks, Task(1, work=1)), placements=(TWO_NODES, cheap))
    assert rows(problem, "serve")[0] == "+2 z0 +1 z2 -1 y0 -1 y1 -1 x0 <= 0"
    assert rows(problem, "hourly") == ["+1 y1 -1 z2 <= 0", "+1 y3 -1 z2 <= 0"]


def test_clusters_that_may_not_mix_are_served_whole() -> None:
    problem = replace(SMALL, pools=(replace(POOLS[0], mixable=False), POOLS[1]))
    assert rows(problem, "serve")[0] == "+2 z0 -2 y0 -1 x0 <= 0"
    assert rows(problem, "hourly")[0] == "+2 y0 -2 z0 <= 0"


def test_windows_meet_only_in_the_hours_they_share() -> None:
    day = replace(TWO_NODES, hours=(8, 10), hourly_cost=None)
    night = replace(day, id=2, task=1, option=2, nodes=1, hours=(20, 12))
    problem = replace(SMALL, tasks=(*SMALL.tasks, Task(1, work=1)), placements=(day, night))
    # At 8 the day job only (20:00 + 12 h ends at 8), at 20 the night job only. Days [0,3) with the rent, then without.
    assert rows(problem, "serve") == [
        "+2 z0 -1 x0 <= 0",
        "+1 z2 -1 x0 <= 0",
        "+2 z0 <= 0",
        "+1 z2 <= 0",
    ]


def test_parts_of_machines_need_shareable_units() -> None:
    part = replace(TWO_NODES, nodes=1, gpus_per_node=2, hourly_cost=None)
    problem = replace(SMALL, placements=(part,), unit_terms=(RENT, replace(RENT, id=2, shareable=False)))
    assert rows(problem, "serve")[0] == "+2 z0 -8 x0 -8 x2 <= 0"
    assert rows(problem, "parts")[0] == "+2 z0 -8 x0 <= 0"


def test_groups_have_stock() -> None:
    stocked = tuple(replace(RENT, id=key, usable_from=key, group=7, max_count=1) for key in (0, 1))
    assert rows(replace(SMALL, unit_terms=stocked), "stock") == ["+1 x0 +1 x1 <= 1"]


def test_steady_work_moves_rarely() -> None:
    tasks = (Task(0, work=0, chain=0), Task(1, work=0, chain=0))
    first = (replace(TWO_NODES, end=2), replace(ONE_NODE, hourly_cost=(UNIT, UNIT)))
    second = tuple(replace(p, id=p.id + 2, task=1, start=2, end=4) for p in first)
    chain = Chain(0, max_moves=1, move_cost=3 * UNIT, move_objective=(0, 3 * UNIT), move_month=(0, 1))
    problem = replace(SMALL, tasks=tasks, chains=(chain,), placements=first + second, budget=100 * UNIT)
    assert rows(problem, "arrive") == ["+1 z2 -1 z0 -1 a0.1.0 <= 0", "+1 z3 -1 z1 -1 a0.1.1 <= 0"]
    assert rows(problem, "move") == ["+1 a0.1.0 +1 a0.1.1 -1 m0.1 <= 0"]
    assert rows(problem, "moves") == ["+1 m0.1 <= 1"]
    assert "+3 m0.1" in rows(problem, "budget")[0]


def test_shared_lines_are_paid_while_anyone_runs() -> None:
    line = SharedLine(0, cost_per_day=UNIT, objective_per_day=(UNIT,) * 4)
    first, second = replace(TWO_NODES, shared=(0,)), replace(ONE_NODE, id=2, task=1, shared=(0,))
    problem = replace(
        SMALL, tasks=(*SMALL.tasks, Task(1, work=1)), placements=(first, second), shared=(line,), budget=100 * UNIT
    )
    # Days [0,2) both may run, [2,4) the first alone.
    assert rows(problem, "share") == ["+1 z0 -1 s0.0 <= 0", "+1 z2 -1 s0.0 <= 0", "+1 z0 -1 s0.2 <= 0"]
    # At 1 a day: two days each.
    assert "+2 s0.0 " in rows(problem, "budget")[0]
    assert "+2 s0.2 " in rows(problem, "budget")[0]


def test_quotas_hold_on_every_day() -> None:
    spot = replace(ONE_NODE, id=2, spot=True)
    sunk = (SunkUnits(0, pool=0, start=0, end=4, count=1),)
    quota = QuotaLimit(0, "any", weights=((0, 8), (1, 8)), limit=32, counts_sunk=True)
    problem = replace(SMALL, placements=(TWO_NODES, spot), sunk=sunk, quotas=(quota,), unit_terms=(RENT,))
    # Day 0: rent, hourly and spot; day 2: spot is over; day 3: rent is over. The sunk unit takes 8 of 32 GPUs.
    assert rows(problem, "quota") == ["+8 x0 +8 y0 +8 z2 <= 24", "+8 x0 +8 y0 <= 24", "+8 y1 <= 24"]


def test_the_rented_rate_is_capped_at_every_hour() -> None:
    problem = replace(SMALL, max_hourly=7 * UNIT, unit_terms=(replace(RENT, rate_micros_per_hour=2 * UNIT), OTHER_RENT))
    # Day 0 and, in the same words, day 2 (pool 1 is empty from then on); day 3 without the rent.
    assert rows(problem, "rate") == ["+2 x0 +1 y0 <= 7", "+2 x0 +1 y0 <= 7", "+1 y1 <= 7"]


def test_the_site_has_power_for_all_units() -> None:
    sunk = (SunkUnits(0, pool=0, start=0, end=2, count=1, power_watts=1_500),)
    problem = replace(
        SMALL,
        unit_terms=(replace(RENT, power_watts=6_500),),
        placements=(TWO_NODES,),
        sunk=sunk,
        site_power_watts=12_000,
    )
    # 6.5 kW a unit; 12 kW less 1.5 kW of the sunk unit until day 2.
    assert rows(problem, "power") == ["+6.5 x0 <= 10.5", "+6.5 x0 <= 12"]


def test_committed_money_covers_nodes_at_the_plan_s_rates() -> None:
    plan = SpendTerm(
        0,
        start=0,
        end=4,
        step_micros_per_hour=UNIT,
        rates=((0, UNIT // 2),),
        cost=80 * UNIT,
        objective=80 * UNIT,
        cash=((0, 80 * UNIT),),
    )
    problem = replace(SMALL, placements=(TWO_NODES,), spend_terms=(plan,), unit_terms=(RENT,))
    assert rows(problem, "serve")[0] == "+2 z0 -1 y0 -1 v0.0 -1 x0 <= 0"
    assert rows(problem, "commit") == ["+0.5 v0.0 -1 q0 <= 0", "+0.5 v1.0 -1 q0 <= 0"]


def test_cash_stays_in_the_budgets() -> None:
    problem = replace(SMALL, budget=30 * UNIT, monthly_budget=20 * UNIT)
    # Month 0 is days 0-1, month 1 days 2-3. Hourly: days [0,2) 2 x 5, [2,3) 5, last day 4. Both rents leave in month 0.
    assert rows(problem, "month") == ["+9 x0 +9 x1 +10 y0 <= 20", "+5 y1 +4 y2 <= 20"]
    assert rows(problem, "budget") == ["+9 x0 +9 x1 +10 y0 +5 y1 +4 y2 <= 30"]


def test_the_objective_weighs_days_and_the_columns_carry_their_costs() -> None:
    model = build(replace(SMALL, day_weights=(1.0, 0.5, 0.5, 0.25)))
    objective = {short(column.name): value for column, value in model.lp.objective.items()}
    # Hourly on days 0-2: 5 + 2.5 + 2.5; on day 3: 4 x 0.25.
    assert objective == {"x0": 9, "x1": 9, "y0": 10, "y1": 1}
