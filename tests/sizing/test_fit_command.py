"""`optimize fit`: keys, units, both languages, what breaks, the user's own run, wrong input."""

import json
from pathlib import Path

import pytest

from optimizer.cli import fit as fit_module
from optimizer.cli._main import run

SFT_13B = """
start: 2026-12-01
name: sft-13b
model: {preset: llama-2-13b}
method: full
sequence_length: 4096
global_batch_tokens: 524288
tokens: 2.0e9
deadline_days: 14
"""


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    path = tmp_path / "w.yaml"
    path.write_text(SFT_13B, encoding="utf-8")
    return path


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(["fit", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_json_has_the_fixed_keys(workload: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = answer(capsys, "--workload", str(workload), "--gpu", "A100-SXM4-*", "--json")
    told = json.loads(out)
    assert code == 0
    assert told["workload"] == "sft-13b"
    fits, misfits = told["fits"], told["misfits"]
    assert fits
    assert misfits
    keys = {
        "gpu_model", "gpus", "nodes", "layout", "memory_gib", "usable_gib", "tokens_per_second", "interval", "mfu",
        "run_hours", "binds",
    }  # fmt: skip
    parts = {"weights", "gradients", "optimizer", "activations", "logits", "other", "total"}
    for fit in fits:
        assert keys <= fit.keys()
        assert fit["memory_gib"].keys() == parts
        assert fit["memory_gib"]["total"] <= fit["usable_gib"]
        assert fit["interval"][0] <= fit["tokens_per_second"] <= fit["interval"][1]
        # 2e9 tokens over the speed, in hours.
        assert fit["run_hours"] == pytest.approx(2e9 / fit["tokens_per_second"] / 3600)
        assert 0 < fit["mfu"] < 1
    for misfit in misfits:
        assert {"gpu_model", "gpus", "breaks", "smallest_change"} <= misfit.keys()


@pytest.fixture(autouse=True)
def _a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parallel test runners set COLUMNS; a pipe without it gets every line whole."""
    monkeypatch.delenv("COLUMNS", raising=False)


def test_h5_is_told_in_both_languages(workload: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # rules.md H 5: 13B full on two 40 GB cards does not fit; off-load takes about 156 GB of the host.
    arguments = ("--workload", str(workload), "--gpu", "A100-SXM4-40GB")
    _, english, _ = answer(capsys, *arguments, "--lang", "en")
    _, chinese, _ = answer(capsys, *arguments, "--lang", "zh")
    line = next(line for line in english.splitlines() if line.startswith("  A100-SXM4-40GB (40.0 GiB)"))
    assert "optimizer states" in line
    assert "(x2)" in line
    assert "pure bf16" in line
    line = next(line for line in chinese.splitlines() if line.startswith("  A100-SXM4-40GB（40.0 GiB）"))
    assert "优化器状态" in line


def test_cards_without_a_rate_share_a_line(workload: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # NVIDIA's V100 and T4 data sheets state tensor rates for fp16 alone.
    _, out, _ = answer(capsys, "--workload", str(workload), "--gpu", "V100-SXM2-32GB", "--gpu", "T4", "--lang", "en")
    line = next(line for line in out.splitlines() if "No bf16 rate on record" in line)
    assert "V100-SXM2-32GB" in line
    assert "T4" in line


def test_counts_of_nodes_are_told_apart(workload: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nodes = ("--nodes", "1", "--nodes", "2", "--lang", "en")
    _, out, _ = answer(capsys, "--workload", str(workload), "--gpu", "A100-SXM4-40GB", *nodes)
    assert " 2x8 " in out


def test_an_unstated_network_does_not_rule_out_several_nodes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Full training with AdamW keeps 16 bytes a parameter (ZeRO, arXiv 1910.02054, section 3.1): 13.0e9 of them are 194
    # GiB, 97 for each of two cards of 96, 65 for each of three. No seller of single GH200 states a network.
    path = tmp_path / "w.yaml"
    path.write_text(
        "start: 2026-12-01\nmodel: {preset: llama-2-13b}\nmethod: full\nsequence_length: 4096\n"
        "global_batch_tokens: 1048576\ntokens: 1.0e9\n",
        encoding="utf-8",
    )
    arguments = ["fit", "--workload", str(path), "--gpu", "GH200*", "--nodes", "2", "--nodes", "3", "--json"]
    assert run(arguments) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(fit["gpu_model"], fit["nodes"]) for fit in found["fits"] if fit["gpus"] == fit["nodes"]] == [
        ("GH200-96GB", 3)
    ]
    assert ("GH200-96GB", 2) in [(misfit["gpu_model"], misfit["nodes"]) for misfit in found["misfits"]]


def test_table_shows_bar_range_and_days(
    workload: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Parallel test runners set COLUMNS; a pipe without it gets every column.
    monkeypatch.delenv("COLUMNS", raising=False)
    _, out, _ = answer(capsys, "--workload", str(workload), "--gpu", "H100-SXM5-80GB", "--lang", "en")
    line = next(line for line in out.splitlines() if line.startswith("H100-SXM5-80GB") and " 8 " in line)
    assert "WW" in line
    assert "OO" in line
    assert "compute" in line
    assert "-" in line


def test_own_run_moves_the_prediction(workload: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, before, _ = answer(capsys, "--workload", str(workload), "--gpu", "A100-SXM4-80GB", "--json")
    eight = next(fit for fit in json.loads(before)["fits"] if fit["gpus"] == 8)
    slower = eight["tokens_per_second"] * 0.75
    own_run = f"measured: {{gpu: A100-SXM4-80GB, gpus: 8, tokens_per_second: {slower}}}\n"
    workload.write_text(SFT_13B + own_run, encoding="utf-8")
    _, after, _ = answer(capsys, "--workload", str(workload), "--gpu", "A100-SXM4-80GB", "--json")
    told = json.loads(after)
    assert told["calibration"]["moved_percent"] == pytest.approx(-25, abs=0.5)
    moved = next(fit for fit in told["fits"] if fit["gpus"] == 8)
    assert moved["tokens_per_second"] == pytest.approx(slower, rel=1e-6)


def test_wrong_names_are_said_with_a_suggestion(workload: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = answer(capsys, "--workload", str(workload), "--gpu", "H10O")
    assert code == 2
    assert "--gpu" in err
    code, _, err = answer(capsys, "--workload", "missing.yaml")
    assert code == 2
    assert "missing.yaml" in err


def test_work_without_a_model_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "hours.yaml"
    path.write_text("start: 2026-12-01\ngpu_hours: {gpu: A100-SXM4-80GB, hours: 140}\n", encoding="utf-8")
    code, _, err = answer(capsys, "--workload", str(path))
    assert code == 2
    assert "nothing to size" in err


def test_every_word_for_people_is_in_both_languages() -> None:
    from optimizer.domain.text import Text

    texts = [value for value in vars(fit_module).values() if isinstance(value, Text)]
    texts += [*fit_module.HEADS, *fit_module.BOUNDS.values(), *fit_module.BREAKS.values()]
    assert len(texts) > 25
    for text in texts:
        assert text.en
        assert text.zh
        assert text.en.count("{") == text.zh.count("{")
