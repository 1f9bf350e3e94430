"""Memory and speed of every assignment: do the parts add up, do they fit, does the physical model say the same?"""

from collections.abc import Iterator

from optimizer.domain.fit import Fit, Hardware, Misfit
from optimizer.domain.gpu import Gpu
from optimizer.domain.model import ModelShape, Training
from optimizer.domain.offer import Offer
from optimizer.domain.plan import Assignment, Layout
from optimizer.domain.text import Text
from optimizer.domain.workload import LayoutSpec, Work
from optimizer.verify import texts
from optimizer.verify.check import FLOAT_TOLERANCE, Checks, filled, is_close
from optimizer.verify.context import Context, label

TOTAL = "total"
#: Drivers of one GPU differ by less than this in the memory that they leave.
MOST_USABLE = 1.01


def check_sizing(context: Context, checks: Checks) -> None:
    """Every assignment's memory, layout, speed and interval."""
    for a in context.plan.assignments:
        work, offer = context.works.get(a.workload), context.offer_of(a)
        if work is None or offer is None:
            continue
        _check_identity(context, offer, a, checks)
        _check_memory(a, checks)
        _check_speed(a, checks)
        if a.layout is not None:
            _check_layout(work, a, a.layout, checks)
            _check_model(context, work, offer, a, checks)
        else:
            checks.equal(f"sizing.layout[{label(a)}]", None, work.model)


def _check_identity(context: Context, offer: Offer, a: Assignment, checks: Checks) -> None:
    """GPU and memory of the assignment are its offer's, whose usable memory is no more than the GPU has on record."""
    checks.equal(f"sizing.gpu_model[{label(a)}]", offer.machine.gpu_model, a.gpu_model)
    checks.add(
        f"sizing.usable_of_offer[{label(a)}]",
        a.usable_gib <= offer.machine.gpu_memory_usable_gib * (1 + FLOAT_TOLERANCE),
        filled(texts.AT_MOST, limit=offer.machine.gpu_memory_usable_gib),
        a.usable_gib,
    )
    gpu = context.facts.gpus.get(offer.machine.gpu_model)
    if gpu is not None:
        most, found = gpu.usable_memory_gib * MOST_USABLE, offer.machine.gpu_memory_usable_gib
        stated = filled(texts.AT_MOST, limit=gpu.usable_memory_gib)
        checks.add(f"sizing.usable_of_gpu[{label(a)}]", found <= most, stated, found)


def _check_memory(a: Assignment, checks: Checks) -> None:
    parts = {name: size for name, size in a.memory_gib_per_gpu.items() if name != TOTAL}
    total = a.memory_gib_per_gpu.get(TOTAL)
    if total is None and not parts and a.layout is None:
        return
    where = label(a)
    checks.close(f"sizing.memory_total[{where}]", sum(parts.values()), total)
    checks.add(f"sizing.memory_parts[{where}]", all(size >= 0 for size in parts.values()), texts.NOT_NEGATIVE, parts)
    most = filled(texts.AT_MOST, limit=f"{a.usable_gib} GiB")
    checks.add(f"sizing.fits[{where}]", (total or 0) <= a.usable_gib, most, total)


def _check_speed(a: Assignment, checks: Checks) -> None:
    if a.tokens_per_second is None:
        stated = (a.interval, a.mfu, a.binds, a.host_memory_gib)
        checks.equal(f"sizing.no_speed[{label(a)}]", (None, None, None, None), stated)
        return
    low, high = a.interval or (0.0, 0.0)
    ok = 0 < low <= a.tokens_per_second <= high
    checks.add(f"sizing.interval[{label(a)}]", ok, filled(texts.AROUND, speed=a.tokens_per_second), a.interval)


def _check_layout(work: Work, a: Assignment, layout: Layout, checks: Checks) -> None:
    where = label(a)
    gpus = a.nodes * a.gpus_used_per_node
    checks.equal(f"sizing.layout_gpus[{where}]", gpus, layout.tp * layout.pp * layout.dp)
    for name, wanted in _fixed_by_file(work):
        checks.equal(f"sizing.layout_{name}[{where}]", wanted, getattr(layout, name))


def _fixed_by_file(work: Work) -> Iterator[tuple[str, object]]:
    """The layout fields that the user fixed, with their values."""
    spec = work.layout if isinstance(work.layout, LayoutSpec) else LayoutSpec()
    fixed = {"tp": spec.tp, "pp": None if spec.pp == "any" else spec.pp, "ep": spec.ep, "zero": spec.zero}
    yield from ((name, value) for name, value in fixed.items() if value is not None)
    if work.micro_batch_size != "auto":
        yield "micro_batch", work.micro_batch_size
    if work.activation_checkpointing != "auto":
        yield "checkpointing", work.activation_checkpointing
    if work.offload != "auto":
        yield "offload", work.offload


def _check_model(context: Context, work: Work, offer: Offer, a: Assignment, checks: Checks) -> None:
    """Recount memory and speed of the stated layout with the physical model, where its facts are given."""
    where = label(a)
    if not context.facts.gpus:
        return
    gpu = context.facts.gpus.get(a.gpu_model)
    checks.add(f"sizing.gpu_known[{where}]", gpu is not None, texts.KNOWN_GPU, a.gpu_model)
    if gpu is None:
        return
    fit, best = recounted(context, work, offer, gpu, a), _fastest(context, work, offer, gpu, a)
    checks.add(f"sizing.fits_model[{where}]", isinstance(fit, Fit), texts.FITS, _breaks(fit))
    checks.equal(f"sizing.fastest_layout[{where}]", best.layout if isinstance(best, Fit) else None, a.layout)
    if isinstance(fit, Fit):
        _compare_memory(fit, a, checks)
        _compare_speed(fit, a, checks)


def _compare_memory(fit: Fit, a: Assignment, checks: Checks) -> None:
    where = label(a)
    checks.close(f"sizing.usable_gib[{where}]", fit.usable_gib, a.usable_gib)
    checks.equal(f"sizing.memory_names[{where}]", sorted(fit.memory_gib), sorted(a.memory_gib_per_gpu))
    for name, size in fit.memory_gib.items():
        checks.close(f"sizing.memory[{where}.{name}]", size, a.memory_gib_per_gpu.get(name))
    checks.close(f"sizing.host_memory_gib[{where}]", fit.host_memory_gib, a.host_memory_gib)


def _compare_speed(fit: Fit, a: Assignment, checks: Checks) -> None:
    where = label(a)
    # A plan made with a confidence counts on the low end of the interval instead of the middle.
    speeds = (fit.tokens_per_second, fit.interval[0])
    known = any(is_close(speed, a.tokens_per_second) for speed in speeds)
    checks.add(f"sizing.tokens_per_second[{where}]", known, speeds[0], a.tokens_per_second)
    for end, speed in zip(("low", "high"), fit.interval, strict=True):
        stated = None if a.interval is None else a.interval[0 if end == "low" else 1]
        checks.close(f"sizing.interval[{where}.{end}]", speed, stated)
    checks.close(f"sizing.mfu[{where}]", fit.mfu, a.mfu)
    checks.equal(f"sizing.binds[{where}]", fit.binds, a.binds)


def _breaks(fit: Fit | Misfit) -> Text:
    if isinstance(fit, Fit):
        return texts.FITS
    return filled(texts.MISFIT, what=fit.breaks, needed=fit.needed_gib, usable=fit.usable_gib)


def shape_of(context: Context, work: Work) -> ModelShape | None:
    """The model's architecture; `None` for work without a model."""
    from optimizer.sizing import shape_from_spec

    if work.model is None:
        return None
    return shape_from_spec(work.model, context.facts.models.get(work.model.preset or ""), work.name)


def training_for(context: Context, work: Work) -> Training | None:
    """The training run that sizing judges; `None` for work without a model."""
    from optimizer.sizing import training_of

    shape = shape_of(context, work)
    return training_of(work, shape) if shape is not None else None


def _fastest(context: Context, work: Work, offer: Offer, gpu: Gpu, a: Assignment) -> Fit | Misfit | None:
    """The fastest layout that fits on the same machines."""
    from optimizer.sizing import best_fit, hardware_of

    training = training_for(context, work)
    hardware = hardware_of(offer.machine, gpu, gpus=a.gpus_used_per_node)
    return best_fit(training, hardware, a.nodes) if training is not None else None


def recounted(context: Context, work: Work, offer: Offer, gpu: Gpu, a: Assignment) -> Fit | Misfit:
    """What the physical model says of the stated layout, corrected by the user's own run where that applies."""
    from optimizer.sizing import explain_layout, hardware_of

    training = training_for(context, work)
    if training is None or a.layout is None:
        raise ValueError(texts.NO_LAYOUT)
    hardware: Hardware = hardware_of(offer.machine, gpu, gpus=a.gpus_used_per_node)
    fit = explain_layout(training, hardware, a.nodes, a.layout)
    calibration = context.facts.calibrations.get(work.name)
    if isinstance(fit, Fit) and calibration is not None and calibration.applies_to(hardware, a.nodes):
        return calibration.applied(fit)
    return fit


def checkpoint_gb(context: Context, work: Work, a: Assignment) -> float:
    """GB of one checkpoint: as stated, else as the physical model computes it; 0 without a model or its facts."""
    if work.checkpoint_gb != "auto":
        return float(work.checkpoint_gb)
    gpu, offer = context.facts.gpus.get(a.gpu_model), context.offer_of(a)
    if work.model is None or gpu is None or offer is None or a.layout is None:
        return 0.0
    fit = recounted(context, work, offer, gpu, a)
    return fit.checkpoint_gb if isinstance(fit, Fit) else 0.0
