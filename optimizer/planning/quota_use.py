"""How far each quota is used: the highest use on any day."""

from collections.abc import Iterator

from optimizer.domain.offer import Term
from optimizer.domain.plan import QuotaUse
from optimizer.domain.workload import Quota
from optimizer.planning.assembly import Assembly
from optimizer.planning.plan_lines import ServedDays
from optimizer.planning.quota_limits import quota_matches
from optimizer.planning.serving import UnitBlock


def quota_peaks(assembly: Assembly, days: ServedDays, blocks: tuple[UnitBlock, ...]) -> Iterator[QuotaUse]:
    """One row for each quota of the file, in GPUs where it limits GPUs, else in nodes."""
    for quota in assembly.case.file.quotas:
        use = [0] * assembly.case.horizon.days
        for identity, served in days.items():
            supply = assembly.placed[identity].candidate.supply
            weight = supply.machine.gpu_count if quota.max_gpus is not None else 1
            if quota_matches(quota, supply):
                for day, terms in served:
                    use[day] += weight * sum(nodes for term, nodes in terms.items() if _counts_hourly(quota, term))
        for block in blocks:
            supply = assembly.supplies[block.pool]
            weight = supply.machine.gpu_count if quota.max_gpus is not None else 1
            if quota.term in ("any", "term") and quota_matches(quota, supply):
                for day in range(block.start, min(block.end, len(use))):
                    use[day] += weight * block.count
        yield QuotaUse(quota=quota.model_dump(mode="json"), peak=max(use, default=0))


def _counts_hourly(quota: Quota, term: Term) -> bool:
    if term is Term.ON_DEMAND or term.is_savings_plan:
        return quota.term in ("any", "hourly")
    return term is Term.SPOT and quota.term in ("any", "spot")
