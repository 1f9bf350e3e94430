"""Do the plan's usage rows say what its assignments say: the same nodes, days, hours and windows?"""

from optimizer.domain.plan import Assignment, Usage
from optimizer.verify.check import Checks, is_close
from optimizer.verify.context import Context, label, pool_of
from optimizer.verify.packing import change_days, nodes_on, window_of
from optimizer.verify.work import daily_limit


def check_usage(context: Context, checks: Checks) -> None:
    """Usage rows tile the days of each assignment and repeat its figures; none stands alone."""
    left = list(context.plan.usage)
    for a in context.plan.assignments:
        mine = [row for row in left if _belongs(row, a)]
        left = [row for row in left if not _belongs(row, a)]
        where = label(a)
        ordered = sorted(mine, key=lambda row: row.from_day)
        tiles = [a.from_day, *(row.to_day for row in ordered)]
        checks.equal(f"usage.days[{where}]", tiles, [*(row.from_day for row in ordered), a.to_day])
        for row in ordered:
            _check_row(context, a, row, checks)
    checks.equal("usage.unassigned", [], [f"{row.workload}@{row.from_day}" for row in left])


def _belongs(row: Usage, a: Assignment) -> bool:
    same = (row.workload, row.repetition) == (a.workload, a.repetition)
    return same and a.from_day <= row.from_day < a.to_day


def _check_row(context: Context, a: Assignment, row: Usage, checks: Checks) -> None:
    where = f"{label(a)}:{row.from_day}"
    checks.equal(f"usage.pool[{where}]", pool_of(a), row.pool)
    checks.equal(f"usage.gpus_per_node[{where}]", a.gpus_used_per_node, row.gpus_per_node)
    checks.equal(f"usage.window[{where}]", window_of(context, a), row.window)
    days = [row.from_day, *(day for day in change_days(a) if row.from_day < day < row.to_day)]
    stated = (row.from_units, row.hourly, row.spot, row.covered)
    checks.equal(f"usage.nodes[{where}]", {nodes_on(a, day) for day in days}, {stated})
    hours = [hours_on(context, a, day) for day in (row.from_day, row.to_day - 1)]
    checks.add(f"usage.hours[{where}]", all(is_close(h, row.hours, 1e-6) for h in hours), hours, row.hours)


def hours_on(context: Context, a: Assignment, day: int) -> float:
    """Hours that an assignment runs on one of its days: H, and the rest on a job's last day."""
    work = context.works.get(a.workload)
    if work is None or work.is_steady:
        return a.hours_per_day
    limit = daily_limit(work)
    before = (day - a.from_day) * limit
    return min(limit, a.run_hours - before)
