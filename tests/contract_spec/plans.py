"""A small plan made by hand with three purchases: machines rented from a lessor, a cloud's list price, machines bought.

Prices and sizes are invented for the tests; nothing depends on the catalog. Sums:
P1 rent: 2 machines x 12 months x 75,000.00 = 1,800,000.00 CNY, in words 壹佰捌拾万元整.
P2 order: 1 machine x 2 months x 4,675.66 = 9,351.32 CNY, in words 玖仟叁佰伍拾壹元叁角贰分.
P3 purchase: 1 x 2,000,000 CNY, in words 贰佰万元整.
"""

from datetime import date
from decimal import Decimal
from typing import Any

from optimizer.contract.facts import ContractFacts, KnownException
from optimizer.domain.finding import Finding, Severity, VerdictKind
from optimizer.domain.gpu import Gpu
from optimizer.domain.offer import IntraLink, Machine, Offer, Price, PriceUnit, Rdma, Term
from optimizer.domain.plan import Assignment, CatalogUsed, Cost, Plan, Purchase, ServedBy
from optimizer.domain.text import Text

D = Decimal
START = date(2026, 12, 1)
SHA = "9f2c4e61b0a7d8355c1e9a44f0b7263d8e5a1c90f7d2b6384ac5e01927f3d6b8"

#: NVIDIA H100 data sheet: 80 GB, 3,350 GB/s, 700 W; nvidia-smi shows 81,559 MiB. A10: 24 GB GDDR6, 150 W.
H100 = Gpu(
    model="H100-SXM5-80GB",
    vendor="NVIDIA",
    architecture="Hopper",
    memory_gib=80,
    memory_reported_mib=81_559,
    memory_type="HBM3",
    memory_bandwidth_gbyte_per_s=3_350,
    compute_capability=9.0,
    nvlink_gbyte_per_s=450,
    tdp_watts=700,
    ecc=True,
    form_factor="SXM5",
    source="data sheet",
    observed="2026-11-01",
)
A10 = Gpu(
    model="A10-24GB",
    vendor="NVIDIA",
    architecture="Ampere",
    memory_gib=24,
    memory_type="GDDR6",
    memory_bandwidth_gbyte_per_s=600,
    compute_capability=8.6,
    tdp_watts=150,
    ecc=True,
    form_factor=None,
    source="data sheet",
    observed="2026-11-01",
)
ASCEND = Gpu(
    model="Ascend-910B",
    vendor="Huawei",
    architecture="Da Vinci",
    memory_gib=64,
    tdp_watts=400,
    form_factor="OAM",
    source="data sheet",
    observed="2026-11-01",
)
GPUS = {gpu.model: gpu for gpu in (H100, A10, ASCEND)}
NO_EXIT = KnownException(
    providers="segment:cn_lessor",
    instance_types="*",
    terms="reserved_*",
    item="scaling.early_exit",
    text=Text("closed contract without exit", "闭口合同，不可提前退出"),
    source="quote of autumn",
    observed="2026-11-30",
)
SPELLINGS = {
    "NVIDIA H100 80GB SXM": "H100-SXM5-80GB",
    "H100 SXM5 80G": "H100-SXM5-80GB",
    "H100-SXM5-80GB": "H100-SXM5-80GB",
    "H100 PCIe": "H100-PCIE-80GB",
    "A10": "A10-24GB",
}


def facts(*more: KnownException) -> ContractFacts:
    """Facts by hand: one lessor, one cloud."""
    return ContractFacts(GPUS, {"lessor": "cn_lessor", "cloud": "cn_cloud"}, (NO_EXIT, *more), SPELLINGS.get)


def h100_box(**more: Any) -> Machine:
    """Eight H100 with everything stated, bare metal."""
    base: dict[str, Any] = {
        "provider": "lessor",
        "instance_type": "H100 x8",
        "gpu_model": "H100-SXM5-80GB",
        "gpu_count": 8,
        "gpu_memory_gib": 80,
        "gpu_memory_usable_gib": 79.6,
        "memory_bandwidth_gbyte_per_s": 3_350,
        "compute_capability": 9.0,
        "intra_link": IntraLink.NVSWITCH,
        "intra_link_gbyte_per_s": 450,
        "network_gbit_per_s": 3_200,
        "rdma": Rdma.INFINIBAND,
        "cores": 112,
        "cpu": "Intel Xeon Platinum 8480+",
        "ram_gib": 2_048,
        "ecc": True,
        "pcie_lanes": 160,
        "local_nvme_gb": 30_720,
        "bare_metal": True,
        "observed": date(2026, 10, 10),
        "source": "lessor's list",
    }
    return Machine(**{**base, **more})


def a10_box(**more: Any) -> Machine:
    """A virtual machine with one A10; cores derived, host facts unknown."""
    base: dict[str, Any] = {
        "provider": "cloud",
        "instance_type": "gn7i",
        "gpu_model": "A10-24GB",
        "gpu_count": 1,
        "gpu_memory_gib": 24,
        "gpu_memory_usable_gib": 22.3,
        "compute_capability": 8.6,
        "vcpus": 16,
        "ram_gib": 60,
        "network_gbit_per_s": 16,
        "bare_metal": False,
        "observed": date(2026, 9, 24),
        "source": "price page of the cloud",
    }
    return Machine(**{**base, **more})


def offer(machine: Machine, *prices: Price, region: str = "north") -> Offer:
    """An offer of a machine."""
    return Offer(provider=machine.provider, region=region, machine=machine, prices=prices)


def price(term: Term, amount: str, unit: PriceUnit = PriceUnit.MONTH, **more: Any) -> Price:
    """A price in CNY."""
    base: dict[str, Any] = {"currency": "CNY", "observed": date(2026, 9, 24), "source": "price page of the cloud"}
    return Price(term=term, amount=D(amount), unit=unit, **{**base, **more})


def line(machine: Machine, term: Term, count: int, quantity: str, unit_price: str, **more: Any) -> Purchase:
    """A line of money for machines."""
    cost = D(quantity) * D(unit_price)
    base: dict[str, Any] = {
        "kind": "machine",
        "provider": machine.provider,
        "region": "north",
        "instance_type": machine.instance_type,
        "term": term,
        "count": count,
        "quantity": D(quantity),
        "unit": "month",
        "start": START,
        "end": date(2027, 12, 1),
        "start_day": 0,
        "end_day": 365,
        "unit_price": D(unit_price),
        "price_currency": "CNY",
        "fx_rate": D(1),
        "cost": cost,
        "observed": date(2026, 9, 24),
        "source": "price page of the cloud",
        "workloads": ("train",),
    }
    return Purchase(**{**base, **more})


def finding(rule: str, verdict: VerdictKind = VerdictKind.PASS, **more: Any) -> Finding:
    """A verdict of a hard rule."""
    base: dict[str, Any] = {"severity": Severity.HARD, "measured": "-", "required": "-", "source": "D4"}
    return Finding(id=rule, verdict=verdict, **{**base, **more})


def unknown(rule: str, required: str, **more: Any) -> Finding:
    """A verdict that nobody can give yet, with its question."""
    ask = {"confirm_en": f"Ask for {rule}.", "confirm_zh": f"请说明 {rule}。"}
    return finding(rule, VerdictKind.UNKNOWN, required=required, **{**ask, **more})


def assignment(machine: Machine, nodes: int, *rules: Finding, **more: Any) -> Assignment:
    """One workload on some machines."""
    base: dict[str, Any] = {
        "workload": "train",
        "from_": START,
        "to": date(2027, 12, 1),
        "from_day": 0,
        "to_day": 365,
        "provider": machine.provider,
        "region": "north",
        "instance_type": machine.instance_type,
        "gpu_model": machine.gpu_model,
        "gpus_per_node": machine.gpu_count,
        "gpus_used_per_node": machine.gpu_count,
        "nodes": nodes,
        "layout": None,
        "memory_gib_per_gpu": {},
        "usable_gib": machine.gpu_memory_usable_gib,
        "tokens_per_second": 40_000.0,
        "interval": (30_000.0, 50_000.0),
        "run_hours": 8_000.0,
        "hours_per_day": 24.0,
        "finish_day": 364,
        "served_by": (ServedBy(term=Term.MONTH, nodes=nodes, from_day=0, to_day=365),),
        "conditional": True,
        "rules": rules,
    }
    return Assignment(**{**base, **more})


RENTED_RULES = (
    finding("cpu-cores", required="> 8"),
    finding("ram-total", required="2× 640 GB"),
    finding("nvme-capacity", required="≥ 4,000 GB"),
    finding("storage-rate", required="≥ 1.5 GB/s"),
)
ORDERED_RULES = (
    finding("cpu-cores", required="> 1"),
    finding("ram-total", required="2× 24 GB"),
    unknown("ecc", "ECC"),
    unknown("pcie-lanes", "≥ 16 × 1 GPUs"),
    unknown("nvme-capacity", "≥ 464.448 GB"),
    unknown("storage-rate", "≥ 0 GB/s"),
    unknown("some-new-rule", "≥ 7 things"),
)


def rented(machine: Machine | None = None, *rules: Finding, **more: Any) -> Plan:
    """Two machines for a year from a lessor."""
    box = machine or h100_box()
    said = {"price_kind": "street", "source": "lessor's list", **more}
    bought = line(box, Term.RESERVED_1Y, 2, "24", "75000", **said)
    monthly = price(Term.RESERVED_1Y, "75000", tax_included=True)
    return plan((bought,), (assignment(box, 2, *(rules or RENTED_RULES)),), (offer(box, monthly),))


def ordered(machine: Machine | None = None, *rules: Finding, **more: Any) -> Plan:
    """One virtual machine by the month at a cloud's list price, two months one after the other."""
    box = machine or a10_box()
    january, february = date(2027, 1, 1), date(2027, 2, 1)
    months = (
        line(box, Term.MONTH, 1, "1", "4675.66", end=january, end_day=31, **more),
        line(box, Term.MONTH, 1, "1", "4675.66", start=january, start_day=31, end=february, end_day=62, **more),
    )
    made = assignment(box, 1, *(rules or ORDERED_RULES))
    return plan(months, (made,), (offer(box, price(Term.MONTH, "4675.66")),))


def owned() -> Plan:
    """One machine bought, with its power and colocation beside."""
    box = h100_box(provider="owned", instance_type="hgx-h100-8", power_watts=10_200, source="workload file")
    bought = line(box, Term.OWNED, 1, "1", "2000000", unit="unit", residual=D(900_000), source="workload file")
    rack = line(box, Term.OWNED, 1, "12", "9000", kind="colocation", unit="kW-month").model_copy(update={"term": None})
    made = price(Term.OWNED, "2000000", PriceUnit.TERM)
    return plan((bought, rack), (assignment(box, 1, *RENTED_RULES),), (offer(box, made),))


def all_three() -> Plan:
    """The three purchases in one plan: P1 rent, P2 order, P3 purchase."""
    made = (rented(), ordered(), owned())
    return plan(
        tuple(purchase for one in made for purchase in one.purchases),
        tuple(found for one in made for found in one.assignments),
        tuple(found for one in made for found in one.offers),
    )


def plan(
    purchases: tuple[Purchase, ...], assignments: tuple[Assignment, ...], offers: tuple[Offer, ...], **more: Any
) -> Plan:
    """A plan's frame."""
    total = sum((purchase.cost for purchase in purchases), D(0))
    base: dict[str, Any] = {
        "status": "optimal",
        "currency": "CNY",
        "as_of": date(2026, 11, 30),
        "start": START,
        "horizon_days": 365,
        "horizon_months": 12,
        "after_horizon": "stop",
        "profile": "documents",
        "cost": Cost(total=total, bound=total, gap=D(0), by_month=(total,), by_team={}, by_term={}),
        "purchases": purchases,
        "assignments": assignments,
        "offers": offers,
        "catalog": CatalogUsed(files=1, rows=2, sha256=SHA, oldest_price=None, undated_prices=0),
        "inputs": {"tax": {"included": True}},
        "versions": {},
    }
    return Plan(**{**base, **more})
