"""Published measurements: reading rows of the truth format and saying what run each one describes.

A row leaves much unsaid. What is missing is filled by the defaults of the framework that the row names (never by
what would be fastest), and every filling is listed in `Run.assumed`.
"""

import csv
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from pathlib import Path

from optimizer.domain.model import ModelShape
from optimizer.sizing.shape import llama_like

Row = dict[str, str]
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
#: What a source calls a card, in order of trial: (words that must occur, canonical model).
GPU_NAMES = (
    ("h100.*nvl", "H100-NVL-94GB"), ("h100|pcie", "H100-PCIE-80GB"), ("h100", "H100-SXM5-80GB"),
    ("h800", "H800-SXM5-80GB"), ("h20|141", "H20-141GB"), ("gh200", "GH200-96GB"), ("h200.*nvl", "H200-NVL-141GB"),
    ("h200", "H200-SXM5-141GB"), ("h20", "H20-96GB"), ("gb200", "GB200-186GB"), ("gb300", "GB300-288GB"),
    ("b200", "B200-SXM-180GB"), ("b300", "B300-SXM-288GB"),
    ("a100|pcie|40", "A100-PCIE-40GB"), ("a100|pcie", "A100-PCIE-80GB"), ("a100|40", "A100-SXM4-40GB"),
    ("a100", "A100-SXM4-80GB"), ("a800|40", "A800-PCIE-40GB"), ("a800|pcie", "A800-PCIE-80GB"),
    ("a800", "A800-SXM4-80GB"), ("v100|pcie|32", "V100-PCIE-32GB"), ("v100|pcie", "V100-PCIE-16GB"),
    ("v100|16", "V100-SXM2-16GB"), ("v100", "V100-SXM2-32GB"), ("mi250", "MI250X"), ("mi300", "MI300X"),
    ("mi325", "MI325X"), ("mi350", "MI350X"), ("mi355", "MI355X"), ("pro 6000|ws", "RTXPRO6000-WS"),
    ("pro 6000|workstation", "RTXPRO6000-WS"), ("pro 6000", "RTXPRO6000-SE"), ("pro 4500", "RTXPRO4500-SE"),
    ("6000 ada", "RTX6000ADA"), ("a6000", "RTXA6000"), ("a5000", "RTXA5000"), ("a4000", "RTXA4000"),
    ("3090 ti", "RTX3090TI"), ("3090", "RTX3090"), ("4090d", "RTX4090D"), ("4090", "RTX4090"), ("5090d", "RTX5090D"),
    ("5090", "RTX5090"), ("4070 ti super", "RTX4070TISUPER"), ("titan rtx", "TITANRTX"), ("2080", "RTX2080TI"),
    ("l40s", "L40S"), ("l40", "L40"), ("l20", "L20"), ("l4", "L4"), ("a10g", "A10G"), ("a10", "A10"),
    ("a40", "A40"), ("a30", "A30"), ("a16", "A16"), ("t4", "T4"), ("p100", "P100-SXM2-16GB"), ("910b", "ASCEND910B"),
    ("gaudi2", "GAUDI2"), ("gaudi 2", "GAUDI2"), ("gaudi3", "GAUDI3"), ("gaudi 3", "GAUDI3"),
)  # fmt: skip
UNNAMED = ("not stated", "not named", "single gpu)", "total over", "consumer gpu", "accelerator")
ADAPTERS = ("peft-", "adapter(")
#: GPUs of a training cluster where only the total of GPU hours is published.
CLUSTER_GPUS, SMALL_CLUSTER_GPUS, CLUSTER_FROM_B = 1024, 64, 5.0
#: Sequences that nobody trains without recomputation, when a row does not say.
LONG_SEQUENCE = 16_384
#: Stages and expert groups where a row names the split without its size.
USUAL_SPLIT = 8
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
    micro_batch: int | None
    global_batch_tokens: int | None
    trains_embeddings: bool
    is_total: bool
    kind: str
    value: float | None
    scope: str
    doubt: str
    assumed: str

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
    sharding, notes = row["sharding"].lower(), row["notes"].lower()
    words = f"{sharding} {notes} {row.get('optimizer', '').lower()}"
    tp, pp, ep, context = _parallel(row, sharding)
    sequence = _int(row["seq_len"])
    average = _int(_found(r"average about (\d+) tokens per sample", notes))
    if average is not None and kind == "throughput":
        sequence = average
    if sequence is None:
        sequence = DEFAULT_SEQUENCE
        assumed.append(f"sequence {sequence}")
    gpus, nodes = _int(row["gpu_count"]), _int(row.get("nodes", ""))
    if gpus is None and row.get("total_gpu_hours"):
        gpus = CLUSTER_GPUS if (_float(row["params_b"]) or 0.0) >= CLUSTER_FROM_B else SMALL_CLUSTER_GPUS
        assumed.append(f"{gpus} GPUs")
    gpus = gpus or 1
    pp = min(pp, max(1, gpus // (tp * context)))
    checkpointing = _checkpointing(row, words, assumed)
    network, rdma = _network(row.get("inter_interconnect", ""))
    value = row["tokens_per_s_per_gpu"] if kind == "throughput" else row["peak_memory_gib_per_gpu"]
    method = "lora" if row["method"].startswith("lora") else row["method"]
    return Run(
        id=row["id"], source=row["source"], observed=row["source_date"], model=row["model"],
        parameters_b=_float(row["params_b"]), layers=_int(row["layers"]), hidden_size=_int(row["hidden"]),
        heads=_int(row.get("heads", "")), kv_heads=_int(row.get("kv_heads", "")),
        vocab_size=_int(row.get("vocab", "")) or _stated_vocabulary(notes), sequence_length=sequence, method=method,
        precision=_precision(row["precision"]), quant_bits=_quant_bits(row, method),
        optimizer=_optimizer(f"{row.get('optimizer', '')} {notes}".lower()), weights=_weights(row, words),
        attention=_attention(row, words), cross_entropy="fused" if _is_fused(row, notes) else "plain",
        kernels=_kernels(row, notes), libraries=_libraries(row),
        sharding="deepspeed" if "zero3" in sharding and "fsdp" not in sharding else "fsdp", gpu=gpu_of(row["gpu_model"]), gpus=gpus, nodes=nodes,
        intra_link=_intra(row.get("intra_interconnect", ""), words), network_gbit_per_s=network, rdma=rdma,
        zero=_zero(row, sharding, pp), zero_group=_int(_found(r"within (\d+) gpus", sharding)), tp=tp, pp=pp, ep=ep,
        context=context, interleave=_int(_found(r"vpp(\d+)", sharding)) or 1,
        sequence_parallel="sequence parallel" in sharding or "sequence parallel" in notes, offload=_offload(row, sharding, notes), activation_offload=_offloads_activations(row, sharding),
        gradients=_gradients(row, words, tp, pp), counts=_counts(notes, row), lora_rank=_int(_found(r"rank[- ]?(\d+)", notes)),
        checkpointing=checkpointing, micro_batch=_int(row["micro_batch"]),
        global_batch_tokens=_global_batch(row, notes, sequence, gpus, tp * pp * context),
        trains_embeddings="(emb)" in notes, is_total=bool(row.get("total_gpu_hours")) and "-totals-" in row["id"], kind=kind if kind == "throughput" else row["kind"], value=_float(value),
        scope=_scope(row, kind, value), doubt=_doubt(row, kind, notes), assumed="; ".join(assumed),
    )  # fmt: skip


def gpu_of(name: str) -> str:
    """The canonical model of a source's name; empty when the source does not name the card."""
    lowered = name.lower()
    if not lowered or any(mark in lowered for mark in UNNAMED):
        return ""
    for words, model in GPU_NAMES:
        if all(re.search(rf"(?<![a-z0-9]){word}(?![0-9])", lowered) for word in words.split("|")):
            return model
    return ""


def shape_of(run: Run, presets: Presets) -> ModelShape | None:
    """The run's architecture: its stated figures, a preset of that name, or a family scaled to the count."""
    name = run.model.lower()
    preset = presets(run.model)
    stated = run.layers is not None and run.hidden_size is not None
    if preset is not None and (not stated or (run.layers, run.hidden_size) == (preset.layers, preset.hidden_size)):
        return preset
    if run.parameters_b is None:
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
    hidden = run.hidden_size or _usual_width(total, vocabulary)
    ends = vocabulary * hidden * (1 if tied else 2)
    layers = run.layers or max(1, round((total - ends) / (12 * hidden * hidden)))
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


def _usual_width(total: float, vocabulary: int) -> int:
    layers = 1
    while 12 * (layers + 1) ** 3 * 128**2 + vocabulary * 128 * (layers + 1) <= total * 1.1:
        layers += 1
    return layers * 128


def _parallel(row: Row, sharding: str) -> tuple[int, int, int, int]:
    tp = _int(row.get("tp", "")) or _int(_found(r"tp(\d+)|mp=(\d+)", sharding)) or 1
    pp = _int(row.get("pp", "")) or _int(_found(r"pp(\d+)", sharding)) or 1
    ep = _int(_found(r"ep(\d+)", sharding)) or 1
    if "pp+" in sharding:
        pp = USUAL_SPLIT
    if "ep+" in sharding or "+ep" in sharding:
        ep = max(ep, USUAL_SPLIT)
    context = _int(_found(r"(?:sequence_parallel|sp|cp|context_parallel)[ _=]?(\d+)", sharding)) or 1
    if "ring attention" in sharding or "ulysses" in sharding:
        context = _int(row["gpu_count"]) or 1
    return tp, pp, ep, context


def _zero(row: Row, sharding: str, pp: int) -> int:
    stage = _int(_found(r"zero[-_ ]?(?:stage)?[-_ ]?(\d)", sharding))
    if "fsdp" in sharding and "shard_grad_op" not in sharding or "hsdp" in sharding:
        return 3
    if "shard_grad_op" in sharding:
        return 2
    if stage is not None:
        return stage
    if "distributed adam" in sharding or "distributed optimizer" in sharding:
        return 1
    if not sharding and row.get("total_gpu_hours"):
        return 3
    if "zero" in sharding:
        return 3 if "offload" in sharding else 2
    return 0


def _checkpointing(row: Row, words: str, assumed: list[str]) -> str:
    stated = row["activation_checkpointing"].lower()
    for mode in ("full", "selective", "none"):
        if stated.startswith(mode):
            return mode
    if (_int(row["seq_len"]) or 0) >= LONG_SEQUENCE:
        assumed.append("full recomputation")
        return "full"
    if "recompute=full" in words or "gradient checkpointing" in words:
        return "full"
    if "recompute=sel" in words or "recompute=moe" in words:
        return "selective"
    assumed.append("no recomputation")
    return "none"


def _network(text: str) -> tuple[float | None, str]:
    """Gbit/s of the node and the kind of RDMA; "2x HDR100", "4x100 Gbps", "Omni-Path, 4 links" are understood."""
    lowered = text.lower()
    if not lowered or lowered.startswith("none"):
        return None, ""
    rdma = "none"
    if any(word in lowered for word in ("infiniband", "ib ", "hdr", "ndr", "edr", "omni-path")):
        rdma = "infiniband"
    elif "roce" in lowered:
        rdma = "roce"
    elif "efa" in lowered:
        rdma = "efa"
    pairs = re.search(r"(\d+)\s*x\s*(?:hdr)?(\d+)", lowered)
    if pairs:
        return float(pairs[1]) * float(pairs[2]), rdma
    if "omni-path" in lowered and "gbps" not in lowered:
        links = re.search(r"(\d+) links", lowered)
        return 100.0 * float(links[1] if links else 1), rdma
    single = re.search(r"(\d+)\s*gb", lowered)
    per_gpu = 8.0 if "per gpu" in lowered else 1.0
    return (float(single[1]) * per_gpu if single else None), rdma


def _global_batch(row: Row, notes: str, sequence: int, gpus: int, split: int) -> int | None:
    """Tokens of one step: as stated, or from the batch of a data-parallel rank, or from the accumulation steps."""
    stated = _int(row.get("global_batch_tokens", ""))
    ranks = max(1, gpus // split)
    per_rank = _int(_found(r"batch per dp (\d+)", notes))
    accumulated = _int(_found(r"micro_num (\d+)", notes))
    if stated is None and per_rank is not None:
        return per_rank * ranks * sequence
    if stated is None and accumulated is not None and row["micro_batch"]:
        return accumulated * int(row["micro_batch"]) * ranks * sequence
    return stated


def _intra(text: str, words: str) -> str:
    lowered = text.lower()
    if "none" in lowered and "gpu" in lowered:
        return ""
    if "narrow" in lowered:
        return "pcie_x4"
    if "bridge" in lowered:
        return "nvlink_pairs"
    if "pcie" in lowered or "no nvlink" in lowered:
        return "pcie"
    return "nvlink" if "nvlink" in lowered or "nvswitch" in lowered else ""


def _precision(text: str) -> str:
    lowered = text.lower()
    if "fp8" in lowered:
        return "fp8"
    if "int8" in lowered:
        return "int8"
    if "fp16" in lowered and "bf16" not in lowered:
        return "fp16"
    return "fp32" if lowered in ("fp32", "float32") else "bf16"


def _quant_bits(row: Row, method: str) -> int | None:
    stated = _int(row.get("quant_bits", ""))
    return stated if stated is not None else (4 if method == "qlora" else None)


def _optimizer(text: str) -> str:
    if re.search(r"adamw? 4-bit|4-bit adam", text):
        return "adamw-4bit"
    if re.search(r"8-?bit adam|adamw? 8-?bit|adam8bit|paged adamw", text):
        return "adamw-8bit"
    for name in ("adafactor", "lion", "sgd"):
        if name in text:
            return name
    return "adamw"


def _weights(row: Row, words: str) -> str:
    """How trained weights are kept: pure 16 bit, a 16-bit copy beside fp32, or fp32 alone cast for each use."""
    text = f"{row['precision']} {words}".lower()
    if "pure bf16" in text or "bf16 (pure)" in text or "dtype bfloat16" in text or "torchtune" in row["source"].lower():
        return "pure"
    if "fsdp" in words or "hsdp" in words:
        return "fp32"
    return "mixed"


def _attention(row: Row, words: str) -> str:
    """Attention kernels: as named, else plain before 2022, else the FlashAttention of the framework's years."""
    if re.search(r"\bfa[34]\b|flash ?attention[- ]?[34]", words):
        return "flash3"
    if "bigscience" in row["id"] or row["source_date"][:4] in ("2019", "2020", "2021"):
        return "flash2" if "flash" in words else "plain"
    return "flash1" if "llm-foundry" in row["source"] else "flash2"


def _is_fused(row: Row, notes: str) -> bool:
    """Cross-entropy in chunks or in place: as named, and where a framework does so by default."""
    words = ("chunked ce", "chunked cross", "liger", "fused cross", "fused ce", "as above", "in_bwd")
    if any(word in notes for word in words) or "llm-foundry" in row["source"]:
        return True
    return "torchtune" in row["source"] and not re.search(r"baseline|\+packed|\+compile", notes)


def _kernels(row: Row, notes: str) -> str:
    """Fused elementwise kernels: compiled or Liger where named, Megatron's own with tensor or pipeline parallelism."""
    if "nocompile" in notes or "compile=false" in notes or "eager" in notes:
        return "eager"
    if "compile" in notes or "liger" in notes or "as above" in notes or "in_bwd" in notes:
        return "fused"
    if _libraries(row) == "before_2023":
        return "eager"
    frameworks = ("megatron", "nemo", "torchtitan", "gpt-neox", "mlperf")
    return "fused" if any(name in f"{row['source']} {row['sharding']}".lower() for name in frameworks) else "eager"


def _libraries(row: Row) -> str:
    is_old = "bigscience" in row["id"] or row["source_date"][:4] in ("2019", "2020", "2021", "2022")
    return "before_2023" if is_old else "current"


def _offload(row: Row, sharding: str, notes: str) -> str:
    text = sharding.replace("activation_offload", "").replace("activation offload", "")
    if "full offload" in text or "cpu_offload" in text or "param offload" in text:
        return "weights"
    is_paged = "paged" in row.get("optimizer", "")
    return "optimizer" if "offload" in text or "offload config" in notes or is_paged else "none"


def _offloads_activations(row: Row, sharding: str) -> bool:
    return "offload" in row["activation_checkpointing"].lower() or "activation_offload" in sharding


def _gradients(row: Row, words: str, tp: int, pp: int) -> str:
    """How gradients are kept: in 16 bit, with fp32 copies (whole or sharded), in fp32 alone, or freed during backward."""
    if "in backward" in row.get("optimizer", "") or "in-backward" in row.get("optimizer", ""):
        return "freed"
    if (tp > 1 or pp > 1) and row["method"] in ("pretrain", "full"):
        older = _libraries(row) == "before_2023" or "internevo" in row["source"].lower()
        if older:
            return "whole_copies" if row["precision"].startswith("bf16") and "fp32 grad" in words else "sharded_copies"
        return "fp32"
    return "fp32" if "fp32 grad" in words else "same"


def _counts(notes: str, row: Row) -> str:
    """What a printed peak counts: the allocator's (reserved, active, allocated) or the whole device's."""
    marks = ("reserved", "peak memory active", "allocated", "accelerator_memory_max", "max_memory")
    named = any(mark in notes for mark in marks) or any(name in row["source"].lower() for name in ("torchtune", "ao:"))
    return "allocator" if named or "/ao" in row["source"].lower() else "device"


def _scope(row: Row, kind: str, value: str) -> str:
    """Why a row is out of scope; empty when it is in scope."""
    if row["method"].startswith(ADAPTERS):
        return f"adapter method {row['method']}"
    if kind == "throughput" and not value:
        return "no tokens/s"
    if kind != "throughput" and row["kind"] == "estimated_requirement":
        return "an estimate of its authors, not a measurement"
    if not gpu_of(row["gpu_model"]) and not (kind != "throughput" and row["kind"] == "measured_peak"):
        return "GPU not named"
    return ""


def _doubt(row: Row, kind: str, notes: str) -> str:
    """Why a row in scope is kept out of the fit: the source itself or an audit calls it wrong or unrepresentative."""
    for words, reason in DOUBTS:
        if re.search(words, notes):
            return reason
    number = row["id"].rsplit("-", 1)[1]
    return DOUBTFUL_ROWS.get(row["id"].split("-", 1)[1].rsplit("-", 1)[0], {}).get(number, "")


DOUBTS = (
    (r"thermally throttled", "throttled nodes"),
    (r"badly set up|suspect the links", "a misconfigured network"),
    (r"unit is doubtful", "doubtful unit"),
    (r"upper bound stored", "a bound, not a measurement"),
    (r"treat as uncertain|too small ffn|ffn size mistake", "uncertain by its source"),
    (r"unpacked, max_seq", "unpacked: most of the sequence is padding"),
)
DOUBTFUL_ROWS: dict[str, dict[str, str]] = {
    "bigscience-v100": dict.fromkeys(("004", "005", "010"), "pipeline starved: 4 micro-batches over 16-64 stages")
    | dict.fromkeys(("011", "012", "013", "016", "017", "030"), "layout needs twice the GPUs"),
    "bigscience-a100": {"043": "layout needs twice the GPUs"},
    "colossal": {"002": "more than the card holds", "003": "layout needs twice the GPUs"},
    "qwen": {"045": "more than the card holds"},
}


def _stated_vocabulary(notes: str) -> int | None:
    found = _found(r"vocab (\d+)k", notes)
    return {"250": 250_680}.get(found, int(found) * 1000) if found else None


def _found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    return next((group for group in match.groups() if group), "") if match else ""


def _int(text: str) -> int | None:
    try:
        return int(float(text))
    except ValueError:
        return None


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


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
            values[field.name] = _int(text)
        elif "float" in kind:
            values[field.name] = _float(text)
        else:
            values[field.name] = text
    return Run(**values)  # type: ignore[arg-type]
