"""`optimize rules`, its JSON, and the generated page."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from optimizer.cli.rules import command
from optimizer.rules import RULES, Binding, Rule, Screening, binding_rules
from optimizer.rules.listing import figure, formula
from optimizer.rules.statements import STATEMENTS

ROOT = Path(__file__).parent.parent.parent


def _run(*arguments: str, columns: str = "120") -> Result:
    result = CliRunner().invoke(command, [*arguments], env={"COLUMNS": columns})
    assert result.exit_code == 0, result.output
    return result


def _json(*arguments: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(_run("--json", *arguments).stdout)
    return value


def test_json_lists_every_rule_with_figures_documents_and_severities() -> None:
    listed = _json()
    assert [rule["id"] for rule in listed["rules"]] == [rule.id for rule in RULES]
    assert [one["id"] for one in listed["statements"]] == [one.id for one in STATEMENTS]
    ram = next(rule for rule in listed["rules"] if rule["id"] == "ram-total")
    assert ram["severity"] == {"documents": "hard", "strict": "hard", "floor": "hard", "off": "note"}
    (ratio,) = ram["parameters"]
    assert (ratio["name"], ratio["unit"], ratio["strict"], ratio["floor"]) == ("ratio", "×", 2.0, 1.0)
    assert ratio["stated"] == {"D1": 2.0, "D0": 1.5, "D4": 1.0}
    assert [source["document"] for source in ram["documents"]] == ["D1", "D0", "D4"]


@pytest.mark.parametrize(("profile", "ratio", "severity"), [("strict", 2.0, "hard"), ("floor", 1.0, "hard")])
def test_a_profile_says_what_is_in_force(profile: str, ratio: float, severity: str) -> None:
    ram = next(rule for rule in _json("--profile", profile)["rules"] if rule["id"] == "ram-total")
    assert ram["in_force"] == {"severity": severity, "figures": {"ratio": ratio}}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_table_names_every_rule(language: str) -> None:
    text = _run("--lang", language).stdout
    for name in (*(rule.id for rule in RULES), *(statement.id for statement in STATEMENTS)):
        assert f"\n{name} " in text
    assert ("显存" in text) is (language == "zh") or language == "en"
    assert max(len(line) for line in text.splitlines()[:-1]) <= 120


def test_out_writes_the_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "rules.json"
    assert _run("--json", "--out", str(target)).stdout == ""
    assert json.loads(target.read_text(encoding="utf-8"))["profile"] == "documents"


def test_the_page_is_up_to_date() -> None:
    script = ROOT / "scripts" / "generate_rules_docs.py"
    done = subprocess.run(
        [sys.executable, str(script), "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_binding_rules_are_those_that_take_something_out() -> None:
    screenings = [
        Screening(("ram-total",), (), ()),
        Screening(("ram-total", "nvlink"), (), ()),
        Screening((), ("ecc",), ("rdma",)),
    ]
    assert binding_rules(screenings) == {"nvlink": Binding(1, 0), "ram-total": Binding(2, 1)}


@pytest.mark.parametrize("columns", ["80", "150"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_line_is_wider_than_the_window(language: str, columns: str) -> None:
    from rich.cells import cell_len

    lines = _run("--lang", language, columns=columns).stdout.splitlines()
    assert max(map(cell_len, lines)) <= int(columns)


def test_severities_name_their_profiles() -> None:
    text = _run("--lang", "en").stdout
    # docs/rules.md: vram-fit is physical and holds always; the 80 GB class is a warning at the documents' floors.
    assert "hard in every profile · D0, D4" in text
    assert "hard in documents, strict; warning in floor; note in off" in text
    assert "documents, strict：硬性；floor：警告；off：说明" in _run("--lang", "zh").stdout


@pytest.mark.parametrize("rule", RULES, ids=[rule.id for rule in RULES])
def test_every_figure_and_formula_of_the_screen_has_a_chinese_form(rule: Rule) -> None:
    said = [figure(parameter, "zh").partition(" ")[2] for parameter in rule.parameters] or [formula(rule, "zh")]
    for text in said:
        assert not re.search(r"[a-z]{3,} [a-z]{3,}|nominal|parameters|ours|days|nodes|cores", text), text


def test_one_of_a_unit_is_told_in_the_singular() -> None:
    small = next(p for rule in RULES for p in rule.parameters if p.name == "small" and rule.id == "gpu-count")
    assert figure(small) == "small 1 GPU (D1 1)"
    assert figure(small, "zh") == "small 1 块 GPU（D1 1）"
