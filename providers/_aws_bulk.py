"""AWS without an account: the public price list of a region, on demand and reserved.

Reference: https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/using-price-list-api.html, bulk files; columns
as read 2026-11-30. The list names no GPU model, so the instance family does (EC2 user guide, accelerated computing).
Spot, savings plans, capacity blocks and network cards need credentials.
"""

import csv
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from itertools import dropwhile
from typing import Any

from optimizer.domain.offer import PriceUnit, Rejected, Term
from optimizer.errors import SourceChanged
from providers._aws_hardware import documented_gbit_per_s
from providers._kit.contract import FetchContext, Outcome, Provider, Unreadable
from providers._kit.machines import build_machine
from providers._kit.prices import Draft, parse_amount
from providers._kit.reading import CamelWire, read_envelope

_ROOT = "https://pricing.us-east-1.amazonaws.com"
_INDEX = f"{_ROOT}/offers/v1.0/aws/AmazonEC2/current/region_index.json"
#: A region's list has hundreds of megabytes; others are read when asked for.
_REGIONS = ("us-east-1", "us-east-2", "us-west-2")
_HEADER_START = '"SKU"'
_WANTED = {
    "Operating System": "Linux",
    "Tenancy": "Shared",
    "Pre Installed S/W": "NA",
    "CapacityStatus": "Used",
    "MarketOption": "OnDemand",
    "License Model": "No License required",
}
_COLUMNS = {
    *_WANTED,
    *("SKU", "OfferTermCode", "TermType", "Unit", "PricePerUnit", "Currency", "EffectiveDate", "Instance Type"),
    *("LeaseContractLength", "PurchaseOption", "OfferingClass", "GPU", "vCPU", "Memory", "Network Performance"),
}
_FAMILY_GPUS = {
    "p3": "V100-SXM2-16GB",
    "p3dn": "V100-SXM2-32GB",
    "p4d": "A100-SXM4-40GB",
    "p4de": "A100-SXM4-80GB",
    "p5": "H100-SXM5-80GB",
    "p5e": "H200-SXM5-141GB",
    "p5en": "H200-SXM5-141GB",
    "p6-b200": "B200-SXM-180GB",
    "p6-b300": "B300-SXM-288GB",
    "g4dn": "T4",
    "g5": "A10G",
    "g6": "L4",
    "gr6": "L4",
    "g6e": "L40S",
    "g7e": "RTXPRO6000-SE",
}
_LEASES = {"1yr": Term.RESERVED_1Y, "3yr": Term.RESERVED_3Y}
_HOURS = {Term.RESERVED_1Y: 8_760, Term.RESERVED_3Y: 3 * 8_760}
_SOURCE = "pricing: public price list"

Row = dict[str, str]


class _Region(CamelWire):
    current_version_url: str


class _Index(CamelWire):
    regions: dict[str, _Region]


def fetch_public_list(context: FetchContext, provider: Provider) -> Iterator[Outcome]:
    """Every GPU type of the price lists of some regions."""
    index = read_envelope(_Index, context.http.get_json(_INDEX), "aws: price list index").regions
    for region in context.regions or _REGIONS:
        if region not in index:
            yield Rejected(provider="aws", row=region, reason="region left out: not in the public price list")
            continue
        url = _ROOT + index[region].current_version_url.replace("/index.json", "/index.csv")
        by_type: dict[str, list[Row]] = {}
        for row in _gpu_rows(context, url):
            by_type.setdefault(row["Instance Type"], []).append(row)
        if not by_type:
            raise SourceChanged(f"aws: the price list of {region} has no GPU rows")
        for name, rows in sorted(by_type.items()):
            yield from _outcomes(context, provider, region, name, rows)


def _gpu_rows(context: FetchContext, url: str) -> Iterator[Row]:
    lines = dropwhile(lambda line: not line.startswith(_HEADER_START), context.http.get_lines(url))
    reader = csv.DictReader(lines)
    missing = _COLUMNS - set(reader.fieldnames or ())
    if missing:
        raise SourceChanged(f"aws: price list: columns {', '.join(sorted(missing))} are missing")
    for row in reader:
        if row["GPU"] and all(row[name] == value for name, value in _WANTED.items()):
            yield {name: row[name] for name in _COLUMNS}


def _outcomes(context: FetchContext, provider: Provider, region: str, name: str, rows: list[Row]) -> Iterator[Outcome]:
    try:
        draft = Draft(provider, region, _machine(context, name, rows[0]), _SOURCE)
    except Unreadable as error:
        place = f"{name} {region}"
        yield Rejected(provider="aws", row=place, reason=error.reason, quarantined=error.quarantined)
        return
    for row in rows:
        if row["TermType"] == "OnDemand":
            since = date.fromisoformat(row["EffectiveDate"])
            _add_hourly(draft, row, since)
    for term in _HOURS:
        _add_reserved(draft, term, [row for row in rows if _LEASES.get(row["LeaseContractLength"]) is term])
    yield from draft.outcomes()


def _add_hourly(draft: Draft, row: Row, since: date) -> None:
    if row["Unit"] != "Hrs":
        draft.reject(f"on_demand: Unit: found {row['Unit']!r}, expected 'Hrs'")
        return
    draft.add(Term.ON_DEMAND, row["PricePerUnit"], row["Currency"], valid_from=since)


def _add_reserved(draft: Draft, term: Term, rows: list[Row]) -> None:
    """The standard offering with the lowest total: hourly and upfront rows share an offer code."""
    options: dict[str, dict[str, Decimal]] = {}
    for row in rows:
        if row["OfferingClass"] == "standard":
            option = options.setdefault(row["OfferTermCode"], {})
            option[row["Unit"]] = Decimal(row["PricePerUnit"])
    totals = {code: _total(option, term) for code, option in options.items()}
    paid = {code: total for code, total in totals.items() if total > 0}
    if not paid:
        return
    best = min(paid, key=lambda code: (paid[code], code))
    hourly, upfront = options[best].get("Hrs", Decimal(0)), options[best].get("Quantity", Decimal(0))
    fields: dict[str, Any] = {"note": f"{upfront.normalize():f} upfront, {hourly.normalize():f} an hour"}
    currency = rows[0]["Currency"]
    if hourly == 0:
        draft.add(term, upfront, currency, PriceUnit.TERM, upfront_share=1, **fields)
    else:
        payment = {"upfront_amount": upfront} if upfront else {"upfront_share": 0}
        draft.add(term, hourly, currency, **payment, **fields)


def _total(option: dict[str, Decimal], term: Term) -> Decimal:
    return option.get("Quantity", Decimal(0)) + option.get("Hrs", Decimal(0)) * _HOURS[term]


def _machine(context: FetchContext, name: str, row: Row) -> Any:
    family = name.partition(".")[0]
    model = _FAMILY_GPUS.get(family)
    if model is None:
        raise Unreadable(f"family {family} is not in our table: GPU model unknown", quarantined=True)
    count = parse_amount(row["GPU"]) or Decimal(0)
    if count != int(count):
        raise Unreadable(f"GPU: found {row['GPU']}, a share of a card whose memory the list does not tell")
    memory, _, unit = row["Memory"].partition(" ")
    if unit != "GiB":
        raise Unreadable(f"Memory: found {row['Memory']!r}, expected GiB")
    return build_machine(
        context,
        "aws",
        name,
        gpu_label=family,
        known_as=model,
        gpu_count=int(count),
        source=_SOURCE,
        vcpus=float(row["vCPU"]),
        ram_gib=float(memory.replace(",", "")),
        network_gbit_per_s=documented_gbit_per_s(row["Network Performance"]),
        facts={"gpu_model": "derived: instance family"},
    )
