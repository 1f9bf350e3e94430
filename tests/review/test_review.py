"""What a review compares: prices, budget, plan, contract, the month before and the last run."""

import json
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from optimizer.domain.money import Rate, Rates
from optimizer.domain.offer import Mark, PriceKind, Term
from optimizer.errors import InputError
from optimizer.review.agreed import read_contract
from optimizer.review.forecast import Budget, forecast
from optimizer.review.groups import gpu_rows
from optimizer.review.machines import BilledMachine, MachineFinder
from optimizer.review.offers import PriceBook
from optimizer.review.read import read_bill
from optimizer.review.rented import rule_findings
from optimizer.review.state import identity, load_records, with_record
from optimizer.review.tags import parse_tags
from optimizer.review.units import hour_unit
from tests.review.bills import (
    HOUR,
    OFFERS,
    P4D,
    STORAGE,
    bill_of,
    found,
    hours_of,
    machine,
    offer,
    priced,
    review_of,
    row,
)

Writer = Callable[..., Path]


def test_hours_paid_above_list_quote(focus: Writer) -> None:
    """10 hours at 32.7726: 2.7726 above the list of 30, 4.7726 above the quote of 28."""
    quote = priced(Term.ON_DEMAND, "28", kind=PriceKind.QUOTE, source="quote 7")
    old = priced(Term.ON_DEMAND, "30", marks=(Mark.SUPERSEDED,))
    offers = (offer(P4D, "us-east-1", quote, old),)
    review = review_of(bill_of(focus(hours_of("i-1", 2, 0, 10)), offers=offers), offers)
    assert [item.saving for item in found(review, "above-list")] == [Decimal("27.726")]
    assert [item.saving for item in found(review, "above-quote")] == [Decimal("47.726")]


def test_prices_in_another_currency_are_converted_at_the_dated_rate(focus: Writer) -> None:
    """7.0 CNY to the dollar: 210 CNY are 30 dollars; 10 hours at 2.7726 more."""
    rates = Rates({"CNY": Rate("CNY", Decimal("7.0"), date(2026, 11, 1), "bank")})
    offers = (offer(P4D, "us-east-1", priced(Term.ON_DEMAND, "210", currency="CNY")),)
    bill = bill_of(focus(hours_of("i-1", 2, 0, 10)), offers=offers)
    (finding,) = found(review_of(bill, offers, rates=rates), "above-list")
    assert finding.saving == Decimal("27.726")
    assert "1 CNY = 0.142857 USD" in finding.details[0].en
    assert found(review_of(bill, offers), "above-list") == []


def test_gpu_hours_by_team_workload_and_account(focus: Writer) -> None:
    rows = [
        *hours_of("i-1", 2, 0, 3, Tags='{"team": "search", "workload": "rank"}'),
        *hours_of("i-2", 2, 0, 2, Tags='{"Team": "ads"}', SubAccountId="3333"),
        *hours_of("i-3", 2, 0, 1),
        STORAGE,
    ]
    review = review_of(bill_of(focus(rows)))
    hours = {name: {item.name: item.gpu_hours for item in items} for name, items in review.dimensions.items()}
    assert hours["team"] == {"search": 24, "ads": 16, None: 8}
    assert hours["workload"] == {"rank": 24, None: 24}
    assert hours["account"] == {"2222": 32, "3333": 16}
    assert hours["provider"] == {"aws": 48}
    assert hours["tag"] == {"team=search": 24, "workload=rank": 24, "team=ads": 16}
    (gpu,) = review.gpu
    assert (gpu.machine_hours, gpu.gpu_hours, gpu.billed) == (6, 48, 6 * Decimal("32.7726"))
    assert review.bill.other == {"USD": 10}
    assert gpu.billed + review.bill.other["USD"] == review.bill.totals[0].billed


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ('{"team": "a", "user:cost-center": "7", "x": null}', {"team": "a", "costcenter": "7"}),
        ('[{"key": "team", "value": "a"}, {"Key": "job", "Value": "b"}]', {"team": "a", "job": "b"}),
        ('{"user_team": "a", "aws_created_by": "b"}', {"team": "a", "awscreatedby": "b"}),  # CUR 2.0
        ('{"user_team": "a", "job": "b"}', {"userteam": "a", "job": "b"}),
        ("team:a;job:b", {"team": "a", "job": "b"}),
        ("key:team value:a; key:job value:b", {"team": "a", "job": "b"}),
        ("team=a;job=b;", {"team": "a", "job": "b"}),
        ("{broken", {}),
        ("", {}),
    ],
)
def test_tags_in_every_form(text: str, tags: dict[str, str]) -> None:
    assert parse_tags(text) == tags


@pytest.mark.parametrize(
    ("text", "hours", "whole", "per_gpu"),
    [
        ("Hours", 1, False, False),
        ("Hrs", 1, False, False),
        ("1 Hour", 1, False, False),
        ("100 Hours", 100, False, False),
        ("小时", 1, False, False),
        ("Instance Hours", 1, False, False),
        ("Days", 24, False, False),
        ("GPU Hours", 1, False, True),
        ("GPU Per Hour", 1, False, True),
        ("卡时", 1, False, True),
        ("Months", None, True, False),
        ("月", None, True, False),
        ("台月", None, True, False),
        ("年", None, True, False),
        # Machine hours, machine days and hours of one card, as suppliers' statements write them.
        ("台时", 1, False, False),
        ("台·时", 1, False, False),
        ("机时", 1, False, False),
        ("台天", 24, False, False),
        ("卡天", 24, False, True),
    ],
)
def test_units_of_time(text: str, hours: int | None, whole: bool, per_gpu: bool) -> None:
    unit = hour_unit(text)
    assert unit is not None
    assert (unit.hours, bool(unit.period_months), unit.per_gpu) == (hours, whole, per_gpu)


@pytest.mark.parametrize(("text", "per_hour"), [("Seconds", 3600), ("60 Minutes", 1), ("分钟", 60)])
def test_shorter_units(text: str, per_hour: int) -> None:
    unit = hour_unit(text)
    assert unit is not None
    assert unit.hours is not None
    assert abs(unit.hours * per_hour - 1) < Decimal("1e-20")


@pytest.mark.parametrize(
    "text", ["GB-Months", "GB Hours", "OCPU Hours", "Gigabyte Per Hour", "LCU-Hours", "", "Requests"]
)
def test_other_units_are_no_machine_hours(text: str) -> None:
    assert hour_unit(text) is None


def test_seconds_add_up_to_whole_hours(focus: Writer) -> None:
    """1,800 + 900 + 900 seconds are exactly one hour."""
    rows = [
        row(ConsumedQuantity=seconds, ConsumedUnit="Seconds", ResourceId=f"i-{seconds}") for seconds in ("1800", "900")
    ]
    rows.append(row(ConsumedQuantity="900", ConsumedUnit="Seconds", ResourceId="i-3"))
    (gpu,) = review_of(bill_of(focus(rows))).gpu
    assert gpu.machine_hours == 1


def test_a_forecast_by_hand(focus: Writer) -> None:
    """Days of 1, 2 and 3 hours at 10: spent 60, mean 20 a day, variance 100.

    27 days left of November: expected 60 + 540 = 600; spread 1.96 x sqrt(100 x (27 + 27 x 27 / 3)) = 1.96 x
    sqrt(27,000) = 322.06.
    """
    price = {"BilledCost": "10", "EffectiveCost": "10"}
    rows = [line for day in (1, 2, 3) for line in hours_of("i-1", day, 0, day, **price)]
    rows[-1]["ChargePeriodEnd"] = "2026-11-04T00:00:00Z"
    bill = bill_of(focus(rows))
    made = forecast(bill, Budget(Decimal(500), "USD", date(2026, 11, 1), date(2026, 12, 1)))
    assert made is not None
    assert (made.spent, made.expected, made.days_left) == (60, 600, 27)
    assert round(made.high - made.expected, 2) == Decimal("322.06")
    assert made.low == max(made.spent, made.expected - (made.high - made.expected))
    assert made.over == 100
    review = review_of(bill, budget=(Decimal(500), "USD"))
    (warning,) = found(review, "budget")
    assert "60.00 USD of the budget of 500.00 USD is spent (12.0 %)" in warning.text.en


def test_what_is_paid_once_is_not_repeated(focus: Writer) -> None:
    price = {"BilledCost": "10", "EffectiveCost": "10"}
    rows = [line for day in (1, 2, 3) for line in hours_of("i-1", day, 0, 1, **price)]
    rows.append(row(ChargeCategory="Purchase", ChargeFrequency="One-Time", BilledCost="1000"))
    rows[-2]["ChargePeriodEnd"] = "2026-11-04T00:00:00Z"
    made = forecast(bill_of(focus(rows)), Budget(None, "USD", date(2026, 11, 1), date(2026, 12, 1)))
    assert made is not None
    # Once 1,000; 30 so far; 27 more days at 10.
    assert made.expected == 1000 + 30 + 270


def test_two_days_are_too_few_to_forecast(focus: Writer) -> None:
    rows = [line for day in (1, 2) for line in hours_of("i-1", day, 0, 24)]
    assert forecast(bill_of(focus(rows)), Budget(None, "USD", date(2026, 11, 1), date(2026, 12, 1))) is None


def test_the_second_run_says_what_changed(focus: Writer, tmp_path: Path) -> None:
    state = tmp_path / "reviews.json"
    first = bill_of(focus(hours_of("i-1", 2, 0, 3)))
    assert load_records(state, identity(first)) == []
    review = review_of(first)
    assert review.changes == ()
    state.write_bytes(with_record(state, identity(first), review.record))
    again = review_of(first, records=tuple(load_records(state, identity(first))))
    assert [text.en for text in again.changes] == ["Nothing changed since the last review of this period."]
    assert with_record(state, identity(first), again.record) == state.read_bytes()
    # An hour more and a doubled line: 3 x 32.7726 = 98.3178 became 5 x 32.7726 = 163.863.
    more = bill_of(focus([*hours_of("i-1", 2, 0, 4), *hours_of("i-1", 2, 0, 1)]))
    changed = review_of(more, records=tuple(load_records(state, identity(more))))
    said = [text.en for text in changed.changes]
    assert "billed 163.86 USD instead of 98.32 USD (+65.55 USD)" in said[0]
    assert any(text.startswith("new: duplicates") for text in said)


def test_prices_are_compared_with_the_month_before(focus: Writer, tmp_path: Path) -> None:
    state = tmp_path / "reviews.json"
    october = {"BillingPeriodStart": "2026-10-01T00:00:00Z", "BillingPeriodEnd": "2026-11-01T00:00:00Z"}
    times = {"ChargePeriodStart": "2026-10-05T00:00:00Z", "ChargePeriodEnd": "2026-10-05T01:00:00Z"}
    before = bill_of(focus([row(EffectiveCost="30", BilledCost="30", **october, **times)]))
    state.write_bytes(with_record(state, identity(before), review_of(before).record))
    now = bill_of(focus(hours_of("i-1", 2, 0, 10, EffectiveCost="33", BilledCost="33")))
    review = review_of(now, records=tuple(load_records(state, identity(now))))
    (change,) = found(review, "price-change")
    # 33 instead of 30: +10 %, 3 x 10 hours.
    assert "+10.0 %" in change.text.en
    assert change.saving == 30


def test_other_accounts_have_a_memory_of_their_own(focus: Writer) -> None:
    assert identity(bill_of(focus([HOUR]))) != identity(bill_of(focus([row(BillingAccountId="9999")])))


@pytest.mark.parametrize("content", ["{", "[]", '{"schema_version": 99, "reviews": {}}', '{"schema_version": 1}'])
def test_a_foreign_memory_is_refused_and_left_alone(focus: Writer, tmp_path: Path, content: str) -> None:
    state = tmp_path / "reviews.json"
    state.write_text(content)
    with pytest.raises(InputError, match="no memory of reviews"):
        load_records(state, identity(bill_of(focus([HOUR]))))
    assert state.read_text() == content


def test_a_contract_is_held_against_the_bill(focus: Writer, tmp_path: Path) -> None:
    schedule = {
        "count": 2,
        "unit": "hour",
        "unit_price": "30",
        "currency": "USD",
        "start": "2026-11-01",
        "end": "2027-11-01",
    }
    part = {"provider": "aws", "region": "us-east-1", "machines": 2, "schedule": [schedule]}
    data = {
        "purchases": [{**part, "instance_type": "p4d.24xlarge"}, {**part, "instance_type": "p5.48xlarge"}],
        "items": [
            {"id": "response_time", "mandatory": True, "acceptance": {"command": "time"}},
            {"id": "rent", "mandatory": True, "acceptance": None},
        ],
    }
    path = tmp_path / "contract.json"
    path.write_text(json.dumps(data))
    review = review_of(bill_of(focus(hours_of("i-1", 2, 0, 10))), contract=read_contract(path))
    assert [item.subject for item in found(review, "agreed-not-billed")] == ["aws/us-east-1/p5.48xlarge"]
    # (32.7726 - 30) x 10 hours.
    assert [item.saving for item in found(review, "above-contract")] == [Decimal("27.726")]
    assert "response_time" in found(review, "agreed-not-visible")[0].text.en
    path.write_text("{}")
    with pytest.raises(InputError, match="optimize contract"):
        read_contract(path)


def test_rules_that_a_rented_machine_breaks(focus: Writer) -> None:
    """D1: host memory at least twice the GPU memory of the machine: 256 GiB for 8 x 40 GiB breaks it."""
    from optimizer.catalog import load_catalog

    small = offer(machine("aws", "p4d.24xlarge", ram_gib=256.0, cores=48.0), "us-east-1", priced(Term.ON_DEMAND, "32"))
    bill = bill_of(focus([HOUR]), offers=(small,))
    found_rules = list(rule_findings(gpu_rows(bill), PriceBook((small,)), load_catalog().gpus.get))
    assert "ram-total" in {item.subject.rsplit("/", 1)[1] for item in found_rules}
    assert all(item.details[0].en for item in found_rules)


def test_an_unknown_gpu_machine_is_named_not_lost(focus: Writer) -> None:
    """ec2instances issue 705: a machine without a known GPU is unknown, never 0 and never plain compute."""
    unknown = row(x="", SkuPriceDetails='{"InstanceType": "p9.48xlarge"}', ChargeDescription="On Demand p9.48xlarge")
    unknown.pop("x")
    review = review_of(bill_of(focus([unknown])))
    (gpu,) = review.gpu
    assert (gpu.machine.instance_type, gpu.machine.gpu_model, gpu.gpu_hours) == ("p9.48xlarge", None, None)
    assert gpu.machine_hours == 1
    assert found(review, "machine-unknown")


@pytest.mark.parametrize(
    ("region", "priced_as"),
    [
        ("cn-hangzhou", "cn-hangzhou"),
        ("华东1（杭州）", "cn-hangzhou"),
        ("China (Hangzhou)", "cn-hangzhou"),
        ("杭州", "cn-hangzhou"),
        ("中国（香港）", "cn-hongkong"),
        ("China (Hong Kong)", "cn-hongkong"),
        ("杭州金融云", None),
        ("华北2（北京）", None),
        ("上海", None),  # two regions there: which one is meant cannot be told
        ("", None),
    ],
)
def test_regions_are_known_by_code_or_by_city(region: str, priced_as: str | None) -> None:
    """Bills of Chinese clouds name regions for people; the catalog has their city as the canonical region."""
    cities = {"cn-hangzhou": "cn-hangzhou", "cn-hongkong": "hk-hong-kong", "x-1": "cn-shanghai", "x-2": "cn-shanghai"}
    sold = machine("alibaba", "ecs.gn7i-c32g1.8xlarge", "A10", 1)
    offers = [offer(sold, code).model_copy(update={"canonical_region": city}) for code, city in cities.items()]
    billed = BilledMachine("alibaba", "ecs.gn7i-c32g1.8xlarge", "A10", Decimal(1))
    own = PriceBook(offers).same(billed, region)
    assert (own.region if own else None) == priced_as
    assert PriceBook(offers[:1]).same(billed, "") == offers[0]


@pytest.mark.parametrize(
    ("region", "is_known"),
    [
        *((name, True) for name in ("广州", "华南地区（广州）", "ap-guangzhou", "South China (Guangzhou)")),
        *((name, False) for name in ("ap-singapore", "新加坡", "上海金融", "ap-shanghai-fsi", "x", "")),
    ],
)
def test_a_price_for_all_of_mainland_china_is_that_of_its_cities(region: str, is_known: bool) -> None:
    """Tencent's page prints one price for mainland China (catalogs/facts/regions.csv)."""
    sold = machine("tencent", "GN10Xp.2XLARGE40", "V100-SXM2-32GB", 1)
    offers = [offer(sold, "mainland"), offer(sold, "unspecified")]
    billed = BilledMachine("tencent", "GN10Xp.2XLARGE40", "V100-SXM2-32GB", Decimal(1))
    assert (PriceBook(offers).same(billed, region) is not None) == is_known


def test_a_machine_that_no_offer_describes_has_no_known_equal(tmp_path: Path) -> None:
    """The same GPUs elsewhere are a lead, not a saving: host and country of the billed machine are unknown."""
    path = tmp_path / "bill.csv"
    path.write_text(
        "date,end,currency,billed,provider,region,instance_type,machine_hours,gpu_model,gpu_count\n"
        "2026-11-01,2026-12-01,USD,72000,somecloud,x,box,720,A100-SXM4-40GB,8\n"
    )
    bill = read_bill([str(path)], MachineFinder(OFFERS, {"A100-SXM4-40GB": "A100-SXM4-40GB"}.get))
    review = review_of(bill)
    (lead,) = found(review, "cheaper-offer")
    # (100 - 32.7726) x 720.
    assert (lead.kind, lead.saving) == ("note", Decimal("48403.728"))
    assert review.largest_savings == {}
    assert found(review, "better-mix") == []


def test_the_machine_itself_is_not_the_cheaper_offer(focus: Writer) -> None:
    """Paid above its own list price: one finding, not two."""
    review = review_of(bill_of(focus(hours_of("i-1", 2, 0, 1, BilledCost="40", EffectiveCost="40"))))
    assert len(found(review, "above-list")) == 1
    assert found(review, "cheaper-offer") == []


def test_hours_that_no_line_states_are_unknown(focus: Writer) -> None:
    review = review_of(bill_of(focus([row(ConsumedUnit="", PricingUnit="Units")])))
    (gpu,) = review.gpu
    assert gpu.machine_hours is None
    assert found(review, "hours-unknown")


@pytest.mark.parametrize(
    ("description", "matches"),
    [
        ("$32.77 per On Demand Linux p4d.24xlarge Instance Hour", True),
        ("P4D.24XLARGE instance hour", True),
        ("p4de.24xlarge instance hour", False),
        ("p4d.24xlargexl instance hour", False),
        ("data transfer of p4d.24xlarge", False),
        ("On Demand RHEL p4d.24xlarge Instance Hour", True),
    ],
)
def test_names_match_whole_or_not_at_all(focus: Writer, description: str, matches: bool) -> None:
    """Soup issue 831: a prefix match priced an A4000 as an A40."""
    bill = bill_of(focus([row(ChargeDescription=description)]))
    assert bool(bill.cells) is matches


def test_savings_of_one_machine_are_not_added_up(focus: Writer) -> None:
    other = offer(machine("near", "a100x8"), "us-2", priced(Term.ON_DEMAND, "30"))
    offers = (offer(P4D, "us-east-1", priced(Term.ON_DEMAND, "31")), other)
    review = review_of(bill_of(focus(hours_of("i-1", 2, 0, 10)), offers=offers), offers)
    # 1.7726 x 10 above list and 2.7726 x 10 above the equal offer are about the same hours: the larger counts.
    assert review.largest_savings == {"USD": Decimal("27.726")}


def test_no_offer_at_all_is_no_error(focus: Writer) -> None:
    review = review_of(bill_of(focus([HOUR]), offers=()), ())
    assert review.bill.totals[0].billed == Decimal("32.7726")
    assert OFFERS
