"""A commented workload file from a few answers. What is written here reads back without problems."""

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from optimizer.catalog import Catalog
from optimizer.catalog.asked import country_problems, provider_problems
from optimizer.domain.money import USD, currency_meant
from optimizer.domain.text import Language, Text
from optimizer.domain.workload import WorkloadFile
from optimizer.errors import InputError, Problem

#: Words that a reader of older YAML would not take as text.
RESERVED = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.\-]*")
#: What large numbers may end in, in English and Chinese.
MULTIPLES = {"k": 10**3, "m": 10**6, "b": 10**9, "t": 10**12, "万": 10**4, "亿": 10**8}


@dataclass(frozen=True, slots=True)
class Field:
    """One line of the file: its key, what it means, and an example that is commented out when it is not answered."""

    key: str
    comment: Text
    example: str


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together under one heading."""

    heading: Text
    fields: tuple[Field, ...]


BLOCKS: tuple[Block, ...] = (
    Block(
        Text("Money and time", "钱与时间"),
        (
            Field("currency", Text("of budget and report (ISO 4217)", "预算与报告的币种（ISO 4217）"), "CNY"),
            Field("budget", Text("total over the horizon", "整个期间的总预算"), "60000"),
            Field("monthly_budget", Text("cash leaving in any one month", "任一个月的现金上限"), "10000"),
            Field("start", Text("first day of the plan", "方案的第一天"), "2026-12-01"),
            Field(
                "horizon_months",
                Text(
                    "mandatory for steady work; else the months that hold the deadline",
                    "常驻任务必填；否则取容纳期限的月数",
                ),
                "12",
            ),
        ),
    ),
    Block(
        Text("What is trained", "训练什么"),
        (
            Field("name", Text("shown in every report", "显示在各报告中"), "lora-7b"),
            Field("team", Text("cost is split by team", "费用按团队分摊"), "search"),
            Field(
                "model",
                Text(
                    "a preset of the catalog, or parameters_b, or the architecture",
                    "目录中的预设，或 parameters_b，或结构参数",
                ),
                "{preset: llama-2-7b}",
            ),
            Field("method", Text("pretrain, full, lora or qlora", "pretrain、full、lora 或 qlora"), "lora"),
            Field("precision", Text("fp32, fp16, bf16 or fp8", "fp32、fp16、bf16 或 fp8"), "bf16"),
            Field("sequence_length", Text("tokens in one sequence", "单条序列的 token 数"), "4096"),
            Field(
                "global_batch_tokens",
                Text("tokens of one optimizer step; left out: chosen", "每个优化步的 token 数；不填则自动选择"),
                "524288",
            ),
        ),
    ),
    Block(
        Text("How much work: exactly one of these", "多少工作：以下恰填一项"),
        (
            Field("tokens", Text("a job that ends", "会结束的任务"), "1.0e9"),
            Field("tokens_per_month", Text("steady work, every month", "常驻任务，每月"), "8.0e9"),
            Field(
                "gpu_hours",
                Text("work that is not a language model: hours on a named GPU", "非语言模型：指定 GPU 上的小时数"),
                "{gpu: A100-SXM4-80GB, hours: 1200}",
            ),
        ),
    ),
    Block(
        Text("When it runs", "何时运行"),
        (
            Field("deadline_days", Text("a job must be done by then", "任务须在此天数内完成"), "14"),
            Field("hours_per_day", Text("it may run this long a day", "每天可运行的小时数"), "24"),
            Field(
                "interruptible",
                Text("true allows spot, with the rate below", "true 允许抢占式，按下述中断率计算"),
                "false",
            ),
            Field(
                "spot",
                Text(
                    "interruptions an hour and hours lost by each; without a rate spot is not offered",
                    "每小时中断次数与每次损失的小时；没有中断率则不用抢占式",
                ),
                "{interruptions_per_hour: 0.02, lost_hours: 0.5, restart_hours: 0.25}",
            ),
        ),
    ),
    Block(
        Text("Data", "数据"),
        (
            Field("dataset_gb", Text("hot data, in 10^9 bytes", "热数据，单位 10^9 字节"), "100"),
            Field("cold_storage_gb", Text("raw data, old checkpoints, logs", "原始数据、旧检查点、日志"), "2000"),
        ),
    ),
    Block(
        Text("Where it may run", "可以在哪里运行"),
        (
            Field("countries", Text("countries, jurisdictions or regions", "国家、法域或地域"), "[CN]"),
            Field(
                "providers",
                Text("names or patterns; owned is your own", "名称或通配；owned 为自有"),
                "[alibaba, tencent]",
            ),
            Field(
                "gpus",
                Text("names or patterns; deny wins", "名称或通配；deny 优先"),
                '{allow: ["A100*", "H20-*"], deny: []}',
            ),
            Field("max_nodes", Text("largest cluster", "最大集群"), "16"),
        ),
    ),
    Block(
        Text("Rules and private prices", "规则与自有报价"),
        (
            Field(
                "profile",
                Text("documents, strict, floor or off", "documents、strict、floor 或 off"),
                "documents",
            ),
            Field(
                "tax",
                Text("how list prices are compared", "目录价如何比较"),
                "{included: true, rate: 0.06, recoverable: true}",
            ),
            Field("quotes", Text("your own prices, they beat list prices", "你的报价，优先于目录价"), "quotes.csv"),
        ),
    ),
)
TITLE = Text(
    "Workload file. Lines with # are examples: take the # off to use them. Units are in the names; gb is 10^9 bytes.",
    "任务文件。带 # 的行是示例：去掉 # 即生效。单位写在字段名里；gb 为 10^9 字节。",
)
NEXT = Text(
    "Plan it: optimize --workload {file}. Check an editor's copy against: optimize schema workload",
    "求方案：optimize --workload {file}。编辑器校验：optimize schema workload",
)


def workload_text(answers: Mapping[str, Any], language: Language, file: str = "workload.yaml") -> str:
    """The commented file. Answered fields stand as they are; the rest are examples behind `#`.

    `answers` holds values by field name: text, numbers, dates, lists, maps; None counts as not answered.
    """
    lines = [f"# {TITLE.say(language)}", f"# {NEXT.say(language, file=file)}"]
    for block in BLOCKS:
        lines += ["", f"# --- {block.heading.say(language)}"]
        lines += [_line(field, answers.get(field.key), language) for field in block.fields]
    return "\n".join(lines) + "\n"


def _line(field: Field, value: Any, language: Language) -> str:
    entry = f"# {field.key}: {field.example}" if value is None else f"{field.key}: {scalar(value)}"
    return f"{entry:<40}  # {field.comment.say(language)}"


def scalar(value: Any) -> str:
    """A value as YAML 1.2 on one line; text is quoted wherever a reader could take it for something else."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float | Decimal):
        return _number(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str):
        is_plain = PLAIN.fullmatch(value) and value.lower() not in RESERVED
        return value if is_plain else _quoted(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {scalar(inner)}" for key, inner in value.items()) + "}"
    return "[" + ", ".join(scalar(inner) for inner in value) + "]"


def _quoted(text: str) -> str:
    """A double-quoted scalar; characters that YAML does not print are escaped."""
    quoted = json.dumps(text, ensure_ascii=False)
    hidden = ("Cc", "Cf", "Cn", "Cs", "Zl", "Zp")
    return "".join(f"\\U{ord(char):08x}" if unicodedata.category(char) in hidden else char for char in quoted)


def _number(value: float | Decimal) -> str:
    """A number; from a million on in the form 2.0e9, as long as that is exact."""
    exact = Decimal(str(value))
    if abs(exact) < 10**6:
        return f"{exact:f}".removesuffix(".0")
    mantissa, exponent = exact.scaleb(-exact.adjusted()).normalize(), exact.adjusted()
    shown = f"{mantissa:f}"
    return f"{shown if '.' in shown else shown + '.0'}e{exponent}"


def number(text: str) -> Decimal:
    """A number as people write it: 2e9, 2,000,000, 2B, 20亿.

    Raises:
        ValueError: not a positive number.
    """
    cleaned = text.strip().replace(",", "").replace("_", "").lower()
    multiple = MULTIPLES.get(cleaned[-1:], 1)
    digits = cleaned[:-1] if multiple != 1 else cleaned
    try:
        value = Decimal(digits) * multiple
    except InvalidOperation as error:
        raise ValueError(f"{text!r} is not a number such as 2e9 or 2B") from error
    if not value.is_finite() or value <= 0:
        raise ValueError(f"{text!r} is not a positive number")
    return value


def checked(text: str, catalog: Catalog, source: str = "workload") -> WorkloadFile:
    """Read the written text back and look its names up.

    Raises:
        InputError: every answer that does not make a workload, with suggestions.
    """
    from optimizer.planning.workload_file import parse_workload

    file = parse_workload(text, source)
    problems = [
        *_model_problems(file, catalog),
        *_place_problems(file, catalog),
        *_currency_problems(file, catalog),
    ]
    if problems:
        raise InputError(problems)
    return file


def _model_problems(file: WorkloadFile, catalog: Catalog) -> Iterable[Problem]:
    for work in file.workloads:
        preset = work.model.preset if work.model else None
        if preset is None:
            continue
        try:
            catalog.model(preset)
        except KeyError:
            near = catalog.near_models(preset)
            hint = f"Did you mean {' or '.join(near)}?" if near else None
            yield Problem("--model", "", preset, "a model of the catalog", suggestion=hint)


def _place_problems(file: WorkloadFile, catalog: Catalog) -> Iterable[Problem]:
    """Countries and providers that the planner would refuse."""
    for work in file.workloads:
        yield from country_problems(catalog, work.countries, "--country")
        yield from provider_problems(catalog, work.providers or (), "--provider")


def _currency_problems(file: WorkloadFile, catalog: Catalog) -> Iterable[Problem]:
    today = date.today()  # noqa: DTZ011 - the user's own calendar day, as the planner's
    known = sorted({USD, *catalog.rates(today, dict(file.fx)).by_currency})
    if file.currency not in known:
        meant = currency_meant(file.currency)
        hint = f"Did you mean {meant}?" if meant else None
        yield Problem("--currency", "", file.currency, f"one of {', '.join(known)}", suggestion=hint)
