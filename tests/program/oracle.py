"""Brute force over every plan of a small problem: every placement, unit count and node split of each day.

Written from the problem's definition alone (docs/program.md), day by day and hour by hour; it shares no code with
the program but its records. Costs are never negative, so a partial plan dearer than the best known one is left out.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from optimizer.program.problem import Placement, Pool, Problem, UnitTerm

HOURS = tuple(range(24))


@dataclass(frozen=True)
class Best:
    """The least cost in micros (None: no plan), and the preferred tie key among plans within the tolerance."""

    cost: int | None
    ties: tuple[object, ...] | None = None


def best_plan(problem: Problem, *, with_ties: bool = False, objective: str = "cost") -> Best:
    """Enumerate every plan; with optional work the most by priority, with "time" the earliest finish, come first."""
    ranked: dict[tuple[int, ...], list[tuple[Placement, ...]]] = {}
    for chosen in selections(problem):
        ranked.setdefault(rank(problem, chosen, objective), []).append(chosen)
    for key in sorted(ranked):
        best = cheapest_of(problem, ranked[key], with_ties=with_ties)
        if best.cost is not None:
            return best
    return Best(None)


def rank(problem: Problem, chosen: tuple[Placement, ...], objective: str) -> tuple[int, ...]:
    """What comes before cost: works kept of each priority from the highest, then the last finish."""
    finish = max((placement.finish for placement in chosen), default=0) if objective == "time" else 0
    if not problem.optional_tasks:
        return (finish,)
    placed = {placement.task for placement in chosen}
    works = {(task.work, task.priority) for task in problem.tasks if task.id in placed}
    priorities = sorted({task.priority for task in problem.tasks}, reverse=True)
    return (*(-sum(1 for _, priority in works if priority == level) for level in priorities), finish)


def has_asked_units(problem: Problem, chosen: tuple[Placement, ...], units: tuple[tuple[UnitTerm, int], ...]) -> bool:
    """Whether a unit of the terms asked for is there, and each has a node of work on one of its days."""
    if problem.asked_terms is None:
        return True
    bought = [(term, count) for term, count in units if count and term.id in problem.asked_terms]
    for term, count in bought:
        own_days = set(range(term.usable_from, term.end))
        there = [p for p in chosen if p.pool == term.pool and not p.spot and own_days & set(range(p.start, p.end))]
        if count > sum(p.nodes for p in there):
            return False
    return bool(bought)


def cheapest_of(problem: Problem, selected: list[tuple[Placement, ...]], *, with_ties: bool) -> Best:
    """The least cost over every unit count and node split of these selections."""
    best: int | None = None
    keys: list[tuple[int, tuple[object, ...]]] = []
    every = [(units, sum(term.objective * count for term, count in units)) for units in unit_counts(problem)]
    for chosen in selected:
        work_cost = fixed_cost(problem, chosen)
        days: Days = {}
        for units, unit_cost in every:
            floor_cost = work_cost + unit_cost
            if best is not None and floor_cost > best + tolerance(best):
                continue
            if not has_asked_units(problem, chosen, units):
                continue
            cost = cheapest_service(problem, chosen, units, floor_cost, days)
            if cost is None:
                continue
            best = cost if best is None else min(best, cost)
            if with_ties and cost <= best + tolerance(best):
                keys.append((cost, tie_key(problem, chosen, units)))
    if best is None or not with_ties:
        return Best(best)
    return Best(best, min(key for cost, key in keys if cost <= best + tolerance(best)))


def tolerance(cost: int) -> int:
    """0.01 of the currency or a millionth of the cost, whichever is more."""
    return max(10_000, cost // 1_000_000)


def selections(problem: Problem) -> Iterator[tuple[Placement, ...]]:
    """One placement a task, for every task that must be or may be done."""
    choices: list[list[Placement | None]] = []
    for task in problem.tasks:
        options: list[Placement | None] = [p for p in problem.placements if p.task == task.id]
        choices.append([*options, None] if problem.optional_tasks else options)
    for combination in product(*choices):
        chosen = tuple(placement for placement in combination if placement is not None)
        if whole_works(problem, chosen) and moves_allowed(problem, chosen):
            yield chosen


def whole_works(problem: Problem, chosen: tuple[Placement, ...]) -> bool:
    """All tasks of one work are placed, or none."""
    placed = {placement.task for placement in chosen}
    return all(
        len({task.id in placed for task in problem.tasks if task.work == work}) == 1
        for work in {task.work for task in problem.tasks}
    )


def moves_of(problem: Problem, chosen: tuple[Placement, ...]) -> dict[int, list[int]]:
    """Chain -> the positions at which its option changes."""
    option = {placement.task: placement.option for placement in chosen}
    moves: dict[int, list[int]] = {}
    for chain in problem.chains:
        ids = [task.id for task in problem.tasks if task.chain == chain.id]
        moves[chain.id] = [
            i for i in range(1, len(ids)) if ids[i] in option and option[ids[i]] != option.get(ids[i - 1])
        ]
    return moves


def moves_allowed(problem: Problem, chosen: tuple[Placement, ...]) -> bool:
    """No chain moves more often than it may."""
    moves = moves_of(problem, chosen)
    return all(len(moves[chain.id]) <= chain.max_moves for chain in problem.chains)


def unit_counts(problem: Problem) -> Iterator[tuple[tuple[UnitTerm, int], ...]]:
    """Every count of every unit term that all work of its pool together could use, within its group's stock."""
    ranges = []
    for term in problem.unit_terms:
        nodes = [(p.task, p.nodes) for p in problem.placements if p.pool == term.pool and not p.spot]
        most = sum(max(n for task, n in nodes if task == each) for each in {task for task, _ in nodes})
        ranges.append(range(min(most, most if term.max_count is None else term.max_count) + 1))
    for counts in product(*ranges):
        units = tuple((term, count) for term, count in zip(problem.unit_terms, counts, strict=True) if count)
        if all(
            sum(count for other, count in units if other.group == term.group) <= (term.max_count or 0)
            for term, _ in units
            if term.group is not None
        ):
            yield units


def fixed_cost(problem: Problem, chosen: tuple[Placement, ...]) -> int:
    """Discounted micros of everything but units and service by the hour."""
    total = sum(placement.objective for placement in chosen)
    moves = moves_of(problem, chosen)
    for chain in problem.chains:
        if chain.move_cost:
            total += sum(chain.move_objective[index] for index in moves[chain.id])
    for line in problem.shared:
        total += sum(line.objective_per_day[day] for day in range(problem.horizon) if in_use(chosen, line.id, day))
    return total


def in_use(chosen: tuple[Placement, ...], line: int, day: int) -> bool:
    """Whether a running placement names the shared line."""
    return any(line in placement.shared and placement.start <= day < placement.end for placement in chosen)


Days = dict[tuple[object, ...], "tuple[int, int] | None"]


def cheapest_service(
    problem: Problem, chosen: tuple[Placement, ...], units: tuple[tuple[UnitTerm, int], ...], fixed: int, days: Days
) -> int | None:
    """Total discounted micros with the cheapest split of each day; None when a rule cannot be kept.

    Days are tied together by budgets alone, and on one day less cash is also less objective: so the split of least
    cash a day is best for every rule of money. `days` keeps what was found for a day with the same active units.
    """
    cash = fixed_cash(problem, chosen, units)
    total = fixed
    for day in range(problem.horizon):
        key = (day, *((term.id, count) for term, count in units if term.usable_from <= day < term.end))
        if key not in days:
            days[key] = cheapest_split(problem, chosen, units, day)
        split = days[key]
        if split is None:
            return None
        micros, weighed = split
        total += weighed
        month = next(m for m in range(len(problem.month_starts)) if day < problem.month_starts[m + 1])
        cash[month] = cash.get(month, 0) + micros
    if problem.budget is not None and sum(cash.values()) > problem.budget:
        return None
    if problem.monthly_budget is not None and any(amount > problem.monthly_budget for amount in cash.values()):
        return None
    return total


def fixed_cash(
    problem: Problem, chosen: tuple[Placement, ...], units: tuple[tuple[UnitTerm, int], ...]
) -> dict[int, int]:
    """Undiscounted micros a month of everything but service by the hour."""
    cash: dict[int, int] = {}
    for payments, count in [(p.cash, 1) for p in chosen] + [(term.cash, count) for term, count in units]:
        for month, micros in payments:
            cash[month] = cash.get(month, 0) + micros * count
    moves = moves_of(problem, chosen)
    for chain in problem.chains:
        for index in moves[chain.id] if chain.move_cost else ():
            cash[chain.move_month[index]] = cash.get(chain.move_month[index], 0) + chain.move_cost
    for line in problem.shared:
        for day in range(problem.horizon):
            if in_use(chosen, line.id, day):
                month = next(m for m in range(len(problem.month_starts)) if day < problem.month_starts[m + 1])
                cash[month] = cash.get(month, 0) + line.cost_per_day
    return cash


def cheapest_split(
    problem: Problem, chosen: tuple[Placement, ...], units: tuple[tuple[UnitTerm, int], ...], day: int
) -> tuple[int, int] | None:
    """(micros, discounted micros) of the cheapest valid way to serve one day, over every split of every placement."""
    pools = {pool.id: pool for pool in problem.pools}
    running = [placement for placement in chosen if placement.start <= day < placement.end]
    served = [placement for placement in running if not placement.spot]
    best: tuple[int, int] | None = None
    for hourly in product(*(hourly_counts(placement, pools[placement.pool]) for placement in served)):
        split = list(zip(served, hourly, strict=True))
        if valid_day(problem, pools, running, split, units, day):
            micros = sum(count * price_on(placement, day) for placement, count in split if count)
            weight = problem.day_weights[day] if problem.day_weights else 1.0
            weighed = sum(count * round(price_on(placement, day) * weight) for placement, count in split if count)
            if best is None or (micros, weighed) < best:
                best = (micros, weighed)
    return best


def hourly_counts(placement: Placement, pool: Pool) -> tuple[int, ...]:
    """How many nodes may be served by the hour."""
    if placement.hourly_cost is None:
        return (0,)
    return tuple(range(placement.nodes + 1)) if pool.mixable else (0, placement.nodes)


def price_on(placement: Placement, day: int) -> int:
    """Micros of one hourly node on that day."""
    assert placement.hourly_cost is not None
    return placement.hourly_cost[1] if day == placement.end - 1 else placement.hourly_cost[0]


def busy(placement: Placement, hour: int) -> bool:
    """Whether the hour lies in the placement's window, which wraps past midnight."""
    if placement.hours is None:
        return True
    first, count = placement.hours
    return hour in {(first + step) % 24 for step in range(count)}


def valid_day(
    problem: Problem,
    pools: dict[int, Pool],
    running: list[Placement],
    split: list[tuple[Placement, int]],
    units: tuple[tuple[UnitTerm, int], ...],
    day: int,
) -> bool:
    """Whether units, quotas, rate and power allow this split on this day."""
    active = [(term, count) for term, count in units if term.usable_from <= day < term.end]
    if not quotas_kept(problem, running, split, active, day) or not power_kept(problem, active, day):
        return False
    windows = any(placement.hours is not None for placement in running)
    for hour in HOURS if windows else HOURS[:1]:
        if not rate_kept(problem, running, split, active, hour):
            return False
        for pool in pools.values():
            if not units_suffice(problem, pool, split, active, day, hour):
                return False
    return True


def units_suffice(
    problem: Problem,
    pool: Pool,
    split: list[tuple[Placement, int]],
    active: list[tuple[UnitTerm, int]],
    day: int,
    hour: int,
) -> bool:
    """Put whole nodes on units that take no parts first, then pack the parts on the shareable ones, largest first."""
    whole, parts = 0, []
    for placement, hourly in split:
        if placement.pool == pool.id and busy(placement, hour):
            if placement.gpus_per_node == pool.gpus:
                whole += placement.nodes - hourly
            else:
                parts.append(placement.gpus_per_node)
    plain = sum(count for term, count in active if term.pool == pool.id and not term.shareable)
    shareable = sum(count for term, count in active if term.pool == pool.id and term.shareable)
    for sunk in problem.sunk:
        if sunk.pool == pool.id and sunk.start <= day < sunk.end:
            plain, shareable = (plain, shareable + sunk.count) if sunk.shareable else (plain + sunk.count, shareable)
    free = [pool.gpus] * (shareable - max(0, whole - plain)) if whole <= plain + shareable else None
    if free is None:
        return False
    for part in sorted(parts, reverse=True):
        fitting = next((index for index, room in enumerate(free) if room >= part), None)
        if fitting is None:
            return False
        free[fitting] -= part
    return True


def quotas_kept(
    problem: Problem,
    running: list[Placement],
    split: list[tuple[Placement, int]],
    active: list[tuple[UnitTerm, int]],
    day: int,
) -> bool:
    """Every quota on this day."""
    for quota in problem.quotas:
        weights = dict(quota.weights)
        hourly = sum(weights.get(placement.pool, 0) * count for placement, count in split)
        spot = sum(weights.get(p.pool, 0) * p.nodes for p in running if p.spot)
        term = sum(weights.get(unit.pool, 0) * count for unit, count in active)
        stands = 0
        if quota.counts_sunk and quota.kind in ("any", "term"):
            stands = sum(weights.get(s.pool, 0) * s.count for s in problem.sunk if s.start <= day < s.end)
        used = {"hourly": hourly, "spot": spot, "term": term, "any": hourly + spot + term}[quota.kind]
        if used > 0 and used + stands > quota.limit:  # what stands there by itself is no choice
            return False
    return True


def power_kept(problem: Problem, active: list[tuple[UnitTerm, int]], day: int) -> bool:
    """The site's power on this day."""
    if problem.site_power_watts is None:
        return True
    watts = sum(term.power_watts * count for term, count in active)
    watts += sum(sunk.power_watts * sunk.count for sunk in problem.sunk if sunk.start <= day < sunk.end)
    return watts <= problem.site_power_watts


def rate_kept(
    problem: Problem,
    running: list[Placement],
    split: list[tuple[Placement, int]],
    active: list[tuple[UnitTerm, int]],
    hour: int,
) -> bool:
    """The cap on the rented cash rate at this hour."""
    if problem.max_hourly is None:
        return True
    rate = sum(term.rate_micros_per_hour * count for term, count in active)
    rate += sum(p.nodes * p.rate_micros_per_hour for p in running if p.spot and busy(p, hour))
    rate += sum(count * p.rate_micros_per_hour for p, count in split if busy(p, hour))
    return rate <= problem.max_hourly


def tie_key(
    problem: Problem, chosen: tuple[Placement, ...], units: tuple[tuple[UnitTerm, int], ...]
) -> tuple[object, ...]:
    """The order among plans of equal cost: the smaller is preferred."""
    pools = {pool.id: pool for pool in problem.pools}
    order = {task.id: index for index, task in enumerate(problem.tasks)}
    node_days = {p.id: p.nodes * (p.end - p.start) for p in chosen}
    providers = {pools[p.pool].provider for p in chosen} | {pools[term.pool].provider for term, _ in units}
    return (
        sum(p.below_strict for p in chosen),
        sum(p.unknowns for p in chosen),
        sum((term.end - term.usable_from) * count for term, count in units),
        sum(node_days.values()),
        len(providers),
        sum(node_days[p.id] * pools[p.pool].generation for p in chosen),
        tuple(p.lexical for p in sorted(chosen, key=lambda p: order[p.task])),
        sum(term.lexical * count for term, count in units),
        sum(term.purchase_day * count for term, count in units),
    )
