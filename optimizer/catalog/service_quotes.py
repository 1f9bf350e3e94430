"""Quoted prices of storage and traffic: lines of `quotes.csv` with `storage`, `cold-storage` or `egress` as machine.

`provider` is written as in the offers, `region` too or as a pattern (`cn-*`, `*`); `term` stays empty. `price_unit` is
`gb_month` for storage and `gb` for egress (10**9 bytes), or `gib_month` and `gib` (2**30) where the seller says so.
A price of 0 is a price: stated free. The more exact region counts; two lines as exact for one place are refused.
"""

from collections.abc import Iterable
from datetime import date
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import cast

from optimizer.catalog.quote_lines import OPTIONAL, Line
from optimizer.domain.service import UNITS, ServiceKind, ServiceQuote

#: Columns that only machines have.
_MACHINE_COLUMNS = ("discount_percent", *OPTIONAL[OPTIONAL.index("gpu_model") :])


def is_service(line: Line) -> bool:
    """Whether a line quotes storage or egress and no machine."""
    return line["instance_type"] in UNITS


def read_service_quotes(
    lines: Iterable[Line], places: Iterable[tuple[str, str]], as_of: date
) -> tuple[tuple[ServiceQuote, ...], list[Line]]:
    """The prices that hold on `as_of` in the order of the file, and the lines that do not hold; problems stay there.

    `places` are the providers with their regions that have machines, those of the file with a problem included.
    """
    regions: dict[str, set[str]] = {}
    for provider, region in places:
        regions.setdefault(provider, set()).add(region)
    quotes: list[tuple[Line, ServiceQuote]] = []
    outside: list[Line] = []
    for line in lines:
        quote = _quote(line, regions, as_of)
        if quote is None:
            continue
        if line.validity(as_of).is_valid:
            _refuse_rival(line, quote, quotes, regions[quote.provider])
            quotes.append((line, quote))
        else:
            outside.append(line)
    return tuple(quote for _, quote in quotes), outside


def _refuse_rival(
    line: Line, quote: ServiceQuote, earlier: Iterable[tuple[Line, ServiceQuote]], regions: set[str]
) -> None:
    """A second price for a place where an earlier line has one as exactly."""
    for other_line, other in earlier:
        if (other.kind, other.provider, other.exactness) == (quote.kind, quote.provider, quote.exactness):
            mine = {region for region in regions if fnmatchcase(region, quote.region)}
            if any(fnmatchcase(region, other.region) for region in mine):
                line.wrong("region", "one valid quote for a place", f"Line {other_line.number} means it too.")
                return


def _quote(line: Line, regions: dict[str, set[str]], as_of: date) -> ServiceQuote | None:
    before = len(line.problems)
    _check_place(line, regions)
    for name in _MACHINE_COLUMNS:
        if line[name]:
            line.wrong(name, f"nothing: it says nothing of {line['instance_type']}")
    if line["term"]:
        line.wrong("term", "nothing: storage and traffic are paid as they are used")
    kind = cast(ServiceKind, line["instance_type"])
    amount = line.positive("price", or_zero=True)
    if amount is None and not line["price"]:
        line.wrong("price", "a price (0 where the seller says that it is free)")
    unit, currency = line.choice("price_unit", UNITS[kind]), line.currency()
    tax, validity = line.tax(), line.validity(as_of)
    if len(line.problems) > before or amount is None:
        return None
    return ServiceQuote.model_validate(
        {
            "kind": kind,
            "provider": line["provider"],
            "region": line["region"],
            "amount": amount,
            "unit": unit,
            "currency": currency,
            "tax_included": tax,
            "observed": validity.first or as_of,
            "valid_from": validity.first,
            "valid_to": validity.last,
            "source": line.source,
            "note": line["note"],
        }
    )


def _check_place(line: Line, regions: dict[str, set[str]]) -> None:
    """A place without offers is a slip of the pen: nothing would ever be stored there."""
    known = regions.get(line["provider"])
    if known is None:
        near = get_close_matches(line["provider"], regions, n=1)
        line.wrong("provider", "a provider of the offers", f"Did you mean {near[0]}?" if near else None)
        return
    if not any(fnmatchcase(region, line["region"]) for region in known):
        near = get_close_matches(line["region"], sorted(known), n=1)
        hint = f"Did you mean {near[0]}?" if near else "`*` means all of them."
        line.wrong("region", f"a region of {line['provider']}'s offers, or a pattern of one", hint)
