"""Ctrl-C in a real process, sent to its whole group as a terminal does it: the best plan so far, or a sentence."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from optimizer.cli._main import run

ROOT = Path(__file__).parents[2]
PORTFOLIO = ROOT / "examples" / "portfolio.yaml"
#: Runs the command line; Ctrl-C comes when the solver first told of a plan and has not ended.
AFTER_A_PLAN = """
import os, signal, sys
from optimizer.program import supervise
take = supervise._take
def take_and_interrupt(message, news):
    take(message, news)
    if news.choice is not None and news.result is None:
        supervise._take = take
        os.killpg(0, signal.SIGINT)
supervise._take = take_and_interrupt
from optimizer.cli._main import main
main(sys.argv[1:])
"""
#: The same; Ctrl-C comes when the catalog is asked for.
BEFORE_A_PLAN = """
import os, signal, sys
from optimizer.app import plan
def interrupt(*_):
    os.killpg(0, signal.SIGINT)
plan.load_catalog = interrupt
from optimizer.cli._main import main
main(sys.argv[1:])
"""


def interrupted(when: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process group of its own with a Ctrl-C inside."""
    ran = subprocess.run(
        [sys.executable, "-c", when, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        start_new_session=True,
        env={**os.environ, "OPTIMIZE_AS_OF": "2026-11-30", "OPTIMIZE_LANG": "en"},
        check=False,
    )
    return without_progress(ran)


def without_progress(ran: subprocess.CompletedProcess[str]) -> subprocess.CompletedProcess[str]:
    """A run without what it tells of itself when it takes longer than a second."""
    ran.stderr = re.sub(
        r"^(planning, \d+ s|规划中，\d+ 秒|the plan is |a plan is ).*\n", "", ran.stderr, flags=re.MULTILINE
    )
    return ran


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Path]:
    """The portfolio, interrupted after its first plan, and the file it wrote."""
    target = tmp_path_factory.mktemp("interrupted") / "plan.json"
    return interrupted(AFTER_A_PLAN, "--workload", PORTFOLIO, "--out", target), target


def test_ctrl_c_prints_the_best_plan_and_says_so(stopped: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    ran, _ = stopped
    assert ran.returncode == 130, ran.stderr
    assert ran.stderr == "interrupted: the answer is the best plan found until then\n"
    words = " ".join(ran.stdout.split())
    assert "! Interrupted: the search ended here" in words
    assert "What to rent or buy" in words


def test_an_interrupted_plan_is_whole_states_its_gap_and_verifies(
    stopped: tuple[subprocess.CompletedProcess[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    ran, target = stopped
    plan = json.loads(target.read_text())
    assert plan["interrupted"] is True
    total, bound, gap = (float(plan["cost"][name]) for name in ("total", "bound", "gap"))
    if plan["status"] == "feasible":
        assert gap == pytest.approx(total - bound, abs=1e-6)
        assert f"at most {gap:,.2f} USD" in " ".join(ran.stdout.split())
    else:
        assert gap == 0
    # A bound is a bound: the proven cheapest plan of this file and catalog lies between the two.
    assert bound <= total
    assert run(["verify", str(target)]) == 0, capsys.readouterr().out
    assert list(target.parent.iterdir()) == [target]


def test_ctrl_c_before_any_plan_is_a_sentence(tmp_path: Path) -> None:
    target = tmp_path / "plan.json"
    ran = interrupted(BEFORE_A_PLAN, "--workload", PORTFOLIO, "--out", target, "--lang", "zh")
    assert (ran.returncode, ran.stdout) == (130, "")
    assert ran.stderr.strip() == "已中断：尚无方案，未写入任何文件"
    assert not target.exists()


#: Ctrl-C while the solver's own process starts: that process must not cry.
WHILE_A_CHILD_STARTS = """
import os, signal, sys, threading
from optimizer.program import supervise
supervise.LARGE_RECORDS = 0
start = supervise.ChildWorker.__init__
def start_and_interrupt(self, *arguments):
    start(self, *arguments)
    threading.Timer(0.1, lambda: os.killpg(0, signal.SIGINT)).start()
supervise.ChildWorker.__init__ = start_and_interrupt
from optimizer.cli._main import main
if __name__ == "__main__":
    main(sys.argv[1:])
"""


def test_a_solver_that_starts_says_nothing_of_ctrl_c(tmp_path: Path) -> None:
    driver = tmp_path / "driver.py"
    driver.write_text(WHILE_A_CHILD_STARTS)
    lora = ROOT / "examples" / "lora-7b.yaml"
    ran = subprocess.run(
        [sys.executable, str(driver), "--workload", str(lora)],
        capture_output=True,
        text=True,
        timeout=120,
        start_new_session=True,
        env={**os.environ, "OPTIMIZE_AS_OF": "2026-11-30", "OPTIMIZE_LANG": "en"},
        check=False,
    )
    assert ran.returncode == 130
    without_progress(ran)
    assert ran.stderr.count("\n") == 1
    assert ran.stderr.startswith("interrupted")


def test_ctrl_c_inside_native_code_is_no_error_of_ours(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted_inside(*_: object, **__: object) -> None:
        raise ValueError("SchemaError: KeyboardInterrupt: ")

    monkeypatch.setattr("optimizer.app.plan.plan_workload", interrupted_inside)
    assert run(["--workload", str(PORTFOLIO)]) == 130
    assert capsys.readouterr().err == "interrupted\n"
