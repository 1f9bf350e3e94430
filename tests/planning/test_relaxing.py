"""The least changes that give a plan do give one, and a cent less does not."""

import re
from decimal import Decimal
from pathlib import Path

import pytest

from optimizer.domain.money import enough
from optimizer.domain.plan import Plan, Relaxation
from optimizer.planning import relaxing
from optimizer.reports.texts import DIRECTIONS
from tests.cases.support import plan

LORA = (
    "currency: CNY\nmodel: {preset: llama-2-7b}\nmethod: lora\ntokens: 2.0e8\nsequence_length: 1024\n"
    "global_batch_tokens: 65536\ndataset_gb: 2\n"
)
PRICED, UNPRICED = "runpod/global/1x_A40_secure", "matpool/cn/A100 40GB PCIe x1"


def asked(limits: str, *offers: str) -> Plan:
    """The plan within limits, with relaxations where there is none."""
    return plan(LORA + limits, *(offers or (PRICED, UNPRICED)), extras=True)


def amount_of(relaxation: Relaxation) -> str:
    """The amount that a relaxation names."""
    found = re.search(r"[\d,]+\.\d\d", relaxation.change_en)
    assert found is not None, relaxation
    return found.group().replace(",", "")


@pytest.mark.parametrize(
    ("amount", "currency", "covers"),
    [("58.634139", "CNY", "58.64"), ("58.63", "CNY", "58.63"), ("58.630001", "USD", "58.64"), ("100.1", "JPY", "101")],
)
def test_a_budget_is_rounded_up_to_the_currency_s_minor_unit(amount: str, currency: str, covers: str) -> None:
    assert enough(Decimal(amount), currency) == Decimal(covers)


def test_the_budgets_named_give_the_plans_named_and_a_cent_less_does_not() -> None:
    found = asked("budget: 5\n")
    assert found.status == "infeasible"
    complete, unpriced = found.relaxations
    assert (complete.direction, unpriced.direction) == ("money", "money")
    assert PRICED in complete.change_en
    assert UNPRICED in unpriced.change_en
    assert "plus what has no price" in unpriced.change_en
    assert "另加缺价的项目" in unpriced.change_zh
    # 20 h at 0.44 USD and 6.65288 CNY/USD are 58.545344 CNY before storage; 11 h at 2.80 CNY are 30.80 CNY.
    assert Decimal(amount_of(complete)) > Decimal("58.545344")
    assert amount_of(unpriced) == "30.80"

    enough_for_all = asked(f"budget: {amount_of(complete)}\n")
    assert enough_for_all.incomplete == ()
    assert enough_for_all.cost is not None
    assert enough_for_all.cost.total == complete.cost
    a_cent_less = asked(f"budget: {Decimal(amount_of(complete)) - Decimal('0.01')}\n")
    assert a_cent_less.incomplete != ()
    assert a_cent_less.alternatives[0].title_en == "with a price for every line, beyond the budget"
    assert a_cent_less.alternatives[0].cost == complete.cost

    assert asked(f"budget: {amount_of(unpriced)}\n").status == "optimal"
    assert asked("budget: 30.79\n").status == "infeasible"


def test_a_larger_budget_is_not_offered_where_the_monthly_limit_forbids_it() -> None:
    found = asked("budget: 5\nmonthly_budget: 5\n", PRICED)
    assert [item.direction for item in found.relaxations] == ["money"]
    assert found.relaxations[0].change_en.startswith("no limit on money: ")


def test_the_limit_that_binds_is_named() -> None:
    found = asked("budget: 5000\nmonthly_budget: 5\n", PRICED)
    assert [item.change_en.partition(":")[0] for item in found.relaxations] == ["no monthly or hourly limit on cash"]


def test_a_budget_counts_cash_not_what_a_machine_is_worth_later() -> None:
    # Bought for 60,000 USD and worth 90 % of it after a year, it costs little; but the cash must be there.
    text = (
        "currency: USD\nbudget: 20000\nmodel: {preset: llama-2-7b}\nmethod: lora\ntokens: 2.0e8\n"
        "sequence_length: 1024\nproviders: [owned]\n"
        "owned: {electricity_per_kwh: 0.1, may_buy: [{server: hgx-h100-8, price: 60000, load_kw: 1, idle_kw: 0, "
        "residual_by_month: {0: 1.0, 12: 0.9}, ram_gib: 2048, cores: 112, ecc: true, pcie_lanes: 160, "
        "local_nvme_gb: 30000}]}\n"
    )
    found = plan(text, PRICED, extras=True, unknown="admit")
    assert found.status == "infeasible"
    offered = next(item for item in found.relaxations if item.direction == "money")
    assert Decimal(amount_of(offered)) >= 60000
    assert offered.cost is not None
    assert offered.cost < 20000
    again = plan(text.replace("budget: 20000", f"budget: {amount_of(offered)}"), PRICED)
    assert again.status == "optimal"


JOBS = {
    "first": "{name: first, priority: 5, tokens: 4.0e8, deadline_days: 20, ",
    "second": "{name: second, priority: 1, tokens: 2.0e8, deadline_days: 20, ",
    "third": "{name: third, priority: 1, tokens: 9.0e8, deadline_days: 20, ",
}
ALIKE = "model: {preset: llama-2-7b}, method: lora, sequence_length: 1024, global_batch_tokens: 65536, dataset_gb: 2}\n"


def jobs(budget: str, *names: str) -> Plan:
    """The plan of some jobs that differ in size and priority only."""
    rows = "".join(f"  - {JOBS[name]}{ALIKE}" for name in names)
    return plan(f"currency: CNY\n{budget}workloads:\n{rows}", PRICED, extras=True)


def cost_of(*names: str) -> Decimal:
    """What some of the jobs cost without a budget."""
    found = jobs("", *names)
    assert found.cost is not None
    return found.cost.total


def test_the_best_subset_by_priority_stands_beside_more_money() -> None:
    """Of equal priority as many as possible are kept: the small one; the one of high priority comes before both."""
    two = cost_of("first", "second")
    found = jobs(f"budget: {two + 1}\n", *JOBS)
    assert found.status == "infeasible"
    (less,) = (one for one in found.relaxations if one.direction == "subset")
    assert less.change_en.startswith("without third:")
    assert less.change_zh.startswith("不做 third：")
    assert less.cost == two

    only = cost_of("first")
    found = jobs(f"budget: {only}\n", *JOBS)
    (less,) = (one for one in found.relaxations if one.direction == "subset")
    assert less.change_en.startswith("without second, third:")
    assert less.cost == only


def test_every_direction_has_a_word_in_both_languages() -> None:
    source = Path(relaxing.__file__).read_text(encoding="utf-8")
    named = set(re.findall(r'(?:_relaxation|_admitted)\(planner, (?:options, )?"(\w+)"', source))
    assert named >= {"money", "subset", "days", "rule", "unknowns", "age"}
    filters = {field for field, _, _ in relaxing._FILTERS}
    assert (named | filters) - set(DIRECTIONS) == set()
