"""FLOPs, adapters and bytes against the papers that state them."""

from dataclasses import replace

import pytest

from optimizer.sizing.costs import adapter_parameters, costs_of, model_flops, optimizer_bytes
from optimizer.sizing.layouts import columns_of
from optimizer.sizing.work import work_of
from tests.sizing.builders import GPT3_175B, LLAMA_7B, MIXTRAL, layout, train


def test_flops_of_a_step_are_megatrons() -> None:
    # arXiv 2104.04473, equation 3, with full recomputation, per token: 96 l h^2 (1 + s / 6h + V / 16 l h).
    layers, hidden, vocabulary, sequence = 96, 12288, 50257, 2048
    published = 96 * layers * hidden**2 * (1 + sequence / (6 * hidden) + vocabulary / (16 * layers * hidden))
    bare = replace(GPT3_175B, params_total=12 * layers * hidden**2 + vocabulary * hidden)
    costs = costs_of(train(bare, "pretrain", sequence_length=sequence, flash_attention=False))
    layer = costs.layer_linear_flops * (costs.linear_passes + 1) + costs.layer_score_flops * (costs.score_passes + 1)
    assert layers * layer + costs.head_flops * costs.head_passes == pytest.approx(published, rel=1e-6)


def test_model_flops_are_palms() -> None:
    # arXiv 2204.02311, appendix B: 6 N + 12 L H Q T.
    assert model_flops(train(sequence_length=2048)) == 6 * 6738415616 + 12 * 32 * 32 * 128 * 2048


def test_frozen_weights_count_no_gradient_of_their_own() -> None:
    # Forward 2 N and the gradient of the inputs 2 N; all three 2 N in full training (Kaplan 2020, section 2.1).
    more = model_flops(train(sequence_length=2048)) - model_flops(train(method="lora", sequence_length=2048))
    assert more == 2 * 6738415616


@pytest.mark.parametrize(("rank", "millions"), [(1, 4.7), (8, 37.7)])
def test_lora_adapters_count_as_in_its_paper(rank: int, millions: float) -> None:
    # arXiv 2106.09685, tables 2 and 6: GPT-3 175B with adapters on W_q and W_v.
    trained = adapter_parameters(train(GPT3_175B, "lora", lora_rank=rank, lora_targets="qv"))
    assert trained == pytest.approx(millions * 1e6, rel=0.01)


@pytest.mark.parametrize(
    ("fields", "bytes_each"),
    [
        ({}, 12.0),  # arXiv 1910.02054, section 3.1: fp32 copy, momentum and variance
        ({"precision": "fp32"}, 8.0),
        ({"master_weights": False}, 4.0),
        ({"optimizer": "sgd"}, 4.0),
        ({"optimizer": "sgd", "master_weights": False}, 0.0),
        ({"optimizer": "lion"}, 8.0),
    ],
)
def test_optimizer_states(fields: dict[str, object], bytes_each: float) -> None:
    assert optimizer_bytes(train(**fields)) == bytes_each


def test_eight_bit_states_are_a_quarter() -> None:
    # arXiv 2110.02861: two 8-bit states and one fp32 scale for each block of 2,048.
    assert optimizer_bytes(train(optimizer="adamw-8bit", master_weights=False)) == pytest.approx(2.0, abs=0.1)


def test_activations_of_a_layer_are_korthikantis() -> None:
    # arXiv 2205.05198, equation 1: s b h (34 + 5 a s / h), here a token of GPT-3 175B at 2,048 tokens.
    costs = costs_of(train(GPT3_175B, "full", flash_attention=False, sequence_length=2048))
    published = 12288 * (34 + 5 * 96 * 2048 / 12288)
    assert costs.stored_bytes == pytest.approx(published, rel=0.02)


def test_flash_attention_takes_the_quadratic_part_away() -> None:
    short, long = (costs_of(train(LLAMA_7B, sequence_length=tokens)).stored_bytes for tokens in (1024, 65536))
    assert short == long


@pytest.mark.parametrize(("ep", "passes"), [(1, 4), (8, 12)])
def test_tokens_sorted_for_their_experts_pass_memory(ep: int, passes: int) -> None:
    # Mixtral (arXiv 2401.04088): two copies of 4,096 values in 16 bit for each token in each of 32 layers. A copy is
    # written and summed, forward and backward: 4. With an exchange it is read and written once more on either side,
    # to stand by expert and then by arrival: 4 + 2 x 2 x 2 = 12 (Megatron-Core's dispatcher, arXiv 2504.14960).
    costs = costs_of(train(MIXTRAL, sequence_length=4096))
    columns = columns_of(layout(dp=8, ep=ep, micro_batch=2, checkpointing="none"), train(MIXTRAL), 1)
    with_them, without = (
        work_of(one, columns, 8.0).traffic_bytes[0] for one in (costs, replace(costs, dispatch_bytes=0.0))
    )
    assert with_them - without == pytest.approx(passes * 2 * 4096 * 2 * (2 * 4096) * 32, rel=1e-6)
