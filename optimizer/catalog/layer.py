"""One catalog directory read by itself, without the fact tables that only a whole catalog has."""

import csv
import hashlib
from collections.abc import Iterator
from pathlib import Path
from sys import intern

from optimizer.catalog import wire
from optimizer.catalog.catalog import Sale
from optimizer.catalog.changes import Listed, PriceKey, PriceTable
from optimizer.catalog.index import Files
from optimizer.catalog.snapshot import providers, read_snapshot
from optimizer.domain.offer import Offer
from optimizer.errors import CatalogError, Problem

_CHUNK_BYTES = 2**20


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


def layer_prices(directory: Path) -> PriceTable:
    """The prices of a directory, read row by row: for comparing versions with millions of rows.

    Raises:
        CatalogError: a file is missing or damaged.
    """
    files = Files(directory)
    prices: dict[PriceKey, Listed] = {}
    models: set[str] = set()
    model = wire.MACHINE_COLUMNS.index("gpu_model")
    for provider in providers(files):
        models.update(row[model] for row in stream_rows(files, f"offers/{provider}/machines.csv", wire.MACHINE_COLUMNS))
        for row in stream_rows(files, f"offers/{provider}/prices.csv", wire.PRICE_COLUMNS):
            if row[wire.AMOUNT]:
                offer = intern(f"{provider}/{row[wire.REGION]}/{row[wire.INSTANCE_TYPE]}")
                texts = (row[column] for column in (wire.UNIT, wire.CURRENCY, wire.OBSERVED, wire.SOURCE))
                listed = Listed(row[wire.AMOUNT], *(intern(text) for text in texts))
                prices.setdefault(PriceKey(offer, intern(row[wire.TERM])), listed)
    return PriceTable(prices, frozenset(models))


def stream_rows(files: Files, name: str, columns: tuple[str, ...]) -> Iterator[list[str]]:
    """The rows of an indexed file as they stream, after its checksum was compared.

    Raises:
        CatalogError: the file is missing or damaged.
    """
    path = files.directory / name
    expected = files.index[name]["sha256"]
    try:
        found = _checksum(path)
        if found != expected:
            raise CatalogError(Problem(str(path), "sha256", found, expected))
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.reader(file)
            header = next(reader, [])
            if tuple(header) != columns:
                raise CatalogError(Problem(str(path), "header", ",".join(header), ",".join(columns), line=1))
            yield from reader
    except OSError as error:
        raise CatalogError(Problem(str(path), "", error.strerror or "no file", "a file of the catalog")) from error


def _checksum(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()
