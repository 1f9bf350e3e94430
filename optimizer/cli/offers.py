"""`optimize offers`: Search the catalog by GPU, place, term, hardware and price; table, JSON, CSV."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from optimizer.cli._common import emit, emit_json, emit_words, output_options, warn
from optimizer.domain.offer import Term
from optimizer.domain.text import Language, Text
from optimizer.errors import InputError, Problem

if TYPE_CHECKING:
    from optimizer.catalog import Catalog
    from optimizer.catalog.filters import OfferFilter
    from optimizer.catalog.listing import Listed, OfferRow
    from optimizer.domain.plan import Removal

_LIMIT = 30
_REMOVED = Text(
    "removed {filter}: {removed:,} of {all:,} prices", "排除（{filter}）：{all:,} 个价格中的 {removed:,} 个"
)
_BY_OPTION = Text("by {filter}", "{filter}")
#: Filters that are no options of their own.
_FILTERS = {
    "no-price": Text("without a known price", "没有已知价格"),
    "market-quotes": Text("as market quotes", "市场报价"),
    "plannable": Text("as never planned on", "不可用于方案"),
    "undated": Text("as undated", "无日期"),
}
_SHOWN = Text(
    "{shown:,} of {prices:,} prices of {machines:,} machines shown, cheapest GPU-hour first (--limit 0 shows all).",
    "显示 {machines:,} 种机器 {prices:,} 个价格中的 {shown:,} 个，按单卡小时价从低到高（--limit 0 显示全部）。",
)
_HIDDEN = Text(
    "Prices that may not be planned on and market quotes are left out; --all shows them.",
    "不可用于方案的价格和市场报价未列出；--all 可显示。",
)
_AGES = Text(
    "On {day} {old:,} of them are older than {days} days and {undated:,} undated; --exclude-old leaves these out.",
    "截至 {day}，其中 {old:,} 个超过 {days} 天，{undated:,} 个无日期；--exclude-old 可排除。",
)


@click.command()
@click.argument("gpus", nargs=-1, metavar="[GPU]...")
@click.option("--provider", "providers", multiple=True, help="Name or pattern; repeatable.")
@click.option("--region", "regions", multiple=True, help="Name or pattern of the provider's region; repeatable.")
@click.option("--country", "countries", multiple=True, help="ISO code or pattern; repeatable.")
@click.option("--term", "terms", multiple=True, type=click.Choice([t.value for t in Term]), help="Repeatable.")
@click.option("--memory-type", "memory_types", multiple=True, help="Such as HBM*; repeatable.")
@click.option("--min-bandwidth", type=click.FloatRange(0, min_open=True), help="GPU memory bandwidth, GB/s.")
@click.option("--nvlink", is_flag=True, help="NVLink-class link between the GPUs (no bridged pairs).")
@click.option("--rdma", is_flag=True, help="RDMA between machines.")
@click.option("--nvme", is_flag=True, help="A local NVMe disk.")
@click.option("--min-pcie-generation", type=click.IntRange(1), help="PCIe generation of the platform.")
@click.option("--max-price", help="Most for a machine-hour, in --currency.")
@click.option("--max-gpu-price", help="Most for a GPU-hour, in --currency.")
@click.option("--currency", default="USD", show_default=True, help="Currency of the prices shown, at the dated rate.")
@click.option("--max-age", type=click.IntRange(0), default=60, show_default=True, help="Days; older prices are marked.")
@click.option("--exclude-old", is_flag=True, help="Leave out prices older than --max-age, and undated ones.")
@click.option(
    "--as-of",
    type=click.DateTime(["%Y-%m-%d"]),
    envvar="OPTIMIZE_AS_OF",
    help="Prices, rates and ages as of this day (default: today).",
)
@click.option("--all", "show_all", is_flag=True, help="Also prices that are never planned on and market quotes.")
@click.option("--limit", type=click.IntRange(0), default=_LIMIT, show_default=True, help="Most prices; 0 is all.")
@click.option("--csv", "as_csv", is_flag=True, help="CSV on stdout.")
@click.option("--catalog", "directory", type=click.Path(path_type=Path), help="Use this catalog alone.")
@output_options
def command(as_json: bool, as_csv: bool, out: Path | None, lang: Language, limit: int, **given: Any) -> int:
    """Search the catalog. GPU is a name, memory or count: H100:8, A100:80GB, 24GB..80GB; several mean any of them.

    A machine is one instance type in one region; a line is one of its prices. Where a machine has no known price, it
    counts as one price until a filter on prices removes it (no-price).

    \b
    Examples:
      optimize offers H100:8 --country US --term on_demand
      optimize offers A100:80GB,H20 --country CN --currency CNY
      optimize offers 24GB..80GB --max-gpu-price 1.5 --nvlink --json
    """
    from optimizer.catalog import load_catalog
    from optimizer.catalog.filters import search_one_by_one
    from optimizer.catalog.listing import cheapest

    catalog = load_catalog(given["directory"])
    wanted = _filter(catalog, given)
    offers, removals = search_one_by_one(catalog, wanted)
    day, max_age = _day(given), given["max_age"]
    found = cheapest(offers, wanted.rates, wanted.currency, day, max_age_days=max_age, limit=limit)
    if as_json:
        emit_json(_record(found, removals, wanted.currency), out)
    elif as_csv:
        emit(_csv(found.rows), out)
        _tell(removals, lang)
    else:
        emit_words("\n".join(_report(found, removals, wanted.currency, given, lang)), out)
    return 0


def _day(given: dict[str, Any]) -> date:
    return given["as_of"].date() if given["as_of"] else date.today()  # noqa: DTZ011 - the user's own calendar day


def _check_names(catalog: "Catalog", given: dict[str, Any]) -> None:
    from optimizer.catalog.asked import country_problems, provider_problems, region_problems

    problems = [
        *provider_problems(catalog, given["providers"], "--provider"),
        *region_problems(catalog, given["regions"], "--region"),
        *country_problems(catalog, given["countries"], "--country"),
    ]
    if problems:
        raise InputError(problems)


def _filter(catalog: "Catalog", given: dict[str, Any]) -> "OfferFilter":
    from optimizer.catalog.filters import OfferFilter
    from optimizer.catalog.gpu_spec import known_specs, parse_gpu_specs

    _check_names(catalog, given)
    on = _day(given)
    rates = catalog.rates(on, {})
    currency = given["currency"].upper()
    if currency != "USD" and currency not in rates.by_currency:
        known = ", ".join(sorted({"USD", *rates.by_currency}))
        raise InputError(Problem("--currency", "", repr(given["currency"]), f"one of {known}"))
    specs = known_specs(parse_gpu_specs(",".join(given["gpus"])), catalog) if given["gpus"] else ()
    return OfferFilter(
        gpus=specs,
        providers=given["providers"],
        regions=given["regions"],
        countries=given["countries"],
        terms=tuple(Term(term) for term in given["terms"]),
        memory_types=given["memory_types"],
        min_bandwidth_gbyte_per_s=given["min_bandwidth"],
        nvlink=given["nvlink"],
        rdma=given["rdma"],
        nvme=given["nvme"],
        min_pcie_generation=given["min_pcie_generation"],
        max_price_per_hour=_amount("--max-price", given["max_price"]),
        max_price_per_gpu_hour=_amount("--max-gpu-price", given["max_gpu_price"]),
        currency=currency,
        rates=rates,
        plannable_only=not given["show_all"],
        no_market_quotes=not given["show_all"],
        max_age_days=given["max_age"] if given["exclude_old"] else None,
        as_of=on,
    )


def _amount(option: str, text: str | None) -> Decimal | None:
    if text is None:
        return None
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal(0)
    if not amount.is_finite() or amount <= 0:
        raise InputError(Problem(option, "", repr(text), "an amount above zero, such as 2.50"))
    return amount


def _record(found: "Listed", removals: "tuple[Removal, ...]", currency: str) -> dict[str, Any]:
    return {
        "currency": currency,
        "rows": found.prices,
        "machines": found.machines,
        "old": found.old,
        "undated": found.undated,
        "offers": [row.record() for row in found.rows],
        "removals": [dict(vars(removal)) for removal in removals],
    }


def _csv(rows: "list[OfferRow]") -> str:
    import csv
    import io

    from optimizer.catalog.listing import OfferRow

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(OfferRow.fields())
    for row in rows:
        writer.writerow("" if value is None else value for value in row.record().values())
    return text.getvalue().rstrip("\n")


def _tell(removals: "tuple[Removal, ...]", lang: Language) -> None:
    for line in _removed(removals, lang):
        warn(line)


def _removed(removals: "tuple[Removal, ...]", lang: Language) -> Iterator[str]:
    """What each filter that removed something has removed, of how many that it saw."""
    for removal in removals:
        name = _FILTERS.get(removal.filter, _BY_OPTION).say(lang, filter=removal.filter)
        if removal.removed:
            yield _REMOVED.say(lang, filter=name, removed=removal.removed, all=removal.removed + removal.left)


def _report(
    found: "Listed", removals: "tuple[Removal, ...]", currency: str, given: dict[str, Any], lang: Language
) -> Iterator[str]:
    from optimizer.catalog.listing import columns
    from optimizer.cli._tables import Column, render

    listed = columns(currency, lang)
    titles = [Column(column.title.say(lang), column.is_number, column.rank, column.least) for column in listed]
    yield from render(titles, [[column.cell(row) for column in listed] for row in found.rows], lang)
    yield ""
    yield _SHOWN.say(lang, shown=len(found.rows), prices=found.prices, machines=found.machines)
    if found.old or found.undated:
        yield _AGES.say(lang, day=_day(given), old=found.old, undated=found.undated, days=given["max_age"])
    yield from _removed(removals, lang)
    if not given["show_all"]:
        yield _HIDDEN.say(lang)
