"""Prices to compare with: the offers as a book that answers "what does this machine cost on this term"."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from optimizer.domain.money import Rates
from optimizer.domain.offer import Availability, Machine, Mark, Offer, Price, PriceKind, PriceUnit, Rdma, Term
from optimizer.domain.units import nominally_at_least
from optimizer.review.machines import BilledMachine, name_key
from optimizer.review.places import MAINLAND, is_mainland, is_place


@dataclass(frozen=True, slots=True)
class Quoted:
    """One price in the bill's currency: an hour for hourly terms, a month for terms of months, else the whole term.

    `rate_note` names the exchange rate where the price was in another currency.
    """

    offer: Offer
    price: Price
    amount: Decimal
    rate_note: str = ""

    @property
    def where(self) -> str:
        """Provider, region and type."""
        return self.offer.key


class _Sold:
    """Offers by provider and type, to find the one that a line of a bill means."""

    def __init__(self, offers: Iterable[Offer]) -> None:
        self._by_type: dict[tuple[str, str], list[Offer]] = {}
        for offer in offers:
            self._by_type.setdefault((offer.provider, name_key(offer.machine.instance_type)), []).append(offer)

    def find(self, machine: BilledMachine, region: str) -> Offer | None:
        offers = self._by_type.get((machine.provider, name_key(machine.instance_type)), [])
        named = next((offer for offer in offers if _same_region(offer, region)), None)
        if named is not None:
            return named
        there = [offer for offer in offers if not region or is_place(region, offer.canonical_region)]
        if not there and is_mainland(region):
            there = [offer for offer in offers if offer.region == MAINLAND]
        return there[0] if len(there) == 1 else None


class PriceBook:
    """Offers by machine, converted to a bill's currency at dated rates.

    `planned` are the offers of a plan: they tell what a machine is and what the plan was to pay, and compete with none.
    """

    def __init__(self, offers: Iterable[Offer], rates: Rates | None = None, planned: Iterable[Offer] = ()) -> None:
        self.offers = tuple(offers)
        self.rates = rates or Rates()
        self._sold, self._planned = _Sold(self.offers), _Sold(planned)
        self._by_gpu: dict[tuple[str, Decimal], list[Offer]] = {}
        for offer in self.offers:
            machine = offer.machine
            if machine.gpu_fraction is None:
                self._by_gpu.setdefault((machine.gpu_model, Decimal(machine.gpu_count)), []).append(offer)

    def same(self, machine: BilledMachine, region: str) -> Offer | None:
        """The offer of exactly this machine in this region: by the region's code, else the only one in its city, else
        the one for all of mainland China.

        Of a bill that names no region, the only offer of the machine.
        """
        return self._sold.find(machine, region)

    def planned(self, machine: BilledMachine, region: str) -> Offer | None:
        """The plan's offer of this machine, found likewise."""
        return self._planned.find(machine, region)

    def known(self, machine: BilledMachine, region: str) -> Offer | None:
        """The offer that says what the machine is: one of today, else the plan's."""
        return self.same(machine, region) or self.planned(machine, region)

    def equal(self, machine: BilledMachine, own: Offer | None) -> list[Offer]:
        """Offers of the same GPU model and number of GPUs with a host that is no worse, not sold out.

        What is known of the billed machine must be known of the other: an unknown is no equal.
        """
        if machine.gpu_model is None or machine.gpus is None or machine.per_gpu:
            return []
        offers = self._by_gpu.get((machine.gpu_model, machine.gpus), [])
        standing = (offer for offer in offers if offer.availability is not Availability.NONE)
        return [offer for offer in standing if own is None or _is_no_worse(offer.machine, own.machine)]

    def quoted(self, offer: Offer, term: Term, currency: str, *, kind: PriceKind | None = None) -> Quoted | None:
        """The offer's price on a term in a currency; `None` when not sold so, or without a rate."""
        price = next((price for price in offer.prices if _counts(price, term, kind)), None)
        if price is None:
            return None
        amount = price.per_hour() if term.is_hourly else _per_step(price)
        if price.currency == currency:
            return Quoted(offer, price, amount)
        try:
            factor = self.rates.factor(price.currency, currency)
        except KeyError:
            return None
        return Quoted(offer, price, amount * factor, f"1 {price.currency} = {factor:.6f} {currency}")

    def cheapest(self, offers: Iterable[Offer], term: Term, currency: str) -> Quoted | None:
        """The lowest price of a term among offers; the first in the order of keys where prices are equal."""
        found = [quoted for offer in offers if (quoted := self.quoted(offer, term, currency)) is not None]
        return min(found, key=lambda quoted: (quoted.amount, quoted.offer.key), default=None)


def _is_no_worse(other: Machine, own: Machine) -> bool:
    cores = own.vcpus is None or (other.vcpus is not None and other.vcpus >= own.vcpus)
    memory = own.ram_gib is None or (other.ram_gib is not None and nominally_at_least(other.ram_gib, own.ram_gib))
    link = own.gpu_count == 1 or own.intra_link is None or other.intra_link is own.intra_link
    remote = own.rdma in (None, Rdma.NONE) or other.rdma not in (None, Rdma.NONE)
    return cores and memory and link and remote


def _counts(price: Price, term: Term, kind: PriceKind | None) -> bool:
    if price.term is not term or price.kind is PriceKind.MARKET_QUOTE:
        return False
    if kind is not None:
        return price.kind is kind and set(price.marks) <= {Mark.SUPERSEDED}
    return price.is_plannable


def _per_step(price: Price) -> Decimal:
    """One month of a term as calendar months go: prices for the whole term are spread over its months.

    A term counted in days (a day, a week) is one step.
    """
    months = price.term.months
    if months is None:
        return price.term_total() + (price.upfront_amount or 0)
    if price.unit is PriceUnit.TERM:
        return (price.amount + (price.upfront_amount or 0)) / (months or 1)
    return price.per_month() + (price.upfront_amount or Decimal(0)) / (months or 1)


def _same_region(offer: Offer, region: str) -> bool:
    wanted = region.casefold().replace(" ", "")
    return wanted != "" and wanted in (offer.region.casefold().replace(" ", ""), (offer.zone or "").casefold())
