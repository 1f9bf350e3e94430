"""Purchases of machines taken from a plan: one for each machine type at one place of one provider."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

from optimizer.contract.spec import ScheduleRow
from optimizer.contract.tax import basis_of, on_one_basis, total_basis
from optimizer.domain.finding import Finding, Severity, VerdictKind
from optimizer.domain.gpu import Gpu
from optimizer.domain.offer import Machine, Offer, Term
from optimizer.domain.plan import Assignment, Plan, Purchase
from optimizer.domain.service import ServiceQuote
from optimizer.domain.term_words import TAKEN, TERMS
from optimizer.domain.workload import TaxSpec
from optimizer.errors import InputError, Problem
from optimizer.rules.evidence import Evidence, evidence_of

CENT = Decimal("0.01")
RENTED_BY = (Term.DAY, Term.WEEK, Term.MONTH, Term.YEAR)
WORDS = TERMS | {term: TAKEN[term] for term in RENTED_BY}


@dataclass(frozen=True, slots=True)
class Bought:
    """One purchase: its machine, the plan's lines of money for it, the work that runs on it, how the plan reads tax.

    `services` are the plan's quotes of storage and traffic.
    """

    id: str
    offer: Offer
    gpu: Gpu | None
    lines: tuple[Purchase, ...]
    beside: tuple[Purchase, ...]
    assignments: tuple[Assignment, ...]
    tax: TaxSpec
    services: tuple[ServiceQuote, ...] = ()

    @property
    def machine(self) -> Machine:
        """The hardware."""
        return self.offer.machine

    @property
    def terms(self) -> frozenset[Term]:
        """The terms it is paid on."""
        return frozenset(line.term for line in self.lines if line.term is not None)

    @property
    def is_owned(self) -> bool:
        """Whether the machines become the buyer's."""
        return Term.OWNED in self.terms

    @property
    def evidence(self) -> Evidence | None:
        """What the rules know of the host; None where the GPU has no data sheet."""
        return None if self.gpu is None else evidence_of(self.machine, self.gpu)

    @property
    def machines(self) -> int:
        """The most machines at one time."""
        starts = {line.start for line in self.lines}
        return max(sum(line.count for line in self.lines if line.start <= day < line.end) for day in starts)

    @property
    def nodes_of_a_job(self) -> int:
        """The most machines that one job spans."""
        return max((found.nodes for found in self.assignments), default=1)

    @property
    def currency(self) -> str:
        """The currency of its price."""
        return self.lines[0].price_currency

    @property
    def start(self) -> date:
        """The first day."""
        return min(line.start for line in self.lines)

    @property
    def end(self) -> date:
        """The day after the last."""
        return max(line.end for line in self.lines)

    def finding(self, *rules: str) -> Finding | None:
        """The strictest verdict on one of some rules: unknown before fail before pass; None where none was asked."""
        order = (VerdictKind.UNKNOWN, VerdictKind.FAIL, VerdictKind.PASS)
        found = [
            finding
            for assignment in self.assignments
            for finding in assignment.rules
            if finding.id in rules and finding.verdict in order and finding.severity is not Severity.OFF
        ]
        return min(found, key=lambda item: order.index(item.verdict), default=None)

    def required(self, rule: str) -> float | None:
        """The greatest figure that a rule asks for over all work on these machines; None where none is stated."""
        figures = [
            figure
            for assignment in self.assignments
            for finding in assignment.rules
            if finding.id == rule and (figure := required_figure(finding.required)) is not None
        ]
        return max(figures, default=None)


_FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?")


def required_figure(text: str) -> float | None:
    """The figure of a rule's requirement: "≥ 464.448 GB" is 464.448, "2× 640 GB" 1280, "≥ 16 × 8 GPUs" 128."""
    numbers = [float(found.replace(",", "")) for found in _FIGURE.findall(text)]
    if not numbers:
        return None
    figure = numbers[0] * numbers[1] if "×" in text and len(numbers) > 1 else numbers[0]
    return figure or None


def purchases_of(plan: Plan, gpus: Iterable[Gpu], providers: tuple[str, ...], file: str) -> tuple[Bought, ...]:
    """The purchases of machines in plan order, of some providers only where any are named.

    Raises:
        InputError: the plan buys no machines, a provider is not in it, or an offer does not travel with the plan.
    """
    lines = [line for line in plan.purchases if line.kind == "machine" and line.instance_type is not None]
    keys = list(dict.fromkeys(_key(line) for line in lines))
    problems = _problems(plan, lines, keys, providers, file)
    if problems:
        raise InputError(problems)
    sheets = {gpu.model: gpu for gpu in gpus}
    offers = {(offer.provider, offer.region, offer.instance_type): offer for offer in plan.offers}
    found = [
        _bought(plan, f"P{number}", offers[key], sheets, tuple(line for line in lines if _key(line) == key))
        for number, key in enumerate(keys, start=1)
    ]
    return tuple(one for one in found if not providers or one.offer.provider in providers)


def _problems(
    plan: Plan, lines: list[Purchase], keys: list[tuple[str, str, str]], providers: tuple[str, ...], file: str
) -> list[Problem]:
    if not lines:
        expected = "a plan that rents or buys machines"
        return [Problem(file, "purchases", f"no machine (status {plan.status})", expected)]
    known = {key[0] for key in keys}
    problems = [
        Problem("--provider", "", name, f"one of {', '.join(sorted(known))}") for name in providers if name not in known
    ]
    offers = {(offer.provider, offer.region, offer.instance_type) for offer in plan.offers}
    for key in keys:
        if key not in offers:
            what = "no offer " + "/".join(key)
            items = "the offer of every purchase: without it the items gpu_model, gpu_memory, cpu, memory, network and "
            problems.append(Problem(file, "offers", what, items + "storage are missing"))
    return problems


def _key(line: Purchase) -> tuple[str, str, str]:
    return (line.provider, line.region, line.instance_type or "")


def _bought(plan: Plan, number: str, offer: Offer, sheets: dict[str, Gpu], lines: tuple[Purchase, ...]) -> Bought:
    works = {work for line in lines for work in line.workloads}
    place = (offer.provider, offer.region)
    beside = tuple(line for line in plan.purchases if works & set(line.workloads) and _stands_beside(line, place))
    assignments = tuple(
        found
        for found in plan.assignments
        if (found.provider, found.region, found.instance_type) == (*place, offer.instance_type)
    )
    tax = TaxSpec.model_validate(plan.inputs.get("tax") or {})
    return Bought(
        number, offer, sheets.get(offer.machine.gpu_model), lines, beside, assignments, tax, plan.service_quotes
    )


def _stands_beside(line: Purchase, place: tuple[str, str]) -> bool:
    """Whether a line goes with machines of a place: its storage and egress, and the provider's commitments."""
    if line.kind == "commitment":
        return line.provider == place[0]
    return line.kind in ("storage", "egress") and (line.provider, line.region) == place


# --- money --------------------------------------------------------------------------------------------------------


def schedule_of(bought: Bought) -> tuple[ScheduleRow, ...]:
    """The price line by line in the price's own currency; stretches that follow each other at one price are one.

    Where unit prices stand with and without tax, the amounts stand with tax (`optimizer.contract.tax`).
    """
    rows: list[ScheduleRow] = []
    for line in sorted(bought.lines, key=lambda line: (line.term or "", line.start)):
        row = _row(bought, line)
        before = rows[-1] if rows else None
        if before is not None and _continues(before, row):
            rows[-1] = _joined(before, row)
        else:
            rows.append(row)
    return on_one_basis(rows, bought.tax)


def _row(bought: Bought, line: Purchase) -> ScheduleRow:
    term = line.term or Term.ON_DEMAND
    price = bought.offer.price(term)
    upfront = (price.upfront_amount or Decimal(0)) * line.count if price is not None else Decimal(0)
    amount = line.quantity * line.unit_price + upfront
    return ScheduleRow(
        WORDS[term],
        line.count,
        line.quantity,
        line.unit,
        line.unit_price,
        upfront,
        line.price_currency,
        amount,
        line.start,
        line.end,
        line.source,
        line.observed,
        basis_of(price, bought.tax, is_owned=bought.is_owned),
    )


def _continues(before: ScheduleRow, row: ScheduleRow) -> bool:
    same = ("term", "count", "unit", "unit_price", "currency", "source", "observed", "basis")
    return before.end == row.start and all(getattr(before, name) == getattr(row, name) for name in same)


def _joined(before: ScheduleRow, row: ScheduleRow) -> ScheduleRow:
    return replace(
        before,
        quantity=before.quantity + row.quantity,
        upfront=before.upfront + row.upfront,
        amount=before.amount + row.amount,
        end=row.end,
    )


def total_of(rows: tuple[ScheduleRow, ...]) -> Decimal | None:
    """The sum of a schedule to the cent; None where it holds several currencies, or amounts with and without tax."""
    if len({row.currency for row in rows}) != 1 or total_basis(rows) is None:
        return None
    return sum((row.amount for row in rows), Decimal(0)).quantize(CENT, rounding=ROUND_HALF_UP)
