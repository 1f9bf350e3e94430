"""Quotes that a plan cannot use although they hold: said at once, never left out in silence."""

from collections.abc import Iterator

from optimizer.catalog.quotes import OutsideDates, Quotes
from optimizer.domain.money import USD, Rates
from optimizer.domain.workload import WorkloadFile
from optimizer.errors import Problem
from optimizer.planning.inputs import InputChecks


def check_quotes(quotes: Quotes, rates: Rates, checks: InputChecks) -> None:
    """Every quoted price needs a rate of its currency."""
    for quote in quotes.priced:
        if quote.currency != USD and quote.currency not in rates.by_currency:
            expected = "a currency with a rate (add it under fx:)"
            checks.problems.append(Problem(quote.file, "currency", repr(quote.currency), expected, quote.line))


def quote_notes(quotes: Quotes, file: WorkloadFile) -> Iterator[str]:
    """A note for each quote that its dates keep out, or that no workload can use as its country is not known."""
    yield from map(_out_of_date, quotes.outside)
    if not all(work.countries for work in file.workloads):
        return
    for quote in quotes.priced:
        if not quote.has_place:
            asked = "every workload asks for countries; fill in the column country, such as CN"
            yield f"{quote.file}:{quote.line}: the quote for {quote.what} names no country and is not used: {asked}"


def _out_of_date(line: OutsideDates) -> str:
    when = f"begins on {line.first}" if line.is_early else f"ended on {line.last}"
    return f"{line.source}: the quote for {line.what} {when}: not planned on"
