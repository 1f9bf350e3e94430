"""GPU names and machines: the name decides the model, the stated memory must agree with it."""

from typing import Any

from pydantic import ValidationError

from optimizer.domain.gpu import Gpu
from optimizer.domain.offer import Machine
from providers._kit.contract import Naming, Unreadable

#: Reported sizes run from 93 % of nominal (ECC on GDDR, B300) to nominal read as GB instead of GiB.
_LEAST_MEMORY_RATIO = 0.9
_MOST_MEMORY_RATIO = 1.08
#: How host memory is known where the provider writes GB: memory modules come in powers of two, so GiB is meant.
STATED_AS_GB = "derived: stated in GB, taken as GiB"


def find_gpu(context: Naming, provider: str, label: str, memory_gib: float | None) -> Gpu:
    """The GPU behind a provider's name.

    Raises:
        Unreadable: unknown name (kept for review), or stated memory that does not belong to the model.
    """
    gpu = context.find_gpu(label, memory_gib, provider)
    if gpu is None:
        size = f" with {memory_gib:g} GiB" if memory_gib else ""
        raise Unreadable(f"GPU {label!r}{size} is no model that we can name with certainty", quarantined=True)
    if memory_gib is not None:
        check_memory(gpu, label, memory_gib)
    return gpu


def memory_fits(gpu: Gpu, memory_gib: float) -> bool:
    """Whether a stated size per GPU can be this model's."""
    return _LEAST_MEMORY_RATIO <= memory_gib / gpu.memory_gib <= _MOST_MEMORY_RATIO


def check_memory(gpu: Gpu, label: str, memory_gib: float) -> None:
    """Refuse a 40 GB card sold under the name of an 80 GB one, a total read as per GPU, a unit mixed up."""
    if not memory_fits(gpu, memory_gib):
        raise Unreadable(
            f"{label!r}: found {memory_gib:g} GiB per GPU, expected about {gpu.memory_gib:g} for {gpu.model}",
            quarantined=True,
        )


def build_machine(
    context: Naming,
    provider: str,
    instance_type: str,
    *,
    gpu_label: str,
    gpu_count: int,
    known_as: str | None = None,
    memory_gib: float | None = None,
    gpu_fraction: float | None = None,
    source: str,
    **facts: Any,
) -> Machine:
    """A machine with its GPU named.

    Args:
        known_as: the standard name, where the adapter knows it and the provider's label says too little.
        memory_gib: per GPU as the provider states it (of the share, when `gpu_fraction` is given).
        facts: further fields of `Machine`; unknown ones are left out or `None`. What the GPU's data sheet says (kind,
            bandwidth of its memory, compute capability) need not be given.

    Raises:
        Unreadable: the GPU cannot be named, or the count is not a whole number of at least one.
    """
    if gpu_count < 1:
        raise Unreadable(f"found {gpu_count} GPUs, expected at least one")
    whole_memory_gib = memory_gib / gpu_fraction if memory_gib and gpu_fraction else memory_gib
    gpu = find_gpu(context, provider, known_as or gpu_label, whole_memory_gib)
    share = gpu_fraction or 1.0
    nominal_gib = memory_gib if gpu_fraction and memory_gib else gpu.memory_gib * share
    usable_gib = min(gpu.usable_memory_gib * share, memory_gib or float("inf"))
    return _checked(
        provider=provider,
        instance_type=instance_type,
        gpu_model=gpu.model,
        gpu_label=gpu_label,
        gpu_count=gpu_count,
        gpu_fraction=gpu_fraction,
        gpu_memory_gib=nominal_gib,
        gpu_memory_usable_gib=usable_gib,
        **{"memory_type": gpu.memory_type, "compute_capability": gpu.compute_capability}
        | {"memory_bandwidth_gbyte_per_s": gpu.memory_bandwidth_gbyte_per_s}
        | {name: value for name, value in facts.items() if value is not None},
        observed=context.today,
        source=source,
    )


def positive(value: float | None) -> float | None:
    """A figure where the source writes 0 for unknown."""
    return value if value else None


def _checked(**fields: Any) -> Machine:
    try:
        return Machine(**{name: value for name, value in fields.items() if value is not None})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise Unreadable(f"{first['loc'][0]}: found {first['input']!r}, expected: {first['msg'].lower()}") from error
