"""Runs made ready to predict, with the catalog's presets and GPUs, and the figures that errors are counted in."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from predict_runs import Case, Unpredicted, case_of, memories, speeds
from truth_rows import Run

from optimizer.catalog import Catalog, load_catalog
from optimizer.domain.gpu import Gpu
from optimizer.domain.model import ModelShape
from optimizer.sizing.constants import Constants

Values = NDArray[np.float64]
#: What a device shows over what a run needs: the allocator keeps freed blocks (readings of bigscience and Qwen).
DEVICE_READING = 1.12
#: Sources' own names of models that the presets spell otherwise.
MODEL_NAMES = {
    "llama7b": "llama-1-7b", "llama13b": "llama-1-13b", "llama33b": "llama-1-30b", "llama133b": "llama-1-30b",
    "llamalike7b": "llama-2-7b", "llamalike70b": "llama-2-70b", "internlm7b": "internlm-1-7b",
    "internlm20b": "internlm-1-20b", "mistral7bv02": "mistral-7b-v0.1", "yi34b200k": "yi-34b", "qwen18b": "qwen-1-1.8b",
    "qwen7b": "qwen-1-7b", "qwen14b": "qwen-1-14b", "qwen72b": "qwen-1-72b", "bloom176bmainrun": "bloom-176b",
    "deepseekv3": "deepseek-v3-671b", "llama4scout": "llama-4-scout-109b-a17b",
    "llama4maverick": "llama-4-maverick-400b-a17b", "commandr": "command-r-plus", "commandrplus": "command-r-plus",
    "nemotron340b": "nemotron-4-340b", "qwen3moe30b": "qwen3-30b-a3b",
}  # fmt: skip
#: A card that published runs used and the catalog does not sell: NVIDIA's product page; tensor rate twice the fp32 rate
#: as on its sisters (RTX 4090: 165.2 / 82.6).
RTX_4070_TI_SUPER = Gpu(
    model="RTX4070TISUPER", vendor="NVIDIA", architecture="Ada Lovelace", memory_gib=16, memory_type="GDDR6X",
    memory_bandwidth_gbyte_per_s=672, fp32_tflops=44.1, tf32_tflops=44.1, bf16_tflops=88.2, fp16_tflops=88.2,
    fp8_tflops=176.4, compute_capability=8.9, pcie_generation=4, tdp_watts=285, form_factor="PCIe", ecc=False,
    source="https://www.nvidia.com/en-us/geforce/graphics-cards/40-series/rtx-4070-family", observed="2026-11-30",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Errors:
    """Errors of predictions: median and 90th percentile of the relative error, median of predicted / measured - 1."""

    rows: int
    median_ape: float
    p90_ape: float
    bias: float

    @classmethod
    def of(cls, predicted: Values, measured: Values) -> "Errors":
        """Count them; at least one row."""
        ratio = predicted / measured
        off = np.abs(ratio - 1)
        return cls(len(ratio), float(np.median(off)), float(np.quantile(off, 0.9)), float(np.median(ratio) - 1))


class Knowledge:
    """The catalog's models and GPUs under the names that sources use."""

    def __init__(self, catalog: Catalog | None = None) -> None:
        self.catalog = catalog or load_catalog()
        self._shapes: dict[str, ModelShape | None] = {}

    def preset(self, name: str) -> ModelShape | None:
        """The preset that a source's model name means; words in brackets do not count."""
        if name not in self._shapes:
            self._shapes[name] = self._found(re.sub(r"\(.*?\)", "", name).strip())
        return self._shapes[name]

    def gpu(self, model: str) -> Gpu | None:
        """The GPU by its canonical model."""
        return RTX_4070_TI_SUPER if model == RTX_4070_TI_SUPER.model else self.catalog.gpus.get(model)

    def _found(self, name: str) -> ModelShape | None:
        name = re.sub(r"[-_ ](instruct|chat|base)$", "", name, flags=re.IGNORECASE)
        folded = re.sub(r"[^a-z0-9]+", "", name.lower())
        for spelling in (MODEL_NAMES.get(folded, ""), name, name.replace("Llama", "Llama-"), f"meta-llama/{name}"):
            try:
                return self.catalog.model(spelling)
            except KeyError:
                continue
        return None

    def cases(self, runs: Iterable[Run]) -> tuple[list[Case], list[Unpredicted]]:
        """Runs in scope made ready, and those that cannot be predicted."""
        ready: list[Case] = []
        left: list[Unpredicted] = []
        for run in runs:
            case = None if run.scope else case_of(run, self.preset, self.gpu)
            if isinstance(case, Case):
                ready.append(case)
            elif case is not None:
                left.append(case)
        return ready, left


def measured(cases: Sequence[Case]) -> Values:
    """The measured value of each case."""
    return np.array([case.run.value for case in cases], dtype=np.float64)


def groups(cases: Sequence[Case]) -> NDArray[np.str_]:
    """The source's short name of each case."""
    return np.array([case.run.group for case in cases])


def speed_ratios(cases: Sequence[Case], fitted: Constants | None = None) -> Values:
    """Predicted over measured tokens a second."""
    return speeds(cases, fitted) / measured(cases)


def shown_memory(cases: Sequence[Case], fitted: Constants | None = None) -> Values:
    """Predicted peak in the terms of each source: what the allocator counts, or what the device shows."""
    memory = memories(cases, fitted)
    counts_allocator = np.array([case.run.counts == "allocator" for case in cases])
    return np.where(counts_allocator, memory.reserved, memory.total * DEVICE_READING)
