"""What our model says about published runs: their hardware and layout as columns, then the product's own kernels."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray
from truth_rows import Presets, Run, shape_of

from optimizer.domain.fit import Hardware
from optimizer.domain.gpu import Gpu
from optimizer.domain.model import Training
from optimizer.sizing.constants import Constants, constants
from optimizer.sizing.costs import Costs, adapter_parameters, costs_of, optimizer_bytes
from optimizer.sizing.hardware import PCIE_X16_GBYTE_PER_S
from optimizer.sizing.layouts import RECOMPUTE, Columns
from optimizer.sizing.memory import Memory, memory_of
from optimizer.sizing.software import Software
from optimizer.sizing.speed import Machines, Step, machines_of, peak_tflops, step_of

Gpus = Callable[[str], Gpu | None]
#: Where a source is silent on the network of its cluster: one 200 Gbit/s RDMA port for two GPUs of a node of eight.
DEFAULT_NETWORK_GBIT_PER_S = 1_600.0
NEWER_NETWORK_GBIT_PER_S = 3_200.0
NEWER = ("Hopper", "Blackwell", "CDNA 3")
USUAL_NODE = 8
#: GPUs that one rack joins by NVLink where a card is sold in racks (NVIDIA GB200 NVL72 and GB300 NVL72 data sheets).
NVLINK_RACK = 72
#: Share of the paid hours that a long run trains (Llama 3, arXiv 2407.21783, section 3.3.4: over 90 %).
EFFECTIVE_TRAINING_TIME = 0.9
USUAL_MICRO_BATCH_TOKENS = 8_192


@dataclass(frozen=True, slots=True)
class Case:
    """One run made ready for the kernels."""

    run: Run
    training: Training
    hardware: Hardware
    nodes: int
    layout: tuple[float, ...]
    changes: dict[str, float]
    software: Software


@dataclass(frozen=True, slots=True)
class Unpredicted:
    """A run in scope that cannot be predicted, and why."""

    run: Run
    reason: str


def case_of(run: Run, presets: Presets, gpus: Gpus) -> Case | Unpredicted:
    """Fill the run's gaps by its framework's defaults and resolve its model and card."""
    shape = shape_of(run, presets)
    if shape is None:
        return Unpredicted(run, "neither a known model nor a dense one with a parameter count")
    count = run.gpus
    gpu = gpus(run.gpu) if run.gpu else _ANY_GPU
    if gpu is None:
        return Unpredicted(run, f"{run.gpu} is not in the GPU table")
    nodes = run.nodes or _nodes(count, gpu)
    hardware = _hardware(run, gpu, max(1, round(count / nodes)))
    training = _training(run, shape)
    is_unknown = peak_tflops(hardware, training.precision) is None or hardware.memory_bandwidth_gbyte_per_s is None
    if is_unknown and run.kind == "throughput":
        return Unpredicted(run, f"no {training.precision} rate or bandwidth of {run.gpu} on record")
    layout = _layout(run, shape.layers, nodes)
    return Case(
        run,
        training,
        hardware,
        nodes,
        layout,
        _changes(run, training),
        Software(run.attention if run.attention != "plain" else "flash2", run.kernels, run.libraries, run.sharding),
    )


def speeds(cases: Sequence[Case], fitted: Constants | None = None) -> NDArray[np.float64]:
    """Predicted tokens a second and GPU, one entry a case."""
    step, layouts = steps(cases, fitted)
    sequence = np.array([float(case.training.sequence_length) for case in cases])
    world = np.array([float(case.run.gpus) for case in cases])
    uptime = np.array([EFFECTIVE_TRAINING_TIME if case.run.is_total else 1.0 for case in cases])
    return layouts.sequences * sequence / step.total / world * uptime


def steps(cases: Sequence[Case], fitted: Constants | None = None) -> tuple[Step, Columns]:
    """Step times by part of all cases in one evaluation of the kernel."""
    costs, layouts = _stacked(cases, fitted)
    machines = _flat(machines_for(cases, fitted))
    return step_of(costs, layouts, machines, fitted), layouts


def machines_for(cases: Sequence[Case], fitted: Constants | None = None) -> Machines:
    """Speed figures of each case's machine, shape (cases, 1)."""
    single = [machines_of(case.training, [case.hardware], fitted, case.software) for case in cases]
    return Machines(*(np.concatenate([getattr(one, field.name) for one in single]) for field in fields(Machines)))


def memories(cases: Sequence[Case], fitted: Constants | None = None) -> Memory:
    """Memory by part of all cases in one evaluation of the kernel."""
    costs, layouts = _stacked(cases, fitted)
    return memory_of(costs, layouts, fitted)


def _stacked(cases: Sequence[Case], fitted: Constants | None) -> tuple[Costs, Columns]:
    costs = [replace(costs_of(case.training, fitted or constants(), case.software), **case.changes) for case in cases]
    columns = np.array([case.layout for case in cases], dtype=np.float64)
    stacked = Costs(*(np.array([getattr(one, field.name) for one in costs], float) for field in fields(Costs)))  # type: ignore[arg-type]
    return stacked, Columns(*(columns[:, index] for index in range(columns.shape[1])))


def _flat(machines: Machines) -> Machines:
    return Machines(*(getattr(machines, field.name).reshape(-1) for field in fields(Machines)))


def _training(run: Run, shape: object) -> Training:
    method = run.method if run.method in ("pretrain", "full", "lora", "qlora") else "full"
    if run.quant_bits is not None and method == "lora":
        method = "qlora"
    precision = {"int8": "bf16"}.get(run.precision, run.precision)
    optimizer = "adamw-8bit" if run.optimizer == "adamw-4bit" else run.optimizer
    return Training(
        shape=shape, method=method, precision=precision, master_weights=run.weights != "pure", optimizer=optimizer,
        flash_attention=run.attention != "plain", fused_cross_entropy=run.cross_entropy == "fused",
        sequence_length=run.sequence_length,
        lora_rank=run.lora_rank or 16, quant_bits=run.quant_bits if method == "qlora" else None,
    )  # type: ignore[arg-type]  # fmt: skip


def _layout(run: Run, layers: int, nodes: int) -> tuple[float, ...]:
    """The run's layout; stages that a table counts beyond the layers can only be replicas."""
    pp = min(run.pp, layers)
    dp = max(1, run.gpus // (run.tp * pp * run.context))
    micro, accumulation = _batch(run, dp)
    offload = {"none": 0.0, "optimizer": 1.0, "weights": 2.0}[run.offload]
    recompute = RECOMPUTE.index("selective" if run.checkpointing == "half" else run.checkpointing)
    values = (
        run.zero, run.tp, pp, dp, min(run.ep, dp * run.tp), run.context, micro, accumulation, recompute, offload,
        run.sequence_parallel, micro * accumulation * dp, run.interleave, nodes,
    )  # fmt: skip
    return tuple(float(value) for value in values)


def _nodes(count: int, gpu: Gpu) -> int:
    """Groups of GPUs with fast links among all of them: nodes of eight, or racks."""
    return -(-count // NVLINK_RACK) if "NVL72" in (gpu.form_factor or "") else max(1, count // USUAL_NODE)


def _half_kept(training: Training) -> float:
    """Bytes a token and layer where every second product's output is kept, beside the input and attention's output."""
    shape, costs = training.shape, costs_of(training)
    attention = costs.value_bytes * shape.heads * shape.head_dim
    return costs.boundary_bytes + attention + (costs.selective_bytes - attention) / 2.0


def _changes(run: Run, training: Training) -> dict[str, float]:
    """What a run's framework keeps otherwise than the product assumes, as figures of `Costs`."""
    changes: dict[str, float] = {}
    is_adapter = training.method in ("lora", "qlora")
    kept = {"whole_copies": 6.0, "fp32": 4.0, "freed": 0.0}
    if run.gradients in kept and not is_adapter:
        changes["gradient_bytes"] = kept[run.gradients]
    if run.gradients == "sharded_copies" and not is_adapter:
        changes.update(optimizer_bytes=optimizer_bytes(training) + 8.0, update_bytes=0.0)
    if run.checkpointing == "half":
        changes["linear_passes"] = costs_of(training).linear_passes + 0.5
        changes["selective_bytes"] = _half_kept(training)
    if run.expert_capacity:
        changes["expert_flops"] = costs_of(training).expert_flops * run.expert_capacity
    if run.activation_offload:
        changes["boundary_bytes"] = 0.0
    if run.trains_embeddings:
        ends = 2.0 * training.shape.vocab_size * training.shape.hidden_size
        changes["trained_share"] = (adapter_parameters(training) + ends) / training.shape.params_total
    return changes


def _batch(run: Run, dp: int) -> tuple[float, float]:
    """Micro-batch and accumulation as stated; micro-batches that are not stated have up to 8,192 tokens."""
    usual = max(1.0, USUAL_MICRO_BATCH_TOKENS // run.sequence_length)
    if run.global_batch_tokens is None:
        return float(run.micro_batch or usual), float(run.pp * 8 if run.pp > 1 else 1)
    per_rank = max(1.0, run.global_batch_tokens / run.sequence_length / dp)
    micro = float(run.micro_batch or min(per_rank, usual))
    return min(micro, per_rank), max(1.0, per_rank / micro)


def _hardware(run: Run, gpu: Gpu, per_node: int) -> Hardware:
    nvlink = (gpu.nvlink_gbyte_per_s or 0.0) / 2
    link = run.intra_link or ("nvlink" if gpu.is_sxm_board and nvlink else "pcie")
    pcie = PCIE_X16_GBYTE_PER_S.get(gpu.pcie_generation or 4, 31.5)
    if link == "pcie_x4":
        link, pcie = "pcie", pcie / 4
    newer = NEWER_NETWORK_GBIT_PER_S if gpu.architecture in NEWER else DEFAULT_NETWORK_GBIT_PER_S
    return Hardware(
        gpu_model=gpu.model, gpus=per_node, memory_usable_gib=gpu.usable_memory_gib,
        memory_bandwidth_gbyte_per_s=gpu.memory_bandwidth_gbyte_per_s, fp32_tflops=gpu.fp32_tflops,
        tf32_tflops=gpu.tf32_tflops, bf16_tflops=gpu.bf16_tflops, fp16_tflops=gpu.fp16_tflops,
        fp8_tflops=gpu.fp8_tflops, architecture=gpu.architecture, compute_capability=gpu.compute_capability,
        intra_link=link, intra_gbyte_per_s=nvlink if link != "pcie" else pcie,
        network_gbit_per_s=run.network_gbit_per_s or newer, rdma=run.rdma or "infiniband", cores=None, ram_gib=None,
        pcie_gbyte_per_s=pcie, tdp_watts=gpu.tdp_watts,
    )  # fmt: skip


_ANY_GPU = Gpu(
    model="unnamed", vendor="", architecture="Ampere", memory_gib=80, memory_bandwidth_gbyte_per_s=2039,
    bf16_tflops=312, fp16_tflops=312, fp32_tflops=19.5, tdp_watts=400, source="", observed="",
)  # fmt: skip
