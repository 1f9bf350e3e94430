"""The commands: fixed keys, exit codes, both languages, and nothing on stdout but what was asked for."""

import csv
import io
import json
import unicodedata
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from optimizer.catalog import Catalog
from optimizer.cli._main import run
from optimizer.domain.offer import Offer
from optimizer.errors import EXIT_CHECK_FAILED, EXIT_INPUT, EXIT_OK
from tests.catalog.builders import machine, price, write_catalog


@pytest.fixture(autouse=True)
def _plain_output(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COLUMNS", "OPTIMIZE_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert run([*arguments, "--json"]) == EXIT_OK
    return json.loads(capsys.readouterr().out)


def test_list_has_the_fixed_keys(capsys: pytest.CaptureFixture[str], catalog: Catalog) -> None:
    found = said(capsys, "catalog", "list")
    assert {"rows", "providers", "rejected", "quarantined"} <= set(found)
    assert len(found["providers"]) == 42
    for entry in found["providers"].values():
        assert {"rows", "gpus", "terms", "oldest", "newest", "undated"} <= set(entry)
    for count in ("rows", "machines", "prices"):
        assert found[count] == sum(entry[count] for entry in found["providers"].values())
    assert found["machines"] == len(catalog.offers())
    assert found["prices"] == sum(len(offer.prices) for offer in catalog.offers())
    assert found["rows"] - found["prices"] == sum(not offer.prices for offer in catalog.offers())
    assert found["rejected"] + found["quarantined"] == len(catalog.rejected)


def test_list_says_the_age_of_prices(capsys: pytest.CaptureFixture[str]) -> None:
    entry = said(capsys, "catalog", "list")["providers"]["vast"]
    assert entry["undated"] == 57


@pytest.mark.parametrize("language", ["en", "zh"])
def test_list_as_a_table(capsys: pytest.CaptureFixture[str], language: str) -> None:
    assert run(["catalog", "list", "--lang", language]) == EXIT_OK
    printed = capsys.readouterr().out
    assert "alibaba" in printed
    assert ("家供应商" in printed) == (language == "zh")
    assert "\x1b" not in printed


def test_check_of_the_shipped_catalog(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["catalog", "check", "--as-of", "2026-11-30"]) == EXIT_OK
    printed = capsys.readouterr().out
    assert "4635 prices of 3139 machines checked: 0 errors, 0 warnings" in printed
    assert "undated (--ages shows them by provider)" in printed


def test_check_tells_ages_by_provider(capsys: pytest.CaptureFixture[str], catalog: Catalog) -> None:
    """Vast has 57 prices, none of them dated (AUDIT F23); JarvisLabs 16, of which two are 37 days old."""
    assert run(["catalog", "check", "--as-of", "2026-11-30", "--ages", "--max-age", "36"]) == EXIT_OK
    lines = capsys.readouterr().out.splitlines()
    assert "note undated vast: found 57 of 57 prices, expected prices with a date" in lines
    assert "note old jarvislabs: found 2 of 16 prices, expected prices younger than the limit" in lines
    notes = [f for f in said(capsys, "catalog", "check", "--as-of", "2026-11-30")["findings"] if f["level"] == "note"]
    assert ("old", "jarvislabs") not in {(note["code"], note["row"]) for note in notes}
    assert ("undated", "jarvislabs") in {(note["code"], note["row"]) for note in notes}


def test_check_says_no_with_its_own_exit_code(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    offers = [
        Offer(provider="runpod", region="global", machine=machine(f"{n}x_T4", "T4", n), prices=(price("0.4"),))
        for n in (1, 8)
    ]
    write_catalog(tmp_path / "own", offers)
    assert run(["catalog", "check", "--catalog", str(tmp_path / "own"), "--json"]) == EXIT_CHECK_FAILED
    found = json.loads(capsys.readouterr().out)
    assert found["ok"] is False
    assert [finding["code"] for finding in found["findings"]] == ["price-siblings"]


def test_offers_as_json(capsys: pytest.CaptureFixture[str], catalog: Catalog) -> None:
    found = said(capsys, "offers", "H100:8", "--country", "US", "--term", "on_demand", "--limit", "0")
    assert found["currency"] == "USD"
    assert found["rows"] == len(found["offers"]) > 0
    prices = [Decimal(row["price_per_gpu_hour"]) for row in found["offers"]]
    assert prices == sorted(prices)
    for row in found["offers"]:
        assert (row["country"], row["term"], row["gpu_count"]) == ("US", "on_demand", 8)
        assert abs(Decimal(row["price_per_hour"]) / 8 - Decimal(row["price_per_gpu_hour"])) < Decimal("0.0002")
    assert [removal["filter"] for removal in found["removals"]] == [
        "country=US",
        "gpu=H100:8",
        "no-price",
        "term=on_demand",
        "market-quotes",
        "plannable",
    ]
    known = {offer.key for offer in catalog.offers()}
    assert all(f"{row['provider']}/{row['region']}/{row['instance_type']}" in known for row in found["offers"])


def test_offers_in_another_currency_are_converted(capsys: pytest.CaptureFixture[str]) -> None:
    """At 6.65288 CNY a USD (2026-10-30)."""
    one = ["offers", "H100:8", "--provider", "lambda", "--as-of", "2026-11-30"]
    dollars, yuan = said(capsys, *one)["offers"][0], said(capsys, *one, "--currency", "cny")["offers"][0]
    assert dollars["price_per_hour"] == "31.9200"  # 8 x 3.99, the list of 2026-09-20
    assert float(yuan["price_per_hour"]) == pytest.approx(31.92 * 6.65288, rel=1e-5)
    assert (yuan["amount"], yuan["currency"]) == ("31.92", "USD")


def test_offers_as_csv_with_losses_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["offers", "MI300X", "--csv", "--limit", "0"]) == EXIT_OK
    printed = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(printed.out)))
    assert rows
    assert {row["gpu_model"] for row in rows} == {"MI300X"}
    assert "removed by gpu=MI300X" in printed.err


def test_offers_as_a_table_with_units_and_unknowns(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["offers", "--provider", "vast", "--limit", "3"]) == EXIT_OK
    lines = capsys.readouterr().out.splitlines()
    assert "USD/machine-h" in lines[0]
    assert "USD/GPU-h" in lines[0]
    assert " - " in lines[1]  # the host's memory is not known
    assert any(line.startswith("3 of ") for line in lines)
    assert any("--all" in line for line in lines)


def test_rows_that_are_never_planned_on_are_shown_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    hidden = said(capsys, "offers", "--provider", "mithril")
    shown = said(capsys, "offers", "--provider", "mithril", "--all")
    assert (hidden["rows"], shown["rows"]) == (0, 4)
    assert {row["marks"] for row in shown["offers"]} == {"floor"}
    assert hidden["removals"][-1] == {"filter": "plannable", "removed": 4, "left": 0}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [64, 80, 120])
@pytest.mark.parametrize("wanted", ["A100:80GB", "H100:8"])
def test_the_table_fits_the_window_and_no_price_is_cut(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, wanted: str, width: int, language: str
) -> None:
    asked = ["offers", wanted, "--limit", "12", "--all"]
    prices = [row["price_per_gpu_hour"] for row in said(capsys, *asked)["offers"]]
    monkeypatch.setenv("COLUMNS", str(width))
    assert run([*asked, "--lang", language]) == EXIT_OK
    lines = capsys.readouterr().out.splitlines()
    assert max(map(cells, lines)) <= width
    assert "USD/" in lines[0]
    for shown, line in zip(prices, lines[2:], strict=False):
        assert shown in line.split()  # as a word of its own: whole
    assert any(line.startswith({"en": "Left out for width: ", "zh": "因宽度省略："}[language]) for line in lines)


def cells(text: str) -> int:
    """Cells of a terminal by Unicode's East Asian Width (UAX 11)."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def test_a_pipe_gets_every_column_whole(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert run(["offers", "H100:8", "--limit", "5", "--all"]) == EXIT_OK
    table = capsys.readouterr().out.split("\n\n")[0]
    assert "USD/machine-h" in table.splitlines()[0]
    assert "…" not in table
    assert "Left out" not in table


def test_terms_are_told_in_words(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    asked = ["offers", "H100:8", "--provider", "hyperstack", "--term", "reserved_1y", "--limit", "1", "--all"]
    for language, term in (("en", "reserved 1 year"), ("zh", "预留 1 年")):
        assert run([*asked, "--lang", language]) == EXIT_OK
        assert term in capsys.readouterr().out.splitlines()[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["offers", "X9000"], "a GPU of the catalog"),
        (["offers", "H100:x"], "NAME:COUNT"),
        (["offers", "--currency", "XYZ"], "--currency"),
        (["offers", "--provider", "lamda"], "Did you mean lambda"),
        (["offers", "--country", "ZZ"], "--country"),
        (["offers", "--region", "us-eat-1"], "Did you mean us-east-1"),
        (["offers", "--max-age", "-1"], "max-age"),
        (["offers", "--max-price", "cheap"], "--max-price"),
        (["offers", "--max-gpu-price", "0"], "--max-gpu-price"),
        (["offers", "--term", "monthly"], "monthly"),
        (["offers", "--catalog", "/nonexistent"], "index.json"),
        (["catalog", "list", "--catalog", "/nonexistent"], "index.json"),
        (["catalog", "burn"], "burn"),
    ],
)
def test_bad_input_is_explained(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    assert run(arguments) == EXIT_INPUT
    printed = capsys.readouterr()
    assert printed.out == ""
    assert message in printed.err


def test_an_answer_can_be_empty(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["offers", "T4", "--provider", "seeweb"]) == EXIT_OK
    assert "0 of 0 prices of 0 machines" in capsys.readouterr().out


def test_prices_are_marked_by_age_and_left_out_only_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    """docs/catalog.md: JarvisLabs has 16 prices, 14 undated and two of 2026-10-24: 37 days before 2026-11-30."""
    asked = ["offers", "--provider", "jarvislabs", "--as-of", "2026-11-30"]
    found = said(capsys, *asked)
    assert (found["rows"], found["old"], found["undated"]) == (16, 0, 14)
    assert {row["age_days"] for row in found["offers"]} == {None, 37}
    old = said(capsys, *asked, "--max-age", "36")
    assert (old["rows"], old["old"], old["undated"]) == (16, 2, 14)
    assert {row["freshness"] for row in old["offers"]} == {"old", "undated"}
    exact = said(capsys, *asked, "--max-age", "37", "--exclude-old")
    assert (exact["rows"], exact["undated"]) == (2, 0)
    assert exact["removals"][-2:] == [
        {"filter": "undated", "removed": 14, "left": 2},
        {"filter": "max-age=37 days", "removed": 0, "left": 2},
    ]
    assert said(capsys, *asked, "--max-age", "36", "--exclude-old")["rows"] == 0


@pytest.mark.parametrize(("language", "words"), [("en", ("undated", "14 undated")), ("zh", ("无日期", "14 个无日期"))])
def test_undated_prices_never_pass_unsaid(
    capsys: pytest.CaptureFixture[str], language: str, words: tuple[str, str]
) -> None:
    assert run(["offers", "--provider", "jarvislabs", "--as-of", "2026-11-30", "--lang", language]) == EXIT_OK
    printed = capsys.readouterr().out
    assert sum(line.endswith(words[0]) for line in printed.splitlines()) == 14
    assert words[1] in printed


def test_offers_of_an_earlier_day(capsys: pytest.CaptureFixture[str]) -> None:
    """RunPod's secure H100 SXM: 3.29 USD in August 2026, 3.99 since November; no price seen later is shown."""
    asked = ["offers", "H100-SXM5-80GB:1", "--provider", "runpod", "--term", "on_demand"]
    for day, amount in (("2026-08-31", "3.29"), ("2026-11-30", "3.99")):
        rows = said(capsys, *asked, "--as-of", day)["offers"]
        assert [row["amount"] for row in rows if row["instance_type"] == "1x_H100-SXM_secure"] == [amount]
        assert all(row["observed"] is None or row["observed"] <= day for row in rows)


def test_machines_and_prices_are_told_apart(capsys: pytest.CaptureFixture[str], catalog: Catalog) -> None:
    """One machine in one region may have many prices."""
    assert run(["offers", "--provider", "lambda", "--limit", "1", "--all"]) == EXIT_OK
    machines = [offer for offer in catalog.offers() if offer.provider == "lambda"]
    prices = sum(len(offer.prices) or 1 for offer in machines)
    assert f"1 of {prices} prices of {len(machines)} machines shown" in capsys.readouterr().out


def test_out_writes_the_file_alone(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "offers.json"
    assert run(["offers", "T4", "--json", "--out", str(target)]) == EXIT_OK
    assert capsys.readouterr().out == ""
    assert json.loads(target.read_text())["rows"] > 0
