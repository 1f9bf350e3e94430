"""YAML with every text quoted where it could be read as something else, and comments that cannot break out."""

from collections.abc import Iterable
from io import StringIO
from typing import Any

from optimizer.export.choice import one_line


def yaml_document(data: dict[str, Any], comments: Iterable[str]) -> str:
    """A block-style document under comment lines; keys keep their order."""
    from ruamel.yaml import YAML

    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = False
    yaml.allow_unicode = True
    yaml.width = 4096
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    out = StringIO()
    yaml.dump(data, out)
    head = "".join(f"# {one_line(comment)}\n" for comment in comments)
    return head + out.getvalue()
