"""The catalog: all offers and facts that a plan may rest on, shipped and refreshed."""

import csv
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from decimal import Decimal
from functools import cached_property
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from optimizer.catalog import facts, wire
from optimizer.catalog.facts import EgressPrice, Link, RegionFact, Row, Server, StorageProduct
from optimizer.catalog.generations import current_directory
from optimizer.catalog.index import INDEX_NAME, Files
from optimizer.catalog.names import GpuNames, folded
from optimizer.catalog.table import SaleTable, Seat, build_table, read_cells
from optimizer.catalog.table_cache import keep_table, read_table
from optimizer.domain.gpu import Gpu
from optimizer.domain.model import ModelShape
from optimizer.domain.money import Rate, Rates
from optimizer.domain.offer import Availability, Machine, Offer, Rejected
from optimizer.errors import CatalogError, Problem

#: Rows that are parsed together: few enough to keep a million of them out of memory at once.
_ROWS_AT_ONCE = 2000
_OFFER_FIELDS = set(Offer.model_fields)
_STOCK = {stock.value: stock for stock in Availability}


class Sale(NamedTuple):
    """One machine in one region before its prices are built: what a filter can judge on raw rows."""

    provider: str
    region: str
    place: RegionFact | Seat | None
    machine: Machine
    rows: list[list[str]]

    @property
    def country(self) -> str | None:
        """ISO 3166 code of the region's country."""
        return self.place.country if self.place else None

    def offer(self) -> Offer:
        """The offer with its prices."""
        place = self.place
        values = {
            "provider": self.provider,
            "region": self.region,
            "canonical_region": place.canonical_region if place else None,
            "country": place.country if place else None,
            "jurisdiction": place.jurisdiction if place else None,
            "zone": None,
            "machine": self.machine,
            "prices": tuple(wire.read_price(row) for row in self.rows if row[wire.AMOUNT]),
            "availability": _STOCK.get(self.rows[0][wire.AVAILABILITY], Availability.UNKNOWN),
        }
        return wire.assemble(Offer, values, _OFFER_FIELDS)


class Catalog:
    """Everything that `load_catalog` found; tables are read when they are first asked for.

    Layers are directories of the same layout, the first over the later ones.
    """

    def __init__(self, layers: Iterable[Files]) -> None:
        self.layers = tuple(layers)
        self._offers: tuple[Offer, ...] | None = None

    # --- offers -----------------------------------------------------------------------------------------------

    def offers(self) -> tuple[Offer, ...]:
        """All offers, sorted by key.

        Raises:
            CatalogError: a snapshot is missing or damaged.
        """
        if self._offers is None:
            self._offers = self.select(lambda sale: True)
        return self._offers

    def is_known_on(self, day: date) -> bool:
        """Whether every dated price was seen by a day."""
        return max(self.table.observed, default=0) <= day.toordinal()

    def select(self, wanted: Callable[[Sale], bool]) -> tuple[Offer, ...]:
        """The offers whose sale is wanted, sorted by key; prices of the others are never built."""
        return tuple(sale.offer() for sale in self.sales() if wanted(sale))

    def sales(self) -> Iterator[Sale]:
        """Every machine in every region with its raw price rows, in the order of the offers' keys."""
        table, first = self.table, self.table.first
        cells = self.cells(range(table.rows))
        for number in range(table.sales):
            yield self._sale(number, list(islice(cells, first[number + 1] - first[number])))

    def sales_of(self, pairs: Iterable[tuple[int, int]]) -> Iterator[Sale]:
        """Sales of the table with some of their price rows, given as (sale, row), each sale's rows in one run."""
        pairs = list(pairs)
        cells = self.cells(row for _, row in pairs)
        for number, group in groupby(pairs, key=itemgetter(0)):
            yield self._sale(number, [next(cells) for _ in group])

    def _sale(self, number: int, rows: list[list[str]]) -> Sale:
        seat = self.table.seats[self.table.seat[number]]
        return Sale(seat.provider, seat.region, seat, self.machine(self.table.machine[number]), rows)

    @property
    def providers(self) -> tuple[str, ...]:
        """All sellers that have an offer, sorted."""
        return tuple(sorted({seat.provider for seat in self.table.seats}))

    @cached_property
    def table(self) -> SaleTable:
        """All sales in columns. Where they are kept from an earlier run, no snapshot is read before a row of it is.

        Raises:
            CatalogError: a snapshot is missing or damaged.
        """
        table = read_table(self.checksum)
        if table is None:
            table = build_table(self.layers, self._seats())
            keep_table(self.checksum, table)
        return table

    def _seats(self) -> Iterator[Seat]:
        for row in self._rows("facts/regions.csv"):
            places = (row["canonical_region"] or None, row["country"] or None, row["jurisdiction"] or None)
            yield Seat(row["provider"], row["region"], *places)

    def machine(self, number: int) -> Machine:
        """One machine of the table; built when it is first asked for."""
        known = self._machines.get(number)
        if known is None:
            table, file = self.table, self.table.machine_file[number]
            cells = read_cells(self._content(file), table.machine_start[number], table.machine_end[number])
            provider = table.files[file][1].split("/")[1]
            known = self._machines[number] = wire.read_machine(provider, cells)
        return known

    @cached_property
    def _machines(self) -> dict[int, Machine]:
        return {}

    def cells(self, rows: Iterable[int]) -> Iterator[list[str]]:
        """The cells of some price rows of the table; lines are taken from their files a block at a time."""
        table, waiting = self.table, iter(rows)
        contents: dict[int, bytes] = {}
        while block := list(islice(waiting, _ROWS_AT_ONCE)):
            for file in {table.file[row] for row in block} - contents.keys():
                contents[file] = self._content(file)
            lines = [contents[table.file[row]][table.start[row] : table.end[row]] for row in block]
            yield from csv.reader(b"\n".join(lines).decode().split("\n"))

    def _content(self, file: int) -> bytes:
        layer, name = self.table.files[file]
        return self.layers[layer].read(name)

    @cached_property
    def rejected(self) -> tuple[Rejected, ...]:
        """Rows of the sources that are not offers, with the reason (`quarantined`: a fact is missing)."""
        return tuple(
            Rejected(
                provider=row["provider"],
                row=f"{row['file']}:{row['line']} {row['instance_type']} {row['region']} {row['term']}".strip(),
                reason=row["reason"],
                quarantined=row["status"] == "quarantined",
            )
            for row in self._rows("rejected.csv")
        )

    # --- hardware ---------------------------------------------------------------------------------------------

    @cached_property
    def gpus(self) -> dict[str, Gpu]:
        """Canonical id to the figures of its data sheet."""
        return {row["model"]: facts.read_gpu(row) for row in self._rows("facts/gpus.csv")}

    @cached_property
    def names(self) -> GpuNames:
        """All known spellings of GPUs."""
        return GpuNames((row["model"] for row in self._rows("facts/gpus.csv")), self._rows("facts/gpu_aliases.csv"))

    def find_gpu(self, spelling: str, provider: str | None = None, memory_gib: float | None = None) -> str | None:
        """The canonical id of a spelling; `None` when unknown or when it fits several variants."""
        return self.names.find(spelling, provider, memory_gib)

    def near_gpus(self, spelling: str) -> list[str]:
        """Canonical ids that resemble a spelling."""
        return self.names.near(spelling)

    def link_of(self, machine: Machine) -> Link | None:
        """How the machine's GPUs reach each other; `None` for one GPU or unknown."""
        if machine.intra_link is None:
            return None
        source = machine.facts.get("intra_link", machine.source)
        return Link(machine.intra_link.value, machine.intra_link_gbyte_per_s, source)

    @cached_property
    def servers(self) -> dict[str, Server]:
        """Owned server types by canonical name."""
        from optimizer.catalog.servers import read_servers

        return read_servers(self._rows("facts/servers.csv"), self._rows("facts/server_prices.csv"), self.gpus)

    def server(self, name: str) -> Server | None:
        """An owned server type by its name or an alias of it."""
        key = folded(name)
        aliases = {folded(row["alias"]): row["name"] for row in self._rows("facts/server_aliases.csv")}
        by_name = {folded(known): server for known, server in self.servers.items()}
        return by_name.get(key) or by_name.get(folded(aliases.get(key, "")))

    # --- models -----------------------------------------------------------------------------------------------

    def model(self, preset: str) -> ModelShape:
        """A model preset by name or alias, without regard to case.

        Raises:
            KeyError: no such preset; `near_models` has suggestions.
        """
        row = self._models.get(folded(preset))
        if row is None:
            raise KeyError(preset)
        return facts.read_model(row)

    def near_models(self, preset: str) -> list[str]:
        """Preset names that resemble one."""
        from difflib import get_close_matches

        close = get_close_matches(folded(preset), self._models, n=6, cutoff=0.5)
        return list(dict.fromkeys(self._models[key]["name"] for key in close))[:3]

    @cached_property
    def _models(self) -> dict[str, Row]:
        known: dict[str, Row] = {}
        for row in self._rows("facts/models.csv"):
            for name in (row["name"], *filter(None, row["aliases"].split(";"))):
                known.setdefault(folded(name), row)
        return known

    # --- places and money -------------------------------------------------------------------------------------

    def region(self, provider: str, region: str) -> RegionFact | None:
        """Where a provider's region lies; `None` when the region table does not know it."""
        key = (provider, region)
        if key not in self._regions:
            row = self._region_rows.get(key)
            self._regions[key] = facts.read_region(row) if row else None
        return self._regions[key]

    @cached_property
    def _regions(self) -> dict[tuple[str, str], RegionFact | None]:
        return {}

    @cached_property
    def _region_rows(self) -> dict[tuple[str, str], Row]:
        return {(row["provider"], row["region"]): row for row in self._rows("facts/regions.csv")}

    @cached_property
    def place_names(self) -> frozenset[str]:
        """Countries, jurisdictions and canonical regions of the region table."""
        columns = ("country", "jurisdiction", "canonical_region")
        return frozenset(row[name] for row in self._rows("facts/regions.csv") for name in columns if row[name])

    @cached_property
    def segments(self) -> dict[str, str]:
        """Provider to its kind of seller (big_cloud, gpu_cloud, marketplace, cn_cloud, cn_platform, cn_lessor)."""
        return {row["provider"]: row["segment"] for row in self._rows("facts/providers.csv")}

    def storage(self, provider: str, region: str) -> tuple[StorageProduct, ...]:
        """Storage products sold in a region; rows marked as unusable in the table are left out."""
        known = self._storage_of.get((provider, region))
        if known is None:
            places = self._places(provider, region)
            products = self._storage.get(provider, [])
            known = tuple(product for product in products if facts.covers(product.region, places))
            self._storage_of[provider, region] = known
        return known

    @cached_property
    def _storage_of(self) -> dict[tuple[str, str], tuple[StorageProduct, ...]]:
        return {}

    @cached_property
    def _storage(self) -> dict[str, list[StorageProduct]]:
        """Provider to its usable products."""
        rows = (row for row in self._rows("facts/storage.csv") if row["use"] == "yes")
        return facts.by_provider(map(facts.read_storage, rows))

    def egress(self, provider: str, region: str) -> EgressPrice | None:
        """The first paid internet tier of a region, or `None` when no figure is on record."""
        if (provider, region) not in self._egress_of:
            places = self._places(provider, region)
            prices = self._egress.get(provider, [])
            found = next((price for price in prices if facts.covers(price.region, places)), None)
            self._egress_of[provider, region] = found
        return self._egress_of[provider, region]

    @cached_property
    def _egress_of(self) -> dict[tuple[str, str], EgressPrice | None]:
        return {}

    @cached_property
    def _egress(self) -> dict[str, list[EgressPrice]]:
        """Provider to the prices of its first paid tiers."""
        rows = (row for row in self._rows("facts/transfer.csv") if row["use"] == "first_tier")
        return facts.by_provider(map(facts.read_egress, rows))

    def _places(self, provider: str, region: str) -> tuple[str, ...]:
        place = self.region(provider, region)
        if place is None:
            return (region,)
        return (region, f"canonical:{place.canonical_region}", f"country:{place.country}")

    def rates(self, on: date, overrides: dict[str, Decimal]) -> Rates:
        """One rate per currency: an override (`USDCNY`), else the last row not after the day."""
        rates: dict[str, Rate] = {}
        for row in self._rows("facts/fx.csv"):
            when = wire.day(row["date"])
            held = rates.get(row["currency"])
            if when <= on and (held is None or held.day is None or when > held.day):
                rates[row["currency"]] = Rate(row["currency"], Decimal(row["units_per_usd"]), when, row["source"])
        for pair, units in overrides.items():
            rates[pair[3:]] = Rate(pair[3:], units, None, "stated in the workload file")
        return Rates(rates)

    # --- the catalog itself -----------------------------------------------------------------------------------

    @property
    def files(self) -> int:
        """How many files the catalog consists of."""
        return sum(len(files.index) for files in self.layers)

    @cached_property
    def checksum(self) -> str:
        """SHA-256 over all checksums of all layers: equal catalogs have equal checksums."""
        lines = [f"{name} {entry['sha256']}\n" for files in self.layers for name, entry in sorted(files.index.items())]
        return hashlib.sha256("".join(lines).encode()).hexdigest()

    def records(self, name: str) -> list[Row]:
        """All rows of a fact table by its name without folder and ending, for reports (`price_history`, ...)."""
        return self._rows(f"facts/{name}.csv")

    def _rows(self, name: str) -> list[Row]:
        cached = self._tables.get(name)
        if cached is None:
            layer = next((files for files in self.layers if name in files.index), None)
            if layer is None:
                place = str(self.layers[0].directory / name)
                raise CatalogError(Problem(place, "", "no such file", f"a file listed in {INDEX_NAME}"))
            cached = self._tables[name] = layer.records(name)
        return cached

    @cached_property
    def _tables(self) -> dict[str, list[Row]]:
        return {}

    def __repr__(self) -> str:
        return f"Catalog({', '.join(str(files.directory) for files in self.layers)})"


def load_catalog(directory: Path | None = None, *, user_directory: Path | None = None) -> Catalog:
    """The shipped catalog with the user's refreshed snapshots over it, or one directory in place of both.

    `user_directory` is the current generation of `user_catalog_directory()` unless given; it is left out while nothing
    was refreshed into it.

    Raises:
        CatalogError: a directory has no readable index. Files are compared with their checksums when first read.
    """
    if directory is not None:
        return Catalog([Files(directory)])
    root = user_catalog_directory()
    refreshed = user_directory or current_directory(root) or root
    layers = [Files(refreshed)] if (refreshed / INDEX_NAME).is_file() else []
    return Catalog([*layers, Files(shipped_directory())])


def user_catalog_directory() -> Path:
    """Where refreshed snapshots live: `catalog` under OPTIMIZE_DATA_DIR or the platform's data folder."""
    given = os.environ.get("OPTIMIZE_DATA_DIR")
    if given:
        return Path(given) / "catalog"
    from platformdirs import user_data_path

    return user_data_path("optimize", appauthor=False) / "catalog"


def shipped_directory() -> Path:
    """The catalog that came with the program: inside the installed package, else beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "_catalogs"
    return installed if installed.is_dir() else package.parent / "catalogs"
