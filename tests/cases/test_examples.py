"""Every example is planned on the shipped catalog and verified."""

from pathlib import Path

import pytest
from support import AS_OF, shipped

from optimizer.app.plan import plan_file
from optimizer.planning.case import PlanOptions
from optimizer.planning.workload_file import read_workload

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))


def test_there_are_examples() -> None:
    assert {path.stem for path in EXAMPLES} >= {
        "lora-7b",
        "sft-13b-cn",
        "pretrain-70b",
        "steady-year",
        "impossible",
        "portfolio",
    }


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_planned_and_verified(path: Path) -> None:
    options = PlanOptions(as_of=AS_OF, extras=False, seconds=60)
    found = plan_file(read_workload(path), shipped(), options, str(path))
    if path.stem == "impossible":
        assert found.status == "infeasible"
        assert sum(removal.removed for removal in found.removals) > 0
        return
    # plan_file raises when the independent check disagrees.
    assert found.status in ("optimal", "feasible")
    assert found.cost is not None
    assert found.cost.total == sum(line.cost for line in found.purchases)


def test_what_the_examples_say_they_ask_for() -> None:
    """The China example stays in China and in CNY; the cluster has RDMA or says that it must be confirmed."""
    options = PlanOptions(as_of=AS_OF, extras=False)
    root = EXAMPLES[0].parent
    china = plan_file(read_workload(root / "sft-13b-cn.yaml"), shipped(), options)
    assert china.currency == "CNY"
    assert {offer.country for offer in china.offers} == {"CN"}
    cluster = plan_file(read_workload(root / "pretrain-70b.yaml"), shipped(), options)
    verdicts = {finding.id: finding.verdict for finding in cluster.assignments[0].rules}
    assert cluster.assignments[0].nodes >= 2
    assert verdicts["rdma"] in ("pass", "unknown")
    assert (verdicts["rdma"] == "unknown") <= any(item.rule == "rdma" for item in cluster.unknowns)
