"""Random small problems on an abstract calendar: at most six days in two or three cash months, terms of 1-6 days.

Prices are made up and whole currency units, so that plans of different cost differ by far more than the tolerance.
"""

import random
from dataclasses import replace

from optimizer.program.problem import (
    Chain,
    Placement,
    Pool,
    Problem,
    QuotaLimit,
    SharedLine,
    SunkUnits,
    Task,
    UnitTerm,
)

UNIT = 1_000_000
GPUS = 4
FEATURES = (
    "budget",
    "monthly budget",
    "quota",
    "move",
    "waiting",
    "window",
    "shareable",
    "spot",
    "owned residual",
    "discount",
    "horizon end",
    "sunk",
    "site power",
    "max hourly",
    "shared line",
    "whole clusters",
    "stock",
)

ONE_POOL = ("window", "shareable", "whole clusters", "stock", "horizon end")
CENTRES = (*FEATURES, "budget", "monthly budget", "move", "window")  # these bind seldom: twice as many


def random_problem(seed: int) -> tuple[Problem, frozenset[str]]:
    """A problem and the features in it: one at its centre, up to two others by chance."""
    dice = random.Random(seed)
    focus = CENTRES[seed % len(CENTRES)]
    features = frozenset({focus, *dice.sample(FEATURES, dice.randint(0, 2))})
    return Maker(dice, focus, features).problem(), features


class Maker:
    """Draws one problem; `features` says what may occur in it, the numbers are drawn so that `focus` often matters."""

    def __init__(self, dice: random.Random, focus: str, features: frozenset[str]) -> None:
        self.dice = dice
        self.focus = focus
        self.features = features
        self.horizon = dice.randint(4, 6)
        self.month_starts = (0, self.horizon // 2, self.horizon)
        rate = dice.choice((0.5, 0.6, 0.7)) if "discount" in features else 1.0
        self.weights = tuple(rate**day for day in range(self.horizon))

    def money(self, low: int, high: int) -> int:
        """A whole number of currency units, in micros."""
        return self.dice.randint(low, high) * UNIT

    def month(self, day: int) -> int:
        """The cash month of a day."""
        return 0 if day < self.month_starts[1] else 1

    def weighed(self, micros: int, day: int) -> int:
        """A payment on that day, discounted."""
        return round(micros * self.weights[day])

    def problem(self) -> Problem:
        """The whole problem."""
        pools = tuple(
            Pool(i, GPUS, self.dice.randint(0, 1), self.dice.choice((2020, 2023)), self.mixable())
            for i in range(1 if self.focus in ONE_POOL else 2)
        )
        tasks, chains = self.tasks()
        placements = self.placements(tasks, len(pools))
        terms = self.unit_terms(len(pools))
        problem = Problem(
            horizon=self.horizon,
            month_starts=self.month_starts,
            pools=pools,
            tasks=tasks,
            placements=placements,
            unit_terms=terms,
            sunk=self.sunk(len(pools)),
            chains=chains,
            shared=self.shared(),
            quotas=self.quotas(len(pools)),
            day_weights=self.weights if "discount" in self.features else (),
        )
        return self.limited(problem)

    def mixable(self) -> bool:
        """Whether nodes of one workload may be served in part by the hour."""
        return "whole clusters" not in self.features

    def tasks(self) -> tuple[tuple[Task, ...], tuple[Chain, ...]]:
        """One to three jobs, or one steady workload of two or three tasks with a job beside it."""
        if "move" not in self.features:
            least = 2 if self.focus in ("window", "shareable") else 1
            return tuple(Task(i, work=i) for i in range(self.dice.randint(least, 3))), ()
        count = 3
        steady = tuple(Task(i, work=0, chain=0) for i in range(count))
        cost = self.money(1, 3)
        months = tuple(self.month(index * self.horizon // count) for index in range(count))
        objective = tuple(self.weighed(cost, index * self.horizon // count) for index in range(count))
        chain = Chain(0, self.dice.choice((0, 0, 1)), cost, objective, months)
        return steady, (chain,)

    def placements(self, tasks: tuple[Task, ...], pools: int) -> tuple[Placement, ...]:
        """One or two configurations a task; steady tasks share one list of options."""
        found: list[Placement] = []
        options = [replace(self.option(pools), pool=pool, nodes=1) for pool in range(pools)]
        steady = [task for task in tasks if task.chain is not None]
        for task in tasks:
            if task.chain is not None:
                index = steady.index(task)
                days = (index * self.horizon // len(steady), (index + 1) * self.horizon // len(steady))
                for option, made in enumerate(options):
                    found.append(self.placement(len(found), task.id, option, made, *days))
                continue
            for option in range(self.dice.randint(1, 2)):
                found.extend(self.job_placements(len(found), task.id, option, pools))
        return tuple(found)

    def job_placements(self, number: int, task: int, option: int, pools: int) -> list[Placement]:
        """One configuration of a job, at each start it may wait for."""
        made = self.option(pools)
        length = self.dice.randint(2 if self.focus in ("owned residual", "horizon end") else 1, self.horizon - 1)
        first = self.dice.randint(0, self.horizon - length)
        wait = 2 if "waiting" in self.features or self.focus == "discount" else 0
        last = min(first + wait, self.horizon - length)
        return [
            self.placement(number + i, task, option, made, start, start + length)
            for i, start in enumerate(range(first, last + 1))
        ]

    def option(self, pools: int) -> Placement:
        """A configuration without days."""
        dice = self.dice
        part = "shareable" in self.features and dice.random() < 0.8
        spot = "spot" in self.features and not part and dice.random() < 0.5
        day = self.money(3, 9)
        sold = not part and not spot and dice.random() < 0.85
        windowed = "window" in self.features and dice.random() < 0.9
        hours = (dice.choice((0, 8, 20)), dice.choice((4, 8, 12))) if windowed else None
        return Placement(
            id=0,
            task=0,
            option=0,
            pool=dice.randrange(pools),
            nodes=1 if part else 2 if self.focus == "whole clusters" else dice.randint(1, 2),
            gpus_per_node=dice.choice((1, 2)) if part else GPUS,
            start=0,
            end=0,
            hours=hours,
            hourly_cost=(day, dice.choice((day, day - UNIT))) if sold else None,
            rate_micros_per_hour=self.money(1, 3) if sold or spot else 0,
            spot=spot,
            shared=(0,) if "shared line" in self.features and dice.random() < 0.7 else (),
            below_strict=dice.choice((0, 0, 1)),
            unknowns=dice.choice((0, 0, 1)),
        )

    def placement(self, number: int, task: int, option: int, made: Placement, start: int, end: int) -> Placement:
        """The configuration on these days, with its fixed cost (of spot, or storage)."""
        storage = self.money(0, {"move": 20, "discount": 6}.get(self.focus, 2))
        fixed = (end - start) * made.nodes * self.money(1, 4) if made.spot else storage
        return replace(
            made,
            id=number,
            task=task,
            option=option,
            start=start,
            end=end,
            cost=fixed,
            objective=self.weighed(fixed, start),
            cash=((self.month(start), fixed),) if fixed else (),
            lexical=made.pool * 10 + made.nodes,
            finish=end,
        )

    def unit_terms(self, pools: int) -> tuple[UnitTerm, ...]:
        """Three to five purchases: rents of 1-6 days, and one owned machine where residuals are on."""
        found = []
        for number in range(self.dice.randint(3, 5)):
            length = self.dice.randint(4 if self.focus == "horizon end" else 1, 6)
            start = self.dice.randint(0, 2 if self.focus == "horizon end" else self.horizon - 1)
            price = self.money(1, 4) * length + self.money(0, 2)
            end = start + length
            if end > self.horizon and "horizon end" not in self.features:
                end, start = self.horizon, max(0, self.horizon - length)
            found.append(self.rent(number, self.dice.randrange(pools), start, end, price))
        if "owned residual" in self.features:
            found[-1] = self.owned(len(found) - 1, self.dice.randrange(pools))
        if "stock" in self.features:
            found = [replace(t, group=0, max_count=1) if t.pool == 0 and t.group is None else t for t in found]
        return tuple(found)

    def rent(self, number: int, pool: int, start: int, end: int, price: int) -> UnitTerm:
        """A rent paid on its first day."""
        return UnitTerm(
            id=number,
            pool=pool,
            purchase_day=start,
            usable_from=start,
            end=end,
            cost=price,
            objective=self.weighed(price, start),
            cash=((self.month(start), price),),
            shareable=self.dice.random() < 0.8,
            rate_micros_per_hour=self.money(0, 2),
            power_watts=1000,
            lexical=self.dice.randint(0, 3),
        )

    def owned(self, number: int, pool: int) -> UnitTerm:
        """A purchase on day 0, usable after a lead time of 0-2 days, whose residual is taken off at the end."""
        price = self.money(9, 24)
        residual = price * self.dice.choice((4, 6, 8)) // 10
        lead = self.dice.randint(0, 2)
        return UnitTerm(
            id=number,
            pool=pool,
            purchase_day=0,
            usable_from=lead,
            end=self.horizon,
            cost=price - residual,
            objective=price - self.weighed(residual, self.horizon - 1),
            cash=((0, price),),
            group=9,
            max_count=2,
            power_watts=2000,
        )

    def sunk(self, pools: int) -> tuple[SunkUnits, ...]:
        """Units that are there already."""
        if "sunk" not in self.features:
            return ()
        start = self.dice.randint(0, 2)
        return (SunkUnits(0, self.dice.randrange(pools), start, self.dice.randint(start + 1, 6), 1, power_watts=1000),)

    def shared(self) -> tuple[SharedLine, ...]:
        """A data set that two workloads may share."""
        if "shared line" not in self.features:
            return ()
        cost = self.money(1, 4)
        return (SharedLine(0, cost, tuple(self.weighed(cost, day) for day in range(self.horizon))),)

    def quotas(self, pools: int) -> tuple[QuotaLimit, ...]:
        """A limit on one kind of service in some pools."""
        if "quota" not in self.features:
            return ()
        chosen = range(pools) if self.dice.random() < 0.7 else [self.dice.randrange(pools)]
        weights = tuple((pool, GPUS) for pool in sorted(chosen))
        kind = self.dice.choice(("any", "hourly", "term", *(("spot",) if "spot" in self.features else ())))
        return (QuotaLimit(0, kind, weights, self.dice.randint(0, 1) * GPUS, self.dice.random() < 0.5),)

    def limited(self, problem: Problem) -> Problem:
        """Limits on money, rate and power, drawn around what a plan may need."""
        dice = self.dice
        nodes = max(placement.nodes for placement in problem.placements)
        return replace(
            problem,
            budget=self.money(10, 50) if "budget" in self.features else None,
            monthly_budget=self.money(8, 35) if "monthly budget" in self.features else None,
            max_hourly=self.money(1, 3 * nodes) if "max hourly" in self.features else None,
            site_power_watts=dice.choice((1000, 2000, 3000)) if "site power" in self.features else None,
        )
