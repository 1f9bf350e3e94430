"""Plans made by hand, with real prices, whose sums hold to the last place.

Prices: Alibaba gn7i-c8g1.2xlarge 4,675.66 CNY a month (quote of 2026-09-24), Tencent GT4.8XLARGE192 57.28 CNY an
hour, AWS p4d.24xlarge 21.957642 USD an hour (2026-07-20); 6.65288 CNY per USD (ECB, 2026-10-30).
"""

from datetime import date
from typing import Any

from optimizer.domain.finding import VerdictKind
from optimizer.domain.offer import Price, PriceUnit, Term
from optimizer.domain.plan import (
    Alternative,
    Baseline,
    FxUsed,
    HabitBaseline,
    Layout,
    Plan,
    Relaxation,
    Removal,
    RulePrice,
    ServedBy,
    Sunk,
    Unknown,
    Usage,
)
from tests.reports.parts import START, USDCNY, D, assignment, cash, cost_of, finding, machine, offer, plan


def rented() -> Plan:
    """Steady 7B LoRA on two rented A10 machines for three months.

    2 x 4,675.66 = 9,351.32 a month, x 3 = 28,053.96; storage 100 GB x 90 / (365/12) = 295.890411 GB-months
    x 0.5 = 147.945206; in all 28,201.905206. GPU-hours: 2 nodes x 1 GPU x 1,350 h = 2,700.
    """
    purchases = (
        machine(2, "2", "4675.66", "9351.32", (0, 31)),
        machine(2, "2", "4675.66", "9351.32", (31, 62)),
        machine(2, "2", "4675.66", "9351.32", (62, 90)),
        machine(
            1,
            "295.890411",
            "0.5",
            "147.945206",
            (0, 90),
            kind="storage",
            instance_type=None,
            term=None,
            unit="GB-month",
            observed=date(2023, 6, 1),
            source="Alibaba disk price list",
            note="ESSD PL0",
        ),
    )
    months = ["9402.278904", "9402.278904", "9397.347398"]
    starts = [date(2026, 12, 1), date(2027, 1, 1), date(2027, 2, 1)]
    monthly = Price(
        term=Term.MONTH,
        amount=D("4675.66"),
        unit=PriceUnit.MONTH,
        currency="CNY",
        observed=date(2026, 9, 24),
        source="quote",
    )
    return plan(
        cost=cost_of(purchases, months, {"search": "28201.905206"}),
        assignments=(assignment((0, 90)),),
        purchases=purchases,
        cash_flow=cash(list(zip(starts, months, strict=True))),
        usage=(
            Usage(
                workload="lora-7b",
                pool="alibaba/cn-shanghai/ecs.gn7i-c8g1.2xlarge",
                from_day=0,
                to_day=90,
                from_units=2,
                hourly=0,
                spot=0,
                hours=15.0,
                gpus_per_node=1,
            ),
        ),
        alternatives=(
            Alternative(
                title_en="fastest within the budget",
                title_zh="预算内最快",
                cost=D("38410.5"),
                extra=D("10208.594794"),
                finish_day=89,
                description="1 × GT4.4XLARGE96 by the month",
            ),
            Alternative(
                title_en="another provider",
                title_zh="另一供应商",
                cost=D("31022"),
                extra=D("2820.094794"),
                finish_day=89,
                description="2 × GN7.5XLARGE80 by the month",
                conditional=True,
            ),
            Alternative(
                title_en="no term: by the hour only",
                title_zh="仅按量",
                cost=D("29450"),
                extra=D("1248.094794"),
                description="2 × ecs.gn7i-c8g1.2xlarge by the hour",
            ),
        ),
        rule_prices=(
            RulePrice(
                rule="ram-total 2×",
                saving=D("4301.985540"),
                fraction=0.1525,
                plan="ram-total 1.5× (D0)",
                source="D1",
            ),
        ),
        baseline=Baseline(
            description="2 × gn8v-1 (H20-96GB) by the hour",
            cost=D("47800"),
            saving=D("19598.094794"),
            saving_fraction=0.41,
        ),
        baselines=(
            HabitBaseline(
                kind="cheapest_hour",
                status="verified",
                description="2 × vast/CN/2x-RTX_3090 (4 × RTX3090), on_demand",
                cost=D("21900"),
                missing=("storage", "egress"),
                broken=("ram-total", "vram-floor"),
            ),
            HabitBaseline(
                kind="catalog_tool",
                status="verified",
                description="2 × alibaba/cn-beijing/ecs.gn7i-c8g1.2xlarge (2 × A10), on_demand",
                cost=D("29450"),
                saving=D("1248.094794"),
                saving_fraction=0.04238,
            ),
        ),
        ties_settled="all",
        offers=(offer("ecs.gn7i-c8g1.2xlarge", monthly),),
    )


def job() -> Plan:
    """Fourteen days at ten hours: 57.28 x 140 = 8,019.20 CNY; in spot 8 more hours are restarts of another job.

    p4d on spot: 1 x 20 h x 8.5 USD x 6.65288 = 1,130.9896 CNY.
    """
    gt4 = {"provider": "tencent", "region": "ap-guangzhou", "instance_type": "GT4.8XLARGE192"}
    spot = {"provider": "aws", "region": "us-east-1", "instance_type": "p4d.24xlarge"}
    purchases = (
        machine(1, "140", "57.28", "8019.2", (0, 14), **gt4, term=Term.ON_DEMAND, unit="hour", workloads=("sft-13b",)),
        machine(
            1,
            "20",
            "8.5",
            "1130.9896",
            (2, 3),
            **spot,
            term=Term.SPOT,
            unit="hour",
            workloads=("评测",),
            price_currency="USD",
            fx_rate=USDCNY,
            price_kind="spot",
            observed=date(2026, 7, 20),
            source="spot history",
        ),
    )
    tuned = assignment(
        (0, 14),
        **gt4,
        workload="sft-13b",
        gpu_model="A100-SXM4-40GB",
        gpus_per_node=2,
        gpus_used_per_node=2,
        nodes=1,
        run_hours=139.2,
        hours_per_day=10.0,
        usable_gib=39.4,
        served_by=(ServedBy(term=Term.ON_DEMAND, nodes=1, from_day=0, to_day=14),),
    )
    judged = assignment(
        (2, 3),
        **spot,
        workload="评测",
        team="平台",
        gpu_model="A100-SXM4-40GB",
        gpus_per_node=8,
        gpus_used_per_node=8,
        nodes=1,
        layout=None,
        tokens_per_second=None,
        interval=None,
        mfu=None,
        binds=None,
        memory_gib_per_gpu={},
        usable_gib=39.4,
        host_memory_gib=None,
        run_hours=19.5,
        hours_per_day=24.0,
        spot=True,
        start_hour=9,
        served_by=(ServedBy(term=Term.SPOT, nodes=1, from_day=2, to_day=3),),
        rules=(),
    )
    return plan(
        horizon_days=31,
        horizon_months=1,
        cost=cost_of(purchases, ["9150.1896"], {"search": "8019.2", "平台": "1130.9896"}),
        assignments=(tuned, judged),
        purchases=purchases,
        cash_flow=cash([(START, "9150.1896")]),
        fx=(FxUsed(currency="CNY", units_per_usd=USDCNY, day=date(2026, 10, 30), source="ECB reference rate"),),
        baseline=Baseline(description="no 80 GB GPU is sold by the hour in CN", cost=None, saving=None),
        baselines=(
            HabitBaseline(kind="cheapest_hour", status="late"),
            HabitBaseline(kind="catalog_tool", status="no_plan"),
        ),
    )


def fleet() -> Plan:
    """A year of two teams: a machine bought, one that is there, two reserved, three by the hour; not proven.

    Owned 2,100,000 - 1,470,000 = 630,000; colocation 10.2 kW x 12 x 900 = 110,160; maintenance 8,750 x 12 =
    105,000; energy 45,000 kWh x 0.75 = 33,750; reserved 2 x 12 x 22,821.68 = 547,720.32; by the hour 3 x 60 x
    28.64 = 5,155.20; in all 1,431,785.52. Cash: first month 2,171,541.06, then 11 x 66,385.86: with the
    residual taken off again 1,431,785.52.
    """
    own = {"provider": "owned", "region": "site", "workloads": ("pretrain-13b",), "observed": None}
    own = {**own, "source": "workload file", "term": Term.OWNED, "instance_type": "hgx-h100-8"}
    running = {**own, "term": None}
    tencent = {"provider": "tencent", "region": "ap-guangzhou", "workloads": ("ranker", "evals")}
    year = (0, 365)
    purchases = (
        machine(1, "1", "2100000", "630000", year, **own, unit="unit", residual=D("1470000")),
        machine(1, "122.4", "900", "110160", year, **running, kind="colocation", unit="kW-month"),
        machine(1, "12", "8750", "105000", year, **running, kind="maintenance", unit="month"),
        machine(1, "45000", "0.75", "33750", year, **running, kind="energy", unit="kWh"),
        machine(
            2,
            "24",
            "22821.68",
            "547720.32",
            year,
            **tencent,
            instance_type="GT4.8XLARGE192",
            term=Term.RESERVED_1Y,
            observed=None,
            price_kind="street",
        ),
        machine(
            3,
            "180",
            "28.64",
            "5155.2",
            (4, 10),
            **tencent,
            instance_type="GT4.4XLARGE96",
            term=Term.ON_DEMAND,
            unit="hour",
        ),
    )
    starts = [date(2026, 12, 1), *(date(2027, month, 1) for month in range(1, 12))]
    months = ["2171541.06", *(["66385.86"] * 11)]
    pretrain = assignment(
        year,
        provider="owned",
        region="site",
        instance_type="hgx-h100-8",
        workload="pretrain-13b",
        team="research",
        gpu_model="H100-SXM5-80GB",
        gpus_per_node=8,
        gpus_used_per_node=8,
        nodes=2,
        layout=Layout(zero=1, tp=2, pp=1, dp=8, micro_batch=2, accumulation=8, checkpointing="full"),
        tokens_per_second=101_250.0,
        interval=(84_000.0, 123_500.0),
        run_hours=7300.0,
        hours_per_day=20.0,
        binds="inter_node",
        served_by=(ServedBy(term=Term.OWNED, nodes=2, from_day=0, to_day=365),),
    )
    ranker = assignment(
        year,
        provider="tencent",
        region="ap-guangzhou",
        instance_type="GT4.8XLARGE192",
        workload="ranker",
        gpu_model="A100-SXM4-40GB",
        gpus_per_node=2,
        gpus_used_per_node=1,
        nodes=1,
        run_hours=3650.0,
        hours_per_day=10.0,
        served_by=(ServedBy(term=Term.RESERVED_1Y, nodes=1, from_day=0, to_day=365),),
    )
    evals = [
        assignment(
            (start, start + 6),
            provider="tencent",
            region="ap-guangzhou",
            instance_type="GT4.4XLARGE96",
            workload="evals",
            gpu_model="A100-SXM4-40GB",
            nodes=3,
            repetition=number,
            run_hours=60.0,
            hours_per_day=10.0,
            served_by=(ServedBy(term=Term.ON_DEMAND, nodes=3, from_day=start, to_day=start + 6),),
        )
        for number, start in enumerate((4, 35))
    ]
    return plan(
        status="feasible",
        horizon_days=365,
        horizon_months=12,
        cost=cost_of(
            purchases,
            months,
            {"research": "878910", "search": "552875.52"},
            present_value=D("1409312.44"),
            bound=D("1396426.92"),
            gap=D("12885.52"),
        ),
        inputs={"currency": "CNY", "discount_rate": 0.03, "tax": {"included": True, "rate": 0.06, "recoverable": True}},
        assignments=(pretrain, ranker, *evals),
        purchases=purchases,
        cash_flow=cash(list(zip(starts, months, strict=True))),
        sunk=(
            Sunk(
                pool="owned/site/hgx-h100-8",
                name="lab-1",
                count=1,
                from_day=0,
                to_day=365,
                term=Term.OWNED,
                used_unit_days=365,
            ),
        ),
        rules_below_strict=("ram-total 1.5× (D0)",),
        baseline=Baseline(
            description="2 × p5.48xlarge by the hour, rules off", cost=D("1300000"), saving=D("-131785.52")
        ),
        ties_settled="",
        notes=("prices without a statement of tax: 1",),
    )


def infeasible() -> Plan:
    """No plan: what each filter removed and what would help."""
    return plan(
        status="infeasible",
        removals=(
            Removal(filter="countries: [CN]", removed=3120, left=1723),
            Removal(filter="vram-floor-full (hard)", removed=1588, left=135),
            Removal(filter="nvlink (hard)", removed=135, left=0),
        ),
        relaxations=(
            Relaxation(
                direction="money",
                change_en="raise the budget from 40,000.00 to 61,250.00 CNY",
                change_zh="把预算从 40,000.00 提高到 61,250.00 CNY",
                cost=D("61250"),
            ),
            Relaxation(
                direction="rule",
                change_en="nvlink as a warning instead of a hard rule",
                change_zh="把 nvlink 从硬性改为警告",
                cost=D("38900.5"),
            ),
            Relaxation(
                direction="region", change_en="allow us-east-1 as well", change_zh="同时允许 us-east-1", cost=None
            ),
        ),
    )


NASTY = "<script>alert('x')</script>"
ESCAPE = "\x1b[31mred\x1b[0m[bold]\u202e"


def conditional() -> Plan:
    """A plan that stands on unknown facts, with texts that try to break out of every format."""
    evil = {"provider": NASTY, "region": "=cmd|' /C calc'!A0", "instance_type": '+1 & "x" <b>'}
    purchases = (
        machine(
            1,
            "1",
            "1000",
            "1000",
            (0, 31),
            **evil,
            observed=None,
            price_kind="market_quote",
            source="@SUM(1+1)*cmd",
            workloads=(ESCAPE, "-2+3"),
        ),
    )
    unsure = finding(
        "ecc",
        VerdictKind.UNKNOWN,
        measured="-",
        required="ECC",
        source="D4",
        confirm_en="ECC on",
        confirm_zh="开启 ECC",
    )
    return plan(
        horizon_days=31,
        horizon_months=1,
        cost=cost_of(purchases, ["1000"], {"": "600", NASTY: "400"}),
        assignments=(assignment((0, 31), **evil, workload=ESCAPE, nodes=1, conditional=True, rules=(unsure,)),),
        purchases=purchases,
        cash_flow=cash([(START, "1000")]),
        incomplete=("storage in <i>cn-x</i>",),
        unknowns=(
            Unknown(
                offer=f"{NASTY}/x/y",
                rule="ecc",
                what_en="ECC memory",
                what_zh="ECC 内存",
                confirm_with="sales",
                command="nvidia-smi -q -d ECC",
            ),
        ),
        alternatives=(
            Alternative(
                title_en="without unknowns", title_zh="无未知项", cost=D(1200), extra=D(200), description=NASTY
            ),
        ),
        notes=(f"{ESCAPE} note",),
    )


ALL = {"rented": rented, "job": job, "fleet": fleet, "infeasible": infeasible, "conditional": conditional}


def breakeven() -> dict[str, Any]:
    """A surface in the shape of `optimize breakeven --json`: by the hour below 288 h a month, by the month above.

    Month price / hour price is 288.2 h on Tencent's GN10X (rules.md, case 13): 30 days at 9.6 h and more.
    """
    hours, days = (4, 8, 10, 12, 16, 24), (7, 14, 30, 90, 180)
    points = [
        {
            "hours_per_day": h,
            "days": d,
            "months": None,
            "cheapest": "month" if h * d >= 288.2 * -(-d // 30) else "on_demand",
            "costs": {},
        }
        for h in hours
        for d in days
    ]
    return {
        "terms": ["on_demand", "month"],
        "points": points,
        "crossings": [{"from": "on_demand", "to": "month", "hours_per_day": 10, "days": 28.8}],
        "document_point": {"days": 14, "hours_per_day": 10, "cheapest": "on_demand", "costs": {}},
    }
