"""Reading a workload file: every problem at once, each with its line and a suggestion."""

import re
import types
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from optimizer.domain.workload import Work, WorkloadFile
from optimizer.errors import InputError, Problem
from optimizer.planning.overriding import apply_overrides, of_override
from optimizer.planning.wording import expected_words
from optimizer.planning.yaml_core import Document, Path_, dotted, parse

MAX_BYTES = 2_000_000
MAX_WORKLOADS = 1000
MAX_PROBLEMS = 50
SHOWN_FIELDS = 4


def read_workload(path: Path, overrides: Sequence[str] = ()) -> WorkloadFile:
    """Read and check a workload file; `overrides` are `path=value` what-ifs applied before checking.

    Raises:
        InputError: with all problems of the file.
    """
    return parse_workload(_read_text(path), str(path), overrides)


def parse_workload(text: str, file: str, overrides: Sequence[str] = ()) -> WorkloadFile:
    """Check the text of a workload file; see `read_workload`."""
    document = parse(text, file)
    if document.data is None:
        raise InputError(Problem(file, "", "an empty file", "a workload", 1, "`optimize init` writes one."))
    if not isinstance(document.data, dict):
        kind = "a list" if isinstance(document.data, list) else "a single value"
        raise InputError(Problem(file, "", kind, "fields such as model: and tokens:", 1))
    data = dict(document.data)
    written = apply_overrides(data, overrides)
    data, prefix = _fold_single_workload(data)
    works = data.get("workloads")
    if isinstance(works, list) and len(works) > MAX_WORKLOADS:
        line = document.line(("workloads",))
        raise InputError(Problem(file, "workloads", f"{len(works)} workloads", f"at most {MAX_WORKLOADS}", line))
    try:
        return WorkloadFile.model_validate(data)
    except ValidationError as error:
        problems = _problems(error, data, document, prefix)
        raise InputError([of_override(problem, written, document.lines) for problem in problems]) from error


@contextmanager
def set_by(path: Path, overrides: Sequence[str]) -> Iterator[None]:
    """Put problems that were found after reading, in fields that `--set` wrote, on the command line.

    The file is read again, but only when there is such a problem.
    """
    try:
        yield
    except InputError as error:
        if not overrides:
            raise
        try:
            data = parse(read_utf8(path), str(path)).data
            written = apply_overrides(data, overrides)
        except InputError:
            raise error from None
        error.problems = tuple(of_override(problem, written) for problem in error.problems)
        raise


@contextmanager
def lines_of(file: str) -> Iterator[None]:
    """Give the line to problems that were found after reading, by names that the catalog does not know.

    The file is read again, but only when there is such a problem.
    """
    try:
        yield
    except InputError as error:
        if not any(problem.file == file and problem.line is None and problem.field for problem in error.problems):
            raise
        try:
            document = parse(read_utf8(Path(file)), file)
        except InputError:
            raise error from None
        error.problems = tuple(sorted((_with_line(one, document) for one in error.problems), key=_by_line))
        raise


def _with_line(problem: Problem, document: Document) -> Problem:
    if problem.file != document.file or problem.line is not None or not problem.field:
        return problem
    path = tuple(int(part) if part.isdecimal() else part for part in problem.field.split("."))
    return replace(problem, line=document.line(path))


def _by_line(problem: Problem) -> int:
    return problem.line or 0


def read_utf8(path: Path) -> str:
    """The text of a file a user gave.

    Raises:
        InputError: missing, a folder, unreadable, larger than 2 MB, or not UTF-8 (GBK is named).
    """
    try:
        if path.is_dir():
            raise InputError(Problem(str(path), "", "a folder", "a file"))
        if path.stat().st_size > MAX_BYTES:
            raise InputError(Problem(str(path), "", f"{path.stat().st_size} bytes", f"at most {MAX_BYTES} bytes"))
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(Problem(str(path), "", error.strerror or str(error), "a readable file")) from error
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        hint = "Save it as UTF-8 (it looks like GBK)." if _is_gbk(raw) else "Save it as UTF-8."
        raise InputError(Problem(str(path), "", "bytes that are not UTF-8", "UTF-8 text", line, hint)) from error


_read_text = read_utf8


def _is_gbk(raw: bytes) -> bool:
    try:
        raw.decode("gb18030")
    except UnicodeDecodeError:
        return False
    return True


_FILE_FIELDS = frozenset(WorkloadFile.model_fields)
_WORK_FIELDS = frozenset(Work.model_fields)


def _fold_single_workload(data: dict[str, Any]) -> tuple[dict[str, Any], Path_]:
    """Move one workload's fields from the top level into `workloads`; returns the path to take off messages."""
    if "workloads" in data or not any(key in _WORK_FIELDS for key in data):
        return data, ()
    work = {key: value for key, value in data.items() if key in _WORK_FIELDS}
    rest = {key: value for key, value in data.items() if key not in _WORK_FIELDS}
    return {**rest, "workloads": [work]}, ("workloads", 0)


def _problems(error: ValidationError, data: dict[str, Any], document: Document, prefix: Path_) -> list[Problem]:
    """One problem for each place of the file; alternatives of a union are joined."""
    expected: dict[Path_, list[str]] = {}
    details: dict[Path_, dict[str, Any]] = {}
    for item in error.errors(include_url=False):
        path = _path_in_data(item["loc"], data)
        if item["type"] == "missing" and item["loc"]:
            path = (*path, item["loc"][-1]) if not path or path[-1] != item["loc"][-1] else path
        expected.setdefault(path, []).append(expected_words(dict(item)))
        details.setdefault(path, dict(item))
    causes = [path for path in details if not _is_shadow(path, details)]
    problems = [_problem(path, details[path], _joined(expected[path]), document, prefix) for path in causes]
    problems.sort(key=_by_line)
    if len(problems) > MAX_PROBLEMS:
        more = len(problems) - MAX_PROBLEMS
        problems = [*problems[:MAX_PROBLEMS], Problem(document.file, "", f"{more} more problems", "none")]
    return problems


def _is_shadow(path: Path_, details: dict[Path_, dict[str, Any]]) -> bool:
    """Whether a complaint only repeats that something inside it is wrong (a union's other branch, a list's length)."""
    if details[path]["type"] in ("extra_forbidden", "value_error", "missing"):
        return False
    return any(other != path and other[: len(path)] == path for other in details)


def _joined(parts: Iterable[str]) -> str:
    return ", or ".join(dict.fromkeys(parts))


def _path_in_data(location: tuple[str | int, ...], data: Any) -> Path_:
    """The part of a pydantic location that names places of the file (union tags are left out)."""
    path: list[str | int] = []
    place: Any = data
    for part in location:
        if (isinstance(place, dict) and part in place) or (
            isinstance(place, list) and isinstance(part, int) and part < len(place)
        ):
            path.append(part)
            place = place[part]  # type: ignore[index]
    return tuple(path)


def _problem(path: Path_, item: dict[str, Any], expected: str, document: Document, prefix: Path_) -> Problem:
    shown = path[len(prefix) :] if prefix and path[: len(prefix)] == prefix else path
    line = document.line(shown)
    kind = item["type"]
    if kind == "extra_forbidden":
        return Problem(document.file, dotted(shown), "an unknown field", "a known field", line, _nearest(path, prefix))
    if kind == "missing":
        return Problem(document.file, dotted(shown), "nothing", "this field, which is mandatory", line)
    if kind in ("model_type", "dict_type"):
        expected = expected.replace("a group of fields", _group_words(path))
    found = _shown_value(item.get("input"))
    if kind == "value_error" and isinstance(item.get("input"), dict):
        found, shown = "values that do not go together", _named_in(expected, shown, item["input"])
        line = document.line(shown)
    return Problem(document.file, dotted(shown), found, expected, line)


def _group_words(path: Path_) -> str:
    """What a group of fields is made of, as far as its record names fields."""
    record = _record_at(WorkloadFile, path)
    names = [] if record is None else [field.alias or name for name, field in record.model_fields.items()]
    more = ", ..." if len(names) > SHOWN_FIELDS else ""
    return f"a group of fields ({', '.join(names[:SHOWN_FIELDS])}{more})" if names else "a group of fields"


def _named_in(message: str, path: Path_, record: dict[str, Any]) -> Path_:
    """The place of the first field of a record that a message names, else of the record."""
    named = next((word for word in re.findall(r"\w+", message) if word in record), None)
    return path if named is None else (*path, named)


def _shown_value(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a group of fields"
    if isinstance(value, list):
        return "a list"
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _nearest(path: Path_, prefix: Path_) -> str | None:
    """Suggest the closest field of the record in which an unknown field stands."""
    record = _record_at(WorkloadFile, path[:-1])
    names: set[str] = set()
    if record is not None:
        names |= {field.alias or name for name, field in record.model_fields.items()}
    if len(path) == 1 or path[:-1] == prefix:
        names |= _FILE_FIELDS | (_WORK_FIELDS if prefix or len(path) == 1 else frozenset())
    near = get_close_matches(str(path[-1]), sorted(names), n=1)
    return f"Did you mean {near[0]}?" if near else None


def _record_at(record: type[BaseModel] | None, path: Path_) -> type[BaseModel] | None:
    for part in path:
        if isinstance(part, int):
            continue
        if record is None:
            return None
        by_alias = {field.alias or name: field for name, field in record.model_fields.items()}
        field = by_alias.get(part)
        record = None if field is None else _record_in(field.annotation)
    return record


def _record_in(annotation: Any) -> type[BaseModel] | None:
    """The record inside `X`, `X | None`, `tuple[X, ...]` or `dict[str, X]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in (Union, types.UnionType, tuple, dict, list):
        return next((found for part in get_args(annotation) if (found := _record_in(part)) is not None), None)
    return None


def dump_workload(file: WorkloadFile) -> dict[str, Any]:
    """The file as read, as plain JSON data; reads back to the same record (amounts are exact JSON numbers)."""
    data: dict[str, Any] = _json_ready(file.model_dump(by_alias=True))
    return data


def _json_ready(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _json_ready(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_json_ready(item) for item in value]
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, date):
        return value.isoformat()
    return value


def horizon_months(file: WorkloadFile) -> int:
    """Months of the horizon: as stated, else the whole months that hold every deadline, 12 where a job has none."""
    if file.horizon_months is not None:
        return file.horizon_months
    from optimizer.planning.calendar import month_start_days, months_covering

    months = 1
    for work in file.workloads:
        if work.deadline_days is None:
            return 12
        last_start = work.latest_start_day if work.latest_start_day is not None else work.starts_day
        repeats = work.repeats
        shift_months = 0 if repeats is None else repeats.every_months * (repeats.times - 1)
        shift_days = month_start_days(file.start, shift_months)[-1]
        months = max(months, months_covering(file.start, shift_days + last_start + work.deadline_days))
    return months


def parse_date(text: str) -> date:
    """An ISO date given on the command line; raises InputError."""
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise InputError(Problem("--as-of", "", repr(text), "a date such as 2026-11-30")) from error
