"""Every failing detail of `optimize verify` in Chinese: damaged plans, and the line that each of them gives."""

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from optimizer.catalog import load_catalog
from optimizer.cli.verify import DIFFERENCE
from optimizer.domain.finding import Finding, Severity, VerdictKind
from optimizer.domain.plan import Plan
from optimizer.domain.text import Text
from optimizer.verify import VerifyFacts, show, texts, verify_plan
from optimizer.verify.judging import _otherwise
from tests.verify.damage import replaced
from tests.verify.plans import ALL_PLANS, STORES
from tests.verify.test_plans import asked_otherwise, owned_site

HOURLY, MONTH, OWNED, YEAR, SPOT, COVERED = ALL_PLANS
TEXTS = {name: value for name, value in vars(texts).items() if isinstance(value, Text)}
TEXTS |= {f"UNPRICED.{use}": text for use, text in texts.UNPRICED.items()}
LAYOUT = {"zero": 0, "tp": 1, "pp": 1, "dp": 2, "micro_batch": 1, "checkpointing": "none"}
UNKNOWN_FACT = {"offer": "a", "rule": "b", "what_en": "c", "what_zh": "丙", "confirm_with": "d"}


def damaged(make: Callable[[], Plan], **fields: Any) -> Plan:
    """A plan with other values at paths such as purchases__0__cost."""
    data: Any = make().model_dump(mode="json", by_alias=True)
    for name, value in fields.items():
        path = tuple(int(step) if step.isdigit() else step for step in name.split("__"))
        data = replaced(data, path, value)
    return Plan.model_validate(data)


@cache
def gpu_facts() -> VerifyFacts:
    return VerifyFacts(gpus=load_catalog().gpus)


def large(**fields: Any) -> Plan:
    """Two weeks of a model of 70 B parameters, whose layout and memory were made up."""
    plan = damaged(HOURLY, assignments__0__layout=LAYOUT, **fields)
    return asked_otherwise(lambda: plan, {"model": {"parameters_b": 70, "layers": 80, "hidden_size": 8192}})


def failing(plan: Plan, facts: VerifyFacts) -> dict[str, str]:
    """The Chinese line of each failed check by its id."""
    checks = [check for check in verify_plan(plan, facts) if not check.ok]
    return {
        c.id: DIFFERENCE.say("zh", id=c.id, expected=show(c.expected, "zh"), found=show(c.found, "zh")) for c in checks
    }


A_MACHINE = "GT4.8XLARGE192"
COMMITTED = "azure,savings_plan_1y,CNY"
POOL = f"tencent/ap-guangzhou/{A_MACHINE}"
#: Names of the texts, the damaged plan, and its line. Days count from 0; figures are those of tests/verify/plans.py.
CASES: list[tuple[str, Callable[[], Plan], str]] = [
    (
        "NONE",
        lambda: damaged(HOURLY, purchases__0__kind="storage"),
        "storage.days[:trial:tencent:ap-guangzhou]：应为 无，实为 0-13 x1",
    ),
    (
        "AT_MOST",
        lambda: asked_otherwise(HOURLY, {"deadline_days": 13}),
        "calendar.deadline[trial@0]：应为 至多 13，实为 14",
    ),
    ("AT_LEAST", lambda: asked_otherwise(HOURLY, {"min_gpus": 4}), "limits.min_gpus[trial@0]：应为 至少 4，实为 2"),
    (
        "NONE_OF",
        lambda: asked_otherwise(HOURLY, {"gpus": {"deny": ["A100*"]}}),
        "limits.gpus_denied[trial@0]：应为 不在 [A100*] 之内，实为 A100-PCIE-40GB",
    ),
    (
        "NOT_AFTER",
        lambda: asked_otherwise(lambda: damaged(MONTH, fx__0__day="2026-12-01"), fx={}),
        "fx.day[CNY]：应为 不晚于 2026-11-30，实为 2026-12-01",
    ),
    (
        "UNTIL",
        lambda: damaged(MONTH, offers__0__prices__0__valid_to="2026-11-02"),
        "line.start_valid[0:machine]：应为 至 2026-11-02，实为 2027-01-31",
    ),
    # What cannot be read or computed.
    (
        "INPUTS BEYOND_CALENDAR",
        lambda: damaged(HOURLY, start="9999-12-30"),
        "plan.inputs：应为 可读的任务文件与日历之内的日期，实为 超出日历的日期",
    ),
    (
        "INPUTS INVALID_FIELDS",
        lambda: asked_otherwise(HOURLY, start="soon"),
        "plan.inputs：应为 可读的任务文件与日历之内的日期，实为 1 个无效字段：[start]",
    ),
    (
        "COMPUTABLE NOT_COMPUTABLE",
        lambda: damaged(HOURLY, assignments__0__gpus_used_per_node=0),
        "work.computable：应为 可重算的数值，实为 无法进行的计算（ZeroDivisionError）",
    ),
    (
        "COMPUTABLE NO_ENTRY",
        lambda: damaged(HOURLY, purchases__0__price_currency="USD"),
        "money.computable：应为 可重算的数值，实为 没有名为 CNY 的项",
    ),
    (
        "COMPUTABLE NO_LENGTH",
        lambda: damaged(YEAR, offers__0__prices__0__unit="day"),
        "money.computable：应为 可重算的数值，实为 以月计的租期，其单价按 day 计",
    ),
    (
        "COMPUTABLE NO_LAYOUT",
        lambda: damaged(HOURLY, assignments__0__layout=LAYOUT),
        "sizing.computable：应为 可重算的数值，实为 没有可重算的模型或并行布局",
    ),
    # Days, nodes and units.
    (
        "DAYS_IN_ORDER",
        lambda: damaged(HOURLY, assignments__0__to_day=0),
        "calendar.days[trial@0]：应为 自第 0 天起，结束晚于首日，实为 [0, 0]",
    ),
    (
        "STARTS_INSIDE",
        lambda: damaged(HOURLY, horizon_days=0),
        "line.days[0:machine]：应为 始于规划期内，早于结束，实为 [0, 14]",
    ),
    (
        "SAME_HOURS UNKNOWN",
        lambda: damaged(MONTH, assignments__0__tokens_per_second=None, assignments__0__hours_per_day=5.0),
        "work.hours_per_day[chat@0]：应为 一段之内每天小时数相同，实为 5.0",
    ),
    (
        "NODES_ON_DAY",
        lambda: damaged(HOURLY, assignments__0__served_by__0__to_day=15),
        f"needs.hourly[trial:{POOL}:on_demand]：应为 第 14 天：1 个节点，实为 第 14 天：0 个节点",
    ),
    (
        "NODE_HOURS_ON_DAY",
        lambda: asked_otherwise(HOURLY, {"hours_per_day": 12}),
        f"needs.hourly[trial:{POOL}:on_demand]：应为 第 0 天：12 节点小时，实为 第 0 天：10 节点小时",
    ),
    (
        "POWER_OF_TWO",
        lambda: damaged(HOURLY, assignments__0__gpus_used_per_node=3),
        "packing.share[trial@0]：应为 能整除 2 的 2 的幂，实为 3",
    ),
    (
        "MAY_SHARE NODES",
        lambda: asked_otherwise(OWNED, {"exclusive": True}),
        "packing.share_allowed[half@0]：应为 单节点、非独占、只用整租或自有的机器，实为 1 个节点",
    ),
    (
        "ROOM CROWDED",
        lambda: damaged(HOURLY, assignments__0__served_by__0__term="month"),
        f"packing.units[{POOL}:month]：应为 每天每小时都放得下，实为 第 0 天 0 时：0 台机器上有 1 个节点",
    ),
    # Lines and prices.
    (
        "OFFER_OF_PLAN",
        lambda: damaged(HOURLY, purchases__0__provider="aws"),
        f"line.offer[0:machine]：应为 方案所含的报价，实为 aws/ap-guangzhou/{A_MACHINE}",
    ),
    (
        "PRICE_IN_OFFER",
        lambda: damaged(OWNED, purchases__0__region="here"),
        "line.offer[0:machine]：应为 该报价中的价格，实为 owned/here/box",
    ),
    (
        "NO_PRICE",
        lambda: damaged(HOURLY, purchases__0__term="spot"),
        "line.unit_price[0:machine]：应为 没有 spot 的价格，实为 57.28 CNY (list)",
    ),
    (
        "COUNTS_EXPECTED COUNTS NO_TERM",
        lambda: damaged(HOURLY, purchases__0__term=None),
        "line.count[0:machine]：应为 台数与数量大于 0，机器须有租期，实为 1 × 140，租期 无",
    ),
    (
        "MAY_BUY",
        lambda: damaged(OWNED, purchases__0__instance_type="lab"),
        "line.may_buy[0:machine]：应为 may_buy 中的机器，实为 lab",
    ),
    (
        "USABLE_BEFORE",
        lambda: owned_site(lead_time_days=90),
        "line.lead_time[0:machine]：应为 第 90 天之前可用，实为 90",
    ),
    (
        "SELLER",
        lambda: damaged(OWNED, purchases__0__kind="storage"),
        "line.provider[0:storage]：应为 供应商，实为 owned",
    ),
    (
        "UNPRICED.storage",
        lambda: asked_otherwise(HOURLY, {"dataset_gb": 10}),
        f"storage.incomplete：应为 [trial：{POOL} 的存储]，实为 []",
    ),
    (
        "UNPRICED.cold storage",
        lambda: asked_otherwise(HOURLY, {"cold_storage_gb": 10}),
        f"storage.incomplete：应为 [trial：{POOL} 的冷存储]，实为 []",
    ),
    (
        "UNPRICED.egress",
        lambda: damaged(HOURLY, incomplete=["trial: egress on aws/x/y", "else"]),
        "storage.incomplete：应为 []，实为 [else, trial：aws/x/y 的出网流量]",
    ),
    # Savings plans.
    (
        "WHOLE_MACHINES",
        lambda: damaged(COVERED, assignments__0__provider="aws"),
        f"commitment.whole[trial@0]：应为 按量出售的整机，实为 {A_MACHINE}",
    ),
    (
        "ENOUGH SHORT",
        lambda: damaged(COVERED, assignments__0__served_by__0__nodes=2),
        f"commitment.money[{COMMITTED}]：应为 每小时都足够，实为 第 0 天 0 时：每小时用 110.001，承诺 70.001",
    ),
    (
        "COVERS_ALL",
        lambda: damaged(COVERED, purchases__4__provider="aws"),
        "line.term[4:commitment]：应为 涵盖全部机型的节省计划，实为 aws savings_plan_1y",
    ),
    (
        "STEPS",
        lambda: damaged(COVERED, purchases__4__unit_price="70.0015"),
        "line.unit_price[4:commitment]：应为 0.001 的整数倍，实为 70.0015",
    ),
    # Memory, speed, rules, sums.
    (
        "NOT_NEGATIVE",
        lambda: damaged(HOURLY, assignments__0__memory_gib_per_gpu={"weights": -1.0, "total": -1.0}),
        "sizing.memory_parts[trial@0]：应为 均不小于 0，实为 {weights: -1.0}",
    ),
    (
        "AROUND UNKNOWN",
        lambda: damaged(HOURLY, assignments__0__tokens_per_second=1),
        "sizing.interval[trial@0]：应为 包含 1.0，实为 未知",
    ),
    (
        "KNOWN_GPU",
        lambda: large(assignments__0__gpu_model="H1000"),
        "sizing.gpu_known[trial@0]：应为 事实表中的 GPU，实为 H1000",
    ),
    (
        "OF_THE_FINDINGS",
        lambda: damaged(HOURLY, unknowns=[UNKNOWN_FACT]),
        "rules.unknown_texts：应为 各项规则结论所列者，实为 [[a, b, d, 丙]]",
    ),
    (
        "BOUND_AT_MOST",
        lambda: damaged(HOURLY, cost__bound="8020"),
        "totals.bound_below_cost：应为 下界至多 8019.20，实为 8020",
    ),
    (
        "NO_RATE",
        lambda: asked_otherwise(YEAR, discount_rate=0.0),
        "totals.present_value：应为 没有折现率时为空，实为 43395.805483",
    ),
]


@pytest.mark.parametrize(("names", "make", "line"), CASES, ids=[case[0] for case in CASES])
def test_a_damaged_plan_is_told_in_chinese(names: str, make: Callable[[], Plan], line: str) -> None:
    facts = gpu_facts() if {"NO_LAYOUT", "KNOWN_GPU"} & set(names.split()) else STORES
    assert failing(make(), facts).get(line.split("：", 1)[0]) == line


def test_a_model_that_does_not_fit_is_told_in_chinese() -> None:
    line = failing(large(), gpu_facts())["sizing.fits_model[trial@0]"]
    said = re.fullmatch(r"sizing\.fits_model.+：应为 放得下，实为 optimizer：需 ([\d.]+) GiB，可用 39\.5 GiB", line)
    # Weights, gradients, master weights and two moments of Adam: 16 bytes a parameter of 70e9.
    assert said is not None
    assert float(said[1]) > 70e9 * 16 / 2**30


def test_a_verdict_is_told_by_what_differs_in_the_language_asked_for() -> None:
    stated = Finding(
        id="ecc", verdict=VerdictKind.FAIL, severity=Severity.WARN, measured="no ECC", required="ECC", source="D4",
        message_en="It has none.", message_zh="没有。",
    )  # fmt: skip
    other = stated.model_copy(update={"measured": "ECC", "message_en": "It has it.", "message_zh": "有。"})
    assert show(_otherwise(stated, other), "zh") == "{measured: 无 ECC, message: 没有。}"
    assert show(_otherwise(other, stated), "en") == "{measured: ECC, message: It has it.}"
    # Where one language alone was changed, the file's own words show it.
    changed = stated.model_copy(update={"message_en": "Else."})
    assert show(_otherwise(changed, stated), "zh") == "{message_en: Else.}"


def test_every_text_is_reached() -> None:
    reached = {name for names, _, _ in CASES for name in (names.split() if "." not in names else [names])}
    reached |= {"FITS", "MISFIT"}
    assert set(TEXTS) - reached == {"SAME"}  # of a check that holds: only JSON shows it


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_both_languages_say_the_same(name: str) -> None:
    def places(sentence: str) -> set[str]:
        return {field for _, field, _, _ in Formatter().parse(sentence) if field}

    text = TEXTS[name]
    assert places(text.en) == places(text.zh)
    assert re.search(r"[\u4e00-\u9fff]", text.zh)


def sentences(source: str) -> Iterator[str]:
    """Words with a space between them that a check is given as what it expects or found."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("checks."):
            parts = (part for argument in node.args[1:] for part in ast.walk(argument))
            said = (part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str))
            yield from (text for text in said if re.search(r"[a-z]{2}", text) and " " in text)


def test_no_check_is_given_an_english_sentence() -> None:
    assert list(sentences('checks.add(f"id of {x}", ok, f"at most {limit}", [found])')) == ["at most "]
    allowed = {"interruptible: true"}  # as the workload file says it
    for path in Path(texts.__file__).parent.glob("*.py"):
        assert set(sentences(path.read_text(encoding="utf-8"))) <= allowed, path.name


def test_json_stays_english() -> None:
    for check in verify_plan(asked_otherwise(HOURLY, {"min_gpus": 4}), STORES):
        assert show(check.expected).isascii()
        assert show(check.found).isascii()
