"""The least that a plan costs which buys a machine: by hand, and never above what the program finds."""

from support import RUNPOD, STEADY, planner

from optimizer.explain.buying import OwnTask, least_with, purchases
from optimizer.explain.matching import target_of
from optimizer.explain.replan import without_money_limits
from optimizer.explain.using import OwnSearch, UsingSearch
from optimizer.planning.search import complete_only

#: 73,000 USD lose 100 USD a day since the order; 10 kW idle at 0.1 USD a kWh are 24 USD a day from day 45 on.
FILE = """
currency: USD
profile: off
horizon_months: 2
gpu_hours: {gpu: H100-SXM5-80GB, hours: 1360}
hours_per_day: 10
max_nodes: 1
starts_day: 45
deadline_days: 17
owned:
  electricity_per_kwh: 0.1
  may_buy:
    - server: hgx-h100-8
      price: 73000
      lead_time_days: 45
      max: 1
      residual_by_month: {0: 1.0, 12: 0.5}
      load_kw: 10
      idle_kw: 10
"""


def test_a_machine_bought_later_loses_less_and_stands_later() -> None:
    one = planner(FILE, RUNPOD)
    (record,) = one.file.owned.may_buy
    costs = dict(purchases(one.case, record))
    # 62 days to the end of January; December has 31. Ordered on day 0 it stands on day 45, inside January, of which no
    # whole stretch after day 45 is left; its 62 days cost 6,200 USD. Ordered on day 16, the last: 46 days, 4,600 USD.
    assert (min(costs), max(costs)) == (45, 61)
    assert (costs[45], costs[61]) == (6_200_000_000, 4_600_000_000)


def test_what_it_cannot_do_is_paid_in_full_and_what_it_can_is_free() -> None:
    one = planner(FILE, RUNPOD)
    supply = next(c.supply for c in one.case.candidates[0] if c.supply.purchases)
    early, late, rented = OwnTask(31, 1e9, True), OwnTask(62, 2e9, True), OwnTask(62, 5e8, False)
    # Standing on the last possible day, 61: 4,600 + 1,000 (over by day 31) + 500 (elsewhere only).
    assert least_with(one.case, [supply], 62, [early, late, rented]) == 6_100_000_000
    # Standing by day 45: 6,200 instead of 4,600. Before that it cannot stand.
    assert least_with(one.case, [supply], 46, [early, late, rented]) == 7_700_000_000
    assert least_with(one.case, [supply], 45, [early, late, rented]) is None


def test_the_least_is_never_above_the_best_plan_and_nearer_to_it_than_the_sum_of_tasks() -> None:
    free = without_money_limits(planner(STEADY.replace("PRICE", "100000"), RUNPOD))
    _, plan = free.plan()
    target = target_of("owned/*", free.catalog, [c.supply for c in free.case.candidates[0] if c.supply.is_owned])
    using = UsingSearch(free.search, 0, lambda c: target.means(c.supply), plan)
    best = using.cheapest(free.policy, complete_only(), seconds=30.0)
    least = using.least_micros(free.policy, complete_only())
    assert free.search.floor_micros() < least <= best.cost_micros
    again = using.up_to(best, best).cheapest(free.policy, complete_only(), seconds=30.0)
    assert again.cost_micros == best.cost_micros


def test_a_machine_that_stands_too_late_for_the_work_answers_nothing() -> None:
    one = planner(FILE.replace("starts_day: 45\n", ""), RUNPOD)
    held = OwnSearch(one.search, 0, lambda c: c.supply.is_owned)
    _, plan = one.plan()
    found = held.up_to(plan, None).cheapest(
        one.policy, lambda c: c.supply.is_owned and not c.storage.missing, seconds=5.0
    )
    assert not found.has_plan
