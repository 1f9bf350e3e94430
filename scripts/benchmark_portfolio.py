"""Measure whole plans of made-up portfolios on the shipped catalog, from a workload file to a checked plan.

    python scripts/benchmark_portfolio.py 20x12
    python scripts/benchmark_portfolio.py 20x12 --windows --monthly-budget 0.9
    python scripts/benchmark_portfolio.py 100x24 --seconds 60
    python scripts/benchmark_portfolio.py 20x12 --write portfolio.yaml

W workloads over M calendar months: every other one is steady, with at most one change of configuration, the rest are
jobs with a first day and a deadline; with --windows every third has fixed hours. Whole machines: nothing is owned.
Models and methods are what teams train; amounts of work are drawn (seed given) so that each takes 1 to 4 machines.
With --monthly-budget the file is planned twice: the second time with a share of the dearest month of the first.
"""

import argparse
import json
import random
import resource
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from optimizer.app.plan import plan_workload
from optimizer.cli._main import collect_seldom
from optimizer.domain.plan import Plan
from optimizer.planning.case import PlanOptions

AS_OF = date(2026, 11, 30)


@dataclass(frozen=True)
class Kind:
    """What a team trains: preset, method, sequence, batch, and tokens of one busy month in billions."""

    preset: str
    method: str
    sequence_length: int
    batch_tokens: int
    tokens_b: tuple[float, float]


KINDS = (
    Kind("llama-2-7b", "full", 2048, 524_288, (2.0, 20.0)),
    Kind("llama-2-7b", "lora", 2048, 131_072, (0.5, 8.0)),
    Kind("llama-2-13b", "full", 4096, 524_288, (1.0, 12.0)),
    Kind("llama-2-13b", "lora", 2048, 131_072, (0.5, 5.0)),
    Kind("qwen2.5-7b", "full", 4096, 524_288, (2.0, 20.0)),
    Kind("qwen2.5-14b", "lora", 4096, 262_144, (0.5, 5.0)),
    Kind("qwen2.5-32b", "lora", 4096, 262_144, (0.3, 3.0)),
    Kind("codellama-34b", "qlora", 4096, 131_072, (0.2, 1.5)),
    Kind("llama-3-8b", "full", 8192, 1_048_576, (2.0, 20.0)),
    Kind("llama-3-70b", "qlora", 2048, 131_072, (0.1, 0.8)),
    Kind("qwen3-8b", "lora", 4096, 131_072, (0.5, 6.0)),
    Kind("llama-3.2-3b", "pretrain", 4096, 1_048_576, (5.0, 40.0)),
)


def workload(dice: random.Random, number: int, months: int, *, windows: bool) -> dict[str, Any]:
    """One workload: even numbers are steady."""
    kind = dice.choice(KINDS)
    tokens = round(dice.uniform(*kind.tokens_b), 2)
    row: dict[str, Any] = {
        "name": f"work-{number:03}",
        "team": f"team-{number % 7}",
        "model": {"preset": kind.preset},
        "method": kind.method,
        "sequence_length": kind.sequence_length,
        "global_batch_tokens": kind.batch_tokens,
        "dataset_gb": dice.choice((20, 50, 100, 300)),
        "max_nodes": 4,
    }
    if number % 2 == 0:
        row |= {"tokens_per_month": tokens * 1e9, "max_moves": 1}
    else:
        length = dice.randint(7, 60)
        first = dice.randrange(max(1, months * 30 - length - 1))
        row |= {"tokens": tokens * 1e9 * length / 60, "starts_day": first, "deadline_days": length}
    if windows and number % 3 == 2:
        row["window"] = {"from": f"{dice.randrange(24):02}:00", "hours": dice.choice((8, 10, 12, 16))}
    return row


def portfolio(workloads: int, months: int, *, seed: int, windows: bool) -> dict[str, Any]:
    """A whole file, as JSON, which is YAML too."""
    dice = random.Random(seed)
    rows = [workload(dice, number, months, windows=windows) for number in range(workloads)]
    return {"currency": "USD", "start": "2026-12-01", "horizon_months": months, "workloads": rows}


def planned(path: Path, seconds: float | None) -> Plan:
    """Plan a file as the command does and print what it took."""
    collect_seldom()
    began, processor = time.perf_counter(), time.process_time()
    options = PlanOptions(as_of=AS_OF, extras=False)
    if seconds is not None:
        options = PlanOptions(as_of=AS_OF, extras=False, seconds=seconds)
    plan = plan_workload(path, options)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    peak = max(usage.ru_maxrss for usage in used) / 1024
    wall, processor = time.perf_counter() - began, time.process_time() - processor
    print(f"  {plan.status}, cost {plan.cost.total if plan.cost else None}, gap {plan.cost.gap if plan.cost else None}")
    print(f"  wall {wall:.1f} s, own processor {processor:.1f} s, peak {peak:.0f} MB", flush=True)
    return plan


def main() -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("size", help="workloads x months, for example 20x12")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--windows", action="store_true")
    parser.add_argument("--monthly-budget", type=float, help="as a share of the dearest month of the plan without it")
    parser.add_argument("--write", type=Path, help="write the file and stop")
    options = parser.parse_args()
    workloads, months = (int(part) for part in options.size.split("x"))
    file = portfolio(workloads, months, seed=options.seed, windows=options.windows)
    if options.write:
        options.write.write_text(json.dumps(file, indent=1), encoding="utf-8")
        return
    print(f"{' '.join(sys.argv[1:])}:", flush=True)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "portfolio.yaml"
        path.write_text(json.dumps(file), encoding="utf-8")
        plan = planned(path, options.seconds)
        if options.monthly_budget:
            dearest = max(entry.amount for entry in plan.cash_flow)
            file["monthly_budget"] = round(float(dearest) * options.monthly_budget, 2)
            path.write_text(json.dumps(file), encoding="utf-8")
            planned(path, options.seconds)


if __name__ == "__main__":
    main()
