"""Every price that the catalog has ever seen, read together: shipped, superseded, and the user's refreshes.

A price "as of" a day is the newest observation not after it. Undated prices belong to no day: they are shown in a
history and never used as of one.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path

from optimizer.catalog import Catalog, load_catalog, shipped_directory
from optimizer.catalog.catalog import user_catalog_directory
from optimizer.catalog.changes import Listed, PriceKey, PriceTable
from optimizer.catalog.generations import current_directory, current_number, generation_directory
from optimizer.catalog.history import Observation, read_history
from optimizer.catalog.index import INDEX_NAME
from optimizer.catalog.layer import layer_offers, layer_prices
from optimizer.domain.offer import Offer, Price, PriceUnit, Term
from optimizer.domain.plan import Plan, Purchase
from optimizer.errors import InputError, Problem

SHIPPED, CURRENT, PREVIOUS = "shipped", "current", "previous"
_SUPERSEDED = "price_history"


def observations(root: Path | None = None, offer: str | None = None) -> list[Observation]:
    """All observations, or those of one offer (`provider/region/instance_type`), undated first, then by day."""
    root = user_catalog_directory() if root is None else root
    catalog = load_catalog(user_directory=current_directory(root) or root)
    found = {*_of_snapshots(catalog, offer), *_of_superseded(catalog, offer), *_of_history(root, offer)}
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


# --- versions of the catalog ----------------------------------------------------------------------------------------


def prices_of(version: str, root: Path | None = None) -> PriceTable:
    """The prices of a version of the catalog.

    Args:
        version: `shipped`, `current`, `previous`, a generation's number, a day (YYYY-MM-DD) or a catalog directory.
        root: the user's catalog folder.

    Raises:
        InputError: there is no such version.
    """
    root = user_catalog_directory() if root is None else root
    if version == SHIPPED:
        return layer_prices(shipped_directory())
    day = _day(version)
    if day is not None:
        return _prices_on(day, root)
    directory = _directory(version, root)
    if not (directory / INDEX_NAME).is_file():
        expected = "shipped, current, previous, a kept generation, a day (YYYY-MM-DD) or a catalog directory"
        hint = "`optimize catalog refresh` makes generations." if version in (CURRENT, PREVIOUS) else None
        raise InputError(Problem("catalog version", "", f"no {version!r}", expected, suggestion=hint))
    return layer_prices(directory)


def _day(version: str) -> date | None:
    try:
        return date.fromisoformat(version) if "-" in version else None
    except ValueError:
        return None


def _directory(version: str, root: Path) -> Path:
    number = current_number(root)
    numbers = {CURRENT: number, PREVIOUS: number - 1}
    if version in numbers:
        return generation_directory(root, numbers[version])
    return generation_directory(root, int(version)) if version.isdigit() else Path(version)


def _prices_on(day: date, root: Path) -> PriceTable:
    """The prices of a day, from all observations."""
    return PriceTable({key: _listed(seen) for key, seen in as_of(observations(root), day).items()})


def _listed(seen: Observation) -> Listed:
    when = seen.day.isoformat() if seen.day else ""
    return Listed(f"{seen.amount:f}", seen.unit.value, seen.currency, when, seen.source)


# --- a plan at the prices of another day ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RepricedLine:
    """One machine line at the price of another day; `None` where no dated price is on record."""

    line: Purchase
    seen: Observation | None
    cost: Decimal | None


@dataclass(frozen=True, slots=True)
class Repriced:
    """A plan's machine lines at the prices of a day; sums count only the lines with a price on record."""

    day: date
    currency: str
    lines: tuple[RepricedLine, ...]

    @property
    def known_before(self) -> Decimal:
        """What the lines with a price on record cost in the plan."""
        return sum((entry.line.cost for entry in self.lines if entry.cost is not None), Decimal(0))

    @property
    def known_after(self) -> Decimal:
        """What the same lines cost at the day's prices."""
        return sum((entry.cost for entry in self.lines if entry.cost is not None), Decimal(0))


def reprice(plan: Plan, day: date, root: Path | None = None) -> Repriced:
    """A saved plan's rents at the prices of another day, at the plan's own exchange rates.

    Each line's cost is scaled by new price over old where unit and currency agree; the fleet is not chosen again.
    """
    lines = [line for line in plan.purchases if line.kind == "machine" and line.term is not Term.OWNED]
    keys = {f"{line.provider}/{line.region}/{line.instance_type}" for line in lines}
    newest: dict[PriceKey, Observation] = {}
    for key in sorted(keys):
        newest |= as_of(observations(root, key), day)
    return Repriced(day, plan.currency, tuple(_repriced(line, newest) for line in lines))


def _repriced(line: Purchase, newest: dict[PriceKey, Observation]) -> RepricedLine:
    term = line.term
    offer = f"{line.provider}/{line.region}/{line.instance_type}"
    seen = newest.get(PriceKey(offer, term.value)) if term else None
    if seen is None or (seen.currency, seen.unit.value) != (line.price_currency, line.unit):
        return RepricedLine(line, seen, None)
    return RepricedLine(line, seen, line.cost * seen.amount / line.unit_price)
