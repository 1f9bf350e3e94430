"""Hardware and models of the tests: figures of data sheets and published architectures, written out here."""

from dataclasses import replace
from typing import Any

from optimizer.domain.fit import Fit, Hardware, Misfit
from optimizer.domain.model import ModelShape, Training
from optimizer.domain.plan import Layout

#: NVIDIA A100 datasheet (2021-06): 312 TFLOPS bf16, 19.5 fp32, 156 TF32, NVLink 600 GB/s both ways, 400 W.
A100_80 = Hardware(
    gpu_model="A100-SXM4-80GB", gpus=8, memory_usable_gib=80.0, memory_bandwidth_gbyte_per_s=2039.0,
    fp32_tflops=19.5, tf32_tflops=156.0, bf16_tflops=312.0, fp16_tflops=312.0, fp8_tflops=None,
    architecture="Ampere", compute_capability=8.0, intra_link="nvswitch", intra_gbyte_per_s=300.0,
    network_gbit_per_s=1600.0, rdma="infiniband", cores=None, ram_gib=None, pcie_gbyte_per_s=31.5, tdp_watts=400.0,
)  # fmt: skip
A100_40 = replace(A100_80, gpu_model="A100-SXM4-40GB", memory_usable_gib=40.0, memory_bandwidth_gbyte_per_s=1555.0)
#: NVIDIA H100 datasheet (2023): 989 TFLOPS bf16 dense, 1,979 fp8, 3.35 TB/s, NVLink 900 GB/s both ways, 700 W.
H100 = replace(
    A100_80, gpu_model="H100-SXM5-80GB", memory_bandwidth_gbyte_per_s=3350.0, fp32_tflops=66.9, tf32_tflops=494.7,
    bf16_tflops=989.4, fp16_tflops=989.4, fp8_tflops=1978.9, architecture="Hopper", compute_capability=9.0,
    intra_gbyte_per_s=450.0, network_gbit_per_s=3200.0, pcie_gbyte_per_s=63.0, tdp_watts=700.0,
)  # fmt: skip
#: NVIDIA A10 datasheet: 24 GB GDDR6, 600 GB/s, 125 TFLOPS, 150 W; ECC leaves 93 % of the memory.
A10 = replace(
    A100_80, gpu_model="A10", gpus=1, memory_usable_gib=22.3, memory_bandwidth_gbyte_per_s=600.0, fp32_tflops=31.2,
    bf16_tflops=125.0, fp16_tflops=125.0, intra_link="pcie", intra_gbyte_per_s=31.5, tdp_watts=150.0,
)  # fmt: skip

#: arXiv 2302.13971, table 2, and the published config files.
LLAMA_7B = ModelShape("llama-2-7b", 6738415616, 6738415616, 32, 4096, 11008, 32, 32, 128, 32000, False)
LLAMA_13B = ModelShape("llama-2-13b", 13015864320, 13015864320, 40, 5120, 13824, 40, 40, 128, 32000, False)
LLAMA_65B = ModelShape("llama-1-65b", 65285660672, 65285660672, 80, 8192, 22016, 64, 64, 128, 32000, False)
LLAMA_70B = ModelShape("llama-3-70b", 70553706496, 70553706496, 80, 8192, 28672, 64, 8, 128, 128256, False)
#: arXiv 2005.14165, table 2.1: GPT-3 175B.
GPT3_175B = ModelShape("gpt-3-175b", 174.6e9, 174.6e9, 96, 12288, 49152, 96, 96, 128, 50257, True, gated=False)
#: arXiv 2401.04088, table 1: Mixtral 8x7B.
MIXTRAL = replace(
    LLAMA_7B, name="mixtral-8x7b", params_total=46.7e9, params_active=12.9e9, kv_heads=8, ffn_size=14336,
    experts=8, active_experts=2, moe_ffn_size=14336,
)  # fmt: skip


def layout(**fields: object) -> Layout:
    """One layout: a single replica that recomputes, unless said."""
    values: dict[str, object] = {
        "zero": 0, "tp": 1, "pp": 1, "dp": 1, "micro_batch": 1, "checkpointing": "full", **fields
    }  # fmt: skip
    return Layout(**values)  # type: ignore[arg-type]


def one(hardware: Hardware, gpus: int = 1) -> Hardware:
    """The same machine with so many GPUs."""
    return replace(hardware, gpus=gpus)


def train(shape: ModelShape = LLAMA_7B, method: str = "full", **fields: Any) -> Training:
    """A training run; QLoRA has four bits unless said."""
    if method == "qlora":
        fields.setdefault("quant_bits", 4)
    return Training(shape, method, **fields)  # type: ignore[arg-type]


def fitted(answer: Fit | Misfit) -> Fit:
    """The answer, which must be a fit."""
    assert isinstance(answer, Fit), answer
    return answer


def missed(answer: Fit | Misfit) -> Misfit:
    """The answer, which must be a misfit."""
    assert isinstance(answer, Misfit), answer
    return answer
