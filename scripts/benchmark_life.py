"""How the catalog's life scales: import, check, filter and compare synthetic offers; processor time and peak memory.

python scripts/benchmark_life.py [--rows 10000 100000 1000000] [--json]

Every step runs in a process of its own, so that its peak memory is its own. The synthetic file is in gpuhunt's layout:
200 instance types with 8 GPUs in as many places as it takes, each on demand and spot; a tenth of the prices differ in
the second version, which the comparison finds again.
"""

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

TYPES = 200
HEADER = (
    *("instance_name", "location", "price", "cpu", "memory", "gpu_count", "gpu_name", "gpu_memory", "spot"),
    *("disk_size", "gpu_vendor", "flags", "cpu_arch", "provider_data"),
)
DAYS = (date(2026, 11, 1), date(2026, 11, 30))
STEPS = ("import", "import again", "filter", "check", "diff")
_KIB_PER_MIB = 1024


def write_rows(path: Path, rows: int, version: int) -> None:
    """A synthetic price file; version 1 asks a tenth more for every tenth row."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        for number in range(rows):
            pair, spot = divmod(number, 2)
            place, kind = divmod(pair, TYPES)
            price = (10 + kind / 10) * (0.4 if spot else 1) * (1.1 if version and number % 10 == 0 else 1)
            shape = [96, 1152.0, 8, "H100", 80.0]
            writer.writerow(
                [
                    f"type-{kind:03d}",
                    f"place-{place:05d}",
                    f"{price:.4f}",
                    *shape,
                    bool(spot),
                    "",
                    "nvidia",
                    "",
                    "x86",
                    "{}",
                ]
            )


def run_step(step: str, folder: Path) -> dict[str, float]:
    """One step on the folder of one size; returns seconds, peak memory in MiB and a count."""
    os.environ["OPTIMIZE_DATA_DIR"] = str(folder)
    os.environ["OPTIMIZE_CACHE_DIR"] = str(folder / "cache")
    started = time.process_time()
    count = _WORK[step](folder)
    seconds = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KIB_PER_MIB
    return {"seconds": round(seconds, 2), "peak_mib": round(peak), "count": count}


def _import(version: int) -> Callable[[Path], int]:
    def work(folder: Path) -> int:
        from optimizer.app.importing import import_file

        file = folder / f"version{version}" / "synthetic.csv"
        return import_file(file, "gpuhunt", observed=DAYS[version], root=folder / "catalog").prices

    return work


def _filter(folder: Path) -> int:
    from optimizer.catalog import load_catalog
    from optimizer.catalog.filters import OfferFilter, find_rows
    from optimizer.catalog.gpu_spec import parse_gpu_specs

    wanted = OfferFilter(gpus=parse_gpu_specs("H100:8"), providers=("synthetic",))
    rows, _ = find_rows(load_catalog(), wanted)
    return len(rows)


def _check(folder: Path) -> int:
    from optimizer.catalog import load_catalog
    from optimizer.catalog.check import check_catalog

    return len(check_catalog(load_catalog(), DAYS[1]))


def _diff(folder: Path) -> int:
    from optimizer.app.price_record import prices_of
    from optimizer.catalog.changes import compare

    return len(compare(prices_of("previous"), prices_of("current")).dearer)


_WORK: dict[str, Callable[[Path], int]] = {
    "import": _import(0),
    "import again": _import(1),
    "filter": _filter,
    "check": _check,
    "diff": _diff,
}


def measure(rows: int) -> dict[str, dict[str, float]]:
    """All steps for one size."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for version in (0, 1):
            (folder / f"version{version}").mkdir()
            write_rows(folder / f"version{version}" / "synthetic.csv", rows, version)
        figures = {}
        for step in STEPS:
            command = [sys.executable, __file__, "--step", step, "--folder", name]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            if run.returncode:
                sys.exit(f"{step}, {rows} rows: {run.stderr[-2000:]}")
            figures[step] = json.loads(run.stdout)
        return figures


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--step", choices=STEPS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        print(json.dumps(run_step(options.step, options.folder)))
        return
    figures = {rows: measure(rows) for rows in options.rows}
    if options.json:
        print(json.dumps(figures, indent=2))
        return
    print(f"{'rows':>9}  {'step':<14}{'seconds':>9}{'us a row':>10}{'peak MiB':>10}{'count':>9}")
    for rows, steps in figures.items():
        for step, found in steps.items():
            micros = found["seconds"] / rows * 1e6
            sizes = f"{found['peak_mib']:>10}{found['count']:>9}"
            print(f"{rows:>9}  {step:<14}{found['seconds']:>9.2f}{micros:>10.1f}{sizes}")


if __name__ == "__main__":
    main()
