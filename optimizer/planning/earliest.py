"""`--objective time`: the earliest day on which all jobs can be done, within every limit; then the least cost.

Whether a plan exists that ends by a day is monotone in the day, so the earliest one is found by halving. Every probe
is a whole solve with all limits (budget, caps, quotas, rules), so the last day that said no is the proof. The answer
is then the cheapest plan among those that end by that day. Steady work ends with the horizon and does not count.
"""

from collections.abc import Callable
from dataclasses import dataclass

from optimizer.planning.case import Case
from optimizer.planning.runs import run_of, start_days
from optimizer.planning.search import Interrupted, Outcome, Search, with_deadline

#: Solves a search, with ties settled or not.
Solve = Callable[[Search, bool], Outcome]
TimeLeft = Callable[[], float]


@dataclass(frozen=True)
class Earliest:
    """The cheapest plan of those that end first; `search` is the case that ends by then.

    `is_proven` is false where a probe ran out of time, so that an earlier end may exist.
    """

    outcome: Outcome
    search: Search
    is_proven: bool


def earliest(search: Search, cheapest: Outcome, solve: Solve, seconds_left: TimeLeft) -> Earliest:
    """The earliest last end of all jobs, starting from the cheapest plan of the case.

    Raises:
        Interrupted: Ctrl-C, with the plan that ends first so far.
    """
    case = search.case
    high = last_end(cheapest, case)
    low, is_proven = _least_end(case), True
    probe = low
    while low < high:
        if seconds_left() <= 0:
            is_proven = False
            break
        found = _asked(solve, Search(with_deadline(case, probe)), False, cheapest)
        if found.has_plan:
            high, cheapest = last_end(found, case), found
        else:
            is_proven = is_proven and _is_impossible(found)
            low = probe + 1
        probe = (low + high) // 2
    ending = Search(with_deadline(case, high))
    settled = _asked(solve, ending, True, cheapest) if seconds_left() > 0 else cheapest
    return Earliest(settled if settled.has_plan else cheapest, ending, is_proven)


def _asked(solve: Solve, search: Search, ties: bool, best: Outcome) -> Outcome:
    """One solve; an interruption before it has a plan hands out the best one known."""
    try:
        return solve(search, ties)
    except Interrupted as stop:
        raise Interrupted(stop.outcome or best) from None


def has_jobs(case: Case) -> bool:
    """Whether any work ends before the horizon does."""
    return any(task.month is None for task in case.tasks)


def last_end(outcome: Outcome, case: Case) -> int:
    """The day (exclusive) on which the last job of a solved case is done."""
    if outcome.assembly is None or outcome.solution is None:
        raise ValueError("no plan")
    assembly = outcome.assembly
    placed = (assembly.placed[identity] for identity in assembly.real_placements(outcome.solution.placements))
    return max(one.end for one in placed if not case.work(one.candidate.work).is_steady)


def _least_end(case: Case) -> int:
    """The latest of the jobs' own earliest ends, rules and limits left aside."""
    ends = []
    for task in case.tasks:
        if task.month is not None:
            continue
        runs = (run_of(candidate, case.work(task.work), task) for candidate in case.candidates[task.work])
        ends.append(min((start_days(run, task)[0] + run.days for run in runs if run is not None), default=1))
    return max(ends)


def _is_impossible(outcome: Outcome) -> bool:
    return bool(outcome.empty_works) or (outcome.solution is not None and outcome.solution.status == "infeasible")
