"""When one candidate runs one task, and every fixed cost of doing so: storage, egress, spot, running energy."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from fractions import Fraction

from optimizer.domain.money import to_micros
from optimizer.domain.offer import PriceKind
from optimizer.domain.units import DAYS_PER_YEAR, MONTHS_PER_YEAR
from optimizer.domain.workload import Work
from optimizer.planning.candidates import Candidate
from optimizer.planning.costing import Horizon, Payment
from optimizer.planning.demand import (
    TaskDemand,
    days_needed,
    last_day_hours,
    steady_hours_per_day,
)
from optimizer.planning.storage import Volume

DAYS_PER_MONTH = Fraction(DAYS_PER_YEAR, MONTHS_PER_YEAR)


@dataclass(frozen=True, slots=True)
class Run:
    """A candidate on a task: whole days, the hours of each day and of the last one, and the hours in all."""

    days: int
    hours: float
    last_hours: float
    total_hours: float

    @property
    def busiest_hours(self) -> float:
        """The most hours that any of its days runs."""
        return self.hours if self.days > 1 else self.last_hours


@dataclass(frozen=True, slots=True)
class FixedLine:
    """One cost line that goes with a placement: what, how much of it, its price and when it is paid."""

    kind: str
    description: str
    quantity: Decimal
    unit: str
    unit_price: Decimal
    currency: str
    fx_rate: Decimal
    start_day: int
    end_day: int
    micros: int
    payments: tuple[Payment, ...]
    observed: date | None
    source: str
    tax_factor: Decimal = Decimal(1)
    price_kind: str = PriceKind.LIST.value


def hours_limit(work: Work) -> float:
    """The most hours a day that a workload may run: hours_per_day, within its window."""
    return work.hours_per_day if work.window is None else min(work.hours_per_day, float(work.window.hours))


def run_of(candidate: Candidate, work: Work, task: TaskDemand) -> Run | None:
    """How the candidate runs the task; `None` when it is too slow for the hours or days allowed."""
    limit = hours_limit(work)
    if task.tokens_per_month is not None:
        if candidate.tokens_per_second is None:
            return None
        hours = steady_hours_per_day(task.tokens_per_month, candidate.tokens_per_second)
        days = task.end - task.first_start
        return None if hours > limit * (1 + 1e-12) else Run(days, hours, hours, hours * days)
    if candidate.run_hours is None:
        return None
    days = days_needed(candidate.run_hours, limit)
    if task.first_start + days > task.end:
        return None
    return Run(days, limit, last_day_hours(candidate.run_hours, limit), candidate.run_hours)


def start_days(run: Run, task: TaskDemand) -> range:
    """The days on which the run may start."""
    return range(task.first_start, min(task.last_start, task.end - run.days) + 1)


def storage_lines(
    candidate: Candidate, work: Work, task: TaskDemand, start: int, end: int, horizon: Horizon, *, shared_data: bool
) -> Iterator[FixedLine]:
    """Storage and egress of a placement on [start, end); the shared data set's own part is left out."""
    if candidate.supply.is_owned:
        return
    plan = candidate.storage
    if plan.hot is not None and not plan.local:
        volume = plan.hot if not shared_data else _without_data_set(plan.hot, work)
        if volume.size_gb > 0:
            yield _stored("storage", f"hot: {volume.product}", volume, start, end, horizon)
    if plan.cold is not None:
        cold_end = end if task.month is not None else horizon.days
        yield _stored("storage", f"cold: {plan.cold.product}", plan.cold, start, cold_end, horizon)
    is_last = task.month is None or end == horizon.days
    if plan.egress is not None and is_last and plan.egress.size_gb > 0:
        yield _egress(plan.egress, end)


def _without_data_set(volume: Volume, work: Work) -> Volume:
    size_gb = max(volume.size_gb - work.dataset_gb * work.hot_fraction, 0.0)
    return replace(volume, size_gb=size_gb)


def _stored(kind: str, description: str, volume: Volume, start: int, end: int, horizon: Horizon) -> FixedLine:
    months = Fraction(end - start) / DAYS_PER_MONTH
    micros = to_micros(volume.month_exact * Decimal(months.numerator) / Decimal(months.denominator))
    size = Decimal(repr(volume.size_gb))
    return FixedLine(
        kind,
        description,
        size * Decimal(months.numerator) / Decimal(months.denominator),
        "GB-month",
        volume.price_per_gb_month,
        volume.currency,
        volume.fx_rate,
        start,
        end,
        micros,
        spread_by_days(micros, start, end, horizon),
        volume.observed,
        volume.source,
        volume.tax_factor,
        volume.price_kind,
    )


def spread_by_days(micros: int, start: int, end: int, horizon: Horizon) -> tuple[Payment, ...]:
    """A cost over [start, end) paid on the first day of use in each cash month for its days in that month."""
    stretches = list(month_stretches(start, end, horizon))
    payments = [Payment(first, round(Fraction(micros * (last - first), end - start))) for first, last in stretches]
    drift = micros - sum(payment.micros for payment in payments)
    payments[-1] = Payment(payments[-1].day, payments[-1].micros + drift)
    return tuple(payments)


def month_stretches(start: int, end: int, horizon: Horizon) -> Iterator[tuple[int, int]]:
    """[start, end) cut at the cash months' borders."""
    first = start
    while first < end:
        border = horizon.cash_month_starts[horizon.month_of(first) + 1]
        last = min(border, end)
        yield first, last
        first = last


def _egress(volume: Volume, end: int) -> FixedLine:
    micros = to_micros(volume.month_exact)
    return FixedLine(
        "egress",
        volume.product,
        Decimal(repr(volume.size_gb)),
        "GB",
        volume.price_per_gb_month,
        volume.currency,
        volume.fx_rate,
        end - 1,
        end,
        micros,
        (Payment(end - 1, micros),),
        volume.observed,
        volume.source,
        volume.tax_factor,
        volume.price_kind,
    )
