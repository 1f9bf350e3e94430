"""`catalog refresh` and `catalog import` from the command line: exit codes, JSON, both languages."""

import json
from pathlib import Path
from typing import Any

import pytest

from optimizer.cli._main import run
from optimizer.errors import MissingCredentials, SourceChanged
from tests.providers.conftest import RECORDED
from tests.refresh import fakes
from tests.refresh.conftest import House


@pytest.fixture
def command(house: House, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs `catalog refresh` on the house's providers."""
    monkeypatch.setenv("OPTIMIZE_DATA_DIR", str(house.root.parent))

    def call(*options: str) -> int:
        asked = [part for name in house.behaviours for part in ("--provider", name)]
        return run(["catalog", "refresh", "--timeout", "5", *asked, *options])

    return call


def test_taken(house: House, command: Any, capsys: pytest.CaptureFixture[str]) -> None:
    house.behaviours = {"a": fakes.giving(*fakes.many("a", 5, "1"), fakes.rejected("a", "price: found 0"))}
    assert command("--rejected") == 0
    shown = capsys.readouterr()
    assert "a: fetched, 5 offers, 1 rows rejected" in shown.err
    assert "Catalog 1 holds from now on." in shown.out
    assert "1 x price: found 0" in shown.out
    assert command("--lang", "zh") == 0
    assert "目录第 2 版即时生效。" in capsys.readouterr().out


def test_held(house: House, command: Any, capsys: pytest.CaptureFixture[str]) -> None:
    house.behaviours = {"a": fakes.giving(*fakes.many("a", 5, "1"))}
    command()
    house.behaviours = {"a": fakes.giving(*fakes.many("a", 2, "1"))}
    capsys.readouterr()
    assert command() == 6
    shown = capsys.readouterr().out
    assert "3 of 5 prices would be lost" in shown
    assert "a/r1/type-0004, on demand  1 USD/hour" in shown
    assert "Nothing was changed" in shown
    assert command("--accept") == 0


def test_all_failed(house: House, command: Any, capsys: pytest.CaptureFixture[str]) -> None:
    def keyless(context: Any) -> Any:
        raise MissingCredentials("a: no credentials in A_KEY; provider skipped")
        yield

    house.behaviours = {"a": keyless}
    assert command("--json") == 4
    shown = capsys.readouterr()
    (entry,) = json.loads(shown.out)["providers"]
    assert (entry["status"], entry["reason"]) == ("skipped", "a: no credentials in A_KEY; provider skipped")
    assert "Traceback" not in shown.err


def test_json_has_the_changes(house: House, command: Any, capsys: pytest.CaptureFixture[str]) -> None:
    house.behaviours = {"a": fakes.giving(fakes.offer("a", "x", "1"))}
    assert command("--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["generation"] == 1
    assert [change["offer"] for change in report["providers"][0]["changes"]["new"]] == ["a/r1/x"]


def test_an_unknown_provider_is_bad_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any) -> None:
    monkeypatch.setenv("OPTIMIZE_DATA_DIR", str(tmp_path))
    assert run(["catalog", "refresh", "--provider", "lamda"]) == 2
    assert "Did you mean lambda?" in capsys.readouterr().err


def test_import(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("OPTIMIZE_DATA_DIR", str(tmp_path))
    file = str(RECORDED / "importers" / "aws.csv")
    assert run(["catalog", "import", file, "--format", "gpuhunt"]) == 0
    shown = capsys.readouterr().out
    assert "aws: 2 prices in catalog 1; 2 rows rejected (1 kept for review)." in shown
    assert "The prices are undated and will be flagged" in shown
    assert run(["catalog", "import", file, "--format", "gpuhunt", "--observed", "2026-11-01", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["generation"] == 2
    assert run(["catalog", "import", file, "--format", "excel"]) == 2


def test_one_that_fails_beside_one_that_does_not(
    house: House, command: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(context: Any) -> Any:
        raise SourceChanged("b: found HTML, expected JSON")
        yield

    house.behaviours = {"a": fakes.giving(fakes.offer("a", "x", "1")), "b": broken}
    assert command() == 0
    shown = capsys.readouterr()
    lines = sorted(shown.err.splitlines())
    assert [line.partition(",")[0] for line in lines] == ["a: fetched", "b: FAILED"]
    assert "(b: found HTML, expected JSON)" in lines[1]
    assert "Catalog 1 holds from now on." in shown.out
