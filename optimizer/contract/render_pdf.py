"""The document as PDF with its font embedded: it reads alike everywhere and needs no program of the system.

The font covers GB 2312 and Latin (docs/adr/0091-pdf.md); a character that it lacks is printed as 〓, and a font named
by OPTIMIZE_CJK_FONT replaces it.
"""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from optimizer.contract import texts
from optimizer.contract.document import Cell, Code, Document, Heading, Paragraph, Table, is_form
from optimizer.contract.safe import clean
from optimizer.errors import InputError, Problem

if TYPE_CHECKING:
    from fpdf import FPDF

FONT_VARIABLE = "OPTIMIZE_CJK_FONT"
FONT_FILE = Path(__file__).parent / "fonts" / "NotoSansSC-GB2312.otf"
FONT, CODE_FONT = "body", "Courier"
MARGIN_MM, LINE = 16, 1.35
BODY_POINTS, TABLE_POINTS, CODE_POINTS, EDGE_POINTS = 9.5, 7.5, 7, 7.5
SIZES = {0: 18, 1: 16, 2: 13, 3: 11}
MM_PER_POINT = 25.4 / 72
PADDING_MM, FORM_ROW_MM = 0.8, 8.0
HEAD_GREY, LINE_GREY = 235, 140
MISSING = "〓"
FIXED_DAY = datetime(2000, 1, 1, tzinfo=UTC)
#: Marks that never begin a line, and such that never end one.
NOT_FIRST, NOT_LAST = "，。；：、！？）》”’〕】,.;:!?)]}%", "（《“‘〔【([{"


def render_pdf(document: Document) -> bytes:
    """A whole PDF file; the same content gives the same bytes.

    Raises:
        InputError: the font named by OPTIMIZE_CJK_FONT cannot be read.
    """
    pdf = _new(document)
    setter = _Setter(pdf)
    setter.heading(document.title, 0)
    for block in document.blocks:
        if isinstance(block, Heading):
            setter.heading(block.text, block.level)
        elif isinstance(block, Paragraph):
            setter.paragraph(block.text)
        else:
            setter.table(block)
    return bytes(pdf.output())


def _new(document: Document) -> "FPDF":
    from fpdf import FPDF

    class Page(FPDF):
        def header(self) -> None:
            _edge(self, document.header, 7, "R")

        def footer(self) -> None:
            language = document.language
            first, of, last = (text.say(language) for text in (texts.PAGE, texts.PAGE_OF, texts.PAGE_END))
            _edge(self, f"{first} {self.page_no()} {of} {{nb}} {last}".rstrip(), -10, "C")

    pdf = Page(format="A4")
    pdf.set_margin(MARGIN_MM)
    pdf.set_auto_page_break(auto=True, margin=MARGIN_MM)
    _add_font(pdf)
    pdf.set_title(clean(document.title))
    pdf.set_creation_date(FIXED_DAY)
    pdf.set_lang("zh-CN" if document.language == "zh" else "en")
    pdf.add_page()
    return pdf


def _add_font(pdf: "FPDF") -> None:
    path = os.environ.get(FONT_VARIABLE) or str(FONT_FILE)
    try:
        pdf.add_font(FONT, fname=path)
    except Exception as error:
        raise InputError(Problem(FONT_VARIABLE, "", f"{path}: {error}", "a font file (.otf, .ttf, .ttc)")) from error


def _edge(pdf: "FPDF", text: str, y_mm: float, align: str) -> None:
    """The line above or below the page."""
    pdf.set_font(FONT, size=EDGE_POINTS)
    pdf.set_y(y_mm)
    pdf.cell(0, 4, clean(text), align=align)
    pdf.set_y(MARGIN_MM)


class _Setter:
    """Sets blocks one below the other; every cell is plain text, nothing in it is read as markup."""

    def __init__(self, pdf: "FPDF") -> None:
        from fpdf.fonts import TTFFont

        self.pdf = pdf
        face = pdf.fonts[FONT]
        self.known = set(face.cmap) if isinstance(face, TTFFont) else set(range(256))

    def heading(self, text: str, level: int) -> None:
        points = SIZES[level]
        height = points * MM_PER_POINT * LINE
        if self.pdf.will_page_break(height * 4):
            self.pdf.add_page()
        self.pdf.ln(height * 0.4)
        self._write(text, points)
        self.pdf.ln(height * 0.2)

    def paragraph(self, text: str) -> None:
        self._write(text, BODY_POINTS)
        self.pdf.ln(1.5)

    def _write(self, text: str, points: float) -> None:
        for line in self.lines(text, self.pdf.epw, FONT, points):
            self.pdf.cell(0, points * MM_PER_POINT * LINE, line, new_x="LMARGIN", new_y="NEXT")

    def lines(self, text: str, width_mm: float, font: str, points: float) -> list[str]:
        """The text in lines of a width, in the font that is left set."""
        self.pdf.set_font(font, size=points)
        plain = clean(text)
        if font == FONT:
            plain = "".join(char if ord(char) in self.known else MISSING for char in plain)
        return wrapped(plain, width_mm, self.pdf.get_string_width)

    def table(self, block: Table) -> None:
        total = sum(block.widths)
        widths = [self.pdf.epw * part / total for part in block.widths]
        self._row(block.head, widths, head=True)
        for row in block.rows:
            if self.pdf.will_page_break(self._height(row, widths)):
                self.pdf.add_page()
                self._row(block.head, widths, head=True)
            self._row(row, widths)
        self.pdf.ln(2)

    def _cell_lines(self, cell: Cell, width_mm: float) -> list[tuple[str, str, float]]:
        """Lines of a cell, each with font and size; commands in a typewriter face where they are Latin."""
        inner = width_mm - 2 * PADDING_MM
        if not isinstance(cell, Code):
            return [(line, FONT, TABLE_POINTS) for line in self.lines(cell, inner, FONT, TABLE_POINTS)]
        lead = self.lines(cell.lead, inner, FONT, TABLE_POINTS) if cell.lead else []
        face = CODE_FONT if clean(cell.text).isascii() else FONT
        command = self.lines(cell.text, inner, face, CODE_POINTS)
        return [*((line, FONT, TABLE_POINTS) for line in lead), *((line, face, CODE_POINTS) for line in command)]

    def _height(self, row: tuple[Cell, ...], widths: list[float]) -> float:
        most = max(len(self._cell_lines(cell, width)) for cell, width in zip(row, widths, strict=True))
        least = FORM_ROW_MM if is_form(row) else 0.0
        return max(max(most, 1) * self._line_height() + 2 * PADDING_MM, least)

    @staticmethod
    def _line_height() -> float:
        return TABLE_POINTS * MM_PER_POINT * LINE

    def _row(self, row: tuple[Cell, ...], widths: list[float], *, head: bool = False) -> None:
        height = self._height(row, widths)
        left, top = self.pdf.l_margin, self.pdf.get_y()
        self.pdf.set_draw_color(LINE_GREY)
        self.pdf.set_fill_color(HEAD_GREY)
        for cell, width in zip(row, widths, strict=True):
            self.pdf.rect(left, top, width, height, style="DF" if head else "D")
            for place, (line, font, points) in enumerate(self._cell_lines(cell, width)):
                self.pdf.set_font(font, size=points)
                self.pdf.set_xy(left + PADDING_MM - self.pdf.c_margin, top + PADDING_MM + place * self._line_height())
                self.pdf.cell(width, self._line_height(), line)
            left += width
        self.pdf.set_xy(self.pdf.l_margin, top + height)


# --- breaking lines -------------------------------------------------------------------------------------------------


def wrapped(text: str, width: float, measure: Callable[[str], float]) -> list[str]:
    """Lines no wider than `width`: broken at blanks and between Chinese characters, long words anywhere.

    No line begins with a closing mark or ends with an opening one.
    """
    lines, line = [], ""
    for piece in _pieces(text):
        if measure(line + piece.rstrip()) <= width:
            line += piece
            continue
        if line.strip():
            lines.append(line.rstrip())
        *full, line = _cut(piece.lstrip(), width, measure)
        lines += full
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


def _pieces(text: str) -> list[str]:
    """What stays together: a word with the blank after it, one Chinese character with the marks that cling to it."""
    pieces: list[str] = []
    for char in text:
        joins = bool(pieces) and not _may_break(pieces[-1][-1], char)
        if joins:
            pieces[-1] += char
        else:
            pieces.append(char)
    return pieces


def _may_break(before: str, after: str) -> bool:
    if after == " " or after in NOT_FIRST or before in NOT_LAST:
        return False
    return before == " " or _is_wide(before) or _is_wide(after)


def _is_wide(char: str) -> bool:
    """Chinese characters and full-width marks."""
    return char >= "⺀"


def _cut(piece: str, width: float, measure: Callable[[str], float]) -> list[str]:
    """A piece that is wider than a line, cut where it must be; the last part may be short."""
    parts = [""]
    for char in piece:
        if parts[-1] and measure(parts[-1] + char) > width:
            parts.append("")
        parts[-1] += char
    return parts
