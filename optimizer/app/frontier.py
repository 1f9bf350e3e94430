"""`--budget` alone: the smallest feasible budget and the frontier of cost against last finish, beside the plan."""

from collections.abc import Iterator
from datetime import timedelta

from optimizer.domain.plan import FrontierPoint, Plan
from optimizer.domain.text import Language, Text
from optimizer.errors import NoPlanInTime
from optimizer.explain import texts
from optimizer.explain.frontier import frontier, smallest_budget
from optimizer.planning.pipeline import Planner
from optimizer.reports.voice import Voice, voice_of

SECONDS = 60.0


def with_frontier(planner: Planner, plan: Plan, seconds: float = SECONDS) -> Plan:
    """The plan (or the infeasible answer) with the smallest budget and the frontier."""
    found = frontier(planner, seconds)
    is_complete = found.is_complete
    smallest = None
    try:
        smallest = smallest_budget(planner)
    except NoPlanInTime:
        is_complete = False
    update = {"smallest_budget": smallest, "frontier": found.points, "frontier_complete": is_complete}
    return plan.model_copy(update=update)


def _no_budget(plan: Plan) -> Text:
    if not plan.frontier_complete:
        return texts.BUDGET_LATE
    return texts.NO_BUDGET_WORKS if plan.status == "infeasible" else texts.NO_BUDGET_KNOWN


def _marks(point: FrontierPoint, voice: Voice) -> str:
    said = voice.say(texts.ABOVE_BUDGET) if point.within_budget is False else ""
    if point.missing:
        said += voice.say(texts.AT_LEAST_WITHOUT, missing=voice.join(map(voice.phrase, point.missing)))
    return said


def frontier_lines(plan: Plan, language: Language) -> Iterator[str]:
    """Smallest budget and frontier in words; nothing where they were not asked for."""
    if plan.frontier_complete is None:
        return
    voice = voice_of(plan, language)
    numbers = voice.numbers
    if plan.smallest_budget is None:
        yield _no_budget(plan).say(language)
    else:
        yield texts.SMALLEST_BUDGET.say(language, amount=numbers.least_budget(plan.smallest_budget))
    if not plan.frontier:
        if plan.frontier_complete and plan.smallest_budget is not None:
            yield texts.FRONTIER_STEADY.say(language)
        return
    yield texts.FRONTIER_TITLE.say(language)
    for point in plan.frontier:
        yield "  " + texts.FRONTIER_ROW.say(
            language,
            date=numbers.day(plan.start + timedelta(days=point.finish_day)),
            cost=numbers.money(point.cost),
            plan=voice.described(point.description),
            mark=_marks(point, voice),
        )
    if not plan.frontier_complete:
        yield texts.FRONTIER_CUT.say(language)
