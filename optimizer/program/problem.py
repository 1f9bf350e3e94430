"""What the integer program sees: numbers and ids only. No offer, no date, no currency, no rule.

Days are numbered from 0; intervals are half-open. Money is in integer micros (10**-6 of the report currency).
Everything here is plain data so that tests can write abstract calendars (six slots, terms of 1-6) and enumerate
every plan by brute force.
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Pool:
    """One instance type of one provider in one region, or one owned server type.

    `gpus` whole GPUs of one unit. `mixable`: whether the nodes of one workload may be served partly from units and
    partly by the hour. `provider` and `generation` (release year) are ids for settling ties only.
    """

    id: int
    gpus: int
    provider: int
    generation: int = 0
    mixable: bool = True


@dataclass(frozen=True, slots=True)
class UnitTerm:
    """One way to have units of a pool in [usable_from, end): a rent from one start day, a block, an owned purchase.

    `cost` micros of one unit over the plan, `objective` the same with every payment discounted, `cash` what leaves
    in each month (month index, micros) as far as budgets count it; months beyond the horizon go on counting
    (index >= len(month_starts) - 1) and are budget months like any other. `usable_from` may lie after the
    purchase day (lead time). `group`: units
    of all terms of one group together may not exceed `max_count` (owned `max`, block stock); `None` is no limit.
    `shareable`: nodes of single-node placements may use part of a unit. `power_watts` counts against site power.
    `rate_micros_per_hour` counts against `max_hourly` while usable. `quota_kind` for quotas: always "term".
    `lexical` is the rank of the term in the tie order. `purchase_day` first day of the obligation.
    """

    id: int
    pool: int
    purchase_day: int
    usable_from: int
    end: int
    cost: int
    objective: int
    cash: tuple[tuple[int, int], ...]
    group: int | None = None
    max_count: int | None = None
    shareable: bool = True
    power_watts: int = 0
    rate_micros_per_hour: int = 0
    lexical: int = 0

    def reaches(self, placement: "Placement") -> bool:
        """Whether a unit could serve a placement on some day."""
        overlaps = placement.start < self.end and self.usable_from < placement.end
        return overlaps and placement.pool == self.pool and not placement.spot


@dataclass(frozen=True, slots=True)
class SunkUnits:
    """Units of a pool that are there already in [start, end): free, first used, never a saving.

    `power_watts` of one unit counts against site power while the unit is there.
    """

    id: int
    pool: int
    start: int
    end: int
    count: int
    shareable: bool = True
    power_watts: int = 0


@dataclass(frozen=True, slots=True)
class Placement:
    """One yes/no decision: a task on `nodes` nodes of a pool in [start, end).

    `gpus_per_node` = the pool's GPUs (whole machines), or less: then `nodes` is 1 and it runs only on shareable
    units. `hours`: which hours of the day it occupies, as (first hour, count), `None` for the whole day.
    `hourly_cost`: micros of one node on each day but the last, and on the last day, when served by the hour;
    `None` when the pool is not sold by the hour for it. `rate_micros_per_hour`: one hourly node's cash rate.
    `spot`: the whole job runs on spot; its cost lies in `cost`, no units or hourly nodes serve it.
    `cost`, `objective`, `cash`: fixed costs of the placement (storage, egress, spot, energy), as in UnitTerm.
    `shared`: ids of shared lines that must be paid on its days. `option` identifies the configuration across
    months (moves) and starts. `below_strict`, `unknowns`: counts for ties. `lexical`: rank in the tie order.
    `finish`: day number on which the work is done (for the time objective).
    """

    id: int
    task: int
    option: int
    pool: int
    nodes: int
    gpus_per_node: int
    start: int
    end: int
    hours: tuple[int, int] | None
    hourly_cost: tuple[int, int] | None
    rate_micros_per_hour: int = 0
    spot: bool = False
    cost: int = 0
    objective: int = 0
    cash: tuple[tuple[int, int], ...] = ()
    shared: tuple[int, ...] = ()
    below_strict: int = 0
    unknowns: int = 0
    lexical: int = 0
    finish: int = 0


@dataclass(frozen=True, slots=True)
class Task:
    """What must be placed exactly once: a job, a repetition of a job, or one month of steady work.

    `chain` groups the months of one steady workload in order; `work` identifies the workload (team subsets,
    ties), `priority` decides what is kept when not everything fits (higher is kept).
    """

    id: int
    work: int
    chain: int | None = None
    priority: int = 0


@dataclass(frozen=True, slots=True)
class Chain:
    """Steady work: at most `max_moves` changes of option between consecutive tasks, each costing `move_cost`.

    `move_objective[i]`, `move_month[i]`: discounted cost and cash month of a move into the chain's task i.
    """

    id: int
    max_moves: int
    move_cost: int = 0
    move_objective: tuple[int, ...] = ()
    move_month: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SharedLine:
    """A cost paid once a day while any placement that names it is active (a data set in one region).

    `cost_per_day` micros; day d weighs `objective_per_day[d]` and falls in the month of d.
    """

    id: int
    cost_per_day: int
    objective_per_day: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class QuotaLimit:
    """On every day: sum over `weights` (pool -> GPUs or 1 a node) of nodes of the kind <= limit.

    kind "hourly": nodes served by the hour; "spot": spot placements; "term": units bought, usable or not used;
    "any": all three. Where `counts_sunk`, sunk units take up room under "any" and "term"; alone above the limit they
    leave none, and break nothing.
    """

    id: int
    kind: Literal["any", "hourly", "spot", "term"]
    weights: tuple[tuple[int, int], ...]
    limit: int
    counts_sunk: bool = False


@dataclass(frozen=True, slots=True)
class SpendTerm:
    """A savings plan: money committed an hour in [start, end) covers hourly nodes at the plan's own rates.

    One step commits `step_micros_per_hour`; `cost`, `objective`, `cash` are those of one step over the term.
    `rates`: pool -> micros an hour of one node under the plan. A covered node counts as hourly for quotas.
    Steps and rates may be in a currency of their own: then `rate_micros_per_hour` is what a step counts against
    `max_hourly`, in that of the problem.
    """

    id: int
    start: int
    end: int
    step_micros_per_hour: int
    rates: tuple[tuple[int, int], ...]
    cost: int
    objective: int
    cash: tuple[tuple[int, int], ...]
    lexical: int = 0
    rate_micros_per_hour: int | None = None

    @property
    def capped_micros_per_hour(self) -> int:
        """What one step counts against a cap on the rented rate."""
        return self.step_micros_per_hour if self.rate_micros_per_hour is None else self.rate_micros_per_hour


@dataclass(frozen=True, slots=True)
class Problem:
    """The whole problem. `month_starts` has one entry per cash month plus the end of the last one.

    `day_weights[d]`: discount factor of day d (1.0 without discounting); hourly node-days cost
    round(micros x weight) in the objective. Budgets are in undiscounted micros; with an `excess_price` cash beyond
    them is allowed, and costs so many micros for each micro (of a month, of the plan) on top. `asked_terms`: where
    given, at least one unit of these terms is bought, and no more units of one than the nodes that it could serve.
    """

    horizon: int
    month_starts: tuple[int, ...]
    pools: tuple[Pool, ...]
    tasks: tuple[Task, ...]
    placements: tuple[Placement, ...]
    unit_terms: tuple[UnitTerm, ...] = ()
    sunk: tuple[SunkUnits, ...] = ()
    chains: tuple[Chain, ...] = ()
    shared: tuple[SharedLine, ...] = ()
    quotas: tuple[QuotaLimit, ...] = ()
    spend_terms: tuple[SpendTerm, ...] = ()
    day_weights: tuple[float, ...] = ()
    budget: int | None = None
    monthly_budget: int | None = None
    excess_price: int | None = None
    max_hourly: int | None = None
    site_power_watts: int | None = None
    optional_tasks: bool = False
    asked_terms: frozenset[int] | None = None

    def month_of(self, day: int) -> int:
        """The cash month in which a day of the horizon falls."""
        return next(month for month in range(len(self.month_starts) - 1) if day < self.month_starts[month + 1])


Objective = Literal["cost", "time", "priority"]


@dataclass(frozen=True, slots=True)
class Limits:
    """How long and how exactly to solve. Wall seconds hold even where the solver's own limit does not."""

    seconds: float = 60.0
    tie_seconds: float = 5.0
    objective: Objective = "cost"
    threads: int = 2


@dataclass(frozen=True, slots=True)
class Service:
    """How one placement is served on days [start, end): nodes from units, by the hour, under a savings plan.

    `covered` nodes in all; `covered_by` says under which plan: (spend term id, nodes).
    """

    placement: int
    start: int
    end: int
    from_units: int
    hourly: int
    covered: int = 0
    covered_by: tuple[tuple[int, int], ...] = ()


SolveStatus = Literal["optimal", "feasible", "infeasible", "no_plan_in_time", "interrupted"]


@dataclass(frozen=True, slots=True)
class Solution:
    """Integers only, checked exactly against every constraint before it is returned.

    `cost` is recomputed from the integers in micros (objective terms, discounted); `bound` is the solver's proven
    lower bound in the same unit. `units`: (unit term id, count); `spend`: (spend term id, steps).
    `ties_settled` names the last tie level settled, "all" when the plan is unique in the order.
    """

    status: SolveStatus
    cost: int | None = None
    bound: int | None = None
    placements: tuple[int, ...] = ()
    units: tuple[tuple[int, int], ...] = ()
    spend: tuple[tuple[int, int], ...] = ()
    services: tuple[Service, ...] = ()
    ties_settled: str = ""
    seconds: float = 0.0
