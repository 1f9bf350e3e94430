"""The rules as lists: for `optimize rules`, its JSON, and the generated page."""

from typing import Any, get_args

from optimizer.domain.text import Language
from optimizer.domain.workload import ProfileName
from optimizer.rules.policy import Policy
from optimizer.rules.registry import RULES
from optimizer.rules.rule import DOCUMENTS, GROUPS, Parameter, Rule
from optimizer.rules.statements import STATEMENTS, Statement

PROFILES: tuple[ProfileName, ...] = get_args(ProfileName)


def figure(parameter: Parameter) -> str:
    """A parameter in one line: strict and floor where they differ, and who states which figure."""
    span = " / ".join(dict.fromkeys((parameter.shown(parameter.strict), parameter.shown(parameter.floor))))
    stated = ", ".join(f"{document} {parameter.shown(value)}" for document, value in parameter.stated.items())
    return f"{parameter.name} {span} {parameter.unit}".rstrip() + f" ({stated})"


def figures(rule: Rule) -> str:
    """All parameters of a rule in one line; a dash for a rule without any."""
    return "; ".join(map(figure, rule.parameters)) or "–"


def documents(entry: Rule | Statement) -> str:
    """The documents that an entry rests on, each once, in order."""
    return ", ".join(dict.fromkeys(source.document for source in entry.sources))


def listing(profile: ProfileName, language: Language) -> dict[str, Any]:
    """Everything that `optimize rules --json` says, in one language, with what a profile makes of each rule."""
    policy = Policy(profile)
    return {
        "profile": profile,
        "documents": dict(DOCUMENTS),
        "groups": {group: title.say(language) for group, title in GROUPS.items()},
        "rules": [_rule(rule, policy, language) for rule in RULES],
        "statements": [_statement(statement, language) for statement in STATEMENTS],
    }


def _rule(rule: Rule, policy: Policy, language: Language) -> dict[str, Any]:
    return {
        "id": rule.id,
        "group": rule.group,
        "scope": rule.scope,
        "title": rule.title.say(language),
        "formula": rule.formula,
        "documents": [{"document": source.document, "anchor": source.anchor} for source in rule.sources],
        "parameters": [_parameter(parameter) for parameter in rule.parameters],
        "severity": {name: rule.severity[name].value for name in PROFILES},
        "in_force": {"severity": policy.severity(rule).value, "figures": dict(policy.figures(rule))},
        "confirm": rule.confirm.say(language) if rule.confirm is not None else None,
    }


def _parameter(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "unit": parameter.unit,
        "strict": parameter.strict,
        "floor": parameter.floor,
        "stated": dict(parameter.stated),
        "names": {f"{figure:g}": name for figure, name in parameter.names.items()},
    }


def _statement(statement: Statement, language: Language) -> dict[str, Any]:
    return {
        "id": statement.id,
        "group": statement.group,
        "kind": statement.kind,
        "figure": statement.figure,
        "text": statement.text.say(language),
        "shows": statement.shows.say(language),
        "documents": [{"document": source.document, "anchor": source.anchor} for source in statement.sources],
    }
