"""When nothing works: the least change in each direction that gives a plan."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import ROUND_CEILING, Decimal
from time import monotonic
from typing import Any

from optimizer.domain.money import enough, from_micros
from optimizer.domain.plan import Relaxation
from optimizer.domain.workload import WorkloadFile
from optimizer.planning.assembly import Assembly
from optimizer.planning.bounds import INFINITE
from optimizer.planning.calendar import date_of
from optimizer.planning.candidates import Candidate
from optimizer.planning.case import Case, PlanOptions
from optimizer.planning.extras import describe, undiscounted
from optimizer.planning.pipeline import Planner, is_complete
from optimizer.planning.search import Admission, Outcome, Search, complete_only
from optimizer.planning.supply import RentOption, Supply
from optimizer.program.problem import Problem
from optimizer.rules import RULES_BY_ID, Policy

MORE_DAYS = (2, 4, 8, 16)


def relaxations(planner: Planner) -> Iterator[Relaxation]:
    """The least change per direction: money, less work, days, a rule, places, GPUs, unknowns, prices' dates."""
    until = monotonic() + planner.options.extra_seconds
    for direction in (_money, _fewer_works, _days, _one_rule, _places, _unknowns, _old_prices, _ended_prices):
        if monotonic() > until:
            return
        yield from direction(planner)


def _solved(planner: Planner, change: dict[str, Any]) -> tuple[Planner, Outcome]:
    """The same case with top-level fields of the file changed."""
    file = planner.file.model_copy(update=change)
    again = Planner(file, planner.catalog, planner.options, planner.source)
    outcome, again.policy = again.decide()
    return again, outcome


def _money(planner: Planner) -> Iterator[Relaxation]:
    """A larger budget; no monthly or hourly limit; where neither helps alone, no limit on money at all."""
    file, found = planner.file, False
    if file.budget is not None:
        for relaxation in _larger_budgets(planner):
            found = True
            yield relaxation
    if file.monthly_budget is None and file.max_hourly is None:
        return
    free: dict[str, Any] = {"monthly_budget": None, "max_hourly": None}
    words = ("no monthly or hourly limit on cash", "取消每月或每小时现金上限")
    for relaxation in _without_limits(planner, free, words):
        found = True
        yield relaxation
    if not found and file.budget is not None:
        yield from _without_limits(planner, {**free, "budget": None}, ("no limit on money", "取消一切金额上限"))


def _larger_budgets(planner: Planner) -> Iterator[Relaxation]:
    """The least budget that suffices with every line priced, and a smaller one where some line has no price.

    Budgets count cash without discount and resale, so they are searched for without both; each is planned with.
    """
    file = planner.file
    may_buy = tuple(one.model_copy(update={"residual_by_month": {0: 0.0}}) for one in file.owned.may_buy)
    cash_only = {"budget": None, "discount_rate": 0.0, "owned": file.owned.model_copy(update={"may_buy": may_buy})}
    again, outcome = _solved(planner, cash_only)
    least: Decimal | None = None
    for found in (outcome, again.search.cheapest(again.policy, seconds=again.seconds_left, tie_seconds=0.0)):
        if not found.has_plan:
            continue
        budget = enough(from_micros(found.cost_micros), file.currency)
        if least is not None and budget >= least:
            return
        least = budget
        yield from _budget(planner, budget)


def _budget(planner: Planner, budget: Decimal) -> Iterator[Relaxation]:
    _, outcome = _solved(planner, {"budget": budget})
    if not outcome.has_plan:
        return
    en, zh = f"budget {budget:,} {planner.file.currency}", f"预算 {budget:,} {planner.file.currency}"
    if not is_complete(outcome):
        en, zh = f"{en}, plus what has no price", f"{zh}，另加缺价的项目"
    yield _relaxation(planner, "money", (en, zh), outcome)


def _without_limits(planner: Planner, free: dict[str, Any], words: tuple[str, str]) -> Iterator[Relaxation]:
    _, outcome = _solved(planner, free)
    if outcome.has_plan:
        yield _relaxation(planner, "money", words, outcome)


def _relaxation(planner: Planner, direction: str, words: tuple[str, str], outcome: Outcome) -> Relaxation:
    said = describe(outcome)
    return Relaxation(
        direction=direction,
        change_en=f"{words[0]}: {said}",
        change_zh=f"{words[1]}：{said}",
        cost=undiscounted(planner, outcome),
    )


class KeepingMost(Search):
    """The search for the most work that the limits allow, by priority, and its cheapest plan."""

    has_all_work = False

    def __init__(self, search: Search) -> None:
        self.__dict__.update(search.__dict__)

    def _problem_of(self, assembly: Assembly) -> Problem:
        return replace(super()._problem_of(assembly), optional_tasks=True)

    def _narrowed(self, admitted: Admission, policy: Policy, seconds: float) -> tuple[list[Candidate], Outcome | None]:
        """What a plan of all the work could use: less work asks for no dearer ways to do what is kept."""
        alone = self._alone(admitted)
        return self._survivors(admitted, INFINITE if alone is None else alone), None


def _fewer_works(planner: Planner) -> Iterator[Relaxation]:
    """The best subset of the workloads by priority, where the file gives priorities."""
    works = planner.file.workloads
    if len(works) == 1 or all(work.priority is None for work in works):
        return
    search = KeepingMost(planner.search)
    seconds = planner.options.extra_seconds
    outcome = search.cheapest(planner.policy, complete_only(), seconds=seconds, tie_seconds=0.0)
    if not outcome.has_plan or outcome.assembly is None or outcome.solution is None:
        return
    kept = {outcome.assembly.placed[identity].candidate.work for identity in outcome.solution.placements}
    if kept:
        names = [work.name or "" for index, work in enumerate(works) if index not in kept]
        words = (f"without {', '.join(names)}", f"不做 {'、'.join(names)}")
        yield _relaxation(planner, "subset", words, outcome)


def _days(planner: Planner) -> Iterator[Relaxation]:
    """The deadlines doubled until there is a plan, then the fewest days found by halving."""
    works = planner.file.workloads
    if all(work.deadline_days is None for work in works):
        return
    low = 1.0
    for factor in MORE_DAYS:
        outcome = _with_deadlines(planner, factor)
        if outcome.has_plan:
            best_factor, best = _fewest(planner, low, float(factor), outcome)
            days = max(_stretched(work.deadline_days, best_factor) for work in works if work.deadline_days)
            yield _relaxation(planner, "days", (f"{days} days to the deadline", f"期限放宽到 {days} 天"), best)
            return
        low = float(factor)


def _fewest(planner: Planner, low: float, high: float, outcome: Outcome) -> tuple[float, Outcome]:
    days = max(work.deadline_days for work in planner.file.workloads if work.deadline_days)
    while (high - low) * days >= 1:
        middle = (low + high) / 2
        found = _with_deadlines(planner, middle)
        if found.has_plan:
            high, outcome = middle, found
        else:
            low = middle
    return high, outcome


def _with_deadlines(planner: Planner, factor: float) -> Outcome:
    works = tuple(
        work.model_copy(update={"deadline_days": _stretched(work.deadline_days, factor)})
        if work.deadline_days is not None
        else work
        for work in planner.file.workloads
    )
    return _solved(
        planner,
        {"workloads": works, "horizon_months": None if _may_grow(planner.file) else planner.file.horizon_months},
    )[1]


def _may_grow(file: WorkloadFile) -> bool:
    return not any(work.is_steady for work in file.workloads)


def _stretched(days: int | None, factor: float) -> int:
    return int(Decimal(str((days or 0) * factor)).to_integral_value(rounding=ROUND_CEILING))


def _one_rule(planner: Planner) -> Iterator[Relaxation]:
    """Each rule alone taken away; the cheapest that helps."""
    failing: dict[str, int] = {}
    for candidates in planner.case.candidates:
        for candidate in candidates:
            fails = planner.case.judge(candidate, planner.policy).fails
            if len(fails) == 1:
                failing[next(iter(fails))] = failing.get(next(iter(fails)), 0) + 1
    found = []
    for rule_id in failing:
        if RULES_BY_ID[rule_id].physical:
            continue
        outcome = planner.cheapest(planner.policy.without(rule_id), tie_seconds=0.5)
        if outcome.has_plan:
            found.append((outcome.cost_micros, rule_id, outcome))
    for _, rule_id, outcome in sorted(found, key=lambda item: item[:2])[:1]:
        yield _relaxation(planner, "rule", (f"without rule {rule_id}", f"不执行规则 {rule_id}"), outcome)


_FILTERS = (
    ("countries", "any country", "任何国家"),
    ("regions", "any region", "任何地域"),
    ("providers", "any provider", "任何厂商"),
    ("gpus", "any GPU", "任何 GPU"),
)


def _places(planner: Planner) -> Iterator[Relaxation]:
    """Each filter of the workloads taken away."""
    for field, en, zh in _FILTERS:
        works = planner.file.workloads
        empty = type(works[0]).model_fields[field].default
        if all(getattr(work, field) == empty for work in works):
            continue
        opened = tuple(work.model_copy(update={field: empty}) for work in works)
        _, outcome = _solved(planner, {"workloads": opened})
        if outcome.has_plan:
            yield _relaxation(planner, field, (en, zh), outcome)


def _unknowns(planner: Planner) -> Iterator[Relaxation]:
    """Admitting configurations with something to confirm, where they were excluded."""
    if planner.options.unknown == "exclude":
        options = replace(planner.options, unknown="admit")
        yield from _admitted(planner, options, "unknowns", ("admit what must be confirmed", "允许待确认项"))


def _old_prices(planner: Planner) -> Iterator[Relaxation]:
    """Planning on old and undated prices, where they were excluded."""
    if planner.options.exclude_old:
        options = replace(planner.options, exclude_old=False)
        yield from _admitted(planner, options, "age", ("admit old and undated prices", "允许较旧和无日期的价格"))


def _ended_prices(planner: Planner) -> Iterator[Relaxation]:
    """Rents that may begin on any day, where some price ends before the plan does."""
    case = planner.case
    ends = {
        rent.rated.price.valid_to
        for work in case.candidates
        for candidate in work
        for rent in candidate.supply.rents
        if _ends_early(rent, case)
    }
    if not ends:
        return
    held: dict[int, Supply] = {}
    candidates = tuple(
        tuple(replace(one, supply=_held(one.supply, case, held)) for one in work) for work in case.candidates
    )
    search = Search(replace(case, candidates=candidates))
    outcome = search.cheapest(planner.policy, complete_only(), seconds=planner.seconds_left, tie_seconds=0.0)
    if outcome.has_plan:
        first = min(end for end in ends if end is not None)
        words = (
            f"quotes that hold to the plan's end (the first ends on {first})",
            f"报价延至期末（最早 {first} 到期）",
        )
        yield _relaxation(planner, "validity", words, outcome)


def _ends_early(rent: RentOption, case: Case) -> bool:
    """Whether a rent cannot begin on every day of the plan."""
    last = rent.rated.price.valid_to
    return last is not None and last < date_of(case.file.start, case.horizon.days - 1)


def _held(supply: Supply, case: Case, known: dict[int, Supply]) -> Supply:
    """The supply with rents at the same prices on every day of the plan, made once each."""
    found = known.get(id(supply))
    if found is None:
        found = known[id(supply)] = supply._replace(
            rents=tuple(_open_ended(rent) if _ends_early(rent, case) else rent for rent in supply.rents)
        )
    return found


def _open_ended(rent: RentOption) -> RentOption:
    price = rent.rated.price.model_copy(update={"valid_to": None})
    return replace(rent, rated=rent.rated._replace(price=price))


def _admitted(planner: Planner, options: PlanOptions, direction: str, words: tuple[str, str]) -> Iterator[Relaxation]:
    outcome, _ = Planner(planner.file, planner.catalog, options, planner.source).decide()
    if outcome.has_plan:
        yield _relaxation(planner, direction, words, outcome)
