"""YAML with every text in double quotes, and comments that cannot break out.

The tools read YAML 1.1, where a bare `no` is false and `1:30` is ninety: quoted text is text in every version.
"""

from collections.abc import Iterable
from io import StringIO
from typing import Any

from optimizer.export.choice import one_line


def yaml_document(data: dict[str, Any], comments: Iterable[str]) -> str:
    """A block-style document under comment lines; keys keep their order."""
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.allow_unicode = True
    yaml.width = 4096
    out = StringIO()
    yaml.dump(_quoted(data), out)
    head = "".join(f"# {one_line(comment)}\n" for comment in comments)
    return head + out.getvalue()


def _quoted(value: Any) -> Any:
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString

    if isinstance(value, dict):
        return {name: _quoted(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_quoted(inner) for inner in value]
    return DoubleQuotedScalarString(value) if isinstance(value, str) else value
