"""Advice beside a whole plan (rules.md A and F): generations, speed within budget, terms, saving.

Planning fills what it knows; advice whose facts are unknown is not given. Amounts come as people read them, because
rules know no currency.
"""

from collections.abc import Callable
from dataclasses import dataclass

from optimizer.domain.text import Text
from optimizer.rules.explanations import Said
from optimizer.rules.rule import Source, Value, Values

#: D0's point: "two weeks and more", "over 10 hours a day", and hard needs of latency and storage.
BREAK_EVEN_DAYS = 14
BREAK_EVEN_HOURS_PER_DAY = 10
#: D1's "1-3 months", in days.
SHORT_RENT_DAYS = (28, 92)
#: D1's "years of steady work".
YEAR_RENT_MONTHS = 12
#: D1's saving for whoever avoids its four pitfalls.
CLAIMED_SAVING = 0.30


@dataclass(frozen=True, slots=True)
class Rival:
    """Another plan to set beside the chosen one: its GPU, cost relative to the chosen plan (1.2 is 20 % dearer),
    cost as people read it, and days."""

    gpu: str
    cost_ratio: float
    cost: str
    days: float | None = None


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """What is known of one workload's plan; None is unknown.

    `newer` and `mature` are the best plans on a newer and on an older generation than the chosen GPU, `fastest` the
    fastest within the budget. `saving` is a fraction of the naive plan's cost. `payback_months`: the computed
    break-even of owning, where it was computed.
    """

    gpu: str
    days: float | None = None
    hours_per_day: float | None = None
    firm_io: bool = False
    steady_months: int | None = None
    year_price_known: bool | None = None
    newer: Rival | None = None
    mature: Rival | None = None
    fastest: Rival | None = None
    saving: float | None = None
    payback_months: float | None = None


@dataclass(frozen=True, slots=True)
class Advice:
    """A sentence beside the plan and its trigger."""

    id: str
    sources: tuple[Source, ...]
    text: Text
    trigger: Callable[[PlanFacts], Values | None]


def plan_advice(facts: PlanFacts) -> tuple[Said, ...]:
    """The advice that applies, in the order of the documents' groups."""
    said = ((entry, entry.trigger(facts)) for entry in ADVICE)
    return tuple(
        Said(entry.id, entry.text, values, "; ".join(map(str, entry.sources)))
        for entry, values in said
        if values is not None
    )


def _rival(facts: PlanFacts, rival: Rival | None) -> dict[str, Value] | None:
    if rival is None or rival.cost_ratio < 1:
        return None
    return {"gpu": facts.gpu, "other": rival.gpu, "cost": rival.cost, "percent": round((rival.cost_ratio - 1) * 100, 1)}


def _mature_wins(facts: PlanFacts) -> Values | None:
    return _rival(facts, facts.newer)


def _newest_wins(facts: PlanFacts) -> Values | None:
    return _rival(facts, facts.mature) if facts.newer is None else None


def _fastest(facts: PlanFacts) -> Values | None:
    values = _rival(facts, facts.fastest)
    if values is None or facts.fastest is None or facts.fastest.days is None or facts.days is None:
        return None
    return values | {"days": facts.fastest.days, "own": facts.days} if facts.fastest.days < facts.days else None


def _break_even(facts: PlanFacts) -> Values | None:
    days, hours = facts.days, facts.hours_per_day
    if facts.steady_months is not None and hours is not None:
        days = facts.steady_months * 365 / 12
    if days is None or hours is None or not facts.firm_io:
        return None
    reached = days >= BREAK_EVEN_DAYS and hours > BREAK_EVEN_HOURS_PER_DAY
    return {"days": days, "hours": hours, "months": facts.payback_months} if reached else None


def _short_rent(facts: PlanFacts) -> Values | None:
    low, high = SHORT_RENT_DAYS
    applies = facts.steady_months is None and facts.days is not None and low <= facts.days <= high
    return {"days": facts.days} if applies else None


def _year_rent(facts: PlanFacts) -> Values | None:
    applies = facts.steady_months is not None and facts.steady_months >= YEAR_RENT_MONTHS
    return {"months": facts.steady_months} if applies and facts.year_price_known is False else None


def _saving(facts: PlanFacts) -> Values | None:
    if facts.saving is None:
        return None
    return {"percent": round(facts.saving * 100, 1), "claimed": CLAIMED_SAVING * 100}


ADVICE: tuple[Advice, ...] = (
    Advice(
        "mature-generation",
        (Source("D1", "优先选择上一代成熟的GPU型号"),),
        Text(
            en="The mature {gpu} is the cheaper one: the newer {other} costs {cost}, {percent} % more "
            "(D1 expects 20 to 30 % at first).",
            zh="成熟的 {gpu} 更便宜：更新的 {other} 要 {cost}，贵 {percent}%（D1 说初期贵 20%–30%）。",
        ),
        _mature_wins,
    ),
    Advice(
        "mature-generation",
        (Source("D1", "优先选择上一代成熟的GPU型号"),),
        Text(
            en="D1 advises the last generation, but {gpu} is cheaper for this work: {other} costs {cost}, "
            "{percent} % more.",
            zh="D1 建议上一代，但此任务用 {gpu} 更便宜：{other} 要 {cost}，贵 {percent}%。",
        ),
        _newest_wins,
    ),
    Advice(
        "compute-priority",
        (Source("D4", "GPU 数量越多、单卡 FP16/FP8 算力越强"),),
        Text(
            en="Fastest within the budget: {other} in {days} days instead of {own}, for {cost} ({percent} % more).",
            zh="预算内最快：{other}，{days} 天（本方案 {own} 天），{cost}（贵 {percent}%）。",
        ),
        _fastest,
    ),
    Advice(
        "break-even",
        (Source("D0", "连续两周以上"),),
        Text(
            en="{days} days at {hours} h a day with firm latency and storage needs: D0's point to look at physical "
            "servers is reached. It is a trigger, not the break-even; computed pay-back: {months} months.",
            zh="{days} 天、每天 {hours} 小时且对延迟与存储有硬性要求：到了 D0 说的该看物理服务器的点。"
            "这是触发点，不是盈亏平衡点；计算的回本期：{months} 个月。",
        ),
        _break_even,
    ),
    Advice(
        "short-rent",
        (Source("D1", "优先选按天、按月的短租模式"),),
        Text(
            en="{days} days: D1 advises rent by the day or month; both competed with the hour in this plan.",
            zh="{days} 天：D1 建议按天、按月短租；本方案已让它们与按量竞争。",
        ),
        _short_rent,
    ),
    Advice(
        "year-rent",
        (Source("D1", "选年租模式"),),
        Text(
            en="{months} months of steady work: D1 advises rent by the year, but no yearly price of this machine is "
            "published; ask for a quote, none is inferred.",
            zh="稳定训练 {months} 个月：D1 建议年租，但此机型没有公布年价；请询价，本产品不作推算。",
        ),
        _year_rent,
    ),
    Advice(
        "saving",
        (Source("D1", "至少省下30%的不必要开支"),),
        Text(
            en="{percent} % less than the naive choice (D1 claims at least {claimed} % for who avoids its pitfalls).",
            zh="比想当然的选择省 {percent}%（D1 称避坑至少省 {claimed}%）。",
        ),
        _saving,
    ),
)
