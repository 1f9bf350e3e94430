"""Savings plans recounted: what a commitment costs, whose work it covers, and whether its money suffices every hour.

A commitment of the providers below pays for machines of any region that have a rate for its term, at that rate; it is
paid for 8,760 hours a year in equal monthly parts (docs/adr/0045). Service says on which term nodes are covered, not by
which of several commitments of one term: their money counts together, as the provider counts it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from optimizer.domain.offer import Offer, Price, PriceKind, PriceUnit, Term
from optimizer.domain.plan import Assignment, Purchase, ServedBy
from optimizer.domain.text import Text
from optimizer.domain.units import HOURS_PER_DAY
from optimizer.verify import texts
from optimizer.verify.calendar import rent_end
from optimizer.verify.check import Checks, filled
from optimizer.verify.context import Context, label
from optimizer.verify.lines import Recount, rent_line
from optimizer.verify.packing import window_of
from optimizer.verify.prices import tax_factor, term_length
from optimizer.verify.services import RATE_TOLERANCE

COVERS_ALL = ("azure",)
ANY_REGION = "any"
STEP = Decimal("0.001")
#: Provider, term and currency of a commitment and of the rates that it pays.
Kind = tuple[str, Term, str]


@dataclass(frozen=True, slots=True)
class Covered:
    """Nodes of one assignment under a savings plan on [start, end), with the rate of each in its own currency."""

    assignment: Assignment
    kind: Kind
    start: int
    end: int
    hours: tuple[int, int] | None
    nodes: int
    rate: Price

    @property
    def money(self) -> Fraction:
        """Committed money an hour that they take."""
        return self.nodes * Fraction(self.rate.per_hour())

    def runs_at(self, hour: int) -> bool:
        """Whether the nodes are held at this hour; windows wrap past midnight."""
        return self.hours is None or (hour - self.hours[0]) % HOURS_PER_DAY < self.hours[1]


def kind_of(line: Purchase) -> Kind | None:
    """Provider, term and currency of a commitment."""
    return None if line.term is None else (line.provider, line.term, line.price_currency)


def covered(context: Context) -> Iterator[Covered]:
    """All service under savings plans whose rate the plan's offers state."""
    for a in context.plan.assignments:
        for part in a.served_by:
            rate = rate_of(context, context.offer_of(a), part.term) if _is_covered(part) else None
            if rate is not None:
                kind = (a.provider, part.term, rate.currency)
                yield Covered(a, kind, part.from_day, part.to_day, window_of(context, a), part.nodes, rate)


def _is_covered(part: ServedBy) -> bool:
    return part.term.is_savings_plan and part.nodes > 0


def rate_of(context: Context, offer: Offer | None, term: Term) -> Price | None:
    """The rate of an offer under a savings plan: the user's quote before others, then the one seen last."""
    day = context.plan.as_of
    rows = [
        price
        for price in (offer.prices if offer is not None else ())
        if price.term is term
        and price.is_plannable
        and price.kind is not PriceKind.MARKET_QUOTE
        and (price.valid_from or day) <= day <= (price.valid_to or day)
    ]
    return max(rows, key=lambda row: (row.kind is PriceKind.QUOTE, str(row.observed or "")), default=None)


def check_coverage(context: Context, checks: Checks) -> None:
    """Covered work has a rate and is sold by the hour in whole machines; committed money suffices at every hour."""
    for a in context.plan.assignments:
        terms = sorted({part.term.value for part in a.served_by if _is_covered(part)})
        if terms:
            offer, where = context.offer_of(a), label(a)
            rated = [term for term in terms if rate_of(context, offer, Term(term)) is not None]
            checks.equal(f"commitment.rates[{where}]", terms, rated)
            checks.add(f"commitment.provider[{where}]", a.provider in COVERS_ALL, list(COVERS_ALL), a.provider)
            sold = offer is not None and any(p.term is Term.ON_DEMAND and p.is_plannable for p in offer.prices)
            whole = a.gpus_used_per_node == a.gpus_per_node
            checks.add(f"commitment.whole[{where}]", sold and whole, texts.WHOLE_MACHINES, a.instance_type)
    used = list(covered(context))
    lines = [line for line in context.plan.purchases if line.kind == "commitment"]
    for kind in sorted({one.kind for one in used}):
        mine = [line for line in lines if kind_of(line) == kind]
        short = _first_short(mine, [one for one in used if one.kind == kind])
        checks.add(f"commitment.money[{','.join(kind)}]", short is None, texts.ENOUGH, short or texts.ENOUGH)


def _first_short(lines: Iterable[Purchase], used: list[Covered]) -> Text | None:
    """The first day and hour at which covered nodes take more than is committed."""
    lines = list(lines)
    days = {day for one in used for day in (one.start, one.end)}
    days |= {day for line in lines for day in (line.start_day, line.end_day)}
    hours = sorted({0, *(one.hours[0] for one in used if one.hours)})
    for day in sorted(days):
        there = sum((Fraction(line.unit_price) for line in lines if line.start_day <= day < line.end_day), Fraction(0))
        for hour in hours:
            taken = sum(one.money for one in used if one.start <= day < one.end and one.runs_at(hour))
            if taken > there:
                return filled(texts.SHORT, day=day, hour=hour, taken=f"{float(taken):g}", there=f"{float(there):g}")
    return None


def commitment_line(context: Context, line: Purchase, where: str, checks: Checks) -> Recount | None:
    """A commitment's own fields, and its payments as if each step of its money were rented for the term."""
    fits = line.term is not None and line.term.is_savings_plan and line.provider in COVERS_ALL
    if not checks.add(f"line.term[{where}]", fits, texts.COVERS_ALL, f"{line.provider} {line.term}"):
        return None
    shape = (line.region, line.instance_type, line.count)
    checks.equal(f"line.commitment[{where}]", (ANY_REGION, None, 1), shape)
    steps = line.unit_price / STEP
    if not checks.add(
        f"line.unit_price[{where}]", steps > 0 and steps == int(steps), filled(texts.STEPS, step=STEP), line.unit_price
    ):
        return None
    term = line.term or Term.SAVINGS_PLAN_1Y
    checks.equal(f"line.term_end[{where}]", rent_end(context.plan.start, line.start_day, term), line.end_day)
    mine = [one for one in covered(context) if one.kind == kind_of(line) and _meets(one, line)]
    _check_rates(context, line, [one.rate for one in mine], where, checks)
    names = {one.assignment.workload for one in mine}
    checks.equal(f"line.users[{where}]", tuple(name for name in context.works if name in names), line.workloads)
    step = Price(term=term, amount=STEP, unit=PriceUnit.HOUR, currency=line.price_currency, source=line.source or "-")
    length = term_length(step, line.end_day - line.start_day)
    by_step = rent_line(context, line.model_copy(update={"count": int(steps)}), step, length, Decimal(0))
    return Recount(length, by_step.unit, by_step.payments)


def _meets(one: Covered, line: Purchase) -> bool:
    return max(one.start, line.start_day) < min(one.end, line.end_day)


def _check_rates(context: Context, line: Purchase, rates: list[Price], where: str, checks: Checks) -> None:
    """What a commitment says of the rates that it pays: kind, date, tax, and that they are still sold on its start."""
    quoted = {rate.kind for rate in rates} == {PriceKind.QUOTE}
    checks.equal(f"line.price_kind[{where}]", "quote" if quoted else "list", line.price_kind)
    seen = [rate.observed for rate in rates if rate.observed is not None]
    oldest = min(seen) if seen and len(seen) == len(rates) else None
    checks.equal(f"line.observed[{where}]", oldest, line.observed)
    factors = [tax_factor(rate.tax_included, context.file.tax) for rate in rates]
    alike = all(abs(factor - line.tax_factor) <= RATE_TOLERANCE for factor in factors)
    checks.add(f"line.tax_factor[{where}]", alike, factors, line.tax_factor)
    ended = [str(rate.valid_to) for rate in rates if rate.valid_to is not None and rate.valid_to < line.start]
    checks.equal(f"line.start_valid[{where}]", [], ended)


def covered_money(context: Context, line: Purchase, name: str) -> Fraction:
    """Committed money that pays for a workload on a commitment's days: rate x nodes x hours."""
    total = Fraction(0)
    for one in covered(context):
        if one.assignment.workload == name and one.kind == kind_of(line) and _meets(one, line):
            days = min(one.end, line.end_day) - max(one.start, line.start_day)
            total += one.money * days * (HOURS_PER_DAY if one.hours is None else one.hours[1])
    return total
