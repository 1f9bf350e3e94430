"""Prices: exact decimals from what the source wrote, and no price at all rather than a wrong one."""

from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from optimizer.domain.offer import Availability, Machine, Offer, Price, PriceUnit, Rejected, Term
from providers._kit.contract import Outcome, Provider, Unreadable

#: No machine of one instance type costs more per hour in any currency that we read (yuan included).
_MOST_PER_HOUR = Decimal(100_000)
_CENTS = Decimal(100)


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
    """One machine in one region while its prices are gathered; each bad price is rejected by itself."""

    def __init__(self, provider: Provider, region: str, machine: Machine, zone: str | None = None) -> None:
        self.provider = provider
        self.region = region
        self.machine = machine
        self.zone = zone
        self.availability = Availability.UNKNOWN
        self._prices: list[Price] = []
        self._rejected: list[Rejected] = []

    def add(
        self,
        term: Term,
        raw: Any,
        unit: PriceUnit,
        currency: str,
        source: str,
        observed: date | None,
        *,
        times: Decimal | int = 1,
        read: Callable[[Any], Decimal | None] = parse_amount,
        **fields: Any,
    ) -> None:
        """Add the price that `raw` states.

        Args:
            times: how many of the priced thing the machine has (its GPUs, for a price per GPU).
            read: how the source writes an amount.
            fields: further fields of `Price`.
        """
        try:
            amount = read(raw)
            if amount is None:
                return
            self._check_currency(currency)
            price = Price(
                term=term,
                amount=amount * times,
                unit=unit,
                currency=currency,
                source=source,
                observed=observed,
                **fields,
            )
            _check_size(price)
            self._prices.append(price)
        except Unreadable as error:
            self.reject(f"{term.value}: {error.reason}")

    def reject(self, reason: str) -> None:
        """Leave one term of this machine out, and say why."""
        row = f"{self.machine.instance_type} {self.region}"
        self._rejected.append(Rejected(provider=self.provider.name, row=row, reason=reason))

    def price(self, term: Term) -> Price | None:
        """The price gathered so far for a term."""
        return next((price for price in self._prices if price.term is term), None)

    def replace(self, old: Price, new: Price) -> None:
        """Put a better-informed price in place of another."""
        self._prices[self._prices.index(old)] = new

    def outcomes(self) -> Iterator[Outcome]:
        """The offer, if it has any price, and everything that was left out."""
        yield from self._rejected
        if self._prices:
            yield Offer(
                provider=self.provider.name,
                region=self.region,
                zone=self.zone,
                machine=self.machine,
                prices=tuple(sorted(self._prices, key=lambda price: list(Term).index(price.term))),
                availability=self.availability,
            )
        elif not self._rejected:
            self.reject("no price on any term")
            yield from self._rejected

    def _check_currency(self, currency: str) -> None:
        if currency not in self.provider.currencies:
            expected = " or ".join(sorted(self.provider.currencies))
            raise Unreadable(f"currency: found {currency!r}, expected {expected}")


def _check_size(price: Price) -> None:
    hourly = price.amount if price.unit is PriceUnit.TERM else price.per_hour()
    if price.unit is not PriceUnit.TERM and hourly > _MOST_PER_HOUR:
        raise Unreadable(f"price: found {hourly:f} per hour, expected at most {_MOST_PER_HOUR}")


def check_not_above(draft: Draft, term: Term, than: Term, times: Decimal = Decimal(1)) -> None:
    """Reject nothing, but mark in the note when a price that should be lower is not."""
    lower, higher = draft.price(term), draft.price(than)
    if lower and higher and lower.per_hour() > higher.per_hour() * times:
        note = f"{lower.note} above the {than.value} price".strip()
        draft.replace(lower, lower.model_copy(update={"note": note}))
