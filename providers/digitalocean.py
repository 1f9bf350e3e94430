"""DigitalOcean GPU droplets: hardware, hourly price (whole droplet) and regions from the list of sizes.

Reference: https://docs.digitalocean.com/reference/api, field names as read 2026-11-30. `vram.amount` is the total of
the droplet. The monthly price is a cap at 744 hours, no discount, so it is no term.
"""

from collections.abc import Iterator
from typing import Any

from optimizer.domain.offer import Availability, Term
from optimizer.domain.units import gib_to_gb, mib_to_gib
from providers._kit.contract import FetchContext, Outcome, Provider, Unreadable
from providers._kit.machines import build_machine, positive
from providers._kit.paging import Page, all_pages
from providers._kit.prices import Draft
from providers._kit.reading import Wire, field_name, read_envelope, read_row, translate

_URL = "https://api.digitalocean.com/v2/sizes"


class _Amount(Wire):
    amount: float
    unit: str


class _Gpu(Wire):
    count: int
    vram: _Amount
    model: str


class _Disk(Wire):
    type: str
    size: _Amount


class _Size(Wire):
    slug: str
    memory: float
    vcpus: int
    price_hourly: Any
    regions: list[str]
    available: bool
    gpu_info: _Gpu
    disk_info: tuple[_Disk, ...] = ()


class _Pages(Wire):
    next: str | None = None


class _Links(Wire):
    pages: _Pages | None = None


class _Answer(Wire):
    sizes: list[dict[str, Any]]
    links: _Links


def fetch(context: FetchContext) -> Iterator[Outcome]:
    """Every GPU size in each of its regions."""
    key = context.secrets.need("digitalocean", "DIGITALOCEAN_TOKEN", "DIGITALOCEAN_ACCESS_TOKEN")
    headers = {"Authorization": f"Bearer {key}"}

    def page(url: str | None) -> Page:
        raw = context.http.get_json(url or f"{_URL}?per_page=200", headers=headers)
        answer = read_envelope(_Answer, raw, "digitalocean: sizes")
        return answer.sizes, answer.links.pages.next if answer.links.pages else None

    rows = [row for row in all_pages(page, context.limits, "digitalocean: sizes") if row.get("gpu_info")]
    yield from translate("digitalocean", rows, field_name("slug"), lambda row: _outcomes(context, row))


def _outcomes(context: FetchContext, raw: Any) -> Iterator[Outcome]:
    size = read_row(_Size, raw)
    if not size.regions:
        raise Unreadable("listed with a price but sold in no region")
    gpu = size.gpu_info
    if gpu.vram.unit.lower() != "gib":
        raise Unreadable(f"gpu_info.vram.unit: found {gpu.vram.unit!r}, expected 'gib'")
    if gpu.count < 1:
        raise Unreadable(f"gpu_info.count: found {gpu.count}, expected at least 1")
    machine = build_machine(
        context,
        "digitalocean",
        size.slug,
        gpu_label=gpu.model,
        gpu_count=gpu.count,
        memory_gib=gpu.vram.amount / gpu.count,
        source=_URL,
        vcpus=positive(size.vcpus),
        ram_gib=positive(mib_to_gib(size.memory)),
        local_nvme_gb=_local_disk_gb(size),
    )
    for region in filter(context.wants, size.regions):
        draft = Draft(PROVIDER, region, machine, _URL)
        draft.availability = Availability.IN_STOCK if size.available else Availability.NONE
        draft.add(Term.ON_DEMAND, size.price_hourly, "USD")
        yield from draft.outcomes()


def _local_disk_gb(size: _Size) -> float | None:
    """The NVMe scratch disk; the other local disk holds the system."""
    scratch = [disk.size for disk in size.disk_info if disk.type == "scratch" and disk.size.unit.lower() == "gib"]
    return gib_to_gb(sum(disk.amount for disk in scratch)) if scratch else None


PROVIDER = Provider(
    name="digitalocean",
    title="DigitalOcean",
    fetch=fetch,
    terms=frozenset({Term.ON_DEMAND}),
    currencies=frozenset({"USD"}),
    needs_key=True,
    documentation="https://docs.digitalocean.com/reference/api",
    credentials="DIGITALOCEAN_TOKEN or DIGITALOCEAN_ACCESS_TOKEN",
    tells_stock=True,
    lacks="reserved prices (by sales), GPU network",
)
