"""The fixtures keep the plan file's promises: sums of lines equal totals to the last place."""

from decimal import Decimal

from optimizer.domain.plan import Plan


def test_lines_and_shares_sum_to_the_total(any_plan: Plan) -> None:
    if any_plan.cost is None:
        assert any_plan.status == "infeasible"
        return
    total = any_plan.cost.total
    assert sum(bought.cost for bought in any_plan.purchases) == total
    assert sum(any_plan.cost.by_term.values()) == total
    assert sum(any_plan.cost.by_team.values()) == total


def test_cash_is_the_cost_before_resale(any_plan: Plan) -> None:
    if any_plan.cost is None:
        return
    residual = sum((bought.residual for bought in any_plan.purchases), Decimal(0))
    assert sum(month.amount for month in any_plan.cash_flow) == any_plan.cost.total + residual
    assert tuple(month.amount for month in any_plan.cash_flow) == any_plan.cost.by_month


def test_each_line_is_quantity_times_price(any_plan: Plan) -> None:
    for bought in any_plan.purchases:
        product = bought.quantity * bought.unit_price * bought.fx_rate * bought.tax_factor - bought.residual
        assert abs(product - bought.cost) <= Decimal("0.000001")
