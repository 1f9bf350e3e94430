"""Measure the integer program alone on made-up problems of a given size: build, solve, wall time, memory, gap.

    python scripts/benchmark_program.py 20x12 --seconds 60
    python scripts/benchmark_program.py 20x12 --windows --monthly-budget 0.9
    python scripts/benchmark_program.py table           # the cases of the targets
    python scripts/benchmark_program.py growth          # by workloads, months and offers

A problem has W workloads over M calendar months on days: every other one is steady (one task a month, at most one
move), the rest are jobs with a fixed first day; with --windows every third has fixed hours. Pools are drawn in classes
of equal hardware with prices that spread as list prices do; hourly, month, year and three-year terms, half of them paid
in instalments; rents may start on every border of work and whole terms before or after one. Prices and needs are made
up (seed given).

Large problems are solved by several small programs; how long these take to make in PuLP is printed too. Seconds of the
processor (all threads) stand beside wall seconds: on a busy machine only the former mean anything. The solve runs in
this process so that they can be read.
"""

import argparse
import os
import random
import resource
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from importlib import import_module
from itertools import pairwise
from typing import Any

from optimizer.cli._main import collect_seldom
from optimizer.program import build, solve, supervise
from optimizer.program.problem import Chain, Limits, Placement, Pool, Problem, Solution, Task, UnitTerm

MICROS = 1_000_000
FIRST_DAY = date(2026, 12, 1)
CLASSES = 24
LEVELS = (0.03, 0.005, 0.001)
SERIES = {
    "table": (
        "20x12 --seconds 20",
        "20x12 --windows --monthly-budget 0.9 --seconds 60",
        "20x12 --offers 100000 --seconds 60",
        "100x24 --seconds 60",
        "100x24 --seconds 600",
        "200x36 --seconds 600",
    ),
    "growth": (
        *(f"{workloads}x12" for workloads in (5, 10, 20, 50, 100, 200)),
        *(f"20x{months}" for months in (3, 6, 12, 24, 36, 60)),
        *(f"20x12 --offers {count}" for count in (1_000, 3_360, 10_000, 30_000, 100_000)),
    ),
}
TERMS = {"month": (1, 0.55, 0.85, 0.35), "year": (12, 0.45, 0.70, 0.30), "three years": (36, 0.30, 0.55, 0.20)}


@dataclass(frozen=True)
class Offer:
    """One pool: its hardware class, hourly price and the whole price of each term sold, in micros.

    Long terms are paid in monthly instalments or at once.
    """

    kind: int
    provider: int
    hourly: int | None
    terms: dict[str, int]
    instalments: bool


@dataclass(frozen=True)
class Need:
    """One workload: nodes of each class that can run it, days of a job (None: steady), first day, window."""

    nodes: dict[int, int]
    days: dict[int, int] | None
    start: int
    hours: tuple[int, int] | None
    hours_per_day: int


class Calendar:
    """Month starts from the first day on, and the ends of terms."""

    def __init__(self, months: int) -> None:
        self.months = months
        self.starts = tuple(self.add_months(0, month) for month in range(months + 1))
        self.horizon = self.starts[-1]

    def add_months(self, day: int, months: int) -> int:
        """The day so many calendar months after a day, clamped to the month's end."""
        start = FIRST_DAY + timedelta(days=day)
        year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
        for back in range(4):
            try:
                found = date(year, month + 1, start.day - back)
            except ValueError:
                continue
            return (found - FIRST_DAY).days
        raise AssertionError


def offers(dice: random.Random, count: int) -> list[Offer]:
    """A catalog with classes of different speed; the price of a class follows its speed, spread as lists are."""
    made = []
    for _ in range(count):
        kind = min(int(dice.expovariate(0.15)), CLASSES - 1)
        price = 2.0 * (1 + kind) ** 0.9 * dice.lognormvariate(0.0, 0.35)
        hourly = round(price * 100) * MICROS // 100
        terms = {
            name: round(hourly * months * 730 * dice.uniform(low, high))
            for name, (months, low, high, chance) in TERMS.items()
            if dice.random() < chance
        }
        hourly_sold = hourly if dice.random() < 0.95 or not terms else None
        made.append(Offer(kind, dice.randrange(25), hourly_sold, terms, instalments=dice.random() < 0.5))
    return made


def undominated(made: list[Offer]) -> list[Offer]:
    """Offers of a class that no other of it beats in every term (what planning leaves)."""
    kept: list[Offer] = []
    for offer in sorted(made, key=lambda o: (o.kind, o.hourly or 10**15, sum(o.terms.values()))):
        if not any(other.kind == offer.kind and beats(other, offer) for other in kept):
            kept.append(offer)
    return kept


def beats(better: Offer, worse: Offer) -> bool:
    """Whether every price of `worse` has one of `better` that is not higher."""
    if worse.instalments and not better.instalments:
        return False
    if worse.hourly is not None and (better.hourly is None or better.hourly > worse.hourly):
        return False
    return all(name in better.terms and better.terms[name] <= price for name, price in worse.terms.items())


def needs(dice: random.Random, count: int, calendar: Calendar, *, windows: bool) -> list[Need]:
    """Steady work and jobs in turn; each runs on about half of the classes."""
    found = []
    for number in range(count):
        size = dice.choice((4, 8, 12, 20, 32, 48, 64))
        kinds = [kind for kind in range(CLASSES) if dice.random() < 0.5] or [CLASSES - 1]
        nodes = {kind: -(-size // (1 + kind)) for kind in kinds if -(-size // (1 + kind)) <= 32}
        steady = number % 2 == 0
        length = dice.randint(5, 80)
        start = 0 if steady else dice.randrange(max(1, calendar.horizon - length))
        days = None if steady else {kind: max(1, round(length * dice.uniform(0.8, 1.2))) for kind in nodes}
        if days is not None:
            days = {kind: min(most, calendar.horizon - start) for kind, most in days.items()}
        window = (dice.randrange(24), dice.choice((6, 8, 10, 12))) if windows and number % 3 == 2 else None
        found.append(Need(nodes, days, start, window, window[1] if window else dice.randint(6, 24)))
    return found


def problem_of(workloads: int, months: int, *, offers_count: int, seed: int, windows: bool = False) -> Problem:
    """The whole problem."""
    dice, calendar = random.Random(seed), Calendar(months)
    catalog = undominated(offers(dice, offers_count))
    wanted = needs(dice, workloads, calendar, windows=windows)
    pools = tuple(Pool(i, 8, offer.provider, 2016 + offer.kind // 3) for i, offer in enumerate(catalog))
    tasks, chains, placements = work(wanted, catalog, calendar)
    terms = tuple(purchases(catalog, placements, calendar))
    return Problem(calendar.horizon, calendar.starts, pools, tasks, placements, terms, chains=chains)


def work(
    wanted: list[Need], catalog: list[Offer], calendar: Calendar
) -> tuple[tuple[Task, ...], tuple[Chain, ...], tuple[Placement, ...]]:
    """Tasks, chains of steady work, and every placement."""
    tasks: list[Task] = []
    chains: list[Chain] = []
    placements: list[Placement] = []
    for number, need in enumerate(wanted):
        if need.days is None:
            chains.append(Chain(number, 1, 0, (0,) * calendar.months, tuple(range(calendar.months))))
            spans = [(start, end) for start, end in pairwise(calendar.starts)]
        else:
            spans = [(need.start, 0)]
        for start, end in spans:
            tasks.append(Task(len(tasks), number, number if need.days is None else None))
            for pool, offer in enumerate(catalog):
                if offer.kind in need.nodes:
                    last = end or start + (need.days or {})[offer.kind]
                    placements.append(placed(len(placements), tasks[-1].id, pool, offer, need, start, last))
    return tuple(tasks), tuple(chains), tuple(placements)


def placed(number: int, task: int, pool: int, offer: Offer, need: Need, start: int, end: int) -> Placement:
    """One placement of a need on an offer."""
    day = None if offer.hourly is None else offer.hourly * need.hours_per_day
    return Placement(
        id=number,
        task=task,
        option=pool,
        pool=pool,
        nodes=need.nodes[offer.kind],
        gpus_per_node=8,
        start=start,
        end=end,
        hours=need.hours,
        hourly_cost=None if day is None else (day, day),
        rate_micros_per_hour=offer.hourly or 0,
        lexical=pool,
        finish=end,
    )


def purchases(catalog: list[Offer], placements: tuple[Placement, ...], calendar: Calendar) -> Iterator[UnitTerm]:
    """Every rent that can matter: from each border of work in its pool, whole terms after or before one."""
    borders: dict[int, set[int]] = defaultdict(set)
    for placement in placements:
        borders[placement.pool].update((placement.start, placement.end))
    number = 0
    for pool, offer in enumerate(catalog):
        ends = {name: (lambda day, months=TERMS[name][0]: calendar.add_months(day, months)) for name in offer.terms}
        for day in starts(borders[pool], list(ends.values()), calendar.horizon):
            for rank, (name, price) in enumerate(offer.terms.items()):
                end = ends[name](day)
                cash = payments(calendar, day, price, TERMS[name][0] if offer.instalments else 1)
                yield UnitTerm(number, pool, day, day, end, price, price, cash, lexical=rank)
                number += 1


def payments(calendar: Calendar, day: int, price: int, count: int) -> tuple[tuple[int, int], ...]:
    """A price in equal instalments, one a month from its day on, by cash month; the last takes what is left."""
    first = sum(day >= start for start in calendar.starts) - 1
    parts = [price // count] * (count - 1)
    return tuple((first + month, micros) for month, micros in enumerate([*parts, price - sum(parts)]))


def starts(borders: set[int], ends: list[Callable[[int], int]], horizon: int) -> list[int]:
    """Borders, and days whole terms after one or before one."""
    found: set[int] = set()
    waiting = {day for day in borders if day < horizon}
    before = {day for end in ends for day in range(horizon) if end(day) in borders}
    waiting |= before
    while waiting:
        day = waiting.pop()
        found.add(day)
        waiting |= {end(day) for end in ends if end(day) < horizon} - found
    return sorted(found)


@dataclass
class Course:
    """How a solve went: processor seconds at which the gap first fell below each level."""

    began: float
    reached: dict[float, float]

    def see(self, _: float, cost: int | None, bound: int | None) -> None:
        """Take news of cost and bound."""
        if cost and bound:
            for level in LEVELS:
                if (cost - bound) / cost <= level:
                    self.reached.setdefault(level, time.process_time() - self.began)


def measure(problem: Problem, seconds: float) -> Solution:
    """Solve and print size, status, gap, times and memory."""
    began, processor = time.monotonic(), time.process_time()
    course = Course(processor, {})
    solution = solve(problem, Limits(seconds=seconds, tie_seconds=0.0), course.see)
    wall, used = time.monotonic() - began, time.process_time() - processor
    course.see(wall, solution.cost, solution.bound)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    gap = None if not solution.cost else (solution.cost - (solution.bound or 0)) / solution.cost
    sizes = f"{len(problem.pools)} pools, {len(problem.placements)} placements, {len(problem.unit_terms)} terms"
    share = "no plan" if gap is None else f"gap {gap:.4%}"
    reached = ", ".join(f"{level:.1%} after {at:.0f} s" for level, at in course.reached.items())
    print(f"  {sizes}: {solution.status}, {share}, cost {(solution.cost or 0) / MICROS:.2f}")
    print(
        f"  processor {used:.1f} s, wall {wall:.1f} s, peak {peak:.0f} MB; gap {reached or 'never small'}", flush=True
    )
    return solution


class Builds:
    """Processor seconds of each making of a program in PuLP while it is looked at."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.make = build.build
        for name in ("engine", "pricing"):
            vars(import_module(f"optimizer.program.{name}"))["build"] = self

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Make one program."""
        began = time.process_time()
        model = self.make(*arguments, **options)
        self.seconds.append(time.process_time() - began)
        return model

    def __str__(self) -> str:
        """How many, how long the longest took, and all."""
        longest, every = max(self.seconds, default=0.0), sum(self.seconds)
        return f"{len(self.seconds)} programs built: the longest in {longest:.2f} s, all in {every:.1f} s"


def series(cases: Iterable[str], seconds: float) -> None:
    """Run cases one after the other, each in a process of its own."""
    for case in cases:
        words = case.split()
        command = [sys.executable, __file__, *words]
        if "--seconds" not in words:
            command += ["--seconds", str(seconds)]
        subprocess.run(command, check=False)


def main() -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("size", help="workloads x months, for example 20x12")
    parser.add_argument("--offers", type=int, default=3_360)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--windows", action="store_true")
    parser.add_argument("--monthly-budget", type=float, help="as a share of the dearest month of the plan without it")
    options = parser.parse_args()
    if options.size in SERIES:
        series(SERIES[options.size], options.seconds)
        return
    supervise.LARGE_RECORDS = 10**9
    collect_seldom()  # as the command does
    workloads, months = (int(part) for part in options.size.split("x"))
    problem = problem_of(workloads, months, offers_count=options.offers, seed=options.seed, windows=options.windows)
    limits = " windows" * options.windows + " monthly budget" * bool(options.monthly_budget)
    print(f"{options.size}{limits}, {options.offers} offers, seed {options.seed}, {options.seconds:.0f} s:", flush=True)
    if options.monthly_budget:
        problem = replace(problem, monthly_budget=dearest_month(problem, options.seconds, options.monthly_budget))
    builds = Builds()
    measure(problem, options.seconds)
    print(f"  {builds}", flush=True)
    os._exit(0)  # a solver that ignores its limit still runs in its thread


def dearest_month(problem: Problem, seconds: float, share: float) -> int:
    """A share of the highest cash month of the best plan without a monthly budget."""
    from optimizer.program.check import Choice, cash_of

    found = solve(problem, Limits(seconds=seconds, tie_seconds=0.0))
    cash = cash_of(problem, Choice(found.placements, found.units, found.spend, found.services))
    print(
        f"  without a monthly budget: {(found.cost or 0) / MICROS:.2f}, dearest month {max(cash.values()) / MICROS:.2f}"
    )
    return round(max(cash.values()) * share)


if __name__ == "__main__":
    main()
