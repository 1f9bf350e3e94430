"""Every field of a plan altered one at a time is caught, but for those that tests/verify/free_fields.py lists."""

from collections.abc import Callable

import pytest

from optimizer.domain.plan import Plan
from tests.verify.damage import altered, dotted, is_caught, leaves, replaced, rows, without
from tests.verify.free_fields import is_free
from tests.verify.plans import ALL_PLANS, STORES


@pytest.mark.parametrize("make", ALL_PLANS, ids=lambda make: make.__name__)
def test_every_altered_field_is_caught(make: Callable[[], Plan]) -> None:
    data = make().model_dump(mode="json", by_alias=True)
    missed = [
        f"{dotted(path)}: {value!r} -> {other!r}"
        for path, value in leaves(data)
        if not is_free(dotted(path))
        for other in altered(value, dotted(path))
        if not is_caught(replaced(data, path, other), STORES)
    ]
    assert missed == []


@pytest.mark.parametrize("make", ALL_PLANS, ids=lambda make: make.__name__)
def test_every_missing_row_is_caught(make: Callable[[], Plan]) -> None:
    data = make().model_dump(mode="json", by_alias=True)
    missed = [
        dotted(path) for path in rows(data) if not is_free(dotted(path)) and not is_caught(without(data, path), STORES)
    ]
    assert missed == []


#: Fields of the question on which these answers depend: a changed one is caught.
MUST_BE_CAUGHT = {
    "two_weeks_by_the_hour": ("start", "currency", "horizon_months", "workloads.0.hours_per_day", "workloads.0.name"),
    "month_then_hours": ("workloads.0.tokens_per_month", "workloads.0.move_cost", "tax.rate", "fx.USDCNY"),
    "bought_beside_owned": (
        "owned.pue",
        "owned.electricity_per_kwh",
        "owned.already.0.load_kw",
        "owned.already.0.colocation_per_kw_month",
        "owned.may_buy.0.price",
        "owned.may_buy.0.lead_time_days",
        "owned.may_buy.0.residual_by_month.12",
        "owned.may_buy.0.maintenance_fraction_year",
        "workloads.0.gpu_hours.hours",
    ),
    "covered_by_a_savings_plan": ("start", "horizon_months", "currency", "workloads.0.gpu_hours.hours"),
    "reserved_year_continues": ("discount_rate", "after_horizon"),
    "spot_with_storage": (
        "workloads.0.window.from",
        "workloads.0.window.hours",
        "workloads.0.repeats.times",
        "workloads.0.dataset",
        "workloads.0.dataset_gb",
        "workloads.0.checkpoint_gb",
        "workloads.0.cold_storage_gb",
        "workloads.0.egress_gb",
    ),
}


@pytest.mark.parametrize("make", ALL_PLANS, ids=lambda make: make.__name__)
def test_altered_questions_are_caught_where_the_answer_depends_on_them(make: Callable[[], Plan]) -> None:
    data = make().model_dump(mode="json", by_alias=True)
    inputs = {dotted(path): (path, value) for path, value in leaves(data["inputs"])}
    missed = [
        name
        for name in MUST_BE_CAUGHT[make.__name__]
        for other in list(altered(inputs[name][1]))[:1]
        if not is_caught(replaced(data, ("inputs", *inputs[name][0]), other), STORES)
    ]
    assert missed == []
