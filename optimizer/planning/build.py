"""Building a case: reading the file against the catalog, supplies, and every candidate that fits."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from optimizer.catalog import Catalog
from optimizer.catalog.asked import provider_problems, region_problems
from optimizer.catalog.quotes import Quotes, read_quote_file
from optimizer.catalog.record import offers_as_of
from optimizer.catalog.service_prices import QuotedPrices, ServicePrices
from optimizer.domain.fit import Fit, Hardware, Misfit
from optimizer.domain.model import Training
from optimizer.domain.money import Rates
from optimizer.domain.offer import Offer
from optimizer.domain.units import SECONDS_PER_HOUR
from optimizer.domain.workload import Work, WorkloadFile
from optimizer.planning.calibrating import calibration_of
from optimizer.planning.candidates import (
    Candidate,
    Sizes,
    WorkFacts,
    distinct,
    is_cluster_capable,
    node_counts,
    shares_of,
)
from optimizer.planning.case import Case, NoFit, PlanOptions
from optimizer.planning.commitments import with_savings_plans_that_pay
from optimizer.planning.costing import Horizon, Rating
from optimizer.planning.demand import spot_factor, tasks_of
from optimizer.planning.dominance import undominated
from optimizer.planning.gpu_hours import run_hours_of
from optimizer.planning.input_names import check_quotas, check_quotes
from optimizer.planning.inputs import InputChecks, check_places, works_of
from optimizer.planning.owned_supply import owned_supplies
from optimizer.planning.quoted import quote_cautions, quote_notes
from optimizer.planning.runs import hours_limit
from optimizer.planning.storage import MIN_VOLUME_GBYTE_PER_S, Money
from optimizer.planning.storing import StorageChooser
from optimizer.planning.sunk import commitment_notes, commitments_by_pool
from optimizer.planning.supply import (
    COVERS_ALL,
    SAVINGS_PLANS,
    RemovalLog,
    SunkSupply,
    Supply,
    filter_for,
    is_plannable,
    matches_any,
    rented_supply,
)
from optimizer.planning.workload_file import horizon_months

#: From 100 billion parameters a model is pooled over several GPUs (rules.md, size classes).
POOLED_PARAMETERS = 1e11
NO_GPU = "GPU model unknown"
FRACTION = "fraction of a GPU (no-shrink, D1)"
NO_PRICE = "no price that may be planned on (none published, or superseded, a floor, retired, expired, a market quote)"

#: A commitment of a year cannot pay in less than this.
SAVINGS_PLANS_WORTH_SAYING_DAYS = 180
TOO_OLD = "no price seen in the last {days} days (--exclude-old; undated ones as well)"


def build_case(file: WorkloadFile, catalog: Catalog, options: PlanOptions, source: str = "workload") -> Case:
    """Everything a plan of this file can choose from.

    Raises:
        InputError: names of the file that the catalog does not know, all at once.
    """
    horizon = Horizon.of(file, horizon_months(file))
    checks = InputChecks(source)
    works = works_of(file, catalog, checks)
    works = tuple(
        replace(facts, calibration=calibration_of(facts.work, facts.training, catalog, checks)) for facts in works
    )
    rates = catalog.rates(options.as_of, dict(file.fx))
    checks.currency(file.currency, rates, "currency")
    owned = owned_supplies(file, catalog, horizon, checks)
    quotes = _quotes(file, catalog, options, source)
    offers = quotes.offers
    check_quotes(quotes, rates, checks)
    check_places(file, catalog, offers, checks)
    _check_options(options, catalog, offers, checks)
    check_quotas(file, catalog, offers, owned, checks)
    sunk = commitments_by_pool(file, offers, horizon, checks)
    checks.raise_if_any()
    log = RemovalLog()
    rented = tuple(_rented(offers, catalog, rates, file, options, log, sunk))
    rented = rented if options.every_region else with_savings_plans_that_pay(horizon, rented)
    supplies = _by_command_line((*rented, *owned), options, log)
    case = Case(file, options, horizon, rates, works, tasks_of(horizon), (), (), log)
    case.offers = offers
    case.notes.extend(quote_notes(quotes, file))
    case.cautions.extend(quote_cautions(quotes, file))
    case.notes.extend(commitment_notes(file, horizon))
    case.notes.extend(_moved(facts) for facts in works if facts.calibration is not None)
    case.notes.extend(_savings_plans(supplies) if horizon.days >= SAVINGS_PLANS_WORTH_SAYING_DAYS else ())
    case.standing = tuple(supply for supply in (*rented, *owned) if supply.sunk)
    prices = QuotedPrices(catalog, quotes.services) if quotes.services else catalog
    by_work = [filter_for(facts.work, supplies, log) for facts in works]
    kept = by_work if options.every_region else undominated(by_work, file, prices)
    builder = _CandidateBuilder(case, catalog, prices)
    for facts, mine in zip(works, kept, strict=True):
        builder.add_work(facts, mine)
    case.candidates = tuple(builder.candidates)
    case.misfits = tuple(builder.misfits)
    return case


def _quotes(file: WorkloadFile, catalog: Catalog, options: PlanOptions, source: str) -> Quotes:
    """The catalog's offers, with the user's quotes where the file names some."""
    if file.quotes is None:
        return Quotes(offers_as_of(catalog, options.as_of))
    path = Path(source).parent / file.quotes
    return read_quote_file(path, offers_as_of(catalog, options.as_of), options.as_of, catalog)


def _savings_plans(supplies: Iterable[Supply]) -> Iterator[str]:
    """Savings plans of which it is not known what they cover, and which are not planned on (docs/adr/0045)."""
    counted = Counter(
        supply.provider
        for supply in supplies
        if supply.offer is not None and supply.provider not in COVERS_ALL
        for price in supply.offer.prices
        if price.term in SAVINGS_PLANS
    )
    for provider, count in sorted(counted.items()):
        yield f"{provider}: {count} savings-plan prices are not planned on; ask for a commitment's price"


def _check_options(options: PlanOptions, catalog: Catalog, offers: tuple[Offer, ...], checks: InputChecks) -> None:
    """Names on the command line must exist in the catalog or in the user's quotes, as those of the file."""
    if options.providers:
        also = {offer.provider for offer in offers}
        checks.problems.extend(provider_problems(catalog, options.providers, "--provider", also=also))
    if options.regions:
        places = {offer.region for offer in offers}
        checks.problems.extend(region_problems(catalog, options.regions, "--region", also=places))


def _rented(
    offers: Iterable[Offer],
    catalog: Catalog,
    rates: Rates,
    file: WorkloadFile,
    options: PlanOptions,
    log: RemovalLog,
    sunk: dict[str, tuple[SunkSupply, ...]],
) -> Iterator[Supply]:
    """Supplies of all offers that can be planned on, or are paid for; what cannot is counted by its reason."""
    rating = Rating(rates, file.currency, file.tax)
    removed: Counter[str] = Counter()
    kept = 0
    for offer in offers:
        gpu = catalog.gpus.get(offer.machine.gpu_model)
        if gpu is None or offer.machine.gpu_fraction is not None:
            removed[NO_GPU if gpu is None else FRACTION] += 1
            continue
        try:
            supply = rented_supply(offer, gpu, rating, options.as_of, market=options.market, oldest=options.oldest)
        except KeyError as error:
            removed[f"no exchange rate for {error.args[0]}"] += 1
            continue
        paid = sunk.get(supply.key, ())
        if not (supply.hourly or supply.spot or supply.rents or paid):
            removed[_why_no_price(offer, options)] += 1
            continue
        kept += 1
        yield supply._replace(sunk=paid) if paid else supply
    left = kept + removed.total()
    for reason, count in removed.items():
        left -= count
        log.note(reason, count, left)


def _why_no_price(offer: Offer, options: PlanOptions) -> str:
    """Whether no price may be planned on at all, or age alone excludes them."""
    if any(is_plannable(price, options.as_of, market=options.market) for price in offer.prices):
        return TOO_OLD.format(days=options.max_age_days)
    return NO_PRICE


def _by_command_line(supplies: tuple[Supply, ...], options: PlanOptions, log: RemovalLog) -> tuple[Supply, ...]:
    if options.providers:
        supplies = log.keep(
            f"--provider {', '.join(options.providers)}",
            supplies,
            lambda supply: matches_any(supply.provider, options.providers),
        )
    if options.regions:
        supplies = log.keep(
            f"--region {', '.join(options.regions)}",
            supplies,
            lambda supply: supply.is_owned or matches_any(supply.region, options.regions),
        )
    return supplies


def _moved(facts: WorkFacts) -> str:
    """What the measured run did to the predictions."""
    calibration = facts.calibration
    if calibration is None:
        raise ValueError("no calibration")
    where = f"{calibration.gpu_model} ({calibration.link_class})"
    return f"{facts.work.name}: the measured run moves predictions on {where} by {calibration.moved_percent:+.0f} %"


class _CandidateBuilder:
    """Collects the candidates and misfits of one workload after another, numbering candidates across all."""

    def __init__(self, case: Case, catalog: Catalog, prices: ServicePrices) -> None:
        self.case = case
        self.catalog = catalog
        self.storage = StorageChooser(prices, Money(case.rates, case.file.currency, case.file.tax))
        self.candidates: list[tuple[Candidate, ...]] = []
        self.misfits: list[tuple[NoFit, ...]] = []
        self._sizes = Sizes()
        self._next = 0

    def add_work(self, facts: WorkFacts, supplies: tuple[Supply, ...]) -> None:
        """All candidates of one workload over its supplies."""
        places = tuple(self._places(facts, supplies))
        misfits: list[NoFit] = []
        if facts.training is None:
            found = self._by_gpu_hours(facts, places)
        else:
            found, misfits = self._by_model(facts, facts.training, places)
        if facts.work.min_gpus is not None:
            need = facts.work.min_gpus
            found = [item for item in found if item.nodes * item.gpus_per_node >= need]
        self.candidates.append(tuple(found))
        self.misfits.append(tuple(misfits))

    def _places(self, facts: WorkFacts, supplies: tuple[Supply, ...]) -> Iterator[tuple[Supply, int, tuple[int, ...]]]:
        """(supply, GPUs used of each machine, node counts): whole machines, and shares where units can be shared."""
        counts = node_counts(facts.work.max_nodes)
        shares_rented = len(self.case.file.workloads) > 1 and not facts.work.exclusive
        for supply in supplies:
            whole = supply.machine.gpu_count
            yield supply, whole, counts if is_cluster_capable(supply) else (1,)
            if supply.is_owned or supply.sunk or (shares_rented and supply.rents):
                for share in shares_of(whole):
                    yield supply, share, (1,)

    def _by_model(
        self, facts: WorkFacts, training: Training, places: tuple[tuple[Supply, int, tuple[int, ...]], ...]
    ) -> tuple[list[Candidate], list[NoFit]]:
        hardware = [self._sizes.hardware(supply, gpus) for supply, gpus, _ in places]
        positions = distinct(hardware)
        counts = node_counts(facts.work.max_nodes)
        rows = self._rows(facts, training, tuple(positions), counts)
        found: list[Candidate] = []
        misfits: list[NoFit] = []
        for (supply, gpus, allowed), one in zip(places, hardware, strict=True):
            for nodes, fit in rows[positions[one]]:
                if nodes not in allowed:
                    continue
                if isinstance(fit, Fit):
                    found.extend(self._sized(facts, supply, nodes, gpus, fit))
                elif gpus == supply.machine.gpu_count:
                    misfits.append(NoFit(supply, nodes, fit))
        return found, misfits

    def _rows(
        self, facts: WorkFacts, training: Training, hardware: tuple[Hardware, ...], counts: tuple[int, ...]
    ) -> list[list[tuple[int, Fit | Misfit]]]:
        """For each hardware the node counts that can matter; one node is tried first and often is enough."""
        alone = [
            self._calibrated(facts, one, counts[0], row[0])
            for one, row in zip(hardware, self._sizes.fits(training, hardware, counts[:1]), strict=True)
        ]
        rows: list[list[tuple[int, Fit | Misfit]]] = [[(counts[0], fit)] for fit in alone]
        more = [index for index, fit in enumerate(alone) if not self._is_enough(facts, fit)]
        if counts[1:] and more:
            table = self._sizes.fits(training, tuple(hardware[index] for index in more), counts[1:])
            for index, row in zip(more, table, strict=True):
                for nodes, fit in zip(counts[1:], row, strict=True):
                    rows[index].append((nodes, self._calibrated(facts, hardware[index], nodes, fit)))
        return rows

    def _calibrated(self, facts: WorkFacts, hardware: Hardware, nodes: int, fit: Fit | Misfit) -> Fit | Misfit:
        """The prediction, corrected by the user's own run where that applies."""
        calibration = facts.calibration
        if calibration is None or isinstance(fit, Misfit) or not calibration.applies_to(hardware, nodes):
            return fit
        return calibration.applied(fit)

    def _is_enough(self, facts: WorkFacts, fit: Fit | Misfit) -> bool:
        """Whether one node does the job in a day, so that more nodes only add node-hours and rules.

        Rules get no easier with more nodes, but for three things that are left to the program: a model that must
        be pooled over several GPUs, storage demand that nodes divide, and rules that the file changes.
        """
        work = facts.work
        if isinstance(fit, Misfit) or work.total_tokens is None or self.case.file.rules or work.min_gpus is not None:
            return False
        is_pooled = facts.shape is not None and facts.shape.params_total >= POOLED_PARAMETERS
        if is_pooled or fit.storage_demand_gbyte_per_s > MIN_VOLUME_GBYTE_PER_S or fit.storage_demand_iops > 0:
            return False
        return work.total_tokens / self._speed(fit) / SECONDS_PER_HOUR <= hours_limit(work)

    def _speed(self, fit: Fit) -> float:
        """Tokens a second that are planned with: the prediction, or its pessimistic end."""
        return fit.interval[0] if self.case.options.confidence is not None else fit.tokens_per_second

    def _sized(self, facts: WorkFacts, supply: Supply, nodes: int, gpus: int, fit: Fit) -> Iterator[Candidate]:
        speed = self._speed(fit)
        tokens = facts.work.total_tokens
        hours = None if tokens is None else tokens / speed / SECONDS_PER_HOUR
        if facts.work.gpu_hours is not None:
            # What fits is sizing's to say; how long it takes is what the user states for the named GPU.
            hours = run_hours_of(facts, supply, nodes * gpus, self.catalog)
            if hours is None:
                return
        yield from self._candidates(facts, supply, nodes, gpus, fit, speed, hours)

    def _by_gpu_hours(
        self, facts: WorkFacts, places: tuple[tuple[Supply, int, tuple[int, ...]], ...]
    ) -> list[Candidate]:
        found: list[Candidate] = []
        for supply, gpus, counts in places:
            for nodes in counts:
                hours = run_hours_of(facts, supply, nodes * gpus, self.catalog)
                if hours is not None:
                    found.extend(self._candidates(facts, supply, nodes, gpus, None, None, hours))
        return found

    def _candidates(
        self,
        facts: WorkFacts,
        supply: Supply,
        nodes: int,
        gpus: int,
        fit: Fit | None,
        speed: float | None,
        hours: float | None,
    ) -> Iterator[Candidate]:
        """The candidate on units and by the hour, and its spot twin where spot is allowed and rated."""
        storage = self.storage.plan(facts.work, supply, fit, nodes, gpus)
        if supply.hourly or supply.rents or supply.purchases or supply.sunk:
            yield Candidate(self._number(), facts.index, supply, nodes, gpus, fit, speed, hours, storage)
        rate = _spot_rate(facts.work, supply)
        if rate is not None and gpus == supply.machine.gpu_count and hours is not None:
            spot = facts.work.spot
            longer = hours * spot_factor(nodes, rate, spot.lost_hours, spot.restart_hours)
            yield Candidate(self._number(), facts.index, supply, nodes, gpus, fit, speed, longer, storage, rate)

    def _number(self) -> int:
        self._next += 1
        return self._next - 1


def _spot_rate(work: Work, supply: Supply) -> float | None:
    """Interruptions per node-hour from the file, else from the offer; without one spot is not offered."""
    if not work.interruptible or supply.spot is None:
        return None
    if work.spot.interruptions_per_hour is not None:
        return work.spot.interruptions_per_hour
    return supply.spot.price.interruptions_per_hour
