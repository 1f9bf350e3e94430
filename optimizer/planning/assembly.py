"""From candidates to the integer program's numbers and ids, and the maps that lead back."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

from optimizer.domain.money import to_micros
from optimizer.domain.offer import Term
from optimizer.domain.units import HOURS_PER_DAY
from optimizer.domain.workload import MayBuy, OwnedAlready, Work
from optimizer.planning.calendar import date_of
from optimizer.planning.candidates import Candidate
from optimizer.planning.case import Case
from optimizer.planning.commitments import Committed, SavingsPlan, Starts, spend_terms
from optimizer.planning.costing import Payment, rent_payments
from optimizer.planning.demand import TaskDemand
from optimizer.planning.owned import (
    purchase_currency,
    purchase_payments,
    residual_micros,
    running_energy,
    running_lines,
)
from optimizer.planning.quota_limits import quota_limits
from optimizer.planning.rent_days import RentDays
from optimizer.planning.runs import FixedLine, Run, month_stretches, run_of, start_days, storage_lines
from optimizer.planning.spot import spot_lines
from optimizer.planning.supply import RentOption, Supply
from optimizer.program.problem import (
    Chain,
    Placement,
    Pool,
    Problem,
    SharedLine,
    SpendTerm,
    SunkUnits,
    Task,
    UnitTerm,
)
from optimizer.rules import Policy

WATTS_PER_KW = 1000
#: Standing machines cost what they cost, whichever workloads are kept.
MUST_KEEP = 10**6


@dataclass(frozen=True, slots=True)
class Placed:
    """What a placement of the program means: a candidate running a task from a day, and its fixed lines."""

    candidate: Candidate
    task: TaskDemand
    run: Run
    start: int
    end: int
    lines: tuple[FixedLine, ...]


@dataclass(frozen=True, slots=True)
class Bought:
    """What a unit term of the program means: a rent or a purchase of one unit of a supply from a day.

    `renewals`: the days on which a rent is renewed, between its start and its end.
    """

    supply: Supply
    rent: RentOption | None
    purchase: MayBuy | None
    start: int
    end: int
    payments: tuple[Payment, ...]
    renewals: tuple[int, ...] = ()

    @property
    def terms(self) -> Iterator[tuple[int, int]]:
        """[first day, end) of the rent and of each renewal."""
        return pairwise((self.start, *self.renewals, self.end))


@dataclass
class Assembly:
    """A problem and the maps from its ids back to planning's records."""

    case: Case
    policy: Policy
    problem: Problem
    placed: dict[int, Placed]
    bought: dict[int, Bought]
    supplies: tuple[Supply, ...]
    sunk_terms: dict[int, Term]
    shared: dict[int, tuple[str, str, str]]
    committed: dict[int, Committed]

    def real_placements(self, chosen: Iterable[int]) -> tuple[int, ...]:
        """Placements that stand for work; the constant cost of standing machines is one of the program's own."""
        return tuple(identity for identity in chosen if identity in self.placed)


def assemble(
    case: Case,
    policy: Policy,
    chosen: Iterable[Candidate],
    plans: Iterable[SavingsPlan] = (),
    *,
    every_start: bool = False,
) -> Assembly:
    """The problem over the chosen candidates (all admitted by the policy) and the savings plans offered to them.

    `every_start` lets rents and savings plans begin on every day instead of those that can matter (to test that claim).
    """
    return _Assembler(case, policy, tuple(chosen), tuple(plans), every_start).assembly()


class _Assembler:
    """Builds one problem; pools, placements and unit terms are numbered in the tie order."""

    def __init__(
        self,
        case: Case,
        policy: Policy,
        chosen: tuple[Candidate, ...],
        plans: tuple[SavingsPlan, ...],
        every_start: bool,
    ) -> None:
        self.case = case
        self.plans = plans
        self.every_start = every_start
        self.policy = policy
        self.horizon = case.horizon
        self.chosen = sorted(chosen, key=lambda candidate: (candidate.work, candidate.lexical))
        supplies = {candidate.supply.key: candidate.supply for candidate in self.chosen}
        supplies |= {supply.key: supply for supply in case.standing}
        self.supplies = tuple(sorted(supplies.values(), key=lambda supply: supply.order))
        self.pool_of = {supply.key: index for index, supply in enumerate(self.supplies)}
        self.placements: list[Placement] = []
        self.placed: dict[int, Placed] = {}
        self.bought: dict[int, Bought] = {}
        self.unit_terms: list[UnitTerm] = []
        self.sunk_terms: dict[int, Term] = {}
        self.shared_ids: dict[tuple[str, str, str], int] = {}
        self.shared_lines: list[SharedLine] = []
        self.committed: dict[int, Committed] = {}

    def assembly(self) -> Assembly:
        """Everything in order: placements first, since rents start where placements need them."""
        for candidate in self.chosen:
            self._place(candidate)
        for supply in self.supplies:
            self._buyable(supply)
        constant = tuple(self._constant())
        sunk = tuple(self._sunk())
        problem = Problem(
            horizon=self.horizon.days,
            month_starts=self.horizon.month_starts,
            pools=tuple(self._pools()),
            tasks=(*self._tasks(), *constant),
            placements=tuple(self.placements),
            unit_terms=tuple(self.unit_terms),
            sunk=sunk,
            chains=tuple(self._chains()),
            shared=tuple(self.shared_lines),
            quotas=quota_limits(self.case.file, self.supplies),
            spend_terms=tuple(self._spend_terms()),
            day_weights=self._day_weights(),
            budget=_micros(self.case.file.budget),
            monthly_budget=_micros(self.case.file.monthly_budget),
            max_hourly=_micros(self.case.file.max_hourly),
            site_power_watts=_watts(self.case.file.owned.site_power_kw),
        )
        shared = {identity: key for key, identity in self.shared_ids.items()}
        return Assembly(
            case=self.case,
            policy=self.policy,
            problem=problem,
            placed=self.placed,
            bought=self.bought,
            supplies=self.supplies,
            sunk_terms=self.sunk_terms,
            shared=shared,
            committed=self.committed,
        )

    def _day_weights(self) -> tuple[float, ...]:
        if self.case.file.discount_rate == 0:
            return ()
        return tuple(self.horizon.weight(day) for day in range(self.horizon.days))

    def _pools(self) -> Iterator[Pool]:
        providers = sorted({supply.provider for supply in self.supplies})
        for index, supply in enumerate(self.supplies):
            generation = supply.gpu.release_year or 0
            yield Pool(index, supply.machine.gpu_count, providers.index(supply.provider), generation)

    def _tasks(self) -> Iterator[Task]:
        for index, task in enumerate(self.case.tasks):
            work = self.case.work(task.work)
            chain = task.work if work.is_steady else None
            yield Task(index, task.work, chain, work.priority or 0)

    def _chains(self) -> Iterator[Chain]:
        for index, work in enumerate(self.case.file.workloads):
            if work.is_steady:
                starts = [task.first_start for task in self.case.tasks_of_work(index)]
                move = to_micros(work.move_cost)
                objective = tuple(round(move * self.horizon.weight(day)) for day in starts)
                months = tuple(self.horizon.month_of(day) for day in starts)
                yield Chain(index, work.max_moves, move, objective, months)

    def _constant(self) -> Iterator[Task]:
        """Running cost of machines that stand there anyway: a task on no nodes and no units, so that budgets see it."""
        payments = standing_payments(self.case)
        if not payments:
            return
        task = Task(len(self.case.tasks), len(self.case.file.workloads), None, MUST_KEEP)
        identity = len(self.placements)
        self.placements.append(
            Placement(
                id=identity,
                task=task.id,
                option=-1,
                pool=0,
                nodes=0,
                gpus_per_node=self.supplies[0].machine.gpu_count,
                start=0,
                end=1,
                hours=None,
                hourly_cost=None,
                spot=True,
                cost=sum(payment.micros for payment in payments),
                objective=self.horizon.objective(payments),
                cash=self.horizon.cash(payments),
                lexical=identity,
            )
        )
        yield task

    def _sunk(self) -> Iterator[SunkUnits]:
        identity = 0
        for index, supply in enumerate(self.supplies):
            for sunk in supply.sunk:
                self.sunk_terms[identity] = sunk.term
                watts = 0
                if sunk.already is not None and sunk.already.load_kw is not None:
                    watts = _site_watts(sunk.already.load_kw, self.case.file.owned.pue)
                shareable = sunk.already is None or sunk.already.shareable
                yield SunkUnits(identity, index, sunk.from_day, sunk.to_day, sunk.count, shareable, watts)
                identity += 1

    # placements

    def _place(self, candidate: Candidate) -> None:
        work = self.case.work(candidate.work)
        judgement = self.case.judge(candidate, self.policy)
        for index, task in enumerate(self.case.tasks):
            if task.work != candidate.work:
                continue
            run = run_of(candidate, work, task)
            if run is None:
                continue
            hourly = self._hourly_cost(candidate, run)
            for start in start_days(run, task):
                lines = tuple(self._lines(candidate, work, task, run, start))
                identity = len(self.placements)
                payments = [payment for line in lines for payment in line.payments]
                self.placed[identity] = Placed(candidate, task, run, start, start + run.days, lines)
                self.placements.append(
                    Placement(
                        id=identity,
                        task=index,
                        option=candidate.index,
                        pool=self.pool_of[candidate.supply.key],
                        nodes=candidate.nodes,
                        gpus_per_node=candidate.gpus_per_node,
                        start=start,
                        end=start + run.days,
                        hours=_window(work),
                        hourly_cost=hourly,
                        rate_micros_per_hour=self._hourly_rate(candidate),
                        spot=candidate.is_spot,
                        cost=sum(line.micros for line in lines),
                        objective=self.horizon.objective(payments),
                        cash=self.horizon.cash(payments),
                        shared=tuple(self._shared(candidate, work)),
                        below_strict=len(judgement.below_strict),
                        unknowns=len(judgement.unknowns),
                        lexical=identity,
                        finish=start + run.days,
                    )
                )

    def _hourly_cost(self, candidate: Candidate, run: Run) -> tuple[int, int] | None:
        if candidate.is_spot or candidate.supply.hourly is None or not candidate.is_whole:
            return None
        price = candidate.supply.hourly
        return price.node_day(run.hours), price.node_day(run.last_hours)

    def _hourly_rate(self, candidate: Candidate) -> int:
        price = candidate.supply.spot if candidate.is_spot else candidate.supply.hourly
        return 0 if price is None else to_micros(price.hour())

    def _lines(self, candidate: Candidate, work: Work, task: TaskDemand, run: Run, start: int) -> Iterator[FixedLine]:
        end = start + run.days
        yield from storage_lines(candidate, work, task, start, end, self.horizon, shared_data=work.dataset is not None)
        if candidate.is_spot and candidate.supply.spot is not None:
            yield from spot_lines(candidate, candidate.supply.spot, run, start)
        if candidate.supply.is_owned:
            yield from self._energy(candidate, run, start, end)

    def _energy(self, candidate: Candidate, run: Run, start: int, end: int) -> Iterator[FixedLine]:
        record = owned_record(candidate.supply)
        if record is None:
            return
        share = Fraction(candidate.gpus_per_node, candidate.supply.machine.gpu_count)
        currency = self.case.file.currency
        for first, last in month_stretches(start, end, self.horizon):
            hours = Fraction(run.hours) * (last - first)
            if last == end:
                hours += Fraction(run.last_hours) - Fraction(run.hours)
            kwh, tariff, micros = running_energy(record, self.case.file.owned, share, hours)
            total = micros * candidate.nodes
            if total:
                yield FixedLine(
                    "energy", "running", decimal_of(kwh * candidate.nodes), "kWh", tariff, currency, Decimal(1),
                    first, last, total, (Payment(first, total),), None, "workload file, owned.electricity_per_kwh",
                )  # fmt: skip

    def _shared(self, candidate: Candidate, work: Work) -> Iterator[int]:
        volume = candidate.storage.hot
        if work.dataset is None or volume is None or candidate.storage.local or candidate.supply.is_owned:
            return
        key = (work.dataset, candidate.supply.provider, candidate.supply.region)
        if key not in self.shared_ids:
            size = decimal_of(Fraction(repr(work.dataset_gb * work.hot_fraction)))
            factor = Fraction(volume.fx_rate) * Fraction(volume.tax_factor)
            per_month = Fraction(volume.price_per_gb_month) * Fraction(size) * factor
            per_day = round(per_month * 12 / 365 * 10**6)
            weights = (self.horizon.weight(day) for day in range(self.horizon.days))
            self.shared_ids[key] = len(self.shared_lines)
            self.shared_lines.append(
                SharedLine(len(self.shared_lines), per_day, tuple(round(per_day * weight) for weight in weights))
            )
        yield self.shared_ids[key]

    # rents and purchases

    def _buyable(self, supply: Supply) -> None:
        pool = self.pool_of[supply.key]
        mine = [placement for placement in self.placements if placement.pool == pool and not placement.spot]
        if not mine or not (supply.rents or supply.purchases):
            return
        first = min(placement.start for placement in mine)
        last = max(placement.end for placement in mine)
        borders = {day for placement in mine for day in (placement.start, placement.end - 1, placement.end)}
        shareable = all(not self.case.work(self.placed[p.id].task.work).exclusive for p in mine)
        rents = RentDays(self.horizon, supply.rents, first, last, both_ways=self._moves_matter())
        days_of = rents.every_day() if self.every_start else rents.that_matter(borders, self._month_ends(first))
        for rent, days in days_of:
            self._rent(supply, pool, rent, days, shareable)
        for purchase in supply.purchases:
            self._purchases(supply, pool, purchase, borders, last)

    def _moves_matter(self) -> bool:
        """Whether shifting a rent can matter beyond its own workload's days."""
        file = self.case.file
        several = len(self.case.tasks) > 1 and not (len(file.workloads) == 1 and file.workloads[0].is_steady)
        return several or file.discount_rate > 0 or file.monthly_budget is not None or file.max_hourly is not None

    def _month_ends(self, first: int) -> tuple[int, ...]:
        if self.case.file.monthly_budget is None:
            return ()
        return tuple(day - 1 for day in self.horizon.month_starts[1:] if day > first)

    def _rent(self, supply: Supply, pool: int, rent: RentOption, days: tuple[int, ...], shareable: bool) -> None:
        """One rent: its first day, the days on which it is renewed, and its end."""
        start, *renewals, end = days
        valid_to = rent.rated.price.valid_to
        if valid_to is not None and date_of(self.case.file.start, days[-2]) > valid_to:
            return
        payments = tuple(
            payment for span in pairwise(days) for payment in rent_payments(self.horizon, rent.rated, *span)
        )
        identity = len(self.unit_terms)
        self.bought[identity] = Bought(supply, rent, None, start, end, payments, tuple(renewals))
        total = sum(payment.micros for payment in payments)
        rate = max(round(Fraction(rent.total, (last - first) * HOURS_PER_DAY)) for first, last in pairwise(days))
        self.unit_terms.append(
            UnitTerm(
                id=identity,
                pool=pool,
                purchase_day=start,
                usable_from=start,
                end=end,
                cost=total,
                objective=self.horizon.objective(payments),
                cash=self.horizon.cash(payments),
                shareable=shareable,
                rate_micros_per_hour=rate,
                lexical=identity,
            )
        )

    def _spend_terms(self) -> Iterator[SpendTerm]:
        """Savings plans over the covered pools, by kind and start day."""
        file = self.case.file
        tells_apart = file.discount_rate > 0 or file.monthly_budget is not None or file.max_hourly is not None
        starts = Starts(self.every_start, self._moves_matter(), self._month_ends(0), thin=not tells_apart)
        for plan in self.plans:
            for term, committed in spend_terms(self.horizon, plan, self.pool_of, self.placements, starts):
                identity = len(self.committed)
                self.committed[identity] = committed
                yield replace(term, id=identity, lexical=identity)

    def _purchases(self, supply: Supply, pool: int, purchase: MayBuy, borders: Iterable[int], last: int) -> None:
        days = {max(0, day - purchase.lead_time_days) for day in borders}
        group = supply.purchases.index(purchase) + 1000 * pool
        for day in sorted(days):
            usable = day + purchase.lead_time_days
            if usable < last:
                self._purchase(supply, pool, purchase, day, usable, group)

    def _purchase(self, supply: Supply, pool: int, purchase: MayBuy, day: int, usable: int, group: int) -> None:
        file = self.case.file
        rate = self.case.rates.factor(purchase_currency(purchase, file.currency), file.currency)
        running = running_lines(purchase, file.owned, rate, file.currency, usable, self.horizon.days, self.horizon)
        payments = (
            *purchase_payments(purchase, self.case.rates, file.currency, day),
            *(Payment(line.first_day, line.micros) for line in running),
        )
        residual = residual_micros(purchase, rate, self.horizon.days - day)
        discounted = round(residual * self.horizon.weight(self.horizon.days - 1))
        identity = len(self.unit_terms)
        self.bought[identity] = Bought(supply, None, purchase, day, self.horizon.days, payments)
        self.unit_terms.append(
            UnitTerm(
                id=identity,
                pool=pool,
                purchase_day=day,
                usable_from=usable,
                end=self.horizon.days,
                cost=sum(payment.micros for payment in payments) - residual,
                objective=self.horizon.objective(payments) - discounted,
                cash=self.horizon.cash(payments),
                group=group,
                max_count=purchase.max,
                shareable=purchase.shareable,
                power_watts=_site_watts(purchase.load_kw, file.owned.pue),
                lexical=identity,
            )
        )


def standing_payments(case: Case) -> list[Payment]:
    """What machines that stand there anyway cost, whatever the plan."""
    file, horizon = case.file, case.horizon
    return [
        Payment(line.first_day, line.micros * sunk.count)
        for supply in case.standing
        for sunk in supply.sunk
        if sunk.already is not None
        for line in running_lines(
            sunk.already, file.owned, Decimal(1), file.currency, sunk.from_day, horizon.days, horizon
        )
    ]


def owned_record(supply: Supply) -> MayBuy | OwnedAlready | None:
    """The record that says what running a machine of this supply costs."""
    if supply.purchases:
        return supply.purchases[0]
    return next((sunk.already for sunk in supply.sunk if sunk.already is not None), None)


def _window(work: Work) -> tuple[int, int] | None:
    return None if work.window is None else (int(work.window.from_[:2]), work.window.hours)


def _micros(amount: Decimal | None) -> int | None:
    return None if amount is None else to_micros(amount)


def _watts(power_kw: float | None) -> int | None:
    return None if power_kw is None else round(power_kw * WATTS_PER_KW)


def _site_watts(load_kw: float, pue: float) -> int:
    return round(load_kw * WATTS_PER_KW * pue)


def decimal_of(value: Fraction) -> Decimal:
    """A fraction as a decimal of the context's precision."""
    return Decimal(value.numerator) / Decimal(value.denominator)
