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
FONT_FILE = Path(__file__).parent / "fonts" / "NotoSansSC-GB2312.ttf"
FONT, CODE_FONT = "body", "Courier"
#: How TrueType font files begin (OpenType specification, table directory).
FONT_STARTS = (b"\x00\x01\x00\x00", b"true", b"ttcf")
MARGIN_MM, LINE = 16, 1.35
BODY_POINTS, TABLE_POINTS, CODE_POINTS, EDGE_POINTS = 9.5, 7.5, 7, 7.5
SIZES = {0: 18, 1: 16, 2: 13, 3: 11}
MM_PER_POINT = 25.4 / 72
TABLE_LINE_MM = TABLE_POINTS * MM_PER_POINT * LINE
#: Courier: every letter is 600/1000 of the size wide.
CODE_WIDTH = 0.6
PADDING_MM, FORM_ROW_MM = 0.8, 8.0
HEAD_GREY, LINE_GREY = 235, 140
#: A heading stands on a page only with this much room for what follows.
ROOM_BELOW_MM = 28
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
    _number_pages(pdf, document)
    return bytes(pdf.output())


def _new(document: Document) -> "FPDF":
    from fpdf import FPDF

    class Page(FPDF):
        def header(self) -> None:
            _edge(self, document.header, 7, "R")

    pdf = Page(format="A4")
    # Text from outside must not stand for the number of pages.
    pdf.alias_nb_pages("")
    pdf.set_margin(MARGIN_MM)
    pdf.set_auto_page_break(auto=True, margin=MARGIN_MM)
    _add_font(pdf)
    pdf.set_title(clean(document.title))
    pdf.set_creation_date(FIXED_DAY)
    pdf.set_lang("zh-CN" if document.language == "zh" else "en")
    pdf.add_page()
    return pdf


def _add_font(pdf: "FPDF") -> None:
    path = Path(os.environ.get(FONT_VARIABLE) or FONT_FILE)
    try:
        if path.read_bytes()[:4] not in FONT_STARTS:
            raise ValueError("no TrueType font")
        pdf.add_font(FONT, fname=str(path))
    except Exception as error:
        raise InputError(Problem(FONT_VARIABLE, "", f"{path}: {error}", "a TrueType font file (.ttf)")) from error


def _number_pages(pdf: "FPDF", document: Document) -> None:
    """ "Page N of M" below every page, once M is known."""
    pdf.set_auto_page_break(auto=False)
    pages = pdf.pages_count
    first, of, last = (text.say(document.language) for text in (texts.PAGE, texts.PAGE_OF, texts.PAGE_END))
    for number in range(1, pages + 1):
        pdf.page = number
        _edge(pdf, f"{first} {number} {of} {pages} {last}".rstrip(), -10, "C")


def _edge(pdf: "FPDF", text: str, y_mm: float, align: str) -> None:
    """The line above or below the page."""
    pdf.set_font(FONT, size=EDGE_POINTS)
    pdf.set_y(y_mm)
    pdf.cell(0, 4, clean(text), align=align)
    pdf.set_y(MARGIN_MM)


#: A line of a cell with its font and size.
Line = tuple[str, str, float]


class _Setter:
    """Sets blocks one below the other; every cell is plain text, nothing in it is read as markup."""

    def __init__(self, pdf: "FPDF") -> None:
        from fpdf.fonts import TTFFont

        self.pdf = pdf
        face = pdf.fonts[FONT]
        if not isinstance(face, TTFFont):  # pragma: no cover - a font read from a file is one
            raise TypeError(f"{face} is no font file")
        self.known = face.cmap
        self.widths = {code: face.cw[code] for code in face.cmap}

    def heading(self, text: str, level: int) -> None:
        points = SIZES[level]
        height = points * MM_PER_POINT * LINE
        if self.pdf.will_page_break(height + ROOM_BELOW_MM):
            self.pdf.add_page()
        self.pdf.ln(height * 0.4)
        self._write(text, points)
        self.pdf.ln(height * 0.2)

    def paragraph(self, text: str) -> None:
        self._write(text, BODY_POINTS)
        self.pdf.ln(1.5)

    def _write(self, text: str, points: float) -> None:
        self.pdf.set_font(FONT, size=points)
        for line in self.lines(text, self.pdf.epw, points):
            self.pdf.cell(0, points * MM_PER_POINT * LINE, line, new_x="LMARGIN", new_y="NEXT")

    def lines(self, text: str, width_mm: float, points: float) -> list[str]:
        """The text in lines of a width; what the font lacks is marked."""
        plain = "".join(char if ord(char) in self.known else MISSING for char in clean(text))
        scale = points * MM_PER_POINT / 1_000
        return wrapped(plain, width_mm / scale, lambda part: sum(self.widths[ord(char)] for char in part))

    def table(self, block: Table) -> None:
        total = sum(block.widths)
        widths = [self.pdf.epw * part / total for part in block.widths]
        head = [self._cell_lines(cell, width) for cell, width in zip(block.head, widths, strict=True)]
        head_mm = self._height(head, 0.0)
        for place, row in enumerate(block.rows):
            cells = [self._cell_lines(cell, width) for cell, width in zip(row, widths, strict=True)]
            least_mm = FORM_ROW_MM if is_form(row) else 0.0
            breaks = self.pdf.will_page_break(self._height(cells, least_mm) + (0.0 if place else head_mm))
            if breaks:
                self.pdf.add_page()
            if breaks or not place:
                self._row(head, widths, is_head=True)
            self._row(cells, widths, least_mm)
        self.pdf.ln(2)

    def _cell_lines(self, cell: Cell, width_mm: float) -> list[Line]:
        """Lines of a cell; commands in a typewriter face where they are Latin."""
        inner = width_mm - 2 * PADDING_MM
        if not isinstance(cell, Code):
            return [(line, FONT, TABLE_POINTS) for line in self.lines(cell, inner, TABLE_POINTS)]
        lead = self._cell_lines(cell.lead, width_mm) if cell.lead else []
        if not clean(cell.text).isascii():
            return [*lead, *self._cell_lines(cell.text, width_mm)]
        letters = inner / (CODE_POINTS * MM_PER_POINT * CODE_WIDTH)
        return [*lead, *((line, CODE_FONT, CODE_POINTS) for line in wrapped(clean(cell.text), letters, len))]

    def _height(self, cells: list[list[Line]], least_mm: float) -> float:
        most = max(1, *map(len, cells))
        return max(most * TABLE_LINE_MM + 2 * PADDING_MM, least_mm)

    def _row(
        self, cells: list[list[Line]], widths: list[float], least_mm: float = 0.0, *, is_head: bool = False
    ) -> None:
        height = self._height(cells, least_mm)
        left, top = self.pdf.l_margin, self.pdf.get_y()
        self.pdf.set_draw_color(LINE_GREY)
        self.pdf.set_fill_color(HEAD_GREY)
        for lines, width in zip(cells, widths, strict=True):
            self.pdf.rect(left, top, width, height, style="DF" if is_head else "D")
            for place, (line, font, points) in enumerate(lines):
                self.pdf.set_font(font, size=points)
                self.pdf.set_xy(left + PADDING_MM - self.pdf.c_margin, top + PADDING_MM + place * TABLE_LINE_MM)
                self.pdf.cell(width, TABLE_LINE_MM, line)
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
