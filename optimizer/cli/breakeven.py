"""`optimize breakeven`: where each rental term wins, by hours a day and days in a row."""

from pathlib import Path

import click

from optimizer.cli._common import emit_json, emit_words, output_options, write_atomically
from optimizer.cli._progress import planning_progress
from optimizer.domain.text import Language, Text

COMPARING = Text("comparing terms", "比较租期")


@click.command()
@click.option("--workload", "workload_path", required=True, type=click.Path(path_type=Path), help="Workload file.")
@click.option("--name", help="Which workload of the file (default: the first).")
@click.option("--set", "overrides", multiple=True, metavar="PATH=VALUE", help="What if: change a field of the file.")
@click.option("--catalog", "catalog_directory", type=click.Path(path_type=Path), help="Use this catalog alone.")
@click.option("--as-of", "as_of", help="Read prices and rates as of this date (default: today).")
@click.option("--max-age", type=click.IntRange(0), default=60, show_default=True, help="Days; older prices are marked.")
@click.option("--exclude-old", is_flag=True, help="Use no machine price older than --max-age, and no undated one.")
@click.option("--picture", type=click.Path(dir_okay=False, path_type=Path), help="Draw the surface into FILE.svg.")
@output_options
def command(
    workload_path: Path,
    name: str | None,
    overrides: tuple[str, ...],
    catalog_directory: Path | None,
    as_of: str | None,
    max_age: int,
    exclude_old: bool,
    picture: Path | None,
    as_json: bool,
    out: Path | None,
    lang: Language,
) -> None:
    """Show which term is cheapest for how many hours a day on how many days, and when owning pays back.

    \b
    Examples:
      optimize breakeven --workload w.yaml
      optimize breakeven --workload w.yaml --max-age 30 --exclude-old
      optimize breakeven --workload w.yaml --picture surface.svg
    """
    from optimizer.app.breakeven import break_even_of
    from optimizer.app.breakeven_picture import picture_of
    from optimizer.cli.plan import as_of_date

    if picture is not None:
        _check_ending(picture)
    with planning_progress(COMPARING, lang, solves=False):
        found = break_even_of(
            workload_path,
            as_of_date(as_of),
            work=name,
            overrides=overrides,
            catalog_directory=catalog_directory,
            max_age_days=max_age,
            exclude_old=exclude_old,
        )
    if picture is not None:
        write_atomically(picture, picture_of(found, lang).encode())
    if as_json:
        emit_json(found.to_json(), out)
    else:
        emit_words("\n".join(found.lines(lang)), out)


def _check_ending(picture: Path) -> None:
    """A picture is SVG, and no viewer knows it by another name."""
    from optimizer.errors import InputError, Problem

    if picture.suffix.lower() != ".svg":
        better = f"--picture {picture.with_suffix('.svg')}"
        raise InputError(Problem("--picture", "", str(picture), "a file name that ends in .svg", suggestion=better))
