"""Published measurements: reading rows of the truth format and saying what run each one describes.

A row leaves much unsaid. What is missing is filled by the defaults of the framework that the row names (never by
what would be fastest), and every filling is listed in `Run.assumed`.

The truth format is CSV in UTF-8, empty where unknown. Both kinds: id ("T-" or "M-", source, number), source,
source_date, model, params_b, layers, hidden, seq_len, method, gpu_model, gpu_count, precision, sharding,
activation_checkpointing, micro_batch, notes. Speeds: nodes, intra_interconnect, inter_interconnect, tp, pp, dp,
global_batch_tokens, tokens_per_s_per_gpu, mfu_percent, total_gpu_hours. Memory: heads, kv_heads, vocab, quant_bits,
optimizer, peak_memory_gib_per_gpu, kind (measured_peak, fits or oom).
"""

import csv
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import truth_words as words

from optimizer.domain.model import ModelShape
from optimizer.sizing.shape import llama_like

Row = dict[str, str]
Parts = dict[str, Any]
Presets = Callable[[str], ModelShape | None]

#: Families with a gated FFN (SwiGLU, GeGLU); the others have two matrices of four times the width.
GATED = ("llama", "qwen", "mistral", "mixtral", "yi-", "internlm", "gemma", "baichuan", "olmo", "deepseek", "cohere",
         "command", "phi-3", "phi-4", "glm", "smollm", "minicpm", "stablelm", "nanotron", "generic")  # fmt: skip
VOCABULARIES = (
    ("bloom", 250_680), ("mpt", 50_368), ("gpt", 50_257), ("pythia", 50_304), ("opt", 50_272), ("bert", 30_522),
    ("falcon", 65_024), ("llama-3", 128_256), ("llama3", 128_256), ("llama-4", 202_048), ("qwen", 151_936),
    ("internlm", 103_168), ("cohere", 256_000), ("command", 256_000), ("gemma", 256_000), ("yi", 64_000),
    ("olmo", 100_278), ("deepseek", 129_280), ("mistral", 32_000), ("baichuan", 64_000),
)  # fmt: skip
#: Names of mixtures of experts: "8x7B", "30B-A3B", "MoE". A parameter count alone does not say how many are at work.
MIXTURE = re.compile(r"moe|\b\d+x\d+(\.\d+)?b|\d+b[-_]a\d")
#: GPUs of a training cluster where only the total of GPU hours is published.
CLUSTER_GPUS, SMALL_CLUSTER_GPUS, CLUSTER_FROM_B = 1024, 64, 5.0
#: Tokens of a sequence where a row is silent: the usual packing length of fine-tuning recipes.
DEFAULT_SEQUENCE = 2048


@dataclass(frozen=True, slots=True)
class Run:
    """One measured run in the project's own terms; empty text and `None` are unknown. Columns of the fact tables."""

    id: str
    source: str
    observed: str
    model: str
    parameters_b: float | None
    layers: int | None
    hidden_size: int | None
    heads: int | None
    kv_heads: int | None
    vocab_size: int | None
    sequence_length: int
    method: str
    precision: str
    quant_bits: int | None
    optimizer: str
    weights: str
    attention: str
    cross_entropy: str
    kernels: str
    libraries: str
    sharding: str
    gpu: str
    gpus: int
    nodes: int | None
    intra_link: str
    network_gbit_per_s: float | None
    rdma: str
    zero: int
    zero_group: int | None
    tp: int
    pp: int
    ep: int
    context: int
    interleave: int
    sequence_parallel: bool
    offload: str
    activation_offload: bool
    gradients: str
    counts: str
    lora_rank: int | None
    checkpointing: str
    expert_capacity: float | None
    micro_batch: int | None
    global_batch_tokens: int | None
    trains_embeddings: bool
    is_total: bool
    kind: str
    tokens_per_second_per_gpu: float | None
    memory_gib: float | None
    scope: str
    doubt: str
    assumed: str

    @property
    def value(self) -> float | None:
        """What was measured: tokens a second and GPU, or GiB of a GPU."""
        return self.tokens_per_second_per_gpu if self.kind == "throughput" else self.memory_gib

    @property
    def group(self) -> str:
        """The source's short name, as in its id."""
        return self.id.split("-", 1)[1].rsplit("-", 1)[0]


def read_raw(path: Path, kind: str) -> list[Run]:
    """Rows of a file in the truth format; `kind` is "throughput" or "memory"."""
    with path.open(encoding="utf-8", newline="") as file:
        return [normalize(row, kind) for row in csv.DictReader(file)]


def read_facts(path: Path) -> list[Run]:
    """Rows of the project's own fact table."""
    with path.open(encoding="utf-8", newline="") as file:
        return [_parse(row) for row in csv.DictReader(file)]


def write_facts(path: Path, runs: Iterable[Run]) -> None:
    """Write runs as a fact table with the fields of `Run` as columns."""
    names = [field.name for field in fields(Run)]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([_text(getattr(run, name)) for name in names] for run in runs)


def normalize(row: Row, kind: str) -> Run:
    """What run a row describes."""
    assumed: list[str] = []
    parts = {
        **_identity(row, kind),
        **_place(row, assumed),
        **_numerics(row),
        **_memory_habits(row),
        **_measurement(row, kind),
    }
    parts["sequence_length"] = _sequence(row, kind, assumed)
    parts["checkpointing"] = words.checkpointing(row, assumed)
    parts["global_batch_tokens"] = _global_batch(row, parts)
    return Run(**parts, assumed="; ".join(assumed))


def _identity(row: Row, kind: str) -> Parts:
    notes = row["notes"].lower()
    return {
        "id": row["id"],
        "source": row["source"],
        "observed": row["source_date"],
        "model": row["model"],
        "parameters_b": words.number(row["params_b"]),
        "layers": words.whole(row["layers"]),
        "hidden_size": words.whole(row["hidden"]),
        "heads": words.whole(row.get("heads", "")),
        "kv_heads": words.whole(row.get("kv_heads", "")),
        "vocab_size": words.whole(row.get("vocab", "")) or words.stated_vocabulary(notes),
        "method": "lora" if row["method"].startswith("lora") else row["method"],
        "scope": words.scope(row, kind),
        "doubt": words.doubt(row),
        "is_total": bool(row.get("total_gpu_hours")) and "-totals-" in row["id"],
    }


def _place(row: Row, assumed: list[str]) -> Parts:
    """Cards, their links, and how the run is split over them."""
    sharding = row["sharding"].lower()
    gpus = words.whole(row["gpu_count"])
    if gpus is None and row.get("total_gpu_hours"):
        gpus = CLUSTER_GPUS if (words.number(row["params_b"]) or 0.0) >= CLUSTER_FROM_B else SMALL_CLUSTER_GPUS
        assumed.append(f"{gpus} GPUs")
    gpus = gpus or 1
    tp, pp, ep, context = words.parallel(row)
    network, rdma = words.network(row.get("inter_interconnect", ""))
    return {
        "gpu": words.gpu_of(row["gpu_model"]),
        "gpus": gpus,
        "nodes": words.whole(row.get("nodes", "")),
        "intra_link": words.intra(row.get("intra_interconnect", "")),
        "network_gbit_per_s": network,
        "rdma": rdma,
        "zero": words.zero(row),
        "zero_group": words.whole(words.found(r"within (\d+) gpus", sharding)),
        "tp": tp,
        "pp": min(pp, max(1, gpus // (tp * context))),
        "ep": ep,
        "context": context,
        "expert_capacity": words.number(words.found(r"capacity=(\d+)", row["notes"].lower())),
        "interleave": words.whole(words.found(r"vpp(\d+)", sharding)) or 1,
        "sequence_parallel": "sequence parallel" in f"{sharding} {row['notes'].lower()}",
        "micro_batch": words.whole(row["micro_batch"]),
    }


def _numerics(row: Row) -> Parts:
    """Precision, optimizer, and the generation of the software."""
    method = "lora" if row["method"].startswith("lora") else row["method"]
    sharding = row["sharding"].lower()
    return {
        "precision": words.precision(row["precision"]),
        "quant_bits": words.quant_bits(row, method),
        "optimizer": words.optimizer(row),
        "weights": words.weights(row),
        "attention": words.attention(row),
        "cross_entropy": "fused" if words.is_fused(row) else "plain",
        "kernels": words.kernels(row),
        "libraries": words.libraries(row),
        "sharding": "deepspeed" if "zero3" in sharding and "fsdp" not in sharding else "fsdp",
        "lora_rank": words.whole(words.found(r"rank[- ]?(\d+)", row["notes"].lower())),
    }


def _memory_habits(row: Row) -> Parts:
    """What of the run's memory lies elsewhere or is kept otherwise."""
    return {
        "offload": words.offload(row),
        "activation_offload": words.offloads_activations(row),
        "gradients": words.gradients(row),
        "trains_embeddings": "(emb)" in row["notes"].lower(),
    }


def _measurement(row: Row, kind: str) -> Parts:
    is_speed = kind == "throughput"
    value = words.number(row["tokens_per_s_per_gpu"] if is_speed else row["peak_memory_gib_per_gpu"])
    return {
        "counts": words.counts(row),
        "kind": kind if is_speed else row["kind"],
        "tokens_per_second_per_gpu": value if is_speed else None,
        "memory_gib": None if is_speed else value,
    }


def _sequence(row: Row, kind: str, assumed: list[str]) -> int:
    """Tokens of a sequence; of unpacked samples their average, since padding is not counted as tokens."""
    average = words.whole(words.found(r"average about (\d+) tokens per sample", row["notes"].lower()))
    stated = words.whole(row["seq_len"])
    if average is not None and kind == "throughput":
        return average
    if stated is None:
        assumed.append(f"sequence {DEFAULT_SEQUENCE}")
    return stated or DEFAULT_SEQUENCE


def _global_batch(row: Row, parts: Parts) -> int | None:
    """Tokens of one step: as stated, or from the batch of a data-parallel rank, or from the accumulation steps."""
    stated = words.whole(row.get("global_batch_tokens", ""))
    notes = row["notes"].lower()
    ranks = max(1, parts["gpus"] // (parts["tp"] * parts["pp"] * parts["context"]))
    per_rank = words.whole(words.found(r"batch per dp (\d+)", notes))
    accumulated = words.whole(words.found(r"micro_num (\d+)", notes))
    if stated is None and per_rank is not None:
        return int(per_rank * ranks * parts["sequence_length"])
    if stated is None and accumulated is not None and parts["micro_batch"] is not None:
        return int(accumulated * parts["micro_batch"] * ranks * parts["sequence_length"])
    return stated


def shape_of(run: Run, presets: Presets) -> ModelShape | None:
    """The run's architecture: its stated figures, a preset of that name, or a family scaled to the count.

    None for a mixture of experts that no preset knows.
    """
    name = run.model.lower()
    preset = presets(run.model)
    stated = run.layers is not None and run.hidden_size is not None
    if preset is not None and (not stated or (run.layers, run.hidden_size) == (preset.layers, preset.hidden_size)):
        return preset
    if run.parameters_b is None or MIXTURE.search(name):
        return None
    total = run.parameters_b * 1e9
    gated = any(family in name for family in GATED)
    vocabulary = run.vocab_size or next((size for family, size in VOCABULARIES if family in name), 32_000)
    if run.hidden_size is None and gated:
        return llama_like(total, {"vocab_size": vocabulary})
    return _dense(run, total, vocabulary, gated)


def _dense(run: Run, total: float, vocabulary: int, gated: bool) -> ModelShape:
    """A dense model of a stated width, or of the usual width for its count (hidden = 128 x layers)."""
    tied = not gated
    hidden = run.hidden_size or _usual_width(total, vocabulary, run.pp)
    ends = vocabulary * hidden * (1 if tied else 2)
    layers = run.layers or run.pp * max(1, round((total - ends) / (12 * hidden * hidden) / run.pp))
    heads = run.heads or max(1, hidden // 128)
    kv_heads = run.kv_heads or heads
    head_dim = hidden // heads
    attention = 2 * hidden * heads * head_dim + 2 * hidden * kv_heads * head_dim
    per_layer = (total - ends) / layers - attention
    ffn = 4 * hidden if not gated else max(1, round(per_layer / (3 * hidden)))
    return ModelShape(
        name=run.model, params_total=total, params_active=total, layers=layers, hidden_size=hidden, ffn_size=ffn,
        heads=heads, kv_heads=kv_heads, head_dim=head_dim, vocab_size=vocabulary, tied_embeddings=tied, gated=gated,
        attention="mha" if heads == kv_heads else "gqa", source="from the row's figures",
    )  # fmt: skip


def _usual_width(total: float, vocabulary: int, stages: int) -> int:
    """Width in steps of 128 at about 128 x layers, for a number of layers that pipeline stages share evenly."""
    layers = 1
    while 12 * (layers + 1) ** 3 * 128**2 + vocabulary * 128 * (layers + 1) <= total * 1.1:
        layers += 1
    if stages == 1:
        return layers * 128
    even = stages * max(1, round(layers / stages))
    width = ((vocabulary**2 + 48 * even * total) ** 0.5 - vocabulary) / (24 * even)
    return max(1, round(width / 128)) * 128


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else f"{value:.10g}" if isinstance(value, float) else str(value)


def _parse(row: Row) -> Run:
    values: dict[str, object] = {}
    for field in fields(Run):
        text, kind = row[field.name], str(field.type)
        if "bool" in kind:
            values[field.name] = text == "yes"
        elif "int" in kind:
            values[field.name] = int(text) if text else None
        elif "float" in kind:
            values[field.name] = float(text) if text else None
        else:
            values[field.name] = text
    return Run(**values)  # type: ignore[arg-type]
