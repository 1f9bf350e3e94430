"""Volcengine: the machine-learning platform's one call with hardware, RDMA and prices by hour, day and month.

Reference: https://www.volcengine.com/docs/6459 (ml_platform 2024-07-01 `ListInstanceTypes`), names as in
volcengine-python-sdk 5.0.54. Prices are for the instance, in yuan; the API names no currency. The hourly price of a
reservation plan has no stated length, so it is told in a note and is no term.
"""

import re
from collections.abc import Iterator
from typing import Any

from pydantic import Field
from urllib3.exceptions import HTTPError

from optimizer.domain.offer import Availability, Machine, PriceUnit, Rdma, Term
from optimizer.domain.units import mib_to_gib
from optimizer.errors import MissingCredentials
from providers._kit.contract import FetchContext, Outcome, Provider, Unreadable
from providers._kit.libraries import load_library
from providers._kit.machines import build_machine, positive
from providers._kit.prices import Draft
from providers._kit.reading import PascalWire, field_name, read_envelope, read_row, translate
from providers._kit.sdk import Api, ApiError, Caller, read_regions

_REGIONS = ("cn-beijing", "cn-shanghai", "cn-guangzhou")
_SOURCE = "ml_platform:ListInstanceTypes"
_MBIT_PER_GBIT = 1000
_CODE = re.compile(r"""Code["']?: *["']([\w.]+)""")
_PRICES = (
    (Term.ON_DEMAND, "price_by_hour", PriceUnit.HOUR),
    (Term.DAY, "price_by_day", PriceUnit.DAY),
    (Term.MONTH, "price_by_month", PriceUnit.MONTH),
)


class _Zone(PascalWire):
    support_status: str | None = None


class _InstanceType(PascalWire):
    id: str
    cpu: float
    memory_mi_b: float
    gpu_type: str
    gpu_count: int
    gpu_memory_mi_b: float
    usable_gpu_memory_mi_b: float | None = Field(default=None, alias="AvailableGPUMemoryMiB")
    rdma_eni_count: int | None = None
    rdma_eni_maximum_bandwidth_mbps: float | None = None
    eni_maximum_bandwidth_mbps: float | None = None
    nvme_ssd_count: int | None = None
    price_by_hour: Any = None
    price_by_day: Any = None
    price_by_month: Any = None
    reservation_plan_price_by_hour: Any = None
    zone_info: tuple[_Zone, ...] = ()


class _Items(PascalWire):
    items: list[dict[str, Any]]


def fetch(context: FetchContext) -> Iterator[Outcome]:
    """Every GPU instance type of the machine-learning platform in each region."""
    api = Api(context, "volcengine", _default_caller)

    def read(region: str) -> Iterator[tuple[str, dict[str, Any]]]:
        answer = api.call("ml_platform", region, "ListInstanceTypes")
        items = read_envelope(_Items, answer, "volcengine: instance types").items
        return ((region, row) for row in items if row.get("GpuCount"))

    rows, failed = read_regions("volcengine", context.regions or _REGIONS, read)
    yield from failed
    name = field_name("Id")
    yield from translate(
        "volcengine", rows, lambda row: f"{name(row[1])} {row[0]}", lambda row: _outcomes(context, *row)
    )


def _outcomes(context: FetchContext, region: str, raw: Any) -> Iterator[Outcome]:
    row = read_row(_InstanceType, raw)
    draft = Draft(PROVIDER, region, _machine(context, row), _SOURCE)
    draft.availability = _availability(row)
    plan = row.reservation_plan_price_by_hour
    note = f"reservation plan {plan} an hour, length not stated" if plan else ""
    for term, field, unit in _PRICES:
        draft.add(term, getattr(row, field), "CNY", unit, note=note if term is Term.ON_DEMAND else "")
    yield from draft.outcomes()


def _availability(row: _InstanceType) -> Availability:
    """Stock is told by zone in words; an empty word says nothing."""
    words = {zone.support_status.lower() for zone in row.zone_info if zone.support_status}
    if not words:
        return Availability.UNKNOWN
    return Availability.IN_STOCK if words & {"available", "supported", "normal"} else Availability.NONE


def _machine(context: FetchContext, row: _InstanceType) -> Machine:
    if row.gpu_count < 1:
        raise Unreadable(f"GpuCount: found {row.gpu_count}, expected at least 1")
    rdma_mbit = (row.rdma_eni_count or 0) * (row.rdma_eni_maximum_bandwidth_mbps or 0)
    network_mbit = rdma_mbit or row.eni_maximum_bandwidth_mbps
    return build_machine(
        context,
        "volcengine",
        row.id,
        gpu_label=row.gpu_type,
        gpu_count=row.gpu_count,
        memory_gib=mib_to_gib(row.gpu_memory_mi_b),
        source=_SOURCE,
        vcpus=positive(row.cpu),
        ram_gib=positive(mib_to_gib(row.memory_mi_b)),
        network_gbit_per_s=network_mbit / _MBIT_PER_GBIT if network_mbit else None,
        rdma=_rdma(row),
        local_nvme_gb=0.0 if row.nvme_ssd_count == 0 else None,
    )


def _rdma(row: _InstanceType) -> Rdma | None:
    """The call counts RDMA interfaces but does not name their kind."""
    if row.rdma_eni_count is None:
        return None
    return Rdma.UNSPECIFIED if row.rdma_eni_count else Rdma.NONE


def _default_caller(context: FetchContext) -> Caller:
    core = load_library("volcenginesdkcore", "volcengine", "volcengine")
    universal = load_library("volcenginesdkcore.universal", "volcengine", "volcengine")
    rest = load_library("volcenginesdkcore.rest", "volcengine", "volcengine")
    chain = load_library("volcenginesdkcore.auth.providers.default_provider", "volcengine", "volcengine")
    provider = chain.DefaultCredentialProvider()

    def call(service: str, region: str, action: str, parameters: Any) -> dict[str, Any]:
        configuration = core.Configuration()
        configuration.region = region
        configuration.credential_provider = provider
        configuration.connect_timeout = context.limits.connect_seconds
        configuration.read_timeout = context.limits.read_seconds
        info = universal.UniversalInfo(
            method="POST", service=service, version="2024-07-01", action=action, content_type="application/json"
        )
        try:
            answer: dict[str, Any] = universal.UniversalApi(core.ApiClient(configuration)).do_call(
                info, dict(parameters)
            )
        except rest.ApiException as error:
            code = _CODE.search(str(error.reason))
            raise ApiError("volcengine", action, code.group(1) if code else f"HTTP {error.status}") from None
        except HTTPError as error:
            raise ApiError("volcengine", action, type(error).__name__) from None
        except (RuntimeError, ValueError):
            raise MissingCredentials(f"volcengine: no credentials in {PROVIDER.credentials}") from None
        return answer

    return call


PROVIDER = Provider(
    name="volcengine",
    title="Volcengine (ML platform)",
    fetch=fetch,
    terms=frozenset(term for term, _, _ in _PRICES),
    currencies=frozenset({"CNY"}),
    needs_key=True,
    documentation="https://www.volcengine.com/docs/6459",
    credentials="VOLCENGINE_ACCESS_KEY and VOLCENGINE_SECRET_KEY or ~/.volcengine/config.json",
    extra="volcengine",
    tells_stock=True,
    lacks="yearly prices; the kind of RDMA; size of local disks; ECS prices (billing needs codes that no call lists)",
)
