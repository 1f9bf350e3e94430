"""`optimize schema`: the JSON Schema of workload files or plan files, for editors and for other programs."""

from pathlib import Path
from typing import Literal

import click

from optimizer.cli._common import emit_json

EPILOG = """\b
Examples:
  optimize schema workload --out workload.schema.json
  optimize schema plan
\b
Editors with a YAML language server read it when the file begins with
  # yaml-language-server: $schema=workload.schema.json
"""


@click.command(epilog=EPILOG)
@click.argument("kind", type=click.Choice(["workload", "plan"]))
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write to FILE instead of stdout.")
def command(kind: Literal["workload", "plan"], out: Path | None) -> None:
    """Print the JSON Schema (draft 2020-12) of a file: its fields, units, defaults and limits."""
    from optimizer.planning.schema import schema_of

    emit_json(schema_of(kind), out)
