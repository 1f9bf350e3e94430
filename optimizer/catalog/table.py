"""All sales of a catalog in columns: what a search looks at, without building a single record.

A sale is one machine in one region; its rows are its prices. Sales stand in the order of the offers' keys. The text
of a row stays in its file: the table holds where it begins and ends, and records are built for what a search leaves.
"""

import csv
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from optimizer.catalog import wire
from optimizer.catalog.index import Files
from optimizer.catalog.snapshot import OFFERS, providers
from optimizer.domain.offer import Machine, PriceKind, Term
from optimizer.errors import CatalogError, Problem

TERMS: tuple[Term, ...] = tuple(Term)
KINDS: tuple[PriceKind, ...] = tuple(PriceKind)
#: Code of a row without a price.
NO_TERM = len(TERMS)
_TERM_CODES = {term.value: code for code, term in enumerate(TERMS)} | {"": NO_TERM}
_KIND_CODES = {kind.value: code for code, kind in enumerate(KINDS)} | {"": KINDS.index(PriceKind.LIST)}


class Facets(NamedTuple):
    """The facts of a machine that searches ask for, under the names that `Machine` has for them."""

    gpu_model: str
    gpu_count: int
    gpu_fraction: float | None
    gpu_memory_gib: float
    memory_type: str | None
    memory_bandwidth_gbyte_per_s: float | None
    intra_link: str | None
    rdma: str | None
    local_nvme_gb: float | None
    pcie_generation: int | None


class Seat(NamedTuple):
    """Where a provider's region lies, as far as offers say it."""

    provider: str
    region: str
    canonical_region: str | None
    country: str | None
    jurisdiction: str | None


class Span(NamedTuple):
    """Where a line stands: number of the file, first byte, byte after the last."""

    file: int
    start: int
    end: int


@dataclass(slots=True)
class SaleTable:
    """Columns of sales (`seat`, `machine`, `first`), of rows, and of machines (`machine_*`, `facet`).

    Rows of sale i are first[i] to first[i + 1]. `plannable` is 1 for a price without a mark, 0 otherwise; `observed`
    is the day's ordinal, 0 when undated. Machines with the same facets share one entry of `facets`.
    """

    files: list[tuple[int, str]] = field(default_factory=list)
    seats: list[Seat] = field(default_factory=list)
    facets: list[Facets] = field(default_factory=list)
    facet: "array[int]" = field(default_factory=lambda: array("I"))
    machine_file: "array[int]" = field(default_factory=lambda: array("H"))
    machine_start: "array[int]" = field(default_factory=lambda: array("I"))
    machine_end: "array[int]" = field(default_factory=lambda: array("I"))
    seat: "array[int]" = field(default_factory=lambda: array("I"))
    machine: "array[int]" = field(default_factory=lambda: array("I"))
    first: "array[int]" = field(default_factory=lambda: array("I", [0]))
    file: "array[int]" = field(default_factory=lambda: array("H"))
    start: "array[int]" = field(default_factory=lambda: array("I"))
    end: "array[int]" = field(default_factory=lambda: array("I"))
    term: "array[int]" = field(default_factory=lambda: array("B"))
    kind: "array[int]" = field(default_factory=lambda: array("B"))
    plannable: "array[int]" = field(default_factory=lambda: array("B"))
    observed: "array[int]" = field(default_factory=lambda: array("I"))

    @property
    def sales(self) -> int:
        """How many sales there are."""
        return len(self.seat)

    @property
    def rows(self) -> int:
        """How many rows there are: prices, and sales without any."""
        return len(self.term)

    @property
    def prices(self) -> int:
        """How many prices there are."""
        return self.rows - self.term.count(NO_TERM)


ARRAYS = (
    "facet",
    "machine_file",
    "machine_start",
    "machine_end",
    "seat",
    "machine",
    "first",
    "file",
    "start",
    "end",
    "term",
    "kind",
    "plannable",
    "observed",
)


class Line(NamedTuple):
    """One line of a file with its cells."""

    span: Span
    cells: list[str]


def numbered_files(layers: Sequence[Files]) -> list[tuple[int, str]]:
    """The snapshot files of all layers, by layer and name."""
    return [(number, name) for number, files in enumerate(layers) for name in files.names(OFFERS)]


def build_table(layers: Sequence[Files], seats: Iterable[Seat]) -> SaleTable:
    """Read all snapshots of all layers, the first layer over the later ones.

    Raises:
        CatalogError: a snapshot is missing, damaged or contradicts itself.
    """
    known = {(seat.provider, seat.region): seat for seat in seats}
    table = SaleTable(files=numbered_files(layers))
    places: dict[tuple[str, str], int] = {}
    codes: dict[Facets, int] = {}
    for provider in sorted({name for files in layers for name in providers(files)}, key="{}/".format):
        machines, prices = _provider_lines(layers, table.files, provider)
        numbers = {key: _add_machine(table, codes, provider, line) for key, line in machines.items()}
        for (region, instance_type), lines in _grouped(prices):
            number = numbers.get((instance_type, region), numbers.get((instance_type, "")))
            if number is None:
                raise CatalogError(_orphan(provider, instance_type))
            place = (provider, region)
            if place not in places:
                places[place] = len(table.seats)
                table.seats.append(known.get(place) or Seat(provider, region, None, None, None))
            _add_sale(table, places[place], number, lines)
    return table


def _orphan(provider: str, instance_type: str) -> Problem:
    expected = "a type that stands in machines.csv"
    return Problem(f"{OFFERS}/{provider}/prices.csv", "instance_type", instance_type, expected)


def _provider_lines(
    layers: Sequence[Files], files: list[tuple[int, str]], provider: str
) -> tuple[dict[tuple[str, str], Line], list[Line]]:
    """The machines by (type, region) and the price lines of one provider over all layers."""
    machines: dict[tuple[str, str], Line] = {}
    prices: dict[tuple[str, ...], list[Line]] = {}
    for number in reversed(range(len(layers))):
        name = f"{OFFERS}/{provider}/machines.csv"
        if name not in layers[number].index:
            continue
        found = _lines(layers[number], files.index((number, name)), name, wire.MACHINE_COLUMNS)
        machines.update(_not_older(found, machines))
        name = f"{OFFERS}/{provider}/prices.csv"
        found = _lines(layers[number], files.index((number, name)), name, wire.PRICE_COLUMNS)
        prices.update(_newer_groups(found, prices))
    return machines, [line for group in prices.values() for line in group]


_MACHINE_OBSERVED = wire.MACHINE_COLUMNS.index("observed")


def _not_older(lines: Iterable[Line], known: dict[tuple[str, str], Line]) -> Iterator[tuple[tuple[str, str], Line]]:
    for line in lines:
        key = (line.cells[0], line.cells[1])
        held = known.get(key)
        if held is None or line.cells[_MACHINE_OBSERVED] >= held.cells[_MACHINE_OBSERVED]:
            yield key, line


def _newer_groups(
    lines: Iterable[Line], known: dict[tuple[str, ...], list[Line]]
) -> Iterator[tuple[tuple[str, ...], list[Line]]]:
    """Lines by key, where the newest of them is not older than what is known of the key."""
    groups: dict[tuple[str, ...], list[Line]] = {}
    for line in lines:
        cells = line.cells
        key = (cells[wire.REGION], cells[wire.INSTANCE_TYPE], cells[wire.TERM], cells[wire.KIND])
        groups.setdefault(key, []).append(line)
    return ((key, group) for key, group in groups.items() if key not in known or _newest(group) >= _newest(known[key]))


def _newest(lines: list[Line]) -> str:
    return max(line.cells[wire.OBSERVED] for line in lines)


def _grouped(lines: list[Line]) -> list[tuple[tuple[str, str], list[Line]]]:
    """Price lines by (region, type) in the order of the offers' keys; lines of a sale in their own order."""
    groups: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        groups.setdefault((line.cells[wire.REGION], line.cells[wire.INSTANCE_TYPE]), []).append(line)
    ordered = sorted(groups, key="/".join)
    return [(key, sorted(groups[key], key=lambda line: line.cells)) for key in ordered]


def _lines(files: Files, number: int, name: str, columns: Sequence[str]) -> list[Line]:
    """The lines of a file with where they stand; a cell never holds a line break, so a line is a row."""
    rows = files.rows(name, columns)
    starts = _line_starts(files.read(name))
    if len(starts) != len(rows) + 2:
        found = f"{len(starts) - 1} lines for {len(rows) + 1} rows"
        raise CatalogError(Problem(str(files.directory / name), "", found, "one row a line"))
    return [
        Line(Span(number, starts[index], starts[index + 1] - 1), cells) for index, cells in enumerate(rows, start=1)
    ]


def _line_starts(content: bytes) -> "array[int]":
    """Where each line begins, and where the line after the last would."""
    starts = array("I", [0])
    position = content.find(b"\n")
    while position >= 0:
        starts.append(position + 1)
        position = content.find(b"\n", position + 1)
    return starts


def _add_machine(table: SaleTable, codes: dict[Facets, int], provider: str, line: Line) -> int:
    try:
        facets = facets_of(wire.read_machine(provider, line.cells))
    except ValueError as error:
        place = f"{OFFERS}/{provider}/machines.csv"
        raise CatalogError(Problem(place, line.cells[0], str(error), "cells of the stated kinds")) from error
    code = codes.setdefault(facets, len(codes))
    if code == len(table.facets):
        table.facets.append(facets)
    table.facet.append(code)
    table.machine_file.append(line.span.file)
    table.machine_start.append(line.span.start)
    table.machine_end.append(line.span.end)
    return len(table.facet) - 1


def facets_of(machine: Machine) -> Facets:
    """The facts of a machine that searches ask for."""
    return Facets(*(getattr(machine, name) for name in Facets._fields))


def _add_sale(table: SaleTable, seat: int, machine: int, lines: list[Line]) -> None:
    table.seat.append(seat)
    table.machine.append(machine)
    for line in lines:
        table.file.append(line.span.file)
        table.start.append(line.span.start)
        table.end.append(line.span.end)
        has_price = bool(line.cells[wire.AMOUNT])
        table.term.append(_TERM_CODES.get(line.cells[wire.TERM], NO_TERM) if has_price else NO_TERM)
        table.kind.append(_KIND_CODES.get(line.cells[wire.KIND], 0))
        table.plannable.append(has_price and not line.cells[wire.MARKS])
        table.observed.append(_ordinal(line.cells[wire.OBSERVED]))
    table.first.append(len(table.term))


def _ordinal(text: str) -> int:
    """A day as a number; 0 for none, and for a text that is no day, which the check of the catalog reports."""
    try:
        return wire.day(text).toordinal() if text else 0
    except ValueError:
        return 0


def read_cells(content: bytes, start: int, end: int) -> list[str]:
    """The cells of one line of a file."""
    return next(csv.reader([content[start:end].decode("utf-8")]))
