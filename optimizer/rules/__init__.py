"""The documents' rules: what each asks, how hard it holds, and what it says of a configuration.

Nothing outside this package knows a rule's content. A rule is one entry in one topic file.
"""

from optimizer.rules.context import Context, HotStorage
from optimizer.rules.judging import Binding, Screening, binding_rules, judge, judge_fast, screen
from optimizer.rules.policy import OverrideError, Policy
from optimizer.rules.pricing import looser, rule_label
from optimizer.rules.registry import RULES, RULES_BY_ID
from optimizer.rules.rule import DOCUMENTS, GROUPS, Parameter, Rule, Source, Verdict

__all__ = [
    "DOCUMENTS",
    "GROUPS",
    "RULES",
    "RULES_BY_ID",
    "Binding",
    "Context",
    "HotStorage",
    "OverrideError",
    "Parameter",
    "Policy",
    "Rule",
    "Screening",
    "Source",
    "Verdict",
    "binding_rules",
    "judge",
    "judge_fast",
    "looser",
    "rule_label",
    "screen",
]
