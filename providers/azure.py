"""Azure: every public price of its GPU sizes; with credentials also hardware, zones and restrictions per region.

Reference: https://learn.microsoft.com/en-us/rest/api/cost-management/retail-prices (no key), field names as read
2026-11-30; resource SKUs by `Microsoft.Compute/skus` 2021-07-01. A reservation's `retailPrice` is the total of its
term although its unit says "1 Hour". Linux and Windows rows differ in `productName` only. The API names no GPU: the
size name does.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any

from optimizer.domain.offer import Availability, PriceUnit, Term
from providers import _azure_sizes
from providers._azure_skus import Sku, read_skus
from providers._kit.contract import Billing, FetchContext, Outcome, Provider, Unreadable
from providers._kit.paging import Page, all_pages
from providers._kit.prices import Draft
from providers._kit.reading import CamelWire, read_envelope, read_row, translate

_URL = "https://prices.azure.com/api/retail/prices"
_VERSION = "2023-01-01-preview"
_GPU_SIZES = "contains(armSkuName, 'Standard_N')"
_RESERVATIONS = {"1 Year": Term.RESERVED_1Y, "3 Years": Term.RESERVED_3Y, "5 Years": Term.RESERVED_5Y}
_SAVINGS_PLANS = {"1 Year": Term.SAVINGS_PLAN_1Y, "3 Years": Term.SAVINGS_PLAN_3Y}
_OTHER_PRODUCTS = ("windows", "dedicated", "cloudservices", "cloud services")


class _SavingsPlan(CamelWire):
    retail_price: Any
    term: str


class _Item(CamelWire):
    currency_code: str
    tier_minimum_units: Decimal
    retail_price: Any
    arm_region_name: str
    arm_sku_name: str
    effective_start_date: datetime | None = None
    meter_name: str
    product_name: str
    sku_name: str
    unit_of_measure: str
    type: str
    is_primary_meter_region: bool = True
    reservation_term: str | None = None
    savings_plan: tuple[_SavingsPlan, ...] = ()


class _Answer(CamelWire):
    items: list[dict[str, Any]]
    next_page_link: str | None


def fetch(context: FetchContext) -> Iterator[Outcome]:
    """Every GPU size in every region that has a price, or in those asked for."""
    skus = read_skus(context)
    by_machine: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for kind in ("Consumption", "Reservation"):
        for raw in _items(context, kind):
            key = (str(raw.get("armRegionName")), str(raw.get("armSkuName")))
            if _azure_sizes.is_gpu_size(key[1]) and context.wants(key[0]):
                by_machine.setdefault(key, []).append(raw)
    yield from translate(
        "azure",
        sorted(by_machine.items()),
        lambda item: f"{item[0][1]} {item[0][0]}",
        lambda item: _outcomes(context, item[1], skus.get(item[0])),
    )


def _items(context: FetchContext, kind: str) -> Iterator[dict[str, Any]]:
    conditions = ["serviceName eq 'Virtual Machines'", f"priceType eq '{kind}'", _GPU_SIZES]
    if context.regions:
        regions = " or ".join(f"armRegionName eq '{region}'" for region in context.regions)
        conditions.append(f"({regions})")
    params = {"api-version": _VERSION, "$filter": " and ".join(conditions)}

    def page(url: str | None) -> Page:
        raw = context.http.get_json(url) if url else context.http.get_json(_URL, params=params)
        answer = read_envelope(_Answer, _lower_first(raw), f"azure: {kind} prices")
        return answer.items, answer.next_page_link

    return all_pages(page, context.limits, f"azure: {kind} prices")


def _lower_first(raw: Any) -> Any:
    """The envelope writes `Items`, its rows `retailPrice`; read both alike."""
    return {key[:1].lower() + key[1:]: value for key, value in raw.items()} if isinstance(raw, dict) else raw


def _outcomes(context: FetchContext, raw_items: list[Any], sku: Sku | None) -> Iterator[Outcome]:
    items = [read_row(_Item, raw) for raw in raw_items]
    usable = [item for item in items if _is_linux_machine(item)]
    if not usable:
        raise Unreadable("only rows of Windows, dedicated hosts, low priority or tests")
    machine = _azure_sizes.build(context, usable[0].arm_sku_name, sku, _URL)
    draft = Draft(PROVIDER, usable[0].arm_region_name, machine, _URL)
    if sku is not None:
        draft.availability = Availability.NONE if sku.restrictions else Availability.UNKNOWN
    for term, rows in _by_term(usable).items():
        if term is Term.SPOT and sku is not None and sku.says("LowPriorityCapable") == "False":
            draft.reject("spot: has a price, but the size is not LowPriorityCapable")
            continue
        _add(draft, term, rows)
    yield from draft.outcomes()


def _is_linux_machine(item: _Item) -> bool:
    product = item.product_name.lower()
    if item.type not in ("Consumption", "Reservation") or item.tier_minimum_units > 0:
        return False
    is_low_priority = "low priority" in f"{item.meter_name} {item.sku_name}".lower()
    return not is_low_priority and not any(word in product for word in _OTHER_PRODUCTS)


def _by_term(items: Iterable[_Item]) -> dict[Term, list[_Item]]:
    """Rows by term; of several meters of one size the primary one counts."""
    rows: dict[Term, list[_Item]] = {}
    for item in items:
        if (term := _term(item)) is not None:
            rows.setdefault(term, []).append(item)
    return {term: [row for row in group if row.is_primary_meter_region] or group for term, group in rows.items()}


def _term(item: _Item) -> Term | None:
    if item.type == "Reservation":
        return _RESERVATIONS.get(item.reservation_term or "")
    is_spot = "spot" in f"{item.meter_name} {item.sku_name}".lower().split()
    return Term.SPOT if is_spot else Term.ON_DEMAND


def _add(draft: Draft, term: Term, rows: list[_Item]) -> None:
    amounts = {row.retail_price for row in rows}
    if len(amounts) > 1:
        found = " and ".join(sorted(str(amount) for amount in amounts))
        draft.reject(f"{term.value}: two prices for one size: {found}")
        return
    row = rows[0]
    if row.unit_of_measure != "1 Hour":
        draft.reject(f"{term.value}: unitOfMeasure: found {row.unit_of_measure!r}, expected '1 Hour'")
        return
    is_total = row.type == "Reservation"
    _price(draft, term, row.retail_price, row, PriceUnit.TERM if is_total else PriceUnit.HOUR)
    if term is Term.ON_DEMAND:
        for plan in row.savings_plan:
            if plan.term in _SAVINGS_PLANS:
                _price(draft, _SAVINGS_PLANS[plan.term], plan.retail_price, row, PriceUnit.HOUR)


def _price(draft: Draft, term: Term, amount: Any, row: _Item, unit: PriceUnit) -> None:
    start = row.effective_start_date.date() if row.effective_start_date else None
    draft.add(term, amount, row.currency_code, unit, valid_from=start, tax_included=False, note=row.meter_name)


PROVIDER = Provider(
    name="azure",
    title="Microsoft Azure",
    fetch=fetch,
    terms=frozenset({Term.ON_DEMAND, Term.SPOT, *_RESERVATIONS.values(), *_SAVINGS_PLANS.values()}),
    currencies=frozenset({"USD"}),
    needs_key=False,
    billing=Billing(1, "https://learn.microsoft.com/en-us/answers/questions/2259765", 300),
    documentation="https://learn.microsoft.com/en-us/rest/api/cost-management/retail-prices/azure-retail-prices",
    credentials="AZURE_SUBSCRIPTION_ID with `az login` or AZURE_{TENANT_ID,CLIENT_ID,CLIENT_SECRET} (optional)",
    extra="azure",
    lacks="China and Government clouds; GPU model, links and network (by size name); stock",
)
