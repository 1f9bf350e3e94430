"""Candidates: a supply, a number of nodes and the fastest layout that fits there, with what the rules say of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from optimizer.domain.fit import Fit, Hardware, Misfit
from optimizer.domain.model import ModelShape, Training
from optimizer.domain.offer import Machine, Rdma
from optimizer.domain.workload import Work
from optimizer.planning.storage import StoragePlan
from optimizer.planning.supply import Supply

if TYPE_CHECKING:
    from optimizer.sizing import Calibration

EXHAUSTIVE_NODES = 16


@dataclass(frozen=True)
class Candidate:
    """One configuration of one workload: supply x nodes x layout (the fastest that fits).

    `gpus_per_node` is less than the machine's only on shareable units. `run_hours` of a job without interruptions;
    `tokens_per_second` is the speed planned with (the pessimistic end when a confidence is asked for).
    `spot_rate` is the interruptions per node-hour when the whole job runs on spot, else None.
    """

    index: int
    work: int
    supply: Supply
    nodes: int
    gpus_per_node: int
    fit: Fit | None
    tokens_per_second: float | None
    run_hours: float | None
    storage: StoragePlan
    spot_rate: float | None = None

    @property
    def is_spot(self) -> bool:
        """Whether the whole job runs on spot."""
        return self.spot_rate is not None

    @property
    def is_whole(self) -> bool:
        """Whether it takes whole machines."""
        return self.gpus_per_node == self.supply.machine.gpu_count

    @cached_property
    def lexical(self) -> tuple[tuple[int, str], int, tuple[object, ...], bool]:
        """Its place in the tie order: pool (paid ones first, the smaller before the larger), nodes, layout, spot."""
        layout: tuple[object, ...] = ()
        if self.fit is not None:
            choice = self.fit.layout
            layout = (choice.zero, choice.tp, choice.pp, choice.dp, choice.micro_batch, choice.checkpointing)
        return (self.supply.order, self.nodes, (self.gpus_per_node, *layout), self.is_spot)


@dataclass(frozen=True)
class WorkFacts:
    """One workload with what is derived from it once: shape, training, node counts."""

    index: int
    work: Work
    shape: ModelShape | None
    training: Training | None
    calibration: "Calibration | None" = None


def node_counts(max_nodes: int) -> tuple[int, ...]:
    """Every count up to 16, then every fourth to 64 and every sixteenth above, and the limit itself (ADR 0005)."""
    counts = [count for count in range(1, max_nodes + 1) if _is_counted(count)]
    return tuple(dict.fromkeys([*counts, max_nodes]))


def _is_counted(count: int) -> bool:
    if count <= EXHAUSTIVE_NODES:
        return True
    return count % 4 == 0 if count <= 64 else count % 16 == 0


def shares_of(gpus: int) -> tuple[int, ...]:
    """GPU counts below the whole machine that a shareable unit can give: powers of two dividing it."""
    return tuple(share for share in (1, 2, 4, 8, 16) if share < gpus and gpus % share == 0)


class Sizes:
    """What sizing says, asked once for each different training and machine: workloads often train alike."""

    def __init__(self) -> None:
        self._hardware: dict[tuple[int, int], Hardware] = {}
        self._fits: dict[tuple[Training, tuple[int, ...]], dict[Hardware, list[Fit | Misfit]]] = {}

    def hardware(self, supply: Supply, gpus: int) -> Hardware:
        """So many GPUs of one of the supply's machines, as sizing sees them."""
        from optimizer.sizing import hardware_of

        known = self._hardware.get((id(supply), gpus))
        if known is None:
            known = self._hardware[id(supply), gpus] = hardware_of(supply.machine, supply.gpu, gpus=gpus)
        return known

    def fits(
        self, training: Training, hardwares: Sequence[Hardware], counts: tuple[int, ...]
    ) -> list[list[Fit | Misfit]]:
        """The fastest fitting layout for every hardware and node count (sizing does it in one sweep)."""
        from optimizer.sizing import fits_over

        known = self._fits.setdefault((training, counts), {})
        missing = [hardware for hardware in hardwares if hardware not in known]
        if missing:
            known.update(zip(missing, fits_over(training, missing, counts), strict=True))
        return [known[hardware] for hardware in hardwares]


def is_cluster_capable(supply: Supply) -> bool:
    """Whether nodes of a supply can be joined at all."""
    return can_be_joined(supply.machine)


def can_be_joined(machine: Machine) -> bool:
    """Whether machines can be joined at all: a closed "no network" never; unknown stays possible."""
    return machine.network_gbit_per_s is not None or machine.rdma is not Rdma.NONE


def distinct(hardwares: Iterable[Hardware]) -> dict[Hardware, int]:
    """Each different hardware once, with its position."""
    positions: dict[Hardware, int] = {}
    for hardware in hardwares:
        positions.setdefault(hardware, len(positions))
    return positions
