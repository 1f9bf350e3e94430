"""Bill files: finding them, telling what they are, and handing them to DuckDB without reading them into memory.

CSV (also gzip, tab or semicolon, UTF-8, UTF-16 or GB18030, lines of text above the header) is parsed once into a
table on disk; large Parquet files are read where they lie.
"""

import csv
import glob
import gzip
import io
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from optimizer.errors import InputError, Problem
from optimizer.review.engine import Column, DuckDbEngine, literal
from optimizer.review.mapping import BillMapping, column_key, detect, suggest
from optimizer.review.normalize import Source, lines_sql

SNIFF_BYTES = 256 * 1024
HEADER_SEARCH_LINES = 30
DELIMITERS = (",", ";", "\t", "|")
#: Parquet files with more lines than this in all are read where they lie, once for each question.
MOST_KEPT_PARQUET_LINES = 2_000_000
_CHUNK_BYTES = 4 * 1024 * 1024
_NUMBER_OR_TIME = re.compile(r"^[-+]?[0-9][0-9.,:/ TZ-]*$")
_COMMA_AMOUNT = re.compile(r"^[-+]?[0-9]{1,3}(\.[0-9]{3})*,[0-9]+$|^[-+]?[0-9]+,[0-9]+$")
_POINT_AMOUNT = re.compile(r"^[-+]?[0-9]+\.[0-9]+$|^[-+]?[0-9]{1,3}(,[0-9]{3})+\.[0-9]+$")
_POINT_GROUPS = re.compile(r"^[-+]?[0-9]{1,3}(\.[0-9]{3})+$")
THOUSAND_DIGITS = 3
#: Stands between the fields of a line that is shown as evidence.
SEPARATOR = "\x1f"


@dataclass(frozen=True, slots=True)
class Unread:
    """One line, or part of a file, that could not be read: where (line of a CSV file, row of a Parquet file), why, and
    its first characters.
    """

    file: str
    line: int | None
    reason: str
    text: str
    row: int | None = None


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A CSV file as sniffed: where its header stands and how it is written."""

    path: Path
    label: str
    header: tuple[str, ...]
    skip: int
    delimiter: str
    decimal_comma: bool
    mapping: BillMapping
    version: str
    gzipped: bool


def expand(patterns: Iterable[str]) -> list[Path]:
    """Files of names, globs and folders, each once, in the order given.

    Raises:
        InputError: a name or pattern without any file.
    """
    found: dict[Path, Path] = {}
    problems = []
    for pattern in patterns:
        paths = _matches(pattern)
        if not paths:
            problems.append(Problem(pattern, "", "no file", "a bill file, a glob or a folder with bills"))
        for path in paths:
            found.setdefault(path.resolve(), path)
    if problems:
        raise InputError(problems)
    return list(found.values())


def _matches(pattern: str) -> list[Path]:
    path = Path(pattern)
    if path.is_dir():
        suffixes = (".csv", ".gz", ".parquet", ".tsv", ".txt")
        return sorted(item for item in path.rglob("*") if item.is_file() and item.name.lower().endswith(suffixes))
    if path.is_file():
        return [path]
    # Path.glob takes no absolute patterns.
    return sorted(Path(item) for item in glob.glob(pattern, recursive=True) if Path(item).is_file())  # noqa: PTH207


@dataclass(frozen=True)
class Opened:
    """Bill files that were recognized: their sources, and for each CSV source the files that it reads."""

    sources: tuple[Source, ...]
    csv_groups: tuple[tuple[CsvFile, ...], ...]
    parquet_lines: int


def open_sources(engine: DuckDbEngine, patterns: Iterable[str], mappings: Sequence[BillMapping]) -> Opened:
    """Recognize every file; nothing but headers is read yet.

    Raises:
        InputError: files of unknown kind or format, all at once.
    """
    problems: list[Problem] = []
    csv_files: list[CsvFile] = []
    parquet: list[Path] = []
    for path in expand(patterns):
        try:
            kind = _kind(path)
            if kind == "parquet":
                parquet.append(path)
            else:
                csv_files.append(sniff_csv(path, mappings, engine.folder, gzipped=kind == "gzip"))
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    groups = _groups(csv_files)
    from_parquet = _parquet_sources(engine, parquet, mappings)
    from_csv = [_csv_source(group, number) for number, group in enumerate(groups)]
    return Opened((*from_csv, *from_parquet), tuple(map(tuple, groups)), _parquet_lines(engine, parquet))


@dataclass(frozen=True)
class Kept:
    """Lines to ask: a SELECT of all of them, one that tells which line is which, and what could not be parsed."""

    lines: str
    examples: str
    rejected: tuple[Unread, ...]


def keep_lines(engine: DuckDbEngine, opened: Opened, zone: str) -> Kept:
    """All normalized lines. CSV is parsed once into a table on disk, and so are small Parquet files; large ones are
    read where they lie. Which line is which is not kept: the files are asked again when a line cannot be read.

    Raises:
        InputError: a file that ends too early or cannot be read.
    """
    count = len(opened.csv_groups)
    kept, left = list(range(count)), list(range(count, len(opened.sources)))
    if opened.parquet_lines <= MOST_KEPT_PARQUET_LINES:
        kept, left = kept + left, []
    parts = []
    if kept:
        lines = lines_sql([replace(opened.sources[number], evidence=None) for number in kept], zone, kept)
        with bad_files_as_errors([label for number in kept for label in opened.sources[number].files]):
            engine.connection.execute(f"CREATE TABLE bill_lines AS {lines}")
        parts.append("SELECT * FROM bill_lines")
    if left:
        parts.append(lines_sql([opened.sources[number] for number in left], zone, left))
    rejected = [item for number, group in enumerate(opened.csv_groups) for item in _rejected(engine, group, number)]
    examples = lines_sql([replace(item, relation=item.again or item.relation) for item in opened.sources], zone)
    return Kept("\nUNION ALL\n".join(parts), examples, tuple(rejected))


def _kind(path: Path) -> str:
    try:
        with path.open("rb") as file:
            start = file.read(8)
    except OSError as error:
        raise InputError(Problem(str(path), "", error.strerror or str(error), "a readable file")) from error
    if not start:
        raise InputError(Problem(str(path), "", "an empty file", "a bill", suggestion="Export the bill again."))
    known = {b"PAR1": "parquet", b"\x1f\x8b": "gzip"}
    for magic, kind in known.items():
        if start.startswith(magic):
            return kind
    other = {
        b"PK": "an Excel or zip file",
        b"%PDF": "a PDF",
        b"{": "JSON",
        b"[": "JSON",
        b"\xd0\xcf": "an old Excel file",
    }
    for magic, what in other.items():
        if start.startswith(magic):
            raise InputError(
                Problem(str(path), "", what, "CSV, gzipped CSV or Parquet", suggestion="Export it as CSV.")
            )
    return "csv"


# ---------------------------------------------------------------------------------------------------------------------
# CSV


def sniff_csv(path: Path, mappings: Sequence[BillMapping], folder: Path, *, gzipped: bool) -> CsvFile:
    """Find encoding, delimiter, header line and format of one CSV file; a file not in UTF-8, or
    with two kinds of line ends, is rewritten in `folder`.

    Raises:
        InputError: no known header, or bytes that are no text.
    """
    sample = _sample(path, gzipped=gzipped)
    encoding = _encoding(sample, path)
    label = str(path)
    if encoding != "utf-8" or _mixes_newlines(sample):
        path, gzipped = _rewrite(path, encoding, folder, gzipped=gzipped), False
        sample = _sample(path, gzipped=False)
    lines = sample.decode("utf-8-sig", errors="replace").splitlines(keepends=True)
    for skip, delimiter, header in _candidates(lines):
        found = detect(header, mappings)
        if found is not None:
            comma = _has_decimal_commas(lines[skip + 1 :], header, delimiter, found.mapping)
            return CsvFile(path, label, header, skip, delimiter, comma, found.mapping, found.version, gzipped)
    raise InputError(_no_format(label, lines, mappings))


def _sample(path: Path, *, gzipped: bool) -> bytes:
    try:
        with open_bytes(path, gzipped=gzipped) as file:
            return file.read(SNIFF_BYTES)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(_cut(str(path), str(error))) from error


def open_bytes(path: Path, *, gzipped: bool) -> IO[bytes]:
    """The file's content, unpacked."""
    return gzip.open(path, "rb") if gzipped else path.open("rb")  # type: ignore[return-value]


def _mixes_newlines(sample: bytes) -> bool:
    """Files glued together may end lines in two ways, which the CSV parser refuses."""
    return sample.count(b"\r\n") not in (0, sample.count(b"\n"))


def _encoding(sample: bytes, path: Path) -> str:
    if sample.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    for encoding in ("utf-8", "gb18030"):
        try:
            # Not final: a character may be cut at the end of the sample.
            codec = __import__("codecs").getincrementaldecoder(encoding)()
            codec.decode(sample, final=False)
        except UnicodeDecodeError:
            continue
        if b"\x00" in sample:
            break
        return encoding
    found = "bytes that are no text"
    raise InputError(
        Problem(str(path), "", found, "CSV in UTF-8, UTF-16 or GBK", suggestion="Export it again as UTF-8.")
    )


def _rewrite(path: Path, encoding: str, folder: Path, *, gzipped: bool) -> Path:
    target = folder / f"utf8-{len(list(folder.glob('utf8-*')))}-{path.name}.csv"
    try:
        with (
            io.TextIOWrapper(open_bytes(path, gzipped=gzipped), encoding=encoding) as source,
            target.open("w", encoding="utf-8", newline="") as sink,
        ):
            while chunk := source.read(_CHUNK_BYTES):
                sink.write(chunk)
    except UnicodeDecodeError as error:
        found = f"bytes at {error.start} that are not {encoding}"
        raise InputError(Problem(str(path), "", found, "CSV in UTF-8, UTF-16 or GBK")) from error
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(_cut(str(path), str(error))) from error
    return target


def _candidates(lines: Sequence[str]) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    for skip, line in enumerate(lines[:HEADER_SEARCH_LINES]):
        for delimiter in sorted(DELIMITERS, key=lambda mark, text=line: -text.count(mark)):  # type: ignore[misc]
            if delimiter in line:
                yield skip, delimiter, tuple(next(csv.reader([line.strip("\r\n")], delimiter=delimiter), []))


def _has_decimal_commas(lines: Sequence[str], header: Sequence[str], delimiter: str, mapping: BillMapping) -> bool:
    """Whether amounts are written 125,50: some are, and none has a decimal point (faults.md B65 is such a file)."""
    amounts = {name for field in ("billed", "effective", "list") for name in _names(mapping, field)}
    keys = {column_key(name) for name in amounts}
    places = [index for index, name in enumerate(header) if column_key(name) in keys]
    values = [
        row[index].strip()
        for row in csv.reader(lines[:-1] or lines, delimiter=delimiter)
        for index in places
        if index < len(row)
    ]
    commas = [value for value in values if _COMMA_AMOUNT.match(value)]
    decided = any(len(value.rsplit(",", 1)[1]) != THOUSAND_DIGITS for value in commas)
    points = any(_POINT_AMOUNT.match(value) and not _POINT_GROUPS.match(value) for value in values)
    return bool(commas) and not points and (decided or delimiter == ";")


def _names(mapping: BillMapping, field: str) -> Iterable[str]:
    take = mapping.columns.get(field)
    return take.columns() if take else ()


def _no_format(label: str, lines: Sequence[str], mappings: Sequence[BillMapping]) -> Problem:
    if not any(mark in line for line in lines for mark in DELIMITERS):
        return Problem(label, "", "no line with columns", "a bill as CSV", suggestion="Export the bill again.")
    first = next(iter(csv.reader(lines[:1])), [])
    if first and sum(bool(_NUMBER_OR_TIME.match(item.strip())) for item in first) >= 2:
        return Problem(label, "", "data in the first line", "a header line with column names", 1)
    best, missing = next(iter(suggest(first, mappings).items()), ("", []))
    hint = f"Nearest format {best}: missing {', '.join(missing)}. Another format needs --mapping FILE (docs/review.md)."
    return Problem(label, "", "a header of no known bill format", "FOCUS, AWS CUR, Alibaba, Tencent or plain", 1, hint)


def _cut(label: str, detail: str) -> Problem:
    return Problem(label, "", f"a file that ends too early ({detail})", "a whole file", suggestion="Download it again.")


def _groups(files: Sequence[CsvFile]) -> list[list[CsvFile]]:
    """Files with the same header and way of writing are read together."""
    groups: dict[tuple[object, ...], list[CsvFile]] = {}
    for file in files:
        key = (file.header, file.skip, file.delimiter, file.decimal_comma, file.mapping.name, file.gzipped)
        groups.setdefault(key, []).append(file)
    return list(groups.values())


def _csv_source(files: list[CsvFile], number: int) -> Source:
    """Files of one form as one relation; its columns are named by position, the header's names stand beside."""
    first = files[0]
    columns = [Column(f"c{index}", "VARCHAR") for index in range(len(first.header))]
    paths = ", ".join(literal(str(file.path)) for file in files)
    types = ", ".join(f"{literal(column.name)}: 'VARCHAR'" for column in columns)
    labels = " ".join(f"WHEN {literal(str(file.path))} THEN {literal(file.label)}" for file in files)
    fields = f", {literal(SEPARATOR)}, ".join(f"COALESCE({column.name}, '')" for column in columns)
    compression = "gzip" if first.gzipped else "none"
    scan = (
        f"read_csv([{paths}], auto_detect = false, columns = {{{types}}}, header = true, skip = {first.skip}, "
        f"delim = {literal(first.delimiter)}, quote = '\"', escape = '\"', compression = '{compression}', "
        "nullstr = '', filename = 'source_path', max_line_size = 16000000, "
    )
    rejects = f"rejects_table = 'rejects_{number}', rejects_scan = 'scans_{number}', rejects_limit = 0"
    return Source(
        label=first.label,
        relation=f"{scan} store_rejects = true, {rejects})",
        again=f"{scan} ignore_errors = true)",
        columns=columns,
        mapping=first.mapping,
        version=first.version,
        names=first.header,
        decimal_comma=first.decimal_comma,
        file_sql=f"CASE source_path {labels} ELSE source_path END",
        evidence=f"CONCAT({fields})",
        files=tuple(file.label for file in files),
    )


@contextmanager
def bad_files_as_errors(labels: Sequence[str]) -> Iterator[None]:
    """DuckDB's complaints about a file as one input error that names the file."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        text = " ".join(str(error).split("\n")[0].split())
        label = next((name for name in labels if name in text), labels[0] if labels else "")
        if "end of GZIP" in text or "too small" in text or "Unterminated" in text or "footer" in text.lower():
            raise InputError(_cut(label, text[:160])) from error
        raise InputError(Problem(label, "", text[:240], "a bill that can be read")) from error


def _rejected(engine: DuckDbEngine, files: Sequence[CsvFile], number: int) -> list[Unread]:
    rows = engine.connection.execute(
        f"SELECT s.file_path, r.line, MIN(r.error_type), MIN(r.csv_line), MIN(r.byte_position) FROM rejects_{number} r "
        f"JOIN scans_{number} s USING (scan_id, file_id) GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    by_path = {str(file.path): file for file in files}
    unread = []
    for path, line, kind, text, position in rows:
        file = by_path.get(path, files[0])
        if _is_last_line(file, position, text):
            raise InputError(replace(_cut(file.label, "its last line is not complete"), line=line))
        unread.append(Unread(file.label, line, str(kind).lower(), (text or "")[:120]))
    return unread


def _is_last_line(file: CsvFile, position: int | None, text: str | None) -> bool:
    """Whether a broken line is the end of a file without a final newline: the file was cut."""
    if file.gzipped or position is None:
        return False
    with file.path.open("rb") as handle:
        handle.seek(max(0, position - 1))
        rest = handle.read(len((text or "").encode()) + 4096)
        return not handle.read(1) and b"\n" not in rest.strip(b"\r\n") and not rest.endswith(b"\n")


# ---------------------------------------------------------------------------------------------------------------------
# Parquet


def _parquet_sources(engine: DuckDbEngine, paths: list[Path], mappings: Sequence[BillMapping]) -> list[Source]:
    groups: dict[tuple[tuple[str, str], ...], list[Path]] = {}
    problems: list[Problem] = []
    for path in paths:
        try:
            with bad_files_as_errors([str(path)]):
                columns = engine.columns(f"read_parquet({literal(str(path))})")
            groups.setdefault(tuple((column.name, column.type) for column in columns), []).append(path)
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    return [_parquet_source(columns, group, mappings) for columns, group in groups.items()]


def _parquet_source(columns: tuple[tuple[str, str], ...], paths: list[Path], mappings: Sequence[BillMapping]) -> Source:
    header = [name for name, _ in columns]
    found = detect(header, mappings)
    if found is None:
        best, missing = next(iter(suggest(header, mappings).items()), ("", []))
        hint = f"Nearest format {best}: missing {', '.join(missing)}. Another format needs --mapping FILE."
        raise InputError(Problem(str(paths[0]), "", "columns of no known bill format", "a known format", None, hint))
    listed = ", ".join(literal(str(path)) for path in paths)
    return Source(
        label=str(paths[0]),
        relation=f"read_parquet([{listed}], filename = 'source_file', file_row_number = true)",
        columns=[Column(name, kind) for name, kind in columns],
        mapping=found.mapping,
        version=found.version,
        file_sql="source_file",
        evidence="CAST(file_row_number AS VARCHAR)",
        files=tuple(map(str, paths)),
    )


def _parquet_lines(engine: DuckDbEngine, paths: list[Path]) -> int:
    if not paths:
        return 0
    listed = ", ".join(literal(str(path)) for path in paths)
    with bad_files_as_errors(list(map(str, paths))):
        row = engine.connection.execute(f"SELECT SUM(num_rows) FROM parquet_file_metadata([{listed}])").fetchone()
    return int(row[0]) if row else 0


def describe(sources: Sequence[Source]) -> list[dict[str, Any]]:
    """What was read, for the report: files, format and version."""
    return [
        {"files": list(source.files or (source.label,)), "format": source.mapping.name, "version": source.version}
        for source in sources
    ]
