"""Random workload files over small random parts of the real catalog, with every feature that changes a plan's lines."""

from collections.abc import Iterator
from datetime import date
from functools import cached_property
from random import Random
from typing import Any

from optimizer.catalog import Catalog
from optimizer.catalog.catalog import Sale
from optimizer.domain.offer import Offer, Term
from optimizer.domain.workload import WorkloadFile

AS_OF = date(2026, 11, 30)
STARTS = ("2026-12-01", "2027-01-31", "2027-03-15")
#: A machine that stands there and one that may be bought, spelled out so that no server table is needed.
LAB = {
    "name": "lab-1", "gpu": "A100-SXM4-80GB", "gpus": 8, "cores": 96, "ram_gib": 2048, "ecc": True, "pcie_lanes": 128,
    "local_nvme_gb": 15000, "load_kw": 6.5, "idle_kw": 2, "colocation_per_kw_month": 90, "staff_per_month": 10,
    "maintenance_per_month": 5,
}  # fmt: skip
MAY_BUY = {
    "name": "buy-1", "server": "hgx-a100-8", "price": 9000, "lead_time_days": 5, "max": 2,
    "residual_by_month": {0: 1.0, 12: 0.8}, "load_kw": 6.5, "idle_kw": 2, "colocation_per_kw_month": 9,
    "maintenance_fraction_year": 0.05, "staff_per_month": 3, "network_per_node": 7,
}  # fmt: skip


class SmallCatalog(Catalog):
    """The shipped facts, read once for all, with a few of the shipped offers."""

    def __init__(self, whole: Catalog, offers: tuple[Offer, ...]) -> None:
        for name, kind in vars(Catalog).items():
            if isinstance(kind, cached_property):
                getattr(whole, name)
        vars(self).update(vars(whole))
        self._offers = offers

    def sales(self) -> Iterator[Sale]:
        """The offers without their price rows: who sells, and how many."""
        return (Sale(offer.provider, offer.region, None, offer.machine, []) for offer in self.offers())


def small_catalog(whole: Catalog, random: Random, size: int = 9) -> SmallCatalog:
    """`size` random offers that can be planned on, a third of them sold by the month, sorted by key."""
    usable = [offer for offer in whole.offers() if any(price.is_plannable for price in offer.prices)]
    monthly = [offer for offer in usable if offer.price(Term.MONTH) is not None]
    mine = {offer.key: offer for offer in (*random.sample(usable, size), *random.sample(monthly, size // 3))}
    return SmallCatalog(whole, tuple(mine[key] for key in sorted(mine)))


def random_file(random: Random, offers: tuple[Offer, ...]) -> WorkloadFile:
    """One file: one to three workloads, a horizon of one to three months, some of the other features."""
    months = random.randint(1, 3)
    steady = random.random() < 0.35
    works = [_steady(random, 0, months)] if steady else []
    goes_on = steady and random.random() < 0.3
    if not goes_on:
        works += [_job(random, number, months) for number in range(len(works), random.randint(1, 2) + len(works))]
    if random.random() < 0.2 and not goes_on:
        works.append(_lasting(random, offers))
    data: dict[str, Any] = {
        "currency": random.choice(("USD", "CNY", "CNY")),
        "start": random.choice(STARTS),
        "horizon_months": months,
        "profile": "off",
        "workloads": works,
    }
    if goes_on:
        data["after_horizon"] = "continue"
    data |= _money(random) | _owned(random) | _limits(random, offers)
    return WorkloadFile.model_validate(data)


def _money(random: Random) -> dict[str, Any]:
    data: dict[str, Any] = {}
    if random.random() < 0.3:
        data["discount_rate"] = random.choice((0.05, 0.2))
    if random.random() < 0.5:
        data["tax"] = {"rate": 0.06, "included": random.random() < 0.5, "recoverable": random.random() < 0.5}
    if random.random() < 0.3:
        data["fx"] = {"USDCNY": 7.1}
    return data


def _owned(random: Random) -> dict[str, Any]:
    owned: dict[str, Any] = {"pue": 1.25, "electricity_per_kwh": 0.8}
    if random.random() < 0.15:
        owned["already"] = [LAB]
    if random.random() < 0.2:
        owned["may_buy"] = [MAY_BUY]
    return {"owned": owned} if len(owned) > 2 else {}


def _limits(random: Random, offers: tuple[Offer, ...]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    if random.random() < 0.3:
        data["quotas"] = [{"term": random.choice(("any", "hourly", "spot", "term")), "max_gpus": 64}]
    if random.random() < 0.3:
        data["max_hourly"] = 5000
    if random.random() < 0.3:
        data |= {"budget": 10_000_000, "monthly_budget": 5_000_000}
    if random.random() < 0.2:
        offer = random.choice(offers)
        data["commitments"] = [{"offer": offer.key, "term": "month", "ends": "2027-04-20"}]
    return data


def _common(random: Random, number: int) -> dict[str, Any]:
    work: dict[str, Any] = {
        "name": f"work-{number}",
        "team": random.choice((None, "search", "lab")),
        "model": {"preset": random.choice(("llama-2-7b", "llama-2-13b"))},
        "method": random.choice(("lora", "qlora", "full")),
        "sequence_length": 2048,
        "max_nodes": 2,
    }
    if random.random() < 0.3:
        work |= {"dataset_gb": random.choice((20, 300)), "checkpoint_gb": random.choice(("auto", 3))}
    if random.random() < 0.2:
        work |= {"dataset": "corpus", "dataset_gb": 150}
    if random.random() < 0.2:
        work |= {"cold_storage_gb": 400}
    if random.random() < 0.2:
        work |= {"egress_gb": random.choice((0, 50))}
    return work


def _steady(random: Random, number: int, months: int) -> dict[str, Any]:
    tokens: Any = random.choice((1.0e9, 4.0e9, 9.0e9))
    if random.random() < 0.3:
        # Each month its own amount, some of them nothing, but never all of them.
        tokens = [random.choice((1.0e8, 4.0e8, 0)) for _ in range(months - 1)]
        tokens.insert(random.randint(0, months - 1), 1.0e8)
    more = {"tokens_per_month": tokens, "max_moves": random.randint(0, 2), "move_cost": random.choice((0, 3))}
    return _common(random, number) | more


def _lasting(random: Random, offers: tuple[Offer, ...]) -> dict[str, Any]:
    """25 days without a pause on the GPU of an offer that is sold by the month: rents compete."""
    offer = random.choice([offer for offer in offers if offer.price(Term.MONTH) is not None])
    machine = offer.machine
    hours = {"gpu": machine.gpu_model, "hours": machine.gpu_count * 24 * 25}
    place = {"providers": [offer.provider], "regions": [offer.region]}
    return {"name": "lasting", "team": "lab", "gpu_hours": hours, "max_nodes": 1, **place}


def _job(random: Random, number: int, months: int) -> dict[str, Any]:
    work = _common(random, number) | {"tokens": random.choice((5.0e7, 2.0e8, 4.0e9))}
    if random.random() < 0.4:
        work["hours_per_day"] = random.choice((6, 10.5))
    elif random.random() < 0.3:
        work["window"] = {"from": random.choice(("09:00", "20:00")), "hours": 10}
    if random.random() < 0.3:
        work["latest_start_day"] = 3
    if random.random() < 0.3:
        work["starts_day"] = random.randint(0, 3)
    if months > 1 and random.random() < 0.3:
        work["repeats"] = {"every_months": 1, "times": months}
    if random.random() < 0.4:
        work |= {"interruptible": True, "spot": {"interruptions_per_hour": 0.02}}
    return work
