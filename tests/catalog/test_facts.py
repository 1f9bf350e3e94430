"""Fact tables through the catalog: models, rates, storage, traffic, servers, links."""

from datetime import date
from decimal import Decimal

import pytest

from optimizer.catalog import Catalog
from optimizer.domain.model import size_class
from optimizer.domain.offer import IntraLink, Rdma


@pytest.mark.parametrize(
    ("preset", "billions", "size"),
    [
        # rules.md, size classes: computed parameters of these presets and the class of their name.
        ("llama-2-7b", 6.738, "7B"),
        ("opt-13b", 12.853, "13B"),
        ("codellama-34b", 33.744, "34B"),
        ("qwen2.5-7b", 7.6, "7B"),
        ("llama-3-70b", 70.55, "70B"),
        ("llama-2-13b", 13.016, "13B"),
    ],
)
def test_presets_fall_into_the_class_of_their_name(catalog: Catalog, preset: str, billions: float, size: str) -> None:
    shape = catalog.model(preset)
    assert shape.params_total / 1e9 == pytest.approx(billions, rel=5e-3)
    assert size_class(shape.params_total) == size


def test_a_shape_adds_up_to_its_parameters(catalog: Catalog) -> None:
    """Llama 2 13B: 40 x (4 x 5120^2 + 3 x 5120 x 13824 + norms) + two matrices of 32000 x 5120 = 13,015,864,320."""
    shape = catalog.model("llama-2-13b")
    layer = 4 * shape.hidden_size**2 + 3 * shape.hidden_size * shape.ffn_size + 2 * shape.hidden_size
    total = shape.layers * layer + 2 * shape.vocab_size * shape.hidden_size + shape.hidden_size
    assert total == 13_015_864_320
    assert shape.params_total == pytest.approx(total, rel=1e-4)
    assert shape.gated
    assert not shape.tied_embeddings


@pytest.mark.parametrize("name", ["llama-2-13b", "Llama-2-13b-hf", "meta-llama/Llama-2-13b-hf", "LLAMA_2_13B"])
def test_presets_have_the_names_that_people_write(catalog: Catalog, name: str) -> None:
    assert catalog.model(name).name == "llama-2-13b"


def test_a_mixture_of_experts(catalog: Catalog) -> None:
    """DeepSeek-V3: 671 billion in all, 37 active, 256 experts, 8 at work, three dense layers, MLA (its paper)."""
    shape = catalog.model("DeepSeek-V3")
    assert (shape.experts, shape.active_experts, shape.dense_layers, shape.attention) == (256, 8, 3, "mla")
    assert shape.params_total / 1e9 == pytest.approx(671, rel=1e-3)


def test_activations_without_a_gate(catalog: Catalog) -> None:
    assert not catalog.model("opt-13b").gated
    assert catalog.model("gemma-7b").gated


def test_an_unknown_preset_has_near_names(catalog: Catalog) -> None:
    with pytest.raises(KeyError):
        catalog.model("llama-2-31b")
    assert "llama-2-13b" in catalog.near_models("llama-2-31b")


def test_every_preset_can_be_read(catalog: Catalog) -> None:
    for row in catalog.records("models"):
        shape = catalog.model(row["name"])
        assert shape.params_active <= shape.params_total
        assert shape.heads % shape.kv_heads == 0


def test_the_last_rate_not_after_the_day(catalog: Catalog) -> None:
    """ECB 2026-10-30: 7.4326 CNY and 1.1172 USD a euro = 6.65288 CNY a USD."""
    rate = catalog.rates(date(2026, 11, 30), {}).by_currency["CNY"]
    assert rate.day == date(2026, 10, 30)
    assert rate.units_per_usd == pytest.approx(Decimal("7.4326") / Decimal("1.1172"), rel=Decimal("1e-5"))
    earlier = catalog.rates(date(2026, 10, 29), {}).by_currency["CNY"]
    assert earlier.day is not None
    assert earlier.day < date(2026, 10, 30)


def test_no_rate_before_the_table_begins(catalog: Catalog) -> None:
    assert catalog.rates(date(1990, 1, 1), {}).by_currency == {}


def test_a_stated_rate_goes_first(catalog: Catalog) -> None:
    rates = catalog.rates(date(2026, 11, 30), {"USDCNY": Decimal("7.1")})
    assert rates.convert(Decimal(710), "CNY", "USD") == 100
    assert rates.by_currency["CNY"].day is None


def test_only_central_bank_rates_convert(catalog: Catalog) -> None:
    assert {row["kind"] for row in catalog.records("fx")} == {"central bank reference rate"}


@pytest.mark.parametrize(
    ("provider", "region", "product", "rate_gbyte_per_s", "per_tib"),
    [
        ("aws", "us-east-1", "EBS gp3", 0.125, False),  # baseline 125 MB/s a volume
        ("alibaba", "cn-hangzhou", "ESSD PL1 (month prepaid)", 0.35, False),
        ("alibaba", "cn-beijing", "ESSD PL3 (month prepaid)", 4.0, False),
        ("alibaba", "cn-beijing", "NAS general, performance", 0.6, True),
        ("aws", "us-east-1", "FSx for Lustre persistent 2 SSD 125 MB/s/TiB", 0.125, True),
        ("tencent", "mainland", "CBS SSD CLOUD_SSD (month prepaid)", None, False),
    ],
)
def test_storage_rates_and_what_they_scale_with(
    catalog: Catalog, provider: str, region: str, product: str, rate_gbyte_per_s: float | None, per_tib: bool
) -> None:
    (found,) = [row for row in catalog.storage(provider, region) if row.product == product]
    assert found.throughput_gbyte_per_s == rate_gbyte_per_s
    assert found.throughput_per_tib is per_tib


@pytest.mark.parametrize(
    ("provider", "region", "product", "price", "currency", "per_gib"),
    [
        ("aws", "us-east-1", "EBS gp3", "0.08", "USD", False),
        ("gcp", "us-central1", "pd-balanced", "0.1", "USD", True),
        ("tencent", "mainland-low", "CBS SSD CLOUD_SSD (month prepaid)", "1.0", "CNY", False),
        ("coreweave", "us (North America list)", "Distributed File Storage", "0.07", "USD", False),
        ("nebius", "eu-north1", "Shared filesystem", "0.08", "USD", True),
    ],
)
def test_storage_prices(
    catalog: Catalog, provider: str, region: str, product: str, price: str, currency: str, per_gib: bool
) -> None:
    (found,) = [row for row in catalog.storage(provider, region) if row.product == product]
    assert (found.price_per_gb_month, found.currency, found.per_gib) == (Decimal(price), currency, per_gib)


def test_storage_of_other_places_is_not_assumed(catalog: Catalog) -> None:
    assert catalog.storage("aws", "ap-southeast-2") == ()
    assert catalog.storage("nobody", "nowhere") == ()


@pytest.mark.parametrize(
    ("provider", "region", "product"),
    [
        ("runpod", "global", "Network volume, above 1 TB"),  # 0.05 counts only above the first terabyte at 0.07
        ("runpod", "global", "Pod volume disk, stopped"),
        ("aws", "us-west-2", "EBS io2"),  # 0.125 per GB plus 0.065 per provisioned IOPS
        ("azure", "eastus", "Ultra disk"),
    ],
)
def test_a_part_of_a_price_is_not_offered_as_a_price(
    catalog: Catalog, provider: str, region: str, product: str
) -> None:
    assert product in {row["product"] for row in catalog.records("storage")}
    assert product not in {found.product for found in catalog.storage(provider, region)}


def test_storage_never_offers_a_row_that_may_not_be_used(catalog: Catalog) -> None:
    products = {p.product for o in catalog.offers() for p in catalog.storage(o.provider, o.region)}
    assert not products & {"S3 Express One Zone", "EVS disk, type not stated"}


@pytest.mark.parametrize(
    ("provider", "region", "price"),
    [
        ("aws", "us-east-1", "0.09"),
        ("aws", "ap-northeast-1", "0.114"),
        ("azure", "eastus", "0.087"),
        ("oci", "global", "0.0085"),  # the first paid tier, the 10 TB before it are a free allowance
        ("coreweave", "us (North America list)", "0"),  # "Egress and IOPS: free"
        ("alibaba", "cn-hangzhou", "0.8"),
    ],
)
def test_first_paid_tier_of_traffic(catalog: Catalog, provider: str, region: str, price: str) -> None:
    found = catalog.egress(provider, region)
    assert found is not None
    assert found.price_per_gb == Decimal(price)


@pytest.mark.parametrize(("provider", "region"), [("tencent", "mainland"), ("verda", "FIN-03"), ("vast", "US")])
def test_traffic_without_a_figure_is_unknown(catalog: Catalog, provider: str, region: str) -> None:
    assert catalog.egress(provider, region) is None


def test_a_server_as_the_list_describes_it(catalog: Catalog) -> None:
    """DGX H100: 2x Xeon Platinum 8480C, 112 cores, PCIe 5.0 with 160 lanes, 2,048 GiB, 10.2 kW, 8 x 400 Gb/s."""
    server = catalog.server("dgx-h100-8")
    assert server is not None
    machine = server.machine
    assert (machine.provider, server.offer.region) == ("owned", "on-prem")
    assert (machine.gpu_model, machine.gpu_count, machine.cores) == ("H100-SXM5-80GB", 8, 112)
    assert (machine.pcie_generation, machine.pcie_lanes, machine.ram_gib) == (5, 160, 2048)
    assert (machine.network_gbit_per_s, machine.rdma, machine.ecc) == (3200, Rdma.INFINIBAND, True)
    assert (server.power_kw, machine.power_watts) == (10.2, 10200)
    assert machine.intra_link is IntraLink.NVSWITCH
    assert Decimal(355919) in {price.amount for price in server.prices}


@pytest.mark.parametrize("name", ["hgx-a100-8", "hgx-h100-8", "hgx-h200-8", "HGX_H100_8", "dgx-h100"])
def test_server_names(catalog: Catalog, name: str) -> None:
    server = catalog.server(name)
    assert server is not None
    assert server.machine.gpu_count == 8
    assert server.prices


def test_what_the_order_decides_is_unknown(catalog: Catalog) -> None:
    server = catalog.server("hgx-a100-8")
    assert server is not None
    assert server.machine.network_gbit_per_s is None
    assert server.machine.local_nvme_gb is None


def test_no_server_of_that_name(catalog: Catalog) -> None:
    assert catalog.server("hgx-h100-9") is None
    assert catalog.server("") is None


def test_links_of_machines(catalog: Catalog) -> None:
    """NVLink 4 gives 450 GB/s a GPU in one direction, the bridge of A100 PCIe 300, one card has no link."""
    by_type = {o.instance_type: o.machine for o in catalog.offers()}
    h100 = catalog.link_of(by_type["p5.48xlarge"])
    pairs = catalog.link_of(by_type["Standard_NC96ads_A100_v4"])
    assert h100 is not None
    assert (h100.kind, h100.gbyte_per_s) == ("nvswitch", 450)
    assert pairs is not None
    assert (pairs.kind, pairs.gbyte_per_s) == ("nvlink_pairs", 300)
    assert catalog.link_of(by_type["g6.xlarge"]) is None
