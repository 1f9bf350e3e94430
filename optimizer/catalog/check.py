"""Judging a catalog: contradictions are errors, oddities are warnings, and explained ones are notes.

An exception is explained by a row of facts/explained.csv with its reason, never by code.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal, InvalidOperation
from fnmatch import fnmatchcase
from itertools import pairwise
from statistics import median

from optimizer.catalog import wire
from optimizer.catalog.catalog import Catalog
from optimizer.catalog.check_hardware import check_machines
from optimizer.catalog.check_sources import check_sources
from optimizer.catalog.facts import Row
from optimizer.catalog.filters import price_per_gpu_hour, price_per_hour
from optimizer.catalog.findings import CODES, CheckFinding, Level, finding_of
from optimizer.domain.money import Rates
from optimizer.domain.offer import Offer, Price, PriceKind, Term
from optimizer.domain.text import Text
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


def check_catalog(catalog: Catalog, on: date, *, oldest: date | None = None) -> tuple[CheckFinding, ...]:
    """All findings of a catalog, errors first; currencies are compared at the rates of the day.

    Damaged rows are reported and left out of the other checks. With `oldest` only prices of that day or later are
    compared with each other.
    """
    try:
        findings = list(_raw_rows(catalog))
        if findings:
            return tuple(findings)
        offers = catalog.offers()
        rates = catalog.rates(on, {})
        findings += check_machines(catalog, offers)
        findings += check_sources(catalog)
        findings += _prices(offers, rates, catalog.segments, oldest)
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


# --- prices ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Priced:
    offer: Offer
    price: Price
    per_gpu_hour: float


def _prices(
    offers: Iterable[Offer], rates: Rates, segments: dict[str, str], oldest: date | None
) -> Iterator[CheckFinding]:
    priced: list[_Priced] = []
    for offer in offers:
        plannable = [price for price in offer.prices if price.is_plannable and _is_young(price, oldest)]
        yield from _one_a_key(offer, plannable)
        yield from _term_order(offer, plannable, rates)
        for price in plannable:
            hourly = price_per_gpu_hour(price, offer.machine, rates, _REFERENCE_CURRENCY)
            if hourly is not None:
                priced.append(_Priced(offer, price, float(hourly)))
    yield from _families(priced, segments)
    yield from _siblings(priced)


def _is_young(price: Price, oldest: date | None) -> bool:
    return oldest is None or (price.observed is not None and price.observed >= oldest)


def _one_a_key(offer: Offer, prices: list[Price]) -> Iterator[CheckFinding]:
    seen: dict[tuple[object, ...], Price] = {}
    for price in prices:
        key = (price.term, price.kind, price.upfront_share, price.upfront_amount, price.currency)
        first = seen.setdefault(key, price)
        if first is not price:
            yield finding_of("price-key", Level.ERROR, offer, price, _two(first, price))


def _two(first: Price, other: Price) -> Text:
    return Text(f"{first.amount} and {other.amount}", f"{first.amount} 与 {other.amount}")


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
            found = Text(
                f"{hourly:.4f} an hour against {reference:.4f} on demand",
                f"每小时 {hourly:.4f}，而按量为 {reference:.4f}",
            )
            yield finding_of("term-order", Level.ERROR, offer, price, found)


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
                found = Text(
                    f"{entry.per_gpu_hour:.3f} a GPU-hour, {ratio:.2f} x the median {middle:.3f}",
                    f"每 GPU 小时 {entry.per_gpu_hour:.3f}，为中位数 {middle:.3f} 的 {ratio:.2f} 倍",
                )
                yield finding_of("price-family", Level.ERROR, entry.offer, entry.price, found)


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
                found = Text(
                    f"{larger.per_gpu_hour:.3f} a GPU-hour against {smaller.per_gpu_hour:.3f} of "
                    f"{smaller.offer.instance_type}",
                    f"每 GPU 小时 {larger.per_gpu_hour:.3f}，而 {smaller.offer.instance_type} 为 "
                    f"{smaller.per_gpu_hour:.3f}",
                )
                yield finding_of("price-siblings", Level.ERROR, larger.offer, larger.price, found)


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
