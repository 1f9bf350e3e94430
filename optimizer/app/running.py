"""Re-planning from a running plan: what it has rented and bought by the new plan's start is there and paid for."""

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from optimizer.app.verify import failed_checks, read_plan
from optimizer.catalog import Catalog
from optimizer.domain.money import Rates
from optimizer.domain.offer import Term
from optimizer.domain.plan import Plan, Purchase
from optimizer.domain.units import MONTHS_PER_YEAR
from optimizer.domain.workload import Commitment, MayBuy, OwnedAlready, WorkloadFile
from optimizer.errors import InputError, Problem

ANOTHER_PLAN = "--from takes the plan that runs now for the work of this file."
RECOUNT = "`optimize verify` lists every figure that does not hold."
MOST_BREACHES = 3
#: What a bought machine keeps from its record: hardware and running cost, never its price.
KEPT = (frozenset(OwnedAlready.model_fields) & frozenset(MayBuy.model_fields)) - {"name", "server"}


def from_running(file: WorkloadFile, plan_path: Path, rates: Rates, catalog: Catalog | None = None) -> WorkloadFile:
    """The file with a running plan's purchases as commitments and own machines.

    A purchase counts when its first day is not after the new file's start and it lasts beyond it. Work by the hour
    and spot bind nobody and are left out. What the running plan already had stays as well. The plan is recounted with
    the facts of `catalog`, by default the shipped one.

    Raises:
        InputError: the plan file is not readable, its figures do not hold, or it is a plan of other work or currency.
    """
    running = read_plan(plan_path)
    before = WorkloadFile.model_validate(running.inputs)
    problems = [*_differences(before, file, str(plan_path)), *_breaches(running, str(plan_path), catalog)]
    if problems:
        raise InputError(problems)
    carried = [one for one in before.commitments if one.ends > file.start and one not in file.commitments]
    commitments = (*file.commitments, *carried, *rents_of(running, file.start))
    names = {one.name for one in file.owned.already}
    there = [one for one in before.owned.already if one.name not in names]
    already = (*file.owned.already, *there, *machines_of(running, before, file, rates))
    owned = file.owned.model_copy(update={"already": already})
    return file.model_copy(update={"commitments": commitments, "owned": owned})


def _differences(before: WorkloadFile, file: WorkloadFile, source: str) -> Iterator[Problem]:
    """What tells that a plan is not of this file's work: another currency, no workload of the same name."""
    if before.currency != file.currency:
        yield Problem(source, "currency", repr(before.currency), repr(file.currency), None, ANOTHER_PLAN)
    names, asked = ([work.name for work in one.workloads] for one in (before, file))
    if not set(names) & set(asked):
        expected = f"a plan of work of this file: {', '.join(asked)}"
        yield Problem(source, "workloads", f"a plan of other work: {', '.join(names)}", expected, None, ANOTHER_PLAN)


def _breaches(running: Plan, source: str, catalog: Catalog | None) -> Iterator[Problem]:
    """The first of the plan's figures that do not hold: what it has paid for cannot be read from it."""
    from optimizer.verify import show

    for check in failed_checks(running, catalog)[:MOST_BREACHES]:
        yield Problem(source, check.id, show(check.found), show(check.expected), None, RECOUNT)


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
