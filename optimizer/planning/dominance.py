"""Regions that cannot matter: a supply that another one of the same machine beats in every price.

Claim. Let S and S' sell the same machine of the same provider, let every workload that accepts S accept S', let
the same quotas name both, let data cost the same in both regions and no such workload share its data set, and let
S' be sold on every term that S is sold on, for no more (with the same billing unit, minimum, upfront share, block
lengths and spot rate), and be no longer valid to. Then some optimal plan does not use S.
Proof. Move every placement and every unit of S to S'. Sizing and rules look at machines only, so the same
configurations fit with the same verdicts; no line costs more on any day, so neither total nor any month's cash grows;
quotas and site power see the same numbers. Where all prices are equal, S' is the first in the tie order.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache

from optimizer.catalog.service_prices import ServicePrices
from optimizer.domain.workload import WorkloadFile
from optimizer.planning.costing import RatedPrice, upfront_fraction
from optimizer.planning.quota_limits import quota_matches
from optimizer.planning.supply import Supply


def undominated(
    by_work: Sequence[tuple[Supply, ...]], file: WorkloadFile, prices: ServicePrices
) -> list[tuple[Supply, ...]]:
    """Each workload's supplies without those that another supply makes needless."""
    accepted: dict[str, set[int]] = defaultdict(set)
    supplies: dict[str, Supply] = {}
    for work, mine in enumerate(by_work):
        for supply in mine:
            accepted[supply.key].add(work)
            supplies[supply.key] = supply
    needless = set(_needless(supplies.values(), accepted, file, prices))
    return [tuple(supply for supply in mine if supply.key not in needless) for mine in by_work]


def _needless(
    supplies: Iterable[Supply], accepted: dict[str, set[int]], file: WorkloadFile, prices: ServicePrices
) -> Iterable[str]:
    machines: dict[tuple[int, str], list[Supply]] = defaultdict(list)
    for supply in supplies:
        if not (supply.is_owned or supply.sunk):
            machines[id(supply.machine), supply.provider].append(supply)
    groups: dict[tuple[object, ...], list[Supply]] = defaultdict(list)
    data_costs = cache(lambda provider, region: _data_costs(provider, region, prices))
    tied = _sharing(file)
    for same in machines.values():
        for supply in same if len(same) > 1 else ():
            if accepted[supply.key] & tied:
                continue
            quotas = tuple(quota_matches(quota, supply) for quota in file.quotas)
            groups[id(supply.machine), supply.provider, quotas, data_costs(supply.provider, supply.region)].append(
                supply
            )
    for kin in groups.values():
        kept: list[Supply] = []
        for supply in sorted(kin, key=_order):
            if any(accepted[other.key] >= accepted[supply.key] and _beats(other, supply) for other in kept):
                yield supply.key
            else:
                kept.append(supply)


def _sharing(file: WorkloadFile) -> set[int]:
    """Workloads whose data set another one, or another repetition, may keep in the same region: a move parts them."""
    times = Counter(
        name for work in file.workloads if (name := work.dataset) for _ in range(1 if work.repeats is None else 2)
    )
    return {index for index, work in enumerate(file.workloads) if work.dataset and times[work.dataset] > 1}


def _order(supply: Supply) -> tuple[float, float, str]:
    """Cheap first, then the tie order, so that whatever beats a supply stands before it."""
    hourly = float("inf") if supply.hourly is None else float(supply.hourly.hour())
    return (hourly, sum(float(rent.total) for rent in supply.rents), supply.key)


def _data_costs(provider: str, region: str, prices: ServicePrices) -> tuple[object, ...]:
    """What data costs in a region: regions are compared where it costs the same."""
    stores = tuple(
        (row.product, row.tier, row.price_per_gb_month, row.currency, row.throughput_gbyte_per_s, row.iops, row.quote)
        for row in prices.storage(provider, region)
    )
    egress = prices.egress(provider, region)
    return stores, None if egress is None else (egress.price_per_gb, egress.per_gib, egress.currency, egress.quote)


def _beats(one: Supply, other: Supply) -> bool:
    """Whether `one` is sold on every term of `other` for no more."""
    if not (_no_dearer(one.hourly, other.hourly) and _no_dearer(one.spot, other.spot)):
        return False
    rents = {(rent.term, rent.block_days): rent for rent in one.rents}
    for rent in other.rents:
        mine = rents.get((rent.term, rent.block_days))
        if mine is None or not _no_dearer(mine.rated, rent.rated):
            return False
    return True


def _no_dearer(one: RatedPrice | None, other: RatedPrice | None) -> bool:
    """Whether a price costs no more than another under the same conditions."""
    if other is None:
        return True
    if one is None or _conditions(one) != _conditions(other):
        return False
    return one.price.amount * one.factor <= other.price.amount * other.factor


def _conditions(rated: RatedPrice) -> tuple[object, ...]:
    price = rated.price
    return (
        price.unit,
        price.billing_unit_hours,
        price.minimum_hours,
        upfront_fraction(price),
        price.upfront_amount,
        price.interruptions_per_hour,
        price.valid_to,
    )
