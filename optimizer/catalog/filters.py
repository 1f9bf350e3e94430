"""Searching offers: filters over places, hardware, terms and prices, each with its loss counted.

A row is one price of one machine in one region; a machine known there without any price is one row too.
A fact that is not known never meets a filter that asks for it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase
from typing import Protocol, TypeVar

from optimizer.catalog.catalog import Catalog, Sale
from optimizer.catalog.gpu_spec import GpuSpec
from optimizer.domain.money import Rates
from optimizer.domain.offer import IntraLink, Machine, Offer, Price, PriceKind, PriceUnit, Rdma, Term
from optimizer.domain.plan import Removal

_NVLINK_CLASS = (IntraLink.NVSWITCH, IntraLink.NVLINK, IntraLink.XGMI, IntraLink.HCCS)
_RDMA_KINDS = (Rdma.INFINIBAND, Rdma.ROCE, Rdma.EFA, Rdma.ERDMA, Rdma.UNSPECIFIED)
_NO_RATES = Rates()


@dataclass(frozen=True, slots=True)
class OfferFilter:
    """What a search asks for; a field that is empty or `None` is not active. Patterns are shell patterns.

    Prices are compared in `currency` at `rates`; a price whose currency has no rate never meets a limit.
    """

    gpus: tuple[GpuSpec, ...] = ()
    providers: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()
    terms: tuple[Term, ...] = ()
    memory_types: tuple[str, ...] = ()
    min_bandwidth_gbyte_per_s: float | None = None
    nvlink: bool = False
    rdma: bool = False
    nvme: bool = False
    min_pcie_generation: int | None = None
    max_price_per_hour: Decimal | None = None
    max_price_per_gpu_hour: Decimal | None = None
    currency: str = "USD"
    rates: Rates = _NO_RATES
    plannable_only: bool = False
    no_market_quotes: bool = False


class Place(Protocol):
    """What a machine filter looks at: an offer, or a sale whose prices are not built yet."""

    @property
    def provider(self) -> str: ...
    @property
    def region(self) -> str: ...
    @property
    def country(self) -> str | None: ...
    @property
    def machine(self) -> Machine: ...


Placed = TypeVar("Placed", bound=Place)
PlaceTest = tuple[str, Callable[[Place], bool]]
PriceTest = tuple[str, Callable[[Price, Machine], bool]]


def apply_filters(offers: Iterable[Offer], wanted: OfferFilter) -> tuple[tuple[Offer, ...], tuple[Removal, ...]]:
    """The offers that meet every active filter, and how many rows each filter removed, in order.

    Filters on terms and prices leave an offer with the prices that meet them.
    """
    left, removals = _by_place(list(offers), wanted, _offer_rows)
    return _by_price(left, wanted, removals)


def search(catalog: Catalog, wanted: OfferFilter) -> tuple[tuple[Offer, ...], tuple[Removal, ...]]:
    """As `apply_filters` over a whole catalog, but prices are built only for machines that are wanted."""
    sales, removals = _by_place(list(catalog.sales()), wanted, _sale_rows)
    return _by_price([sale.offer() for sale in sales], wanted, removals)


def _offer_rows(offer: Offer) -> int:
    return len(offer.prices) or 1


def _sale_rows(sale: Sale) -> int:
    return len(sale.rows)


def _by_place(
    places: list[Placed], wanted: OfferFilter, rows: Callable[[Placed], int]
) -> tuple[list[Placed], list[Removal]]:
    removals = []
    count = sum(map(rows, places))
    for name, keeps in _place_tests(wanted):
        places = [place for place in places if keeps(place)]
        left = sum(map(rows, places))
        removals.append(Removal(filter=name, removed=count - left, left=left))
        count = left
    return places, removals


def _by_price(
    offers: list[Offer], wanted: OfferFilter, removals: list[Removal]
) -> tuple[tuple[Offer, ...], tuple[Removal, ...]]:
    count = sum(map(_offer_rows, offers))
    for name, keeps in _price_tests(wanted):
        trimmed = (_trimmed(offer, keeps) for offer in offers)
        offers = [offer for offer in trimmed if offer is not None]
        left = sum(map(_offer_rows, offers))
        removals.append(Removal(filter=name, removed=count - left, left=left))
        count = left
    return tuple(offers), tuple(removals)


def _trimmed(offer: Offer, keeps: Callable[[Price, Machine], bool]) -> Offer | None:
    prices = tuple(price for price in offer.prices if keeps(price, offer.machine))
    if not prices:
        return None
    return offer if len(prices) == len(offer.prices) else offer.model_copy(update={"prices": prices})


def _place_tests(wanted: OfferFilter) -> list[PlaceTest]:
    bandwidth, generation = wanted.min_bandwidth_gbyte_per_s, wanted.min_pcie_generation
    tests: list[tuple[bool, str, Callable[[Place], bool]]] = [
        (bool(wanted.providers), _named("provider", wanted.providers), lambda p: _glob(p.provider, wanted.providers)),
        (bool(wanted.regions), _named("region", wanted.regions), lambda p: _glob(p.region, wanted.regions)),
        (bool(wanted.countries), _named("country", wanted.countries), lambda p: _glob(p.country, wanted.countries)),
        (
            bool(wanted.gpus),
            _named("gpu", (spec.text for spec in wanted.gpus)),
            lambda p: any(spec.accepts(p.machine) for spec in wanted.gpus),
        ),
        (
            bool(wanted.memory_types),
            _named("memory-type", wanted.memory_types),
            lambda p: _glob(p.machine.memory_type, wanted.memory_types),
        ),
        (
            bandwidth is not None,
            f"min-bandwidth={bandwidth:g} GB/s" if bandwidth is not None else "",
            lambda p: _at_least(p.machine.memory_bandwidth_gbyte_per_s, bandwidth),
        ),
        (wanted.nvlink, "nvlink", lambda p: p.machine.intra_link in _NVLINK_CLASS),
        (wanted.rdma, "rdma", lambda p: p.machine.rdma in _RDMA_KINDS),
        (wanted.nvme, "nvme", lambda p: bool(p.machine.local_nvme_gb)),
        (
            generation is not None,
            f"min-pcie-generation={generation}",
            lambda p: _at_least(p.machine.pcie_generation, generation),
        ),
    ]
    return [(name, keeps) for is_active, name, keeps in tests if is_active]


def _price_tests(wanted: OfferFilter) -> list[PriceTest]:
    hour, gpu_hour = wanted.max_price_per_hour, wanted.max_price_per_gpu_hour
    tests: list[tuple[bool, str, Callable[[Price, Machine], bool]]] = [
        (bool(wanted.terms), _named("term", (t.value for t in wanted.terms)), lambda p, m: p.term in wanted.terms),
        (
            hour is not None,
            f"max-price={hour} {wanted.currency}/h",
            lambda p, m: _at_most(price_per_hour(p, wanted.rates, wanted.currency), hour),
        ),
        (
            gpu_hour is not None,
            f"max-gpu-price={gpu_hour} {wanted.currency}/GPU-h",
            lambda p, m: _at_most(price_per_gpu_hour(p, m, wanted.rates, wanted.currency), gpu_hour),
        ),
        (wanted.no_market_quotes, "market-quotes", lambda p, m: p.kind is not PriceKind.MARKET_QUOTE),
        (wanted.plannable_only, "plannable", lambda p, m: p.is_plannable),
    ]
    return [(name, keeps) for is_active, name, keeps in tests if is_active]


def _named(name: str, values: Iterable[str]) -> str:
    return f"{name}={','.join(values)}"


def _glob(text: str | None, patterns: Iterable[str]) -> bool:
    if text is None:
        return False
    return any(fnmatchcase(text.casefold(), pattern.casefold()) for pattern in patterns)


def _at_least(value: float | None, least: float | None) -> bool:
    return value is not None and least is not None and value >= least


def _at_most(value: Decimal | None, most: Decimal | None) -> bool:
    return value is not None and most is not None and value <= most


def price_per_hour(price: Price, rates: Rates, currency: str) -> Decimal | None:
    """The price of one machine-hour in a currency, upfront spread over the term; `None` without a rate."""
    hours = _hours(price)
    amount = price.term_total() if price.unit is PriceUnit.TERM else price.per_hour() * hours
    try:
        return rates.convert((amount + (price.upfront_amount or 0)) / hours, price.currency, currency)
    except KeyError:
        return None


def price_per_gpu_hour(price: Price, machine: Machine, rates: Rates, currency: str) -> Decimal | None:
    """The price of one GPU-hour; a share of a card is counted as that share."""
    hourly = price_per_hour(price, rates, currency)
    if hourly is None:
        return None
    share = Decimal(str(machine.gpu_fraction)) if machine.gpu_fraction is not None else Decimal(1)
    return hourly / (machine.gpu_count * share)


def _hours(price: Price) -> Decimal:
    """Hours that the term covers: months x 730, years x 8,760 (design convention)."""
    term = price.term
    if term.months is not None:
        years, months = divmod(term.months, 12)
        return Decimal(years * 8_760 + months * 730)
    if term is Term.CAPACITY_BLOCK:
        return Decimal(24 * (price.block_lengths_days[0] if price.block_lengths_days else 1))
    return Decimal(24 * term.days) if term.days is not None else Decimal(1)
