"""Which rules hold how hard: a profile, the workload's overrides, and the relaxations that planning tries."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from math import isfinite
from typing import Any

from optimizer.domain.finding import Severity
from optimizer.domain.workload import ProfileName, RuleOverride
from optimizer.errors import Problem
from optimizer.rules.registry import RULES, RULES_BY_ID
from optimizer.rules.rule import Figures, Rule

#: Severities from the one that excludes to the one that is not even evaluated.
ORDER = (Severity.HARD, Severity.WARN, Severity.ADVICE, Severity.NOTE, Severity.OFF)
_RANK = {severity: rank for rank, severity in enumerate(ORDER)}


def weaker(first: Severity, second: Severity | None) -> Severity:
    """The weaker of two severities."""
    return first if second is None or _RANK[first] >= _RANK[second] else second


class OverrideError(ValueError):
    """The workload's `rules:` names something that no rule has; `problems` lists all of it."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        super().__init__("\n".join(str(problem) for problem in problems))


@dataclass(frozen=True, slots=True)
class Row:
    """One rule as a policy holds it. `strict_figures` is None where the figures in force are the strict ones."""

    rule: Rule
    severity: Severity
    figures: Figures
    strict_figures: Figures | None
    strict_is_hard: bool


@dataclass(frozen=True)
class Policy:
    """A profile with overrides by rule id. Overrides win over the profile and over relaxing.

    `relaxed` rules hold with their documented floor's figure and severity; `removed` rules are not evaluated.
    `machine_rows` and `job_rows` are the rows that decide, `machine_screenings` what is kept of each machine.
    """

    profile: ProfileName = "documents"
    overrides: Mapping[str, RuleOverride] = field(default_factory=dict)
    relaxed: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    rows: tuple[Row, ...] = field(init=False, repr=False, compare=False)
    machine_rows: tuple[Row, ...] = field(init=False, repr=False, compare=False)
    job_rows: tuple[Row, ...] = field(init=False, repr=False, compare=False)
    machine_screenings: dict[tuple[int, int, int], Any] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        rows = tuple(row for row in map(self._row, RULES) if row.severity is not Severity.OFF)
        deciding = [row for row in rows if row.severity is Severity.HARD or row.strict_is_hard]
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "machine_rows", tuple(row for row in deciding if row.rule.machine_only))
        object.__setattr__(self, "job_rows", tuple(row for row in deciding if not row.rule.machine_only))

    @classmethod
    def of(cls, profile: ProfileName = "documents", overrides: Mapping[str, RuleOverride] | None = None) -> "Policy":
        """A policy from the workload file's `profile` and `rules`.

        Raises:
            OverrideError: an unknown rule or parameter, a figure that is no positive number, or a severity for a
                physical rule; all problems at once, each with a suggestion.
        """
        overrides = dict(overrides or {})
        problems = tuple(problem for name, given in overrides.items() for problem in _problems(name, given))
        if problems:
            raise OverrideError(problems)
        return cls(profile, overrides)

    def severity(self, rule: Rule | str) -> Severity:
        """What a failing verdict of the rule does under this policy (before a verdict weakens it)."""
        rule = _rule(rule)
        if rule.id in self.removed:
            return Severity.OFF
        override = self.overrides.get(rule.id)
        if override is not None and override.severity is not None:
            return Severity(override.severity)
        return rule.severity["floor" if rule.id in self.relaxed else self.profile]

    def figures(self, rule: Rule | str) -> Figures:
        """The figures in force by parameter name."""
        rule = _rule(rule)
        at_floor = self.profile == "floor" or rule.id in self.relaxed
        figures = rule.floor_figures() if at_floor else rule.strict_figures()
        override = self.overrides.get(rule.id)
        return figures | {name: float(value) for name, value in override.figures.items()} if override else figures

    def relax(self, rule_ids: Iterable[str]) -> "Policy":
        """The same policy with the named rules at their documented floor (figure and severity).

        Raises:
            ValueError: an id that no rule has.
        """
        names = frozenset(_rule(rule_id).id for rule_id in rule_ids)
        return Policy(self.profile, self.overrides, self.relaxed | names, self.removed)

    def without(self, rule_id: str) -> "Policy":
        """The same policy without one rule; for the price of a rule.

        Raises:
            ValueError: an id that no rule has, or a physical rule.
        """
        rule = _rule(rule_id)
        if rule.physical:
            raise ValueError(f"{rule_id} is physical and cannot be taken away")
        return Policy(self.profile, self.overrides, self.relaxed, self.removed | {rule_id})

    def stated_by(self, rule_id: str, document: str) -> "Policy":
        """The same policy with one rule at the figures of one document; for comparing documents.

        Raises:
            ValueError: an id that no rule has, or a document that states no figure of it.
        """
        rule = _rule(rule_id)
        figures = {
            parameter.name: figure
            for parameter in rule.parameters
            for name, figure in parameter.stated.items()
            if name == document
        }
        if not figures:
            raise ValueError(f"{document} states no figure of {rule_id}")
        given = self.overrides.get(rule_id)
        severity = given.severity if given is not None else None
        override = RuleOverride(severity=severity, **figures)
        return Policy(self.profile, {**self.overrides, rule_id: override}, self.relaxed, self.removed)

    def changes(self) -> tuple[str, ...]:
        """What the workload file changed of the rules, one line each, so that an answer can say so."""
        lines = []
        for rule_id, override in self.overrides.items():
            rule = _rule(rule_id)
            if override.severity is not None:
                lines.append(f"{rule_id}: severity {override.severity} (profile: {rule.severity[self.profile]})")
            for name, value in override.figures.items():
                parameter = rule.parameter(name)
                stated = ", ".join(f"{document} {parameter.shown(one)}" for document, one in parameter.stated.items())
                given = f"{parameter.shown(float(value))} {parameter.unit}".rstrip()
                lines.append(f"{rule_id}: {name} {given} ({stated})")
        return tuple(lines)

    def _row(self, rule: Rule) -> Row:
        figures, strict = self.figures(rule), rule.strict_figures()
        return Row(
            rule=rule,
            severity=self.severity(rule),
            figures=figures,
            strict_figures=None if figures == strict else strict,
            strict_is_hard=rule.severity["strict"] is Severity.HARD,
        )


def _rule(rule: Rule | str) -> Rule:
    if isinstance(rule, Rule):
        return rule
    found = RULES_BY_ID.get(rule)
    if found is None:
        raise ValueError(f"no rule is called {rule}. {_suggestion(rule, RULES_BY_ID)}")
    return found


def _suggestion(name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = get_close_matches(name, names, n=1)
    return f"Did you mean {near[0]}?" if near else f"Known: {', '.join(names) or 'none'}"


def _problems(rule_id: str, override: RuleOverride) -> list[Problem]:
    """Everything that is wrong with one entry of the workload's `rules:`."""
    rule = RULES_BY_ID.get(rule_id)
    if rule is None:
        return [_problem(f"rules.{rule_id}", rule_id, "the id of a rule", _suggestion(rule_id, RULES_BY_ID))]
    problems = []
    if rule.physical and override.severity not in (None, "hard"):
        problems.append(
            _problem(f"rules.{rule_id}.severity", str(override.severity), "hard", "What does not fit cannot run")
        )
    names = [parameter.name for parameter in rule.parameters]
    for name, value in override.figures.items():
        place = f"rules.{rule_id}.{name}"
        if name not in names:
            problems.append(_problem(place, name, f"a parameter of {rule_id}", _suggestion(name, names)))
        elif not _is_figure(value):
            problems.append(_problem(place, repr(value), "a number that is not negative", None))
    return problems


def _is_figure(value: Any) -> bool:
    return isinstance(value, int | float) and isfinite(value) and value >= 0


def _problem(place: str, found: str, expected: str, suggestion: str | None) -> Problem:
    return Problem("workload", place, found, expected, suggestion=suggestion)
