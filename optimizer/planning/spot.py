"""What a placement on spot costs: all its nodes, every day."""

from collections.abc import Iterator

from optimizer.planning.candidates import Candidate
from optimizer.planning.costing import Payment, RatedPrice, billed_hours
from optimizer.planning.runs import FixedLine, Run


def spot_lines(candidate: Candidate, price: RatedPrice, run: Run, start: int) -> Iterator[FixedLine]:
    """All nodes on spot: the days but the last, and the last day where it is shorter; paid on each day."""
    end = start + run.days
    if run.last_hours == run.hours:
        yield _spot_line(candidate, price, run.hours, start, end)
        return
    if run.days > 1:
        yield _spot_line(candidate, price, run.hours, start, end - 1)
    yield _spot_line(candidate, price, run.last_hours, end - 1, end)


def _spot_line(candidate: Candidate, price: RatedPrice, hours: float, start: int, end: int) -> FixedLine:
    per_day = price.node_day(hours) * candidate.nodes
    return FixedLine(
        kind="machine",
        description="spot",
        quantity=billed_hours(hours, price.price) * candidate.nodes * (end - start),
        unit="hour",
        unit_price=price.price.per_hour(),
        currency=price.price.currency,
        fx_rate=price.fx_rate,
        start_day=start,
        end_day=end,
        micros=per_day * (end - start),
        payments=tuple(Payment(day, per_day) for day in range(start, end)),
        observed=price.price.observed,
        source=price.price.source,
    )
