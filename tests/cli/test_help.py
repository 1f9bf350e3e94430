"""Help in Chinese: every text of every command is there, none is left over, lines fit, the order does not matter."""

import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from rich.cells import cell_len

from optimizer.cli import _main
from optimizer.cli._help_words import HELP
from optimizer.cli._main import run

GOLDEN = Path(__file__).parent / "golden" / "help.zh.txt"
#: Names of choices, and commands to copy, that are wider than a screen in English as well.
WIDE = ("  --term [on_demand|", "    optimize catalog import ")


def walk(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[tuple[str, click.Context]]:
    """Every command in its context, by its whole name."""
    context = click.Context(command, info_name=name, parent=parent, **command.context_settings)
    yield context.command_path, context
    if isinstance(command, click.Group):
        for child_name in command.list_commands(context):
            child = command.get_command(context, child_name)
            assert child is not None
            yield from walk(child, child_name, context)


ALL = dict(walk(_main._group(), "optimize"))


def texts(context: click.Context) -> Iterator[str]:
    """What the help of a command says: paragraphs, lines of lists without what is typed, options, commands."""
    command = context.command
    for long in (command.help, command.epilog):
        for paragraph in re.split(r"\n+(?=\x08)|\n\n", inspect.cleandoc(long or "")):
            lines = paragraph.split("\n")
            marked = lines[0] == "\b"
            yield from (line for line in lines[1:] if line[:1] != " ") if marked else (" ".join(lines),)
    for option in command.get_params(context):
        if isinstance(option, click.Option):
            yield option.help or ""
    if isinstance(command, _main.CommandGroup):
        yield from (_main._summary(name) for name in command.list_commands(context))


def test_every_text_has_its_chinese_and_none_is_left_over() -> None:
    said = {text for context in ALL.values() for text in texts(context) if text}
    assert said == set(HELP)
    assert len(ALL) > 20


def test_both_name_the_same_options_and_files() -> None:
    for english, chinese in HELP.items():
        typed = [word.strip(".,;()") for word in english.split() if word.startswith("--")]
        assert [word for word in typed if word not in chinese] == [], english
        assert any(cell_len(character) > 1 for character in chinese), chinese


@pytest.fixture(autouse=True)
def _language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPTIMIZE_LANG", raising=False)
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setenv("COLUMNS", "80")


def shown(capsys: pytest.CaptureFixture[str], *typed: str) -> str:
    assert run(list(typed)) == 0
    said = capsys.readouterr()
    assert said.err == ""
    return said.out


@pytest.mark.parametrize("name", ALL)
def test_help_is_chinese_and_fits_eighty_columns(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    page = shown(capsys, *name.split()[1:], "--help", "--lang", "zh")
    lines = page.splitlines()
    assert lines[0].startswith(f"用法：{name} [选项]")
    assert "选项：" in lines
    assert "显示此帮助并退出。" in page
    assert [line for line in lines if cell_len(line) > 80 and not line.startswith(WIDE)] == []
    assert not [word for word in ("Usage", "Options", "Commands", "Show this", "default", "required") if word in page]
    assert "\b" not in page


@pytest.mark.parametrize("name", ALL)
def test_every_option_and_command_stands_as_in_english(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    def names(page: str) -> list[str]:
        words = [line.split()[:2] for line in page.splitlines() if line.startswith("  ") and line[2:3] not in ("", " ")]
        return [first for first, *_ in words if first.isascii()]

    typed = name.split()[1:]
    english, chinese = shown(capsys, *typed, "--help"), shown(capsys, *typed, "--help", "--lang=zh")
    listed = {option for option in names(english) if option.startswith("-")}
    assert listed
    assert listed <= set(names(chinese))


@pytest.mark.parametrize("name", ["optimize", "optimize offers", "optimize catalog", "optimize catalog diff"])
def test_the_language_is_found_wherever_it_stands(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = name.split()[1:]
    page = shown(capsys, *typed, "--help", "--lang", "zh")
    for other in (
        (*typed, "--lang", "zh", "--help"),
        ("--lang", "zh", *typed, "-h"),
        (*typed, "-h", "--lang=zh"),
    ):
        assert shown(capsys, *other) == page
    english = shown(capsys, *typed, "--help")
    assert english.startswith(f"Usage: {name} [OPTIONS]")
    monkeypatch.setenv("OPTIMIZE_LANG", "zh")
    assert shown(capsys, *typed, "--help") == page
    assert shown(capsys, *typed, "--help", "--lang", "en") == english


def test_no_words_at_all_print_the_same(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    page = shown(capsys, "--help", "--lang", "zh")
    monkeypatch.setenv("OPTIMIZE_LANG", "zh")
    assert shown(capsys) == page


def test_a_slip_beside_help_is_told_in_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["catalog", "diff", "--nope", "--help", "--lang", "zh"]) == 2
    assert capsys.readouterr().err.startswith("用法：optimize catalog diff [选项] [BEFORE] [AFTER]\n")


@pytest.mark.parametrize("columns", ["50", "64", "110"])
def test_a_text_that_is_cut_in_english_is_whole(
    columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    page = "".join(shown(capsys, "catalog", "--help", "--lang", "zh").split())
    assert HELP["All prices ever seen of an offer, or a plan at another day's prices."].replace(" ", "") in page


def test_the_first_screen(capsys: pytest.CaptureFixture[str]) -> None:
    page = shown(capsys, "--help", "--lang", "zh")
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(page, encoding="utf-8")
    assert page == GOLDEN.read_text(encoding="utf-8")


def test_help_loads_nothing_heavy_and_english_none_of_the_chinese() -> None:
    code = "import sys; from optimizer.cli._main import run; run(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    heavy = {"numpy", "pandas", "pydantic", "duckdb", "yaml", "optimizer.planning"}
    for typed, words in ((["--help"], False), (["--help", "--lang", "zh"], True)):
        ran = subprocess.run([sys.executable, "-c", code, *typed], capture_output=True, text=True, check=True)
        loaded = set(ran.stderr.split())
        assert heavy & loaded == set()
        assert ("optimizer.cli._help_words" in loaded) == words
        assert ("rich" in loaded) <= words
