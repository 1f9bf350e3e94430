"""The workload file: what is to be trained, with which money, where and until when.

Field names are the product's contract (docs/workload.md). A field's suffix is its unit; `gb` is 10**9 bytes.
"""

from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Strict, model_validator

from optimizer.domain.offer import Term

Auto = Literal["auto"]
CURRENCY_PATTERN = r"^[A-Z]{3}$"
CLOCK_PATTERN = r"^([01]\d|2[0-3]):00$"
Currency = Annotated[str, Field(pattern=CURRENCY_PATTERN, description="ISO 4217 code, for example CNY")]


def _only_numbers(value: Any) -> Any:
    if isinstance(value, bool | str):
        raise ValueError("a number without quotes or unit (the unit is in the field's name)")  # noqa: TRY004
    return value


Number = BeforeValidator(_only_numbers)
Flag = Annotated[bool, Strict()]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False), Number]
NonNegative = Annotated[float, Field(ge=0, allow_inf_nan=False), Number]
Fraction = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False), Number]
PositiveInt = Annotated[int, Field(gt=0), Number]
NonNegativeInt = Annotated[int, Field(ge=0), Number]
#: Day numbers reach as far as the longest horizon (120 months).
Day = Annotated[int, Field(ge=0, le=3653), Number]
Days = Annotated[int, Field(gt=0, le=3653), Number]
Months = Annotated[int, Field(gt=0, le=120), Number]
StartDate = Annotated[date, Field(ge=date(2000, 1, 1), le=date(2100, 1, 1))]
Amount = Annotated[Decimal, Field(ge=0, allow_inf_nan=False), Number]
Glob = Annotated[str, Field(min_length=1, description="a name or a shell pattern such as A100*")]
ClockTime = Annotated[str, Field(pattern=CLOCK_PATTERN, description='a full hour such as "09:00"')]

Method = Literal["pretrain", "full", "lora", "qlora"]
Precision = Literal["fp32", "fp16", "bf16", "fp8"]
Optimizer = Literal["adamw", "adamw-8bit", "adafactor", "sgd", "lion"]
Checkpointing = Literal["none", "selective", "full"]
RuleSeverity = Literal["hard", "warn", "advice", "off"]
ProfileName = Literal["documents", "strict", "floor", "off"]


class Input(BaseModel):
    """Base of the file's records: unknown fields are errors, nothing changes after reading."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class ModelSpec(Input):
    """A model by preset name or by its architecture; stated fields override the preset's."""

    preset: str | None = None
    parameters_b: Positive | None = None
    layers: PositiveInt | None = None
    hidden_size: PositiveInt | None = None
    heads: PositiveInt | None = None
    kv_heads: PositiveInt | None = None
    head_dim: PositiveInt | None = None
    ffn_size: PositiveInt | None = None
    moe_ffn_size: PositiveInt | None = None
    shared_expert_ffn_size: PositiveInt | None = None
    dense_layers: NonNegativeInt | None = None
    vocab_size: PositiveInt | None = None
    tied_embeddings: Flag | None = None
    experts: PositiveInt | None = None
    active_experts: PositiveInt | None = None

    @model_validator(mode="after")
    def _names_a_model(self) -> "ModelSpec":
        if self.preset is None and self.parameters_b is None and self.layers is None:
            raise ValueError("give a preset, or parameters_b, or the architecture (layers, hidden_size, ...)")
        return self


class LoraSpec(Input):
    """Low-rank adapters: rank and the layers that carry them."""

    rank: PositiveInt = 16
    targets: Literal["all", "attention", "qv"] = "all"


class QloraSpec(Input):
    """Bits of the frozen quantized base weights."""

    bits: Literal[4, 8] = 4


class LayoutSpec(Input):
    """A parallel layout that the user fixes; what is left out is searched.

    `pp: any` searches pipelines for fine-tuning too, for tools that have them.
    """

    tp: PositiveInt | None = None
    pp: PositiveInt | Literal["any"] | None = None
    ep: PositiveInt | None = None
    zero: Annotated[int, Field(ge=0, le=3)] | None = None


class GpuHours(Input):
    """Work given as hours on a named GPU, for jobs that are not a language model."""

    gpu: str
    hours: Positive


class WindowSpec(Input):
    """The same hours every day, wrapping past midnight; the other hours are free for other work."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, defer_build=True)

    from_: ClockTime = Field(alias="from")
    hours: Annotated[int, Field(ge=1, le=24)]


class RepeatSpec(Input):
    """A job that comes back; each repetition is a job of its own."""

    every_months: Months = 1
    times: Months


class SpotSpec(Input):
    """How often spot machines go away and what that costs in hours of lost and repeated work."""

    interruptions_per_hour: NonNegative | None = None
    lost_hours: NonNegative = 0.5
    restart_hours: NonNegative = 0.25


class GpuFilter(Input):
    """Globs over canonical GPU models; deny wins."""

    allow: tuple[Glob, ...] = ()
    deny: tuple[Glob, ...] = ()


class Measured(Input):
    """The user's own run: it calibrates the prediction for that GPU."""

    gpu: str
    gpus: PositiveInt
    tokens_per_second: Positive
    nodes: PositiveInt = 1


class Work(Input):
    """One workload: a job (tokens, epochs, gpu_hours) or steady work (tokens_per_month)."""

    name: str = "workload"
    team: str | None = None
    priority: int | None = None
    model: ModelSpec | None = None
    method: Method = "full"
    lora: LoraSpec = LoraSpec()
    qlora: QloraSpec = QloraSpec()
    precision: Precision = "bf16"
    master_weights: Flag = True
    optimizer: Optimizer = "adamw"
    offload: Literal["none", "optimizer", "auto"] = "none"
    attention: Literal["flash", "plain"] = "flash"
    cross_entropy: Literal["plain", "fused"] = "plain"
    sequence_length: PositiveInt = 4096
    global_batch_tokens: PositiveInt | None = None
    micro_batch_size: PositiveInt | Auto = "auto"
    activation_checkpointing: Checkpointing | Auto = "auto"
    layout: LayoutSpec | Auto = "auto"
    tokens: Positive | None = None
    tokens_per_month: Positive | tuple[NonNegative, ...] | None = None
    gpu_hours: GpuHours | None = None
    epochs: Positive | None = None
    dataset_tokens: Positive | None = None
    starts_day: Day = 0
    latest_start_day: Day | None = None
    deadline_days: Days | None = None
    hours_per_day: Annotated[float, Field(gt=0, le=24), Number] = 24
    window: WindowSpec | None = None
    repeats: RepeatSpec | None = None
    max_moves: NonNegativeInt = 1
    move_cost: Amount = Decimal(0)
    dataset: str | None = None
    dataset_gb: NonNegative = 0
    hot_fraction: Annotated[float, Field(gt=0, le=1), Number] = 1.0
    files: PositiveInt | None = None
    mean_file_kb: Positive | None = None
    egress_gb: NonNegative | None = None
    checkpoint_gb: NonNegative | Auto = "auto"
    checkpoints_kept: NonNegativeInt = 2
    checkpoint_minutes: Positive = 30
    cold_storage_gb: NonNegative = 0
    firm_io: Flag = False
    exclusive: Flag = False
    interruptible: Flag = False
    spot: SpotSpec = SpotSpec()
    min_gpus: PositiveInt | None = None
    max_nodes: Annotated[int, Field(gt=0, le=4096), Number] = 16
    countries: tuple[Glob, ...] = ()
    regions: tuple[Glob, ...] = ()
    providers: tuple[Glob, ...] = ()
    gpus: GpuFilter = GpuFilter()
    measured: Measured | None = None

    @property
    def is_steady(self) -> bool:
        """Whether the work goes on for the whole horizon instead of ending."""
        return self.tokens_per_month is not None

    @property
    def total_tokens(self) -> float | None:
        """Tokens of a job; `None` for steady work and for work given in GPU hours."""
        if self.tokens is not None:
            return self.tokens
        if self.epochs is not None and self.dataset_tokens is not None:
            return self.epochs * self.dataset_tokens
        return None

    @model_validator(mode="after")
    def _amounts_of_work(self) -> "Work":
        given = [
            name
            for name, value in {
                "tokens": self.tokens,
                "tokens_per_month": self.tokens_per_month,
                "gpu_hours": self.gpu_hours,
                "epochs": self.epochs,
            }.items()
            if value is not None
        ]
        if len(given) != 1:
            raise ValueError(
                "give exactly one of tokens, tokens_per_month, gpu_hours, or epochs with dataset_tokens; "
                f"found {', '.join(given) or 'none'}"
            )
        if isinstance(self.tokens_per_month, tuple) and not any(self.tokens_per_month):
            raise ValueError("tokens_per_month with tokens in one month at least; found 0 in every month")
        if (self.epochs is None) != (self.dataset_tokens is None):
            raise ValueError("epochs and dataset_tokens go together")
        if self.model is None and self.gpu_hours is None:
            raise ValueError("a model; only work given as gpu_hours can do without one")
        return self

    @model_validator(mode="after")
    def _times_agree(self) -> "Work":
        if self.latest_start_day is not None and self.latest_start_day < self.starts_day:
            raise ValueError(
                f"latest_start_day of at least starts_day, {self.starts_day}; found {self.latest_start_day}"
            )
        if self.window is not None and self.hours_per_day != 24 and self.hours_per_day > self.window.hours:
            raise ValueError(
                f"hours_per_day of at most the window's {self.window.hours} h; found {self.hours_per_day:g}"
            )
        if self.is_steady and self.repeats is not None:
            raise ValueError("steady work cannot repeat")
        return self


class TaxSpec(Input):
    """How list prices are compared: with or without tax, and whether tax comes back."""

    included: Flag = True
    rate: Fraction = 0.0
    recoverable: Flag = False


class RuleOverride(BaseModel):
    """A severity or figures of one rule that the user changes; figures are checked against the rule."""

    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True)

    severity: RuleSeverity | None = None

    @property
    def figures(self) -> dict[str, Any]:
        """The parameters that are overridden, by name."""
        return dict(self.model_extra or {})


class OwnedAlready(Input):
    """Machines that the user has; their price is gone, their running cost counts."""

    name: str
    server: str | None = None
    count: PositiveInt = 1
    available_from: date | None = None
    gpu: str | None = None
    gpus: PositiveInt | None = None
    cores: Positive | None = None
    ram_gib: Positive | None = None
    ecc: Flag | None = None
    pcie_lanes: PositiveInt | None = None
    local_nvme_gb: NonNegative | None = None
    network_gbit_per_s: Positive | None = None
    rdma: str | None = None
    country: str | None = None
    load_kw: Positive | None = None
    idle_kw: NonNegative | None = None
    colocation_per_kw_month: Amount = Decimal(0)
    maintenance_per_month: Amount = Decimal(0)
    staff_per_month: Amount = Decimal(0)
    shareable: Flag = True

    @model_validator(mode="after")
    def _names_hardware(self) -> "OwnedAlready":
        if self.server is None and (self.gpu is None or self.gpus is None):
            raise ValueError("give a server of the catalog, or spell out gpu and gpus")
        return self


def _month_keys(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    try:
        return {int(month): share for month, share in value.items()}
    except (TypeError, ValueError) as error:
        raise ValueError("ages in whole months as keys, such as {0: 1.0, 12: 0.7}") from error


class MayBuy(Input):
    """A server that may be bought, with what owning it costs."""

    server: str
    name: str | None = None
    price: Amount
    currency: Currency | None = None
    lead_time_days: NonNegativeInt = 0
    max: PositiveInt = 1
    residual_by_month: Annotated[dict[int, Fraction], BeforeValidator(_month_keys)] = {0: 0.0}
    load_kw: Positive
    idle_kw: NonNegative = 0
    colocation_per_kw_month: Amount = Decimal(0)
    maintenance_fraction_year: Fraction = 0.0
    staff_per_month: Amount = Decimal(0)
    network_per_node: Amount = Decimal(0)
    shareable: Flag = True
    gpu: str | None = None
    gpus: PositiveInt | None = None
    cores: Positive | None = None
    ram_gib: Positive | None = None
    ecc: Flag | None = None
    pcie_lanes: PositiveInt | None = None
    local_nvme_gb: NonNegative | None = None
    network_gbit_per_s: Positive | None = None
    rdma: str | None = None
    country: str | None = None


class OwnedSpec(Input):
    """The user's own site and machines."""

    site_power_kw: Positive | None = None
    electricity_per_kwh: Amount | None = None
    pue: Annotated[float, Field(ge=1, allow_inf_nan=False), Number] = 1.0
    already: tuple[OwnedAlready, ...] = ()
    may_buy: tuple[MayBuy, ...] = ()


class Commitment(Input):
    """A rent that is already paid: sunk."""

    offer: str
    term: Term
    count: PositiveInt = 1
    starts: date | None = None
    ends: date

    @property
    def held_as(self) -> Term:
        """The term on which its machines stand there: a savings plan that pays for them is like a reservation."""
        if not self.term.is_savings_plan:
            return self.term
        return Term.RESERVED_1Y if self.term is Term.SAVINGS_PLAN_1Y else Term.RESERVED_3Y


class Quota(Input):
    """A limit over the pools that match it."""

    provider: Glob = "*"
    region: Glob = "*"
    instance_type: Glob = "*"
    gpu: Glob = "*"
    term: Literal["any", "hourly", "spot", "term"] = "any"
    max_gpus: NonNegativeInt | None = None
    max_nodes: NonNegativeInt | None = None

    @model_validator(mode="after")
    def _limits_something(self) -> "Quota":
        if self.max_gpus is None and self.max_nodes is None:
            raise ValueError("give max_gpus or max_nodes")
        return self


class WorkloadFile(Input):
    """The whole file. A single workload may stand at the top level; reading folds it into `workloads`."""

    currency: Currency = "USD"
    budget: Amount | None = None
    monthly_budget: Amount | None = None
    start: StartDate
    horizon_months: Months | None = None
    after_horizon: Literal["stop", "continue"] = "stop"
    discount_rate: Annotated[float, Field(ge=0, lt=10, allow_inf_nan=False), Number] = 0.0
    max_hourly: Amount | None = None
    profile: ProfileName = "documents"
    rules: dict[str, RuleOverride] = {}
    tax: TaxSpec = TaxSpec()
    workloads: Annotated[tuple[Work, ...], Field(min_length=1, max_length=1000)]
    owned: OwnedSpec = OwnedSpec()
    commitments: tuple[Commitment, ...] = ()
    quotas: tuple[Quota, ...] = ()
    quotes: str | None = None
    fx: dict[str, Annotated[Decimal, Field(gt=0, allow_inf_nan=False), Number]] = {}

    @model_validator(mode="after")
    def _names_are_unique(self) -> "WorkloadFile":
        names = [work.name for work in self.workloads]
        doubled = sorted({name for name in names if names.count(name) > 1})
        if doubled:
            raise ValueError(f"names that differ among workloads; found twice: {', '.join(doubled)}")
        return self

    @model_validator(mode="after")
    def _horizon_fits(self) -> "WorkloadFile":
        steady = [work for work in self.workloads if work.is_steady]
        if steady and self.horizon_months is None:
            raise ValueError(f"horizon_months is mandatory for steady work ({steady[0].name})")
        for work in steady:
            if isinstance(work.tokens_per_month, tuple) and len(work.tokens_per_month) != self.horizon_months:
                raise ValueError(
                    f"{work.name}: tokens_per_month has {len(work.tokens_per_month)} entries for "
                    f"{self.horizon_months} months"
                )
        if self.after_horizon == "continue" and len(steady) != len(self.workloads):
            raise ValueError("after_horizon: continue is for steady work only")
        return self

    @model_validator(mode="after")
    def _fx_pairs(self) -> "WorkloadFile":
        for pair in self.fx:
            if len(pair) != 6 or not pair.isupper() or not pair.startswith("USD"):
                raise ValueError(f"fx keys are USD and a currency, such as USDCNY; found {pair}")
        return self
