"""Every rule's own examples, and every sentence that a rule can say."""

from string import Formatter

import pytest

from optimizer.domain.finding import VerdictKind
from optimizer.domain.text import Text
from optimizer.rules import RULES, Policy, Rule, judge
from optimizer.rules.examples import build

STRICT = Policy("strict")
RULE_IDS = [rule.id for rule in RULES]


def placeholders(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name}


@pytest.mark.parametrize("rule", RULES, ids=RULE_IDS)
def test_passing_examples_pass(rule: Rule) -> None:
    assert rule.passing
    for example in rule.passing:
        assert rule.check(build(example), STRICT.figures(rule)).kind is VerdictKind.PASS, example


@pytest.mark.parametrize("rule", RULES, ids=RULE_IDS)
def test_failing_examples_fail(rule: Rule) -> None:
    assert rule.failing
    for example in rule.failing:
        assert rule.check(build(example), STRICT.figures(rule)).kind is VerdictKind.FAIL, example


@pytest.mark.parametrize("rule", RULES, ids=RULE_IDS)
def test_both_languages_say_the_same_figures(rule: Rule) -> None:
    texts: list[Text] = [rule.title, *rule.messages.values(), *([rule.confirm] if rule.confirm else [])]
    for text in texts:
        assert text.en, rule.id
        assert text.zh, rule.id
        assert placeholders(text.en) == placeholders(text.zh), text


@pytest.mark.parametrize("rule", RULES, ids=RULE_IDS)
def test_findings_of_examples_are_whole_sentences(rule: Rule) -> None:
    for example in (*rule.passing, *rule.failing):
        finding = next(found for found in judge(build(example), STRICT) if found.id == rule.id)
        assert finding.source
        for words in (finding.message_en, finding.message_zh, finding.measured, finding.required):
            assert words
            assert "{" not in words
