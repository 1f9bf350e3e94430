"""Every bad input of the corpus: its messages and no others, its exit code, no traceback, nothing overwritten."""

import os
import re
import shutil
import stat
from pathlib import Path

import pytest

from optimizer.cli import _main
from optimizer.errors import OptimizeError
from tests.first_use.conftest import Run
from tests.first_use.corpus import CORPUS, GOOD, Bad, Says

KEPT = "what was here before\n"
HAN = re.compile("[\u4e00-\u9fff]")
#: Three words of English in a row are a sentence; field names and values are not.
ENGLISH = re.compile(r"\b[a-z]{2,}(?: [a-z]{2,}){2,}")


def _chinese_beside(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines that the same error would have had in Chinese, filled when there is one."""
    lines: list[str] = []
    describe = _main._describe

    def both(error: OptimizeError, language: str) -> str:
        lines.extend(describe(error, "zh").splitlines())
        return describe(error, language)

    monkeypatch.setattr(_main, "_describe", both)
    return lines


def _without_values(line: str) -> str:
    """A line without what was quoted from the file or from a library."""
    return re.sub(r"（[^）]*）|`[^`]*`|'[^']*'", "", line)


def test_the_corpus_holds_a_hundred_different_inputs() -> None:
    names = [bad.name for bad in CORPUS]
    assert len(names) >= 100
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("bad", CORPUS, ids=lambda bad: bad.name)
def test_bad_input_is_named_and_harms_nothing(
    bad: Bad, cli: Run, catalog: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chinese = _chinese_beside(monkeypatch)
    for name, content in bad.files.items():
        (tmp_path / name).write_bytes(content)
    kept = tmp_path / "kept.json"
    kept.write_text(KEPT)
    before = sorted(path.name for path in tmp_path.iterdir())
    ran = cli(*(part.format(dir=tmp_path, catalog=catalog) for part in bad.arguments))
    assert ran.code == bad.code, ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""
    lines = [line for line in ran.err.splitlines() if line.startswith("error: ")]
    assert len(lines) == len(bad.says), ran.err
    for says in bad.says:
        assert any(_says(line, says, bad.file) for line in lines), (says, ran.err)
    assert len(chinese) == len(lines)
    assert [line for line in chinese if HAN.search(line) is None or ENGLISH.search(_without_values(line))] == []
    assert kept.read_text() == KEPT
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert all((tmp_path / name).read_bytes() == content for name, content in bad.files.items())


def _says(line: str, says: Says, file: str) -> bool:
    place = file if says.line is None else f"{file}:{says.line}"
    where = f"{place}: {says.field}: found " if says.field else f"{place}: "
    message = line.partition(": found ")[2]
    found, _, expected = message.partition(", expected ")
    return where in line + " " and says.found in found and says.expected in expected


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"\xef\xbb\xbf" + GOOD.encode(), "a byte order mark"),
        (GOOD.replace("\n", "\r\n").encode(), "Windows line ends"),
        (GOOD.rstrip("\n").encode(), "no last newline"),
        ((GOOD + "name: 训练\nteam: 搜索\n").encode(), "Chinese names"),
    ],
)
def test_what_only_looks_odd_is_read(content: bytes, why: str, cli: Run, catalog: Path, tmp_path: Path) -> None:
    path = tmp_path / "w.yaml"
    path.write_bytes(content)
    ran = cli("fit", "--workload", path, "--catalog", catalog, "--gpu", "H100*", "--json")
    assert ran.code == 0, (why, ran.err)


def test_no_offer_left_counts_every_filter(cli: Run, catalog: Path, tmp_path: Path) -> None:
    path = tmp_path / "w.yaml"
    path.write_text(GOOD + "providers: [verda]\ngpus: {allow: [GH200-96GB]}\n")
    out = tmp_path / "plan.json"
    ran = cli("--workload", path, "--catalog", catalog, "--out", out, "--json")
    assert ran.code == 3
    import json

    plan = json.loads(ran.out)
    assert plan["status"] == "infeasible"
    # Verda sells no GH200: the first filter leaves its machines, the second none of them.
    steps = [step for step in plan["removals"] if "providers verda" in step["filter"] or "GH200" in step["filter"]]
    assert [step["left"] > 0 for step in steps] == [True, False]
    assert steps[0]["left"] == steps[1]["removed"]
    assert json.loads(out.read_text()) == plan


def test_a_damaged_catalog_names_file_and_both_checksums(cli: Run, catalog: Path, tmp_path: Path) -> None:
    import hashlib
    import json

    damaged = tmp_path / "catalog"
    shutil.copytree(catalog, damaged)
    prices = damaged / "offers" / "lambda" / "prices.csv"
    prices.write_bytes(prices.read_bytes().replace(b"2.29", b"0.29", 1))
    stated = json.loads((damaged / "index.json").read_text())["files"]["offers/lambda/prices.csv"]["sha256"]
    path = tmp_path / "w.yaml"
    path.write_text(GOOD)
    ran = cli("--workload", path, "--catalog", damaged)
    assert ran.code == 2
    assert f"{prices}: sha256: found {hashlib.sha256(prices.read_bytes()).hexdigest()}, expected {stated}" in ran.err


OUTPUTS = ("--out", "--report", "--xlsx")


@pytest.mark.parametrize("option", OUTPUTS)
@pytest.mark.parametrize(("place", "said"), [("/dev/full", "No space left"), ("{dir}/no/p", "No such file")])
def test_an_output_that_cannot_be_written_is_named(
    option: str, place: str, said: str, cli: Run, catalog: Path, tmp_path: Path
) -> None:
    path = tmp_path / "w.yaml"
    path.write_text(GOOD)
    target = place.format(dir=tmp_path)
    ran = cli("--workload", path, "--catalog", catalog, option, target)
    assert ran.code == 2
    assert f"error: {target}: found {said}" in ran.err
    assert ran.out == ""


def test_outputs_in_missing_folders_are_refused_together_before_the_work(
    cli: Run, catalog: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "w.yaml").write_text(GOOD)
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("optimizer.app.plan.plan_workload", lambda *_, **__: pytest.fail("planned in vain"))
    outputs = {"--out": "no/plan.json", "--report": "file/r.html", "--xlsx": "no/b.xlsx"}
    options = [str(word) for option, place in outputs.items() for word in (option, tmp_path / place)]
    ran = cli("--workload", tmp_path / "w.yaml", "--catalog", catalog, *options)
    assert ran.code == 2
    said = [line.rpartition(": found ")[2].partition(",")[0] for line in ran.err.splitlines()]
    assert said == ["No such file or directory", "Not a directory", "No such file or directory"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_without_the_right_to_write_is_named(cli: Run, catalog: Path, tmp_path: Path) -> None:
    (tmp_path / "w.yaml").write_text(GOOD)
    locked = tmp_path / "locked"
    locked.mkdir(mode=stat.S_IRUSR | stat.S_IXUSR)
    ran = cli("--workload", tmp_path / "w.yaml", "--catalog", catalog, "--out", locked / "plan.json")
    assert ran.code == 2
    assert "Permission denied" in ran.err
