"""The region table: where every region of every seller lies."""

import pytest

from optimizer.catalog import Catalog


def test_every_region_of_an_offer_is_known(catalog: Catalog) -> None:
    unknown = {(o.provider, o.region) for o in catalog.offers() if catalog.region(o.provider, o.region) is None}
    assert unknown == set()


@pytest.mark.parametrize(
    ("provider", "region", "canonical", "country", "jurisdiction"),
    [
        # Cases named in the issue.
        ("tencent", "mainland", "cn-mainland", "CN", "CN"),
        ("tencent", "mainland-low", "cn-mainland", "CN", "CN"),
        ("alibaba", "cn-hongkong", "hk-hong-kong", "HK", "HK"),
        ("aws", "cn-north-1", "cn-beijing", "CN", "CN"),
        ("autodl", "cn", "cn-mainland", "CN", "CN"),
        ("autodl", "cn-2026-08", "cn-mainland", "CN", "CN"),
        # Regions as the providers name their cities.
        ("aws", "us-east-1", "us-virginia", "US", "US"),
        ("aws", "us-gov-west-1", "us-oregon-gov", "US", "US-GOV"),
        ("aws", "eu-central-1", "de-frankfurt", "DE", "EU"),
        ("aws", "eu-west-2", "gb-london", "GB", "GB"),
        ("aws", "ap-east-1", "hk-hong-kong", "HK", "HK"),
        ("azure", "eastus", "us-virginia", "US", "US"),
        ("azure", "eastasia", "hk-hong-kong", "HK", "HK"),
        ("azure", "usgovvirginia", "us-virginia-gov", "US", "US-GOV"),
        ("azure", "switzerlandnorth", "ch-zurich", "CH", "CH"),
        ("gcp", "europe-west4", "nl-eemshaven", "NL", "EU"),
        ("gcp", "asia-east1", "tw-changhua", "TW", "TW"),
        ("coreweave", "us (North America list)", "us-north-america", "US", "US"),
        ("nebius", "eu-north1", "fi-finland", "FI", "EU"),
        ("vast", "HK", "hk-hk", "HK", "HK"),
    ],
)
def test_places(catalog: Catalog, provider: str, region: str, canonical: str, country: str, jurisdiction: str) -> None:
    place = catalog.region(provider, region)
    assert place is not None
    assert (place.canonical_region, place.country, place.jurisdiction) == (canonical, country, jurisdiction)


@pytest.mark.parametrize(("provider", "region"), [("lambda", "global"), ("oci", "global"), ("akash", "marketplace")])
def test_one_price_for_all_regions_is_no_country(catalog: Catalog, provider: str, region: str) -> None:
    place = catalog.region(provider, region)
    assert place is not None
    assert place.country is None


def test_offers_carry_their_place(catalog: Catalog) -> None:
    found = next(o for o in catalog.offers() if o.key == "alibaba/cn-hongkong/ecs.gn6i-c4g1.xlarge")
    assert (found.country, found.canonical_region) == ("HK", "hk-hong-kong")


def test_hong_kong_is_not_the_mainland(catalog: Catalog) -> None:
    """A mainland price list does not cover Hong Kong."""
    products = {product.product for product in catalog.storage("alibaba", "cn-hongkong")}
    assert not any("PL2" in product for product in products)
    assert any("PL2" in product.product for product in catalog.storage("alibaba", "cn-beijing"))


def test_countries_are_iso_codes(catalog: Catalog) -> None:
    for row in catalog.records("regions"):
        assert row["country"] == "" or (len(row["country"]) == 2 and row["country"].isupper()), row
