"""Verifying a plan file with the catalog's fact tables."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from optimizer.domain.plan import Plan
from optimizer.errors import InputError, Problem

if TYPE_CHECKING:
    from optimizer.catalog import Catalog
    from optimizer.verify import Check

MAX_BYTES = 100_000_000
MAX_SHOWN = 60
#: The version of plan files that this program writes and reads.
SCHEMA_VERSION: int = Plan.model_fields["schema_version"].default


def read_plan(path: Path) -> Plan:
    """Read and check a plan file.

    Raises:
        InputError: missing, not UTF-8, not JSON, or not a plan: every problem with its field path.
    """
    text = _read(path)
    try:
        data = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise InputError(Problem(str(path), "", "too many levels", "a plan file (JSON)")) from error
    except ValueError as error:
        line = getattr(error, "lineno", None)
        raise InputError(Problem(str(path), "", str(error), "a plan file (JSON)", line)) from error
    if not isinstance(data, dict):
        raise InputError(Problem(str(path), "", type(data).__name__, "a plan file: an object with status, cost, ..."))
    _refuse_other_version(path, data)
    try:
        return Plan.model_validate(data)
    except ValidationError as error:
        raise InputError([_problem(path, item) for item in error.errors(include_url=False)]) from error


def _refuse_other_version(path: Path, data: dict[str, Any]) -> None:
    """A plan of another version says so once, instead of a list of fields that moved."""
    version = data.get("schema_version", SCHEMA_VERSION)
    if version != SCHEMA_VERSION:
        hint = "Plan the workload again with this version of optimize, or use the version that wrote the file."
        raise InputError(Problem(str(path), "schema_version", repr(version), str(SCHEMA_VERSION), suggestion=hint))


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number of JSON")


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(Problem(str(path), "", f"{path.stat().st_size} bytes", f"at most {MAX_BYTES} bytes"))
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise InputError(Problem(str(path), "", error.strerror or str(error), "a plan file")) from error
    except UnicodeDecodeError as error:
        raise InputError(Problem(str(path), "", f"byte {error.start} is not UTF-8", "a plan file in UTF-8")) from error


def _problem(path: Path, item: Any) -> Problem:
    field = ".".join(str(step) for step in item["loc"])
    found = repr(item["input"])
    shown = found if len(found) <= MAX_SHOWN else f"{found[:MAX_SHOWN]}..."
    if item["type"] == "missing":
        return Problem(str(path), field, "nothing", "this field, which is mandatory")
    if item["type"] == "extra_forbidden":
        return Problem(str(path), field, "an unknown field", "a field of a plan file (`optimize schema plan`)")
    return Problem(str(path), field, shown, str(item["msg"]).removeprefix("Input should be "))


def failed_checks(plan: Plan, catalog: "Catalog | None" = None) -> "tuple[Check, ...]":
    """The checks of a plan's own figures that fail; none where it says that nothing is feasible.

    Rules are judged anew with the facts and words of today, which may have moved since: that breaks no figure. Facts
    are those of a catalog, by default the shipped one.
    """
    from optimizer.app.facts import verify_facts
    from optimizer.catalog import load_catalog
    from optimizer.verify import verify_plan

    if plan.cost is None:
        return ()
    checks = verify_plan(plan, verify_facts(plan, catalog or load_catalog(None)))
    return tuple(check for check in checks if not check.ok and not check.id.startswith("rules."))


def verify_with_catalog(plan: Plan, catalog_directory: Path | None = None) -> "tuple[Check, ...]":
    """Recount a plan with the fact tables of the shipped catalog, or of a directory.

    Raises:
        CatalogError: the fact tables are missing or damaged.
    """
    from optimizer.app.facts import verify_facts
    from optimizer.catalog import load_catalog
    from optimizer.verify import verify_plan

    return verify_plan(plan, verify_facts(plan, load_catalog(catalog_directory)))
