"""Traps of AWS, Azure and Google Cloud. Expected figures: the recordings' sources, and arithmetic shown beside them."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from fractions import Fraction
from math import exp
from typing import Any

import pytest
import responses

from optimizer.catalog.wire import read_price, write_prices
from optimizer.domain.offer import Availability, Mark, PriceUnit, Rdma, Term
from optimizer.errors import MissingCredentials, SourceUnreachable
from tests.providers.conftest import FAKE_KEYS, MakeContext, Replay, fetched, recorded
from tests.providers.replays import aws_answers, aws_clients, play

Play = Callable[..., Replay]
P4D, P5 = "us-east-1/p4d.24xlarge", "us-east-1/p5.48xlarge"


@pytest.fixture
def aws(replay: Play) -> Replay:
    return replay("aws")


class TestAwsHardware:
    def test_network_cards_do_not_add_up(self, aws: Replay) -> None:
        # Four cards with a peak of 400 each; the machine's documented bandwidth is 400.
        assert aws.offers["us-east-1/g6e.48xlarge"].machine.network_gbit_per_s == 400
        assert aws.offers[P5].machine.network_gbit_per_s == 3200
        # "4x 100 Gigabit".
        assert aws.offers[P4D].machine.network_gbit_per_s == 400

    def test_a_share_of_a_gpu_has_count_0(self, make_context: MakeContext) -> None:
        answers = aws_answers()
        products = recorded("aws/products.json")
        products["PriceList"][-1] = products["PriceList"][-1].replace("0.0000000000", "0.2025000000")
        answers["pricing"] = [("get_products", products)]
        offers, _ = fetched("aws", make_context(clients=aws_clients(answers)))
        (machine,) = [offer.machine for offer in offers if offer.instance_type == "g6f.large"]
        assert (machine.gpu_count, machine.gpu_fraction) == (1, 0.125)
        # 2861 MiB = 2.794 GiB of the card's 24 (an eighth is 3, of which the driver keeps some).
        assert machine.gpu_memory_gib == pytest.approx(2.794, abs=0.001)
        # "Up to 10 Gigabit" is a burst; the base of its card is 1.5.
        assert machine.network_gbit_per_s == 1.5
        assert machine.rdma is Rdma.NONE

    def test_the_40_gb_card_is_not_the_80_gb_one(self, aws: Replay) -> None:
        assert aws.offers[P4D].machine.gpu_model == "A100-SXM4-40GB"
        assert aws.offers[P4D].machine.gpu_memory_gib == 40

    def test_a_type_in_no_zone_is_not_sold(self, aws: Replay) -> None:
        assert aws.reason("p3.2xlarge") == "offered in no zone of the region"


class TestAwsPrices:
    def test_the_surcharge_of_an_image_is_not_the_machine(self, aws: Replay) -> None:
        price = aws.price(P5, Term.ON_DEMAND)
        assert (price.amount, price.currency, price.valid_from) == (Decimal("55.04"), "USD", date(2026, 9, 1))

    def test_a_price_of_0_is_no_offer(self, aws: Replay) -> None:
        assert "us-east-1/g6f.large" not in aws.offers
        assert "found 0.0000000000, expected a positive number" in aws.reason("g6f.large")

    def test_reserved_takes_the_lowest_total_and_names_the_others(self, aws: Replay) -> None:
        price = aws.price(P4D, Term.RESERVED_1Y)
        # No upfront 14 x 8,760 = 122,640; partial 58,000 + 6.6 x 8,760 = 115,816; all upfront 115,000.
        assert (price.amount, price.unit, price.upfront_share) == (Decimal(115000), PriceUnit.TERM, Decimal(1))
        assert "Partial Upfront: 58000 upfront, 6.6 an hour" in price.note
        assert "No Upfront: 0 upfront, 14 an hour" in price.note

    def test_reserved_without_upfront_is_hourly(self, aws: Replay) -> None:
        price = aws.price(P4D, Term.RESERVED_3Y)
        assert (price.amount, price.unit, price.upfront_share) == (Decimal(9), PriceUnit.HOUR, Decimal(0))

    def test_savings_plans_take_the_lowest_rate(self, aws: Replay) -> None:
        one, three = aws.price(P4D, Term.SAVINGS_PLAN_1Y), aws.price(P4D, Term.SAVINGS_PLAN_3Y)
        assert (one.amount, one.upfront_share) == (Decimal("13.2"), Decimal(1))
        assert (three.amount, three.upfront_share) == (Decimal("8.8"), Decimal("0.5"))
        assert "found 0.00000, expected a positive number" in aws.reasons("p5.48xlarge")

    def test_spot_is_the_newest_price_of_the_lowest_zone(self, aws: Replay) -> None:
        price = aws.price(P5, Term.SPOT)
        # The 9.00 of zone az1 is a day older than its 14.246.
        assert price.amount == Decimal("14.246")
        assert "median 31.037" in price.note
        assert price.marks == ()

    def test_spot_comes_with_the_upper_end_of_its_band_of_interruptions(self, aws: Replay) -> None:
        # Less than 5 % a month: after 720 h at rate r 95 % are left, exp(-720 r) = 0.95.
        rate = aws.price(P5, Term.SPOT).interruptions_per_hour
        assert rate is not None
        assert exp(-720 * rate) == pytest.approx(0.95)
        # "More than 20 %" has no upper end.
        assert aws.price("us-east-1/g6e.48xlarge", Term.SPOT).interruptions_per_hour is None

    @pytest.mark.parametrize("answer", [{"status": 403}, {"json": {"ranges": "gone"}}, {"body": "<html>"}])
    def test_spot_stands_without_the_advice(self, answer: dict[str, Any], replay: Play, web: Any) -> None:
        clients = play("aws", web)
        web.replace("GET", "https://spot-bid-advisor.s3.amazonaws.com/spot-advisor-data.json", **answer)
        seen = replay("aws", clients=clients)
        assert seen.price(P5, Term.SPOT).interruptions_per_hour is None
        assert seen.reason("interruptions of spot").startswith("not read: ")

    def test_hours_are_billed_by_the_second(self, aws: Replay) -> None:
        """At least 60 seconds: AWS, 2017-10-02. Longer terms are paid whether used or not."""
        price = aws.price(P5, Term.ON_DEMAND)
        assert Fraction(price.billing_unit_hours).limit_denominator(3600) == Fraction(1, 3600)
        assert Fraction(price.minimum_hours).limit_denominator(3600) == Fraction(60, 3600)
        assert read_price(write_prices(aws.offers[P5])[0]).billing_unit_hours == price.billing_unit_hours
        assert aws.price(P4D, Term.RESERVED_3Y).billing_unit_hours == 1

    def test_spot_at_the_on_demand_price_is_marked_as_capped(self, aws: Replay) -> None:
        assert aws.price("us-east-1/g6e.48xlarge", Term.SPOT).marks == (Mark.CAPPED,)

    def test_blocks_of_whole_days_give_a_day_rate(self, aws: Replay) -> None:
        block = aws.price(P4D, Term.CAPACITY_BLOCK)
        # Of 24 h for 283, 19.28 h for 228 and 43.28 h for 511 only the first is whole days.
        assert (block.amount, block.unit, block.block_lengths_days) == (Decimal(283), PriceUnit.DAY, (1,))
        assert block.term_total() == 283

    def test_a_short_block_keeps_its_exact_fee(self, aws: Replay) -> None:
        block = aws.price(P5, Term.CAPACITY_BLOCK)
        assert (block.amount, block.unit, block.block_lengths_days) == (Decimal(755), PriceUnit.TERM, (1,))
        assert "19 h from 2025-08-15 16:30 UTC" in block.note


class TestAwsRegions:
    def test_a_region_that_is_not_opted_in_leaves_the_others(self, make_context: MakeContext) -> None:
        answers = aws_answers()
        del answers["ec2"][0]
        answers["ec2"].insert(0, ("describe_instance_types", {"Error": "AuthFailure"}))
        context = make_context(clients=aws_clients(answers), regions=("af-south-1", "us-east-1"))
        offers, rejected = fetched("aws", context)
        assert {offer.region for offer in offers} == {"us-east-1"}
        assert [row.reason for row in rejected if row.row == "af-south-1"] == ["region left out: AuthFailure"]

    def test_one_price_call_that_fails_leaves_the_other_terms(self, make_context: MakeContext) -> None:
        answers = aws_answers()
        answers["savingsplans"] = [("describe_savings_plans_offering_rates", {"Error": "AccessDeniedException"})]
        offers, rejected = fetched("aws", make_context(clients=aws_clients(answers)))
        terms = {price.term for offer in offers for price in offer.prices}
        assert Term.ON_DEMAND in terms
        assert Term.SAVINGS_PLAN_1Y not in terms
        assert "not read: AccessDeniedException" in [row.reason for row in rejected]

    def test_no_region_at_all_fails_the_provider(self, make_context: MakeContext) -> None:
        clients = aws_clients({"ec2": [("describe_instance_types", {"Error": "RequestLimitExceeded"})]})
        with pytest.raises(SourceUnreachable, match="RequestLimitExceeded"):
            fetched("aws", make_context(clients=clients, regions=("us-east-1",)))

    def test_a_refused_key_is_a_missing_credential(self, make_context: MakeContext) -> None:
        clients = aws_clients({"ec2": [("describe_regions", {"Error": "AuthFailure"})]})
        with pytest.raises(MissingCredentials, match="AuthFailure"):
            fetched("aws", make_context(clients=clients))

    def test_china_is_priced_in_yuan(self, make_context: MakeContext) -> None:
        answers = aws_answers()
        products = recorded("aws/products.json")
        products["PriceList"] = [text.replace('"USD"', '"CNY"') for text in products["PriceList"]]
        answers["pricing"] = [("get_products", products)]
        del answers["ec2"][0]
        offers, _ = fetched("aws", make_context(clients=aws_clients(answers), regions=("cn-northwest-1",)))
        (p5,) = [offer for offer in offers if offer.instance_type == "p5.48xlarge"]
        assert {(price.term, price.currency) for price in p5.prices} >= {(Term.ON_DEMAND, "CNY"), (Term.SPOT, "CNY")}


@pytest.fixture
def azure(replay: Play) -> Replay:
    return replay("azure")


H100 = "eastus/Standard_ND96isr_H100_v5"


class TestAzure:
    def test_one_linux_price_and_one_spot_price_of_seven_meters(self, azure: Replay) -> None:
        assert azure.price(H100, Term.ON_DEMAND).amount == Decimal("98.32")
        assert azure.price(H100, Term.SPOT).amount == Decimal("18.169536")

    def test_a_reservation_is_the_total_of_its_term(self, azure: Replay) -> None:
        price = azure.price(H100, Term.RESERVED_1Y)
        assert (price.amount, price.unit) == (Decimal(551000), PriceUnit.TERM)
        # 551,000 / 8,760 h = 62.90 an hour, below the 98.32 on demand.
        assert price.term_total() / 8760 < azure.price(H100, Term.ON_DEMAND).amount
        assert azure.price(H100, Term.RESERVED_5Y).term_total() == Decimal(1700000)

    def test_savings_plans_stand_inside_the_on_demand_row(self, azure: Replay) -> None:
        price = azure.price(H100, Term.SAVINGS_PLAN_3Y)
        assert (price.amount, price.unit) == (Decimal("43.16"), PriceUnit.HOUR)

    def test_the_size_page_decides_the_gpu_count(self, azure: Replay) -> None:
        machine = azure.offers[H100].machine
        assert (machine.gpu_model, machine.gpu_count) == ("H100-SXM5-80GB", 8)
        assert machine.facts["gpu_count"] == "derived: size page; the API says 12"
        assert (machine.rdma, machine.ram_gib) == (Rdma.INFINIBAND, 1900)

    def test_a_sixth_of_an_a10_is_4_gib(self, azure: Replay) -> None:
        machine = azure.offers["eastus/Standard_NV6ads_A10_v5"].machine
        # 6 of 36 vCPUs: one sixth of 24 GiB.
        assert (machine.gpu_count, machine.gpu_fraction) == (1, pytest.approx(1 / 6))
        assert machine.gpu_memory_gib == pytest.approx(4)

    def test_local_nvme_is_given_in_mebibytes(self, azure: Replay) -> None:
        machine = azure.offers["southcentralus/Standard_NC24ads_A100_v4"].machine
        # 915,527 MiB x 1,048,576 / 10^9 = 960.0 GB.
        assert machine.local_nvme_gb == pytest.approx(960.0, abs=0.01)

    def test_a_restricted_size_is_out_of_stock(self, azure: Replay) -> None:
        assert azure.offers["eastus/Standard_NC24ads_A100_v4"].availability is Availability.NONE
        assert azure.offers["southcentralus/Standard_NC24ads_A100_v4"].availability is Availability.UNKNOWN

    def test_unknown_shares_and_zero_prices_are_no_offers(self, azure: Replay) -> None:
        assert "not in our table" in azure.reason("NC8lds_xl_RTXPRO6000BSE_v6")
        assert "found 0.0, expected a positive number" in azure.reason("NC40ads_H100_v5")

    def test_two_prices_for_one_meter_are_a_conflict(
        self, make_context: MakeContext, web: responses.RequestsMock
    ) -> None:
        answer = recorded("azure/consumption_2.json")
        answer["Items"].append({**answer["Items"][1], "retailPrice": 4.0})
        web.get("https://prices.azure.com/api/retail/prices", json=answer)
        web.get("https://prices.azure.com/api/retail/prices", json=recorded("azure/reservation.json"))
        _, rejected = fetched("azure", make_context(environment={}))
        assert "on_demand: two prices for one size: 3.673 and 4.0" in [row.reason for row in rejected]

    def test_a_spot_price_of_a_size_without_spot_is_rejected(
        self, make_context: MakeContext, web: responses.RequestsMock
    ) -> None:
        prices = recorded("azure/consumption_2.json")
        prices["Items"].append({**prices["Items"][1], "meterName": "NC24adsA100v4 Spot", "retailPrice": 1.1})
        web.post(
            "https://login.microsoftonline.com/planted-azure-tenant/oauth2/v2.0/token",
            json=recorded("azure/token.json"),
        )
        skus = "https://management.azure.com/subscriptions/planted-azure-subscription/providers/Microsoft.Compute/skus"
        web.get(skus, json=recorded("azure/skus.json"))
        web.get("https://prices.azure.com/api/retail/prices", json=prices)
        web.get("https://prices.azure.com/api/retail/prices", json=recorded("azure/reservation.json"))
        _, rejected = fetched("azure", make_context())
        assert [row.row for row in rejected if "not LowPriorityCapable" in row.reason] == [
            "Standard_NC24ads_A100_v4 eastus"
        ]


@pytest.fixture
def gcp(replay: Play) -> Replay:
    return replay("gcp")


MEGA = "us-central1/a3-megagpu-8g"


class TestGoogle:
    def test_a_machine_is_the_sum_of_its_parts(self, gcp: Replay) -> None:
        # 208 x 0.026924 + 1872 GiB x 0.002344 + 8 x 10.344276 = 5.600192 + 4.387968 + 82.754208 = 92.742368,
        # and 16 x 375 GiB of SSD at 0.08 a month: 480 / 730 = 0.657534.
        amount = gcp.price(MEGA, Term.ON_DEMAND).amount
        assert amount == pytest.approx(Decimal("93.399902"), abs=Decimal("0.000001"))

    def test_n1_with_cards_is_the_sum_of_its_parts(self, gcp: Replay) -> None:
        # 8 x 0.031611 + 30 x 0.004237 + 2 x 0.35 = 0.252888 + 0.127110 + 0.700000.
        offer = "us-central1/n1-standard-8+2x-nvidia-tesla-t4"
        assert gcp.price(offer, Term.ON_DEMAND).amount == Decimal("1.079998")
        # 8 x 0.006655 + 30 x 0.000892 + 2 x 0.11.
        assert gcp.price(offer, Term.SPOT).amount == Decimal("0.3")
        assert gcp.terms(offer) == {Term.ON_DEMAND, Term.SPOT}
        machine = gcp.offers[offer].machine
        assert (machine.gpu_model, machine.gpu_count, machine.vcpus, machine.ram_gib) == ("T4", 2, 8, 30)

    def test_n1_has_the_cards_that_its_vcpus_and_memory_allow(self, gcp: Replay) -> None:
        """One V100 goes with at most 12 vCPUs and 78 GB, two with 24 and 156, eight with 96; one T4 with up to 48."""
        shapes = {key.partition("/")[2] for key in gcp.offers if "/n1-" in key}
        assert shapes == {
            *("n1-standard-4+1x-nvidia-tesla-t4", "n1-standard-8+1x-nvidia-tesla-t4"),
            *("n1-standard-8+2x-nvidia-tesla-t4", "n1-standard-96+4x-nvidia-tesla-t4"),
            *("n1-highmem-16+1x-nvidia-tesla-t4", "n1-highmem-16+2x-nvidia-tesla-t4"),
            "n1-highmem-16+4x-nvidia-tesla-t4",
            *("n1-standard-4+1x-nvidia-tesla-v100", "n1-standard-8+1x-nvidia-tesla-v100"),
            *("n1-standard-8+2x-nvidia-tesla-v100", "n1-highmem-16+2x-nvidia-tesla-v100"),
            *("n1-highmem-16+4x-nvidia-tesla-v100", "n1-standard-96+8x-nvidia-tesla-v100"),
        }

    def test_without_the_list_of_cards_n1_is_left_out_and_says_so(self, replay: Play, web: Any) -> None:
        play("gcp", web)
        url = "https://compute.googleapis.com/compute/v1/projects/planted-gcp-project/aggregated/acceleratorTypes"
        web.replace("GET", url, json={"items": []})
        seen = replay("gcp", clients={"none": lambda: None})
        assert seen.reason("N1 with attached GPUs").startswith("not read: ")
        assert MEGA in seen.offers
        assert not [key for key in seen.offers if "/n1-" in key]

    def test_calendar_and_dws_prices_never_win_over_the_ordinary_one(self, gcp: Replay) -> None:
        assert "8 nvidia-h100-mega-80gb at 10.344276" in gcp.price(MEGA, Term.ON_DEMAND).note
        assert Term.CAPACITY_BLOCK not in gcp.terms(MEGA)
        assert "no calendar mode price for a3plus core" in gcp.reasons("a3-megagpu-8g")

    def test_spot_slices_tagged_on_demand_are_spot(self, gcp: Replay) -> None:
        # 8 x 4.9542; the on-demand SKU of 16.11 is not sold by the hour.
        assert gcp.price("us-central1/a4-highgpu-8g", Term.SPOT).amount == Decimal("39.6336")
        assert Term.ON_DEMAND not in gcp.terms("us-central1/a4-highgpu-8g")
        assert gcp.price("us-central1/a4-highgpu-8g", Term.CAPACITY_BLOCK).amount == Decimal(64)

    def test_commitments_are_sums_of_commitments(self, gcp: Replay) -> None:
        # 208 x 0.018 + 1872 x 0.0016 + 8 x 7.1 + 6000 x 0.05 / 730 = 3.744 + 2.9952 + 56.8 + 0.410959.
        assert gcp.price(MEGA, Term.RESERVED_1Y).amount == pytest.approx(Decimal("63.950159"), abs=Decimal("0.000001"))
        # 208 x 0.012 + 1872 x 0.001 + 8 x 4.5 + 6000 x 0.035 / 730 = 2.496 + 1.872 + 36 + 0.287671.
        assert gcp.price(MEGA, Term.RESERVED_3Y).amount == pytest.approx(Decimal("40.655671"), abs=Decimal("0.000001"))

    def test_shapes_that_are_not_sold_by_the_hour(self, gcp: Replay) -> None:
        assert gcp.price("us-central1/a3-highgpu-8g", Term.ON_DEMAND).amount > 88
        assert "us-central1/a3-highgpu-1g" not in gcp.offers
        assert "not sold by the hour" in gcp.reasons("a3-highgpu-1g")

    def test_a_missing_gpu_price_drops_the_machine(self, gcp: Replay) -> None:
        # The L4 stands at 0 (a preview): cores and memory alone would cost 0.146 an hour.
        assert "us-central1/g2-standard-4" not in gcp.offers
        assert "expected a positive one (preview?)" in gcp.reasons("TEST-")

    def test_hardware(self, gcp: Replay) -> None:
        machine = gcp.offers[MEGA].machine
        assert (machine.gpu_model, machine.gpu_count, machine.vcpus, machine.ram_gib) == (
            "H100-SXM5-80GB",
            8,
            208,
            1872,
        )
        # 16 x 375 GiB x 1.073741824.
        assert machine.local_nvme_gb == pytest.approx(6442.45, abs=0.01)

    def test_two_prices_for_a_part_are_used_by_nobody(
        self, make_context: MakeContext, web: responses.RequestsMock
    ) -> None:
        skus: dict[str, Any] = recorded("gcp/skus_1.json")
        skus["nextPageToken"] = ""
        double = {**skus["skus"][2], "description": "Nvidia H100 80GB GPU running in Iowa"}
        rate = {"currencyCode": "USD", "units": "9", "nanos": 796550569}
        expression = {**double["pricingInfo"][0]["pricingExpression"], "tieredRates": [{"unitPrice": rate}]}
        double["pricingInfo"] = [{"pricingExpression": expression}]
        skus["skus"].append(double)
        base = "https://compute.googleapis.com/compute/v1/projects/planted-gcp-project"
        web.get(f"{base}/aggregated/machineTypes", json=recorded("gcp/machine_types.json"))
        web.get("https://cloudbilling.googleapis.com/v1/services/6F81-5844-456A/skus", json=skus)
        _, rejected = fetched("gcp", make_context())
        assert "on_demand: two on demand prices for nvidia-h100-80gb" in [row.reason for row in rejected]

    def test_a_zone_is_one_zone_however_it_is_written(
        self, make_context: MakeContext, web: responses.RequestsMock
    ) -> None:
        """cloudpilot-ai/karpenter-provider-gcp#178: "zones/x" and "projects/p/zones/x" are the same place."""
        machines = recorded("gcp/machine_types.json")
        zones = machines["items"]
        machines["items"] = {f"projects/p/{zone}" if "-b" in zone else zone: rows for zone, rows in zones.items()}
        base = "https://compute.googleapis.com/compute/v1/projects/planted-gcp-project"
        web.get(f"{base}/aggregated/machineTypes", json=machines)
        for page in ("skus_1", "skus_2"):
            web.get(
                "https://cloudbilling.googleapis.com/v1/services/6F81-5844-456A/skus", json=recorded(f"gcp/{page}.json")
            )
        offers, _ = fetched("gcp", make_context())
        assert {offer.region for offer in offers} == {"us-central1"}

    def test_keys_travel_in_headers(self, gcp: Replay, web: responses.RequestsMock) -> None:
        assert all("planted-google-key" not in (call.request.url or "") for call in web.calls)
        (billing, *_) = [call.request for call in web.calls if "cloudbilling" in (call.request.url or "")]
        assert billing.headers["X-Goog-Api-Key"] == FAKE_KEYS["GOOGLE_API_KEY"]


class TestAzureSkus:
    def test_a_sku_without_figures_leaves_them_unknown(
        self, make_context: MakeContext, web: responses.RequestsMock
    ) -> None:
        """dstackai/gpuhunt#155: capabilities such as vCPUs and MemoryGB may be missing."""
        skus = recorded("azure/skus.json")
        skus["value"][0]["capabilities"] = [{"name": "GPUs", "value": "eight"}]
        web.post(
            "https://login.microsoftonline.com/planted-azure-tenant/oauth2/v2.0/token",
            json=recorded("azure/token.json"),
        )
        url = "https://management.azure.com/subscriptions/planted-azure-subscription/providers/Microsoft.Compute/skus"
        web.get(url, json=skus)
        for page in ("consumption_1", "consumption_2", "reservation"):
            web.get("https://prices.azure.com/api/retail/prices", json=recorded(f"azure/{page}.json"))
        offers, _ = fetched("azure", make_context())
        (machine,) = [offer.machine for offer in offers if offer.instance_type == "Standard_ND96isr_H100_v5"]
        assert (machine.gpu_count, machine.vcpus, machine.ram_gib, machine.rdma) == (8, 96, None, None)

    def test_sizes_whose_gpus_the_api_does_not_count(self, make_context: MakeContext) -> None:
        """skypilot-org/skypilot#10650: GB200 has no GPUs capability; the size page says 4."""
        from providers import _azure_sizes

        machine = _azure_sizes.build(make_context(), "Standard_ND128isr_NDR_GB200_v6", None, "source")
        assert (machine.gpu_model, machine.gpu_count) == ("GB200-186GB", 4)


class TestAwsWithoutAccount:
    KEY = "us-east-1/p4d.24xlarge"

    @pytest.fixture
    def public(self, make_context: MakeContext, web: responses.RequestsMock) -> Replay:
        play("aws", web)
        return Replay(*fetched("aws", make_context(environment={}, regions=("us-east-1", "mars-1"))))

    def test_one_of_four_rows_is_the_machine(self, public: Replay) -> None:
        price = public.price(self.KEY, Term.ON_DEMAND)
        assert (price.amount, price.valid_from) == (Decimal("21.957642"), date(2026, 9, 1))

    def test_reserved_takes_the_lowest_standard_total(self, public: Replay) -> None:
        one, three = public.price(self.KEY, Term.RESERVED_1Y), public.price(self.KEY, Term.RESERVED_3Y)
        # All upfront 115,000 against 14 x 8,760 = 122,640; the convertible 90,000 is another product.
        assert (one.amount, one.unit) == (Decimal(115000), PriceUnit.TERM)
        assert (three.amount, three.unit) == (Decimal(9), PriceUnit.HOUR)

    def test_the_family_names_the_gpu(self, public: Replay) -> None:
        machine = public.offers[self.KEY].machine
        assert (machine.gpu_model, machine.gpu_count, machine.ram_gib) == ("A100-SXM4-40GB", 8, 1152)
        assert machine.facts["gpu_model"] == "derived: instance family"
        assert machine.network_gbit_per_s == 400

    def test_what_it_cannot_name_is_rejected(self, public: Replay) -> None:
        assert "family p9 is not in our table" in public.reason("p9.48xlarge")
        assert "family g6f is not in our table" in public.reason("g6f.large")
        assert "not in the public price list" in public.reason("mars-1")
