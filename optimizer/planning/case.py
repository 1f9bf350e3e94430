"""One planning case: the file, the catalog's facts, and every candidate with what the rules say of it.

Everything that does not depend on the rules' profile is computed once, so that the price of a rule, relaxations
and alternatives re-plan in a fraction of the first plan's time.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, Literal

from optimizer.catalog.freshness import MAX_AGE_DAYS
from optimizer.domain.finding import Finding
from optimizer.domain.fit import Misfit
from optimizer.domain.money import Rates
from optimizer.domain.offer import Offer
from optimizer.domain.plan import Caution
from optimizer.domain.workload import Work, WorkloadFile
from optimizer.planning.candidates import Candidate, WorkFacts
from optimizer.planning.costing import Horizon
from optimizer.planning.demand import TaskDemand
from optimizer.planning.supply import RemovalLog, Supply
from optimizer.rules import Policy


@dataclass(frozen=True)
class PlanOptions:
    """What the command line adds to the file.

    `every_region` keeps regions that a cheaper one of the same machine makes needless, and savings plans that cannot
    pay (for questions about them).
    Prices older than `max_age_days` are marked, and left out with `exclude_old`, as are undated ones.
    """

    as_of: date
    market: bool = False
    unknown: Literal["admit", "exclude"] = "admit"
    providers: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    confidence: float | None = None
    objective: Literal["cost", "time"] = "cost"
    seconds: float = 60.0
    extra_seconds: float = 20.0
    extras: bool = True
    every_region: bool = False
    max_age_days: int = MAX_AGE_DAYS
    exclude_old: bool = False

    @property
    def oldest(self) -> date | None:
        """The first day whose prices are young enough; `None` where age does not exclude."""
        return self.as_of - timedelta(days=self.max_age_days) if self.exclude_old else None

    def recorded(self) -> dict[str, Any]:
        """What a plan file keeps of these options: those that change the answer and are not the default."""
        kept = {name: getattr(self, name) for name in RECORDED_OPTIONS}
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in kept.items()}
        return {name: value for name, value in plain.items() if value != _DEFAULTS[name]}

    @classmethod
    def of_record(cls, as_of: date, recorded: Mapping[str, Any], **more: Any) -> "PlanOptions":
        """The options that a plan file keeps, with others beside them."""
        kept = {name: recorded[name] for name in RECORDED_OPTIONS if name in recorded}
        lists = {name: tuple(value) if isinstance(value, list) else value for name, value in kept.items()}
        return cls(as_of=as_of, **{**lists, **more})


_DEFAULTS: dict[str, Any] = {
    "market": False,
    "unknown": "admit",
    "providers": [],
    "regions": [],
    "confidence": None,
    "objective": "cost",
    "max_age_days": MAX_AGE_DAYS,
    "exclude_old": False,
}
RECORDED_OPTIONS = tuple(_DEFAULTS)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The rules' verdicts on one candidate: what excludes it, what to confirm, what is below the strict figure."""

    fails: frozenset[str]
    unknowns: frozenset[str]
    below_strict: frozenset[str]


@dataclass(frozen=True, slots=True)
class NoFit:
    """A supply and node count on which the work does not fit."""

    supply: Supply
    nodes: int
    misfit: Misfit


def policy_key(policy: Policy) -> str:
    """What tells two policies apart."""
    overrides = sorted((rule, override.model_dump_json()) for rule, override in policy.overrides.items())
    return f"{policy.profile} {sorted(policy.relaxed)} {sorted(policy.removed)} {overrides}"


@dataclass
class Case:
    """All candidates of all workloads of one file on one catalog.

    `standing` are supplies with sunk units, used or not; `offers` all that was looked at, the user's quotes among them;
    `judgements` is a cache by candidate and policy.
    """

    file: WorkloadFile
    options: PlanOptions
    horizon: Horizon
    rates: Rates
    works: tuple[WorkFacts, ...]
    tasks: tuple[TaskDemand, ...]
    candidates: tuple[tuple[Candidate, ...], ...]
    misfits: tuple[tuple[NoFit, ...], ...]
    removals: RemovalLog
    standing: tuple[Supply, ...] = ()
    offers: tuple[Offer, ...] = ()
    notes: list[str] = field(default_factory=list)
    cautions: list[Caution] = field(default_factory=list)
    judgements: dict[tuple[int, str], Judgement] = field(default_factory=dict)

    def work(self, index: int) -> Work:
        """A workload of the file."""
        return self.file.workloads[index]

    def tasks_of_work(self, work: int) -> tuple[TaskDemand, ...]:
        """The tasks of one workload."""
        return tuple(task for task in self.tasks if task.work == work)

    def judge(self, candidate: Candidate, policy: Policy) -> Judgement:
        """The rules' verdicts on a candidate under a policy, computed once."""
        key = (candidate.index, policy_key(policy))
        known = self.judgements.get(key)
        if known is None:
            from optimizer.planning.judging import judgement_of

            known = self.judgements[key] = judgement_of(self, candidate, policy)
        return known

    def admits(self, candidate: Candidate, policy: Policy) -> bool:
        """Whether no hard rule fails, and none is unknown where unknowns are to be excluded."""
        judgement = self.judge(candidate, policy)
        if judgement.fails:
            return False
        return not (judgement.unknowns and self.options.unknown == "exclude")

    def findings(self, candidate: Candidate, policy: Policy) -> tuple[Finding, ...]:
        """Every verdict on a candidate with its numbers and sentences, for the plan file."""
        from optimizer.planning.judging import findings_of

        return findings_of(self, candidate, policy)
