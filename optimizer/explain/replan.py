"""Re-planning for questions: the planner of a plan file, and the cheapest plan that is made to use something.

"Uses it" means that at least one workload runs on it from its first day to its last (ADR 0100). For an offer, a
provider or a GPU that is the cheapest plan with one workload held to the matching candidates, over all workloads.
A term that is had in units is used when one unit of it is (optimizer.explain.renting); by the hour, on spot and under a
savings plan one workload is held to that term alone. The user's own machines, standing or to be bought, are used when
anything runs on them (optimizer.explain.using).
"""

from copy import copy
from dataclasses import replace

from optimizer.catalog import Catalog
from optimizer.domain.offer import Term
from optimizer.domain.plan import Plan
from optimizer.domain.workload import WorkloadFile
from optimizer.errors import NoPlanInTime
from optimizer.explain.matching import sells
from optimizer.planning.candidates import Candidate
from optimizer.planning.case import Case, PlanOptions
from optimizer.planning.pipeline import Planner
from optimizer.planning.search import Accepts, Outcome, Search, complete_only
from optimizer.planning.supply import Supply
from optimizer.program.problem import Placement
from optimizer.rules import Policy

PROVEN_ABSOLUTE_MICROS = 10_000
PROVEN_RELATIVE = 1e-6
OUT_OF_THE_QUESTION = 1000  # times the price by the hour, so that nothing is served so


def planner_of(
    plan: Plan, catalog: Catalog, source: str, *, every_region: bool = False, seconds: float = 60.0
) -> Planner:
    """The planner that gave a plan, on the catalog of today and with the plan's own date."""
    file = WorkloadFile.model_validate(plan.inputs)
    options = PlanOptions.of_record(plan.as_of, plan.options, seconds=seconds, extras=False, every_region=every_region)
    return Planner(file, catalog, options, source)


def tolerance_micros(cost_micros: int) -> float:
    """Costs closer than this are the same cost (design: what counts as proven)."""
    return max(PROVEN_ABSOLUTE_MICROS, cost_micros * PROVEN_RELATIVE)


def without_money_limits(planner: Planner) -> Planner:
    """The same planned case with no budget of any kind."""
    free = copy(planner)
    free.file = planner.file.model_copy(update={"budget": None, "monthly_budget": None, "max_hourly": None})
    free.case = replace(planner.case, file=free.file)
    free.search = Search(free.case)
    return free


def on_term(case: Case, work: int, term: Term) -> Case:
    """The case in which one workload is served by the hour, on spot or under a savings plan alone, on its own pools."""
    is_alone = len(case.file.workloads) == 1 and not case.standing
    supplies: dict[str, Supply] = {}
    kept = []
    for candidate in case.candidates[work]:
        if not sells(candidate.supply, term) or candidate.is_spot != (term is Term.SPOT):
            continue
        key = candidate.supply.key
        if key not in supplies:
            supplies[key] = _sold_on(candidate.supply, term, key if is_alone else f"{key} ({term.value})")
        kept.append(replace(candidate, supply=supplies[key]))
    candidates = tuple(tuple(kept) if index == work else mine for index, mine in enumerate(case.candidates))
    return replace(case, candidates=candidates)


def _sold_on(supply: Supply, term: Term, key: str) -> Supply:
    """The supply on one term alone; under a savings plan, service by the hour costs so much that all is covered."""
    hourly = supply.hourly if term is Term.ON_DEMAND or term.is_savings_plan else None
    if hourly is not None and term.is_savings_plan:
        hourly = hourly._replace(fx_rate=hourly.fx_rate * OUT_OF_THE_QUESTION)
    return supply._replace(
        key=key,
        hourly=hourly,
        spot=supply.spot if term is Term.SPOT else None,
        rents=(),
        purchases=(),
        sunk=(),
        covered_at=tuple(rate for rate in supply.covered_at if rate.price.term is term),
    )


def in_time(outcome: Outcome) -> Outcome:
    """The outcome, where it says something: a plan, or that there is none.

    Raises:
        NoPlanInTime: the clock ended the search before it could say either.
    """
    if not outcome.has_plan and outcome.solution is not None and outcome.solution.status != "infeasible":
        raise NoPlanInTime("a question about the plan took longer than its time limit")
    return outcome


def is_proven(outcome: Outcome) -> bool:
    """Whether the outcome is the best one, or proves that there is none."""
    if outcome.has_plan:
        return outcome.solution is not None and outcome.solution.status == "optimal"
    return outcome.solution is None or outcome.solution.status == "infeasible"


def cheapest_of(search: Search, policy: Policy, accepts: Accepts | None, seconds: float, tie_seconds: float) -> Outcome:
    """The cheapest plan, complete ones first (as the planner does it).

    Raises:
        NoPlanInTime: the clock ended the search before it found a plan or proved that there is none.
    """
    complete = search.cheapest(policy, complete_only(accepts), seconds=seconds, tie_seconds=tie_seconds)
    if in_time(complete).has_plan:
        return complete
    return in_time(search.cheapest(policy, accepts, seconds=seconds, tie_seconds=tie_seconds))


def chosen(outcome: Outcome) -> list[Candidate]:
    """The candidates that an outcome runs."""
    if outcome.assembly is None or outcome.solution is None:
        return []
    placed = outcome.assembly.placed
    return [placed[identity].candidate for identity in outcome.assembly.real_placements(outcome.solution.placements)]


def missing_lines(outcome: Outcome) -> tuple[str, ...]:
    """The required lines of an outcome's work that have no price."""
    return tuple(dict.fromkeys(line for candidate in chosen(outcome) for line in candidate.storage.missing))


def terms_of(outcome: Outcome) -> set[Term]:
    """The terms that serve an outcome's work; a savings plan pays for service by the hour."""
    if outcome.assembly is None or outcome.solution is None:
        return set()
    bought = (outcome.assembly.bought[identity] for identity, _ in outcome.solution.units)
    terms = {Term.OWNED if one.rent is None else one.rent.term for one in bought}
    if any(service.hourly for service in outcome.solution.services):
        terms.add(Term.ON_DEMAND)
    if any(candidate.is_spot for candidate in chosen(outcome)):
        terms.add(Term.SPOT)
    plans = {outcome.assembly.committed[plan].plan.term for plan, _ in outcome.solution.spend}
    return terms | plans | ({Term.ON_DEMAND} if plans else set())


def placements_of(outcome: Outcome) -> list[Placement]:
    """The program's records of the work that an outcome places."""
    if outcome.assembly is None or outcome.solution is None:
        return []
    real = set(outcome.assembly.real_placements(outcome.solution.placements))
    return [placement for placement in outcome.assembly.problem.placements if placement.id in real]
