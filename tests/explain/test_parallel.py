"""The back end of independent solves, as `OPTIMIZE_PARALLEL` names it."""

from pathlib import Path

import pytest

from optimizer.cli._main import run
from optimizer.explain.parallel import engine

LORA = Path(__file__).parents[2] / "examples" / "lora-7b.yaml"


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("", ("", "")),
        ("loky", ("loky", "")),
        (" loky:3 ", ("loky", "3")),
        ("dask:tcp://host:8786", ("dask", "tcp://host:8786")),
    ],
)
def test_engines_that_are_known(said: str, meant: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPTIMIZE_PARALLEL", said)
    assert engine() == meant


@pytest.mark.parametrize("said", ["loky:0", "loky:-1", "loky:two", "loky:²", "ray"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_slip_is_an_error_of_input_before_anything_is_planned(
    said: str, language: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPTIMIZE_PARALLEL", said)
    monkeypatch.setattr("optimizer.app.plan.Planner", None)
    assert run(["--workload", str(LORA), "--sensitivity", "--lang", language]) == 2
    told = capsys.readouterr().err
    assert repr(said) in told
    assert ("loky alone" in told or "只写 loky" in told) == said.startswith("loky")
