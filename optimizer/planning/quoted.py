"""Quotes that a plan cannot use although they were given: none is left out in silence."""

from collections.abc import Iterator

from optimizer.catalog.quotes import OutsideDates, QuotedPrice, Quotes
from optimizer.domain.plan import Caution
from optimizer.domain.text import Text
from optimizer.domain.workload import WorkloadFile

MOST_NAMED = 5
_NO_COUNTRY = Text(
    "Quotes that name no country are not used, since every workload asks for countries: {lines}. Fill in their column "
    "country, such as CN, and plan again: the answer may be another one.",
    "所有任务都限定了国家，未写国家的报价未被使用：{lines}。请填写 country 列（如 CN）后再规划一次：结论可能改变。",
)


def quote_notes(quotes: Quotes, file: WorkloadFile) -> Iterator[str]:
    """A note for each quote that its dates keep out, or that no workload can use as its country is not known."""
    yield from map(_out_of_date, quotes.outside)
    for quote in _without_place(quotes, file):
        yield (
            f"{quote.file}:{quote.line}: the quote for {quote.what} names no country and is not used: "
            "every workload asks for countries; fill in the column country, such as CN"
        )


def quote_cautions(quotes: Quotes, file: WorkloadFile) -> Iterator[Caution]:
    """One caution for all quotes that no workload can use as their country is not known."""
    found = [f"{quote.file}:{quote.line}" for quote in _without_place(quotes, file)]
    if found:
        lines = ", ".join(found[:MOST_NAMED]) + (", ..." if len(found) > MOST_NAMED else "")
        yield Caution(text_en=_NO_COUNTRY.say("en", lines=lines), text_zh=_NO_COUNTRY.say("zh", lines=lines))


def _without_place(quotes: Quotes, file: WorkloadFile) -> list[QuotedPrice]:
    """Quotes of machines whose place is not known, where no workload takes any place."""
    if not all(work.countries for work in file.workloads):
        return []
    return [quote for quote in quotes.priced if not quote.has_place]


def _out_of_date(line: OutsideDates) -> str:
    when = f"begins on {line.first}" if line.is_early else f"ended on {line.last}"
    return f"{line.source}: the quote for {line.what} {when}: not planned on"
