"""Facts that the documents' cases (rules.md, section H) rest on."""

from collections.abc import Callable
from decimal import Decimal

import pytest

from optimizer.catalog import Catalog
from optimizer.domain.offer import Mark, Offer, Term

Lookup = Callable[[str], Offer]


@pytest.mark.parametrize(
    ("instance_type", "gpus", "ram_gib"),
    [
        ("ecs.gn7i-c16g1.4xlarge", 1, 60),  # case 1
        ("ecs.gn7i-c8g1.2xlarge", 1, 30),
        ("ecs.gn6e-c12g1.12xlarge", 4, 368),  # case 7
        ("GN10X.9XLARGE160", 4, 160),
        ("GT4.4XLARGE96", 1, 96),  # case 3
        ("GT4.8XLARGE192", 2, 192),
        ("ecs.gn7-c12g1.3xlarge", 1, 94),
        ("a2-highgpu-1g", 1, 85),
        ("a2-highgpu-2g", 2, 170),
    ],
)
def test_machines_of_the_cases(catalog: Catalog, instance_type: str, gpus: int, ram_gib: float) -> None:
    machine = next(o.machine for o in catalog.offers() if o.instance_type == instance_type)
    assert (machine.gpu_count, machine.ram_gib) == (gpus, ram_gib)


def test_case_12_two_weeks_by_the_hour(offer: Lookup) -> None:
    """140 h x 57.28 = 8,019.20 CNY against 27,496 a month, which pays off from 481 h (480.03)."""
    found = offer("tencent/mainland/GT4.8XLARGE192")
    hourly, monthly = found.price(Term.ON_DEMAND), found.price(Term.MONTH)
    assert hourly is not None
    assert monthly is not None
    assert hourly.amount * 140 == Decimal("8019.20")
    assert monthly.amount == 27496
    assert float(monthly.amount / hourly.amount) == pytest.approx(480.03, abs=0.01)


@pytest.mark.parametrize(("pattern", "low", "high"), [("GN10X.", 288.1, 288.3), ("GN8.", 291.3, 291.7)])
def test_case_13_hours_of_a_month(catalog: Catalog, pattern: str, low: float, high: float) -> None:
    """Month price / hour price: 288.2 h on GN10X low, 291.4 to 291.6 on GN8."""
    ratios = []
    for found in catalog.offers():
        if found.instance_type.startswith(pattern) and found.region == "mainland-low":
            hourly, monthly = found.price(Term.ON_DEMAND), found.price(Term.MONTH)
            assert hourly is not None
            assert monthly is not None
            ratios.append(float(monthly.amount / hourly.amount))
    assert ratios
    assert all(low <= ratio <= high for ratio in ratios)


def test_the_newer_dated_month_of_gt4_stands(catalog: Catalog) -> None:
    """GT4.4XLARGE96: 13,748 of the older list, 12,948 of 2026-06-15; the newer dated one stands."""
    months = [
        price
        for o in catalog.offers()
        if o.instance_type == "GT4.4XLARGE96"
        for price in o.prices
        if price.term is Term.MONTH
    ]
    assert {price.amount: price.marks for price in months} == {
        Decimal(13748): (Mark.SUPERSEDED,),
        Decimal(12948): (),
    }


def test_case_9_clusters_with_and_without_rdma(catalog: Catalog) -> None:
    by_type = {o.instance_type: o.machine for o in catalog.offers()}
    for name in ("p5.48xlarge", "Standard_ND96isr_H100_v5", "Standard_ND96amsr_A100_v4"):
        rdma = by_type[name].rdma
        assert rdma is not None
        assert rdma.value in ("efa", "infiniband")
    closed = by_type["Standard_ND96is_H100_v5"].rdma
    assert closed is not None
    assert closed.value == "none"
