"""Supplies of the user's own machines: those that stand there and those that may be bought, one pool a type."""

from collections.abc import Iterator

from optimizer.catalog import Catalog
from optimizer.domain.gpu import Gpu
from optimizer.domain.offer import IntraLink, Machine, Offer, Price, PriceKind, PriceUnit, Rdma, Term
from optimizer.domain.workload import MayBuy, OwnedAlready, WorkloadFile
from optimizer.planning.calendar import day_number
from optimizer.planning.costing import Horizon
from optimizer.planning.inputs import InputChecks, nearest
from optimizer.planning.supply import OWNED_PROVIDER, OWNED_REGION, SunkSupply, Supply

Record = OwnedAlready | MayBuy


def owned_supplies(file: WorkloadFile, catalog: Catalog, horizon: Horizon, checks: InputChecks) -> tuple[Supply, ...]:
    """One supply for each server type that the user has or may buy."""
    machines: dict[str, tuple[Machine, Gpu]] = {}
    sunk: dict[str, list[SunkSupply]] = {}
    purchases: dict[str, list[MayBuy]] = {}
    for field, record in _records(file):
        built = _machine(record, catalog, field, checks)
        if built is None:
            continue
        name = built[0].instance_type
        machines.setdefault(name, built)
        if isinstance(record, MayBuy):
            purchases.setdefault(name, []).append(record)
        else:
            sunk.setdefault(name, []).append(_sunk(record, horizon))
    return tuple(
        _supply(machine, gpu, tuple(purchases.get(name, ())), tuple(sunk.get(name, ())), file)
        for name, (machine, gpu) in machines.items()
    )


def _records(file: WorkloadFile) -> Iterator[tuple[str, Record]]:
    for index, already in enumerate(file.owned.already):
        yield f"owned.already.{index}", already
    for index, purchase in enumerate(file.owned.may_buy):
        yield f"owned.may_buy.{index}", purchase


def _sunk(record: OwnedAlready, horizon: Horizon) -> SunkSupply:
    first = 0
    if record.available_from is not None:
        first = max(0, day_number(horizon.file.start, record.available_from))
    return SunkSupply(record.name, Term.OWNED, record.count, first, horizon.days, record)


def _supply(
    machine: Machine, gpu: Gpu, purchases: tuple[MayBuy, ...], sunk: tuple[SunkSupply, ...], file: WorkloadFile
) -> Supply:
    country = next((record.country for record in (*purchases, *(s.already for s in sunk)) if record), None)
    offer = Offer(
        provider=OWNED_PROVIDER,
        region=OWNED_REGION,
        country=country,
        machine=machine,
        prices=tuple(_price(record, file) for record in purchases if record.price > 0),
    )
    return Supply(
        key=offer.key,
        provider=OWNED_PROVIDER,
        region=OWNED_REGION,
        machine=machine,
        gpu=gpu,
        offer=offer,
        purchases=purchases,
        sunk=sunk,
    )


def _price(record: MayBuy, file: WorkloadFile) -> Price:
    return Price(
        term=Term.OWNED,
        amount=record.price,
        unit=PriceUnit.TERM,
        currency=record.currency or file.currency,
        kind=PriceKind.QUOTE,
        source="workload file, owned.may_buy",
    )


def _machine(record: Record, catalog: Catalog, field: str, checks: InputChecks) -> tuple[Machine, Gpu] | None:
    """The hardware of a server of the catalog, changed by what the record spells out."""
    base = None
    if record.server is not None:
        server = catalog.server(record.server)
        base = None if server is None else server.machine
    model = base.gpu_model if base is not None else None
    if record.gpu is not None:
        model = catalog.find_gpu(record.gpu)
        if model is None:
            checks.problem(f"{field}.gpu", record.gpu, "a GPU model of the catalog", catalog.near_gpus(record.gpu))
            return None
    if model is None or (base is None and record.gpus is None):
        expected = "a server of the catalog, or gpu and gpus spelled out"
        checks.problem(f"{field}.server", str(record.server), expected, nearest(str(record.server), catalog.servers))
        return None
    gpu = catalog.gpus[model]
    stated = _stated(record)
    if base is not None:
        update = {**stated, "gpu_model": model, "provider": OWNED_PROVIDER}
        if record.gpus is not None:
            update["gpu_count"] = record.gpus
        return Machine.model_validate(base.model_dump() | update), gpu
    return _spelled_out(record, gpu, stated), gpu


def _stated(record: Record) -> dict[str, object]:
    stated: dict[str, object] = {
        name: value
        for name in ("cores", "ram_gib", "ecc", "pcie_lanes", "local_nvme_gb", "network_gbit_per_s")
        if (value := getattr(record, name)) is not None
    }
    if record.rdma is not None:
        stated["rdma"] = Rdma(record.rdma)
    if record.load_kw is not None:
        stated["power_watts"] = record.load_kw * 1000
    return stated


def _spelled_out(record: Record, gpu: Gpu, stated: dict[str, object]) -> Machine:
    several_on_board = gpu.is_sxm_board and (record.gpus or 1) > 1
    link = IntraLink.NVLINK if several_on_board and gpu.vendor == "NVIDIA" else None
    return Machine.model_validate(
        {
            "provider": OWNED_PROVIDER,
            "instance_type": record.server or record.name,
            "gpu_model": gpu.model,
            "gpu_count": record.gpus,
            "gpu_memory_gib": gpu.memory_gib,
            "gpu_memory_usable_gib": gpu.usable_memory_gib,
            "memory_type": gpu.memory_type,
            "memory_bandwidth_gbyte_per_s": gpu.memory_bandwidth_gbyte_per_s,
            "compute_capability": gpu.compute_capability,
            "intra_link": link,
            "intra_link_gbyte_per_s": gpu.nvlink_gbyte_per_s if link is not None else None,
            "pcie_generation": gpu.pcie_generation,
            "bare_metal": True,
            "source": "workload file",
            **stated,
        }
    )
