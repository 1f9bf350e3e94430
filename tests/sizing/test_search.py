"""The search finds what trying every layout finds; one layout judged alone gives the same bits."""

from dataclasses import replace
from itertools import product
from math import ceil
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optimizer.domain.fit import ROOMY_SHARE, Fit, Hardware, Misfit
from optimizer.domain.model import Training
from optimizer.domain.plan import Layout
from optimizer.sizing import best_fit, explain_layout, fits_over
from optimizer.sizing.layouts import MICRO_BATCHES, batch_sequences
from optimizer.sizing.search import LEAST_SPEED_WITH_ROOM
from tests.sizing.builders import (
    A10,
    A100_40,
    A100_80,
    H100,
    LLAMA_7B,
    LLAMA_13B,
    LLAMA_70B,
    MIXTRAL,
    fitted,
    missed,
    one,
    train,
)

MACHINES = (A10, A100_40, A100_80, H100, one(A100_80), one(H100, 2), replace(A100_40, intra_link="pcie"))
TRAININGS = (
    train(LLAMA_7B, "lora"),
    train(LLAMA_7B, "qlora", sequence_length=1024),
    train(LLAMA_13B, "full", global_batch_tokens=2**19),
    train(LLAMA_13B, "full", optimizer="adafactor", master_weights=False),
    train(LLAMA_70B, "pretrain", sequence_length=8192),
    train(LLAMA_7B, "full", offload="auto"),
)


def every_layout(training: Training, gpus: int, nodes: int) -> list[Layout]:
    """Every layout by plain loops, also those that the search leaves out as never faster."""
    world, sequences = gpus * nodes, batch_sequences(training)
    found = []
    for tp, pp, zero, recompute, micro in product(
        (1, 2, 4, 8), (1, 2, 4, 8), (0, 1, 2, 3), ("none", "selective", "full"), MICRO_BATCHES
    ):
        if gpus % tp or training.shape.heads % tp or (world // tp) % pp or (pp > 1 and training.method != "pretrain"):
            continue
        if (training.quant_bits is not None and tp > 1) or (pp > 1 and zero > 1):
            continue
        dp = world // tp // pp
        found.append(
            Layout(
                zero=zero, tp=tp, pp=pp, dp=dp, micro_batch=micro, accumulation=ceil(sequences / (dp * micro)),
                checkpointing=recompute, sequence_parallel=tp > 1,
            )
        )  # fmt: skip
    return found


@pytest.mark.parametrize(
    ("training", "hardware", "nodes"),
    [
        (TRAININGS[0], one(A100_40, 2), 1),
        (TRAININGS[2], A100_80, 1),
        (TRAININGS[2], one(A100_80, 4), 2),
        (TRAININGS[4], H100, 2),
        (replace(TRAININGS[2], global_batch_tokens=3 * 4096 * 7), A100_80, 1),
    ],
)
def test_no_layout_at_all_is_faster(training: Training, hardware: Hardware, nodes: int) -> None:
    best = fitted(best_fit(training, hardware, nodes))
    answers = [explain_layout(training, hardware, nodes, one) for one in every_layout(training, hardware.gpus, nodes)]
    fits = [answer for answer in answers if isinstance(answer, Fit)]
    fastest = max(fit.tokens_per_second for fit in fits)
    most = max(ROOMY_SHARE * hardware.memory_usable_gib, min(fit.memory_gib["total"] for fit in fits))
    spared = max(fit.tokens_per_second for fit in fits if fit.memory_gib["total"] <= most)
    fastest = spared if spared >= fastest * LEAST_SPEED_WITH_ROOM else fastest
    assert best.tokens_per_second == pytest.approx(fastest, rel=1e-8)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(TRAININGS), st.sampled_from(MACHINES), st.integers(1, 6), st.sampled_from((None, 0.8)))
def test_the_chosen_layout_judged_alone_gives_the_same_bits(
    training: Training, hardware: Hardware, nodes: int, confidence: float | None
) -> None:
    answer = best_fit(training, hardware, nodes, confidence=confidence)
    if isinstance(answer, Fit):
        assert explain_layout(training, hardware, nodes, answer.layout, confidence=confidence) == answer


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(TRAININGS), st.lists(st.integers(1, 9), min_size=1, max_size=4))
def test_many_machines_at_once_get_what_each_gets_alone(training: Training, counts: list[int]) -> None:
    together = fits_over(training, MACHINES, counts)
    for hardware, row in zip(MACHINES, together, strict=True):
        for nodes, answer in zip(counts, row, strict=True):
            alone = best_fit(training, hardware, nodes)
            if isinstance(alone, Fit):
                assert alone == answer
            else:
                assert isinstance(answer, Misfit)
                assert (alone.breaks, alone.needed_gib) == (answer.breaks, answer.needed_gib)


def test_the_layout_uses_every_gpu_and_holds_the_batch() -> None:
    for training, hardware in product(TRAININGS, (A100_80, H100)):
        answer = best_fit(training, hardware, 4)
        if isinstance(answer, Fit):
            layout = answer.layout
            assert layout.tp * layout.pp * layout.dp == 32
            slots = layout.dp * layout.micro_batch * layout.accumulation
            assert slots >= batch_sequences(training) > slots - layout.dp * layout.micro_batch


@pytest.mark.parametrize(
    "fixed", [{"tp": 4}, {"zero": 2}, {"micro_batch": 2}, {"checkpointing": "full"}, {"tp": 2, "pp": 4}]
)
def test_what_the_user_fixes_stays_fixed(fixed: dict[str, Any]) -> None:
    layout = fitted(best_fit(train(LLAMA_7B, "full", **fixed), A100_80, 1)).layout
    for name, value in fixed.items():
        assert getattr(layout, name) == value


def test_a_layout_that_does_not_divide_the_gpus_is_said() -> None:
    assert missed(best_fit(train(LLAMA_7B, tp=3), A100_80, 1)).breaks == "layout"


def test_a_card_without_a_rate_is_unknown_not_slow() -> None:
    misfit = missed(best_fit(train(LLAMA_7B, "lora", precision="fp8"), A100_80, 1))
    assert misfit.breaks == "precision"
    assert "fp8" in misfit.smallest_change_en
    assert "fp8" in misfit.smallest_change_zh


def test_few_cores_make_input_bind() -> None:
    enough, few = (fitted(best_fit(train(LLAMA_7B, "lora"), replace(H100, cores=cores), 1)) for cores in (96.0, 8.0))
    assert enough.binds != "input"
    assert few.binds == "input"
    assert few.tokens_per_second < enough.tokens_per_second


def test_what_is_assumed_is_named() -> None:
    bare = replace(A100_80, rdma=None, network_gbit_per_s=None, intra_link=None)
    notes = " ".join(fitted(best_fit(train(LLAMA_7B, "lora"), bare, 2)).assumptions)
    for words in ("PCIe (link", "no RDMA", "10 Gbit/s Ethernet", "global batch"):
        assert words in notes
    alone = fitted(best_fit(train(LLAMA_7B, "lora", global_batch_tokens=2**17), bare, 1))
    assert "Ethernet" not in " ".join(alone.assumptions)


def test_experts_are_spread() -> None:
    fit = fitted(best_fit(train(MIXTRAL, "full"), H100, 4))
    dense = fitted(best_fit(train(replace(LLAMA_70B, params_total=46.7e9, params_active=46.7e9), "full"), H100, 4))
    # Speed follows the 12.9 B active parameters, not the 46.7 B in all.
    assert fit.tokens_per_second > 1.5 * dense.tokens_per_second
