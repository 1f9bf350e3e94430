"""Gathering a large snapshot as text: offers come one by one and are let go; of equal keys the newest stays.

A row is held as one text with separators that no cell contains: a list of cells takes five times the memory.
"""

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from optimizer.catalog import wire
from optimizer.catalog.index import Files
from optimizer.catalog.layer import stream_rows
from optimizer.catalog.snapshot import providers
from optimizer.domain.offer import Machine, Offer

#: Sorts before every printable character, so that texts sort as their lists of cells do.
_SEPARATOR = "\x1f"
_MACHINE_REGION = wire.MACHINE_COLUMNS.index("region")


class SnapshotRows:
    """The rows of one provider's snapshot.

    A price is replaced by a newer observation of the same region, type, term and kind; an undated one is older than
    any. A machine is one row for all regions, unless a region's hardware differs.
    """

    def __init__(self) -> None:
        self._prices: dict[str, str] = {}
        self._machines: dict[str, Machine] = {}
        self._variants: dict[tuple[str, str], Machine] = {}
        self.older = 0

    def __len__(self) -> int:
        return len(self._prices)

    def add(self, offer: Offer) -> None:
        """Take in an offer's prices and machine."""
        for row in wire.write_prices(offer):
            self._add_row(row)
        self._add_machine(offer.machine, offer.region)

    def add_snapshot(self, directory: Path, provider: str) -> None:
        """Take in a provider's snapshot of a catalog directory, row by row; nothing if it has none.

        Raises:
            CatalogError: a file is missing or damaged.
        """
        files = Files(directory)
        if provider not in providers(files):
            return
        for row in stream_rows(files, f"offers/{provider}/machines.csv", wire.MACHINE_COLUMNS):
            machine, region = wire.read_machine(provider, row), row[_MACHINE_REGION]
            if region:
                self._variants[machine.instance_type, region] = machine
            self._machines.setdefault(machine.instance_type, machine)
        for row in stream_rows(files, f"offers/{provider}/prices.csv", wire.PRICE_COLUMNS):
            self._add_row(row)

    def _add_row(self, row: list[str]) -> None:
        key = _SEPARATOR.join((row[wire.REGION], row[wire.INSTANCE_TYPE], row[wire.TERM], row[wire.KIND]))
        known = self._prices.get(key)
        if known is None or row[wire.OBSERVED] >= known.split(_SEPARATOR)[wire.OBSERVED]:
            self._prices[key] = _SEPARATOR.join(row)
        else:
            self.older += 1

    def _add_machine(self, machine: Machine, region: str) -> None:
        name = machine.instance_type
        common = self._machines.setdefault(name, machine)
        if common == machine or _hardware(common) == _hardware(machine):
            return
        known = self._variants.get((name, region))
        if known is None or _day(machine) >= _day(known):
            self._variants[name, region] = machine

    def write(self, directory: Path) -> None:
        """Write machines.csv and prices.csv into a new folder, sorted."""
        directory.mkdir(parents=True)
        _write_csv(directory / "machines.csv", wire.MACHINE_COLUMNS, self._machine_rows())
        rows = (row.split(_SEPARATOR) for row in sorted(self._prices.values()))
        _write_csv(directory / "prices.csv", wire.PRICE_COLUMNS, rows)

    def _machine_rows(self) -> Iterator[list[str]]:
        for name in sorted(self._machines):
            yield wire.write_machine(self._machines[name])
        for name, region in sorted(self._variants):
            yield wire.write_machine(self._variants[name, region], region)


def _write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def _hardware(machine: Machine) -> Machine:
    """A machine without when and where it was seen."""
    return machine.model_copy(update={"observed": None, "source": "", "note": "", "facts": {}})


def _day(machine: Machine) -> str:
    return machine.observed.isoformat() if machine.observed else ""
