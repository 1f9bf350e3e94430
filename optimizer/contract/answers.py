"""Vendors' answers held against the contract, line by line: met, not met, or silent.

Silence is never consent: a line without an answer, or with one that cannot be compared, is silent, and a silent ★ line
fails the offer like one that is not met.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from optimizer.contract.meaning import amount_first, day_of, is_free, span_of, tax_included, without_tax_words
from optimizer.contract.spec import ContractSpec, Item
from optimizer.contract.units import Figure, factor, read_figure
from optimizer.domain.text import Language, Text
from optimizer.errors import InputError, Problem

Verdict = Literal["met", "not_met", "silent"]
Deviation = Literal["none", "better", "worse", "silent"]
MAX_BYTES = 20_000_000
MAX_SHOWN = 60
MAX_PROBLEMS = 20
#: A model's card has the memory of its data sheet; GB and GiB under one name differ by 7.4 %, more is no such card.
LARGEST_CARD = Decimal("1.1")

AGREED = frozenset(
    (
        *("true", "yes", "met", "agree", "agreed", "accept", "accepted", "ok", "comply", "compliant"),
        *("满足", "同意", "接受", "符合", "无偏离", "响应", "完全响应", "是", "可以"),
    )
)
REFUSED = frozenset(
    (
        *("false", "no", "none", "not_met", "refuse", "refused", "reject", "rejected", "disagree", "unsupported"),
        *(
            "不满足",
            "不同意",
            "不接受",
            "不符合",
            "不支持",
            "不响应",
            "负偏离",
            "否",
            "无",
            "没有",
            "不可以",
            "无法满足",
        ),
    )
)
NOTHING = frozenset(("", "-", "—", "n/a", "na", "tbd", "unknown", "待定", "待确认", "未知", "null"))

VERDICTS: dict[Verdict, Text] = {
    "met": Text("met", "满足"),
    "not_met": Text("not met", "不满足"),
    "silent": Text("silent", "未响应"),
}
DEVIATIONS: dict[Deviation, Text] = {
    "none": Text("none", "无偏离"),
    "better": Text("better than required", "正偏离"),
    "worse": Text("negative", "负偏离"),
    "silent": Text("no answer", "未响应"),
}
NO_ANSWER = Text("no answer", "未作答")
FIGURE_ASKED = Text("a figure is asked, not consent", "须填写数值，仅表示同意无效")
NOT_A_FIGURE = Text("no single figure can be read from it", "无法读出单一数值")
OTHER_UNIT = Text("unit {unit} does not compare with {required}", "单位 {unit} 与 {required} 不可比")
NO_UNIT = Text("no unit; write for example {number} {required}", "未写单位；请写如 {number} {required}")
REFUSED_SAID = Text("refused", "拒绝")
CONDITIONAL = Text("consent with a condition or a different text; read by hand", "附条件或文字不同，须人工审阅")
OTHER_GPU = Text("another GPU: {found}", "非同一型号：{found}")
GPU_UNCLEAR = Text("does not name one GPU exactly", "未指明唯一型号")
SHORT = Text("required {required}", "要求 {required}")
OTHER_BASIS = Text(
    "with tax or without: the answer and the line differ; ask for the line's",
    "答复与条款的含税口径不同，请按条款口径答复",
)
LAST_DAY_COUNTS = Text("read with the last day counted in", "按含终止日当日理解")
SEVERAL_CARDS = Text(
    "one such card has {required}: is this the sum of several? State it for each card",
    "该型号每卡为 {required}：是否为多卡合计？请按单卡填写",
)
NO_REASON = Text("", "")


class _Answered(BaseModel):
    """One item of an answer file; the keys of the exported specification may stay in it."""

    model_config = ConfigDict(extra="forbid")

    id: str
    purchase: str | None = None
    answer: str | bool | int | float | None = None
    note: str | None = None
    number: Any = None
    title: Any = None
    clause: Any = None
    value: Any = None
    unit: Any = None
    basis: Any = None
    relation: Any = None
    source: Any = None
    status: Any = None
    mandatory: Any = None
    acceptance: Any = None
    remedies: Any = None
    confirm: Any = None


class _AnswerFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    items: list[_Answered]
    vendor: str | None = None
    purchases: Any = None
    plan_id: str | None = None
    catalog_sha256: Any = None
    as_of: Any = None
    language: Any = None


@dataclass(frozen=True, slots=True)
class Answer:
    """One vendor's answers by purchase and item; `parts` are the purchases that it answers for."""

    vendor: str
    parts: frozenset[str]
    by_line: Mapping[tuple[str | None, str], Any]


@dataclass(frozen=True, slots=True)
class JudgedLine:
    """One line of one vendor."""

    purchase: str | None
    id: str
    number: str
    mandatory: bool
    answer: Any
    verdict: Verdict
    deviation: Deviation
    reason: Text

    @property
    def shown_answer(self) -> str:
        """The answer as a reader sees it."""
        if isinstance(self.answer, bool):
            return "✓" if self.answer else "✗"
        return "" if self.answer is None else str(self.answer)

    def shown_deviation(self, language: Language) -> str:
        """The kind of deviation, with the reason where there is one."""
        told, why = DEVIATIONS[self.deviation].say(language), self.reason.say(language)
        if not why or why == told:
            return told
        return f"{told}（{why}）" if language == "zh" else f"{told} ({why})"


@dataclass(frozen=True, slots=True)
class Comparison:
    """One vendor's answers against the specification."""

    vendor: str
    lines: tuple[JudgedLine, ...]

    @property
    def ok(self) -> bool:
        """Whether every ★ line is met."""
        return all(line.verdict == "met" for line in self.lines if line.mandatory)

    def count(self, verdict: Verdict) -> int:
        """How many lines have a verdict."""
        return sum(line.verdict == verdict for line in self.lines)


# --- reading ------------------------------------------------------------------------------------------------------


def read_answer(path: Path, spec: ContractSpec) -> Answer:
    """Read a vendor's answer file: the exported JSON with `vendor` and each item's `answer` filled.

    An item without the key `answer` is answered by its `value`. `purchases` may list the parts that the vendor answers
    for (ids, or the exported records); without it, all.

    Raises:
        InputError: not readable, not JSON, another plan's answer, unknown items: every problem of the file.
    """
    data = _load(path)
    _refuse_other_files(path, data)
    try:
        file = _AnswerFile.model_validate(data)
    except ValidationError as error:
        raise InputError(_capped(path, [_invalid(path, item) for item in error.errors(include_url=False)])) from error
    problems = []
    if file.plan_id is not None and file.plan_id != spec.plan_id:
        problems.append(Problem(str(path), "plan_id", file.plan_id, f"{spec.plan_id}, the plan that is compared"))
    parts = _parts(path, file, spec, problems)
    by_line = _by_line(path, file, spec, problems)
    if problems:
        raise InputError(problems)
    return Answer((file.vendor or "").strip() or path.stem, parts, by_line)


def _load(path: Path) -> Any:
    try:
        content = path.read_bytes()
        if len(content) > MAX_BYTES:
            raise InputError(Problem(str(path), "", f"{len(content)} bytes", f"at most {MAX_BYTES} bytes"))
        return json.loads(content.decode("utf-8-sig"))
    except OSError as error:
        raise InputError(Problem(str(path), "", error.strerror or str(error), "an answer file")) from error
    except ValueError as error:
        line = getattr(error, "lineno", None)
        raise InputError(Problem(str(path), "", str(error), "an answer file (JSON in UTF-8)", line)) from error


def _capped(path: Path, problems: list[Problem]) -> list[Problem]:
    more = len(problems) - MAX_PROBLEMS
    return (
        problems if more <= 0 else [*problems[:MAX_PROBLEMS], Problem(str(path), "", f"{more} more problems", "none")]
    )


def _refuse_other_files(path: Path, data: Any) -> None:
    """One message for a file that is no answer at all, such as a plan."""
    found = None
    if not isinstance(data, dict):
        found = "no object"
    elif "items" not in data:
        found = "a plan file" if "assignments" in data else "an object without items"
    if found is not None:
        hint = "`optimize contract plan.json --format json` writes the form to fill."
        raise InputError(Problem(str(path), "", found, "an answer file", suggestion=hint))


def _invalid(path: Path, item: Any) -> Problem:
    found = repr(item["input"])
    shown = found if len(found) <= MAX_SHOWN else f"{found[:MAX_SHOWN]}..."
    hint = "`optimize contract plan.json --format json` writes the form to fill."
    return Problem(str(path), ".".join(map(str, item["loc"])), shown, item["msg"], suggestion=hint)


def _parts(path: Path, file: _AnswerFile, spec: ContractSpec, problems: list[Problem]) -> frozenset[str]:
    known = [part.id for part in spec.parts]
    if not isinstance(file.purchases, list):
        return frozenset(known)
    named = [str(one.get("id") if isinstance(one, dict) else one) for one in file.purchases]
    problems += [
        Problem(str(path), f"purchases.{place}", name, f"one of {', '.join(known)}")
        for place, name in enumerate(named)
        if name not in known
    ]
    return frozenset(named)


def _by_line(
    path: Path, file: _AnswerFile, spec: ContractSpec, problems: list[Problem]
) -> dict[tuple[str | None, str], Any]:
    lines = {key_of(purchase, item) for purchase, item in spec.lines()}
    only = spec.parts[0].id if len(spec.parts) == 1 else None
    found: dict[tuple[str | None, str], Any] = {}
    for place, item in enumerate(file.items):
        key = (item.purchase, item.id)
        if item.purchase is None and key not in lines:
            key = (only, item.id)
        field = f"items.{place}.id"
        if key not in lines:
            near = get_close_matches(item.id, [name for _, name in lines], n=1)
            hint = f"Did you mean {near[0]}?" if near else None
            expected = "an item of the specification, with its purchase where there are several"
            problems.append(Problem(str(path), field, f"{item.purchase or ''} {item.id}".strip(), expected, None, hint))
        elif key in found:
            problems.append(Problem(str(path), field, item.id, "one answer for each line; this one is a second"))
        else:
            found[key] = _given(item)
    return found


def _given(item: _Answered) -> Any:
    """The answer, else the value; a number is in the unit that stands beside it in the same item."""
    given = item.answer if "answer" in item.model_fields_set else item.value
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    return f"{given} {item.unit}" if is_number and isinstance(item.unit, str) and item.unit else given


def key_of(purchase: str | None, item: Item) -> tuple[str | None, str]:
    """What names a line."""
    return (purchase, item.id)


# --- judging ------------------------------------------------------------------------------------------------------


def compare(spec: ContractSpec, answer: Answer, find_gpu: Callable[[str], str | None]) -> Comparison:
    """Every line of the parts that the vendor answers for, and of the common clauses."""
    lines = [
        _judge_line(purchase, item, answer.by_line.get(key_of(purchase, item)), find_gpu)
        for purchase, item in spec.lines()
        if purchase is None or purchase in answer.parts
    ]
    return Comparison(answer.vendor, tuple(lines))


def _judge_line(purchase: str | None, item: Item, given: Any, find_gpu: Callable[[str], str | None]) -> JudgedLine:
    verdict, deviation, reason = judge(item, given, find_gpu)
    return JudgedLine(purchase, item.id, item.number, item.mandatory, given, verdict, deviation, reason)


Judgement = tuple[Verdict, Deviation, Text]
MET: Judgement = ("met", "none", NO_REASON)


def judge(item: Item, given: Any, find_gpu: Callable[[str], str | None]) -> Judgement:
    """Verdict, deviation and reason for one answer to one line."""
    word = _word(given)
    if word in NOTHING:
        return ("silent", "silent", NO_ANSWER)
    if item.basis is not None and tax_included(word) not in (None, tax_included(item.basis.zh)):
        return ("silent", "silent", OTHER_BASIS)
    meant = _judge_meaning(item, word) if item.relation == "text" else None
    if meant is not None:
        return meant
    if word in REFUSED:
        return ("not_met", "worse", REFUSED_SAID)
    if item.relation == "fill":
        return _judge_blank(item, word)
    if word in AGREED:
        return MET
    if item.relation == "agree":
        return ("not_met", "worse", CONDITIONAL)
    if item.id == "gpu_model":
        return _judge_gpu(item, str(given), find_gpu)
    return ("not_met", "worse", CONDITIONAL) if item.relation == "text" else _judge_figure(item, str(given))


def _word(given: Any) -> str:
    if given is None:
        return ""
    if isinstance(given, bool):
        return "true" if given else "false"
    text = str(given).strip().strip("。.!！").casefold().replace("not met", "not_met")
    return "" if text.strip("_ ") == "" else text


def _judge_gpu(item: Item, given: str, find_gpu: Callable[[str], str | None]) -> Judgement:
    """The same canonical model; one that names form and memory more closely than the line passes too."""
    required = item.value.en.rpartition(" ")[2] if isinstance(item.value, Text) else ""
    found = find_gpu(given)
    if found is None:
        return ("silent", "silent", GPU_UNCLEAR)
    wanted, named = set(required.split("-")), set(found.split("-"))
    if wanted <= named:
        return MET
    if named < wanted:
        return ("silent", "silent", GPU_UNCLEAR)
    return ("not_met", "worse", Text(OTHER_GPU.say("en", found=found), OTHER_GPU.say("zh", found=found)))


def _judge_meaning(item: Item, word: str) -> Judgement | None:
    """A text line that is met, in the line's own words or in others that mean the same; None where it is not."""
    if item.id == "gpu_model" or not isinstance(item.value, Text):
        return None
    if item.id == "rent.tax" and tax_included(word) is not None:
        return MET if tax_included(word) == tax_included(item.value.zh) else None
    if item.id == "rent.dates":
        return _judge_days(item.value.en, word)
    return MET if _judge_text(item, word) == MET else None


def _judge_days(required: str, word: str) -> Judgement | None:
    """First day and the day after the last, or the day of a delivery, which may come early."""
    first, _, end = required.partition(" / ")
    if not end:
        delivered = day_of(word)
        return MET if delivered is not None and delivered <= date.fromisoformat(first) else None
    span = span_of(word)
    if span is None or span.first != date.fromisoformat(first) or not span.lasts_until(date.fromisoformat(end)):
        return None
    return MET if span.last == date.fromisoformat(end) else ("met", "none", LAST_DAY_COUNTS)


def _judge_text(item: Item, given: str) -> Judgement:
    """The same words in either language; more words after them are welcome, other words are a deviation."""
    told = _folded(given)
    required = [_folded(text) for text in item.value] if isinstance(item.value, Text) else []
    same = any(told == text or (text and told.startswith(text)) for text in required)
    return MET if same else ("not_met", "worse", CONDITIONAL)


def _folded(text: str) -> str:
    return re.sub(r"[\s,，;；。.]+", "", text).casefold()


def _judge_blank(item: Item, word: str) -> Judgement:
    """A blank to fill: words where words are asked, else one figure in a unit that compares."""
    if word in AGREED:
        return ("silent", "silent", FIGURE_ASKED)
    if not item.unit:
        return MET
    figure = read_figure(word)
    if figure is None:
        return ("silent", "silent", NOT_A_FIGURE)
    return MET if factor(figure.unit, item.unit) is not None else _other_unit(item, figure)


def _judge_figure(item: Item, given: str) -> Judgement:
    if item.basis is not None:  # money
        given = amount_first(without_tax_words(given))
        if is_free(given):
            return _weigh(item, Decimal(0), Decimal(str(item.value)))
    figure = read_figure(given)
    if figure is None or _wrong_bound(item, figure.bound):
        return ("silent", "silent", NOT_A_FIGURE)
    times = factor(figure.unit, item.unit, gpu_memory=item.id == "gpu_memory")
    if times is None:
        return _other_unit(item, figure)
    answered, required = figure.number * times, Decimal(str(item.value))
    if item.id == "gpu_memory" and item.status != "to_confirm" and answered > required * LARGEST_CARD:
        return ("silent", "silent", _of_line(SEVERAL_CARDS, item, required))
    return _weigh(item, answered, required)


def _other_unit(item: Item, figure: Figure) -> Judgement:
    """A unit that does not compare, or none: 500 of what?"""
    said = {"unit": figure.unit, "required": item.unit or "-", "number": f"{figure.number:f}"}
    text = OTHER_UNIT if figure.unit else NO_UNIT
    return ("silent", "silent", Text(text.say("en", **said), text.say("zh", **said)))


def _wrong_bound(item: Item, bound: str) -> bool:
    """A promise of "at most" says nothing on a line that asks "at least", and the other way round."""
    allowed = {"at_least": ("", "≥", ">"), "at_most": ("", "≤", "<"), "exactly": ("",)}
    return bound not in allowed.get(item.relation, ("",))


def _weigh(item: Item, answered: Decimal, required: Decimal) -> Judgement:
    gained = answered - required if item.relation == "at_least" else required - answered
    if item.relation == "exactly":
        gained = -abs(gained)
    if gained < 0:
        return ("not_met", "worse", _of_line(SHORT, item, required))
    return ("met", "better" if gained > 0 else "none", NO_REASON)


def _of_line(text: Text, item: Item, required: Decimal) -> Text:
    shown = f"{required.normalize():f} {item.unit}".rstrip()
    return Text(text.say("en", required=shown), text.say("zh", required=shown))
