"""`optimize schema`: the JSON Schema of workload files or plan files, for editors and for other programs."""

from pathlib import Path
from typing import Literal

import click

from optimizer.cli._common import emit_json, output_options
from optimizer.domain.text import Language

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
@output_options
def command(kind: Literal["workload", "plan"], as_json: bool, out: Path | None, lang: Language) -> None:
    """Print the JSON Schema (draft 2020-12) of a file: its fields, units, defaults and limits.

    It is JSON with or without --json, and the same in both languages.
    """
    from optimizer.planning.schema import schema_of

    emit_json(schema_of(kind), out)
