"""The list of a catalog's files with checksums: `index.json`."""

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from optimizer.errors import CatalogError, Problem

INDEX_NAME = "index.json"


def sha256(content: bytes) -> str:
    """Checksum of a file's content."""
    return hashlib.sha256(content).hexdigest()


def read_index(directory: Path) -> dict[str, dict[str, Any]]:
    """File name (relative, with slashes) to `{sha256, rows, oldest, newest}`.

    Raises:
        CatalogError: there is no readable index in the directory.
    """
    path = directory / INDEX_NAME
    try:
        files: dict[str, dict[str, Any]] = json.loads(path.read_bytes())["files"]
        if not all(isinstance(entry["sha256"], str) for entry in files.values()):
            raise ValueError("a checksum is not a text")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        problem = Problem(
            str(path),
            "",
            _reason(error),
            "the list of the catalog's files",
            suggestion="Give --catalog a folder that `optimize catalog` wrote, or leave it out.",
        )
        raise CatalogError(problem) from error
    return files


def _reason(error: Exception) -> str:
    return error.strerror or "an unreadable file" if isinstance(error, OSError) else "a damaged file"


class Files:
    """The files of one catalog directory, each compared with its checksum when it is read."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.index = read_index(directory)
        self._read: dict[str, bytes] = {}

    def names(self, folder: str) -> list[str]:
        """Names of the indexed files under a folder, sorted."""
        return sorted(name for name in self.index if name.startswith(f"{folder}/"))

    def read(self, name: str) -> bytes:
        """The content of an indexed file; it is read and compared once.

        Raises:
            CatalogError: the file is missing, not indexed, or its content changed.
        """
        known = self._read.get(name)
        if known is not None:
            return known
        path = f"{self.directory}/{name}"
        entry = self.index.get(name)
        if entry is None:
            raise CatalogError(Problem(path, "", "a file that is not in index.json", "an indexed file"))
        try:
            with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - building 80 paths costs a tenth of a warm search
                content = file.readall()
        except OSError as error:
            raise CatalogError(Problem(path, "", error.strerror or "no file", "a file of the catalog")) from error
        found = sha256(content)
        if found != entry["sha256"]:
            problem = Problem(
                path,
                "sha256",
                found,
                entry["sha256"],
                suggestion="The file changed after it was written; restore it or refresh the catalog.",
            )
            raise CatalogError(problem)
        self._read[name] = content
        return content

    def rows(self, name: str, columns: Sequence[str]) -> list[list[str]]:
        """The rows of an indexed CSV file without its header.

        Raises:
            CatalogError: as `read`, or the header or a row's length differs from `columns`.
        """
        # A text buffer would hold four bytes a character of the whole file; this one decodes as it goes.
        text = io.TextIOWrapper(io.BytesIO(self.read(name)), "utf-8", newline="")
        # Most cells repeat from row to row: each text is kept once.
        kept: dict[str, str] = {}
        rows = [list(map(kept.setdefault, row, row)) for row in csv.reader(text)]
        header = rows.pop(0) if rows else []
        if tuple(header) != tuple(columns):
            expected = ",".join(columns)
            raise CatalogError(Problem(str(self.directory / name), "header", ",".join(header), expected, line=1))
        width = len(columns)
        wrong = next((number for number, row in enumerate(rows, start=2) if len(row) != width), None)
        if wrong is not None:
            found = f"{len(rows[wrong - 2])} cells"
            raise CatalogError(Problem(str(self.directory / name), "", found, f"{width} cells", line=wrong))
        return rows

    def records(self, name: str) -> list[dict[str, str]]:
        """The rows of an indexed CSV file as dictionaries, by whatever header it has."""
        return list(csv.DictReader(io.StringIO(self.read(name).decode("utf-8"), newline="")))


def csv_bytes(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """A CSV file: UTF-8, LF line ends, header first."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue().encode("utf-8")


def write_index(directory: Path) -> None:
    """Index every CSV file under a directory; written last, so that an interrupted writer leaves the old index."""
    files = {
        path.relative_to(directory).as_posix(): _entry(path.read_bytes()) for path in sorted(directory.rglob("*.csv"))
    }
    text = json.dumps({"version": 1, "files": files}, indent=1, sort_keys=True)
    temporary = directory / f".{INDEX_NAME}.new"
    temporary.write_text(text + "\n", encoding="utf-8")
    temporary.replace(directory / INDEX_NAME)


def _entry(content: bytes) -> dict[str, Any]:
    rows = csv.reader(io.StringIO(content.decode("utf-8"), newline=""))
    header = next(rows, [])
    observed = header.index("observed") if "observed" in header else None
    count, days = 0, set()
    for row in rows:
        count += bool(row)
        if observed is not None and observed < len(row) and row[observed]:
            days.add(row[observed])
    entry: dict[str, Any] = {"sha256": sha256(content), "rows": count}
    if days:
        entry |= {"oldest": min(days), "newest": max(days)}
    return entry
