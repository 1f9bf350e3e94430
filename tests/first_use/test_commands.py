"""Every command x form x option: JSON alone on stdout, --out writes, Chinese, no colour codes, usage errors."""

import json
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from optimizer.app.convert import converted
from optimizer.catalog import load_catalog
from optimizer.cli import _main
from optimizer.domain.plan import Plan
from optimizer.errors import NoPlanInTime
from tests.first_use.conftest import Ran, Run
from tests.first_use.corpus import GOOD
from tests.first_use.world import World

HAN = re.compile(r"[\u4e00-\u9fff]")
ESCAPE = "\x1b"

#: Commands that give JSON, with what they need; {dir} holds w.yaml, plan.json, other.json and bill.csv.
COMMANDS: dict[str, tuple[str, ...]] = {
    "plan": ("--workload", "{dir}/w.yaml", "--catalog", "{catalog}"),
    "fit": ("fit", "--workload", "{dir}/w.yaml", "--catalog", "{catalog}", "--gpu", "H100*"),
    "offers": ("offers", "H100:8", "--catalog", "{catalog}"),
    "catalog list": ("catalog", "list", "--catalog", "{catalog}"),
    "catalog check": ("catalog", "check", "--catalog", "{catalog}"),
    "catalog diff": ("catalog", "diff", "{catalog}", "{catalog}"),
    "catalog history": ("catalog", "history", "lambda/global/gpu_1x_gh200"),
    "breakeven": ("breakeven", "--workload", "{dir}/w.yaml", "--catalog", "{catalog}"),
    "why": ("why", "lambda/global/gpu_1x_gh200", "--plan", "{dir}/plan.json", "--catalog", "{catalog}"),
    "compare": ("compare", "{dir}/plan.json", "{dir}/other.json"),
    "rules": ("rules",),
    "quotes template": ("quotes", "template", "--plan", "{dir}/plan.json"),
    "verify": ("verify", "{dir}/plan.json", "--catalog", "{catalog}"),
    "contract": ("contract", "{dir}/plan.json", "--catalog", "{catalog}"),
    "export": ("export", "--format", "skypilot", "{dir}/plan.json"),
    "schema": ("schema", "workload"),
    "review": ("review", "--bill", "{dir}/bill.csv", "--no-state", "--catalog", "{catalog}"),
    "init": ("init", "--model", "llama-2-7b", "--method", "lora", "--tokens", "2e8", "--start", "2026-12-01"),
}
#: What these commands print is a file for a machine or a form that a seller fills in, the same in both languages.
ONE_LANGUAGE = {"offers", "catalog history", "catalog diff", "export", "schema"}
#: The English contract cites the documents' own sentences, which are Chinese.
CITES_CHINESE = {"contract"}


def given(world: World, name: str, *more: str) -> tuple[str, ...]:
    """The arguments of a command in a world."""
    return tuple(part.format(dir=world.folder, catalog=world.catalog) for part in (*COMMANDS[name], *more))


@pytest.mark.parametrize("name", COMMANDS)
def test_json_stands_alone_on_stdout(name: str, cli: Run, world: World) -> None:
    ran = cli(*given(world, name, "--json"))
    assert ran.code == 0, ran.err
    json.loads(ran.out, parse_constant=_refused)


@pytest.mark.parametrize("name", COMMANDS)
def test_out_takes_what_stdout_would_have_had(name: str, cli: Run, world: World) -> None:
    target = world.folder / "answer"
    printed = cli(*given(world, name, "--json"))
    ran = cli(*given(world, name, "--json", "--out", str(target)))
    assert ran.code == 0, ran.err
    assert _same(target.read_text()) == _same(printed.out)
    assert ran.out == ("" if name != "plan" else printed.out)


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_words_are_in_the_language_asked_for_and_without_colour_codes(
    name: str, language: str, cli: Run, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    ran = cli(*given(world, name, "--lang", language))
    assert ran.code == 0, ran.err
    assert ran.out.strip()
    assert ESCAPE not in ran.out + ran.err
    has_chinese = HAN.search(ran.out) is not None
    if language == "zh":
        assert has_chinese or name in ONE_LANGUAGE
    else:
        assert not has_chinese or name in CITES_CHINESE


@pytest.mark.parametrize("name", [*COMMANDS, "completion", "catalog import", "catalog refresh"])
def test_an_unknown_option_is_a_usage_error_with_a_suggestion(name: str, cli: Run) -> None:
    words = () if name == "plan" else tuple(name.split())
    option = {"completion": "--hlp"}.get(name, "--lnag")
    ran = cli(*words, option, "zh")
    near = {"--hlp": "--help", "--lnag": "--lang"}[option]
    assert ran.code == 2
    assert ran.out == ""
    assert "No such option" in ran.err
    assert option in ran.err
    assert near in ran.err


def test_an_unknown_command_is_a_usage_error_with_a_suggestion(cli: Run) -> None:
    ran = cli("ofers", "H100")
    assert (ran.code, ran.out) == (2, "")
    assert "Did you mean offers?" in ran.err


@pytest.mark.parametrize("name", ["", *(" ".join(name.split()) for name in COMMANDS if name != "plan")])
def test_help_fits_eighty_columns_and_shows_an_example(name: str, cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ran = cli(*name.split(), "--help")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert "Example" in ran.out
    wide = [line for line in lines if len(line) > 80 and "[on_demand|" not in line]
    assert wide == []


# --- options of the main form ---------------------------------------------------------------------------------


def plan(cli: Run, world: World, *more: str) -> tuple[Ran, dict[str, Any]]:
    """A plan as JSON."""
    ran = cli(*given(world, "plan", "--json", *more))
    return ran, json.loads(ran.out) if ran.out else {}


def test_set_changes_the_file_for_once(cli: Run, world: World) -> None:
    _, found = plan(cli, world, "--set", "hours_per_day=2", "--set", "team=search")
    work = found["inputs"]["workloads"][0]
    assert (work["hours_per_day"], work["team"]) == (2, "search")
    assert (world.folder / "w.yaml").read_text() == GOOD


def test_as_of_reads_the_rates_of_that_day(cli: Run, world: World) -> None:
    _, found = plan(cli, world, "--as-of", "2026-10-31", "--set", "currency=CNY")
    assert found["as_of"] == "2026-10-31"
    assert all(rate["day"] <= "2026-10-31" for rate in found["fx"])


def test_exclude_leaves_out_what_nobody_states(cli: Run, world: World) -> None:
    ran, found = plan(cli, world, "--unknown", "exclude")
    assert ran.code in (0, 3)
    assert found["options"] == {"unknown": "exclude"}
    assert not any(item["conditional"] for item in found["assignments"])


def test_time_first_ends_as_early_as_any_plan_and_costs_the_least_of_those(cli: Run, world: World) -> None:
    """Against the frontier, which finds the same point from the other end: cheapest first, then always earlier."""
    more = ("--set", "tokens=2e10", "--set", "deadline_days=60")
    _, cheapest = plan(cli, world, *more, "--budget")
    ran, fastest = plan(cli, world, *more, "--objective", "time")
    assert ran.code == 0
    assert cheapest["frontier_complete"]
    earliest = min(cheapest["frontier"], key=lambda point: point["finish_day"])
    assert max(item["finish_day"] for item in fastest["assignments"]) == earliest["finish_day"]
    assert Decimal(fastest["cost"]["total"]) == Decimal(earliest["cost"])
    assert fastest["status"] == "optimal"
    assert earliest["finish_day"] < max(item["finish_day"] for item in cheapest["assignments"])


def test_time_first_stays_within_the_budget(cli: Run, world: World) -> None:
    more = ("--set", "tokens=2e10", "--set", "deadline_days=60")
    _, cheapest = plan(cli, world, *more, "--budget")
    inner = sorted((Decimal(point["cost"]), point["finish_day"]) for point in cheapest["frontier"])
    cost = inner[0][0]
    assert inner[-1][0] > cost
    budget = str(cost.to_integral_value(rounding="ROUND_CEILING"))
    within = [finish for amount, finish in inner if amount <= Decimal(budget)]
    _, fastest = plan(cli, world, *more, "--objective", "time", "--budget", budget)
    assert max(item["finish_day"] for item in fastest["assignments"]) == min(within)
    assert Decimal(fastest["cost"]["total"]) <= Decimal(budget)


def test_another_currency_is_converted_on_the_screen_and_not_in_the_file(cli: Run, world: World) -> None:
    out = world.folder / "p.json"
    ran = cli(*given(world, "plan", "--currency", "cny", "--out", str(out)))
    assert ran.code == 0
    found = Plan.model_validate_json(out.read_text())
    assert found.currency == "USD"
    assert found.cost is not None
    rates = load_catalog(world.catalog).rates(found.as_of, {})
    shown = found.cost.total * rates.by_currency["CNY"].units_per_usd
    assert f"{shown:,.2f} CNY" in ran.out
    assert "stay in USD" in " ".join(ran.out.split())


def test_converted_lines_still_add_up(cli: Run, world: World) -> None:
    found = Plan.model_validate_json((world.folder / "plan.json").read_text())
    rates = load_catalog(world.catalog).rates(found.as_of, {})
    shown = converted(found, "JPY", rates, "en")
    assert shown.cost is not None
    assert found.cost is not None
    from decimal import localcontext

    with localcontext() as exact:
        exact.prec = 80
        assert sum(line.cost for line in shown.purchases) == shown.cost.total
        assert sum(month.amount for month in shown.cash_flow) == shown.cost.total
        assert shown.cost.total == found.cost.total * rates.factor("USD", "JPY")
    assert shown.purchases[0].unit_price == found.purchases[0].unit_price
    assert converted(found, "USD", rates, "en") == found


@pytest.mark.parametrize(("option", "start"), [("--xlsx", b"PK\x03\x04"), ("--report", b"<!")])
def test_reports_are_written_beside_the_screen(option: str, start: bytes, cli: Run, world: World) -> None:
    target = world.folder / "report"
    ran = cli(*given(world, "plan", option, str(target), "--currency", "EUR"))
    assert ran.code == 0
    assert target.read_bytes().lower().startswith(start.lower())
    assert ran.out.strip()


# --- exit codes -----------------------------------------------------------------------------------------------


def _raises(error: BaseException) -> Callable[..., Any]:
    def call(*_: Any, **__: Any) -> Any:
        raise error

    return call


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (NoPlanInTime("no plan within 1 s"), 5, "error: no plan within 1 s"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (RuntimeError("a slip of ours"), 1, "internal error"),
    ],
)
def test_what_stops_a_plan_has_its_own_exit_code(
    error: BaseException, code: int, said: str, cli: Run, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("optimizer.app.plan.plan_workload", _raises(error))
    ran = cli(*given(world, "plan"))
    assert (ran.code, ran.out) == (code, "")
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_a_plan_that_was_changed_by_hand_fails_its_check(cli: Run, world: World) -> None:
    path = world.folder / "plan.json"
    changed = json.loads(path.read_text())
    changed["purchases"][0]["cost"] = str(Decimal(changed["purchases"][0]["cost"]) - 1)
    path.write_text(json.dumps(changed))
    ran = cli(*given(world, "verify", "--json"))
    assert ran.code == 6
    assert json.loads(ran.out)["ok"] is False


def test_more_billed_than_allowed_fails_over(cli: Run, world: World) -> None:
    ran = cli(*given(world, "review", "--fail-over", "10USD"))
    assert ran.code == 6
    assert "--fail-over" in ran.err


def test_nothing_asked_for_prints_the_help(cli: Run) -> None:
    ran = cli()
    assert ran.code == 0
    assert "Exit codes" in ran.out
    assert _main.COMMAND_DIRECTORY.name == "cli"


def _refused(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


def _same(text: str) -> Any:
    """JSON without the comment in which `init` names its own file."""
    content = json.loads(text)
    return {key: value for key, value in content.items() if key != "text"} if isinstance(content, dict) else content
