"""The documents' statements about speed, and what sizing predicts for the same cases (rules.md, groups A and D)."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from optimizer.catalog import Catalog, load_catalog
from optimizer.domain.fit import Fit, Hardware
from optimizer.domain.model import ModelShape, Training
from optimizer.sizing import best_fit

A100, H100, V100 = "A100-SXM4-80GB", "H100-SXM5-80GB", "V100-SXM2-32GB"
#: A network that never waits: the ideal that utilization is counted against.
IDEAL_GBIT_PER_S = 1e6
ETHERNET_GBIT_PER_S, RDMA_GBIT_PER_S = 100.0, 3_200.0
PCIE_4_GBYTE_PER_S = 31.5
#: Tokens of one step of the network cases: a usual batch of full fine-tuning.
STEP_TOKENS = 2**19
Row = tuple[str, str, str, str]


@cache
def _catalog() -> Catalog:
    return load_catalog()


def node(model: str, gpus: int = 8) -> Hardware:
    """A full node of a GPU with NVSwitch and 8 x 400 Gbit/s InfiniBand."""
    gpu = _catalog().gpus[model]
    return Hardware(
        gpu_model=model, gpus=gpus, memory_usable_gib=gpu.usable_memory_gib,
        memory_bandwidth_gbyte_per_s=gpu.memory_bandwidth_gbyte_per_s, fp32_tflops=gpu.fp32_tflops,
        tf32_tflops=gpu.tf32_tflops, bf16_tflops=gpu.bf16_tflops, fp16_tflops=gpu.fp16_tflops,
        fp8_tflops=gpu.fp8_tflops, architecture=gpu.architecture, compute_capability=gpu.compute_capability,
        intra_link="nvswitch", intra_gbyte_per_s=(gpu.nvlink_gbyte_per_s or 0.0) / 2,
        network_gbit_per_s=RDMA_GBIT_PER_S, rdma="infiniband", cores=None, ram_gib=None, pcie_gbyte_per_s=63.0,
        tdp_watts=gpu.tdp_watts,
    )  # fmt: skip


def shape(name: str) -> ModelShape:
    """A preset."""
    return _catalog().model(name)


def speed(training: Training, hardware: Hardware, nodes: int = 1) -> float:
    """Tokens a second of the fastest fitting layout; 0 when nothing fits."""
    answer = best_fit(training, hardware, nodes)
    return answer.tokens_per_second if isinstance(answer, Fit) else 0.0


def network_use(training: Training, gpu: str, nodes: int, network_gbit_per_s: float, rdma: str) -> float:
    """Speed on a network over the speed on one that never waits."""
    ideal = replace(node(gpu), network_gbit_per_s=IDEAL_GBIT_PER_S)
    real = replace(node(gpu), network_gbit_per_s=network_gbit_per_s, rdma=rdma)
    return speed(training, real, nodes) / speed(training, ideal, nodes)


def pcie_loss(training: Training, gpu: str = A100) -> float:
    """Share of the speed that eight GPUs lose when PCIe 4.0 takes the place of NVLink."""
    pcie = replace(
        node(gpu), intra_link="pcie", intra_gbyte_per_s=PCIE_4_GBYTE_PER_S, pcie_gbyte_per_s=PCIE_4_GBYTE_PER_S
    )
    return 1 - speed(training, pcie) / speed(training, node(gpu))


def bandwidth_gain(training: Training, factor: float) -> float:
    """What a card gains from so many times the memory bandwidth, all else equal."""
    card = node(A100, gpus=1)
    wide = replace(card, memory_bandwidth_gbyte_per_s=(card.memory_bandwidth_gbyte_per_s or 0.0) * factor)
    return speed(training, wide) / speed(training, card) - 1


def precision_gain(base: str) -> float:
    """13B LoRA on one A100 in bf16 over a base: "fp32" on CUDA cores, "tf32", or a V100 in fp16."""
    training = Training(shape("llama-2-13b"), "lora", sequence_length=2048)
    card = node(A100, gpus=1)
    ours = speed(training, card)
    if base == "V100":
        half = replace(training, precision="fp16")
        return ours / speed(half, replace(node(V100, gpus=1), memory_usable_gib=80.0))
    exact = replace(training, precision="fp32")
    rate = card.tf32_tflops if base == "tf32" else card.fp32_tflops
    return ours / speed(exact, replace(card, fp32_tflops=rate))


def document_rows() -> Iterator[Row]:
    """(case, the document's figure, ours, whether it agrees)."""
    for name, gpu, nodes in (
        ("llama-2-13b", A100, 2), ("llama-2-13b", A100, 4), ("llama-2-13b", H100, 4), ("codellama-34b", A100, 8),
        ("llama-3-70b", A100, 4), ("llama-3-70b", H100, 8),
    ):  # fmt: skip
        best = Training(shape(name), "full", global_batch_tokens=STEP_TOKENS)
        slow = network_use(best, gpu, nodes, ETHERNET_GBIT_PER_S, "none")
        sharded = network_use(replace(best, zero=3, tp=1), gpu, nodes, ETHERNET_GBIT_PER_S, "none")
        fast = network_use(best, gpu, nodes, RDMA_GBIT_PER_S, "infiniband")
        case = f"{name} full on {nodes} x 8 {gpu}"
        said = f"{slow:.0%}, fully sharded {sharded:.0%}"
        yield f"{case}, 100 Gbit/s Ethernet", "30-40 % of ideal", said, _says(sharded <= slow <= 0.8)
        yield f"{case}, 8 x 400 Gbit/s RDMA", "80 % or more", f"{fast:.0%}", _says(fast >= 0.8)
    thirteen = Training(shape("llama-2-13b"), "full", global_batch_tokens=STEP_TOKENS)
    for text, training, least, most in (
        ("13B full, gradients exchanged (ZeRO 1)", replace(thirteen, zero=1, tp=1), 0.02, 0.30),
        ("13B full, fully sharded (ZeRO 3)", replace(thirteen, zero=3, tp=1), 0.10, 0.60),
        ("13B LoRA", Training(shape("llama-2-13b"), "lora"), 0.0, 0.02),
    ):
        loss = pcie_loss(training)
        said = "almost nothing" if most < 0.1 else "up to about 30 %, more when fully sharded"
        yield f"8 A100 on PCIe 4.0 instead of NVLink, {text}", said, f"{loss:.0%} lost", _says(least <= loss <= most)
    for text, training in (
        ("7B QLoRA, 256 tokens a batch (memory binds)", _small("qlora", 256)),
        ("7B LoRA, 4,096 tokens a batch (compute binds)", _small("lora", 4096)),
    ):
        gain = bandwidth_gain(training, 2.0)
        said = "40 % and more where memory binds"
        yield f"twice the memory bandwidth, {text}", said, f"+{gain:.0%}", _says(0.0 <= gain <= 0.6)
    for base, text in (
        ("V100", "V100 fp16"),
        ("tf32", "TF32"),
        ("fp32", "fp32 on CUDA cores (data sheet alone: 16 x)"),
    ):
        gain = precision_gain(base)
        yield f"13B on one A100 in bf16 against {text}", "2.3 x, base not stated", f"{gain:.1f} x", _says(gain >= 1.8)


def _small(method: str, tokens: int) -> Training:
    bits = 4 if method == "qlora" else None
    return Training(
        shape("llama-2-7b"), method, sequence_length=tokens, micro_batch=1, quant_bits=bits,  # type: ignore[arg-type]
    )  # fmt: skip


def _says(agrees: bool) -> str:
    return "yes" if agrees else "no"
