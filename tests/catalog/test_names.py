"""GPU spellings: exact aliases, no silent replacement, a reason for each that stays unmapped (AUDIT F27)."""

import pytest

from optimizer.catalog import Catalog

#: Spellings of the offer files that AUDIT F27 (and the two files it did not see) found in no table, with the id that
#: the name itself states. A name without a form factor gets the entry without one.
MAPPED = [
    ("NVIDIA RTX 4090", 24, "RTX4090"),
    ("NVIDIA RTX 4090D", 24, "RTX4090D"),
    ("NVIDIA RTX 5090", 32, "RTX5090"),
    ("NVIDIA RTX 3090", 24, "RTX3090"),
    ("NVIDIA RTX 2080 Ti", 11, "RTX2080TI"),
    ("NVIDIA RTX 5880 Ada", 48, "RTX5880ADA"),
    ("NVIDIA RTX 6000", 24, "QUADRO-RTX6000"),
    ("NVIDIA A100 80GB", 80, "A100-80GB"),
    ("NVIDIA A100 40GB", 40, "A100-40GB"),
    ("NVIDIA A100 40GB PCIe", 40, "A100-PCIE-40GB"),
    ("NVIDIA A100 40GB (NVLink)", 40, "A100-SXM4-40GB"),
    ("NVIDIA A100 SXM4", 80, "A100-SXM4-80GB"),
    ("NVIDIA V100 32GB (NVLink)", 32, "V100-SXM2-32GB"),
    ("NVIDIA V100S 32GB", 32, "V100S-PCIE-32GB"),
    ("NVIDIA A10 vGPU slice", None, "A10"),
    ("NVIDIA H20 96GB", 96, "H20-96GB"),
    ("NVIDIA H20 141GB", 141, "H20-141GB"),
    ("NVIDIA B300", None, "B300-SXM-288GB"),
    ("Huawei Ascend 910C", None, "ASCEND910C"),
    ("M60", None, "M60"),
    ("K80", None, "K80"),
    ("T4G", None, "T4G"),
]


@pytest.mark.parametrize(("spelling", "memory_gib", "model"), MAPPED)
def test_spellings_of_price_lists(catalog: Catalog, spelling: str, memory_gib: float | None, model: str) -> None:
    assert catalog.find_gpu(spelling, memory_gib=memory_gib) == model


@pytest.mark.parametrize(
    "spelling",
    [
        "Alibaba A910E",
        "Alibaba A910X",
        "Alibaba A910Z",
        "Alibaba PPU 810",
        "G39 (24 GB)",
        "G49 (24 GB; third parties: RTX 4090)",
        "G59 (32 GB; third parties: RTX 5090)",
        "GPU A (model not disclosed)",
    ],
)
def test_names_that_audit_f27_leaves_unmapped(catalog: Catalog, spelling: str) -> None:
    assert catalog.find_gpu(spelling) is None
    assert catalog.names.unmapped()[("", spelling)]


def test_every_refused_spelling_has_a_stated_reason(catalog: Catalog) -> None:
    reasons = catalog.names.unmapped()
    for row in catalog.rejected:
        if "not mapped" in row.reason:
            spelling = row.reason.split("'")[1]
            is_open = "fits several variants" in row.reason
            assert is_open or ("", spelling) in reasons, row


@pytest.mark.parametrize(
    ("spelling", "model"),
    [
        # Faults B31 (skypilot#9818): only the exact variant; H100 = H100-80GB is a true alias.
        ("A100", None),
        ("V100", None),
        ("A100-80GB", "A100-80GB"),
        ("V100-32GB", "V100-32GB"),
        ("H100", "H100-80GB"),
        ("H100-80GB", "H100-80GB"),
        ("H100-MEGA", None),
        # Faults B33 (gpuhunt#132): both billing spellings are one card.
        ("nvidia-h100-80gb-plus", "H100-SXM5-80GB"),
        ("nvidia-h100-80gb-mega", "H100-SXM5-80GB"),
        # Names as nvidia-smi prints them.
        ("NVIDIA A100-SXM4-80GB", "A100-SXM4-80GB"),
        ("NVIDIA H100 80GB HBM3", "H100-SXM5-80GB"),
        ("NVIDIA H100 PCIe", "H100-PCIE-80GB"),
        ("昇腾910B", "ASCEND910B"),
        ("GTX 1080", None),
        ("", None),
    ],
)
def test_no_name_stands_for_another(catalog: Catalog, spelling: str, model: str | None) -> None:
    assert catalog.find_gpu(spelling) == model


@pytest.mark.parametrize("model", ["A100-SXM4-80GB", "H100-NVL-94GB", "RTXPRO6000-SE"])
def test_case_and_separators_do_not_matter(catalog: Catalog, model: str) -> None:
    """Faults B35 (dstack#1352): upper and lower case give the same answer."""
    for spelling in (model.lower(), model.upper(), model.replace("-", " "), model.replace("-", "_")):
        assert catalog.find_gpu(spelling) == model


def test_memory_decides_between_sizes(catalog: Catalog) -> None:
    assert catalog.find_gpu("A100", memory_gib=80) == "A100-80GB"
    assert catalog.find_gpu("A100", memory_gib=40) == "A100-40GB"
    assert catalog.find_gpu("A100", memory_gib=24) is None


def test_a_providers_own_spelling_goes_first(catalog: Catalog) -> None:
    """nvidia-smi calls the SXM card "NVIDIA H800"; a Chinese list that says so states no form factor."""
    assert catalog.find_gpu("NVIDIA H800") == "H800-SXM5-80GB"
    assert catalog.find_gpu("NVIDIA H800", "autodl") == "H800-80GB"


def test_near_names_help(catalog: Catalog) -> None:
    assert "H100-SXM5-80GB" in catalog.near_gpus("H100-SMX5-80GB")
    assert "A100-SXM4-80GB" in catalog.near_gpus("A100")
    assert catalog.near_gpus("zzzz") == []


def test_each_alias_leads_to_a_gpu_or_a_reason(catalog: Catalog) -> None:
    for row in catalog.records("gpu_aliases"):
        assert row["model"] in catalog.gpus or (row["model"] == "" and row["reason"]), row


def test_entries_without_form_factor_carry_the_smaller_figures(catalog: Catalog) -> None:
    """A100-80GB: PCIe 1,935 GB/s and SXM4 2,039 GB/s (data sheets); the same tensor rate."""
    gpu = catalog.gpus["A100-80GB"]
    assert gpu.memory_bandwidth_gbyte_per_s == 1935
    assert gpu.bf16_tflops == 312
    assert gpu.form_factor is None
    assert gpu.usable_memory_gib == 80
