"""Futures in which a price is missing: known as such, never cheap, and no forecast worth less than nothing."""

from fractions import Fraction
from pathlib import Path

import pytest
from support import planner

from optimizer.app.scenarios import Hedged
from optimizer.cli._main import run
from optimizer.explain.scenario_file import ScenarioFile
from optimizer.explain.scenarios import Hedge, hedge

RUNPOD = "runpod/global/1x_A40_secure"  # every price known
MATPOOL = "matpool/cn/A100 40GB PCIe x1"  # cheaper by the hour; storage and egress have no price
JOB = (
    "currency: CNY\nprofile: off\nname: lora\nmodel: {preset: llama-2-7b}\nmethod: lora\nsequence_length: 1024\n"
    "tokens: 3e7\nmax_nodes: 1\n"
)
FUTURES = {"scenarios": [{"name": "a", "weight": 0.5}, {"name": "b", "weight": 0.5, "failing": ["runpod"]}]}


def test_a_future_that_can_have_every_price_is_not_planned_without_one() -> None:
    asked = planner(JOB, RUNPOD, MATPOOL)
    found = hedge(asked, ScenarioFile.model_validate(FUTURES), 30)
    assert isinstance(found, Hedge)
    known, unknown = found.futures
    assert known.missing == ()
    assert RUNPOD in known.runs[0]
    assert unknown.missing == ("storage", "egress")
    assert MATPOOL in unknown.runs[0]
    assert unknown.alone < known.alone  # what is known of it; the rest is missing
    # Nothing is committed, so each future costs what it costs alone, and a forecast is worth nothing.
    assert [one.cost for one in found.futures] == [one.alone for one in found.futures]
    assert found.expected == round(Fraction(known.alone + unknown.alone, 2))
    assert found.cost_of_not_knowing == 0
    said = "\n".join(Hedged(asked, found).lines("en"))
    assert "proven for the prices that are known; what is unknown comes on top" in said
    assert "Unknown and not counted: storage; egress; so it costs at least that" in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--report", "x.html"], "--report: found --scenarios beside it, expected either of them alone"),
        (["--sensitivity"], "--sensitivity: found --scenarios beside it, expected either of them alone"),
        (["--currency", "USD"], "--currency: found --scenarios beside it, expected either of them alone"),
        (["--budget"], "--budget: found nothing, expected an amount after it beside --scenarios"),
    ],
)
def test_options_that_would_be_left_aside_are_refused(
    options: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "w.yaml").write_text(JOB + "start: 2026-12-01\n")
    (tmp_path / "f.yaml").write_text("scenarios: [{name: a, weight: 1}]\n")
    assert run(["--workload", "w.yaml", "--scenarios", "f.yaml", *options]) == 2
    assert capsys.readouterr().err == f"error: {said}\n"
    assert not (tmp_path / "x.html").exists()


def test_a_provider_that_fails_must_exist(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    work, futures = tmp_path / "w.yaml", tmp_path / "f.yaml"
    work.write_text(JOB + "start: 2026-12-01\n")
    futures.write_text("scenarios: [{name: a, weight: 1, failing: [runpodd]}]\n")
    assert run(["--workload", str(work), "--scenarios", str(futures)]) == 2
    said = capsys.readouterr().err
    assert "scenarios[0].failing: found 'runpodd'" in said
    assert "Did you mean runpod?" in said
