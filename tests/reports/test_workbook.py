"""The workbook: inputs as cells, sums as formulas that give the plan's figures, no text that calculates."""

import io
import re
from decimal import Decimal
from typing import Any

import openpyxl
import pytest
from openpyxl.workbook import Workbook

from optimizer.domain.plan import Plan
from optimizer.domain.text import Language
from optimizer.reports.workbook import write_workbook
from tests.reports import factory, parts

D = Decimal


def book_of(plan: Plan, language: Language = "en") -> Workbook:
    """The workbook, read back."""
    return openpyxl.load_workbook(io.BytesIO(write_workbook(plan, language)))


class Sheets:
    """Evaluates the few formulas that the workbook uses, to see that they say what the plan says."""

    def __init__(self, book: Workbook) -> None:
        self.book = book

    def value(self, sheet: str, cell: str) -> Any:
        """A cell's value, formulas calculated."""
        held = self.book[sheet][cell.replace("$", "")]
        return self.calculate(sheet, held.value) if held.data_type == "f" else held.value

    def calculate(self, sheet: str, formula: str) -> Decimal:
        """=A*B-C, =A/B, =SUM(range), =MAX(range), =SUMIF(...) and their sums, by substitution."""
        text = formula.removeprefix("=")
        text = re.sub(r"SUMIF\(([^,]+),([^,]+),([^)]+)\)", lambda m: self._sum_if(sheet, *m.groups()), text)
        text = re.sub(r"(SUM|MAX)\(([^)]+)\)", lambda m: self._over(sheet, m[1], m[2]), text)
        text = re.sub(r"(?:'([^']+)'!)?(\$?[A-Z]+\$?\d+)", lambda m: f"D('{self.value(m[1] or sheet, m[2])}')", text)
        return D(eval(text, {"D": D}))  # noqa: S307 - our own formula, digits and operators only

    def _range(self, sheet: str, reference: str) -> list[Any]:
        found = re.fullmatch(r"(?:'([^']+)'!)?\$?([A-Z])\$?(\d+):\$?[A-Z]\$?(\d+)", reference)
        assert found is not None, reference
        where, column, first, last = found.groups()
        return [self.value(where or sheet, f"{column}{row}") for row in range(int(first), int(last) + 1)]

    def _over(self, sheet: str, function: str, reference: str) -> str:
        values = [D(str(value)) for value in self._range(sheet, reference) if value is not None]
        return f"D('{sum(values, D(0)) if function == 'SUM' else max(values)}')"

    def _sum_if(self, sheet: str, keys: str, key: str, values: str) -> str:
        wanted = self.value(sheet, key)
        pairs = zip(self._range(sheet, keys), self._range(sheet, values), strict=True)
        return f"D('{sum((D(str(value)) for label, value in pairs if label == wanted), D(0))}')"


def figure(sheets: Sheets, label: str, sheet: str = "Summary") -> Any:
    """The value beside a label."""
    row = next(cell.row for cell in sheets.book[sheet]["A"] if cell.value == label)
    return sheets.value(sheet, f"B{row}")


@pytest.mark.parametrize("name", ["rented", "job", "fleet", "conditional"])
def test_live_total_equals_the_plan(name: str) -> None:
    plan = factory.ALL[name]()
    assert plan.cost is not None
    sheets = Sheets(book_of(plan))
    # the plan rounds each line to a millionth, the workbook multiplies
    assert abs(figure(sheets, "Total") - plan.cost.total) <= D("0.00001")
    assert abs(figure(sheets, "difference")) <= D("0.00001")
    assert abs(figure(sheets, "cash less resale value less total", "Cash flow")) <= D("0.00001")


def test_shares_are_summed_from_the_lines() -> None:
    sheets = Sheets(book_of(factory.fleet()))
    assert figure(sheets, "owned") == 630_000  # 2,100,000 - 1,470,000
    assert figure(sheets, "reserved 1 year") == D("547720.32")  # 2 x 12 x 22,821.68
    assert figure(sheets, "Highest month") == D("2171541.06")


def test_changing_a_price_changes_the_total() -> None:
    book = book_of(factory.rented())
    lines = book["Lines"]
    price = next(cell for cell in lines["J"] if cell.value == 4675.66)
    price.value = 5000
    # one of three months dearer: 2 x (5,000 - 4,675.66) = 648.68; 28,201.905206 + 648.68
    assert abs(figure(Sheets(book), "Total") - D("28850.585206")) <= D("0.00001")


def test_changing_a_rate_changes_the_total() -> None:
    book = book_of(factory.job())
    book["Inputs"]["B4"].value = 7
    # 8,019.20 + 20 x 8.5 x 7 = 9,209.20
    assert figure(Sheets(book), "Total") == D("9209.20")


def test_a_term_that_counts_in_part_keeps_its_share() -> None:
    plan = factory.rented()
    half = plan.purchases[0].model_copy(update={"cost": D("4675.66")})
    cost = parts.cost_of((half,), ["4675.66"], {"search": "4675.66"})
    book = book_of(plan.model_copy(update={"purchases": (half,), "cost": cost}))
    assert book["Lines"]["N4"].value == 0.5
    assert figure(Sheets(book), "Total") == D("4675.66")


def test_text_never_becomes_a_formula(language: Language) -> None:
    book = book_of(factory.conditional(), language)
    texts = [cell for sheet in book for row in sheet.iter_rows() for cell in row if isinstance(cell.value, str)]
    outside = [cell for cell in texts if cell.value.startswith(("=", "+", "-", "@")) and cell.data_type != "f"]
    assert {cell.value[0] for cell in outside} >= {"+", "@"}
    assert all(cell.quotePrefix for cell in outside)
    formulas = [cell.value for cell in texts if cell.data_type == "f"]
    assert not any(word in text for word in ("cmd", "SUM(1+1)", "script", "calc") for text in formulas)
    titles = "|".join(re.escape(sheet.title) for sheet in book)
    allowed = rf"=(SUM|MAX|SUMIF|IF|[A-Z]\d*|\d|[()$:!,+*/=\"-]|'({titles})'!)+"
    assert all(re.fullmatch(allowed, text) for text in formulas)


def test_inputs_are_marked_and_numbers_have_formats() -> None:
    lines = book_of(factory.rented())["Lines"]
    assert lines["J4"].fill.fgColor.rgb == "00FFF6CC"
    assert lines["J4"].number_format == "#,##0.00####"
    assert lines["P4"].number_format == "#,##0.00"
    assert lines["D4"].number_format == "yyyy-mm-dd"


def test_same_plan_same_bytes(any_plan: Plan, language: Language) -> None:
    assert write_workbook(any_plan, language) == write_workbook(any_plan, language)
