"""RunPod pods: price per GPU-hour by GPU type, in its secure and its community cloud. No key needed for the catalog.

Reference: https://graphql-spec.runpod.io, field names as read 2026-11-30. Prices are filled for clouds on which a GPU
is not offered: a price counts only where its flag is true. Errors come with HTTP 200. The unit of the plan prices
(week to six months) is not stated: one at or below the hourly price is hourly, others are refused.
"""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from optimizer.domain.offer import Availability, Term
from optimizer.errors import SourceChanged
from providers._kit.contract import Billing, FetchContext, Outcome, Provider, Unreadable
from providers._kit.machines import build_machine
from providers._kit.prices import Draft, parse_amount
from providers._kit.reading import CamelWire, field_name, read_envelope, read_row, translate

_URL = "https://api.runpod.io/graphql"
_QUERY = """
query { gpuTypes {
  id displayName memoryInGb maxGpuCount maxGpuCountSecureCloud maxGpuCountCommunityCloud secureCloud communityCloud
  securePrice communityPrice secureSpotPrice communitySpotPrice
  oneWeekPrice oneMonthPrice threeMonthPrice sixMonthPrice
  lowestPrice(input: {gpuCount: 1}) { stockStatus }
} }
"""
_REGION = "global"
_GPU_COUNTS = (1, 2, 4, 8)
_PLANS = {
    Term.WEEK: "oneWeekPrice",
    Term.MONTH: "oneMonthPrice",
    Term.RESERVED_3M: "threeMonthPrice",
    Term.RESERVED_6M: "sixMonthPrice",
}


class _Lowest(CamelWire):
    stock_status: str | None = None


class _GpuType(CamelWire):
    id: str
    display_name: str
    memory_in_gb: float
    max_gpu_count: int | None = None
    max_gpu_count_secure_cloud: int | None = None
    max_gpu_count_community_cloud: int | None = None
    secure_cloud: bool
    community_cloud: bool
    secure_price: Any
    community_price: Any
    secure_spot_price: Any = None
    community_spot_price: Any = None
    lowest_price: _Lowest | None = None


class _Data(CamelWire):
    gpu_types: list[dict[str, Any]]


class _Answer(CamelWire):
    data: _Data


def fetch(context: FetchContext) -> Iterator[Outcome]:
    """Every GPU type in every cloud that offers it, in machines of 1, 2, 4 and 8 GPUs."""
    key = context.secrets.find("RUNPOD_API_KEY")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    raw = context.http.post_json(_URL, {"query": _QUERY}, headers=headers)
    if isinstance(raw, dict) and raw.get("errors"):
        raise SourceChanged(f"runpod: {str(raw['errors'])[:200]}")
    rows = read_envelope(_Answer, raw, "runpod: gpuTypes").data.gpu_types
    yield from translate("runpod", rows, field_name("id"), lambda row: _outcomes(context, row))


def _outcomes(context: FetchContext, raw: Any) -> Iterator[Outcome]:
    row = read_row(_GpuType, raw)
    plans = {term: raw.get(field) for term, field in _PLANS.items()}
    if not (row.secure_cloud or row.community_cloud):
        raise Unreadable("offered on neither cloud")
    if row.secure_cloud:
        most = row.max_gpu_count_secure_cloud or row.max_gpu_count or 1
        yield from _cloud(context, row, "secure", most, row.secure_price, row.secure_spot_price, plans)
    if row.community_cloud:
        most = row.max_gpu_count_community_cloud or row.max_gpu_count or 1
        yield from _cloud(context, row, "community", most, row.community_price, row.community_spot_price, {})


def _cloud(
    context: FetchContext, row: _GpuType, cloud: str, most_gpus: int, hourly: Any, spot: Any, plans: dict[Term, Any]
) -> Iterator[Outcome]:
    for gpu_count in (count for count in _GPU_COUNTS if count <= most_gpus):
        machine = build_machine(
            context,
            "runpod",
            f"{gpu_count}x_{row.display_name.replace(' ', '-')}_{cloud}",
            gpu_label=row.id,
            gpu_count=gpu_count,
            memory_gib=row.memory_in_gb,
            source=_URL,
        )
        draft = Draft(PROVIDER, _REGION, machine, _URL)
        draft.availability = _availability(row)
        for term, price in ((Term.ON_DEMAND, hourly), (Term.SPOT, spot)):
            draft.add(term, price, "USD", times=gpu_count)
        for term, price in plans.items():
            _add_plan(draft, term, price, hourly, gpu_count)
        yield from draft.outcomes()


def _add_plan(draft: Draft, term: Term, price: Any, hourly: Any, gpu_count: int) -> None:
    def hourly_amount(raw: Any) -> Decimal | None:
        amount, on_demand = parse_amount(raw), parse_amount(hourly)
        if amount is not None and (on_demand is None or amount > on_demand):
            raise Unreadable(f"found {amount}, above the hourly price {on_demand}: its unit is unknown")
        return amount

    note = "rate per GPU-hour; the API does not state the unit"
    draft.add(term, price, "USD", times=gpu_count, read=hourly_amount, note=note)


def _availability(row: _GpuType) -> Availability:
    told = row.lowest_price.stock_status if row.lowest_price else None
    return Availability.IN_STOCK if told else Availability.NONE


PROVIDER = Provider(
    name="runpod",
    title="RunPod",
    fetch=fetch,
    terms=frozenset({Term.ON_DEMAND, Term.SPOT, *_PLANS}),
    currencies=frozenset({"USD"}),
    needs_key=False,
    billing=Billing(1, "https://docs.runpod.io/accounts-billing/billing"),
    documentation="https://graphql-spec.runpod.io",
    credentials="RUNPOD_API_KEY (optional)",
    tells_stock=True,
    lacks="region of a price, vCPUs and memory per pod, network; the unit of plan prices",
)
