"""Which candidates can be in an optimum: cheap lower and upper bounds before any program is built.

Lower bound of a candidate on a task. Every node-day is served by the hour, at its hourly cost, or by a unit of
the pool; each unit-day serves at most one whole machine's day (a share g of G GPUs at most g/G of it, a window of h
hours at most h/24), and a unit-day costs at least the cheapest of the pool's rents divided by the days of the
horizon that it can cover. So the candidate's tasks cost at least the sum over node-days of the smaller of the
two, plus the placement's own lines, in any plan, also one that shares units with other work. Owned and sunk units
are bounded by nothing. Payments are discounted by at most the horizon's last weight.

Upper bound. A plan that serves the candidate alone, all by the hour or by one kind of rent without gaps, is
feasible when nothing couples (no budget, quota, cap); its cost bounds the optimum from above.

A candidate whose lower bound, added to the other tasks' smallest lower bounds, exceeds an upper bound of the
whole plan is in no optimal plan.
"""

from dataclasses import dataclass

from optimizer.domain.units import HOURS_PER_DAY
from optimizer.domain.workload import Work
from optimizer.planning.candidates import Candidate
from optimizer.planning.case import Case
from optimizer.planning.costing import Horizon, rent_end
from optimizer.planning.demand import TaskDemand
from optimizer.planning.runs import Run, run_of, storage_lines
from optimizer.planning.supply import RentOption, Supply

INFINITE = float("inf")


@dataclass(frozen=True, slots=True)
class Bounds:
    """Micros that a candidate costs at least and, served alone without coupling limits, at most, over all its tasks.

    `by_task` are the lower bounds by position of the work's tasks; `None` where the candidate cannot run it.
    """

    candidate: Candidate
    lower: float
    upper: float
    by_task: tuple[float | None, ...]


class Bounder:
    """Bounds of one case's candidates."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.horizon = case.horizon
        self.last_weight = case.horizon.weight(case.horizon.days)
        self._day_rates: dict[str, float] = {}

    def bounds(self, candidate: Candidate) -> Bounds | None:
        """The candidate's bounds; `None` when it can run none of its tasks."""
        work = self.case.work(candidate.work)
        tasks = self.case.tasks_of_work(candidate.work)
        runs = [run_of(candidate, work, task) for task in tasks]
        if all(run is None for run in runs):
            return None
        lows: list[float | None] = []
        high = 0.0
        for task, run in zip(tasks, runs, strict=True):
            if run is None:
                lows.append(None)
                high = INFINITE
                continue
            fixed = self._fixed(candidate, work, task, run)
            lows.append((fixed + self._serving_low(candidate, work, run)) * self.last_weight)
            if not work.is_steady:
                high += fixed + self._serving_high(candidate, run, task.first_start)
            else:
                high += fixed
        if work.is_steady and high < INFINITE:
            high += self._steady_high(candidate, [run for run in runs if run is not None], tasks)
        low = sum(value for value in lows if value is not None)
        return Bounds(candidate, low, high, tuple(lows))

    def _fixed(self, candidate: Candidate, work: Work, task: TaskDemand, run: Run) -> float:
        start = task.first_start
        lines = storage_lines(
            candidate, work, task, start, start + run.days, self.horizon, shared_data=work.dataset is not None
        )
        return float(sum(line.micros for line in lines))

    def _serving_low(self, candidate: Candidate, work: Work, run: Run) -> float:
        supply = candidate.supply
        if candidate.is_spot:
            return self._by_hour(candidate, run, spot=True)
        share = candidate.gpus_per_node / supply.machine.gpu_count
        if work.window is not None:
            share *= work.window.hours / HOURS_PER_DAY
        unit_day = self._unit_day(supply) * share
        if supply.hourly is None or not candidate.is_whole:
            return candidate.nodes * run.days * unit_day if unit_day < INFINITE else 0.0
        regular = min(float(supply.hourly.node_day(run.hours)), unit_day)
        last = min(float(supply.hourly.node_day(run.last_hours)), unit_day)
        return candidate.nodes * ((run.days - 1) * regular + last)

    def _unit_day(self, supply: Supply) -> float:
        """Micros of the cheapest unit-day of a pool; 0 where owned or sunk units stand."""
        known = self._day_rates.get(supply.key)
        if known is None:
            if supply.sunk or supply.purchases:
                known = 0.0
            else:
                known = min((self._rent_day(rent) for rent in supply.rents), default=INFINITE)
            self._day_rates[supply.key] = known
        return known

    def _rent_day(self, rent: RentOption) -> float:
        """A rent's cost over the most days of the horizon that it can cover (calendar months: at most 31 days)."""
        months = rent.term.months
        days = rent.block_days or rent.term.days or 0
        if months is not None:
            days = min(months * 31, months * 366 // 12 + 3)
        if self.horizon.continues:
            return rent.rated.term_total() / days
        return rent.rated.term_total() / min(days, self.horizon.days)

    def _by_hour(self, candidate: Candidate, run: Run, *, spot: bool) -> float:
        price = candidate.supply.spot if spot else candidate.supply.hourly
        if price is None or not candidate.is_whole:
            return INFINITE
        one = (run.days - 1) * price.node_day(run.hours) + price.node_day(run.last_hours)
        return float(candidate.nodes * one)

    def _serving_high(self, candidate: Candidate, run: Run, start: int) -> float:
        if candidate.is_spot:
            return self._by_hour(candidate, run, spot=True)
        by_hour = self._by_hour(candidate, run, spot=False)
        rents = (
            candidate.nodes * _chain(self.horizon, rent, start, start + run.days) for rent in candidate.supply.rents
        )
        return min(by_hour, min(rents, default=INFINITE))

    def _steady_high(self, candidate: Candidate, runs: list[Run], tasks: tuple[TaskDemand, ...]) -> float:
        by_hour = sum(self._by_hour(candidate, run, spot=candidate.is_spot) for run in runs)
        start, end = tasks[0].first_start, tasks[-1].end
        rents = (candidate.nodes * _chain(self.horizon, rent, start, end) for rent in candidate.supply.rents)
        return min(by_hour, min(rents, default=INFINITE))


def _chain(horizon: Horizon, rent: RentOption, start: int, end: int) -> float:
    """Micros of one unit covered without gaps on [start, end) by one kind of rent."""
    total = rent.rated.term_total()
    day, cost = start, 0.0
    while day < end:
        after = rent_end(horizon, rent.rated.price, day, rent.block_days)
        if horizon.continues and after > horizon.days:
            cost += total * (horizon.days - day) / (after - day)
        else:
            cost += total
        day = after
    return cost


def all_bounds(case: Case, work: int, bounder: Bounder) -> list[Bounds]:
    """Bounds of one workload's candidates, the cheapest upper bound first (then in the tie order)."""
    found = [bounds for candidate in case.candidates[work] if (bounds := bounder.bounds(candidate)) is not None]
    found.sort(key=lambda bounds: (bounds.upper, bounds.lower, bounds.candidate.lexical))
    return found
