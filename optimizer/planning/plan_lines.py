"""The cost lines of a plan (docs/adr/0050-plan-lines.md) with the days on which they are paid."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

from optimizer.domain.money import from_micros, to_micros
from optimizer.domain.offer import PriceUnit, Term
from optimizer.domain.plan import Purchase
from optimizer.domain.units import HOURS_PER_MONTH, HOURS_PER_YEAR, MONTHS_PER_YEAR
from optimizer.domain.workload import MayBuy, OwnedAlready
from optimizer.planning.assembly import Assembly, Bought, Placed, decimal_of
from optimizer.planning.calendar import date_of
from optimizer.planning.costing import Payment, RatedPrice, billed_hours
from optimizer.planning.owned import (
    RunningLine,
    price_micros,
    purchase_currency,
    residual_micros,
    running_lines,
)
from optimizer.planning.runs import FixedLine
from optimizer.planning.supply import OWNED_PROVIDER, OWNED_REGION, Supply
from optimizer.program.problem import Solution

SITE_SOURCE = "workload file, owned"
OwnedRecord = MayBuy | OwnedAlready
ServedDays = dict[int, list[tuple[int, dict[Term, int]]]]


@dataclass(frozen=True, slots=True)
class Line:
    """A purchase line and its payments; `weights`: what each workload takes of it, where that is not node-days."""

    purchase: Purchase
    payments: tuple[Payment, ...]
    weights: tuple[Fraction, ...] = ()


class LineBuilder:
    """Writes the lines of one solution."""

    def __init__(self, assembly: Assembly, solution: Solution, days: ServedDays) -> None:
        self.assembly = assembly
        self.case = assembly.case
        self.solution = solution
        self.days = days
        self.start = self.case.file.start
        self.currency = self.case.file.currency

    def lines(self) -> list[Line]:
        """All lines: machines first, then what runs beside them."""
        return [
            *self._rents(),
            *self._purchases(),
            *self._hourly(),
            *self._fixed(),
            *self._shared(),
            *self._sunk_running(),
            *self._moves(),
        ]

    def workload(self, placed: Placed) -> str:
        """The name of a placement's workload."""
        return self.case.work(placed.candidate.work).name

    def _users(self, pool: str, start: int, end: int) -> tuple[str, ...]:
        """Workloads served by units of a pool in [start, end), in the file's order."""
        names = set()
        for identity in self.assembly.real_placements(self.solution.placements):
            placed = self.assembly.placed[identity]
            if placed.candidate.supply.key == pool and any(
                start <= day < end and any(term.buys_units for term in terms) for day, terms in self.days[identity]
            ):
                names.add(self.workload(placed))
        return tuple(work.name for work in self.case.file.workloads if work.name in names)

    # machines

    def _rents(self) -> Iterator[Line]:
        for identity, count in self.solution.units:
            bought = self.assembly.bought[identity]
            if bought.rent is None:
                continue
            rated = bought.rent.rated
            users = self._users(bought.supply.key, bought.start, bought.end)
            for start, end in bought.terms:
                length = term_length(rated, end - start)
                paid = (payment for payment in bought.payments if start <= payment.day < end)
                payments = tuple(Payment(payment.day, payment.micros * count) for payment in paid)
                yield Line(
                    self._machine(
                        bought.supply, rated, count, length * count, rated.price.unit.value, start, end,
                        sum(payment.micros for payment in payments), users,
                    ),
                    payments,
                )  # fmt: skip

    def _machine(
        self,
        supply: Supply,
        rated: RatedPrice,
        count: int,
        quantity: Decimal,
        unit: str,
        start: int,
        end: int,
        micros: int,
        users: tuple[str, ...],
    ) -> Purchase:
        price = rated.price
        return Purchase(
            kind="machine",
            provider=supply.provider,
            region=supply.region,
            instance_type=supply.instance_type,
            term=price.term,
            count=count,
            quantity=quantity,
            unit=unit,
            start=date_of(self.start, start),
            end=date_of(self.start, end),
            start_day=start,
            end_day=end,
            unit_price=price.amount if price.term.buys_units else price.per_hour(),
            price_currency=price.currency,
            fx_rate=rated.fx_rate,
            tax_factor=rated.tax_factor,
            cost=from_micros(micros),
            price_kind=price.kind.value,
            observed=price.observed,
            source=price.source,
            note=price.note,
            workloads=users,
        )

    def _purchases(self) -> Iterator[Line]:
        for identity, count in self.solution.units:
            bought = self.assembly.bought[identity]
            if bought.purchase is not None:
                yield from self._purchase(bought, bought.purchase, count)

    def _purchase(self, bought: Bought, record: MayBuy, count: int) -> Iterator[Line]:
        rate = self.case.rates.factor(purchase_currency(record, self.currency), self.currency)
        residual = residual_micros(record, rate, self.case.horizon.days - bought.start)
        price = price_micros(record, rate)
        users = self._users(bought.supply.key, bought.start, bought.end)
        common = {
            "provider": OWNED_PROVIDER,
            "region": OWNED_REGION,
            "instance_type": bought.supply.instance_type,
            "count": count,
            "start_day": bought.start,
            "end_day": bought.end,
            "start": date_of(self.start, bought.start),
            "end": date_of(self.start, bought.end),
            "price_currency": purchase_currency(record, self.currency),
            "fx_rate": rate,
            "price_kind": "quote",
            "source": f"{SITE_SOURCE}.may_buy",
            "workloads": users,
        }
        yield Line(
            Purchase(
                kind="machine",
                term=Term.OWNED,
                quantity=Decimal(count),
                unit="unit",
                unit_price=record.price,
                residual=from_micros(residual * count),
                cost=from_micros((price - residual) * count),
                **common,
            ),
            (Payment(bought.start, price * count),),
        )
        network = to_micros(record.network_per_node * rate)
        if network:
            yield Line(
                Purchase(
                    kind="network",
                    term=Term.OWNED,
                    quantity=Decimal(count),
                    unit="unit",
                    unit_price=record.network_per_node,
                    cost=from_micros(network * count),
                    **common,
                ),
                (Payment(bought.start, network * count),),
            )
        usable = bought.start + record.lead_time_days
        yield from self._running(bought.supply, record, rate, usable, count, users)

    def _running(
        self,
        supply: Supply,
        record: MayBuy | OwnedAlready,
        rate: Decimal,
        start: int,
        count: int,
        users: tuple[str, ...],
    ) -> Iterator[Line]:
        horizon = self.case.horizon
        found: dict[str, list[RunningLine]] = defaultdict(list)
        for line in running_lines(record, self.case.file.owned, rate, self.currency, start, horizon.days, horizon):
            found[line.kind].append(line)
        for kind, parts in found.items():
            first = parts[0]
            payments = tuple(Payment(part.first_day, part.micros * count) for part in parts)
            yield Line(
                Purchase(
                    kind=kind,
                    provider=OWNED_PROVIDER,
                    region=OWNED_REGION,
                    instance_type=supply.instance_type,
                    term=Term.OWNED,
                    count=count,
                    quantity=decimal_of(sum((part.quantity for part in parts), Fraction(0)) * count),
                    unit=first.unit,
                    start=date_of(self.start, first.first_day),
                    end=date_of(self.start, parts[-1].last_day),
                    start_day=first.first_day,
                    end_day=parts[-1].last_day,
                    unit_price=first.unit_price,
                    price_currency=first.currency,
                    fx_rate=first.fx_rate,
                    cost=from_micros(sum(payment.micros for payment in payments)),
                    price_kind="quote",
                    source=SITE_SOURCE,
                    note="idle" if kind == "energy" else "",
                    workloads=users,
                ),
                payments,
            )

    def _hourly(self) -> Iterator[Line]:
        for identity in self.assembly.real_placements(self.solution.placements):
            placed = self.assembly.placed[identity]
            supply = placed.candidate.supply
            rated = supply.spot if placed.candidate.is_spot else supply.hourly
            for price in (rated, *supply.covered_at):
                if price is not None:
                    yield from self._by_the_hour(identity, placed, price)

    def _by_the_hour(self, identity: int, placed: Placed, rated: RatedPrice) -> Iterator[Line]:
        """Lines of service by the hour on one term; what a savings plan covers is paid by its commitment."""
        term, run = rated.price.term, placed.run
        nodes = {day: terms.get(term, 0) for day, terms in self.days[identity]}
        for start, end, count, hours in _same_service(nodes, placed.end, run.hours, run.last_hours):
            per_day = 0 if term.is_savings_plan else rated.node_day(hours) * count
            quantity = billed_hours(hours, rated.price) * count * (end - start)
            yield Line(
                self._machine(
                    placed.candidate.supply, rated, count, quantity, "hour", start, end,
                    per_day * (end - start), (self.workload(placed),),
                ),
                tuple(Payment(day, per_day) for day in range(start, end)),
            )  # fmt: skip

    # beside the machines

    def _fixed(self) -> Iterator[Line]:
        for identity in self.assembly.real_placements(self.solution.placements):
            placed = self.assembly.placed[identity]
            for line in placed.lines:
                if line.kind != "machine":
                    yield Line(self._fixed_line(placed, line), line.payments)

    def _fixed_line(self, placed: Placed, line: FixedLine) -> Purchase:
        supply = placed.candidate.supply
        return Purchase(
            kind=line.kind,
            provider=supply.provider,
            region=supply.region,
            instance_type=supply.instance_type if line.kind == "energy" else None,
            term=Term.OWNED if line.kind == "energy" else None,
            count=1,
            quantity=line.quantity,
            unit=line.unit,
            start=date_of(self.start, line.start_day),
            end=date_of(self.start, line.end_day),
            start_day=line.start_day,
            end_day=line.end_day,
            unit_price=line.unit_price,
            price_currency=line.currency,
            fx_rate=line.fx_rate,
            tax_factor=line.tax_factor,
            cost=from_micros(line.micros),
            price_kind=line.price_kind if line.kind != "energy" else "quote",
            observed=line.observed,
            source=line.source,
            note=line.description,
            workloads=(self.workload(placed),),
        )

    def _shared(self) -> Iterator[Line]:
        users: dict[int, set[int]] = defaultdict(set)
        names: dict[int, list[Placed]] = defaultdict(list)
        placements = {placement.id: placement for placement in self.assembly.problem.placements}
        for identity in self.assembly.real_placements(self.solution.placements):
            placed = self.assembly.placed[identity]
            for shared in placements[identity].shared:
                users[shared].update(range(placed.start, placed.end))
                names[shared].append(placed)
        per_day = {line.id: line.cost_per_day for line in self.assembly.problem.shared}
        for shared, days in sorted(users.items()):
            for start, end in _runs_of_days(days):
                yield self._shared_line(shared, names[shared], start, end, per_day[shared])

    def _shared_line(self, shared: int, placed: list[Placed], start: int, end: int, per_day: int) -> Line:
        dataset, provider, region = self.assembly.shared[shared]
        volume = placed[0].candidate.storage.hot
        work = self.case.work(placed[0].candidate.work)
        if volume is None:
            raise ValueError(f"shared data set {dataset} without a volume")
        size = Decimal(repr(work.dataset_gb * work.hot_fraction))
        months = Fraction(end - start) * 12 / 365
        payments = tuple(Payment(day, per_day) for day in range(start, end))
        users = {self.workload(item) for item in placed if item.start < end and start < item.end}
        purchase = Purchase(
            kind="storage",
            provider=provider,
            region=region,
            count=1,
            quantity=size * decimal_of(months),
            unit="GB-month",
            start=date_of(self.start, start),
            end=date_of(self.start, end),
            start_day=start,
            end_day=end,
            unit_price=volume.price_per_gb_month,
            price_currency=volume.currency,
            fx_rate=volume.fx_rate,
            tax_factor=volume.tax_factor,
            price_kind=volume.price_kind,
            cost=from_micros(per_day * (end - start)),
            observed=volume.observed,
            source=volume.source,
            note=f"shared data set {dataset}: {volume.product}",
            workloads=tuple(work.name for work in self.case.file.workloads if work.name in users),
        )
        return Line(purchase, payments)

    def _sunk_running(self) -> Iterator[Line]:
        """Running cost of machines that stand there, used or not."""
        for supply in self.assembly.supplies:
            for sunk in supply.sunk:
                if sunk.already is not None:
                    users = self._users(supply.key, sunk.from_day, sunk.to_day)
                    yield from self._running(supply, sunk.already, Decimal(1), sunk.from_day, sunk.count, users)

    def _moves(self) -> Iterator[Line]:
        for index, work in enumerate(self.case.file.workloads):
            if not work.is_steady or work.move_cost == 0:
                continue
            months = sorted(
                (placed for placed in self._chosen() if placed.candidate.work == index), key=lambda item: item.start
            )
            for before, after in pairwise(months):
                if before.candidate.index != after.candidate.index:
                    yield self._move(after, work.move_cost)

    def _chosen(self) -> list[Placed]:
        return [self.assembly.placed[identity] for identity in self.assembly.real_placements(self.solution.placements)]

    def _move(self, placed: Placed, cost: Decimal) -> Line:
        supply = placed.candidate.supply
        purchase = Purchase(
            kind="move",
            provider=supply.provider,
            region=supply.region,
            count=1,
            quantity=Decimal(1),
            unit="move",
            start=date_of(self.start, placed.start),
            end=date_of(self.start, placed.start + 1),
            start_day=placed.start,
            end_day=placed.start + 1,
            unit_price=cost,
            price_currency=self.currency,
            fx_rate=Decimal(1),
            cost=cost,
            price_kind="quote",
            source="workload file, move_cost",
            workloads=(self.workload(placed),),
        )
        return Line(purchase, (Payment(placed.start, to_micros(cost)),))


def term_length(rated: RatedPrice, days: int) -> Decimal:
    """A term's length in its price's unit: months for a monthly price, 730 or 8,760 hours for an hourly one."""
    price = rated.price
    months = price.term.months
    if price.unit is PriceUnit.TERM:
        return Decimal(1)
    if months is None:
        hours = days * 24
        return Decimal(hours) / {PriceUnit.HOUR: 1, PriceUnit.DAY: 24, PriceUnit.WEEK: 168}[price.unit]
    if price.unit is PriceUnit.MONTH:
        return Decimal(months)
    if price.unit is PriceUnit.YEAR:
        return Decimal(months) / MONTHS_PER_YEAR
    if months < MONTHS_PER_YEAR:
        return Decimal(HOURS_PER_MONTH * months)
    return Decimal(HOURS_PER_YEAR * months) / MONTHS_PER_YEAR


def _same_service(
    nodes: dict[int, int], end: int, hours: float, last_hours: float
) -> Iterator[tuple[int, int, int, float]]:
    """Stretches [first, last) with the same nodes and hours by the hour; days without any are left out."""
    first: int | None = None
    current: tuple[int, float] = (0, 0.0)
    for day in sorted(nodes):
        service = (nodes[day], last_hours if day == end - 1 else hours)
        if first is not None and service != current:
            yield first, day, *current
            first = None
        if first is None and service[0] > 0:
            first, current = day, service
    if first is not None:
        yield first, max(nodes) + 1, *current


def _runs_of_days(days: set[int]) -> Iterator[tuple[int, int]]:
    """Maximal runs of consecutive days, half-open."""
    ordered = sorted(days)
    first = before = ordered[0]
    for day in ordered[1:]:
        if day != before + 1:
            yield first, before + 1
            first = day
        before = day
    yield first, before + 1
