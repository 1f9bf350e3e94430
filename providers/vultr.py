"""Vultr: GPU plans and bare metal with GPUs; hour, month and preemptible prices per plan. No key needed.

Reference: https://www.vultr.com/api, field names as read 2026-11-30. `gpu_vram_gb` is the total of the plan, and less
than a card on shares of one. Bare metal has no GPU fields: the plan's id names them. The month price is a cap of the
hourly price.
"""

import re
from collections.abc import Iterator
from typing import Any

from optimizer.domain.offer import Machine, PriceUnit, Term
from optimizer.domain.units import mib_to_gib
from providers._kit.contract import FetchContext, Outcome, Provider, Unreadable
from providers._kit.machines import build_machine, positive
from providers._kit.paging import Page, all_pages
from providers._kit.prices import Draft
from providers._kit.reading import Wire, field_name, read_envelope, read_row, translate

_URL = "https://api.vultr.com/v2"
#: Memory of a whole card by the name in `gpu_type`; the plan's total says how many cards, or which share of one.
_CARD_GIB = {
    "NVIDIA_A100": 80,
    "NVIDIA_A16": 16,
    "NVIDIA_A40": 48,
    "NVIDIA_GH200": 96,
    "NVIDIA_H100": 80,
    "NVIDIA_L40S": 48,
}
_METAL_GPUS = re.compile(r"-(?:(\d+)-)?([a-z]+\d+[a-z]*)-gpu$")
_MONTH_NOTE = "monthly cap of the hourly price"


class _Plan(Wire):
    id: str
    vcpu_count: int
    ram: float
    hourly_cost: Any = None
    monthly_cost: Any = None
    locations: list[str]
    gpu_vram_gb: float
    gpu_type: str


class _Metal(Wire):
    id: str
    cpu_cores: int
    cpu_threads: int
    cpu_model: str | None = None
    ram: float
    disk: float
    disk_count: int
    type: str
    hourly_cost: Any = None
    monthly_cost: Any = None
    hourly_cost_preemptible: Any = None
    locations: list[str]


class _Links(Wire):
    next: str | None = None


class _Meta(Wire):
    links: _Links


class _Plans(Wire):
    plans: list[dict[str, Any]]
    meta: _Meta


class _Metals(Wire):
    plans_metal: list[dict[str, Any]]
    meta: _Meta


def fetch(context: FetchContext) -> Iterator[Outcome]:
    """Every GPU plan and every bare-metal plan with GPUs, in each of its locations."""
    plans = [("plan", row) for row in _plans(context) if row.get("type") == "vcg"]
    metals = [("metal", row) for row in _metals(context) if str(row.get("id", "")).endswith("-gpu")]
    name = field_name("id")
    yield from translate("vultr", plans + metals, lambda row: name(row[1]), lambda row: _outcomes(context, *row))


def _plans(context: FetchContext) -> Iterator[dict[str, Any]]:
    def page(cursor: str | None) -> Page:
        answer = read_envelope(_Plans, _ask(context, "plans", cursor, type="all"), "vultr: plans")
        return answer.plans, answer.meta.links.next

    return all_pages(page, context.limits, "vultr: plans")


def _metals(context: FetchContext) -> Iterator[dict[str, Any]]:
    def page(cursor: str | None) -> Page:
        answer = read_envelope(_Metals, _ask(context, "plans-metal", cursor), "vultr: plans-metal")
        return answer.plans_metal, answer.meta.links.next

    return all_pages(page, context.limits, "vultr: plans-metal")


def _ask(context: FetchContext, path: str, cursor: str | None, **params: str) -> Any:
    page = {"per_page": "500"} | ({"cursor": cursor} if cursor else {})
    return context.http.get_json(f"{_URL}/{path}", params=params | page)


def _outcomes(context: FetchContext, kind: str, raw: Any) -> Iterator[Outcome]:
    row = read_row(_Plan, raw) if kind == "plan" else read_row(_Metal, raw)
    machine = _plan_machine(context, row) if isinstance(row, _Plan) else _metal_machine(context, row)
    if not row.locations:
        raise Unreadable("listed with a price but in no location")
    source = f"{_URL}/{'plans' if kind == 'plan' else 'plans-metal'}"
    for region in filter(context.wants, row.locations):
        draft = Draft(PROVIDER, region, machine, source)
        draft.add(Term.ON_DEMAND, row.hourly_cost, "USD")
        draft.add(Term.MONTH, row.monthly_cost, "USD", PriceUnit.MONTH, note=_MONTH_NOTE)
        if isinstance(row, _Metal):
            draft.add(Term.SPOT, row.hourly_cost_preemptible, "USD")
        yield from draft.outcomes()


def _plan_machine(context: FetchContext, plan: _Plan) -> Machine:
    card_gib = _CARD_GIB.get(plan.gpu_type)
    if card_gib is None:
        raise Unreadable(f"gpu_type {plan.gpu_type!r} is new: memory of a whole card unknown", quarantined=True)
    cards = plan.gpu_vram_gb / card_gib
    if cards > 1 and cards != int(cards):
        raise Unreadable(f"gpu_vram_gb: found {plan.gpu_vram_gb:g}, expected whole cards of {card_gib}")
    return build_machine(
        context,
        "vultr",
        plan.id,
        gpu_label=plan.gpu_type,
        gpu_count=max(1, int(cards)),
        gpu_fraction=cards if cards < 1 else None,
        memory_gib=plan.gpu_vram_gb if cards < 1 else float(card_gib),
        source=f"{_URL}/plans",
        vcpus=positive(plan.vcpu_count),
        ram_gib=positive(mib_to_gib(plan.ram)),
    )


def _metal_machine(context: FetchContext, metal: _Metal) -> Machine:
    gpus = _METAL_GPUS.search(metal.id)
    if gpus is None:
        raise Unreadable("the plan's id names no GPUs", quarantined=True)
    return build_machine(
        context,
        "vultr",
        metal.id,
        gpu_label=metal.id,
        gpu_count=int(gpus.group(1) or 1),
        source=f"{_URL}/plans-metal",
        vcpus=positive(metal.cpu_threads),
        cores=positive(metal.cpu_cores),
        cpu=metal.cpu_model,
        ram_gib=positive(mib_to_gib(metal.ram)),
        local_nvme_gb=metal.disk * metal.disk_count if metal.type == "NVMe" else None,
        bare_metal=True,
    )


PROVIDER = Provider(
    name="vultr",
    title="Vultr",
    fetch=fetch,
    terms=frozenset({Term.ON_DEMAND, Term.MONTH, Term.SPOT}),
    currencies=frozenset({"USD"}),
    needs_key=False,
    documentation="https://www.vultr.com/api",
    lacks="stock, network, RDMA, GPU memory of bare metal",
)
