"""Whether a savings plan can be in a plan that is worth having: what it adds at least beyond what all must cost."""

from collections.abc import Iterable
from dataclasses import dataclass

from optimizer.domain.units import HOURS_PER_DAY
from optimizer.planning.bounds import INFINITE, LONGEST_MONTH_DAYS, Bounder, Bounds
from optimizer.planning.commitments import STEP, SavingsPlan, least_day

Uses = Iterable[tuple[Bounds, list[float]]]
"""Bounds of candidates, each with the floors of its workload's tasks."""


def least_beyond_floors(bounder: Bounder, plan: SavingsPlan, uses: Uses) -> float:
    """Micros by which a plan that needs a savings plan lies above the sum of the floors, at least.

    Proof. A commitment of C an hour is needed only where it covers more than C x (price of the term) / ratio in money
    (optimizer.planning.commitments), and it covers a whole node. Money that it covers costs `least_day` a day of it.
    In the floors the same node-days cost what is cheapest, and the candidate's own bound may lie above its floor; so
    each micro of covered money adds at least the smallest of these sums over all candidates and tasks.
    With `after_horizon: continue` a term may count for few days, and nothing is said.
    """
    horizon = bounder.horizon
    known = [_covered(bounder, plan, bounds, floors) for bounds, floors in uses]
    covered = [one for one in known if one is not None]
    if horizon.continues or not covered:
        return 0.0 if covered else INFINITE
    ratio = max(one.ratio for one in covered)
    months = plan.term.months or 0
    price = plan.step.term_total() / float(STEP) * horizon.weight(months * LONGEST_MONTH_DAYS) * bounder.last_weight
    needed = min(one.rate for one in covered) * price / ratio
    return needed * min(one.extra for one in covered)


@dataclass(frozen=True, slots=True)
class _Covered:
    """A candidate under a savings plan: its rate, what money of it replaces, and adds at least (micros a unit)."""

    rate: float
    ratio: float
    extra: float


def _covered(bounder: Bounder, plan: SavingsPlan, bounds: Bounds, floors: list[float]) -> _Covered | None:
    candidate = bounds.candidate
    rates, rated = bounder.rates_of(candidate.supply), plan.rates.get(candidate.supply.key)
    if rated is None or rates.hourly is None or candidate.is_spot or not candidate.is_whole:
        return None
    work = bounder.case.work(candidate.work)
    hours = HOURS_PER_DAY if work.window is None else work.window.hours
    rate = float(rated.price.per_hour())
    under_plan = least_day(bounder.horizon, plan.step) / float(STEP) / HOURS_PER_DAY
    ratio, extra = 0.0, INFINITE
    for run, low, floor in zip(bounds.runs, bounds.by_task, floors, strict=True):
        if run is not None and low is not None:
            days = [rates.hourly.node_day(run.hours), rates.hourly.node_day(run.last_hours)]
            cheapest = min(max(days), min(rates.unit_day, rates.covered_day) * hours / HOURS_PER_DAY)
            ratio = max(ratio, max(days) / (rate * hours))
            own = max(0.0, low - floor) / (candidate.nodes * run.days * hours * rate)
            extra = min(extra, own + bounder.last_weight * max(0.0, under_plan - cheapest / (rate * hours)))
    return _Covered(rate, ratio, extra) if ratio else None
