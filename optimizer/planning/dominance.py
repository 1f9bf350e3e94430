"""Supplies that cannot matter: one that another of a machine alike beats in every price.

Claim. Let S and S' sell machines alike in all but their names, of the same provider, let every workload that accepts
S accept S', let the same quotas name both, let data cost the same in both regions and no such workload share its data
set, and let S' be sold on every term that S is sold on, for no more (with the same billing unit, minimum, upfront
share, block lengths and spot rate), and be no longer valid to. Then some optimal plan does not use S.
Proof. Move every placement and every unit of S to S'. Sizing and rules look at machines only, so the same
configurations fit with the same verdicts; no line costs more on any day, so neither total nor any month's cash grows;
quotas and site power see the same numbers. Where all prices are equal, S' is the first in the tie order.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from operator import attrgetter

from optimizer.catalog.service_prices import ServicePrices
from optimizer.domain.offer import Machine
from optimizer.domain.workload import WorkloadFile
from optimizer.planning.costing import RatedPrice
from optimizer.planning.quota_limits import quota_matches
from optimizer.planning.supply import Supply

NOT_SOLD = Decimal("Infinity")
NOTHING = Decimal(0)


def undominated(
    by_work: Sequence[tuple[Supply, ...]], file: WorkloadFile, prices: ServicePrices
) -> list[tuple[Supply, ...]]:
    """Each workload's supplies without those that another supply makes needless."""
    works: dict[int, int] = defaultdict(int)  # workloads without filters have one and the same tuple
    for work, mine in enumerate(by_work):
        works[id(mine)] |= 1 << work
    distinct = {id(mine): mine for mine in by_work}
    accepted: dict[str, int] = defaultdict(int)
    supplies: dict[str, Supply] = {}
    for identity, mine in distinct.items():
        for supply in mine:
            accepted[supply.key] |= works[identity]
            supplies[supply.key] = supply
    needless = set(_needless(supplies.values(), accepted, file, prices))
    kept = {
        identity: tuple(supply for supply in mine if supply.key not in needless) for identity, mine in distinct.items()
    }
    return [kept[id(mine)] for mine in by_work]


def _needless(
    supplies: Iterable[Supply], accepted: Mapping[str, int], file: WorkloadFile, prices: ServicePrices
) -> Iterable[str]:
    """Keys of needless supplies; `accepted` has a bit for each workload that accepts a supply."""
    specs, places = Specs(), Places(prices)
    groups: dict[tuple[object, ...], list[Supply]] = defaultdict(list)
    tied = sum(1 << work for work in _sharing(file))
    for supply in supplies:
        if not (supply.is_owned or supply.sunk or accepted[supply.key] & tied):
            quotas = tuple(quota_matches(quota, supply) for quota in file.quotas) if file.quotas else ()
            place = places.number(supply.provider, supply.region)
            groups[specs.number(supply.machine), supply.provider, place, quotas].append(supply)
    for kin in groups.values():
        if len(kin) > 1:
            yield from _beaten(kin, accepted)


def _beaten(kin: list[Supply], accepted: Mapping[str, int]) -> Iterator[str]:
    """Keys of the supplies that another of these beats."""
    kept: list[tuple[int, Sold]] = []
    for *_, key, sold in sorted(map(_ordered, kin)):
        mine = accepted[key]
        for theirs, other in kept:
            if mine & ~theirs == 0 and _beats(other, sold):
                yield key
                break
        else:
            kept.append((mine, sold))


NAMES = frozenset({"instance_type", "observed", "source", "note", "facts"})
SPEC = attrgetter(*(name for name in Machine.model_fields if name not in NAMES))
#: What must be the same for prices to be compared; a row that says which share is due at once stands for itself.
#: Where both name an amount due at once, the lower amounts are paid no sooner. Rates in other words than a plan's own
#: belong to another plan.
CONDITIONS = attrgetter(
    "term",
    "unit",
    "billing_unit_hours",
    "minimum_hours",
    "upfront_share",
    "interruptions_per_hour",
    "valid_to",
)


class Specs:
    """Numbers for machines: alike in everything but their name and where that is written means the same number."""

    def __init__(self) -> None:
        self._of: dict[int, int] = {}
        self._numbers: dict[tuple[object, ...], int] = {}

    def number(self, machine: Machine) -> int:
        """The number of a machine's hardware."""
        known = self._of.get(id(machine))
        if known is None:
            key = (SPEC(machine), tuple(machine.facts.items()))
            known = self._of[id(machine)] = self._numbers.setdefault(key, len(self._numbers))
        return known


class Places:
    """Numbers for regions: where data costs the same, of one provider or of two, means the same number."""

    def __init__(self, prices: ServicePrices) -> None:
        self._prices = prices
        self._of: dict[tuple[str, str], int] = {}
        self._numbers: dict[tuple[object, ...], int] = {}

    def number(self, provider: str, region: str) -> int:
        """The number of what data costs in a region."""
        known = self._of.get((provider, region))
        if known is None:
            costs = _data_costs(provider, region, self._prices)
            known = self._of[provider, region] = self._numbers.setdefault(costs, len(self._numbers))
        return known


Sold = dict[tuple[object, ...], tuple[Decimal, Decimal]]
"""What is sold, on which conditions -> its price and the amount due at once on top, in the report currency."""


def _sold(supply: Supply) -> Sold:
    """Rates under savings plans are prices too: a machine of a lower one may be the cheapest."""
    ways: list[tuple[object, RatedPrice]] = [(None, one) for one in (supply.hourly, supply.spot) if one is not None]
    ways += [(rent.block_days, rent.rated) for rent in supply.rents]
    ways += [((rate.price.currency, rate.price.tax_included), rate) for rate in supply.covered_at]
    sold: Sold = {}
    for told, rated in ways:
        price, factor = rated.price, rated.factor
        upfront = price.upfront_amount
        due = upfront * factor if upfront else NOTHING
        sold[told, bool(upfront), CONDITIONS(price)] = (price.amount * factor, due)
    return sold


def _ordered(supply: Supply) -> tuple[Decimal, int, Decimal | int, str, Sold]:
    """Cheap by the hour first, then what is sold in more ways, cheap, and first in the tie order.

    Whatever beats a supply stands before it.
    """
    sold = _sold(supply)
    hourly = NOT_SOLD if supply.hourly is None else next(iter(sold.values()))[0]
    return hourly, -len(sold), sum(map(sum, sold.values())), supply.key, sold


def _sharing(file: WorkloadFile) -> set[int]:
    """Workloads whose data set another one, or another repetition, may keep in the same region: a move parts them."""
    times = Counter(
        name for work in file.workloads if (name := work.dataset) for _ in range(1 if work.repeats is None else 2)
    )
    return {index for index, work in enumerate(file.workloads) if work.dataset and times[work.dataset] > 1}


def _data_costs(provider: str, region: str, prices: ServicePrices) -> tuple[object, ...]:
    """What data costs in a region: regions are compared where it costs the same."""
    stores = tuple(
        (row.product, row.tier, row.price_per_gb_month, row.currency, row.throughput_gbyte_per_s, row.iops, row.quote)
        for row in prices.storage(provider, region)
    )
    egress = prices.egress(provider, region)
    return stores, None if egress is None else (egress.price_per_gb, egress.per_gib, egress.currency, egress.quote)


def _beats(one: Sold, other: Sold) -> bool:
    """Whether `one` is sold in every way of `other` for no more under the same conditions."""
    for way, (price, upfront) in other.items():
        mine = one.get(way)
        if mine is None or mine[0] > price or mine[1] > upfront:
            return False
    return True
