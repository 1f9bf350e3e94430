"""What stderr shows of a run that takes longer than a second."""

import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from optimizer.cli import _progress
from optimizer.cli._progress import line, planning_progress
from optimizer.domain.progress import Progress, among_few, tell_costs, tell_search, tell_step, watched
from optimizer.domain.text import Text
from optimizer.explain.parallel import run_all

PLANNING = Text("planning", "规划中")


def assert_told(english: str, chinese: str, **known: int | None) -> None:
    progress = Progress(PLANNING)
    for name, value in known.items():
        setattr(progress, name, value)
    assert line(progress, 12.9, "en") == f"planning, 12 s{english}"
    assert line(progress, 12.9, "zh") == f"规划中，12 秒{chinese}"


def test_before_any_plan_that_is_said() -> None:
    assert_told(": no plan yet", "：尚无方案")
    assert_told(": no plan yet", "：尚无方案", bound=5)


def test_the_gap_is_that_of_the_plan_above_the_bound() -> None:
    # 1,050 is 5 % above 1,000; 1,000.001 is 0.0001 % above it.
    assert_told(": gap 5%", "：差距 5%", cost=1_050_000_000, bound=1_000_000_000)
    assert_told(": gap <0.01%", "：差距 <0.01%", cost=1_000_001_000, bound=1_000_000_000)
    assert_told(": gap 0%", "：差距 0%", cost=7, bound=7)


def test_a_plan_without_a_bound_claims_no_gap() -> None:
    assert_told(": a plan, its gap not known yet", "：已有方案，差距尚不清楚", cost=7)
    assert_told(": a plan, its gap not known yet", "：已有方案，差距尚不清楚", cost=7, bound=0)


def test_solves_done_stand_beside_the_gap() -> None:
    assert_told(": 3 of 7; no plan yet", "：已完成 3/7；尚无方案", done=3, total=7)


def test_a_look_at_few_choices_gives_plans_but_no_bounds() -> None:
    with watched(PLANNING) as progress:
        with among_few():
            tell_costs(120, 119)
        assert (progress.cost, progress.bound) == (120, None)
        tell_costs(130, 90)  # a dearer plan is no news
        assert (progress.cost, progress.bound) == (120, 90)
        tell_search()
        assert (progress.cost, progress.bound) == (None, None)


def test_small_searches_beside_a_plan_are_not_told() -> None:
    with watched(PLANNING) as progress:
        tell_step(Text("beside", "对照"))
        tell_search()
        tell_costs(5, 5)
        assert line(progress, 3, "en") == "beside, 3 s"


def test_nobody_need_listen() -> None:
    tell_search()
    tell_costs(1, 1)
    assert run_all([partial(int, 3)]) == [3]


@pytest.mark.parametrize("engine", ["", "loky:2"])
def test_independent_solves_are_counted_on_every_back_end(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPTIMIZE_PARALLEL", engine)
    seen: list[int] = []

    class Noting(Progress):
        def __setattr__(self, name: str, value: object) -> None:
            if name == "done" and isinstance(value, int):
                seen.append(value)
            super().__setattr__(name, value)

    monkeypatch.setattr("optimizer.domain.progress.Progress", Noting)
    with watched(PLANNING) as progress:
        assert run_all([partial(abs, -number) for number in range(3)]) == [0, 1, 2]
        assert progress.total is None, "counted no longer"
    assert sorted(set(seen)) == [0, 1, 2, 3]


def test_a_pipe_gets_a_plain_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_progress, "FIRST_SECONDS", 0.05)
    monkeypatch.setattr(_progress, "PLAIN_SECONDS", 0.2)
    with planning_progress(PLANNING, "en"):
        time.sleep(0.35)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert set(printed.err.splitlines()) == {"planning, 0 s: no plan yet"}
    assert 1 <= printed.err.count("\n") <= 2


def test_a_run_below_a_second_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with planning_progress(PLANNING, "en"):
        pass
    assert capsys.readouterr().err == ""


TWO_SECONDS = """
import time
from optimizer.cli._progress import planning_progress
from optimizer.domain.progress import tell_costs
from optimizer.domain.text import Text
with planning_progress(Text("planning", "规划中"), "zh"):
    tell_costs(105, 100)
    time.sleep(1.6)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_a_terminal_shows_the_present_gap() -> None:
    ours, theirs = os.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", TWO_SECONDS], stderr=theirs, cwd=root, env=environment, check=True)
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert "规划中，1 秒：差距 5%" in shown
