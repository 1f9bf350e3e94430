"""YAML with every text in double quotes, and comments that cannot break out.

The tools read YAML 1.1, where a bare `no` is false and `1:30` is ninety: quoted text is text in every version.
"""

from collections.abc import Iterable
from typing import Any

from optimizer.export.choice import one_line

WIDTH = 4096


class _Quoted(str):
    """A text that is written in double quotes."""

    __slots__ = ()


def yaml_document(data: dict[str, Any], comments: Iterable[str]) -> str:
    """A block-style document under comment lines; keys keep their order."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """The safe writer, which also knows texts in quotes."""

    Dumper.add_representer(
        _Quoted, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style='"')
    )
    body = yaml.dump(_quoted(data), Dumper=Dumper, allow_unicode=True, width=WIDTH, sort_keys=False)
    head = "".join(f"# {one_line(comment)}\n" for comment in comments)
    return head + body


def _quoted(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _quoted(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_quoted(inner) for inner in value]
    return _Quoted(value) if isinstance(value, str) else value
