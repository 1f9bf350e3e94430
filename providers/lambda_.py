"""Lambda Cloud: one call tells hardware, hourly price (cents, whole instance) and where there is stock.

Reference: https://docs.lambda.ai/api/cloud, field names as read 2026-11-30. One price for all regions. Form factor and
memory stand only in the text, for example "H100 (80 GB SXM5)".
"""

import re
from collections.abc import Iterator
from typing import Any

from optimizer.domain.offer import Availability, Term
from optimizer.domain.units import gib_to_gb
from providers._kit.contract import Billing, FetchContext, Outcome, Provider
from providers._kit.machines import build_machine, positive
from providers._kit.prices import Draft, from_cents
from providers._kit.reading import Wire, read_envelope, read_row, translate
from providers._kit.secrets import entry

_URL = "https://cloud.lambda.ai/api/v1/instance-types"
_KEY_FILE = (".lambda_cloud/lambda_keys", entry("api_key"))
_MEMORY = re.compile(r"\((\d+) GB\b")
_REGION = "global"


class _Specs(Wire):
    vcpus: int
    memory_gib: float
    storage_gib: float
    gpus: int


class _InstanceType(Wire):
    name: str
    gpu_description: str
    price_cents_per_hour: Any
    specs: _Specs


class _Region(Wire):
    name: str


class _Entry(Wire):
    instance_type: _InstanceType
    regions_with_capacity_available: list[_Region]


class _Answer(Wire):
    data: dict[str, dict[str, Any]]


def fetch(context: FetchContext) -> Iterator[Outcome]:
    """Every GPU instance type."""
    key = context.secrets.need("lambda", "LAMBDA_API_KEY", files=[_KEY_FILE])
    answer = context.http.get_json(_URL, headers={"Authorization": f"Bearer {key}"})
    entries = read_envelope(_Answer, answer, "lambda: instance types").data
    yield from translate("lambda", entries.items(), lambda item: item[0], lambda item: _outcomes(context, item[1]))


def _outcomes(context: FetchContext, raw: Any) -> Iterator[Outcome]:
    row = read_row(_Entry, raw)
    kind = row.instance_type
    if not kind.specs.gpus:
        return
    regions = [region.name for region in row.regions_with_capacity_available]
    memory = _MEMORY.search(kind.gpu_description)
    machine = build_machine(
        context,
        "lambda",
        kind.name,
        gpu_label=kind.gpu_description,
        gpu_count=kind.specs.gpus,
        memory_gib=float(memory.group(1)) if memory else None,
        source=_URL,
        vcpus=positive(kind.specs.vcpus),
        ram_gib=positive(kind.specs.memory_gib),
        local_nvme_gb=gib_to_gb(kind.specs.storage_gib),
        note=f"capacity in {', '.join(regions)}" if regions else "no capacity in any region",
    )
    draft = Draft(PROVIDER, _REGION, machine, _URL)
    draft.availability = Availability.IN_STOCK if regions else Availability.NONE
    draft.add(Term.ON_DEMAND, kind.price_cents_per_hour, "USD", read=from_cents)
    yield from draft.outcomes()


PROVIDER = Provider(
    name="lambda",
    title="Lambda Cloud",
    fetch=fetch,
    terms=frozenset({Term.ON_DEMAND}),
    currencies=frozenset({"USD"}),
    needs_key=True,
    billing=Billing(60, "https://lambda.ai/instances"),
    documentation="https://docs.lambda.ai/api/cloud",
    credentials="LAMBDA_API_KEY or ~/.lambda_cloud/lambda_keys",
    tells_stock=True,
    lacks="reserved clusters (by sales), network, RDMA",
)
