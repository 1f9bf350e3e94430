"""The document as Word: styles, tables with repeated heads, header with plan id and catalog hash, page numbers.

Text from outside goes into text runs only; the page numbers are the only fields of the file.
"""

import io
from collections.abc import Sequence
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
CELL_STYLE, HEAD_STYLE, CODE_STYLE = CELL_STYLES = ("Cell", "Cell Head", "Command")
HEAD_FILL = "E8EBEF"
FORM_ROW_CM = 0.8
#: A4 less the margins, in centimetres.
PAGE_CM, MARGIN_CM, WIDTH_CM = (21.0, 29.7), 1.8, 17.4


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
    _cell_styles(word)


def _cell_styles(word: "WordDocument") -> None:
    """Styles of tables: a cell, a head, a command."""
    from docx.enum.style import WD_STYLE_TYPE
    from docx.shared import Pt

    for name in (CELL_STYLE, HEAD_STYLE):
        style = word.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
        style.base_style = word.styles["Normal"]
        style.font.size = Pt(TABLE_POINTS)
        style.font.bold = name == HEAD_STYLE
        style.paragraph_format.space_after = Pt(0)
    code = word.styles.add_style(CODE_STYLE, WD_STYLE_TYPE.CHARACTER)
    code.font.name, code.font.size = CODE_FONT, Pt(CODE_POINTS)


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
    widths = [Cm(width) for width in _widths(block.widths)]
    for column, width in zip(table.columns, widths, strict=True):
        column.width = width
    # The library looks a style up by name for each paragraph; ids are set directly, which is ten times as fast.
    styles = {name: word.styles[name].style_id for name in CELL_STYLES}
    head, *rows = table.rows
    _row_mark(head, "w:tblHeader")
    for cell, name, width in zip(head.cells, block.head, widths, strict=True):
        _fill(cell, name, width, styles, HEAD_STYLE)
        _shade(cell)
    for row, cells in zip(rows, block.rows, strict=True):
        # A row is never split over two pages; one to be filled by hand has room for it.
        _row_mark(row, "w:cantSplit")
        if is_form(cells):
            row.height = Cm(FORM_ROW_CM)
        for cell, content, width in zip(row.cells, cells, widths, strict=True):
            _fill(cell, content, width, styles, CELL_STYLE)
    word.add_paragraph()


def _widths(relative: Sequence[int]) -> list[float]:
    total = sum(relative)
    return [WIDTH_CM * part / total for part in relative]


def _fill(cell: Any, content: Cell, width: Any, styles: dict[str, str], style: str) -> None:
    cell.width = width
    paragraph = cell.paragraphs[0]
    paragraph._p.style = styles[style]  # noqa: SLF001 - see above
    lead = content.lead if isinstance(content, Code) else content
    if lead:
        paragraph.add_run(clean(lead))
    if isinstance(content, Code):
        paragraph.add_run(clean(content.text))._r.style = styles[CODE_STYLE]  # noqa: SLF001 - see above


def _shade(cell: Any) -> None:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    shade = OxmlElement("w:shd")
    shade.set(qn("w:val"), "clear")
    shade.set(qn("w:fill"), HEAD_FILL)
    cell._tc.get_or_add_tcPr().append(shade)  # noqa: SLF001 - python-docx has no shading of its own


def _row_mark(row: Any, name: str) -> None:
    from docx.oxml import OxmlElement

    row._tr.get_or_add_trPr().append(OxmlElement(name))  # noqa: SLF001 - python-docx has no row marks of its own
