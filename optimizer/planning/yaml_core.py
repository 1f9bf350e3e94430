"""YAML 1.2 core schema with line numbers: `2e9` is a number, `off`, `no` and `10:00` are strings.

Only the grammar is a library's (libyaml, or PyYAML's own parser where that is not there); scalars are resolved here,
because no reader follows the core schema to the letter (source: yaml.org/spec/1.2.2, section 10.3.2). Tags, merge
keys, duplicate keys and alias bombs are refused.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

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


#: What YAML 1.2 (section 5.1) does not print, and the separators that YAML 1.1 took for line breaks.
_REFUSED = re.compile("[^\t\n\r -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
MERGE_KEY = "<<"


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
    import yaml

    _refuse_characters(text, file)
    loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
    try:
        root = _Composer(file).compose(yaml.parse(text, Loader=loader))
    except yaml.MarkedYAMLError as error:
        raise InputError(_syntax_problem(error, file, last_line=max(1, len(text.splitlines())))) from error
    except (yaml.YAMLError, ValueError) as error:
        raise InputError(Problem(file, "", str(error).splitlines()[0], "YAML 1.2")) from error
    if root is None:
        return Document(file, None)
    builder = _Builder(file)
    data = builder.build(root, ())
    if builder.problems:
        raise InputError(builder.problems)
    return Document(file, data, builder.lines)


def _syntax_problem(error: Any, file: str, last_line: int) -> Problem:
    """What the parser stumbled over, and where the thing began that it could not end."""
    end, begin = error.problem_mark or error.context_mark, error.context_mark
    line = None if end is None else min(end.line + 1, last_line)
    if "nesting depth" in str(error.problem):  # libyaml's own limit, met before its events come
        return Problem(file, "", f"more than {MAX_LEVELS} levels", "a flatter file", line)
    hint = None
    if error.context and begin is not None and begin.line + 1 != line:
        what = error.context.removeprefix("while parsing ").removeprefix("while scanning ")
        hint = f"It is in {what} that begins on line {begin.line + 1}."
    return Problem(file, "", f"what is not YAML ({error.problem})", "YAML 1.2", line, hint)


def _refuse_characters(text: str, file: str) -> None:
    found = _REFUSED.search(text.removeprefix("\ufeff"))
    if found is not None:
        line = text[: found.start()].count("\n") + 1
        raise InputError(Problem(file, "", f"the character #x{ord(found.group()):04x}", "YAML 1.2 text", line))


@dataclass(slots=True)
class _Node:
    """A value of the file as written; `children` are values, or keys and values in turn."""

    kind: Literal["scalar", "sequence", "mapping"]
    line: int
    tag: str | None
    text: str = ""
    is_quoted: bool = False
    children: list["_Node"] = field(default_factory=list)


class _Composer:
    """Turns the parser's events into nodes without recursion, so that no depth can exhaust the stack."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.open: list[_Node] = []
        self.anchors: dict[str, _Node] = {}
        self.roots: list[_Node] = []

    def compose(self, events: Iterable[Any]) -> _Node | None:
        """The root of the only document; None for an empty file."""
        for event in events:
            kind = type(event).__name__
            if kind in ("SequenceEndEvent", "MappingEndEvent"):
                self.open.pop()
            elif kind in ("ScalarEvent", "SequenceStartEvent", "MappingStartEvent", "AliasEvent"):
                self._add(event, kind)
        return self.roots[0] if self.roots else None

    def _add(self, event: Any, kind: str) -> None:
        line = event.start_mark.line + 1
        node = self._aliased(event.anchor, line) if kind == "AliasEvent" else self._node(event, kind, line)
        if self.open:
            self.open[-1].children.append(node)
        elif self.roots:
            raise InputError(Problem(self.file, "", "a second document", "one document", line))
        else:
            self.roots.append(node)
        if kind in ("SequenceStartEvent", "MappingStartEvent"):
            if len(self.open) == MAX_LEVELS:
                raise InputError(Problem(self.file, "", f"more than {MAX_LEVELS} levels", "a flatter file", line))
            self.open.append(node)

    def _node(self, event: Any, kind: str, line: int) -> _Node:
        if kind == "ScalarEvent":
            node = _Node("scalar", line, event.tag, event.value, bool(event.style))
        else:
            node = _Node("sequence" if kind == "SequenceStartEvent" else "mapping", line, event.tag)
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        return node

    def _aliased(self, anchor: str, line: int) -> _Node:
        if anchor not in self.anchors:
            raise InputError(Problem(self.file, "", f"the alias *{anchor} of no anchor", "YAML 1.2", line))
        return self.anchors[anchor]


class _Builder:
    """Turns nodes into plain data; counts every visit, so aliases cannot blow up."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.lines: dict[Path_, int] = {}
        self.problems: list[Problem] = []
        self._visits = 0

    def build(self, node: _Node, path: Path_) -> Any:
        """The data of a node; problems are collected."""
        self._visits += 1
        if self._visits > MAX_NODES or len(path) > MAX_LEVELS:
            found = f"more than {MAX_NODES} values or {MAX_LEVELS} levels (aliases count each time)"
            raise InputError(Problem(self.file, dotted(path), found, "a smaller file", node.line))
        self.lines.setdefault(path, node.line)
        if node.tag is not None:
            self._refuse_tag(node, path)
            return None
        if node.kind == "scalar":
            return node.text if node.is_quoted else resolve_scalar(node.text)
        if node.kind == "sequence":
            return [self.build(child, (*path, index)) for index, child in enumerate(node.children)]
        return self._mapping(node, path)

    def _mapping(self, node: _Node, path: Path_) -> dict[Any, Any]:
        result: dict[Any, Any] = {}
        for key_node, value_node in zip(node.children[::2], node.children[1::2], strict=True):
            key = self._key(key_node, path)
            if key is None:
                continue
            if key in result:
                self._refuse((*path, key), "the same field twice", "each field once", key_node.line)
                continue
            self.lines[(*path, key)] = key_node.line
            result[key] = self.build(value_node, (*path, key))
        return result

    def _key(self, node: _Node, path: Path_) -> str | int | None:
        """A field's name, or None where the key is no name and a problem was noted."""
        self._visits += 1
        if node.tag is not None:
            self._refuse_tag(node, path)
            return None
        if node.kind == "scalar" and not node.is_quoted and node.text == MERGE_KEY:
            self._refuse(path, f"the merge key {MERGE_KEY}", "every field written out (YAML 1.2)", node.line)
            return None
        key = None if node.kind != "scalar" else node.text if node.is_quoted else resolve_scalar(node.text)
        if isinstance(key, str | int):
            return key
        written = repr(node.text) if node.kind == "scalar" else f"that is a {node.kind}"
        self._refuse(path, f"a key {written}", "a field name", node.line)
        return None

    def _refuse(self, path: Path_, found: str, expected: str, line: int) -> None:
        self.problems.append(Problem(self.file, dotted(path), found, expected, line))

    def _refuse_tag(self, node: _Node, path: Path_) -> None:
        self._refuse(path, f"the tag {node.tag}", "plain values without tags", node.line)


def dotted(path: Path_) -> str:
    """A path as users write it: `workloads.0.model.preset`."""
    return ".".join(str(part) for part in path)
