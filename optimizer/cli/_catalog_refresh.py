"""`optimize catalog refresh`: Fetch prices from the providers' own interfaces."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from optimizer.cli._common import emit_json, emit_words, output_options, warn
from optimizer.domain.text import Language, Text
from optimizer.errors import EXIT_CHECK_FAILED, EXIT_OK, EXIT_PROVIDER

if TYPE_CHECKING:
    from optimizer.app.fetching import Fetched
    from optimizer.app.refresh import Refreshed, RefreshResult

_STATUS = {
    "published": Text("taken", "已采用"),
    "held": Text("HELD", "已扣住"),
    "skipped": Text("skipped", "跳过"),
    "failed": Text("FAILED", "失败"),
    "fetched": Text("fetched", "已取得"),
}
_DONE = Text(
    "{provider}: {status}, {offers} offers, {rejected} rows rejected, {seconds} s{reason}",
    "{provider}：{status}，{offers} 条报价，拒收 {rejected} 行，{seconds} 秒{reason}",
)
_REASON = Text("  {count} x {reason}", "  {count} 行：{reason}")
_PUBLISHED = Text("Catalog {generation} holds from now on.", "目录第 {generation} 版即时生效。")
_NOTHING = Text("Nothing was changed: the catalog stays as it was.", "未作任何更改：目录保持原样。")
_TITLES: tuple[tuple[str, Text, bool], ...] = (
    ("provider", Text("provider", "供应商"), False),
    ("status", Text("status", "状态"), False),
    ("offers", Text("offers", "报价"), True),
    ("rejected", Text("rejected", "拒收"), True),
    ("new", Text("new", "新增"), True),
    ("gone", Text("gone", "消失"), True),
    ("dearer", Text("dearer", "涨价"), True),
    ("cheaper", Text("cheaper", "降价"), True),
)


@click.command()
@click.option("--provider", "names", multiple=True, help="Only this provider (may be given again).")
@click.option("--region", "regions", multiple=True, help="Only this region; a provider's other regions stay.")
@click.option("--rejected", "show_rejected", is_flag=True, help="Show why rows were rejected.")
@click.option("--accept", is_flag=True, help="Take it even if a fifth of the prices or a GPU model would be lost.")
@click.option(
    "--timeout", type=click.FloatRange(min=1), default=900.0, show_default=True, help="Seconds a provider may take."
)
@output_options
def command(
    names: tuple[str, ...],
    regions: tuple[str, ...],
    show_rejected: bool,
    accept: bool,
    timeout: float,
    as_json: bool,
    out: Path | None,
    lang: Language,
) -> int:
    """Fetch prices from the providers' own interfaces.

    Providers run side by side; one that fails leaves the others and its own earlier snapshot alone. Keys are taken
    from where each provider's tools look for them and never stored; see docs/providers.md.

    \b
    Examples:
      optimize catalog refresh --provider azure --provider oci
      optimize catalog refresh --region us-east-1 --provider aws
    """
    from optimizer.app.refresh import refresh_catalog

    result = refresh_catalog(
        names,
        regions=regions,
        accept=accept,
        timeout_seconds=timeout,
        report=lambda fetched: warn(_progress_line(fetched, lang)),
    )
    if as_json:
        emit_json(_as_data(result), out)
    else:
        emit_words("\n".join(_as_lines(result, lang, show_rejected=show_rejected)), out)
    if result.all_failed:
        return EXIT_PROVIDER
    return EXIT_CHECK_FAILED if result.some_held else EXIT_OK


def _progress_line(fetched: "Fetched", lang: Language) -> str:
    return _DONE.say(
        lang,
        provider=fetched.provider,
        status=_STATUS[fetched.status].say(lang),
        offers=len(fetched.offers),
        rejected=len(fetched.rejected),
        seconds=f"{fetched.seconds:.1f}",
        reason=f" ({_said(fetched.reason, lang)})" if fetched.reason else "",
    )


def _said(reason: str, lang: Language) -> str:
    from optimizer.reports.phrases import in_chinese

    return in_chinese(reason) if lang == "zh" else reason


def _as_lines(result: "RefreshResult", lang: Language, *, show_rejected: bool) -> list[str]:
    from optimizer.cli._changes import changes_as_lines
    from optimizer.cli._tables import Column, render

    columns = [Column(title.say(lang), is_number) for _, title, is_number in _TITLES]
    rows = [_row(outcome, lang) for outcome in result.providers]
    lines = render(columns, rows, lang)
    for outcome in result.providers:
        if outcome.status == "held" and outcome.changes is not None:
            lines += [
                "",
                f"{outcome.provider}: {_said(outcome.reason, lang)}",
                *changes_as_lines(outcome.changes, lang),
            ]
        if show_rejected and outcome.reasons:
            lines += ["", f"{outcome.provider}:"]
            lines += [
                _REASON.say(lang, count=count, reason=_said(reason, lang)) for reason, count in outcome.reasons.items()
            ]
    ending = _NOTHING if result.generation is None else _PUBLISHED
    return [*lines, "", ending.say(lang, generation=result.generation)]


def _row(outcome: "Refreshed", lang: Language) -> list[str]:
    from optimizer.cli._changes import counts

    changed = counts(outcome.changes) if outcome.changes else {}
    values = {"provider": outcome.provider, "status": _STATUS[outcome.status].say(lang), **changed}
    values |= {"offers": outcome.offers, "rejected": outcome.rejected} if outcome.changes else {}
    return [str(values.get(name, "-")) for name, _, _ in _TITLES]


def _as_data(result: "RefreshResult") -> dict[str, Any]:
    from optimizer.cli._changes import changes_as_data

    return {
        "generation": result.generation,
        "providers": [
            {
                "provider": outcome.provider,
                "status": outcome.status,
                "offers": outcome.offers,
                "rejected": outcome.rejected,
                "seconds": outcome.seconds,
                "reason": outcome.reason,
                "rejected_reasons": dict(outcome.reasons),
                "changes": changes_as_data(outcome.changes) if outcome.changes else None,
            }
            for outcome in result.providers
        ],
    }
