"""Prices: exact decimals from what the source wrote, and no price at all rather than a wrong one."""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from math import log1p
from statistics import median
from typing import Any

from pydantic import ValidationError

from optimizer.domain.offer import Availability, Machine, Mark, Offer, Price, PriceKind, PriceUnit, Rejected, Term
from optimizer.domain.units import HOURS_PER_DAY, HOURS_PER_MONTH, HOURS_PER_YEAR
from providers._kit.contract import Outcome, Provider, Unreadable

#: No machine of one instance type costs more per hour in any currency that we read (yuan included).
_MOST_PER_HOUR = Decimal(100_000)
_CENTS = Decimal(100)
_PERCENT = 100
_FLOOR_SHARE = Decimal("0.1")
_ORDER = {term: number for number, term in enumerate(Term)}
_HOURS = {
    PriceUnit.HOUR: 1,
    PriceUnit.DAY: HOURS_PER_DAY,
    PriceUnit.MONTH: HOURS_PER_MONTH,
    PriceUnit.YEAR: HOURS_PER_YEAR,
}


def parse_amount(raw: Any) -> Decimal | None:
    """An amount of money; `None` when the source gives none (null or absent).

    Raises:
        Unreadable: zero, negative, NaN, infinite, empty or no number: never an offer.
    """
    if raw is None:
        return None
    try:
        amount = Decimal(str(raw).strip())
    except InvalidOperation:
        raise Unreadable(f"price: found {str(raw)[:40]!r}, expected a number") from None
    if not amount.is_finite() or amount <= 0:
        raise Unreadable(f"price: found {raw!s}, expected a positive number")
    return amount


def from_cents(raw: Any) -> Decimal | None:
    """An amount that the source gives in hundredths."""
    cents = parse_amount(raw)
    return None if cents is None else cents / _CENTS


class Draft:
    """One machine in one region while its prices are gathered; each bad price is rejected by itself.

    `source` is named in every price; prices are observed on the day that the machine was.
    """

    def __init__(self, provider: Provider, region: str, machine: Machine, source: str) -> None:
        self.provider = provider
        self.region = region
        self.machine = machine
        self.source = source
        self.availability = Availability.UNKNOWN
        self._prices: list[Price] = []
        self._rejected: list[Rejected] = []

    def add(
        self,
        term: Term,
        raw: Any,
        currency: str,
        unit: PriceUnit = PriceUnit.HOUR,
        *,
        times: Decimal | int = 1,
        read: Callable[[Any], Decimal | None] = parse_amount,
        **fields: Any,
    ) -> None:
        """Add the price that `raw` states; nothing when the source gives none.

        Args:
            term: the way to pay.
            raw: the amount as the source wrote it.
            currency: as told by the source, checked against the provider's.
            unit: what the amount buys.
            times: how many of the priced thing the machine has (its GPUs, for a price per GPU).
            read: how the source writes an amount.
            fields: further fields of `Price`.
        """
        kind = PriceKind.SPOT if term is Term.SPOT else PriceKind.LIST
        fields = {"kind": kind, "source": self.source, "marks": ()} | fields
        if term.is_hourly and self.provider.billing is not None:
            fields = {**self.provider.billing.fields(), **fields}
        if self.machine.gpu_fraction is not None:
            fields |= {"marks": (Mark.FRACTIONAL, *fields["marks"])}
        try:
            amount = read(raw)
            if amount is None:
                return
            self._check_currency(currency)
            amount *= times
            _check_size(amount, unit)
            fields |= {"term": term, "amount": amount, "unit": unit, "currency": currency}
            self._prices.append(Price(observed=self.machine.observed, **fields))
        except Unreadable as error:
            self.reject(f"{term.value}: {error.reason}")
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            self.reject(f"{term.value}: {first['loc'][0]}: found {first['input']!r}: {first['msg'].lower()}")

    def reject(self, reason: str) -> None:
        """Leave one term of this machine out, and say why."""
        row = f"{self.machine.instance_type} {self.region}"
        self._rejected.append(Rejected(provider=self.provider.name, row=row, reason=reason))

    def price(self, term: Term) -> Price | None:
        """The price gathered so far for a term."""
        return next((price for price in self._prices if price.term is term), None)

    def outcomes(self) -> Iterator[Outcome]:
        """The offer, if it has any price, and everything that was left out."""
        yield from self._rejected
        if self._prices:
            yield Offer(
                provider=self.provider.name,
                region=self.region,
                machine=self.machine,
                prices=tuple(sorted(self._prices, key=lambda price: _ORDER[price.term])),
                availability=self.availability,
            )
        elif not self._rejected:
            self.reject("no price on any term")
            yield from self._rejected

    def _check_currency(self, currency: str) -> None:
        if currency not in self.provider.currencies:
            expected = " or ".join(sorted(self.provider.currencies))
            raise Unreadable(f"currency: found {currency!r}, expected {expected}")


def _check_size(amount: Decimal, unit: PriceUnit) -> None:
    hours = _HOURS.get(unit)
    if hours is not None and amount / hours > _MOST_PER_HOUR:
        raise Unreadable(f"price: found {amount:f} a {unit.value}, expected at most {_MOST_PER_HOUR * hours}")


def interruptions_per_hour(percent_a_month: float, days: int = 30) -> float | None:
    """The rate at which one machine is interrupted, from the share of machines interrupted within a month.

    Interruptions at a constant rate leave exp(-rate x hours) of the machines: rate = -ln(1 - share) / hours. `None`
    for a share that is no share below one.
    """
    share = percent_a_month / _PERCENT
    return -log1p(-share) / (days * HOURS_PER_DAY) if 0 <= share < 1 else None


def add_lowest_zone(
    draft: Draft,
    by_zone: Mapping[str, Any],
    currency: str,
    source: str,
    rates: Mapping[str, float | None] | None = None,
) -> None:
    """Add the spot price of the cheapest zone; the note tells the others' median and highest.

    Args:
        draft: with its on-demand price already added, against which caps and floors are told.
        by_zone: zone to its current price as the source wrote it; a bad one is rejected by itself.
        currency: of all zones.
        source: the call that told them.
        rates: interruptions per hour by zone, where told.
    """
    prices: dict[str, Decimal] = {}
    for zone, raw in by_zone.items():
        try:
            amount = parse_amount(raw)
        except Unreadable as error:
            draft.reject(f"spot in {zone}: {error.reason}")
            continue
        if amount is not None:
            prices[zone] = amount
    if prices:
        zone = min(prices, key=lambda name: (prices[name], name))
        middle, most = median(prices.values()), max(prices.values())
        note = f"zone {zone}, lowest of {len(prices)}; median {middle:f}, highest {most:f}"
        draft.add(
            Term.SPOT,
            prices[zone],
            currency,
            source=source,
            note=note,
            marks=_spot_marks(draft, prices[zone]),
            interruptions_per_hour=(rates or {}).get(zone),
        )


def _spot_marks(draft: Draft, spot: Decimal) -> tuple[Mark, ...]:
    """A spot price at the on-demand price is the cap, one at exactly a tenth of it a floor without capacity."""
    on_demand = draft.price(Term.ON_DEMAND)
    if on_demand is None:
        return ()
    if spot >= on_demand.amount:
        return (Mark.CAPPED,)
    return (Mark.FLOOR,) if spot == on_demand.amount * _FLOOR_SHARE else ()
