"""SkyPilot catalog CSV (schema v8): `<cloud>/vms.csv`, USD per instance-hour, one row for each type and zone.

Source: skypilot-org/skypilot-catalog, catalogs/v8, read 2026-11-30. Columns are read by header. A blank `Price` is spot
only, a blank `SpotPrice` no spot. `SizeInMiB` of `GpuInfo` is unreliable, so the accelerator's name alone says the
memory. On Google Cloud a machine's price is two rows: the machine without GPUs, and the GPUs with a blank InstanceType;
local SSD is in neither, so those sums are marked as partial. Rows that give one price for 1 and for 8 GPUs are refused
(skypilot-catalog#44).
"""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from optimizer.domain.offer import Mark, Rejected, Term
from providers._kit.contract import Outcome, Unreadable
from providers._kit.importing import ImportContext, Importer, csv_rows, number
from providers._kit.machines import build_machine, positive
from providers._kit.prices import Draft, parse_amount

_REQUIRED = {"InstanceType", "AcceleratorName", "AcceleratorCount", "Price", "Region"}
#: Memory per GPU that an accelerator name stands for in SkyPilot (documentation of accelerator names).
_MEMORY_GIB = {"A100": 40, "A100-80GB": 80, "V100": 16, "V100-32GB": 32, "H100": 80, "H100-MEGA": 80, "H200": 141}
_PLAIN_NAMES = {"A100-80GB": "A100", "V100-32GB": "V100", "H100-MEGA": "H100", "H100-SXM": "H100"}
#: Google's series to accelerator name and, for the GPU count, the number after the last dash or vCPUs.
_GCP_SERIES = {
    "a2-highgpu": "A100",
    "a2-megagpu": "A100",
    "a2-ultragpu": "A100-80GB",
    "a3-highgpu": "H100",
    "a3-megagpu": "H100-MEGA",
    "a3-ultragpu": "H200",
    "a4-highgpu": "B200",
}
_G2_GPUS = {"4": 1, "8": 1, "12": 1, "16": 1, "24": 2, "32": 1, "48": 4, "96": 8}
_COUNT_FIRST = re.compile(r"^(\d+)x[_-](.+)$")

Row = dict[str, str]


def read(context: ImportContext, path: Path) -> Iterator[Outcome]:
    """Every row with GPUs; zones of a region are gathered into one offer."""
    rows = list(csv_rows(path, _REQUIRED))
    gpu_rows = {key: row for _, row in rows if not row["InstanceType"] for key in [_gpu_key(row)]}
    groups: dict[tuple[str, str], list[tuple[int, Row]]] = {}
    for line, row in rows:
        if row["InstanceType"] and (row["AcceleratorName"] or gpu_rows):
            groups.setdefault((row["Region"], row["InstanceType"]), []).append((line, row))
    doubtful = _equal_prices(groups)
    for (region, name), group in sorted(groups.items()):
        try:
            if (region, name) in doubtful:
                raise Unreadable("one price for different numbers of GPUs: per GPU or per machine is unclear")
            yield from _outcomes(context, region, name, [_whole(row, gpu_rows) for _, row in group])
        except Unreadable as error:
            place = f"{path.name}:{group[0][0]} {name} {region}"
            yield Rejected(
                provider=context.provider.name, row=place, reason=error.reason, quarantined=error.quarantined
            )


def _gpu_key(row: Row) -> tuple[str, str, int]:
    return (
        row.get("AvailabilityZone") or row["Region"],
        row["AcceleratorName"],
        int(number(row["AcceleratorCount"]) or 0),
    )


def _whole(row: Row, gpu_rows: dict[tuple[str, str, int], Row]) -> Row | None:
    """A machine's row with its GPUs' price added; `None` for a machine without GPUs."""
    if row["AcceleratorName"]:
        return row
    series, _, size = row["InstanceType"].rpartition("-")
    if series == "g2-standard":
        accelerator, count = "L4", _G2_GPUS.get(size, 0)
    else:
        accelerator, count = _GCP_SERIES.get(series, ""), int(size[:-1]) if size[:-1].isdigit() else 0
    if not accelerator:
        return None
    gpus = gpu_rows.get((row.get("AvailabilityZone") or row["Region"], accelerator, count))
    if gpus is None:
        raise Unreadable(f"no row prices its {count} {accelerator}: cores alone are no machine")
    sums = {column: _sum(row.get(column, ""), gpus.get(column, "")) for column in ("Price", "SpotPrice")}
    return {**row, **sums, "AcceleratorName": accelerator, "AcceleratorCount": str(count), "partial": "yes"}


def _sum(machine: str, gpus: str) -> str:
    """Both prices, or none: a machine at 0 (A4) is all in its GPUs' price."""
    return str(Decimal(machine) + Decimal(gpus)) if machine and gpus else ""


def _equal_prices(groups: dict[tuple[str, str], list[tuple[int, Row]]]) -> set[tuple[str, str]]:
    """Types that differ only in the number of GPUs before their name, and cost the same."""
    seen: dict[tuple[str, str, str], set[tuple[str, str]]] = {}
    for (region, name), group in groups.items():
        found = _COUNT_FIRST.match(name)
        price = group[0][1]["Price"]
        if found and price:
            seen.setdefault((region, found.group(2), price), set()).add((region, name))
    return {key for keys in seen.values() if len(keys) > 1 for key in keys}


def _outcomes(context: ImportContext, region: str, name: str, rows: Iterable[Row | None]) -> Iterator[Outcome]:
    zones = [row for row in rows if row is not None]
    if not zones:
        return
    first = zones[0]
    draft = Draft(context.provider, region, _machine(context, name, first), context.source)
    fields: dict[str, Any] = {}
    if first.get("partial"):
        fields = {"marks": (Mark.PARTIAL,), "note": "machine row plus GPU row; local SSD is in neither"}
    for term, column in ((Term.ON_DEMAND, "Price"), (Term.SPOT, "SpotPrice")):
        cheapest = _cheapest(draft, term, [row.get(column, "") for row in zones])
        draft.add(term, cheapest, "USD", **fields)
    yield from draft.outcomes()


def _cheapest(draft: Draft, term: Term, texts: list[str]) -> Decimal | None:
    amounts = []
    for text in filter(None, texts):
        try:
            amounts.append(parse_amount(text) or Decimal(0))
        except Unreadable as error:
            draft.reject(f"{term.value}: {error.reason}")
    return min(amounts, default=None)


def _machine(context: ImportContext, name: str, row: Row) -> Any:
    label = row["AcceleratorName"]
    count = number(row["AcceleratorCount"]) or 0
    fraction = count if 0 < count < 1 else None
    if fraction is None and (count < 1 or count != int(count)):
        raise Unreadable(f"AcceleratorCount: found {row['AcceleratorCount']!r}, expected a whole number or a share")
    memory = _MEMORY_GIB.get(label)
    return build_machine(
        context,
        context.provider.name,
        name,
        gpu_label=label,
        known_as=_PLAIN_NAMES.get(label, label),
        gpu_count=1 if fraction else int(count),
        gpu_fraction=fraction,
        memory_gib=memory * (fraction or 1) if memory else None,
        source=context.source,
        vcpus=positive(number(row.get("vCPUs"))),
        ram_gib=positive(number(row.get("MemoryGiB"))),
    )


IMPORTER = Importer(
    name="skypilot",
    title="SkyPilot catalog (vms.csv, v8)",
    read=read,
    currencies=frozenset({"USD"}),
    provider_of=lambda path: path.parent.name or None,
)
