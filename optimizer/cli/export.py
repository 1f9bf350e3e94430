"""`optimize export`: hand a plan over to launch tools: a SkyPilot task, a dstack fleet, Terraform variables."""

from pathlib import Path

import click

from optimizer.cli._common import emit

FORMATS = ("skypilot", "dstack", "terraform")


@click.command()
@click.argument("plan_file", type=click.Path(path_type=Path))
@click.option("--format", "tool", type=click.Choice(FORMATS), required=True, help="The tool that shall start it.")
@click.option("--workload", help="Which workload, where the plan starts several (SkyPilot and dstack).")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write to FILE instead of stdout.")
def command(plan_file: Path, tool: str, workload: str | None, out: Path | None) -> int:
    """Write a plan's machines as a launch tool reads them; names that are not known are refused, not guessed.

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
    emit(text.rstrip("\n"), out)
    return 0
