"""Quotas of the file as limits over the program's pools."""

from collections.abc import Iterator

from optimizer.domain.workload import Quota, WorkloadFile
from optimizer.planning.supply import Supply, matches_any
from optimizer.program.problem import QuotaLimit


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
