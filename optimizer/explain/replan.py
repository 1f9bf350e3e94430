"""Re-planning for questions: the planner of a plan file, and the cheapest plan that is made to use something.

"Uses it" means that at least one workload runs on it from its first day to its last (ADR 0100). For an offer, a
provider or a GPU that is the cheapest plan with one workload held to the matching candidates, over all workloads.
For a term, one workload is held to machines on that term alone. The user's own machines, standing or to be bought, are
used when anything runs on them (optimizer.explain.using).
"""

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from time import monotonic

from optimizer.catalog import Catalog
from optimizer.domain.offer import Term
from optimizer.domain.plan import Plan
from optimizer.domain.workload import WorkloadFile
from optimizer.errors import NoPlanInTime
from optimizer.explain.matching import Target, sells
from optimizer.explain.using import UsingSearch
from optimizer.planning.candidates import Candidate
from optimizer.planning.case import Case, PlanOptions
from optimizer.planning.owned import purchase_currency
from optimizer.planning.pipeline import Planner, is_complete
from optimizer.planning.runs import run_of
from optimizer.planning.search import LEAST_SECONDS, Accepts, Outcome, Search, complete_only
from optimizer.planning.supply import Supply
from optimizer.program.problem import Placement
from optimizer.rules import Policy

PROVEN_ABSOLUTE_MICROS = 10_000
PROVEN_RELATIVE = 1e-6
NEAR_SHARE = 0.4  # of the time, for plans close to the one at hand


@dataclass(frozen=True)
class Forced:
    """The cheapest plan that uses what was asked for; `is_proven`: no cheaper one was left open by the clock."""

    outcome: Outcome
    is_proven: bool


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


def forced(planner: Planner, target: Target, plan: Outcome, seconds: float) -> Forced | None:
    """The cheapest plan that uses a target; complete plans before those with a line whose price is unknown.

    `plan` is the planner's own; `seconds` are for all workloads. Of several workloads each is first made to use the
    target with everything else on the plan's own configurations, which is quickly solved. A workload whose full solve
    ends without an answer is left open, and the best plan is then not proven.

    Raises:
        NoPlanInTime: the clock left something open and no plan was found at all.
    """
    until = monotonic() + seconds
    questions = list(_each_work(planner, target, plan.cost_micros))
    near: list[Outcome | None] = []
    if len(planner.file.workloads) > 1:
        runs = {candidate.index for candidate in chosen(plan)}
        closer = [(search, _near(target, runs, accepts)) for search, accepts in questions]
        near = list(_answers(planner, closer, monotonic() + seconds * NEAR_SHARE))
    full = list(_answers(planner, questions, until))
    outcomes = [outcome for outcome in (*full, *near) if outcome is not None and outcome.has_plan]
    settled = all(outcome is not None and is_proven(outcome) for outcome in full)
    if not outcomes and not settled:
        raise NoPlanInTime(f"no plan that uses {target.text} was found in time, nor is there proof that none does")
    best = min(outcomes, key=lambda outcome: (not is_complete(outcome), outcome.cost_micros), default=None)
    return None if best is None else Forced(best, settled)


Question = tuple[Search, Accepts | None]


def _answers(planner: Planner, questions: Sequence[Question], until: float) -> Iterator[Outcome | None]:
    """The cheapest plan of each question, or that there is none; `None` where the clock leaves that open.

    Each has an equal share of the time that is left, so that a hard one does not keep all others from an answer.
    """
    for asked, (search, accepts) in enumerate(questions):
        left = (until - monotonic()) / (len(questions) - asked)
        if left < LEAST_SECONDS:
            yield None
            continue
        try:
            yield cheapest_of(search, planner.policy, accepts, left, 1.0)
        except NoPlanInTime:
            yield None


def _near(target: Target, runs: set[int], accepts: Accepts | None) -> Accepts:
    """What `accepts` lets through of a plan's own configurations and the target's."""

    def near(candidate: Candidate) -> bool:
        is_wanted = candidate.index in runs or target.means(candidate.supply)
        return is_wanted and (accepts is None or accepts(candidate))

    return near


def _is_own(planner: Planner, target: Target) -> bool:
    """Whether a target means the user's own machines alone; a term must not be had from standing ones as well."""
    meant = [c.supply for mine in planner.case.candidates for c in mine if target.means(c.supply)]
    if target.kind == "term":
        return target.term is Term.OWNED and not any(supply.sunk for supply in meant)
    return bool(meant) and all(supply.is_owned for supply in meant)


def without_money_limits(planner: Planner) -> Planner:
    """The same planned case with no budget of any kind."""
    free = copy(planner)
    free.file = planner.file.model_copy(update={"budget": None, "monthly_budget": None, "max_hourly": None})
    free.case = replace(planner.case, file=free.file)
    free.search = Search(free.case)
    return free


def _each_work(planner: Planner, target: Target, plan_micros: int) -> Iterator[tuple[Search, Accepts | None]]:
    """One question for each workload that can run on a target; jobs first, which are answered sooner."""
    is_own = _is_own(planner, target)
    works = planner.file.workloads
    for work in sorted(range(len(works)), key=lambda index: works[index].is_steady):
        if not any(target.means(c.supply) and _may_run(planner, c) for c in planner.case.candidates[work]):
            continue
        if is_own and works[work].is_steady:
            yield UsingSearch(planner.case, work, lambda candidate: target.means(candidate.supply), plan_micros), None
        else:
            yield _search_for(planner, target, work)


def _may_run(planner: Planner, candidate: Candidate) -> bool:
    """Whether the rules admit a candidate, it keeps up with some task, and no price alone exceeds a budget."""
    spec, tasks = planner.case.work(candidate.work), planner.case.tasks_of_work(candidate.work)
    keeps_up = any(run_of(candidate, spec, task) for task in tasks)
    return keeps_up and planner.case.admits(candidate, planner.policy) and _is_affordable(planner, candidate.supply)


def _is_affordable(planner: Planner, supply: Supply) -> bool:
    """Whether a supply can be had otherwise than bought, or bought within every budget; the price is paid at once."""
    if not supply.purchases or supply.hourly or supply.spot or supply.rents or supply.sunk:
        return True
    file, rates = planner.file, planner.case.rates
    limits = [limit for limit in (file.budget, file.monthly_budget) if limit is not None]
    prices = (
        one.price * rates.factor(purchase_currency(one, file.currency), file.currency) for one in supply.purchases
    )
    return not limits or min(prices) <= min(limits)


def _search_for(planner: Planner, target: Target, work: int) -> tuple[Search, Accepts]:
    """The search in which one workload is held to a target."""
    if target.kind != "term" or target.term is None:
        return planner.search, lambda candidate: candidate.work != work or target.means(candidate.supply)
    case = on_term(planner.case, work, target.term)
    return Search(case), lambda candidate: True


def on_term(case: Case, work: int, term: Term) -> Case:
    """The case in which one workload can be served on one term alone; pools that others might use are split off."""
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
    return replace(
        supply,
        key=key,
        hourly=supply.hourly if term is Term.ON_DEMAND else None,
        spot=supply.spot if term is Term.SPOT else None,
        rents=tuple(rent for rent in supply.rents if rent.term is term),
        purchases=supply.purchases if term is Term.OWNED else (),
        sunk=(),
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


def terms_of(outcome: Outcome) -> set[Term]:
    """The terms that serve an outcome's work."""
    if outcome.assembly is None or outcome.solution is None:
        return set()
    bought = (outcome.assembly.bought[identity] for identity, _ in outcome.solution.units)
    terms = {Term.OWNED if one.rent is None else one.rent.term for one in bought}
    if any(service.hourly for service in outcome.solution.services):
        terms.add(Term.ON_DEMAND)
    if any(candidate.is_spot for candidate in chosen(outcome)):
        terms.add(Term.SPOT)
    return terms


def placements_of(outcome: Outcome) -> list[Placement]:
    """The program's records of the work that an outcome places."""
    if outcome.assembly is None or outcome.solution is None:
        return []
    real = set(outcome.assembly.real_placements(outcome.solution.placements))
    return [placement for placement in outcome.assembly.problem.placements if placement.id in real]
