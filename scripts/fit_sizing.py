"""Fit the constants of sizing to the project's table of published runs.

    python scripts/fit_sizing.py [--leave-out]

Writes optimizer/sizing/constants.json: each constant's value, the rows and sources that it rests on, its spread, and
the residuals by kind of case. `--leave-out` also refits without each source in turn and writes what the others say
about it to docs/data/leave_one_out.json (some minutes). Needs scipy (the `fit` extra).

Rows weigh by the square root of their source's size, so that a large source does not drown the others; the controlled
sweeps (one source, one cluster, one change at a time) weigh more, since they alone separate the terms. Constants that
vendors or papers give a value for start there and are held near it.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from predict_runs import Case  # noqa: E402
from truth_cases import Knowledge, Values, groups, measured, shown_memory, speed_ratios  # noqa: E402
from truth_rows import Run, read_facts  # noqa: E402

from optimizer.sizing.constants import CONSTANTS_FILE, Constants, constants  # noqa: E402
from optimizer.sizing.intervals import kind_of_case  # noqa: E402

FACTS = ROOT / "catalogs" / "facts"
LEFT_OUT = ROOT / "docs" / "data" / "leave_one_out.json"
CONTROLLED = ("llmf-h100", "llmf-a100-80")
CONTROLLED_WEIGHT = 4.0
#: Where each fitted constant of speed starts and how firmly it is held there (weight on the logarithm of its change).
SPEED_START: dict[str, tuple[float, float]] = {
    "gemm_share_volta": (0.7, 1.0),
    "gemm_share_other": (0.4, 2.0),
    "older_libraries": (0.85, 0.2),
    "watts_per_tflops": (0.26, 1.0),
    "width_bytes": (1.0, 0.2),
    "flash1_share": (0.35, 0.2),
    "flash1_share_hopper": (0.2, 0.2),
    "flash2_share": (0.6, 0.2),
    "flash3_share_hopper": (0.6, 0.2),
    "elementwise_bytes": (30.0, 0.2),
    "launch_seconds": (0.0027, 0.2),
    "logit_bytes": (20.0, 0.2),
    "dequantize_bytes": (12.0, 0.2),
    "nvlink_share": (0.6, 3.0),
    "pcie_share": (0.4, 1.0),
    "rdma_share": (0.75, 3.0),
    "deepspeed_gather_share": (0.25, 0.2),
    "overlap_share": (0.6, 1.0),
    "offload_share": (0.5, 0.2),
    "hop_seconds": (1.5e-5, 0.2),
    "step_fixed_seconds": (0.02, 0.2),
}
MEMORY_START: dict[str, tuple[float, float]] = {
    "activation_hidden_extra": (2.0, 0.3),
    "logit_memory_bytes": (12.0, 0.3),
    "update_bytes": (4.0, 0.3),
}
CONFIDENCES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
#: A constant rests on the rows whose prediction moves by more than this when it moves by a tenth.
MOVES = 0.005
#: Readings off by much more than this are left to their source, not chased.
ROBUST_SPEED, ROBUST_MEMORY = 0.15, 0.1


@dataclass(frozen=True)
class Problem:
    """One least-squares problem: which constants, on which rows, with which residuals."""

    start: dict[str, tuple[float, float]]
    cases: Sequence[Case]
    residuals: Callable[[Constants], Values]
    robust: float

    def solve(self, base: Constants, evaluations: int) -> tuple[Constants, dict[str, float]]:
        """The constants, and each one's spread: the relative standard error where the residuals are independent."""
        from scipy.optimize import least_squares

        names = list(self.start)
        origin = np.log([self.start[name][0] for name in names])
        firmness = np.array([self.start[name][1] for name in names])

        def constants_at(point: Values) -> Constants:
            values = np.exp(point)
            return replace(base, **{name: float(value) for name, value in zip(names, values, strict=True)})

        def residuals(point: Values) -> Values:
            return np.concatenate([self.residuals(constants_at(point)), firmness * (point - origin)])

        top = np.array([1e-6 if name.endswith(("_share", "_hopper", "_libraries")) else 50.0 for name in names])
        first = np.minimum(np.log([getattr(base, name) for name in names]), top - 1e-3)
        found = least_squares(
            residuals, first, bounds=(-60.0, top), loss="soft_l1", f_scale=self.robust, max_nfev=evaluations
        )
        variance = 2 * found.cost / max(1, len(found.fun) - len(names))
        covariance = np.linalg.pinv(found.jac.T @ found.jac) * variance
        spread = dict(zip(names, np.sqrt(np.diag(covariance)), strict=True))
        return constants_at(found.x), {name: float(value) for name, value in spread.items()}


def speed_problem(cases: Sequence[Case]) -> Problem:
    """Logarithms of predicted over measured speed, weighed by source."""
    sizes = Counter(groups(cases).tolist())
    names = groups(cases)
    emphasis = np.where(np.isin(names, CONTROLLED), CONTROLLED_WEIGHT, 1.0)
    weights = emphasis * 4 / np.array([sizes[name] ** 0.5 for name in names])
    return Problem(
        SPEED_START, cases, lambda fitted: np.log(speed_ratios(cases, fitted)) * np.sqrt(weights), ROBUST_SPEED
    )


def memory_problem(cases: Sequence[Case]) -> Problem:
    """Logarithms of predicted over measured peaks, and how far recorded facts lie on the wrong side of the card."""
    peaks = [case for case in cases if case.run.kind == "measured_peak"]
    facts = [case for case in cases if case.run.kind in ("fits", "oom")]
    sizes = Counter(groups(peaks).tolist())
    weights = np.array([2 / sizes[case.run.group] ** 0.25 for case in peaks])
    usable = np.array([case.hardware.memory_usable_gib for case in facts])
    side = np.array([1.0 if case.run.kind == "fits" else -1.0 for case in facts])

    def residuals(fitted: Constants) -> Values:
        from predict_runs import memories

        off = np.log(shown_memory(peaks, fitted) / measured(peaks)) * weights
        wrong = np.maximum(side * np.log(memories(facts, fitted).total / usable), 0.0)
        return np.concatenate([np.tanh(off / 0.5) * 0.5, np.minimum(wrong, 0.3) * 2])

    return Problem(MEMORY_START, [*peaks, *facts], residuals, ROBUST_MEMORY)


def fit(speed: Sequence[Case], memory: Sequence[Case], base: Constants, evaluations: int) -> Any:
    """Both problems one after the other: the constants and their spreads."""
    fitted, spreads = speed_problem(speed).solve(base, evaluations)
    fitted, more = memory_problem(memory).solve(fitted, evaluations)
    return fitted, {**spreads, **more}


def usable(runs: Sequence[Run], knowledge: Knowledge) -> list[Case]:
    """Rows in scope that no audit or source doubts."""
    return [case for case in knowledge.cases(runs)[0] if not case.run.doubt]


def rests_on(name: str, fitted: Constants, speed: Sequence[Case], memory: Sequence[Case]) -> tuple[int, list[str]]:
    """How many rows a constant moves, and their sources."""
    moved = replace(fitted, **{name: getattr(fitted, name) * 1.1})
    speed_moves = np.abs(np.log(speed_ratios(speed, moved) / speed_ratios(speed, fitted))) > MOVES
    memory_moves = np.abs(np.log(shown_memory(memory, moved) / shown_memory(memory, fitted))) > MOVES
    names = {*groups(speed)[speed_moves].tolist(), *groups(memory)[memory_moves].tolist()}
    return int(speed_moves.sum() + memory_moves.sum()), sorted(names)


def residual_table(cases: Sequence[Case], fitted: Constants) -> dict[str, Any]:
    """Quantiles of measured over predicted speed by kind of case, every source weighing the square root of its size."""
    ratios = 1 / speed_ratios(cases, fitted)
    sizes = Counter(groups(cases).tolist())
    weights = np.array([1 / sizes[case.run.group] ** 0.5 for case in cases])
    kinds = np.array([kind_of_case(case.training, case.hardware.gpus, case.nodes) for case in cases])
    table: dict[str, Any] = {}
    for kind in sorted(set(kinds.tolist())):
        mine = kinds == kind
        low = [_quantile(ratios[mine], weights[mine], 1 - level) for level in CONFIDENCES]
        high = [_quantile(ratios[mine], weights[mine], level) for level in CONFIDENCES]
        table[kind] = {
            "rows": int(mine.sum()),
            "confidence": list(CONFIDENCES),
            "low": [round(min(value, 1.0), 3) for value in low],
            "high": [round(max(value, 1.0), 3) for value in high],
        }
    return table


def _quantile(values: Values, weights: Values, level: float) -> float:
    order = np.argsort(values)
    share = np.cumsum(weights[order]) / weights.sum()
    return float(values[order][min(int(np.searchsorted(share, level)), len(order) - 1)])


def write_constants(
    fitted: Constants, spreads: dict[str, float], speed: Sequence[Case], memory: Sequence[Case]
) -> None:
    """Write values, rows, sources, spreads and residuals into the data file."""
    document = json.loads(CONSTANTS_FILE.read_text(encoding="utf-8"))
    for name, entry in document["constants"].items():
        rows, sources = rests_on(name, fitted, speed, memory)
        entry.update(
            value=float(f"{getattr(fitted, name):.4g}"),
            rows=rows,
            sources=sources,
            spread_percent=round(spreads[name] * 100, 1) if name in spreads else None,
        )
    document["residuals"] = residual_table(speed, fitted)
    CONSTANTS_FILE.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def leave_out(speed: Sequence[Case], memory: Sequence[Case], full: Constants) -> dict[str, Any]:
    """For each source what constants fitted without it predict for it: ratios of speed, ratios of peak memory."""
    found: dict[str, Any] = {}
    for group in sorted({*groups(speed).tolist(), *groups(memory).tolist()}):
        rest = [case for case in speed if case.run.group != group]
        rest_memory = [case for case in memory if case.run.group != group]
        fitted, _ = fit(rest, rest_memory, full, evaluations=12)
        mine = [case for case in speed if case.run.group == group]
        peaks = [case for case in memory if case.run.group == group and case.run.kind == "measured_peak"]
        found[group] = {
            "speed": speed_ratios(mine, fitted).round(4).tolist() if mine else [],
            "memory": (shown_memory(peaks, fitted) / measured(peaks)).round(4).tolist() if peaks else [],
        }
        print(f"without {group}: {len(mine)} speeds, {len(peaks)} peaks predicted", file=sys.stderr)
    return found


def main() -> None:
    """Fit, write, and say what moved."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--leave-out", action="store_true")
    options = parser.parse_args()
    knowledge, before = Knowledge(), constants()
    speed = usable(read_facts(FACTS / "truth_throughput.csv"), knowledge)
    memory = usable(read_facts(FACTS / "truth_memory.csv"), knowledge)
    fitted, spreads = fit(speed, memory, before, evaluations=60)
    write_constants(fitted, spreads, speed, memory)
    for name in {**SPEED_START, **MEMORY_START}:
        print(f"{name:26s} {getattr(before, name):10.4g} -> {getattr(fitted, name):10.4g}  +-{spreads[name]:.0%}")
    if options.leave_out:
        LEFT_OUT.parent.mkdir(exist_ok=True)
        LEFT_OUT.write_text(json.dumps(leave_out(speed, memory, fitted), indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
