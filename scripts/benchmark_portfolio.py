"""Measure whole plans of made-up portfolios on the shipped catalog, from a workload file to a checked plan.

    python scripts/benchmark_portfolio.py 20x12
    python scripts/benchmark_portfolio.py 20x12 --windows --monthly-budget 0.98
    python scripts/benchmark_portfolio.py 100x24 --seconds 60
    python scripts/benchmark_portfolio.py 20x12 --offers 100000
    python scripts/benchmark_portfolio.py 20x12 --write portfolio.yaml

W workloads over M calendar months: every other one is steady, with at most one change of configuration, the rest are
jobs with a first day and a deadline; with --windows every third has fixed hours. Whole machines: nothing is owned.
Models and methods are what teams train; amounts of work are drawn (seed given) so that each takes 1 to 4 machines.
With --monthly-budget the file is planned twice: the second time with a share of the dearest month of the first. With
--offers the catalog is filled up with dearer copies of the shipped offers, in other regions and under other names in
turn, where data costs what it costs in the region copied: the optimum must stay.
"""

import argparse
import json
import random
import resource
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

from optimizer.app.plan import plan_file
from optimizer.catalog import Catalog, load_catalog
from optimizer.catalog.facts import EgressPrice, StorageProduct
from optimizer.cli._main import collect_seldom
from optimizer.domain.offer import Offer
from optimizer.domain.plan import Plan
from optimizer.errors import NoPlanInTime
from optimizer.planning.case import PlanOptions
from optimizer.planning.workload_file import read_workload

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


class Filled(Catalog):
    """The shipped catalog, filled up to a number of offers with copies that cost 1 to 60 % more."""

    def __init__(self, count: int) -> None:
        whole, dice = load_catalog(), random.Random(1)
        self.__dict__.update(whole.__dict__)
        shipped = whole.offers()
        turns = range(1, -(-count // len(shipped)))
        copies = (_copy(offer, turn, dice) for turn in turns for offer in shipped)
        self._filled = (*shipped, *islice(copies, count - len(shipped)))
        self._copied_from = {_elsewhere(offer, turn): offer.region for turn in turns for offer in shipped}

    def offers(self) -> tuple[Offer, ...]:
        """All of them."""
        return self._filled

    def storage(self, provider: str, region: str) -> tuple[StorageProduct, ...]:
        """What is sold in the region that this one is a copy of."""
        return super().storage(provider, self._copied_from.get(region, region))

    def egress(self, provider: str, region: str) -> EgressPrice | None:
        """What traffic costs in the region that this one is a copy of."""
        return super().egress(provider, self._copied_from.get(region, region))


def _elsewhere(offer: Offer, turn: int) -> str:
    return f"{offer.region}-copy-{turn}"


def _copy(offer: Offer, turn: int, dice: random.Random) -> Offer:
    factor = Decimal(dice.randint(101, 160)) / 100
    prices = tuple(
        price.model_copy(
            update={
                "amount": price.amount * factor,
                "upfront_amount": None if price.upfront_amount is None else price.upfront_amount * factor,
            }
        )
        for price in offer.prices
    )
    if turn % 2:
        return offer.model_copy(update={"prices": prices, "region": _elsewhere(offer, turn)})
    machine = offer.machine.model_copy(update={"instance_type": f"{offer.machine.instance_type}-{turn}"})
    return offer.model_copy(update={"prices": prices, "machine": machine})


def planned(path: Path, seconds: float | None, catalog: Catalog) -> Plan:
    """Plan a file as the command does, with the check of the plan, and print what it took."""
    collect_seldom()
    began, processor = time.perf_counter(), time.process_time()
    options = PlanOptions(as_of=AS_OF, extras=False)
    if seconds is not None:
        options = replace(options, seconds=seconds)
    plan = plan_file(read_workload(path), catalog, options)
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
    parser.add_argument("--offers", type=int, help="fill the catalog up to so many")
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
    catalog = Filled(options.offers) if options.offers else load_catalog()
    catalog.offers()
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "portfolio.yaml"
        path.write_text(json.dumps(file), encoding="utf-8")
        plan = planned(path, options.seconds, catalog)
        if options.monthly_budget:
            dearest = max(entry.amount for entry in plan.cash_flow)
            file["monthly_budget"] = round(float(dearest) * options.monthly_budget, 2)
            path.write_text(json.dumps(file), encoding="utf-8")
            try:
                planned(path, options.seconds, catalog)
            except NoPlanInTime as error:
                print(f"  {error}")


if __name__ == "__main__":
    main()
