"""The use case `breakeven`: a workload file in, where each term wins out: JSON, words and a picture."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from optimizer.catalog import load_catalog
from optimizer.catalog.freshness import MAX_AGE_DAYS
from optimizer.domain.money import from_micros
from optimizer.domain.offer import Price, PriceKind
from optimizer.domain.text import Language
from optimizer.errors import InputError, Problem
from optimizer.explain import texts
from optimizer.explain.breakeven import (
    DOCUMENT_DAYS,
    DOCUMENT_HOURS,
    Crossing,
    Point,
    Span,
    Surface,
    breakeven,
    lead_times_of,
    resale_of,
)
from optimizer.explain.payback import DAYS_PER_MONTH, Payback, own_per_month, payback_months, rent_that_pays_back
from optimizer.explain.ways import BARE_METAL, Way
from optimizer.planning.case import PlanOptions
from optimizer.planning.owned import exact
from optimizer.planning.pipeline import Planner
from optimizer.planning.workload_file import read_workload, set_by
from optimizer.reports.numbers import Numbers, clean
from optimizer.reports.texts import OLD_PRICE, UNDATED_PRICE

PAYBACK_HOURS = (10, 16, 24)
MOST_CHANGES = 12


@dataclass(frozen=True)
class BreakEven:
    """The surface of one workload with what is said about it."""

    surface: Surface
    planner: Planner

    @cached_property
    def paybacks(self) -> tuple[Payback, ...]:
        """Every server that may be bought, at the hours of the published comparisons."""
        return tuple(self._paybacks())

    def _paybacks(self) -> Iterator[Payback]:
        for way in self.surface.ways:
            if way.purchase is None or way.site is None or way.candidate.nodes > 1:
                continue
            price = exact(way.purchase.price + way.purchase.network_per_node) * exact(way.site.rate)
            for hours in PAYBACK_HOURS:
                rent = _hourly_month(self.surface.ways, hours)
                if rent is not None and hours <= way.most_hours:
                    own = own_per_month(way.purchase, way.site.owned, way.site.rate, hours * way.ratio)
                    months = payback_months(price, rent, own)
                    yield Payback(way.purchase.server, hours, rent, own, price, months)

    def to_json(self) -> dict[str, Any]:
        """The keys of `breakeven --json`."""
        surface = self.surface
        return {
            "workload": surface.work,
            "currency": self.planner.file.currency,
            "reference": named(surface.reference.nodes, surface.reference.supply.key),
            "terms": list(surface.names),
            "points": [_point(point) for point in surface.points],
            "crossings": [_crossing(crossing) for crossing in surface.crossings],
            "document_point": {
                **_point(surface.document),
                "configurations": {name: machine_of(way) for name, way in surface.document.best.items()},
            },
            "lead_time_days": lead_times_of(surface),
            "payback": [_payback(payback) for payback in self.paybacks],
            "prices": dict(vars(self.ages)),
            "messages": {"en": self.sentences("en"), "zh": self.sentences("zh")},
        }

    def sentences(self, language: Language) -> list[str]:
        """What the document's point says, that it is a trigger, and what owning pays back in."""
        numbers = Numbers(language, self.planner.file.currency)
        said = [self._document(numbers), self._trigger(numbers), *self._resale(numbers), *self.ordered_before(language)]
        return [*said, *self._owned(numbers), self._ages(numbers)]

    def ordered_before(self, language: Language) -> list[str]:
        """How long before its use each server has to be ordered, where it does not stand at once."""
        numbers = Numbers(language, self.planner.file.currency)
        return [
            texts.ORDERED_BEFORE.say(language, server=clean(server), days=numbers.days(days))
            for server, days in lead_times_of(self.surface).items()
            if days
        ]

    def lines(self, language: Language) -> list[str]:
        """The whole answer in words."""
        surface = self.surface
        numbers = Numbers(language, self.planner.file.currency)
        reference = named(surface.reference.nodes, surface.reference.supply.key)
        return [
            texts.BREAK_EVEN.say(language, work=clean(surface.work)),
            texts.REFERENCE.say(language, machine=clean(reference)),
            "",
            *_columns(self._table(language)),
            "",
            *self.sentences(language),
            "",
            texts.CROSSINGS_TITLE.say(language),
            *(f"  - {said}" for said in self._crossings(numbers)),
        ]

    def _table(self, language: Language) -> Iterator[tuple[str, str]]:
        """For each span, and spans alike in a row, the stretches of hours in which one way wins."""
        rows = [(span, self._wins(points, language)) for span, points in groupby(self.surface.points, lambda p: p.span)]
        for (_, wins), alike in groupby(rows, key=lambda row: (row[0].months is None, row[1])):
            spans = [span for span, _ in alike]
            yield spans_name(spans[0], spans[-1], language), wins

    def _wins(self, points: Iterable[Point], language: Language) -> str:
        wins = []
        for name, stretch in groupby(points, key=lambda point: point.cheapest):
            hours = [point.hours_per_day for point in stretch]
            if name is not None:
                said = texts.NAMES[name].say(language)
                wins.append(texts.WINS.say(language, name=said, hours=_from_to(hours[0], hours[-1])))
        return "; ".join(wins) if language == "en" else "；".join(wins)

    def _document(self, numbers: Numbers) -> str:
        point = self.surface.document
        name = point.cheapest
        if name is None:
            return ""
        return texts.DOCUMENT_POINT.say(
            numbers.language,
            days=DOCUMENT_DAYS,
            hours=DOCUMENT_HOURS,
            name=texts.NAMES[name].say(numbers.language),
            cost=numbers.money(from_micros(point.costs[name] or 0)),
            machine=self._machine(point.best[name], numbers),
        )

    def _machine(self, way: Way, numbers: Numbers) -> str:
        """A way's machines, the term where its name does not say it, and the age of its price where that is old."""
        said = [clean(named(way.candidate.nodes, way.candidate.supply.key))]
        if way.name == BARE_METAL and way.rent is not None:
            said.append(texts.NAMES[way.rent.term].say(numbers.language))
        options, price = self.planner.options, way.price
        if price is not None and price.observed is None:
            said.append(UNDATED_PRICE.say(numbers.language))
        elif price is not None and price.observed is not None and self._is_old(price):
            said.append(OLD_PRICE.say(numbers.language, days=numbers.days((options.as_of - price.observed).days)))
        return ("，" if numbers.language == "zh" else ", ").join(said)

    def _is_old(self, price: Price) -> bool:
        """Whether a listed price is older than the limit; quotes have dates of their own."""
        options = self.planner.options
        oldest = options.as_of - timedelta(days=options.max_age_days)
        return price.kind is not PriceKind.QUOTE and price.observed is not None and price.observed < oldest

    def _trigger(self, numbers: Numbers) -> str:
        prices = {payback.price for payback in self.paybacks}
        if not prices:
            return texts.TRIGGER_ALONE.say(numbers.language)
        price, hours = min(prices), Fraction(DOCUMENT_DAYS * DOCUMENT_HOURS)
        return texts.TRIGGER.say(
            numbers.language,
            price=numbers.money(_money(price)),
            machine_hours=DOCUMENT_DAYS * DOCUMENT_HOURS,
            rent=numbers.money(_money(rent_that_pays_back(price, hours))),
        )

    def _resale(self, numbers: Numbers) -> Iterator[str]:
        found = resale_of(self.surface)
        if found is None:
            return
        first = texts.OWNED_NEVER.say(numbers.language)
        if found.days_without is not None:
            first = texts.OWNED_FIRST.say(numbers.language, days=numbers.days(found.days_without))
        percent = true_percent(found.share)
        yield texts.OWNED_RESALE.say(numbers.language, days=numbers.days(found.days), percent=percent, first=first)

    def _owned(self, numbers: Numbers) -> Iterator[str]:
        if not self.planner.file.owned.may_buy:
            yield texts.NO_OWNED.say(numbers.language)
        elif not any(way.purchase is not None for way in self.surface.ways):
            yield texts.OWNED_LEFT_OUT.say(numbers.language)
        elif not self.paybacks:
            yield texts.OWNED_NO_PAYBACK.say(numbers.language)
        for payback in self.paybacks:
            text = texts.PAYBACK_NEVER if payback.months is None else texts.PAYBACK
            yield text.say(
                numbers.language,
                server=clean(payback.server),
                hours=payback.hours_per_day,
                price=numbers.money(_money(payback.price)),
                rent=numbers.money(_money(payback.rent_per_month)),
                own=numbers.money(_money(payback.own_per_month)),
                months="" if payback.months is None else f"{float(payback.months):.1f}",
            )

    @cached_property
    def ages(self) -> "Ages":
        """How old the prices are that win somewhere."""
        winners = (point.winner for point in self.surface.points)
        prices = {id(way.price): way.price for way in winners if way is not None and way.price is not None}.values()
        dated = [price.observed for price in prices if price.observed is not None]
        old = sum(map(self._is_old, prices))
        return Ages(len(prices), old, len(prices) - len(dated), min(dated, default=None))

    def _ages(self, numbers: Numbers) -> str:
        ages = self.ages
        values = {"prices": ages.prices, "old": ages.old, "undated": ages.undated, "oldest": numbers.day(ages.oldest)}
        limit = self.planner.options.max_age_days
        return texts.PRICE_AGES.say(numbers.language, limit=numbers.days(limit), **values)

    def _crossings(self, numbers: Numbers) -> Iterator[str]:
        """Every change, shortest days first, then along days at the document's hours; what is left out is counted."""
        language = numbers.language
        if not self.surface.crossings:
            yield texts.NO_CROSSINGS.say(language)
        along_hours = [crossing for crossing in self.surface.crossings if crossing.along == "hours"]
        along_days = [crossing for crossing in self.surface.crossings if crossing.along == "days"]
        for _, alike in groupby(along_hours, key=lambda c: (c.from_, c.to, _hours(c.hours_per_day))):
            yield _along_hours(list(alike), numbers)
        if along_days:
            yield _along_days(along_days, numbers)


@dataclass(frozen=True)
class Ages:
    """How many prices decide, how many of them are older than the limit or undated, and the oldest day."""

    prices: int
    old: int
    undated: int
    oldest: date | None


def _along_hours(alike: list[Crossing], numbers: Numbers) -> str:
    """One change at the same hours a day on one or several numbers of days."""
    first, last = alike[0], alike[-1]
    totals = [numbers.plain(round(_exact(crossing.hours_per_day) * crossing.days, 1)) for crossing in (first, last)]
    return texts.CROSSING_HOURS.say(
        numbers.language,
        days=f"{_from_to(f'{first.days:,}', f'{last.days:,}')} {numbers.unit('day', plural=last.days != 1)}",
        hours=_hours(first.hours_per_day),
        total=_from_to(*totals),
        before=texts.NAMES[first.from_].say(numbers.language),
        after=texts.NAMES[first.to].say(numbers.language),
    )


def _along_days(changes: list[Crossing], numbers: Numbers) -> str:
    """The changes along days at the same hours a day, one after the other."""
    language = numbers.language
    said = [
        texts.DAY_CHANGE.say(language, days=crossing.days, after=texts.NAMES[crossing.to].say(language))
        for crossing in changes[:MOST_CHANGES]
    ]
    if len(changes) > MOST_CHANGES:
        said.append(texts.MORE_CROSSINGS.say(language, count=len(changes) - MOST_CHANGES))
    return texts.CROSSING_DAYS.say(
        language,
        hours=_hours(changes[0].hours_per_day),
        before=texts.NAMES[changes[0].from_].say(language),
        changes=("; " if language == "en" else "；").join(said),
    )


def _columns(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Two columns, the first set to the right; a Chinese character takes two cells."""
    from rich.cells import cell_len

    kept = list(rows)
    widest = max((cell_len(label) for label, _ in kept), default=0)
    for label, said in kept:
        yield f"  {' ' * (widest - cell_len(label))}{label}  {said}"


def _from_to(first: object, last: object) -> str:
    return str(first) if first == last else f"{first}–{last}"


def _hours(hours: Fraction) -> str:
    return f"{float(hours):.2f}".rstrip("0").rstrip(".")


def true_percent(share: Fraction) -> str:
    """A share with one decimal, and near nothing and all with more: a tenth of what separates it from them is seen."""
    apart = min(abs(share), abs(1 - share)) * 100
    decimals = next((many for many in range(1, 9) if not apart or Fraction(5, 10**many) <= apart), 9)
    return f"{float(share * 100):.{decimals}f}".rstrip("0").rstrip(".") + "%"


def _exact(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def break_even_of(
    workload_path: Path,
    as_of: date,
    *,
    work: str | None = None,
    overrides: Sequence[str] = (),
    catalog_directory: Path | None = None,
    seconds: float = 60.0,
    max_age_days: int = MAX_AGE_DAYS,
    exclude_old: bool = False,
) -> BreakEven:
    """The break-even surface of one workload of a file (the first one unless named).

    Prices older than `max_age_days` are counted, and left out with `exclude_old`, as are undated ones.

    Raises:
        InputError: the file or the name is wrong, or nothing can run the workload.
    """
    file = read_workload(workload_path, overrides)
    options = PlanOptions(
        as_of=as_of, extras=False, seconds=seconds, max_age_days=max_age_days, exclude_old=exclude_old
    )
    with set_by(workload_path, overrides):
        planner = Planner(file, load_catalog(catalog_directory), options, str(workload_path))
    return BreakEven(breakeven(planner, position_of(planner, work)), planner)


def position_of(planner: Planner, name: str | None) -> int:
    """Which workload is meant by a name; the first one when none is given.

    Raises:
        InputError: no workload of the file is called so.
    """
    names = [work.name for work in planner.file.workloads]
    if name is None:
        return 0
    if name not in names:
        raise InputError(Problem("--name", "", repr(name), f"one of {', '.join(names)}"))
    return names.index(name)


def spans_name(first: Span, last: Span, language: Language) -> str:
    """`1–14 d`: several spans in a row, both in days or both in months."""
    if last.months is not None:
        return texts.SPAN_MONTHS.say(language, months=_from_to(first.months, last.months))
    return texts.SPAN_DAYS.say(language, days=_from_to(first.days, last.days))


def named(nodes: int, key: str) -> str:
    """A configuration in a few words."""
    return f"{nodes} × {key}"


def machine_of(way: Way) -> str:
    """A way's machines in a few words, with the term where its name does not say it."""
    term = f", {way.rent.term.value}" if way.name == BARE_METAL and way.rent is not None else ""
    return named(way.candidate.nodes, way.candidate.supply.key) + term


def _hourly_month(ways: tuple[Way, ...], hours: int) -> Fraction | None:
    """The least rent a month by the hour for so many hours a day (of the reference), as billed; report currency."""
    days = [way.day(Fraction(hours)) for way in ways if way.name == "on_demand" and hours <= way.most_hours]
    return min(days) * DAYS_PER_MONTH / 10**6 if days else None


def _money(amount: Fraction) -> Any:
    return from_micros(round(amount * 10**6))


def _point(point: Point) -> dict[str, Any]:
    return {
        "hours_per_day": point.hours_per_day,
        "days": point.span.days,
        "months": point.span.months,
        "cheapest": point.cheapest,
        "costs": {name: None if cost is None else from_micros(cost) for name, cost in point.costs.items()},
    }


def _crossing(crossing: Crossing) -> dict[str, Any]:
    return {
        "from": crossing.from_,
        "to": crossing.to,
        "hours_per_day": round(float(crossing.hours_per_day), 9),
        "days": crossing.days,
        "along": crossing.along,
    }


def _payback(payback: Payback) -> dict[str, Any]:
    return {
        "server": payback.server,
        "hours_per_day": payback.hours_per_day,
        "price": _money(payback.price),
        "rent_per_month": _money(payback.rent_per_month),
        "own_per_month": _money(payback.own_per_month),
        "months": None if payback.months is None else round(float(payback.months), 3),
    }
