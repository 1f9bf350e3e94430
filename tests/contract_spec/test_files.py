"""The files: the same facts in each, nothing from outside becomes code, the same content gives the same bytes."""

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
from docx import Document as open_docx  # noqa: N813 - a function of that library
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader

from optimizer.contract.answers import Answer, compare
from optimizer.contract.build import build_contract
from optimizer.contract.deviation import deviation_workbook
from optimizer.contract.document import Document, lay_out, shown_value
from optimizer.contract.render_docx import render_docx
from optimizer.contract.render_markdown import render_markdown
from optimizer.contract.render_pdf import render_pdf, wrapped
from optimizer.contract.safe import clean, markdown, markdown_code
from optimizer.contract.spec import ContractSpec
from optimizer.domain.plan import Plan
from optimizer.domain.text import LANGUAGES, Language
from optimizer.errors import InputError
from tests.contract_spec import plans

HOSTILE = (
    "=cmd|' /C calc'!A0",
    "+1+1",
    "@SUM(A1)",
    "{INCLUDETEXT c:\\x}",
    "<script>alert(1)</script>",
    "a | b | c",
    "[link](javascript:x)",
    "**bold** `code`",
    "line\nbreak\x07\u202eevil",
    "%{nb}",
)


@pytest.fixture(scope="module")
def spec() -> ContractSpec:
    return build_contract(plans.all_three(), plans.facts())


def docx_text(content: bytes) -> str:
    """All text of a Word file, table cells included, in order."""
    word = open_docx(io.BytesIO(content))
    tables = (cell.text for table in word.tables for row in table.rows for cell in row.cells)
    return "\n".join([*(paragraph.text for paragraph in word.paragraphs), *tables])


def pdf_text(content: bytes) -> str:
    """All text of a PDF."""
    return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)


def squeezed(text: str) -> str:
    """Without blanks and escapes, so that line breaks do not matter."""
    return re.sub(r"[\s\\]+", "", text).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


@pytest.fixture(scope="module")
def files(spec: ContractSpec) -> dict[tuple[str, str], bytes]:
    """Every written form in both languages, made once."""
    return {
        (language, form): render(lay_out(spec, language))
        for language in LANGUAGES
        for form, render in (("docx", render_docx), ("md", markdown_bytes), ("pdf", render_pdf))
    }


def markdown_bytes(document: Document) -> bytes:
    return render_markdown(document).encode()


@pytest.mark.parametrize("form", ["docx", "md", "pdf"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_form_carries_every_line(
    spec: ContractSpec, files: dict[tuple[str, str], bytes], language: Language, form: str
) -> None:
    read = {"docx": docx_text, "pdf": pdf_text, "md": lambda content: content.decode()}[form]
    told = squeezed(read(files[language, form]))
    for _, item in spec.lines():
        for part in (item.number, item.title.say(language), item.clause.say(language), shown_value(item, language)):
            assert squeezed(part) in told, (item.id, part)
        if item.acceptance is not None and form != "md":
            assert squeezed(item.acceptance.command) in told, item.id
    assert spec.plan_id in told
    assert plans.SHA in told


def test_chinese_stands_in_the_pdf_in_an_embedded_font(files: dict[tuple[str, str], bytes]) -> None:
    reader = PdfReader(io.BytesIO(files["zh", "pdf"]))
    first = reader.pages[0]
    assert "GPU服务器合同规格书" in squeezed(first.extract_text())
    fonts = [font.get_object() for font in first["/Resources"]["/Font"].values()]  # type: ignore[index]
    (chinese,) = [font for font in fonts if "/DescendantFonts" in font]
    assert "/FontFile2" in chinese["/DescendantFonts"][0].get_object()["/FontDescriptor"].get_object()


def test_amounts_stand_in_the_pdf_in_words(files: dict[tuple[str, str], bytes]) -> None:
    assert "人民币壹佰捌拾万元整" in squeezed(pdf_text(files["zh", "pdf"]))


def test_pages_of_the_pdf_are_numbered(files: dict[tuple[str, str], bytes]) -> None:
    pages = PdfReader(io.BytesIO(files["en", "pdf"])).pages
    assert len(pages) > 3
    for number, page in enumerate(pages, start=1):
        assert f"Page {number} of {len(pages)}" in page.extract_text()


def test_a_character_that_the_font_lacks_is_shown_as_missing() -> None:
    spec = build_contract(plans.rented(plans.h100_box(cpu="CPU 喆𠮷")), plans.facts())
    assert "CPU〓〓" in squeezed(pdf_text(render_pdf(lay_out(spec, "zh"))))


def test_a_font_that_cannot_be_read_is_named(
    spec: ContractSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    font = tmp_path / "broken.ttf"
    font.write_bytes(b"no font")
    monkeypatch.setenv("OPTIMIZE_CJK_FONT", str(font))
    with pytest.raises(InputError, match="OPTIMIZE_CJK_FONT"):
        render_pdf(lay_out(spec, "zh"))


def test_the_word_file_has_header_pages_and_east_asian_fonts(
    spec: ContractSpec, files: dict[tuple[str, str], bytes]
) -> None:
    content = files["zh", "docx"]
    word = open_docx(io.BytesIO(content))
    header = word.sections[0].header.paragraphs[0].text
    assert spec.plan_id in header
    assert plans.SHA[:16] in header
    members = zipfile.ZipFile(io.BytesIO(content))
    footer = members.read("word/footer1.xml").decode()
    assert re.findall(r"<w:instrText[^>]*>([^<]*)<", footer) == ["PAGE", "NUMPAGES"]
    assert 'w:eastAsia="宋体"' in members.read("word/styles.xml").decode()
    assert "w:tblHeader" in members.read("word/document.xml").decode()


@pytest.mark.parametrize("render", [render_docx, render_pdf, markdown_bytes])
def test_equal_content_is_equal_bytes(render: Callable[[Document], bytes]) -> None:
    spec = build_contract(plans.ordered(), plans.facts())
    document = lay_out(spec, "en")
    assert render(document) == render(document)


# --- text from outside --------------------------------------------------------------------------------------------


def hostile_plan() -> Plan:
    """A plan whose names, sources and questions carry all these texts, each at the start of some cell."""
    box = plans.h100_box(cpu=HOSTILE[0], source=HOSTILE[4], facts={"cores": f"derived: {HOSTILE[3]}"})
    asked = [
        plans.unknown(text, text, confirm_en=text, confirm_zh=text, source=text, message_en=text) for text in HOSTILE
    ]
    return plans.rented(box, *asked, source=HOSTILE[1])


@pytest.fixture(scope="module")
def hostile() -> ContractSpec:
    return build_contract(hostile_plan(), plans.facts())


def hostile_answer(text: str) -> Answer:
    return Answer(text, frozenset({"P1"}), {("P1", "response_time"): text})


def test_the_word_file_has_no_field_but_the_page_numbers(hostile: ContractSpec) -> None:
    content = render_docx(lay_out(hostile, "en"))
    members = zipfile.ZipFile(io.BytesIO(content))
    body = members.read("word/document.xml").decode()
    for code in ("instrText", "fldSimple", "<script", "w:hyperlink", "w:object"):
        assert code not in body
    assert not [name for name in members.namelist() if "vba" in name.lower() or "embed" in name.lower()]
    told = squeezed(docx_text(content))
    assert all(squeezed(clean(text)) in told for text in HOSTILE)


def test_markdown_stays_one_table_cell(hostile: ContractSpec) -> None:
    page = render_markdown(lay_out(hostile, "en"))
    assert "<script" not in page
    assert "](" not in page
    tables = [block.strip().split("\n") for block in page.split("\n\n") if block.startswith("|")]
    assert len(tables) > 10
    for lines in tables:
        assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {lines[1].count("|")}


def test_the_workbook_has_no_formula(hostile: ContractSpec) -> None:
    compared = [compare(hostile, hostile_answer(text), plans.SPELLINGS.get) for text in HOSTILE]
    content = deviation_workbook(hostile, compared, "en")
    cells = [cell for row in openpyxl.load_workbook(io.BytesIO(content)).active.iter_rows() for cell in row]
    assert not [cell for cell in cells if cell.data_type == "f"]
    assert "<f>" not in zipfile.ZipFile(io.BytesIO(content)).read("xl/worksheets/sheet1.xml").decode()
    assert {HOSTILE[0], HOSTILE[1], HOSTILE[2]} <= {cell.value for cell in cells}


def test_the_pdf_prints_hostile_text_as_text(hostile: ContractSpec) -> None:
    content = render_pdf(lay_out(hostile, "en"))
    for code in (b"/JavaScript", b"/URI", b"/Launch", b"/OpenAction <<"):
        assert code not in content
    told = squeezed(pdf_text(content))
    assert all(squeezed(clean(text)) in told for text in HOSTILE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a|b", r"a\|b"),
        ("<b>", "&lt;b&gt;"),
        ("![x](y)", r"\!\[x\]\(y\)"),
        ("one\ntwo", "one two"),
        ("https://a.example/x", "https://a.example/x"),
    ],
)
def test_markdown_text(text: str, expected: str) -> None:
    assert markdown(text) == expected


def test_markdown_code_keeps_pipes_and_ticks() -> None:
    assert markdown_code("lscpu | grep x") == "`lscpu \\| grep x`"
    assert markdown_code("a `b` c") == "``a `b` c``"


# --- the deviation table ------------------------------------------------------------------------------------------


def test_a_column_for_each_vendor() -> None:
    spec = build_contract(plans.rented(), plans.facts())
    answers = [
        Answer("甲", frozenset({"P1"}), {("P1", "memory"): "4096 GiB"}),
        Answer("乙", frozenset({"P1"}), {("P1", "memory"): "512 GiB"}),
    ]
    content = deviation_workbook(spec, [compare(spec, one, plans.SPELLINGS.get) for one in answers], "zh")
    rows = list(openpyxl.load_workbook(io.BytesIO(content)).active.iter_rows(values_only=True))
    assert (rows[0][5], rows[0][7]) == ("甲", "乙")
    (ram,) = [row for row in rows if str(row[2]).startswith("内存: ")]
    assert ram[1] == "★"
    assert ram[5:9] == ("4096 GiB", "满足: 正偏离", "512 GiB", "不满足: 负偏离（要求 2048 GiB）")
    assert len(rows) == 2 + len(list(spec.lines()))


def test_an_empty_table_for_a_vendor_to_fill(spec: ContractSpec) -> None:
    content = deviation_workbook(spec, [], "en")
    assert content == deviation_workbook(spec, [], "en")
    sheet = openpyxl.load_workbook(io.BytesIO(content)).active
    assert sheet.max_row == 2 + len(list(spec.lines()))
    assert [sheet.cell(2, column).value for column in (6, 7)] == ["Vendor's answer", "Deviation"]


def test_the_deviation_annex_of_the_document_holds_the_answers() -> None:
    spec = build_contract(plans.rented(), plans.facts())
    answer = Answer("Vendor A", frozenset({"P1"}), {("P1", "memory"): "512 GiB"})
    page = render_markdown(lay_out(spec, "en", [compare(spec, answer, plans.SPELLINGS.get)]))
    assert "| 512 GiB | negative \\(required 2048 GiB\\) |" in page


# --- lines of the PDF ---------------------------------------------------------------------------------------------


@given(st.text(alphabet=st.sampled_from("ab c d，。（）中文字 x-/=|"), max_size=60), st.integers(3, 20))
def test_lines_are_no_wider_than_the_page_and_lose_nothing(text: str, width: int) -> None:
    lines = wrapped(text, width, len)
    assert all(len(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_no_line_begins_with_a_closing_mark() -> None:
    assert wrapped("一二三四，五六（七八）九", 4, len) == ["一二三", "四，五六", "（七八）", "九"]
