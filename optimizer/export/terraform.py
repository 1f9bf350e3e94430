"""Terraform variables for the chosen offers: a variables file that any module can read.

JSON syntax (https://developer.hashicorp.com/terraform/language/syntax/json, read 2026-11-30): in a `variable` block
`type` is a type expression in text and `default` a literal value: text in it is never read as a template.
"""

import json
from collections.abc import Iterable
from typing import Any

from optimizer.domain.plan import Plan, Purchase

FIELDS = {
    "name": "string",
    "provider": "string",
    "region": "string",
    "instance_type": "string",
    "gpu_model": "string",
    "gpus": "number",
    "count": "number",
    "term": "string",
    "spot": "bool",
    "start": "string",
    "end": "string",
    "workloads": "list(string)",
}


def terraform_variables(plan: Plan) -> str:
    """A `.tf.json` file that declares `gpu_machines`: every machine line of the plan, as the value by default."""
    gpus = {offer.key: offer.machine for offer in plan.offers}
    lines = merged(line for line in plan.purchases if line.kind == "machine" and line.instance_type is not None)
    machines = [_machine(index, line, gpus) for index, line in enumerate(lines)]
    kinds = ", ".join(f"{name} = {kind}" for name, kind in FIELDS.items())
    variable = {
        "description": f"Machines of the plan of {plan.as_of.isoformat()} ({plan.status}); end dates are exclusive.",
        "type": f"list(object({{{kinds}}}))",
        "default": machines,
    }
    return json.dumps({"variable": {"gpu_machines": variable}}, indent=2, ensure_ascii=False) + "\n"


def merged(lines: Iterable[Purchase]) -> list[Purchase]:
    """Lines of service by the hour that follow each other joined: the last, shorter day is no other machine."""
    joined: list[Purchase] = []
    for line in lines:
        before = joined[-1] if joined else None
        if before is not None and line.term is not None and not line.term.buys_units and _follows(before, line):
            joined[-1] = before.model_copy(update={"end": line.end, "end_day": line.end_day})
        else:
            joined.append(line)
    return joined


def _follows(before: Purchase, line: Purchase) -> bool:
    same = ("provider", "region", "instance_type", "term", "count", "workloads")
    return before.end == line.start and all(getattr(before, name) == getattr(line, name) for name in same)


def _machine(index: int, line: Purchase, gpus: dict[str, Any]) -> dict[str, Any]:
    machine = gpus[f"{line.provider}/{line.region}/{line.instance_type}"]
    return {
        "name": f"machine-{index + 1}",
        "provider": line.provider,
        "region": line.region,
        "instance_type": line.instance_type,
        "gpu_model": machine.gpu_model,
        "gpus": machine.gpu_count,
        "count": line.count,
        "term": line.term.value if line.term is not None else "",
        "spot": line.term is not None and line.term.value == "spot",
        "start": line.start.isoformat(),
        "end": line.end.isoformat(),
        "workloads": list(line.workloads),
    }
