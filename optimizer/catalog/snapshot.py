"""Writing and reading one provider's snapshot: machines once, prices by region, type and term."""

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from optimizer.catalog import wire
from optimizer.catalog.index import Files, csv_bytes, write_index
from optimizer.domain.offer import Machine, Offer

OFFERS = "offers"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One provider's rows as read: machines built, prices still text (see `wire.PRICE_COLUMNS`).

    A machine's key is (instance type, region); the region is empty where all regions share the hardware.
    """

    provider: str
    machines: dict[tuple[str, str], Machine]
    prices: list[list[str]]

    def machine(self, instance_type: str, region: str) -> Machine | None:
        """The hardware of a type in a region."""
        return self.machines.get((instance_type, region)) or self.machines.get((instance_type, ""))


def read_snapshot(files: Files, provider: str) -> Snapshot:
    """Read one provider's two files.

    Raises:
        CatalogError: a file is missing or damaged.
    """
    machines = read_machines(files, provider)
    return Snapshot(provider, machines, files.rows(f"{OFFERS}/{provider}/prices.csv", wire.PRICE_COLUMNS))


def read_machines(files: Files, provider: str) -> dict[tuple[str, str], Machine]:
    """One provider's machines by (instance type, region).

    Raises:
        CatalogError: the file is missing or damaged.
    """
    rows = files.rows(f"{OFFERS}/{provider}/machines.csv", wire.MACHINE_COLUMNS)
    return {(row[0], row[1]): wire.read_machine(provider, row) for row in rows}


def providers(files: Files) -> list[str]:
    """The providers that a catalog directory has snapshots of."""
    names = files.names(OFFERS)
    return sorted({name.split("/")[1] for name in names})


def write_snapshot(directory: Path, provider: str, offers: Iterable[Offer]) -> None:
    """Write one provider's snapshot into a catalog directory and index it anew.

    Rows are sorted by region, type and term, so that equal offers give equal bytes. Both files are written beside
    the old ones and swapped in; the index comes last.
    """
    sold = sorted((offer for offer in offers if offer.provider == provider), key=lambda offer: offer.key)
    target = directory / OFFERS / provider
    fresh = target.with_name(f".{provider}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    (fresh / "machines.csv").write_bytes(csv_bytes(wire.MACHINE_COLUMNS, _machine_rows(sold)))
    (fresh / "prices.csv").write_bytes(csv_bytes(wire.PRICE_COLUMNS, _price_rows(sold)))
    shutil.rmtree(target, ignore_errors=True)
    fresh.replace(target)
    write_index(directory)


def _machine_rows(offers: list[Offer]) -> list[list[str]]:
    """One row a type; a type whose hardware differs by region gets one row a region."""
    by_type: dict[str, list[Offer]] = {}
    for offer in offers:
        by_type.setdefault(offer.instance_type, []).append(offer)
    rows = []
    for instance_type in sorted(by_type):
        sold = by_type[instance_type]
        if all(offer.machine == sold[0].machine for offer in sold):
            rows.append(wire.write_machine(sold[0].machine))
        else:
            rows.extend(wire.write_machine(offer.machine, offer.region) for offer in sold)
    return rows


def _price_rows(offers: list[Offer]) -> list[list[str]]:
    return sorted(row for offer in offers for row in wire.write_prices(offer))
