"""The columns of a catalog kept between runs, so that a search starts without reading any row.

A table is a pure function of the catalog's checksum: its name is that checksum, nothing ever has to be invalidated.
The file is a line with the checksum of the rest, a JSON header, and the arrays as they lie in memory. A file that is
missing, damaged or of another layout is built anew; a folder that cannot be written to costs time only.
"""

import hashlib
import json
import os
import sys
import tempfile
from array import array
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from optimizer.catalog.index import sha256
from optimizer.catalog.table import ARRAYS, Facets, SaleTable, Seat

#: Changes whenever the meaning of the file does.
LAYOUT = 5
_KEPT = 4


def cache_directory() -> Path:
    """Where tables are kept: `tables` under OPTIMIZE_CACHE_DIR or the platform's cache folder."""
    given = os.environ.get("OPTIMIZE_CACHE_DIR")
    if given:
        return Path(given) / "tables"
    from platformdirs import user_cache_path

    return user_cache_path("optimize", appauthor=False) / "tables"


def table_name(checksum: str) -> str:
    """The name of the table of a catalog on this kind of machine."""
    identity = f"{LAYOUT} {checksum} {sys.byteorder} {[array(code).itemsize for code in 'BHIQ']} {Facets._fields}"
    return hashlib.sha256(identity.encode()).hexdigest()[:40] + ".table"


def read_table(checksum: str) -> SaleTable | None:
    """The kept table of a catalog, or `None` when there is none that can be trusted."""
    try:
        content = (cache_directory() / table_name(checksum)).read_bytes()
        head, body = content.split(b"\n", 1)
        if head.decode() != sha256(body):
            return None
        return _unpack(body)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep_table(checksum: str, table: SaleTable) -> None:
    """Keep a table for the next run, in one step; older tables beyond a few are removed."""
    directory = cache_directory()
    body = _pack(table)
    with suppress(OSError):
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=directory, delete=False) as file:
            file.write(sha256(body).encode() + b"\n" + body)
        Path(file.name).replace(directory / table_name(checksum))
        _forget_old(directory)


def _forget_old(directory: Path) -> None:
    by_age = sorted(directory.glob("*.table"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in by_age[_KEPT:]:
        path.unlink()


def _pack(table: SaleTable) -> bytes:
    places, facets = _coded(table.seats), _coded(table.facets)
    columns = [places.codes, facets.codes, *(getattr(table, name) for name in ARRAYS)]
    header: dict[str, Any] = {
        "files": table.files,
        "places": places.values,
        "facets": facets.values,
        "arrays": [(column.typecode, len(column)) for column in columns],
    }
    text = json.dumps(header, separators=(",", ":")).encode()
    return len(text).to_bytes(8, "big") + text + b"".join(column.tobytes() for column in columns)


class _Coded(NamedTuple):
    """Records of one width as codes of their distinct values: JSON reads each value once."""

    values: list[Any]
    codes: "array[int]"


def _coded(records: Iterable[tuple[Any, ...]]) -> _Coded:
    known: dict[tuple[type, Any], int] = {}
    codes = array("I", (known.setdefault((type(v), v), len(known)) for record in records for v in record))
    return _Coded([value for _, value in known], codes)


def _records(values: list[Any], codes: "array[int]", width: int) -> Iterator[tuple[Any, ...]]:
    cells = map(values.__getitem__, codes)
    return zip(*[cells] * width, strict=True)


def _unpack(body: bytes) -> SaleTable:
    size = int.from_bytes(body[:8], "big")
    header = json.loads(body[8 : 8 + size])
    position, columns = 8 + size, []
    for code, length in header["arrays"]:
        column = array(code)
        end = position + length * column.itemsize
        column.frombytes(body[position:end])
        columns.append(column)
        position = end
    places, facets, *arrays = columns
    return SaleTable(
        files=[(number, name) for number, name in header["files"]],
        seats=list(map(Seat._make, _records(header["places"], places, len(Seat._fields)))),
        facets=list(map(Facets._make, _records(header["facets"], facets, len(Facets._fields)))),
        **dict(zip(ARRAYS, arrays, strict=True)),
    )
