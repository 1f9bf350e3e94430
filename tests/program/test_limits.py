"""Limits hold in wall time, Ctrl-C answers with the best plan, stdout stays clean, solvers are exchangeable."""

import threading
import time
from collections.abc import Callable

import pytest

from optimizer.program import engine, solve, solver, supervise
from optimizer.program.build import build
from optimizer.program.check import Choice, violations
from optimizer.program.problem import Limits, Problem
from optimizer.program.reduce import reduce
from optimizer.program.solver import solve_lp
from tests.program.instances import random_problem
from tests.program.oracle import best_plan
from tests.program.test_oracle import assert_agrees

PATIENT = Limits(tie_seconds=60.0)  # CBC is a process for each question; a busy machine takes its time
SOLVABLE = 1  # a seed whose problem has a plan


class Stubborn:
    """A worker that never answers, as a solver in its presolve; or one that the user interrupts."""

    ended = 0
    interrupt = False

    def __init__(self, *_: object) -> None:
        type(self).ended = 0

    def receive(self, seconds: float) -> None:
        """Nothing to tell."""
        time.sleep(min(seconds, 0.01))
        if self.interrupt:
            raise KeyboardInterrupt

    def end(self) -> None:
        """Count."""
        type(self).ended += 1


class Interrupted(Stubborn):
    """Ctrl-C while the solver runs."""

    interrupt = True


@pytest.fixture
def problem() -> Problem:
    """A problem for which a first plan is known before any solver starts."""
    return random_problem(SOLVABLE)[0]


def test_a_solver_that_ignores_its_limit_is_ended_and_the_first_plan_returned(
    problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervise, "ThreadWorker", Stubborn)
    monkeypatch.setattr(supervise, "GRACE_SECONDS", 0.2)
    began = time.monotonic()
    solution = solve(problem, Limits(seconds=0.3))
    assert 0.3 < time.monotonic() - began < 3.0
    assert Stubborn.ended == 1
    assert solution.status == "feasible"
    assert solution.cost is not None
    assert solution.bound is not None
    assert 0 < solution.bound <= solution.cost
    choice = Choice(solution.placements, solution.units, solution.spend, solution.services)
    assert violations(problem, choice) == []


def test_ctrl_c_answers_with_the_best_plan_so_far(problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervise, "ThreadWorker", Interrupted)
    solution = solve(problem)
    assert solution.status == "interrupted"
    assert solution.cost is not None
    assert Interrupted.ended == 1


def test_no_time_at_all_is_not_infeasible(problem: Problem) -> None:
    solution = solve(problem, Limits(seconds=0.0, tie_seconds=0.0))
    assert solution.status in ("feasible", "optimal", "no_plan_in_time")


def test_a_child_process_gives_the_same_answer_as_a_thread(problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    here = solve(problem)
    monkeypatch.setattr(supervise, "LARGE_RECORDS", 0)
    there = solve(problem)
    assert (there.status, there.cost, there.placements, there.units) == (
        here.status,
        here.cost,
        here.placements,
        here.units,
    )


def test_progress_is_told_with_cost_and_bound(problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervise, "LARGE_RECORDS", 0)
    told: list[tuple[float, int | None, int | None]] = []
    solve(problem, on_progress=lambda seconds, cost, bound: told.append((seconds, cost, bound)))
    assert told
    assert all(seconds >= 0 for seconds, _, _ in told)


def test_no_bound_told_on_the_way_lies_above_the_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    # Programs over some columns only bound nothing but themselves; their bounds must not be told as the problem's.
    monkeypatch.setattr(engine, "FEW_RECORDS", 0)
    heard = 0
    for seed in range(300, 340):
        problem, _ = random_problem(seed)
        best = best_plan(problem).cost
        bounds: list[int | None] = []
        report = engine.Report(
            plan=lambda _, __, bound, bounds=bounds: bounds.append(bound),
            bound=lambda _, bound, bounds=bounds: bounds.append(bound),
        )
        engine.run(reduce(problem, Limits()), Limits(tie_seconds=0.0), report)
        told = [bound for bound in bounds if bound is not None]
        heard += len(told)
        assert best is None or all(bound <= best for bound in told), seed
    assert heard >= 100


def test_nothing_reaches_standard_output(problem: Problem, capfd: pytest.CaptureFixture[str]) -> None:
    solve(problem)
    assert capfd.readouterr().out == ""


def test_the_number_of_threads_may_change_between_solves(problem: Problem) -> None:
    costs = {solve(problem, Limits(threads=threads)).cost for threads in (1, 2, 1)}
    assert len(costs) == 1
    assert None not in costs


@pytest.fixture
def without_highs(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """As on a machine where highspy is not installed."""
    monkeypatch.setattr(solver, "highspy", None)
    return lambda: None


@pytest.mark.usefixtures("without_highs")
@pytest.mark.parametrize("first", [500, 507])
def test_cbc_solves_the_same_where_highs_is_missing(first: int) -> None:
    for seed in range(first, first + 7):
        problem, _ = random_problem(seed)
        assert_agrees(problem, solve(problem, PATIENT))


@pytest.mark.usefixtures("without_highs")
def test_cbc_may_find_that_no_whole_numbers_do() -> None:
    # The relaxation of this problem has a plan; CBC says "Integer infeasible", of which PuLP's sol_status is silent.
    assert_agrees(random_problem(568)[0], solve(random_problem(568)[0], PATIENT))


def test_a_proven_plan_stays_proven_when_its_ties_cannot_be_settled_in_time(
    problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervise, "GRACE_SECONDS", 0.1)
    monkeypatch.setattr(engine, "settle", lambda *_: time.sleep(1.0))
    solution = solve(problem, Limits(tie_seconds=0.1))
    assert (solution.status, solution.cost) == ("optimal", best_plan(problem).cost)
    assert solution.ties_settled == ""


def test_threads_of_one_process_may_solve_with_different_numbers_of_threads() -> None:
    """HiGHS keeps a pool for each calling thread, of the size of its first solve: that must not fail a later one."""
    problem, _ = random_problem(3)
    statuses: list[str] = []

    def solve_with(threads: int) -> None:
        statuses.append(solve_lp(build(problem).lp, 10.0, threads).status)

    solve_with(1)
    other = threading.Thread(target=solve_with, args=(2,))
    other.start()
    other.join()
    solve_with(2)
    solve_with(1)
    assert statuses == ["optimal"] * 4
