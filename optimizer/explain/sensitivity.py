"""How far each input may move before the answer changes, found by re-solving.

For every input the factors 1.1, 1.25, 1.5, 2 (and their inverses) are tried in turn; between the last that keeps the
answer and the first that changes it, bisection to one per cent; then the factor at which the two answers cost the same,
if cost were linear between, is worked out, and the last step of 0.0001 before it is solved again. What is told is the
last factor at which the answer was seen to stay, never one at which it had changed. "The answer" is which machines, how
many of them for each workload, and on which terms; dates and hours may move with the input, and an answer that costs
the same as the best one keeps its place. The candidates are those that can be in an optimum anywhere in the range: a
factor of at most 2 on one input at most doubles the optimum and at most halves any candidate's lower bound, so what
costs at least four times the plan is left out.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from math import ceil, floor
from time import time
from typing import Literal

from optimizer.domain.offer import Price, Term
from optimizer.domain.plan import InputRange
from optimizer.errors import NoPlanInTime
from optimizer.explain.changes import repriced, slower, with_candidates, with_file, with_supplies
from optimizer.explain.parallel import run_all
from optimizer.explain.replan import cheapest_of, chosen, is_proven, terms_of, tolerance_micros
from optimizer.planning.candidates import Candidate
from optimizer.planning.case import Case
from optimizer.planning.extras import describe
from optimizer.planning.pipeline import Planner
from optimizer.planning.search import Outcome, Search
from optimizer.planning.storage import StoragePlan
from optimizer.planning.supply import Supply
from optimizer.rules import Policy

STEPS = (1.1, 1.25, 1.5, 2.0)
PRECISION = 0.01
#: Factors are told in steps of one part in so many, rounded towards today's value.
STEPS_OF_ONE = 10_000
MOST_ROUNDS = 3
HAIR = 1e-6  # far below a step: floats that stand for a whole one
WIDEST = STEPS[-1]
NO_PLAN = "-"

Kind = Literal["price", "hours", "tokens", "speed", "exchange_rate", "electricity", "residual"]
Signature = frozenset[tuple[object, ...]]


@dataclass(frozen=True)
class Input:
    """One input: how a case looks when it is multiplied by a factor, and how far it can go at all."""

    name: str
    kind: Kind
    value: str
    changed: Callable[[Case, float], Case]
    most: float = WIDEST
    least: float = 1 / WIDEST


class Sensitivity:
    """Ranges of one planned case; the time allowance ends the list early, never a figure."""

    def __init__(self, planner: Planner, outcome: Outcome, seconds: float) -> None:
        self.case = _can_matter(planner, outcome)
        self.outcome = outcome
        own = _only_this_answer(self.case, outcome)
        self.question = Question(self.case, own, planner.policy, signature(outcome), time() + seconds)

    def ranges(self) -> Iterator[InputRange]:
        """Every input's range, until the time is used up; inputs are independent solves."""
        tasks = (partial(self.question.range_of, one) for one in inputs_of(self.case, self.outcome))
        yield from (found for found in run_all(tasks) if found is not None)


@dataclass(frozen=True)
class Question:
    """What every input is asked of: case, rules, the present answer, and when to stop (seconds of the epoch).

    `own` is the case with nothing but the present answer's machines and terms.
    """

    case: Case
    own: Case
    policy: Policy
    base: Signature
    until: float

    def range_of(self, one: Input) -> InputRange | None:
        """One input's range; `None` when the time is used up."""
        try:
            return self._range_of(one)
        except NoPlanInTime:
            return None

    def _range_of(self, one: Input) -> InputRange:
        upper, upper_plan = self._first_change(one, [*(step for step in STEPS if step < one.most), one.most])
        lower, lower_plan = self._first_change(one, [1 / step for step in STEPS if 1 / step >= one.least])
        return InputRange(
            input=one.name,
            kind=one.kind,
            value=one.value,
            lower=lower,
            upper=upper,
            searched=(one.least, one.most),
            lower_plan=lower_plan,
            upper_plan=upper_plan,
        )

    def _first_change(self, one: Input, steps: list[float]) -> tuple[float | None, str]:
        """The factor farthest from 1 at which the answer is known to stay, and the next one; `None` if it always is."""
        kept = 1.0
        for step in steps:
            if step == 1.0:
                continue
            found = self._solved(self.case, one, step)
            if not self._is_kept(found, one, step):
                return self._bisected(one, kept, step, found)
            kept = step
        return None, ""

    def _bisected(self, one: Input, kept: float, changed: float, found: Outcome) -> tuple[float, str]:
        while abs(changed / kept - 1) > PRECISION:
            middle = (kept * changed) ** 0.5
            other = self._solved(self.case, one, middle)
            if self._is_kept(other, one, middle):
                kept = middle
            else:
                changed, found = middle, other
        kept, found = self._refined(one, kept, changed, found)
        return towards_one(kept), describe(found) if found.has_plan else NO_PLAN

    def _refined(self, one: Input, kept: float, changed: float, found: Outcome) -> tuple[float, Outcome]:
        """The bracket's inner end moved out to where the next answer costs the same, as far as a solve confirms it."""
        for _ in range(MOST_ROUNDS):
            crossing = self._crossing(one, kept, changed, found)
            if crossing is None:
                break
            last = towards_one(crossing)
            if not min(kept, changed) < last < max(kept, changed):
                break
            other = self._solved(self.case, one, last)
            if self._is_kept(other, one, last):
                return last, found
            changed, found = last, other
        return kept, found

    def _crossing(self, one: Input, kept: float, changed: float, found: Outcome) -> float | None:
        """Where the present answer and another cost the same, by the straight line between two factors."""
        if not found.has_plan:
            return None
        theirs = _only_this_answer(self.case, found)
        before, after = (self._gap(theirs, one, factor) for factor in (kept, changed))
        if before is None or after is None or not before <= 0 < after:
            return None
        return kept + (changed - kept) * before / (before - after)

    def _gap(self, theirs: Case, one: Input, factor: float) -> int | None:
        """Micros by which the present answer costs more than another one; `None` where one of them is no plan."""
        mine, other = self._solved(self.own, one, factor), self._solved(theirs, one, factor)
        return mine.cost_micros - other.cost_micros if mine.has_plan and other.has_plan else None

    def _is_kept(self, found: Outcome, one: Input, factor: float) -> bool:
        """Whether the present answer is still one of the best: the same, or another one of the same cost."""
        if signature(found) == self.base:
            return True
        if not found.has_plan:
            return False
        mine = self._solved(self.own, one, factor)
        if not mine.has_plan or (_is_complete(found) and not _is_complete(mine)):
            return False
        return mine.cost_micros - found.cost_micros <= tolerance_micros(found.cost_micros)

    def _solved(self, case: Case, one: Input, factor: float) -> Outcome:
        seconds = self.until - time()
        if seconds <= 0:
            raise NoPlanInTime("the time for sensitivity is used up")
        outcome = cheapest_of(Search(one.changed(case, factor)), self.policy, None, seconds, 0.5)
        if not is_proven(outcome):
            raise NoPlanInTime("an answer that is not proven says nothing about a range")
        return outcome


def towards_one(factor: float) -> float:
    """A factor in few places, rounded towards today's value."""
    steps = factor * STEPS_OF_ONE
    return (floor(steps + HAIR) if factor > 1 else ceil(steps - HAIR)) / STEPS_OF_ONE


def signature(outcome: Outcome) -> Signature:
    """What tells two answers apart: configurations by workload, and the terms that are bought in each pool."""
    if outcome.assembly is None or outcome.solution is None or not outcome.has_plan:
        return frozenset()
    runs = {(c.work, c.supply.key, c.nodes, c.gpus_per_node, c.is_spot) for c in chosen(outcome)}
    bought = (outcome.assembly.bought[identity] for identity, _ in outcome.solution.units)
    terms = {(b.supply.key, "owned" if b.rent is None else b.rent.term.value) for b in bought}
    if any(service.hourly for service in outcome.solution.services):
        terms.add(("", Term.ON_DEMAND.value))
    return frozenset(runs | terms)


def _is_complete(outcome: Outcome) -> bool:
    return not any(candidate.storage.missing for candidate in chosen(outcome))


def _only_this_answer(case: Case, outcome: Outcome) -> Case:
    """The case with an outcome's configurations alone, sold on the terms that serve them."""
    runs = {candidate.index for candidate in chosen(outcome)}
    terms = terms_of(outcome)

    def sold(supply: Supply) -> Supply:
        return replace(
            supply,
            hourly=supply.hourly if Term.ON_DEMAND in terms else None,
            rents=tuple(rent for rent in supply.rents if rent.term in terms),
            purchases=supply.purchases if Term.OWNED in terms else (),
        )

    candidates = tuple(tuple(c for c in mine if c.index in runs) for mine in case.candidates)
    return with_supplies(replace(case, candidates=candidates), sold)


def _can_matter(planner: Planner, outcome: Outcome) -> Case:
    """The case with the admitted candidates that can be in an optimum anywhere in the range."""
    ceiling = outcome.cost_micros * WIDEST * WIDEST
    lows = {b.candidate.index: b.lower for bounds in planner.search.bounds for b in bounds}
    kept = tuple(
        tuple(
            candidate
            for candidate in mine
            if lows.get(candidate.index, 0.0) <= ceiling and planner.case.admits(candidate, planner.policy)
        )
        for mine in planner.case.candidates
    )
    return replace(planner.case, candidates=kept)


def inputs_of(case: Case, outcome: Outcome) -> Iterator[Input]:
    """The inputs that the plan rests on."""
    yield from _prices(outcome)
    yield from _hours(case)
    yield Input("tokens", "tokens", "", _with_tokens)
    for model in sorted({candidate.supply.machine.gpu_model for candidate in chosen(outcome)}):
        yield Input(model, "speed", "", _speed_of(model))
    yield from _currencies(case, outcome)
    yield from _owned(case)


def _prices(outcome: Outcome) -> Iterator[Input]:
    for key, term, value in sorted(_used_prices(outcome)):
        yield Input(f"{key} {term}", "price", value, _price_of(key, Term(term)))


def _used_prices(outcome: Outcome) -> set[tuple[str, str, str]]:
    used: set[tuple[str, str, str]] = set()
    if outcome.assembly is None or outcome.solution is None:
        return used
    hourly = {service.placement for service in outcome.solution.services if service.hourly}
    for identity in outcome.assembly.real_placements(outcome.solution.placements):
        supply = outcome.assembly.placed[identity].candidate.supply
        if outcome.assembly.placed[identity].candidate.is_spot and supply.spot is not None:
            price = supply.spot.price
        elif identity in hourly and supply.hourly is not None:
            price = supply.hourly.price
        else:
            continue
        used.add((supply.key, price.term.value, f"{price.amount} {price.currency}/{price.unit.value}"))
    for identity, _ in outcome.solution.units:
        bought = outcome.assembly.bought[identity]
        if bought.rent is not None:
            price = bought.rent.rated.price
            used.add((bought.supply.key, price.term.value, f"{price.amount} {price.currency}/{price.unit.value}"))
    return used


def _price_of(key: str, term: Term) -> Callable[[Case, float], Case]:
    def changed(case: Case, factor: float) -> Case:
        def change(supply: Supply) -> Supply:
            if supply.key != key:
                return supply
            return repriced(supply, Decimal(repr(factor)), lambda rated: rated.price.term is term)

        return with_supplies(case, change)

    return changed


def _hours(case: Case) -> Iterator[Input]:
    free = [work.hours_per_day for work in case.file.workloads if work.window is None]
    if not free:
        return
    value = ", ".join(f"{hours:g}" for hours in dict.fromkeys(free))
    yield Input("hours_per_day", "hours", value, _with_hours, most=min(WIDEST, 24 / max(free)))


def _with_hours(case: Case, factor: float) -> Case:
    works = tuple(
        work
        if work.window is not None
        else work.model_copy(update={"hours_per_day": min(24.0, work.hours_per_day * factor)})
        for work in case.file.workloads
    )
    return with_file(case, case.file.model_copy(update={"workloads": works}))


def _with_tokens(case: Case, factor: float) -> Case:
    def change(candidate: Candidate) -> Candidate:
        if candidate.run_hours is None:
            return candidate
        return replace(candidate, run_hours=candidate.run_hours * factor)

    tasks = tuple(
        task if task.tokens_per_month is None else replace(task, tokens_per_month=task.tokens_per_month * factor)
        for task in case.tasks
    )
    return replace(with_candidates(case, change), tasks=tasks)


def _speed_of(model: str) -> Callable[[Case, float], Case]:
    def changed(case: Case, factor: float) -> Case:
        return with_candidates(case, lambda c: slower(c, 1 / factor) if c.supply.machine.gpu_model == model else c)

    return changed


def _currencies(case: Case, outcome: Outcome) -> Iterator[Input]:
    report = case.file.currency
    used = {price.currency for candidate in chosen(outcome) for price in _price_rows(candidate.supply)}
    for currency in sorted(used - {report}):
        rate = case.rates.factor(currency, report)
        yield Input(f"{report}/{currency}", "exchange_rate", f"{rate:.6g}", _rate_of(currency))


def _price_rows(supply: Supply) -> Iterator[Price]:
    for rated in (supply.hourly, supply.spot, *(rent.rated for rent in supply.rents)):
        if rated is not None:
            yield rated.price


def _rate_of(currency: str) -> Callable[[Case, float], Case]:
    def changed(case: Case, factor: float) -> Case:
        exact = Decimal(repr(factor))
        priced = with_supplies(case, lambda s: repriced(s, exact, lambda rated: rated.price.currency == currency))
        return with_candidates(priced, lambda c: replace(c, storage=_stored(c.storage, currency, exact)))

    return changed


def _stored(plan: StoragePlan, currency: str, factor: Decimal) -> StoragePlan:
    changes = {
        name: replace(volume, fx_rate=volume.fx_rate * factor)
        for name in ("hot", "cold", "egress")
        if (volume := getattr(plan, name)) is not None and volume.currency == currency
    }
    return replace(plan, **changes) if changes else plan


def _owned(case: Case) -> Iterator[Input]:
    has_owned = any(candidate.supply.is_owned for mine in case.candidates for candidate in mine)
    tariff = case.file.owned.electricity_per_kwh
    if has_owned and tariff:
        yield Input("electricity", "electricity", f"{tariff} {case.file.currency}/kWh", _with_tariff)
    if any(candidate.supply.purchases for mine in case.candidates for candidate in mine):
        yield Input("residual", "residual", "", _with_residual)


def _with_tariff(case: Case, factor: float) -> Case:
    owned = case.file.owned
    tariff = (owned.electricity_per_kwh or Decimal(0)) * Decimal(repr(factor))
    changed = owned.model_copy(update={"electricity_per_kwh": tariff})
    return with_file(case, case.file.model_copy(update={"owned": changed}))


def _with_residual(case: Case, factor: float) -> Case:
    """The value left at every age but the first day's, never above the price."""

    def change(supply: Supply) -> Supply:
        purchases = tuple(
            one.model_copy(
                update={
                    "residual_by_month": {
                        month: share if month == 0 else min(1.0, share * factor)
                        for month, share in one.residual_by_month.items()
                    }
                }
            )
            for one in supply.purchases
        )
        return replace(supply, purchases=purchases)

    return with_supplies(case, lambda supply: change(supply) if supply.purchases else supply)
