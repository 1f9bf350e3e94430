"""Verda (formerly DataCrunch): instance types with on-demand and spot prices, discounts by term, stock by location.

Reference: https://api.verda.com/v1/docs, field names from the SDK `verda` 1.25.0. Prices are for the instance, as
strings; `gpu_memory` is the total. A term's price is the list price less the percentage that the API gives for it.
"""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from optimizer.domain.offer import Availability, Machine, Term
from optimizer.errors import SourceChanged
from providers._kit.contract import FetchContext, Outcome, Provider
from providers._kit.machines import STATED_AS_GB, build_machine, positive
from providers._kit.prices import Draft
from providers._kit.reading import Wire, field_name, read_envelope, read_row, translate

_URL = "https://api.verda.com/v1"
_NOWHERE = "global"
_TERMS = {
    1: Term.MONTH,
    3: Term.RESERVED_3M,
    6: Term.RESERVED_6M,
    12: Term.RESERVED_1Y,
    24: Term.RESERVED_2Y,
    36: Term.RESERVED_3Y,
}
_MONTHS_PER_UNIT = {"month": 1, "months": 1, "year": 12, "years": 12}
_PERCENT = Decimal(100)


class _Count(Wire):
    number_of_gpus: int


class _Cores(Wire):
    number_of_cores: int


class _Size(Wire):
    size_in_gigabytes: float


class _InstanceType(Wire):
    instance_type: str
    name: str
    gpu: _Count
    gpu_memory: _Size
    cpu: _Cores
    memory: _Size
    currency: str
    price_per_hour: Any
    spot_price: Any = None


class _Period(Wire):
    code: str
    is_enabled: bool
    unit_name: str
    unit_value: Decimal
    discount_percentage: Decimal

    @property
    def term(self) -> Term | None:
        """The term of this length, if we know one."""
        months = self.unit_value * _MONTHS_PER_UNIT.get(self.unit_name, 0)
        return _TERMS.get(int(months)) if months == int(months) else None


class _Location(Wire):
    location_code: str
    availabilities: list[str]


class _List(Wire):
    rows: list[dict[str, Any]]


class _Token(Wire):
    access_token: str


def fetch(context: FetchContext) -> Iterator[Outcome]:
    """Every GPU instance type: where it is in stock now, else once without a place."""
    headers = {"Authorization": f"Bearer {_token(context)}"}

    def ask(path: str, **params: str) -> list[dict[str, Any]]:
        raw = context.http.get_json(f"{_URL}/{path}", params=params, headers=headers)
        return read_envelope(_List, {"rows": raw}, f"verda: {path}").rows

    types = [row for row in ask("instance-types", currency="usd") if _gpus(row) != 0]
    stock = _stock(ask("instance-availability"))
    spot_stock = _stock(ask("instance-availability", is_spot="true"))
    periods = [read_envelope(_Period, row, "verda: periods") for row in ask("long-term/periods/instances")]
    yield from translate(
        "verda", types, field_name("instance_type"), lambda row: _outcomes(context, row, stock, spot_stock, periods)
    )


def _token(context: FetchContext) -> str:
    form = {
        "grant_type": "client_credentials",
        "client_id": context.secrets.need("verda", "VERDA_CLIENT_ID"),
        "client_secret": context.secrets.need("verda", "VERDA_CLIENT_SECRET"),
    }
    token = read_envelope(_Token, context.http.post_json(f"{_URL}/oauth2/token", form=form), "verda: token")
    context.secrets.hide(token.access_token)
    return token.access_token


def _gpus(row: dict[str, Any]) -> Any:
    return (row.get("gpu") or {}).get("number_of_gpus", 0)


def _stock(rows: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Instance type to the locations that have it."""
    places: dict[str, list[str]] = {}
    for raw in rows:
        location = read_envelope(_Location, raw, "verda: availability")
        for instance_type in location.availabilities:
            places.setdefault(instance_type, []).append(location.location_code)
    return places


def _outcomes(
    context: FetchContext,
    raw: Any,
    stock: dict[str, list[str]],
    spot_stock: dict[str, list[str]],
    periods: list[_Period],
) -> Iterator[Outcome]:
    row = read_row(_InstanceType, raw)
    machine = _machine(context, row)
    on_demand, spot = stock.get(row.instance_type, []), spot_stock.get(row.instance_type, [])
    for region in sorted({*on_demand, *spot}) or [_NOWHERE]:
        if not context.wants(region):
            continue
        draft = Draft(PROVIDER, region, machine, f"{_URL}/instance-types")
        draft.availability = Availability.IN_STOCK if region in on_demand else Availability.NONE
        _add_prices(draft, row, periods, has_spot=region in spot or region == _NOWHERE)
        yield from draft.outcomes()


def _add_prices(draft: Draft, row: _InstanceType, periods: list[_Period], *, has_spot: bool) -> None:
    currency = row.currency.upper()
    draft.add(Term.ON_DEMAND, row.price_per_hour, currency)
    if has_spot:
        draft.add(Term.SPOT, row.spot_price, currency)
    on_demand = draft.price(Term.ON_DEMAND)
    for period in periods:
        term = period.term
        if not period.is_enabled or term is None or on_demand is None:
            continue
        if not 0 <= period.discount_percentage < _PERCENT:
            raise SourceChanged(f"verda: discount_percentage {period.discount_percentage}, expected 0 to 100")
        note = f"list price less the {period.discount_percentage:f} % of {period.code}"
        share = 1 - period.discount_percentage / _PERCENT
        draft.add(term, on_demand.amount * share, currency, note=note)


def _machine(context: FetchContext, row: _InstanceType) -> Machine:
    return build_machine(
        context,
        "verda",
        row.instance_type,
        gpu_label=row.name,
        gpu_count=row.gpu.number_of_gpus,
        memory_gib=row.gpu_memory.size_in_gigabytes / row.gpu.number_of_gpus,
        source=f"{_URL}/instance-types",
        vcpus=positive(row.cpu.number_of_cores),
        ram_gib=positive(row.memory.size_in_gigabytes),
        facts={"ram_gib": STATED_AS_GB},
    )


PROVIDER = Provider(
    name="verda",
    title="Verda",
    fetch=fetch,
    terms=frozenset({Term.ON_DEMAND, Term.SPOT, *_TERMS.values()}),
    currencies=frozenset({"USD"}),
    needs_key=True,
    documentation="https://api.verda.com/v1/docs",
    credentials="VERDA_CLIENT_ID and VERDA_CLIENT_SECRET",
    tells_stock=True,
    lacks="local disks, RDMA; clusters are sold apart",
)
