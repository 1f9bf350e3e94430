"""Profiles, overrides, fallbacks: which figure and severity hold."""

import pytest

from optimizer.domain.finding import Severity, VerdictKind
from optimizer.domain.workload import RuleOverride
from optimizer.rules import RULES, OverrideError, Policy, judge, looser, rule_label, screen
from optimizer.rules.examples import build
from optimizer.rules.rule import Example
from tests.rules.machines import a_work, context_on, published

# 60 GiB on 24 GB is 2.5 times, 30 GiB 1.25 times.
CONTEXT = context_on(published("ecs.gn7i-c8g1.2xlarge"), a_work(method="lora"), "7B")


def _ram(policy: Policy) -> tuple[bool, bool]:
    """Whether ram-total excludes, and whether it is marked below strict."""
    finding = next(finding for finding in judge(CONTEXT, policy) if finding.id == "ram-total")
    return finding.excludes, finding.below_strict


@pytest.mark.parametrize(
    ("policy", "excludes", "below"),
    [
        (Policy("documents"), True, False),
        (Policy("strict"), True, False),
        (Policy("floor"), False, True),
        (Policy("off"), False, True),
        (Policy("documents").relax(["ram-total"]), False, True),
        (Policy("documents").stated_by("ram-total", "D0"), True, False),  # 1.25 < 1.5
        (Policy("documents").stated_by("ram-total", "D4"), False, True),  # 1.25 > 1
        (Policy.of("documents", {"ram-total": RuleOverride.model_validate({"ratio": 1.2})}), False, True),
        (Policy.of("documents", {"ram-total": RuleOverride(severity="warn")}), False, True),
        (Policy.of("off", {"ram-total": RuleOverride(severity="hard")}), True, False),
    ],
)
def test_ram_total_under_policies(policy: Policy, excludes: bool, below: bool) -> None:
    assert _ram(policy) == (excludes, below)
    screening = screen(CONTEXT, policy)
    assert ("ram-total" in screening.failed) is excludes
    assert ("ram-total" in screening.below_strict) is below


def test_a_ratio_of_one_asks_for_strictly_more() -> None:
    # D4: total memory > sum of GPU memory. 24 GiB on a 24 GB card is equal, not more.
    equal = context_on(published("ecs.gn7i-c8g1.2xlarge", ram_gib=24.0), a_work(method="lora"), "7B")
    more = context_on(published("ecs.gn7i-c8g1.2xlarge", ram_gib=25.0), a_work(method="lora"), "7B")
    assert "ram-total" in screen(equal, Policy("floor")).failed
    assert "ram-total" not in screen(more, Policy("floor")).failed


def test_relaxing_takes_the_floors_severity_too() -> None:
    policy = Policy().relax(["rdma"])
    assert policy.severity("rdma") is Severity.WARN
    assert policy.severity("nvlink") is Severity.HARD


def test_overrides_win_over_relaxing() -> None:
    policy = Policy.of("documents", {"ram-total": RuleOverride.model_validate({"ratio": 3})}).relax(["ram-total"])
    assert policy.figures("ram-total") == {"ratio": 3.0}


def test_without_a_rule_it_is_not_even_evaluated() -> None:
    policy = Policy().without("ram-total")
    assert "ram-total" not in {finding.id for finding in judge(CONTEXT, policy)}
    with pytest.raises(ValueError, match="physical"):
        policy.without("vram-fit")


def test_off_by_override_is_not_evaluated() -> None:
    policy = Policy.of("documents", {"ecc": RuleOverride(severity="off")})
    assert "ecc" not in {finding.id for finding in judge(CONTEXT, policy)}


def test_all_mistakes_of_an_override_are_told_at_once() -> None:
    overrides = {
        "ram-totl": RuleOverride(),
        "ram-total": RuleOverride.model_validate({"ration": 1.5}),
        "nvme-hot": RuleOverride.model_validate({"gbyte_per_s": "fast"}),
        "hbm": RuleOverride.model_validate({"gbyte_per_s": -1}),
        "vram-fit": RuleOverride(severity="off"),
    }
    with pytest.raises(OverrideError) as caught:
        Policy.of("documents", overrides)
    problems = {problem.field: problem for problem in caught.value.problems}
    assert set(problems) == {
        "rules.ram-totl",
        "rules.ram-total.ration",
        "rules.nvme-hot.gbyte_per_s",
        "rules.hbm.gbyte_per_s",
        "rules.vram-fit.severity",
    }
    assert problems["rules.ram-totl"].suggestion == "Did you mean ram-total?"
    assert problems["rules.ram-total.ration"].suggestion == "Did you mean ratio?"
    assert problems["rules.nvme-hot.gbyte_per_s"].found == "'fast'"


@pytest.mark.parametrize("name", ["ram-totl", ""])
def test_unknown_ids_are_refused(name: str) -> None:
    for ask in (Policy().without, Policy().severity, lambda rule: Policy().relax([rule])):
        with pytest.raises(ValueError, match="no rule is called"):
            ask(name)


def test_changes_are_told() -> None:
    override = RuleOverride.model_validate({"ratio": 1.5, "severity": "warn"})
    assert Policy.of("documents", {"ram-total": override}).changes() == (
        "ram-total: severity warn (profile: hard)",
        "ram-total: ratio 1.5 × (D1 2, D0 1.5, D4 1)",
    )
    assert Policy("floor").changes() == ()


@pytest.mark.parametrize("profile", ["documents", "strict", "floor", "off"])
def test_screening_agrees_with_judging(profile: str) -> None:
    policy = Policy(profile)  # type: ignore[arg-type]
    for name in ("ecs.gn7i-c8g1.2xlarge", "GN10X.9XLARGE160", "p5.48xlarge", "a2-highgpu-2g"):
        for nodes in (1, 2):
            context = context_on(published(name), a_work(method="full"), "13B", nodes=nodes)
            findings, screening = judge(context, policy), screen(context, policy)
            assert {finding.id for finding in findings if finding.excludes} == set(screening.failed)
            assert {finding.id for finding in findings if finding.is_conditional} == set(screening.unknown)
            assert {finding.id for finding in findings if finding.below_strict} == set(screening.below_strict)
    assert len(policy.rows) == len(RULES)


def test_labels_name_the_figure_in_force_and_its_document() -> None:
    assert rule_label(Policy(), "ram-total") == "ram-total 2× (D1)"
    assert rule_label(Policy("floor"), "ram-total") == "ram-total 1× (D4)"
    assert rule_label(Policy(), "rdma") == "rdma (D1)"
    override = RuleOverride.model_validate({"ratio": 1.7})
    assert (
        rule_label(Policy.of("documents", {"ram-total": override}), "ram-total") == "ram-total 1.7× (set by the user)"
    )


@pytest.mark.parametrize(
    ("policy", "rule_id", "labels"),
    [
        (Policy(), "ram-total", ["ram-total 1.5× (D0)", "ram-total 1× (D4)"]),
        (Policy().stated_by("ram-total", "D0"), "ram-total", ["ram-total 1× (D4)"]),
        (Policy("floor"), "ram-total", []),
        (Policy(), "rdma", []),
        (
            Policy(),
            "vram-floor-full",
            ["vram-floor-full 40 GB nominal (D0)", "vram-floor-full 32 GB nominal (D1)"],
        ),
        (Policy(), "cpu-cores", ["cpu-cores ≥ (D1)"]),
    ],
)
def test_looser_figures_that_documents_state(policy: Policy, rule_id: str, labels: list[str]) -> None:
    assert [label for label, _ in looser(policy, rule_id)] == labels


@pytest.mark.parametrize(
    ("rule_id", "method", "shape", "severity"),
    [
        # D0 advises NVLink for 13B full SFT; for adapters and smaller models it is only preferred (D4).
        ("nvlink", "full", "13B", Severity.HARD),
        ("nvlink", "pretrain", "70B", Severity.HARD),
        ("nvlink", "lora", "13B", Severity.ADVICE),
        ("nvlink", "full", "7B", Severity.ADVICE),
        # The number of cards is advice; with all parameters trained it is a warning.
        ("gpu-count", "lora", "7B", Severity.ADVICE),
        ("gpu-count", "full", "7B", Severity.WARN),
        ("gpu-count", "full", "13B", Severity.WARN),
    ],
)
def test_advice_is_weaker_than_the_rule(rule_id: str, method: str, shape: str, severity: Severity) -> None:
    machine = published("GT4.8XLARGE192", intra_link="pcie")
    context = context_on(machine, a_work(method=method), shape)
    finding = next(finding for finding in judge(context, Policy()) if finding.id == rule_id)
    assert finding.verdict is VerdictKind.FAIL
    assert finding.severity is severity
    assert (rule_id in screen(context, Policy()).failed) is (severity is Severity.HARD)


@pytest.mark.parametrize(
    ("method", "shape", "needed_gib", "is_cheapest", "verdict"),
    [
        ("lora", "7B", 20.0, None, VerdictKind.FAIL),  # nothing asked for 80 GB
        ("lora", "7B", 20.0, True, VerdictKind.PASS),  # cost did
        ("lora", "7B", 60.0, None, VerdictKind.PASS),  # fit did: no 48 GB card holds 60 GiB
        ("full", "7B", 20.0, None, VerdictKind.PASS),  # D4's floor did
        ("pretrain", "13B", 20.0, None, VerdictKind.PASS),  # D1: from scratch from 10 billion
    ],
)
def test_a_flagship_is_waste_only_where_nothing_asked_for_it(
    method: str, shape: str, needed_gib: float, is_cheapest: bool | None, verdict: VerdictKind
) -> None:
    context = build(
        Example(
            work={"method": method},
            context={"shape": shape, "fit": {"total": needed_gib}, "is_cheapest": is_cheapest},
        )
    )
    found = next(finding for finding in judge(context, Policy()) if finding.id == "size-tier")
    assert found.verdict is verdict
