"""A dstack fleet for one launch of a plan.

Fields: core/models/fleets.py and core/models/resources.py of dstack 0.22.5 (read 2026-11-30): `type: fleet`, `name`,
`nodes`, `placement`, `backends`, `regions`, `instance_types`, `spot_policy`, `max_price` (USD an hour and machine) and
`resources.gpu`.
"""

from decimal import Decimal
from typing import Any

from optimizer.domain.plan import Plan
from optimizer.export.choice import Launch, chosen, safe_name
from optimizer.export.names import DSTACK, DSTACK_BACKENDS, DSTACK_BY_GPU, DSTACK_GPUS, NO_REGION, refused
from optimizer.export.skypilot import comments_of
from optimizer.export.yaml_text import yaml_document


def dstack_fleet(plan: Plan, file: str = "plan", workload: str | None = None) -> str:
    """The fleet configuration as YAML.

    Raises:
        InputError: nothing or several things to launch, or a backend or GPU whose name in dstack is not known.
    """
    launch = chosen(plan, file, workload)
    fleet: dict[str, Any] = {
        "type": "fleet",
        "name": safe_name(launch.workload, "work"),
        "nodes": launch.nodes,
        "placement": "cluster" if launch.nodes > 1 else "any",
        **_place(launch),
        "spot_policy": "spot" if launch.spot else "on-demand",
        "resources": {"gpu": _gpu(launch)},
    }
    price = _max_price(launch)
    if price is not None:
        fleet["max_price"] = price
    return yaml_document(fleet, comments_of(plan, launch))


def _place(launch: Launch) -> dict[str, Any]:
    offer = launch.offer
    if offer.provider in DSTACK_BY_GPU:
        return {"backends": [DSTACK_BY_GPU[offer.provider]]}
    if offer.provider not in DSTACK_BACKENDS:
        raise refused("provider", offer.provider, DSTACK, "a backend")
    place: dict[str, Any] = {"backends": [DSTACK_BACKENDS[offer.provider]]}
    if offer.region not in NO_REGION:
        place["regions"] = [offer.region]
    # gpuhunt joins Nebius' platform and preset with a blank, the provider's price list with an underscore.
    name = offer.instance_type.replace("_", " ", 1) if offer.provider == "nebius" else offer.instance_type
    if offer.provider == "gcp":
        name = name.partition("+")[0]  # cards attached to an N1 are asked for by `resources`
    return {**place, "instance_types": [name]}


def _gpu(launch: Launch) -> dict[str, Any]:
    machine = launch.offer.machine
    known = DSTACK_GPUS.get(machine.gpu_model)
    if known is None:
        raise refused("gpu_model", machine.gpu_model, DSTACK, "a GPU")
    name, memory_gb = known
    return {"name": name, "memory": f"{memory_gb}GB", "count": machine.gpu_count}


def _max_price(launch: Launch) -> float | None:
    """The planned price of an hour and machine, where it is in dollars as the field asks."""
    price = launch.price
    if price is None or price.currency != "USD":
        return None
    return float(price.per_hour().quantize(Decimal("0.000001")))
