"""A quota that matches nothing is a slip of the pen; a commitment outside the plan's days is named."""

from datetime import date

import pytest

from optimizer.catalog import Catalog, load_catalog
from optimizer.cli._error_words import told
from optimizer.domain.workload import WorkloadFile
from optimizer.errors import Problem
from optimizer.planning.costing import Horizon
from optimizer.planning.input_names import check_quotas
from optimizer.planning.inputs import InputChecks
from optimizer.planning.sunk import commitment_notes
from optimizer.planning.workload_file import parse_workload
from optimizer.reports.phrases import in_chinese

WORK = """
start: 2027-01-10
name: w
gpu_hours: {gpu: H20-96GB, hours: 100}
deadline_days: 20
"""
OFFER = "alibaba/cn-beijing/ecs.gn7e-c16g1.16xlarge"


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


def read(more: str) -> WorkloadFile:
    return parse_workload(WORK + more, "w.yaml")


def problems(catalog: Catalog, quota: str) -> list[Problem]:
    checks = InputChecks("w.yaml")
    offers = tuple(offer for offer in catalog.offers() if offer.provider in ("alibaba", "aws"))
    check_quotas(read(f"quotas: [{{{quota}, max_gpus: 8}}]\n"), catalog, offers, (), checks)
    return checks.problems


@pytest.mark.parametrize(
    ("quota", "field", "near"),
    [
        ("provider: alibabaa", "provider", "alibaba"),
        ("provider: alibaba, region: cn-bejing", "region", "cn-beijing"),
        # us-east-1 is a region of both, us-east-2 of AWS alone.
        ("provider: alibaba, region: us-east-2", "region", "us-east-1"),
        ("provider: alibaba, instance_type: ecs.gn7e-c16g1.16xlarg", "instance_type", "ecs.gn7e-c16g1.16xlarge"),
        ('provider: alibaba, gpu: "H2O*"', "gpu", "H20-96GB"),
    ],
)
def test_a_slip_is_refused_with_the_nearest_name(catalog: Catalog, quota: str, field: str, near: str) -> None:
    (problem,) = problems(catalog, quota)
    assert problem.field == f"quotas.0.{field}"
    assert near in (problem.suggestion or "")
    assert "应为 " in told(problem)


@pytest.mark.parametrize(
    "quota",
    [
        "provider: alibaba",
        'provider: "ali*", region: "cn-*", gpu: "A100*"',
        "region: cn-beijing",
        # A model that the catalog knows and this provider does not sell is no slip: it may sell it tomorrow.
        "provider: alibaba, gpu: H200-SXM5-141GB",
        "provider: owned",
    ],
)
def test_what_matches_something_is_accepted(catalog: Catalog, quota: str) -> None:
    assert problems(catalog, quota) == []


@pytest.mark.parametrize(
    ("dates", "english", "chinese"),
    [
        # `ends` is the day after the last: one that ends on the first day of the plan has no day in it.
        ("ends: 2027-01-10", "ended on 2027-01-10, before the plan begins on 2027-01-10", "已于 2027-01-10 到期"),
        ("starts: 2030-01-01, ends: 2031-01-01", "begins on 2030-01-01, after the plan ends", "自 2030-01-01 起"),
        ("ends: 2027-01-11", None, None),
    ],
)
def test_a_commitment_outside_the_plan_is_named(dates: str, english: str | None, chinese: str | None) -> None:
    file = read(f"commitments: [{{offer: {OFFER}, term: month, {dates}}}]\n")
    assert file.start == date(2027, 1, 10)
    notes = list(commitment_notes(file, Horizon.of(file, 1)))
    if english is None:
        assert notes == []
        return
    (note,) = notes
    assert english in note
    assert chinese is not None
    assert chinese in in_chinese(note)
