"""What storage and traffic cost at a place: the user's quote where there is one, else the catalog's rows."""

from collections.abc import Iterable
from typing import Protocol

from optimizer.catalog.facts import EgressPrice, StorageProduct
from optimizer.domain.service import QUOTED_PRODUCTS, ServiceKind, ServiceQuote

#: The tier that a quote stands for; a quote takes the place of every product on its side of hot and cold.
_TIERS: dict[ServiceKind, str] = {"storage": "hot-ssd", "cold-storage": "cold-object"}


class ServicePrices(Protocol):
    """Prices of storage and traffic by place; a catalog is one."""

    def storage(self, provider: str, region: str) -> tuple[StorageProduct, ...]:
        """Storage products sold in a region."""

    def egress(self, provider: str, region: str) -> EgressPrice | None:
        """The price of traffic to the internet, `None` where it is unknown."""


class QuotedPrices:
    """The catalog's prices with the user's quotes in their place."""

    def __init__(self, listed: ServicePrices, quotes: Iterable[ServiceQuote]) -> None:
        self.listed = listed
        self.quotes = sorted(quotes, key=lambda quote: quote.exactness, reverse=True)
        self._known: dict[tuple[str, str], tuple[StorageProduct, ...]] = {}

    def storage(self, provider: str, region: str) -> tuple[StorageProduct, ...]:
        """Storage products sold in a region."""
        known = self._known.get((provider, region))
        if known is None:
            known = self._known[provider, region] = self._storage(provider, region)
        return known

    def _storage(self, provider: str, region: str) -> tuple[StorageProduct, ...]:
        rows = self.listed.storage(provider, region)
        for kind, tier in _TIERS.items():
            quote = self._quote(kind, provider, region)
            if quote is not None:
                others = (row for row in rows if _is_cold(row.tier) is not _is_cold(tier))
                rows = (*others, _product(quote, tier, region))
        return rows

    def egress(self, provider: str, region: str) -> EgressPrice | None:
        """The price of traffic to the internet, `None` where it is unknown."""
        quote = self._quote("egress", provider, region)
        if quote is None:
            return self.listed.egress(provider, region)
        return EgressPrice(
            provider=provider,
            region=region,
            price_per_gb=quote.amount,
            per_gib=quote.per_gib,
            currency=quote.currency,
            observed=quote.observed.isoformat(),
            source=quote.source,
            note=quote.note,
            quote=quote,
        )

    def _quote(self, kind: ServiceKind, provider: str, region: str) -> ServiceQuote | None:
        """The most exact quote for a place."""
        return next((quote for quote in self.quotes if quote.means(kind, provider, region)), None)


def _is_cold(tier: str) -> bool:
    return tier.startswith("cold")


def _product(quote: ServiceQuote, tier: str, region: str) -> StorageProduct:
    """A product of which only the price is known: its rate and IOPS are questions for the seller."""
    return StorageProduct(
        provider=quote.provider,
        region=region,
        product=QUOTED_PRODUCTS[quote.kind],
        tier=tier,
        price_per_gb_month=quote.amount,
        per_gib=quote.per_gib,
        throughput_gbyte_per_s=None,
        throughput_per_tib=False,
        iops=None,
        min_size_gb=0.0,
        currency=quote.currency,
        observed=quote.observed.isoformat(),
        source=quote.source,
        note=quote.note,
        quote=quote,
    )
