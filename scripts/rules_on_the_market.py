"""Write docs/rules-on-the-market.md: what each hard rule makes of the offers in the catalog.

python scripts/rules_on_the_market.py [--check]
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from optimizer.catalog import Catalog, load_catalog
from optimizer.domain.finding import Severity
from optimizer.domain.offer import Offer
from optimizer.domain.workload import ProfileName, TaxSpec, Work, WorkloadFile
from optimizer.planning.candidates import Candidate
from optimizer.planning.case import PlanOptions
from optimizer.planning.pipeline import Planner
from optimizer.planning.storage import Money
from optimizer.planning.storing import StorageChooser
from optimizer.planning.supply import Supply
from optimizer.rules import RULES, Context, HotStorage, Policy, Rule
from optimizer.rules.examples import example_shape

PAGE = Path(__file__).parent.parent / "docs" / "rules-on-the-market.md"
#: The day on which the page reads prices and rates: that of the catalog's gathering.
AS_OF = date(2026, 11, 30)
PROFILES: tuple[ProfileName, ...] = ("strict", "floor", "off")
#: What a count on the raw price rows gave, without fractions and vGPU, all 26 files: RAM 2x, 1.5x, more than 1x.
RAW_ROWS, RAW_WITH_BOTH, RAW_PASSING = 4_425, 3_725, (2_825, 3_271, 3_573)
RAM_RATIOS = (("2×", "D1", 2.0), ("1.5×", "D0", 1.5), (">1×", "D4", 1.0))
#: Decided by the job, not by an offer: in the second table.
NOT_OF_OFFERS = ("vram-fit", "power-cooling", "storage-rate")

REFERENCE: dict[str, Any] = {
    "name": "reference",
    "model": {"preset": "llama-2-13b"},
    "method": "full",
    "tokens": 1e9,
    "dataset_gb": 100,
}
IMAGES: dict[str, Any] = {
    "gpu_hours": {"gpu": "A10", "hours": 100},
    "dataset_gb": 50,
    "files": 500_000,
    "mean_file_kb": 100,
}
#: Workloads of the documents' cases; two nodes and more where the case says so.
CASES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("1. 7B LoRA, sequence 1024", {"model": "llama-2-7b", "method": "lora", "sequence_length": 1024, "max_nodes": 1}),
    ("2. 7B QLoRA in fp16", {"model": "llama-2-7b", "method": "qlora", "precision": "fp16", "max_nodes": 1}),
    ("3. 13B LoRA", {"model": "llama-2-13b", "method": "lora", "max_nodes": 1}),
    ("5. 13B full, AdamW", {"model": "llama-2-13b", "method": "full", "max_nodes": 1}),
    (
        "6. 13B full, Adafactor, pure bf16",
        {
            "model": "llama-2-13b",
            "method": "full",
            "optimizer": "adafactor",
            "master_weights": False,
            "max_nodes": 1,
        },
    ),
    ("9. 70B full, two to four nodes", {"model": "llama-2-70b", "method": "full", "max_nodes": 4}),
    ("11. 180B LoRA, one or two nodes", {"model": "falcon-180b", "method": "lora", "max_nodes": 2}),
    ("14. images, 500,000 files", IMAGES),
)


@dataclass
class Count:
    """Offers that pass, fail or are unknown."""

    passing: int = 0
    failing: int = 0
    unknown: int = 0

    def __str__(self) -> str:
        return f"{self.passing} / {self.failing} / {self.unknown}" if self else "–"

    def __bool__(self) -> bool:
        return bool(self.passing + self.failing + self.unknown)

    def add(self, kind: str) -> None:
        """Count one verdict; what does not apply is not counted."""
        self.passing += kind == "pass"
        self.failing += kind == "fail"
        self.unknown += kind == "unknown"


def workload_file(**fields: Any) -> WorkloadFile:
    """A file of one workload."""
    if isinstance(fields.get("model"), str):
        fields = fields | {"model": {"preset": fields["model"]}, "tokens": 1e9, "dataset_gb": 100}
    return WorkloadFile.model_validate({"start": "2026-12-01", "workloads": [{"name": "case", **fields}]})


def whole_offers(catalog: Catalog) -> list[Offer]:
    """Offers of whole cards whose GPU has a data sheet."""
    offers = catalog.offers()
    return [offer for offer in offers if offer.machine.gpu_fraction is None and offer.machine.gpu_model in catalog.gpus]


def contexts(catalog: Catalog, offers: Iterable[Offer], nodes: int) -> Iterator[tuple[Offer, Context]]:
    """The reference workload on every offer, its hot data where planning would put it."""
    work = Work.model_validate(REFERENCE)
    chooser = StorageChooser(catalog, Money(catalog.rates(AS_OF, {}), "USD", TaxSpec()))
    for offer in offers:
        gpu, machine = catalog.gpus[offer.machine.gpu_model], offer.machine
        supply = Supply(offer.key, offer.provider, offer.region, machine, gpu, offer)
        plan = chooser.plan(work, supply, None, nodes, machine.gpu_count)
        storage = HotStorage("none")
        if plan.local:
            storage = HotStorage(
                "local_nvme", "local NVMe", machine.local_nvme_gbyte_per_s, None, machine.local_nvme_gb
            )
        elif plan.hot is not None:
            storage = HotStorage("volume", plan.hot.product, plan.hot.rate_gbyte_per_s, plan.hot.iops)
        yield offer, Context(work, machine, gpu, machine.gpu_count, nodes, example_shape("13B"), storage=storage)


def by_provider(catalog: Catalog, rules: Iterable[Rule]) -> dict[str, dict[str, Count]]:
    """Counts by provider and rule; rdma is asked of two nodes, everything else of one."""
    counts: dict[str, dict[str, Count]] = defaultdict(lambda: defaultdict(Count))
    rules, policy, offers = tuple(rules), Policy("strict"), whole_offers(catalog)
    for nodes in (1, 2):
        asked = [rule for rule in rules if (rule.id == "rdma") == (nodes == 2)]
        for offer, context in contexts(catalog, offers, nodes):
            for rule in asked:
                counts[offer.provider][rule.id].add(rule.check(context, policy.figures(rule)).kind.value)
    return counts


def rules_by_provider(catalog: Catalog) -> Iterator[str]:
    """The first table, turned so that it can be read: one block a rule group of columns."""
    hard = [rule for rule in RULES if rule.severity["strict"] is Severity.HARD and rule.id not in NOT_OF_OFFERS]
    counts = by_provider(catalog, hard)
    providers = sorted(counts)
    for start in range(0, len(hard), 5):
        rules = hard[start : start + 5]
        yield "| provider | " + " | ".join(f"`{rule.id}`" for rule in rules) + " |"
        yield "|---|" + "---|" * len(rules)
        for provider in providers:
            yield f"| {provider} | " + " | ".join(str(counts[provider][rule.id]) for rule in rules) + " |"
        totals = (_total(counts[provider][rule.id] for provider in providers) for rule in rules)
        yield "| **all** | " + " | ".join(f"**{total}**" for total in totals) + " |\n"


def _total(counts: Iterable[Count]) -> Count:
    total = Count()
    for count in counts:
        total.passing += count.passing
        total.failing += count.failing
        total.unknown += count.unknown
    return total


def ram_table(catalog: Catalog) -> Iterator[str]:
    """The three documents' figures of host memory, by offers and by price rows, beside the count on raw rows."""
    offers = whole_offers(catalog)
    rows: Callable[[Offer], int] = lambda offer: max(1, len(offer.prices))  # noqa: E731 - two weights, side by side
    weights: tuple[tuple[str, Callable[[Offer], int]], ...] = (("offers", lambda offer: 1), ("price rows", rows))
    yield "| counted | whole cards | both memories known | " + " | ".join(f"{r[0]} ({r[1]})" for r in RAM_RATIOS) + " |"
    yield "|---|---|---|---|---|---|"
    for name, weight in weights:
        known = [offer for offer in offers if offer.machine.ram_gib is not None]
        passing = (sum(map(weight, _reaching(catalog, known, ratio))) for _, _, ratio in RAM_RATIOS)
        cells = (sum(map(weight, offers)), sum(map(weight, known)), *passing)
        yield f"| {name} | " + " | ".join(f"{cell:,}" for cell in cells) + " |"
    raw = (RAW_ROWS, RAW_WITH_BOTH, *RAW_PASSING)
    yield "| raw rows of the 26 files | " + " | ".join(f"{cell:,}" for cell in raw) + " |\n"


def _reaching(catalog: Catalog, offers: Iterable[Offer], ratio: float) -> Iterator[Offer]:
    rule = next(rule for rule in RULES if rule.id == "ram-total")
    for offer, context in contexts(catalog, offers, 1):
        if rule.check(context, {"ratio": ratio}).kind.value == "pass":
            yield offer


def cases_table(planners: dict[str, Planner]) -> Iterator[str]:
    """Instance types that remain for the documents' cases in each profile; in brackets those without any unknown."""
    yield "| workload | fits (`off`) | `strict`, `documents` | `floor` |"
    yield "|---|---|---|---|"
    for name, planner in planners.items():
        left = {profile: _types(planner, Policy(profile)) for profile in PROFILES}
        cells = (f"{len(left[profile][0])} ({len(left[profile][1])})" for profile in ("off", "strict", "floor"))
        yield f"| {name} | " + " | ".join(cells) + " |"
    yield ""


def _types(planner: Planner, policy: Policy) -> tuple[set[str], set[str]]:
    """Instance types admitted, and those of them with a configuration without any hard unknown."""
    case = planner.case
    admitted = [candidate for candidate in _asked(planner) if not case.judge(candidate, policy).fails]
    certain = [candidate for candidate in admitted if not case.judge(candidate, policy).unknowns]
    return {_type(candidate) for candidate in admitted}, {_type(candidate) for candidate in certain}


def _asked(planner: Planner) -> Iterator[Candidate]:
    """The candidates of a case; from two nodes on where the case is a cluster's."""
    is_cluster = planner.case.work(0).max_nodes == 4
    return (candidate for candidate in planner.case.candidates[0] if candidate.nodes > 1 or not is_cluster)


def _type(candidate: Candidate) -> str:
    return f"{candidate.supply.provider}/{candidate.supply.machine.instance_type}"


def emptied(planners: dict[str, Planner]) -> Iterator[str]:
    """Countries where the work fits and that a profile leaves empty, with each rule that alone does so."""
    yield "| workload | countries where it fits | left empty by `strict` | left empty by `floor` | by one rule alone |"
    yield "|---|---|---|---|---|"
    for name, planner in planners.items():
        places: dict[str, list[Candidate]] = defaultdict(list)
        for candidate in _asked(planner):
            offer = candidate.supply.offer
            places[(offer.country if offer is not None else None) or "unknown"].append(candidate)
        empty = {profile: _empty(planner, places, Policy(profile)) for profile in ("strict", "floor")}
        alone = _emptied_by_one(planner, places)
        cells = (str(len(places)), *(", ".join(empty[profile]) or "none" for profile in ("strict", "floor")), alone)
        yield f"| {name} | " + " | ".join(cells) + " |"
    yield ""


def _empty(planner: Planner, places: dict[str, list[Candidate]], policy: Policy) -> list[str]:
    case = planner.case
    return sorted(place for place, found in places.items() if all(case.judge(one, policy).fails for one in found))


def _emptied_by_one(planner: Planner, places: dict[str, list[Candidate]]) -> str:
    """Rules that every candidate of a country fails, with the number of countries and their names when few."""
    policy, found = Policy("strict"), defaultdict(list)
    for place, candidates in sorted(places.items()):
        counts = Counter(rule for one in candidates for rule in planner.case.judge(one, policy).fails)
        for rule, count in counts.items():
            if count == len(candidates):
                found[rule].append(place)
    return "; ".join(f"`{rule}`: {', '.join(places)}" for rule, places in sorted(found.items())) or "none"


def page() -> str:
    """The whole page."""
    catalog = load_catalog()
    options = PlanOptions(as_of=AS_OF, market=False)
    planners = {name: Planner(workload_file(**fields), catalog, options) for name, fields in CASES}
    parts = (
        INTRODUCTION.format(date=AS_OF, offers=f"{len(whole_offers(catalog)):,}"),
        *rules_by_provider(catalog),
        RAM,
        *ram_table(catalog),
        CASES_TEXT,
        *cases_table(planners),
        MARKETS,
        *emptied(planners),
    )
    return "\n".join(parts)


INTRODUCTION = """\
# The rules on the market

Generated by `scripts/rules_on_the_market.py` from the embedded catalog, read as of {date}. It says how many real
offers each hard rule lets through, so that a rule's strength is seen before it is felt.

## Each hard rule and provider

{offers} offers of whole cards (a machine in a region, priced or not; fractions and vGPU are left out). Each cell is
*pass / fail / unknown* at the strict figure; a dash where the rule does not apply. The workload is full fine-tuning of
13B on all GPUs of one machine with 100 GB of data; `rdma` is asked of two machines. Whether the work fits
(`vram-fit`), whether storage keeps up (`storage-rate`) and site power (`power-cooling`, owned machines only) depend on
the job and are not counted here.
"""
RAM = """\
## Host memory against GPU memory

The same offers counted at the three documents' figures.
"""
CASES_TEXT = """\
The counts differ from those on raw rows for these reasons. Fewer rows in all: rows whose GPU has no data sheet, rows
that were rejected or quarantined, and history rows are no offers here (docs/catalog.md counts them file by file), and
fractions are recognised by memory too. Rows added: reserved rates that stand in a table of commitments, with instance
type and hourly price, are price rows here. More rows with both memories: host memory that one row of an instance type
states holds for its other rows, and GPU memory comes from the data sheet where the row leaves it out. More passes:
sizes are read as sold, within 4 %, and against the card's nominal memory.

## What remains for the documents' cases

Instance types (provider and name) on which the work fits and which no hard rule excludes; in brackets those without
any hard unknown. Only prices that may be planned on count. `documents` admits the same as `strict` before it falls back
to floors.
"""
MARKETS = """\
## Markets that a profile leaves empty

Countries where the work fits on some offer with a price, and where no offer is left under a profile; then each rule
that every offer of a country fails at its strict figure.
"""


def main(arguments: list[str]) -> int:
    """Write the page, or compare it."""
    text = page()
    if "--check" in arguments:
        is_current = PAGE.exists() and PAGE.read_text(encoding="utf-8") == text
        print(f"{PAGE.name} is up to date" if is_current else f"{PAGE.name} is stale: run this without --check")
        return 0 if is_current else 1
    PAGE.write_text(text, encoding="utf-8")
    print(f"wrote {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
