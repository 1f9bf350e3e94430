"""Filters: each alone, their losses, and the same answer on raw rows and on built offers."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from optimizer.catalog import Catalog
from optimizer.catalog.filters import OfferFilter, apply_filters, price_per_gpu_hour, price_per_hour, search
from optimizer.catalog.freshness import Freshness, freshness
from optimizer.catalog.gpu_spec import parse_gpu_specs
from optimizer.domain.money import Rate, Rates
from optimizer.domain.offer import IntraLink, Machine, Offer, PriceKind, PriceUnit, Rdma, Term
from tests.catalog.builders import machine, price

YUAN = Rates({"CNY": Rate("CNY", Decimal("7"), date(2026, 11, 1), "a test")})


def all_rows(catalog: Catalog) -> int:
    return sum(len(offer.prices) or 1 for offer in catalog.offers())


@pytest.mark.parametrize(
    ("wanted", "is_met"),
    [
        (OfferFilter(providers=("AWS",)), lambda o, m: o.provider == "aws"),
        (OfferFilter(regions=("eu-*",)), lambda o, m: o.region.startswith("eu-")),
        (OfferFilter(countries=("CN",)), lambda o, m: o.country == "CN"),
        (OfferFilter(memory_types=("HBM*",)), lambda o, m: (m.memory_type or "").startswith("HBM")),
        (
            OfferFilter(min_bandwidth_gbyte_per_s=1500),
            lambda o, m: m.memory_bandwidth_gbyte_per_s is not None and m.memory_bandwidth_gbyte_per_s >= 1500,
        ),
        (
            OfferFilter(nvlink=True),
            lambda o, m: m.intra_link in (IntraLink.NVLINK, IntraLink.NVSWITCH, IntraLink.XGMI, IntraLink.HCCS),
        ),
        (OfferFilter(rdma=True), lambda o, m: m.rdma not in (None, Rdma.NONE, Rdma.GPUDIRECT_TCPX)),
        (OfferFilter(nvme=True), lambda o, m: bool(m.local_nvme_gb)),
        (OfferFilter(min_pcie_generation=5), lambda o, m: m.pcie_generation is not None and m.pcie_generation >= 5),
        (
            OfferFilter(gpus=parse_gpu_specs("A100:80GB")),
            lambda o, m: m.gpu_model.startswith("A100") and m.gpu_memory_gib == 80 and m.gpu_fraction is None,
        ),
    ],
)
def test_machine_filters(catalog: Catalog, wanted: OfferFilter, is_met: Any) -> None:
    found, (removal,) = apply_filters(catalog.offers(), wanted)
    expected = [offer for offer in catalog.offers() if is_met(offer, offer.machine)]
    assert list(found) == expected
    assert 0 < len(found) < len(catalog.offers())
    assert removal.left == sum(len(offer.prices) or 1 for offer in expected)
    assert removal.removed + removal.left == all_rows(catalog)


def test_price_filters_leave_the_prices_that_meet_them(catalog: Catalog) -> None:
    found, removals = apply_filters(catalog.offers(), OfferFilter(terms=(Term.SPOT,), plannable_only=True))
    assert found
    assert all(p.term is Term.SPOT and p.is_plannable for offer in found for p in offer.prices)
    assert [removal.filter for removal in removals] == ["no-price", "term=spot", "plannable"]


def test_market_quotes_are_left_out_on_request(catalog: Catalog) -> None:
    found, _ = apply_filters(catalog.offers(), OfferFilter(providers=("market",), no_market_quotes=True))
    assert found == ()
    kept, _ = apply_filters(catalog.offers(), OfferFilter(providers=("market",)))
    assert {p.kind for offer in kept for p in offer.prices} == {PriceKind.MARKET_QUOTE}


@pytest.mark.parametrize(
    ("observed", "is_kept"),
    [(date(2026, 10, 1), True), (date(2026, 9, 30), False), (date(2026, 12, 1), True), (None, False)],
)
def test_the_age_of_a_price(observed: date | None, is_kept: bool) -> None:
    """2026-10-01 is 60 days before 2026-11-30 (30 in October, 30 in November); the day before is 61."""
    offer = Offer(provider="test", region="r", machine=machine("x", "T4", 1), prices=(price("1", observed=observed),))
    wanted = OfferFilter(max_age_days=60, as_of=date(2026, 11, 30))
    assert bool(apply_filters([offer], wanted)[0]) is is_kept
    expected = {True: Freshness.RECENT, False: Freshness.UNDATED if observed is None else Freshness.OLD}
    assert freshness(observed, date(2026, 11, 30)) is expected[is_kept]


def test_no_filter_removes_nothing(catalog: Catalog) -> None:
    found, removals = apply_filters(catalog.offers(), OfferFilter())
    assert found == catalog.offers()
    assert removals == ()


def test_losses_are_told_filter_by_filter(catalog: Catalog) -> None:
    """Faults B95 (gpuhunt#142): a hidden filter cut all H100."""
    wanted = OfferFilter(countries=("CN",), gpus=parse_gpu_specs("H100"), max_price_per_hour=Decimal("0.01"))
    found, removals = apply_filters(catalog.offers(), wanted)
    assert found == ()
    left = all_rows(catalog)
    for removal in removals:
        assert removal.left == left - removal.removed
        left = removal.left
    assert [removal.filter.split("=")[0] for removal in removals] == ["country", "gpu", "no-price", "max-price"]


FILTERS = st.builds(
    OfferFilter,
    gpus=st.sampled_from([(), parse_gpu_specs("H100:8"), parse_gpu_specs("24GB..80GB"), parse_gpu_specs("A100*,T4")]),
    providers=st.sampled_from([(), ("aws",), ("a*",), ("nobody",)]),
    countries=st.sampled_from([(), ("US",), ("CN", "HK")]),
    terms=st.sampled_from([(), (Term.MONTH,), (Term.ON_DEMAND, Term.SPOT)]),
    nvlink=st.booleans(),
    rdma=st.booleans(),
    max_price_per_gpu_hour=st.sampled_from([None, Decimal(2), Decimal(20)]),
    rates=st.just(YUAN),
    plannable_only=st.booleans(),
    no_market_quotes=st.booleans(),
    max_age_days=st.sampled_from([None, 0, 60, 365]),
    as_of=st.just(date(2026, 11, 30)),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(wanted=FILTERS)
def test_raw_rows_and_built_offers_give_the_same_answer(catalog: Catalog, wanted: OfferFilter) -> None:
    assert search(catalog, wanted) == apply_filters(catalog.offers(), wanted)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(wanted=FILTERS)
def test_filtering_twice_changes_nothing(catalog: Catalog, wanted: OfferFilter) -> None:
    once, _ = apply_filters(catalog.offers(), wanted)
    twice, removals = apply_filters(once, wanted)
    assert twice == once
    assert all(removal.removed == 0 for removal in removals)


def eight() -> Machine:
    return machine("8x", "H100-SXM5-80GB", 8)


@pytest.mark.parametrize(
    ("facts", "hourly"),
    [
        # A month's rent of 73,000 is 100 an hour at 730 hours; eight GPUs: 12.50 each.
        ({"term": Term.MONTH, "unit": PriceUnit.MONTH, "amount": "73000"}, "100"),
        # A year of 876,000 is 100 an hour at 8,760 hours.
        ({"term": Term.RESERVED_1Y, "unit": PriceUnit.YEAR, "amount": "876000"}, "100"),
        # 36 months at 73,000 over 3 x 8,760 h: 73,000 x 36 / 26,280 = 100.
        ({"term": Term.RESERVED_3Y, "unit": PriceUnit.MONTH, "amount": "73000"}, "100"),
        # A day at 2,400 is 100 an hour; a week of 16,800 as well.
        ({"term": Term.DAY, "unit": PriceUnit.DAY, "amount": "2400"}, "100"),
        ({"term": Term.WEEK, "unit": PriceUnit.WEEK, "amount": "16800"}, "100"),
        # 90 an hour and 87,600 on the first day of a year: 90 + 87,600 / 8,760 = 100.
        ({"term": Term.RESERVED_1Y, "unit": PriceUnit.HOUR, "amount": "90", "upfront_amount": Decimal(87600)}, "100"),
        # The whole year for 876,000.
        ({"term": Term.RESERVED_1Y, "unit": PriceUnit.TERM, "amount": "876000"}, "100"),
    ],
)
def test_price_of_an_hour(facts: dict[str, Any], hourly: str) -> None:
    amount, term = facts.pop("amount"), facts.pop("term")
    asked = price(amount, term, **facts)
    assert price_per_hour(asked, YUAN, "USD") == Decimal(hourly)
    assert price_per_gpu_hour(asked, eight(), YUAN, "USD") == Decimal("12.5")


def test_currencies_are_converted_never_relabelled() -> None:
    """70 CNY at 7 CNY a USD are 10 USD; without a rate there is no figure and no filter passes it."""
    asked = price("70", currency="CNY")
    assert price_per_hour(asked, YUAN, "USD") == 10
    assert price_per_hour(price("10"), YUAN, "CNY") == 70
    assert price_per_hour(asked, Rates(), "USD") is None


def test_a_share_of_a_card_is_priced_as_that_share() -> None:
    half = machine("half", "A10", 1, gpu_fraction=0.5, gpu_memory_gib=12, gpu_memory_usable_gib=12)
    assert price_per_gpu_hour(price("1"), half, YUAN, "USD") == 2
