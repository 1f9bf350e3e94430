"""The review as tables of plain values: one content for terminal, Markdown, HTML and Excel."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

from optimizer.domain.text import Language, Text
from optimizer.review.finding import NAMES
from optimizer.review.prices import TERM_NAMES
from optimizer.review.quality import reason_of
from optimizer.review.review import Review

Kind = Literal["text", "money", "price", "hours", "count", "percent", "date"]
Value = str | Decimal | int | date | None
Columns = list[tuple[str, Kind]]
Rows = list[tuple[Value, ...]]
UNKNOWN = "-"
MOST_DETAILS = 3
DIMENSIONS = ("team", "workload", "account", "provider", "term", "tag")


@dataclass(frozen=True, slots=True)
class Column:
    """A column's label and what its values are."""

    label: str
    kind: Kind = "text"
    key: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table; `key` is stable, for sheet names and anchors."""

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    note: str = ""


TITLE = Text("GPU bill review {period}", "GPU 账单核查 {period}")
FOUND = Text(
    "Lines: {lines}, files: {files}, {formats}; days and months on the clock of {zone}; {by}.",
    "共 {lines} 行，{files} 个文件，{formats}；日与月按 {zone}；{by}。",
)
BY = {
    "bill": Text("a month holds the lines billed in it", "按账期归月"),
    "charge": Text(
        "a month holds the lines charged in it, which need not equal an invoice", "按用量时间归月，可能与发票不等"
    ),
}
SAVINGS = Text(
    "Possible savings: {amounts} (the largest for each machine; savings about the same hours overlap).",
    "可省：{amounts}（每种机器取最大一项；同一用量的多项节省不可相加）。",
)
NO_SAVINGS = Text("No saving found.", "未发现可省之处。")
UNREAD = Text("Lines that could not be read: {count}; they are listed below.", "{count} 行无法读取，见下文。")
TWICE = Text(
    "Lines that stand in the bill more than once: {count}; they are in every sum; see the findings.",
    "{count} 行在账单中重复，各合计均已计入；见“发现”。",
)
HEADINGS = {
    "totals": Text("Totals", "合计"),
    "gpu": Text("GPU machines", "GPU 机器"),
    "prices": Text("Price of a GPU hour", "GPU 小时单价"),
    "findings": Text("Findings", "发现"),
    "changes": Text("What changed", "变化"),
    "commitments": Text("Commitments", "承诺与预留"),
    "team": Text("By team", "按团队"),
    "workload": Text("By workload", "按作业"),
    "account": Text("By account", "按账号"),
    "provider": Text("By provider", "按供应商"),
    "term": Text("By term", "按计费方式"),
    "tag": Text("By tag", "按标签"),
    "daily": Text("By day", "按日"),
    "unread": Text("Lines not read", "未读取的行"),
    "corrections": Text("Corrections of closed months", "对已关账月份的更正"),
    "forecast": Text("Budget and forecast", "预算与预测"),
}
_LABELS = {
    "currency": Text("Currency", "币种"),
    "lines": Text("Lines", "行数"),
    "billed": Text("Billed (cash)", "账单（现金）"),
    "effective": Text("Effective (accrual)", "摊销（权责）"),
    "contracted": Text("Contracted", "合同价"),
    "list": Text("List", "目录价"),
    "gpu_billed": Text("of it GPU", "其中 GPU"),
    "gpu_cash": Text("GPU billed (cash)", "GPU 现金"),
    "gpu_accrual": Text("GPU effective", "GPU 权责"),
    "other": Text("not GPU", "非 GPU"),
    "provider": Text("Provider", "供应商"),
    "region": Text("Region", "地域"),
    "type": Text("Type", "机型"),
    "gpu": Text("GPU", "GPU"),
    "gpus": Text("GPUs", "卡数"),
    "machine_hours": Text("Machine hours", "机时"),
    "gpu_hours": Text("GPU hours", "卡时"),
    "term": Text("Term", "计费方式"),
    "paid_gpu": Text("Paid per GPU hour", "实付每卡时"),
    "list_gpu": Text("List", "目录价"),
    "quote_gpu": Text("Quote", "报价"),
    "plan_gpu": Text("Plan", "方案"),
    "cheapest_gpu": Text("Cheapest equal", "同类最低"),
    "where": Text("Where", "何处"),
    "finding": Text("Finding", "发现"),
    "saving": Text("Saving", "可省"),
    "concerned": Text("Amount concerned", "涉及金额"),
    "what": Text("What", "内容"),
    "proof": Text("Proof and source", "依据"),
    "name": Text("Name", "名称"),
    "commitment": Text("Commitment", "承诺"),
    "used": Text("Used", "已用"),
    "unused": Text("Not used", "未用"),
    "share": Text("Utilization", "使用率"),
    "paid": Text("Paid (cash)", "已付（现金）"),
    "ends": Text("Ends", "到期"),
    "day": Text("Day", "日期"),
    "once": Text("of it paid once", "其中一次性"),
    "file": Text("File", "文件"),
    "line": Text("Line or row", "行"),
    "reason": Text("Why", "原因"),
    "text": Text("Text", "原文"),
    "resource": Text("Resource", "资源"),
    "month": Text("Month of use", "用量月份"),
    "budget": Text("Budget", "预算"),
    "spent": Text("Spent", "已花"),
    "expected": Text("Expected", "预计"),
    "low": Text("Low (95 %)", "下限（95%）"),
    "high": Text("High (95 %)", "上限（95%）"),
    "end": Text("Until", "截至"),
}
OF_TAGS = Text("A line counts for each of its tags: rows do not add up.", "一行计入其每个标签，各行不可相加。")
OF_GPUS = Text(
    "GPU machines only: {amounts} of the bill is for other things and in no row.",
    "仅含 GPU 机器：账单中另有 {amounts} 为其他费用，不在各行内。",
)
NOT_SAID = Text("(not said)", "（未标明）")


def period_name(review: Review) -> str:
    """`2026-11`, or the first and last month."""
    bill = review.bill
    months = [f"{month:%Y-%m}" for month in bill.months if bill.start <= month < bill.end]
    first = f"{bill.start:%Y-%m}"
    return first if len(months) < 2 else f"{months[0]}..{months[-1]}"


def headline(review: Review, language: Language) -> list[str]:
    """The sentences above all tables."""
    bill = review.bill
    files = sum(len(source["files"]) for source in bill.sources)
    formats = ", ".join(dict.fromkeys(f"{source['format']} {source['version']}".strip() for source in bill.sources))
    said = [
        FOUND.say(
            language,
            lines=f"{bill.lines:,}",
            files=files,
            formats=formats,
            zone=bill.zone,
            by=BY[bill.by].say(language),
        )
    ]
    amounts = [f"{amount:,.2f} {currency}" for currency, amount in review.largest_savings.items() if amount > 0]
    said.append(SAVINGS.say(language, amounts=", ".join(amounts)) if amounts else NO_SAVINGS.say(language))
    if bill.unread_count:
        said.append(UNREAD.say(language, count=f"{bill.unread_count:,}"))
    if bill.duplicates:
        said.append(TWICE.say(language, count=f"{sum(item.lines for item in bill.duplicates):,}"))
    return said


def tables(review: Review, language: Language) -> tuple[Table, ...]:
    """All tables that have rows, in reading order."""
    every = (
        _totals(review, language),
        _findings(review, language),
        _gpu(review, language),
        _prices(review, language),
        _commitments(review, language),
        _forecast(review, language),
        *(_dimension(review, name, language) for name in DIMENSIONS),
        _daily(review, language),
        _corrections(review, language),
        _unread(review, language),
    )
    return tuple(table for table in every if table.rows)


def _table(key: str, language: Language, columns: Columns, rows: Rows, note: str = "") -> Table:
    heads = tuple(Column(_LABELS[name].say(language), kind, name) for name, kind in columns)
    return Table(key, HEADINGS[key].say(language), heads, tuple(rows), note)


def _totals(review: Review, language: Language) -> Table:
    columns: Columns = [
        ("currency", "text"),
        ("lines", "count"),
        *((name, "money") for name in ("billed", "gpu_billed", "other", "effective", "contracted", "list")),
    ]
    rows: Rows = [
        (
            total.currency,
            total.lines,
            total.billed,
            total.billed - review.bill.other[total.currency],
            review.bill.other[total.currency],
            *(total.known(name) for name in ("effective", "contracted", "list")),
        )
        for total in review.bill.totals
    ]
    return _table("totals", language, columns, rows)


def _gpu(review: Review, language: Language) -> Table:
    columns: Columns = [
        *((name, "text") for name in ("provider", "region", "type", "gpu")),
        ("gpus", "hours"),
        ("machine_hours", "hours"),
        ("gpu_hours", "hours"),
        ("billed", "money"),
        ("effective", "money"),
        ("currency", "text"),
    ]
    rows: Rows = [
        (
            row.machine.provider,
            row.region or None,
            row.machine.instance_type,
            row.machine.gpu_model,
            row.machine.gpus,
            row.machine_hours,
            row.gpu_hours,
            row.billed,
            row.effective,
            row.currency,
        )
        for row in review.gpu
    ]
    return _table("gpu", language, columns, rows)


def _prices(review: Review, language: Language) -> Table:
    columns: Columns = [
        *((name, "text") for name in ("type", "region", "term")),
        ("gpu_hours", "hours"),
        *((name, "price") for name in ("paid_gpu", "list_gpu", "quote_gpu", "plan_gpu", "cheapest_gpu")),
        ("where", "text"),
        ("currency", "text"),
    ]
    rows: Rows = []
    for row in review.prices:
        gpus = row.machine.gpus
        if not gpus:
            continue
        compared = [
            None if item is None else item.amount / gpus for item in (row.list, row.quote, row.plan, row.cheapest)
        ]
        where = row.cheapest.where if row.cheapest is not None else None
        term = TERM_NAMES[row.term].say(language)
        found = (row.machine.instance_type, row.region or None, term, row.hours * gpus, row.per_gpu_hour)
        rows.append((*found, *compared, where, row.currency))
    return _table("prices", language, columns, rows)


def _findings(review: Review, language: Language) -> Table:
    columns: Columns = [
        ("finding", "text"),
        ("saving", "money"),
        ("concerned", "money"),
        ("currency", "text"),
        ("what", "text"),
        ("proof", "text"),
    ]
    rows: Rows = []
    for item in review.findings:
        evidence = [*([item.proof] if item.proof else []), *item.first(MOST_DETAILS)]
        said = " | ".join(text.say(language) for text in evidence)
        currency = item.currency if item.saving is not None else None
        amounts = (item.saving, None) if item.kind == "saving" else (None, item.saving)
        rows.append((NAMES[item.id].say(language), *amounts, currency, item.text.say(language), said))
    return _table("findings", language, columns, rows)


def _commitments(review: Review, language: Language) -> Table:
    columns: Columns = [
        ("commitment", "text"),
        ("used", "money"),
        ("unused", "money"),
        ("share", "percent"),
        ("paid", "money"),
        ("ends", "date"),
        ("currency", "text"),
    ]
    rows: Rows = [
        (row.id, row.used, row.unused, row.share, row.paid, row.ends, row.currency) for row in review.commitments
    ]
    return _table("commitments", language, columns, rows)


def _forecast(review: Review, language: Language) -> Table:
    columns: Columns = [
        ("currency", "text"),
        *((name, "money") for name in ("budget", "spent", "expected", "low", "high")),
        ("end", "date"),
    ]
    rows: Rows = [
        (item.currency, item.budget, item.spent, item.expected, item.low, item.high, item.end)
        for item in review.forecasts
    ]
    return _table("forecast", language, columns, rows)


def _dimension(review: Review, name: str, language: Language) -> Table:
    columns: Columns = [
        ("name", "text"),
        ("gpu_hours", "hours"),
        ("gpu_cash", "money"),
        ("gpu_accrual", "money"),
        ("currency", "text"),
    ]
    rows: Rows = []
    for row in review.dimensions[name]:
        label = row.name if row.name is not None else NOT_SAID.say(language)
        if name == "term" and row.name in TERM_NAMES:
            label = TERM_NAMES[row.name].say(language)
        rows.append((label, row.gpu_hours, row.billed, row.effective, row.currency))
    notes = [_of_gpus(review, language), OF_TAGS.say(language) if name == "tag" else ""]
    return _table(name, language, columns, rows, " ".join(filter(None, notes)))


def _of_gpus(review: Review, language: Language) -> str:
    """What the tables of GPU machines leave out of the bill; nothing where all of it is for GPU machines."""
    others = [f"{amount:,.2f} {currency}" for currency, amount in review.bill.other.items() if amount]
    return OF_GPUS.say(language, amounts=", ".join(others)) if others else ""


def _daily(review: Review, language: Language) -> Table:
    columns: Columns = [
        ("day", "date"),
        ("billed", "money"),
        ("once", "money"),
        ("effective", "money"),
        ("currency", "text"),
    ]
    known = {total.currency for total in review.bill.totals if total.known("effective") is not None}
    days: dict[tuple[date, str], list[Decimal]] = {}
    for item in review.bill.spending:
        sums = days.setdefault((item.day, item.currency), [Decimal(0), Decimal(0), Decimal(0)])
        sums[0] += item.billed
        sums[1] += item.billed if item.one_time else Decimal(0)
        sums[2] += item.effective or Decimal(0)
    rows: Rows = [
        (day, billed, once, effective if currency in known else None, currency)
        for (day, currency), (billed, once, effective) in sorted(days.items(), key=lambda pair: pair[0][::-1])
    ]
    return _table("daily", language, columns, rows)


def _corrections(review: Review, language: Language) -> Table:
    columns: Columns = [
        ("resource", "text"),
        ("month", "text"),
        ("lines", "count"),
        ("billed", "money"),
        ("effective", "money"),
        ("currency", "text"),
    ]
    rows: Rows = [
        (
            item.resource or item.service or None,
            f"{item.month:%Y-%m}",
            item.lines,
            item.billed,
            item.effective,
            item.currency,
        )
        for item in review.bill.corrections
    ]
    return _table("corrections", language, columns, rows)


def _unread(review: Review, language: Language) -> Table:
    columns: Columns = [("file", "text"), ("line", "count"), ("reason", "text"), ("text", "text")]
    rows: Rows = [
        (item.file, item.line or item.row, reason_of(item).say(language), item.text) for item in review.bill.unread
    ]
    return _table("unread", language, columns, rows)


def shown(value: Value, kind: Kind) -> str:
    """A value as people read it; unknown is "-"."""
    if value is None or value == "":
        return UNKNOWN
    if isinstance(value, Decimal):
        if kind == "percent":
            return f"{value * 100:.1f} %"
        if kind == "hours":
            return f"{value:,.2f}".rstrip("0").rstrip(".")
        return f"{value:,.4f}" if kind == "price" else f"{value:,.2f}"
    if isinstance(value, int):
        return f"{value:,}"
    return value.isoformat() if isinstance(value, date) else clean(value)


def clean(text: str) -> str:
    """A text from outside on one line, without control characters."""
    return "".join(mark if mark.isprintable() else " " for mark in text)
