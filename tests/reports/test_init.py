"""`optimize init`: what it writes reads back; what it cannot know it asks for; nothing is overwritten."""

import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from optimizer.app.init import BLOCKS, NEXT, TITLE, number, scalar, workload_text
from optimizer.cli import init
from optimizer.cli._main import run
from optimizer.cli.init import DEFAULT_NO
from optimizer.domain.text import Language
from optimizer.planning.workload_file import parse_workload
from optimizer.planning.yaml_core import parse

ANSWERS: dict[str, Any] = {
    "currency": "CNY",
    "start": date(2026, 12, 1),
    "model": {"preset": "llama-2-7b"},
    "method": "lora",
    "tokens": Decimal("2e8"),
}
FIELDS = [field for block in BLOCKS for field in block.fields]
AMOUNTS = ("tokens", "tokens_per_month", "gpu_hours")


def test_the_file_reads_back_as_answered(language: Language) -> None:
    file = parse_workload(workload_text(ANSWERS, language), "w.yaml")
    work = file.workloads[0]
    assert (file.currency, file.start) == ("CNY", date(2026, 12, 1))
    assert work.model is not None
    assert (work.model.preset, work.method, work.tokens) == ("llama-2-7b", "lora", 200_000_000)


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.key)
def test_every_example_reads_back_when_its_mark_is_taken_off(field: Any, language: Language) -> None:
    answers = {key: value for key, value in ANSWERS.items() if key != field.key}
    if field.key in AMOUNTS:
        answers.pop("tokens", None)
        answers["horizon_months"] = 12 if field.key == "tokens_per_month" else None
    text = workload_text(answers, language)
    assert f"\n# {field.key}: " in text
    parse_workload(text.replace(f"\n# {field.key}: ", f"\n{field.key}: "), "w.yaml")


def test_every_field_is_explained_in_both_languages() -> None:
    texts = [TITLE, NEXT, *(block.heading for block in BLOCKS), *(field.comment for field in FIELDS)]
    assert all(text.en and text.zh and text.en != text.zh for text in texts)
    questions = [value for name, value in vars(init).items() if name.startswith("Q_")]
    assert len(questions) == 15
    assert all(text.en and text.zh for text in questions)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2e9", 2 * 10**9),
        ("500M", 5 * 10**8),
        ("1,000,000", 10**6),
        ("20亿", 2 * 10**9),
        ("3万", 30_000),
        ("1.5T", 15 * 10**11),
    ],
)
def test_numbers_are_read_as_people_write_them(text: str, value: float) -> None:
    assert number(text) == value


@pytest.mark.parametrize("text", ["", "many", "-1", "0", "nan", "inf", "1e"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="number"):
        number(text)


@given(st.one_of(st.text(min_size=1), st.booleans(), st.integers(1, 10**15), st.lists(st.text(min_size=1))))
def test_any_value_survives_the_yaml(value: Any) -> None:
    if isinstance(value, str) and any(0xD800 <= ord(char) <= 0xDFFF for char in value):
        return  # lone surrogates are no text
    read = parse(f"key: {scalar(value)}\n", "w.yaml").data
    assert isinstance(read, dict)
    assert read["key"] == value


@pytest.mark.parametrize(
    ("value", "said"), [("NO", '"NO"'), ("yes", '"yes"'), ("cn-*", '"cn-*"'), (Decimal("2.5e9"), "2.5e9")]
)
def test_words_that_yaml_could_misread_are_quoted(value: Any, said: str) -> None:
    assert scalar(value) == said


def test_flags_alone_write_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "w.yaml"
    flags = ["--model", "llama-2-13b", "--tokens-per-month", "8e9", "--horizon-months", "12", "--country", "CN"]
    assert run(["init", *flags, "--out", str(path), "--lang", "en"]) == 0
    file = parse_workload(path.read_text(encoding="utf-8"), str(path))
    assert file.workloads[0].tokens_per_month == 8e9
    assert file.horizon_months == 12
    assert capsys.readouterr().err.startswith(f"wrote {path}")


def test_all_that_is_missing_is_named_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", "--lang", "en"]) == 2
    said = capsys.readouterr().err
    assert "--model" in said
    assert "--tokens" in said


def test_a_misspelt_model_is_suggested_never_replaced(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", "--model", "lama-2-7b", "--tokens", "1e9"]) == 2
    assert "Did you mean llama-2-7b" in capsys.readouterr().err


def test_an_unknown_country_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", "--model", "llama-2-7b", "--tokens", "1e9", "--country", "XX"]) == 2
    assert "found 'XX'" in capsys.readouterr().err


def test_nothing_is_overwritten_without_force(tmp_path: Path) -> None:
    path = tmp_path / "w.yaml"
    path.write_text("mine", encoding="utf-8")
    flags = ["init", "--model", "llama-2-7b", "--tokens", "1e9", "--out", str(path)]
    assert run(flags) == 2
    assert path.read_text(encoding="utf-8") == "mine"
    assert run([*flags, "--force"]) == 0
    assert path.read_text(encoding="utf-8") != "mine"


def test_json_stands_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", "--model", "llama-2-7b", "--tokens", "1e9", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["workload"]["workloads"][0]["model"] == {"preset": "llama-2-7b"}


def _asked(monkeypatch: pytest.MonkeyPatch, flags: list[str], lines: list[str]) -> Any:
    """Run the command as on a terminal, with these lines typed."""
    monkeypatch.setattr(init, "_is_terminal", lambda: True)
    return CliRunner().invoke(init.command, flags, input="\n".join(lines) + "\n")


def test_questions_write_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    # model (misspelt, asked again), method, steady?, tokens, deadline, hours, countries, currency, budget, data,
    # interruptible, start, file
    typed = [
        "lama-2-7b",
        "llama-2-7b",
        "",
        "n",
        "20亿",
        "14",
        "10",
        "CN，US",
        "cny",
        "60000",
        "100",
        "y",
        "2026-12-01",
        "",
    ]
    result = _asked(monkeypatch, ["--lang", "zh"], typed)
    assert result.exit_code == 0, result.output
    assert "目录中没有模型 'lama-2-7b'；是否指 llama-2-7b" in result.stderr
    file = parse_workload((tmp_path / "workload.yaml").read_text(encoding="utf-8"), "workload.yaml")
    work = file.workloads[0]
    assert (file.currency, file.budget, file.start) == ("CNY", 60_000, date(2026, 12, 1))
    assert (work.tokens, work.deadline_days, work.hours_per_day) == (2e9, 14, 10)
    assert (work.countries, work.dataset_gb, work.interruptible, work.method) == (("CN", "US"), 100, True, "lora")


def test_steady_work_asks_for_its_months(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    typed = ["y", "8e9", "6", "", "", "", "", "", "n", "2026-12-01", "steady.yaml"]
    result = _asked(monkeypatch, ["--model", "llama-2-13b", "--method", "full", "--lang", "en"], typed)
    assert result.exit_code == 0, result.output
    file = parse_workload((tmp_path / "steady.yaml").read_text(encoding="utf-8"), "steady.yaml")
    assert file.horizon_months == 6
    assert file.workloads[0].tokens_per_month == 8e9


@pytest.mark.parametrize(
    ("language", "answer", "slip"),
    [("zh", "是", "错误：'maybe' 既不是“是”也不是“否”"), ("en", "yes", "Error: 'maybe' is neither yes nor no")],
)
def test_yes_and_no_are_understood_in_the_language_asked_in(
    language: Language, answer: str, slip: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    typed = ["maybe", answer, "8e9", "6", "", "", "", "", "", DEFAULT_NO.say(language), "2026-12-01", ""]
    result = _asked(monkeypatch, ["--model", "llama-2-13b", "--method", "full", "--lang", language], typed)
    assert result.exit_code == 0, result.output
    assert slip in result.stderr
    work = parse_workload((tmp_path / "workload.yaml").read_text(encoding="utf-8"), "workload.yaml").workloads[0]
    assert (work.tokens_per_month, work.interruptible) == (8e9, False)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_name_the_command(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", shell]) == 0
    assert "_OPTIMIZE_COMPLETE" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("flag", "value", "meant"),
    [("--provider", "阿里云", "alibaba"), ("--currency", "RMB", "CNY"), ("--country", "中国", "CN")],
)
def test_what_the_planner_would_refuse_is_not_written(
    flag: str, value: str, meant: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "w.yaml"
    work = ["--model", "llama-2-7b", "--method", "lora", "--tokens", "1e9", "--sequence-length", "1024"]
    assert run(["init", *work, flag, value, "--out", str(out)]) == 2
    assert f"Did you mean {meant}?" in capsys.readouterr().err
    assert not out.exists()


def test_a_start_before_the_first_rate_keeps_its_currency(tmp_path: Path) -> None:
    """Rates are those of today, not of the plan's first day: the catalog has none of 2020."""
    flags = ["--model", "llama-2-7b", "--method", "lora", "--tokens", "1e9", "--sequence-length", "1024"]
    out = tmp_path / "w.yaml"
    assert run(["init", *flags, "--currency", "CNY", "--start", "2020-01-01", "--out", str(out)]) == 0
