"""A month that is renewed ends on the first day's date; twelve months cost twelve months from any day."""

from datetime import date
from decimal import Decimal

import pytest

from optimizer.app.plan import check
from optimizer.domain.offer import Price, PriceUnit, Term
from optimizer.domain.plan import Plan
from optimizer.planning.assembly import assemble
from optimizer.planning.calendar import add_months
from optimizer.planning.case import PlanOptions
from optimizer.planning.pipeline import Planner
from optimizer.planning.rent_days import rows_of_months, starts_of_rows
from optimizer.planning.workload_file import parse_workload
from optimizer.program import solve
from optimizer.program.problem import Limits
from optimizer.verify import verify_plan
from tests.planning.test_price_age import AS_OF, YOUNG, Small, a_price

MODEL = (
    "model: {preset: llama-2-7b}\nmethod: lora\nsequence_length: 1024\nglobal_batch_tokens: 65536\n"
    "egress_gb: 0\ncheckpoint_gb: 0\nmax_nodes: 1\n"
)
MONTH, WEEK, HOUR = Decimal(500), Decimal(180), Decimal(9)


def a_rent(term: Term, amount: Decimal, unit: PriceUnit) -> Price:
    return a_price(str(amount), YOUNG).model_copy(update={"term": term, "unit": unit})


class ByTheMonth(Small):
    """One A100 by the month, and on the other terms of a test."""

    def __init__(self, *more: Price) -> None:
        super().__init__(("9", YOUNG))
        prices = (a_rent(Term.MONTH, MONTH, PriceUnit.MONTH), *more)
        self._small = tuple(offer.model_copy(update={"prices": prices}) for offer in self._small)


def planner(start: str, months: int, *more: Price, limits: str = "", work: str = "tokens_per_month: 1e10") -> Planner:
    frame = f"start: {start}\nhorizon_months: {months}\nprofile: off\n{limits}\nname: w\n"
    file = parse_workload(f"{frame}{MODEL}{work}\n", "w.yaml")
    return Planner(file, ByTheMonth(*more), PlanOptions(as_of=AS_OF, extras=False), "w.yaml")


def planned(start: str, months: int, *more: Price, limits: str = "", work: str = "tokens_per_month: 1e10") -> Plan:
    asked = planner(start, months, *more, limits=limits, work=work)
    plan, _ = asked.plan()
    check(plan, asked.catalog)  # the independent recount
    return plan


def total(plan: Plan) -> Decimal:
    assert plan.status == "optimal"
    assert plan.cost is not None
    return plan.cost.total


def test_rows_count_from_the_first_day() -> None:
    # From 31 January 2027 to 28 February (day 28), 31 March (59), 30 April (89); one by one to 28 March and 28 April.
    start = date(2027, 1, 31)
    assert list(rows_of_months(start, 0, 60)) == [(0, 28, 59), (0, 28, 59, 89)]
    assert list(rows_of_months(date(2027, 1, 28), 0, 400)) == []  # every month has a 28th
    # From 31 March to 30 April and on to 31 May; one by one it ends on 30 May.
    assert list(rows_of_months(date(2027, 3, 31), 0, 31)) == [(0, 30, 61)]


def test_starts_of_rows_are_all_days_whose_renewed_months_end_there() -> None:
    start = date(2027, 1, 1)
    for end in (date(2027, 3, 31), date(2027, 5, 30), date(2027, 6, 29), date(2027, 4, 15)):
        days = [date.fromordinal(number) for number in range(start.toordinal(), end.toordinal())]
        by_hand = {d for d in days if d.day > 28 and any(add_months(d, k) == end for k in range(2, 8))}
        found = {date.fromordinal(start.toordinal() + day) for day in starts_of_rows(start, (end - start).days)}
        assert found == by_hand


@pytest.mark.parametrize("start", ["2027-01-28", "2027-01-29", "2027-01-30", "2027-01-31", "2027-08-31", "2028-02-29"])
def test_twelve_months_cost_twelve_months(start: str) -> None:
    plan = planned(start, 12)
    assert total(plan) == 12 * MONTH
    assert [line.amount for line in plan.cash_flow] == [MONTH] * 12
    first = date.fromisoformat(start)
    lines = sorted((line.start, line.end) for line in plan.purchases if line.kind == "machine")
    assert lines == [(add_months(first, k), add_months(first, k + 1)) for k in range(12)]


def test_two_months_from_the_31st_keep_a_monthly_budget() -> None:
    assert total(planned("2027-03-31", 2, limits="monthly_budget: 500")) == 2 * MONTH


def test_other_rents_follow_on_a_row() -> None:
    # 65 days from 31 January 2027: two months end on 31 March (59 days), and a week covers the last six. A month more
    # costs 500 against 180, and 24 hours a day of six days 1,296.
    days = 65
    work = f"tokens: {days * 24 * 3600 * speed():.0f}\nhours_per_day: 24\ndeadline_days: {days}"
    extra = (a_rent(Term.WEEK, WEEK, PriceUnit.WEEK), a_rent(Term.ON_DEMAND, HOUR, PriceUnit.HOUR))
    assert total(planned("2027-01-31", 4, *extra, work=work)) == 2 * MONTH + WEEK


def speed() -> float:
    """Tokens a second of one A100 at this work, as sizing predicts them."""
    return planned("2027-01-28", 1).assignments[0].tokens_per_second or 0.0


@pytest.mark.parametrize("start", ["2027-01-31", "2027-03-30", "2028-01-29"])
@pytest.mark.parametrize("limits", ["", "monthly_budget: 1200", "discount_rate: 0.08"])
def test_no_other_start_day_is_cheaper(start: str, limits: str) -> None:
    hours = a_rent(Term.ON_DEMAND, Decimal("2.4"), PriceUnit.HOUR)
    one, two = ("  - " + "\n    ".join(f"name: {name}\n{MODEL}{run}".splitlines()) for name, run in JOBS.items())
    text = f"start: {start}\nhorizon_months: 3\nprofile: off\n{limits}\nworkloads:\n{one}\n{two}\n"
    asked = Planner(parse_workload(text, "w.yaml"), ByTheMonth(hours), PlanOptions(as_of=AS_OF, extras=False), "w.yaml")
    _, outcome = asked.plan()
    chosen = [candidate for mine in asked.case.candidates for candidate in mine]
    every = assemble(asked.case, asked.policy, chosen, every_start=True)
    found = solve(every.problem, Limits(seconds=60, tie_seconds=0.0))
    assert found.status == "optimal"
    assert found.cost is not None
    assert abs(found.cost - outcome.cost_micros) <= max(10_000, found.cost // 10**6)


JOBS = {
    "steady": "tokens_per_month: 4e9",
    "job": "tokens: 6e9\nhours_per_day: 20\nstarts_day: 17\ndeadline_days: 60",
}


def test_a_renewal_without_the_month_before_it_does_not_verify() -> None:
    plan = planned("2027-01-31", 3)
    lines = sorted((line for line in plan.purchases if line.kind == "machine"), key=lambda line: line.start)
    assert (lines[1].start, lines[1].end) == (date(2027, 2, 28), date(2027, 3, 31))
    anew = lines[0].model_copy(update={"end": date(2027, 3, 3), "end_day": 31})
    assert ends_refused(plan, lines[0], anew)
    more = lines[1].model_copy(update={"count": 2, "quantity": Decimal(2), "cost": 2 * lines[1].cost})
    assert ends_refused(plan, lines[1], more)  # the second machine was not there in the first month


def ends_refused(plan: Plan, old: object, new: object) -> bool:
    purchases = tuple(new if line is old else line for line in plan.purchases)
    checks = verify_plan(plan.model_copy(update={"purchases": purchases}))
    return any(item.id.startswith("line.term_end[") and not item.ok for item in checks)
