"""The scenarios file: several futures with weights, each a change of demand, price or speed, or a provider failing."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from optimizer.domain.workload import Number, WorkloadFile
from optimizer.errors import InputError, Problem
from optimizer.planning.workload_file import read_utf8
from optimizer.planning.yaml_core import dotted, parse

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
            raise ValueError(f"the weights must sum to 1; they sum to {total}")
        names = [scenario.name for scenario in self.scenarios]
        if len(set(names)) < len(names):
            raise ValueError("scenario names must differ")
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
        problems = [_problem(str(path), document.line(item["loc"]), dict(item)) for item in error.errors()]
        raise InputError(problems) from error
    problems = [*_unknown_works(found, file, str(path)), *_not_held(file)]
    if problems:
        raise InputError(problems)
    return found


def _problem(path: str, line: int | None, item: dict[str, Any]) -> Problem:
    found = "nothing" if item["type"] == "missing" else str(item.get("input"))[:60]
    return Problem(path, dotted(item["loc"]), found, str(item["msg"]).removeprefix("Value error, "), line)


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
