"""Evidence orders: what is stated or measured goes before what is derived, and what nobody knows stays unknown."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimizer.catalog import load_catalog
from optimizer.domain.finding import VerdictKind
from optimizer.rules import Context, HotStorage, Policy, judge, screen
from optimizer.rules.evidence import BIG_CLOUDS, MARKETPLACES, evidence_of
from optimizer.rules.examples import example_shape
from tests.rules.machines import a_work, context_on, gpu_of, published

PASS, FAIL, UNKNOWN = VerdictKind.PASS, VerdictKind.FAIL, VerdictKind.UNKNOWN


def _evidence(name: str, **changes: Any) -> Any:
    machine = published(name, **changes)
    return evidence_of(machine, gpu_of(machine.gpu_model))


def _verdict(rule_id: str, name: str, /, **changes: Any) -> VerdictKind:
    """The strict verdict on one node, for rdma on two."""
    nodes = 2 if rule_id == "rdma" else 1
    context = context_on(published(name, **changes), a_work(method="full"), "13B", nodes=nodes)
    return next(finding.verdict for finding in judge(context, Policy("strict")) if finding.id == rule_id)


# --- PCIe: measured width, platform lanes, unknown ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({"pcie_width_measured": 16, "pcie_lanes": 16}, PASS),  # measured before lanes that would fail
        ({"pcie_width_measured": 8, "pcie_lanes": 128}, FAIL),  # measured before lanes that would pass
        ({"pcie_lanes": 64}, PASS),  # 4 x 16
        ({}, UNKNOWN),
    ],
)
def test_pcie_evidence(changes: dict[str, Any], verdict: VerdictKind) -> None:
    card = {"gpu_model": "A100-PCIE-80GB", "gpu_memory_gib": 80, "gpu_memory_usable_gib": 80}
    assert _verdict("pcie-lanes", "GN10X.9XLARGE160", **(card | changes)) is verdict


def test_the_width_of_one_link_given_for_the_lanes_of_the_platform_is_asked_about() -> None:
    # D4 asks lanes >= 16 x GPUs of the platform; a GPU's own link is x16, so 16 for four cards is likely that.
    card = {"gpu_model": "A100-PCIE-80GB", "gpu_memory_gib": 80, "gpu_memory_usable_gib": 80}
    said = {}
    for lanes in (16, 48):
        context = context_on(published("GN10X.9XLARGE160", **card, pcie_lanes=lanes), a_work(method="full"), "13B")
        finding = next(one for one in judge(context, Policy("strict")) if one.id == "pcie-lanes")
        assert finding.verdict is FAIL
        said[lanes] = (finding.message_en, finding.message_zh)
    assert "`pcie_lanes` is to say the lanes of all CPUs together" in said[16][0]
    assert "`pcie_lanes` 应填全部 CPU 的通道总数" in said[16][1]
    assert "pcie_lanes" not in said[48][0]


# --- links -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "changes", "verdict"),
    [
        ("GT4.8XLARGE192", {}, PASS),  # stated
        ("GT4.8XLARGE192", {"intra_link": None}, PASS),  # derived: A100 SXM4 board
        ("GT4.8XLARGE192", {"intra_link": "pcie"}, FAIL),  # stated goes before derived
        ("GN10X.9XLARGE160", {"intra_link": "nvlink_pairs"}, FAIL),  # four cards in two pairs are no mesh
        ("GT4.8XLARGE192", {"intra_link": "nvlink_pairs"}, PASS),  # two cards are one pair
        ("GT4.8XLARGE192", {"intra_link": "hccs"}, PASS),
        ("GT4.8XLARGE192", {"intra_link": "xgmi"}, PASS),
    ],
)
def test_nvlink_evidence(name: str, changes: dict[str, Any], verdict: VerdictKind) -> None:
    assert _verdict("nvlink", name, **changes) is verdict


def test_a_pcie_card_without_a_stated_link_is_unknown() -> None:
    card = {"gpu_model": "A100-PCIE-80GB", "gpu_memory_gib": 80, "gpu_memory_usable_gib": 80, "intra_link": None}
    assert _verdict("nvlink", "GT4.8XLARGE192", **card) is UNKNOWN


# --- RDMA --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("provider", "name", "rdma", "verdict"),
    [
        ("aws", "p5.48xlarge", "efa", PASS),
        ("azure", "any", "infiniband", PASS),
        ("oci", "any", "roce", PASS),
        ("alibaba", "any", "erdma", PASS),
        ("volcengine", "any", "unspecified", PASS),  # RDMA stated, kind not
        ("gcp", "a3-highgpu-8g", "gpudirect_tcpx", FAIL),
        ("lambda", "any", "none", FAIL),
        ("azure", "Standard_ND96isr_H100_v5", None, PASS),  # the letter r
        ("azure", "Standard_NC96ads_A100_v4", None, FAIL),  # closed list: no r
        ("azure", "Standard_ND96is_noIB_H100_v5", None, FAIL),
        ("aws", "g5.4xlarge", None, FAIL),  # outside the EFA list
        ("aws", "p3.16xlarge", None, FAIL),
        ("aws", "p7.48xlarge", None, UNKNOWN),  # a family that the list does not know
        ("gcp", "a2-ultragpu-8g", None, FAIL),
        ("gcp", "g2-standard-96", None, FAIL),
        ("gcp", "a5-highgpu-8g", None, UNKNOWN),
        ("tencent", "GT4.20XLARGE474", None, UNKNOWN),  # no closed list
        ("aws", "g6e.48xlarge", "efa", UNKNOWN),  # EFA, but GPUDirect RDMA not proven on the family
        ("aws", "p3dn.24xlarge", "efa", UNKNOWN),
    ],
)
def test_rdma_evidence(provider: str, name: str, rdma: str | None, verdict: VerdictKind) -> None:
    changes = {"provider": provider, "instance_type": name, "rdma": rdma}
    assert _verdict("rdma", "p5.48xlarge", **changes) is verdict


@pytest.mark.parametrize(
    ("link", "rdma", "network", "verdict"),
    [
        ("nvswitch", None, None, PASS),
        ("pcie", "infiniband", 200.0, PASS),  # HDR class by node total
        ("pcie", "infiniband", 100.0, FAIL),  # EDR
        ("pcie", "infiniband", None, UNKNOWN),
        ("pcie", "gpudirect_tcpx", 1000.0, FAIL),
        ("pcie", "none", None, FAIL),
    ],
)
def test_interconnect_class_of_eight(link: str, rdma: str | None, network: float | None, verdict: VerdictKind) -> None:
    changes = {"intra_link": link, "rdma": rdma, "network_gbit_per_s": network}
    assert _verdict("interconnect-class", "p5.48xlarge", **changes) is verdict


@pytest.mark.parametrize(("used", "verdict"), [(2, PASS), (4, FAIL)])
def test_a_bridged_pair_is_nvlink_for_two_gpus_only(used: int, verdict: VerdictKind) -> None:
    machine = published("GN10X.9XLARGE160", intra_link="nvlink_pairs", rdma="none")
    context = context_on(machine, a_work(method="full"), "13B", gpus_used_per_node=used)
    findings = {finding.id: finding.verdict for finding in judge(context, Policy())}
    assert findings["interconnect-class"] is verdict
    assert findings["nvlink"] is verdict


def test_two_nodes_of_one_gpu_have_no_link_within() -> None:
    machine = published("GT4.4XLARGE96", intra_link="nvlink", rdma="none")
    context = context_on(machine, a_work(method="full"), "13B", nodes=2)
    found = next(finding for finding in judge(context, Policy()) if finding.id == "interconnect-class")
    assert found.verdict is FAIL


# --- ECC, CPU, cores ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("provider", "cpu", "ecc", "verdict"),
    [
        ("alibaba", None, None, PASS),  # big clouds run server platforms
        ("vast", None, None, UNKNOWN),  # a marketplace
        ("vast", "Xeon Gold 6338", None, UNKNOWN),  # hosts differ even where the CPU is named
        ("vast", None, True, PASS),  # stated
        ("someone", "EPYC 9554", None, PASS),
        ("someone", "Core i9-14900K", None, UNKNOWN),
        ("someone", None, False, FAIL),
    ],
)
def test_ecc_evidence(provider: str, cpu: str | None, ecc: bool | None, verdict: VerdictKind) -> None:
    changes = {"provider": provider, "instance_type": "any", "cpu": cpu, "ecc": ecc}
    assert _verdict("ecc", "ecs.gn7i-c16g1.4xlarge", **changes) is verdict


def test_derived_ecc_of_a_marketplace_stays_unknown() -> None:
    derived = {"provider": "vast", "instance_type": "any", "ecc": True, "facts": {"ecc": "derived: server platform"}}
    assert _verdict("ecc", "ecs.gn7i-c16g1.4xlarge", **derived) is UNKNOWN
    assert _verdict("ecc", "ecs.gn7i-c16g1.4xlarge", **(derived | {"provider": "alibaba"})) is PASS


def test_community_hosts_of_a_provider_are_a_marketplace() -> None:
    shape = {"provider": "runpod", "cpu": None}
    assert _verdict("ecc", "p5.48xlarge", instance_type="8x_H100-SXM_community", **shape) is UNKNOWN
    assert _verdict("ecc", "p5.48xlarge", instance_type="8x_H100-SXM_secure", **shape) is PASS  # SXM: a server board


@pytest.mark.parametrize(
    ("changes", "cores"),
    [
        ({"cores": 24.0}, (24.0, 24.0)),
        ({"cpu": "Xeon Platinum 8369B"}, (8.0, 8.0)),  # two threads a core: 16 vCPU / 2
        ({"cpu": "Grace"}, (16.0, 16.0)),  # Arm: one thread a core
        ({}, (8.0, 16.0)),  # not named: between the two
        ({"vcpus": None}, (None, None)),
        # the catalog's own half, where threads a core are not stated, is the lower end only
        ({"cores": 8.0, "facts": {"cores": "derived: at least vCPU / 2 (threads a core not stated)"}}, (8.0, 16.0)),
        ({"cores": 8.0, "facts": {"cores": "derived: vCPU / 2 (two threads a core)"}}, (8.0, 8.0)),
    ],
)
def test_cores_from_vcpus(changes: dict[str, Any], cores: tuple[float | None, float | None]) -> None:
    evidence = _evidence("ecs.gn7i-c16g1.4xlarge", **changes)
    assert (evidence.cores_low, evidence.cores_high) == cores


@pytest.mark.parametrize(("vcpus", "verdict"), [(18.0, PASS), (12.0, UNKNOWN), (8.0, FAIL)])
def test_cores_of_eight_gpus_without_a_named_cpu(vcpus: float, verdict: VerdictKind) -> None:
    # 18 vCPU are at least 9 cores > 8; 12 are 6 to 12; 8 are at most 8, which is not more than 8.
    assert _verdict("cpu-cores", "p5.48xlarge", vcpus=vcpus) is verdict


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({"cpu": "Core i7-1265U", "cpu_tdp_watts": 15.0}, FAIL),
        ({"cpu": "Core i9-14900K", "cpu_tdp_watts": 125.0}, PASS),
        ({"cpu_tdp_watts": 35.0}, FAIL),  # D0: "TDP <= 35 W"
        ({"cpu": None}, UNKNOWN),
        ({"cpu": None, "vcpus": 32.0}, PASS),  # no CPU of 35 W has so many threads
    ],
)
def test_cpu_class_evidence(changes: dict[str, Any], verdict: VerdictKind) -> None:
    changes = {"provider": "vast", "instance_type": "any"} | changes
    assert _verdict("cpu-class", "ecs.gn7i-c16g1.4xlarge", **changes) is verdict


# --- volumes -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("storage", "verdict"),
    [
        (HotStorage("local_nvme", capacity_gb=1e4), PASS),
        (HotStorage("volume", "ESSD PL2", 0.75), PASS),
        (HotStorage("volume", "CLOUD_SSD", 0.25), FAIL),  # an "SSD" slower than SATA
        (HotStorage("volume", "CLOUD_HSSD"), UNKNOWN),  # no stated rate
        (HotStorage("none"), UNKNOWN),
        (None, UNKNOWN),
    ],
)
def test_volumes_by_stated_rate(storage: HotStorage | None, verdict: VerdictKind) -> None:
    context = context_on(published("p5.48xlarge"), a_work(method="full"), "13B", storage=storage)
    found = next(finding for finding in judge(context, Policy()) if finding.id == "nvme-hot")
    assert found.verdict is verdict


# --- unknown never excludes --------------------------------------------------------------------------------------

_BLANKABLE = (
    *(
        "intra_link",
        "network_gbit_per_s",
        "rdma",
        "vcpus",
        "cores",
        "cpu",
        "cpu_tdp_watts",
        "ram_gib",
        "ram_mts",
        "ecc",
    ),
    *("pcie_generation", "pcie_lanes", "pcie_width_measured", "local_nvme_gb", "bare_metal", "elastic", "power_watts"),
    *("memory_type", "compute_capability"),
)
_WELL_KNOWN = {"cores": 96.0, "ecc": True, "cpu": "Xeon Platinum 8480C", "pcie_lanes": 160, "elastic": True}


@given(
    blank=st.sets(st.sampled_from(_BLANKABLE)),
    nodes=st.sampled_from([1, 2, 4]),
    storage=st.sampled_from([HotStorage("local_nvme", capacity_gb=30400.0), HotStorage("none"), None]),
    profile=st.sampled_from(["documents", "strict", "floor", "off"]),
)
def test_unknowns_alone_never_exclude(blank: set[str], nodes: int, storage: HotStorage | None, profile: Any) -> None:
    machine = published("p5.48xlarge", **(_WELL_KNOWN | dict.fromkeys(blank)))
    context = context_on(machine, a_work(method="full"), "70B", nodes=nodes, storage=storage)
    assert set(screen(context, Policy(profile)).failed) <= {"vram-fit"}  # no layout given: may never stay unknown


@given(
    name=st.sampled_from(["ecs.gn7i-c8g1.2xlarge", "GN10X.9XLARGE160", "GT4.8XLARGE192", "p5.48xlarge"]),
    changes=st.fixed_dictionaries(
        {},
        optional={
            "ram_gib": st.floats(8, 4096),
            "cores": st.floats(1, 256),
            "ecc": st.booleans(),
            "pcie_lanes": st.integers(16, 256),
            "intra_link": st.sampled_from(["pcie", "nvlink", "nvlink_pairs"]),
            "rdma": st.sampled_from(["none", "efa", "roce"]),
        },
    ),
    shape=st.sampled_from(["7B", "13B", "34B", "70B", "175B"]),
    method=st.sampled_from(["pretrain", "full", "lora", "qlora"]),
    precision=st.sampled_from(["bf16", "fp16"]),
    nodes=st.sampled_from([1, 2]),
)
def test_looser_profiles_never_exclude_more(
    name: str, changes: dict[str, Any], shape: str, method: Any, precision: Any, nodes: int
) -> None:
    context = context_on(published(name, **changes), a_work(method=method, precision=precision), shape, nodes=nodes)
    strict, floor, off = (screen(context, Policy(profile)) for profile in ("strict", "floor", "off"))
    assert set(off.failed) <= set(floor.failed) <= set(strict.failed)
    assert set(strict.failed) - set(floor.failed) == set(floor.below_strict)
    assert strict.below_strict == ()


def test_what_may_never_be_unknown_excludes() -> None:
    context = context_on(published("p5.48xlarge"), a_work(method="full"), "70B", nodes=2)
    for profile in ("documents", "strict", "floor", "off"):
        assert "vram-fit" in screen(context, Policy(profile)).failed
    wrong_card = context_on(published("p5.48xlarge", gpu_memory_gib=40.0), a_work(method="full"), "70B")
    assert "gpu-homogeneous" in screen(wrong_card, Policy("off")).failed


def test_a_share_of_a_machine_is_judged_on_its_share() -> None:
    # One of 8 GPUs: 2048 / 8 = 256 GiB for 80 GB, 12 of 96 cores.
    context = context_on(published("p5.48xlarge", cores=96.0), a_work(method="lora"), "7B", gpus_used_per_node=1)
    findings = {finding.id: finding for finding in judge(context, Policy())}
    assert findings["ram-total"].measured == "256 GiB (3.2×)"
    assert findings["cpu-cores"].measured == "12 cores"


def test_marketplaces_and_big_clouds_are_those_of_the_catalog() -> None:
    segments = load_catalog().segments
    platforms = {name for name, segment in segments.items() if segment in ("marketplace", "cn_platform", "market")}
    # RunPod's own machines are no marketplace's; its community tier is told by the instance name.
    assert platforms - {"runpod"} <= MARKETPLACES
    assert {name for name, segment in segments.items() if segment in ("big_cloud", "cn_cloud")} == BIG_CLOUDS


def test_every_kind_of_machine_on_the_market_is_judged_in_whole_sentences() -> None:
    catalog = load_catalog()
    policy, work = Policy("strict"), a_work(method="full")
    for offer in catalog.offers()[::25]:
        machine, gpu = offer.machine, catalog.gpus[offer.machine.gpu_model]
        context = Context(work, machine, gpu, machine.gpu_count, 2, example_shape("13B"))
        for finding in judge(context, policy):
            for words in (finding.message_en, finding.message_zh, finding.measured, finding.required, finding.source):
                assert words
                assert "{" not in words
                assert "None" not in words
