"""Faults that users of the field met (classes P, U, N, M, C, X) with the right answer of their report."""

from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest

from optimizer.catalog import Catalog
from optimizer.catalog.check import check_catalog
from optimizer.domain.offer import Offer, Price, PriceUnit, Term
from optimizer.domain.units import HOURS_PER_MONTH, nominally_at_least
from tests.catalog.builders import AS_OF, machine, price, write_catalog


def codes(catalog: Catalog) -> Counter[str]:
    return Counter(finding.code for finding in check_catalog(catalog, AS_OF) if finding.level == "error")


def rtx_a6000(count: int, amount: str) -> Offer:
    sold = machine(f"{count}x_RTXA6000_SECURE", "RTXA6000", count, vcpus=8.0 * count, ram_gib=50.0 * count)
    return Offer(provider="runpod", region="global", machine=sold, prices=(price(amount),))


def test_b01_eight_cards_at_the_price_of_one(tmp_path: Path) -> None:
    """skypilot-catalog#44: 1x, 2x, 4x, 8x all at 0.79; 8x should be 6.32."""
    wrong = [rtx_a6000(count, "0.79") for count in (1, 2, 4, 8)]
    assert codes(write_catalog(tmp_path / "wrong", wrong))["price-siblings"] == 3
    right = [rtx_a6000(count, str(Decimal("0.79") * count)) for count in (1, 2, 4, 8)]
    assert codes(write_catalog(tmp_path / "right", right)) == Counter()


def test_b03_cents_read_as_dollars(tmp_path: Path) -> None:
    """skypilot#9156: 8xH100 28.66 USD; in cents (2866) it is far from the family's other prices."""
    amounts = {"a": "28.66", "b": "31.92", "c": "25.60", "d": "2866"}
    offers = [
        Offer(provider="runpod", region=region, machine=machine("8x_H100", "H100-SXM5-80GB", 8), prices=(price(text),))
        for region, text in amounts.items()
    ]
    found = [f for f in check_catalog(write_catalog(tmp_path, offers, regions=amounts), AS_OF) if f.level == "error"]
    assert [(f.code, f.row) for f in found] == [("price-family", "runpod/d/8x_H100 on_demand")]


def test_b11_the_month_is_730_hours_and_the_year_8760() -> None:
    """optscale against infracost: 720 and 730 differ by 1.4 %; the convention is 730 (design)."""
    hourly = Price(term=Term.MONTH, amount=Decimal(1), unit=PriceUnit.HOUR, currency="USD", source="x")
    assert hourly.per_month() == 730
    assert HOURS_PER_MONTH == 730
    yearly = Price(term=Term.RESERVED_1Y, amount=Decimal(1), unit=PriceUnit.HOUR, currency="USD", source="x")
    assert yearly.term_total() == 8760


def test_b13_no_on_demand_price_is_no_on_demand_offer(catalog: Catalog) -> None:
    """skypilot#4657: p5e.48xlarge is sold as spot and capacity blocks only; 0.336 is a surcharge, not the machine."""
    found = [o for o in catalog.offers() if o.provider == "aws" and o.instance_type == "p5e.48xlarge"]
    assert found
    assert all(o.price(Term.ON_DEMAND) is None for o in found)
    assert all(p.amount > 1 for o in found for p in o.prices)


@pytest.mark.parametrize("amount", ["0", "0.0", "NaN", "-1", "Infinity", "free"])
def test_b15_zero_is_never_a_price(tmp_path: Path, amount: str) -> None:
    """gpuhunt#183: a preview machine at price 0."""
    found = write_catalog(tmp_path, [rtx_a6000(1, "0.79")], cells={"0.79": amount})
    assert codes(found) == Counter({"row": 1})


def test_b17_one_plannable_price_a_key(tmp_path: Path) -> None:
    """terrapod#932: several meters of one size; exactly one on-demand price."""
    sold = Offer(
        provider="azure",
        region="eastus",
        machine=machine("Standard_X", "T4", 1),
        prices=(price("0.526"), price("0.71")),
    )
    assert codes(write_catalog(tmp_path, [sold]))["price-key"] == 1


def test_b17_shipped_catalog_has_one_price_a_key(catalog: Catalog) -> None:
    for offer in catalog.offers():
        keys = Counter((p.term, p.kind) for p in offer.prices if p.is_plannable)
        assert max(keys.values(), default=0) <= 1, offer.key


def test_b21_not_sold_there_is_absent(catalog: Catalog) -> None:
    """infracost#3359: g5.12xlarge is not sold in us-west-1."""
    assert not any(o.key == "aws/us-west-1/g5.12xlarge" for o in catalog.offers())


def test_b29_shapes_not_sold_hourly_have_no_hourly_offer(catalog: Catalog) -> None:
    """gpuhunt#176: A3 High under 8 GPUs is not sold by the hour."""
    for name in ("a3-highgpu-1g", "a3-highgpu-2g", "a3-highgpu-4g"):
        assert all(o.price(Term.ON_DEMAND) is None for o in catalog.offers() if o.instance_type == name)


def test_b37_eight_gpus_in_nd96isr_h100(catalog: Catalog) -> None:
    """azure-cli#31176: the API says 12."""
    counts = {o.machine.gpu_count for o in catalog.offers() if o.instance_type == "Standard_ND96isr_H100_v5"}
    assert counts == {8}


def test_b41_a_sixth_of_an_a10(catalog: Catalog) -> None:
    """skypilot#3708: Standard_NV6ads_A10_v5 is 1/6 of a GPU with 4 GB, not an A10 of 24 GB."""
    sixth = next(o.machine for o in catalog.offers() if o.instance_type == "Standard_NV6ads_A10_v5")
    assert sixth.gpu_fraction == pytest.approx(1 / 6, abs=1e-5)
    assert sixth.gpu_memory_gib == 4


def test_b43_host_and_gpu_memory_keep_their_units(catalog: Catalog) -> None:
    """dstack#1439: g5.xlarge has 16 GiB of RAM and a 24 GB GPU; VM.GPU.A10.1 has 240 GB."""
    g5 = next(o.machine for o in catalog.offers() if o.instance_type == "g5.xlarge")
    assert (g5.ram_gib, g5.gpu_memory_gib) == (16, 24)
    a10 = next(o.machine for o in catalog.offers() if o.instance_type == "VM.GPU.A10.1")
    assert a10.ram_gib == 240
    assert nominally_at_least(236, 240)


@pytest.mark.parametrize(
    ("name", "model", "count", "total_gib"),
    [
        ("p5.48xlarge", "H100-SXM5-80GB", 8, 640),
        ("p5e.48xlarge", "H200-SXM5-141GB", 8, 1128),
        ("g7.2xlarge", "RTXPRO4500-SE", 1, 32),
    ],
)
def test_b45_models_and_memory_are_there(catalog: Catalog, name: str, model: str, count: int, total_gib: float) -> None:
    """ec2instances.info#705 and others: model None and memory 0; 0 means unknown."""
    found = next(o.machine for o in catalog.offers() if o.instance_type == name)
    assert (found.gpu_model, found.gpu_count, found.total_gpu_memory_gib) == (model, count, total_gib)


def test_b47_conflicting_capability_is_reported(tmp_path: Path) -> None:
    """ec2instances.info#910: RTX PRO 4500 as 10.0 against 12.0."""
    sold = Offer(
        provider="aws",
        region="us-east-1",
        machine=machine("g7.2xlarge", "RTXPRO4500-SE", 1, compute_capability=10.0),
        prices=(price("1.5"),),
    )
    assert codes(write_catalog(tmp_path, [sold]))["capability"] == 1


def test_b55_azure_sizes_without_a_count(catalog: Catalog) -> None:
    """skypilot#10650: ND GB200 has 4 GPUs, MI300X 8, from the size page."""
    counts = {o.instance_type: o.machine.gpu_count for o in catalog.offers() if o.provider == "azure"}
    assert counts["Standard_ND128isr_NDR_GB200_v6"] == 4
    assert counts["Standard_ND96isr_MI300X_v5"] == 8


def test_b59_a_price_in_cny_is_a_price(catalog: Catalog) -> None:
    """karpenter#5695: an object with only a CNY key is a CNY price, not "no price"."""
    found = [p for o in catalog.offers() if o.provider == "aws" and o.region.startswith("cn-") for p in o.prices]
    assert found
    assert {p.currency for p in found} == {"CNY"}


def test_b61_currency_belongs_to_the_key(tmp_path: Path) -> None:
    """cloud-pricing-api#362: a CNY and a USD price under one key are two prices, and neither is read as the other."""
    sold = Offer(
        provider="alibaba",
        region="cn-beijing",
        machine=machine("x", "T4", 1),
        prices=(price("3.60", currency="CNY"), price("0.52", currency="USD")),
    )
    (found,) = write_catalog(tmp_path, [sold]).offers()
    assert {(p.amount, p.currency) for p in found.prices} == {(Decimal("3.60"), "CNY"), (Decimal("0.52"), "USD")}
