"""Alibaba Cloud ECS: GPU types, what each region has in stock, and one price call for each length of rent.

Reference: https://help.aliyun.com/zh/ecs/developer-reference (ECS 2014-05-26), names as in alibabacloud-ecs20140526
7.11.8. A price covers the whole period and the default system disk: only the `instanceType` line of its details is the
machine. GPU names are masked for some types ("GPU H", "G49"): those are kept for review and never given a model.
"""

import re
from collections.abc import Iterator
from typing import Any

from pydantic import Field

from optimizer.domain.offer import Availability, Machine, PriceUnit, Rdma, Term
from optimizer.domain.units import gib_to_gb
from optimizer.errors import MissingCredentials
from providers._kit.contract import FetchContext, Outcome, Provider, Unreadable
from providers._kit.libraries import load_library
from providers._kit.machines import build_machine, positive
from providers._kit.paging import Page, all_pages
from providers._kit.prices import Draft, add_lowest_zone, interruptions_per_hour
from providers._kit.reading import PascalWire, read_envelope, read_row, translate
from providers._kit.sdk import Api, ApiError, Caller, read_regions

_VERSION = "2014-05-26"
_REGIONS = ("cn-beijing", "cn-hangzhou", "cn-shanghai", "cn-shenzhen", "cn-wulanchabu", "cn-zhangjiakou")
_SOURCE = "ecs:DescribePrice"
_SPOT_SOURCE = "ecs:DescribeSpotPriceHistory"
_KBIT_PER_GBIT = 1024 * 1000
_SHARE = re.compile(r"^(?P<name>.+?)\s*\*\s*1/(?P<parts>\d+)$")
_VGPU_FAMILIES = ("ecs.vgn", "ecs.sgn")
#: The default system disk, then the kind that newer types need.
_DISKS = ("", "cloud_essd")
_WRONG_DISK = "InvalidSystemDiskCategory.ValueNotSupported"
_NOT_SOLD = "InvalidInstanceType.ValueNotSupported"
#: Term to the length asked for and what the answer's total buys.
_PERIODS: dict[Term, tuple[str, int, PriceUnit]] = {
    Term.ON_DEMAND: ("Hour", 1, PriceUnit.HOUR),
    Term.WEEK: ("Week", 1, PriceUnit.WEEK),
    Term.MONTH: ("Month", 1, PriceUnit.MONTH),
    Term.RESERVED_3M: ("Month", 3, PriceUnit.TERM),
    Term.RESERVED_6M: ("Month", 6, PriceUnit.TERM),
    Term.YEAR: ("Year", 1, PriceUnit.TERM),
    Term.RESERVED_2Y: ("Year", 2, PriceUnit.TERM),
    Term.RESERVED_3Y: ("Year", 3, PriceUnit.TERM),
    Term.RESERVED_5Y: ("Year", 5, PriceUnit.TERM),
}


class _InstanceType(PascalWire):
    instance_type_id: str
    cpu_core_count: int
    physical_processor_model: str | None = None
    memory_size: float
    gpu_amount: int = Field(alias="GPUAmount")
    gpu_spec: str = Field(alias="GPUSpec")
    gpu_memory_size: float | None = Field(default=None, alias="GPUMemorySize")
    instance_bandwidth_rx: float | None = None
    local_storage_amount: int | None = None
    local_storage_capacity: float | None = None
    eri_quantity: int | None = None


class _TypeList(PascalWire):
    rows: list[dict[str, Any]] = Field(alias="InstanceType")


class _Types(PascalWire):
    instance_types: _TypeList
    next_token: str | None = None


class _Detail(PascalWire):
    resource: str
    original_price: Any
    trade_price: Any


class _Details(PascalWire):
    detail_info: list[_Detail]


class _Price(PascalWire):
    currency: str
    detail_infos: _Details


class _PriceInfo(PascalWire):
    price: _Price


class _PriceAnswer(PascalWire):
    price_info: _PriceInfo


class _Supported(PascalWire):
    value: str
    status_category: str | None = None


class _SupportedList(PascalWire):
    supported_resource: list[_Supported] = Field(default_factory=list)


class _Resource(PascalWire):
    supported_resources: _SupportedList


class _ResourceList(PascalWire):
    available_resource: list[_Resource] = Field(default_factory=list)


class _Zone(PascalWire):
    available_resources: _ResourceList


class _ZoneList(PascalWire):
    available_zone: list[_Zone] = Field(default_factory=list)


class _Stock(PascalWire):
    available_zones: _ZoneList


class _SpotPrice(PascalWire):
    zone_id: str
    spot_price: Any
    timestamp: str


class _SpotPrices(PascalWire):
    spot_price_type: list[_SpotPrice]


class _SpotHistory(PascalWire):
    currency: str
    next_offset: int
    spot_prices: _SpotPrices


class _Advice(PascalWire):
    instance_type: str
    interruption_rate: float


class _AdviceList(PascalWire):
    available_spot_resource: list[_Advice] = Field(default_factory=list)


class _AdvisedZone(PascalWire):
    zone_id: str
    available_spot_resources: _AdviceList


class _AdvisedZones(PascalWire):
    available_spot_zone: list[_AdvisedZone] = Field(default_factory=list)


class _SpotAdvice(PascalWire):
    available_spot_zones: _AdvisedZones


def fetch(context: FetchContext) -> Iterator[Outcome]:
    """Every GPU type that a region sells, with all rents; default regions are those of mainland China with GPUs."""
    api = Api(context, "alibaba", _default_caller)
    regions = context.regions or _REGIONS
    types = {str(row.get("InstanceTypeId")): row for row in _types(api, regions[0], context)}

    def read(region: str) -> Iterator[tuple[str, str, Availability]]:
        stock = _stock(api, region)
        return ((region, name, stock[name]) for name in sorted(types) if name in stock)

    rows, failed = read_regions("alibaba", regions, read)
    yield from failed
    yield from translate(
        "alibaba",
        rows,
        lambda row: f"{row[1]} {row[0]}",
        lambda row: _outcomes(context, api, row[0], types[row[1]], row[2]),
    )


def _types(api: Api, region: str, context: FetchContext) -> Iterator[dict[str, Any]]:
    """All GPU types; the answer is alike in every region and comes in pages of 100."""

    def page(token: str | None) -> Page:
        further: dict[str, Any] = {"NextToken": token} if token else {}
        raw = api.call("ecs", region, "DescribeInstanceTypes", MinimumGPUAmount=1, MaxResults=100, **further)
        answer = read_envelope(_Types, raw, "alibaba: instance types")
        return answer.instance_types.rows, answer.next_token

    return all_pages(page, context.limits, "alibaba: instance types")


def _stock(api: Api, region: str) -> dict[str, Availability]:
    """Types that the region knows, in stock where any zone has them."""
    answer = api.call(
        "ecs",
        region,
        "DescribeAvailableResource",
        RegionId=region,
        DestinationResource="InstanceType",
        ResourceType="instance",
        InstanceChargeType="PostPaid",
    )
    stock: dict[str, Availability] = {}
    for zone in read_envelope(_Stock, answer, "alibaba: stock").available_zones.available_zone:
        for resource in zone.available_resources.available_resource:
            for row in resource.supported_resources.supported_resource:
                has = row.status_category in ("WithStock", "ClosedWithStock")
                if has or row.value not in stock:
                    stock[row.value] = Availability.IN_STOCK if has else Availability.NONE
    return stock


def _outcomes(context: FetchContext, api: Api, region: str, raw: Any, availability: Availability) -> Iterator[Outcome]:
    row = read_row(_InstanceType, raw)
    draft = Draft(PROVIDER, region, _machine(context, row), _SOURCE)
    draft.availability = availability
    for term, (unit_name, count, unit) in _PERIODS.items():
        try:
            price = _price(api, region, row.instance_type_id, unit_name, count)
        except ApiError as error:
            draft.reject(f"{term.value}: not sold ({error.api_code})")
            continue
        _add(draft, term, price, unit)
    _add_spot(draft, api, row.instance_type_id)
    yield from draft.outcomes()


def _price(api: Api, region: str, name: str, unit_name: str, count: int) -> _Price:
    """The price of one period; newer types refuse the default disk and are asked for again with another."""
    for disk in _DISKS:
        asked: dict[str, Any] = {"SystemDisk.Category": disk} if disk else {}
        try:
            answer = api.call(
                "ecs",
                region,
                "DescribePrice",
                RegionId=region,
                ResourceType="instance",
                InstanceType=name,
                PriceUnit=unit_name,
                Period=count,
                **asked,
            )
        except ApiError as error:
            if error.api_code != _WRONG_DISK or disk == _DISKS[-1]:
                raise
            continue
        return read_envelope(_PriceAnswer, answer, "alibaba: price").price_info.price
    raise ApiError("alibaba", "DescribePrice", _NOT_SOLD)


def _add(draft: Draft, term: Term, price: _Price, unit: PriceUnit) -> None:
    details = [detail for detail in price.detail_infos.detail_info if detail.resource == "instanceType"]
    if len(details) != 1:
        draft.reject(f"{term.value}: found {len(details)} 'instanceType' lines in the price's details, expected one")
        return
    detail = details[0]
    fields: dict[str, Any] = {} if unit is PriceUnit.HOUR else {"upfront_share": 1}
    draft.add(term, detail.trade_price, price.currency, unit, note=f"list price {detail.original_price}", **fields)


def _add_spot(draft: Draft, api: Api, name: str) -> None:
    """The newest price of every zone within the last three hours (the call's default)."""
    newest: dict[str, _SpotPrice] = {}
    offset, currency = 0, ""
    while True:
        try:
            answer = api.call(
                "ecs",
                draft.region,
                "DescribeSpotPriceHistory",
                RegionId=draft.region,
                NetworkType="vpc",
                InstanceType=name,
                Offset=offset,
            )
        except ApiError as error:
            draft.reject(f"spot: not told ({error.api_code})")
            return
        history = read_envelope(_SpotHistory, answer, "alibaba: spot")
        currency = history.currency
        for row in history.spot_prices.spot_price_type:
            if row.zone_id not in newest or newest[row.zone_id].timestamp < row.timestamp:
                newest[row.zone_id] = row
        if history.next_offset <= offset:
            break
        offset = history.next_offset
    prices = {zone: row.spot_price for zone, row in newest.items()}
    add_lowest_zone(draft, prices, currency, _SPOT_SOURCE, _interruptions(draft, api, name) if prices else None)


def _interruptions(draft: Draft, api: Api, name: str) -> dict[str, float | None]:
    """Interruptions per hour by zone: the call gives the percent of machines released within the last 30 days."""
    asked: dict[str, Any] = {"RegionId": draft.region, "InstanceTypes.1": name}
    try:
        answer = api.call("ecs", draft.region, "DescribeSpotAdvice", **asked)
    except (ApiError, MissingCredentials) as error:
        draft.reject(f"interruptions of spot: not told ({error})")
        return {}
    zones = read_envelope(_SpotAdvice, answer, "alibaba: spot advice").available_spot_zones.available_spot_zone
    return {
        zone.zone_id: interruptions_per_hour(row.interruption_rate)
        for zone in zones
        for row in zone.available_spot_resources.available_spot_resource
        if row.instance_type == name
    }


def _machine(context: FetchContext, row: _InstanceType) -> Machine:
    label, fraction = _label_and_share(context, row)
    bandwidth = row.instance_bandwidth_rx
    disks_gib = (row.local_storage_amount or 0) * (row.local_storage_capacity or 0)
    return build_machine(
        context,
        "alibaba",
        row.instance_type_id,
        gpu_label=label,
        gpu_count=1 if fraction else row.gpu_amount,
        gpu_fraction=fraction,
        memory_gib=row.gpu_memory_size or None,
        source="ecs:DescribeInstanceTypes",
        cpu=row.physical_processor_model or None,
        vcpus=positive(row.cpu_core_count),
        ram_gib=positive(row.memory_size),
        network_gbit_per_s=bandwidth / _KBIT_PER_GBIT if bandwidth else None,
        local_nvme_gb=gib_to_gb(disks_gib) if row.local_storage_amount is not None else None,
        rdma=Rdma.ERDMA if row.eri_quantity else None,
        bare_metal=True if row.instance_type_id.startswith(("ecs.ebm", "ecs.scc")) else None,
    )


def _label_and_share(context: FetchContext, row: _InstanceType) -> tuple[str, float | None]:
    """The GPU's name, and the share of a card that a vGPU type is: written as `*1/8`, or told by its memory."""
    written = _SHARE.match(row.gpu_spec)
    if written:
        return written["name"], 1 / int(written["parts"])
    if row.instance_type_id.startswith(_VGPU_FAMILIES) and row.gpu_memory_size:
        card = context.find_gpu(row.gpu_spec, None, "alibaba")
        if card is None:
            raise Unreadable(f"vGPU of {row.gpu_spec!r}: memory of the whole card unknown", quarantined=True)
        share = row.gpu_memory_size / card.memory_gib
        return row.gpu_spec, share if share < 1 else None
    return row.gpu_spec, None


def _default_caller(context: FetchContext) -> Caller:
    openapi = load_library("alibabacloud_tea_openapi.client", "alibaba", "alibaba")
    models = load_library("alibabacloud_tea_openapi.utils_models", "alibaba", "alibaba")
    credentials = load_library("alibabacloud_credentials.client", "alibaba", "alibaba")
    errors = load_library("darabonba.exceptions", "alibaba", "alibaba")
    missing = load_library("alibabacloud_credentials.exceptions", "alibaba", "alibaba")
    runtime = load_library("darabonba.runtime", "alibaba", "alibaba")
    options = runtime.RuntimeOptions(
        connect_timeout=int(context.limits.connect_seconds * 1000), read_timeout=int(context.limits.read_seconds * 1000)
    )

    def call(service: str, region: str, action: str, parameters: Any) -> dict[str, Any]:
        host = "ecs-cn-hangzhou.aliyuncs.com" if region == "cn-hangzhou" else f"{service}.{region}.aliyuncs.com"
        try:
            config = models.Config(credential=credentials.Client(), endpoint=host, region_id=region)
            request = models.OpenApiRequest(query={key: str(value) for key, value in parameters.items()})
            params = models.Params(
                action=action,
                version=_VERSION,
                protocol="HTTPS",
                pathname="/",
                method="POST",
                auth_type="AK",
                style="RPC",
                req_body_type="formData",
                body_type="json",
            )
            answer: dict[str, Any] = openapi.Client(config).call_api(params, request, options)["body"]
        except missing.CredentialException:
            raise MissingCredentials(f"alibaba: no credentials in {PROVIDER.credentials}; provider skipped") from None
        except (errors.DaraException, errors.UnretryableException) as error:
            code = str(getattr(error, "code", None) or type(error).__name__)
            raise ApiError("alibaba", action, code) from None
        return answer

    return call


PROVIDER = Provider(
    name="alibaba",
    title="Alibaba Cloud",
    fetch=fetch,
    terms=frozenset({*_PERIODS, Term.SPOT}),
    currencies=frozenset({"CNY", "USD"}),
    needs_key=True,
    documentation="https://help.aliyun.com/zh/ecs/developer-reference/api-ecs-2014-05-26-overview",
    credentials="ALIBABA_CLOUD_ACCESS_KEY_ID and ALIBABA_CLOUD_ACCESS_KEY_SECRET or ~/.alibabacloud/credentials.ini",
    extra="alibaba",
    tells_stock=True,
    tells_interruptions=True,
    lacks="true GPU name of masked types; links; RDMA of bare metal; regions outside mainland China unless asked for",
)
