"""The terminal screen: whole screens as golden files, and the figures that must stand on them.

`UPDATE_GOLDEN=1 pytest tests/reports` rewrites the golden files; the diff is then read by a person.
"""

import io
import os
import re
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from optimizer.domain.offer import Term
from optimizer.domain.plan import Alternative, Baseline, CashMonth, FxUsed, Plan, Sunk, Unknown, Usage
from optimizer.domain.text import Language
from optimizer.reports import say_doubts
from optimizer.reports.say_money import saving as saving_line
from optimizer.reports.terminal import render_plan
from optimizer.reports.voice import voice_of
from tests.reports import factory, parts

GOLDEN = Path(__file__).parent / "golden"


def screen(plan: Plan, language: Language = "en", width: int = 80, sensitivity: str = "", **options: object) -> str:
    """The screen as text, without the blanks that fill its lines."""
    out = io.StringIO()
    console = Console(file=out, width=width, highlight=False, **options)  # type: ignore[arg-type]
    render_plan(plan, language, console, sensitivity)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def flat(text: str) -> str:
    """A screen on one line, so that a sentence is found wherever it was wrapped."""
    return re.sub(r"\s+", " ", text)


FIRST_SCREEN_LINES = 24


@pytest.mark.parametrize("name", sorted(set(factory.ALL) - {"infeasible"}))
def test_what_changes_the_answer_first_stands_on_the_first_screen(name: str, language: Language) -> None:
    shown = screen(factory.ALL[name](), language, sensitivity="the price of fuel, beyond 102%")
    assert "the price of fuel, beyond 102%" in shown.splitlines()[:FIRST_SCREEN_LINES]


@pytest.mark.parametrize("name", sorted(factory.ALL))
def test_screen_equals_its_golden_file(name: str, language: Language) -> None:
    path = GOLDEN / f"{name}.{language}.txt"
    shown = screen(factory.ALL[name](), language)
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(shown, encoding="utf-8")
    assert shown == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [60, 80, 160])
def test_no_line_is_wider_than_the_terminal(any_plan: Plan, language: Language, width: int) -> None:
    for line in screen(any_plan, language, width).splitlines():
        assert cell_len(line) <= width


def test_nothing_is_cut_off(any_plan: Plan, language: Language) -> None:
    assert "…" not in screen(any_plan, language, 60)


def test_a_pipe_gets_no_escape_codes(any_plan: Plan) -> None:
    assert "\x1b" not in screen(any_plan)


def test_no_color_keeps_every_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    coloured = screen(factory.rented(), force_terminal=True)
    assert "\x1b[3" not in coloured  # no colour; bold may stay
    plain = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert flat(plain) == flat(screen(factory.rented()))


def test_months_are_shown_as_one_product() -> None:
    # 2 x 3 x 4,675.66 = 28,053.96
    shown = flat(screen(factory.rented()))
    assert "2 × ecs.gn7i-c8g1.2xlarge × 3 months × 4,675.66 CNY 28,053.96 CNY" in shown


def test_foreign_prices_show_their_rate() -> None:
    # 1 x 20 x 8.5 x 6.65288 = 1,130.9896
    shown = flat(screen(factory.job()))
    assert "1 × p4d.24xlarge × 20 hours × 8.50 USD × 6.65288 CNY/USD 1,130.99 CNY" in shown
    assert "1 USD = 6.65288 CNY (2026-10-30, ECB reference rate)" in shown


def test_a_line_that_does_not_multiply_out_is_not_shown_as_a_product() -> None:
    plan = factory.rented()
    # Half of a term lies beyond the horizon: 9,351.32 / 2.
    half = plan.purchases[0].model_copy(update={"cost": Decimal("4675.66")})
    shown = flat(screen(plan.model_copy(update={"purchases": (half,)})))
    assert "ecs.gn7i-c8g1.2xlarge: 2 months, priced at 4,675.66 CNY 4,675.66 CNY" in shown


def test_averages_of_the_total() -> None:
    shown = flat(screen(factory.rented()))
    # 28,201.905206 / 3; / 2,700 GPU-hours; / (3,904 x 1,350 x 3,600 = 18,973.44 million tokens)
    assert "= 9,400.64 CNY a month on average over 3 months" in shown
    assert "= 10.45 CNY per GPU-hour of work" in shown
    assert "= 1.49 CNY per million tokens" in shown


def test_speed_with_its_range() -> None:
    # 3,904 tokens/s, 3,436 to 4,372: 12.0 % either side
    assert "3,900 tokens/s (3,440 to 4,370, ±12%)" in flat(screen(factory.rented()))
    # 101,250, 84,000 to 123,500: 17.0 % below, 22.0 % above
    assert "101,000 tokens/s (84,000 to 124,000, −17% / +22%)" in flat(screen(factory.fleet()))


def test_proof_says_what_is_proven() -> None:
    assert "Proven cheapest under the stated rules: bound 28,201.91 CNY, gap 0." in flat(screen(factory.rented()))
    # 12,885.52 / 1,396,426.92 = 0.92 %
    assert "not proven: at most 12,885.52 CNY (0.9%) above" in flat(screen(factory.fleet()))


def test_a_dearer_plan_is_never_called_a_saving() -> None:
    # 131,785.52 / 1,300,000 = 10.1 %
    shown = flat(screen(factory.fleet()))
    assert "131,785.52 CNY (10%) more than the naive plan of 1,300,000.00 CNY, which ignores the rules: " in shown
    assert "cheaper" not in shown.split("What to rent")[0].replace("cheapest", "")


def against(naive: str | None, **more: object) -> str:
    """The line that compares the rented plan, 28,201.905206 CNY, with a naive one."""
    plan = factory.rented()
    assert plan.cost is not None
    assert plan.cost.total == Decimal("28201.905206")
    cost = None if naive is None else Decimal(naive)
    saving = None if cost is None else cost - plan.cost.total
    baseline = Baseline(description="1 × x", cost=cost, saving=saving)
    return saving_line(voice_of(plan.model_copy(update={"baseline": baseline, **more}), "en"))


def test_the_comparison_is_worded_by_what_it_says() -> None:
    # 30,000 - 28,201.91 = 1,798.09, 6.0 % of 30,000; 28,201.91 - 20,000 = 8,201.91, 41 % of 20,000
    assert against("30000") == "1,798.09 CNY (6%) less than the naive plan of 30,000.00 CNY, rules ignored: 1 × x"
    assert against("20000").startswith("8,201.91 CNY (41%) more than the naive plan of 20,000.00 CNY")
    # 10 CNY of 28,211.91 are 0.04 %: nothing, when rounded
    for naive in ("28211.91", "28201.905206", "28191.91"):
        assert against(naive).startswith("The same cost as the naive plan of 28,")
    assert against(None) == "Saving against the naive plan: unknown (1 × x)"
    assert against("30000", incomplete=("a: storage on b",)).endswith(
        "1 × x; what has no price is not in the plan's figure"
    )


def test_what_the_naive_figure_leaves_out_is_told() -> None:
    plan = factory.rented()
    naive = Baseline(description="1 × x", cost=Decimal(30000), saving=Decimal(1), missing=("storage", "cold storage"))
    told = saving_line(voice_of(plan.model_copy(update={"baseline": naive}), "en"))
    assert told.endswith("; the naive figure leaves out what has no price there (storage, cold storage)")


def test_beside_a_plan_that_lacks_prices_itself_no_other_is_called_cheaper_for_that() -> None:
    other = Alternative(
        title_en="", title_zh="", cost=Decimal(1000), extra=Decimal(-500), description="1 × y", missing=("egress",)
    )
    plan = factory.rented().model_copy(update={"alternatives": (other,), "incomplete": ("a: egress on b",)})
    assert "Cheaper as long as" not in flat(screen(plan))


def test_an_average_counts_every_month_that_is_paid() -> None:
    # A rent of a year for a job of one month: 1,200 in twelve instalments of 100 are 100 a month, not 1,200.
    plan = factory.rented()
    assert plan.cost is not None
    paid = tuple(CashMonth(month=month, start=date(2027, 1, 1), amount=Decimal(100)) for month in range(12))
    cost = plan.cost.model_copy(update={"total": Decimal(1200)})
    yearly = plan.model_copy(update={"horizon_months": 1, "cost": cost, "cash_flow": paid})
    assert "= 100.00 CNY a month on average over 12 months" in flat(screen(yearly, width=160))


@pytest.mark.parametrize(("extra", "is_told"), [("-101", True), ("-99", False), ("5", False)])
def test_a_plan_that_lacks_a_price_stands_first_where_it_may_save_a_tenth(extra: str, is_told: bool) -> None:
    other = Alternative(
        title_en="", title_zh="", cost=Decimal(1000), extra=Decimal(extra), description="1 × y", missing=("egress",)
    )
    text = flat(screen(factory.rented().model_copy(update={"alternatives": (other,)}), width=200))
    line = "Cheaper as long as what has no price there (egress) comes to less than 101.00 CNY: 1,000.00 CNY and more"
    assert (line in text) is is_told


def test_an_unknown_saving_is_said_to_be_unknown() -> None:
    assert "Saving against the naive plan: unknown" in flat(screen(factory.job()))


def test_a_command_that_proves_a_fact_is_told_once() -> None:
    fact = {"offer": "a/b/c", "rule": "cpu-cores", "confirm_with": "a", "what_zh": "", "command": "lscpu"}
    told = Unknown.model_validate({**fact, "what_en": "Ask a for its cores; `lscpu` proves it."})
    untold = Unknown.model_validate({**fact, "what_en": "Ask a for its cores."})
    voice = voice_of(factory.rented(), "en")
    assert say_doubts.unknown(voice, told) == "cpu-cores: Ask a for its cores; `lscpu` proves it"
    assert say_doubts.unknown(voice, untold) == "cpu-cores: Ask a for its cores; proof: lscpu"


def test_offers_with_the_same_facts_to_confirm_stand_together() -> None:
    def fact(offer: str, rule: str, whom: str = "aws") -> Unknown:
        return Unknown(offer=offer, rule=rule, confirm_with=whom, what_en=f"Ask {rule}.", what_zh="", command="free -g")

    plan = factory.rented().model_copy(
        update={"unknowns": (fact("a", "ecc"), fact("b", "ecc"), fact("c", "ram"), fact("d", "ecc", "gcp"))}
    )
    voice = voice_of(plan, "en")
    told = ["ecc: Ask ecc; proof: free -g"]
    assert say_doubts.unknowns(voice) == [
        ("a, b (ask aws)", told),
        ("c (ask aws)", ["ram: Ask ram; proof: free -g"]),
        ("d (ask gcp)", told),
    ]
    assert say_doubts.offers_by_fact(voice)[0] == ("ecc", "Ask ecc; proof: free -g", "a, b", "aws")


def test_what_is_there_already_is_named_without_code_words() -> None:
    paid = Sunk(pool="aws/x/p4d", name="aws/x/p4d reserved_1y", count=1, from_day=0, to_day=9, term=Term.RESERVED_1Y,
                used_unit_days=9)  # fmt: skip
    plan = factory.rented().model_copy(update={"sunk": (paid,)})
    shown = flat(screen(plan))
    assert "use aws/x/p4d (reserved 1 year), there already" in shown
    assert "- 1 × aws/x/p4d (reserved 1 year): 100% of its days used" in shown
    assert "reserved_1y" not in shown


def test_a_start_before_the_day_of_the_prices_is_a_caution() -> None:
    plan = factory.rented()
    days = (plan.as_of - date(2020, 1, 1)).days
    early = plan.model_copy(update={"start": date(2020, 1, 1)})
    assert f"! The start, 2020-01-01, lies {days:,} days before the day of the prices" in flat(screen(early))
    assert "is it meant" not in flat(screen(plan))


def test_price_of_a_rule_is_relative_to_the_plan_without_it() -> None:
    # 4,301.98554 / (28,201.905206 - 4,301.98554) = 18.0 %
    shown = flat(screen(factory.rented()))
    assert "ram-total 2× (D1): 18% dearer (4,301.99 CNY) than ram-total 1.5× (D0)" in shown


def test_single_months_are_locked_one_at_a_time() -> None:
    shown = flat(screen(factory.rented()))
    assert "28,053.96 CNY in 3 rents one after the other" in shown
    assert "the price of the later ones is not held" in shown


def test_assumed_payment_is_called_an_assumption() -> None:
    assert "paid monthly (assumed: not on record)" in flat(screen(factory.fleet()))


def test_unknown_cost_is_a_dash() -> None:
    row = next(line for line in screen(factory.infeasible()).splitlines() if "us-east-1" in line)
    assert row.split()[-1] == "-"


def test_names_from_outside_cannot_style_or_steer_the_terminal() -> None:
    shown = screen(factory.conditional(), force_terminal=True, color_system=None)
    assert "\x1b[31m" not in shown
    assert "\u202e" not in shown
    assert "[bold]" in shown  # shown as written, not read as markup


def test_a_plan_without_machines_runs_on_what_is_there() -> None:
    plan = factory.rented().model_copy(update={"purchases": ()})
    assert "Run on what is there already" in flat(screen(plan))


def test_conditional_and_incomplete_are_said_first() -> None:
    head = flat(screen(factory.conditional()).split("What to rent")[0])
    assert "Conditional for" in head
    assert "At least this much; no price is known for: storage in <i>cn-x</i>" in head


def test_shown_lines_that_do_not_add_up_say_why() -> None:
    # 0.004 + 0.004 show as their own figures, 0.008 shows as 0.01
    plan = factory.rented()
    small = [
        bought.model_copy(update={"quantity": Decimal("0.004"), "unit_price": Decimal(1), "cost": Decimal("0.004")})
        for bought in plan.purchases[:2]
    ]
    apart = [small[0], small[1].model_copy(update={"region": "cn-beijing"})]
    cost = parts.cost_of(tuple(apart), ["0.008"], {"search": "0.008"})
    shown = flat(screen(plan.model_copy(update={"purchases": tuple(apart), "cost": cost})))
    assert "Lines are rounded to show" in shown
    assert "Lines are rounded to show" not in flat(screen(factory.fleet()))


def test_published_refund_rules_are_told_with_their_source() -> None:
    shown = flat(screen(factory.rented()))
    assert "early end: full refund within 5 days of a new purchase" in shown
    assert "help.aliyun.com/zh/ecs/refund-instructions" in shown
    # nothing is on record for reserved terms of this provider
    assert "early end and refunds not on record: ask" in flat(screen(factory.fleet()))


def test_a_repeated_job_tells_one_repetition() -> None:
    # 60 h at 10 h a day are 6 days, twice; the second begins on day 35 and ends on day 40: 10 January
    shown = flat(screen(factory.fleet()))
    said = "2 times 60 h at 10 h a day (6 days each): first from 2026-12-05, last done on 2027-01-10"
    assert said in shown


def test_steady_months_of_different_hours_are_told_once() -> None:
    plan = factory.rented()
    # 31 days at 4 h and 59 days at 8 h: 124 + 472 = 596 h
    first = parts.assignment((0, 31), run_hours=124.0, hours_per_day=4.0)
    second = parts.assignment((31, 90), run_hours=472.0, hours_per_day=8.0)
    shown = flat(screen(plan.model_copy(update={"assignments": (first, second)})))
    assert shown.count("lora-7b (team search)") == 1
    assert "596 h at 4 h to 8 h a day = 90 days: 2026-12-01 to 2027-02-28" in shown
    moved = second.model_copy(update={"nodes": 3})
    assert flat(screen(plan.model_copy(update={"assignments": (first, moved)}))).count("lora-7b (team search)") == 2


def test_machines_that_are_there_are_named_in_the_decision() -> None:
    assert "use lab-1, there already" in flat(screen(factory.fleet()))


@pytest.mark.parametrize(("used_gib", "is_tight"), [(37.0, False), (37.1, True)])
def test_a_tight_layout_says_so(used_gib: float, is_tight: bool) -> None:
    # 94 % of the 39.4 GiB that are there are 37.04 GiB.
    plan = factory.ALL["job"]()
    used = plan.assignments[0]
    assert used.usable_gib == 39.4
    full = used.model_copy(update={"memory_gib_per_gpu": {**used.memory_gib_per_gpu, "total": used_gib}})
    text = flat(screen(plan.model_copy(update={"assignments": (full,)}), width=160))
    assert ("tight: three published runs in ten needed over 6% more than computed" in text) is is_tight


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "160 machine-hours for 153 of work (4.6% more): each day is billed in whole units of the seller"),
        ("zh", "机器运行 153 小时，计费 160 小时（多 4.6%）：每天按厂商的计费单位向上取整"),
    ],
)
def test_hours_billed_beyond_the_work_are_explained(language: Language, said: str) -> None:
    # Billed are 140 h and 20 h; 14 days of 9.5 h and 20 h on spot are 153 h: 160 / 153 = 1.0458.
    used = {"workload": "sft-13b", "pool": "p", "from_units": 0, "gpus_per_node": 4}
    days = Usage(**used, from_day=0, to_day=14, hourly=1, spot=0, hours=9.5)
    spot = Usage(**used, from_day=0, to_day=2, hourly=0, spot=1, hours=10.0)
    plan = factory.job()
    shown = screen(plan.model_copy(update={"usage": (days, spot)}), language, 160)
    assert re.sub(r"\s+", "", said) in re.sub(r"\s+", "", shown)
    full = days.model_copy(update={"hours": 10.0})
    assert "160 machine-hours" not in screen(plan.model_copy(update={"usage": (full, spot)}))


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "1 USD = 7.25 CNY (set by the workload file)"), ("zh", "1 USD = 7.25 CNY（由任务文件给出）")],
)
def test_a_rate_of_the_file_is_said_once(language: Language, said: str) -> None:
    rate = FxUsed(currency="CNY", units_per_usd=Decimal("7.25"), day=None, source="stated in the workload file")
    shown = screen(factory.rented().model_copy(update={"fx": (rate,)}), language)
    assert said in flat(shown)


def test_no_rate_stands_where_the_price_is_in_the_plan_s_currency() -> None:
    """A plan shown in another currency holds rates that are 1 but for their rounding."""
    plan = factory.rented()
    bought = tuple(one.model_copy(update={"fx_rate": Decimal("0.9999999999")}) for one in plan.purchases)
    assert "CNY/CNY" not in screen(plan.model_copy(update={"purchases": bought}))
