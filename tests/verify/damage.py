"""Every way to change one field of a plan file: a little more, another day, another name, a row less."""

from collections.abc import Iterator
from copy import deepcopy
from datetime import date, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from pydantic import ValidationError

from optimizer.domain.plan import Plan
from optimizer.verify import VerifyFacts, verify_plan
from tests.verify.free_fields import COARSE

Path = tuple[str | int, ...]


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every value that is not a container, with its path; empty containers have none."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, (*path, name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, (*path, index))
    else:
        yield path, value


def dotted(path: Path) -> str:
    """A path as text: purchases.0.cost."""
    return ".".join(str(step) for step in path)


def rows(value: Any, path: Path = ()) -> Iterator[Path]:
    """Every element of every list."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from rows(inner, (*path, name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield (*path, index)
            yield from rows(inner, (*path, index))


def altered(value: Any, path: str = "") -> Iterator[Any]:
    """Other values for a field: the nearest that a reader would notice, and a far one."""
    if path in COARSE and isinstance(value, str):
        yield str(Decimal(value) + Decimal("0.01"))
        return
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield value + 1
    elif isinstance(value, float):
        yield value * 1.001 + 1e-3
    elif value is None:
        yield from (1, "x", "2026-11-02")
    elif isinstance(value, str):
        yield from _altered_text(value)


def _altered_text(value: str) -> Iterator[Any]:
    try:
        number = Decimal(value)
    except InvalidOperation:
        pass
    else:
        yield from (str(number + Decimal("0.000001")), str(number * 2 + 1))
        return
    try:
        day = date.fromisoformat(value)
    except ValueError:
        yield from (value + "x", *OTHER_NAMES.get(value, ()))
    else:
        yield (day + timedelta(days=1)).isoformat()


#: Another member of the same closed list, where a made-up name would be refused on reading.
OTHER_NAMES = {
    "on_demand": ("spot", "month"),
    "spot": ("on_demand",),
    "month": ("year", "on_demand", "hour"),
    "reserved_1y": ("year", "reserved_2y"),
    "owned": ("month",),
    "hour": ("month", "day"),
    "machine": ("storage",),
    "storage": ("egress",),
    "energy": ("colocation",),
    "colocation": ("staff",),
    "maintenance": ("energy",),
    "staff": ("maintenance",),
    "network": ("staff",),
    "move": ("egress",),
    "optimal": ("feasible",),
    "stop": ("continue",),
    "continue": ("stop",),
    "documents": ("strict",),
    "CNY": ("USD",),
    "USD": ("CNY",),
    "list": ("street", "quote"),
    "hard": ("warn",),
    "pass": ("unknown",),
    "unknown": ("pass",),
    "none": ("full",),
    "compute": ("memory_bandwidth",),
}


def replaced(data: Any, path: Path, value: Any) -> Any:
    """A copy with one value changed."""
    copy = deepcopy(data)
    place = copy
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return copy


def without(data: Any, path: Path) -> Any:
    """A copy with one list element less."""
    copy = deepcopy(data)
    place = copy
    for step in path[:-1]:
        place = place[step]
    del place[path[-1]]
    return copy


def is_caught(data: Any, facts: VerifyFacts | None = None) -> bool:
    """Whether a damaged plan file is refused on reading or by a check."""
    try:
        plan = Plan.model_validate(data)
    except ValidationError:
        return True
    return not all(check.ok for check in verify_plan(plan, facts))
