"""How long loading and searching the catalog takes, beside gpuhunt on the same rows where it is installed.

python scripts/benchmark_catalog.py [--rows 4726] [--runs 25] [--json]

Prints milliseconds of processor time: the best of several runs in this process, the columns of the catalog kept from
a first run. "Load, filter and build" starts from the files and ends with records of every price that is left, as
gpuhunt's load and query does; "filter alone" starts from loaded columns (gpuhunt: from loaded items) and ends with
row numbers. The synthetic catalog repeats the shipped offers under other region names until it has enough rows.
"""

import argparse
import csv
import io
import json
import os
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from optimizer.catalog import load_catalog, shipped_directory  # noqa: E402
from optimizer.catalog.filters import OfferFilter, find_rows, search  # noqa: E402
from optimizer.catalog.gpu_spec import parse_gpu_specs  # noqa: E402
from optimizer.catalog.index import write_index  # noqa: E402
from optimizer.domain.offer import Offer, Term  # noqa: E402

#: Above this only what a search leaves is built: a million records at once are no use case.
MOST_ROWS_BUILT = 100_000
WANTED = OfferFilter(gpus=parse_gpu_specs("H100:8"), plannable_only=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rows", type=int, default=0, help="rows of the catalog (default: the shipped one)")
    parser.add_argument("--runs", type=int, default=25, help="runs of each step")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["OPTIMIZE_CACHE_DIR"] = f"{folder}/cache"
        directory = shipped_directory()
        if options.rows:
            directory = enlarged(Path(folder) / "catalog", options.rows)
        figures = measured(directory, options.runs)
    if options.json:
        print(json.dumps(figures, indent=2))
    else:
        for name, value in figures.items():
            print(f"{name:34} {value:12,.1f}")


def enlarged(directory: Path, rows: int) -> Path:
    """A catalog directory with at least so many rows: the shipped one under more region names."""
    shipped = shipped_directory()
    for path in shipped.rglob("*.csv"):
        target = directory / path.relative_to(shipped)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    total = sum(path.read_bytes().count(b"\n") - 1 for path in directory.glob("offers/*/prices.csv"))
    copies = -(-rows // total)
    for path in directory.glob("offers/*/*.csv"):
        repeat(path, copies)
    write_index(directory)
    return directory


def repeat(path: Path, copies: int) -> None:
    """Repeat the rows of a file that belong to a region under more region names."""
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    column = header.index("region")
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
        for copy in range(1, copies):
            for row in rows:
                if row[column]:
                    writer.writerow([*row[:column], f"copy{copy}-{row[column]}", *row[column + 1 :]])


def measured(directory: Path, runs: int) -> dict[str, float]:
    """Milliseconds of processor time by step, and the ratio to gpuhunt."""
    started = time.process_time()
    search(load_catalog(directory), WANTED)
    figures = {"first load, filter and build, ms": (time.process_time() - started) * 1000}
    catalog = load_catalog(directory)
    figures = {"rows": float(catalog.table.rows), **figures}
    works: dict[str, Callable[[], object]] = {
        "load, filter and build, ms": lambda: search(load_catalog(directory), WANTED),
        "filter alone, ms": lambda: find_rows(catalog, WANTED),
        "filter and build offers, ms": lambda: search(catalog, WANTED),
    }
    if catalog.table.rows <= MOST_ROWS_BUILT:
        works["load of all offers, ms"] = lambda: load_catalog(directory).offers()
    pairs = (("load, filter and build", "load and filter"), ("filter alone", "filter alone"))
    try:
        works |= gpuhunt_works(sale.offer() for sale in catalog.sales())
    except ImportError:
        print("gpuhunt is not installed: no comparison", file=sys.stderr)
        pairs = ()
    figures |= best_in_turns(works, runs)
    for own, their in pairs:
        figures[f"gpuhunt / ours, {their}"] = figures[f"gpuhunt {their}, ms"] / figures[f"{own}, ms"]
    return figures


def best_in_turns(works: dict[str, Callable[[], object]], runs: int) -> dict[str, float]:
    """The least processor time of several runs of each, in milliseconds; they take turns, so that a busy moment of the
    machine meets all alike."""
    least = dict.fromkeys(works, float("inf"))
    for _ in range(runs):
        for name, work in works.items():
            started = time.process_time()
            work()
            least[name] = min(least[name], (time.process_time() - started) * 1000)
    return least


def gpuhunt_works(offers: Iterable[Offer]) -> dict[str, Callable[[], object]]:
    """The same rows in gpuhunt's own format, loaded and queried by gpuhunt."""
    from gpuhunt import Catalog
    from gpuhunt._internal import storage
    from gpuhunt._internal.catalog import ProviderCatalog

    text = io.StringIO()
    csv.writer(text).writerows(_gpuhunt_rows(offers))

    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("aws.csv", text.getvalue())

    def load() -> Catalog:
        with zipfile.ZipFile(io.BytesIO(archive.getvalue())) as packed, packed.open("aws.csv") as file:
            items = list(storage.load(io.TextIOWrapper(file, "utf-8"), provider="aws"))
        found = Catalog(auto_reload=False)
        found.catalog = {"aws": ProviderCatalog(version="1", items=items)}
        found.loaded_at = time.monotonic()
        return found

    def query(found: Catalog) -> object:
        return found.query(provider="aws", gpu_name="H100", min_gpu_count=8, max_gpu_count=8)

    loaded = load()
    return {
        "gpuhunt load and filter, ms": lambda: query(load()),
        "gpuhunt filter alone, ms": lambda: query(loaded),
    }


def _gpuhunt_rows(offers: Iterable[Offer]) -> Iterator[list[object]]:
    names = "instance_name location price cpu memory gpu_count gpu_name gpu_memory spot disk_size gpu_vendor flags"
    yield [*names.split(), "cpu_arch", "provider_data"]
    for offer in offers:
        machine = offer.machine
        shape = [int(machine.vcpus or 8), machine.ram_gib or 64.0, machine.gpu_count]
        gpu = [machine.gpu_model.split("-")[0], machine.gpu_memory_gib]
        for price in offer.prices:
            is_spot = price.term is Term.SPOT
            start = [offer.instance_type, offer.region, float(price.amount), *shape, *gpu, is_spot]
            yield [*start, "", "nvidia", "", "x86", "{}"]


if __name__ == "__main__":
    main()
