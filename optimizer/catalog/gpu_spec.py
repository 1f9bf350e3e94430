"""GPU requests as people write them: `H100:8`, `A100:80GB`, `24GB..80GB`, `A100*:40GB..80GB:4..8`, comma lists."""

import re
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from optimizer.catalog.names import folded
from optimizer.domain.units import NOMINAL_MEMORY_TOLERANCE
from optimizer.errors import InputError, Problem

if TYPE_CHECKING:
    from optimizer.catalog.catalog import Catalog

_COUNT = re.compile(r"^(\d+)?(\.\.)?(\d+)?$")
_MEMORY = re.compile(r"^(?:(\d+(?:\.\d+)?)(?:G|GB|GiB))?(\.\.)?(?:(\d+(?:\.\d+)?)(?:G|GB|GiB))?$", re.IGNORECASE)
_MEMORY_IN_ID = re.compile(r"(?:^|-)(\d+)GB(?:-|$)")
_SEPARATORS = re.compile(r"[\s_-]+")


class Hardware(Protocol):
    """The facts of a machine that searches ask for: a `Machine`, or its `Facets` in the table of sales."""

    @property
    def gpu_model(self) -> str: ...
    @property
    def gpu_count(self) -> int: ...
    @property
    def gpu_fraction(self) -> float | None: ...
    @property
    def gpu_memory_gib(self) -> float: ...
    @property
    def memory_type(self) -> str | None: ...
    @property
    def memory_bandwidth_gbyte_per_s(self) -> float | None: ...
    @property
    def intra_link(self) -> str | None: ...
    @property
    def rdma(self) -> str | None: ...
    @property
    def local_nvme_gb(self) -> float | None: ...
    @property
    def pcie_generation(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class Range:
    """A closed range; `None` is open."""

    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class GpuSpec:
    """One request: name (a family, an exact id or a pattern), memory of one GPU in GB as sold, GPUs a machine."""

    text: str
    name: str | None = None
    memory_gb: Range | None = None
    count: Range | None = None

    def accepts(self, machine: Hardware) -> bool:
        """Whether a machine meets the request. A share of a card never meets a count."""
        return (
            (self.name is None or name_accepts(self.name, machine.gpu_model))
            and (self.memory_gb is None or _memory_fits(machine, self.memory_gb))
            and (self.count is None or _count_fits(machine, self.count))
        )


def parse_gpu_specs(text: str) -> tuple[GpuSpec, ...]:
    """The requests of a comma list; a machine has to meet one of them.

    Raises:
        InputError: a part is neither a name nor a memory size nor a count.
    """
    specs, problems = [], []
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        try:
            specs.append(_parse(part))
        except ValueError as error:
            problems.append(
                Problem(
                    "gpu",
                    "",
                    repr(part),
                    "NAME, NAME:COUNT, NAME:80GB, 24GB..80GB or NAME:80GB:COUNT",
                    suggestion=f"{error}.",
                )
            )
    if problems or not specs:
        raise InputError(problems or [Problem("gpu", "", repr(text), "at least one GPU, such as A100:80GB")])
    return tuple(specs)


def _parse(text: str) -> GpuSpec:
    name: str | None = None
    memory: Range | None = None
    count: Range | None = None
    for position, field in enumerate(text.split(":")):
        if not field:
            raise ValueError("A part between colons is empty")
        if found := _MEMORY.match(field):
            memory = _once(memory, _range(found, field), "memory")
        elif (found := _COUNT.match(field)) and position > 0:
            count = _once(count, _range(found, field), "count")
        elif position == 0:
            name = field
        else:
            raise ValueError(f"{field!r} is neither a memory size nor a count")
    return GpuSpec(text, name, memory, count)


def _once(known: Range | None, new: Range, what: str) -> Range:
    if known is not None:
        raise ValueError(f"The {what} is given twice")
    return new


def _range(found: re.Match[str], text: str) -> Range:
    low, dots, high = found.groups()
    if low is None and high is None:
        raise ValueError(f"{text!r} has no number")
    first = float(low) if low else None
    last = (float(high) if high else None) if dots else first
    if first is not None and last is not None and first > last:
        raise ValueError(f"{text!r} runs downwards")
    return Range(first, last)


@lru_cache(maxsize=4096)
def name_accepts(name: str, model: str) -> bool:
    """Whether a requested name means a canonical id: a pattern, the id itself, or some of its parts.

    `A100` means every A100, `A100-80GB` every A100 of 80 GB, `H100-MEGA` nothing: no name stands for another.
    """
    if any(mark in name for mark in "*?["):
        return fnmatchcase(model.casefold(), name.casefold())
    parts = set(_SEPARATORS.split(model.casefold()))
    wanted = folded(name)
    return wanted == folded(model) or wanted in parts or set(_SEPARATORS.split(name.casefold())) <= parts


def _memory_fits(machine: Hardware, wanted: Range) -> bool:
    sizes = [machine.gpu_memory_gib]
    label = _MEMORY_IN_ID.search(machine.gpu_model)
    if label and machine.gpu_fraction is None:
        sizes.append(float(label.group(1)))
    low = (wanted.low or 0) * (1 - NOMINAL_MEMORY_TOLERANCE)
    high = float("inf") if wanted.high is None else wanted.high * (1 + NOMINAL_MEMORY_TOLERANCE)
    return any(low <= size <= high for size in sizes)


def _count_fits(machine: Hardware, wanted: Range) -> bool:
    if machine.gpu_fraction is not None:
        return False
    low = wanted.low or 1
    return low <= machine.gpu_count and (wanted.high is None or machine.gpu_count <= wanted.high)


def known_specs(specs: tuple[GpuSpec, ...], catalog: "Catalog") -> tuple[GpuSpec, ...]:
    """The requests with spellings such as `NVIDIA A100-SXM4-80GB` read as the exact id that they are an alias of.

    Raises:
        InputError: a name means no GPU of the catalog; the message names near ones.
    """
    problems, known = [], []
    for spec in specs:
        if spec.name is None or any(name_accepts(spec.name, model) for model in catalog.gpus):
            known.append(spec)
        elif (model := catalog.find_gpu(spec.name)) is not None:
            known.append(replace(spec, name=model))
        else:
            near = catalog.near_gpus(spec.name)
            hint = f"Did you mean {' or '.join(near[:3])}?" if near else None
            problems.append(Problem("gpu", "", repr(spec.name), "a GPU of the catalog", suggestion=hint))
    if problems:
        raise InputError(problems)
    return tuple(known)
