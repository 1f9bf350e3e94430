"""The main use case: a workload file in, a verified plan out."""

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from optimizer.app.beside import Beside
from optimizer.catalog import Catalog, load_catalog
from optimizer.domain.plan import Plan
from optimizer.domain.progress import tell_step
from optimizer.domain.text import Text
from optimizer.domain.workload import WorkloadFile
from optimizer.errors import InputError, InternalError, Problem
from optimizer.planning.case import PlanOptions
from optimizer.planning.pipeline import Planner
from optimizer.planning.search import Interrupted, Outcome
from optimizer.planning.workload_file import read_workload, set_by

BESIDE_PROVEN = Text("the plan is proven, gap 0; what stands beside it", "方案已证明，差距 0；正在求对照方案")
BESIDE_GAP = Text("a plan is found, gap {gap:.2%}; what stands beside it", "已有方案，差距 {gap:.2%}；正在求对照方案")
BESIDE = Text("a plan is found, not proven; what stands beside it", "已有方案，尚未证明；正在求对照方案")
LOOKING_FOR_CHANGES = Text("no plan; the least changes that give one", "无可行方案；正在找能得出方案的最小改动")
#: A number with its currency before, behind or not at all.
AMOUNT = re.compile(
    r"(?P<before>[A-Za-z]{3})?\s*(?P<amount>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?)\s*(?P<after>[A-Za-z]{3})?\Z"
)


def plan_workload(
    workload_path: Path,
    options: PlanOptions,
    *,
    overrides: Sequence[str] = (),
    budget: str | None = None,
    profile: str | None = None,
    catalog_directory: Path | None = None,
    running: Path | None = None,
    beside: Beside | None = None,
) -> Plan:
    """Plan a workload file and check the plan before anyone sees it.

    `running` is the plan file of what has been rented and bought already: that is sunk. `beside` answers more
    questions about the plan (optimizer.app.beside). After Ctrl-C the plan is the best so far and says so.

    Raises:
        KeyboardInterrupt: Ctrl-C before any plan was found.
        InputError: the file, the options or the catalog are wrong.
        NoPlanInTime: the time limit passed before any plan was found.
        InternalError: the independent check contradicts the plan.
    """
    if beside is not None and beside.sensitivity:
        from optimizer.explain.parallel import engine

        engine()  # a slip in it is told before minutes of planning
    file = with_options(read_workload(workload_path, overrides), budget, profile)
    catalog = load_catalog(catalog_directory)
    if running is not None:
        from optimizer.app.running import from_running

        file = from_running(file, running, catalog.rates(options.as_of, dict(file.fx)), catalog)
    with set_by(workload_path, overrides):
        planner = Planner(file, catalog, options, str(workload_path))
    return _until_interrupted(planner, beside or Beside())


def plan_file(file: WorkloadFile, catalog: Catalog, options: PlanOptions, source: str = "workload") -> Plan:
    """Plan a workload that is already read; see `plan_workload`. Ctrl-C is the caller's."""
    planner = Planner(file, catalog, options, source)
    plan, outcome = planner.plan()
    return _checked(_with_extras(planner, plan, outcome), catalog)


def _until_interrupted(planner: Planner, beside: Beside) -> Plan:
    """The whole answer or, after Ctrl-C, the best plan so far without what stands beside it.

    Raises:
        KeyboardInterrupt: Ctrl-C before any plan was found.
    """
    try:
        plan, outcome = planner.plan()
    except Interrupted as stop:
        return _so_far(planner, stop)
    try:
        plan = _with_extras(planner, plan, outcome)
        plan = beside(planner, plan, outcome)
    except KeyboardInterrupt:
        plan = plan.model_copy(update={"interrupted": True})
    return _checked(plan, planner.catalog)


def _so_far(planner: Planner, stop: Interrupted) -> Plan:
    plan = planner.plan_so_far(stop)
    if plan is None:
        raise KeyboardInterrupt from None
    return _checked(plan, planner.catalog)


def _checked(plan: Plan, catalog: Catalog) -> Plan:
    if plan.status != "infeasible":
        check(plan, catalog)
    return plan


def _with_extras(planner: Planner, plan: Plan, outcome: Outcome) -> Plan:
    """The plan with what always stands beside it, or the infeasible answer with its relaxations."""
    if not planner.options.extras:
        return plan
    if plan.status == "infeasible":
        from optimizer.planning.relaxing import relaxations

        tell_step(LOOKING_FOR_CHANGES)
        return plan.model_copy(update={"relaxations": tuple(relaxations(planner))})
    from optimizer.app.habits import with_habits
    from optimizer.planning.extras import Extras

    tell_step(_beside(plan))
    return Extras(planner, with_habits(planner, plan, outcome, check), outcome).completed()


def _beside(plan: Plan) -> Text:
    """The step after the plan, with the plan's gap."""
    if plan.status == "optimal" or plan.cost is None:
        return BESIDE_PROVEN
    if plan.cost.gap == 0 or plan.cost.bound <= 0:
        return BESIDE
    gap = plan.cost.gap / plan.cost.bound
    return Text(*(template.format(gap=gap) for template in BESIDE_GAP))


def check(plan: Plan, catalog: Catalog) -> None:
    """Recount the plan without the solver.

    Raises:
        InternalError: a check contradicts the plan; the message names the first few.
    """
    from optimizer.app.facts import verify_facts
    from optimizer.verify import show, verify_plan

    failed = [item for item in verify_plan(plan, verify_facts(plan, catalog)) if not item.ok]
    if failed:
        shown = "; ".join(f"{item.id}: expected {show(item.expected)}, found {show(item.found)}" for item in failed[:5])
        raise InternalError(f"the plan does not verify ({len(failed)} checks): {shown}")


def with_options(file: WorkloadFile, budget: str | None, profile: str | None) -> WorkloadFile:
    """The file with the command line's budget and profile."""
    update: dict[str, object] = {}
    if budget:
        update["budget"] = parse_budget(budget, file.currency)
    if profile:
        update["profile"] = profile
    return file.model_copy(update=update) if update else file


def parse_budget(text: str, currency: str) -> Decimal:
    """`400000`, `400000CNY` or `CNY 400000`; another currency than the file's is refused, never relabelled.

    Raises:
        InputError: not an amount, not positive, or in another currency.
    """
    found = AMOUNT.match(text.strip())
    if found is None:
        expected = 'an amount such as 400000, 400000CNY or "CNY 400000" (no thousands separators)'
        raise InputError(Problem("--budget", "", repr(text), expected))
    amount, named = Decimal(found["amount"]), (found["before"] or found["after"] or "").upper()
    if amount <= 0:
        raise InputError(Problem("--budget", "", repr(text), "an amount above 0"))
    if named and named != currency:
        hint = f"Give it in {currency}, or change currency: in the file."
        raise InputError(Problem("--budget", "", named, f"the file's currency, {currency}", suggestion=hint))
    return amount


def without_extras(options: PlanOptions) -> PlanOptions:
    """The same options without alternatives, prices of rules and relaxations."""
    return replace(options, extras=False)
