"""Reading workload files: what is accepted, and that every problem is named with line, found, expected, suggestion."""

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from optimizer.app.plan import parse_budget
from optimizer.domain.workload import WorkloadFile
from optimizer.errors import InputError, Problem
from optimizer.planning.workload_file import dump_workload, horizon_months, parse_workload, read_workload, set_by

LEAST = "start: 2026-12-01\nmodel: {preset: llama-2-7b}\ntokens: 2e9\n"


def problems(text: str) -> list[str]:
    with pytest.raises(InputError) as error:
        parse_workload(text, "w.yaml")
    return [str(problem) for problem in error.value.problems]


def test_a_single_workload_may_stand_at_the_top_level() -> None:
    file = parse_workload(LEAST, "w.yaml")
    assert file.workloads[0].tokens == 2e9
    assert file.start == date(2026, 12, 1)
    assert file.currency == "USD"


def test_all_problems_come_at_once_in_file_order() -> None:
    text = "start: 2026-12-01\nbudgit: 4\ntokens: 2e9\nmodle: {preset: x}\nhours_per_day: 30\nlayout: {tp: 0}\n"
    found = problems(text)
    assert [item.split(":")[1] for item in found] == ["2", "4", "5", "6"]
    assert found[0] == "w.yaml:2: budgit: found an unknown field, expected a known field. Did you mean budget?"
    assert "Did you mean model?" in found[1]
    assert "at most 24" in found[2]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("interruptible: off", "true or false"),
        ("interruptible: no", "true or false"),
        ('hours_per_day: "10"', "a number without quotes"),
        ("hours_per_day: true", "a number without quotes"),
        ("tokens_per_month: 3e9", "exactly one of tokens"),
        ("window: {from: 9:00, hours: 10}", 'a full hour in quotes such as "09:00"'),
        ("deadline_days: -1", "a value above 0"),
        ("sequence_length: 4096.5", "a whole number"),
        ("dataset_gb: .nan", "finite"),
        ("currency: yuan", "a currency code such as CNY"),
        ("latest_start_day: -2", "at least 0"),
        ("epochs: 2", "exactly one of tokens"),
        ("method: loraa", "'lora'"),
        ("fx: {CNYUSD: 7}", "USDCNY"),
        ("gpus: H100", "a group of fields (allow, deny)"),
        ("gpus: {allow: H100}", "a list, in brackets: [H100]"),
        ("layout: 4", "a group of fields (tp, pp, ep, zero), or 'auto'"),
        ("micro_batch_size: 1.5", "a whole number, or 'auto'"),
        ("team: 7", "a text"),
        ("commitments: [{offer: a, term: year, ends: soon}]", "a date such as 2026-12-01"),
    ],
)
def test_wrong_values_are_named_with_what_was_expected(line: str, expected: str) -> None:
    text = "\n".join(problems(LEAST + line + "\n"))
    assert expected in text


@pytest.mark.parametrize("text", ["", "# only a comment\n", "- a\n- b\n", "just words\n"])
def test_what_is_no_workload_file_is_refused(text: str) -> None:
    assert len(problems(text)) == 1


def test_steady_work_needs_a_horizon() -> None:
    text = "start: 2026-12-01\nmodel: {preset: x}\ntokens_per_month: 1e9\n"
    assert "horizon_months is mandatory" in problems(text)[0]


def test_the_dump_reads_back_to_the_same_file() -> None:
    text = LEAST + (
        "budget: 400000.25\n"
        'window: {from: "09:00", hours: 10}\n'
        "owned: {may_buy: [{server: x, price: 2100000, load_kw: 10.2, residual_by_month: {0: 1.0, 12: 0.7}}]}\n"
    )
    file = parse_workload(text, "w.yaml")
    assert WorkloadFile.model_validate(dump_workload(file)) == file


@pytest.mark.parametrize(
    ("override", "path", "value"),
    [
        ("hours_per_day=12", "hours_per_day", 12),
        ("layout={tp: 4, zero: 1}", "layout", None),
        ("method=lora", "method", "lora"),
    ],
)
def test_what_if_changes_a_field(override: str, path: str, value: object) -> None:
    work = parse_workload(LEAST, "w.yaml", [override]).workloads[0]
    if value is None:
        assert (work.layout.tp, work.layout.zero) == (4, 1)  # type: ignore[union-attr]
    else:
        assert getattr(work, path) == value


@pytest.mark.parametrize(
    ("override", "field"),
    [
        ("hours_per_day=99", "hours_per_day"),
        ("workloads.0.hours_per_day=99", "hours_per_day"),
        ("gpus=H100", "gpus"),
        ("gpus.allow=H100", "gpus.allow"),
        ("nosuch.deep=1", "nosuch"),
    ],
)
def test_a_slip_in_a_what_if_stands_on_the_command_line(override: str, field: str) -> None:
    with pytest.raises(InputError) as error:
        parse_workload(LEAST, "w.yaml", [override])
    (problem,) = error.value.problems
    assert (problem.file, problem.field, problem.line) == ("--set", field, None)


def test_a_slip_that_the_file_had_before_stays_in_the_file() -> None:
    with pytest.raises(InputError) as error:
        parse_workload(LEAST + "deadline_days: 0\n", "w.yaml", ["hours_per_day=99"])
    assert [(item.file, item.line) for item in error.value.problems] == [("--set", None), ("w.yaml", 4)]


def test_a_name_that_the_catalog_does_not_know_is_blamed_on_what_wrote_it(tmp_path: Path) -> None:
    path = tmp_path / "w.yaml"
    path.write_text("start: 2026-12-01\nworkloads:\n  - {name: a, model: {preset: x}, tokens: 1e9}\n")
    late = [Problem(str(path), "workloads.0.gpus.allow", "H1000", "a GPU"), Problem(str(path), "fx", "x", "y")]
    with pytest.raises(InputError) as error, set_by(path, ["workloads.a.gpus.allow=[H1000]"]):
        raise InputError(late)
    assert [item.file for item in error.value.problems] == ["--set", str(path)]


def test_what_if_reaches_workloads_by_name_and_number() -> None:
    text = "start: 2026-12-01\nworkloads:\n  - {name: a, model: {preset: x}, tokens: 1e9}\n"
    assert parse_workload(text, "w", ["workloads.0.tokens=3e9"]).workloads[0].tokens == 3e9
    assert parse_workload(text, "w", ["workloads.a.tokens=4e9"]).workloads[0].tokens == 4e9
    with pytest.raises(InputError, match="one of a"):
        parse_workload(text, "w", ["workloads.b.tokens=4e9"])


def test_what_if_reaches_a_single_workload_in_either_form() -> None:
    listed = "start: 2026-12-01\nworkloads:\n  - {name: a, model: {preset: x}, tokens: 1e9}\n"
    assert parse_workload(LEAST, "w", ["workloads.0.tokens=3e9"]).workloads[0].tokens == 3e9
    assert parse_workload(LEAST + "name: a\n", "w", ["workloads.a.tokens=4e9"]).workloads[0].tokens == 4e9
    assert parse_workload(listed, "w", ["tokens=5e9"]).workloads[0].tokens == 5e9
    with pytest.raises(InputError, match=r"--set: tokens: found 'x'"):
        parse_workload(LEAST, "w", ["workloads.0.tokens=x"])


def test_what_if_asks_which_of_several_workloads_is_meant() -> None:
    one = "{name: NAME, model: {preset: x}, tokens: 1e9}"
    text = f"start: 2026-12-01\nworkloads:\n  - {one.replace('NAME', 'a')}\n  - {one.replace('NAME', 'b')}\n"
    with pytest.raises(InputError, match=r"found 2 workloads, expected which one is meant: workloads\.NAME\.tokens"):
        parse_workload(text, "w", ["tokens=5e9"])


# By hand: deadlines count from the start day; 14 days fit one month; day 20 + 14 = 34 days need two (31 + 31).
@pytest.mark.parametrize(
    ("extra", "months"),
    [
        ("deadline_days: 14", 1),
        ("deadline_days: 14\nlatest_start_day: 20", 2),
        ("", 12),
        ("horizon_months: 7", 7),
        ("deadline_days: 10\nrepeats: {every_months: 1, times: 6}", 6),
    ],
)
def test_the_horizon_holds_every_deadline(extra: str, months: int) -> None:
    assert horizon_months(parse_workload(LEAST + extra + "\n", "w.yaml")) == months


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"\xef\xbb\xbfstart: 2026-12-01\nmodel: {preset: x}\ntokens: 1e9\n", None),
        (LEAST.replace("\n", "\r\n").encode(), None),
        ("start: 2026-12-01\nname: 训练\nmodel: {preset: x}\ntokens: 1e9\n".encode("gbk"), "it looks like GBK"),
        (b"\x00\xff\xfe", "UTF-8"),
    ],
)
def test_encodings(tmp_path: Path, content: bytes, expected: str | None) -> None:
    path = tmp_path / "w.yaml"
    path.write_bytes(content)
    if expected is None:
        assert read_workload(path).workloads
    else:
        with pytest.raises(InputError, match=expected):
            read_workload(path)


def test_a_missing_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_workload(tmp_path / "none.yaml")
    with pytest.raises(InputError, match="a folder"):
        read_workload(tmp_path)


@pytest.mark.parametrize(
    ("text", "amount"),
    [("400000", 400000), ("400000CNY", 400000), ("CNY 400000", 400000), ("1e5", 100000), ("5000.50", "5000.50")],
)
def test_budgets(text: str, amount: object) -> None:
    assert parse_budget(text, "CNY") == Decimal(str(amount))


@pytest.mark.parametrize("text", ["-5", "0", "x", "400,000", "USD 5", "nan", "5 CNY EUR"])
def test_wrong_budgets_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="--budget"):
        parse_budget(text, "CNY")
