"""Whether the hardware of offers agrees with the GPU table and the region table."""

from collections.abc import Iterable, Iterator

from optimizer.catalog.catalog import Catalog
from optimizer.catalog.findings import CheckFinding, Level, finding_of
from optimizer.domain.gpu import Gpu
from optimizer.domain.offer import IntraLink, Machine, Mark, Offer
from optimizer.domain.units import NOMINAL_MEMORY_TOLERANCE

_NVLINK_KINDS = (IntraLink.NVSWITCH, IntraLink.NVLINK, IntraLink.NVLINK_PAIRS)
#: Figures of drivers differ in the last digits.
_ROUNDING = 1.01


def check_machines(catalog: Catalog, offers: Iterable[Offer]) -> Iterator[CheckFinding]:
    """Each machine and each region once, and the marks of shares of a GPU.

    A region that a refresh or an import brought is a warning: its country is unknown, which no filter takes for a yes.
    """
    unknown_region = Level.ERROR if len(catalog.layers) == 1 else Level.WARN
    seen: set[tuple[str, str, int]] = set()
    places: set[tuple[str, str]] = set()
    for offer in offers:
        place = (offer.provider, offer.region)
        if place not in places and catalog.region(*place) is None:
            yield finding_of("region", unknown_region, offer, None, offer.region)
        places.add(place)
        yield from _fractions(offer)
        identity = (offer.provider, offer.instance_type, id(offer.machine))
        if identity not in seen:
            seen.add(identity)
            yield from _machine(catalog, offer)


def _machine(catalog: Catalog, offer: Offer) -> Iterator[CheckFinding]:
    machine = offer.machine
    gpu = catalog.gpus.get(machine.gpu_model)
    if gpu is None:
        yield finding_of("gpu", Level.ERROR, offer, None, machine.gpu_model)
        return
    if machine.compute_capability != gpu.compute_capability:
        found = f"{machine.compute_capability} against {gpu.compute_capability}"
        yield finding_of("capability", Level.ERROR, offer, None, found)
    problem = _memory_problem(machine, gpu)
    if problem:
        yield finding_of("memory", Level.ERROR, offer, None, problem)
    for found in _disagreements(machine, gpu):
        yield finding_of("hardware", Level.ERROR, offer, None, found)


def _disagreements(machine: Machine, gpu: Gpu) -> Iterator[str]:
    """Facts of a machine that its GPU cannot have; a figure that either side does not know agrees with all."""
    for name in ("memory_type", "memory_bandwidth_gbyte_per_s"):
        stated, known = getattr(machine, name), getattr(gpu, name)
        if stated is not None and known is not None and stated != known:
            yield f"{name} {stated} against {known}"
    width = machine.pcie_width_measured
    if width is not None and gpu.pcie_lanes is not None and width > gpu.pcie_lanes:
        yield f"pcie_width_measured {width} against {gpu.pcie_lanes}"
    if machine.intra_link in _NVLINK_KINDS:
        speed, most = machine.intra_link_gbyte_per_s, gpu.nvlink_gbyte_per_s
        if most is None:
            yield f"intra_link {machine.intra_link.value} of a GPU without NVLink on record"
        elif speed is not None and speed > most:
            yield f"intra_link_gbyte_per_s {speed:g} above the GPU's {most:g}"


def _memory_problem(machine: Machine, gpu: Gpu) -> str:
    nominal_gib = gpu.memory_gib
    if machine.gpu_fraction is None and machine.gpu_memory_usable_gib > gpu.usable_memory_gib * _ROUNDING:
        return f"usable {machine.gpu_memory_usable_gib:g} above the driver's {gpu.usable_memory_gib:g} GiB"
    if machine.gpu_memory_usable_gib > machine.gpu_memory_gib * (1 + NOMINAL_MEMORY_TOLERANCE):
        return f"usable {machine.gpu_memory_usable_gib:g} above nominal {machine.gpu_memory_gib:g} GiB"
    largest = nominal_gib * (1 + NOMINAL_MEMORY_TOLERANCE)
    smallest = 0.0 if machine.gpu_fraction is not None else nominal_gib * (1 - NOMINAL_MEMORY_TOLERANCE)
    if smallest <= machine.gpu_memory_gib <= largest:
        return ""
    return f"{machine.gpu_memory_gib:g} GiB for a GPU of {nominal_gib:g} GiB"


def _fractions(offer: Offer) -> Iterator[CheckFinding]:
    if offer.machine.gpu_fraction is None:
        return
    for price in offer.prices:
        if Mark.FRACTIONAL not in price.marks:
            yield finding_of(
                "fraction", Level.ERROR, offer, price, f"a share of {offer.machine.gpu_fraction:g}, unmarked"
            )
