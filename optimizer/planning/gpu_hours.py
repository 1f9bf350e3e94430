"""Work given as hours on a named GPU: the run time on other machines by relative speed."""

from optimizer.catalog import Catalog
from optimizer.domain.fit import Hardware
from optimizer.domain.gpu import Gpu
from optimizer.domain.offer import Machine
from optimizer.planning.candidates import WorkFacts
from optimizer.planning.supply import Supply


def run_hours_of(facts: WorkFacts, supply: Supply, gpus: int, catalog: Catalog) -> float | None:
    """Hours of the whole job on `gpus` GPUs of a supply; `None` where the speed is not known.

    GPU hours divide over GPUs without loss (what the user states is work, not a scaling curve). Without a model
    only the named GPU qualifies (design, section 2).
    """
    wanted = facts.work.gpu_hours
    if wanted is None:
        return None
    named = catalog.find_gpu(wanted.gpu)
    if supply.machine.gpu_model == named:
        return wanted.hours / gpus
    if named is None or facts.shape is None:
        return None
    from optimizer.sizing import gpu_hours_speed

    speed = gpu_hours_speed(_lone(catalog.gpus[named]), _lone(supply.gpu), facts.work.precision)
    return None if speed is None else wanted.hours / speed / gpus


def _lone(gpu: Gpu) -> Hardware:
    """The GPU by itself, as sizing compares speeds."""
    from optimizer.sizing import hardware_of

    machine = Machine(
        provider="-",
        instance_type="-",
        gpu_model=gpu.model,
        gpu_count=1,
        gpu_memory_gib=gpu.memory_gib,
        gpu_memory_usable_gib=gpu.usable_memory_gib,
    )
    return hardware_of(machine, gpu)
