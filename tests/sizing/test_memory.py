"""Memory by part against papers and the documents' cases (rules.md, H 1 to 6)."""

from dataclasses import replace

import numpy as np
import pytest

from optimizer.domain.plan import Layout
from optimizer.domain.units import BYTES_PER_GIB, gb_to_gib, gib_to_gb
from optimizer.sizing import best_fit, explain_layout
from optimizer.sizing.costs import costs_of
from optimizer.sizing.layouts import columns_of
from optimizer.sizing.memory import memory_of
from tests.sizing.builders import A10, A100_40, A100_80, LLAMA_7B, LLAMA_13B, LLAMA_65B, fitted, missed, one, train


def layout(**fields: object) -> Layout:
    values: dict[str, object] = {
        "zero": 0, "tp": 1, "pp": 1, "dp": 1, "micro_batch": 1, "checkpointing": "full", **fields
    }  # fmt: skip
    return Layout(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize(("zero", "published_gb"), [(0, 120.0), (1, 31.4), (2, 16.6), (3, 1.88)])
def test_model_states_of_zero_are_its_papers(zero: int, published_gb: float) -> None:
    # arXiv 1910.02054, figure 1: 7.5 B parameters on 64 GPUs, 16 bytes a parameter.
    training = train(replace(LLAMA_7B, params_total=7.5e9, params_active=7.5e9), "pretrain", flash_attention=True)
    memory = memory_of(costs_of(training), columns_of(layout(zero=zero, dp=64), training, 8))
    states = memory.weights[0] + memory.gradients[0] + memory.optimizer[0]
    assert gib_to_gb(float(states)) == pytest.approx(published_gb, rel=0.01)


def test_h1_seven_billion_lora_fits_one_24_gb_card() -> None:
    # 6.74 B x 2 bytes are 12.6 GiB of weights; at 1,024 tokens the rest is a few GiB.
    fit = fitted(best_fit(train(LLAMA_7B, "lora", sequence_length=1024), A10, 1))
    assert fit.memory_gib["weights"] == pytest.approx(6738415616 * 2 / BYTES_PER_GIB, rel=1e-6)
    assert fit.memory_gib["total"] < A10.memory_usable_gib


def test_h3_thirteen_billion_lora_fits_one_40_gb_card_with_recomputation() -> None:
    training = train(LLAMA_13B, "lora", sequence_length=2048)
    fit = fitted(best_fit(training, one(A100_40), 1))
    assert fit.layout.checkpointing in ("selective", "full")
    # Without recomputation the activations of 40 layers do not go beside 24.2 GiB of weights.
    assert missed(best_fit(replace(training, checkpointing="none", sequence_length=4096), one(A100_40), 1))


class TestH4ThirteenBillionOnSixteenGb:
    """QLoRA 4-bit, 2,048 tokens, full recomputation, logits counted: activations near 9 GB; batch 5 does not run."""

    card = replace(one(A100_40), memory_usable_gib=16.0)

    def run(self, batch: int, method: str = "qlora", **fields: object) -> object:
        training = train(
            LLAMA_13B, method, sequence_length=2048, checkpointing="full", micro_batch=batch,
            global_batch_tokens=batch * 2048, **fields,
        )  # fmt: skip
        return best_fit(training, self.card, 1)

    def test_batch_four_runs_and_five_does_not(self) -> None:
        assert fitted(self.run(4)).memory_gib["total"] < 16  # type: ignore[arg-type]
        assert missed(self.run(5))  # type: ignore[arg-type]

    def test_activations_of_batch_five_are_near_nine_gb(self) -> None:
        # By hand: 40 layers x 2,048 x 5,120 x 2 bytes = 0.84 GB a sequence, and logits of 2,048 x 32,000 x 14 bytes
        # = 0.92 GB: 1.76 GB a sequence, 8.8 GB for five.
        training = train(LLAMA_13B, "qlora", sequence_length=2048)
        memory = memory_of(costs_of(training), columns_of(layout(micro_batch=5), training, 1))
        assert gib_to_gb(float(memory.activations[0] + memory.logits[0])) == pytest.approx(9.0, abs=0.5)

    @pytest.mark.parametrize("method", ["lora", "full"])
    def test_sixteen_bit_weights_do_not_fit_at_all(self, method: str) -> None:
        # 13.0 B x 2 bytes are 24.2 GiB alone.
        assert missed(self.run(1, method)).needed_gib > 24  # type: ignore[arg-type, operator]


class TestH5ThirteenBillionFullOnTwoFortyGbCards:
    """16 bytes x 13 G over two cards are 97 GiB each: it does not fit, and the answer says what would."""

    misfit = missed(best_fit(train(LLAMA_13B), one(A100_40, 2), 1))

    def test_the_states_alone_are_97_gib_a_card(self) -> None:
        training = train(LLAMA_13B)
        memory = memory_of(costs_of(training), columns_of(layout(tp=2), training, 1))
        states = float(memory.weights[0] + memory.gradients[0] + memory.optimizer[0])
        assert states == pytest.approx(16 * 13.016e9 / 2 / BYTES_PER_GIB, rel=0.01)
        assert states == pytest.approx(97, abs=0.5)

    def test_optimizer_states_break_it(self) -> None:
        assert self.misfit.breaks == "optimizer"
        assert self.misfit.needed_gib is not None
        assert self.misfit.needed_gib > 97

    def test_the_smallest_changes_are_the_documents(self) -> None:
        said = self.misfit.smallest_change_en
        # 12 bytes x 13.0 G = 156 GB of host memory; three 80 GB cards hold 16 bytes x 13 G / 3 = 65 GiB each.
        for words in ("pure bf16 with Adafactor or SGD", "156 GB of its memory", "3 x 80 GB cards"):
            assert words in said
        assert "156 GB" in self.misfit.smallest_change_zh

    def test_each_change_does_mend_it(self) -> None:
        assert fitted(best_fit(train(LLAMA_13B, optimizer="adafactor", master_weights=False), one(A100_40, 2), 1))
        assert fitted(best_fit(train(LLAMA_13B, offload="optimizer"), one(A100_40, 2), 1))
        assert fitted(best_fit(train(LLAMA_13B), one(A100_80, 3), 1))


def test_h6_adafactor_in_pure_bf16_fits_two_40_gb_cards() -> None:
    # 2 + 2 bytes x 13.0 G over two cards are 24.2 GiB each.
    fit = fitted(best_fit(train(LLAMA_13B, optimizer="adafactor", master_weights=False), one(A100_40, 2), 1))
    states = fit.memory_gib["weights"] + fit.memory_gib["gradients"] + fit.memory_gib["optimizer"]
    assert states == pytest.approx(4 * 13.016e9 / 2 / BYTES_PER_GIB, rel=0.01)


def test_offload_takes_host_memory_and_needs_it() -> None:
    training = train(LLAMA_13B, offload="optimizer")
    fit = fitted(best_fit(training, one(A100_80, 2), 1))
    assert fit.host_memory_gib == pytest.approx(12 * 13.016e9 / BYTES_PER_GIB, rel=0.01)
    # D0's own 128 GB host does not hold them.
    poor = replace(one(A100_80, 2), ram_gib=gb_to_gib(128))
    answer = best_fit(training, poor, 1)
    assert missed(answer)


def test_sixty_five_billion_qlora_fits_one_48_gb_card() -> None:
    # arXiv 2305.14314, abstract: a 65B model on a single 48 GB GPU (their batches of 512 tokens).
    card = replace(one(A100_40), memory_usable_gib=47.5)
    assert fitted(
        best_fit(train(LLAMA_65B, "qlora", sequence_length=512, checkpointing="full", micro_batch=1), card, 1)
    )


def test_parts_add_up_and_none_is_negative() -> None:
    for method in ("full", "lora", "qlora", "pretrain"):
        fit = fitted(best_fit(train(LLAMA_7B, method), A100_80, 2))
        parts = {name: size for name, size in fit.memory_gib.items() if name != "total"}
        assert sum(parts.values()) == pytest.approx(fit.memory_gib["total"], rel=1e-12)
        assert min(parts.values()) >= 0


def test_more_recomputation_never_takes_more_memory() -> None:
    training = train(LLAMA_13B)
    sizes = [
        explain_layout(training, replace(A100_80, memory_usable_gib=1e4), 1, layout(dp=8, zero=3, checkpointing=mode))
        for mode in ("full", "selective", "none")
    ]
    totals = np.array([fitted(size).memory_gib["total"] for size in sizes])
    assert (np.diff(totals) > 0).all()


def test_fused_cross_entropy_keeps_no_logits() -> None:
    plain, fused = (
        fitted(best_fit(train(LLAMA_7B, micro_batch=8, fused_cross_entropy=value), A100_80, 1))
        for value in (False, True)
    )
    assert fused.memory_gib["logits"] < plain.memory_gib["logits"] / 10
