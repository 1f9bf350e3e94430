"""Times what users wait for, as ratios in one run: help over bare Python, catalog against gpuhunt, each example's plan.

    python scripts/benchmark.py [--runs 5]

Whole processes, medians of several runs, with byte code cached as on any machine that does not forbid it. gpuhunt is
compared where it is installed (`pip install gpuhunt`). Nothing here is a test: a loaded machine changes the seconds,
less so the ratios.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OPTIMIZE = [sys.executable, "-m", "optimizer"]
EXAMPLES = ("lora-7b", "sft-13b-cn", "pretrain-70b", "steady-year", "impossible", "portfolio")
HELP_OVER_BARE_MS = 150
PLAN_SECONDS = {"portfolio": 5.0}
MEMORY_MB = 300


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    bare = median_seconds([sys.executable, "-c", "pass"], runs)
    helping = median_seconds([*OPTIMIZE, "--help"], runs)
    row("optimize --help over bare Python", f"{(helping - bare) * 1000:.0f} ms", f"<= {HELP_OVER_BARE_MS} ms")
    for example in EXAMPLES:
        benchmark_example(example, runs)
    print("catalog against gpuhunt: python scripts/benchmark_catalog.py; program: python scripts/benchmark_program.py;")
    print("sizing: python scripts/benchmark_sizing.py")


def benchmark_example(example: str, runs: int) -> None:
    """The plan alone (in a fresh process, imports and catalog included) and the whole command with its extras."""
    path = ROOT / "examples" / f"{example}.yaml"
    alone = [sys.executable, str(Path(__file__)), "--plan-alone", str(path)]
    seconds, peak_mb = timed(alone, min(runs, 3))
    whole = median_seconds([*OPTIMIZE, "--workload", str(path), "--json"], 1)
    target = PLAN_SECONDS.get(example, 1.5)
    row(f"{example}: plan alone", f"{seconds:.2f} s, {peak_mb:.0f} MB", f"<= {target} s, {MEMORY_MB} MB")
    row(f"{example}: with what stands beside it", f"{whole:.2f} s", "")


def plan_alone(path: Path) -> None:
    """Plan and verify a file without alternatives and prices of rules."""
    from datetime import date

    from optimizer.app.plan import plan_workload
    from optimizer.cli._main import collect_seldom
    from optimizer.planning.case import PlanOptions

    collect_seldom()
    plan_workload(path, PlanOptions(as_of=date(2026, 11, 30), extras=False))


def median_seconds(command: list[str], runs: int) -> float:
    """Median wall seconds of a command."""
    return timed(command, runs)[0]


def timed(command: list[str], runs: int) -> tuple[float, float]:
    """Median wall seconds and the highest resident memory (MB) of any child so far."""
    walls = []
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir()) / "optimize-bytecode")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    for turn in range(runs + 1):
        begun = time.perf_counter()
        subprocess.run(
            command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment, check=False
        )
        if turn > 0:  # the first run fills the caches of byte code and prices
            walls.append(time.perf_counter() - begun)
    peak_kb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return statistics.median(walls), peak_kb / 1024


def row(name: str, measured: str, target: str) -> None:
    """One line of the table."""
    print(f"{name:45} {measured:>22}   {target}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--plan-alone"]:
        plan_alone(Path(sys.argv[2]))
    else:
        main()
