"""`optimize init`: a commented workload file from a few questions or flags."""

import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from optimizer.cli._common import emit, emit_json, output_options, warn
from optimizer.domain.text import Language, Text
from optimizer.errors import InputError, Problem

if TYPE_CHECKING:
    from optimizer.catalog import Catalog

METHODS = ("pretrain", "full", "lora", "qlora")
DEFAULT_FILE = "workload.yaml"
EPILOG = """\b
Examples:
  optimize init
  optimize init --model llama-2-7b --method lora --tokens 200M --out w.yaml
  optimize init --model llama-2-13b --tokens-per-month 8e9 --horizon-months 12
"""
Q_MODEL = Text("Model (a preset such as llama-2-7b or qwen2.5-7b)", "模型（预设名，如 llama-2-7b 或 qwen2.5-7b）")
Q_METHOD = Text("Method", "方法")
Q_STEADY = Text("Does the work go on every month (instead of ending)?", "任务是否每月持续（而非有结束）？")
Q_TOKENS = Text("Tokens to train in all (such as 2e9, 500M, 20亿)", "总训练 token 数（如 2e9、500M、20亿）")
Q_PER_MONTH = Text("Tokens a month (such as 8e9, 80亿)", "每月 token 数（如 8e9、80亿）")
Q_DEADLINE = Text("Days until it must be done (empty: no deadline)", "多少天内完成（空：无期限）")
Q_MONTHS = Text("For how many months", "持续几个月")
Q_HOURS = Text("Hours a day it may run", "每天可运行小时数")
Q_COUNTRIES = Text("Countries, separated by commas (empty: anywhere)", "国家，逗号分隔（空：不限）")
Q_CURRENCY = Text("Currency of budget and report", "预算与报告币种")
Q_BUDGET = Text("Budget in all (empty: none)", "总预算（空：无）")
Q_DATA = Text("Training data in GB (10^9 bytes)", "训练数据 GB（10^9 字节）")
SLIP = Text("Error: {message}", "错误：{message}")
NOT_A_NUMBER = Text("{found} is not a number such as 2e9 or 2B", "{found} 不是数，如 2e9、20亿")
YES, NO = ("y", "yes", "是"), ("n", "no", "否")
YES_OR_NO = Text("yes or no", "是或否")
DEFAULT_NO = Text("no", "否")
NOT_YES_OR_NO = Text("{found} is neither yes nor no", "{found} 既不是“是”也不是“否”")
NOT_A_DATE = Text("{found} is not a date such as 2026-12-01", "{found} 不是日期，如 2026-12-01")
NO_MODEL = Text("no model {found} in the catalog", "目录中没有模型 {found}")
NEAR = Text("; did you mean {near}?", "；是否指 {near}？")
Q_SPOT = Text("May it be interrupted (spot machines)?", "可否被中断（抢占式机器）？")
Q_START = Text("First day", "第一天")
Q_FILE = Text("Write to", "写入")
MISSING = Text(
    "Answers are missing and stdin is not a terminal: give them as flags.", "缺少回答且标准输入不是终端：请用参数给出。"
)
WRITTEN = Text("wrote {file}; next: optimize --workload {file}", "已写入 {file}；下一步：optimize --workload {file}")


@click.command(epilog=EPILOG)
@click.option("--model", help="A model preset of the catalog.")
@click.option("--method", type=click.Choice(METHODS), help="How it is trained.")
@click.option("--tokens", help="Tokens of a job that ends: 2e9, 500M, 20亿.")
@click.option("--tokens-per-month", help="Tokens of steady work, every month.")
@click.option("--horizon-months", type=click.IntRange(1, 120), help="Months of steady work.")
@click.option("--deadline-days", type=click.IntRange(1), help="A job must be done in so many days.")
@click.option("--hours-per-day", type=click.FloatRange(0, 24, min_open=True), help="It may run so long a day.")
@click.option("--sequence-length", type=click.IntRange(1), help="Tokens in one sequence.")
@click.option("--dataset-gb", type=click.FloatRange(0), help="Hot data, 10^9 bytes.")
@click.option("--interruptible", is_flag=True, default=None, help="Spot machines allowed.")
@click.option("--country", "countries", multiple=True, help="Country, jurisdiction or region (repeatable).")
@click.option("--provider", "providers", multiple=True, help="Provider name or pattern (repeatable).")
@click.option("--currency", help="Currency of budget and report.")
@click.option("--budget", help="Total over the horizon.")
@click.option("--start", help="First day, such as 2026-12-01 (default: tomorrow).")
@click.option("--name", help="Name of the workload.")
@click.option("--team", help="Team that pays.")
@click.option("--force", is_flag=True, help="Overwrite the file.")
@output_options
def command(**given: Any) -> None:
    """Write a commented workload file: asks a few questions on a terminal, takes flags anywhere."""
    from optimizer.app.init import checked, workload_text
    from optimizer.catalog import load_catalog

    catalog = load_catalog()
    language: Language = given["lang"]
    answers = _from_flags(given)
    out: Path | None = given["out"]
    if _is_terminal() and _is_open(answers):
        _ask_all(answers, catalog, language)
        if out is None and not given["as_json"]:
            out = Path(_ask(Q_FILE, language, default=DEFAULT_FILE))
    _must_be_complete(answers, language)
    if out is not None and out.exists() and not given["force"]:
        raise InputError(Problem(str(out), "", "a file that exists", "a new name, or --force"))
    text = workload_text(answers, language, str(out or DEFAULT_FILE))
    file = checked(text, catalog, "init")
    if given["as_json"]:
        emit_json({"text": text, "workload": file.model_dump(mode="json", by_alias=True, exclude_defaults=True)}, out)
        return
    emit(text.rstrip("\n"), out)
    if out is not None:
        warn(WRITTEN.say(language, file=out))


def _from_flags(given: dict[str, Any]) -> dict[str, Any]:
    """Answers by field name; flags that were not given are None."""
    from optimizer.app.init import number

    amounts = {name: _amount(name, given[name], number) for name in ("tokens", "tokens_per_month", "budget")}
    same = ("method", "horizon_months", "deadline_days", "hours_per_day", "sequence_length", "dataset_gb", "team")
    answers = {name: given[name] for name in same} | amounts
    answers["model"] = {"preset": given["model"]} if given["model"] else None
    answers["name"] = given["name"] or _name(given["model"], given["method"])
    answers["interruptible"] = given["interruptible"]
    answers["countries"] = list(given["countries"]) or None
    answers["providers"] = list(given["providers"]) or None
    answers["currency"] = given["currency"]
    answers["start"] = _day("--start", given["start"]) if given["start"] else None
    return answers


def _name(model: str | None, method: str | None) -> str | None:
    return f"{model}-{method}" if model and method else model


def _amount(name: str, text: str | None, number: Callable[[str], Any]) -> Any:
    if text is None:
        return None
    try:
        return number(text)
    except ValueError as error:
        raise InputError(Problem(f"--{name.replace('_', '-')}", "", text, "a number such as 2e9 or 500M")) from error


def _day(option: str, text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise InputError(Problem(option, "", text, "a date such as 2026-12-01")) from error


def _is_terminal() -> bool:
    return sys.stdin.isatty()


def _is_open(answers: dict[str, Any]) -> bool:
    """Whether something that must be known is still open."""
    return answers["model"] is None or (answers["tokens"] is None and answers["tokens_per_month"] is None)


def _must_be_complete(answers: dict[str, Any], language: Language) -> None:
    """Fill what has an honest default; name everything else that is missing, at once."""
    problems = []
    if answers["model"] is None:
        problems.append(Problem("--model", "", "nothing", "a model preset", suggestion=MISSING.say(language)))
    if answers["tokens"] is None and answers["tokens_per_month"] is None:
        problems.append(Problem("--tokens", "", "nothing", "--tokens for a job, --tokens-per-month for steady work"))
    if answers["tokens_per_month"] is not None and answers["horizon_months"] is None:
        problems.append(Problem("--horizon-months", "", "nothing", "the months of steady work"))
    if problems:
        raise InputError(problems)
    answers["currency"] = answers["currency"] or ("CNY" if language == "zh" else "USD")
    answers["start"] = answers["start"] or _tomorrow()
    answers["method"] = answers["method"] or "full"


def _tomorrow() -> date:
    return date.fromordinal(date.today().toordinal() + 1)  # noqa: DTZ011 - the user's own calendar day


# --- questions -------------------------------------------------------------------------------------------


def _ask(question: Text, language: Language, **options: Any) -> Any:
    """One question on stderr, so that stdout holds the file alone; asked again until the answer can be read."""
    from optimizer.cli._usage_words import message

    read = options.pop("value_proc", None) or options.get("type", str)
    while True:
        answer = click.prompt(question.say(language), err=True, value_proc=lambda text: text, **options)
        try:
            return read(answer)
        except click.UsageError as error:
            warn(SLIP.say(language, message=message(error.message) if language == "zh" else error.message))


def _confirm(question: Text, language: Language) -> bool:
    """A question that is answered with yes or no, in either language; no where nothing is said."""

    def read(text: str) -> bool:
        said = text.strip().casefold()
        if said in (*YES, *NO):
            return said in YES
        raise click.UsageError(NOT_YES_OR_NO.say(language, found=repr(text)))

    asked = Text(f"{question.en} ({YES_OR_NO.en})", f"{question.zh}（{YES_OR_NO.zh}）")
    return bool(_ask(asked, language, default=DEFAULT_NO.say(language), value_proc=read))


def _ask_all(answers: dict[str, Any], catalog: "Catalog", language: Language) -> None:
    """Ask for everything that the flags left open, in the order of the file."""
    if answers["model"] is None:
        answers["model"] = {"preset": _ask(Q_MODEL, language, value_proc=lambda text: _model(text, catalog, language))}
    if answers["method"] is None:
        answers["method"] = _ask(Q_METHOD, language, type=click.Choice(METHODS), default="lora")
    answers["name"] = answers["name"] or _name(answers["model"]["preset"], answers["method"])
    _ask_amount(answers, language)
    if answers["hours_per_day"] is None:
        answers["hours_per_day"] = _ask(Q_HOURS, language, type=click.FloatRange(0, 24, min_open=True), default=24.0)
    if answers["countries"] is None:
        said = _ask(Q_COUNTRIES, language, default="", show_default=False)
        answers["countries"] = [part.strip() for part in said.replace("，", ",").split(",") if part.strip()] or None
    _ask_money(answers, language)
    if answers["dataset_gb"] is None:
        answers["dataset_gb"] = _ask(Q_DATA, language, type=click.FloatRange(0), default=0.0)
    if answers["interruptible"] is None:
        answers["interruptible"] = _confirm(Q_SPOT, language)
    if answers["start"] is None:
        answers["start"] = _ask(Q_START, language, default=_tomorrow().isoformat(), value_proc=_date_answer(language))


def _ask_amount(answers: dict[str, Any], language: Language) -> None:
    if answers["tokens"] is not None or answers["tokens_per_month"] is not None:
        return
    if _confirm(Q_STEADY, language):
        answers["tokens_per_month"] = _ask(Q_PER_MONTH, language, value_proc=_number(language))
        answers["horizon_months"] = _ask(Q_MONTHS, language, type=click.IntRange(1, 120), default=12)
        return
    answers["tokens"] = _ask(Q_TOKENS, language, value_proc=_number(language))
    if answers["deadline_days"] is None:
        said = _ask(Q_DEADLINE, language, default="", show_default=False, value_proc=_number_or_nothing(language))
        answers["deadline_days"] = int(said) if said else None


def _ask_money(answers: dict[str, Any], language: Language) -> None:
    if answers["currency"] is None:
        default = "CNY" if language == "zh" else "USD"
        answers["currency"] = _ask(Q_CURRENCY, language, default=default).strip().upper()
    if answers["budget"] is None:
        said = _ask(Q_BUDGET, language, default="", show_default=False, value_proc=_number_or_nothing(language))
        answers["budget"] = said or None


def _number(language: Language) -> Callable[[str], Any]:
    from optimizer.app.init import number

    def read(text: str) -> Any:
        try:
            return number(text)
        except ValueError as error:
            raise click.UsageError(NOT_A_NUMBER.say(language, found=repr(text))) from error

    return read


def _number_or_nothing(language: Language) -> Callable[[str], Any]:
    read = _number(language)
    return lambda text: read(text) if text.strip() else ""


def _date_answer(language: Language) -> Callable[[str], date]:
    def read(text: str) -> date:
        try:
            return date.fromisoformat(text.strip())
        except ValueError as error:
            raise click.UsageError(NOT_A_DATE.say(language, found=repr(text))) from error

    return read


def _model(text: str, catalog: "Catalog", language: Language) -> str:
    """A preset that exists; a misspelt one is answered with those that resemble it, never replaced."""
    try:
        catalog.model(text.strip())
    except KeyError as error:
        near = ", ".join(catalog.near_models(text))
        hint = NEAR.say(language, near=near) if near else ""
        raise click.UsageError(NO_MODEL.say(language, found=repr(text)) + hint) from error
    return text.strip()
