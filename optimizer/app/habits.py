"""What other habits of buying would pay, beside the plan: each picked, planned and verified like the plan itself."""

from collections.abc import Callable
from decimal import Decimal

from optimizer.catalog import Catalog
from optimizer.domain.plan import HabitBaseline, Plan
from optimizer.errors import InternalError
from optimizer.explain.baselines import HabitPlan, baselines
from optimizer.planning.pipeline import Planner
from optimizer.planning.search import Outcome

BESIDE_THE_NAIVE_PLAN = ("cheapest_hour", "catalog_tool")
#: Of the time for what stands beside a plan, for each habit.
SHARE = 0.1

Check = Callable[[Plan, Catalog], None]


def with_habits(planner: Planner, plan: Plan, outcome: Outcome, check: Check) -> Plan:
    """The plan with the baselines of two habits; `check` raises InternalError for a plan that does not verify."""
    seconds = planner.options.extra_seconds * SHARE
    found = baselines(planner, outcome, seconds, BESIDE_THE_NAIVE_PLAN)
    told = tuple(_baseline(habit, plan, planner.catalog, check) for habit in found)
    return plan.model_copy(update={"baselines": told})


def _baseline(habit: HabitPlan, plan: Plan, catalog: Catalog, check: Check) -> HabitBaseline:
    known = {"kind": habit.habit, "description": habit.description, "missing": habit.missing, "broken": habit.broken}
    if not habit.is_proven:
        return HabitBaseline(**known, status="late")
    if habit.plan is None or habit.plan.cost is None:
        return HabitBaseline(**known, status="no_plan")
    try:
        check(habit.plan, catalog)
    except InternalError:
        return HabitBaseline(**known, status="refused")
    cost = habit.plan.cost.total
    saving = None if habit.missing or habit.broken or plan.incomplete else _saving(cost, plan)
    share = float(saving / cost) if saving is not None and cost else None
    return HabitBaseline(**known, status="verified", cost=cost, saving=saving, saving_fraction=share)


def _saving(cost: Decimal, plan: Plan) -> Decimal | None:
    return None if plan.cost is None else cost - plan.cost.total
