"""Whether prices with and without tax compete where the file states no rate: then the answer may be another one.

A row's basis is what it states; one that states nothing is taken as the file's `tax.included` says (ADR 0004).
A price without tax is dearer than it looks by the rate, so every configuration counts that a plan dearer by the
highest standard rate of all can use.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from optimizer.domain.plan import Caution
from optimizer.domain.term_words import TERMS
from optimizer.domain.text import LANGUAGES, Language, Text
from optimizer.planning.candidates import Candidate
from optimizer.planning.case import Case
from optimizer.planning.costing import RatedPrice

#: Hungary's, the highest standard rate of VAT (its VAT act, CXXVII of 2007, section 82).
HIGHEST_RATE = 0.27
MOST_NAMED = 2
MIXED = Text(
    "The file states no tax rate, so prices with and without tax are compared as listed. Without tax: {without}; "
    "{is_with}: {included}. Write the rate, as `tax: {{rate: 0.13}}` (with `recoverable: true` where tax comes "
    "back{hint}), and plan again: the answer may be another one.",
    "文件未写税率，含税价与不含税价按所列直接比较。不含税：{without}；{is_with}：{included}。"
    "请写明税率，如 `tax: {{rate: 0.13}}`（可抵扣时加 `recoverable: true`{hint}），再规划一次：结论可能改变。",
)
WITH = Text("with tax", "含税")
WITH_OR_UNSTATED = Text("with tax or not stated", "含税或未注明")
NO_HINT = Text("", "")
HINT = Text(
    "; with `included: false` where prices that do not say are without", "；未注明者不含税时加 `included: false`"
)
MORE = Text("{count} more", "另 {count} 项")
SERVICES = {
    "storage": Text("storage", "存储"),
    "cold-storage": Text("cold storage", "冷存储"),
    "egress": Text("egress", "出网流量"),
}


class Basis(NamedTuple):
    """One price that competes: whose, for what, and whether it states that it includes tax."""

    seller: str
    what: Text
    stated: bool | None

    def named(self, language: Language) -> str:
        """The seller's machine or service, with the term or kind."""
        what = self.what.say(language)
        return f"{self.seller}（{what}）" if language == "zh" else f"{self.seller} ({what})"


def may_mix(case: Case) -> bool:
    """Whether the file states no rate while some price that can be planned on differs in its basis; asked first."""
    if case.file.tax.rate:
        return False
    found = (basis for work in case.candidates for candidate in work for basis in bases_of(candidate))
    return len({_includes(basis, case) for basis in found}) > 1


def tax_caution(case: Case, near: Iterable[Candidate], upper: float) -> Caution | None:
    """What to say of the configurations that a plan of at most `upper` micros can use, those of the plan first."""
    bases = dict.fromkeys(basis for candidate in near for basis in bases_of(candidate, _most(case, upper)))
    without = [basis for basis in bases if not _includes(basis, case)]
    included = [basis for basis in bases if _includes(basis, case)]
    if not (without and included):
        return None
    is_unstated = any(basis.stated is None for basis in included)
    english, chinese = (
        MIXED.say(
            language,
            without=_names(without, language),
            included=_names(included, language),
            is_with=(WITH_OR_UNSTATED if is_unstated else WITH).say(language),
            hint=(HINT if is_unstated else NO_HINT).say(language),
        )
        for language in LANGUAGES
    )
    return Caution(text_en=english, text_zh=chinese)


def bases_of(candidate: Candidate, most: float = float("inf")) -> Iterator[Basis]:
    """What the prices state that a configuration can be paid by; of rents those of at most so many micros."""
    supply, storage = candidate.supply, candidate.storage
    machine = f"{supply.provider} {supply.instance_type}"
    for rated in _rows(candidate, most):
        yield Basis(machine, TERMS[rated.price.term], rated.price.tax_included)
    for volume in filter(None, (None if storage.local else storage.hot, storage.cold, storage.egress)):
        quote = volume.quote
        if quote is not None and quote.amount and quote.tax_included is not None:
            yield Basis(supply.provider, SERVICES[quote.kind], quote.tax_included)


def _rows(candidate: Candidate, most: float) -> Iterator[RatedPrice]:
    supply = candidate.supply
    if candidate.is_spot:
        yield from filter(None, (supply.spot,))
        return
    yield from filter(None, (supply.hourly, *supply.covered_at))
    yield from (rent.rated for rent in supply.rents if rent.total <= most)


def _most(case: Case, upper: float) -> float:
    """Rents that outlive the horizon count in part only where the file says so."""
    return float("inf") if case.horizon.continues else upper


def _includes(basis: Basis, case: Case) -> bool:
    return case.file.tax.included if basis.stated is None else basis.stated


def _names(bases: list[Basis], language: Language) -> str:
    names = [basis.named(language) for basis in bases[:MOST_NAMED]]
    if len(bases) > MOST_NAMED:
        names.append(MORE.say(language, count=len(bases) - MOST_NAMED))
    return ("、" if language == "zh" else ", ").join(names)
