"""Every piece of an error of input has a Chinese form: what was found, what was expected, what is suggested.

The pieces are read from the source, so that a new one without a Chinese form fails here.
"""

import ast
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from optimizer.cli._error_words import phrase, told
from optimizer.errors import Problem

OPTIMIZER = Path(__file__).parents[2] / "optimizer"
SAMPLES = ("7", "x.y", "'some-name'", "[7]")
SENTENCE = re.compile(r"[a-z]{2,} [a-z]{2,}")
CHINESE = re.compile(r"[\u4e00-\u9fff]")
#: What makes a problem of its arguments.
CALLS = ("Problem", "_problem", "problem", "refused")
#: Pieces that are cut off from a library's message, place names of an error, and one that is tested whole below.
PARTS = {"Input should be ", "Value error, ", "catalog version", "storage are missing"}


def words_of(node: ast.AST) -> str | None:
    """The text of a literal, its values as `{}`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return None


def pieces(node: ast.AST) -> Iterator[str]:
    text = words_of(node)
    if text is not None:
        yield text
        return
    for part in ast.iter_child_nodes(node):
        yield from pieces(part)


def problems() -> Iterator[str]:
    """Sentences in the arguments of every problem."""
    for path in sorted(OPTIMIZER.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = getattr(node.func, "id", getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""
            if called in CALLS:
                yield from (text for text in pieces(node) if SENTENCE.search(text))


FOUND = sorted(set(problems()) - PARTS)


def forms(text: str) -> Iterator[str]:
    holes = re.split(r"\{\w*\}", text)
    for values in product(SAMPLES, repeat=min(len(holes) - 1, 3)):
        filled = [*values, *["7"] * (len(holes) - 1 - len(values))]
        yield holes[0] + "".join(value + rest for value, rest in zip(filled, holes[1:], strict=True))


def test_the_scan_finds_problems() -> None:
    assert len(FOUND) > 100


@pytest.mark.parametrize("text", FOUND)
def test_every_piece_of_a_problem_has_a_chinese_form(text: str) -> None:
    told = [re.sub("`[^`]*`", "", phrase(form)) for form in forms(text)]
    assert any(CHINESE.search(said) and not SENTENCE.search(said) for said in told), text


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        ("a provider's region or a pattern of one", "供应商的地域，或与之匹配的通配符"),
        ("`optimize offers --json` names them.", "`optimize offers --json` 可列出。"),
        ("the offer of every purchase: without it the items cpu, memory and storage are missing", None),
        ("a workload with a model; there is nothing to size", "含模型的任务（此处无可推算）"),
        ("lines: 3, none of which can be read; the first: no date: x", "3 行均不可读；第一行：no date: x"),
    ],
)
def test_pieces_put_together(text: str, chinese: str | None) -> None:
    assert CHINESE.search(phrase(text))
    assert chinese is None or phrase(text) == chinese


@pytest.mark.parametrize(
    ("found", "expected", "said"),
    [
        ("nothing", "this field, which is mandatory", "f.yaml：name：缺少此必填字段"),
        ("nothing", "a name", "f.yaml：name：空缺，应为 名称"),
        ("no 'previous'", "one at a time", "f.yaml：name：没有 'previous'，应为 一次一个"),
        ("'loar'", "'lora' or 'qlora'", "f.yaml：name：读到 'loar'，应为 'lora'、'qlora' 之一"),
        ("'x'", "'a', 'b' or 'c'", "f.yaml：name：读到 'x'，应为 'a'、'b'、'c' 之一"),
        ("vast", "a cloud whose name in SkyPilot is known", "f.yaml：name：读到 vast，应为 在 SkyPilot 中名称已知的云"),
        ("x", "a backend whose name in dstack is known", "f.yaml：name：读到 x，应为 在 dstack 中名称已知的后端"),
        (
            "a limit",
            "none: --scenarios does not hold it yet",
            "f.yaml：name：读到 一项限制，应为 不写此项（--scenarios 尚不支持）",
        ),
        (
            "Expecting value: line 1 column 1 (char 0)",
            "a plan file (JSON)",
            "f.yaml：name：读到 不合 JSON 语法（此处应有值），应为 方案文件（JSON）",
        ),
    ],
)
def test_a_problem_is_a_chinese_sentence(found: str, expected: str, said: str) -> None:
    assert told(Problem("f.yaml", "name", found, expected)) == said
