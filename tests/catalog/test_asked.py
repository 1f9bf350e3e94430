"""Names that people ask for: what is in the catalog passes, what is not is named with the nearest that is."""

import pytest

from optimizer.catalog import Catalog
from optimizer.catalog.asked import country_problems, provider_problems, region_problems


@pytest.mark.parametrize("pattern", ["aws", "AWS", "a*", "owned", "seeweb", "[!x]*"])
def test_known_providers(catalog: Catalog, pattern: str) -> None:
    """All 27 rows of seeweb were refused (AUDIT F24): known, and an empty answer."""
    assert list(provider_problems(catalog, (pattern,), "--provider")) == []


def test_a_slip_names_the_nearest(catalog: Catalog) -> None:
    found = [str(problem) for problem in provider_problems(catalog, ("lamda", "aws", "nosuch"), "w.yaml", "providers")]
    expected = "expected a provider of the catalog or a pattern of one."
    assert found == [
        f"w.yaml: providers: found 'lamda', {expected} Did you mean lambda?",
        f"w.yaml: providers: found 'nosuch', {expected} `optimize catalog list` names them.",
    ]


def test_names_from_the_users_quotes(catalog: Catalog) -> None:
    assert list(provider_problems(catalog, ("my-lessor",), "--provider", also=("my-lessor",))) == []
    assert list(region_problems(catalog, ("cellar",), "--region", also=("cellar",))) == []


@pytest.mark.parametrize("pattern", ["us-east-1", "cn-*", "GLOBAL"])
def test_known_regions(catalog: Catalog, pattern: str) -> None:
    assert list(region_problems(catalog, (pattern,), "--region")) == []


def test_an_unknown_region(catalog: Catalog) -> None:
    (problem,) = region_problems(catalog, ("us-eat-1",), "--region")
    assert "us-east-1" in (problem.suggestion or "")


@pytest.mark.parametrize("pattern", ["CN", "cn", "EU", "US-GOV", "?K"])
def test_known_places(catalog: Catalog, pattern: str) -> None:
    assert list(country_problems(catalog, (pattern,), "--country")) == []


@pytest.mark.parametrize(("pattern", "hint"), [("ZZ", "Offers lie in AE, AU,"), ("US-GOVT", "Did you mean US-GOV")])
def test_unknown_places(catalog: Catalog, pattern: str, hint: str) -> None:
    (problem,) = country_problems(catalog, (pattern,), "--country")
    assert (problem.suggestion or "").startswith(hint)
