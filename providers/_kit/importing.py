"""The contract of importers: files that users have from other tools, read into offers.

An importer is one file `providers/_importers/<name>.py` with an `IMPORTER`.
"""

import csv
import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from optimizer.domain.offer import Term
from optimizer.errors import InputError, Problem
from providers._kit.contract import FindGpu, Outcome, Provider

_DIRECTORY = Path(__file__).parent.parent / "_importers"
_LARGEST_CELL = 2**20


@dataclass(frozen=True, slots=True)
class ImportContext:
    """What a file does not say by itself.

    `provider` is whose prices they are; `today` when they were seen (`None`: the file is undated and stays flagged).
    """

    provider: Provider
    find_gpu: FindGpu
    today: date | None
    source: str


@dataclass(frozen=True, slots=True)
class Importer:
    """One file format. `read` yields an offer, mostly with one price, for each row; keys may come again."""

    name: str
    title: str
    read: Callable[[ImportContext, Path], Iterator[Outcome]]
    currencies: frozenset[str]
    provider_of: Callable[[Path], str | None] = lambda path: None


def importer_names() -> tuple[str, ...]:
    """Names of all importers, by file name."""
    return tuple(sorted(path.stem for path in _DIRECTORY.glob("[!_]*.py")))


def load_importer(name: str) -> Importer:
    """Import one importer by name (one of `importer_names`)."""
    importer = importlib.import_module(f"providers._importers.{name}").IMPORTER
    if not isinstance(importer, Importer):
        raise TypeError(f"providers/_importers/{name}.py: IMPORTER is no Importer")
    return importer


def provider_of_file(name: str, importer: Importer) -> Provider:
    """A provider that stands for a file's prices: any term, the format's currencies, no fetching."""
    return Provider(
        name=name,
        title=name,
        fetch=lambda context: iter(()),
        terms=frozenset(Term),
        currencies=importer.currencies,
        needs_key=False,
        documentation="",
    )


def csv_rows(path: Path, required: set[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Line numbers and rows of a CSV file with a header, read as it streams.

    Raises:
        InputError: the file cannot be read, or a required column is missing.
    """
    csv.field_size_limit(_LARGEST_CELL)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, restval="")
            missing = required - set(reader.fieldnames or ())
            if missing:
                found = ",".join(reader.fieldnames or ())[:200] or "an empty file"
                expected = f"the columns {', '.join(sorted(missing))} as well"
                raise InputError(Problem(str(path), "header", found, expected, line=1))
            for row in reader:
                yield reader.line_num, {key: value or "" for key, value in row.items() if key is not None}
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        found = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(Problem(str(path), "", found, "a readable CSV file (UTF-8)")) from error


def whole_text(path: Path) -> str:
    """A text file.

    Raises:
        InputError: it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(Problem(str(path), "", str(error), "a readable text file (UTF-8)")) from error


def number(text: Any) -> float | None:
    """A figure of a cell; `None` when the cell is empty or no number."""
    try:
        return float(text)
    except (TypeError, ValueError):
        return None
