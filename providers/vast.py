"""Vast.ai: single machines of many hosts, gathered into the cheapest verified data-centre one of each kind and country.

Reference: https://docs.vast.ai/api, field names from the package `vastai` 1.9.1. Prices are for the whole offer;
`dph_base` is without the disk that `dph_total` includes. `gpu_frac` is the share of the host's GPUs, not of one card.
`gpu_ram` is what nvidia-smi prints, in MiB (24564 for an RTX 4090). There are no pages: the list is read on from the
price where it ended.
"""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from optimizer.domain.offer import Availability, IntraLink, Machine, Term
from optimizer.domain.units import gb_to_gib, mib_to_gib
from providers._kit.contract import Billing, FetchContext, Outcome, Provider, Unreadable
from providers._kit.machines import build_machine, positive
from providers._kit.paging import Page, all_pages
from providers._kit.prices import Draft, parse_amount
from providers._kit.reading import Wire, read_envelope, read_row, translate

_URL = "https://console.vast.ai/api/v0/bundles/"
_LIMIT = 1000
_MB_PER_GB = 1000
_KINDS = {Term.ON_DEMAND: "on-demand", Term.SPOT: "bid", Term.MONTH: "reserved"}
_MONTH_SECONDS = 30 * 24 * 3600


class _Offer(Wire):
    id: int
    gpu_name: str
    num_gpus: int
    gpu_ram: float
    gpu_mem_bw: float | None = None
    bw_nvlink: float | None = None
    pci_gen: float | None = None
    gpu_lanes: int | None = None
    cpu_name: str | None = None
    cpu_cores: float | None = None
    cpu_cores_effective: float | None = None
    cpu_ram: float | None = None
    disk_space: float | None = None
    dph_base: Any
    discounted_dph_total: Any = None
    discount_rate: float | None = None
    min_bid: Any = None
    duration: float | None = None
    geolocation: str | None = None


class _Answer(Wire):
    offers: list[dict[str, Any]]


Group = tuple[str, int, str]


def fetch(context: FetchContext) -> Iterator[Outcome]:
    """For each GPU name, GPU count and country: the cheapest machine on each way to pay."""
    groups: dict[Group, dict[Term, list[dict[str, Any]]]] = {}
    for term, kind in _KINDS.items():
        for raw in _all_offers(context, kind):
            groups.setdefault(_group(raw), {}).setdefault(term, []).append(raw)
    yield from translate(
        "vast", sorted(groups.items()), lambda item: _name(item[0]), lambda item: _outcomes(context, *item)
    )


def _all_offers(context: FetchContext, kind: str) -> Iterator[dict[str, Any]]:
    key = context.secrets.find("VAST_API_KEY", files=[(".config/vastai/vast_api_key", str.strip)])
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    seen: set[Any] = set()

    def page(from_price: str | None) -> Page:
        body: dict[str, Any] = {
            "verified": {"eq": True},
            "datacenter": {"eq": True},
            "rentable": {"eq": True},
            "rented": {"eq": False},
            "order": [["dph_total", "asc"]],
            "type": kind,
            "limit": _LIMIT,
        }
        if from_price is not None:
            body["dph_total"] = {"gte": float(from_price)}
        raw = context.http.post_json(_URL, body, headers=headers)
        offers = read_envelope(_Answer, raw, f"vast: {kind}").offers
        fresh = [offer for offer in offers if offer.get("id") not in seen]
        seen.update(offer.get("id") for offer in offers)
        return fresh, str(offers[-1].get("dph_total")) if len(offers) >= _LIMIT and fresh else None

    return all_pages(page, context.limits, f"vast: {kind}")


def _group(raw: dict[str, Any]) -> Group:
    country = str(raw.get("geolocation") or "").rpartition(",")[2].strip()
    return str(raw.get("gpu_name")), int(raw.get("num_gpus") or 0), country or "unknown"


def _name(group: Group) -> str:
    return f"{group[1]}x-{group[0].replace(' ', '-')} {group[2]}"


def _outcomes(context: FetchContext, group: Group, raw_by_term: dict[Term, list[dict[str, Any]]]) -> Iterator[Outcome]:
    region = group[2]
    if not context.wants(region):
        return
    rows = {term: [read_row(_Offer, raw) for raw in raws] for term, raws in raw_by_term.items()}
    cheapest = {term: row for term in rows if (row := _cheapest(term, rows[term])) is not None}
    if not cheapest:
        raise Unreadable("none of its machines has a positive price")
    first = cheapest.get(Term.ON_DEMAND) or next(iter(cheapest.values()))
    draft = Draft(PROVIDER, region, _machine(context, group, first), _URL)
    draft.availability = Availability.IN_STOCK
    for term, row in cheapest.items():
        note = f"offer {row.id}, cheapest of {len(rows[term])}; without disk"
        draft.add(term, _price(term, row), "USD", note=note)
    yield from draft.outcomes()


def _cheapest(term: Term, rows: list[_Offer]) -> _Offer | None:
    """The row with the least positive price: a host that asks 0 asks nothing that we may believe."""
    priced = [(price, row.id, row) for row in rows if (price := _positive(_price(term, row))) is not None]
    return min(priced)[2] if priced else None


def _positive(raw: Any) -> Decimal | None:
    try:
        return parse_amount(raw)
    except Unreadable:
        return None


def _price(term: Term, row: _Offer) -> Any:
    if term is Term.SPOT:
        return row.min_bid
    if term is Term.MONTH:
        lasts = row.duration is not None and row.duration >= _MONTH_SECONDS
        return row.discounted_dph_total if lasts and row.discount_rate else None
    return row.dph_base


def _machine(context: FetchContext, group: Group, row: _Offer) -> Machine:
    return build_machine(
        context,
        "vast",
        f"{group[1]}x-{group[0].replace(' ', '-')}",
        gpu_label=row.gpu_name,
        gpu_count=row.num_gpus,
        memory_gib=mib_to_gib(row.gpu_ram),
        source=_URL,
        memory_bandwidth_gbyte_per_s=positive(row.gpu_mem_bw),
        intra_link=_link(row),
        vcpus=positive(row.cpu_cores_effective),
        cpu=row.cpu_name or None,
        ram_gib=_ram_gib(row),
        pcie_generation=int(row.pci_gen) if row.pci_gen else None,
        pcie_lanes=row.gpu_lanes,
        local_nvme_gb=None,
    )


def _link(row: _Offer) -> IntraLink | None:
    if row.num_gpus == 1 or row.bw_nvlink is None:
        return None
    return IntraLink.NVLINK if row.bw_nvlink > 0 else IntraLink.PCIE


def _ram_gib(row: _Offer) -> float | None:
    """Memory of the part rented: the host's, by the share of its cores."""
    if not (row.cpu_ram and row.cpu_cores and row.cpu_cores_effective):
        return None
    return gb_to_gib(row.cpu_ram / _MB_PER_GB) * row.cpu_cores_effective / row.cpu_cores


PROVIDER = Provider(
    name="vast",
    title="Vast.ai",
    fetch=fetch,
    terms=frozenset(_KINDS),
    currencies=frozenset({"USD"}),
    needs_key=False,
    billing=Billing(1, "https://vast.ai/pricing"),
    documentation="https://docs.vast.ai/api",
    credentials="VAST_API_KEY or ~/.config/vastai/vast_api_key (optional)",
    tells_stock=True,
    lacks="network between machines, RDMA; prices hold for minutes",
)
