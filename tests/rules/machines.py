"""Machines as their providers publish them, for cases with real figures.

Tencent: product pages "计算型实例" and "NVIDIA 系列实例" (tencentyun/qcloud-documents, commit 0b751f36). Alibaba:
instance family pages and the provider's API as crawled 2026-01-31 (SpareCores/sc-data-dumps, CC BY-SA 4.0). Google:
a2 machine series page. AWS: instance-types (karpenter-provider-aws, 2026-08-21) and link widths measured 2025-12 to
2026-02 (vantage-sh/ec2instances.info). Azure: ND A100 v4 and ND H100 v5 size pages.
"""

from typing import Any

from optimizer.domain.gpu import Gpu
from optimizer.domain.offer import Machine
from optimizer.domain.workload import Work
from optimizer.rules import Context
from optimizer.rules.examples import example_gpu, example_shape

#: provider, GPU, count, vCPUs, RAM GiB, and what else the page states.
_PUBLISHED: dict[str, tuple[str, str, int, float, float, dict[str, Any]]] = {
    "ecs.gn7i-c16g1.4xlarge": ("alibaba", "A10", 1, 16, 60, {"network_gbit_per_s": 16}),
    "ecs.gn7i-c8g1.2xlarge": ("alibaba", "A10", 1, 8, 30, {"network_gbit_per_s": 16}),
    "ecs.gn7-c12g1.3xlarge": ("alibaba", "A100-SXM4-40GB", 1, 12, 94, {"network_gbit_per_s": 4}),
    "ecs.gn6e-c12g1.12xlarge": ("alibaba", "V100-SXM2-32GB", 4, 48, 368, {"intra_link": "nvlink"}),
    "ecs.gn6i-c8g1.2xlarge": ("alibaba", "T4", 1, 8, 31, {}),
    "GN10X.9XLARGE160": ("tencent", "V100-SXM2-32GB", 4, 36, 160, {"intra_link": "nvlink"}),
    "GT4.4XLARGE96": ("tencent", "A100-SXM4-40GB", 1, 16, 96, {}),
    "GT4.8XLARGE192": ("tencent", "A100-SXM4-40GB", 2, 32, 192, {"intra_link": "nvlink"}),
    "a2-highgpu-1g": ("gcp", "A100-SXM4-40GB", 1, 12, 85, {}),
    "a2-highgpu-2g": ("gcp", "A100-SXM4-40GB", 2, 24, 170, {"intra_link": "nvlink"}),
    "p5.48xlarge": (
        "aws",
        "H100-SXM5-80GB",
        8,
        192,
        2048,
        {
            "intra_link": "nvswitch",
            "rdma": "efa",
            "network_gbit_per_s": 3200,
            "local_nvme_gb": 30400,
            "pcie_width_measured": 16,
        },
    ),
    "Standard_ND96isr_H100_v5": (
        "azure",
        "H100-SXM5-80GB",
        8,
        96,
        1900,
        {"intra_link": "nvswitch", "rdma": "infiniband", "network_gbit_per_s": 3200, "local_nvme_gb": 30720},
    ),
    "Standard_ND96amsr_A100_v4": (
        "azure",
        "A100-SXM4-80GB",
        8,
        96,
        1800,
        {"intra_link": "nvswitch", "rdma": "infiniband", "network_gbit_per_s": 1600, "local_nvme_gb": 7680},
    ),
}


def h100() -> Gpu:
    """H100 SXM5: data sheet figures."""
    return example_gpu("A100-SXM4-80GB").model_copy(
        update={
            "model": "H100-SXM5-80GB",
            "memory_type": "HBM3",
            "memory_bandwidth_gbyte_per_s": 3350.0,
            "bf16_tflops": 989.4,
            "fp16_tflops": 989.4,
            "fp8_tflops": 1978.9,
            "compute_capability": 9.0,
            "nvlink_gbyte_per_s": 900.0,
            "form_factor": "SXM5",
        }
    )


def gpu_of(model: str) -> Gpu:
    """The data sheet of a GPU by canonical id."""
    return h100() if model == "H100-SXM5-80GB" else example_gpu(model)


def published(name: str, /, **changes: Any) -> Machine:
    """A machine as published, with changes for what-if cases."""
    provider, model, count, vcpus, ram, more = _PUBLISHED[name]
    gpu = gpu_of(model)
    plain = {
        "provider": provider,
        "instance_type": name,
        "gpu_model": model,
        "gpu_count": count,
        "gpu_memory_gib": gpu.memory_gib,
        "gpu_memory_usable_gib": gpu.usable_memory_gib,
        "vcpus": vcpus,
        "ram_gib": ram,
    }
    return Machine.model_validate(plain | more | changes)


def a_work(**fields: Any) -> Work:
    """A job with a model (whose shape the context carries) unless it is given as GPU hours."""
    plain: dict[str, Any] = {"dataset_gb": 100.0}
    if "gpu_hours" not in fields:
        plain |= {"model": {"preset": "example"}, "tokens": 1e9}
    return Work.model_validate(plain | fields)


def context_on(machine: Machine, work: Work, shape: str | None = None, **more: Any) -> Context:
    """All GPUs of each machine, unless told otherwise."""
    more.setdefault("gpus_used_per_node", machine.gpu_count)
    return Context(
        work=work,
        machine=machine,
        gpu=gpu_of(machine.gpu_model),
        shape=example_shape(shape) if shape is not None else None,
        **more,
    )
