"""What changed: against the last review of the same period, and prices against the month before."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import pairwise

from optimizer.domain.text import Text
from optimizer.review.bill import Bill
from optimizer.review.finding import ReviewFinding, filled, money, price
from optimizer.review.prices import PriceRow
from optimizer.review.state import Record

#: Price changes up to this share are rounding, not changes (ours).
TOLERANCE = Decimal("0.005")

SAME = Text("Nothing changed since the last review of this period.", "与上次对本期的核查相比没有变化。")
TOTAL = Text(
    "Since the last review of this period: billed {now} instead of {before} ({change}).",
    "与上次对本期的核查相比：账单 {now}，上次 {before}（{change}）。",
)
NEW = Text("new: {finding}", "新增：{finding}")
GONE = Text("gone: {finding}", "消失：{finding}")
MOVED = Text("changed: {finding}: saving {now} instead of {before}", "变化：{finding}：节省 {now}，上次 {before}")
OTHER = Text(
    "The bill changed in other places; totals and findings are the same.", "账单其他内容有变；合计与发现相同。"
)
PRICE = Text(
    "{subject}: an hour costs {now} instead of {before} in the month before ({change}).",
    "{subject}：每小时 {now}，上月为 {before}（{change}）。",
)


def same_period(records: Iterable[Record], now: Record) -> Record | None:
    """The last review of this very period."""
    return next((item for item in records if (item.start, item.end) == (now.start, now.end)), None)


def month_before(records: Iterable[Record], now: Record) -> Record | None:
    """The review of the period that ended where this one starts."""
    return next((item for item in reversed(list(records)) if item.end == now.start), None)


def changes(before: Record | None, now: Record) -> tuple[Text, ...]:
    """Sentences about the differences; empty on the first review of a period."""
    if before is None:
        return ()
    if before.digest == now.digest:
        return (SAME,)
    said = [*_totals(before, now), *_findings(before, now)]
    return tuple(said) or (OTHER,)


def _totals(before: Record, now: Record) -> Iterator[Text]:
    for currency in sorted({*before.billed, *now.billed}):
        old, new = before.billed.get(currency, Decimal(0)), now.billed.get(currency, Decimal(0))
        if old != new:
            values = {"now": money(new, currency), "before": money(old, currency)}
            yield filled(TOTAL, **values, change=_signed(new - old, currency))


def _findings(before: Record, now: Record) -> Iterator[Text]:
    for key in sorted(now.findings.keys() - before.findings.keys()):
        yield filled(NEW, finding=key)
    for key in sorted(before.findings.keys() - now.findings.keys()):
        yield filled(GONE, finding=key)
    for key in sorted(now.findings.keys() & before.findings.keys()):
        old, new = before.findings[key], now.findings[key]
        if old != new:
            yield filled(MOVED, finding=key, now=_plain(new), before=_plain(old))


def _plain(amount: Decimal | None) -> str:
    return "-" if amount is None else f"{amount:,.2f}"


def _signed(amount: Decimal, currency: str) -> str:
    return f"{'+' if amount > 0 else ''}{money(amount, currency)}"


def price_changes(rows: Iterable[PriceRow], before: Record | None, bill: Bill) -> Iterator[ReviewFinding]:
    """Machines whose hour costs more or less than in the month before.

    The month before is the review remembered, else the first months inside a bill of several months.
    """
    for row in rows:
        if row.paid is None:
            continue
        old = before.prices.get(f"{row.subject} {row.currency}") if before is not None else None
        if old is not None:
            yield from _price_change(row.subject, old, row.paid, row.hours, row.currency)
    yield from _inside(bill)


def _price_change(
    subject: str, old: Decimal, new: Decimal, run: Decimal, currency: str, month: str = ""
) -> Iterator[ReviewFinding]:
    if old <= 0 or abs(new / old - 1) <= TOLERANCE:
        return
    change = f"{(new / old - 1) * 100:+.1f} %"
    text = filled(PRICE, subject=subject, now=price(new, currency), before=price(old, currency), change=change)
    saving = (new - old) * run if new > old else None
    yield ReviewFinding("price-change", "warning" if new > old else "note", text, subject + month, saving, currency)


def _inside(bill: Bill) -> Iterator[ReviewFinding]:
    sums: dict[tuple[str, str], dict[str, list[Decimal]]] = {}
    for cell in bill.cells:
        cost = bill.hourly_cost(cell)
        if cell.is_run and cell.machine_hours and cost is not None and not cell.machine.per_gpu:
            machine = cell.machine
            key = (f"{machine.provider}/{cell.region}/{machine.instance_type}/{cell.term}", cell.currency)
            pair = sums.setdefault(key, {}).setdefault(f"{cell.month:%Y-%m}", [Decimal(0), Decimal(0)])
            pair[0] += cost
            pair[1] += cell.machine_hours
    for (subject, currency), months in sorted(sums.items()):
        listed = sorted(months)
        for first, second in pairwise(listed):
            old, new = (months[month][0] / months[month][1] for month in (first, second))
            yield from _price_change(subject, old, new, months[second][1], currency, f"/{second}")
