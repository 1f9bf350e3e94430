"""A planned case with some of its inputs changed, without building it again: prices, speeds, demand, hours.

Sizing and rules look at machines and models, so a change of price, tariff, hours or amount of work leaves every
configuration and verdict as it is. A change of speed is a change of the time that the same configuration takes.
"""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

from optimizer.domain.workload import WorkloadFile
from optimizer.planning.candidates import Candidate
from optimizer.planning.case import Case
from optimizer.planning.costing import RatedPrice
from optimizer.planning.supply import Supply

ChangeSupply = Callable[[Supply], Supply]


def with_supplies(case: Case, change: ChangeSupply) -> Case:
    """The case with supplies changed; equal supplies stay one."""
    known: dict[int, tuple[Supply, Supply]] = {}

    def changed(supply: Supply) -> Supply:
        if id(supply) not in known:
            known[id(supply)] = (supply, change(supply))
        return known[id(supply)][1]

    candidates = tuple(
        tuple(replace(candidate, supply=changed(candidate.supply)) for candidate in mine) for mine in case.candidates
    )
    return replace(case, candidates=candidates, standing=tuple(map(changed, case.standing)))


def with_candidates(case: Case, change: Callable[[Candidate], Candidate]) -> Case:
    """The case with candidates changed."""
    return replace(case, candidates=tuple(tuple(map(change, mine)) for mine in case.candidates))


def with_file(case: Case, file: WorkloadFile) -> Case:
    """The case of a file that differs in what costs and calendars read (never in what fits)."""
    return replace(case, file=file, horizon=replace(case.horizon, file=file))


def repriced(supply: Supply, factor: Decimal, wanted: Callable[[RatedPrice], bool] = lambda price: True) -> Supply:
    """A supply with the prices that are wanted multiplied.

    Rates under a savings plan are multiplied themselves: its money is one for all machines.
    """

    def times(price: RatedPrice) -> RatedPrice:
        return price._replace(fx_rate=price.fx_rate * factor) if wanted(price) else price

    return supply._replace(
        hourly=None if supply.hourly is None else times(supply.hourly),
        spot=None if supply.spot is None else times(supply.spot),
        rents=tuple(replace(rent, rated=times(rent.rated)) for rent in supply.rents),
        covered_at=tuple(_with_amount(rate, factor) if wanted(rate) else rate for rate in supply.covered_at),
    )


def _with_amount(rated: RatedPrice, factor: Decimal) -> RatedPrice:
    return rated._replace(price=rated.price.model_copy(update={"amount": rated.price.amount * factor}))


def slower(candidate: Candidate, factor: float) -> Candidate:
    """A candidate that takes `factor` times as long."""
    return replace(
        candidate,
        run_hours=None if candidate.run_hours is None else candidate.run_hours * factor,
        tokens_per_second=None if candidate.tokens_per_second is None else candidate.tokens_per_second / factor,
    )
