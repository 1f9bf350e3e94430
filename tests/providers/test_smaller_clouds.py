"""Traps of the smaller clouds. Expected figures: the recordings' sources, and arithmetic shown beside them."""

import base64
import hashlib
import hmac
from collections.abc import Callable
from decimal import Decimal

import pytest
import responses

from optimizer.domain.offer import Availability, IntraLink, PriceUnit, Rdma, Term
from optimizer.errors import MissingCredentials, SourceChanged
from tests.providers.conftest import FAKE_KEYS, MakeContext, Replay, fetched, recorded

Play = Callable[..., Replay]


class TestLambda:
    def test_prices_are_cents_for_the_whole_machine(self, replay: Play) -> None:
        seen = replay("lambda")
        # 3192 cents = 31.92 USD for 8 GPUs, 3.99 per GPU as on the price page.
        assert seen.price("global/gpu_8x_h100_sxm5", Term.ON_DEMAND).amount == Decimal("31.92")
        assert seen.price("global/gpu_8x_h100_sxm5", Term.ON_DEMAND).amount / 8 == Decimal("3.99")

    def test_form_factor_and_memory_come_from_the_text(self, replay: Play) -> None:
        machine = replay("lambda").offers["global/gpu_8x_h100_sxm5"].machine
        assert (machine.gpu_model, machine.gpu_count, machine.ram_gib) == ("H100-SXM5-80GB", 8, 1800)
        # 22528 GiB x 1.073741824 = 24,189.2558 GB.
        assert machine.local_nvme_gb == pytest.approx(24189.2558, abs=0.001)

    def test_stock_is_the_list_of_regions(self, replay: Play) -> None:
        offers = replay("lambda").offers
        assert offers["global/gpu_8x_h100_sxm5"].availability is Availability.IN_STOCK
        assert "us-west-3" in offers["global/gpu_8x_h100_sxm5"].machine.note
        assert offers["global/gpu_4x_a6000"].availability is Availability.NONE

    def test_machines_without_gpus_are_no_offers(self, replay: Play) -> None:
        assert set(replay("lambda").offers) == {"global/gpu_8x_h100_sxm5", "global/gpu_4x_a6000"}

    def test_no_key_names_where_it_looked(self, make_context: MakeContext) -> None:
        with pytest.raises(MissingCredentials, match=r"LAMBDA_API_KEY, ~/\.lambda_cloud/lambda_keys"):
            fetched("lambda", make_context(environment={}))


class TestDigitalOcean:
    def test_vram_is_the_total_of_the_droplet(self, replay: Play) -> None:
        machine = replay("digitalocean").offers["nyc2/gpu-h100x8-640gb"].machine
        assert (machine.gpu_count, machine.gpu_memory_gib) == (8, 80)

    def test_the_monthly_cap_is_no_term(self, replay: Play) -> None:
        assert replay("digitalocean").terms("nyc2/gpu-h100x8-640gb") == {Term.ON_DEMAND}

    def test_a_size_that_no_region_has_is_not_sold(self, replay: Play) -> None:
        assert "sold in no region" in replay("digitalocean").reason("gpu-mi300x8-1536gb")

    def test_it_reads_the_second_page(self, replay: Play, web: responses.RequestsMock) -> None:
        replay("digitalocean")
        assert [call.request.url for call in web.calls][1].endswith("page=2&per_page=200")


class TestVultr:
    def test_bare_metal_is_named_by_its_id(self, replay: Play) -> None:
        seen = replay("vultr")
        machine = seen.offers["sea/vbm-112c-2048gb-8-h100-gpu"].machine
        assert (machine.gpu_model, machine.gpu_count, machine.bare_metal) == ("H100-SXM5-80GB", 8, True)
        assert (machine.vcpus, machine.cores, machine.ram_gib) == (224, 112, 2048)
        assert machine.local_nvme_gb == 2 * 960
        assert seen.price("sea/vbm-112c-2048gb-8-h100-gpu", Term.SPOT).amount == Decimal("18.4")

    def test_the_month_costs_what_the_list_says(self, replay: Play) -> None:
        month = replay("vultr").price("sea/vbm-112c-2048gb-8-h100-gpu", Term.MONTH)
        assert (month.amount, month.unit) == (Decimal("16074.24"), PriceUnit.MONTH)

    def test_half_a_card_is_a_fraction(self, replay: Play) -> None:
        machine = replay("vultr").offers["ewr/vcg-a16-3c-32g-8vram"].machine
        # 8 of 16 GiB.
        assert (machine.gpu_count, machine.gpu_fraction, machine.gpu_memory_gib) == (1, 0.5, 8)

    def test_a_card_of_unknown_size_is_kept_for_review(
        self, make_context: MakeContext, web: responses.RequestsMock
    ) -> None:
        plans = recorded("vultr/plans.json")
        plans["plans"][0]["gpu_type"] = "NVIDIA_X999"
        web.get("https://api.vultr.com/v2/plans", json=plans)
        web.get("https://api.vultr.com/v2/plans-metal", json=recorded("vultr/plans_metal.json"))
        _, rejected = fetched("vultr", make_context())
        assert [(row.quarantined, "NVIDIA_X999" in row.reason) for row in rejected] == [(True, True)]


class TestHyperstack:
    def test_the_price_book_is_per_gpu(self, replay: Play) -> None:
        seen = replay("hyperstack")
        # 1.90 USD x 8 GPUs.
        assert seen.price("CANADA-1/n3-H100x8", Term.ON_DEMAND).amount == Decimal("15.20")

    def test_spot_flavors_join_their_machine(self, replay: Play) -> None:
        seen = replay("hyperstack")
        assert seen.terms("CANADA-1/n3-H100x1") == {Term.ON_DEMAND, Term.SPOT}
        assert seen.price("CANADA-1/n3-H100x1", Term.SPOT).amount == Decimal("1.52")

    def test_a_flavor_without_a_price_is_rejected(self, make_context: MakeContext, web: responses.RequestsMock) -> None:
        web.get("https://infrahub-api.nexgencloud.com/v1/pricebook", json=recorded("hyperstack/pricebook.json")[1:])
        web.get("https://infrahub-api.nexgencloud.com/v1/core/flavors", json=recorded("hyperstack/flavors.json"))
        with pytest.raises(SourceChanged, match="price book has no entry 'H100-80G-PCIe'"):
            fetched("hyperstack", make_context())


class TestRunPod:
    def test_prices_are_per_gpu(self, replay: Play) -> None:
        # 3.99 USD x 8.
        assert replay("runpod").price("global/8x_H100-SXM_secure", Term.ON_DEMAND).amount == Decimal("31.92")

    def test_a_price_on_a_cloud_that_does_not_offer_the_gpu_is_none(self, replay: Play) -> None:
        assert not [key for key in replay("runpod").offers if "A5000_community" in key]

    def test_each_cloud_has_its_own_largest_machine(self, replay: Play) -> None:
        keys = set(replay("runpod").offers)
        assert "global/2x_H100-SXM_community" in keys
        assert "global/4x_H100-SXM_community" not in keys

    def test_a_plan_price_above_the_hourly_one_has_an_unknown_unit(self, replay: Play) -> None:
        seen = replay("runpod")
        # 3.60 per GPU-hour lies below 3.99: hourly. 480 cannot be an hour at 0.27.
        assert seen.price("global/8x_H100-SXM_secure", Term.MONTH).amount == Decimal("28.8")
        assert Term.MONTH not in seen.terms("global/1x_RTX-A5000_secure")
        assert "480.0, above the hourly price 0.27: its unit is unknown" in seen.reason("1x_RTX-A5000_secure")

    def test_errors_come_with_status_200(self, make_context: MakeContext, web: responses.RequestsMock) -> None:
        web.post("https://api.runpod.io/graphql", json={"errors": [{"message": "Cannot query field"}], "data": None})
        with pytest.raises(SourceChanged, match="Cannot query field"):
            fetched("runpod", make_context())


class TestVast:
    def test_a_free_machine_is_no_offer_but_the_next_is(self, replay: Play) -> None:
        seen = replay("vast")
        assert seen.price("SE/1x-RTX-4090", Term.ON_DEMAND).amount == Decimal("0.4")
        assert "offer 11, cheapest of 3" in seen.price("SE/1x-RTX-4090", Term.ON_DEMAND).note

    def test_gpu_frac_is_the_share_of_the_host_not_of_a_card(self, replay: Play) -> None:
        machine = replay("vast").offers["SE/1x-RTX-4090"].machine
        assert (machine.gpu_model, machine.gpu_count, machine.gpu_fraction) == ("RTX4090", 1, None)
        assert machine.gpu_memory_gib == 24
        # A quarter of the host's 257,000 MB: 64,250 MB = 59.837 GiB.
        assert machine.ram_gib == pytest.approx(59.837, abs=0.001)

    def test_nvlink_is_told_by_its_bandwidth(self, replay: Play) -> None:
        assert replay("vast").offers["US/8x-H100-SXM"].machine.intra_link is IntraLink.NVLINK

    def test_a_reservation_of_a_day_is_no_month(self, replay: Play) -> None:
        seen = replay("vast")
        assert seen.price("SE/1x-RTX-4090", Term.MONTH).amount == Decimal("0.32")
        assert seen.terms("US/8x-H100-SXM") == {Term.ON_DEMAND}

    def test_a_full_list_is_read_on_from_its_last_price(
        self, make_context: MakeContext, web: responses.RequestsMock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("providers.vast._LIMIT", 4)
        first = recorded("vast/on_demand.json")
        rest = {"offers": [first["offers"][3], {**first["offers"][3], "id": 15, "geolocation": "Norway, NO"}]}
        for answer in (first, rest, {"offers": []}, {"offers": []}):
            web.post("https://console.vast.ai/api/v0/bundles/", json=answer)
        offers, _ = fetched("vast", make_context())
        assert {offer.region for offer in offers} == {"SE", "US", "NO"}
        # 18.4 and the disk's 0.01 of the last offer of the first page.
        assert b'"dph_total": {"gte": 18.41}' in (web.calls[1].request.body or b"")


class TestVerda:
    def test_gpu_memory_is_a_total(self, replay: Play) -> None:
        machine = replay("verda").offers["global/2A6000.20V"].machine
        assert (machine.gpu_count, machine.gpu_memory_gib) == (2, 48)

    def test_terms_are_the_list_price_less_the_discount(self, replay: Play) -> None:
        seen = replay("verda")
        # 3.95 less 10 % = 3.555; less 20 % = 3.16.
        assert seen.price("FIN-01/1H100.80S.30V", Term.RESERVED_1Y).amount == Decimal("3.555")
        assert seen.price("FIN-01/1H100.80S.30V", Term.RESERVED_3Y).amount == Decimal("3.16")

    def test_a_disabled_period_is_not_sold(self, replay: Play) -> None:
        assert Term.RESERVED_5Y not in replay("verda").terms("FIN-01/1H100.80S.30V")

    def test_stock_and_spot_are_by_place(self, replay: Play) -> None:
        seen = replay("verda")
        assert seen.offers["FIN-01/1H100.80S.30V"].availability is Availability.IN_STOCK
        assert Term.SPOT not in seen.terms("FIN-01/1H100.80S.30V")
        assert seen.offers["FIN-02/1H100.80S.30V"].availability is Availability.NONE
        assert Term.SPOT in seen.terms("FIN-02/1H100.80S.30V")


class TestCrusoe:
    def test_hardware_without_a_price(self, replay: Play) -> None:
        seen = replay("crusoe")
        offer = seen.offers["us-east1-a/h100-80gb-sxm-ib.8x"]
        assert offer.prices == ()
        assert (offer.machine.gpu_count, offer.machine.rdma) == (8, Rdma.INFINIBAND)
        # 960 GB x 10^9 / 2^30 = 894.07 GiB.
        assert offer.machine.ram_gib == pytest.approx(894.07, abs=0.01)

    def test_of_doubled_capacity_entries_the_largest_counts(self, replay: Play) -> None:
        offers = replay("crusoe").offers
        assert offers["us-east1-a/h100-80gb-sxm-ib.8x"].availability is Availability.IN_STOCK
        assert offers["eu-iceland1-a/h100-80gb-sxm-ib.8x"].availability is Availability.NONE

    def test_requests_are_signed(self, replay: Play, web: responses.RequestsMock) -> None:
        replay("crusoe")
        request = web.calls[1].request
        stamp = request.headers["X-Crusoe-Timestamp"]
        assert stamp == "2026-11-30T09:00:00+00:00"
        message = f"/v1alpha5/capacities\n\nGET\n{stamp}\n".encode()
        key = base64.urlsafe_b64decode(FAKE_KEYS["CRUSOE_SECRET_KEY"])
        signature = base64.urlsafe_b64encode(hmac.new(key, message, hashlib.sha256).digest()).decode().rstrip("=")
        assert request.headers["Authorization"] == f"Bearer 1.0:planted-crusoe-access:{signature}"


class TestOracle:
    def test_the_price_is_per_gpu_and_holds_everything(self, replay: Play) -> None:
        # 10 USD x 8 GPUs.
        assert replay("oci").price("global/BM.GPU.H100.8", Term.ON_DEMAND).amount == Decimal(80)

    def test_preemptible_costs_half_where_allowed(self, replay: Play) -> None:
        seen = replay("oci")
        # Two A10 at 2 USD, half of 4.
        assert seen.price("global/VM.GPU.A10.2", Term.SPOT).amount == Decimal(2)
        assert Term.SPOT not in seen.terms("global/BM.GPU.H100.8")

    def test_memory_is_a_total_and_the_live_shape_adds_the_network(self, replay: Play) -> None:
        machine = replay("oci").offers["global/BM.GPU.H100.8"].machine
        assert (machine.gpu_memory_gib, machine.bare_metal) == (80, True)
        # Eight RDMA ports at 400 Gbit/s.
        assert (machine.network_gbit_per_s, machine.rdma, machine.cores) == (3200, Rdma.ROCE, 112)

    def test_shapes_without_a_price_or_hidden_are_rejected(self, replay: Play) -> None:
        seen = replay("oci")
        assert "no 'GPU Per Hour' price for part B109485" in seen.reason("BM.GPU.MI300X.8")
        assert "hidden" in seen.reason("BM.GPU2.2")

    def test_it_follows_the_next_link(self, replay: Play, web: responses.RequestsMock) -> None:
        replay("oci")
        assert [call.request.url for call in web.calls][1].endswith("currencyCode=USD&offset=2")


class TestNebius:
    def test_an_estimate_is_for_the_instance(self, replay: Play) -> None:
        seen = replay("nebius")
        key = "eu-north1/gpu-h100-sxm_8gpu-128vcpu-1600gb"
        assert seen.price(key, Term.ON_DEMAND).amount == Decimal("23.60")
        # 1.25 USD per GPU-hour x 8.
        assert seen.price(key, Term.SPOT).amount == Decimal(10)

    def test_clustering_is_infiniband(self, replay: Play) -> None:
        offers = replay("nebius").offers
        assert offers["eu-north1/gpu-h100-sxm_8gpu-128vcpu-1600gb"].machine.rdma is Rdma.INFINIBAND
        assert offers["eu-north1/gpu-h100-sxm_1gpu-16vcpu-200gb"].machine.rdma is Rdma.NONE

    def test_an_unknown_unit_is_no_price(self, replay: Play) -> None:
        spot = recorded("nebius/spot_prices.json")
        spot["items"][0]["price"]["unit_title"] = "GPU*minute"

        def client(context: object) -> Callable[..., object]:
            from tests.providers.replays import CLIENTS

            inner = CLIENTS["nebius"]()["nebius"](context)
            return lambda service, region, action, asked: (
                spot if action == "ListSpotPrices" else inner(service, region, action, asked)
            )

        seen = replay("nebius", clients={"nebius": client})
        assert "found 'GPU*minute', expected GPU*hour" in seen.reasons("8gpu")
        assert all(price.term is Term.ON_DEMAND for offer in seen.offers.values() for price in offer.prices)
