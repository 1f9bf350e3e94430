"""Links, ranges, calibration, relative speed, host demand, constants."""

from dataclasses import replace

import pytest

from optimizer.domain.gpu import Gpu
from optimizer.domain.offer import IntraLink, Machine, Rdma
from optimizer.domain.workload import Measured, Work
from optimizer.sizing import best_fit, calibrate, gpu_hours_speed, hardware_of, training_of
from optimizer.sizing.constants import constants, document
from optimizer.sizing.hardware import links_of
from optimizer.sizing.intervals import range_of
from tests.sizing.builders import A10, A100_80, H100, LLAMA_7B, LLAMA_13B, fitted, one, train

GPU = Gpu(
    model="A100-SXM4-80GB", vendor="NVIDIA", architecture="Ampere", memory_gib=80, memory_reported_mib=81920,
    memory_bandwidth_gbyte_per_s=2039, fp32_tflops=19.5, bf16_tflops=312, fp16_tflops=312, nvlink_gbyte_per_s=600,
    pcie_generation=4, pcie_lanes=16, tdp_watts=400, form_factor="SXM4", source="datasheet", observed="2026-11-30",
)  # fmt: skip


def machine(**fields: object) -> Machine:
    values: dict[str, object] = {
        "provider": "p", "instance_type": "t", "gpu_model": GPU.model, "gpu_count": 8, "gpu_memory_gib": 80,
        "gpu_memory_usable_gib": 80, "intra_link": IntraLink.NVSWITCH, "network_gbit_per_s": 1600,
        "rdma": Rdma.INFINIBAND, "cores": 64, "ram_gib": 1024, **fields,
    }  # fmt: skip
    return Machine(**values)  # type: ignore[arg-type]


class TestHardware:
    def test_link_rates_are_one_direction(self) -> None:
        # 600 GB/s of NVLink 3 are 300 each way; PCIe 4.0 x16 is 31.5.
        hardware = hardware_of(machine(), GPU)
        assert hardware.intra_gbyte_per_s == 300
        assert hardware.pcie_gbyte_per_s == 31.5

    def test_a_stated_rate_beats_the_data_sheet(self) -> None:
        assert hardware_of(machine(intra_link_gbyte_per_s=200), GPU).intra_gbyte_per_s == 200

    def test_a_share_takes_its_part_of_the_host(self) -> None:
        hardware = hardware_of(machine(), GPU, gpus=2)
        assert (hardware.gpus, hardware.cores, hardware.ram_gib, hardware.network_gbit_per_s) == (2, 16, 256, 400)

    def test_the_smaller_memory_counts(self) -> None:
        assert hardware_of(machine(gpu_memory_usable_gib=79.2), GPU).memory_usable_gib == 79.2
        assert hardware_of(machine(gpu_memory_usable_gib=96), GPU).memory_usable_gib == 80

    def test_a_measured_width_counts(self) -> None:
        assert hardware_of(machine(pcie_width_measured=8), GPU).pcie_gbyte_per_s == 15.75

    def test_a_silent_offer_of_a_board_has_the_boards_link(self) -> None:
        assert hardware_of(machine(intra_link=None), GPU).intra_link == "nvlink"
        for vendor, link in (("AMD", "xgmi"), ("Huawei", "hccs")):
            assert hardware_of(machine(intra_link=None), GPU.model_copy(update={"vendor": vendor})).intra_link == link

    def test_unknown_stays_unknown(self) -> None:
        hardware = hardware_of(machine(cores=None, ram_gib=None, network_gbit_per_s=None, rdma=None), GPU)
        assert (hardware.cores, hardware.ram_gib, hardware.network_gbit_per_s, hardware.rdma) == (None,) * 4

    @pytest.mark.parametrize(("gpus", "both_ways"), [(2, 128), (4, 384), (8, 896)])
    def test_a_mesh_has_one_link_for_each_pair(self, gpus: int, both_ways: float) -> None:
        # AMD CDNA 3 white paper: 128 GB/s between any two of eight MI300X, 896 from one to all others, both directions.
        mi300x = replace(A100_80, gpus=gpus, intra_link="xgmi", intra_gbyte_per_s=448.0)
        links = links_of(mi300x)
        assert links.node_gbyte_per_s == pytest.approx(both_ways / 2 * constants().nvlink_share)
        assert links.pair_gbyte_per_s == pytest.approx(128 / 2 * constants().nvlink_share)

    def test_the_slower_class_for_what_is_unknown(self) -> None:
        stated, silent = links_of(A100_80), links_of(replace(A100_80, rdma=None, intra_link=None))
        assert silent.network_gbyte_per_s < stated.network_gbyte_per_s
        assert silent.node_gbyte_per_s < stated.node_gbyte_per_s


class TestRange:
    def test_more_confidence_is_a_wider_range(self) -> None:
        narrow, wide = (range_of(train(), 8, 1, level) for level in (0.6, 0.95))
        assert wide[0] <= narrow[0] <= 1 <= narrow[1] <= wide[1]

    def test_between_stored_levels_it_is_between(self) -> None:
        low, middle, high = (range_of(train(), 8, 1, level)[0] for level in (0.9, 0.85, 0.8))
        assert low <= middle <= high

    def test_the_fit_carries_it(self) -> None:
        fit = fitted(best_fit(train(), A100_80, 1, confidence=0.8))
        low, high = range_of(train(), 8, 1, 0.8)
        assert fit.interval == (fit.tokens_per_second * low, fit.tokens_per_second * high)


class TestCalibration:
    training = train(LLAMA_13B)

    def test_it_moves_to_the_measured_speed(self) -> None:
        predicted = fitted(best_fit(self.training, A100_80, 1))
        run = Measured(gpu="A100-SXM4-80GB", gpus=8, tokens_per_second=predicted.tokens_per_second * 0.8)
        moved = calibrate(self.training, run, A100_80)
        assert moved.factor == pytest.approx(0.8)
        assert moved.moved_percent == pytest.approx(-20)
        corrected = moved.applied(predicted)
        assert corrected.tokens_per_second == pytest.approx(run.tokens_per_second)
        assert corrected.interval[0] == pytest.approx(predicted.interval[0] * 0.8)
        assert any("-20 %" in note for note in corrected.assumptions)

    def test_it_holds_for_its_gpu_and_links_only(self) -> None:
        moved = calibrate(self.training, Measured(gpu="x", gpus=8, tokens_per_second=9000), A100_80)
        assert moved.applies_to(A100_80, 1)
        assert not moved.applies_to(A100_80, 2)
        assert not moved.applies_to(H100, 1)

    def test_a_run_that_cannot_be_is_refused(self) -> None:
        with pytest.raises(ValueError, match="does not fit"):
            calibrate(self.training, Measured(gpu="A10", gpus=1, tokens_per_second=100), A10)


class TestGpuHours:
    def test_the_same_card_is_one(self) -> None:
        assert gpu_hours_speed(A100_80, A100_80, "bf16") == 1.0

    def test_h100_against_a100_lies_between_bandwidth_and_peak(self) -> None:
        # 3,350 / 2,039 = 1.64 and 989 / 312 = 3.17.
        found = gpu_hours_speed(A100_80, H100, "bf16")
        assert found is not None
        assert 1.5 <= found <= 3.17

    def test_unknown_rate_is_unknown_speed(self) -> None:
        assert gpu_hours_speed(A100_80, replace(H100, bf16_tflops=None), "bf16") is None


def test_training_of_keeps_every_choice() -> None:
    work = Work.model_validate({
        "model": {"preset": "llama-2-7b"}, "method": "qlora", "qlora": {"bits": 8},
        "lora": {"rank": 64, "targets": "qv"},
        "attention": "plain", "cross_entropy": "fused", "sequence_length": 1024, "micro_batch_size": 2,
        "activation_checkpointing": "full", "layout": {"tp": 2, "zero": 1}, "tokens": 1e9, "offload": "auto",
    })  # fmt: skip
    training = training_of(work, LLAMA_7B)
    assert (training.quant_bits, training.lora_rank, training.lora_targets) == (8, 64, "qv")
    assert (training.flash_attention, training.fused_cross_entropy) == (False, True)
    assert (training.micro_batch, training.checkpointing, training.offload) == (2, "full", "auto")
    assert (training.tp, training.pp, training.zero) == (2, None, 1)


def test_work_without_a_model_has_nothing_to_size() -> None:
    work = Work.model_validate({"gpu_hours": {"gpu": "A100", "hours": 10}})
    with pytest.raises(ValueError, match="gpu_hours"):
        training_of(work, None)


class TestConstants:
    def test_about_two_dozen_are_fitted_and_each_is_told(self) -> None:
        table = document()["constants"]
        fitted_names = [name for name, entry in table.items() if entry["spread_percent"] is not None]
        assert len(fitted_names) <= 25
        for entry in table.values():
            assert entry["unit"]
            assert entry["meaning"]
            assert entry["rows"] >= 0
        assert all(table[name]["rows"] > 0 for name in fitted_names)

    def test_shares_are_shares(self) -> None:
        for name, entry in document()["constants"].items():
            if entry["unit"].startswith("fraction"):
                assert 0 < entry["value"] <= 1, name

    def test_the_memory_of_a_single_card_is_read_once(self) -> None:
        assert constants() is constants()


def test_one_gpu_needs_no_links() -> None:
    with_links, without = (
        fitted(best_fit(train(LLAMA_7B, "lora"), hardware, 1))
        for hardware in (one(A100_80), replace(one(A100_80), intra_link=None, network_gbit_per_s=None, rdma=None))
    )
    assert with_links.tokens_per_second == without.tokens_per_second
