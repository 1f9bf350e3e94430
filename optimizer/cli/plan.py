"""`optimize --workload F --budget N`: the cheapest fleet and rental terms that can really run the work."""

import os
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from optimizer.cli._common import console, emit, emit_json, emit_words, output_options, warn, write_atomically
from optimizer.cli._progress import planning_progress
from optimizer.domain.text import Text
from optimizer.errors import EXIT_INFEASIBLE, EXIT_INTERRUPTED, EXIT_OK, InputError, Problem

if TYPE_CHECKING:
    from optimizer.app.beside import Beside
    from optimizer.domain.money import Rates
    from optimizer.domain.plan import Plan
    from optimizer.domain.text import Language
    from optimizer.planning.case import PlanOptions

NOTHING_YET = Text("interrupted before any plan was found; nothing was written", "已中断：尚无方案，未写入任何文件")
PLANNING = Text("planning", "规划中")
EVERY_FUTURE = Text("planning for every future", "为每种情景规划")
BEST_SO_FAR = Text("interrupted: the answer is the best plan found until then", "已中断：所给为中断前找到的最好方案")


@click.command()
@click.option("--workload", "workload_path", type=click.Path(path_type=Path), help="Workload file (YAML).")
@click.option(
    "--budget",
    is_flag=False,
    flag_value="",
    help="Total over the horizon, such as 400000, 400000CNY. Alone: the smallest budget and the frontier.",
)
@click.option("--profile", type=click.Choice(["documents", "strict", "floor", "off"]), help="How hard the rules hold.")
@click.option("--unknown", type=click.Choice(["admit", "exclude"]), default="admit", help="Facts that nobody states.")
@click.option("--market", is_flag=True, help="Plan on market quotes too (news, brokers): levels to ask for.")
@click.option("--objective", type=click.Choice(["cost", "time"]), default="cost", help="What comes first.")
@click.option("--confidence", type=click.FloatRange(0.5, 0.99), help="Plan with the pessimistic speed.")
@click.option("--currency", help="Show the report in another currency at the dated rate.")
@click.option("--catalog", "catalog_directory", type=click.Path(path_type=Path), help="Use this catalog alone.")
@click.option("--provider", "providers", multiple=True, help="Only these providers (name or pattern; repeatable).")
@click.option("--region", "regions", multiple=True, help="Only these regions (name or pattern; repeatable).")
@click.option("--set", "overrides", multiple=True, metavar="PATH=VALUE", help="What if: change a field of the file.")
@click.option("--from", "from_path", type=click.Path(path_type=Path), help="Re-plan from this running plan.")
@click.option("--max-age", type=click.IntRange(0), default=60, show_default=True, help="Days; older prices are marked.")
@click.option("--exclude-old", is_flag=True, help="Use no machine price older than --max-age, and no undated one.")
@click.option("--as-of", "as_of", help="Read prices and rates as of this date (default: today).")
@click.option(
    "--time-limit", type=click.FloatRange(0, min_open=True), default=60.0, show_default=True, help="Seconds for a plan."
)
@click.option("--report", type=click.Path(dir_okay=False, path_type=Path), help="Write an HTML report.")
@click.option("--sensitivity", is_flag=True, help="Find how far each input may move before the answer changes.")
@click.option("--scenarios", type=click.Path(path_type=Path), help="Plan for several futures (YAML): what to commit.")
@click.option("--xlsx", type=click.Path(dir_okay=False, path_type=Path), help="Write a workbook.")
@output_options
def plan(**given: Any) -> int:
    """Find the provably cheapest GPU fleet and rental terms for a training workload."""
    if given["workload_path"] is None:
        raise click.UsageError("give --workload FILE, or a command; `optimize --help` lists them")
    from optimizer.files import check_writable

    check_writable(given[name] for name in ("out", "report", "xlsx"))
    if given["scenarios"] is not None:
        return _scenarios(given)
    from optimizer.app.beside import Beside
    from optimizer.app.plan import plan_workload

    options = _options(given)
    rates = _display_rates(given, options.as_of)
    has_report = given["report"] is not None
    beside = Beside(given["budget"] == "", given["sensitivity"] or has_report, has_report)
    try:
        with planning_progress(PLANNING, given["lang"]):
            found = plan_workload(
                given["workload_path"],
                options,
                overrides=given["overrides"],
                budget=given["budget"],
                profile=given["profile"],
                catalog_directory=given["catalog_directory"],
                running=given["from_path"],
                beside=beside,
            )
    except KeyboardInterrupt:
        warn(NOTHING_YET.say(given["lang"]))
        return EXIT_INTERRUPTED
    _write(found, beside, given, rates)
    return _exit_code(found, given["lang"])


def _exit_code(found: "Plan", language: "Language") -> int:
    if found.interrupted:
        warn(BEST_SO_FAR.say(language))
        return EXIT_INTERRUPTED
    return EXIT_INFEASIBLE if found.status == "infeasible" else EXIT_OK


def _options(given: dict[str, Any]) -> "PlanOptions":
    from optimizer.planning.case import PlanOptions

    return PlanOptions(
        as_of=as_of_date(given["as_of"]),
        market=given["market"],
        unknown=given["unknown"],
        providers=given["providers"],
        regions=given["regions"],
        confidence=given["confidence"],
        objective=given["objective"],
        seconds=given["time_limit"],
        max_age_days=given["max_age"],
        exclude_old=given["exclude_old"],
    )


def _display_rates(given: dict[str, Any], as_of: date) -> "Rates | None":
    """The rates for `--currency`; None where the report stays in the file's currency."""
    if given["currency"] is None:
        return None
    from optimizer.app.convert import display_rates

    return display_rates(
        given["currency"], as_of, given["workload_path"], given["overrides"], given["catalog_directory"]
    )


def as_of_date(text: str | None) -> date:
    """A date given on the command line, else `OPTIMIZE_AS_OF`, else today.

    Raises:
        InputError: not a date.
    """
    text = text or os.environ.get("OPTIMIZE_AS_OF")
    if text is None:
        return date.today()  # noqa: DTZ011 - the user's own calendar day
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise InputError(Problem("--as-of", "", repr(text), "a date such as 2026-11-30")) from error


def _scenarios(given: dict[str, Any]) -> int:
    """What to commit now and what to rent by the hour later, over several futures."""
    _refuse_beside_scenarios(given)
    from optimizer.app.scenarios import plan_scenarios

    with planning_progress(EVERY_FUTURE, given["lang"]):
        found = plan_scenarios(
            given["workload_path"],
            given["scenarios"],
            _options(given),
            overrides=given["overrides"],
            budget=given["budget"],
            profile=given["profile"],
            catalog_directory=given["catalog_directory"],
            running=given["from_path"],
        )
    if given["as_json"]:
        emit_json(found.to_json(), given["out"])
    else:
        emit_words("\n".join(found.lines(given["lang"])), given["out"])
    return EXIT_OK if found.has_plan else EXIT_INFEASIBLE


def _refuse_beside_scenarios(given: dict[str, Any]) -> None:
    """Options that would be left aside in silence; a plan over futures answers one question alone."""
    asked = [name for name in ("report", "xlsx", "currency") if given[name] is not None]
    asked += ["sensitivity"] if given["sensitivity"] else []
    problems = [Problem(f"--{name}", "", "--scenarios beside it", "either of them alone") for name in asked]
    if given["budget"] == "":
        problems.append(Problem("--budget", "", "nothing", "an amount after it beside --scenarios"))
    if problems:
        raise InputError(problems)


def _write(found: "Plan", beside: "Beside", given: dict[str, Any], rates: "Rates | None") -> None:
    """The plan file, the reports in the currency asked for, then the screen or JSON.

    Everything is rendered before anything is written.
    """
    content = found.model_dump(mode="json", by_alias=True)
    shown = found
    if rates is not None:
        from optimizer.app.convert import converted

        shown = converted(found, given["currency"], rates, given["lang"])
    reports = _reports(shown, beside, given)
    if given["out"] is not None:
        emit_json(content, given["out"])
    for path, report in reports.items():
        write_atomically(path, report)
    if given["as_json"]:
        emit_json(content)
    else:
        _print(shown, given["lang"])


def _reports(shown: "Plan", beside: "Beside", given: dict[str, Any]) -> dict[Path, bytes]:
    """The report files that were asked for, by path."""
    reports: dict[Path, bytes] = {}
    if given["report"] is not None:
        from optimizer.app.sensitivity import sensitivity_lines
        from optimizer.reports.html import render_html

        page = render_html(shown, given["lang"], beside.surface, sensitivity_lines(shown))
        reports[given["report"]] = page.encode()
    if given["xlsx"] is not None:
        from optimizer.reports.workbook import write_workbook

        reports[given["xlsx"]] = write_workbook(shown, given["lang"])
    return reports


def _print(shown: "Plan", language: "Language") -> None:
    from optimizer.app.quotes import quotes_line
    from optimizer.app.sensitivity import first_change
    from optimizer.domain.breaking import wrapped
    from optimizer.reports.terminal import WIDEST, render_plan

    sensitivity = first_change(shown, language)
    terminal = console()
    if terminal.is_terminal:
        render_plan(shown, language, terminal, sensitivity)
    else:
        with terminal.capture() as captured:
            render_plan(shown, language, terminal, sensitivity)
        emit("\n".join(line.rstrip() for line in captured.get().splitlines()))
    below = ["", line] if (line := quotes_line(shown, language)) else []
    if shown.frontier_complete is not None:
        from optimizer.app.frontier import frontier_lines

        below += ["", *frontier_lines(shown, language)]
    for said in below:
        emit("\n".join(wrapped(said, min(terminal.width, WIDEST))))
