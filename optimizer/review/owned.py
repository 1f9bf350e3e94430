"""Hours that should have run on machines of one's own: the plan's purchase offers held against the hours that ran."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from optimizer.domain.offer import Offer
from optimizer.domain.plan import Plan
from optimizer.domain.text import Text
from optimizer.domain.units import DAYS_PER_YEAR, HOURS_PER_DAY, MONTHS_PER_YEAR
from optimizer.domain.workload import MayBuy, OwnedSpec
from optimizer.review.bill import Bill
from optimizer.review.finding import ReviewFinding, filled, hours, money
from optimizer.review.levels import levels_between
from optimizer.review.offers import PriceBook
from optimizer.review.prices import PriceRow
from optimizer.review.terms import best_mix, levels_of, whole_month

#: How long a machine is assumed to serve (ours; D1 and D4 speak of three years).
SERVICE_MONTHS = 36

OWNED = Text(
    "If {months} months are like this one, {units} of {machines} {machine} in {region} belong on own {server}: "
    "{monthly} a month each and {running} an hour of use, instead of {paid} an hour.",
    "若 {months} 个月都与本期相同，{region} 的 {machines} 台 {machine} 中应有 {units} 台改为自有 {server}："
    "每台每月 {monthly}、每运行小时 {running}，而非每小时 {paid}。",
)
COUNTED = Text(
    "price less residual over {months} months, colocation, maintenance, staff, network and idle energy each month; "
    "site power and lead time not checked",
    "按 {months} 个月摊销（扣残值），每月含托管、维护、人员、网络与空载电费；未核对机房功率与到货期",
)
EVEN = Text("break-even at {hours} hours a month", "每月 {hours} 小时盈亏平衡")
PROOF = Text(
    "{before} by the hour, {after} with {units} owned; each machine at the lower of the two, so no mix is cheaper",
    "全按小时 {before}，{units} 台自有后 {after}；每台取两者较低，任何组合都不会更低",
)


@dataclass(frozen=True, slots=True)
class OwnedCost:
    """One owned machine: fixed cost a month and energy of one running hour, in the plan's currency."""

    monthly: Decimal
    running_hour: Decimal


def owned_cost(record: MayBuy, site: OwnedSpec) -> OwnedCost | None:
    """Cost by the accounting rules of plans, spread evenly over SERVICE_MONTHS; `None` without an energy price."""
    from optimizer.planning.owned import residual_share

    if site.electricity_per_kwh is None:
        return None
    days = round(SERVICE_MONTHS * DAYS_PER_YEAR / MONTHS_PER_YEAR)
    share = residual_share(record.residual_by_month, days)
    kept = Decimal(share.numerator) / share.denominator
    energy = Decimal(str(site.pue)) * site.electricity_per_kwh
    idle, load = Decimal(str(record.idle_kw)), Decimal(str(record.load_kw))
    idle_hours = Decimal(HOURS_PER_DAY * DAYS_PER_YEAR) / MONTHS_PER_YEAR
    monthly = (
        (record.price * (1 - kept) + record.network_per_node) / SERVICE_MONTHS
        + record.colocation_per_kw_month * load
        + record.price * Decimal(str(record.maintenance_fraction_year)) / MONTHS_PER_YEAR
        + record.staff_per_month
        + idle * idle_hours * energy
    )
    return OwnedCost(monthly, (load - idle) * energy)


def owned_findings(
    bill: Bill,
    rows: Iterable[PriceRow],
    plan: Plan | None,
    book: PriceBook,
    server_of: Callable[[str], Offer | None],
) -> Iterator[ReviewFinding]:
    """Needs a plan whose workload file says what may be bought, and a whole month of hours."""
    if plan is None or not plan.inputs.get("owned") or whole_month(bill) is None:
        return
    site = OwnedSpec.model_validate(plan.inputs["owned"])
    for record in site.may_buy:
        server = server_of(record.server)
        cost = owned_cost(record, site)
        if server is None or cost is None or (record.currency or plan.currency) != plan.currency:
            continue
        for row in rows:
            if _is_equal(row, server) and row.currency == plan.currency and row.paid is not None:
                yield from _finding(bill, row, row.paid, record, cost)


def _is_equal(row: PriceRow, server: Offer) -> bool:
    machine = server.machine
    same = (row.machine.gpu_model, row.machine.gpus) == (machine.gpu_model, Decimal(machine.gpu_count))
    return row.term == "on_demand" and same


def _finding(bill: Bill, row: PriceRow, paid: Decimal, record: MayBuy, cost: OwnedCost) -> Iterator[ReviewFinding]:
    used = levels_between(levels_of(bill, row))
    mix = best_mix(used, paid - cost.running_hour, cost.monthly)
    if not mix.units:
        return
    energy = sum(used, Decimal(0)) * cost.running_hour
    text = filled(
        OWNED,
        months=SERVICE_MONTHS,
        units=mix.units,
        machines=len(used),
        machine=row.machine.instance_type,
        region=row.region or "-",
        server=record.name or record.server,
        monthly=money(cost.monthly, row.currency),
        running=money(cost.running_hour, row.currency),
        paid=money(paid, row.currency),
    )
    proof = filled(
        PROOF,
        before=money(mix.before + energy, row.currency),
        after=money(mix.after + energy, row.currency),
        units=mix.units,
    )
    even = hours(cost.monthly / (paid - cost.running_hour))
    details = (filled(COUNTED, months=SERVICE_MONTHS), filled(EVEN, hours=even))
    subject = f"{row.subject}/{record.server}"
    yield ReviewFinding("owned", "saving", text, subject, mix.saving, row.currency, details, proof)
