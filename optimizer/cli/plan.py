"""`optimize --workload F --budget N`: the cheapest fleet and rental terms that can really run the work."""

from pathlib import Path
from typing import Any

import click

from optimizer.cli._common import output_options


@click.command()
@click.option("--workload", "workload_path", type=click.Path(path_type=Path), help="Workload file (YAML).")
@output_options
def plan(**options: Any) -> int:
    """Find the provably cheapest GPU fleet and rental terms for a training workload."""
    raise NotImplementedError
