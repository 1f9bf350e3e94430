"""Quotas count what is paid for already: it stands in the same account. Program, shown peak and `verify` agree."""

import pytest

from optimizer.app.facts import verify_facts
from optimizer.catalog import load_catalog
from optimizer.domain.plan import Plan
from optimizer.planning.case import PlanOptions
from optimizer.planning.pipeline import Planner
from optimizer.planning.workload_file import parse_workload
from optimizer.verify import verify_plan
from tests.verify.random_works import AS_OF

# One p4d.24xlarge (8 x A100-SXM4-40GB) is paid for until 2027-02-01; a job takes 8 or 16 of these GPUs for 5 days:
# nodes x 8 GPUs x 24 h x 5 days = 960 hours of a GPU a node.
FILE = """
start: 2026-12-01
horizon_months: 1
profile: off
workloads:
  - name: job
    gpu_hours: {{gpu: A100-SXM4-40GB, hours: {hours}}}
    gpus: {{allow: ["A100-SXM4-40GB"]}}
    providers: [aws]
    regions: [us-east-1]
    deadline_days: 5
    min_gpus: {gpus}
    max_nodes: 2
    egress_gb: 0
commitments: [{{offer: "aws/us-east-1/p4d.24xlarge", term: reserved_1y, count: 1, ends: 2027-02-01}}]
quotas: [{{provider: aws, term: {term}, max_gpus: {limit}}}]
"""


def planned(gpus: int, limit: int, term: str = "any") -> Plan:
    catalog = load_catalog()
    file = parse_workload(FILE.format(gpus=gpus, hours=gpus * 24 * 5, limit=limit, term=term), "quota.yaml")
    plan, _ = Planner(file, catalog, PlanOptions(as_of=AS_OF, extras=False), "quota.yaml").plan()
    if plan.status != "infeasible":
        assert [check.id for check in verify_plan(plan, verify_facts(plan, catalog)) if not check.ok] == []
    return plan


def test_a_commitment_and_a_second_machine_need_room_for_both() -> None:
    assert planned(gpus=16, limit=15).status == "infeasible"
    plan = planned(gpus=16, limit=16)
    assert plan.status == "optimal"
    assert plan.quotas[0].peak == 16


def test_a_commitment_above_the_limit_leaves_no_room_and_breaks_nothing() -> None:
    plan = planned(gpus=8, limit=4)
    assert plan.status == "optimal"
    assert not [line for line in plan.purchases if line.kind == "machine"]
    assert plan.quotas[0].peak == 8
    assert planned(gpus=16, limit=4).status == "infeasible"


@pytest.mark.parametrize(("term", "peak"), [("hourly", 8), ("term", 8)])
def test_only_its_kind_counts_under_a_quota_of_one_kind(term: str, peak: int) -> None:
    # By the hour the second machine alone counts; among terms the commitment alone does.
    plan = planned(gpus=16, limit=8, term=term)
    assert plan.status == "optimal"
    assert plan.quotas[0].peak == peak


def test_a_second_machine_beside_a_commitment_above_the_limit_is_caught() -> None:
    plan = planned(gpus=16, limit=16)
    inputs = {**plan.inputs, "quotas": [{**plan.inputs["quotas"][0], "max_gpus": 15}]}
    stated = plan.quotas[0].model_copy(update={"quota": {**plan.quotas[0].quota, "max_gpus": 15}})
    damaged = plan.model_copy(update={"inputs": inputs, "quotas": (stated,)})
    failed = [check.id for check in verify_plan(damaged, verify_facts(damaged, load_catalog())) if not check.ok]
    assert failed == ["limits.quota_gpus[0:aws/*/any]"]
