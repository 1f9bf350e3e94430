"""The review as one value: what every output format is written from."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal

from optimizer.domain.gpu import Gpu
from optimizer.domain.money import Rates
from optimizer.domain.offer import Offer
from optimizer.domain.plan import Plan
from optimizer.domain.text import Text
from optimizer.review.agreed import Contract, contract_findings
from optimizer.review.bill import ZERO, Bill
from optimizer.review.changes import changes, month_before, price_changes, same_period
from optimizer.review.commitments import DEFAULT_DAYS_AHEAD, Utilization, commitment_findings, utilizations
from optimizer.review.finding import CENT, ReviewFinding, in_order
from optimizer.review.forecast import Forecast, forecast, forecast_findings
from optimizer.review.groups import GpuRow, GroupRow, by_dimension, gpu_rows
from optimizer.review.offers import PriceBook
from optimizer.review.owned import owned_findings
from optimizer.review.prices import PriceRow, price_findings, price_rows
from optimizer.review.promises import outside_findings, plan_budget, plan_endings, promise_findings
from optimizer.review.quality import quality_findings
from optimizer.review.rented import rule_findings
from optimizer.review.resolve import mix_findings
from optimizer.review.state import Record, record_of
from optimizer.review.tags import TagKeys
from optimizer.review.terms import term_findings


@dataclass(frozen=True)
class Basis:
    """What the bill is held against. `budget` is an amount in one currency; `records` are earlier reviews."""

    offers: tuple[Offer, ...] = ()
    rates: Rates = field(default_factory=Rates)
    gpu_of: Callable[[str], Gpu | None] = lambda model: None
    server_of: Callable[[str], Offer | None] = lambda name: None
    plan: Plan | None = None
    contract: Contract | None = None
    budget: tuple[Decimal, str] | None = None
    tags: TagKeys = field(default_factory=TagKeys)
    days_ahead: int = DEFAULT_DAYS_AHEAD
    records: tuple[Record, ...] = ()


@dataclass(frozen=True)
class Review:
    """Everything that the outputs show. `record` is what the next review will be compared with."""

    bill: Bill
    gpu: tuple[GpuRow, ...]
    dimensions: dict[str, tuple[GroupRow, ...]]
    prices: tuple[PriceRow, ...]
    commitments: tuple[Utilization, ...]
    forecasts: tuple[Forecast, ...]
    findings: tuple[ReviewFinding, ...]
    changes: tuple[Text, ...]
    record: Record

    @property
    def largest_savings(self) -> dict[str, Decimal]:
        """By currency: the largest saving of each machine, since savings about the same hours overlap."""
        best: dict[tuple[str, str], Decimal] = {}
        for item in self.findings:
            if item.kind == "saving" and item.saving is not None and item.currency is not None:
                about = "/".join(item.subject.split("/")[:4])
                key = (item.currency, about)
                best[key] = max(best.get(key, ZERO), item.saving)
        sums: dict[str, Decimal] = {}
        for (currency, _), saving in best.items():
            sums[currency] = sums.get(currency, ZERO) + saving
        return dict(sorted(sums.items()))


def review_bill(bill: Bill, basis: Basis) -> Review:
    """Hold a bill against offers, plan, budget and earlier reviews; a plan of another time is left aside and named."""
    site, outside = basis.plan, list(outside_findings(bill, basis.plan))
    if outside:
        basis = replace(basis, plan=None)
    book = PriceBook(basis.offers, basis.rates, () if basis.plan is None else basis.plan.offers)
    rows = gpu_rows(bill)
    prices = price_rows(bill, book)
    forecasts = _forecasts(bill, basis)
    found = [
        *outside,
        *quality_findings(bill, rows),
        *commitment_findings(bill, rows, plan_endings(basis.plan), basis.days_ahead),
        *price_findings(prices),
        *term_findings(bill, prices, book),
        *mix_findings(bill, prices, book),
        *owned_findings(bill, prices, site, book, basis.server_of),
        *forecast_findings(forecasts),
        *rule_findings(rows, book, basis.gpu_of),
        *promise_findings(bill, basis.plan, rows),
        *contract_findings(bill, basis.contract, rows, prices),
    ]
    found = list(without_repeats(found))
    now = record_of(bill, prices, found)
    found.extend(price_changes(prices, month_before(basis.records, now), bill))
    findings = in_order(found)
    record = record_of(bill, prices, findings)
    return Review(
        bill=bill,
        gpu=rows,
        dimensions=by_dimension(bill, basis.tags),
        prices=prices,
        commitments=utilizations(bill),
        forecasts=forecasts,
        findings=findings,
        changes=changes(same_period(basis.records, record), record),
        record=record,
    )


def without_repeats(findings: Iterable[ReviewFinding]) -> Iterator[ReviewFinding]:
    """A mix that saves no more than a simpler finding about the same machine says nothing new."""
    listed = list(findings)
    simple: dict[str, Decimal] = {}
    for item in listed:
        if item.id in ("cheaper-offer", "by-the-month") and item.saving is not None:
            about = "/".join(item.subject.split("/")[:4])
            simple[about] = max(simple.get(about, ZERO), item.saving)
    for item in listed:
        if item.id != "better-mix" or (item.saving or ZERO) > simple.get(item.subject, ZERO) + CENT:
            yield item


def _forecasts(bill: Bill, basis: Basis) -> tuple[Forecast, ...]:
    """One for the budget's currency, else one for each currency of the bill."""
    amount, currency = basis.budget if basis.budget is not None else (None, None)
    if currency is None and basis.plan is not None:
        currency = basis.plan.currency
    currencies: Iterable[str] = bill.currencies if currency is None else (currency,)
    found = []
    for item in currencies:
        budget = plan_budget(basis.plan, amount, item, bill)
        before = _spent_before(basis.records, bill, item, budget.start)
        made = forecast(bill, type(budget)(budget.amount, item, budget.start, budget.end, before))
        if made is not None:
            found.append(made)
    return tuple(found)


def _spent_before(records: Iterable[Record], bill: Bill, currency: str, start: object) -> Decimal:
    earlier = (item for item in records if item.end <= bill.start and item.start >= start)  # type: ignore[operator]
    return sum((item.billed.get(currency, ZERO) for item in earlier), ZERO)
