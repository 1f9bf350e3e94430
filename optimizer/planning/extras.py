"""What stands beside a plan: alternatives, the naive plan, what each binding rule costs; in bounded time."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from time import monotonic

from optimizer.domain.money import from_micros, to_micros
from optimizer.domain.plan import Advice, Alternative, Baseline, Plan, RulePrice
from optimizer.domain.units import MONTHS_PER_YEAR
from optimizer.domain.workload import LayoutSpec
from optimizer.planning.assembly import standing_payments
from optimizer.planning.bounds import INFINITE
from optimizer.planning.candidates import Candidate
from optimizer.planning.judging import advice_of
from optimizer.planning.pipeline import Planner, configurations, floor_rules
from optimizer.planning.search import Accepts, Outcome, complete_only
from optimizer.rules import RULES_BY_ID, Policy
from optimizer.rules.advice import PlanFacts, Rival
from optimizer.rules.pricing import looser, rule_label

MAX_ALTERNATIVES = 3
MAX_RULE_PRICES = 8
NAIVE_MEMORY_GIB = 80
CENT_MICROS = 10_000
PIPELINES_WORTH_SHOWING = 0.95
#: design, section 3: when the strict rules cost more than 10 %, the floor's plan stands beside.
FLOOR_WORTH_SHOWING = 1.1


class Extras:
    """Questions about one planned case, each a re-solve; stops when the allowance is used up."""

    def __init__(self, planner: Planner, plan: Plan, outcome: Outcome) -> None:
        self.planner = planner
        self.result = plan
        self.outcome = outcome
        self.until = monotonic() + planner.options.extra_seconds
        self.used = configurations(outcome)

    def completed(self) -> Plan:
        """The plan with everything beside it."""
        baseline = self.baseline()
        return self.result.model_copy(
            update={
                "baseline": baseline,
                "alternatives": (*self.alternatives(), *self.floor_plan()),
                "rule_prices": tuple(self.rule_prices()),
                "advice": tuple(self.advice()),
            }
        )

    @property
    def has_time(self) -> bool:
        """Whether the allowance is not used up."""
        return monotonic() < self.until

    def _cheapest(self, policy: Policy, accepts: Accepts | None = None) -> Outcome:
        return self.planner.cheapest(policy, accepts, tie_seconds=0.0, seconds=self._seconds_left())

    # alternatives

    def alternatives(self) -> Iterator[Alternative]:
        """The best plan without what makes this one different: its GPU, its provider, its unknowns."""
        seen = {self.outcome.cost_micros}
        found = 0
        unpriced = self._unpriced()
        if unpriced is not None:
            seen.add(unpriced.cost_micros)
            found += 1
            title = ("if missing prices (storage, egress) are low", "若缺失的价格（存储、出网）足够低")
            yield self._alternative(title, unpriced)
        complete = self._complete_beyond_the_budget()
        if complete is not None:
            seen.add(complete.cost_micros)
            found += 1
            yield self._alternative(
                ("with a price for every line, beyond the budget", "各项价格齐全，但超出预算"), complete
            )
        pipelined = self._pipelined()
        if pipelined is not None:
            seen.add(pipelined[1].cost_micros)
            found += 1
            title = (
                "with pipelines, if your tools have them: layout: {pp: any}",
                "若训练工具支持流水线并行：layout: {pp: any}",
            )
            yield self._alternative(title, pipelined[1], pipelined[0])
        for title, accepts, policy in self._directions():
            if found == MAX_ALTERNATIVES or not self.has_time:
                return
            other = self._cheapest(policy, accepts)
            if other.has_plan and other.cost_micros not in seen:
                seen.add(other.cost_micros)
                found += 1
                yield self._alternative(self._with_tie(title, other), other)

    def _with_tie(self, title: tuple[str, str], other: Outcome) -> tuple[str, str]:
        """The title of a plan with every price under the same rules, which can be cheaper only within the tolerance."""
        if other.cost_micros > self.outcome.cost_micros or _missing(configurations(other)):
            return title
        return f"{title[0]} (as cheap, within the tolerance of ties)", f"{title[1]}（费用相同，在并列容差之内）"

    def floor_plan(self) -> Iterator[Alternative]:
        """The plan at all documented floors, where the strict figures cost more than 10 % beyond it."""
        policy = self.planner.policy
        if policy.profile not in ("documents", "strict") or not self.has_time:
            return
        other = self._cheapest(policy.relax(rule.id for rule in floor_rules()))
        if other.has_plan and self.outcome.cost_micros > other.cost_micros * FLOOR_WORTH_SHOWING:
            yield self._alternative(("at the documents' floors", "按文献的最低要求"), other)

    # advice of the documents

    def advice(self) -> Iterator[Advice]:
        """Explanations and advice whose triggers hold, each configuration once."""
        case, policy = self.planner.case, self.planner.policy
        seen: set[tuple[str, str]] = set()
        for candidate in self.used:
            findings = case.findings(candidate, policy)
            for item in advice_of(case, candidate, findings, self._facts(candidate)):
                if (item.workload, item.text_en) not in seen:
                    seen.add((item.workload, item.text_en))
                    yield item

    def _facts(self, candidate: Candidate) -> PlanFacts:
        """What advice may speak of; rivals only for a single workload, where a plan's cost is its own."""
        work = self.planner.case.work(candidate.work)
        days = next(
            (len(range(a.from_day, a.to_day)) for a in self.result.assignments if a.workload == work.name), None
        )
        baseline = self.result.baseline
        alone = len(self.planner.file.workloads) == 1
        gpu, year = candidate.supply.gpu, candidate.supply.gpu.release_year or 0
        comparable = year > 0 and alone and not self.result.incomplete

        def other(one: Candidate) -> bool:
            """Of another generation: an A800 is no newer than an A100."""
            return one.supply.gpu.architecture != gpu.architecture

        return PlanFacts(
            gpu=candidate.supply.machine.gpu_model,
            days=None if work.is_steady else days,
            hours_per_day=work.hours_per_day,
            firm_io=work.firm_io,
            steady_months=self.planner.case.horizon.months if work.is_steady else None,
            year_price_known=any((rent.term.months or 0) >= MONTHS_PER_YEAR for rent in candidate.supply.rents),
            newer=self._rival(lambda c: other(c) and (c.supply.gpu.release_year or 0) > year) if comparable else None,
            mature=self._rival(lambda c: other(c) and (c.supply.gpu.release_year or 9999) < year)
            if comparable
            else None,
            fastest=self._fastest() if alone else None,
            saving=None if baseline is None else baseline.saving_fraction,
        )

    def _rival(self, accepts: Accepts) -> Rival | None:
        if not self.has_time:
            return None
        other = self._cheapest(self.planner.policy, accepts)
        if not other.has_plan or _missing(configurations(other)):
            return None
        cost = self._total(other)
        gpu = configurations(other)[0].supply.machine.gpu_model
        return Rival(gpu, float(cost / _total_of(self.result)), f"{cost:,.2f} {self.result.currency}", _days(other))

    def _fastest(self) -> Rival | None:
        """The fewest days that the file's budget buys; without a budget nothing is said."""
        budget = self.planner.file.budget
        if budget is None or self.planner.file.workloads[0].is_steady or not self.has_time:
            return None
        case, policy = self.planner.case, self.planner.policy
        runs = [
            (bounds.runs[0].days, bounds.upper, bounds.candidate)
            for bounds in self.planner.search.bounds[0]
            if bounds.runs[0] is not None and bounds.upper <= to_micros(budget)
        ]
        runs.sort(key=lambda item: (item[0], item[1], item[2].index))
        best = next((item for item in runs if case.admits(item[2], policy)), None)
        if best is None:
            return None
        return self._rival(lambda candidate: candidate is best[2])

    def _unpriced(self) -> Outcome | None:
        """A cheaper plan some of whose required lines have no price: worth asking for, never taken by itself."""
        other = self.planner.search.cheapest(self.planner.policy, None, seconds=self._seconds_left(), tie_seconds=0.0)
        if not other.has_plan or other.cost_micros >= self.outcome.cost_micros - CENT_MICROS:
            return None
        # Every price known yet cheaper: no other answer, only a tie within the tolerance.
        return other if _missing(configurations(other)) else None

    def _pipelined(self) -> tuple[Planner, Outcome] | None:
        """A clearly cheaper plan of one fine-tuning work on layouts with pipelines, which its usual tools lack."""
        file = self.planner.file
        work = file.workloads[0]
        is_open = work.layout == "auto" or work.layout.pp is None
        if len(file.workloads) > 1 or work.method != "full" or work.model is None or not is_open or not self.has_time:
            return None
        layout = (LayoutSpec() if work.layout == "auto" else work.layout).model_copy(update={"pp": "any"})
        works = (work.model_copy(update={"layout": layout}),)
        trial = Planner(
            file.model_copy(update={"workloads": works}),
            self.planner.catalog,
            self.planner.options,
            self.planner.source,
        )
        other = trial.cheapest(trial.policy, tie_seconds=0.0, seconds=self._seconds_left())
        is_worth_saying = other.has_plan and other.cost_micros < self.outcome.cost_micros * PIPELINES_WORTH_SHOWING
        return (trial, other) if is_worth_saying else None

    def _complete_beyond_the_budget(self) -> Outcome | None:
        """Where a budget leaves only plans with unpriced lines: the cheapest plan without any."""
        file = self.planner.file
        if not self.result.incomplete or file.budget is None:
            return None
        free = Planner(file.model_copy(update={"budget": None}), self.planner.catalog, self.planner.options)
        seconds = self._seconds_left()
        other = free.search.cheapest(self.planner.policy, complete_only(), seconds=seconds, tie_seconds=0.0)
        return other if other.has_plan else None

    def _seconds_left(self) -> float:
        return max(0.5, self.until - monotonic())

    def _directions(self) -> Iterator[tuple[tuple[str, str], Accepts | None, Policy]]:
        policy = self.planner.policy
        gpus = {candidate.supply.machine.gpu_model for candidate in self.used}
        providers = {candidate.supply.provider for candidate in self.used}
        if any(self.planner.case.judge(candidate, policy).unknowns for candidate in self.used):
            case = self.planner.case
            title = ("without anything to confirm", "无待确认项")
            yield title, lambda c: not (c.storage.missing or case.judge(c, policy).unknowns), policy
        named = ", ".join(sorted(gpus))
        title = (f"on another GPU than {named}", f"不用 {named}")
        yield title, lambda candidate: candidate.supply.machine.gpu_model not in gpus, policy
        named = ", ".join(sorted(providers))
        title = (f"at another provider than {named}", f"不选 {named}")
        yield title, lambda candidate: candidate.supply.provider not in providers, policy
        both = (f"other GPU and provider than {named}", f"换 GPU 也换厂商（非 {named}）")
        yield both, lambda c: c.supply.provider not in providers and c.supply.machine.gpu_model not in gpus, policy

    def _alternative(self, title: tuple[str, str], other: Outcome, planner: Planner | None = None) -> Alternative:
        planner = planner or self.planner
        cost = undiscounted(planner, other)
        total = _total_of(self.result)
        return Alternative(
            title_en=title[0],
            title_zh=title[1],
            cost=cost,
            extra=cost - total,
            finish_day=_finish(other),
            description=describe(other),
            missing=_missing(configurations(other)),
            conditional=any(
                c.storage.missing or planner.case.judge(c, planner.policy).unknowns for c in configurations(other)
            ),
        )

    def _total(self, other: Outcome) -> Decimal:
        return undiscounted(self.planner, other)

    # prices of rules

    def rule_prices(self) -> Iterator[RulePrice]:
        """For each hard rule that keeps something cheaper out: the saving of the best plan without it."""
        policy = self.planner.policy
        for rule_id in self._binding()[:MAX_RULE_PRICES]:
            label, least = rule_label(policy, rule_id), self.outcome.cost_micros
            for against, under in (*looser(policy, rule_id), ("", policy.without(rule_id))):
                if not self.has_time:
                    return
                other = self._cheapest(under)
                if other.has_plan and other.cost_micros < least - CENT_MICROS:
                    least = other.cost_micros
                    yield self._rule_price(rule_id, label, against, other)

    def _rule_price(self, rule_id: str, label: str, against: str, other: Outcome) -> RulePrice:
        cost = self._total(other)
        saving = _total_of(self.result) - cost
        return RulePrice(
            rule=rule_id,
            label=label,
            against=against,
            saving=saving,
            fraction=float(saving / cost),
            plan=describe(other),
            source=RULES_BY_ID[rule_id].source,
        )

    def _binding(self) -> list[str]:
        """Rules that alone exclude a candidate whose lower bound lies below the plan's cost, cheapest first."""
        best: dict[str, float] = {}
        case, policy = self.planner.case, self.planner.policy
        for work_bounds in self.planner.search.bounds:
            for bounds in sorted(work_bounds, key=lambda item: item.lower):
                if bounds.lower >= self.outcome.cost_micros or not self.has_time:
                    break
                fails = case.judge(bounds.candidate, policy).fails
                if len(fails) == 1:
                    rule_id = next(iter(fails))
                    if not RULES_BY_ID[rule_id].physical:
                        best.setdefault(rule_id, bounds.lower)
        return sorted(best, key=lambda rule_id: (best[rule_id], rule_id))

    # baseline

    def baseline(self) -> Baseline:
        """The naive plan: the newest data-center GPU of 80 GB and more that physically fits, by the hour, rules off."""
        parts = [self._naive(index) for index in range(len(self.planner.file.workloads))]
        total = _total_of(self.result)
        if any(part is None for part in parts):
            return Baseline(description="no 80 GB data-center GPU by the hour fits", cost=None, saving=None)
        known = [part for part in parts if part is not None]
        standing = from_micros(sum(payment.micros for payment in standing_payments(self.planner.case)))
        cost = sum((amount for _, amount in known), standing)
        saving = cost - total
        return Baseline(
            description="; ".join(dict.fromkeys(_describe_one(candidate, "on_demand") for candidate, _ in known)),
            cost=cost,
            saving=saving,
            saving_fraction=float(saving / cost),
            missing=_missing(candidate for candidate, _ in known),
        )

    def _naive(self, work: int) -> tuple[Candidate, Decimal] | None:
        """The cheapest machine of the newest such GPU for one workload, and its cost by the hour."""
        usable = [
            bounds
            for bounds in self.planner.search.bounds[work]
            if _is_naive(bounds.candidate)
            and bounds.upper < INFINITE
            and all(low is not None for low in bounds.by_task)
        ]
        if not usable:
            return None
        newest = max(bounds.candidate.supply.gpu.release_year or 0 for bounds in usable)
        mine = [bounds for bounds in usable if bounds.candidate.supply.gpu.release_year == newest]
        priced = [(self.planner.search.bounder.hourly_total(bounds.candidate), bounds.candidate) for bounds in mine]
        micros, candidate = min(priced, key=lambda item: (item[0], item[1].index))
        return candidate, from_micros(round(micros))


def _missing(candidates: Iterable[Candidate]) -> tuple[str, ...]:
    """What has no price at some of these configurations."""
    return tuple(dict.fromkeys(name for candidate in candidates for name in candidate.storage.missing))


def _is_naive(candidate: Candidate) -> bool:
    gpu = candidate.supply.gpu
    is_data_center = gpu.ecc is True and gpu.bf16_tflops is not None and gpu.vendor == "NVIDIA"
    return (
        is_data_center
        and candidate.supply.machine.gpu_memory_gib >= NAIVE_MEMORY_GIB
        and candidate.supply.hourly is not None
        and not candidate.is_spot
        and candidate.is_whole
    )


def undiscounted(planner: Planner, outcome: Outcome) -> Decimal:
    """The total of an outcome as a plan states it: what is minimized may be discounted."""
    from optimizer.planning.plan_file import plan_of

    if outcome.assembly is None or outcome.solution is None:
        raise ValueError("no plan")
    if planner.file.discount_rate == 0:
        return from_micros(outcome.cost_micros)
    return _total_of(plan_of(outcome.assembly, outcome.solution, planner.catalog))


def _total_of(plan: Plan) -> Decimal:
    if plan.cost is None:
        raise ValueError("an infeasible plan has no cost")
    return plan.cost.total


def _days(outcome: Outcome) -> float | None:
    if outcome.assembly is None or outcome.solution is None:
        return None
    real = outcome.assembly.real_placements(outcome.solution.placements)
    return float(max(outcome.assembly.placed[identity].run.days for identity in real))


def _finish(outcome: Outcome) -> int | None:
    if outcome.assembly is None or outcome.solution is None:
        return None
    real = outcome.assembly.real_placements(outcome.solution.placements)
    return max(outcome.assembly.placed[identity].end for identity in real) - 1


def describe(outcome: Outcome) -> str:
    """The machines of an outcome in one line, with the terms that serve them."""
    if outcome.assembly is None or outcome.solution is None:
        return ""
    assembly, solution = outcome.assembly, outcome.solution
    terms: dict[str, set[str]] = {}
    for identity, _ in solution.units:
        bought = assembly.bought[identity]
        terms.setdefault(bought.supply.key, set()).add("owned" if bought.rent is None else bought.rent.term.value)
    for service in solution.services:
        if service.placement in assembly.placed:
            key = assembly.placed[service.placement].candidate.supply.key
            named = {assembly.committed[plan].plan.term.value for plan, _ in service.covered_by}
            terms.setdefault(key, set()).update(named | ({"on_demand"} if service.hourly else set()))
    parts = []
    for candidate in configurations(outcome):
        mine = {"spot"} if candidate.is_spot else terms.get(candidate.supply.key) or {"sunk"}
        parts.append(_describe_one(candidate, "+".join(sorted(mine))))
    return "; ".join(dict.fromkeys(parts))


def _describe_one(candidate: Candidate, terms: str) -> str:
    machine = candidate.supply.machine
    gpus = candidate.nodes * candidate.gpus_per_node
    return f"{candidate.nodes} × {candidate.supply.key} ({gpus} × {machine.gpu_model}), {terms}"
