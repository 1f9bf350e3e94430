"""Offers: a machine, where it is sold, and one price row for each term it is sold on.

Unknown is `None`: never 0, never a guess. No price row means "not sold on this term".
"""

from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from optimizer.domain.units import HOURS_PER_MONTH, HOURS_PER_YEAR, MONTHS_PER_YEAR

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NonNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Price_ = Annotated[Decimal, Field(gt=0, allow_inf_nan=False)]


class Term(StrEnum):
    """Every way to pay for a machine; the names are fixed (plan file, quotes file, catalog)."""

    ON_DEMAND = "on_demand"
    SPOT = "spot"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"
    RESERVED_3M = "reserved_3m"
    RESERVED_6M = "reserved_6m"
    RESERVED_1Y = "reserved_1y"
    RESERVED_2Y = "reserved_2y"
    RESERVED_3Y = "reserved_3y"
    RESERVED_5Y = "reserved_5y"
    SAVINGS_PLAN_1Y = "savings_plan_1y"
    SAVINGS_PLAN_3Y = "savings_plan_3y"
    CAPACITY_BLOCK = "capacity_block"
    OWNED = "owned"

    @property
    def months(self) -> int | None:
        """Length in calendar months; `None` for terms that are not counted in months."""
        return _TERM_MONTHS.get(self)

    @property
    def days(self) -> int | None:
        """Length in days for the terms that are counted in days."""
        return {Term.DAY: 1, Term.WEEK: 7}.get(self)

    @property
    def is_hourly(self) -> bool:
        """Whether it is paid only for the hours used."""
        return self in (Term.ON_DEMAND, Term.SPOT)

    @property
    def is_savings_plan(self) -> bool:
        """Whether money an hour is committed, whatever machine it pays for."""
        return self in (Term.SAVINGS_PLAN_1Y, Term.SAVINGS_PLAN_3Y)

    @property
    def buys_units(self) -> bool:
        """Whether it pays for machines that stand there for the whole term."""
        return not (self.is_hourly or self.is_savings_plan)


_TERM_MONTHS: dict[Term, int] = {
    Term.MONTH: 1,
    Term.RESERVED_3M: 3,
    Term.RESERVED_6M: 6,
    Term.YEAR: 12,
    Term.RESERVED_1Y: 12,
    Term.SAVINGS_PLAN_1Y: 12,
    Term.RESERVED_2Y: 24,
    Term.RESERVED_3Y: 36,
    Term.SAVINGS_PLAN_3Y: 36,
    Term.RESERVED_5Y: 60,
}


class PriceUnit(StrEnum):
    """What one `amount` buys: the machine for this long."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"
    TERM = "term"


class PriceKind(StrEnum):
    """What sort of statement a price is; only market quotes need `--market` to be planned on."""

    LIST = "list"
    SPOT = "spot"
    STREET = "street"
    MARKET_QUOTE = "market_quote"
    QUOTE = "quote"


class Mark(StrEnum):
    """Why a price row is shown as seen but never planned on."""

    SUPERSEDED = "superseded"
    FLOOR = "floor"
    CAPPED = "capped"
    RETIRED = "retired"
    FRACTIONAL = "fractional"
    NOT_SOLD = "not_sold"
    RATE_UNKNOWN = "rate_unknown"
    CONFLICT = "conflict"
    PARTIAL = "partial"
    EXPIRED = "expired"


class Record(BaseModel):
    """A frozen record that refuses unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Price(Record):
    """One price of one machine on one term, for the whole machine.

    `amount` buys `unit`; an hourly figure on a longer term is read as month x 730, year x 8,760 hours.
    `upfront_amount` is paid on the first day for the whole term on top of `amount`.
    """

    term: Term
    amount: Price_
    unit: PriceUnit
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
    upfront_amount: Annotated[Decimal, Field(ge=0, allow_inf_nan=False)] | None = None
    #: Share of the term's total due on the first day; None is unknown and planned as stated in docs/adr.
    upfront_share: Annotated[Decimal, Field(ge=0, le=1)] | None = None
    tax_included: bool | None = None
    kind: PriceKind = PriceKind.LIST
    billing_unit_hours: Positive = 1.0
    minimum_hours: NonNegative = 0.0
    block_lengths_days: tuple[int, ...] = ()
    interruptions_per_hour: NonNegative | None = None
    observed: date | None = None
    valid_from: date | None = None
    valid_to: date | None = None
    source: Annotated[str, Field(min_length=1)]
    note: str = ""
    marks: tuple[Mark, ...] = ()

    @property
    def is_plannable(self) -> bool:
        """Whether the row may be planned on at all (market quotes are a separate switch)."""
        return not self.marks

    def per_hour(self) -> Decimal:
        """The price of one hour; for longer units their hours by the design's convention."""
        return self.amount / _HOURS_PER_UNIT[self._unit_resolved()]

    def per_month(self) -> Decimal:
        """The monthly payment of a term counted in months."""
        unit = self._unit_resolved()
        if unit is PriceUnit.MONTH:
            return self.amount
        if unit is PriceUnit.YEAR:
            return self.amount / MONTHS_PER_YEAR
        if unit is PriceUnit.HOUR and self.term.months is not None and self.term.months >= MONTHS_PER_YEAR:
            return self.amount * HOURS_PER_YEAR / MONTHS_PER_YEAR
        return self.amount * HOURS_PER_MONTH if unit is PriceUnit.HOUR else self.term_total() / (self.term.months or 1)

    def term_total(self, block_days: int | None = None) -> Decimal:
        """What one unit costs for the whole term, without `upfront_amount`; a block for a length (its first)."""
        months, days = self.term.months, self.term.days
        if self.unit is PriceUnit.TERM:
            return self.amount
        if months is not None:
            return self._monthly_total(months)
        if self.term is Term.CAPACITY_BLOCK:
            days = block_days or (self.block_lengths_days[0] if self.block_lengths_days else 1)
        hours = 24 * (days if days is not None else 1)
        return self.amount * hours / _HOURS_PER_UNIT[self.unit] if not self.term.is_hourly else self.amount

    def _monthly_total(self, months: int) -> Decimal:
        if self.unit is PriceUnit.MONTH:
            return self.amount * months
        if self.unit is PriceUnit.YEAR:
            return self.amount * months / MONTHS_PER_YEAR
        if self.unit is PriceUnit.HOUR:
            per_month = HOURS_PER_MONTH if months < MONTHS_PER_YEAR else Decimal(HOURS_PER_YEAR) / MONTHS_PER_YEAR
            return self.amount * per_month * months
        raise ValueError(f"a {self.term} price per {self.unit} has no monthly total")

    def _unit_resolved(self) -> PriceUnit:
        if self.unit is not PriceUnit.TERM:
            return self.unit
        raise ValueError("a price per term has no rate; use term_total")


_HOURS_PER_UNIT: dict[PriceUnit, int] = {
    PriceUnit.HOUR: 1,
    PriceUnit.DAY: 24,
    PriceUnit.WEEK: 7 * 24,
    PriceUnit.MONTH: HOURS_PER_MONTH,
    PriceUnit.YEAR: HOURS_PER_YEAR,
}


class IntraLink(StrEnum):
    """How the GPUs of one machine reach each other."""

    NVSWITCH = "nvswitch"
    NVLINK = "nvlink"
    NVLINK_PAIRS = "nvlink_pairs"
    XGMI = "xgmi"
    HCCS = "hccs"
    PCIE = "pcie"


class Rdma(StrEnum):
    """Remote memory access between machines; `NONE` is a fact, a missing value is unknown."""

    INFINIBAND = "infiniband"
    ROCE = "roce"
    EFA = "efa"
    ERDMA = "erdma"
    GPUDIRECT_TCPX = "gpudirect_tcpx"
    UNSPECIFIED = "unspecified"
    NONE = "none"


class Machine(Record):
    """The hardware of one instance type, cluster node or owned server.

    `gpu_model` is the canonical id of the GPU table; `gpu_count` is whole unless `gpu_fraction` says
    which share of one card it is. Bandwidth figures are per machine unless the name says per GPU.
    `facts` gives for a field how it is known: "stated", "derived: ..." (absent: stated by `source`).
    """

    provider: str
    instance_type: str
    gpu_model: str
    gpu_label: str = ""
    gpu_count: Annotated[int, Field(ge=1)]
    gpu_fraction: Annotated[float, Field(gt=0, lt=1)] | None = None
    gpu_memory_gib: Positive
    gpu_memory_usable_gib: Positive
    memory_type: str | None = None
    memory_bandwidth_gbyte_per_s: Positive | None = None
    compute_capability: Positive | None = None
    intra_link: IntraLink | None = None
    intra_link_gbyte_per_s: Positive | None = None
    network_gbit_per_s: Positive | None = None
    rdma: Rdma | None = None
    vcpus: Positive | None = None
    cores: Positive | None = None
    cpu: str | None = None
    cpu_tdp_watts: Positive | None = None
    ram_gib: Positive | None = None
    ram_mts: Positive | None = None
    ecc: bool | None = None
    pcie_generation: int | None = None
    pcie_lanes: int | None = None
    pcie_width_measured: int | None = None
    local_nvme_gb: NonNegative | None = None
    local_nvme_gbyte_per_s: Positive | None = None
    bare_metal: bool | None = None
    elastic: bool | None = None
    power_watts: Positive | None = None
    facts: dict[str, str] = {}
    observed: date | None = None
    source: str = ""
    note: str = ""

    @property
    def total_gpu_memory_gib(self) -> float:
        """Nominal GPU memory of the whole machine."""
        return self.gpu_memory_gib * self.gpu_count


class Availability(StrEnum):
    """Stock as the provider told it."""

    IN_STOCK = "in_stock"
    NONE = "none"
    UNKNOWN = "unknown"


class Offer(Record):
    """One machine in one region of one provider with all its prices."""

    provider: str
    region: str
    canonical_region: str | None = None
    country: str | None = None
    jurisdiction: str | None = None
    zone: str | None = None
    machine: Machine
    prices: tuple[Price, ...] = ()
    availability: Availability = Availability.UNKNOWN

    @property
    def instance_type(self) -> str:
        """The provider's name of the machine."""
        return self.machine.instance_type

    @property
    def key(self) -> str:
        """`provider/region/instance_type`, the name users give an offer by."""
        return f"{self.provider}/{self.region}/{self.machine.instance_type}"

    def price(self, term: Term) -> Price | None:
        """The plannable price on a term, if it is sold so."""
        return next((price for price in self.prices if price.term is term and price.is_plannable), None)


class Rejected(Record):
    """A row of a source that did not become an offer, and why (`quarantined`: kept for review, not planned)."""

    provider: str
    row: str
    reason: str
    quarantined: bool = False
