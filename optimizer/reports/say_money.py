"""Sentences about the decision and its cost, shared by every output."""

from collections.abc import Iterable, Iterator
from datetime import timedelta
from decimal import Decimal

from optimizer.domain.money import places_of
from optimizer.domain.offer import PriceKind, Term
from optimizer.domain.plan import Alternative, Plan, Purchase
from optimizer.reports import texts, texts_choice
from optimizer.reports.lines import Line
from optimizer.reports.numbers import clean
from optimizer.reports.say_work import sunk_name
from optimizer.reports.voice import Voice, tax_basis, until

MOST_IN_HEADLINE = 3
#: How the source of a figure begins that the workload file itself states.
OWN_FILE = "workload file"
#: Costs that differ by less than this are the same: the percentage would round to nothing.
SAME_FRACTION = 0.0005
#: A plan that lacks prices stands on the first lines when it may save more than this share of itself.
WORTH_ASKING = Decimal("0.1")
#: Kinds of price that a reader should not take for a seller's list.
NO_LIST_PRICES = (PriceKind.QUOTE.value, PriceKind.STREET.value, PriceKind.MARKET_QUOTE.value)


def headline(voice: Voice) -> str:
    """The decision, its total and until when, on one line."""
    cost = voice.plan.cost
    total = voice.numbers.money(cost.total if cost else None)
    return voice.say(texts.HEADLINE, decision=decision(voice), total=total, until=_until(voice))


def decision(voice: Voice) -> str:
    """What to rent and what to buy."""
    rented = [line for line in voice.facts.machines if line.purchase.term is not Term.OWNED]
    bought = [line for line in voice.facts.machines if line.purchase.term is Term.OWNED]
    parts = []
    if rented:
        parts.append(voice.say(texts.RENT, what=_taken(voice, rented)))
    if bought:
        parts.append(voice.say(texts.BUY if rented else texts.BUY_FIRST, what=_taken(voice, bought)))
    parts += [_commitment(voice, line) for line in voice.facts.commitments]
    standing = voice.join(sunk_name(voice, paid) for paid in voice.facts.standing)
    if parts and standing:
        parts.append(voice.say(texts.USE_TOO, what=standing))
    return voice.sentence(parts) or voice.say(texts.USE_OWN)


def _commitment(voice: Voice, line: Line) -> str:
    """A savings plan as the decision names it."""
    bought = line.purchase
    price = voice.numbers.unit_price(bought.unit_price, bought.price_currency)
    term = voice.name(texts.TERMS, bought.term)
    return voice.say(texts.COMMIT, price=price, provider=clean(bought.provider), term=term)


def _until(voice: Voice) -> str:
    finish = voice.facts.finish
    if finish is not None and finish < voice.facts.end - timedelta(days=1):
        return voice.say(texts.UNTIL_DONE, finish=voice.numbers.day(finish))
    months = voice.numbers.count(voice.plan.horizon_months, "month")
    return voice.say(texts.WHOLE_HORIZON, months=months, start=voice.numbers.day(voice.plan.start))


def _taken(voice: Voice, lines: list[Line]) -> str:
    """Machines by name and term, with the highest number that is there at once."""
    groups: dict[tuple[str, Term | None], list[Line]] = {}
    for line in lines:
        is_own = line.purchase.term is Term.OWNED
        name = line.name if is_own else f"{line.purchase.provider} {line.name}"
        groups.setdefault((name, line.purchase.term), []).append(line)
    said = []
    for (name, term), group in list(groups.items())[:MOST_IN_HEADLINE]:
        lowest, highest = _at_once(group)
        if term is Term.OWNED:
            said.append(voice.say(texts.BOUGHT_ONE, count=highest, name=clean(name)))
            continue
        text = texts.EXACTLY if lowest == highest else texts.UP_TO
        said.append(voice.say(text, count=highest, name=clean(name), taken=voice.name(texts.TAKEN, term)))
    if len(groups) > MOST_IN_HEADLINE:
        said.append(voice.say(texts.AND_MORE, count=len(groups) - MOST_IN_HEADLINE))
    return voice.join(said)


def _at_once(lines: list[Line]) -> tuple[int, int]:
    """The lowest and highest number of units that lines hold on any day on which they hold some."""
    days = sorted({line.purchase.start_day for line in lines})
    counts = [
        sum(line.purchase.count for line in lines if line.purchase.start_day <= day < line.end_day) for day in days
    ]
    return min(counts), max(counts)


def proof(voice: Voice) -> str:
    """Whether the plan is proven, with bound and gap in money."""
    cost = voice.plan.cost
    if cost is None:
        return ""
    numbers = voice.numbers
    is_earliest = voice.plan.options.get("objective") == "time"
    if voice.plan.status == "optimal":
        said = voice.say(texts_choice.PROVEN_EARLIEST if is_earliest else texts.PROVEN, bound=numbers.money(cost.bound))
    elif is_earliest and cost.gap == 0:
        said = voice.say(texts_choice.EARLIEST_NOT_PROVEN)
    else:
        base = cost.bound if cost.present_value is None else cost.present_value - cost.gap
        fraction = float(cost.gap / base) if base > 0 else None
        said = voice.say(
            texts.NOT_PROVEN,
            gap=numbers.money(cost.gap),
            percent=numbers.percent(fraction),
            bound=numbers.money(cost.bound),
        )
    sentences = [said]
    if voice.plan.incomplete:
        sentences.append(voice.say(texts.PROOF_INCOMPLETE))
    if cost.present_value is not None:
        sentences.append(voice.say(texts.PROOF_DISCOUNTED, present_value=numbers.money(cost.present_value)))
    return voice.sentences(sentences)


def saving(voice: Voice) -> str:
    """What the plan costs against the naive one: less, the same, more, or unknown."""
    baseline = voice.plan.baseline
    if baseline is None:
        return voice.say(texts.SAVING_UNKNOWN, description=voice.say(texts.NO_BASELINE))
    description = voice.described(baseline.description)
    if baseline.cost is None or baseline.saving is None:
        return voice.say(texts.SAVING_UNKNOWN, description=description)
    fraction = float(baseline.saving / baseline.cost) if baseline.cost else None
    text = texts.CHEAPER if baseline.saving > 0 else texts.DEARER
    if fraction is not None and abs(fraction) < SAME_FRACTION:
        text = texts.AS_DEAR
    said = voice.say(
        text,
        percent=voice.numbers.percent(None if fraction is None else abs(fraction)),
        difference=voice.numbers.money(abs(baseline.saving)),
        cost=voice.numbers.money(baseline.cost),
        description=description,
    )
    remarks = [
        voice.say(texts.WITHOUT_UNPRICED) if voice.plan.incomplete else "",
        voice.say(texts.NAIVE_UNPRICED, what=_named(voice, baseline.missing)) if baseline.missing else "",
        voice.say(texts.NAIVE_HAS_NOTHING) if voice.plan.sunk else "",
    ]
    return voice.sentence([said, *remarks])


def _named(voice: Voice, missing: Iterable[str]) -> str:
    return voice.join(voice.name(texts.UNPRICED, item) for item in missing)


def cautions(voice: Voice) -> list[str]:
    """What makes the plan doubtful: an interruption, a past start, conditions, lines without a price, mixed tax."""
    plan, numbers = voice.plan, voice.numbers
    said = [voice.say(texts.INTERRUPTED)] if plan.interrupted else []
    if plan.start < plan.as_of:
        days = numbers.days((plan.as_of - plan.start).days)
        said.append(
            voice.say(texts.IN_THE_PAST, start=numbers.day(plan.start), days=days, as_of=numbers.day(plan.as_of))
        )
    if voice.facts.conditional:
        names = voice.join(clean(name) for name in voice.facts.conditional)
        said.append(voice.say(texts.CONDITIONAL, workloads=names))
    if voice.plan.incomplete:
        what = voice.join(voice.phrase(item) for item in voice.plan.incomplete)
        said.append(voice.say(texts.INCOMPLETE, what=what))
    said += [voice.either(caution.text_en, caution.text_zh) for caution in plan.cautions]
    return said + [_cheaper_unpriced(voice, other) for other in plan.alternatives if _has_room(plan, other)]


def _has_room(plan: Plan, other: Alternative) -> bool:
    """Whether, beside a plan with every price, one that lacks some is so much cheaper that asking comes first."""
    return not plan.incomplete and bool(other.missing) and -other.extra > other.cost * WORTH_ASKING


def _cheaper_unpriced(voice: Voice, other: Alternative) -> str:
    return voice.say(
        texts.CHEAPER_UNPRICED,
        what=_named(voice, other.missing),
        room=voice.numbers.money(-other.extra),
        cost=voice.numbers.money(other.cost),
        description=voice.described(other.description),
    )


def product(voice: Voice, line: Line) -> str:
    """A line as count x thing x quantity x price, only where that really gives its cost."""
    bought, numbers = line.purchase, voice.numbers
    name = clean(line.name) if bought.kind == "machine" else voice.name(texts.KINDS, bought.kind)
    if bought.note and bought.kind != "machine":
        name += voice.aside(voice.phrase(bought.note))
    price = numbers.unit_price(bought.unit_price, bought.price_currency)
    if bought.kind == "machine" and bought.term is not None and bought.term.is_savings_plan:
        quantity = numbers.count(line.quantity / bought.count, bought.unit)
        return voice.say(texts.COVERED, product=f"{bought.count} × {name} × {quantity} × {price}")
    factors = line.factors
    if factors is None:
        quantity = numbers.count(line.quantity, bought.unit)
        return voice.say(texts.QUANTITY_ONLY, name=name, quantity=quantity, price=price)
    count, each = factors
    if bought.unit_price == 0 and line.cost == 0:
        return voice.say(texts.NO_CHARGE, product=f"{name} × {numbers.count(each, bought.unit)}")
    first = f"{count} × {name}" if bought.kind == "machine" else name
    quantity = "" if bought.kind == "machine" and bought.unit == "unit" else numbers.count(each, bought.unit)
    said = " × ".join(part for part in (first, quantity, price, *_conversions(voice, line)) if part)
    if line.residual:
        said = voice.sentence([said, voice.say(texts.AFTER_RESALE, residual=numbers.money(line.residual))])
    return said


def _conversions(voice: Voice, line: Line) -> list[str]:
    bought = line.purchase
    factors = []
    if bought.price_currency != voice.plan.currency:
        rate = voice.numbers.plain(bought.fx_rate)
        factors.append(
            voice.say(texts.AT_RATE, rate=rate, currency=voice.plan.currency, price_currency=bought.price_currency)
        )
    if bought.tax_factor != 1:
        factors.append(voice.say(texts.TAX_FACTOR, factor=voice.numbers.plain(bought.tax_factor)))
    return factors


def provenance(voice: Voice, line: Line) -> str:
    """Where, how paid, when and for what."""
    bought = line.purchase
    where, term = place(voice, bought), label(voice, bought) if bought.kind in ("machine", "commitment") else ""
    when = until(voice, line.start, line.end)
    works = voice.join(clean(name) for name in bought.workloads)
    return " · ".join(part for part in (where, term, when, parts(voice, line), works, *_standing(voice, line)) if part)


def parts(voice: Voice, line: Line) -> str:
    """In how many parts a line is paid that joins some, and what each costs; "" for any other."""
    if line.each is None:
        return ""
    least, most = (voice.numbers.money(cost) for cost in line.each)
    each = least if least == most else voice.say(texts.RANGE, low=voice.numbers.amount(line.each[0]), high=most)
    if not line.each[1]:
        return voice.say(texts.TIMES, count=line.parts)
    if not line.is_monthly:
        return voice.say(texts.TIMES_EACH, count=line.parts, each=each)
    return voice.say(texts.IN_MONTHS, months=voice.numbers.count(line.parts, "month"), each=each)


def place(voice: Voice, bought: Purchase) -> str:
    """Provider and region of a line; a commitment holds in every region."""
    region = voice.say(texts.ANY_REGION) if bought.kind == "commitment" else bought.region
    return clean(f"{bought.provider} {region}".strip())


def label(voice: Voice, bought: Purchase) -> str:
    """Term of a machine or commitment, kind of anything else: what costs are summed by."""
    return voice.name({**texts.KINDS, **texts.TERMS}, bought.summed_under)


def _standing(voice: Voice, line: Line) -> Iterator[str]:
    """What sort of price it is where it is no list price, and its age where it is old or undated."""
    bought, facts = line.purchase, voice.facts
    if bought.source.startswith(OWN_FILE):
        yield voice.say(texts.OWN_FIGURE)
    elif bought.price_kind in NO_LIST_PRICES:
        yield voice.name(texts.PRICE_KINDS, bought.price_kind)
    if line in facts.undated:
        yield voice.say(texts.UNDATED_PRICE)
    elif bought.observed is not None and line in facts.old:
        yield voice.say(texts.OLD_PRICE, days=voice.numbers.days((voice.plan.as_of - bought.observed).days))


def total_label(voice: Voice) -> str:
    """What the total means: tax and period."""
    return voice.say(texts.TOTAL, tax=tax_basis(voice), span=until(voice, voice.plan.start, voice.facts.end))


def rates_of_total(voice: Voice) -> list[str]:
    """The total as an average a month and per GPU-hour of work."""
    facts, numbers, said = voice.facts, voice.numbers, []
    if facts.per_month is not None and facts.months > 1:
        months = numbers.count(facts.months, "month")
        said.append(voice.say(texts.MONTHLY, amount=numbers.money(facts.per_month), months=months))
    if facts.per_gpu_hour is not None:
        hours = numbers.plain(round(facts.gpu_hours, 1))
        said.append(voice.say(texts.PER_GPU_HOUR, amount=numbers.money(facts.per_gpu_hour), hours=hours))
    if facts.per_million_tokens is not None:
        said.append(voice.say(texts.PER_MILLION_TOKENS, amount=numbers.money(facts.per_million_tokens)))
    return said


def rounding(voice: Voice) -> str:
    """A remark where the lines as shown do not add up to the total as shown, "" where they do."""
    cost = voice.plan.cost
    places = places_of(voice.plan.currency)
    if cost is None or sum(round(line.cost, places) for line in voice.facts.shown) == round(cost.total, places):
        return ""
    return voice.say(texts.ROUNDED)
