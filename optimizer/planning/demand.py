"""What must be placed when: jobs, their repetitions, and the months of steady work."""

from collections.abc import Iterator
from dataclasses import dataclass

from optimizer.domain.units import DAYS_PER_YEAR, MONTHS_PER_YEAR, SECONDS_PER_HOUR
from optimizer.domain.workload import Work
from optimizer.planning.calendar import add_months, day_number
from optimizer.planning.costing import Horizon


@dataclass(frozen=True, slots=True)
class TaskDemand:
    """One task: a job or repetition may start on [first_start, last_start] and must end by `end` (exclusive).

    A month of steady work runs in exactly [first_start, end); `month` is its cash month and `tokens_per_month`
    its own demand.
    """

    work: int
    repetition: int
    first_start: int
    last_start: int
    end: int
    month: int | None = None
    tokens_per_month: float | None = None


def tasks_of(horizon: Horizon) -> tuple[TaskDemand, ...]:
    """All tasks of a file in the order of its workloads."""
    return tuple(
        task
        for index, work in enumerate(horizon.file.workloads)
        for task in (_steady(index, work, horizon) if work.is_steady else _jobs(index, work, horizon))
    )


def _jobs(index: int, work: Work, horizon: Horizon) -> Iterator[TaskDemand]:
    times = 1 if work.repeats is None else work.repeats.times
    every = 0 if work.repeats is None else work.repeats.every_months
    latest = work.starts_day if work.latest_start_day is None else work.latest_start_day
    for repetition in range(times):
        offset = day_number(horizon.file.start, add_months(horizon.file.start, every * repetition))
        deadline = horizon.days if work.deadline_days is None else offset + work.starts_day + work.deadline_days
        yield TaskDemand(index, repetition, offset + work.starts_day, offset + latest, min(deadline, horizon.days))


def _steady(index: int, work: Work, horizon: Horizon) -> Iterator[TaskDemand]:
    for month in range(horizon.months):
        first = max(horizon.month_starts[month], work.starts_day)
        end = horizon.month_starts[month + 1]
        tokens = work.tokens_per_month
        this_month = tokens[month] if isinstance(tokens, tuple) else tokens
        if first < end and this_month:
            yield TaskDemand(index, 0, first, first, end, month, this_month)


def steady_hours_per_day(tokens_per_month: float, tokens_per_second: float) -> float:
    """Hours a day that steady work needs: tokens_per_month x 12/365 / (3,600 x tokens/s)."""
    per_day = tokens_per_month * MONTHS_PER_YEAR / DAYS_PER_YEAR
    return per_day / (SECONDS_PER_HOUR * tokens_per_second)


def spot_factor(nodes: int, rate_per_hour: float, lost_hours: float, restart_hours: float) -> float:
    """How much longer a job runs on spot: 1 + n x lambda x (lost + restart)."""
    return 1 + nodes * rate_per_hour * (lost_hours + restart_hours)


def days_needed(run_hours: float, hours_per_day: float) -> int:
    """Whole days of a job: its hours divided by the day's hours, rounded up (a hair of noise buys no day)."""
    return max(1, -int(-(run_hours / hours_per_day - 1e-9) // 1))


def last_day_hours(run_hours: float, hours_per_day: float) -> float:
    """Hours on the last day of a job."""
    return run_hours - (days_needed(run_hours, hours_per_day) - 1) * hours_per_day
