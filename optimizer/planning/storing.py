"""Choosing storage for each candidate once per distinct need."""

from optimizer.catalog.service_prices import ServicePrices
from optimizer.domain.fit import Fit
from optimizer.domain.service import QUOTED_PRODUCTS
from optimizer.domain.workload import Work
from optimizer.planning.storage import (
    Money,
    StoragePlan,
    Volume,
    choose_cold,
    choose_hot,
    day_of,
    has_local_room,
    hot_need_gb,
    hot_volumes,
    price_of_gb,
)
from optimizer.planning.supply import Supply

NOTHING = StoragePlan(local=False, hot=None, cold=None, egress=None, hot_need_gb=0.0)


class StorageChooser:
    """Storage plans by (provider, region, needs); the prices are asked once for each."""

    def __init__(self, prices: ServicePrices, money: Money) -> None:
        self.prices = prices
        self.money = money
        self._plans: dict[tuple[object, ...], StoragePlan] = {}
        self._hot: dict[tuple[str, str, float], tuple[Volume, ...]] = {}

    def plan(self, work: Work, supply: Supply, fit: Fit | None, nodes: int, gpus: int) -> StoragePlan:
        """Where the workload's data lies on this supply, and which required lines have no price."""
        checkpoint_gb = checkpoint_size_gb(work, fit)
        need_gb = hot_need_gb(work, checkpoint_gb)
        local = has_local_room(supply.machine, need_gb, nodes, gpus / supply.machine.gpu_count)
        demand = 0.0 if fit is None else fit.storage_demand_gbyte_per_s
        egress_gb = checkpoint_gb if work.egress_gb is None else work.egress_gb
        hot = None if local or need_gb == 0 or supply.is_owned else self._hot_volume(supply, need_gb, demand)
        key = (supply.provider, supply.region, local, need_gb, id(hot), work.cold_storage_gb, egress_gb)
        known = self._plans.get(key)
        if known is None:
            known = self._plans[key] = self._plan(work, supply, local, need_gb, hot, egress_gb)
        return known

    def _plan(
        self, work: Work, supply: Supply, local: bool, need_gb: float, hot: Volume | None, egress_gb: float
    ) -> StoragePlan:
        if supply.is_owned:
            return StoragePlan(local=local, hot=None, cold=None, egress=None, hot_need_gb=need_gb)
        cold = None if work.cold_storage_gb == 0 else self._cold_volume(supply, work.cold_storage_gb)
        egress = None if egress_gb == 0 else self._egress_volume(supply, egress_gb)
        missing = []
        if hot is None and not local and need_gb > 0:
            missing.append("storage")
        if cold is None and work.cold_storage_gb > 0:
            missing.append("cold storage")
        if egress is None and egress_gb > 0:
            missing.append("egress")
        return StoragePlan(local, hot, cold, egress, need_gb, tuple(missing))

    def _hot_volume(self, supply: Supply, need_gb: float, demand_gbyte_per_s: float) -> Volume | None:
        key = (supply.provider, supply.region, need_gb)
        volumes = self._hot.get(key)
        if volumes is None:
            rows = self.prices.storage(supply.provider, supply.region)
            volumes = self._hot[key] = hot_volumes(rows, need_gb, self.money)
        return choose_hot(volumes, demand_gbyte_per_s)

    def _cold_volume(self, supply: Supply, size_gb: float) -> Volume | None:
        rows = self.prices.storage(supply.provider, supply.region)
        return choose_cold(rows, size_gb, self.money)

    def _egress_volume(self, supply: Supply, size_gb: float) -> Volume | None:
        price = self.prices.egress(supply.provider, supply.region)
        if price is None:
            return None
        return Volume(
            product=QUOTED_PRODUCTS["egress"],
            size_gb=size_gb,
            price_per_gb_month=price_of_gb(price.price_per_gb, per_gib=price.per_gib),
            currency=price.currency,
            fx_rate=self.money.rates.factor(price.currency, self.money.currency),
            tax_factor=self.money.tax_factor(price.quote),
            observed=day_of(price.observed),
            source=price.source,
            quote=price.quote,
        )


def checkpoint_size_gb(work: Work, fit: Fit | None) -> float:
    """GB of one checkpoint: as stated, else as sizing computes it, else nothing (work without a model)."""
    if work.checkpoint_gb != "auto":
        return float(work.checkpoint_gb)
    return 0.0 if fit is None else fit.checkpoint_gb
