"""What a GPU hour really cost, against list, quote, plan and the cheapest equal offer of today."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from optimizer.domain.offer import PriceKind, Term
from optimizer.domain.text import Text
from optimizer.review.bill import ZERO, Bill, Cell
from optimizer.review.finding import Kind, ReviewFinding, filled, hours, money, price
from optimizer.review.machines import BilledMachine
from optimizer.review.offers import PriceBook, Quoted
from optimizer.review.rents import Rented

#: Differences up to this share are rounding of published prices, not findings (ours).
TOLERANCE = Decimal("0.005")
_TERMS = {
    "on_demand": Term.ON_DEMAND,
    "spot": Term.SPOT,
    "subscription": Term.MONTH,
    "day": Term.DAY,
    "week": Term.WEEK,
    "year": Term.YEAR,
}

ABOVE = Text(
    "{machine} in {region} ({term}) cost {paid} an hour, {over} above the {against} of {stated}.",
    "{region} 的 {machine}（{term}）每小时 {paid}，比{against} {stated} 高 {over}。",
)
ABOVE_RENT = Text(
    "{machine} in {region} ({term}) cost {paid}, {over} above the {against} of {stated}.",
    "{region} 的 {machine}（{term}）租金 {paid}，比{against} {stated} 高 {over}。",
)
RENT_OF = Text("{count} x {amount} {unit} = {stated}", "{count} × {unit} {amount} = {stated}")
CHEAPER = Text(
    "{hours} hours of {machine} in {region} cost {paid} each; {where} sells the same {gpus} x {gpu} for {offered}.",
    "{region} 的 {machine} 用了 {hours} 小时，每小时 {paid}；{where} 同样的 {gpus} x {gpu} 售 {offered}。",
)
PRICE_SOURCE = Text(
    "price of {observed} from {source}{rate}; tax as published, transfer and storage not counted",
    "价格日期 {observed}，来源 {source}{rate}；税按公布口径，未计传输与存储",
)
UNDATED = Text("unknown date", "未注明")
ELSEWHERE = Text("cheapest anywhere: {where} at {offered}", "不限地区最低：{where}，{offered}")
UNKNOWN_HOST = Text(
    "no offer describes the billed machine: its host and country are unknown, so the same means the same GPUs; not "
    "counted as a saving",
    "目录中没有该机型：其主机配置与所在国家未知，“同样”仅指 GPU；不计入可省金额",
)
AGAINST = {
    "list": Text("list price", "目录价"),
    "quote": Text("quote", "报价"),
    "plan": Text("plan's price", "方案价"),
}
TERM_NAMES = {
    "on_demand": Text("on demand", "按量"),
    "spot": Text("spot", "抢占式"),
    "subscription": Text("by the month", "包月"),
    "committed": Text("committed", "预留"),
    "day": Text("by the day", "包日"),
    "week": Text("by the week", "包周"),
    "year": Text("by the year", "包年"),
}
AN_HOUR = Text("an hour", "每小时")
A_MONTH = Text("a month", "每月")
#: What a price of each term buys; rents counted in months, for a year too, are priced a month.
STEPS = {
    Term.DAY: Text("a day", "每天"),
    Term.WEEK: Text("a week", "每周"),
    Term.MONTH: A_MONTH,
    Term.YEAR: A_MONTH,
}


Place = tuple[BilledMachine, str, str, str]


@dataclass(slots=True)
class PriceRow:
    """One machine on one term in one place: hours, what an hour cost in accrual, and the prices beside it.

    All prices are of one machine hour in the bill's currency; `per_gpu_hour` divides by the machine's GPUs. `own` is
    the key of the offer that was rented, where one is known. `steps` of a rent are the months (days, weeks) that it
    was billed for: its price of an hour is its price of a month times those months, over the hours.
    """

    machine: BilledMachine
    region: str
    term: str
    currency: str
    hours: Decimal = ZERO
    effective: Decimal = ZERO
    effective_known: bool = True
    list: Quoted | None = None
    quote: Quoted | None = None
    plan: Quoted | None = None
    cheapest: Quoted | None = None
    cheapest_anywhere: Quoted | None = None
    own: str | None = None
    steps: Decimal | None = None

    @property
    def paid(self) -> Decimal | None:
        """Accrual cost of one machine hour."""
        return self.effective / self.hours if self.hours > 0 and self.effective_known else None

    @property
    def per_gpu_hour(self) -> Decimal | None:
        """Accrual cost of one GPU hour."""
        return None if self.paid is None or not self.machine.gpus else self.paid / self.machine.gpus

    @property
    def step(self) -> Text | None:
        """What `steps` counts; `None` for what is paid by the hour or on an unknown term."""
        term = _TERMS.get(self.term)
        return STEPS.get(term) if term is not None and self.steps else None

    @property
    def paid_rate(self) -> Decimal | None:
        """Accrual cost of one step of a rent, of one machine hour otherwise."""
        if self.steps and self.effective_known:
            return self.effective / self.steps
        return self.paid

    @property
    def subject(self) -> str:
        """A stable name for findings."""
        return f"{self.machine.provider}/{self.region}/{self.machine.instance_type}/{self.term}"

    @property
    def rate_key(self) -> str:
        """The name under which `paid_rate` is remembered: rates of a month are not compared with rates of an hour."""
        key = f"{self.subject} {self.currency}"
        return key if self.step is None else f"{key} {self.step.en}"


def place_of(item: Cell | Rented | PriceRow) -> Place:
    """What one row is about: machine, region, term and currency."""
    return item.machine, item.region, item.term, item.currency


def price_rows(bill: Bill, book: PriceBook) -> tuple[PriceRow, ...]:
    """One row for each machine, place, term and currency that ran."""
    rows: dict[Place, PriceRow] = {}
    for cell in bill.cells:
        if not cell.is_run or not cell.machine_hours or cell.machine.per_gpu:
            continue
        row = rows.setdefault(place_of(cell), PriceRow(*place_of(cell)))
        row.hours += cell.machine_hours
        cost = bill.hourly_cost(cell)
        row.effective += cost or ZERO
        row.effective_known = row.effective_known and cost is not None
    for rent in bill.rents:
        rented = rows.get(place_of(rent))
        if rented is not None:
            rented.steps = (rented.steps or ZERO) + steps_of(rent)
    for row in rows.values():
        _compare(row, book)
    order = sorted(rows.values(), key=lambda row: (row.machine.provider, row.region, row.subject, row.currency))
    return tuple(order)


def steps_of(rent: Rented) -> Decimal:
    """How many days, weeks or months a rent was billed for, as its price counts them."""
    days_in_step = _TERMS[rent.term].days
    steps = rent.months if days_in_step is None else rent.days / days_in_step
    return Decimal(steps.numerator) / steps.denominator


def _compare(row: PriceRow, book: PriceBook) -> None:
    term = _TERMS.get(row.term)
    if term is None:
        return
    today, planned = book.same(row.machine, row.region), book.planned(row.machine, row.region)
    if today is not None:
        row.list = _hour(book.quoted(today, term, row.currency, kind=PriceKind.LIST), row)
        row.quote = _hour(book.quoted(today, term, row.currency, kind=PriceKind.QUOTE), row)
    if planned is not None:
        row.plan = _hour(book.quoted(planned, term, row.currency), row)
    own = today or planned
    row.own = None if own is None else own.key
    equal = book.equal(row.machine, own)
    country = own.country if own is not None else None
    near = [offer for offer in equal if country is None or offer.country == country]
    row.cheapest = _hour(book.cheapest(near, term, row.currency), row)
    row.cheapest_anywhere = _hour(book.cheapest(equal, term, row.currency), row)


def _hour(quoted: Quoted | None, row: PriceRow) -> Quoted | None:
    """A price as one of an hour: of a rent its price for all that was billed, over the hours that this covers."""
    if quoted is None or quoted.price.term.is_hourly:
        return quoted
    if not row.steps or not row.hours:
        return None
    return replace(quoted, amount=quoted.amount * row.steps / row.hours)


def price_findings(rows: Iterable[PriceRow]) -> Iterator[ReviewFinding]:
    """Hours paid above what was promised or published, and hours that an equal offer sells for less."""
    for row in rows:
        if row.paid is None:
            continue
        for name, stated in (("list", row.list), ("quote", row.quote), ("plan", row.plan)):
            if stated is not None and row.paid > stated.amount * (1 + TOLERANCE):
                yield _above(row, name, stated, row.paid)
        if row.step is None:
            yield from _cheaper(row, row.paid)


def _above(row: PriceRow, name: str, stated: Quoted, paid: Decimal) -> ReviewFinding:
    term, against, step = TERM_NAMES[row.term], AGAINST[name], row.step
    values = {"machine": row.machine.instance_type, "region": row.region or "-"}
    values["over"] = f"{(paid / stated.amount - 1) * 100:.1f} %"
    values["paid"], values["stated"] = (
        (price(paid, row.currency), price(stated.amount, row.currency))
        if step is None
        else (money(row.effective, row.currency), money(stated.amount * row.hours, row.currency))
    )
    template = ABOVE if step is None else ABOVE_RENT
    text = Text(
        template.en.format(term=term.en, against=against.en, **values),
        template.zh.format(term=term.zh, against=against.zh, **values),
    )
    proof = None if step is None else _rent_of(row, stated, step)
    saving = (paid - stated.amount) * row.hours
    details = (price_source(stated),)
    return ReviewFinding(f"above-{name}", "saving", text, row.subject, saving, row.currency, details, proof)


def _rent_of(row: PriceRow, stated: Quoted, step: Text) -> Text:
    """How a stated rent adds up: its months, and its price of a month."""
    total, steps = stated.amount * row.hours, row.steps or ZERO
    values = {"count": hours(steps), "stated": money(total, row.currency)}
    values["amount"] = money(total / steps, row.currency)
    return Text(RENT_OF.en.format(unit=step.en, **values), RENT_OF.zh.format(unit=step.zh, **values))


def _cheaper(row: PriceRow, paid: Decimal) -> Iterator[ReviewFinding]:
    best = row.cheapest
    if best is None or best.amount * (1 + TOLERANCE) >= paid or best.where == row.own:
        return
    text = filled(
        CHEAPER,
        hours=hours(row.hours),
        machine=row.machine.instance_type,
        region=row.region or "-",
        paid=price(paid, row.currency),
        where=best.where,
        gpus=row.machine.gpus,
        gpu=row.machine.gpu_model,
        offered=price(best.amount, row.currency),
    )
    details = [price_source(best)]
    anywhere = row.cheapest_anywhere
    if anywhere is not None and anywhere.amount < best.amount:
        details.append(filled(ELSEWHERE, where=anywhere.where, offered=price(anywhere.amount, row.currency)))
    if row.own is None:
        details.append(UNKNOWN_HOST)
    saving = (paid - best.amount) * row.hours
    proof = Text(
        *(
            f"({price(paid, row.currency)} - {price(best.amount, row.currency)}) x {hours(row.hours)} h"
            f" = {money(saving, row.currency)}",
        )
        * 2
    )
    kind: Kind = "note" if row.own is None else "saving"
    yield ReviewFinding("cheaper-offer", kind, text, row.subject, saving, row.currency, tuple(details), proof)


def price_source(quoted: Quoted) -> Text:
    """Where a price comes from, of which day, at which rate, and what it leaves out."""
    rate = f" ({quoted.rate_note})" if quoted.rate_note else ""
    day = quoted.price.observed
    dates = UNDATED if day is None else Text(*(day.isoformat(),) * 2)
    values = {"source": quoted.price.source, "rate": rate}
    return Text(
        PRICE_SOURCE.en.format(observed=dates.en, **values), PRICE_SOURCE.zh.format(observed=dates.zh, **values)
    )
