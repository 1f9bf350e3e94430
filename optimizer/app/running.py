"""Re-planning from a running plan: what it has rented and bought by the new plan's start is there and paid for."""

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from optimizer.app.verify import read_plan
from optimizer.domain.money import Rates
from optimizer.domain.offer import Term
from optimizer.domain.plan import Plan, Purchase
from optimizer.domain.units import MONTHS_PER_YEAR
from optimizer.domain.workload import Commitment, MayBuy, OwnedAlready, WorkloadFile

#: What a bought machine keeps from its record: hardware and running cost, never its price.
KEPT = (frozenset(OwnedAlready.model_fields) & frozenset(MayBuy.model_fields)) - {"name", "server"}


def from_running(file: WorkloadFile, plan_path: Path, rates: Rates) -> WorkloadFile:
    """The file with a running plan's purchases as commitments and own machines.

    A purchase counts when its first day is not after the new file's start and it lasts beyond it. Work by the hour
    and spot bind nobody and are left out. What the running plan already had stays as well.

    Raises:
        InputError: the plan file is not readable.
    """
    running = read_plan(plan_path)
    before = WorkloadFile.model_validate(running.inputs)
    carried = [one for one in before.commitments if one.ends > file.start and one not in file.commitments]
    commitments = (*file.commitments, *carried, *rents_of(running, file.start))
    names = {one.name for one in file.owned.already}
    there = [one for one in before.owned.already if one.name not in names]
    already = (*file.owned.already, *there, *machines_of(running, before, file, rates))
    owned = file.owned.model_copy(update={"already": already})
    return file.model_copy(update={"commitments": commitments, "owned": owned})


def rents_of(running: Plan, start: date) -> Iterator[Commitment]:
    """Rents for a term that have begun and go on; a savings plan goes on paying for what it pays for on that day."""
    for line in _machines(running):
        if line.term is None or line.term.is_hourly or line.term is Term.OWNED or not line.start <= start < line.end:
            continue
        ends = _end_of_plan(running, line, start) if line.term.is_savings_plan else line.end
        if ends is not None:
            offer = f"{line.provider}/{line.region}/{line.instance_type}"
            yield Commitment(offer=offer, term=line.term, count=line.count, starts=line.start, ends=ends)


def _end_of_plan(running: Plan, line: Purchase, day: date) -> date | None:
    """When the first of the savings plans ends that may pay for a line on a day."""
    plans = (one for one in running.purchases if one.kind == "commitment")
    mine = (one for one in plans if (one.provider, one.term) == (line.provider, line.term))
    return min((one.end for one in mine if one.start <= day < one.end), default=None)


def machines_of(running: Plan, before: WorkloadFile, file: WorkloadFile, rates: Rates) -> Iterator[OwnedAlready]:
    """Machines that have been bought, usable after their lead time; amounts in the new file's currency."""
    for number, line in enumerate(_machines(running)):
        if line.term is not Term.OWNED or line.start > file.start:
            continue
        record = next((one for one in before.owned.may_buy if _is_of(one, line)), None)
        if record is not None:
            rate = rates.factor(record.currency or before.currency, file.currency)
            yield _already(record, line, number, rate)


def _is_of(record: MayBuy, line: Purchase) -> bool:
    return line.instance_type in (record.server, record.name)


def _already(record: MayBuy, line: Purchase, number: int, rate: Decimal) -> OwnedAlready:
    kept: dict[str, Any] = {name: getattr(record, name) for name in KEPT}
    usable = line.start + timedelta(days=record.lead_time_days)
    maintenance = record.price * Decimal(str(record.maintenance_fraction_year)) / MONTHS_PER_YEAR
    return OwnedAlready.model_validate(
        {
            **kept,
            "name": f"{record.name or record.server} (bought {line.start.isoformat()}, {number + 1})",
            "server": record.server,
            "count": line.count,
            "available_from": usable,
            "colocation_per_kw_month": record.colocation_per_kw_month * rate,
            "staff_per_month": record.staff_per_month * rate,
            "maintenance_per_month": maintenance * rate,
        }
    )


def _machines(running: Plan) -> list[Purchase]:
    return [line for line in running.purchases if line.kind == "machine"]
