"""Is everything that must be stored paid for, where the work runs and on the days it runs?

Hot data lies on the machine's own NVMe where that is large enough, else on a volume from the first to the last day;
cold data to the horizon's end; egress on the last day. A data set shared by name counts once per place and day. The
user's own machines pay nothing (docs/adr/0004-accounting.md). What a line is for stands first in its note: `hot:`,
`cold:` or `shared data set NAME:`.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from optimizer.domain.plan import Assignment, Purchase
from optimizer.domain.text import Text
from optimizer.domain.units import DAYS_PER_YEAR, MONTHS_PER_YEAR
from optimizer.domain.workload import Work
from optimizer.verify import texts
from optimizer.verify.check import Checks, filled
from optimizer.verify.context import OWNED, Context, pool_of
from optimizer.verify.sizing import checkpoint_gb

#: What is stored, for whom and where: (use, workload or data set, provider, region).
Place = tuple[str, str, str, str]
#: The name of each use in the plan's list of lines without a price.
MISSING = {"hot": "storage", "shared": "storage", "cold": "cold storage", "egress": "egress"}
#: Sizes are floats that the planner multiplied in another order.
SIZE_TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class Need:
    """GB that must lie at a place on [start, end)."""

    place: Place
    size_gb: float
    start: int
    end: int
    pool: str
    work: str

    @property
    def missing(self) -> str:
        """How the plan lists it when no price is known."""
        return f"{self.work}: {MISSING[self.place[0]]} on {self.pool}"


def check_storage(context: Context, checks: Checks) -> None:
    """Every needed GB has its line on every day, and no line stands where nothing is needed."""
    needs = list(_needs(context))
    lines: dict[Place, list[Purchase]] = {}
    for line in context.plan.purchases:
        if line.kind in ("storage", "egress"):
            for place in places_of(line):
                lines.setdefault(place, []).append(line)
    missing = {need.missing for need in needs if need.place not in lines}
    also = {text for text in context.plan.incomplete if text in _unpriced_on_the_way(context)}
    expected, found = sorted(missing | also), sorted(context.plan.incomplete)
    checks.add("storage.incomplete", expected == found, [*map(_told, expected)], [*map(_told, found)])
    for place in sorted({*(need.place for need in needs), *lines}):
        mine = [need for need in needs if need.place == place]
        _check_place(context, place, mine, lines.get(place, []), checks)


def _told(text: str) -> Text | str:
    """An entry of the plan's list of lines without a price, which is in English, in both languages."""
    for use, words in texts.UNPRICED.items():
        work, there, pool = text.partition(f": {use} on ")
        if there:
            return filled(words, work=work, pool=pool)
    return text


def _unpriced_on_the_way(context: Context) -> set[str]:
    """Egress of steady work that moves on: due at the horizon's end only, but an unknown price may be listed."""
    stretches = (a for a in context.plan.assignments if a.workload in context.works)
    steady = (a for a in stretches if context.works[a.workload].is_steady)
    return {f"{a.workload}: {MISSING['egress']} on {pool_of(a)}" for a in steady}


def places_of(line: Purchase) -> Iterator[Place]:
    """Where a storage or egress line belongs, one place for each of its workloads."""
    use, _, _ = line.note.partition(":")
    if use.startswith("shared data set "):
        yield "shared", use.removeprefix("shared data set "), line.provider, line.region
        return
    for name in line.workloads:
        yield "egress" if line.kind == "egress" else use, name, line.provider, line.region


def _needs(context: Context) -> Iterator[Need]:
    for a in context.plan.assignments:
        work = context.works.get(a.workload)
        if work is not None and a.provider != OWNED:
            checkpoint = checkpoint_gb(context, work, a)
            yield from _hot_needs(context, work, a, checkpoint)
            if work.cold_storage_gb > 0:
                end = a.to_day if work.is_steady else context.plan.horizon_days
                yield _need("cold", a, work.cold_storage_gb, a.from_day, end)
            out_gb = checkpoint if work.egress_gb is None else work.egress_gb
            if out_gb and (not work.is_steady or a.to_day == context.plan.horizon_days):
                yield _need("egress", a, out_gb, a.to_day - 1, a.to_day)


def _need(use: str, a: Assignment, size_gb: float, start: int, end: int, dataset: str | None = None) -> Need:
    place = (use, dataset or a.workload, a.provider, a.region)
    return Need(place, size_gb, start, end, pool_of(a), a.workload)


def _hot_needs(context: Context, work: Work, a: Assignment, checkpoint: float) -> Iterator[Need]:
    data_gb = work.dataset_gb * work.hot_fraction
    need_gb = hot_need_gb(work, checkpoint)
    if need_gb == 0 or is_local(context, a, need_gb):
        return
    bought_gb = max(need_gb, _least_gb(context, a.provider, a.region, hot_product(context, a)))
    own_gb = bought_gb - data_gb if work.dataset is not None else bought_gb
    if own_gb > SIZE_TOLERANCE:
        yield _need("hot", a, own_gb, a.from_day, a.to_day)
    if work.dataset is not None and data_gb > 0:
        yield _need("shared", a, data_gb, a.from_day, a.to_day, work.dataset)


def _least_gb(context: Context, provider: str, region: str, product: str | None) -> float:
    """The smallest size that a product is sold in, as far as the fact tables know it."""
    store = context.facts.stores.get((provider, region, product or ""))
    return store.min_size_gb if store is not None else 0.0


def hot_need_gb(work: Work, checkpoint: float) -> float:
    """The hot part of the data set and the checkpoints kept."""
    return work.dataset_gb * work.hot_fraction + checkpoint * work.checkpoints_kept


def hot_product(context: Context, a: Assignment) -> str | None:
    """The product that the plan's lines name for an assignment's hot data; `None` without a line."""
    work = context.works[a.workload]
    wanted = {("hot", work.name, a.provider, a.region), ("shared", work.dataset or "", a.provider, a.region)}
    lines = (line for line in context.plan.purchases if line.kind == "storage" and wanted & set(places_of(line)))
    return next((line.note.partition(": ")[2] for line in lines), None)


def is_local(context: Context, a: Assignment, need_gb: float) -> bool:
    """Whether the share of each machine's own NVMe holds the hot data."""
    offer = context.offer_of(a)
    if offer is None or offer.machine.local_nvme_gb is None:
        return False
    return offer.machine.local_nvme_gb * (a.gpus_used_per_node / offer.machine.gpu_count) >= need_gb > 0


def _check_place(context: Context, place: Place, needs: list[Need], lines: list[Purchase], checks: Checks) -> None:
    where = ":".join(place)
    needed = Counter(day for need in needs for day in range(need.start, need.end))
    if place[0] == "shared":
        needed = Counter(set(needed))
        _check_sharers(context, place, lines, checks)
    if not lines:
        return
    paid = Counter(day for line in lines for day in range(line.start_day, line.end_day))
    checks.equal(f"storage.days[{where}]", _spans(needed), _spans(paid))
    wanted = max((need.size_gb for need in needs), default=0.0)
    for line in lines:
        _check_line(context, place, wanted, line, checks)


def _check_sharers(context: Context, place: Place, lines: list[Purchase], checks: Checks) -> None:
    """A shared data set's line names every workload that reads it there on the line's days."""
    _, dataset, provider, region = place
    for line in lines:
        readers = {
            a.workload
            for a in context.plan.assignments
            if (a.provider, a.region) == (provider, region)
            if max(line.start_day, a.from_day) < min(line.end_day, a.to_day)
        }
        names = tuple(name for name, work in context.works.items() if name in readers and work.dataset == dataset)
        checks.equal(f"storage.readers[{dataset}@{line.start_day}]", names, line.workloads)


def _check_line(context: Context, place: Place, wanted: float, line: Purchase, checks: Checks) -> None:
    """Size and unit of one line: what is needed, or the smallest size that its product is sold in."""
    where, size = f"{':'.join(place)}@{line.start_day}", size_gb(line)
    product = line.note.partition(": ")[2]
    known = (line.provider, line.region, product) in context.facts.stores or line.kind == "egress"
    if place[0] == "cold":
        wanted = max(wanted, _least_gb(context, line.provider, line.region, product))
    if known or size <= wanted:
        checks.close(f"storage.size[{where}]", wanted, size, SIZE_TOLERANCE)
    else:
        checks.add(f"storage.size[{where}]", True, filled(texts.AT_LEAST, limit=f"{wanted} GB"), size)
    stated = (line.count, line.unit, line.instance_type)
    checks.equal(f"storage.unit[{where}]", (1, "GB" if line.kind == "egress" else "GB-month", None), stated)


def size_gb(line: Purchase) -> float:
    """GB of a line: its quantity, for storage divided by its months of 365/12 days."""
    if line.kind == "egress":
        return float(line.quantity)
    months = Decimal((line.end_day - line.start_day) * MONTHS_PER_YEAR) / DAYS_PER_YEAR
    return float(line.quantity / months)


def _spans(days: Counter[int]) -> Text | str:
    """Day counts as text: 0-13 x1, 20-30 x2."""
    parts: list[list[int]] = []
    for day in sorted(days):
        if parts and parts[-1][1] == day - 1 and parts[-1][2] == days[day]:
            parts[-1][1] = day
        else:
            parts.append([day, day, days[day]])
    return ", ".join(f"{first}-{last} x{count}" for first, last, count in parts) or texts.NONE
