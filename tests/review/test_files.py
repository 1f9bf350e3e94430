"""Files as they come: cut, misencoded, headless, damaged. One clear error, or a line counted and listed."""

import gzip
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from optimizer.errors import InputError
from optimizer.review.engine import DuckDbEngine
from optimizer.review.files import expand
from optimizer.review.machines import MachineFinder, read_aliases
from optimizer.review.mapping import load_mapping
from optimizer.review.read import read_bill
from tests.review.bills import HOUR, bill_of, found, hours_of, review_of, row, write_csv


@pytest.fixture
def text(tmp_path: Path) -> str:
    """Ten good lines as CSV text."""
    return write_csv(tmp_path / "good.csv", hours_of("i-1", 2, 0, 10)).read_text()


def _error(path: Path) -> str:
    with pytest.raises(InputError) as error:
        bill_of(path)
    assert len(error.value.problems) == 1
    return str(error.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty file"),
        (b"%PDF-1.7 ...", "PDF"),
        (b"PK\x03\x04....", "Excel"),
        (b'{"BilledCost": 1}', "JSON"),
        (bytes(range(256)) * 8, "no text"),
        (b"PAR1", "ends too early"),
        (b"PAR1" + b"x" * 200, "bill that can be read"),
        (b"Name,Amount\nx,1\n", "no known bill format"),
        (b"\n\n", "no line with columns"),
        (b"1.5,USD,2026-11-02\n2.5,USD,2026-11-03\n", "data in the first line"),
    ],
)
def test_what_is_no_bill_is_said_in_one_sentence(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "bill.csv"
    path.write_bytes(content)
    message = _error(path)
    assert said in message
    assert str(path) in message


@pytest.mark.parametrize("left", [-30, -200])
def test_a_file_cut_in_the_middle_of_a_line_is_refused(tmp_path: Path, text: str, left: int) -> None:
    path = tmp_path / "bill.csv"
    path.write_text(text[:left])
    message = _error(path)
    assert "ends too early" in message
    assert f"{path}:" in message


def test_a_file_cut_inside_quotes_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bill.csv"
    path.write_text(text + '1,1111,"{""team"": ""sea')
    assert "ends too early" in _error(path)


def test_a_cut_gzip_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bill.csv.gz"
    # Text that does not compress, so that the cut lies behind the header.
    noise = "".join(text.splitlines(keepends=True)[0:1]) + "".join(
        ",".join(row(ResourceId=f"i-{hash(n)}").get(name, "") for name in text.splitlines()[0].split(",")) + "\n"
        for n in range(20_000)
    )
    packed = gzip.compress(noise.encode())
    path.write_bytes(packed[: len(packed) // 2])
    assert "ends too early" in _error(path)


def test_a_file_without_a_last_newline_is_whole(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bill.csv"
    path.write_text(text.rstrip("\r\n"))
    assert bill_of(path).lines == 10


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_encodings_and_newlines(tmp_path: Path, encoding: str, newline: str) -> None:
    path = tmp_path / "bill.csv"
    plain = write_csv(tmp_path / "plain.csv", [row(ResourceId="机器-1")]).read_text().replace("\r\n", "\n")
    path.write_bytes(plain.replace("\n", newline).encode(encoding))
    bill = bill_of(path)
    assert (bill.lines, bill.unread_count) == (1, 0)


def test_broken_lines_are_counted_listed_and_in_no_sum(tmp_path: Path, text: str) -> None:
    lines = text.splitlines(keepends=True)
    lines.insert(3, "1.5,too,short\n")
    lines.insert(6, lines[1].rstrip("\r\n") + ",one,too,many\r\n")
    lines.insert(8, lines[1].replace("i-1", '"i-1"x'))
    path = tmp_path / "bill.csv"
    path.write_text("".join(lines))
    bill = bill_of(path)
    assert bill.lines == 10
    assert bill.unread_count == 3
    assert [(item.line, item.reason) for item in bill.unread] == [
        (4, "missing columns"),
        (7, "too many columns"),
        (9, "unquoted value"),
    ]
    (warning,) = found(review_of(bill), "unread")
    assert warning.text.en.startswith("Lines that could not be read and are in no sum: 3 (")


def test_lines_with_unreadable_values_are_counted_by_reason(tmp_path: Path) -> None:
    wrong = {
        "amount": row(BilledCost="twelve"),
        "no amount": row(BilledCost="NULL"),
        "no currency": row(BillingCurrency=""),
        "effective cost": row(EffectiveCost="?"),
        "quantity": row(ConsumedQuantity="one"),
        "time": row(ChargePeriodStart="yesterday", BillingPeriodStart=""),
    }
    path = write_csv(tmp_path / "bill.csv", [HOUR, *wrong.values()])
    bill = bill_of(path)
    assert bill.lines == 1
    assert bill.unread_reasons == dict.fromkeys(sorted(wrong), 1)
    # The header is line 1 and HOUR line 2.
    assert [(item.file, item.line, item.reason) for item in bill.unread] == [
        (str(path), line, reason) for line, reason in enumerate(wrong, start=3)
    ]
    assert [item.text.split(":")[0] for item in bill.unread][::3] == ['"twelve"', '"?"']


def test_lines_are_numbered_as_an_editor_does(tmp_path: Path) -> None:
    """Text above the header, values of several lines, equal lines, packed files: wrong are lines 6, 7 and 11."""
    wrong, broken = row(BilledCost="many"), row(ChargeDescription="three\nlines\nlong")
    plain = write_csv(tmp_path / "plain.csv", [broken, wrong, wrong, broken, wrong]).read_bytes()
    text = b"exported by hand\r\n" + plain.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    for name, content in (
        ("bill.csv", text),
        ("bill.csv.gz", gzip.compress(text)),
        ("bill16.csv", text.decode().encode("utf-16")),
    ):
        path = tmp_path / name
        path.write_bytes(content)
        lines = [number for number, line in enumerate(text.decode().split("\r\n"), start=1) if "many" in line]
        assert [item.line for item in bill_of(path).unread] == lines == [6, 7, 11]


def test_unreadable_rows_of_parquet_have_their_number(tmp_path: Path) -> None:
    source = write_csv(tmp_path / "bill.csv", [HOUR, HOUR, row(BilledCost="many"), row(BillingCurrency="")])
    target = tmp_path / "bill.parquet"
    with DuckDbEngine() as engine:
        engine.connection.execute(f"COPY (FROM read_csv('{source}', all_varchar = true)) TO '{target}'")
    assert [(item.line, item.row) for item in bill_of(target).unread] == [(None, 3), (None, 4)]
    (warning,) = found(review_of(bill_of(target)), "unread")
    assert warning.details[0].en.startswith(f"{target}, row 3: the amount is no number")


def test_of_many_unreadable_lines_all_are_counted_and_the_first_listed(tmp_path: Path) -> None:
    bill = bill_of(write_csv(tmp_path / "bill.csv", [HOUR, *(row(BilledCost=f"no {n}") for n in range(120))]))
    assert (bill.unread_count, bill.unread_reasons, len(bill.unread)) == (120, {"amount": 120}, 50)
    (warning,) = found(review_of(bill), "unread")
    assert "(120)" in warning.text.en
    assert warning.first(10)[-1].en == "... and 110 more"
    assert warning.first()[-1].en == "... and 70 more"


def test_a_bill_without_a_line_that_can_be_read_says_why(tmp_path: Path) -> None:
    message = _error(write_csv(tmp_path / "bill.csv", [row(BilledCost="many")]))
    assert "bill.csv:2" in message
    assert '"many"' in message


def test_line_breaks_inside_quotes_belong_to_the_value(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "bill.csv", [row(ChargeDescription="first\nsecond p4d.24xlarge"), HOUR])
    assert bill_of(path).lines == 2


def test_lines_above_the_header_are_passed_over(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bill.csv"
    path.write_text("Cost report\nNovember 2026\n\n" + text)
    assert bill_of(path).lines == 10


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_other_delimiters(tmp_path: Path, delimiter: str) -> None:
    assert bill_of(write_csv(tmp_path / "bill.csv", hours_of("i-1", 2, 0, 3), delimiter=delimiter)).lines == 3


def test_all_wrong_files_are_named_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"")
    (tmp_path / "b.csv").write_bytes(b"%PDF")
    with pytest.raises(InputError) as error:
        bill_of(tmp_path / "a.csv", tmp_path / "b.csv")
    assert len(error.value.problems) == 2


def test_a_pattern_without_a_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file"):
        expand([str(tmp_path / "*.csv"), str(tmp_path / "missing.parquet")])


def test_a_file_named_twice_is_read_once(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "bill.csv", [HOUR])
    (tmp_path / "again.csv").symlink_to(path)
    assert expand([str(path), str(tmp_path / "*.csv"), str(tmp_path)]) == [path]


def test_hostile_names_stay_names(tmp_path: Path) -> None:
    """File and column names are quoted: they can neither break a query nor become a part of it."""
    folder = tmp_path / 'it\'s "here"; DROP TABLE bill_lines; --'
    folder.mkdir()
    hostile = 'x"; SELECT 1; --'
    path = write_csv(folder / "bill's.csv", [{**HOUR, hostile: "v'"}], (*HOUR, hostile))
    bill = bill_of(path)
    assert (bill.lines, bill.unread_count) == (1, 0)
    broken = write_csv(folder / "broken's.csv", [row(BilledCost="'; DROP TABLE x; --")])
    assert bill_of(path, broken).unread_count == 1


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "work"))
    (tmp_path / "work").mkdir()
    bill_of(write_csv(tmp_path / "bill.csv", [HOUR]))
    (tmp_path / "cut.csv").write_text("BilledCost,BillingCurrency,ChargePeriodStart\n1,USD")
    with pytest.raises(InputError):
        bill_of(tmp_path / "cut.csv")
    assert list((tmp_path / "work").iterdir()) == []


@pytest.mark.slow
def test_time_grows_at_most_linearly(tmp_path: Path) -> None:
    """Four times the lines take at most five times the time (a fifth for noise)."""
    seconds = []
    for copies in (50, 200):
        rows = [line for machine in range(copies) for line in hours_of(f"i-{machine}", 2, 0, 24) * 20]
        path = write_csv(tmp_path / f"{copies}.csv", rows)
        start = time.perf_counter()
        bill_of(path)
        seconds.append(time.perf_counter() - start)
    assert seconds[1] < 5 * seconds[0]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gbk", "utf-16"])
def test_a_mapping_and_aliases_are_read_as_a_bill_is(tmp_path: Path, encoding: str) -> None:
    """A bill, its mapping and its aliases, all from the same spreadsheet: 24 hours of eight cards for 1,000."""
    aliases, mapping, bill = tmp_path / "aliases.csv", tmp_path / "mapping.yaml", tmp_path / "bill.csv"
    aliases.write_text("text,provider,instance_type,gpu_model,gpus\n甲机,某云,8卡H20,H20-96GB,8\n", encoding=encoding)
    columns = "{billed: 金额, currency: {constant: CNY}, charge_start: 开始, instance_type: 机器, quantity: 小时,"
    columns += " unit: {constant: 小时}}"
    lines = ["name: ours", "source: 手册", "observed: 2026-11-30", "detect: [机器, 金额, 开始]", f"columns: {columns}"]
    mapping.write_text("\n".join(lines) + "\n", encoding=encoding)
    bill.write_text("机器,金额,开始,小时\n甲机,1000,2026-11-01,24\n", encoding=encoding)
    finder = MachineFinder(aliases=read_aliases(aliases))
    (cell,) = read_bill([str(bill)], finder, None, [load_mapping(mapping)]).cells
    assert (cell.machine.provider, cell.machine.instance_type, cell.gpu_hours) == ("某云", "8卡H20", 192)


@pytest.mark.parametrize("read", [read_aliases, load_mapping])
def test_what_is_no_text_is_said_without_a_codecs_words(tmp_path: Path, read: Callable[[Path], object]) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\xff\xff\xff")
    with pytest.raises(InputError, match="bytes of an unknown encoding, expected UTF-8, UTF-16 or GBK text"):
        read(path)
