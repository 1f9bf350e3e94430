"""Monthly budgets that no plan can keep, by a bound that is quick to take."""

from collections.abc import Iterator

from optimizer.program.board import Board, PoolBoard
from optimizer.program.bounds import INFINITE
from optimizer.program.budgets import EXCESS_MICROS, least_excess
from optimizer.program.pricing import Lambda, Relaxed, bound_of
from optimizer.program.problem import Problem
from optimizer.program.timeline import HOURS


def are_too_tight(problem: Problem) -> bool:
    """Whether some first months cost more than their budgets together, by a bound that is quick to take.

    Proof. Charge cash of the first months alone, one for one, and price a unit on each of their days as high as its
    terms allow (pricing.py). The bound is then what every plan pays in these months beyond their budgets.
    """
    if problem.monthly_budget is None:
        return False
    board = Board.of(least_excess(problem))
    return any(bound_of(board, _first_months(board, months)).value > EXCESS_MICROS for months in _rising(problem))


def _rising(problem: Problem) -> Iterator[int]:
    """How many first months to look at: twice as many each time."""
    months, last = 1, len(problem.month_starts) - 1
    while months <= last and problem.month_starts[months] <= problem.horizon:
        yield months
        months *= 2


def _first_months(board: Board, months: int) -> Relaxed:
    """Prices of units on the days of some first months, and a charge of one for one on their cash."""
    problem = board.problem
    end = problem.month_starts[months]
    windows = any(placement.hours is not None for placement in problem.placements)
    keys = range(HOURS) if windows else (0,)
    prices: dict[int, Lambda] = {}
    for pool, mine in board.pools.items():
        if not mine.has_sunk and mine.covered == INFINITE:
            days = board.has_work(mine) * float(_dearest(problem, mine))
            days[end:] = 0.0
            prices[pool] = {hour: days / len(keys) for hour in keys}
    return Relaxed(0.0, prices, dict.fromkeys(range(months), 1.0), 0.0, {})


def _dearest(problem: Problem, pool: PoolBoard) -> int:
    """Micros that no unit of the pool is worth more than on any day."""
    by_hour = [kind.hourly_cost[0] for kind in pool.kinds if kind.hourly_cost is not None]
    rented = [sum(micros for _, micros in problem.unit_terms[term].cash) for term in pool.terms]
    return max([*by_hour, *rented], default=0)
