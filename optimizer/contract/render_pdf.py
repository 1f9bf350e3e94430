"""The document as PDF, without any program or font of the system (docs/adr/0091-pdf.md).

Chinese text is set in the standard font STSong-Light, which every PDF reader with Chinese support supplies; a TrueType
font named by OPTIMIZE_CJK_FONT is embedded instead.
"""

import io
import os
from typing import TYPE_CHECKING, Any

from optimizer.contract import texts
from optimizer.contract.document import Cell, Code, Document, Heading, Paragraph, Table
from optimizer.contract.safe import pdf_markup
from optimizer.errors import InputError, Problem

if TYPE_CHECKING:
    from reportlab.lib.styles import ParagraphStyle

FONT_VARIABLE = "OPTIMIZE_CJK_FONT"
STANDARD_FONT, EMBEDDED_FONT = "STSong-Light", "EmbeddedCjk"
LATIN, LATIN_BOLD, MONO = "Helvetica", "Helvetica-Bold", "Courier"
MARGIN_MM = 16
HEAD_FILL = 0.92
SIZES = {0: 18, 1: 16, 2: 13, 3: 11}


def render_pdf(document: Document) -> bytes:
    """A whole PDF file; the same content gives the same bytes.

    Raises:
        InputError: the font named by OPTIMIZE_CJK_FONT cannot be embedded.
    """
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.units import mm
    from reportlab.platypus import SimpleDocTemplate, Spacer

    setter = _Setter(_chinese_font())
    flow: list[Any] = [setter.heading(document.title, 0)]
    width = A4[0] - 2 * MARGIN_MM * mm
    for block in document.blocks:
        if isinstance(block, Heading):
            flow.append(setter.heading(block.text, block.level))
        elif isinstance(block, Paragraph):
            flow.append(setter.text(block.text, 9.5))
        else:
            flow += [setter.table(block, width), Spacer(1, 2 * mm)]
    out = io.BytesIO()
    margins = dict.fromkeys(("leftMargin", "rightMargin", "topMargin", "bottomMargin"), MARGIN_MM * mm)
    page = SimpleDocTemplate(out, pagesize=A4, invariant=1, title=document.title, author="", **margins)
    page.build(flow, canvasmaker=_numbered_canvas(document, setter))
    return out.getvalue()


def _chinese_font() -> str:
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont
    from reportlab.pdfbase.ttfonts import TTFError, TTFont

    path = os.environ.get(FONT_VARIABLE)
    if not path:
        pdfmetrics.registerFont(UnicodeCIDFont(STANDARD_FONT))
        return STANDARD_FONT
    try:
        pdfmetrics.registerFont(TTFont(EMBEDDED_FONT, path))
    except (TTFError, OSError) as error:
        expected = "a TrueType font (.ttf or .ttc with TrueType outlines) with Chinese characters"
        raise InputError(Problem(FONT_VARIABLE, "", f"{path}: {error}", expected)) from error
    return EMBEDDED_FONT


class _Setter:
    """Sets text: Latin in the standard fonts, all else in the Chinese font."""

    def __init__(self, chinese: str) -> None:
        self.chinese = chinese

    def style(self, points: float, font: str = LATIN) -> "ParagraphStyle":
        from reportlab.lib.styles import ParagraphStyle

        return ParagraphStyle(
            "plain", fontName=font, fontSize=points, leading=points * 1.35, wordWrap="CJK", splitLongWords=True
        )

    def text(self, content: str, points: float, font: str = LATIN) -> Any:
        from reportlab.platypus import Paragraph as Flowing

        return Flowing(pdf_markup(content, self.chinese), self.style(points, font))

    def heading(self, content: str, level: int) -> Any:
        from reportlab.platypus import Paragraph as Flowing

        style = self.style(SIZES[level], LATIN_BOLD)
        style.spaceBefore, style.spaceAfter, style.keepWithNext = SIZES[level] * 0.5, SIZES[level] * 0.4, 1
        return Flowing(pdf_markup(content, self.chinese), style)

    def cell(self, content: Cell) -> Any:
        if not isinstance(content, Code):
            return self.text(content, 7.5)
        lead = [self.text(content.lead, 7.5)] if content.lead else []
        return [*lead, self.text(content.text, 6.5, MONO)]

    def table(self, block: Table, width: float) -> Any:
        from reportlab.lib.colors import Color, grey
        from reportlab.platypus import LongTable

        total = sum(block.widths)
        head = [self.text(name, 7.5, LATIN_BOLD) for name in block.head]
        rows = [[self.cell(cell) for cell in row] for row in block.rows]
        table = LongTable([head, *rows], colWidths=[width * part / total for part in block.widths], repeatRows=1)
        table.setStyle(
            [
                ("GRID", (0, 0), (-1, -1), 0.4, grey),
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
                ("BACKGROUND", (0, 0), (-1, 0), Color(HEAD_FILL, HEAD_FILL, HEAD_FILL)),
                *((name, (0, 0), (-1, -1), 2) for name in ("TOPPADDING", "BOTTOMPADDING")),
                *((name, (0, 0), (-1, -1), 3) for name in ("LEFTPADDING", "RIGHTPADDING")),
            ]
        )
        return table


def _numbered_canvas(document: Document, setter: _Setter) -> Any:
    """A canvas that prints header and "page N of M" once the number of pages is known."""
    from reportlab.pdfgen.canvas import Canvas

    class Numbered(Canvas):  # type: ignore[misc]
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            self.pages: list[dict[str, Any]] = []

        def showPage(self) -> None:  # noqa: N802 - the library's name
            self.pages.append(dict(self.__dict__))
            self._startPage()

        def save(self) -> None:
            for number, state in enumerate(self.pages, start=1):
                self.__dict__.update(state)
                _margins(self, document, setter, number, len(self.pages))
                super().showPage()
            super().save()

    return Numbered


def _margins(canvas: Any, document: Document, setter: _Setter, number: int, pages: int) -> None:
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.units import mm

    language = document.language
    footer = f"{texts.PAGE.say(language)} {number} {texts.PAGE_OF.say(language)} {pages} {texts.PAGE_END.say(language)}"
    for content, height in ((document.header, A4[1] - 10 * mm), (footer.strip(), 8 * mm)):
        line = setter.text(content, 7.5)
        line.wrapOn(canvas, A4[0] - 2 * MARGIN_MM * mm, 10 * mm)
        line.drawOn(canvas, MARGIN_MM * mm, height)
