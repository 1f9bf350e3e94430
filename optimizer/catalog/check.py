"""Judging a catalog: contradictions are errors, oddities are warnings, and explained ones are notes.

An exception is explained by a row of facts/explained.csv with its reason, never by code.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from fnmatch import fnmatchcase
from itertools import pairwise
from statistics import median

from optimizer.catalog import wire
from optimizer.catalog.catalog import Catalog
from optimizer.catalog.facts import Row
from optimizer.catalog.filters import price_per_gpu_hour, price_per_hour
from optimizer.domain.money import Rates
from optimizer.domain.offer import Machine, Mark, Offer, Price, PriceKind, Term
from optimizer.domain.text import Text
from optimizer.domain.units import NOMINAL_MEMORY_TOLERANCE
from optimizer.errors import CatalogError

#: A price per GPU-hour outside this share of its family's median is suspect.
FAMILY_BAND = (1 / 3, 3.0)
#: Siblings (same machine with 1, 2, 4, 8 GPUs) cost the same per GPU within this fraction.
SIBLING_TOLERANCE = 0.10
#: Least number of prices that make a median worth comparing with.
FAMILY_MINIMUM = 3
_REFERENCE_CURRENCY = "USD"
#: Prices are published rounded; a thousandth more is no contradiction.
_ROUNDING = Decimal("1.001")
_NUMBERS = re.compile(r"\d+")


class Level(StrEnum):
    """How bad a finding is; errors make `catalog check` exit with 6."""

    ERROR = "error"
    WARN = "warn"
    EXPLAINED = "explained"


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """One thing that is wrong or odd in one row."""

    code: str
    level: Level
    row: str
    found: str
    expected: Text
    reason: str = ""
    place: tuple[str, str, str, str] = ("", "", "", "")


CODES: dict[str, Text] = {
    "file": Text("every file of the index can be read", "索引中的每个文件都能读取"),
    "row": Text("term, unit, currency and a price above zero", "租期、单位、货币齐全，价格大于零"),
    "price-key": Text("one plannable price a key", "每个键只有一个可用价格"),
    "price-family": Text("between a third and three times the family's median", "在同系列中位数的三分之一到三倍之间"),
    "price-siblings": Text(
        "within 10 % per GPU of the same machine's other sizes", "与同机型其他规格的单卡价相差不超过 10 %"
    ),
    "term-order": Text("no more than the hours that the term covers", "不高于该租期所含小时数的价格"),
    "memory": Text("the GPU's nominal memory, usable no more than it", "等于该 GPU 标称显存，可用显存不超过标称值"),
    "gpu": Text("a model of the GPU table", "GPU 表中的型号"),
    "fraction": Text("prices of a share of a GPU marked as such", "GPU 切片的价格须有标记"),
    "alias": Text("an alias of a model that the GPU table has, or a reason", "别名指向 GPU 表中的型号，或给出理由"),
    "region": Text("a region of the region table", "地区表中的地区"),
    "capability": Text("the compute capability of the GPU table", "GPU 表中的计算能力"),
    "explained": Text("an explanation that still explains a row", "仍然对应某一行的解释"),
}


def check_catalog(catalog: Catalog, on: date) -> tuple[CheckFinding, ...]:
    """All findings of a catalog, errors first; currencies are compared at the rates of the day.

    Damaged rows are reported and left out of the other checks.
    """
    try:
        findings = list(_raw_rows(catalog))
        if findings:
            return tuple(findings)
        offers = catalog.offers()
        rates = catalog.rates(on, {})
        findings += _machines(catalog, offers)
        findings += _prices(offers, rates, catalog.segments)
        findings += _aliases(catalog)
        explained = _explain(findings, catalog.records("explained"))
    except CatalogError as error:
        problems = (str(problem) for problem in error.problems)
        return tuple(CheckFinding("file", Level.ERROR, "", problem, CODES["file"]) for problem in problems)
    order = list(Level)
    return tuple(sorted(explained, key=lambda finding: (order.index(finding.level), finding.code, finding.row)))


# --- rows as they stand ---------------------------------------------------------------------------------------


def _raw_rows(catalog: Catalog) -> Iterator[CheckFinding]:
    """Rows whose term, unit, currency, amount or date cannot be right: 0 and NaN are never prices."""
    for sale in catalog.sales():
        for row in sale.rows:
            problem = _row_problem(row)
            if problem:
                key = f"{sale.provider}/{sale.region}/{row[wire.INSTANCE_TYPE]} {row[wire.TERM]}"
                yield CheckFinding("row", Level.ERROR, key, problem, CODES["row"])


def _row_problem(row: list[str]) -> str:
    if not row[wire.AMOUNT] and not row[wire.TERM]:
        return ""
    try:
        amount = Decimal(row[wire.AMOUNT])
    except InvalidOperation:
        return f"amount {row[wire.AMOUNT]!r}"
    if not amount.is_finite() or amount <= 0:
        return f"amount {row[wire.AMOUNT]}"
    try:
        Price.model_validate(wire.read_price(row).__dict__)
    except (KeyError, ValueError) as error:
        return str(error).replace("\n", " ")
    return ""


# --- hardware -------------------------------------------------------------------------------------------------


def _machines(catalog: Catalog, offers: Iterable[Offer]) -> Iterator[CheckFinding]:
    seen: set[tuple[str, str, int]] = set()
    for offer in offers:
        if catalog.region(offer.provider, offer.region) is None:
            yield _finding("region", Level.ERROR, offer, None, offer.region)
        yield from _fractions(offer)
        identity = (offer.provider, offer.instance_type, id(offer.machine))
        if identity not in seen:
            seen.add(identity)
            yield from _machine(catalog, offer)


def _machine(catalog: Catalog, offer: Offer) -> Iterator[CheckFinding]:
    machine = offer.machine
    gpu = catalog.gpus.get(machine.gpu_model)
    if gpu is None:
        yield _finding("gpu", Level.ERROR, offer, None, machine.gpu_model)
        return
    if machine.compute_capability != gpu.compute_capability:
        found = f"{machine.compute_capability} against {gpu.compute_capability}"
        yield _finding("capability", Level.ERROR, offer, None, found)
    problem = _memory_problem(machine, gpu.memory_gib)
    if problem:
        yield _finding("memory", Level.ERROR, offer, None, problem)


def _memory_problem(machine: Machine, nominal_gib: float) -> str:
    if machine.gpu_memory_usable_gib > machine.gpu_memory_gib * (1 + NOMINAL_MEMORY_TOLERANCE):
        return f"usable {machine.gpu_memory_usable_gib:g} above nominal {machine.gpu_memory_gib:g} GiB"
    largest = nominal_gib * (1 + NOMINAL_MEMORY_TOLERANCE)
    smallest = 0.0 if machine.gpu_fraction is not None else nominal_gib * (1 - NOMINAL_MEMORY_TOLERANCE)
    if smallest <= machine.gpu_memory_gib <= largest:
        return ""
    return f"{machine.gpu_memory_gib:g} GiB for a GPU of {nominal_gib:g} GiB"


def _fractions(offer: Offer) -> Iterator[CheckFinding]:
    if offer.machine.gpu_fraction is None:
        return
    for price in offer.prices:
        if Mark.FRACTIONAL not in price.marks:
            yield _finding(
                "fraction", Level.ERROR, offer, price, f"a share of {offer.machine.gpu_fraction:g}, unmarked"
            )


# --- prices ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Priced:
    offer: Offer
    price: Price
    per_gpu_hour: float


def _prices(offers: Iterable[Offer], rates: Rates, segments: dict[str, str]) -> Iterator[CheckFinding]:
    priced: list[_Priced] = []
    for offer in offers:
        plannable = [price for price in offer.prices if price.is_plannable]
        yield from _one_a_key(offer, plannable)
        yield from _term_order(offer, plannable, rates)
        for price in plannable:
            hourly = price_per_gpu_hour(price, offer.machine, rates, _REFERENCE_CURRENCY)
            if hourly is not None:
                priced.append(_Priced(offer, price, float(hourly)))
    yield from _families(priced, segments)
    yield from _siblings(priced)


def _one_a_key(offer: Offer, prices: list[Price]) -> Iterator[CheckFinding]:
    seen: dict[tuple[object, ...], Price] = {}
    for price in prices:
        key = (price.term, price.kind, price.upfront_share, price.upfront_amount, price.currency)
        first = seen.setdefault(key, price)
        if first is not price:
            yield _finding("price-key", Level.ERROR, offer, price, f"{first.amount} and {price.amount}")


def _term_order(offer: Offer, prices: list[Price], rates: Rates) -> Iterator[CheckFinding]:
    """A longer term never costs more than the same hours on demand."""
    on_demand = offer.price(Term.ON_DEMAND)
    reference = price_per_hour(on_demand, rates, _REFERENCE_CURRENCY) if on_demand else None
    if reference is None or on_demand is None:
        return
    for price in prices:
        hourly = price_per_hour(price, rates, _REFERENCE_CURRENCY)
        is_comparable = price.kind in (on_demand.kind, PriceKind.SPOT)
        if is_comparable and hourly is not None and hourly > reference * _ROUNDING:
            found = f"{hourly:.4f} an hour against {reference:.4f} on demand"
            yield _finding("term-order", Level.ERROR, offer, price, found)


def _families(priced: list[_Priced], segments: dict[str, str]) -> Iterator[CheckFinding]:
    """Prices far from the median of the same GPU and term among sellers of the same kind."""
    groups: dict[tuple[str, Term, str], list[_Priced]] = {}
    for entry in priced:
        segment = segments.get(entry.offer.provider, "")
        groups.setdefault((entry.offer.machine.gpu_model, entry.price.term, segment), []).append(entry)
    low, high = FAMILY_BAND
    for group in groups.values():
        if len(group) < FAMILY_MINIMUM:
            continue
        middle = median(entry.per_gpu_hour for entry in group)
        for entry in group:
            ratio = entry.per_gpu_hour / middle
            if not low <= ratio <= high:
                found = f"{entry.per_gpu_hour:.3f} a GPU-hour, {ratio:.2f} x the median {middle:.3f}"
                yield _finding("price-family", Level.ERROR, entry.offer, entry.price, found)


def _siblings(priced: list[_Priced]) -> Iterator[CheckFinding]:
    groups: dict[tuple[object, ...], list[_Priced]] = {}
    for entry in priced:
        groups.setdefault(_sibling_key(entry), []).append(entry)
    for group in groups.values():
        ordered = sorted(group, key=lambda entry: entry.offer.machine.gpu_count)
        for smaller, larger in pairwise(ordered):
            is_other_size = smaller.offer.machine.gpu_count != larger.offer.machine.gpu_count
            ratio = larger.per_gpu_hour / smaller.per_gpu_hour
            if is_other_size and abs(ratio - 1) > SIBLING_TOLERANCE:
                found = (
                    f"{larger.per_gpu_hour:.3f} a GPU-hour against {smaller.per_gpu_hour:.3f} of "
                    f"{smaller.offer.instance_type}"
                )
                yield _finding("price-siblings", Level.ERROR, larger.offer, larger.price, found)


def _sibling_key(entry: _Priced) -> tuple[object, ...]:
    """The same seller, place, term, date, series and GPU with the same share of vCPUs and memory a GPU."""
    offer, machine = entry.offer, entry.offer.machine
    share = tuple(
        round(value / machine.gpu_count) if value is not None else None for value in (machine.vcpus, machine.ram_gib)
    )
    price = entry.price
    series = _NUMBERS.sub("#", offer.instance_type)
    return (offer.provider, offer.region, series, machine.gpu_model, price.term, price.kind, price.observed, share)


# --- aliases and explanations ---------------------------------------------------------------------------------


def _aliases(catalog: Catalog) -> Iterator[CheckFinding]:
    for row in catalog.records("gpu_aliases"):
        if row["model"] and row["model"] not in catalog.gpus:
            yield CheckFinding("alias", Level.ERROR, row["alias"], row["model"], CODES["alias"])
        if not row["model"] and not row["reason"]:
            yield CheckFinding("alias", Level.ERROR, row["alias"], "neither a model nor a reason", CODES["alias"])


def _explain(findings: list[CheckFinding], rows: list[Row]) -> Iterator[CheckFinding]:
    used: set[int] = set()
    for finding in findings:
        number = next((index for index, row in enumerate(rows) if _explains(row, finding)), None)
        if number is None:
            yield finding
        else:
            used.add(number)
            yield replace(finding, level=Level.EXPLAINED, reason=rows[number]["reason"])
    for index, row in enumerate(rows):
        if index not in used:
            key = f"{row['provider']}/{row['region']}/{row['instance_type']} {row['term']}"
            yield CheckFinding("explained", Level.WARN, key, row["reason"], CODES["explained"])


def _explains(row: Row, finding: CheckFinding) -> bool:
    if row["code"] != finding.code:
        return False
    names: tuple[Callable[[Row], str], ...] = (
        lambda r: r["provider"],
        lambda r: r["region"],
        lambda r: r["instance_type"],
        lambda r: r["term"],
    )
    return all(fnmatchcase(text, name(row)) for name, text in zip(names, finding.place, strict=True))


def _finding(code: str, level: Level, offer: Offer, price: Price | None, found: str) -> CheckFinding:
    term = price.term.value if price else ""
    place = (offer.provider, offer.region, offer.instance_type, term)
    return CheckFinding(code, level, f"{offer.key} {term}".strip(), found, CODES[code], place=place)
