"""What plans made by hand are put together from: lines, assignments, offers, costs."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from optimizer.domain.finding import Finding, Severity, VerdictKind
from optimizer.domain.offer import Machine, Offer, Price, Term
from optimizer.domain.plan import (
    Assignment,
    CashMonth,
    CatalogUsed,
    Cost,
    Layout,
    Plan,
    Purchase,
    ServedBy,
)

START = date(2026, 12, 1)
AS_OF = date(2026, 11, 30)
D = Decimal
USDCNY = D("6.65288")
SHA = "9f2c4e61b0a7d8355c1e9a44f0b7263d8e5a1c90f7d2b6384ac5e01927f3d6b8"
CATALOG = CatalogUsed(files=26, rows=3139, prices=4635, sha256=SHA, oldest_price=date(2024, 12, 31), undated_prices=212)
LORA_LAYOUT = Layout(zero=0, tp=1, pp=1, dp=2, micro_batch=4, accumulation=16, checkpointing="selective")


def day(number: int) -> date:
    """The date of a day number."""
    return START + timedelta(days=number)


def finding(rule: str, verdict: VerdictKind, severity: Severity = Severity.HARD, **more: Any) -> Finding:
    """One verdict with figures of the documents."""
    base = {"measured": "30 GiB of 48 GiB", "required": "2 x GPU memory", "source": "D1, chapter 2"}
    return Finding(id=rule, verdict=verdict, severity=severity, **{**base, **more})


def machine(count: int, quantity: str, price: str, cost: str, days: tuple[int, int], **more: Any) -> Purchase:
    """One machine line."""
    start, end = days
    base: dict[str, Any] = {
        "kind": "machine",
        "provider": "alibaba",
        "region": "cn-shanghai",
        "instance_type": "ecs.gn7i-c8g1.2xlarge",
        "term": Term.MONTH,
        "unit": "month",
        "price_currency": "CNY",
        "fx_rate": D(1),
        "observed": date(2026, 9, 24),
        "source": "Alibaba ECS DescribePrice quote",
        "workloads": ("lora-7b",),
    }
    figures = {"count": count, "quantity": D(quantity), "unit_price": D(price), "cost": D(cost)}
    dates = {"start": day(start), "end": day(end), "start_day": start, "end_day": end}
    return Purchase(**{**base, **figures, **dates, **more})


def assignment(days: tuple[int, int], **more: Any) -> Assignment:
    """One workload on two A10 machines."""
    start, end = days
    base: dict[str, Any] = {
        "workload": "lora-7b",
        "team": "search",
        "provider": "alibaba",
        "region": "cn-shanghai",
        "instance_type": "ecs.gn7i-c8g1.2xlarge",
        "gpu_model": "A10-24GB",
        "gpus_per_node": 1,
        "gpus_used_per_node": 1,
        "nodes": 2,
        "layout": LORA_LAYOUT,
        "memory_gib_per_gpu": {
            "weights": 12.6,
            "gradients": 0.1,
            "optimizer": 0.3,
            "activations": 3.9,
            "logits": 1.0,
            "other": 1.2,
            "total": 19.1,
        },
        "usable_gib": 22.3,
        "host_memory_gib": 21.0,
        "tokens_per_second": 3904.0,
        "interval": (3436.0, 4372.0),
        "mfu": 0.41,
        "binds": "compute",
        "run_hours": 1350.0,
        "hours_per_day": 15.0,
        "finish_day": end - 1,
        "served_by": (ServedBy(term=Term.MONTH, nodes=2, from_day=start, to_day=end),),
        "conditional": False,
        "rules": (
            finding("vram-fit", VerdictKind.PASS, measured="19.1 GiB", required="22.3 GiB", source="computed"),
            finding("ram-total", VerdictKind.PASS),
            finding(
                "hbm",
                VerdictKind.FAIL,
                Severity.WARN,
                measured="600 GB/s",
                required="1,500 GB/s",
                source="D0, chapter 1",
                message_en="memory bandwidth 600 GB/s is below 1.5 TB/s",
                message_zh="显存带宽 600 GB/s 低于 1.5 TB/s",
            ),
        ),
    }
    return Assignment(**{**base, "from_": day(start), "to": day(end), "from_day": start, "to_day": end, **more})


def offer(instance_type: str, price: Price, provider: str = "alibaba", region: str = "cn-shanghai") -> Offer:
    """An offer that carries one price."""
    box = Machine(
        provider=provider,
        instance_type=instance_type,
        gpu_model="A10-24GB",
        gpu_count=1,
        gpu_memory_gib=24,
        gpu_memory_usable_gib=22.3,
    )
    return Offer(provider=provider, region=region, country="CN", machine=box, prices=(price,))


def cost_of(purchases: tuple[Purchase, ...], months: list[str], teams: dict[str, str], **more: Any) -> Cost:
    """Totals that are the sums of the lines."""
    terms: dict[str, Decimal] = {}
    for bought in purchases:
        label = bought.term.value if bought.kind == "machine" and bought.term else bought.kind
        terms[label] = terms.get(label, D(0)) + bought.cost
    total = sum((bought.cost for bought in purchases), D(0))
    return Cost(
        **{
            "total": total,
            "bound": total,
            "gap": D(0),
            "by_month": tuple(D(month) for month in months),
            "by_team": {team: D(share) for team, share in teams.items()},
            "by_term": terms,
            **more,
        }
    )


def cash(months: list[tuple[date, str]]) -> tuple[CashMonth, ...]:
    """Cash months in order."""
    return tuple(CashMonth(month=m, start=start, amount=D(amount)) for m, (start, amount) in enumerate(months))


def plan(**more: Any) -> Plan:
    """A plan's frame: three months from 1 December 2026 in CNY."""
    base: dict[str, Any] = {
        "status": "optimal",
        "currency": "CNY",
        "as_of": AS_OF,
        "start": START,
        "horizon_days": 90,
        "horizon_months": 3,
        "after_horizon": "stop",
        "profile": "documents",
        "cost": None,
        "catalog": CATALOG,
        "inputs": {
            "currency": "CNY",
            "budget": "40000",
            "tax": {"included": True, "rate": 0.06, "recoverable": False},
            "discount_rate": 0.0,
        },
        "versions": {"optimize": "0.1.0", "catalog": "2026-11-30"},
    }
    return Plan(**{**base, **more})
