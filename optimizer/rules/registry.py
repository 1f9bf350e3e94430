"""All rules, collected from their topic files in the order of the documents' groups."""

from types import MappingProxyType

from optimizer.domain.finding import Severity
from optimizer.rules import cluster, gpu, host, memory, storage, terms
from optimizer.rules.rule import Rule


def collect(*topics: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """All rules of the topic files.

    Raises:
        ValueError: an id is used twice, or a rule that may be hard says nothing about how to confirm an unknown.
    """
    rules = tuple(rule for topic in topics for rule in topic)
    ids = [rule.id for rule in rules]
    doubled = sorted({name for name in ids if ids.count(name) > 1})
    if doubled:
        raise ValueError(f"rule ids must differ; used twice: {', '.join(doubled)}")
    silent = [rule.id for rule in rules if rule.severity["documents"] is Severity.HARD and rule.confirm is None]
    if silent:
        raise ValueError(f"hard rules must say how an unknown is confirmed: {', '.join(silent)}")
    return rules


RULES: tuple[Rule, ...] = collect(memory.RULES, gpu.RULES, host.RULES, storage.RULES, cluster.RULES, terms.RULES)
RULES_BY_ID = MappingProxyType({rule.id: rule for rule in RULES})
