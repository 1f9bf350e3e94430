"""Tags: who used a machine and what for, in whichever way the bill writes them."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

TEAM_KEYS = ("team", "cost_center", "costcenter", "business_unit", "department", "owner", "group", "部门", "团队")
WORKLOAD_KEYS = ("workload", "job", "application", "app", "project", "service", "作业", "应用", "项目")

_CUR_ORIGINS = ("user_", "aws_")
_PUNCTUATION = re.compile(r"[^0-9a-z\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class TagKeys:
    """Which tags name the team and the workload: the first that a line has counts."""

    team: Sequence[str] = TEAM_KEYS
    workload: Sequence[str] = WORKLOAD_KEYS

    def team_of(self, tags: str) -> str | None:
        """The team of a line, `None` when no tag says."""
        return _first(tags, tuple(self.team))

    def workload_of(self, tags: str) -> str | None:
        """The workload of a line, `None` when no tag says."""
        return _first(tags, tuple(self.workload))


@cache
def _first(tags: str, keys: tuple[str, ...]) -> str | None:
    pairs = parse_tags(tags)
    return next((pairs[plain] for key in keys if (plain := _plain(key)) in pairs), None)


@cache
def parse_tags(text: str) -> dict[str, str]:
    """Tags as plain keys and values.

    Read are JSON objects, JSON lists of key and value, `key=value;` (our own form for tag columns) and the
    `key:value;key:value` of Alibaba's bills, also in its longer form `key:K value:V`.
    """
    text = text.strip()
    if text.startswith(("{", "[")):
        try:
            return _from_json(json.loads(text))
        except ValueError:
            return {}
    pairs = {}
    for item in re.split(r"[;\n]", text):
        longer = re.fullmatch(r"\s*key:(.*?)\s+value:(.*)", item)
        if longer:
            pairs[_plain(longer[1])] = longer[2].strip()
            continue
        found = re.match(r"\s*([^=:]+)[=:](.*)", item)
        if found and found[2].strip():
            pairs[_plain(found[1])] = found[2].strip()
    return pairs


def _from_json(value: object) -> dict[str, str]:
    if isinstance(value, dict):
        keys = [str(key) for key in value]
        # AWS CUR 2.0 writes every key of its map with its origin: user_team, aws_created_by.
        start = "user_" if keys and all(key.startswith(_CUR_ORIGINS) for key in keys) else ""
        return {
            _plain(str(key).removeprefix(start)): str(item) for key, item in value.items() if item not in (None, "")
        }
    pairs = {}
    for item in value if isinstance(value, list) else ():
        if isinstance(item, dict):
            lowered = {str(key).casefold(): entry for key, entry in item.items()}
            if lowered.get("key") is not None and lowered.get("value") not in (None, ""):
                pairs[_plain(str(lowered["key"]))] = str(lowered["value"])
    return pairs


def _plain(key: str) -> str:
    return _PUNCTUATION.sub("", key.casefold().removeprefix("user:"))
