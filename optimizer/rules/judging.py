"""Judging a configuration: quickly for planning (kinds only), or in full with words for people.

`screen` is what planning calls for thousands of configurations: it builds no text. `judge` builds every message.
"""

from collections import Counter
from collections.abc import Iterable
from string import Formatter
from typing import NamedTuple

from optimizer.domain.finding import Finding, Severity, VerdictKind
from optimizer.rules.context import Context
from optimizer.rules.policy import Policy, Row, weaker
from optimizer.rules.rule import FAIL, UNKNOWN, Rule, Verdict, filled


class Screening(NamedTuple):
    """Ids of the rules that decide about one configuration under one policy.

    `failed`: hard rules that fail (the configuration does not exist). `unknown`: hard rules without an answer (it is
    conditional). `below_strict`: rules whose strictest documented figure would exclude it and that are held softer
    here (floor, fallback, override).
    """

    failed: tuple[str, ...]
    unknown: tuple[str, ...]
    below_strict: tuple[str, ...]

    @property
    def admitted(self) -> bool:
        """Whether the configuration exists under the policy (unknowns admit as conditional)."""
        return not self.failed


def judge(context: Context, policy: Policy) -> tuple[Finding, ...]:
    """One finding for each rule that applies, in the order of the registry, with words in both languages."""
    findings = []
    for row in policy.rows:
        verdict = row.rule.check(context, row.figures)
        if verdict.kind is not VerdictKind.NOT_APPLICABLE:
            findings.append(_finding(row, context, verdict))
    return tuple(findings)


def judge_fast(context: Context, policy: Policy) -> tuple[tuple[str, VerdictKind], ...]:
    """Id and kind of each rule that applies, without any text."""
    kinds = ((row.rule.id, row.rule.check(context, row.figures).kind) for row in policy.rows)
    return tuple(pair for pair in kinds if pair[1] is not VerdictKind.NOT_APPLICABLE)


def screen(context: Context, policy: Policy) -> Screening:
    """What decides about a configuration: hard fails, hard unknowns, rules below their strict figure.

    What depends on the machine alone is worked out once for each machine and number of GPUs used, and kept in the
    policy.
    """
    key = (id(context.machine), id(context.gpu), context.gpus_used_per_node)
    kept = policy.machine_screenings.get(key)
    if kept is None or kept[0] is not context.machine or kept[1] is not context.gpu:
        kept = (context.machine, context.gpu, _screen_rows(context, policy.machine_rows))
        policy.machine_screenings[key] = kept
    machine, job = kept[2], _screen_rows(context, policy.job_rows)
    return Screening(*(first + second for first, second in zip(machine, job, strict=True)))


def _screen_rows(context: Context, rows: tuple[Row, ...]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    failing, unknowns, below = [], [], []
    for row in rows:
        is_hard = row.severity is Severity.HARD
        verdict = row.rule.check(context, row.figures)
        if is_hard and verdict.at_most in (None, Severity.HARD):
            if verdict.kind is FAIL:
                failing.append(row.rule.id)
                continue
            if verdict.kind is UNKNOWN:
                unknowns.append(row.rule.id)
        if _is_below_strict(row, context, verdict):
            below.append(row.rule.id)
    return tuple(failing), tuple(unknowns), tuple(below)


class Binding(NamedTuple):
    """How many configurations a hard rule takes out, and how many it alone takes out."""

    excluded: int
    excluded_alone: int


def binding_rules(screenings: Iterable[Screening]) -> dict[str, Binding]:
    """The hard rules that take out at least one configuration; the price of a rule is asked for these only."""
    excluded: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    for screening in screenings:
        excluded.update(screening.failed)
        if len(screening.failed) == 1:
            alone[screening.failed[0]] += 1
    return {rule_id: Binding(count, alone[rule_id]) for rule_id, count in sorted(excluded.items())}


def _is_below_strict(row: Row, context: Context, verdict: Verdict) -> bool:
    """Whether the strict profile would exclude what this policy lets through."""
    if not row.strict_is_hard or (row.severity is Severity.HARD and row.strict_figures is None):
        return False
    strict = verdict if row.strict_figures is None else row.rule.check(context, row.strict_figures)
    return strict.kind is FAIL and strict.at_most in (None, Severity.HARD)


def _finding(row: Row, context: Context, verdict: Verdict) -> Finding:
    rule, severity = row.rule, weaker(row.severity, verdict.at_most)
    excludes = severity is Severity.HARD and verdict.kind is FAIL
    message = rule.messages[verdict.say or verdict.kind.value]
    confirm = rule.confirm if verdict.kind is UNKNOWN else None
    return Finding(
        id=rule.id,
        verdict=verdict.kind,
        severity=severity,
        measured=_measured(rule, verdict),
        required=filled(rule.required, verdict.values, "en"),
        source=rule.source,
        message_en=filled(message.en, verdict.values, "en"),
        message_zh=filled(message.zh, verdict.values, "zh"),
        confirm_en=filled(confirm.en, verdict.values, "en") if confirm else "",
        confirm_zh=filled(confirm.zh, verdict.values, "zh") if confirm else "",
        below_strict=not excludes and _is_below_strict(row, context, verdict),
    )


def _measured(rule: Rule, verdict: Verdict) -> str:
    """What was found, in symbols; "unknown" alone where nothing was."""
    names = [name for _, name, _, _ in Formatter().parse(rule.measured) if name]
    is_blank = verdict.kind is UNKNOWN and all(verdict.values.get(name) is None for name in names)
    return "unknown" if is_blank else filled(rule.measured, verdict.values, "en")
