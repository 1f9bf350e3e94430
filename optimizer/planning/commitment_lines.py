"""The plan file's lines of savings plans: committed money an hour, and whose work it covers."""

from collections.abc import Iterator
from datetime import date
from fractions import Fraction

from optimizer.domain.money import from_micros
from optimizer.domain.offer import PriceKind
from optimizer.domain.plan import Purchase
from optimizer.domain.units import HOURS_PER_DAY
from optimizer.planning.assembly import Assembly
from optimizer.planning.calendar import date_of
from optimizer.planning.commitments import SOURCE, STEP, Committed
from optimizer.planning.costing import Payment, RatedPrice
from optimizer.planning.plan_lines import Line, ServedDays, term_length
from optimizer.program.problem import Solution

#: A commitment is no machine, and holds in every region.
ANY_REGION = "any"


def commitment_lines(assembly: Assembly, solution: Solution, days: ServedDays) -> Iterator[Line]:
    """One line for each savings plan bought: its money an hour, for the hours of its term."""
    start = assembly.case.file.start
    for identity, steps in solution.spend:
        committed = assembly.committed[identity]
        step = committed.plan.step
        money = covered_money(assembly, solution, days, committed)
        rows = _rows(assembly, solution, days, committed)
        names = tuple(work.name for work in assembly.case.file.workloads if work.name in money)
        payments = tuple(Payment(payment.day, payment.micros * steps) for payment in committed.payments)
        yield Line(
            Purchase(
                kind="commitment",
                provider=committed.plan.provider,
                region=ANY_REGION,
                term=committed.plan.term,
                count=1,
                quantity=term_length(step, committed.end - committed.start),
                unit=step.price.unit.value,
                start=date_of(start, committed.start),
                end=date_of(start, committed.end),
                start_day=committed.start,
                end_day=committed.end,
                unit_price=STEP * steps,
                price_currency=step.price.currency,
                fx_rate=step.fx_rate,
                tax_factor=step.tax_factor,
                cost=from_micros(sum(payment.micros for payment in payments)),
                price_kind=_kind(rows),
                observed=_oldest(rows),
                source=SOURCE,
                workloads=names,
            ),
            payments,
            tuple(money[name] for name in names),
        )


def covered_money(
    assembly: Assembly, solution: Solution, days: ServedDays, committed: Committed
) -> dict[str, Fraction]:
    """Workload -> committed money that pays for it: rate x nodes x hours over the days of the plan."""
    found: dict[str, Fraction] = {}
    for identity in assembly.real_placements(solution.placements):
        placed = assembly.placed[identity]
        rated = committed.plan.rates.get(placed.candidate.supply.key)
        node_days = 0 if rated is None else _node_days(days, identity, committed)
        if rated is not None and node_days:
            work = assembly.case.work(placed.candidate.work)
            hours = HOURS_PER_DAY if work.window is None else work.window.hours
            money = Fraction(rated.price.per_hour()) * node_days * hours
            found[work.name] = found.get(work.name, Fraction(0)) + money
    return found


def _node_days(days: ServedDays, identity: int, committed: Committed) -> int:
    term = committed.plan.term
    inside = (terms for day, terms in days[identity] if committed.start <= day < committed.end)
    return sum(terms.get(term, 0) for terms in inside)


def _rows(assembly: Assembly, solution: Solution, days: ServedDays, committed: Committed) -> list[RatedPrice]:
    """The rates that a plan's covered work rests on."""
    used = {
        assembly.placed[identity].candidate.supply.key
        for identity in assembly.real_placements(solution.placements)
        if _node_days(days, identity, committed)
    }
    return [committed.plan.rates[key] for key in sorted(used) if key in committed.plan.rates]


def _kind(rows: list[RatedPrice]) -> str:
    kinds = {rated.price.kind for rated in rows}
    return PriceKind.QUOTE.value if kinds == {PriceKind.QUOTE} else PriceKind.LIST.value


def _oldest(rows: list[RatedPrice]) -> date | None:
    """The oldest day on which a rate was seen; unknown where one is."""
    seen = [rated.price.observed for rated in rows]
    known = [day for day in seen if day is not None]
    return min(known) if known and len(known) == len(seen) else None
