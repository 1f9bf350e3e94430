"""Which candidates can be in an optimum: cheap lower and upper bounds before any program is built.

Lower bound of a candidate on a task. Every node-day is served by the hour, at its hourly cost, or by a unit of
the pool; each unit-day serves at most one whole machine's day (a share g of G GPUs at most g/G of it, a window of h
hours at most h/24), and a unit-day costs at least the cheapest of the pool's rents divided by the days of the
horizon that it can cover; a node under a savings plan costs at least its rate with every committed hour used
(optimizer.planning.commitments). So the candidate's tasks cost at least the sum over node-days of the smaller of the
two, plus the placement's own lines, in any plan, also one that shares units with other work. Sunk units
are bounded by nothing. Payments are discounted by at most the horizon's last weight.

Upper bound. A plan that serves the candidate alone, all by the hour or by one kind of rent without gaps, is
feasible when nothing couples (no budget, quota, cap); its cost bounds the optimum from above.

A candidate whose lower bound, added to the other tasks' smallest lower bounds, exceeds an upper bound of the
whole plan is in no optimal plan.
"""

from collections import Counter
from dataclasses import dataclass, replace
from math import ceil

from optimizer.domain.money import MICROS_PER_UNIT
from optimizer.domain.units import DAYS_PER_YEAR, HOURS_PER_DAY, MONTHS_PER_YEAR
from optimizer.domain.workload import MayBuy, Work
from optimizer.planning.candidates import Candidate
from optimizer.planning.case import Case
from optimizer.planning.commitments import least_day
from optimizer.planning.costing import HAIR_HOURS, Horizon, RatedPrice
from optimizer.planning.demand import TaskDemand
from optimizer.planning.owned import price_micros, residual_micros, running_lines
from optimizer.planning.rent_days import ends_in_a_row
from optimizer.planning.runs import Run, run_of, start_days
from optimizer.planning.storage import StoragePlan
from optimizer.planning.supply import RentOption, Supply

INFINITE = float("inf")
LONGEST_MONTH_DAYS = 31


@dataclass(frozen=True, slots=True)
class Bounds:
    """Micros that a candidate costs at least and, served alone without coupling limits, at most, over all its tasks.

    `by_task` are the lower bounds by position of the work's tasks; `None` where the candidate cannot run it.
    `runs` are its runs in the same order. `better`: candidates on fewer nodes of the same supply that do the same
    days for no more node-hours; one of them that is admitted on no worse terms makes this one needless.
    """

    candidate: Candidate
    lower: float
    upper: float
    by_task: tuple[float | None, ...]
    runs: tuple[Run | None, ...]
    better: tuple["Bounds", ...] = ()


@dataclass(frozen=True, slots=True)
class _Rates:
    """One supply's prices as float micros: of an hour, with billing unit and minimum, and of the cheapest unit-day.

    `covered_day`: least micros of a node's day under a savings plan, which pays for nodes sold by the hour.
    """

    hourly: "_HourRate | None"
    spot: "_HourRate | None"
    unit_day: float
    covered_day: float


@dataclass(frozen=True, slots=True)
class _HourRate:
    micros: float
    unit_hours: float
    minimum_hours: float

    def node_day(self, hours: float) -> float:
        """Micros of one node on a day: the billed hours at the hour's price."""
        billed = max(ceil(hours / self.unit_hours - HAIR_HOURS) * self.unit_hours, self.minimum_hours)
        return self.micros * min(billed, float(HOURS_PER_DAY))


@dataclass(frozen=True, slots=True)
class _StorageRates:
    """Micros of a day of hot data of one's own, of the shared data set and of cold data, and of the egress."""

    hot: float
    data: float
    cold: float
    egress: float


class Bounder:
    """Bounds of one case's candidates; floats, since they only decide what the exact program gets to see."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.horizon = case.horizon
        self.last_weight = case.horizon.weight(case.horizon.days)
        self._rates: dict[int, _Rates] = {}
        self._storage: dict[tuple[int, float], _StorageRates] = {}
        self._chains: dict[tuple[int, int, int], float] = {}

    def bounds(self, candidate: Candidate, demand: "Demand") -> Bounds | None:
        """The candidate's bounds over its workload's tasks; `None` when it can run none of them."""
        runs = demand.runs(candidate)
        if not any(runs):
            return None
        return (self._steady if demand.work.is_steady else self._jobs)(candidate, demand, runs)

    def _jobs(self, candidate: Candidate, demand: "Demand", runs: tuple[Run | None, ...]) -> Bounds:
        """Every repetition may start on its last possible day, and is served by itself."""
        work, rates = demand.work, self.rates_of(candidate.supply)
        lows: list[float | None] = []
        high = 0.0
        for task, run in zip(demand.tasks, runs, strict=True):
            if run is None:
                lows.append(None)
                high = INFINITE
                continue
            low = self._fixed(candidate, work, task, run, start_days(run, task)[-1])
            lows.append((low + _serving_low(candidate, work, run, rates)) * self.last_weight)
            high += self._fixed(candidate, work, task, run, task.first_start, alone=True)
            high += self._serving_high(candidate, rates, [(run, 1)], task.first_start, task.first_start + run.days)
        return Bounds(candidate, sum(low for low in lows if low is not None), high, tuple(lows), runs)

    def _steady(self, candidate: Candidate, demand: "Demand", runs: tuple[Run | None, ...]) -> Bounds:
        """Months alike differ in nothing but the egress at the horizon's end; they are served as one stretch."""
        tasks, rates = demand.tasks, self.rates_of(candidate.supply)
        day, data_day, at_end = self._day_and_end(candidate, demand)
        of_kind: dict[int, float | None] = {}
        for first in demand.firsts:
            run = runs[first]
            serving = None if run is None else _serving_low(candidate, demand.work, run, rates)
            of_kind[first] = None if run is None or serving is None else (day * run.days + serving) * self.last_weight
        lows = [of_kind[first] for first in demand.alike]
        if lows[-1] is not None:
            lows[-1] += at_end * self.last_weight
        high = INFINITE
        known = [(run, times) for first, times in demand.counts.items() if (run := runs[first]) is not None]
        if len(known) == len(demand.firsts):
            high = at_end + sum(times * (day + data_day) * run.days for run, times in known)
            high += self._serving_high(candidate, rates, known, tasks[0].first_start, tasks[-1].end)
        return Bounds(candidate, sum(low for low in lows if low is not None), high, tuple(lows), runs)

    def _day_and_end(self, candidate: Candidate, demand: "Demand") -> tuple[float, float, float]:
        """Micros of storage a day, of shared data a day, and of the egress where the work runs to the horizon's end."""
        if candidate.supply.is_owned:
            return 0.0, 0.0, 0.0
        rates = self._storage_rates(candidate.storage, demand.work)
        return rates.hot + rates.cold, rates.data, rates.egress if demand.tasks[-1].end == self.horizon.days else 0.0

    def hourly_total(self, candidate: Candidate) -> float:
        """Micros of all the candidate's tasks served by the hour, with storage and egress; infinite if not possible."""
        work, rate = self.case.work(candidate.work), self.rates_of(candidate.supply).hourly
        total = 0.0
        for task in self.case.tasks_of_work(candidate.work):
            run = run_of(candidate, work, task)
            if run is None or rate is None:
                return INFINITE
            fixed = self._fixed(candidate, work, task, run, task.first_start, alone=True)
            total += fixed + candidate.nodes * _hourly(rate, run)
        return total

    def rates_of(self, supply: Supply) -> _Rates:
        """A supply's prices, worked out once."""
        known = self._rates.get(id(supply))
        if known is None:
            known = self._rates[id(supply)] = _Rates(
                _hour_rate(supply.hourly),
                _hour_rate(supply.spot),
                self._unit_day(supply),
                min(least_day(self.horizon, rated) for rated in supply.covered_at) if supply.covered_at else INFINITE,
            )
        return known

    def _fixed(
        self, candidate: Candidate, work: Work, task: TaskDemand, run: Run, start: int, *, alone: bool = False
    ) -> float:
        """Storage and egress of a placement, unrounded; only cold data costs less when the job starts later.

        Shared data may be paid by others: it counts only for work that is served `alone`.
        """
        if candidate.supply.is_owned:
            return 0.0
        rates = self._storage_rates(candidate.storage, work)
        hot = rates.hot + rates.data if alone else rates.hot
        if task.month is not None:
            at_end = rates.egress if start + run.days == self.horizon.days else 0.0
            return (hot + rates.cold) * run.days + at_end
        return hot * run.days + rates.cold * (self.horizon.days - start) + rates.egress

    def _storage_rates(self, plan: StoragePlan, work: Work) -> "_StorageRates":
        """What a storage plan costs a workload; plans are shared by workloads, shared data sets are not."""
        shared_gb = 0.0 if work.dataset is None else work.dataset_gb * work.hot_fraction
        known = self._storage.get((id(plan), shared_gb))
        if known is None:
            per_day = MICROS_PER_UNIT * MONTHS_PER_YEAR / DAYS_PER_YEAR
            hot = 0.0 if plan.hot is None or plan.local else float(plan.hot.month_exact) * per_day
            share = 0.0 if plan.hot is None else min(1.0, shared_gb / plan.hot.size_gb)
            cold = 0.0 if plan.cold is None else float(plan.cold.month_exact) * per_day
            egress = 0.0 if plan.egress is None else float(plan.egress.month_exact) * MICROS_PER_UNIT
            known = _StorageRates(hot * (1 - share), hot * share, cold, egress)
            self._storage[id(plan), shared_gb] = known
        return known

    def _unit_day(self, supply: Supply) -> float:
        """Micros of the cheapest unit-day of a pool; 0 where sunk units stand."""
        if supply.sunk:
            return 0.0
        rents = min((self._rent_day(rent) for rent in supply.rents), default=INFINITE)
        bought = min((self._owned_day(record) for record in supply.purchases), default=INFINITE)
        return min(rents, bought)

    def _owned_day(self, record: MayBuy) -> float:
        """An owned unit's cheapest day: capital lost over usable days, least running cost.

        Capital lost is linear in age between residual rows, so its ratio to the usable days is monotone there and
        least at a row, at the whole horizon, or on the shortest possible use. Months have at most 31 days.
        """
        file = self.case.file
        rate = self.case.rates.factor(record.currency or file.currency, file.currency)
        oldest = self.horizon.days
        ages = {oldest, record.lead_time_days + 1}
        for month in record.residual_by_month:
            ages |= {int(month * DAYS_PER_YEAR / MONTHS_PER_YEAR), int(month * DAYS_PER_YEAR / MONTHS_PER_YEAR) + 1}
        usable = [age for age in ages if record.lead_time_days < age <= oldest]
        if not usable:
            return INFINITE
        price, network = price_micros(record, rate), float(record.network_per_node * rate) * MICROS_PER_UNIT
        capital = min(
            (price - residual_micros(record, rate, age) + network) / (age - record.lead_time_days) for age in usable
        )
        first = self.horizon.month_starts[1]
        running = running_lines(record, file.owned, rate, file.currency, 0, first, self.horizon)
        return capital + sum(line.micros for line in running) / LONGEST_MONTH_DAYS

    def _rent_day(self, rent: RentOption) -> float:
        """A rent's cost over the most days of the horizon that it can cover (a calendar month has at most 31)."""
        months = rent.term.months
        days = rent.block_days or rent.term.days or 0
        if months is not None:
            days = min(months * 31, months * 366 // 12 + 3)
        return rent.total / (days if self.horizon.continues else min(days, self.horizon.days))

    def _serving_high(
        self, candidate: Candidate, rates: _Rates, runs: list[tuple[Run, int]], start: int, end: int
    ) -> float:
        """Micros of serving the runs alone, each so many times: all by the hour (or spot), or by one kind of rent
        without gaps."""
        rate = rates.spot if candidate.is_spot else rates.hourly
        by_hour = INFINITE
        if rate is not None and candidate.is_whole:
            by_hour = candidate.nodes * sum(times * _hourly(rate, run) for run, times in runs)
        if candidate.is_spot:
            return by_hour
        rents = (candidate.nodes * self._chain(rent, start, end) for rent in candidate.supply.rents)
        return min(by_hour, min(rents, default=INFINITE))

    def _chain(self, rent: RentOption, start: int, end: int) -> float:
        """Micros of one unit covered without gaps on [start, end) by one kind of rent."""
        key = (id(rent), start, end)
        known = self._chains.get(key)
        if known is None:
            known = self._chains[key] = _chain_cost(self.horizon, rent, start, end)
        return known


class Demand:
    """One workload's tasks; `alike` names for each task the first one that differs from it in its days only.

    Months alike in length and demand, and repetitions, take the same run, and so do candidates of the same speed.
    """

    def __init__(self, work: Work, tasks: tuple[TaskDemand, ...]) -> None:
        self.work = work
        self.tasks = tasks
        known: dict[tuple[int, float | None], int] = {}
        self.alike = tuple(
            known.setdefault((task.end - task.first_start, task.tokens_per_month), position)
            for position, task in enumerate(tasks)
        )
        self.counts = Counter(self.alike)
        self.firsts = tuple(self.counts)
        self._runs: dict[tuple[float | None, float | None], tuple[Run | None, ...]] = {}

    def runs(self, candidate: Candidate) -> tuple[Run | None, ...]:
        """The candidate's run of each task."""
        key = (candidate.tokens_per_second, candidate.run_hours)
        runs = self._runs.get(key)
        if runs is None:
            distinct = {first: run_of(candidate, self.work, self.tasks[first]) for first in self.firsts}
            runs = self._runs[key] = tuple(distinct[first] for first in self.alike)
        return runs


def _hour_rate(rated: RatedPrice | None) -> _HourRate | None:
    if rated is None:
        return None
    price = rated.price
    return _HourRate(float(rated.hour()) * MICROS_PER_UNIT, price.billing_unit_hours, price.minimum_hours)


def _hourly(rate: _HourRate, run: Run) -> float:
    return (run.days - 1) * rate.node_day(run.hours) + rate.node_day(run.last_hours)


def _serving_low(candidate: Candidate, work: Work, run: Run, rates: _Rates) -> float:
    """The smaller of hour and unit-day for every node-day; see the module's proof."""
    if candidate.is_spot:
        return 0.0 if rates.spot is None else candidate.nodes * _hourly(rates.spot, run)
    share = candidate.gpus_per_node / candidate.supply.machine.gpu_count
    if work.window is not None:
        share *= work.window.hours / HOURS_PER_DAY
    unit_day = rates.unit_day * share
    if rates.hourly is None or not candidate.is_whole:
        return candidate.nodes * run.days * unit_day if unit_day < INFINITE else 0.0
    unit_day = min(unit_day, rates.covered_day * share)
    regular = min(rates.hourly.node_day(run.hours), unit_day)
    last = min(rates.hourly.node_day(run.last_hours), unit_day)
    return candidate.nodes * ((run.days - 1) * regular + last)


def _chain_cost(horizon: Horizon, rent: RentOption, start: int, end: int) -> float:
    total = rent.total
    day, cost = start, 0.0
    for after in ends_in_a_row(horizon, rent, start):
        inside = 1.0
        if horizon.continues and after > horizon.days:
            inside = (horizon.days - day) / (after - day)
        cost += total * inside
        day = after
        if day >= end:
            break
    return cost


def all_bounds(case: Case, work: int, bounder: Bounder) -> list[Bounds]:
    """Bounds of one workload's candidates, the cheapest upper bound first (then in the tie order)."""
    demand = Demand(case.work(work), case.tasks_of_work(work))
    found: list[Bounds] = []
    fewer: dict[tuple[int, int, bool], list[Bounds]] = {}
    for candidate in case.candidates[work]:
        bounds = bounder.bounds(candidate, demand)
        if bounds is None:
            continue
        kin = fewer.setdefault((id(candidate.supply), candidate.gpus_per_node, candidate.is_spot), [])
        better = tuple(other for other in kin if _spares(other, bounds, demand))
        bounds = replace(bounds, better=better) if better else bounds
        kin.append(bounds)
        found.append(bounds)
    found.sort(key=lambda bounds: (bounds.upper, bounds.lower, bounds.candidate.index))
    return found


def _spares(one: Bounds, other: Bounds, demand: Demand) -> bool:
    """Whether `one` (on fewer nodes) does all that `other` does in the same days for no more billed node-hours.

    Then `one` can take the place of `other` in any plan: its nodes are fewer on every day, hourly node-days cost
    no more (whole hours are compared, so any billing unit of an hour or a divisor of it agrees), energy is less,
    storage no dearer.
    """
    for first in demand.firsts:
        mine, theirs = one.runs[first], other.runs[first]
        if theirs is None:
            continue
        if mine is None or mine.days != theirs.days:
            return False
        nodes, more = one.candidate.nodes, other.candidate.nodes
        regular = nodes * _whole(mine.hours) <= more * _whole(theirs.hours)
        last = nodes * _whole(mine.last_hours) <= more * _whole(theirs.last_hours)
        if not (regular and last and nodes * mine.total_hours <= more * theirs.total_hours):
            return False
    return _stores_no_dearer(one.candidate.storage, other.candidate.storage)


def _stores_no_dearer(one: StoragePlan, other: StoragePlan) -> bool:
    """Whether data costs no more; faster work may call for another volume."""
    if one is other:
        return True
    if one.missing != other.missing:
        return False
    pairs = ((None if one.local else one.hot, None if other.local else other.hot), (one.cold, other.cold))
    return all(
        mine is None or (theirs is not None and mine.month_exact <= theirs.month_exact)
        for mine, theirs in (*pairs, (one.egress, other.egress))
    )


def _whole(hours: float) -> int:
    return ceil(hours - HAIR_HOURS)
