"""Where a workload's data lies: local NVMe, or the cheapest volume whose stated rate serves it; cold data; egress."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from optimizer.catalog import StorageProduct
from optimizer.domain.money import Rates
from optimizer.domain.offer import Machine, PriceKind
from optimizer.domain.service import ServiceQuote
from optimizer.domain.units import BYTES_PER_GB, BYTES_PER_GIB, BYTES_PER_TIB
from optimizer.domain.workload import TaxSpec, Work
from optimizer.planning.costing import tax_factor

#: A volume slower than this is no better than SATA (rules.md nvme-hot; the figure is ours).
MIN_VOLUME_GBYTE_PER_S = 0.55
HOT_TIERS = ("hot-nvme", "hot-ssd", "shared-fs")
COLD_TIERS = ("cold-hdd", "cold-object")


@dataclass(frozen=True, slots=True)
class Volume:
    """One stored or sent amount: GB, the price of a GB (and month) in its currency, and where the price is from.

    `tax_factor` makes the price like all others; `quote` is the user's own price, `None` for the catalog's.
    """

    product: str
    size_gb: float
    price_per_gb_month: Decimal
    currency: str
    fx_rate: Decimal
    tax_factor: Decimal
    observed: date | None
    source: str
    rate_gbyte_per_s: float | None = None
    iops: float | None = None
    shared: bool = False
    quote: ServiceQuote | None = None

    @property
    def month_exact(self) -> Decimal:
        """The cost of a whole month in the report currency, unrounded."""
        return self.price_per_gb_month * Decimal(repr(self.size_gb)) * self.fx_rate * self.tax_factor

    @property
    def price_kind(self) -> str:
        """Whether the price is the user's quote or a list price."""
        return PriceKind.LIST.value if self.quote is None else PriceKind.QUOTE.value


@dataclass(frozen=True, slots=True)
class Money:
    """What makes prices of data comparable: rates, the report currency, and how tax is treated."""

    rates: Rates
    currency: str
    tax: TaxSpec

    def tax_factor(self, quote: ServiceQuote | None) -> Decimal:
        """The factor of a price; the catalog's rows of storage and traffic state no tax."""
        return tax_factor(None if quote is None else quote.tax_included, self.tax)


@dataclass(frozen=True, slots=True)
class StoragePlan:
    """Hot and cold storage and egress of one workload on one supply.

    `local` says that hot data lies on the machine's own NVMe. `missing` lists required lines without a price.
    """

    local: bool
    hot: Volume | None
    cold: Volume | None
    egress: Volume | None
    hot_need_gb: float
    missing: tuple[str, ...] = ()


def hot_need_gb(work: Work, checkpoint_gb: float) -> float:
    """GB that must lie hot: the hot part of the data set and the checkpoints kept (rules.md nvme-capacity)."""
    return work.dataset_gb * work.hot_fraction + checkpoint_gb * work.checkpoints_kept


def has_local_room(machine: Machine, need_gb: float, nodes: int, share: float) -> bool:
    """Whether the machines' own NVMe holds the hot data: every node holds what it reads (the whole set, ours)."""
    return machine.local_nvme_gb is not None and machine.local_nvme_gb * share >= need_gb > 0


def hot_volumes(rows: tuple[StorageProduct, ...], need_gb: float, money: Money) -> tuple[Volume, ...]:
    """Every hot volume that holds the data, the cheapest first."""
    options = (_volume(row, need_gb, money) for row in rows if row.tier in HOT_TIERS)
    return tuple(sorted(options, key=lambda option: (option.month_exact, option.product)))


def choose_hot(cheapest_first: tuple[Volume, ...], demand_gbyte_per_s: float) -> Volume | None:
    """The cheapest hot volume: first among those whose stated rate suffices, then among those that state none."""
    floor = max(MIN_VOLUME_GBYTE_PER_S, demand_gbyte_per_s)
    stated = (option for option in cheapest_first if (option.rate_gbyte_per_s or 0) >= floor)
    unstated = (option for option in cheapest_first if option.rate_gbyte_per_s is None)
    for group in (stated, unstated, iter(cheapest_first)):
        for option in group:
            return option
    return None


def choose_cold(rows: tuple[StorageProduct, ...], size_gb: float, money: Money) -> Volume | None:
    """The cheapest cold tier; a hot tier never stands in for it unsaid."""
    options = [_volume(row, size_gb, money) for row in rows if row.tier in COLD_TIERS]
    return min(options, key=lambda option: (option.month_exact, option.product), default=None)


def _volume(row: StorageProduct, need_gb: float, money: Money) -> Volume:
    size_gb = max(need_gb, row.min_size_gb)
    return Volume(
        product=row.product,
        size_gb=size_gb,
        price_per_gb_month=price_of_gb(row.price_per_gb_month, per_gib=row.per_gib),
        currency=row.currency,
        fx_rate=money.rates.factor(row.currency, money.currency),
        tax_factor=money.tax_factor(row.quote),
        observed=day_of(row.observed),
        source=row.source,
        rate_gbyte_per_s=_stated_rate(row, size_gb),
        iops=row.iops,
        shared=row.tier == "shared-fs",
        quote=row.quote,
    )


def _stated_rate(row: StorageProduct, size_gb: float) -> float | None:
    """GB/s of a volume of this size as its provider states it."""
    if row.throughput_gbyte_per_s is None or not row.throughput_per_tib:
        return row.throughput_gbyte_per_s
    return row.throughput_gbyte_per_s * size_gb * BYTES_PER_GB / BYTES_PER_TIB


def price_of_gb(price: Decimal, *, per_gib: bool) -> Decimal:
    """The price of 10**9 bytes from a price of one GB or one GiB."""
    return price * BYTES_PER_GB / BYTES_PER_GIB if per_gib else price


def day_of(observed: str) -> date | None:
    """The day of an observation; a bare month or year, or nothing, is no day."""
    with suppress(ValueError):
        return date.fromisoformat(observed)
    return None
