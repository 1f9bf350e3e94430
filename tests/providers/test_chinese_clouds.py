"""Traps of the Chinese clouds. Expected figures: the recordings' sources, and arithmetic shown beside them."""

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from math import exp
from typing import Any

import pytest

from optimizer.domain.offer import Availability, PriceUnit, Rdma, Term
from optimizer.errors import MissingCredentials, RateLimited, SourceUnreachable
from tests.providers.conftest import MakeContext, Replay, fetched
from tests.providers.replays import CLIENTS, refused

Play = Callable[..., Replay]
Answer = Callable[[str, str, str, Mapping[str, Any]], Any]


def changed(name: str, change: Callable[[str, Any], Any]) -> dict[str, Any]:
    """A provider's recording with its answers changed: (action, answer) to answer."""

    def client(context: object) -> Answer:
        inner: Answer = CLIENTS[name]()[name](context)
        return lambda service, region, action, asked: change(action, inner(service, region, action, asked))

    return {name: client}


def failing(name: str, code: str) -> dict[str, Any]:
    """A client that always says no."""

    def call(service: str, region: str, action: str, asked: Mapping[str, Any]) -> Any:
        raise refused(name, action, code)

    return {name: lambda context: call}


class TestErrors:
    @pytest.mark.parametrize("name", ["alibaba", "huawei", "tencent", "volcengine"])
    @pytest.mark.parametrize(
        ("code", "error"),
        [
            ("AuthFailure.SecretIdNotFound", MissingCredentials),
            ("InvalidAccessKeyId.NotFound", MissingCredentials),
            ("RequestLimitExceeded", RateLimited),
            ("Throttling.User", RateLimited),
            ("InternalError", SourceUnreachable),
        ],
    )
    def test_codes_become_our_errors(
        self, name: str, code: str, error: type[Exception], make_context: MakeContext
    ) -> None:
        with pytest.raises(error):
            fetched(name, make_context(clients=failing(name, code)))


@pytest.fixture
def alibaba(replay: Play) -> Replay:
    return replay("alibaba")


A100 = "cn-beijing/ecs.gn7e-c16g1.4xlarge"


class TestAlibaba:
    def test_the_disk_inside_the_price_is_taken_out(self, alibaba: Replay) -> None:
        price = alibaba.price(A100, Term.ON_DEMAND)
        assert (price.amount, price.currency, price.unit) == (Decimal("34.742"), "CNY", PriceUnit.HOUR)

    def test_longer_periods_are_totals_paid_at_once(self, alibaba: Replay) -> None:
        year = alibaba.price(A100, Term.YEAR)
        # 34.742 x 5,760 h = 200,113.92 list; 85 % of it = 170,096.832.
        assert (year.term_total(), year.upfront_share) == (Decimal("170096.832"), Decimal(1))
        assert year.note == "list price 200113.92"
        # 34.742 x 480 h.
        assert alibaba.price(A100, Term.MONTH).term_total() == Decimal("16676.16")
        # 34.742 x 1,440 h for three months together, not for one.
        assert alibaba.price(A100, Term.RESERVED_3M).term_total() == Decimal("50028.48")

    def test_spot_is_the_newest_of_the_lowest_zone_and_the_cap_shows_in_the_note(self, alibaba: Replay) -> None:
        spot = alibaba.price(A100, Term.SPOT)
        # 9.5 in zone l was an hour earlier; zone h stands at the cap.
        assert (spot.amount, spot.marks) == (Decimal("10.4"), ())
        assert "highest 34.742" in spot.note

    def test_interruptions_are_those_of_the_zone(self, alibaba: Replay, replay: Play) -> None:
        # 3.61 % of the machines within 30 days in zone l, whose price counts; zone h has 1 %.
        rate = alibaba.price(A100, Term.SPOT).interruptions_per_hour
        assert rate is not None
        assert exp(-720 * rate) == pytest.approx(1 - 0.0361)

    def test_spot_stands_without_the_advice(self, replay: Play) -> None:
        def refuse(action: str, answer: Any) -> Any:
            if action == "DescribeSpotAdvice":
                raise refused("alibaba", action, "Forbidden.RAM")
            return answer

        seen = replay("alibaba", clients=changed("alibaba", refuse))
        assert seen.price(A100, Term.SPOT).interruptions_per_hour is None
        assert "interruptions of spot: not told" in seen.reasons("gn7e-c16g1.4xlarge")

    def test_masked_names_are_never_given_a_model(self, alibaba: Replay) -> None:
        (row,) = [row for row in alibaba.rejected if "ebmgn8v" in row.row]
        assert row.quarantined
        assert "GPU 'GPU H' with 96 GiB is no model that we can name" in row.reason

    def test_a_type_that_no_zone_knows_is_not_sold(self, alibaba: Replay) -> None:
        assert not [row for row in alibaba.rejected if "16xlarge" in row.row]
        assert not [key for key in alibaba.offers if "16xlarge" in key]

    def test_stock_is_of_any_zone(self, alibaba: Replay) -> None:
        assert alibaba.offers[A100].availability is Availability.IN_STOCK

    def test_a_type_without_any_price_says_why(self, alibaba: Replay) -> None:
        assert "on_demand: not sold (InvalidInstanceType.ValueNotSupported)" in alibaba.reasons("gn6i")

    @pytest.mark.parametrize(
        ("spec", "memory_gib", "name", "model", "fraction"),
        [
            ("NVIDIA A10*1/6", 4.0, "ecs.gn7e-c16g1.4xlarge", "A10", 1 / 6),  # written: a sixth of 24 GiB
            ("NVIDIA T4", 4.0, "ecs.vgn6i-m4-vws.xlarge", "T4", 0.25),  # a vGPU family: 4 of the card's 16 GiB
        ],
    )
    def test_vgpus_are_shares(
        self, replay: Play, spec: str, memory_gib: float, name: str, model: str, fraction: float
    ) -> None:
        def as_vgpu(action: str, answer: Any) -> Any:
            for row in answer.get("InstanceTypes", {}).get("InstanceType", []):
                if row["InstanceTypeId"] == "ecs.gn7e-c16g1.4xlarge":
                    row.update(GPUSpec=spec, GPUMemorySize=memory_gib, InstanceTypeId=name)
            return answer if action != "DescribeAvailableResource" else _renamed(answer, name)

        def client(context: object) -> Answer:
            inner = changed("alibaba", as_vgpu)["alibaba"](context)
            return lambda service, region, action, asked: inner(
                service, region, action, {**asked, "InstanceType": "ecs.gn7e-c16g1.4xlarge"}
            )

        machine = replay("alibaba", clients={"alibaba": client}).offers[f"cn-beijing/{name}"].machine
        assert (machine.gpu_model, machine.gpu_count, machine.gpu_memory_gib) == (model, 1, memory_gib)
        assert machine.gpu_fraction == pytest.approx(fraction)


def _renamed(stock: Any, name: str) -> Any:
    return json.loads(json.dumps(stock).replace("ecs.gn7e-c16g1.4xlarge", name))


class TestTencent:
    KEY = "ap-guangzhou/GN10Xp.2XLARGE40"

    def test_terms_and_totals(self, replay: Play) -> None:
        seen = replay("tencent")
        assert seen.price(self.KEY, Term.ON_DEMAND).amount == Decimal("11.98")
        assert seen.price(self.KEY, Term.MONTH).term_total() == Decimal(5750)
        assert seen.price(self.KEY, Term.YEAR).term_total() == Decimal(57270)
        assert seen.price(self.KEY, Term.RESERVED_5Y).term_total() == Decimal(143175)

    def test_a_term_that_the_list_leaves_empty_is_inquired(self, replay: Play) -> None:
        price = replay("tencent").price(self.KEY, Term.RESERVED_3Y)
        assert (price.term_total(), price.source) == (Decimal(103500), "cvm:InquiryPriceRunInstances")
        assert "holds the default system disk" in price.note

    def test_step_prices_are_told_and_not_planned_on(self, replay: Play) -> None:
        price = replay("tencent").price(self.KEY, Term.ON_DEMAND)
        # The third step of the recording is 0: not given.
        assert (price.amount, price.note) == (Decimal("11.98"), "9.5 an hour after 96 h")

    def test_quarter_gpus_are_told_by_gpucount_not_gpu(self, replay: Play) -> None:
        machine = replay("tencent").offers["ap-guangzhou/GN7.LARGE20"].machine
        assert (machine.gpu_model, machine.gpu_count, machine.gpu_fraction, machine.gpu_memory_gib) == (
            "T4",
            1,
            0.25,
            4,
        )

    def test_memory_is_per_card(self, replay: Play) -> None:
        machine = replay("tencent").offers["ap-guangzhou/GN10Xp.20XLARGE320"].machine
        assert (machine.gpu_count, machine.gpu_memory_gib, machine.gpu_model) == (8, 32, "V100-32GB")

    def test_sold_out_keeps_its_price(self, replay: Play) -> None:
        offer = replay("tencent").offers["ap-guangzhou/GN10Xp.20XLARGE320"]
        assert offer.availability is Availability.NONE
        assert offer.price(Term.ON_DEMAND) is not None

    def test_spot_of_the_cheapest_zone(self, replay: Play) -> None:
        assert replay("tencent").price(self.KEY, Term.SPOT).amount == Decimal("2.3")
        assert replay("tencent").price(self.KEY, Term.SPOT).marks == ()

    def test_an_hourly_price_in_another_unit_is_refused(self, replay: Play) -> None:
        def by_gigabyte(action: str, answer: Any) -> Any:
            for row in answer.get("InstanceTypeQuotaSet", []):
                if row["Price"].get("ChargeUnit"):
                    row["Price"]["ChargeUnit"] = "GB"
            return answer

        seen = replay("tencent", clients=changed("tencent", by_gigabyte))
        assert Term.ON_DEMAND not in seen.terms(self.KEY)
        assert "ChargeUnit: found 'GB', expected 'HOUR'" in seen.reasons("GN10Xp.2XLARGE40")


class TestHuawei:
    KEY = "cn-north-4/p2s.2xlarge.8"

    def test_amounts_are_after_the_best_discount_and_totals(self, replay: Play) -> None:
        seen = replay("huawei")
        assert seen.price(self.KEY, Term.ON_DEMAND).amount == Decimal("28.5")
        # List 136,800 a year; the discount marked as best gives 116,280, another 127,908.
        assert seen.price(self.KEY, Term.YEAR).term_total() == Decimal(116280)
        assert seen.price(self.KEY, Term.RESERVED_2Y).term_total() == Decimal(273600)

    def test_an_empty_currency_is_yuan_and_another_measure_none(self, replay: Play) -> None:
        assert replay("huawei").price(self.KEY, Term.ON_DEMAND).currency == "CNY"

        def in_cents(action: str, answer: Any) -> Any:
            return {**answer, "measure_id": 3} if action == "ListOnDemandResourceRatings" else answer

        seen = replay("huawei", clients=changed("huawei", in_cents))
        assert Term.ON_DEMAND not in seen.terms(self.KEY)
        assert "found 'measure 3', expected CNY" in seen.reasons("p2s.2xlarge.8")

    def test_a_zone_goes_before_the_status(self, replay: Play) -> None:
        seen = replay("huawei")
        assert seen.offers[self.KEY].availability is Availability.IN_STOCK
        assert seen.offers["cn-north-4/p2s.16xlarge.8"].availability is Availability.NONE
        assert "given up" in seen.reason("p1.2xlarge.8")

    @pytest.mark.parametrize(
        ("states", "expected"),
        [
            (("sellout", "available"), Availability.IN_STOCK),
            (("sellout", "sellout"), Availability.NONE),
        ],
    )
    def test_a_policy_of_sale_goes_before_the_flavor(
        self, states: tuple[str, str], expected: Availability, replay: Play
    ) -> None:
        def policies(action: str, answer: Any) -> Any:
            if action != "ListFlavorSellPolicies":
                return answer
            shape = answer["sell_policies"][0]
            rows = [{**shape, "id": number, "sell_status": state} for number, state in enumerate(states)]
            return {**answer, "sell_policies": rows}

        assert replay("huawei", clients=changed("huawei", policies)).offers[self.KEY].availability is expected

    @pytest.mark.parametrize("code", ["Ecs.0010", "APIGW.0302", "Forbidden"])
    def test_stock_of_the_flavor_where_policies_may_not_be_asked(self, code: str, replay: Play) -> None:
        def refuse(action: str, answer: Any) -> Any:
            if action == "ListFlavorSellPolicies":
                raise refused("huawei", action, code)
            return answer

        seen = replay("huawei", clients=changed("huawei", refuse))
        assert seen.offers[self.KEY].availability is Availability.IN_STOCK

    def test_virtual_gpus_have_no_known_size(self, replay: Play) -> None:
        assert "share of a virtualized GPU" in replay("huawei").reason("g5.8xlarge.4")

    def test_a_flavor_that_the_rating_refuses_does_not_take_the_batch_with_it(self, replay: Play) -> None:
        assert set(replay("huawei").offers) == {self.KEY, "cn-north-4/p2s.16xlarge.8"}

    def test_hardware(self, replay: Play) -> None:
        machine = replay("huawei").offers["cn-north-4/p2s.16xlarge.8"].machine
        assert (machine.gpu_count, machine.gpu_memory_gib, machine.ram_gib) == (8, 32, 512)
        assert machine.network_gbit_per_s == 30


class TestVolcengine:
    KEY = "cn-beijing/ml.hpcpni2l.28xlarge"

    def test_hour_day_and_month_are_prices_of_the_machine(self, replay: Play) -> None:
        seen = replay("volcengine")
        assert seen.price(self.KEY, Term.ON_DEMAND).amount == Decimal("128.5")
        assert (seen.price(self.KEY, Term.DAY).unit, seen.price(self.KEY, Term.DAY).term_total()) == (
            PriceUnit.DAY,
            Decimal("2467.2"),
        )
        assert seen.price(self.KEY, Term.MONTH).term_total() == Decimal(57600)

    def test_a_reservation_plan_of_unknown_length_is_no_term(self, replay: Play) -> None:
        seen = replay("volcengine")
        assert seen.terms(self.KEY) == {Term.ON_DEMAND, Term.DAY, Term.MONTH}
        assert "reservation plan 96.4 an hour" in seen.price(self.KEY, Term.ON_DEMAND).note

    def test_rdma_is_counted_but_its_kind_is_not_told(self, replay: Play) -> None:
        machine = replay("volcengine").offers[self.KEY].machine
        # Four interfaces of 200,000 Mbit/s.
        assert (machine.rdma, machine.network_gbit_per_s) == (Rdma.UNSPECIFIED, 800)
        assert (machine.gpu_memory_gib, machine.ram_gib) == (80, 1960)

    def test_a_type_without_prices_is_no_offer(self, replay: Play) -> None:
        assert replay("volcengine").reason("ml.pni2.3xlarge") == "no price on any term"
