"""Vendors' answers line by line. Each case says by hand what a buyer must conclude."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from optimizer.contract.answers import Answer, Comparison, JudgedLine, compare, judge, read_answer
from optimizer.contract.build import build_contract
from optimizer.contract.render_json import comparison_json, contract_json
from optimizer.contract.spec import ContractSpec, Item
from optimizer.contract.units import factor
from optimizer.domain.text import Text
from optimizer.errors import InputError
from tests.contract_spec import plans


@pytest.fixture(scope="module")
def spec() -> ContractSpec:
    return build_contract(plans.rented(), plans.facts())


def line(spec: ContractSpec, name: str) -> Item:
    (found,) = [item for _, item in spec.lines() if item.id == name]
    return found


def verdict(spec: ContractSpec, name: str, given: Any) -> tuple[str, str]:
    found = judge(line(spec, name), given, plans.SPELLINGS.get)
    return found[0], found[1]


MET, BETTER = ("met", "none"), ("met", "better")
SHORT, SILENT = ("not_met", "worse"), ("silent", "silent")
CASES: list[tuple[str, Any, tuple[str, str]]] = [
    # Required: 80 GB a card as sold.
    ("gpu_memory", "80 GB", MET),
    ("gpu_memory", 80, SILENT),
    ("gpu_memory", "80", SILENT),
    ("gpu_memory", "80GiB", MET),
    ("gpu_memory", "40GB", SHORT),
    ("gpu_memory", "640 GB in all", SILENT),
    # Required: 2,048 GiB; sold in binary sizes under the name GB and TB.
    ("memory", "2048 GB", MET),
    ("memory", "2 TB", MET),
    ("memory", "2TiB", MET),
    ("memory", "1,024 GiB", SHORT),
    ("memory", "4096 GiB", BETTER),
    # A figure with words of a bound is the figure: 2 TiB are 2,048 GiB, a quarter of one is 256.
    ("memory", "at least 2 TiB", MET),
    ("memory", "不少于 2048 GiB", MET),
    ("memory", "2048 GiB 以上", MET),
    ("memory", "at least 0.25 TiB", SHORT),
    ("memory", "up to 4 TiB", SILENT),
    ("memory", "至少 2048 GiB 以上", SILENT),
    # A number without a unit says nothing: 5000 of what?
    ("memory", "5000", SILENT),
    ("storage", "500000", SILENT),
    ("gpu_memory.bandwidth", "3350", SILENT),
    # Required: 30,720 GB of disk: decimal units; 30 TiB = 32,985 GB.
    ("storage", "30 TB", SHORT),
    ("storage", "30.72TB", MET),
    ("storage", "30 TiB", BETTER),
    ("storage", "4 × 7.68 TB", SILENT),
    # Required: 112 physical cores: a vCPU is no core.
    ("cpu", "112 核", MET),
    ("cpu", "224 vCPU", SILENT),
    ("cpu", "96 cores", SHORT),
    # Cores are counted: the number alone says all.
    ("cpu", "112", MET),
    # Required: 3,200 Gbit/s: bits are not bytes.
    ("network", "3200 Gbps", MET),
    ("network", "400 GB/s", MET),
    ("network", "400 Gb/s", SHORT),
    ("network", "3.2 Tbps", MET),
    ("network", "约 3200 Gbps", SILENT),
    ("network", "≤ 3200 Gbps", SILENT),
    ("network", "≥ 3200 Gbps", MET),
    # Required: at most 1,800,000.00 CNY.
    ("rent", "1800000", SILENT),
    ("rent", "1800000 元", MET),
    ("rent", "不超过 180 万元", MET),
    ("rent", "180 万元", MET),
    ("rent", "1,799,999.99 元", BETTER),
    ("rent", "1,800,000.01 CNY", SHORT),
    ("rent", "250000 USD", SILENT),
    # Required: at most 75,000 CNY a month for one machine.
    ("rent.unit_price", "75000 元/月", MET),
    ("rent.unit_price", "102.74 元/小时", SILENT),
    # A model is a model: form and memory must be named or more exact.
    ("gpu_model", "NVIDIA H100 80GB SXM", MET),
    ("gpu_model", "H100 PCIe", SHORT),
    ("gpu_model", "H100", SILENT),
    ("gpu_model", True, MET),
    # Whole numbers that must be equal.
    ("gpu_model.count", "8", MET),
    ("gpu_model.count", "9", SHORT),
    # Words.
    ("network.rdma", "InfiniBand NDR", MET),
    ("network.rdma", "RoCE", SHORT),
    ("network.rdma", "无", SHORT),
    ("memory.ecc", "ECC", MET),
    ("memory.ecc", "no ECC", SHORT),
    # Clauses: consent, refusal, consent with a condition.
    ("gpu_memory.whole_cards", "同意。", MET),
    ("gpu_memory.whole_cards", "不同意", SHORT),
    ("gpu_memory.whole_cards", "agreed, except at night", SHORT),
    ("gpu_memory.whole_cards", "", SILENT),
    ("gpu_memory.whole_cards", "________", SILENT),
    # Blanks want a figure, not consent.
    ("response_time", "15 minutes, 4 hours", MET),
    ("response_time", "agreed", SILENT),
    ("response_time", "待定", SILENT),
    ("response_time", False, SHORT),
    # A blank with a unit wants one figure in a unit that compares: IOPS here.
    ("storage.iops", "800000 IOPS", MET),
    ("storage.iops", "80 万 IOPS", MET),
    ("storage.iops", "at least 0.25 TiB", SILENT),
    ("storage.iops", "800000", SILENT),
    ("storage.iops", "plenty, since 2024", SILENT),
    ("scaling", None, SILENT),
]


@pytest.mark.parametrize(("name", "given", "expected"), CASES)
def test_verdicts(spec: ContractSpec, name: str, given: Any, expected: tuple[str, str]) -> None:
    assert verdict(spec, name, given) == expected


def test_a_required_none_is_met_by_none() -> None:
    from optimizer.domain.offer import Rdma

    spec = build_contract(plans.rented(plans.h100_box(rdma=Rdma.NONE)), plans.facts())
    assert verdict(spec, "network.rdma", "none") == MET
    assert verdict(spec, "network.rdma", "无") == MET


def test_a_card_without_form_is_met_by_a_form_of_it() -> None:
    wanted = Item(
        id="gpu_model", title=Text("", ""), clause=Text("", ""), source=Text("", ""), relation="text",
        value=Text("NVIDIA A800-80GB", "NVIDIA A800-80GB"),
    )  # fmt: skip
    found = {"A800 SXM 80G": "A800-SXM4-80GB", "A800 40G": "A800-40GB"}
    assert judge(wanted, "A800 SXM 80G", found.get)[0] == "met"
    assert judge(wanted, "A800 40G", found.get)[0] == "not_met"


@pytest.mark.parametrize(
    ("answered", "required", "expected"),
    [
        ("GB/s", "Gbit/s", "8"),
        ("gbps", "Gbit/s", "1"),
        ("Gb/s", "GB/s", None),
        ("gb/s", "Gbit/s", "1"),
        ("gb/s", "GB/s", None),
        ("W", "kW", "0.001"),
        ("％", "%", "1"),
        ("CNY/hour", "CNY/month", None),
        ("元/台", "CNY/unit", "1"),
        ("parsec", "GB", None),
    ],
)
def test_units(answered: str, required: str, expected: str | None) -> None:
    assert factor(answered, required) == (None if expected is None else Decimal(expected))


# --- whole answers ------------------------------------------------------------------------------------------------


def filled(spec: ContractSpec, **answers: Any) -> dict[str, Any]:
    """The exported form with every line agreed to or filled, but for those named."""
    form = contract_json(spec, "zh")
    form["vendor"] = "某云"
    for item in form["items"]:
        item["answer"] = answers.get(item["id"], f"5 {item['unit']}" if item["relation"] == "fill" else "同意")
    return form


def held(spec: ContractSpec, tmp_path: Path, form: Any) -> Comparison:
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(form, default=str), encoding="utf-8")
    return compare(spec, read_answer(path, spec), plans.SPELLINGS.get)


def test_a_filled_form_is_met(spec: ContractSpec, tmp_path: Path) -> None:
    found = held(spec, tmp_path, filled(spec))
    assert found.ok
    assert found.vendor == "某云"
    assert found.count("met") == len(found.lines) == len(list(spec.lines()))


@pytest.mark.parametrize(("name", "given", "ok"), [
    ("gpu_memory", "40 GB", False),
    ("gpu_memory", None, False),
    ("response_time", "", False),
    ("gpu_memory.bandwidth", "100 GB/s", True),
    ("response_time.spare", None, True),
])  # fmt: skip
def test_a_star_that_is_refused_or_silent_fails_the_offer(
    spec: ContractSpec, tmp_path: Path, name: str, given: Any, ok: bool
) -> None:
    assert held(spec, tmp_path, filled(spec, **{name: given})).ok is ok


def test_the_exported_form_unfilled_is_silent_everywhere(spec: ContractSpec, tmp_path: Path) -> None:
    found = held(spec, tmp_path, contract_json(spec, "en"))
    assert found.count("silent") == len(found.lines)
    assert not found.ok


def test_an_item_without_the_key_answer_is_answered_by_its_value(spec: ContractSpec, tmp_path: Path) -> None:
    form = {"items": [{"id": "gpu_memory", "value": 40, "unit": "GB"}, {"id": "memory", "value": 2, "unit": "TiB"}]}
    judged = {judged.id: judged.verdict for judged in held(spec, tmp_path, form).lines}
    assert (judged["gpu_memory"], judged["memory"], judged["cpu"]) == ("not_met", "met", "silent")


def test_a_number_is_in_the_unit_beside_it_and_in_none_without(spec: ContractSpec, tmp_path: Path) -> None:
    form = {"items": [{"id": "gpu_memory", "answer": 80, "unit": "GB"}, {"id": "memory", "answer": 4096}]}
    judged = {judged.id: judged for judged in held(spec, tmp_path, form).lines}
    assert (judged["gpu_memory"].verdict, judged["gpu_memory"].shown_answer) == ("met", "80 GB")
    assert judged["memory"].verdict == "silent"
    assert judged["memory"].reason.en == "no unit; write for example 4096 GiB"


def test_a_vendor_may_answer_for_one_part() -> None:
    spec = build_contract(plans.all_three(), plans.facts())
    answer = Answer("x", frozenset({"P2"}), {("P2", "memory"): "60 GiB"})
    found = compare(spec, answer, plans.SPELLINGS.get)
    assert {judged.purchase for judged in found.lines} == {"P2", None}
    (ram,) = [judged for judged in found.lines if judged.id == "memory"]
    assert ram.verdict == "met"


@pytest.mark.parametrize(("content", "expected"), [
    ("{", "an answer file (JSON in UTF-8)"),
    ('{"items": 3}', "items"),
    ("[1]", "no object"),
    ("{}", "an object without items"),
    ('{"items": [{"id": "gpu_memry"}]}', "Did you mean gpu_memory?"),
    ('{"items": [{"id": "memory"}, {"id": "memory"}]}', "a second"),
    ('{"items": [], "plan_id": "other"}', "the plan that is compared"),
    ('{"items": [], "purchases": ["P7"]}', "one of P1"),
    ('{"items": [], "vender": "x"}', "vender"),
    ('{"items": [{"id": "memory", "answer": [1]}]}', "items.0.answer"),
])  # fmt: skip
def test_wrong_answer_files_say_where(spec: ContractSpec, tmp_path: Path, content: str, expected: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_answer(path, spec)
    assert expected in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_plan_given_as_an_answer_is_one_message(spec: ContractSpec, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text(plans.rented().model_dump_json())
    with pytest.raises(InputError) as caught:
        read_answer(path, spec)
    (problem,) = caught.value.problems
    assert (problem.found, problem.expected) == ("a plan file", "an answer file")


def test_many_problems_of_an_answer_are_cut_and_counted(spec: ContractSpec, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"items": [], **{f"field_{n}": n for n in range(30)}}))
    with pytest.raises(InputError) as caught:
        read_answer(path, spec)
    assert len(caught.value.problems) == 21
    assert caught.value.problems[-1].found == "10 more problems"


def test_a_missing_file_is_an_input_error(spec: ContractSpec, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="an answer file"):
        read_answer(tmp_path / "none.json", spec)


def test_the_json_of_a_comparison(spec: ContractSpec, tmp_path: Path) -> None:
    found = held(spec, tmp_path, filled(spec, memory="1 TB"))
    value = comparison_json(spec, [found], "en")
    assert (value["ok"], value["vendors"][0]["ok"], value["vendors"][0]["not_met"]) == (False, False, 1)
    (ram,) = [item for item in value["vendors"][0]["items"] if item["id"] == "memory"]
    assert (ram["verdict"], ram["deviation"], ram["answer"]) == ("not_met", "worse", "1 TB")
    assert ram["reason"] == "required 2048 GiB"


def test_answers_are_shown_as_marks_or_words() -> None:
    made = [
        JudgedLine(None, "x", "1", False, given, "met", "none", Text("", "")) for given in (True, False, None, 0, 5)
    ]
    assert [judged.shown_answer for judged in made] == ["✓", "✗", "", "0", "5"]
