"""The catalog as a record: one Parquet file for each refresh, read together with DuckDB.

A file is written before the generation is published; one with a number above the current generation's belongs to a
refresh that never ended and is not read.
"""

import errno
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from optimizer.catalog.generations import current_number, history_file
from optimizer.catalog.index import csv_bytes
from optimizer.domain.offer import Offer, Price, PriceUnit, Term

if TYPE_CHECKING:
    import duckdb

#: Frozen: a reader of later versions must still find these.
_COLUMNS = (
    *("provider", "region", "instance_type", "gpu_model", "gpu_count"),
    *("term", "amount", "unit", "currency", "upfront_amount", "upfront_share", "kind", "marks", "observed", "source"),
)


@dataclass(frozen=True, slots=True)
class Observation:
    """One price as it was seen: on a day, or undated (`day` None)."""

    provider: str
    region: str
    instance_type: str
    term: Term
    amount: Decimal
    unit: PriceUnit
    currency: str
    day: date | None
    source: str
    marks: tuple[str, ...] = ()

    @property
    def offer(self) -> str:
        """The offer's key."""
        return f"{self.provider}/{self.region}/{self.instance_type}"


def _database() -> "duckdb.DuckDBPyConnection":
    """A database in memory that, when short of it, spills to the system's folder and not to the user's."""
    import duckdb

    return duckdb.connect(config={"temp_directory": tempfile.gettempdir()})


def write_history(path: Path, offers: Iterable[Offer]) -> None:
    """Record the prices of one refresh; a file is there whole or not at all."""
    import duckdb

    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [_row(offer, price) for offer in offers for price in offer.prices]
    with tempfile.TemporaryDirectory(prefix=".new-", dir=path.parent) as folder:
        text, parquet = Path(folder) / "rows.csv", Path(folder) / "rows.parquet"
        text.write_bytes(csv_bytes(_COLUMNS, rows))
        try:
            with _database() as connection:
                table = connection.read_csv(str(text), header=True, all_varchar=True, quotechar='"', escapechar='"')
                table.write_parquet(str(parquet), compression="zstd")
        except duckdb.IOException as error:
            raise OSError(errno.EIO, "the price history could not be written", str(path)) from error
        with parquet.open("rb") as file:
            os.fsync(file.fileno())
        parquet.replace(path)


def _row(offer: Offer, price: Price) -> list[str]:
    machine = offer.machine
    values = (
        *(offer.provider, offer.region, offer.instance_type, machine.gpu_model, machine.gpu_count),
        *(price.term, f"{price.amount:f}", price.unit, price.currency, price.upfront_amount, price.upfront_share),
        *(price.kind, " ".join(price.marks), price.observed, price.source),
    )
    return ["" if value is None else str(value) for value in values]


def read_history(
    root: Path, *, provider: str | None = None, region: str | None = None, instance_type: str | None = None
) -> list[Observation]:
    """Every recorded price of published refreshes, oldest first; `None` does not filter."""
    files = [
        str(path) for number in range(1, current_number(root) + 1) if (path := history_file(root, number)).is_file()
    ]
    if not files:
        return []
    wanted = {"provider": provider, "region": region, "instance_type": instance_type}
    filters = {name: value for name, value in wanted.items() if value is not None}
    where = " AND ".join(f"{name} = ${name}" for name in filters) or "true"
    query = f"""
        SELECT provider, region, instance_type, term, amount, unit, currency, observed, source, marks
        FROM read_parquet($files, union_by_name = true) WHERE {where}
        ORDER BY observed NULLS FIRST, provider, region, instance_type, term
    """  # noqa: S608 - column names only; values are parameters
    with _database() as connection:
        rows = connection.execute(query, {"files": files, **filters}).fetchall()
    return [_observation(row) for row in rows]


def _observation(row: tuple[str | None, ...]) -> Observation:
    provider, region, instance_type, term, amount, unit, currency, observed, source, marks = row
    return Observation(
        provider=provider or "",
        region=region or "",
        instance_type=instance_type or "",
        term=Term(str(term)),
        amount=Decimal(amount or ""),
        unit=PriceUnit(str(unit)),
        currency=currency or "",
        day=date.fromisoformat(observed) if observed else None,
        source=source or "",
        marks=tuple((marks or "").split()),
    )
