"""The rules judged again: the same verdicts, no hard failure, conditional where a hard answer is unknown."""

from optimizer.domain.finding import Finding
from optimizer.domain.offer import Offer
from optimizer.domain.plan import Assignment
from optimizer.domain.workload import Work
from optimizer.verify.check import Checks
from optimizer.verify.context import OWNED, Context, label, pool_of
from optimizer.verify.owned import owned_units
from optimizer.verify.sizing import recounted, shape_of

#: Rules that look at the store's own figures, which a plan file does not carry.
STORE_RULES = frozenset({"nvme-hot", "nvme-capacity", "storage-rate", "small-file-io"})


def check_rules(context: Context, checks: Checks) -> None:
    """Verdicts of every assignment, the plan's list of unknowns and of rules below their strict figure."""
    unknown: set[tuple[str, str]] = set()
    below: set[str] = set()
    for a in context.plan.assignments:
        _check_flags(a, checks)
        unknown |= {(pool_of(a), finding.id) for finding in a.rules if finding.is_conditional}
        below |= {finding.id for finding in a.rules if finding.below_strict}
        work, offer = context.works.get(a.workload), context.offer_of(a)
        if work is not None and offer is not None and a.gpu_model in context.facts.gpus:
            _check_verdicts(context, work, offer, a, checks)
    listed = [(row.offer, row.rule) for row in context.plan.unknowns]
    checks.equal("rules.unknowns", sorted(unknown), sorted(listed))
    checks.equal("rules.below_strict", sorted(below), sorted(context.plan.rules_below_strict))


def _check_flags(a: Assignment, checks: Checks) -> None:
    where = label(a)
    failing = [finding.id for finding in a.rules if finding.excludes]
    checks.equal(f"rules.no_hard_failure[{where}]", [], failing)
    names = [finding.id for finding in a.rules]
    checks.equal(f"rules.each_once[{where}]", len(set(names)), len(names))


def _check_verdicts(context: Context, work: Work, offer: Offer, a: Assignment, checks: Checks) -> None:
    mine = {finding.id: finding for finding in judged(context, work, offer, a)}
    theirs = {finding.id: finding for finding in a.rules}
    where = label(a)
    skipped = STORE_RULES if not context.facts.stores else frozenset()
    checks.equal(f"rules.ids[{where}]", sorted(set(mine) - skipped), sorted(set(theirs) - skipped))
    for name in sorted((set(mine) & set(theirs)) - skipped):
        checks.equal(f"rules.verdict[{where}.{name}]", _compared(mine[name]), _compared(theirs[name]))


def _compared(finding: Finding) -> tuple[str, ...]:
    below = "below strict" if finding.below_strict else ""
    return (finding.verdict.value, finding.severity.value, finding.measured, finding.required, below)


def judged(context: Context, work: Work, offer: Offer, a: Assignment) -> tuple[Finding, ...]:
    """What the rules say of an assignment under the plan's profile and the file's overrides."""
    from optimizer.rules import Context as RuleContext
    from optimizer.rules import Policy, judge

    gpu = context.facts.gpus[a.gpu_model]
    is_owned = a.provider == OWNED
    fit = recounted(context, work, offer, gpu, a) if a.layout is not None else None
    rule_context = RuleContext(
        work=work,
        machine=offer.machine,
        gpu=gpu,
        gpus_used_per_node=a.gpus_used_per_node,
        nodes=a.nodes,
        shape=shape_of(context, work),
        fit=fit,  # type: ignore[arg-type]
        run_hours=None if work.is_steady else a.run_hours,
        storage=None,
        site_power_kw=context.file.owned.site_power_kw if is_owned else None,
        pue=context.file.owned.pue,
        load_kw=load_kw(context, offer, a),
        owned=is_owned,
    )
    policy = Policy.of(context.file.profile, context.file.rules)
    if context.file.profile == "documents":
        policy = policy.relax(context.plan.rules_below_strict)
    return judge(rule_context, policy)


def load_kw(context: Context, offer: Offer, a: Assignment) -> float | None:
    """Power of one machine at full load: the user's own figure, else the machine's."""
    record = next((units.record for units in owned_units(context) if units.pool == pool_of(a)), None)
    if record is not None and record.load_kw is not None:
        return record.load_kw
    watts = offer.machine.power_watts
    return None if watts is None else watts / 1000
