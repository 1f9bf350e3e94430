"""What changed: against the last review of the same period, and prices against the month before."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from itertools import pairwise

from optimizer.domain.text import Text
from optimizer.review.bill import Bill
from optimizer.review.finding import ReviewFinding, filled, money, price
from optimizer.review.prices import AN_HOUR, Place, PriceRow, place_of, steps_of
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
    "{subject}: {unit} costs {now} instead of {before} in the month before ({change}).",
    "{subject}：{unit} {now}，上月为 {before}（{change}）。",
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


@dataclass(frozen=True, slots=True)
class _Rate:
    """What a machine cost in one month: money, and the hours (or months of rent) that it bought."""

    cost: Decimal
    bought: Decimal
    unit: Text = AN_HOUR

    @property
    def price(self) -> Decimal:
        return self.cost / self.bought


def price_changes(rows: Iterable[PriceRow], before: Record | None, bill: Bill) -> Iterator[ReviewFinding]:
    """Machines whose hour (of a rent: whose month) costs more or less than in the month before.

    The month before is the review remembered, else the first months inside a bill of several months.
    """
    by_place = {place_of(row): row for row in rows}
    for row in by_place.values():
        old = before.prices.get(row.rate_key) if before is not None else None
        if old is not None and row.paid is not None:
            now = _Rate(row.effective, row.steps or row.hours, row.step or AN_HOUR)
            yield from _price_change(row.subject, old, now, row.currency)
    for place, months in _rates(bill, by_place).items():
        for (_, earlier), (month, later) in pairwise(sorted(months.items())):
            row = by_place[place]
            yield from _price_change(row.subject, earlier.price, later, row.currency, f"/{month:%Y-%m}")


def _price_change(subject: str, old: Decimal, now: _Rate, currency: str, month: str = "") -> Iterator[ReviewFinding]:
    new = now.price
    if old <= 0 or abs(new / old - 1) <= TOLERANCE:
        return
    shown = price if now.unit is AN_HOUR else money
    values = {"subject": subject, "now": shown(new, currency), "before": shown(old, currency)}
    values["change"] = f"{(new / old - 1) * 100:+.1f} %"
    text = Text(PRICE.en.format(unit=now.unit.en, **values), PRICE.zh.format(unit=now.unit.zh, **values))
    saving = (new - old) * now.bought if new > old else None
    yield ReviewFinding("price-change", "warning" if new > old else "note", text, subject + month, saving, currency)


def _rates(bill: Bill, rows: Mapping[Place, PriceRow]) -> dict[Place, dict[date, _Rate]]:
    """What the machine of each row cost in each month of use."""
    rented: dict[tuple[Place, date], Decimal] = {}
    for rent in bill.rents:
        key = place_of(rent), rent.month
        rented[key] = rented.get(key, Decimal(0)) + steps_of(rent)
    costs: dict[Place, dict[date, _Rate]] = {}
    for cell in bill.cells:
        cost, row = bill.hourly_cost(cell), rows.get(place_of(cell))
        if row is None or not cell.is_run or not cell.machine_hours or cost is None:
            continue
        months, rent_steps = costs.setdefault(place_of(cell), {}), rented.get((place_of(cell), cell.month))
        so_far = months.get(cell.month, _Rate(Decimal(0), rent_steps or Decimal(0), row.step or AN_HOUR))
        bought = so_far.bought if rent_steps else so_far.bought + cell.machine_hours
        months[cell.month] = replace(so_far, cost=so_far.cost + cost, bought=bought)
    return costs
