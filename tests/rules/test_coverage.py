"""Every statement of the documents is a rule, or is declared with the place where it shows."""

from pathlib import Path

import pytest

from optimizer.rules import RULES, RULES_BY_ID, Rule
from optimizer.rules.advice import ADVICE
from optimizer.rules.contract_lines import CONTRACT_LINES
from optimizer.rules.explanations import EXPLANATIONS
from optimizer.rules.registry import collect
from optimizer.rules.statements import STATEMENTS

#: Written down from the three documents, group by group; not from the program.
STATED = {
    "A": """vram-fit vram-floor vram-floor-full size-tier gpu-count gpu-homogeneous compute-capability hbm mem-bandwidth
        bf16-speed mature-generation compute-priority weak-card faq-13b oom-13b-16gb mid-tier-card""",
    "B": "cpu-cores cpu-class pcie-lanes ram-total ram-oversize ram-bandwidth ecc power-cooling",
    "C": "nvme-hot nvme-capacity storage-rate small-file-io cold-tier shared-fs",
    "D": "nvlink interconnect-class rdma io-impact",
    "E": "software-stack driver-match numa-topology diagnostics",
    "F": "stage-cloud break-even short-rent year-rent elasticity no-shrink written-contract saving",
}
#: Symptoms that the documents explain: out of memory twice, idle GPUs, slow loss, drifting results, waste, heat.
EXPLAINED = """gpu-oom-big-card host-oom-loading low-utilization loss-at-half-rate not-reproducible part-of-its-worth
    throttling"""

#: Severity of rules.md's tables under `documents`, for rules that can exclude.
HARD = """vram-fit vram-floor vram-floor-full gpu-homogeneous compute-capability cpu-cores cpu-class pcie-lanes
    ram-total ecc power-cooling nvme-hot nvme-capacity storage-rate nvlink rdma no-shrink"""
#: Those of them that only warn under `floor` ("hard / warn").
SOFT_UNDER_FLOOR = "vram-floor-full nvlink rdma"

#: Strictest and least strict documented figure, with the document of each.
FIGURES = {
    ("vram-floor", "gib_7b"): (24, 16),
    ("vram-floor", "gib_13b"): (40, 32),
    ("vram-floor-full", "gib"): (80, 32),
    ("compute-capability", "min_capability"): (8.0, 7.0),
    ("hbm", "gbyte_per_s"): (1500, 1500),
    ("cpu-class", "tdp_watts"): (35, 35),
    ("pcie-lanes", "lanes_per_gpu"): (16, 16),
    ("ram-total", "ratio"): (2, 1),
    ("interconnect-class", "gbit_per_s"): (200, 200),
    ("nvme-hot", "gbyte_per_s"): (0.55, 0.55),
    ("storage-rate", "advised_gbyte_per_s"): (2, 2),
}


@pytest.mark.parametrize("group", STATED)
def test_every_statement_has_an_entry_in_its_group(group: str) -> None:
    rules = {rule.id for rule in RULES if rule.group == group}
    statements = {statement.id for statement in STATEMENTS if statement.group == group}
    assert rules | statements == set(STATED[group].split())


def test_nothing_is_entered_twice() -> None:
    ids = [*(rule.id for rule in RULES), *(statement.id for statement in STATEMENTS)]
    assert len(ids) == len(set(ids))


def test_every_symptom_is_explained() -> None:
    assert set(EXPLAINED.split()) <= {explanation.id for explanation in EXPLANATIONS}


def test_contract_statements_have_lines_with_commands() -> None:
    lines = {line.id: line for line in CONTRACT_LINES}
    for statement in STATEMENTS:
        if statement.kind == "contract":
            assert statement.id in lines
    for name in ("elasticity", "no-shrink", "power-cooling"):
        assert name in lines
    for name in ("software-stack", "driver-match", "numa-topology", "diagnostics", "no-shrink", "power-cooling"):
        assert lines[name].command


def test_plan_statements_are_given_as_advice() -> None:
    assert {one.id for one in STATEMENTS if one.kind == "plan"} <= {advice.id for advice in ADVICE}


def test_hard_rules_are_those_of_the_documents() -> None:
    assert {rule.id for rule in RULES if rule.severity["documents"] == "hard"} == set(HARD.split())
    assert {rule.id for rule in RULES if rule.severity["strict"] == "hard"} == set(HARD.split())
    softened = {rule.id for rule in RULES if rule.severity["strict"] == "hard" and rule.severity["floor"] == "warn"}
    assert softened == set(SOFT_UNDER_FLOOR.split())


def test_off_leaves_physical_rules_only() -> None:
    assert {rule.id for rule in RULES if rule.severity["off"] == "hard"} == {"vram-fit", "gpu-homogeneous"}
    assert all(rule.severity["off"] == "note" for rule in RULES if not rule.physical)


@pytest.mark.parametrize(("rule_id", "name"), FIGURES)
def test_figures_are_the_documented_ones(rule_id: str, name: str) -> None:
    parameter = RULES_BY_ID[rule_id].parameter(name)
    assert (parameter.strict, parameter.floor) == FIGURES[rule_id, name]


@pytest.mark.parametrize("rule", RULES, ids=[rule.id for rule in RULES])
def test_every_figure_says_who_states_it(rule: Rule) -> None:
    for parameter in rule.parameters:
        assert parameter.stated
        assert parameter.strict in parameter.stated.values()


def test_a_doubled_id_is_refused() -> None:
    with pytest.raises(ValueError, match="used twice: vram-fit"):
        collect(RULES[:1], RULES[:1])


def test_topic_files_hold_every_rule_once() -> None:
    folder = Path(collect.__code__.co_filename).parent
    counts = {rule.id: 0 for rule in RULES}
    for path in folder.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        for rule_id in counts:
            counts[rule_id] += text.count(f'        id="{rule_id}",\n')
    assert set(counts.values()) == {1}
