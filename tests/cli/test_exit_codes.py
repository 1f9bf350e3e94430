"""Exit codes 4 and 5 as they come about, with nothing put in place of the program's own parts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from optimizer.cli._main import run

PORTFOLIO = Path(__file__).parents[2] / "examples" / "portfolio.yaml"
#: Nothing listens on the discard port, so that every connection is refused without leaving this machine.
NOBODY = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def _own_world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPTIMIZE_AS_OF", "2026-11-30")
    monkeypatch.setenv("OPTIMIZE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("OPTIMIZE_LANG", "en")


def test_no_plan_within_the_time_limit_exits_with_5(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # The cheapest plan costs 56,578.50 USD; that none exists within half a dollar less takes minutes to prove.
    target = tmp_path / "plan.json"
    limits = ["--budget", "56578", "--time-limit", "0.001"]
    assert run(["--workload", str(PORTFOLIO), *limits, "--out", str(target)]) == 5
    said = capsys.readouterr()
    assert said.out == ""
    # Lines of progress may stand before it: a slow machine takes longer than a second to read all offers.
    assert said.err.splitlines()[-1].startswith("error: no plan found within 0.001 s")
    assert "--time-limit" in said.err
    assert not target.exists()


def test_errors_speak_the_language_asked_for(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    missing = tmp_path / "none.yaml"
    for options in (["--lang", "zh"], ["--lang=zh"]):
        assert run(["--workload", str(missing), *options]) == 2
        assert capsys.readouterr().err == f"错误：{missing}：没有此文件或文件夹，应为 可读的文件\n"
    assert run(["--workload", str(missing), "--lang", "en"]) == 2
    assert capsys.readouterr().err == f"error: {missing}: found No such file or directory, expected a readable file\n"


def test_a_refresh_in_which_every_provider_fails_exits_with_4(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    for name in ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, NOBODY)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    assert run(["catalog", "refresh", "--provider", "vast", "--provider", "oci"]) == 4
    said = capsys.readouterr()
    assert "Nothing was changed: the catalog stays as it was." in said.out
    for provider in ("vast", "oci"):
        assert f"{provider}: FAILED" in said.err
    assert not list((tmp_path / "data").rglob("*.csv"))


def _ran(command: list[str], stdout: int) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "optimizer", *command], stdout=stdout, stderr=subprocess.PIPE, timeout=60
    )


def test_a_reader_that_has_gone_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ran = _ran(["schema", "plan"], writing)
    os.close(writing)
    assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is Linux's")
@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "error: stdout: found No space left on device, expected room for the answer\n"),
        ("zh", "错误：stdout：读到 磁盘已满，应为 写得下结果的空间\n"),
    ],
)
def test_a_full_disk_is_named(language: str, said: str) -> None:
    with Path("/dev/full").open("wb") as full:
        ran = _ran(["rules", "--lang", language], full.fileno())
    assert (ran.returncode, ran.stderr.decode()) == (2, said)
