"""What launch tools are given is what they read: fields and patterns of their own schemas, nothing invented.

Facts of the tools, read 2026-11-30 in their packages:
- skypilot 0.14.1, sky/utils/schemas.py (task and resources: no other properties), sky/task.py (_VALID_NAME_REGEX),
  sky/skylet/constants.py (ALL_CLOUDS);
- dstack 0.22.5, core/models/fleets.py (FleetConfiguration), core/services/__init__.py (name),
  core/models/backends/base.py.
"""

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from optimizer.cli._main import run
from optimizer.domain.offer import Machine, Offer, Price, PriceUnit, Term
from optimizer.domain.plan import Plan, ServedBy
from optimizer.errors import InputError
from optimizer.export import dstack_fleet, launches, skypilot_task, terraform_variables
from optimizer.export.names import DSTACK_BACKENDS, DSTACK_BY_GPU, SKYPILOT_CLOUDS
from tests.verify.plans import bought_beside_owned, month_then_hours, spot_with_storage, two_weeks_by_the_hour

SKYPILOT_ALL_CLOUDS = [
    "aws",
    "azure",
    "gcp",
    "ibm",
    "lambda",
    "scp",
    "oci",
    "kubernetes",
    "runpod",
    "vast",
    "vsphere",
    "cudo",
    "fluidstack",
    "paperspace",
    "primeintellect",
    "do",
    "nebius",
    "ssh",
    "slurm",
    "hyperbolic",
    "seeweb",
    "shadeform",
    "yotta",
    "mithril",
    "verda",
]
SKYPILOT_NAME = r"[a-zA-Z0-9]+(?:[._-]{1,2}[a-zA-Z0-9]+)*"
SKYPILOT_TASK = {"name": str, "num_nodes": int, "resources": dict}
SKYPILOT_RESOURCES = {"infra": str, "instance_type": str, "accelerators": str, "use_spot": bool}
DSTACK_ALL_BACKENDS = [
    "amddevcloud",
    "aws",
    "azure",
    "cloudrift",
    "crusoe",
    "cudo",
    "datacrunch",
    "daytona",
    "digitalocean",
    "dstack",
    "gcp",
    "hotaisle",
    "jarvislabs",
    "kubernetes",
    "lambda",
    "lium",
    "remote",
    "nebius",
    "oci",
    "runpod",
    "seeweb",
    "tensordock",
    "vastai",
    "verda",
    "vultr",
    "slurm",
]
DSTACK_NAME = r"[a-z][a-z0-9-]{1,40}"
DSTACK_FLEET = {
    "type": str,
    "name": str,
    "nodes": int,
    "placement": str,
    "backends": list,
    "regions": list,
    "instance_types": list,
    "spot_policy": str,
    "resources": dict,
    "max_price": float,
}


def read(text: str) -> dict[str, Any]:
    """The document as YAML 1.1 (which both tools read) and 1.2 see it alike; comments are dropped."""
    seen = []
    for version in ((1, 1), (1, 2)):
        yaml = YAML(typ="safe", pure=True)
        yaml.version = version  # type: ignore[assignment]
        seen.append(yaml.load(text))
    assert seen[0] == seen[1]
    data: dict[str, Any] = seen[0]
    return data


def holds(data: dict[str, Any], fields: dict[str, type]) -> None:
    assert set(data) <= set(fields)
    assert all(type(value) is fields[name] for name, value in data.items())


def moved(plan: Plan, provider: str, region: str, name: str, gpu: str = "A100-SXM4-80GB", **more: Any) -> Plan:
    """The plan with its first workload's machines replaced by those of another provider."""
    old = plan.assignments[0]
    key = (old.provider, old.region, old.instance_type)
    facts = {"gpu_memory_gib": 80, "gpu_memory_usable_gib": 80}
    machine = Machine(provider=provider, instance_type=name, gpu_model=gpu, gpu_count=8, **facts)
    price = Price(term=Term.ON_DEMAND, amount=Decimal("21.957642"), unit=PriceUnit.HOUR, currency="USD", source="page")
    offer = Offer(provider=provider, region=region, machine=machine, prices=(price,))
    place = {"provider": provider, "region": region, "instance_type": name}
    rows = [
        row.model_copy(update=place) if (row.provider, row.region, row.instance_type) == key else row
        for row in (*plan.assignments, *plan.purchases)
    ]
    count = len(plan.assignments)
    assignments = (rows[0].model_copy(update={"gpu_model": gpu, **more}), *rows[1:count])
    return plan.model_copy(
        update={"assignments": assignments, "purchases": tuple(rows[count:]), "offers": (*plan.offers, offer)}
    )


def p4d(**more: Any) -> Plan:
    return moved(two_weeks_by_the_hour(), "aws", "us-east-1", "p4d.24xlarge", **more)


def test_skypilot_task_of_one_machine() -> None:
    task = read(skypilot_task(p4d()))
    assert task == {
        "name": "trial",
        "resources": {"infra": "aws/us-east-1", "instance_type": "p4d.24xlarge", "use_spot": False},
    }


def test_skypilot_task_of_several_spot_machines() -> None:
    served = (ServedBy(term=Term.SPOT, nodes=4, from_day=0, to_day=14),)
    task = read(skypilot_task(p4d(nodes=4, spot=True, served_by=served)))
    holds(task, SKYPILOT_TASK)
    holds(task["resources"], SKYPILOT_RESOURCES)
    assert (task["num_nodes"], task["resources"]["use_spot"]) == (4, True)


def test_skypilot_asks_runpod_for_a_gpu() -> None:
    plan = moved(two_weeks_by_the_hour(), "runpod", "global", "8x_A100-SXM-80GB_secure")
    resources = read(skypilot_task(plan))["resources"]
    assert resources == {"infra": "runpod", "accelerators": "A100-80GB-SXM:8", "use_spot": False}


def test_dstack_fleet_of_a_cluster() -> None:
    fleet = read(dstack_fleet(p4d(nodes=2)))
    holds(fleet, DSTACK_FLEET)
    assert fleet == {
        "type": "fleet",
        "name": "trial",
        "nodes": 2,
        "placement": "cluster",
        "backends": ["aws"],
        "regions": ["us-east-1"],
        "instance_types": ["p4d.24xlarge"],
        "spot_policy": "on-demand",
        "resources": {"gpu": {"name": "A100", "memory": "80GB", "count": 8}},
        "max_price": 21.957642,
    }


def test_dstack_calls_nebius_machines_with_a_blank() -> None:
    # gpuhunt 0.1.34, providers/nebius.py: instance_name = f"{platform} {preset.name}"
    name = "gpu-h100-sxm_8gpu-128vcpu-1600gb"
    plan = moved(two_weeks_by_the_hour(), "nebius", "eu-north1", name, "H100-SXM5-80GB")
    assert read(dstack_fleet(plan))["instance_types"] == ["gpu-h100-sxm 8gpu-128vcpu-1600gb"]
    assert read(skypilot_task(plan))["resources"]["instance_type"] == name


def test_dstack_asks_marketplaces_by_gpu() -> None:
    fleet = read(dstack_fleet(spot_plan()))
    assert (fleet["backends"], fleet["spot_policy"], fleet["nodes"]) == (["vastai"], "spot", 2)
    assert "instance_types" not in fleet
    assert "max_price" not in fleet  # its price is not in dollars


def spot_plan() -> Plan:
    """Two repetitions on the same machines: one launch."""
    plan = spot_with_storage()
    assert len(launches(plan)) == 1
    return plan


def test_known_names_are_the_tools_own() -> None:
    assert set(SKYPILOT_CLOUDS.values()) | {"runpod"} <= set(SKYPILOT_ALL_CLOUDS)
    assert {*DSTACK_BACKENDS.values(), *DSTACK_BY_GPU.values()} <= set(DSTACK_ALL_BACKENDS)


@pytest.mark.parametrize(
    ("provider", "name", "gpu", "field"),
    [
        ("alibaba", "ecs.gn7i-c8g1.2xlarge", "A10", "provider"),
        ("owned", "hgx-a100-8", "A100-SXM4-80GB", "provider"),
        ("runpod", "8x_A100-SXM-80GB_community", "A100-SXM4-80GB", "instance_type"),
        ("runpod", "8x_H20_secure", "H20-96GB", "gpu_model"),
    ],
)
def test_skypilot_names_that_are_not_known_are_refused(provider: str, name: str, gpu: str, field: str) -> None:
    with pytest.raises(InputError) as caught:
        skypilot_task(moved(two_weeks_by_the_hour(), provider, "global", name, gpu))
    problem = caught.value.problems[0]
    assert problem.field == field
    assert problem.found == {"provider": provider, "instance_type": name, "gpu_model": gpu}[field]


@pytest.mark.parametrize(("provider", "gpu"), [("tencent", "A10"), ("aws", "H20-96GB"), ("aws", "TRAINIUM1")])
def test_dstack_names_that_are_not_known_are_refused(provider: str, gpu: str) -> None:
    with pytest.raises(InputError, match="dstack"):
        dstack_fleet(moved(two_weeks_by_the_hour(), provider, "global", "x", gpu))


def test_several_launches_must_be_chosen_from() -> None:
    with pytest.raises(InputError, match="half: 1 x owned/on-prem/box; whole: 1 x owned/on-prem/box"):
        skypilot_task(bought_beside_owned())
    with pytest.raises(InputError, match="one of half, whole"):
        skypilot_task(bought_beside_owned(), workload="other")
    with pytest.raises(InputError, match="provider: found alibaba"):
        dstack_fleet(month_then_hours().model_copy(update={"assignments": month_then_hours().assignments[:1]}))


def test_a_rent_is_to_be_bought_first() -> None:
    served = (ServedBy(term=Term.RESERVED_1Y, nodes=1, from_day=0, to_day=14),)
    text = skypilot_task(p4d(served_by=served))
    assert "# buy reserved_1y with the provider first" in text


HOSTILE = [
    "no",
    "训练: no",
    "1:30",
    "😀",
    "on: 1",
    "${jsondecode(1)}",
    "a\nrun: rm -rf /",
    "训练",
    "- x",
    "{{ env }}",
    "1e3",
    "#c",
    "x" * 90,
    "\u2028",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_text_of_files_stays_text(name: str) -> None:
    plan = p4d(workload=name)
    task, fleet = read(skypilot_task(plan)), read(dstack_fleet(plan))
    assert re.fullmatch(SKYPILOT_NAME, task["name"])
    assert re.fullmatch(DSTACK_NAME, fleet["name"])
    assert set(task) == {"name", "resources"}
    holds(fleet, DSTACK_FLEET)


@pytest.mark.parametrize("name", HOSTILE)
def test_regions_and_types_are_quoted(name: str) -> None:
    if not name.isprintable():
        with pytest.raises(InputError, match="region"):
            skypilot_task(moved(two_weeks_by_the_hour(), "aws", name, name))
        return
    task = read(skypilot_task(moved(two_weeks_by_the_hour(), "aws", name, name)))
    assert task["resources"] == {"infra": f"aws/{name}", "instance_type": name, "use_spot": False}


def test_terraform_declares_every_machine_line() -> None:
    data = json.loads(terraform_variables(month_then_hours()))
    variable = data["variable"]["gpu_machines"]
    assert set(data) == {"variable"}
    assert set(variable) == {"description", "type", "default"}
    first, second = variable["default"]
    assert first == {
        "name": "machine-1",
        "provider": "alibaba",
        "region": "cn-beijing",
        "instance_type": "gn7i",
        "gpu_model": "A100-PCIE-40GB",
        "gpus": 1,
        "count": 2,
        "term": "month",
        "spot": False,
        "start": "2027-01-31",
        "end": "2027-02-28",
        "workloads": ["chat"],
    }
    assert (second["term"], second["start"], second["end"]) == ("on_demand", "2027-02-28", "2027-04-30")
    # Every value has the declared type.
    declared = dict(re.findall(r"(\w+) = (string|number|bool|list\(string\))", variable["type"]))
    kinds = {"string": str, "number": int, "bool": bool, "list(string)": list}
    assert {name: kinds[kind] for name, kind in declared.items()} == {n: type(value) for n, value in first.items()}


def test_terraform_joins_the_shorter_last_day() -> None:
    rows = json.loads(terraform_variables(spot_with_storage()))["variable"]["gpu_machines"]["default"]
    assert [(row["start"], row["end"], row["spot"]) for row in rows] == [
        ("2026-12-01", "2026-12-05", True),
        ("2027-01-01", "2027-01-05", True),
    ]


def test_the_command_writes_files_and_refuses_politely(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "plan.json", tmp_path / "task.yaml"
    path.write_text(p4d().model_dump_json(by_alias=True), encoding="utf-8")
    assert run(["export", "--format", "skypilot", str(path), "--out", str(out)]) == 0
    assert read(out.read_text(encoding="utf-8"))["name"] == "trial"
    assert run(["export", "--format", "terraform", str(path)]) == 0
    assert json.loads(capsys.readouterr().out)["variable"]
    path.write_text(two_weeks_by_the_hour().model_dump_json(by_alias=True), encoding="utf-8")
    assert run(["export", "--format", "dstack", str(path)]) == 2
    assert "error: plan: provider: found tencent" in capsys.readouterr().err
    assert run(["export", "--format", "helm", str(path)]) == 2


def test_cards_attached_to_an_n1_are_asked_for_beside_it() -> None:
    # SkyPilot 0.14.1: `instance_type: n1-standard-8` with `accelerators: V100:8`; dstack: resources.gpu.
    name = "n1-standard-96+8x-nvidia-tesla-v100"
    plan = moved(two_weeks_by_the_hour(), "gcp", "us-central1", name, "V100-SXM2-16GB")
    resources = read(skypilot_task(plan))["resources"]
    assert (resources["instance_type"], resources["accelerators"]) == ("n1-standard-96", "V100:8")
    assert read(dstack_fleet(plan))["instance_types"] == ["n1-standard-96"]
