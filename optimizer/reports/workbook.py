"""The plan as an Excel workbook: prices, rates and factors in input cells, sums as live formulas.

Text from outside can never become a formula: every text cell is stored as text, whatever it begins with.
"""

import io
import re
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

from optimizer.domain.money import places_of
from optimizer.domain.plan import Plan, Purchase
from optimizer.domain.text import Language, Text
from optimizer.reports import say_grounds, say_money, say_work, texts, texts_page
from optimizer.reports.numbers import clean
from optimizer.reports.voice import Voice, voice_of

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.cell import Cell
    from openpyxl.worksheet.worksheet import Worksheet

PRICE_FORMAT = "#,##0.00####"
RATE_FORMAT = "0.######"
QUANTITY_FORMAT = "#,##0.######"
PERCENT_FORMAT = "0.0%"
DATE_FORMAT = "yyyy-mm-dd"
INPUT_FILL, HEAD_FILL = "FFF6CC", "E8EBEF"
FORMULA_STARTS = ("=", "+", "-", "@")
#: The oldest time a zip file can carry: the same plan gives the same bytes.
ZIP_TIME = (1980, 1, 1, 0, 0, 0)
PROPERTIES = "docProps/core.xml"
_WRITTEN_AT = re.compile(rb"(<dcterms:modified[^>]*>)[^<]*<")
FIRST_ROW = 4


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula of ours; nothing else becomes one."""

    text: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A value with its number format; inputs are marked by colour."""

    value: Any
    number_format: str | None = None
    is_input: bool = False


def write_workbook(plan: Plan, language: Language) -> bytes:
    """The workbook of a plan: summary, inputs, lines of cost, cash flow, work and rules."""
    from openpyxl import Workbook

    book = Workbook()
    voice = voice_of(plan, language)
    summary = book.active
    if summary is None:  # pragma: no cover - a new workbook has a sheet
        raise ValueError("a new workbook has no sheet")
    summary.title = voice.say(texts_page.SHEET_SUMMARY)
    rates = _inputs(voice, book)
    total, rows = _lines(voice, book, rates)
    cash = _cash(voice, book, total)
    _summary(voice, summary, total, rows, cash)
    _work(voice, book)
    _rules(voice, book)
    stamp = datetime.combine(plan.as_of, datetime.min.time())
    book.properties.created = stamp
    book.properties.creator = "optimize"
    return _same_bytes(book, stamp)


# --- sheets ----------------------------------------------------------------------------------------------


def _inputs(voice: Voice, book: "Workbook") -> dict[str, str]:
    """Rates as inputs and what one unit of each currency is worth in the plan's; returns cell by currency."""
    plan = voice.plan
    sheet = _sheet(voice, book, texts_page.SHEET_INPUTS, (16, 18, 18, 14, 60))
    say = voice.say
    _heads(
        sheet,
        (
            say(texts_page.PRICE_CURRENCY),
            say(texts_page.UNITS_PER_USD),
            say(texts_page.INTO_PLAN, currency=plan.currency),
            say(texts_page.SEEN),
            say(texts_page.SOURCE),
        ),
    )
    known = {rate.currency: rate for rate in plan.fx}
    needed = dict.fromkeys([plan.currency, *(bought.price_currency for bought in plan.purchases)])
    row_of = {currency: row for row, currency in enumerate(needed, FIRST_ROW)}
    for currency, row in row_of.items():
        rate = known.get(currency)
        units = Decimal(1) if currency == "USD" else rate.units_per_usd if rate else None
        cells: list[Any] = [clean(currency), Entry(units, RATE_FORMAT, is_input=units is not None)]
        cells.append(_into_plan(plan, currency, row, row_of, known))
        cells += [Entry(rate.day, DATE_FORMAT), clean(rate.source)] if rate else ["", ""]
        _row(sheet, row, cells)
    below = max(row_of.values(), default=FIRST_ROW) + 2
    for row, (label, said) in enumerate((*say_grounds.assumptions(voice), *say_grounds.sources(voice)), below):
        _row(sheet, row, [label, said])
    return {currency: f"'{sheet.title}'!$C${row}" for currency, row in row_of.items()}


def _into_plan(plan: Plan, currency: str, row: int, row_of: dict[str, int], known: dict[str, Any]) -> Any:
    """The rate into the plan's currency: a formula over units per USD, else the plan's own factor as input."""
    if currency == plan.currency:
        return Entry(1, RATE_FORMAT)
    if all(code == "USD" or code in known for code in (currency, plan.currency)):
        return Entry(Formula(f"=B{row_of[plan.currency]}/B{row}"), RATE_FORMAT)
    factor = next(bought.fx_rate for bought in plan.purchases if bought.price_currency == currency)
    return Entry(factor, RATE_FORMAT, is_input=True)


LINE_HEADS = (
    texts_page.ITEM,
    texts_page.WHERE,
    texts_page.TERM,
    texts_page.TERM_FROM,
    texts_page.UNTIL,
    texts_page.WORKLOAD,
    texts_page.COUNT,
    texts_page.QUANTITY,
    texts_page.UNIT,
    texts_page.UNIT_PRICE,
    texts_page.PRICE_CURRENCY,
    texts_page.RATE,
    texts_page.TAX_FACTOR,
    texts_page.OTHER_FACTOR,
    texts_page.RESIDUAL,
    texts_page.COST,
    texts_page.PLAN_COST,
    texts_page.SEEN,
    texts_page.KIND,
    texts_page.SOURCE,
)
LINE_WIDTHS = (26, 24, 16, 12, 12, 22, 8, 14, 12, 14, 9, 10, 10, 10, 14, 16, 16, 12, 14, 60)


def _lines(voice: Voice, book: "Workbook", rates: dict[str, str]) -> tuple[str, tuple[int, int]]:
    """Every purchase with its cost as a formula; returns the total's cell and the first and last row."""
    sheet = _sheet(voice, book, texts_page.SHEET_LINES, LINE_WIDTHS)
    _heads(sheet, tuple(voice.say(head, currency=voice.plan.currency) for head in LINE_HEADS))
    for row, bought in enumerate(voice.plan.purchases, FIRST_ROW):
        _row(sheet, row, _line(voice, bought, row, rates[bought.price_currency]))
    last = max(FIRST_ROW, FIRST_ROW + len(voice.plan.purchases) - 1)
    money = _money_format(voice)
    cost = voice.plan.cost
    total = last + 1
    _row(sheet, total, [voice.say(texts_page.TOTAL), *[""] * 14, Entry(Formula(f"=SUM(P{FIRST_ROW}:P{last})"), money)])
    _put(sheet, total, 17, Entry(cost.total if cost else None, money))
    _bold(sheet, total)
    sheet.freeze_panes = f"B{FIRST_ROW}"
    return f"'{sheet.title}'!$P${total}", (FIRST_ROW, last)


def _line(voice: Voice, bought: Purchase, row: int, rate: str) -> list[Any]:
    money = _money_format(voice)
    product = bought.quantity * bought.unit_price * bought.fx_rate * bought.tax_factor
    return [
        clean(bought.instance_type or bought.provider),
        say_money.place(voice, bought),
        _label(voice, bought),
        Entry(bought.start, DATE_FORMAT),
        Entry(bought.end, DATE_FORMAT),
        voice.join(clean(work) for work in bought.workloads),
        bought.count,
        Entry(bought.quantity, QUANTITY_FORMAT, is_input=True),
        voice.numbers.unit(bought.unit),
        Entry(bought.unit_price, PRICE_FORMAT, is_input=True),
        clean(bought.price_currency),
        Entry(Formula(f"={rate}"), RATE_FORMAT),
        Entry(bought.tax_factor, RATE_FORMAT, is_input=True),
        Entry(_counted(bought, product), RATE_FORMAT, is_input=True),
        Entry(bought.residual, money, is_input=True),
        Entry(Formula(f"=H{row}*J{row}*L{row}*M{row}*N{row}-O{row}"), money),
        Entry(bought.cost, money),
        Entry(bought.observed, DATE_FORMAT),
        voice.name(texts.PRICE_KINDS, bought.price_kind),
        clean(voice.phrase(bought.source)),
    ]


def _counted(bought: Purchase, product: Decimal) -> Decimal:
    """What of quantity x price counts: 1, less where a term outlives the horizon, more with an upfront amount."""
    whole = bought.cost + bought.residual
    tolerance = max(Decimal("0.005"), abs(whole) * Decimal("1e-6"))
    return Decimal(1) if product == 0 or abs(product - whole) <= tolerance else whole / product


def _label(voice: Voice, bought: Purchase) -> str:
    """Term of a machine or commitment, kind of anything else: what costs are summed by."""
    return say_money.label(voice, bought)


def _cash(voice: Voice, book: "Workbook", total: str) -> str:
    """Cash by month with its running total; returns the range of the amounts."""
    sheet = _sheet(voice, book, texts_page.SHEET_CASH, (30, 18, 18))
    money, currency = _money_format(voice), voice.plan.currency
    heads = (texts_page.MONTH, texts_page.AMOUNT, texts_page.RUNNING_TOTAL)
    _heads(sheet, tuple(voice.say(head, currency=currency) for head in heads))
    for row, month in enumerate(voice.plan.cash_flow, FIRST_ROW):
        running = Entry(Formula(f"=SUM(B${FIRST_ROW}:B{row})"), money)
        _row(sheet, row, [Entry(month.start, DATE_FORMAT), Entry(month.amount, money, is_input=True), running])
    last = max(FIRST_ROW, FIRST_ROW + len(voice.plan.cash_flow) - 1)
    amounts = f"B{FIRST_ROW}:B{last}"
    _row(sheet, last + 1, [voice.say(texts_page.TOTAL), Entry(Formula(f"=SUM({amounts})"), money)])
    _bold(sheet, last + 1)
    lines = voice.say(texts_page.SHEET_LINES)
    check = f"=B{last + 1}-SUM('{lines}'!O{FIRST_ROW}:O{_last_line(voice)})-{total}"
    _row(sheet, last + 3, [voice.say(texts_page.CASH_CHECK), Entry(Formula(check), money)])
    return f"'{sheet.title}'!{amounts}"


def _last_line(voice: Voice) -> int:
    return max(FIRST_ROW, FIRST_ROW + len(voice.plan.purchases) - 1)


def _summary(voice: Voice, sheet: "Worksheet", total: str, rows: tuple[int, int], cash: str) -> None:
    """The decision, the figures that follow from the other sheets, and cost by term and team."""
    plan, say = voice.plan, voice.say
    money = _money_format(voice)
    _widths(sheet, (34, 22, 14))
    _fit_page(sheet)
    is_plan = plan.status != "infeasible"
    _put(sheet, 1, 1, say_money.headline(voice) if is_plan else say(texts.NO_PLAN))
    _bold(sheet, 1)
    _put(sheet, 2, 1, say_money.proof(voice))
    row = FIRST_ROW
    for label, value in _figures(voice, total, cash, money):
        _row(sheet, row, [say(label), value])
        row += 1
    row = _shares(voice, sheet, row + 1, rows, total)
    _teams(voice, sheet, row + 1, total)
    sheet.freeze_panes = "A3"


def _figures(voice: Voice, total: str, cash: str, money: str) -> list[tuple[Text, Any]]:
    plan, facts = voice.plan, voice.facts
    figures: list[tuple[Text, Any]] = [
        (texts_page.TOTAL, Entry(Formula(f"={total}"), money)),
        (texts_page.PLAN_TOTAL, Entry(plan.cost.total if plan.cost else None, money)),
        (texts_page.DIFFERENCE, Entry(Formula("=B4-B5"), money)),
        (texts_page.MONTHS, facts.months),
        (texts_page.AVERAGE, Entry(Formula("=B4/B7"), money)),
        (texts_page.HIGHEST, Entry(Formula(f"=MAX({cash})"), money)),
        (texts_page.GPU_HOURS, Entry(facts.gpu_hours, QUANTITY_FORMAT)),
        (texts_page.PER_GPU_HOUR, Entry(Formula('=IF(B10=0,"",B4/B10)'), money)),
    ]
    if facts.budget is not None:
        figures.append((texts_page.BUDGET, Entry(facts.budget, money, is_input=True)))
        figures.append((texts_page.LEFT, Entry(Formula(f"=B12-SUM({cash})"), money)))
    return figures


def _shares(voice: Voice, sheet: "Worksheet", row: int, rows: tuple[int, int], total: str) -> int:
    """Cost by term, summed live over the lines; returns the next free row."""
    _heads(sheet, (voice.say(texts_page.BY_TERM), voice.plan.currency, voice.say(texts_page.SHARE)), row)
    lines, (first, last) = voice.say(texts_page.SHEET_LINES), rows
    for label in dict.fromkeys(_label(voice, bought) for bought in voice.plan.purchases):
        row += 1
        summed = f"=SUMIF('{lines}'!C{first}:C{last},A{row},'{lines}'!P{first}:P{last})"
        share = Entry(Formula(f"=B{row}/{total}"), PERCENT_FORMAT)
        _row(sheet, row, [label, Entry(Formula(summed), _money_format(voice)), share])
    return row + 1


def _teams(voice: Voice, sheet: "Worksheet", row: int, total: str) -> None:
    """Cost by team as the plan splits it, with live shares, and the notes."""
    _heads(sheet, (voice.say(texts_page.BY_TEAM), voice.plan.currency, voice.say(texts_page.SHARE)), row)
    for team, cost in voice.facts.teams.items():
        row += 1
        share = Entry(Formula(f"=B{row}/{total}"), PERCENT_FORMAT)
        _row(sheet, row, [clean(team) or voice.say(texts.NO_TEAM), Entry(cost, _money_format(voice)), share])
    _put(sheet, row + 2, 1, voice.say(texts_page.LIVE_NOTE))
    _put(sheet, row + 3, 1, voice.say(texts_page.DIFFERENCE_NOTE))


def _work(voice: Voice, book: "Workbook") -> None:
    sheet = _sheet(voice, book, texts_page.SHEET_WORK, (24, 14, 90))
    row = FIRST_ROW
    for stretch in voice.facts.stretches:
        for label, said in say_work.rows(voice, stretch):
            _row(sheet, row, [clean(stretch.assignment.workload), label, said])
            row += 1


def _rules(voice: Voice, book: "Workbook") -> None:
    sheet = _sheet(voice, book, texts_page.SHEET_RULES, (22, 22, 14, 12, 28, 28, 50))
    labels = (
        texts_page.WORKLOAD,
        texts_page.RULE,
        texts_page.VERDICT,
        texts_page.SEVERITY,
        texts_page.MEASURED,
        texts_page.REQUIRED,
        texts_page.DOCUMENT,
    )
    _heads(sheet, tuple(voice.say(label) for label in labels))
    findings = ((run.assignment, found) for run in voice.facts.stretches for found in run.assignment.rules)
    for row, (used, found) in enumerate(findings, FIRST_ROW):
        verdict, severity = voice.name(texts.VERDICTS, found.verdict), voice.name(texts.SEVERITIES, found.severity)
        figures = (voice.figure(found.measured), voice.figure(found.required))
        words = (used.workload, found.id, verdict, severity, *figures, found.source)
        _row(sheet, row, [clean(word) for word in words])


# --- cells -----------------------------------------------------------------------------------------------


def _money_format(voice: Voice) -> str:
    places = places_of(voice.plan.currency)
    return "#,##0" + ("." + "0" * places if places else "")


def _sheet(voice: Voice, book: "Workbook", title: Text, widths: Sequence[int]) -> "Worksheet":
    sheet: Worksheet = book.create_sheet(voice.say(title))
    _put(sheet, 1, 1, voice.say(title))
    _bold(sheet, 1)
    _widths(sheet, widths)
    _fit_page(sheet)
    return sheet


def _fit_page(sheet: "Worksheet") -> None:
    """Printed on pages as wide as the sheet."""
    from openpyxl.worksheet.properties import PageSetupProperties

    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 1, 0
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)


def _widths(sheet: "Worksheet", widths: Iterable[int]) -> None:
    from openpyxl.utils import get_column_letter

    for column, width in enumerate(widths, 1):
        sheet.column_dimensions[get_column_letter(column)].width = width


def _heads(sheet: "Worksheet", labels: Iterable[str], row: int = FIRST_ROW - 1) -> None:
    from openpyxl.styles import Font, PatternFill

    for column, label in enumerate(labels, 1):
        cell = _put(sheet, row, column, label)
        cell.font = Font(bold=True)
        cell.fill = PatternFill("solid", fgColor=HEAD_FILL)


def _row(sheet: "Worksheet", row: int, cells: Iterable[Any]) -> None:
    for column, cell in enumerate(cells, 1):
        _put(sheet, row, column, cell)


def _bold(sheet: "Worksheet", row: int) -> None:
    from openpyxl.styles import Font

    for cell in sheet[row]:
        cell.font = Font(bold=True)


def _put(sheet: "Worksheet", row: int, column: int, entry: Any) -> "Cell":
    """Write one cell. Text stays text even when it begins like a formula; only `Formula` calculates."""
    from openpyxl.styles import PatternFill

    entry = entry if isinstance(entry, Entry) else Entry(entry)
    cell = cast("Cell", sheet.cell(row, column))
    value = entry.value
    if isinstance(value, Formula):
        cell.value = value.text
    elif isinstance(value, str):
        cell.value = value
        cell.data_type = "s"
        cell.quotePrefix = value.startswith(FORMULA_STARTS)
    elif value is None or isinstance(value, Decimal | int | float | date):
        cell.value = value
    else:
        raise TypeError(f"a cell cannot hold {type(value).__name__}")
    if entry.number_format:
        cell.number_format = entry.number_format
    if entry.is_input:
        cell.fill = PatternFill("solid", fgColor=INPUT_FILL)
    return cell


def _same_bytes(book: "Workbook", stamp: datetime) -> bytes:
    """The workbook as bytes that depend on its content only: `stamp` stands wherever the clock would."""
    written, fixed = io.BytesIO(), io.BytesIO()
    book.save(written)
    with zipfile.ZipFile(written) as source, zipfile.ZipFile(fixed, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            content = source.read(name)
            if name == PROPERTIES:
                content = _WRITTEN_AT.sub(rb"\g<1>" + stamp.isoformat().encode() + b"Z<", content)
            target.writestr(zipfile.ZipInfo(name, ZIP_TIME), content, zipfile.ZIP_DEFLATED)
    return fixed.getvalue()
