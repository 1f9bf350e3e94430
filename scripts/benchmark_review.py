"""How long a review takes and how much memory it needs, on bills that this script makes.

    python scripts/benchmark_review.py [--lines 10000000] [--csv-lines 1000000] [--folder DIR] [--json]

The bills are hourly FOCUS 1.2 lines of a month: GPU machines, other machines and storage in changing order, with tags,
commitments and quantities that do not repeat. Each review runs in a process of its own, with --report and --xlsx;
time is told as wall time and as time of all processors, memory is the process's largest resident set.
"""

# ruff: noqa: S608 - the query is made of constants of this file
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import duckdb

ROOT = Path(__file__).resolve().parents[1]
HOURS = 720
#: A prime: it puts the machines of each hour into another order than that of their numbers.
STRIDE = 7919
#: Limits of the product's promise on two cores.
LIMITS = {"parquet": (60.0, 2.0), "csv": (20.0, 2.0)}


@dataclass(frozen=True, slots=True)
class Measured:
    """One run: lines, seconds of wall and of processors (user and system), GB of memory."""

    kind: str
    lines: int
    file_mb: float
    seconds: float
    cpu_seconds: float
    memory_gb: float


def make_bill(path: Path, lines: int) -> None:
    """Write a bill of about `lines` lines, Parquet or CSV by the file's name."""
    machines = max(1, lines // HOURS)
    form = "(FORMAT parquet, COMPRESSION zstd)" if path.suffix == ".parquet" else "(FORMAT csv, HEADER true)"
    kind = "machine % 6"
    price = f"(CASE {kind} WHEN 0 THEN 32.7726 WHEN 1 THEN 55.04 WHEN 2 THEN 1.624 WHEN 3 THEN 0.096 ELSE 0.114 END)"
    name = (
        f"(CASE {kind} WHEN 0 THEN 'p4d.24xlarge' WHEN 1 THEN 'p5.48xlarge' WHEN 2 THEN 'g5.4xlarge' "
        "WHEN 3 THEN 'm5.large' ELSE '' END)"
    )
    stored = f"{kind} > 3"
    used = "(CASE WHEN hash(line) % 5 = 0 THEN (hash(line + 1) % 3600) / 3600.0 ELSE 1.0 END)"
    cost = f"round(CAST({price} * {used} AS DECIMAL(18, 10)), 10)"
    start = "TIMESTAMP '2026-11-01' + to_hours(CAST(hour AS INTEGER))"
    query = f"""
        SELECT {cost} AS "BilledCost", '1234567890' AS "BillingAccountId", 'USD' AS "BillingCurrency",
            TIMESTAMP '2026-12-01' AS "BillingPeriodEnd", TIMESTAMP '2026-11-01' AS "BillingPeriodStart",
            'Usage' AS "ChargeCategory", NULL::VARCHAR AS "ChargeClass",
            CASE WHEN {stored} THEN '$0.114 per GB-month of General Purpose SSD (gp2) provisioned storage'
                ELSE '$' || {price} || ' per On Demand Linux ' || {name} || ' Instance Hour' END AS "ChargeDescription",
            'Usage-Based' AS "ChargeFrequency", {start} + INTERVAL 1 HOUR AS "ChargePeriodEnd",
            {start} AS "ChargePeriodStart",
            CASE WHEN machine % 50 = 0 THEN 'arn:aws:savingsplans::1:savingsplan/' || machine % 7 END
                AS "CommitmentDiscountId",
            CASE WHEN machine % 50 = 0 THEN 'Used' END AS "CommitmentDiscountStatus",
            {used} AS "ConsumedQuantity", CASE WHEN {stored} THEN 'GB-Months' ELSE 'Hours' END AS "ConsumedUnit",
            {cost} AS "ContractedCost", {cost} AS "EffectiveCost", {cost} AS "ListCost",
            CASE WHEN machine % 50 = 0 THEN 'Committed' ELSE 'Standard' END AS "PricingCategory",
            {used} AS "PricingQuantity", CASE WHEN {stored} THEN 'GB-Months' ELSE 'Hours' END AS "PricingUnit",
            'AWS' AS "ProviderName", (['us-east-1', 'us-west-2', 'eu-central-1'])[1 + machine % 3] AS "RegionId",
            CASE WHEN {stored} THEN 'vol-' ELSE 'i-' END || printf('%016x', hash(machine)) AS "ResourceId",
            'Amazon Elastic Compute Cloud' AS "ServiceName", 'SKU' || machine % 400 AS "SkuId",
            CASE WHEN {stored} THEN NULL ELSE '{{"InstanceType": "' || {name} || '"}}' END AS "SkuPriceDetails",
            'sub-' || machine % 40 AS "SubAccountId",
            '{{"team": "team-' || machine % 25 || '", "workload": "job-' || machine % 300 || '"}}' AS "Tags"
        FROM (SELECT line, (line * {STRIDE}) % {machines} AS machine, line // {machines} AS hour
            FROM range({machines * HOURS}) AS lines(line))"""
    duckdb.connect(config={"temp_directory": str(path.parent)}).execute(f"COPY ({query}) TO '{path}' {form}")


def measure(path: Path, lines: int, folder: Path) -> Measured:
    """Review one bill in a process of its own."""
    outputs = ["--report", str(folder / "r.html"), "--xlsx", str(folder / "r.xlsx"), "--out", str(folder / "r.json")]
    command = [sys.executable, "-m", "optimizer", "review", "--bill", str(path), "--no-state", "--json", *outputs]
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status:
        sys.exit(f"the review failed with status {status}")
    kind = "csv" if path.suffix == ".csv" else "parquet"
    cpu_seconds = usage.ru_utime + usage.ru_stime
    return Measured(kind, lines, path.stat().st_size / 1e6, seconds, cpu_seconds, usage.ru_maxrss * 1024 / 1e9)


def main() -> int:
    """Make the bills, measure, print, and return 1 when a limit is passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=10_000_000)
    parser.add_argument("--csv-lines", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, help="keep the bills here")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    runs = []
    with tempfile.TemporaryDirectory() as name:
        folder = options.folder or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        for kind, lines in (("parquet", options.lines // 4), ("parquet", options.lines), ("csv", options.csv_lines)):
            path = folder / f"bill-{lines}.{kind}"
            if not path.exists():
                make_bill(path, lines)
            runs.append(measure(path, lines, folder))
            if not options.json:
                run = runs[-1]
                cost = f"{run.seconds:6.1f} s {run.cpu_seconds:6.1f} s of processors {run.memory_gb:5.2f} GB"
                print(f"{run.kind:8} {run.lines:>12,} lines {run.file_mb:8.1f} MB {cost}")
    if options.json:
        print(json.dumps([asdict(run) for run in runs], indent=2))
    full = [run for run in runs if (run.kind, run.lines) in (("parquet", 10_000_000), ("csv", 1_000_000))]
    return int(any(run.seconds > LIMITS[run.kind][0] or run.memory_gb > LIMITS[run.kind][1] for run in full))


if __name__ == "__main__":
    sys.exit(main())
