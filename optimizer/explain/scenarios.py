"""What to commit now and what to rent by the hour later, over several futures: least expected cost, exactly.

Two-stage program in extensive form (Birge and Louveaux, Introduction to Stochastic Programming, chapter 2). First
stage: rents for a term and purchases, the same in every future. Second stage: where each workload runs and what is
rented by the hour or on spot, chosen when the future is known. It is solved by the same program as every plan: each
future's copy of the work takes an hour of the day of its own, so that a unit, which stands there the whole day,
serves every future, and no future takes another one's hours; costs of the second stage are multiplied by the
future's weight.

Savings plans are not offered: their money would cover every future's work at once.

Bounds. A unit's cost counts once and serves every future, so weight x (a future's lower bound) summed over the futures
bounds the expected cost from below: sum of weights is 1. Candidates are left out by these weighed bounds as in
optimizer.planning.search.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial

from optimizer.explain.changes import repriced, slower, with_file
from optimizer.explain.parallel import run_all
from optimizer.explain.replan import cheapest_of, chosen, missing_lines
from optimizer.explain.scenario_file import Scenario, ScenarioFile
from optimizer.planning.assembly import Assembly, Bought
from optimizer.planning.candidates import Candidate, WorkFacts
from optimizer.planning.case import Case
from optimizer.planning.pipeline import Planner
from optimizer.planning.search import Outcome, Search
from optimizer.planning.supply import Supply, matches_any
from optimizer.program.problem import Placement, Problem, Service
from optimizer.rules import Policy

ScenarioOf = Callable[[int], int | None]


@dataclass(frozen=True)
class Future:
    """One scenario under the common commitments. `alone` is the least cost if it were known now (micros).

    `missing`: required lines of its work that have no price; with any, both costs are the least that it can cost.
    """

    name: str
    weight: Fraction
    cost: int
    alone: int
    runs: tuple[str, ...]
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Hedge:
    """The whole answer in micros. `commit`: units bought now and how many; `by_the_hour`: expected cost of no unit."""

    expected: int
    bound: int
    commit: tuple[tuple[Bought, int], ...]
    futures: tuple[Future, ...]
    by_the_hour: int | None
    is_proven: bool

    @property
    def cost_of_not_knowing(self) -> Fraction:
        """Expected value of perfect information: expected cost less that of knowing each future now."""
        return self.expected - sum((one.weight * one.alone for one in self.futures), Fraction(0))

    @property
    def worst(self) -> Future:
        """The dearest future."""
        return max(self.futures, key=lambda one: one.cost)


@dataclass(frozen=True)
class NoHedge:
    """No plan: the futures that have none even alone, or none of them (then only together)."""

    impossible: tuple[str, ...]


def hedge(planner: Planner, scenarios: ScenarioFile, seconds: float) -> Hedge | NoHedge:
    """The commitments of least expected cost, and each future under them.

    Raises:
        NoPlanInTime: a solve ended without a plan or the proof that there is none.
    """
    tasks = (partial(_alone, planner.case, planner.policy, one, seconds) for one in scenarios.scenarios)
    known = run_all(tasks)
    impossible = [s.name for s, alone in zip(scenarios.scenarios, known, strict=True) if alone is None]
    if impossible:
        return NoHedge(tuple(impossible))
    # A future that alone has every price keeps to such plans here as well: its costs are compared with each other.
    priced = [alone is not None and alone.is_complete for alone in known]
    case = combined(planner.case, scenarios.scenarios, priced)
    search = ScenarioSearch(case, scenarios.weights)
    outcome = cheapest_of(search, planner.policy, None, seconds, 1.0)
    if outcome.assembly is None or outcome.solution is None or not outcome.has_plan:
        return NoHedge(())
    search.no_units = True
    hourly = search.cheapest(planner.policy, None, seconds=seconds, tie_seconds=0.0)
    costs = costs_by_scenario(outcome, len(scenarios.scenarios), len(planner.file.workloads))
    futures = tuple(
        Future(
            s.name,
            w,
            cost,
            0 if alone is None else alone.cost,
            runs_of(outcome, number, len(planner.file.workloads)),
            missing_of(outcome, number, len(planner.file.workloads)),
        )
        for number, (s, w, cost, alone) in enumerate(
            zip(scenarios.scenarios, scenarios.weights, costs, known, strict=True)
        )
    )
    return Hedge(
        expected=round(sum((one.weight * one.cost for one in futures), Fraction(0))),
        bound=outcome.solution.bound or 0,
        commit=tuple((outcome.assembly.bought[identity], count) for identity, count in outcome.solution.units),
        futures=futures,
        by_the_hour=hourly.cost_micros if hourly.has_plan else None,
        is_proven=outcome.solution.status == "optimal",
    )


@dataclass(frozen=True, slots=True)
class Alone:
    """The best plan if one future were known now: micros, and whether every line of it has a price."""

    cost: int
    is_complete: bool


def _alone(case: Case, policy: Policy, scenario: Scenario, seconds: float) -> Alone | None:
    outcome = cheapest_of(Search(combined(case, (scenario,))), policy, None, seconds, 0.0)
    if not outcome.has_plan:
        return None
    return Alone(outcome.cost_micros, not missing_lines(outcome))


# --- the case of all futures ------------------------------------------------------------------------------------


def combined(case: Case, scenarios: Sequence[Scenario], priced: Sequence[bool] | None = None) -> Case:
    """One case with a copy of every workload for every future; the total budget is left to the caller.

    `priced`: which futures' work must have every price known.
    """
    count = len(case.file.workloads)
    stride = 1 + max((c.index for mine in case.candidates for c in mine), default=0)
    works = [
        work.model_copy(update={"name": f"{work.name} @ {scenario.name}", "dataset": _dataset(work.dataset, number)})
        for number, scenario in enumerate(scenarios)
        for work in case.file.workloads
    ]
    file = case.file.model_copy(update={"workloads": tuple(works), "budget": None})
    facts = tuple(
        WorkFacts(number * count + one.index, works[number * count + one.index], one.shape, one.training)
        for number in range(len(scenarios))
        for one in case.works
    )
    tasks = tuple(
        replace(
            task,
            work=number * count + task.work,
            tokens_per_month=_times(task.tokens_per_month, scenario.demand_of(case.work(task.work).name)),
        )
        for number, scenario in enumerate(scenarios)
        for task in case.tasks
    )
    candidates = tuple(
        tuple(
            candidate
            for candidate in _candidates_in(case, scenario, number, work, stride)
            if not (priced and priced[number] and candidate.storage.missing)
        )
        for number, scenario in enumerate(scenarios)
        for work in range(count)
    )
    return replace(
        with_file(case, file), works=facts, tasks=tasks, candidates=candidates, misfits=(), judgements={}, notes=[]
    )


def _dataset(name: str | None, number: int) -> str | None:
    """Data sets are shared inside one future only."""
    return None if name is None else f"{name} @ {number}"


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def _candidates_in(case: Case, scenario: Scenario, number: int, work: int, stride: int) -> tuple[Candidate, ...]:
    """A workload's candidates in one future: its prices by the hour, its speed, its work; without failing providers."""
    name = case.work(work).name
    supplies: dict[str, Supply] = {}
    found = []
    for candidate in case.candidates[work]:
        supply = candidate.supply
        if matches_any(supply.provider, scenario.failing):
            continue
        if supply.key not in supplies:
            supplies[supply.key] = _by_the_hour_at(supply._replace(covered_at=()), scenario.price)
        changed = slower(candidate, 1 / scenario.speed_of(name))
        found.append(
            replace(
                changed,
                index=number * stride + candidate.index,
                work=number * len(case.file.workloads) + work,
                supply=supplies[supply.key],
                run_hours=_times(changed.run_hours, scenario.demand_of(name)),
            )
        )
    return tuple(found)


def _by_the_hour_at(supply: Supply, factor: Decimal) -> Supply:
    return supply if factor == 1 else repriced(supply, factor, lambda rated: rated.price.term.is_hourly)


# --- the program of all futures ---------------------------------------------------------------------------------


def extensive(problem: Problem, scenario_of: ScenarioOf, weights: Sequence[Fraction]) -> Problem:
    """The program of expected cost from a problem that holds every future's work.

    `scenario_of` names a placement's future; `None` is work of every future (it takes no hours of its own). Chains
    and shared lines belong to the future of the placements that use them.
    """

    def weight(scenario: int | None) -> Fraction:
        return Fraction(1) if scenario is None else weights[scenario]

    placements = tuple(_weighed(one, scenario_of(one.id), weight(scenario_of(one.id))) for one in problem.placements)
    chain_of = {task.id: task.chain for task in problem.tasks}
    of_chain = {chain_of[one.task]: scenario_of(one.id) for one in problem.placements}
    of_line = {line: scenario_of(one.id) for one in problem.placements for line in one.shared}
    chains = tuple(
        replace(
            chain,
            move_cost=_scaled(chain.move_cost, weight(of_chain.get(chain.id))),
            move_objective=tuple(_scaled(micros, weight(of_chain.get(chain.id))) for micros in chain.move_objective),
        )
        for chain in problem.chains
    )
    shared = tuple(
        replace(
            line,
            cost_per_day=_scaled(line.cost_per_day, weight(of_line.get(line.id))),
            objective_per_day=tuple(_scaled(micros, weight(of_line.get(line.id))) for micros in line.objective_per_day),
        )
        for line in problem.shared
    )
    return replace(problem, placements=placements, chains=chains, shared=shared)


def _weighed(placement: Placement, scenario: int | None, weight: Fraction) -> Placement:
    hourly = placement.hourly_cost
    return replace(
        placement,
        hours=placement.hours if scenario is None else (scenario, 1),
        hourly_cost=None if hourly is None else (_scaled(hourly[0], weight), _scaled(hourly[1], weight)),
        cost=_scaled(placement.cost, weight),
        objective=_scaled(placement.objective, weight),
        cash=tuple((month, _scaled(micros, weight)) for month, micros in placement.cash),
    )


def _scaled(micros: int, weight: Fraction) -> int:
    return round(micros * weight)


class ScenarioSearch(Search):
    """The search over a combined case: bounds and program weighed by the futures' weights."""

    def __init__(self, case: Case, weights: Sequence[Fraction]) -> None:
        super().__init__(case)
        self.weights = tuple(weights)
        self.works = len(case.file.workloads) // len(weights)
        self.no_units = False
        self._weigh_bounds()

    def _weigh_bounds(self) -> None:
        """Every bound times its future's weight: what it adds to the expected cost, at least and at most."""
        for work, bounds in enumerate(self.bounds):
            weight = float(self.weights[work // self.works])
            self.bounds[work] = [
                replace(
                    one,
                    lower=one.lower * weight,
                    upper=one.upper * weight,
                    by_task=tuple(None if low is None else low * weight for low in one.by_task),
                )
                for one in bounds
            ]

    def _is_coupled(self) -> bool:
        """Futures share units, so that what each costs alone is no plan of all."""
        return True

    def _only_budget_couples(self) -> bool:
        return False

    def _problem_of(self, assembly: Assembly) -> Problem:
        problem = extensive(assembly.problem, lambda identity: self.scenario_of(assembly, identity), self.weights)
        if self.no_units:
            problem = replace(problem, unit_terms=())
        return problem

    def scenario_of(self, assembly: Assembly, placement: int) -> int | None:
        """The future of a placement; the running cost of standing machines belongs to every one."""
        placed = assembly.placed.get(placement)
        return None if placed is None else placed.candidate.work // self.works


# --- the answer by future -----------------------------------------------------------------------------------------


def costs_by_scenario(outcome: Outcome, scenarios: int, works: int) -> list[int]:
    """Micros of each future with its own prices, commitments included; as minimized (discounted where asked for)."""
    if outcome.assembly is None or outcome.solution is None:
        raise ValueError("no plan")
    problem, solution, placed = outcome.assembly.problem, outcome.solution, outcome.assembly.placed
    terms = {term.id: term for term in problem.unit_terms}
    common = sum(terms[identity].objective * count for identity, count in solution.units)
    by_id = {placement.id: placement for placement in problem.placements}
    common += sum(by_id[identity].objective for identity in solution.placements if identity not in placed)
    costs = [common] * scenarios
    for identity in solution.placements:
        if identity in placed:
            costs[placed[identity].candidate.work // works] += by_id[identity].objective
    for service in solution.services:
        if service.placement in placed:
            scenario = placed[service.placement].candidate.work // works
            costs[scenario] += hourly_micros(problem, by_id[service.placement], service)
    for scenario in range(scenarios):
        mine = [by_id[i] for i in solution.placements if i in placed and placed[i].candidate.work // works == scenario]
        costs[scenario] += _moves(problem, mine) + _lines(problem, mine)
    return costs


def hourly_micros(problem: Problem, placement: Placement, service: Service) -> int:
    """What a stretch of service by the hour costs, discounted day by day."""
    if placement.hourly_cost is None or not service.hourly:
        return 0
    regular, last = placement.hourly_cost
    weights = problem.day_weights or (1.0,) * problem.horizon
    per_day = (
        round((last if day == placement.end - 1 else regular) * weights[day])
        for day in range(service.start, service.end)
    )
    return service.hourly * sum(per_day)


def _moves(problem: Problem, mine: list[Placement]) -> int:
    """Changes of configuration of steady work between consecutive months."""
    option = {placement.task: placement.option for placement in mine}
    total = 0
    for chain in problem.chains:
        order = [task.id for task in problem.tasks if task.chain == chain.id and task.id in option]
        for position in range(1, len(order)):
            if option[order[position]] != option[order[position - 1]] and chain.move_objective:
                total += chain.move_objective[position]
    return total


def _lines(problem: Problem, mine: list[Placement]) -> int:
    """Data sets that several workloads of one future share, once a day."""
    total = 0
    for line in problem.shared:
        days = {day for one in mine if line.id in one.shared for day in range(one.start, one.end)}
        total += sum(line.objective_per_day[day] for day in days)
    return total


def runs_of(outcome: Outcome, scenario: int, works: int) -> tuple[str, ...]:
    """What one future runs: the machines of each workload, and how many of them are by the hour at most."""
    if outcome.assembly is None or outcome.solution is None:
        return ()
    placed = outcome.assembly.placed
    hourly: dict[int, int] = {}
    for service in outcome.solution.services:
        hourly[service.placement] = max(hourly.get(service.placement, 0), service.hourly)
    said = []
    for identity in outcome.assembly.real_placements(outcome.solution.placements):
        candidate = placed[identity].candidate
        if candidate.work // works != scenario:
            continue
        how = "spot" if candidate.is_spot else f"{hourly.get(identity, 0)} by the hour"
        said.append(f"{candidate.nodes} × {candidate.supply.key}, {how}")
    return tuple(dict.fromkeys(said))


def missing_of(outcome: Outcome, scenario: int, works: int) -> tuple[str, ...]:
    """The required lines of one future's work that have no price."""
    mine = (candidate for candidate in chosen(outcome) if candidate.work // works == scenario)
    return tuple(dict.fromkeys(line for candidate in mine for line in candidate.storage.missing))
