"""A volume larger than its price's first tier: costed at that tier, and said (docs/adr/0004-accounting.md)."""

from decimal import Decimal

import pytest
from support import plan

from optimizer.catalog.facts import first_tier_gb
from optimizer.reports.phrases import in_chinese

POD = "runpod/global/8x_B300_community"
WORK = (
    "currency: USD\nprofile: off\nname: job\ngpu_hours: {{gpu: B300-SXM-288GB, hours: 240}}\n"
    "deadline_days: 31\nmax_nodes: 1\ndataset_gb: {size}\ncheckpoint_gb: 0\n"
)


@pytest.mark.parametrize(
    ("product", "size_gb"),
    [
        # RunPod's list: 0.07 USD for the first TB of a network volume, 0.05 above (docs.runpod.io, 2026-06).
        ("Network volume, first 1 TB", 1000.0),
        ("Object storage, first 50 TB", 50_000.0),
        ("Disk, first 512 GB", 512.0),
        ("Network volume, above 1 TB", None),
        ("EBS gp3", None),
        ("Firstline 1 TB", None),
    ],
)
def test_a_first_tier_is_told_by_the_products_name(product: str, size_gb: float | None) -> None:
    assert first_tier_gb(product) == size_gb


def test_a_volume_above_the_tier_is_costed_at_it_and_the_plan_says_so() -> None:
    found = plan(WORK.format(size=3000), POD)
    (volume,) = [line for line in found.purchases if line.kind == "storage"]
    # 30 h at 24 h a day are two days: 3,000 GB x 0.07 x 2 / (365/12) = 13.81 USD.
    assert volume.cost.quantize(Decimal("0.01")) == Decimal("13.81")
    (note,) = [note for note in found.notes if "first tier" in note]
    assert note == (
        "job: 3,000 GB on runpod Network volume, first 1 TB: the first tier's price is counted on all of it; what "
        "lies above 1,000 GB may cost less"
    )
    assert in_chinese(note) == (
        "job：runpod Network volume, first 1 TB 上的 3,000 GB 全部按首档价格计；超出 1,000 GB 的部分可能更便宜"
    )


def test_a_volume_within_the_tier_needs_no_note() -> None:
    assert not [note for note in plan(WORK.format(size=1000), POD).notes if "tier" in note]
