"""The deviation table as a workbook: one row a line, for each vendor its answer and the deviation.

Every cell is stored as text: nothing from a file can become a formula.
"""

import io
from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from optimizer.contract import texts
from optimizer.contract.answers import VERDICTS, Comparison
from optimizer.contract.document import shown_value, status_and_source
from optimizer.contract.files import timeless_zip
from optimizer.contract.safe import FORMULA_STARTS, clean
from optimizer.contract.spec import ContractSpec
from optimizer.domain.text import Language, Text

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

SHEET = Text("Deviations", "偏离表")
SUMMARY = Text("{met} met, {not_met} not met, {silent} silent", "满足 {met}，不满足 {not_met}，未响应 {silent}")
PASSED, REFUSED = Text("every ★ line met", "★ 条款全部满足"), Text("★ lines open", "★ 条款未全部满足")
MANDATORY = Text("Essential", "实质性")
FIXED_COLUMNS = 5
WIDTHS = (10, 7, 46, 22, 46)
VENDOR_WIDTH = 26
LINE_POINTS = 15
HEAD_FILL, RED, GREEN, GREY = "FFE8EBEF", "FFF8D7DA", "FFD9F0DD", "FFEDEDED"
FILLS = {"met": GREEN, "not_met": RED, "silent": GREY}


def deviation_workbook(spec: ContractSpec, comparisons: Sequence[Comparison], language: Language) -> bytes:
    """The workbook; without comparisons one empty pair of columns for a vendor to fill."""
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    if sheet is None:  # pragma: no cover - a new workbook has a sheet
        raise ValueError("a new workbook has no sheet")
    sheet.title = SHEET.say(language)
    _heads(sheet, comparisons, language)
    judged = [{(line.purchase, line.id): line for line in comparison.lines} for comparison in comparisons]
    for number, (purchase, item) in enumerate(spec.lines(), start=3):
        title = f"{item.title.say(language)}: {item.clause.say(language)}"
        row = (item.number, "★" if item.mandatory else "", title, shown_value(item, language))
        for column, text in enumerate((*row, status_and_source(item, language)), start=1):
            _write(sheet, number, column, text)
        for place, lines in enumerate(judged):
            line = lines.get((purchase, item.id))
            if line is not None:
                column = FIXED_COLUMNS + 1 + 2 * place
                _write(sheet, number, column, line.shown_answer, FILLS[line.verdict])
                told = f"{VERDICTS[line.verdict].say(language)}: {line.shown_deviation(language)}"
                _write(sheet, number, column + 1, told, FILLS[line.verdict])
    _fit(sheet)
    out = io.BytesIO()
    book.save(out)
    return timeless_zip(out.getvalue())


def _heads(sheet: "Worksheet", comparisons: Sequence[Comparison], language: Language) -> None:
    from openpyxl.utils import get_column_letter

    names = (texts.NUMBER, MANDATORY, texts.REQUIREMENT, texts.VALUE, texts.SOURCE)
    for column, name in enumerate(names, start=1):
        _write(sheet, 1, column, name.say(language), HEAD_FILL)
        _write(sheet, 2, column, "", HEAD_FILL)
        sheet.column_dimensions[get_column_letter(column)].width = WIDTHS[column - 1]
    for place, comparison in enumerate(comparisons or [None]):
        column = FIXED_COLUMNS + 1 + 2 * place
        told = "" if comparison is None else _summary(comparison, language)
        vendor = texts.VENDOR.say(language) if comparison is None else comparison.vendor
        for offset, (first, second) in enumerate(
            ((vendor, texts.ANSWER.say(language)), (told, texts.DEVIATION.say(language)))
        ):
            _write(sheet, 1, column + offset, first, HEAD_FILL)
            _write(sheet, 2, column + offset, second, HEAD_FILL)
            sheet.column_dimensions[get_column_letter(column + offset)].width = VENDOR_WIDTH


def _fit(sheet: "Worksheet") -> None:
    """Heights for the wrapped text, heads that stay in sight, pages as wide as the table."""
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.properties import PageSetupProperties

    widths = [sheet.column_dimensions[get_column_letter(column)].width for column in range(1, sheet.max_column + 1)]
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        lines = [ceil(_columns(str(text)) / width) for text, width in zip(row, widths, strict=True) if text]
        sheet.row_dimensions[number].height = LINE_POINTS * max(lines, default=1)
    sheet.freeze_panes = "C3"
    sheet.print_title_rows = "1:2"
    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.fitToHeight = 0
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)


def _columns(text: str) -> int:
    """Columns that a text takes: a Chinese character takes two."""
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)


def _summary(comparison: Comparison, language: Language) -> str:
    counts = {name: comparison.count(name) for name in ("met", "not_met", "silent")}
    verdict = (PASSED if comparison.ok else REFUSED).say(language)
    return f"{SUMMARY.say(language, **counts)}; {verdict}"


def _write(sheet: "Worksheet", row: int, column: int, text: str, fill: str | None = None) -> None:
    from openpyxl.styles import Alignment, PatternFill

    cell = sheet.cell(row, column)
    told = clean(text)
    cell.value = told or None
    if told:
        cell.data_type = "s"
    if told.startswith(FORMULA_STARTS):
        cell.quotePrefix = True
    cell.alignment = Alignment(wrap_text=True, vertical="top")
    if fill is not None:
        cell.fill = PatternFill("solid", start_color=fill)
