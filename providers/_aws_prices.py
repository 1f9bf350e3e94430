"""EC2 prices of one region by every way to pay: list, reserved, savings plans, spot, capacity blocks.

Field names as in botocore's service models (1.44.8). Of several ways to pay for one term the one with the lowest total
is taken, the others stand in its note: a term has one price row.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from math import ceil
from typing import Any

from optimizer.domain.offer import PriceUnit, Rejected, Term
from optimizer.domain.units import HOURS_PER_DAY, HOURS_PER_YEAR, SECONDS_PER_HOUR
from providers._aws_spot_advisor import Rates
from providers._kit.contract import FetchContext, Unreadable
from providers._kit.prices import Draft, add_lowest_zone, parse_amount
from providers._kit.reading import PascalWire, read_row

Client = Any
Drafts = dict[str, Draft]

LINUX = "Linux/UNIX"
_ON_DEMAND_TERM = "JRTCKXETXF"
_HOURLY_UNIT = "Hrs"
_REGULAR_PRODUCT = {
    "operatingSystem": "Linux",
    "tenancy": "Shared",
    "preInstalledSw": "NA",
    "capacitystatus": "Used",
    "marketoption": "OnDemand",
    "licenseModel": "No License required",
}
_YEAR_SECONDS = HOURS_PER_YEAR * SECONDS_PER_HOUR
_RESERVED = {_YEAR_SECONDS: Term.RESERVED_1Y, 3 * _YEAR_SECONDS: Term.RESERVED_3Y}
_SAVINGS = {_YEAR_SECONDS: Term.SAVINGS_PLAN_1Y, 3 * _YEAR_SECONDS: Term.SAVINGS_PLAN_3Y}
_UPFRONT_SHARE = {"No Upfront": Decimal(0), "Partial Upfront": Decimal("0.5"), "All Upfront": Decimal(1)}
_BLOCK_HOURS = (24, 7 * 24, 14 * 24)
_BLOCK_HORIZON_DAYS = 56
_NAMES_A_CALL = 50


def pages(call: Callable[..., Any], key: str, token_name: str, **arguments: Any) -> Iterator[Any]:
    """Every row of a paged call (some have no paginator in botocore)."""
    token: str | None = None
    while True:
        answer = call(**arguments, **({token_name: token} if token else {}))
        yield from answer[key]
        token = answer.get(token_name)
        if not token:
            return


# --- list -----------------------------------------------------------------------------------------------------------


def add_list_prices(client: Client, region: str, drafts: Drafts) -> Iterator[Rejected]:
    """On-demand prices from `pricing:GetProducts`."""
    wanted = {**_REGULAR_PRODUCT, "regionCode": region, "instanceFamily": "GPU instance"}
    filters = [{"Type": "TERM_MATCH", "Field": name, "Value": value} for name, value in wanted.items()]
    rows = pages(
        client.get_products, "PriceList", "NextToken", ServiceCode="AmazonEC2", Filters=filters, FormatVersion="aws_v1"
    )
    for text in rows:
        product = json.loads(text, parse_float=Decimal)
        attributes = product.get("product", {}).get("attributes", {})
        draft = drafts.get(str(attributes.get("instanceType")))
        if draft is None or any(attributes.get(name) != value for name, value in _REGULAR_PRODUCT.items()):
            continue
        try:
            _add_list_price(draft, product)
        except Unreadable as error:
            yield Rejected(provider="aws", row=f"{attributes['instanceType']} {region}", reason=error.reason)


def _add_list_price(draft: Draft, product: dict[str, Any]) -> None:
    terms = product.get("terms", {}).get("OnDemand", {}).values()
    for term in (term for term in terms if term.get("offerTermCode") == _ON_DEMAND_TERM):
        since = date.fromisoformat(str(term["effectiveDate"])[:10])
        for dimension in term["priceDimensions"].values():
            if dimension["unit"] != _HOURLY_UNIT:
                raise Unreadable(f"on demand: unit: found {dimension['unit']!r}, expected {_HOURLY_UNIT!r}")
            if len(dimension["pricePerUnit"]) != 1:
                raise Unreadable(f"on demand: prices in {', '.join(dimension['pricePerUnit'])}, expected one currency")
            ((currency, amount),) = dimension["pricePerUnit"].items()
            draft.add(
                Term.ON_DEMAND,
                amount,
                currency,
                source="pricing:GetProducts",
                valid_from=since,
                note=str(dimension.get("description", "")),
            )


# --- reserved -------------------------------------------------------------------------------------------------------


class _Charge(PascalWire):
    amount: Decimal
    frequency: str


class _Reserved(PascalWire):
    instance_type: str
    duration: int
    fixed_price: Decimal
    offering_type: str
    currency_code: str
    recurring_charges: tuple[_Charge, ...] = ()

    @property
    def hourly(self) -> Decimal:
        """What each hour costs besides the upfront payment."""
        if any(charge.frequency != "Hourly" for charge in self.recurring_charges):
            raise Unreadable("reserved: a recurring charge is not hourly")
        return sum((charge.amount for charge in self.recurring_charges), Decimal(0))

    @property
    def total(self) -> Decimal:
        """What the whole term costs."""
        return self.fixed_price + self.hourly * self.duration / SECONDS_PER_HOUR

    @property
    def words(self) -> str:
        """How it is paid, for the note."""
        return f"{self.offering_type}: {self.fixed_price.normalize():f} upfront, {self.hourly.normalize():f} an hour"


def add_reserved(client: Client, drafts: Drafts) -> None:
    """Standard reserved instances of the region from `DescribeReservedInstancesOfferings`, no resold ones."""
    by_term: dict[tuple[str, Term], list[_Reserved]] = {}
    for names in _chunks(drafts):
        rows = pages(
            client.describe_reserved_instances_offerings,
            "ReservedInstancesOfferings",
            "NextToken",
            Filters=[{"Name": "instance-type", "Values": names}, {"Name": "scope", "Values": ["Region"]}],
            ProductDescription=LINUX,
            InstanceTenancy="default",
            OfferingClass="standard",
            IncludeMarketplace=False,
        )
        for raw in rows:
            offering = read_row(_Reserved, _decimals(raw))
            if offering.duration in _RESERVED:
                by_term.setdefault((offering.instance_type, _RESERVED[offering.duration]), []).append(offering)
    for (name, term), offerings in by_term.items():
        if name in drafts:
            _add_reserved(drafts[name], term, offerings)


def _add_reserved(draft: Draft, term: Term, offerings: list[_Reserved]) -> None:
    paid = [offering for offering in offerings if offering.total > 0]
    if not paid:
        draft.reject(f"{term.value}: found total 0, expected a positive price")
        return
    best, *others = sorted(paid, key=lambda offering: offering.total)
    fields: dict[str, Any] = {"note": "; ".join(offering.words for offering in (best, *others))}
    amount, unit = best.hourly, PriceUnit.HOUR
    if best.hourly == 0:
        amount, unit, fields["upfront_share"] = best.fixed_price, PriceUnit.TERM, Decimal(1)
    elif best.fixed_price > 0:
        fields["upfront_amount"] = best.fixed_price
    else:
        fields["upfront_share"] = Decimal(0)
    source = "ec2:DescribeReservedInstancesOfferings"
    draft.add(term, amount, best.currency_code, unit, source=source, **fields)


# --- savings plans --------------------------------------------------------------------------------------------------


def add_savings_plans(client: Client, region: str, drafts: Drafts) -> None:
    """Savings-plan rates from `DescribeSavingsPlansOfferingRates` (lower camel case on the wire)."""
    best: dict[tuple[str, Term], tuple[Decimal, dict[str, Any]]] = {}
    for names in _chunks(drafts):
        rows = pages(
            client.describe_savings_plans_offering_rates,
            "searchResults",
            "nextToken",
            savingsPlanTypes=["Compute", "EC2Instance"],
            products=["EC2"],
            serviceCodes=["AmazonEC2"],
            operations=["RunInstances"],
            filters=[
                {"name": "region", "values": [region]},
                {"name": "instanceType", "values": names},
                {"name": "productDescription", "values": [LINUX]},
                {"name": "tenancy", "values": ["shared"]},
            ],
        )
        for row in rows:
            _keep_cheapest(best, row, drafts)
    for (name, term), (rate, row) in best.items():
        plan = row["savingsPlanOffering"]
        drafts[name].add(
            term,
            rate,
            plan["currency"],
            source="savingsplans:DescribeSavingsPlansOfferingRates",
            upfront_share=_UPFRONT_SHARE.get(plan["paymentOption"]),
            note=f"{plan['planType']}, {plan['paymentOption']}: the lowest of its rates",
        )


def _keep_cheapest(
    best: dict[tuple[str, Term], tuple[Decimal, dict[str, Any]]], row: dict[str, Any], drafts: Drafts
) -> None:
    names = [entry["value"] for entry in row["properties"] if entry["name"] == "instanceType"]
    term = _SAVINGS.get(row["savingsPlanOffering"]["durationSeconds"])
    if term is None or not names or names[0] not in drafts:
        return
    draft = drafts[names[0]]
    if row["unit"] != _HOURLY_UNIT:
        draft.reject(f"{term.value}: unit: found {row['unit']!r}, expected {_HOURLY_UNIT!r}")
        return
    try:
        rate = parse_amount(row["rate"])
    except Unreadable as error:
        draft.reject(f"{term.value}: {error.reason}")
        return
    key = (names[0], term)
    if rate is not None and (key not in best or rate < best[key][0]):
        best[key] = (rate, row)


# --- spot -----------------------------------------------------------------------------------------------------------


def add_spot(client: Client, drafts: Drafts, currency: str, context: FetchContext, rates: Rates) -> None:
    """The lowest zone's current spot price; one at the cap or at the floor is marked, since it is no market price."""
    now = context.clock()
    zones: dict[str, dict[str, tuple[datetime, str]]] = {}
    for names in _chunks(drafts):
        rows = pages(
            client.describe_spot_price_history,
            "SpotPriceHistory",
            "NextToken",
            InstanceTypes=names,
            ProductDescriptions=[LINUX],
            StartTime=now,
            EndTime=now,
        )
        for row in rows:
            zone = row.get("AvailabilityZoneId") or row["AvailabilityZone"]
            known = zones.setdefault(row["InstanceType"], {})
            if zone not in known or known[zone][0] < row["Timestamp"]:
                known[zone] = (row["Timestamp"], row["SpotPrice"])
    for name, by_zone in zones.items():
        if name in drafts:
            prices = {zone: price for zone, (_, price) in by_zone.items()}
            rate = rates.get((drafts[name].region, name))
            add_lowest_zone(drafts[name], prices, currency, "ec2:DescribeSpotPriceHistory", dict.fromkeys(prices, rate))


# --- capacity blocks ------------------------------------------------------------------------------------------------


class _Block(PascalWire):
    instance_type: str
    instance_count: int
    start_date: datetime
    end_date: datetime
    upfront_fee: str
    currency_code: str

    @property
    def hours(self) -> Decimal:
        """Real hours: blocks end at 11:30 UTC, so they may be shorter than what was asked for."""
        return Decimal(int((self.end_date - self.start_date).total_seconds())) / SECONDS_PER_HOUR

    @property
    def days(self) -> int:
        """Whole days that it is counted as."""
        return ceil(self.hours / HOURS_PER_DAY)

    @property
    def fee(self) -> Decimal:
        """Fee for one instance and the whole block."""
        return (parse_amount(self.upfront_fee) or Decimal(0)) / self.instance_count


def add_capacity_blocks(client: Client, names: Iterable[str], drafts: Drafts, context: FetchContext) -> None:
    """Capacity blocks of a day, a week and two weeks that start within eight weeks."""
    start = context.clock()
    for name in names:
        blocks: list[_Block] = []
        for hours in _BLOCK_HOURS:
            rows = pages(
                client.describe_capacity_block_offerings,
                "CapacityBlockOfferings",
                "NextToken",
                InstanceType=name,
                InstanceCount=1,
                CapacityDurationHours=hours,
                StartDateRange=start,
                EndDateRange=start + timedelta(days=_BLOCK_HORIZON_DAYS),
            )
            blocks.extend(read_row(_Block, raw) for raw in rows)
        if blocks:
            _add_blocks(drafts[name], blocks)


def _add_blocks(draft: Draft, blocks: list[_Block]) -> None:
    """One row at the dearest day of the lengths that come in whole days; else the exact fee of the shortest block."""
    whole = [block for block in blocks if block.hours == block.days * HOURS_PER_DAY]
    used = whole or [min(blocks, key=lambda block: block.hours)]
    try:
        rates = {block.fee / block.days for block in used}
    except Unreadable as error:
        draft.reject(f"{Term.CAPACITY_BLOCK.value}: {error.reason}")
        return
    note = "; ".join(
        f"{block.hours.quantize(Decimal('0.01')).normalize():f} h from {block.start_date:%Y-%m-%d %H:%M} UTC "
        f"for {block.fee:f}"
        for block in used
    )
    draft.add(
        Term.CAPACITY_BLOCK,
        max(rates) if whole else used[0].fee,
        used[0].currency_code,
        PriceUnit.DAY if whole else PriceUnit.TERM,
        source="ec2:DescribeCapacityBlockOfferings",
        upfront_share=Decimal(1),
        block_lengths_days=tuple(sorted({block.days for block in used})),
        valid_from=min(block.start_date for block in used).date(),
        valid_to=max(block.start_date for block in used).date(),
        note=note,
    )


def _chunks(drafts: Drafts) -> Iterator[list[str]]:
    names = sorted(drafts)
    for start in range(0, len(names), _NAMES_A_CALL):
        yield names[start : start + _NAMES_A_CALL]


def _decimals(value: Any) -> Any:
    """botocore reads numbers as float; their shortest text is what AWS wrote."""
    if isinstance(value, float):
        return Decimal(str(value))
    if isinstance(value, dict):
        return {key: _decimals(part) for key, part in value.items()}
    return [_decimals(part) for part in value] if isinstance(value, list) else value
