"""One check and the list that collects them."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from optimizer.domain.money import from_micros
from optimizer.domain.text import LANGUAGES, Language, Text
from optimizer.verify import texts

#: Relative difference at which two floats computed in a different order still count as the same figure.
FLOAT_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Check:
    """One thing recounted: its id (`group.what[where]`), whether plan and recount agree, and both (`show` tells)."""

    id: str
    ok: bool
    expected: object
    found: object


class Checks:
    """Collects checks; every method adds exactly one and tells whether it held."""

    def __init__(self) -> None:
        self._checks: list[Check] = []

    def as_tuple(self) -> tuple[Check, ...]:
        """All checks in the order in which they were made."""
        return tuple(self._checks)

    def add(self, check_id: str, ok: bool, expected: object, found: object) -> bool:
        """A check whose judgement was made by the caller."""
        self._checks.append(Check(check_id, ok, expected, found))
        return ok

    def equal(self, check_id: str, expected: object, found: object) -> bool:
        """The plan's value is the recounted one exactly."""
        return self.add(check_id, expected == found, expected, found)

    def close(self, check_id: str, expected: float | None, found: float | None, relative: float = 1e-9) -> bool:
        """The plan's float is the recounted one up to the order of operations."""
        return self.add(check_id, is_close(expected, found, relative), expected, found)

    def at_most(self, check_id: str, limit: Any, found: Any) -> bool:
        """The plan's value stays within a limit."""
        return self.add(check_id, found <= limit, filled(texts.AT_MOST, limit=limit), found)

    def micros(self, check_id: str, expected: int, found: Decimal) -> bool:
        """An amount of the plan is the recounted integer of 10**-6 exactly."""
        return self.equal(check_id, from_micros(expected).normalize(), found.normalize())


def is_close(expected: float | None, found: float | None, relative: float = FLOAT_TOLERANCE) -> bool:
    """Whether two figures agree within a relative tolerance (absolute below 1); unknown equals unknown."""
    if expected is None or found is None:
        return expected is found
    return abs(expected - found) <= relative * max(1.0, abs(expected), abs(found))


def filled(text: Text, **values: object) -> Text:
    """A sentence with its values shown in both languages."""
    en, zh = (text.say(lang, **{name: show(value, lang) for name, value in values.items()}) for lang in LANGUAGES)
    return Text(en, zh)


def show(value: object, language: Language = "en") -> str:
    """A value as short text: decimals without exponent, `None` as unknown, the same inside lists."""
    if value is None:
        return texts.UNKNOWN.say(language)
    if isinstance(value, Text):
        return value.say(language)
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {show(inner, language)}" for name, inner in value.items()) + "}"
    if isinstance(value, list | tuple | set | frozenset):
        return "[" + ", ".join(show(inner, language) for inner in value) + "]"
    return str(value)
