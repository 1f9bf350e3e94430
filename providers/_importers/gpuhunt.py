"""gpuhunt catalog CSV (v2 fields): one row for each instance type, place and spot flag, USD per instance-hour.

Source: dstackai/gpuhunt @3584151 (2026-08-19), storage module. The provider is the file's name. `gpu_memory` is per
GPU, except for DigitalOcean, where it is the node's total.
"""

from collections.abc import Iterator
from pathlib import Path

from optimizer.domain.offer import Rejected, Term
from providers._kit.contract import Outcome, Unreadable
from providers._kit.importing import ImportContext, Importer, csv_rows, number
from providers._kit.machines import STATED_AS_GB, build_machine, positive
from providers._kit.prices import Draft

_REQUIRED = {"instance_name", "location", "price", "gpu_count", "gpu_name", "gpu_memory", "spot"}
_TOTAL_MEMORY = {"digitalocean"}
_FLAGS = {"True": Term.SPOT, "False": Term.ON_DEMAND}


def read(context: ImportContext, path: Path) -> Iterator[Outcome]:
    """Every row with GPUs."""
    for line, row in csv_rows(path, _REQUIRED):
        if number(row["gpu_count"]) in (None, 0):
            continue
        try:
            yield from _outcomes(context, row)
        except Unreadable as error:
            name = f"{path.name}:{line} {row['instance_name']} {row['location']}"
            yield Rejected(provider=context.provider.name, row=name, reason=error.reason, quarantined=error.quarantined)


def _outcomes(context: ImportContext, row: dict[str, str]) -> Iterator[Outcome]:
    term = _FLAGS.get(row["spot"])
    if term is None:
        raise Unreadable(f"spot: found {row['spot']!r}, expected True or False")
    count, memory = number(row["gpu_count"]) or 0, number(row["gpu_memory"])
    if count != int(count):
        raise Unreadable(f"gpu_count: found {count:g}, expected a whole number", quarantined=True)
    if memory is not None and context.provider.name in _TOTAL_MEMORY:
        memory /= count
    machine = build_machine(
        context,
        context.provider.name,
        row["instance_name"],
        gpu_label=row["gpu_name"],
        gpu_count=int(count),
        memory_gib=memory or None,
        source=context.source,
        vcpus=positive(number(row.get("cpu"))),
        ram_gib=positive(number(row.get("memory"))),
        facts={"ram_gib": STATED_AS_GB},
    )
    draft = Draft(context.provider, row["location"], machine, context.source)
    draft.add(term, row["price"], "USD", note=row.get("flags") or "")
    yield from draft.outcomes()


IMPORTER = Importer(
    name="gpuhunt",
    title="gpuhunt catalog (CSV)",
    read=read,
    currencies=frozenset({"USD"}),
    provider_of=lambda path: path.stem,
)
