"""`optimize quotes`: Ask sellers for exactly what would confirm a plan."""

from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from optimizer.cli._common import emit, emit_json, output_options, warn, write_atomically
from optimizer.domain.text import Language, Text

if TYPE_CHECKING:
    from optimizer.app.quotes import QuoteNeeded
    from optimizer.app.service_quotes import ServiceNeeded

_NOTHING = Text(
    "Nothing is open: every price of the plan is dated, recent and unconditional.",
    "无需询价：方案中的价格均有日期、较新且无附加条件。",
)
_COUNT = Text("Quotes that would confirm this plan: {count}.", "补齐即可确认本方案的报价份数：{count}。")
_LETTER = Text("Letter written to {path}.", "询价函已写入 {path}。")


@click.group()
def command() -> None:
    """Ask sellers for exactly what would confirm a plan.

    \b
    Example:
      optimize quotes template --plan plan.json --out quotes.csv --letter rfq.md
    """


@command.command()
@click.option("--plan", "plan_path", type=click.Path(path_type=Path), required=True, help="Plan file.")
@click.option(
    "--letter", "letter_path", type=click.Path(path_type=Path), help="Also write a request for quotation (Markdown)."
)
@click.option("--as-of", type=click.DateTime(["%Y-%m-%d"]), help="Count ages to this day; default the plan's.")
@click.option(
    "--max-age",
    type=click.IntRange(min=0),
    help="Days after which a list price is asked for again; default the plan's own, else 60.",
)
@output_options
def template(
    plan_path: Path,
    letter_path: Path | None,
    as_of: datetime | None,
    max_age: int | None,
    as_json: bool,
    out: Path | None,
    lang: Language,
) -> int:
    """The file to fill in (CSV), and the letter to send.

    \b
    Examples:
      optimize quotes template --plan plan.json --out quotes.csv --letter rfq.md
      optimize quotes template --plan plan.json --max-age 30 --lang zh
    """
    from optimizer.app.quotes import letter, quotes_needed, template_csv
    from optimizer.app.service_quotes import services_needed
    from optimizer.app.verify import read_plan

    plan = read_plan(plan_path)
    day: date = as_of.date() if as_of else plan.as_of
    quotes, services = quotes_needed(plan, day, max_age), services_needed(plan)
    if as_json:
        asked = [_as_data(quote) for quote in quotes]
        emit_json({"quotes": asked, "services": [_service_as_data(service) for service in services]}, out)
    else:
        emit(template_csv(quotes, lang, services).rstrip("\n"), out)
    if letter_path is not None:
        write_atomically(letter_path, letter(quotes, lang, day, plan, services).encode())
        warn(_LETTER.say(lang, path=letter_path))
    count = len(quotes) + len(services)
    warn(_COUNT.say(lang, count=count) if count else _NOTHING.say(lang))
    return 0


def _as_data(quote: "QuoteNeeded") -> dict[str, Any]:
    return {
        "offer": quote.offer.key,
        "term": quote.term.value,
        "unit": quote.unit.value,
        "currency": quote.currency,
        "listed": None if quote.listed is None else f"{quote.listed:f}",
        "observed": quote.observed,
        "count": quote.count,
        "from": quote.start,
        "to": quote.end,
        "reasons": [reason.value for reason in quote.reasons],
        "facts": [{"rule": fact.rule, "what": fact.what_en, "what_zh": fact.what_zh} for fact in quote.facts],
    }


def _service_as_data(service: "ServiceNeeded") -> dict[str, Any]:
    return {
        "kind": service.kind,
        "provider": service.provider,
        "region": service.region,
        "currency": service.currency,
        "workloads": list(service.workloads),
        "listed": None if service.listed is None else f"{service.listed:f}",
    }
