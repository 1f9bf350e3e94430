"""The audit of the raw files, finding by finding: values from its text, never from the importer."""

from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from optimizer.catalog import Catalog
from optimizer.domain.offer import IntraLink, Mark, Offer, Price, PriceKind, Rdma, Term

Lookup = Callable[[str], Offer]


def prices(catalog: Catalog, provider: str) -> Iterator[tuple[Offer, Price]]:
    for offer in catalog.offers():
        if offer.provider == provider:
            yield from ((offer, price) for price in offer.prices)


def marked(catalog: Catalog, provider: str, mark: Mark) -> int:
    return sum(mark in price.marks for _, price in prices(catalog, provider))


@pytest.mark.parametrize(
    ("key", "gbit"),
    [
        ("aws/us-east-1/g6e.48xlarge", 400),  # C1
        ("aws/us-east-1/g6e.24xlarge", 200),  # C2
        ("aws/us-east-1/p6-b200.48xlarge", 3200),  # C3
        ("aws/us-east-1/p6-b300.48xlarge", 6400),  # C4, us-east-1 is the full list
        ("aws/us-east-1/p3.16xlarge", 25),  # C5
        ("aws/us-east-1/p3.8xlarge", 10),  # C6
        ("aws/us-east-1/g4dn.xlarge", 5),  # F17
        ("aws/us-east-1/g5.xlarge", 2.5),
        ("aws/us-east-1/g6.xlarge", 2.5),
        ("aws/us-east-1/g6e.xlarge", 2.5),
        ("aws/us-east-1/g6e.2xlarge", 5),
        ("aws/us-east-1/g7.2xlarge", 40),
    ],
)
def test_network_of_aws_is_the_baseline(offer: Lookup, key: str, gbit: float) -> None:
    assert offer(key).machine.network_gbit_per_s == gbit


@pytest.mark.parametrize("name", ["p2.xlarge", "p2.8xlarge", "p2.16xlarge", "g3s.xlarge"])
def test_f18_faulty_network_is_unknown(offer: Lookup, name: str) -> None:
    assert offer(f"aws/us-east-1/{name}").machine.network_gbit_per_s is None


@pytest.mark.parametrize(
    ("provider", "instance_type", "fraction", "gib"),
    [
        ("azure", "Standard_NV6ads_A10_v5", 1 / 6, 4),  # C8
        ("azure", "Standard_NV12ads_A10_v5", 1 / 3, 8),  # C9
        ("azure", "Standard_NV18ads_A10_v5", 1 / 2, 12),  # C10
        ("gcp", "g4-standard-6", 0.125, 12),  # C11
        ("gcp", "g4-standard-12", 0.25, 24),
        ("gcp", "g4-standard-24", 0.5, 48),
        ("vultr", "vcg-a100-1c-6g-4vram", 0.05, 4),  # C12
        ("vultr", "vcg-a100-6c-60g-40vram", 0.5, 40),  # C13
        ("tencent", "GN7.LARGE20", 0.25, 4),  # F29: 1/4 of a T4
        ("tencent", "GN7.2XLARGE40", 0.5, 8),
        ("alibaba", "ecs.sgn7i-vws-m4.2xlarge", 4 / 24, 4),
    ],
)
def test_shares_are_shares_and_never_planned_on(
    catalog: Catalog, provider: str, instance_type: str, fraction: float, gib: float
) -> None:
    offers = [o for o in catalog.offers() if o.provider == provider and o.instance_type == instance_type]
    assert offers
    for found in offers:
        assert found.machine.gpu_fraction == pytest.approx(fraction, abs=1e-5)
        assert found.machine.gpu_count == 1
        assert found.machine.gpu_memory_gib == pytest.approx(gib)
        assert all(Mark.FRACTIONAL in price.marks and not price.is_plannable for price in found.prices)


def test_c7_two_gpus_in_nc32ads(catalog: Catalog) -> None:
    found = [o for o in catalog.offers() if o.instance_type == "Standard_NC32ads_A10_v4"]
    assert [o.machine.gpu_count for o in found] == [2, 2, 2]


def test_f4_f5_old_verda_prices_are_superseded(catalog: Catalog) -> None:
    """83 shape rows; the list of 2026-06-21 and the spot prices of 2026-08-22 stand."""
    assert marked(catalog, "verda", Mark.SUPERSEDED) == 83
    current = {o.instance_type for o, price in prices(catalog, "verda") if price.is_plannable}
    assert all(name.startswith(("list-", "spot-")) for name in current)


def test_f6_old_digitalocean_prices_are_superseded(offer: Lookup) -> None:
    for name in ("gpu-h100x8-640gb", "gpu-mi300x8-1536gb"):
        assert offer(f"digitalocean/nyc1/{name}").price(Term.ON_DEMAND) is None


@pytest.mark.parametrize(
    ("provider", "mark", "rows"),
    [
        ("vultr", Mark.SUPERSEDED, 12),  # F7
        ("mithril", Mark.FLOOR, 4),  # F8
        ("nebius", Mark.FLOOR, 6),  # F9
        ("hyperbolic", Mark.SUPERSEDED, 3),  # F11
        ("crusoe", Mark.NOT_SOLD, 12),  # F14
    ],
)
def test_f7_to_f14_rows_are_seen_and_not_planned_on(catalog: Catalog, provider: str, mark: Mark, rows: int) -> None:
    assert marked(catalog, provider, mark) == rows


@pytest.mark.parametrize("name", ["p5.48xlarge", "p5.4xlarge", "p5e.48xlarge", "p5en.48xlarge"])
def test_f10_spot_at_a_tenth_is_a_floor(offer: Lookup, name: str) -> None:
    (spot,) = [p for p in offer(f"aws/ap-southeast-3/{name}").prices if p.term is Term.SPOT]
    assert spot.marks == (Mark.FLOOR,)


def test_f12_retired_azure_sizes(catalog: Catalog) -> None:
    retired = Counter(o.instance_type for o, p in prices(catalog, "azure") if Mark.RETIRED in p.marks)
    assert set(retired) == {
        "Standard_NC6s_v3",
        "Standard_NC12s_v3",
        "Standard_NC24s_v3",
        "Standard_NC24rs_v3",
    }
    on_demand = [p for _, p in prices(catalog, "azure") if Mark.RETIRED in p.marks and p.term is Term.ON_DEMAND]
    assert len(on_demand) == 92


@pytest.mark.parametrize(
    ("name", "count", "fraction"),
    [
        ("Standard_NC144ds_xl_RTXPRO6000BSE_v6", 1, None),
        ("Standard_NC144lds_xl_RTXPRO6000BSE_v6", 1, None),
        ("Standard_NC288ds_xl_RTXPRO6000BSE_v6", 2, None),
        ("Standard_NC288lds_xl_RTXPRO6000BSE_v6", 2, None),
        ("Standard_NC36ds_xl_RTXPRO6000BSE_v6", 1, 0.25),
        ("Standard_NC72ds_xl_RTXPRO6000BSE_v6", 1, 0.5),
    ],
)
def test_f13_known_counts_of_rtx_pro_sizes(catalog: Catalog, name: str, count: int, fraction: float | None) -> None:
    machine = next(o.machine for o in catalog.offers() if o.instance_type == name)
    assert (machine.gpu_count, machine.gpu_fraction) == (count, fraction)


def test_f13_unknown_counts_are_quarantined(catalog: Catalog) -> None:
    """NC8lds at 0.55 USD/h would be the cheapest 96 GB GPU there is if a blank count were 1."""
    assert not any(o.instance_type == "Standard_NC8lds_xl_RTXPRO6000BSE_v6" for o in catalog.offers())
    held = [row for row in catalog.rejected if "NC8lds" in row.row]
    assert len(held) == 2
    assert all(row.quarantined and "count not stated" in row.reason for row in held)


@pytest.mark.parametrize(
    ("key", "usable"),
    [
        ("hyperstack/global/list-8x-b200", 183359 / 1024),  # F15: EC2 reports 183359 MiB
        ("hyperstack/global/list-8x-b300", 268),
        ("oci/global/BM.GPU.GB200.4", 186),
        ("oci/global/BM.GPU.B300.8", 262.5),  # F16: the smaller of what is stated stands
        ("aws/us-east-1/g5.xlarge", 22888 / 1024),  # F36: A10G and L4 22888 MiB, L40S 45776 MiB
        ("aws/us-east-1/g6.xlarge", 22888 / 1024),
        ("vast/TW/1x-L40S", 45776 / 1024),
        ("aws/us-east-1/g4dn.xlarge", 0.93 * 16),  # F36: T4 about 15
        ("alibaba/cn-beijing/ecs.gn7i-c8g1.2xlarge", 0.93 * 24),  # F36: A10 about 22.4
    ],
)
def test_usable_memory_is_the_smallest_stated(offer: Lookup, key: str, usable: float) -> None:
    assert offer(key).machine.gpu_memory_usable_gib == pytest.approx(usable, rel=2e-3)


@pytest.mark.parametrize("name", ["g4dn.12xlarge", "g5.48xlarge", "g6.48xlarge", "g6e.48xlarge", "p3dn.24xlarge"])
def test_f19_efa_without_gpudirect_is_not_rdma(offer: Lookup, name: str) -> None:
    machine = offer(f"aws/us-east-1/{name}").machine
    assert machine.rdma is None
    assert "F19" in machine.facts["rdma"]


def test_f19_efa_of_the_p_families_stands(offer: Lookup) -> None:
    assert offer("aws/us-east-1/p5.48xlarge").machine.rdma is Rdma.EFA


def test_f20_bridged_pairs_are_not_a_mesh(catalog: Catalog) -> None:
    names = {"Standard_NC96ads_A100_v4", "n3-A100x8-NVLink", "n3-H100x8-NVLink"}
    found = [o.machine for o in catalog.offers() if o.instance_type in names]
    assert {machine.instance_type for machine in found} == names
    assert {machine.intra_link for machine in found} == {IntraLink.NVLINK_PAIRS}


@pytest.mark.parametrize(
    ("provider", "name"),
    [
        ("azure", "Standard_ND96isr_MI300X_v5"),  # F21
        ("gcp", "a3-ultragpu-8g"),  # F22
        ("gcp", "a4-highgpu-8g"),
    ],
)
def test_f21_f22_fabric_is_filled_from_the_link_table(catalog: Catalog, provider: str, name: str) -> None:
    machine = next(o.machine for o in catalog.offers() if (o.provider, o.instance_type) == (provider, name))
    assert machine.network_gbit_per_s == 3200


def test_f22_unknown_fabric_stays_unknown(offer: Lookup) -> None:
    assert offer("oci/global/BM.GPU.H100.8").machine.network_gbit_per_s is None


@pytest.mark.parametrize(("provider", "rows"), [("verda", 83), ("vast", 57), ("aws", 85), ("baidu", 1), ("oci", 3)])
def test_f23_undated_prices_stay_undated(catalog: Catalog, provider: str, rows: int) -> None:
    """F23 counts undated rows; of Baidu's three, two name no GPU that can be told."""
    assert sum(price.observed is None for _, price in prices(catalog, provider)) == rows


def test_f24_currency_unknown_is_quarantined(catalog: Catalog) -> None:
    assert not any(o.provider == "seeweb" for o in catalog.offers())
    held = [row for row in catalog.rejected if row.provider == "seeweb"]
    assert len(held) == 27
    assert all(row.quarantined and "currency" in row.reason for row in held)


def test_f26_one_edition_for_jarvislabs(catalog: Catalog) -> None:
    """Two tables named two editions (1,597 and 1,792 GB/s): one entry with the smaller figure."""
    models = {o.machine.gpu_model for o in catalog.offers() if "RTX-PRO-6000" in o.instance_type}
    assert models == {"RTXPRO6000-96GB"}
    assert catalog.gpus["RTXPRO6000-96GB"].memory_bandwidth_gbyte_per_s == 1597
    assert catalog.find_gpu("RTX-PRO6000", "jarvislabs") == "RTXPRO6000-96GB"


def test_f28_one_name_two_sizes_needs_the_memory(catalog: Catalog) -> None:
    assert catalog.find_gpu("NVIDIA V100") is None
    assert catalog.find_gpu("NVIDIA V100", "tencent", 32) == "V100-32GB"
    held = [row for row in catalog.rejected if "'NVIDIA V100'" in row.reason]
    assert {row.provider for row in held} == {"alibaba", "baidu", "huawei", "tencent"}


def test_f30_a_months_rent_is_no_hourly_price(catalog: Catalog) -> None:
    """Vultr's month rows hold month price / 730 in the hour column; the Chinese files hold the month price."""
    found = [p for o in catalog.offers() for p in o.prices if p.term is Term.MONTH]
    assert len(found) > 100
    (month,) = [p for o, p in prices(catalog, "tencent") if (o.key, p.term) == GN7_MONTH]
    assert month.per_month() == 2500
    assert month.per_hour() < 4


GN7_MONTH = ("tencent/unspecified-2026/GN7.2XLARGE32", Term.MONTH)


def test_f32_the_promotion_stands_alone(offer: Lookup) -> None:
    quote = offer("alibaba/cn-shanghai+cn-shenzhen/ecs.gn6i-c4g1.xlarge")
    assert quote.price(Term.MONTH) is None
    assert quote.price(Term.ON_DEMAND) is not None


@pytest.mark.parametrize(
    "key", ["aws/ca-central-1/p5.48xlarge", "aws/us-west-1/p5en.48xlarge", "aws/eu-central-1/p4de.24xlarge"]
)
def test_f33_spot_at_the_cap(offer: Lookup, key: str) -> None:
    (spot,) = [p for p in offer(key).prices if p.term is Term.SPOT]
    assert spot.marks == (Mark.CAPPED,)


def test_f35_not_sold_on_demand(catalog: Catalog) -> None:
    small = [
        p
        for o, p in prices(catalog, "gcp")
        if o.instance_type in ("a3-highgpu-1g", "a3-highgpu-2g", "a3-highgpu-4g") and p.term is Term.ON_DEMAND
    ]
    assert len(small) == 48
    assert all(p.marks == (Mark.NOT_SOLD,) for p in small)


def test_f37_f38_b300_does_not_carry_gb300_figures(catalog: Catalog) -> None:
    gpu = catalog.gpus["B300-SXM-288GB"]
    assert gpu.fp4_tflops is None
    assert gpu.tdp_watts is not None
    assert 1000 <= gpu.tdp_watts <= 1100


def test_f42_unknown_form_factor_has_no_nvlink(catalog: Catalog) -> None:
    gpu = catalog.gpus["H100-80GB"]
    assert gpu.nvlink_gbyte_per_s is None
    assert not gpu.is_sxm_board
    assert gpu.memory_bandwidth_gbyte_per_s == 2000  # the PCIe card's, the smaller of 2000 and 3350
    assert {o.machine.gpu_model for o in catalog.offers() if "Tesla_V100" in o.instance_type} == {"V100-16GB"}


def test_f43_an_open_contradiction_stays_unknown(catalog: Catalog) -> None:
    (row,) = [row for row in catalog.records("links_nodes") if "gb200" in row["name"]]
    assert row["gbit_per_s"] == ""


def test_capacity_blocks_of_2024_are_expired(catalog: Catalog) -> None:
    """Prices valid until 2025-01-01 (offers, trap 8); those of January 2026 stand."""
    blocks = [p for _, p in prices(catalog, "aws") if p.term is Term.CAPACITY_BLOCK]
    assert Counter(Mark.EXPIRED in p.marks for p in blocks) == {True: 5, False: 3}
    assert all(p.upfront_share == 1 and p.block_lengths_days[:3] == (1, 2, 3) for p in blocks)


def test_kinds_of_statement_are_told_apart(catalog: Catalog) -> None:
    kinds = {o.provider: {p.kind for p in o.prices} for o in catalog.offers() if o.provider in ("market", "omniyq")}
    assert kinds == {"market": {PriceKind.MARKET_QUOTE}, "omniyq": {PriceKind.STREET}}


def test_bids_averages_and_models_are_not_offers(catalog: Catalog) -> None:
    reasons = {row.reason.split(";")[0] for row in catalog.rejected if row.provider == "market" and not row.quarantined}
    names = {o.instance_type for o in catalog.offers() if o.provider == "market"}
    assert not any("bid" in name or "average" in name or "research model" in name for name in names)
    assert reasons


def test_azure_a10_of_half_a_price_is_held_back(catalog: Catalog) -> None:
    """NC8ads_A10_v4 costs exactly half of NC16ads_A10_v4 with one A10: the share of a card is not known."""
    assert not any(o.instance_type == "Standard_NC8ads_A10_v4" for o in catalog.offers())


def test_storage_rows_not_to_be_used(catalog: Catalog) -> None:
    """ "Seen, not counted": S3 Express at 0.16 is superseded, Huawei EVS at 0.35 is a billing example."""
    unused = {row["product"]: row["use"] for row in catalog.records("storage") if row["use"] != "yes"}
    assert "S3 Express One Zone" in unused
    assert "EVS disk, type not stated" in unused


def test_rejected_servers_have_no_reference_price(catalog: Catalog) -> None:
    """Line 83 of the server list (DGX H100 at 199,000, the DGX A100's price) must not be read."""
    h100 = catalog.server("dgx-h100-8")
    assert h100 is not None
    assert all(price.amount != 199000 for price in h100.prices)


def test_sxm3_cards_are_no_servers(catalog: Catalog) -> None:
    rows = [row for row in catalog.records("server_prices") if "SXM3" in row["item"]]
    assert len(rows) == 2
    assert all(row["name"] == "" for row in rows)
