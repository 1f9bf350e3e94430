"""When nothing works: the least change in each direction that gives a plan."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import ROUND_CEILING, Decimal
from time import monotonic
from typing import Any

from optimizer.domain.money import from_micros
from optimizer.domain.plan import Relaxation
from optimizer.domain.workload import WorkloadFile
from optimizer.planning.case import PlanOptions
from optimizer.planning.extras import describe
from optimizer.planning.pipeline import Planner
from optimizer.planning.search import Outcome
from optimizer.rules import RULES_BY_ID

MORE_DAYS = (2, 4, 8, 16)


def relaxations(planner: Planner) -> Iterator[Relaxation]:
    """The least change per direction: money, days, one rule, places and providers, GPUs, unknowns, old prices."""
    until = monotonic() + planner.options.extra_seconds
    for direction in (_money, _days, _one_rule, _places, _unknowns, _old_prices):
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
    """Without money limits: what it costs then."""
    file = planner.file
    if file.budget is None and file.monthly_budget is None and file.max_hourly is None:
        return
    _, outcome = _solved(planner, {"budget": None, "monthly_budget": None, "max_hourly": None})
    if not outcome.has_plan:
        return
    cost = from_micros(outcome.cost_micros)
    least = cost.to_integral_value(rounding=ROUND_CEILING)
    if file.budget is not None and cost > file.budget:
        en, zh = f"budget {least:,} {file.currency}", f"预算 {least:,} {file.currency}"
    else:
        en, zh = "no monthly or hourly limit on cash", "取消每月或每小时现金上限"
    yield Relaxation(
        direction="money", change_en=f"{en}: {describe(outcome)}", change_zh=f"{zh}：{describe(outcome)}", cost=cost
    )


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
            cost = from_micros(best.cost_micros)
            yield Relaxation(
                direction="days",
                change_en=f"{days} days to the deadline: {describe(best)}",
                change_zh=f"期限放宽到 {days} 天：{describe(best)}",
                cost=cost,
            )
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
    for micros, rule_id, outcome in sorted(found, key=lambda item: item[:2])[:1]:
        yield Relaxation(
            direction="rule",
            change_en=f"without rule {rule_id}: {describe(outcome)}",
            change_zh=f"不执行规则 {rule_id}：{describe(outcome)}",
            cost=from_micros(micros),
        )


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
            yield Relaxation(
                direction=field,
                change_en=f"{en}: {describe(outcome)}",
                change_zh=f"{zh}：{describe(outcome)}",
                cost=from_micros(outcome.cost_micros),
            )


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


def _admitted(planner: Planner, options: PlanOptions, direction: str, words: tuple[str, str]) -> Iterator[Relaxation]:
    outcome, _ = Planner(planner.file, planner.catalog, options, planner.source).decide()
    if outcome.has_plan:
        said = describe(outcome)
        yield Relaxation(
            direction=direction,
            change_en=f"{words[0]}: {said}",
            change_zh=f"{words[1]}：{said}",
            cost=from_micros(outcome.cost_micros),
        )
