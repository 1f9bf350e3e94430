"""Time of one optimizer step, for all layouts on all machines at once: machines are rows, layouts are columns.

Only sums, products, quotients and comparisons are used, so a layout judged alone gives the same bits as in a crowd.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from optimizer.domain.fit import Hardware
from optimizer.domain.model import Training
from optimizer.sizing.constants import Constants, constants
from optimizer.sizing.costs import Costs
from optimizer.sizing.hardware import links_of
from optimizer.sizing.layouts import Columns
from optimizer.sizing.software import Software, assumed_software
from optimizer.sizing.work import Work, work_of

Grid = NDArray[np.float64]
#: Host memory of a two-socket server with eight DDR4-3200 channels a socket, GB/s, where the rate is not stated.
HOST_RAM_GBYTE_PER_S = 300.0
#: Share of the memory bandwidth that streaming kernels reach (BabelStream on A100 and H100: 0.87 to 0.92).
STREAMING_SHARE = 0.9
#: Tensor TFLOPS for each watt of the board where its power is not stated (H100: 989 / 700).
USUAL_TFLOPS_PER_WATT = 1.4
#: Tensor core generations that behave alike; every other maker's is "other". Gaudi and Ascend reach their peak where
#: power allows: measured 429 of 432 and 1,289 of 1,677 TFLOPS (stas00/ml-engineering, maximum achievable matmul FLOPS),
#: and 328 of the 320 that are listed (limulidae, BF16 on 910B).
GENERATION = {
    "Pascal": "volta", "Volta": "volta", "Turing": "volta", "Ampere": "ampere", "Ada Lovelace": "ampere",
    "Hopper": "hopper", "Blackwell": "hopper", "Blackwell Ultra": "hopper",
    "Gaudi 2": "gaudi", "Gaudi 3": "gaudi", "Da Vinci": "ascend",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Machines:
    """Speed figures of machines, each a column of shape (machines, 1) or flat; rates in FLOP/s and byte/s.

    `network` is the whole node's, `network_of_gpu` each GPU's part of it.
    """

    gpus: Grid
    matrix: Grid
    scores: Grid
    memory: Grid
    pair: Grid
    node: Grid
    network: Grid
    network_of_gpu: Grid
    pcie: Grid
    host_ram: Grid

    def flat(self, rows: NDArray[np.intp]) -> "Machines":
        """The figures of these rows, one after the other."""
        return Machines(*(getattr(self, field.name)[rows, 0] for field in fields(self)))


@dataclass(frozen=True, slots=True)
class Step:
    """Seconds of one optimizer step by what they are spent on, shape (machines, layouts), and its total."""

    matrix: Grid
    scores: Grid
    memory: Grid
    intra_node: Grid
    inter_node: Grid
    bubble: Grid
    fixed: Grid
    total: Grid

    def take(self, indices: NDArray[np.intp]) -> "Step":
        """The entries of a flat step at these places."""
        return Step(*(getattr(self, field.name)[indices] for field in fields(self)))

    def parts(self) -> dict[str, Grid]:
        """The parts by name, without the total."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "total"}


def peak_tflops(hardware: Hardware, precision: str) -> float | None:
    """The data sheet's rate for a precision; fp32 is the plain rate (frameworks leave TF32 off); unknown is None."""
    rates = {
        "fp32": hardware.fp32_tflops,
        "fp16": hardware.fp16_tflops,
        "bf16": hardware.bf16_tflops,
        "fp8": hardware.fp8_tflops,
    }
    return rates[precision]


def machines_of(
    training: Training,
    hardwares: Sequence[Hardware],
    fitted: Constants | None = None,
    software: Software | None = None,
) -> Machines:
    """Speed figures of machines for one run; every machine must have a rate for the run's precision."""
    fitted = fitted or constants()
    software = software or assumed_software(training)
    links = [links_of(hardware, fitted) for hardware in hardwares]
    matrix = [_matrix_rate(training, hardware, software, fitted) for hardware in hardwares]
    scores = [_score_rate(training, hardware, software, fitted) for hardware in hardwares]
    memory = [(hardware.memory_bandwidth_gbyte_per_s or 0.0) * STREAMING_SHARE for hardware in hardwares]
    ram = [hardware.ram_gbyte_per_s or HOST_RAM_GBYTE_PER_S for hardware in hardwares]
    gpus = _column([hardware.gpus for hardware in hardwares])
    network = _column([link.network_gbyte_per_s for link in links]) * 1e9
    return Machines(
        gpus=gpus,
        matrix=_column(matrix) * 1e12,
        scores=_column(scores) * 1e12,
        memory=_column(memory) * 1e9,
        pair=_column([link.pair_gbyte_per_s for link in links]) * 1e9,
        node=_column([link.node_gbyte_per_s for link in links]) * 1e9,
        network=network,
        network_of_gpu=network / gpus,
        pcie=_column([link.pcie_gbyte_per_s for link in links]) * 1e9,
        host_ram=_column(ram) * 1e9 * fitted.offload_share,
    )


def step_of(costs: Costs, layouts: Columns, machines: Machines, fitted: Constants | None = None) -> Step:
    """Seconds of one step for each machine (rows) and layout (columns), or pair by pair where both are flat."""
    return timed(work_of(costs, layouts, machines.gpus, fitted), machines, fitted)


def timed(work: Work, machines: Machines, fitted: Constants | None = None) -> Step:
    """Seconds of one step: (micro-batches + stages - 1) x the slowest stage, then what cannot hide behind it.

    The host launches kernels while the GPU computes; of two times that overlap so, the root of the sum of squares is
    left. A part of the data-parallel exchange hides behind the computation; the slower of its two links counts.
    """
    fitted = fitted or constants()
    rounds = work.rounds
    matrix = work.matrix_flops / machines.matrix + work.operand_bytes / machines.memory
    scores = work.score_flops / machines.scores
    memory = work.traffic_bytes / machines.memory
    busy = matrix + scores + memory
    waiting = np.sqrt(busy * busy + work.launch_seconds * work.launch_seconds) - busy
    intra = work.pair_bytes / machines.pair + work.node_bytes / machines.node
    inter = work.network_bytes / machines.network_of_gpu
    stage = busy + waiting + intra + inter
    exchange_intra = work.exchange_pair_bytes / machines.pair + work.exchange_node_bytes / machines.node
    exchange_inter = work.exchange_network_bytes / machines.network
    slower = np.maximum(exchange_intra, exchange_inter)
    share = fitted.overlap_share
    exposed = np.maximum(slower - share * busy * rounds, (1.0 - share) * slower)
    is_between = exchange_inter > exchange_intra
    update = work.update_memory_bytes / machines.memory
    update = update + work.update_pcie_bytes / machines.pcie + work.update_host_bytes / machines.host_ram
    parts = (
        matrix * rounds,
        scores * rounds,
        memory * rounds + update,
        intra * rounds + np.where(is_between, 0.0, exposed),
        inter * rounds + np.where(is_between, exposed, 0.0) + work.hop_seconds,
        stage * work.waiting_stages,
        waiting * rounds + fitted.step_fixed_seconds,
    )
    total = parts[0] + parts[1] + parts[2] + parts[3] + parts[4] + parts[5] + parts[6]
    return Step(*parts, total=total)


def _matrix_rate(training: Training, hardware: Hardware, software: Software, fitted: Constants) -> float:
    """TFLOPS of large matrix products: limited by the tensor cores, and by what the board's power feeds."""
    peak = peak_tflops(hardware, training.precision) or 0.0
    watts = hardware.tdp_watts or peak / USUAL_TFLOPS_PER_WATT
    rate = 1.0 / (1.0 / (peak * gemm_share(hardware, fitted)) + power_of(training.precision, fitted) / watts)
    return rate * (fitted.older_libraries if software.libraries == "before_2023" else 1.0)


def power_of(precision: str, fitted: Constants) -> float:
    """Watts for each TFLOPS; an 8-bit product costs half of a 16-bit one, a 32-bit one twice."""
    return fitted.watts_per_tflops * {"fp8": 0.5, "fp32": 2.0}.get(precision, 1.0)


def _score_rate(training: Training, hardware: Hardware, software: Software, fitted: Constants) -> float:
    """Fused attention runs in 16 bit also under fp8; without it scores are ordinary matrix products."""
    precision = "bf16" if training.precision == "fp8" else training.precision
    peak = peak_tflops(hardware, precision) or 0.0
    if not training.flash_attention or training.precision == "fp32":
        return peak * gemm_share(hardware, fitted)
    is_recent = GENERATION.get(hardware.architecture) == "hopper"
    if software.attention == "flash1":
        return peak * (fitted.flash1_share_hopper if is_recent else fitted.flash1_share)
    if software.attention == "flash3" and is_recent:
        return peak * fitted.flash3_share_hopper
    return peak * (fitted.flash2_share_hopper if is_recent else fitted.flash2_share)


def gemm_share(hardware: Hardware, fitted: Constants) -> float:
    """Share of the peak that large matrix products reach where power allows, by tensor core generation."""
    shares = {"volta": fitted.gemm_share_volta, "other": fitted.gemm_share_other}
    return shares.get(GENERATION.get(hardware.architecture, "other"), 1.0)


def _column(values: Sequence[float]) -> Grid:
    return np.array(values, dtype=np.float64).reshape(-1, 1)
