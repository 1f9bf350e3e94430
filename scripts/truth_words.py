"""Reading the words of published rows: what a sharding label, a note or a card's name says about a run."""

import math
import re

Row = dict[str, str]

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
#: Stages and expert groups where a row names the split without its size.
USUAL_SPLIT = 8
#: Sequences that nobody trains without recomputation, when a row does not say.
LONG_SEQUENCE = 16_384
OLDER_YEARS = ("2019", "2020", "2021", "2022")


def text_of(row: Row) -> str:
    """Sharding, notes and optimizer in small letters: where the words stand."""
    return f"{row['sharding']} {row['notes']} {row.get('optimizer', '')}".lower()


def gpu_of(name: str) -> str:
    """The canonical model of a source's name; empty when the source does not name the card."""
    lowered = name.lower()
    if not lowered or any(mark in lowered for mark in UNNAMED):
        return ""
    for words, model in GPU_NAMES:
        if all(re.search(rf"(?<![a-z0-9]){word}(?![0-9])", lowered) for word in words.split("|")):
            return model
    return ""


def parallel(row: Row) -> tuple[int, int, int, int]:
    """Tensor, pipeline, expert and context splits; a split named without its size has the usual one."""
    sharding = row["sharding"].lower()
    tp = whole(row.get("tp", "")) or whole(found(r"tp(\d+)|mp=(\d+)", sharding)) or 1
    pp = whole(row.get("pp", "")) or whole(found(r"pp(\d+)", sharding)) or 1
    ep = whole(found(r"ep(\d+)", sharding)) or 1
    if "pp+" in sharding:
        pp = USUAL_SPLIT
    if "ep+" in sharding or "+ep" in sharding:
        ep = max(ep, USUAL_SPLIT)
    context = whole(found(r"(?:sequence_parallel|sp|cp|context_parallel)[ _=]?(\d+)", sharding)) or 1
    if "ring attention" in sharding or "ulysses" in sharding:
        context = whole(row["gpu_count"]) or 1
    return tp, pp, ep, context


def zero(row: Row) -> int:
    """ZeRO stage; FSDP is 3 unless it shards gradients only, or a pipeline keeps its weights whole between batches.

    FSDP2 under a pipeline gathers the weights once a step and reduces the gradients after its last micro-batch
    (torchtitan, fsdp_reshard_after_forward "default"): what ZeRO 1 keeps and moves.
    """
    sharding = row["sharding"].lower()
    if "fsdp" in sharding and parallel(row)[1] > 1:
        return 1
    stage = found(r"zero[-_ ]?(?:stage)?[-_ ]?(\d)", sharding)
    if ("fsdp" in sharding and "shard_grad_op" not in sharding) or "hsdp" in sharding:
        return 3
    if "shard_grad_op" in sharding:
        return 2
    if stage:
        return int(stage)
    if "distributed adam" in sharding or "distributed optimizer" in sharding:
        return 1
    if not sharding and row.get("total_gpu_hours"):
        return 3
    if "zero" in sharding:
        return 3 if "offload" in sharding else 2
    return 0


#: torchtitan's selective mode recomputes every second matrix product; torchao measures with it.
RECOMPUTES_HALF = ("torchtitan", "pytorch/ao:")


def checkpointing(row: Row, assumed: list[str]) -> str:
    """Recomputation as stated or named; long sequences recompute, others do not, when nothing is said."""
    words, stated = text_of(row), row["activation_checkpointing"].lower()
    if stated.startswith("selective") and any(name in words + row["source"] for name in RECOMPUTES_HALF):
        return "half"
    for mode in ("full", "selective", "none"):
        if stated.startswith(mode):
            return mode
    if (whole(row["seq_len"]) or 0) >= LONG_SEQUENCE:
        assumed.append("full recomputation")
        return "full"
    if "recompute=full" in words or "gradient checkpointing" in words:
        return "full"
    if "recompute=sel" in words or "recompute=moe" in words:
        return "selective"
    assumed.append("no recomputation")
    return "none"


def network(text: str) -> tuple[float | None, str]:
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


def intra(text: str) -> str:
    """Link between the cards of a node; empty when not stated."""
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


def precision(text: str) -> str:
    """One of the product's precisions, or int8."""
    lowered = text.lower()
    if "fp8" in lowered:
        return "fp8"
    if "int8" in lowered:
        return "int8"
    if "fp16" in lowered and "bf16" not in lowered:
        return "fp16"
    return "fp32" if lowered in ("fp32", "float32") else "bf16"


def quant_bits(row: Row, method: str) -> int | None:
    """Bits of frozen quantized weights; QLoRA has four."""
    stated = whole(row.get("quant_bits", ""))
    return stated if stated is not None else (4 if method == "qlora" else None)


def optimizer(row: Row) -> str:
    """The optimizer as named, AdamW when not."""
    text = text_of(row)
    if re.search(r"adamw? 4-bit|4-bit adam", text):
        return "adamw-4bit"
    if re.search(r"8-?bit adam|adamw? 8-?bit|adam8bit|paged adamw", text):
        return "adamw-8bit"
    for name in ("adafactor", "lion", "sgd"):
        if name in text:
            return name
    return "adamw"


def weights(row: Row) -> str:
    """How trained weights are kept: pure 16 bit, a 16-bit copy beside fp32, or fp32 alone cast for each use."""
    words = text_of(row)
    text = f"{row['precision']} {words}".lower()
    if "pure bf16" in text or "bf16 (pure)" in text or "dtype bfloat16" in text or "torchtune" in row["source"].lower():
        return "pure"
    if "fsdp" in words or "hsdp" in words:
        return "fp32"
    return "mixed"


def attention(row: Row) -> str:
    """Attention kernels: as named, else plain before 2023, else the FlashAttention of the framework's years."""
    words = text_of(row)
    if re.search(r"\b(?:no|without) flash|\beager attention", words):
        return "plain"
    if re.search(r"\bfa[34]\b|flash ?attention[- ]?[34]", words):
        return "flash3"
    if libraries(row) == "before_2023":
        return "flash2" if "flash" in words else "plain"
    if is_of_nvidia(row):
        return "flash3"
    return "flash1" if "llm-foundry" in row["source"] else "flash2"


def is_of_nvidia(row: Row) -> bool:
    """NVIDIA's own stack from 2024 on: cuDNN's attention, as fast as FlashAttention 3 (arXiv 2407.08608, figure 5)."""
    words = f"{row['source']} {row['sharding']}".lower()
    return row["source_date"][:4] >= "2024" and any(name in words for name in NVIDIA_STACK)


#: NeMo, Megatron Bridge and the recipes on them run Transformer Engine, tensor-parallel traffic beside the products.
NVIDIA_STACK = ("nemo", "megatron-bridge", "dgxc-benchmarking", "mlperf")


def is_fused(row: Row) -> bool:
    """Cross-entropy in chunks or in place: as named, and where a framework does so by default."""
    notes = row["notes"].lower()
    words = ("chunked ce", "chunked cross", "liger", "fused cross", "fused ce", "as above", "in_bwd")
    if any(word in notes for word in words) or "llm-foundry" in row["source"]:
        return True
    return "torchtune" in row["source"] and not re.search(r"baseline|\+packed|\+compile", notes)


def kernels(row: Row) -> str:
    """Fused elementwise kernels: compiled or Liger where named, and the frameworks that bring their own.

    Overlapped ones also hide tensor-parallel traffic.
    """
    notes = row["notes"].lower()
    if "nocompile" in notes or "compile=false" in notes or "eager" in notes:
        return "eager"
    if is_of_nvidia(row):
        return "overlapped"
    if "compile" in notes or "liger" in notes or "as above" in notes or "in_bwd" in notes:
        return "fused"
    if libraries(row) == "before_2023":
        return "eager"
    frameworks = ("megatron", "nemo", "torchtitan", "gpt-neox", "mlperf")
    return "fused" if any(name in f"{row['source']} {row['sharding']}".lower() for name in frameworks) else "eager"


def libraries(row: Row) -> str:
    """Generation of the matrix libraries: by the date, and for the log books of runs before 2023."""
    is_old = "bigscience" in row["source"] or row["source_date"][:4] in OLDER_YEARS
    return "before_2023" if is_old else "current"


def offload(row: Row) -> str:
    """What lies in host memory: nothing, optimizer states, or weights as well."""
    text = row["sharding"].lower().replace("activation_offload", "").replace("activation offload", "")
    if any(words in text for words in ("full offload", "cpu_offload", "param offload", "zero3+offload")):
        return "weights"
    is_paged = "paged" in row.get("optimizer", "")
    return "optimizer" if "offload" in text or "offload config" in row["notes"].lower() or is_paged else "none"


def offloads_activations(row: Row) -> bool:
    """Whether checkpointed activations go to the host."""
    return "offload" in row["activation_checkpointing"].lower() or "activation_offload" in row["sharding"].lower()


def gradients(row: Row) -> str:
    """How gradients are kept: in 16 bit, with fp32 copies (whole or sharded), in fp32 alone, or freed in backward."""
    words, (tp, pp, _, _) = text_of(row), parallel(row)
    if "in backward" in row.get("optimizer", "") or "in-backward" in row.get("optimizer", ""):
        return "freed"
    if (tp > 1 or pp > 1) and row["method"] in ("pretrain", "full"):
        older = libraries(row) == "before_2023" or "internevo" in row["source"].lower()
        if older:
            return "whole_copies" if row["precision"].startswith("bf16") and "fp32 grad" in words else "sharded_copies"
        return "fp32"
    return "fp32" if "fp32 grad" in words else "same"


def counts(row: Row) -> str:
    """What a printed peak counts: the allocator's (reserved, active, allocated) or the whole device's."""
    notes = row["notes"].lower()
    marks = ("reserved", "peak memory active", "allocated", "accelerator_memory_max", "max_memory")
    named = any(mark in notes for mark in marks) or any(name in row["source"].lower() for name in ("torchtune", "ao:"))
    return "allocator" if named or "/ao" in row["source"].lower() else "device"


def scope(row: Row, kind: str) -> str:
    """Why a row is out of scope; empty when it is in scope."""
    if row["method"].startswith(ADAPTERS):
        return f"adapter method {row['method']}"
    if kind == "throughput" and number(row["tokens_per_s_per_gpu"]) is None:
        return "no tokens/s"
    if kind != "throughput" and row["kind"] == "estimated_requirement":
        return "an estimate of its authors, not a measurement"
    if not gpu_of(row["gpu_model"]) and not (kind != "throughput" and row["kind"] == "measured_peak"):
        return "GPU not named"
    return ""


def doubt(row: Row) -> str:
    """Why a row in scope is kept out of the fit: the source itself or an audit calls it wrong or unrepresentative."""
    for words, reason in DOUBTS:
        if re.search(words, row["notes"].lower()):
            return reason
    return DOUBTFUL_ROWS.get(row["id"], "")


DOUBTS = (
    (r"thermally throttled", "throttled nodes"),
    (r"badly set up|suspect the links", "a misconfigured network"),
    (r"unit is doubtful", "doubtful unit"),
    (r"upper bound stored", "a bound, not a measurement"),
    (r"treat as uncertain|too small ffn|ffn size mistake", "uncertain by its source"),
    (r"unpacked, max_seq", "unpacked: most of the sequence is padding"),
)
_STARVED = "pipeline starved: 4 micro-batches over 16 to 64 stages"
_TWICE = "layout needs twice the GPUs"
_LIMITED = "boards limited below their data sheet's power"
_MORE = "more than the card holds"
_NOT_MEASURED = "the card is the one it runs on at least, not the one measured"
DOUBTFUL_ROWS = {
    **{f"T-bigscience-v100-{row}": _STARVED for row in ("004", "005", "010")},
    **{f"T-torchao-{row}": _LIMITED for row in ("008", "009", "010", "011", "012")},
    **{f"T-bigscience-v100-{row}": _TWICE for row in ("011", "012", "013", "016", "017", "030")},
    "T-bigscience-a100-043": _TWICE,
    "T-colossal-003": _TWICE,
    "M-colossal-003": _TWICE,
    "M-colossal-002": _MORE,
    "M-qwen-045": _MORE,
    "M-torchtune-002": _NOT_MEASURED,
    "M-torchtune-004": _NOT_MEASURED,
}


def stated_vocabulary(notes: str) -> int | None:
    """A vocabulary that a note gives in thousands (250k is BLOOM's 250,680)."""
    thousands = found(r"vocab (\d+)k", notes)
    return {"250": 250_680}.get(thousands, int(thousands) * 1000) if thousands else None


def found(pattern: str, text: str) -> str:
    """The first group that a pattern captures, or nothing."""
    match = re.search(pattern, text)
    return next((group for group in match.groups() if group), "") if match else ""


def whole(text: str) -> int | None:
    """A whole number from 1, or unknown."""
    value = number(text)
    return None if value is None or value < 1 else int(value)


def number(text: str) -> float | None:
    """A number above 0, or unknown; nothing that these tables hold can be 0 or less. Commas part thousands."""
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) and value > 0 else None
