"""From a provider's columns to bill lines: the SELECT that every query stands on.

Texts are never NULL here ('' is unknown), amounts are DECIMAL(38, 12), times are the bill's own clock. A line whose
amount, currency or time cannot be read keeps a reason in `unread` and takes part in no sum.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from optimizer.review.engine import Column, literal, quote_name
from optimizer.review.mapping import NUMBER_FIELDS, TEXT_FIELDS, TIME_FIELDS, BillMapping, Take, column_key
from optimizer.review.units import MONTH_WORDS, YEAR_WORDS

AMOUNT = "DECIMAL(38, 12)"
#: Spellings of "nothing" met in real exports (FOCUS sample data 2024; finops-toolkit issues 836, 909).
NULL_TEXTS = ("", "null", "none", "nan", "n/a", "-", "--", "\\n", "(null)", "[null]", "<null>")
NULL_NAMES = (*NULL_TEXTS, "unassigned", "-2", "not assigned", "not applicable", "unspecified")

_TEXT_TYPES = ("VARCHAR", "TEXT", "STRING", "CHAR", "UTF8", "LARGEUTF8")
_NESTED_TYPES = ("MAP", "STRUCT", "JSON", "OBJECT", "VARIANT")
_TIME_TYPES = re.compile(r"TIMESTAMP|DATE", re.IGNORECASE)
_ZONED_TYPES = re.compile(r"TIMESTAMP.*(?:WITH TIME ZONE|TZ\b|UTC|\+)", re.IGNORECASE)

_THOUSANDS = r"^[-+]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?$"
_COMMA_DECIMAL = r"^[-+]?[0-9]{1,3}((\.[0-9]{3})+|[0-9]*)(,[0-9]+)?$"
_OFFSET = r"[0-9]:[0-9]{2}(:[0-9.]+)? ?([-+][0-9]{2}(:?[0-9]{2})?|Z|UTC)$"


@dataclass(frozen=True)
class Source:
    """One relation of bill lines: a FROM clause, its columns, their format, and how its numbers are written.

    `names` are the header's names in the order of `columns` (files whose columns are named by position). `evidence`: an
    expression that tells which line this is, asked of lines that cannot be read; `again`: the FROM clause to ask it of,
    where lines are read into a table first.
    """

    label: str
    relation: str
    columns: Sequence[Column]
    mapping: BillMapping
    version: str = ""
    names: Sequence[str] = ()
    decimal_comma: bool = False
    file_sql: str | None = None
    evidence: str | None = None
    again: str | None = None
    files: tuple[str, ...] = ()
    by_key: Mapping[str, Column] = field(init=False)

    def __post_init__(self) -> None:
        names = self.names or [column.name for column in self.columns]
        table: dict[str, Column] = {}
        for name, column in zip(names, self.columns, strict=False):
            table.setdefault(column_key(name), column)
        object.__setattr__(self, "by_key", table)

    def column(self, name: str) -> Column | None:
        """The column that a mapping calls by `name`, if the file has it."""
        return self.by_key.get(column_key(name))


def lines_sql(sources: Sequence[Source], zone: str | None = None, numbers: Sequence[int] | None = None) -> str:
    """All lines of all sources with the canonical columns; charges on the clock of `zone`, else the bill's own.

    `numbers` become the `source_number` of each source.
    """
    numbered = zip(sources, numbers or range(len(sources)), strict=True)
    return "\nUNION ALL\n".join(_lines_of(source, number, zone) for source, number in numbered)


def _lines_of(source: Source, number: int, zone: str | None) -> str:
    parsed = [
        *(f"{_text(source, name)} AS {name}" for name in TEXT_FIELDS),
        *(f"{_number(source, name)} AS {name}_" for name in NUMBER_FIELDS),
        *(f"{_unreadable(source, name)} AS {name}_unreadable" for name in _JUDGED),
        f"{source.evidence or literal('')} AS evidence_",
        *(f"{_time(source, name)} AS {name}_" for name in TIME_FIELDS),
        f"{source.file_sql or literal(source.label)} AS file",
        f"{number} AS source_number",
    ]
    inner = f"SELECT {', '.join(parsed)} FROM {source.relation} AS source_rows"
    return f"SELECT {_derived(source, zone or source.mapping.zone)} FROM ({inner}) AS parsed"


def _derived(source: Source, zone: str) -> str:
    """Fields that follow from others: what a charge counts as, and why a line is unreadable."""
    return ", ".join(
        [
            *TEXT_FIELDS,
            "billed_ AS billed",
            f"CASE WHEN {_PAYMENT} THEN CAST(0 AS {AMOUNT}) ELSE {_EFFECTIVE} END AS effective",
            "effective_ AS effective_stated",
            f"CASE WHEN {_PAYMENT} THEN CAST(0 AS {AMOUNT}) ELSE contracted_ END AS contracted",
            f"CASE WHEN {_PAYMENT} THEN CAST(0 AS {AMOUNT}) ELSE list_ END AS list",
            "contracted_ AS contracted_stated",
            "list_ AS list_stated",
            "quantity_ AS quantity",
            "pricing_quantity_ AS pricing_quantity",
            "list_unit_price_ AS list_unit_price",
            f"COALESCE(billing_start_, DATE_TRUNC('month', {_START})) AS billing_start",
            "billing_end_ AS billing_end",
            f"{_on_clock(_START, source.mapping.zone, zone)} AS charge_start",
            f"{_on_clock(_end(source), source.mapping.zone, zone)} AS charge_end",
            "commitment_end_ AS commitment_end",
            f"CASE WHEN {_PAYMENT} THEN 1 ELSE 0 END AS is_payment",
            f"{_TERM} AS term",
            f"{_UNREAD} AS unread",
            f"{_VALUE} AS unread_value",
            f"CASE WHEN {_UNREAD} = '' THEN '' ELSE evidence_ END AS evidence",
            "file",
            "source_number",
        ]
    )


#: A payment for a commitment that covers later charges, or its refund in whatever form: worth 0 in accrual
#: (FOCUS, EffectiveCost; FOCUS_Spec issues 971 and 974).
_PAYMENT = (
    "(commitment <> '' AND commitment_status = '' AND (category = 'purchase' OR "
    "(category IN ('credit', 'adjustment') AND (resource = '' OR resource = commitment))))"
)
_START = "COALESCE(charge_start_, billing_start_)"
#: An unused part is worth quantity x rate where the bill states less (AWS guide, pull request 19).
_UNUSED = "(unused_quantity_ * CAST(unused_rate_ AS DECIMAL(18, 9)))"
_EFFECTIVE = (
    f"CASE WHEN COALESCE({_UNUSED}, 0) > COALESCE(effective_, 0) AND commitment_status = 'unused' "
    f"THEN CAST({_UNUSED} AS {AMOUNT}) ELSE effective_ END"
)
#: Terms on which machines are rented for a time: of a length that the bill says, or "subscription" (by the month).
RENT_TERMS = ("subscription", "day", "week", "year")
_TERM = (
    "CASE WHEN pricing_category = 'dynamic' THEN 'spot' "
    "WHEN commitment <> '' OR pricing_category = 'committed' THEN 'committed' "
    f"WHEN pricing_category IN ({', '.join(map(literal, RENT_TERMS))}) THEN pricing_category "
    "WHEN category = 'usage' AND frequency IN ('recurring', 'one-time') THEN 'subscription' "
    "ELSE 'on_demand' END"
)
_UNREAD = (
    "CASE WHEN billed_unreadable <> '' THEN 'amount' "
    "WHEN billed_ IS NULL THEN 'no amount' "
    "WHEN currency = '' THEN 'no currency' "
    "WHEN effective_unreadable <> '' THEN 'effective cost' "
    "WHEN quantity_unreadable <> '' THEN 'quantity' "
    "WHEN COALESCE(charge_start_, billing_start_) IS NULL THEN 'time' ELSE '' END"
)
#: Fields that make a line unreadable when something stands there that is no number or no time.
_JUDGED = ("billed", "effective", "quantity", "charge_start", "billing_start")
_VALUE = (
    "CASE WHEN billed_unreadable <> '' THEN billed_unreadable "
    "WHEN effective_unreadable <> '' THEN effective_unreadable "
    "WHEN quantity_unreadable <> '' THEN quantity_unreadable "
    "WHEN charge_start_unreadable <> '' THEN charge_start_unreadable ELSE billing_start_unreadable END"
)


def _on_clock(time: str, own_zone: str, zone: str) -> str:
    if zone == own_zone:
        return time
    return f"CAST(({time}) AT TIME ZONE {literal(own_zone)} AT TIME ZONE {literal(zone)} AS TIMESTAMP)"


def _end(source: Source) -> str:
    length = {"hour": "INTERVAL '1 hour'", "day": "INTERVAL '1 day'", "month": "INTERVAL '1 month'"}
    end = "charge_end_"
    if source.mapping.end == "last_second":
        end = (
            "CASE WHEN EXTRACT(SECOND FROM charge_end_) >= 59 "
            "THEN charge_end_ + INTERVAL '1 second' ELSE charge_end_ END"
        )
    return f"COALESCE({end}, {_lasting(length[source.mapping.period])})"


def _lasting(length: str) -> str:
    """The end of a charge that states none: a quantity in months lasts a month, everything else the format's period."""
    of_unit = ((MONTH_WORDS, "INTERVAL '1 month'"), (YEAR_WORDS, "INTERVAL '1 year'"))
    cases = " ".join(f"WHEN {literal(word)} THEN {_START} + {time}" for words, time in of_unit for word in words)
    return f"CASE LOWER(unit) {cases} ELSE {_START} + {length} END"


# ---------------------------------------------------------------------------------------------------------------------
# Fields


def _text(source: Source, name: str) -> str:
    take = source.mapping.columns.get(name)
    if take is None:
        return "''"
    expression = _take_text(source, take)
    return f"UPPER({expression})" if name == "currency" else expression


def _take_text(source: Source, take: Take) -> str:
    if take.constant is not None:
        return literal(take.constant)
    if take.by is not None:
        return _by(source, take, "text")
    if take.prefix is not None:
        return _prefixed(source, take.prefix)
    columns = [column for column in map(source.column, take.first) if column is not None]
    if not columns:
        return _take_text(source, take.otherwise) if take.otherwise else "''"
    if take.values:
        return _translated(columns, take, source)
    text = _first_text([_clean(column) for column in columns])
    if take.otherwise is None:
        return text
    return f"COALESCE(NULLIF({text}, ''), {_take_text(source, take.otherwise)})"


def _first_text(found: Sequence[str]) -> str:
    if len(found) == 1:
        return found[0]
    known = ", ".join(f"NULLIF({item}, '')" for item in found)
    return f"COALESCE({known}, '')"


def _translated(columns: Sequence[Column], take: Take, source: Source) -> str:
    cases = " ".join(f"WHEN {literal(key.casefold())} THEN {literal(value)}" for key, value in take.values.items())
    text = _first_text([_clean(column) for column in columns])
    otherwise = _take_text(source, take.otherwise) if take.otherwise else text
    if take.otherwise and len(columns) == 1:
        # A text that says nothing is no key, so that it needs no cleaning before.
        text = _trimmed(columns[0])
    return f"CASE LOWER({text}) {cases} ELSE {otherwise} END"


def _clean(column: Column, nulls: Sequence[str] = NULL_NAMES) -> str:
    name = quote_name(column.name)
    if column.type.upper().startswith(_NESTED_TYPES):
        # Tags of AWS exports in Parquet are a map.
        return f"COALESCE(CAST(TO_JSON({name}) AS VARCHAR), '')"
    text = _trimmed(column)
    # The first letter rules out most texts at little cost. A long IN list would be a join in DuckDB, for each column of
    # the bill, asked for or not.
    letters = literal("".join(sorted({letter for item in nulls for letter in item[:1] + item[:1].upper()})))
    listed = " ".join(f"WHEN {literal(item)} THEN ''" for item in nulls)
    null = f"CASE LOWER({text}) {listed} ELSE {text} END"
    return f"CASE WHEN STRPOS({letters}, SUBSTR({text}, 1, 1)) > 0 THEN {null} ELSE COALESCE({text}, '') END"


def _trimmed(column: Column) -> str:
    name = quote_name(column.name)
    return f"TRIM({name})" if _is_text(column) else f"TRIM(CAST({name} AS VARCHAR))"


def _is_text(column: Column) -> bool:
    return column.type.upper().split("(")[0] in _TEXT_TYPES


def _by(source: Source, take: Take, kind: str) -> str:
    column = source.column(take.by or "")
    render = _take_text if kind == "text" else _take_number
    empty = "''" if kind == "text" else f"CAST(NULL AS {AMOUNT})"
    otherwise = render(source, take.otherwise) if take.otherwise else empty
    if column is None:
        return otherwise
    cases = " ".join(f"WHEN {literal(key.casefold())} THEN {render(source, case)}" for key, case in take.cases.items())
    return f"CASE LOWER({_clean(column)}) {cases} ELSE {otherwise} END"


def _prefixed(source: Source, prefix: str) -> str:
    start = column_key(prefix)
    whole = source.by_key.get(start)
    if whole is not None:
        return _clean(whole)
    pairs = []
    for key, column in source.by_key.items():
        if key.startswith(start) and len(key) > len(start):
            value = _clean(column)
            name = literal(key[len(start) :].removeprefix("user") + "=")
            pairs.append(f"CASE WHEN {value} = '' THEN '' ELSE CONCAT({name}, {value}, ';') END")
    return f"CONCAT({', '.join(pairs)}, '')" if pairs else "''"


def _number(source: Source, name: str) -> str:
    take = source.mapping.columns.get(name)
    return f"CAST(NULL AS {AMOUNT})" if take is None else _take_number(source, take)


def _take_number(source: Source, take: Take) -> str:
    if take.constant is not None:
        return f"CAST({literal(take.constant)} AS {AMOUNT})" if take.constant else f"CAST(NULL AS {AMOUNT})"
    if take.by is not None:
        return _by(source, take, "number")
    if take.sum:
        terms = [(name.startswith("-"), source.column(name.lstrip("-"))) for name in take.sum]
        known = [f"{'-' if minus else ''}COALESCE({_decimal(source, column)}, 0)" for minus, column in terms if column]
        return f"CAST({' + '.join(known)} AS {AMOUNT})" if known else f"CAST(NULL AS {AMOUNT})"
    found = [_decimal(source, column) for column in map(source.column, take.first) if column is not None]
    if take.otherwise is not None:
        found.append(_take_number(source, take.otherwise))
    if not found:
        return f"CAST(NULL AS {AMOUNT})"
    return found[0] if len(found) == 1 else f"COALESCE({', '.join(found)})"


def _decimal(source: Source, column: Column) -> str:
    name = quote_name(column.name)
    if not _is_text(column):
        return f"TRY_CAST({name} AS {AMOUNT})"
    if source.decimal_comma:
        plain = f"REPLACE(REPLACE(TRIM({name}), '.', ''), ',', '.')"
        return f"CASE WHEN REGEXP_MATCHES(TRIM({name}), '{_COMMA_DECIMAL}') THEN TRY_CAST({plain} AS {AMOUNT}) END"
    grouped = f"REGEXP_MATCHES(TRIM({name}), '{_THOUSANDS}')"
    plain = f"CASE WHEN {grouped} THEN REPLACE({name}, ',', '') ELSE {name} END"
    return f"COALESCE(TRY_CAST({name} AS {AMOUNT}), TRY_CAST({plain} AS {AMOUNT}))"


def _unreadable(source: Source, name: str) -> str:
    """The text that stands in a field and is no number or no time, '' where it is one or nothing stands there."""
    take = source.mapping.columns.get(name)
    columns = [column for column in map(source.column, take.first) if column is not None] if take else []
    if not columns:
        return "''"
    written = [_clean(column, NULL_TEXTS) if _is_text(column) else _is_there(column) for column in columns]
    read = _time(source, name) if name in TIME_FIELDS else _number(source, name)
    return f"CASE WHEN {read} IS NULL THEN {_first_text(written)} ELSE '' END"


def _is_there(column: Column) -> str:
    return f"CASE WHEN {quote_name(column.name)} IS NULL THEN '' ELSE 'a number' END"


def _time(source: Source, name: str) -> str:
    take = source.mapping.columns.get(name)
    columns = [column for column in map(source.column, take.first) if column is not None] if take else []
    if not columns:
        return "CAST(NULL AS TIMESTAMP)"
    found = [_timestamp(column, source.mapping.zone) for column in columns]
    return found[0] if len(found) == 1 else f"COALESCE({', '.join(found)})"


def _timestamp(column: Column, zone: str) -> str:
    """Any way of writing a time that the bills use, on the bill's own clock."""
    name = quote_name(column.name)
    if _ZONED_TYPES.search(column.type):
        return f"CAST({name} AT TIME ZONE {literal(zone)} AS TIMESTAMP)"
    if not _is_text(column):
        if _TIME_TYPES.search(column.type):
            return f"CAST({name} AS TIMESTAMP)"
        name = f"CAST({name} AS VARCHAR)"
    seconds = f"LENGTH({name}) = 19 AND SUBSTR({name}, 17, 1) = ':' AND SUBSTR({name}, 19, 1) <> 'Z'"
    text = f"REPLACE(TRIM({name}), '/', '-')"
    year, month, day = f"SUBSTR({text}, 1, 4)", f"SUBSTR({text}, 5, 2)", f"SUBSTR({text}, 7, 2)"
    moment = f"CAST(TRY_CAST({text} AS TIMESTAMPTZ) AT TIME ZONE {literal(zone)} AS TIMESTAMP)"
    return (
        # 2026-11-01 00:00:00 is most common and has no room for an offset.
        f"CASE WHEN {seconds} THEN TRY_CAST({name} AS TIMESTAMP) "
        f"WHEN REGEXP_MATCHES({text}, '^[0-9]{{4}}-[0-9]{{2}}$') "
        f"THEN TRY_CAST(CONCAT({text}, '-01') AS TIMESTAMP) "
        f"WHEN REGEXP_MATCHES({text}, '^[0-9]{{6}}$') "
        f"THEN TRY_CAST(CONCAT({year}, '-', {month}, '-01') AS TIMESTAMP) "
        f"WHEN REGEXP_MATCHES({text}, '^[0-9]{{8}}$') "
        f"THEN TRY_CAST(CONCAT({year}, '-', {month}, '-', {day}) AS TIMESTAMP) "
        f"WHEN REGEXP_MATCHES({text}, '{_OFFSET}') THEN {moment} "
        f"ELSE TRY_CAST({text} AS TIMESTAMP) END"
    )
