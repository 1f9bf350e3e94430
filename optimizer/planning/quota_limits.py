"""Quotas of the file as limits over the program's pools; a name in one that matches nothing is a slip of the pen."""

from collections.abc import Iterable, Iterator

from optimizer.catalog import Catalog
from optimizer.catalog.asked import nearest, provider_problems
from optimizer.domain.offer import Offer
from optimizer.domain.workload import Quota, WorkloadFile
from optimizer.planning.inputs import InputChecks, check_gpu_names
from optimizer.planning.supply import Supply, matches_any
from optimizer.program.problem import QuotaLimit


def check_quotas(
    file: WorkloadFile, catalog: Catalog, offers: tuple[Offer, ...], owned: Iterable[Supply], checks: InputChecks
) -> None:
    """A problem for each name of a quota that no offer and no machine of the user's own has."""
    if not file.quotas:
        return
    places = {(offer.provider, offer.region, offer.instance_type) for offer in offers}
    places |= {(supply.provider, supply.region, supply.instance_type) for supply in owned}
    sellers = {provider for provider, _, _ in places}
    for index, quota in enumerate(file.quotas):
        field = f"quotas.{index}"
        named = list(provider_problems(catalog, (quota.provider,), checks.file, f"{field}.provider", also=sellers))
        checks.problems.extend(named)
        mine = [place for place in places if matches_any(place[0], (quota.provider,))]
        if mine:
            _check_place(quota.region, {place[1] for place in mine}, f"{field}.region", checks)
            _check_place(quota.instance_type, {place[2] for place in mine}, f"{field}.instance_type", checks)
        check_gpu_names((quota.gpu,), f"{field}.gpu", catalog, checks)


def _check_place(glob: str, known: set[str], field: str, checks: InputChecks) -> None:
    """A region or type that the quota's provider does not have."""
    if not any(matches_any(name, (glob,)) for name in known):
        checks.problem(
            field, repr(glob), "a name that the quota's provider has, or a pattern of one", nearest(glob, known)
        )


def quota_limits(file: WorkloadFile, supplies: tuple[Supply, ...]) -> tuple[QuotaLimit, ...]:
    """One limit for each stated maximum (GPUs, nodes) of each quota that some pool matches.

    What is paid for already stands in the same account and takes up room (docs/adr/0044).
    """
    return tuple(limit for index, quota in enumerate(file.quotas) for limit in _limits(2 * index, quota, supplies))


def _limits(identity: int, quota: Quota, supplies: tuple[Supply, ...]) -> Iterator[QuotaLimit]:
    pools = [(index, supply) for index, supply in enumerate(supplies) if quota_matches(quota, supply)]
    if not pools:
        return
    if quota.max_gpus is not None:
        weights = tuple((index, supply.machine.gpu_count) for index, supply in pools)
        yield QuotaLimit(identity, quota.term, weights, quota.max_gpus, counts_sunk=True)
    if quota.max_nodes is not None:
        each = tuple((index, 1) for index, _ in pools)
        yield QuotaLimit(identity + 1, quota.term, each, quota.max_nodes, counts_sunk=True)


def quota_matches(quota: Quota, supply: Supply) -> bool:
    """Whether a pool falls under a quota."""
    return (
        matches_any(supply.provider, (quota.provider,))
        and matches_any(supply.region, (quota.region,))
        and matches_any(supply.instance_type, (quota.instance_type,))
        and matches_any(supply.machine.gpu_model, (quota.gpu,))
    )
