"""The document as Word: styles, tables with repeated heads, header with plan id and catalog hash, page numbers.

Text from outside goes into text runs only; the page numbers are the only fields of the file.
"""

import io
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from optimizer.contract import texts
from optimizer.contract.document import Cell, Code, Document, Heading, Paragraph, Table, is_form
from optimizer.contract.files import timeless_zip
from optimizer.contract.safe import clean

if TYPE_CHECKING:
    from docx.document import Document as WordDocument

LATIN_FONT, CODE_FONT = "Arial", "Courier New"
#: Fonts that Word, WPS and LibreOffice know or replace; the East Asian one carries the Chinese text.
CHINESE_FONT, CHINESE_HEAD_FONT = "宋体", "黑体"
BODY_POINTS, TABLE_POINTS, CODE_POINTS = 10.5, 9, 8
HEAD_FILL = "E8EBEF"
FORM_ROW_CM = 0.8
#: A4 less the margins, in centimetres.
PAGE_CM, MARGIN_CM, WIDTH_CM = (21.0, 29.7), 1.8, 17.4
FIXED_DAY = datetime(2000, 1, 1)  # noqa: DTZ001 - a property without meaning, so that equal content is equal bytes


def render_docx(document: Document) -> bytes:
    """A whole .docx file."""
    import docx

    word = docx.Document()
    _page(word)
    _styles(word)
    _header_and_footer(word, document)
    word.add_paragraph(clean(document.title), style="Title")
    for block in document.blocks:
        if isinstance(block, Heading):
            word.add_paragraph(clean(block.text), style=f"Heading {block.level}")
        elif isinstance(block, Paragraph):
            word.add_paragraph(clean(block.text))
        else:
            _table(word, block)
    properties = word.core_properties
    properties.title, properties.author, properties.comments = clean(document.title), "", ""
    properties.created = properties.modified = FIXED_DAY
    out = io.BytesIO()
    word.save(out)
    return timeless_zip(out.getvalue())


def _page(word: "WordDocument") -> None:
    from docx.shared import Cm

    section = word.sections[0]
    section.page_width, section.page_height = Cm(PAGE_CM[0]), Cm(PAGE_CM[1])
    section.left_margin = section.right_margin = section.top_margin = section.bottom_margin = Cm(MARGIN_CM)


def _styles(word: "WordDocument") -> None:
    from docx.shared import Pt, RGBColor

    sizes = {"Normal": BODY_POINTS, "Title": 20, "Heading 1": 16, "Heading 2": 14, "Heading 3": 11.5}
    for name, points in sizes.items():
        style = word.styles[name]
        style.font.size = Pt(points)
        style.font.name = LATIN_FONT
        style.font.color.rgb = RGBColor(0, 0, 0)
        _east_asian(style.element.get_or_add_rPr(), CHINESE_FONT if name == "Normal" else CHINESE_HEAD_FONT)
        style.paragraph_format.space_after = Pt(4)
    for name in ("Heading 2", "Heading 3"):
        word.styles[name].paragraph_format.keep_with_next = True


def _east_asian(properties: Any, font: str) -> None:
    """Name the fonts of a style outright: theme fonts would win over them."""
    from docx.oxml.ns import qn

    fonts = properties.get_or_add_rFonts()
    for theme in ("asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme"):
        fonts.attrib.pop(qn(f"w:{theme}"), None)
    fonts.set(qn("w:eastAsia"), font)


def _header_and_footer(word: "WordDocument", document: Document) -> None:
    from docx.enum.text import WD_ALIGN_PARAGRAPH
    from docx.shared import Pt

    section = word.sections[0]
    header = section.header.paragraphs[0]
    header.alignment = WD_ALIGN_PARAGRAPH.RIGHT
    header.add_run(clean(document.header)).font.size = Pt(8)
    footer = section.footer.paragraphs[0]
    footer.alignment = WD_ALIGN_PARAGRAPH.CENTER
    language = document.language
    footer.add_run(f"{texts.PAGE.say(language)} ").font.size = Pt(8)
    _field(footer, "PAGE")
    footer.add_run(f" {texts.PAGE_OF.say(language)} ").font.size = Pt(8)
    _field(footer, "NUMPAGES")
    footer.add_run(f" {texts.PAGE_END.say(language)}".rstrip()).font.size = Pt(8)


def _field(paragraph: Any, code: str) -> None:
    """A page number field; `code` is ours, never text from outside."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn
    from docx.shared import Pt

    for kind in ("begin", "instr", "end"):
        run = paragraph.add_run()
        run.font.size = Pt(8)
        if kind == "instr":
            element = OxmlElement("w:instrText")
            element.text = code
        else:
            element = OxmlElement("w:fldChar")
            element.set(qn("w:fldCharType"), kind)
        run._r.append(element)  # noqa: SLF001 - python-docx has no fields of its own


def _table(word: "WordDocument", block: Table) -> None:
    from docx.shared import Cm

    table = word.add_table(rows=1 + len(block.rows), cols=len(block.head))
    table.style = "Table Grid"
    table.autofit = False
    widths = _widths(block.widths)
    for column, width in zip(table.columns, widths, strict=True):
        column.width = Cm(width)
    for column, name in enumerate(block.head):
        _fill(table.cell(0, column), name, widths[column], bold=True)
        _shade(table.cell(0, column))
    _repeat(table.rows[0])
    # python-docx finds a cell by walking the whole table: rows are walked once instead.
    for row, cells in zip(table.rows[1:], block.rows, strict=True):
        _keep_whole(row)
        if is_form(cells):
            row.height = Cm(FORM_ROW_CM)
        for cell, text, width in zip(row.cells, cells, widths, strict=True):
            _fill(cell, text, width, bold=False)
    word.add_paragraph()


def _widths(relative: Sequence[int]) -> list[float]:
    total = sum(relative)
    return [WIDTH_CM * part / total for part in relative]


def _fill(cell: Any, content: Cell, width_cm: float, *, bold: bool) -> None:
    from docx.shared import Cm, Pt

    cell.width = Cm(width_cm)
    paragraph = cell.paragraphs[0]
    paragraph.paragraph_format.space_after = Pt(0)
    lead = content.lead if isinstance(content, Code) else content
    if lead:
        run = paragraph.add_run(clean(lead))
        run.bold = bold
        run.font.size = Pt(TABLE_POINTS)
    if isinstance(content, Code):
        run = paragraph.add_run(clean(content.text))
        run.font.size = Pt(CODE_POINTS)
        run.font.name = CODE_FONT


def _shade(cell: Any) -> None:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    shade = OxmlElement("w:shd")
    shade.set(qn("w:val"), "clear")
    shade.set(qn("w:fill"), HEAD_FILL)
    cell._tc.get_or_add_tcPr().append(shade)  # noqa: SLF001 - python-docx has no shading of its own


def _repeat(row: Any) -> None:
    """The head is printed again on each page."""
    _row_mark(row, "w:tblHeader")
    _keep_whole(row)


def _keep_whole(row: Any) -> None:
    """A row is never split over two pages."""
    _row_mark(row, "w:cantSplit")


def _row_mark(row: Any, name: str) -> None:
    from docx.oxml import OxmlElement

    row._tr.get_or_add_trPr().append(OxmlElement(name))  # noqa: SLF001 - python-docx has no row marks of its own
