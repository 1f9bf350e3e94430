"""Small bills of our own in the form, and with the warts, of real exports; offers to hold them against."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from optimizer.domain.offer import Machine, Offer, Price, PriceKind, PriceUnit, Term
from optimizer.review.bill import Bill
from optimizer.review.machines import MachineFinder
from optimizer.review.read import Scope, read_bill
from optimizer.review.review import Basis, Review, review_bill

#: FOCUS 1.2 column ids that the tests use (FOCUS specification 1.2, column files).
FOCUS = (
    *("BilledCost", "BillingAccountId", "BillingCurrency", "BillingPeriodStart", "BillingPeriodEnd", "ChargeCategory"),
    *("ChargeClass", "ChargeDescription", "ChargeFrequency", "ChargePeriodStart", "ChargePeriodEnd"),
    *("CommitmentDiscountId", "CommitmentDiscountType", "CommitmentDiscountStatus", "ConsumedQuantity", "ConsumedUnit"),
    *("ContractedCost", "EffectiveCost", "InvoiceId", "ListCost", "PricingCategory", "PricingQuantity", "PricingUnit"),
    *("ProviderName", "RegionId", "ResourceId", "ServiceName", "SkuId", "SkuPriceDetails", "SubAccountId", "Tags"),
    *("CapacityReservationId", "CapacityReservationStatus"),
)
NOVEMBER = {"BillingPeriodStart": "2026-11-01T00:00:00Z", "BillingPeriodEnd": "2026-12-01T00:00:00Z"}
#: A p4d.24xlarge hour in us-east-1: price and wording as in an AWS export.
HOUR = {
    **NOVEMBER,
    "BilledCost": "32.7726",
    "EffectiveCost": "32.7726",
    "ListCost": "32.7726",
    "ContractedCost": "32.7726",
    "BillingAccountId": "1111",
    "SubAccountId": "2222",
    "BillingCurrency": "USD",
    "ChargeCategory": "Usage",
    "ChargeFrequency": "Usage-Based",
    "ChargeDescription": "$32.7726 per On Demand Linux p4d.24xlarge Instance Hour",
    "ChargePeriodStart": "2026-11-02T10:00:00Z",
    "ChargePeriodEnd": "2026-11-02T11:00:00Z",
    "ConsumedQuantity": "1",
    "ConsumedUnit": "Hours",
    "PricingCategory": "Standard",
    "PricingQuantity": "1",
    "PricingUnit": "Hours",
    "ProviderName": "AWS",
    "RegionId": "us-east-1",
    "ResourceId": "i-1",
    "ServiceName": "Amazon Elastic Compute Cloud",
    "SkuId": "SKU1",
}
STORAGE = {
    **HOUR,
    "BilledCost": "10",
    "EffectiveCost": "10",
    "ListCost": "10",
    "ContractedCost": "10",
    "ChargeDescription": "$0.08 per GB-month of General Purpose (gp3) provisioned storage",
    "ConsumedUnit": "GB-Months",
    "PricingUnit": "GB-Months",
    "ConsumedQuantity": "125",
    "PricingQuantity": "125",
    "ResourceId": "vol-1",
    "SkuId": "SKU2",
}


def row(base: Mapping[str, str] = HOUR, **changes: str) -> dict[str, str]:
    """A line like `base` with some fields changed."""
    return {**base, **changes}


def hours_of(resource: str, day: int, first: int, count: int, **changes: str) -> list[dict[str, str]]:
    """`count` hourly lines of one machine on one day of November 2026."""
    rows = []
    for hour in range(first, first + count):
        end = f"2026-11-{day:02d}T{hour + 1:02d}:00:00Z" if hour < 23 else f"2026-11-{day + 1:02d}T00:00:00Z"
        times = {"ChargePeriodStart": f"2026-11-{day:02d}T{hour:02d}:00:00Z", "ChargePeriodEnd": end}
        rows.append(row(ResourceId=resource, **{**times, **changes}))
    return rows


def write_csv(path: Path, rows: Iterable[Mapping[str, str]], columns: Sequence[str] = FOCUS, **options: Any) -> Path:
    """Write lines as CSV; absent fields are empty."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", **options)
        writer.writeheader()
        writer.writerows(rows)
    return path


def machine(provider: str, name: str, gpu: str = "A100-SXM4-40GB", count: int = 8, **facts: Any) -> Machine:
    """A machine with the facts that comparisons ask for."""
    plain = {"vcpus": 96.0, "ram_gib": 1152.0, "gpu_memory_gib": 40.0, "gpu_memory_usable_gib": 40.0}
    return Machine(provider=provider, instance_type=name, gpu_model=gpu, gpu_count=count, **{**plain, **facts})


def priced(term: Term, amount: str, unit: PriceUnit = PriceUnit.HOUR, currency: str = "USD", **more: Any) -> Price:
    """A list price of 2026-10-01."""
    values = {"kind": PriceKind.LIST, "observed": date(2026, 10, 1), "source": "price list of the test", **more}
    return Price(term=term, amount=Decimal(amount), unit=unit, currency=currency, **values)


def offer(sold: Machine, region: str, *prices: Price, country: str | None = "US") -> Offer:
    """One machine in one region with its prices."""
    return Offer(provider=sold.provider, region=region, country=country, machine=sold, prices=prices)


P4D = machine("aws", "p4d.24xlarge")
OFFERS = (
    offer(P4D, "us-east-1", priced(Term.ON_DEMAND, "32.7726")),
    offer(machine("aws", "p5.48xlarge", "H100-SXM5-80GB"), "us-east-1", priced(Term.ON_DEMAND, "55.04")),
)


def bill_of(*paths: Path, offers: Sequence[Offer] = OFFERS, scope: Scope | None = None, **more: Any) -> Bill:
    """Read files against the test's offers."""
    return read_bill([str(path) for path in paths], MachineFinder(offers, **more), scope)


def review_of(bill: Bill, offers: Sequence[Offer] = OFFERS, **basis: Any) -> Review:
    """Review a bill against the test's offers."""
    return review_bill(bill, Basis(offers=tuple(offers), **basis))


def found(review: Review, name: str) -> list[Any]:
    """All findings of one id."""
    return [item for item in review.findings if item.id == name]
