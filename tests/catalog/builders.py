"""Small catalogs on disk: the shipped fact tables with offers of a test's own."""

import csv
import io
import shutil
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from optimizer.catalog import Catalog, load_catalog, shipped_directory
from optimizer.catalog.index import write_index
from optimizer.catalog.snapshot import write_snapshot
from optimizer.domain.offer import Machine, Offer, Price, PriceKind, PriceUnit, Term

AS_OF = date(2026, 11, 30)


def machine(name: str, model: str, count: int, **facts: Any) -> Machine:
    """A machine with the shipped table's figures of its GPU."""
    gpu = load_catalog(shipped_directory()).gpus[model]
    values: dict[str, Any] = {
        "provider": "test",
        "instance_type": name,
        "gpu_model": model,
        "gpu_count": count,
        "gpu_memory_gib": gpu.memory_gib,
        "gpu_memory_usable_gib": min(gpu.memory_gib, gpu.usable_memory_gib),
        "compute_capability": gpu.compute_capability,
        "source": "a test",
    }
    return Machine(**{**values, **facts})


def price(amount: str, term: Term = Term.ON_DEMAND, **facts: Any) -> Price:
    """A list price by the hour."""
    values: dict[str, Any] = {
        "term": term,
        "amount": Decimal(amount),
        "unit": PriceUnit.HOUR,
        "currency": "USD",
        "kind": PriceKind.SPOT if term is Term.SPOT else PriceKind.LIST,
        "observed": AS_OF,
        "source": "a test",
    }
    return Price(**{**values, **facts})


def write_catalog(
    directory: Path, offers: list[Offer], regions: Iterable[str] = (), cells: dict[str, str] | None = None
) -> Catalog:
    """A catalog directory with these offers; `cells` replaces whole cells of prices.csv, `regions` are RunPod's."""
    directory.mkdir(parents=True, exist_ok=True)
    shipped = shipped_directory()
    shutil.copytree(shipped / "facts", directory / "facts")
    (directory / "facts" / "explained.csv").write_text(
        "code,provider,region,instance_type,term,reason,source,observed\n"
    )
    shutil.copy(shipped / "rejected.csv", directory / "rejected.csv")
    with (directory / "facts" / "regions.csv").open("a", encoding="utf-8") as file:
        file.writelines(f"runpod,{region},,,,a test,2026-11-30,\n" for region in regions)
    owned = [o.model_copy(update={"machine": o.machine.model_copy(update={"provider": o.provider})}) for o in offers]
    for provider in {offer.provider for offer in owned}:
        write_snapshot(directory, provider, owned)
        replace_cells(directory / "offers" / provider / "prices.csv", cells or {})
    write_index(directory)
    return load_catalog(directory)


def replace_cells(path: Path, cells: dict[str, str]) -> None:
    """Replace whole cells of a CSV file by their text."""
    rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([cells.get(cell, cell) for cell in row] for row in rows)
    path.write_text(text.getvalue(), encoding="utf-8")
