"""What changed between two sets of offers: new, gone, dearer, cheaper, and GPU models that vanished."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from optimizer.domain.offer import Offer, Price, Term

#: Share of a provider's rows whose loss stops a refresh.
LOSS_LIMIT = 0.20

PriceKey = tuple[str, Term]


@dataclass(frozen=True, slots=True)
class Change:
    """One price that is not what it was; `None` on the side where it does not stand."""

    offer: str
    term: Term
    before: Price | None
    after: Price | None

    @property
    def ratio(self) -> Decimal | None:
        """New price over old, when both are in one currency and unit."""
        old, new = self.before, self.after
        if old is None or new is None or (old.currency, old.unit) != (new.currency, new.unit):
            return None
        return new.amount / old.amount


@dataclass(frozen=True, slots=True)
class Changes:
    """Everything that differs between two sets of offers, each list by offer and term."""

    new: tuple[Change, ...] = ()
    gone: tuple[Change, ...] = ()
    dearer: tuple[Change, ...] = ()
    cheaper: tuple[Change, ...] = ()
    restated: tuple[Change, ...] = ()
    models_lost: tuple[str, ...] = ()
    rows_before: int = 0
    same: int = field(default=0)

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
    """The prices of one version of a catalog by offer and term, and the GPU models that it sells."""

    prices: Mapping[PriceKey, Price]
    models: frozenset[str] = frozenset()

    @classmethod
    def of(cls, offers: Iterable[Offer]) -> "PriceTable":
        """The table of a set of offers; of several prices for one term the first counts."""
        prices: dict[PriceKey, Price] = {}
        models: set[str] = set()
        for offer in offers:
            models.add(offer.machine.gpu_model)
            for price in offer.prices:
                prices.setdefault((offer.key, price.term), price)
        return cls(prices, frozenset(models))

    def only(self, provider: str) -> "PriceTable":
        """The prices of one provider; models are left out."""
        return PriceTable({key: price for key, price in self.prices.items() if key[0].startswith(f"{provider}/")})


def compare_offers(before: Iterable[Offer], after: Iterable[Offer]) -> Changes:
    """What changed between two sets of offers; see `compare`."""
    return compare(PriceTable.of(before), PriceTable.of(after))


def compare(before: PriceTable, after: PriceTable) -> Changes:
    """Compare by offer key and term; a price whose unit or currency changed is restated, neither dearer nor cheaper."""
    old, new = before.prices, after.prices
    changed = [Change(key[0], key[1], old[key], new[key]) for key in sorted(old.keys() & new.keys())]
    moved = [change for change in changed if change.ratio is not None and change.ratio != 1]
    restated = [change for change in changed if change.ratio is None]
    return Changes(
        new=tuple(Change(key[0], key[1], None, new[key]) for key in sorted(new.keys() - old.keys())),
        gone=tuple(Change(key[0], key[1], old[key], None) for key in sorted(old.keys() - new.keys())),
        dearer=tuple(change for change in moved if change.ratio and change.ratio > 1),
        cheaper=tuple(change for change in moved if change.ratio and change.ratio < 1),
        restated=tuple(restated),
        models_lost=tuple(sorted(before.models - after.models)),
        rows_before=len(old),
        same=len(changed) - len(moved) - len(restated),
    )
