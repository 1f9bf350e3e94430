"""Whatever a plan, a prediction or an answer says in English alone has a Chinese form.

The texts are read from the source itself, so that a new one without a Chinese form fails here: every piece of text of
two or more English words in the rooms that word what screens show, other than those told by both languages beside
each other, errors (tests/cli/test_error_words.py) and the few that no screen shows.
"""

import ast
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from optimizer.reports.phrases import in_chinese
from optimizer.rules import RULES, Policy, judge
from optimizer.rules.examples import build
from optimizer.rules.figures import figure_in_chinese

OPTIMIZER = Path(__file__).parents[2] / "optimizer"
ROOMS = ("planning", "sizing", "explain", "app")
#: Calls whose texts are errors, patterns or both languages at once.
OTHER_WORDS = {"Problem", "InputError", "NoPlanInTime", "ValueError", "KeyError", "TypeError", "Text", "compile"}
#: Files of errors alone: what is wrong with a workload file.
OF_ERRORS = {
    *("planning/wording.py", "planning/yaml_core.py", "planning/model_checks.py", "planning/workload_file.py"),
    *("planning/inputs.py", "planning/schema.py", "planning/calibrating.py", "explain/parallel.py"),
    "planning/input_names.py",
    *("planning/sunk.py", "explain/scenario_file.py", "explain/matching.py", "app/price_record.py"),
    "app/running.py",
}
#: Texts that no screen shows as they stand, and why.
NOT_SHOWN = {
    "workload file": "the source of a figure; the screen says `figure of your file`",
    "workload file, owned": "the same",
    "workload file, owned.may_buy": "the same",
    "workload file, owned.electricity_per_kwh": "the same",
    "workload file, move_cost": "the same",
    "begins on {}": "part of the note about quotes, which is tested whole",
    "ended on {}": "the same",
    "{}: the quote for {} {}: not planned on": "tested below, with its two middles",
    "too slow for its days or hours": "part of `{}: {}`, which is tested below",
    "{} by the hour": "part of what a future runs, which is tested below",
    "{} of {} prices would be lost": "part of why prices are not taken, which is tested below",
    ", and every {}": "the same",
    "{}{}; give --accept to take it, the previous snapshot stays": "the same",
    "cold storage": "part of `{}: {} on {}`, which is tested below",
    "a GPU model of the catalog": "expected, in an error",
    "a server of the catalog, or gpu and gpus spelled out": "expected, in an error",
    "a server of the catalog, or spell out gpu and gpus": "expected, in an error",
    "a GPU of the catalog or a pattern that matches one": "expected, in an error",
    "gpu_hours alone": "found, in an error",
    "a workload with a model; there is nothing to size": "expected, in an error",
    "a workload that some offer can run under the rules": "expected, in an error",
    'an amount such as 400000, 400000CNY or "CNY 400000" (no thousands separators)': "expected, in an error",
    "Give it in {}, or change currency: in the file.": "suggestion, in an error",
    "Give it in the workload file (fx:) and plan again.": "suggestion, in an error",
    "Did you mean {}?": "suggestion, in an error",
    "no rows with GPUs": "an error of an import",
    "no source on record": "source of a fact in data",
    "derived: earlier snapshot ({})": "source of a fact in data",
    "as stated in the workload file": "source of a model's shape; only assumed ones are told",
    "hours of the bill": "found, in an error",
    "an amount with its currency, since the bill has several": "expected, in an error",
    "a day after {}: --to is the first day left out": "expected, in an error",
    "Plan the workload again with this version of optimize, or use the version that wrote the file.": "a suggestion",
}
SAMPLES = ("7", "2026-11-30", "some-name", "+7")
SENTENCE = re.compile(r"[a-z]{2,} [a-z]{2,}")
CHINESE = re.compile(r"[\u4e00-\u9fff]")


def words_of(node: ast.AST) -> str | None:
    """The text of a literal, its values as `{}`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)  # type: ignore[misc]
    return None


def texts_in(node: ast.AST) -> Iterator[str]:
    """English texts below a node that stand without their Chinese."""
    text = words_of(node)
    if text is not None:
        if SENTENCE.search(text):
            yield text
        return
    if isinstance(node, ast.Raise) or (isinstance(node, ast.Expr) and words_of(node.value) is not None):
        return  # an error, a docstring
    if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in OTHER_WORDS:
        return
    below = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.Tuple) and any(CHINESE.search(words_of(part) or "") for part in below):
        return  # English and Chinese side by side
    for part in below:
        yield from texts_in(part)


def single_texts() -> Iterator[tuple[str, str]]:
    for room in ROOMS:
        for path in sorted((OPTIMIZER / room).glob("*.py")):
            name = f"{room}/{path.name}"
            if name not in OF_ERRORS:
                yield from ((name, text) for text in texts_in(ast.parse(path.read_text(encoding="utf-8"))))


CODE = ("<svg", ":root")
SINGLE = [pair for pair in dict.fromkeys(single_texts()) if pair[1] not in NOT_SHOWN and not pair[1].startswith(CODE)]


def forms(text: str) -> Iterator[str]:
    """The text with its values filled in, as far as patterns may ask for digits, dates or names."""
    holes = re.split(r"\{\w*\}", text)
    for values in product(SAMPLES, repeat=min(len(holes) - 1, 4)):
        filled = [*values, *["7"] * (len(holes) - 1 - len(values))]
        yield holes[0] + "".join(value + rest for value, rest in zip(filled, holes[1:], strict=True))


def leaks(said: str) -> bool:
    """Whether an English sentence is left in what should be Chinese."""
    return not CHINESE.search(said) or SENTENCE.search(said.replace("some-name", "")) is not None


def test_the_scan_finds_the_notes_that_are_known() -> None:
    found = {text for _, text in SINGLE}
    assert "{}: {} savings-plan prices are not planned on; ask for a commitment's price" in found
    assert "no RDMA between nodes (not stated)" in found
    assert len(found) > 15


@pytest.mark.parametrize(("place", "text"), SINGLE, ids=[f"{place}-{text[:40]}" for place, text in SINGLE])
def test_every_text_in_one_language_has_a_chinese_form(place: str, text: str) -> None:
    assert any(not leaks(in_chinese(form)) for form in forms(text)), f"{place}: {text}"


@pytest.mark.parametrize(
    "text",
    [
        *(f"work: {what} on aws/us-east-1/p4d" for what in ("storage", "cold storage", "egress")),
        *("idle", "running", "internet egress", "hot: quoted storage", "cold: quoted cold storage"),
        *("shared data set corpus: quoted storage", "hot: ESSD PL1", "work: rule ram-total", "work: countries CN"),
        *(
            "q.csv:2: the quote for x on_demand ended on 2026-11-01: not planned on",
            "work: too slow for its days or hours",
        ),
        "q.csv:2: the quote for x on_demand begins on 2027-01-01: not planned on",
        *("2 × aws/us-east-1/p4d, 1 by the hour", "2 × aws/us-east-1/p4d, spot", "aws: no end within 60 s"),
        "9 of 10 prices would be lost; give --accept to take it, the previous snapshot stays",
        "9 of 10 prices would be lost, and every H100; give --accept to take it, the previous snapshot stays",
        *("work: providers aws", "work: regions cn-*", "work: gpus.allow A100*", "work: gpus.deny A100*"),
    ],
)
def test_descriptions_put_together_have_a_chinese_form(text: str) -> None:
    assert not leaks(in_chinese(text))


#: What stays in a figure: units, products, and the codes by which the field calls links.
KEPT = re.compile(
    r"[A-Z][\w.+-]*(?: (?:Platinum|i9-\S+|st1|PL1))?|nvswitch|nvlink|pcie|infiniband|efa|roce|erdma|gpudirect_tcpx"
    r"|disk|kW|x\d+"
)


@pytest.mark.parametrize("rule", RULES, ids=[rule.id for rule in RULES])
def test_figures_of_findings_have_a_chinese_form(rule: object) -> None:
    policies = [Policy(profile) for profile in ("documents", "strict", "floor")]
    for example in (*rule.passing, *rule.failing):  # type: ignore[attr-defined]
        for policy in policies:
            for finding in judge(build(example), policy):
                for figure in (finding.measured, finding.required):
                    said = figure_in_chinese(figure)
                    assert not re.search(r"[A-Za-z]{2,}", KEPT.sub("", said)), (figure, said)
