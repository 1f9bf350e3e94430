"""An alternative that is cheaper only within the tolerance of ties is never called cheaper for another reason."""

from datetime import date
from decimal import Decimal

from optimizer.planning.case import PlanOptions
from optimizer.planning.extras import Extras
from optimizer.planning.pipeline import Planner
from optimizer.planning.workload_file import parse_workload
from tests.planning.test_tax_bases import WORK, Sellers

#: Two hours are billed. The dearer seller is first by name, and 0.06 on 100,000.00 is 6e-7: a tie (tolerance 1e-6).
TIED = Sellers(("a", "50000.03", True), ("b", "50000.00", True))


def test_a_tie_is_named_as_one() -> None:
    planner = Planner(parse_workload(WORK, "w.yaml"), TIED, PlanOptions(as_of=date(2026, 11, 30)))
    plan, outcome = planner.plan()
    assert plan.cost is not None
    assert (plan.assignments[0].provider, plan.cost.total) == ("a", Decimal("100000.06"))
    (other,) = Extras(planner, plan, outcome).alternatives()
    assert other.extra == Decimal("-0.06")
    assert other.title_en == "at another provider than a (as cheap, within the tolerance of ties)"
    assert other.title_zh == "不选 a（费用相同，在并列容差之内）"
