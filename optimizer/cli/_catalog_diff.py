"""`optimize catalog diff`: What is new, gone, dearer or cheaper between two catalogs."""

from pathlib import Path

import click

from optimizer.cli._common import emit_json, emit_words, output_options
from optimizer.domain.text import Language, Text

_TITLE = Text("{before} → {after}", "{before} → {after}")
_SAME = Text("No difference.", "没有差异。")


@click.command()
@click.argument("before", default="previous")
@click.argument("after", default="current")
@click.option("--provider", help="Only this provider.")
@click.option("--all", "show_all", is_flag=True, help="Show every change, not the first 20 of each kind.")
@output_options
def command(
    before: str, after: str, provider: str | None, show_all: bool, as_json: bool, out: Path | None, lang: Language
) -> int:
    """What is new, gone, dearer or cheaper between two catalogs.

    BEFORE and AFTER are `shipped`, `current`, `previous`, a generation's number, a day (YYYY-MM-DD: the newest prices
    not after it) or a catalog directory. Default: what the last refresh changed.

    \b
    Examples:
      optimize catalog diff
      optimize catalog diff 2026-06-01 2026-11-30 --provider lambda
      optimize catalog diff shipped current --json
    """
    from optimizer.app.price_record import changes_between
    from optimizer.cli._changes import changes_as_data, changes_as_lines

    changes = changes_between(before, after, provider)
    if as_json:
        emit_json({"before": before, "after": after, **changes_as_data(changes)}, out)
        return 0
    lines = [_TITLE.say(lang, before=before, after=after)]
    shown = [_SAME.say(lang)] if changes.is_empty else changes_as_lines(changes, lang, None if show_all else 20)
    emit_words("\n".join(lines + shown), out)
    return 0
