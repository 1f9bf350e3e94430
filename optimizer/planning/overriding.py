"""`--set path=value`: what-ifs written into the data of a workload file before it is checked."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from optimizer.domain.workload import Work
from optimizer.errors import InputError, Problem
from optimizer.planning.yaml_core import Path_, dotted, parse, resolve_scalar

_WORK_FIELDS = frozenset(Work.model_fields)
_ONLY_WORKLOAD = "workloads.0."


def apply_overrides(data: dict[str, Any], overrides: Sequence[str]) -> tuple[str, ...]:
    """Write `path=value` into plain data, each in turn; the paths written, workloads by position.

    A value is read as a YAML scalar or flow collection.

    Raises:
        InputError: no such place, or it is not clear which workload is meant.
    """
    return tuple(_apply(data, override) for override in overrides)


def of_override(problem: Problem, written: Sequence[str], lines: Collection[Path_] = ()) -> Problem:
    """A problem of a field that `--set` wrote stands on the command line, not on a line of the file.

    That is the field itself, what is in it, or a group around it that the file (its `lines`) does not have.
    """
    field = problem.field.removeprefix(_ONLY_WORKLOAD)
    in_file = {dotted(path).removeprefix(_ONLY_WORKLOAD) for path in lines}
    for path in (path.removeprefix(_ONLY_WORKLOAD) for path in written):
        is_in_it = field == path or field.startswith(f"{path}.")
        is_around_it = field and path.startswith(f"{field}.") and lines and field not in in_file
        if is_in_it or is_around_it:
            return replace(problem, file="--set", line=None)
    return problem


def _apply(data: dict[str, Any], override: str) -> str:
    path_text, equals, value_text = override.partition("=")
    if not equals or not path_text.strip():
        raise InputError(Problem("--set", "", repr(override), "path=value, such as workloads.0.hours_per_day=12"))
    keys = _keys_in(data, path_text.strip().split("."), override)
    target: Any = data
    for position, key in enumerate(keys[:-1]):
        keys[position] = _place(target, key, override)
        target = _step(target, keys[position], ".".join(keys[: position + 1]))
    keys[-1] = _place(target, keys[-1], override)
    value = _value(value_text)
    if isinstance(target, list):
        target[int(keys[-1])] = value
    else:
        target[keys[-1]] = value
    return ".".join(keys)


def _keys_in(data: dict[str, Any], keys: list[str], override: str) -> list[str]:
    """The keys as this file has them: a single workload may stand at the top or in the list, and be set either way."""
    works = data.get("workloads")
    if works is None and keys[0] == "workloads" and len(keys) > 2 and keys[1] in ("0", data.get("name")):
        return keys[2:]
    if isinstance(works, list) and keys[0] in _WORK_FIELDS:
        if len(works) != 1:
            path = f"workloads.NAME.{'.'.join(keys)}"
            raise InputError(Problem("--set", override, f"{len(works)} workloads", f"which one is meant: {path}=value"))
        return ["workloads", "0", *keys]
    return keys


def _value(text: str) -> Any:
    if text.strip()[:1] in ("[", "{", '"', "'"):
        return parse(text, "--set").data
    return resolve_scalar(text.strip())


def _place(target: Any, key: str, override: str) -> str:
    """A key as it stands in the data: list items may be named instead of counted."""
    return str(_index(target, key, override)) if isinstance(target, list) else key


def _step(target: Any, key: str, path: str) -> Any:
    if isinstance(target, list):
        return target[int(key)]
    child = target.get(key)
    if child is None:
        child = target[key] = {}
    if not isinstance(child, dict | list):
        raise InputError(Problem("--set", path, f"the value {child!r}", "a group of fields"))
    return child


def _index(items: list[Any], key: str, override: str) -> int:
    """A list position by number or by the item's name."""
    for position, item in enumerate(items):
        if key == str(position) or (isinstance(item, dict) and item.get("name") == key):
            return position
    names = ", ".join(str(item.get("name", n)) if isinstance(item, dict) else str(n) for n, item in enumerate(items))
    raise InputError(Problem("--set", override, key, f"one of {names}"))
