"""How many prices of each seller are old or undated: notes, since few public prices are young."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date

from optimizer.catalog.catalog import Catalog
from optimizer.catalog.findings import CODES, CheckFinding, Level
from optimizer.catalog.freshness import MAX_AGE_DAYS, Freshness
from optimizer.domain.text import Text


@dataclass(frozen=True, slots=True)
class Ages:
    """Prices that may be planned on, by seller: all of them, the old ones, the undated ones."""

    prices: Counter[str] = field(default_factory=Counter)
    old: Counter[str] = field(default_factory=Counter)
    undated: Counter[str] = field(default_factory=Counter)

    def findings(self) -> Iterator[CheckFinding]:
        """A note for each seller with old or undated prices."""
        for code, counts in ((Freshness.OLD, self.old), (Freshness.UNDATED, self.undated)):
            for provider, count in sorted(counts.items()):
                of = self.prices[provider]
                found = Text(f"{count} of {of} prices", f"{of} 个价格中的 {count} 个")
                yield CheckFinding(code, Level.NOTE, provider, found.en, CODES[code], found_zh=found.zh)


def check_ages(catalog: Catalog, on: date, max_age_days: int = MAX_AGE_DAYS) -> Ages:
    """Count the ages of all prices that may be planned on.

    Raises:
        CatalogError: a snapshot is missing or damaged.
    """
    table, ages = catalog.table, Ages()
    oldest = on.toordinal() - max_age_days
    for sale in range(table.sales):
        provider = table.seats[table.seat[sale]].provider
        for row in range(table.first[sale], table.first[sale + 1]):
            if table.plannable[row]:
                ages.prices[provider] += 1
                if table.observed[row] < oldest:
                    (ages.old if table.observed[row] else ages.undated)[provider] += 1
    return ages
