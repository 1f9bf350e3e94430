"""The rules judged again: the same verdicts, no hard failure, conditional where a hard answer is unknown."""

from optimizer.domain.finding import Finding
from optimizer.domain.fit import Fit
from optimizer.domain.offer import Offer
from optimizer.domain.plan import Assignment
from optimizer.domain.text import LANGUAGES, Text
from optimizer.domain.workload import Work
from optimizer.rules import Context as RuleContext
from optimizer.rules import HotStorage, Policy, judge
from optimizer.rules.figures import figure_in_chinese
from optimizer.verify import texts
from optimizer.verify.check import Checks
from optimizer.verify.context import OWNED, Context, label, pool_of
from optimizer.verify.owned import owned_units, running_record
from optimizer.verify.sizing import checkpoint_gb, recounted, shape_of
from optimizer.verify.storage import hot_need_gb, hot_product, is_local

WATTS_PER_KW = 1000
#: The only profile that moves a rule to its documented floor where the strict figures allow no plan.
WITH_FALLBACK = "documents"


def check_rules(context: Context, checks: Checks) -> None:
    """Verdicts of every assignment, the plan's list of unknowns and of rules at their documented floor."""
    for a in context.plan.assignments:
        _check_flags(context, a, checks)
        work, offer = context.works.get(a.workload), context.offer_of(a)
        if work is not None and offer is not None and a.gpu_model in context.facts.gpus:
            _check_verdicts(context, work, offer, a, checks)
    unknown = {
        (pool_of(a), finding.id, a.provider, *_words(finding))
        for a in context.plan.assignments
        for finding in a.rules
        if finding.is_conditional
    }
    listed = {(row.offer, row.rule, row.confirm_with, row.what_en, row.what_zh) for row in context.plan.unknowns}
    pairs = sorted((row.offer, row.rule) for row in context.plan.unknowns)
    checks.equal("rules.unknowns", sorted({(offer, rule) for offer, rule, *_ in unknown}), pairs)
    others = [(*row, Text(en, zh)) for *row, en, zh in sorted(listed - unknown)]
    checks.add("rules.unknown_texts", listed <= unknown, texts.OF_THE_FINDINGS, others)
    checks.equal("rules.below_strict", _at_floor(context), sorted(context.plan.rules_below_strict))


def _words(finding: Finding) -> tuple[str, str]:
    """What to confirm, in both languages."""
    return finding.confirm_en or finding.message_en, finding.confirm_zh or finding.message_zh


def _at_floor(context: Context) -> list[str]:
    """Rules that an assignment passes only below their strict figure, but for those that the file itself changed."""
    if context.plan.profile != WITH_FALLBACK:
        return []
    below = {finding.id for a in context.plan.assignments for finding in a.rules if finding.below_strict}
    return sorted(below - set(context.file.rules))


def _check_flags(context: Context, a: Assignment, checks: Checks) -> None:
    where = label(a)
    failing = [finding.id for finding in a.rules if finding.excludes]
    checks.equal(f"rules.no_hard_failure[{where}]", [], failing)
    names = [finding.id for finding in a.rules]
    checks.equal(f"rules.each_once[{where}]", len(set(names)), len(names))
    unpriced = any(text.startswith(f"{a.workload}: ") and text.endswith(pool_of(a)) for text in context.plan.incomplete)
    conditional = any(finding.is_conditional for finding in a.rules) or unpriced
    checks.equal(f"rules.conditional[{where}]", conditional, a.conditional)


def _check_verdicts(context: Context, work: Work, offer: Offer, a: Assignment, checks: Checks) -> None:
    rule_context = rule_context_of(context, work, offer, a)
    policy = Policy.of(context.file.profile, context.file.rules)
    judged = {finding.id: finding for finding in judge(rule_context, policy)}
    moved = dict(judged)
    if context.plan.profile == WITH_FALLBACK:
        floor = policy.relax(finding.id for finding in a.rules if finding.id not in context.file.rules)
        moved = {finding.id: finding for finding in judge(rule_context, floor)}
    where = label(a)
    checks.equal(f"rules.ids[{where}]", sorted(judged), sorted(finding.id for finding in a.rules))
    for found in a.rules:
        allowed = [source[found.id] for source in (judged, moved) if found.id in source]
        expected = _otherwise(allowed[0], found) if allowed else texts.NONE
        stated = _otherwise(found, allowed[0]) if allowed else found.id
        checks.add(f"rules.verdict[{where}.{found.id}]", found in allowed, expected, stated)


def _otherwise(finding: Finding, other: Finding) -> dict[str, object]:
    """The fields of a finding that differ from another's; words that differ in both languages are told in one."""
    differing = {name: value for name, value in finding if value != getattr(other, name)}
    said: dict[str, object] = {}
    for name, value in differing.items():
        stem, _, language = name.rpartition("_")
        if name in ("measured", "required"):
            said[name] = Text(value, figure_in_chinese(value))
        elif language in LANGUAGES and differing.keys() >= {f"{stem}_en", f"{stem}_zh"}:
            said[stem] = Text(differing[f"{stem}_en"], differing[f"{stem}_zh"])
        else:
            said[name] = value
    return said


def rule_context_of(context: Context, work: Work, offer: Offer, a: Assignment) -> RuleContext:
    """What the rules look at, rebuilt from the plan and the fact tables."""
    gpu = context.facts.gpus[a.gpu_model]
    fit = recounted(context, work, offer, gpu, a) if a.layout is not None else None
    is_owned = a.provider == OWNED
    return RuleContext(
        work=work,
        machine=offer.machine,
        gpu=gpu,
        gpus_used_per_node=a.gpus_used_per_node,
        nodes=a.nodes,
        shape=shape_of(context, work),
        fit=fit if isinstance(fit, Fit) else None,
        run_hours=None if work.is_steady else a.run_hours,
        storage=hot_storage_of(context, work, offer, a),
        site_power_kw=context.file.owned.site_power_kw if is_owned else None,
        pue=context.file.owned.pue,
        load_kw=load_kw(context, offer, a),
        owned=is_owned,
        is_cheapest=True,
    )


def hot_storage_of(context: Context, work: Work, offer: Offer, a: Assignment) -> HotStorage:
    """Where the hot data lies: the machine's own NVMe, the product that a line names, or nowhere."""
    need_gb = hot_need_gb(work, checkpoint_gb(context, work, a))
    if is_local(context, a, need_gb):
        machine = offer.machine
        capacity = (machine.local_nvme_gb or 0.0) * (a.gpus_used_per_node / machine.gpu_count)
        return HotStorage("local_nvme", "local NVMe", machine.local_nvme_gbyte_per_s, None, capacity, False, "nvme")
    product = hot_product(context, a)
    if product is None:
        return HotStorage("none")
    store = context.facts.stores[a.provider, a.region, product]
    size_gb = max(need_gb, store.min_size_gb)
    return HotStorage("volume", product, store.rate_of(size_gb), store.iops, None, store.shared)


def load_kw(context: Context, offer: Offer, a: Assignment) -> float | None:
    """Power of one machine at full load: the user's own figure, else the machine's."""
    record = running_record(context, owned_units(context), a)
    if record is not None and record.load_kw is not None:
        return record.load_kw
    watts = offer.machine.power_watts
    return None if watts is None else watts / WATTS_PER_KW
