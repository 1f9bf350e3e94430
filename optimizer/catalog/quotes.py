"""The user's own prices: `quotes.csv`. A quote stands in for the list price of the same offer and term.

Columns: provider, region, instance_type, term, price, price_unit, currency, tax_included, valid_from, valid_to, note.
`discount_percent` may stand in place of a price: so much off the list price of the term. With it provider, region,
instance_type and term may be patterns (`alibaba,*,ecs.gn7*,*`: a seller, a family, every term); a line without a
pattern goes before one with, a pattern with more letters before one with fewer. A machine that the catalog does not
know is described by gpu_model, gpu_count and, as far as known, vcpus, ram_gib, local_nvme_gb, network_gbit_per_s, rdma
and country. A price is for the whole machine; price_unit `gpu_hour` is multiplied by its GPUs.
"""

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from optimizer.catalog.catalog import Catalog, load_catalog
from optimizer.domain.offer import Machine, Mark, Offer, Price, PriceKind, PriceUnit, Rdma, Term
from optimizer.domain.units import MONTHS_PER_YEAR
from optimizer.errors import InputError, Problem

REQUIRED = ("provider", "region", "instance_type", "term")
OPTIONAL = (
    "price",
    "price_unit",
    "currency",
    "tax_included",
    "valid_from",
    "valid_to",
    "note",
    "discount_percent",
    "gpu_model",
    "gpu_count",
    "vcpus",
    "ram_gib",
    "local_nvme_gb",
    "network_gbit_per_s",
    "rdma",
    "country",
)
GPU_HOUR = "gpu_hour"
_UNITS = (*(unit.value for unit in PriceUnit), GPU_HOUR)
_PLAIN = re.compile(r"^[0-9]+(\.[0-9]+)?$")
_DAY = re.compile(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")
_POINT_GROUPS = re.compile(r"^[0-9]{1,3}(\.[0-9]{3})+$")
_GROUPED = re.compile(r"^[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?$")
_YES_NO = {"yes": True, "true": True, "是": True, "no": False, "false": False, "否": False}


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of the file; problems gather in `problems`, an unreadable field gives `None`."""

    file: str
    number: int
    cells: dict[str, str]
    problems: list[Problem]
    delimiter: str = ","

    def __getitem__(self, name: str) -> str:
        return self.cells.get(name, "")

    def wrong(self, name: str, expected: str, suggestion: str | None = None, found: str | None = None) -> None:
        shown = found if found is not None else repr(self[name]) if self[name] else "nothing"
        self.problems.append(Problem(self.file, name, shown, expected, self.number, suggestion))

    def positive(self, name: str) -> Decimal | None:
        """A number above zero; text that could be read in two ways is refused, never guessed."""
        text = self[name]
        if not text:
            return None
        plain = text.replace(",", "") if _GROUPED.match(text) and _is_unambiguous(text) else text
        if self.delimiter == ";" and _POINT_GROUPS.match(text):
            self.wrong(name, "a number that can be read in one way", "Write it with decimals, such as 1234.00.")
            return None
        if not _PLAIN.match(plain):
            self.wrong(name, "a number above zero such as 12948 or 12948.50", _number_hint(text))
            return None
        value = Decimal(plain)
        if value == 0:
            self.wrong(name, "a number above zero", "Leave out the line when there is no price.")
            return None
        return value

    def day(self, name: str) -> date | None:
        if not self[name]:
            return None
        try:
            if _DAY.match(self[name]):
                return date.fromisoformat(self[name])
        except ValueError:
            pass
        self.wrong(name, "a date such as 2026-12-01")
        return None

    def choice(self, name: str, options: Iterable[str]) -> str | None:
        known = tuple(options)
        if self[name] in known:
            return self[name]
        near = get_close_matches(self[name].lower(), known, n=1)
        self.wrong(name, f"one of {', '.join(known)}", f"Did you mean {near[0]}?" if near else None)
        return None


def _is_unambiguous(text: str) -> bool:
    """A single comma before three digits may be a decimal comma: only several groups or a decimal point tell."""
    return text.count(",") > 1 or "." in text


def _number_hint(text: str) -> str | None:
    if "," in text:
        return "Write the number without separators and with a decimal point: a comma can mean two things."
    if re.search(r"[^0-9.\-+eE]", text):
        return "Write the number alone; the currency has its own column."
    return None


def read_quotes(path: Path, offers: Iterable[Offer], as_of: date, catalog: Catalog | None = None) -> tuple[Offer, ...]:
    """All offers, those that the file quotes with the quote in place of their list price, sorted by key.

    A quote outside its dates on `as_of` is kept as seen and marked expired. `catalog` knows GPU names and regions
    for machines that `offers` does not have; it is the shipped one by default.

    Raises:
        InputError: every problem of the file, with line, field, what was found and a suggestion.
    """
    problems: list[Problem] = []
    merged = {offer.key: offer for offer in offers}
    book = _Book(merged, catalog or load_catalog())
    lines = sorted(_lines(path, problems), key=_order)
    for line in (single for written in lines for single in _spread(written, book)):
        before = len(problems)
        offer = _offer(line, book)
        term = line.choice("term", (term.value for term in Term if term is not Term.OWNED))
        price = _price(line, offer, Term(term), as_of) if offer and term else None
        if offer is None or price is None or len(problems) > before:
            continue
        first = book.lines.setdefault((offer.key, price.term), line.number) if price.is_plannable else line.number
        if first != line.number:
            line.wrong("term", "one valid quote for an offer and term", f"Line {first} quotes it too.")
        else:
            merged[offer.key] = _with_quote(merged.get(offer.key, offer), price)
    if problems:
        raise InputError(sorted(problems, key=lambda problem: problem.line or 0))
    return tuple(merged[key] for key in sorted(merged))


@dataclass(frozen=True, slots=True)
class _Book:
    """What quotes are read against: the offers so far, the catalog, and the line of each valid quote."""

    offers: dict[str, Offer]
    catalog: Catalog
    lines: dict[tuple[str, Term], int] = field(default_factory=dict)
    #: Offer and term to the line and the letters of the pattern that quotes it.
    patterns: dict[tuple[str, Term], tuple[int, int]] = field(default_factory=dict)


# --- discounts for many offers ----------------------------------------------------------------------------------

_PLACE = (*REQUIRED[:3], "term")
_WILD = "*?["


def _letters(line: _Line) -> int | None:
    """How much of the place a pattern spells out; `None` for a line without a pattern."""
    text = "".join(line[name] for name in _PLACE)
    if not line["discount_percent"] or not any(mark in text for mark in _WILD):
        return None
    return sum(letter not in _WILD for letter in text)


def _order(line: _Line) -> tuple[int, int]:
    """Lines for one offer first, then patterns, the longest first."""
    letters = _letters(line)
    return (0, line.number) if letters is None else (1, -letters)


def _spread(line: _Line, book: _Book) -> list[_Line]:
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
        shown = "/".join(line[name] for name in REQUIRED[:3])
        line.wrong("instance_type", "a pattern that an offer with a list price matches", found=shown)
    if not matching or _percent(line) is None:
        return []
    book.patterns.update(((offer.key, term), (line.number, letters)) for offer, term in found)
    return [_for_offer(line, offer, term) for offer, term in found]


def _meant(line: _Line, place: list[str]) -> bool:
    return all(fnmatchcase(text, line[name]) for name, text in zip(_PLACE, place, strict=False))


def _is_listed(price: Price, pattern: str) -> bool:
    is_list = price.is_plannable and price.kind not in (PriceKind.QUOTE, PriceKind.MARKET_QUOTE)
    return is_list and fnmatchcase(price.term.value, pattern)


def _for_offer(line: _Line, offer: Offer, term: Term) -> _Line:
    place = dict(zip(_PLACE, (offer.provider, offer.region, offer.instance_type, term.value), strict=True))
    return replace(line, cells={**line.cells, **place})


# --- the file -------------------------------------------------------------------------------------------------


def _lines(path: Path, problems: list[Problem]) -> list[_Line]:
    text = _text(path)
    header = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        rows = list(reader)
    except csv.Error as error:
        raise InputError(Problem(str(path), "", str(error), "CSV text", reader.line_num)) from error
    names = [name.strip().lower() for name in rows[0]] if rows else []
    _check_header(path, names, problems)
    lines = []
    for number, row in enumerate(rows[1:], start=2):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(names):
            hint = "A comma inside a number or a note needs quotation marks around the cell."
            problems.append(Problem(str(path), "", f"{len(row)} cells", f"{len(names)} cells", number, hint))
            continue
        cells = {name: cell.strip() for name, cell in zip(names, row, strict=True)}
        lines.append(_Line(str(path), number, cells, problems, delimiter))
    return lines


def _text(path: Path) -> str:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(Problem(str(path), "", error.strerror or "no file", "a CSV file of quotes")) from error
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encodings: tuple[str, ...] = ("utf-16",)
    else:
        encodings = ("utf-8-sig", "gb18030")
    for encoding in encodings:
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    problem = Problem(str(path), "", "bytes of an unknown encoding", "UTF-8, UTF-16 or GBK text")
    raise InputError(problem)


def _check_header(path: Path, names: list[str], problems: list[Problem]) -> None:
    known = (*REQUIRED, *OPTIONAL)
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"The columns are {', '.join(known)}."
            problems.append(Problem(str(path), name, "an unknown column", "a column of quotes.csv", 1, hint))
    missing = [name for name in REQUIRED if name not in names]
    if missing or not ({"price", "discount_percent"} & set(names)):
        expected = ", ".join(missing) if missing else "price or discount_percent"
        raise InputError([*problems, Problem(str(path), "header", ", ".join(names) or "nothing", expected, 1)])


# --- one line -------------------------------------------------------------------------------------------------


def _offer(line: _Line, book: _Book) -> Offer | None:
    key = f"{line['provider']}/{line['region']}/{line['instance_type']}"
    if key in book.offers:
        return book.offers[key]
    empty = [name for name in REQUIRED[:3] if not line[name]]
    if empty:
        for name in empty:
            line.wrong(name, "a name")
        return None
    machine = _known_machine(line, book.offers) or _described_machine(line, book)
    if machine is None:
        return None
    place = book.catalog.region(line["provider"], line["region"])
    return Offer(
        provider=line["provider"],
        region=line["region"],
        canonical_region=place.canonical_region if place else None,
        country=place.country if place else line["country"] or None,
        jurisdiction=place.jurisdiction if place else None,
        machine=machine,
    )


def _known_machine(line: _Line, offers: dict[str, Offer]) -> Machine | None:
    """The hardware of the same type in another region of the provider."""
    return next(
        (
            offer.machine
            for offer in offers.values()
            if offer.provider == line["provider"] and offer.instance_type == line["instance_type"]
        ),
        None,
    )


def _described_machine(line: _Line, book: _Book) -> Machine | None:
    catalog = book.catalog
    if not line["gpu_model"]:
        key = f"{line['provider']}/{line['region']}/{line['instance_type']}"
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


def _machine(line: _Line, catalog: Catalog, model: str, count: int) -> Machine:
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
        source=f"{line.file}:{line.number}",
        **{name: float(value) for name, value in figures.items() if value is not None},
    )


def _price(line: _Line, offer: Offer, term: Term, as_of: date) -> Price | None:
    valid_from, valid_to = line.day("valid_from"), line.day("valid_to")
    if valid_from and valid_to and valid_to < valid_from:
        line.wrong("valid_to", f"a day not before {valid_from}")
    tax = _tax(line)
    listed = offer.price(term)
    is_valid = (valid_from is None or valid_from <= as_of) and (valid_to is None or as_of <= valid_to)
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
        observed=valid_from or as_of,
        valid_from=valid_from,
        valid_to=valid_to,
        source=f"{line.file}:{line.number}",
        note="; ".join(filter(None, [line["note"], note])),
        marks=() if is_valid else (Mark.EXPIRED,),
    )


def _kept_of(listed: Price | None) -> dict[str, Any]:
    """What holds of a term whatever its price: how hours are billed, and how often spot is taken back."""
    names = ("billing_unit_hours", "minimum_hours", "interruptions_per_hour")
    return {name: getattr(listed, name) for name in names} if listed else {}


def _discounted_upfront(line: _Line, listed: Price) -> dict[str, Any]:
    """What is due on the first day, less the same discount."""
    percent = _percent(line) or Decimal(0)
    amount = None if listed.upfront_amount is None else listed.upfront_amount * (1 - percent / 100)
    return {"upfront_amount": amount, "upfront_share": listed.upfront_share}


def _block_lengths(offer: Offer, term: Term) -> tuple[int, ...]:
    """A quote for a capacity block is for the lengths that the list sells."""
    return next((price.block_lengths_days for price in offer.prices if price.term is term), ())


def _tax(line: _Line) -> bool | None:
    if not line["tax_included"]:
        return None
    known = _YES_NO.get(line["tax_included"].lower())
    if known is None:
        line.wrong("tax_included", "yes or no, or nothing where it is not known")
    return known


_Basis = tuple[Decimal, PriceUnit, str, str]


def _stated(line: _Line, offer: Offer, term: Term) -> _Basis | None:
    amount = line.positive("price")
    if amount is None and not line["price"]:
        line.wrong("price", "a price or a discount_percent")
    unit = line.choice("price_unit", _UNITS)
    currency = line["currency"]
    if not re.fullmatch(r"[A-Z]{3}", currency):
        line.wrong("currency", "an ISO code such as CNY or USD", "A price without a currency is not a price.")
        return None
    if amount is None or unit is None or not _fits(line, term, unit):
        return None
    if unit == GPU_HOUR:
        return amount * offer.machine.gpu_count, PriceUnit.HOUR, currency, f"{amount} a GPU-hour x GPUs"
    return amount, PriceUnit(unit), currency, ""


def _fits(line: _Line, term: Term, unit: str) -> bool:
    """Whether a unit can price a term: no rent by the month has a price a day, no hourly term a price a month."""
    allowed = _units_of(term)
    if unit in allowed:
        return True
    line.wrong("price_unit", f"one of {', '.join(allowed)} for the term {term.value}")
    return False


def _units_of(term: Term) -> tuple[str, ...]:
    hourly = (PriceUnit.HOUR.value, GPU_HOUR)
    if term.is_hourly:
        return hourly
    if term.months is not None:
        years = (PriceUnit.YEAR.value,) if term.months >= MONTHS_PER_YEAR else ()
        return (*hourly, PriceUnit.MONTH.value, *years, PriceUnit.TERM.value)
    weeks = (PriceUnit.WEEK.value,) if term is Term.WEEK else ()
    return (*hourly, PriceUnit.DAY.value, *weeks, PriceUnit.TERM.value)


def _discounted(line: _Line, offer: Offer, term: Term) -> _Basis | None:
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


def _percent(line: _Line) -> Decimal | None:
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
