"""Supplies: the pools that work can run on, with every way to pay for a unit, in the report currency."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date
from fnmatch import fnmatchcase
from typing import NamedTuple

from optimizer.domain.gpu import Gpu
from optimizer.domain.offer import Machine, Offer, Price, PriceKind, PriceUnit, Term
from optimizer.domain.plan import Removal
from optimizer.domain.workload import MayBuy, OwnedAlready, Work
from optimizer.planning.costing import RatedPrice, Rating

OWNED_PROVIDER = "owned"
OWNED_REGION = "on-prem"
#: More GPUs than any machine has: pools without paid machines come after those with them.
NOT_PAID = 10**6
SAVINGS_PLANS = (Term.SAVINGS_PLAN_1Y, Term.SAVINGS_PLAN_3Y)
#: Providers whose one savings plan covers every region and every machine that has a rate (docs/adr/0045).
COVERS_ALL = frozenset({"azure"})


@dataclass(frozen=True, slots=True)
class RentOption:
    """One rent that can be bought: its price, and a block's length in days."""

    rated: RatedPrice
    block_days: int | None = None

    @property
    def term(self) -> Term:
        """The rental term."""
        return self.rated.price.term

    @property
    def total(self) -> int:
        """Micros of one unit for the whole term."""
        return self.rated.term_total(self.block_days)


@dataclass(frozen=True, slots=True)
class SunkSupply:
    """Units that are there already in [from_day, to_day): a commitment, or machines that the user owns."""

    name: str
    term: Term
    count: int
    from_day: int
    to_day: int
    already: OwnedAlready | None = None


class Supply(NamedTuple):
    """One pool: an instance type in a region, or one owned server type."""

    key: str
    provider: str
    region: str
    machine: Machine
    gpu: Gpu
    offer: Offer | None = None
    hourly: RatedPrice | None = None
    spot: RatedPrice | None = None
    rents: tuple[RentOption, ...] = ()
    purchases: tuple[MayBuy, ...] = ()
    sunk: tuple[SunkSupply, ...] = ()
    #: Rates of an hour under savings plans, at most one a term (optimizer.planning.commitments).
    covered_at: tuple[RatedPrice, ...] = ()

    @property
    def is_owned(self) -> bool:
        """Whether it stands at the user's own site."""
        return self.provider == OWNED_PROVIDER

    @property
    def order(self) -> tuple[int, str]:
        """Its place among pools when all else is equal: paid machines first, the smaller before the larger."""
        return (self.machine.gpu_count if self.sunk else NOT_PAID, self.key)

    @property
    def instance_type(self) -> str:
        """The machine's name at its provider."""
        return self.machine.instance_type


@dataclass
class RemovalLog:
    """Counts what each filter takes away, in the order of application."""

    entries: list[Removal] = field(default_factory=list)

    def keep(self, name: str, supplies: tuple[Supply, ...], accepts: Callable[[Supply], bool]) -> tuple[Supply, ...]:
        """The supplies that a filter accepts; the removed ones are counted under its name."""
        kept = tuple(supply for supply in supplies if accepts(supply))
        self.note(name, len(supplies) - len(kept), len(kept))
        return kept

    def note(self, name: str, removed: int, left: int) -> None:
        """Count a removal that was decided elsewhere."""
        if removed:
            self.entries.append(Removal(filter=name, removed=removed, left=left))


def is_plannable(price: Price, day: date, *, market: bool, oldest: date | None = None) -> bool:
    """Whether a price row may be planned on: no mark, valid on the plan's start, no market quote unless asked.

    With `oldest`, also seen on that day or later; the user's own quotes have dates of their own.
    """
    if not price.is_plannable or (price.kind is PriceKind.MARKET_QUOTE and not market):
        return False
    if oldest is not None and price.kind is not PriceKind.QUOTE and (price.observed is None or price.observed < oldest):
        return False
    starts_in_time = price.valid_from is None or price.valid_from <= day
    return starts_in_time and (price.valid_to is None or price.valid_to >= day)


NOT_RENTED = {Term.ON_DEMAND, Term.SPOT, Term.OWNED, Term.SAVINGS_PLAN_1Y, Term.SAVINGS_PLAN_3Y}


def rented_supply(
    offer: Offer, gpu: Gpu, rating: Rating, as_of: date, *, market: bool, oldest: date | None = None
) -> Supply:
    """A supply from an offer: its plannable prices by term. Raises KeyError for a currency without a rate."""
    best: dict[Term, RatedPrice] = {}
    for price in offer.prices:
        if is_plannable(price, as_of, market=market, oldest=oldest):
            candidate = rating.rated(price)
            known = best.get(price.term)
            if known is None or _beats(candidate, known):
                best[price.term] = candidate
    rented = best.keys() - NOT_RENTED
    rents = tuple(option for term in sorted(rented) for option in _rent_options(best[term])) if rented else ()
    return Supply(
        key=offer.key,
        provider=offer.provider,
        region=offer.region,
        machine=offer.machine,
        gpu=gpu,
        offer=offer,
        hourly=best.get(Term.ON_DEMAND),
        spot=best.get(Term.SPOT),
        rents=rents,
        covered_at=_rates_under_plans(best) if offer.provider in COVERS_ALL else (),
    )


def _rates_under_plans(best: dict[Term, RatedPrice]) -> tuple[RatedPrice, ...]:
    """The rates under savings plans; a market quote is none."""
    rows = (best[term] for term in SAVINGS_PLANS if term in best)
    return tuple(rated for rated in rows if rated.price.kind is not PriceKind.MARKET_QUOTE)


def _rent_options(rated_price: RatedPrice) -> Iterable[RentOption]:
    if rated_price.price.term is not Term.CAPACITY_BLOCK:
        return (RentOption(rated_price),)
    return tuple(RentOption(rated_price, days) for days in block_lengths(rated_price.price))


def block_lengths(price: Price) -> tuple[int, ...]:
    """The block lengths that can matter: a multiple of a shorter length at the same price an hour adds nothing.

    A plan with the long block has an equal one with the short ones in a row: same days, same cost, paid no sooner.
    """
    if price.unit is PriceUnit.TERM:
        return price.block_lengths_days
    kept: list[int] = []
    for days in sorted(price.block_lengths_days):
        if not any(days % shorter == 0 for shorter in kept):
            kept.append(days)
    return tuple(kept)


def _beats(candidate: RatedPrice, known: RatedPrice) -> bool:
    """A user's quote beats every other row of its term; otherwise the later observation does."""
    if (candidate.price.kind is PriceKind.QUOTE) != (known.price.kind is PriceKind.QUOTE):
        return candidate.price.kind is PriceKind.QUOTE
    return (candidate.price.observed or date.min) > (known.price.observed or date.min)


def filter_for(work: Work, supplies: tuple[Supply, ...], log: RemovalLog) -> tuple[Supply, ...]:
    """The supplies that a workload's own filters accept, each filter's loss counted."""
    name = work.name
    if work.countries:
        supplies = log.keep(f"{name}: countries {', '.join(work.countries)}", supplies, _in_countries(work.countries))
    if work.providers:
        supplies = log.keep(
            f"{name}: providers {', '.join(work.providers)}",
            supplies,
            lambda supply: matches_any(supply.provider, work.providers),
        )
    if work.regions:
        supplies = log.keep(
            f"{name}: regions {', '.join(work.regions)}",
            supplies,
            lambda supply: supply.is_owned or matches_any(supply.region, work.regions),
        )
    if work.gpus.allow:
        supplies = log.keep(
            f"{name}: gpus.allow {', '.join(work.gpus.allow)}",
            supplies,
            lambda supply: matches_any(supply.machine.gpu_model, work.gpus.allow),
        )
    if work.gpus.deny:
        supplies = log.keep(
            f"{name}: gpus.deny {', '.join(work.gpus.deny)}",
            supplies,
            lambda supply: not matches_any(supply.machine.gpu_model, work.gpus.deny),
        )
    return supplies


def matches_any(value: str, globs: Iterable[str]) -> bool:
    """Whether a name matches one of several shell patterns, without regard to case."""
    return any(fnmatchcase(value.lower(), glob.lower()) for glob in globs)


def _in_countries(globs: tuple[str, ...]) -> Callable[[Supply], bool]:
    def accepts(supply: Supply) -> bool:
        if supply.is_owned:
            return True
        offer = supply.offer
        if offer is None:
            return False
        names = (offer.country, offer.jurisdiction, offer.canonical_region)
        return any(name is not None and matches_any(name, globs) for name in names)

    return accepts
