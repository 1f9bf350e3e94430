"""Names that people ask for must exist: a pattern that matches nothing is a slip of the pen, not an empty wish."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from types import MappingProxyType

from optimizer.catalog.catalog import Catalog
from optimizer.catalog.filters import matches_any
from optimizer.catalog.spoken import COUNTRIES, PROVIDERS
from optimizer.errors import Problem

#: Names of machines at the user's own site.
OWNED = "owned"
_NEAR = 0.6
_LIST = "`optimize catalog list` names them."
_OFFERS = "`optimize offers --json` names them."


def provider_problems(
    catalog: Catalog, patterns: Iterable[str], source: str, field: str = "", also: Iterable[str] = ()
) -> Iterator[Problem]:
    """A problem for each pattern that matches no provider of the catalog, not even one whose rows were all refused.

    Args:
        source: the file or option that names them.
        field: the field of the file; empty for an option.
        also: providers from elsewhere, such as the user's quotes.
    """
    refused = {row.provider for row in catalog.rejected}
    known = sorted({*catalog.providers, *refused, *also, OWNED})
    expected = "a provider of the catalog or a pattern of one"
    yield from _unmatched(patterns, known, Problem(source, field, "", expected, None, _LIST), PROVIDERS)


def region_problems(
    catalog: Catalog, patterns: Iterable[str], source: str, field: str = "", also: Iterable[str] = ()
) -> Iterator[Problem]:
    """A problem for each pattern that matches no provider's region; arguments as in `provider_problems`."""
    known = sorted({*(seat.region for seat in catalog.table.seats), *also})
    expected = "a provider's region or a pattern of one"
    yield from _unmatched(patterns, known, Problem(source, field, "", expected, None, _OFFERS))


def country_problems(
    catalog: Catalog, patterns: Iterable[str], source: str, field: str = "", also: Iterable[str] = ()
) -> Iterator[Problem]:
    """A problem for each pattern that matches no country, jurisdiction or canonical region of the region table.

    Arguments as in `provider_problems`.
    """
    known, expected = sorted({*catalog.place_names, *also}), "a country, jurisdiction or canonical region"
    codes = ", ".join(sorted({seat.country for seat in catalog.table.seats if seat.country}))
    problem = Problem(source, field, "", expected, None, f"Offers lie in {codes}.")
    yield from _unmatched(patterns, known, problem, COUNTRIES)


def _unmatched(
    patterns: Iterable[str], known: Sequence[str], problem: Problem, spoken: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Problem]:
    """The problem for each pattern without a match; its suggestion is the fallback where no name is near.

    `spoken` are other names of known ones.
    """
    for pattern in patterns:
        if not any(matches_any(name, (pattern,)) for name in known):
            meant = [name for name in known if name == spoken.get(pattern.upper())]
            near = meant or nearest(pattern, known)
            suggestion = f"Did you mean {' or '.join(near)}?" if near else problem.suggestion
            yield replace(problem, found=repr(pattern), suggestion=suggestion)


def nearest(name: str, known: Iterable[str], count: int = 3) -> list[str]:
    """The closest known names, best first, whatever their small and capital letters."""
    folded: dict[str, list[str]] = {}
    for one in known:
        folded.setdefault(one.casefold(), []).append(one)
    close = get_close_matches(name.casefold(), folded, n=count, cutoff=_NEAR)
    return [one for text in close for one in folded[text]][:count]
