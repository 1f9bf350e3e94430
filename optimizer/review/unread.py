"""Where the lines stand that could not be read: a line number for CSV files, a row number for Parquet."""

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from optimizer.review.files import SEPARATOR, CsvFile, Opened, open_bytes

#: Lines beyond this many in one file are counted and listed, but not looked for.
MOST_SEARCHED_LINES = 5_000_000
LONGEST_TEXT = 120


@dataclass(frozen=True, slots=True)
class Place:
    """The line of a text file or the row of a table, from 1; both `None` where it is not known."""

    line: int | None = None
    row: int | None = None


#: From (file, evidence) of unreadable lines to their places, in the same order.
Locate = Callable[[Sequence[tuple[str, str]]], Sequence[Place]]


def nowhere(lines: Sequence[tuple[str, str]]) -> Sequence[Place]:
    """No places: the lines lie in an engine that numbers none."""
    return [Place() for _ in lines]


def said(value: str, resource: str, description: str, currency: str) -> str:
    """What is shown of an unreadable line: the value that is wrong, and what the line is about."""
    about = " ".join(part for part in (resource, description, currency) if part)
    quoted = f'"{value}"' if value else ""
    return ": ".join(part for part in (quoted, about) if part)[:LONGEST_TEXT]


def line_numbers(opened: Opened, lines: Sequence[tuple[str, str]]) -> Sequence[Place]:
    """The places of unreadable lines, given as (file, evidence): CSV files are read once more, as far as needed."""
    texts = {file.label: file for group in opened.csv_groups for file in group}
    wanted: dict[str, dict[str, int]] = {}
    for label, evidence in lines:
        if label in texts:
            counts = wanted.setdefault(label, {})
            counts[evidence] = counts.get(evidence, 0) + 1
    found = {label: _search(texts[label], counts) for label, counts in wanted.items()}
    return [_place(label, evidence, found.get(label)) for label, evidence in lines]


def _place(label: str, evidence: str, found: Mapping[str, Iterator[int]] | None) -> Place:
    if found is not None:
        return Place(line=next(found.get(evidence, iter(())), None))
    return Place(row=int(evidence) + 1) if evidence.isdigit() else Place()


def _search(file: CsvFile, wanted: Mapping[str, int]) -> dict[str, Iterator[int]]:
    """The first lines of the records wanted, each as often as it is wanted."""
    left = dict(wanted)
    found: dict[str, list[int]] = {evidence: [] for evidence in wanted}
    for line, evidence in _records(file):
        if left.get(evidence):
            found[evidence].append(line)
            left[evidence] -= 1
            if not any(left.values()):
                break
    return {evidence: iter(numbers) for evidence, numbers in found.items()}


def _records(file: CsvFile) -> Iterator[tuple[int, str]]:
    """(first line, fields as evidence) of every record below the header."""
    csv.field_size_limit(16_000_000)
    with io.TextIOWrapper(open_bytes(file.path, gzipped=file.gzipped), encoding="utf-8", newline="") as text:
        for _ in range(file.skip):
            next(text)
        reader = csv.reader(text, delimiter=file.delimiter)
        next(reader)
        line = file.skip + reader.line_num + 1
        for fields in reader:
            yield line, SEPARATOR.join(fields)
            line = file.skip + reader.line_num + 1
            if line > MOST_SEARCHED_LINES:
                return
