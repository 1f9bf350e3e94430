"""Models and runs that cannot be are named by field; those that are merely unusual pass.

Which figures go together is the architecture's own arithmetic: heads share the hidden size and divide into groups
that share keys (arXiv 1706.03762, section 3.2.2; arXiv 2305.13245), some of the experts work on a token.
"""

import pytest

from optimizer.errors import InputError
from tests.cases.support import planner

HEAD = "method: lora\ntokens: 1e8\nsequence_length: 2048\n"


def found(text: str) -> list[tuple[str, str, str]]:
    """Field, found and expected of every problem."""
    with pytest.raises(InputError) as error:
        planner(HEAD + text, "runpod/global/1x_A40_secure")
    return [(problem.field, problem.found, problem.expected) for problem in error.value.problems]


@pytest.mark.parametrize(
    ("model", "field", "says"),
    [
        ("layers: 32, hidden_size: 4096, heads: 33", "model.heads", "a divisor of hidden_size, 4096"),
        ("preset: llama-2-7b, heads: 33", "model.heads", "a divisor of hidden_size, 4096"),
        ("preset: llama-2-7b, hidden_size: 4100", "model.hidden_size", "a multiple of heads, 32"),
        ("preset: llama-2-7b, kv_heads: 5", "model.kv_heads", "a divisor of heads, 32"),
        ("preset: llama-2-7b, kv_heads: 64", "model.kv_heads", "a divisor of heads, 32"),
        ("preset: llama-2-7b, experts: 8", "model.active_experts", "how many of the 8 experts"),
        ("preset: mixtral-8x7b, active_experts: 9", "model.active_experts", "at most experts, 8"),
        ("preset: llama-2-7b, active_experts: 2", "model.active_experts", "experts beside it"),
        ("preset: llama-2-7b, dense_layers: 3", "model.dense_layers", "experts beside it"),
        ("preset: mixtral-8x7b, dense_layers: 32", "model.dense_layers", "fewer than layers, 32"),
        ("layers: 32", "model.hidden_size", "layers and hidden_size go together"),
        ("hidden_size: 4096, parameters_b: 7", "model.layers", "layers and hidden_size go together"),
        ("parameters_b: 7.0e9", "model.parameters_b", "7 for a model of 7e9 parameters"),
        ("parameters_b: 1e-6", "model.parameters_b", "billions of parameters"),
        ("layers: 1000000000000, hidden_size: 4096", "model.layers", "at most 10,000"),
        # 6.738 billion: the published count of Llama 2 7B (arXiv 2307.09288, table 1, in full in its model card).
        ("preset: llama-2-7b, parameters_b: 70", "model.parameters_b", "6.738, the count of llama-2-7b"),
    ],
)
def test_figures_that_contradict_each_other_are_named(model: str, field: str, says: str) -> None:
    problems = found(f"model: {{{model}}}\n")
    assert [problem[0] for problem in problems] == [field]
    assert says in problems[0][2]


def test_several_slips_of_one_model_come_at_once() -> None:
    problems = found("model: {layers: 32, hidden_size: 4096, heads: 33, kv_heads: 32, active_experts: 2}\n")
    assert [problem[0] for problem in problems] == ["model.heads", "model.kv_heads", "model.active_experts"]


@pytest.mark.parametrize(
    ("run", "field"),
    [
        ("lora: {rank: 4097}", "lora.rank"),
        ("global_batch_tokens: 2047", "global_batch_tokens"),
        ("global_batch_tokens: 4096\nmicro_batch_size: 3", "micro_batch_size"),
        ("layout: {tp: 5}", "layout.tp"),
        ("layout: {pp: 33}", "layout.pp"),
        ("layout: {ep: 2}", "layout.ep"),
    ],
)
def test_a_run_asks_nothing_of_a_model_that_it_cannot_have(run: str, field: str) -> None:
    assert [problem[0] for problem in found(f"model: {{preset: llama-2-7b}}\n{run}\n")] == [field]


@pytest.mark.parametrize(
    ("work", "field"),
    [
        ("tokens: 2047", "tokens"),
        ("epochs: 2\ndataset_tokens: 1000", "dataset_tokens"),
        # a sequence a day: 31 x 2048 = 63,488 tokens a month
        ("tokens_per_month: 63487\nhorizon_months: 1", "tokens_per_month"),
        ("tokens_per_month: [0, 63487]\nhorizon_months: 2", "tokens_per_month"),
        ("gpu_hours: {gpu: A40-48GB, hours: 1e-9}", "gpu_hours.hours"),
    ],
)
def test_less_work_than_a_sequence_is_a_slip(work: str, field: str) -> None:
    text = HEAD.replace("tokens: 1e8\n", "") + f"model: {{preset: llama-2-7b}}\n{work}\n"
    with pytest.raises(InputError) as error:
        planner(text, "runpod/global/1x_A40_secure")
    assert field in [problem.field for problem in error.value.problems]


@pytest.mark.parametrize(
    "model",
    [
        # heads times head_dim need not be the hidden size where head_dim is given (Gemma, Qwen 3)
        "layers: 32, hidden_size: 4096, heads: 33, head_dim: 128",
        # one group of keys for all heads (multi-query attention, arXiv 1911.02150)
        "preset: llama-2-7b, kv_heads: 1",
        "preset: llama-2-7b, heads: 64",
        "preset: mixtral-8x7b, active_experts: 1",
        "preset: mixtral-8x7b, dense_layers: 31",
        "parameters_b: 7, heads: 31",
        "preset: llama-2-7b, parameters_b: 7",
    ],
)
def test_what_is_merely_unusual_passes(model: str) -> None:
    assert planner(f"{HEAD}model: {{{model}}}\n", "runpod/global/1x_A40_secure").case.works[0].shape is not None
