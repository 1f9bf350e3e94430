"""From raw rows to offers: each row is imported, quarantined or rejected, and nothing is lost on the way."""

from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from catalog_import.gpus import GpuResolver
from catalog_import.machines import MachineBuilder
from catalog_import.prices import Decisions, Notes, amount_of, build_price
from catalog_import.raw import RawRow, first_day, offer_rows, records
from optimizer.domain.offer import Machine, Mark, Offer, Price, PriceKind, PriceUnit, Term

COUNT_COLUMNS = (
    "file",
    "read",
    "imported",
    "imported_without_price",
    "quarantined",
    "rejected",
    "source",
    "observed",
)
REJECTED_COLUMNS = (
    "provider",
    "file",
    "line",
    "region",
    "instance_type",
    "gpu_label",
    "term",
    "status",
    "reason",
    "source",
    "observed",
)


@dataclass
class Imported:
    """What became of all rows."""

    machines: dict[tuple[str, str, str], Machine] = field(default_factory=dict)
    prices: dict[tuple[str, str, str], list[Price]] = field(default_factory=dict)
    rejected: list[dict[str, str]] = field(default_factory=list)
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    observed: dict[str, str] = field(default_factory=dict)

    def count(self, row: RawRow, what: str) -> None:
        """Count one row of a file."""
        self.counts.setdefault(row.file, Counter())[what] += 1

    def refuse(self, row: RawRow, status: str, reason: str) -> None:
        """Keep a row that did not become an offer, with the reason."""
        self.count(row, status)
        self.rejected.append(
            {
                "provider": row.provider,
                "file": row.file,
                "line": str(row.line),
                "region": row.region,
                "instance_type": row.instance_type,
                "gpu_label": row["gpu_model"],
                "term": row["term"],
                "status": status,
                "reason": reason,
                "source": row["source"],
                "observed": row["observed"],
            }
        )

    def offers(self) -> list[Offer]:
        """All offers; older prices of a key are marked superseded, contradicting ones a conflict."""
        return [
            Offer(provider=key[0], region=key[1], machine=machine, prices=tuple(_one_a_key(self.prices.get(key, []))))
            for key, machine in sorted(self.machines.items())
        ]


def import_offers(raw: Path, resolver: GpuResolver) -> Imported:
    """Read the 26 offer files of the raw folder."""
    rows = offer_rows(raw)
    result = Imported()
    builder, decisions, notes = MachineBuilder(raw), Decisions(), Notes()
    counts = _known_counts(rows)
    hardware = _known_hardware(rows)
    for row in rows:
        result.count(row, "read")
        decision = decisions.of(row)
        if decision.status:
            result.refuse(row, decision.status, "; ".join(decision.reasons))
            continue
        row.cells.update(hardware.get((row.provider, row.instance_type), {}))
        gpu, how = resolver.resolve(row, _memory_hint(row))
        count = counts.get((row.provider, row.instance_type))
        problem = _problem(row, how if gpu is None else "", count)
        if gpu is None or count is None or problem:
            result.refuse(row, "quarantined", "; ".join([problem, *decision.reasons]))
            continue
        machine = builder.build(row, gpu, count, how)
        price = build_price(row, machine, decision, notes.of(row, decision))
        _add(result, row, machine, price)
    mark_replaced(result)
    return result


def _add(result: Imported, row: RawRow, machine: Machine, price: Price | None) -> None:
    result.machines[row.key] = _merged(result.machines.get(row.key), machine)
    result.count(row, "imported")
    if price is None:
        result.count(row, "imported_without_price")
    else:
        result.prices.setdefault(row.key, []).append(price)


def _memory_hint(row: RawRow) -> float | None:
    return float(row["gpu_memory_gib_each"]) if row["gpu_memory_gib_each"] else None


def _problem(row: RawRow, gpu_problem: str, count: float | None) -> str:
    """All missing facts that keep a row out of the catalog, in one sentence."""
    problems = [gpu_problem] if gpu_problem else []
    if count is None:
        problems.append("GPU count not stated" + (" (F13)" if "RTXPRO6000" in row.instance_type else ""))
    if amount_of(row) is not None and not row["currency"]:
        problems.append("currency not stated (F24)")
    return "; ".join(problems)


def _known_counts(rows: list[RawRow]) -> dict[tuple[str, str], float]:
    """GPU count by type: a count that any file states holds for the rows of the others (F13)."""
    return {(row.provider, row.instance_type): float(row["gpu_count"]) for row in rows if row["gpu_count"]}


def _known_hardware(rows: list[RawRow]) -> dict[tuple[str, str], dict[str, str]]:
    """Hardware of the documented Azure sizes that only the commitments file describes (F13)."""
    names = ("gpu_memory_gib_each", "ram_gib", "local_nvme_gb")
    return {
        (row.provider, row.instance_type): {name: row[name] for name in names}
        for row in rows
        if row.file == "west_commitments.csv" and "RTXPRO6000" in row.instance_type and row["gpu_count"]
    }


def _merged(known: Machine | None, new: Machine) -> Machine:
    """One machine from two rows: stated facts fill gaps, the row with more facts leads."""
    if known is None or known == new:
        return new
    first, second = sorted((known, new), key=_stated, reverse=True)
    gaps = {
        name: value for name, value in second.__dict__.items() if getattr(first, name) is None and value is not None
    }
    return first.model_copy(update=gaps)


def _stated(machine: Machine) -> int:
    return sum(value is not None for value in machine.__dict__.values())


def unify(offers: list[Offer]) -> list[Offer]:
    """The same hardware in all regions of a type, unless two regions state different figures."""
    by_type: dict[tuple[str, str], list[Machine]] = {}
    for offer in offers:
        by_type.setdefault((offer.provider, offer.instance_type), []).append(offer.machine)
    unified: dict[tuple[str, str], Machine | None] = {}
    for key, machines in by_type.items():
        best = max(machines, key=lambda machine: (_stated(machine), str(machine.observed or "")))
        is_same = all(_agrees(best, machine) for machine in machines)
        unified[key] = best if is_same else None
    return [
        offer.model_copy(update={"machine": unified[offer.provider, offer.instance_type] or offer.machine})
        for offer in offers
    ]


def _agrees(best: Machine, other: Machine) -> bool:
    skipped = {"facts", "observed", "source", "note"}
    return all(
        value is None or value == getattr(best, name) for name, value in other.__dict__.items() if name not in skipped
    )


def _one_a_key(prices: list[Price]) -> list[Price]:
    """One plannable price a key: the newest stands, older ones are superseded, equal dates that differ conflict."""
    groups: dict[tuple[Term, PriceKind], list[Price]] = {}
    for price in prices:
        groups.setdefault((price.term, price.kind), []).append(price)
    kept: list[Price] = []
    for group in groups.values():
        newest = max(str(price.observed or "") for price in group)
        current = [price for price in group if str(price.observed or "") == newest]
        mark = Mark.CONFLICT if len({price.amount for price in current}) > 1 else None
        for price in group:
            added = mark if price in current else Mark.SUPERSEDED
            kept.append(_marked(price, added) if added else price)
    return sorted(kept, key=lambda price: (price.term.value, price.kind.value, str(price.observed or "")))


def _marked(price: Price, mark: Mark) -> Price:
    return price.model_copy(update={"marks": tuple(dict.fromkeys((*price.marks, mark)))})


def mark_replaced(result: Imported) -> None:
    """A Tencent type with a price of 2026 beside the undated mainland table: the dated one stands (rules.md, H)."""
    for (provider, region, instance_type), prices in result.prices.items():
        if provider != "tencent" or region != "unspecified-2026":
            continue
        terms = {price.term for price in prices}
        for other in ("mainland", "mainland-low", "mainland-high"):
            old = result.prices.get((provider, other, instance_type), [])
            old[:] = [_marked(price, Mark.SUPERSEDED) if price.term in terms else price for price in old]


def add_commitments(raw: Path, result: Imported) -> list[dict[str, str]]:
    """Reserved hourly prices of commitments.csv join the offers; the rows for facts/commitments.csv.

    Only rows with an instance type and an hourly price become prices; percentages, ceilings and estimates never do.
    """
    by_type = {(key[0], key[2]): machine for key, machine in result.machines.items()}
    rows = []
    for row in records(raw / "commitments.csv"):
        machine = by_type.get((row["provider"], row["scope"]))
        use = _commitment_use(row, machine)
        if use == "price" and machine is not None:
            key = (row["provider"], row["region"], row["scope"])
            result.machines.setdefault(key, machine)
            result.prices.setdefault(key, []).append(_commitment_price(row))
        rows.append({**_commitment_fact(row), "use": use})
    return rows


def _commitment_use(row: dict[str, str], machine: Machine | None) -> str:
    if row["confirmed"] in ("not found", "absent in source"):
        return "no figure: stated as not sold or not found"
    if row["unit"] != "per hour":
        return f"not a price: {row['unit'] or 'no figure'}"
    if machine is None:
        return "quarantined: the machine's GPU count is not known"
    return "price"


def _commitment_fact(row: dict[str, str]) -> dict[str, str]:
    return {
        "provider": row["provider"],
        "scope": row["scope"],
        "region": row["region"].removesuffix(" in offers/gcp.csv"),
        "term": row["term"],
        "value": row["discount_percent_or_price"],
        "unit": row["unit"],
        "basis": row["basis"],
        "on_demand_reference": row["on_demand_ref"],
        "currency": row["currency"],
        "confirmed": row["confirmed"],
        "source": row["source"] or "searched, not found",
        "observed": row["observed"],
    }


def _commitment_price(row: dict[str, str]) -> Price:
    term = Term.SAVINGS_PLAN_1Y if row["basis"] == "savings plan" else Term.RESERVED_1Y
    return Price(
        term=term if row["term"] == "1y" else Term(term.value.replace("1y", "3y")),
        amount=Decimal(row["discount_percent_or_price"]),
        unit=PriceUnit.HOUR,
        currency=row["currency"],
        upfront_share=Decimal(0),
        observed=first_day(row["observed"]),
        source=row["source"],
        note="standard reserved instance without upfront",
    )
