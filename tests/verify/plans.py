"""Valid plans written by hand; every figure of money is worked out in a comment, none comes from the product."""

from datetime import date

from optimizer.domain.offer import Price, PriceKind, PriceUnit, Term
from optimizer.domain.plan import (
    Alternative,
    Assignment,
    Baseline,
    FxUsed,
    HabitBaseline,
    Plan,
    Purchase,
    QuotaUse,
    ServedBy,
    Sunk,
    Usage,
)
from optimizer.verify import StoreFacts, VerifyFacts
from tests.verify.commitment_plan import covered_by_a_savings_plan
from tests.verify.parts import GPU, D, assignment, cost, offer, plan, price, purchase, sized, usage


def two_weeks_by_the_hour() -> Plan:
    """280 GPU hours on a machine of two, 10 h a day: 140 h, 14 days (rules.md, case 12).

    57.28 CNY x 10 h = 572.80 a day, x 14 = 8,019.20.
    """
    start = date(2026, 12, 1)
    pool = offer("tencent", "ap-guangzhou", "GT4.8XLARGE192", 2, price(Term.ON_DEMAND, "57.28", PriceUnit.HOUR))
    work = {"name": "trial", "team": "search", "hours_per_day": 10, "gpu_hours": {"gpu": GPU, "hours": 280}}
    days = (0, 14)
    return plan(
        start,
        1,
        31,
        cost("8019.20", ["8019.20"], {"on_demand": "8019.20"}),
        {"workloads": [work], "quotas": [{"provider": "tencent", "max_gpus": 8}], "budget": "9000"},
        month_dates=[start],
        offers=(pool,),
        assignments=(assignment(start, "trial", pool, days, team="search", run_hours=140.0, hours_per_day=10.0),),
        usage=(usage("trial", pool, days, 10.0),),
        purchases=(
            purchase(
                start,
                pool,
                days,
                ["trial"],
                term=Term.ON_DEMAND,
                quantity=D(140),
                unit="hour",
                unit_price=D("57.28"),
                cost=D("8019.20"),
            ),
        ),
        quotas=(QuotaUse(quota={"provider": "tencent", "max_gpus": 8}, peak=2),),
        alternatives=(
            Alternative(
                title_en="by the month",
                title_zh="包月",
                cost=D("27496"),
                extra=D("19476.80"),
                description="one month",
            ),
        ),
        baseline=Baseline(description="newest card", cost=D("16038.40"), saving=D("8019.20"), saving_fraction=0.5),
        baselines=(
            HabitBaseline(
                kind="catalog_tool",
                status="verified",
                description="cheapest hour",
                cost=D("10024"),
                saving=D("2004.80"),  # 10,024.00 - 8,019.20, a fifth of 10,024.00
                saving_fraction=0.2,
            ),
        ),
    )


STEADY = {
    "name": "chat",
    "team": "search",
    "model": {"preset": "llama-2-13b"},
    "method": "lora",
    "tokens_per_month": 3.65e9,
    "max_moves": 1,
    "move_cost": 500,
}


def month_then_hours() -> Plan:
    """Steady work from 31 January: two machines for a month, then one by the hour, priced in USD without tax.

    u = 3.65e9 x 12 / 365 / (3,600 x 5,000) = 6.667 h a day, billed as 7.
    Months: 31 Jan, 28 Feb (day 28), 31 Mar (day 59), 30 Apr (day 89).
    Rent 2 x 4,675.66 = 9,351.32. Node-day 2.5 USD x 1.06 x 7.1 x 7 h = 131.705; 61 days 8,034.005. One move 500.
    Cash: 9,351.32; 31 x 131.705 + 500 = 4,582.855; 30 x 131.705 = 3,951.15; together 17,885.325.
    """
    start = date(2027, 1, 31)
    rent = offer("alibaba", "cn-beijing", "gn7i", 1, price(Term.MONTH, "4675.66", PriceUnit.MONTH, tax_included=True))
    hourly = offer(
        "aws",
        "us-east-1",
        "g9.xlarge",
        1,
        price(Term.ON_DEMAND, "2.5", PriceUnit.HOUR, "USD", tax_included=False),
        country="US",
    )
    first, later = (0, 28), (28, 89)
    hours = 20 / 3
    on_units = (ServedBy(term=Term.MONTH, nodes=2, from_day=0, to_day=28),)
    common = {"team": "search", "hours_per_day": hours}
    return plan(
        start,
        3,
        89,
        cost(
            "17885.325",
            ["9351.32", "4582.855", "3951.15"],
            {"month": "9351.32", "on_demand": "8034.005", "move": "500"},
        ),
        {
            "workloads": [STEADY],
            "tax": {"included": True, "rate": 0.06, "recoverable": False},
            "monthly_budget": 10000,
            "max_hourly": 20,
            "fx": {"USDCNY": "7.1"},
        },
        month_dates=[start, date(2027, 2, 28), date(2027, 3, 31)],
        offers=(rent, hourly),
        fx=(FxUsed(currency="CNY", units_per_usd=D("7.1"), day=None, source="workload file"),),
        assignments=(
            assignment(
                start,
                "chat",
                rent,
                first,
                served_by=on_units,
                **common,
                **(sized(2, 5000.0) | {"nodes": 2, "run_hours": hours * 28}),
            ),
            assignment(start, "chat", hourly, later, **common, **sized(1, 5000.0), run_hours=hours * 61),
        ),
        usage=(
            usage("chat", rent, first, hours, from_units=2, hourly=0),
            usage("chat", hourly, later, hours),
        ),
        purchases=(
            purchase(
                start,
                rent,
                first,
                ["chat"],
                term=Term.MONTH,
                count=2,
                quantity=D(2),
                unit="month",
                unit_price=D("4675.66"),
                cost=D("9351.32"),
            ),
            purchase(
                start,
                hourly,
                later,
                ["chat"],
                term=Term.ON_DEMAND,
                quantity=D(427),
                unit="hour",
                unit_price=D("2.5"),
                price_currency="USD",
                fx_rate=D("7.1"),
                tax_factor=D("1.06"),
                cost=D("8034.005"),
            ),
            purchase(
                start,
                hourly,
                (28, 29),
                ["chat"],
                kind="move",
                instance_type=None,
                price_kind="quote",
                quantity=D(1),
                unit="move",
                unit_price=D(500),
                cost=D(500),
            ),
        ),
    )


#: The products that the plans store on: exactly as large as needed.
STORES = VerifyFacts(stores={("vast", "eu", product): StoreFacts(None) for product in ("disk", "object")})
BOX = {"server": "box", "load_kw": 6, "idle_kw": 2}


def bought_beside_owned() -> Plan:
    """A share of a machine that is there, and a whole one that is bought on day 0 and usable from day 10.

    December 31, January 31, February 28 days: 90. Box: 6 kW at load, 2 kW idle; PUE 1.25 x 0.8 CNY = 1 CNY a kWh.
    Price 100,000; age 90 x 12 / 365 months of 12 to 0.7: r = 1 - 0.3 x 90 / 365 = 0.9260273972602740;
    residual 92,602.739726, cost 7,397.260274. Network 3,000.
    There: colocation 6 x 900 = 5,400 x 3 = 16,200; idle 2 kW x 24 h = 48 a day: 1,488 + 1,488 + 1,344 = 4,320.
    Bought, 21 of 31 days of December: colocation 6 x 500 = 3,000: 2,032.258065 + 3,000 x 2 = 8,032.258065;
    maintenance 100,000 x 0.06 = 6,000 a year, 500 a month: 338.709677 + 1,000 = 1,338.709677;
    staff 100: 67.741935 + 200 = 267.741935; idle 21 x 48 + 1,488 + 1,344 = 3,840.
    Running: half a box 2 kW x 96 h = 192; a whole box 4 kW x 48 h = 192.
    December: 100,000 + 3,000 + 5,400 + 1,488 + 2,032.258065 + 338.709677 + 67.741935 + 1,008 + 384 = 113,718.709677.
    January: 5,400 + 1,488 + 3,000 + 500 + 100 + 1,488 = 11,976. February: 5,400 + 1,344 + 3,000 + 500 + 100 + 1,344
    = 11,688. Together 137,382.709677; less the residual 44,779.969951.
    Teams. search has the half box, lab the whole one. Bought box (day 10 on) and its running lines: only `whole` is
    there in [10, 90); the line of day 0 to 90 is used by both: half x 4 days = 2 against 2: equal.
    """
    start = date(2026, 12, 1)
    quote = Price(
        term=Term.OWNED, amount=D(100000), unit=PriceUnit.TERM, currency="CNY", kind=PriceKind.QUOTE, source="file"
    )
    box = offer("owned", "on-prem", "box", 8, quote)
    works = [
        {"name": "half", "team": "search", "gpu_hours": {"gpu": GPU, "hours": 384}},
        {"name": "whole", "team": "lab", "gpu_hours": {"gpu": GPU, "hours": 384}, "starts_day": 10},
    ]
    there = {**BOX, "name": "lab-1", "colocation_per_kw_month": 900}
    may_buy = {
        **BOX,
        "price": 100000,
        "lead_time_days": 10,
        "max": 2,
        "residual_by_month": {"0": 1.0, "12": 0.7},
        "colocation_per_kw_month": 500,
        "maintenance_fraction_year": 0.06,
        "staff_per_month": 100,
        "network_per_node": 3000,
    }
    site = {"site_power_kw": 15, "electricity_per_kwh": 0.8, "pue": 1.25, "already": [there], "may_buy": [may_buy]}

    def served(first: int, end: int) -> tuple[ServedBy, ...]:
        return (ServedBy(term=Term.OWNED, nodes=1, from_day=first, to_day=end),)

    def line(kind: str, days: tuple[int, int], works: list[str], quantity: str, unit: str, *money: str) -> Purchase:
        more = {"residual": D(money[2])} if len(money) > 2 else {}
        return purchase(
            start,
            box,
            days,
            works,
            kind=kind,
            term=Term.OWNED,
            quantity=D(quantity),
            unit=unit,
            unit_price=D(money[0]),
            cost=D(money[1]),
            price_kind="quote",
            observed=None,
            **more,
        )

    both, whole = ["half", "whole"], ["whole"]
    # Shares of months: 3 there; 21/31 + 2 = 2.6774193548387097 bought.
    part = "2.677419354838709677419354839"
    return plan(
        start,
        3,
        90,
        cost(
            "44779.969951",
            ["113718.709677", "11976", "11688"],
            {
                "owned": "7397.260274",
                "network": "3000",
                "colocation": "24232.258065",
                "maintenance": "1338.709677",
                "staff": "267.741935",
                "energy": "8544",
            },
            # search: half of lines 1, 2, 7, 8 (7,397.260274 + 3,000 + 16,200 + 4,320) = 15,458.630137 and its 192.
            by_team={"search": D("15650.630137"), "lab": D("29129.339814")},
        ),
        {"workloads": works, "owned": site},
        month_dates=[start, date(2027, 1, 1), date(2027, 2, 1)],
        offers=(box,),
        assignments=(
            assignment(
                start,
                "half",
                box,
                (0, 4),
                team="search",
                run_hours=96.0,
                hours_per_day=24.0,
                gpus_used_per_node=4,
                served_by=served(0, 4),
            ),
            assignment(
                start, "whole", box, (10, 12), team="lab", run_hours=48.0, hours_per_day=24.0, served_by=served(10, 12)
            ),
        ),
        usage=(
            usage("half", box, (0, 4), 24.0, from_units=1, hourly=0, gpus_per_node=4),
            usage("whole", box, (10, 12), 24.0, from_units=1, hourly=0),
        ),
        sunk=(
            # Days 0-3 half a machine works (one unit-day each), days 10 and 11 a whole one.
            Sunk(pool=box.key, name="lab-1", count=1, from_day=0, to_day=90, term=Term.OWNED, used_unit_days=6),
        ),
        purchases=(
            line("machine", (0, 90), both, "1", "unit", "100000", "7397.260274", "92602.739726"),
            line("network", (0, 90), both, "1", "unit", "3000", "3000"),
            line("colocation", (10, 90), both, f"{6 * D(part)}", "kW-month", "500", "8032.258065"),
            line("maintenance", (10, 90), both, f"{D(part) / 12}", "year", "6000", "1338.709677"),
            line("staff", (10, 90), both, part, "month", "100", "267.741935"),
            line("energy", (10, 90), both, "4800", "kWh", "0.8", "3840"),
            line("colocation", (0, 90), both, "18", "kW-month", "900", "16200"),
            line("energy", (0, 90), both, "5400", "kWh", "0.8", "4320"),
            line("energy", (0, 4), ["half"], "240", "kWh", "0.8", "192"),
            line("energy", (10, 12), whole, "240", "kWh", "0.8", "192"),
        ),
    )


def reserved_year_continues() -> Plan:
    """A year reserved in December for steady work of six months: only the days inside count, discounted by 10 %.

    10 CNY an hour on a year is 87,600; December to May are 182 days: 87,600 x 182 / 365 = 43,680.
    Half upfront 43,800, then 3,650 a month; the six months inside pay 65,700, scaled by 43,680 / 65,700:
    upfront 29,120, a month 2,426.666667, the last 43,680 - 29,120 - 5 x 2,426.666667 = 2,426.666665.
    Present value: 31,546.666667 on day 0, then on days 31, 62, 90, 121, 151, each x 1.1 ** (-day / 365).
    """
    start = date(2026, 12, 1)
    year = offer(
        "aws",
        "cn-north-1",
        "p4",
        1,
        price(Term.RESERVED_1Y, "10", PriceUnit.HOUR, upfront_share=D("0.5")),
    )
    hours = 20 / 3
    served = (ServedBy(term=Term.RESERVED_1Y, nodes=1, from_day=0, to_day=182),)
    later = [(31, "2426.666667"), (62, "2426.666667"), (90, "2426.666667"), (121, "2426.666667"), (151, "2426.666665")]
    value = D("31546.666667") + sum((D(amount) * D(1.1 ** (-day / 365)) for day, amount in later), D(0))
    value = value.quantize(D("0.000001"))
    dates = [start, date(2027, 1, 1), date(2027, 2, 1), date(2027, 3, 1), date(2027, 4, 1), date(2027, 5, 1)]
    return plan(
        start,
        6,
        182,
        cost(
            "43680",
            ["31546.666667", *(amount for _, amount in later)],
            {"reserved_1y": "43680"},
            bound=value - 100,
            gap=D(100),
            present_value=value,
        ),
        {"workloads": [{**STEADY, "max_moves": 0}], "after_horizon": "continue", "discount_rate": 0.1},
        month_dates=dates,
        status="feasible",
        offers=(year,),
        assignments=(
            assignment(
                start,
                "chat",
                year,
                (0, 182),
                team="search",
                hours_per_day=hours,
                run_hours=hours * 182,
                served_by=served,
                **sized(1, 5000.0),
            ),
        ),
        usage=(usage("chat", year, (0, 182), hours, from_units=1, hourly=0),),
        purchases=(
            purchase(
                start,
                year,
                (0, 365),
                ["chat"],
                term=Term.RESERVED_1Y,
                quantity=D(8760),
                unit="hour",
                unit_price=D(10),
                cost=D(43680),
            ),
        ),
    )


def spot_with_storage() -> Plan:
    """Two repetitions on spot, two nodes, a third longer by interruptions; a shared data set, cold data and egress.

    Work 48 GPU hours on 2 nodes of one GPU: 24 h; on spot 24 x (1 + 2 x 0.25 x (0.5 + 0.25)) = 33 h; 10 h a day from
    9 o'clock: four days, 10 + 10 + 10 + 3 h. Spot 2 CNY an hour: node-day 20, last 6; two nodes 40 x 3 + 12 = 132 each.
    Day 0 is 1 December, the second run starts on 1 January (day 31); the horizon is 62 days.
    Shared data set 365 GB at 0.3 a GB-month: 0.3 x 365 x 12 / 365 = 3.6 a day, 4 days: 14.4 a run.
    Checkpoints 2 x 36.5 = 73 GB at 0.3: 73 x 4 x 12 / 365 = 9.6 GB-months, 2.88 a run.
    Cold 730 GB at 0.05 to the end: 62 days 730 x 62 x 12 / 365 = 1,488 GB-months, 74.4; from day 31: 744, 37.2.
    Egress 10 GB at 0.5: 5 a run.
    December: 132 + 14.4 + 2.88 + 5 + 74.4 x 31 / 62 = 191.48. January the same with 37.2 + 37.2: 228.68.
    """
    start = date(2026, 12, 1)
    pool = offer(
        "vast", "eu", "one", 1, price(Term.SPOT, "2", PriceUnit.HOUR, kind=PriceKind.SPOT, interruptions_per_hour=0.25)
    )
    work = {
        "name": "sweep",
        "gpu_hours": {"gpu": GPU, "hours": 48},
        "interruptible": True,
        "window": {"from": "09:00", "hours": 10},
        "repeats": {"every_months": 1, "times": 2},
        "deadline_days": 4,
        "dataset": "corpus",
        "dataset_gb": 365,
        "checkpoint_gb": 36.5,
        "cold_storage_gb": 730,
        "egress_gb": 10,
    }

    def run(number: int, first: int) -> Assignment:
        served = (ServedBy(term=Term.SPOT, nodes=2, from_day=first, to_day=first + 4),)
        more = {"repetition": number, "nodes": 2, "spot": True, "start_hour": 9, "served_by": served}
        return assignment(start, "sweep", pool, (first, first + 4), run_hours=33.0, hours_per_day=10.0, **more)

    def used(number: int, first: int) -> tuple[Usage, ...]:
        more = {"hourly": 0, "spot": 2, "window": (9, 10), "repetition": number}
        return (
            usage("sweep", pool, (first, first + 3), 10.0, **more),
            usage("sweep", pool, (first + 3, first + 4), 3.0, **more),
        )

    def machine_line(days: tuple[int, int], quantity: str, amount: str) -> Purchase:
        more = {"term": Term.SPOT, "count": 2, "unit": "hour", "unit_price": D(2), "price_kind": "spot"}
        return purchase(start, pool, days, ["sweep"], quantity=D(quantity), cost=D(amount), **more)

    def stored(kind: str, note: str, days: tuple[int, int], quantity: str, unit_price: str, amount: str) -> Purchase:
        unit = "GB" if kind == "egress" else "GB-month"
        more = {"kind": kind, "note": note, "unit": unit, "instance_type": None, "observed": date(2026, 11, 2)}
        money = {"quantity": D(quantity), "unit_price": D(unit_price), "cost": D(amount)}
        return purchase(start, pool, days, ["sweep"], **more, **money)

    lines = []
    for first, months, cold in ((0, "1488", "74.4"), (31, "744", "37.2")):
        end = first + 4
        lines += [
            machine_line((first, end - 1), "60", "120"),
            machine_line((end - 1, end), "6", "12"),
            stored("storage", "hot: disk", (first, end), "9.6", "0.3", "2.88"),
            stored("storage", "cold: object", (first, 62), months, "0.05", cold),
            stored("egress", "internet egress", (end - 1, end), "10", "0.5", "5"),
            stored("storage", "shared data set corpus: disk", (first, end), "48", "0.3", "14.4"),
        ]
    return plan(
        start,
        2,
        62,
        cost(
            "420.16",
            ["191.48", "228.68"],
            {"spot": "264", "storage": "146.16", "egress": "10"},
            by_team={"-": D("420.16")},
        ),
        {"workloads": [work], "quotas": [{"term": "spot", "max_nodes": 2}]},
        month_dates=[start, date(2027, 1, 1)],
        offers=(pool,),
        assignments=(run(0, 0), run(1, 31)),
        usage=(*used(0, 0), *used(1, 31)),
        purchases=tuple(lines),
        quotas=(QuotaUse(quota={"term": "spot", "max_nodes": 2}, peak=2),),
    )


ALL_PLANS = (
    two_weeks_by_the_hour,
    month_then_hours,
    bought_beside_owned,
    reserved_year_continues,
    spot_with_storage,
    covered_by_a_savings_plan,
)
