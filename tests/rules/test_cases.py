"""Cases that a reader of the documents expects: expected values are the documents' own, or arithmetic beside them."""

import pytest

from optimizer.domain.finding import Finding, Severity, VerdictKind
from optimizer.domain.gpu import Gpu
from optimizer.domain.model import size_class
from optimizer.domain.offer import Machine
from optimizer.rules import Context, HotStorage, Policy, judge, screen
from optimizer.rules.evidence import counts_as
from optimizer.rules.examples import example_gpu
from tests.rules.machines import a_work, context_on, published

DOCUMENTS, STRICT, FLOOR, OFF = Policy(), Policy("strict"), Policy("floor"), Policy("off")
PASS, FAIL, UNKNOWN = VerdictKind.PASS, VerdictKind.FAIL, VerdictKind.UNKNOWN


def _finding(context: Context, rule_id: str, policy: Policy = DOCUMENTS) -> Finding:
    return next(finding for finding in judge(context, policy) if finding.id == rule_id)


def _verdict(context: Context, rule_id: str, policy: Policy = DOCUMENTS) -> VerdictKind:
    return _finding(context, rule_id, policy).verdict


@pytest.mark.parametrize(
    ("billion", "name"),
    [
        (6.738, "7B"),  # llama-2-7b
        (7.6, "7B"),  # qwen2.5-7b
        (12.853, "13B"),  # opt-13b
        (33.744, "34B"),  # codellama-34b
        (70.55, "70B"),  # llama-3-70b
        (174.6, "pooled"),
    ],
)
def test_named_models_fall_into_the_class_of_their_name(billion: float, name: str) -> None:
    assert size_class(billion * 1e9) == name


@pytest.mark.parametrize(
    ("size_gib", "nominal_gb", "counts"),
    [
        (31.0, 32.0, True),  # "31 GiB of a 32 GB machine counts as 32": 31 >= 32 x 0.96 = 30.72
        (22_888 / 1024, 24.0, True),  # 22,888 MiB are 23,999,807,488 bytes
        (45_776 / 1024, 48.0, True),  # an L40S as the driver reports it: 48.0 x 10**9 bytes
        (40.0, 48.0, False),
        (40.0, 80.0, False),
    ],
)
def test_nominal_sizes(size_gib: float, nominal_gb: float, counts: bool) -> None:
    assert counts_as(size_gib, nominal_gb) is counts


def test_host_memory_reads_binary_sizes_only() -> None:
    # T4 with 16 GB twice is 32: 31 GiB count (>= 30.72), 30 GiB do not, though they are 32.2 decimal GB.
    work = a_work(method="lora")
    assert _verdict(context_on(published("ecs.gn6i-c8g1.2xlarge"), work, "7B"), "ram-total") is PASS
    assert _verdict(context_on(published("ecs.gn6i-c8g1.2xlarge", ram_gib=30.0), work, "7B"), "ram-total") is FAIL


# --- case 1: 7B LoRA on one 24 GB card ----------------------------------------------------------------------------


def test_case_1_gn7i_with_60_gib_passes_twice_its_24_gb() -> None:
    context = context_on(published("ecs.gn7i-c16g1.4xlarge"), a_work(method="lora"), "7B")
    assert _verdict(context, "ram-total") is PASS  # 60 / 24 = 2.5
    assert _verdict(context, "vram-floor") is PASS
    assert _verdict(context, "gpu-count") is PASS


def test_case_1_gn7i_with_30_gib_opens_under_floor_only() -> None:
    context = context_on(published("ecs.gn7i-c8g1.2xlarge"), a_work(method="lora"), "7B")
    assert _finding(context, "ram-total").excludes  # 30 / 24 = 1.25
    under_floor = _finding(context, "ram-total", FLOOR)
    assert under_floor.verdict is PASS
    assert under_floor.below_strict
    assert "ram-total" in screen(context, DOCUMENTS.relax(["ram-total"])).below_strict


# --- case 2: 7B QLoRA on 16 GB -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "precision", "failing"),
    [
        (DOCUMENTS, "fp16", {"vram-floor", "compute-capability"}),  # 16 < 24 GB, 7.5 < 8.0
        (FLOOR, "fp16", set()),  # D1's 16 GB, 7.0 for fp16
        (FLOOR, "bf16", {"compute-capability"}),  # a T4 has no bf16
    ],
)
def test_case_2_t4(policy: Policy, precision: str, failing: set[str]) -> None:
    work = a_work(method="qlora", precision=precision)
    context = context_on(published("ecs.gn6i-c8g1.2xlarge"), work, "7B")
    relevant = {"vram-floor", "compute-capability", "ram-total"}
    assert relevant & set(screen(context, policy).failed) == failing


# --- case 3: 13B LoRA on one 40 GB card --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["GT4.4XLARGE96", "ecs.gn7-c12g1.3xlarge", "a2-highgpu-1g"])
def test_case_3_forty_gb_cards_pass_twice_their_memory(name: str) -> None:
    context = context_on(published(name), a_work(method="lora"), "13B")
    finding = _finding(context, "ram-total")  # 96, 94, 85 against 80
    assert finding.verdict is PASS
    assert not finding.below_strict
    assert _verdict(context, "vram-floor") is PASS


# --- case 6: 13B full on 2 x 40 GB -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["GT4.8XLARGE192", "a2-highgpu-2g"])
def test_case_6_two_forty_gb_cards_open_under_floor(name: str) -> None:
    context = context_on(published(name), a_work(method="full", optimizer="adafactor"), "13B")
    assert _finding(context, "vram-floor-full").excludes
    under_floor = _finding(context, "vram-floor-full", FLOOR)
    assert under_floor.verdict is PASS
    assert under_floor.below_strict
    assert "vram-floor" not in screen(context, FLOOR).failed


# --- case 7: 4 x 32 GB ask for 256 GB ----------------------------------------------------------------------------


def test_case_7_gn10x_with_160_gb_fails_d1_and_d0_but_not_d4() -> None:
    finding = _finding(context_on(published("GN10X.9XLARGE160"), a_work(method="lora"), "7B"), "ram-total")
    assert finding.excludes  # 160 / 128 = 1.25
    assert "D1 2× ✗, D0 1.5× ✗, D4 >1× ✓" in finding.message_en
    assert "D1 2× ✗，D0 1.5× ✗，D4 >1× ✓" in finding.message_zh


def test_case_7_gn6e_with_368_gb_passes_memory_and_fails_capability() -> None:
    context = context_on(published("ecs.gn6e-c12g1.12xlarge"), a_work(method="lora", precision="fp16"), "7B")
    assert _verdict(context, "ram-total") is PASS  # 368 / 128 = 2.875
    capability = _finding(context, "compute-capability")
    assert capability.excludes
    assert (capability.measured, capability.required) == ("7", "≥ 8")


# --- case 8: cores and lanes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("cores", "strict", "floor"), [(4, FAIL, PASS), (5, PASS, PASS), (3, FAIL, FAIL)])
def test_case_8_cores_of_four_gpus(cores: int, strict: VerdictKind, floor: VerdictKind) -> None:
    context = context_on(published("GN10X.9XLARGE160", cores=cores), a_work(method="lora"), "7B")
    assert _verdict(context, "cpu-cores") is strict
    assert _verdict(context, "cpu-cores", FLOOR) is floor


def _owned(lanes: int, gpu: Gpu) -> Context:
    machine = Machine(
        provider="owned",
        instance_type="lab-1",
        gpu_model=gpu.model,
        gpu_count=8,
        gpu_memory_gib=gpu.memory_gib,
        gpu_memory_usable_gib=gpu.usable_memory_gib,
        pcie_lanes=lanes,
    )
    return Context(work=a_work(method="lora"), machine=machine, gpu=gpu, gpus_used_per_node=8, owned=True)


@pytest.mark.parametrize(
    ("lanes", "verdict", "left"),
    [(96, FAIL, None), (128, PASS, "leave 0 for"), (160, PASS, "leave 32 for")],  # 8 x 16 = 128
)
def test_case_8_lanes_of_eight_owned_gpus(lanes: int, verdict: VerdictKind, left: str | None) -> None:
    finding = _finding(_owned(lanes, example_gpu("A100-PCIE-80GB")), "pcie-lanes")
    assert finding.verdict is verdict
    if left is not None:
        assert left in finding.message_en


def test_a_board_behind_switches_is_judged_by_measured_width() -> None:
    context = _owned(96, example_gpu("A100-SXM4-80GB"))
    assert _verdict(context, "pcie-lanes") is UNKNOWN


# --- case 9: 70B full on two nodes -------------------------------------------------------------------------------

NODES = ["p5.48xlarge", "Standard_ND96isr_H100_v5", "Standard_ND96amsr_A100_v4"]


def _seventy_b(machine: Machine) -> Context:
    storage = HotStorage("local_nvme", capacity_gb=machine.local_nvme_gb)
    return context_on(machine, a_work(method="full"), "70B", nodes=2, storage=storage)


@pytest.mark.parametrize("name", NODES)
def test_case_9_eight_gpu_nodes_with_rdma_are_let_through(name: str) -> None:
    context = _seventy_b(published(name))
    assert set(screen(context, STRICT).failed) == {"vram-fit"}  # no layout is given here; planning brings one
    assert _verdict(context, "nvlink") is PASS
    assert _verdict(context, "rdma") is PASS
    assert _verdict(context, "nvme-hot") is PASS
    assert _verdict(context, "size-tier") is PASS  # no "flagship waste"


@pytest.mark.parametrize("name", NODES)
def test_case_9_the_same_nodes_on_plain_ethernet_are_rejected(name: str) -> None:
    finding = _finding(_seventy_b(published(name, rdma="none", network_gbit_per_s=100.0)), "rdma")
    assert finding.excludes
    for words in (finding.message_en, finding.message_zh):
        assert "30" in words
        assert "40" in words
        assert "80" in words


# --- case 11: from 100 billion several GPUs ----------------------------------------------------------------------


def test_case_11_no_single_gpu_from_100_billion() -> None:
    context = context_on(published("GT4.4XLARGE96"), a_work(method="lora"), "175B")
    assert "vram-floor" in screen(context, DOCUMENTS).failed
    assert "vram-floor" in screen(context, FLOOR).failed
    assert "vram-floor" not in screen(context, OFF).failed


# --- case 14: image classification on 500,000 files --------------------------------------------------------------


def _images(storage: HotStorage) -> Context:
    work = a_work(gpu_hours={"gpu": "A10", "hours": 100}, files=500_000, mean_file_kb=100, dataset_gb=50)
    return context_on(published("ecs.gn7i-c16g1.4xlarge"), work, storage=storage)


def test_case_14_mid_range_card_and_nvme_pass_without_memory_rules() -> None:
    findings = {finding.id: finding for finding in judge(_images(HotStorage("local_nvme", capacity_gb=440)), DOCUMENTS)}
    assert findings["mid-tier-card"].verdict is PASS
    assert findings["nvme-hot"].verdict is PASS
    assert findings["small-file-io"].verdict is PASS
    for rule_id in ("vram-fit", "vram-floor", "vram-floor-full", "size-tier", "gpu-count", "hbm"):
        assert rule_id not in findings


def test_case_14_a_hard_disk_never_holds_hot_data() -> None:
    disk = HotStorage("volume", "EBS st1", rate_gbyte_per_s=0.5, medium="hdd")
    assert _finding(_images(disk), "nvme-hot").excludes
    assert _verdict(_images(disk), "small-file-io") is FAIL  # 500,000 reads an hour are 139 a second
    assert _finding(_images(disk), "small-file-io").severity is Severity.WARN
