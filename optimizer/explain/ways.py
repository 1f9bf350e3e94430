"""Ways to pay for one workload's machines, each priced by planning's own functions for a pattern of use.

A pattern of use is so many hours a day on so many days in a row, in hours of a reference configuration. Another
configuration does the same work, so it runs longer or shorter in the ratio of their speeds, and not at all where that
takes more than 24 hours a day. Only machines are priced: storage and egress depend on the place, not on the term.
A bought machine serves from the first day on, so it is ordered its lead time before.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property

from optimizer.domain.money import MICROS_PER_UNIT
from optimizer.domain.offer import Price, Term
from optimizer.domain.units import HOURS_PER_DAY
from optimizer.domain.workload import MayBuy, OwnedSpec
from optimizer.planning.candidates import Candidate
from optimizer.planning.costing import HAIR_HOURS, Horizon, RatedPrice
from optimizer.planning.owned import exact, price_micros, residual_micros, running_energy, running_lines
from optimizer.planning.rent_days import ends_in_a_row
from optimizer.planning.supply import RentOption

BARE_METAL = "bare_metal"
#: The hours a day of the surface.
WHOLE_HOURS = tuple(range(1, HOURS_PER_DAY + 1))
#: The order of the table: from the loosest to the firmest commitment.
ORDER = (Term.SPOT.value, *(term.value for term in Term if term not in (Term.SPOT, Term.OWNED)), BARE_METAL, "owned")


@dataclass(frozen=True)
class Site:
    """What pricing an owned machine needs beside its record: the site, the report currency, the rate."""

    owned: OwnedSpec
    currency: str
    rate: Decimal


@dataclass(frozen=True)
class Way:
    """One configuration on one term. `ratio`: its hours for one hour of the reference configuration."""

    name: str
    candidate: Candidate
    ratio: Fraction
    hourly: RatedPrice | None = None
    rent: RentOption | None = None
    purchase: MayBuy | None = None
    site: Site | None = None
    node_days: dict[Fraction, int] = field(default_factory=dict, compare=False)

    @property
    def most_hours(self) -> Fraction:
        """The most hours a day of the reference that it keeps up with."""
        return HOURS_PER_DAY / self.ratio

    @property
    def price(self) -> Price | None:
        """The price row that it rests on; None for a machine of one's own."""
        rated = self.hourly or (self.rent.rated if self.rent is not None else None)
        return None if rated is None else rated.price

    @cached_property
    def hour_micros(self) -> Fraction:
        """Micros for one hour of the reference, unrounded; 0 where hours cost nothing."""
        if self.hourly is None:
            return Fraction(0)
        return Fraction(self.hourly.hour()) * MICROS_PER_UNIT * self.candidate.nodes * self.ratio

    def cost(self, hours: Fraction, days: int, calendar: "Days") -> int | None:
        """Micros of `hours` a day on `days` days; `None` where it is too slow."""
        if hours > self.most_hours:
            return None
        nodes = self.candidate.nodes
        if self.hourly is not None:
            return days * self.day(hours)
        return nodes * (self.fixed(days, calendar) + self.energy(hours, days))

    def day(self, hours: Fraction) -> int:
        """Micros of all machines by the hour on one day, each rounded up to the billing unit."""
        known = self.node_days.get(hours)
        if known is None and self.hourly is not None:
            known = self.node_days[hours] = self.hourly.node_day(float(hours * self.ratio))
        return self.candidate.nodes * (known or 0)

    def fixed(self, days: int, calendar: "Days") -> int:
        """Micros of one machine for the days, however many hours it runs."""
        if self.rent is not None:
            return self.rent_micros * calendar.terms_needed(self.rent, days)
        if self.purchase is not None and self.site is not None:
            return standing_micros(self.purchase, self.site, days, calendar.horizon)
        return 0

    @cached_property
    def rent_micros(self) -> int:
        """Micros of one machine for one term."""
        return 0 if self.rent is None else self.rent.total

    def energy(self, hours: Fraction, days: int) -> int:
        """Micros of an owned machine's energy above idle."""
        if self.purchase is None or self.site is None:
            return 0
        running = hours * self.ratio * days
        return running_energy(self.purchase, self.site.owned, Fraction(1), running)[2]

    def line(self, days: int, calendar: "Days") -> tuple[Fraction, Fraction]:
        """(micros at no hours, micros for each hour a day), not rounded up to billing units."""
        nodes = self.candidate.nodes
        if self.hourly is not None:
            return Fraction(0), self.hour_micros * days
        slope = Fraction(0)
        if self.purchase is not None and self.site is not None:
            record, site = self.purchase, self.site.owned
            kwh = (exact(record.load_kw) - exact(record.idle_kw)) * self.ratio * days * exact(site.pue)
            slope = kwh * exact(site.electricity_per_kwh) * MICROS_PER_UNIT * nodes
        return Fraction(nodes * self.fixed(days, calendar)), slope


class Days:
    """Days in a row from the file's start: how many rents cover them, what an owned machine costs over them."""

    def __init__(self, horizon: Horizon) -> None:
        self.horizon = horizon
        self._ends: dict[tuple[Term, int | None], tuple[list[int], Iterator[int]]] = {}

    def terms_needed(self, rent: RentOption, days: int) -> int:
        """How many of a rent in a row cover the days."""
        key = (rent.term, rent.block_days)
        ends, more = self._ends.setdefault(key, ([0], ends_in_a_row(self.horizon, rent, 0)))
        while ends[-1] < days:
            ends.append(next(more))
        return bisect_left(ends, days)


def without_residual(way: Way) -> Way:
    """The same way, the bought machine worth nothing in the end."""
    if way.purchase is None:
        return way
    return replace(way, purchase=way.purchase.model_copy(update={"residual_by_month": {0: 0.0}}))


def standing_micros(record: MayBuy, site: Site, days: int, horizon: Horizon) -> int:
    """One owned machine over the days, not running: price and network less residual, and its running cost.

    It is ordered its lead time before the days begin and ages from then on, as in a plan (ADR 0004).
    """
    capital = price_micros(record, site.rate) - residual_micros(record, site.rate, record.lead_time_days + days)
    capital += round(exact(record.network_per_node) * exact(site.rate) * MICROS_PER_UNIT)
    lines = running_lines(record, site.owned, site.rate, site.currency, 0, days, horizon)
    return capital + sum(line.micros for line in lines)


def ways_of(candidate: Candidate, ratio: Fraction, site_of: dict[str, Site]) -> Iterable[Way]:
    """Every way to pay for a configuration."""
    supply = candidate.supply
    if candidate.is_spot:
        yield Way(Term.SPOT.value, candidate, ratio, hourly=supply.spot)
        return
    if supply.hourly is not None:
        yield Way(Term.ON_DEMAND.value, candidate, ratio, hourly=supply.hourly)
    for rent in supply.rents:
        name = BARE_METAL if supply.machine.bare_metal else rent.term.value
        yield Way(name, candidate, ratio, rent=rent)
    for purchase in supply.purchases:
        yield Way("owned", candidate, ratio, purchase=purchase, site=site_of[purchase.server])


def useful(ways: Iterable[Way]) -> list[Way]:
    """The ways that are the cheapest of their name for some pattern of use, as billed or before rounding.

    Claim. At every whole number of hours a day, on any number of days, the cheapest of these costs what the cheapest
    of all costs, and it is the first one of that cost (optimizer.explain.breakeven.point_at). So do the lower
    envelopes of their lines (`Way.line`).
    Proof. By the hour: the cost is days x the cost of one day, so who is cheapest depends on the hours alone, and the
    first of the cheapest at each of the 24 is kept. What is billed is no straight line (9 h of one machine cost less
    than 4.5 h of two of them, billed as 5), so a lower price for the same work does not decide; before rounding it
    does, among ways that are no slower. A rent costs the same at all hours, and of one purchase the faster
    configuration costs no more energy, so there too the price and the speed decide (but a machine that draws less
    under load than idle stands for itself).
    """
    by_the_hour: dict[str, list[Way]] = {}
    fixed: dict[tuple[object, ...], list[Way]] = {}
    for way in ways:
        if way.hourly is not None:
            by_the_hour.setdefault(way.name, []).append(way)
        else:
            fixed.setdefault(_kin(way), []).append(way)
    kept = [way for kin in by_the_hour.values() for way in _useful_by_the_hour(kin)]
    for kin in fixed.values():
        kept += _undominated(sorted(kin, key=lambda one: (_for_one_term(one), one.ratio, one.candidate.lexical)))
    return kept


def _useful_by_the_hour(kin: Iterable[Way]) -> list[Way]:
    """The ways of one name by the hour that matter; of equals the first in a plan's tie order comes first."""
    ordered = sorted(kin, key=lambda way: (way.hour_micros, way.candidate.lexical))
    slack = max(map(_billed_below, ordered))
    needed = {id(way) for way in _undominated(ordered)}
    needed |= {id(_cheapest_as_billed(ordered, hours, slack)) for hours in WHOLE_HOURS}
    return [way for way in ordered if id(way) in needed]


def _cheapest_as_billed(ordered: Iterable[Way], hours: int, slack: Fraction) -> Way | None:
    """The first of the cheapest at so many hours a day; a day is billed at its hours at least, but for `slack`."""
    found: Way | None = None
    lowest: int | None = None
    for way in ordered:
        if lowest is not None and way.hour_micros * hours - slack > lowest:
            break
        if hours > way.most_hours:
            continue
        cost = way.day(Fraction(hours))
        if lowest is None or cost < lowest:
            found, lowest = way, cost
    return found


def _billed_below(way: Way) -> Fraction:
    """The most micros by which a day may be billed below its hours: a hair of the billing unit, and half a micro."""
    if way.hourly is None:
        return Fraction(0)
    hair = Fraction(HAIR_HOURS) * max(Fraction(1), Fraction(way.hourly.price.billing_unit_hours))
    return way.candidate.nodes * (Fraction(way.hourly.hour()) * MICROS_PER_UNIT * hair + 1)


def _undominated(ordered: Iterable[Way]) -> list[Way]:
    """Of ways from the cheapest on, those that are faster than all before."""
    kept: list[Way] = []
    for way in ordered:
        if not kept or way.ratio < kept[-1].ratio:
            kept.append(way)
    return kept


def _kin(way: Way) -> tuple[object, ...]:
    """Rents or purchases that differ in price and speed alone."""
    if way.rent is not None:
        return way.name, way.rent.term, way.rent.block_days
    if way.purchase is not None and way.purchase.load_kw < way.purchase.idle_kw:
        return way.name, id(way)
    return way.name, id(way.purchase), way.candidate.nodes


def _for_one_term(way: Way) -> int:
    """Micros of all machines for one term; 0 for a purchase, whose price is that of its kin."""
    return way.candidate.nodes * way.rent_micros
