"""Whether prices of a contract stand with value-added tax or without: two bases are never added.

Where the lines of one purchase stand on both, those without tax are brought to the price with tax, by the rate of the
workload file: that is what an invoice asks for. Without a rate nothing is converted and nothing is added.
"""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from optimizer.contract.spec import ScheduleRow, TaxBasis
from optimizer.domain.offer import Price
from optimizer.domain.service import ServiceQuote
from optimizer.domain.text import Text
from optimizer.domain.workload import TaxSpec

WORDS: dict[TaxBasis, Text] = {
    TaxBasis(included=True, stated=True): Text("tax included", "含税"),
    TaxBasis(included=False, stated=True): Text("without tax", "不含税"),
    TaxBasis(included=True, stated=False): Text("taken as with tax", "按含税计"),
    TaxBasis(included=False, stated=False): Text("taken as without tax", "按不含税计"),
}
_OF_LINE = Text("{term} ({source}): {basis}", "{term}（{source}）：{basis}")
_UNSTATED = Text("the source does not say, {words}", "来源未说明，{words}")
_CONVERTED = Text(
    " Lines without tax stand in the amount with {percent} % tax.", "不含税的各行按 {percent}% 税率折为含税计入总额。"
)


def basis_of(price: Price | ServiceQuote | None, tax: TaxSpec, *, is_owned: bool = False) -> TaxBasis:
    """The basis of a price: as its source says, else as the plan takes it.

    Prices of machines that become the buyer's are taken as they stand (docs/adr/0004), so on the plan's own basis.
    """
    said = price.tax_included if price is not None else None
    if said is not None:
        return TaxBasis(included=said, stated=True)
    return TaxBasis(included=not tax.recoverable if is_owned else tax.included, stated=False)


def words_of(basis: TaxBasis | None) -> Text | None:
    """A basis in words; None where there is none."""
    return None if basis is None else WORDS[basis]


def on_one_basis(rows: Sequence[ScheduleRow], tax: TaxSpec) -> tuple[ScheduleRow, ...]:
    """The rows with their amounts on one basis; unchanged where they agree, or where the file states no rate."""
    if len({row.basis.included for row in rows}) == 1 or not tax.rate:
        return tuple(rows)
    factor = 1 + Decimal(str(tax.rate))
    return tuple(row if row.basis.included else _with_tax(row, factor) for row in rows)


def _with_tax(row: ScheduleRow, factor: Decimal) -> ScheduleRow:
    return replace(row, tax_factor=factor, amount=row.amount * factor)


def total_basis(rows: Sequence[ScheduleRow]) -> TaxBasis | None:
    """The basis on which all amounts stand; None where there are two."""
    included = {row.amount_basis.included for row in rows}
    if len(included) != 1:
        return None
    return TaxBasis(included=included.pop(), stated=all(row.basis.stated for row in rows))


def line_by_line(rows: Sequence[ScheduleRow]) -> Text:
    """What each price says of tax, or what the plan takes it for, with its source."""
    told = dict.fromkeys(_told(row) for row in rows)
    return Text("; ".join(text.en for text in told) + ".", "；".join(text.zh for text in told) + "。")


def _told(row: ScheduleRow) -> Text:
    words = WORDS[row.basis]
    basis = words if row.basis.stated else Text(*(_UNSTATED.say(lang, words=words.say(lang)) for lang in ("en", "zh")))
    said = {lang: {"term": row.term.say(lang), "source": row.source, "basis": basis.say(lang)} for lang in ("en", "zh")}
    return Text(_OF_LINE.say("en", **said["en"]), _OF_LINE.say("zh", **said["zh"]))


def converted(rows: Sequence[ScheduleRow], tax: TaxSpec) -> Text:
    """How lines without tax came into an amount with tax; empty where none had to."""
    if all(row.tax_factor == 1 for row in rows):
        return Text("", "")
    percent = f"{(Decimal(str(tax.rate)) * 100).normalize():f}"
    return Text(_CONVERTED.say("en", percent=percent), _CONVERTED.say("zh", percent=percent))
