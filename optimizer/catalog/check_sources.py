"""Whether sources of one seller contradict each other: a plan sees only the newer one.

Sources are the layers of the catalog (the user's refreshes and imports, the shipped snapshot) and, inside one of them,
the rows of one type in several regions.
"""

from collections.abc import Iterator
from decimal import Decimal
from itertools import combinations

from optimizer.catalog import wire
from optimizer.catalog.catalog import Catalog
from optimizer.catalog.findings import CODES, CheckFinding, Level
from optimizer.catalog.index import Files
from optimizer.catalog.layer import stream_rows
from optimizer.catalog.snapshot import OFFERS, providers, read_machines
from optimizer.domain.offer import Machine

#: What every source of one machine has to agree on, where both know it.
_FACTS = (
    *("gpu_model", "gpu_count", "gpu_fraction", "gpu_memory_gib", "intra_link", "rdma"),
    *("network_gbit_per_s", "vcpus", "cores", "ram_gib", "local_nvme_gb", "bare_metal"),
)
#: Figures are published rounded.
_TOLERANCE = 0.01
_KEY = (wire.REGION, wire.INSTANCE_TYPE, wire.TERM, wire.KIND)
_PRICE = (wire.UNIT, wire.CURRENCY)


def check_sources(catalog: Catalog) -> Iterator[CheckFinding]:
    """A warning for each price that two layers state differently for one day, and for each fact of a machine.

    Raises:
        CatalogError: a snapshot is missing or damaged.
    """
    for upper, lower in combinations(catalog.layers, 2):
        for provider in sorted({*providers(upper)} & {*providers(lower)}):
            yield from _prices(provider, upper, lower)
            yield from _machines(provider, upper, lower)
    for files in catalog.layers:
        for provider in providers(files):
            yield from _regions(provider, read_machines(files, provider))


def _prices(provider: str, upper: Files, lower: Files) -> Iterator[CheckFinding]:
    """Prices without a mark that both layers saw on the same day, and not the same."""
    name = f"{OFFERS}/{provider}/prices.csv"
    known: dict[tuple[str, ...], list[list[str]]] = {}
    for row in filter(_is_comparable, stream_rows(lower, name, wire.PRICE_COLUMNS)):
        known.setdefault(_cells(row, _KEY), []).append(row)
    for row in filter(_is_comparable, stream_rows(upper, name, wire.PRICE_COLUMNS)):
        same_day = [other for other in known.get(_cells(row, _KEY), ()) if other[wire.OBSERVED] == row[wire.OBSERVED]]
        if same_day and not any(_agree(row, other) for other in same_day):
            place = f"{provider}/{row[wire.REGION]}/{row[wire.INSTANCE_TYPE]} {row[wire.TERM]}"
            yield _warning(place, f"{_stated(row)} against {_stated(same_day[0])} on {row[wire.OBSERVED]}")


def _is_comparable(row: list[str]) -> bool:
    return bool(row[wire.AMOUNT] and row[wire.OBSERVED] and not row[wire.MARKS])


def _agree(row: list[str], other: list[str]) -> bool:
    return _cells(row, _PRICE) == _cells(other, _PRICE) and Decimal(row[wire.AMOUNT]) == Decimal(other[wire.AMOUNT])


def _cells(row: list[str], columns: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(row[column] for column in columns)


def _stated(row: list[str]) -> str:
    return f"{row[wire.AMOUNT]} {row[wire.CURRENCY]}/{row[wire.UNIT]} ({row[wire.SOURCE]})"


def _machines(provider: str, upper: Files, lower: Files) -> Iterator[CheckFinding]:
    known = read_machines(lower, provider)
    for (instance_type, region), machine in read_machines(upper, provider).items():
        other = known.get((instance_type, region)) or known.get((instance_type, ""))
        if other is not None:
            yield from _differences(f"{provider}/{region or '*'}/{instance_type}", machine, other, _FACTS)


def _regions(provider: str, machines: dict[tuple[str, str], Machine]) -> Iterator[CheckFinding]:
    """One type has one kind and number of GPUs wherever it is sold."""
    first: dict[str, Machine] = {}
    for (instance_type, region), machine in machines.items():
        other = first.setdefault(instance_type, machine)
        yield from _differences(f"{provider}/{region or '*'}/{instance_type}", machine, other, _FACTS[:3])


def _differences(place: str, machine: Machine, other: Machine, names: tuple[str, ...]) -> Iterator[CheckFinding]:
    for name in names:
        one, two = getattr(machine, name), getattr(other, name)
        if one is not None and two is not None and not _is_close(one, two):
            yield _warning(place, f"{name} {one} ({machine.source}) against {two} ({other.source})")


def _is_close(one: object, two: object) -> bool:
    if isinstance(one, float) and isinstance(two, float):
        return abs(one - two) <= _TOLERANCE * max(abs(one), abs(two))
    return one == two


def _warning(place: str, found: str) -> CheckFinding:
    return CheckFinding("sources", Level.WARN, place, found, CODES["sources"])
