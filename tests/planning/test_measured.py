"""The user's own run calibrates the plan (design section 2, `measured`)."""

import pytest

from optimizer.errors import InputError
from tests.cases.support import plan, planner

WORK = """
model: {preset: llama-2-13b}
method: full
tokens: 1.0e9
deadline_days: 60
max_nodes: 1
gpus: {allow: ["A100-SXM4-80GB"]}
"""
OFFER = "aws/us-east-1/p4de.24xlarge"


def test_the_measured_speed_is_the_speed_planned_with() -> None:
    # The very machine that was measured: eight GPUs on one node. 1e9 tokens / 15,000 / 3,600 = 18.5185 h.
    text = WORK + "measured: {gpu: A100-SXM4-80GB, gpus: 8, tokens_per_second: 15000}\n"
    found = plan(text, OFFER)
    assignment = found.assignments[0]
    assert assignment.tokens_per_second == pytest.approx(15_000)
    assert assignment.run_hours == pytest.approx(18.5185, abs=1e-4)
    assert any("measured run moves predictions" in note for note in found.notes)


def test_half_the_speed_takes_twice_the_hours() -> None:
    one = plan(WORK + "measured: {gpu: A100-SXM4-80GB, gpus: 8, tokens_per_second: 15000}\n", OFFER)
    half = plan(WORK + "measured: {gpu: A100-SXM4-80GB, gpus: 8, tokens_per_second: 7500}\n", OFFER)
    assert half.assignments[0].run_hours == pytest.approx(2 * one.assignments[0].run_hours)


@pytest.mark.parametrize("measured", ["{gpu: A100-SXM4-80GB, gpus: 3, nodes: 2, tokens_per_second: 9}"])
def test_a_run_that_cannot_be_is_refused(measured: str) -> None:
    with pytest.raises(InputError, match="measured"):
        planner(WORK + f"measured: {measured}\n", OFFER)
