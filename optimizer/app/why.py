"""The use case `why`: a plan file and the name of an offer in, the reason in figures and words out."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from optimizer.app.verify import read_plan
from optimizer.catalog import load_catalog
from optimizer.catalog.remarks import remarks
from optimizer.domain.offer import Price, PriceKind, Term
from optimizer.domain.plan import Plan
from optimizer.domain.text import Language
from optimizer.explain import texts
from optimizer.explain.causes import Cause
from optimizer.explain.replan import planner_of
from optimizer.explain.why import Answer, why
from optimizer.planning.pipeline import Planner
from optimizer.planning.supply import is_plannable
from optimizer.reports.numbers import UNKNOWN, Numbers, clean
from optimizer.reports.texts import PRICE_KINDS, TERMS
from optimizer.reports.voice import voice_of


@dataclass(frozen=True)
class Explained:
    """An answer with the plan and planner that it was asked of."""

    answer: Answer
    plan: Plan
    planner: Planner

    def to_json(self) -> dict[str, Any]:
        """The keys of `why --json`."""
        answer = self.answer
        return {
            "offer": answer.target.text,
            "kind": answer.target.kind,
            "verdict": answer.verdict,
            "rules": [finding.model_dump(mode="json") for finding in answer.rules],
            "extra_cost": answer.extra_cost,
            "total": answer.total,
            "currency": self.plan.currency,
            "plan": answer.plan or None,
            "tie_level": answer.tie_level or None,
            "missing_prices": list(answer.missing),
            "plan_missing_prices": list(answer.plan_missing),
            "over": dict(answer.over),
            "unpriced": None if answer.unpriced is None else vars(answer.unpriced),
            "proven": answer.is_proven,
            "gap": answer.gap,
            "holds_whole_workload": answer.holds_whole_work,
            "to_confirm": list(answer.conditional),
            "nearest": None if answer.cause is None else answer.cause.offer,
            "matched": answer.matched,
            "causes": answer.counts or {},
            "messages": {"en": self.lines("en"), "zh": self.lines("zh")},
        }

    def lines(self, language: Language) -> list[str]:
        """The answer in words, the verdict first."""
        words = _Words(self, language)
        return [line for line in words.lines() if line]


def explain_offer(plan_path: Path, text: str, *, catalog_directory: Path | None, seconds: float) -> Explained:
    """Why something is not in a plan.

    Raises:
        InputError: the plan file or the name is wrong.
        NoPlanInTime: the plan could not be found again within the time.
    """
    plan = read_plan(plan_path)
    catalog = load_catalog(catalog_directory)
    planner = planner_of(plan, catalog, str(plan_path), every_region=True, seconds=seconds)
    return Explained(why(planner, text), plan, planner)


class _Words:
    def __init__(self, explained: Explained, language: Language) -> None:
        self.answer, self.plan, self.planner = explained.answer, explained.plan, explained.planner
        self.language = language
        self.numbers = Numbers(language, explained.plan.currency)
        self.voice = voice_of(explained.plan, language)

    def counted(self, name: str, count: int) -> str:
        """How many offers one cause decides about: a kind of cause, a rule, several rules, a filter by name."""
        kind, _, what = name.partition(": ")
        cause = texts.CAUSES.get(kind)
        if cause is None:
            first, _, last = name.partition(" ")
            rule = texts.FAILS_RULE.say(self.language, rule=last)
            said = rule if first == "rule" else texts.FAILS_RULES.say(self.language, count=first)
        else:
            said = cause.say(self.language)
            if what:
                said = texts.OF_FILTER.say(self.language, cause=said, filter=self.voice.phrase(what))
        return texts.COUNTED.say(self.language, what=said, count=count)

    def without_price(self, missing: Iterable[str]) -> str:
        """Lines of a plan that no price is known for."""
        return self.voice.sentence(map(self.voice.phrase, missing))

    def lines(self) -> list[str]:
        answer = self.answer
        said = [self.verdict(), *self.caveats(), *(self.rule(position) for position in range(len(answer.rules)))]
        if answer.conditional:
            said.append(texts.CONDITIONAL.say(self.language, rules=", ".join(answer.conditional)))
        if answer.matched > 1 and answer.counts:
            counts = self.voice.sentence(self.counted(name, count) for name, count in answer.counts.items())
            said.append(texts.MATCHED.say(self.language, count=answer.matched, counts=counts))
        said.append(self.moved())
        return said

    def verdict(self) -> str:
        answer = self.answer
        name = answer.verdict
        values: dict[str, Any] = {
            "target": clean(answer.target.text),
            "plan": self.voice.described(answer.plan),
            "total": self.numbers.money(answer.total),
            "extra": self.numbers.money(answer.extra_cost),
            "missing": self.without_price(answer.missing),
            "over": self.over(),
            "level": texts.LEVELS[answer.tie_level].say(self.language) if answer.tie_level else "",
        }
        if answer.cause is not None:
            values |= self.cause(answer.cause)
            if name == "too_slow" and answer.cause.candidate is not None and answer.cause.candidate.run_hours is None:
                name = "too_slow_steady"
        if name == "not_sold" and (alike := self.terms_alike()):
            name, values["terms"] = "not_sold_term", self.voice.sentence(alike)
        return texts.VERDICTS[name].say(self.language, **values)

    def terms_alike(self) -> list[str]:
        """Names of other terms as long as the one asked for that something is sold on."""
        asked = self.answer.target.term
        if asked is None or asked.months is None:
            return []
        sold = {price.term for offer in self.planner.case.offers for price in offer.prices if price.is_plannable}
        return [term.value for term in Term if term in sold and term.months == asked.months and term is not asked]

    def caveats(self) -> list[str]:
        """What the figures leave out: prices that nobody states, and cheaper plans that the clock left open."""
        answer, money = self.answer, self.numbers.money
        said = []
        if answer.missing and answer.verdict != "incomplete":
            missing = self.without_price(answer.missing)
            said.append(texts.MISSING.say(self.language, missing=missing, total=money(answer.total)))
        if answer.plan_missing:
            missing = self.without_price(answer.plan_missing)
            total = money(answer.plan_total_today)
            said.append(texts.PLAN_MISSING.say(self.language, missing=missing, total=total))
        return [*said, *self.beside()]

    def beside(self) -> Iterator[str]:
        """A plan that lacks a price, beside one that does not; what the clock left open."""
        answer, target = self.answer, clean(self.answer.target.text)
        if answer.unpriced is not None:
            yield texts.UNPRICED.say(
                self.language,
                target=target,
                total=self.numbers.money(answer.unpriced.total),
                missing=self.without_price(answer.unpriced.missing),
                plan=self.voice.described(answer.unpriced.plan),
            )
        if answer.holds_whole_work:
            yield texts.WHOLE_WORK.say(self.language, target=target)
        if answer.gap:
            yield texts.NOT_PROVEN.say(self.language, target=target, gap=self.numbers.percent(float(answer.gap)))
        if answer.is_open:
            yield texts.STILL_OPEN.say(self.language, target=target)

    def over(self) -> str:
        """By how much the plan is above the file's limits on cash."""
        said = [texts.OVER[name].say(self.language, amount=self.numbers.money(by)) for name, by in self.answer.over]
        joint = "、" if self.language == "zh" else " and "
        return joint.join(said) or texts.OVER_LIMITS.say(self.language)

    def cause(self, cause: Cause) -> dict[str, Any]:
        work = None if cause.work is None else self.planner.case.work(cause.work)
        candidate, missed = cause.candidate, cause.misfit
        values: dict[str, Any] = {
            "offer": clean(cause.offer),
            "work": "" if work is None else clean(work.name),
            "filter": self.voice.phrase(cause.filter),
            "facts": self.numbers.count(len(cause.findings), "fact"),
            "rules": self.numbers.count(len(cause.findings), "rule"),
            "prices": self.voice.sentence(map(self.price, cause.prices)) or UNKNOWN,
            "hours_per_day": self.numbers.hours(None if work is None else work.hours_per_day),
        }
        if candidate is not None:
            values |= {"machines": self.numbers.count(candidate.nodes, "machine")}
            values |= {"gpus": self.numbers.count(candidate.gpus_per_node, "gpu")}
            values |= {"run_hours": self.numbers.hours(candidate.run_hours)}
            values |= {"speed": self.numbers.rate(candidate.tokens_per_second)}
        if missed is not None:
            values |= {
                "machines": self.numbers.count(missed.nodes, "machine"),
                "breaks": self.part(missed.misfit.breaks),
            }
            values |= {"needed": self.numbers.gib(missed.misfit.needed_gib)}
            values |= {"usable": self.numbers.gib(missed.misfit.usable_gib)}
            change = missed.misfit.smallest_change_zh if self.language == "zh" else missed.misfit.smallest_change_en
            values |= {"change": change or UNKNOWN}
        return values

    def part(self, breaks: str) -> str:
        """What of a model takes too much memory; nothing where memory is not what is short."""
        said = texts.BREAKS.get(breaks)
        return "" if said is None else said.say(self.language)

    def rule(self, position: int) -> str:
        finding = self.answer.rules[position]
        said = texts.RULE.say(
            self.language,
            id=finding.id,
            measured=self.voice.figure(finding.measured),
            required=self.voice.figure(finding.required),
            source=finding.source,
        )
        message = finding.message_zh if self.language == "zh" else finding.message_en
        colon = "：" if self.language == "zh" else ": "
        return clean(f"{said}{colon}{message}" if message else said)

    def price(self, price: Price) -> str:
        day = self.planner.options.as_of
        reason = ", ".join(text.say(self.language) for text in remarks(mark.value for mark in price.marks))
        if not reason and price.kind is PriceKind.MARKET_QUOTE and not self.planner.options.market:
            reason = texts.MARKET_ONLY.say(self.language)
        if not reason and is_plannable(price, day, market=True):
            reason = texts.TOO_OLD.say(self.language, days=self.planner.options.max_age_days)
        if not reason:
            reason = texts.NOT_VALID.say(self.language, day=day.isoformat())
        if price.note and (self.language == "en" or not price.note.isascii()):
            reason += self.voice.aside(price.note)
        term, kind = self.voice.name(TERMS, price.term), self.voice.name(PRICE_KINDS, price.kind)
        return clean(texts.PRICE_ROW.say(self.language, term=term, kind=kind, reason=reason))

    def moved(self) -> str:
        """That the catalog has changed since the plan was made, where it shows in the plan's cost."""
        then, now = None if self.plan.cost is None else self.plan.cost.total, self.answer.plan_total_today
        if then == now:
            return ""
        money = self.numbers.money
        return texts.CATALOG_MOVED.say(self.language, now=money(now), then=money(then))
