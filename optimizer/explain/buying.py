"""What a plan that buys a machine costs at least: the machine as a whole, and the work that it cannot do.

Bounds of single tasks (optimizer.planning.bounds) charge an own machine by the day; their sum does not know that its
price is paid at once. Here one unit is paid in full (price and network less what it is worth at the end, and its
running cost), every task that it could do is free, and all others cost their least.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from optimizer.domain.workload import MayBuy
from optimizer.planning.case import Case
from optimizer.planning.costing import Payment
from optimizer.planning.owned import purchase_currency, purchase_payments, residual_micros, running_lines
from optimizer.planning.supply import Supply


@dataclass(frozen=True, slots=True)
class OwnTask:
    """One task of the case: `end` (exclusive), the micros it costs at least, whether a bought machine may do it."""

    end: int
    least: float
    may_own: bool


def is_bought_only(supply: Supply) -> bool:
    """Whether a supply cannot be had otherwise than bought."""
    return bool(supply.purchases) and not (supply.hourly or supply.spot or supply.rents or supply.sunk)


def least_with(case: Case, supplies: Iterable[Supply], last_usable: int, tasks: Sequence[OwnTask]) -> float | None:
    """Micros of every plan that buys one of the supplies so that it stands on a day before `last_usable`.

    None where it cannot stand by then.
    """
    costs = [
        micros + sum(task.least for task in tasks if not (task.may_own and task.end > usable))
        for supply in supplies
        for record in supply.purchases
        for usable, micros in purchases(case, record)
        if usable < last_usable
    ]
    return min(costs, default=None)


def purchases(case: Case, record: MayBuy) -> Iterator[tuple[int, int]]:
    """The day from which one unit stands and what it costs the plan at least, for every day on which it can be bought.

    Of the running cost only whole stretches after that day are counted.
    """
    horizon, file = case.horizon, case.file
    rate = case.rates.factor(purchase_currency(record, file.currency), file.currency)
    running = [
        (line.first_day, horizon.objective([Payment(line.first_day, line.micros)]))
        for line in running_lines(record, file.owned, rate, file.currency, 0, horizon.days, horizon)
    ]
    for day in range(max(0, horizon.days - record.lead_time_days)):
        usable = day + record.lead_time_days
        paid = horizon.objective(purchase_payments(record, case.rates, file.currency, day))
        left = residual_micros(record, rate, horizon.days - day) * horizon.weight(horizon.days - 1)
        yield usable, paid - round(left) + sum(micros for first, micros in running if first >= usable)
