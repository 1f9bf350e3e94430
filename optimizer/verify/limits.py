"""Does every assignment stay inside what the file allows: nodes, places, providers, GPUs, budgets, quotas, power?"""

from collections.abc import Iterable
from decimal import Decimal
from fnmatch import fnmatchcase

from optimizer.domain.offer import Offer
from optimizer.domain.plan import Assignment
from optimizer.domain.workload import Work
from optimizer.verify import texts
from optimizer.verify.check import Checks, filled
from optimizer.verify.context import OWNED, Context, label


def check_filters(context: Context, checks: Checks) -> None:
    """max_nodes, min_gpus, countries, regions, providers and gpus of every workload."""
    for a in context.plan.assignments:
        work, offer = context.works.get(a.workload), context.offer_of(a)
        if work is None or offer is None:
            continue
        where = label(a)
        checks.add(f"limits.max_nodes[{where}]", 1 <= a.nodes <= work.max_nodes, f"1..{work.max_nodes}", a.nodes)
        if work.min_gpus is not None:
            total = a.nodes * a.gpus_used_per_node
            least = filled(texts.AT_LEAST, limit=work.min_gpus)
            checks.add(f"limits.min_gpus[{where}]", total >= work.min_gpus, least, total)
        _check_places(work, offer, where, checks)
        _check_gpu(work, a, where, checks)
        if a.spot:
            checks.add(f"limits.interruptible[{where}]", work.interruptible, "interruptible: true", work.interruptible)


def _check_places(work: Work, offer: Offer, where: str, checks: Checks) -> None:
    if work.providers:
        ok = matches(work.providers, offer.provider)
        checks.add(f"limits.providers[{where}]", ok, list(work.providers), offer.provider)
    if offer.provider == OWNED:
        return  # the user's own machines stand where the user is
    if work.regions:
        ok = matches(work.regions, offer.region)
        checks.add(f"limits.regions[{where}]", ok, list(work.regions), offer.region)
    if work.countries:
        places = (offer.country, offer.jurisdiction, offer.canonical_region)
        ok = any(matches(work.countries, place) for place in places)
        checks.add(f"limits.countries[{where}]", ok, list(work.countries), places)


def _check_gpu(work: Work, a: Assignment, where: str, checks: Checks) -> None:
    if work.gpus.allow:
        ok = matches(work.gpus.allow, a.gpu_model)
        checks.add(f"limits.gpus_allowed[{where}]", ok, list(work.gpus.allow), a.gpu_model)
    if work.gpus.deny:
        ok = not matches(work.gpus.deny, a.gpu_model)
        checks.add(f"limits.gpus_denied[{where}]", ok, filled(texts.NONE_OF, names=work.gpus.deny), a.gpu_model)


def matches(globs: Iterable[str], name: str | None) -> bool:
    """Whether a name matches any shell pattern, case ignored; an unknown name matches none."""
    return name is not None and any(fnmatchcase(name.lower(), glob.lower()) for glob in globs)


def check_budgets(context: Context, cash: dict[int, int], checks: Checks) -> None:
    """Budget over all cash (inside the horizon under `continue`) and the monthly budget on every cash month."""
    file = context.file
    if file.budget is not None:
        checks.at_most("limits.budget", file.budget, Decimal(sum(cash.values())) / 10**6)
    if file.monthly_budget is not None:
        worst = max(cash.values(), default=0)
        checks.at_most("limits.monthly_budget", file.monthly_budget, Decimal(worst) / 10**6)
