"""What two plans differ in, told in words: terms and kinds, numbers and lists of the workload files, options."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from optimizer.domain.text import Language
from optimizer.explain import texts
from optimizer.explain.compare import Row
from optimizer.planning.plan_file import NO_TEAM
from optimizer.reports.numbers import Numbers, clean
from optimizer.reports.texts import KINDS, TERMS
from optimizer.reports.texts import NO_TEAM as WITHOUT_TEAM

_WORDS = {**KINDS, **TERMS}
_TERM = "|".join(sorted(map(re.escape, TERMS), key=len, reverse=True))
_TERMS_IN_BRACKETS = re.compile(rf" \(((?:{_TERM})(?:\+(?:{_TERM}))*)\)")
#: Fields in which an empty list leaves everything open.
_OPEN = ("countries", "regions", "providers", "allow", "--provider", "--region")
_AMOUNTS = ("budget", "monthly_budget", "max_hourly")
#: What an entry of a list is called by.
_NAMES = ("name", "server", "offer", "provider")


def typed(value: object) -> str:
    """An input as the file or the command line has it, for programs."""
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "any"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


@dataclass(frozen=True, slots=True)
class InWords:
    """One language and the currency in which a file states its limits."""

    language: Language
    currency: str

    def name(self, row: Row) -> str:
        """A row's name, its term or kind in words."""
        if not row.code:
            return WITHOUT_TEAM.say(self.language) if row.name == NO_TEAM else clean(row.name)
        word = _WORDS[row.code].say(self.language) if row.code in _WORDS else row.code
        where = clean(row.name.removesuffix(row.code)).strip()
        return f"{where}{self._comma}{word}" if where else word

    def machines(self, said: str) -> str:
        """Machines of a workload, their terms in words."""

        def named(found: re.Match[str]) -> str:
            terms = " + ".join(TERMS[term].say(self.language) for term in found[1].split("+"))
            return f"（{terms}）" if self.language == "zh" else f" ({terms})"

        return _TERMS_IN_BRACKETS.sub(named, clean(said)).replace("; ", self._semicolon)

    def run(self, plan: str, run: tuple[str, str]) -> str:
        """Where and until when a workload runs in one plan."""
        machines, end = run
        if not machines:
            return texts.RUNS_NOT.say(self.language, plan=plan)
        return texts.RUNS.say(self.language, plan=plan, end=end, machines=self.machines(machines))

    def value(self, path: str, value: object) -> str:
        """One input: a number with separators, a list by its names, what is empty in a word."""
        field = path.rpartition(".")[2]
        if value is None or value in ((), [], {}):
            is_open = value is not None and field in _OPEN
            return (texts.ANY if is_open else texts.NONE).say(self.language)
        if isinstance(value, bool):
            return (texts.YES if value else texts.NO).say(self.language)
        if field in _AMOUNTS:
            return self._amount(value)
        if isinstance(value, int | float | Decimal):
            return f"{value:,.0f}" if value == int(value) else f"{value:,}"
        if isinstance(value, Mapping):
            return self._comma.join(
                f"{key} {self.value(str(key), entry)}" for key, entry in value.items() if entry is not None
            )
        if isinstance(value, Sequence) and not isinstance(value, str):
            return ("、" if self.language == "zh" else ", ").join(self._entry(field, entry) for entry in value)
        return clean(str(value))

    def _entry(self, field: str, entry: object) -> str:
        """One entry of a list: by its name where it is a group of fields."""
        names = [entry[name] for name in _NAMES if entry.get(name)] if isinstance(entry, Mapping) else []
        return clean(str(names[0])) if names else self.value(field, entry)

    def _amount(self, value: object) -> str:
        try:
            return Numbers(self.language, self.currency).money(Decimal(str(value)))
        except InvalidOperation:
            return clean(str(value))

    @property
    def _comma(self) -> str:
        return "，" if self.language == "zh" else ", "

    @property
    def _semicolon(self) -> str:
        return "；" if self.language == "zh" else "; "
