"""Where each term wins: the cheapest way to pay by hours a day and days in a row, and the exact points of change.

The documents name one point, two weeks at ten hours a day (rules.md D0: "连续训练时间>10小时/日，连续2周以上"). It is
a trigger for looking at long-term or owned supply; what prices say there is computed here.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from optimizer.errors import InputError, Problem
from optimizer.explain.replan import chosen
from optimizer.explain.ways import ORDER, WHOLE_HOURS, Days, Site, Way, useful, ways_of, without_residual
from optimizer.planning.calendar import add_months, day_number
from optimizer.planning.candidates import Candidate
from optimizer.planning.costing import Horizon
from optimizer.planning.owned import purchase_currency, residual_share
from optimizer.planning.pipeline import Planner
from optimizer.planning.search import Outcome

DAYS = (1, 2, 3, 5, 7, 10, 14, 21)
MONTHS = (1, 2, 3, 6, 12, 24, 36, 60)
DOCUMENT_DAYS, DOCUMENT_HOURS = 14, 10
#: How far changes along days are looked for, day by day.
DAYS_SEARCHED = 366


@dataclass(frozen=True, slots=True)
class Span:
    """So many days in a row; `months` where they are whole calendar months from the file's start."""

    days: int
    months: int | None = None


@dataclass(frozen=True)
class Point:
    """One pattern of use: micros of the cheapest way of each name, `None` where none keeps up."""

    hours_per_day: int
    span: Span
    costs: dict[str, int | None]
    best: dict[str, Way]

    @property
    def cheapest(self) -> str | None:
        """The name of the cheapest way; of equals the loosest commitment."""
        known = [(cost, ORDER.index(name), name) for name, cost in self.costs.items() if cost is not None]
        return min(known)[2] if known else None

    @property
    def winner(self) -> Way | None:
        """The cheapest way itself."""
        return None if self.cheapest is None else self.best[self.cheapest]


@dataclass(frozen=True, slots=True)
class Crossing:
    """`to` takes over from `from_` at so many hours a day (of the reference) on so many days."""

    from_: str
    to: str
    hours_per_day: Fraction
    days: int
    along: str


@dataclass(frozen=True)
class Surface:
    """The whole answer for one workload. `reference` is the configuration whose hours are counted."""

    work: str
    reference: Candidate
    names: tuple[str, ...]
    points: tuple[Point, ...]
    crossings: tuple[Crossing, ...]
    document: Point
    ways: tuple[Way, ...]
    calendar: Days


def breakeven(planner: Planner, work: int = 0, outcome: Outcome | None = None) -> Surface:
    """The surface of one workload; `outcome` is the planner's plan where it is at hand already.

    Raises:
        InputError: no configuration of the workload passes the rules.
    """
    reference = reference_of(planner, work, outcome)
    calendar = Days(Horizon.of(planner.file, MONTHS[-1]))
    ways = tuple(useful(_all_ways(planner, work, reference)))
    names = tuple(sorted({way.name for way in ways}, key=ORDER.index))
    spans = spans_of(planner)
    points = tuple(point_at(ways, names, hours, span, calendar) for span in spans for hours in WHOLE_HOURS)
    document = next(p for p in points if p.span.days == DOCUMENT_DAYS and p.hours_per_day == DOCUMENT_HOURS)
    crossings = [crossing for span in spans for crossing in along_hours(ways, span.days, calendar)]
    crossings += along_days(ways, names, DOCUMENT_HOURS, DAYS_SEARCHED, calendar)
    return Surface(planner.case.work(work).name, reference, names, points, tuple(crossings), document, ways, calendar)


def spans_of(planner: Planner) -> tuple[Span, ...]:
    """Days in a row, then whole months from the file's start."""
    start = planner.file.start
    months = [Span(day_number(start, add_months(start, count)), count) for count in MONTHS]
    return (*(Span(days) for days in DAYS), *months)


def reference_of(planner: Planner, work: int, outcome: Outcome | None = None) -> Candidate:
    """The configuration that the plan runs; without a plan the one that costs least by the hour for the work."""
    if outcome is None:
        outcome, planner.policy = planner.decide()
    mine = [candidate for candidate in chosen(outcome) if candidate.work == work and candidate.is_whole]
    if mine:
        return mine[0]
    admitted = [c for c in planner.case.candidates[work] if _is_usable(planner, c) and c.supply.hourly is not None]
    if not admitted:
        name = planner.case.work(work).name
        expected = "a workload that some offer can run under the rules"
        raise InputError(Problem(planner.source, name, "no configuration that passes", expected))
    return min(admitted, key=lambda c: (_hours_per_work(c) * float(c.supply.hourly.hour()) * c.nodes, c.lexical))  # type: ignore[union-attr]


def _is_usable(planner: Planner, candidate: Candidate) -> bool:
    has_speed = candidate.run_hours is not None or candidate.tokens_per_second is not None
    return candidate.is_whole and has_speed and planner.case.admits(candidate, planner.policy)


def _hours_per_work(candidate: Candidate) -> float:
    """Hours for the job, or for a fixed number of tokens of steady work."""
    if candidate.run_hours is not None:
        return candidate.run_hours
    return 1e6 / (candidate.tokens_per_second or 1.0)


def _all_ways(planner: Planner, work: int, reference: Candidate) -> Iterable[Way]:
    sites = _sites(planner)
    base = Fraction(_hours_per_work(reference)).limit_denominator(10**9)
    for candidate in planner.case.candidates[work]:
        if _is_usable(planner, candidate):
            hours = Fraction(_hours_per_work(candidate)).limit_denominator(10**9)
            yield from ways_of(candidate, hours / base, sites)


def _sites(planner: Planner) -> dict[str, Site]:
    file, rates = planner.file, planner.case.rates
    return {
        record.server: Site(
            file.owned, file.currency, rates.factor(purchase_currency(record, file.currency), file.currency)
        )
        for record in file.owned.may_buy
    }


def point_at(ways: Iterable[Way], names: tuple[str, ...], hours: int, span: Span, calendar: Days) -> Point:
    """The cheapest way of each name for one pattern of use, as billed."""
    costs: dict[str, int | None] = dict.fromkeys(names)
    best: dict[str, Way] = {}
    for way in ways:
        cost = way.cost(Fraction(hours), span.days, calendar)
        known = costs[way.name]
        if cost is not None and (known is None or cost < known):
            costs[way.name], best[way.name] = cost, way
    return Point(hours, span, costs, best)


@dataclass(frozen=True, slots=True)
class Line:
    """Cost of one way by hours a day: base + slope x hours, up to `most` hours."""

    name: str
    base: Fraction
    slope: Fraction
    most: Fraction

    def at(self, hours: Fraction) -> Fraction:
        """Micros at so many hours a day."""
        return self.base + self.slope * hours


def along_hours(ways: Iterable[Way], days: int, calendar: Days) -> list[Crossing]:
    """Where the winner changes between 0 and 24 hours a day on so many days: the lower envelope of straight lines.

    Hours are not rounded up to billing units here, so a crossing is the ratio of two prices.
    """
    lines = [Line(way.name, *way.line(days, calendar), min(way.most_hours, Fraction(24))) for way in ways]
    winners: list[tuple[str, Fraction]] = []
    hours = Fraction(0)
    while hours < 24:
        line = _winner(lines, hours)
        if line is None:
            break
        winners.append((line.name, hours))
        hours = _end_of(line, lines, hours)
    return [
        Crossing(before[0], after[0], after[1], days, "hours")
        for before, after in pairwise(winners)
        if before[0] != after[0]
    ]


def _winner(lines: list[Line], hours: Fraction) -> Line | None:
    """The cheapest line just after `hours`."""
    able = [line for line in lines if line.most > hours]
    return min(able, key=lambda line: (line.at(hours), line.slope, ORDER.index(line.name)), default=None)


def _end_of(line: Line, lines: list[Line], hours: Fraction) -> Fraction:
    """The hours at which a line ends or another one that still goes on crosses below it."""
    end = line.most
    for other in lines:
        if other.slope < line.slope:
            crossing = (other.base - line.base) / (line.slope - other.slope)
            if hours < crossing < min(end, other.most):
                end = crossing
    return end


def along_days(
    ways: tuple[Way, ...], names: tuple[str, ...], hours: int, most_days: int, calendar: Days
) -> list[Crossing]:
    """The whole days at which the winner changes at so many hours a day, as billed."""
    found: list[Crossing] = []
    before: str | None = None
    for days in range(1, most_days + 1):
        now = point_at(ways, names, hours, Span(days), calendar).cheapest
        if now is not None and before is not None and now != before:
            found.append(Crossing(before, now, Fraction(hours), days, "days"))
        before = now
    return found


@dataclass(frozen=True, slots=True)
class Resale:
    """The shortest days on which owning wins, the share of the price that the machine must bring after them (aged its
    lead time as well), and the shortest days on which owning wins at 24 hours a day if it brings nothing (`None`:
    nowhere)."""

    days: int
    share: Fraction
    days_without: int | None


def resale_of(surface: Surface) -> Resale | None:
    """What owning rests on where it wins; `None` where it never does."""
    won = [point for point in surface.points if point.cheapest == "owned"]
    if not won:
        return None
    first = min(won, key=lambda point: point.span.days)
    record = first.best["owned"].purchase
    if record is None:
        return None
    ways = [without_residual(way) for way in surface.ways]
    spans = dict.fromkeys(point.span for point in surface.points)
    worthless = (point_at(ways, surface.names, WHOLE_HOURS[-1], span, surface.calendar) for span in spans)
    later = next((point.span.days for point in worthless if point.cheapest == "owned"), None)
    age = record.lead_time_days + first.span.days
    return Resale(first.span.days, residual_share(record.residual_by_month, age), later)


def lead_times_of(surface: Surface) -> dict[str, int]:
    """Days before a pattern of use on which each server that may be bought has to be ordered."""
    bought = (way.purchase for way in surface.ways if way.purchase is not None)
    return {record.server: record.lead_time_days for record in bought}
