"""Crusoe: hardware and free capacity. It has no price API: give its prices in quotes.csv.

Reference: https://docs.crusoecloud.com/api, field names as read 2026-11-30. Requests are signed with HMAC-SHA256.
"""

import base64
import hashlib
import hmac
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from optimizer.domain.offer import Availability, Machine, Offer, Rdma
from optimizer.domain.units import gb_to_gib
from providers._kit.contract import FetchContext, Outcome, Provider
from providers._kit.machines import build_machine, positive
from providers._kit.reading import Wire, field_name, read_envelope, read_row, translate
from providers._kit.secrets import entry

_HOST = "https://api.crusoecloud.com"
_ROOT = "/v1alpha5"
_FILE = ".crusoe/config"
_NOWHERE = "global"


class _Type(Wire):
    product_name: str
    gpu_type: str
    num_gpu: int
    cpu_cores: float
    memory_gb: float
    disk_gb: float


class _Capacity(Wire):
    type: str
    location: str
    quantity: int


class _Items(Wire):
    items: list[dict[str, Any]]


def fetch(context: FetchContext) -> Iterator[Outcome]:
    """Every GPU machine type in each place with a capacity entry, without prices."""
    project = context.secrets.need("crusoe", "CRUSOE_PROJECT_ID", files=[(_FILE, entry("default_project"))])
    types = _items(context, f"/projects/{project}/compute/vms/types")
    free = _capacities(_items(context, "/capacities"))
    rows = [row for row in types if row.get("num_gpu") != 0]
    yield from translate("crusoe", rows, field_name("product_name"), lambda row: _outcomes(context, row, free))


def _items(context: FetchContext, path: str) -> list[dict[str, Any]]:
    headers = _signed_headers(context, path, {})
    raw = context.http.get_json(f"{_HOST}{_ROOT}{path}", headers=headers)
    return read_envelope(_Items, raw, f"crusoe: {path.rpartition('/')[2]}").items


def _signed_headers(context: FetchContext, path: str, query: dict[str, str]) -> dict[str, str]:
    """Signature over path, sorted query, method and time stamp, each on its line."""
    access = context.secrets.need("crusoe", "CRUSOE_ACCESS_KEY", files=[(_FILE, entry("access_key_id"))])
    secret = context.secrets.need("crusoe", "CRUSOE_SECRET_KEY", files=[(_FILE, entry("secret_key"))])
    stamp = context.clock().isoformat(timespec="seconds")
    message = f"{_ROOT}{path}\n{urlencode(sorted(query.items()))}\nGET\n{stamp}\n"
    key = base64.urlsafe_b64decode(secret + "=" * (-len(secret) % 4))
    digest = hmac.new(key, message.encode(), hashlib.sha256).digest()
    signature = base64.urlsafe_b64encode(digest).decode().rstrip("=")
    return {"Authorization": f"Bearer 1.0:{access}:{signature}", "X-Crusoe-Timestamp": stamp}


def _capacities(rows: list[dict[str, Any]]) -> dict[str, dict[str, int]]:
    """Type to location to free machines; the API repeats entries, the largest counts."""
    free: dict[str, dict[str, int]] = {}
    for raw in rows:
        row = read_envelope(_Capacity, raw, "crusoe: capacities")
        places = free.setdefault(row.type, {})
        places[row.location] = max(row.quantity, places.get(row.location, 0))
    return free


def _outcomes(context: FetchContext, raw: Any, free: dict[str, dict[str, int]]) -> Iterator[Outcome]:
    row = read_row(_Type, raw)
    machine = _machine(context, row)
    for region, quantity in sorted(free.get(row.product_name, {_NOWHERE: 0}).items()):
        if context.wants(region):
            stock = Availability.IN_STOCK if quantity > 0 else Availability.NONE
            yield Offer(provider="crusoe", region=region, machine=machine, availability=stock)


def _machine(context: FetchContext, row: _Type) -> Machine:
    return build_machine(
        context,
        "crusoe",
        row.product_name,
        gpu_label=row.gpu_type,
        gpu_count=row.num_gpu,
        source=f"{_HOST}{_ROOT}/projects/…/compute/vms/types",
        rdma=Rdma.INFINIBAND if "-ib." in row.product_name else None,
        vcpus=positive(row.cpu_cores),
        ram_gib=positive(gb_to_gib(row.memory_gb)),
        local_nvme_gb=row.disk_gb,
    )


PROVIDER = Provider(
    name="crusoe",
    title="Crusoe",
    fetch=fetch,
    terms=frozenset(),
    currencies=frozenset(),
    needs_key=True,
    documentation="https://docs.crusoecloud.com/api",
    credentials="CRUSOE_ACCESS_KEY, CRUSOE_SECRET_KEY, CRUSOE_PROJECT_ID or ~/.crusoe/config",
    tells_stock=True,
    lacks="every price: it has no price API; ask for a quote",
)
