"""What a run asks of the host and the storage: reads, cores, and the size of a checkpoint."""

from dataclasses import dataclass

from optimizer.domain.fit import Fit, Hardware
from optimizer.domain.model import Training
from optimizer.domain.units import BYTES_PER_GB
from optimizer.sizing.costs import Costs

#: Tokenized text is read as 32-bit ids.
BYTES_PER_TOKEN = 4
BYTES_PER_KB = 1_000
#: Tokens a second that one core collates and hands to the GPU (ours: a round figure well below tokenizer benchmarks).
TOKENS_PER_SECOND_AND_CORE = 200_000
#: Cores that loading finds even where every core serves a GPU (ours).
MINIMAL_LOADER = 0.5


@dataclass(frozen=True, slots=True)
class Demand:
    """Per node: bytes and reads a second from storage, and cores beyond one for each GPU."""

    gbyte_per_s: float
    reads_per_s: float
    cores: float


def input_demand(training: Training, tokens_per_second: float, nodes: int) -> Demand:
    """Reads of one node while it trains; with files stated each sequence is one file."""
    tokens = tokens_per_second / nodes
    samples = tokens / training.sequence_length
    size = training.mean_file_kb * BYTES_PER_KB if training.mean_file_kb is not None else None
    rate = samples * size if size is not None else tokens * BYTES_PER_TOKEN
    reads = samples if training.files is not None else 0.0
    return Demand(rate / BYTES_PER_GB, reads, tokens / TOKENS_PER_SECOND_AND_CORE)


def input_limit(fit: Fit, hardware: Hardware) -> float:
    """Share of the speed that the host can feed: cores left beside one for each GPU, and the rate of local disks.

    Unknown cores and rates limit nothing here; the rules ask for them.
    """
    share = 1.0
    if hardware.cores is not None and fit.cores_demand > hardware.cores:
        share = min(share, max(hardware.cores - hardware.gpus, MINIMAL_LOADER) / (fit.cores_demand - hardware.gpus))
    if hardware.storage_gbyte_per_s is not None and fit.storage_demand_gbyte_per_s > hardware.storage_gbyte_per_s:
        share = min(share, hardware.storage_gbyte_per_s / fit.storage_demand_gbyte_per_s)
    return min(share, 1.0)


def checkpoint_gb(training: Training, costs: Costs) -> float:
    """One checkpoint that training can resume from: trained weights with their optimizer state and master copy."""
    return costs.trained_parameters * (costs.value_bytes + costs.optimizer_bytes) / BYTES_PER_GB
