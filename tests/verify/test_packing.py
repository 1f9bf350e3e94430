"""Packing whole nodes and power-of-two shares on units, hour by hour, against trying every way."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimizer.domain.offer import Term
from optimizer.verify import show
from optimizer.verify.packing import Load, first_crowded, pack
from optimizer.verify.units import Units


def units(count: int, start: int = 0, end: int = 10, *, shareable: bool = True) -> Units:
    return Units("pool", Term.MONTH, start, end, count, shareable)


def load(gpus: int, nodes: int = 1, days: tuple[int, int] = (0, 10), hours: tuple[int, int] | None = None) -> Load:
    return Load("pool", "month", *days, hours, nodes, gpus)


def fits_somehow(gpus: int, shared: int, unshared: int, sizes: list[int]) -> bool:
    """Try every unit for every piece: the definition itself."""
    for places in product(range(shared + unshared), repeat=len(sizes)):
        used = [0] * (shared + unshared)
        for place, size in zip(places, sizes, strict=True):
            used[place] += size if place < shared else (gpus if size == gpus else gpus + 1)
        if all(total <= gpus for total in used):
            return True
    return not sizes


@given(
    shared=st.integers(0, 3),
    unshared=st.integers(0, 1),
    sizes=st.lists(st.sampled_from([1, 2, 4, 8]), max_size=6),
)
def test_first_fit_finds_a_packing_whenever_one_exists(shared: int, unshared: int, sizes: list[int]) -> None:
    there = [units(shared), units(unshared, shareable=False)]
    found = pack(8, there, [load(size) for size in sizes]) is not None
    assert found == fits_somehow(8, shared, unshared, sizes)


def test_windows_share_a_machine_and_wrap_past_midnight() -> None:
    day, night = load(8, hours=(9, 10)), load(8, hours=(19, 14))  # 9-19 h and 19-9 h
    assert first_crowded(8, [units(1)], [day, night]) is None
    overlapping = load(8, hours=(18, 14))
    assert show(first_crowded(8, [units(1)], [day, overlapping])) == "day 0, hour 18: 2 nodes on 1 units"


def test_the_whole_day_is_taken_without_a_window() -> None:
    crowded = first_crowded(8, [units(1)], [load(8), load(8, hours=(20, 1))])
    assert show(crowded) == "day 0, hour 20: 2 nodes on 1 units"


@pytest.mark.parametrize(("end", "crowded"), [(10, "unknown"), (9, "day 9, hour 0: 1 nodes on 0 units")])
def test_units_must_last_as_long_as_the_work(end: int, crowded: str) -> None:
    assert show(first_crowded(8, [units(1, end=end)], [load(8)])) == crowded


def test_units_that_end_and_begin_on_one_day_join() -> None:
    assert first_crowded(8, [units(1, 0, 4), units(1, 4, 10)], [load(8)]) is None
