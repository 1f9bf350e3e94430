"""Owned server types: hardware as a `Machine`, power and reference prices."""

from decimal import Decimal

from optimizer.catalog.facts import ReferencePrice, Row, Server, flag, number, whole
from optimizer.domain.gpu import Gpu
from optimizer.domain.offer import IntraLink, Machine, Rdma

OWNED_PROVIDER = "owned"
OWNED_REGION = "on-prem"


def read_servers(rows: list[Row], price_rows: list[Row], gpus: dict[str, Gpu]) -> dict[str, Server]:
    """Server types by name from facts/servers.csv and facts/server_prices.csv."""
    prices: dict[str, list[ReferencePrice]] = {}
    for row in price_rows:
        prices.setdefault(row["name"], []).append(
            ReferencePrice(
                Decimal(row["amount"]),
                row["currency"],
                row["published"],
                row["confidence"],
                row["source"],
                row["note"],
            )
        )
    return {
        row["name"]: Server(
            name=row["name"],
            machine=_machine(row, gpus[row["gpu_model"]]),
            power_kw=number(row["power_kw"]),
            idle_kw=number(row["idle_kw"]),
            prices=tuple(prices.get(row["name"], ())),
        )
        for row in rows
    }


def _machine(row: Row, gpu: Gpu) -> Machine:
    power = number(row["power_kw"])
    return Machine(
        provider=OWNED_PROVIDER,
        instance_type=row["name"],
        gpu_model=gpu.model,
        gpu_label=gpu.model,
        gpu_count=int(row["gpu_count"]),
        gpu_memory_gib=gpu.memory_gib,
        gpu_memory_usable_gib=gpu.usable_memory_gib,
        memory_type=gpu.memory_type,
        memory_bandwidth_gbyte_per_s=gpu.memory_bandwidth_gbyte_per_s,
        compute_capability=gpu.compute_capability,
        intra_link=IntraLink(row["intra_link"]) if row["intra_link"] else None,
        intra_link_gbyte_per_s=number(row["intra_link_gbyte_per_s"]),
        network_gbit_per_s=number(row["network_gbit_per_s"]),
        rdma=Rdma(row["rdma"]) if row["rdma"] else None,
        cores=number(row["cores"]),
        cpu=row["cpu"] or None,
        cpu_tdp_watts=number(row["cpu_tdp_watts"]),
        ram_gib=number(row["ram_gib"]),
        ecc=flag(row["ecc"]),
        pcie_generation=whole(row["pcie_generation"]),
        pcie_lanes=whole(row["pcie_lanes"]),
        local_nvme_gb=number(row["local_nvme_gb"]),
        bare_metal=True,
        power_watts=power * 1000 if power else None,
        source=row["source"],
        note=row["note"],
    )
