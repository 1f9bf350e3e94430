"""What every check reads: the plan, its workload file read again, its offers and months by name."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from optimizer.domain.gpu import Gpu
from optimizer.domain.model import ModelShape
from optimizer.domain.offer import Offer
from optimizer.domain.plan import Assignment, Plan
from optimizer.domain.units import BYTES_PER_GB, BYTES_PER_TIB
from optimizer.domain.workload import Work, WorkloadFile
from optimizer.verify.calendar import date_of, month_starts, months_later

if TYPE_CHECKING:
    from optimizer.sizing import Calibration

#: The provider name under which the user's own machines travel.
OWNED = "owned"
OWNED_REGION = "on-prem"


@dataclass(frozen=True, slots=True)
class StoreFacts:
    """What a storage product states of itself; `None` is not stated.

    `rate_gbyte_per_s` of one volume, or of each TiB where `rate_per_tib`; `shared`: one store that all nodes read.
    """

    rate_gbyte_per_s: float | None
    rate_per_tib: bool = False
    iops: float | None = None
    min_size_gb: float = 0.0
    shared: bool = False

    def rate_of(self, size_gb: float) -> float | None:
        """GB/s of a volume of this size."""
        if self.rate_gbyte_per_s is None or not self.rate_per_tib:
            return self.rate_gbyte_per_s
        return self.rate_gbyte_per_s * size_gb * BYTES_PER_GB / BYTES_PER_TIB


@dataclass(frozen=True)
class VerifyFacts:
    """Facts that a plan file does not carry, by name: GPUs, model presets, storage products, spellings of GPUs.

    `stores` are keyed (provider, region, product), `gpu_names` map a spelling of the file to a model,
    `calibrations` a workload's name to what its measured run corrects. Without `gpus`
    memory, speed and rules are not recounted.
    """

    gpus: Mapping[str, Gpu] = field(default_factory=dict)
    models: Mapping[str, ModelShape] = field(default_factory=dict)
    stores: Mapping[tuple[str, str, str], StoreFacts] = field(default_factory=dict)
    gpu_names: Mapping[str, str] = field(default_factory=dict)
    calibrations: Mapping[str, "Calibration"] = field(default_factory=dict)


@dataclass(frozen=True)
class Context:
    """One plan with everything looked up once. `months` are the day numbers of cash months, the end included."""

    plan: Plan
    file: WorkloadFile
    offers: Mapping[str, Offer]
    works: Mapping[str, Work]
    months: tuple[int, ...]
    facts: VerifyFacts

    def offer_of(self, assignment: Assignment) -> Offer | None:
        """The offer that an assignment runs on, when it travels with the plan."""
        return self.offers.get(pool_of(assignment))

    def date(self, day: int) -> date:
        """The date of a day number."""
        return date_of(self.plan.start, day)

    def task_start(self, work: Work, repetition: int) -> int:
        """The earliest day of a job's repetition: `starts_day` counted from whole calendar months after the start."""
        months = repetition * (work.repeats.every_months if work.repeats else 0)
        return work.starts_day + (months_later(self.plan.start, months) - self.plan.start).days


def pool_of(row: Any) -> str:
    """The pool's name of an assignment or a machine line: provider/region/instance_type."""
    return f"{row.provider}/{row.region}/{row.instance_type}"


def label(assignment: Assignment) -> str:
    """The name of an assignment in check ids."""
    repetition = f"#{assignment.repetition}" if assignment.repetition else ""
    return f"{assignment.workload}{repetition}@{assignment.from_day}"


def build_context(plan: Plan, facts: VerifyFacts) -> Context:
    """Read the plan's inputs again and index its offers.

    Raises:
        ValidationError: `inputs` is not a workload file.
        ValueError, OverflowError: start and horizon leave the calendar.
    """
    file = read_inputs(plan.inputs)
    return Context(
        plan=plan,
        file=file,
        offers={offer.key: offer for offer in plan.offers},
        works={work.name: work for work in file.workloads},
        months=month_starts(plan.start, plan.horizon_months),
        facts=facts,
    )


def read_inputs(inputs: Mapping[str, Any]) -> WorkloadFile:
    """The workload file as it travelled: JSON turned its decimals into text, which the file itself refuses."""
    data: Any = dict(inputs)
    try:
        return WorkloadFile.model_validate(data)
    except ValidationError as error:
        for problem in error.errors():
            if isinstance(problem["input"], str):
                data = _as_number(data, problem["loc"])
    return WorkloadFile.model_validate(data)


def _as_number(data: Any, path: tuple[int | str, ...]) -> Any:
    """A copy of nested data in which the text at `path` is a decimal, where it reads as one."""
    if not path:
        try:
            return Decimal(data)
        except ArithmeticError:
            return data
    key, rest = path[0], path[1:]
    if isinstance(data, dict) and key in data:
        return {**data, key: _as_number(data[key], rest)}
    if isinstance(data, list | tuple) and isinstance(key, int):
        return [*data[:key], _as_number(data[key], rest), *data[key + 1 :]]
    return data
