"""The cheapest plan that is made to use something (ADR 0100).

Plans are compared like with like: only the use that is asked for may lack a price, and only where that is allowed.
Several workloads may be the one that uses it; each is first asked on the plan's own configurations with everything
else, which is quickly solved. The best of these answers then cuts the full questions short: only what could be in a
plan no dearer than it enters them, and a workload whose least cost is above it needs no solve at all.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from time import monotonic

from optimizer.domain.offer import Term
from optimizer.errors import NoPlanInTime
from optimizer.explain.buying import is_bought_only
from optimizer.explain.matching import Target
from optimizer.explain.renting import TermSearch
from optimizer.explain.replan import chosen, in_time, is_proven, on_term, tolerance_micros
from optimizer.explain.using import NEVER_MICROS, HeldSearch, OwnSearch, UsingSearch
from optimizer.planning.candidates import Candidate
from optimizer.planning.owned import purchase_currency
from optimizer.planning.pipeline import Planner, is_complete
from optimizer.planning.runs import run_of
from optimizer.planning.search import LEAST_SECONDS, Accepts, Outcome, Search
from optimizer.planning.supply import Supply

NEAR_SHARE = 0.5  # of the time, for plans close to the one at hand
NEAR_AT_ONCE = 3  # each of these has an equal share of what is left of it: the most promising are asked first
TIE_SECONDS = 1.0


@dataclass(frozen=True)
class Forced:
    """The cheapest plan that uses what was asked for; none that uses it costs less than `bound_micros`."""

    outcome: Outcome
    bound_micros: int

    @property
    def is_proven(self) -> bool:
        """Whether no cheaper plan was left open by the clock."""
        cost = self.outcome.cost_micros
        return cost - self.bound_micros <= tolerance_micros(cost)

    @property
    def gap(self) -> Decimal:
        """The share of its cost by which a plan that uses it may be cheaper."""
        cost = self.outcome.cost_micros
        return Decimal(cost - self.bound_micros) / cost if cost else Decimal(0)


@dataclass(frozen=True)
class Question:
    """The cheapest plan in which one workload uses the target, or any the term; `accepts`: what it may be made of."""

    work: int
    search: HeldSearch
    accepts: Accepts


@dataclass(frozen=True)
class Asking:
    """What a whole question is: a planner, a target and its own plan.

    `needs_prices`: every line of every plan has a price; else the target's lines may lack one, or every line where the
    plan's own do. `floor_micros`: what every plan asked for costs at least.
    """

    planner: Planner
    target: Target
    plan: Outcome
    needs_prices: bool = True
    floor_micros: int = 0

    def questions(self) -> list[Question]:
        """One question for each workload that can run on the target; one for all where they may share its units."""
        works = [work for work in range(len(self.planner.file.workloads)) if self._can_run(work)]
        if self._is_own():
            return [self._of_own(work) for work in works]
        if self.target.term is None:
            held = HeldSearch(self.planner.search)
            return [Question(work, held, self._accepts(work, holds=True)) for work in works]
        return list(self._of_term(self.target.term, works))

    @property
    def holds_whole_work(self) -> bool:
        """Whether a workload that could use the target in part is held to it from its first day to its last."""
        term = self.target.term
        if self._is_own() or (term is not None and term.buys_units):
            return False
        case = self.planner.case
        several = any(len(case.tasks_of_work(work)) > 1 for work in range(len(case.file.workloads)))
        return term is not None or several

    def _of_own(self, work: int) -> Question:
        """The user's own machines are used as soon as one task of the workload runs there."""
        means, search = (lambda candidate: self.target.means(candidate.supply)), self.planner.search
        if len(self.planner.case.tasks_of_work(work)) > 1:
            return Question(work, UsingSearch(search, work, means, self.plan), self._accepts(work, holds=False))
        return Question(work, OwnSearch(search, work, means), self._accepts(work, holds=True))

    def _of_term(self, term: Term, works: list[int]) -> Iterator[Question]:
        """A unit serves all work; by the hour, on spot and under a savings plan each workload is served by itself."""
        if not term.buys_units:
            for work in works:
                search = HeldSearch(Search(on_term(self.planner.case, work, term)))
                yield Question(work, search, self._accepts(work, holds=False))
            return
        search = TermSearch(self.planner.search, term)
        for work in works[:1] if self.needs_prices else works:
            yield Question(work, search, self._accepts(work, holds=False))

    def _can_run(self, work: int) -> bool:
        mine = (c for c in self.planner.case.candidates[work] if self.target.means(c.supply))
        return any(self._may_run(candidate, work) for candidate in mine)

    def _accepts(self, work: int, *, holds: bool) -> Accepts:
        """What a plan may be made of; `holds`: the workload runs on the target alone."""

        def accepts(candidate: Candidate) -> bool:
            is_meant = candidate.work == work and self.target.means(candidate.supply)
            return (is_meant or not holds or candidate.work != work) and self._is_priced(candidate, is_meant)

        return accepts

    def _is_priced(self, candidate: Candidate, is_meant: bool) -> bool:
        if self.needs_prices:
            return not candidate.storage.missing
        return is_meant or not candidate.storage.missing or not is_complete(self.plan)

    def _may_run(self, candidate: Candidate, work: int) -> bool:
        """Whether the rules admit a candidate, it keeps up with some task, and no price alone exceeds a budget."""
        planner = self.planner
        keeps_up = any(run_of(candidate, planner.case.work(work), task) for task in planner.case.tasks_of_work(work))
        admitted = keeps_up and self._is_priced(candidate, True) and planner.case.admits(candidate, planner.policy)
        return admitted and is_affordable(planner, candidate.supply)

    def _is_own(self) -> bool:
        """Whether the target means the user's own machines alone; a term must not be had from standing ones as well."""
        meant = [c.supply for mine in self.planner.case.candidates for c in mine if self.target.means(c.supply)]
        if self.target.kind == "term":
            return self.target.term is Term.OWNED and not any(supply.sunk for supply in meant)
        return bool(meant) and all(supply.is_owned for supply in meant)

    def near(self, question: Question) -> Question:
        """The question on the plan's own configurations and the target's alone."""
        runs = {candidate.index for candidate in chosen(self.plan)}

        def accepts(candidate: Candidate) -> bool:
            is_near = candidate.index in runs or self.target.means(candidate.supply)
            return is_near and question.accepts(candidate)

        return replace(question, accepts=accepts)


def forced(asking: Asking, seconds: float) -> Forced | None:
    """The cheapest plan that uses the target, or None where there is none.

    Raises:
        NoPlanInTime: the clock left something open and no plan was found at all.
    """
    until = monotonic() + seconds
    policy, is_alone = asking.planner.policy, len(asking.planner.file.workloads) == 1
    asked_for = [(question.search.least_micros(policy, question.accepts), question) for question in asking.questions()]
    asked_for.sort(key=lambda one: one[0])
    leasts, questions = [least for least, _ in asked_for], [question for _, question in asked_for]
    near = [None] * len(questions) if is_alone else _near_answers(asking, questions, monotonic() + seconds * NEAR_SHARE)
    best = _cheapest(near)
    # Questions that need no solve come first and leave their time to the others, then the most promising.
    order = sorted(range(len(questions)), key=lambda one: (leasts[one] <= _cost(best), _cost(near[one])))
    bounds: list[int] = []
    for asked, one in enumerate(order):
        left = (until - monotonic()) / (len(order) - asked)
        answer = ask(asking.planner, questions[one], left, best, near[one], TIE_SECONDS if is_alone else 0.0)
        best = _cheapest([best, answer])
        bounds.append(max(bound_of(answer), asking.floor_micros, leasts[one]))
    if best is None:
        if any(bound < NEVER_MICROS for bound in bounds):
            text = asking.target.text
            raise NoPlanInTime(f"no plan that uses {text} was found in time, nor is there proof that none does")
        return None
    found = Forced(best, min([best.cost_micros, *bounds]))
    return found if is_alone else _settled_ties(asking, found, questions, until)


def bound_of(answer: Outcome | None) -> int:
    """What every plan of a question costs at least, in micros; `None` is a question that the clock left open."""
    if answer is None:
        return 0
    if not answer.has_plan or answer.solution is None:
        return NEVER_MICROS if is_proven(answer) else 0
    return answer.cost_micros if is_proven(answer) else answer.solution.bound or 0


def _cost(answer: Outcome | None) -> int:
    return answer.cost_micros if answer is not None and answer.has_plan else NEVER_MICROS


def _cheapest(answers: Sequence[Outcome | None]) -> Outcome | None:
    """The cheapest of the plans found; of equals the first."""
    found = [answer for answer in answers if answer is not None and answer.has_plan]
    return min(found, key=_cost, default=None)


def _near_answers(asking: Asking, questions: Sequence[Question], until: float) -> list[Outcome | None]:
    """The answers on the plan's own configurations, where they are no dearer than another question's."""
    found: list[Outcome | None] = []
    for asked, question in enumerate(questions):
        left = (until - monotonic()) / min(NEAR_AT_ONCE, len(questions) - asked)
        found.append(ask(asking.planner, asking.near(question), left, _cheapest(found), None, 0.0))
    return found


def ask(
    planner: Planner, question: Question, seconds: float, best: Outcome | None, start: Outcome | None, ties: float
) -> Outcome | None:
    """The cheapest plan of a question no dearer than `best`, or that there is none; None where the clock ended first.

    `start`: a plan of the question, to begin from.
    """
    if seconds < LEAST_SECONDS:
        return None
    search = question.search.up_to(best, start)
    try:
        return in_time(search.cheapest(planner.policy, question.accepts, seconds=seconds, tie_seconds=ties))
    except NoPlanInTime:
        return None


def _settled_ties(asking: Asking, found: Forced, questions: Sequence[Question], until: float) -> Forced:
    """Where the plan found costs what the planner's own does: the first of its equals in the tie order."""
    cost = found.outcome.cost_micros
    if cost - asking.plan.cost_micros > tolerance_micros(asking.plan.cost_micros):
        return found
    for question in questions:
        answer = ask(asking.planner, question, until - monotonic(), found.outcome, found.outcome, TIE_SECONDS)
        if answer is not None and answer.has_plan and answer.cost_micros <= cost:
            return replace(found, outcome=answer, bound_micros=min(found.bound_micros, answer.cost_micros))
    return found


def is_affordable(planner: Planner, supply: Supply) -> bool:
    """Whether a supply can be had otherwise than bought, or bought within every budget; the price is paid at once."""
    if not is_bought_only(supply):
        return True
    file, rates = planner.file, planner.case.rates
    limits = [limit for limit in (file.budget, file.monthly_budget) if limit is not None]
    prices = (
        one.price * rates.factor(purchase_currency(one, file.currency), file.currency) for one in supply.purchases
    )
    return not limits or min(prices) <= min(limits)
