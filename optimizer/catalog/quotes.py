"""The user's own prices: `quotes.csv`. A quote stands in for the list price of the same offer and term.

Columns: provider, region, instance_type, term, price, price_unit, currency, tax_included, valid_from, valid_to, note.
`discount_percent` may stand in place of a price: so much off the list price of the term. With it provider, region,
instance_type and term may be patterns (`alibaba,*,ecs.gn7*,*`: a seller, a family, every term); a line without a
pattern goes before one with, a pattern with more letters before one with fewer. A machine that the catalog does not
know is described by gpu_model, gpu_count and, as far as known, vcpus, ram_gib, local_nvme_gb, network_gbit_per_s, rdma
and country. A price is for the whole machine; `gpu_hour`, `gpu_month` and the like are multiplied by its GPUs.
Lines for `storage`, `cold-storage` and `egress` in place of a machine: see `service_quotes`; Chinese words: see
`quote_words`.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

from optimizer.catalog.catalog import Catalog, load_catalog
from optimizer.catalog.quote_lines import REQUIRED, Line, read_lines
from optimizer.catalog.quote_words import GPU_UNITS
from optimizer.catalog.service_quotes import is_service, read_service_quotes
from optimizer.domain.offer import Machine, Mark, Offer, Price, PriceKind, PriceUnit, Rdma, Term
from optimizer.domain.service import ServiceQuote
from optimizer.domain.units import MONTHS_PER_YEAR
from optimizer.errors import InputError, Problem

_UNITS = (*(unit.value for unit in PriceUnit), *GPU_UNITS)


@dataclass(frozen=True, slots=True)
class OutsideDates:
    """A line of the file that does not hold on the day: it begins later (`is_early`), or it ended."""

    source: str
    what: str
    is_early: bool
    first: date | None
    last: date | None


@dataclass(frozen=True, slots=True)
class QuotedPrice:
    """A valid line with a price of its own: where it stands, for what, and what its use depends on."""

    file: str
    line: int
    what: str
    currency: str
    #: Whether the place of its machine is known, so that work which names countries can use it.
    has_place: bool = True


@dataclass(frozen=True, slots=True)
class Quotes:
    """What a file says: all offers with its prices in them, prices of storage and traffic, and lines out of date.

    `priced` are the lines that hold on the day and state a price (a discount has the currency of the list).
    """

    offers: tuple[Offer, ...]
    services: tuple[ServiceQuote, ...] = ()
    outside: tuple[OutsideDates, ...] = ()
    priced: tuple[QuotedPrice, ...] = ()


def read_quotes(path: Path, offers: Iterable[Offer], as_of: date, catalog: Catalog | None = None) -> tuple[Offer, ...]:
    """All offers, those that the file quotes with the quote in place of their list price; see `read_quote_file`."""
    return read_quote_file(path, offers, as_of, catalog).offers


def read_quote_file(path: Path, offers: Iterable[Offer], as_of: date, catalog: Catalog | None = None) -> Quotes:
    """The whole file: offers sorted by key, prices of storage and traffic, and what is out of date on `as_of`.

    A quote outside its dates is kept as seen and marked expired. `catalog` knows GPU names and regions for machines
    that `offers` does not have; it is the shipped one by default.

    Raises:
        InputError: every problem of the file, with line, field, what was found and a suggestion.
    """
    problems: list[Problem] = []
    book = _Book({offer.key: offer for offer in offers}, catalog or load_catalog())
    lines = read_lines(path, problems)
    machines = sorted((line for line in lines if not is_service(line)), key=_order)
    outside = [found for line in machines for found in _read_machine(line, book, as_of)]
    places = {(offer.provider, offer.region) for offer in book.offers.values()}
    places |= {(line["provider"], line["region"]) for line in machines}
    services, late = read_service_quotes(filter(is_service, lines), places, as_of)
    if problems:
        raise InputError(sorted(problems, key=lambda problem: problem.line or 0))
    dated = {line.number: line for line in (*outside, *late)}
    noted = tuple(_outside(dated[number], as_of) for number in sorted(dated))
    priced = tuple(_priced(line, book) for line in lines if line["price"] and line.number not in dated)
    return Quotes(tuple(book.offers[key] for key in sorted(book.offers)), services, noted, priced)


def _read_machine(written: Line, book: "_Book", as_of: date) -> Iterator[Line]:
    """Put the prices of one line into the offers that it means; the line itself where it is out of date."""
    for line in _spread(written, book):
        before = len(line.problems)
        offer = _offer(line, book)
        term = line.choice("term", (term.value for term in Term if term is not Term.OWNED))
        price = _price(line, offer, Term(term), as_of) if offer and term else None
        if offer is None or price is None or len(line.problems) > before:
            continue
        if not price.is_plannable:
            yield written
        first = book.lines.setdefault((offer.key, price.term), line.number) if price.is_plannable else line.number
        if first != line.number:
            line.wrong("term", "one valid quote for an offer and term", f"Line {first} quotes it too.")
        else:
            book.offers[offer.key] = _with_quote(book.offers.get(offer.key, offer), price)


def _priced(line: Line, book: "_Book") -> QuotedPrice:
    offer = book.offers.get(_key(line))
    has_place = offer is None or any((offer.country, offer.jurisdiction, offer.canonical_region))
    return QuotedPrice(line.file, line.number, _what(line), line["currency"], has_place)


def _key(line: Line) -> str:
    return "/".join(line[name] for name in REQUIRED[:3])


def _what(line: Line) -> str:
    return " ".join(filter(None, [_key(line), line["term"]]))


def _outside(line: Line, as_of: date) -> OutsideDates:
    validity = line.validity(as_of)
    is_early = validity.first is not None and validity.first > as_of
    return OutsideDates(line.source, _what(line), is_early, validity.first, validity.last)


@dataclass(frozen=True)
class _Book:
    """What quotes are read against: the offers so far, the catalog, and the line of each valid quote."""

    offers: dict[str, Offer]
    catalog: Catalog
    lines: dict[tuple[str, Term], int] = field(default_factory=dict)
    #: Offer and term to the line and the letters of the pattern that quotes it.
    patterns: dict[tuple[str, Term], tuple[int, int]] = field(default_factory=dict)

    @cached_property
    def spelled(self) -> dict[tuple[str, ...], set[str]]:
        """Names of the offers as they are written, by place and small letters; read before any new place."""
        found: dict[tuple[str, ...], set[str]] = defaultdict(set)
        for offer in self.offers.values():
            seller = offer.provider.casefold()
            found["provider", seller, seller].add(offer.provider)
            found["region", seller, offer.region.casefold()].add(offer.region)
            found["instance_type", seller, offer.instance_type.casefold()].add(offer.instance_type)
        return dict(found)


# --- discounts for many offers ----------------------------------------------------------------------------------

_PLACE = (*REQUIRED[:3], "term")
_WILD = "*?["


def _letters(line: Line) -> int | None:
    """How much of the place a pattern spells out; `None` for a line without a pattern."""
    text = "".join(line[name] for name in _PLACE)
    if not line["discount_percent"] or not any(mark in text for mark in _WILD):
        return None
    return sum(letter not in _WILD for letter in text)


def _order(line: Line) -> tuple[int, int]:
    """Lines for one offer first, then patterns, the longest first."""
    letters = _letters(line)
    return (0, line.number) if letters is None else (1, -letters)


def _spread(line: Line, book: _Book) -> list[Line]:
    """The line for each list price that its pattern matches and no stronger line quotes; any other line as it is."""
    letters = _letters(line)
    if letters is None:
        return [line]
    matching = [offer for offer in book.offers.values() if _meant(line, offer.key.split("/", 2))]
    found = [(offer, price.term) for offer in matching for price in offer.prices if _is_listed(price, line["term"])]
    clash = {book.patterns.get((offer.key, price.term)) for offer in matching for price in offer.prices}
    rival = next((number for number, size in filter(None, clash) if size == letters and number != line.number), None)
    if rival is not None:
        line.wrong("discount_percent", "one discount for an offer and term", f"Line {rival} means it too, as exactly.")
        return []
    if not matching:
        line.wrong("instance_type", "a pattern that an offer with a list price matches", found=_key(line))
    if not matching or _percent(line) is None:
        return []
    book.patterns.update(((offer.key, term), (line.number, letters)) for offer, term in found)
    return [_for_offer(line, offer, term) for offer, term in found]


def _meant(line: Line, place: list[str]) -> bool:
    return all(fnmatchcase(text, line[name]) for name, text in zip(_PLACE, place, strict=False))


def _is_listed(price: Price, pattern: str) -> bool:
    is_list = price.is_plannable and price.kind not in (PriceKind.QUOTE, PriceKind.MARKET_QUOTE)
    return is_list and fnmatchcase(price.term.value, pattern)


def _for_offer(line: Line, offer: Offer, term: Term) -> Line:
    place = dict(zip(_PLACE, (offer.provider, offer.region, offer.instance_type, term.value), strict=True))
    return replace(line, cells={**line.cells, **place})


# --- one line -------------------------------------------------------------------------------------------------


def _offer(line: Line, book: _Book) -> Offer | None:
    key = _key(line)
    if key in book.offers:
        return book.offers[key]
    empty = [name for name in REQUIRED[:3] if not line[name]]
    if empty:
        for name in empty:
            line.wrong(name, "a name")
        return None
    if _is_misspelled(line, book):
        return None
    country = line.country()
    machine = _known_machine(line, book.offers) or _described_machine(line, book)
    if machine is None:
        return None
    place = book.catalog.region(line["provider"], line["region"])
    return Offer(
        provider=line["provider"],
        region=line["region"],
        canonical_region=place.canonical_region if place else None,
        country=place.country if place else country,
        jurisdiction=place.jurisdiction if place else None,
        machine=machine,
    )


def _is_misspelled(line: Line, book: _Book) -> bool:
    """Whether a name differs from a known one in small and capital letters only: a slip, and no new place."""
    seller = line["provider"].casefold()
    is_slip = False
    for name in REQUIRED[:3]:
        known = book.spelled.get((name, seller, line[name].casefold()), set())
        if known and line[name] not in known:
            line.wrong(name, "a name written as in the catalog", f"Did you mean {' or '.join(sorted(known))}?")
            is_slip = True
    return is_slip


def _known_machine(line: Line, offers: dict[str, Offer]) -> Machine | None:
    """The hardware of the same type in another region of the provider."""
    return next(
        (
            offer.machine
            for offer in offers.values()
            if offer.provider == line["provider"] and offer.instance_type == line["instance_type"]
        ),
        None,
    )


def _described_machine(line: Line, book: _Book) -> Machine | None:
    catalog = book.catalog
    if not line["gpu_model"]:
        key = _key(line)
        near = get_close_matches(key, book.offers, n=1, cutoff=0.7)
        hint = f"Did you mean {near[0]}?" if near else "Describe a new machine with gpu_model and gpu_count."
        line.wrong("instance_type", "an offer of the catalog, or gpu_model and gpu_count", hint, found=key)
        return None
    model = catalog.find_gpu(line["gpu_model"], line["provider"])
    count = line.positive("gpu_count")
    if model is None:
        near_models = catalog.near_gpus(line["gpu_model"])
        nearby = f"Did you mean {' or '.join(near_models[:3])}?" if near_models else None
        line.wrong("gpu_model", "a GPU of the catalog, exact variant", nearby)
    if count is None or count % 1:
        line.wrong("gpu_count", "the number of whole GPUs in the machine")
        return None
    return _machine(line, catalog, model, int(count)) if model else None


def _machine(line: Line, catalog: Catalog, model: str, count: int) -> Machine:
    gpu = catalog.gpus[model]
    figures = {name: line.positive(name) for name in ("vcpus", "ram_gib", "local_nvme_gb", "network_gbit_per_s")}
    rdma = Rdma(found) if line["rdma"] and (found := line.choice("rdma", (kind.value for kind in Rdma))) else None
    return Machine(
        provider=line["provider"],
        instance_type=line["instance_type"],
        gpu_model=model,
        gpu_label=line["gpu_model"],
        gpu_count=count,
        gpu_memory_gib=gpu.memory_gib,
        gpu_memory_usable_gib=min(gpu.usable_memory_gib, gpu.memory_gib),
        memory_type=gpu.memory_type,
        memory_bandwidth_gbyte_per_s=gpu.memory_bandwidth_gbyte_per_s,
        compute_capability=gpu.compute_capability,
        rdma=rdma,
        source=line.source,
        **{name: float(value) for name, value in figures.items() if value is not None},
    )


def _price(line: Line, offer: Offer, term: Term, as_of: date) -> Price | None:
    validity, tax = line.validity(as_of), line.tax()
    listed = offer.price(term)
    basis = _discounted(line, offer, term) if line["discount_percent"] else _stated(line, offer, term)
    if basis is None:
        return None
    amount, unit, currency, note = basis
    return Price(
        term=term,
        amount=amount,
        unit=unit,
        currency=currency,
        tax_included=listed.tax_included if tax is None and listed and line["discount_percent"] else tax,
        kind=PriceKind.QUOTE,
        block_lengths_days=_block_lengths(offer, term),
        **_kept_of(listed),
        **(_discounted_upfront(line, listed) if listed and line["discount_percent"] else {}),
        observed=validity.first or as_of,
        valid_from=validity.first,
        valid_to=validity.last,
        source=line.source,
        note="; ".join(filter(None, [line["note"], note])),
        marks=() if validity.is_valid else (Mark.EXPIRED,),
    )


def _kept_of(listed: Price | None) -> dict[str, Any]:
    """What holds of a term whatever its price: how hours are billed, and how often spot is taken back."""
    names = ("billing_unit_hours", "minimum_hours", "interruptions_per_hour")
    return {name: getattr(listed, name) for name in names} if listed else {}


def _discounted_upfront(line: Line, listed: Price) -> dict[str, Any]:
    """What is due on the first day, less the same discount."""
    percent = _percent(line) or Decimal(0)
    amount = None if listed.upfront_amount is None else listed.upfront_amount * (1 - percent / 100)
    return {"upfront_amount": amount, "upfront_share": listed.upfront_share}


def _block_lengths(offer: Offer, term: Term) -> tuple[int, ...]:
    """A quote for a capacity block is for the lengths that the list sells."""
    return next((price.block_lengths_days for price in offer.prices if price.term is term), ())


_Basis = tuple[Decimal, PriceUnit, str, str]


def _stated(line: Line, offer: Offer, term: Term) -> _Basis | None:
    amount = line.positive("price")
    if amount is None and not line["price"]:
        line.wrong("price", "a price or a discount_percent")
    unit = line.choice("price_unit", _UNITS)
    currency = line.currency()
    if amount is None or unit is None or currency is None or not _fits(line, term, unit):
        return None
    if unit in GPU_UNITS:
        whole = GPU_UNITS[unit]
        return amount * offer.machine.gpu_count, whole, currency, f"{amount} a GPU-{whole.value} x GPUs"
    return amount, PriceUnit(unit), currency, ""


def _fits(line: Line, term: Term, unit: str) -> bool:
    """Whether a unit can price a term: no rent by the month has a price a day, no hourly term a price a month."""
    allowed = _units_of(term)
    if unit in allowed:
        return True
    line.wrong("price_unit", f"one of {', '.join(allowed)} for the term {term.value}")
    return False


def _units_of(term: Term) -> tuple[str, ...]:
    units = _whole_units_of(term)
    return (*units, *(name for name, unit in GPU_UNITS.items() if unit in units))


def _whole_units_of(term: Term) -> tuple[PriceUnit, ...]:
    """The units of a whole machine that can price a term."""
    if term.is_hourly:
        return (PriceUnit.HOUR,)
    if term.months is not None:
        years = (PriceUnit.YEAR,) if term.months >= MONTHS_PER_YEAR else ()
        return (PriceUnit.HOUR, PriceUnit.MONTH, *years, PriceUnit.TERM)
    weeks = (PriceUnit.WEEK,) if term is Term.WEEK else ()
    return (PriceUnit.HOUR, PriceUnit.DAY, *weeks, PriceUnit.TERM)


def _discounted(line: Line, offer: Offer, term: Term) -> _Basis | None:
    if line["price"]:
        line.wrong("discount_percent", "either a price or a discount, not both")
        return None
    percent = _percent(line)
    list_price = offer.price(term)
    if list_price is None:
        line.wrong("discount_percent", f"an offer with a list price for the term {term.value}")
    if percent is None or list_price is None:
        return None
    amount = list_price.amount * (1 - percent / 100)
    note = f"{percent} % off the list price {list_price.amount} of {list_price.observed or 'an unknown day'}"
    return amount, list_price.unit, list_price.currency, note


def _percent(line: Line) -> Decimal | None:
    percent = line.positive("discount_percent")
    if percent is not None and percent >= 100:
        line.wrong("discount_percent", "less than 100")
        return None
    return percent


def _with_quote(offer: Offer, price: Price) -> Offer:
    """The offer with a quote first; while it is valid, other prices of its term are superseded by it."""
    others = [
        _superseded(other) if price.is_plannable and other.term is price.term and other.is_plannable else other
        for other in offer.prices
    ]
    return offer.model_copy(update={"prices": (price, *others)})


def _superseded(price: Price) -> Price:
    return price.model_copy(update={"marks": (*price.marks, Mark.SUPERSEDED)})
