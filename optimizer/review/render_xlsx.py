"""The review as an Excel workbook: real numbers with formats, dates as dates, and no text that becomes a formula."""

import io
import re
import zipfile
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from optimizer.domain.text import Language
from optimizer.review.review import Review
from optimizer.review.tables import Table, Value, clean, headline, period_name, tables

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

FORMATS = {
    "money": "#,##0.00",
    "price": "#,##0.0000",
    "hours": "#,##0.##",
    "count": "#,##0",
    "percent": "0.0%",
    "date": "yyyy-mm-dd",
}
WIDEST = 70
_LONGEST_TEXT = 32_000
#: The oldest time a zip file can carry, so that the same review gives the same bytes.
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
_MODIFIED = re.compile(rb"(<dcterms:modified[^>]*>)[^<]*<")
_NOT_IN_SHEET_NAMES = re.compile(r"[\[\]:*?/\\]")


def as_workbook(review: Review, language: Language) -> bytes:
    """One sheet for each table; the first one carries the headline."""
    from openpyxl import Workbook

    book = Workbook()
    first = book.active
    if first is not None:
        book.remove(first)
    for table in tables(review, language):
        sheet = book.create_sheet(_NOT_IN_SHEET_NAMES.sub(" ", table.title)[:31])
        lead = headline(review, language) if table.key == "totals" else [table.note] if table.note else []
        _write(sheet, table, lead)
    book.properties.creator = "optimize"
    book.properties.title = f"review {period_name(review)}"
    stamp = datetime(review.bill.end.year, review.bill.end.month, review.bill.end.day)  # noqa: DTZ001
    book.properties.created = stamp
    return _same_bytes(book, stamp)


def _write(sheet: "Worksheet", table: Table, lead: list[str]) -> None:
    from openpyxl.styles import Alignment, Font, PatternFill
    from openpyxl.utils import get_column_letter

    row = 1
    for sentence in lead:
        _put_text(sheet.cell(row, 1), sentence)
        row += 1
    row += 1 if lead else 0
    head = row
    for place, column in enumerate(table.columns, start=1):
        cell = sheet.cell(head, place)
        _put_text(cell, column.label)
        cell.font, cell.fill = Font(bold=True), PatternFill("solid", fgColor="E8EBEF")
        cell.alignment = Alignment(horizontal="left" if column.kind in ("text", "date") else "right")
    for line, values in enumerate(table.rows, start=head + 1):
        for place, (value, column) in enumerate(zip(values, table.columns, strict=True), start=1):
            _put(sheet.cell(line, place), value, column.kind)
    sheet.freeze_panes = f"A{head + 1}"
    sheet.auto_filter.ref = f"A{head}:{get_column_letter(len(table.columns))}{head + len(table.rows)}"
    _set_widths(sheet, table)


def _put(cell: Any, value: Value, kind: str) -> None:
    if value is None or value == "":
        return
    if isinstance(value, str):
        _put_text(cell, value)
        return
    # Excel keeps 15 digits: amounts are rounded to what it can hold, the exact ones stand in the JSON.
    cell.value = value.quantize(Decimal("0.000000001")) if isinstance(value, Decimal) else value
    cell.number_format = FORMATS.get("date" if isinstance(value, date) else kind, "General")


def _put_text(cell: Any, text: str) -> None:
    cell.value = clean(text)[:_LONGEST_TEXT]
    cell.data_type = "s"
    cell.quotePrefix = text.lstrip().startswith(("=", "+", "-", "@"))


def _set_widths(sheet: "Worksheet", table: Table) -> None:
    from openpyxl.utils import get_column_letter

    for place, column in enumerate(table.columns, start=1):
        lengths = [_width(column.label), *(_width(str(row[place - 1] or "")) for row in table.rows[:200])]
        limit = WIDEST if column.kind == "text" else 18
        sheet.column_dimensions[get_column_letter(place)].width = min(limit, max(10, *lengths) + 2)


def _width(text: str) -> int:
    return sum(2 if ord(mark) > 0x2E7F else 1 for mark in text)


def _same_bytes(book: Any, stamp: datetime) -> bytes:
    """The workbook without the time at which it was written."""
    buffer, result = io.BytesIO(), io.BytesIO()
    book.save(buffer)
    modified = b"\\g<1>" + stamp.strftime("%Y-%m-%dT%H:%M:%SZ").encode() + b"<"
    with zipfile.ZipFile(buffer) as source, zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as sink:
        for entry in source.infolist():
            content = source.read(entry)
            if entry.filename == "docProps/core.xml":
                content = _MODIFIED.sub(modified, content)
            info = zipfile.ZipInfo(entry.filename, _ZIP_TIME)
            info.compress_type = zipfile.ZIP_DEFLATED
            sink.writestr(info, content)
    return result.getvalue()
