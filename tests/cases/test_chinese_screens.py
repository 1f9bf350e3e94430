"""No English sentence is left on a Chinese screen of an example, and no line is wider than the window.

Two examples stand for all; the others run with `pytest -m slow`.
"""

import re
import unicodedata
from pathlib import Path

import pytest

from optimizer.cli._main import run

ROOT = Path(__file__).parents[2] / "examples"
FILES = [path for path in sorted(ROOT.rglob("*.yaml")) if path.stem != "futures"]
QUICK = ("lora-7b", "impossible")
WIDTH = 80
SENTENCE = re.compile(r"[a-z]{2,}(?: [a-z]{2,}){2,}")
#: What stays in its own language: commands, sources with their versions, products, file names.
KEPT = re.compile(
    r"`[^`]*`|(?:已标明|推得|未标明)：[^|]*|eurofxref.*|.*foreign exchange reference.*"
    r"|Network volume, first 1 TB|\(North America list\)"
)


def english_of(said: str) -> list[str]:
    return [found.group() for line in said.splitlines() for found in SENTENCE.finditer(KEPT.sub("", line))]


def widest(said: str) -> int:
    """Cells of the widest line by Unicode's East Asian Width (UAX 11)."""
    return max(
        sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in line) for line in said.splitlines()
    )


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=() if path.stem in QUICK else pytest.mark.slow, id=path.stem) for path in FILES],
)
def test_a_chinese_screen_is_chinese_and_fits(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPTIMIZE_AS_OF", "2026-11-30")
    monkeypatch.setenv("OPTIMIZE_LANG", "zh")
    monkeypatch.setenv("OPTIMIZE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    monkeypatch.chdir(tmp_path)
    has_plan = run(["--workload", str(path), "--out", "plan.json"]) == 0
    screens = {"plan": capsys.readouterr().out}
    asked = {
        "why": ["why", "H100", "--plan", "plan.json"],
        "compare": ["compare", "plan.json", "plan.json"],
        "fit": ["fit", "--workload", str(path), "--gpu", "A100*", "--gpu", "RTX4090"],
    }
    if has_plan:
        asked |= {"breakeven": ["breakeven", "--workload", str(path)], "contract": ["contract", "plan.json"]}
        asked["quotes"] = ["quotes", "template", "--plan", "plan.json", "--letter", "letter.md"]
    for name, words in asked.items():
        run(words)
        said = capsys.readouterr()
        screens[name] = said.out or said.err
    if Path("letter.md").exists():
        screens["letter"] = Path("letter.md").read_text(encoding="utf-8")
    assert not {name: english_of(said) for name, said in screens.items() if english_of(said)}
    for name in ("plan", "why", "compare", "breakeven"):
        assert name not in screens or widest(screens[name]) <= WIDTH, name
    assert not [name for name, said in screens.items() if not re.search("[\u4e00-\u9fff]", said)]
