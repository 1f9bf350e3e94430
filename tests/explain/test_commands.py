"""The commands: fixed keys of JSON, words in both languages, exit codes, files."""

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import Named

from optimizer.cli import main

GN10X = "tencent/mainland-low/GN10X.18XLARGE320"  # 131.17 CNY an hour, 37,800 a month
JOB = (
    "currency: CNY\nprofile: off\nstart: 2026-12-01\nname: job\ngpu_hours: {gpu: V100-SXM2-32GB, hours: 2240}\n"
    "deadline_days: 31\nmax_nodes: 1\n"
)
Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command on one offer of the shipped catalog; gives exit code and stdout."""
    for module in ("plan", "why", "breakeven", "scenarios"):
        monkeypatch.setattr(f"optimizer.app.{module}.load_catalog", lambda directory=None: Named([GN10X]))
    monkeypatch.setenv("OPTIMIZE_AS_OF", "2026-11-30")
    monkeypatch.setenv("OPTIMIZE_LANG", "en")

    def command(*arguments: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        code = ended.value.code
        return (code if isinstance(code, int) else 0), capsys.readouterr().out

    return command


@pytest.fixture
def workload(tmp_path: Path) -> str:
    path = tmp_path / "job.yaml"
    path.write_text(JOB, encoding="utf-8")
    return str(path)


def as_json(result: tuple[int, str]) -> Any:
    assert result[0] == 0
    return json.loads(result[1])


def test_why_gives_its_fixed_keys_and_both_languages(run: Run, workload: str, tmp_path: Path) -> None:
    plan = str(tmp_path / "plan.json")
    assert run("--workload", workload, "--out", plan)[0] == 0
    found = as_json(run("why", "month", "--plan", plan, "--json"))
    assert {"offer", "verdict", "rules", "extra_cost", "plan"} <= set(found)
    # 37,800 for the month against 280 h x 131.17 = 36,727.60.
    assert (found["verdict"], found["extra_cost"]) == ("dearer", "1072.40")
    assert "1,072.40 CNY" in run("why", "month", "--plan", plan)[1]
    assert "多 1,072.40 CNY" in run("why", "month", "--plan", plan, "--lang", "zh")[1]


def test_why_refuses_a_name_that_means_nothing(run: Run, workload: str, tmp_path: Path) -> None:
    plan = str(tmp_path / "plan.json")
    run("--workload", workload, "--out", plan)
    assert run("why", "nothing-like-it", "--plan", plan)[0] == 2


def test_breakeven_gives_its_fixed_keys_and_a_picture(run: Run, workload: str, tmp_path: Path) -> None:
    picture = tmp_path / "surface.svg"
    found = as_json(run("breakeven", "--workload", workload, "--json", "--picture", str(picture)))
    assert {"terms", "points", "crossings", "document_point"} <= set(found)
    assert {"hours_per_day", "days", "months", "cheapest", "costs"} <= set(found["points"][0])
    assert {"from", "to", "hours_per_day", "days"} <= set(found["crossings"][0])
    point = found["document_point"]
    assert (point["days"], point["hours_per_day"], point["cheapest"]) == (14, 10, "on_demand")
    # 140 h x 131.17.
    assert point["costs"] == {"on_demand": "18363.8", "month": "37800"}
    drawn = picture.read_text(encoding="utf-8")
    assert drawn.startswith("<svg xmlns=")
    assert "http" not in drawn.replace("http://www.w3.org/2000/svg", "")
    assert "not a payback" in run("breakeven", "--workload", workload)[1]
    assert "不是回本点" in run("breakeven", "--workload", workload, "--lang", "zh")[1]


@pytest.mark.parametrize("name", ["X", "surface.png", "surface"])
def test_a_picture_of_another_ending_is_refused_before_anything_is_worked_out(
    run: Run, workload: str, tmp_path: Path, name: str
) -> None:
    assert run("breakeven", "--workload", workload, "--picture", str(tmp_path / name))[0] == 2
    assert not (tmp_path / name).exists()
    assert run("breakeven", "--workload", workload, "--picture", str(tmp_path / "A.SVG"))[0] == 0


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [80, 120])
def test_the_break_even_table_is_aligned_and_fits(
    run: Run, workload: str, monkeypatch: pytest.MonkeyPatch, width: int, language: str
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = run("breakeven", "--workload", workload, "--lang", language)[1].splitlines()
    assert max(map(cells, lines)) <= width
    hourly = {"en": "by the hour 1–", "zh": "按量 1–"}[language]
    table = [line for line in lines if f"  {hourly}" in line]
    assert len(table) > 1
    assert len({cells(line[: line.index(hourly)]) for line in table}) == 1


def cells(text: str) -> int:
    """Cells of a terminal by Unicode's East Asian Width (UAX 11)."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def test_break_even_marks_prices_older_than_max_age_and_leaves_them_out_on_request(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Lambda's list of 2026-09-20 is 71 days old on 2026-11-30.
    offer = "lambda/global/gpu_8x_h100_sxm5"
    monkeypatch.setattr("optimizer.app.breakeven.load_catalog", lambda directory=None: Named([offer]))
    path = tmp_path / "work.yaml"
    path.write_text(JOB.replace("V100-SXM2-32GB", "H100-SXM5-80GB"), encoding="utf-8")
    asked = ("breakeven", "--workload", str(path))
    for days, old in ((70, 1), (71, 0)):
        found = as_json(run(*asked, "--max-age", str(days), "--json"))
        assert found["prices"] == {"prices": 1, "old": old, "undated": 0, "oldest": "2026-09-20"}
    assert "price 71 days old" in run(*asked, "--max-age", "70")[1]
    assert "价格已有 71 天" in run(*asked, "--max-age", "70", "--lang", "zh")[1]
    assert "71 days old" not in run(*asked, "--max-age", "71")[1]
    assert run(*asked, "--max-age", "71", "--exclude-old")[0] == 0
    assert run(*asked, "--max-age", "70", "--exclude-old")[0] == 2


def test_break_even_says_that_prices_are_undated(run: Run, workload: str) -> None:
    found = as_json(run("breakeven", "--workload", workload, "--json"))
    assert found["prices"] == {"prices": 2, "old": 0, "undated": 2, "oldest": None}
    assert "price undated" in run("breakeven", "--workload", workload)[1]


def test_break_even_tells_each_change_once(run: Run, workload: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    said = run("breakeven", "--workload", workload)[1]
    # 37,800 / 131.17 = 288.2 h: on 21 days 13.72 h a day. Two months of 31 days at twice the price: 9.3 h in both.
    for days, hours, total in (("21", "13.72", "288.2"), ("31–62", "9.3", "288.2–576.4")):
        assert f"on {days} days: from {hours} h a day ({total} h in all), by the month instead of by the hour" in said
    assert "on 1 day:" not in said  # 24 h are fewer than 288
    assert "takes over" not in said.partition("Where one")[2].partition("\n")[2]


def test_budget_alone_adds_the_smallest_budget_and_the_frontier(run: Run, workload: str) -> None:
    found = as_json(run("--workload", workload, "--budget", "--json"))
    assert found["smallest_budget"] == "36727.6"
    # 280 h are 11 days of 24 h and one of 16: the last day is the twelfth, number 11.
    assert [(point["finish_day"], point["cost"]) for point in found["frontier"]] == [(11, "36727.6")]
    assert "Smallest budget known to suffice: 36,727.60 CNY" in run("--workload", workload, "--budget")[1]
    assert as_json(run("--workload", workload, "--json"))["frontier"] == []


def test_what_changes_the_answer_first_is_on_the_first_screen_where_asked(run: Run, workload: str) -> None:
    assert "First to change the answer" in run("--workload", workload, "--sensitivity")[1]
    assert "First to change the answer" not in run("--workload", workload)[1]


def test_a_report_carries_surface_and_sensitivity(run: Run, workload: str, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    assert run("--workload", workload, "--report", str(report))[0] == 0
    page = report.read_text(encoding="utf-8")
    assert "breakeven-chart" in page
    assert "First to change the answer" in page


def test_futures_say_what_to_commit_and_exit_3_without_a_plan(run: Run, workload: str, tmp_path: Path) -> None:
    futures = tmp_path / "futures.yaml"
    futures.write_text("scenarios: [{name: a, weight: 0.4}, {name: b, weight: 0.6, demand: 1.2}]", encoding="utf-8")
    found = as_json(run("--workload", workload, "--scenarios", str(futures), "--json"))
    # 280 and 336 h: 0.4 x 36,727.60 + 0.6 x 44,073.12 = 41,134.91 by the hour; the month is 37,800.
    assert (found["expected_cost"], found["by_the_hour"]) == ("37800", "41134.912")
    assert [(line["term"], line["count"]) for line in found["commit"]] == [("month", 1)]
    assert "Not knowing costs" in run("--workload", workload, "--scenarios", str(futures))[1]
    futures.write_text("scenarios: [{name: a, weight: 1, failing: [tencent]}]", encoding="utf-8")
    code, said = run("--workload", workload, "--scenarios", str(futures))
    assert (code, said.strip()) == (3, "No plan even alone in: a.")


def test_compare_shows_two_files(run: Run, workload: str, tmp_path: Path) -> None:
    first, second = str(tmp_path / "a.json"), str(tmp_path / "b.json")
    run("--workload", workload, "--out", first)
    run("--workload", workload, "--out", second, "--set", "gpu_hours.hours=2400")
    found = as_json(run("compare", first, second, "--json"))
    assert found["difference"] == "1072.40"
    assert "A is 1,072.40 CNY (2.8%) cheaper." in run("compare", first, second)[1]


def test_from_a_running_plan_what_it_rented_is_free(run: Run, workload: str, tmp_path: Path) -> None:
    running = str(tmp_path / "running.json")
    run("--workload", workload, "--out", running, "--set", "gpu_hours.hours=2400")
    found = as_json(run("--workload", workload, "--from", running, "--json"))
    assert found["cost"]["total"] == "0"
