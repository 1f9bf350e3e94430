"""Names in quotas and currencies of quotes: what matches nothing is a slip of the pen, said with the nearest name."""

from collections.abc import Iterable

from optimizer.catalog import Catalog
from optimizer.catalog.asked import nearest, provider_problems
from optimizer.catalog.quotes import Quotes
from optimizer.domain.money import USD, Rates
from optimizer.domain.offer import Offer
from optimizer.domain.workload import WorkloadFile
from optimizer.errors import Problem
from optimizer.planning.inputs import InputChecks, check_gpu_names
from optimizer.planning.supply import Supply, matches_any


def check_quotes(quotes: Quotes, rates: Rates, checks: InputChecks) -> None:
    """Every quoted price needs a rate of its currency."""
    for quote in quotes.priced:
        if quote.currency != USD and quote.currency not in rates.by_currency:
            expected = "a currency with a rate (add it under fx:)"
            checks.problems.append(Problem(quote.file, "currency", repr(quote.currency), expected, quote.line))


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
