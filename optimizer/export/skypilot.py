"""A SkyPilot task for one launch of a plan.

Fields: https://docs.skypilot.co/en/latest/reference/yaml-spec.html and sky/utils/schemas.py of skypilot 0.14.1 (read
2026-11-30): `name`, `num_nodes`, and `resources` with `infra` (cloud/region), `instance_type` or `accelerators`, and
`use_spot`.
"""

from typing import Any

from optimizer.domain.plan import Plan
from optimizer.export.choice import Launch, chosen, days_text, safe_name
from optimizer.export.names import NO_REGION, SKYPILOT, SKYPILOT_CLOUDS, SKYPILOT_RUNPOD_GPUS, refused
from optimizer.export.yaml_text import yaml_document


def skypilot_task(plan: Plan, file: str = "plan", workload: str | None = None) -> str:
    """The task as YAML; `run` is left to the user.

    Raises:
        InputError: nothing or several things to launch, or a cloud or GPU whose name in SkyPilot is not known.
    """
    launch = chosen(plan, file, workload)
    task: dict[str, Any] = {"name": safe_name(launch.workload, "work")}
    if launch.nodes > 1:
        task["num_nodes"] = launch.nodes
    task["resources"] = _resources(launch)
    return yaml_document(task, comments_of(plan, launch))


def comments_of(plan: Plan, launch: Launch) -> list[str]:
    """What the tool's file cannot say: days, term, and where the figures are from."""
    terms = ", ".join(term.value for term in launch.terms)
    lines = [
        f"workload {launch.workload}: {launch.nodes} x {launch.offer.key}",
        f"days: {days_text(launch.starts, launch.ends)} (ends exclusive)",
        f"planned term: {terms}; plan of {plan.as_of}, status {plan.status}",
    ]
    bought = [term.value for term in launch.terms if not term.is_hourly]
    if bought:
        lines.append(f"buy {', '.join(bought)} with the provider first: started without it, hourly prices apply")
    return lines


def _resources(launch: Launch) -> dict[str, Any]:
    offer = launch.offer
    if offer.provider == "runpod":
        resources: dict[str, Any] = {"infra": "runpod", "accelerators": _runpod_accelerators(launch)}
    elif offer.provider in SKYPILOT_CLOUDS:
        cloud = SKYPILOT_CLOUDS[offer.provider]
        resources = {"infra": _infra(cloud, offer.region), **_machine(launch)}
    else:
        raise refused("provider", offer.provider, SKYPILOT, "a cloud")
    return {**resources, "use_spot": launch.spot}


def _machine(launch: Launch) -> dict[str, Any]:
    """The instance type; cards attached to a Google N1 (`n1-standard-8+2x-nvidia-tesla-t4`) are asked for beside it."""
    name, _, cards = launch.offer.instance_type.partition("+")
    machine = launch.offer.machine
    if not (cards and launch.offer.provider == "gcp"):
        return {"instance_type": launch.offer.instance_type}
    return {"instance_type": name, "accelerators": f"{machine.gpu_model.partition('-')[0]}:{machine.gpu_count}"}


def _infra(cloud: str, region: str) -> str:
    """`cloud/region`; a slash or a control character would be read as something else."""
    if region in NO_REGION:
        return cloud
    if "/" in region or not region.isprintable():
        raise refused("region", region, SKYPILOT, "a region")
    return f"{cloud}/{region}"


def _runpod_accelerators(launch: Launch) -> str:
    machine = launch.offer.machine
    if not machine.instance_type.endswith("_secure"):
        raise refused("instance_type", machine.instance_type, SKYPILOT, "a machine of RunPod's secure cloud")
    name = SKYPILOT_RUNPOD_GPUS.get(machine.gpu_model)
    if name is None:
        raise refused("gpu_model", machine.gpu_model, SKYPILOT, "a GPU")
    return f"{name}:{machine.gpu_count}"
