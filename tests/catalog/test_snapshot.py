"""Snapshots: what is written is what is read, and equal offers give equal bytes."""

import tempfile
from datetime import date
from decimal import Decimal
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from optimizer.catalog.index import Files
from optimizer.catalog.snapshot import read_snapshot, write_snapshot
from optimizer.catalog.wire import AMOUNT, AVAILABILITY, read_machine, read_price, write_machine, write_prices
from optimizer.domain.offer import (
    Availability,
    IntraLink,
    Machine,
    Mark,
    Offer,
    Price,
    PriceKind,
    PriceUnit,
    Rdma,
    Term,
)

DAYS = st.none() | st.dates(date(2020, 1, 1), date(2030, 1, 1))
NUMBERS = st.none() | st.sampled_from([0.125, 1.0, 2.5, 80.0, 183359 / 1024, 3200.0])
FLAGS = st.none() | st.booleans()
#: Text as sources write it: commas, quotes, line ends, other scripts. A leading or trailing blank is kept too.
TEXTS = st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=20)
AMOUNTS = st.decimals(Decimal("0.000001"), Decimal("9999999"), allow_nan=False, allow_infinity=False, places=6)

PRICES = st.builds(
    Price,
    term=st.sampled_from(Term),
    amount=AMOUNTS,
    unit=st.sampled_from(PriceUnit),
    currency=st.sampled_from(["USD", "CNY"]),
    upfront_amount=st.none() | AMOUNTS,
    upfront_share=st.none() | st.sampled_from([Decimal(0), Decimal("0.5"), Decimal(1)]),
    tax_included=FLAGS,
    kind=st.sampled_from(PriceKind),
    billing_unit_hours=st.sampled_from([1.0, 1 / 60, 24.0]),
    minimum_hours=st.sampled_from([0.0, 1.0]),
    block_lengths_days=st.sampled_from([(), (1, 2, 14)]),
    interruptions_per_hour=st.none() | st.sampled_from([0.0, 0.02]),
    observed=DAYS,
    valid_from=DAYS,
    valid_to=DAYS,
    source=TEXTS.filter(bool),
    note=TEXTS,
    marks=st.sampled_from([(), (Mark.FLOOR,), (Mark.FLOOR, Mark.EXPIRED)]),
)
MACHINES = st.builds(
    Machine,
    provider=st.just("test"),
    instance_type=st.sampled_from(["a", "8x H100, 1 machine", "b"]),
    gpu_model=st.sampled_from(["T4", "H100-SXM5-80GB"]),
    gpu_label=TEXTS,
    gpu_count=st.sampled_from([1, 8, 16]),
    gpu_fraction=st.none() | st.sampled_from([0.166667, 0.5]),
    gpu_memory_gib=st.sampled_from([16.0, 141.0]),
    gpu_memory_usable_gib=st.sampled_from([14.88, 22.3515625]),
    memory_bandwidth_gbyte_per_s=NUMBERS,
    intra_link=st.none() | st.sampled_from(IntraLink),
    network_gbit_per_s=NUMBERS,
    rdma=st.none() | st.sampled_from(Rdma),
    vcpus=NUMBERS,
    ecc=FLAGS,
    pcie_width_measured=st.none() | st.sampled_from([8, 16]),
    local_nvme_gb=st.none() | st.sampled_from([0.0, 30400.0]),
    bare_metal=FLAGS,
    facts=st.sampled_from([{}, {"cores": "derived: vCPU / 2 = half", "ecc": "stated"}]),
    observed=DAYS,
    source=TEXTS,
)
OFFERS = st.builds(
    Offer,
    provider=st.just("test"),
    region=st.sampled_from(["r1", "us (North America list)", "中国"]),
    machine=MACHINES,
    prices=st.lists(PRICES, max_size=3).map(tuple),
    availability=st.sampled_from(Availability),
)


@settings(deadline=None)
@given(PRICES)
def test_a_price_survives_its_row(price: Price) -> None:
    sold = Offer(
        provider="p",
        region="r",
        machine=Machine(
            provider="p", instance_type="t", gpu_model="T4", gpu_count=1, gpu_memory_gib=16, gpu_memory_usable_gib=15
        ),
        prices=(price,),
    )
    (row,) = write_prices(sold)
    read = read_price(row)
    assert read.amount == price.amount
    rounded = price.model_copy(update={"billing_unit_hours": read.billing_unit_hours})
    assert read == rounded
    assert abs(read.billing_unit_hours - price.billing_unit_hours) < 1e-9
    assert Price.model_validate(read.model_dump()) == read


@settings(deadline=None)
@given(MACHINES)
def test_a_machine_survives_its_row(machine: Machine) -> None:
    read = read_machine("test", write_machine(machine))
    assert read.model_dump() == {
        **machine.model_dump(),
        "gpu_memory_usable_gib": read.gpu_memory_usable_gib,
        "network_gbit_per_s": read.network_gbit_per_s,
        "vcpus": read.vcpus,
        "memory_bandwidth_gbyte_per_s": read.memory_bandwidth_gbyte_per_s,
    }
    assert abs(read.gpu_memory_usable_gib - machine.gpu_memory_usable_gib) < 1e-6
    assert (read.vcpus is None) == (machine.vcpus is None)


@settings(deadline=None, max_examples=30)
@given(st.lists(OFFERS, min_size=1, max_size=5, unique_by=lambda offer: offer.key))
def test_offers_survive_a_snapshot_in_any_order(offers: list[Offer]) -> None:
    with tempfile.TemporaryDirectory() as name:
        first, second = Path(name) / "1", Path(name) / "2"
        for directory, order in ((first, offers), (second, offers[::-1])):
            directory.mkdir()
            write_snapshot(directory, "test", order)
        assert (first / "index.json").read_bytes() == (second / "index.json").read_bytes()
        snapshot = read_snapshot(Files(first), "test")
        for offer in offers:
            rows = [row for row in snapshot.prices if row[:2] == [offer.region, offer.instance_type]]
            read = [read_price(row) for row in rows if row[AMOUNT]]
            assert sorted(map(str, read)) == sorted(map(str, map(_rounded, offer.prices)))
            assert {row[AVAILABILITY] for row in rows} <= {offer.availability.value, ""}
            machine = snapshot.machine(offer.instance_type, offer.region)
            assert machine is not None
            assert (machine.gpu_model, machine.gpu_count) == (offer.machine.gpu_model, offer.machine.gpu_count)


def _rounded(price: Price) -> Price:
    return price.model_copy(update={"billing_unit_hours": float(f"{price.billing_unit_hours:.10g}")})
