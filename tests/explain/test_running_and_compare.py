"""Re-planning from a running plan, and two plans side by side."""

import json
import unicodedata
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from support import Named, plan

from optimizer.app.compare import compare_files
from optimizer.app.compare_verdict import Verdict
from optimizer.app.plan import plan_file
from optimizer.app.running import from_running
from optimizer.cli._main import run
from optimizer.domain.money import Rates
from optimizer.domain.offer import Term
from optimizer.domain.plan import Plan
from optimizer.errors import InputError
from optimizer.explain.compare import compare
from optimizer.planning.case import PlanOptions
from optimizer.planning.workload_file import parse_workload

GN10X = "tencent/mainland-low/GN10X.18XLARGE320"  # 131.17 CNY an hour, 37,800 a month
JOB = "currency: CNY\nprofile: off\ngpu_hours: {gpu: V100-SXM2-32GB, hours: %d}\ndeadline_days: %d\nmax_nodes: 1\n"


def saved(found: Plan, path: Path) -> Path:
    path.write_text(json.dumps(found.model_dump(mode="json", by_alias=True), default=str), encoding="utf-8")
    return path


def again(text: str, running: Path, *offers: str) -> Plan:
    file = from_running(parse_workload(text, "w.yaml"), running, Rates())
    return plan_file(file, Named(offers), PlanOptions(as_of=date(2026, 11, 30), extras=False))


def test_a_month_that_runs_already_is_paid_for(tmp_path: Path) -> None:
    # 300 h are bought as a month; ten days later other work of 200 h finds 21 days of it left: nothing to pay.
    month = saved(plan(JOB % (300 * 8, 31), GN10X), tmp_path / "running.json")
    more = again("start: 2026-12-11\n" + JOB % (200 * 8, 20), month, GN10X)
    assert more.cost is not None
    assert more.cost.total == 0
    assert [(one.term, one.count, one.to_day) for one in more.sunk] == [(Term.MONTH, 1, 21)]
    # After its end, 31 December, it is gone: 200 h x 131.17 = 26,234.
    later = again("start: 2027-01-01\n" + JOB % (200 * 8, 20), month, GN10X)
    assert later.cost is not None
    assert later.cost.total == Decimal(26234)
    assert later.sunk == ()


def test_hours_bind_nobody(tmp_path: Path) -> None:
    hourly = saved(plan(JOB % (100 * 8, 31), GN10X), tmp_path / "running.json")
    file = from_running(parse_workload("start: 2026-12-01\n" + JOB % (8, 20), "w.yaml"), hourly, Rates())
    assert file.commitments == ()


def test_two_plans_side_by_side(tmp_path: Path) -> None:
    # 280 h by the hour are 36,727.60; 300 h are the month of 37,800: 1,072.40 more.
    first = saved(plan(JOB % (280 * 8, 31), GN10X), tmp_path / "a.json")
    second = saved(plan(JOB % (300 * 8, 31), GN10X), tmp_path / "b.json")
    found = compare_files(first, second).to_json()
    assert found["difference"] == Decimal("1072.4")
    assert {row["name"]: row["difference"] for row in found["terms"]} == {
        "on_demand": Decimal("-36727.6"),
        "month": Decimal(37800),
    }
    assert [row["path"] for row in found["inputs"]] == ["workloads.0.gpu_hours.hours"]
    assert [row["same"] for row in found["workloads"]] == [False]
    assert "2.8%" in compare_files(first, second).verdict("en")


def test_a_plan_equals_itself(tmp_path: Path) -> None:
    first = saved(plan(JOB % (280 * 8, 31), GN10X), tmp_path / "a.json")
    compared = compare_files(first, first)
    assert compared.verdict("en") == "Both cost the same."
    assert all(row.difference == 0 for row in compared.result.lines)
    assert compared.result.inputs == ()


def test_a_plan_in_another_currency_is_compared_at_the_rate_it_states(tmp_path: Path) -> None:
    # 7 CNY for a dollar: 36,727.60 CNY are 5,246.80 USD, but for the rounding of each day to a millionth.
    first = saved(plan(JOB % (280 * 8, 31), GN10X), tmp_path / "a.json")
    text = (JOB % (300 * 8, 31)).replace("currency: CNY", "currency: USD\nfx: {USDCNY: 7}")
    second = saved(plan(text, GN10X), tmp_path / "b.json")
    found = compare_files(first, second)
    # B takes the month of 37,800 CNY, 5,400 USD: 1,072.40 CNY more, as in CNY.
    assert found.second.cost is not None
    assert found.second.cost.total == 5400
    assert found.result.total.difference == Decimal("1072.4")
    assert "1 USD = 7 CNY" in found.conversion("en")
    assert ("currency", "CNY", "USD") in found.result.inputs
    turned = compare_files(second, first).result.total
    assert turned.difference == pytest.approx(Decimal("-1072.4") / 7)


def test_a_rate_that_no_plan_states_is_the_catalogs_of_the_day(tmp_path: Path) -> None:
    first = saved(plan(JOB % (280 * 8, 31), GN10X), tmp_path / "a.json")
    euros = plan((JOB % (280 * 8, 31)).replace("currency: CNY", "currency: EUR"), GN10X)
    assert {used.currency for used in euros.fx} == {"CNY", "EUR"}
    bare = saved(euros.model_copy(update={"fx": ()}), tmp_path / "b.json")
    assert compare_files(first, bare).rate == compare_files(first, saved(euros, tmp_path / "c.json")).rate


def test_a_currency_without_a_rate_is_refused(tmp_path: Path) -> None:
    found = plan(JOB % (280 * 8, 31), GN10X)
    strange = saved(found.model_copy(update={"currency": "XTS"}), tmp_path / "b.json")
    with pytest.raises(InputError, match="a rate for XTS"):
        compare_files(saved(found, tmp_path / "a.json"), strange)


def test_options_rates_and_dates_that_differ_are_named(tmp_path: Path) -> None:
    text = "start: 2026-12-01\n" + (JOB % (280 * 8, 31)).replace("currency: CNY", "currency: USD")
    file = parse_workload(text, "w.yaml")
    day = PlanOptions(as_of=date(2026, 11, 30), extras=False)
    plans = [
        plan_file(file, Named([GN10X]), options)
        for options in (
            day,
            PlanOptions(as_of=date(2026, 6, 1), extras=False, unknown="exclude", market=True, providers=("tencent",)),
        )
    ]
    first, second = (saved(one, tmp_path / f"{number}.json") for number, one in enumerate(plans))
    named = {row["path"]: (row["a"], row["b"]) for row in compare_files(first, second).to_json()["inputs"]}
    assert named.keys() >= {"--as-of", "--unknown", "--market", "--provider", "fx.USDCNY"}
    assert named["--as-of"] == ("2026-11-30", "2026-06-01")
    assert named["--unknown"] == ("admit", "exclude")
    assert named["--market"] == ("no", "yes")
    assert named["--provider"] == ("any", "tencent")
    # The ECB's rows of catalogs/facts/fx.csv: the last ones until 30 November and until 1 June 2026.
    assert named["fx.USDCNY"] == ("6.65288 (2026-10-30)", "6.76683 (2026-05-29)")


CODES = ("on_demand", "spot_", "reserved_", "None", "[", "{", "False", "True")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [80, 120])
def test_the_screen_speaks_words_and_fits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int, language: str
) -> None:
    first = saved(plan(JOB % (280 * 8, 31), GN10X), tmp_path / "a.json")
    text = JOB % (300 * 8, 31) + "budget: 60000\ncountries: [CN]\ninterruptible: true\n"
    second = saved(plan(text, GN10X), tmp_path / "b.json")
    monkeypatch.setenv("COLUMNS", str(width))
    assert run(["compare", str(first), str(second), "--lang", language]) == 0
    said = capsys.readouterr().out
    assert not [code for code in CODES if code in said.partition("\n\n")[2]]
    assert max(map(cells, said.splitlines()[2:])) <= width  # after the two paths
    words = {
        "en": ["\non demand  ", "(month)", "A none, B 60,000.00 CNY", "A any, B CN", "A no, B yes"],
        "zh": ["\n按量  ", "（包月）", "A 无，B 60,000.00 CNY", "A 不限，B CN", "A 否，B 是"],
    }
    assert not [word for word in words[language] if word not in said]


def cells(text: str) -> int:
    """Cells of a terminal by Unicode's East Asian Width (UAX 11)."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def test_a_plan_that_lacks_prices_costs_at_least_what_is_shown() -> None:
    whole = plan(JOB % (280 * 8, 31), GN10X)
    part = whole.model_copy(update={"incomplete": ("job: storage on tencent/x/y",)})
    found = Verdict(whole, part, compare(whole, part))
    assert list(found.cautions("en")) == [
        "B costs at least what is shown: no price is known for job: storage on tencent/x/y."
    ]
    assert list(found.cautions("zh")) == ["B 的费用至少如所示：以下项目没有价格：job：tencent/x/y 的存储。"]


def test_a_bought_machine_stays_with_its_running_cost(tmp_path: Path) -> None:
    server = (
        "owned:\n  electricity_per_kwh: 0.1\n  may_buy:\n    - {server: hgx-h100-8, price: 1000, load_kw: 10, "
        "idle_kw: 1, residual_by_month: {0: 1.0, 12: 0.5}, maintenance_fraction_year: 0.12, lead_time_days: 0}\n"
    )
    text = (
        "currency: USD\nprofile: off\nhorizon_months: 2\ngpu_hours: {gpu: H100-SXM5-80GB, hours: 800}\n"
        "deadline_days: 20\nmax_nodes: 1\n"
    )
    bought = plan(text + server, "none/*")
    assert [line.term for line in bought.purchases if line.kind == "machine"] == [Term.OWNED]
    running = saved(bought, tmp_path / "running.json")
    more = again("start: 2026-12-21\n" + text, running, "none/*")
    assert more.cost is not None
    # Maintenance 1,000 x 0.12 / 12 = 10 a month over the two months; the price is gone.
    kinds: dict[str, Decimal] = {}
    for line in more.purchases:
        kinds[line.kind] = kinds.get(line.kind, Decimal(0)) + line.cost
    assert kinds["maintenance"] == 20
    assert "machine" not in kinds


def test_a_missing_price_is_no_saving() -> None:
    # B's storage is not known: 30 may become more than 58, so nothing is said; A's 58 against a floor of 70 is certain.
    whole, part = priced("58", ()), priced("30", ("job: storage on a/b/c",))
    found = Verdict(whole, part, compare(whole, part))
    assert (found.is_comparable, found.result.total.difference) == (False, None)
    assert found.said("en").startswith("Which is cheaper is not known")
    assert found.said("zh").startswith("因缺少价格")
    dear = priced("70", ("job: storage on a/b/c",))
    assert Verdict(whole, dear, compare(whole, dear)).said("en") == "A is at least 12.00 CNY cheaper."
    assert Verdict(dear, whole, compare(dear, whole)).said("zh") == "B 至少便宜 12.00 CNY。"
    both = Verdict(part, dear, compare(part, dear))
    assert both.said("en").startswith("Which is cheaper is not known")


def test_what_a_service_costs_more_is_open_where_a_plan_lacks_its_price() -> None:
    whole = plan(JOB % (280 * 8, 31), GN10X)
    line = whole.purchases[0].model_copy(update={"kind": "storage", "term": None, "cost": Decimal("0.09")})
    first = whole.model_copy(update={"purchases": (*whole.purchases, line)})
    second = whole.model_copy(update={"incomplete": ("job: cold storage on a/b/c",)})
    rows = {row.code: row for row in compare(first, second).lines}
    assert (rows["storage"].difference, rows["on_demand"].difference) == (None, Decimal(0))


def test_what_is_there_already_is_no_saving(tmp_path: Path) -> None:
    # The month of 37,800 is paid in A; in B, planned again from A, it is there: 37,800 less to pay, nothing saved.
    first = plan(JOB % (300 * 8, 31), GN10X)
    second = again("start: 2026-12-01\n" + JOB % (300 * 8, 31), saved(first, tmp_path / "a.json"), GN10X)
    found = Verdict(first, second, compare(first, second))
    assert not found.is_comparable
    assert found.said("en").startswith("B has 37,800.00 CNY (100%) less still to pay. That is no saving")
    assert "这不是节省" in found.said("zh")
    assert list(found.cautions("en")) == [f"B has already, paid for and not in its total: 1 × {GN10X} month."]


def test_a_plan_whose_figures_do_not_hold_is_not_compared_without_a_word(tmp_path: Path) -> None:
    whole = plan(JOB % (300 * 8, 31), GN10X)
    line = whole.purchases[0].model_copy(update={"count": 50})
    forged = whole.model_copy(update={"purchases": (line, *whole.purchases[1:])})
    found = compare_files(saved(whole, tmp_path / "a.json"), saved(forged, tmp_path / "b.json"))
    assert found.failed[0] == 0
    assert found.failed[1] > 0
    assert found.to_json()["comparable"] is False
    assert "do not hold" in found.verdict("en")
    assert any(line.startswith("B does not hold") for line in found.cautions("en"))
    assert any(line.startswith("B 不成立") for line in found.cautions("zh"))


def priced(total: str, incomplete: tuple[str, ...]) -> Plan:
    """A plan of that total, which lacks some prices."""
    found = plan(JOB % (8, 31), GN10X)
    assert found.cost is not None
    cost = found.cost.model_copy(update={"total": Decimal(total)})
    return found.model_copy(update={"cost": cost, "incomplete": incomplete})


def test_a_running_plan_of_other_work_or_currency_is_refused_with_what_differs(tmp_path: Path) -> None:
    running = saved(plan("name: other\n" + JOB % (300 * 8, 31), GN10X), tmp_path / "running.json")
    text = "start: 2026-12-11\nname: mine\n" + (JOB % (200 * 8, 20)).replace("CNY", "USD")
    with pytest.raises(InputError) as caught:
        from_running(parse_workload(text, "w.yaml"), running, Rates())
    told = [(one.field, one.found, one.expected) for one in caught.value.problems]
    assert told == [
        ("currency", "'CNY'", "'USD'"),
        ("workloads", "a plan of other work: other", "a plan of work of this file: mine"),
    ]


def test_a_running_plan_whose_figures_do_not_hold_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = plan(JOB % (300 * 8, 31), GN10X)
    forged = whole.purchases[0].model_copy(update={"count": 50})
    running = saved(whole.model_copy(update={"purchases": (forged, *whole.purchases[1:])}), tmp_path / "running.json")
    workload = tmp_path / "w.yaml"
    workload.write_text("start: 2026-12-11\n" + JOB % (200 * 8, 20), encoding="utf-8")
    # 50 months of 37,800 where the plan states the cost of one.
    for language, words in (("en", "found 37800, expected 1890000"), ("zh", "读到 37800，应为 1890000")):
        assert run(["--workload", str(workload), "--from", str(running), "--lang", language]) == 2
        said = capsys.readouterr().err
        assert words in said
        assert "optimize verify" in said
