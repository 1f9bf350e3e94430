"""Errors of usage speak the language asked for: every message that the installed click can give, and the commands'."""

import ast
import re
from pathlib import Path

import click
import pytest

from optimizer.cli._main import run
from optimizer.cli._usage_words import message

#: Words of click that users of a command line never see: help, prompts, and slips in the code of a command.
NOT_FOR_USERS = (
    "Error:", "Try ", "Options", "Positional", "Commands", "Deprecat", "deprecated", "Aborted", "env var", "default:",
    "(dynamic)", "Could not determine", "No options defined", "Arguments take", "Name ", "Boolean option", "Choice(",
    "file", "directory", "path", "Invalid start character",
)  # fmt: skip
#: What stands in a message where click puts names and values.
FILLED = {"name": "File", "number_type": "integer", "message": "'x' is not a valid integer.", "param_type": "command"}
WORD = re.compile(r"[A-Za-z]{2,}")


def templates() -> set[str]:
    """The texts that click hands to gettext, read from its own source."""
    found: set[str] = set()
    for name in ("exceptions", "types", "parser", "core"):
        source = (Path(click.__file__).parent / f"{name}.py").read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("_", "ngettext"):
                found |= {
                    arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)
                }
    return {text for text in found if not text.startswith(NOT_FOR_USERS)}


def filled(template: str) -> str:
    """A message as a user sees it."""
    is_path = template.startswith("{name} {filename")
    return re.sub(
        r"\{(\w+)(!r)?\}",
        lambda hole: FILLED.get(hole[1], "'x'") if hole[1] != "name" or is_path else "'x'",
        template,
    )


@pytest.mark.parametrize("template", sorted(templates()))
def test_every_message_of_the_installed_click_has_a_chinese_form(template: str) -> None:
    said = message(filled(template))
    assert not set(WORD.findall(said)) - {"UUID"}, said
    assert said.count("'x'") == filled(template).count("'x'")


def test_there_are_messages_to_translate() -> None:
    assert len(templates()) > 25


#: What is typed, and what the message must keep of it.
SLIPS = [
    (["offers", "--provder", "x"], "没有选项 '--provder'。是否指 '--provider'？"),
    (["catalog", "lst"], "没有命令 'lst'"),
    (["offrs"], "没有命令 'offrs'。是否指 offers？"),
    (["why"], "缺少参数 'OFFER'。"),
    (["why", "H100"], "缺少选项 '--plan'。"),
    (["export", "x.json"], "缺少选项 '--format'。可选：skypilot, dstack, terraform。"),
    (["export", "--format", "foo", "x.json"], "'--format' 的值无效：'foo' 不在可选值之内：'skypilot', 'dstack'"),
    (["rules", "a", "b"], "多余的参数（a b）。"),
    (["offers", "--max-age", "x"], "'--max-age' 的值无效：'x' 不是整数。"),
    (["offers", "--min-bandwidth", "x"], "'--min-bandwidth' 的值无效：'x' 不是数。"),
    (["offers", "--max-age", "-1"], "'--max-age' 的值无效：-1 不在范围 x>=0 内。"),
    (["offers", "--as-of", "2026"], "'--as-of' 的值无效：'2026' 不合格式 '%Y-%m-%d'。"),
    (["offers", "--csv=3"], "选项 '--csv' 不带值。"),
    (["rules", "--out"], "选项 '--out' 须带一个值。"),
    (["--report", "/", "--workload", "x"], "'--report' 的值无效：文件 '/' 是文件夹。"),
    (["--budget", "5"], "请给出 --workload FILE 或一个命令"),
]


@pytest.mark.parametrize(("typed", "kept"), SLIPS, ids=[" ".join(typed) for typed, _ in SLIPS])
@pytest.mark.parametrize("how", ["locale", "option"])
def test_slips_on_the_command_line_are_told_in_chinese(
    typed: list[str], kept: str, how: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPTIMIZE_LANG", raising=False)
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8" if how == "locale" else "C")
    assert run(typed if how == "locale" else ["--lang", "zh", *typed]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert kept in said.err
    # click tells no usage where an option's value is missing or too many.
    assert said.err.startswith("用法：optimize") or "值。" in kept
    assert ("用法" in said.err) == ("--help' 可查看帮助。" in said.err)
    assert not re.search(r"Usage|Error|Try|Missing|Invalid|Did you", said.err)


def test_english_stays_as_click_words_it(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPTIMIZE_LANG", "en")
    assert run(["why"]) == 2
    assert "Error: Missing argument 'OFFER'." in capsys.readouterr().err


def test_a_language_that_does_not_exist_is_refused_in_the_users_own(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPTIMIZE_LANG", "zh")
    assert run(["rules", "--lang", "xx"]) == 2
    assert "'--lang' 的值无效：'xx' 不在可选值之内：'en', 'zh'。" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        # Wordings of click 8.2, the oldest that may be installed.
        ("No such option: --provder Did you mean --provider?", "没有选项 --provder。是否指 --provider？"),
        (
            "No such option: --pro (Possible options: --profile, --provider)",
            "没有选项 --pro。是否指以下之一：--profile, --provider？",
        ),
        ("something nobody has seen yet", "something nobody has seen yet"),
    ],
)
def test_other_wordings(text: str, chinese: str) -> None:
    assert message(text) == chinese
