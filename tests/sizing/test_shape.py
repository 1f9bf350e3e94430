"""Architectures: counts that publishers print, presets with overrides, and the Llama family scaled to a count."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimizer.domain.model import size_class
from optimizer.domain.workload import ModelSpec
from optimizer.sizing import shape_from_spec
from optimizer.sizing.shape import llama_like, parameters_of
from tests.sizing.builders import LLAMA_7B, LLAMA_70B

# Parameter counts of the torchtune Llama 2 builders (pytorch/torchtune, 2026-04-23).
LLAMA_2 = [
    ({"layers": 32, "hidden_size": 4096, "ffn_size": 11008, "vocab_size": 32000}, 6_738_415_616),
    ({"layers": 40, "hidden_size": 5120, "ffn_size": 13824, "vocab_size": 32000}, 13_015_864_320),
    (
        {"layers": 80, "hidden_size": 8192, "heads": 64, "kv_heads": 8, "ffn_size": 28672, "vocab_size": 32000},
        68_976_648_192,
    ),
]


@pytest.mark.parametrize(("architecture", "published"), LLAMA_2)
def test_architecture_counts_as_published(architecture: dict[str, int], published: int) -> None:
    assert shape_from_spec(ModelSpec(**architecture), None, "w.yaml").params_total == published


def test_mixture_of_experts_counts_total_and_active() -> None:
    # Mixtral 8x7B (arXiv 2401.04088): 47 B parameters, 13 B active for each token.
    spec = ModelSpec(
        layers=32, hidden_size=4096, heads=32, kv_heads=8, ffn_size=14336, moe_ffn_size=14336, vocab_size=32000,
        experts=8, active_experts=2,
    )  # fmt: skip
    shape = shape_from_spec(spec, None, "w.yaml")
    assert shape.params_total == pytest.approx(46.7e9, rel=0.01)
    assert shape.params_active == pytest.approx(12.9e9, rel=0.01)


@pytest.mark.parametrize(("billions", "name"), [(7, "7B"), (13, "13B"), (34, "34B"), (70, "70B"), (175, "pooled")])
def test_a_count_alone_gives_the_family_scaled(billions: float, name: str) -> None:
    shape = shape_from_spec(ModelSpec(parameters_b=billions), None, "w.yaml")
    assert size_class(shape.params_total) == name
    assert shape.params_total == billions * 1e9
    assert "assumed" in shape.source


@given(st.floats(min_value=0.05, max_value=1000))
def test_the_scaled_family_spends_exactly_its_count(billions: float) -> None:
    shape = llama_like(billions * 1e9)
    places = parameters_of(shape)
    counted = shape.layers * (places.attention + places.dense_ffn) + places.embedding + places.head
    assert counted == pytest.approx(billions * 1e9, rel=0.02)
    assert shape.heads % shape.kv_heads == 0


def test_the_scaled_family_is_near_the_published_widths() -> None:
    # arXiv 2302.13971, table 2: 7B is 32 x 4096, 13B is 40 x 5120.
    assert llama_like(13.0e9).hidden_size == 5120
    assert llama_like(13.0e9).layers == 40
    assert llama_like(6.7e9).hidden_size == 4096


def test_overrides_change_a_preset() -> None:
    shape = shape_from_spec(ModelSpec(preset="llama-2-7b", vocab_size=64000), LLAMA_7B, "w.yaml")
    # Two more ends of 32,000 x 4,096.
    assert shape.params_total - LLAMA_7B.params_total == pytest.approx(2 * 32000 * 4096, abs=1)


def test_a_preset_stays_as_published() -> None:
    assert shape_from_spec(ModelSpec(preset="llama-3-70b"), LLAMA_70B, "w.yaml") is LLAMA_70B


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (ModelSpec(preset="llama-2-7b", parameters_b=13), "parameters_b: found 13"),
        (ModelSpec(layers=32), "hidden_size missing"),
        (ModelSpec(layers=32, hidden_size=4096, heads=32, kv_heads=5), "cannot share"),
        (ModelSpec(layers=2, hidden_size=256, experts=4, active_experts=8), "active_experts 8"),
    ],
)
def test_figures_that_contradict_each_other_are_refused(spec: ModelSpec, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        shape_from_spec(spec, LLAMA_7B if spec.preset else None, "w.yaml")
