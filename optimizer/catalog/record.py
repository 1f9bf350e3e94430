"""Every price that the catalog has ever seen, read together: shipped, superseded, and the user's refreshes.

A price "as of" a day is the newest observation not after it. Undated prices belong to no day: they are shown in a
history and never used as of one.
"""

from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from pathlib import Path

from optimizer.catalog.catalog import Catalog, load_catalog, user_catalog_directory
from optimizer.catalog.changes import PriceKey
from optimizer.catalog.generations import current_directory
from optimizer.catalog.history import Observation, read_history
from optimizer.catalog.layer import layer_offers
from optimizer.domain.offer import Mark, Offer, Price, PriceUnit, Term
from optimizer.errors import InputError, Problem

_SUPERSEDED = "price_history"


def observations(root: Path | None = None, offer: str | None = None) -> list[Observation]:
    """All observations, or those of one offer (`provider/region/instance_type`), undated first, then by day."""
    root = user_catalog_directory() if root is None else root
    catalog = load_catalog(user_directory=current_directory(root) or root)
    return _sorted({*_of_snapshots(catalog, offer), *_of_superseded(catalog, offer), *_of_history(root, offer)})


def _observations_of(catalog: Catalog) -> list[Observation]:
    """All observations of a catalog: its layers, its superseded prices and, under refreshed ones, every refresh."""
    refreshes = _of_history(user_catalog_directory(), None) if len(catalog.layers) > 1 else []
    return _sorted({*_of_snapshots(catalog, None), *_of_superseded(catalog, None), *refreshes})


def _sorted(found: Iterable[Observation]) -> list[Observation]:
    return sorted(found, key=lambda seen: (seen.day or date.min, seen.offer, seen.term.value, seen.amount))


def _of_snapshots(catalog: Catalog, offer: str | None) -> Iterator[Observation]:
    for files in catalog.layers:
        for sold in layer_offers(files.directory, offer.partition("/")[0] if offer else None):
            if offer in (None, sold.key):
                yield from (_observed(sold, price) for price in sold.prices)


def _observed(offer: Offer, price: Price) -> Observation:
    return Observation(
        provider=offer.provider,
        region=offer.region,
        instance_type=offer.instance_type,
        term=price.term,
        amount=price.amount,
        unit=price.unit,
        currency=price.currency,
        day=price.observed,
        source=price.source,
        marks=tuple(mark.value for mark in price.marks),
    )


def _of_superseded(catalog: Catalog, offer: str | None) -> Iterator[Observation]:
    if not any(f"facts/{_SUPERSEDED}.csv" in files.index for files in catalog.layers):
        return
    for row in catalog.records(_SUPERSEDED):
        try:
            seen = Observation(
                provider=row["provider"],
                region=row["region"],
                instance_type=row["instance_type"],
                term=Term(row["term"]),
                amount=Decimal(row["amount"]),
                unit=PriceUnit(row["unit"]),
                currency=row["currency"],
                day=date.fromisoformat(row["observed"]) if row["observed"] else None,
                source=row["source"],
                marks=("superseded",),
            )
        except (ValueError, InvalidOperation) as error:
            problem = Problem(
                f"facts/{_SUPERSEDED}.csv", row["instance_type"], str(error), "a price as in the snapshots"
            )
            raise InputError(problem) from error
        if offer in (None, seen.offer):
            yield seen


def _of_history(root: Path, offer: str | None) -> list[Observation]:
    if offer is None:
        return read_history(root)
    provider, region, instance_type = split_key(offer)
    return read_history(root, provider=provider, region=region, instance_type=instance_type)


def split_key(offer: str) -> tuple[str, str, str]:
    """The parts of `provider/region/instance_type`.

    Raises:
        InputError: it has no three parts.
    """
    parts = offer.split("/", 2)
    if len(parts) != 3 or not all(parts):
        raise InputError(Problem("OFFER", "", repr(offer), "provider/region/instance_type", suggestion="See `offers`."))
    return parts[0], parts[1], parts[2]


def as_of(seen: Iterable[Observation], day: date) -> dict[PriceKey, Observation]:
    """The newest dated observation of each offer and term that is not after a day."""
    newest: dict[PriceKey, Observation] = {}
    for observation in seen:
        key = PriceKey(observation.offer, observation.term.value)
        known = newest.get(key)
        if observation.day is None or observation.day > day:
            continue
        if known is None or known.day is None or observation.day >= known.day:
            newest[key] = observation
    return newest


@lru_cache(maxsize=4)
def offers_as_of(catalog: Catalog, day: date) -> tuple[Offer, ...]:
    """All offers with the prices that were known on a day: what was seen later gives way to what was seen before.

    A price that nobody had seen by then is left out. Undated prices stay, and stay flagged.

    Raises:
        CatalogError: a snapshot is missing or damaged.
    """
    if catalog.is_known_on(day):
        return catalog.offers()
    newest = as_of(_observations_of(catalog), day)
    return tuple(_offer_as_of(offer, newest, day) for offer in catalog.offers())


def _offer_as_of(offer: Offer, newest: dict[PriceKey, Observation], day: date) -> Offer:
    if all(price.observed is None or price.observed <= day for price in offer.prices):
        return offer
    prices = (_price_as_of(price, newest.get(PriceKey(offer.key, price.term.value)), day) for price in offer.prices)
    return offer.model_copy(update={"prices": tuple(price for price in prices if price is not None)})


def _price_as_of(price: Price, seen: Observation | None, day: date) -> Price | None:
    if price.observed is None or price.observed <= day:
        return price
    is_usable = seen is not None and not {*seen.marks} - {Mark.SUPERSEDED.value} and price.upfront_amount is None
    if seen is None or not is_usable:
        return None
    known = {"amount": seen.amount, "unit": seen.unit, "currency": seen.currency}
    dates = {"observed": seen.day, "valid_from": None, "valid_to": None}
    return price.model_copy(update={**known, **dates, "source": seen.source, "note": ""})
