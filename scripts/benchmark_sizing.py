"""How long sizing takes for all layouts of one run on every distinct machine of the catalog, 1 to 16 nodes.

    python scripts/benchmark_sizing.py [--runs 7]

CPU time of one core, the best of several runs after a first one, beside a plain Python loop of two million sums: a
loaded machine stretches both alike.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

from optimizer.catalog import load_catalog  # noqa: E402
from optimizer.domain.fit import Hardware  # noqa: E402
from optimizer.domain.model import Training  # noqa: E402
from optimizer.domain.workload import ModelSpec  # noqa: E402
from optimizer.sizing import fits_over, hardware_of, shape_from_spec  # noqa: E402

RUNS: tuple[tuple[int, Literal["pretrain", "full", "lora"]], ...] = ((7, "lora"), (13, "full"), (70, "pretrain"))
NODES = range(1, 17)
LOOP = 2_000_000
TARGET_MS = 150


def main() -> None:
    """Print one line for each kind of run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=7)
    repeats = parser.parse_args().runs
    machines = distinct_machines()
    print(f"{len(machines)} distinct machines x {len(NODES)} node counts; target {TARGET_MS} ms of one core")
    for billions, method in RUNS:
        training = Training(shape_from_spec(ModelSpec(parameters_b=billions), None, "benchmark"), method)
        fits_over(training, machines, NODES)
        pairs = [
            (cpu_ms(lambda: sum_up(LOOP)), cpu_ms(lambda: fits_over(training, machines, NODES)))  # noqa: B023
            for _ in range(repeats)
        ]
        loop, sizing = min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
        print(f"{billions}B {method:9} {sizing:6.0f} ms, plain loop {loop:4.0f} ms, ratio {sizing / loop:.2f}")


def distinct_machines() -> list[Hardware]:
    """One piece of hardware for each kind of machine in the catalog."""
    catalog = load_catalog()
    machines = {(offer.provider, offer.instance_type): offer.machine for offer in catalog.offers()}
    known = [machine for machine in machines.values() if machine.gpu_model in catalog.gpus]
    return list({hardware_of(machine, catalog.gpus[machine.gpu_model]) for machine in known})


def cpu_ms(work: Callable[[], object]) -> float:
    """CPU milliseconds of one call."""
    begun = time.process_time()
    work()
    return (time.process_time() - begun) * 1000


def sum_up(count: int) -> int:
    """The plain loop."""
    total = 0
    for number in range(count):
        total += number
    return total


if __name__ == "__main__":
    main()
