"""A plan beside the bill: what it promised, what it cost, what it would buy, and a plan of the hours that ran."""

import json
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from optimizer.app.review import ReviewOptions, replan, run_review, split_up
from optimizer.cli import _main
from optimizer.domain.offer import PriceUnit, Term
from optimizer.domain.plan import CashMonth, Plan, Purchase
from optimizer.domain.workload import MayBuy, OwnedSpec
from optimizer.review.owned import owned_cost
from optimizer.review.read import Scope
from tests.review.bills import P4D, bill_of, found, hours_of, machine, offer, priced, review_of, row

Writer = Callable[..., Path]


def purchase(name: str, term: Term, start: date, end: date, count: int = 1) -> Purchase:
    """A machine line of a plan."""
    return Purchase(
        kind="machine",
        provider="aws",
        region="us-east-1",
        instance_type=name,
        term=term,
        count=count,
        quantity=Decimal(1),
        unit="month",
        start=start,
        end=end,
        start_day=0,
        end_day=30,
        unit_price=Decimal(14000),
        price_currency="USD",
        fx_rate=Decimal(1),
        cost=Decimal(14000),
        source="test",
        workloads=("w",),
    )


def plan_of(*purchases: Purchase, **changes: Any) -> Plan:
    """A plan of twelve months from November 2026."""
    plain: dict[str, Any] = {
        "status": "optimal",
        "currency": "USD",
        "as_of": date(2026, 11, 1),
        "start": date(2026, 11, 1),
        "horizon_days": 365,
        "horizon_months": 12,
        "after_horizon": "stop",
        "profile": "documents",
        "cost": None,
        "purchases": purchases,
        "cash_flow": (CashMonth(month=0, start=date(2026, 11, 1), amount=Decimal(14000)),),
        "offers": (offer(P4D, "us-east-1", priced(Term.ON_DEMAND, "30")),),
        "inputs": {"budget": 400000},
        "versions": {},
    }
    return Plan.model_validate({**plain, **changes})


NOVEMBER = (date(2026, 11, 1), date(2026, 12, 1))


def test_machines_planned_and_billed(focus: Writer) -> None:
    """Planned: p4d (billed) and p5 (not); a p3 was billed and not planned; next year's rent is not missed yet."""
    plan = plan_of(
        purchase("p4d.24xlarge", Term.MONTH, *NOVEMBER),
        purchase("p5.48xlarge", Term.MONTH, *NOVEMBER, count=2),
        purchase("p5e.48xlarge", Term.MONTH, date(2027, 1, 1), date(2027, 2, 1)),
    )
    other = offer(machine("aws", "p3.16xlarge", "V100-SXM2-16GB"), "us-east-1")
    offers = (offer(P4D, "us-east-1", priced(Term.ON_DEMAND, "32.7726")), other)
    text = {"ChargeDescription": "$24.48 per On Demand Linux p3.16xlarge Instance Hour", "SkuId": "S3"}
    rows = [*hours_of("i-1", 2, 0, 10), *hours_of("i-3", 2, 0, 2, **text)]
    review = review_of(bill_of(focus(rows), offers=offers), offers, plan=plan)
    assert [item.subject for item in found(review, "planned-not-billed")] == ["aws/us-east-1/p5.48xlarge/month"]
    assert [item.subject for item in found(review, "billed-not-planned")] == ["aws/us-east-1/p3.16xlarge"]
    # (32.7726 - 30) x 10 hours above the plan's own price.
    assert [item.saving for item in found(review, "above-plan")] == [Decimal("27.726")]


def test_budget_and_ending_rents_come_from_the_plan(focus: Writer) -> None:
    plan = plan_of(purchase("p4d.24xlarge", Term.MONTH, date(2026, 11, 10), date(2026, 12, 10)))
    rows = [line for day in (1, 2, 3) for line in hours_of("i-1", day, 0, 1)]
    review = review_of(bill_of(focus(rows)), plan=plan)
    assert [item.subject for item in found(review, "commitment-ends")] == ["aws/us-east-1/p4d.24xlarge (month) x 1"]
    (forecast,) = review.forecasts
    assert (forecast.budget, forecast.end) == (400000, date(2027, 11, 1))


def line_of(plan_start: date, first: date, end: date, cost: str, **changes: Any) -> Purchase:
    """A line of a plan whose days are counted from its start."""
    days = {"start_day": (first - plan_start).days, "end_day": (end - plan_start).days}
    plain = purchase("p4d.24xlarge", Term.ON_DEMAND, first, end).model_dump()
    return Purchase.model_validate({**plain, **days, "cost": Decimal(cost), **changes})


def paying_plan(start: date, tax: dict[str, Any]) -> Plan:
    """10 hours a day at 30 without tax, 500 GB-months of storage at 0.1, and a rent of 14,000 paid on 20 November.

    Storage is paid on the first day of each cash month, which begin on the plan's day of the month.
    """
    second, third = date(2026, 12, start.day), date(2027, 1, start.day)
    hours = {"unit": "hour", "unit_price": Decimal(30)}
    stored = {"kind": "storage", "term": None, "instance_type": None, "unit": "GB-month", "unit_price": Decimal("0.1")}
    rent = {"term": Term.MONTH, "unit_price": Decimal(14000)}
    lines = [
        line_of(start, first, end, str(300 * (end - first).days), quantity=Decimal(10 * (end - first).days), **hours)
        for first, end in ((start, second), (second, third))
    ]
    lines += [
        line_of(start, first, end, "50", quantity=Decimal(500), **stored)
        for first, end in ((start, second), (second, third))
    ]
    lines.append(line_of(start, date(2026, 11, 20), date(2026, 12, 20), "14000", **rent))
    month = priced(Term.MONTH, "14000", PriceUnit.MONTH, tax_included=False)
    prices = (priced(Term.ON_DEMAND, "30", tax_included=False), month)
    work = {"name": "w", "gpu_hours": {"gpu": "A100-SXM4-40GB", "hours": 100}}
    inputs = {"currency": "USD", "start": start, "workloads": [work], "tax": tax}
    offers = (offer(P4D, "us-east-1", *prices),)
    return plan_of(*lines, start=start, horizon_months=2, horizon_days=61, offers=offers, inputs=inputs)


@pytest.mark.parametrize(
    ("first", "said"),
    [
        # 30 days x 300 and storage of 50 on the 1st and the rent of 14,000.
        (1, "From 2026-11-01 to 2026-11-30 the plan pays its sellers 23,050.00 USD"),
        # 16 days x 300 = 4,800, storage 50, rent 14,000: not the whole cash month to 15 December.
        (15, "From 2026-11-15 to 2026-11-30 the plan pays its sellers 18,850.00 USD"),
    ],
)
def test_cash_is_that_of_the_days_of_the_bill(focus: Writer, first: int, said: str) -> None:
    """One line of 32.7726 was billed; all money of the bill is for GPUs."""
    plan = paying_plan(date(2026, 11, first), {})
    (cash,) = found(review_of(bill_of(focus(hours_of("i-1", 16, 0, 1))), plan=plan), "plan-cash")
    assert (
        cash.text.en == f"{said} (tax as published); the bill says 32.77 USD in all, 32.77 USD of it for GPU machines."
    )
    amount = said.split(" sellers ")[1]
    assert f"（含）方案应付供应商 {amount}（税按公布口径）；账单合计 32.77 USD" in cash.text.zh


def test_the_next_month_has_its_own_payments(focus: Writer) -> None:
    """A plan of 15 November: December has 31 days x 300 = 9,300 and storage of 50 on the 15th; the rent is paid."""
    december = {"BillingPeriodStart": "2026-12-01T00:00:00Z", "BillingPeriodEnd": "2027-01-01T00:00:00Z"}
    times = {"ChargePeriodStart": "2026-12-16T00:00:00Z", "ChargePeriodEnd": "2026-12-16T01:00:00Z"}
    bill = bill_of(focus([row(**december, **times)]))
    (cash,) = found(review_of(bill, plan=paying_plan(date(2026, 11, 15), {})), "plan-cash")
    assert "From 2026-12-01 to 2026-12-31 the plan pays its sellers 9,350.00 USD" in cash.text.en


@pytest.mark.parametrize(
    ("tax", "factor", "words"),
    [
        # Prices are without tax: 23,050 x 1.13 = 26,046.50.
        ({"rate": 0.13, "recoverable": True}, 1, ("23,050.00 USD (without tax; 26,046.50 USD with 13.0 % tax)",)),
        ({"rate": 0.13}, "1.13", ("26,046.50 USD (with 13.0 % tax)", "26,046.50 USD（含 13.0 % 税）")),
    ],
)
def test_the_words_say_whether_tax_is_in_the_plan(
    focus: Writer, tax: dict[str, Any], factor: str | int, words: tuple[str, ...]
) -> None:
    plan = paying_plan(date(2026, 11, 1), tax)
    rate = Decimal(factor)
    lines = [line.model_copy(update={"tax_factor": rate, "cost": line.cost * rate}) for line in plan.purchases]
    plan = plan.model_copy(update={"purchases": tuple(lines)})
    (cash,) = found(review_of(bill_of(focus(hours_of("i-1", 2, 0, 1))), plan=plan), "plan-cash")
    for said in words:
        assert said in cash.text.en + cash.text.zh
    assert "with tax or without" in cash.details[0].en


def test_a_plan_that_cannot_be_counted_again_is_not_compared(focus: Writer) -> None:
    plan = paying_plan(date(2026, 11, 1), {})
    wrong = plan.purchases[0].model_copy(update={"cost": Decimal(1)})
    plan = plan.model_copy(update={"purchases": (wrong, *plan.purchases[1:])})
    (cash,) = found(review_of(bill_of(focus(hours_of("i-1", 2, 0, 1))), plan=plan), "plan-cash")
    assert "cash is not compared" in cash.text.en
    assert "未将其现金与账单比较" in cash.text.zh


def test_a_plan_of_another_time_is_named_and_left_aside(focus: Writer) -> None:
    """The bill is November's, the plan begins in December: nothing of it was missed, and no budget was burned."""
    december = {"start": date(2026, 12, 1), "cash_flow": ()}
    plan = plan_of(purchase("p5.48xlarge", Term.MONTH, date(2026, 12, 1), date(2027, 1, 1)), **december)
    rows = [line for day in range(1, 11) for line in hours_of("i-1", day, 0, 1)]
    review = review_of(bill_of(focus(rows)), plan=plan)
    (said,) = found(review, "plan-outside")
    assert "2026-12-01 to 2027-12-01" in said.text.en
    for name in ("planned-not-billed", "billed-not-planned", "plan-cash", "above-plan", "budget"):
        assert found(review, name) == []
    assert [(item.budget, item.end) for item in review.forecasts] == [(None, date(2026, 12, 1))]


def test_only_days_of_the_plan_burn_its_budget(focus: Writer) -> None:
    """Ten days at 32.7726, of which the plan has the last four; then 26 more days of 30 at that pace."""
    plan = plan_of(start=date(2026, 11, 7), horizon_months=1, horizon_days=30)
    rows = [line for day in range(1, 11) for line in hours_of("i-1", day, 0, 1)]
    (made,) = review_of(bill_of(focus(rows)), plan=plan).forecasts
    assert (made.spent, made.expected) == (4 * Decimal("32.7726"), 30 * Decimal("32.7726"))
    assert (made.days_seen, made.days_left) == (4, 26)


@pytest.mark.parametrize("before", [0, 10], ids=["nothing-ran-before", "more-ran-before"])
def test_the_pace_is_that_of_the_plan(focus: Writer, before: int) -> None:
    """A plan of a year from 15 November: 16 days of November at 32.7726, and 365 - 16 = 349 at the same pace.

    The fourteen days before it, idle or dearer, are no days of the plan. 365 x 32.7726 = 11,961.999.
    """
    plan = plan_of(start=date(2026, 11, 15), inputs={"budget": 11000})
    rows = [line for day in range(1, 15) for line in hours_of("i-1", day, 0, before)]
    rows += [line for day in range(15, 31) for line in hours_of("i-1", day, 0, 1)]
    review = review_of(bill_of(focus(rows), scope=Scope(date(2026, 11, 1))), plan=plan)
    (made,) = review.forecasts
    assert (made.days_seen, made.days_left, made.end) == (16, 349, date(2027, 11, 15))
    assert (made.spent, made.expected) == (Decimal("524.3616"), Decimal("11961.999"))
    assert (made.low, made.high) == (made.expected, made.expected)
    (finding,) = found(review, "budget")
    # 11,961.999 - 11,000.
    assert finding.details[0].en == "That is 962.00 USD over the budget."
    assert finding.details[0].zh == "将超出预算 962.00 USD。"


def test_two_days_of_a_plan_tell_no_pace(focus: Writer) -> None:
    plan = plan_of(start=date(2026, 11, 9))
    rows = [line for day in range(1, 11) for line in hours_of("i-1", day, 0, 1)]
    assert review_of(bill_of(focus(rows)), plan=plan).forecasts == ()


def test_owned_cost_by_hand() -> None:
    """Price 360,000, residual 0.1 after 36 months: (360,000 - 36,000) / 36 = 9,000 a month.

    Colocation 100 x 10 kW = 1,000; maintenance 5 % / 12 x 360,000 = 1,500; staff 500; network 3,600 / 36 = 100; idle
    2 kW x 730 h x 1.2 x 0.1 = 175.20: 12,275.20 in all. Running: (10 - 2) kW x 1.2 x 0.1 = 0.96 an hour.
    """
    record = MayBuy(
        server="dgx",
        price=Decimal(360000),
        residual_by_month={0: 1.0, 36: 0.1},
        load_kw=10,
        idle_kw=2,
        colocation_per_kw_month=Decimal(100),
        maintenance_fraction_year=0.05,
        staff_per_month=Decimal(500),
        network_per_node=Decimal(3600),
    )
    site = OwnedSpec(electricity_per_kwh=Decimal("0.1"), pue=1.2, may_buy=(record,))
    cost = owned_cost(record, site)
    assert cost is not None
    assert round(cost.monthly, 2) == Decimal("12275.20")
    assert cost.running_hour == Decimal("0.96")
    assert owned_cost(record, OwnedSpec(may_buy=(record,))) is None


def test_hours_that_belong_on_own_machines(focus: Writer) -> None:
    """720 h at 32.7726 = 23,596.27 against 12,275.20 and 720 x 0.96 = 691.20: 10,629.87 less."""
    record = {
        "server": "own-a100",
        "price": 360000,
        "residual_by_month": {"0": 1.0, "36": 0.1},
        "load_kw": 10,
        "idle_kw": 2,
        "colocation_per_kw_month": 100,
        "maintenance_fraction_year": 0.05,
        "staff_per_month": 500,
        "network_per_node": 3600,
    }
    owned = {"electricity_per_kwh": 0.1, "pue": 1.2, "may_buy": [record]}
    plan = plan_of(inputs={"owned": owned})
    rows = [line for day in range(1, 31) for line in hours_of("i-1", day, 0, 24)]
    rows[-1]["ChargePeriodEnd"] = "2026-12-01T00:00:00Z"
    server = offer(machine("owned", "own-a100"), "on-prem")
    review = review_of(bill_of(focus(rows)), plan=plan, server_of={"own-a100": server}.get)
    (finding,) = found(review, "owned")
    assert round(finding.saving, 2) == Decimal("10629.87")


def test_the_hours_that_ran_are_planned_again(focus: Writer, tmp_path: Path) -> None:
    """Ten hours of a p4d are 80 hours of its GPU: a job of that size, planned and verified."""
    rows = hours_of("i-1", 2, 0, 10, Tags='{"team": "search", "workload": "rank"}')
    options = ReviewOptions(bills=[str(focus(rows))])
    plan = replan(run_review(options), options)
    assert plan.status == "optimal"
    assert [(item.workload, item.team) for item in plan.assignments] == [("rank A100-SXM4-40GB", "search")]
    (job,) = plan.inputs["workloads"]
    assert job["gpu_hours"] == {"gpu": "A100-SXM4-40GB", "hours": 80.0}
    assert job["min_gpus"] == 8


def test_a_plan_on_smaller_machines_is_pointed_out(focus: Writer) -> None:
    """What ran on eight cards in one machine may not run on eight machines of one card."""
    review = review_of(bill_of(focus(hours_of("i-1", 2, 0, 10))))
    small, whole = (machine("aws", f"box-{count}", count=count) for count in (1, 8))
    offers = tuple(offer(item, "us-east-1", priced(Term.ON_DEMAND, "3")) for item in (small, whole))
    plan = plan_of(*(purchase(f"box-{count}", Term.ON_DEMAND, *NOVEMBER) for count in (1, 8)), offers=offers)
    assert split_up(review, plan) == ["aws/us-east-1/box-1 (1 x A100-SXM4-40GB)"]


def test_the_command_writes_the_new_plan_and_reads_a_plan(
    focus: Writer, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPTIMIZE_LANG", "en")
    bill = str(focus(hours_of("i-1", 2, 0, 10)))
    out = tmp_path / "plan.json"
    assert _main.run(["review", "--bill", bill, "--no-state", "--json", "--replan", str(out)]) == 0
    assert json.loads(out.read_text())["status"] == "optimal"
    capsys.readouterr()
    assert _main.run(["review", "--bill", bill, "--no-state", "--json", "--plan", str(out)]) == 0
    ids = {item["id"] for item in json.loads(capsys.readouterr().out)["findings"]}
    assert "plan-cash" in ids
    out.write_text("{}")
    assert _main.run(["review", "--bill", bill, "--no-state", "--plan", str(out)]) == 2


def test_terms_are_read_from_quotes(focus: Writer) -> None:
    """A quote for a month beats the list price of a month: 720 h x 32.7726 against 9,000."""
    from optimizer.domain.offer import PriceKind

    quoted = priced(Term.MONTH, "9000", PriceUnit.MONTH, kind=PriceKind.QUOTE)
    offers = (offer(P4D, "us-east-1", priced(Term.ON_DEMAND, "32.7726"), quoted),)
    rows = [line for day in range(1, 31) for line in hours_of("i-1", day, 0, 24)]
    rows[-1]["ChargePeriodEnd"] = "2026-12-01T00:00:00Z"
    (finding,) = found(review_of(bill_of(focus(rows), offers=offers), offers), "by-the-month")
    assert finding.saving == Decimal("14596.272")
