"""The JSON Schema of workload and plan files: the domain's records, with a sentence for every field.

The records are the truth about names, types, limits and defaults; `schema_words.json` holds what each field means.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from optimizer.domain.plan import Plan
from optimizer.domain.workload import Work, WorkloadFile

Kind = Literal["workload", "plan"]
KINDS: tuple[Kind, ...] = ("workload", "plan")
DIALECT = "https://json-schema.org/draft/2020-12/schema"
WORDS_FILE = Path(__file__).with_name("schema_words.json")


def schema_of(kind: Kind) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a kind of file."""
    return _workload_schema() if kind == "workload" else _described(Plan, "serialization")


@cache
def words() -> dict[str, dict[str, str]]:
    """Record name to field name (as written in the file) to its meaning."""
    known: dict[str, dict[str, str]] = json.loads(WORDS_FILE.read_text(encoding="utf-8"))
    return known


def _workload_schema() -> dict[str, Any]:
    """The file's record; a single workload's fields may stand at the top level instead of `workloads`."""
    schema = _described(WorkloadFile, "validation")
    _numbers_only(schema)
    several = {name: value for name, value in schema["properties"].items() if name == "workloads"}
    single = {name: {"$ref": f"#/$defs/Work/properties/{name}"} for name in schema["$defs"]["Work"]["properties"]}
    schema["properties"] = {**schema["properties"], **single, **several}
    schema["required"] = [name for name in schema["required"] if name != "workloads"]
    alone = [{"required": [name]} for name in ("tokens", "tokens_per_month", "gpu_hours", "epochs")]
    no_work = {"not": {"anyOf": [{"required": [name]} for name in single]}}
    schema["oneOf"] = [{"required": ["workloads"], **no_work}, {"not": {"required": ["workloads"]}, "anyOf": alone}]
    return schema


def _described(record: type[BaseModel], mode: Literal["validation", "serialization"]) -> dict[str, Any]:
    schema = {"$schema": DIALECT, **record.model_json_schema(by_alias=True, mode=mode)}
    for name, part in {record.__name__: schema, **schema["$defs"]}.items():
        for field, value in part.get("properties", {}).items():
            value.pop("title", None)
            if field in words().get(name, {}):
                value["description"] = words()[name][field]
        part["description"] = " ".join(str(part.get("description", "")).split())
    return schema


def _numbers_only(node: Any) -> None:
    """Take the text form off amounts: in a workload file a number in quotes is refused."""
    if isinstance(node, list):
        for item in node:
            _numbers_only(item)
        return
    if not isinstance(node, dict):
        return
    choices = node.get("anyOf")
    if choices and any(choice.get("type") == "number" for choice in choices):
        node["anyOf"] = [choice for choice in choices if choice.get("type") != "string" or "const" in choice]
    if isinstance(node.get("default"), str) and node.get("anyOf") == [{"minimum": 0.0, "type": "number"}]:
        node["default"] = float(node["default"])
    for value in node.values():
        _numbers_only(value)


def fields_without_words(kind: Kind) -> list[str]:
    """Fields that `schema_words.json` does not explain, and entries of it that no record has."""
    records = [WorkloadFile.__name__, Work.__name__] if kind == "workload" else [Plan.__name__]
    schema = schema_of(kind)
    parts = {**schema["$defs"], records[0]: schema}
    bare = []
    for name, part in parts.items():
        own = set(part.get("properties", {}))
        if name == WorkloadFile.__name__:
            own -= set(schema["$defs"]["Work"]["properties"])
        bare += [f"{name}.{field}" for field in sorted(own - set(words().get(name, {})))]
        bare += [f"{name}.{field} (no such field)" for field in sorted(set(words().get(name, {})) - own)]
    return bare
