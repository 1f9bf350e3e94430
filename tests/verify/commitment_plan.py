"""A valid plan by hand whose work is paid by one savings plan; its money is worked out in a comment."""

from datetime import date
from decimal import Decimal

from optimizer.domain.offer import Offer, PriceUnit, Term
from optimizer.domain.plan import Plan, Purchase, QuotaUse, ServedBy
from tests.verify.parts import D, assignment, cost, offer, plan, price, purchase, usage

YEAR = Term.SAVINGS_PLAN_1Y


def _machines(start: date, name: str, pool: Offer, rate: Decimal) -> tuple[Purchase, Purchase]:
    """13 days under the plan, which cost nothing more, and one by the hour."""
    covered = purchase(
        start, pool, (0, 13), [name], term=YEAR, quantity=D(130), unit="hour", unit_price=rate, cost=D(0)
    )
    hourly = purchase(
        start,
        pool,
        (13, 14),
        [name],
        term=Term.ON_DEMAND,
        quantity=D(10),
        unit="hour",
        unit_price=D("57.28"),
        cost=D("572.80"),
    )
    return covered, hourly


def covered_by_a_savings_plan() -> Plan:
    """Two jobs of 280 GPU hours on two machines of two, 10 h a day for 14 days, in two regions under one plan.

    Committed: 40 + 30.001 = 70.001 CNY an hour, 70,001 steps of 0.001. A step is 8.76 CNY a year, 0.73 a month:
    51,100.73 a month, 613,208.76 in all, of which 8,760 x 40 = 350,400 pay for the first job. On the last day both run
    by the hour: 10 x 57.28 = 572.80 each, so 614,354.36 in all and 52,246.33 in the first month.
    """
    start, days = date(2026, 12, 1), (0, 14)
    pools = [
        offer(
            "azure",
            region,
            "GT4.8XLARGE192",
            2,
            price(Term.ON_DEMAND, "57.28", PriceUnit.HOUR),
            price(YEAR, rate, PriceUnit.HOUR),
        )
        for region, rate in (("eastus", "40"), ("westus", "30.001"))
    ]
    works = [
        {"name": name, "team": team, "hours_per_day": 10, "gpu_hours": {"gpu": "A100-PCIE-40GB", "hours": 280}}
        for name, team in (("trial", "search"), ("probe", "ads"))
    ]
    served = (
        ServedBy(term=YEAR, nodes=1, from_day=0, to_day=13),
        ServedBy(term=Term.ON_DEMAND, nodes=1, from_day=13, to_day=14),
    )
    runs = [("trial", "search", pools[0], D(40)), ("probe", "ads", pools[1], D("30.001"))]
    money = cost(
        "614354.36",
        ["52246.33", *["51100.73"] * 11],
        {"savings_plan_1y": "613208.76", "on_demand": "1145.60"},
        by_team={"search": D("350972.80"), "ads": D("263381.56")},
    )
    commitment = purchase(
        start,
        pools[0],
        (0, 365),
        ["trial", "probe"],
        kind="commitment",
        term=YEAR,
        quantity=D(8760),
        unit="hour",
        unit_price=D("70.001"),
        cost=D("613208.76"),
        observed=date(2026, 11, 1),
        instance_type=None,
    ).model_copy(update={"region": "any"})
    return plan(
        start,
        1,
        31,
        money,
        {
            "workloads": works,
            "quotas": [{"provider": "azure", "term": "hourly", "max_gpus": 8}],
            "max_hourly": "184.561",
        },
        month_dates=[date(2026 + month // 12, month % 12 + 1, 1) for month in range(11, 23)],
        offers=tuple(pools),
        assignments=tuple(
            assignment(start, name, pool, days, team=team, run_hours=140.0, hours_per_day=10.0, served_by=served)
            for name, team, pool, _ in runs
        ),
        usage=tuple(
            usage(name, pool, part, 10.0, hourly=hourly, covered=1 - hourly)
            for name, _, pool, _ in runs
            for part, hourly in (((0, 13), 0), ((13, 14), 1))
        ),
        purchases=(
            *(line for name, _, pool, rate in runs for line in _machines(start, name, pool, rate)),
            commitment,
        ),
        quotas=(QuotaUse(quota={"provider": "azure", "term": "hourly", "max_gpus": 8}, peak=4),),
    )
