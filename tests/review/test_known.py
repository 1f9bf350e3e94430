"""Machines that only a plan, quotes or a contract describe, and lines that speak of a GPU and name no machine."""

import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from optimizer.app.review import ReviewOptions, run_review
from optimizer.domain.offer import Offer, PriceKind, PriceUnit, Term
from optimizer.review.machines import KnownMachine, MachineFinder
from optimizer.review.read import read_bill
from optimizer.review.review import Review
from tests.review.bills import OFFERS, bill_of, found, machine, offer, priced, review_of
from tests.review.test_plan import plan_of, purchase

#: Two days of 11 hours of a machine of eight H20 at 92 an hour; no column names the GPU.
BILL = """date,provider,region,instance_type,machine_hours,currency,billed
2027-01-15,超算租赁,北京,H20-8卡整机,11,CNY,1012.00
2027-01-16,超算租赁,北京,H20-8卡整机,11,CNY,1012.00
"""
QUOTES = """provider,region,instance_type,term,price,price_unit,currency,valid_from,valid_to,gpu_model,gpu_count,country
超算租赁,北京,H20-8卡整机,on_demand,11,gpu_hour,CNY,2026-01-01,2026-12-31,H20-96GB,8,CN
超算租赁,北京,H20-8卡整机,on_demand,10,gpu_hour,CNY,2027-01-01,,H20-96GB,8,CN
"""


def _box() -> Offer:
    box = machine("超算租赁", "H20-8卡整机", "H20-96GB")
    return offer(box, "北京", priced(Term.ON_DEMAND, "90", currency="CNY", kind=PriceKind.QUOTE), country="CN")


def _plan(path: Path) -> Path:
    line = purchase("H20-8卡整机", Term.ON_DEMAND, date(2027, 1, 15), date(2027, 2, 15))
    line = line.model_copy(update={"provider": "超算租赁", "region": "北京"})
    plan = plan_of(line, currency="CNY", start=date(2027, 1, 15), offers=(_box(),), cash_flow=())
    path.write_text(plan.model_dump_json(by_alias=True), encoding="utf-8")
    return path


def _contract(path: Path) -> Path:
    part = {"id": "P1", "provider": "超算租赁", "region": "北京", "instance_type": "H20-8卡整机"}
    row = {
        "count": 1,
        "unit": "hour",
        "unit_price": "92",
        "currency": "CNY",
        "start": "2027-01-15",
        "end": "2028-01-15",
    }
    item: dict[str, Any] = {"purchase": "P1", "mandatory": True, "acceptance": None}
    items = [
        {**item, "id": "gpu_model", "value": "NVIDIA H20-96GB"},
        {**item, "id": "gpu_model.count", "value": 8},
        {**item, "purchase": "P2", "id": "gpu_model.count", "value": 4},
    ]
    path.write_text(json.dumps({"purchases": [{**part, "schedule": [row]}], "items": items}), encoding="utf-8")
    return path


def _reviewed(tmp_path: Path, **given: Path) -> Review:
    (tmp_path / "bill.csv").write_text(BILL, encoding="utf-8")
    return run_review(ReviewOptions(bills=[str(tmp_path / "bill.csv")], **given))


@pytest.mark.parametrize("given", ["plan", "quotes", "contract"])
def test_a_machine_is_known_from_what_the_user_gives(tmp_path: Path, given: str) -> None:
    """22 machine hours x 8 GPUs = 176 GPU hours; 2 x 1,012 = 2,024 of GPU money. Without any of them: none."""
    (tmp_path / "quotes.csv").write_text(QUOTES, encoding="utf-8")
    files = {
        "plan": _plan(tmp_path / "plan.json"),
        "quotes": tmp_path / "quotes.csv",
        "contract": _contract(tmp_path / "contract.json"),
    }
    assert _reviewed(tmp_path).gpu == ()
    review = _reviewed(tmp_path, **{given: files[given]})
    (row,) = review.gpu
    assert (row.machine.gpu_model, row.machine.gpus) == ("H20-96GB", 8)
    assert (row.gpu_hours, row.billed) == (176, 2024)
    assert review.bill.other == {"CNY": 0}
    for missed in ("planned-not-billed", "agreed-not-billed", "billed-not-planned", "machine-unknown"):
        assert found(review, missed) == []


def test_the_plans_price_is_compared_without_quotes(tmp_path: Path) -> None:
    """(92 - 90) x 22 hours above the plan; its quote is no quote of today and no other seller."""
    review = _reviewed(tmp_path, plan=_plan(tmp_path / "plan.json"))
    assert [item.saving for item in found(review, "above-plan")] == [Decimal(44)]
    (row,) = review.prices
    assert (row.own, row.list, row.quote, row.cheapest) == ("超算租赁/北京/H20-8卡整机", None, None, None)


def test_the_quote_of_the_bills_days_is_compared(tmp_path: Path) -> None:
    """Of two quotes one after the other the later one holds: (92 - 8 x 10) x 22 hours."""
    (tmp_path / "quotes.csv").write_text(QUOTES, encoding="utf-8")
    review = _reviewed(tmp_path, quotes=tmp_path / "quotes.csv")
    assert [item.saving for item in found(review, "above-quote")] == [Decimal(264)]


def test_hours_belong_on_the_rent_of_the_plan(tmp_path: Path) -> None:
    """31 days of 24 hours at 92 are 68,448; the plan knows a rent of 55,000 a month for the machine."""
    month = priced(Term.MONTH, "55000", PriceUnit.MONTH, "CNY", kind=PriceKind.QUOTE)
    box = _box().model_copy(update={"prices": (month,)})
    header = BILL.split("\n", 1)[0]
    days = [f"2027-01-{day:02d},超算租赁,北京,H20-8卡整机,24,CNY,2208" for day in range(1, 32)]
    (tmp_path / "bill.csv").write_text("\n".join([header, *days]) + "\n", encoding="utf-8")
    bill = bill_of(
        tmp_path / "bill.csv", offers=(), also=[KnownMachine("超算租赁", "H20-8卡整机", "H20-96GB", Decimal(8))]
    )
    plan = plan_of(currency="CNY", start=date(2027, 1, 1), offers=(box,), cash_flow=())
    (finding,) = found(review_of(bill, (), plan=plan), "by-the-month")
    assert finding.saving == 13448


def test_the_catalog_has_the_first_word_on_a_machine() -> None:
    """A plan of long ago may call the GPUs of a machine otherwise."""
    old = KnownMachine("aws", "p4d.24xlarge", "A100", Decimal(8))
    assert MachineFinder(OFFERS, also=[old])._by_provider["aws"]["p4d24xlarge"].gpu_model == "A100-SXM4-40GB"


def test_a_line_that_speaks_of_a_gpu_and_names_no_machine_is_said(tmp_path: Path) -> None:
    """Tencent's subproduct says GPU between Chinese words; its system disk is no machine."""
    header = "产品名称,子产品名称,计费模式,地域,实例ID,实例类型,交易类型,组件类型"
    header += ",使用时长,时长单位,使用开始时间,使用结束时间,优惠后总价"
    start = "云服务器CVM,云服务器CVM-GPU型GN10Xp,包年包月,华北地区（北京）,ins-1,,包年包月新购"
    times = "1,月,2026-10-01 00:00:00,2026-10-31 23:59:59"
    path = tmp_path / "tencent.csv"
    lines = [header, f"{start},CPU,{times},5750", f"{start},系统盘,{times},50"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    review = review_of(read_bill([str(path)], MachineFinder()))
    (said,) = found(review, "machine-unknown")
    assert (
        "云服务器CVM-GPU型GN10Xp (tencent) looks like a GPU machine that no offer knows: 5,750.00 CNY" in said.text.en
    )
    assert "像是 GPU 机型，但目录中没有：账单 5,750.00 CNY" in said.text.zh
    assert review.bill.other == {"CNY": 50}
