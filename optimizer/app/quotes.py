"""Which quotes would confirm a plan, the file to fill in, and the letter that asks for them.

A price needs a quote when it is undated, older than 60 days, no offer but a market level, or when a fact that a rule
depends on is unknown. For work of half a year and more on a machine in China whose yearly price is not published, the
yearly price is asked for as well: list prices by the hour lie far above what a year costs there.
"""

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum

from optimizer.app.service_quotes import KINDS, ServiceNeeded, services_needed
from optimizer.catalog.freshness import MAX_AGE_DAYS, age_days
from optimizer.catalog.quote_lines import OPTIONAL, REQUIRED
from optimizer.domain.offer import Offer, PriceKind, PriceUnit, Term
from optimizer.domain.plan import Plan, Purchase, Unknown
from optimizer.domain.text import Language, Text
from optimizer.reports.numbers import Numbers

#: Work of this length makes an unpublished yearly price worth asking for.
LONG_WORK_DAYS = 180
_CHINA = "CN"
_ASKED = {"price", "price_unit", "currency", "tax_included", "valid_from", "valid_to", "note"}
#: What a line says of a machine that no catalog knows, as far as it is known: column to the machine's field.
_DESCRIBED = ("gpu_model", "gpu_count", "vcpus", "ram_gib", "local_nvme_gb", "network_gbit_per_s", "rdma")


class Reason(StrEnum):
    """Why a quote is needed."""

    UNDATED = "undated"
    OLD = "old"
    MARKET = "market"
    CONDITIONAL = "conditional"
    NOT_PUBLISHED = "not_published"


REASON_TEXTS: dict[Reason, Text] = {
    Reason.UNDATED: Text("its price carries no date", "价格没有日期"),
    Reason.OLD: Text("its price is {days} days old", "价格已过 {days} 天"),
    Reason.MARKET: Text("its price is a market level, no offer", "价格只是市场行情，不是报价"),
    Reason.CONDITIONAL: Text("{count} facts are unknown", "有 {count} 项事实未知"),
    Reason.NOT_PUBLISHED: Text("this price is not published", "该价格未公开"),
}


@dataclass(frozen=True, slots=True)
class QuoteNeeded:
    """One price to ask one seller for, with the facts to ask about the same machine.

    `listed` is the price that the plan used, `None` when it is not published, and `kind` what sort of statement it is;
    dates are when the machine is needed, `end` being the day after the last.
    """

    offer: Offer
    term: Term
    unit: PriceUnit
    currency: str
    listed: Decimal | None
    observed: date | None
    count: int
    start: date
    end: date
    reasons: tuple[Reason, ...]
    facts: tuple[Unknown, ...] = ()
    age_days: int | None = None
    kind: str = PriceKind.LIST.value

    @property
    def is_described(self) -> bool:
        """Whether the machine stands in the user's quotes alone, so that a line must describe it."""
        return all(price.kind is PriceKind.QUOTE for price in self.offer.prices)

    def why(self, language: Language) -> str:
        """The reasons in words."""
        values = {"days": self.age_days, "count": len(self.facts)}
        joint = "；" if language == "zh" else "; "
        return joint.join(REASON_TEXTS[reason].say(language, **values) for reason in self.reasons)


def quotes_needed(plan: Plan, as_of: date | None = None, max_age_days: int | None = None) -> list[QuoteNeeded]:
    """The quotes of machines that would confirm this plan, by seller, place, machine and term; empty when none is open.

    Prices of storage and traffic are asked for apart (`services_needed`).

    Args:
        plan: the plan.
        as_of: ages are counted to this day; default the plan's own.
        max_age_days: an older list price is asked for again; default the plan's own limit (60).
    """
    if max_age_days is None:
        max_age_days = plan.options.get("max_age_days", MAX_AGE_DAYS)
    today = as_of or plan.as_of
    offers = {offer.key: offer for offer in plan.offers}
    needed: dict[tuple[str, Term], QuoteNeeded] = {}
    for (key, term), lines in _rented(plan).items():
        offer = offers.get(key)
        if offer is None:
            continue
        quote = _of_lines(plan, offer, term, lines, today, max_age_days)
        if quote is not None:
            needed[key, term] = quote
        if _wants_yearly(offer, lines):
            needed.setdefault((key, Term.YEAR), _yearly(offer, lines))
    return [needed[place] for place in sorted(needed)]


def quotes_line(plan: Plan, language: Language) -> str:
    """One line for the first screen: how many quotes would confirm the plan; empty when none is open."""
    count = len(quotes_needed(plan)) + len(services_needed(plan))
    return _LINE.say(language, count=count) if count else ""


_LINE = Text(
    "Quotes that would confirm this plan: {count} (`optimize quotes template --plan FILE` writes the letter).",
    "补齐即可确认本方案的报价份数：{count}（`optimize quotes template --plan FILE` 可生成询价函）。",
)


def _rented(plan: Plan) -> dict[tuple[str, Term], list[Purchase]]:
    """Machine lines by offer and term, owned ones left out."""
    lines: dict[tuple[str, Term], list[Purchase]] = {}
    for line in plan.purchases:
        if line.kind == "machine" and line.instance_type and line.term and line.term is not Term.OWNED:
            key = f"{line.provider}/{line.region}/{line.instance_type}"
            lines.setdefault((key, line.term), []).append(line)
    return lines


def _of_lines(
    plan: Plan, offer: Offer, term: Term, lines: list[Purchase], today: date, max_age_days: int
) -> QuoteNeeded | None:
    first = lines[0]
    facts = tuple({unknown.what_en: unknown for unknown in plan.unknowns if unknown.offer == offer.key}.values())
    age = age_days(first.observed, today)
    reasons = tuple(_reasons(first, age, max_age_days, bool(facts)))
    if not reasons:
        return None
    return QuoteNeeded(
        offer=offer,
        term=term,
        unit=PriceUnit(first.unit) if first.unit in tuple(PriceUnit) else PriceUnit.HOUR,
        currency=first.price_currency,
        listed=first.unit_price,
        observed=first.observed,
        count=max(line.count for line in lines),
        start=min(line.start for line in lines),
        end=max(line.end for line in lines),
        reasons=reasons,
        facts=facts,
        age_days=age,
        kind=first.price_kind,
    )


def _reasons(line: Purchase, age: int | None, max_age_days: int, has_unknown_facts: bool) -> Iterator[Reason]:
    is_quote = line.price_kind == PriceKind.QUOTE
    if age is None and not is_quote:
        yield Reason.UNDATED
    if age is not None and age > max_age_days and not is_quote:
        yield Reason.OLD
    if line.price_kind == PriceKind.MARKET_QUOTE:
        yield Reason.MARKET
    if has_unknown_facts:
        yield Reason.CONDITIONAL


def _wants_yearly(offer: Offer, lines: list[Purchase]) -> bool:
    """Half a year of work on a machine in China that no yearly price is known of."""
    days = (max(line.end for line in lines) - min(line.start for line in lines)).days
    is_known = any(price.term in (Term.YEAR, Term.RESERVED_1Y) for price in offer.prices)
    return offer.country == _CHINA and days >= LONG_WORK_DAYS and not is_known


def _yearly(offer: Offer, lines: list[Purchase]) -> QuoteNeeded:
    return QuoteNeeded(
        offer=offer,
        term=Term.YEAR,
        unit=PriceUnit.YEAR,
        currency=lines[0].price_currency,
        listed=None,
        observed=None,
        count=max(line.count for line in lines),
        start=min(line.start for line in lines),
        end=max(line.end for line in lines),
        reasons=(Reason.NOT_PUBLISHED,),
    )


# --- the file -------------------------------------------------------------------------------------------------------


def template_csv(quotes: Iterable[QuoteNeeded], language: Language, services: Iterable[ServiceNeeded] = ()) -> str:
    """A quotes.csv with the price column empty: fill it in and name it under `quotes:` in the workload file."""
    rows = [_row(quote, language) for quote in quotes] + [service.row(language) for service in services]
    known = {*_ASKED, *(name for row in rows for name in row)}
    text = io.StringIO(newline="")
    columns = (*REQUIRED, *(name for name in OPTIONAL if name in known))
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _row(quote: QuoteNeeded, language: Language) -> dict[str, str]:
    """The line of one quote without its price; a machine that only quotes know is described once more."""
    row = {
        "provider": quote.offer.provider,
        "region": quote.offer.region,
        "instance_type": quote.offer.instance_type,
        "term": quote.term.value,
        "price_unit": quote.unit.value,
        "currency": quote.currency,
        "note": f"{_listed(quote, language)}{_SEMICOLON.say(language)}{quote.why(language)}",
    }
    return row | _description(quote.offer) if quote.is_described else row


def _description(offer: Offer) -> dict[str, str]:
    fields = {name: getattr(offer.machine, name) for name in _DESCRIBED} | {"country": offer.country}
    return {name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in fields.items() if value}


def _listed(quote: QuoteNeeded, language: Language) -> str:
    if quote.listed is None:
        return _NO_LIST.say(language)
    when = quote.observed.isoformat() if quote.observed else _NO_DATE.say(language)
    unit = Numbers(language, quote.currency).unit(quote.unit.value)
    said = _KNOWN.get(quote.kind, _LISTED)
    return said.say(language, amount=f"{quote.listed.normalize():f}", currency=quote.currency, unit=unit, when=when)


_LISTED = Text("listed at {amount} {currency} per {unit} ({when})", "目录价 {amount} {currency}/{unit}（{when}）")
_KNOWN: dict[str, Text] = {
    PriceKind.QUOTE.value: Text(
        "quoted at {amount} {currency} per {unit} ({when})", "已报价 {amount} {currency}/{unit}（{when}）"
    ),
    PriceKind.MARKET_QUOTE.value: Text(
        "market level {amount} {currency} per {unit} ({when})", "市场行情 {amount} {currency}/{unit}（{when}）"
    ),
}
_SEMICOLON = Text("; ", "；")
_NO_LIST = Text("no list price known", "无目录价")
_NO_DATE = Text("undated", "无日期")

# --- the letter -----------------------------------------------------------------------------------------------------

_TITLE = Text("# Request for quotation: {provider}", "# 询价函：{provider}")
_OPENING = Text(
    "We plan to rent the machines below and ask for your binding price for each. Please state currency, whether tax is "
    "included, what is paid when, and until when the price holds.",
    "我方计划租用下列机器，请逐项报出有约束力的价格，并注明币种、是否含税、付款时间以及报价有效期。",
)
_TABLE = Text(
    "| # | machine | GPUs | region | count | from | to (exclusive) | term | known price | your price |",
    "| # | 机型 | GPU | 地域 | 数量 | 起 | 止（不含） | 租期 | 已知价格 | 贵方报价 |",
)
_RULE = "|---|---|---|---|---|---|---|---|---|---|"
_FACTS = Text("Please confirm for {machine}:", "请就 {machine} 确认：")
_SERVICES = Text("Please quote what data costs in {region}: {what}", "请就 {region} 的数据费用报价：{what}")
_AND = Text(", ", "、")
_CLOSING = Text(
    "These answers become part of the contract specification. Prepared on {day} from a plan of {start}.",
    "上述答复将写入合同技术规格。本函于 {day} 依据 {start} 起始的方案编制。",
)
_TERMS: dict[Term, Text] = {
    Term.ON_DEMAND: Text("on demand", "按量"),
    Term.SPOT: Text("spot", "抢占式"),
    Term.DAY: Text("by the day", "包日"),
    Term.WEEK: Text("by the week", "包周"),
    Term.MONTH: Text("by the month", "包月"),
    Term.YEAR: Text("by the year", "包年"),
    Term.CAPACITY_BLOCK: Text("capacity block", "预订时段"),
}
_RESERVED = Text("reserved for {months} months", "预留 {months} 个月")


def letter(
    quotes: Iterable[QuoteNeeded], language: Language, day: date, plan: Plan, services: Iterable[ServiceNeeded] = ()
) -> str:
    """A request for quotation in Markdown, one section for each seller."""
    quotes, services = tuple(quotes), tuple(services)
    sellers = sorted({*(quote.offer.provider for quote in quotes), *(service.provider for service in services)})
    sections = []
    for name in sellers:
        machines = [quote for quote in quotes if quote.offer.provider == name]
        data = [service for service in services if service.provider == name]
        lines = [*_machine_lines(machines, language), *_service_lines(data, language)]
        closing = _CLOSING.say(language, day=day, start=plan.start)
        sections.append("\n".join([_TITLE.say(language, provider=name), *lines, "", closing]))
    return "\n\n---\n\n".join(sections) + "\n"


def _machine_lines(quotes: list[QuoteNeeded], language: Language) -> list[str]:
    if not quotes:
        return []
    lines = ["", _OPENING.say(language), "", _TABLE.say(language), _RULE]
    lines += [_table_row(number, quote, language) for number, quote in enumerate(quotes, start=1)]
    for quote in _once_each(quotes):
        machine = f"{quote.offer.instance_type} ({quote.offer.region})"
        if quote.facts:
            lines += ["", _FACTS.say(language, machine=machine), ""]
            lines += [f"- {fact.what_zh if language == 'zh' else fact.what_en}" for fact in quote.facts]
    return lines


def _service_lines(services: list[ServiceNeeded], language: Language) -> list[str]:
    lines = []
    for region in dict.fromkeys(service.region for service in services):
        kinds = (KINDS[service.kind].say(language) for service in services if service.region == region)
        lines += ["", _SERVICES.say(language, region=region, what=_AND.say(language).join(kinds))]
    return lines


def _once_each(quotes: list[QuoteNeeded]) -> Iterator[QuoteNeeded]:
    """The first quote of each machine: its facts are asked for once, whatever the terms."""
    seen: set[str] = set()
    for quote in quotes:
        if quote.offer.key not in seen:
            seen.add(quote.offer.key)
            yield quote


def _table_row(number: int, quote: QuoteNeeded, language: Language) -> str:
    machine = quote.offer.machine
    cells = (
        number,
        quote.offer.instance_type,
        f"{machine.gpu_count} x {machine.gpu_model}",
        quote.offer.region,
        quote.count,
        quote.start,
        quote.end,
        term_text(quote.term).say(language),
        _listed(quote, language),
        "",
    )
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def term_text(term: Term) -> Text:
    """A term in words, as in a contract."""
    if term in _TERMS:
        return _TERMS[term]
    return Text(_RESERVED.en.format(months=term.months), _RESERVED.zh.format(months=term.months))
