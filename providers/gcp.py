"""Google Cloud: machine types by region, priced as the sum of their parts (cores, memory, GPUs, bundled SSD).

Reference: https://cloud.google.com/compute/docs/reference/rest/v1/machineTypes/aggregatedList and
https://cloud.google.com/billing/docs/reference/rest/v1/services.skus/list, field names as read 2026-11-30. A machine
with one part unpriced has no price: cores without the GPU would look like a bargain. SSD months are 730 hours.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from optimizer.domain.offer import Machine, Rejected, Term
from optimizer.domain.units import HOURS_PER_MONTH, gib_to_gb, mib_to_gib
from optimizer.errors import SourceChanged, SourceUnreachable
from providers._gcp_n1 import SERIES, AcceleratorType, is_n1, with_cards
from providers._gcp_skus import Mode, Part, PartPrice, PriceParts
from providers._kit.contract import Billing, FetchContext, Outcome, Provider, Unreadable
from providers._kit.libraries import load_library
from providers._kit.machines import build_machine, positive
from providers._kit.paging import Page, all_pages
from providers._kit.prices import Draft
from providers._kit.reading import CamelWire, read_envelope, read_row, translate

_SKUS_URL = "https://cloudbilling.googleapis.com/v1/services/6F81-5844-456A/skus"
_COMPUTE_URL = "https://compute.googleapis.com/compute/v1/projects"
_SSD_PARTITION_GIB = 375
#: Machine series to the family of its core and memory SKUs; `None`: the GPU's price holds everything.
_FAMILIES: dict[str, str | None] = {
    "a2-highgpu": "a2",
    "a2-megagpu": "a2",
    "a2-ultragpu": "a2",
    "a3-highgpu": "a3",
    "a3-megagpu": "a3plus",
    "a3-ultragpu": "a3ultra",
    "a4-highgpu": None,
    "g2-standard": "g2",
    "g4-standard": "g4",
    **dict.fromkeys(SERIES, "n1"),
}
#: N1 commitments are for cores of any machine, not for one.
_N1_MODES = (Mode.ON_DEMAND, Mode.SPOT)
_TERMS = {
    Mode.ON_DEMAND: Term.ON_DEMAND,
    Mode.SPOT: Term.SPOT,
    Mode.COMMIT_1Y: Term.RESERVED_1Y,
    Mode.COMMIT_3Y: Term.RESERVED_3Y,
    Mode.CALENDAR: Term.CAPACITY_BLOCK,
}
#: Lengths that we offer of a reservation in calendar mode, which may be any from 1 to 90 days.
_CALENDAR_DAYS = (1, 7, 14, 30, 60, 90)
#: Series that have an hourly list price but are not sold by the hour (spot, flexible start and reservations only).
_NOT_HOURLY = ("a3-ultragpu", "a4-highgpu")
_A3_HIGH_WHOLE = "a3-highgpu-8g"


class _Accelerator(CamelWire):
    guest_accelerator_type: str
    guest_accelerator_count: int


class _Bundle(CamelWire):
    partition_count: int


class _MachineType(CamelWire):
    name: str
    guest_cpus: int
    memory_mb: float
    accelerators: list[_Accelerator]
    bundled_local_ssds: _Bundle | None = None

    @property
    def series(self) -> str:
        """`a3-highgpu` of `a3-highgpu-8g`, `n1-standard` of `n1-standard-8+1x-nvidia-tesla-t4`."""
        return self.name.partition("+")[0].rpartition("-")[0]

    @property
    def modes(self) -> dict[Mode, Term]:
        """The ways to pay that are priced for it."""
        return {mode: term for mode, term in _TERMS.items() if self.series not in SERIES or mode in _N1_MODES}


class _Scope(CamelWire):
    machine_types: tuple[dict[str, Any], ...] = ()


class _Machines(CamelWire):
    items: dict[str, _Scope]
    next_page_token: str | None = None


class _AcceleratorScope(CamelWire):
    accelerator_types: tuple[dict[str, Any], ...] = ()


class _Accelerators(CamelWire):
    items: dict[str, _AcceleratorScope]
    next_page_token: str | None = None


class _Skus(CamelWire):
    skus: list[dict[str, Any]]
    next_page_token: str | None = None


@dataclass(frozen=True, slots=True)
class _Sum:
    amount: Decimal
    currency: str
    since: date | None
    parts: str


def fetch(context: FetchContext) -> Iterator[Outcome]:
    """Every accelerator-optimized machine type in every region where a zone has it, and N1 with attached GPUs."""
    project = context.secrets.plain("GOOGLE_CLOUD_PROJECT") or context.secrets.need("gcp", "GOOGLE_CLOUD_PROJECT")
    bearer = {"Authorization": f"Bearer {_token(context)}"}
    try:
        attachable = _attachable(context, project, bearer)
    except (SourceChanged, SourceUnreachable) as error:
        yield Rejected(provider="gcp", row="N1 with attached GPUs", reason=f"not read: {error}")
        attachable = {}
    machines = _machines(context, project, bearer, attachable)
    parts = PriceParts()
    for raw in _skus(context, bearer):
        try:
            parts.add(raw)
        except Unreadable as error:
            yield Rejected(provider="gcp", row=str(raw.get("skuId")), reason=error.reason)
    if not parts.prices:
        raise SourceChanged("gcp: not one SKU reads as cores, memory or a GPU; descriptions changed")
    yield from translate(
        "gcp",
        machines.items(),
        lambda item: " ".join(item[0]),
        lambda item: _outcomes(context, item[0][0], item[1], parts),
    )


def _machines(
    context: FetchContext, project: str, headers: dict[str, str], attachable: dict[str, list[AcceleratorType]]
) -> dict[tuple[str, str], Any]:
    """(region, machine type) to its row; a region's zones are alike, N1 takes the cards of its own zone."""

    def page(token: str | None) -> Page:
        params = {"maxResults": "500"} | ({"pageToken": token} if token else {})
        raw = context.http.get_json(f"{_COMPUTE_URL}/{project}/aggregated/machineTypes", params=params, headers=headers)
        answer = read_envelope(_Machines, raw, "gcp: machineTypes")
        return [(scope, row) for scope in sorted(answer.items) for row in answer.items[scope].machine_types], (
            answer.next_page_token
        )

    rows = {}
    for scope, row in all_pages(page, context.limits, "gcp: machineTypes"):
        region = _region_of(scope)
        if not context.wants(region):
            continue
        if row.get("accelerators"):
            rows[region, str(row.get("name"))] = row
        elif is_n1(row):
            rows |= {(region, made["name"]): made for made in with_cards(row, attachable.get(str(scope), ()))}
    return rows


def _region_of(scope: object) -> str:
    """`us-central1` of `zones/us-central1-a`."""
    return str(scope).rpartition("/")[2].rpartition("-")[0]


def _attachable(context: FetchContext, project: str, headers: dict[str, str]) -> dict[str, list[AcceleratorType]]:
    """The accelerator types of each zone."""

    def page(token: str | None) -> Page:
        params = {"maxResults": "500"} | ({"pageToken": token} if token else {})
        url = f"{_COMPUTE_URL}/{project}/aggregated/acceleratorTypes"
        answer = read_envelope(
            _Accelerators, context.http.get_json(url, params=params, headers=headers), "gcp: acceleratorTypes"
        )
        rows = [(scope, row) for scope in sorted(answer.items) for row in answer.items[scope].accelerator_types]
        return rows, answer.next_page_token

    by_zone: dict[str, list[AcceleratorType]] = {}
    for scope, row in all_pages(page, context.limits, "gcp: acceleratorTypes"):
        by_zone.setdefault(str(scope), []).append(read_envelope(AcceleratorType, row, "gcp: acceleratorTypes"))
    return by_zone


def _skus(context: FetchContext, bearer: dict[str, str]) -> Iterator[Any]:
    key = context.secrets.find("GOOGLE_API_KEY")
    headers = {"X-Goog-Api-Key": key} if key else bearer

    def page(token: str | None) -> Page:
        params = {"pageSize": "5000", "currencyCode": "USD"} | ({"pageToken": token} if token else {})
        answer = read_envelope(_Skus, context.http.get_json(_SKUS_URL, params=params, headers=headers), "gcp: skus")
        return answer.skus, answer.next_page_token

    return all_pages(page, context.limits, "gcp: skus")


def _outcomes(context: FetchContext, region: str, raw: Any, parts: PriceParts) -> Iterator[Outcome]:
    kind = read_row(_MachineType, raw)
    if kind.series not in _FAMILIES:
        raise Unreadable(f"series {kind.series} is not in our table of price parts", quarantined=True)
    draft = Draft(PROVIDER, region, _machine(context, kind), _SKUS_URL)
    accelerator = kind.accelerators[0].guest_accelerator_type
    for mode, term in kind.modes.items():
        if not parts.sells(region, mode, accelerator):
            continue
        if mode is Mode.ON_DEMAND and (kind.series in _NOT_HOURLY or _is_part_of_a3_high(kind)):
            draft.reject("on_demand: has a list price but is not sold by the hour")
            continue
        try:
            total = _total(kind, region, mode, parts)
        except Unreadable as error:
            draft.reject(f"{term.value}: {error.reason}")
            continue
        blocks = _CALENDAR_DAYS if term is Term.CAPACITY_BLOCK else ()
        fields: dict[str, Any] = {"valid_from": total.since, "note": total.parts, "block_lengths_days": blocks}
        draft.add(term, total.amount, total.currency, **fields)
    yield from draft.outcomes()


def _is_part_of_a3_high(kind: _MachineType) -> bool:
    return kind.series == "a3-highgpu" and kind.name != _A3_HIGH_WHOLE


def _total(kind: _MachineType, region: str, mode: Mode, parts: PriceParts) -> _Sum:
    """Cores x core price + GiB x memory price + GPUs x GPU price + SSD GiB x SSD price / 730."""
    accelerator = kind.accelerators[0]
    needed: list[tuple[Decimal, str]] = [
        (Decimal(accelerator.guest_accelerator_count), accelerator.guest_accelerator_type)
    ]
    family = _FAMILIES[kind.series]
    if family is not None:
        needed.append((Decimal(kind.guest_cpus), f"{family} {Part.CORE.value}"))
        needed.append((Decimal(str(mib_to_gib(kind.memory_mb))), f"{family} {Part.RAM.value}"))
        if kind.bundled_local_ssds:
            ssd_gib = kind.bundled_local_ssds.partition_count * _SSD_PARTITION_GIB
            needed.append((Decimal(ssd_gib) / HOURS_PER_MONTH, Part.LOCAL_SSD.value))
    priced = [(quantity, name, parts.find(region, mode, name)) for quantity, name in needed]
    currencies = {price.currency for _, _, price in priced}
    if len(currencies) != 1:
        raise Unreadable(f"parts in several currencies: {', '.join(sorted(currencies))}")
    return _Sum(
        amount=sum((quantity * price.amount for quantity, _, price in priced), Decimal(0)),
        currency=currencies.pop(),
        since=max((price.since for _, _, price in priced if price.since), default=None),
        parts=" + ".join(_describe(quantity, name, price) for quantity, name, price in priced),
    )


def _describe(quantity: Decimal, name: str, price: PartPrice) -> str:
    count = quantity.quantize(Decimal("0.001")).normalize()
    return f"{count:f} {name} at {price.amount.normalize():f}"


def _machine(context: FetchContext, kind: _MachineType) -> Machine:
    accelerator = kind.accelerators[0]
    ssd = kind.bundled_local_ssds
    return build_machine(
        context,
        "gcp",
        kind.name,
        gpu_label=accelerator.guest_accelerator_type,
        gpu_count=accelerator.guest_accelerator_count,
        source=f"{_COMPUTE_URL}/…/aggregated/machineTypes",
        vcpus=positive(kind.guest_cpus),
        ram_gib=positive(mib_to_gib(kind.memory_mb)),
        local_nvme_gb=gib_to_gb(ssd.partition_count * _SSD_PARTITION_GIB) if ssd else None,
    )


def _token(context: FetchContext) -> str:
    """A bearer token: the one given, else from Application Default Credentials."""
    given = context.secrets.find("CLOUDSDK_AUTH_ACCESS_TOKEN")
    if given:
        return given
    make_token: Callable[[], str] = context.clients.get("gcp", _default_token)
    token = make_token()
    context.secrets.hide(token)
    return token


def _default_token() -> str:
    auth = load_library("google.auth", "gcp", "gcp")
    transport = load_library("google.auth.transport.requests", "gcp", "gcp")
    credentials, _ = auth.default(scopes=["https://www.googleapis.com/auth/cloud-platform.read-only"])
    credentials.refresh(transport.Request())
    token: str = credentials.token
    return token


PROVIDER = Provider(
    name="gcp",
    title="Google Cloud",
    fetch=fetch,
    terms=frozenset(_TERMS.values()),
    currencies=frozenset({"USD"}),
    needs_key=True,
    billing=Billing(1, "https://cloud.google.com/compute/vm-instance-pricing", 60),
    documentation="https://cloud.google.com/billing/docs/reference/rest/v1/services.skus/list",
    credentials="GOOGLE_CLOUD_PROJECT with Application Default Credentials; GOOGLE_API_KEY for prices (optional)",
    extra="gcp",
    lacks="stock; network and links; commitments for N1; flexible-start prices; form factor of a GPU",
)
