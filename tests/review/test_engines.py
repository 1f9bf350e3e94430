"""The same queries on a second engine: DataFusion answers as DuckDB does, down to the last place."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from optimizer.errors import MissingLibrary
from optimizer.review.engine import Column, DbapiEngine, DuckDbEngine, md5_of, transpile
from optimizer.review.machines import MachineFinder
from optimizer.review.mapping import built_in_mappings, detect
from optimizer.review.normalize import AMOUNT, Source, lines_sql
from optimizer.review.queries import Queries
from optimizer.review.read import Scope, collect, read_table
from tests.review.bills import FOCUS, HOUR, OFFERS, STORAGE, bill_of, hours_of, row, write_csv

datafusion = pytest.importorskip("datafusion")


def dialect() -> Any:
    """DataFusion speaks Postgres' dialect and has TRY_CAST."""
    from sqlglot import exp
    from sqlglot.dialects.postgres import Postgres

    class DataFusion(Postgres):
        class Generator(Postgres.Generator):
            TRANSFORMS = {  # noqa: RUF012 - as sqlglot declares it
                name: write for name, write in Postgres.Generator.TRANSFORMS.items() if name is not exp.TryCast
            }

    return DataFusion


class DataFusionEngine:
    """The engine protocol for DataFusion: all that another engine needs."""

    def __init__(self, paths: dict[str, Path]) -> None:
        self.context = datafusion.SessionContext()
        for name, path in paths.items():
            self.context.register_parquet(name, str(path))

    def columns(self, table: str) -> Sequence[Column]:
        """Names and types of the Arrow schema, in SQL's words."""
        names = {"string": "VARCHAR", "large_string": "VARCHAR", "string_view": "VARCHAR"}
        schema = self.context.sql(f"SELECT * FROM {table} LIMIT 0").schema()
        return [Column(field.name, names.get(str(field.type), str(field.type).upper())) for field in schema]

    def rows(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """Rows of the query in DataFusion's dialect."""
        for batch in self.context.sql(transpile(sql, dialect())).collect():
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)

    def hash_of(self, expressions: Sequence[str]) -> str:
        """MD5, as on every engine without a hash of its own."""
        return md5_of(expressions)


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    """A bill with machines, storage, a commitment, a refund, doubled and unreadable lines, as typed Parquet."""
    rows = [
        *hours_of("i-1", 2, 0, 20),
        *hours_of("i-2", 3, 5, 7, ConsumedQuantity="0.5", PricingQuantity="0.5", BilledCost="16.3863"),
        *hours_of("i-2", 3, 5, 1, ConsumedQuantity="0.25", PricingQuantity="0.25", BilledCost="8.19315"),
        STORAGE,
        STORAGE,
        row(ChargeCategory="Purchase", BilledCost="1000", EffectiveCost="1000", CommitmentDiscountId="sp-1"),
        row(BilledCost="0", EffectiveCost="1.00", CommitmentDiscountId="sp-1", CommitmentDiscountStatus="Unused"),
        row(
            ChargeCategory="Adjustment",
            BilledCost="-12.5",
            EffectiveCost="-12.5",
            ChargeClass="Correction",
            ChargePeriodStart="2026-10-05T00:00:00Z",
        ),
        row(BilledCost="many"),
        row(BillingCurrency="NULL"),
        row(
            HOUR,
            BillingCurrency="CNY",
            Tags='{"team": "search"}',
            CapacityReservationId="cr-1",
            CapacityReservationStatus="Unused",
        ),
    ]
    source = write_csv(tmp_path / "bill.csv", rows)
    target = tmp_path / "bill.parquet"
    with DuckDbEngine() as engine:
        costs = ", ".join(f'TRY_CAST("{name}" AS {AMOUNT}) AS "{name}"' for name in ("EffectiveCost", "ListCost"))
        times = ", ".join(
            f'CAST("{name}" AS TIMESTAMP) AS "{name}"' for name in ("ChargePeriodStart", "ChargePeriodEnd")
        )
        engine.connection.execute(
            f"COPY (SELECT * REPLACE ({costs}, {times}) FROM read_csv('{source}', all_varchar = true)) "
            f"TO '{target}' (FORMAT parquet)"
        )
    return target


def test_datafusion_answers_as_duckdb_does(parquet: Path) -> None:
    from dataclasses import fields

    first = bill_of(parquet)
    second = read_table(DataFusionEngine({"bill": parquet}), "bill", MachineFinder(OFFERS))
    skipped = {"sources", "unread"}  # the file's and the table's name
    for field in fields(first):
        if field.name not in skipped:
            assert getattr(first, field.name) == getattr(second, field.name), field.name
    assert [item.reason for item in first.unread] == [item.reason for item in second.unread]
    assert first.lines == len(hours_of("i", 2, 0, 20)) + 7 + 1 + 2 + 2 + 1 + 1
    assert len(first.duplicates) == 1
    assert first.levels


def test_a_dbapi_connection_is_an_engine(parquet: Path) -> None:
    """PEP 249: columns from the cursor's description, rows in batches. DuckDB's own cursor is one."""
    with DuckDbEngine() as engine:
        engine.connection.execute(f"CREATE VIEW bill AS SELECT * FROM read_parquet('{parquet}')")

        class Connection:
            def cursor(self) -> Any:
                return engine.connection.cursor()

        bill = read_table(DbapiEngine(Connection(), "duckdb"), "bill", MachineFinder(OFFERS))
    assert bill.totals == bill_of(parquet).totals


def test_every_query_can_be_written_in_the_dialects_of_warehouses(parquet: Path) -> None:
    """sqlglot raises on what a dialect cannot say; here it must not, for any query that a review asks."""
    import sqlglot

    asked: list[str] = []

    class Listening(DuckDbEngine):
        def rows(self, sql: str) -> Iterator[tuple[Any, ...]]:
            asked.append(sql)
            return super().rows(sql)

    with Listening() as engine:
        engine.connection.execute(f"CREATE VIEW bill AS SELECT * FROM read_parquet('{parquet}')")
        found = detect(FOCUS, built_in_mappings())
        assert found is not None
        source = Source("bill", "bill", engine.columns("bill"), found.mapping)
        asked.append(lines_sql([source]))
        engine.connection.execute(f"CREATE TABLE kept AS {asked[0]}")
        queries = Queries(engine, "SELECT * FROM kept", Scope().period)
        collect(queries, [source], MachineFinder(OFFERS), Scope())
    assert len(asked) >= 12
    for tree in (sqlglot.parse_one(sql, read="duckdb") for sql in asked):
        for name in ("postgres", "snowflake", "bigquery", "spark", "trino", "clickhouse", "redshift"):
            assert tree.sql(name, unsupported_level=sqlglot.ErrorLevel.RAISE)


def test_an_engine_without_the_library_names_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "sqlglot", None)
    with pytest.raises(MissingLibrary, match="pip install"):
        transpile("SELECT 1", "postgres")
