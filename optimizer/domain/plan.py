"""The plan file: what to rent or buy, what runs where and when, what it costs and why it is believed.

Everything needed to check a plan without the catalog travels inside it. Money is exact decimal text with at
most six places; sums of lines equal totals to the last place.
"""

from datetime import date
from decimal import Decimal
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from optimizer.domain.finding import Finding
from optimizer.domain.offer import Offer, Term
from optimizer.domain.service import ServiceQuote


class Part(BaseModel):
    """Base of the plan's records: frozen, unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Layout(Part):
    """How the model is spread over the GPUs. zero 0-3; tp, pp, ep, dp multiply to the GPUs used (ep inside dp)."""

    zero: int
    tp: int
    pp: int
    dp: int
    ep: int = 1
    micro_batch: int
    accumulation: int = 1
    checkpointing: Literal["none", "selective", "full"]
    offload: Literal["none", "optimizer"] = "none"
    sequence_parallel: bool = False


class ServedBy(Part):
    """How many of a workload's nodes are served by which term in [from_day, to_day)."""

    term: Term
    nodes: int
    from_day: int
    to_day: int


class Assignment(Part):
    """One workload (or one stretch of steady work, or one repetition) on one configuration."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, defer_build=True)

    workload: str
    repetition: int = 0
    team: str | None = None
    from_: date = Field(alias="from")
    to: date
    from_day: int
    to_day: int
    provider: str
    region: str
    instance_type: str
    gpu_model: str
    gpus_per_node: int
    gpus_used_per_node: int
    nodes: int
    layout: Layout | None
    memory_gib_per_gpu: dict[str, float]
    usable_gib: float
    host_memory_gib: float | None = None
    tokens_per_second: float | None
    interval: tuple[float, float] | None
    mfu: float | None = None
    binds: str | None = None
    run_hours: float
    hours_per_day: float
    finish_day: int
    start_hour: int = 0
    spot: bool = False
    served_by: tuple[ServedBy, ...]
    conditional: bool
    rules: tuple[Finding, ...]


PurchaseKind = Literal[
    "machine", "commitment", "storage", "egress", "energy", "colocation", "maintenance", "staff", "network", "move"
]


class Purchase(Part):
    """One line of cost: quantity x unit price, in the price's currency and in the plan's.

    `start` and `end` are half-open dates. For owned machines `unit_price` is the purchase price and `residual`
    the value taken off at the horizon's end. A commitment (a savings plan) has no machine and no region: `unit_price`
    is the money committed an hour, `quantity` the hours of its term. The machines that it pays for have lines at the
    plan's rates that cost nothing more.
    """

    kind: PurchaseKind
    provider: str
    region: str
    instance_type: str | None = None
    term: Term | None = None
    count: int
    quantity: Decimal
    unit: str
    start: date
    end: date
    start_day: int
    end_day: int
    unit_price: Decimal
    price_currency: str
    fx_rate: Decimal
    tax_factor: Decimal = Decimal(1)
    residual: Decimal = Decimal(0)
    cost: Decimal
    price_kind: str = "list"
    observed: date | None = None
    source: str
    note: str = ""
    workloads: tuple[str, ...]

    @property
    def summed_under(self) -> str:
        """The name under which costs by term count it: the term of a machine or commitment, the kind of all else."""
        has_term = self.kind in ("machine", "commitment") and self.term is not None
        return self.term.value if has_term and self.term is not None else self.kind


class CashMonth(Part):
    """Cash that leaves in [start + month, start + month + 1)."""

    month: int
    start: date
    amount: Decimal


class Cost(Part):
    """Total, proven bound and gap in the plan's currency; discounted figures when a discount rate is given."""

    total: Decimal
    bound: Decimal
    gap: Decimal
    present_value: Decimal | None = None
    by_month: tuple[Decimal, ...]
    by_team: dict[str, Decimal]
    by_term: dict[str, Decimal]


def _is_none(count: int) -> bool:
    return count == 0


def _are_none(items: tuple[object, ...]) -> bool:
    return not items


class Usage(Part):
    """What one workload uses of one pool in [from_day, to_day): nodes from units, by the hour, as spot, covered.

    `covered` nodes are paid by a savings plan; the field is written only where there are some.
    """

    workload: str
    repetition: int = 0
    pool: str
    from_day: int
    to_day: int
    from_units: int
    hourly: int
    spot: int
    covered: int = Field(default=0, exclude_if=_is_none)
    hours: float
    window: tuple[int, int] | None = None
    gpus_per_node: int


class Sunk(Part):
    """A commitment or machine that is paid for already, and how far the plan uses it."""

    pool: str
    name: str
    count: int
    from_day: int
    to_day: int
    term: Term
    used_unit_days: int


class QuotaUse(Part):
    """One quota and the highest use of it on any day."""

    quota: dict[str, Any]
    peak: int


class Advice(Part):
    """An explanation or advice of the documents whose trigger holds for this plan."""

    id: str
    workload: str
    text_en: str
    text_zh: str
    source: str


class RulePrice(Part):
    """What one binding rule costs: the saving of the best plan without it, or at another document's figure.

    `label` names the rule with the figure in force ("ram-total 2x (D1)"); `against` the looser figure that the
    saving belongs to, empty for the plan without the rule.
    """

    rule: str
    label: str = ""
    against: str = ""
    saving: Decimal
    fraction: float
    plan: str
    source: str = ""


class Alternative(Part):
    """Another plan beside the answer, with what makes it different; `missing` are its lines without a price."""

    title_en: str
    title_zh: str
    cost: Decimal
    extra: Decimal
    finish_day: int | None = None
    description: str
    conditional: bool = False
    missing: tuple[str, ...] = ()


class Caution(Part):
    """What makes the answer doubtful, for the first lines of every output."""

    text_en: str
    text_zh: str


class Unknown(Part):
    """A fact to confirm before buying: what, of which offer, with whom, how it is proven."""

    offer: str
    rule: str
    what_en: str
    what_zh: str
    confirm_with: str
    command: str = ""


class Relaxation(Part):
    """The least change in one direction that gives a plan (for infeasible problems), verified."""

    direction: str
    change_en: str
    change_zh: str
    cost: Decimal | None


class Baseline(Part):
    """What a naive buyer would pay for the same work; machines that stand there anyway cost him the same.

    `missing`: his lines without a price, which `cost` leaves out.
    """

    description: str
    cost: Decimal | None
    saving: Decimal | None
    saving_fraction: float | None = None
    missing: tuple[str, ...] = ()


class HabitBaseline(Part):
    """What a habit of buying gives for the same work; machines that stand there anyway cost it the same.

    `cheapest_hour`: the lowest price of an hour of all that physically fits. `catalog_tool`: the lowest price of an
    hour with as many GPUs as the plan takes, of at least as much memory each. `status`: its plan is verified, nothing
    picked so does the work in time, it was not worked out in time, or its plan was refused by the checks.
    `missing`: its lines without a price, which `cost` leaves out. `broken`: hard rules that its machines fail. Totals
    are compared only where neither it nor the plan lacks a price and it breaks no rule.
    """

    kind: Literal["cheapest_hour", "catalog_tool"]
    status: Literal["verified", "no_plan", "late", "refused"]
    description: str = ""
    cost: Decimal | None = None
    saving: Decimal | None = None
    saving_fraction: float | None = None
    missing: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()


class Removal(Part):
    """How many offers one filter or rule removed, in the order in which filters were applied."""

    filter: str
    removed: int
    left: int


class FxUsed(Part):
    """The rate used for one currency."""

    currency: str
    units_per_usd: Decimal
    day: date | None
    source: str


class CatalogUsed(Part):
    """Which catalog answered: `rows` are machines (an instance type in a region), `prices` what they cost by term.

    `oldest_price` and `undated_prices` are of the lines that the plan rests on.
    """

    files: int
    rows: int
    prices: int | None = None
    sha256: str
    oldest_price: date | None
    undated_prices: int


class FrontierPoint(Part):
    """One point of cost against time: the least cost (and cash) of any plan whose last job ends by this day.

    `missing`: lines without a price; with any, no plan that ends so early has every price, and it costs at least this.
    """

    finish_day: int
    cost: Decimal
    description: str
    within_budget: bool | None = None
    missing: tuple[str, ...] = ()


class AskedInput(Part):
    """An input that the answer rests on, with its value today."""

    input: str
    kind: str
    value: str


class InputRange(AskedInput):
    """How far one input may go before the answer changes; factors of today's value, `None` where nothing changed.

    `lower` and `upper` are the farthest factors at which the answer is known to stay, rounded towards 1. `searched` is
    the range of factors that was looked at; `lower_plan` and `upper_plan` are the answers beyond. `widest_gap` is the
    largest ratio of two neighbouring factors between which the answer was not looked at; `None`: it stays all along.
    """

    lower: float | None
    upper: float | None
    searched: tuple[float, float]
    lower_plan: str = ""
    upper_plan: str = ""
    widest_gap: float | None = None


class Plan(Part):
    """A whole plan file; see docs/reference/plan.md for the meaning of every field."""

    schema_version: Literal[1] = 1
    status: Literal["optimal", "feasible", "infeasible"]
    currency: str
    as_of: date
    start: date
    horizon_days: int
    horizon_months: int
    after_horizon: Literal["stop", "continue"]
    profile: str
    cost: Cost | None
    assignments: tuple[Assignment, ...] = ()
    purchases: tuple[Purchase, ...] = ()
    cash_flow: tuple[CashMonth, ...] = ()
    usage: tuple[Usage, ...] = ()
    sunk: tuple[Sunk, ...] = ()
    quotas: tuple[QuotaUse, ...] = ()
    fx: tuple[FxUsed, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    unknowns: tuple[Unknown, ...] = ()
    rule_prices: tuple[RulePrice, ...] = ()
    rules_below_strict: tuple[str, ...] = ()
    advice: tuple[Advice, ...] = ()
    relaxations: tuple[Relaxation, ...] = ()
    smallest_budget: Decimal | None = None
    frontier: tuple[FrontierPoint, ...] = ()
    frontier_complete: bool | None = None
    sensitivity: tuple[InputRange, ...] = ()
    sensitivity_open: tuple[AskedInput, ...] = ()
    removals: tuple[Removal, ...] = ()
    baseline: Baseline | None = None
    #: Written only where there are some.
    baselines: tuple[HabitBaseline, ...] = Field(default=(), exclude_if=_are_none)
    ties_settled: str = ""
    interrupted: bool = False
    incomplete: tuple[str, ...] = ()
    #: Written only where there are some.
    cautions: tuple[Caution, ...] = Field(default=(), exclude_if=_are_none)
    notes: tuple[str, ...] = ()
    offers: tuple[Offer, ...] = ()
    service_quotes: tuple[ServiceQuote, ...] = ()
    catalog: CatalogUsed | None = None
    inputs: dict[str, Any]
    #: What the command line said beyond the workload file (defaults are left out), so that questions re-plan alike.
    options: dict[str, Any] = {}
    versions: dict[str, str]
