"""What is wrong with the bill itself: lines twice, unknown costs, corrections, charges without an owner."""

from collections.abc import Iterator
from decimal import Decimal

from optimizer.domain.text import Text
from optimizer.review.bill import HOURLY_TERMS, ZERO, Bill, Totals
from optimizer.review.files import Unread
from optimizer.review.finding import ReviewFinding, filled, money
from optimizer.review.groups import GpuRow

UNREAD = Text(
    "Lines that could not be read and are in no sum: {count} ({reasons}).",
    "{count} 行无法读取，未计入任何合计：{reasons}。",
)
DUPLICATES = Text(
    "Lines that stand in the bill more than once: {lines}, in groups: {groups}. "
    "Billed {total} with them, {without} without.",
    "账单中有 {lines} 行重复（{groups} 组）。含重复 {total}，去重后 {without}。",
)
PAYMENTS = Text(
    "Payments for commitments carry an effective cost of {amount}; it counts as 0, since the covered hours carry it.",
    "承诺类付款自带分摊成本 {amount}；按 0 计，因为它已分摊到所覆盖的用量。",
)
CONTRACTED_UNKNOWN = Text(
    "Lines without a contracted cost: {count} (with a list cost above 0: {doubtful}); "
    "the saving against list price is unknown.",
    "{count} 行没有合同价成本（其中 {doubtful} 行目录价大于 0）：相对目录价的节省未知。",
)
EFFECTIVE_UNKNOWN = Text(
    "Lines without an effective cost: {count}; the accrual total holds only the others.",
    "{count} 行没有摊销成本；权责口径合计只含其余行。",
)
EFFECTIVE_ROUNDED = Text(
    "The effective costs of {provider} are whole numbers ({effective} where {billed} was billed by the hour): "
    "sums by accrual are as the bill says, prices of an hour are taken from what was billed.",
    "{provider} 的摊销成本都是整数（按小时账单 {billed}，摊销却为 {effective}）："
    "权责合计按账单所列，小时单价取账单金额。",
)
COMMITTED_AS_STANDARD = Text(
    "Lines that name a commitment but are priced as standard: {count}; they count as committed.",
    "{count} 行带有承诺编号却标为标准价；按承诺用量计。",
)
HOURS_UNKNOWN = Text(
    "{machine} in {region}: lines that state no hours: {count}; its hours and price per hour leave them out.",
    "{region} 的 {machine}：{count} 行没有时长；时长与单价均不含这些行。",
)
MACHINE_UNKNOWN = Text(
    "{machine} ({provider}) looks like a GPU machine that no offer knows: {amount} billed. Name it in --aliases.",
    "{machine}（{provider}）像是 GPU 机型，但目录中没有：账单 {amount}。请在 --aliases 中指明。",
)
HOST_APART = Text(
    "{machine} in {region} is billed per GPU; its cores and memory are other lines, so its price is not compared.",
    "{region} 的 {machine} 按 GPU 计费；其 CPU 与内存在别的行，因此不比较单价。",
)
CORRECTIONS = Text(
    "Corrections of closed months: {count}, {amount} in all. They belong to this bill; "
    "the closed bills stay as they were.",
    "{count} 行对已关账月份的更正，合计 {amount}。它们属于本账单，已关账单不变。",
)
CORRECTION_LINE = Text("{resource}, {month}: {amount}", "{resource}，{month}：{amount}")
SHARED = Text(
    "{amount} has no account of its own (reservations, plans, support): shown as shared, and part of every total.",
    "{amount} 没有归属账号（预留、节省计划、支持费）：列为共享，并计入各合计。",
)
ZONES = Text(
    "The bills keep different clocks ({zones}); days and months here are those of {zone}. Change with --zone.",
    "各账单时区不同（{zones}）；本报告的日与月按 {zone}。可用 --zone 更改。",
)
MORE_THAN_TIME = Text(
    "{machine} in {region}: {count} resources have more hours than their charge period has; lines may be double.",
    "{region} 的 {machine}：{count} 个资源的时长超过计费时段；可能有重复行。",
)

ROW = Text(", row {row}", " 第 {row} 行")
REASONS = {
    "amount": Text("the amount is no number", "金额不是数字"),
    "no amount": Text("no amount", "没有金额"),
    "no currency": Text("no currency", "没有币种"),
    "effective cost": Text("the effective cost is no number", "摊销成本不是数字"),
    "quantity": Text("the quantity is no number", "用量不是数字"),
    "time": Text("no time, or none that can be read", "没有时间或无法识别"),
    "missing columns": Text("too few columns", "列数不足"),
    "too many columns": Text("too many columns", "列数过多"),
    "unquoted value": Text("text after a closing quote", "引号后还有文字"),
    "invalid encoding": Text("bytes that are not UTF-8", "不是 UTF-8 的字节"),
}


def quality_findings(bill: Bill, rows: tuple[GpuRow, ...]) -> Iterator[ReviewFinding]:
    """Everything a reader must know of the bill before trusting a sum."""
    yield from _unread(bill)
    yield from _duplicates(bill)
    has_contracted = any(source["format"] == "focus" for source in bill.sources)
    for total in bill.totals:
        yield from _columns(total, has_contracted=has_contracted or total.contracted_unknown < total.lines)
    yield from _rounded(bill)
    yield from _machines(rows)
    yield from _too_long(bill)
    yield from _corrections(bill)
    yield from _shared(bill)
    if bill.mixed_zones:
        text = filled(ZONES, zones=", ".join(bill.mixed_zones), zone=bill.zone)
        yield ReviewFinding("zones", "note", text)


def _unread(bill: Bill) -> Iterator[ReviewFinding]:
    if not bill.unread_count:
        return
    counts = [(REASONS.get(reason, Text(reason, reason)), count) for reason, count in bill.unread_reasons.items()]
    text = Text(
        UNREAD.en.format(
            count=f"{bill.unread_count:,}", reasons=", ".join(f"{why.en} ({count:,})" for why, count in counts)
        ),
        UNREAD.zh.format(
            count=f"{bill.unread_count:,}", reasons="，".join(f"{why.zh}（{count:,}）" for why, count in counts)
        ),
    )
    details = tuple(_where_and_why(item) for item in bill.unread)
    yield ReviewFinding("unread", "warning", text, details=details, unlisted=bill.unread_count - len(details))


def reason_of(item: Unread) -> Text:
    """Why a line was not read, in words."""
    return REASONS.get(item.reason, Text(*(item.reason,) * 2))


def _where_and_why(item: Unread) -> Text:
    place = Text(*("" if item.line is None else f":{item.line}",) * 2)
    if item.row is not None:
        place = filled(ROW, row=item.row)
    reason = reason_of(item)
    return Text(f"{item.file}{place.en}: {reason.en}: {item.text}", f"{item.file}{place.zh}：{reason.zh}：{item.text}")


def _duplicates(bill: Bill) -> Iterator[ReviewFinding]:
    billed = {total.currency: total.billed for total in bill.totals}
    for item in bill.duplicates:
        total = billed[item.currency]
        text = filled(
            DUPLICATES,
            lines=item.lines,
            groups=item.groups,
            total=money(total, item.currency),
            without=money(total - item.billed, item.currency),
        )
        yield ReviewFinding("duplicates", "warning", text, item.currency, item.billed, item.currency)


def _columns(total: Totals, *, has_contracted: bool) -> Iterator[ReviewFinding]:
    paid_twice = total.effective_stated - total.effective
    if paid_twice > 0:
        text = filled(PAYMENTS, amount=money(paid_twice, total.currency))
        yield ReviewFinding("payment-effective", "note", text, total.currency)
    # Formats without such a column say so in the table of totals.
    if has_contracted and (total.contracted_unknown or total.contracted_doubtful):
        count = max(total.contracted_unknown, total.contracted_doubtful)
        text = filled(CONTRACTED_UNKNOWN, count=count, doubtful=total.contracted_doubtful)
        yield ReviewFinding("contracted-unknown", "note", text, total.currency)
    if total.effective_unknown:
        text = filled(EFFECTIVE_UNKNOWN, count=total.effective_unknown)
        yield ReviewFinding("effective-unknown", "warning", text, total.currency)
    if total.committed_as_standard:
        text = filled(COMMITTED_AS_STANDARD, count=total.committed_as_standard)
        yield ReviewFinding("committed-as-standard", "note", text, total.currency)


def _rounded(bill: Bill) -> Iterator[ReviewFinding]:
    for provider, currency in sorted(bill.rounded):
        cells = [
            cell
            for cell in bill.cells
            if (cell.machine.provider, cell.currency) == (provider, currency)
            and cell.is_run
            and cell.term in HOURLY_TERMS
        ]
        text = filled(
            EFFECTIVE_ROUNDED,
            provider=provider,
            effective=money(sum((cell.effective or ZERO for cell in cells), ZERO), currency),
            billed=money(sum((cell.billed for cell in cells), ZERO), currency),
        )
        yield ReviewFinding("effective-rounded", "warning", text, f"{provider}/{currency}")


def _machines(rows: tuple[GpuRow, ...]) -> Iterator[ReviewFinding]:
    for row in rows:
        machine = row.machine
        name = machine.instance_type
        if machine.gpu_model is None or machine.gpus is None:
            text = filled(
                MACHINE_UNKNOWN, machine=name, provider=machine.provider, amount=money(row.billed, row.currency)
            )
            yield ReviewFinding("machine-unknown", "warning", text, f"{machine.provider}/{row.region}/{name}")
        if row.hours_missing:
            text = filled(HOURS_UNKNOWN, machine=name, region=row.region or "-", count=row.hours_missing)
            yield ReviewFinding("hours-unknown", "warning", text, f"{machine.provider}/{row.region}/{name}")
        if machine.per_gpu:
            text = filled(HOST_APART, machine=name, region=row.region or "-")
            yield ReviewFinding("host-apart", "note", text, f"{machine.provider}/{row.region}/{name}")


def _too_long(bill: Bill) -> Iterator[ReviewFinding]:
    counts: dict[tuple[str, str, str], int] = {}
    for item in bill.levels:
        if item.overlong:
            key = (item.machine.provider, item.machine.instance_type, item.region)
            counts[key] = counts.get(key, 0) + item.overlong
    for (provider, name, region), count in sorted(counts.items()):
        text = filled(MORE_THAN_TIME, machine=name, region=region or "-", count=count)
        yield ReviewFinding("more-hours-than-time", "warning", text, f"{provider}/{region}/{name}")


def _corrections(bill: Bill) -> Iterator[ReviewFinding]:
    for currency, (count, billed) in sorted(bill.correction_totals.items()):
        details = tuple(
            filled(
                CORRECTION_LINE,
                resource=item.resource or item.service or "-",
                month=f"{item.month:%Y-%m}",
                amount=money(item.billed, currency),
            )
            for item in bill.corrections
            if item.currency == currency
        )
        text = filled(CORRECTIONS, count=count, amount=money(billed, currency))
        yield ReviewFinding("corrections", "note", text, currency, details=details)


def _shared(bill: Bill) -> Iterator[ReviewFinding]:
    """Charges without a sub-account, in bills where other charges have one (faults.md B81)."""
    named = {(owner.provider, owner.currency) for owner in bill.owners if owner.sub_account}
    shared: dict[str, Decimal] = {}
    for owner in bill.owners:
        if not owner.sub_account and (owner.provider, owner.currency) in named:
            shared[owner.currency] = shared.get(owner.currency, ZERO) + owner.billed
    for currency, amount in sorted(shared.items()):
        if amount:
            text = filled(SHARED, amount=money(amount, currency))
            yield ReviewFinding("shared", "note", text, currency)
