"""Savings plans: what one commitment covers, from when it may be bought, what it costs, and where none can pay.

Azure's savings plan for compute commits money an hour for one or three years and pays for eligible machines of any
region at the plan's rates; money of an hour that is not used is lost. Paid monthly it costs what it costs upfront, in
12 or 36 equal parts (Microsoft Learn: "What is Azure savings plans for compute" and "Buy an Azure savings plan", read
2026-11-30). Each rate of the catalog is that of one machine; the plan is one for all of them. Plans of other
providers are left out: their rows do not say which of several kinds of plan they belong to, nor what it covers.

The provider gives the money of an hour to what it discounts most, a part of a machine included. A plan here covers
whole nodes only, so the invoice can only be lower than what is planned.

Where no plan can pay (proof). A commitment of C an hour covers nodes whose rates add up to at most C in any hour. By
the hour these cost at most `ratio` times the money that covers them, `ratio` being the highest price by the hour over
its rate. So on H hours with work it saves at most ratio x C x H; where it costs no less, the same nodes by the hour
cost no more, and the commitment is not needed. That holds without caps; a commitment that costs more than service by
the hour and only keeps a monthly budget or `max_hourly` is not offered.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from math import ceil

from optimizer.domain.money import MICROS_PER_UNIT
from optimizer.domain.offer import Price, PriceUnit, Term
from optimizer.domain.units import HOURS_PER_DAY
from optimizer.planning.calendar import date_of
from optimizer.planning.costing import Horizon, Payment, RatedPrice, rent_end, rent_payments
from optimizer.planning.supply import Supply
from optimizer.planning.thinning import candidate_starts
from optimizer.program.bounds import Stretches, hours_of, union_of
from optimizer.program.problem import Placement, SpendTerm

#: The least amount by which committed money can differ, in the price's currency an hour (ours; portals take 3 places).
STEP = Decimal("0.001")
SOURCE = "savings plan: committed money an hour x 8,760 hours a year, in equal monthly parts"
#: Float noise must not leave out a commitment that just pays.
HAIR = 1e-9


@dataclass(frozen=True, slots=True)
class SavingsPlan:
    """One kind of plan: what a step of it costs as a rent would, and the rates of what it covers by pool key."""

    provider: str
    term: Term
    step: RatedPrice
    rates: dict[str, RatedPrice]

    @property
    def kind(self) -> tuple[object, ...]:
        """What tells kinds apart."""
        return kind_of(self.provider, self.step)


@dataclass(frozen=True, slots=True)
class Committed:
    """What a spend term of the program means: one step of a plan from a day, with its payments."""

    plan: SavingsPlan
    start: int
    end: int
    payments: tuple[Payment, ...]


def kind_of(provider: str, rated: RatedPrice) -> tuple[object, ...]:
    """What rows of one plan have in common: provider, term, currency, and what multiplies it."""
    price = rated.price
    return (provider, price.term, price.currency, rated.fx_rate, rated.tax_factor)


def plans_of(supplies: Iterable[Supply]) -> tuple[SavingsPlan, ...]:
    """The kinds of plan that cover these supplies, in the order of provider and term."""
    rows: dict[tuple[object, ...], dict[str, RatedPrice]] = {}
    for supply in supplies:
        for rated in supply.covered_at:
            rows.setdefault(kind_of(supply.provider, rated), {})[supply.key] = rated
    plans = (_plan(str(kind[0]), rates) for kind, rates in rows.items())
    return tuple(sorted(plans, key=lambda plan: (plan.provider, plan.term.value, str(plan.kind))))


def _plan(provider: str, rates: dict[str, RatedPrice]) -> SavingsPlan:
    one = next(iter(rates.values()))
    price = Price(
        term=one.price.term,
        amount=STEP,
        unit=PriceUnit.HOUR,
        currency=one.price.currency,
        tax_included=one.price.tax_included,
        source=SOURCE,
    )
    return SavingsPlan(provider, price.term, RatedPrice(price, one.fx_rate, one.tax_factor, one.tax_assumed), rates)


def least_day(horizon: Horizon, rated: RatedPrice) -> float:
    """Least micros of a node's day under a plan, each hour used: its rate over the days inside, payments discounted.

    A year has at most 366 days, and payments weigh at least what one on the last day of the term weighs.
    """
    months = rated.price.term.months or 0
    days = min(months * 31, months * 366 // 12 + 3)
    used = days if horizon.continues else min(days, horizon.days)
    return rated.term_total() / used * horizon.weight(0 if horizon.continues else days)


def with_savings_plans_that_pay(horizon: Horizon, supplies: tuple[Supply, ...]) -> tuple[Supply, ...]:
    """The supplies without the rates of plans that can pay for none of them within the horizon."""
    covered = [supply for supply in supplies if supply.covered_at]
    paying = {plan.kind for plan in plans_of(covered) if _can_pay_at_all(horizon, plan, covered)}
    kept = {
        supply.key: tuple(rated for rated in supply.covered_at if kind_of(supply.provider, rated) in paying)
        for supply in covered
    }
    return tuple(s._replace(covered_at=kept[s.key]) if s.covered_at else s for s in supplies)


def _can_pay_at_all(horizon: Horizon, plan: SavingsPlan, supplies: Iterable[Supply]) -> bool:
    """Whether some machine under a plan, used every hour of the horizon, costs less than by the hour."""
    return any(
        supply.hourly is not None
        and supply.key in plan.rates
        and least_day(horizon, plan.rates[supply.key]) < supply.hourly.node_day(HOURS_PER_DAY)
        for supply in supplies
    )


@dataclass(frozen=True, slots=True)
class _Use:
    """The work that one plan can pay for: its placements by the hour, and the numbers of the proof above.

    `ratio`: most micros by the hour that a micro of committed money replaces. `tasks`: first day, end, and the most
    hours for which one node of each task runs.
    """

    placements: tuple[Placement, ...]
    rates: dict[int, int]
    ratio: float
    stretches: Stretches
    tasks: tuple[tuple[int, int, int], ...]

    @classmethod
    def of(cls, rates: dict[int, int], placements: Iterable[Placement]) -> "_Use":
        """Gather the placements whose pool has a rate."""
        mine = tuple(p for p in placements if p.hourly_cost is not None and p.pool in rates)
        by_task: dict[int, list[Placement]] = defaultdict(list)
        for placement in mine:
            by_task[placement.task].append(placement)
        return cls(
            mine,
            rates,
            max((max(p.hourly_cost or (0,)) / (rates[p.pool] * hours_of(p)) for p in mine), default=0.0),
            union_of((p.start, p.end) for p in mine),
            tuple(
                (min(p.start for p in ps), max(p.end for p in ps), max((p.end - p.start) * hours_of(p) for p in ps))
                for ps in by_task.values()
            ),
        )

    def borders(self) -> set[int]:
        """Days on which what a node costs or needs may change."""
        days = {day for p in self.placements for day in (p.start, p.end)}
        return days | {p.end - 1 for p in self.placements if p.hourly_cost and p.hourly_cost[0] != p.hourly_cost[1]}

    def hours(self, start: int, end: int) -> int:
        """At most so many hours of [start, end) have work that a plan can pay for."""
        days = sum(max(0, min(last, end) - max(first, start)) for first, last in self.stretches)
        return min(
            HOURS_PER_DAY * days,
            sum(
                min(hours, HOURS_PER_DAY * (min(last, end) - max(first, start)))
                for first, last, hours in self.tasks
                if max(first, start) < min(last, end)
            ),
        )

    def reach(self, term: SpendTerm) -> tuple[tuple[int, int], ...]:
        """The days with work that a plan covers."""
        cut = ((max(first, term.start), min(last, term.end)) for first, last in self.stretches)
        return tuple((first, last) for first, last in cut if first < last)


@dataclass(frozen=True, slots=True)
class Starts:
    """Which start days are asked for: all, or those that can matter; `thin` leaves out those that others beat."""

    every: bool
    both_ways: bool
    month_ends: tuple[int, ...]
    thin: bool


def spend_terms(
    horizon: Horizon,
    plan: SavingsPlan,
    pool_of: dict[str, int],
    placements: Iterable[Placement],
    starts: Starts,
) -> Iterator[tuple[SpendTerm, Committed]]:
    """Every commitment of one kind that can pay, by start day; their numbers are left to the caller."""
    use = _Use.of({pool_of[key]: _rate_micros(rated) for key, rated in plan.rates.items()}, placements)
    if not use.placements:
        return
    kept: list[SpendTerm] = []
    for start in _days(horizon, plan, use, starts):
        term, committed = _spend_term(horizon, plan, pool_of, use, start)
        worth = int(STEP * MICROS_PER_UNIT) * use.ratio * use.hours(start, term.end) * horizon.weight(start)
        if worth * (1 + HAIR) <= term.objective or not term.rates:
            continue
        if not (starts.thin and any(_beats(use, other, term) for other in kept)):
            kept.append(term)
            yield term, committed


def _days(horizon: Horizon, plan: SavingsPlan, use: _Use, starts: Starts) -> Iterable[int]:
    first = min(p.start for p in use.placements)
    last = max(p.end for p in use.placements)
    if starts.every:
        return range(last)
    ends = (partial(rent_end, horizon, plan.step.price),)
    extra = [day for day in starts.month_ends if day > first]
    return candidate_starts(use.borders(), ends, first, last, both_ways=starts.both_ways, extra=extra)


def _spend_term(
    horizon: Horizon, plan: SavingsPlan, pool_of: dict[str, int], use: _Use, start: int
) -> tuple[SpendTerm, Committed]:
    end = rent_end(horizon, plan.step.price, start)
    payments = rent_payments(horizon, plan.step, start, end)
    day = date_of(horizon.file.start, start)
    sold = {pool_of[key] for key, rated in plan.rates.items() if (rated.price.valid_to or day) >= day}
    term = SpendTerm(
        id=0,
        start=start,
        end=end,
        step_micros_per_hour=int(STEP * MICROS_PER_UNIT),
        rates=tuple(sorted((pool, rate) for pool, rate in use.rates.items() if pool in sold)),
        cost=sum(payment.micros for payment in payments),
        objective=horizon.objective(payments),
        cash=horizon.cash(payments),
        rate_micros_per_hour=ceil(STEP * plan.step.factor * MICROS_PER_UNIT),
    )
    return term, Committed(plan, start, end, payments)


def _rate_micros(rated: RatedPrice) -> int:
    """A rate in whole micros of its own currency, rounded up so that covered nodes always fit."""
    return ceil(rated.price.per_hour() * MICROS_PER_UNIT)


def _beats(use: _Use, other: SpendTerm, term: SpendTerm) -> bool:
    """Whether a plan of the same kind covers the same days of work for no more; it starts earlier and may last less."""
    if other.objective > term.objective or not set(term.rates) <= set(other.rates):
        return False
    reach = use.reach(other)
    return all(any(a <= first and last <= b for a, b in reach) for first, last in use.reach(term))
