"""`optimize review`: what a bill says, what it should have said, and what changed since last month."""

from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from optimizer.cli._common import console, emit, emit_json, output_options, progress, warn, write_atomically
from optimizer.errors import EXIT_CHECK_FAILED, InputError

if TYPE_CHECKING:
    from optimizer.app.review import ReviewOptions
    from optimizer.domain.text import Language
    from optimizer.review.review import Review

_FILE = click.Path(dir_okay=False, path_type=Path)
_DAY = click.DateTime(["%Y-%m-%d"])


@click.command()
@click.argument("more_bills", nargs=-1)
@click.option(
    "--bill", "bills", multiple=True, required=True, help="Bill file, glob or folder; repeat or list several."
)
@click.option("--plan", type=_FILE, help="Plan file to hold the bill against.")
@click.option("--contract", type=_FILE, help="Contract (JSON of `optimize contract`) to hold the bill against.")
@click.option("--month", help="Review one month, such as 2026-11 (default: everything in the bill).")
@click.option("--from", "start", type=_DAY, help="Review the charges from this day on (with --to).")
@click.option("--to", "end", type=_DAY, help="First day left out.")
@click.option("--zone", help="Clock for days and months (default: the bill's own).")
@click.option("--mapping", "mappings", type=_FILE, multiple=True, help="Your own bill format (YAML or JSON).")
@click.option("--aliases", type=_FILE, help="CSV: text in the bill -> provider, instance_type.")
@click.option("--quotes", type=_FILE, help="CSV with quoted prices; they beat list prices.")
@click.option(
    "--catalog", type=click.Path(file_okay=False, path_type=Path), help="Catalog folder instead of the shipped one."
)
@click.option("--budget", help="Budget over the plan's horizon, or over the period without a plan.")
@click.option("--as-of", type=_DAY, help="Date for quotes and exchange rates.")
@click.option("--team-tag", "team_tags", multiple=True, help="Tag that names the team; repeat for alternatives.")
@click.option("--workload-tag", "workload_tags", multiple=True, help="Tag that names the workload.")
@click.option(
    "--ends-within",
    "days_ahead",
    type=click.IntRange(0),
    default=60,
    show_default=True,
    help="Days ahead for ending commitments.",
)
@click.option("--fail-over", metavar="AMOUNT", help="Exit 6 when more than AMOUNT was billed.")
@click.option("--report", type=_FILE, help="Write the HTML report.")
@click.option("--xlsx", type=_FILE, help="Write the Excel workbook.")
@click.option("--markdown", type=_FILE, help="Write the report as Markdown.")
@click.option("--state", type=_FILE, help="Memory of earlier reviews (default: your data folder).")
@click.option("--no-state", is_flag=True, help="Neither read nor write the memory of reviews.")
@click.option("--replan", type=_FILE, help="Plan the hours that ran anew and write the plan.")
@output_options
def command(**options: Any) -> int:
    """Review a month's bills: hours, utilization, waste, prices, terms, budget and changes.

    \b
    Examples:
      optimize review --bill november.csv --month 2026-11
      optimize review --bill bills/ --plan plan.json --fail-over 5000USD
    """
    from optimizer.app.review import ReviewOptions, exceeds, remember, run_review
    from optimizer.review.state import state_path

    state = None if options["no_state"] else options["state"] or state_path()
    asked = ReviewOptions(
        bills=[*options["bills"], *options["more_bills"]],
        as_of=_day(options["as_of"]),
        start=_day(options["start"]),
        end=_day(options["end"]),
        state=state,
        **{name: options[name] for name in _PASSED_ON},
    )
    with progress("review"):
        review = run_review(asked)
    over = exceeds(review, options["fail_over"]) if options["fail_over"] else None
    _write_files(review, options)
    if options["replan"]:
        _write_plan(review, asked, options["replan"])
    _print(review, options)
    if state is not None:
        _remember(remember, review, state, named=options["state"] is not None)
    if over is not None:
        warn(f"--fail-over: {over.say(options['lang'])}")
        return EXIT_CHECK_FAILED
    return 0


def _day(moment: datetime | None) -> date | None:
    return None if moment is None else moment.date()


_PASSED_ON = (
    *(
        "plan",
        "contract",
        "month",
        "zone",
        "mappings",
        "aliases",
        "quotes",
        "catalog",
        "budget",
        "team_tags",
        "workload_tags",
    ),
    "days_ahead",
)


def _write_files(review: "Review", options: dict[str, Any]) -> None:
    language = options["lang"]
    if options["report"]:
        from optimizer.review.render_html import as_html

        write_atomically(options["report"], as_html(review, language).encode())
    if options["xlsx"]:
        from optimizer.review.render_xlsx import as_workbook

        write_atomically(options["xlsx"], as_workbook(review, language))
    if options["markdown"]:
        from optimizer.review.render_text import as_markdown

        write_atomically(options["markdown"], as_markdown(review, language).encode())


def _write_plan(review: "Review", asked: "ReviewOptions", path: Path) -> None:
    from optimizer.app.review import replan, split_up

    with progress("plan"):
        plan = replan(review, asked)
    smaller = split_up(review, plan)
    if smaller:
        warn(
            "--replan: GPU hours are planned on any machine with the GPU; these have fewer GPUs than what ran, so see "
            f"that the work can run across machines: {', '.join(smaller)}"
        )
    if plan.status == "infeasible":
        warn("--replan: no plan can run these hours; the file says what is missing")
    write_atomically(path, (plan.model_dump_json(indent=2, by_alias=True) + "\n").encode())


def _print(review: "Review", options: dict[str, Any]) -> None:
    from optimizer.review.render_json import as_json
    from optimizer.review.render_text import as_markdown

    if options["as_json"]:
        emit_json(as_json(review, options["lang"]), options["out"])
    elif options["out"]:
        emit(as_markdown(review, options["lang"]), options["out"])
    else:
        _screen(review, options["lang"])


def _screen(review: "Review", language: "Language") -> None:
    """The summary on the terminal; a pipe gets the same lines without the blanks that fill them."""
    from optimizer.review.render_text import print_review

    terminal = console()
    if terminal.is_terminal:
        print_review(review, language, terminal)
        return
    with terminal.capture() as captured:
        print_review(review, language, terminal)
    emit("\n".join(line.rstrip() for line in captured.get().splitlines()))


def _remember(remember: Any, review: "Review", state: Path, *, named: bool) -> None:
    """The memory is a convenience: a data folder that cannot be written only costs a warning."""
    try:
        remember(review, state)
    except InputError as error:
        if named:
            raise
        warn(f"warning: this review is not remembered: {error}")
