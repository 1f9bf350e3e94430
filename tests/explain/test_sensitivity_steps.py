"""A range holds at every factor inside, although hours are billed whole: against costs by hand each 0.001."""

import random
from decimal import Decimal
from itertools import groupby
from math import ceil, floor

import pytest

from optimizer.app.sensitivity import first_change, sensitivity_lines, with_sensitivity
from optimizer.catalog import load_catalog
from optimizer.domain.offer import Offer, Price
from optimizer.domain.plan import InputRange, Plan
from optimizer.planning.case import PlanOptions
from optimizer.planning.pipeline import Planner
from optimizer.planning.workload_file import parse_workload
from tests.planning.test_price_age import AS_OF, YOUNG, Small, a_price

GPUS = {"a2-ultragpu-1g": 1, "a2-ultragpu-2g": 2, "a2-ultragpu-4g": 4}
#: Costs closer than this count as the same (docs/adr/0004-accounting.md: what counts as proven).
SAME = Decimal("0.01")


class Sizes(Small):
    """A100 machines of one, two and four GPUs at prices of a test."""

    def __init__(self, prices: dict[str, Decimal], unit_hours: float = 1.0) -> None:
        super().__init__()
        offers = {offer.instance_type: offer for offer in load_catalog().offers() if offer.instance_type in prices}
        self._small: tuple[Offer, ...] = tuple(
            offers[name].model_copy(update={"region": "r", "prices": (self._price(amount, unit_hours),)})
            for name, amount in prices.items()
        )

    def _price(self, amount: Decimal, unit_hours: float) -> Price:
        return a_price(str(amount), YOUNG).model_copy(update={"billing_unit_hours": unit_hours})


def planned(prices: dict[str, Decimal], hours: float, unit_hours: float = 1.0, seconds: float = 60) -> Plan:
    """A job of so many GPU hours with the range of each input."""
    file = parse_workload(
        "start: 2026-12-01\nprofile: off\nname: w\negress_gb: 0\ncheckpoint_gb: 0\nmax_nodes: 1\n"
        f"gpu_hours: {{gpu: A100-SXM4-80GB, hours: {hours}}}\n",
        "w.yaml",
    )
    planner = Planner(file, Sizes(prices, unit_hours), PlanOptions(as_of=AS_OF, extras=False), "w.yaml")
    plan, outcome = planner.plan()
    return with_sensitivity(planner, plan, outcome, seconds)


def asked(prices: dict[str, Decimal], hours: float) -> dict[str, InputRange]:
    return {one.kind: one for one in planned(prices, hours).sensitivity}


def costs(prices: dict[str, Decimal], hours: float) -> dict[str, Decimal]:
    """Whole hours of each machine, by hand."""
    return {name: price * ceil(hours / GPUS[name] - 1e-6) for name, price in prices.items()}


def best(prices: dict[str, Decimal], hours: float) -> str:
    found = costs(prices, hours)
    return min(found, key=lambda name: found[name])


def stays(prices: dict[str, Decimal], hours: float, answer: str) -> bool:
    found = costs(prices, hours)
    return found[answer] <= min(found.values()) + SAME


@pytest.mark.parametrize("seed", range(12))
def test_ranges_hold_at_every_factor_and_end_where_the_answer_changes(seed: int) -> None:
    dice = random.Random(seed)
    # Near each other, so that whole hours decide.
    prices = {name: Decimal(str(round(count * dice.uniform(1.98, 2.02), 3))) for name, count in GPUS.items()}
    hours = round(dice.uniform(8, 40), 2)
    answer = best(prices, hours)
    found = asked(prices, hours)
    check_range(found["tokens"], [stays(prices, hours * f / 1000, answer) for f in range(2101)])
    check_range(found["speed"], [f > 0 and stays(prices, hours * 1000 / max(f, 1), answer) for f in range(2101)])


def check_range(one: InputRange, kept: list[bool]) -> None:
    """A range against whether the answer stays at each thousandth."""
    low, high = ceil(1000 * (one.lower or 0.5)), floor(1000 * (one.upper or 2.0))
    holes = [len(list(run)) for stays_there, run in groupby(kept[low : high + 1]) if not stays_there]
    if one.widest_gap is None:
        assert holes == []
    else:
        # A hole lies between two factors that were looked at: it is at most as wide as they are apart, at up to twice.
        assert all(hole <= 1000 * 2 * (one.widest_gap - 1) for hole in holes)
    # Beyond its ends the answer changes within one per cent (and a step of this test).
    if one.lower is not None:
        assert not all(kept[floor(low / 1.01) - 1 : low])
    if one.upper is not None:
        assert not all(kept[high + 1 : ceil(high * 1.01) + 2])


def test_an_answer_that_stays_and_how_closely_that_was_looked_at() -> None:
    # 20 GPU hours: 20 x 1.00 = 20.00 against 10 x 2.01 = 20.10. With h hours begun it is h against
    # 2.01 x ceil(h / 2): never dearer. Twelve edges are asked, the hours 20 to 31; from there (1.55 x) to twice as
    # much it is one step.
    prices = {"a2-ultragpu-1g": Decimal("1.00"), "a2-ultragpu-2g": Decimal("2.01")}
    one = asked(prices, 20)["tokens"]
    assert (one.input, one.lower, one.upper) == ("gpu_hours", None, None)
    assert one.widest_gap == pytest.approx(2 / 1.55, abs=1e-6)


def test_a_change_inside_one_step_of_the_old_search_is_seen() -> None:
    # 20.5 h: 21 x 1.00 = 21.00 against 6 x 3.64 = 21.84 of four GPUs (24 GPU hours paid). From 21 hours on
    # (1.02439 x) it is 22 x 1.00 = 22.00 against 21.84: changed, and again at 24 hours (7 x 3.64 = 25.48) back.
    prices = {"a2-ultragpu-1g": Decimal("1.00"), "a2-ultragpu-4g": Decimal("3.64")}
    one = asked(prices, 20.5)["tokens"]
    assert one.upper == 1.0243
    assert "4g" in one.upper_plan


def test_seconds_are_a_slope_and_the_text_says_what_was_tried() -> None:
    prices = {"a2-ultragpu-1g": Decimal("1.00"), "a2-ultragpu-2g": Decimal("2.10")}
    plan = planned(prices, 20, unit_hours=1 / 3600)
    one = next(one for one in plan.sensitivity if one.kind == "tokens")
    assert one.widest_gap == pytest.approx(4 / 3)  # from 1.5 to 2
    lines = (sensitivity_lines(plan) or {})["lines"]
    (said,) = (line for line in lines if line["en"].startswith("GPU hours"))
    assert said["en"].endswith("; looked at factors up to 33.4% apart, not between them")
    assert said["zh"] == "GPU 小时数：在现值的 50% 或更远 至 200% 或更远 之间方案不变；所查倍数最多相隔 33.4%，其间未查"
    assert "of all that was tried" in first_change(plan, "en")
    assert "在所查范围内" in first_change(plan, "zh")


def test_inputs_that_the_time_leaves_open_are_named_and_no_range_is_guessed() -> None:
    plan = planned({"a2-ultragpu-1g": Decimal("1.00"), "a2-ultragpu-4g": Decimal("3.64")}, 20.5, seconds=0.0)
    assert plan.sensitivity == ()
    assert [one.kind for one in plan.sensitivity_open] == ["price", "hours", "tokens", "speed"]
    assert first_change(plan, "en") == (
        "How far these may move is not known, as nothing was proven in the time allowed: "
        "price of gcp/r/a2-ultragpu-1g on demand, hours per day, GPU hours, speed of A100-SXM4-80GB."
    )
    assert first_change(plan, "zh").startswith("以下输入可变动多少尚不知")
    assert sensitivity_lines(plan) is not None


@pytest.mark.parametrize(
    ("lower", "upper", "said"),
    [(0.992, None, ("below 99.2%", "低于现值的 99.2%")), (0.9, 1.05, ("above 105%", "高于现值的 105%"))],
)
def test_the_first_change_says_on_which_side_it_lies(lower: float, upper: float | None, said: tuple[str, str]) -> None:
    moved = InputRange(
        input="A40", kind="speed", value="", lower=lower, upper=upper, searched=(0.5, 2), lower_plan="-", upper_plan="-"
    )
    plan = planned({"a2-ultragpu-1g": Decimal("1.00")}, 20, seconds=0.0)
    plan = plan.model_copy(update={"sensitivity": (moved,), "sensitivity_open": ()})
    assert f"speed of A40, {said[0]} of today's value" in first_change(plan, "en")
    assert said[1] in first_change(plan, "zh")
