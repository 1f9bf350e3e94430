"""`--currency`: a plan's amounts in another currency, for the screen and the reports only.

Every amount is multiplied by one factor (the target's units per USD over the plan currency's, both dated) without
rounding, so that lines still add up to their totals. Prices stay in the currency in which they were published; their
rate into the plan's currency is multiplied too. The plan file itself stays in the workload file's currency, because
its amounts are whole millionths of that currency and are checked as such.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from optimizer.catalog import load_catalog
from optimizer.domain.money import USD, Rate, Rates
from optimizer.domain.plan import FxUsed, Plan
from optimizer.domain.text import Language, Text
from optimizer.errors import InputError, Problem
from optimizer.planning.workload_file import read_workload

#: Decimal digits that hold any amount of a plan times any rate exactly.
EXACT_DIGITS = 80
#: Fields of the plan's records that hold an amount, or a rate into, the plan's currency.
AMOUNTS = frozenset(
    {
        *("total", "bound", "gap", "present_value", "by_month", "by_team", "by_term"),
        *("cost", "residual", "fx_rate", "amount", "extra", "saving", "smallest_budget"),
    }
)
#: Records of the plan that hold amounts; everything else is left as it is.
CONVERTED = (
    *("cost", "purchases", "cash_flow", "alternatives", "rule_prices", "relaxations", "smallest_budget", "frontier"),
    *("baseline", "baselines"),
)
SHOWN_IN = Text(
    "Amounts are shown in {target} at 1 {source} = {factor} {target} ({dates}); the plan file, and amounts inside "
    "descriptions, stay in {source}.",
    "金额按 1 {source} = {factor} {target}（{dates}）折算为 {target} 显示；方案文件及说明文字中的金额仍为 {source}。",
)


def converted(plan: Plan, currency: str, rates: Rates, language: Language) -> Plan:
    """The plan with every amount in `currency`, and a note that says at which rate.

    Raises:
        InputError: there is no rate for the currency.
    """
    target = currency.strip().upper()
    known = _rate(rates, target)
    if target == plan.currency:
        return plan
    with localcontext() as context:
        context.prec = EXACT_DIGITS
        factor = rates.factor(plan.currency, target)
        update: dict[str, Any] = {name: _times(getattr(plan, name), factor, name) for name in CONVERTED}
        update["inputs"] = _inputs(plan.inputs, target, factor)
    note = SHOWN_IN.say(
        language, target=target, source=plan.currency, factor=f"{factor:.6g}", dates=_dates(plan, known, rates)
    )
    return plan.model_copy(update={**update, "currency": target, "fx": _fx(plan, known), "notes": (*plan.notes, note)})


def display_rates(
    currency: str, as_of: date, workload_path: Path, overrides: Sequence[str], catalog_directory: Path | None
) -> Rates:
    """The rates that a plan of this file is made with; asked before planning, so that a slip costs no minutes.

    Raises:
        InputError: the file or the catalog is wrong, or there is no rate for the currency.
    """
    file = read_workload(workload_path, overrides)
    rates = load_catalog(catalog_directory).rates(as_of, dict(file.fx))
    _rate(rates, currency.strip().upper())
    return rates


def _rate(rates: Rates, target: str) -> Rate | None:
    """The target's rate; none is needed for USD."""
    if target == USD:
        return None
    if target not in rates.by_currency:
        known = ", ".join(sorted({USD, *rates.by_currency}))
        raise InputError(Problem("--currency", "", target, f"a currency with a rate: {known}"))
    return rates.by_currency[target]


def _times(value: Any, factor: Decimal, name: str) -> Any:
    """A record, list or amount with its amounts multiplied."""
    if isinstance(value, BaseModel):
        fields = {field: _times(getattr(value, field), factor, field) for field in type(value).model_fields}
        return value.model_copy(update=fields)
    if isinstance(value, tuple):
        return tuple(_times(item, factor, name) for item in value)
    if isinstance(value, Mapping):
        return {key: _times(item, factor, name) for key, item in value.items()}
    return value * factor if isinstance(value, Decimal) and name in AMOUNTS else value


def _inputs(inputs: Mapping[str, Any], target: str, factor: Decimal) -> dict[str, Any]:
    """The file's limits on money, which reports show beside the total."""
    limits = {
        name: str(Decimal(str(inputs[name])) * factor)
        for name in ("budget", "monthly_budget", "max_hourly")
        if inputs.get(name) is not None
    }
    return {**inputs, **limits, "currency": target}


def _fx(plan: Plan, known: Rate | None) -> tuple[FxUsed, ...]:
    """The plan's rates and the target's."""
    if known is None or any(used.currency == known.currency for used in plan.fx):
        return plan.fx
    used = FxUsed(currency=known.currency, units_per_usd=known.units_per_usd, day=known.day, source=known.source)
    return (*plan.fx, used)


def _dates(plan: Plan, known: Rate | None, rates: Rates) -> str:
    """The days of the rates that the factor is made of."""
    used = [known, rates.by_currency.get(plan.currency)]
    days = [f"{rate.currency} {rate.day.isoformat() if rate.day else '?'}" for rate in used if rate is not None]
    return ", ".join(days)
