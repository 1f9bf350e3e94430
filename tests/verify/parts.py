"""What plans made by hand are put together from: machines, offers, assignments, purchases, costs."""

from collections.abc import Iterable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from optimizer.domain.offer import Machine, Offer, Price, PriceUnit, Term
from optimizer.domain.plan import (
    Assignment,
    CashMonth,
    Cost,
    Layout,
    Plan,
    Purchase,
    ServedBy,
    Usage,
)

D = Decimal
AS_OF = date(2026, 11, 30)
GPU = "A100-PCIE-40GB"
MEMORY = {"weights": 12.0, "gradients": 12.0, "optimizer": 6.0, "activations": 4.0, "logits": 1.0, "other": 1.0}


def machine(name: str, gpus: int, **facts: Any) -> Machine:
    """A machine of A100 40 GB cards."""
    stated = {"gpu_memory_gib": 40, "gpu_memory_usable_gib": 39.5, "source": "test"} | facts
    return Machine(instance_type=name, gpu_model=GPU, gpu_count=gpus, **stated)


def offer(provider: str, region: str, name: str, gpus: int, *prices: Price, country: str = "CN") -> Offer:
    """An offer of such a machine."""
    return Offer(
        provider=provider,
        region=region,
        country=country,
        machine=machine(name, gpus, provider=provider),
        prices=prices,
    )


def price(term: Term, amount: str, unit: PriceUnit, currency: str = "CNY", **more: Any) -> Price:
    """A list price observed on 1 November 2026."""
    more = {"observed": date(2026, 11, 1), "source": "price page"} | more
    return Price(term=term, amount=D(amount), unit=unit, currency=currency, **more)


def assignment(start: date, work: str, pool: Offer, days: tuple[int, int], **more: Any) -> Assignment:
    """An assignment on one node of a pool, by default on demand all its days."""
    first, end = days
    served = more.pop("served_by", (ServedBy(term=Term.ON_DEMAND, nodes=1, from_day=first, to_day=end),))
    figures: dict[str, Any] = {
        "layout": None,
        "memory_gib_per_gpu": {},
        "usable_gib": 39.5,
        "tokens_per_second": None,
        "interval": None,
        "nodes": 1,
        "conditional": False,
        "rules": (),
        "gpus_used_per_node": pool.machine.gpu_count,
    }
    return Assignment(
        workload=work,
        from_=start + timedelta(days=first),
        to=start + timedelta(days=end),
        from_day=first,
        to_day=end,
        finish_day=end - 1,
        provider=pool.provider,
        region=pool.region,
        instance_type=pool.instance_type,
        gpu_model=GPU,
        gpus_per_node=pool.machine.gpu_count,
        served_by=served,
        **(figures | more),
    )


def sized(gpus: int, tokens_per_second: float) -> dict[str, Any]:
    """Layout, memory and speed of a job on `gpus` data-parallel GPUs; the parts sum to 36."""
    return {
        "layout": Layout(zero=0, tp=1, pp=1, dp=gpus, micro_batch=1, checkpointing="none"),
        "memory_gib_per_gpu": {**MEMORY, "total": 36.0},
        "tokens_per_second": tokens_per_second,
        "interval": (tokens_per_second * 0.8, tokens_per_second * 1.2),
    }


def usage(work: str, pool: Offer, days: tuple[int, int], hours: float, **more: Any) -> Usage:
    """What a job uses of a pool on [first, end); one node by the hour unless told otherwise."""
    figures = {"from_units": 0, "hourly": 1, "spot": 0, "gpus_per_node": pool.machine.gpu_count} | more
    return Usage(workload=work, pool=pool.key, from_day=days[0], to_day=days[1], hours=hours, **figures)


def purchase(start: date, pool: Offer, days: tuple[int, int], works: Iterable[str], **more: Any) -> Purchase:
    """A line of cost on [first, end); machine lines repeat the price's date."""
    is_machine = more.get("kind", "machine") == "machine"
    figures: dict[str, Any] = {
        "kind": "machine",
        "count": 1,
        "price_currency": "CNY",
        "fx_rate": D(1),
        "source": "price page",
        "observed": date(2026, 11, 1) if is_machine else None,
        "instance_type": pool.instance_type,
    } | more
    return Purchase(
        provider=pool.provider,
        region=pool.region,
        start=start + timedelta(days=days[0]),
        end=start + timedelta(days=days[1]),
        start_day=days[0],
        end_day=days[1],
        workloads=tuple(works),
        **figures,
    )


def cost(total: str, by_month: list[str], by_term: dict[str, str], **more: Any) -> Cost:
    """A proven cost: bound and total agree."""
    figures = {"bound": D(total), "gap": D(0), "by_team": {"search": D(total)}} | more
    return Cost(
        total=D(total),
        by_month=tuple(D(amount) for amount in by_month),
        by_term={name: D(amount) for name, amount in by_term.items()},
        **figures,
    )


def plan(start: date, months: int, days: int, money: Cost, inputs: dict[str, Any], **parts: Any) -> Plan:
    """A plan file in CNY; the cash flow repeats the cost by month."""
    file = {"start": start.isoformat(), "currency": "CNY", "horizon_months": months} | inputs
    flow = [
        CashMonth(month=month, start=begin, amount=amount)
        for month, (begin, amount) in enumerate(zip(parts.pop("month_dates"), money.by_month, strict=True))
    ]
    return Plan(
        status=parts.pop("status", "optimal"),
        currency="CNY",
        as_of=AS_OF,
        start=start,
        horizon_days=days,
        horizon_months=months,
        after_horizon=inputs.get("after_horizon", "stop"),
        profile="documents",
        cost=money,
        cash_flow=tuple(flow),
        inputs=file,
        versions={"optimizer": "0.1.0"},
        **parts,
    )
