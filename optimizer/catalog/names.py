"""GPU spellings: exact aliases only. A name that fits several variants is never settled in silence."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

from optimizer.catalog.facts import Row
from optimizer.domain.units import NOMINAL_MEMORY_TOLERANCE

_BLANKS = re.compile(r"[\s_-]+")
#: How far a memory hint may lie from an alias' memory: what a driver reports of a GDDR card with ECC is 7 % less.
_HINT_TOLERANCE = 2 * NOMINAL_MEMORY_TOLERANCE


def folded(spelling: str) -> str:
    """A spelling without case, blanks, dashes and underscores, so that `A100 SXM4 80GB` equals its canonical id."""
    return _BLANKS.sub("", spelling).casefold()


class GpuNames:
    """Canonical ids and aliases (facts/gpu_aliases.csv; an alias without a model is deliberately unmapped)."""

    def __init__(self, models: Iterable[str], aliases: Iterable[Row]) -> None:
        self._models = {folded(model): model for model in models}
        self._aliases: dict[str, list[Row]] = {}
        for row in aliases:
            self._aliases.setdefault(folded(row["alias"]), []).append(row)

    def find(self, spelling: str, provider: str | None = None, memory_gib: float | None = None) -> str | None:
        """The canonical id of a spelling, or `None` when it is unknown or fits more than one variant.

        A provider's own alias goes before aliases of others; `memory_gib` chooses among variants.
        """
        key = folded(spelling)
        if key in self._models:
            return self._models[key]
        rows = self._aliases.get(key, [])
        own = [row for row in rows if row["provider"] == provider]
        general = [row for row in rows if row["provider"] == ""]
        chosen = own or general or rows
        if memory_gib is not None:
            chosen = [row for row in chosen if _fits(row["memory_gib"], memory_gib)]
        models = {row["model"] for row in chosen}
        return (models.pop() or None) if len(models) == 1 else None

    def near(self, spelling: str, count: int = 3) -> list[str]:
        """Canonical ids that resemble a spelling or a pattern, best first."""
        key = folded(spelling).strip("*?")
        holding = sorted(model for text, model in self._models.items() if key and key in text)
        close = [self._models[text] for text in get_close_matches(key, self._models, n=count, cutoff=0.5)]
        through = [
            row["model"]
            for text in get_close_matches(key, self._aliases, n=count, cutoff=0.7)
            for row in self._aliases[text]
            if row["model"]
        ]
        found = list(dict.fromkeys([*holding, *close, *through]))[: max(count, len(holding))]
        return found or self._of_near_family(key)

    def _of_near_family(self, key: str) -> list[str]:
        """Canonical ids whose first part resembles a spelling: H20-96GB for H2O."""
        families: dict[str, list[str]] = {}
        for model in self._models.values():
            families.setdefault(folded(model.partition("-")[0]), []).append(model)
        near = get_close_matches(key, families, n=1, cutoff=0.6)
        return sorted(families[near[0]]) if near else []

    def unmapped(self) -> dict[tuple[str, str], str]:
        """Spellings that stay unmapped on purpose: (provider, spelling) to the reason."""
        rows = (row for group in self._aliases.values() for row in group if not row["model"])
        return {(row["provider"], row["alias"]): row["reason"] for row in rows}


def _fits(hint: str, memory_gib: float) -> bool:
    return not hint or abs(float(hint) - memory_gib) <= _HINT_TOLERANCE * float(hint)
