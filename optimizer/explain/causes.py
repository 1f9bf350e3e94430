"""Why an offer is not in a plan: what takes out its nearest configuration, from the price list to the clock."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from optimizer.domain.finding import Finding
from optimizer.domain.offer import Offer, Price, Term
from optimizer.explain.matching import Target
from optimizer.planning.candidates import Candidate
from optimizer.planning.case import NoFit
from optimizer.planning.costing import Rating
from optimizer.planning.pipeline import Planner
from optimizer.planning.runs import run_of
from optimizer.planning.supply import RemovalLog, Supply, filter_for, is_plannable, matches_any, rented_supply
from optimizer.sizing.misfit import LAYOUT, PRECISION

#: From farthest to nearest: the cause nearest to a plan is the one that is told.
ORDER = (
    "fraction",
    "gpu_unknown",
    "no_price",
    "no_rate",
    "price_unknown",
    "not_sold",
    "filtered",
    "not_interruptible",
    "spot_rate_unknown",
    "no_layout",
    "no_fit",
    "precision_unknown",
    "speed_unknown",
    "min_gpus",
    "rule",
    "unknown_fact",
    "too_slow",
    "usable",
)


#: What else than memory keeps a model from a machine.
MISFITS = {LAYOUT: "no_layout", PRECISION: "precision_unknown"}


@dataclass(frozen=True)
class Cause:
    """What takes an offer out for one workload. `kind` is one of ORDER; the other fields say with which numbers.

    `filter` names the file's or command line's filter; `misfit` the nearest node count on which it does not fit;
    `findings` the rules that decide on `candidate`; `prices` the price rows that may not be planned on.
    """

    kind: str
    offer: str
    work: int | None = None
    filter: str = ""
    misfit: NoFit | None = None
    candidate: Candidate | None = None
    findings: tuple[Finding, ...] = ()
    prices: tuple[Price, ...] = ()

    @property
    def nearness(self) -> tuple[int, int, int]:
        """Greater is nearer to a plan: the later cause, then the fewer rules, then the fewer nodes."""
        nodes = self.candidate.nodes if self.candidate is not None else self.misfit.nodes if self.misfit else 0
        return (ORDER.index(self.kind), -len(self.findings), -nodes)


@dataclass
class Causes:
    """The causes of a planned case, looked up by offer; candidates and misfits are grouped once."""

    planner: Planner
    candidates: dict[tuple[int, str], list[Candidate]] = field(default_factory=dict)
    misfits: dict[tuple[int, str], list[NoFit]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for work, mine in enumerate(self.planner.case.candidates):
            for candidate in mine:
                self.candidates.setdefault((work, candidate.supply.key), []).append(candidate)
        for work, missed in enumerate(self.planner.case.misfits):
            for misfit in missed:
                self.misfits.setdefault((work, misfit.supply.key), []).append(misfit)

    def of_target(self, target: Target) -> list[Cause]:
        """The nearest cause of every matching offer, the nearest offer first."""
        found = [self.of_offer(offer, target.term) for offer in matching_offers(self.planner, target)]
        found += [self._nearest(supply, target.term) for supply in self.owned() if target.means(supply)]
        return sorted(found, key=lambda cause: (tuple(-part for part in cause.nearness), cause.offer))

    def of_offer(self, offer: Offer, term: Term | None = None) -> Cause:
        """The nearest cause over all workloads."""
        unsellable = self._unsellable(offer, term)
        if isinstance(unsellable, Cause):
            return unsellable
        return self._nearest(unsellable, term)

    def _nearest(self, supply: Supply, term: Term | None) -> Cause:
        works = range(len(self.planner.file.workloads))
        return max((self._of_work(supply, work, term) for work in works), key=lambda cause: cause.nearness)

    def owned(self) -> list[Supply]:
        """The user's own machines that some workload was tried on."""
        tried = [c.supply for mine in self.candidates.values() for c in mine]
        tried += [item.supply for missed in self.misfits.values() for item in missed]
        return list({supply.key: supply for supply in tried if supply.is_owned}.values())

    def standing(self) -> list[Supply]:
        """The user's own machines and the commitments, used or not."""
        every = (*self.owned(), *self.planner.case.standing)
        return list({supply.key: supply for supply in every}.values())

    def _unsellable(self, offer: Offer, term: Term | None) -> Cause | Supply:
        """Why nobody could plan on the offer, else its supply."""
        planner = self.planner
        gpu = planner.catalog.gpus.get(offer.machine.gpu_model)
        if gpu is None:
            return Cause("gpu_unknown", offer.key)
        if offer.machine.gpu_fraction is not None:
            return Cause("fraction", offer.key)
        options, file = planner.options, planner.file
        rating = Rating(planner.case.rates, file.currency, file.tax)
        try:
            supply = rented_supply(offer, gpu, rating, options.as_of, market=options.market, oldest=options.oldest)
        except KeyError as error:
            return Cause("no_rate", offer.key, filter=str(error.args[0]))
        rows = tuple(price for price in offer.prices if term is None or price.term is term)
        left = any(is_plannable(p, options.as_of, market=options.market, oldest=options.oldest) for p in rows)
        if left and (supply.hourly or supply.spot or supply.rents):
            return supply
        return Cause("no_price" if rows else _without_price(offer), offer.key, prices=rows)

    def _of_work(self, supply: Supply, work: int, term: Term | None) -> Cause:
        blocked = self._filtered(supply, work)
        if blocked is not None:
            return blocked
        spec = self.planner.case.work(work)
        spot_only = term is Term.SPOT or not (supply.hourly or supply.rents or supply.is_owned)
        if spot_only and (spec.is_steady or not spec.interruptible):
            return Cause("not_interruptible", supply.key, work)
        mine = self.candidates.get((work, supply.key), [])
        if term is not None:
            mine = [candidate for candidate in mine if candidate.is_spot == (term is Term.SPOT)]
        if mine:
            return max((self._of_candidate(candidate) for candidate in mine), key=lambda cause: cause.nearness)
        missed = self.misfits.get((work, supply.key), [])
        if missed:
            nearest = min(missed, key=lambda item: (item.misfit.needed_gib or float("inf"), item.nodes))
            return Cause(MISFITS.get(nearest.misfit.breaks, "no_fit"), supply.key, work, misfit=nearest)
        if spot_only:
            return Cause("spot_rate_unknown", supply.key, work)
        return Cause("min_gpus" if spec.gpu_hours is None else "speed_unknown", supply.key, work)

    def _filtered(self, supply: Supply, work: int) -> Cause | None:
        options = self.planner.options
        for name, value, globs in (
            ("--provider", supply.provider, options.providers),
            ("--region", supply.region, options.regions),
        ):
            if globs and not matches_any(value, globs):
                return Cause("filtered", supply.key, work, filter=f"{name} {', '.join(globs)}")
        log = RemovalLog()
        filter_for(self.planner.case.work(work), (supply,), log)
        if log.entries:
            return Cause("filtered", supply.key, work, filter=log.entries[0].filter)
        return None

    def _of_candidate(self, candidate: Candidate) -> Cause:
        planner, key = self.planner, candidate.supply.key
        judgement = planner.case.judge(candidate, planner.policy)
        if judgement.fails:
            return Cause(
                "rule", key, candidate.work, candidate=candidate, findings=self._findings(candidate, "excludes")
            )
        if judgement.unknowns and planner.options.unknown == "exclude":
            findings = self._findings(candidate, "is_conditional")
            return Cause("unknown_fact", key, candidate.work, candidate=candidate, findings=findings)
        spec = planner.case.work(candidate.work)
        runs = (run_of(candidate, spec, task) for task in planner.case.tasks_of_work(candidate.work))
        kind = "usable" if any(run is not None for run in runs) else "too_slow"
        return Cause(kind, key, candidate.work, candidate=candidate)

    def _findings(self, candidate: Candidate, which: str) -> tuple[Finding, ...]:
        every = self.planner.case.findings(candidate, self.planner.policy)
        return tuple(finding for finding in every if getattr(finding, which))


def _without_price(offer: Offer) -> str:
    """The kind of an offer that has no price on the term asked for, or none at all: nobody states what it costs."""
    return "not_sold" if offer.prices else "price_unknown"


def matching_offers(planner: Planner, target: Target) -> Iterator[Offer]:
    """The offers that a target names, quoted ones among them; for a term those that have a price row on it."""
    for offer in planner.case.offers:
        if target.kind == "term":
            if any(price.term is target.term for price in offer.prices):
                yield offer
        elif target.names(offer.key, offer.provider, offer.machine):
            yield offer


def counted(causes: Iterable[Cause]) -> dict[str, int]:
    """How many offers fall to each kind of cause (rules and filters by name), the most first."""
    counts: dict[str, int] = {}
    for cause in causes:
        name = cause.kind
        if cause.kind == "rule":
            name = f"rule {cause.findings[0].id}" if len(cause.findings) == 1 else f"{len(cause.findings)} rules"
        elif cause.filter:
            name = f"{cause.kind}: {cause.filter}"
        counts[name] = counts.get(name, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
