"""Oracle Cloud: GPU shapes and prices from the two public lists; with credentials also network, RDMA and disks.

Reference: https://docs.oracle.com/en-us/iaas/Content/Billing/Tasks/signingup_topic-Estimating_Costs.htm (price list),
field names as read 2026-11-30 and, for `ListShapes`, from the SDK `oci` 2.189.0. The price is per GPU-hour, all-in
(cores and memory included), alike in all commercial regions. Preemptible capacity costs half, where a shape allows it.
"""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from optimizer.domain.offer import Machine, Rdma, Term
from optimizer.errors import OptimizeError
from providers._kit.contract import FetchContext, Outcome, Provider, Unreadable
from providers._kit.libraries import load_library
from providers._kit.machines import build_machine, positive
from providers._kit.paging import Page, all_pages
from providers._kit.prices import Draft
from providers._kit.reading import CamelWire, field_name, read_envelope, read_row, translate

_PRICES_URL = "https://apexapps.oracle.com/pls/apex/cetools/api/v1/products/?currencyCode=USD"
_SHAPES_URL = "https://www.oracle.com/a/ocom/docs/cloudestimator2/data/shapes.json"
_GPU_METRIC = "GPU Per Hour"
_PREEMPTIBLE_SHARE = Decimal("0.5")
_REGION = "global"


class _Tier(CamelWire):
    model: str
    value: Any


class _Localization(CamelWire):
    currency_code: str
    prices: list[_Tier]


class _Product(CamelWire):
    part_number: str
    metric_name: str
    currency_code_localizations: list[_Localization]


class _Link(CamelWire):
    rel: str
    href: str


class _Products(CamelWire):
    items: list[dict[str, Any]]
    links: tuple[_Link, ...] = ()


class _Value(CamelWire):
    value: str


class _Part(CamelWire):
    part_number: str


class _Shape(CamelWire):
    name: str
    hidden: bool
    status: str
    allow_preemptible: bool
    bundle_memory_qty: float | None
    gpu_qty: int
    gpu_memory_qty: float
    shape_type: _Value
    products: list[_Part]


class _Shapes(CamelWire):
    items: list[dict[str, Any]]


class _LiveShape(CamelWire):
    """One shape of `ListShapes`, the fields that the public list lacks; wire spellings differ from camelCase."""

    shape: str
    processor_description: str | None = None
    ocpus: float | None = None
    networking_bandwidth_in_gbps: float | None = None
    rdma_ports: int | None = None
    rdma_bandwidth_in_gbps: float | None = None
    local_disks: int | None = None
    local_disks_total_size_in_g_bs: float | None = None


def fetch(context: FetchContext) -> Iterator[Outcome]:
    """Every GPU shape that is sold, once: the price holds in all commercial regions."""
    prices = _gpu_prices(context)
    live = _live_shapes(context)
    raw = context.http.get_json(_SHAPES_URL)
    shapes = read_envelope(_Shapes, raw, "oci: shapes").items
    rows = [row for row in shapes if row.get("gpuQty")]
    yield from translate("oci", rows, field_name("name"), lambda row: _outcomes(context, row, prices, live))


def _gpu_prices(context: FetchContext) -> dict[str, _Product]:
    def page(url: str | None) -> Page:
        answer = read_envelope(_Products, context.http.get_json(url or _PRICES_URL), "oci: products")
        return answer.items, next((link.href for link in answer.links if link.rel == "next"), None)

    rows = all_pages(page, context.limits, "oci: products")
    products = [read_envelope(_Product, row, "oci: products") for row in rows if row.get("metricName") == _GPU_METRIC]
    return {product.part_number: product for product in products}


def _outcomes(
    context: FetchContext, raw: Any, prices: dict[str, _Product], live: dict[str, _LiveShape]
) -> Iterator[Outcome]:
    shape = read_row(_Shape, raw)
    if shape.hidden or shape.status != "ACTIVE":
        raise Unreadable(f"hidden or not active (status {shape.status})")
    product = next((prices[part.part_number] for part in shape.products if part.part_number in prices), None)
    if product is None:
        parts = ", ".join(part.part_number for part in shape.products)
        raise Unreadable(f"the price list has no {_GPU_METRIC!r} price for part {parts}")
    draft = Draft(PROVIDER, _REGION, _machine(context, shape, live.get(shape.name)), _PRICES_URL.partition("?")[0])
    for localization in product.currency_code_localizations:
        _add_prices(draft, shape, product.part_number, localization)
    yield from draft.outcomes()


def _add_prices(draft: Draft, shape: _Shape, part_number: str, localization: _Localization) -> None:
    tiers = [tier for tier in localization.prices if tier.model == "PAY_AS_YOU_GO"]
    if len(tiers) != 1:
        draft.reject(f"part {part_number}: found {len(tiers)} pay-as-you-go tiers, expected one")
        return
    note = f"part {part_number}, per GPU and hour, cores and memory included"
    currency, per_gpu = localization.currency_code, tiers[0].value
    draft.add(Term.ON_DEMAND, per_gpu, currency, times=shape.gpu_qty, note=note)
    if shape.allow_preemptible and draft.price(Term.ON_DEMAND):
        half = f"half of the on-demand price by Oracle's rule; {note}"
        draft.add(Term.SPOT, per_gpu, currency, times=shape.gpu_qty * _PREEMPTIBLE_SHARE, note=half)


def _machine(context: FetchContext, shape: _Shape, live: _LiveShape | None) -> Machine:
    hardware = _live_facts(live) if live else {}
    return build_machine(
        context,
        "oci",
        shape.name,
        gpu_label=shape.name.rpartition(".")[0],
        gpu_count=shape.gpu_qty,
        memory_gib=shape.gpu_memory_qty / shape.gpu_qty,
        source=_SHAPES_URL,
        ram_gib=positive(shape.bundle_memory_qty),
        bare_metal=shape.shape_type.value == "bm",
        **hardware,
    )


def _live_facts(live: _LiveShape) -> dict[str, Any]:
    rdma_gbit = (live.rdma_ports or 0) * (live.rdma_bandwidth_in_gbps or 0)
    return {
        "cpu": live.processor_description,
        "cores": positive(live.ocpus),
        "local_nvme_gb": 0.0 if live.local_disks == 0 else positive(live.local_disks_total_size_in_g_bs),
        "network_gbit_per_s": positive(rdma_gbit) or positive(live.networking_bandwidth_in_gbps),
        "rdma": Rdma.ROCE if rdma_gbit else Rdma.NONE if live.rdma_ports == 0 else None,
    }


def _live_shapes(context: FetchContext) -> dict[str, _LiveShape]:
    """Shapes of the user's tenancy by name; empty without credentials, since prices do not need them."""
    make_caller = context.clients.get("oci", _default_lister if context.secrets.has_file(".oci/config") else None)
    if make_caller is None:
        return {}
    try:
        rows = make_caller(context)()
    except OptimizeError as error:
        context.logger.warning("oci: network and disks stay unknown: %s", error)
        return {}
    return {shape.shape: shape for shape in (read_envelope(_LiveShape, row, "oci: ListShapes") for row in rows)}


def _default_lister(context: FetchContext) -> Any:
    oci = load_library("oci", "oci", "oci")

    def list_shapes() -> list[dict[str, Any]]:
        config = oci.config.from_file()
        client = oci.core.ComputeClient(config, timeout=(context.limits.connect_seconds, context.limits.read_seconds))
        answer = oci.pagination.list_call_get_all_results(client.list_shapes, config["tenancy"])
        rows: list[dict[str, Any]] = client.base_client.sanitize_for_serialization(answer.data)
        return rows

    return list_shapes


PROVIDER = Provider(
    name="oci",
    title="Oracle Cloud",
    fetch=fetch,
    terms=frozenset({Term.ON_DEMAND, Term.SPOT}),
    currencies=frozenset({"USD"}),
    needs_key=False,
    documentation="https://docs.oracle.com/en-us/iaas/api",
    credentials="~/.oci/config (optional: adds network, RDMA, disks)",
    extra="oci",
    lacks="stock by region; yearly prices (Universal Credits, by contract)",
)
