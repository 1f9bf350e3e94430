"""Sentences about what a plan assumes and where its prices come from, shared by every output."""

from decimal import Decimal

from optimizer.domain.plan import FxUsed
from optimizer.domain.text import Text
from optimizer.reports import texts
from optimizer.reports.numbers import UNKNOWN, clean
from optimizer.reports.voice import Voice, tax_basis, until

SHA_SHOWN = 12
#: Billed hours beyond the work's by more than this are explained.
LITTLE_MORE = Decimal("0.03")


def assumptions(voice: Voice) -> list[tuple[str, str]]:
    """The block of assumptions: label and statement."""
    plan, numbers = voice.plan, voice.numbers
    span = until(voice, plan.start, voice.facts.end)
    days = numbers.days(plan.horizon_days)
    rows = [(texts.PERIOD, voice.say(texts.PERIOD_IS, span=span, days=days, as_of=numbers.day(plan.as_of)))]
    rows += [(texts.RATES, rate) for rate in _rates(voice)]
    rows.append((texts.TAX, _tax(voice)))
    rows.append((texts.MONTHS, voice.say(texts.MONTHS_ARE)))
    billed = _billed(voice)
    if billed:
        rows.append((texts.BILLED, billed))
    after = texts.AFTER_STOP if plan.after_horizon == "stop" else texts.AFTER_CONTINUE
    rows.append((texts.AFTER, voice.say(after)))
    rows.append((texts.PROFILE, _profile(voice)))
    budget = _budget(voice)
    if budget:
        rows.append((texts.BUDGET, budget))
    rows.append((texts.TIERS, voice.say(texts.TIERS_ARE)))
    discount = plan.inputs.get("discount_rate")
    if plan.cost is not None and plan.cost.present_value is not None:
        rate = numbers.percent(float(discount)) if discount else UNKNOWN
        said = f"{numbers.money(plan.cost.present_value)}; {voice.say(texts.DISCOUNTED_AT, rate=rate)}"
        rows.append((texts.PRESENT_VALUE, said))
    return [(voice.say(label), said) for label, said in rows]


def _billed(voice: Voice) -> str:
    """How many hours are billed beyond those of the work, "" where it hardly matters."""
    billed, run = voice.facts.billed_hours
    if not run or billed <= run * (1 + LITTLE_MORE):
        return ""
    percent = voice.numbers.percent(float(billed / run) - 1)
    plain = voice.numbers.plain
    return voice.say(texts.BILLED_IS, billed=plain(round(billed, 1)), run=plain(round(run, 1)), percent=percent)


def _profile(voice: Voice) -> str:
    """The rules' profile and what the workload file changes of it."""
    profile = clean(voice.plan.profile)
    changes = []
    for rule, change in (voice.plan.inputs.get("rules") or {}).items():
        stated = ", ".join(f"{name} {value}" for name, value in change.items() if value is not None)
        changes.append(clean(f"{rule} ({stated})"))
    if not changes:
        return voice.say(texts.PROFILE_IS, profile=profile)
    return voice.say(texts.RULES_CHANGED, profile=profile, rules=voice.join(changes))


def _rates(voice: Voice) -> list[str]:
    """The rates used; an answer without a plan uses none and says nothing."""
    used = [rate for rate in voice.plan.fx if rate.currency != "USD"]
    if not used and voice.plan.cost is not None:
        return [voice.say(texts.ONE_CURRENCY, currency=voice.plan.currency)]
    return [_rate(voice, rate) for rate in used]


def _rate(voice: Voice, used: FxUsed) -> str:
    """One rate with its day and source; one of the workload file's own has neither."""
    rate = {"rate": voice.numbers.plain(used.units_per_usd), "currency": clean(used.currency)}
    if used.day is None:
        return voice.say(texts.OWN_RATE_IS, **rate)
    return voice.say(texts.RATE_IS, **rate, day=voice.numbers.day(used.day), source=clean(used.source))


def _tax(voice: Voice) -> str:
    tax = voice.plan.inputs.get("tax")
    if not isinstance(tax, dict):
        return voice.say(texts.TAX_UNKNOWN)
    if not float(tax.get("rate") or 0):
        return voice.say(texts.TAX_NONE)
    included = texts.WITH_TAX if tax.get("included", True) else texts.WITHOUT_TAX
    rate = voice.numbers.percent(float(tax.get("rate") or 0))
    return voice.say(texts.TAX_IS, basis=tax_basis(voice), rate=rate, included=voice.say(included))


def _budget(voice: Voice) -> str:
    """The budget and what is left of it; one in another currency is shown as stated."""
    stated, budget = voice.plan.inputs.get("budget"), voice.facts.budget
    if stated is None or voice.plan.cost is None:
        return ""
    if budget is None:
        return voice.numbers.money(Decimal(str(stated)), str(voice.plan.inputs.get("currency")))
    spent = sum((month.amount for month in voice.plan.cash_flow), Decimal(0))
    left = voice.numbers.money(budget - spent)
    said = texts.BUDGET_OPEN if voice.plan.incomplete else texts.BUDGET_IS
    return voice.say(said, budget=voice.numbers.money(budget), left=left)


def sources(voice: Voice) -> list[tuple[str, str]]:
    """Age of the oldest price, undated prices, and which catalog answered."""
    plan, numbers, facts = voice.plan, voice.numbers, voice.facts
    rows: list[tuple[Text, str]] = []
    oldest = facts.oldest_price
    age = numbers.days((plan.as_of - oldest).days) if oldest else UNKNOWN
    said = voice.say(texts.OLDEST, date=numbers.day(oldest), days=age) if oldest else ""
    old, undated, limit = len(facts.old), len(facts.undated), facts.age_limit_days
    ages = voice.say(texts.AGES, lines=len(facts.shown), old=old, limit=limit, undated=undated)
    if facts.lines:
        rows.append((texts.PRICES, voice.sentence([said, ages])))
    if plan.catalog is not None:
        used = plan.catalog
        rows.append(
            (
                texts.CATALOG,
                voice.say(
                    texts.CATALOG_IS,
                    machines=f"{used.rows:,}",
                    prices=UNKNOWN if used.prices is None else f"{used.prices:,}",
                    files=used.files,
                    sha=clean(used.sha256)[:SHA_SHOWN],
                ),
            )
        )
    if plan.ties_settled:
        level = voice.name(texts.TIE_LEVELS, plan.ties_settled)
        is_unique = plan.ties_settled == "all"
        ties = voice.say(texts.TIES_ALL) if is_unique else voice.say(texts.TIES_UP_TO, level=level)
        rows.append((texts.TIES, ties))
    rows.append((texts.VERSIONS, voice.join(f"{clean(k)} {clean(v)}" for k, v in plan.versions.items())))
    return [(voice.say(label), said) for label, said in rows if said]
