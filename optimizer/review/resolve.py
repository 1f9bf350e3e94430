"""The hours that ran, planned again by the integer program over every equal offer and short term.

Each of the machines that ran at the same time (levels.py) is a task on one abstract day, the whole period; it may
run by the hour or on a rented unit of any equal offer. The program's bound proves that no mix costs less.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from optimizer.domain.money import from_micros, to_micros
from optimizer.domain.offer import Offer, Term
from optimizer.domain.text import Text
from optimizer.program.problem import Limits, Placement, Pool, Problem, Solution, Task, UnitTerm
from optimizer.review.bill import Bill
from optimizer.review.finding import ReviewFinding, filled, hours, money
from optimizer.review.levels import levels_between
from optimizer.review.offers import PriceBook, Quoted
from optimizer.review.prices import PriceRow
from optimizer.review.terms import levels_of, whole_month

#: More different hours than this are not solved again: rents are still judged one by one (terms).
MOST_LEVELS = 400
SECONDS = 10.0
#: Savings below this share of the cost are not worth a move (ours).
LEAST_SHARE = Decimal("0.005")

BETTER = Text(
    "The {hours} hours of {machine} in {region} cost {before}; the best mix of equal offers costs {after}: {mix}.",
    "{region} 的 {machine} 共 {hours} 小时，花费 {before}；同类供应的最优组合为 {after}：{mix}。",
)
PROOF = Text(
    "solved again on the hours that ran: {offers} offers, {machines} machines at once; bound {bound}, gap {gap}",
    "按实际小时重新求解：{offers} 个供应，同时 {machines} 台；下界 {bound}，差距 {gap}",
)
RENTED = Text("{count} x {offer} by the month at {amount}", "{count} 台 {offer} 包月，每台 {amount}")
BY_HOUR = Text("{hours} h of {offer} by the hour at {amount}", "{offer} 按量 {hours} 小时，每小时 {amount}")


@dataclass(frozen=True, slots=True)
class Choice:
    """One equal offer: its price by the hour and by the month, in the bill's currency; `None` is not sold so."""

    offer: Offer
    hourly: Quoted | None
    monthly: Quoted | None


@dataclass(frozen=True, slots=True)
class Resolved:
    """The best mix: cost and bound, units by offer, hours by offer."""

    cost: Decimal
    bound: Decimal
    units: dict[int, int]
    hours: dict[int, Decimal]


def choices(row: PriceRow, book: PriceBook) -> list[Choice]:
    """The machine's own offer and, in its country, the cheapest equal one by the hour and by the month."""
    own = book.known(row.machine, row.region)
    near = [item for item in book.equal(row.machine, own) if own is None or item.country == own.country]
    cheapest = [book.cheapest(near, term, row.currency) for term in (Term.ON_DEMAND, Term.MONTH)]
    offers = {item.key: item for item in (own, *(quoted.offer for quoted in cheapest if quoted)) if item is not None}
    return [
        Choice(
            item,
            book.quoted(item, Term.ON_DEMAND, row.currency),
            book.quoted(item, Term.MONTH, row.currency),
        )
        for item in offers.values()
    ]


def problem_of(level_hours: Sequence[Decimal], offered: Sequence[Choice], gpus: int) -> Problem:
    """The program for one machine type: equal levels are one task with as many nodes."""
    groups = sorted(Counter(level_hours).items(), reverse=True)
    pools = tuple(Pool(number, gpus, provider=number) for number in range(len(offered)))
    tasks = tuple(Task(number, number) for number in range(len(groups)))
    placements: list[Placement] = []
    for task, (used, nodes) in enumerate(groups):
        for pool, choice in enumerate(offered):
            by_hour = None if choice.hourly is None else (0, to_micros(used * choice.hourly.amount))
            if by_hour is not None or choice.monthly is not None:
                identity = len(placements)
                placements.append(
                    Placement(identity, task, pool, pool, nodes, gpus, 0, 1, None, by_hour, lexical=identity, finish=1)
                )
    units = tuple(
        UnitTerm(pool, pool, 0, 0, 1, cost, cost, ((0, cost),), shareable=False, lexical=pool)
        for pool, choice in enumerate(offered)
        if choice.monthly is not None
        for cost in (to_micros(choice.monthly.amount),)
    )
    return Problem(1, (0, 1), pools, tasks, tuple(placements), units, day_weights=(1.0,))


def resolve(level_hours: Sequence[Decimal], offered: Sequence[Choice], gpus: int) -> Resolved | None:
    """Solve; `None` when no offer can serve the hours, or not in time."""
    from optimizer.program import solve

    problem = problem_of(level_hours, offered, gpus)
    if not problem.placements:
        return None
    solution = solve(problem, Limits(seconds=SECONDS, tie_seconds=0.0))
    if solution.status not in ("optimal", "feasible") or solution.cost is None or solution.bound is None:
        return None
    return _resolved(problem, solution, level_hours)


def _resolved(problem: Problem, solution: Solution, level_hours: Sequence[Decimal]) -> Resolved:
    groups = sorted(Counter(level_hours).items(), reverse=True)
    units = {identity: count for identity, count in solution.units if count}
    by_hour: dict[int, Decimal] = {}
    for service in solution.services:
        placement = problem.placements[service.placement]
        used = groups[placement.task][0] * service.hourly
        if used:
            by_hour[placement.pool] = by_hour.get(placement.pool, Decimal(0)) + used
    cost, bound = solution.cost or 0, solution.bound or 0
    return Resolved(from_micros(cost), from_micros(bound), units, by_hour)


def mix_findings(bill: Bill, rows: Iterable[PriceRow], book: PriceBook) -> Iterator[ReviewFinding]:
    """One finding for each machine whose hours a mix of equal offers serves for less; whole calendar months only.

    Of a machine that no offer describes, no offer is known to be an equal.
    """
    month = whole_month(bill)
    for row in rows:
        ran = levels_of(bill, row)
        if not ran or row.paid is None or row.own is None or month is None or not row.machine.gpus:
            continue
        level_hours = levels_between(ran)
        offered = choices(row, book)
        if not level_hours or len(set(level_hours)) > MOST_LEVELS or not offered:
            continue
        best = resolve(level_hours, offered, int(row.machine.gpus))
        if best is not None and best.cost < row.effective * (1 - LEAST_SHARE):
            yield _finding(row, level_hours, offered, best)


def _finding(row: PriceRow, level_hours: Sequence[Decimal], offered: Sequence[Choice], best: Resolved) -> ReviewFinding:
    parts = []
    for pool, count in sorted(best.units.items()):
        monthly = offered[pool].monthly
        if monthly is not None:
            amount = money(monthly.amount, row.currency)
            parts.append(filled(RENTED, count=count, offer=offered[pool].offer.key, amount=amount))
    for pool, used in sorted(best.hours.items()):
        hourly = offered[pool].hourly
        if hourly is not None:
            amount = f"{hourly.amount:.4f} {row.currency}"
            parts.append(filled(BY_HOUR, hours=hours(used), offer=offered[pool].offer.key, amount=amount))
    values = {
        "hours": hours(row.hours),
        "machine": row.machine.instance_type,
        "region": row.region or "-",
        "before": money(row.effective, row.currency),
        "after": money(best.cost, row.currency),
    }
    text = Text(
        BETTER.en.format(**values, mix=", ".join(part.en for part in parts)),
        BETTER.zh.format(**values, mix="，".join(part.zh for part in parts)),
    )
    proof = filled(
        PROOF,
        offers=len(offered),
        machines=len(level_hours),
        bound=money(best.bound, row.currency),
        gap=money(best.cost - best.bound, row.currency),
    )
    saving = row.effective - best.cost
    return ReviewFinding("better-mix", "saving", text, row.subject, saving, row.currency, (), proof)
