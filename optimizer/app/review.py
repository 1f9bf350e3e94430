"""The use case of the monthly review: bills, catalog, plan and memory in, one review out."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from optimizer.app.verify import read_plan
from optimizer.domain.money import CURRENCY_NAMES, currency_meant
from optimizer.domain.plan import Plan
from optimizer.domain.text import Text
from optimizer.domain.units import HOURS_PER_DAY
from optimizer.domain.workload import WorkloadFile
from optimizer.errors import InputError, Problem
from optimizer.review.agreed import Contract, read_contract
from optimizer.review.bill import Bill
from optimizer.review.commitments import DEFAULT_DAYS_AHEAD
from optimizer.review.machines import FindGpu, KnownMachine, MachineFinder, gpus_of, read_aliases
from optimizer.review.mapping import load_mapping
from optimizer.review.read import Scope, read_bill
from optimizer.review.review import Basis, Review, review_bill
from optimizer.review.state import identity, load_records, with_record
from optimizer.review.tags import TEAM_KEYS, WORKLOAD_KEYS, TagKeys

if TYPE_CHECKING:
    from optimizer.catalog import Catalog


@dataclass(frozen=True)
class ReviewOptions:
    """What the user asked for; every field but `bills` may be left out."""

    bills: Sequence[str]
    plan: Path | None = None
    contract: Path | None = None
    month: str | None = None
    start: date | None = None
    end: date | None = None
    zone: str | None = None
    mappings: Sequence[Path] = ()
    aliases: Path | None = None
    quotes: Path | None = None
    catalog: Path | None = None
    budget: str | None = None
    as_of: date | None = None
    team_tags: Sequence[str] = ()
    workload_tags: Sequence[str] = ()
    days_ahead: int = DEFAULT_DAYS_AHEAD
    state: Path | None = None


def run_review(options: ReviewOptions) -> Review:
    """Read the bills and hold them against everything that is known.

    Raises:
        InputError: bills, mapping, plan, quotes or options are wrong; every problem of one file at once.
    """
    from optimizer.catalog import load_catalog

    plan = None if options.plan is None else read_plan(options.plan)
    contract = None if options.contract is None else read_contract(options.contract)
    scope = scope_of(options)
    catalog = load_catalog(options.catalog)
    finder = MachineFinder(
        catalog.offers(),
        catalog.find_gpu,
        () if options.aliases is None else read_aliases(options.aliases),
        [*_planned(plan), *_quoted(options.quotes, catalog), *_agreed(contract, catalog.find_gpu)],
    )
    bill = read_bill(options.bills, finder, scope, [load_mapping(path) for path in options.mappings])
    as_of = options.as_of or bill.end
    offers = catalog.offers()
    if options.quotes is not None:
        from optimizer.catalog.quotes import read_quotes

        offers = read_quotes(options.quotes, offers, as_of, catalog)
    basis = Basis(
        offers=offers,
        rates=catalog.rates(as_of, {} if plan is None else _plan_rates(plan)),
        gpu_of=catalog.gpus.get,
        server_of=lambda name: None if (server := catalog.server(name)) is None else server.offer,
        plan=plan,
        contract=contract,
        budget=parse_budget_option(options.budget, bill, plan),
        tags=TagKeys(options.team_tags or TEAM_KEYS, options.workload_tags or WORKLOAD_KEYS),
        days_ahead=options.days_ahead,
        records=() if options.state is None else tuple(load_records(options.state, identity(bill))),
    )
    return review_bill(bill, basis)


def _planned(plan: Plan | None) -> Iterator[KnownMachine]:
    """The machines of a plan's offers."""
    for offer in () if plan is None else plan.offers:
        machine = offer.machine
        yield KnownMachine(offer.provider, machine.instance_type, machine.gpu_model, gpus_of(machine))


def _quoted(path: Path | None, catalog: "Catalog") -> Iterator[KnownMachine]:
    """The machines that lines of quotes describe, whichever day they hold; what is wrong in them is said later."""
    from optimizer.catalog.quote_lines import read_lines

    for line in () if path is None else read_lines(path, []):
        model = catalog.find_gpu(line["gpu_model"], line["provider"]) if line["gpu_model"] else None
        count = line.positive("gpu_count") if model is not None else None
        if model is not None and count is not None:
            yield KnownMachine(line["provider"], line["instance_type"], model, count)


def _agreed(contract: Contract | None, find_gpu: FindGpu) -> Iterator[KnownMachine]:
    """The machines of a contract whose GPUs it states by a name that the catalog has."""
    for item in () if contract is None else contract.agreed:
        model = None if item.gpu_model is None else find_gpu(item.gpu_model)
        if model is not None and item.gpus is not None:
            yield KnownMachine(item.provider, item.instance_type, model, item.gpus)


def remember(review: Review, path: Path) -> None:
    """Write this review's record into the memory of reviews, in one step.

    Raises:
        InputError: the file cannot be written, or is not ours.
    """
    from optimizer.files import write_atomically

    content = with_record(path, identity(review.bill), review.record)
    if path.exists() and path.read_bytes() == content:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            Problem(str(path.parent), "", error.strerror or str(error), "a folder that can be made")
        ) from error
    write_atomically(path, content)


def scope_of(options: ReviewOptions) -> Scope:
    """What is under review.

    Raises:
        InputError: a month and days at once, only one end, or an end that is not after the start.
    """
    days = (options.start, options.end)
    if options.month is not None and any(days):
        raise InputError(Problem("--month", "", "--month with --from or --to", "either a month or days"))
    if any(days) and not all(days):
        raise InputError(
            Problem("--from, --to", "", "one of the two", "both: from the first day to the day after the last")
        )
    if options.start is not None and options.end is not None and options.end <= options.start:
        expected = f"a day after {options.start}: --to is the first day left out"
        raise InputError(Problem("--to", "", options.end.isoformat(), expected))
    return Scope(parse_month(options.month), checked_zone(options.zone), options.start, options.end)


def parse_month(text: str | None) -> date | None:
    """`2026-11` as its first day.

    Raises:
        InputError: no month.
    """
    if text is None:
        return None
    try:
        year, month = text.split("-")
        return date(int(year), int(month), 1)
    except ValueError as error:
        raise InputError(Problem("--month", "", repr(text), "a month such as 2026-11")) from error


def checked_zone(name: str | None) -> str | None:
    """A zone name that exists.

    Raises:
        InputError: no such zone.
    """
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    if name is None:
        return None
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise InputError(Problem("--zone", "", repr(name), "a zone name such as Asia/Shanghai or UTC")) from error
    return name


#: An amount with its currency before or behind it; 万 and 亿 as in 40万元.
_AMOUNT = re.compile(r"\s*([^\d\s.]*)\s*([0-9]+(?:\.[0-9]+)?)\s*([万亿]?)\s*([^\d\s.]*)\s*")
_MYRIADS = {"": Decimal(1), "万": Decimal(10_000), "亿": Decimal(100_000_000)}


def parse_amount(text: str, currency: str | None, option: str) -> tuple[Decimal, str]:
    """`400000`, `400000CNY`, `CNY 400000` or `40万元`; a bare number is in `currency`.

    Raises:
        InputError: no amount, or no currency to take it in.
    """
    found = _AMOUNT.fullmatch(text)
    named = "" if found is None else found[1] or found[4]
    code = named if re.fullmatch("[A-Z]{3}", named) and named not in CURRENCY_NAMES else currency_meant(named)
    if found is None or (found[1] and found[4]) or (named and code is None):
        raise InputError(Problem(option, "", repr(text), "an amount such as 400000, 400000CNY or CNY 400000"))
    stated = code or currency
    if stated is None:
        expected = "an amount with its currency, since the bill has several"
        raise InputError(Problem(option, "", repr(text), expected, None, f"Write {text}USD."))
    return Decimal(found[2]) * _MYRIADS[found[3]], stated


def parse_budget_option(text: str | None, bill: Bill, plan: Plan | None) -> tuple[Decimal, str] | None:
    """The budget of the command line, in the plan's currency or the bill's only one."""
    if text is None:
        return None
    only = bill.currencies[0] if len(bill.currencies) == 1 else None
    return parse_amount(text, plan.currency if plan is not None else only, "--budget")


def exceeds(review: Review, limit: str) -> Text | None:
    """Whether the bill is over a limit: a sentence for stderr, or `None`.

    Raises:
        InputError: no amount, or a currency that the bill does not have.
    """
    currencies = review.bill.currencies
    amount, currency = parse_amount(limit, currencies[0] if len(currencies) == 1 else None, "--fail-over")
    total = next((item for item in review.bill.totals if item.currency == currency), None)
    if total is None:
        have = ", ".join(currencies)
        raise InputError(Problem("--fail-over", "", currency, f"a currency of the bill: {have}"))
    if total.billed <= amount:
        return None
    billed, most = f"{total.billed:,.2f} {currency}", f"{amount:,.2f} {currency}"
    return Text(f"billed {billed} is over {most}", f"账单 {billed} 超过 {most}")


def _plan_rates(plan: Plan) -> dict[str, Decimal]:
    return {f"USD{item.currency}": item.units_per_usd for item in plan.fx if item.currency != "USD"}


def replan(review: Review, options: ReviewOptions) -> Plan:
    """Plan the hours that ran once more, over the whole catalog, as jobs of GPU hours within the period.

    Each team's and workload's hours on one GPU model are a job; it keeps as many GPUs as the smallest machine had that
    it ran on. What the plan given had of owned machines, quotas and tax counts again; its workloads do not.

    Raises:
        InputError: no GPU hours ran, or the plan's workload file does not hold any more.
        NoPlanInTime: no plan was found in time.
    """
    from optimizer.app.plan import plan_file
    from optimizer.catalog import load_catalog
    from optimizer.planning.case import PlanOptions

    before = None if options.plan is None else read_plan(options.plan)
    file = workload_of(review, before, TagKeys(options.team_tags or TEAM_KEYS, options.workload_tags or WORKLOAD_KEYS))
    as_of = options.as_of or review.bill.end
    return plan_file(file, load_catalog(options.catalog), PlanOptions(as_of=as_of, extras=False), "hours of the bill")


def workload_of(review: Review, before: Plan | None, tags: TagKeys) -> WorkloadFile:
    """The hours that ran as a workload file.

    Raises:
        InputError: no GPU hours ran.
    """
    bill = review.bill
    days = (bill.end - bill.start).days
    amounts: dict[tuple[str, str, str], Decimal] = {}
    least: dict[tuple[str, str, str], int] = {}
    for cell in bill.cells:
        if cell.gpu_hours and cell.machine.gpu_model is not None:
            key = (tags.team_of(cell.tags) or "", tags.workload_of(cell.tags) or "", cell.machine.gpu_model)
            amounts[key] = amounts.get(key, Decimal(0)) + cell.gpu_hours
            gpus = 1 if cell.machine.per_gpu or cell.machine.gpus is None else max(1, int(cell.machine.gpus))
            least[key] = min(least.get(key, gpus), gpus)
    jobs: list[dict[str, object]] = [
        {
            "name": " ".join(part for part in (workload or team or "untagged", gpu) if part),
            "team": team or None,
            "gpu_hours": {"gpu": gpu, "hours": float(amount)},
            "deadline_days": days,
            "max_nodes": max(16, -(-int(amount) // (HOURS_PER_DAY * days))),
            "min_gpus": least[team, workload, gpu],
        }
        for (team, workload, gpu), amount in sorted(amounts.items())
        if amount > 0
    ]
    if not jobs:
        raise InputError(Problem("--replan", "", "no GPU hours in the bill", "GPU hours to plan"))
    kept = {} if before is None else {name: before.inputs[name] for name in _KEPT if name in before.inputs}
    currency = before.currency if before is not None else bill.currencies[0]
    # The machines ran: without a plan no rule may say that they could not.
    kept.setdefault("profile", "off")
    content = {**kept, "currency": currency, "start": bill.start, "workloads": _named_apart(jobs)}
    return WorkloadFile.model_validate(content)


#: What a re-made plan takes over from the plan before.
_KEPT = ("owned", "quotas", "tax", "fx", "profile", "rules", "commitments")


def split_up(review: Review, plan: Plan) -> list[str]:
    """Machines of a re-made plan with fewer GPUs than every machine had that ran: work may not run across them."""
    least: dict[str, Decimal] = {}
    for cell in review.bill.cells:
        machine = cell.machine
        if cell.gpu_hours and machine.gpu_model is not None and machine.gpus is not None:
            least[machine.gpu_model] = min(least.get(machine.gpu_model, machine.gpus), machine.gpus)
    used = {(item.provider, item.region, item.instance_type) for item in plan.purchases if item.kind == "machine"}
    return sorted(
        f"{offer.key} ({offer.machine.gpu_count} x {offer.machine.gpu_model})"
        for offer in plan.offers
        if (offer.provider, offer.region, offer.machine.instance_type) in used
        and offer.machine.gpu_count < least.get(offer.machine.gpu_model, Decimal(0))
    )


def _named_apart(jobs: list[dict[str, object]]) -> list[dict[str, object]]:
    """Jobs of different teams with one name get the team's name too."""
    names = [job["name"] for job in jobs]
    return [
        {**job, "name": f"{job['team'] or 'no team'} {job['name']}"} if names.count(job["name"]) > 1 else job
        for job in jobs
    ]
