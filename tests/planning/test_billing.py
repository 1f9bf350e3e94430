"""Hours billed by the second cost the seconds used (docs/adr/0004-accounting.md), and the independent check agrees."""

from decimal import Decimal

import pytest

from optimizer.app.plan import check
from optimizer.planning.case import PlanOptions
from optimizer.planning.pipeline import Planner
from optimizer.planning.workload_file import parse_workload
from tests.planning.test_price_age import AS_OF, YOUNG, Small

SECOND, MINUTE = float(f"{1 / 3600:.10g}"), float(f"{1 / 60:.10g}")  # as a snapshot writes them


@pytest.mark.parametrize(
    ("hours", "unit_hours", "minimum_hours", "billed_hours"),
    [
        ("10.3", 1.0, 0.0, Decimal(11)),
        ("10.3", SECOND, MINUTE, Decimal("10.3")),  # 37,080 seconds
        ("10.3001", SECOND, MINUTE, Decimal(37081) / 3600),  # 37,080.36 seconds
        ("10.3001", MINUTE, 0.0, Decimal(619) / 60),  # 618.006 minutes
        ("0.001", SECOND, MINUTE, Decimal(1) / 60),  # 3.6 seconds, at least a minute
        ("0.001", SECOND, 0.0, Decimal(4) / 3600),
    ],
)
def test_hours_as_billed(hours: str, unit_hours: float, minimum_hours: float, billed_hours: Decimal) -> None:
    catalog = Small(("3.60", YOUNG))
    (offer,) = catalog.offers()
    facts = {"billing_unit_hours": unit_hours, "minimum_hours": minimum_hours}
    price = offer.prices[0].model_copy(update=facts)
    catalog._small = (offer.model_copy(update={"prices": (price,)}),)
    file = parse_workload(
        "start: 2026-12-01\nprofile: off\nname: w\negress_gb: 0\ncheckpoint_gb: 0\n"
        f"gpu_hours: {{gpu: A100-SXM4-80GB, hours: {hours}}}\n",
        "w.yaml",
    )
    plan, _ = Planner(file, catalog, PlanOptions(as_of=AS_OF, extras=False)).plan()
    cost = sum((line.cost for line in plan.purchases if line.kind == "machine"), Decimal(0))
    assert cost == (Decimal("3.60") * billed_hours).quantize(Decimal("0.000001"))
    check(plan, catalog)
