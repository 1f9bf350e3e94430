"""What a plan says, gathered once for every output: lines as products, stretches, locks, prices' ages.

Pure arithmetic on the plan file. Money stays Decimal; only `accrued` spreads it over months for a drawing.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import cached_property

from optimizer.catalog.freshness import MAX_AGE_DAYS
from optimizer.domain.offer import Price, PriceKind, Term
from optimizer.domain.plan import Assignment, Plan, Purchase, Sunk
from optimizer.domain.units import SECONDS_PER_HOUR
from optimizer.reports.lines import Line, grouped, is_own, lines_of

#: How a plan file names work without a team.
NO_TEAM = "-"
SPOT_OR_HOURLY = (Term.ON_DEMAND, Term.SPOT)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Assignments of one workload that follow each other on one configuration; the first stands for all."""

    parts: tuple[Assignment, ...]

    @property
    def assignment(self) -> Assignment:
        """The configuration."""
        return self.parts[0]

    @property
    def to(self) -> date:
        """The first day after the last part."""
        return self.parts[-1].to

    @property
    def run_hours(self) -> float:
        """Hours of all parts."""
        return sum(part.run_hours for part in self.parts)

    @property
    def hours_per_day(self) -> tuple[float, float]:
        """The fewest and the most hours a day of its parts."""
        hours = [part.hours_per_day for part in self.parts]
        return min(hours), max(hours)

    @property
    def repetitions(self) -> int:
        """How many times a repeated job runs here."""
        return len({part.repetition for part in self.parts})


def stretches_of(assignments: Iterable[Assignment]) -> list[Stretch]:
    """Join a steady workload's stretches and a job's repetitions where nothing but dates and hours differs."""
    stretches: list[Stretch] = []
    for used in assignments:
        last = stretches[-1] if stretches else None
        if last is not None and _same_configuration(last.assignment, used):
            stretches[-1] = Stretch((*last.parts, used))
        else:
            stretches.append(Stretch((used,)))
    return stretches


def _same_configuration(first: Assignment, other: Assignment) -> bool:
    dates = {"from_", "to", "from_day", "to_day", "finish_day", "run_hours", "hours_per_day", "repetition"}
    same_terms = {served.term for served in first.served_by} == {served.term for served in other.served_by}
    kept_apart = {*dates, "served_by", "rules"}
    return same_terms and first.model_dump(exclude=kept_apart) == other.model_dump(exclude=kept_apart)


@dataclass(frozen=True, slots=True)
class Lock:
    """Money that is bound whatever happens: a term that runs, and days of it that no work uses."""

    line: Line
    price: Price | None
    unused_days: int


@dataclass(frozen=True)
class Facts:
    """Figures that several outputs show, each computed once."""

    plan: Plan

    @cached_property
    def lines(self) -> list[Line]:
        """All lines of cost, machines first."""
        return lines_of(self.plan.purchases)

    @cached_property
    def shown(self) -> list[Line]:
        """Lines as people read them: what is paid month by month, or for each repetition, on one line."""
        return grouped(self.lines)

    @property
    def machines(self) -> list[Line]:
        """Lines that are signed or bought."""
        return [line for line in self.lines if line.purchase.kind == "machine"]

    @property
    def commitments(self) -> list[Line]:
        """Savings plans: money committed an hour."""
        return [line for line in self.lines if line.purchase.kind == "commitment"]

    @cached_property
    def stretches(self) -> list[Stretch]:
        """What runs, joined."""
        return stretches_of(self.plan.assignments)

    @property
    def end(self) -> date:
        """The first day after the horizon."""
        return self.plan.start + timedelta(days=self.plan.horizon_days)

    @property
    def months(self) -> int:
        """Months over which the total is paid: those of the horizon, and later ones of rents that outlive it."""
        return max([self.plan.horizon_months, *(paid.month + 1 for paid in self.plan.cash_flow if paid.amount)])

    @property
    def per_month(self) -> Decimal | None:
        """Total over the months in which it is paid."""
        cost = self.plan.cost
        return None if cost is None or not self.months else cost.total / self.months

    @property
    def teams(self) -> dict[str, Decimal]:
        """Cost by team where some workload names one; work without a team has the key ""."""
        split = self.plan.cost.by_team if self.plan.cost else {}
        shares = {"" if team == NO_TEAM else team: cost for team, cost in split.items()}
        return shares if any(shares) else {}

    @property
    def budget(self) -> Decimal | None:
        """The budget in the plan's currency; None without one, or where it is stated in another currency."""
        stated = self.plan.inputs.get("budget")
        is_same = self.plan.inputs.get("currency", self.plan.currency) == self.plan.currency
        return Decimal(str(stated)) if stated is not None and is_same else None

    @property
    def gpu_hours(self) -> Decimal:
        """GPU-hours of work: nodes x GPUs used x run hours, summed."""
        return sum(
            (Decimal(str(used.run_hours)) * used.nodes * used.gpus_used_per_node for used in self.plan.assignments),
            Decimal(0),
        )

    @property
    def billed_hours(self) -> tuple[Decimal, Decimal]:
        """Machine-hours that are paid as used, and those of them in which work runs."""
        hourly = (line for line in self.machines if line.purchase.term in SPOT_OR_HOURLY)
        billed = sum((line.quantity for line in hourly), Decimal(0))
        run = sum((used.hourly + used.spot) * used.hours * (used.to_day - used.from_day) for used in self.plan.usage)
        return billed, Decimal(str(run))

    @property
    def per_gpu_hour(self) -> Decimal | None:
        """Total over the GPU-hours of work, everything included."""
        cost, hours = self.plan.cost, self.gpu_hours
        return None if cost is None or hours == 0 else cost.total / hours

    @property
    def per_million_tokens(self) -> Decimal | None:
        """Total over the tokens trained, when there is one workload and its speed is known."""
        used, cost = self.plan.assignments, self.plan.cost
        if cost is None or len({work.workload for work in used}) != 1:
            return None
        tokens = sum((work.tokens_per_second or 0) * work.run_hours * SECONDS_PER_HOUR for work in used)
        return cost.total / Decimal(str(tokens)) * 1_000_000 if tokens else None

    @property
    def finish(self) -> date | None:
        """The last day of work of the last job."""
        days = [used.finish_day for used in self.plan.assignments]
        return self.date_of(max(days)) if days else None

    def date_of(self, day: int) -> date:
        """The date of a day number."""
        return self.plan.start + timedelta(days=day)

    @property
    def conditional(self) -> list[str]:
        """Workloads whose configuration stands on facts that are not confirmed."""
        return list(dict.fromkeys(used.workload for used in self.plan.assignments if used.conditional))

    @property
    def highest_month(self) -> tuple[date, Decimal] | None:
        """The cash month in which most leaves."""
        months = [(month.start, month.amount) for month in self.plan.cash_flow]
        return max(months, key=lambda month: month[1]) if months else None

    @property
    def oldest_price(self) -> date | None:
        """The oldest observation among the prices used."""
        return min((bought.observed for bought in self.plan.purchases if bought.observed), default=None)

    @property
    def undated(self) -> list[Line]:
        """Lines whose price has no date."""
        return [line for line in self.shown if line.purchase.observed is None and not is_own(line.purchase)]

    @property
    def old(self) -> list[Line]:
        """Lines whose price is older than the plan's own limit (`--max-age`, 60 days)."""
        return self.older_than(self.age_limit_days)

    @property
    def age_limit_days(self) -> int:
        """From which age a price is old."""
        return int(self.plan.options.get("max_age_days", MAX_AGE_DAYS))

    def older_than(self, days: int) -> list[Line]:
        """Lines whose price is older than so many days on the plan's day; quotes have dates of their own."""
        oldest = self.plan.as_of - timedelta(days=days)
        listed = [line for line in self.shown if line.purchase.price_kind != PriceKind.QUOTE.value]
        return [line for line in listed if line.purchase.observed is not None and line.purchase.observed < oldest]

    @property
    def to_quote(self) -> list[Line]:
        """Lines that rest on no provider's own dated statement: undated, street rents and market quotes."""
        soft = (PriceKind.STREET.value, PriceKind.MARKET_QUOTE.value)
        return [
            line
            for line in self.shown
            if not is_own(line.purchase) and (line.purchase.observed is None or line.purchase.price_kind in soft)
        ]

    @property
    def locks(self) -> list[Lock]:
        """Terms that are paid whether used or not, the dearest first."""
        locks = [
            Lock(line, self.price_of(line.purchase), self._unused_days(line))
            for line in (*self.machines, *self.commitments)
            if line.purchase.kind == "commitment" or line.purchase.term is None or line.purchase.term.buys_units
        ]
        return sorted(locks, key=lambda lock: -lock.line.cost)

    @property
    def outlasting(self) -> list[tuple[Line, date]]:
        """Lines that go on using a price after the last day for which it is stated, with that day."""
        stated = ((line, self._stated_until(line.purchase)) for line in self.shown)
        return [(line, last) for line, last in stated if last is not None and last < line.end - timedelta(days=1)]

    def _stated_until(self, bought: Purchase) -> date | None:
        """The last day of a price that is paid as used; a rent keeps the price of the day on which it begins."""
        if bought.kind != "machine":
            return next((quote.valid_to for quote in self.plan.service_quotes if quote.source == bought.source), None)
        if bought.term not in SPOT_OR_HOURLY:
            return None
        where = (bought.provider, bought.region, bought.instance_type)
        offers = (offer for offer in self.plan.offers if (offer.provider, offer.region, offer.instance_type) == where)
        prices = (price for offer in offers for price in offer.prices)
        mine = (price for price in prices if price.term is bought.term and price.source == bought.source)
        return next((price.valid_to for price in mine), None)

    @property
    def standing(self) -> list[Sunk]:
        """Machines and rents that are there already and are used, each name once."""
        return list({paid.name: paid for paid in self.plan.sunk if paid.used_unit_days}.values())

    @property
    def has_spot(self) -> bool:
        """Whether some work may be interrupted by its provider."""
        return any(used.spot for used in self.plan.assignments)

    def price_of(self, bought: Purchase) -> Price | None:
        """The price row of a purchase among the offers that travel with the plan."""
        for offer in self.plan.offers:
            where = (offer.provider, offer.region, offer.instance_type)
            if where == (bought.provider, bought.region, bought.instance_type) and bought.term:
                return offer.price(bought.term)
        return None

    def _unused_days(self, line: Line) -> int:
        """Days at the end of a term after the last work on its pool, or under its savings plan."""
        bought = line.purchase
        place = (bought.provider, bought.region, bought.instance_type)
        used = [
            work.to_day for work in self.plan.assignments if (work.provider, work.region, work.instance_type) == place
        ]
        if bought.kind == "commitment":
            mine = (work for work in self.plan.assignments if work.provider == bought.provider)
            parts = [part for work in mine for part in work.served_by if part.term is bought.term and part.nodes]
            used = [min(part.to_day, line.end_day) for part in parts if part.from_day < line.end_day]
        return max(0, line.end_day - max(used)) if used else line.end_day - line.purchase.start_day

    @cached_property
    def accrued(self) -> dict[str, list[float]]:
        """Cost by term (or kind) and cash month, each line spread evenly over its own days inside the horizon."""
        edges = [*(month.start for month in self.plan.cash_flow)]
        if not edges:
            return {}
        bounds = [(edge - self.plan.start).days for edge in edges]
        spread: dict[str, list[float]] = {}
        for line in self.lines:
            bought = line.purchase
            label = bought.summed_under
            months = spread.setdefault(label, [0.0] * len(bounds))
            _spread(months, bounds, bought.start_day, min(line.end_day, self.plan.horizon_days), float(line.cost))
        return {label: months for label, months in spread.items() if any(months)}

    @property
    def busy_months(self) -> int:
        """Cash months in which something is paid."""
        return sum(month.amount != 0 for month in self.plan.cash_flow)


def _spread(months: list[float], bounds: list[int], first: int, end: int, cost: float) -> None:
    """Add `cost` to months in proportion to the days of [first, end) that fall into each."""
    days = max(1, end - first)
    for month, begin in enumerate(bounds):
        following = bounds[month + 1] if month + 1 < len(bounds) else max(end, begin)
        inside = max(0, min(max(end, first + 1), following) - max(first, begin))
        months[month] += cost * inside / days
