"""Asking the rules about a candidate: from planning's records to the rules' context."""

from optimizer.domain.finding import Finding
from optimizer.domain.plan import Advice
from optimizer.planning.candidates import Candidate
from optimizer.planning.case import Case, Judgement
from optimizer.planning.storage import StoragePlan
from optimizer.rules import Context, HotStorage, Policy, judge, screen
from optimizer.rules.advice import PlanFacts, plan_advice
from optimizer.rules.explanations import explanations


def context_of(case: Case, candidate: Candidate, *, is_cheapest: bool | None = None) -> Context:
    """What the rules may look at; `is_cheapest` is said of the candidates that the plan chose."""
    work = case.work(candidate.work)
    supply = candidate.supply
    return Context(
        work=work,
        machine=supply.machine,
        gpu=supply.gpu,
        gpus_used_per_node=candidate.gpus_per_node,
        nodes=candidate.nodes,
        shape=case.works[candidate.work].shape,
        fit=candidate.fit,
        run_hours=candidate.run_hours,
        storage=_hot_storage(candidate.storage, candidate),
        site_power_kw=case.file.owned.site_power_kw if supply.is_owned else None,
        pue=case.file.owned.pue,
        load_kw=load_kw(candidate),
        owned=supply.is_owned,
        is_cheapest=is_cheapest,
    )


def load_kw(candidate: Candidate) -> float | None:
    """Power of one machine at full load, from the user's own figures or the catalog's."""
    supply = candidate.supply
    if supply.purchases:
        return supply.purchases[0].load_kw
    already = next((sunk.already for sunk in supply.sunk if sunk.already is not None), None)
    if already is not None and already.load_kw is not None:
        return already.load_kw
    watts = supply.machine.power_watts
    return None if watts is None else watts / 1000


def _hot_storage(plan: StoragePlan, candidate: Candidate) -> HotStorage:
    machine = candidate.supply.machine
    if plan.local:
        share = candidate.gpus_per_node / machine.gpu_count
        capacity = None if machine.local_nvme_gb is None else machine.local_nvme_gb * share
        return HotStorage("local_nvme", "local NVMe", machine.local_nvme_gbyte_per_s, None, capacity, False, "nvme")
    if plan.hot is not None:
        hot = plan.hot
        return HotStorage("volume", hot.product, hot.rate_gbyte_per_s, hot.iops, None, hot.shared)
    return HotStorage("none")


def judgement_of(case: Case, candidate: Candidate, policy: Policy) -> Judgement:
    """Verdicts that decide: hard fails, hard unknowns, and passes below the strict figure."""
    screening = screen(context_of(case, candidate), policy)
    return Judgement(
        fails=frozenset(screening.failed),
        unknowns=frozenset(screening.unknown),
        below_strict=frozenset(screening.below_strict),
    )


def findings_of(case: Case, candidate: Candidate, policy: Policy) -> tuple[Finding, ...]:
    """All verdicts on a chosen candidate, with their sentences."""
    return judge(context_of(case, candidate, is_cheapest=True), policy)


def advice_of(
    case: Case, candidate: Candidate, findings: tuple[Finding, ...], facts: PlanFacts | None
) -> tuple[Advice, ...]:
    """The documents' explanations and advice whose triggers hold for a chosen candidate."""
    said = explanations(context_of(case, candidate, is_cheapest=True), findings)
    beside = () if facts is None else plan_advice(facts)
    name = case.work(candidate.work).name
    return tuple(
        Advice(id=item.id, workload=name, text_en=item.say("en"), text_zh=item.say("zh"), source=item.source)
        for item in (*said, *beside)
    )
