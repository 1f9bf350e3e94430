"""What planning needs to price a rule: its name with the figure in force, and the looser figures of the documents.

Re-planning under `Policy.without(rule_id)` gives the price of a rule; under each looser policy, what a document's
figure costs against another's: "ram-total 2× (D1): 18 % dearer than 1.5× (D0)".
"""

from optimizer.rules.policy import Policy
from optimizer.rules.registry import RULES_BY_ID
from optimizer.rules.rule import Parameter, Rule


def rule_label(policy: Policy, rule_id: str) -> str:
    """A rule with the figures in force and who states them, such as `ram-total 2× (D1)`; without figures its documents.

    Only figures on which documents differ are named.
    """
    rule, figures = RULES_BY_ID[rule_id], policy.figures(rule_id)
    named = [_named(parameter, figures[parameter.name]) for parameter in _disputed(rule)]
    if not named:
        return f"{rule_id} ({', '.join(dict.fromkeys(source.document for source in rule.sources))})"
    return f"{rule_id} {', '.join(named)}"


def looser(policy: Policy, rule_id: str) -> tuple[tuple[str, Policy], ...]:
    """Each document's figure that is looser than the one in force, strictest first: (label, policy under it)."""
    rule = RULES_BY_ID[rule_id]
    disputed, found = _disputed(rule), []
    for document in dict.fromkeys(name for parameter in disputed for name in parameter.stated):
        under = policy.stated_by(rule_id, document)
        steps = [_looseness(one, under.figures(rule)[one.name]) for one in disputed]
        held = [_looseness(one, policy.figures(rule)[one.name]) for one in disputed]
        if all(step >= now for step, now in zip(steps, held, strict=True)) and steps != held:
            found.append((steps, rule_label(under, rule_id), under))
    found.sort(key=lambda entry: (entry[0], entry[1]))
    return tuple((label, under) for _, label, under in found)


def _disputed(rule: Rule) -> tuple[Parameter, ...]:
    """Parameters whose strict figure and floor differ."""
    return tuple(parameter for parameter in rule.parameters if parameter.strict != parameter.floor)


def _looseness(parameter: Parameter, figure: float) -> float:
    """0 at the strict figure, 1 at the floor."""
    return (parameter.strict - figure) / (parameter.strict - parameter.floor)


def _named(parameter: Parameter, figure: float) -> str:
    documents = ", ".join(document for document, stated in parameter.stated.items() if stated == figure)
    unit = parameter.unit if parameter.unit in ("×", "") else f" {parameter.unit}"
    return f"{parameter.shown(figure)}{unit} ({documents or 'set by the user'})"
