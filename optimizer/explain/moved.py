"""The inputs that a plan rests on, and a planned case with one of them multiplied by a factor.

Costs are changed in the planned case (prices, tariffs, hours, amount of work, speed of a GPU); configurations and
verdicts stay, since sizing and rules look at machines and models.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from optimizer.domain.offer import Price, Term
from optimizer.domain.workload import MayBuy
from optimizer.explain.changes import repriced, slower, with_candidates, with_file, with_supplies
from optimizer.explain.replan import chosen
from optimizer.explain.stretches import WIDEST
from optimizer.planning.candidates import Candidate
from optimizer.planning.case import Case
from optimizer.planning.owned import purchase_currency
from optimizer.planning.search import Outcome
from optimizer.planning.storage import StoragePlan
from optimizer.planning.supply import Supply

Kind = Literal["price", "hours", "tokens", "speed", "exchange_rate", "electricity", "purchase", "residual"]


@dataclass(frozen=True)
class Input:
    """One input: how a case looks when it is multiplied by a factor, and how far it can go at all."""

    name: str
    kind: Kind
    value: str
    changed: Callable[[Case, float], Case]
    most: float = WIDEST
    least: float = 1 / WIDEST


def inputs_of(case: Case, outcome: Outcome) -> Iterator[Input]:
    """The inputs that the plan rests on; those of few solves first, so that a short time still answers them."""
    yield from _prices(outcome)
    yield from _purchases(case, outcome)
    yield from _currencies(case, outcome)
    yield from _owned(case)
    yield from _hours(case)
    yield Input(_amount(case), "tokens", "", _with_tokens)
    for model in sorted({model_of(candidate) for candidate in chosen(outcome)}):
        yield Input(model, "speed", "", _speed_of(model))


def _prices(outcome: Outcome) -> Iterator[Input]:
    for key, term, value in sorted(_used_prices(outcome)):
        yield Input(f"{key} {term}", "price", value, _price_of(key, Term(term)))


def _used_prices(outcome: Outcome) -> set[tuple[str, str, str]]:
    used: set[tuple[str, str, str]] = set()
    if outcome.assembly is None or outcome.solution is None:
        return used
    hourly = {service.placement for service in outcome.solution.services if service.hourly}
    for identity in outcome.assembly.real_placements(outcome.solution.placements):
        supply = outcome.assembly.placed[identity].candidate.supply
        if outcome.assembly.placed[identity].candidate.is_spot and supply.spot is not None:
            price = supply.spot.price
        elif identity in hourly and supply.hourly is not None:
            price = supply.hourly.price
        else:
            continue
        used.add((supply.key, price.term.value, f"{price.amount} {price.currency}/{price.unit.value}"))
    for identity, _ in outcome.solution.units:
        bought = outcome.assembly.bought[identity]
        if bought.rent is not None:
            price = bought.rent.rated.price
            used.add((bought.supply.key, price.term.value, f"{price.amount} {price.currency}/{price.unit.value}"))
    return used


def _price_of(key: str, term: Term) -> Callable[[Case, float], Case]:
    def changed(case: Case, factor: float) -> Case:
        def change(supply: Supply) -> Supply:
            if supply.key != key:
                return supply
            return repriced(supply, Decimal(repr(factor)), lambda rated: rated.price.term is term)

        return with_supplies(case, change)

    return changed


def _hours(case: Case) -> Iterator[Input]:
    free = [work.hours_per_day for work in case.file.workloads if work.window is None]
    if not free:
        return
    value = ", ".join(f"{hours:g}" for hours in dict.fromkeys(free))
    yield Input("hours_per_day", "hours", value, _with_hours, most=min(WIDEST, 24 / max(free)))


def _with_hours(case: Case, factor: float) -> Case:
    works = tuple(
        work
        if work.window is not None
        else work.model_copy(update={"hours_per_day": min(24.0, work.hours_per_day * factor)})
        for work in case.file.workloads
    )
    return with_file(case, case.file.model_copy(update={"workloads": works}))


def _amount(case: Case) -> str:
    """What the workloads state their amount in."""
    stated = {"gpu_hours" if work.gpu_hours is not None else "tokens" for work in case.file.workloads}
    return stated.pop() if len(stated) == 1 else "work"


def model_of(candidate: Candidate) -> str:
    return candidate.supply.machine.gpu_model


def _with_tokens(case: Case, factor: float) -> Case:
    def change(candidate: Candidate) -> Candidate:
        if candidate.run_hours is None:
            return candidate
        return replace(candidate, run_hours=candidate.run_hours * factor)

    tasks = tuple(
        task if task.tokens_per_month is None else replace(task, tokens_per_month=task.tokens_per_month * factor)
        for task in case.tasks
    )
    return replace(with_candidates(case, change), tasks=tasks)


def _speed_of(model: str) -> Callable[[Case, float], Case]:
    def changed(case: Case, factor: float) -> Case:
        return with_candidates(case, lambda c: slower(c, 1 / factor) if c.supply.machine.gpu_model == model else c)

    return changed


def _currencies(case: Case, outcome: Outcome) -> Iterator[Input]:
    report = case.file.currency
    used = {price.currency for candidate in chosen(outcome) for price in _price_rows(candidate.supply)}
    for currency in sorted(used - {report}):
        rate = case.rates.factor(currency, report)
        yield Input(f"{report}/{currency}", "exchange_rate", f"{rate:.6g}", _rate_of(currency))


def _price_rows(supply: Supply) -> Iterator[Price]:
    for rated in (supply.hourly, supply.spot, *(rent.rated for rent in supply.rents)):
        if rated is not None:
            yield rated.price


def _rate_of(currency: str) -> Callable[[Case, float], Case]:
    def changed(case: Case, factor: float) -> Case:
        exact = Decimal(repr(factor))
        priced = with_supplies(case, lambda s: repriced(s, exact, lambda rated: rated.price.currency == currency))
        return with_candidates(priced, lambda c: replace(c, storage=_stored(c.storage, currency, exact)))

    return changed


def _stored(plan: StoragePlan, currency: str, factor: Decimal) -> StoragePlan:
    changes = {
        name: replace(volume, fx_rate=volume.fx_rate * factor)
        for name in ("hot", "cold", "egress")
        if (volume := getattr(plan, name)) is not None and volume.currency == currency
    }
    return replace(plan, **changes) if changes else plan


def _owned(case: Case) -> Iterator[Input]:
    has_owned = any(candidate.supply.is_owned for mine in case.candidates for candidate in mine)
    tariff = case.file.owned.electricity_per_kwh
    if has_owned and tariff:
        yield Input("electricity", "electricity", f"{tariff} {case.file.currency}/kWh", _with_tariff)
    if any(candidate.supply.purchases for mine in case.candidates for candidate in mine):
        yield Input("residual", "residual", "", _with_residual)


def _with_tariff(case: Case, factor: float) -> Case:
    owned = case.file.owned
    tariff = (owned.electricity_per_kwh or Decimal(0)) * Decimal(repr(factor))
    changed = owned.model_copy(update={"electricity_per_kwh": tariff})
    return with_file(case, case.file.model_copy(update={"owned": changed}))


def _purchases(case: Case, outcome: Outcome) -> Iterator[Input]:
    """The prices of the machines that the plan buys, a pool each."""
    bought: dict[str, list[MayBuy]] = {}
    if outcome.assembly is not None and outcome.solution is not None:
        for identity, _ in outcome.solution.units:
            one = outcome.assembly.bought[identity]
            if one.purchase is not None and one.purchase not in bought.setdefault(one.supply.key, []):
                bought[one.supply.key].append(one.purchase)
    for key, records in sorted(bought.items()):
        paid = [f"{record.price} {purchase_currency(record, case.file.currency)}" for record in records if record.price]
        if paid:
            yield Input(key, "purchase", ", ".join(sorted(paid)), _purchase_of(key, tuple(records)))


def _purchase_of(key: str, records: tuple[MayBuy, ...]) -> Callable[[Case, float], Case]:
    """The price multiplied, and with it what is stated as a share of it: the value left, and maintenance."""

    def changed(case: Case, factor: float) -> Case:
        exact = Decimal(repr(factor))

        def change(supply: Supply) -> Supply:
            if supply.key != key:
                return supply
            return supply._replace(
                purchases=tuple(
                    one.model_copy(update={"price": one.price * exact}) if one in records else one
                    for one in supply.purchases
                )
            )

        return with_supplies(case, change)

    return changed


def _with_residual(case: Case, factor: float) -> Case:
    """The value left at every age but the first day's, never above the price."""

    def change(supply: Supply) -> Supply:
        purchases = tuple(
            one.model_copy(
                update={
                    "residual_by_month": {
                        month: share if month == 0 else min(1.0, share * factor)
                        for month, share in one.residual_by_month.items()
                    }
                }
            )
            for one in supply.purchases
        )
        return supply._replace(purchases=purchases)

    return with_supplies(case, lambda supply: change(supply) if supply.purchases else supply)
