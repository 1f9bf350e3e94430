"""Huawei Cloud ECS: GPU and NPU flavors with their zones; prices by hour, month and year from the rating service.

Reference: https://support.huaweicloud.com/api-ecs and https://support.huaweicloud.com/api-oce, names as in
huaweicloudsdkecs and huaweicloudsdkbss 3.1.219. `amount` is after this account's discount. Period prices are totals.
Stock comes from the policies of sale, else from the flavor: the entry of a zone in `cond:operation:az` goes before the
flavor's status. Spot has no price call.
"""

import json
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from typing import Any

from pydantic import Field

from optimizer.domain.offer import Availability, Machine, PriceUnit, Term
from optimizer.domain.units import mib_to_gib
from optimizer.errors import MissingCredentials
from providers._kit.contract import FetchContext, Outcome, Provider, Unreadable
from providers._kit.libraries import load_library
from providers._kit.machines import build_machine, positive
from providers._kit.paging import Page, all_pages
from providers._kit.prices import Draft
from providers._kit.reading import Wire, read_envelope, read_row, translate
from providers._kit.sdk import Api, ApiError, Caller, read_regions
from providers._kit.secrets import entry

_REGION = "cn-north-4"
_FILE = ".huaweicloud/credentials"
_PAGE = 1000
_BY_THE_HOUR = "postPaid"
_BATCH = 50
_MBIT_PER_GBIT = 1000
_YUAN, _HOUR_MEASURE = 1, 4
_MONTH_PERIOD, _YEAR_PERIOD = 2, 3
_GPU_KEYS = ("info:gpus", "info:asic_accelerators", "pci_passthrough:alias", "pci_passthrough:gpu_specs")
_ZONE = re.compile(r"([\w-]+)\((\w+)\)")
#: Term to (period type, number of periods, what the total buys).
_PERIODS: dict[Term, tuple[int, int, PriceUnit]] = {
    Term.MONTH: (_MONTH_PERIOD, 1, PriceUnit.MONTH),
    Term.YEAR: (_YEAR_PERIOD, 1, PriceUnit.TERM),
    Term.RESERVED_2Y: (_YEAR_PERIOD, 2, PriceUnit.TERM),
    Term.RESERVED_3Y: (_YEAR_PERIOD, 3, PriceUnit.TERM),
}


class _Flavor(Wire):
    id: str
    vcpus: int
    ram: float
    os_extra_specs: dict[str, Any]


class _Flavors(Wire):
    flavors: list[dict[str, Any]]


class _Policy(Wire):
    id: int
    flavor_id: str
    sell_status: str
    sell_mode: str


class _Policies(Wire):
    sell_policies: list[_Policy]


class _Gpu(Wire):
    name: str
    memory_mb: float | None = None
    count: int


class _Rated(Wire):
    id: str
    amount: Any = None
    official_website_amount: Any = None


class _OnDemand(Wire):
    measure_id: int
    currency: str | None = None
    product_rating_results: list[_Rated]


class _Official(Wire):
    measure_id: int
    product_rating_results: list[_Rated]


class _Discounted(Wire):
    best_offer: int | None = None
    product_rating_results: list[_Rated] = Field(default_factory=list)


class _Period(Wire):
    official_website_rating_result: _Official
    optional_discount_rating_results: list[_Discounted] = Field(default_factory=list)
    currency: str | None = None


#: Flavor id to (amount, currency) or the reason why there is none.
_Amounts = dict[str, tuple[Any, str] | str]


def fetch(context: FetchContext) -> Iterator[Outcome]:
    """Every GPU and NPU flavor that some zone of the region sells."""
    api = Api(context, "huawei", _default_caller)
    own = context.secrets.plain("HUAWEICLOUD_SDK_REGION", _REGION) or _REGION
    rows, failed = read_regions("huawei", context.regions or (own,), lambda region: _region_rows(api, region, context))
    yield from failed
    yield from translate(
        "huawei", rows, lambda row: f"{row[1].get('id')} {row[0]}", lambda row: _outcomes(context, *row)
    )


def _region_rows(
    api: Api, region: str, context: FetchContext
) -> Iterator[tuple[str, dict[str, Any], dict[Term, _Amounts], Availability | None]]:
    flavors = [row for row in _flavors(api, region, context) if _has_gpu(row)]
    names = [str(row.get("id")) for row in flavors]
    amounts = {Term.ON_DEMAND: _rate_all(names, partial(_on_demand, api, region, context))}
    for term, (kind, number, _) in _PERIODS.items():
        amounts[term] = _rate_all(names, partial(_period, api, region, context, kind, number))
    stock = _stock(api, region, context)
    return ((region, row, amounts, stock.get(str(row.get("id")))) for row in flavors)


def _stock(api: Api, region: str, context: FetchContext) -> dict[str, Availability]:
    """Flavors with a policy for sale by the hour: in stock where any zone has them. Empty where it may not be asked."""

    def page(marker: str | None) -> Page:
        asked: dict[str, Any] = {"sell_mode": _BY_THE_HOUR, "limit": _PAGE} | ({"marker": marker} if marker else {})
        raw = api.call("ecs", region, "ListFlavorSellPolicies", **asked)
        rows = read_envelope(_Policies, raw, "huawei: sell policies").sell_policies
        return [row.model_dump() for row in rows], str(rows[-1].id) if len(rows) == _PAGE else None

    stock: dict[str, Availability] = {}
    try:
        for row in all_pages(page, context.limits, "huawei: sell policies"):
            if row["sell_mode"] == _BY_THE_HOUR and stock.get(row["flavor_id"]) is not Availability.IN_STOCK:
                has = row["sell_status"] == "available"
                stock[row["flavor_id"]] = Availability.IN_STOCK if has else Availability.NONE
    except (ApiError, MissingCredentials) as error:
        context.logger.warning("huawei: %s: sell policies not told (%s)", region, error)
    return stock


def _flavors(api: Api, region: str, context: FetchContext) -> Iterator[dict[str, Any]]:
    def page(marker: str | None) -> Page:
        asked: dict[str, Any] = {"limit": _PAGE} | ({"marker": marker} if marker else {})
        answer = read_envelope(_Flavors, api.call("ecs", region, "ListFlavors", **asked), "huawei: flavors")
        rows = answer.flavors
        return rows, str(rows[-1].get("id")) if len(rows) == _PAGE else None

    return all_pages(page, context.limits, "huawei: flavors")


def _has_gpu(row: dict[str, Any]) -> bool:
    specs = row.get("os_extra_specs") or {}
    return any(specs.get(key) for key in _GPU_KEYS)


def _rate_all(names: list[str], rate: Callable[[list[str]], _Amounts]) -> _Amounts:
    """Rate in batches; a batch that the API refuses is halved until the flavor that it refuses stands alone."""
    amounts: _Amounts = {}
    waiting = [names[start : start + _BATCH] for start in range(0, len(names), _BATCH)]
    while waiting:
        batch = waiting.pop()
        try:
            amounts.update(rate(batch))
        except ApiError as error:
            if len(batch) == 1:
                amounts[batch[0]] = f"not sold ({error.api_code})"
            else:
                half = len(batch) // 2
                waiting += [batch[:half], batch[half:]]
    return amounts


def _on_demand(api: Api, region: str, context: FetchContext, names: list[str]) -> _Amounts:
    products = [
        {**_product(name, region), "usage_factor": "Duration", "usage_value": 1, "usage_measure_id": _HOUR_MEASURE}
        for name in names
    ]
    body = {"project_id": _project(context), "inquiry_precision": 1, "product_infos": products}
    answer = read_envelope(
        _OnDemand, api.call("bss", region, "ListOnDemandResourceRatings", **body), "huawei: hourly rating"
    )
    currency = _currency(answer.measure_id, answer.currency)
    return {_name(rated): (rated.amount, currency) for rated in answer.product_rating_results}


def _period(api: Api, region: str, context: FetchContext, kind: int, number: int, names: list[str]) -> _Amounts:
    products = [{**_product(name, region), "period_type": kind, "period_num": number} for name in names]
    body = {"project_id": _project(context), "product_infos": products}
    answer = read_envelope(_Period, api.call("bss", region, "ListRateOnPeriodDetail", **body), "huawei: period rating")
    official = answer.official_website_rating_result
    currency = _currency(official.measure_id, answer.currency)
    amounts: _Amounts = {
        _name(rated): (rated.official_website_amount, currency) for rated in official.product_rating_results
    }
    for discount in answer.optional_discount_rating_results:
        if discount.best_offer:
            amounts |= {_name(rated): (rated.amount, currency) for rated in discount.product_rating_results}
    return amounts


def _product(name: str, region: str) -> dict[str, Any]:
    return {
        "id": f"{name}|{region}",
        "cloud_service_type": "hws.service.type.ec2",
        "resource_type": "hws.resource.type.vm",
        "resource_spec": f"{name}.linux",
        "region": region,
        "subscription_num": 1,
    }


def _name(rated: _Rated) -> str:
    return rated.id.partition("|")[0]


def _project(context: FetchContext) -> str:
    return context.secrets.plain("HUAWEICLOUD_SDK_PROJECT_ID") or ""


def _currency(measure_id: int, currency: str | None) -> str:
    """An empty currency is yuan on the Chinese site; any measure but whole yuan is refused by the price check."""
    return (currency or "CNY") if measure_id == _YUAN else f"measure {measure_id}"


def _outcomes(
    context: FetchContext, region: str, raw: Any, amounts: dict[Term, _Amounts], stock: Availability | None
) -> Iterator[Outcome]:
    flavor = read_row(_Flavor, raw)
    availability = _availability(flavor.os_extra_specs)
    if availability is None:
        raise Unreadable("given up (status abandon) in every zone")
    draft = Draft(PROVIDER, region, _machine(context, flavor), "bss:ListOnDemandResourceRatings")
    draft.availability = stock or availability
    for term, by_name in amounts.items():
        told = by_name.get(flavor.id)
        if told is None or isinstance(told, str):
            draft.reject(f"{term.value}: {told or 'no answer for this flavor'}")
            continue
        unit = _PERIODS[term][2] if term in _PERIODS else PriceUnit.HOUR
        fields: dict[str, Any] = {"upfront_share": Decimal(1), "source": "bss:ListRateOnPeriodDetail"}
        draft.add(term, told[0], told[1], unit, **(fields if term in _PERIODS else {}))
    yield from draft.outcomes()


def _availability(specs: dict[str, Any]) -> Availability | None:
    """Stock by the zones, else by the flavor's status; `None` when it is sold nowhere."""
    zones = dict(_ZONE.findall(str(specs.get("cond:operation:az") or "")))
    states = set(zones.values()) or {str(specs.get("cond:operation:status") or "normal")}
    if states & {"normal", "promotion", "obt"}:
        return Availability.IN_STOCK
    return Availability.NONE if "sellout" in states else None


def _machine(context: FetchContext, flavor: _Flavor) -> Machine:
    specs = flavor.os_extra_specs
    gpu = _gpu(specs)
    rate_mbit = str(specs.get("quota:max_rate") or "")
    return build_machine(
        context,
        "huawei",
        flavor.id,
        gpu_label=gpu.name,
        gpu_count=gpu.count,
        memory_gib=mib_to_gib(gpu.memory_mb) if gpu.memory_mb else None,
        source="ecs:ListFlavors",
        vcpus=positive(flavor.vcpus),
        ram_gib=positive(mib_to_gib(flavor.ram)),
        network_gbit_per_s=int(rate_mbit) / _MBIT_PER_GBIT if rate_mbit.isdigit() else None,
        bare_metal=True if flavor.id.startswith("physical.") else None,
    )


def _gpu(specs: dict[str, Any]) -> _Gpu:
    """The accelerator of a flavor, from its description as JSON or text, else from the PCI alias."""
    if "virt" in str(specs.get("pci_passthrough:gpu_specs") or ""):
        raise Unreadable("a share of a virtualized GPU: its size is not told", quarantined=True)
    for key in ("info:gpus", "info:asic_accelerators"):
        told = specs.get(key)
        rows = json.loads(told) if isinstance(told, str) and told.startswith("[") else told
        if isinstance(rows, list) and len(rows) == 1:
            return read_row(_Gpu, rows[0])
    alias, _, count = str(specs.get("pci_passthrough:alias") or "").rpartition(":")
    if not alias or not count.isdigit():
        raise Unreadable("no readable entry names its GPU", quarantined=True)
    return _Gpu(name=alias, count=int(count))


def _default_caller(context: FetchContext) -> Caller:
    ecs = load_library("huaweicloudsdkecs.v2", "huawei", "huawei")
    bss = load_library("huaweicloudsdkbss.v2", "huawei", "huawei")
    auth = load_library("huaweicloudsdkcore.auth.credentials", "huawei", "huawei")
    errors = load_library("huaweicloudsdkcore.exceptions.exceptions", "huawei", "huawei")
    http = load_library("huaweicloudsdkcore.http.http_config", "huawei", "huawei")
    access = context.secrets.need("huawei", "HUAWEICLOUD_SDK_AK", files=[(_FILE, entry("ak"))])
    secret = context.secrets.need("huawei", "HUAWEICLOUD_SDK_SK", files=[(_FILE, entry("sk"))])
    config = http.HttpConfig(timeout=(context.limits.connect_seconds, context.limits.read_seconds))

    def client(service: str, region: str) -> Any:
        if service == "bss":
            credentials = auth.GlobalCredentials(access, secret, context.secrets.plain("HUAWEICLOUD_SDK_DOMAIN_ID"))
            builder, endpoint = bss.BssClient.new_builder(), "https://bss.myhuaweicloud.com"
        else:
            credentials = auth.BasicCredentials(access, secret, _project(context) or None)
            builder, endpoint = ecs.EcsClient.new_builder(), f"https://ecs.{region}.myhuaweicloud.com"
        return builder.with_http_config(config).with_credentials(credentials).with_endpoint(endpoint).build()

    def call(service: str, region: str, action: str, parameters: Any) -> dict[str, Any]:
        try:
            method, request = _request(ecs if service == "ecs" else bss, action, dict(parameters))
            answer = getattr(client(service, region), method)(request)
        except errors.ServiceResponseException as error:
            raise ApiError("huawei", action, str(error.error_code)) from None
        except errors.SdkException as error:
            raise ApiError("huawei", action, type(error).__name__) from None
        result: dict[str, Any] = json.loads(answer.raw_content, parse_float=Decimal)
        return result

    return call


def _request(models: Any, action: str, parameters: dict[str, Any]) -> tuple[str, Any]:
    """The client's method and its request object for one of the four actions that we use."""
    if action == "ListFlavors":
        return "list_flavors", models.ListFlavorsRequest(**parameters)
    if action == "ListFlavorSellPolicies":
        return "list_flavor_sell_policies", models.ListFlavorSellPoliciesRequest(**parameters)
    if action == "ListOnDemandResourceRatings":
        products = [models.DemandProductInfo(**product) for product in parameters.pop("product_infos")]
        body = models.RateOnDemandReq(product_infos=products, **parameters)
        return "list_on_demand_resource_ratings", models.ListOnDemandResourceRatingsRequest(body=body)
    products = [models.PeriodProductInfo(**product) for product in parameters.pop("product_infos")]
    body = models.RateOnPeriodReq(product_infos=products, **parameters)
    return "list_rate_on_period_detail", models.ListRateOnPeriodDetailRequest(body=body)


PROVIDER = Provider(
    name="huawei",
    title="Huawei Cloud",
    fetch=fetch,
    terms=frozenset({Term.ON_DEMAND, *_PERIODS}),
    currencies=frozenset({"CNY"}),
    needs_key=True,
    documentation="https://support.huaweicloud.com/api-ecs/ecs_02_0002.html",
    credentials="HUAWEICLOUD_SDK_AK, HUAWEICLOUD_SDK_SK, HUAWEICLOUD_SDK_PROJECT_ID, HUAWEICLOUD_SDK_REGION",
    extra="huawei",
    tells_stock=True,
    lacks="spot prices; links and local disks; ModelArts (Ascend) is another product",
)
