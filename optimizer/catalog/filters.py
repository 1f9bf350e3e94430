"""Searching offers: filters over places, hardware, terms and prices, each with its loss counted.

A row is one price of one machine in one region; a machine known there without any price is one row too.
A fact that is not known never meets a filter that asks for it.
"""

from array import array
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from fnmatch import fnmatchcase
from itertools import compress
from typing import Protocol

from optimizer.catalog.catalog import Catalog
from optimizer.catalog.gpu_spec import GpuSpec, Hardware
from optimizer.catalog.table import KINDS, NO_TERM, TERMS, SaleTable
from optimizer.catalog.wire import read_price
from optimizer.domain.money import Rates
from optimizer.domain.offer import IntraLink, Machine, Offer, Price, PriceKind, PriceUnit, Rdma, Term
from optimizer.domain.plan import Removal

_PRICED, _TERM, _MARKET, _PLANNABLE, _UNDATED, _AGE = (
    *("no-price", "term", "market-quotes", "plannable"),
    *("undated", "max-age"),
)
_NVLINK_CLASS = (IntraLink.NVSWITCH, IntraLink.NVLINK, IntraLink.XGMI, IntraLink.HCCS)
_RDMA_KINDS = (Rdma.INFINIBAND, Rdma.ROCE, Rdma.EFA, Rdma.ERDMA, Rdma.UNSPECIFIED)
_NO_RATES = Rates()
_NEVER = date.max.toordinal() + 1


@dataclass(frozen=True, slots=True)
class OfferFilter:
    """What a search asks for; a field that is empty or `None` is not active. Patterns are shell patterns.

    Prices are compared in `currency` at `rates`; a price whose currency has no rate never meets a limit. With
    `max_age_days` older prices than that on `as_of` are removed, and undated ones, whose age nobody knows.
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
    max_age_days: int | None = None
    as_of: date | None = None

    @property
    def oldest(self) -> date | None:
        """The first day whose prices are young enough; `None` for any age."""
        if self.max_age_days is None or self.as_of is None:
            return None
        return self.as_of - timedelta(days=self.max_age_days)


class Place(Protocol):
    """What a filter on places looks at."""

    @property
    def provider(self) -> str: ...
    @property
    def region(self) -> str: ...
    @property
    def country(self) -> str | None: ...
    @property
    def jurisdiction(self) -> str | None: ...
    @property
    def canonical_region(self) -> str | None: ...


PlaceTest = tuple[str, Callable[[Place], bool]]
HardwareTest = tuple[str, Callable[[Hardware], bool]]
PriceTest = tuple[str, Callable[[Price, Machine], bool]]


def apply_filters(offers: Iterable[Offer], wanted: OfferFilter) -> tuple[tuple[Offer, ...], tuple[Removal, ...]]:
    """The offers that meet every active filter, and how many rows each filter removed, in order.

    Filters on terms and prices leave an offer with the prices that meet them.
    """
    left = list(offers)
    losses = _Losses(sum(map(_offer_rows, left)))
    for name, is_there in _place_tests(wanted):
        left = [offer for offer in left if is_there(offer)]
        losses.tell(name, sum(map(_offer_rows, left)))
    for name, has_facts in _hardware_tests(wanted):
        left = [offer for offer in left if has_facts(offer.machine)]
        losses.tell(name, sum(map(_offer_rows, left)))
    for name, keeps in _price_tests(wanted):
        trimmed = (_trimmed(offer, keeps) for offer in left)
        left = [offer for offer in trimmed if offer is not None]
        losses.tell(name, sum(map(_offer_rows, left)))
    return tuple(left), losses.told()


def search(catalog: Catalog, wanted: OfferFilter) -> tuple[tuple[Offer, ...], tuple[Removal, ...]]:
    """As `apply_filters` over a whole catalog, on its columns: records are built only for what is left."""
    found, removals = search_one_by_one(catalog, wanted)
    return tuple(found), removals


def search_one_by_one(catalog: Catalog, wanted: OfferFilter) -> tuple[Iterator[Offer], tuple[Removal, ...]]:
    """As `search`, each offer built when it is asked for.

    As of a day before the newest price, over the prices known on that day.
    """
    if wanted.as_of is not None and not catalog.is_known_on(wanted.as_of):
        from optimizer.catalog.record import offers_as_of

        offers, removals = apply_filters(offers_as_of(catalog, wanted.as_of), wanted)
        return iter(offers), removals
    rows, removals = find_rows(catalog, wanted)
    return (sale.offer() for sale in catalog.sales_of(rows)), removals


def find_rows(catalog: Catalog, wanted: OfferFilter) -> tuple[list[tuple[int, int]], tuple[Removal, ...]]:
    """The rows that meet every active filter as (sale, row) of `catalog.table`, and what each filter removed.

    No record is built, unless a limit on prices is active.
    """
    table = catalog.table
    losses = _Losses(table.rows)
    first = table.first
    sales = _sales_left(table, wanted, losses)
    rows = [(sale, row) for sale in sales for row in range(first[sale], first[sale + 1])]
    columns = _column_tests(table, wanted)
    for name, keeps in _price_tests(wanted):
        column = columns.get(name.partition("=")[0])
        if column is not None:
            codes, accepted = column
            rows = [pair for pair in rows if codes[pair[1]] in accepted]
        else:
            rows = [pair for pair in rows if _keeps_price(catalog, *pair, keeps)]
        losses.tell(name, len(rows))
    return rows, losses.told()


class _Losses:
    """Counts rows from filter to filter."""

    def __init__(self, rows: int) -> None:
        self._left = rows
        self._removals: list[Removal] = []

    def tell(self, name: str, left: int) -> None:
        """One filter more, and the rows that it left."""
        # Nothing to validate: building pydantic's validator would cost several searches.
        self._removals.append(Removal.model_construct(filter=name, removed=self._left - left, left=left))
        self._left = left

    def told(self) -> tuple[Removal, ...]:
        """What each filter removed."""
        return tuple(self._removals)


def _sales_left(table: SaleTable, wanted: OfferFilter, losses: _Losses) -> Sequence[int]:
    """Sales that meet the filters on places and hardware; each place and each machine is judged once."""
    sales: Sequence[int] = range(table.sales)
    first = table.first
    for name, is_there in _place_tests(wanted):
        seats = [is_there(seat) for seat in table.seats]
        sales = _chosen(sales, table.seat, seats)
        losses.tell(name, sum(first[sale + 1] - first[sale] for sale in sales))
    for name, has_facts in _hardware_tests(wanted):
        judged = [has_facts(facets) for facets in table.facets]
        machines = [judged[code] for code in table.facet]
        sales = _chosen(sales, table.machine, machines)
        losses.tell(name, sum(first[sale + 1] - first[sale] for sale in sales))
    return sales


def _chosen(sales: Sequence[int], codes: "array[int]", accepted: list[bool]) -> Sequence[int]:
    """The sales whose code is accepted."""
    judged = codes if len(sales) == len(codes) else map(codes.__getitem__, sales)
    return list(compress(sales, map(accepted.__getitem__, judged)))


def _column_tests(table: SaleTable, wanted: OfferFilter) -> "dict[str, tuple[array[int], Container[int]]]":
    """Filters on prices that a column answers, by name: the column and the codes that are accepted."""
    oldest = wanted.oldest.toordinal() if wanted.oldest else 1
    market = KINDS.index(PriceKind.MARKET_QUOTE)
    return {
        _PRICED: (table.term, range(NO_TERM)),
        _TERM: (table.term, {TERMS.index(term) for term in wanted.terms}),
        _MARKET: (table.kind, {*range(len(KINDS))} - {market}),
        _PLANNABLE: (table.plannable, {1}),
        _UNDATED: (table.observed, range(1, _NEVER)),
        _AGE: (table.observed, range(oldest, _NEVER)),
    }


def _keeps_price(catalog: Catalog, sale: int, row: int, keeps: Callable[[Price, Machine], bool]) -> bool:
    return keeps(read_price(next(catalog.cells([row]))), catalog.machine(catalog.table.machine[sale]))


def _offer_rows(offer: Offer) -> int:
    return len(offer.prices) or 1


def _trimmed(offer: Offer, keeps: Callable[[Price, Machine], bool]) -> Offer | None:
    prices = tuple(price for price in offer.prices if keeps(price, offer.machine))
    if not prices:
        return None
    return offer if len(prices) == len(offer.prices) else offer.model_copy(update={"prices": prices})


def _place_tests(wanted: OfferFilter) -> list[PlaceTest]:
    tests: list[tuple[tuple[str, ...], str, Callable[[Place], bool]]] = [
        (wanted.providers, "provider", lambda place: matches_any(place.provider, wanted.providers)),
        (wanted.regions, "region", lambda place: matches_any(place.region, wanted.regions)),
        (wanted.countries, "country", lambda place: _lies_in(place, wanted.countries)),
    ]
    return [(_named(name, asked), keeps) for asked, name, keeps in tests if asked]


def _hardware_tests(wanted: OfferFilter) -> list[HardwareTest]:
    bandwidth, generation = wanted.min_bandwidth_gbyte_per_s, wanted.min_pcie_generation
    tests: list[tuple[bool, str, Callable[[Hardware], bool]]] = [
        (
            bool(wanted.gpus),
            _named("gpu", (spec.text for spec in wanted.gpus)),
            _any_of(wanted.gpus),
        ),
        (
            bool(wanted.memory_types),
            _named("memory-type", wanted.memory_types),
            lambda machine: matches_any(machine.memory_type, wanted.memory_types),
        ),
        (
            bandwidth is not None,
            f"min-bandwidth={bandwidth:g} GB/s" if bandwidth is not None else "",
            lambda machine: _at_least(machine.memory_bandwidth_gbyte_per_s, bandwidth),
        ),
        (wanted.nvlink, "nvlink", lambda machine: machine.intra_link in _NVLINK_CLASS),
        (wanted.rdma, "rdma", lambda machine: machine.rdma in _RDMA_KINDS),
        (wanted.nvme, "nvme", lambda machine: bool(machine.local_nvme_gb)),
        (
            generation is not None,
            f"min-pcie-generation={generation}",
            lambda machine: _at_least(machine.pcie_generation, generation),
        ),
    ]
    return [(name, keeps) for is_active, name, keeps in tests if is_active]


def _price_tests(wanted: OfferFilter) -> list[PriceTest]:
    hour, gpu_hour, oldest = wanted.max_price_per_hour, wanted.max_price_per_gpu_hour, wanted.oldest
    tests: list[tuple[bool, str, Callable[[Price, Machine], bool]]] = [
        (bool(wanted.terms), _named(_TERM, (t.value for t in wanted.terms)), lambda p, m: p.term in wanted.terms),
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
        (wanted.no_market_quotes, _MARKET, lambda p, m: p.kind is not PriceKind.MARKET_QUOTE),
        (wanted.plannable_only, _PLANNABLE, lambda p, m: p.is_plannable),
        (oldest is not None, _UNDATED, lambda p, m: p.observed is not None),
        (
            oldest is not None,
            f"{_AGE}={wanted.max_age_days} days",
            lambda p, m: p.observed is not None and oldest is not None and p.observed >= oldest,
        ),
    ]
    active = [(name, keeps) for is_active, name, keeps in tests if is_active]
    return [(_PRICED, lambda p, m: True), *active] if active else []


def _lies_in(place: Place, patterns: Iterable[str]) -> bool:
    return any(matches_any(name, patterns) for name in (place.country, place.jurisdiction, place.canonical_region))


def _any_of(specs: tuple[GpuSpec, ...]) -> Callable[[Hardware], bool]:
    if len(specs) == 1:
        return specs[0].accepts
    return lambda machine: any(spec.accepts(machine) for spec in specs)


def _named(name: str, values: Iterable[str]) -> str:
    return f"{name}={','.join(values)}"


def matches_any(text: str | None, patterns: Iterable[str]) -> bool:
    """Whether a name matches one of several shell patterns, without regard to case; an unknown one never does."""
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
