"""Unknown is a value: it admits as conditional, is listed with whom to ask, and never passes in silence (rules.md)."""

from datetime import date
from decimal import Decimal

import pytest
from pydantic import ValidationError
from support import AS_OF, Named, plan, shipped

from optimizer.app.plan import check, plan_file
from optimizer.domain.offer import Machine, Offer, Price, PriceUnit, Term
from optimizer.planning.case import PlanOptions
from optimizer.planning.workload_file import parse_workload

LORA = """
start: 2026-12-01
model: {preset: llama-2-7b}
method: lora
sequence_length: 1024
global_batch_tokens: 65536
tokens: 5.0e7
deadline_days: 14
dataset_gb: 5
"""
KNOWN = {
    "provider",
    "instance_type",
    "gpu_model",
    "gpu_count",
    "gpu_memory_gib",
    "gpu_memory_usable_gib",
    "source",
}


class Bare(Named):
    """A few machines of the catalog of which nothing is known but what can never be unknown."""

    def offers(self) -> tuple[Offer, ...]:
        """The named offers without any optional fact."""
        return tuple(
            offer.model_copy(update={"machine": Machine(**offer.machine.model_dump(include=KNOWN))})
            for offer in super().offers()
        )


def test_a_workload_does_not_become_infeasible_by_unknowns_alone() -> None:
    catalog = Bare(["aws/us-east-1/p4d.24xlarge", "gcp/us-central1/a2-highgpu-1g", "lambda/*/gpu_1x_a100*"])
    file = parse_workload(LORA, "bare.yaml")
    found = plan_file(file, catalog, PlanOptions(as_of=AS_OF, extras=False))
    check(found, catalog)
    assert found.assignments[0].conditional
    unknown = {item.rule for item in found.unknowns}
    assert {"ram-total", "cpu-cores", "pcie-lanes"} <= unknown
    assert all(item.confirm_with and item.what_en and item.what_zh for item in found.unknowns)


def test_excluding_unknowns_leaves_nothing_of_bare_machines_and_says_why() -> None:
    catalog = Bare(["aws/us-east-1/p4d.24xlarge"])
    options = PlanOptions(as_of=AS_OF, extras=True, unknown="exclude")
    found = plan_file(parse_workload(LORA, "bare.yaml"), catalog, options)
    assert found.status == "infeasible"
    assert [item.direction for item in found.relaxations] == ["unknowns"]


def test_the_plan_without_unknowns_stands_beside_a_conditional_one() -> None:
    text = LORA.replace("start: 2026-12-01\n", "")
    # Nothing hard is unknown of g7e.12xlarge, whose PCIe width was measured; of the A40 pod nearly all is.
    found = plan(text, "runpod/*/1x_A40_secure", "aws/us-east-1/g7e.12xlarge", extras=True)
    assert found.assignments[0].conditional
    beside = {item.title_en: item for item in found.alternatives if not item.conditional}
    assert beside["without anything to confirm"].extra > 0


@pytest.mark.parametrize("field", ["gpu_model", "gpu_memory_gib", "gpu_memory_usable_gib", "gpu_count"])
def test_gpu_identity_and_memory_cannot_be_unknown(field: str) -> None:
    facts = shipped().offers()[0].machine.model_dump(include=KNOWN) | {field: None}
    with pytest.raises(ValidationError):
        Machine(**facts)


@pytest.mark.parametrize("change", [{"amount": None}, {"amount": Decimal(0)}, {"currency": None}, {"currency": ""}])
def test_price_and_currency_cannot_be_unknown(change: dict[str, object]) -> None:
    row = {
        "term": Term.ON_DEMAND,
        "amount": Decimal(1),
        "unit": PriceUnit.HOUR,
        "currency": "USD",
        "observed": date(2026, 11, 30),
        "source": "test",
    }
    with pytest.raises(ValidationError):
        Price(**(row | change))  # type: ignore[arg-type]
