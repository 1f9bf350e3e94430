"""One plan, told in one language: what every sentence of the reports is built with."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from optimizer.domain.plan import Plan
from optimizer.domain.text import Language, Text
from optimizer.reports import texts
from optimizer.reports.facts import Facts
from optimizer.reports.numbers import UNKNOWN, Numbers, clean
from optimizer.reports.phrases import in_chinese
from optimizer.rules.figures import figure_in_chinese

#: Terms in a description; "sunk" is what the plan found there.
_DESCRIBED = {**texts.TERMS, "sunk": texts.THERE_ALREADY}
_TERM = "|".join(sorted(map(re.escape, _DESCRIBED), key=len, reverse=True))
#: The end of one configuration in a description: " (8 × H100-SXM5-80GB), on_demand+month".
_MACHINES = re.compile(rf" \((?P<gpus>\d+ × [^()]+)\), (?P<terms>(?:{_TERM})(?:\+(?:{_TERM}))*)\b")


@dataclass(frozen=True, slots=True)
class Voice:
    """One plan, told in one language."""

    plan: Plan
    language: Language
    facts: Facts
    numbers: Numbers

    def say(self, text: Text, **values: Any) -> str:
        """A sentence in this language."""
        return text.say(self.language, **values)

    def name(self, names: dict[str, Text], key: str | None) -> str:
        """The name of a code word; one that is not on record is shown as it stands."""
        if key is None:
            return UNKNOWN
        return names[key].say(self.language) if key in names else clean(str(key)).replace("_", " ")

    def either(self, english: str, chinese: str) -> str:
        """The text of a record that carries both languages; the other one where this is empty."""
        first, other = (chinese, english) if self.language == "zh" else (english, chinese)
        return clean(first or other)

    def phrase(self, text: str) -> str:
        """A fixed phrase of the plan file in this language; names in it stay."""
        return clean(in_chinese(text) if self.language == "zh" else text)

    def figure(self, text: str) -> str:
        """What a rule measured or requires, in this language."""
        return clean(figure_in_chinese(text) if self.language == "zh" else text)

    def described(self, text: str) -> str:
        """A plan's one-line description; code words of terms in it are named, and marks set, in this language."""
        comma = "，" if self.language == "zh" else ", "

        def named(found: re.Match[str]) -> str:
            gpus = self.aside(found["gpus"])
            return gpus + comma + " + ".join(self.name(_DESCRIBED, term) for term in found["terms"].split("+"))

        return _MACHINES.sub(named, self.phrase(text)).replace("; ", "；" if self.language == "zh" else "; ")

    def join(self, items: Iterable[str]) -> str:
        """A list in running text; names in Latin letters keep a blank, where lines may break."""
        kept = list(items)
        is_chinese = self.language == "zh" and not all(item.isascii() for item in kept)
        return ("、" if is_chinese else ", ").join(kept)

    def aside(self, said: str) -> str:
        """An addition in brackets."""
        return f"（{said}）" if self.language == "zh" else f" ({said})"

    def headed(self, head: str, said: str) -> str:
        """A statement under a short head: "ecc: ask ..."."""
        return f"{head}：{said}" if self.language == "zh" else f"{head}: {said}"

    def sentences(self, items: Iterable[str]) -> str:
        """Whole sentences one after the other; Chinese ones follow without a blank."""
        return ("" if self.language == "zh" else " ").join(item for item in items if item)

    def sentence(self, items: Iterable[str]) -> str:
        """Clauses on one line."""
        return ("；" if self.language == "zh" else "; ").join(item for item in items if item)


def voice_of(plan: Plan, language: Language) -> Voice:
    """The voice for a plan."""
    return Voice(plan, language, Facts(plan), Numbers(language, plan.currency))


def until(voice: Voice, start: date, end: date) -> str:
    """A half-open interval of dates."""
    return voice.say(texts.FROM_TO, start=voice.numbers.day(start), end=voice.numbers.day(end))


def tax_basis(voice: Voice) -> str:
    """Whether prices are compared with tax, from the workload's statement."""
    tax = voice.plan.inputs.get("tax")
    if not isinstance(tax, dict) or not float(tax.get("rate") or 0):
        return voice.say(texts.TAX_AS_LISTED)
    return voice.say(texts.WITHOUT_TAX if tax.get("recoverable") else texts.WITH_TAX)
