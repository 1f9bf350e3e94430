"""The one layer under all queries: SQL in DuckDB's dialect, run as it is on DuckDB or transpiled for another engine.

docs/adr/0080-one-sql-dialect.md says why, and which part of the dialect the queries keep to.
"""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from optimizer.errors import MissingLibrary

#: DuckDB may hold this much before it writes to disk; with Python around it a review stays below 2 GB.
MEMORY_LIMIT = "1100MB"
FETCH_ROWS = 10_000


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table: its name there and its type in the engine's words."""

    name: str
    type: str


class Engine(Protocol):
    """Where the lines of a bill live: anything that names its columns and answers a SELECT."""

    def columns(self, table: str) -> Sequence[Column]:
        """Names and types of a table's or view's columns, in order."""

    def rows(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a query written in DuckDB's dialect; decimals come as `Decimal`, times as `datetime`."""

    def hash_of(self, expressions: Sequence[str]) -> str:
        """An expression that is the same for equal rows and differs, but for a rare chance, for others."""


class DuckDbEngine:
    """DuckDB in this process, with a memory limit and a folder of its own for what does not fit.

    Use as a context manager: the folder goes away at the end, also after an error.
    """

    def __init__(self, *, memory_limit: str = MEMORY_LIMIT, threads: int | None = None) -> None:
        import duckdb

        self.folder = Path(tempfile.mkdtemp(prefix="optimize-review-"))
        self.connection = duckdb.connect(str(self.folder / "bill.duckdb"))
        self.connection.execute(f"SET memory_limit = '{memory_limit}'")
        self.connection.execute("SET preserve_insertion_order = false")
        self.connection.execute("SET TimeZone = 'UTC'")
        self.connection.execute(f"SET temp_directory = '{quote_text(str(self.folder / 'spill'))}'")
        self.connection.execute("SET autoinstall_known_extensions = false")
        self.connection.execute("SET enable_progress_bar = false")
        if threads is not None:
            self.connection.execute(f"SET threads = {threads}")

    def __enter__(self) -> "DuckDbEngine":
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def columns(self, table: str) -> Sequence[Column]:
        """Names and types as DuckDB describes them."""
        described = self.connection.execute(f"DESCRIBE SELECT * FROM {table}").fetchall()
        return [Column(row[0], row[1]) for row in described]

    def rows(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """Rows in batches, so that a large answer does not stand in memory at once."""
        cursor = self.connection.execute(sql)
        while batch := cursor.fetchmany(FETCH_ROWS):
            yield from batch

    def hash_of(self, expressions: Sequence[str]) -> str:
        """DuckDB's own 64-bit hash."""
        return f"HASH({', '.join(expressions)})"


class DbapiEngine:
    """Any database with a Python DB-API connection (PEP 249): the queries are transpiled to its dialect.

    `dialect` is a name that sqlglot knows (postgres, snowflake, bigquery, spark, trino, clickhouse, ...).
    """

    def __init__(self, connection: Any, dialect: Any) -> None:
        self.connection = connection
        self.dialect = dialect

    def columns(self, table: str) -> Sequence[Column]:
        """Names and types from the cursor's description of an empty answer."""
        cursor = self.connection.cursor()
        cursor.execute(transpile(f"SELECT * FROM {table} LIMIT 0", self.dialect))
        return [Column(item[0], str(item[1])) for item in cursor.description]

    def rows(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """Rows in batches."""
        cursor = self.connection.cursor()
        cursor.execute(transpile(sql, self.dialect))
        while batch := cursor.fetchmany(FETCH_ROWS):
            yield from (tuple(row) for row in batch)

    def hash_of(self, expressions: Sequence[str]) -> str:
        """MD5 of the row as text, which every engine has."""
        return md5_of(expressions)


def md5_of(expressions: Sequence[str]) -> str:
    """MD5 over several values, separated so that they cannot run into each other."""
    parts = ", '|', ".join(f"COALESCE(CAST({expression} AS VARCHAR), '')" for expression in expressions)
    return f"MD5(CONCAT({parts}))"


def transpile(sql: str, dialect: Any) -> str:
    """A query of ours in another engine's dialect: a name, or a dialect class, that sqlglot knows.

    Raises:
        MissingLibrary: sqlglot is not installed.
    """
    try:
        import sqlglot
    except ImportError as error:
        raise MissingLibrary(
            "reading bills from another engine needs: pip install 'gpu-cost-optimizer[engines]'"
        ) from error
    return sqlglot.transpile(sql, read="duckdb", write=dialect)[0]


def quote_name(name: str) -> str:
    """An identifier that may hold any character."""
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """The inside of a text literal."""
    return text.replace("'", "''")


def literal(value: str | int | None) -> str:
    """A text or whole number as a literal."""
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, int) else f"'{quote_text(value)}'"
