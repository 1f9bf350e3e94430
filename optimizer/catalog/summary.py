"""What a catalog holds, by provider: the answer of `optimize catalog list`."""

from collections import Counter
from typing import Any

from optimizer.catalog.catalog import Catalog
from optimizer.domain.offer import Offer


def summarize(catalog: Catalog) -> dict[str, Any]:
    """`{rows, providers: {name: {rows, gpus, terms, oldest, newest, undated, ...}}, rejected, quarantined}`.

    A machine is one instance type in one region. Rows are prices, plus one for each machine without any known price.
    A provider whose rows were all refused stands there with 0 rows.
    """
    by_provider: dict[str, list[Offer]] = {rejection.provider: [] for rejection in catalog.rejected}
    for offer in catalog.offers():
        by_provider.setdefault(offer.provider, []).append(offer)
    refused = Counter((rejection.provider, rejection.quarantined) for rejection in catalog.rejected)
    described = {
        name: _describe(offers) | {"rejected": refused[name, False], "quarantined": refused[name, True]}
        for name, offers in sorted(by_provider.items())
    }
    quarantined = sum(rejection.quarantined for rejection in catalog.rejected)
    return {
        **{name: sum(entry[name] for entry in described.values()) for name in ("rows", "machines", "prices")},
        "providers": described,
        "rejected": len(catalog.rejected) - quarantined,
        "quarantined": quarantined,
        "files": catalog.files,
        "sha256": catalog.checksum,
    }


def _describe(offers: list[Offer]) -> dict[str, Any]:
    prices = [price for offer in offers for price in offer.prices]
    days = sorted(price.observed for price in prices if price.observed)
    return {
        "rows": len(prices) + sum(not offer.prices for offer in offers),
        "machines": len(offers),
        "prices": len(prices),
        "gpus": sorted({offer.machine.gpu_model for offer in offers}),
        "terms": sorted({price.term.value for price in prices}),
        "plannable": sum(price.is_plannable for price in prices),
        "oldest": days[0].isoformat() if days else None,
        "newest": days[-1].isoformat() if days else None,
        "undated": sum(price.observed is None for price in prices),
    }
