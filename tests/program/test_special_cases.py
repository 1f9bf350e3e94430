"""Two problems of the literature are special cases of the program, with their known optima.

Melange (Griggs et al. 2024, "Melange: Cost Efficient Large Language Model Serving by Exploiting GPU Heterogeneity"):
buckets of requests, each cut into equal slices, are put on GPU types with a load each; the number of GPUs of a type
covers its loads; least cost an hour. Inputs are those of the example bundled with tyler-griggs/melange-release
@ d46ab43 (2024-06-26); the optima are those of its own solver and of an exhaustive enumeration, which agree.

The reserved-instance problem: demand by period, on-demand price a period, or a reservation that holds for a fixed
number of periods; hand-worked below.
"""

from dataclasses import replace

import pytest

from optimizer.program import solve
from optimizer.program.problem import Placement, Pool, Problem, Solution, SpendTerm, Task, UnitTerm

UNIT = 1_000_000

PRICE = {"A10G": 1_010_000, "A100-80GB": 3_670_000}  # micros of USD an hour
THROUGHPUT = {"A10G": ((2, 1), (5, 2)), "A100-80GB": ((20, 20), (40, 20))}  # requests a second by bucket
SHARE = ((0.2, 0.1), (0.5, 0.2))  # of the request rate by bucket


def melange(rate: float, slices: int) -> Problem:
    """Melange on the program: a GPU is a step of committed money, a slice on it is covered at the rate of its load.

    Loads are rate x share / (throughput x slices), in millionths of a GPU. One pool a GPU type and bucket carries the
    load; served in any other way a slice costs more than all GPUs together.
    """
    buckets = [(row, column) for row in range(2) for column in range(2)]
    pools, rates = [], {name: [] for name in PRICE}
    for name in PRICE:
        for row, column in buckets:
            load = rate * SHARE[row][column] / THROUGHPUT[name][row][column] / slices
            rates[name].append((len(pools), round(load * UNIT)))
            pools.append(Pool(len(pools), gpus=1, provider=0))
    tasks = tuple(Task(number, work=number) for number in range(len(buckets) * slices))
    placements = tuple(
        Placement(
            id=task.id * len(PRICE) + kind,
            task=task.id,
            option=kind,
            pool=kind * len(buckets) + task.id // slices,
            nodes=1,
            gpus_per_node=1,
            start=0,
            end=1,
            hours=None,
            hourly_cost=(10_000 * UNIT, 10_000 * UNIT),
        )
        for task in tasks
        for kind in range(len(PRICE))
    )
    plans = tuple(
        SpendTerm(kind, 0, 1, UNIT, tuple(rates[name]), price, price, ((0, price),))
        for kind, (name, price) in enumerate(PRICE.items())
    )
    return Problem(1, (0, 1), tuple(pools), tasks, placements, spend_terms=plans)


@pytest.mark.parametrize(
    ("rate", "slices", "a10g", "a100", "usd_an_hour"),
    [
        (1, 1, 1, 0, "1.01"),
        (4, 1, 2, 0, "2.02"),
        (10, 1, 0, 1, "3.67"),
        (30, 1, 3, 1, "6.70"),
        (60, 1, 0, 3, "11.01"),
        (120, 1, 0, 5, "18.35"),
        (300, 1, 0, 12, "44.04"),
        (30, 2, 2, 1, "5.69"),
        (30, 4, 2, 1, "5.69"),
    ],
)
def test_melange_cases(rate: float, slices: int, a10g: int, a100: int, usd_an_hour: str) -> None:
    solution = solve(melange(rate, slices))
    assert solution.status == "optimal"
    assert solution.cost == round(float(usd_an_hour) * UNIT)
    assert dict(solution.spend) == {kind: count for kind, count in ((0, a10g), (1, a100)) if count}


def reserved(demand: list[int], on_demand: int, fee: int, periods: int) -> Solution:
    """The optimum of a demand by period: each node of each run of periods is a task of its own."""
    runs = [run for level in range(1, max(demand) + 1) for run in runs_of(demand, level)]
    placement = Placement(
        id=0,
        task=0,
        option=0,
        pool=0,
        nodes=1,
        gpus_per_node=1,
        start=0,
        end=1,
        hours=None,
        hourly_cost=(on_demand * UNIT, on_demand * UNIT),
    )
    return solve(
        Problem(
            horizon=len(demand),
            month_starts=(0, len(demand)),
            pools=(Pool(0, gpus=1, provider=0),),
            tasks=tuple(Task(number, work=number) for number in range(len(runs))),
            placements=tuple(
                replace(placement, id=number, task=number, start=start, end=end)
                for number, (start, end) in enumerate(runs)
            ),
            unit_terms=tuple(
                UnitTerm(day, 0, day, day, day + periods, fee * UNIT, fee * UNIT, ((0, fee * UNIT),))
                for day in range(len(demand))
            ),
        )
    )


def runs_of(demand: list[int], level: int) -> list[tuple[int, int]]:
    """Stretches of periods on which demand reaches a level."""
    found, start = [], None
    for period, value in enumerate([*demand, 0]):
        if value >= level and start is None:
            start = period
        elif value < level and start is not None:
            found.append((start, period))
            start = None
    return found


def test_a_reservation_pays_from_fee_over_price_periods_on() -> None:
    # 5 periods for 35 against 10 a period: 3 periods cost 30 on demand, 4 would cost 40.
    assert reserved([1, 1, 1, 0, 0], on_demand=10, fee=35, periods=5).cost == 30 * UNIT
    assert reserved([1, 1, 1, 1, 0], on_demand=10, fee=35, periods=5).cost == 35 * UNIT


def test_reservations_start_where_they_miss_least() -> None:
    # 4 periods for 25, 10 on demand, demand on periods 1-3 and 5-7. Two reservations, one for each stretch, cover all
    # for 50; one at 3 covers 3, 5 and 6, the other three cost 30: 55; none at all costs 60. Of the starts 0 or 1 and
    # 4 or 5 that cover the stretches the earliest are preferred.
    solution = reserved([0, 1, 1, 1, 0, 1, 1, 1], on_demand=10, fee=25, periods=4)
    assert solution.cost == 50 * UNIT
    assert solution.units == ((0, 1), (4, 1))


def test_each_level_of_demand_is_reserved_by_its_own_use() -> None:
    # 6 periods for 40, 10 on demand. Level 1 on all 6 periods: reserve (40 < 60). Level 2 on 2 periods: 20 on demand.
    # Level 3 on one of them: 10. Together 70.
    solution = reserved([1, 1, 3, 2, 1, 1], on_demand=10, fee=40, periods=6)
    assert solution.cost == 70 * UNIT
    assert solution.units == ((0, 1),)


def test_a_reservation_may_serve_levels_in_turn() -> None:
    # 2 periods for 12, 10 on demand; demand 1, 2, 1: by levels alone 12 + 10 + 10 = 32 (level 1: reserve two, one on
    # demand; level 2 on demand). Two reservations in turn, [0,2) and [1,3), serve both levels: 24.
    assert reserved([1, 2, 1], on_demand=10, fee=12, periods=2).cost == 24 * UNIT
