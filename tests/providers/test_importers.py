"""Files of other tools. Expected figures: the files' sources, and arithmetic shown beside them."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from optimizer.app.importing import import_file
from optimizer.catalog.generations import current_directory
from optimizer.catalog.layer import layer_offers
from optimizer.domain.offer import Mark, Offer, PriceUnit, Rdma, Rejected, Term
from optimizer.errors import InputError
from providers._kit.importing import ImportContext, importer_names, load_importer, provider_of_file
from tests.providers.conftest import RECORDED, Replay, shipped_finder

FILES = RECORDED / "importers"
DAY = date(2026, 11, 1)
Read = Callable[..., Replay]


@pytest.fixture
def imported() -> Read:
    """Reads a recorded file with an importer."""

    def read(format_name: str, file: str, provider: str | None = None) -> Replay:
        importer = load_importer(format_name)
        path = FILES / file
        owner = provider_of_file(provider or importer.provider_of(path) or "", importer)
        context = ImportContext(owner, shipped_finder(), DAY, "test file")
        outcomes = list(importer.read(context, path))
        merged: dict[str, Offer] = {}
        for offer in (outcome for outcome in outcomes if isinstance(outcome, Offer)):
            known = merged.get(offer.key)
            prices = (*known.prices, *offer.prices) if known else offer.prices
            merged[offer.key] = offer.model_copy(update={"prices": prices})
        return Replay(list(merged.values()), [outcome for outcome in outcomes if isinstance(outcome, Rejected)])

    return read


def test_it_finds_the_importers() -> None:
    assert set(importer_names()) == {"ec2instances", "gpuhunt", "pricelist", "skypilot"}


class TestSkyPilot:
    def test_the_provider_is_the_folder_and_machines_without_gpus_are_left_out(self, imported: Read) -> None:
        seen = imported("skypilot", "lambda/vms.csv")
        assert set(seen.offers) == {"us-east-1/gpu_8x_v100", "us-west-2/gpu_4x_a6000"}
        assert seen.offers["us-east-1/gpu_8x_v100"].provider == "lambda"
        assert seen.price("us-east-1/gpu_8x_v100", Term.ON_DEMAND).observed == DAY

    def test_names_say_the_memory(self, imported: Read) -> None:
        assert imported("skypilot", "lambda/vms.csv").offers["us-east-1/gpu_8x_v100"].machine.gpu_memory_gib == 16
        aws = imported("skypilot", "aws/vms.csv").offers
        assert aws["ap-northeast-1/p4d.24xlarge"].machine.gpu_memory_gib == 40
        assert aws["us-east-1/p4de.24xlarge"].machine.gpu_memory_gib == 80

    def test_zones_of_a_region_are_one_offer_at_the_lowest_price(self, imported: Read) -> None:
        seen = imported("skypilot", "aws/vms.csv")
        assert seen.price("ap-northeast-1/p4d.24xlarge", Term.ON_DEMAND).amount == Decimal("30.09784")
        assert seen.price("ap-northeast-1/p4d.24xlarge", Term.SPOT).amount == Decimal("11.705")

    def test_a_blank_price_is_spot_only_and_0_is_none(self, imported: Read) -> None:
        assert imported("skypilot", "aws/vms.csv").terms("us-east-1/p4de.24xlarge") == {Term.SPOT}
        assert "found 0, expected a positive number" in imported("skypilot", "lambda/vms.csv").reasons("gpu_1x_free")

    def test_shares_are_fractions(self, imported: Read) -> None:
        machine = imported("skypilot", "aws/vms.csv").offers["us-east-1/g6f.large"].machine
        assert (machine.gpu_count, machine.gpu_fraction, machine.gpu_memory_gib) == (1, 0.125, 3)

    def test_google_machines_are_two_rows_and_partial(self, imported: Read) -> None:
        seen = imported("skypilot", "gcp/vms.csv")
        price = seen.price("us-central1/a3-megagpu-8g", Term.ON_DEMAND)
        # 9.98816 + 82.754208.
        assert (price.amount, price.marks) == (Decimal("92.742368"), (Mark.PARTIAL,))
        assert seen.offers["us-central1/a3-megagpu-8g"].machine.gpu_count == 8

    def test_a_machine_whose_gpus_have_no_row_is_no_cheap_offer(self, imported: Read) -> None:
        seen = imported("skypilot", "gcp/vms.csv")
        assert "no row prices its 1 A100: cores alone are no machine" in seen.reason("a2-highgpu-1g")
        assert set(seen.offers) == {"us-central1/a3-megagpu-8g"}

    def test_one_price_for_one_and_for_eight_gpus_is_refused(self, imported: Read) -> None:
        seen = imported("skypilot", "runpod/vms.csv")
        assert set(seen.offers) == {"US/1x_L40S_SECURE", "US/8x_L40S_SECURE"}
        assert "per GPU or per machine is unclear" in seen.reason("8x_RTXA6000_SECURE")


class TestGpuhunt:
    def test_the_spot_flag_is_the_term(self, imported: Read) -> None:
        seen = imported("gpuhunt", "aws.csv")
        assert seen.price("us-east-1/p5.48xlarge", Term.ON_DEMAND).amount == Decimal("55.04")
        assert seen.price("us-east-1/p5.48xlarge", Term.SPOT).amount == Decimal("14.246")
        assert seen.offers["us-east-1/p5.48xlarge"].machine.gpu_model == "H100-SXM5-80GB"

    def test_bad_rows_say_why(self, imported: Read) -> None:
        seen = imported("gpuhunt", "aws.csv")
        assert "found 0, expected a positive number" in seen.reason("g5.xlarge")
        assert "'QuantumGPU' with 24 GiB is no model" in seen.reason("x.odd")

    def test_digitalocean_memory_is_the_nodes_total(self, imported: Read) -> None:
        machine = imported("gpuhunt", "digitalocean.csv").offers["nyc2/gpu-h100x8-640gb"].machine
        assert machine.gpu_memory_gib == 80


class TestEc2Instances:
    def test_linux_prices_and_the_lowest_amortized_ones(self, imported: Read) -> None:
        seen = imported("ec2instances", "instances.json")
        key = "us-east-1/p4d.24xlarge"
        assert seen.terms(key) == {Term.ON_DEMAND, Term.SPOT, Term.RESERVED_1Y, Term.RESERVED_3Y}
        reserved = seen.price(key, Term.RESERVED_1Y)
        # All upfront at 13.1 an hour lies below 14.0; the convertible 12.0 is another product.
        assert (reserved.amount, reserved.unit, reserved.upfront_share) == (Decimal("13.1"), PriceUnit.HOUR, Decimal(1))

    def test_memory_is_a_total(self, imported: Read) -> None:
        machine = imported("ec2instances", "instances.json").offers["us-east-1/p4d.24xlarge"].machine
        # 320 GiB of 8 GPUs.
        assert (machine.gpu_model, machine.gpu_memory_gib) == ("A100-SXM4-40GB", 40)
        assert (machine.network_gbit_per_s, machine.local_nvme_gb) == (400, 8000)

    def test_an_empty_model_is_unknown(self, imported: Read) -> None:
        seen = imported("ec2instances", "instances.json")
        assert seen.reason("p5.48xlarge") == "GPU_model or GPU_memory is empty: 0 means unknown"


class TestPriceList:
    def test_rows_carry_their_own_day_and_source(self, imported: Read) -> None:
        seen = imported("pricelist", "coreweave.csv", "coreweave")
        price = seen.price("us-east/8x-h100", Term.ON_DEMAND)
        assert (price.amount, price.observed, price.source) == (Decimal("49.24"), date(2026, 9, 20), "price page")
        assert price.tax_included is False
        assert seen.offers["us-east/8x-h100"].machine.rdma is Rdma.INFINIBAND

    def test_unknown_words_are_rejected_with_their_line(self, imported: Read) -> None:
        seen = imported("pricelist", "coreweave.csv", "coreweave")
        assert "'yearly' is not a valid Term" in seen.reason("coreweave.csv:3")
        assert "tax_included: found 'maybe'" in seen.reason("coreweave.csv:4")


class TestTheUsersCatalog:
    def test_an_import_lies_over_what_was_there(self, tmp_path: Path) -> None:
        result = import_file(FILES / "aws.csv", "gpuhunt", observed=DAY, root=tmp_path)
        assert (result.provider, result.generation, result.prices, result.rejected) == ("aws", 1, 2, 2)
        older = import_file(FILES / "aws/vms.csv", "skypilot", root=tmp_path)
        assert (older.generation, older.prices) == (2, 4)
        directory = current_directory(tmp_path)
        assert directory is not None
        keys = {offer.key for offer in layer_offers(directory)}
        assert keys == {
            "aws/us-east-1/p5.48xlarge",
            "aws/ap-northeast-1/p4d.24xlarge",
            "aws/us-east-1/p4de.24xlarge",
            "aws/us-east-1/g6f.large",
        }

    def test_an_undated_price_never_replaces_a_dated_one(self, tmp_path: Path) -> None:
        import_file(FILES / "aws.csv", "gpuhunt", observed=DAY, root=tmp_path)
        again = import_file(FILES / "aws.csv", "gpuhunt", root=tmp_path)
        assert again.older == 2
        directory = current_directory(tmp_path)
        assert directory is not None
        assert {price.observed for offer in layer_offers(directory) for price in offer.prices} == {DAY}

    @pytest.mark.parametrize(
        ("file", "format_name", "words"),
        [
            (
                "aws.csv",
                "skypilot",
                "the columns AcceleratorCount, AcceleratorName, InstanceType, Price, Region as well",
            ),
            ("aws.csv", "excel", "found 'excel', expected ec2instances, gpuhunt, pricelist, skypilot"),
            ("nothing.csv", "gpuhunt", "No such file"),
            ("aws.csv", "ec2instances", "expected JSON"),
            ("coreweave.csv", "pricelist", "whose prices the file holds"),
        ],
    )
    def test_bad_input_changes_nothing(self, tmp_path: Path, file: str, format_name: str, words: str) -> None:
        with pytest.raises(InputError, match=words):
            import_file(FILES / file, format_name, root=tmp_path)
        assert current_directory(tmp_path) is None
