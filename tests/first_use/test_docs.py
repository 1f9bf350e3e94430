"""Every command of the documentation runs, in the order of its page; examples read; reference pages are current."""

import difflib
import importlib.util
import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from optimizer.planning.schema import KINDS, fields_without_words, schema_of
from optimizer.planning.workload_file import parse_workload
from optimizer.planning.yaml_core import parse
from tests.first_use.conftest import Run
from tests.first_use.world import World

ROOT = Path(__file__).parents[2]
HOWTO = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs" / "howto").glob("*.md"))
PAGES = ("docs/start.md", "docs/workload.md", "docs/how-it-works.md", *HOWTO)
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```", re.M | re.S)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
#: Commands that plan take this catalog, so that a page runs in seconds; quotes and conditions stay as documented.
TAKES_CATALOG = {"fit", "offers", "breakeven", "why", "verify", "contract", "--workload"}
#: Pages that other scripts measure and write.
WRITTEN_APART = {"accuracy.md", "program.md"}
#: What these commands find depends on the shipped catalog, which the small one is a part of: an answer or none.
ANSWERS = (0, 3)


def blocks(page: str, language: str) -> list[str]:
    """The code blocks of a page in a language; those marked `no-run` need a network, a key or a shell."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [body for kind, mark, body in BLOCK.findall(text) if kind == language and "no-run" not in mark]


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "sh")])
def test_the_commands_of_a_page_run_in_order(
    page: str, cli: Run, catalog: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for line in "".join(blocks(page, "sh")).splitlines():
        words = shlex.split(line)
        assert words[0] == "optimize", line
        more = ["--catalog", str(catalog)] if words[1] in TAKES_CATALOG else []
        ran = cli(*words[1:], *more)
        assert ran.code in ANSWERS, (line, ran.err)
        assert ran.code == 0 or "--set" in line, (line, ran.out)


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files(page: str) -> None:
    here = (ROOT / page).parent
    missing = [link for link in LINK.findall((ROOT / page).read_text(encoding="utf-8")) if not (here / link).exists()]
    assert [link for link in missing if link not in WRITTEN_APART] == []


def test_yaml_of_the_pages_reads() -> None:
    least = "start: 2026-12-01\nmodel: {preset: llama-2-7b}\ntokens: 2e8\n"
    found = [(page, text) for page in PAGES for text in blocks(page, "yaml")]
    assert len(found) >= 4
    for page, text in found:
        parse_workload(text if "start:" in text else least + text, page)


def test_the_bill_of_the_review_page_reads(cli: Run, world: World) -> None:
    path = world.folder / "november.csv"
    path.write_text(blocks("docs/howto/review.md", "csv")[0])
    ran = cli("review", "--bill", path, "--no-state", "--catalog", world.catalog, "--month", "2026-11")
    assert ran.code == 0, ran.err
    # One line: 22.90 USD.
    assert "22.90" in ran.out


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_of_a_file_is_explained(kind: str) -> None:
    assert fields_without_words(kind) == []  # type: ignore[arg-type]


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.yaml")), ids=lambda path: path.name)
def test_examples_satisfy_the_published_schema(path: Path) -> None:
    data = parse(path.read_text(encoding="utf-8"), path.name).data
    errors = [error.message for error in Draft202012Validator(schema_of("workload")).iter_errors(data)]
    assert errors == []


@pytest.mark.parametrize(
    "text",
    [
        "start: 2026-12-01\nmodle: {preset: x}\ntokens: 1e9\n",
        "start: 2026-12-01\nmodel: {preset: x}\ntokens: '1e9'\n",
        "start: 2026-12-01\nmodel: {preset: x}\n",
        "model: {preset: x}\ntokens: 1e9\n",
        "start: 2026-12-01\nbudget: '5'\nmodel: {preset: x}\ntokens: 1e9\n",
    ],
)
def test_the_published_schema_refuses_what_the_reader_refuses(text: str) -> None:
    data = parse(text, "w.yaml").data
    assert not Draft202012Validator(schema_of("workload")).is_valid(data)


def test_plans_satisfy_the_published_schema(world: World) -> None:
    data = json.loads((world.folder / "plan.json").read_text())
    errors = [
        f"{error.json_path}: {error.message}" for error in Draft202012Validator(schema_of("plan")).iter_errors(data)
    ]
    assert errors == []


def test_the_reference_is_what_the_code_says() -> None:
    spec = importlib.util.spec_from_file_location("generate_reference", ROOT / "scripts" / "generate_reference.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    for name, text in script.pages().items():
        written = (script.REFERENCE / name).read_text("utf-8")
        changes = difflib.unified_diff(written.splitlines(), text.splitlines(), name, "code", lineterm="", n=0)
        assert list(changes) == [], "run scripts/generate_reference.py"
