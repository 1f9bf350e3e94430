"""How well sizing predicts published runs.

    python scripts/accuracy.py [--throughput FILE] [--memory FILE] [--json] [--write]

Files are in the truth format (columns: scripts/truth_rows.py) or are the project's own fact tables, which are also the
default. Missing layout columns follow the defaults of the framework that a row names, missing architecture a preset or
the parameter count. Rows out of scope are listed, not counted. `--write` generates docs/accuracy.md and its plot.
"""

import argparse
import csv
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from baselines import MEMORY_BASELINES, SPEED_BASELINES, Baseline  # noqa: E402
from predict_runs import Case, Unpredicted, memories  # noqa: E402
from truth_cases import Errors, Knowledge, Values, measured, shown_memory, speed_ratios  # noqa: E402
from truth_rows import Run, read_facts, read_raw  # noqa: E402

from optimizer.domain.fit import ROOMY_SHARE  # noqa: E402
from optimizer.domain.model import size_class  # noqa: E402

FACTS = ROOT / "catalogs" / "facts"
LEFT_OUT = ROOT / "docs" / "data" / "leave_one_out.json"
CONTROLLED = ("llmf-h100", "llmf-a100-80")
#: Recorded out-of-memory facts that their own table makes doubtful.
DOUBTFUL_FACTS = ("bmtrain",)
FALSE_FIT_MARGIN = 0.05
LARGE_GIB = 30.0
Key = Callable[[Case], str]
CUTS: dict[str, Key] = {
    "source": lambda case: case.run.group,
    "GPU": lambda case: case.run.gpu or "not named",
    "size": lambda case: size_class(case.training.shape.params_total),
    "method": lambda case: case.run.method,
}


@dataclass(frozen=True)
class Facts:
    """Recorded facts: how many are right, and out-of-memory ones called a fit by more than 5 % of the memory."""

    facts: int
    facts_right: float
    fits_called_fit: int
    fits_called_oom: int
    oom_called_oom: int
    oom_called_fit: int
    false_fits: tuple[str, ...]


class Accuracy:
    """Every row predicted once."""

    def __init__(self, throughput: Sequence[Run], memory: Sequence[Run], knowledge: Knowledge) -> None:
        self.throughput, self.memory = throughput, memory
        self.speed_cases, self.speed_left = knowledge.cases(throughput)
        cases, self.memory_left = knowledge.cases(memory)
        self.peak_cases = [case for case in cases if case.run.kind == "measured_peak"]
        self.fact_cases = [case for case in cases if case.run.kind in ("fits", "oom")]
        self.speed = speed_ratios(self.speed_cases) if self.speed_cases else np.array([])
        self.peaks = shown_memory(self.peak_cases) / measured(self.peak_cases) if self.peak_cases else np.array([])

    def facts(self) -> Facts:
        """Confusion counts of fit and out-of-memory facts."""
        if not self.fact_cases:
            return Facts(0, 1.0, 0, 0, 0, 0, ())
        needed = memories(self.fact_cases).total
        usable = np.array([case.hardware.memory_usable_gib for case in self.fact_cases])
        ran = np.array([case.run.kind == "fits" for case in self.fact_cases])
        fits = needed <= usable
        clear = ~ran & (needed <= usable * (1 - FALSE_FIT_MARGIN))
        counted = [
            case.run.id
            for case, is_clear in zip(self.fact_cases, clear, strict=True)
            if is_clear and case.run.group not in DOUBTFUL_FACTS
        ]
        right = float(np.mean(fits == ran))
        pairs = Counter(zip(ran.tolist(), fits.tolist(), strict=True))
        return Facts(
            len(ran), right, pairs[True, True], pairs[True, False], pairs[False, False], pairs[False, True],
            tuple(counted),
        )  # fmt: skip

    def unpredicted(self) -> list[Unpredicted]:
        """Rows in scope without a prediction."""
        return [*self.speed_left, *self.memory_left]

    def out_of_scope(self) -> Counter[str]:
        """Why rows are out of scope, counted."""
        return Counter(run.scope for run in (*self.throughput, *self.memory) if run.scope)

    def to_json(self) -> dict[str, Any]:
        """The fixed keys of `accuracy.py --json`, as fractions."""
        facts = self.facts()
        return {
            "throughput": {
                **_totals(self.speed_cases, self.speed, self.speed_left),
                "controlled": _errors(self.controlled()),
                "predicted_share": len(self.speed_cases) / max(1, len(self.speed_cases) + len(self.speed_left)),
            },
            "memory": {
                **_totals(self.peak_cases, self.peaks, self.memory_left),
                **{name: value for name, value in asdict(facts).items() if name != "false_fits"},
                "false_fits": len(facts.false_fits),
                "false_fit_rows": list(facts.false_fits),
                "within_room": self.within_room(0.0),
                "within_room_large": self.within_room(LARGE_GIB),
            },
            "unpredicted": [{"id": left.run.id, "reason": left.reason} for left in self.unpredicted()],
            "out_of_scope": dict(self.out_of_scope()),
            "leave_one_source_out": left_out(),
            "baselines": self.baselines(),
        }

    def within_room(self, least_gib: float) -> float | None:
        """Of the peaks predicted above a size, the share that fits a card which the prediction fills to 94 %."""
        large = shown_memory(self.peak_cases) > least_gib if self.peak_cases else np.array([], dtype=bool)
        return float(np.mean(self.peaks[large] >= ROOMY_SHARE)) if large.any() else None

    def controlled(self) -> Values:
        """Ratios of the controlled sweeps: one source, one cluster, bf16."""
        chosen = [case.run.group in CONTROLLED and case.run.precision == "bf16" for case in self.speed_cases]
        return self.speed[np.array(chosen, dtype=bool)]

    def baselines(self) -> dict[str, dict[str, Any]]:
        """Errors of others' formulas on the same rows, ours beside them."""
        return {
            "speed": {"ours": _errors(self.speed), **_others(SPEED_BASELINES, self.speed_cases)},
            "memory": {"ours": _errors(self.peaks), **_others(MEMORY_BASELINES, self.peak_cases)},
        }


def _others(baselines: dict[str, Baseline], cases: Sequence[Case]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, baseline in baselines.items():
        pairs = [(baseline(case), case.run.value) for case in cases]
        ratios = np.array([told / value for told, value in pairs if told and value])
        found[name] = _errors(ratios)
    return found


def _errors(ratios: Values) -> dict[str, Any] | None:
    return asdict(Errors.of(ratios, np.ones(len(ratios)))) if len(ratios) else None


def _totals(cases: Sequence[Case], ratios: Values, left: Sequence[Unpredicted]) -> dict[str, Any]:
    if not cases:
        return {"rows": len(left), "predicted": 0, "median_ape": None, "p90_ape": None, "bias": None, "by_source": {}}
    by_source = by_cut(cases, ratios, CUTS["source"])
    errors = Errors.of(ratios, np.ones(len(ratios)))
    return {
        "rows": len(cases) + len(left),
        "predicted": len(cases),
        "median_ape": errors.median_ape,
        "p90_ape": errors.p90_ape,
        "bias": errors.bias,
        "median_of_source_medians": float(np.median([found.median_ape for found in by_source.values()])),
        "by_source": {name: asdict(found) for name, found in by_source.items()},
    }


def by_cut(cases: Sequence[Case], ratios: Values, key: Key) -> dict[str, Errors]:
    """Errors of each group of rows, in the order of first sight."""
    names = np.array([key(case) for case in cases])
    return {
        name: Errors.of(ratios[names == name], np.ones(int((names == name).sum())))
        for name in dict.fromkeys(names.tolist())
    }


def left_out() -> dict[str, Any] | None:
    """Errors of constants fitted without each source, from the last run of fit_sizing.py --leave-out."""
    if not LEFT_OUT.is_file():
        return None
    stored = json.loads(LEFT_OUT.read_text(encoding="utf-8"))
    found: dict[str, Any] = {}
    for kind in ("speed", "memory"):
        ratios = {name: np.array(entry[kind]) for name, entry in stored.items() if entry[kind]}
        found[kind] = {
            **(_errors(np.concatenate(list(ratios.values()))) or {}),
            "by_source": {name: _errors(values) for name, values in ratios.items()},
        }
    return found


def read_rows(path: Path, kind: str) -> list[Run]:
    """Rows of a file in the truth format or of our own table, told apart by their columns."""
    with path.open(encoding="utf-8", newline="") as file:
        columns = next(csv.reader(file), [])
    return read_facts(path) if "sequence_length" in columns else read_raw(path, kind)


def main() -> None:
    """Predict the rows and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--throughput", type=Path, metavar="FILE")
    parser.add_argument("--memory", type=Path, metavar="FILE")
    parser.add_argument("--json", action="store_true", dest="as_json")
    parser.add_argument("--write", action="store_true", help="generate docs/accuracy.md and docs/images/accuracy.svg")
    options = parser.parse_args()
    both = options.throughput is None and options.memory is None
    throughput = options.throughput or (FACTS / "truth_throughput.csv" if both else None)
    memory = options.memory or (FACTS / "truth_memory.csv" if both else None)
    accuracy = Accuracy(
        read_rows(throughput, "throughput") if throughput else [],
        read_rows(memory, "memory") if memory else [],
        Knowledge(),
    )
    if options.as_json:
        print(json.dumps(accuracy.to_json(), indent=2))
    elif options.write:
        from accuracy_page import write_page

        write_page(accuracy)
    else:
        from accuracy_page import summary

        print(summary(accuracy))


if __name__ == "__main__":
    main()
