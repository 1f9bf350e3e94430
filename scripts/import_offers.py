"""Write the catalog's snapshots and fact tables from a folder of raw price lists and data sheets.

    python scripts/import_offers.py --raw DIR [--out catalogs]

Every row of the 26 offer files ends as an offer, in quarantine or rejected with a reason; the counts are a fact
table of their own. The raw folder is read only; nothing of it is kept as it stands.
"""

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from catalog_import import facts, gpus, offers  # noqa: E402
from catalog_import.raw import TABLES  # noqa: E402

from optimizer.catalog.index import csv_bytes, write_index  # noqa: E402
from optimizer.catalog.snapshot import write_snapshot  # noqa: E402

Rows = list[dict[str, str]]
#: Fact tables that are kept by hand beside the importer.
HAND_KEPT = (
    "regions.csv",
    "servers.csv",
    "server_aliases.csv",
    "explained.csv",
    "providers.csv",
    "contract_exceptions.csv",
)


def main() -> None:
    """Read the options and import."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--raw", type=Path, required=True, help="folder with offers/, gpus.csv and the other tables")
    parser.add_argument("--out", type=Path, default=ROOT / "catalogs", help="catalog folder to write")
    options = parser.parse_args()
    import_catalog(options.raw, options.out)


def import_catalog(raw: Path, out: Path) -> None:
    """Write the whole catalog folder."""
    gpu_rows, alias_rows = gpus.gpu_rows(raw), gpus.alias_rows(raw)
    imported = offers.import_offers(raw, gpus.GpuResolver(gpu_rows, alias_rows))
    commitments = offers.add_commitments(raw, imported)
    tables: dict[str, Rows] = {
        "gpus": gpu_rows,
        "gpu_aliases": alias_rows,
        "commitments": commitments,
        "import_counts": import_counts(imported, len(commitments)),
    }
    for build in (
        facts.fx,
        facts.storage,
        facts.transfer,
        facts.models,
        facts.owned_costs,
        facts.server_prices,
        facts.cpus,
        facts.links_intra,
        facts.links_nodes,
        facts.pcie_measured,
        facts.price_history,
        facts.price_bands,
    ):
        tables[build.__name__] = build(raw)
    tables["price_bands"] += averages(imported)
    write(out, tables, imported)
    report(imported)


def import_counts(imported: offers.Imported, commitment_rows: int) -> Rows:
    """Rows read, imported, quarantined and rejected, by raw file."""
    rows = []
    for file, counted in sorted(imported.counts.items()):
        rows.append(
            {
                "file": file,
                **{name: str(counted[name]) for name in offers.COUNT_COLUMNS[1:6]},
                "source": "scripts/import_offers.py",
                "observed": gpus.DECIDED,
            }
        )
    return rows


def averages(imported: offers.Imported) -> Rows:
    """Rejected averages and medians live on as price bands."""
    kept = [row for row in imported.rejected if row["status"] == "rejected" and row["reason"].startswith("a")]
    return [
        {
            "provider": row["provider"],
            "gpu": row["gpu_label"],
            "kind": row["reason"],
            "amount_per_gpu_hour": "",
            "currency": "",
            "prices": "",
            "source": row["source"],
            "observed": row["observed"],
        }
        for row in kept
    ]


def write(out: Path, tables: dict[str, Rows], imported: offers.Imported) -> None:
    """Write facts, rejected rows and one snapshot a provider; the index comes last."""
    (out / "facts").mkdir(parents=True, exist_ok=True)
    for name in HAND_KEPT:
        shutil.copyfile(TABLES / name, out / "facts" / name)
    for name, rows in tables.items():
        (out / "facts" / f"{name}.csv").write_bytes(to_csv(rows, tuple(rows[0])))
    (out / "rejected.csv").write_bytes(to_csv(imported.rejected, offers.REJECTED_COLUMNS))
    shutil.rmtree(out / "offers", ignore_errors=True)
    sold = offers.unify(imported.offers())
    for provider in sorted({offer.provider for offer in sold}):
        write_snapshot(out, provider, sold)
    write_index(out)


def to_csv(rows: Rows, columns: Sequence[str]) -> bytes:
    """Rows as a CSV file with exactly these columns."""
    return csv_bytes(columns, [[row[name] for name in columns] for row in rows])


def report(imported: offers.Imported) -> None:
    """Print the counts by file and their sum."""
    names = offers.COUNT_COLUMNS[1:6]
    print(f"{'file':28}", *(f"{name:>22}" for name in names))
    for file, counted in sorted(imported.counts.items()):
        print(f"{file:28}", *(f"{counted[name]:>22}" for name in names))
    total = [sum(counted[name] for counted in imported.counts.values()) for name in names]
    print(f"{'sum':28}", *(f"{value:>22}" for value in total))


if __name__ == "__main__":
    main()
