"""ec2instances.info `instances.json`: AWS hardware and Linux prices, amortized reserved prices included.

Source: vantage-sh/ec2instances.info @4ef36cd (2026-07-20). `GPU_memory` is the machine's total. Reserved prices are the
effective hourly ones (upfront / 8,760 h a year + hourly): the split of the cash is lost.
"""

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from optimizer.domain.offer import Machine, Rejected, Term
from optimizer.errors import InputError, Problem
from providers._kit.contract import Outcome, Unreadable
from providers._kit.importing import ImportContext, Importer, number, whole_text
from providers._kit.machines import build_machine, positive
from providers._kit.prices import Draft, parse_amount

_COMMITMENTS = {
    Term.RESERVED_1Y: "yrTerm1Standard.",
    Term.RESERVED_3Y: "yrTerm3Standard.",
    Term.SAVINGS_PLAN_1Y: "yrTerm1Savings.",
    Term.SAVINGS_PLAN_3Y: "yrTerm3Savings.",
}
_PAYMENTS = {"noUpfront": Decimal(0), "partialUpfront": Decimal("0.5"), "allUpfront": Decimal(1)}
_ABSENT = (None, "", "N/A")


def read(context: ImportContext, path: Path) -> Iterator[Outcome]:
    """Every instance type with GPUs in every region with a Linux price."""
    try:
        rows = json.loads(whole_text(path), parse_float=Decimal)
    except ValueError as error:
        raise InputError(Problem(str(path), "", str(error), "JSON")) from error
    if not isinstance(rows, list):
        raise InputError(Problem(str(path), "", type(rows).__name__, "a list of instance types"))
    for row in rows:
        name = str(row.get("instance_type") if isinstance(row, dict) else row)
        try:
            if isinstance(row, dict) and number(row.get("GPU")):
                yield from _outcomes(context, row)
        except Unreadable as error:
            place = f"{path.name} {name}"
            yield Rejected(
                provider=context.provider.name, row=place, reason=error.reason, quarantined=error.quarantined
            )


def _outcomes(context: ImportContext, row: dict[str, Any]) -> Iterator[Outcome]:
    machine = _machine(context, row)
    for region, systems in sorted((row.get("pricing") or {}).items()):
        linux = systems.get("linux") if isinstance(systems, dict) else None
        if not isinstance(linux, dict):
            continue
        draft = Draft(context.provider, region, machine, context.source)
        _add(draft, Term.ON_DEMAND, linux.get("ondemand"))
        _add(draft, Term.SPOT, linux.get("spot_avg"), note="average of the zones")
        for term, prefix in _COMMITMENTS.items():
            _add_commitment(draft, term, prefix, linux.get("reserved") or {})
        yield from draft.outcomes()


def _add(draft: Draft, term: Term, raw: Any, **fields: Any) -> None:
    if raw not in _ABSENT:
        draft.add(term, raw, "USD", **fields)


def _add_commitment(draft: Draft, term: Term, prefix: str, reserved: dict[str, Any]) -> None:
    """The payment option with the lowest effective price."""
    options = []
    for payment, share in _PAYMENTS.items():
        raw = reserved.get(prefix + payment)
        if raw in _ABSENT:
            continue
        try:
            options.append((parse_amount(raw), share, payment))
        except Unreadable as error:
            draft.reject(f"{term.value} {payment}: {error.reason}")
    if options:
        amount, share, payment = min(options, key=lambda option: option[0] or Decimal(0))
        note = f"{payment}: effective hourly price, cash split approximate"
        draft.add(term, amount, "USD", upfront_share=share, note=note)


def _machine(context: ImportContext, row: dict[str, Any]) -> Machine:
    count, total = number(row["GPU"]) or 0, number(row.get("GPU_memory")) or 0
    fraction = count if count < 1 else None
    if fraction is None and count != int(count):
        raise Unreadable(f"GPU: found {count:g}, expected a whole number or a share of one")
    if not row.get("GPU_model") or not total:
        raise Unreadable("GPU_model or GPU_memory is empty: 0 means unknown", quarantined=True)
    storage = row.get("storage") or {}
    disks_gb = (number(storage.get("devices")) or 0) * (number(storage.get("size")) or 0)
    has_nvme = bool(storage.get("nvme_ssd")) and storage.get("size_unit") == "GB"
    return build_machine(
        context,
        context.provider.name,
        row["instance_type"],
        gpu_label=str(row["GPU_model"]),
        gpu_count=1 if fraction else int(count),
        gpu_fraction=fraction,
        memory_gib=total if fraction else total / count,
        source=context.source,
        vcpus=positive(number(row.get("vCPU"))),
        ram_gib=positive(number(row.get("memory"))),
        cpu=row.get("physical_processor"),
        network_gbit_per_s=positive(number(row.get("baseline_bandwidth_gbps"))),
        local_nvme_gb=disks_gb if has_nvme else None,
    )


IMPORTER = Importer(
    name="ec2instances",
    title="ec2instances.info (instances.json)",
    read=read,
    currencies=frozenset({"USD"}),
    provider_of=lambda path: "aws",
)
