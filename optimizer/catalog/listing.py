"""Rows of a search as people read them: one line a price, with the price of a machine-hour and of a GPU-hour."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields
from datetime import date
from decimal import Decimal
from heapq import nsmallest
from typing import Any

from optimizer.catalog.filters import price_per_gpu_hour, price_per_hour
from optimizer.catalog.freshness import MAX_AGE_DAYS, Freshness, age_days, freshness
from optimizer.catalog.remarks import remarks
from optimizer.domain.money import Rates
from optimizer.domain.offer import Offer, Price
from optimizer.domain.term_words import TERMS
from optimizer.domain.text import Language, Text

_SHOWN_PLACES = Decimal("0.0001")


@dataclass(frozen=True, slots=True)
class OfferRow:
    """One price of one machine. `None` is unknown; `gpu_count` may be a share of one card.

    `price_per_hour` and `price_per_gpu_hour` are in the currency of the search; `amount` buys `unit` in `currency`
    as the source prints it. `age_days` and `freshness` (recent, old, undated) count to the day of the search;
    `availability` is as the provider told it (in_stock, none, unknown).
    """

    provider: str
    region: str
    country: str | None
    instance_type: str
    gpu_model: str
    gpu_count: float
    gpu_memory_gib: float
    vcpus: float | None
    ram_gib: float | None
    intra_link: str | None
    rdma: str | None
    network_gbit_per_s: float | None
    local_nvme_gb: float | None
    term: str | None
    price_per_hour: Decimal | None
    price_per_gpu_hour: Decimal | None
    amount: Decimal | None
    unit: str | None
    currency: str | None
    kind: str | None
    marks: tuple[str, ...]
    observed: str | None
    source: str
    note: str
    age_days: int | None
    freshness: str | None
    availability: str
    billing_unit_hours: float | None
    minimum_hours: float | None
    interruptions_per_hour: float | None

    @staticmethod
    def fields() -> list[str]:
        """Column names of the CSV and keys of the JSON."""
        return [field.name for field in fields(OfferRow)]

    def record(self) -> dict[str, Any]:
        """Values by name, money as plain decimal text."""
        values: dict[str, Any] = {name: getattr(self, name) for name in self.fields()}
        for name in ("price_per_hour", "price_per_gpu_hour", "amount"):
            values[name] = None if values[name] is None else f"{values[name]:f}"
        return {**values, "marks": " ".join(self.marks)}


@dataclass(frozen=True, slots=True)
class Listed:
    """The prices shown of a search, and how many there are: all of them, of how many machines, old and undated ones."""

    rows: list[OfferRow]
    prices: int
    machines: int
    old: int
    undated: int


@dataclass
class _Listing:
    """What all rows of one listing share, and the counts of those that went by."""

    rates: Rates
    currency: str
    on: date
    max_age_days: int
    machines: int = 0
    ages: Counter[str | None] = field(default_factory=Counter)

    def rows(self, offers: Iterable[Offer]) -> Iterator[OfferRow]:
        """A row for each price of each offer, or one for an offer without."""
        for offer in offers:
            self.machines += 1
            for price in offer.prices or (None,):
                row = _row(offer, price, self)
                self.ages[row.freshness] += 1
                yield row


def cheapest(
    offers: Iterable[Offer],
    rates: Rates,
    currency: str,
    on: date,
    *,
    max_age_days: int = MAX_AGE_DAYS,
    limit: int = 0,
) -> Listed:
    """The prices of the offers, cheapest GPU-hour first; machines without a price come last.

    Offers are let go as they come: a search that finds a million prices holds only those that it shows.

    Args:
        on: the day to which ages are counted.
        max_age_days: an older price is marked as old.
        limit: most rows; 0 is all.
    """
    listing = _Listing(rates, currency, on, max_age_days)
    rows = listing.rows(offers)
    shown = nsmallest(limit, rows, key=_order) if limit else sorted(rows, key=_order)
    ages = listing.ages
    return Listed(shown, ages.total(), listing.machines, ages[Freshness.OLD], ages[Freshness.UNDATED])


def _order(row: OfferRow) -> tuple[bool, Decimal, str, str, str, str]:
    cheapest = row.price_per_gpu_hour
    return (cheapest is None, cheapest or Decimal(0), row.provider, row.region, row.instance_type, row.term or "")


def _row(offer: Offer, price: Price | None, listing: _Listing) -> OfferRow:
    machine, rates, currency = offer.machine, listing.rates, listing.currency
    hourly = price_per_hour(price, rates, currency) if price else None
    gpu_hourly = price_per_gpu_hour(price, machine, rates, currency) if price else None
    return OfferRow(
        provider=offer.provider,
        region=offer.region,
        country=offer.country,
        instance_type=offer.instance_type,
        gpu_model=machine.gpu_model,
        gpu_count=machine.gpu_fraction if machine.gpu_fraction is not None else machine.gpu_count,
        gpu_memory_gib=machine.gpu_memory_gib,
        vcpus=machine.vcpus,
        ram_gib=machine.ram_gib,
        intra_link=machine.intra_link.value if machine.intra_link else None,
        rdma=machine.rdma.value if machine.rdma else None,
        network_gbit_per_s=machine.network_gbit_per_s,
        local_nvme_gb=machine.local_nvme_gb,
        term=price.term.value if price else None,
        price_per_hour=_rounded(hourly),
        price_per_gpu_hour=_rounded(gpu_hourly),
        amount=price.amount if price else None,
        unit=price.unit.value if price else None,
        currency=price.currency if price else None,
        kind=price.kind.value if price else None,
        marks=tuple(mark.value for mark in price.marks) if price else (),
        observed=price.observed.isoformat() if price and price.observed else None,
        source=price.source if price else machine.source,
        note=price.note if price else machine.note,
        age_days=age_days(price.observed, listing.on) if price else None,
        freshness=freshness(price.observed, listing.on, listing.max_age_days).value if price else None,
        availability=offer.availability.value,
        billing_unit_hours=price.billing_unit_hours if price and price.term.is_hourly else None,
        minimum_hours=price.minimum_hours if price and price.term.is_hourly else None,
        interruptions_per_hour=price.interruptions_per_hour if price else None,
    )


def _rounded(amount: Decimal | None) -> Decimal | None:
    return None if amount is None else amount.quantize(_SHOWN_PLACES)


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the table: title with its unit, the text of a row's cell, and when it goes (0 never).

    `least`: to how many cells its names may be shortened before another column goes.
    """

    title: Text
    cell: Callable[[OfferRow], str]
    is_number: bool = False
    rank: int = 0
    least: int | None = None


def columns(currency: str, lang: Language) -> tuple[Column, ...]:
    """The columns of the table; the unit stands in the title, unknown is "-"."""
    hour, gpu_hour = (
        Text(f"{currency}/\nmachine-h", f"{currency}/\n机时"),
        Text(f"{currency}/\nGPU-h", f"{currency}/\n卡时"),
    )
    return (
        Column(Text("provider", "供应商"), lambda row: row.provider),
        Column(Text("region", "地区"), lambda row: row.region, rank=1),
        Column(Text("instance type", "机型"), lambda row: row.instance_type, least=22),
        Column(Text("GPU", "GPU"), lambda row: row.gpu_model, rank=2),
        Column(Text("GPUs", "卡数"), lambda row: f"{row.gpu_count:g}", is_number=True),
        Column(Text("GiB/\nGPU", "单卡\nGiB"), lambda row: f"{row.gpu_memory_gib:g}", is_number=True, rank=4),
        Column(Text("RAM\nGiB", "内存\nGiB"), lambda row: _number(row.ram_gib), is_number=True, rank=6),
        Column(Text("link", "卡间互联"), lambda row: row.intra_link or "-", rank=7),
        Column(Text("term", "租期"), lambda row: TERMS[row.term].say(lang) if row.term else "-"),
        Column(hour, lambda row: _money(row.price_per_hour), is_number=True),
        Column(gpu_hour, lambda row: _money(row.price_per_gpu_hour), is_number=True),
        Column(Text("observed", "观察日"), lambda row: row.observed or "-", rank=3),
        Column(Text("remarks", "备注"), lambda row: _remarks(row, lang), rank=5),
    )


def _remarks(row: OfferRow, lang: Language) -> str:
    said = remarks(
        (*row.marks, row.kind, row.freshness, row.availability if row.term else None),
        row.billing_unit_hours,
        row.minimum_hours,
        row.interruptions_per_hour,
    )
    return "; ".join(text.say(lang) for text in said) or "-"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


def _money(amount: Decimal | None) -> str:
    return "-" if amount is None else f"{amount:,.4f}"
