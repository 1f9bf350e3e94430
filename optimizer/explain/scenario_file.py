"""The scenarios file: several futures with weights, each a change of demand, price or speed, or a provider failing."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from optimizer.domain.workload import Number, WorkloadFile
from optimizer.errors import InputError, Problem
from optimizer.planning.wording import expected_words
from optimizer.planning.workload_file import read_utf8
from optimizer.planning.yaml_core import Document, dotted, parse

MOST_SCENARIOS = 24
Factor = Annotated[Decimal, Field(gt=0, allow_inf_nan=False), Number]


class Scenario(BaseModel):
    """One future. `demand`, `speed`: of every workload, or by workload name. `price`: of hours and spot, not of terms.

    Terms are committed now at today's prices; what is rented by the hour later costs what it costs then.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(min_length=1)]
    weight: Factor
    demand: Factor | dict[str, Factor] = Decimal(1)
    price: Factor = Decimal(1)
    speed: Factor | dict[str, Factor] = Decimal(1)
    failing: tuple[str, ...] = ()

    def demand_of(self, work: str) -> float:
        """What a workload's amount of work is multiplied by."""
        return _of(self.demand, work)

    def speed_of(self, work: str) -> float:
        """What a workload's speed is multiplied by."""
        return _of(self.speed, work)


def _of(factor: Decimal | dict[str, Decimal], work: str) -> float:
    return float(factor.get(work, Decimal(1)) if isinstance(factor, dict) else factor)


class ScenarioFile(BaseModel):
    """All futures; their weights sum to 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    scenarios: Annotated[tuple[Scenario, ...], Field(min_length=1, max_length=MOST_SCENARIOS)]

    @model_validator(mode="after")
    def _weights_sum_to_one(self) -> "ScenarioFile":
        total = sum((scenario.weight for scenario in self.scenarios), Decimal(0))
        if abs(total - 1) > Decimal("1e-9"):
            raise ValueError(f"weights that sum to 1; they sum to {total}")
        names = [scenario.name for scenario in self.scenarios]
        if len(set(names)) < len(names):
            raise ValueError("scenario names that differ")
        return self

    @property
    def weights(self) -> tuple[Fraction, ...]:
        """The weights, exact."""
        return tuple(Fraction(scenario.weight) for scenario in self.scenarios)


def read_scenarios(path: Path, file: WorkloadFile) -> ScenarioFile:
    """Read and check a scenarios file against the workload file.

    Raises:
        InputError: every problem of the file at once, and what a plan over scenarios cannot hold yet.
    """
    document = parse(read_utf8(path), str(path))
    try:
        found = ScenarioFile.model_validate(document.data)
    except ValidationError as error:
        raise InputError(_problems(error, document)) from error
    problems = [*_unknown_works(found, file, str(path)), *_not_held(file)]
    if problems:
        raise InputError(problems)
    return found


def _problems(error: ValidationError, document: Document) -> list[Problem]:
    """One problem for each place; alternatives of a union are joined, what only repeats one further in is left out."""
    wrong: dict[tuple[int | str, ...], list[dict[str, Any]]] = {}
    for item in error.errors(include_url=False):
        place = tuple(part for part in item["loc"] if not _is_tag(part))
        wrong.setdefault(place, []).append(dict(item))
    causes = [place for place in wrong if not any(one != place and one[: len(place)] == place for one in wrong)]
    return [_problem(document, place, wrong[place]) for place in causes]


def _is_tag(part: int | str) -> bool:
    """Whether a part of a location names an alternative of a union and no place of the file."""
    return isinstance(part, str) and part.endswith("]") and part.startswith(("function-", "dict["))


def _problem(document: Document, place: tuple[int | str, ...], items: list[dict[str, Any]]) -> Problem:
    """One problem in the words of the workload file's."""
    field, line, first = dotted(place), document.line(place), items[0]
    if first["type"] == "missing":
        return Problem(document.file, field, "nothing", "this field, which is mandatory", line)
    if first["type"] == "extra_forbidden":
        return Problem(document.file, field, "an unknown field", "a known field", line)
    found = "values that do not go together" if first["type"] == "value_error" else str(first.get("input"))[:60]
    expected = ", or ".join(dict.fromkeys(map(expected_words, items)))
    return Problem(document.file, field, found, expected, line)


def _unknown_works(found: ScenarioFile, file: WorkloadFile, path: str) -> list[Problem]:
    names = [work.name for work in file.workloads]
    named = {
        name for scenario in found.scenarios for factors in (scenario.demand, scenario.speed)
        if isinstance(factors, dict) for name in factors
    }  # fmt: skip
    expected = f"a workload of the file: {', '.join(names)}"
    return [Problem(path, "scenarios", repr(name), expected) for name in sorted(named - set(names))]


def _not_held(file: WorkloadFile) -> list[Problem]:
    """Limits that tie the futures' cash or hours together are refused rather than left out (ADR 0103)."""
    given = {
        "monthly_budget": file.monthly_budget is not None,
        "max_hourly": file.max_hourly is not None,
        "quotas": bool(file.quotas),
        "workloads.window": any(work.window is not None for work in file.workloads),
    }
    hint = "Take it out with --set, or plan each scenario alone."
    return [
        Problem("workload", field, "a limit", "none: --scenarios does not hold it yet", None, hint)
        for field, is_given in given.items()
        if is_given
    ]
