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
from optimizer.planning.costing import Horizon, RatedPrice
from optimizer.planning.owned import exact, price_micros, residual_micros, running_energy, running_lines
from optimizer.planning.rent_days import ends_in_a_row
from optimizer.planning.supply import RentOption

BARE_METAL = "bare_metal"
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
            return nodes * days * self.node_day(hours)
        return nodes * (self.fixed(days, calendar) + self.energy(hours, days))

    def node_day(self, hours: Fraction) -> int:
        """Micros of one machine by the hour on one day, rounded up to the billing unit."""
        known = self.node_days.get(hours)
        if known is None and self.hourly is not None:
            known = self.node_days[hours] = self.hourly.node_day(float(hours * self.ratio))
        return known or 0

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
    """The ways that no other way of the same name, term and billing beats in price and in speed."""
    groups: dict[tuple[object, ...], list[Way]] = {}
    for way in ways:
        groups.setdefault(_kin(way), []).append(way)
    kept: list[Way] = []
    for kin in groups.values():
        fastest: Fraction | None = None
        for way in sorted(kin, key=lambda one: (_rate(one), one.ratio, one.candidate.lexical)):
            if fastest is None or way.ratio < fastest:
                kept.append(way)
                fastest = way.ratio
    return kept


def _kin(way: Way) -> tuple[object, ...]:
    """Ways that differ in price and speed alone."""
    if way.hourly is not None:
        price = way.hourly.price
        return way.name, price.billing_unit_hours, price.minimum_hours
    if way.rent is not None:
        return way.name, way.rent.term, way.rent.block_days
    return way.name, id(way.purchase), way.candidate.nodes


def _rate(way: Way) -> Fraction:
    """What orders ways of one kin: by the hour for the same work, else for one term."""
    if way.hourly is not None:
        return way.hour_micros
    return Fraction(0) if way.rent is None else Fraction(way.candidate.nodes * way.rent_micros)
