"""`optimize why`: why an offer, term, provider or GPU is not in a plan, or what using it would cost."""

from pathlib import Path

import click

from optimizer.cli._common import emit_json, emit_words, output_options
from optimizer.cli._progress import planning_progress
from optimizer.domain.text import Language, Text

AGAIN = Text("planning again", "重新规划")


@click.command()
@click.argument("offer")
@click.option("--plan", "plan_path", required=True, type=click.Path(path_type=Path), help="The plan file (--out).")
@click.option("--catalog", "catalog_directory", type=click.Path(path_type=Path), help="Use this catalog alone.")
@click.option("--time-limit", type=click.FloatRange(1), default=60.0, help="Wall seconds for each re-plan.")
@output_options
def command(
    offer: str,
    plan_path: Path,
    catalog_directory: Path | None,
    time_limit: float,
    as_json: bool,
    out: Path | None,
    lang: Language,
) -> None:
    """Say why OFFER (key, pattern, term, provider, instance type or GPU) is not in a plan, or what it would cost.

    \b
    Examples:
      optimize why H100 --plan plan.json
      optimize why lambda/global/gpu_1x_gh200 --plan plan.json --json
      optimize why month --plan plan.json --lang zh
    """
    from optimizer.app.why import explain_offer

    with planning_progress(AGAIN, lang):
        found = explain_offer(plan_path, offer, catalog_directory=catalog_directory, seconds=time_limit)
    if as_json:
        emit_json(found.to_json(), out)
    else:
        emit_words("\n".join(found.lines(lang)), out)
