"""The plain context that every rule's examples change: one whole A100 machine of a named server platform.

GPU figures are those of NVIDIA's and AMD's data sheets (memory, bandwidth, dense tensor rates, compute capability).
"""

from functools import lru_cache
from typing import Any, Final

from optimizer.domain.fit import Fit
from optimizer.domain.gpu import Gpu
from optimizer.domain.model import ModelShape
from optimizer.domain.offer import Machine
from optimizer.domain.plan import Layout
from optimizer.domain.workload import Work
from optimizer.rules.context import Context
from optimizer.rules.rule import Example

#: model: vendor, nominal GB, reported MiB, memory, GB/s, bf16, fp16 TFLOPS, capability, NVLink GB/s, form factor.
_GPUS: Final[dict[str, tuple[Any, ...]]] = {
    "T4": ("NVIDIA", 16, None, "GDDR6", 320, None, 65, 7.5, None, "PCIe"),
    "V100-SXM2-32GB": ("NVIDIA", 32, 32768, "HBM2", 900, None, 125, 7.0, 300, "SXM2"),
    "A10": ("NVIDIA", 24, None, "GDDR6", 600, 125, 125, 8.6, None, "PCIe"),
    "L40S": ("NVIDIA", 48, 45776, "GDDR6", 864, 362, 362, 8.9, None, "PCIe"),
    "RTXPRO6000-SE": ("NVIDIA", 96, 98304, "GDDR7", 1597, 500, 500, 12.0, None, "PCIe"),
    "A100-SXM4-40GB": ("NVIDIA", 40, 40960, "HBM2", 1555, 312, 312, 8.0, 600, "SXM4"),
    "A100-PCIE-80GB": ("NVIDIA", 80, None, "HBM2e", 1935, 312, 312, 8.0, 600, "PCIe"),
    "A100-SXM4-80GB": ("NVIDIA", 80, 81920, "HBM2e", 2039, 312, 312, 8.0, 600, "SXM4"),
    "MI300X": ("AMD", 192, None, "HBM3", 5300, 1307.4, 1307.4, None, 896, "OAM"),
}
#: Parameters in billions and shape of the example models (public model cards).
_SHAPES: Final[dict[str, tuple[float, int, int, int, int]]] = {
    "7B": (6.738, 32, 4096, 11008, 32),
    "13B": (13.016, 40, 5120, 13824, 40),
    "34B": (33.744, 48, 8192, 22016, 64),
    "70B": (70.554, 80, 8192, 28672, 64),
    "175B": (174.6, 96, 12288, 49152, 96),
}


@lru_cache
def example_gpu(model: str) -> Gpu:
    """The data sheet of one of the example GPUs."""
    vendor, gib, mib, kind, rate, bf16, fp16, capability, link, form = _GPUS[model]
    return Gpu(
        model=model,
        vendor=vendor,
        architecture="",
        memory_gib=gib,
        memory_reported_mib=mib,
        memory_type=kind,
        memory_bandwidth_gbyte_per_s=rate,
        bf16_tflops=bf16,
        fp16_tflops=fp16,
        compute_capability=capability,
        nvlink_gbyte_per_s=link,
        form_factor=form,
        source="data sheet",
        observed="2026-11-30",
    )


def example_shape(name: str) -> ModelShape:
    """The shape of one of the example models."""
    billion, layers, hidden, ffn, heads = _SHAPES[name]
    parameters = billion * 1e9
    return ModelShape(
        name=name,
        params_total=parameters,
        params_active=parameters,
        layers=layers,
        hidden_size=hidden,
        ffn_size=ffn,
        heads=heads,
        kv_heads=heads,
        head_dim=hidden // heads,
        vocab_size=32_000,
        tied_embeddings=False,
    )


def build(example: Example) -> Context:
    """The example's context: the plain machine, work and configuration with the example's changes."""
    context = dict(example.context)
    shape = context.pop("shape", None)
    fit = context.pop("fit", None)
    gpu = example_gpu(example.gpu)
    machine = _machine(gpu, dict(example.machine))
    used = context.pop("gpus_used_per_node", 1)
    return Context(
        work=_work(dict(example.work)),
        machine=machine,
        gpu=gpu,
        gpus_used_per_node=used,
        shape=example_shape(shape) if shape is not None else None,
        fit=_fit(gpu, used, fit) if fit is not None else None,
        **context,
    )


def _machine(gpu: Gpu, changes: dict[str, Any]) -> Machine:
    plain = {
        "provider": "example",
        "instance_type": "example-1",
        "gpu_model": gpu.model,
        "gpu_count": 1,
        "gpu_memory_gib": gpu.memory_gib,
        "gpu_memory_usable_gib": gpu.usable_memory_gib,
        "cpu": "Xeon Platinum 8358",
        "cores": 32.0,
        "ram_gib": 256.0,
        "ecc": True,
    }
    return Machine.model_validate(plain | changes)


def _work(changes: dict[str, Any]) -> Work:
    plain: dict[str, Any] = {"method": "lora", "dataset_gb": 100.0}
    if "gpu_hours" not in changes:
        plain |= {"model": {"preset": "example"}, "tokens": 1e9}
    return Work.model_validate(plain | changes)


def _fit(gpu: Gpu, gpus: int, changes: dict[str, Any]) -> Fit:
    """A fit with the given memory (`total`, `usable` GiB), reading rate (`read` GB/s) and bound (`binds`)."""
    layout = Layout(zero=0, tp=1, pp=1, dp=gpus, micro_batch=1, checkpointing="full")
    return Fit(
        gpu_model=gpu.model,
        gpus_per_node=gpus,
        nodes=1,
        layout=layout,
        memory_gib={"total": changes.get("total", 10.0)},
        usable_gib=changes.get("usable", gpu.usable_memory_gib),
        host_memory_gib=changes.get("host", 20.0),
        tokens_per_second=1_000.0,
        interval=(800.0, 1_200.0),
        mfu=0.4,
        binds=changes.get("binds", "compute"),
        storage_demand_gbyte_per_s=changes.get("read", 0.0),
        cores_demand=changes.get("cores", 0.0),
        checkpoint_gb=changes.get("checkpoint", 14.0),
    )
