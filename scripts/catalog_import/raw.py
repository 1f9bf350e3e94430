"""The raw folder and the hand-kept tables of the import."""

import csv
import re
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path

TABLES = Path(__file__).parent / "tables"
UNSPECIFIED = "unspecified"
#: Files of the offers folder that hold no current offers; they become history, price bands and hardware facts.
NOT_OFFERS = ("aws_gpu_pcie_measured.csv", "history.csv", "market_averages_2026-10-24.csv")


@dataclass(frozen=True, slots=True)
class RawRow:
    """One line of a raw offer file."""

    file: str
    line: int
    cells: dict[str, str]

    def __getitem__(self, name: str) -> str:
        return self.cells.get(name) or ""

    @property
    def provider(self) -> str:
        """The provider's name as used everywhere."""
        return self["provider"]

    @property
    def region(self) -> str:
        """The provider's region, or `unspecified` where the source names none."""
        return self["region"] or UNSPECIFIED

    @property
    def instance_type(self) -> str:
        """The provider's name of the machine."""
        return self["instance_type"]

    @property
    def key(self) -> tuple[str, str, str]:
        """Provider, region, instance type."""
        return (self.provider, self.region, self.instance_type)


#: Pointers from one raw file to another say nothing outside the raw folder.
_POINTER = re.compile(r",? ?\(?(?:as in|as noted in|see|in) (?:\.\./)?(?:samples|offers)(?:/[\w.]+)?\)?")


def records(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file, sources without pointers to its neighbours."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if row.get("source"):
            row["source"] = _POINTER.sub("", row["source"]).replace("offers/gcp.csv", "two price lists")
    return rows


def table(name: str) -> list[dict[str, str]]:
    """The rows of a hand-kept table of the import."""
    return records(TABLES / name)


def offer_rows(raw: Path) -> list[RawRow]:
    """All current offer rows of the raw folder, by file and line (the header is line 1)."""
    files = sorted(path for path in (raw / "offers").glob("*.csv") if path.name not in NOT_OFFERS)
    return [RawRow(path.name, line, cells) for path in files for line, cells in enumerate(records(path), start=2)]


def first_day(text: str) -> date | None:
    """A day; where a source gives a month or a year only, the first day of it: the price is at least that old."""
    if not text:
        return None
    parts = [int(part) for part in text.split("-")]
    return date(*[*parts, 1, 1][:3])


def matches(text: str, pattern: str) -> bool:
    """Whether a text matches a shell pattern, case counts."""
    return fnmatchcase(text, pattern)
