"""Commitments that are already paid: units of an offer that stand there until their end."""

from collections.abc import Iterator

from optimizer.domain.offer import Offer
from optimizer.domain.workload import WorkloadFile
from optimizer.planning.calendar import day_number
from optimizer.planning.costing import Horizon
from optimizer.planning.inputs import InputChecks, nearest
from optimizer.planning.supply import SunkSupply


def commitment_notes(file: WorkloadFile, horizon: Horizon) -> Iterator[str]:
    """A note for each commitment that does not stand on any day of the plan."""
    for index, commitment in enumerate(file.commitments):
        said = f"commitments.{index}: {commitment.offer}"
        if day_number(file.start, commitment.ends) <= 0:
            yield f"{said} ended on {commitment.ends}, before the plan begins on {file.start}: not counted"
        elif commitment.starts is not None and day_number(file.start, commitment.starts) >= horizon.days:
            yield f"{said} begins on {commitment.starts}, after the plan ends: not counted"


def commitments_by_pool(
    file: WorkloadFile, offers: tuple[Offer, ...], horizon: Horizon, checks: InputChecks
) -> dict[str, tuple[SunkSupply, ...]]:
    """Sunk units by offer key; an offer that the catalog does not have is a problem of the file."""
    if not file.commitments:
        return {}
    known = {offer.key: offer for offer in offers}
    sunk: dict[str, list[SunkSupply]] = {}
    for index, commitment in enumerate(file.commitments):
        if commitment.offer not in known:
            near = nearest(commitment.offer, known)
            checks.problem(f"commitments.{index}.offer", commitment.offer, "an offer of the catalog", near)
            continue
        first = 0 if commitment.starts is None else max(0, day_number(file.start, commitment.starts))
        end = min(horizon.days, day_number(file.start, commitment.ends))
        if end > first:
            term = commitment.held_as
            name = f"{commitment.offer} {term}"
            sunk.setdefault(commitment.offer, []).append(SunkSupply(name, term, commitment.count, first, end))
    return {key: tuple(items) for key, items in sunk.items()}
