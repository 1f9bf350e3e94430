"""`optimize verify`: exit codes, the JSON contract, both languages, and files that are no plans."""

import json
from pathlib import Path
from typing import Any

import pytest

from optimizer.cli._main import run
from tests.verify.plans import two_weeks_by_the_hour


@pytest.fixture
def plan_path(tmp_path: Path) -> Path:
    path = tmp_path / "plan.json"
    path.write_text(two_weeks_by_the_hour().model_dump_json(by_alias=True), encoding="utf-8")
    return path


def rewritten(path: Path, **changes: Any) -> Path:
    data = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(data | changes), encoding="utf-8")
    return path


# The plan written by hand has no verdicts of rules, which the fact tables ask for: only these checks may differ.
def failures(text: str) -> list[dict[str, Any]]:
    checks: list[dict[str, Any]] = json.loads(text)["checks"]
    assert all(set(check) == {"id", "ok", "expected", "found"} for check in checks)
    return [check for check in checks if not check["ok"] and not check["id"].startswith("rules.ids[")]


def test_json_has_the_fixed_keys(plan_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["verify", str(plan_path), "--json"])
    out = capsys.readouterr().out
    assert set(json.loads(out)) == {"ok", "checks"}
    assert failures(out) == []


def test_a_damaged_plan_exits_with_6_and_names_the_figure(plan_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cost = json.loads(plan_path.read_text(encoding="utf-8"))["cost"]
    rewritten(plan_path, cost={**cost, "total": "8019.21"})
    assert run(["verify", str(plan_path), "--lang", "en"]) == 6
    assert "totals.total: expected 8019.2, found 8019.21" in capsys.readouterr().out
    assert run(["verify", str(plan_path), "--lang", "zh"]) == 6
    assert "totals.total：应为 8019.2，实为 8019.21" in capsys.readouterr().out


def test_a_file_that_is_no_plan_names_every_field(plan_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rewritten(plan_path, status="best", horizon_days="many", surprise=1)
    assert run(["verify", str(plan_path)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[2] for line in lines] == ["status", "horizon_days", "surprise"]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'"text"', b"\xff\xfe", b'{"cost": NaN}'])
def test_other_files_are_bad_input(tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "other.json"
    path.write_bytes(content)
    assert run(["verify", str(path)]) == 2
    assert capsys.readouterr().err.startswith(f"error: {path}")


def test_a_missing_file_is_bad_input(tmp_path: Path) -> None:
    assert run(["verify", str(tmp_path / "none.json")]) == 2
    assert run(["verify", str(tmp_path)]) == 2


def test_the_answer_can_be_written_to_a_file(plan_path: Path, tmp_path: Path) -> None:
    out = tmp_path / "checks.json"
    run(["verify", str(plan_path), "--json", "--out", str(out)])
    assert failures(out.read_text(encoding="utf-8")) == []
