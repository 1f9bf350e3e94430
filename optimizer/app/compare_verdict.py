"""The headline of a comparison: which plan is cheaper, as far as what the two leave out lets that be said."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from optimizer.domain.plan import Plan
from optimizer.domain.text import Language
from optimizer.explain import texts
from optimizer.explain.compare import Comparison
from optimizer.reports.numbers import Numbers, clean
from optimizer.reports.voice import voice_of


@dataclass(frozen=True)
class Verdict:
    """Two plans with their comparison; `failed`: how many checks of `optimize verify` each fails."""

    first: Plan
    second: Plan
    result: Comparison
    failed: tuple[int, int] = (0, 0)

    @property
    def is_comparable(self) -> bool:
        """Whether the totals say which plan is cheaper: both have every price, hold, and pay for the same things."""
        total = self.result.total
        has_both = total.first is not None and total.second is not None
        return has_both and not total.is_open and not self.result.has_other_sunk and not any(self.failed)

    def said(self, language: Language) -> str:
        """Which is cheaper, by how much; or why that is not known."""
        first, second = self.result.total.first, self.result.total.second
        if first is None or second is None:
            without = [name for name, cost in (("A", first), ("B", second)) if cost is None]
            return texts.NO_COST.say(language, names=", ".join(without))
        numbers = Numbers(language, self.first.currency)
        if any(self.failed):
            return texts.VERDICT_REFUSED.say(language)
        if self.result.total.is_open:
            return self._with_open_prices(first, second, numbers)
        if first == second:
            return texts.VERDICT_SAME.say(language)
        text = texts.VERDICT_LESS_TO_PAY if self.result.has_other_sunk else texts.VERDICT_CHEAPER
        return text.say(
            language,
            name="A" if second > first else "B",
            amount=numbers.money(abs(second - first)),
            percent=numbers.percent(float(abs(second - first) / max(first, second))),
        )

    def _with_open_prices(self, first: Decimal, second: Decimal, numbers: Numbers) -> str:
        """A plan whose every line has a price is cheaper where the least that the other can cost is more."""
        known = {"A": first, "B": second}
        whole = [name for name, plan in (("A", self.first), ("B", self.second)) if not plan.incomplete]
        if len(whole) == 1 and not self.result.has_other_sunk:
            more = sum(known.values()) - 2 * known[whole[0]]
            if more > 0:
                return texts.VERDICT_AT_LEAST.say(numbers.language, name=whole[0], amount=numbers.money(more))
        amounts = {"first": numbers.money(first), "second": numbers.money(second)}
        return texts.VERDICT_OPEN.say(numbers.language, **amounts)

    def cautions(self, language: Language) -> Iterator[str]:
        """What a plan's total leaves out, and that its figures do not hold."""
        plans = zip(("A", "B"), (self.first, self.second), self.failed, self.result.sunk, strict=True)
        for name, plan, failed, sunk in plans:
            voice = voice_of(plan, language)
            if failed:
                yield texts.FAILS_VERIFY.say(language, plan=name, count=failed)
            if plan.incomplete:
                yield texts.LACKS_PRICES.say(language, plan=name, what=voice.join(map(voice.phrase, plan.incomplete)))
            if sunk and self.result.has_other_sunk:
                yield texts.SUNK_APART.say(language, plan=name, what=clean(voice.join(sunk)))
