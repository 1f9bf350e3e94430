"""Is every workload done once, on its days, with the hours that its tokens need?

A job needs tau = tokens / (3,600 x tokens/s) hours (on spot tau x (1 + n x lambda x (lost + restart))) and runs
D = ceil(tau / H) consecutive days; steady work needs u = tokens a month x 12/365 / (3,600 x tokens/s) hours a day
(docs/adr/0004-accounting.md, design section 3).
"""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil

from optimizer.domain.fit import Hardware
from optimizer.domain.gpu import Gpu
from optimizer.domain.offer import Machine, Term
from optimizer.domain.plan import Assignment
from optimizer.domain.units import DAYS_PER_YEAR, MONTHS_PER_YEAR, SECONDS_PER_HOUR
from optimizer.domain.workload import Work
from optimizer.verify import texts
from optimizer.verify.check import Checks, is_close
from optimizer.verify.context import Context, label

#: Hours by which floats may miss a whole day before it counts as another one.
HOUR_TOLERANCE = 1e-6


def check_work(context: Context, checks: Checks) -> None:
    """Every workload, repetition and month placed once, and every assignment's days and hours."""
    by_work: dict[str, list[Assignment]] = {name: [] for name in context.works}
    for assignment in context.plan.assignments:
        if checks.add(
            f"work.known[{label(assignment)}]", assignment.workload in by_work, sorted(by_work), assignment.workload
        ):
            by_work[assignment.workload].append(assignment)
    for name, assignments in by_work.items():
        work = context.works[name]
        if work.is_steady:
            _check_steady_cover(context, work, assignments, checks)
        else:
            wanted = list(range(work.repeats.times if work.repeats else 1))
            checks.equal(f"work.placed_once[{name}]", wanted, sorted(a.repetition for a in assignments))
        for assignment in assignments:
            check_days(context, work, assignment, checks)
            check_hours(context, work, assignment, checks)


def _check_steady_cover(context: Context, work: Work, assignments: Sequence[Assignment], checks: Checks) -> None:
    ordered = sorted(assignments, key=lambda a: a.from_day)
    stretches = [(a.from_day, a.to_day) for a in ordered]
    checks.equal(f"work.months_covered[{work.name}]", joined(_months_with_work(context, work)), joined(stretches))
    starts = [a.from_day for a in ordered]
    at_month_starts = all(a.from_day in context.months or a.from_day == work.starts_day for a in ordered)
    checks.add(f"work.changes_at_month_starts[{work.name}]", at_month_starts, list(context.months), starts)
    checks.at_most(f"work.moves[{work.name}]", work.max_moves, len(moves(ordered)))
    checks.equal(f"work.repetition[{work.name}]", [0] * len(ordered), [a.repetition for a in ordered])


def _months_with_work(context: Context, work: Work) -> list[tuple[int, int]]:
    """Days of the months in which steady work has tokens, from its first day on: in a month of 0 nothing runs."""
    months = ((max(first, work.starts_day), end) for first, end in pairwise(context.months))
    return [
        (first, end) for month, (first, end) in enumerate(months) if first < end and _tokens_of_month(work, month) > 0
    ]


def joined(stretches: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Stretches of days, those that follow each other at once as one; gaps and overlaps stay to be seen."""
    found: list[tuple[int, int]] = []
    for first, end in stretches:
        if found and found[-1][1] == first:
            found[-1] = (found[-1][0], end)
        else:
            found.append((first, end))
    return found


def moves(ordered: Sequence[Assignment]) -> tuple[int, ...]:
    """The days on which steady work changes its configuration (pool, nodes, share or layout), also after a gap."""

    def configuration(a: Assignment) -> tuple[object, ...]:
        return (a.provider, a.region, a.instance_type, a.nodes, a.gpus_used_per_node, a.layout, a.spot)

    return tuple(b.from_day for a, b in pairwise(ordered) if configuration(a) != configuration(b))


def check_days(context: Context, work: Work, a: Assignment, checks: Checks) -> None:
    """Dates, start within its limits, deadline and horizon of one assignment."""
    where = label(a)
    checks.equal(f"calendar.from[{where}]", context.date(a.from_day), a.from_)
    checks.equal(f"calendar.to[{where}]", context.date(a.to_day), a.to)
    checks.equal(f"calendar.finish_day[{where}]", a.to_day - 1, a.finish_day)
    checks.add(f"calendar.days[{where}]", 0 <= a.from_day < a.to_day, texts.DAYS_IN_ORDER, (a.from_day, a.to_day))
    checks.at_most(f"calendar.horizon[{where}]", context.plan.horizon_days, a.to_day)
    checks.equal(f"work.team[{where}]", work.team, a.team)
    if work.is_steady:
        return
    earliest = context.task_start(work, a.repetition)
    waiting = (work.latest_start_day if work.latest_start_day is not None else work.starts_day) - work.starts_day
    window = (earliest, earliest + waiting)
    checks.add(f"calendar.start[{where}]", window[0] <= a.from_day <= window[1], window, a.from_day)
    if work.deadline_days is not None:
        checks.at_most(f"calendar.deadline[{where}]", earliest + work.deadline_days, a.to_day)


def check_hours(context: Context, work: Work, a: Assignment, checks: Checks) -> None:
    """Run hours, hours a day, number of days and first hour of one assignment."""
    where = label(a)
    limit = daily_limit(work)
    checks.equal(f"work.start_hour[{where}]", first_hour(work), a.start_hour)
    checks.at_most(f"work.hours_in_day[{where}]", limit + HOUR_TOLERANCE, a.hours_per_day)
    if work.is_steady:
        hours = steady_hours_per_day(context, work, a)
        if hours is None:
            checks.add(f"work.hours_per_day[{where}]", False, texts.SAME_HOURS, a.hours_per_day)
            return
        checks.close(f"work.hours_per_day[{where}]", hours, a.hours_per_day)
        checks.close(f"work.run_hours[{where}]", hours * (a.to_day - a.from_day), a.run_hours)
        return
    expected = job_hours(context, work, a)
    checks.add(
        f"work.run_hours[{where}]", expected is not None and is_close(expected, a.run_hours), expected, a.run_hours
    )
    checks.equal(f"work.days[{where}]", days_needed(a.run_hours, limit), a.to_day - a.from_day)
    checks.close(f"work.hours_per_day[{where}]", min(limit, a.run_hours), a.hours_per_day)


def daily_limit(work: Work) -> float:
    """The most hours that a workload may run on one day."""
    return min(work.hours_per_day, work.window.hours) if work.window else work.hours_per_day


def first_hour(work: Work) -> int:
    """The hour at which its window opens; 0 without a window."""
    return int(work.window.from_[:2]) if work.window else 0


def days_needed(run_hours: float, hours_per_day: float) -> int:
    """D = ceil(tau / H), at least one day."""
    return max(1, ceil((run_hours - HOUR_TOLERANCE) / hours_per_day))


def job_hours(context: Context, work: Work, a: Assignment) -> float | None:
    """Hours that a job needs on its configuration; `None` when the plan does not say its speed."""
    hours = _hours_without_interruptions(context, work, a)
    if hours is None or not a.spot:
        return hours
    rate = interruptions_per_hour(context, work, a)
    lost = work.spot.lost_hours + work.spot.restart_hours
    return None if rate is None else hours * (1 + a.nodes * rate * lost)


def _hours_without_interruptions(context: Context, work: Work, a: Assignment) -> float | None:
    tokens = work.total_tokens
    if tokens is not None:
        return tokens / a.tokens_per_second / SECONDS_PER_HOUR if a.tokens_per_second else None
    if work.gpu_hours is not None:
        speed = _relative_speed(context, work, work.gpu_hours.gpu, a)
        return work.gpu_hours.hours / speed / (a.nodes * a.gpus_used_per_node) if speed else None
    return None


def _relative_speed(context: Context, work: Work, spelling: str, a: Assignment) -> float | None:
    """Speed of the assignment's GPU over the one whose hours the file states; only with a model may they differ."""
    facts = context.facts
    named = facts.gpu_names.get(spelling, spelling)
    if named == a.gpu_model:
        return 1.0
    if work.model is None or not {named, a.gpu_model} <= set(facts.gpus):
        return None
    from optimizer.sizing import gpu_hours_speed

    return gpu_hours_speed(_alone(facts.gpus[named]), _alone(facts.gpus[a.gpu_model]), work.precision)


def _alone(gpu: Gpu) -> Hardware:
    """One GPU without a machine around it."""
    from optimizer.sizing import hardware_of

    figures = {"gpu_memory_gib": gpu.memory_gib, "gpu_memory_usable_gib": gpu.usable_memory_gib}
    return hardware_of(Machine(provider="-", instance_type="-", gpu_model=gpu.model, gpu_count=1, **figures), gpu)


def interruptions_per_hour(context: Context, work: Work, a: Assignment) -> float | None:
    """Spot interruptions a node-hour: the file's, else those of the offer's spot price."""
    if work.spot.interruptions_per_hour is not None:
        return work.spot.interruptions_per_hour
    offer = context.offer_of(a)
    price = offer.price(Term.SPOT) if offer else None
    return price.interruptions_per_hour if price else None


def steady_hours_per_day(context: Context, work: Work, a: Assignment) -> float | None:
    """Hours a day of steady work; `None` when its months differ or the speed is not stated."""
    inside = [
        m for m, begin in enumerate(context.months[:-1]) if begin < a.to_day and context.months[m + 1] > a.from_day
    ]
    tokens = {_tokens_of_month(work, month) for month in inside}
    if len(tokens) != 1 or not a.tokens_per_second:
        return None
    return tokens.pop() * MONTHS_PER_YEAR / DAYS_PER_YEAR / (SECONDS_PER_HOUR * a.tokens_per_second)


def _tokens_of_month(work: Work, month: int) -> float:
    if isinstance(work.tokens_per_month, tuple):
        return work.tokens_per_month[month] if month < len(work.tokens_per_month) else 0.0
    return work.tokens_per_month or 0.0
