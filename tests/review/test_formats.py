"""Every bill format that ships: real column names in, the same canonical lines out."""

import gzip
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from optimizer.domain.offer import Term
from optimizer.errors import InputError
from optimizer.review.engine import DuckDbEngine
from optimizer.review.machines import Alias, MachineFinder
from optimizer.review.mapping import built_in_mappings, column_key, focus_version, load_mapping
from optimizer.review.read import Scope, read_bill
from tests.review.bills import (
    FOCUS,
    HOUR,
    OFFERS,
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

CUR = (
    *("bill/PayerAccountId", "bill/BillingPeriodStartDate", "bill/BillingPeriodEndDate", "bill/InvoiceId"),
    *("lineItem/UsageAccountId", "lineItem/LineItemType", "lineItem/UsageStartDate", "lineItem/UsageEndDate"),
    *("lineItem/ProductCode", "lineItem/UsageType", "lineItem/ResourceId", "lineItem/UsageAmount"),
    *("lineItem/CurrencyCode", "lineItem/UnblendedRate", "lineItem/UnblendedCost", "lineItem/LineItemDescription"),
    *("product/instanceType", "product/regionCode", "pricing/unit", "pricing/term", "pricing/publicOnDemandCost"),
    *("reservation/ReservationARN", "reservation/EffectiveCost", "reservation/UnusedQuantity"),
    *("reservation/UnusedAmortizedUpfrontFeeForBillingPeriod", "reservation/UnusedRecurringFee"),
    *("savingsPlan/SavingsPlanARN", "savingsPlan/SavingsPlanEffectiveCost", "savingsPlan/TotalCommitmentToDate"),
    *("savingsPlan/UsedCommitment", "savingsPlan/EndTime", "resourceTags/user:team"),
)
CUR_HOUR = {
    "bill/PayerAccountId": "1111",
    "bill/BillingPeriodStartDate": "2026-11-01T00:00:00Z",
    "bill/BillingPeriodEndDate": "2026-12-01T00:00:00Z",
    "lineItem/UsageAccountId": "2222",
    "lineItem/LineItemType": "Usage",
    "lineItem/UsageStartDate": "2026-11-02T10:00:00Z",
    "lineItem/UsageEndDate": "2026-11-02T11:00:00Z",
    "lineItem/ProductCode": "AmazonEC2",
    "lineItem/UsageType": "BoxUsage:p4d.24xlarge",
    "lineItem/ResourceId": "i-1",
    "lineItem/UsageAmount": "1",
    "lineItem/CurrencyCode": "USD",
    "lineItem/UnblendedCost": "32.7726",
    "lineItem/LineItemDescription": "$32.7726 per On Demand Linux p4d.24xlarge Instance Hour",
    "product/instanceType": "p4d.24xlarge",
    "product/regionCode": "us-east-1",
    "pricing/unit": "Hrs",
    "pricing/term": "OnDemand",
    "pricing/publicOnDemandCost": "32.7726",
    "resourceTags/user:team": "search",
}

HEAD = "name: x\nsource: s\nobserved: d\ndetect: [a]\n"


def _cur_rows() -> list[dict[str, str]]:
    """One hour on demand, one under a plan that commits 30 an hour and is used for 20, one reserved hour."""
    plan = {"savingsPlan/SavingsPlanARN": "arn:sp", "savingsPlan/EndTime": "2027-01-15T00:00:00Z"}
    covered = {**CUR_HOUR, **plan, "lineItem/LineItemType": "SavingsPlanCoveredUsage", "lineItem/ResourceId": "i-2"}
    covered["savingsPlan/SavingsPlanEffectiveCost"] = "20"
    negation = {**covered, "lineItem/LineItemType": "SavingsPlanNegation", "lineItem/UnblendedCost": "-32.7726"}
    negation |= {"savingsPlan/SavingsPlanEffectiveCost": "", "lineItem/ResourceId": ""}
    fee = {**CUR_HOUR, **plan, "lineItem/LineItemType": "SavingsPlanRecurringFee", "lineItem/UnblendedCost": "30"}
    fee |= {"savingsPlan/TotalCommitmentToDate": "30", "savingsPlan/UsedCommitment": "20", "product/instanceType": ""}
    fee |= {
        "lineItem/UsageType": "ComputeSP:1yrNoUpfront",
        "lineItem/LineItemDescription": "1 year plan",
        "lineItem/ResourceId": "",
    }
    reserved = {**CUR_HOUR, "lineItem/LineItemType": "DiscountedUsage", "lineItem/UnblendedCost": "0"}
    reserved |= {
        "reservation/ReservationARN": "arn:ri",
        "reservation/EffectiveCost": "19.22",
        "lineItem/ResourceId": "i-3",
    }
    upfront = {**CUR_HOUR, "lineItem/LineItemType": "Fee", "lineItem/UnblendedCost": "1000"}
    upfront |= {"reservation/ReservationARN": "arn:ri", "lineItem/ResourceId": "", "lineItem/UsageAmount": "1"}
    tax = {**CUR_HOUR, "lineItem/LineItemType": "Tax", "lineItem/UnblendedCost": "5", "product/instanceType": ""}
    tax |= {
        "lineItem/UsageType": "",
        "lineItem/LineItemDescription": "tax",
        "pricing/unit": "",
        "lineItem/ResourceId": "",
    }
    return [CUR_HOUR, covered, negation, fee, reserved, upfront, tax]


@pytest.mark.parametrize("snake", [False, True], ids=["legacy", "2.0"])
def test_aws_cost_and_usage_reports(tmp_path: Path, snake: bool) -> None:
    """Cash is unblended; accrual follows the amortization of reservation and savings plan columns.

    Cash: 32.7726 + 32.7726 - 32.7726 + 30 + 0 + 1000 + 5 = 1067.7726. Accrual: 32.7726 on demand, 20 under the plan,
    10 of the plan not used, 19.22 reserved, 0 upfront, 5 tax: 86.9926.
    """
    rows = _cur_rows()
    columns = CUR
    if snake:
        rename = {name: _snake(name) for name in CUR}
        rows, columns = [{rename[key]: value for key, value in line.items()} for line in rows], tuple(rename.values())
    bill = bill_of(write_csv(tmp_path / "cur.csv", rows, columns))
    (total,) = bill.totals
    assert (total.billed, total.effective) == (Decimal("1067.7726"), Decimal("86.9926"))
    assert bill.sources[0]["format"] == "aws_cur"
    ran = {cell.term: cell.hours for cell in bill.cells if cell.is_run and cell.hours}
    assert ran == {"on_demand": 1, "committed": 2}
    review = review_of(bill)
    (waste,) = found(review, "commitment-waste")
    assert (waste.subject, waste.saving) == ("arn:sp", 10)
    assert {item.id: item.paid for item in review.commitments} == {"arn:sp": 30, "arn:ri": 1000}
    assert "2027-01-15" in found(review, "commitment-ends")[0].text.en
    assert [group.name for group in review.dimensions["team"]] == ["search"]


def _snake(name: str) -> str:
    """A CUR 2.0 name: lineItem/UsageType is line_item_usage_type."""
    import re

    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.replace("/", "_").replace(":", "_")).replace("__", "_").lower()


ALIBABA = (
    *(
        "BillingCycle",
        "BillAccountID",
        "OwnerID",
        "ProductCode",
        "CommodityCode",
        "SubscriptionType",
        "Item",
        "InstanceID",
    ),
    *(
        "InstanceSpec",
        "InstanceConfig",
        "BillingItem",
        "Region",
        "ServicePeriod",
        "ServicePeriodUnit",
        "Usage",
        "UsageUnit",
    ),
    *("UsageStartTime", "UsageEndTime", "PretaxGrossAmount", "PretaxAmount", "Currency", "Tag", "ListPrice"),
)
GN7 = machine("alibaba", "ecs.gn7i-c32g1.8xlarge", "A10", 1)
CN_OFFERS = (
    offer(GN7, "cn-hangzhou", priced(Term.ON_DEMAND, "13.98", currency="CNY"), country="CN"),
    offer(machine("tencent", "PNV4.7XLARGE116", "A10", 1), "ap-guangzhou", country="CN"),
)


def test_alibaba_bill_details(tmp_path: Path) -> None:
    """A machine's hour and its system disk carry the same instance type: only the machine counts hours."""
    hour = {
        "BillingCycle": "2026-11",
        "BillAccountID": "1",
        "OwnerID": "2",
        "ProductCode": "ecs",
        "SubscriptionType": "PayAsYouGo",
        "Item": "PayAsYouGoBill",
        "InstanceID": "i-bp1",
        "InstanceSpec": "ecs.gn7i-c32g1.8xlarge",
        "BillingItem": "云服务器配置",
        "Region": "cn-hangzhou",
        "ServicePeriod": "3600",
        "ServicePeriodUnit": "秒",
        "UsageStartTime": "2026-11-02 00:00:00",
        "UsageEndTime": "2026-11-02 01:00:00",
        "PretaxGrossAmount": "13.98",
        "PretaxAmount": "11.184",
        "Currency": "CNY",
        "Tag": "key:team value:搜索",
    }
    disk = {**hour, "BillingItem": "系统盘", "PretaxAmount": "0.35", "PretaxGrossAmount": "0.35"}
    refund = {**hour, "Item": "Refund", "PretaxAmount": "-5", "PretaxGrossAmount": "-5", "ServicePeriod": ""}
    month = {**hour, "SubscriptionType": "Subscription", "Item": "SubscriptionOrder", "InstanceID": "i-bp2"}
    month |= {"ServicePeriod": "1", "ServicePeriodUnit": "月", "PretaxAmount": "5000", "PretaxGrossAmount": "5000"}
    month |= {"UsageStartTime": "2026-11-01 00:00:00", "UsageEndTime": "2026-12-01 00:00:00"}
    path = write_csv(tmp_path / "alibaba.csv", [hour, disk, refund, month], ALIBABA)
    bill = bill_of(path, offers=CN_OFFERS)
    assert bill.zone == "Asia/Shanghai"
    assert bill.totals[0].billed == Decimal("5006.534")
    # One hour of 3,600 seconds; a month of November is 30 x 24 = 720 hours.
    assert {cell.term: cell.machine_hours for cell in bill.cells if cell.is_run} == {
        "on_demand": 1,
        "subscription": 720,
    }
    assert bill.other == {"CNY": Decimal("0.35")}
    assert [group.name for group in review_of(bill, CN_OFFERS).dimensions["team"]] == ["搜索"]


def test_alibaba_console_export_with_chinese_headers_in_gbk(tmp_path: Path) -> None:
    path = tmp_path / "阿里云.csv"
    text = (
        "账期,账号ID,产品Code,实例ID,实例规格,地域,消费类型,计费项,服务时长,时长单位,服务开始时间,服务结束时间,目录总价,应付金额,实例标签\n"
        "2026-11,1,ecs,i-bp1,ecs.gn7i-c32g1.8xlarge,cn-hangzhou,后付费,实例规格,1,小时,"
        "2026-11-02 00:00:00,2026-11-02 01:00:00,13.98,11.184,team:搜索;job:排序\n"
    )
    path.write_bytes(text.encode("gbk"))
    bill = bill_of(path, offers=CN_OFFERS)
    assert (bill.totals[0].currency, bill.totals[0].billed) == ("CNY", Decimal("11.184"))
    assert bill.cells[0].gpu_hours == 1
    review = review_of(bill, CN_OFFERS)
    assert [group.name for group in review.dimensions["workload"]] == ["排序"]


def test_tencent_bill_details_by_component(tmp_path: Path) -> None:
    """CPU, memory and disk are lines of their own: hours come once, money from CPU and memory, the disk is not GPU."""
    columns = (
        *("Payer Account ID", "Owner Account ID", "Product Name", "Subproduct Name", "Billing Mode", "Region"),
        *("Instance ID", "Instance Type", "Transaction Type", "Component Type", "Component Name", "Usage Duration"),
        *("Duration Unit", "Usage Start Time", "Usage End Time", "Original Cost", "Total Amount After Discount"),
        *("Currency", "Tag: team"),
    )
    line = {
        "Payer Account ID": "1",
        "Owner Account ID": "2",
        "Product Name": "Cloud Virtual Machine (CVM)",
        "Subproduct Name": "CVM GPU PNV4",
        "Billing Mode": "Pay-As-You-Go resources",
        "Region": "South China (Guangzhou)",
        "Instance ID": "ins-1",
        "Instance Type": "-",
        "Transaction Type": "Hourly settlement",
        "Component Type": "CPU",
        "Component Name": "CPU-PNV4",
        "Usage Duration": "1",
        "Duration Unit": "Hour",
        "Usage Start Time": "2026-11-02 00:00:00",
        "Usage End Time": "2026-11-02 00:59:59",
        "Original Cost": "8",
        "Total Amount After Discount": "8",
        "Currency": "CNY",
        "Tag: team": "search",
    }
    memory = {**line, "Component Type": "RAM", "Total Amount After Discount": "2"}
    disk = {**line, "Component Type": "System disk", "Total Amount After Discount": "0.1"}
    refund = {**line, "Transaction Type": "Refund", "Total Amount After Discount": "-1"}
    path = write_csv(tmp_path / "tencent.csv", [line, memory, disk, refund], columns)
    aliases = [Alias("CVM GPU PNV4", "tencent", "PNV4.7XLARGE116")]
    bill = bill_of(path, offers=CN_OFFERS, aliases=aliases)
    assert bill.totals[0].billed == Decimal("9.1")
    assert sum(cell.machine_hours or 0 for cell in bill.cells) == 1
    assert bill.other == {"CNY": Decimal("0.1")}
    # 00:59:59 names the last second: the period is one whole hour.
    assert {item.length_hours for item in bill.levels} == {1}


def test_the_plain_format(tmp_path: Path) -> None:
    path = tmp_path / "plain.csv"
    path.write_text(
        "date,currency,billed,provider,region,instance_type,machine_hours,gpu_model,gpu_count,term,tag_team\n"
        "2026-11-02,CNY,480.50,somecloud,gz,box-8,24,A10,8,on_demand,search\n"
        "2026-11-03,CNY,20,somecloud,gz,,,,,,\n"
    )
    finder = MachineFinder((), {"A10": "A10"}.get)
    bill = read_bill([str(path)], finder)
    (cell,) = bill.cells
    assert (cell.machine.gpu_model, cell.machine.gpus, cell.machine_hours, cell.gpu_hours) == ("A10", 8, 24, 192)
    assert bill.other == {"CNY": 20}
    assert (bill.start, bill.end) == (date(2026, 11, 1), date(2026, 12, 1))


@pytest.mark.parametrize(
    ("columns", "version"),
    [
        (("BilledCost", "AmortizedCost", "ChargeType", "Region"), "0.5"),
        (("BilledCost", "EffectiveCost", "UsageQuantity", "Region"), "1.0-preview"),
        (("BilledCost", "ContractedCost", "RegionId", "ProviderName"), "1.0"),
        (("BilledCost", "ContractedCost", "SkuPriceDetails", "ProviderName"), "1.1"),
        (("BilledCost", "SkuMeter", "InvoiceId", "ProviderName"), "1.2"),
        (("BilledCost", "InvoiceId", "ServiceProviderName", "ProviderName"), "1.3"),
        (("BilledCost", "InvoiceId", "ServiceProviderName"), "1.4"),
    ],
)
def test_focus_versions_are_told_by_their_columns(columns: tuple[str, ...], version: str) -> None:
    """Which version brought or dropped a column: FOCUS changelogs of 1.0 to 1.4."""
    assert focus_version(columns) == version


def test_old_and_new_names_of_focus_read_alike(tmp_path: Path) -> None:
    old = {"AmortizedCost": "EffectiveCost", "ChargeType": "ChargeCategory", "UsageQuantity": "ConsumedQuantity"}
    new = {"ServiceProviderName": "ProviderName", "Region": "RegionId"}
    for number, renamed in enumerate((old, new)):
        line = {**{name: HOUR[was] for name, was in renamed.items()}, **HOUR}
        for was in renamed.values():
            del line[was]
        bill = bill_of(write_csv(tmp_path / f"{number}.csv", [line], tuple(line)))
        assert bill.totals[0].effective == Decimal("32.7726")
        assert bill.cells[0].machine_hours == 1
        assert bill.cells[0].region == "us-east-1"


def test_gzip_glob_folder_and_several_files_add_up(tmp_path: Path) -> None:
    folder = tmp_path / "november"
    folder.mkdir()
    plain = write_csv(folder / "part-1.csv", hours_of("i-1", 2, 0, 2))
    packed = write_csv(tmp_path / "part-2.csv", hours_of("i-1", 3, 0, 3))
    (folder / "part-2.csv.gz").write_bytes(gzip.compress(packed.read_bytes()))
    other = write_csv(folder / "reordered.csv", hours_of("i-1", 4, 0, 1), FOCUS[::-1])
    parquet = folder / "part-3.parquet"
    with DuckDbEngine() as engine:
        engine.connection.execute(
            f"COPY (FROM read_csv('{plain}', all_varchar = true)) TO '{parquet}' (FORMAT parquet)"
        )
    finder = MachineFinder(OFFERS)
    for patterns in ([str(folder)], [str(folder / "*")], [str(plain), str(folder / "*.gz"), str(other), str(parquet)]):
        bill = read_bill([*patterns, str(plain)], finder)
        assert bill.lines == 2 + 3 + 1 + 2
        assert bill.totals[0].billed == 8 * Decimal("32.7726")


def test_times_with_offsets_are_on_the_bills_clock(tmp_path: Path) -> None:
    """2026-12-01 08:00 at +08:00 is midnight UTC; 2026-11-30T23:30Z is still November."""
    rows = [
        row(ChargePeriodStart="2026-12-01 07:30:00+08:00", ChargePeriodEnd="2026-12-01 08:00:00+08:00"),
        row(ChargePeriodStart="2026-11-30T23:30:00Z", ChargePeriodEnd="2026-12-01T00:00:00Z", ResourceId="i-2"),
        row(ChargePeriodStart="2026/11/30 23:30", ChargePeriodEnd="2026/12/01 00:00", ResourceId="i-3"),
    ]
    bill = bill_of(write_csv(tmp_path / "bill.csv", rows))
    assert {item.day for item in bill.spending} == {date(2026, 11, 30)}
    assert bill.through.isoformat() == "2026-12-01T00:00:00"


def test_typed_parquet_columns_are_read_exactly(tmp_path: Path) -> None:
    """AWS writes costs as DOUBLE and times as TIMESTAMP; a zoned time is put on the bill's clock; tags may be a map."""
    path = tmp_path / "typed.parquet"
    with DuckDbEngine() as engine:
        engine.connection.execute(
            f"""COPY (SELECT 1.624::DOUBLE AS BilledCost, 0.1::DOUBLE AS EffectiveCost, 'USD' AS BillingCurrency,
                'Usage' AS ChargeCategory, TIMESTAMPTZ '2026-11-02 08:00:00+08' AS ChargePeriodStart,
                TIMESTAMPTZ '2026-11-02 09:00:00+08' AS ChargePeriodEnd, 1::INTEGER AS ConsumedQuantity,
                'Hours' AS ConsumedUnit, 'AWS' AS ProviderName, 'us-east-1' AS RegionId,
                'p4d.24xlarge' AS x_InstanceType, DATE '2026-11-01' AS BillingPeriodStart FROM range(3))
            TO '{path}' (FORMAT parquet)"""
        )
    bill = bill_of(path)
    assert (bill.totals[0].billed, bill.totals[0].effective) == (Decimal("4.872"), Decimal("0.3"))
    assert bill.through.isoformat() == "2026-11-02T01:00:00"
    assert bill.cells[0].machine_hours == 3


def test_users_write_their_own_mapping(tmp_path: Path) -> None:
    mapping = tmp_path / "ours.yaml"
    mapping.write_text(
        "name: ours\nsource: our provider's manual, 2026\nobserved: 2026-11-30\nzone: Asia/Shanghai\n"
        "detect: [机器, 金额, 开始]\nperiod: hour\ncolumns:\n  billed: 金额\n  effective: 金额\n"
        "  currency: {constant: CNY}\n  charge_start: 开始\n  instance_type: 机器\n  quantity: 小时\n"
        "  unit: {constant: 小时}\n  provider: {constant: alibaba}\n"
    )
    path = tmp_path / "bill.csv"
    path.write_text("机器,金额,开始,小时\necs.gn7i-c32g1.8xlarge,11.5,2026-11-02 00:00,1\n")
    bill = read_bill([str(path)], MachineFinder(CN_OFFERS), Scope(), [load_mapping(mapping)])
    assert bill.cells[0].billed == Decimal("11.5")
    assert bill.sources[0]["format"] == "ours"
    # A mapping without a category has lines of usage: their hours are machine hours.
    assert (bill.cells[0].is_run, bill.cells[0].machine_hours) == (True, 1)


def test_a_format_without_accrual_shows_none_instead_of_nothing(tmp_path: Path) -> None:
    from optimizer.review.render_json import as_json
    from optimizer.review.tables import tables

    mapping = tmp_path / "ours.yaml"
    mapping.write_text(
        f"{HEAD}columns: {{billed: a, currency: {{constant: CNY}}, charge_start: b, instance_type: c, "
        "provider: {constant: alibaba}, quantity: d, unit: {constant: hours}}\n"
    )
    path = tmp_path / "bill.csv"
    path.write_text("a,b,c,d\n11.5,2026-11-02,ecs.gn7i-c32g1.8xlarge,1\n")
    review = review_of(read_bill([str(path)], MachineFinder(CN_OFFERS), Scope(), [load_mapping(mapping)]), CN_OFFERS)
    assert len(found(review, "effective-unknown")) == 1
    assert [row.paid for row in review.prices] == [None]
    shown = {
        (table.key, column.key): row[place]
        for table in tables(review, "en")
        for row in table.rows
        for place, column in enumerate(table.columns)
    }
    whole = [(name, "effective") for name in ("totals", "gpu", "daily")]
    of_gpus = [(name, "gpu_accrual") for name in ("team", "workload", "account", "provider", "term")]
    accruals = {key: value for key, value in shown.items() if key[1] in ("effective", "gpu_accrual")}
    assert accruals == dict.fromkeys([*whole, *of_gpus])
    made = as_json(review, "en")
    assert (made["totals"][0]["effective"], made["totals"][0]["list"], made["other"][0]["effective"]) == (None,) * 3
    assert made["gpu"][0]["effective"] is None


@pytest.mark.parametrize(
    ("text", "field"),
    [
        (
            f"{HEAD}columns: {{billed: a, currency: b, charge_start: c, price: d}}",
            "price",
        ),
        (f"{HEAD}columns: {{billed: a}}", "currency"),
        (
            f"{HEAD}zone: Mars\ncolumns: {{billed: a, currency: b, charge_start: c}}",
            "zone",
        ),
        (f"{HEAD}columns: {{billed: {{}}, currency: b, charge_start: c}}", "billed"),
        ("name: [", "YAML"),
    ],
)
def test_a_wrong_mapping_is_one_clear_error(tmp_path: Path, text: str, field: str) -> None:
    path = tmp_path / "ours.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        load_mapping(path)
    assert field in str(error.value)


def test_every_shipped_mapping_names_its_source_and_day() -> None:
    for mapping in built_in_mappings():
        assert mapping.source
        assert date.fromisoformat(mapping.observed) <= date(2026, 11, 30)
        assert all(column_key(name) for name in mapping.detect)


def test_maps_of_tags_are_read(tmp_path: Path) -> None:
    """FOCUS and CUR 2.0 exports of AWS in Parquet carry tags as MAP(VARCHAR, VARCHAR)."""
    for name, column in (("focus", "Tags"), ("cur", "resource_tags")):
        path = tmp_path / f"{name}.parquet"
        line = HOUR if name == "focus" else {_snake(key): value for key, value in CUR_HOUR.items() if "Tags" not in key}
        fields = ", ".join(f"'{value}' AS \"{key}\"" for key, value in line.items())
        with DuckDbEngine() as engine:
            engine.connection.execute(
                f"COPY (SELECT {fields}, MAP {{'team': 'search', 'user:job': 'rank'}} AS \"{column}\") "
                f"TO '{path}' (FORMAT parquet)"
            )
        review = review_of(bill_of(path))
        assert [group.name for group in review.dimensions["team"]] == ["search"]
        assert [group.name for group in review.dimensions["workload"]] == ["rank"]


def test_azure_meters_and_google_gpu_lines(tmp_path: Path) -> None:
    """Azure names the meter "ND96isr H100 v5"; Google bills the GPU beside its machine, in GPU hours."""
    azure = row(
        ProviderName="Microsoft", x_SkuMeterName="ND96isr H100 v5 Spot", ChargeDescription="", PricingCategory="Dynamic"
    )
    google = row(
        ProviderName="Google Cloud",
        ChargeDescription="Nvidia H100 80GB GPU running in Iowa",
        ConsumedQuantity="16",
        ConsumedUnit="hour",
        SkuPriceDetails="",
    )
    size = offer(machine("azure", "Standard_ND96isr_H100_v5", "H100-SXM5-80GB"), "eastus")
    path = write_csv(tmp_path / "bill.csv", [azure, google], (*FOCUS, "x_SkuMeterName"))
    finder = MachineFinder((size,), {"H100 80GB": "H100-80GB", "Nvidia H100 80GB": "H100-80GB"}.get)
    cells = {cell.machine.provider: cell for cell in read_bill([str(path)], finder).cells}
    assert (cells["azure"].machine.gpu_model, cells["azure"].gpu_hours, cells["azure"].term) == (
        "H100-SXM5-80GB",
        8,
        "spot",
    )
    assert (cells["gcp"].machine.gpu_model, cells["gcp"].gpu_hours, cells["gcp"].machine_hours) == (
        "H100-80GB",
        16,
        None,
    )
