"""Economic facts with the working by hand, on offers made for these tests."""

from decimal import Decimal

import pytest
from support import AS_OF, machine_lines, shipped

from optimizer.app.plan import check, plan_file
from optimizer.catalog import Catalog
from optimizer.domain.offer import Machine, Offer, Price, PriceUnit, Term
from optimizer.domain.plan import Plan
from optimizer.planning.case import PlanOptions
from optimizer.planning.workload_file import parse_workload

GPU = "A100-SXM4-80GB"


class Made(Catalog):
    """The shipped facts with offers made here."""

    def __init__(self, *offers: Offer) -> None:
        self.__dict__.update(shipped().__dict__)
        self._made = tuple(sorted(offers, key=lambda offer: offer.key))

    def offers(self) -> tuple[Offer, ...]:
        """The made offers."""
        return self._made


def price(term: Term, amount: str, unit: PriceUnit, **more: object) -> Price:
    row = {
        "term": term,
        "amount": Decimal(amount),
        "unit": unit,
        "currency": "USD",
        "observed": AS_OF,
        "source": "made",
    }
    return Price(**(row | more))  # type: ignore[arg-type]


def hour(amount: str) -> Price:
    return price(Term.ON_DEMAND, amount, PriceUnit.HOUR)


def month(amount: str) -> Price:
    return price(Term.MONTH, amount, PriceUnit.MONTH)


def offer(name: str, gpus: int, *prices: Price) -> Offer:
    gpu = shipped().gpus[GPU]
    machine = Machine(
        provider="made",
        instance_type=name,
        gpu_model=GPU,
        gpu_count=gpus,
        gpu_memory_gib=gpu.memory_gib,
        gpu_memory_usable_gib=gpu.usable_memory_gib,
        source="made",
    )
    return Offer(provider="made", region="r", machine=machine, prices=prices)


def solved(text: str, *offers: Offer, months: int = 1) -> Plan:
    head = f"start: 2026-12-01\nhorizon_months: {months}\nprofile: off\n"
    catalog = Made(*offers)
    found = plan_file(parse_workload(head + text, "made.yaml"), catalog, PlanOptions(as_of=AS_OF, extras=False))
    if found.cost is not None:
        check(found, catalog)
    return found


def job(name: str, gpu_hours: float, **fields: object) -> str:
    more = "".join(f", {key}: {value}" for key, value in fields.items())
    return f"  - {{name: {name}, gpu_hours: {{gpu: {GPU}, hours: {gpu_hours}}}, max_nodes: 1{more}}}\n"


def total(found: Plan) -> Decimal:
    assert found.cost is not None
    return found.cost.total


def test_two_jobs_in_turn_on_one_monthly_machine_beat_two_hourly_ones() -> None:
    # Each job: 8 GPUs x 24 h x 15 days = 2,880 GPU-hours = 360 machine hours. By the hour 360 x 10 = 3,600 each;
    # the month costs 5,000, more than one job by the hour, less than both (7,200).
    # In turn they fit one month (30 days).
    text = "workloads:\n" + job("a", 2880, latest_start_day=15) + job("b", 2880, latest_start_day=15)
    machine = offer("eight", 8, hour("10"), month("5000"))
    found = solved(text, machine)
    assert machine_lines(found) == [("month", "eight", 1)]
    assert total(found) == 5_000
    starts = sorted((item.from_day, item.to_day) for item in found.assignments)
    assert starts[0][1] <= starts[1][0]
    # At the same time they would need two machines: 7,200 by the hour, 8,600 with one month, 10,000 with two.
    together = "workloads:\n" + job("a", 2880, deadline_days=15) + job("b", 2880, deadline_days=15)
    assert total(solved(together, machine)) == 7_200


def test_a_binding_monthly_budget_turns_an_upfront_year_into_months() -> None:
    # Twelve months of eight hours a day: by the year 36,500 upfront; by the month 12 x 4,000 = 48,000.
    text = "MONTHLY" + "workloads:\n" + job("a", 8 * 24 * 365, deadline_days=365)
    machine = offer("eight", 8, month("4000"), price(Term.YEAR, "36500", PriceUnit.YEAR))
    free = solved(text.replace("MONTHLY", ""), machine, months=12)
    assert machine_lines(free) == [("year", "eight", 1)]
    bound = solved(text.replace("MONTHLY", "monthly_budget: 5000\n"), machine, months=12)
    assert {line[0] for line in machine_lines(bound)} == {"month"}
    assert total(bound) == 48_000
    assert all(row.amount <= 5_000 for row in bound.cash_flow)


SUNK = """
commitments:
  - {offer: "made/r/one", term: reserved_1y, ends: 2027-12-01}
  - {offer: "made/r/eight", term: reserved_1y, ends: 2027-12-01}
"""


def test_a_sunk_machine_is_used_first_and_a_smaller_one_before_a_larger() -> None:
    # Steady work that one GPU does: both paid machines would serve it on every day for nothing.
    text = SUNK + "model: {preset: llama-2-7b}\nmethod: lora\nsequence_length: 1024\ntokens_per_month: 1.0e8\n"
    text += "egress_gb: 0\ncheckpoint_gb: 0\nmax_nodes: 1\n"
    found = solved(text, offer("one", 1, hour("2")), offer("eight", 8, hour("10")), offer("cheap", 1, hour("0.01")))
    assert total(found) == 0
    assert [item.instance_type for item in found.assignments] == ["one"]


@pytest.mark.parametrize(("rate", "term"), [(0.5, "spot"), (4.0, "on_demand")])
def test_spot_loses_where_its_re_runs_cost_more(rate: float, term: str) -> None:
    # 80 h at 10 USD against spot at 4 USD with lost 0.5 h + restart 0.25 h: factor 1 + 0.75 x rate, so
    # 1.375 at 0.5 an hour: 110 h x 4 = 440 < 800; 4.0 at 4 an hour: 320 h x 4 = 1,280 > 800.
    text = "workloads:\n" + job(
        "a", 640, interruptible="true", spot=f"{{interruptions_per_hour: {rate}}}", deadline_days=30
    )
    machine = offer("eight", 8, hour("10"), price(Term.SPOT, "4", PriceUnit.HOUR))
    found = solved(text, machine)
    assert {line[0] for line in machine_lines(found)} == {term}
    assert total(found) == (440 if term == "spot" else 800)


OWNED = """
owned:
  electricity_per_kwh: 0
  may_buy:
    - {server: box, gpu: A100-SXM4-80GB, gpus: 8, price: 60000, load_kw: 6, lead_time_days: 31, max: 1}
"""


def steady(months: int) -> str:
    return OWNED + "workloads:\n" + job("a", 8 * 24 * 30 * months, deadline_days=months * 31 + 31)


@pytest.mark.parametrize(
    ("months", "term"),
    [
        # 10 USD/h x 720 h = 7,200 a month: 60,000 are 8.3 months, after a month of waiting that is rented or idle.
        (6, "on_demand"),
        (8, "on_demand"),
        (9, "owned"),
        (12, "owned"),
    ],
)
def test_owning_wins_from_some_length_on_in_spite_of_its_lead_time(months: int, term: str) -> None:
    text = steady(months).replace("deadline_days", "latest_start_day: 31, deadline_days")
    found = solved(text, offer("eight", 8, hour("10")), months=months + 2)
    assert {line[0] for line in machine_lines(found)} == {term}
    assert total(found) == (60_000 if term == "owned" else 7_200 * months)


def test_a_larger_budget_an_added_offer_and_a_later_deadline_never_cost_more() -> None:
    machine, cheaper = offer("eight", 8, hour("10"), month("5000")), offer("other", 8, hour("9"))
    text = "BUDGET" + "workloads:\n" + job("a", 2880, deadline_days="DAYS")
    plain = text.replace("BUDGET", "").replace("DAYS", "20")
    tight = total(solved(text.replace("BUDGET", "budget: 3700\n").replace("DAYS", "20"), machine))
    assert total(solved(plain, machine)) <= tight
    assert total(solved(plain, machine, cheaper)) <= total(solved(plain, machine))
    assert total(solved(text.replace("BUDGET", "").replace("DAYS", "30"), machine)) <= total(solved(plain, machine))


@pytest.mark.parametrize("limit", ["", "max_hourly: 1000\n"])
def test_one_repetition_of_twelve_may_run_elsewhere(limit: str) -> None:
    # One machine for a year serves twelve months of j but the one in which k needs it as well: there j pays 500 h x
    # 1.30 = 650 elsewhere, less than a month of a second machine at 700. 6,000 + 650 = 6,650, with a far limit too.
    yearly = offer("yearly", 1, price(Term.RESERVED_1Y, "6000", PriceUnit.YEAR), month("700"))
    hourly = offer("hourly", 1, hour("1.30"))
    machine = hourly.machine.model_copy(update={"provider": "other"})
    hourly = hourly.model_copy(update={"provider": "other", "machine": machine})
    times = "{every_months: 1, times: 12}"
    jobs = job("j", 500, deadline_days=25, repeats=times) + job(
        "k", 500, starts_day=62, deadline_days=25, providers="[made]"
    )
    found = solved(f"currency: USD\n{limit}workloads:\n{jobs}", yearly, hourly, months=12)
    assert found.cost is not None
    assert (found.cost.total, found.cost.gap) == (Decimal(6650), Decimal(0))
