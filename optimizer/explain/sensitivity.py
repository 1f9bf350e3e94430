"""How far each input may move before the answer changes, found by re-solving.

For every input the stretches on both sides of today's value are walked outwards (optimizer.explain.stretches) until
one changes the answer; within a stretch at whose near end it stays and at whose far end it has changed, bisection goes
to one per cent; then the factor at which the two answers cost the same, if cost were linear between, is worked out, and
the last step of 0.0001 before it is solved again. What is told is the last factor at which the answer was seen to stay,
never one at which it had changed, and how far apart the factors are between which no proof says that it stays.

"The answer" is which machines, how many of them for each workload, and on which terms; dates and hours may move with
the input, and an answer that costs the same as the best one keeps its place. The candidates are those that can be in an
optimum anywhere in the range: a factor of at most 2 on one input at most doubles the optimum and at most halves any
candidate's lower bound, so what costs at least four times the plan is left out.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from math import ceil, floor
from time import time

from optimizer.domain.offer import Term
from optimizer.domain.plan import AskedInput, InputRange
from optimizer.errors import NoPlanInTime
from optimizer.explain.changes import with_supplies
from optimizer.explain.moved import Input, inputs_of, model_of
from optimizer.explain.parallel import run_all
from optimizer.explain.replan import cheapest_of, chosen, is_proven, terms_of, tolerance_micros
from optimizer.explain.stretches import (
    WIDEST,
    Stretch,
    edges_of,
    grid_to,
    less_work,
    more_work,
    on_a_grid,
    whole_hours,
)
from optimizer.planning.candidates import Candidate
from optimizer.planning.case import Case
from optimizer.planning.extras import describe
from optimizer.planning.pipeline import Planner, is_complete
from optimizer.planning.search import Outcome, Search
from optimizer.planning.supply import Supply
from optimizer.rules import Policy

PRECISION = 0.01
#: Factors are told in steps of one part in so many, rounded towards today's value.
STEPS_OF_ONE = 10_000
MOST_ROUNDS = 3
HAIR = 1e-6  # far below a step: floats that stand for a whole one
NO_PLAN = "-"

#: Inputs that move the hours of work, and with them costs in steps; less is never dearer.
STAIRCASES = ("tokens", "speed")
#: Inputs that every plan's cost follows in a straight line.
LINES = ("price", "exchange_rate", "electricity", "purchase")

Signature = frozenset[tuple[object, ...]]


class Sensitivity:
    """Ranges of one planned case; where the time allowance ends, inputs stay open, and no figure is a guess."""

    def __init__(self, planner: Planner, outcome: Outcome, seconds: float) -> None:
        self.case = _can_matter(planner, outcome)
        self.outcome = outcome
        own = _only_this_answer(self.case, outcome)
        self.question = Question(
            self.case, own, planner.policy, signature(outcome), tuple(chosen(outcome)), time() + seconds
        )

    def ranges(self) -> list[InputRange | AskedInput]:
        """Every input's range, or the input alone where the time was too short; inputs are independent solves."""
        return run_all(partial(self.question.range_of, one) for one in inputs_of(self.case, self.outcome))


@dataclass(frozen=True)
class Question:
    """What every input is asked of: case, rules, the present answer, and when to stop (seconds of the epoch).

    `own` is the case with nothing but the present answer's machines and terms, `answer` what these run, `known` what
    the present answer costs where that was asked.
    """

    case: Case
    own: Case
    policy: Policy
    base: Signature
    answer: tuple[Candidate, ...]
    until: float
    known: dict[tuple[str, str, float], int | None] = field(default_factory=dict)

    def range_of(self, one: Input) -> InputRange | AskedInput:
        """One input's range, or the input alone when the time is used up."""
        try:
            return self._range_of(one)
        except NoPlanInTime:
            return AskedInput(input=one.name, kind=one.kind, value=one.value)

    def _range_of(self, one: Input) -> InputRange:
        up, down = self._stretches(one)
        upper, upper_plan, gap_above = self._first_change(one, up)
        lower, lower_plan, gap_below = self._first_change(one, down)
        gap = max(gap_above, gap_below)
        return InputRange(
            input=one.name,
            kind=one.kind,
            value=one.value,
            lower=lower,
            upper=upper,
            searched=(one.least, one.most),
            lower_plan=lower_plan,
            upper_plan=upper_plan,
            widest_gap=round(gap, 6) if gap > 1 + HAIR else None,
        )

    def _stretches(self, one: Input) -> tuple[list[Stretch], list[Stretch]]:
        """The stretches above and below today's value."""
        if one.kind == "hours":
            tried = whole_hours((w for w in self.case.file.workloads if w.window is None), one.least, one.most)
            below = [factor for factor in reversed(tried) if factor < 1]
            return on_a_grid([factor for factor in tried if factor > 1]), on_a_grid(below)
        if self._is_interval(one):
            return [Stretch(1.0, one.most)], [Stretch(1.0, one.least)]
        if one.kind not in STAIRCASES:
            return on_a_grid(grid_to(one.most)), on_a_grid([1 / factor for factor in grid_to(1 / one.least)])
        edges = edges_of(self.case, [c for c in self.answer if one.kind == "tokens" or model_of(c) == one.name])
        if one.kind == "tokens":
            return more_work(edges), less_work(edges)
        slower_hardware, faster = (
            [stretch.inverse for stretch in stretches] for stretches in (more_work(edges), less_work(edges))
        )
        return faster, slower_hardware

    def _first_change(self, one: Input, stretches: list[Stretch]) -> tuple[float | None, str, float]:
        """The factor farthest from 1 at which the answer is known to stay (`None` if it always is), the next answer,
        and the widest ratio of two factors between which it is only taken to stay.
        """
        last, gap = 1.0, 1.0
        for stretch in stretches:
            for factor in self._to_ask(one, stretch, last):
                found = self._solved(self.case, one, factor)
                if not self._is_kept(found, one, factor):
                    seen, kept, plan = self._end_within(one, stretch, last, factor, found)
                    return towards_one(kept), plan, max(gap, self._gap_between(one, seen, kept))
                last = factor
            is_hopeless = one.kind in STAIRCASES and not stretch.is_flat
            gap = max(gap, stretch.ratio if is_hopeless else self._gap_between(one, stretch.near, stretch.far))
            last = stretch.far
        return None, "", gap

    def _to_ask(self, one: Input, stretch: Stretch, last: float) -> Iterator[float]:
        """The factors of a stretch at which the answer must be looked at; where its own cost is flat, the cheap end."""
        ends = [factor for factor in (stretch.near, stretch.far) if factor != last]
        if not stretch.is_flat:
            yield from ends
            return
        cheap_end = min(stretch.near, stretch.far) if one.kind == "tokens" else max(stretch.near, stretch.far)
        yield from (factor for factor in ends if factor == cheap_end)
        if cheap_end == stretch.near and not self._stays_between(one, stretch.near, stretch.far):
            yield stretch.far

    def _end_within(
        self, one: Input, stretch: Stretch, last: float, changed: float, found: Outcome
    ) -> tuple[float, float, str]:
        """Before a factor that has changed the answer: the last one looked at before bisection, the last that keeps the
        answer, and the next answer.
        """
        if stretch.near not in (last, changed):
            other = self._solved(self.case, one, stretch.near)
            if self._is_kept(other, one, stretch.near):
                last = stretch.near
            else:
                changed, found = stretch.near, other
        return last, *self._bisected(one, last, changed, found)

    def _gap_between(self, one: Input, near: float, far: float) -> float:
        """The ratio of two factors, or 1 where the answer that stays at both is proven to stay between them."""
        return 1.0 if near == far or self._stays_between(one, near, far) else max(near / far, far / near)

    def _is_interval(self, one: Input) -> bool:
        """Whether the factors that keep the answer have no hole: every plan's cost is a straight line over a price.

        A plan that limits rule out at one factor may be allowed at another. The total budget rules out only what costs
        more than it, where cost is cash: that never costs less than an answer within the budget.
        """
        file = self.case.file
        buys = any(candidate.supply.purchases for mine in self.case.candidates for candidate in mine)
        is_cash = file.discount_rate == 0 and file.after_horizon == "stop" and not buys
        is_free = file.monthly_budget is None and file.max_hourly is None and (file.budget is None or is_cash)
        return one.kind in LINES and is_free

    def _stays_between(self, one: Input, near: float, far: float) -> bool:
        """Whether an answer that stays at both factors is proven to stay between them (docs/adr/0102)."""
        is_line = self._is_interval(one)
        if not is_line and one.kind not in STAIRCASES:
            return False
        first, last = self._own_cost(one, near), self._own_cost(one, far)
        if first is None or last is None:
            return False
        if not is_line:
            return abs(first - last) <= tolerance_micros(max(first, last))
        middle = self._own_cost(one, (near + far) / 2)
        return middle is not None and abs(middle - (first + last) / 2) <= tolerance_micros(middle)

    def _own_cost(self, one: Input, factor: float) -> int | None:
        """Micros of the present answer; `None` where it is no plan."""
        key = (one.kind, one.name, factor)
        if key not in self.known:
            outcome = self._solved(self.own, one, factor)
            self.known[key] = outcome.cost_micros if outcome.has_plan else None
        return self.known[key]

    def _bisected(self, one: Input, kept: float, changed: float, found: Outcome) -> tuple[float, str]:
        while abs(changed / kept - 1) > PRECISION:
            middle = (kept * changed) ** 0.5
            other = self._solved(self.case, one, middle)
            if self._is_kept(other, one, middle):
                kept = middle
            else:
                changed, found = middle, other
        kept, found = self._refined(one, kept, changed, found)
        return kept, describe(found) if found.has_plan else NO_PLAN

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
            self.known.setdefault((one.kind, one.name, factor), found.cost_micros)
            return True
        if not found.has_plan:
            return False
        mine = self._solved(self.own, one, factor)
        if not mine.has_plan or (is_complete(found) and not is_complete(mine)):
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


def _only_this_answer(case: Case, outcome: Outcome) -> Case:
    """The case with an outcome's configurations alone, sold on the terms that serve them."""
    runs = {candidate.index for candidate in chosen(outcome)}
    terms = terms_of(outcome)

    def sold(supply: Supply) -> Supply:
        return supply._replace(
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
