"""Tencent Cloud: one call per region and way to pay gives hardware, price and stock; a second one names the GPUs.

Reference: https://cloud.tencent.com/document/api/213 (CVM 2017-03-12), names as in tencentcloud-sdk-python-cvm 3.1.178.
`GpuCount` counts cards (below 1: a share of one), `Gpu` is 1 for shares too. Prepaid prices are totals. An hourly price
may fall after 96 and 360 hours; the first step is planned on, the others stand in its note.
"""

from collections.abc import Iterator
from typing import Any

from optimizer.domain.offer import Availability, Machine, PriceUnit, Term
from optimizer.errors import MissingCredentials
from providers._kit.contract import Billing, FetchContext, Outcome, Provider, Unreadable
from providers._kit.libraries import load_library
from providers._kit.machines import build_machine, positive
from providers._kit.prices import Draft, add_lowest_zone
from providers._kit.reading import PascalWire, read_envelope, read_row, translate
from providers._kit.sdk import Api, ApiError, Caller, read_regions

_SERVICE = ("cvm", "2017-03-12")
_REGIONS = ("ap-beijing", "ap-shanghai", "ap-guangzhou", "ap-nanjing", "ap-chengdu", "ap-chongqing", "ap-hongkong")
_HOURLY, _PREPAID, _SPOT = "POSTPAID_BY_HOUR", "PREPAID", "SPOTPAID"
_SOURCE = "cvm:DescribeZoneInstanceConfigInfos"
_INQUIRY = "cvm:InquiryPriceRunInstances"
#: Terms longer than a month: field of the list, and months to ask for when the list leaves it empty.
_LONG_TERMS = (
    (Term.YEAR, "discount_price_one_year", 12),
    (Term.RESERVED_3Y, "discount_price_three_year", 36),
    (Term.RESERVED_5Y, "discount_price_five_year", 60),
)


class _ItemPrice(PascalWire):
    unit_price: Any = None
    unit_price_discount: Any = None
    charge_unit: str | None = None
    unit_price_discount_second_step: Any = None
    unit_price_discount_third_step: Any = None
    original_price: Any = None
    discount_price: Any = None
    discount_price_one_year: Any = None
    discount_price_three_year: Any = None
    discount_price_five_year: Any = None


class _Quota(PascalWire):
    zone: str
    instance_type: str
    instance_charge_type: str
    cpu: int
    memory: float
    gpu_count: float
    cpu_type: str | None = None
    instance_bandwidth: float | None = None
    status: str
    price: _ItemPrice


class _Quotas(PascalWire):
    instance_type_quota_set: list[dict[str, Any]]


class _Config(PascalWire):
    instance_type: str
    gpu_type: str | None = None
    gpu_memory: float | None = None


class _Configs(PascalWire):
    instance_type_config_set: list[_Config]


class _Image(PascalWire):
    image_id: str


class _Images(PascalWire):
    image_set: list[_Image]


class _Prices(PascalWire):
    instance_price: _ItemPrice


class _Inquiry(PascalWire):
    price: _Prices


def fetch(context: FetchContext) -> Iterator[Outcome]:
    """Every GPU instance type of the regions asked for (default: mainland China and Hong Kong)."""
    api = Api(context, "tencent", _default_caller)
    rows, failed = read_regions("tencent", context.regions or _REGIONS, lambda region: _region_rows(api, region))
    yield from failed
    inquirer = _Inquirer(api)
    yield from translate(
        "tencent", rows, lambda row: f"{row[1]} {row[0]}", lambda row: _outcomes(context, inquirer, *row)
    )


def _region_rows(api: Api, region: str) -> Iterator[tuple[str, str, list[dict[str, Any]], _Config | None]]:
    """Each GPU type of a region with its rows of all zones and ways to pay."""
    by_type: dict[str, list[dict[str, Any]]] = {}
    for charge_type in (_HOURLY, _PREPAID, _SPOT):
        filters = [{"Name": "instance-charge-type", "Values": [charge_type]}]
        answer = api.call("cvm", region, "DescribeZoneInstanceConfigInfos", Filters=filters)
        for row in read_envelope(_Quotas, answer, "tencent: configs").instance_type_quota_set:
            if row.get("Gpu") or row.get("GpuCount"):
                by_type.setdefault(str(row.get("InstanceType")), []).append(row)
    answer = api.call("cvm", region, "DescribeInstanceTypeConfigs")
    configs = read_envelope(_Configs, answer, "tencent: instance types").instance_type_config_set
    by_name = {config.instance_type: config for config in configs}
    for name, rows in sorted(by_type.items()):
        yield region, name, rows, by_name.get(name)


def _outcomes(
    context: FetchContext, inquirer: "_Inquirer", region: str, _name: str, raw_rows: list[Any], config: _Config | None
) -> Iterator[Outcome]:
    rows = [read_row(_Quota, raw) for raw in raw_rows]
    if config is None or not config.gpu_type:
        raise Unreadable("DescribeInstanceTypeConfigs does not name its GPU", quarantined=True)
    draft = Draft(PROVIDER, region, _machine(context, rows[0], config), _SOURCE)
    on_sale = [row for row in rows if row.status == "SELL"]
    draft.availability = Availability.IN_STOCK if on_sale else Availability.NONE
    _add_hourly(draft, _first(rows, _HOURLY))
    _add_prepaid(draft, _first(rows, _PREPAID), inquirer)
    spot = {row.zone: _paid(row.price) for row in rows if row.instance_charge_type == _SPOT}
    add_lowest_zone(draft, spot, "CNY", _SOURCE)
    yield from draft.outcomes()


def _first(rows: list[_Quota], charge_type: str) -> _Quota | None:
    """A zone that sells the type this way, else any zone with a price."""
    of_type = [row for row in rows if row.instance_charge_type == charge_type]
    return next((row for row in of_type if row.status == "SELL"), of_type[0] if of_type else None)


def _paid(price: _ItemPrice) -> Any:
    """What the account pays an hour: the discounted price where it is told."""
    return price.unit_price if price.unit_price_discount is None else price.unit_price_discount


def _add_hourly(draft: Draft, row: _Quota | None) -> None:
    if row is None:
        return
    price = row.price
    if price.charge_unit != "HOUR":
        draft.reject(f"on_demand: ChargeUnit: found {price.charge_unit!r}, expected 'HOUR'")
        return
    steps = (("96 h", price.unit_price_discount_second_step), ("360 h", price.unit_price_discount_third_step))
    note = "; ".join(f"{amount} an hour after {hours}" for hours, amount in steps if amount)
    draft.add(Term.ON_DEMAND, _paid(price), "CNY", note=note)


def _add_prepaid(draft: Draft, row: _Quota | None, inquirer: "_Inquirer") -> None:
    if row is None:
        return
    price = row.price
    month = price.original_price if price.discount_price is None else price.discount_price
    draft.add(Term.MONTH, month, "CNY", PriceUnit.MONTH, upfront_share=1)
    for term, field, months in _LONG_TERMS:
        listed = getattr(price, field)
        if listed is not None:
            draft.add(term, listed, "CNY", PriceUnit.TERM, upfront_share=1)
        elif row.status == "SELL" and draft.price(Term.MONTH):
            inquirer.add(draft, term, months, row)


class _Inquirer:
    """Asks for prices of terms that the list leaves empty; not every type is sold for them."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._images: dict[str, str] = {}

    def add(self, draft: Draft, term: Term, months: int, row: _Quota) -> None:
        """Add the total for `months` to the draft, or the reason why there is none."""
        try:
            answer = self._api.call(
                "cvm",
                draft.region,
                "InquiryPriceRunInstances",
                Placement={"Zone": row.zone},
                ImageId=self._image(draft.region),
                InstanceType=row.instance_type,
                InstanceChargeType=_PREPAID,
                InstanceChargePrepaid={"Period": months, "RenewFlag": "NOTIFY_AND_MANUAL_RENEW"},
                InstanceCount=1,
            )
        except ApiError as error:
            draft.reject(f"{term.value}: not told: {error.api_code}")
            return
        price = read_envelope(_Inquiry, answer, "tencent: inquiry").price.instance_price
        note = f"inquired for {months} months; holds the default system disk"
        draft.add(term, price.discount_price, "CNY", PriceUnit.TERM, upfront_share=1, source=_INQUIRY, note=note)

    def _image(self, region: str) -> str:
        """Some public Linux image: an inquiry must name one, the price does not depend on it."""
        if region not in self._images:
            filters = [{"Name": "image-type", "Values": ["PUBLIC_IMAGE"]}, {"Name": "platform", "Values": ["Ubuntu"]}]
            answer = self._api.call("cvm", region, "DescribeImages", Filters=filters, Limit=1)
            images = read_envelope(_Images, answer, "tencent: images").image_set
            if not images:
                raise ApiError("tencent", "DescribeImages", "no public Ubuntu image")
            self._images[region] = images[0].image_id
        return self._images[region]


def _machine(context: FetchContext, row: _Quota, config: _Config) -> Machine:
    count = row.gpu_count
    fraction = count if 0 < count < 1 else None
    if fraction is None and count != int(count):
        raise Unreadable(f"GpuCount: found {count}, expected a whole number or a share of one card")
    memory_gib = config.gpu_memory
    if fraction and memory_gib and not _is_share(context, config, fraction):
        memory_gib *= fraction
    return build_machine(
        context,
        "tencent",
        row.instance_type,
        gpu_label=config.gpu_type or "",
        gpu_count=1 if fraction else int(count),
        gpu_fraction=fraction,
        memory_gib=memory_gib,
        source=_SOURCE,
        cpu=row.cpu_type or None,
        vcpus=positive(row.cpu),
        ram_gib=positive(row.memory),
        network_gbit_per_s=positive(row.instance_bandwidth),
    )


def _is_share(context: FetchContext, config: _Config, fraction: float) -> bool:
    """Whether `GpuMemory` of a shared card is the share's (else the whole card's): only one of them names a GPU."""
    whole = (config.gpu_memory or 0) / fraction
    return context.find_gpu(config.gpu_type or "", whole, "tencent") is not None


def _default_caller(context: FetchContext) -> Caller:
    common = load_library("tencentcloud.common.common_client", "tencent", "tencent")
    credentials = load_library("tencentcloud.common.credential", "tencent", "tencent")
    profiles = load_library("tencentcloud.common.profile.client_profile", "tencent", "tencent")
    failure = load_library("tencentcloud.common.exception.tencent_cloud_sdk_exception", "tencent", "tencent")
    try:
        credential = credentials.DefaultCredentialProvider().get_credential()
    except failure.TencentCloudSDKException:
        raise MissingCredentials(f"tencent: no credentials in {PROVIDER.credentials}; provider skipped") from None
    context.secrets.hide(credential.secret_id)
    context.secrets.hide(credential.secret_key)
    profile = profiles.ClientProfile()
    profile.httpProfile.reqTimeout = int(context.limits.read_seconds)

    def call(service: str, region: str, action: str, parameters: Any) -> dict[str, Any]:
        client = common.CommonClient(service, _SERVICE[1], credential, region, profile)
        try:
            answer: dict[str, Any] = client.call_json(action, dict(parameters))["Response"]
        except failure.TencentCloudSDKException as error:
            raise ApiError("tencent", action, str(error.get_code())) from None
        return answer

    return call


PROVIDER = Provider(
    name="tencent",
    title="Tencent Cloud",
    fetch=fetch,
    terms=frozenset({Term.ON_DEMAND, Term.SPOT, Term.MONTH, *(term for term, _, _ in _LONG_TERMS)}),
    currencies=frozenset({"CNY"}),
    needs_key=True,
    billing=Billing(1, "https://www.tencentcloud.com/document/product/213/2176"),
    documentation="https://cloud.tencent.com/document/api/213",
    credentials="TENCENTCLOUD_SECRET_ID and TENCENTCLOUD_SECRET_KEY or ~/.tencentcloud/credentials",
    extra="tencent",
    tells_stock=True,
    lacks="spot history; RDMA clusters (HCCPN) are hidden from most accounts; links and local disks",
)
