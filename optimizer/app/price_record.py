"""The use cases of the price record: versions of the catalog to compare, and a plan at the prices of another day."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path

from optimizer.catalog import shipped_directory
from optimizer.catalog.asked import nearest
from optimizer.catalog.catalog import user_catalog_directory
from optimizer.catalog.changes import Changes, Listed, PriceKey, PriceTable, compare
from optimizer.catalog.generations import current_number, generation_directory
from optimizer.catalog.history import Observation
from optimizer.catalog.index import INDEX_NAME
from optimizer.catalog.layer import layer_prices
from optimizer.catalog.record import as_of, observations
from optimizer.domain.offer import Term
from optimizer.domain.plan import Plan, Purchase
from optimizer.errors import InputError, Problem

SHIPPED, CURRENT, PREVIOUS = "shipped", "current", "previous"


# --- versions of the catalog ----------------------------------------------------------------------------------------


def changes_between(before: str, after: str, provider: str | None = None, root: Path | None = None) -> Changes:
    """What changed between two versions of the catalog (see `prices_of`), for one provider or all.

    Undated prices belong to no day: where one side is a day, they are left out of both.

    Raises:
        InputError: there is no such version, or neither has a price of the provider.
    """
    old, new = prices_of(before, root), prices_of(after, root)
    if provider:
        known = old.providers | new.providers
        if provider not in known:
            near = nearest(provider, sorted(known))
            hint = f"Did you mean {' or '.join(near)}?" if near else "`optimize catalog list` names them."
            raise InputError(Problem("--provider", "", repr(provider), "a provider of these catalogs", suggestion=hint))
        old, new = old.only(provider), new.only(provider)
    if _day(before) or _day(after):
        old, new = old.dated(), new.dated()
    return compare(old, new)


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

    #: What the whole plan costs; 0 when it has no cost.
    plan_total: Decimal = Decimal(0)

    @property
    def left_out(self) -> Decimal:
        """What of the plan is not priced again: lines without a price of the day, storage, traffic, owned machines."""
        return self.plan_total - self.known_before

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
    total = plan.cost.total if plan.cost else Decimal(0)
    return Repriced(day, plan.currency, tuple(_repriced(line, newest) for line in lines), total)


def _repriced(line: Purchase, newest: dict[PriceKey, Observation]) -> RepricedLine:
    term = line.term
    offer = f"{line.provider}/{line.region}/{line.instance_type}"
    seen = newest.get(PriceKey(offer, term.value)) if term else None
    if seen is None or (seen.currency, seen.unit.value) != (line.price_currency, line.unit):
        return RepricedLine(line, seen, None)
    return RepricedLine(line, seen, line.cost * seen.amount / line.unit_price)
