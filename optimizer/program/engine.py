"""Solve a problem in this process: choose pools, build, solve, check exactly, settle ties, and report on the way."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import floor

from optimizer.errors import InternalError
from optimizer.program.bounds import INFINITE
from optimizer.program.budgets import EXCESS_MICROS, exceeding, least_excess
from optimizer.program.build import build
from optimizer.program.check import Choice, objective_of, violations
from optimizer.program.columns import ROUNDS, Held, Holder, within_reach
from optimizer.program.extract import all_whole, choice_of, fix_placements, free_placements, start_from
from optimizer.program.fixing import Reduction, reduction_of
from optimizer.program.model import MICROS, Model
from optimizer.program.problem import Limits, Problem, Solution, SolveStatus
from optimizer.program.reduce import (
    Reduced,
    needs_stages,
    reduce,
    tolerance,
    without_dominated_terms,
)
from optimizer.program.solver import RELATIVE_GAP, Outcome, Status, Watch, solve_lp
from optimizer.program.stages import Stage, first_stages
from optimizer.program.ties import settle
from optimizer.program.tightness import are_too_tight

PLANS = ("optimal", "feasible")  # how a solve ends that found a plan
BUDGET_MARGIN_MICROS = 20
BUDGET_SHARE = 0.4  # of the time left, for each search of a plan within the budgets
HOLDING_SHARE = 0.5  # of the time left, for choosing columns
# Rounds of choosing columns, then how many configurations of each work to try. A monthly budget makes the relaxation
# dear and its prices poor: little is asked of it, and more configurations are tried.
SEARCHES = ((2, 2), (ROUNDS, 3), (ROUNDS, 5))
SEARCHES_BY_MONTH = ((1, 6), (2, 12), (ROUNDS, 5))
FEW_LEFT = 5_000  # placements and unit terms left that need no more choosing
SEARCH_SHARE = 0.3  # of the time left then, for a plan among these
SEARCH_GAP = 5e-4  # and how near to the best of these it must be
WORTH_REBUILDING = 0.8  # of the placements left, at most, for a smaller program to be built
ENOUGH_RECORDS = 12_000  # placements and unit terms within reach, at most, of which one program is built at once
MOST_RECORDS = 60_000  # and at most of all
WORTH_SEARCHING = 0.97  # of the gap left, at most, for another search
FEW_RECORDS = 1_500  # placements and unit terms that are solved at once, without choosing among pools first


@dataclass(slots=True)
class Report:
    """Where news of a solve go: plans with cost and bound in micros as they are found, and the bound in between.

    `settling` gets the proven answer when only ties are left to be settled.
    """

    plan: Callable[[Choice, int, int | None], None] = lambda choice, cost, bound: None
    bound: Callable[[int | None, int | None], None] = lambda cost, bound: None
    settling: Callable[[Solution], None] = lambda solution: None
    watch: Watch = field(default_factory=Watch)


@dataclass(slots=True)
class Clock:
    """Wall seconds since the solve began, and how many are left of the allowance."""

    began: float
    seconds: float

    def passed(self) -> float:
        """Seconds since the solve began."""
        return time.monotonic() - self.began

    def left(self) -> float:
        """Seconds left of the allowance, never below zero."""
        return max(0.0, self.seconds - self.passed())


def run(reduced: Reduced, limits: Limits, report: Report | None = None) -> Solution:
    """The preferred plan of a problem that is reduced already, checked; see `optimizer.program.solve`."""
    report = report or Report()
    clock = Clock(time.monotonic(), limits.seconds)
    stage = Stage(reduced.problem)
    if needs_stages(reduced.problem, limits):
        stage = first_stages(reduced.problem, limits, clock.left, report.watch)
        if stage.status is not None:
            return Solution(stage.status, seconds=clock.passed())
        reduced = reduce(stage.problem, Limits())
    solution = Engine(reduced, stage, limits, clock, report).solve()
    if reduced.budget is None or solution.cost is None or solution.cost <= reduced.budget:
        return solution
    if (solution.bound or 0) > reduced.budget:
        return Solution("infeasible", seconds=clock.passed())
    bounded = Reduced(replace(reduced.problem, budget=reduced.budget))
    return Engine(bounded, stage, limits, clock, report).solve()


@dataclass(slots=True)
class Engine:
    """One solve for cost: the best plan so far with its cost and bound in micros, and the program it came from.

    `enough` says of a plan that it ends the solve, proven or not.
    """

    reduced: Reduced
    stage: Stage
    limits: Limits
    clock: Clock
    report: Report
    enough: Callable[[Choice], bool] = lambda choice: False
    choice: Choice | None = None
    cost: int | None = None
    bound: int = 0
    model: Model | None = None

    def solve(self) -> Solution:
        """Choose pools, solve, settle ties."""
        problem = self.reduced.problem
        self.choice, self.cost, self.bound = self.reduced.plan, self.reduced.cost, self.reduced.bound
        if problem.optional_tasks or _records(problem) <= FEW_RECORDS:
            outcome = self._attempt(without_dominated_terms(problem, self.choice))
        else:
            outcome = self._solve_held()
        if self.choice is None or self.cost is None:
            status: SolveStatus = "infeasible" if outcome == "infeasible" else "no_plan_in_time"
            return Solution(status, bound=self.bound or None, seconds=self.clock.passed())
        settled = ""
        if self.model is not None and self._is_proven() and self.limits.tie_seconds > 0:
            self.report.settling(self._solution(self.choice, ""))
            cutoff = min(self.bound + tolerance(self.cost), self._budget())
            if self.cost <= cutoff:
                self.choice, settled = settle(self._tied(self.model, cutoff), self.choice, cutoff, self.limits)
        return self._solution(self.choice, settled)

    def _tied(self, model: Model, cutoff: float) -> Model:
        """The program without what no plan of at most `cutoff` micros uses, as far as its relaxation shows that."""
        reduction = self._relaxed(model)
        if reduction is None:
            return model
        smaller = without_dominated_terms(reduction.within(model.problem, cutoff), self.choice)
        return build(smaller, self.stage.kept_at_least)

    def _relaxed(self, model: Model) -> Reduction | None:
        return reduction_of(model, self.clock.left() + 1.0, self.limits.threads, self.report.watch)

    def _budget(self) -> float:
        budget = self.reduced.budget
        return INFINITE if budget is None else budget

    def _solve_held(self) -> Status:
        """Find good plans among few columns early; then solve with all that a plan as cheap as the best may use.

        Each plan leaves fewer columns to choose from, and these make the next search better.
        """
        status: Status = "none"
        if self.cost is None:
            status = self._keep_budgets()
            if status == "infeasible":
                return status
        holder = Holder(self.reduced.problem, self.clock.left, self.limits.threads, self.report.watch)
        held: Held | None = None
        by_month = self.reduced.problem.monthly_budget is not None
        for rounds, count in SEARCHES_BY_MONTH if by_month else SEARCHES:
            if by_month and rounds == ROUNDS and _records(holder.problem) <= FEW_LEFT:
                break
            held, status = self._searched(holder, rounds, count)
            if held.bound.value == INFINITE:  # a task that nothing can serve
                return "infeasible"
            if self._is_proven() or (self.choice is not None and self.enough(self.choice)):
                break
        if held is None or self.cost is None:
            return self._attempt(without_dominated_terms(holder.problem)) if status == "infeasible" else status
        if self.choice is not None and self.enough(self.choice):
            return status
        held = self._within_reach(holder, held)
        if _records(held.problem) > MOST_RECORDS:
            return status
        return self._attempt(without_dominated_terms(held.problem, self.choice))

    def _searched(self, holder: Holder, rounds: int, count: int) -> tuple[Held, Status]:
        """Choose columns for some rounds and look for a plan among the best configurations of each work."""
        holder.left = self._until_share(HOLDING_SHARE)
        held = self._hold(holder, rounds)
        if self._is_proven() or held.bound.value == INFINITE:
            return held, "none"
        promising = without_dominated_terms(held.promising(count, self.choice), self.choice)
        return held, self._attempt(promising, self.clock.left() * SEARCH_SHARE, proves=False)

    def _within_reach(self, holder: Holder, held: Held) -> Held:
        """What plans as cheap as the best may use; while that is much, better bounds and plans are sought.

        A program of all that would take long to build and longer to solve.
        """
        count = SEARCHES[-1][1]
        while True:
            if self.cost is None:
                return held
            reached, gap = within_reach(held, self.cost + tolerance(self.cost)), self.cost - self.bound
            if _records(reached.problem) <= ENOUGH_RECORDS or self.clock.left() < 1.0 or self._is_proven():
                return reached
            count += 1
            held, _ = self._searched(holder, ROUNDS, count)
            if self.cost - self.bound > WORTH_SEARCHING * gap:
                return within_reach(held, self.cost + tolerance(self.cost))

    def _keep_budgets(self) -> Status:
        """Look for a first plan past one beyond budgets: the cheapest at a price of excess, then the nearest to them.

        The first is the answer when it exceeds nothing; the second shows when no plan keeps the budgets.
        """
        problem, start = self.reduced.problem, self.reduced.start
        if are_too_tight(problem):
            return "infeasible"
        if start is None or (problem.budget is None and problem.monthly_budget is None):
            return "none"
        for softer, is_bound in ((exceeding(problem), True), (least_excess(problem), False)):
            found = self._exceeding(softer, start)
            if found.cost is None:
                continue
            start = Choice(found.placements, found.units, found.spend, found.services)
            if is_bound:
                self.bound = max(self.bound, found.bound or 0)
            elif (found.bound or 0) > EXCESS_MICROS:
                return "infeasible"
            if not violations(problem, start):
                self.choice, self.cost = start, objective_of(problem, start)
                self.report.plan(start, self.cost, self.bound)
                return "feasible"
        return "none"

    def _exceeding(self, problem: Problem, start: Choice) -> Solution:
        """Look for a plan within the budgets among those that may exceed them; nobody hears of them on the way."""
        reduced = Reduced(problem, start, objective_of(problem, start), start=start)
        clock = Clock(time.monotonic(), self.clock.left() * BUDGET_SHARE)
        limits, report = replace(self.limits, tie_seconds=0.0), Report(watch=self.report.watch)
        strict = self.reduced.problem
        return Engine(
            reduced, self.stage, limits, clock, report, enough=lambda choice: not violations(strict, choice)
        ).solve()

    def _rounded(self, model: Model) -> Choice | None:
        """The plan in the solver's columns, with whole counts; None when time runs out on the way.

        Counts that were left continuous and are not whole (possible off a vertex) are solved for once more with the
        placements fixed.
        """
        if not all_whole(model):
            fix_placements(model)
            outcome = solve_lp(model.lp, self.clock.left() + 1.0, self.limits.threads, self.report.watch)
            free_placements(model)
            if outcome.status not in PLANS:
                return None
        return choice_of(model)

    def _hold(self, holder: Holder, rounds: int = ROUNDS) -> Held:
        most = None if self.cost is None else self.cost + tolerance(self.cost)
        held = holder.hold(self.choice or self.reduced.start, most, rounds)
        if held.bound.value < INFINITE:
            self.bound = max(self.bound, floor(held.bound.value))
            self.report.bound(self.cost, self.bound)
        return held

    def _until_share(self, share: float) -> Callable[[], float]:
        """How many seconds are left of a share of the time left now."""
        until = time.monotonic() + self.clock.left() * share
        return lambda: until - time.monotonic()

    def _attempt(self, problem: Problem, seconds: float | None = None, *, proves: bool = True) -> Status:
        """Solve one program; a better plan becomes the best, and its bound counts when the program holds every pool."""
        model = build(problem, self.stage.kept_at_least)
        if proves and self.choice is not None:
            model = self._narrowed(model)
            if self._is_proven():
                self.model = model
                return "optimal"
        if self.choice is not None:
            start_from(model, self.choice)
        _listen(model, self.report, self._budget(), None if proves else self.bound)
        limit = self.clock.left() if seconds is None else seconds
        is_small = len(problem.placements) + len(problem.unit_terms) <= FEW_RECORDS
        gap = RELATIVE_GAP if proves or is_small else SEARCH_GAP
        outcome = solve_lp(model.lp, limit, self.limits.threads, self.report.watch, gap=gap)
        if outcome.status in PLANS:
            refused = self._take(model)
            if refused is not None:
                return refused
        if proves:
            self.bound = max(self.bound, _micros(outcome) or 0)
        if self.cost is not None:
            self.bound = min(self.bound, self.cost)
        return outcome.status

    def _narrowed(self, model: Model) -> Model:
        """The program without what the relaxation shows to be in no plan as cheap as the one known."""
        reduction = self._relaxed(model)
        if reduction is None or self.cost is None:
            return model
        self.bound = min(max(self.bound, reduction.bound), self.cost)
        smaller = reduction.within(model.problem, self.cost + tolerance(self.cost))
        if len(smaller.placements) > WORTH_REBUILDING * len(model.problem.placements):
            return model
        return build(without_dominated_terms(smaller, self.choice), self.stage.kept_at_least)

    def _is_proven(self) -> bool:
        return self.cost is not None and self.cost - self.bound <= tolerance(self.cost)

    def _take(self, model: Model) -> Status | None:
        """Keep the plan in the solver's columns, exactly checked, unless the one so far is cheaper.

        Why there is none after all: the budgets are kept within the solver's tolerance only ("infeasible"), or time ran
        out on the way ("none").
        """
        checked = self._checked(model)
        if not isinstance(checked, tuple):
            return checked
        model, choice = checked
        cost = objective_of(model.problem, choice)
        self.model = model
        if self.cost is None or cost <= self.cost:
            self.choice, self.cost = choice, cost
            if cost <= self._budget():
                self.report.plan(choice, cost, self.bound)
        return None

    def _checked(self, model: Model) -> tuple[Model, Choice] | Status:
        """The plan in the solver's columns, after an exact check of every rule.

        A solver keeps a budget to about 10**-6 of the currency only: a plan that passes it by less is solved again with
        budgets lower by a few micros, which may have none. Any other breach is a defect.
        """
        choice = self._rounded(model)
        if choice is None:
            return "none"
        broken = violations(model.problem, choice)
        if broken and all("budget" in words for words in broken):
            model = build(_with_lower_budgets(model.problem), self.stage.kept_at_least)
            outcome = solve_lp(model.lp, self.clock.left() + 1.0, self.limits.threads, self.report.watch)
            choice = self._rounded(model) if outcome.status in PLANS else None
            if choice is None:
                return "infeasible" if outcome.status == "infeasible" else "none"
            broken = violations(model.problem, choice)
        if broken:
            raise InternalError("the solver's plan breaks its own rules: " + "; ".join(broken[:5]))
        return model, choice

    def _solution(self, choice: Choice, settled: str) -> Solution:
        """The answer; proven when cost and bound are within the tolerance and so were the stages before cost."""
        cost = objective_of(self.reduced.problem, choice)
        bound = min(self.bound, cost)
        proven = self.stage.proven and cost - bound <= tolerance(cost)
        return Solution(
            status="optimal" if proven else "feasible",
            cost=cost,
            bound=bound,
            placements=choice.placements,
            units=choice.units,
            spend=choice.spend,
            services=choice.services,
            ties_settled=settled,
            seconds=self.clock.passed(),
        )


def _records(problem: Problem) -> int:
    return len(problem.placements) + len(problem.unit_terms)


def _with_lower_budgets(problem: Problem) -> Problem:
    def lower(budget: int | None) -> int | None:
        return None if budget is None else budget - BUDGET_MARGIN_MICROS

    return replace(problem, budget=lower(problem.budget), monthly_budget=lower(problem.monthly_budget))


def _listen(model: Model, report: Report, budget: float, known: int | None) -> None:
    """Pass on the solver's plans within the budget, each checked exactly, and its bounds.

    `known`: the bound so far of the whole problem, where the program holds only a part of it and bounds nothing else.
    """

    def bound_of(value: float) -> int | None:
        return _scaled(value) if known is None else known

    def better(values: list[float], _: float, bound: float) -> None:
        choice = choice_of(model, lambda column: round(values[column.index]))
        if not violations(model.problem, choice) and objective_of(model.problem, choice) <= budget:
            report.plan(choice, objective_of(model.problem, choice), bound_of(bound))

    report.watch.on_incumbent = better
    report.watch.on_bound = lambda cost, bound: report.bound(_scaled(cost), bound_of(bound))


def _scaled(value: float) -> int | None:
    """Currency to micros; None for infinite."""
    return floor(value * MICROS) if abs(value) < 1e18 else None


def _micros(outcome: Outcome) -> int | None:
    return None if outcome.bound is None else _scaled(outcome.bound)
