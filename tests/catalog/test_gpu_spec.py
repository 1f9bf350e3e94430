"""GPU requests as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimizer.catalog import Catalog
from optimizer.catalog.gpu_spec import known_specs, name_accepts, parse_gpu_specs
from optimizer.errors import InputError
from tests.catalog.builders import machine


@pytest.mark.parametrize(
    ("text", "accepted", "refused"),
    [
        ("H100:8", [("H100-SXM5-80GB", 8), ("H100-PCIE-80GB", 8)], [("H100-SXM5-80GB", 1), ("GH200-96GB", 8)]),
        ("A100:80GB", [("A100-SXM4-80GB", 1), ("A100-PCIE-80GB", 4)], [("A100-SXM4-40GB", 1), ("H100-SXM5-80GB", 1)]),
        ("24GB..80GB", [("A10", 1), ("L40S", 8), ("H100-SXM5-80GB", 8)], [("T4", 1), ("H20-96GB", 1)]),
        ("A100:40GB..80GB:4..8", [("A100-SXM4-40GB", 4), ("A100-SXM4-80GB", 8)], [("A100-SXM4-80GB", 2)]),
        ("H100,A100:40GB", [("H100-SXM5-80GB", 1), ("A100-SXM4-40GB", 1)], [("A100-SXM4-80GB", 1)]),
        ("A100*", [("A100-SXM4-80GB", 1)], [("A10", 1), ("A10G", 1)]),
        ("L40", [("L40", 1)], [("L40S", 1)]),
        ("RTX 4090", [("RTX4090", 1)], [("RTX4090D", 1)]),
        ("rtx4090:2..", [("RTX4090", 2), ("RTX4090", 8)], [("RTX4090", 1)]),
        ("B300:288GB", [("B300-SXM-288GB", 8)], [("B200-SXM-180GB", 8)]),
        ("8", [], [("RTX4090", 8)]),
    ],
)
def test_requests(text: str, accepted: list[tuple[str, int]], refused: list[tuple[str, int]]) -> None:
    specs = parse_gpu_specs(text)
    for wanted, machines in ((True, accepted), (False, refused)):
        for model, count in machines:
            found = any(spec.accepts(machine("x", model, count)) for spec in specs)
            assert found is wanted, (text, model, count)


def test_a_share_of_a_card_never_meets_a_count() -> None:
    (spec,) = parse_gpu_specs("A10:1")
    assert not spec.accepts(machine("x", "A10", 1, gpu_fraction=0.5, gpu_memory_gib=12, gpu_memory_usable_gib=12))


@pytest.mark.parametrize(
    "text", ["", ",", "H100:", ":8", "H100:x", "80GB..24GB", "H100:8:4", "A100:80GB:40GB", "H100:.."]
)
def test_bad_requests_are_explained(text: str) -> None:
    with pytest.raises(InputError, match="gpu: found"):
        parse_gpu_specs(text)


def test_all_bad_parts_are_named_at_once() -> None:
    with pytest.raises(InputError) as caught:
        parse_gpu_specs("H100:x,A100:80GB,T4:y")
    assert [problem.found for problem in caught.value.problems] == ["'H100:x'", "'T4:y'"]


@given(st.sampled_from(["A100-SXM4-80GB", "H100-NVL-94GB", "RTXPRO6000-SE", "L4", "MI300X"]))
def test_an_exact_id_accepts_itself_alone_among_its_kin(model: str) -> None:
    assert name_accepts(model, model)
    assert name_accepts(model.lower(), model)
    assert not name_accepts(model, f"{model}X")


def test_an_alias_is_read_as_its_exact_id(catalog: Catalog) -> None:
    (spec,) = known_specs(parse_gpu_specs("NVIDIA H100 80GB HBM3:8"), catalog)
    assert spec.name == "H100-SXM5-80GB"
    assert spec.count is not None


def test_an_unknown_name_is_refused_with_near_ones(catalog: Catalog) -> None:
    with pytest.raises(InputError, match="Did you mean"):
        known_specs(parse_gpu_specs("H1OO-SXM5-80GB"), catalog)
