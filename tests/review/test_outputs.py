"""What a reader gets: JSON with fixed keys, Markdown, HTML without requests, Excel with real numbers, exit codes."""

import io
import json
import os
import re
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from optimizer.app.review import parse_amount
from optimizer.cli import _main
from optimizer.domain.text import LANGUAGES, Text
from optimizer.errors import InputError
from optimizer.review.finding import ReviewFinding
from optimizer.review.render_html import as_html
from optimizer.review.render_json import as_json, plain
from optimizer.review.render_text import as_markdown, print_review
from optimizer.review.render_xlsx import as_workbook
from optimizer.review.review import Review
from optimizer.review.tables import tables
from tests.review.bills import HOUR, STORAGE, bill_of, hours_of, machine, offer, review_of, row, write_csv

Writer = Callable[..., Path]
EVIL = '=HYPERLINK("http://evil.example","x")'


@pytest.fixture
def lines() -> list[dict[str, str]]:
    """A bill with hostile texts in every field that a report shows."""
    tags = json.dumps({"team": EVIL, "workload": "<script>alert(1)</script>|`x`"})
    rows = [line for day in (1, 2, 3) for line in hours_of("i-1", day, 0, 20, Tags=tags)]
    unused = row(
        BilledCost="0", EffectiveCost="5", CommitmentDiscountId=EVIL, CommitmentDiscountStatus="Unused", ResourceId=""
    )
    correction = row(STORAGE, ChargeClass="Correction", ResourceId="@SUM(A1)", ChargePeriodStart="2026-10-01T00:00:00Z")
    return [*rows, STORAGE, unused, correction, row(BilledCost="+1+1", ResourceId="<b>bad</b>")]


@pytest.fixture
def review(focus: Writer, lines: list[dict[str, str]]) -> Review:
    """The review of that bill."""
    return review_of(bill_of(focus(lines)))


def test_json_has_its_fixed_keys(review: Review) -> None:
    data = json.loads(json.dumps(as_json(review, "en"), default=str))
    assert {"totals", "gpu", "other", "unread", "findings"} <= data.keys()
    (total,) = data["totals"]
    assert {"currency", "billed", "effective", "contracted", "list"} <= total.keys()
    (gpu,) = data["gpu"]
    keys = {"provider", "region", "instance_type", "gpu_model", "gpu_hours", "machine_hours", "billed", "effective"}
    assert keys <= gpu.keys()
    assert {"currency", "billed"} <= data["other"][0].keys()
    assert all({"id", "saving", "text"} <= item.keys() for item in data["findings"])
    assert data["unread"] == 1
    assert data["unread_lines"][0]["reason"] == "amount"


def test_json_totals_are_the_sum_of_their_parts_to_the_last_place(review: Review) -> None:
    """60 hours x 32.7726 + 10 + 0 + 10 = 1,986.356."""
    data = as_json(review, "en")
    (total,) = data["totals"]
    assert Decimal(total["billed"]) == Decimal("1986.356")
    gpu = sum(Decimal(item["billed"]) for item in data["gpu"])
    assert gpu + Decimal(data["other"][0]["billed"]) == Decimal(total["billed"])
    assert sum(Decimal(item["billed"]) for item in data["owners"]) == Decimal(total["billed"])


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ("1E+3", "1000.00"),
        ("0E-12", "0.00"),
        ("1.100000000000", "1.10"),
        ("0.000000800000", "0.0000008"),
        ("-2", "-2.00"),
    ],
)
def test_amounts_in_json_are_plain_text(amount: str, text: str) -> None:
    assert plain(Decimal(amount)) == text


@pytest.mark.parametrize("language", LANGUAGES)
def test_html_asks_the_network_for_nothing_and_escapes_the_bill(review: Review, language: Any) -> None:
    page = as_html(review, language)
    assert "<script" not in page
    assert "<b>bad</b>" not in page
    assert not re.findall(r"""(?:src|href|action|data)\s*=\s*["']?(?!data:)[a-z]+:""", page)
    assert not re.findall(r"url\((?!#)", page)
    assert "@import" not in page
    assert "<svg" in page
    assert "Content-Security-Policy" in page


def _mixed(path: Path) -> Review:
    """Rented and hourly machines, a line twice, money that is not for GPUs, and twelve lines without an amount."""
    lines = [
        "date,end,provider,region,instance_type,machine_hours,currency,billed,term,tag_team",
        "2027-02-01,2027-03-01,某云,北京,8卡H20,672,CNY,55000,month,客服",
        *["2027-02-02,,某云,北京,4卡H20,24,CNY,1200,on_demand,搜索"] * 2,
        "2027-02-03,,某云,北京,,,CNY,1105.5,,搜索",
        *[f"2027-02-04,,某云,北京,box,1,CNY,{number}元,on_demand," for number in range(1, 13)],
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    offers = [offer(machine("某云", f"{count}卡H20", "H20-96GB", count), "北京") for count in (4, 8)]
    return review_of(bill_of(path, offers=offers), offers)


def _chart_labels(page: str) -> str:
    return " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", page))


def test_the_chart_speaks_the_language_of_the_page(tmp_path: Path) -> None:
    review = _mixed(tmp_path / "bill.csv")
    chinese, english = _chart_labels(as_html(review, "zh")), _chart_labels(as_html(review, "en"))
    assert "8卡H20 包月" in chinese
    assert "4卡H20 按量" in chinese
    assert not re.search("by the month|on demand", chinese)
    assert "8卡H20 by the month" in english
    assert "4卡H20 on demand" in english


def test_only_savings_are_green(tmp_path: Path) -> None:
    """A line that stands there twice speaks of 1,200; that it is too much is not known."""
    review = _mixed(tmp_path / "bill.csv")
    page = as_html(review, "zh")
    assert '<li class="warning"><span class="tag">重复行</span><span class="amount">1,200.00 CNY</span>' in page
    assert "li.saving .amount { color: var(--good) }" in page
    assert not re.search(r"(?<!saving )\.amount {[^}]*--good", page)
    table = next(table for table in tables(review, "zh") if table.key == "findings")
    labels = [column.label for column in table.columns]
    row = next(row for row in table.rows if row[0] == "重复行")
    assert (row[labels.index("可省")], row[labels.index("涉及金额")]) == (None, 1200)


@pytest.mark.parametrize("language", LANGUAGES)
def test_tables_of_gpu_money_say_what_they_leave_out(tmp_path: Path, language: Any) -> None:
    """55,000 + 2 x 1,200 for GPUs, 1,105.50 for something else."""
    shown = {table.key: table for table in tables(_mixed(tmp_path / "bill.csv"), language)}
    said = {"en": ("GPU billed (cash)", "1,105.50 CNY of the bill"), "zh": ("GPU 现金", "另有 1,105.50 CNY")}
    for key in ("team", "account", "provider", "term"):
        assert shown[key].columns[2].label == said[language][0]
        assert said[language][1] in shown[key].note
        assert sum(row[2] for row in shown[key].rows) == 57400


@pytest.mark.parametrize(("language", "more"), [("en", "... and 2 more"), ("zh", "……另有 2 条")])
def test_a_screen_says_how_many_lines_it_does_not_show(tmp_path: Path, language: Any, more: str) -> None:
    """Twelve lines could not be read: ten are shown, and that two are not."""
    from rich.console import Console

    screen = Console(file=io.StringIO(), width=200, force_terminal=False)
    print_review(_mixed(tmp_path / "bill.csv"), language, screen)
    said = screen.file.getvalue()  # type: ignore[attr-defined]
    assert said.count("元") == 10
    assert more in said
    assert ("1,105.50 CNY of the bill" if language == "en" else "另有 1,105.50 CNY") in said


def test_details_count_what_was_not_kept() -> None:
    """Of sixty lines fifty were kept and three are shown: 57 more; all that were kept: ten more."""
    lines = tuple(Text(str(number), str(number)) for number in range(50))
    finding = ReviewFinding("unread", "warning", Text("", ""), details=lines, unlisted=10)
    assert [text.en for text in finding.first(3)] == ["0", "1", "2", "... and 57 more"]
    assert finding.first()[-1].zh == "……另有 10 条"
    assert ReviewFinding("unread", "warning", Text("", ""), details=lines[:3]).first(3) == lines[:3]


def test_html_is_the_same_twice(review: Review) -> None:
    assert as_html(review, "en") == as_html(review, "en")


def test_excel_holds_numbers_formats_dates_and_no_formula(review: Review) -> None:
    content = as_workbook(review, "en")
    assert content == as_workbook(review, "en")
    book = load_workbook(io.BytesIO(content))
    cells = [cell for sheet in book for line in sheet.iter_rows() for cell in line if cell.value is not None]
    assert not [cell for cell in cells if cell.data_type == "f"]
    assert [cell for cell in cells if cell.value == EVIL]
    rows = [[cell.value for cell in line] for line in book["Totals"].iter_rows()]
    place = next(number for number, line in enumerate(rows) if line[0] == "USD")
    values = dict(zip(rows[place - 1], rows[place], strict=True))
    assert values["Billed (cash)"] == pytest.approx(1986.356)
    money = [cell for cell in book["Totals"][place + 1] if isinstance(cell.value, float)]
    assert money
    assert {cell.number_format for cell in money} == {"#,##0.00"}
    assert [cell for cell in cells if cell.is_date]


@pytest.mark.parametrize("language", LANGUAGES)
def test_markdown_tables_stay_tables(review: Review, language: Any) -> None:
    text = as_markdown(review, language)
    assert "<script>" not in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    widths: dict[int, set[int]] = {}
    number = 0
    for before, line in zip(["", *text.splitlines()], text.splitlines(), strict=False):
        if line.startswith("|"):
            number += not before.startswith("|")
            widths.setdefault(number, set()).add(len(re.findall(r"(?<!\\)\|", line)))
    assert rows
    assert all(len(found) == 1 for found in widths.values())


def test_every_sentence_has_both_languages_and_the_same_blanks() -> None:
    import importlib
    import pkgutil

    import optimizer.review as room

    checked = 0
    for module in pkgutil.iter_modules(room.__path__):
        names = vars(importlib.import_module(f"optimizer.review.{module.name}"))
        for value in names.values():
            texts = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else (value,)
            for text in [value] if isinstance(value, Text) else texts:
                if isinstance(text, Text):
                    blanks = [sorted(re.findall(r"{(\w+)}", part)) for part in text]
                    assert blanks[0] == blanks[1], text
                    assert text.en.strip()
                    assert text.zh.strip()
                    checked += 1
    assert checked > 100


# ---------------------------------------------------------------------------------------------------------------------
# The command


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of the test's own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("OPTIMIZE_LANG", "en")
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


def test_the_command_prints_json_alone(home: Path, focus: Writer, lines: list[Any], capsys: Any) -> None:
    assert _main.run(["review", "--bill", str(focus(lines)), "--json"]) == 0
    out = capsys.readouterr()
    assert json.loads(out.out)["totals"][0]["currency"] == "USD"
    assert out.err == ""


@pytest.mark.parametrize(
    ("limit", "code"), [("1986.35", 6), ("1986.36", 0), ("1986.35USD", 6), ("USD 2000", 0), ("5CNY", 2), ("much", 2)]
)
def test_fail_over(home: Path, focus: Writer, lines: list[Any], capsys: Any, limit: str, code: int) -> None:
    """1,986.356 USD were billed."""
    assert _main.run(["review", "--bill", str(focus(lines)), "--json", "--fail-over", limit]) == code
    out = capsys.readouterr()
    if code == 6:
        assert json.loads(out.out)
        assert "is over" in out.err


def test_files_are_written_and_a_second_run_says_so(home: Path, focus: Writer, lines: list[Any], capsys: Any) -> None:
    bill = str(focus(lines))
    names = {"--report": "r.html", "--xlsx": "r.xlsx", "--markdown": "r.md"}
    files = {option: home / name for option, name in names.items()}
    arguments = [item for option, path in files.items() for item in (option, str(path))]
    assert _main.run(["review", "--bill", bill, *arguments]) == 0
    assert all(path.stat().st_size > 1000 for path in files.values())
    assert "What changed" not in capsys.readouterr().out
    assert _main.run(["review", "--bill", bill]) == 0
    assert "Nothing changed since the last review" in capsys.readouterr().out
    memory = home / "data" / "optimize" / "reviews.json"
    before = memory.read_bytes()
    assert _main.run(["review", "--bill", bill]) == 0
    assert memory.read_bytes() == before


def test_no_state_leaves_nothing(home: Path, focus: Writer, lines: list[Any], capsys: Any) -> None:
    assert _main.run(["review", "--bill", str(focus(lines)), "--no-state"]) == 0
    assert not (home / "data").exists()


def test_an_unwritable_memory_costs_a_warning_only(
    home: Path, focus: Writer, lines: list[Any], capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "file"))
    assert _main.run(["review", "--bill", str(focus(lines))]) == 0
    assert "not remembered" in capsys.readouterr().err
    assert _main.run(["review", "--bill", str(focus(lines)), "--state", str(home / "file" / "s.json")]) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--month", "2026-13"], "a month such as"),
        (["--month", "2026-01"], "a month of the bill: 2026-11"),
        (["--zone", "Mars"], "a zone name"),
        (["--from", "2026-11-01"], "both"),
        (["--from", "2026-11-02", "--to", "2026-11-02"], "a day after"),
        (["--month", "2026-11", "--from", "2026-11-01", "--to", "2026-11-02"], "either a month or days"),
        (["--plan", "missing.json"], "a plan file"),
        (["--aliases", "missing.csv"], "a CSV file"),
        (["--mapping", "missing.yaml"], "a mapping file"),
        (["--budget", "lots"], "an amount such as"),
    ],
)
def test_wrong_options_are_one_sentence_and_exit_2(
    home: Path, focus: Writer, capsys: Any, arguments: list[str], said: str
) -> None:
    assert _main.run(["review", "--bill", str(focus([HOUR])), "--no-state", *arguments]) == 2
    out = capsys.readouterr()
    assert out.out == ""
    assert said in out.err
    assert "Traceback" not in out.err


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [
        ("400000", 400000, "USD"),
        ("400000CNY", 400000, "CNY"),
        ("CNY 400000", 400000, "CNY"),
        ("40万", 400000, "USD"),
        ("40万元", 400000, "CNY"),
        ("1.2 亿 人民币", 120_000_000, "CNY"),
        ("5万RMB", 50000, "CNY"),
        ("400000cny", 400000, "CNY"),
    ],
)
def test_amounts_as_people_write_them(text: str, amount: int, currency: str) -> None:
    """万 is ten thousand, 亿 a hundred million."""
    assert parse_amount(text, "USD", "--budget") == (amount, currency)


@pytest.mark.parametrize("text", ["", "lots", "40千", "CNY 4 CNY", "1,5", "400000 loaves", "-1"])
def test_other_amounts_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="an amount such as"):
        parse_amount(text, "USD", "--budget")


def test_the_cron_script_runs(home: Path, focus: Writer, lines: list[Any]) -> None:
    script = Path(__file__).parents[2] / "scripts" / "monthly_review.py"
    done = subprocess.run(
        [
            sys.executable,
            str(script),
            "--bill",
            str(focus(lines)),
            "--into",
            str(home / "reports"),
            "--month",
            "2026-11",
        ],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(script.parents[1])},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    made = sorted(path.name for path in (home / "reports").iterdir())
    assert made == ["review-2026-11.html", "review-2026-11.json", "review-2026-11.md", "review-2026-11.xlsx"]


def test_every_term_has_a_name_in_both_languages() -> None:
    from optimizer.domain.offer import Term
    from optimizer.review.terms import NAMES

    assert NAMES.keys() == set(Term)


def test_every_finding_has_a_name() -> None:
    from optimizer.review.finding import NAMES

    room = Path(__file__).parents[2] / "optimizer" / "review"
    used = {
        name for path in room.glob("*.py") for name in re.findall(r'ReviewFinding\(\s*"([a-z-]+)"', path.read_text())
    }
    assert used <= NAMES.keys()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [80, 120])
def test_the_screen_fits_the_window_and_no_figure_is_cut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int, language: str
) -> None:
    rows = [line for day in range(1, 29) for line in hours_of("i-1", day, 0, 24)]
    bill = write_csv(tmp_path / "bill.csv", rows)
    monkeypatch.setenv("COLUMNS", str(width))
    asked = ["review", "--bill", str(bill), "--no-state", "--as-of", "2026-11-30"]
    assert _main.run([*asked, "--lang", language]) == 0
    lines = capsys.readouterr().out.splitlines()
    cells = [sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in line) for line in lines]
    assert max(cells) <= width
    assert not [line for line in lines if line != line.rstrip()]
    # 672 hours on one machine; its name and its sum stand whole on one line of the table.
    total = sum(Decimal(row["BilledCost"]) for row in rows)
    (machine,) = [line for line in lines if line.startswith(" aws/us-east-1/p4d.24xlarge  A100-SXM4-40GB")]
    assert f"{total:,.2f}" in machine.split()
