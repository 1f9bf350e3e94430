"""Nebius: platforms and presets by project, an estimate for each, and the public list of spot prices.

Reference: https://docs.nebius.com/compute and the SDK `nebius` 0.6.29 (gRPC; here as ProtoJSON with proto names).
An estimate is for the whole instance and names no currency: Nebius lists in USD. Spot prices say their unit.
`billing.v1alpha1` may change.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from pydantic import Field

from optimizer.domain.offer import Machine, Rdma, Term
from optimizer.errors import MissingCredentials, SourceChanged
from providers._kit.contract import FetchContext, Outcome, Provider
from providers._kit.libraries import load_library
from providers._kit.machines import build_machine, positive
from providers._kit.paging import Page, all_pages
from providers._kit.prices import Draft
from providers._kit.reading import Wire, read_envelope, read_row, translate
from providers._kit.sdk import Api, ApiError, Caller

_PAGE = 999
_ESTIMATE, _SPOT = "billing:Calculator.Estimate", "billing:SpotPrice.List"
_PER_GPU_HOUR = re.compile(r"^gpu\s*[*·x/ ]\s*h(?:our)?$", re.IGNORECASE)


class _Metadata(Wire):
    id: str = ""
    name: str = ""


class _Place(Wire):
    region: str


class _Project(Wire):
    metadata: _Metadata
    spec: _Place


class _Resources(Wire):
    vcpu_count: int
    memory_gibibytes: float
    gpu_count: int = 0


class _Preset(Wire):
    name: str
    resources: _Resources
    allow_gpu_clustering: bool = False  # ProtoJSON leaves false out


class _PlatformSpec(Wire):
    presets: list[_Preset]
    gpu_memory_gigabytes: float = 0
    gpu_memory_gibibytes: float = 0  # deprecated by Nebius


class _Platform(Wire):
    metadata: _Metadata
    spec: _PlatformSpec


class _List(Wire):
    items: list[dict[str, Any]] = Field(default_factory=list)
    next_page_token: str | None = None


class _Cost(Wire):
    cost: str


class _Total(Wire):
    total: _Cost


class _General(Wire):
    general: _Total


class _Estimate(Wire):
    hourly_cost: _General


class _SpotPlatform(Wire):
    platform: str


class _SpotAmount(Wire):
    value: str
    currency: str
    unit_title: str


class _SpotPrice(Wire):
    region: str
    compute_instance: _SpotPlatform
    price: _SpotAmount


def fetch(context: FetchContext) -> Iterator[Outcome]:
    """Every GPU preset of every region in which the account has a project."""
    api = Api(context, "nebius", _default_caller)
    spot = _spot_prices(api, context)
    rows = [
        (project, platform, preset)
        for project in _projects(api, context)
        if context.wants(project.spec.region)
        for platform in _platforms(api, project, context)
        for preset in platform.spec.presets
        if preset.resources.gpu_count
    ]
    yield from translate(
        "nebius",
        rows,
        lambda row: f"{row[1].metadata.name}_{row[2].name} {row[0].spec.region}",
        lambda row: _outcomes(context, api, row, spot),
    )


def _list(api: Api, context: FetchContext, action: str, **asked: Any) -> list[dict[str, Any]]:
    def page(token: str | None) -> Page:
        raw = api.call("nebius", "", action, page_size=_PAGE, **asked, **({"page_token": token} if token else {}))
        answer = read_envelope(_List, raw, f"nebius: {action}")
        return answer.items, answer.next_page_token

    return list(all_pages(page, context.limits, f"nebius: {action}"))


def _projects(api: Api, context: FetchContext) -> Iterator[_Project]:
    for tenant in _list(api, context, "ListTenants"):
        tenant_id = read_envelope(_Metadata, tenant.get("metadata"), "nebius: tenant").id
        for raw in _list(api, context, "ListProjects", parent_id=tenant_id):
            yield read_envelope(_Project, raw, "nebius: project")


def _platforms(api: Api, project: _Project, context: FetchContext) -> Iterator[_Platform]:
    for raw in _list(api, context, "ListPlatforms", parent_id=project.metadata.id):
        yield read_envelope(_Platform, raw, "nebius: platform")


def _spot_prices(api: Api, context: FetchContext) -> dict[tuple[str, str], _SpotAmount]:
    """(region, platform) to the current price; a platform listed twice with different prices fails the source."""
    prices: dict[tuple[str, str], _SpotAmount] = {}
    for raw in _list(api, context, "ListSpotPrices"):
        row = read_row(_SpotPrice, raw)
        key = (row.region, row.compute_instance.platform)
        if prices.setdefault(key, row.price) != row.price:
            raise SourceChanged(f"nebius: two spot prices for {key[1]} in {key[0]}")
    return prices


def _outcomes(
    context: FetchContext,
    api: Api,
    row: tuple[_Project, _Platform, _Preset],
    spot: dict[tuple[str, str], _SpotAmount],
) -> Iterator[Outcome]:
    project, platform, preset = row
    region, name = project.spec.region, platform.metadata.name
    draft = Draft(PROVIDER, region, _machine(context, platform, preset), _ESTIMATE)
    try:
        raw = api.call("nebius", "", "Estimate", parent_id=project.metadata.id, platform=name, preset=preset.name)
        total = read_envelope(_Estimate, raw, "nebius: estimate").hourly_cost.general.total
        draft.add(Term.ON_DEMAND, total.cost, "USD", note="estimate; the answer names no currency")
    except ApiError as error:
        draft.reject(f"on_demand: not told ({error.api_code})")
    amount = spot.get((region, name))
    if amount is not None:
        _add_spot(draft, amount, preset.resources.gpu_count)
    yield from draft.outcomes()


def _add_spot(draft: Draft, amount: _SpotAmount, gpu_count: int) -> None:
    if not _PER_GPU_HOUR.match(amount.unit_title):
        draft.reject(f"spot: unit_title: found {amount.unit_title!r}, expected GPU*hour")
        return
    draft.add(Term.SPOT, amount.value, amount.currency, times=Decimal(gpu_count), source=_SPOT, note=amount.unit_title)


def _machine(context: FetchContext, platform: _Platform, preset: _Preset) -> Machine:
    return build_machine(
        context,
        "nebius",
        f"{platform.metadata.name}_{preset.name}",
        gpu_label=platform.metadata.name,
        gpu_count=preset.resources.gpu_count,
        memory_gib=platform.spec.gpu_memory_gigabytes or platform.spec.gpu_memory_gibibytes or None,
        source="compute:Platform.List",
        vcpus=positive(preset.resources.vcpu_count),
        ram_gib=positive(preset.resources.memory_gibibytes),
        rdma=Rdma.INFINIBAND if preset.allow_gpu_clustering else Rdma.NONE,
    )


def _default_caller(context: FetchContext) -> Caller:
    sdk_module = load_library("nebius.sdk", "nebius", "nebius")
    iam = load_library("nebius.api.nebius.iam.v2", "nebius", "nebius")  # v1 ends on 2026-12-16
    compute = load_library("nebius.api.nebius.compute.v1", "nebius", "nebius")
    billing = load_library("nebius.api.nebius.billing.v1alpha1", "nebius", "nebius")
    errors = load_library("nebius.base.error", "nebius", "nebius")
    to_dict = load_library("nebius.base.protos.json_format", "nebius", "nebius").message_to_dict
    if not context.secrets.find("NEBIUS_IAM_TOKEN") and not context.secrets.has_file(".nebius/config.yaml"):
        raise MissingCredentials(f"nebius: no credentials in {PROVIDER.credentials}; provider skipped")
    sdk = sdk_module.SDK()
    spot, calculator = billing.SpotPriceServiceClient(sdk), billing.CalculatorServiceClient(sdk)
    tenants, projects = iam.TenantServiceClient(sdk), iam.ProjectServiceClient(sdk)
    platforms, seconds = compute.PlatformServiceClient(sdk), context.limits.read_seconds
    calls = {
        "ListTenants": lambda asked: tenants.list(iam.ListTenantsRequest(**asked), timeout=seconds),
        "ListProjects": lambda asked: projects.list(iam.ListProjectsRequest(**asked), timeout=seconds),
        "ListPlatforms": lambda asked: platforms.list(compute.ListPlatformsRequest(**asked), timeout=seconds),
        "ListSpotPrices": lambda asked: spot.list(billing.ListSpotPricesRequest(**asked), timeout=seconds),
        "Estimate": lambda asked: calculator.estimate(_estimate(compute, billing, asked), timeout=seconds),
    }

    def call(_service: str, _region: str, action: str, parameters: Any) -> dict[str, Any]:
        try:
            message = calls[action](dict(parameters)).wait()
        except errors.SDKError as error:
            raise ApiError("nebius", action, type(error).__name__) from None
        answer: dict[str, Any] = to_dict(message, preserving_proto_field_name=True)
        return answer

    return call


def _estimate(compute: Any, billing: Any, asked: dict[str, Any]) -> Any:
    metadata = load_library("nebius.api.nebius.common.v1", "nebius", "nebius").ResourceMetadata
    resources = compute.ResourcesSpec(platform=asked["platform"], preset=asked["preset"])
    instance = compute.CreateInstanceRequest(
        metadata=metadata(parent_id=asked["parent_id"]), spec=compute.InstanceSpec(resources=resources)
    )
    return billing.EstimateRequest(resource_spec=billing.ResourceSpec(compute_instance_spec=instance))


PROVIDER = Provider(
    name="nebius",
    title="Nebius",
    fetch=fetch,
    terms=frozenset({Term.ON_DEMAND, Term.SPOT}),
    currencies=frozenset({"USD"}),
    needs_key=True,
    documentation="https://docs.nebius.com/compute",
    credentials="NEBIUS_IAM_TOKEN or ~/.nebius/config.yaml",
    extra="nebius",
    lacks="commitment prices (by contract), stock, InfiniBand fabrics, local disks",
)
