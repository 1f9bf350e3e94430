"""Hours that should have been rented by the month or longer: the reserved-instance problem on the hours that ran.

Renting u machines serves the u most used levels (levels.py), so with one rent over the whole period each level is
decided alone: its hours at the hourly price, or the rent. That sum of minima is a lower bound for every mix and is
reached: the saving is exact.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from optimizer.domain.offer import Term
from optimizer.domain.text import Text
from optimizer.domain.units import DAYS_PER_YEAR, MONTHS_PER_YEAR
from optimizer.review.bill import ZERO, Bill
from optimizer.review.finding import ReviewFinding, filled, hours, money, price
from optimizer.review.levels import Levels, levels_between
from optimizer.review.offers import PriceBook, Quoted
from optimizer.review.prices import PriceRow, price_source
from optimizer.review.read import next_month

#: Fewer days than a month has say nothing about a year (ours).
LEAST_DAYS = 28
#: Terms that one month's use may speak for: up to a year (longer ones need a plan, not a bill).
LONG_TERMS = (Term.RESERVED_3M, Term.RESERVED_6M, Term.YEAR, Term.RESERVED_1Y, Term.SAVINGS_PLAN_1Y)

NAMES = {
    Term.ON_DEMAND: Text("by the hour", "按量"),
    Term.SPOT: Text("spot", "抢占式"),
    Term.DAY: Text("by the day", "包日"),
    Term.WEEK: Text("by the week", "包周"),
    Term.MONTH: Text("by the month", "包月"),
    Term.RESERVED_3M: Text("a 3-month reservation", "3 个月预留"),
    Term.RESERVED_6M: Text("a 6-month reservation", "6 个月预留"),
    Term.YEAR: Text("a yearly rent", "包年"),
    Term.RESERVED_1Y: Text("a 1-year reservation", "1 年预留"),
    Term.RESERVED_2Y: Text("a 2-year reservation", "2 年预留"),
    Term.RESERVED_3Y: Text("a 3-year reservation", "3 年预留"),
    Term.RESERVED_5Y: Text("a 5-year reservation", "5 年预留"),
    Term.SAVINGS_PLAN_1Y: Text("a 1-year savings plan", "1 年节省计划"),
    Term.SAVINGS_PLAN_3Y: Text("a 3-year savings plan", "3 年节省计划"),
    Term.CAPACITY_BLOCK: Text("a capacity block", "容量块"),
    Term.OWNED: Text("owned", "自有"),
}

BY_MONTH = Text(
    "{units} of {machines} {machine} in {region} should have been rented by the month: {rent} each instead of "
    "{paid} an hour. Break-even is {even} hours; the least used of them ran {least}.",
    "{region} 的 {machines} 台 {machine} 中应有 {units} 台包月：每台 {rent}，而非每小时 {paid}。"
    "盈亏点 {even} 小时；其中用得最少的也有 {least} 小时。",
)
BY_TERM = Text(
    "If the months to come are like this one, {units} of {machines} {machine} in {region} belong on {term}: "
    "{rent} a month each instead of {paid} an hour.",
    "若以后各月与本期相同，{region} 的 {machines} 台 {machine} 中应有 {units} 台改用 {term}："
    "每台每月 {rent}，而非每小时 {paid}。",
)
PROOF = Text(
    "{before} by the hour, {after} with {units} rented ({saving} less). Each machine is served at the lower of its "
    "hours and the rent, which no mix can beat: bound {after}, gap 0.",
    "全按小时 {before}，租 {units} 台后 {after}（省 {saving}）。每台都取小时费与租金的较低者，"
    "任何组合都不会更低：下界 {after}，差距 0。",
)
OTHER = Text("at {where}", "在 {where}")


@dataclass(frozen=True, slots=True)
class Mix:
    """The best number of rented units for given levels: costs in the bill's currency."""

    units: int
    before: Decimal
    after: Decimal
    least_hours: Decimal

    @property
    def saving(self) -> Decimal:
        """What the rent saves."""
        return self.before - self.after


def best_mix(level_hours: Sequence[Decimal], hourly: Decimal, rent: Decimal) -> Mix:
    """How many units to rent at `rent` for the whole period, the rest by the hour; exact (see the module's text)."""
    rented = [used for used in level_hours if used * hourly > rent]
    before = sum(level_hours, ZERO) * hourly
    after = before - sum((used * hourly - rent for used in rented), ZERO)
    return Mix(len(rented), before, after, min(rented, default=ZERO))


def term_findings(bill: Bill, rows: Iterable[PriceRow], book: PriceBook) -> Iterator[ReviewFinding]:
    """For every machine that ran by the hour: units that a month's or a longer rent would have served for less."""
    for row in rows:
        ran = levels_of(bill, row)
        if row.paid and ran:
            yield from _by_month(bill, row, row.paid, ran, book)
            yield from _by_long_term(bill, row, row.paid, ran, book)


def term_name(term: Term | None) -> Text:
    """A term as readers call it."""
    return Text("-", "-") if term is None else NAMES[term]


def levels_of(bill: Bill, row: PriceRow) -> list[Levels]:
    """The levels of a price row's machine; none for terms other than by the hour and for lines per GPU."""
    if row.term != "on_demand" or row.machine.per_gpu:
        return []
    place = (row.machine, row.region, row.currency)
    return [item for item in bill.levels if (item.machine, item.region, item.currency) == place]


def whole_month(bill: Bill) -> date | None:
    """The calendar month that the period is, when its charges reach its end; `None` for anything else."""
    is_month = bill.start.day == 1 and bill.end == next_month(bill.start)
    return bill.start if is_month and bill.through >= _midnight(bill.end) else None


def months_of(bill: Bill) -> list[tuple[date, date]]:
    """The calendar months of the period, each cut to the period."""
    months, first = [], bill.start
    while first < bill.end:
        months.append((first, min(next_month(first), bill.end)))
        first = next_month(first)
    return months


def _by_month(
    bill: Bill, row: PriceRow, hourly: Decimal, ran: list[Levels], book: PriceBook
) -> Iterator[ReviewFinding]:
    rent = _best_rent(row, book, (Term.MONTH,))
    if rent is None:
        return
    for first, _ in months_of(bill):
        used = levels_between(ran, [first.replace(day=1)])
        mix = best_mix(used, hourly, rent.amount)
        if mix.units:
            yield _finding("by-the-month", BY_MONTH, row, hourly, rent, mix, len(used), f"{first:%Y-%m}")


def _by_long_term(
    bill: Bill, row: PriceRow, hourly: Decimal, ran: list[Levels], book: PriceBook
) -> Iterator[ReviewFinding]:
    rent = _best_rent(row, book, LONG_TERMS)
    days = Decimal((bill.through - _midnight(bill.start)).total_seconds()) / 86400
    if rent is None or days < LEAST_DAYS:
        return
    used = levels_between(ran)
    for_period = rent.amount * MONTHS_PER_YEAR / DAYS_PER_YEAR * days
    mix = best_mix(used, hourly, for_period)
    if mix.units:
        yield _finding("by-long-term", BY_TERM, row, hourly, rent, mix, len(used), rent.price.term.value)


def _best_rent(row: PriceRow, book: PriceBook, terms: Sequence[Term]) -> Quoted | None:
    own = book.known(row.machine, row.region)
    if own is None:
        return None
    found = [quoted for term in terms if (quoted := book.quoted(own, term, row.currency)) is not None]
    return min(found, key=lambda quoted: (quoted.amount, quoted.price.term.months or 0), default=None)


def _finding(
    name: str, text: Text, row: PriceRow, hourly: Decimal, rent: Quoted, mix: Mix, machines: int, about: str
) -> ReviewFinding:
    said = filled(
        text,
        units=mix.units,
        machines=machines,
        machine=row.machine.instance_type,
        region=row.region or "-",
        rent=money(rent.amount, row.currency),
        paid=price(hourly, row.currency),
        even=hours(rent.amount / hourly),
        least=hours(mix.least_hours),
        term="{term}",
    )
    names = NAMES[rent.price.term]
    said = Text(said.en.replace("{term}", names.en), said.zh.replace("{term}", names.zh))
    proof = filled(
        PROOF,
        before=money(mix.before, row.currency),
        after=money(mix.after, row.currency),
        units=mix.units,
        saving=money(mix.saving, row.currency),
    )
    details = (price_source(rent),)
    return ReviewFinding(name, "saving", said, f"{row.subject}/{about}", mix.saving, row.currency, details, proof)


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)  # noqa: DTZ001 - the review's own clock
