"""`optimize catalog history`: All prices ever seen of an offer, or a plan at another day's prices."""

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from optimizer.cli._common import emit_json, emit_words, output_options
from optimizer.domain.term_words import TERMS
from optimizer.domain.text import Language, Text
from optimizer.errors import InputError, Problem

if TYPE_CHECKING:
    from optimizer.app.price_record import Repriced
    from optimizer.catalog.history import Observation

_BARS = "▁▂▃▄▅▆▇█"
#: Cells of a date.
_DAY_CELLS = 10
_UNDATED = Text("undated", "无日期")
_NOTHING = Text("No price of {offer} was ever seen.", "从未见过 {offer} 的价格。")
_NEAR = Text("Offers with such a name: {near}.", "名称相近的报价：{near}。")
_NO_PRICE = Text("no dated price", "无带日期的价格")
_SUMS = Text(
    "{known} of {all} machine lines have a price of {day}: {after} {currency} instead of {before}.",
    "{all} 行机器费用中有 {known} 行在 {day} 有价格：{after} {currency}，方案中为 {before}。",
)
_NONE = Text("None of {all} machine lines has a price of {day}.", "{all} 行机器费用在 {day} 均无价格。")
_LEFT_OUT = Text(
    "Not priced again: {left} {currency} of the plan (no dated price, storage, traffic, owned machines).",
    "方案中有 {left} {currency} 未重新计价（无带日期的价格、存储、流量、自有机器）。",
)


@click.command()
@click.argument("offer", required=False)
@click.option("--plan", "plan_path", type=click.Path(path_type=Path), help="A plan to price again, with --as-of.")
@click.option("--as-of", type=click.DateTime(["%Y-%m-%d"]), help="The day whose prices count.")
@output_options
def command(
    offer: str | None, plan_path: Path | None, as_of: datetime | None, as_json: bool, out: Path | None, lang: Language
) -> int:
    """All prices ever seen of an offer, or a plan at another day's prices.

    \b
    Examples:
      optimize catalog history lambda/global/gpu_8x_h100_sxm5
      optimize catalog history --plan plan.json --as-of 2026-09-01
    """
    if plan_path is not None:
        return _plan(plan_path, as_of.date() if as_of else None, as_json, out, lang)
    if offer is None:
        raise InputError(Problem("history", "", "neither an offer nor --plan", "provider/region/instance_type"))
    return _offer(offer, as_of.date() if as_of else None, as_json, out, lang)


def _offer(offer: str, day: date | None, as_json: bool, out: Path | None, lang: Language) -> int:
    from optimizer.catalog.record import observations, split_key

    split_key(offer)
    seen = [entry for entry in observations(offer=offer) if day is None or (entry.day is not None and entry.day <= day)]
    if as_json:
        emit_json({"offer": offer, "observations": [_data(entry) for entry in seen]}, out)
    else:
        emit_words("\n".join(_history_lines(offer, seen, lang)), out)
    return 0


def _history_lines(offer: str, seen: "Sequence[Observation]", lang: Language) -> list[str]:
    if not seen:
        near = _near(offer)
        return [_NOTHING.say(lang, offer=offer), *([_NEAR.say(lang, near=near)] if near else [])]
    lines = [offer]
    for term in dict.fromkeys(entry.term for entry in seen):
        of_term = [entry for entry in seen if entry.term is term]
        bars = sparkline([entry.amount for entry in of_term if entry.day])
        lines += ["", f"{TERMS[term].say(lang)}  {bars}".rstrip()]
        lines += [_observed(entry, lang) for entry in of_term]
    return lines


def _observed(entry: "Observation", lang: Language) -> str:
    """One observation on a line: day, price with its unit, marks in words, source."""
    from rich.cells import cell_len

    from optimizer.catalog.remarks import remarks
    from optimizer.reports.numbers import Numbers

    when = entry.day.isoformat() if entry.day else _UNDATED.say(lang)
    marks = ", ".join(text.say(lang) for text in remarks(entry.marks))
    unit = Numbers(lang, entry.currency).unit(entry.unit.value)
    price = f"{entry.amount.normalize():f} {entry.currency}/{unit}"
    gap = " " * (_DAY_CELLS - cell_len(when))
    return f"  {when}{gap}  {price}{f' [{marks}]' if marks else ''}  {entry.source}"


def _near(offer: str) -> str:
    """Offers of the catalog whose names resemble one; empty when none does."""
    from optimizer.catalog import load_catalog
    from optimizer.catalog.asked import nearest

    return ", ".join(nearest(offer, (known.key for known in load_catalog().offers())))


def sparkline(amounts: Sequence[Decimal]) -> str:
    """One bar for each amount, the lowest at the bottom; nothing for fewer than two."""
    if len(amounts) < 2:
        return ""
    low, span = min(amounts), max(amounts) - min(amounts)
    steps = len(_BARS) - 1
    return "".join(_BARS[int((amount - low) * steps / span) if span else 0] for amount in amounts)


def _data(entry: "Observation") -> dict[str, Any]:
    return {
        "term": entry.term.value,
        "observed": entry.day,
        "amount": f"{entry.amount:f}",
        "unit": entry.unit.value,
        "currency": entry.currency,
        "marks": list(entry.marks),
        "source": entry.source,
    }


def _plan(path: Path, day: date | None, as_json: bool, out: Path | None, lang: Language) -> int:
    from optimizer.app.price_record import reprice
    from optimizer.app.verify import read_plan

    if day is None:
        raise InputError(Problem("--as-of", "", "nothing", "the day whose prices count (YYYY-MM-DD)"))
    repriced = reprice(read_plan(path), day)
    if as_json:
        emit_json(_repriced_data(repriced), out)
    else:
        emit_words("\n".join(_repriced_lines(repriced, lang)), out)
    return 0


def _repriced_lines(repriced: "Repriced", lang: Language) -> list[str]:
    lines = []
    for entry in repriced.lines:
        line, seen = entry.line, entry.seen
        after = f"{seen.amount.normalize():f} ({seen.day})" if seen else _NO_PRICE.say(lang)
        offer = f"{line.provider}/{line.region}/{line.instance_type}"
        term = TERMS[line.term].say(lang) if line.term else ""
        lines.append(f"{line.start}  {offer} {term}  {line.unit_price.normalize():f} → {after} {line.price_currency}")
    known = [entry for entry in repriced.lines if entry.cost is not None]
    sums = (_SUMS if known else _NONE).say(
        lang,
        known=len(known),
        all=len(repriced.lines),
        day=repriced.day,
        currency=repriced.currency,
        before=f"{repriced.known_before:,.2f}",
        after=f"{repriced.known_after:,.2f}",
    )
    left = f"{repriced.left_out:,.2f}"
    rest = [_LEFT_OUT.say(lang, left=left, currency=repriced.currency)] if repriced.left_out else []
    return [*lines, "", sums, *rest]


def _repriced_data(repriced: "Repriced") -> dict[str, Any]:
    lines = [
        {
            "offer": f"{entry.line.provider}/{entry.line.region}/{entry.line.instance_type}",
            "term": entry.line.term.value if entry.line.term else None,
            "start": entry.line.start,
            "unit_price": f"{entry.line.unit_price:f}",
            "unit_price_as_of": f"{entry.seen.amount:f}" if entry.seen else None,
            "observed": entry.seen.day if entry.seen else None,
            "cost": f"{entry.line.cost:f}",
            "cost_as_of": None if entry.cost is None else f"{entry.cost:.6f}",
        }
        for entry in repriced.lines
    ]
    sums = {
        "before": f"{repriced.known_before:f}",
        "after": f"{repriced.known_after:.6f}",
        "left_out": f"{repriced.left_out:f}",
    }
    return {"as_of": repriced.day, "currency": repriced.currency, "lines": lines, "known": sums}
