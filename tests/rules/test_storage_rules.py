"""Rate, capacity and IOPS of hot storage against computed demand."""

from typing import Any

import pytest

from optimizer.domain.finding import Finding, Severity, VerdictKind
from optimizer.rules import HotStorage, Policy, judge
from optimizer.rules.examples import build
from optimizer.rules.rule import Example

PASS, FAIL, UNKNOWN = VerdictKind.PASS, VerdictKind.FAIL, VerdictKind.UNKNOWN


def _finding(rule_id: str, storage: HotStorage | None, work: dict[str, Any] | None = None, **context: Any) -> Finding:
    built = build(Example(work=work or {}, context={"shape": "7B", "storage": storage, **context}))
    return next(finding for finding in judge(built, Policy()) if finding.id == rule_id)


@pytest.mark.parametrize(
    ("rate", "shared", "nodes", "verdict", "severity"),
    [
        (1.0, False, 1, FAIL, Severity.HARD),  # 3 GB/s demanded of one store
        (3.0, False, 1, PASS, Severity.HARD),
        (1.0, False, 4, FAIL, Severity.WARN),  # 0.75 a node is met, the advised 2 GB/s are not
        (1.0, True, 4, FAIL, Severity.HARD),  # one shared store bears all 3
        (None, False, 1, UNKNOWN, Severity.HARD),
    ],
)
def test_rate_of_a_volume(
    rate: float | None, shared: bool, nodes: int, verdict: VerdictKind, severity: Severity
) -> None:
    storage = HotStorage("volume", "disk", rate, shared=shared)
    finding = _finding("storage-rate", storage, fit={"read": 3.0}, nodes=nodes)
    assert (finding.verdict, finding.severity) == (verdict, severity)


def test_local_nvme_of_unstated_rate_is_at_least_faster_than_sata() -> None:
    local = HotStorage("local_nvme", capacity_gb=8e3)
    assert _finding("storage-rate", local, fit={"read": 0.5}).verdict is PASS
    assert _finding("storage-rate", local, fit={"read": 0.6}).verdict is UNKNOWN


def test_unknown_demand_is_no_condition() -> None:
    finding = _finding("storage-rate", HotStorage("volume", "disk"))
    assert finding.verdict is UNKNOWN
    assert finding.severity is Severity.WARN
    assert not finding.is_conditional


@pytest.mark.parametrize(
    ("dataset_gb", "hot_fraction", "kept", "capacity_gb", "verdict"),
    [
        # data x hot + kept x 14 GB: 100 + 28 = 128
        (100.0, 1.0, 2, 128.0, PASS),
        (100.0, 1.0, 2, 127.0, FAIL),
        (100.0, 0.5, 2, 78.0, FAIL),  # holds 50 + 28, but is smaller than the data: D0's cache is 4 TB a GPU
        (100.0, 0.5, 2, 100.0, PASS),  # holds all data: no cache at all
        (100.0, 1.0, 0, 100.0, PASS),
    ],
)
def test_capacity(dataset_gb: float, hot_fraction: float, kept: int, capacity_gb: float, verdict: VerdictKind) -> None:
    work = {"dataset_gb": dataset_gb, "hot_fraction": hot_fraction, "checkpoints_kept": kept}
    finding = _finding(
        "nvme-capacity", HotStorage("local_nvme", capacity_gb=capacity_gb), work, fit={"checkpoint": 14.0}
    )
    assert finding.verdict is verdict
    is_cache_advice = hot_fraction < 1 and verdict is FAIL
    assert finding.severity is (Severity.ADVICE if is_cache_advice else Severity.HARD)


def test_volumes_are_bought_to_size_and_disks_of_unknown_size_are_unknown() -> None:
    assert _finding("nvme-capacity", HotStorage("volume", "disk", 1.0)).verdict is PASS
    assert _finding("nvme-capacity", HotStorage("local_nvme")).verdict is UNKNOWN


def test_nothing_hot_is_not_judged() -> None:
    built = build(Example(work={"dataset_gb": 0.0, "checkpoints_kept": 0}, context={"shape": "7B", "fit": {}}))
    ids = {finding.id for finding in judge(built, Policy())}
    assert not ids & {"nvme-hot", "nvme-capacity", "storage-rate"}


@pytest.mark.parametrize(
    ("mean_file_kb", "iops", "verdict"),
    [
        # 360,000 files once an hour are 100 reads a second; 300 kB take two reads of 256 kB each.
        (100.0, 100.0, PASS),
        (100.0, 99.0, FAIL),
        (300.0, 199.0, FAIL),
        (300.0, 200.0, PASS),
        (100.0, None, UNKNOWN),
    ],
)
def test_iops_of_small_files(mean_file_kb: float, iops: float | None, verdict: VerdictKind) -> None:
    work = {"files": 360_000, "mean_file_kb": mean_file_kb}
    assert _finding("small-file-io", HotStorage("volume", "disk", 1.0, iops), work).verdict is verdict
