"""YAML 1.2 core schema with line numbers: `2e9` is a number, `off`, `no` and `10:00` are strings.

Only the parser is a library's; scalars are resolved here because no reader follows the core schema to the letter
(source: yaml.org/spec/1.2.2, section 10.3.2). Tags, duplicate keys and alias bombs are refused.
"""

import math
import re
from dataclasses import dataclass, field
from typing import Any

from optimizer.errors import InputError, Problem

MAX_NODES = 250_000
MAX_LEVELS = 100
Path_ = tuple[str | int, ...]

_NULL = re.compile(r"(?:null|Null|NULL|~|)\Z")
_BOOL = re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z")
_INT = re.compile(r"[-+]?[0-9]+\Z")
_OCTAL = re.compile(r"0o[0-7]+\Z")
_HEX = re.compile(r"0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_SPECIAL_FLOAT = re.compile(r"(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z")


_TAG_PREFIX = "tag:yaml.org,2002:"
#: What the parser itself puts on untagged nodes; anything else was written as a tag.
_KNOWN_TAGS = frozenset({"map", "seq", "str", "int", "float", "bool", "null", "timestamp"})


@dataclass(frozen=True)
class Document:
    """Plain data of one YAML file and the line on which each path starts."""

    file: str
    data: Any
    lines: dict[Path_, int] = field(default_factory=dict)

    def line(self, path: Path_) -> int | None:
        """The line of a path, or of the nearest place above it that stands in the file."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)


def resolve_scalar(text: str) -> Any:
    """A plain (unquoted) scalar as the core schema reads it."""
    if _NULL.match(text):
        return None
    if _BOOL.match(text):
        return text.lower() == "true"
    if _INT.match(text):
        return int(text)
    if _OCTAL.match(text):
        return int(text[2:], 8)
    if _HEX.match(text):
        return int(text[2:], 16)
    if _FLOAT.match(text):
        return float(text)
    if _SPECIAL_FLOAT.match(text):
        return math.nan if "n" in text.lower()[-3:] and "i" not in text.lower() else float(text.replace(".", ""))
    return text


def parse(text: str, file: str) -> Document:
    """Parse one document.

    Raises:
        InputError: not YAML, several documents, tags, duplicate keys, or too many values or levels.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError
    from ruamel.yaml.reader import ReaderError

    _refuse_depth(text, file)
    try:
        documents = list(YAML(typ="safe", pure=True).compose_all(text))
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = None if mark is None else mark.line + 1
        raise InputError(Problem(file, "", error.problem or "text that is not YAML", "YAML 1.2", line)) from error
    except ReaderError as error:
        line = text[: error.position].count("\n") + 1
        found = f"the character #x{ord(error.character):04x}" if isinstance(error.character, str) else "a byte"
        raise InputError(Problem(file, "", f"{found} ({error.reason})", "YAML 1.2", line)) from error
    except RecursionError as error:
        raise InputError(Problem(file, "", f"more than {MAX_LEVELS} levels", "a flatter file")) from error
    except (YAMLError, ValueError) as error:
        raise InputError(Problem(file, "", str(error).splitlines()[0], "YAML 1.2")) from error
    if len(documents) > 1:
        line = documents[1].start_mark.line + 1
        raise InputError(Problem(file, "", f"{len(documents)} documents", "one document", line))
    builder = _Builder(file)
    data = builder.build(documents[0], ()) if documents and documents[0] is not None else None
    if builder.problems:
        raise InputError(builder.problems)
    return Document(file, data, builder.lines)


def _refuse_depth(text: str, file: str) -> None:
    """Refuse brackets nested so deep that the parser would take minutes; quotes and comments are not told apart."""
    depth = 0
    for found in re.finditer(r"[\[{\]}]", text):
        depth = depth + 1 if found.group() in "[{" else max(0, depth - 1)
        if depth > MAX_LEVELS:
            line = text[: found.start()].count("\n") + 1
            raise InputError(Problem(file, "", f"more than {MAX_LEVELS} levels of brackets", "a flatter file", line))


class _Builder:
    """Turns the parser's nodes into plain data; counts every visit, so aliases cannot blow up."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.lines: dict[Path_, int] = {}
        self.problems: list[Problem] = []
        self._visits = 0

    def build(self, node: Any, path: Path_) -> Any:
        self._visits += 1
        line = node.start_mark.line + 1
        if self._visits > MAX_NODES or len(path) > MAX_LEVELS:
            found = f"more than {MAX_NODES} values or {MAX_LEVELS} levels (aliases count each time)"
            raise InputError(Problem(self.file, dotted(path), found, "a smaller file", line))
        self.lines.setdefault(path, line)
        if not _is_plain(node):
            self._refuse_tag(node, path, line)
            return None
        kind = type(node).__name__
        if kind == "ScalarNode":
            return node.value if node.style else resolve_scalar(node.value)
        if kind == "SequenceNode":
            return [self.build(child, (*path, index)) for index, child in enumerate(node.value)]
        return self._mapping(node, path)

    def _mapping(self, node: Any, path: Path_) -> dict[Any, Any]:
        result: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            if not _is_plain(key_node):
                self._refuse_tag(key_node, path, key_node.start_mark.line + 1)
                continue
            key = self.build(key_node, (*path, "<key>"))
            self.lines.pop((*path, "<key>"), None)
            line = key_node.start_mark.line + 1
            if not isinstance(key, str | int):
                self.problems.append(
                    Problem(self.file, dotted(path), f"a key {key_node.value!r}", "a field name", line)
                )
                continue
            if key in result:
                self.problems.append(
                    Problem(self.file, dotted((*path, key)), "the same field twice", "each field once", line)
                )
                continue
            self.lines[(*path, key)] = line
            result[key] = self.build(value_node, (*path, key))
        return result

    def _refuse_tag(self, node: Any, path: Path_, line: int) -> None:
        self.problems.append(Problem(self.file, dotted(path), f"the tag {node.tag}", "plain values without tags", line))


def _is_plain(node: Any) -> bool:
    """Whether a node carries no tag of its own."""
    return str(node.tag or "").removeprefix(_TAG_PREFIX) in _KNOWN_TAGS


def dotted(path: Path_) -> str:
    """A path as users write it: `workloads.0.model.preset`."""
    return ".".join(str(part) for part in path)
