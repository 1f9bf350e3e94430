"""`optimize offers`: Search the catalog by GPU, place, term, hardware and price; table, JSON, CSV."""

from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from optimizer.cli._common import emit, emit_json, output_options, warn
from optimizer.domain.offer import Term
from optimizer.domain.text import Language, Text
from optimizer.errors import InputError, Problem

if TYPE_CHECKING:
    from optimizer.catalog import Catalog
    from optimizer.catalog.filters import OfferFilter
    from optimizer.catalog.listing import OfferRow
    from optimizer.domain.plan import Removal

_LIMIT = 30
_REMOVED = Text("removed by {filter}: {removed} rows, {left} left", "被 {filter} 排除：{removed} 行，剩余 {left} 行")
_SHOWN = Text(
    "{shown} of {rows} rows shown, cheapest GPU-hour first (--limit 0 shows all).",
    "显示 {rows} 行中的 {shown} 行，按单卡小时价从低到高（--limit 0 显示全部）。",
)
_HIDDEN = Text(
    "Rows that may not be planned on and market quotes are left out; --all shows them.",
    "不可用于方案的行和市场报价未列出；--all 可显示。",
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
@click.option("--as-of", "as_of", type=click.DateTime(["%Y-%m-%d"]), help="Rates of this day (default: today).")
@click.option("--all", "show_all", is_flag=True, help="Also rows that are never planned on and market quotes.")
@click.option("--limit", type=click.IntRange(0), default=_LIMIT, show_default=True, help="Most rows; 0 is all.")
@click.option("--csv", "as_csv", is_flag=True, help="CSV on stdout.")
@click.option("--catalog", "directory", type=click.Path(path_type=Path), help="Use this catalog alone.")
@output_options
def command(as_json: bool, as_csv: bool, out: Path | None, lang: Language, limit: int, **given: Any) -> int:
    """Search the catalog. GPU is a name, memory or count: H100:8, A100:80GB, 24GB..80GB; several mean any of them.

    \b
    Examples:
      optimize offers H100:8 --country US --term on_demand
      optimize offers A100:80GB,H20 --country CN --currency CNY
      optimize offers 24GB..80GB --max-gpu-price 1.5 --nvlink --json
    """
    from optimizer.catalog import load_catalog
    from optimizer.catalog.filters import search
    from optimizer.catalog.listing import rows_of

    catalog = load_catalog(given["directory"])
    wanted = _filter(catalog, given)
    offers, removals = search(catalog, wanted)
    rows = rows_of(offers, wanted.rates, wanted.currency)
    shown = rows[:limit] if limit else rows
    if as_json:
        emit_json(_record(shown, len(rows), removals, wanted.currency), out)
    elif as_csv:
        emit(_csv(shown), out)
        _tell(removals, lang)
    else:
        emit(_report(shown, len(rows), removals, wanted.currency, given["show_all"], lang), out)
    return 0


def _filter(catalog: "Catalog", given: dict[str, Any]) -> "OfferFilter":
    from optimizer.catalog.filters import OfferFilter
    from optimizer.catalog.gpu_spec import known_specs, parse_gpu_specs

    on = given["as_of"].date() if given["as_of"] else date.today()  # noqa: DTZ011 - the user's own calendar day
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


def _record(rows: "list[OfferRow]", total: int, removals: "tuple[Removal, ...]", currency: str) -> dict[str, Any]:
    return {
        "currency": currency,
        "rows": total,
        "offers": [row.record() for row in rows],
        "removals": [removal.model_dump() for removal in removals],
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
    for removal in removals:
        warn(_REMOVED.say(lang, **removal.model_dump()))


def _report(
    rows: "list[OfferRow]",
    total: int,
    removals: "tuple[Removal, ...]",
    currency: str,
    show_all: bool,
    lang: Language,
) -> str:
    from optimizer.catalog.listing import columns
    from optimizer.cli._tables import Column, render

    shown = columns(currency)
    titles = [Column(column.title.say(lang), column.is_number, column.rank) for column in shown]
    lines = render(titles, [[column.cell(row) for column in shown] for row in rows], lang)
    lines += ["", _SHOWN.say(lang, shown=len(rows), rows=total)]
    lines += [_REMOVED.say(lang, **removal.model_dump()) for removal in removals]
    return "\n".join(lines if show_all else [*lines, _HIDDEN.say(lang)])
