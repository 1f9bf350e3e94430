"""The review as one HTML file that opens offline, prints, follows light and dark, and asks the network for nothing."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from optimizer.domain.text import Language, Text
from optimizer.review import charts
from optimizer.review.finding import NAMES
from optimizer.review.prices import TERM_NAMES
from optimizer.review.review import Review
from optimizer.review.tables import HEADINGS, TITLE, Table, clean, headline, period_name, shown, tables

HERE = Path(__file__).parent
MOST_DAYS = 400
MOST_BARS = 15
MOST_DETAILS = 10

FOOTER = Text(
    "Sums are exact decimals of the bill; cash is what was billed, accrual spreads prepaid amounts over the hours they "
    "cover. Savings are those of this period.",
    "合计为账单的精确小数；现金为账单金额，权责口径把预付摊到所覆盖的用量。节省额均指本期。",
)
REPEATING = Text("charges that repeat ({currency})", "重复性费用（{currency}）")
ONCE = Text("paid once", "一次性费用")
PAID = Text("paid per GPU hour ({currency})", "实付每卡时（{currency}）")
MARKS = (Text("list", "目录价"), Text("quote or plan", "报价或方案"), Text("cheapest equal offer", "同类最低"))


@dataclass(frozen=True, slots=True)
class _Picture:
    svg: Any
    legend: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    key: str
    title: str
    note: str = ""
    columns: tuple[dict[str, Any], ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    findings: tuple[dict[str, Any], ...] = ()
    pictures: tuple[_Picture, ...] = field(default=())


def as_html(review: Review, language: Language) -> str:
    """The page. Every value from the bill is escaped by the template."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = {
        "language": "zh-CN" if language == "zh" else "en",
        "title": TITLE.say(language, period=period_name(review)),
        "headline": headline(review, language),
        "changes_title": HEADINGS["changes"].say(language),
        "changes": [clean(text.say(language)) for text in review.changes],
        "parts": [_part(review, table, language) for table in tables(review, language)],
        "footer": FOOTER.say(language),
    }
    return environment.get_template("review.html.j2").render(page=page)


def _part(review: Review, table: Table, language: Language) -> _Part:
    if table.key == "findings":
        return _Part(table.key, table.title, findings=_findings(review, language))
    columns = tuple({"label": item.label, "is_number": item.kind not in ("text", "date")} for item in table.columns)
    rows = tuple(
        tuple(shown(value, column.kind) for value, column in zip(row, table.columns, strict=True)) for row in table.rows
    )
    return _Part(table.key, table.title, table.note, columns, rows, pictures=_pictures(review, table, language))


def _findings(review: Review, language: Language) -> tuple[dict[str, Any], ...]:
    return tuple(
        {
            "kind": item.kind,
            "id": NAMES[item.id].say(language),
            "amount": f"{item.saving:,.2f} {item.currency}" if item.saving is not None else "",
            "text": clean(item.text.say(language)),
            "details": [
                clean(text.say(language))
                for text in (*((item.proof,) if item.proof else ()), *item.first(MOST_DETAILS))
            ],
        }
        for item in review.findings
    )


def _pictures(review: Review, table: Table, language: Language) -> tuple[_Picture, ...]:
    if table.key == "daily":
        return tuple(_daily(table, currency, language) for currency in review.bill.currencies)
    if table.key == "prices":
        return tuple(picture for item in review.bill.currencies if (picture := _prices(review, item, language)))
    return ()


def _daily(table: Table, currency: str, language: Language) -> _Picture:
    rows = [row for row in table.rows if row[4] == currency][-MOST_DAYS:]
    days = [str(row[0]) for row in rows]
    once = [float(row[2]) for row in rows]  # type: ignore[arg-type]
    repeating = [float(row[1]) - paid for row, paid in zip(rows, once, strict=True)]  # type: ignore[arg-type]
    svg = charts.daily_bars(days, repeating, once, f"{table.title} {currency}")
    legend = [REPEATING.say(language, currency=currency), *([ONCE.say(language)] if any(once) else [])]
    return _Picture(_markup(svg), tuple(legend))


def _prices(review: Review, currency: str, language: Language) -> _Picture | None:
    rows = [row for row in review.prices if row.currency == currency and row.per_gpu_hour is not None][:MOST_BARS]
    if not rows:
        return None
    labels = [f"{row.machine.instance_type[:24]} {TERM_NAMES[row.term].say(language)}" for row in rows]
    gpus = [row.machine.gpus or 1 for row in rows]
    marks = [
        [None if item is None else float(item.amount / count) for item, count in zip(column, gpus, strict=True)]
        for column in (
            [row.list for row in rows],
            [row.quote or row.plan for row in rows],
            [row.cheapest for row in rows],
        )
    ]
    paid = [float(row.per_gpu_hour or 0) for row in rows]
    svg = charts.price_dots(labels, paid, marks, f"{HEADINGS['prices'].say(language)} {currency}")
    names = [PAID.say(language, currency=currency), *(mark.say(language) for mark in MARKS)]
    return _Picture(_markup(svg), tuple(names))


def _markup(svg: str) -> Any:
    from markupsafe import Markup

    return Markup(svg)  # noqa: S704 - drawn by us; labels are escaped by matplotlib, the title by charts
