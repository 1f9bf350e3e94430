"""Notes on quotes that a plan cannot use although they were given: none is left out in silence."""

from collections.abc import Iterator

from optimizer.catalog.quotes import OutsideDates, Quotes
from optimizer.domain.workload import WorkloadFile


def quote_notes(quotes: Quotes, file: WorkloadFile) -> Iterator[str]:
    """A note for each quote that its dates keep out, or that no workload can use as its country is not known."""
    yield from map(_out_of_date, quotes.outside)
    if not all(work.countries for work in file.workloads):
        return
    for quote in quotes.priced:
        if not quote.has_place:
            yield (
                f"{quote.file}:{quote.line}: the quote for {quote.what} names no country and is not used: "
                "every workload asks for countries; fill in the column country, such as CN"
            )


def _out_of_date(line: OutsideDates) -> str:
    when = f"begins on {line.first}" if line.is_early else f"ended on {line.last}"
    return f"{line.source}: the quote for {line.what} {when}: not planned on"
