"""Sentences about rules, facts to confirm, quotes to get and money that is bound, shared by every output."""

import re
from datetime import date, timedelta
from decimal import Decimal

from optimizer.domain.finding import Finding, Severity, VerdictKind
from optimizer.domain.offer import Price, Term
from optimizer.domain.plan import Alternative, RulePrice, Unknown
from optimizer.reports import texts
from optimizer.reports.cancelling import early_end
from optimizer.reports.facts import Lock
from optimizer.reports.lines import Line
from optimizer.reports.numbers import clean
from optimizer.reports.voice import Voice


def rule_price(voice: Voice, priced: RulePrice) -> str:
    """One binding rule and what it costs: "ram-total 2× (D1): 18% dearer (...) than 1.5× (D0)"."""
    cost = voice.plan.cost
    without = cost.total - priced.saving if cost else Decimal(0)
    fraction = float(priced.saving / without) if without > 0 else priced.fraction
    against = clean(priced.against).removeprefix(f"{priced.rule} ")
    plan = voice.described(priced.plan) or voice.say(texts.RULE_WITHOUT)
    return voice.say(
        texts.RULE_COSTS,
        rule=clean(priced.label) if priced.label else clean(priced.rule) + _documents(voice, priced),
        percent=voice.numbers.percent(fraction),
        saving=voice.numbers.money(priced.saving),
        plan=f"{against}{voice.aside(plan)}" if against else plan,
    )


def _documents(voice: Voice, priced: RulePrice) -> str:
    documents = list(dict.fromkeys(re.findall(r"\bD\d\b", priced.source))) or [clean(priced.source)]
    return voice.aside(voice.join(documents)) if priced.source else ""


def advice(voice: Voice) -> list[str]:
    """What the documents say of this plan, each once, with the document."""
    said = []
    for item in voice.plan.advice:
        documents = list(dict.fromkeys(re.findall(r"\bD\d\b", item.source)))
        text = item.text_zh if voice.language == "zh" else item.text_en
        said.append(clean(text) + (voice.aside(voice.join(documents)) if documents else ""))
    return list(dict.fromkeys(said))


def warnings(voice: Voice) -> list[str]:
    """Messages of the warning rules that are not met, each once."""
    said = [
        voice.headed(clean(finding.id), finding_text(voice, finding))
        for used in voice.plan.assignments
        for finding in used.rules
        if finding.severity is Severity.WARN and finding.verdict is VerdictKind.FAIL
    ]
    return list(dict.fromkeys(said))


def finding_text(voice: Voice, finding: Finding) -> str:
    """A finding's message, or its numbers where it has none."""
    said = voice.either(finding.message_en, finding.message_zh)
    return said or f"{voice.figure(finding.measured)} / {voice.figure(finding.required)}"


def unknown(voice: Voice, fact: Unknown) -> str:
    """One fact to confirm and the command that proves it."""
    return voice.headed(clean(fact.rule), fact_to_confirm(voice, fact))


def fact_to_confirm(voice: Voice, fact: Unknown) -> str:
    """What to ask, with the command that proves it, told once."""
    what = voice.either(fact.what_en, fact.what_zh).rstrip(".。")
    command = clean(fact.command or "")
    is_told = all(part.strip() in what for part in command.split(";"))
    return what if is_told else voice.sentence([what, voice.say(texts.PROVE_WITH, command=command)])


def unknowns(voice: Voice) -> list[tuple[str, list[str]]]:
    """Facts to confirm: whose they are and with whom, then each fact; offers with the same facts stand together."""
    facts: dict[tuple[str, str], list[str]] = {}
    for fact in voice.plan.unknowns:
        facts.setdefault((clean(fact.offer), clean(fact.confirm_with)), []).append(unknown(voice, fact))
    offers: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (offer, whom), said in facts.items():
        offers.setdefault((whom, tuple(said)), []).append(offer)
    return [
        (voice.say(texts.ASK_OF, offer=", ".join(names), whom=whom) if whom else ", ".join(names), list(said))
        for (whom, said), names in offers.items()
    ]


def offers_by_fact(voice: Voice) -> list[tuple[str, str, str, str]]:
    """The same by fact, for a table: rule, fact, the offers it is asked about, with whom."""
    offers: dict[tuple[str, str, str], list[str]] = {}
    for fact in voice.plan.unknowns:
        key = (clean(fact.rule), fact_to_confirm(voice, fact), clean(fact.confirm_with))
        offers.setdefault(key, []).append(clean(fact.offer))
    return [(rule, said, ", ".join(names), whom) for (rule, said, whom), names in offers.items()]


def alternative(voice: Voice, other: Alternative) -> str:
    """What makes another plan different, and what it is."""
    said = voice.either(other.title_en, other.title_zh)
    if other.description:
        said = voice.headed(said, voice.described(other.description))
    return said + voice.aside(voice.say(texts.IS_CONDITIONAL)) if other.conditional else said


def quotes(voice: Voice) -> list[str]:
    """Which prices to ask for, and why each."""
    said = [voice.say(texts.QUOTE_MISSING, what=voice.phrase(item)) for item in voice.plan.incomplete]
    for line in voice.facts.to_quote:
        bought = line.purchase
        seen = bought.observed
        dated = voice.say(texts.DATED, date=voice.numbers.day(seen)) if seen else voice.say(texts.UNDATED)
        kind = voice.name(texts.PRICE_KINDS, bought.price_kind)
        what = {"provider": clean(bought.provider), "kind": kind, "dated": dated}
        if bought.kind == "machine":
            term = voice.name(texts.TERMS, bought.term)
            said.append(voice.say(texts.QUOTE, name=clean(line.name), term=term, **what))
        else:
            said.append(voice.say(texts.QUOTE_SERVICE, service=voice.name(texts.KINDS, bought.kind), **what))
    return list(dict.fromkeys(said))


def locks(voice: Voice) -> list[str]:
    """What is bound or may be lost, the dearest first."""
    said = [_lock(voice, lock) for lock in voice.facts.locks]
    if voice.facts.has_spot:
        said.append(voice.say(texts.SPOT_RISK))
    said += [_outlasts(voice, line, last) for line, last in voice.facts.outlasting]
    return said or [voice.say(texts.NO_LOCKS)]


def _outlasts(voice: Voice, line: Line, last: date) -> str:
    """A price that is used longer than it is stated for."""
    bought, numbers = line.purchase, voice.numbers
    what = clean(line.name) + voice.aside(voice.name(texts.TERMS, bought.term))
    if bought.kind != "machine":
        what = clean(bought.provider) + voice.aside(voice.name(texts.KINDS, bought.kind))
    used = numbers.day(line.end - timedelta(days=1))
    return voice.say(texts.PRICE_ENDS, what=what, last=numbers.day(last), used=used)


def _lock(voice: Voice, lock: Lock) -> str:
    line, numbers = lock.line, voice.numbers
    bought = line.purchase
    if bought.term is Term.OWNED:
        return voice.say(
            texts.BOUGHT,
            count=bought.count,
            name=clean(line.name),
            price=numbers.money(line.cost + line.residual),
            start=numbers.day(line.start),
            residual=numbers.money(line.residual),
        )
    if bought.kind == "commitment":
        said = voice.say(
            texts.COMMITTED,
            price=numbers.unit_price(bought.unit_price, bought.price_currency),
            provider=clean(bought.provider),
            term=voice.name(texts.TERMS, bought.term),
            cost=numbers.money(line.cost),
            end=numbers.day(line.end),
            payment=voice.say(texts.PAID_MONTHLY),
            early_end=_early_end(voice, line),
        )
        return voice.sentence([said, _unused(voice, lock)])
    said = voice.say(
        texts.LOCKED if line.parts == 1 else texts.RENEWED,
        count=bought.count,
        parts=line.parts,
        name=clean(line.name),
        term=voice.name(texts.TERMS, bought.term),
        cost=numbers.money(line.cost),
        end=numbers.day(line.end),
        payment=payment(voice, lock),
        early_end=_early_end(voice, line),
    )
    return voice.sentence([said, _unused(voice, lock)])


def _unused(voice: Voice, lock: Lock) -> str:
    return voice.say(texts.UNUSED, days=voice.numbers.days(lock.unused_days)) if lock.unused_days else ""


def _early_end(voice: Voice, line: Line) -> str:
    known = early_end(line.purchase.provider, line.purchase.term)
    if known is None:
        return voice.say(texts.NO_EARLY_END)
    return voice.say(texts.EARLY_END, rule=voice.say(known.rule), source=known.source)


def payment(voice: Voice, lock: Lock) -> str:
    """When a rent is paid, as docs/adr/0004-accounting.md counts it; an assumption is called one."""
    bought = lock.line.purchase
    months = bought.term.months if bought.term else None
    if months is None or months == 1:
        return voice.say(texts.PAID_FIRST_DAY if lock.line.parts == 1 else texts.PAID_EACH_TERM)
    share = _stated_share(lock.price)
    assumed = share is None
    if share is None:
        share = Decimal(1) if bought.unit in ("year", "term") else Decimal(0)
    if share in (0, 1):
        said = voice.say(texts.PAID_FIRST_DAY if share == 1 else texts.PAID_MONTHLY)
    else:
        said = voice.say(texts.PAID_SHARE, percent=voice.numbers.percent(float(share)))
    return voice.say(texts.PAID_ASSUMED, payment=said) if assumed else said


def _stated_share(price: Price | None) -> Decimal | None:
    """The share of a term that is due on its first day, as the price states it."""
    if price is None or price.upfront_share is not None:
        return None if price is None else price.upfront_share
    if not price.upfront_amount:
        return None
    return price.upfront_amount / (price.term_total() + price.upfront_amount)
