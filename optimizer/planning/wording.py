"""What a field expects, in words a user of the file knows, from the checks of its record."""

from collections.abc import Callable, Mapping
from typing import Any

from optimizer.domain.workload import CLOCK_PATTERN, CURRENCY_PATTERN

Item = Mapping[str, Any]

_PATTERNS = {CURRENCY_PATTERN: "a currency code such as CNY", CLOCK_PATTERN: 'a full hour in quotes such as "09:00"'}
_WORDS: dict[str, str | Callable[[Item], str]] = {
    "bool_type": "true or false",
    "date_from_datetime_parsing": "a date such as 2026-12-01",
    "date_parsing": "a date such as 2026-12-01",
    "date_type": "a date such as 2026-12-01",
    "decimal_parsing": "a number",
    "decimal_type": "a number",
    "dict_type": "a group of fields",
    "finite_number": "a finite number",
    "float_type": "a number",
    "greater_than": lambda item: f"a value above {_limit(item, 'gt')}",
    "greater_than_equal": lambda item: f"at least {_limit(item, 'ge')}",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a smaller whole number",
    "int_type": "a whole number",
    "less_than": lambda item: f"a value below {_limit(item, 'lt')}",
    "less_than_equal": lambda item: f"at most {_limit(item, 'le')}",
    "literal_error": lambda item: str(item["ctx"]["expected"]),
    "model_type": "a group of fields",
    "string_pattern_mismatch": lambda item: _PATTERNS.get(item["ctx"]["pattern"], "text of another form"),
    "string_too_short": "a text that is not empty",
    "string_type": "a text",
    "too_long": lambda item: f"at most {item['ctx']['max_length']} entries",
    "too_short": lambda item: f"at least {item['ctx']['min_length']} entry",
    "tuple_type": lambda item: _listed(item.get("input")),
}


def expected_words(item: Item) -> str:
    """What one failed check of a field wanted; a check without words of its own keeps the library's."""
    words = _WORDS.get(item["type"])
    if words is not None:
        return words(item) if callable(words) else words
    message = str(item["msg"])
    for start in ("Value error, ", "Input should be ", "Input should ", "give "):
        message = message.removeprefix(start)
    return message[:1].lower() + message[1:]


def _limit(item: Item, name: str) -> str:
    limit = item["ctx"][name]
    return f"{limit:g}" if isinstance(limit, float) else str(limit)


def _listed(found: Any) -> str:
    """A list, shown with what was given instead of one."""
    return f"a list, in brackets: [{found}]" if isinstance(found, str | int) else "a list"
