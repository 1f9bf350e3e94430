"""The command: forms, exit codes, errors that name what is wrong."""

import json
from pathlib import Path
from typing import Any

import pytest

from optimizer.app import contract as app
from optimizer.catalog import load_catalog
from optimizer.cli._main import run as run_command
from optimizer.contract.spec import NINE_ITEMS
from optimizer.domain.plan import Plan
from tests.contract_spec import plans

KEYS = {"id", "clause", "value", "unit", "source", "status", "acceptance"}


@pytest.fixture(autouse=True)
def _facts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "contract_facts", lambda _catalog: plans.facts())
    monkeypatch.setenv("OPTIMIZE_LANG", "en")


def written(folder: Path, plan: Plan) -> Path:
    path = folder / "plan.json"
    path.write_text(plan.model_dump_json(), encoding="utf-8")
    return path


@pytest.fixture
def plan_file(tmp_path: Path) -> Path:
    return written(tmp_path, plans.rented())


def run(*arguments: Any) -> int:
    return run_command(["contract", *map(str, arguments)])


def test_json_has_the_fixed_keys(plan_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(plan_file, "--format", "json", "--lang", "zh") == 0
    value = json.loads(capsys.readouterr().out)
    assert len(value["plan_id"]) == 16
    found = {item["id"]: item for item in value["items"] if item["purchase"] == "P1"}
    assert set(NINE_ITEMS) <= set(found)
    assert all(set(item) >= KEYS for item in value["items"])
    assert {item["status"] for item in value["items"]} <= {"stated", "derived", "to_confirm"}
    memory = found["gpu_memory"]
    assert (memory["value"], memory["unit"], memory["clause"]) == (80, "GB", "每卡显存，足额（按标称）。")
    assert set(memory["acceptance"]) >= {"command", "reads", "threshold"}
    assert found["rent"]["value"] == "1800000.00"
    assert found["response_time"]["value"] is None


@pytest.mark.parametrize(("form", "start"), [("docx", b"PK"), ("pdf", b"%PDF-"), ("md", b"# "), ("json", b"{")])
def test_every_form_is_written(plan_file: Path, tmp_path: Path, form: str, start: bytes) -> None:
    out = tmp_path / f"contract.{form}"
    assert run(plan_file, "--format", form, "--out", out) == 0
    assert out.read_bytes().startswith(start)


def test_a_binary_form_wants_a_file(plan_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(plan_file, "--format", "docx") == 2
    assert "--out" in capsys.readouterr().err


def test_kinds_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, plans.ordered())
    assert run(path, "--json", "--kind", "P1=rent") == 0
    assert json.loads(capsys.readouterr().out)["purchases"][0]["kind"] == "rent"
    assert run(path, "--kind", "lease", "--kind", "P1=gift") == 2
    errors = capsys.readouterr().err
    assert "'lease'" in errors
    assert "'P1=gift'" in errors


def answer_file(plan_file: Path, folder: Path, capsys: pytest.CaptureFixture[str], name: str, **answers: Any) -> Path:
    """The exported form, filled by a vendor."""
    run(plan_file, "--format", "json")
    form = json.loads(capsys.readouterr().out)
    form["vendor"] = name
    for item in form["items"]:
        item["answer"] = answers.get(item["id"], f"5 {item['unit']}" if item["relation"] == "fill" else "agreed")
    path = folder / f"{name}.json"
    path.write_text(json.dumps(form), encoding="utf-8")
    return path


def test_an_answer_that_meets_all_is_0(plan_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = answer_file(plan_file, tmp_path, capsys, "good")
    assert run(plan_file, "--answer", answer) == 0
    out = capsys.readouterr().out
    assert "good: " in out
    assert "every ★ line is met" in out


def test_a_star_that_is_not_met_is_6(plan_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = answer_file(plan_file, tmp_path, capsys, "good")
    bad = answer_file(plan_file, tmp_path, capsys, "bad", gpu_memory="40 GB", response_time="")
    table = tmp_path / "deviation.xlsx"
    assert run(plan_file, "--answer", good, "--answer", bad, "--deviation", table, "--json") == 6
    value = json.loads(capsys.readouterr().out)
    assert [vendor["ok"] for vendor in value["vendors"]] == [True, False]
    verdicts = {item["id"]: item["verdict"] for item in value["vendors"][1]["items"] if item["verdict"] != "met"}
    assert verdicts == {"gpu_memory": "not_met", "response_time": "silent"}
    assert table.read_bytes().startswith(b"PK")


def test_a_line_without_star_that_is_not_met_is_0(
    plan_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = answer_file(plan_file, tmp_path, capsys, "fair", **{"gpu_memory.bandwidth": "100 GB/s"})
    assert run(plan_file, "--answer", answer) == 0
    assert "required ≥ 3,350 GB/s; answer 100 GB/s" in capsys.readouterr().out


def test_a_document_can_hold_the_answers(plan_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = answer_file(plan_file, tmp_path, capsys, "bad", memory="512 GiB")
    assert run(plan_file, "--answer", answer, "--format", "md") == 6
    assert "| 512 GiB | negative" in capsys.readouterr().out


def test_all_problems_of_all_answers_at_once(
    plan_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = tmp_path / "a.json", tmp_path / "b.json"
    first.write_text('{"items": [{"id": "gpu"}]}')
    second.write_text("[]")
    assert run(plan_file, "--answer", first, "--answer", second) == 2
    errors = capsys.readouterr().err
    assert "a.json" in errors
    assert "b.json" in errors
    assert "Traceback" not in errors


def test_several_vendors_in_one_document_are_warned_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, plans.all_three())
    assert run(path, "--format", "md", "--out", tmp_path / "all.md") == 0
    assert "--provider NAME" in capsys.readouterr().err
    assert run(path, "--format", "md", "--provider", "lessor", "--out", tmp_path / "one.md") == 0
    assert capsys.readouterr().err == ""
    assert "cloud" not in (tmp_path / "one.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("content", ["", "{}", "[1]"])
def test_no_plan_is_an_input_error(tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content)
    assert run(path) == 2
    assert "x.json" in capsys.readouterr().err


def test_the_shipped_exceptions_name_lines_that_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    facts = app.contract_facts(load_catalog())
    from optimizer.contract.build import build_contract

    lines = {item.id for _, item in build_contract(plans.rented(), plans.facts()).lines()}
    assert len(facts.exceptions) >= 20
    for known in facts.exceptions:
        assert known.item in lines
        assert known.source
        assert known.observed
        assert known.text.en
        assert known.text.zh
        for name in known.providers.split(";"):
            segments = {f"segment:{segment}" for segment in facts.segments.values()}
            assert name in facts.segments or name in segments, name


def test_the_terms_that_alibaba_and_tencent_publish_are_carried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bare-metal families of Alibaba cannot change type; Tencent's prepaid GPU machines cannot be ended early."""
    from optimizer.domain.offer import Term

    monkeypatch.undo()
    facts = app.contract_facts(load_catalog())

    def carried(provider: str, kind: str, term: Term) -> set[str]:
        segment = facts.segments[provider]
        return {known.item for known in facts.exceptions if known.applies(provider, segment, kind, frozenset({term}))}

    assert "scaling.type_change" in carried("alibaba", "ecs.ebmgn7ex.32xlarge", Term.MONTH)
    assert "scaling.type_change" in carried("alibaba", "ecs.gn5-c4g1.xlarge", Term.ON_DEMAND)
    assert "scaling.type_change" not in carried("alibaba", "ecs.gn7i-c16g1.4xlarge", Term.MONTH)
    assert {"scaling.early_exit", "scaling.refund"} <= carried("tencent", "GT4.4XLARGE96", Term.MONTH)
    assert "scaling.refund" in carried("alibaba", "ecs.gn7i-c16g1.4xlarge", Term.YEAR)
    assert "scaling.refund" not in carried("alibaba", "ecs.gn7i-c16g1.4xlarge", Term.ON_DEMAND)
