"""Faults of bills that users of the field met (public reports named in each test), each with its right answer."""

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from optimizer.domain.offer import Term
from optimizer.review.read import Scope, next_month
from tests.review.bills import (
    FOCUS,
    HOUR,
    NOVEMBER,
    STORAGE,
    bill_of,
    found,
    hours_of,
    machine,
    offer,
    priced,
    review_of,
    row,
    write_csv,
)

Writer = Callable[..., Path]

PLAN_ARN = "arn:aws:savingsplans::1111:savingsplan/sp-1"
PURCHASE = {
    **HOUR,
    "ChargeCategory": "Purchase",
    "ChargeFrequency": "One-Time",
    "ChargeDescription": "1 year All Upfront savings plan",
    "BilledCost": "100",
    "EffectiveCost": "0",
    "ListCost": "100",
    "ContractedCost": "100",
    "CommitmentDiscountId": PLAN_ARN,
    "CommitmentDiscountType": "Savings Plan",
    "ConsumedQuantity": "",
    "ConsumedUnit": "",
    "ResourceId": PLAN_ARN,
    "PricingCategory": "Standard",
}


@pytest.mark.parametrize("form", ["Purchase", "Credit", "Adjustment"])
def test_a_refund_nets_out_in_each_of_its_three_forms(focus: Writer, form: str) -> None:
    """FOCUS_Spec issues 971 and 636: bought for 100 and refunded, the bill is 0, in cash and in accrual."""
    refund = row(PURCHASE, ChargeCategory=form, BilledCost="-100", EffectiveCost="-100", ListCost="-100")
    (total,) = bill_of(focus([PURCHASE, refund])).totals
    assert (total.billed, total.effective) == (0, 0)


def test_a_returned_savings_plan_is_nothing_in_the_amortized_view(focus: Writer) -> None:
    """cloud-intelligence-dashboards-framework issue 1087: bought and returned within 7 days."""
    refund = row(PURCHASE, BilledCost="-100", EffectiveCost="-100", ChargePeriodStart="2026-11-07T00:00:00Z")
    bill = bill_of(focus([PURCHASE, refund, HOUR]))
    (total,) = bill.totals
    assert total.effective == Decimal("32.7726")
    assert total.billed == Decimal("32.7726")


def test_an_effective_cost_on_a_purchase_counts_as_nothing_and_is_noted(focus: Writer) -> None:
    """finops-toolkit issue 1092: savings-plan purchases carry an effective cost that the covered hours carry too."""
    purchase = row(PURCHASE, EffectiveCost="100")
    used = row(HOUR, BilledCost="0", EffectiveCost="20", CommitmentDiscountId=PLAN_ARN, CommitmentDiscountStatus="Used")
    bill = bill_of(focus([purchase, used]))
    (total,) = bill.totals
    assert (total.billed, total.effective, total.effective_stated) == (100, 20, 120)
    (note,) = found(review_of(bill), "payment-effective")
    assert "100.00 USD" in note.text.en
    assert "100.00 USD" in note.text.zh


def test_list_cost_of_purchases_stays_out_of_the_list_total(focus: Writer) -> None:
    """FOCUS_Spec issue 974: purchase and covered usage both carry a list cost; savings count it once."""
    used = row(HOUR, BilledCost="0", EffectiveCost="20", CommitmentDiscountId=PLAN_ARN, CommitmentDiscountStatus="Used")
    (total,) = bill_of(focus([PURCHASE, used])).totals
    assert total.list == Decimal("32.7726")
    assert total.list_stated == Decimal("132.7726")


def test_duplicate_lines_are_reported_with_both_totals(focus: Writer) -> None:
    """finops-toolkit issue 2048: rows exported twice; nothing is dropped in silence, both totals are shown."""
    rows = hours_of("i-1", 2, 0, 3) + hours_of("i-1", 2, 1, 1) + hours_of("i-1", 2, 1, 1)
    bill = bill_of(focus(rows))
    (total,) = bill.totals
    assert total.billed == 5 * Decimal("32.7726")
    (doubled,) = bill.duplicates
    # One hour stands there three times: one group, two lines too many, 2 x 32.7726 = 65.5452.
    assert (doubled.groups, doubled.lines, doubled.billed) == (1, 2, Decimal("65.5452"))
    (warning,) = found(review_of(bill), "duplicates")
    # With them 163.863, without them 163.863 - 65.5452 = 98.3178.
    assert "163.86 USD" in warning.text.en
    assert "98.32 USD" in warning.text.en


def test_two_equal_machines_in_one_hour_are_no_duplicates(focus: Writer) -> None:
    assert bill_of(focus(hours_of("i-1", 2, 0, 1) + hours_of("i-2", 2, 0, 1))).duplicates == ()


@pytest.mark.parametrize("contracted", ["", "NULL", "0"])
def test_a_missing_contracted_cost_makes_the_saving_unknown_not_negative(focus: Writer, contracted: str) -> None:
    """finops-toolkit issue 2307: ContractedCost missing or 0 on commitment rows."""
    used = row(
        HOUR,
        ContractedCost=contracted,
        CommitmentDiscountId=PLAN_ARN,
        CommitmentDiscountStatus="Used",
        PricingCategory="Committed",
    )
    review = review_of(bill_of(focus([used])))
    (note,) = found(review, "contracted-unknown")
    assert "unknown" in note.text.en
    assert note.saving is None
    assert not [item for item in review.findings if item.saving is not None and item.saving < 0]


def test_rounded_effective_costs_are_no_price(focus: Writer) -> None:
    """As in the FOCUS sample of 2024: 1.624 an hour with an effective cost of 2 (1 for 0.6, 0 for 0.3 of an hour).

    2 + 1 + 0 for 1.9 hours would be 1.579 an hour, and 2 for one hour 23 % above the list price.
    """
    text = {"ChargeDescription": "$1.624 per On Demand Linux g5.4xlarge Instance Hour", "SkuId": "S5"}
    rows = [
        row(**text, ConsumedQuantity=used, PricingQuantity=used, BilledCost=billed, EffectiveCost=effective)
        for used, billed, effective in (("1", "1.624", "2"), ("0.6", "0.9744", "1"), ("0.3", "0.4872", "0"))
    ]
    sold = machine("aws", "g5.4xlarge", "A10G", 1)
    offers = (offer(sold, "us-east-1", priced(Term.ON_DEMAND, "1.624")),)
    review = review_of(bill_of(focus(rows), offers=offers), offers)
    assert review.bill.totals[0].effective == 3
    assert [item.paid for item in review.prices] == [Decimal("1.624")]
    assert found(review, "above-list") == []
    assert len(found(review, "effective-rounded")) == 1


def test_an_unused_commitment_is_waste(focus: Writer) -> None:
    """finops-toolkit's commitment_discount_usage_scenario_2.csv: Unused, billed 0, effective 1.00: waste 1.00."""
    unused = row(
        HOUR,
        BilledCost="0",
        EffectiveCost="1.00",
        ListCost="0",
        CommitmentDiscountId="ri-1",
        CommitmentDiscountType="Reservation",
        CommitmentDiscountStatus="Unused",
        ResourceId="",
        PricingCategory="Committed",
    )
    used = row(unused, EffectiveCost="3.00", CommitmentDiscountStatus="Used", ResourceId="i-1")
    review = review_of(bill_of(focus([unused, used])))
    (waste,) = found(review, "commitment-waste")
    assert (waste.saving, waste.currency) == (Decimal("1.00"), "USD")
    (commitment,) = review.commitments
    assert commitment.share == Decimal("0.75")
    # The unused hour is no hour that a machine ran.
    assert [cell.machine_hours for cell in review.bill.cells if cell.is_run] == [1]


def test_a_late_correction_belongs_to_its_own_bill(tmp_path: Path) -> None:
    """FOCUS_Spec correction scenario 1: billed in June, used on 1 May, -300 on R-111 and +300 on R-222."""
    june = {"BillingPeriodStart": "2026-06-01T00:00:00Z", "BillingPeriodEnd": "2026-07-01T00:00:00Z"}
    may = {"BillingPeriodStart": "2026-05-01T00:00:00Z", "BillingPeriodEnd": "2026-06-01T00:00:00Z"}
    used = {"ChargePeriodStart": "2026-05-01T00:00:00Z", "ChargePeriodEnd": "2026-05-02T00:00:00Z"}
    first = row(STORAGE, **may, **used, BilledCost="300", EffectiveCost="300", ResourceId="R-111")
    down = row(first, **june, BilledCost="-300", EffectiveCost="-300", ChargeClass="Correction")
    up = row(down, BilledCost="300", EffectiveCost="300", ResourceId="R-222")
    path = write_csv(tmp_path / "bill.csv", [first, down, up])
    bill = bill_of(path, scope=Scope(date(2026, 6, 1)))
    assert [total.billed for total in bill.totals] == [0]
    assert {item.resource: item.billed for item in bill.corrections} == {"R-111": -300, "R-222": 300}
    assert {item.month for item in bill.corrections} == {date(2026, 5, 1)}
    (note,) = found(review_of(bill), "corrections")
    assert note.text.en.startswith("Corrections of closed months: 2, 0.00 USD")
    closed = bill_of(path, scope=Scope(date(2026, 5, 1)))
    assert [total.billed for total in closed.totals] == [300]


def test_charges_without_an_account_are_shared_and_in_the_total(focus: Writer) -> None:
    """optscale issue 596: reservations and plans without a subscription were missing from the total."""
    plan = row(PURCHASE, ProviderName="Microsoft", SubAccountId="", BilledCost="500")
    machine = row(HOUR, ProviderName="Microsoft")
    bill = bill_of(focus([plan, machine]))
    assert bill.totals[0].billed == Decimal("532.7726")
    (shared,) = found(review_of(bill), "shared")
    assert "500.00 USD" in shared.text.en
    assert sum(owner.billed for owner in bill.owners) == Decimal("532.7726")


def test_an_unused_reservation_costs_quantity_times_rate(tmp_path: Path) -> None:
    """aws-cost-management-user-guide pull request 19: unused quantity 100 at 0.1, stated as 1: it is 10."""
    columns = (
        *("bill/PayerAccountId", "bill/BillingPeriodStartDate", "bill/BillingPeriodEndDate", "lineItem/LineItemType"),
        *("lineItem/UsageStartDate", "lineItem/UsageEndDate", "lineItem/UnblendedCost", "lineItem/UnblendedRate"),
        *("lineItem/CurrencyCode", "reservation/ReservationARN", "reservation/UnusedQuantity"),
        *("reservation/UnusedAmortizedUpfrontFeeForBillingPeriod", "reservation/UnusedRecurringFee"),
    )
    fee = {
        "bill/PayerAccountId": "1111",
        "bill/BillingPeriodStartDate": "2026-11-01T00:00:00Z",
        "bill/BillingPeriodEndDate": "2026-12-01T00:00:00Z",
        "lineItem/LineItemType": "RIFee",
        "lineItem/UsageStartDate": "2026-11-01T00:00:00Z",
        "lineItem/UsageEndDate": "2026-11-30T23:59:59Z",
        "lineItem/UnblendedCost": "0",
        "lineItem/UnblendedRate": "0.1",
        "lineItem/CurrencyCode": "USD",
        "reservation/ReservationARN": "arn:aws:ec2:us-east-1:1111:reserved-instances/ri-1",
        "reservation/UnusedQuantity": "100",
        "reservation/UnusedAmortizedUpfrontFeeForBillingPeriod": "1",
        "reservation/UnusedRecurringFee": "0",
    }
    review = review_of(bill_of(write_csv(tmp_path / "cur.csv", [fee], columns)))
    (waste,) = found(review, "commitment-waste")
    assert waste.saving == 10


@pytest.mark.parametrize("first", [date(2024, 4, 2), date(2024, 3, 28), date(2024, 2, 27)])
def test_seven_days_are_seven_days_across_a_month_border(focus: Writer, first: date) -> None:
    """azure-cost-cli issue 130: "last 7 days", 2 to 9 April, covered 8, and stopped at the first of the month."""
    days = [first + timedelta(number) for number in range(-1, 9)]
    month = {"BillingPeriodStart": f"{first:%Y-%m-01}", "BillingPeriodEnd": f"{next_month(first):%Y-%m-%d}"}
    rows = [
        row(STORAGE, ChargePeriodStart=f"{day}T00:00:00Z", ChargePeriodEnd=f"{day + timedelta(1)}T00:00:00Z", **month)
        for day in days
    ]
    bill = bill_of(focus(rows), scope=Scope(start=first, end=first + timedelta(7)))
    assert [item.day for item in bill.spending] == [first + timedelta(number) for number in range(7)]
    assert bill.totals[0].billed == 70


def test_a_month_holds_its_first_hour_and_not_its_last_instant(focus: Writer) -> None:
    """Half-open periods: 30 November 23:00 to midnight is November, 1 December 00:00 is not."""
    december = {"BillingPeriodStart": "2026-12-01T00:00:00Z", "BillingPeriodEnd": "2027-01-01T00:00:00Z"}
    rows = [
        row(ChargePeriodStart="2026-11-01T00:00:00Z", ChargePeriodEnd="2026-11-01T01:00:00Z"),
        row(ChargePeriodStart="2026-11-30T23:00:00Z", ChargePeriodEnd="2026-12-01T00:00:00Z"),
        row(ChargePeriodStart="2026-12-01T00:00:00Z", ChargePeriodEnd="2026-12-01T01:00:00Z", **december),
    ]
    path = focus(rows)
    november = bill_of(path, scope=Scope(date(2026, 11, 1)))
    assert november.lines == 2
    assert [item.day for item in november.spending] == [date(2026, 11, 1), date(2026, 11, 30)]
    assert bill_of(path, scope=Scope(date(2026, 12, 1))).lines == 1


@pytest.mark.parametrize(
    ("zone", "november", "december"),
    # 30 November 2026 16:30 UTC is 1 December 00:30 in Shanghai (+8) and 30 November 08:30 in Los Angeles (-8);
    # 1 December 04:30 UTC is 30 November 20:30 in Los Angeles.
    [(None, 1, 1), ("UTC", 1, 1), ("Asia/Shanghai", 0, 2), ("America/Los_Angeles", 2, 0)],
)
def test_one_stated_clock_decides_the_month(focus: Writer, zone: str | None, november: int, december: int) -> None:
    """chrono-synth-os issue 434, maxx issue 357, gcp-ingestion issue 728: one border, three clocks."""
    next_bill = {"BillingPeriodStart": "2026-12-01T00:00:00Z", "BillingPeriodEnd": "2027-01-01T00:00:00Z"}
    rows = [
        row(ChargePeriodStart="2026-11-30T16:30:00Z", ChargePeriodEnd="2026-11-30T17:30:00Z"),
        row(ChargePeriodStart="2026-12-01T04:30:00Z", ChargePeriodEnd="2026-12-01T05:30:00Z", **next_bill),
    ]
    path = focus(rows)
    for month, expected in ((date(2026, 11, 1), november), (date(2026, 12, 1), december)):
        if expected:
            bill = bill_of(path, scope=Scope(month, zone))
            assert bill.lines == expected
            assert bill.zone == (zone or "UTC")
            assert {item.day.month for item in bill.spending} == {month.month}


def test_decimal_commas_are_read_as_such(tmp_path: Path) -> None:
    """bilig issue 32: 125,50 and -12,25 and 0,00 in a file with semicolons; 1.200,00 is one thousand two hundred."""
    path = tmp_path / "bill.csv"
    path.write_text("Date;Currency;Billed\n2026-11-01;EUR;125,50\n2026-11-02;EUR;-12,25\n2026-11-03;EUR;0,00\n")
    assert bill_of(path).totals[0].billed == Decimal("113.25")
    path.write_text("Date;Currency;Billed\n2026-11-01;EUR;1.200,00\n2026-11-02;EUR;20,08\n")
    assert bill_of(path).totals[0].billed == Decimal("1220.08")


def test_a_comma_in_a_file_with_points_is_never_a_hundredfold(focus: Writer) -> None:
    """125,50 among numbers with points is unreadable, not 12550."""
    bill = bill_of(focus([HOUR, row(BilledCost="125,50"), row(BilledCost="1,234.50")]))
    assert bill.totals[0].billed == Decimal("32.7726") + Decimal("1234.50")
    assert bill.unread_count == 1
    assert bill.unread[0].reason == "amount"


def test_an_operating_system_surcharge_is_not_the_machine(focus: Writer) -> None:
    """skypilot issue 4657: the row of 0.336 is Ubuntu Pro on a capacity block, not a p5e for 0.336 an hour."""
    surcharge = row(
        ChargeDescription="$0.336 per Capacity Block Ubuntu Pro p4d.24xlarge Instance Hour",
        BilledCost="0.336",
        EffectiveCost="0.336",
        SkuId="SKU9",
    )
    bill = bill_of(focus([HOUR, surcharge]))
    assert [cell.machine_hours for cell in bill.cells] == [1]
    assert bill.other == {"USD": Decimal("0.336")}


def test_currencies_are_never_added(focus: Writer) -> None:
    """cloud-pricing-api issue 362: CNY and USD under one key."""
    bill = bill_of(focus([HOUR, row(BillingCurrency="CNY", BilledCost="200", EffectiveCost="200", ResourceId="i-2")]))
    assert {total.currency: total.billed for total in bill.totals} == {"USD": Decimal("32.7726"), "CNY": 200}
    assert {item.currency for item in review_of(bill).gpu} == {"USD", "CNY"}


def test_committed_hours_marked_standard_count_as_committed(focus: Writer) -> None:
    """finops-toolkit issue 836."""
    used = row(HOUR, CommitmentDiscountId="ri-1", CommitmentDiscountStatus="Used", PricingCategory="Standard")
    review = review_of(bill_of(focus([used])))
    assert [cell.term for cell in review.bill.cells] == ["committed"]
    assert found(review, "committed-as-standard")


@pytest.mark.parametrize("null", ["", "NULL", "null", "None", "N/A", "-", "Unassigned", "-2", " NULL "])
def test_spelled_out_nulls_are_unknown(focus: Writer, null: str) -> None:
    """finops-toolkit issue 909 and the FOCUS sample data: NULL, Unassigned and -2 stand for nothing."""
    bill = bill_of(focus([row(CommitmentDiscountId=null, ChargeClass=null, Tags=null, RegionId=null)]))
    assert bill.commitments == ()
    assert bill.cells[0].region == ""
    assert bill.unread_count == 0


def test_minus_two_is_an_amount_where_an_amount_stands(focus: Writer) -> None:
    assert bill_of(focus([row(BilledCost="-2")])).totals[0].billed == -2


def test_headers_are_read_without_regard_to_case(tmp_path: Path) -> None:
    lowered = [{name.lower(): value for name, value in HOUR.items()}]
    path = write_csv(tmp_path / "bill.csv", lowered, [name.lower() for name in FOCUS])
    assert bill_of(path).totals[0].billed == Decimal("32.7726")


def test_period_of_the_bill_is_stated(focus: Writer) -> None:
    bill = bill_of(focus([HOUR]))
    assert (bill.start, bill.end) == (date(2026, 11, 1), date(2026, 12, 1))
    assert NOVEMBER["BillingPeriodEnd"].startswith(bill.end.isoformat())
