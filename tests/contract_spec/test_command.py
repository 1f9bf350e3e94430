"""The command: forms, exit codes, errors that name what is wrong."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from optimizer.app import contract as app
from optimizer.cli._main import main
from optimizer.contract.spec import NINE_ITEMS
from tests.contract_spec import plans

NEEDED = {"id", "clause", "value", "unit", "source", "status", "acceptance"}


@pytest.fixture(autouse=True)
def _facts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "contract_facts", lambda _catalog: plans.facts())


@pytest.fixture
def plan_file(tmp_path: Path) -> Path:
    path = tmp_path / "plan.json"
    path.write_text(plans.rented().model_dump_json(by_alias=True), encoding="utf-8")
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: Any) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(["contract", *map(str, arguments)])
    out, err = capsys.readouterr()
    return int(caught.value.code or 0), out, err
