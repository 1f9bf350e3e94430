"""What a buyer would pay without the optimizer, by three habits, each as a real plan that can be verified.

naive          the newest data-center GPU of 80 GB and more that fits, by the hour (design, section 3)
cheapest_hour  of all that physically fits, the machine with the lowest price of an hour, by the hour
catalog_tool   the lowest price of an hour among machines with the plan's GPU count (and at least its memory a GPU),
               by the hour: what a price list sorted by price gives

Each picks machines without looking at rules, terms or total time; then the work is planned on that choice alone, with
the fewest node-hours, rules off and budgets aside, so that the habit is not charged for our own mistakes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from optimizer.domain.plan import Plan
from optimizer.explain.changes import with_file, with_supplies
from optimizer.explain.replan import chosen, is_proven
from optimizer.planning.candidates import Candidate
from optimizer.planning.case import Case
from optimizer.planning.extras import NAIVE_MEMORY_GIB, describe
from optimizer.planning.pipeline import Planner
from optimizer.planning.plan_file import plan_of
from optimizer.planning.runs import run_of
from optimizer.planning.search import Outcome, Search
from optimizer.rules import Policy

HABITS = ("naive", "cheapest_hour", "catalog_tool")
Pick = Callable[[list[Candidate]], list[Candidate]]


@dataclass(frozen=True)
class HabitPlan:
    """What one habit gives: a plan, or `None` where nothing that it picks can do the work in time.

    `broken`: rules that its machines fail under the file's own profile. `missing`: what has no price there.
    `is_proven`: whether the clock let it be worked out: the cheapest way to pay for that choice, or that none will do.
    """

    habit: str
    plan: Plan | None
    broken: tuple[str, ...] = ()
    description: str = ""
    missing: tuple[str, ...] = ()
    is_proven: bool = True


def baselines(
    planner: Planner, outcome: Outcome, seconds: float = 30.0, habits: Sequence[str] = HABITS
) -> Iterator[HabitPlan]:
    """The plan of each habit, within `seconds` each; `planner` has planned and `outcome` is its plan's."""
    case = _by_the_hour(planner)
    picks: dict[str, Callable[[int], Pick]] = {
        "naive": lambda work: _newest,
        "cheapest_hour": lambda work: _lowest_hour,
        "catalog_tool": lambda work: _like_the_plan(outcome, work),
    }
    for habit in habits:
        yield _habit(planner, case, habit, picks[habit], seconds)


def _by_the_hour(planner: Planner) -> Case:
    """Machines rented by the hour only, without money limits; what stands there already costs and serves as ever."""
    unlimited = {"budget": None, "monthly_budget": None, "max_hourly": None, "quotas": (), "profile": "off"}
    case = with_file(planner.case, planner.file.model_copy(update=unlimited))
    hourly = with_supplies(case, lambda supply: supply._replace(spot=None, rents=(), purchases=(), covered_at=()))
    candidates = tuple(
        tuple(c for c in mine if c.supply.hourly is not None and not c.is_spot and c.is_whole)
        for mine in hourly.candidates
    )
    return replace(hourly, candidates=candidates, judgements={})


def _habit(planner: Planner, case: Case, habit: str, pick: Callable[[int], Pick], seconds: float) -> HabitPlan:
    picked = tuple(
        tuple(pick(work)([c for c in mine if _is_in_time(case, c)])) for work, mine in enumerate(case.candidates)
    )
    if not all(picked):
        return HabitPlan(habit, None)
    mine = replace(case, candidates=picked)
    outcome = Search(mine).cheapest(Policy.of("off"), None, seconds=seconds, tie_seconds=0.5)
    if outcome.assembly is None or outcome.solution is None or not outcome.has_plan:
        return HabitPlan(habit, None, is_proven=is_proven(outcome))
    taken = chosen(outcome)
    return HabitPlan(
        habit,
        plan_of(outcome.assembly, outcome.solution, planner.catalog),
        tuple(sorted({rule for candidate in taken for rule in planner.case.judge(candidate, planner.policy).fails})),
        describe(outcome),
        tuple(dict.fromkeys(name for candidate in taken for name in candidate.storage.missing)),
        is_proven(outcome),
    )


def _is_in_time(case: Case, candidate: Candidate) -> bool:
    work = case.work(candidate.work)
    return all(run_of(candidate, work, task) is not None for task in case.tasks_of_work(candidate.work))


def _hour(candidate: Candidate) -> Decimal:
    """The price of an hour of all its machines."""
    price = candidate.supply.hourly
    return Decimal("Infinity") if price is None else price.hour() * candidate.nodes


def _newest(candidates: list[Candidate]) -> list[Candidate]:
    """All machines of the newest such GPU: the buyer still takes the cheapest seller and size."""
    able = [
        candidate
        for candidate in candidates
        if candidate.supply.gpu.vendor == "NVIDIA"
        and candidate.supply.gpu.ecc is True
        and candidate.supply.gpu.bf16_tflops is not None
        and candidate.supply.machine.gpu_memory_gib >= NAIVE_MEMORY_GIB
    ]
    newest = max((candidate.supply.gpu.release_year or 0 for candidate in able), default=0)
    return [candidate for candidate in able if candidate.supply.gpu.release_year == newest]


def _lowest_hour(candidates: list[Candidate]) -> list[Candidate]:
    """The one with the lowest price of an hour; of equals the first in the tie order."""
    return sorted(candidates, key=lambda candidate: (_hour(candidate), candidate.lexical))[:1]


def _like_the_plan(outcome: Outcome, work: int) -> Pick:
    """The lowest price of an hour with as many GPUs, of at least as much memory each, as the plan takes."""
    mine = [candidate for candidate in chosen(outcome) if candidate.work == work]

    def pick(candidates: list[Candidate]) -> list[Candidate]:
        if not mine:
            return []
        gpus = mine[0].nodes * mine[0].gpus_per_node
        memory_gib = mine[0].supply.machine.gpu_memory_gib
        alike = [
            candidate
            for candidate in candidates
            if candidate.nodes * candidate.gpus_per_node == gpus
            and candidate.supply.machine.gpu_memory_gib >= memory_gib * 0.95
        ]
        return _lowest_hour(alike)

    return pick
