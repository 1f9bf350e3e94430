"""Hyperstack: flavors with hardware and stock; prices per GPU-hour by GPU name from the price book.

Reference: https://docs.hyperstack.cloud, field names from the SDK `hyperstack` 1.56.1a0. The unit of
`pricebook.value` (per GPU and hour) is not stated by the API. Flavors ending in `-spot` are the spot form of the
flavor without it.
"""

from collections.abc import Iterator
from typing import Any

from optimizer.domain.offer import Availability, Term
from providers._kit.contract import Billing, FetchContext, Outcome, Provider, Unreadable
from providers._kit.machines import STATED_AS_GB, build_machine, positive
from providers._kit.prices import Draft
from providers._kit.reading import Wire, field_name, read_envelope, read_row, translate

_URL = "https://infrahub-api.nexgencloud.com/v1"
_SPOT = "-spot"
_PRICE_NOTE = "price book value per GPU and hour times GPUs"


class _Flavor(Wire):
    name: str
    region_name: str
    cpu: int
    ram: float
    ephemeral: float | None = None
    gpu: str
    gpu_count: int
    stock_available: bool | None = None


class _Group(Wire):
    flavors: list[dict[str, Any]]


class _Flavors(Wire):
    status: bool
    data: list[_Group]


class _BookEntry(Wire):
    name: str
    value: Any = None


class _Book(Wire):
    entries: list[_BookEntry]


def fetch(context: FetchContext) -> Iterator[Outcome]:
    """Every GPU flavor in its region, on demand or spot."""
    headers = {"api_key": context.secrets.need("hyperstack", "HYPERSTACK_API_KEY")}
    raw_book = context.http.get_json(f"{_URL}/pricebook", headers=headers)
    book = read_envelope(_Book, {"entries": raw_book}, "hyperstack: pricebook")
    prices = {entry.name: entry.value for entry in book.entries}
    raw = context.http.get_json(f"{_URL}/core/flavors", headers=headers)
    groups = read_envelope(_Flavors, raw, "hyperstack: flavors").data
    rows = [row for group in groups for row in group.flavors if row.get("gpu_count") != 0]
    by_machine: dict[tuple[Any, Any], list[Any]] = {}
    for row in rows:
        key = (row.get("region_name"), str(row.get("name")).removesuffix(_SPOT))
        by_machine.setdefault(key, []).append(row)
    name = field_name("name", "region_name")
    yield from translate(
        "hyperstack", by_machine.values(), lambda group: name(group[0]), lambda group: _outcomes(context, group, prices)
    )


def _outcomes(context: FetchContext, raw_rows: list[Any], prices: dict[str, Any]) -> Iterator[Outcome]:
    flavors = [read_row(_Flavor, raw) for raw in raw_rows]
    first = flavors[0]
    if not context.wants(first.region_name):
        return
    machine = build_machine(
        context,
        "hyperstack",
        first.name.removesuffix(_SPOT),
        gpu_label=first.gpu.removesuffix(_SPOT),
        gpu_count=first.gpu_count,
        source=f"{_URL}/core/flavors",
        vcpus=positive(first.cpu),
        ram_gib=positive(first.ram),
        local_nvme_gb=first.ephemeral,
        facts={"ram_gib": STATED_AS_GB},
    )
    draft = Draft(PROVIDER, first.region_name, machine, f"{_URL}/pricebook")
    draft.availability = _availability(flavors)
    for flavor in flavors:
        _add_price(draft, flavor, prices)
    yield from draft.outcomes()


def _add_price(draft: Draft, flavor: _Flavor, prices: dict[str, Any]) -> None:
    is_spot = flavor.name.endswith(_SPOT)
    book_name = flavor.gpu.removesuffix(_SPOT) + (_SPOT if is_spot else "")
    if book_name not in prices:
        raise Unreadable(f"the price book has no entry {book_name!r}")
    draft.add(
        Term.SPOT if is_spot else Term.ON_DEMAND,
        prices[book_name],
        "USD",
        times=flavor.gpu_count,
        note=_PRICE_NOTE,
    )


def _availability(flavors: list[_Flavor]) -> Availability:
    stock = [flavor.stock_available for flavor in flavors if flavor.stock_available is not None]
    if not stock:
        return Availability.UNKNOWN
    return Availability.IN_STOCK if any(stock) else Availability.NONE


PROVIDER = Provider(
    name="hyperstack",
    title="Hyperstack",
    fetch=fetch,
    terms=frozenset({Term.ON_DEMAND, Term.SPOT}),
    currencies=frozenset({"USD"}),
    needs_key=True,
    billing=Billing(60, "https://www.hyperstack.cloud/gpu-pricing"),
    documentation="https://docs.hyperstack.cloud",
    credentials="HYPERSTACK_API_KEY",
    tells_stock=True,
    lacks="reserved prices, network, RDMA; the price book does not state its unit",
)
