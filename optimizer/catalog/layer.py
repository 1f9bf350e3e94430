"""One catalog directory read by itself, without the fact tables that only a whole catalog has."""

from collections.abc import Iterator
from pathlib import Path

from optimizer.catalog import wire
from optimizer.catalog.catalog import Sale
from optimizer.catalog.index import Files
from optimizer.catalog.snapshot import providers, read_snapshot
from optimizer.domain.offer import Offer
from optimizer.errors import CatalogError, Problem


def layer_offers(directory: Path, provider: str | None = None) -> Iterator[Offer]:
    """The offers of a directory, of one provider or of all, sorted by key; countries stay unknown.

    Raises:
        CatalogError: a file is missing or damaged, or a price has no machine.
    """
    files = Files(directory)
    for name in providers(files):
        if provider in (None, name):
            yield from _snapshot_offers(files, name)


def _snapshot_offers(files: Files, provider: str) -> Iterator[Offer]:
    snapshot = read_snapshot(files, provider)
    grouped: dict[tuple[str, str], list[list[str]]] = {}
    for row in snapshot.prices:
        grouped.setdefault((row[wire.REGION], row[wire.INSTANCE_TYPE]), []).append(row)
    for region, instance_type in sorted(grouped, key="/".join):
        machine = snapshot.machine(instance_type, region)
        if machine is None:
            place = f"{files.directory}/offers/{provider}/prices.csv"
            raise CatalogError(Problem(place, "instance_type", instance_type, "a type that stands in machines.csv"))
        yield Sale(provider, region, None, machine, grouped[region, instance_type]).offer()
