"""`optimize export`: hand a plan over to launch tools: a SkyPilot task, a dstack fleet, Terraform variables."""

from pathlib import Path

import click

from optimizer.cli._common import emit, emit_json, output_options
from optimizer.domain.text import Language

FORMATS = ("skypilot", "dstack", "terraform")


@click.command()
@click.argument("plan_file", type=click.Path(path_type=Path))
@click.option("--format", "tool", type=click.Choice(FORMATS), required=True, help="The tool that shall start it.")
@click.option("--workload", help="Which workload, where the plan starts several (SkyPilot and dstack).")
@output_options
def command(plan_file: Path, tool: str, workload: str | None, as_json: bool, out: Path | None, lang: Language) -> int:
    """Write a plan's machines as a launch tool reads them; names that are not known are refused, not guessed.

    The file is for a tool and the same in both languages; with --json its data without comments.

    \b
    Examples:
      optimize export --format skypilot plan.json --out task.yaml
      optimize export --format terraform plan.json
    """
    from optimizer.app.verify import read_plan
    from optimizer.export import dstack_fleet, skypilot_task, terraform_variables

    plan = read_plan(plan_file)
    if tool == "terraform":
        text = terraform_variables(plan)
    else:
        write = skypilot_task if tool == "skypilot" else dstack_fleet
        text = write(plan, str(plan_file), workload)
    if as_json:
        import yaml

        emit_json(yaml.safe_load(text), out)
    else:
        emit(text.rstrip("\n"), out)
    return 0
