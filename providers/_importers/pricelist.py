"""A price list kept by hand, for sellers without an interface (CoreWeave, Crusoe): one row for each offer and term.

Columns: region, instance_type, gpu_model, gpu_count, term, price, price_unit, currency; as far as known vcpus, ram_gib,
local_nvme_gb, network_gbit_per_s, rdma, intra_link, tax_included, observed, source, note. Empty is unknown. A price is
for the whole machine.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from optimizer.domain.offer import PriceUnit, Rejected, Term
from providers._kit.contract import Outcome, Unreadable
from providers._kit.importing import ImportContext, Importer, csv_rows, number
from providers._kit.machines import build_machine
from providers._kit.prices import Draft

_REQUIRED = {"region", "instance_type", "gpu_model", "gpu_count", "term", "price", "price_unit", "currency"}
_NUMBERS = ("vcpus", "ram_gib", "local_nvme_gb", "network_gbit_per_s")
_FLAGS = {"yes": True, "no": False, "": None}


def read(context: ImportContext, path: Path) -> Iterator[Outcome]:
    """Every row."""
    for line, row in csv_rows(path, _REQUIRED):
        try:
            yield from _outcomes(context, row)
        except (Unreadable, ValueError) as error:
            name = f"{path.name}:{line} {row['instance_type']} {row['region']}"
            yield Rejected(provider=context.provider.name, row=name, reason=str(error))


def _outcomes(context: ImportContext, row: dict[str, str]) -> Iterator[Outcome]:
    seen = date.fromisoformat(row["observed"]) if row.get("observed") else context.today
    count = number(row["gpu_count"])
    if count is None or count != int(count):
        raise Unreadable(f"gpu_count: found {row['gpu_count']!r}, expected a whole number")
    source = row.get("source") or context.source
    facts: dict[str, Any] = {name: number(row.get(name)) for name in _NUMBERS}
    facts |= {name: row[name] for name in ("rdma", "intra_link") if row.get(name)}
    machine = build_machine(
        replace(context, today=seen),
        context.provider.name,
        row["instance_type"],
        gpu_label=row["gpu_model"],
        gpu_count=int(count),
        source=source,
        **facts,
    )
    draft = Draft(context.provider, row["region"], machine, source)
    if row.get("tax_included", "") not in _FLAGS:
        raise Unreadable(f"tax_included: found {row['tax_included']!r}, expected yes, no or empty")
    tax = _FLAGS[row.get("tax_included", "")]
    note, unit = row.get("note", ""), PriceUnit(row["price_unit"])
    draft.add(Term(row["term"]), row["price"], row["currency"], unit, tax_included=tax, note=note)
    yield from draft.outcomes()


IMPORTER = Importer(
    name="pricelist",
    title="price list kept by hand (CSV)",
    read=read,
    currencies=frozenset({"USD", "CNY", "EUR", "GBP", "JPY", "HKD", "SGD", "INR", "KRW", "CAD", "AUD", "CHF"}),
)
