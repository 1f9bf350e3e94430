"""From a workload of the file to the training run that sizing judges."""

from optimizer.domain.model import ModelShape, Training
from optimizer.domain.workload import LayoutSpec, Work


def training_of(work: Work, shape: ModelShape | None) -> Training:
    """The training run that a workload describes; what it leaves to us (`auto`) stays open as `None`.

    Raises:
        ValueError: the workload has no model (work given as `gpu_hours`), so there is nothing to size.
    """
    if shape is None:
        raise ValueError(f"{work.name}: work without a model has no memory or speed to compute; it has gpu_hours")
    layout = work.layout if isinstance(work.layout, LayoutSpec) else LayoutSpec()
    return Training(
        shape=shape,
        method=work.method,
        precision=work.precision,
        master_weights=work.master_weights,
        optimizer=work.optimizer,
        offload=work.offload,
        flash_attention=work.attention == "flash",
        fused_cross_entropy=work.cross_entropy == "fused",
        sequence_length=work.sequence_length,
        global_batch_tokens=work.global_batch_tokens,
        micro_batch=None if work.micro_batch_size == "auto" else work.micro_batch_size,
        checkpointing=None if work.activation_checkpointing == "auto" else work.activation_checkpointing,
        zero=layout.zero,
        tp=layout.tp,
        pp=None if layout.pp == "any" else layout.pp,
        pipelines=layout.pp == "any",
        ep=layout.ep,
        lora_rank=work.lora.rank,
        lora_targets=work.lora.targets,
        quant_bits=work.qlora.bits if work.method == "qlora" else None,
        files=work.files,
        mean_file_kb=work.mean_file_kb,
    )
