"""Commitments and capacity reservations: how far they were used, what was wasted, what ends soon."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal

from optimizer.domain.text import Text
from optimizer.review.bill import ZERO, Bill
from optimizer.review.finding import ReviewFinding, filled, hours, money, percent
from optimizer.review.groups import GpuRow

DEFAULT_DAYS_AHEAD = 60

WASTE = Text(
    "Commitment {id} ({type}) was used {share}: {waste} of it was paid for and not used.",
    "承诺 {id}（{type}）使用率 {share}：其中 {waste} 已付费未使用。",
)
IDLE = Text(
    "Capacity reservation {id} stood idle for {amount}{hours}.",
    "容量预留 {id} 空置，花费 {amount}{hours}。",
)
IDLE_MACHINE = Text(
    "{machine} in {region} was reserved and not run for {amount}.",
    "{region} 的 {machine} 已预留未运行，花费 {amount}。",
)
ENDS = Text(
    "{what} ends on {day}, {days} days after this period: renew, replace or let it go by plan.",
    "{what} 于 {day} 到期（本期结束后 {days} 天）：请有计划地续约、更换或终止。",
)
_IDLE_HOURS = Text(" ({hours} hours)", "（{hours} 小时）")


@dataclass(frozen=True, slots=True)
class Utilization:
    """One commitment in one currency: what its used and unused hours cost in accrual; `ends` where the bill says it."""

    id: str
    type: str
    provider: str
    currency: str
    used: Decimal
    unused: Decimal
    paid: Decimal
    used_quantity: Decimal | None
    unused_quantity: Decimal | None
    ends: date | None

    @property
    def share(self) -> Decimal | None:
        """Used over used and unused; `None` when the bill shows neither."""
        whole = self.used + self.unused
        return self.used / whole if whole else None


@dataclass(frozen=True, slots=True)
class Ending:
    """Something paid ahead that ends: what it is and the first day without it; `words` where it has a name in words."""

    what: str
    day: date
    words: Text | None = None


def utilizations(bill: Bill) -> tuple[Utilization, ...]:
    """Every commitment of the bill, by provider and id."""
    found: dict[tuple[str, str, str], Utilization] = {}
    for row in bill.commitments:
        key = (row.provider, row.id, row.currency)
        known = found.get(key) or Utilization(
            row.id, row.type, row.provider, row.currency, ZERO, ZERO, ZERO, None, None, None
        )
        amount = row.effective or ZERO
        if row.is_payment:
            ends = row.ends.date() if row.ends else row.end.date() if (row.end - row.start).days >= 28 else None
            known = replace(known, paid=known.paid + row.billed, ends=ends or known.ends)
        elif row.status == "unused":
            quantity = _plus(known.unused_quantity, row.quantity)
            # AWS CUR bills the fee of a commitment on the line that says how much of it was not used.
            known = replace(known, unused=known.unused + amount, unused_quantity=quantity, paid=known.paid + row.billed)
        elif row.category == "usage":
            known = replace(known, used=known.used + amount, used_quantity=_plus(known.used_quantity, row.quantity))
        if row.ends is not None and not row.is_payment:
            known = replace(known, ends=row.ends.date())
        found[key] = replace(known, type=known.type or row.type)
    return tuple(found[key] for key in sorted(found))


def _plus(first: Decimal | None, second: Decimal | None) -> Decimal | None:
    return second if first is None else first if second is None else first + second


def commitment_findings(
    bill: Bill, rows: Iterable[GpuRow], endings: Iterable[Ending] = (), days_ahead: int = DEFAULT_DAYS_AHEAD
) -> Iterator[ReviewFinding]:
    """Waste, idle capacity, and what ends within `days_ahead` days after the period."""
    found = utilizations(bill)
    for item in found:
        if item.unused > 0:
            share = "-" if item.share is None else percent(item.used, item.used + item.unused)
            text = filled(
                WASTE, id=item.id, type=item.type or "-", share=share, waste=money(item.unused, item.currency)
            )
            yield ReviewFinding("commitment-waste", "saving", text, item.id, item.unused, item.currency)
    yield from _idle(bill, rows)
    own = [Ending(item.id, item.ends) for item in found if item.ends is not None]
    yield from _endings([*own, *endings], bill.end, days_ahead)


def _idle(bill: Bill, rows: Iterable[GpuRow]) -> Iterator[ReviewFinding]:
    idle: dict[tuple[str, str], tuple[Decimal, Decimal | None]] = {}
    for row in bill.reservations:
        if row.status == "unused":
            cost, quantity = idle.get((row.id, row.currency), (ZERO, None))
            idle[row.id, row.currency] = (cost + (row.effective or ZERO), _plus(quantity, row.quantity))
    for (reservation, currency), (cost, quantity) in sorted(idle.items()):
        known = Text("", "") if quantity is None else filled(_IDLE_HOURS, hours=hours(quantity))
        amount = money(cost, currency)
        text = Text(
            IDLE.en.format(id=reservation, amount=amount, hours=known.en),
            IDLE.zh.format(id=reservation, amount=amount, hours=known.zh),
        )
        yield ReviewFinding("idle-reservation", "saving", text, reservation, cost, currency)
    for gpu in rows:
        if gpu.machine.idle and gpu.effective is not None and gpu.effective > 0:
            name = gpu.machine.instance_type
            text = filled(
                IDLE_MACHINE, machine=name, region=gpu.region or "-", amount=money(gpu.effective, gpu.currency)
            )
            subject = f"{gpu.machine.provider}/{gpu.region}/{name}"
            yield ReviewFinding("idle-machine", "saving", text, subject, gpu.effective, gpu.currency)


def _endings(endings: Iterable[Ending], period_end: date, days_ahead: int) -> Iterator[ReviewFinding]:
    horizon = period_end + timedelta(days=days_ahead)
    for ending in sorted(dict.fromkeys(endings), key=lambda item: (item.day, item.what)):
        if period_end <= ending.day <= horizon:
            days = (ending.day - period_end).days
            name = ending.words or Text(ending.what, ending.what)
            values = {"day": ending.day.isoformat(), "days": days}
            text = Text(ENDS.en.format(what=name.en, **values), ENDS.zh.format(what=name.zh, **values))
            yield ReviewFinding("commitment-ends", "warning", text, ending.what)
