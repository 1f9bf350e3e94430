"""What changed between two sets of prices: new, gone, dearer, cheaper, and GPU models that vanished."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from optimizer.domain.offer import Offer, Price

#: Share of a provider's rows whose loss stops a refresh.
LOSS_LIMIT = 0.20


class PriceKey(NamedTuple):
    """An offer's key and the term."""

    offer: str
    term: str


class Listed(NamedTuple):
    """A price as it stands in a snapshot: text, since a comparison of millions needs no more than a few as numbers."""

    amount: str
    unit: str
    currency: str
    observed: str
    source: str

    @classmethod
    def of(cls, price: Price) -> "Listed":
        """The same of a price record."""
        observed = price.observed.isoformat() if price.observed else ""
        return cls(f"{price.amount:f}", price.unit.value, price.currency, observed, price.source)


@dataclass(frozen=True, slots=True)
class Change:
    """One price that is not what it was; `None` on the side where it does not stand."""

    offer: str
    term: str
    before: Listed | None
    after: Listed | None

    @property
    def ratio(self) -> Decimal | None:
        """New price over old, when both are in one currency and unit."""
        old, new = self.before, self.after
        if old is None or new is None or (old.currency, old.unit) != (new.currency, new.unit):
            return None
        return Decimal(new.amount) / Decimal(old.amount)


@dataclass(frozen=True, slots=True)
class Changes:
    """Everything that differs between two sets of prices, each list by offer and term."""

    new: tuple[Change, ...] = ()
    gone: tuple[Change, ...] = ()
    dearer: tuple[Change, ...] = ()
    cheaper: tuple[Change, ...] = ()
    restated: tuple[Change, ...] = ()
    models_lost: tuple[str, ...] = ()
    rows_before: int = 0
    same: int = 0

    @property
    def share_lost(self) -> float:
        """Share of the old rows that are gone."""
        return len(self.gone) / self.rows_before if self.rows_before else 0.0

    @property
    def is_alarming(self) -> bool:
        """Whether so much is lost that the source, not the market, is suspect."""
        return self.share_lost > LOSS_LIMIT or bool(self.models_lost)

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        return not (self.new or self.gone or self.dearer or self.cheaper or self.restated)


@dataclass(frozen=True, slots=True)
class PriceTable:
    """The prices of one version of a catalog by offer and term, and the GPU models that it sells (`None`: not told)."""

    prices: Mapping[PriceKey, Listed]
    models: frozenset[str] | None = None

    @classmethod
    def of(cls, offers: Iterable[Offer]) -> "PriceTable":
        """The table of a set of offers; of several prices for one term the first counts."""
        prices: dict[PriceKey, Listed] = {}
        models: set[str] = set()
        for offer in offers:
            models.add(offer.machine.gpu_model)
            for price in offer.prices:
                prices.setdefault(PriceKey(offer.key, price.term.value), Listed.of(price))
        return cls(prices, frozenset(models))

    @property
    def providers(self) -> frozenset[str]:
        """All sellers that have a price."""
        return frozenset(key.offer.partition("/")[0] for key in self.prices)

    def dated(self) -> "PriceTable":
        """The prices that have a day: all that can be compared with the prices of a day."""
        return PriceTable({key: price for key, price in self.prices.items() if price.observed}, self.models)

    def only(self, provider: str) -> "PriceTable":
        """The prices of one provider; models are left out."""
        return PriceTable({key: price for key, price in self.prices.items() if key.offer.startswith(f"{provider}/")})


def compare_offers(before: Iterable[Offer], after: Iterable[Offer]) -> Changes:
    """What changed between two sets of offers; see `compare`."""
    return compare(PriceTable.of(before), PriceTable.of(after))


def compare(before: PriceTable, after: PriceTable) -> Changes:
    """Compare by offer key and term; a price whose unit or currency changed is restated, neither dearer nor cheaper."""
    old, new = before.prices, after.prices
    shared = old.keys() & new.keys()
    changed = [Change(*key, old[key], new[key]) for key in sorted(shared) if _differ(old[key], new[key])]
    ratios = [(change, change.ratio) for change in changed]
    moved = [(change, ratio) for change, ratio in ratios if ratio is not None and ratio != 1]
    restated = tuple(change for change, ratio in ratios if ratio is None)
    return Changes(
        new=tuple(Change(*key, None, new[key]) for key in sorted(new.keys() - old.keys())),
        gone=tuple(Change(*key, old[key], None) for key in sorted(old.keys() - new.keys())),
        dearer=tuple(change for change, ratio in moved if ratio > 1),
        cheaper=tuple(change for change, ratio in moved if ratio < 1),
        restated=restated,
        models_lost=_lost(before.models, after.models),
        rows_before=len(old),
        same=len(shared) - len(moved) - len(restated),
    )


def _lost(before: frozenset[str] | None, after: frozenset[str] | None) -> tuple[str, ...]:
    """Models that vanished, where both sides tell theirs."""
    return () if before is None or after is None else tuple(sorted(before - after))


def _differ(old: Listed, new: Listed) -> bool:
    return (old.amount, old.unit, old.currency) != (new.amount, new.unit, new.currency)
