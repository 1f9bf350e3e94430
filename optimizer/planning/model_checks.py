"""What no transformer can be, named field by field before sizing assumes the rest (docs/adr/0077-model-checks.md).

A slip in one figure changes memory and speed without looking wrong: 33 heads for 32, a count instead of billions.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from optimizer.domain.model import ModelShape
from optimizer.domain.workload import ModelSpec, Work

#: Far beyond every published model; a figure above is a slip of the unit.
MOST: dict[str, int] = {
    "parameters_b": 100_000,
    "layers": 10_000,
    "hidden_size": 1_000_000,
    "heads": 10_000,
    "kv_heads": 10_000,
    "head_dim": 100_000,
    "ffn_size": 10_000_000,
    "moe_ffn_size": 10_000_000,
    "shared_expert_ffn_size": 10_000_000,
    "vocab_size": 100_000_000,
    "experts": 100_000,
}
LEAST_PARAMETERS_B = 0.001
LEAST_GPU_HOURS = 0.001
DAYS_OF_A_MONTH = 31
#: Fields that say something about experts, and nothing where there are none.
OF_EXPERTS = ("active_experts", "moe_ffn_size", "shared_expert_ffn_size", "dense_layers")


@dataclass(frozen=True, slots=True)
class Slip:
    """One figure that cannot be: its field (below the workload), what was found, what was expected."""

    field: str
    found: object
    expected: str


def model_slips(spec: ModelSpec, preset: ModelShape | None) -> list[Slip]:
    """What contradicts itself in a model, stated figures over the preset's."""
    slips = list(_sizes(spec))
    return slips or [*_attention(spec, preset), *_experts(spec, preset), *_whole(spec, preset)]


def work_slips(work: Work, shape: ModelShape | None) -> Iterator[Slip]:
    """What a run asks of its model and cannot have; too little work to be any."""
    if work.gpu_hours is not None and work.gpu_hours.hours < LEAST_GPU_HOURS:
        yield Slip("gpu_hours.hours", f"{work.gpu_hours.hours:g}", f"at least {LEAST_GPU_HOURS:g} hours")
    if shape is None:
        return
    if work.method in ("lora", "qlora") and work.lora.rank > shape.hidden_size:
        yield Slip("lora.rank", work.lora.rank, f"at most the hidden size, {shape.hidden_size}")
    batch, sequence = work.global_batch_tokens, work.sequence_length
    if batch is not None and batch < sequence:
        yield Slip("global_batch_tokens", batch, f"at least one sequence, {sequence} tokens")
    elif batch is not None and work.micro_batch_size != "auto" and work.micro_batch_size * sequence > batch:
        expected = f"at most the {batch // sequence} sequences of global_batch_tokens"
        yield Slip("micro_batch_size", work.micro_batch_size, expected)
    yield from _amounts(work)
    yield from _layout(work, shape)


def _amounts(work: Work) -> Iterator[Slip]:
    """Work of less than a sequence (a day) is a slip of the unit, and no provider bills so little."""
    sequence, daily = work.sequence_length, work.sequence_length * DAYS_OF_A_MONTH
    if work.total_tokens is not None and work.total_tokens < sequence:
        field = "tokens" if work.tokens is not None else "dataset_tokens"
        yield Slip(field, f"{getattr(work, field):g}", f"at least one sequence, {sequence} tokens")
    monthly = work.tokens_per_month
    for amount in monthly if isinstance(monthly, tuple) else (monthly or 0.0,):
        if 0 < amount < daily:
            yield Slip("tokens_per_month", f"{amount:g}", f"at least a sequence a day, {daily} tokens, or 0")


def _layout(work: Work, shape: ModelShape) -> Iterator[Slip]:
    layout = work.layout
    if layout == "auto":
        return
    if layout.tp is not None and shape.heads % layout.tp:
        yield Slip("layout.tp", layout.tp, f"a divisor of heads, {shape.heads}")
    if isinstance(layout.pp, int) and layout.pp > shape.layers:
        yield Slip("layout.pp", layout.pp, f"at most layers, {shape.layers}")
    if layout.ep is not None and layout.ep > 1 and not shape.experts:
        yield Slip("layout.ep", layout.ep, "1: the model has no experts")
    elif layout.ep is not None and shape.experts and shape.experts % layout.ep:
        yield Slip("layout.ep", layout.ep, f"a divisor of experts, {shape.experts}")


def _sizes(spec: ModelSpec) -> Iterator[Slip]:
    for name, most in MOST.items():
        value = getattr(spec, name)
        if value is not None and value > most:
            unit = " billion (7 for a model of 7e9 parameters)" if name == "parameters_b" else ""
            yield Slip(f"model.{name}", f"{value:g}", f"at most {most:,}{unit}")
    if spec.parameters_b is not None and spec.parameters_b < LEAST_PARAMETERS_B:
        yield Slip("model.parameters_b", f"{spec.parameters_b:g}", f"billions of parameters, {LEAST_PARAMETERS_B:g} up")


def _attention(spec: ModelSpec, preset: ModelShape | None) -> Iterator[Slip]:
    """Heads share the hidden size evenly unless their width is given; groups of heads share keys evenly."""
    heads, hidden = _value(spec, preset, "heads"), _value(spec, preset, "hidden_size")
    is_changed = spec.heads is not None or spec.hidden_size is not None
    if spec.head_dim is None and is_changed and heads and hidden and hidden % heads:
        name = "heads" if spec.heads is not None else "hidden_size"
        known, value = ("hidden_size", hidden) if name == "heads" else ("heads", heads)
        word = "a divisor" if name == "heads" else "a multiple"
        yield Slip(f"model.{name}", getattr(spec, name), f"{word} of {known}, {value}, or a head_dim beside it")
    if spec.kv_heads is not None and heads and heads % spec.kv_heads:
        yield Slip("model.kv_heads", spec.kv_heads, f"a divisor of heads, {heads}")


def _experts(spec: ModelSpec, preset: ModelShape | None) -> Iterator[Slip]:
    experts = _value(spec, preset, "experts")
    if not experts:
        for name in OF_EXPERTS:
            if getattr(spec, name):
                yield Slip(f"model.{name}", getattr(spec, name), "experts beside it: a model without has none of these")
        return
    active = _value(spec, preset, "active_experts")
    if not active:
        yield Slip("model.active_experts", "nothing", f"how many of the {experts} experts work on a token")
    elif active > experts:
        yield Slip("model.active_experts", active, f"at most experts, {experts}")
    dense, layers = spec.dense_layers, _value(spec, preset, "layers")
    if dense and layers and dense >= layers:
        yield Slip("model.dense_layers", dense, f"fewer than layers, {layers}")


def _whole(spec: ModelSpec, preset: ModelShape | None) -> Iterator[Slip]:
    """Without a preset, layers and hidden size stand for the model together."""
    if preset is None and (spec.layers is None) != (spec.hidden_size is None):
        missing = "layers" if spec.layers is None else "hidden_size"
        yield Slip(f"model.{missing}", "nothing", "this field: layers and hidden_size go together")


def _value(spec: ModelSpec, preset: ModelShape | None, name: str) -> int | None:
    stated: int | None = getattr(spec, name)
    if stated is not None or preset is None:
        return stated
    known: int | None = getattr(preset, name)
    return known
