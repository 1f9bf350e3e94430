"""From what the workload file says about a model to a whole architecture with its parameter count."""

from dataclasses import asdict, dataclass
from math import ceil

from optimizer.domain.model import ModelShape
from optimizer.domain.workload import ModelSpec

#: Llama 1 (arXiv 2302.13971, table 2): hidden size is 128 x layers from 7B (32 x 4096 = 128 x 32) to 13B and beyond.
HIDDEN_PER_LAYER = 128
HEAD_DIM = 128
#: Widths are whole multiples of eight heads, so that tensor parallelism divides them.
HIDDEN_GRAIN = 8 * HEAD_DIM
VOCABULARY = 32_000
#: Llama 2 (arXiv 2307.09288, table 1): 34B and 70B share keys and values among groups of heads, 8 groups.
GROUPED_FROM_PARAMETERS = 30e9
KV_GROUPS = 8
#: A stated count may differ from the architecture's by marketing rounding ("7B" is 6.74 to 7.7).
COUNT_TOLERANCE = 0.15
OVERRIDES = (
    "layers", "hidden_size", "heads", "kv_heads", "head_dim", "ffn_size", "moe_ffn_size", "shared_expert_ffn_size",
    "dense_layers", "vocab_size", "tied_embeddings", "experts", "active_experts",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LayerParameters:
    """Parameters by place, exact for the shape: per layer (mean over layers), and the two ends."""

    attention: float
    dense_ffn: float
    routed_experts: float
    active_experts: float
    embedding: float
    head: float


def shape_from_spec(spec: ModelSpec, preset: ModelShape | None, file: str) -> ModelShape:
    """The architecture that a workload file means: preset, overrides, or the Llama family scaled to a count.

    Raises:
        ValueError: stated figures contradict each other; the text starts with `file`.
    """
    stated = {name: getattr(spec, name) for name in OVERRIDES if getattr(spec, name) is not None}
    if spec.preset is not None and preset is None:
        raise ValueError(f"{file}: model.preset: {spec.preset} is not in the catalog")
    if preset is None and spec.layers is None and spec.hidden_size is None:
        if spec.parameters_b is None:
            raise ValueError(f"{file}: model: give a preset, parameters_b, or layers and hidden_size")
        return _check(llama_like(spec.parameters_b * 1e9, stated), spec, file)
    if preset is not None and not stated:
        return _check(preset, spec, file)
    return _check(_assembled(stated, preset, file), spec, file)


def llama_like(parameters: float, stated: dict[str, int | bool] | None = None) -> ModelShape:
    """A Llama-family model of so many parameters: 128 hidden units a layer, SwiGLU, grouped keys from 30 billion.

    With 12 h^2 parameters a layer and h = 128 layers the width is the cube root of 128 / 12 times the count; the FFN
    takes what the count leaves.
    """
    stated = stated or {}
    vocabulary = int(stated.get("vocab_size", VOCABULARY))
    ideal = (parameters * HIDDEN_PER_LAYER / 12) ** (1 / 3)
    grain = HIDDEN_GRAIN if ideal >= HIDDEN_GRAIN else HEAD_DIM
    hidden = max(grain, grain * round(ideal / grain))
    layers = max(1, round((parameters - 2.0 * vocabulary * hidden) / (12.0 * hidden * hidden)))
    heads = hidden // HEAD_DIM
    kv_heads = KV_GROUPS if parameters >= GROUPED_FROM_PARAMETERS and heads % KV_GROUPS == 0 else heads
    if "heads" in stated and "kv_heads" not in stated:
        kv_heads = int(stated["heads"])
    attention = 2 * hidden * hidden + 2 * hidden * kv_heads * HEAD_DIM
    ends = 2 * vocabulary * hidden
    ffn = max(hidden, round(((parameters - ends) / layers - attention) / (3 * hidden)))
    note = f"assumed: Llama-family architecture for {parameters / 1e9:.4g} B parameters ({layers} layers of {hidden})"
    base = {
        "layers": layers, "hidden_size": hidden, "heads": heads, "kv_heads": kv_heads, "head_dim": HEAD_DIM,
        "ffn_size": ffn, "vocab_size": vocabulary, "tied_embeddings": False,
    }  # fmt: skip
    experts = int(stated.get("experts", 0))
    if experts:
        base["moe_ffn_size"] = max(1, round(ffn / experts))
    return _counted(f"{parameters / 1e9:.4g}B", {**base, **stated}, gated=True, source=note, total=parameters)


def parameters_of(shape: ModelShape) -> LayerParameters:
    """Parameters by place; attention takes what the published total leaves after FFNs and both ends.

    So totals agree with the published count whatever the attention variant is (multi-head latent attention,
    learned positions, biases).
    """
    matrices = 3 if shape.gated else 2
    moe_layers = shape.layers - shape.dense_layers if shape.is_moe else 0
    dense_ffn = (shape.layers - moe_layers) * matrices * shape.hidden_size * shape.ffn_size
    shared = moe_layers * matrices * shape.hidden_size * shape.shared_expert_ffn_size
    router = moe_layers * shape.hidden_size * shape.experts
    one_expert = matrices * shape.hidden_size * (shape.moe_ffn_size or shape.ffn_size)
    routed = moe_layers * shape.experts * one_expert
    embedding = shape.vocab_size * shape.hidden_size
    head = 0 if shape.tied_embeddings else embedding
    attention = shape.params_total - dense_ffn - shared - router - routed - embedding - head
    return LayerParameters(
        attention=max(0.0, attention) / shape.layers,
        dense_ffn=(dense_ffn + shared + router) / shape.layers,
        routed_experts=routed / shape.layers,
        active_experts=moe_layers * shape.active_experts * one_expert / shape.layers,
        embedding=embedding,
        head=head,
    )


def _assembled(stated: dict[str, int | bool], preset: ModelShape | None, file: str) -> ModelShape:
    fields = asdict(preset) if preset is not None else {}
    fields.update(stated)
    missing = [name for name in ("layers", "hidden_size") if name not in fields]
    if missing:
        raise ValueError(f"{file}: model: {' and '.join(missing)} missing; layers and hidden_size go together")
    hidden = int(fields["hidden_size"])
    assumed = []
    if "heads" not in fields:
        fields["heads"] = max(1, hidden // int(fields.get("head_dim", HEAD_DIM)))
        assumed.append(f"{fields['heads']} heads")
    if "head_dim" not in stated and ("head_dim" not in fields or {"hidden_size", "heads"} & stated.keys()):
        fields["head_dim"] = max(1, hidden // int(fields["heads"]))
    if "kv_heads" not in fields or ("heads" in stated and "kv_heads" not in stated):
        fields["kv_heads"] = fields["heads"]
    if "ffn_size" not in fields:
        fields["ffn_size"] = 256 * ceil(8 * hidden / 3 / 256)
        assumed.append(f"ffn_size {fields['ffn_size']}")
    if "vocab_size" not in fields:
        fields["vocab_size"] = VOCABULARY
        assumed.append(f"vocab_size {VOCABULARY}")
    name = preset.name if preset is not None else f"{fields['layers']}x{hidden}"
    source = f"assumed: {', '.join(assumed)}" if assumed else "as stated in the workload file"
    return _counted(name, fields, gated=preset.gated if preset is not None else True, source=source)


def _counted(
    name: str, fields: dict[str, int | bool], *, gated: bool, source: str, total: float | None = None
) -> ModelShape:
    """A shape with its counts: attention 2 h a d + 2 h k d, FFN 2 or 3 h f, norms 2 h a layer, both ends."""
    layers, hidden, ffn = int(fields["layers"]), int(fields["hidden_size"]), int(fields["ffn_size"])
    heads, kv_heads, head_dim = int(fields["heads"]), int(fields["kv_heads"]), int(fields["head_dim"])
    experts, active = int(fields.get("experts", 0)), int(fields.get("active_experts", 0))
    expert_ffn = int(fields.get("moe_ffn_size", 0)) or (ffn if experts else 0)
    shared, dense = int(fields.get("shared_expert_ffn_size", 0)), int(fields.get("dense_layers", 0))
    tied, vocabulary = bool(fields.get("tied_embeddings", False)), int(fields["vocab_size"])
    if heads % kv_heads:
        raise ValueError(f"model: {heads} heads cannot share {kv_heads} kv_heads evenly")
    if experts and not 0 < active <= experts:
        raise ValueError(f"model: active_experts {active} must lie between 1 and experts {experts}")
    matrices = 3 if gated else 2
    attention = 2 * hidden * heads * head_dim + 2 * hidden * kv_heads * head_dim + 2 * hidden
    moe_layers = layers - dense if experts else 0
    common = layers * attention + vocabulary * hidden * (1 if tied else 2) + hidden
    common += (layers - moe_layers) * matrices * hidden * ffn
    common += moe_layers * (matrices * hidden * shared + hidden * experts)
    one_expert = moe_layers * matrices * hidden * expert_ffn
    counted = float(common + experts * one_expert)
    return ModelShape(
        name=name, params_total=total if total is not None else counted,
        params_active=total if total is not None and not experts else float(common + active * one_expert),
        layers=layers, hidden_size=hidden, ffn_size=ffn, heads=heads, kv_heads=kv_heads, head_dim=head_dim,
        vocab_size=vocabulary, tied_embeddings=tied, gated=gated, experts=experts, active_experts=active,
        moe_ffn_size=expert_ffn if experts else 0, shared_expert_ffn_size=shared, dense_layers=dense,
        attention="mha" if heads == kv_heads else "mqa" if kv_heads == 1 else "gqa", source=source,
    )  # fmt: skip


def _check(shape: ModelShape, spec: ModelSpec, file: str) -> ModelShape:
    if spec.parameters_b is not None:
        stated = spec.parameters_b * 1e9
        if abs(shape.params_total / stated - 1) > COUNT_TOLERANCE:
            raise ValueError(
                f"{file}: model.parameters_b: found {spec.parameters_b:g}, but {shape.name} has "
                f"{shape.params_total / 1e9:.3f} billion parameters; leave one of the two out"
            )
    return shape
